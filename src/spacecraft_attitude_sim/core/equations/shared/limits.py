# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bounds on a motion that can be computed, and whether a state is within them, compiled.

core.simulation.limits gives the reasons, and the text of the error for a state beyond them.
"""

from __future__ import annotations

import math

from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    body_momentum,
    in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.kernels.kernel import helper
from spacecraft_attitude_sim.safety.quoting import cut

SPEED_OF_LIGHT = 299_792_458.0
# Beyond this distance a double is coarser than 0.1 m [m].
LARGEST_DISTANCE = 1e15
# Bounds of |q|^2; all equations of motion keep it within a few roundings of 1.
SMALLEST_SQUARE, LARGEST_SQUARE = 1.0 - 1e-6, 1.0 + 1e-6
REMEDY = 'check the unit, command less, or let it act for a shorter time'


def check_finite(what: str, *arrays: Array | None) -> None:
    """Raise ArithmeticError unless all numbers of the arrays are finite; None is skipped.

    what: name of the arrays, for the text of the error
    """
    values = [array.tolist() for array in arrays if array is not None]
    # A sum that overflows is an error, too: no valid value is near 1e308.
    if not math.isfinite(sum(map(sum, values))):
        raise ArithmeticError(f'{what} would be {cut(values)}, which is not finite; {REMEDY}')


@helper
def is_tame(state: Floats, body: Floats, rate: float) -> bool:
    """Return whether a state is certainly within the limits of check_motion: a quick bound.

    state: thirteen floats;  body: twelve of RigidBody.flat
    rate: largest_rate of the momentum form [rad/s]
    """
    s = state
    angular_momentum = rate * min(body[9], body[10], body[11])
    turning = s[10] * s[10] + s[11] * s[11] + s[12] * s[12]
    return (turning < angular_momentum * angular_momentum) & flies_within(state, body[8])


@helper
def flies_within(state: Array | Floats, mass: float) -> bool:
    """Return whether attitude, speed and position are within the limits; the rate is not asked."""
    s, momentum = state, SPEED_OF_LIGHT * mass
    square = s[3] * s[3] + s[4] * s[4] + s[5] * s[5] + s[6] * s[6]
    return (
        (SMALLEST_SQUARE < square < LARGEST_SQUARE)
        & (s[7] * s[7] + s[8] * s[8] + s[9] * s[9] < momentum * momentum)
        & (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] < LARGEST_DISTANCE * LARGEST_DISTANCE)
    )


@helper
def is_followed(state: Floats, body: Floats, rate: float) -> bool:
    """Return whether check_motion would raise nothing, compiled; arguments as is_tame."""
    if is_tame(state, body, rate):
        return True
    # |L| over the smallest moment bounds the rate; the true rate may be less.
    a0, a1, a2 = body_momentum(in_principal_axes(state, body))
    w = norm((body[1] * a0, body[2] * a1, body[3] * a2))
    least = min(body[9], body[10], body[11])
    return w < rate and is_tame(state, body, rate + norm((a0, a1, a2)) / least)
