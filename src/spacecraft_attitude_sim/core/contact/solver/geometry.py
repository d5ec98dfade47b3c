# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact's geometry at one state: arm, normal, gap, and the change of x_c with attitude.

Derivatives of the unit normals act in the tangent plane, so two tangents t_1, t_2 to the floor
carry K of docs/contact.md: its tangent block is the sum of the two bending matrices
t_i · ∇∇H t_j / |∇H| and t_i · ∇∇G t_j / |∇G|, and its normal row is ∇G.
"""

from typing import NamedTuple

from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import CURVED, STILL
from spacecraft_attitude_sim.core.contact.solver.states import axes_of, point_of, position
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper

# Least bending of the pair, times the body's reach: where a superellipsoid is flat, the velocity
# of x_c would be infinite.
LEAST_BENDING = 1e-10


class Geometry(NamedTuple):
    """The contact's geometry; surface axes (_S) or world axes.

    C_WS: nine floats;  arm: x_c - x [m], world;  arm_S: the same
    level: the fifteen floats of the floor at x_c;  steepness: |∇G|
    normal, normal_S: ∇G/|∇G|;  distance: H/|∇H|, of x_c from the body's surface [m]
    gap: between body and floor, to first order in the error of x_c [m]
    off_S: (3,) n_H + n_G + ∂(n_H + n_G)/∂n distance: 0 in its tangents at the contact point
    following_S: the inverse of K in the tangent plane, six floats [m]
    bending: determinant of K in the tangent plane, negative where it is not convex [1/m^2]
    """

    C_WS: Floats
    arm: Floats
    arm_S: Floats
    level: Floats
    steepness: float
    normal: Floats
    normal_S: Floats
    distance: float
    gap: float
    off_S: Floats
    following_S: Floats
    bending: float


@helper
def floor_hessian(level: Floats) -> Floats:
    """Return ∇∇G, six floats."""
    return (level[9], level[10], level[11], level[12], level[13], level[14])


@helper
def level_at(t: float, c: Floats, held: Held) -> Floats:
    """Return the fifteen floats of the floor's level at c; a plane at rest needs no call."""
    if held.floor_kind != STILL:
        return held.level(t, c[0], c[1], c[2], held.floor_parameters)
    p = held.plane
    height = p[0] + p[3] * c[0] + p[4] * c[1] + p[5] * c[2]
    return (height, 0.0, 0.0, p[3], p[4], p[5], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def geometry(t: float, y: Floats, held: Held) -> Geometry:
    """Return the Geometry of the state y at the time t; x_c may be anywhere near the contact."""
    C = axes_of(y)
    c = point_of(y)
    arm = vec.subtracted(c, position(y))
    arm_S = vec.turned_back(C, arm)
    level = level_at(t, c, held)
    gradient = (level[3], level[4], level[5])
    steepness = vec.norm(gradient)
    n = vec.scaled(1.0 / steepness, gradient)
    n_S = vec.turned_back(C, n)
    first, second = vec.tangents(n_S)

    s = vec.subtracted(arm_S, held.center_S)
    H = held.surface(s[0], s[1], s[2], held.surface_parameters)
    slope = (H[1], H[2], H[3])
    inverse = 1.0 / vec.norm(slope)
    distance = inverse * H[0]
    hessian = (H[4], H[5], H[6], H[7], H[8], H[9])
    Ha = vec.scaled(inverse, vec.symmetric_times(hessian, first))
    Hb = vec.scaled(inverse, vec.symmetric_times(hessian, second))
    off = vec.moved_vector(
        vec.scaled(inverse, slope), distance * inverse, vec.symmetric_times(hessian, n_S)
    )
    least = 0.0
    if not held.strictly_curved:
        least = LEAST_BENDING / held.reach
    b11, b22, b12 = vec.dot(first, Ha) + least, vec.dot(second, Hb) + least, vec.dot(first, Hb)
    if held.floor_kind == CURVED:
        floor = floor_hessian(level)
        a, b = vec.turned(C, first), vec.turned(C, second)
        Ga = vec.scaled(1.0 / steepness, vec.symmetric_times(floor, a))
        Gb = vec.scaled(1.0 / steepness, vec.symmetric_times(floor, b))
        b11, b22, b12 = b11 + vec.dot(a, Ga), b22 + vec.dot(b, Gb), b12 + vec.dot(a, Gb)
        off = vec.moved_vector(off, distance * vec.dot(n, Ga), first)
        off = vec.moved_vector(off, distance * vec.dot(n, Gb), second)
    bending = b11 * b22 - b12 * b12
    following = vec.outer(first, second, b22 / bending, b11 / bending, -b12 / bending)
    if b11 <= 0.0:
        bending = -abs(bending)
    return Geometry(
        C, arm, arm_S, level, steepness, n, n_S, distance, level[0] / steepness + distance,
        off, following, bending,
    )  # fmt: skip


@helper
def floor_turn(g: Geometry, velocity_S: Floats) -> Floats:
    """Return ∂n_G/∂x times a velocity, up to a part along the normal, in surface axes."""
    bent = vec.symmetric_times(floor_hessian(g.level), vec.turned(g.C_WS, velocity_S))
    return vec.scaled(1.0 / g.steepness, vec.turned_back(g.C_WS, bent))
