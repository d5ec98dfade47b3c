# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of a spacecraft in orbit at one instant, as a flat array.

World has the axes of the GCRF, and its origin is the freely falling point of the reference orbit.
All quantities are at that point: fields change over kilometres.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# position_W, velocity_W: of world's origin from the Earth's centre [m, m/s], world axes
# magnetic_field_W: [T];  to_sun_W, to_moon_W: unit vectors
# irradiance: of the Sun here, 0 in the umbra [W/m^2];  lit: visible part of its disc, 0 to 1
# density: of the air [kg/m^3];  wind_W: velocity of the air minus velocity_W [m/s]
# q_WE: turns axes of `earth` (ITRF) to world
AROUND = Layout(
    position_W=3, velocity_W=3, magnetic_field_W=3, to_sun_W=3, irradiance=1, lit=1,
    to_moon_W=3, density=1, wind_W=3, q_WE=4,
)  # fmt: skip
LIT = AROUND.at('lit')


def eclipse(around: Array) -> str:
    """Return sunlight, penumbra or umbra; around: (25,) of AROUND."""
    if around[LIT] <= 0.0:
        return 'umbra'
    return 'sunlight' if around[LIT] >= 1.0 else 'penumbra'
