# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Convert results of core to ROS messages; recording.fields converts back, without ROS."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import std_msgs
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3, Wrench
from std_msgs.msg import Header

from spacecraft_attitude_sim.recording.fields import (  # noqa: F401 (the other half of the pairs)
    NANOSECONDS,
    nanoseconds_from_ros,
    quaternion_from_ros,
    vector3_from_ros,
    wrench_from_ros,
)

if TYPE_CHECKING:
    from rclpy.type_support import Msg

    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike


STAMP = struct.Struct('=iI')
TYPE_NAME = re.compile(r'([a-z][a-z0-9_]*)/(?:msg/)?([A-Z][A-Za-z0-9]*)')


@functools.lru_cache(maxsize=256)
def message_class(type_name: str) -> type[Msg]:
    """Return the class of `package/msg/Name` or `package/Name`.

    The name may come from an untrusted bag or graph, so only message packages of ROS are imported.
    Raises ImportError or AttributeError if it is not installed.
    """
    found = TYPE_NAME.fullmatch(type_name)
    if not found or not _is_message_package(found[1]):
        raise ImportError(f'{type_name[:200]} is no installed type of message')
    return getattr(importlib.import_module(f'{found[1]}.msg'), found[2])


def _is_message_package(name: str) -> bool:
    """Return whether ROS generated a package: one beside std_msgs or in a sourced workspace."""
    found = importlib.util.find_spec(name)  # a name without dots, so nothing is imported
    if not found or not found.origin:
        return False
    folder = Path(found.origin).parent
    sourced = filter(os.path.isabs, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))
    beside = Path(std_msgs.__file__).parent.parent
    installed = folder.parent == beside or any(folder.is_relative_to(prefix) for prefix in sourced)
    return installed and any(folder.glob(f'{name}_s__rosidl_typesupport_c*.so'))


def time_from_nanoseconds(nanoseconds: int) -> Time:
    """Return a Time from an integer number of nanoseconds."""
    seconds, rest = divmod(nanoseconds, NANOSECONDS)
    return Time(sec=seconds, nanosec=rest)


def header_to_ros(stamp: int, frame: str) -> Header:
    """Return the header of a message with a stamp [ns] and a frame."""
    return Header(stamp=time_from_nanoseconds(stamp), frame_id=frame)


def vector3_to_ros(vector: VectorLike) -> Vector3:
    """Return a Vector3 from (3,) components."""
    x, y, z = map(float, vector)
    return Vector3(x=x, y=y, z=z)


def stamp_bytes(stamp: int) -> bytes:
    """Return a time [ns] as the bytes of a Time in a serialised message."""
    return STAMP.pack(*divmod(stamp, NANOSECONDS))


def quaternion_bytes(q: Array) -> bytes:
    """Return (4,) w, x, y, z as the bytes of a Quaternion x, y, z, w in a serialised message."""
    return w_last(q.tobytes())


def w_last(w_first: bytes) -> bytes:
    """Return the bytes of a quaternion w, x, y, z as x, y, z, w."""
    return w_first[8:] + w_first[:8]


def pose_bytes(position: Array, q: Array) -> bytes:
    """Return a position (3,) and an attitude (4,) as the bytes of a Pose."""
    return position.tobytes() + quaternion_bytes(q)


def point_to_ros(vector: VectorLike) -> Point:
    """Return a Point from (3,) coordinates."""
    x, y, z = map(float, vector)
    return Point(x=x, y=y, z=z)


def quaternion_to_ros(q: VectorLike) -> Quaternion:
    """Return a Quaternion (x, y, z, w) from (4,) w, x, y, z."""
    w, x, y, z = map(float, q)
    return Quaternion(x=x, y=y, z=z, w=w)


def pose_to_ros(position: VectorLike, q: VectorLike) -> Pose:
    """Return a Pose from a position (3,) [m] and an attitude (4,)."""
    return Pose(position=point_to_ros(position), orientation=quaternion_to_ros(q))


def twist_to_ros(velocity: VectorLike, angular_velocity: VectorLike) -> Twist:
    """Return a Twist from a velocity (3,) [m/s] and an angular velocity (3,) [rad/s]."""
    return Twist(linear=vector3_to_ros(velocity), angular=vector3_to_ros(angular_velocity))


def wrench_to_ros(force: VectorLike, torque: VectorLike) -> Wrench:
    """Return a Wrench from a force (3,) [N] and a torque (3,) [N m]."""
    return Wrench(force=vector3_to_ros(force), torque=vector3_to_ros(torque))
