# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tick at 32 Hz in one of four ways and print CPU [%], jitter p50, p99 [µs] and memory [MB].

python bench/ticking.py bare|eventful|simulator|sleep SECONDS
"""

import resource
import sys
import time

import numpy as np

PERIOD = 1.0 / 32.0


def main():
    """Run one contender; its start is not counted."""
    kind, seconds = sys.argv[1], float(sys.argv[2])
    ways = {'bare': bare, 'eventful': eventful, 'simulator': simulator, 'sleep': sleep}
    times = ways[kind](int(seconds * 32))
    cpu = (times.pop() - times.pop()) / seconds * 100.0
    late = np.array(times) - times[0] - np.arange(len(times)) * PERIOD
    jitter = np.abs(late - np.median(late)) * 1e6
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    print(cpu, np.percentile(jitter, 50), np.percentile(jitter, 99), memory)


def cpu_seconds():
    """Return the CPU time of this process so far [s]."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def sleep(ticks):
    """Sleep until each tick."""
    before, start, times = cpu_seconds(), time.monotonic(), []
    for k in range(ticks):
        time.sleep(max(0.0, start + k * PERIOD - time.monotonic()))
        times.append(time.monotonic())
    return [*times, before, cpu_seconds()]


def simulator(ticks):
    """Run the simulator node of the tennis racket."""
    from spacecraft_attitude_sim.nodes.simulator import SimulatorNode

    times = []
    return spin(
        lambda: SimulatorNode(
            on_tick=lambda instant: times.append(time.monotonic()), autostart=False
        ),
        times,
        ticks,
    )


def bare(ticks):
    """Run a plain node on rclpy's default executor; see `eventful`."""
    from rclpy.executors import SingleThreadedExecutor

    from spacecraft_attitude_sim.nodes import session

    session.Executor = SingleThreadedExecutor
    return eventful(ticks)


def eventful(ticks):
    """Run a plain node that publishes the simulator's messages, made once, from a timer."""
    from rclpy.node import Node

    from spacecraft_attitude_sim.files import scenario
    from spacecraft_attitude_sim.nodes.messages import TYPES, TickMessages

    topics = TickMessages(scenario.build({}, 'defaults')).topics
    times = []

    class Bare(Node):
        def start(self):
            pairs = [
                (self.create_publisher(TYPES[topic], topic, 64), TYPES[topic]())
                for topic in topics
            ]

            def tick():
                for publisher, message in pairs:
                    publisher.publish(message)
                times.append(time.monotonic())

            self.create_timer(PERIOD, tick)

    return spin(lambda: Bare('bare'), times, ticks)


def spin(make_node, times, ticks):
    """Spin a node until it has ticked, and return its times and CPU."""
    from spacecraft_attitude_sim.nodes import session

    with session.ros([]) as stop:
        node = make_node()
        with session.executor_of([node], stop) as executor:
            node.start()
            session.spin_until(executor, lambda: stop or len(times) >= 8)
            before, started = cpu_seconds(), len(times)
            session.spin_until(executor, lambda: stop or len(times) >= ticks + started)
            after = cpu_seconds()
    return [*times[started:], before, after]


if __name__ == '__main__':
    main()
