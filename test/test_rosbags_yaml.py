# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""rosbags parses equal YAML once, and to the same; what is wrong with it is told each time."""

import pytest
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import Reader, StoragePlugin, Writer, reader
from rosbags.rosbag2.errors import ReaderError
from rosbags.typesys import Stores, get_typestore
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from spacecraft_attitude_sim.recording import bag_reader, rosbags_yaml

STORE = get_typestore(Stores.ROS2_KILTED)
EVER = QosTime(2147483647, 4294967295)
QOS = [
    Qos(
        QosHistory.KEEP_LAST, depth, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL,
        EVER, EVER, QosLiveliness.AUTOMATIC, EVER, False,
    )
    for depth in (1, 1, 100)
]  # fmt: skip


def described(reader):
    """Return what a Reader knows of a bag and its topics."""
    return reader.storage.metadata, [one._replace(owner=None) for one in reader.connections]


@pytest.fixture
def bag(tmp_path):
    """A bag with three topics, two of them of the same QoS."""
    path = tmp_path / 'bag'
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        for name, qos in zip('abc', QOS, strict=True):
            connection = writer.add_connection(
                f'/{name}', 'std_msgs/msg/Bool', typestore=STORE, offered_qos_profiles=[qos]
            )
            message = STORE.types['std_msgs/msg/Bool'](data=True)
            writer.write(connection, 1, STORE.serialize_cdr(message, connection.msgtype))
    return path


def test_a_bag_is_the_same_at_each_opening_and_parsed_once(bag, monkeypatch):
    with Reader(bag) as plain:
        expected = described(plain)
    rosbags_yaml._parsed.cache_clear()
    with bag_reader.opened(bag) as found:
        depths = [one.ext.offered_qos_profiles[0].depth for one in found.connections]
    assert depths == [1, 1, 100]
    assert reader.YAML is rosbags_yaml.ParsedOnce
    monkeypatch.setattr(YAML, 'load', None)  # nothing is parsed from now on
    with Reader(bag) as again:
        assert described(again) == expected


def test_what_is_done_to_one_copy_is_not_seen_in_the_next():
    yaml = rosbags_yaml.ParsedOnce(typ='safe')
    yaml.load('topics: [{name: /a}]')['topics'][0]['name'] = '/b'
    assert yaml.load('topics: [{name: /a}]') == {'topics': [{'name': '/a'}]}


def test_damage_is_told_each_time(bag):
    (bag / 'metadata.yaml').write_text('rosbag2_bagfile_information: [')
    rosbags_yaml.parse_once()
    for _ in range(2):
        with pytest.raises(YAMLError):
            rosbags_yaml.ParsedOnce(typ='safe').load('[')
        with pytest.raises(ReaderError, match='Could not load YAML'):
            Reader(bag).open()


def test_a_long_text_is_parsed_and_not_kept():
    text = 'a: ' + 'b' * rosbags_yaml.LONGEST
    before = rosbags_yaml._parsed.cache_info()
    assert rosbags_yaml.ParsedOnce(typ='safe').load(text)['a'].startswith('bb')
    assert rosbags_yaml._parsed.cache_info() == before
