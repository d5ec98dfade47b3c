# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Text summary of an Earth orbit and its environment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.configuration.parts.named import vector
from spacecraft_attitude_sim.core.environment import surroundings
from spacecraft_attitude_sim.core.environment.earth import RADIUS, SOLAR_CONSTANT
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.environment.wgs84 import geodetic
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.environment.around import Surroundings

FIELDS = {
    'igrf': 'IGRF-14', 'wmm': 'WMM2025', 'dipole': "the Earth's dipole", 'uniform': 'uniform',
}  # fmt: skip
# Below this altitude [m] a satellite reenters within about one orbit.
LOW = 120e3
AIRS = {
    'exponential': 'exponential layers', 'msis': 'NRLMSIS', 'uniform': 'uniform', 'none': 'none',
}  # fmt: skip
ANGLES = {
    'inclination': 'inclination', 'right_ascension': 'right ascension of the node',
    'argument_of_perigee': 'argument of perigee',
    'true_anomaly': 'true anomaly',
}  # fmt: skip
ELEMENTS = ('semi_major_axis', 'eccentricity', *ANGLES)
NO_GRADIENT = 'no gravity gradient (the parameter gravity_gradient is false)'


def lines(scenario: Scenario) -> Iterator[str]:
    """Yield the lines about a Scenario's Earth orbit; none without one."""
    around, values = scenario.plant.environment.surroundings, scenario.parameters
    if around is None:
        return
    now = around.at(0.0)
    yield _kind(values)
    yield from _start(around, now)
    field_W = now[AROUND.of('magnetic_field_W')]
    yield (
        f'magnetic field {FIELDS[values["magnetic_model"]]}{_dipole(values)}, at the start '
        f'{vector(field_W)} T in world axes, {np.linalg.norm(field_W):.4g} T'
    )
    density = now[AROUND.at('density')]
    said = '' if values['atmosphere'] == 'none' else f', {density:.3g} kg/m^3 at the start'
    if said and density <= 0.0:
        said = f'{said}: no force on the surfaces'
    if said and values['density_factor'] != 1.0:
        said = f'{said}, {values["density_factor"]:g} times the model'
    if said and values['wind_model'] == 'uniform':
        wind = values['wind']
        moves = f'wind {vector(wind)} m/s in world axes' if any(wind) else 'at rest'
        said = f'{said}, {moves} everywhere'
    yield f'air {AIRS[values["atmosphere"]]}{said}'
    light = now[AROUND.at('irradiance')]
    yield f'{surroundings.eclipse(now)} at the start, {light:.5g} W/m^2{_sunlight(values)}'
    environment = scenario.plant.environment
    loads = [load.name.replace('_', ' ') for load in environment.turning]
    if not environment.gradient:
        loads.remove('gravity gradient')
        yield NO_GRADIENT
    yield f'torques of the environment: {", ".join(loads) or "none"}'


def _dipole(values: Mapping[str, Any]) -> str:
    if values['magnetic_model'] != 'dipole':
        return ''
    moment, tilt, longitude = (
        values[f'earth_dipole.{name}'] for name in ('moment', 'tilt', 'longitude')
    )
    said = f' of {moment:.5g} T m^3'
    if tilt:
        said += (
            f', tilted by {math.degrees(tilt):.5g} deg towards {math.degrees(longitude):.5g} deg '
            'east'
        )
    return said


def _sunlight(values: Mapping[str, Any]) -> str:
    """Return as text how sunlight is given; '' without any."""
    said = ''
    if values['sun_model'] == 'uniform':
        said += f', direction to the Sun always {vector(values["sun_direction"])}, world axes'
    if values['irradiance_model'] == 'uniform':
        said += f', sunlight of {values["irradiance"]:.5g} W/m^2 at any distance'
    elif values['irradiance'] != SOLAR_CONSTANT:
        said += f', sunlight of {values["irradiance"]:.5g} W/m^2 at 1 au'
    return said if values['earth_shadow'] else f'{said}, no shadow of the Earth'


def surfaces(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each surface with aerodynamic or solar pressure."""
    values = scenario.parameters
    for name in values['surfaces']:
        prefix = f'surface.{name}.'
        one = {key.removeprefix(prefix): values[key] for key in values if key.startswith(prefix)}
        both = ', both sides' if one['both_sides'] else ''
        yield (
            f'{name}: {one["area"]:.6g} m^2, normal {vector(one["normal"])}{both}, at '
            f'{vector(one["center"])} m; reflects {one["specular"]:.3g} specularly, '
            f'{one["diffuse"]:.3g} diffusely; drag coefficient {one["drag_coefficient"]:.3g}'
        )


def _kind(values: Mapping[str, Any]) -> str:
    model = values['orbit.model']
    if model == 'sgp4':
        return f'two-line elements of satellite {values["orbit.tle"][0][2:7]}, by SGP4'
    if model == 'table':
        return f"from the file '{values['orbit.table']}'"
    elements = {name: values[f'orbit.{name}'] for name in ELEMENTS}
    which = ' with J2 drift' if model == 'j2' else ''
    if model == 'state':
        from spacecraft_attitude_sim.core.environment.state_orbit import StateOrbit

        r, v = values['orbit.position'], values['orbit.velocity']
        ellipse = StateOrbit(r, v).ellipse
        elements = {name: getattr(ellipse, name) for name in ELEMENTS}
        which = f' through {vector(r)} m with {vector(v)} m/s'
    angles = ', '.join(
        f'{said} {math.degrees(elements[name]):.6g} deg' for name, said in ANGLES.items()
    )
    return (
        f'ellipse{which}: semi-major axis {elements["semi_major_axis"]:.8g} m, eccentricity '
        f'{elements["eccentricity"]:.6g}, {angles}'
    )


def _start(around: Surroundings, now: np.ndarray) -> Iterator[str]:
    """Yield epoch, altitude and period at the start; the period is that of the Kepler ellipse."""
    r_W, v_W = now[AROUND.of('position_W')], now[AROUND.of('velocity_W')]
    radius, speed = float(np.linalg.norm(r_W)), float(np.linalg.norm(v_W))
    inverse = 2.0 / radius - speed * speed / around.parameter
    once = 'an escape orbit'
    if inverse > 0.0:
        period = math.tau / math.sqrt(around.parameter * inverse**3)
        once = f'period {period:.6g} s'
    q_EW = rotations.conjugate(now[AROUND.of('q_WE')])
    latitude, longitude, height = geodetic(rotations.rotate(q_EW, r_W))
    begins = f'starts {around.epoch.utc}, ' if around.epoch else ''
    yield (
        f'{begins}{height / 1e3:.6g} km above {math.degrees(latitude):.4g} deg north, '
        f'{math.degrees(longitude):.4g} deg east, at {speed:.6g} m/s, {once}'
    )
    lowest = _perigee(r_W, v_W, around.parameter) - RADIUS
    if lowest < LOW:
        yield (
            f'its perigee is at {lowest / 1e3:.3g} km, where air ends a real orbit within one '
            'revolution; here drag does not change the orbit'
        )


def _perigee(r: np.ndarray, v: np.ndarray, parameter: float) -> float:
    """Return the perigee distance [m] of the ellipse through position (3,) and velocity (3,)."""
    h = np.cross(r, v)
    eccentricity = float(np.linalg.norm(np.cross(v, h) / parameter - r / np.linalg.norm(r)))
    return float(h @ h) / parameter / (1.0 + eccentricity)
