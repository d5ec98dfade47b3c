# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the commands say: helpful where a name is wrong, true of what happened."""

import math
import re
import sys

import numpy as np
import pytest
from plain import plain
from processes import printed, run
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from ros_helpers import process

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.suggestion import hint
from spacecraft_attitude_sim.core.body import rigid_body
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.drawing.response_report import RateRecord


def test_hint_names_the_nearest_or_where_all_are():
    assert hint('friction', ['contact.friction', 'mode']) == "did you mean 'contact.friction'?"
    assert hint('mas', ['body.mass', 'orbit.radius']) == "did you mean 'body.mass'?"
    assert hint('xyz', ['b', 'a']) == 'valid are a, b'
    assert hint('xyz', [str(n) for n in range(50)], 'the book') == (
        'the 50 valid ones are in the book'
    )


def test_unknown_parameter_at_run_time_is_refused_with_its_name(ros):
    ros.simulator()
    value = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=3)
    wrong, right = Parameter(name='substep', value=value), Parameter(name='substeps', value=value)
    request = SetParameters.Request(parameters=[wrong, right])
    one, other = ros.call(SetParameters, '/simulator/set_parameters', request).results
    assert not one.successful
    assert one.reason == "substep is not a parameter; did you mean 'substeps'?"
    assert other.successful
    # All or none.
    value = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=4)
    request = SetParametersAtomically.Request(
        parameters=[Parameter(name='substeps', value=value), wrong]
    )
    service = '/simulator/set_parameters_atomically'
    result = ros.call(SetParametersAtomically, service, request).result
    assert not result.successful
    assert 'substep is not a parameter' in result.reason
    assert ros.nodes[-1].value('substeps') == 3


def test_without_ros_the_right_install_is_named():
    """The wheel of rclpy is not called rclpy."""
    program = (
        'import sys\n'
        'for name in ("rclpy", "rosbags"): sys.modules[name] = None\n'
        'from spacecraft_attitude_sim import cli\n'
        'cli.main(sys.argv[1:])\n'
    )
    done = run(sys.executable, '-c', program, 'node', 'markers')
    assert done.returncode == 2
    assert "pip install -c constraints.txt '.[ros]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


# --- check --------------------------------------------------------------------------------------

# Two cubes, 1 and 3 kg, of edge a = 0.1 m, on the x axis at 0 and 0.4 m.
DUMBBELL = """
/**/simulator:
  ros__parameters:
    body: {parts: [one, other]}
    parts:
      one: {shape: box, size: [0.1, 0.1, 0.1], mass: 1.0}
      other: {shape: box, size: [0.1, 0.1, 0.1], mass: 3.0, position: [0.4, 0.0, 0.0]}
    initial: {angular_velocity: [0.0, 0.0, 2.0]}
    imu: {position: [0.5, 0.0, 0.0], model: stim300}
    substeps: 5
"""


def numbers(line):
    return [float(word) for word in re.findall(r'-?\d+\.?\d*(?:e-?\d+)?', line)]


def test_check_prints_mass_properties_of_composed_bodies(command, tmp_path):
    path = tmp_path / 'dumbbell.yaml'
    path.write_text(DUMBBELL)
    said = printed(command, 'check', path)
    lines = [line.strip() for line in said.splitlines()]
    (place,) = [line for line in lines if line.startswith('centre of mass')]
    assert numbers(place) == pytest.approx([0.3, 0.0, 0.0])
    axes = lines.index('principal axes, not rotated relative to the body axes')
    moments = [numbers(line) for line in lines[axes + 1 : axes + 4]]
    cube = 0.01 / 6.0  # m a^2 / 6
    across = 4.0 * cube + 0.3**2 + 3.0 * 0.1**2
    for axis, (row, moment) in enumerate(zip(moments, (4.0 * cube, across, across), strict=True)):
        radius = (moment / 4.0) ** 0.5
        # The unit "kg m^2" holds a number, too.
        assert row == pytest.approx([moment, 2.0, *np.eye(3)[axis], radius], rel=1e-5)
    assert 'mass 4 kg, 2 parts' in said
    assert '5 sub-steps per tick, from the parameter substeps' in said
    assert 'model stim300' in said
    (imu,) = [line for line in lines if line.startswith('imu_link')]
    assert numbers(imu) == pytest.approx([0.2, 0.0, 0.0])  # from the centre of mass


def test_check_prints_the_axes_of_a_plate_turned_by_45_degrees():
    """Moments 2, 3 about (1, ±1, 0)/√2: xx = yy = 5/2, xy = -1/2."""
    from spacecraft_attitude_sim.configuration import scenario_report

    given = {'body.mass': 2.0, 'body.inertia': [2.5, 2.5, 4.0, -0.5, 0.0, 0.0]}
    lines = [line.strip() for line in scenario_report.report(scenario.build(given, 'plate'))]
    found = [numbers(line) for line in lines if line[:2] in ('x:', 'y:', 'z:')]
    for moment, _, *axis, radius in found:
        assert radius == pytest.approx((moment / 2.0) ** 0.5, rel=1e-5)
        inertia = rigid_body.inertia_matrix(given['body.inertia'])
        assert inertia @ axis == pytest.approx(moment * np.array(axis), abs=1e-5)
    assert sorted(row[0] for row in found) == pytest.approx([2.0, 3.0, 4.0])


