# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a simulator in another process: forced by parameter, told, recorded, the same bits."""

import json

import bags
import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from processes import printed
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from remote import Remote
from ros_helpers import PATIENCE, process
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics.rotations import angle_between
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.nodes.ros import conversions, qos

SCENARIO = 'cubesat_wheel_stuck'
CHANGES = {
    'lockstep': False, 'magnetometer.enabled': True, 'magnetic_field': [1e-5, 2e-5, 3e-5],
    'faults': ['worn', 'seized', 'deaf', 'liar'], 'fault.worn.at': 0.125,
    'fault.deaf.component': 'magnetometer', 'fault.deaf.kind': 'silent',
    'fault.liar.component': 'wheel.w2', 'fault.liar.kind': 'tachometer', 'fault.liar.at': 0.25,
}  # fmt: skip
# {fault: (ticks at which it is forced on and let go)}
FORCED = {'seized': (6, 14), 'deaf': (10, 18)}
TICKS = 24


@pytest.fixture(scope='module')
def flight():
    """The flight in Python, and for each tick: how long each fault has acted; what was new."""
    sections = scenario.read(scenario.find(SCENARIO))
    sections['simulator'].update(CHANGES)
    del sections['attitude_controller']
    flown, ages, new = Flight(scenario.of_sections(sections, 'test'), None), [], []
    for tick in range(TICKS):
        for name, (begin, end) in FORCED.items():
            if tick in (begin, end):
                flown.faults.forced[name] = 'now' if tick == begin else 'never'
        flown.step()
        ages.append(flown.instant.inputs.faults)
        new.append('magnetometer' in flown.readings.new)
    return flown, np.array(ages), new


