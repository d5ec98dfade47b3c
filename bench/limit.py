# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The loops of limit.cpp, compiled by g++ on first use and called through ctypes."""

import ctypes
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
# Strict keeps the order and the rounding of every operation, like our code. Fused may combine a
# product and a sum.
OPTIONS = {
    'strict': ['-O3', '-mavx2', '-mtune=native', '-ffp-contract=off'],
    'fused': ['-O3', '-mavx2', '-mfma', '-mtune=native'],
}
GROUPS = (1, 2, 4)


def compiled():
    """Return {name of OPTIONS: library}; FileNotFoundError without g++."""
    folder = Path(tempfile.mkdtemp(prefix='limit'))
    libraries = {}
    for name, options in OPTIONS.items():
        path = folder / f'{name}.so'
        source = HERE / 'limit.cpp'
        subprocess.run(['g++', *options, '-shared', '-fPIC', source, '-o', path], check=True)
        libraries[name] = ctypes.CDLL(str(path))
    return libraries


def one(library, q, g, steps):
    """Take steps of one body; it changes q (4,); g: (3,)."""
    library.one(_address(q), _address(g), ctypes.c_long(steps))


def many(library, q, g, steps, groups, threads):
    """Take steps of N bodies on some threads; it changes q (4, N); g: (3, N)."""
    count = q.shape[1]
    bounds = [count * k // threads // 16 * 16 for k in range(threads + 1)]

    def share(k):
        library.many(
            _address(q), _address(g),
            *(ctypes.c_long(n) for n in (count, bounds[k], bounds[k + 1], steps, groups)),
        )  # fmt: skip

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(share, range(threads)))


def _address(array):
    assert array.dtype == np.float64 and array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)
