# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What `attitude-sim run` reports of a run: its progress, and a summary at its end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.control.response import ResponseLog, attitude_error
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.core.studies.disturbances import DisturbanceMonitor
from spacecraft_attitude_sim.core.studies.flips_and_drifts import DriftMonitor
from spacecraft_attitude_sim.drawing.response_report import RateRecord
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.recording import contact_history, history

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode


class RunObserver:
    """Called at every tick: follows flips and drifts, writes the table, judges the control.

    table: CsvWriter, or None
    reference_at: function from a time [ns] to the reference attitude q_WR (4,) of our controller,
        or to None where it has none; itself None where our controller does not run
    disturbances: DisturbanceMonitor
    mode, impacts: on a floor, contact mode and number of impacts so far; else '' and 0
    works_inside: whether parts that move inside change the energy, and L not
    response: ResponseLog of the controller;  pointing: whether of the attitude error, else of the
        rate error
    rates: RateRecord of a run without our controller
    """

    def __init__(
        self,
        scenario: Scenario,
        table: history.CsvWriter | None = None,
        reference_at: Callable[[int], Quaternion | None] | None = None,
    ) -> None:
        self._plant = plant = scenario.plant
        self._table, self._reference_at = table, reference_at
        self.drifts = DriftMonitor(plant, scenario.first_instant().state)
        self.drifts.acted_on |= bool(
            plant.contact or plant.gravity_W.any() or plant.spacecraft.acts_uncommanded
        )
        self.works_inside = bool(plant.spacecraft.internal)
        self.disturbances = DisturbanceMonitor(plant)
        self.mode = ''
        self.impacts = 0
        self.response = ResponseLog()
        self.pointing = False
        self.rates = RateRecord(plant.ticks.step)

    def __call__(self, instant: Instant) -> None:
        """Add an Instant."""
        time = instant.time
        inputs, plant = instant.inputs, self._plant
        acted_on = bool(instant.applied_B.any() or inputs.moves_actuators)
        self.drifts.add(time, instant.state, acted_on, instant.elapsed_time)
        self.disturbances.add(instant)
        if instant.contact is not None:
            contact = simulation.contact_at(instant)
            self.mode, self.impacts = contact.mode, self.impacts + contact.impacts
        if self._reference_at:
            self._judge(instant, self._reference_at(instant.stamp))
        else:
            rate_B = plant.spacecraft.angular_velocity_B(instant.state)
            commanded = bool(inputs.wrench.any() or inputs.moves_actuators)
            torque_B = simulation.commanded_torque_B(plant, instant)
            self.rates.add(time, rate_B, torque_B, commanded)
        if self._table:
            self._table.write(self._row(time, instant))

    def _row(self, time: float, instant: Instant) -> tuple[float, ...]:
        plant, state = self._plant, instant.state
        free = history.row(
            plant.spacecraft,
            time,
            state,
            simulation.turning_wrench(plant, instant),
            history.acceleration_of(plant, instant),
        )
        energies = flips_and_drifts.energies(plant, state, instant.elapsed_time)
        touching: tuple[float, ...] = ()
        if instant.contact is not None:
            touching = contact_history.row(instant, energies.total)
        whole = history.whole_row(free, state, energies, touching)
        return (*whole, *history.more_row(plant, instant))

    def _judge(self, instant: Instant, q_WR: Quaternion | None) -> None:
        pointing = q_WR is not None
        if pointing != self.pointing:  # a new mode is a new response
            self.response, self.pointing = ResponseLog(), pointing
        if q_WR is None:
            error = self._plant.spacecraft.angular_velocity_B(instant.state)
        else:
            error = attitude_error(q_WR, instant.state.q_WB)
        torque_B = simulation.commanded_torque_B(self._plant, instant)
        self.response.add(instant.time, error, torque_B)


class Progress:
    """The progress of a run on one line of the terminal."""

    def __init__(self, simulator: SimulatorNode, observers: dict[str, RunObserver]) -> None:
        self._name, self._simulator = ', '.join(observers), simulator
        self._observers = list(observers.values())
        self._line = ProgressLine()
        self._shown = (time.monotonic(), 0)

    def show(self) -> None:
        """Update the line where it is due."""
        if not self._line.due():
            return
        run, (then, tick_then) = self._simulator.run, self._shown
        now = time.monotonic()
        self._shown = (now, run.tick)
        factor = run.ticks.seconds(run.tick - tick_then) / (now - then)
        whole = self._simulator.value('duration')
        of_whole = f' of {whole:g} s' if whole else ''
        state = f'{factor:.2f} x real time'
        if self._simulator.waits_for():
            state = f'waiting for {self._simulator.driver.AWAITS}'
        elif run.paused:
            state = f'paused {run.halted}'
        seconds = f'{run.ticks.seconds(run.tick):.2f} s'
        self._line.show(f'{self._name}: {seconds}{of_whole}, {state}, {self._seen()}')

    def _seen(self) -> str:
        """Return what each spacecraft does."""
        return ', '.join(map(_in_a_word, self._observers))

    def end(self) -> None:
        """End the line."""
        self._line.end()


def _in_a_word(observer: RunObserver) -> str:
    if observer.rates.commanded:
        return f'{math.degrees(observer.rates.rate):.3g} deg/s'
    return observer.mode or f'{len(observer.drifts.flips())} flips'
