# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The bytes that a simulator publishes hold the numbers of the instant, to the last bit."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, Vector3, Vector3Stamped, WrenchStamped
from plain import plain
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import sensors, simulation, ticks
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.nodes.messages import sensor_messages, tick_messages
from spacecraft_attitude_sim.nodes.messages.spacecraft_messages import SpacecraftMessages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import SerialisedMessage, serialised

TYPES = tick_messages.TYPES | tick_messages.CONTACT_TYPES
WRENCH = np.array((0.1, -0.0, 3e-308, 1e-4, 2e-4, -3e-4, *np.zeros(6)))


def pushed_instant(found):
    """Return an instant that was pushed there."""
    return simulation.next_instant(found.plant, found.first_instant(), simulation.Inputs(WRENCH))


@pytest.mark.parametrize('name', ['cubesat_tumble', 'ellipsoid_rolling'])
def test_every_number_is_that_of_the_instant(name):
    found = scenario.load(scenario.find(name))
    instant = pushed_instant(found)
    settings = tick_messages.Settings(7, 2)
    made = dict(tick_messages.TickMessages(found).of(instant, settings, given=False))
    heard = {topic: deserialize_message(data, TYPES[topic]) for topic, data in made.items()}
    state, body = instant.state, found.plant.body

    def same(message, *parts):
        fields = [getattr(message, name) for name in ('x', 'y', 'z')]
        return np.array(fields).tobytes() == np.concatenate(parts).tobytes()

    for pose in (heard['pose'].pose, heard['ground_truth/odometry'].pose.pose):
        assert same(pose.position, state.position_W)
        assert conversions.quaternion_from_ros(pose.orientation).tobytes() == state.q_WB.tobytes()
    assert same(heard['ground_truth/angular_momentum'].vector, state.angular_momentum_W)
    applied = heard['ground_truth/applied_wrench'].wrench
    assert same(applied.force, instant.applied_B[:3])
    assert same(applied.torque, instant.applied_B[3:])
    twist = heard['ground_truth/odometry'].twist.twist
    q_BW = rotations.conjugate(state.q_WB)
    assert same(twist.linear, rotations.rotate(q_BW, state.momentum_W / body.mass))
    assert same(twist.angular, body.angular_velocity_B(state))
    for imu in (heard['imu/data'], heard['imu/data_raw']):
        assert same(imu.angular_velocity, instant.readings.imu.angular_velocity_S)
        assert same(imu.linear_acceleration, instant.readings.imu.specific_force_S)
    q_WS = conversions.quaternion_from_ros(heard['imu/data'].orientation)
    assert q_WS.tobytes() == instant.readings.imu.q_WS.tobytes()
    recorded = tick_messages.recorded_inputs(instant, settings, False, found.plant.spacecraft)
    inputs = tick_messages.inputs_to_ros(recorded)
    assert heard['ground_truth/inputs'] == inputs
    assert np.signbit(heard['ground_truth/inputs'].data[5])  # -0.0
    if found.plant.contact:
        contact = simulation.contact_at(instant)
        assert same(heard['contact/point'].point, contact.point)
        assert same(heard['contact/wrench'].wrench.force, contact.force)
    stamps = {m.header.stamp.nanosec for m in heard.values() if hasattr(m, 'header')}
    assert stamps == {31_250_000} == {heard['/clock'].clock.nanosec}


def test_a_number_that_does_not_stand_in_the_message_is_named():
    message = PointStamped()
    with pytest.raises(ValueError, match='PointStamped does not hold'):
        SerialisedMessage(message, np.full(3, 0.1).tobytes())


def test_gaps_between_values_are_zero_whatever_was_in_memory():
    header = conversions.header_to_ros(
        7 * ticks.TICK_NS, 'imu_link'
    )  # ends three bytes before the next value
    for _ in range(20):
        made = serialised(PointStamped(header=header))
        end = made.index(b'imu_link\0') + 9
        assert made[end : end + 3] == bytes(3)


def test_what_does_not_change_stays():
    before = conversions.vector3_to_ros((1.5, 2.5, 3.5))
    cut = SerialisedMessage(before, np.float64(2.5).tobytes())
    assert cut.of(np.float64(-7.0).tobytes()) == serialize_message(Vector3(x=1.5, y=-7.0, z=3.5))


FRAMES = {
    'frames.world': 'earth',
    'frames.body': 'bus',
    'frames.imu': 'gyro_box',
    'frames.star_tracker': 'camera',
    'magnetometer.enabled': True,
    'star_tracker.enabled': True,
    'star_tracker.interval': 1,
}