def test_a_simulator_breaks_what_it_is_told_to_and_its_recording_repeats_it(
    ros, command, tmp_path, flight
):
    flown, ages, new = flight
    bag = tmp_path / 'bag'
    options = ['--no-controller', '--no-markers', '--rate', 0, '--record', bag]
    options += ['--duration', (TICKS + 1) / 32]
    for name, value in (CHANGES | {'start_paused': True}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value).replace("'", '')
        options += ['-p', f'{name}:={text}']
    remote = Remote(ros)
    states = ros.listen(DiagnosticArray, 'ground_truth/faults', qos.LATCHED)
    joints = ros.listen(JointState, 'joint_states')
    with process(command, 'run', SCENARIO, *map(str, options)) as child:
        remote.wait_for_start()
        ros.until(lambda: states and joints)
        start = remote.time // flown.scenario.plant.ticks.tick_ns
        changes, acting = 0, [False] * ages.shape[1]
        for tick in range(TICKS):
            for name, (begin, end) in FORCED.items():
                if tick in (begin, end):
                    remote.set(f'fault.{name}.force', 'now' if tick == begin else 'never')
            remote.step()
            changes += bool((ages[tick] > 0.0).tolist() != acting)
            acting = (ages[tick] > 0.0).tolist()
            ros.until(lambda count=changes: len(states) == 1 + count)
        ros.until(lambda: joints[-1].header.stamp == remote.odometry[-1].header.stamp)
        said = remote.said()
        assert 'seized' not in said['faults that act']
        assert said['faults that act'].startswith('worn (wheel.w4 friction 10) for ')
        assert said['magnetometer'].endswith('a fault: 8')
        wrong = Parameter('fault.worn.force', value='perhaps').to_parameter_msg()
        request = SetParameters.Request(parameters=[wrong])
        (result,) = ros.call(SetParameters, '/simulator/set_parameters', request).results
        assert not result.successful
        assert 'as planned' in result.reason
        seen = remote.omega_B, joints[-1].velocity
        assert ros.call(Trigger, '/simulator/step').success  # the last tick of the run
        assert child.wait(timeout=PATIENCE) == 0, child.stderr.read()
    omega_B = flown.scenario.plant.spacecraft.angular_velocity_B(flown.instant.state)
    assert np.array_equal(seen[0], omega_B)
    assert np.array_equal(seen[1], flown.readings.wheel_speed)
    assert ages.any(axis=0).all()
    assert sum(new) == TICKS - 8
    told = [{one.name: one.level for one in message.status} for message in states]
    broken = [
        [name for name, level in one.items() if level != DiagnosticStatus.OK] for one in told
    ]
    assert broken == [
        [], ['worn'], ['worn', 'seized'], ['worn', 'seized', 'liar'],
        ['worn', 'seized', 'deaf', 'liar'], ['worn', 'deaf', 'liar'], ['worn', 'liar'],
    ]  # fmt: skip
    stamps = [conversions.nanoseconds_from_ros(one.header.stamp) for one in states]
    step = flown.scenario.plant.ticks.tick_ns
    assert stamps[0] == 0
    assert [stamp // step - start for stamp in stamps[1:]] == [5, 7, 9, 11, 15, 19]
    assert {one.hardware_id for one in states[-1].status} == {
        'wheel.w4',
        'magnetometer',
        'wheel.w2',
    }
    assert states[2].status[1].message == 'wheel.w4 stuck 0.02'
    assert printed(command, 'replay', bag, '--resimulate').startswith('identical: ')


def test_a_loop_of_estimator_mission_and_controller_lives_through_a_silent_imu(command, tmp_path):
    """In lockstep: a reading that a fault keeps back is not waited for, and then all go on.

    So does one that comes late, or twice.
    """
    given = {
        'faults': ['mute', 'deaf', 'slow', 'twin', 'slower'],
        'fault.slow.component': 'imu', 'fault.slow.kind': 'late', 'fault.slow.value': [0.8],
        'fault.slow.at': 7.0, 'fault.slow.duration': 2.0,
        'fault.twin.component': 'imu', 'fault.twin.kind': 'doubled', 'fault.twin.value': [1.0],
        'fault.twin.at': 0.0, 'fault.slower.component': 'magnetometer',
        'fault.slower.kind': 'late', 'fault.slower.value': [1.1], 'fault.slower.at': 1.0,
        'fault.slower.duration': 1.5, 'fault.mute.component': 'imu', 'fault.mute.kind': 'silent',
        'fault.mute.at': 3.0, 'fault.mute.duration': 2.0, 'fault.deaf.kind': 'lost',
        'fault.deaf.component': 'magnetometer', 'fault.deaf.at': 6.0,
    }  # fmt: skip
    options = [t for k, v in given.items() for t in ('-p', f'{k}:={json.dumps(v)}')]
    bag, seconds = tmp_path / 'bag', 12
    said = printed(
        command, 'run', 'cubesat_3u_mission', '--rate', 0, '--duration', seconds, '--no-markers',
        '--record', bag, *options,
    )  # fmt: skip
    assert '21 of 25 readings; a fault: 4, late: 4, twice: 20' in said
    (told,) = bags.messages(bag, ('/ground_truth/odometry',)).values()
    assert printed(command, 'replay', bag, '--resimulate').startswith('identical: ')
    sections = scenario.read(scenario.find('cubesat_3u_mission'))
    sections['simulator'].update(given)
    flown, rates = Flight(scenario.of_sections(sections, 'test')), []
    for _ in range(2 * seconds):
        before = flown.instant
        flown.step()
        rates.append(flown.scenario.plant.spacecraft.angular_velocity_B(flown.instant.state))
    heard = [conversions.vector3_from_ros(one.twist.twist.angular) for one in told]
    assert np.array_equal(heard[-2 * seconds :], rates)
    # The attitude was found anew, and is as sure as it is right.
    estimate = flown.estimate
    assert estimate is not None and estimate.q_WB is not None
    off = angle_between(estimate.q_WB, before.state.q_WB)
    assert estimate.time_ns == before.stamp  # it is of the instant before the last step
    assert off < 5.0 * np.max(estimate.sigma)
    assert np.max(estimate.sigma) < 0.1
