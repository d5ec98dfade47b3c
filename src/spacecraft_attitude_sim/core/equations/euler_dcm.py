# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Euler's equation with the direction cosine matrix, integrated by RK4, fourth order.

    dω/dt = I^-1 (τ_B + C^T τ_W - ω × I ω)    dC/dt = [C ω]× C

The columns e1, e2, e3 of C are the principal axes seen from the world; ω_W turns each of them. As
in euler_quaternion.py, L is not integrated, and drifts. C drifts from orthogonal, too; at the end
of the tick the nearest rotation matrix becomes the quaternion.

F. L. Markley and J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and Control
(2014), ch. 3.
"""

from spacecraft_attitude_sim.core.equations.euler_quaternion import SUBSTEP_ANGLE, euler_equation
from spacecraft_attitude_sim.core.equations.shared import driver
from spacecraft_attitude_sim.core.equations.shared.principal_frame import body_momentum
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_from_matrix,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import combined, cross, dot, moved_vector
from spacecraft_attitude_sim.kernels.kernel import inlined

# Newton's iteration converges quadratically, from 1e-2 off orthogonal after a step of a radian.
POLAR_ITERATIONS = 4
# x, e1, e2, e3, p, ω.
Vectors = tuple[Floats, Floats, Floats, Floats, Floats, Floats]


@inlined
def derivative(y: Vectors, body: FlatBody, wrench: Floats) -> Vectors:
    """Return d(x, e1, e2, e3, p, ω)/dt, six vectors of three floats."""
    _, e1, e2, e3, p, w = y
    torque_W = (wrench[9], wrench[10], wrench[11])
    t0 = wrench[3] + dot(e1, torque_W)
    t1 = wrench[4] + dot(e2, torque_W)
    t2 = wrench[5] + dot(e3, torque_W)
    force = combined(wrench[0], e1, wrench[1], e2, wrench[2], e3)
    # ω_W × e1 = ω3 e2 - ω2 e3 for right-handed orthogonal axes; e2 and e3 by cyclic permutation.
    return (
        (body[0] * p[0], body[0] * p[1], body[0] * p[2]),
        combined(0.0, e1, w[2], e2, -w[1], e3),
        combined(-w[2], e1, 0.0, e2, w[0], e3),
        combined(w[1], e1, -w[0], e2, 0.0, e3),
        (wrench[6] + force[0], wrench[7] + force[1], wrench[8] + force[2]),
        euler_equation(body, w[0], w[1], w[2], t0, t1, t2),
    )


@inlined
def moved(y: Vectors, h: float, k: Vectors) -> Vectors:
    """Return y + h k, six vectors of three floats."""
    return (
        moved_vector(y[0], h, k[0]), moved_vector(y[1], h, k[1]), moved_vector(y[2], h, k[2]),
        moved_vector(y[3], h, k[3]), moved_vector(y[4], h, k[4]), moved_vector(y[5], h, k[5]),
    )  # fmt: skip


rk4 = driver.make_rk4(derivative, moved)


@inlined
def from_quaternion(y: Floats, body: FlatBody) -> Vectors:
    """Return the six vectors x, e1, e2, e3, p, ω of the thirteen floats x, q, p, L."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    a0, a1, a2 = body_momentum(y)
    return (
        (y[0], y[1], y[2]),
        quaternion_sandwich(q0, q1, q2, q3, 1.0, 0.0, 0.0),
        quaternion_sandwich(q0, q1, q2, q3, 0.0, 1.0, 0.0),
        quaternion_sandwich(q0, q1, q2, q3, 0.0, 0.0, 1.0),
        (y[7], y[8], y[9]),
        (body[1] * a0, body[2] * a1, body[3] * a2),
    )


@inlined
def nearer_rotation(e1: Floats, e2: Floats, e3: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (C + C^-T) / 2 by columns: Newton's step to the nearest rotation matrix.

    N. J. Higham, SIAM J. Sci. Stat. Comput. 7 (1986) 1160.
    """
    c1, c2, c3 = cross(e2, e3), cross(e3, e1), cross(e1, e2)
    s = 0.5 / dot(e1, c1)
    return (
        combined(0.5, e1, s, c1, 0.0, c1),
        combined(0.5, e2, s, c2, 0.0, c2),
        combined(0.5, e3, s, c3, 0.0, c3),
    )


@inlined
def to_quaternion(y: Vectors, body: FlatBody) -> Floats:
    """Return the thirteen floats x, q, p, L of the six vectors x, e1, e2, e3, p, ω."""
    x, e1, e2, e3, p, w = y
    for _ in range(POLAR_ITERATIONS):
        e1, e2, e3 = nearer_rotation(e1, e2, e3)
    q0, q1, q2, q3 = quaternion_from_matrix(
        e1[0], e2[0], e3[0], e1[1], e2[1], e3[1], e1[2], e2[2], e3[2]
    )
    a0, a1, a2 = body[9] * w[0], body[10] * w[1], body[11] * w[2]
    l0, l1, l2 = quaternion_sandwich(q0, q1, q2, q3, a0, a1, a2)
    return (x[0], x[1], x[2], q0, q1, q2, q3, p[0], p[1], p[2], l0, l1, l2)


advance = driver.make_advance(rk4, SUBSTEP_ANGLE, from_quaternion, to_quaternion)
trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