def test_every_message_says_the_frame_its_numbers_are_in():
    """Each frame with a name of its own; a wrench on the body is in body axes."""
    named = scenario.build(FRAMES, 'test', {'place': True, 'frames.contact': 'foot'})
    instant = pushed_instant(named)
    made = dict(
        tick_messages.TickMessages(named).of(instant, tick_messages.Settings(0), given=False)
    )
    heard = {topic: deserialize_message(data, TYPES[topic]) for topic, data in made.items()}
    frames = {t: m.header.frame_id for t, m in heard.items() if hasattr(m, 'header')}
    assert frames == {
        'imu/data': 'gyro_box',
        'imu/data_raw': 'gyro_box',
        'imu/mag': 'gyro_box',
        'star_tracker/attitude': 'camera',
        'pose': 'earth',
        'ground_truth/angular_momentum': 'earth',
        'ground_truth/applied_wrench': 'bus',
        'ground_truth/odometry': 'earth',
        'contact/point': 'earth',
        'contact/wrench': 'foot',
        'tick': 'earth',
    }
    assert heard['ground_truth/odometry'].child_frame_id == 'bus'


def test_sensors_are_fixed_on_the_body_as_they_are_mounted():
    turned, tilted = ([0.5, 0.5, -0.5, 0.5], [0.5, 0.5, 0.5, -0.5])
    given = {'imu.position': [0.1, -0.2, 0.3], 'imu.orientation': turned,
             'star_tracker.orientation': tilted}  # fmt: skip
    found = scenario.build(FRAMES | given, 'test')
    imu, tracker = sensor_messages.SensorMessages(found).fixed_transforms()
    for one, frame, place, q in (
        (imu, 'gyro_box', [0.1, -0.2, 0.3], turned),
        (tracker, 'camera', [0.0, 0.0, 0.0], tilted),
    ):
        assert (one.header.frame_id, one.child_frame_id) == ('bus', frame)
        translation = conversions.vector3_from_ros(one.transform.translation)
        assert translation.tolist() == place
        assert conversions.quaternion_from_ros(one.transform.rotation).tolist() == q
    without = scenario.build({'frames.imu': 'gyro_box'}, 'test')
    (alone,) = sensor_messages.SensorMessages(without).fixed_transforms()
    assert alone.child_frame_id == 'gyro_box'


@pytest.mark.parametrize('latency', [0, 1])
def test_a_tick_says_last_what_spoke_and_how_old_that_is(latency):
    found = scenario.build({**FRAMES, 'star_tracker.latency': latency}, 'test')
    instant = pushed_instant(found)
    made = dict(
        tick_messages.TickMessages(found).of(instant, tick_messages.Settings(0), given=False)
    )
    assert list(made)[-1] == 'tick'
    heard = {topic: deserialize_message(data, TYPES[topic]) for topic, data in made.items()}
    (status,) = heard.pop('tick').status
    ages = {value.key: int(value.value) for value in status.values}
    stamps = {t: m.header.stamp for t, m in heard.items() if hasattr(m, 'header')}
    now = ticks.DEFAULT.stamp(instant.tick)
    assert ages == {
        topic: now - conversions.nanoseconds_from_ros(stamp) for topic, stamp in stamps.items()
    }
    assert ages['star_tracker/attitude'] == latency * ticks.TICK_NS
    assert ages['imu/data'] == 0


def test_covariances_are_the_variances_of_each_axis_and_nothing_beside_them():
    """White noise of density N is N² over the tick; rounding R²/12; ideal parts 1e-12, 1e-22."""
    density, steps = np.array((1e-3, 2e-3, 3e-3)), np.array((0.01, 0.03, 0.02))
    field = np.array((1e-9, 2e-9, 3e-9))
    suite = sensors.Suite(
        sensors.Imu(
            gyroscope=sensors.TriadErrors(noise_density=tuple(density)),
            accelerometer=sensors.TriadErrors(resolution=tuple(steps)),
            orientation_noise=0.02,
        ),
        sensors.Magnetometer(errors=sensors.TriadErrors(noise_density=tuple(field))),
        sensors.StarTracker(np.array(rotations.IDENTITY), 1, 0, 1e-4, 7e-4),
    )
    found = scenario.build(FRAMES, 'test')
    spacecraft = replace(found.plant.spacecraft, sensors=suite)
    found = replace(found, plant=found.plant._replace(spacecraft=spacecraft))
    instant = pushed_instant(found)
    made = dict(
        tick_messages.TickMessages(found).of(instant, tick_messages.Settings(0), given=False)
    )
    heard = {topic: deserialize_message(data, TYPES[topic]) for topic, data in made.items()}
    imu, raw, stars = (heard[t] for t in ('imu/data', 'imu/data_raw', 'star_tracker/attitude'))

    def is_diagonal(covariance, expected):
        assert np.reshape(covariance, (3, 3)) == pytest.approx(np.diag(expected), rel=1e-12, abs=0)

    for message in (imu, raw):
        is_diagonal(message.angular_velocity_covariance, 32.0 * density**2 + 1e-12)
        is_diagonal(message.linear_acceleration_covariance, steps**2 / 12.0 + 1e-12)
    is_diagonal(imu.orientation_covariance, np.full(3, 4e-4 + 1e-12))
    is_diagonal(heard['imu/mag'].magnetic_field_covariance, 32.0 * field**2 + 1e-22)
    is_diagonal(stars.orientation_covariance, np.array((1e-8, 1e-8, 4.9e-7)) + 1e-12)
    unknown = raw.orientation_covariance, stars.angular_velocity_covariance
    for covariance in (*unknown, stars.linear_acceleration_covariance):
        assert covariance[0] == -1.0
    assert imu.angular_velocity == raw.angular_velocity
    assert imu.linear_acceleration == raw.linear_acceleration


