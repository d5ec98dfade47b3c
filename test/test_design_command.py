# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""attitude-sim design: what it prints and writes, and what it refuses."""

import json
import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from processes import printed, run
from scipy.io import loadmat
from scipy.spatial.transform import Rotation
from test_design_margins import scenario

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import linear_case
from spacecraft_attitude_sim.core.design.margins import Margins
from spacecraft_attitude_sim.core.design.vibrations import (
    BODY,
    GAIN,
    PHASE,
    Stabilised,
    Vibration,
)
from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH
from spacecraft_attitude_sim.drawing import design_report
from spacecraft_attitude_sim.recording import design_file


def refused(*arguments):
    """Return the line that refuses a command."""
    done = run('attitude-sim', 'design', *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    return done.stderr


def test_it_prints_the_margins_that_python_returns():
    text = printed('attitude-sim', 'design', 'cubesat_pointing', '--delay', 0.5)
    found = sas.design('cubesat_pointing', delay=0.5)
    assert text.strip() == str(found)
    row = next(line for line in text.splitlines() if line.startswith('phase margin'))
    assert row.split()[-3:] == [f'{one.phase_deg:.4g}' for one in found.margins]
    assert 'the closed loop is stable' in text
    only = printed('attitude-sim', 'design', 'cubesat_pointing', '--delay', 0.5, '--axis', 'y')
    assert f'phase margin [deg]  {found.margins[1].phase_deg:19.4g}' in only


def test_it_names_modes_and_what_stabilises_them():
    lines = str(sas.design(scenario(), delay=0.05)).splitlines()
    (bend,) = (line for line in lines if line.startswith('flexible_mode.bend'))
    assert bend.split()[1:3] == ['0.3', '0.3621']
    assert bend.endswith('stabilised by phase')


def test_it_writes_the_model_and_figures(tmp_path):
    pytest.importorskip('control')
    folder = tmp_path / 'design'
    arguments = ['attitude-sim', 'design', 'air_bearing_wheels', '--linear-only', '-o', folder]
    arguments += ['--axis', 'y']
    names = ['model.json', 'model.mat', 'bode.png', 'nichols.png']
    assert printed(*arguments).splitlines()[-4:] == [str(folder / name) for name in names]
    for name in names[2:]:
        with Image.open(folder / name) as picture:
            assert picture.size == (1170, 910)
    found = sas.design('air_bearing_wheels', linear_only=True)
    kept = json.loads((folder / 'model.json').read_text())
    assert kept['format'].endswith('version 1')
    assert kept['margins']['y']['phase'] == found.margins[1].phase
    assert kept['margins']['y']['gain_down'] == 0.0
    assert kept['law']['outputs'] == [f'wheel.w{k}.torque [N m]' for k in (1, 2, 3, 4)]
    assert len(kept['left_out']) == 5
    matlab = loadmat(folder / 'model.mat', simplify_cells=True)
    for key, system in (('plant', found.plant.system), ('closed_loop', found.loop.closed)):
        for matrix in 'ABCD':
            assert kept[key][matrix] == getattr(system, matrix).tolist()
            assert np.array_equal(matlab[key][matrix], getattr(system, matrix))
        assert kept[key]['states'] == [*system.states]
    assert 'exists already' in refused(*arguments[2:])


def test_figures_without_python_control_are_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'control', None)
    error = refused('cubesat_pointing', '-o', tmp_path / 'none')
    assert error.count('\n') == 1
    assert 'this needs control, which is not installed' in error
    assert "'.[design]'" in error
    assert not (tmp_path / 'none').exists()
    done = printed('attitude-sim', 'design', 'cubesat_pointing', '--no-figures', '-o', tmp_path)
    assert done.splitlines()[-1] == str(tmp_path / 'model.mat')


