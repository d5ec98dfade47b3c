# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors whose messages come some ticks after the reading, each with the stamp of its reading."""

import math

import numpy as np
import pytest
import yaml
from processes import printed
from scipy.stats import chi2
from test_late_messages import FIRST, TICKS, Heard, faults

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.nodes.attitude_controller.joints import Joints
from spacecraft_attitude_sim.recording import topics

# {component: (its latency [ticks], its name in Suite.sensors)}
LATENCIES = {
    'imu': (3, 'imu'), 'magnetometer': (4, 'magnetometer'), 'sun_cell.p': (2, 'sun_sensor/p'),
    'sun_sensor.a': (7, 'sun_sensor/a'), 'horizon_sensor': (1, 'horizon_sensor'),
    'gnss': (9, 'gnss'),
}  # fmt: skip
GIVEN = {f'{component}.latency': ticks for component, (ticks, _) in LATENCIES.items()}


@pytest.fixture(scope='module')
def prompt():
    """A flight in which all messages come at once."""
    return Heard()


@pytest.fixture(scope='module')
def slow():
    """The same flight, with a latency of each sensor."""
    return Heard(**GIVEN)


@pytest.mark.parametrize('component', LATENCIES)
def test_each_reading_comes_by_the_latency_later_and_is_the_same(component, prompt, slow):
    latency, name = LATENCIES[component]
    wanted = [(made + latency, made, data) for made, _, data in prompt.came[name]]
    came = [one for one in slow.came[name] if one[1] > 0]  # that of tick 0 is not among the others
    assert came == [one for one in wanted if one[0] < TICKS]
    assert slow.came[name][0][:2] == (latency, 0) or slow.came[name] == came
    assert len(came) >= 5


def test_each_message_has_the_stamp_of_its_reading(prompt, slow):
    own = topics.of_sensors(slow.flight.scenario.sensors)
    latencies = {name: ticks for ticks, name in LATENCIES.values()}
    for name, several in own.items():
        for topic in several:
            late = latencies.get(name, 0)  # a star tracker has a latency already
            wanted = [(t + late, data) for t, data in prompt.messages[topic] if t + late < TICKS]
            assert [one for one in slow.messages[topic] if one[0] > late] == wanted, topic


def test_nothing_is_counted_as_late_or_missing(slow):
    texts, read = slow.tally.texts(), slow.flight.readings
    assert 'imu' not in texts and slow.tally.silent() == {}
    assert read.late_by('imu') == 3 * read.step


def test_before_the_first_reading_nothing_is_known():
    flight = Flight(scenario.build({'imu.latency': 2}, 'test'), None)
    known = []
    for _ in range(3):
        known.append(('imu' in flight.readings.new, np.isfinite(flight.readings.attitude).all()))
        flight.step()
    assert known == [(False, False), (False, False), (True, True)]


def test_a_fault_adds_its_delay_and_what_it_loses_is_missing():
    own = faults('late', [0.07], components=['imu'])
    came = Heard(**own, **{'imu.latency': 3}).came['imu']
    added = [(tick, made) for tick, made, _ in came if tick != made + 3]
    assert added == [(made + 6, made) for made in range(FIRST, FIRST + 32)]
    mute = {'faults': ['m'], 'fault.m.component': 'imu', 'fault.m.kind': 'silent'}
    mute |= {'fault.m.at': 0.5, 'fault.m.duration': 0.25, 'imu.latency': 3}
    assert (
        Heard(**mute).tally.texts()['imu'] == f'{TICKS - 11} of {TICKS - 3} readings; a fault: 8'
    )


# --- the loop ------------------------------------------------------------------------------------

INERTIA = [0.01, 0.012, 0.015]
ANGLE = 1e-6  # small: what is not linear is 1e-6 of it
STEP = 1 / 32


