# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A direction as the two angles that a sensor reads: α = atan2(x, z), β = atan2(y, z).

z is its boresight.
"""

import math

from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import norm, scaled
from spacecraft_attitude_sim.kernels.kernel import helper

# Largest angle that is converted to a direction: the tangent diverges at a right angle [rad].
LARGEST = math.radians(89.9)


@helper
def angles_of(v_S: Floats) -> tuple[float, float]:
    """Return the angles of a direction, two floats [rad]."""
    return math.atan2(v_S[0], v_S[2]), math.atan2(v_S[1], v_S[2])


@helper
def in_view(angles: Floats, constants: Array, k: int) -> bool:
    """Return whether both angles are at most the two at index k of constants [rad]."""
    return abs(angles[0]) <= constants[k] and abs(angles[1]) <= constants[k + 1]


@helper
def direction_of(angles: Floats) -> Floats:
    """Return the unit vector of two angles [rad], three floats; angles clipped to LARGEST."""
    x = math.tan(min(max(angles[0], -LARGEST), LARGEST))
    y = math.tan(min(max(angles[1], -LARGEST), LARGEST))
    return scaled(1.0 / norm((x, y, 1.0)), (x, y, 1.0))
