# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of three floats as tuples, for the compiled loops: nothing is allocated."""

import math

from spacecraft_attitude_sim.kernels.kernel import inlined


@inlined
def cross(a, b):
    """Return a × b of vectors of three floats."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def dot(a, b):
    """Return a·b of two vectors of three floats."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def norm(a):
    """Return |a| of a vector of three floats."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inlined
def combined(a, e1, b, e2, c, e3):
    """Return a e1 + b e2 + c e3 of vectors of three floats."""
    return (
        a * e1[0] + b * e2[0] + c * e3[0],
        a * e1[1] + b * e2[1] + c * e3[1],
        a * e1[2] + b * e2[2] + c * e3[2],
    )


@inlined
def moved_vector(a, h, k):
    """Return a + h k of vectors of three floats."""
    return (a[0] + h * k[0], a[1] + h * k[1], a[2] + h * k[2])


@inlined
def three_at(flat, k):
    """Return three floats of a flat array from place k on."""
    return (flat[k], flat[k + 1], flat[k + 2])


@inlined
def four_at(flat, k):
    """Return four floats of a flat array from place k on."""
    return (flat[k], flat[k + 1], flat[k + 2], flat[k + 3])


@inlined
def nine_at(flat, k):
    """Return nine floats of a flat array from place k on."""
    return (
        flat[k], flat[k + 1], flat[k + 2], flat[k + 3], flat[k + 4], flat[k + 5], flat[k + 6],
        flat[k + 7], flat[k + 8],
    )  # fmt: skip
