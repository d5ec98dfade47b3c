# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Find the contact point without a good guess: the lowest point of the body over the floor.

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
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper, part

NEWTON_STEPS = 60
# Newton ends when its step is below this fraction of the body's reach; the next is its square.
NEWTON_TOLERANCE = 1e-9


@part
def contact_point(t: float, y: Floats, held: Held) -> tuple[Floats, bool]:
    """Return the lowest point of the body over the floor, and whether it was found."""
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
    d = vec.turned_back(C_WS, vec.scaled(-1.0 / vec.norm(gradient), gradient))
    s = support(held.body_kind, d, held.surface_parameters)
    return vec.added(x, surface_arm(held, C_WS, s))


@helper
def lowest_sample(t: float, y: Floats, held: Held, C_WS: Floats) -> Floats:
    """Return the sample point of the surface with the least G."""
    x = position(y)
    best = x
    least = math.inf
    for index in range(0, len(held.samples), 3):
        s = vec.three_at(held.samples, index)
        c = vec.added(x, surface_arm(held, C_WS, s))
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
        c = vec.moved_vector(c, min(1.0, longest / max(size, 1e-300)), step)
        if size < NEWTON_TOLERANCE * held.reach:
            return c, True
    return c, False


@part
def newton_step(t: float, y: Floats, held: Held, C_WS: Floats, c: Floats) -> tuple[Floats, float]:
    """Return Newton's step (3,) towards the minimum of G on H = 0, and its length.

    In the tangents of the body; the Hessian of the Lagrangian is
    ∇∇G/|∇G| - (n_G · n_H) ∇∇H/|∇H|, kept convex far from the solution.
    """
    level = held.level(t, c[0], c[1], c[2], held.floor_parameters)
    gradient = (level[3], level[4], level[5])
    inverse_G = 1.0 / vec.norm(gradient)
    s = surface_place(held, C_WS, vec.subtracted(c, position(y)))
    H = held.surface(s[0], s[1], s[2], held.surface_parameters)
    gradient_S = (H[1], H[2], H[3])
    inverse_H = 1.0 / vec.norm(gradient_S)
    n = vec.scaled(inverse_H, vec.turned(C_WS, gradient_S))
    a, b = vec.tangents(n)
    share = max(0.1, -inverse_G * vec.dot(n, gradient)) * inverse_H
    hessian = (H[4], H[5], H[6], H[7], H[8], H[9])
    a_S, b_S = vec.turned_back(C_WS, a), vec.turned_back(C_WS, b)
    Ha, Hb = vec.symmetric_times(hessian, a_S), vec.symmetric_times(hessian, b_S)
    floor = (level[9], level[10], level[11], level[12], level[13], level[14])
    Ga, Gb = vec.symmetric_times(floor, a), vec.symmetric_times(floor, b)
    least = 1e-3 * share / inverse_H / held.reach
    m11 = max(least, share * vec.dot(a_S, Ha) + inverse_G * vec.dot(a, Ga))
    m22 = max(least, share * vec.dot(b_S, Hb) + inverse_G * vec.dot(b, Gb))
    m12 = share * vec.dot(a_S, Hb) + inverse_G * vec.dot(a, Gb)
    limit = 0.99 * math.sqrt(m11 * m22)
    m12 = min(limit, max(-limit, m12))
    one, two = inverse_G * vec.dot(a, gradient), inverse_G * vec.dot(b, gradient)
    f = -1.0 / (m11 * m22 - m12 * m12)
    step = vec.scaled(f * (m22 * one - m12 * two), a)
    step = vec.moved_vector(step, f * (m11 * two - m12 * one), b)
    step = vec.moved_vector(step, -inverse_H * H[0], n)
    return step, vec.norm(step)
