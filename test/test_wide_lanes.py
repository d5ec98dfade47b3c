# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Loops over lanes compute with the widest vectors, on memory that begins with a line."""

import llvmlite.binding as llvm
import numpy as np
import pytest

from spacecraft_attitude_sim.kernels.columns import LANES, LINE, from_line
from spacecraft_attitude_sim.kernels.kernel import Kernel, lanes_as, unlocked_as


def test_arrays_begin_with_a_line_of_memory_and_have_one_item_less():
    def found(counts, seen):
        for k in range(len(counts)):
            # Other sizes, for memory of the same size is often found at the same place.
            rows = from_line(np.zeros((counts[k] + 1, 1 + k % 3, LANES)))
            rows[-1, k % 3, LANES - 1] = k
            rows[0, 0, 0] += 7.0
            seen[k, 0], seen[k, 1] = rows.ctypes.data % LINE, len(rows)
            seen[k, 2], seen[k, 3] = rows.size, rows.sum()

    counts, seen = np.arange(1, 40), np.zeros((39, 4))
    Kernel(found, kept=False)(counts, seen)
    k = np.arange(39)
    np.testing.assert_array_equal(seen[:, 0], 0.0)
    np.testing.assert_array_equal(seen[:, 1], counts)
    np.testing.assert_array_equal(seen[:, 2], counts * (1 + k % 3) * LANES)
    np.testing.assert_array_equal(seen[:, 3], k + 7.0)


def test_in_python_an_array_has_one_item_less():
    assert from_line(np.zeros((4, LANES))).shape == (3, LANES)


def test_the_widest_vectors_give_the_same_bits():
    def halved(rows):
        for k in range(len(rows)):
            for i in range(LANES):
                rows[k, i] = (rows[k, i] * rows[k, i] + 1.0) / 3.0

    signature = 'void(float64[:, ::1])'
    wide, usual = (decorate(signature)(halved, kept=False) for decorate in (lanes_as, unlocked_as))
    rows = np.random.default_rng(1).normal(size=(5, LANES))
    each = rows.copy(), rows.copy()
    wide(each[0])
    usual(each[1])
    assert each[0].tobytes() == each[1].tobytes()
    if not llvm.get_host_cpu_features().get('avx512f', False):
        pytest.skip('this processor has no vectors of 512 bits')
    (code,) = wide.dispatcher.inspect_asm().values()
    assert 'zmm' in code
