# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder takes whatever is published and files it under a time that makes sense."""

import random
from types import SimpleNamespace

import pytest
from builtin_interfaces.msg import Time
from processes import printed
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from ros_helpers import process
from rosbags.rosbag2 import Reader
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu
from std_msgs.msg import Header, String
from visualization_msgs.msg import MarkerArray

from spacecraft_attitude_sim.nodes.recorder.node import BagTime, RecorderNode
from spacecraft_attitude_sim.nodes.ros import qos

SECOND = 1_000_000_000


def recorded(bag):
    """Return {topic: [time]} of a bag."""
    found = {}
    with Reader(bag) as reader:
        for connection in reader.connections:
            found[connection.topic] = []
        for connection, stamp, _ in reader.messages():
            found[connection.topic].append(stamp)
    return found


# --- quality of service ---------------------------------------------------------------------


@pytest.mark.parametrize('order', [1, -1])
def test_the_recorder_asks_for_no_more_than_every_publisher_of_a_topic_offers(order):
    """A subscription that asks for more hears nothing of those that offer less (REP-2003)."""
    reliable, best_effort = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT
    volatile, latched = DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL
    offers = {
        ((reliable, latched),) * 2: (reliable, latched),
        ((reliable, latched), (reliable, volatile)): (reliable, volatile),
        ((reliable, latched), (best_effort, latched)): (best_effort, latched),
        ((reliable, volatile), (best_effort, latched)): (best_effort, volatile),
    }
    for offered, asked in offers.items():
        several = [QoSProfile(depth=1, reliability=one, durability=own) for one, own in offered]
        found = qos.of_recorder([SimpleNamespace(qos_profile=one) for one in several[::order]])
        assert (found.reliability, found.durability) == asked
        assert found.history == HistoryPolicy.KEEP_ALL


# --- time of the bag ----------------------------------------------------------------------------


@pytest.mark.parametrize('stamp', [0, 100 * SECOND, 2**31 * SECOND - 1, None])
def test_stamp_far_from_the_clock_is_not_used(stamp):
    time = BagTime()
    time.of(50 * SECOND, leads=True)
    assert time.of(stamp, leads=False) == 50 * SECOND


@pytest.mark.parametrize('seconds', [41, 59])
def test_stamp_near_the_clock_is_the_time_of_its_message(seconds):
    time = BagTime()
    time.of(50 * SECOND, leads=True)
    assert time.of(seconds * SECOND, leads=False) == seconds * SECOND
    assert time.of(None, leads=False) == 50 * SECOND


@pytest.mark.parametrize('stray', [0, 2**31 * SECOND - 1])
def test_one_stray_clock_moves_nothing_and_two_that_agree_do(stray):
    time = BagTime()
    time.of(50 * SECOND, leads=True)
    assert time.of(stray, leads=True) == 50 * SECOND
    assert time.of(51 * SECOND, leads=True) == 51 * SECOND
    assert time.of(stray, leads=True) == 51 * SECOND
    assert time.of(52 * SECOND, leads=True) == 52 * SECOND
    # A simulation that began again, or one that went on after a long silence.
    time.of(stray, leads=True)
    assert time.of(stray, leads=True) == stray


# --- what others publish ------------------------------------------------------------------------


def stamped(seconds, nanoseconds=0):
    return Header(stamp=Time(sec=seconds, nanosec=nanoseconds))


