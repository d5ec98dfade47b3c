# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a reference and its status, and the reference in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import AccelStamped
from nav_msgs.msg import Odometry

from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.guidance.guidance import Status

# Frame of a reference: the axes that the body is to have.
REFERENCE = 'reference'


def motion(reference: Reference, stamp: int, world: str) -> tuple[Odometry, AccelStamped]:
    """Return attitude with rate, and acceleration, rate and acceleration in the reference's axes.

    stamp: [ns];  world: name of the inertial frame
    """
    odometry = Odometry(header=conversions.header_to_ros(stamp, world), child_frame_id=REFERENCE)
    odometry.pose.pose.orientation = conversions.quaternion_to_ros(reference.q_WR)
    odometry.twist.twist.angular = conversions.vector3_to_ros(reference.omega_R)
    acceleration = AccelStamped(header=conversions.header_to_ros(stamp, REFERENCE))
    acceleration.accel.angular = conversions.vector3_to_ros(reference.alpha_R)
    return odometry, acceleration


def reference_of(odometry: Odometry, acceleration: AccelStamped) -> Reference:
    """Return the Reference in two messages of one stamp, unchecked; inverse of `motion`."""
    return Reference(
        conversions.quaternion_from_ros(odometry.pose.pose.orientation),
        conversions.vector3_from_ros(odometry.twist.twist.angular),
        conversions.vector3_from_ros(acceleration.accel.angular),
    )


def status(now: Status, stamp: int, world: str) -> DiagnosticArray:
    """Return name of the profile, and how long the slew to it takes still [s]."""
    values = [KeyValue(key='time to the end of the slew [s]', value=f'{now.left:.3f}')]
    message = 'slewing' if now.left else 'tracking'
    line = DiagnosticStatus(name=now.profile, message=message, values=values)
    return DiagnosticArray(header=conversions.header_to_ros(stamp, world), status=[line])
