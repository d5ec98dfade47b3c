# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Deliver all messages of one tick together, so that the network does not affect their order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray

from spacecraft_attitude_sim.nodes.ros import conversions, qos

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from diagnostic_msgs.msg import KeyValue
    from rclpy.node import Node
    from rclpy.type_support import Msg


# Most incomplete ticks at once; beyond that the oldest is given up.
MOST_WAITING = 64


class _Tick(NamedTuple):
    """A tick that the simulator has published completely.

    stamps: {topic: [ns]} to wait for;  belated: (topic, [ns]) of overtaken messages, to wait for
    """

    stamp: int
    stamps: dict[str, int]
    belated: list[tuple[str, int]]


class TickSynchroniser:
    """Subscribes to topics of a simulator and calls back once for each tick, in order.

    node: the rclpy node that listens
    topics: {topic: message type}; the types must have a header
    on_tick: called with the stamp of the tick [ns] and {topic: message} of the tick's topics
    on_repeat: called with the stamp of a tick [ns] that is published again because the simulator
        misses its answer; None to do nothing
    tick_topic: where the simulator lists the topics of a tick, with names relative to it
    with_belated: whether `belated` is filled

    lost: number of ticks given up because a message did not arrive
    belated: (topic, message) of the tick that is handed on, each of which is older than one that
        has come before, or comes now: by a fault that made it late

        TickSynchroniser(node, {'imu/data': Imu, 'star_tracker/attitude': Imu}, on_tick)

        def on_tick(stamp, messages):
            gyroscope = messages['imu/data'].angular_velocity
            stars = messages.get('star_tracker/attitude')  # None if the tracker is silent
    """

    def __init__(
        self,
        node: Node,
        topics: Mapping[str, type[Msg]],
        on_tick: Callable[[int, dict[str, Any]], object],
        on_repeat: Callable[[int], object] | None = None,
        tick_topic: str = 'tick',
        with_belated: bool = False,
    ) -> None:
        self.lost, self._with_belated = 0, with_belated
        self.belated: list[tuple[str, Any]] = []
        self._on_tick, self._on_repeat = on_tick, on_repeat
        self._last = -1
        self._ticks: deque[_Tick] = deque()
        self._messages: dict[str, dict[int, Any]] = {topic: {} for topic in topics}
        # Of messages older than the latest that was handed on: a later tick may list them.
        self._older: dict[str, dict[int, Any]] = {topic: {} for topic in topics}
        self._warned = False
        self._logger = node.get_logger()
        full = node.resolve_topic_name(tick_topic)
        self._base = full[: full.rindex('/') + 1]
        self._names = {node.resolve_topic_name(topic): topic for topic in topics}
        for topic, kind in topics.items():
            node.create_subscription(kind, topic, self._taker(topic), qos.EVERY_ONE)
        node.create_subscription(DiagnosticArray, tick_topic, self._on_complete, qos.EVERY_ONE)

    def _taker(self, topic: str) -> Callable[[Any], None]:
        kept = self._messages[topic]

        def take(message: Any) -> None:
            kept[conversions.nanoseconds_from_ros(message.header.stamp)] = message
            if len(kept) > 2 * MOST_WAITING:
                del kept[next(iter(kept))]
            self._deliver()

        return take

    def _on_complete(self, message: DiagnosticArray) -> None:
        stamp = conversions.nanoseconds_from_ros(message.header.stamp)
        try:
            values = message.status[0].values
            stamps = dict(self._stamps(stamp, values))
            belated = [
                pair for status in message.status[1:] if self._with_belated
                for pair in self._stamps(stamp, status.values)
            ]  # fmt: skip
        except (IndexError, ValueError):
            return  # not from a simulator
        if values and not (stamps or self._warned):
            self._warn(values)
        if stamp < (self._ticks[-1].stamp if self._ticks else self._last):
            self._ticks.clear()  # a new run has begun
            self._last = -1
            for older in self._older.values():
                older.clear()
        self._ticks.append(_Tick(stamp, stamps, belated))
        if len(self._ticks) > MOST_WAITING:
            self._give_up(self._ticks.popleft())
        self._deliver()

    def _warn(self, values: Iterable[KeyValue]) -> None:
        self._warned = True
        self._logger.warning(
            f'no tick has any of {", ".join(self._messages)}; it has '
            f'{", ".join(value.key for value in values)}'
        )

    def _stamps(self, stamp: int, values: Iterable[KeyValue]) -> list[tuple[str, int]]:
        """Return (subscribed topic, stamp [ns]) from the values of a complete tick."""
        stamps = []
        for value in values:
            full = value.key if value.key.startswith('/') else self._base + value.key
            # Also by its name before remapping.
            topic = value.key if value.key in self._messages else self._names.get(full)
            if topic is not None:
                stamps.append((topic, stamp - int(value.value)))
        return stamps

    def _deliver(self) -> None:
        """Deliver, in order, the ticks whose messages have all arrived."""
        while self._ticks:
            tick = self._ticks[0]
            missing = [
                topic for topic, stamp in tick.stamps.items() if stamp not in self._messages[topic]
            ]
            if not missing and all(self._belated(*pair) for pair in tick.belated):
                self._hand_on(self._ticks.popleft())
            elif any(map(self._has_later, missing)):
                self._give_up(self._ticks.popleft())  # its message will never arrive
            else:
                return

    def _has_later(self, topic: str) -> bool:
        """Return whether a topic has a message of a later tick than the oldest waiting one."""
        return any(
            topic in tick.stamps and tick.stamps[topic] in self._messages[topic]
            for tick in list(self._ticks)[1:]
        )

    def _belated(self, topic: str, stamp: int) -> Any:
        """Return an overtaken message of a time [ns]; None before it has arrived."""
        return self._messages[topic].get(stamp) or self._older[topic].get(stamp)

    def _hand_on(self, tick: _Tick) -> None:
        messages = {topic: self._messages[topic][stamp] for topic, stamp in tick.stamps.items()}
        self.belated = [(topic, self._belated(topic, stamp)) for topic, stamp in tick.belated]
        self._forget(tick)
        if tick.stamp != self._last:
            self._last = tick.stamp
            self._on_tick(tick.stamp, messages)
        elif self._on_repeat:
            self._on_repeat(tick.stamp)

    def _give_up(self, tick: _Tick) -> None:
        self.lost += 1
        self._forget(tick)

    def _forget(self, tick: _Tick) -> None:
        """Forget the messages of a tick; keep older ones where a later tick may list them."""
        for topic, stamp in tick.stamps.items():
            kept, older = self._messages[topic], self._older[topic]
            for old in [other for other in kept if other <= stamp]:
                message = kept.pop(old)
                if self._with_belated and old < stamp:
                    older[old] = message
            while len(older) > 2 * MOST_WAITING:
                del older[next(iter(older))]
        for topic, stamp in tick.belated:
            self._messages[topic].pop(stamp, None)
            self._older[topic].pop(stamp, None)
