# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Constants of the Earth and the Sun, and the height of a point above the ellipsoid.

Axes E are those of `earth`, the ITRF: fixed to the ground, z to the north pole, x to longitude
0; polar motion (0.5 arcsec) is neglected.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Floats

GRAVITATIONAL_PARAMETER = EARTH
# WGS 84: equatorial radius [m], flattening; EGM96: the second zonal harmonic.
RADIUS = 6378137.0
FLATTENING = 1.0 / 298.257223563
J2 = 1.0826266835e-3
# d ERA / d UT1 of IERS Conventions 2010 [rad/s].
ROTATION_RATE = math.tau * 1.00273781191135448 / 86400.0
# IAU 2012 and 2015 [m], and the total irradiance of the Sun at that distance [W/m^2].
ASTRONOMICAL_UNIT = 149597870700.0
SUN_RADIUS = 6.957e8
SOLAR_CONSTANT = 1361.0
# Magnetic dipole of the Earth, r³|B| at the equator [T m^3].
DIPOLE_MOMENT = 7.69e15

ECCENTRICITY_SQUARED = FLATTENING * (2.0 - FLATTENING)
POLAR_RADIUS = RADIUS * (1.0 - FLATTENING)
SECOND_ECCENTRICITY_SQUARED = ECCENTRICITY_SQUARED / (1.0 - ECCENTRICITY_SQUARED)


@helper
def geodetic(x: float, y: float, z: float) -> Floats:
    """Return altitude above the ellipsoid [m], geodetic latitude and longitude [rad].

    B. R. Bowring, Survey Review 28 (1985) 202, applied twice; x, y, z: axes of the Earth [m],
    farther than a tenth of its radius from its centre
    """
    across = math.sqrt(x * x + y * y)
    sine, cosine = (1.0 - FLATTENING) * z, across
    for _ in range(3):
        size = math.sqrt(sine * sine + cosine * cosine)
        s, c = sine / size, cosine / size  # of the reduced latitude
        up = z + SECOND_ECCENTRICITY_SQUARED * POLAR_RADIUS * s * s * s
        out = across - ECCENTRICITY_SQUARED * RADIUS * c * c * c
        sine, cosine = (1.0 - FLATTENING) * up, out
    latitude = math.atan2(up, out)
    s, c = math.sin(latitude), math.cos(latitude)
    root = math.sqrt(1.0 - ECCENTRICITY_SQUARED * s * s)
    return across * c + z * s - RADIUS * root, latitude, math.atan2(y, x)
