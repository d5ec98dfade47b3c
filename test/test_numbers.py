# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Twofold arithmetic against exact fractions, elliptic integrals against SciPy."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from spacecraft_attitude_sim.core.mathematics import double_double, elliptic

# Twofold numbers carry 106 bits; sums and products lose a few of them.
TWOFOLD = Fraction(1, 2**100)


def exact(number):
    """Return the fraction that is a twofold number."""
    return Fraction(number[0]) + Fraction(number[1])


def random_twofold(generator):
    """Return a twofold number of any size, its low part below half a rounding of its high part."""
    high = generator.normal() * 10.0 ** generator.uniform(-8.0, 8.0)
    return high, high * 1e-17 * generator.uniform(-1.0, 1.0)


def test_twofold_sums_and_products_are_right_to_30_digits():
    generator = np.random.default_rng(1)
    for _ in range(500):
        a, b = random_twofold(generator), random_twofold(generator)
        largest = abs(exact(a)) + abs(exact(b))
        assert abs(exact(double_double.add(a, b)) - exact(a) - exact(b)) < TWOFOLD * largest
        assert abs(exact(double_double.subtract(a, b)) - exact(a) + exact(b)) < TWOFOLD * largest
        product = exact(a) * exact(b)
        assert abs(exact(double_double.multiply(a, b)) - product) < TWOFOLD * abs(product)


def test_twofold_difference_of_nearly_equal_products_keeps_its_digits():
    # (1 + 2^-30)^2 - (1 + 2^-29) = 2^-60, which plain floats lose altogether.
    a = (1.0 + 2.0**-30, 0.0)
    left = double_double.subtract(double_double.multiply(a, a), (1.0 + 2.0**-29, 0.0))
    assert exact(left) == Fraction(1, 2**60)


def test_twofold_rotation_is_the_exact_one():
    # Half a turn about z, then a third of a turn about the body diagonal: whole numbers.
    v = ((1.0, 1e-20), (2.0, 0.0), (3.0, 0.0))
    turned = double_double.rotate(0.5, 0.5, 0.5, 0.5, v)
    assert [exact(component) for component in turned] == [3, exact(v[0]), 2]


@pytest.mark.parametrize('complement', [1.0, 0.5, 0.03, 1e-8, 1e-100, 1e-300])
def test_complete_integral_is_scipys(complement):
    assert elliptic.complete_integral(complement) == pytest.approx(
        special.ellipkm1(complement), rel=4e-16, abs=0.0
    )


def test_carlson_integral_is_scipys_over_600_decades():
    generator = np.random.default_rng(2)
    for x, y, z in 10.0 ** generator.uniform(-300.0, 300.0, (200, 3)) ** np.array((1, 1, 0)):
        expected = special.elliprf(x, y, z)
        assert elliptic.carlson_rf(x, y, z) == pytest.approx(expected, rel=1e-15, abs=0.0)
    assert elliptic.carlson_rf(0.0, 1.0, 1.0) == pytest.approx(np.pi / 2.0, rel=4e-16, abs=0.0)
