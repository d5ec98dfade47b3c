# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flights under a controller written in Python, one after the other, for the table of a campaign.

    make(scenario) -> controller;  controller(readings) -> commands

Each run is computed tick by tick by flight.flight, with the bits of the nodes in lockstep. Its
commands are then played to a batch (core.batch.flight_log.Played), which writes the row. So the
table has the same columns, computed by the same code, for every controller.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from spacecraft_attitude_sim.configuration import scenario, trust
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.core.batch.flight_log import TOLD, Played
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.simulation import Inputs, MotionError
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.flight.flight import OWN, Controller, Flight
from spacecraft_attitude_sim.recording.errors import CampaignError

# Returns the controller of a run; 'own' for the attitude_controller of its scenario.
Make = Callable[[Scenario], Controller | str]


def shipped(found: Scenario) -> str:
    """Return the attitude_controller of a Scenario, in Python."""
    return OWN


def played(found: Sequence[Scenario], make: Make, duration: float, workers: int = 1) -> Played:
    """Return what controllers command in flights of a duration [s], each made for its Scenario.

    workers: processes; with more than one, `make` is found by its name in each
    Raises CampaignError for a command that is none, or cannot be played.
    """
    texts = [scenario.dump(one) for one in found] if workers > 1 else []
    if workers > 1:
        fly = functools.partial(_flown_of_text, trust.given(), make, duration)
        with ProcessPoolExecutor(workers, get_context('spawn')) as pool:
            each = list(pool.map(fly, texts))
    else:
        each = [flown(one, make, duration) for one in found]
    return Played(*(np.array(arrays) for arrays in zip(*each, strict=True)))


def flown(found: Scenario, make: Make, duration: float) -> tuple[Array, Array]:
    """Return references with limit flags (ticks + 1, TOLD.size), and commands, of a controller.

    The commands (ticks, 12 + any) are zero after the motion can no longer be computed, and NaN
    after a command that is rejected.
    Raises CampaignError for a command that is none.
    """
    plant = found.plant
    ticks, assembly = plant.ticks.covering(duration), plant.spacecraft.assembly
    width = 12 + (len(assembly.commands(Inputs())) if assembly else 0)
    told, commands = np.full((ticks + 1, TOLD.size), np.nan), np.zeros((ticks, width))
    told[:, TOLD.at('cut')] = 0.0
    flight = Flight(found, make(found), keeps=0)
    for tick in range(ticks + 1):
        if (q_WR := flight.pointed_at()) is not None:
            told[tick, TOLD.of('q_WR')] = q_WR
        if tick == ticks:
            break
        try:
            flight.step()
        except MotionError:
            break
        except CommandRefusedError:  # as of a motion that cannot be followed, nothing is told
            commands[tick:] = np.nan
            break
        except ValueError as error:
            raise CampaignError(
                f'at {flight.instant.time:g} s the controller asks: {error}'
            ) from None
        told[tick + 1, TOLD.at('cut')] = flight.cut
        inputs = flight.instant.inputs
        if inputs.impulse.any():
            raise CampaignError('a controller in a campaign gives no impulses; give torque, force')
        commands[tick, :12] = inputs.wrench
        if assembly:
            commands[tick, 12:] = assembly.commands(inputs)
    return told, commands


def _flown_of_text(
    trusted: list[str], make: Make, duration: float, text: str
) -> tuple[Array, Array]:
    """Return `flown` of the text of a scenario, in a process of its own."""
    trust.give(trusted)
    return flown(scenario.parse(text, 'a run'), make, duration)
