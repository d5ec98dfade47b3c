# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_controllers of scenarios, with their estimators, as the compiled law of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.campaigns.compiled_faults import check as check_faults
from spacecraft_attitude_sim.campaigns.compiled_faults import hearing_of, rows_kept
from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    attitude_estimator,
    attitude_guidance,
)
from spacecraft_attitude_sim.core.estimation.event_history import MOST_EVENTS
from spacecraft_attitude_sim.recording.errors import CampaignError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.driven import Driven
    from spacecraft_attitude_sim.core.batch.estimators import Estimators
    from spacecraft_attitude_sim.core.batch.law import Aboard, Law
    from spacecraft_attitude_sim.core.estimation.settings import Settings

# Fewest readings that an estimator keeps.
FEWEST_ROWS = 32


class NotCompiledError(CampaignError):
    """The attitude_controller of a scenario has no compiled form: it flies in Python, slower."""


def law_of(scenarios: Sequence[Scenario]) -> Law:
    """Return the Law of the attitude_controllers of scenarios.

    Raises CampaignError where a controller commands in a frame other than the body's,
    NotCompiledError where it is not compiled for these actuators.
    """
    from spacecraft_attitude_sim.core.batch.attitude_law import attitude_law

    simulators, controllers = ([getattr(scenario, name) for scenario in scenarios]
                               for name in ('parameters', 'controller'))  # fmt: skip
    frame, commanded = simulators[0]['frames.body'], controllers[0]['frames.body']
    if frame != commanded:
        raise CampaignError(
            f"attitude_controller.frames.body is '{commanded}', the simulator's '{frame}'; a "
            'campaign needs both alike'
        )
    for scenario in scenarios:
        _check_ephemeris(scenario)
    driven, hearing = [driven_by(scenario) for scenario in scenarios], hearing_of(scenarios)
    aboard = aboard_of(scenarios, reads=hearing is not None)
    return attitude_law(
        [attitude_controller.settings(values) for values in controllers],
        [attitude_controller.reference(values) for values in controllers],
        [scenario.plant.spacecraft.carrier for scenario in scenarios],
        [scenario.sensors for scenario in scenarios],
        [values['command_torque_limit'] for values in simulators],
        scenarios[0].plant.ticks,
        [values['command_timeout'] for values in simulators],
        driven,
        aboard,
        hearing,
    )


def aboard_of(scenarios: Sequence[Scenario], *, reads: bool = False) -> Aboard | None:
    """Return estimators, guidance and missions of scenarios; None without any.

    reads: whether the IMU is to be read without any, too
    NotCompiledError where scenarios differ in what they have.
    """
    from spacecraft_attitude_sim.flight.pilots import Imus, Pilots

    estimators = estimators_of(scenarios)
    piloted = [scenario for scenario in scenarios if scenario.guidance or scenario.mission]
    if not piloted:
        return Imus(len(scenarios)) if reads and not estimators else estimators
    if len(piloted) < len(scenarios):
        raise NotCompiledError('some of a batch have guidance or a mission, and others none')
    kept = dict[str, Any]()
    places = []
    for scenario in piloted:
        key = _key(scenario.guidance or {})
        if scenario.guidance and key not in kept:
            kept[key] = attitude_guidance.ephemeris(scenario.guidance)
        places.append(kept.get(key))
    return Pilots(scenarios, estimators or Imus(len(scenarios)), places)


def _key(values: Mapping[str, Any]) -> str:
    """Return a key of parameters: nodes with the same share what they know of the orbit."""
    return repr(sorted(values.items(), key=lambda item: item[0]))


def estimators_of(scenarios: Sequence[Scenario]) -> Estimators | None:
    """Return the Estimators aboard; None without any. NotCompiledError where they differ."""
    from spacecraft_attitude_sim.core.batch.estimators import Estimator, Estimators

    aboard = [scenario.estimator for scenario in scenarios if scenario.estimator]
    if not aboard:
        return None
    if len(aboard) < len(scenarios):
        raise NotCompiledError('attitude_estimator: some of a batch have one, and others none')
    settings, orbits = [attitude_estimator.settings(values) for values in aboard], dict[str, Any]()
    rows = max(map(_rows, scenarios, settings))
    each = []
    for values, own in zip(aboard, settings, strict=True):
        key = _key(values)
        here = orbits[key] = orbits.get(key) or attitude_estimator.around(values)
        known = replace(own, rows=rows)
        each.append(Estimator(attitude_estimator.estimator_of(values, known, here), here))
    try:
        return Estimators(each)
    except ValueError as error:
        raise NotCompiledError(f'{attitude_estimator.NAME}: {error}') from None


def _rows(scenario: Scenario, own: Settings) -> int:
    """Return how many readings an estimator keeps: all that may come before a late one, and more.

    Nothing is late but an attitude of the star tracker, by its latency, and what faults delay.
    """
    suite = scenario.sensors
    latency = suite.star_tracker.latency if suite.star_tracker else 0
    rows = max(FEWEST_ROWS, 4 * (latency + 2) * len(suite.sensors))
    return min(MOST_EVENTS, max(rows, rows_kept(scenario, own.history_ns)))


def driven_by(found: Scenario) -> Driven | None:
    """Return the Driven of the attitude_controller of a scenario.

    Raises NotCompiledError where it is not compiled for these actuators.
    """
    from spacecraft_attitude_sim.core.batch.driven import driven_of

    assert found.controller
    _check_guided(found, found.controller)
    try:
        check_faults(found)
    except ValueError as error:
        raise NotCompiledError(f'{error}') from None
    allocation = attitude_controller.allocation(found.controller)
    magnetic = attitude_controller.magnetic_gains(found.controller)
    try:
        return driven_of(found.plant.spacecraft, allocation, magnetic)
    except ValueError as error:
        raise NotCompiledError(f'{attitude_controller.NAME}: {error}') from None


def _check_guided(scenario: Scenario, own: Mapping[str, Any]) -> None:
    """Raise NotCompiledError where guidance or mission are not compiled for a controller."""
    guided, follows = own[attitude_controller.GUIDED], own[attitude_controller.MISSION]
    for name, section, flown in (
        ('attitude_guidance', scenario.guidance, guided),
        ('mission_modes', scenario.mission, follows),
    ):  # fmt: skip
        if bool(section) != flown:
            raise NotCompiledError(f'{name}: the scenario has it and does not fly it, or lacks it')


def _check_ephemeris(found: Scenario) -> None:
    """Raise CampaignError where a controller flies by another orbit than it is in."""
    ruled = found.controller
    assert ruled
    if not attitude_controller.flies_by_ephemeris(ruled):
        return
    for one in attitude_controller.EPHEMERIS:
        if ruled[one.name] != found.parameters[one.name]:
            raise CampaignError(
                f"{attitude_controller.NAME}.{one.name} is {ruled[one.name]!r}, the simulator's "
                f'{found.parameters[one.name]!r}; a campaign needs both alike'
            )
