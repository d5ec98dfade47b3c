# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors through real topics: REP-145, covariances, rates, stamps, repeatability."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from processes import printed
from sensor_msgs.msg import Imu, MagneticField
from test_sensor_history import same

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import triad
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions

HALF = 0.7071067811865476
G = 9.81
TOP = {
    'body.mass': 2.0,
    'body.inertia': [1.0, 1.0, 2.0],
    'initial.angular_velocity': [0.0, 0.0, 0.0],
    'gravity': [0.0, 0.0, -G],
    'start_paused': True,
}
NOISY = {
    'imu.model': 'bmi088',
    'imu.orientation_noise': 0.1,
    'magnetometer.enabled': True,
    'magnetometer.noise': 50.0,
    'star_tracker.enabled': True,
    'star_tracker.interval': 4,
    'star_tracker.latency': 3,
    'star_tracker.cross_boresight_noise': 10.0,
    'star_tracker.about_boresight_noise': 70.0,
    'seed': 5,
}
TILTED = rotations.quaternion_from_euler_zyx(0.3, -0.5, 0.7)
# Mountings: as the body, half a turn about x, quarter turns about y and z, none of these.
MOUNTINGS = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (HALF, 0.0, HALF, 0.0),
    (HALF, 0.0, 0.0, HALF),
    tuple(rotations.quaternion_from_euler_zyx(-1.0, 0.4, 2.0)),
)


def tick_of(message):
    return conversions.nanoseconds_from_ros(message.header.stamp) / TICK_NS


def force_of(message):
    return conversions.vector3_from_ros(message.linear_acceleration)


def run(ros, parameters, ticks, topics, hold=None):
    """Return what is heard on each topic in some ticks; hold: force and torque, world."""
    heard = [ros.listen(kind, topic) for topic, kind in topics.items()]
    node = ros.simulator({**TOP, **parameters}, autostart=False)
    ros.connected(*(f'/{topic}' for topic in topics))
    if hold:
        node.commands.inbox.hold('world', *hold)
    node.driver.start()
    node.driver.step(ticks)
    every_tick = [
        messages for messages, topic in zip(heard, topics, strict=True) if 'star' not in topic
    ]
    ros.until(lambda: all(len(messages) == ticks + 1 for messages in every_tick))
    return heard


@pytest.mark.parametrize('mounting', MOUNTINGS)
def test_rep_145_at_rest_against_gravity_reads_g_upward_in_sensor_axes(ros, mounting):
    parameters = {'initial.attitude': list(TILTED), 'imu.orientation': list(mounting),
                  'command_timeout': 0.0}  # fmt: skip
    lift = ((0.0, 0.0, 2.0 * G), (0.0, 0.0, 0.0))  # what a support would do
    data, raw = run(ros, parameters, 3, {'imu/data': Imu, 'imu/data_raw': Imu}, lift)
    q_WS = rotations.compose(TILTED, mounting)
    up_S = rotations.rotate(rotations.conjugate(q_WS), (0.0, 0.0, 1.0))
    for message in (*data[1:], *raw[1:]):
        assert force_of(message) == pytest.approx(G * up_S, abs=1e-13)
    orientation = conversions.quaternion_from_ros(data[2].orientation)
    # By the message's own orientation the reading is up in the world.
    assert rotations.rotate(orientation, force_of(data[2])) == pytest.approx((0, 0, G), abs=1e-13)
    assert raw[2].orientation_covariance[0] == -1.0


@pytest.mark.parametrize('mounting', MOUNTINGS)
def test_rep_145_in_free_fall_reads_nothing_at_the_centre_of_mass(ros, mounting):
    parameters = {'imu.orientation': list(mounting), 'initial.angular_velocity': [1.0, 2.0, 3.0]}
    (data,) = run(ros, parameters, 3, {'imu/data': Imu})
    assert all(np.all(force_of(message) == 0.0) for message in data)


