# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Angular velocity and acceleration of a body, and the specific force at a point fixed to it."""

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import cross, moved_vector
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined

# All that a sensor may ask of one instant; the specific force is every force but gravity by the
# mass, at the centre of mass [rad/s, rad/s^2, m/s^2, T].
TRUTH = Layout(
    q_WB=4,
    angular_velocity_B=3,
    angular_acceleration_B=3,
    specific_force_B=3,
    magnetic_field_W=3,
)
RATE, ALPHA = TRUTH.at('angular_velocity_B'), TRUTH.at('angular_acceleration_B')
FORCE = TRUTH.at('specific_force_B')
NOTHING_STORED = (0.0, 0.0, 0.0)


@inlined
def _nine(m):
    """Return a matrix (3, 3) as nine floats, row by row."""
    return (m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])


@inlined
def _times(m, v):
    """Return the matrix of nine floats times a vector of three."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inlined
def _seen_from(q_AB, x, y, z):
    """Return a vector of A seen in B, three floats."""
    return quaternion_sandwich(q_AB[0], -q_AB[1], -q_AB[2], -q_AB[3], x, y, z)


@compiled
def angular_velocity(q_WB, angular_momentum_W, inverse_inertia, stored_B):
    """Return ω_B = J^-1 (L_B - h) as three floats [rad/s].

    inverse_inertia: (3, 3) of J [1/(kg m^2)]
    stored_B: (3,) h, angular momentum of what turns inside, body axes [N m s]
    """
    return rate(q_WB, angular_momentum_W, _nine(inverse_inertia), stored_B)


@inlined
def rate(q_WB, angular_momentum_W, inverse_inertia, stored_B):
    """Return what `angular_velocity` does; inverse_inertia: nine floats, row by row."""
    L = angular_momentum_W
    L_B = _seen_from(q_WB, L[0], L[1], L[2])
    return _times(
        inverse_inertia, (L_B[0] - stored_B[0], L_B[1] - stored_B[1], L_B[2] - stored_B[2])
    )


@compiled
def turning(q_WB, angular_momentum_W, inverse_inertia, q_BS):
    """Return q_WS and ω_S of a sensor, as of `felt_by`, four and three floats."""
    omega = rate(q_WB, angular_momentum_W, inverse_inertia, NOTHING_STORED)
    return (
        quaternion_product(q_WB[0], q_WB[1], q_WB[2], q_WB[3], q_BS[0], q_BS[1], q_BS[2], q_BS[3]),
        _seen_from(q_BS, omega[0], omega[1], omega[2]),
    )


@compiled
def truth_of(q_WB, angular_momentum_W, gyrostat, wrench, mass, inverse_inertia, field_W):
    """Return (16,) of TRUTH, what all sensors are made from.

    Angular acceleration J^-1 (τ - ω × L - dh/dt) by Euler's equation, L the total.

    gyrostat: (6,) of core.actuators, h and dh/dt, body axes [N m s, N m]
    wrench: (12,) of core.body.loads without gravity;  mass: [kg]
    inverse_inertia: (3, 3) of J [1/(kg m^2)];  field_W: (3,) magnetic field [T], world
    """
    inverse = _nine(inverse_inertia)
    L_B = _seen_from(q_WB, angular_momentum_W[0], angular_momentum_W[1], angular_momentum_W[2])
    omega = _times(inverse, (L_B[0] - gyrostat[0], L_B[1] - gyrostat[1], L_B[2] - gyrostat[2]))
    force = _seen_from(q_WB, wrench[6], wrench[7], wrench[8])
    torque = _seen_from(q_WB, wrench[9], wrench[10], wrench[11])
    force = (wrench[0] + force[0], wrench[1] + force[1], wrench[2] + force[2])
    torque = (wrench[3] + torque[0], wrench[4] + torque[1], wrench[5] + torque[2])
    turning = moved_vector(torque, -1.0, cross(omega, L_B))
    alpha = _times(inverse, moved_vector(turning, -1.0, (gyrostat[3], gyrostat[4], gyrostat[5])))
    k = 1.0 / mass
    return np.array((
        q_WB[0], q_WB[1], q_WB[2], q_WB[3], omega[0], omega[1], omega[2],
        alpha[0], alpha[1], alpha[2], k * force[0], k * force[1], k * force[2],
        field_W[0], field_W[1], field_W[2],
    ))  # fmt: skip


@compiled
def felt_at(truth, r_B, q_BS):
    """Return q_WS, ω_S and the specific force of a sensor at r_B, four and twice three floats.

    Specific force f/m + α×r + ω×(ω×r).

    truth: (16,) of TRUTH;  r_B: (3,) from the centre of mass [m];  q_BS: (4,) sensor to body
    """
    t = truth
    omega, alpha = (t[RATE], t[RATE + 1], t[RATE + 2]), (t[ALPHA], t[ALPHA + 1], t[ALPHA + 2])
    r = (r_B[0], r_B[1], r_B[2])
    inward = cross(omega, cross(omega, r))
    lever_arm = moved_vector(cross(alpha, r), 1.0, inward)
    specific = (
        lever_arm[0] + t[FORCE], lever_arm[1] + t[FORCE + 1], lever_arm[2] + t[FORCE + 2]
    )  # fmt: skip
    return (
        quaternion_product(t[0], t[1], t[2], t[3], q_BS[0], q_BS[1], q_BS[2], q_BS[3]),
        _seen_from(q_BS, omega[0], omega[1], omega[2]),
        _seen_from(q_BS, specific[0], specific[1], specific[2]),
    )


@compiled
def felt_by(q_WB, angular_momentum_W, wrench, mass, inverse_inertia, r_B, q_BS):
    """Return q_WS, ω_S and the specific force of a sensor at r_B, four and twice three floats.

    Specific force f/m + α×r + ω×(ω×r), α = I^-1 (τ - ω × L) by Euler's equation.

    wrench: (12,) of core.body.loads without gravity;  mass: [kg]
    inverse_inertia: nine floats, row by row [1/(kg m^2)]
    r_B: (3,) from the centre of mass [m];  q_BS: (4,) sensor to body
    """
    L_B = _seen_from(q_WB, angular_momentum_W[0], angular_momentum_W[1], angular_momentum_W[2])
    omega = _times(inverse_inertia, L_B)
    force = _seen_from(q_WB, wrench[6], wrench[7], wrench[8])
    torque = _seen_from(q_WB, wrench[9], wrench[10], wrench[11])
    force = (wrench[0] + force[0], wrench[1] + force[1], wrench[2] + force[2])
    torque = (wrench[3] + torque[0], wrench[4] + torque[1], wrench[5] + torque[2])
    alpha = _times(inverse_inertia, moved_vector(torque, -1.0, cross(omega, L_B)))
    r = (r_B[0], r_B[1], r_B[2])
    inward = cross(omega, cross(omega, r))
    lever_arm = moved_vector(cross(alpha, r), 1.0, inward)
    specific = moved_vector(lever_arm, 1.0 / mass, force)
    return (
        quaternion_product(q_WB[0], q_WB[1], q_WB[2], q_WB[3], q_BS[0], q_BS[1], q_BS[2], q_BS[3]),
        _seen_from(q_BS, omega[0], omega[1], omega[2]),
        _seen_from(q_BS, specific[0], specific[1], specific[2]),
    )
