# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Longitude, latitude and height over the ellipsoid WGS 84, in Earth-fixed axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import VectorLike

# Semi-major axis [m] and flattening (NIMA TR8350.2).
SEMI_MAJOR_AXIS, FLATTENING = 6378137.0, 1.0 / 298.257223563
SEMI_MINOR_AXIS = SEMI_MAJOR_AXIS * (1.0 - FLATTENING)
# Square of the eccentricity, and of the second.
ECCENTRICITY_2 = FLATTENING * (2.0 - FLATTENING)
SECOND_2 = ECCENTRICITY_2 / (1.0 - ECCENTRICITY_2)
# Iterations for the latitude; two reach round-off in low orbits, three in any.
ITERATIONS = 4


def geodetic(position_E: VectorLike) -> tuple[float, float, float]:
    """Return latitude, longitude [rad] and height [m] of a point.

    B. R. Bowring, Survey Review 23 (1976) 323, iterated; farther than 50 km from the Earth's
    centre.

    position_E: (3,) from the Earth's centre, Earth-fixed axes [m]
    """
    x, y, z = map(float, position_E)
    across = math.hypot(x, y)
    reduced = math.atan2(z, across * (1.0 - FLATTENING))
    latitude = 0.0
    for _ in range(ITERATIONS):
        latitude = math.atan2(
            z + SECOND_2 * SEMI_MINOR_AXIS * math.sin(reduced) ** 3,
            across - ECCENTRICITY_2 * SEMI_MAJOR_AXIS * math.cos(reduced) ** 3,
        )
        reduced = math.atan2((1.0 - FLATTENING) * math.sin(latitude), math.cos(latitude))
    sine = math.sin(latitude)
    foot = SEMI_MAJOR_AXIS * math.sqrt(1.0 - ECCENTRICITY_2 * sine * sine)
    return latitude, math.atan2(y, x), across * math.cos(latitude) + z * sine - foot


def position(latitude: float, longitude: float, height: float) -> tuple[float, float, float]:
    """Return a point from the Earth's centre [m], Earth-fixed axes; inverse of `geodetic`.

    latitude, longitude: [rad];  height: [m]
    """
    sine, cosine = math.sin(latitude), math.cos(latitude)
    across = SEMI_MAJOR_AXIS / math.sqrt(1.0 - ECCENTRICITY_2 * sine * sine)
    out = (across + height) * cosine
    return (
        out * math.cos(longitude),
        out * math.sin(longitude),
        (across * (1.0 - ECCENTRICITY_2) + height) * sine,
    )
