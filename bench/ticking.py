# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tick in one of several ways; print the times and the cost as JSON.

For bench/node.py and bench/lockstep.py.

python bench/ticking.py bare|eventful|simulator|messages [--seconds S] [--rate R] [--lockstep] …

bare is a plain rclpy node on the default executor; eventful is the same on EventsExecutor. They
publish the simulator's messages, made once and stamped, and compute nothing. messages writes
these messages to a file.
"""

import argparse
import contextlib
import json
import mmap
import resource
import sys
import tempfile
import time
from pathlib import Path

# Duration of a start, including the change to compiled code.
SETTLING_SECONDS = 3.0
# How often to check whose turn it is [s], and the value for no turns.
LOOKING = 0.005
EVERYBODY = 255
WATCHED = ('pose', 'imu/data')
SENSORS = {
    'magnetometer.enabled': True,
    'star_tracker.enabled': True,
    'star_tracker.interval': 1,
    'star_tracker.latency': 0,
}


def main():
    """Run one contender; its start is not counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('kind', choices=('bare', 'eventful', 'simulator', 'messages'))
    parser.add_argument('--seconds', type=float, default=8.0)
    parser.add_argument('--rate', type=float, default=1.0, help='real-time factor, 0 without pace')
    parser.add_argument('--lockstep', action='store_true', help='wait for command/wrench')
    parser.add_argument('--record', action='store_true', help='in a bag, from this process')
    parser.add_argument('--heard', action='store_true', help='wait for a subscriber of imu/data')
    parser.add_argument('--scenario', default='tennis_racket')
    parser.add_argument('--namespaces', nargs='+', default=[''], help='a spacecraft in each')
    parser.add_argument('--together', action='store_true', help='all spacecraft in one run')
    parser.add_argument('--tick-rate', type=float, default=32.0, help='[Hz]')
    parser.add_argument('--sensors', action='store_true', help='a magnetometer and star tracker')
    parser.add_argument('--messages', help='file of those that bare nodes publish')
    parser.add_argument('--turns', help='file of one byte: who ticks now, of several processes')
    parser.add_argument('--number', type=int, default=0, help='this one, among those')
    options = parser.parse_args()
    if options.kind == 'messages':
        write_messages(options)
        return
    run(options)


class Ends(list):
    """The times at which ticks ended [ns]; after each it may be another process's turn."""

    def __init__(self, options):
        super().__init__()
        self._number, self._turn = options.number, bytes((EVERYBODY,))
        if options.turns:
            with open(options.turns, 'rb') as file:
                self._turn = mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_READ)

    def note(self):
        """Record the end of a tick, and wait for this process's turn."""
        self.append(time.monotonic_ns())
        while self._turn[0] not in (self._number, EVERYBODY):
            time.sleep(LOOKING)


def tick_of(options):
    """Return the length of a tick [ns]."""
    return round(1e9 / options.tick_rate)


