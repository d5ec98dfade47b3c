# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A body driven past what can be followed: the run says so and fails, its bag whole, never NaN."""

import math

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from processes import printed, run
from remote import Remote
from ros_helpers import process
from rosbags.rosbag2 import Reader
from sensor_msgs.msg import Imu
from visualization_msgs.msg import MarkerArray

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.recording import history

HEARD = {
    'pose': PoseStamped,
    'imu/data': Imu,
    'imu/data_raw': Imu,
    'ground_truth/odometry': Odometry,
    'ground_truth/angular_momentum': Vector3Stamped,
    'ground_truth/applied_wrench': WrenchStamped,
    'markers': MarkerArray,
}
# Two sub-steps in a tick of 1/32 s resolve half a turn in each: 64 π rad/s.
SUBSTEPS = 2
RESOLVED = SUBSTEPS * 32 * math.pi
# Of tennis_racket, about x and z [kg m^2]; a command is judged by the smallest.
SMALLEST, LARGEST = 62.2e-6, 210.5e-6
END = "equations 'momentum' end at t = "


def numbers(message):
    """Yield every floating-point number of a message."""
    if isinstance(message, float):
        yield message
    elif hasattr(message, 'get_fields_and_field_types'):
        for field in message.get_fields_and_field_types():
            yield from numbers(getattr(message, field))
    elif isinstance(message, (list, tuple, np.ndarray)) or hasattr(message, 'typecode'):
        for part in message:
            yield from numbers(part if not isinstance(part, np.floating) else float(part))


def listen_to_all(ros):
    """Return {topic: messages} that fill."""
    return {topic: ros.listen(kind, topic) for topic, kind in HEARD.items()}


def assert_finite(heard, *silent):
    """Every topic was heard, but for those that are silent, and no number of it is not finite."""
    for topic, messages in heard.items():
        assert bool(messages) is (topic not in silent), topic
        for message in messages:
            assert all(map(math.isfinite, numbers(message))), (topic, message)


def drive(ros, child, act, every, paused=False):
    """Act once in so many ticks, seen by the poses, until the process ends.

    paused: it starts so, and is let go once it hears and is heard; else a short run may be over
    """
    remote, acted = Remote(ros), -every
    topics = (remote.impulse_topic, remote.wrench_topic)
    ros.until(lambda: all(topic.get_subscription_count() for topic in topics), 120.0)
    if paused:
        ros.connected(*HEARD)
        ros.settle()
        remote.pause(False)

    def over():
        nonlocal acted
        if len(remote.poses) >= acted + every:
            acted = len(remote.poses)
            act(remote)
        return child.poll() is not None

    ros.until(over, 400.0)  # it may have to compile first
    return child.communicate()


def problems(errors):
    """Return the lines that say what went wrong; there is no traceback among the others."""
    assert 'Traceback' not in errors, errors
    return [line for line in errors.splitlines() if line.startswith('attitude-sim: ')]


def assert_bag_is_whole(command, bag):
    """Every topic reaches the same last tick, finite; what is computed again is identical."""
    reached = {}
    with Reader(bag) as reader:
        for connection, stamp, _ in reader.messages():
            reached[connection.topic] = stamp
    last = {reached[f'/{topic}'] for topic in ('pose', 'imu/data', 'ground_truth/odometry')}
    assert len(last) == 1
    table, _ = history.read(bag)
    assert len(table.time) == max(last) // TICK_NS + 1
    assert all(np.isfinite(column).all() for column in table if isinstance(column, np.ndarray))
    again = run(command, 'replay', bag, '--resimulate')
    same, _, compared = again.stdout.strip().removeprefix('identical: ').partition(' of ')
    assert same == compared, again.stdout + again.stderr
    assert int(compared) >= 5 * len(table.time)


def test_impulses_that_add_up_over_the_ticks_end_a_recorded_run(ros, command, tmp_path):
    """Each turns it by 0.27 of what is resolved: none is refused, yet four are too many."""
    heard, bag = listen_to_all(ros), tmp_path / 'bag'
    given = ('-p', f'substeps:={SUBSTEPS}', '-p', 'initial.angular_velocity:=[0.0,0.0,0.0]')
    impulse = (0.0, 0.0, 0.9 * SMALLEST * RESOLVED)
    more = ('--duration', '600', '--record', str(bag))

    def act(remote):
        remote.strike('base_link', torque=impulse, wait=False)

    with process(command, 'run', 'tennis_racket', *given, *more) as child:
        _, errors = drive(ros, child, act, every=4)
    (problem,) = problems(errors)
    assert problem.startswith(f'attitude-sim: {END}')
    assert 'the body turns at' in problem and 'half a turn in each of 2 sub-steps' in problem
    assert child.returncode == 1
    assert_finite(heard)
    # The last instant that was told is the one after the third, which is not yet too much.
    rate = heard['ground_truth/odometry'][-1].twist.twist.angular.z
    assert rate == pytest.approx(3 * 0.9 * SMALLEST / LARGEST * RESOLVED, rel=1e-12)
    assert_bag_is_whole(command, bag)
    printed(command, 'plot', bag, '-o', tmp_path / 'run.png')


def test_torque_that_is_held_on_ends_the_simulator_alone(ros, command):
    """In its half second a torque stays within the limit; renewed again and again it does not."""
    heard = listen_to_all(ros)
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    torque = (0.0, 0.0, 0.9 * SMALLEST * RESOLVED / 0.5)

    def act(remote):
        remote.hold('base_link', torque=torque, wait=False)

    parameters = ('-p', f'substeps:={SUBSTEPS}', '-p', 'body.inertia:=[62.2e-6,171.5e-6,210.5e-6]')
    with process(command, 'node', 'simulator', '--ros-args', *parameters) as child:
        _, errors = drive(ros, child, act, every=4)
    (problem,) = problems(errors)
    assert problem.startswith(f'attitude-sim: {END}')
    assert child.returncode == 1
    assert_finite(heard, 'markers')
    assert all('nan' not in value.value and 'inf' not in value.value
               for message in diagnostics for status in message.status
               for value in status.values if value.key != 'last refusal')  # fmt: skip


@pytest.mark.parametrize('scenario', ['bouncing_ellipsoid', 'ball_on_incline'])
def test_blows_on_a_floor_end_clearly_or_stay_finite(ros, command, tmp_path, scenario):
    """Up to the limits and beyond, in every direction, with some of 1e308 between them.

    Given sub-steps bound what a tick costs, also while it is not compiled yet.
    """
    heard, bag = listen_to_all(ros), tmp_path / 'bag'
    draw = np.random.default_rng(13)

    def act(remote):
        size = 10.0 ** draw.uniform(-1.0, 9.0)
        remote.strike('world', force=tuple(size * draw.normal(size=3)), wait=False)
        size = 10.0 ** draw.uniform(-3.0, 3.0)
        remote.strike('base_link', torque=tuple(size * draw.normal(size=3)), wait=False)
        remote.strike('world', force=(1e308, -1e308, 1e308), torque=(1e308,) * 3, wait=False)
        remote.hold('base_link', force=(math.nan, 0, 0), torque=(1e308, 0, 0), wait=False)

    given = ('-p', 'substeps:=32', '-p', 'start_paused:=true', '--duration', '2')
    with process(command, 'run', scenario, *given, '--record', str(bag)) as child:
        _, errors = drive(ros, child, act, every=4, paused=True)
    found = problems(errors)
    assert child.returncode == (1 if found else 0), errors
    assert len(found) <= 1
    assert_finite(heard)
    assert_bag_is_whole(command, bag)
