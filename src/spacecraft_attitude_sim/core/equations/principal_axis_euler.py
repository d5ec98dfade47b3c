# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum form by semi-implicit Euler in principal axes, first order.

    p += f h    L += τ h    then    x += p h / m    q += ½ q ∘ ω h    ω = I^-1 (q* ∘ L ∘ q)

The momenta come first, so position and attitude move with the new ones (E. Hairer, C. Lubich and
G. Wanner, Geometric Numerical Integration, 2nd ed. 2006, § I.1). Then q is normalised.
"""

from spacecraft_attitude_sim.core.equations.momentum import normalised
from spacecraft_attitude_sim.core.equations.shared import driver
from spacecraft_attitude_sim.core.equations.shared.principal_frame import body_momentum
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate, quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.kernels.kernel import inlined

# Largest turn in one automatic sub-step [rad]: an error of about this times the angle turned.
SUBSTEP_ANGLE = 1.0 / 1024.0


@inlined
def pushed(y: Floats, h: float, wrench: Floats) -> Floats:
    """Return y with the momenta advanced by h seconds, position and attitude unchanged."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(q0, q1, q2, q3, wrench[3], wrench[4], wrench[5])
    return (
        y[0], y[1], y[2], q0, q1, q2, q3,
        y[7] + h * (wrench[6] + f0), y[8] + h * (wrench[7] + f1), y[9] + h * (wrench[8] + f2),
        y[10] + h * (wrench[9] + t0), y[11] + h * (wrench[10] + t1), y[12] + h * (wrench[11] + t2),
    )  # fmt: skip


@inlined
def carried(y: Floats, h: float, body: FlatBody) -> Floats:
    """Return y with position and attitude advanced by h seconds, the momenta unchanged."""
    a0, a1, a2 = body_momentum(y)
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    r0, r1, r2, r3 = quaternion_rate(q0, q1, q2, q3, body[1] * a0, body[2] * a1, body[3] * a2)
    v = h * body[0]
    return (
        y[0] + v * y[7], y[1] + v * y[8], y[2] + v * y[9],
        q0 + h * r0, q1 + h * r1, q2 + h * r2, q3 + h * r3,
        y[7], y[8], y[9], y[10], y[11], y[12],
    )  # fmt: skip


@inlined
def step(y: Floats, h: float, body: FlatBody, wrench: Floats) -> Floats:
    """Return y = (x, q, p, L) h seconds later, thirteen floats."""
    return normalised(carried(pushed(y, h, wrench), h, body))


advance = driver.make_advance(step, SUBSTEP_ANGLE)
trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
