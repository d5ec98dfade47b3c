# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a running simulation: a node that only subscribes, and that no publisher waits for."""

import contextlib

import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.qos import QoSProfile, ReliabilityPolicy

from spacecraft_attitude_sim.nodes.ros import conversions, qos, session
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.viewer.assembler import LATCHED, SHOWN, MessageAssembler

# Wall time between two updates of the page [s].
PERIOD = 0.1
# Best effort: for a reliable subscription the publishers would keep messages, and wait at the end
# of a run. A message that is lost is not shown.
LISTENING = QoSProfile(depth=256, reliability=ReliabilityPolicy.BEST_EFFORT)


class LiveView(GuardedNode):
    """Subscribes to the topics of one spacecraft and shows them in a RerunSession."""

    def __init__(self, rerun_session):
        super().__init__('view')
        self._messages = MessageAssembler(rerun_session)
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
                self._messages.take(topic, message)

        return take

    def _flush(self, last=False):
        with self._guarded('an instant'):
            self._messages.flush(last)

    @contextlib.contextmanager
    def _guarded(self, what):
        """Count what cannot be shown and go on: any node may publish on these topics."""
        try:
            yield
        except Exception as error:
            self._left_out += 1
            if self._left_out == 1:
                reason = str(error)[:200]
                self.get_logger().warning(
                    f'{what} is left out: {reason}; more of the kind is left out in silence'
                )


def show_live(rerun_session, ros_arguments, ready):
    """Show the running simulation until SIGINT or SIGTERM; ready: called once it is subscribed."""
    with session.ros(ros_arguments) as stop:
        node = LiveView(rerun_session)
        with session.executor_of([node], stop) as executor:
            ready()
            session.spin_until(executor, lambda: bool(stop) or not rclpy.ok())
            node.finish()
