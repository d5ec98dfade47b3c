# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bags hold everything, exactly, however the run ended."""

import random
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
import yaml
from processes import printed
from ros_helpers import PATIENCE, process, wait_for
from rosbags.rosbag2 import Reader

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.recording.bag_writer import BagWriter
from spacecraft_attitude_sim.recording.errors import RecordingError

STREAMS = (
    '/clock',
    '/pose',
    '/imu/data',
    '/imu/data_raw',
    '/ground_truth/odometry',
    '/ground_truth/angular_momentum',
)


def messages(bag):
    """Return {topic: [(time, bytes)]} of a bag."""
    found = {}
    with Reader(bag) as reader:
        for connection, stamp, data in reader.messages():
            found.setdefault(connection.topic, []).append((stamp, bytes(data)))
    return found


@pytest.fixture(scope='module')
def bags(tmp_path_factory, command):
    """The same 10 s recorded at real time and as fast as possible."""
    folder = tmp_path_factory.mktemp('bags')
    for name, rate in (('real_time', 1), ('fast', 0)):
        printed(command, 'run', 'tennis_racket', '--rate', rate, '--record', folder / name)
    return folder


def test_bag_has_every_instant_with_its_exact_stamp(bags):
    found = messages(bags / 'real_time')
    for topic in STREAMS:
        assert [stamp for stamp, _ in found[topic]] == [k * TICK_NS for k in range(321)], topic
    assert len(found['/scenario']) == 1


def test_running_fast_changes_no_bit(bags):
    slow, fast = messages(bags / 'real_time'), messages(bags / 'fast')
    for topic in STREAMS:
        assert slow[topic] == fast[topic], topic


def test_bag_says_what_rosbag2_asks_for(bags):
    document = yaml.safe_load((bags / 'real_time' / 'metadata.yaml').read_text())
    information = document['rosbag2_bagfile_information']
    assert information['version'] == 9
    assert information['storage_identifier'] == 'mcap'
    assert information['duration']['nanoseconds'] >= 10_000_000_000
    for topic in information['topics_with_message_count']:
        metadata = topic['topic_metadata']
        assert metadata['type_description_hash'].startswith('RIHS01_'), metadata['name']
        (qos,) = metadata['offered_qos_profiles']
        latched = metadata['name'] == '/scenario'
        assert qos['reliability'] == 'reliable'
        assert qos['durability'] == ('transient_local' if latched else 'volatile')
    counts = {
        topic['topic_metadata']['name']: topic['message_count']
        for topic in information['topics_with_message_count']
    }
    assert all(counts[topic] == 321 for topic in STREAMS)


def test_bag_and_table_tell_the_same_story(bags, tmp_path, command):
    path = tmp_path / 'run.csv'
    printed(command, 'run', 'tennis_racket', '--rate', 0, '--csv', path)
    table, _ = history.read(path)
    recorded, _ = history.read(bags / 'fast')
    for one, other in zip(table, recorded, strict=True):
        assert np.array_equal(one, other)


def test_observers_change_no_bit(tmp_path, command):
    """The trajectory with recorder and markers is the one without them."""
    tables = []
    for name, options in (('alone', ['--no-markers']), ('seen', ['--record', tmp_path / 'bag'])):
        path = tmp_path / f'{name}.csv'
        given = ('--rate', 0, '--duration', 10, '--csv', path)
        printed(command, 'run', 'cubesat_tumble', *given, *options)
        tables.append(path.read_bytes())
    assert tables[0] == tables[1]


@pytest.mark.parametrize('seed', [1, 2, 3])
def test_killed_run_leaves_a_bag_with_all_but_the_last_second(tmp_path, command, domain, seed):
    bag = tmp_path / 'bag'
    survive = random.Random(seed).uniform(2.0, 4.0)
    arguments = ['run', 'tennis_racket', '--duration', '60', '--record', str(bag)]
    with process(command, *arguments, '--csv', str(tmp_path / 'x.csv')) as child:
        wait_for(lambda: _last_time(bag) >= survive)
        child.send_signal(signal.SIGKILL)
        child.wait()
        found = messages(bag)
        reached = _last_time(bag)
    for topic in STREAMS:
        times = [stamp for stamp, _ in found[topic]]
        assert times == [k * TICK_NS for k in range(len(times))], topic
        # A checkpoint every half second of wall time; the run is at real time.
        assert times[-1] * 1e-9 > survive - 1.0
    assert reached >= survive


def _last_time(bag):
    """Return the latest time in a bag [s]; 0 before there is one."""
    metadata = bag / 'metadata.yaml'
    if not metadata.exists():
        return 0.0
    information = yaml.safe_load(metadata.read_text())['rosbag2_bagfile_information']
    if not information['message_count']:
        return 0.0
    start = information['starting_time']['nanoseconds_since_epoch']
    return (start + information['duration']['nanoseconds']) * 1e-9


