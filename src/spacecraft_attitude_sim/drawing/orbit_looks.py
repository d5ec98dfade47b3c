# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Where arrows beside a body in orbit about the Earth point: to the Sun, along the field, down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.surroundings import AROUND, LIT
from spacecraft_attitude_sim.drawing import colors

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# {name: (label, colour)}; in the night the Sun's has that of NIGHT.
ARROWS = {
    'sun': ('Sun', colors.SUNLIGHT),
    'magnetic_field': ('B', colors.FIELD),
    'nadir': ('nadir', colors.EARTH),
}
NIGHT = colors.ECLIPSE
# In reaches of the body.
LENGTH, WIDTH = 1.45, 0.025


def directions_W(now: Array) -> Array:
    """Return unit vectors (3, 3) in world, one for each of ARROWS; 0 for no field at all.

    now: (25,) of core.environment.surroundings.AROUND
    """
    field_W, place_W = now[AROUND.of('magnetic_field_W')], now[AROUND.of('position_W')]
    size = np.linalg.norm(field_W) or 1.0
    return np.stack(
        (now[AROUND.of('to_sun_W')], field_W / size, -place_W / np.linalg.norm(place_W))
    )


def night(now: Array) -> bool:
    """Return whether the Earth hides all of the Sun; now: as above."""
    return bool(now[LIT] <= 0.0)
