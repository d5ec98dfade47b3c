# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Directions of the arrows next to a body in an Earth orbit: Sun, magnetic field, nadir."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.surroundings import AROUND, LIT
from spacecraft_attitude_sim.drawing import colors

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# {name: (label, colour)}; in an eclipse the Sun's arrow has the colour NIGHT.
ARROWS = {
    'sun': ('Sun', colors.SUNLIGHT),
    'magnetic_field': ('B', colors.FIELD),
    'nadir': ('nadir', colors.EARTH),
}
NIGHT = colors.ECLIPSE
# Lengths in reaches of the body.
LENGTH, WIDTH = 1.45, 0.025


def directions_W(now: Array) -> Array:
    """Return unit vectors (3, 3) in world axes, one for each of ARROWS; zeros without a field.

    now: (25,) of core.environment.surroundings.AROUND
    """
    field_W, place_W = now[AROUND.of('magnetic_field_W')], now[AROUND.of('position_W')]
    size = np.linalg.norm(field_W) or 1.0
    return np.stack(
        (now[AROUND.of('to_sun_W')], field_W / size, -place_W / np.linalg.norm(place_W))
    )


def night(now: Array) -> bool:
    """Return whether the Earth hides the whole Sun; now: as in directions_W."""
    return bool(now[LIT] <= 0.0)