@pytest.mark.parametrize(
    ('rate', 'words'),
    [
        ([0.0, 1.0, 0.0], 'about the intermediate axis, y: unstable'),
        ([1.0, 0.0, 0.0], 'with the smallest moment: stable'),
        ([0.0, 0.0, 1.0], 'with the largest moment: stable'),
        ([1.0, 1.0, 1.0], None),
    ],
)
def test_check_says_what_a_spin_will_do(rate, words):
    from spacecraft_attitude_sim.configuration import scenario_report

    lines = scenario_report.report(scenario.build({'initial.angular_velocity': rate}, 'test'))
    spins = [line for line in lines if 'spins about' in line]
    assert (words in spins[0]) if words else not spins


def test_check_says_how_wheels_turn_and_where_the_orbit_is():
    """H = J (Ω + ω) along z: the rate and energy are of body and wheels, not of L alone."""
    from spacecraft_attitude_sim.configuration import scenario_report

    given = {
        'body.mass': 4.0, 'body.inertia': [0.04, 0.04, 0.007], 'wheels': ['z'],
        'wheel.z.inertia': 1e-4, 'wheel.z.initial_speed': 100.0, 'wheel.z.max_torque': 0.02,
        'initial.angular_velocity': [0.0, 0.0, 0.5], 'orbit.radius': 6.778e6,
    }  # fmt: skip
    text = '\n'.join(scenario_report.report(scenario.build(plain(given), 'test')))
    assert 'angular velocity (0, 0, 0.5) rad/s' in text
    energy = 0.5 * (0.007 - 1e-4) * 0.25 + 0.5 * 1e-4 * 100.5**2
    assert (
        f'angular momentum {0.007 * 0.5 + 0.01:.6g} N m s, kinetic energy {energy:.6g} J' in text
    )
    assert 'wheels    z: spin axis (0, 0, 1), 100 rad/s relative to the body' in text
    assert 'inertia 0.0001 kg m^2, largest torque 0.02 N m' in text
    assert 'angular momentum in the wheels (0, 0, 0.01005) N m s' in text
    assert 'orbit     circular, radius 6.778e+06 m, period 5553.' in text
    floor = text.partition('\nfloor     ')[2].split('\n')
    assert floor[0] == 'no uniform gravity: world falls freely along the orbit'
    assert floor[1].strip() == 'no floor'
    assert 'spins about' not in text


@pytest.mark.parametrize(
    'name', [n for n, path in scenario.shipped().items() if '/contact' not in path.read_text()]
)
def test_every_shipped_scenario_in_free_space_is_reported(name):
    from spacecraft_attitude_sim.configuration import scenario_report

    found = scenario.load(scenario.find(name))
    text = '\n'.join(scenario_report.report(found))
    assert f'mass {found.plant.body.mass:.6g} kg' in text
    assert ('attitude_controller, mode' in text) == (found.controller is not None)


def test_check_of_a_body_on_a_floor_waits_for_no_compiler(command, tmp_path):
    said = printed(command, 'check', 'tippe_top')
    assert 'mode coulomb, friction 0.05' in said
    assert 'at the start: slipping' in said


def test_check_refuses_what_run_refuses(command, tmp_path):
    path = tmp_path / 'wrong.yaml'
    path.write_text(
        '/**/simulator: {ros__parameters: {body: {mass: 1, inertia: [1, 1.0, 3]}, initial: '
        '{angular_velocity: [0, 0, 0]}}}'
    )
    done = run(command, 'check', path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert 'more than the sum 2' in done.stderr


# --- run ----------------------------------------------------------------------------------------


def test_rate_record_of_an_exponential_decay():
    """exp(-t/T) falls below 2 % of the first after T ln 50; the impulse of k exp(-t/T) is k T."""
    record, T = RateRecord(), 3.0
    for tick in range(1000):
        time = tick * TICK_SECONDS
        decay = math.exp(-time / T)
        record.add(time, np.array((0.0, decay, 0.0)), np.array((0.2 * decay, 0.0, 0.0)), tick > 0)
    assert record.unsettled == pytest.approx(T * math.log(50.0), abs=TICK_SECONDS)
    assert record.settled
    assert record.torque_impulse == pytest.approx(0.2 * T, rel=0.01)  # a sum for an integral
    assert record.largest_torque == 0.2
    record.add(50.0, np.array((0.0, 1.0, 0.0)), np.zeros(3), False)
    assert not record.settled


def test_summary_fits_a_run_under_somebody_elses_controller(command, domain):
    from conftest import ROOT

    damping = ROOT / 'examples' / 'rate_damping.py'
    arguments = ('run', 'tennis_racket', '-p', 'lockstep:=true', '--rate', '0', '--duration', '40')
    with process(sys.executable, str(damping)):
        done = run(command, *arguments)
    assert done.returncode == 0, done.stderr
    assert re.search(r'rate settled +after \d', done.stdout)
    assert 'flips' not in done.stdout
    (end,) = [line for line in done.stdout.splitlines() if 'rate at the end' in line]
    # 458 deg/s at first, damped with I / gain = 0.6 to 2.1 s.
    final, largest = numbers(end)
    assert final < 1e-3
    assert largest == pytest.approx(458.4, rel=0.01)


def test_check_says_that_commands_without_a_timeout_do_not_end():
    from spacecraft_attitude_sim.configuration import scenario_report

    lines = scenario_report.report(scenario.build({'command_timeout': 0.0}, 'test'))
    assert 'a command is held for ever' in lines[-1]
    lines = scenario_report.report(scenario.build({'command_timeout': 0.5}, 'test'))
    assert 'a command is held for 0.5 s' in lines[-1]
