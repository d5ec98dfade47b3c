# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An ellipsoid in contact with a plane at rest: its attitude and L alone determine the rest.

The support point is known in closed form. So height, velocity along the normal and, when rolling,
all of the velocity follow from q and L, and no projection is needed.
"""

import math

from spacecraft_attitude_sim.core.contact.solver.constraint import Reaction, rates, reaction_at
from spacecraft_attitude_sim.core.contact.solver.geometry import Geometry
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import ROLLING
from spacecraft_attitude_sim.core.contact.solver.states import (
    angular_velocity_S,
    axes_of,
    momentum_of,
    position,
)
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper


@helper
def ellipsoid_geometry(y: Floats, held: Held) -> Geometry:
    """Return the Geometry; it does not need x_c.

    Support point s = -A² n / h, h = |A n|; its change with attitude is (A² - s s^T) / h.
    """
    p = held.plane
    normal = (p[3], p[4], p[5])
    C = axes_of(y)
    n = vec.turned_back(C, normal)
    u, v, w = held.square_axes
    stretched = (u * n[0], v * n[1], w * n[2])
    square = vec.dot(n, stretched)
    # Root and division in parallel: a stage takes as long as its longest dependency chain.
    inverse = math.sqrt(square) * (1.0 / square)
    s = vec.scaled(-inverse, stretched)
    arm_S = vec.added(held.center_S, s)
    following = (
        inverse * (u - s[0] * s[0]),
        inverse * (v - s[1] * s[1]),
        inverse * (w - s[2] * s[2]),
        -inverse * s[0] * s[1],
        -inverse * s[0] * s[2],
        -inverse * s[1] * s[2],
    )
    none = (0.0, 0.0, 0.0)
    gap = p[0] + vec.dot(normal, position(y)) + vec.dot(n, arm_S)
    return Geometry(
        C, vec.turned(C, arm_S), arm_S, p, 1.0, normal, n, 0.0, gap, none, following, 1.0
    )  # fmt: skip


@helper
def closed_stage(t: float, y: Floats, regime: int, direction: Floats, held: Held) -> Floats:
    """Return the rates at one stage."""
    g = ellipsoid_geometry(y, held)
    reaction = reaction_at(t, y, g, regime, direction, True, held)
    if regime == ROLLING:
        y = following_attitude(y, g, regime, held)
    return rates(y, reaction, held)


@helper
def closed_substep(
    t: float, y: Floats, h: float, k1: Floats, regime: int, direction: Floats, held: Held
) -> tuple[Floats, Reaction]:
    """Return the state one sub-step of h seconds later, on the constraint, and its Reaction.

    As core.contact.solver.substeps.substep, in a quarter of the time.
    """
    k, total = k1, k1
    for index in range(3):
        last = index == 2
        k = closed_stage(t, carried(y, h if last else 0.5 * h, k, regime), regime, direction, held)
        total = carried(total, 1.0 if last else 2.0, k, regime)
    y = carried(y, h / 6.0, total, regime)
    g = ellipsoid_geometry(y, held)
    y = following_attitude(y, g, regime, held)
    return y, reaction_at(t + h, y, g, regime, direction, True, held)


@helper
def carried(y: Floats, h: float, k: Floats, regime: int) -> Floats:
    """Return y + h k, without x_c and, when rolling, without the velocity."""
    p = (y[7], y[8], y[9])
    if regime != ROLLING:
        p = (y[7] + h * k[7], y[8] + h * k[8], y[9] + h * k[9])
    return (
        y[0] + h * k[0], y[1] + h * k[1], y[2] + h * k[2], y[3] + h * k[3],
        y[4] + h * k[4], y[5] + h * k[5], y[6] + h * k[6], p[0],
        p[1], p[2], y[10] + h * k[10], y[11] + h * k[11],
        y[12] + h * k[12], y[13], y[14], y[15],
    )  # fmt: skip


@helper
def following_attitude(y: Floats, g: Geometry, regime: int, held: Held) -> Floats:
    """Return the state with the height, velocity and contact point that follow from q and L."""
    turning = vec.cross(angular_velocity_S(held, g.C_WS, y), g.arm_S)
    x = vec.moved_vector(position(y), -g.gap, g.normal)
    if regime == ROLLING:
        p = vec.scaled(-held.mass, vec.turned(g.C_WS, turning))
    else:
        off = vec.dot(g.normal, momentum_of(y)) + held.mass * vec.dot(g.normal_S, turning)
        p = vec.moved_vector(momentum_of(y), -off, g.normal)
    c = vec.added(x, g.arm)
    return (
        x[0], x[1], x[2], y[3], y[4], y[5], y[6], p[0],
        p[1], p[2], y[10], y[11], y[12], c[0], c[1], c[2],
    )  # fmt: skip
