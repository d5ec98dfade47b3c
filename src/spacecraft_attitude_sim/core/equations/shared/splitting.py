# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Exact free motion and impulses ("kicks") of a constant wrench, for exact_kick2 and exact_kick4.

Free flow: the attitude of free_motion.py and x += p t / m. Kick: with attitude and position
fixed, p += f t and L += τ t. Each is exact; y is (x, q, p, L) in principal axes, thirteen floats.
"""

from spacecraft_attitude_sim.core.equations.shared.free_motion import attitude
from spacecraft_attitude_sim.core.equations.shared.free_motion_constants import constants
from spacecraft_attitude_sim.core.equations.shared.principal_frame import body_momentum
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import cross, moved_vector
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined


@compiled
def flow(y: Floats, t: float, body: FlatBody) -> Floats:
    """Return y after t seconds without force and torque."""
    m = body_momentum(y)
    double_double = ((m[0], 0.0), (m[1], 0.0), (m[2], 0.0))
    k = constants((y[3], y[4], y[5], y[6]), double_double, (body[9], body[10], body[11]))
    v = t * body[0]
    x = (y[0] + v * y[7], y[1] + v * y[8], y[2] + v * y[9])
    return x + attitude(k, t) + y[7:]


@inlined
def kick(y: Floats, t: float, wrench: Floats) -> Floats:
    """Return y after the wrench has acted for t seconds on a body that does not move."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(q0, q1, q2, q3, wrench[3], wrench[4], wrench[5])
    return y[:7] + (
        y[7] + t * (wrench[6] + f0), y[8] + t * (wrench[7] + f1), y[9] + t * (wrench[8] + f2),
        y[10] + t * (wrench[9] + t0), y[11] + t * (wrench[10] + t1), y[12] + t * (wrench[11] + t2),
    )  # fmt: skip


@inlined
def with_gradient(y: Floats, factor: float, wrench: Floats, body: FlatBody) -> Floats:
    """Return the wrench with its body part v changed to v + factor (I^-1 τ) × v.

    That is the change of a body-fixed wrench as its own torque τ turns the body; factor: [s^2]
    """
    seen = quaternion_sandwich(y[3], -y[4], -y[5], -y[6], wrench[9], wrench[10], wrench[11])
    force, torque = (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])
    a = moved_vector(torque, 1.0, seen)
    a = (body[1] * a[0], body[2] * a[1], body[3] * a[2])
    return (
        moved_vector(force, factor, cross(a, force))
        + moved_vector(torque, factor, cross(a, torque))
        + wrench[6:]
    )
