# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print the time from the start of a node's process to its first published tick.

python bench/start.py [ROUNDS]     or as a part of `make bench`

It compares `attitude-sim node simulator`, begun as the console script begins it, with a bare rclpy
node that immediately publishes one of each of the same messages. Runs are in turn; results are
medians. An empty cache is that of the first run on a machine.
"""

# What a contender does not need is imported where it is used: it would be a part of its start.
import contextlib
import functools
import importlib
import os
import signal
import sys
import time
from typing import NamedTuple

# The output of contenders, one line per process.
COLUMNS = ('first tick [s]', 'second [s]', 'compiled [s]', 'latest tick [ms]', 'memory [MB]')
# A free body; a floor on which a tick in Python is fast enough; one on which it is not.
SCENARIOS = ('tennis_racket', 'ellipsoid_rolling', 'tippe_top')
TICK_SECONDS = 1.0 / 32.0
# How long to watch a simulator after the change to compiled code.
TICKS_AFTER = 32


class Contender(NamedTuple):
    """A process to time: the arguments of this file, and whether its cache is empty."""

    arguments: tuple
    cold: bool = False


def main():
    """Time all contenders, or run as one of them."""
    kind = sys.argv[1] if len(sys.argv) > 1 else '7'
    if kind in ('bare', 'simulator'):
        {'bare': bare, 'simulator': simulator}[kind](*sys.argv[2:])
        return
    rounds = int(kind)
    bare_nodes = {
        f'bare node, messages of {name}': ('bare', *messages(name)) for name in SCENARIOS[:2]
    }
    nodes = {f'simulator, {name}': ('simulator', path_of(name)) for name in SCENARIOS}
    warm = {name: Contender(arguments) for name, arguments in (bare_nodes | nodes).items()}
    cold = {f'{name}, empty cache': Contender(nodes[name], cold=True) for name in nodes}
    for contender in warm.values():
        timed(contender)  # fills the caches
    found = {name: [] for name in warm | cold}
    for number in range(rounds):
        for name, contender in (warm | (cold if number == 0 else {})).items():
            found[name].append(timed(contender))
    print_table(found)


def print_table(found):
    """Print the medians of {name: rows}, and the ratio of the first column to the bare node's."""
    import statistics

    print('\nStart of a process to its first tick; medians')
    print(f'  {"":44}{"".join(f"{column:>18}" for column in COLUMNS)}   times bare')
    bare = []
    for name, rows in found.items():
        medians = [statistics.median(column) for column in zip(*rows, strict=True)]
        if name.startswith('bare'):
            bare.append(medians[0])
        ratio = medians[0] / bare[SCENARIOS[0] not in name]
        print(f'  {name:44}{"".join(f"{m:18.3g}" for m in medians)}{ratio:13.2f}')


def path_of(name):
    """Return the path of a scenario."""
    from spacecraft_attitude_sim.configuration import scenario

    return str(scenario.find(name))


def messages(name):
    """Return the topics and message types of a scenario, as `topic=module:type`."""
    from spacecraft_attitude_sim.configuration import scenario
    from spacecraft_attitude_sim.nodes.messages.tick_messages import (
        CONTACT_TYPES,
        TYPES,
        TickMessages,
    )

    types = TYPES | CONTACT_TYPES
    topics = TickMessages(scenario.load(scenario.find(name))).makers
    return [
        f'{topic}={types[topic].__module__.rpartition(".")[0]}:{types[topic].__name__}'
        for topic in topics
    ]


def timed(contender):
    """Return the COLUMNS of a contender in a separate process."""
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as empty:
        environment = {'ROS_DOMAIN_ID': '44', **os.environ}
        if contender.cold:
            environment['XDG_CACHE_HOME'] = empty
        environment['STARTED'] = str(time.monotonic())
        done = subprocess.run(
            [sys.executable, __file__, *contender.arguments],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def report(first, second=float('nan'), compiled=float('nan'), latest=float('nan')):
    """Print the COLUMNS; times are those of time.monotonic."""
    started = float(os.environ['STARTED'])
    with open('/proc/self/status') as status:
        memory = int(status.read().split('VmHWM:')[1].split()[0]) / 1024.0
    print(first - started, second - started, compiled - started, latest * 1e3, memory)


def bare(*topics):
    """Publish a message of each topic from a plain node, on the simulator's executor."""
    import rclpy
    from rclpy.experimental import EventsExecutor
    from rclpy.node import Node

    rclpy.init()
    node = Node('bare')
    executor = EventsExecutor()
    executor.add_node(node)
    publishers = []
    for topic in topics:
        name, _, kind = topic.partition('=')
        module, _, kind = kind.partition(':')
        kind = getattr(importlib.import_module(module), kind)
        publishers.append((node.create_publisher(kind, name, 64), kind()))
    for publisher, message in publishers:
        publisher.publish(message)
    report(time.monotonic())
    rclpy.shutdown()


def simulator(path):
    """Run the simulator of a scenario until its code is compiled and a while longer."""
    from spacecraft_attitude_sim import start
    from spacecraft_attitude_sim.subcommands import node as command

    times, ready = [], []

    def on_tick(instant):
        from spacecraft_attitude_sim.kernels import kernel

        times.append(time.monotonic())
        if not ready and (kernel.warming is None or kernel.warming.over):
            ready.append(len(times) - 1)
        if ready and len(times) > ready[0] + TICKS_AFTER:
            os.kill(os.getpid(), signal.SIGINT)

    started = command._started

    def watched(*what):
        from spacecraft_attitude_sim.nodes.simulator import node

        node.SimulatorNode = functools.partial(node.SimulatorNode, on_tick=on_tick)
        return started(*what)

    command._started = watched
    sys.argv = ['attitude-sim', 'node', 'simulator', '--ros-args', '--params-file', path]
    sys.argv += ['-p', 'duration:=0.0']
    with contextlib.suppress(SystemExit):
        start.main()
    late = [t - times[1] - k * TICK_SECONDS for k, t in enumerate(times[1:])]
    report(times[0], times[1], times[ready[0]], max(late))


if __name__ == '__main__':
    main()
