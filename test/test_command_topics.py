# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands through real topics from another process, against closed forms."""

import time

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from rclpy.duration import Duration
from remote import remote_simulator

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_NS, TICK_SECONDS
from spacecraft_attitude_sim.nodes.ros import conversions

BLOCK = {
    'body.mass': '2.0',
    'body.inertia': '[0.4, 0.5, 0.6]',
    'initial.angular_velocity': '[0.0, 0.0, 0.0]',
}
THRUSTER = {
    'application_frames': '[thruster]',
    'application.thruster.position': '[0.3, -0.2, 0.1]',
    'application.thruster.orientation': '[0.70710678118, 0.0, 0.0, 0.70710678118]',
}


def test_force_through_the_centre_of_mass_does_not_turn(ros, command):
    with remote_simulator(ros, command, BLOCK) as remote:
        remote.hold('base_link', force=(1.0, 0.0, 0.0))
        remote.step(64)
        assert np.allclose(remote.position_W, (0.5 * 0.5 * 4.0, 0, 0), rtol=0, atol=1e-13)
        assert np.array_equal(remote.q_WB, (1.0, 0.0, 0.0, 0.0))
        assert np.allclose(remote.applied_B, (1.0, 0, 0, 0, 0, 0), rtol=0, atol=1e-13)


def test_impulse_at_a_named_frame_acts_once_whole_and_makes_its_torque(ros, command):
    with remote_simulator(ros, command, BLOCK | THRUSTER) as remote:
        for _ in range(2):  # two between ticks add
            remote.strike('thruster', force=(0.25, 0.0, 0.0))
        remote.step()
        omega = np.cross((0.3, -0.2, 0.1), (0.0, 0.5, 0.0)) / (0.4, 0.5, 0.6)
        speed = np.linalg.norm(remote.velocity_B)
        assert speed == pytest.approx(0.5 / 2.0, abs=1e-11)  # q was given with eleven digits
        L_B = remote.omega_B * (0.4, 0.5, 0.6)
        L_W = rotations.rotate(remote.q_WB, L_B)
        assert np.allclose(L_W, omega * (0.4, 0.5, 0.6), rtol=0, atol=1e-11)
        remote.step(10)
        assert np.linalg.norm(remote.velocity_B) == pytest.approx(speed, abs=1e-15)
        assert np.all(remote.applied_B == 0.0)


def test_forces_at_points_nobody_declared_make_their_torques_and_add(ros, command):
    """One node holds f at r and -2 f at -r: a force of -f, and a torque of 3 r × f."""
    with remote_simulator(ros, command, BLOCK) as remote:
        remote.hold('base_link@0.5,0,0', force=(0.0, 0.2, 0.0))
        remote.hold('base_link@-5e-1,0,0', force=(0.0, -0.4, 0.0))
        remote.step(1)
        # Of a tick from rest, in which the body turns by 3e-4 rad.
        assert np.allclose(remote.applied_B, (0, -0.2, 0, 0, 0, 0.3), rtol=0, atol=1e-3 * 0.2)
        remote.step(31)
        # About a principal axis the torque of the turning forces is constant: ω = τ t / I.
        assert remote.omega_B == pytest.approx((0.0, 0.0, 0.3 / 0.6), abs=1e-14)
        assert remote.said()['frames of held commands'] == (
            'base_link@-0.5,0.0,0.0, base_link@0.5,0.0,0.0'
        )
        remote.hold('base_link@-0.5,0,0')  # of zeros: lets go of that one
        remote.step(1)
        assert remote.applied_B[5] == pytest.approx(0.1, rel=1e-12)


def test_an_impulse_at_a_point_nobody_declared_acts_once_whole(ros, command):
    with remote_simulator(ros, command, BLOCK) as remote:
        remote.strike('base_link@0.3,-0.2,0.1', force=(0.0, 0.5, 0.0))
        remote.step()
        L_W = rotations.rotate(remote.q_WB, remote.omega_B * (0.4, 0.5, 0.6))
        expected = np.cross((0.3, -0.2, 0.1), (0.0, 0.5, 0.0))
        assert np.allclose(L_W, expected, rtol=0, atol=1e-15)
        assert np.linalg.norm(remote.velocity_B) == pytest.approx(0.5 / 2.0, abs=1e-15)


