# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read a WrenchStamped from its bytes.

rclpy would make six objects, which takes ten times as long; a run in lockstep waits for this
message in every tick.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from geometry_msgs.msg import WrenchStamped
from rclpy.serialization import deserialize_message

from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import ENCAPSULATION

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Floats


# Header of plain CDR with little-endian numbers, which every DDS here writes.
PLAIN = b'\x00\x01\x00\x00'
# Seconds, nanoseconds, and the length of frame_id including its final zero.
HEAD = struct.Struct(f'<{ENCAPSULATION}xiII')
NUMBERS = struct.Struct('<6d')
ALIGNED = 8


def from_bytes(data: bytes) -> tuple[int, str, Floats, Floats]:
    """Return stamp [ns], frame_id, force and torque (three floats each) of a WrenchStamped.

    A message in another encoding is read by rclpy, which may raise any error.

    data: the serialised message, from an untrusted source
    """
    if data.startswith(PLAIN) and len(data) > HEAD.size:
        seconds, nanoseconds, length = HEAD.unpack_from(data)
        end = HEAD.size + length
        first = end + (ENCAPSULATION - end) % ALIGNED
        frame = data[HEAD.size : end - 1]
        whole = first + NUMBERS.size == len(data) and data.find(0, HEAD.size) == end - 1
        if whole and frame.isascii():
            six = NUMBERS.unpack_from(data, first)
            stamp = seconds * conversions.NANOSECONDS + nanoseconds
            return stamp, frame.decode(), six[:3], six[3:]
    message = deserialize_message(data, WrenchStamped)
    header, wrench = message.header, conversions.wrench_from_ros(message.wrench)
    return conversions.nanoseconds_from_ros(header.stamp), header.frame_id, *wrench
