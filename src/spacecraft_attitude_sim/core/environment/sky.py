# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What acts from around a spacecraft through one tick, as the compiled step is given it.

In a circular orbit given by its rate the planet's direction is exact at every instant. In any
other, positions, field and air go by parabolas in time through the begin, middle and end of a
tick, which differ from the orbit's own by (n h)³/125 of the radius: 1e-11 of it at a tick of a
second. Sunlight is that of the tick's middle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.gravity_gradient import (
    GRAVITY_GRADIENT,
    flat_gradient,
    six_of,
)
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

# The gravity gradient of a circular orbit, its inertia that of any. Of other orbits: μ [m^3/s^2],
# 0 without; when the parabolas begin [s]; position [m], field [T], velocity of the air less that
# of the orbit [m/s] and its density [kg/m^3], each at the beginning, and by s and s²; direction to
# the Sun, and the pressure of its light [N/m^2].
SKY = Layout(
    gradient=GRAVITY_GRADIENT.size, parameter=1, begin=1, position_W=9, field_W=9, wind_W=9,
    density=3, to_sun_W=3, pressure=1,
)  # fmt: skip
RATE, INERTIA = GRAVITY_GRADIENT.places('rate', 'inertia_P')
PARAMETER, BEGIN, PLACE, FIELD, WIND, DENSITY, TO_SUN, PRESSURE = SKY.places(
    'parameter', 'begin', 'position_W', 'field_W', 'wind_W', 'density', 'to_sun_W', 'pressure'
)
POSITION_W, FIELD_W, WIND_W, AIR = AROUND.places(
    'position_W', 'magnetic_field_W', 'wind_W', 'density'
)
SUN_W, IRRADIANCE = AROUND.places('to_sun_W', 'irradiance')
SPEED_OF_LIGHT = 299792458.0  # [m/s]


@helper
def fill(sky: Array, begin: float, step: float, first: Array, middle: Array, last: Array) -> None:
    """Draw the parabolas of a tick; first, middle, last: (25,) of AROUND."""
    sky[BEGIN] = begin
    a, b = 1.0 / step, 2.0 / (step * step)
    for k in range(3):
        for place, of in ((PLACE, POSITION_W), (FIELD, FIELD_W), (WIND, WIND_W)):
            x, y, z = first[of + k], middle[of + k], last[of + k]
            sky[place + k] = x
            sky[place + 3 + k] = a * (4.0 * (y - x) - (z - x))
            sky[place + 6 + k] = b * ((z - y) - (y - x))
        sky[TO_SUN + k] = middle[SUN_W + k]
    x, y, z = first[AIR], middle[AIR], last[AIR]
    sky[DENSITY] = x
    sky[DENSITY + 1] = a * (4.0 * (y - x) - (z - x))
    sky[DENSITY + 2] = b * ((z - y) - (y - x))
    sky[PRESSURE] = middle[IRRADIANCE] / SPEED_OF_LIGHT


def constant_sky(
    inertia: Array, orbit: CircularOrbit | None, field_W: Vector3, parameter: float
) -> Array:
    """Return (50,) of SKY, what of it stays through a run.

    inertia: (3, 3) of everything, body axes [kg m^2];  orbit: None for none or another kind
    field_W: (3,) where it is uniform [T];  parameter: μ of another kind of orbit [m^3/s^2], or 0
    """
    sky = np.zeros(SKY.size)
    sky[SKY.of('gradient')] = flat_gradient(orbit, inertia, np.array(IDENTITY))
    sky[INERTIA : INERTIA + 6] = six_of(inertia)
    sky[FIELD : FIELD + 3] = field_W
    sky[PARAMETER] = parameter
    return sky
