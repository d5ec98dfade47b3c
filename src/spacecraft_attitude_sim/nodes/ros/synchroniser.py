# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hands a node all messages of one tick together, so that no network decides their order."""

from collections import deque
from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray

from spacecraft_attitude_sim.nodes.ros import conversions, qos

# So many ticks may be incomplete at once; then the oldest is given up.
MOST_WAITING = 64


class _Tick(NamedTuple):
    """A tick that is known to be complete on the other side; stamps: {topic: [ns]} to wait for."""

    stamp: int
    stamps: dict


class TickSynchroniser:
    """Subscribes to topics of a simulator and calls back once for each tick, in order.

    node: rclpy node that listens
    topics: {topic: message type}, of those that carry a header
    on_tick: called with the stamp of the tick [ns] and {topic: message}, of the topics that spoke
    on_repeat: called with the stamp of a tick that is published again, because its answer is
        missed; None to do nothing
    tick_topic: where the simulator says what spoke in a tick; names in it are relative to it

    lost: how many ticks were given up because a message of theirs did not come

        TickSynchroniser(node, {'imu/data': Imu, 'star_tracker/attitude': Imu}, on_tick)

        def on_tick(stamp, messages):
            gyroscope = messages['imu/data'].angular_velocity
            stars = messages.get('star_tracker/attitude')  # None if the tracker is silent
    """

    def __init__(self, node, topics, on_tick, on_repeat=None, tick_topic='tick'):
        self.lost = 0
        self._on_tick, self._on_repeat = on_tick, on_repeat
        self._last = -1
        self._ticks: deque[_Tick] = deque()
        self._messages: dict[str, dict[int, Any]] = {topic: {} for topic in topics}
        self._warned = False
        self._logger = node.get_logger()
        full = node.resolve_topic_name(tick_topic)
        self._base = full[: full.rindex('/') + 1]
        self._names = {node.resolve_topic_name(topic): topic for topic in topics}
        for topic, kind in topics.items():
            node.create_subscription(kind, topic, self._taker(topic), qos.EVERY_ONE)
        node.create_subscription(DiagnosticArray, tick_topic, self._on_complete, qos.EVERY_ONE)

    def _taker(self, topic):
        kept = self._messages[topic]

        def take(message):
            kept[conversions.nanoseconds_from_ros(message.header.stamp)] = message
            if len(kept) > 2 * MOST_WAITING:
                del kept[next(iter(kept))]
            self._deliver()

        return take

    def _on_complete(self, message):
        stamp = conversions.nanoseconds_from_ros(message.header.stamp)
        try:
            stamps = self._stamps(stamp, message.status[0].values)
        except (IndexError, ValueError):
            return  # nothing that a simulator says
        if stamp < (self._ticks[-1].stamp if self._ticks else self._last):
            self._ticks.clear()  # another run has begun
            self._last = -1
        self._ticks.append(_Tick(stamp, stamps))
        if len(self._ticks) > MOST_WAITING:
            self._give_up(self._ticks.popleft())
        self._deliver()

    def _stamps(self, stamp, values):
        """Return {topic: stamp} of what is subscribed to, of the values of a complete tick."""
        stamps = {}
        for value in values:
            full = value.key if value.key.startswith('/') else self._base + value.key
            # By its name before it was remapped, too.
            topic = value.key if value.key in self._messages else self._names.get(full)
            if topic is not None:
                stamps[topic] = stamp - int(value.value)
        if values and not (stamps or self._warned):
            self._warned = True
            self._logger.warning(
                f'no tick has any of {", ".join(self._messages)}; it has '
                f'{", ".join(value.key for value in values)}'
            )
        return stamps

    def _deliver(self):
        """Hand on, in order, the ticks of which every message is there."""
        while self._ticks:
            tick = self._ticks[0]
            missing = [
                topic for topic, stamp in tick.stamps.items() if stamp not in self._messages[topic]
            ]
            if not missing:
                self._hand_on(self._ticks.popleft())
            elif any(map(self._has_later, missing)):
                self._give_up(self._ticks.popleft())  # it never will be there
            else:
                return

    def _has_later(self, topic):
        """Return whether a topic's message of a tick after the oldest is there."""
        return any(
            topic in tick.stamps and tick.stamps[topic] in self._messages[topic]
            for tick in list(self._ticks)[1:]
        )

    def _hand_on(self, tick):
        messages = {topic: self._messages[topic][stamp] for topic, stamp in tick.stamps.items()}
        self._forget(tick)
        if tick.stamp != self._last:
            self._last = tick.stamp
            self._on_tick(tick.stamp, messages)
        elif self._on_repeat:
            self._on_repeat(tick.stamp)

    def _give_up(self, tick):
        self.lost += 1
        self._forget(tick)

    def _forget(self, tick):
        for topic, stamp in tick.stamps.items():
            for old in [kept for kept in self._messages[topic] if kept <= stamp]:
                del self._messages[topic][old]
