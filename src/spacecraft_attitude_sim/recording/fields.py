# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The fields of ROS messages as numbers; from rclpy, rosbags or a test, for no ROS is needed.

Here xyzw becomes wxyz and a stamp becomes a tick; nodes.ros.conversions makes the messages.
"""

from typing import Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
from spacecraft_attitude_sim.core.ticks import DEFAULT, NANOSECONDS, Ticks


def nanoseconds_from_ros(stamp: Any) -> int:
    """Return a Time in nanoseconds, an exact integer."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def vector3_from_ros(message: Any) -> Vector3:
    """Return (3,) of a Vector3 or a Point."""
    return np.array((message.x, message.y, message.z))


def quaternion_from_ros(message: Any) -> Quaternion:
    """Return (4,) w, x, y, z of a Quaternion."""
    return np.array((message.w, message.x, message.y, message.z))


def wrench_from_ros(message: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the components of force and torque of a Wrench."""
    force, torque = message.force, message.torque
    return (force.x, force.y, force.z), (torque.x, torque.y, torque.z)


def moment_of(message: Any) -> int:
    """Return when a message is of: the time [ns] of its header or clock, else its first number.

    The first number of the inputs is a tick. The time at which a bag received it may be wall time.
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
