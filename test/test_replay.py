# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bags played again, and runs computed again from them."""

import contextlib
import time
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from bags import altered
from geometry_msgs.msg import PoseStamped, WrenchStamped
from processes import called, printed, run
from ros_helpers import PATIENCE, process
from rosbags.rosbag2 import Reader
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros import qos as quality
from spacecraft_attitude_sim.recording import bag_writer, history, mcap_file, reader
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs
from spacecraft_attitude_sim.runs import replay

# What they do on a floor is in test_contact_node.
# These are like others: of slugs, dual_spin and test_internal_topics have all there is, and of the
# 3U cubesat_3u_leo. test_fault_node computes cubesat_wheel_stuck again.
ALIKE = ('explorer_1', 'flat_spin', 'lewis', 'cubesat_3u_mission', 'cubesat_wheel_stuck')
FREE_SCENARIOS = [
    n
    for n, path in scenario.shipped().items()
    if '/contact' not in path.read_text() and n not in ALIKE
]

# Of each tick, beside the nine that all have: wheels, gyros or thrusters, as they say it and in
# truth, the momentum of what turns inside, the gravity gradient, the weight on a bearing.
MORE_TOPICS = {
    'wheels_take_over': 2, 'gravity_gradient': 1, 'cubesat_pyramid': 3, 'station_cmg': 4,
    'thruster_limit_cycle': 2, 'cubesat_pyramid_limits': 5, 'cubesat_3u_leo': 17,
    'fast_tumbler': 6, 'gravity_gradient_boom': 5, 'csswe': 7, 'cubesat_3u_target_pass': 11,
    'spinner_damper': 1, 'dual_spin': 4, 'cubesat_panels': 3, 'air_bearing_wheels': 4,
}  # fmt: skip
# Ticks between readings of a magnetometer that does not read in all of them.
SELDOM = {'fast_tumbler': 8}
# What is silent where it sees nothing: counted in the bag.
SILENT = ('/star_tracker/attitude', '/sun_sensor/fine/direction', '/gnss/')


@pytest.fixture(scope='module')
def bag(tmp_path_factory, command):
    """Four seconds of the CubeSat."""
    path = tmp_path_factory.mktemp('replay') / 'bag'
    arguments = ('run', 'cubesat_tumble', '--rate', 0, '--duration', 4, '--record', path)
    printed(command, *arguments)
    return path


@pytest.mark.parametrize('name', FREE_SCENARIOS)
def test_a_scenario_with_random_commands_is_computed_again_to_the_bit(
    ros, command, tmp_path, name, placed_roughly
):
    rng = np.random.default_rng(5)
    path = tmp_path / 'bag'
    wrench = ros.node.create_publisher(WrenchStamped, 'command/wrench', 100)
    impulse = ros.node.create_publisher(WrenchStamped, 'command/impulse', 100)
    arguments = ('run', name, '--rate', '5', '--duration', '2', '--record', str(path))
    with process(command, *arguments, '-p', 'start_paused:=true') as child:
        ros.until(lambda: wrench.get_subscription_count() >= 2)  # the recorder hears it, too
        ros.until(lambda: impulse.get_subscription_count() >= 2)
        ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False))
        limit = time.monotonic() + 300.0  # a kernel may be being compiled
        while child.poll() is None:
            assert time.monotonic() < limit, 'the run does not end'
            message = WrenchStamped(
                wrench=conversions.wrench_to_ros(*np.split(rng.normal(size=6) * 1e-5, 2))
            )
            message.header.frame_id = ('base_link', 'world')[rng.integers(2)]
            (wrench, impulse)[rng.integers(2)].publish(message)
            ros.executor.spin_once(timeout_sec=0.005)
        assert child.wait() == 0, child.stderr.read()
    done = printed(command, 'replay', path, '--resimulate')
    rate = scenario.load(scenario.find(name)).plant.ticks.rate
    ticks = round(2 * rate)
    samples = (ticks + 1) * (9 + MORE_TOPICS.get(name, 0))
    samples += ticks // SELDOM[name] + 1 if name in SELDOM else 0
    with Reader(path) as reader:
        seen = {one.topic: one.msgcount for one in reader.connections}
    samples += sum(n for topic, n in seen.items() if topic.startswith(SILENT))
    if name == 'cubesat_3u_leo':
        assert 0 < seen['/sun_sensor/fine/direction'] <= ticks + 1
        assert sum(topic.startswith('/gnss/') for topic in seen) == 3
    assert done.strip() == f'identical: {samples} of {samples}'
    done = run(command, 'plot', path, '-o', tmp_path / 'x.svg')
    assert 'x.svg' in done.stdout, done.stderr


