# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder node: writes the received serialised messages to a rosbag2 bag."""

from __future__ import annotations

import struct
import threading
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

from spacecraft_attitude_sim.configuration.parameters import Parameter
from spacecraft_attitude_sim.nodes.ros import conversions, declaration
from spacecraft_attitude_sim.nodes.ros import qos as quality
from spacecraft_attitude_sim.nodes.ros.belonging import OWN, Belonging
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.recording.bag_writer import BagWriter
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from rclpy.duration import Duration
    from rclpy.publisher import Publisher
    from rclpy.qos import QoSProfile
    from rclpy.subscription import Subscription
    from rclpy.topic_endpoint_info import TopicEndpointInfo
    from rclpy.type_support import Msg


PARAMETERS = (
    Parameter(
        'folder', '', '', 'New folder for the bag. Empty: attitude_<date>_<time>.', str
    ),
    Parameter(
        'topics', [], '', 'Topics to record. Empty: every topic in the graph.', str, length=()
    ),
    Parameter(
        'markers', False, '',
        "Record the markers, too, if `topics` is empty. They take most of a bag's size. A "
        'markers node computes them again during a replay.',
        bool,
    ),
)  # fmt: skip
CHECKPOINT_SECONDS = 0.5
DISCOVERY_SECONDS = 0.2
# Longest wait for a message that another thread is writing when the bag ends [s].
LONGEST_WRITE = 0.3
# Not recorded: topics between a run's processes, so that a bag does not depend on their number.
NEVER_RECORDED = ('/rosout', '/parameter_events', *topics.SHARED_CLOCK)
# Not recorded: life cycle events, so that a managed run leaves the same bag as any other.
TRANSITIONS = {'lifecycle_msgs/msg/TransitionEvent'}
MARKERS = {'visualization_msgs/msg/Marker', 'visualization_msgs/msg/MarkerArray'}


class RecorderNode(GuardedNode):
    """Records topics as they appear; the bag's time is simulated time.

    A message is stored under the stamp in its header, and a message without a header under the
    latest stamp seen. So two runs of the same simulation leave the same bag. No message ends it.

    folder: of the bag, instead of the parameter
    Raises RecordingError if the bag cannot be made.
    """

    def __init__(
        self,
        folder: str | PathLike[str] | None = None,
        configured: Mapping[str, Any] | None = None,
        **node_options: Any,
    ) -> None:
        super().__init__(
            'recorder', automatically_declare_parameters_from_overrides=True, **node_options
        )
        values = declaration.declare_all(self, PARAMETERS, configured)
        self.folder = Path(
            folder or values['folder'] or f'attitude_{datetime.now():%Y_%m_%d_%H_%M_%S}'
        )
        self.counts: dict[str, int] = {}
        self.missed: Counter[str] = Counter()
        self.failure: str | None = None
        self._wanted = [self.resolve_topic_name(topic) for topic in values['topics']]
        self._markers = values['markers']
        self._types: dict[str, set[str]] = {}
        self._writer: BagWriter | None = BagWriter(self.folder)
        self._time = BagTime()
        self._belonging = Belonging(self)
        self._subscriptions_by_topic: dict[str, Subscription[Any] | None] = {}
        # Protects the writer: if the spinning thread misses a signal, another thread ends the bag.
        self._lock = threading.RLock()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(DISCOVERY_SECONDS, self.discover, clock=steady)
        self.create_timer(CHECKPOINT_SECONDS, self._checkpoint, clock=steady)
        self.discover()

    streams: Sequence[Publisher[Any]] = ()

    def ready(self) -> bool:
        """Return whether it subscribes to every topic that is now in the graph."""
        return not self.unheard()

    def unheard(self) -> list[str]:
        """Return the topics that are now in the graph and to which it cannot subscribe yet."""
        self.discover()
        return [
            topic
            for topic, _ in self.get_topic_names_and_types()
            if topic not in self._subscriptions_by_topic
            and self.wants(topic)
            and self.count_publishers(topic)
        ]

    @property
    def finished(self) -> bool:
        """Whether recording has failed; otherwise it continues until it is told to stop."""
        return self.failure is not None

    def wants(self, topic: str) -> bool:
        """Return whether to record a topic."""
        if self._wanted:
            return topic in self._wanted
        types = self._types.get(topic, set())
        if TRANSITIONS & types or (MARKERS & types and not self._markers):
            return False
        return topic not in NEVER_RECORDED and not topic.startswith(OWN)

    def discover(self) -> None:
        """Subscribe to new topics."""
        self._belonging.look()
        for topic, types in self.get_topic_names_and_types():
            self._types[topic] = set(types)
            if topic in self._subscriptions_by_topic or not self.wants(topic):
                continue
            if endpoints := self.get_publishers_info_by_topic(topic):
                self._subscriptions_by_topic[topic] = self._subscribe(topic, types[0], endpoints)

    def finish(self) -> Path:
        """End the bag and return its folder; later messages are ignored."""
        if self._lock.acquire(timeout=LONGEST_WRITE):
            try:
                if self._writer:
                    self._guarded(self._writer.finish)
                self._writer = None
            finally:
                self._lock.release()
        return self.folder

    def _subscribe(
        self, topic: str, type_name: str, endpoints: Sequence[TopicEndpointInfo]
    ) -> Subscription[Any] | None:
        try:
            assert self._writer is not None, 'the bag has ended'
            number = self._writer.add_topic(
                topic,
                type_name,
                str(endpoints[0].topic_type_hash),
                [_qos_to_rosbags(endpoint.qos_profile) for endpoint in endpoints],
            )
            message_type = conversions.message_class(type_name)
            place = _place_of_stamp(message_type)
            subscription = self.create_subscription(
                message_type,
                topic,
                self._belonging.filtered(
                    topic, lambda data: self._write(topic, number, data, place)
                ),
                quality.of_recorder(endpoints),
                raw=True,
            )
        except Exception as error:  # rclpy may raise anything about others' topics
            self.get_logger().warning(f'{topic} is not recorded: {cut(error)}')
            return None
        self.counts[topic] = 0
        if topic == '/clock':
            self._time = BagTime()  # this topic sets it from now on
        return subscription

    def _write(self, topic: str, number: int, data: bytes, place: int | None) -> None:
        with self._lock:
            self._write_alone(topic, number, data, place)

    def _write_alone(self, topic: str, number: int, data: bytes, place: int | None) -> None:
        if self._writer is None:
            return
        stamp = None if place is None else _stamp_at(data, place)
        leads = topic == '/clock' or '/clock' not in self.counts
        try:
            written = self._guarded(self._writer.write, number, self._time.of(stamp, leads), data)
            self.counts[topic] += written
        except Exception as error:  # no message ends a recording
            self.missed[topic] += 1
            if self.missed[topic] == 1:
                self.get_logger().warning(f'{topic}: a message was not recorded: {cut(error)}')

    def _checkpoint(self) -> None:
        with self._lock:
            if self._writer:
                self._guarded(self._writer.checkpoint)

    def _guarded(self, write: Callable[..., object], *arguments: Any) -> bool:
        """Call `write` and return whether it succeeded; a failure ends the recording."""
        try:
            write(*arguments)
        except OSError as error:
            self.failure = f'{self.folder}: recording stopped: {error.strerror}'
            self.get_logger().error(f'{self.failure}; everything written before is intact')
            assert self._writer is not None, 'it has just been written with'
            self._writer.close()
            self._writer = None
            return False
        return True


