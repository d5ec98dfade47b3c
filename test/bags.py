# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bags as tests compare them."""

from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_KILTED)
# Wall time is in it, so it differs from run to run.
OF_WALL_TIME = ('/diagnostics',)


def contents(bag):
    """Return {topic: [(time, canonical bytes)]}; the padding of a message is made zero."""
    found = {}
    with Reader(bag) as reader:
        for connection, stamp, data in reader.messages():
            if connection.topic not in OF_WALL_TIME:
                message = STORE.deserialize_cdr(data, connection.msgtype)
                canonical = bytes(STORE.serialize_cdr(message, connection.msgtype))
                found.setdefault(connection.topic, []).append((stamp, canonical))
    return found


def messages(bag, topics):
    """Return {topic: messages} of the topics that begin with one of a tuple of texts."""
    found = {}
    with Reader(bag) as reader:
        for connection, _, data in reader.messages():
            if connection.topic.startswith(topics):
                message = STORE.deserialize_cdr(data, connection.msgtype)
                found.setdefault(connection.topic, []).append(message)
    return found


def altered(bag, copy, topic, number, change, serialised=False):
    """Copy a bag, one message of a topic changed by a function of its message object.

    serialised: the function is of its bytes, and returns others
    """
    with (
        Reader(bag) as reader,
        Writer(copy, version=9, storage_plugin=StoragePlugin.MCAP) as writer,
    ):
        connections = {
            c.id: writer.add_connection(c.topic, c.msgtype, typestore=STORE)
            for c in reader.connections
        }
        seen = 0
        for connection, stamp, data in reader.messages():
            if connection.topic == topic:
                if seen == number and serialised:
                    data = change(data)
                elif seen == number:
                    message = STORE.deserialize_cdr(data, connection.msgtype)
                    change(message)
                    data = STORE.serialize_cdr(message, connection.msgtype)
                seen += 1
            writer.write(connections[connection.id], stamp, data)
