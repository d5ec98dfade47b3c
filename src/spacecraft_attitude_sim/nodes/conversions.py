# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Between core and ROS messages: the only place where wxyz meets xyzw and ticks meet Time."""

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3
from std_msgs.msg import Header

from spacecraft_attitude_sim.core import ticks


def time_to_ros(tick):
    """Return the exact stamp of a tick."""
    seconds, nanoseconds = divmod(ticks.nanoseconds(tick), 1_000_000_000)
    return Time(sec=seconds, nanosec=nanoseconds)


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
