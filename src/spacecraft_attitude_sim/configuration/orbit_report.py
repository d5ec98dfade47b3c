# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The lines of a report that say what an orbit about the Earth is, and what is around in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.configuration.actuator_report import vector
from spacecraft_attitude_sim.core.environment import surroundings
from spacecraft_attitude_sim.core.environment.earth import RADIUS
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.environment.wgs84 import geodetic
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.environment.around import Surroundings

FIELDS = {
    'igrf': 'IGRF-14', 'wmm': 'WMM2025', 'dipole': "the Earth's dipole", 'uniform': 'uniform',
}  # fmt: skip
# No satellite has stayed below this for more than a turn or so [m].
LOW = 120e3
AIRS = {'exponential': 'exponential layers', 'msis': 'NRLMSIS', 'none': 'none'}


def lines(scenario: Scenario) -> Iterator[str]:
    """Yield the lines about a Scenario's orbit about the Earth; none without one."""
    around, values = scenario.plant.environment.surroundings, scenario.parameters
    if around is None:
        return
    now = around.at(0.0)
    yield _kind(values)
    yield from _start(around, now)
    field_W = now[AROUND.of('magnetic_field_W')]
    yield (
        f'field {FIELDS[values["magnetic_model"]]}, {vector(field_W)} T in world at the start, '
        f'{np.linalg.norm(field_W):.4g} T'
    )
    density = now[AROUND.at('density')]
    said = '' if values['atmosphere'] == 'none' else f', {density:.3g} kg/m^3 at the start'
    if said and density <= 0.0:
        said = f'{said}: it presses on no surface'
    if said and values['density_factor'] != 1.0:
        said = f'{said}, {values["density_factor"]:g} times the model'
    yield f'air {AIRS[values["atmosphere"]]}{said}'
    light = now[AROUND.at('irradiance')]
    yield f'{surroundings.eclipse(now)} at the start, {light:.5g} W/m^2'
    loads = ', '.join(load.name.replace('_', ' ') for load in scenario.plant.environment.turning)
    yield f'what turns the body: {loads}'


def surfaces(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each of the surfaces on which air and sunlight press."""
    values = scenario.parameters
    for name in values['surfaces']:
        prefix = f'surface.{name}.'
        one = {key.removeprefix(prefix): values[key] for key in values if key.startswith(prefix)}
        both = ', both sides' if one['both_sides'] else ''
        yield (
            f'{name}: {one["area"]:.6g} m^2 towards {vector(one["normal"])}{both}, at '
            f'{vector(one["center"])} m; reflects {one["specular"]:.3g} as a mirror, '
            f'{one["diffuse"]:.3g} to all sides; drag coefficient {one["drag_coefficient"]:.3g}'
        )


def _kind(values: Mapping[str, Any]) -> str:
    model = values['orbit.model']
    if model == 'sgp4':
        return f'two-line elements of satellite {values["orbit.tle"][0][2:7]}, by SGP4'
    if model == 'table':
        return f"of the file '{values['orbit.table']}'"
    angles = ', '.join(
        f'{name} {math.degrees(values[f"orbit.{key}"]):.6g} deg'
        for name, key in (
            ('inclination', 'inclination'), ('node', 'right_ascension'),
            ('perigee', 'argument_of_perigee'), ('true anomaly', 'true_anomaly'),
        )
    )  # fmt: skip
    turned = ', turned by J2' if model == 'j2' else ''
    return (
        f'ellipse{turned}: semi-major axis {values["orbit.semi_major_axis"]:.8g} m, eccentricity '
        f'{values["orbit.eccentricity"]:.6g}, {angles}'
    )


def _start(around: Surroundings, now: np.ndarray) -> Iterator[str]:
    """Yield when and where it begins; the period is that of the ellipse through this state."""
    r_W, v_W = now[AROUND.of('position_W')], now[AROUND.of('velocity_W')]
    radius, speed = float(np.linalg.norm(r_W)), float(np.linalg.norm(v_W))
    inverse = 2.0 / radius - speed * speed / around.parameter
    once = 'and does not come back'
    if inverse > 0.0:
        period = math.tau / math.sqrt(around.parameter * inverse**3)
        once = f'once in {period:.6g} s'
    q_EW = rotations.conjugate(now[AROUND.of('q_WE')])
    latitude, longitude, height = geodetic(rotations.rotate(q_EW, r_W))
    begins = f'begins {around.epoch.utc}, ' if around.epoch else ''
    yield (
        f'{begins}{height / 1e3:.6g} km above {math.degrees(latitude):.4g} deg north, '
        f'{math.degrees(longitude):.4g} deg east, at {speed:.6g} m/s, {once}'
    )
    lowest = _perigee(r_W, v_W, around.parameter) - RADIUS
    if lowest < LOW:
        yield (
            f'its perigee is {lowest / 1e3:.3g} km up, where air ends an orbit within a turn; '
            "here nothing brakes world's origin"
        )


def _perigee(r: np.ndarray, v: np.ndarray, parameter: float) -> float:
    """Return how near the Earth's centre [m] the ellipse through a state (3,), (3,) comes."""
    h = np.cross(r, v)
    eccentricity = float(np.linalg.norm(np.cross(v, h) / parameter - r / np.linalg.norm(r)))
    return float(h @ h) / parameter / (1.0 + eccentricity)
