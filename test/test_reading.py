# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages read fast are those that rclpy reads, for every topic and whatever changes."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Vector3Stamped
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray, String

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.nodes.messages.moment import Settings
from spacecraft_attitude_sim.nodes.messages.tick_messages import TYPES, TickMessages
from spacecraft_attitude_sim.nodes.ros import conversions, reading
from spacecraft_attitude_sim.nodes.ros.reading import Reader
from spacecraft_attitude_sim.nodes.ros.serialised import ENCAPSULATION, append, serialised
from spacecraft_attitude_sim.recording.topics import known_as


@pytest.fixture
def slow(monkeypatch):
    """The number of messages that rclpy has read, of type and bytes."""
    read = []

    def counted(data, kind):
        read.append(kind.__name__)
        return deserialize_message(data, kind)

    monkeypatch.setattr(reading, 'deserialize_message', counted)
    return read


def types_of(message):
    """Return the types of all parts of a message, which == takes for equal where they differ."""
    if not hasattr(message, 'get_fields_and_field_types'):
        return type(message)
    fields = message.get_fields_and_field_types()
    return type(message), [types_of(getattr(message, field)) for field in fields]


@pytest.mark.parametrize('name', ['cubesat_3u_leo', 'cubesat_3u_mission', 'station_cmg'])
def test_every_topic_of_a_tick_is_read_as_rclpy_reads_it(name, slow):
    flown = scenario.load(scenario.find(name))
    messages, readers, numbers = TickMessages(flown), {}, {}
    instant = flown.first_instant()
    for _ in range(20):
        instant = simulation.next_instant(flown.plant, instant, simulation.Inputs())
        for topic, data in messages.of(instant, Settings(0), given=False):
            kind = TYPES[known_as(topic)]
            whole = deserialize_message(data, kind)
            read = readers.setdefault(topic, Reader(kind))(data)
            assert str(read) == str(whole) and types_of(read) == types_of(whole), topic
            again = bytearray(data[:ENCAPSULATION])
            append(again, read)
            assert again == data
            numbers.setdefault(topic, set()).add(data)
    assert all(len(found) > 1 for topic, found in numbers.items() if 'imu' in topic)
    fast = [topic for topic in readers if slow.count(TYPES[known_as(topic)].__name__) < 20]
    assert {'/clock', 'imu/data', 'joint_states'} & readers.keys() <= set(fast)
    assert 'tick' not in fast  # it has messages in it


def test_what_changes_beside_numbers_is_read_too(slow):
    read = Reader(JointState)
    for names in (['a', 'b'], ['a', 'c'], ['a', 'b', 'c'], []):
        for value in (1.0, -0.0, np.inf):
            message = JointState(name=names, velocity=[value] * len(names))
            message.header.stamp = conversions.time_from_nanoseconds(1_000_000_007)
            found = read(serialised(message))
            assert found == message
            assert str(found.velocity) == str(message.velocity)  # with the sign of 0
    assert len(slow) == 4


def test_a_covariance_that_changes_is_told(slow):
    read, message = Reader(Imu), Imu()
    for variance in (0.0, 1.0, 1.0):
        message.orientation_covariance[0] = variance
        assert read(serialised(message)).orientation_covariance[0] == variance
    assert len(slow) == 2


def test_one_message_does_not_change_with_the_next():
    read = Reader(Vector3Stamped)
    found = []
    for number in (1.0, 2.0, 3.0):
        message = Vector3Stamped()
        message.vector.x = number
        found.append(read(serialised(message)))
    assert [message.vector.x for message in found] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    'message',
    [
        DiagnosticArray(status=[DiagnosticStatus(name='a')]), String(data='said'),
        Float64MultiArray(data=[1.0, 2.0]), Imu(), DiagnosticArray(),
    ],
)  # fmt: skip
def test_any_type_and_a_number_that_is_none_is_read(message):
    read = Reader(type(message))
    for _ in range(3):
        assert read(serialised(message)) == message
    vector = Vector3Stamped()
    vector.vector.x = np.nan
    read = Reader(Vector3Stamped)
    data = bytearray(serialised(Vector3Stamped())[:ENCAPSULATION])
    append(data, vector)
    for _ in range(3):
        assert np.isnan(read(bytes(data)).vector.x)
    assert read._form, 'one NaN is no reason to be slow'


def test_damaged_bytes_are_refused_as_by_rclpy():
    read, data = Reader(Vector3Stamped), serialised(Vector3Stamped())
    read(data)
    for damaged in (data[:-9], b'', b'\x00\x01\x00\x00'):
        with pytest.raises(Exception, match='.'):
            deserialize_message(damaged, Vector3Stamped)
        with pytest.raises(Exception, match='.'):
            read(damaged)
    assert read(serialize_message(Vector3Stamped())) == Vector3Stamped()
