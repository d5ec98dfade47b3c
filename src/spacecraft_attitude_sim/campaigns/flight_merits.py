# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Merits of core.studies.flight_merits as columns of a campaign, by their names.

pointing: {merits: [ape_across_997, rpe_across_997], window: 5.0}
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.campaigns.merits import Flight, Merit
from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    attitude_estimator,
    suggestion,
)
from spacecraft_attitude_sim.configuration.parameters import Parameter, ParameterError
from spacecraft_attitude_sim.core.control.attitude_loop import POINTINGS
from spacecraft_attitude_sim.core.studies import flight_merits
from spacecraft_attitude_sim.core.studies.flight_merits import (
    INDICES,
    KNOWLEDGE,
    PERFORMANCE,
    Asked,
    Observed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.studies.flight_merits import Merits

PARAMETERS = (
    Parameter(
        'pointing.merits', [], '', 'Columns to add: names of merits of docs/pointing.md.', str,
        length=(),
    ),
    Parameter(
        'pointing.window', 0.0, 's',
        'Length of the windows of MPE and RPE; 0 for 10, or a tenth of the steady part if that is '
        'less.', low=0.0, high=1e6,
    ),
    Parameter(
        'pointing.drift', 0.0, 's',
        'Time between the windows of PDE; 0 for 60, or half of the steady part if that is less.',
        low=0.0, high=1e6,
    ),
    Parameter(
        'pointing.boresight', [0.0, 0.0, 1.0], '',
        'Body axis about and across which errors are told.', length=(3,),
    ),
)  # fmt: skip
# Share of a run, at its end, that counts as steady if the file does not say it.
STEADY_SHARE = 0.1
OF_WHEELS = ('largest_wheel_momentum', 'largest_wheel_power', 'wheel_work', 'wheel_braking')
MARGIN = 'wheel_speed_margin'


def named(
    values: Mapping[str, Any], bases: Mapping[str, Scenario], duration: float, *, in_python: bool
) -> dict[str, Merit]:
    """Return {name: Merit} of those that a campaign asks for.

    values: of the campaign;  bases: {namespace: Scenario};  duration: of a run [s]
    in_python: whether a controller of python_flight commands
    Raises ParameterError for a name that no spacecraft has, or lengths that cannot be.
    """
    names = values['pointing.merits']
    if not names:
        return {}
    for base in bases.values():
        known = _names_of(base, in_python=in_python)
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f"pointing.merits has '{name}' twice; give it once")
            if name not in known:
                raise ParameterError(
                    f"pointing.merits has '{name}'; {suggestion.hint(name, known)}"
                )
    for key in ('pointing.window', 'pointing.drift'):
        if values[key] > duration:
            raise ParameterError(
                f'{key} is {values[key]:g} s, and a run lasts {duration:g} s; give less'
            )
    if not np.any(values['pointing.boresight']):
        raise ParameterError('pointing.boresight is 0, 0, 0; give an axis')
    judge = _Judge(values, duration)
    return {name: Merit(_of(judge, name)) for name in names}


def _names_of(base: Scenario, *, in_python: bool) -> list[str]:
    """Return the names of the merits that mean something for a spacecraft."""
    points = in_python
    if base.controller and not in_python:
        points = bool(attitude_controller.settings(base.controller).modes & {*POINTINGS})
    names = ['largest_momentum']
    if points:
        names += sorted(name for name in INDICES if name.split('_')[0] in PERFORMANCE)
    if wheels := base.plant.spacecraft.part('reaction_wheels'):
        names += OF_WHEELS
        if np.isfinite(wheels.speed_limits).any():
            names.append(MARGIN)
    return names + _of_estimator(base) if base.controller and not in_python else names


def _of_estimator(base: Scenario) -> list[str]:
    """Return the names of the merits of an estimator aboard; none without one."""
    if not base.estimator:
        return []
    names = sorted(name for name in INDICES if name.split('_')[0] in KNOWLEDGE)
    sensors = attitude_estimator.estimator(base.estimator).settings.sensors
    return [
        *names, *flight_merits.OF_ESTIMATOR,
        *(flight_merits.name_of(head, sensor) for sensor in sensors for head in flight_merits.NIS),
    ]  # fmt: skip


def _of(judge: _Judge, name: str) -> Any:
    """Return the function of a merits.Flight that returns a merit."""

    def value(flight: Flight) -> float:
        return judge.merits(flight).values.get(name, math.nan)

    return value


class _Judge:
    """Computes the Merits of a flight once for all of its columns."""

    def __init__(self, values: Mapping[str, Any], duration: float) -> None:
        # As of the other columns: the last tenth where the file does not say it.
        steady_from = values['steady_from'] or (1.0 - STEADY_SHARE) * duration
        self._asked = Asked(
            steady_from, values['pointed_error'] or math.pi, values['pointing.window'],
            values['pointing.drift'], tuple(values['pointing.boresight']),
        )  # fmt: skip
        self._flight: Flight | None = None
        self._merits: Merits | None = None

    def merits(self, flight: Flight) -> Merits:
        """Return the Merits of a Flight."""
        if self._merits is None or self._flight is not flight:
            self._flight, self._merits = (
                flight,
                flight_merits.of_flight(_observed(flight), self._asked),
            )
        return self._merits


def _observed(flight: Flight) -> Observed:
    """Return what the merits of a Flight are computed of."""
    plant, parts = flight.scenario.plant, {}
    if wheels := plant.spacecraft.part('reaction_wheels'):
        arrays = {'speeds': flight.wheel_speeds, 'torques': flight.wheel_torques}
        parts['wheels'] = (wheels, arrays)
    known = np.isfinite(flight.q_WR).any()
    return Observed(
        flight.time, plant.ticks.step, flight.q_WB, flight.q_WR if known else None,
        flight.angular_momentum_W, flight.torque_B, parts, flight.knowledge,
    )  # fmt: skip
