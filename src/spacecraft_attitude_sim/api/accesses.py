# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When ground targets see the spacecraft of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spacecraft_attitude_sim.api import scenarios
from spacecraft_attitude_sim.configuration import attitude_guidance
from spacecraft_attitude_sim.configuration.earth_surroundings import DAY
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core.guidance import access
from spacecraft_attitude_sim.core.guidance.access import Access
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError

# Name of a target that is given by its place.
PLACE = 'place'


def accesses(
    given: str | Path | Mapping[str, Any] | Scenario,
    target: str | Sequence[float],
    least: float = 0.0,
    begin: float = 0.0,
    end: float = DAY,
) -> list[Access]:
    """Return the passes over a ground target; each has rise, culmination, set and elevation.

        for one in accesses('cubesat_3u_leo', (40.65, 16.7, 540.0), least=math.radians(10.0)):
            print(one.rise, one.set, math.degrees(one.elevation))

    The orbit is the one that attitude_guidance knows, or else that of the simulator. Refraction is
    left out.

    given: as of sas.load, of one spacecraft in an orbit about the Earth
    target: name of one of the `targets` of its attitude_guidance, or latitude and longitude [deg]
        and, if not 0, height over the ellipsoid WGS 84 [m]
    least: elevation at rise and set [rad]
    begin, end: of the window [s]; a pass that is cut there begins or ends there
    Raises ScenarioError, which names what is missing, and the remedy.
    """
    name = given if isinstance(given, str | Path) else 'the scenario'
    return passes(scenarios.load(given), str(name), target, least, begin, end)


def passes(
    scenario: Scenario,
    source: str,
    target: str | Sequence[float | str],
    least: float,
    begin: float,
    end: float,
) -> list[Access]:
    """Return what `accesses` returns; source: name of the scenario, for messages."""
    try:
        values = known(scenario)
        if not isinstance(target, str):
            values, target = _with_place(values, target), PLACE
        return access.accesses(attitude_guidance.ephemeris(values), target, least, begin, end)
    except (GuidanceError, ParameterError) as error:
        raise ScenarioError(f'{source}: {error}') from None


def known(scenario: Scenario) -> dict[str, Any]:
    """Return {name: value} of guidance that knows the orbit: its own, or of the simulator."""
    if scenario.guidance is not None:
        return dict(scenario.guidance)
    return attitude_guidance.checked(attitude_guidance.of_simulator(scenario.parameters))


def _with_place(values: Mapping[str, Any], place: Sequence[float | str]) -> dict[str, Any]:
    """Return {name: value} of guidance with one target, which is a place."""
    try:
        latitude, longitude, height = map(float, (*place, 0.0)[:3] if len(place) == 2 else place)
    except (TypeError, ValueError):
        raise ParameterError(
            f'a place is {place!r}; give latitude and longitude [deg], and perhaps height [m]'
        ) from None
    own = {'latitude': latitude, 'longitude': longitude, 'height': height}
    orbit = {name: values[name] for name in attitude_guidance.OF_SIMULATOR if name in values}
    given = {f'target.{PLACE}.{key}': value for key, value in own.items()}
    return attitude_guidance.checked({**orbit, 'targets': [PLACE], **given})
