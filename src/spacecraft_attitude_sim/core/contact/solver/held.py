# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Constants of a tick in contact: body, surface, floor and wrench, unpacked.

Inside the step a state is sixteen floats: x, q_WS (surface axes to world), p, L, and the contact
point x_c, in world axes. The constraint is written in the surface's axes (suffix _S), not in the
principal axes, because most of its terms come from the shape.
"""

import math
from typing import Any, NamedTuple

from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.contact.solver.layout import ELLIPSOID
from spacecraft_attitude_sim.core.equations.shared.principal_frame import leaves_free
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench, Floats
from spacecraft_attitude_sim.kernels.kernel import helper, part


class Held(NamedTuple):
    """Constants of a tick.

    mass, inverse_mass: [kg, 1/kg];  inertia, inverse_inertia: in surface axes, six floats each
    wrench: twelve floats of core.body.loads [N, N m], the body part turned to surface axes
    plain: whether only a force in world axes is applied
    free_body: of core.equations.momentum;  free_wrench: as wrench, but in principal axes
    q_SP: principal axes to surface;  center_S: the surface's origin from the centre of mass [m]
    surface: implicit function, with surface_parameters
    samples: n points of the surface, one after the other, in its axes [m]
    level, floor_velocity: of the floor, with floor_parameters
    friction: μ;  restitution: e;  resting_speed: [m/s];  releases: whether it cannot pull
    reach, inner_radius: largest and least distance of the surface from its origin [m]
    strictly_curved: whether the surface's curvature is nowhere near 0
    floor_rate: angular frequency of the floor's motion [rad/s]
    floor_kind, body_kind: of core.contact.solver.layout
    plane: the fifteen floats of the floor's level at the world's origin; enough for a plane at
        rest
    square_axes: (3,) a², b², c² of an ellipsoid [m^2]
    swing: frequency of the body's swing under the applied force alone [rad/s]
    """

    mass: float
    inverse_mass: float
    inertia: Floats
    inverse_inertia: Floats
    wrench: Floats
    plain: bool
    free_body: Floats
    free_wrench: Floats
    q_SP: Floats
    center_S: Floats
    surface: Any
    surface_parameters: Array
    samples: Array
    level: Any
    floor_velocity: Any
    floor_parameters: Array
    friction: float
    restitution: float
    resting_speed: float
    releases: bool
    reach: float
    inner_radius: float
    strictly_curved: bool
    floor_rate: float
    floor_kind: int
    body_kind: int
    plane: Floats
    square_axes: Floats
    swing: float


@part
def hold(wrench: FlatWrench, constants: Array, surface: Any, floor: Any) -> Held:
    """Return the Held of a wrench (12,), gravity included, and a FlatContact of core.contact."""
    w, c = wrench, constants
    inverses, q_BP = vec.four_at(c, layout.BODY), vec.four_at(c, layout.BODY + 4)
    mass, q_BS = c[layout.BODY + 8], vec.four_at(c, layout.Q_BS)
    body_kind = int(c[layout.BODY_KIND])
    begin = layout.CONSTANTS_SIZE
    end = begin + int(c[layout.SURFACE_PARAMETERS])
    surface_parameters = c[begin:end]
    begin, end = end, end + int(c[layout.FLOOR_PARAMETERS])
    floor_parameters = c[begin:end]
    squares = (0.0, 0.0, 0.0)
    if body_kind == ELLIPSOID:
        a, b, c_axis = vec.three_at(surface_parameters, 0)
        squares = (a * a, b * b, c_axis * c_axis)
    weight = vec.norm(vec.three_at(w, 0)) + vec.norm(vec.three_at(w, 6))
    inner_radius = c[layout.INNER_RADIUS]
    return Held(
        mass, inverses[0], vec.six_at(c, layout.INERTIA), vec.six_at(c, layout.INVERSE_INERTIA),
        wrench_in(w, q_BS), leaves_free(w), inverses, wrench_in(w, q_BP),
        quaternion_product(
            q_BS[0], -q_BS[1], -q_BS[2], -q_BS[3], q_BP[0], q_BP[1], q_BP[2], q_BP[3]
        ),
        vec.three_at(c, layout.CENTER), surface[0], surface_parameters, c[end:], floor[0],
        floor[1], floor_parameters, c[layout.FRICTION], c[layout.RESTITUTION],
        c[layout.RESTING_SPEED], c[layout.RELEASES] != 0.0, c[layout.REACH], inner_radius,
        c[layout.STRICTLY_CURVED] != 0.0, c[layout.FLOOR_RATE], int(c[layout.FLOOR_KIND]),
        body_kind, floor[0](0.0, 0.0, 0.0, 0.0, floor_parameters), squares,
        math.sqrt(weight * inverses[0] / inner_radius),
    )  # fmt: skip


@helper
def wrench_in(w: FlatWrench, q_BA: Floats) -> Floats:
    """Return the twelve floats of a wrench (12,), its body part turned to the axes A."""
    q0, q1, q2, q3 = q_BA
    f0, f1, f2 = quaternion_sandwich(q0, -q1, -q2, -q3, w[0], w[1], w[2])
    t0, t1, t2 = quaternion_sandwich(q0, -q1, -q2, -q3, w[3], w[4], w[5])
    return (f0, f1, f2, t0, t1, t2, w[6], w[7], w[8], w[9], w[10], w[11])
