# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the compiled contact step is given and what it hands from one tick to the next.

Inside the step a state is sixteen floats: x, q_WP (principal axes to world), p, L, and the contact
point x_c in world axes.
"""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.compiled import helper
from spacecraft_attitude_sim.core.contact.vectors import (
    added,
    displaced,
    scaled,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.core.rotations import quaternion_product

# Regimes, and what the report calls them.
FLIGHT, SLIDING, SLIPPING, ROLLING = 0, 1, 2, 3
RESTING = 4
MODE_NAMES = ('flight', 'sliding', 'slipping', 'rolling', 'resting')

# How an advance ended.
FINE, LOST, MULTIPLE, STALLED = 0, 1, 2, 3

# The flat contact (30,): what a tick leaves for the next one and for whoever publishes it.
MODE, GAP, SLIP_SPEED, NORMAL_FORCE, CONSTRAINT_ERROR = 0, 1, 2, 3, 4
POINT, NORMAL, FORCE, TORQUE = 5, 8, 11, 14
SLIP, DIRECTION, IMPULSE = 17, 20, 23
IMPACTS, SUBSTEPS, STATUS, REGIME = 26, 27, 28, 29
CONTACT_SIZE = 30

# The settings array.
FRICTION, RESTITUTION, RESTING_SPEED, REACH, INNER_RADIUS, FLOOR_RATE = 0, 1, 2, 3, 4, 5
FLAT_FLOOR, CLOSED_FORM, STRICTLY_CURVED, RELEASES = 6, 7, 8, 9
SETTINGS_SIZE = 10


class Scene(NamedTuple):
    """What is held through a tick; the body and the wrench in principal axes.

    mass, inverse_mass: [kg, 1/kg];  inverse_moments: (3,) [1/(kg m^2)]
    wrench: twelve floats of core.loads [N, N m], the body part turned to principal axes
    matrix_PS: nine floats, surface axes to principal;  center_P: (3,) of the surface [m]
    surface, support, level, floor_velocity: compiled functions;  their parameters: arrays
    samples: (n, 3) points of the surface, in its axes [m];  settings: SETTINGS_SIZE floats
    """

    mass: float
    inverse_mass: float
    inverse_moments: tuple
    wrench: tuple
    matrix_PS: tuple
    center_P: tuple
    surface: object
    support: object
    surface_parameters: np.ndarray
    samples: np.ndarray
    level: object
    floor_velocity: object
    floor_parameters: np.ndarray
    settings: tuple


@helper
def position(y):
    """Return x of the centre of mass."""
    return (y[0], y[1], y[2])


@helper
def attitude(y):
    """Return q_WP."""
    return (y[3], y[4], y[5], y[6])


@helper
def momentum_of(y):
    """Return p."""
    return (y[7], y[8], y[9])


@helper
def spin_of(y):
    """Return L about the centre of mass."""
    return (y[10], y[11], y[12])


@helper
def point_of(y):
    """Return the contact point x_c."""
    return (y[13], y[14], y[15])


@helper
def with_point(y, c):
    """Return the state with the contact point c."""
    return (
        y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7],
        y[8], y[9], y[10], y[11], y[12], c[0], c[1], c[2],
    )  # fmt: skip


@helper
def with_momenta(y, p, L):
    """Return the state with the momenta p and L."""
    return (
        y[0], y[1], y[2], y[3], y[4], y[5], y[6], p[0],
        p[1], p[2], L[0], L[1], L[2], y[13], y[14], y[15],
    )  # fmt: skip


@helper
def free_part(y):
    """Return the thirteen floats of core.equations.momentum."""
    return (
        y[0], y[1], y[2], y[3], y[4], y[5], y[6],
        y[7], y[8], y[9], y[10], y[11], y[12],
    )  # fmt: skip


@helper
def joined(free, c):
    """Return the sixteen floats of a free state and a contact point."""
    return (
        free[0], free[1], free[2], free[3], free[4], free[5], free[6],
        free[7], free[8], free[9], free[10], free[11], free[12], c[0], c[1], c[2],
    )  # fmt: skip


@helper
def shifted(y, shift, turn_P, point_shift):
    """Return the state moved by small displacements [m], [rad] (principal axes), [m]."""
    q0, q1, q2, q3 = quaternion_product(
        y[3], y[4], y[5], y[6], 1.0, 0.5 * turn_P[0], 0.5 * turn_P[1], 0.5 * turn_P[2]
    )
    s = 1.0 / np.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    return (
        y[0] + shift[0], y[1] + shift[1], y[2] + shift[2],
        s * q0, s * q1, s * q2, s * q3, y[7], y[8], y[9], y[10], y[11], y[12],
        y[13] + point_shift[0], y[14] + point_shift[1], y[15] + point_shift[2],
    )  # fmt: skip


@helper
def divided_by_inertia(scene, matrix_WP, v_W):
    """Return I^-1 v, both in world axes."""
    v = turned_back(matrix_WP, v_W)
    J = scene.inverse_moments
    return turned(matrix_WP, (J[0] * v[0], J[1] * v[1], J[2] * v[2]))


@helper
def applied_wrench(scene, matrix_WP):
    """Return the held force and torque about the centre of mass, in world axes [N, N m]."""
    w = scene.wrench
    force = turned(matrix_WP, (w[0], w[1], w[2]))
    torque = turned(matrix_WP, (w[3], w[4], w[5]))
    return added(force, (w[6], w[7], w[8])), added(torque, (w[9], w[10], w[11]))


@helper
def to_surface(scene, matrix_WP, v_W):
    """Return a vector in surface axes."""
    return turned_back(scene.matrix_PS, turned_back(matrix_WP, v_W))


@helper
def from_surface(scene, matrix_WP, v_S):
    """Return a vector in world axes."""
    return turned(matrix_WP, turned(scene.matrix_PS, v_S))


@helper
def point_in_surface(scene, matrix_WP, arm):
    """Return the place of x + arm in surface axes, from the surface's own origin [m]."""
    arm_P = turned_back(matrix_WP, arm)
    return turned_back(scene.matrix_PS, displaced(arm_P, -1.0, scene.center_P))


@helper
def arm_from_surface(scene, matrix_WP, s):
    """Return the arm from the centre of mass to the surface point s, in world axes [m]."""
    return turned(matrix_WP, added(scene.center_P, turned(scene.matrix_PS, s)))


@helper
def kicked(y, arm, impulse):
    """Return the state after an impulse [N s] at x + arm (S2)."""
    return with_momenta(
        y,
        added(momentum_of(y), impulse),
        (
            y[10] + arm[1] * impulse[2] - arm[2] * impulse[1],
            y[11] + arm[2] * impulse[0] - arm[0] * impulse[2],
            y[12] + arm[0] * impulse[1] - arm[1] * impulse[0],
        ),
    )


@helper
def velocity_of(scene, y):
    """Return the velocity of the centre of mass [m/s]."""
    return scaled(scene.inverse_mass, momentum_of(y))