def cpu_seconds():
    """Return the CPU time of this process so far [s]."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def resident_now():
    """Return the memory that this process has now, shared code included [MB]."""
    pages = int(Path('/proc/self/statm').read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def run(options):
    """Spin the nodes for some seconds and print their times [ns], CPU [%] and memory [MB].

    It prints when they are ready, begins at a line on standard input, and ends when that closes.
    So no process starts or ends while another is measured.
    """
    session = session_of(options.kind)
    calls = {topic: [] for topic in WATCHED}
    note_publishing(calls)
    ends = [Ends(options) for _ in options.namespaces]
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(session.ros(arguments(options)))
        make = simulator if options.kind == 'simulator' else bare
        made: list = []
        for namespace, times in zip(options.namespaces, ends, strict=True):
            first = made[0][0] if made and options.together else None
            made.append(make(options, namespace, times, calls, first))
        nodes = [node for group in made for node in group]
        if options.record:
            nodes.append(recorder(stack))
        executor = stack.enter_context(session.executor_of(nodes, stop))
        print('ready', flush=True)
        sys.stdin.readline()
        settle(session, executor, nodes, options)
        for node, *_ in made[:1] if options.together and options.kind == 'simulator' else made:
            (node.driver if options.kind == 'simulator' else node).start()
        begun = time.monotonic()
        session.spin_until(executor, lambda: time.monotonic() > begun + SETTLING_SECONDS)
        before, start, settled = cpu_seconds(), time.monotonic(), ticked(ends)
        session.spin_until(executor, lambda: time.monotonic() > start + options.seconds)
        cpu = (cpu_seconds() - before) / (time.monotonic() - start) * 100.0
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
        tick_ns = tick_of(options)
        found = {
            'tick_ns': tick_ns,
            'cpu': cpu,
            'memory': memory,
            'resident': resident_now(),
            'ends': ends,
            'settled': settled,
        } | calls
        print(json.dumps(found), flush=True)
        sys.stdin.read()


def session_of(kind):
    """Return the module or object that starts and spins nodes: the simulator's or plain rclpy."""
    if kind == 'simulator':
        from spacecraft_attitude_sim.nodes.ros import session

        return session
    if kind == 'bare':
        from rclpy.executors import SingleThreadedExecutor

        return PlainSession(SingleThreadedExecutor)
    from rclpy.experimental import EventsExecutor

    return PlainSession(EventsExecutor)


class PlainSession:
    """Starts and spins nodes with plain rclpy."""

    def __init__(self, executor_class):
        self._executor_class = executor_class

    @contextlib.contextmanager
    def ros(self, arguments):
        """Yield None while ROS is initialised."""
        import rclpy

        rclpy.init(args=arguments)
        yield None
        rclpy.try_shutdown()

    @contextlib.contextmanager
    def executor_of(self, nodes, stop):
        """Yield an executor of the nodes."""
        executor = self._executor_class()
        for node in nodes:
            executor.add_node(node)
        yield executor
        executor.shutdown()
        for node in nodes:
            node.destroy_node()

    def spin_until(self, executor, done):
        """Spin until `done()` is true."""
        while not done():
            executor.spin_once(timeout_sec=0.2)


def arguments(options):
    """Return the ROS arguments."""
    if options.kind != 'simulator':
        return []
    from spacecraft_attitude_sim.configuration import scenario

    return ['--ros-args', '--params-file', str(scenario.find(options.scenario))]


def ticked(ends):
    """Return the number of ticks of the slowest."""
    return min(map(len, ends))


def note_publishing(calls):
    """From now on, record the calls of the publishers of WATCHED in calls: {topic: [times]}."""
    from rclpy.node import Node

    make = Node.create_publisher

    def create_publisher(node, kind, topic, *arguments, **options):
        publisher = make(node, kind, topic, *arguments, **options)
        if topic in calls:
            publisher.publish = noted(publisher.publish, calls[topic])
        return publisher

    Node.create_publisher = create_publisher


def noted(publish, calls):
    """Return a function that publishes and records the time in a new list in `calls`."""
    times = []
    calls.append(times)

    def publish_and_note(message):
        times.append(time.monotonic_ns())
        publish(message)

    return publish_and_note


def settle(session, executor, nodes, options):
    """Wait until the expected nodes are connected."""
    limit = time.monotonic() + 10.0

    def ready():
        heard = nodes[0].count_subscribers(nodes[0].resolve_topic_name('imu/data'))
        commanded = nodes[0].count_publishers(nodes[0].resolve_topic_name('command/wrench'))
        recording = not options.record or nodes[-1].ready()
        return (heard or not options.heard) and (commanded or not options.lockstep) and recording

    session.spin_until(executor, lambda: time.monotonic() > limit or ready())
    quiet = time.monotonic() + (1.0 if options.heard or options.lockstep or options.record else 0)
    session.spin_until(executor, lambda: time.monotonic() > quiet)


def recorder(stack):
    """Return a recorder of a temporary bag."""
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode

    folder = stack.enter_context(tempfile.TemporaryDirectory())
    node = RecorderNode(folder=f'{folder}/bag')
    stack.callback(node.finish)
    return node


