# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read the fields of ROS messages as numbers; works with messages of rclpy and of rosbags.

It converts xyzw to wxyz and stamps to ticks; nodes.ros.conversions makes the messages.
"""

from typing import Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
from spacecraft_attitude_sim.core.ticks import DEFAULT, NANOSECONDS, Ticks


def nanoseconds_from_ros(stamp: Any) -> int:
    """Return a Time in nanoseconds, an exact integer."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def vector3_from_ros(message: Any) -> Vector3:
    """Return (3,) from a Vector3 or a Point."""
    return np.array((message.x, message.y, message.z))


def quaternion_from_ros(message: Any) -> Quaternion:
    """Return (4,) w, x, y, z from a Quaternion."""
    return np.array((message.w, message.x, message.y, message.z))


def wrench_from_ros(message: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the components of force and torque in a Wrench."""
    force, torque = message.force, message.torque
    return (force.x, force.y, force.z), (torque.x, torque.y, torque.z)


def moment_of(message: Any) -> int:
    """Return the time [ns] in a message's header or clock, else its first number.

    For the inputs the first number is a tick. The bag's time of reception may be wall time.
    """
    if hasattr(message, 'header'):
        return nanoseconds_from_ros(message.header.stamp)
    if hasattr(message, 'clock'):
        return nanoseconds_from_ros(message.clock)
    return int(message.data[0])


def tick_of(message: Any, ticks: Ticks = DEFAULT) -> int:
    """Return the tick of a message; ticks: Ticks of its run."""
    moment = moment_of(message)
    has_time = hasattr(message, 'header') or hasattr(message, 'clock')
    return ticks.at_stamp(moment) if has_time else moment
