# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The joint states that an attitude_controller has heard, by their time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from sensor_msgs.msg import JointState

    from spacecraft_attitude_sim.core.control.allocation import Allocation

# Those of the longest latency of an IMU.
MOST_KEPT = 3201


class Joints:
    """The joint angles or speeds that an Allocation needs, from joint_states.

    needed: whether it needs any;  values: (G,) latest [rad or rad/s], zeros before the first
    """

    def __init__(self, allocation: Allocation | None) -> None:
        self.turning = bool(allocation and allocation.needs_speeds)
        self.needed = self.turning or bool(allocation and allocation.needs_angles)
        self.names = allocation.names if allocation and self.needed else ()
        self.values = [0.0] * len(self.names)
        self._time_ns: int | None = None
        self._kept: dict[int, list[float]] = {}  # {time [ns]: values}

    def take(self, message: JointState) -> None:
        """Store the values of a message if it has all of them and all are finite."""
        said = message.velocity if self.turning else message.position
        said = dict(zip(message.name, said, strict=False))
        values = [said.get(name, math.nan) for name in self.names]
        if all(map(math.isfinite, values)):
            before, self.values = self._time_ns, values
            self._time_ns = conversions.nanoseconds_from_ros(message.header.stamp)
            if before is not None and self._time_ns < before:
                self._kept.clear()  # another run has begun
            self._kept[self._time_ns] = values
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]

    def are_of(self, time_ns: int, timeout_ns: int) -> bool:
        """Return whether the values are from time_ns, or later by at most the timeout."""
        if not self.needed:
            return True
        return self._time_ns is not None and 0 <= self._time_ns - time_ns <= timeout_ns

    def at(self, time_ns: int) -> list[float]:
        """Return the values (G,) of a time [ns]; the latest where none are of it."""
        return self._kept.get(time_ns, self.values)
