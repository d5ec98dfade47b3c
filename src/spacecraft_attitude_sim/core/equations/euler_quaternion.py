# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Euler's equation with a quaternion, integrated by RK4, fourth order.

    dω/dt = I^-1 (τ_B + q* ∘ τ_W ∘ q - ω × I ω)    dq/dt = ½ q ∘ ω

The angular velocity is integrated, so nothing keeps the inertial L = q ∘ I ω ∘ q* constant: its
drift is the error of the method. The state's L becomes ω when a tick begins, and L again when it
ends. Here q turns principal axes into world axes.

F. L. Markley and J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and Control
(2014), ch. 3.
"""

from spacecraft_attitude_sim.core.equations.momentum import moved, normalised
from spacecraft_attitude_sim.core.equations.shared import driver
from spacecraft_attitude_sim.core.equations.shared.principal_frame import body_momentum
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate, quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.kernels.kernel import inlined

# Largest turn in one automatic sub-step [rad], as in the momentum form.
SUBSTEP_ANGLE = 1.0 / 256.0


@inlined
def euler_equation(
    body: FlatBody, w0: float, w1: float, w2: float, t0: float, t1: float, t2: float
) -> Floats:
    """Return dω/dt [rad/s^2] from ω [rad/s] and torque [N m], all in principal axes."""
    return (
        body[1] * (t0 + (body[10] - body[11]) * w1 * w2),
        body[2] * (t1 + (body[11] - body[9]) * w2 * w0),
        body[3] * (t2 + (body[9] - body[10]) * w0 * w1),
    )


@inlined
def derivative(y: Floats, body: FlatBody, wrench: Floats) -> Floats:
    """Return d(x, q, p, ω)/dt as thirteen floats."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    w0, w1, w2 = y[10], y[11], y[12]
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(q0, -q1, -q2, -q3, wrench[9], wrench[10], wrench[11])
    r0, r1, r2, r3 = quaternion_rate(q0, q1, q2, q3, w0, w1, w2)
    a0, a1, a2 = euler_equation(body, w0, w1, w2, wrench[3] + t0, wrench[4] + t1, wrench[5] + t2)
    return (
        body[0] * y[7], body[0] * y[8], body[0] * y[9],
        r0, r1, r2, r3,
        wrench[6] + f0, wrench[7] + f1, wrench[8] + f2,
        a0, a1, a2,
    )  # fmt: skip


rk4 = driver.make_rk4(derivative, moved)


@inlined
def step(y: Floats, h: float, body: FlatBody, wrench: Floats) -> Floats:
    """Return y = (x, q, p, ω) h seconds later, thirteen floats."""
    return normalised(rk4(y, h, body, wrench))


@inlined
def with_rotation(y: Floats, w0: float, w1: float, w2: float) -> Floats:
    """Return y with its last three floats, L or ω, replaced."""
    return (y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8], y[9], w0, w1, w2)


@inlined
def with_rate(y: Floats, body: FlatBody) -> Floats:
    """Return y with ω in principal axes in place of its last three floats, L in world axes."""
    a0, a1, a2 = body_momentum(y)
    return with_rotation(y, body[1] * a0, body[2] * a1, body[3] * a2)


@inlined
def with_momentum(y: Floats, body: FlatBody) -> Floats:
    """Return y with L in world axes in place of its last three floats, ω in principal axes."""
    a0, a1, a2 = body[9] * y[10], body[10] * y[11], body[11] * y[12]
    l0, l1, l2 = quaternion_sandwich(y[3], y[4], y[5], y[6], a0, a1, a2)
    return with_rotation(y, l0, l1, l2)


advance = driver.make_advance(step, SUBSTEP_ANGLE, with_rate, with_momentum)
trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