def pointing(latency):
    """Return the sections of a body that turns to its target about x, a principal axis."""
    return {
        'simulator': {
            'body.inertia': INERTIA, 'initial.attitude': [1.0, 0.5 * ANGLE, 0.0, 0.0],
            'initial.angular_velocity': [0.0, 0.0, 0.0], 'lockstep': True,
            'imu.latency': latency,
        },
        'attitude_controller': {
            'inertia': INERTIA, 'bandwidth': 0.3, 'damping_ratio': 0.8, 'imu_timeout': 10.0,
        },
    }  # fmt: skip


def angles(latency, ticks):
    """Return the angle about x at each tick of a flight."""
    flight, turned = sas.Simulation(pointing(latency)), []
    for _ in range(ticks):
        turned.append(2.0 * flight.instant.state.q_WB[1])
        flight.step()
    return np.array(turned)


def by_hand(latency, ticks):
    """Return the same of the textbook: an integrator of u held for a step, twice.

    u = -(2 ζ ω rate + ω² angle) of `latency` ticks before, 0 before the first.
    """
    damping, stiffness = 2.0 * 0.8 * 0.3, 0.3**2
    angle, rate, known, turned = ANGLE, 0.0, [], []
    for tick in range(ticks):
        turned.append(angle)
        known.append(-(damping * rate + stiffness * angle))
        u = known[tick - latency] if tick >= latency else 0.0
        angle, rate = angle + STEP * rate + 0.5 * STEP**2 * u, rate + STEP * u
    return np.array(turned)


@pytest.mark.parametrize('latency', [0, 5, 40])
def test_the_loop_turns_as_a_double_integrator_with_that_delay(latency):
    # Rounding of q near 1 gives angles to 2e-16, and the sense of small turns 1e-6 of them.
    assert np.abs(angles(latency, 320) - by_hand(latency, 320)).max() < 1e-5 * ANGLE


def test_the_design_tells_with_which_latency_the_loop_is_no_longer_stable():
    prompt = sas.design(pointing(0)).margins[0]
    found = sas.design(pointing(5))
    assert found.case.delay == 5 * STEP
    lost = prompt.crossover * 5 * STEP
    assert found.margins[0].phase == pytest.approx(prompt.phase - lost, abs=1e-9)
    last = math.floor(prompt.delay / STEP)  # 75 ticks
    assert [sas.design(pointing(late)).stable for late in (last, last + 1)] == [True, False]
    # By the poles, so near to the axis, in 100 s: by hand, as the flight is above.
    swing = [np.abs(by_hand(late, 32000)[-3200:]).max() for late in (last, last + 1)]
    assert swing[0] < ANGLE < swing[1]


def test_the_design_adds_the_delay_of_the_controller():
    changes = {'imu.latency': 3, 'attitude_controller.controller_delay': 0.05}
    said = str(sas.design('cubesat_pointing', changes))
    assert 'delay 0.15625 s: controller_delay 0.05 s in whole intervals, as it flies, and ' in said
    assert 'imu.latency 0.09375 s; --delay 0.14375 is exact' in said
    assert sas.design('cubesat_pointing', {'imu.latency': 3}).case.delay == 0.09375


# --- on board ------------------------------------------------------------------------------------


def cubesat(**given):
    """Return the sections of cubesat_3u_leo that points to the nadir, with its estimator."""
    sections = scenario.read(scenario.find('cubesat_3u_leo'))
    own = sections['attitude_controller']
    own |= {'mode': 'nadir_pointing', 'imu_timeout': 3.0}
    sections['attitude_controller'] = {k: v for k, v in own.items() if 'schedule' not in k}
    slow = {'initial.frame': 'lvlh', 'initial.angular_velocity': [0.03, 0.02, -0.01]}
    sections['simulator'] |= slow | given
    return scenario.with_estimator(sections, 'test')


