# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Choose which simulator a listener follows if several in one domain have the same namespace.

It follows the simulator in its own process, otherwise the first one heard, as long as that exists.
Messages on simulator topics from other processes that publish `scenario` are ignored. Processes
are identified by the first twelve bytes of the DDS identity of their publishers.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Any

from rclpy.utilities import get_rmw_implementation_identifier
from std_msgs.msg import String

from spacecraft_attitude_sim.nodes.ros import sources
from spacecraft_attitude_sim.recording import topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from rclpy.node import Node
    from rclpy.subscription import MessageInfo


PROCESS = 12
# Prefix of the hidden topic whose publisher gives a process its own DDS identity.
OWN = '/_spacecraft_attitude_sim_'
# How often to check again whether a process has become a simulator [s].
AGAIN = 0.1
SHARED = {topics.CLOCK, '/diagnostics', '/tf', '/tf_static'}
# Topics that the simulator receives; any process may publish them.
HEARD = {*topics.COMMANDS, topics.IMPULSE_COMMAND}


class Belonging:
    """Ignores messages of other simulators than its own; one object per node, for all its topics.

    node: the rclpy node that listens
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._identifies = (
            sources.IDENTIFIES and 'zenoh' not in get_rmw_implementation_identifier()
        )
        self._own = self._own_process() if self._identifies else b''
        # {namespace: process of its simulator}; {other process: name of its node}
        self._owners: dict[str, bytes] = {}
        self._foreign: dict[bytes, str] = {}
        # {process: time of its next check [s]}
        self._known: dict[bytes, float] = {}
        self._warned = False

    def filtered(self, topic: str, callback: Callable[[Any], object]) -> Callable[..., object]:
        """Return a callback for a topic that ignores messages of other simulators.

        If rclpy does not tell the sender of a message, this is `callback` itself.
        """
        topic = self._node.resolve_topic_name(topic)
        if not (self._identifies and _of_simulators(topic)):
            return callback

        def take(message: Any, information: MessageInfo) -> None:
            if self.takes(sources.identity(information)):
                callback(message)

        return take

    def takes(self, source: bytes) -> bool:
        """Return whether a message is from one's own simulator; source: gid of its publisher."""
        process = source[:PROCESS]
        if time.monotonic() > self._known.get(process, 0.0):
            self._look(process)
        return process not in self._foreign

    def look(self) -> None:
        """Warn once about two simulators in one namespace whose messages cannot be told apart."""
        if self._identifies or self._warned:
            return
        for namespace, found in self._simulators().items():
            if len(found) > 1:
                self._warned = True
                self._node.get_logger().warning(
                    f'{len(found)} simulators publish {namespace}/scenario, and this version '
                    'of rclpy cannot tell their messages apart: all are used; give each simulator '
                    'its own ROS_DOMAIN_ID or namespace'
                )

    def _look(self, process: bytes) -> None:
        """Check whether a process is a simulator, and store whether it is one's own or another."""
        simulators = self._simulators()
        known = time.monotonic() + AGAIN
        for namespace, found in simulators.items():
            owner = self._owners.get(namespace)
            if self._own in found:
                owner = self._own
            elif owner not in found and process in found:
                owner = process
                self._foreign.pop(process, None)
            if owner is None:
                continue
            self._owners[namespace] = owner
            for other in found.keys() - {owner} - self._foreign.keys():
                self._foreign[other] = found[other]
                self._known[other] = known
                self._node.get_logger().warning(
                    f'{found[other]} of another process publishes {namespace}/scenario, too: '
                    'the messages of that simulator are ignored; give each simulator its own '
                    'ROS_DOMAIN_ID or namespace'
                )
        ours = process in self._owners.values() and process not in self._foreign
        self._known[process] = float('inf') if ours else known

    def _simulators(self) -> dict[str, dict[bytes, str]]:
        """Return {namespace: {process: full name of its node}} of all publishers of a scenario."""
        end = f'/{topics.SCENARIO}'
        return {
            topic.removesuffix(end): {
                bytes(one.endpoint_gid)[:PROCESS]: sources.node_name(one)
                for one in self._node.get_publishers_info_by_topic(topic)
            }
            for topic, _ in self._node.get_topic_names_and_types()
            if topic.endswith(end)
        }

    def _own_process(self) -> bytes:
        """Return the identity of the node's own process."""
        topic = f'{OWN}{secrets.token_hex(8)}'
        publisher = self._node.create_publisher(String, topic, 1)
        try:
            (own,) = self._node.get_publishers_info_by_topic(topic)
            return bytes(own.endpoint_gid)[:PROCESS]
        finally:
            self._node.destroy_publisher(publisher)


def _of_simulators(topic: str) -> bool:
    """Return whether a full topic name belongs to a simulator or to its process."""
    parts = topic.strip('/').split('/')
    ends = {topics.known_as('/'.join(parts[k:])) for k in range(len(parts))}
    return topic in SHARED or bool(ends & (topics.TYPES.keys() - HEARD))