class BagTime:
    """The time under which a message is stored [ns].

    A jump in time counts only if the next message confirms it, so that one stray message does not
    make a bag 68 years long.
    """

    # A stamp farther than this from the bag's time is from another clock and is not used.
    LARGEST_SKEW_NS = 10_000_000_000

    def __init__(self) -> None:
        self._now: int | None = None
        self._leapt: int | None = None

    def of(self, stamp: int | None, leads: bool) -> int:
        """Return the time of a message.

        stamp: its own, None if it has none;  leads: whether its topic sets the bag's time
        """
        if stamp is None:
            return self._now or 0
        if not leads:
            now = self._now or 0
            return stamp if self._near(stamp, now) else now
        if self._now is None or self._near(stamp, self._now) or self._near(stamp, self._leapt):
            self._now, self._leapt = stamp, None
        else:
            self._leapt = stamp
        return self._now

    def _near(self, stamp: int, other: int | None) -> bool:
        return other is not None and abs(stamp - other) <= self.LARGEST_SKEW_NS


def _place_of_stamp(message_type: type[Msg]) -> int | None:
    """Return the byte offset of the stamp in a serialised message; None if it has none.

    The stamp follows the CDR encapsulation, or the length of a list of stamped messages.
    """
    first = next(iter(message_type.get_fields_and_field_types().values()), '')
    if first in ('std_msgs/Header', 'builtin_interfaces/Time'):
        return 4
    if first.startswith('sequence<') and '/' in first and ',' not in first:
        element = _place_of_stamp(conversions.message_class(first.removeprefix('sequence<')[:-1]))
        return 8 if element == 4 else None
    return None


def _stamp_at(data: bytes, place: int) -> int | None:
    """Return the stamp [ns] in a serialised message; None if it is cut off or invalid."""
    if len(data) < place + 8:
        return None
    seconds, nanoseconds = struct.unpack_from('<iI' if data[1] & 1 else '>iI', data, place)
    if seconds < 0 or nanoseconds >= 1_000_000_000:
        return None
    return seconds * 1_000_000_000 + nanoseconds


def _qos_to_rosbags(qos: QoSProfile) -> Qos:
    """Return the QoS that a publisher offers; both enumerations have the numbers of rmw."""
    return Qos(
        QosHistory(int(qos.history)),
        qos.depth,
        QosReliability(int(qos.reliability)),
        QosDurability(int(qos.durability)),
        _duration_to_rosbags(qos.deadline),
        _duration_to_rosbags(qos.lifespan),
        QosLiveliness(int(qos.liveliness)),
        _duration_to_rosbags(qos.liveliness_lease_duration),
        qos.avoid_ros_namespace_conventions,
    )


def _duration_to_rosbags(duration: Duration) -> QosTime:
    return QosTime(*divmod(duration.nanoseconds, 1_000_000_000))
