# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Lagrange's equations on Euler angles 3-2-1, integrated by RK4, fourth order.

    ω = a(θ) dθ/dt    Π = a^T I ω    dΠ/dt = ∂T/∂θ + a^T τ_B    dθ/dt = a^-1 I^-1 a^-T Π

θ is (yaw, pitch, roll) of the principal axes, T the kinetic energy, Π = ∂T/∂(dθ/dt) the momenta
conjugate to the angles. a does not depend on yaw: so yaw's momentum, the world's L_z, is exactly
constant without torque. At pitch ±90° (gimbal lock) a has no inverse: `advance` raises
ArithmeticError when the cosine of pitch falls below SMALLEST_COSINE. See docs/equations.md and
H. Goldstein, Classical Mechanics, ch. 4 and 5.
"""

import math

from spacecraft_attitude_sim.core.equations.shared import driver
from spacecraft_attitude_sim.core.equations.shared.principal_frame import body_momentum
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.kernels.kernel import inlined

# Largest turn in one automatic sub-step [rad], as in the momentum form.
SUBSTEP_ANGLE = 1.0 / 256.0
# Pitch within 1 degree of ±90: there yaw and roll turn sixty times as fast as the body.
SMALLEST_COSINE = math.sin(math.radians(1.0))


@inlined
def quaternion_of_angles(yaw: float, pitch: float, roll: float) -> Floats:
    """Return the quaternion of yaw, pitch and roll [rad] as four floats."""
    cy, sy = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    cp, sp = math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    cr, sr = math.cos(0.5 * roll), math.sin(0.5 * roll)
    q0, q1, q2, q3 = quaternion_product(cy, 0.0, 0.0, sy, cp, 0.0, sp, 0.0)
    return quaternion_product(q0, q1, q2, q3, cr, sr, 0.0, 0.0)


@inlined
def angles_of_quaternion(q0: float, q1: float, q2: float, q3: float) -> Floats:
    """Return yaw, pitch and roll [rad] of a quaternion, three floats; not valid at gimbal lock."""
    x0, x1, x2 = quaternion_sandwich(q0, q1, q2, q3, 1.0, 0.0, 0.0)
    y2 = 2.0 * (q2 * q3 + q0 * q1)
    z2 = q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3
    return math.atan2(x1, x0), math.atan2(-x2, math.sqrt(x0 * x0 + x1 * x1)), math.atan2(y2, z2)


@inlined
def momenta_of_angles(pitch: float, roll: float, m: Floats) -> Floats:
    """Return Π = a^T m, three floats; m: angular momentum in principal axes."""
    sp, cp, sr, cr = math.sin(pitch), math.cos(pitch), math.sin(roll), math.cos(roll)
    return (-sp * m[0] + cp * (sr * m[1] + cr * m[2]), cr * m[1] - sr * m[2], m[0])


@inlined
def momentum_of_body(pitch: float, roll: float, momenta: Floats) -> Floats:
    """Return m = a^-T Π, three floats, principal axes."""
    sp, cp, sr, cr = math.sin(pitch), math.cos(pitch), math.sin(roll), math.cos(roll)
    across = (momenta[0] + sp * momenta[2]) / cp
    return (momenta[2], sr * across + cr * momenta[1], cr * across - sr * momenta[1])


@inlined
def check(cosine: float) -> None:
    """Raise ArithmeticError unless the cosine of pitch is far enough from 0."""
    if not cosine > SMALLEST_COSINE:
        raise ArithmeticError(
            'gimbal lock: the pitch of the principal axes is within 1 degree of +-90, where '
            'Euler angles 3-2-1 fail; choose equations that carry a quaternion'
        )


@inlined
def derivative(y: Floats, body: FlatBody, wrench: Floats) -> Floats:
    """Return d(x, θ, p, Π)/dt as twelve floats; raise ArithmeticError near gimbal lock."""
    yaw, pitch, roll = y[3], y[4], y[5]
    sp, cp, sr, cr = math.sin(pitch), math.cos(pitch), math.sin(roll), math.cos(roll)
    check(cp)
    m = momentum_of_body(pitch, roll, (y[9], y[10], y[11]))
    w0, w1, w2 = body[1] * m[0], body[2] * m[1], body[3] * m[2]
    yaw_rate = (sr * w1 + cr * w2) / cp
    pitch_rate = cr * w1 - sr * w2
    q0, q1, q2, q3 = quaternion_of_angles(yaw, pitch, roll)
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(q0, -q1, -q2, -q3, wrench[9], wrench[10], wrench[11])
    F = momenta_of_angles(pitch, roll, (wrench[3] + t0, wrench[4] + t1, wrench[5] + t2))
    # ∂T/∂pitch and ∂T/∂roll at constant rates of the angles: m · (∂a/∂θ) dθ/dt.
    by_pitch = -yaw_rate * (cp * m[0] + sp * (sr * m[1] + cr * m[2]))
    by_roll = m[1] * (yaw_rate * cr * cp - pitch_rate * sr) - m[2] * (
        yaw_rate * sr * cp + pitch_rate * cr
    )
    return (
        body[0] * y[6], body[0] * y[7], body[0] * y[8],
        yaw_rate, pitch_rate, w0 + sp * yaw_rate,
        wrench[6] + f0, wrench[7] + f1, wrench[8] + f2,
        F[0], F[1] + by_pitch, F[2] + by_roll,
    )  # fmt: skip


@inlined
def moved(y: Floats, h: float, k: Floats) -> Floats:
    """Return y + h k, twelve floats."""
    return (
        y[0] + h * k[0], y[1] + h * k[1], y[2] + h * k[2],
        y[3] + h * k[3], y[4] + h * k[4], y[5] + h * k[5],
        y[6] + h * k[6], y[7] + h * k[7], y[8] + h * k[8],
        y[9] + h * k[9], y[10] + h * k[10], y[11] + h * k[11],
    )  # fmt: skip


rk4 = driver.make_rk4(derivative, moved)


@inlined
def step(y: Floats, h: float, body: FlatBody, wrench: Floats) -> Floats:
    """Return y = (x, θ, p, Π) h seconds later; raise ArithmeticError near gimbal lock."""
    y = rk4(y, h, body, wrench)
    check(math.cos(y[4]))
    return y


@inlined
def from_quaternion(y: Floats, body: FlatBody) -> Floats:
    """Return the twelve floats x, θ, p, Π of the thirteen x, q, p, L."""
    yaw, pitch, roll = angles_of_quaternion(y[3], y[4], y[5], y[6])
    _, by_pitch, by_roll = momenta_of_angles(pitch, roll, body_momentum(y))
    # Π of yaw is the world's L_z: copied, it keeps every bit.
    return (
        y[0], y[1], y[2], yaw, pitch, roll, y[7], y[8], y[9], y[12], by_pitch, by_roll,
    )  # fmt: skip


@inlined
def to_quaternion(y: Floats, body: FlatBody) -> Floats:
    """Return the thirteen floats x, q, p, L of the twelve x, θ, p, Π."""
    q = quaternion_of_angles(y[3], y[4], y[5])
    m = momentum_of_body(y[4], y[5], (y[9], y[10], y[11]))
    l0, l1, _ = quaternion_sandwich(q[0], q[1], q[2], q[3], m[0], m[1], m[2])
    return (y[0], y[1], y[2]) + q + (y[6], y[7], y[8], l0, l1, y[9])


advance = driver.make_advance(step, SUBSTEP_ANGLE, from_quaternion, to_quaternion)
trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
