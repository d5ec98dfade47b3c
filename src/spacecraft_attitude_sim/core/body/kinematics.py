# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Angular velocity and acceleration of a body, and the specific force at a point fixed to it."""

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Quaternion, Vector3
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    moved_vector,
    subtracted,
    three_at,
    turned,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

# The true motion at one instant, input of all sensors; the specific force is every force except
# gravity over the mass, at the centre of mass [rad/s, rad/s^2, m/s^2, T].
TRUTH = Layout(
    q_WB=4, angular_velocity_B=3, angular_acceleration_B=3, specific_force_B=3, magnetic_field_W=3
)
ATTITUDE, RATE = TRUTH.at('q_WB'), TRUTH.at('angular_velocity_B')
ALPHA, FORCE = TRUTH.at('angular_acceleration_B'), TRUTH.at('specific_force_B')


@helper
def _nine(m: Array) -> Floats:
    """Return a matrix (3, 3) as nine floats, row by row."""
    return (m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])


@helper
def seen_from(q_AB: Floats, v_A: Floats) -> Floats:
    """Return v_B, a vector of frame A expressed in the axes of B, three floats."""
    return quaternion_sandwich(q_AB[0], -q_AB[1], -q_AB[2], -q_AB[3], v_A[0], v_A[1], v_A[2])


@helper
def attitude_of(q_WB: Floats, q_BS: Floats) -> Floats:
    """Return q_WS of a sensor with the mounting q_BS, four floats."""
    return quaternion_product(
        q_WB[0], q_WB[1], q_WB[2], q_WB[3], q_BS[0], q_BS[1], q_BS[2], q_BS[3]
    )


@compiled
def angular_velocity(
    q_WB: Quaternion, angular_momentum_W: Vector3, inverse_inertia: Array, stored_B: Vector3
) -> Floats:
    """Return ω_B = J^-1 (L_B - h) as three floats [rad/s].

    inverse_inertia: (3, 3) of J [1/(kg m^2)]
    stored_B: (3,) h, angular momentum stored in rotors, body axes [N m s]
    """
    return rate(seen_from(q_WB, angular_momentum_W), _nine(inverse_inertia), stored_B)


@helper
def rate(L_B: Floats, inverse_inertia: Floats, stored_B: Floats) -> Floats:
    """Return ω_B = J^-1 (L_B - h); inverse_inertia: nine floats, row by row."""
    return turned(inverse_inertia, subtracted(L_B, stored_B))


@compiled
def truth_of(
    q_WB: Quaternion,
    angular_momentum_W: Vector3,
    gyrostat: Array,
    wrench: Array,
    mass: float,
    inverse_inertia: Array,
    field_W: Vector3,
) -> Array:
    """Return (16,) of TRUTH, the input of all sensors.

    gyrostat: (6,) of core.actuators, h and dh/dt, body axes [N m s, N m]
    wrench: (12,) of core.body.loads without gravity;  mass: [kg]
    inverse_inertia: (3, 3) of J [1/(kg m^2)];  field_W: (3,) magnetic field [T], world
    """
    inverse = _nine(inverse_inertia)
    return np.array(
        true_motion(q_WB, angular_momentum_W, gyrostat, wrench, mass, inverse, field_W)
    )


@helper
def true_motion(
    q_WB: Floats,
    angular_momentum_W: Floats,
    gyrostat: Floats,
    wrench: Floats,
    mass: float,
    inverse_inertia: Floats,
    field_W: Floats,
) -> Floats:
    """Return `truth_of` as sixteen floats; inverse_inertia: nine floats, row by row.

    Angular acceleration J^-1 (τ - ω × L - dh/dt) by Euler's equation, L the total.
    """
    L_B = seen_from(q_WB, angular_momentum_W)
    omega = rate(L_B, inverse_inertia, gyrostat)
    force, torque = seen_from(q_WB, three_at(wrench, 6)), seen_from(q_WB, three_at(wrench, 9))
    force = (wrench[0] + force[0], wrench[1] + force[1], wrench[2] + force[2])
    torque = (wrench[3] + torque[0], wrench[4] + torque[1], wrench[5] + torque[2])
    turning = moved_vector(torque, -1.0, cross(omega, L_B))
    alpha = turned(inverse_inertia, moved_vector(turning, -1.0, three_at(gyrostat, 3)))
    k = 1.0 / mass
    return (
        q_WB[0], q_WB[1], q_WB[2], q_WB[3], omega[0], omega[1], omega[2],
        alpha[0], alpha[1], alpha[2], k * force[0], k * force[1], k * force[2],
        field_W[0], field_W[1], field_W[2],
    )  # fmt: skip


@helper
def specific_force_at(truth: Array, r_B: Floats) -> Floats:
    """Return the specific force at r_B, three floats, body axes: f/m + α×r + ω×(ω×r) [m/s^2].

    truth: (16,) of TRUTH, f every force except gravity;  r_B: (3,) from the centre of mass [m]
    """
    omega, alpha = three_at(truth, RATE), three_at(truth, ALPHA)
    lever_arm = moved_vector(cross(alpha, r_B), 1.0, cross(omega, cross(omega, r_B)))
    return moved_vector(lever_arm, 1.0, three_at(truth, FORCE))
