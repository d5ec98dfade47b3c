# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of numbers from a user: unit vectors, positive and non-negative sizes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import norm

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Vector3, VectorLike

# Largest difference from 1 of a given axis' norm: allows numbers rounded to three digits.
AXIS_TOLERANCE = 1e-3


def unit_axis(name: str, axis: VectorLike) -> Vector3:
    """Return a unit vector (3,); ValueError naming it where its norm is not 1 to three digits."""
    found = np.array(axis, dtype=float)
    size = norm(found)
    if not abs(size - 1.0) <= AXIS_TOLERANCE:
        raise ValueError(f'{name} is {found.tolist()} of length {size:g}; give a unit vector')
    return found / size


def check_sizes(owner: Any, positive: dict[str, str], other: dict[str, str]) -> None:
    """Raise ValueError unless the first fields are positive and the others not negative.

    positive, other: {field: unit}
    """
    for name, unit in (positive | other).items():
        value = getattr(owner, name)
        good = value > 0.0 if name in positive else value >= 0.0
        if not good or math.isnan(value):
            least = 'positive' if name in positive else 'zero or positive'
            raise ValueError(f'{name} is {value:g} {unit}; it must be {least}'.replace(' ;', ';'))
