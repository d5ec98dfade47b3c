# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The state inside the contact step: x, q_WS, p, L and x_c as sixteen floats, world axes."""

import numpy as np

from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_matrix,
    quaternion_product,
)
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper


@helper
def position(y: Floats) -> Floats:
    """Return x of the centre of mass."""
    return (y[0], y[1], y[2])


@helper
def attitude(y: Floats) -> Floats:
    """Return q_WS."""
    return (y[3], y[4], y[5], y[6])


@helper
def momentum_of(y: Floats) -> Floats:
    """Return p."""
    return (y[7], y[8], y[9])


@helper
def spin_of(y: Floats) -> Floats:
    """Return L about the centre of mass."""
    return (y[10], y[11], y[12])


@helper
def point_of(y: Floats) -> Floats:
    """Return the contact point x_c."""
    return (y[13], y[14], y[15])


@helper
def with_point(y: Floats, c: Floats) -> Floats:
    """Return the state with the contact point c."""
    return (
        y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7],
        y[8], y[9], y[10], y[11], y[12], c[0], c[1], c[2],
    )  # fmt: skip


@helper
def moved(y: Floats, h: float, k: Floats) -> Floats:
    """Return y + h k, sixteen floats."""
    return (
        y[0] + h * k[0], y[1] + h * k[1], y[2] + h * k[2], y[3] + h * k[3],
        y[4] + h * k[4], y[5] + h * k[5], y[6] + h * k[6], y[7] + h * k[7],
        y[8] + h * k[8], y[9] + h * k[9], y[10] + h * k[10], y[11] + h * k[11],
        y[12] + h * k[12], y[13] + h * k[13], y[14] + h * k[14], y[15] + h * k[15],
    )  # fmt: skip


@helper
def with_momenta(y: Floats, p: Floats, L: Floats) -> Floats:
    """Return the state with the momenta p and L."""
    return (
        y[0], y[1], y[2], y[3], y[4], y[5], y[6], p[0],
        p[1], p[2], L[0], L[1], L[2], y[13], y[14], y[15],
    )  # fmt: skip


@helper
def free_state(y: Floats, held: Held) -> Floats:
    """Return the thirteen floats of core.equations.momentum: the attitude of principal axes."""
    r = held.q_SP
    q0, q1, q2, q3 = quaternion_product(y[3], y[4], y[5], y[6], r[0], r[1], r[2], r[3])
    return (
        y[0], y[1], y[2], q0, q1, q2, q3,
        y[7], y[8], y[9], y[10], y[11], y[12],
    )  # fmt: skip


@helper
def contact_state(free: Floats, c: Floats, held: Held) -> Floats:
    """Return the sixteen floats of a free state and a contact point."""
    r = held.q_SP
    q0, q1, q2, q3 = quaternion_product(
        free[3], free[4], free[5], free[6], r[0], -r[1], -r[2], -r[3]
    )
    return (
        free[0], free[1], free[2], q0, q1, q2, q3,
        free[7], free[8], free[9], free[10], free[11], free[12], c[0], c[1], c[2],
    )  # fmt: skip


@helper
def shifted(y: Floats, shift: Floats, turn_S: Floats, point_shift: Floats) -> Floats:
    """Return the state moved by small displacements [m], [rad] (surface axes), [m]."""
    q0, q1, q2, q3 = quaternion_product(
        y[3], y[4], y[5], y[6], 1.0, 0.5 * turn_S[0], 0.5 * turn_S[1], 0.5 * turn_S[2]
    )
    s = 1.0 / np.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    return (
        y[0] + shift[0], y[1] + shift[1], y[2] + shift[2],
        s * q0, s * q1, s * q2, s * q3, y[7], y[8], y[9], y[10], y[11], y[12],
        y[13] + point_shift[0], y[14] + point_shift[1], y[15] + point_shift[2],
    )  # fmt: skip


@helper
def axes_of(y: Floats) -> Floats:
    """Return C_WS, nine floats."""
    return quaternion_matrix(y[3], y[4], y[5], y[6])


@helper
def surface_place(held: Held, C_WS: Floats, arm: Floats) -> Floats:
    """Return the position of x + arm in surface axes, from the surface's own origin [m]."""
    return vec.subtracted(vec.turned_back(C_WS, arm), held.center_S)


@helper
def surface_arm(held: Held, C_WS: Floats, s: Floats) -> Floats:
    """Return the arm from the centre of mass to the surface point s, in world axes [m]."""
    return vec.turned(C_WS, vec.added(held.center_S, s))


@helper
def angular_velocity_S(held: Held, C_WS: Floats, y: Floats) -> Floats:
    """Return ω = I^-1 L in surface axes [rad/s]."""
    return vec.symmetric_times(held.inverse_inertia, vec.turned_back(C_WS, spin_of(y)))


@helper
def responded(held: Held, arm_S: Floats, impulse_S: Floats) -> Floats:
    """Return M J: the change of velocity of the body's point at the arm by an impulse J there."""
    turning = vec.symmetric_times(held.inverse_inertia, vec.cross(arm_S, impulse_S))
    return vec.moved_vector(vec.cross(turning, arm_S), held.inverse_mass, impulse_S)


@helper
def pinned(held: Held, arm_S: Floats, torque: Floats, motion: Floats) -> tuple[Floats, Floats]:
    """Return (turning, push) that bring the body's point at the arm to rest; surface axes.

    turning = dω, push = F with I dω = torque + r×F and F/m + dω×r + motion = 0:
    (I + m (r² - r r^T)) dω = torque - m r×motion: the multipliers of rolling, docs/contact.md.
    """
    m, inertia = held.mass, held.inertia
    x, y, z = arm_S
    about_point = (
        inertia[0] + m * (y * y + z * z),
        inertia[1] + m * (x * x + z * z),
        inertia[2] + m * (x * x + y * y),
        inertia[3] - m * x * y,
        inertia[4] - m * x * z,
        inertia[5] - m * y * z,
    )
    turning = vec.symmetric_solved(
        about_point, vec.moved_vector(torque, -m, vec.cross(arm_S, motion))
    )
    return turning, vec.scaled(m, vec.subtracted(vec.cross(arm_S, turning), motion))


@helper
def kicked(y: Floats, arm: Floats, impulse: Floats) -> Floats:
    """Return the state after an impulse [N s] at x + arm."""
    return with_momenta(
        y,
        vec.added(momentum_of(y), impulse),
        (
            y[10] + arm[1] * impulse[2] - arm[2] * impulse[1],
            y[11] + arm[2] * impulse[0] - arm[0] * impulse[2],
            y[12] + arm[0] * impulse[1] - arm[1] * impulse[0],
        ),
    )


@helper
def velocity_of(held: Held, y: Floats) -> Floats:
    """Return the velocity of the centre of mass [m/s]."""
    return vec.scaled(held.inverse_mass, momentum_of(y))
