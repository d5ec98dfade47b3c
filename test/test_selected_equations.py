# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter `equations`: chosen, refused, resimulated, failing, and its sub-steps capped."""

import contextlib
import subprocess

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core import equations, simulation
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.recording import history

BODY = RigidBody(1.0, np.diag((1.0, 2.0, 2.5)))


def state_at(rate):
    """Return the State of BODY spinning about a skew axis [rad/s]."""
    omega = np.array((0.6, 0.64, 0.48)) * rate
    return BODY.state(np.zeros(3), (1, 0, 0, 0), np.zeros(3), omega)


@pytest.mark.parametrize('name', equations.REGISTRY)
def test_step_and_trajectory_use_the_equations_of_the_plant(name):
    plant = simulation.plant_of(BODY, np.zeros(3), 1, name)
    expected = equations.load(name).advance(
        to_flat(state_at(1.0)), BODY.flat(), np.zeros(12), TICK_SECONDS, 1
    )
    assert to_flat(simulation.step(plant, state_at(1.0))).tobytes() == expected.tobytes()
    assert simulation.trajectory(plant, state_at(1.0), 1)[1].tobytes() == expected.tobytes()


def test_scenario_chooses_the_equations_and_keeps_them_when_dumped():
    found = scenario.build({'equations': 'euler_dcm'}, 'test')
    assert found.plant.equations == 'euler_dcm'
    assert scenario.parse(scenario.dump(found), 'test').plant.equations == 'euler_dcm'
    assert scenario.build({}, 'test').plant.equations == 'momentum'


def test_unknown_equations_are_answered_with_the_known_ones():
    with pytest.raises(scenario.ScenarioError, match="equations is 'rk4'; choose one of momentum"):
        scenario.build({'equations': 'rk4'}, 'test')


def test_equations_that_fail_say_which_when_and_what_to_do():
    found = scenario.load(scenario.find('tennis_racket'))
    plant = found.plant.with_equations('lagrange')
    instant = simulation.Instant(0, found.initial)
    message = "'lagrange' end at t = 0.1875 s: gimbal lock.*choose equations that carry a quat"
    with pytest.raises(simulation.MotionError, match=message):
        for _ in range(8):
            instant = simulation.next_instant(plant, instant, simulation.Inputs())
    assert instant.tick == 6


# --- cap on automatic sub-steps ------------------------------------------------------------------


@pytest.mark.parametrize('rate', [1e6, 1e100, 1e300])
@pytest.mark.parametrize('name', ['momentum', 'exact_kick4', 'euler_quaternion'])
def test_no_rate_makes_a_tick_take_for_ever(name, rate):
    # One tick of MOST_STEPS is some 0.1 s at most; without the cap 1e300 overflows the count.
    plant = simulation.plant_of(BODY, np.zeros(3), 0, name)
    torque = np.concatenate((np.zeros(3), (1e-3, 0.0, 0.0), np.zeros(6)))
    with contextlib.suppress(ArithmeticError):  # what no sub-step resolves ends; at once
        simulation.step(plant, state_at(rate), simulation.Inputs(torque))
    assert simulation.under_resolved(plant, state_at(rate), torque)
    assert not simulation.under_resolved(plant.with_substeps(1), state_at(rate), torque)


def test_a_huge_torque_is_under_resolved_and_an_ordinary_one_not():
    plant = simulation.plant_of(BODY, np.zeros(3))
    for size, expected in ((1.0, False), (1e3, False), (1e9, True), (1e300, True)):
        torque = np.concatenate((np.zeros(9), (size, 0.0, 0.0)))
        assert simulation.under_resolved(plant, state_at(1.0), torque) == expected


def test_every_rate_a_scenario_may_start_with_is_resolved():
    plant = simulation.plant_of(RigidBody(1.0, np.eye(3)), np.zeros(3))
    omega = np.array((1e4, 1e4, 0.0))
    state = plant.body.state(np.zeros(3), (1, 0, 0, 0), np.zeros(3), omega)
    assert not simulation.under_resolved(plant, state)


def test_exact_motion_is_never_under_resolved_without_torque():
    plant = simulation.plant_of(BODY, np.zeros(3), 0, 'exact_kick4')
    assert not simulation.under_resolved(plant, state_at(1e6))
    assert simulation.under_resolved(plant.with_equations('momentum'), state_at(1e6))


# --- nodes --------------------------------------------------------------------------------------


@pytest.mark.parametrize('name', [n for n in equations.REGISTRY if n != 'momentum'])
def test_a_bag_is_computed_again_bit_for_bit(ros, tmp_path, name):
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.runs import replay

    node = ros.simulator(
        {'equations': name, 'real_time_factor': 0.0, 'duration': 0.15}, autostart=False
    )
    recorder = ros.add(RecorderNode(folder=tmp_path / 'bag'))
    ros.until(recorder.ready)
    ros.until(lambda: all(p.get_subscription_count() for p in node.streams))
    node.driver.start()
    ros.until(lambda: min(recorder.counts[p.topic_name] for p in node.streams) == 6)
    ros.until(lambda: recorder.counts['/scenario'] == 1)
    recorder.finish()
    verdict = replay.resimulate(tmp_path / 'bag')
    assert not verdict.difference
    assert verdict.identical == verdict.compared == 6 * len(node.streams)


def test_a_node_whose_equations_fail_stops_reports_it_and_can_be_reset(ros):
    node = ros.simulator({'equations': 'lagrange', 'real_time_factor': 0.0}, autostart=False)
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    node.driver.start()
    ros.until(lambda: node.finished)
    assert node.instant.tick == 6
    assert 'gimbal lock' in node.failure
    ros.until(lambda: any(r.status[0].level == DiagnosticStatus.ERROR for r in reports))
    assert 'gimbal lock' in reports[-1].status[0].message
    node.driver.pause()
    node.driver.reset()
    assert (node.failure, node.finished, node.instant.tick) == ('', False, 7)
    node.driver.step(6)
    answer = ros.call(Trigger, '/simulator/step')
    assert not answer.success
    assert 'gimbal lock' in answer.message


def test_a_motion_that_begins_under_resolved_is_refused(ros):
    fast = {'body.inertia': [1.0, 1.0, 1.0], 'initial.angular_velocity': [1e4, 1e4, 1e4]}
    with pytest.raises(ScenarioError, match='resolve 4096 rad/s'):
        ros.simulator({**fast, 'equations': 'principal_axis_euler'})


def test_run_ends_with_one_line_and_everything_whole(command, domain, tmp_path):
    table, bag = tmp_path / 'run.csv', tmp_path / 'bag'
    done = subprocess.run(
        [command, 'run', 'tennis_racket', '--rate', '0', '-p', 'equations:=lagrange',
         '--csv', table, '--record', bag],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert 'Traceback' not in done.stderr
    (said,) = [line for line in done.stderr.splitlines() if 'gimbal lock' in line]
    assert said.startswith("attitude-sim: equations 'lagrange' end at t = 0.1875 s")
    for source in (table, bag):
        assert len(history.read(source)[0].time) == 7


def test_a_bare_node_logs_it_and_ends(command, domain):
    done = subprocess.run(
        [command, 'node', 'simulator', '--ros-args', '-p', 'equations:=lagrange',
         '-p', 'real_time_factor:=0.0'],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert 'Traceback' not in done.stderr
    assert "equations 'lagrange' end at t = 0.1875 s" in done.stderr