def test_an_estimator_is_right_of_the_time_of_late_readings():
    flight = Flight(scenario.of_sections(cubesat(**{'imu.latency': 4}), 'test'))
    states, nees, off = [], [], []
    for _ in range(120):
        states.append(flight.instant.state.q_WB)
        flight.step()
        estimate = flight.estimate
        if estimate is None or estimate.q_WB is None:
            continue
        made = estimate.time_ns // flight.scenario.plant.ticks.tick_ns
        assert made == len(states) - 1 - 4
        weight = np.linalg.inv(estimate.covariance[:3, :3])
        errors = []
        for q_WB in (states[made], states[-1]):
            q = rotations.compose(rotations.conjugate(estimate.q_WB), q_WB)
            error_B = 2.0 * np.copysign(1.0, q[0]) * q[1:]
            errors.append(error_B @ weight @ error_B)
        nees.append(errors[0])
        off.append(errors[1])
    # A chance of one in a million for each instant; the attitude of now is far beyond that.
    assert len(nees) > 100 and max(nees[10:]) < chi2.isf(1e-6, 3) < max(off[10:])


def test_a_run_in_lockstep_flies_as_in_python_and_again_from_its_bag(command, tmp_path):
    """Wheels answer an IMU of 2 ticks, dipoles a magnetometer of 3, through real messages."""
    sections = cubesat(**{'imu.latency': 2, 'magnetometer.latency': 3, 'gnss.latency': 1})
    own = {f'/**/{node}': {'ros__parameters': values} for node, values in sections.items()}
    path, bag = tmp_path / 'late.yaml', tmp_path / 'bag'
    path.write_text(yaml.safe_dump(own))
    flight = ('--rate', 0, '--duration', 8, '--no-markers', '--csv', tmp_path / 'run.csv')
    # A command that does not come pauses the run, which then waits for ever.
    printed(command, 'run', path, *flight, '--record', bag, longest=60.0)
    sas.simulate(path, duration=8).to_csv(tmp_path / 'python.csv')
    assert (tmp_path / 'run.csv').read_bytes() == (tmp_path / 'python.csv').read_bytes()
    assert printed(command, 'replay', bag, '--resimulate').startswith('identical: ')


def test_joint_states_are_those_of_the_time_of_the_reading():
    from types import SimpleNamespace

    from sensor_msgs.msg import JointState

    joints = Joints(SimpleNamespace(names=('a',), needs_speeds=True, needs_angles=False))
    for time in (100, 200, 300):
        message = JointState(name=['a'], velocity=[float(time)])
        message.header.stamp.nanosec = time
        joints.take(message)
    assert [joints.at(time) for time in (100, 200, 300, 150)] == [[100], [200], [300], [300]]
    message.header.stamp.nanosec = 100
    joints.take(message)  # of another run
    assert joints.at(200) == [300]


# --- what cannot fly it --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'given', 'wanted'),
    [
        ('cubesat_pointing', {'imu.latency': 3201}, 'give a number from 0 to 3200'),
        ('cubesat_pointing', {'imu.latency': math.nan}, 'give a whole number in ticks'),
        ('cubesat_pointing', {'imu.latency': 9}, 'imu_timeout is 0.25 s, and older data are'),
        (
            'cubesat_pointing',
            {'imu.latency': 8, 'lockstep': False, 'command_timeout': 0.1},
            '0.25 s, but command_timeout is 0.1 s',
        ),
        ('cubesat_3u_mission', {'imu.latency': 1}, 'the mission orders for the present time'),
        ('cubesat_3u_mission', {'magnetometer.latency': 1}, 'fly without mission_modes'),
    ],
)
def test_a_latency_that_no_controller_could_answer_is_refused(name, given, wanted):
    with pytest.raises(sas.ScenarioError, match=wanted) as refused:
        sas.load(name, parameters=given)
    assert '\n' not in str(refused.value)


def test_a_batch_refuses_it_and_a_campaign_flies_it_in_python():
    from spacecraft_attitude_sim.campaigns.laws import NotCompiledError, law_of

    late = sas.load('cubesat_pointing', parameters={'imu.latency': 3})
    with pytest.raises(ValueError, match='imu: has a latency, and a batch hears each reading'):
        sas.Batch([late])
    with pytest.raises(NotCompiledError, match='latency of imu'):
        law_of([late])
