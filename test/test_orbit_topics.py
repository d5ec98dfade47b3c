# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What ROS says of an orbit about the Earth: topics, frames, recordings."""

import numpy as np
import pytest
import yaml
from geometry_msgs.msg import Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from processes import printed
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import MagneticField
from std_msgs.msg import String
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.environment.earth import (
    GRAVITATIONAL_PARAMETER,
    ROTATION_RATE,
    SOLAR_CONSTANT,
)
from spacecraft_attitude_sim.core.environment.surroundings import AROUND, eclipse
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions, qos
from spacecraft_attitude_sim.recording import topics

# Above the equator at an equinox: the Sun is along -x of world nearly, so the orbit begins in the
# middle of the shadow.
RADIUS = 7e6
RATE = (GRAVITATIONAL_PARAMETER / RADIUS**3) ** 0.5
NIGHT = {
    'orbit.model': 'kepler', 'orbit.semi_major_axis': RADIUS, 'epoch': '2026-09-23T00:00:00Z',
    'magnetic_model': 'uniform', 'magnetic_field': [1e-5, -2e-5, 3e-5], 'tick_rate': 1.0,
    'body.inertia': [0.03, 0.04, 0.05], 'residual_dipole': [0.5, 0.1, 0.0],
    'surfaces': ['a'], 'surface.a.area': 0.1, 'surface.a.center': [0.0, 0.2, 0.0],
    'surface.a.normal': [-1.0, 0.0, 0.0], 'initial.angular_velocity': [0.0, 0.01, 0.0],
    'initial.attitude': [0.8, 0.0, 0.0, 0.6],
    'frames.body': 'bus', 'frames.world': 'w', 'frames.eci': 'inertial', 'frames.earth': 'itrf',
    'frames.lvlh': 'orbital',
}  # fmt: skip


def at(elapsed, tick=5000, given=NIGHT):
    """Return (Scenario, Instant so many ticks after a reset, {topic: message} of it)."""
    found = scenario.build(given, 'test')
    instant = simulation.put_instant(found.plant, tick, found.initial, elapsed)
    said = tick_messages.TickMessages(found).of(instant, tick_messages.Settings(0), given=True)
    return found, instant, {t: deserialize_message(m, tick_messages.TYPES[t]) for t, m in said}


def test_orbit_field_and_sun_are_those_of_the_time_since_the_start():
    seconds = 1500
    _, _, said = at(seconds)
    angle = RATE * seconds
    out, along = np.array((np.cos(angle), np.sin(angle), 0.0)), (-np.sin(angle), np.cos(angle), 0)
    orbit = said[topics.ORBIT]
    assert (orbit.header.frame_id, orbit.child_frame_id) == ('inertial', 'w')
    assert orbit.header.stamp.sec == 5000
    place = conversions.vector3_from_ros(orbit.pose.pose.position)
    # Between nodes the table's cubic is 0.3 mm wrong.
    assert place == pytest.approx(RADIUS * out, abs=1e-3)
    velocity = conversions.vector3_from_ros(orbit.twist.twist.linear)
    assert velocity == pytest.approx(RADIUS * RATE * np.array(along), abs=1e-3)
    assert conversions.quaternion_from_ros(orbit.pose.pose.orientation).tolist() == [1, 0, 0, 0]
    field = said[topics.TRUE_FIELD]
    assert field.header.frame_id == said[topics.SUN].header.frame_id == 'w'
    assert conversions.vector3_from_ros(field.magnetic_field) == pytest.approx((1e-5, -2e-5, 3e-5))
    sun = conversions.vector3_from_ros(said[topics.SUN].vector)
    # The Sun crosses the equator of date at 00:05 UTC, at 180 degrees; the equinox has come by
    # 26.7 years of 50.3 arcsec, 6.5e-3 rad, from that of world.
    assert sun == pytest.approx((-1.0, 0.0065, 0.0), abs=3e-3)
    light = conversions.vector3_from_ros(said[topics.SUNLIGHT].vector)
    # 1.0034 au away.
    assert light == pytest.approx(SOLAR_CONSTANT / 1.0034**2 * sun, rel=1e-3, abs=1e-9)
    _, _, dark = at(0)
    assert conversions.vector3_from_ros(dark[topics.SUNLIGHT].vector).tolist() == [0.0, 0.0, 0.0]


