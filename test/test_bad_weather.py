# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that are stopped, starved, flooded and sent nonsense go on as if nothing had been."""

import contextlib
import os
import signal
import sys
import time

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from processes import run
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import ListParameters, SetParameters
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from remote import Remote, remote_simulator
from ros_helpers import PATIENCE, process
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu
from std_msgs.msg import String

from spacecraft_attitude_sim.nodes.ros import conversions, qos, session
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode


def test_a_stopped_process_comes_back_to_one_diagnostic_a_second_and_its_pace(ros, command):
    """Timers of rclpy's EventsExecutor that are reset while others are ready run wild."""
    arguments = ('--ros-args', '-p', 'real_time_factor:=10.0')
    heard = ros.listen(DiagnosticArray, '/diagnostics')
    clock = ros.listen(Clock, '/clock')
    with process(command, 'node', 'simulator', *arguments) as child:
        # Where nothing is compiled yet, time stands still until it is.
        ros.until(lambda: clock and clock[-1].clock.sec >= 5, patience=180.0)
        for _ in range(3):
            os.kill(child.pid, signal.SIGSTOP)
            time.sleep(1.5)  # what is tested is this very stop
            os.kill(child.pid, signal.SIGCONT)
            count = len(heard)
            ros.until(lambda: len(heard) > count)  # noqa: B023 (asked at once)
        begin, count, tick = time.monotonic(), len(heard), clock[-1].clock.sec
        ros.until(lambda: len(heard) >= count + 4)
        passed = time.monotonic() - begin
        # Four periods, the first of which may have begun before.
        assert passed > 2.9
        assert clock[-1].clock.sec - tick < 10 * passed + 6  # half a second of lag is made up for
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=PATIENCE) == 0


def test_no_timer_of_the_nodes_is_ever_reset():
    """What rclpy's EventsExecutor cannot bear; nodes/simulator/pacing.py says why."""
    from pathlib import Path

    import spacecraft_attitude_sim.nodes as nodes

    for path in Path(nodes.__file__).parent.rglob('*.py'):
        text = path.read_text(encoding='utf-8')
        for name in ('timer', 'silence'):
            assert f'{name}.reset(' not in text, path.name


def test_a_parameter_of_an_unknown_type_is_refused_and_the_node_goes_on(ros, command):
    with remote_simulator(ros, command, {}) as remote:
        value = ParameterValue(type=200)
        request = SetParameters.Request(
            parameters=[ParameterMessage(name='step_ticks', value=value)] * 2
        )
        results = ros.call(SetParameters, '/simulator/set_parameters', request).results
        assert [result.successful for result in results] == [False, False]
        assert results[0].reason
        remote.step(3)
        ros.until(lambda: remote.said().get('messages that could not be used') == '1')


class Listener(GuardedNode):
    """Counts what it hears, and cannot bear one text."""

    def __init__(self, **options):
        super().__init__('listener', **options)
        self.heard = 0
        self.create_subscription(String, 'texts', self._on_text, 10)
        self.create_subscription(String, 'known', self._on_known, 10)

    def _on_text(self, message):
        self.heard += 1
        if message.data == 'bad':
            raise ValueError('x' * 10_000)

    def _on_known(self, message, information):
        assert 'source_timestamp' in information
        self.heard += 100


@pytest.mark.parametrize('kind', [SingleThreadedExecutor, session.Executor])
def test_a_callback_that_raises_is_counted_and_the_next_message_comes(ros, kind):
    node = Listener()
    executor = kind()
    executor.add_node(node)
    publishers = [ros.node.create_publisher(String, topic, 10) for topic in ('texts', 'known')]
    ros.until(lambda: all(publisher.get_subscription_count() for publisher in publishers))
    for text in ('good', 'bad', 'good'):
        publishers[0].publish(String(data=text))
    publishers[1].publish(String(data='good'))
    limit = time.monotonic() + PATIENCE
    while node.heard < 103 and time.monotonic() < limit:
        session.spin_once(executor)
    executor.shutdown()
    node.destroy_node()
    assert node.heard == 103
    assert node.mishaps == {'texts': 1}
    assert len(node.last_mishap) < 500


