# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Loads of the environment on a spacecraft, evaluated in every stage of a step.

The origin of the world is the freely falling point of the orbit. A body away from it feels the
tidal force m μ/r³ (3 r̂ (r̂·x) - x): outward along the vertical, inward across it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.gravity_gradient import gradient_potential
from spacecraft_attitude_sim.core.environment.sky import (
    BEGIN,
    DENSITY,
    FIELD,
    INERTIA,
    PARAMETER,
    PLACE,
    RATE,
    WIND,
)
from spacecraft_attitude_sim.core.equations.loaded import radial_at
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.vectors import (
    dot,
    moved_vector,
    norm,
    scaled,
    six_at,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# Indices in the result of `surrounded`, after the direction from the planet: μ/r³ [1/s^2], field
# [T], wind [m/s], density [kg/m^3], rate of change of the field [T/s].
PULL, FIELD_NOW, WIND_NOW, DENSITY_NOW, FIELD_RATE_NOW = 3, 4, 7, 10, 11


@helper
def _at(sky: Array, k: int, apart: int, s: float) -> float:
    """Return a quartic at s; its coefficients begin at sky[k], `apart` floats from each other."""
    high = sky[k + 3 * apart] + s * sky[k + 4 * apart]
    return sky[k] + s * (sky[k + apart] + s * (sky[k + 2 * apart] + s * high))


@helper
def _rate(sky: Array, k: int, s: float) -> float:
    """Return the derivative of a quartic by s; its coefficients are 3 floats apart."""
    high = 3.0 * sky[k + 9] + s * (4.0 * sky[k + 12])
    return sky[k + 3] + s * (2.0 * sky[k + 6] + s * high)


@helper
def _by_then(sky: Array, k: int, s: float) -> Floats:
    """Return the vector of three quartics at s, three floats; the first one begins at sky[k]."""
    return _at(sky, k, 3, s), _at(sky, k + 1, 3, s), _at(sky, k + 2, 3, s)


@helper
def _rate_by_then(sky: Array, k: int, s: float) -> Floats:
    """Return the derivative by s of a vector of three quartics, three floats."""
    return _rate(sky, k, s), _rate(sky, k + 1, s), _rate(sky, k + 2, s)


@helper
def surrounded(sky: Array, time: float) -> Floats:
    """Return the environment at a time [s], fourteen floats; indices PULL, FIELD_NOW and so on.

    The unit vector from the planet; μ/r³ [1/s^2]; field [T]; wind [m/s]; density [kg/m^3]; rate of
    change of the field [T/s]. Vectors are in world axes.
    """
    if sky[PARAMETER] == 0.0:
        r, rate = radial_at(sky, time), sky[RATE]
        f = three_at(sky, FIELD)
        return (
            r[0], r[1], r[2], rate * rate, f[0], f[1], f[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        )  # fmt: skip
    s = time - sky[BEGIN]
    place, f, w = _by_then(sky, PLACE, s), _by_then(sky, FIELD, s), _by_then(sky, WIND, s)
    inverse = 1.0 / norm(place)
    r = scaled(inverse, place)
    pull = sky[PARAMETER] * inverse * inverse * inverse
    density = _at(sky, DENSITY, 1, s)
    g = _rate_by_then(sky, FIELD, s)
    return (
        r[0], r[1], r[2], pull, f[0], f[1], f[2], w[0], w[1], w[2], density, g[0], g[1], g[2]
    )  # fmt: skip


@helper
def tide(here: Floats, mass: float, x: Floats) -> Floats:
    """Return the tidal force on a body at x, three floats [N], world axes; x: three floats [m]."""
    r = three_at(here, 0)
    along = scaled(3.0 * dot(r, x), r)
    return scaled(mass * here[PULL], moved_vector(along, -1.0, x))


@helper
def potential(here: Floats, state: Array, mass: float, sky: Array) -> float:
    """Return EarthGradient.potential of core.environment.outer_loads [J], compiled."""
    up = three_at(here, 0)
    v = quaternion_sandwich(state[3], -state[4], -state[5], -state[6], up[0], up[1], up[2])
    turned = gradient_potential(1.0, six_at(sky, INERTIA), v)
    x = three_at(state, 0)
    along = dot(up, x)
    return 1.5 * here[PULL] * (turned - mass * (3.0 * along * along - dot(x, x)) / 3.0)