# --- what is not linear ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('tennis_racket', 'has no attitude_controller'),
        ('fast_tumbler', 'mode of the attitude_controller is detumbling'),
        ('thruster_limit_cycle', 'thruster.roll_up.period: pulses'),
        ('air_bearing_wheels', 'wheel.w1.friction: Coulomb friction at 0 rad/s'),
        ('cubesat_3u_leo', 'attitude_controller.desaturation_rate'),
        ('cubesat_wheel_stuck', 'fault.worn: a fault in flight'),
        ('cubesat_3u_mission', 'attitude_estimator: its gains change with time'),
    ],
)
def test_what_is_not_linear_is_refused_by_name(name, words):
    assert words in refused(name)


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'hysteresis_rods': ['iron']}, 'hysteresis_rod.iron: hysteresis'),
        (
            {'panels': ['left'], 'panel.left.center': [0.0, 1.0, 0.0], 'panel.left.mass': 1.0,
             'panel.left.size': [0.1, 0.4, 0.01], 'panel.left.release_time': 9.0},
            'panel.left.release_time: the panel is released at 9 s',
        ),
        (
            {'panels': ['left'], 'panel.left.center': [0.0, 1.0, 0.0], 'panel.left.mass': 1.0,
             'panel.left.size': [0.1, 0.4, 0.01], 'panel.left.latch_angle': [1.0]},
            'panel.left.latch_angle: a latch',
        ),
        ({'wheel.x.friction.coulomb': 1e-3}, 'wheel.x.friction: Coulomb friction at 0 rad/s'),
        (
            {'wheel.x.max_speed': 50.0, 'wheel.x.initial_speed': 50.0},
            'wheel.x.initial_speed is its max_speed',
        ),
        (
            {'attitude_controller.reference.angular_velocity': [0.0, 0.1, 0.0]},
            'the reference turns at 0.1 rad/s, and not with an orbit',
        ),
        ({'imu.gyroscope.bandwidth': [40.0]}, 'imu.gyroscope.bandwidth: a filter'),
    ],
)  # fmt: skip
def test_parts_that_are_not_linear_are_refused_by_name(changes, words):
    with pytest.raises(sas.ScenarioError, match=words):
        sas.design(scenario(**changes))


def test_a_reference_that_turns_with_its_orbit_is_linear_by_its_rate_in_world_axes():
    """Its axes are turned: y of the reference is along z of world, where the orbit's normal is."""
    rate = math.sqrt(EARTH / 7.0e6**3)
    turning = {
        'orbit.radius': 7.0e6, 'orbit.start': [1.0, 0.0, 0.0],
        'attitude_controller.reference.attitude': [0.5, 0.5, 0.5, 0.5],
        'attitude_controller.reference.angular_velocity': [0.0, rate, 0.0],
    }  # fmt: skip
    found = sas.design(scenario(**turning, **{'orbit.normal': [0.0, 0.0, 1.0]}))
    still = sas.design(scenario())
    assert found.poles != pytest.approx(still.poles, rel=1e-9)
    # At a time it has turned about its own axis, which is fixed in both.
    plant = scenario(**turning, **{'orbit.normal': [0.0, 0.0, 1.0]})
    q_WR, omega_R = linear_case._reference(plant, plant.controller, 'pointing', 300.0, 'x')
    turn = Rotation.from_rotvec((0.0, 0.0, 300.0 * rate)) * Rotation.from_quat([0.5] * 4)
    assert (Rotation.from_quat(np.roll(q_WR, -1)).inv() * turn).magnitude() < 1e-12
    assert omega_R.tolist() == [0.0, rate, 0.0]
    across = turning | {'orbit.start': [0.0, 0.0, 1.0], 'orbit.normal': [0.0, 1.0, 0.0]}
    with pytest.raises(sas.ScenarioError, match='turns at .* rad/s, and not with an orbit'):
        sas.design(scenario(**across))


def test_the_file_of_a_design_has_the_dead_time_of_each_command():
    found = sas.design(scenario(**{'wheel.y.dead_time': 0.13, 'wheel.z.dead_time': 0.02}))
    told = design_file.contents(found, 'x')
    assert told['law']['outputs'] == [f'wheel.{name}.torque [N m]' for name in 'xyz']
    assert told['actuator_delays'] == [0.0, 0.13, 0.02]


def test_thrusters_that_push_unevenly_are_refused():
    """Proportional ones fly, but for one that gives less torque than its opposite."""
    names = sas.load('thruster_limit_cycle').parameters['thrusters']
    even = {f'thruster.{name}.period': 0.0 for name in names}
    found = sas.design('thruster_limit_cycle', even)
    assert found.left_out == ('limits of torque, rate, speed and power',)
    assert found.margins[0].crossover == pytest.approx(0.473, rel=1e-3)
    said = 'opposite ones give forces or torques that are'
    uneven = even | {'thruster.yaw_up.position': [-0.05, 0.0, 0.0]}
    with pytest.raises(sas.ScenarioError, match=said):
        sas.design('thruster_limit_cycle', uneven)
    # Two that push the same way, for opposite torques: a mass inside feels it.
    pushed = even | {
        'thruster.roll_down.position': [0.0, -0.1, 0.0],
        'thruster.roll_down.direction': [0.0, 0.0, 1.0],
    }
    ball = {
        'sliding_masses': ['ball'], 'sliding_mass.ball.axis': [1.0, 0.0, 0.0],
        'sliding_mass.ball.mass': 0.1, 'sliding_mass.ball.stiffness': 1.0,
    }  # fmt: skip
    for changes in (pushed, even | ball):
        assert sas.design('thruster_limit_cycle', changes).stable
    with pytest.raises(sas.ScenarioError, match=said):
        sas.design('thruster_limit_cycle', pushed | ball)
    slow = even | {'thruster.yaw_up.rise_time': 0.1}
    with pytest.raises(sas.ScenarioError, match='thruster.yaw_up.rise_time: differs from fall'):
        sas.design('thruster_limit_cycle', slow)


