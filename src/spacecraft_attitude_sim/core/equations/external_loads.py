# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What acts on a spacecraft from outside, in every stage of a step: gravity, air and sunlight.

Plates, each with area A, outward normal n̂ and centre c, where they face what comes:

    sunlight   F = -P A (n̂·ŝ) [(1 - ρ_s) ŝ + 2 (ρ_s n̂·ŝ + ρ_d/3) n̂]
    air        F = -ρ v² A (n̂·v̂) C_d/2 [σ v̂ + (2 (1 - σ) n̂·v̂ + σ v_b/v) n̂]

with ŝ toward the Sun, ρ_s and ρ_d the parts of light that are reflected like by a mirror and
diffusely, v the velocity through the air, σ the accommodation of molecules and v_b the speed at
which they leave (free molecules that are much slower than the spacecraft: Schaaf and Chambré,
Flow of Rarefied Gases, 1961; for light F. L. Markley and J. L. Crassidis, Fundamentals of
Spacecraft Attitude Determination and Control, 2014, section 3.3.6). Neglected: shadows of plates
on each other, and how the body's own turning changes v.

A body that is off the origin of world, the freely falling point of its orbit, is drawn along the
vertical and pushed across it, m μ/r³ (3 r̂ (r̂·x) - x).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.actuators.layouts import PLATE
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
from spacecraft_attitude_sim.core.equations.loaded import inertia_times, radial_at
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    norm,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# What `surrounded` gives after the direction from the planet: μ/r³ [1/s^2], field [T], wind [m/s],
# density [kg/m^3].
PULL, FIELD_NOW, WIND_NOW, DENSITY_NOW = 3, 4, 7, 10
NORMAL, CENTER, AREA, SPECULAR = PLATE.places('normal_B', 'center_B', 'area', 'specular')
DIFFUSE, DRAG, ACCOMMODATION, LEAVING = PLATE.places(
    'diffuse', 'drag_coefficient', 'accommodation', 'leaving_speed'
)
PLATE_ROW = PLATE.size


@helper
def _by_then(sky: Array, k: int, s: float) -> Floats:
    """Return what goes by a parabola, three floats."""
    return (
        sky[k] + s * (sky[k + 3] + s * sky[k + 6]),
        sky[k + 1] + s * (sky[k + 4] + s * sky[k + 7]),
        sky[k + 2] + s * (sky[k + 5] + s * sky[k + 8]),
    )


@helper
def surrounded(sky: Array, time: float) -> Floats:
    """Return what is around at a time, eleven floats: see PULL, FIELD_NOW, WIND_NOW, DENSITY_NOW.

    The unit vector from the planet; μ/r³ [1/s^2]; field [T]; wind [m/s]; density [kg/m^3].
    """
    if sky[PARAMETER] == 0.0:
        r, rate = radial_at(sky, time), sky[RATE]
        f = three_at(sky, FIELD)
        return (r[0], r[1], r[2], rate * rate, f[0], f[1], f[2], 0.0, 0.0, 0.0, 0.0)
    s = time - sky[BEGIN]
    place, f, w = _by_then(sky, PLACE, s), _by_then(sky, FIELD, s), _by_then(sky, WIND, s)
    inverse = 1.0 / dot(place, place) ** 0.5
    r = scaled(inverse, place)
    pull = sky[PARAMETER] * inverse * inverse * inverse
    density = sky[DENSITY] + s * (sky[DENSITY + 1] + s * sky[DENSITY + 2])
    return (r[0], r[1], r[2], pull, f[0], f[1], f[2], w[0], w[1], w[2], density)


@helper
def gravity_gradient(here: Floats, up_B: Floats, sky: Array) -> Floats:
    """Return 3 μ/r³ r̂ × I r̂ as three floats [N m]; here: of `surrounded`;  up_B: r̂."""
    return scaled(3.0 * here[PULL], cross(up_B, inertia_times(sky, up_B)))


@helper
def tide(here: Floats, mass: float, x: Floats) -> Floats:
    """Return the force on a body at x, three floats [N], world; x: three floats [m]."""
    r = three_at(here, 0)
    along = scaled(3.0 * dot(r, x), r)
    return scaled(mass * here[PULL], moved_vector(along, -1.0, x))


@helper
def potential(here: Floats, state: Array, mass: float, sky: Array) -> float:
    """Return what EarthGradient.potential of core.environment.outer_loads does [J]."""
    up = three_at(here, 0)
    v = quaternion_sandwich(state[3], -state[4], -state[5], -state[6], up[0], up[1], up[2])
    i = INERTIA
    turned = dot(v, inertia_times(sky, v)) - (sky[i] + sky[i + 1] + sky[i + 2]) / 3.0
    x = three_at(state, 0)
    along = dot(up, x)
    return 1.5 * here[PULL] * (turned - mass * (3.0 * along * along - dot(x, x)) / 3.0)


@part
def of_sunlight(parts: Array, row: int, plates: int, sun_B: Floats, pressure: float) -> Floats:
    """Return force and torque of sunlight, six floats [N, N m], body axes.

    row: of the first plate;  sun_B: unit vector to the Sun, three floats;  pressure: [N/m^2]
    """
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for _ in range(plates):
        n = three_at(parts, row + NORMAL)
        c = dot(n, sun_B)
        if c > 0.0:
            size = -pressure * parts[row + AREA] * c
            mirrored = parts[row + SPECULAR]
            one = moved_vector(
                scaled(size * (1.0 - mirrored), sun_B),
                2.0 * size * (mirrored * c + parts[row + DIFFUSE] / 3.0), n,
            )  # fmt: skip
            force = added(force, one)
            torque = added(torque, cross(three_at(parts, row + CENTER), one))
        row += PLATE_ROW
    return (force[0], force[1], force[2], torque[0], torque[1], torque[2])


@part
def of_air(parts: Array, row: int, plates: int, velocity_B: Floats, density: float) -> Floats:
    """Return force and torque of the air, six floats [N, N m], body axes.

    row: of the first plate;  velocity_B: through the air, three floats [m/s]
    density: [kg/m^3]
    """
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    speed = norm(velocity_B)
    if speed > 0.0 and density > 0.0:
        way = scaled(1.0 / speed, velocity_B)
        for _ in range(plates):
            n = three_at(parts, row + NORMAL)
            c = dot(n, way)
            if c > 0.0:
                size = -0.5 * density * speed * speed * parts[row + AREA] * c
                size *= parts[row + DRAG]
                kept = parts[row + ACCOMMODATION]
                normal = 2.0 * (1.0 - kept) * c + kept * parts[row + LEAVING] / speed
                one = moved_vector(scaled(size * kept, way), size * normal, n)
                force = added(force, one)
                torque = added(torque, cross(three_at(parts, row + CENTER), one))
            row += PLATE_ROW
    return (force[0], force[1], force[2], torque[0], torque[1], torque[2])
