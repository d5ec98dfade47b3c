# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion to principal axes and back, before and after the equations of every `advance`.

In principal axes P the inertia is three numbers. y is (x, q_WP, p, L), thirteen floats; the body
part of a converted wrench is in P.
"""

import math

import numpy as np

from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, FlatState, FlatWrench, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

# Most steps that an `advance` chooses by itself. They take `momentum` 10 ms, a third of a tick.
# It reaches them at 16 000 rad/s, faster than any scenario may start.
MOST_STEPS = 131_072


@helper
def in_principal_axes(flat_state: Floats, body: Floats) -> Floats:
    """Return y, thirteen floats, of a flat state (13,) and body (12,)."""
    s = flat_state
    q0, q1, q2, q3 = quaternion_product(s[3], s[4], s[5], s[6], body[4], body[5], body[6], body[7])
    return (s[0], s[1], s[2], q0, q1, q2, q3, s[7], s[8], s[9], s[10], s[11], s[12])


@helper
def wrench_in_principal_axes(wrench: Floats, body: Floats) -> Floats:
    """Return the wrench (12,) as twelve floats, its body part turned to P."""
    b0, b1, b2, b3 = body[4], body[5], body[6], body[7]
    f0, f1, f2 = quaternion_sandwich(b0, -b1, -b2, -b3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(b0, -b1, -b2, -b3, wrench[3], wrench[4], wrench[5])
    return (
        f0, f1, f2, t0, t1, t2,
        wrench[6], wrench[7], wrench[8], wrench[9], wrench[10], wrench[11],
    )  # fmt: skip


@helper
def from_principal_axes(y: Floats, body: Floats) -> Floats:
    """Return the flat state of y as thirteen floats."""
    b0, b1, b2, b3 = body[4], body[5], body[6], body[7]
    q0, q1, q2, q3 = quaternion_product(y[3], y[4], y[5], y[6], b0, -b1, -b2, -b3)
    return (y[0], y[1], y[2], q0, q1, q2, q3, y[7], y[8], y[9], y[10], y[11], y[12])


@helper
def in_body_axes(y: Floats, body: Floats) -> FlatState:
    """Return the flat state (13,) of y."""
    return np.array(from_principal_axes(y, body))


@helper
def leaves_free(wrench: Floats) -> bool:
    """Return whether a wrench has no torque and no body-fixed force.

    A force fixed in the world is allowed: it does not turn the body.
    """
    return (
        wrench[0] == 0.0 and wrench[1] == 0.0 and wrench[2] == 0.0
        and wrench[3] == 0.0 and wrench[4] == 0.0 and wrench[5] == 0.0
        and wrench[9] == 0.0 and wrench[10] == 0.0 and wrench[11] == 0.0
    )  # fmt: skip


@helper
def body_momentum(y: Floats) -> Floats:
    """Return the angular momentum in principal axes, three floats."""
    return quaternion_sandwich(y[3], -y[4], -y[5], -y[6], y[10], y[11], y[12])


@helper
def steps_for(
    angle: float, flat_state: FlatState, body: FlatBody, wrench: FlatWrench, duration: float
) -> int:
    """Return the number of equal steps that keeps the turn in each below an angle [rad].

    Without torque the rate stays below sqrt(2 T / I_min), T the rotational energy; a constant
    torque adds at most |τ| t / I_min. The number is at most MOST_STEPS, so that no torque can make
    a tick take for ever; simulation.under_resolved tells when this limit is reached.
    """
    a0, a1, a2 = body_momentum(in_principal_axes(flat_state, body))
    twice_energy = body[1] * a0 * a0 + body[2] * a1 * a1 + body[3] * a2 * a2
    largest_inverse = max(body[1], body[2], body[3])
    torque = norm((wrench[3], wrench[4], wrench[5])) + norm((wrench[9], wrench[10], wrench[11]))
    rate = math.sqrt(twice_energy * largest_inverse) + torque * duration * largest_inverse
    steps = rate * duration / angle
    if not steps < MOST_STEPS:  # also where the rate overflows
        return MOST_STEPS
    return max(1, int(math.ceil(steps)))


@compiled
def substep_count(
    angle: float, flat_state: FlatState, body: FlatBody, wrench: FlatWrench, duration: float
) -> int:
    """Return steps_for; callable from Python."""
    return steps_for(angle, flat_state, body, wrench, duration)
