# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of three floats as Fours, with the bits of vectors.py and rotations.py.

The fourth number of a vector is any number, and no other depends on it. A matrix is three Fours,
its columns or its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spacecraft_attitude_sim.kernels.fours import Four, floats_of, four_of, repeated
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Floats

Matrix: TypeAlias = 'tuple[Four, Four, Four]'


@helper
def vector_four(v: Floats) -> Four:
    """Return a vector of three floats as a Four."""
    return four_of(v[0], v[1], v[2], 0.0)


@helper
def three_of(v: Four) -> Floats:
    """Return the three floats of a vector."""
    x, y, z, _ = floats_of(v)
    return x, y, z


@helper
def cross_four(a: Four, b: Four) -> Four:
    """Return a × b."""
    a0, a1, a2, a3 = floats_of(a)
    b0, b1, b2, b3 = floats_of(b)
    # z, x, y: so there is one vector less to be put in another order.
    z, x, y, w = floats_of(a * four_of(b1, b2, b0, b3) - four_of(a1, a2, a0, a3) * b)
    return four_of(x, y, z, w)


@helper
def dot_four(a: Four, b: Four) -> float:
    """Return a·b."""
    x, y, z, _ = floats_of(a * b)
    return x + y + z


@helper
def times_four(columns: Matrix, v: Floats) -> Four:
    """Return a matrix, by its columns, times a vector of three floats."""
    return columns[0] * v[0] + columns[1] * v[1] + columns[2] * v[2]


@helper
def symmetric_columns(S: Floats) -> Matrix:
    """Return the columns of a symmetric matrix of six floats."""
    return (
        four_of(S[0], S[3], S[4], 0.0), four_of(S[3], S[1], S[5], 0.0),
        four_of(S[4], S[5], S[2], 0.0),
    )  # fmt: skip


@helper
def turn_fours(q: Four) -> tuple[float, Matrix, Matrix]:
    """Return 1/|q|², and the columns and the rows of rotations.quaternion_turn."""
    q0, q1, q2, q3 = floats_of(q)
    s0, s1, s2, s3 = floats_of(q * q)
    diagonal = repeated(s0) + four_of(s1, -s1, -s1, s1)
    diagonal = diagonal + four_of(-s2, s2, -s2, s2) + four_of(-s3, -s3, s3, s3)
    d0, d1, d2, d3 = floats_of(diagonal)
    a = four_of(q1, q2, q1, q0) * four_of(q2, q3, q3, q0)
    b = repeated(q0) * four_of(q3, q1, q2, q0)
    c01, c12, c20, _ = floats_of((a - b) * 2.0)
    c10, c21, c02, _ = floats_of((a + b) * 2.0)
    columns = four_of(d0, c10, c20, d3), four_of(c01, d1, c21, d3), four_of(c02, c12, d2, d3)
    rows = four_of(d0, c01, c02, d3), four_of(c10, d1, c12, d3), four_of(c20, c21, d2, d3)
    return 1.0 / (s0 + s1 + s2 + s3), columns, rows


@helper
def quaternion_rate_four(q: Four, omega: Four) -> Four:
    """Return dq/dt = ½ q ∘ ω; see rotations.quaternion_rate."""
    q0, q1, q2, q3 = floats_of(q)
    x, y, z, _ = floats_of(omega)
    a = four_of(-q1, q0, q0, q0) * four_of(x, x, y, z)
    b = four_of(-q2, q2, q3, q1) * four_of(y, z, x, y)
    return (a + b - four_of(q3, q3, q1, q2) * four_of(z, y, z, x)) * 0.5