def test_disturbances_are_said_one_by_one():
    found, instant, said = at(1500)
    state, names = instant.state, {load.name for load in found.plant.environment.turning}
    assert names == set(topics.DISTURBANCES) - {'weight'}  # of an air bearing
    for load in found.plant.environment.turning:
        message = said[topics.DISTURBANCE + load.name]
        assert message.header.frame_id == 'bus'
        torque_B = conversions.vector3_from_ros(message.wrench.torque)
        expected = load.torque_B(found.plant.body, state, 1500.0)
        assert torque_B.tolist() == expected.tolist()
        assert torque_B.any()
    magnetic = conversions.vector3_from_ros(
        said['ground_truth/disturbance/magnetic'].wrench.torque
    )
    # m × B; the body is turned by arccos 0.28 about z.
    field_B = (0.28e-5 - 0.96 * 2e-5, -0.96e-5 - 0.28 * 2e-5, 3e-5)
    assert magnetic == pytest.approx(np.cross((0.5, 0.1, 0.0), field_B), rel=1e-12)


def test_frames_of_the_orbit():
    seconds = 1500
    found, instant, _ = at(seconds)
    made = {
        (one.header.frame_id, one.child_frame_id): one.transform
        for one in tick_messages.TickMessages(found).transforms(instant)
    }
    pairs = [('w', 'bus'), ('inertial', 'w'), ('inertial', 'itrf'), ('w', 'orbital')]
    assert list(made) == pairs
    origin = conversions.vector3_from_ros(made['inertial', 'w'].translation)
    assert np.linalg.norm(origin) == pytest.approx(RADIUS, abs=1e-3)
    angle = RATE * seconds
    q_WO = conversions.quaternion_from_ros(made['w', 'orbital'].rotation)
    axes_W = rotations.dcm_from_quaternion(q_WO).T
    forward, down = (-np.sin(angle), np.cos(angle), 0), (-np.cos(angle), -np.sin(angle), 0)
    # x forward, y against the normal, z down; 1e-9: the table's millimetre.
    assert axes_W == pytest.approx(np.array((forward, (0, 0, -1), down)), abs=1e-9)
    # The Earth has turned about its pole, at an equinox nearly z of world.
    _, before, _ = at(0)
    turned = [
        conversions.quaternion_from_ros(
            tick_messages.TickMessages(found).transforms(one)[2].transform.rotation
        )
        for one in (before, instant)
    ]
    turn = rotations.compose(turned[1], rotations.conjugate(turned[0]))
    assert 2.0 * np.arctan2(turn[3], turn[0]) == pytest.approx(ROTATION_RATE * seconds, rel=1e-4)


def test_words_for_an_eclipse():
    around = np.zeros(AROUND.size)
    for lit, word in ((0.0, 'umbra'), (1e-9, 'penumbra'), (1 - 1e-9, 'penumbra'), (1, 'sunlight')):
        around[AROUND.at('lit')] = lit
        assert eclipse(around) == word


def test_eclipse_is_said_where_it_changes_and_to_who_comes_late(ros):
    """From the middle of the shadow: half its angle is asin(R_E/a) = 65.7 deg, 18 min."""
    simulator = ros.simulator(
        NIGHT | {'real_time_factor': 0.0, 'start_paused': True, 'step_ticks': 600}
    )
    heard = ros.listen(String, 'eclipse', qos.LATCHED_FROM_ALL)
    ros.until(lambda: [one.data for one in heard] == ['umbra'])
    for end in (600, 1200):
        ros.call(Trigger, '/simulator/step')
        ros.until(lambda end=end: simulator.instant.tick >= end, patience=90.0)
    ros.until(lambda: [one.data for one in heard] == ['umbra', 'penumbra', 'sunlight'])
    late = ros.listen(String, 'eclipse', qos.LATCHED)
    ros.until(lambda: [one.data for one in late] == ['sunlight'])
    ros.call(Trigger, '/simulator/reset')
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: heard[-1].data == 'umbra')


@pytest.fixture(scope='module')
def night(tmp_path_factory):
    """Return the path of a file of NIGHT that lasts for half a minute."""
    path = tmp_path_factory.mktemp('orbit') / 'night.yaml'
    tree = {'ros__parameters': NIGHT | {'duration': 30.0}}
    path.write_text(yaml.safe_dump({'/**/simulator': tree}))
    return path


def test_orbit_is_recorded_and_computed_again_to_the_bit(night, command, tmp_path):
    printed(command, 'run', night, '--rate', 0, '--record', tmp_path / 'bag')
    done = printed(command, 'replay', tmp_path / 'bag', '--resimulate')
    # Nine that all have, four disturbances, the dipole of no rods is none, four of the orbit.
    assert done.strip() == f'identical: {31 * 17} of {31 * 17}'


def test_the_circular_orbit_of_old_says_what_it_has():
    _, _, said = at(0, given={'orbit.radius': 7e6})
    assert topics.DISTURBANCE + 'gravity_gradient' in said
    assert not {topics.ORBIT, topics.SUN, topics.TRUE_FIELD, topics.SUNLIGHT} & said.keys()
    kinds = (WrenchStamped, Odometry, MagneticField, Vector3Stamped)
    assert {tick_messages.TYPES[t] for t in topics.TICK if t not in said} >= set(kinds[1:])