def test_no_message_from_outside_ends_a_recording_or_spoils_its_time(ros, tmp_path):
    clock = ros.node.create_publisher(Clock, '/clock', 100)
    imu = ros.node.create_publisher(Imu, '/imu', 100)
    text = ros.node.create_publisher(String, '/text', 100)
    recorder = ros.add(RecorderNode(tmp_path / 'bag'))
    ros.until(lambda: all(p.get_subscription_count() for p in (clock, imu, text)))
    noise = random.Random(3)
    odd = [
        Imu(header=stamped(-5)),
        Imu(header=stamped(2**31 - 1)),
        Imu(header=stamped(2, 2**32 - 1)),
        *(bytes([0, 1, 0, 0]) + noise.randbytes(length) for length in (1, 7, 8, 40)),
    ]
    for second in range(2, 7):
        clock.publish(Clock(clock=Time(sec=second)))
        ros.until(lambda s=second: recorder.counts['/clock'] == s - 1)
        for message in odd:
            imu.publish(message)
        imu.publish(Imu(header=stamped(second)))
        text.publish(String(data='x'))
        ros.until(lambda s=second: recorder.counts['/imu'] == 8 * (s - 1))
        ros.until(lambda s=second: recorder.counts['/text'] == s - 1)
    for stray in (Time(sec=-3), Time(sec=2**31 - 1), Time(sec=1, nanosec=2**32 - 1)):
        count = recorder.counts['/clock']
        clock.publish(Clock(clock=stray))
        ros.until(lambda n=count: recorder.counts['/clock'] == n + 1)
        text.publish(String(data='y'))
    ros.until(lambda: recorder.counts['/text'] == 8)
    assert not recorder.failure
    assert not recorder.missed
    found = recorded(recorder.finish())
    expected = [second * SECOND for second in range(2, 7)]
    assert found['/clock'] == expected + 3 * [6 * SECOND]
    assert found['/text'] == expected + 3 * [6 * SECOND]
    assert found['/imu'] == [time for time in expected for _ in range(8)]


def test_message_that_cannot_be_written_is_counted_and_the_next_ones_are_recorded(
    ros, tmp_path, monkeypatch
):
    text = ros.node.create_publisher(String, '/text', 100)
    recorder = ros.add(RecorderNode(tmp_path / 'bag'))
    ros.until(text.get_subscription_count)
    write = recorder._writer.write

    def fail(number, time, data):
        if b'odd' in data:
            raise ValueError('odd')
        write(number, time, data)

    monkeypatch.setattr(recorder._writer, 'write', fail)
    for word in ('one', 'odd', 'two', 'odd'):
        text.publish(String(data=word))
    ros.until(lambda: recorder.counts['/text'] + recorder.missed['/text'] == 4)
    assert recorder.missed['/text'] == 2
    assert len(recorded(recorder.finish())['/text']) == 2


# --- markers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('parameters', 'topics'),
    [
        ({}, {'/text'}),
        ({'markers': True}, {'/text', '/sat/shapes'}),
        ({'topics': ['/sat/shapes']}, {'/sat/shapes'}),
    ],
)
def test_markers_are_recorded_when_asked_for(ros, tmp_path, parameters, topics):
    """They are known by their type, whatever their topic is called."""
    publishers = [
        ros.node.create_publisher(String, '/text', 10),
        ros.node.create_publisher(MarkerArray, '/sat/shapes', 10),
    ]
    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    recorder = ros.add(RecorderNode(tmp_path / 'bag', parameter_overrides=overrides))
    ros.until(lambda: topics <= set(recorder.counts))
    recorder.discover()
    assert recorder.ready()
    assert {p.topic_name for p in publishers} & set(recorder.counts) == topics
    assert set(recorded(recorder.finish())) >= topics


@pytest.fixture(scope='module')
def flown(command, tmp_path_factory):
    """Return two bags of a second, one with markers and one without."""
    folder = tmp_path_factory.mktemp('flown')
    for name, options in (('with', ['--record-markers']), ('without', [])):
        given = ('--rate', 0, '--duration', 1, '--record', folder / name)
        printed(command, 'run', 'tennis_racket', *given, *options)
    return folder / 'with', folder / 'without'


def test_markers_are_made_again_beside_a_replay(flown, ros, command):
    bag, again = flown
    assert len(recorded(bag)['/markers']) == 33
    assert '/markers' not in recorded(again)
    heard = ros.listen(MarkerArray, 'markers')
    with process(command, 'node', 'markers') as markers:
        ros.connected('/markers')
        with process(command, 'replay', str(again), '--rate', '0', '--delay', '8') as replay:
            assert replay.wait(timeout=60) == 0
            ros.until(lambda: len(heard) >= 33)
        assert markers.poll() is None
    stamps = {marker.header.stamp.nanosec for array in heard for marker in array.markers}
    assert 31_250_000 in stamps
