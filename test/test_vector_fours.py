# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors in Fours have the bits of vectors of floats, whatever their fourth number is."""

import math

import numpy as np
import pytest

from spacecraft_attitude_sim.core.environment.loads import gravity_gradient, tide
from spacecraft_attitude_sim.core.environment.loads.load import HERE, NOTHING, turn_of
from spacecraft_attitude_sim.core.mathematics import vector_fours
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate
from spacecraft_attitude_sim.core.mathematics.vectors import cross, dot, symmetric_times, turned
from spacecraft_attitude_sim.kernels.fours import Four

SEEDS = range(20)


def bits(*numbers):
    """Return the bits of numbers; a zero's sign counts."""
    return np.array(numbers, dtype=float).tobytes()


def drawn(seed):
    """Return two vectors of three floats, and both as Fours whose fourth number is odd."""
    random = np.random.default_rng(seed)
    a, b = (tuple(random.normal(size=3) * 10.0 ** random.integers(-9, 9)) for _ in range(2))
    return a, b, Four((*a, math.nan)), Four((*b, math.inf))


def quaternion(seed):
    """Return a quaternion that is not quite unit, and as a Four."""
    q = np.random.default_rng(seed).normal(size=4)
    q = tuple((q / np.linalg.norm(q) * 1.001).tolist())
    return q, Four(q)


@pytest.mark.parametrize('seed', SEEDS)
def test_products_of_vectors(seed):
    a, b, four_a, four_b = drawn(seed)
    assert bits(*vector_fours.cross_four(four_a, four_b)[:3]) == bits(*cross(a, b))
    assert bits(vector_fours.dot_four(four_a, four_b)) == bits(dot(a, b))
    S = tuple(np.random.default_rng(seed).normal(size=6).tolist())
    columns = vector_fours.symmetric_columns(S)
    assert bits(*vector_fours.times_four(columns, a)[:3]) == bits(*symmetric_times(S, a))


@pytest.mark.parametrize('seed', SEEDS)
def test_matrix_and_rate_of_an_attitude(seed):
    q, four = quaternion(seed)
    a, b, _, omega = drawn(seed)
    u, columns, rows = vector_fours.turn_fours(four)
    turn = turn_of((0.0, 0.0, 0.0, *q), 1.0 / (q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2))
    assert bits(u, *rows[0][:3], *rows[1][:3], *rows[2][:3]) == bits(*turn)
    assert bits(*vector_fours.times_four(columns, a)[:3]) == bits(*turned(turn[1:], a))
    rate = vector_fours.quaternion_rate_four(four, omega)
    assert bits(*rate) == bits(*quaternion_rate(*q, *b))


@pytest.mark.parametrize('seed', SEEDS)
@pytest.mark.parametrize('acts', [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0)])
def test_gravity_gradient_and_tide(seed, acts):
    q, four = quaternion(seed)
    up, place, _, position = drawn(seed)
    random = np.random.default_rng(seed)
    here = HERE.packed(
        up_W=up, pull=random.uniform(), field_W=0.0, wind_W=0.0, density=0.0, field_rate_W=0.0,
        to_sun_W=0.0, pressure=0.0,
    )  # fmt: skip
    u, _, rows = vector_fours.turn_fours(four)
    S, mass, parts = tuple(random.normal(size=6).tolist()), random.uniform(), np.array(acts)
    turn = turn_of((0.0, 0.0, 0.0, *q), u)
    _, torque, force = gravity_gradient.wrench(
        NOTHING, parts, 0, 1, (mass, *S), place, turn, (0.0, 0.0, 0.0), here
    )
    nothing = Four((-0.0, -0.0, -0.0, -0.0))
    fours = gravity_gradient.wrench_four(
        (nothing, nothing), parts, 0, mass, vector_fours.symmetric_columns(S), position, u, rows,
        here,
    )  # fmt: skip
    assert bits(*fours[0][:3], *fours[1][:3]) == bits(*torque, *force)
    assert bits(*tide.force_four(here, mass, position)[:3]) == bits(*tide.force(here, mass, place))
