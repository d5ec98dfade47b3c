# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Positions of Sun and Moon by the short series of the Astronomical Almanac, and eclipses.

The series ("Low-precision formulas", sections C and D of the Almanac) give apparent places in the
mean equator and equinox of date; the precession of the epoch turns them to world. Sun: 0.012 deg
between 2000 and 2050, its distance 1.3e-4; Moon: 0.37 deg, 0.35 % of its distance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.earth import ASTRONOMICAL_UNIT, RADIUS, SUN_RADIUS
from spacecraft_attitude_sim.core.mathematics.vectors import cross, dot, norm, subtracted
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Floats

DEGREE = math.pi / 180.0


@helper
def _equatorial(longitude: float, latitude: float, distance: float, days: float) -> Floats:
    """Return a position in the mean equator of date from ecliptic coordinates [as distance]."""
    obliquity = DEGREE * (23.439 - 4e-7 * days)
    x = math.cos(latitude) * math.cos(longitude)
    y = math.cos(latitude) * math.sin(longitude)
    z = math.sin(latitude)
    c, s = math.cos(obliquity), math.sin(obliquity)
    return distance * x, distance * (c * y - s * z), distance * (s * y + c * z)


@helper
def sun_of_date(days: float) -> Floats:
    """Return the Sun from the Earth's centre [m], mean equator and equinox of date.

    days: of terrestrial time from J2000.0
    """
    anomaly = DEGREE * (357.528 + 0.9856003 * days)
    mean = 280.460 + 0.9856474 * days
    longitude = mean + 1.915 * math.sin(anomaly) + 0.020 * math.sin(2.0 * anomaly)
    distance = 1.00014 - 0.01671 * math.cos(anomaly) - 0.00014 * math.cos(2.0 * anomaly)
    return _equatorial(DEGREE * longitude, 0.0, ASTRONOMICAL_UNIT * distance, days)


@helper
def moon_of_date(days: float) -> Floats:
    """Return the Moon from the Earth's centre [m], mean equator and equinox of date.

    days: of terrestrial time from J2000.0
    """
    T, d = days / 36525.0, DEGREE
    anomaly = d * (134.9 + 477198.85 * T)
    evection = d * (259.2 - 413335.38 * T)
    variation = d * (235.7 + 890534.23 * T)
    second = d * (269.9 + 954397.70 * T)
    longitude = (
        218.32 + 481267.883 * T + 6.29 * math.sin(anomaly) - 1.27 * math.sin(evection)
        + 0.66 * math.sin(variation) + 0.21 * math.sin(second)
        - 0.19 * math.sin(d * (357.5 + 35999.05 * T))
        - 0.11 * math.sin(d * (186.6 + 966404.05 * T))
    )  # fmt: skip
    latitude = (
        5.13 * math.sin(d * (93.3 + 483202.03 * T)) + 0.28 * math.sin(d * (228.2 + 960400.87 * T))
        - 0.28 * math.sin(d * (318.3 + 6003.18 * T))
        - 0.17 * math.sin(d * (217.6 - 407332.20 * T))
    )  # fmt: skip
    parallax = (
        0.9508 + 0.0518 * math.cos(anomaly) + 0.0095 * math.cos(evection)
        + 0.0078 * math.cos(variation) + 0.0028 * math.cos(second)
    )  # fmt: skip
    return _equatorial(d * longitude, d * latitude, RADIUS / math.sin(d * parallax), days)


@helper
def lit_part(position: Floats, sun: Floats) -> float:
    """Return the visible part of the Sun's disc, 0 in the umbra to 1.

    Two overlapping discs, as in Montenbruck and Gill, Satellite Orbits, 2000, section 3.4.2; the
    Earth is a sphere of its equatorial radius, without refraction.

    position, sun: three floats each from the Earth's centre [m], the first outside of it
    """
    to_sun = subtracted(sun, position)
    away = norm(position)
    a = math.asin(SUN_RADIUS / norm(to_sun))
    b = math.asin(min(1.0, RADIUS / away))
    # Angle between the directions to the two centres.
    c = math.atan2(norm(cross(to_sun, position)), -dot(to_sun, position))
    if c >= a + b:
        return 1.0
    if c <= b - a:
        return 0.0
    if c <= a - b:
        return 1.0 - (b * b) / (a * a)
    first = math.acos(max(-1.0, min(1.0, (c * c + a * a - b * b) / (2.0 * c * a))))
    second = math.acos(max(-1.0, min(1.0, (c * c + b * b - a * a) / (2.0 * c * b))))
    root = math.sqrt(max(0.0, (a + b - c) * (c + a - b) * (c - a + b) * (a + b + c)))
    covered = a * a * first + b * b * second - 0.5 * root
    return max(0.0, min(1.0, 1.0 - covered / (math.pi * a * a)))
