# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""To which simulators a listener belongs, where two of one namespace share a domain.

Of a namespace it is that of the listener's own process, else the one that was heard first, while
it is there. What another process that publishes `scenario` there says on topics of a simulator is
left out. Processes are told apart by the first twelve bytes of the identity that DDS gives to all
that is theirs.
"""

import secrets
import time

from rclpy.utilities import get_rmw_implementation_identifier
from std_msgs.msg import String

from spacecraft_attitude_sim.nodes.ros import sources
from spacecraft_attitude_sim.recording import topics

PROCESS = 12
# Topics of a publisher by whose identity a process knows its own; hidden, as ROS names them.
OWN = '/_spacecraft_attitude_sim_'
# How often a process that is no simulator is looked at again: it may be about to become one [s].
AGAIN = 0.1
SHARED = {topics.CLOCK, '/diagnostics', '/tf', '/tf_static'}
# What anybody may publish, and the simulator hears.
HEARD = {*topics.COMMANDS, topics.IMPULSE_COMMAND}


class Belonging:
    """Leaves out what other simulators than its own say; one of a node, for all its topics.

    node: rclpy node that listens
    """

    def __init__(self, node):
        self._node = node
        self._identifies = (
            sources.IDENTIFIES and 'zenoh' not in get_rmw_implementation_identifier()
        )
        self._own = self._own_process() if self._identifies else b''
        # {namespace: process of its simulator}, and of others each with its name.
        self._owners: dict[str, bytes] = {}
        self._foreign: dict[bytes, str] = {}
        # {process: until when it need not be looked at [s]}
        self._known: dict[bytes, float] = {}
        self._warned = False

    def filtered(self, topic, callback):
        """Return a callback of a topic that leaves out what another simulator says.

        Where rclpy does not say whose a message is, it is `callback`.
        """
        topic = self._node.resolve_topic_name(topic)
        if not (self._identifies and _of_simulators(topic)):
            return callback

        def take(message, information):
            if self.takes(bytes(information['publisher_gid']['data'])):
                callback(message)

        return take

    def takes(self, source):
        """Return whether a message on a topic of simulators is of one's own; source: its gid."""
        process = source[:PROCESS]
        if time.monotonic() > self._known.get(process, 0.0):
            self._look(process)
        return process not in self._foreign

    def look(self):
        """Say where there are two simulators and nothing says whose a message is."""
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

    def _look(self, process):
        """Find out whether a process is a simulator, and whose."""
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

    def _simulators(self):
        """Return {namespace: {process: full name of its node}} of all that publish a scenario."""
        end = f'/{topics.SCENARIO}'
        return {
            topic.removesuffix(end): {
                bytes(one.endpoint_gid)[:PROCESS]: sources.node_name(one)
                for one in self._node.get_publishers_info_by_topic(topic)
            }
            for topic, _ in self._node.get_topic_names_and_types()
            if topic.endswith(end)
        }

    def _own_process(self):
        """Return by what the process of the node is known."""
        topic = f'{OWN}{secrets.token_hex(8)}'
        publisher = self._node.create_publisher(String, topic, 1)
        try:
            (own,) = self._node.get_publishers_info_by_topic(topic)
            return bytes(own.endpoint_gid)[:PROCESS]
        finally:
            self._node.destroy_publisher(publisher)


def _of_simulators(topic):
    """Return whether a full name of a topic is of those that a simulator, or its process, has."""
    parts = topic.strip('/').split('/')
    ends = {topics.known_as('/'.join(parts[k:])) for k in range(len(parts))}
    return topic in SHARED or bool(ends & (topics.TYPES.keys() - HEARD))
