# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The jerk-limited angle of a slew from rest to rest: seven segments of constant jerk.

L. Biagiotti and C. Melchiorri, Trajectory Planning for Automatic Machines and Robots, Springer
2008, section 3.4. Acceleration, rate and angle are continuous; jerk is +j, 0, -j, 0, -j, 0, +j.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Limits(NamedTuple):
    """Largest rate [rad/s], acceleration [rad/s^2] and jerk [rad/s^3] of a slew, all positive."""

    rate: float
    acceleration: float
    jerk: float


class SCurve(NamedTuple):
    """Times of a motion [s]: of each change of acceleration, of each acceleration, of the cruise.

    peak: the jerk, as part of the whole angle [1/s^3]
    """

    ramp: float
    acceleration: float
    cruise: float
    peak: float

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        return 2.0 * self.acceleration + self.cruise

    def share(self, time: float) -> tuple[float, float, float]:
        """Return the part of the angle turned after a time [s], and its two derivatives."""
        if 2.0 * time <= self.duration:
            return self._first_half(max(time, 0.0))
        rest, rate, acceleration = self._first_half(max(self.duration - time, 0.0))
        return 1.0 - rest, rate, -acceleration

    def _first_half(self, t: float) -> tuple[float, float, float]:
        ramp, whole, jerk = self.ramp, self.acceleration, self.peak
        top = jerk * ramp
        if t <= ramp:
            return jerk * t**3 / 6.0, 0.5 * jerk * t**2, jerk * t
        if t <= whole - ramp:
            since = t - ramp
            rate = 0.5 * top * ramp + top * since
            return jerk * ramp**3 / 6.0 + 0.5 * top * since * t, rate, top
        fastest = top * (whole - ramp)
        if t <= whole:
            left = whole - t
            turned = 0.5 * fastest * whole - fastest * left + jerk * left**3 / 6.0
            return turned, fastest - 0.5 * jerk * left**2, jerk * left
        return 0.5 * fastest * whole + fastest * (t - whole), fastest, 0.0


def s_curve(angle: float, limits: Limits) -> SCurve:
    """Return the fastest SCurve through an angle > 0 [rad] within limits."""
    rate, acceleration, jerk = limits
    if rate * jerk < acceleration**2:  # the largest acceleration is not reached
        ramp = math.sqrt(rate / jerk)
        whole = 2.0 * ramp
    else:
        ramp = acceleration / jerk
        whole = ramp + rate / acceleration
    cruise = angle / rate - whole
    if cruise < 0.0:  # the largest rate is not reached
        cruise = 0.0
        if angle >= 2.0 * acceleration**3 / jerk**2:
            ramp = acceleration / jerk
            whole = 0.5 * ramp + math.sqrt(0.25 * ramp**2 + angle / acceleration)
        else:
            ramp = (0.5 * angle / jerk) ** (1.0 / 3.0)
            whole = 2.0 * ramp
    # The whole angle is j ramp (whole - ramp) (whole + cruise).
    return SCurve(ramp, whole, cruise, 1.0 / (ramp * (whole - ramp) * (whole + cruise)))
