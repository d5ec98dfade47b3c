# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Euler's equation with a quaternion, integrated by RK4 (S3 of physics.md), fourth order.

    dω/dt = I^-1 (τ_B + q* ∘ τ_W ∘ q - ω × I ω)    dq/dt = ½ q ∘ ω

The angular velocity is what is integrated, so nothing keeps the inertial L = q ∘ I ω ∘ q*: its
drift is the error of the method. The L of the state is turned into ω when a tick begins, and back
when it ends. Here q turns principal axes into world.
"""

import numpy as np

from spacecraft_attitude_sim.core.equations.momentum import moved, normalised
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    body_momentum,
    in_body_axes,
    in_principal_axes,
    steps_for,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate, quaternion_sandwich
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined

# Largest turn in one automatic sub-step [rad], as in the momentum form.
SUBSTEP_ANGLE = 1.0 / 256.0


@inlined
def euler_equation(inverses, moments, w0, w1, w2, t0, t1, t2):
    """Return dω/dt in principal axes [rad/s^2], of ω [rad/s] and the torque in the same axes."""
    return (
        inverses[1] * (t0 + (moments[1] - moments[2]) * w1 * w2),
        inverses[2] * (t1 + (moments[2] - moments[0]) * w2 * w0),
        inverses[3] * (t2 + (moments[0] - moments[1]) * w0 * w1),
    )


@inlined
def derivative(y, inverses, moments, wrench):
    """Return d(x, q, p, ω)/dt as thirteen floats."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    w0, w1, w2 = y[10], y[11], y[12]
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(q0, -q1, -q2, -q3, wrench[9], wrench[10], wrench[11])
    r0, r1, r2, r3 = quaternion_rate(q0, q1, q2, q3, w0, w1, w2)
    a0, a1, a2 = euler_equation(
        inverses, moments, w0, w1, w2, wrench[3] + t0, wrench[4] + t1, wrench[5] + t2
    )
    return (
        inverses[0] * y[7], inverses[0] * y[8], inverses[0] * y[9],
        r0, r1, r2, r3,
        wrench[6] + f0, wrench[7] + f1, wrench[8] + f2,
        a0, a1, a2,
    )  # fmt: skip


@inlined
def rk4(y, h, inverses, moments, wrench):
    """Return the state one classical Runge-Kutta step of h seconds later, thirteen floats."""
    k1 = derivative(y, inverses, moments, wrench)
    k2 = derivative(moved(y, h / 2.0, k1), inverses, moments, wrench)
    k3 = derivative(moved(y, h / 2.0, k2), inverses, moments, wrench)
    k4 = derivative(moved(y, h, k3), inverses, moments, wrench)
    y = moved(moved(moved(moved(y, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4)
    return normalised(y)


@inlined
def with_rotation(y, w0, w1, w2):
    """Return y with its last three floats, L or ω, replaced."""
    return (y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8], y[9], w0, w1, w2)


@inlined
def with_rate(y, inverses):
    """Return y, its last three floats L in world axes, with ω in principal axes in their place."""
    a0, a1, a2 = body_momentum(y)
    return with_rotation(y, inverses[1] * a0, inverses[2] * a1, inverses[3] * a2)


@inlined
def with_momentum(y, moments):
    """Return y, its last three floats ω in principal axes, with L in world axes in their place."""
    a0, a1, a2 = moments[0] * y[10], moments[1] * y[11], moments[2] * y[12]
    l0, l1, l2 = quaternion_sandwich(y[3], y[4], y[5], y[6], a0, a1, a2)
    return with_rotation(y, l0, l1, l2)


@compiled
def advance(flat_state, body, wrench, duration, substeps):
    """Return the state (13,) `duration` seconds later, the wrench held.

    flat_state: (13,) of core.body.state;  body: (12,) of RigidBody.flat
    wrench: (12,) of core.body.loads;  duration: [s]
    substeps: steps taken in it, 0 for the number that keeps each turn below SUBSTEP_ANGLE
    """
    if substeps < 1:
        substeps = steps_for(SUBSTEP_ANGLE, flat_state, body, wrench, duration)
    turned = wrench_in_principal_axes(wrench, body)
    inverses = (body[0], body[1], body[2], body[3])
    moments = (body[9], body[10], body[11])
    h = duration / substeps
    y = with_rate(in_principal_axes(flat_state, body), inverses)
    for _ in range(substeps):
        y = rk4(y, h, inverses, moments, turned)
    return in_body_axes(with_momentum(y, moments), body)


@compiled
def trajectory(flat_state, body, wrench, duration, substeps, steps):
    """Return the states (steps + 1, 13) at every `duration` seconds, the first included."""
    states = np.empty((steps + 1, flat_state.size))
    states[0] = flat_state
    for index in range(steps):
        states[index + 1] = advance(states[index], body, wrench, duration, substeps)
    return states
