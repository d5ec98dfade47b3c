# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact's geometry at one state: arm, normal, distance, leaning and curvature (S5).

Derivatives of the unit normals act in the tangent plane, so two tangents t_1, t_2 to the floor
carry S5's K: its tangent block is the sum of the two bending matrices
t_i · ∇∇H t_j / |∇H| and t_i · ∇∇G t_j / |∇G|, and its normal row is ∇G.
"""

from typing import NamedTuple

from spacecraft_attitude_sim.core.compiled import helper
from spacecraft_attitude_sim.core.contact.scene import (
    FLAT_FLOOR,
    REACH,
    STRICTLY_CURVED,
    attitude,
    point_in_surface,
    point_of,
    position,
    to_surface,
)
from spacecraft_attitude_sim.core.contact.vectors import (
    displaced,
    dot,
    norm,
    scaled,
    subtracted,
    symmetric_times,
    tangents,
)
from spacecraft_attitude_sim.core.rotations import quaternion_matrix

# Least bending of the pair, times the body's reach: where a superellipsoid is flat, x_c would move
# infinitely fast.
LEAST_BENDING = 1e-6


class Geometry(NamedTuple):
    """The contact's geometry; world axes but where the name ends in _P.

    matrix_WP: nine floats;  arm: x_c - x [m]
    level: the fifteen floats of the floor at x_c;  steepness: |∇G|;  normal: ∇G/|∇G|
    first, second: the tangents
    distance: H/|∇H|, of x_c from the body's surface [m];  leaning: t_i · n_H, two floats
    bending: (11, 22, 12) of the pair [1/m];  normal_bending: t_i · (∂n_H/∂x + ∂n_G/∂x) n
    """

    matrix_WP: tuple
    arm: tuple
    level: tuple
    steepness: float
    normal: tuple
    first: tuple
    second: tuple
    distance: float
    leaning: tuple
    bending: tuple
    normal_bending: tuple


@helper
def floor_hessian(level):
    """Return ∇∇G, six floats."""
    return (level[9], level[10], level[11], level[12], level[13], level[14])


@helper
def geometry(t, y, scene):
    """Return the Geometry of the state y at the time t."""
    q = attitude(y)
    matrix = quaternion_matrix(q[0], q[1], q[2], q[3])
    c = point_of(y)
    arm = subtracted(c, position(y))
    level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    gradient = (level[3], level[4], level[5])
    steepness = norm(gradient)
    n = scaled(1.0 / steepness, gradient)
    first, second = tangents(n)

    s = point_in_surface(scene, matrix, arm)
    H = scene.surface(s[0], s[1], s[2], scene.surface_parameters)
    gradient_S = (H[1], H[2], H[3])
    inverse = 1.0 / norm(gradient_S)
    hessian = (H[4], H[5], H[6], H[7], H[8], H[9])
    a = to_surface(scene, matrix, first)
    b = to_surface(scene, matrix, second)
    n_S = to_surface(scene, matrix, n)
    Ha = symmetric_times(hessian, a)
    Hb = symmetric_times(hessian, b)
    leaning = (inverse * dot(a, gradient_S), inverse * dot(b, gradient_S))
    least = 0.0
    if scene.settings[STRICTLY_CURVED] == 0.0:
        least = LEAST_BENDING / scene.settings[REACH]
    b11 = inverse * dot(a, Ha) + least
    b22 = inverse * dot(b, Hb) + least
    b12 = inverse * dot(a, Hb)
    b1n = inverse * dot(n_S, Ha)
    b2n = inverse * dot(n_S, Hb)
    if scene.settings[FLAT_FLOOR] == 0.0:
        floor = floor_hessian(level)
        Ga = scaled(1.0 / steepness, symmetric_times(floor, first))
        Gb = scaled(1.0 / steepness, symmetric_times(floor, second))
        b11 += dot(first, Ga)
        b22 += dot(second, Gb)
        b12 += dot(first, Gb)
        b1n += dot(n, Ga)
        b2n += dot(n, Gb)
    return Geometry(
        matrix, arm, level, steepness, n, first, second,
        inverse * H[0], leaning, (b11, b22, b12), (b1n, b2n),
    )  # fmt: skip


@helper
def unbent(g, one, two):
    """Return the tangent vector w with K w = one t_1 + two t_2."""
    b11, b22, b12 = g.bending
    s = 1.0 / (b11 * b22 - b12 * b12)
    w = scaled(s * (b22 * one - b12 * two), g.first)
    return displaced(w, s * (b11 * two - b12 * one), g.second)


@helper
def one_point(g):
    """Return whether the bodies bend apart in every direction: the contact is a single point."""
    b11, b22, b12 = g.bending
    return b11 > 0.0 and b11 * b22 > b12 * b12


@helper
def tangent_bending(g, u, scene):
    """Return t_i · ∂n_G/∂x u, two floats."""
    if scene.settings[FLAT_FLOOR] != 0.0:
        return (0.0, 0.0)
    bent = scaled(1.0 / g.steepness, symmetric_times(floor_hessian(g.level), u))
    return (dot(g.first, bent), dot(g.second, bent))


@helper
def gap_of(g):
    """Return the distance between body and floor, to first order in how far x_c is off [m]."""
    return g.level[0] / g.steepness + g.distance
