# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What `attitude-sim run` reports: the progress, and data for a summary at the end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core import sensors, simulation
from spacecraft_attitude_sim.core.control.response import ResponseLog, attitude_error
from spacecraft_attitude_sim.core.environment.loads import (
    bearing,
    gravity_gradient,
    residual_dipole,
)
from spacecraft_attitude_sim.core.simulation.energy_book import EnergyBook, IdealBook, book_of
from spacecraft_attitude_sim.core.studies.disturbances import DisturbanceMonitor
from spacecraft_attitude_sim.core.studies.flips_and_drifts import DriftMonitor
from spacecraft_attitude_sim.drawing.response_report import RateRecord
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.recording import history, run_history
from spacecraft_attitude_sim.recording.table import moment_of
from spacecraft_attitude_sim.runs.fault_spans import FaultSpans
from spacecraft_attitude_sim.runs.merit_log import MeritLog

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.environment import Environment
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant, Plant
    from spacecraft_attitude_sim.core.spacecraft.channels import Moment
    from spacecraft_attitude_sim.nodes.attitude_estimator.node import AttitudeEstimatorNode
    from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode


class RunObserver:
    """Called at every tick: records flips, drifts and control errors, and writes the table.

    table: CsvWriter, or None
    reference_at: function from a time [ns] to our controller's reference attitude q_WR (4,) or
        None; it is None itself if our controller does not run
    tally: Tally of the sensor readings, or None for a new one that nothing updates
    book: EnergyBook, or None for a new one that nothing updates
    estimator: the attitude_estimator node that runs, or None
    drifts: DriftMonitor; under our controller, which changes L and energy, only of flips
    disturbances: DisturbanceMonitor;  faults: FaultSpans
    mode, impacts: on a floor, contact mode and number of impacts so far; else '' and 0
    works_inside: whether internal parts change the energy but not L
    pushed: whether an external force or torque has acted, so that L may change
    keep_row: whether to compute the row of a table even without a table;  row: the latest
    error: angle to the reference [rad], NaN without a reference
    response: ResponseLog of the controller;  pointing: whether it is about the attitude error
        instead of the rate error
    rates: RateRecord of a run without our controller
    log: MeritLog of a run with our controller or estimator, else None
    """

    def __init__(
        self,
        scenario: Scenario,
        table: history.CsvWriter | None = None,
        reference_at: Callable[[int], Quaternion | None] | None = None,
        tally: sensors.Tally | None = None,
        book: EnergyBook | IdealBook | None = None,
        estimator: AttitudeEstimatorNode | None = None,
    ) -> None:
        self._plant = plant = scenario.plant
        first = scenario.first_instant().state
        self._book = book or book_of(plant, first)
        self._table, self._reference_at = table, reference_at
        self.tally = tally or sensors.Tally(plant.spacecraft.sensors)
        self.drifts = DriftMonitor(plant, first)
        self.drifts.acted_on |= bool(
            plant.contact or plant.gravity_W.any() or plant.spacecraft.acts_uncommanded
        )
        self.works_inside = bool(plant.spacecraft.internal)
        self.pushed = _pushed_uncommanded(plant)
        self.disturbances = DisturbanceMonitor(plant)
        self.faults = FaultSpans(plant)
        self.mode = ''
        self.impacts = 0
        self.response = ResponseLog()
        self.pointing = False
        self.keep_row, self.row = False, tuple[float, ...]()
        self.error = math.nan
        self.rates = RateRecord(plant.ticks.step)
        self.log = MeritLog(plant) if reference_at or estimator else None
        if estimator and self.log:
            estimator.heard_by.append(self.log.know)

    def __call__(self, instant: Instant) -> None:
        """Add an Instant."""
        time = instant.time
        inputs, plant = instant.inputs, self._plant
        applied, moves = bool(instant.applied_B.any()), inputs.moves_actuators
        if self._reference_at:
            self.drifts.look_for_flip(time, instant.state)
        else:
            self.drifts.add(time, instant.state, applied or moves, instant.elapsed_time)
        dipole = inputs.dipole.any() and _has_field(plant.environment)
        self.pushed |= bool(applied or inputs.thrust.any() or dipole)
        self.disturbances.add(instant)
        self.faults.add(instant)
        if instant.contact is not None:
            contact = simulation.contact_at(instant)
            self.mode, self.impacts = contact.mode, self.impacts + contact.impacts
        q_WR = self._reference_at(instant.stamp) if self._reference_at else None
        torque_B = simulation.commanded_torque_B(plant, instant)
        now = moment_of(plant, instant)
        if self.log:
            self.log.add(instant, now, q_WR, torque_B)
        if self._reference_at:
            self._judge(instant, now, q_WR, torque_B)
        else:
            commanded = moves or bool(inputs.wrench.any())
            self.rates.add(time, now.omega_B, torque_B, commanded)
        if self._table or self.keep_row:
            entries = self._book.entries(instant.state) if self._book else None
            self.row = run_history.row_of(plant, instant, entries, now)
        if self._table:
            self._table.write(self.row)

    @property
    def has_reference(self) -> bool:
        """Whether our controller runs; it may have a reference attitude."""
        return self._reference_at is not None

    def _judge(
        self, instant: Instant, now: Moment, q_WR: Quaternion | None, torque_B: Vector3
    ) -> None:
        pointing = q_WR is not None
        if pointing != self.pointing:  # a new mode begins a new response
            self.response, self.pointing = ResponseLog(), pointing
        self.error = math.nan
        if q_WR is None:
            error = now.omega_B
        else:
            error = attitude_error(q_WR, instant.state.q_WB)
            self.error = math.hypot(*error)
        self.response.add(instant.time, error, torque_B)