@pytest.mark.parametrize('mounting', MOUNTINGS)
def test_rep_145_off_the_centre_of_mass_reads_the_lever_arm(ros, mounting):
    """A symmetric top under no torque: ω and ω̇ = (I1 − I3)/I1 ω3 (ω2, −ω1, 0) are known."""
    r_B, omega_B = np.array((0.3, -0.2, 0.5)), np.array((0.4, 0.0, 3.0))
    parameters = {
        'imu.orientation': list(mounting),
        'imu.position': r_B.tolist(),
        'initial.angular_velocity': omega_B.tolist(),
    }
    (data,) = run(ros, parameters, 0, {'imu/data': Imu})
    alpha_B = -3.0 * np.array((0.0, -0.4, 0.0))
    expected_B = np.cross(alpha_B, r_B) + np.cross(omega_B, np.cross(omega_B, r_B))
    expected_S = rotations.rotate(rotations.conjugate(mounting), expected_B)
    assert force_of(data[0]) == pytest.approx(expected_S, abs=1e-13)


def test_magnetic_field_and_its_covariance(ros):
    parameters = {'initial.attitude': list(TILTED), 'magnetometer.enabled': True,
                  'magnetic_field': [1e-5, 2e-5, -3e-5]}  # fmt: skip
    (field,) = run(ros, parameters, 1, {'imu/mag': MagneticField})
    expected = rotations.rotate(rotations.conjugate(TILTED), (1e-5, 2e-5, -3e-5))
    found = conversions.vector3_from_ros(field[0].magnetic_field)
    assert found == pytest.approx(expected, abs=1e-19)
    assert field[0].header.frame_id == 'imu_link'
    # Of a few (1e-11 T)²: without abs, the default tolerance of 1e-12 would take any.
    assert field[0].magnetic_field_covariance[0] == pytest.approx(1e-22, rel=1e-12, abs=0.0)


def test_star_tracker_topic_has_attitude_alone_stamped_when_it_was_measured(ros):
    parameters = {**NOISY, 'initial.attitude': list(TILTED)}
    poses, stars = run(ros, parameters, 20, {'pose': PoseStamped, 'star_tracker/attitude': Imu})
    ros.until(lambda: len(stars) == 5)
    assert [tick_of(message) for message in stars] == [0, 4, 8, 12, 16]
    for message in stars:
        assert message.header.frame_id == 'star_tracker_link'
        assert message.angular_velocity_covariance[0] == -1.0
        assert message.linear_acceleration_covariance[0] == -1.0
        error = rotations.angle_between(
            conversions.quaternion_from_ros(message.orientation), TILTED
        )
        assert 0.0 < error < 5.0 * 72.0 * np.pi / 180.0 / 3600.0
    arcsecond = np.pi / 180.0 / 3600.0
    variances = np.diag(np.reshape(stars[0].orientation_covariance, (3, 3)))
    expected = np.square((10.0, 10.0, 70.0)) * arcsecond**2 + 1e-12
    assert variances == pytest.approx(expected, rel=1e-9, abs=0.0)


def test_covariances_are_those_of_the_noise_drawn(ros):
    """At rest, from reading to reading: half the mean square of differences; 4 standard errors."""
    topics = {'imu/data': Imu, 'imu/data_raw': Imu, 'imu/mag': MagneticField}
    data, raw, field = run(ros, NOISY, 1000, topics)
    for message in (*data, *raw):
        assert message.angular_velocity_covariance == pytest.approx(
            data[0].angular_velocity_covariance, rel=1e-15, abs=0.0
        )
    checks = (
        ([conversions.vector3_from_ros(m.angular_velocity) for m in raw],
         raw[0].angular_velocity_covariance),
        ([force_of(m) for m in raw], raw[0].linear_acceleration_covariance),
        ([conversions.vector3_from_ros(m.magnetic_field) for m in field],
         field[0].magnetic_field_covariance),
    )  # fmt: skip
    for values, covariance in checks:
        found = np.mean(np.diff(values, axis=0) ** 2, axis=0) / 2.0
        assert np.diag(np.reshape(covariance, (3, 3))) == pytest.approx(found, rel=0.22, abs=0.0)
    turns = [
        rotations.angle_between(conversions.quaternion_from_ros(m.orientation), (1, 0, 0, 0))
        for m in data
    ]
    variance = np.mean(np.square(turns)) / 3.0
    assert data[0].orientation_covariance[0] == pytest.approx(variance, rel=0.11, abs=0.0)


