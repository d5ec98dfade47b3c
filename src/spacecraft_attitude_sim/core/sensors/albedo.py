# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sunlight that the Earth sends back onto a small plate, in closed form."""

import math

from spacecraft_attitude_sim.core.environment.wgs84 import SEMI_MAJOR_AXIS
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm
from spacecraft_attitude_sim.kernels.kernel import helper


@helper
def albedo_irradiance(
    position_W: Floats, to_sun_W: Floats, irradiance: float, albedo: float, normal_W: Floats
) -> float:
    """Return what a plate gets of the Earth's albedo [W/m^2].

    A sphere that sends back its part of the light as below the spacecraft, all alike in every
    direction. Neglected: that the ground's share of light changes over what is in view.

    position_W: from the Earth's centre [m];  to_sun_W, normal_W: unit vectors, three floats each
    irradiance: of the Sun outside of shadow [W/m^2];  albedo: part of light sent back, 0 to 1
    """
    distance = norm(position_W)
    sunlit = max(dot(position_W, to_sun_W) / distance, 0.0)
    facing = -dot(position_W, normal_W) / distance
    return albedo * irradiance * sunlit * view_factor(distance / SEMI_MAJOR_AXIS, facing)


@helper
def view_factor(distance: float, facing: float) -> float:
    """Return the part of a plate's half-space light that comes from a sphere that shines alike.

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
