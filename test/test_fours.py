# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Four floats at once have the bits of one by one, compiled and in Python."""

import math

import numpy as np
import pytest

from spacecraft_attitude_sim.kernels import fours
from spacecraft_attitude_sim.kernels.branches import rarely, selected
from spacecraft_attitude_sim.kernels.fours import (
    all_within,
    floats_of,
    floors,
    four_at,
    four_of,
    put_four,
    repeated,
    sizes,
)
from spacecraft_attitude_sim.kernels.kernel import Kernel
from spacecraft_attitude_sim.kernels.pointers import pointer_to


def computed(numbers, out):
    """Write to `out` (43,) what becomes of two times four numbers."""
    flat, written = pointer_to(numbers), pointer_to(out)
    a, b = four_at(flat, 1), four_at(flat, 5)
    put_four(written, 1, a + b)
    put_four(written, 5, a - b)
    put_four(written, 9, a * b)
    put_four(written, 13, a / b)
    w, x, y, z = floats_of(a * numbers[5] + numbers[6] - numbers[7])
    put_four(written, 17, four_of(z, y, x, w))
    bound = four_of(2.0, 2.0, 2.0, math.inf)
    out[21] = 1.0 if all_within(a, bound) else 0.0
    out[22] = 1.0 if all_within(b, bound) else 0.0
    out[23] = 1.0 if rarely(numbers[1] > 0.0) else 0.0
    put_four(written, 24, sizes(a))
    put_four(written, 28, floors(a))
    put_four(written, 32, b / 3.0)
    put_four(written, 36, repeated(numbers[5]))
    out[41] = selected(numbers[1] > 0.0, numbers[2], numbers[3])
    out[42] = selected(numbers[1] <= 0.0, numbers[2], numbers[3])
    out[0], out[40] = numbers[0], numbers[9]  # keeps both alive until here


ODD = [1.0, -0.0, math.inf, 5e-324, math.nan, 1e308, 1.0 / 3.0, 2.0]


@pytest.fixture(scope='module')
def kernel():
    """`computed`, compiled."""
    return Kernel(computed, kept=False)


@pytest.mark.parametrize('seed', range(4))
def test_compiled_code_has_the_bits_of_python_and_of_numpy(kernel, seed):
    random = np.random.default_rng(seed)
    numbers = 3.0 * random.normal(size=10)
    if seed > 1:
        numbers[1:9] = random.permutation([one or 0.25 for one in ODD])
    first, second = np.zeros(43), np.zeros(43)
    kernel(numbers, first)
    with np.errstate(all='ignore'):
        computed(numbers, second)
    assert first.tobytes() == second.tobytes()
    a, b = numbers[1:5], numbers[5:9]
    with np.errstate(all='ignore'):
        scaled = a * numbers[5] + numbers[6] - numbers[7]
        told = np.concatenate((a + b, a - b, a * b, a / b, scaled[::-1]))
        others = np.concatenate((np.abs(a), np.floor(a), b / 3.0, [numbers[5]] * 4))
    assert np.array_equal(first[1:21], told, equal_nan=True)
    assert np.array_equal(first[24:40], others, equal_nan=True)


@pytest.mark.parametrize(
    ('four', 'within'),
    [
        ((0.0, 1.0, 2.0, 1e308), True),
        ((-0.0, 0.0, 0.0, math.inf), True),
        ((0.0, 1.0, 2.0 + 1e-15, 0.0), False),
        ((-5e-324, 0.0, 0.0, 0.0), False),
        ((0.0, 0.0, 0.0, math.nan), False),
    ],
)
def test_all_must_be_within(kernel, four, within):
    out = np.zeros(43)
    kernel(np.array([0.0, *four, 1.0, 1.0, 1.0, 1.0, 0.0]), out)
    assert bool(out[21]) is within
    assert out[22] == 1.0
    assert all_within(fours.Four(four), (2.0, 2.0, 2.0, math.inf)) is within