def test_reset_repeats_every_reading_bit_for_bit_and_a_seed_gives_another_run(ros):
    heard = ros.listen(Imu, 'imu/data'), ros.listen(Imu, 'star_tracker/attitude')
    node = ros.simulator({**TOP, **NOISY}, autostart=False)
    ros.connected('/imu/data', '/star_tracker/attitude')
    node.driver.start()
    node.driver.step(20)
    node.driver.reset()
    node.driver.step(20)
    ros.until(lambda: [len(messages) for messages in heard] == [42, 10])
    for messages, count in zip(heard, (21, 5), strict=True):
        for one, again in zip(messages[:count], messages[count:], strict=True):
            assert tick_of(again) == tick_of(one) + 21
            again.header.stamp = one.header.stamp
            assert again == one
    other = ros.simulator({**TOP, **NOISY, 'seed': 6}, autostart=False, namespace='other')
    assert np.all(
        other.instant.readings.imu.angular_velocity_S
        != conversions.vector3_from_ros(heard[0][0].angular_velocity)
    )


def test_a_state_put_there_does_not_begin_the_noise_again(ros):
    node = ros.simulator({**TOP, **NOISY}, autostart=False)
    node.driver.start()
    before = node.instant.readings
    node.driver.put(node, node.instant.state)
    after = node.instant.readings
    assert after.tick == 1
    remembered = node.plant.spacecraft.sensors.sensors['imu'].remembered
    first, last = (readings.memory[remembered] for readings in (before, after))
    bias = triad.STATE.of('bias')
    assert np.array_equal(last[bias], first[bias]) and first[bias].any()
    assert np.all(after.imu.angular_velocity_S != before.imu.angular_velocity_S)


def test_saturated_readings_are_counted_in_diagnostics(ros):
    heard = ros.listen(DiagnosticArray, '/diagnostics')
    node = ros.simulator({'imu.gyroscope.range': 100.0}, autostart=False)
    node.driver.pause()
    node.driver.start()
    node.driver.step(3)
    ros.until(lambda: heard)
    values = {pair.key: pair.value for pair in heard[-1].status[0].values}
    assert values['imu readings saturated'] == '4'  # 8 rad/s is 458 deg/s


@pytest.mark.parametrize('way', ['model', 'file'])
def test_noisy_run_with_a_datasheet_set_is_computed_again_to_the_bit(
    command, domain, tmp_path, way
):
    from spacecraft_attitude_sim.configuration.share import share_directory

    path = share_directory() / 'config' / 'sensors' / 'bmi088.yaml'
    given = [f'{name}:={value}' for name, value in NOISY.items() if name != 'imu.model']
    chosen = ['-p', 'imu.model:=bmi088'] if way == 'model' else []
    bag = tmp_path / 'bag'
    printed(
        command, 'run', 'tennis_racket', '--rate', 0, '--duration', 4, '--record', bag,
        *(word for text in given for word in ('-p', text)), *chosen,
        *(['--ros-args', '--params-file', path] if way == 'file' else []),
    )  # fmt: skip
    # 129 ticks of 10 topics, and the star tracker's of ticks 0, 4 … 124.
    assert printed(command, 'replay', bag, '--resimulate') == 'identical: 1322 of 1322\n'
    theirs = sas.simulate('tennis_racket', 4.0, parameters=NOISY).sensors
    assert same(sas.read(bag).sensors, theirs) == {'imu', 'magnetometer', 'star_tracker'}
