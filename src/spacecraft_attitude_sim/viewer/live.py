# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a running graph: a node that only listens, and asks nobody to wait for it."""

import contextlib

import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.qos import QoSProfile, ReliabilityPolicy

from spacecraft_attitude_sim.nodes.ros import conversions, qos, session
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.viewer.assembler import LATCHED, SHOWN, Feed

# How often what has come is shown [s].
PERIOD = 0.1
# Best effort: a reliable subscriber is one that a publisher keeps messages for, and waits for at
# the end of a run. What this one misses, it misses.
LISTENING = QoSProfile(depth=256, reliability=ReliabilityPolicy.BEST_EFFORT)


class LiveView(GuardedNode):
    """Listens to one spacecraft and gives a Show what it hears."""

    def __init__(self, show):
        super().__init__('view')
        self._feed = Feed(show)
        self._left_out = 0
        for topic in SHOWN:
            self.create_subscription(
                conversions.message_class(topics.TYPES[topic]),
                topic,
                self._taker(topic),
                qos.LATCHED if topic in LATCHED else LISTENING,
            )
        self.create_timer(PERIOD, self._flush, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def finish(self):
        """Show what is left."""
        self._flush(last=True)
        if self._left_out > 1:
            self.get_logger().warning(f'{self._left_out} messages in all were left out')

    def _taker(self, topic):
        def take(message):
            with self._guarded(topic):
                self._feed.take(topic, message)

        return take

    def _flush(self, last=False):
        with self._guarded('an instant'):
            self._feed.flush(last)

    @contextlib.contextmanager
    def _guarded(self, what):
        """Count what cannot be shown and go on: anybody may publish anything."""
        try:
            yield
        except Exception as error:
            self._left_out += 1
            if self._left_out == 1:
                reason = str(error)[:200]
                self.get_logger().warning(
                    f'{what} is left out: {reason}; more of the kind is left out in silence'
                )


def show_live(show, ros_arguments, ready):
    """Show what runs until SIGINT or SIGTERM; ready: called once it listens."""
    with session.ros(ros_arguments) as stop:
        node = LiveView(show)
        with session.executor_of([node], stop) as executor:
            ready()
            session.spin_until(executor, lambda: bool(stop) or not rclpy.ok())
            node.finish()