def test_full_disk_leaves_what_was_written_before(tmp_path):
    """A limit on the size of a file stands for a disk that fills up."""
    program = f"""
from rosbags.rosbag2 import Reader
from spacecraft_attitude_sim.recording.bag_writer import BagWriter
writer = BagWriter({str(tmp_path / 'bag')!r})
connection = writer.add_topic(
    '/x', 'std_msgs/msg/String', writer.typestore.hash_rihs01('std_msgs/msg/String'), [])
kept = 0
try:
    for number in range(100_000):
        writer.write(connection, number, bytes(100))
        if number % 100 == 99:
            writer.checkpoint()
            kept = number + 1
except OSError as error:
    print(kept)
"""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    done = subprocess.run(
        [sys.executable, '-c', program],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    kept = int(done.stdout)
    assert kept > 500
    assert len(messages(tmp_path / 'bag')['/x']) == kept


def test_existing_folder_is_not_written_into(tmp_path):
    with pytest.raises(RecordingError, match='exists already'):
        BagWriter(tmp_path)


def test_recorder_node_records_what_another_process_publishes(tmp_path, command, domain):
    bag = tmp_path / 'bag'
    with process(command, 'node', 'recorder', '--ros-args', '-p', f'folder:={bag}') as recorder:
        subprocess.run(
            [command, 'run', 'symmetric_top', '--duration', '4', '--rate', '1'],
            check=True,
            timeout=600,
        )
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait(timeout=PATIENCE) == 0
    found = messages(bag)
    # It connects while the run goes on, so the first instants may be missing, none after.
    times = [stamp for stamp, _ in found['/pose']]
    assert times == list(range(times[0], 128 * TICK_NS + 1, TICK_NS))
    assert len(found['/scenario']) == 1


def test_metadata_of_a_bag_that_is_never_ended_counts_all_up_to_the_last_checkpoint(tmp_path):
    """As after SIGKILL: totals of the bag and of its file, the times, and each topic's count."""
    writer = BagWriter(tmp_path / 'bag')
    kind = 'std_msgs/msg/String'
    one, other = (
        writer.add_topic(topic, kind, writer.typestore.hash_rihs01(kind), [])
        for topic in ('/one', '/other')
    )
    for number in range(6):
        writer.write(one, 1000 + 10 * number, bytes(100))
        if number % 2:
            writer.write(other, 2000 + number, bytes(100))
            writer.checkpoint()
    document = yaml.safe_load((tmp_path / 'bag' / 'metadata.yaml').read_text())
    information = document['rosbag2_bagfile_information']
    (file,) = information['files']
    for totals in (information, file):
        assert totals['message_count'] == 9
        assert totals['starting_time']['nanoseconds_since_epoch'] == 1000
        assert totals['duration']['nanoseconds'] == 1005
    counts = [topic['message_count'] for topic in information['topics_with_message_count']]
    assert counts == [6, 3]
    assert (tmp_path / 'bag' / file['path']).is_file()
    found = messages(tmp_path / 'bag')
    assert [len(found[topic]) for topic in ('/one', '/other')] == [6, 3]


def test_recorder_files_a_message_under_its_stamp_unless_that_is_far_from_the_clock(ros, tmp_path):
    """Further than 10 s either way, as a stamp of zero after a while, it is not simulated time."""
    from geometry_msgs.msg import PointStamped
    from rclpy.parameter import Parameter
    from rosgraph_msgs.msg import Clock
    from std_msgs.msg import Header, String
    from visualization_msgs.msg import Marker, MarkerArray

    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.nodes.ros import conversions

    second = 1_000_000_000
    clock = ros.node.create_publisher(Clock, '/clock', 10)
    points = ros.node.create_publisher(PointStamped, 'point', 10)
    words = ros.node.create_publisher(String, 'words', 10)
    markers = ros.node.create_publisher(MarkerArray, 'seen', 10)
    wanted = [Parameter('markers', value=True)]
    recorder = ros.add(RecorderNode(tmp_path / 'bag', parameter_overrides=wanted))
    topics = (clock, points, words, markers)
    ros.until(lambda: all(topic.get_subscription_count() for topic in topics))

    def publish(publisher, message):
        count = recorder.counts[publisher.topic_name]
        publisher.publish(message)
        ros.until(lambda: recorder.counts[publisher.topic_name] > count)

    publish(clock, Clock(clock=conversions.time_from_nanoseconds(30 * second)))
    stamps = [25 * second, 0, 35 * second, 1_700_000_000 * second, 20 * second, 40 * second + 1]
    for stamp in stamps:
        header = Header(stamp=conversions.time_from_nanoseconds(stamp))
        publish(points, PointStamped(header=header))
    # What has no stamp is of the clock's time; a list, of its first element's.
    publish(words, String(data='hello'))
    marker = Marker(header=Header(stamp=conversions.time_from_nanoseconds(27 * second)))
    publish(markers, MarkerArray(markers=[marker]))
    publish(clock, Clock(clock=conversions.time_from_nanoseconds(31 * second)))
    publish(words, String(data='again'))
    recorder.finish()
    found = messages(tmp_path / 'bag')
    assert [stamp // second for stamp, _ in found['/words']] == [30, 31]
    assert [stamp // second for stamp, _ in found['/seen']] == [27]
    assert [stamp // second for stamp, _ in found['/clock']] == [30, 31]
    filed = sorted(stamp // second for stamp, _ in found['/point'])
    assert filed == [20, 25, 30, 30, 30, 35]
