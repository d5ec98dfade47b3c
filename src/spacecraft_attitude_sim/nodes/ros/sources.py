# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The publishers of a topic, known by the identity that comes with their messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy import subscription

if TYPE_CHECKING:
    from collections.abc import Set

    from rclpy.node import Node
    from rclpy.subscription import MessageInfo
    from rclpy.topic_endpoint_info import TopicEndpointInfo


# Before ROS Kilted, rclpy has no MessageInfo that tells who published a message: then all are one
# source.
_TOLD = getattr(getattr(subscription, 'MessageInfo', None), '__annotations__', {})
IDENTIFIES = 'publisher_gid' in _TOLD
EVERYBODY = b''


class Sources:
    """The publishers of a topic, by identity (bytes).

    node: the node that subscribes to it
    together: text that says how commands of several publishers combine
    """

    def __init__(self, node: Node, topic: str, together: str = 'their commands add') -> None:
        self._node = node
        self._topic = topic
        self._together = together
        self._names: dict[bytes, str] = {}
        self._met: set[bytes] = set()

    def of(self, information: MessageInfo) -> tuple[bytes, Set[bytes]]:
        """Return the publisher of a message, and the set of those that have left since.

        information: MessageInfo
        """
        source = identity(information)
        if source in self._met or not IDENTIFIES:
            return source, frozenset()
        gone = self._met - self.present()
        self._met -= gone
        self._met.add(source)
        others = sorted({self.name(other) for other in self._met - {source}})
        if others:
            self._node.get_logger().warning(
                f'{self.name(source)} publishes {self._topic} beside {", ".join(others)}: '
                f'{self._together}'
            )
        return source, gone

    def present(self) -> set[bytes]:
        """Return the identities of the present publishers."""
        topic = self._node.resolve_topic_name(self._topic)
        found = {
            bytes(publisher.endpoint_gid) if IDENTIFIES else EVERYBODY: node_name(publisher)
            for publisher in self._node.get_publishers_info_by_topic(topic)
        }
        self._names.update(found)
        for source in self._names.keys() - found.keys() - self._met:
            del self._names[source]
        return set(found)

    def name(self, source: bytes) -> str:
        """Return the node name of a publisher."""
        return self._names.get(source, 'an unknown node')

    def names(self) -> list[str]:
        """Return the node names of the present publishers that have sent a message."""
        return sorted(self.name(source) for source in self._met & self.present())


def identity(information: MessageInfo) -> bytes:
    """Return the publisher's identity from a MessageInfo; EVERYBODY if rclpy does not tell it."""
    gid = information['publisher_gid'] if IDENTIFIES else None
    return bytes(gid['data']) if gid else EVERYBODY


def node_name(publisher: TopicEndpointInfo) -> str:
    """Return the full name of the node behind a TopicEndpointInfo."""
    return f'{publisher.node_namespace.rstrip("/")}/{publisher.node_name}'
