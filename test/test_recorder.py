# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder takes whatever is published and files it under a time that makes sense."""

import random
import struct
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from processes import printed
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)
from ros_helpers import process
from rosbags.rosbag2 import Reader
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu
from std_msgs.msg import Empty, Float64MultiArray, Header, String
from visualization_msgs.msg import MarkerArray

from spacecraft_attitude_sim.nodes.recorder import node
from spacecraft_attitude_sim.nodes.recorder import node as recorder
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


# --- without ROS ---------------------------------------------------------------------------------


@pytest.mark.parametrize('order', ['<', '>'])
def test_a_stamp_is_read_in_either_order_of_bytes_or_is_none(order):
    def data(seconds, nanoseconds, before=4):
        head = bytes((0, order == '<')) + bytes(before - 2)
        return head + struct.pack(f'{order}iI', seconds, nanoseconds)

    assert recorder._stamp_at(data(3, 5), 4) == 3_000_000_005
    assert recorder._stamp_at(data(0, 999_999_999, 8) + b'x', 8) == 999_999_999
    for wrong in (data(3, 10**9), data(-1, 5), data(3, 5)[:-1]):
        assert recorder._stamp_at(wrong, 4) is None


@pytest.mark.parametrize(
    ('kind', 'place'),
    [
        (Odometry, 4), (Clock, 4), (MarkerArray, 8), (String, None), (Float64MultiArray, None),
        (Empty, None),
    ],
)  # fmt: skip
def test_the_place_of_a_stamp_is_that_of_its_type(kind, place):
    assert recorder._place_of_stamp(kind) == place


def test_a_bag_keeps_what_a_publisher_offers():
    offered = QoSProfile(
        depth=7, reliability=ReliabilityPolicy.BEST_EFFORT, history=HistoryPolicy.KEEP_ALL,
        durability=DurabilityPolicy.TRANSIENT_LOCAL, deadline=Duration(nanoseconds=2_000_000_003),
        lifespan=Duration(seconds=5), liveliness=LivelinessPolicy.MANUAL_BY_TOPIC,
        liveliness_lease_duration=Duration(seconds=6), avoid_ros_namespace_conventions=True,
    )  # fmt: skip
    kept = recorder._qos_to_rosbags(offered)
    assert (kept.depth, kept.avoid_ros_namespace_conventions) == (7, True)
    named = kept.history, kept.reliability, kept.durability, kept.liveliness
    assert [one.name for one in named] == [
        'KEEP_ALL', 'BEST_EFFORT', 'TRANSIENT_LOCAL', 'MANUAL_BY_TOPIC',
    ]  # fmt: skip
    times = kept.deadline, kept.lifespan, kept.liveliness_lease_duration
    assert [(one.sec, one.nsec) for one in times] == [(2, 3), (5, 0), (6, 0)]


@pytest.fixture
def unheard():
    """A recorder that is in no graph, and a writer that notes what it does."""
    node = object.__new__(recorder.RecorderNode)
    node.folder, node.counts, node.missed, node.failure = Path('bag'), {}, Counter(), None
    node._lock, node._time = threading.RLock(), recorder.BagTime()
    node._wanted, node._types, node._markers = [], {}, False
    node.said, node.done = [], []
    node._writer = SimpleNamespace(**{
        name: lambda *given, name=name: node.done.append((name, *given))
        for name in ('write', 'checkpoint', 'finish', 'close')
    })  # fmt: skip
    logger = SimpleNamespace(warning=node.said.append, error=node.said.append)
    node.get_logger = lambda: logger
    return node


