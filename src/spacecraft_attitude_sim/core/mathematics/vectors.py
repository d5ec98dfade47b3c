# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of three floats as tuples, for the compiled loops: without allocation.

A symmetric matrix S is six floats: xx, yy, zz, xy, xz, yz; a matrix C nine, row by row.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats


@helper
def cross(a: Floats, b: Floats) -> Floats:
    """Return a × b of vectors of three floats."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@helper
def dot(a: Floats, b: Floats) -> float:
    """Return a·b of two vectors of three floats."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def norm(a: Floats) -> float:
    """Return |a| of a vector of three floats."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@helper
def combined(a: float, e1: Floats, b: float, e2: Floats, c: float, e3: Floats) -> Floats:
    """Return a e1 + b e2 + c e3 of vectors of three floats."""
    return (
        a * e1[0] + b * e2[0] + c * e3[0],
        a * e1[1] + b * e2[1] + c * e3[1],
        a * e1[2] + b * e2[2] + c * e3[2],
    )


@helper
def moved_vector(a: Floats, h: float, k: Floats) -> Floats:
    """Return a + h k of vectors of three floats."""
    return (a[0] + h * k[0], a[1] + h * k[1], a[2] + h * k[2])


@helper
def added(a: Floats, b: Floats) -> Floats:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@helper
def subtracted(a: Floats, b: Floats) -> Floats:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@helper
def scaled(s: float, a: Floats) -> Floats:
    """Return s a."""
    return (s * a[0], s * a[1], s * a[2])


@helper
def tangential(a: Floats, n: Floats) -> Floats:
    """Return a minus its part along the unit vector n."""
    return moved_vector(a, -dot(a, n), n)


@helper
def turned(C: Floats, v: Floats) -> Floats:
    """Return C v."""
    return (
        C[0] * v[0] + C[1] * v[1] + C[2] * v[2],
        C[3] * v[0] + C[4] * v[1] + C[5] * v[2],
        C[6] * v[0] + C[7] * v[1] + C[8] * v[2],
    )


@helper
def turned_back(C: Floats, v: Floats) -> Floats:
    """Return C^T v."""
    return (
        C[0] * v[0] + C[3] * v[1] + C[6] * v[2],
        C[1] * v[0] + C[4] * v[1] + C[7] * v[2],
        C[2] * v[0] + C[5] * v[1] + C[8] * v[2],
    )


@helper
def symmetric_times(S: Floats, v: Floats) -> Floats:
    """Return S v."""
    return (
        S[0] * v[0] + S[3] * v[1] + S[4] * v[2],
        S[3] * v[0] + S[1] * v[1] + S[5] * v[2],
        S[4] * v[0] + S[5] * v[1] + S[2] * v[2],
    )


@helper
def symmetric_adjugate(S: Floats) -> tuple[Floats, float]:
    """Return the adjugate of a symmetric matrix and 1/det; their product is the inverse."""
    a = S[1] * S[2] - S[5] * S[5]
    b = S[4] * S[5] - S[3] * S[2]
    c = S[3] * S[5] - S[4] * S[1]
    adjugate = (
        a, S[0] * S[2] - S[4] * S[4], S[0] * S[1] - S[3] * S[3],
        b, c, S[3] * S[4] - S[0] * S[5],
    )  # fmt: skip
    return adjugate, 1.0 / (S[0] * a + S[3] * b + S[4] * c)


@helper
def symmetric_solved(S: Floats, v: Floats) -> Floats:
    """Return S^-1 v; S positive definite."""
    adjugate, scale = symmetric_adjugate(S)
    return scaled(scale, symmetric_times(adjugate, v))


@helper
def outer(a: Floats, b: Floats, aa: float, bb: float, ab: float) -> Floats:
    """Return aa a a^T + bb b b^T + ab (a b^T + b a^T)."""
    u = moved_vector(scaled(aa, a), ab, b)
    v = moved_vector(scaled(bb, b), ab, a)
    return (
        u[0] * a[0] + v[0] * b[0], u[1] * a[1] + v[1] * b[1], u[2] * a[2] + v[2] * b[2],
        u[0] * a[1] + v[0] * b[1], u[0] * a[2] + v[0] * b[2], u[1] * a[2] + v[1] * b[2],
    )  # fmt: skip


@helper
def symmetric_added(a: Floats, b: Floats) -> Floats:
    """Return the sum of two symmetric matrices, six floats each."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@helper
