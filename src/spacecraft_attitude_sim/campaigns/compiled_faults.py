# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults in the compiled flights of a campaign: which of them there are, and what they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.configuration import attitude_controller
from spacecraft_attitude_sim.core.batch import broken_commands
from spacecraft_attitude_sim.core.batch.hearing import Hearing
from spacecraft_attitude_sim.core.faults import on_parts, timetable
from spacecraft_attitude_sim.core.faults.on_readings import LATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.batch import Batch
    from spacecraft_attitude_sim.core.batch.flight_log import FlightLog, Played
    from spacecraft_attitude_sim.core.batch.law import Law
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation import Plant

# Kinds by which a reading of the IMU comes late or not at all.
LOSING = ('silent', 'lost', LATE)
STEERING = 'imu', 'magnetometer'


def check(scenario: Scenario) -> None:
    """Raise ValueError for a fault or latency that has no compiled form: it flies in Python."""
    craft, own = scenario.plant.spacecraft, scenario.controller
    assert own, 'a scenario with an attitude_controller'
    if late := scenario.sensors.latencies:
        raise ValueError(f'latency of {", ".join(late)}: each reading comes late')
    broken_commands.rows_of([craft])
    ordered = own[attitude_controller.MISSION]
    for number in timetable.spans_of(craft.faults):
        fault = craft.faults[number]
        if fault.kind == LATE and fault.sensor in STEERING and not ordered:
            raise ValueError(f'fault {fault.name}: late readings, of which no mission tells')
        delays = own['controller_delay'] > 0.0
        if fault.sensor == 'imu' and fault.kind in LOSING and delays:
            raise ValueError(f'fault {fault.name}: readings are lost, and commands are delayed')


def hearing_of(scenarios: Sequence[Scenario]) -> Hearing | None:
    """Return the Hearing of spacecraft; None where no sensor has a fault that may act."""
    spans = [timetable.spans_of(scenario.plant.spacecraft.faults) for scenario in scenarios]
    hearing = Hearing([scenario.sensors for scenario in scenarios], spans)
    return hearing if hearing else None


def rows_kept(scenario: Scenario, history_ns: int) -> int:
    """Return how many readings an estimator keeps so that late ones count as in a flight alone.

    history_ns: age of the oldest that counts
    """
    suite, ticks = scenario.sensors, scenario.plant.ticks
    acting = timetable.spans_of(scenario.plant.spacecraft.faults)
    if not any(fault.number in acting for fault in suite.faults):
        return 0
    return 2 * len(suite.sensors) * (history_ns // ticks.tick_ns + 4)


class Change(NamedTuple):
    """What changes in a spacecraft of a batch before a tick.

    n: number of the spacecraft;  plant: whose parts it has from then on, None for as before
    tachometers: rows of TACHOMETER by which its controller reads the wheels, None for as before
    """

    tick: int
    n: int
    plant: Plant | None = None
    tachometers: Array | None = None

    def made(self, batch: Batch, log: FlightLog | None) -> None:
        """Change it; log: that commands the batch."""
        if self.plant:
            batch.change_parts(self.n, self.plant)
        if self.tachometers is not None and log:
            log.change_tachometers(batch, self.n, self.tachometers)


def changes_of(scenarios: Sequence[Scenario], law: Law | Played | None) -> list[Change]:
    """Return what faults change in the parts of spacecraft, the last Change first."""
    changes: list[Change] = []
    played = getattr(law, 'faults', None)
    for n, scenario in enumerate(scenarios):
        plant, faults = scenario.plant, scenario.plant.spacecraft.faults
        if not plant.spacecraft.coupled or not any(map(on_parts.changes, faults)):
            continue
        if played is not None:
            changes += [Change(tick, n, plant.under(ages)) for tick, ages in played[n]]
            continue
        for tick in timetable.changes(faults):
            under = plant.under(timetable.ages_at(faults, tick))
            rows = under.spacecraft.part('reaction_wheels').tachometer_rows
            # They are read when the tick has ended.
            changes += [Change(tick, n, plant=under), Change(tick + 1, n, tachometers=rows)]
    return sorted(changes, key=lambda change: change[:2], reverse=True)