def test_a_node_that_changes_its_executor_hears_what_the_first_was_told_of(ros):
    """Else a recorder would miss the last messages of a run that is cleaned up under load."""
    node = Listener()
    first, second = session.Executor(), session.Executor()
    first.add_node(node)
    publishers = [ros.node.create_publisher(String, topic, 10) for topic in ('texts', 'known')]
    ros.until(lambda: all(publisher.get_subscription_count() for publisher in publishers))
    for publisher in publishers:
        for text in ('good', 'bad', 'good'):
            publisher.publish(String(data=text))
        assert publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
    first.remove_node(node)
    second.add_node(node)
    node.take_waiting()
    assert node.heard == 303
    publishers[0].publish(String(data='good'))
    limit = time.monotonic() + PATIENCE
    while node.heard < 304 and time.monotonic() < limit:
        session.spin_once(second)
    for executor in (first, second):
        executor.shutdown()
    node.destroy_node()
    assert node.heard == 304
    assert node.mishaps == {'texts': 1}


def test_texts_that_are_no_utf_8_end_nothing(ros):
    """They are met before any callback, inside the executor."""
    node = Listener()
    executor = session.Executor()
    executor.add_node(node)
    publisher = ros.node.create_publisher(String, 'texts', 10)
    ros.until(publisher.get_subscription_count)
    whole = bytearray(b'\x00\x01\x00\x00\x05\x00\x00\x00good\x00')
    for text in (b'good', b'\xff\xfe\xff\xfe', b'good'):
        whole[8:12] = text
        publisher.publish(bytes(whole))
    limit = time.monotonic() + PATIENCE
    while node.heard < 2 and time.monotonic() < limit:
        session.spin_once(executor)
    executor.shutdown()
    node.destroy_node()
    assert node.heard >= 2


def test_a_clock_of_negative_seconds_ends_no_node_of_simulated_time(ros, command):
    said = ros.listen(DiagnosticArray, '/diagnostics')
    publisher = ros.node.create_publisher(Clock, '/clock', 10)
    arguments = ('--ros-args', '-p', 'use_sim_time:=true')
    with process(command, 'node', 'attitude_controller', *arguments) as child:
        ros.until(publisher.get_subscription_count)

        def show(seconds):
            # Best effort and one deep: what is published once may be missed.
            publisher.publish(Clock(clock=Time(sec=seconds)))
            return said[-1] if said else DiagnosticArray()

        counted = 'messages that could not be used'
        ros.until(lambda: any(v.key == counted for s in show(-5).status for v in s.values))
        ros.until(lambda: show(5).header.stamp.sec == 5)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=PATIENCE) == 0


def test_a_scenario_that_is_no_yaml_ends_no_markers(ros, command):
    publisher = ros.node.create_publisher(String, 'scenario', qos.LATCHED)
    with process(command, 'node', 'markers') as child:
        ros.until(publisher.get_subscription_count)
        for text in ('[1', '\x00', 'a: &a [*a]', '- ' * 10_000):
            publisher.publish(String(data=text))
        # It answers: from then on, and not while it starts, Ctrl-C ends it with status 0.
        assert ros.call(ListParameters, '/markers/list_parameters').result.names
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, errors
        assert 'Traceback' not in errors


def test_a_flood_of_refused_commands_leaves_the_pace_and_is_told_in_short(ros, command):
    with remote_simulator(ros, command, {}) as remote:
        remote.pause(False)
        ros.until(lambda: len(remote.poses) > 40, patience=180.0)  # compiled, if it had to be
        frame = 'nowhere' * 2000
        message = WrenchStamped()
        message.header.frame_id = frame
        begin, first = time.monotonic(), remote.time
        while time.monotonic() < begin + 3.0:
            # Where the simulator has no processor for 0.1 s, it is the flood that has to wait.
            with contextlib.suppress(rclpy_implementation.RCLError):
                for _ in range(20):
                    remote.wrench_topic.publish(message)
            ros.executor.spin_once(timeout_sec=0.01)
        ros.until(lambda: int(remote.said()['commands refused']) > 200)
        passed = time.monotonic() - begin
        # At least half its pace on however busy a machine; the fault was a tick a second.
        assert (remote.time - first) * 1e-9 > 0.5 * passed - 1.0
        assert len(remote.said()['last refusal']) < 500
        assert str(len(frame)) in remote.said()['last refusal']


