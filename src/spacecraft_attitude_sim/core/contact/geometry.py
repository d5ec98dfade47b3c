# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact's geometry at one state: arm, normal, distance, leaning and curvature (S5).

Derivatives of the unit normals act in the tangent plane, so two tangents t_1, t_2 to the floor
carry S5's K: its tangent block is the sum of the two bending matrices
t_i · ∇∇H t_j / |∇H| and t_i · ∇∇G t_j / |∇G|, and its normal row is ∇G.
"""

from typing import NamedTuple

from spacecraft_attitude_sim.core.compiled import helper, part
from spacecraft_attitude_sim.core.contact.scene import (
    FLAT_FLOOR,
    REACH,
    STILL_FLOOR,
    STRICTLY_CURVED,
    axes_of,
    point_of,
    position,
)
from spacecraft_attitude_sim.core.contact.vectors import (
    displaced,
    dot,
    norm,
    scaled,
    subtracted,
    symmetric_times,
    tangents,
    turned,
    turned_back,
)

# Least bending of the pair, times the body's reach: where a superellipsoid is flat, x_c would move
# infinitely fast.
LEAST_BENDING = 1e-6


class Geometry(NamedTuple):
    """The contact's geometry; surface axes (_S) or world axes.

    C_WS: nine floats;  arm: x_c - x [m], world;  arm_S: the same
    level: the fifteen floats of the floor at x_c;  steepness: |∇G|
    normal, normal_S: ∇G/|∇G|;  first_S, second_S: the tangents
    distance: H/|∇H|, of x_c from the body's surface [m];  leaning: t_i · n_H, two floats
    bending: (11, 22, 12) of the pair [1/m];  normal_bending: t_i · (∂n_H/∂x + ∂n_G/∂x) n
    """

    C_WS: tuple
    arm: tuple
    arm_S: tuple
    level: tuple
    steepness: float
    normal: tuple
    normal_S: tuple
    first_S: tuple
    second_S: tuple
    distance: float
    leaning: tuple
    bending: tuple
    normal_bending: tuple


@helper
def floor_hessian(level):
    """Return ∇∇G, six floats."""
    return (level[9], level[10], level[11], level[12], level[13], level[14])


@helper
def level_at(t, c, scene):
    """Return the fifteen floats of the floor's level at c; a still plane needs no call."""
    if scene.settings[STILL_FLOOR] == 0.0:
        return scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    p = scene.plane
    height = p[0] + p[3] * c[0] + p[4] * c[1] + p[5] * c[2]
    return (height, 0.0, 0.0, p[3], p[4], p[5], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def geometry(t, y, scene):
    """Return the Geometry of the state y at the time t."""
    C = axes_of(y)
    c = point_of(y)
    arm = subtracted(c, position(y))
    arm_S = turned_back(C, arm)
    level = level_at(t, c, scene)
    gradient = (level[3], level[4], level[5])
    steepness = norm(gradient)
    n = scaled(1.0 / steepness, gradient)
    n_S = turned_back(C, n)
    first, second = tangents(n_S)

    s = subtracted(arm_S, scene.center_S)
    H = scene.surface(s[0], s[1], s[2], scene.surface_parameters)
    slope = (H[1], H[2], H[3])
    inverse = 1.0 / norm(slope)
    hessian = (H[4], H[5], H[6], H[7], H[8], H[9])
    Ha = scaled(inverse, symmetric_times(hessian, first))
    Hb = scaled(inverse, symmetric_times(hessian, second))
    leaning = (inverse * dot(first, slope), inverse * dot(second, slope))
    least = 0.0
    if scene.settings[STRICTLY_CURVED] == 0.0:
        least = LEAST_BENDING / scene.settings[REACH]
    bending = (dot(first, Ha) + least, dot(second, Hb) + least, dot(first, Hb))
    normal_bending = (dot(n_S, Ha), dot(n_S, Hb))
    if scene.settings[FLAT_FLOOR] == 0.0:
        floor = floor_hessian(level)
        a, b = turned(C, first), turned(C, second)
        Ga = scaled(1.0 / steepness, symmetric_times(floor, a))
        Gb = scaled(1.0 / steepness, symmetric_times(floor, b))
        bending = (bending[0] + dot(a, Ga), bending[1] + dot(b, Gb), bending[2] + dot(a, Gb))
        normal_bending = (normal_bending[0] + dot(n, Ga), normal_bending[1] + dot(n, Gb))
    return Geometry(
        C, arm, arm_S, level, steepness, n, n_S, first, second,
        inverse * H[0], leaning, bending, normal_bending,
    )  # fmt: skip


@part
def geometry_apart(t, y, scene):
    """Return the same, not inlined: outside the sub-step, where compile time counts for more."""
    return geometry(t, y, scene)


@helper
def unbent(g, one, two):
    """Return the tangent vector w with K w = one t_1 + two t_2, in surface axes."""
    b11, b22, b12 = g.bending
    s = 1.0 / (b11 * b22 - b12 * b12)
    w = scaled(s * (b22 * one - b12 * two), g.first_S)
    return displaced(w, s * (b11 * two - b12 * one), g.second_S)


@helper
def one_point(g):
    """Return whether the bodies bend apart in every direction: the contact is a single point."""
    b11, b22, b12 = g.bending
    return b11 > 0.0 and b11 * b22 > b12 * b12


@helper
def tangent_bending(g, u_S, scene):
    """Return t_i · ∂n_G/∂x u, two floats."""
    if scene.settings[FLAT_FLOOR] != 0.0:
        return (0.0, 0.0)
    bent = symmetric_times(floor_hessian(g.level), turned(g.C_WS, u_S))
    bent_S = scaled(1.0 / g.steepness, turned_back(g.C_WS, bent))
    return (dot(g.first_S, bent_S), dot(g.second_S, bent_S))


@helper
def gap_of(g):
    """Return the distance between body and floor, to first order in how far x_c is off [m]."""
    return g.level[0] / g.steepness + g.distance
