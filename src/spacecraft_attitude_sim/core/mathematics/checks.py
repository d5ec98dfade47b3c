# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of numbers that a user gives: unit vectors, and sizes that are not negative."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import norm

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Vector3, VectorLike

# How far the norm of a given axis may be from 1: rounded to three digits.
AXIS_TOLERANCE = 1e-3


def unit_axis(name: str, axis: VectorLike) -> Vector3:
    """Return a unit vector (3,); ValueError naming it where it is none, to three digits."""
    found = np.array(axis, dtype=float)
    size = norm(found)
    if not abs(size - 1.0) <= AXIS_TOLERANCE:
        raise ValueError(f'{name} is {found.tolist()} of length {size:g}; give a unit vector')
    return found / size


def check_sizes(owner: Any, positive: dict[str, str], other: dict[str, str]) -> None:
    """Raise ValueError unless fields are positive, and others not negative; {field: unit}."""
    for name, unit in (positive | other).items():
        value = getattr(owner, name)
        good = value > 0.0 if name in positive else value >= 0.0
        if not good or math.isnan(value):
            least = 'positive' if name in positive else 'zero or positive'
            raise ValueError(f'{name} is {value:g} {unit}; it must be {least}'.replace(' ;', ';'))