def test_a_second_clock_is_named(ros, command):
    with remote_simulator(ros, command, {}) as remote:
        ros.node.create_publisher(Clock, '/clock', 10)
        remote.pause(False)
        ros.until(lambda: '/clock is published by /test_observer' in remote.said()['message'])
        assert remote.diagnostics[-1].status[0].level == DiagnosticStatus.WARN


@pytest.mark.parametrize('seconds', [2**31 - 1, -5])
def test_imu_data_from_another_time_do_not_stop_a_lockstep_loop(ros, command, tmp_path, seconds):
    imu = ros.node.create_publisher(Imu, 'imu/data', 10)
    remote = Remote(ros)
    ros.node.destroy_publisher(remote.wrench_topic)
    ros.node.destroy_publisher(remote.impulse_topic)
    with process(
        command, 'run', 'cubesat_pointing', '--duration', '0', '--no-markers', '--rate', '4'
    ) as child:
        ros.until(lambda: imu.get_subscription_count() and len(remote.poses) > 10)
        stray = Imu(header=conversions.header_to_ros(0, 'imu_link'))
        stray.header.stamp.sec = seconds
        stray.orientation.w = 1.0
        imu.publish(stray)
        reached = len(remote.poses)
        ros.until(lambda: len(remote.poses) > reached + 40)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=PATIENCE)
        assert 'Traceback' not in errors
    assert np.isfinite(remote.momenta[-1].vector.x)


HANGING = """
import time
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode

class Hanging(GuardedNode):
    def destroy_node(self):
        time.sleep(3600.0)

session.LONGEST_END = 0.5
with session.ros([]) as stop, session.executor_of([Hanging('hanging')], stop):
    print('written', flush=True)
"""


def test_a_process_whose_middleware_hangs_at_the_end_ends_and_says_where(domain):
    done = run(sys.executable, '-c', HANGING)
    assert (done.returncode, done.stdout) == (1, 'written\n')
    assert 'Timeout' in done.stderr and 'destroy_node' in done.stderr


REFUSED = """
import os
from spacecraft_attitude_sim import cli

for _ in range(2):
    try:
        cli.main(['run', 'tennis_racket', '-p', 'contact:mode:=rolling'])
    except SystemExit as end:
        assert end.code == 2
tasks = '/proc/self/task'
of_threads = [open(f'{tasks}/{number}/comm').read() for number in os.listdir(tasks)]
print(sum(name.startswith('dds.') and name != 'dds.shm.wdog\\n' for name in of_threads))
"""


def test_a_refused_run_leaves_no_node_behind_in_a_python_process(domain):
    """Two nodes are made before it is refused; rclpy's shutdown would destroy one."""
    done = run(sys.executable, '-c', REFUSED)
    assert done.stdout == '0\n', done.stderr


NODES = """
from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode

alive, ends = set(), []

class Counted:
    def __init__(self, *arguments, **options):
        alive.add(id(self))
        created(self, *arguments, **options)

    def destroy_node(self):
        alive.discard(id(self))
        ends.append(not alive)
        destroyed(self)

created, destroyed = GuardedNode.__init__, GuardedNode.destroy_node
GuardedNode.__init__, GuardedNode.destroy_node = Counted.__init__, Counted.destroy_node
for arguments in (
    ['run', 'tennis_racket', '--duration', '0.1', '--rate', '0'],
    ['node', 'simulator', '--ros-args', '-p', 'duration:=0.1'],
):
    try:
        cli.main(arguments)
    except SystemExit as end:
        assert not end.code
    print('nodes', len(ends), sum(ends))
    ends.clear()
"""


def test_a_process_is_in_the_graph_once(domain):
    """A process whose only node goes and comes again can crash others, or wait for ever."""
    done = run(sys.executable, '-c', NODES)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith('nodes ')]
    counts = [(int(nodes), int(ends)) for _, nodes, ends in lines]
    assert [ends for _, ends in counts] == [1, 1], done.stdout + done.stderr
    # The node of a floor that nobody asked for went while the simulator was there.
    assert all(nodes >= 2 for nodes, _ in counts)