def outer_added(S: Floats, s: float, a: Floats) -> Floats:
    """Return a symmetric matrix plus s a a^T, six floats."""
    return (
        S[0] + s * a[0] * a[0], S[1] + s * a[1] * a[1],
        S[2] + s * a[2] * a[2], S[3] + s * a[0] * a[1],
        S[4] + s * a[0] * a[2], S[5] + s * a[1] * a[2],
    )  # fmt: skip


@helper
def product_added(C: Floats, s: float, a: Floats, b: Floats) -> Floats:
    """Return a matrix plus s a b^T, nine floats."""
    x, y, z = s * a[0], s * a[1], s * a[2]
    return (
        C[0] + x * b[0], C[1] + x * b[1], C[2] + x * b[2],
        C[3] + y * b[0], C[4] + y * b[1], C[5] + y * b[2],
        C[6] + z * b[0], C[7] + z * b[1], C[8] + z * b[2],
    )  # fmt: skip


@helper
def symmetric_inverse(S: Floats) -> Floats:
    """Return the inverse of a symmetric matrix, six floats."""
    x = symmetric_solved(S, (1.0, 0.0, 0.0))
    y = symmetric_solved(S, (0.0, 1.0, 0.0))
    z = symmetric_solved(S, (0.0, 0.0, 1.0))
    return (x[0], y[1], z[2], x[1], x[2], y[2])


@helper
def point_inertia_of(mass: float, r: Floats) -> Floats:
    """Return the inertia m (|r|² 1 - r r^T) of a point mass, six floats."""
    return (
        mass * (r[1] * r[1] + r[2] * r[2]), mass * (r[0] * r[0] + r[2] * r[2]),
        mass * (r[0] * r[0] + r[1] * r[1]), -mass * r[0] * r[1], -mass * r[0] * r[2],
        -mass * r[1] * r[2],
    )  # fmt: skip


@helper
def tangents(n: Floats) -> tuple[Floats, Floats]:
    """Return two unit vectors that make a right-handed triad with the unit vector n."""
    sign = math.copysign(1.0, n[2])
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    first = (1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0])
    return first, (b, sign + n[1] * n[1] * a, -n[1])


@helper
def three_at(flat: Array | Floats, k: int) -> Floats:
    """Return three floats of a flat array from index k on."""
    return (flat[k], flat[k + 1], flat[k + 2])


@helper
def three_in_row(rows: Array, k: int, i: int) -> Floats:
    """Return three floats of row k of an array (n, m) from index i on.

    Not three_at(rows[k], i): in Python, as in a warm-up, a memoryview has no rows.
    """
    return (rows[k, i], rows[k, i + 1], rows[k, i + 2])


@helper
def four_at(flat: Array | Floats, k: int) -> Floats:
    """Return four floats of a flat array from index k on."""
    return (flat[k], flat[k + 1], flat[k + 2], flat[k + 3])


@helper
def six_at(flat: Array | Floats, k: int) -> Floats:
    """Return six floats of a flat array from index k on."""
    return (flat[k], flat[k + 1], flat[k + 2], flat[k + 3], flat[k + 4], flat[k + 5])


@helper
def nine_at(flat: Array | Floats, k: int) -> Floats:
    """Return nine floats of a flat array from index k on."""
    return (
        flat[k], flat[k + 1], flat[k + 2], flat[k + 3], flat[k + 4], flat[k + 5], flat[k + 6],
        flat[k + 7], flat[k + 8],
    )  # fmt: skip


@helper
def put(flat: Array, k: int, values: Floats) -> None:
    """Write a tuple of floats to a flat array from index k on."""
    for j in range(len(values)):
        flat[k + j] = values[j]


@helper
def put_three(flat: Array, k: int, values: Floats) -> None:
    """Write three floats to a flat array from index k on."""
    flat[k], flat[k + 1], flat[k + 2] = values[0], values[1], values[2]


@helper
def put_six(flat: Array, k: int, values: Floats, first: int) -> None:
    """Write six of a tuple's floats to a flat array from index k on; first: index of the first.

    `put` becomes a loop with a jump for each float of a tuple as long as this.
    """
    flat[k], flat[k + 1], flat[k + 2] = values[first], values[first + 1], values[first + 2]
    flat[k + 3], flat[k + 4], flat[k + 5] = (
        values[first + 3], values[first + 4], values[first + 5],
    )  # fmt: skip


@helper
def put_nine(flat: Array, k: int, values: Floats) -> None:
    """Write nine floats to a flat array from index k on."""
    put_six(flat, k, values, 0)
    flat[k + 6], flat[k + 7], flat[k + 8] = values[6], values[7], values[8]