def test_wheels_and_loads_of_the_environment_are_those_of_the_instant():
    given = {
        'wheels': ['x', 'z'], 'wheel.x.axis': [0.6, 0.8, 0.0], 'wheel.z.initial_speed': 50.0,
        'orbit.radius': 7e4, 'tick_rate': 10.0, 'frames.body': 'bus',
        'initial.attitude': [0.5, 0.5, -0.5, 0.5],
    }  # fmt: skip
    found = scenario.build(plain(given), 'test')
    plant = found.plant
    (gradient,) = plant.environment.turning
    push_W = np.array((1.0, 2.0, 3.0))
    wind = SimpleNamespace(
        name='wind', wrench=lambda body, state, time: (push_W * time, np.full(3, time))
    )
    torques = np.array((0.1, -0.2))
    start = simulation.put_instant(plant, 70, found.initial, 30)  # since a reset at tick 40
    idle = simulation.next_instant(plant, start, simulation.Inputs())
    instant = simulation.next_instant(plant, idle, simulation.Inputs(wheel_torque=torques))
    object.__setattr__(plant.environment, 'loads', (plant.environment.loads[0], gradient, wind))
    makers = SpacecraftMessages(found).makers
    kinds = {'joint_states': JointState, 'ground_truth/wheel_momentum': Vector3Stamped}

    def heard(instant):
        moment = tick_messages.moment_of(instant, tick_messages.Settings(0), given=False)
        return {
            topic: deserialize_message(make(moment), kinds.get(topic, WrenchStamped))
            for topic, make in makers.items()
        }

    said, state, time = heard(instant), instant.state, 3.2
    assert {(one.header.frame_id, one.header.stamp.sec) for one in said.values()} == {('bus', 7)}
    joints = said['joint_states']
    assert list(joints.name) == ['x', 'z']
    assert joints.velocity.tolist() == plant.spacecraft.wheel_speeds(state).tolist()
    assert joints.effort.tolist() == torques.tolist()
    assert heard(idle)['joint_states'].effort.tolist() == [0.0, 0.0]
    stored_B = conversions.vector3_from_ros(said['ground_truth/wheel_momentum'].vector)
    assert stored_B.tolist() == plant.spacecraft.stored_B(state).tolist()
    pulled = said['ground_truth/disturbance/gravity_gradient'].wrench
    expected = gradient.torque_B(plant.body, state, time)
    assert conversions.vector3_from_ros(pulled.torque).tolist() == expected.tolist()
    assert not conversions.vector3_from_ros(pulled.force).any()
    blown = said['ground_truth/disturbance/wind'].wrench
    force_B = rotations.dcm_from_quaternion(state.q_WB).T @ push_W * time
    assert conversions.vector3_from_ros(blown.force) == pytest.approx(force_B, rel=1e-12)
    assert conversions.vector3_from_ros(blown.torque).tolist() == [time] * 3


@pytest.mark.parametrize(
    'name', ['tennis_racket', 'cubesat_pyramid', 'cubesat_pyramid_limits', 'cubesat_3u_leo']
)
def test_the_messages_of_a_tick_find_the_angular_velocity_once(name, monkeypatch):
    whole = scenario.load(scenario.find(name))
    makes, first = tick_messages.TickMessages(whole), whole.first_instant()
    calls, find = [], type(whole.plant.spacecraft).angular_velocity_B
    monkeypatch.setattr(
        type(whole.plant.spacecraft),
        'angular_velocity_B',
        lambda craft, state: (calls.append(state), find(craft, state))[1],
    )
    makes.of(first, tick_messages.Settings(whole.plant.substeps), True)
    assert len(calls) == 1
