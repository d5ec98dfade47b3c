# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Find the contact point with no good guess: the point of the body lowest over the floor.

For a flat floor and a shape with a closed form, the support point against the normal. Otherwise
the lowest of the surface's sample points, then Newton on S5's conditions H = 0, n_G + n_H = 0.
"""

import math

from spacecraft_attitude_sim.core.contact.solver.scene import CURVED, IMPLICIT, INNER_RADIUS, REACH
from spacecraft_attitude_sim.core.contact.solver.states import (
    axes_of,
    position,
    surface_arm,
    surface_place,
)
from spacecraft_attitude_sim.core.contact.solver.vectors import (
    added,
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
from spacecraft_attitude_sim.kernels.kernel import helper, part

NEWTON_STEPS = 60
# Newton ends when its step is below this fraction of the body's reach; the next is its square.
NEWTON_TOLERANCE = 1e-9


@part
def contact_point(t, y, scene):
    """Return the point of the body lowest over the floor, and whether it was found."""
    C_WS = axes_of(y)
    if scene.floor_kind != CURVED and scene.body_kind != IMPLICIT:
        return support_point(t, y, scene, C_WS), True
    return newton_point(t, y, scene, C_WS, lowest_sample(t, y, scene, C_WS))


@helper
def support_point(t, y, scene, C_WS):
    """Return the support point against the normal of a flat floor."""
    x = position(y)
    level = scene.level(t, x[0], x[1], x[2], scene.floor_parameters)
    gradient = (level[3], level[4], level[5])
    d = turned_back(C_WS, scaled(-1.0 / norm(gradient), gradient))
    s = scene.support(d[0], d[1], d[2], scene.surface_parameters)
    return added(x, surface_arm(scene, C_WS, s))


@helper
def lowest_sample(t, y, scene, C_WS):
    """Return the sample point of the surface with the least G."""
    x = position(y)
    best = x
    least = math.inf
    for index in range(scene.samples.shape[0]):
        s = (scene.samples[index, 0], scene.samples[index, 1], scene.samples[index, 2])
        c = added(x, surface_arm(scene, C_WS, s))
        level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)[0]
        if level < least:
            best, least = c, level
    return best


@part
def newton_point(t, y, scene, C_WS, guess):
    """Return the contact point near a guess and whether Newton converged."""
    c = guess
    longest = 0.3 * scene.settings[INNER_RADIUS]
    for _ in range(NEWTON_STEPS):
        step, size = newton_step(t, y, scene, C_WS, c)
        c = displaced(c, min(1.0, longest / max(size, 1e-300)), step)
        if size < NEWTON_TOLERANCE * scene.settings[REACH]:
            return c, True
    return c, False


@part
def newton_step(t, y, scene, C_WS, c):
    """Return Newton's step (3,) to where G is least on H = 0, and its length.

    In the tangents of the body; the Hessian of the Lagrangian is
    ∇∇G/|∇G| - (n_G · n_H) ∇∇H/|∇H|, kept convex far from the solution.
    """
    level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    gradient = (level[3], level[4], level[5])
    inverse_G = 1.0 / norm(gradient)
    s = surface_place(scene, C_WS, subtracted(c, position(y)))
    H = scene.surface(s[0], s[1], s[2], scene.surface_parameters)
    gradient_S = (H[1], H[2], H[3])
    inverse_H = 1.0 / norm(gradient_S)
    n = scaled(inverse_H, turned(C_WS, gradient_S))
    a, b = tangents(n)
    share = max(0.1, -inverse_G * dot(n, gradient)) * inverse_H
    hessian = (H[4], H[5], H[6], H[7], H[8], H[9])
    a_S, b_S = turned_back(C_WS, a), turned_back(C_WS, b)
    Ha, Hb = symmetric_times(hessian, a_S), symmetric_times(hessian, b_S)
    floor = (level[9], level[10], level[11], level[12], level[13], level[14])
    Ga, Gb = symmetric_times(floor, a), symmetric_times(floor, b)
    least = 1e-3 * share / inverse_H / scene.settings[REACH]
    m11 = max(least, share * dot(a_S, Ha) + inverse_G * dot(a, Ga))
    m22 = max(least, share * dot(b_S, Hb) + inverse_G * dot(b, Gb))
    m12 = share * dot(a_S, Hb) + inverse_G * dot(a, Gb)
    limit = 0.99 * math.sqrt(m11 * m22)
    m12 = min(limit, max(-limit, m12))
    one, two = inverse_G * dot(a, gradient), inverse_G * dot(b, gradient)
    f = -1.0 / (m11 * m22 - m12 * m12)
    step = scaled(f * (m22 * one - m12 * two), a)
    step = displaced(step, f * (m11 * two - m12 * one), b)
    step = displaced(step, -inverse_H * H[0], n)
    return step, norm(step)
