# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder node: writes what it hears to a rosbag2 bag, serialised as it came."""

import struct
from datetime import datetime
from pathlib import Path

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

from spacecraft_attitude_sim.files.errors import RecordingError
from spacecraft_attitude_sim.files.parameters import Parameter
from spacecraft_attitude_sim.files.recording import BagWriter
from spacecraft_attitude_sim.nodes import conversions, declaration, quality
from spacecraft_attitude_sim.nodes.guard import GuardedNode

PARAMETERS = (
    Parameter(
        'folder', '', '', 'Folder of the bag, made new; empty for attitude_<date>_<time>.', str
    ),
    Parameter(
        'topics', [], '', 'Topics to record; empty for every topic in the graph.', str, length=()
    ),
)
CHECKPOINT_SECONDS = 0.5
DISCOVERY_SECONDS = 0.2
# A stamp further than this from /clock is not of simulated time, and not used.
LARGEST_SKEW_NS = 10_000_000_000
NEVER_RECORDED = ('/rosout', '/parameter_events')


class RecorderNode(GuardedNode):
    """Records topics as they appear; the bag's time is simulated time.

    A message is filed under the stamp in its header, and one without a header under the latest
    stamp seen, so that two runs of the same simulation leave the same bag.

    folder: of the bag, instead of the parameter
    Raises RecordingError when the bag cannot be made.
    """

    def __init__(self, folder=None, **node_options):
        super().__init__(
            'recorder', automatically_declare_parameters_from_overrides=True, **node_options
        )
        values = declaration.declare_all(self, PARAMETERS)
        self.folder = Path(
            folder or values['folder'] or f'attitude_{datetime.now():%Y_%m_%d_%H_%M_%S}'
        )
        self.counts = {}
        self.failure = None
        self._wanted = values['topics']
        self._writer = BagWriter(self.folder)
        self._time = 0
        self._subscriptions_by_topic = {}
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(DISCOVERY_SECONDS, self.discover, clock=steady)
        self.create_timer(CHECKPOINT_SECONDS, self._checkpoint, clock=steady)
        self.discover()

    streams = ()

    def ready(self):
        """Return whether every topic now in the graph is subscribed to."""
        self.discover()
        return all(
            topic in self._subscriptions_by_topic
            for topic, _ in self.get_topic_names_and_types()
            if self.wants(topic) and self.count_publishers(topic)
        )

    @property
    def finished(self):
        """Whether recording has failed; else it goes on until it is told to stop."""
        return self.failure is not None

    def wants(self, topic):
        """Return whether a topic is to be recorded."""
        if self._wanted:
            return topic in self._wanted
        return topic not in NEVER_RECORDED

    def discover(self):
        """Subscribe to the topics that have appeared since."""
        for topic, types in self.get_topic_names_and_types():
            if topic in self._subscriptions_by_topic or not self.wants(topic):
                continue
            if endpoints := self.get_publishers_info_by_topic(topic):
                self._subscriptions_by_topic[topic] = self._subscribe(topic, types[0], endpoints)

    def finish(self):
        """End the bag and return its folder; later messages are not recorded."""
        if self._writer:
            self._guarded(self._writer.finish)
        self._writer = None
        return self.folder

    def _subscribe(self, topic, type_name, endpoints):
        try:
            message_type = conversions.message_class(type_name)
            connection = self._writer.add_topic(
                topic,
                type_name,
                str(endpoints[0].topic_type_hash),
                [_qos_to_rosbags(endpoint.qos_profile) for endpoint in endpoints],
            )
        except (ImportError, AttributeError, RecordingError) as error:
            self.get_logger().warning(f'{topic} is not recorded: {error}')
            return None
        self.counts[topic] = 0
        place = _place_of_stamp(message_type)
        return self.create_subscription(
            message_type,
            topic,
            lambda data: self._write(connection, data, place),
            quality.of_recorder(endpoints),
            raw=True,
        )

    def _write(self, connection, data, place):
        if self._writer is None:
            return
        stamp = self._time if place is None else _stamp_at(data, place)
        if connection.topic == '/clock' or '/clock' not in self.counts:
            self._time = stamp
        elif abs(stamp - self._time) > LARGEST_SKEW_NS:
            stamp = self._time
        if self._guarded(self._writer.write, connection, stamp, data):
            self.counts[connection.topic] += 1

    def _checkpoint(self):
        if self._writer:
            self._guarded(self._writer.checkpoint)

    def _guarded(self, write, *arguments):
        """Return whether a write succeeded; after a failure nothing more is recorded."""
        try:
            write(*arguments)
        except OSError as error:
            self.failure = f'{self.folder}: recording stopped: {error.strerror}'
            self.get_logger().error(f'{self.failure}; what was written before is whole')
            self._writer = None
            return False
        return True


def _place_of_stamp(message_type):
    """Return where in a serialised message its stamp stands [bytes]; None where it has none.

    It is right after the CDR encapsulation, or after the length of a list of stamped things.
    """
    first = next(iter(message_type.get_fields_and_field_types().values()), '')
    if first in ('std_msgs/Header', 'builtin_interfaces/Time'):
        return 4
    if first.startswith('sequence<') and '/' in first and ',' not in first:
        element = _place_of_stamp(conversions.message_class(first.removeprefix('sequence<')[:-1]))
        return 8 if element == 4 else None
    return None


def _stamp_at(data, place):
    """Return the stamp [ns] in a serialised message; 0 when it ends before."""
    if len(data) < place + 8:
        return 0
    seconds, nanoseconds = struct.unpack_from('<iI' if data[1] & 1 else '>iI', data, place)
    return seconds * 1_000_000_000 + nanoseconds


def _qos_to_rosbags(qos):
    """Return the QoS a publisher offers; the numbers of both enumerations are those of rmw."""
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


def _duration_to_rosbags(duration):
    return QosTime(*divmod(duration.nanoseconds, 1_000_000_000))
