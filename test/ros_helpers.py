# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes and processes for tests: wait on conditions, never on sleeps."""

import collections
import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import rclpy
from processes import start
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import HistoryPolicy, QoSProfile

# Discovery mostly takes 0.4 s, now and then 2.6 s on a loaded machine.
PATIENCE = 60.0  # a processor that compiles for others is slow to answer
# Keeps a processor busy for 5 to 35 ms, then not for 20 ms.
BUSY = (
    sys.executable,
    '-c',
    'import itertools, time\n'
    'for number in itertools.count():\n'
    '    end = time.monotonic() + 0.005 * (1 + number % 7)\n'
    '    while time.monotonic() < end:\n'
    '        pass\n'
    '    time.sleep(0.02)\n',
)
EVERYTHING = QoSProfile(history=HistoryPolicy.KEEP_ALL, depth=0)


class RosTest:
    """One executor, the nodes a test makes, and what they hear."""

    def __enter__(self):
        """Start ROS."""
        rclpy.init()
        self.executor = SingleThreadedExecutor()
        self.nodes, self.clients = [], {}
        self.node = self.add(rclpy.create_node('test_observer'))
        return self

    def __exit__(self, *_):
        """End the nodes and ROS."""
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        rclpy.try_shutdown()

    def add(self, node):
        """Take a node into the executor."""
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def simulator(self, overrides=None, **options):
        """Return a SimulatorNode with these parameters."""
        from rclpy.parameter import Parameter

        from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

        given = [Parameter(name, value=value) for name, value in (overrides or {}).items()]
        return self.add(SimulatorNode(parameter_overrides=given, **options))

    def listen(self, message_type, topic, qos=EVERYTHING):
        """Return a list that fills with the messages of a topic."""
        heard = []
        self.node.create_subscription(message_type, topic, heard.append, qos)
        return heard

    def until(self, done, patience=PATIENCE):
        """Spin until done() is true; fail when it does not become so."""
        limit = time.monotonic() + patience
        while not done():
            assert time.monotonic() < limit, 'waited in vain'
            self.executor.spin_once(timeout_sec=0.05)

    def connected(self, *topics):
        """Spin until the test hears each topic."""
        self.until(lambda: all(self.node.count_publishers(topic) for topic in topics))
        publishers = [
            publisher
            for node in self.nodes
            for publisher in node.publishers
            if publisher.topic_name in topics
        ]
        self.until(lambda: all(p.get_subscription_count() for p in publishers))

    def settle(self):
        """Spin for a moment: others may find the test a little later than it finds them."""
        settled = time.monotonic() + 0.3
        self.until(lambda: time.monotonic() > settled)

    def call(self, service_type, name, request=None):
        """Return the answer of a service."""
        client = self.clients.get(name)
        if client is None:
            client = self.clients[name] = self.node.create_client(service_type, name)
        if not client.service_is_ready():
            self.until(client.service_is_ready)
            self.settle()  # Fast DDS drops an answer to a client that the server has not found yet
        future = client.call_async(request or service_type.Request())
        self.until(future.done)
        return future.result()


@contextlib.contextmanager
def process(*command, **options):
    """Run a command while the block runs; end it by its own id if it has not ended."""
    options = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True, **options}
    with start(*command, **options) as child:
        try:
            yield child
        finally:
            if child.poll() is None:
                child.send_signal(signal.SIGKILL)


def wait_until_idle(child, looks=25):
    """Wait until each thread of a process sleeps in more than half of the looks in half a second.

    A thread that waits for a processor that others use does not sleep.
    """
    threads = Path('/proc', str(child.pid), 'task')

    def awake():
        for thread in threads.iterdir():
            with contextlib.suppress(OSError):
                if (thread / 'stat').read_text().rpartition(')')[2].split()[0] in 'RD':
                    yield thread

    def idle():
        counts = collections.Counter()
        for _ in range(looks):
            counts.update(awake())
            time.sleep(0.02)
        return all(count < looks / 2 for count in counts.values())

    wait_for(idle)


def ended_cleanly(child, number):
    """Send a signal to a process; return whether it ends with status 0 and silently."""
    child.send_signal(number)
    _, errors = child.communicate(timeout=PATIENCE)
    assert not errors, errors
    return child.returncode == 0


def wait_for(done, patience=PATIENCE):
    """Wait until done() is true; fail when it does not become so."""
    limit = time.monotonic() + patience
    while not done():
        assert time.monotonic() < limit, 'waited in vain'
        time.sleep(0.01)


def set_clock(monkeypatch, module, now=100.0):
    """Give a module a clock that stands still; return [its time, s], which a test sets."""
    clock = [now]
    fake = SimpleNamespace(
        monotonic=lambda: clock[0], monotonic_ns=lambda: int(1e9 * clock[0]), sleep=None
    )
    monkeypatch.setattr(module, 'time', fake)
    return clock
