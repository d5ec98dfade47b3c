# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Find the contact point with no good guess: the point of the body lowest over the floor.

For a flat floor and a shape with a closed form, the support point against the normal. Otherwise
the lowest of the surface's sample points, then Newton on H = 0, n_G + n_H = 0.
"""

import math

from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import CURVED, IMPLICIT
from spacecraft_attitude_sim.core.contact.solver.states import (
    axes_of,
    position,
    surface_arm,
    surface_place,
)
from spacecraft_attitude_sim.core.contact.surface_functions import support
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    dot,
    moved_vector,
    norm,
    scaled,
    subtracted,
    symmetric_times,
    tangents,
    three_at,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

NEWTON_STEPS = 60
# Newton ends when its step is below this fraction of the body's reach; the next is its square.
NEWTON_TOLERANCE = 1e-9


@part
def contact_point(t: float, y: Floats, held: Held) -> tuple[Floats, bool]:
    """Return the point of the body lowest over the floor, and whether it was found."""
    C_WS = axes_of(y)
    if held.floor_kind != CURVED and held.body_kind != IMPLICIT:
        return support_point(t, y, held, C_WS), True
    return newton_point(t, y, held, C_WS, lowest_sample(t, y, held, C_WS))


@helper
def support_point(t: float, y: Floats, held: Held, C_WS: Floats) -> Floats:
    """Return the support point against the normal of a flat floor."""
    x = position(y)
    level = held.level(t, x[0], x[1], x[2], held.floor_parameters)
    gradient = (level[3], level[4], level[5])
    d = turned_back(C_WS, scaled(-1.0 / norm(gradient), gradient))
    s = support(held.body_kind, d, held.surface_parameters)
    return added(x, surface_arm(held, C_WS, s))


@helper
def lowest_sample(t: float, y: Floats, held: Held, C_WS: Floats) -> Floats:
    """Return the sample point of the surface with the least G."""
    x = position(y)
    best = x
    least = math.inf
    for index in range(0, len(held.samples), 3):
        s = three_at(held.samples, index)
        c = added(x, surface_arm(held, C_WS, s))
        level = held.level(t, c[0], c[1], c[2], held.floor_parameters)[0]
        if level < least:
            best, least = c, level
    return best


@part
def newton_point(
    t: float, y: Floats, held: Held, C_WS: Floats, guess: Floats
) -> tuple[Floats, bool]:
    """Return the contact point near a guess and whether Newton converged."""
    c = guess
    longest = 0.3 * held.inner_radius
    for _ in range(NEWTON_STEPS):
        step, size = newton_step(t, y, held, C_WS, c)
        c = moved_vector(c, min(1.0, longest / max(size, 1e-300)), step)
        if size < NEWTON_TOLERANCE * held.reach:
            return c, True
    return c, False


@part
def newton_step(t: float, y: Floats, held: Held, C_WS: Floats, c: Floats) -> tuple[Floats, float]:
    """Return Newton's step (3,) to where G is least on H = 0, and its length.

    In the tangents of the body; the Hessian of the Lagrangian is
    ∇∇G/|∇G| - (n_G · n_H) ∇∇H/|∇H|, kept convex far from the solution.
    """
    level = held.level(t, c[0], c[1], c[2], held.floor_parameters)
    gradient = (level[3], level[4], level[5])
    inverse_G = 1.0 / norm(gradient)
    s = surface_place(held, C_WS, subtracted(c, position(y)))
    H = held.surface(s[0], s[1], s[2], held.surface_parameters)
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
    least = 1e-3 * share / inverse_H / held.reach
    m11 = max(least, share * dot(a_S, Ha) + inverse_G * dot(a, Ga))
    m22 = max(least, share * dot(b_S, Hb) + inverse_G * dot(b, Gb))
    m12 = share * dot(a_S, Hb) + inverse_G * dot(a, Gb)
    limit = 0.99 * math.sqrt(m11 * m22)
    m12 = min(limit, max(-limit, m12))
    one, two = inverse_G * dot(a, gradient), inverse_G * dot(b, gradient)
    f = -1.0 / (m11 * m22 - m12 * m12)
    step = scaled(f * (m22 * one - m12 * two), a)
    step = moved_vector(step, f * (m11 * two - m12 * one), b)
    step = moved_vector(step, -inverse_H * H[0], n)
    return step, norm(step)
