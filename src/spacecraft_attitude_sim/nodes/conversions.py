# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Between core and ROS messages: the only place where wxyz meets xyzw and ticks meet Time."""

import importlib
import struct

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3, Wrench
from std_msgs.msg import Header

from spacecraft_attitude_sim.core import ticks

STAMP = struct.Struct('=iI')


def message_class(type_name):
    """Return the class of `package/msg/Name` or `package/Name`.

    Raises ImportError or AttributeError where it is not installed.
    """
    package, *_, name = type_name.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), name)


def time_to_ros(tick):
    """Return the exact stamp of a tick."""
    return time_from_nanoseconds(ticks.nanoseconds(tick))


def time_from_nanoseconds(nanoseconds):
    """Return a Time of an integer number of nanoseconds."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return Time(sec=seconds, nanosec=rest)


def nanoseconds_from_ros(stamp):
    """Return a stamp in nanoseconds, an exact integer."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def header_to_ros(tick, frame):
    """Return the header of a message stamped with a tick."""
    return Header(stamp=time_to_ros(tick), frame_id=frame)


def vector3_to_ros(vector):
    """Return a Vector3 of (3,) components."""
    x, y, z = map(float, vector)
    return Vector3(x=x, y=y, z=z)


def stamp_bytes(tick):
    """Return the exact stamp of a tick as it stands in a serialised message."""
    return STAMP.pack(*divmod(ticks.nanoseconds(tick), 1_000_000_000))


def quaternion_bytes(q):
    """Return (4,) w, x, y, z as a Quaternion x, y, z, w stands in a serialised message."""
    w_first = q.tobytes()
    return w_first[8:] + w_first[:8]


def pose_bytes(position, q):
    """Return a position (3,) and an attitude (4,) as a Pose stands in a serialised message."""
    return position.tobytes() + quaternion_bytes(q)


def vector3_from_ros(message):
    """Return (3,) of a Vector3 or a Point."""
    return np.array((message.x, message.y, message.z))


def point_to_ros(vector):
    """Return a Point of (3,) coordinates."""
    x, y, z = map(float, vector)
    return Point(x=x, y=y, z=z)


def quaternion_to_ros(q):
    """Return a Quaternion (x, y, z, w) of (4,) w, x, y, z."""
    w, x, y, z = map(float, q)
    return Quaternion(x=x, y=y, z=z, w=w)


def quaternion_from_ros(message):
    """Return (4,) w, x, y, z of a Quaternion."""
    return np.array((message.w, message.x, message.y, message.z))


def pose_to_ros(position, q):
    """Return a Pose of a position (3,) [m] and an attitude (4,)."""
    return Pose(position=point_to_ros(position), orientation=quaternion_to_ros(q))


def twist_to_ros(velocity, angular_velocity):
    """Return a Twist of a velocity (3,) [m/s] and an angular velocity (3,) [rad/s]."""
    return Twist(linear=vector3_to_ros(velocity), angular=vector3_to_ros(angular_velocity))


def wrench_to_ros(force, torque):
    """Return a Wrench of a force (3,) [N] and a torque (3,) [N m]."""
    return Wrench(force=vector3_to_ros(force), torque=vector3_to_ros(torque))


def wrench_from_ros(message):
    """Return force (3,) and torque (3,) of a Wrench."""
    return vector3_from_ros(message.force), vector3_from_ros(message.torque)