def simulator(options, namespace, ends, calls, first):
    """Return the simulator node and its contact node; first: one whose run it joins, or None."""
    from rclpy.parameter import Parameter

    from spacecraft_attitude_sim.nodes.simulator.contact import offered
    from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

    overrides = {
        'real_time_factor': options.rate,
        'duration': 0.0,
        'lockstep': options.lockstep,
        'lockstep_topics': ['command/wrench'],
        'publish_clock': options.together or namespace in ('', 'spacecraft_0'),
        'tick_rate': options.tick_rate,
        **(SENSORS if options.sensors else {}),
    }
    contact = offered(namespace=namespace)
    node = SimulatorNode(
        on_tick=lambda instant: ends.note(),
        autostart=False,
        contact=contact,
        driver=first and first.driver,
        namespace=namespace,
        parameter_overrides=[Parameter(name, value=value) for name, value in overrides.items()],
    )
    for topic in WATCHED:
        if topic in getattr(node, 'senders', ()):  # it does not call their `publish`
            calls[topic].pop()
            node.senders[topic] = noted(node.senders[topic], calls[topic])
    return [node, contact] if contact else [node]


def bare(options, namespace, ends, calls, first):
    """Return a plain node that publishes the simulator's messages, made once, from a timer."""
    from geometry_msgs.msg import WrenchStamped
    from rclpy.node import Node

    class Bare(Node):
        def __init__(self):
            super().__init__('bare', namespace=namespace)
            self.stamp, self.pairs = messages_of(self, options, namespace)
            if options.lockstep:
                self.create_subscription(WrenchStamped, 'command/wrench', self.tick, 10)

        def start(self):
            if options.lockstep:
                self.tick()
            else:
                period = 1e-9 * tick_of(options) / options.rate if options.rate else 0.0
                self.create_timer(period, self.tick)

        def tick(self, command=None):
            self.stamp.sec, self.stamp.nanosec = divmod(len(ends) * tick_of(options), 10**9)
            for publisher, message in self.pairs:
                publisher.publish(message)
            ends.note()

    return [Bare()]


def messages_of(node, options, namespace):
    """Return the stamp that all messages share, and pairs of publisher and message."""
    import importlib

    from builtin_interfaces.msg import Time
    from rclpy.serialization import deserialize_message

    stamp, pairs = Time(), []
    for topic, (module, name, data) in json.loads(Path(options.messages).read_text()).items():
        if topic == '/clock' and namespace not in ('', 'spacecraft_0'):
            continue
        kind = getattr(importlib.import_module(module), name)
        message = deserialize_message(bytes.fromhex(data), kind)
        if topic == '/clock':
            message.clock = stamp
        elif hasattr(message, 'header'):
            message.header.stamp = stamp
        pairs.append((node.create_publisher(kind, topic, 64), message))
    return stamp, pairs


def write_messages(options):
    """Write the simulator's messages of one tick into a file, for the bare nodes."""
    from spacecraft_attitude_sim.configuration import scenario
    from spacecraft_attitude_sim.core import simulation
    from spacecraft_attitude_sim.nodes.messages import tick_messages
    from spacecraft_attitude_sim.recording import topics

    values = scenario.load(scenario.find(options.scenario)).parameters
    found = scenario.build(values | (SENSORS if options.sensors else {}), options.scenario)
    first = found.first_instant()
    instant = simulation.next_instant(found.plant, first, simulation.Inputs())
    makes, settings = tick_messages.TickMessages(found), tick_messages.Settings(0)
    made = dict(makes.of(instant, settings, given=False))
    kinds = {topic: tick_messages.TYPES[topics.known_as(topic)] for topic in made}
    said = {
        topic: (f'{kinds[topic].__module__.split(".")[0]}.msg', kinds[topic].__name__, data.hex())
        for topic, data in made.items()
    }
    Path(options.messages).write_text(json.dumps(said))


if __name__ == '__main__':
    main()
