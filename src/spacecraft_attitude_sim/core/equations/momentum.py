# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum form of rigid-body motion, integrated by RK4.

    dx/dt = p / m        dp/dt = f_W + q ∘ f_B ∘ q*
    dq/dt = ½ q ∘ ω      dL/dt = τ_W + q ∘ τ_B ∘ q*      ω = I^-1 (q* ∘ L ∘ q)

L is kept in the inertial frame. Without torque every stage adds exactly zero to it, so it is
conserved to the last bit for any step. Here q turns *principal* axes into world axes, so the
inertia is three numbers. A wrench in body axes turns with the body inside every stage. Without
torque and body-fixed force, coasting.py does the same in fewer operations. The mechanics is in
F. L. Markley and J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and Control
(2014), ch. 3; why L and not ω is the state, in docs/equations.md.
"""

import math

import numpy as np

from spacecraft_attitude_sim.core.equations.shared import coasting, driver
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    from_principal_axes,
    in_principal_axes,
    leaves_free,
    steps_for,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate, quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, FlatState, FlatWrench, Floats
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

# Largest turn in one automatic sub-step [rad]. At 1/256 the tennis racket, which passes within
# 7.5e-8 of its separatrix, stays within 2e-7 rad of the exact attitude over 10 s, most of it
# round-off magnified by the flips; an ordinary tumble stays a thousand times closer.
SUBSTEP_ANGLE = 1.0 / 256.0


@helper
def derivative(y: Floats, body: Floats, wrench: Floats) -> Floats:
    """Return d(x, q, p, L)/dt as thirteen floats."""
    turning = quaternion_sandwich(y[3], -y[4], -y[5], -y[6], y[10], y[11], y[12])
    return slopes(y, body, turning, wrench, (wrench[3], wrench[4], wrench[5]))


@helper
def slopes(y: Floats, body: Floats, turning: Floats, wrench: Floats, torque: Floats) -> Floats:
    """Return d(x, q, p, L)/dt as thirteen floats.

    turning: I ω = L - h, three floats, principal axes; h: momentum stored in wheels [N m s]
    wrench: twelve floats;  torque: three floats that replace its torque in body axes [N m]
    """
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    r0, r1, r2, r3 = quaternion_rate(
        q0, q1, q2, q3, body[1] * turning[0], body[2] * turning[1], body[3] * turning[2]
    )
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(q0, q1, q2, q3, torque[0], torque[1], torque[2])
    # Inside a stage q is not quite a unit quaternion; dividing by |q|² keeps a load's magnitude.
    u = 1.0 / (q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    return (
        body[0] * y[7], body[0] * y[8], body[0] * y[9],
        r0, r1, r2, r3,
        wrench[6] + u * f0, wrench[7] + u * f1, wrench[8] + u * f2,
        wrench[9] + u * t0, wrench[10] + u * t1, wrench[11] + u * t2,
    )  # fmt: skip


@helper
def moved(y: Floats, h: float, k: Floats) -> Floats:
    """Return y + h k, thirteen floats."""
    return (
        y[0] + h * k[0], y[1] + h * k[1], y[2] + h * k[2],
        y[3] + h * k[3], y[4] + h * k[4], y[5] + h * k[5], y[6] + h * k[6],
        y[7] + h * k[7], y[8] + h * k[8], y[9] + h * k[9],
        y[10] + h * k[10], y[11] + h * k[11], y[12] + h * k[12],
    )  # fmt: skip


@helper
def normalised(y: Floats) -> Floats:
    """Return y with its quaternion divided by its norm; RK4 lets the norm drift."""
    s = 1.0 / math.sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6])
    return (
        y[0], y[1], y[2], s * y[3], s * y[4], s * y[5], s * y[6],
        y[7], y[8], y[9], y[10], y[11], y[12],
    )  # fmt: skip


@helper
def rk4(y: Floats, h: float, body: Floats, wrench: Floats) -> Floats:
    """Return the state one classical Runge-Kutta step of h seconds later, thirteen floats."""
    k1 = derivative(y, body, wrench)
    k2 = derivative(moved(y, h / 2.0, k1), body, wrench)
    k3 = derivative(moved(y, h / 2.0, k2), body, wrench)
    k4 = derivative(moved(y, h, k3), body, wrench)
    middle = moved(k2, 1.0, k3)
    total = moved(moved(k1, 2.0, middle), 1.0, k4)
    return normalised(moved(y, h / 6.0, total))


@compiled
def substep_count(
    flat_state: FlatState, body: FlatBody, wrench: FlatWrench, duration: float
) -> int:
    """Return the number of equal sub-steps that keeps the turn in each below SUBSTEP_ANGLE."""
    return steps_for(SUBSTEP_ANGLE, flat_state, body, wrench, duration)


@helper
def advanced(
    state: Floats, body: Floats, wrench: Floats, duration: float, substeps: int
) -> Floats:
    """Return the flat state `duration` seconds later, thirteen floats; arguments as `advance`."""
    h = duration / substeps
    y = in_principal_axes(state, body)
    if leaves_free(wrench):
        q, turn, r = coasting.begin(y, h, body)
        for _ in range(substeps):
            q = coasting.step(q, turn)
        y = coasting.end(y, q, r, duration, body, wrench)
    else:
        turned = wrench_in_principal_axes(wrench, body)
        inverses = (body[0], body[1], body[2], body[3])
        for _ in range(substeps):
            y = rk4(y, h, inverses, turned)
    return from_principal_axes(y, body)


@compiled
def advance(
    flat_state: FlatState, body: FlatBody, wrench: FlatWrench, duration: float, substeps: int
) -> FlatState:
    """Return the state (13,) `duration` seconds later, the wrench constant.

    flat_state: (13,) of core.body.state;  body: (12,) of RigidBody.flat
    wrench: (12,) of core.body.loads: force and torque in body axes, then in world axes [N, N m]
    duration: [s];  substeps: number of RK4 steps, 0 to choose it as substep_count
    """
    if substeps < 1:
        substeps = substep_count(flat_state, body, wrench, duration)
    return np.array(advanced(flat_state, body, wrench, duration, substeps))


trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
