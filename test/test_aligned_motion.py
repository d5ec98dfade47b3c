# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled motion of axes that follow directions: to the bit that of Python's own sums."""

import itertools
import math

import numpy as np
import pytest

from spacecraft_attitude_sim.core.guidance import aligned_motion
from spacecraft_attitude_sim.core.guidance.aligned_motion import (
    ACROSS,
    ALPHA,
    BETWEEN,
    DIRECTION,
    INSTANTS,
    MOTION,
    OMEGA,
    PLACE,
    REST,
    ROOM,
    SPAN,
)
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, norm, product
from spacecraft_attitude_sim.core.mathematics.rotations import (
    compose,
    conjugate,
    quaternion_from_matrix,
    rotate,
)

pytestmark = pytest.mark.quick
DRAWN = np.random.default_rng(20261127)
KINDS = (REST, PLACE, ACROSS, BETWEEN)


def coefficients(scale=1.0):
    return scale * DRAWN.normal(size=3 * INSTANTS) * 10.0 ** DRAWN.integers(-9, 3, 3 * INSTANTS)


def summed(terms):
    return aligned_motion.exact_sum(terms, np.zeros(len(terms) + 1))


def test_a_sum_is_rounded_once_whatever_cancels():
    half = 2.0**-53
    hard = [
        [1.0, half, 2.0**-106], [1.0, half, -(2.0**-106)], [1.0, half], [1.0 + 2 * half, half],
        [1e16, 1.0, -1e16, 1e-16], [0.0, -0.0], [-0.0, -0.0], [1.0, 1e100, 1.0, -1e100] * 3,
        [-1.0, -half, -(2.0**-106)], [1e-300, -1e-320, 1e300, -1e300], [1.0, -1.0],
    ]  # fmt: skip
    for size, spread in itertools.product(range(1, 12), (1, 20, 200)):
        drawn = DRAWN.normal(size=(40, size)) * 10.0 ** DRAWN.uniform(-spread, spread, (40, size))
        hard += [*drawn.tolist(), *np.concatenate((drawn, -drawn[:, :1]), axis=1).tolist()]
    for terms in hard:
        expected = math.fsum(terms)
        assert summed(np.array(terms)).hex() == expected.hex(), terms


def place(own, x):
    """Return the jet (3, 3) of a place by Chebyshev's recurrence and math.fsum."""
    T, first, second = [1.0, x], [0.0, 1.0], [0.0, 0.0]
    for k in range(2, INSTANTS):
        T.append(2.0 * x * T[k - 1] - T[k - 2])
        first.append(2.0 * T[k - 1] + 2.0 * x * first[k - 1] - first[k - 2])
        second.append(4.0 * first[k - 1] + 2.0 * x * second[k - 1] - second[k - 2])
    scales = (1.0, 2.0 / SPAN, 4.0 / SPAN**2)
    axes = own.reshape(3, INSTANTS).tolist()
    return np.array(
        [
            [s * math.fsum(p * q for p, q in zip(values, axis, strict=True)) for axis in axes]
            for s, values in zip(scales, (T, first, second), strict=True)
        ]
    )


def crossed(a, b):
    return np.array((
        cross(a[0], b[0]), cross(a[1], b[0]) + cross(a[0], b[1]),
        cross(a[2], b[0]) + 2.0 * cross(a[1], b[1]) + cross(a[0], b[2]),
    ))  # fmt: skip


def unit(jet):
    length = norm(jet[0])
    u = jet[0] / length
    stretch = float(product(u, jet[1]))
    first = (jet[1] - stretch * u) / length
    growth = float(product(first, jet[1]) + product(u, jet[2]))
    return np.array((u, first, (jet[2] - 2.0 * stretch * first - growth * u) / length))


def direction(how, one, other, x):
    kind, sign, sense = how
    jet = np.array((one[:3], np.zeros(3), np.zeros(3))) if kind == REST else place(one, x)
    if kind == ACROSS:
        jet = crossed(jet, place(other, x))
    if kind == BETWEEN:
        jet = jet - place(other, x)
    return sense * unit(sign * jet)


def triad(first, second, q_TR):
    across = unit(crossed(first, second))
    columns = first, crossed(across, first), across
    q_WT = quaternion_from_matrix(*(float(own[0][row]) for row in range(3) for own in columns))
    q_WR = compose(q_WT, q_TR)
    rate, change = np.zeros(3), np.zeros(3)
    for column in columns:
        rate += 0.5 * cross(column[0], column[1])
        change += 0.5 * cross(column[0], column[2])
    back = conjugate(q_WR)
    return np.concatenate((q_WR, rotate(back, rate), rotate(back, change)))


@pytest.mark.parametrize(('kind', 'towards'), [*itertools.product(KINDS, KINDS)])
def test_axes_follow_two_directions_to_the_bit_of_their_formulas(kind, towards):
    room = np.zeros(ROOM)
    for sign, sense in itertools.product((1.0, -1.0), repeat=2):
        own = [coefficients() for _ in range(4)]
        q_TR = DRAWN.normal(size=4)
        q_TR /= math.sqrt(product(q_TR, q_TR))
        x = float(DRAWN.uniform(-1.0, 1.0))
        hows = [DIRECTION.packed(kind=one, sign=sign, sense=sense) for one in (kind, towards)]
        expected = [
            direction(how, *pair, x) for how, pair in zip(hows, (own[:2], own[2:]), strict=True)
        ]
        for run in (aligned_motion.pointing, aligned_motion.pointing.function):
            jet = np.empty(9)
            assert run(hows[0], own[0], own[1], x, room, jet)
            assert jet.tolist() == expected[0].ravel().tolist()
        for run in (aligned_motion.aligned, aligned_motion.aligned.function):
            flat = np.empty(MOTION.size)
            given = hows[0], own[0], own[1], hows[1], own[2], own[3], x, q_TR, room, flat
            assert run(*given)
            assert flat.tolist() == triad(*expected, q_TR).tolist()


def test_directions_without_length_or_parallel_ones_have_no_motion():
    room, flat, jet = np.zeros(ROOM), np.empty(MOTION.size), np.empty(9)
    rest = DIRECTION.packed(kind=REST, sign=1.0, sense=1.0)
    nothing, along = np.zeros(3), np.array((3.0, 0.0, 4.0))
    q_TR = np.array((1.0, 0.0, 0.0, 0.0))
    for run in (aligned_motion.aligned, aligned_motion.aligned.function):
        for one, other in ((nothing, along), (along, nothing), (along, 2.0 * along)):
            assert not run(rest, one, one, rest, other, other, 0.0, q_TR, room, flat)
        assert run(rest, along, along, rest, along[::-1].copy(), along, 0.0, q_TR, room, flat)
        assert not flat[OMEGA:ALPHA].any()
    assert not aligned_motion.pointing(rest, nothing, nothing, 0.0, room, jet)
