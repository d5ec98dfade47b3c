# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Axes by name, and a rotation that turns axes to axes in words."""

from __future__ import annotations

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Matrix3

AXES = {
    f'{sign}{letter}': (1.0 if sign != '-' else -1.0) * np.eye(3)[k]
    for sign in ('', '+', '-')
    for k, letter in enumerate('xyz')
}


def in_words(matrix: Matrix3) -> str:
    """Return a rotation as 'x along y, y along -x, z along z'; '' where axes are not aligned.

    matrix: (3, 3) of the rotation
    """
    whole = np.round(matrix)
    if not np.allclose(matrix, whole, rtol=0.0, atol=1e-6):
        return ''
    names = {tuple(vector): name for name, vector in AXES.items() if not name.startswith('+')}
    return ', '.join(
        f'{letter} along {names[tuple(whole[:, k] + 0.0)]}' for k, letter in enumerate('xyz')
    )