def test_what_is_left_out_is_told():
    found = sas.design(scenario(**{'wheel.x.friction.coulomb': 1e-3}), linear_only=True)
    assert found.left_out[0].startswith('wheel.x.friction: Coulomb friction at 0 rad/s')
    assert found.left_out[0] in str(found)
    turning = scenario(**{'wheel.x.friction.coulomb': 1e-3, 'wheel.x.initial_speed': 30.0})
    assert sas.design(turning).left_out == ('limits of torque, rate, speed and power',)


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (('--delay', '-1'), 'delay is -1.0 s'),
        (('--delay', '1000'), 'delay is 1000.0 s; give 0 to 8 s, 256 intervals of the IMU'),
        (('--time', 'nan'), 'time is nan s; give 0 to 2147483647 s'),
        (('--time', '1e308'), 'time is 1e+308 s; give 0 to 2147483647 s'),
        (('-p', 'attitude_controller:controller_delay:=9.0'), 'give 0 to 8 s'),
        (('--acceleration', '1,2'), "--acceleration is '1,2'; give three numbers"),
        (('--axis', 'w'), "no 'w'"),
        (('-p', 'attitude_controller:mode:=idle'), 'mode of the attitude_controller is idle'),
        (('--namespace', 'sat1'), 'choose one by --namespace'),
    ],
)
def test_wrong_arguments_are_refused(arguments, words):
    assert words in refused('cubesat_pointing', *arguments)


def test_every_number_of_the_report_is_in_its_place():
    """A design of invented numbers: each row has its own, in its unit."""
    of_x = Margins((), (), 1.5, 2.0, 0.5, 0.5, 1.25, 0.75, 1.1, 10.0, 2.5, 3.5)
    of_y = of_x._replace(gain_up=math.inf, gain_down=0.0, bandwidth=math.nan, delay=123.44)
    bending = Vibration('panel', 2.0 * math.pi, 0.01, 3.0 * math.pi, 0.0125, 1)
    nodding = Vibration(BODY, math.nan, math.nan, 40.0, 0.5, 0)
    design = SimpleNamespace(
        case=SimpleNamespace(
            period=0.1, delay=0.2, asked_delay=0.15, latency=0.0, point=SimpleNamespace(time=3.0),
            left_out=('friction',),
        ),
        loop=SimpleNamespace(law=SimpleNamespace(commands=('torque x', 'torque y'))),
        plant=SimpleNamespace(system=SimpleNamespace(states=range(9))),
        stable=False, margins=(of_x, of_y, of_x),
        poles=np.array((-0.6 + 0.8j, -0.6 - 0.8j, -5.0, 0.1, -0.6 + 0.8j)),
        vibrations=(
            Stabilised(bending, 0.1, 9.4, GAIN), Stabilised(nodding, 10.0, 22.8, PHASE),
        ),
    )  # fmt: skip
    told = design_report.text(design, 'mine', 'xy').splitlines()
    assert [' '.join(line.split()) for line in told] == [
        'mine: linear about the reference at 3 s, sampled every 0.1 s, delay 0.2 s: '
        'controller_delay 0.15 s in whole intervals, as it flies; --delay 0.15 is exact',
        '9 states; commands: torque x, torque y',
        'the closed loop is UNSTABLE',
        '',
        'loop of axis x y',
        'crossover [rad/s] 1.5 1.5',
        'gain margin, up [dB] 6.021 any',
        'gain margin, down [dB] -6.021 any',
        'phase margin [deg] 28.65 28.65',
        'at [rad/s] 1.25 1.25',
        'delay margin [s] 0.75 123.4',
        'peak sensitivity [dB] 20 20',
        'at [rad/s] 2.5 2.5',
        'bandwidth [rad/s] 3.5 -',
        '',
        'poles of the closed loop [rad/s] damping ratio',
        '0.1 -1',
        '1 0.6 (2 times)',
        '5 1',
        '',
        'vibrations without control hub held free damping axis peak',
        '[Hz] [Hz] ratio [dB]',
        'panel 1 1.5 0.0125 y -20.0 stabilised by gain',
        f'{BODY} - 6.366 0.5 x 20.0, seen at 3.629 Hz',
        '',
        'not in the linear model:',
        'friction',
    ]
