# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Show a running simulation: a node that only subscribes; no publisher waits for it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.qos import QoSProfile, ReliabilityPolicy

from spacecraft_attitude_sim.nodes.ros import conversions, qos, session
from spacecraft_attitude_sim.nodes.ros.belonging import Belonging
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.recording import reader, topics
from spacecraft_attitude_sim.viewer.assembler import LATCHED, SHOWN, MessageAssembler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession


# Wall time between two updates of the page [s].
PERIOD = 0.1
# Wall time between two searches for spacecraft [s], and most spacecraft.
LOOK_AROUND, MOST_WATCHED = 0.5, 64
# Best effort: for a reliable subscription the publishers would keep messages and wait at the end
# of a run. A lost message is not shown.
LISTENING = QoSProfile(depth=256, reliability=ReliabilityPolicy.BEST_EFFORT)


class LiveView(GuardedNode):
    """Subscribes to the topics of spacecraft and shows them in a RerunSession.

    namespaces: of the spacecraft; empty for the node's own, or for every spacecraft if that is /
    """

    def __init__(self, rerun_session: RerunSession, namespaces: Sequence[str] = ()) -> None:
        super().__init__('view')
        self._session = rerun_session
        self._assemblers: dict[str, MessageAssembler] = {}
        self._left_out = 0
        self._belonging = Belonging(self)
        if len(namespaces) > 1:
            rerun_session.expect(namespaces)
        for namespace in namespaces or ('',):
            self._watch(namespace)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(PERIOD, self._flush, clock=steady)
        if not namespaces and self.get_namespace() == '/':
            self.create_timer(LOOK_AROUND, self._look_around, clock=steady)

    def _watch(self, namespace: str) -> None:
        """Subscribe to the topics of a spacecraft; namespace: '' for that of the node."""
        if namespace in self._assemblers:
            return
        self._assemblers[namespace] = MessageAssembler(self._session.craft(namespace))
        for topic in SHOWN:
            full = f'{namespace}/{topic}' if namespace else topic
            self.create_subscription(
                conversions.message_class(topics.TYPES[topic]),
                full,
                self._belonging.filtered(full, self._taker(namespace, topic)),
                qos.LATCHED if topic in LATCHED else LISTENING,
            )

    def _look_around(self) -> None:
        """Find and watch every spacecraft in the graph."""
        every = [name for name, _ in self.get_topic_names_and_types()]
        for prefix in reader.prefixes(every, topics.ODOMETRY)[:MOST_WATCHED]:
            self._watch(prefix.rstrip('/'))

    def finish(self) -> None:
        """Show the remaining data."""
        self._flush(last=True)
        if self._left_out > 1:
            self.get_logger().warning(f'{self._left_out} messages in all were left out')

    def _taker(self, namespace: str, topic: str) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            with self._guarded(topic):
                self._assemblers[namespace].take(topic, message)

        return take

    def _flush(self, last: bool = False) -> None:
        for messages in list(self._assemblers.values()):
            with self._guarded('an instant'):
                messages.flush(last)

    @contextlib.contextmanager
    def _guarded(self, what: str) -> Iterator[None]:
        """Count messages that cannot be shown; any node may publish on these topics."""
        try:
            yield
        except Exception as error:
            self._left_out += 1
            if self._left_out == 1:
                reason = str(error)[:200]
                self.get_logger().warning(
                    f'{what} is left out: {reason}; no message for more of this kind'
                )


def show_live(
    rerun_session: RerunSession,
    ros_arguments: Sequence[str],
    namespaces: Sequence[str],
    ready: Callable[[], object],
) -> None:
    """Show the running simulation until SIGINT or SIGTERM.

    namespaces: as in LiveView;  ready: called when it has subscribed
    """
    with session.ros(ros_arguments) as stop:
        node = LiveView(rerun_session, namespaces)
        with session.executor_of([node], stop) as executor:
            ready()
            session.spin_until(executor, lambda: bool(stop) or not rclpy.ok())
            node.finish()
