# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hand messages from node to node of a process, without the middleware, while nobody else listens.

A message that goes through the middleware costs its writing, its reading and a turn of the
executor: more than a tick of a spacecraft.
"""

from __future__ import annotations

import inspect
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from rclpy.qos import DurabilityPolicy
from rclpy.serialization import serialize_message

from spacecraft_attitude_sim.nodes.ros import guard, session, sources
from spacecraft_attitude_sim.nodes.ros.reading import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rclpy.executors import Executor
    from rclpy.publisher import Publisher
    from rclpy.subscription import MessageInfo, Subscription
    from rclpy.type_support import Msg

    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode

# How long messages are handed on before other callbacks run [ns].
AT_ONCE_NS = 30_000_000
# Most of those at once. They come by themselves, as timers of simulated time do, and must not pile
# up before a request.
MOST_CALLED = 64


class Handover:
    """The messages on their way between the nodes of a process, in the order of their sending.

    A topic goes through the middleware, to all its subscribers, while it has one that is not among
    these nodes. Every callback runs in the thread that spins.

    asked: how many messages of others, and requests that may change something, have come
    """

    def __init__(self) -> None:
        self.asked = 0
        self._waiting: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._then: Callable[[], object] | None = None

    def between(self, nodes: Sequence[GuardedNode]) -> None:
        """Hand over messages between nodes that are connected with each other.

        None of these nodes may end a subscription before it ends itself.
        """
        if not sources.IDENTIFIES:
            return  # the commands of a node could not be told from those of others
        for node in nodes:
            for publisher in node.publishers:
                topic = publisher.topic_name
                here = [own for each in nodes for own in each.subscriptions]
                heard = [own for own in here if own.topic_name == topic]
                known = _information(node, publisher)
                if heard and known and _is_volatile(publisher):
                    node.ways[publisher] = Way(self._waiting, publisher, heard, known)

    def later(self, call: Callable[[], object]) -> None:
        """Call it when all messages that are on their way have arrived."""
        self._then = call

    def spin_once(self, executor: Executor) -> None:
        """Run the callbacks that are due, and those of the messages that are handed over.

        If no message is on its way, wait for one callback.
        """
        asked = guard.calls.asked
        if not (self._then or self._waiting):
            session.spin_once(executor)
        else:
            for _ in range(MOST_CALLED):
                before = guard.calls.begun
                session.spin_once(executor, 0.0)
                if guard.calls.begun == before:
                    break
        self.asked += guard.calls.asked - asked
        until = time.monotonic_ns() + AT_ONCE_NS
        while True:
            while self._waiting:
                take, arguments = self._waiting.popleft()
                take(*arguments)
            if self._then is None or time.monotonic_ns() > until:
                return
            call, self._then = self._then, None
            call()


class Way:
    """The way of a publisher's messages to the subscriptions of its process.

    waiting: the messages that are on their way;  information: MessageInfo of each of them
    """

    def __init__(
        self,
        waiting: deque[tuple[Callable[..., object], tuple[Any, ...]]],
        publisher: Publisher[Any],
        subscriptions: Iterable[Subscription[Any]],
        information: MessageInfo,
    ) -> None:
        self._waiting, self._information = waiting, information
        self._heard = publisher.handle.get_subscription_count
        self._publisher = publisher
        self._takers = [_Taker(each, sources.identity(information)) for each in subscriptions]
        self._here = len(self._takers)
        self._sent = 0  # through the middleware

    def send(self, message: Msg) -> None:
        """Publish a message."""
        heard = self._heard()
        if heard == self._here and self._is_clear():
            for taker in self._takers:
                given = serialize_message(message) if taker.raw else message
                self._hand(taker, given)
        elif heard:
            self._sent += 1
            self._publisher.publish(message)

    def send_bytes(self, data: bytes) -> None:
        """Publish a serialised message that somebody hears."""
        if self._heard() == self._here and self._is_clear():
            for taker in self._takers:
                given = data if taker.raw else taker.read(data)
                self._hand(taker, given)
        else:
            self._sent += 1
            self._publisher.handle.publish_raw(data)

    def _is_clear(self) -> bool:
        """Return whether everything that went through the middleware has arrived."""
        return not self._sent or all(taker.arrived == self._sent for taker in self._takers)

    def _hand(self, taker: _Taker, message: Any) -> None:
        arguments = (message, self._information) if taker.informed else (message,)
        self._waiting.append((taker.take, arguments))


class _Taker:
    """A subscription that counts what arrives from one publisher through the middleware.

    take: its callback;  informed: whether this takes a MessageInfo
    arrived: how many messages have come;  raw: whether it takes bytes;  read: reads others
    """

    def __init__(self, subscription: Subscription[Any], source: bytes) -> None:
        self.take = subscription.callback
        self.informed = guard.wants_information(self.take)
        self.raw, self.read = subscription.raw, Reader(subscription.msg_type)
        self.arrived = 0

        def count(*arrived: Any) -> None:
            # The EventsExecutor of rclpy 9 passes message and information as one tuple.
            message, information = arrived[0] if len(arrived) == 1 else arrived
            ours = sources.identity(information) == source
            self.arrived += ours
            self.take(*((message, information) if self.informed else (message,)))
            guard.calls.asked -= ours

        # By it rclpy knows that the callback takes information.
        signed: Any = count
        signed.__signature__ = inspect.signature(lambda message, information: None)
        subscription.callback = count


def _is_volatile(publisher: Publisher[Any]) -> bool:
    """Return whether a publisher keeps no messages for late subscribers."""
    return publisher.qos_profile.durability == DurabilityPolicy.VOLATILE


def _information(node: GuardedNode, publisher: Publisher[Any]) -> MessageInfo | None:
    """Return what is told with each message of a publisher; None if another has its name."""
    whole = node.get_fully_qualified_name()
    named = [
        endpoint.endpoint_gid
        for endpoint in node.get_publishers_info_by_topic(publisher.topic_name)
        if sources.node_name(endpoint) == whole
    ]
    if len(named) != 1:
        return None
    information: Any = {'publisher_gid': {'data': bytes(named[0])}}  # all that is asked of it
    return information
