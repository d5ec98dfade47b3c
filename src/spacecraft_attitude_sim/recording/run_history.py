# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The table and the History of a run that was simulated in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.simulation import commanded_torque_B
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.recording import (
    contact_history,
    craft_history,
    knowledge_history,
    orbit_history,
)
from spacecraft_attitude_sim.recording.craft_history import Control, History
from spacecraft_attitude_sim.recording.table import (
    base_columns,
    columns,
    free_row,
    moment_of,
    part_columns,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation import Instant, Plant
    from spacecraft_attitude_sim.core.simulation.energy_book import Entries
    from spacecraft_attitude_sim.core.spacecraft.channels import Moment
    from spacecraft_attitude_sim.flight.record import Known


def row_of(
    plant: Plant, instant: Instant, entries: Entries | None, now: Moment
) -> tuple[float, ...]:
    """Return the numbers of history.columns at an Instant.

    entries: of the energy book, or None;  now: from `moment_of`
    """
    state, free = instant.state, free_row(plant, instant)
    energies = flips_and_drifts.energies(plant, state, instant.elapsed_time)
    touching: tuple[float, ...] = ()
    if instant.contact is not None:
        touching = contact_history.row(instant, energies.total)
    whole = base_columns(free, state, energies, touching)
    around = orbit_history.row(plant, instant)
    return (*whole, *part_columns(plant, instant, entries, now, around))


def names_of(found: Scenario) -> tuple[str, ...]:
    """Return the column names of a run."""
    return columns(found.plant.contact is not None, found.plant)


def of_record(
    found: Scenario,
    instants: Sequence[Instant],
    entries: Sequence[Entries | None],
    references: Array | None = None,
    every_known: Sequence[Known] = (),
) -> tuple[Array, History]:
    """Return the table of a run (n, len(names_of)) and its History.

    entries: of the energy book at each Instant, or None
    references: (n, 4) reference attitudes, NaN if there was none; None without commands
    every_known: all that an estimator said
    """
    plant, names = found.plant, names_of(found)
    # Each keeps what its channels have computed, for the table and for the History.
    moments = [moment_of(plant, instant) for instant in instants]
    each = zip(instants, entries, moments, strict=True)
    table = np.array([row_of(plant, *instant) for instant in each])
    whole = craft_history.of_table(names, table)
    if references is not None:
        torques_B = np.array([commanded_torque_B(plant, instant) for instant in instants])
        whole = whole._replace(control=Control(torques_B, references))
    knowledge = knowledge_history.of_run([instant.stamp for instant in instants], every_known)
    whole = whole._replace(knowledge=knowledge)
    if plant.contact:
        whole = craft_history.on_floor_of(whole, found)
    if not plant.beyond_rigid_body:
        return table, whole
    around = table[:, [names.index(name) for name in orbit_history.columns(plant.environment)]]
    return table, craft_history.with_parts(whole, found, moments, instants, around)