def flip_last_bit(message):
    """Change the smallest thing there is."""
    rate = message.angular_velocity
    rate.y = float(np.nextafter(rate.y, np.inf))


def test_one_altered_bit_is_found_and_named(bag, command, tmp_path):
    copy = tmp_path / 'altered'
    altered(bag, copy, '/imu/data', 50, flip_last_bit)
    done = run(command, 'replay', copy, '--resimulate')
    assert done.returncode == 1
    assert 'identical: 1160 of 1161' in done.stdout
    assert 'imu/data at tick 50 (1.5625 s): angular_velocity.y is' in done.stdout


def test_altered_input_shows_from_its_tick_on(bag, command, tmp_path):
    def push(message):
        message.data = message.data + 1e-9 * (np.arange(len(message.data)) == 4)

    copy = tmp_path / 'altered'
    altered(bag, copy, '/ground_truth/inputs', 64, push)
    done = run(command, 'replay', copy, '--resimulate')
    assert done.returncode == 1
    assert 'at tick 64 (2.0 s)' in done.stdout


def test_bag_of_several_files_is_computed_again_like_one(bag, command, tmp_path, monkeypatch):
    """Messages of one tick may be in two files."""
    monkeypatch.setattr(bag_writer, 'CHUNKS_PER_FILE', 1)
    copy = tmp_path / 'copy'
    writer, numbers = bag_writer.BagWriter(copy), {}
    with Reader(bag) as reader:
        for connection in reader.connections:
            qos = connection.ext.offered_qos_profiles
            described = (connection.topic, connection.msgtype, connection.digest, qos)
            numbers[connection.id] = writer.add_topic(*described)
        for count, (connection, stamp, data) in enumerate(reader.messages()):
            writer.write(numbers[connection.id], stamp, data)
            if count % 200 == 199:
                writer.checkpoint()
    writer.finish()
    assert len(list(copy.glob('*.mcap'))) > 5
    done = run(command, 'replay', copy, '--resimulate')
    assert done.stdout.strip() == 'identical: 1161 of 1161'
    for one, other in zip(history.read(bag)[0][:5], history.read(copy)[0][:5], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize('differs', [(), ('/one',), ('/two',), ('/one', '/two')])
def test_one_spacecraft_that_differs_gives_status_1_whichever_it_is(
    monkeypatch, tmp_path, differs
):
    verdicts = {
        name: replay.Verdict(6 - (name in differs), 6, 'tick 3' * (name in differs))
        for name in ('/one', '/two')
    }
    monkeypatch.setattr(reader, 'namespaces', lambda *_: [*verdicts])
    monkeypatch.setattr(replay, 'resimulate', lambda bag, told, namespace: verdicts[namespace])
    done = called('replay', tmp_path, '--resimulate')
    assert done.returncode == bool(differs)
    assert done.stdout.count('first difference: tick 3') == len(differs)
    for name, verdict in verdicts.items():
        assert f'{name[1:]}: identical: {verdict.identical} of 6' in done.stdout


# Of a chunk each: between chunks there is an index, from which nothing is read.
@pytest.mark.parametrize('place', [0.1, 0.45, 0.9])
def test_one_bit_of_the_file_is_found(bag, command, tmp_path, place):
    copy = tmp_path / 'bag'
    copy.mkdir()
    for file in bag.iterdir():
        content = bytearray(file.read_bytes())
        if file.suffix == '.mcap':  # in what holds messages: nothing reads the index at the end
            chunks = list(mcap_file.chunks_of(file).values())
            chunk = chunks[int(place * len(chunks))]
            content[chunk.data + int(place * chunk.compressed)] ^= 1
        (copy / file.name).write_bytes(content)
    done = run(command, 'replay', copy, '--resimulate')
    assert done.returncode == 2
    assert 'damaged between' in done.stderr or 'cannot be read' in done.stderr
    assert 'Traceback' not in done.stderr


def inputs_of(tick, given=False, revision=0, **more):
    """Return RecordedInputs of a tick at which nobody commands anything."""
    if given:
        more = {'state': to_flat(scenario.build({}, 'x').initial)[:13], **more}
    return RecordedInputs(tick, given, 0, revision, np.zeros(12), np.zeros(6), **more)


@pytest.mark.parametrize(
    ('recorded', 'said'),
    [
        ([inputs_of(0, True), inputs_of(1), inputs_of(2), inputs_of(3, True)], ''),
        ([inputs_of(7, True, elapsed=7)], 'bag: begins 7 ticks after the start of its run; resim'),
        ([inputs_of(0, True), inputs_of(9, True, elapsed=3)], ''),  # one that was put
        ([inputs_of(3)], 'bag: inputs of tick 2 are missing; resimulation needs'),
        ([inputs_of(0, True), inputs_of(2)], 'bag: inputs of tick 1 are missing; resimulation'),
        ([inputs_of(0, True, revision=1)], 'bag: revision 1 of topic scenario is missing; record'),
        ([inputs_of(0, True, touch=np.zeros(30))], 'bag: inputs of tick 0 and topic scenario dis'),
        (
            [inputs_of(0, True), inputs_of(1, wheel_torque=np.zeros(2))],
            'bag: inputs of tick 1 are of 2 wheels, and topic scenario has 0',
        ),
        (
            [inputs_of(0, True), inputs_of(1, faults=np.zeros(2))],
            'bag: inputs of tick 1 are of 2 faults, and topic scenario has 0',
        ),
        (
            [inputs_of(0, True, internal=np.zeros(1))],
            'bag: inputs of tick 0 are of 1 wheels, and topic scenario has 0',
        ),
    ],
)
def test_inputs_that_do_not_make_a_run_are_named(recorded, said):
    found = replay._instants('bag', {0: scenario.build({}, 'x')}, recorded)
    if not said:
        times = [(instant.tick, was_set) for _, instant, _, was_set in found]
        assert times == [(one.tick, one.given) for one in recorded]
        return
    with pytest.raises(RecordingError, match=said):
        list(found)


def test_replay_publishes_what_was_recorded_clock_included(ros, command, bag):
    clock, poses = ros.listen(Clock, '/clock'), ros.listen(PoseStamped, 'pose')
    texts = ros.listen(String, 'scenario', quality.LATCHED)
    with process(
        command, 'replay', str(bag), '--rate', '2', '--start', '1', '--delay', '8'
    ) as child:
        ros.until(lambda: clock and _tick(clock[-1].clock) == 128)
        assert child.wait(timeout=PATIENCE) == 0
    ros.until(lambda: _tick(poses[-1].header.stamp) == 128)
    ticks = [_tick(message.header.stamp) for message in poses]
    assert ticks == list(range(32, 129))
    assert [_tick(message.clock) for message in clock] == ticks
    assert texts  # latched topics are published though they are before the start


def test_replay_names_and_skips_a_message_longer_than_its_type(ros, bag, tmp_path, capfd):
    """It was an error of RCL with a traceback."""
    longer = tmp_path / 'longer'
    altered(bag, longer, '/clock', 5, lambda data: bytes(data) + bytes(5000), serialised=True)
    clock = ros.listen(Clock, '/clock')
    options = replay.PlayOptions(rate=0.0, delay=0.0)
    node = ros.add(rclpy.create_node('replay'))
    made = node.create_publisher(Clock, '/clock', 64)
    ros.until(made.get_subscription_count)
    replay.play(longer, node, False, options, lambda seconds, whole: None)
    ros.until(lambda: clock and _tick(clock[-1].clock) == 128)
    assert 5 not in [_tick(message.clock) for message in clock]
    assert capfd.readouterr().err.count('/clock: messages are left out') == 1


def _tick(stamp):
    return conversions.nanoseconds_from_ros(stamp) // TICK_NS


def test_replay_takes_as_long_as_the_asked_rate_says(ros, command, bag):
    """Never less than the bag's time over the rate; a busy machine may add some."""
    rate = 4
    heard = []
    ros.node.create_subscription(
        Clock, '/clock', lambda clock: heard.append((time.monotonic(), _tick(clock.clock))), 1000
    )
    arguments = ('replay', str(bag), '--rate', str(rate), '--start', '1', '--delay', '6')
    with process(command, *arguments) as child:
        ros.until(lambda: heard and heard[-1][1] == 128)
        said = child.communicate(timeout=PATIENCE)[1]
        assert child.returncode == 0
    assert f'{bag}: published ' in said  # a line now and then, without a terminal, too
    assert ' s of 4 s' in said
    (began, first), (ended, last) = heard[0], heard[-1]
    expected = (last - first) / 32.0 / rate
    assert first < 64  # connected in time
    # A message may take a few hundredths of a second; the inverse rate would take 12 s.
    assert expected - 0.1 < ended - began < expected + 3.0


def test_replay_loops_until_it_is_told_to_stop(ros, command, bag):
    clock = ros.listen(Clock, '/clock')
    with process(command, 'replay', str(bag), '--rate', '0', '--loop') as child:
        ros.until(lambda: sum(_tick(message.clock) == 128 for message in clock) >= 2)
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['/no/such/bag'], 'no such bag'),
        (['{bag}', '--start', '99'], 'the bag lasts 4 s'),
        (['{bag}', '--rate', '-1'], '--rate is -1.0'),
    ],
)
def test_impossible_replay_is_one_line(command, domain, bag, arguments, words):
    done = run(command, 'replay', *(word.format(bag=bag) for word in arguments))
    assert done.returncode == 2
    assert words in done.stderr
    assert 'Traceback' not in done.stderr


