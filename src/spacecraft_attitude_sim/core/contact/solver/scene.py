# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the compiled contact step is given and what it hands from one tick to the next.

Inside the step a state is sixteen floats: x, q_WS (surface axes to world), p, L, and the contact
point x_c, in world axes. The surface's axes (suffix _S), not the principal ones, carry the
constraint: most of its terms are shape.
"""

import math
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.contact.solver.vectors import norm
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

# Regimes, and what the report calls them. Not plain integers: numba would compile every function
# that is handed one anew for each.
FLIGHT, SLIDING, SLIPPING, ROLLING, RESTING = (np.int64(index) for index in range(5))


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


FLOOR_KIND, BODY_KIND, STRICTLY_CURVED, RELEASES = 6, 7, 8, 9


SETTINGS_SIZE = 10


# Floors: a plane at rest, a plane that moves, anything else.
STILL, FLAT, CURVED = 0, 1, 2


# Bodies: ellipsoid, a support point in closed form, only an implicit function.
ELLIPSOID, SUPPORTED, IMPLICIT = 0, 1, 2


class Scene(NamedTuple):
    """What is held through a tick.

    mass, inverse_mass: [kg, 1/kg];  inertia, inverse_inertia: in surface axes, six floats each
    wrench: twelve floats of core.body.loads [N, N m], the body part turned to surface axes
    plain: whether only a force in world axes is applied
    free_body: of core.equations.momentum;  free_wrench: as wrench, but in principal axes
    q_SP: principal axes to surface;  center_S: the surface's origin from the centre of mass [m]
    surface, support, level, floor_velocity: compiled functions;  their parameters: arrays
    samples: (n, 3) points of the surface, in its axes [m];  settings: SETTINGS_SIZE floats
    floor_kind, body_kind: of the settings
    plane: the fifteen floats of the floor's level at the world's origin: all of a plane at rest
    square_axes: (3,) a², b², c² of an ellipsoid [m^2]
    swing: rate at which the held force alone would swing the body [rad/s]
    """

    mass: float
    inverse_mass: float
    inertia: tuple
    inverse_inertia: tuple
    wrench: tuple
    plain: bool
    free_body: tuple
    free_wrench: tuple
    q_SP: tuple
    center_S: tuple
    surface: object
    support: object
    surface_parameters: np.ndarray
    samples: np.ndarray
    level: object
    floor_velocity: object
    floor_parameters: np.ndarray
    settings: tuple
    floor_kind: int
    body_kind: int
    plane: tuple
    square_axes: tuple
    swing: float


@part
def make_scene(body, wrench, placement, surface, support, surface_parameters, samples, floor,
               floor_parameters, settings):  # fmt: skip
    """Return the Scene of flat arguments, the body's wrench turned into its axes."""
    p, s, w = placement, settings, wrench
    to_principal = momentum_wrench(w, (body[4], body[5], body[6], body[7]))
    q_BS = (p[15], p[16], p[17], p[18])
    plain = True
    for index in (0, 1, 2, 3, 4, 5, 9, 10, 11):
        plain = plain and w[index] == 0.0
    squares = (0.0, 0.0, 0.0)
    if s[BODY_KIND] == ELLIPSOID:
        a, b, c = surface_parameters[0], surface_parameters[1], surface_parameters[2]
        squares = (a * a, b * b, c * c)
    weight = norm((w[0], w[1], w[2])) + norm((w[6], w[7], w[8]))
    q_SP = quaternion_product(
        q_BS[0], -q_BS[1], -q_BS[2], -q_BS[3], body[4], body[5], body[6], body[7]
    )
    return Scene(
        body[8], body[0], (p[0], p[1], p[2], p[3], p[4], p[5]),
        (p[6], p[7], p[8], p[9], p[10], p[11]), momentum_wrench(w, q_BS), plain,
        (body[0], body[1], body[2], body[3]), to_principal, q_SP, (p[12], p[13], p[14]),
        surface[0], support[0], surface_parameters, samples, floor[0], floor[1],
        floor_parameters, (s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9]),
        int(s[FLOOR_KIND]), int(s[BODY_KIND]), floor[0](0.0, 0.0, 0.0, 0.0, floor_parameters),
        squares, math.sqrt(weight * body[0] / s[INNER_RADIUS]),
    )  # fmt: skip


@helper
def momentum_wrench(w, q_BA):
    """Return the twelve floats of a wrench (12,), its body part turned to the axes A."""
    q0, q1, q2, q3 = q_BA
    f0, f1, f2 = quaternion_sandwich(q0, -q1, -q2, -q3, w[0], w[1], w[2])
    t0, t1, t2 = quaternion_sandwich(q0, -q1, -q2, -q3, w[3], w[4], w[5])
    return (f0, f1, f2, t0, t1, t2, w[6], w[7], w[8], w[9], w[10], w[11])
