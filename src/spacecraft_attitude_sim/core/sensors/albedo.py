# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sunlight that the Earth reflects onto a small plate, in closed form."""

import math

from spacecraft_attitude_sim.core.environment.wgs84 import SEMI_MAJOR_AXIS
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm
from spacecraft_attitude_sim.kernels.kernel import helper


@helper
def albedo_irradiance(
    position_W: Floats, to_sun_W: Floats, irradiance: float, albedo: float, normal_W: Floats
) -> float:
    """Return the irradiance of a plate by the Earth's albedo [W/m^2].

    The Earth is a sphere that reflects evenly, everywhere as much as at the point below the
    spacecraft, and as a Lambertian surface. Neglected: the change of illumination over the visible
    ground.

    position_W: from the Earth's centre [m];  to_sun_W, normal_W: unit vectors, three floats each
    irradiance: of the Sun outside of shadow [W/m^2];  albedo: reflected part of light, 0 to 1
    """
    distance = norm(position_W)
    sunlit = max(dot(position_W, to_sun_W) / distance, 0.0)
    facing = -dot(position_W, normal_W) / distance
    return albedo * irradiance * sunlit * view_factor(distance / SEMI_MAJOR_AXIS, facing)


@helper
def view_factor(distance: float, facing: float) -> float:
    """Return the view factor of a small plate to an evenly bright sphere.

    J. R. Howell, A Catalog of Radiation Heat Transfer Configuration Factors, small plate to
    sphere: checked against a sum over the sphere's disc.

    distance: to the sphere's centre, in radii;  facing: cosine between plate's normal and centre
    """
    inverse = 1.0 / (distance * distance)
    root = math.sqrt(max(distance * distance - 1.0, 0.0))
    if facing * distance >= 1.0:
        return facing * inverse
    if facing * distance <= -1.0:
        return 0.0
    sine = math.sqrt(1.0 - facing * facing)
    below = math.acos(min(max(-root * facing / sine, -1.0), 1.0))
    rest = root * math.sqrt(1.0 - distance * distance * facing * facing)
    limb = math.asin(min(root / (distance * sine), 1.0))
    return 0.5 - limb / math.pi + (facing * below - rest) * inverse / math.pi