class Bag:
    """Three messages, a second apart from 5 s on, of a stream and of a latched topic."""

    start, duration = 5_000_000_000, 2_000_000_000

    def __init__(self, clock):
        def connection(number, topic, kind, durability, reliability):
            offered = SimpleNamespace(durability=durability, reliability=reliability)
            ext = SimpleNamespace(offered_qos_profiles=[offered])
            return SimpleNamespace(id=number, topic=topic, msgtype=kind, ext=ext)

        own, other = replay.QosDurability, replay.QosReliability
        self.connections = [
            connection(1, '/stream', 'std_msgs/msg/String', own.VOLATILE, other.BEST_EFFORT),
            connection(2, '/fixed', 'std_msgs/msg/String', own.TRANSIENT_LOCAL, other.RELIABLE),
            connection(3, '/odd', 'nowhere_msgs/msg/Odd', own.VOLATILE, other.RELIABLE),
        ]
        if clock:
            kind = 'rosgraph_msgs/msg/Clock'
            self.connections.append(connection(4, '/clock', kind, own.VOLATILE, other.RELIABLE))

    def messages(self):  # noqa: D102 (of rosbags)
        for second, numbers in ((0, (2, 3, 1)), (1, (1,)), (2, (1, 2))):
            for number in numbers:
                data = f'{second}'.encode()
                yield self.connections[number - 1], self.start + second * 10**9, data