def test_a_message_that_cannot_be_written_is_told_once_and_a_full_disk_ends_the_bag(unheard):
    node, writer = unheard, unheard._writer
    node.counts = {'/a': 0}
    data = bytes((0, 1, 0, 0)) + struct.pack('<iI', 3, 5)
    node._write('/a', 1, data, 4)
    node._write('/a', 1, data, None)
    assert node.done == [('write', 1, 3_000_000_005, data)] * 2 and node.counts == {'/a': 2}
    node.counts['/clock'] = 0  # which leads from now on
    node._write('/a', 1, data[:4] + struct.pack('<iI', 9, 0), 4)
    assert node.done[-1][2] == 9 * 10**9
    node._write('/a', 1, data, 4)
    assert node.done[-1][2] == 3_000_000_005 and node._time.of(None, False) == 3_000_000_005

    def odd(*_):
        raise ValueError('odd')

    writer.write = odd
    node._write('/a', 1, data, 4)
    node._write('/a', 1, data, 4)
    assert node.missed == {'/a': 2} and node.counts['/a'] == 4
    assert node.said == ['/a: a message was not recorded: odd'] and not node.finished
    node._checkpoint()
    assert node.done[-1] == ('checkpoint',)

    def full(*_):
        raise OSError(28, 'No space')

    writer.write = full
    node._write('/a', 1, data, 4)
    assert node.failure == 'bag: recording stopped: No space' and node.finished
    assert node.said[1:] == [f'{node.failure}; everything written before is intact']
    assert node.done[-1] == ('close',) and node.counts['/a'] == 4
    count = len(node.done)
    node._write('/a', 1, data, 4)
    node._checkpoint()
    assert node.finish() == Path('bag') and len(node.done) == count


def test_a_bag_is_ended_once(unheard):
    assert unheard.finish() == unheard.finish() == Path('bag')
    assert unheard.done == [('finish',)] and unheard._lock.acquire(timeout=1.0)


def test_what_is_recorded_is_what_is_named_or_all_that_is_not_ours(unheard):
    own = recorder.OWN
    marked, plain = next(iter(recorder.MARKERS)), 'std_msgs/msg/String'
    unheard._types = {'/m': {marked}, '/t': {next(iter(recorder.TRANSITIONS))}, '/a': {plain}}
    topics = ['/m', '/t', '/a', '/unknown', f'{own}x', next(iter(recorder.NEVER_RECORDED))]
    assert [topic for topic in topics if unheard.wants(topic)] == ['/a', '/unknown']
    unheard._markers = True
    assert [topic for topic in topics if unheard.wants(topic)] == ['/m', '/a', '/unknown']
    unheard._wanted = ['/t', f'{own}x']
    assert [topic for topic in topics if unheard.wants(topic)] == ['/t', f'{own}x']


def test_it_is_ready_once_it_subscribes_to_all_that_somebody_publishes(unheard):
    topics = ['/a', '/heard', '/silent', '/new', '/rosout']
    unheard.get_topic_names_and_types = lambda: [(topic, []) for topic in topics]
    unheard.count_publishers = lambda topic: int(topic != '/silent')
    unheard._subscriptions_by_topic = {'/heard': None}
    unheard.discover = lambda: unheard._subscriptions_by_topic.update({'/new': None})
    assert unheard.unheard() == ['/a'] and not unheard.ready()
    topics.remove('/a')
    assert unheard.unheard() == [] and unheard.ready()


def test_what_was_recorded_is_read_before_the_recorder_ends(ros, tmp_path, monkeypatch):
    """As after a crash: checkpoints write it."""
    monkeypatch.setattr(node, 'CHECKPOINT_SECONDS', 0.05)
    heard = ros.node.create_publisher(String, '/x', 10)
    recorder = ros.add(node.RecorderNode(tmp_path / 'bag'))
    ros.until(heard.get_subscription_count)
    heard.publish(String(data='so'))

    def messages():
        with Reader(tmp_path / 'bag') as reader:
            return [connection.topic for connection, _, _ in reader.messages()]

    ros.until(lambda: '/x' in messages())
    recorder.finish()


def test_the_queue_of_a_stream_holds_two_seconds_and_never_less_than_at_32_hz():
    assert [qos.stream(rate).depth for rate in (0.5, 32.0, 40.0, 1000.3)] == [64, 64, 80, 2001]
    assert qos.stream(1000.0).reliability == ReliabilityPolicy.RELIABLE
