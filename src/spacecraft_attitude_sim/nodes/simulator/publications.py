# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Publish an instant: truth, sensors, transforms, clock and scenario."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from std_msgs.msg import String

from spacecraft_attitude_sim.configuration import recorded_scenario
from spacecraft_attitude_sim.core.environment import surroundings
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions, qos, serialised
from spacecraft_attitude_sim.recording import topics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rclpy.publisher import Publisher

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.faults.fault import Fault
    from spacecraft_attitude_sim.core.simulation import FaultSchedule, Instant
    from spacecraft_attitude_sim.nodes.messages.moment import Moment
    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
    from spacecraft_attitude_sim.nodes.ros.handover import Way


try:
    from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster
except ImportError:  # not on PyPI; the rest works without it
    TransformBroadcaster = None


# How often to ask who listens, while messages are handed to nodes of this process [ns].
ASKED_EVERY_NS = 10_000_000


class Publications:
    """The topics of a simulator node.

    others: {topic: publisher} of the contact topics;  with_clock: whether it publishes /clock
    streams: publishers of topics that come every tick
    senders: {topic: function that sends a Moment}
    """

    def __init__(
        self,
        node: GuardedNode,
        scenario: Scenario,
        others: dict[str, Publisher[Any]],
        with_clock: bool,
    ) -> None:
        self._messages = tick_messages.TickMessages(scenario)
        publishers = {
            topic: node.create_publisher(kind, topic, qos.stream(scenario.plant.ticks.rate))
            for known, kind in tick_messages.TYPES.items()
            for topic in self._messages.makers
            if topics.known_as(topic) == known
            if topic != '/clock' or with_clock
        } | others
        self.streams = list(publishers.values())
        self._publishers = publishers
        self.senders: dict[str, Callable[[Moment], None]] = {}
        # {topic: sender} of those to ask for listeners, and when to ask anew [ns].
        self._heard, self._ask_ns = self.senders, 0
        self.send_by({})
        self._names = {topic: publisher.topic_name for topic, publisher in publishers.items()}
        # Number of messages of latched topics, and number of instants per set of other topics.
        self._kept: Counter[str] = Counter()
        self._published: Counter[tuple[str, ...]] = Counter()
        self._scenario = node.create_publisher(String, 'scenario', qos.LATCHED)
        self.publish_scenario(scenario, 0)
        self._surroundings = scenario.plant.environment.surroundings
        if self._surroundings:
            self._eclipse, self._lit = (
                node.create_publisher(String, topics.ECLIPSE, qos.LATCHED),
                '',
            )
        self._faults = None
        if scenario.plant.spacecraft.faults:
            self._faults = node.create_publisher(DiagnosticArray, topics.FAULTS, qos.LATCHED)
        self._node, self._transforms = node, None
        if TransformBroadcaster:
            self._transforms_topic = node.resolve_topic_name('/tf')
            self._transforms = TransformBroadcaster(node)
            self._static_transforms = StaticTransformBroadcaster(node)
            self._static_transforms.sendTransform(self._messages.sensors.fixed_transforms())

    def send_by(self, ways: Mapping[Publisher[Any], Way]) -> None:
        """Send by the ways to nodes of this process, {publisher: Way}; all others as ever."""
        makers = self._messages.makers
        for topic, publisher in self._publishers.items():
            way = ways.get(publisher)
            self.senders[topic] = serialised.sender(publisher, makers[topic], way)
        self._are_asked_together, self._ask_ns = bool(ways), 0

    def heard(self) -> bool:
        """Return whether anybody subscribes to a topic that comes every tick, also to /tf."""
        if any(stream.get_subscription_count() for stream in self.streams):
            return True
        return bool(self._transforms) and self._node.count_subscribers(self._transforms_topic) > 0

    @property
    def sent(self) -> Counter[str]:
        """{full topic name: number of messages}."""
        found = self._kept.copy()
        for published, count in self._published.items():
            for topic in published:
                if topic in self._names:
                    found[self._names[topic]] += count
        return found

    def publish_scenario(self, scenario: Scenario, revision: int) -> None:
        """Publish a scenario; late subscribers also receive it."""
        text = recorded_scenario.dump(scenario, revision)
        self._scenario.publish(String(data=text))
        self._kept[self._scenario.topic_name] += 1

    def publish_faults(self, schedule: FaultSchedule, stamp: int) -> None:
        """Publish which faults act, where there may be any; stamp: of the present tick [ns]."""
        if self._faults is None:
            return
        self._faults.publish(
            DiagnosticArray(
                header=conversions.header_to_ros(stamp, ''),
                status=[_fault_status(fault, seconds) for fault, seconds in schedule.state()],
            )
        )
        self._kept[self._faults.topic_name] += 1

    def publish(self, instant: Instant, settings: tick_messages.Settings, was_set: bool) -> None:
        """Publish everything of an Instant; the clock comes first.

        settings: tick_messages.Settings of its tick
        was_set: whether its state was set instead of computed
        """
        moment = tick_messages.moment_of(instant, settings, was_set)
        senders = self._senders_heard()
        if moment.readings.delivery.in_time:
            outgoing = self._messages.published(instant)
            for topic in outgoing:
                if send := senders.get(topic):
                    send(moment)
        else:
            pairs = self._messages.outgoing(moment)
            outgoing = tuple(topic for topic, _ in pairs)
            for topic, own in pairs:
                if send := senders.get(topic):
                    send(own)
        self._published[outgoing] += 1
        if around := self._surroundings:
            self._publish_eclipse(surroundings.eclipse(around.at(instant.elapsed_time)))
        if self._transforms:
            self._transforms.sendTransform(self._messages.transforms(instant))

    def _senders_heard(self) -> dict[str, Callable[[Moment], None]]:
        """Return {topic: sender} without those that nobody hears, as far as that was asked.

        Each sender asks, too. While a run flies as fast as it can, that takes a tenth of a tick.
        """
        if not self._are_asked_together:
            return self.senders
        if (now := time.monotonic_ns()) >= self._ask_ns:
            self._ask_ns = now + ASKED_EVERY_NS
            self._heard = {
                topic: self.senders[topic]
                for topic, publisher in self._publishers.items()
                if publisher.handle.get_subscription_count()
            }
        return self._heard

    def _publish_eclipse(self, lit: str) -> None:
        """Publish the eclipse state if it changes."""
        if lit != self._lit:
            self._lit = lit
            self._eclipse.publish(String(data=lit))
            self._kept[self._eclipse.topic_name] += 1


def _fault_status(fault: Fault, seconds: float) -> DiagnosticStatus:
    """Return the status of a fault that has acted for so long [s]; 0: it does not act."""
    return DiagnosticStatus(
        level=DiagnosticStatus.ERROR if seconds else DiagnosticStatus.OK,
        name=fault.name,
        message=fault.text() if seconds else '',
        hardware_id=fault.component,
        values=[KeyValue(key='has acted [s]', value=f'{seconds:.9g}')],
    )