def test_held_torque_turns_with_the_body_or_with_the_world(ros, command):
    """On a body that spins fast about z, a body force goes in circles, a world force straight."""
    spin = BLOCK | {'initial.angular_velocity': '[0.0, 0.0, 3.0]'}
    t, w = 64 * TICK_SECONDS, 3.0
    circle = np.array((np.sin(w * t), 1 - np.cos(w * t), 0.0)) / (w * 2.0)
    with remote_simulator(ros, command, spin) as remote:
        for frame, expected_W in (('base_link', circle), ('world', np.array((t / 2.0, 0, 0)))):
            remote.reset()
            remote.hold(frame, force=(1.0, 0.0, 0.0))
            remote.step(64)
            velocity_W = rotations.rotate(remote.q_WB, remote.velocity_B)
            assert np.allclose(velocity_W, expected_W, rtol=0, atol=1e-10)


def test_wrench_times_out_in_simulated_time(ros, command):
    with remote_simulator(ros, command, BLOCK | {'command_timeout': '0.25'}) as remote:
        remote.hold('world', force=(2.0, 0.0, 0.0))
        remote.step(20)
        assert remote.velocity_B[0] == pytest.approx(8 * TICK_SECONDS, rel=1e-13)
        forces = [message.wrench.force.x for message in remote.applied[-20:]]
        assert np.allclose(forces, [2.0] * 8 + [0.0] * 12, rtol=0, atol=1e-13)


def test_gravity_falls_and_is_not_felt(ros, command):
    from sensor_msgs.msg import Imu

    imu = ros.listen(Imu, 'imu/data')
    with remote_simulator(ros, command, BLOCK | {'gravity': '[0.0, 0.0, -9.81]'}) as remote:
        remote.step(32)
        assert remote.position_W[2] == pytest.approx(-0.5 * 9.81, rel=1e-12)
        assert imu[-1].linear_acceleration.z == 0.0
        assert remote.applied_B.tolist() == [0.0] * 6


def test_limit_saturates_and_says_so(ros, command):
    limit = {'command_torque_limit': '[0.1, 0.2, 0.3]'}
    with remote_simulator(ros, command, BLOCK | limit) as remote:
        remote.hold('base_link', torque=(0.0, 0.0, 5.0))
        remote.step(1)
        assert remote.applied_B[5] == pytest.approx(0.3, rel=1e-13)
        ros.until(lambda: remote.said()['commands saturated'] == '1')


def test_refused_commands_are_counted_and_change_nothing(ros, command):
    with remote_simulator(ros, command, BLOCK | {'command_timeout': '0.5'}) as remote:
        remote.step(40)
        now = remote.time
        remote.hold('moon', force=(1.0, 0, 0), wait=False)
        remote.hold('', force=(1.0, 0, 0), wait=False)
        remote.hold('base_link@1,2,nan', force=(1.0, 0, 0), wait=False)
        remote.strike('base_link@' + 1_000_000 * '9', force=(1.0, 0, 0), wait=False)
        remote.hold('world', force=(np.nan, 0, 0), wait=False)
        remote.strike('world', torque=(np.inf, 0, 0), wait=False)
        remote.strike('world', torque=(1e308, 0, 0), wait=False)
        remote.hold('world', force=(1.0, 0, 0), stamp=now + 1, wait=False)
        remote.hold('world', force=(1.0, 0, 0), stamp=now - 17 * TICK_NS, wait=False)
        ros.until(lambda: remote.said()['commands refused'] == '9')
        remote.step(2)
        assert np.all(remote.velocity_B == 0.0)
        remote.hold('world', force=(1.0, 0, 0), stamp=remote.time)  # a fresh stamp is taken
        remote.step(1)
        assert remote.velocity_B[0] == pytest.approx(TICK_SECONDS / 2.0, rel=1e-13)


