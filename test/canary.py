# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tells whether this machine rounds as the one did on which test data of exact bits were made."""

import hashlib
import math
import platform

import numba
import numpy as np
import scipy
from scipy import special

# Between 0 and 1, the same everywhere: the fractions of multiples of the golden ratio.
SPREAD = [k * 0.6180339887498949 % 1.0 for k in range(1, 401)]
WHAT = {
    'machine': 'the machine',
    'numpy': 'NumPy',
    'scipy': 'SciPy',
    'numba': 'numba',
    'scalars': 'what math and sums of Python give',
    'arrays': 'what functions of NumPy and SciPy give',
    'matrices': 'what BLAS and LAPACK give',
}


def digest(*arrays):
    """Return a text that differs wherever one bit of some arrays of numbers does."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array, dtype=float).tobytes())
    return found.hexdigest()[:32]


def canary():
    """Return {name: text} of all that bits depend on besides our own code."""
    return {
        'machine': platform.machine(),
        'numpy': np.__version__,
        'scipy': scipy.__version__,
        'numba': numba.__version__ + (' with SVML' if numba.config.USING_SVML else ''),
        'scalars': digest([_scalars(u) for u in SPREAD], [sum(SPREAD), math.fsum(SPREAD)]),
        'arrays': digest(*_arrays(np.array(SPREAD))),
        'matrices': digest(*_matrices(np.array(SPREAD[:396]).reshape(-1, 3, 3))),
    }


def differences(stored, here=None):
    """Say in what a stored canary differs from `here`, that of this machine; '' in nothing."""
    here = here or canary()
    return '; '.join(
        f'{what} ({stored.get(name)} there, {here[name]} here)'
        for name, what in WHAT.items()
        if stored.get(name) != here[name]
    )


def bits_here(stored):
    """Return the {case: bits} that this machine should give, of what bits.json holds.

    NumPy computes arrays with vectors of 512 bits where the processor has them, and rounds a few
    functions otherwise then. `elsewhere` has the cases that differ, for each other 'arrays'.
    Raises LookupError with a reason where nobody knows.
    """
    here = canary()
    other = stored['elsewhere'].get(here['arrays'])
    known = stored['canary'] | ({} if other is None else {'arrays': here['arrays']})
    if differs := differences(known, here):
        raise LookupError(f'it is of a machine that differs in {differs}')
    return stored['cases'] | (other or {})


def _scalars(u):
    angle = 20.0 * u - 10.0
    return (
        math.sin(angle), math.cos(angle), math.tan(angle), math.exp(angle), math.log(u),
        math.asin(u), math.acos(u), math.atan2(angle, u), math.pow(u, angle), u**1.7,
        math.sinh(u), math.cosh(u), math.tanh(angle), math.log1p(u), math.expm1(u),
        math.hypot(angle, u, 1.0), math.sqrt(u),
    )  # fmt: skip


def _arrays(u):
    angles = 20.0 * u - 10.0
    return (
        np.sin(angles), np.cos(angles), np.tan(angles), np.exp(angles), np.log(u), np.arccos(u),
        np.arctan2(angles, u), np.power(u, angles), np.sum(u), np.cross(angles[:3], u[:3]),
        np.linalg.norm(angles), np.cbrt(u), special.ndtri(u), special.ndtr(angles),
    )  # fmt: skip


def _matrices(matrices):
    for matrix in matrices:
        symmetric = matrix + matrix.T + 3.0 * np.eye(3)
        yield from np.linalg.eigh(symmetric)
        yield np.linalg.inv(symmetric)
        yield np.linalg.solve(symmetric, matrix[0])
        yield np.linalg.det(matrix)
        yield matrix @ symmetric
        yield matrix @ matrix[0]
        yield matrix[0] @ matrix[1]