def _pushed_uncommanded(plant: Plant) -> bool:
    """Return whether an external load acts without a command."""
    craft, environment = plant.spacecraft, plant.environment
    # Field and gravity are asked for below. The tidal force moves the spacecraft and does not turn
    # it.
    apart = {residual_dipole.KIND, bearing.KIND}
    if environment.surroundings is None or not environment.gradient:
        apart.add(gravity_gradient.KIND)
    in_field = _has_field(environment)
    return bool(
        plant.contact
        or plant.gravity_W.any()
        or any(load.kind not in apart for load in environment.turning)
        or any(part.is_pushed(in_field) for part in craft.parts)
    )


def _has_field(environment: Environment) -> bool:
    return environment.surroundings is not None or bool(environment.magnetic_field_W.any())


class Progress:
    """The progress of a run on one line of the terminal."""

    def __init__(self, simulator: SimulatorNode, observers: dict[str, RunObserver]) -> None:
        self._name, self._simulator = ', '.join(observers), simulator
        self._observers = list(observers.values())
        self._line = ProgressLine(logged=True)
        self._shown = (time.monotonic(), 0)

    def show(self) -> None:
        """Update the line if it is due; in a log only while the run waits for something."""
        compiling = warm_up.compiling()
        if not self._line.due() or not (compiling or self._line.renewed):
            return
        run, (then, tick_then) = self._simulator.run, self._shown
        now = time.monotonic()
        self._shown = (now, run.tick)
        factor = run.ticks.seconds(run.tick - tick_then) / (now - then)
        whole = self._simulator.value('duration')
        of_whole = f' of {whole:g} s' if whole else ''
        state = f'{factor:.2f} x real time'
        if self._simulator.driver.waits_for():
            state = f'waiting for {self._simulator.driver.AWAITS}'
        elif run.paused:
            state = f'paused {run.halted}'
        more = self._seen()
        if compiling:  # what matters first: a terminal may have room for 80 characters
            waits = warm_up.too_slow(run.rate > 0.0)
            state, more = 'waits' if waits else 'runs in Python', compiling
        seconds = f'{run.ticks.seconds(run.tick):.2f} s'
        self._line.show(f'{self._name}: {seconds}{of_whole}, {state}, {more}')

    def _seen(self) -> str:
        """Return the text about each spacecraft."""
        return ', '.join(map(_in_a_word, self._observers))

    def end(self) -> None:
        """End the line."""
        self._line.end()


def _in_a_word(observer: RunObserver) -> str:
    if observer.rates.commanded:
        return f'{math.degrees(observer.rates.rate):.3g} deg/s'
    return observer.mode or f'{len(observer.drifts.flips())} flips'
