# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The motion of body axes that follow two directions, compiled: each tick asks for it.

A direction comes from one or two places in a span of time; each is INSTANTS coefficients of
Chebyshev polynomials for each of three axes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_from_matrix,
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    four_at,
    put,
    scaled,
    subtracted,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

    # A vector with its first and second derivative.
    Jet = tuple[Floats, Floats, Floats]

# A span of time with one polynomial [s], and its instants.
SPAN, INSTANTS = 10.0, 7
# What a direction is: a vector at rest, one place, the normal of two, or from the second to the
# first.
REST, PLACE, ACROSS, BETWEEN = 0.0, 1.0, 2.0, 3.0
# How a direction comes from its places.
# kind: one of these;  sign: before it gets length 1;  sense: after it
DIRECTION = Layout(kind=1, sign=1, sense=1)
KIND, SIGN, SENSE = DIRECTION.places()
# Of a Reference: attitude, rate and acceleration.
MOTION = Layout(q_WR=4, omega_R=3, alpha_R=3)
OMEGA, ALPHA = MOTION.places('omega_R', 'alpha_R')
# Number of floats that the functions here write to.
ROOM = 5 * INSTANTS + 1
SHORTEST = 1e-6


@part
def exact_sum(terms: Array, room: Array) -> float:
    """Return the sum of finite terms, rounded once, as math.fsum does.

    room: as many numbers and one more, to write to
    J. R. Shewchuk, Discrete Comput. Geom. 18 (1997) 305.
    """
    count = 0
    for k in range(len(terms)):
        x, kept = terms[k], 0
        for j in range(count):
            y = room[j]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                room[kept] = low
                kept += 1
            x = high
        room[kept] = x
        count = kept + 1
    high, low = 0.0, 0.0
    while count > 0 and low == 0.0:
        count -= 1
        x, y = high, room[count]
        high = x + y
        low = y - (high - x)
    # Half-way cases go to the side of the part below.
    if count > 0:
        below, x = room[count - 1], high + 2.0 * low
        same = (low > 0.0 and below > 0.0) or (low < 0.0 and below < 0.0)
        if same and 2.0 * low == x - high:
            return x
    return high


@part
def chebyshev(x: float, out: Array) -> None:
    """Write the Chebyshev polynomials at x, and their two derivatives (3 INSTANTS,)."""
    n = INSTANTS
    out[0], out[1], out[n], out[n + 1], out[2 * n], out[2 * n + 1] = 1.0, x, 0.0, 1.0, 0.0, 0.0
    for k in range(2, n):
        out[k] = 2.0 * x * out[k - 1] - out[k - 2]
        out[n + k] = 2.0 * out[k - 1] + 2.0 * x * out[n + k - 1] - out[n + k - 2]
        out[2 * n + k] = 4.0 * out[n + k - 1] + 2.0 * x * out[2 * n + k - 1] - out[2 * n + k - 2]


@part
def derivative_of(coefficients: Array, order: int, values: Array, room: Array) -> Floats:
    """Return a derivative of a place; order: 0 for the place itself.

    coefficients: (3 INSTANTS,);  values: of `chebyshev`;  room: to write to
    """
    n = INSTANTS
    terms, rest = room[0:n], room[n : 2 * n + 1]
    for k in range(n):
        terms[k] = values[n * order + k] * coefficients[k]
    a = exact_sum(terms, rest)
    for k in range(n):
        terms[k] = values[n * order + k] * coefficients[n + k]
    b = exact_sum(terms, rest)
    for k in range(n):
        terms[k] = values[n * order + k] * coefficients[2 * n + k]
    c = exact_sum(terms, rest)
    scale = 1.0
    if order == 1:
        scale = 2.0 / SPAN
    elif order == 2:
        scale = 4.0 / (SPAN * SPAN)
    return (scale * a, scale * b, scale * c)


@part
def jet_of(coefficients: Array, values: Array, room: Array) -> Jet:
    """Return the jet of a place; arguments as of `derivative_of`."""
    return (
        derivative_of(coefficients, 0, values, room),
        derivative_of(coefficients, 1, values, room),
        derivative_of(coefficients, 2, values, room),
    )


@helper
def crossed(a: Jet, b: Jet) -> Jet:
    """Return the jet of a × b."""
    return (
        cross(a[0], b[0]),
        added(cross(a[1], b[0]), cross(a[0], b[1])),
        added(added(cross(a[2], b[0]), scaled(2.0, cross(a[1], b[1]))), cross(a[0], b[2])),
    )


