# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors that ask what is around, through their messages: numbers, frames, stamps, silence."""

import re
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT
from geometry_msgs.msg import Vector3Stamped
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Illuminance, NavSatFix
from surroundings import Y, Z, seen, turned
from test_orbit_sensor_parameters import orbiting

from spacecraft_attitude_sim.core import sensors, simulation
from spacecraft_attitude_sim.core.environment import Environment
from spacecraft_attitude_sim.core.environment.around import Surroundings
from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER
from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator.publications import Publications
from spacecraft_attitude_sim.recording import reader, topics
from spacecraft_attitude_sim.recording.bag_writer import BagWriter

TO_NADIR = turned(Y, -90.0).tolist()
GIVEN = {
    'sun_cells': ['front', 'back'], 'sun_cell.back.direction': [0.0, 0.0, -1.0],
    'sun_cell.front.noise': 100.0, 'sun_cell.front.position': [0.1, 0.0, 0.2],
    'sun_sensors': ['fine'], 'sun_sensor.fine.noise': [0.1],
    'horizon_sensor.enabled': True, 'horizon_sensor.orientation': TO_NADIR,
    'gnss.enabled': True, 'gnss.position_error': 4.0, 'gnss.velocity_error': 0.02,
    'gnss.clock_error': 20.0, 'gnss.interval': 2, 'gnss.orientation': turned(Y, 90.0).tolist(),
    'gnss.cone': 80.0, 'frames.gnss': 'antenna', 'frames.earth': 'itrf', 'seed': 3,
}  # fmt: skip
OURS = {
    'sun_sensor/front/illuminance', 'sun_sensor/back/illuminance', 'sun_sensor/fine/direction',
    'horizon_sensor/nadir', 'gnss/fix', 'gnss/odometry', 'gnss/time_reference',
}  # fmt: skip
# 2026-11-23 00:00:00 UTC
EPOCH = 1_795_392_000 * 10**9
SETTINGS = tick_messages.Settings(0)


def instants(found, truths, tick=0):
    """Return an Instant for each truth, with what the sensors of a Scenario read."""
    before, made = None, []
    for number, truth in enumerate(truths):
        before = sensors.read(found.sensors, truth, number, before)
        made.append(
            simulation.Instant(tick + number, found.initial, elapsed=number, readings=before)
        )
    return made


def from_midnight(found):
    """Return a Scenario in an orbit that begins at EPOCH."""
    world = EarthEnvironment(epoch_of('2026-11-23T00:00:00Z'), KeplerOrbit(7e6))
    around = Surroundings(world.table(), GRAVITATIONAL_PARAMETER, EPOCH)
    plant = found.plant._replace(environment=Environment(surroundings=around))
    return replace(found, plant=plant)


def heard(found, instant, makes=None):
    """Return {topic: message} of an instant; makes: TickMessages that have made others before."""
    makes = makes or tick_messages.TickMessages(from_midnight(found))
    made = makes.of(instant, SETTINGS, given=True)
    return {
        topic: deserialize_message(data, tick_messages.TYPES[topics.known_as(topic)])
        for topic, data in made
    }


def test_every_number_is_that_of_the_reading():
    found = orbiting(GIVEN)
    (instant,) = instants(found, [seen(turned(Y, 20.0))])
    said, read = heard(found, instant), instant.readings
    assert said.keys() >= OURS
    for label in ('front', 'back'):
        message = said[f'sun_sensor/{label}/illuminance']
        assert message.illuminance == read.illuminance(label)
        assert message.header.frame_id == f'{label}_link'
    assert said['sun_sensor/front/illuminance'].variance == pytest.approx(1e4)
    direction = said['sun_sensor/fine/direction']
    assert np.array_equal(
        conversions.vector3_from_ros(direction.vector), read.sun('fine').direction_S
    )
    assert direction.header.frame_id == 'fine_link'
    nadir = said['horizon_sensor/nadir']
    assert np.array_equal(conversions.vector3_from_ros(nadir.vector), read.nadir.direction_S)
    assert nadir.header.frame_id == 'horizon_sensor_link'


def test_gnss_messages_say_one_fix_in_degrees_in_metres_and_in_utc():
    found = orbiting(GIVEN)
    over_vienna = rotations.quaternion_from_euler_zyx(-np.radians(16.37), np.radians(-48.2), 0.0)
    truths = [seen(q_WE=over_vienna, velocity_W=np.array((0.0, 1.0, 2.0)))] * 3
    instant = instants(found, truths, tick=100)[2]
    said, fix = heard(found, instant), instant.readings.fix
    place, odometry, time = (said[f'gnss/{one}'] for one in ('fix', 'odometry', 'time_reference'))
    # Against the definition of the ellipsoid, to a micrometre.
    a, f = 6378137.0, 1.0 / 298.257223563
    latitude, longitude = np.radians((place.latitude, place.longitude))
    normal = a / np.sqrt(1.0 - (2.0 * f - f * f) * np.sin(latitude) ** 2)
    across = (normal + place.altitude) * np.cos(latitude)
    up = (normal * (1.0 - f) ** 2 + place.altitude) * np.sin(latitude)
    position = (across * np.cos(longitude), across * np.sin(longitude), up)
    assert fix.position_E == pytest.approx(position, abs=1e-6)
    assert 400e3 < place.altitude < 600e3
    assert np.reshape(place.position_covariance, (3, 3)) == pytest.approx(16.0 * np.eye(3))
    assert place.position_covariance_type == NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
    assert (place.status.status, place.status.service) == (0, 1)
    assert place.header.frame_id == 'antenna'
    assert (odometry.header.frame_id, odometry.child_frame_id) == ('itrf', 'itrf')
    here, fast = odometry.pose.pose.position, odometry.twist.twist.linear
    assert (here.x, here.y, here.z) == tuple(fix.position_E)
    assert np.array_equal(conversions.vector3_from_ros(fast), fix.velocity_E)
    pose, twist = (np.reshape(c, (6, 6)).diagonal() for c in (
        odometry.pose.covariance, odometry.twist.covariance))  # fmt: skip
    assert pose == pytest.approx((16.0,) * 3 + (1e9,) * 3)
    assert twist == pytest.approx((4e-4,) * 3 + (1e9,) * 3)
    # The receiver's clock says UTC, but for its error; the stamp is simulated time.
    utc = conversions.nanoseconds_from_ros(time.time_ref)
    assert utc - EPOCH - 2 * 31_250_000 == round(fix.clock * 1e9) != 0
    assert conversions.nanoseconds_from_ros(time.header.stamp) == 102 * 31_250_000
    assert time.source == 'gnss'