@pytest.mark.parametrize('clock', [False, True])
@pytest.mark.parametrize(
    ('options', 'played', 'seconds'),
    [
        ({}, ['fixed 0', 'stream 0', 'stream 1', 'stream 2', 'fixed 2'], 3.0),
        ({'rate': 4.0, 'delay': 0.5}, ['fixed 0', 'stream 0', 'stream 1', 'stream 2', 'fixed 2'],
         1.0),
        ({'rate': 0.0, 'start': 1.0}, ['fixed 0', 'stream 1', 'stream 2', 'fixed 2'], 1.0),
        ({'start': 1.5, 'delay': 0.0}, ['fixed 0', 'stream 2', 'fixed 2'], 0.5),
        ({'start': 2.0, 'loop': True, 'delay': 0.0}, ['fixed 0', 'stream 2', 'fixed 2', 'fixed 0',
                                                     'stream 0', 'stream 1'], 1.0),
    ],
)  # fmt: skip
def test_replay_publishes_each_message_at_its_time(monkeypatch, clock, options, played, seconds):
    """With a clock of its own; what is latched comes however late the replay starts."""
    now, slept, told, shown, made = [100.0], [], [], [], {}

    def sleep(time):
        slept.append(time)
        now[0] += time

    def publisher(name):
        def publish(message):
            if name == '/clock':
                told.append(message.clock.sec)
            else:
                shown.append(f'{name.strip("/")} {message.decode()}')

        return SimpleNamespace(publish=publish)

    def create_publisher(kind, topic, quality):
        made[topic] = kind, quality
        return publisher(topic)

    warned = []
    logger = SimpleNamespace(warning=warned.append)
    node = SimpleNamespace(create_publisher=create_publisher, get_logger=lambda: logger)
    monkeypatch.setattr(replay.time, 'sleep', sleep)
    monkeypatch.setattr(replay.time, 'monotonic', lambda: now[0])
    monkeypatch.setattr(
        replay.bag_reader, 'opened', lambda path: contextlib.nullcontext(Bag(clock))
    )

    class Stop:
        def __bool__(self):
            return len(shown) >= len(played)

    parts = []
    stop = Stop() if options.get('loop') else False
    replay.play('a', node, stop, replay.PlayOptions(**options), lambda *pair: parts.append(pair))
    assert shown == played
    assert now[0] - 100.0 == pytest.approx(seconds) and max(slept, default=0.0) <= 0.2
    assert parts == [(float(one.split()[1]), 2.0) for one in played]
    assert warned == ['/odd is not played: nowhere_msgs/msg/Odd is not installed']
    made_clock, depth = made.pop('/clock') if not clock else (Clock, replay.DEPTH)
    qualities = {topic: (one.reliability, one.durability) for topic, (_, one) in made.items()}
    kept, lost = replay.ReliabilityPolicy.RELIABLE, replay.ReliabilityPolicy.BEST_EFFORT
    late = replay.DurabilityPolicy.TRANSIENT_LOCAL
    assert (qualities['/fixed'], qualities['/stream'][0]) == ((kept, late), lost)
    assert qualities['/stream'][1] != late
    assert (made_clock, depth) == (Clock, replay.DEPTH)
    assert told == ([] if clock else [5 + int(one.split()[1]) for one in played])


@pytest.mark.parametrize('start', [-0.1, 2.1])
def test_a_replay_starts_within_its_bag(monkeypatch, start):
    monkeypatch.setattr(
        replay.bag_reader, 'opened', lambda path: contextlib.nullcontext(Bag(True))
    )
    with pytest.raises(RecordingError, match=rf'a: --start is {start} s; the bag lasts 2 s'):
        replay.play('a', None, False, replay.PlayOptions(start=start), print)


def test_a_message_of_the_inputs_is_of_its_tick_and_another_of_its_stamp():
    found = scenario.load(scenario.find('tennis_racket'))
    assert replay._tick(found, replay.INPUTS, 7) == 7
    assert replay._tick(found, '/ground_truth/odometry', 7 * TICK_NS) == 7


def test_numbers_that_one_message_has_more_than_the_other_are_differences():
    short, long = JointState(position=[1.0, 2.0]), JointState(position=[1.0, 2.0, 3.0])
    assert list(replay._differences(long, short, '')) == [('position[2]', None, 3.0)]
    assert list(replay._differences(short, long, '')) == [('position[2]', 3.0, None)]
    assert list(replay._differences(long, long, '')) == []
