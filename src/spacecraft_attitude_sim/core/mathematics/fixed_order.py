# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra with sums in a fixed order: the same bits on every processor.

NumPy's @, dot and linalg call BLAS and LAPACK, whose order of sums and fused products depend on
the processor. Everything that enters a step, or that a recording is compared with, is computed
here instead, except where the recording stores it: test/test_blas_kernels.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics import vectors

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike

# Off-diagonal elements below this part of the diagonal change no eigenvalue by a bit.
# Most sweeps: the elements shrink quadratically, and seven sweeps are enough for 30 rows.
NOTHING = 1e-30
# A matrix with so many rows is multiplied with a vector faster in Python than by NumPy.
FEW_ROWS = 8
SWEEPS = 30


def product(a: VectorLike, b: VectorLike) -> Any:
    """Return a b of arrays (..., k) and (k, ...), as NumPy's @ of one or two dimensions each.

    Two vectors give a NumPy float.
    """
    one, other = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if one.ndim == other.ndim == 1:  # the usual case: the same sum in a third of the time
        return np.float64(_sum_of_products(one.tolist(), other.tolist()))
    if one.ndim == 2 and other.ndim == 1 and len(one) <= FEW_ROWS:
        column = other.tolist()
        return np.array([_sum_of_products(row, column) for row in one.tolist()])
    if one.ndim == 1 and other.ndim == 2 and other.shape[1] <= FEW_ROWS:
        row = one.tolist()
        return np.array([_sum_of_products(row, column) for column in other.T.tolist()])
    total: Array = np.zeros(one.shape[:-1] + other.shape[1:])
    for k in range(len(other)):
        total = total + np.multiply.outer(one[..., k], other[k])
    return total[()]


def _sum_of_products(a: list[float], b: list[float]) -> float:
    scalar = 0.0
    for x, y in zip(a, b, strict=True):
        scalar += x * y
    return scalar


def cross(a: VectorLike, b: VectorLike) -> Array:
    """Return a × b of two vectors (3,): the bits of np.cross in a fraction of its time."""
    return np.array(vectors.cross(_three(a), _three(b)))


def _three(vector: VectorLike) -> tuple[float, float, float]:
    x, y, z = np.asarray(vector, dtype=float).tolist()
    return x, y, z


def norm(vector: VectorLike) -> float:
    """Return the length of a vector (k,)."""
    return math.sqrt(product(vector, vector))


def turned(turn: Array, matrix: Array) -> Array:
    """Return C M C^T of matrices (3, 3): M in the axes to which C turns."""
    whole: Array = product(product(turn, matrix), np.transpose(turn))
    return whole


def solved(matrix: Array, right: Array) -> Array:
    """Return A^-1 B of a positive definite matrix (k, k) and B (k, n), by Cholesky's L."""
    root = cholesky(matrix)
    return _solved_above(root.T, solved_below(root, right))


def cholesky(matrix: Array) -> Array:
    """Return the lower L (k, k) of a positive definite matrix A = L L^T.

    Raises ValueError where it is not positive definite.
    """
    root = np.zeros(np.shape(matrix))
    for i in range(len(root)):
        for j in range(i + 1):
            left = float(matrix[i, j] - product(root[i, :j], root[j, :j]))
            if i > j:
                root[i, j] = left / root[j, j]
            elif left > 0.0:
                root[i, i] = math.sqrt(left)
            else:
                raise ValueError('matrix is not positive definite')
    return root


def solved_below(root: Array, right: Array) -> Array:
    """Return L^-1 B of a lower triangle (k, k) and B (k, n)."""
    found = np.zeros(np.shape(right))
    for i in range(len(root)):
        found[i] = (right[i] - product(root[i, :i], found[:i])) / root[i, i]
    return found


def _solved_above(root: Array, right: Array) -> Array:
    """Return U^-1 B of an upper triangle (k, k) and B (k, n)."""
    found = np.zeros(np.shape(right))
    for i in reversed(range(len(root))):
        found[i] = (right[i] - product(root[i, i + 1 :], found[i + 1 :])) / root[i, i]
    return found


def eigenvalues(matrix: Array) -> Array:
    """Return the eigenvalues (k,) of a symmetric matrix (k, k), rising; by Jacobi's rotations.

    G. H. Golub and C. F. van Loan, Matrix Computations, section 8.5 (cyclic by rows).
    """
    found = np.array(matrix, dtype=float)
    for _ in range(SWEEPS):
        largest = np.max(np.abs(np.diag(found)), initial=0.0)
        off = np.abs(found - np.diag(np.diag(found)))
        if not np.max(off, initial=0.0) > NOTHING * largest:
            break
        for p in range(len(found) - 1):
            for q in range(p + 1, len(found)):
                if found[p, q] != 0.0:
                    _annihilate(found, p, q)
    return np.sort(np.diag(found))


def _annihilate(matrix: Array, p: int, q: int) -> None:
    """Turn a symmetric matrix in place so that its element (p, q) is 0."""
    apart = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
    tangent = math.copysign(1.0, apart) / (abs(apart) + math.hypot(1.0, apart))
    cosine = 1.0 / math.hypot(1.0, tangent)
    sine = tangent * cosine
    for rows in (matrix, matrix.T):  # a view: writing to it changes the matrix
        one, other = rows[p].copy(), rows[q].copy()
        rows[p] = cosine * one - sine * other
        rows[q] = sine * one + cosine * other
    matrix[p, q] = matrix[q, p] = 0.0