@helper
def along(a: Floats, b: Floats) -> float:
    """Return a·b with the bits of fixed_order.product."""
    return 0.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def unit(jet: Jet) -> tuple[bool, Jet]:
    """Return whether a vector has a length, and the jet of it divided by its length."""
    length = math.sqrt(along(jet[0], jet[0]))
    if not length > SHORTEST:
        return False, jet
    x = divided(jet[0], length)
    stretch = along(x, jet[1])
    first = divided(subtracted(jet[1], scaled(stretch, x)), length)
    growth = along(first, jet[1]) + along(x, jet[2])
    bent = subtracted(jet[2], scaled(2.0 * stretch, first))
    return True, (x, first, divided(subtracted(bent, scaled(growth, x)), length))


@helper
def divided(a: Floats, length: float) -> Floats:
    """Return a vector divided by a number."""
    return (a[0] / length, a[1] / length, a[2] / length)


@part
def direction(
    how: Array, head: Array, other: Array, values: Array, room: Array
) -> tuple[bool, Jet]:
    """Return whether a direction has a length, and the jet of its unit vector.

    how: DIRECTION;  head, other: coefficients of its places; of a vector at rest, it comes first
    """
    kind, zero = how[KIND], (0.0, 0.0, 0.0)
    jet = (three_at(head, 0), zero, zero)
    if kind != REST:
        jet = jet_of(head, values, room)
    if kind == ACROSS:
        jet = crossed(jet, jet_of(other, values, room))
    elif kind == BETWEEN:
        base = jet_of(other, values, room)
        jet = (
            subtracted(jet[0], base[0]), subtracted(jet[1], base[1]), subtracted(jet[2], base[2]),
        )  # fmt: skip
    if how[SIGN] < 0.0:
        jet = turned_back(jet)
    known, jet = unit(jet)
    if how[SENSE] < 0.0:
        jet = turned_back(jet)
    return known, jet


@helper
def turned_back(jet: Jet) -> Jet:
    """Return the jet of the opposite vector."""
    a, b, c = jet
    return (-a[0], -a[1], -a[2]), (-b[0], -b[1], -b[2]), (-c[0], -c[1], -c[2])


@compiled
def place(coefficients: Array, x: float, room: Array, out: Array) -> None:
    """Write the jet (9,) of a place at x, -1 to 1 in its span; room: (ROOM,)."""
    values, rest = room[0 : 3 * INSTANTS], room[3 * INSTANTS :]
    chebyshev(x, values)
    a, b, c = jet_of(coefficients, values, rest)
    put(out, 0, a)
    put(out, 3, b)
    put(out, 6, c)


@compiled
def pointing(how: Array, head: Array, other: Array, x: float, room: Array, out: Array) -> bool:
    """Write the jet (9,) of a direction, length 1; return whether it has a length.

    how, head, other: of `direction`;  x, room: of `place`
    """
    values, rest = room[0 : 3 * INSTANTS], room[3 * INSTANTS :]
    chebyshev(x, values)
    known, jet = direction(how, head, other, values, rest)
    put(out, 0, jet[0])
    put(out, 3, jet[1])
    put(out, 6, jet[2])
    return known


@compiled
def aligned(
    how: Array, head: Array, other: Array, towards: Array, third: Array, fourth: Array, x: float,
    q_TR: Array, room: Array, out: Array,
) -> bool:  # fmt: skip
    """Write the MOTION that aligns body axes with directions; return whether there is one.

    how, head, other: of `direction`, of the first;  towards, third, fourth: of the second
    x: -1 to 1 in the span of time
    q_TR: (4,) to the axes T whose x is the first body axis and whose z is across both
    room: (ROOM,) to write to
    """
    values, rest = room[0 : 3 * INSTANTS], room[3 * INSTANTS :]
    chebyshev(x, values)
    known, first = direction(how, head, other, values, rest)
    if not known:
        return False
    known, second = direction(towards, third, fourth, values, rest)
    if not known:
        return False
    known, across = unit(crossed(first, second))
    if not known:
        return False
    middle = crossed(across, first)
    a, b, c = first[0], middle[0], across[0]
    q = quaternion_from_matrix(a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])
    t = four_at(q_TR, 0)
    q = quaternion_product(q[0], q[1], q[2], q[3], t[0], t[1], t[2], t[3])
    rate_W = change_W = (0.0, 0.0, 0.0)
    for column in (first, middle, across):  # half the sum of c × c' of three orthogonal vectors
        rate_W = added(rate_W, scaled(0.5, cross(column[0], column[1])))
        change_W = added(change_W, scaled(0.5, cross(column[0], column[2])))
    put(out, 0, q)
    r, s = rate_W, change_W
    put(out, OMEGA, quaternion_sandwich(q[0], -q[1], -q[2], -q[3], r[0], r[1], r[2]))
    put(out, ALPHA, quaternion_sandwich(q[0], -q[1], -q[2], -q[3], s[0], s[1], s[2]))
    return True
