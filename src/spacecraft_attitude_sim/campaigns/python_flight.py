# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flights under a controller written in Python, one after the other, for the table of a campaign.

    make(scenario) -> controller;  controller(readings) -> commands

Each run is computed tick by tick by flight.flight, with the bits of the nodes in lockstep. Its
commands are then played to a batch (core.batch.flight_log.Played), which writes the row. So the
table has the same columns, computed by the same code, for every controller.
"""

from __future__ import annotations

import contextlib
import functools
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.campaigns import user_file, workers
from spacecraft_attitude_sim.configuration import recorded_scenario, scenario, trust
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.core.batch.flight_log import TOLD, Played
from spacecraft_attitude_sim.core.body.loads import NO_IMPULSE
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.simulation import Inputs, MotionError
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.core.studies.consistency import Knowledge
from spacecraft_attitude_sim.flight.flight import OWN, Controller, Flight, controller_for
from spacecraft_attitude_sim.flight.record import Known, known
from spacecraft_attitude_sim.recording import knowledge_history
from spacecraft_attitude_sim.recording.errors import CampaignError

# The share of the flights that says that the first has begun.
BEGUN = 1e-12
# Returns the controller of a run; 'own' for the attitude_controller of its scenario.
Make = Callable[[Scenario], Controller | str]


def shipped(found: Scenario) -> str:
    """Return the attitude_controller of a Scenario, in Python."""
    return OWN


class Flown(NamedTuple):
    """One flight.

    told: (ticks + 1, TOLD.size) of every instant;  commands: (ticks, 12 + any) of every tick
    knowledge: of an estimator aboard, None without one
    faults: [(tick, Inputs.faults)] where another set of faults begins to act
    """

    told: Array
    commands: Array
    knowledge: Knowledge | None
    faults: list[tuple[int, Array]]


class Maker:
    """Makes the controller of each run by flight.controller_for."""

    def __init__(self, controller: Controller | type | str) -> None:
        self.__wrapped__ = controller

    def __call__(self, found: Scenario) -> Controller | str:
        """Return the controller of the run of a Scenario."""
        own: Any = self.__wrapped__
        return controller_for(own.found if isinstance(own, user_file.FromFile) else own, found)


def played(
    found: Sequence[Scenario],
    make: Make,
    duration: float,
    processes: int = 1,
    told: Callable[[float], object] = lambda share: None,
    first: int = 0,
) -> Played:
    """Return what controllers command in flights of a duration [s], each made for its Scenario.

    processes: with more than one, `make` is found by its name in each
    told: called with the share of the flights that is done;  first: number of the first run
    Raises CampaignError for a command that is none, or cannot be played, and where one fails.
    """
    each: list[Flown] = []

    def heard() -> None:
        told(max(BEGUN, len(each) / len(found)))

    if processes > 1:
        fly = functools.partial(_flown_of_text, trust.given(), make, duration)
        texts = [recorded_scenario.dump(one) for one in found]
        flights = workers.each(fly, texts, processes, heard)
    else:
        flights = (flown(one, make, duration, heard) for one in found)
    try:
        for one in flights:
            each.append(one)
            told(len(each) / len(found))
    except CampaignError as error:
        raise CampaignError(f'{error} (run {first + len(each)})') from error
    told_of_each, commands, knowledge, faults = zip(*each, strict=True)
    return Played(np.array(told_of_each), np.array(commands), knowledge, faults)


def flown(
    found: Scenario, make: Make, duration: float, begun: Callable[[], object] = lambda: None
) -> Flown:
    """Return what a controller points at and commands, and what an estimator aboard knows.

    The commands (ticks, 12 + any) are zero after the motion can no longer be computed, and NaN
    after a command that is rejected.
    begun: called after the first tick, when its code is compiled
    Raises CampaignError for a command that is none.
    """
    plant = found.plant
    ticks, craft = plant.ticks.covering(duration), plant.spacecraft
    wheels = None if craft.coupled else craft.part('reaction_wheels')  # ideal ones
    width = 12 + (len(craft.commands(Inputs())) if craft.coupled else 0)
    width += wheels.number if wheels else 0
    told, commands = np.full((ticks + 1, TOLD.size), np.nan), np.zeros((ticks, width))
    told[:, TOLD.at('cut')] = 0.0
    estimates: list[Known] = []
    faults: list[tuple[int, Array]] = []
    acting: list[int] = []
    with telling(0.0):
        flight = Flight(found, make(found), keeps=0)
    for tick in range(ticks + 1):
        if (q_WR := flight.pointed_at()) is not None:
            told[tick, TOLD.of('q_WR')] = q_WR
        if tick == ticks:
            break
        try:
            with telling(flight.instant.time):
                flight.step()
        except MotionError:
            break
        except CommandRefusedError:  # as of a motion that cannot be followed, nothing is told
            commands[tick:] = np.nan
            break
        if flight.estimate:
            estimates.append(known(flight.estimate))
        if tick == 0:
            begun()
        told[tick + 1, TOLD.at('cut')] = flight.cut
        inputs = flight.instant.inputs
        if inputs.impulse is not NO_IMPULSE and inputs.impulse.any():
            raise CampaignError('a controller in a campaign gives no impulses; give torque, force')
        commands[tick, :12] = inputs.wrench
        now = np.flatnonzero(inputs.faults).tolist() if inputs.faults.size else []
        if acting != now:
            faults.append((tick, inputs.faults))
            acting = now
        if craft.coupled:
            commands[tick, 12:] = craft.commands(inputs)
        elif wheels and inputs.wheel_torque.size:
            commands[tick, 12:] = inputs.wheel_torque
    stamps = [plant.ticks.stamp(tick) for tick in range(ticks + 1)]
    return Flown(told, commands, knowledge_history.of_run(stamps, estimates), faults)


@contextlib.contextmanager
def telling(time: float) -> Iterator[None]:
    """Turn what a controller raises at a time [s] into a CampaignError of one line."""
    try:
        yield
    except (MotionError, CommandRefusedError, CampaignError):
        raise
    except (Exception, SystemExit) as error:  # whatever a function of the user raises
        last = traceback.extract_tb(error.__traceback__)[-1].filename
        ours = Path(last).is_relative_to(Path(__file__).parents[1])
        said = f'asks: {error}' if ours else f'fails: {user_file.told(error)}'
        raise CampaignError(f'at {time:g} s the controller {said}') from error


def _flown_of_text(trusted: list[str], make: Make, duration: float, text: str) -> Flown:
    """Return `flown` of the text of a scenario, in a process of its own."""
    trust.give(trusted)
    return flown(scenario.parse(text, 'a run'), make, duration, workers.say_begun)
