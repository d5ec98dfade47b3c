# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The history of a spacecraft from a bag: each recorded instant is simulated once."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import untrusted_scenario as untrusted
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.simulation import Instant, Plant, commanded_torque_B
from spacecraft_attitude_sim.core.spacecraft.channels import Moment
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.recording import (
    contact_history,
    craft_history,
    knowledge_history,
    motion_table,
    orbit_history,
    reader,
    table,
    topics,
)
from spacecraft_attitude_sim.recording.craft_history import Control, History
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.reader import RecordedInstant

# Topics that a row of a bag needs, in free space and on a floor, and optional topics.
FREE = {topics.ODOMETRY, topics.MOMENTUM}
ON_FLOOR = {*FREE, topics.INPUTS, *topics.CONTACT}
HEARD = {*ON_FLOOR, topics.JOINTS, topics.REFERENCE, *topics.COMMANDS, *topics.ESTIMATED}


class Simulated(NamedTuple):
    """An instant of a bag, with the Plant of its scenario and the Instant that it gives."""

    received: RecordedInstant
    plant: Plant
    instant: Instant


class Recorded:
    """The content of a bag for one spacecraft, read once; each instant is simulated once.

    found: the last Scenario;  instants: the Simulated that are complete enough for rows
    rows: columns of every table;  whole: History of the rows, checked

    Raises RecordingError that says what is wrong with the bag.
    """

    def __init__(self, path: Path, namespace: str | None) -> None:
        self.found, self.instants = _read_bag(path, namespace)
        self.rows = [_row(*one) for one in self.instants]
        names = table.columns(self.found.plant.contact is not None)
        self.whole = craft_history.checked(path, names, np.array(self.rows))

    @functools.cached_property
    def simulated(self) -> list[Instant]:
        """The Instants of the last Plant, without readings and contact."""
        last = self.found.plant
        return [
            instant if plant is last else received.simulated(last)
            for received, plant, instant in self.instants
        ]

    @functools.cached_property
    def moments(self) -> list[Moment]:
        """The Moments of these Instants."""
        return [table.moment_of(self.found.plant, one) for one in self.simulated]

    @functools.cached_property
    def around(self) -> list[tuple[float, ...]]:
        """The rows of orbit_history at these Instants."""
        return [orbit_history.row(self.found.plant, one) for one in self.simulated]

    def history(self) -> History:
        """Return the History of the bag."""
        found, whole = self.found, self.whole
        received = [one.received for one in self.instants]
        if any(topics.COMMANDS.keys() & one.received for one in received):
            whole = whole._replace(control=_control(self.instants))
        whole = whole._replace(knowledge=knowledge_history.of_bag(found, received))
        if found.plant.beyond_rigid_body:
            around = np.array(self.around)
            whole = craft_history.with_parts(whole, found, self.moments, received, around)
        if whole.contact is None:
            return whole
        floors = tuple(_floor(one.received, one.plant) for one in self.instants)
        time = np.array([one.instant.elapsed_time for one in self.instants])
        return whole._replace(contact=whole.contact.on_floors(floors, time))

    def whole_rows(self) -> list[tuple[float, ...]]:
        """Return the rows with the columns of parts, orbit and energy book."""
        plant = self.found.plant
        were_set = [
            bool(one.received.inputs and one.received.inputs.given) for one in self.instants
        ]
        books = motion_table.entries_of(plant, zip(self.simulated, were_set, strict=True))
        several = zip(self.simulated, books, self.moments, self.around, strict=True)
        more = (table.part_columns(plant, *one) for one in several)
        return [(*one, *two) for one, two in zip(self.rows, more, strict=True)]


def _read_bag(path: Path, namespace: str | None) -> tuple[Scenario, list[Simulated]]:
    """Return the last Scenario of a bag, and the Simulated that are complete enough for rows.

    The Scenario is only for drawing: it does not import the functions that it names.
    """
    told = {''}

    def parse(text: str) -> Scenario:
        found, left_out = untrusted.parse(text)
        if left_out not in told:
            told.add(left_out)
            print(f'attitude-sim: {path}: {left_out}', file=sys.stderr, flush=True)
        return found

    assembler = reader.Assembler(HEARD, parse, _check)
    instants = reader.instants(path, assembler, namespace)
    found = assembler.scenario
    if found is None:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    needed = ON_FLOOR if found.plant.contact else FREE
    if found.plant.spacecraft.layout.size:
        needed = {*needed, topics.INPUTS}
    return found, _known(path, [one for one in instants if needed <= one.received], found)


def _known(path: Path, instants: list[RecordedInstant], found: Scenario) -> list[Simulated]:
    """Return the Simulated with known wheel states; print how many are left out.

    Raises RecordingError if inputs and scenario have different wheels.
    """
    plants = [_plant(one, found) for one in instants]
    try:
        every = [
            Simulated(one, plant, one.simulated(plant))
            for one, plant in zip(instants, plants, strict=True)
        ]
    except ValueError as error:
        raise RecordingError(f'{path}: {error}') from None
    known = [one for one in every if np.isfinite(one.instant.state.internal).all()]
    if lost := len(every) - len(known):
        print(
            f'attitude-sim: {path}: {lost} instants are left out: after lost messages of topic '
            f'{topics.INPUTS} nothing says how the wheels turned; record {topics.JOINTS}, too',
            file=sys.stderr, flush=True,
        )  # fmt: skip
    return known


def _check(topic: str, parts: tuple[Any, ...]) -> None:
    """Raise ValueError for an invalid reference."""
    if topic == topics.REFERENCE and not 0.0 < np.linalg.norm(parts[0]) < np.inf:
        raise ValueError('holds no attitude')


def _plant(instant: RecordedInstant, last: Scenario) -> Plant:
    """Return the Plant of an instant, or that of the last Scenario if its own does not match."""
    found = instant.scenario
    if found is None or (found.plant.contact is None) != (last.plant.contact is None):
        return last.plant
    return found.plant


def _row(received: RecordedInstant, plant: Plant, instant: Instant) -> tuple[float, ...]:
    """Return the row of `columns` at an instant."""
    state, wrench = instant.state, None
    energies = flips_and_drifts.energies(plant, state, instant.elapsed_time)
    touching: tuple[float, ...] = ()
    if plant.contact:
        force_W = received.contact_force_W
        torque_W = np.cross(received.point_W - state.position_W, force_W)
        wrench = loads.wrench_in_world(force_W, torque_W)
        touching = contact_history.row_of_topics(
            plant, plant.contact.floor, state, received, energies.total
        )
    free = table.free_row(plant, instant, wrench)
    return table.base_columns(free, state, energies, touching)


def _floor(instant: RecordedInstant, plant: Plant) -> Any:
    """Return the floor to draw at an instant; for a hidden floor, the Sheet that was sent."""
    floor = plant.contact and plant.contact.floor
    return instant.sheet if isinstance(floor, untrusted.HiddenFloor) else floor


def _control(instants: list[Simulated]) -> Control:
    """Return the Control of a run; its torques are NaN where the inputs were not recorded."""
    unknown_B, unknown = np.full(3, np.nan), np.full(4, np.nan)
    return Control(
        np.array([
            unknown_B if received.inputs is None else commanded_torque_B(plant, instant)
            for received, plant, instant in instants
        ]),
        np.array([one.received.q_WR if one.received.q_WR.size else unknown for one in instants]),
    )  # fmt: skip