def test_nothing_is_said_where_nothing_is_seen_nor_between_readings():
    found = orbiting(GIVEN)
    makes = tick_messages.TickMessages(from_midnight(found))
    dark = seen(turned(Y, 180.0), irradiance=0.0, lit=0.0)  # GNSS and horizon look away, too
    bright = seen()
    said = [
        heard(found, one, makes).keys() & OURS
        for one in instants(found, [bright, dark, dark, bright])
    ]
    cells = {'sun_sensor/front/illuminance', 'sun_sensor/back/illuminance'}
    gnss = {'gnss/fix', 'gnss/odometry', 'gnss/time_reference'}
    assert said == [OURS, cells, cells, OURS - gnss]
    for instant in instants(found, [bright, dark]):
        messages = heard(found, instant, makes)
        complete = {pair.key for pair in messages['tick'].status[0].values}
        assert complete & OURS == messages.keys() & OURS


def test_every_sensor_has_a_frame_on_the_body():
    found = orbiting(GIVEN)
    fixed = tick_messages.TickMessages(from_midnight(found)).sensors.fixed_transforms()
    placed = {one.child_frame_id: one for one in fixed}
    assert placed.keys() == {
        'imu_link', 'front_link', 'back_link', 'fine_link', 'horizon_sensor_link', 'antenna',
    }  # fmt: skip
    front = placed['front_link'].transform
    assert conversions.vector3_from_ros(front.translation) == pytest.approx((0.0, 0.0, 0.2))
    q_BS = conversions.quaternion_from_ros(front.rotation)
    assert rotations.rotate(q_BS, (1, 0, 0)) == pytest.approx(Z, abs=1e-15)


def test_topics_with_a_users_name_are_published_and_heard(ros):
    found = orbiting(GIVEN)
    node = ros.node
    lux = ros.listen(Illuminance, 'sun_sensor/front/illuminance')
    direction = ros.listen(Vector3Stamped, 'sun_sensor/fine/direction')
    fixes = ros.listen(NavSatFix, 'gnss/fix')
    published = Publications(node, found, {}, with_clock=False)
    ros.connected('/sun_sensor/front/illuminance', '/sun_sensor/fine/direction', '/gnss/fix')
    for instant in instants(found, [seen(), seen(irradiance=0.0, lit=0.0), seen()]):
        published.publish(instant, SETTINGS, was_set=True)
    ros.until(lambda: len(lux) == 3 and len(direction) == 2 and len(fixes) == 2)
    assert lux[0].illuminance > 1e5 > lux[1].illuminance
    names = {name.removeprefix('/') for name in published.sent}
    assert names >= OURS


def test_a_bag_gives_the_topics_of_named_sensors_back(tmp_path):
    found = orbiting(GIVEN)
    bag, written, numbers = BagWriter(tmp_path / 'bag'), [], {}
    for instant in instants(found, [seen(), seen()]):
        for topic, data in tick_messages.TickMessages(from_midnight(found)).of(
            instant, SETTINGS, given=True
        ):
            if topic in OURS or topic == topics.ODOMETRY:
                kind = topics.TYPES[topics.known_as(topic)]
                written.append((topic, data))
                if topic not in numbers:
                    numbers[topic] = bag.add_topic(f'/one/{topic}', kind, '', [])
                bag.write(numbers[topic], instant.stamp, data)
    bag.finish()
    taken = []
    reader.read(tmp_path / 'bag', lambda *one: taken.append((one[0], one[2])), topics.TICK, 'one')
    assert sorted(taken) == sorted(written) and len(OURS & {topic for topic, _ in taken}) == 7


def test_topics_of_the_page_are_those_of_the_sensors():
    text = (ROOT / 'docs' / 'topics.md').read_text()
    rows = dict(
        re.findall(r'^\| `((?:sun_sensor|horizon_sensor|gnss)/[^`]*)` \| (\S+) \|', text, re.M)
    )
    known = {
        topic.replace('*', '<name>'): kind.replace('/msg/', '/')
        for topic, kind in topics.TICK.items()
        if topic.startswith(('sun_sensor/', 'horizon_sensor/', 'gnss/'))
    }
    assert rows == known and len(known) == 6
