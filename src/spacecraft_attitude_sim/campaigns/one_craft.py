# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One spacecraft in a compiled loop, with all sensors and perhaps its shipped controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.campaigns.laws import law_of
from spacecraft_attitude_sim.core.actuators import Drive
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.simulation import Instant
from spacecraft_attitude_sim.flight import side_by_side
from spacecraft_attitude_sim.recording.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.batch import Batch
    from spacecraft_attitude_sim.core.mathematics.layout import Layout
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.kernels.kernel import Kernel


def batch_of(scenario: Scenario, first: Instant, *, commanded: bool) -> Batch | None:
    """Return the Batch of one spacecraft; None where it does not fly there."""
    from spacecraft_attitude_sim.core.batch.batch import Batch

    plant = scenario.plant
    if plant.solver.in_batch != 'actuated' or plant.spacecraft.part('thrusters'):
        return None
    try:
        given = side_by_side.arguments_of([scenario], [first])
        law = law_of([scenario]) if commanded else None
    except (CampaignError, ValueError):
        return None
    return Batch(**given, law=law, threads=1)


def kernels_of(scenario: Scenario) -> list[Kernel]:
    """Return the kernels of the loop that flies a scenario with its controller."""
    from spacecraft_attitude_sim.core.batch.actuated import run_actuated
    from spacecraft_attitude_sim.core.batch.attitude_law import obey_controller

    aboard = []
    if scenario.estimator:
        from spacecraft_attitude_sim.core.batch.estimates import take_all

        aboard.append(take_all)
    return [
        run_actuated, obey_controller, *aboard,
        *(part.function for part in scenario.sensors.sensors.values()),
    ]  # fmt: skip


def instants_of(scenario: Scenario, layout: Layout, rows: Array, first: int) -> Iterator[Instant]:
    """Yield the Instants of rows (ticks, any) of Batch.followed, without readings.

    layout: of a row;  first: tick of the first row
    """
    craft, ticks = scenario.plant.spacecraft, scenario.plant.ticks
    state, wrench, commands, end, _ = map(layout.of, layout.widths)
    for tick, row in enumerate(rows, first):
        inputs = craft.inputs_of(row[commands])._replace(wrench=row[wrench])
        drive = Drive(row[wrench], end=row[end])
        yield Instant(tick, from_flat(row[state]), inputs, tick, drive, ticks=ticks)
