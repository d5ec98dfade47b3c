# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios as an EpisodeBatch, and the states at which its bodies begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.batch.command_rows import CommandRows
from spacecraft_attitude_sim.core.batch.commands import kinds_of
from spacecraft_attitude_sim.core.batch.episodes import EpisodeBatch
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.simulation import put_instant
from spacecraft_attitude_sim.flight import side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Array

# What a body may begin with: {name: (parameter, how many numbers)}.
STARTS = {
    'attitude': ('initial.attitude', 4),
    'angular_velocity': ('initial.angular_velocity', 3),
    'position': ('initial.position', 3),
    'velocity': ('initial.velocity', 3),
}
WHEEL_SPEED = 'wheel_speed'


def batch_of(
    scenarios: Sequence[Scenario],
    threads: int | None = None,
    states: Sequence[State] | None = None,
) -> EpisodeBatch:
    """Return the EpisodeBatch of Scenarios, at their starts.

    threads: None for one on each core;  states: of bodies on floors, which do not begin again
    Raises ValueError for scenarios that are not simulated side by side.
    """
    instants = None
    if states is not None and scenarios[0].plant.contact:
        instants = [
            put_instant(scenario.plant, 0, state, place=scenario.placed)
            for scenario, state in zip(scenarios, states, strict=True)
        ]
    given = side_by_side.arguments_of(scenarios, instants)
    suites = [scenario.sensors for scenario in scenarios]
    del given['holding']
    return EpisodeBatch(
        given.pop('bodies'), given.pop('states'), suites=suites, threads=threads, **given
    )


def command_rows_of(scenarios: Sequence[Scenario], batch: EpisodeBatch) -> CommandRows:
    """Return the CommandRows of Scenarios of a batch."""
    crafts = [scenario.plant.spacecraft for scenario in scenarios]
    kinds = kinds_of(crafts) if any(craft.groups for craft in crafts) else ()
    return CommandRows(kinds, batch.commands, side_by_side.holding_of(scenarios))


def flat_states(states: Sequence[State]) -> tuple[Array, Array]:
    """Return flat states (N, 13), and states of parts (N, any) with zeros after fewer ones."""
    flats = [to_flat(state) for state in states]
    rows = np.zeros((len(flats), max(map(len, flats))))
    for row, flat in zip(rows, flats, strict=True):
        row[: len(flat)] = flat
    return rows[:, :SIZE], rows[:, SIZE:]


def parameters_of_start(scenario: Scenario, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return {parameter: value} of what a body begins with.

    given: {name: numbers} of STARTS; wheel_speed: a number for each wheel [rad/s]
    Raises ValueError naming what is wrong.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        wheels = scenario.parameters.get('wheels', [])
        if name not in STARTS and name != WHEEL_SPEED:
            raise ValueError(
                f'a body does not begin with {name}; give {", ".join(STARTS)}, wheel_speed'
            )
        width = len(wheels) if name == WHEEL_SPEED else STARTS[name][1]
        numbers = np.asarray(value, dtype=float)
        if numbers.shape != (width,) or not np.isfinite(numbers).all():
            raise ValueError(f'{name} at the start is {value}; give {width} finite numbers')
        if name == WHEEL_SPEED:
            found |= {
                f'wheel.{wheel}.initial_speed': speed
                for wheel, speed in zip(wheels, numbers.tolist(), strict=True)
            }
        else:
            found[STARTS[name][0]] = numbers.tolist()
    return found
