# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A wrench read from its bytes is what rclpy reads in them, however they were written."""

import struct

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from rclpy.serialization import deserialize_message, serialize_message

from spacecraft_attitude_sim.nodes.ros import conversions, stamped_wrench

STAMP = 2**31 * 10**9 - 1
NUMBERS = (1.5, -0.0, 3e-308, -2.0, float('inf'), 1e300)
# Every length of a gap before the numbers, twice, and what is no ASCII.
FRAMES = ['', *('abcdefghijklmnop'[:size] for size in range(1, 17)), 'körper', 'base_link@0.1,0,2']


def written(frame, order='<', gap=b'\xaa'):
    """Return the bytes of a wrench in a frame (str or bytes), written by hand in an order."""
    text = (frame.encode() if isinstance(frame, str) else frame) + b'\0'
    head = struct.pack(f'{order}iII', *divmod(STAMP, 10**9), len(text)) + text
    head += gap * (-len(head) % 8)
    return bytes((0, order == '<', 0, 0)) + head + struct.pack(f'{order}6d', *NUMBERS)


def same(found, expected):
    """Return whether stamps, frames and the bits of two wrenches are alike."""
    bits = [np.array((*force, *torque)).tobytes() for *_, force, torque in (found, expected)]
    return found[:2] == expected[:2] and bits[0] == bits[1]


def said_by_rclpy(data):
    message = deserialize_message(data, WrenchStamped)
    stamp = conversions.nanoseconds_from_ros(message.header.stamp)
    return stamp, message.header.frame_id, *conversions.wrench_from_ros(message.wrench)


@pytest.mark.parametrize('order', ['<', '>'])
@pytest.mark.parametrize('frame', FRAMES)
def test_a_wrench_is_read_to_the_bit(frame, order):
    found = stamped_wrench.from_bytes(written(frame, order))
    assert same(found, (STAMP, frame, NUMBERS[:3], NUMBERS[3:]))


@pytest.mark.parametrize('frame', FRAMES)
def test_what_rclpy_writes_is_read(frame):
    message = WrenchStamped(wrench=conversions.wrench_to_ros(NUMBERS[:3], NUMBERS[3:]))
    message.header = conversions.header_to_ros(STAMP, frame)
    data = serialize_message(message)
    assert same(stamped_wrench.from_bytes(data), (STAMP, frame, NUMBERS[:3], NUMBERS[3:]))


def test_the_usual_way_makes_no_message(monkeypatch):
    monkeypatch.setattr(stamped_wrench, 'deserialize_message', None)
    for frame in filter(str.isascii, FRAMES):
        assert stamped_wrench.from_bytes(written(frame))[1] == frame


def damaged():
    """Yield bytes of damaged wrenches: cut, lengthened, a length or a byte that lies."""
    data = written('base_link')
    yield from (data[:size] for size in range(len(data)))
    yield data + bytes(8)
    for length in (0, 1, 9, 11, 18, 2**31, 2**32 - 1):
        yield data[:12] + struct.pack('<I', length) + data[16:]
    for text in (b'base\0link', b'base_link\0', b'\xff\xfe', b'\0'):
        yield written(text)
    for place in range(len(data)):
        yield data[:place] + bytes((data[place] ^ 0xFF,)) + data[place + 1 :]


def test_of_damaged_bytes_nothing_is_read_that_rclpy_would_not_read():
    read = 0
    for data in damaged():
        try:
            expected = said_by_rclpy(data)
        except Exception as error:
            with pytest.raises(type(error)):
                stamped_wrench.from_bytes(data)
        else:
            assert same(stamped_wrench.from_bytes(data), expected), data
            read += 1
    assert read > 40