def test_four_thousand_random_commands(ros, command):
    """Valid or not, in bursts: nothing stops, nothing is not finite, momentum adds up."""
    rng = np.random.default_rng(11)
    parameters = (
        BLOCK
        | THRUSTER
        | {
            'command_force_limit': '[5.0, 5.0, 5.0]',
            'command_torque_limit': '[0.5, 0.5, 0.5]',
            'command_timeout': '0.2',
        }
    )
    frames = ('base_link', 'world', 'thruster', 'nowhere', '')
    odd = (np.nan, np.inf, -np.inf, 1e308, -1e308)
    with remote_simulator(ros, command, parameters) as remote:
        remote.pause(False)
        wrong = 0
        for number in range(4_000):
            held = rng.random() < 0.5
            frame = frames[rng.choice(5, p=(0.3, 0.3, 0.3, 0.05, 0.05))]
            values = rng.normal(size=6) * 0.01
            strange = None
            if rng.random() < 0.05:
                strange = odd[rng.integers(5)]
                values[rng.integers(6)] = strange
            # A held 1e308 is finite and saturates; as an impulse it is refused.
            not_finite = strange is not None and (not np.isfinite(strange) or not held)
            wrong += frame in ('nowhere', '') or not_finite
            _fire(remote, held, frame, values)
            if number % 50 == 0:  # bursts of fifty, on the whole a thousand a second
                ros.executor.spin_once(timeout_sec=0.0)
                time.sleep(0.03)
        topics = (remote.wrench_topic, remote.impulse_topic)
        assert all(topic.wait_for_all_acked(Duration(seconds=30)) for topic in topics)
        ros.until(lambda: int(remote.said()['commands refused']) == wrong)
        remote.pause()
        ros.until(lambda: remote.said()['message'] == 'paused')
        last = conversions.time_from_nanoseconds(TICK_NS * int(remote.said()['tick']))
        heard = (remote.momenta, remote.odometry, remote.applied, remote.poses)
        ros.until(lambda: all(messages[-1].header.stamp == last for messages in heard))
        assert len({len(messages) for messages in heard}) == 1
        assert _momentum_adds_up(remote)


def _fire(remote, held, frame, values):
    message = WrenchStamped(wrench=conversions.wrench_to_ros(values[:3], values[3:]))
    message.header.frame_id = frame
    (remote.wrench_topic if held else remote.impulse_topic).publish(message)


def _momentum_adds_up(remote):
    """Return whether applied_wrench, summed, is the momentum gained; all numbers finite.

    A load that turns with the body is told in the axes of the end of a tick: its share of the
    momentum is off by at most what the body turns by in the tick.
    """
    gained, largest, turned = np.zeros(6), 0.0, 0.0
    before = conversions.quaternion_from_ros(remote.poses[0].pose.orientation)
    for pose, applied in zip(remote.poses, remote.applied, strict=True):
        assert pose.header.stamp == applied.header.stamp
        q = conversions.quaternion_from_ros(pose.pose.orientation)
        force, torque = conversions.wrench_from_ros(applied.wrench)
        turned += (
            TICK_SECONDS
            * np.hypot(*map(np.linalg.norm, (force, torque)))
            * (rotations.angle_between(before, q))
        )
        before = q
        gained += TICK_SECONDS * np.concatenate(
            (rotations.rotate(q, force), rotations.rotate(q, torque))
        )
        largest = max(largest, np.max(np.abs(gained)))
        assert np.all(np.isfinite(gained))
    q = remote.q_WB
    p_W = 2.0 * rotations.rotate(q, remote.velocity_B)
    L_W = conversions.vector3_from_ros(remote.momenta[-1].vector)
    assert largest > 0.1  # something did act
    # Some thousand additions of numbers up to `largest`.
    return np.allclose(gained, (*p_W, *L_W), rtol=0, atol=1e-12 * largest + turned)
