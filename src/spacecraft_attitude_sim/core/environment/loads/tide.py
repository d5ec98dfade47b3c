# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The tidal force on a body away from the world's origin, which falls freely along the orbit.

    F = m μ/r³ (3 r̂ (r̂·x) - x)          V = -m μ/r³ (3 (r̂·x)² - x²)/2

Outward along the vertical, inward across it; x is the position. gravity_gradient.py has it with
the torque of the same field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.loads.load import PULL, UP
from spacecraft_attitude_sim.core.mathematics.vector_fours import dot_four
from spacecraft_attitude_sim.core.mathematics.vectors import dot, moved_vector, scaled, three_at
from spacecraft_attitude_sim.kernels.fours import Four, four_at
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats


@helper
def force(here: Floats, mass: float, y: Array) -> Floats:
    """Return the tidal force, three floats [N], world axes; here: of HERE;  y: the state."""
    r, x = three_at(here, UP), three_at(y, 0)
    along = scaled(3.0 * dot(r, x), r)
    return scaled(mass * here[PULL], moved_vector(along, -1.0, x))


@helper
def force_four(here: Array, mass: float, position: Four) -> Four:
    """Return `force` as a Four; position: of the body [m]."""
    up = four_at(here, UP)
    along = up * (3.0 * dot_four(up, position))
    return (along - position) * (mass * here[PULL])


@helper
def potential_part(here: Floats, mass: float, y: Array) -> float:
    """Return the potential over -3/2 μ/r³ [kg m^2]; arguments as `force`."""
    x = three_at(y, 0)
    along = dot(three_at(here, UP), x)
    return mass * (3.0 * along * along - dot(x, x)) / 3.0
