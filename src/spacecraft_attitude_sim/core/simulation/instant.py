# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Everything about one instant of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.actuators import Drive, Inputs
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.sensors import Readings


class MotionError(ArithmeticError):
    """The equations of motion cannot go on; the text says which, when, why, and the remedy."""


class Instant(NamedTuple):
    """Everything about one instant of a run.

    tick: its number;  state: State;  inputs: commands of the tick that ended here
    elapsed: ticks since the start or the last reset: the time of moving floors and orbits
    drive: effect of the actuators in that tick
    contact: (30,) flat contact of core.contact; None without a floor
    readings: of the sensors, core.sensors.Readings; None where they were not read
    ticks: Ticks of its run
    """

    tick: int
    state: State
    inputs: Inputs = Inputs()
    elapsed: int = 0
    drive: Drive = Drive()
    contact: Array | None = None
    readings: Readings | None = None
    ticks: Ticks = DEFAULT

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.ticks.seconds(self.tick)

    @property
    def stamp(self) -> int:
        """Simulated time [ns]."""
        return self.tick * self.ticks.tick_ns

    @property
    def elapsed_time(self) -> float:
        """Time since the start or the last reset [s]."""
        return self.ticks.seconds(self.elapsed)

    def stamp_before(self, age: int) -> int:
        """Return the simulated time of `age` ticks before [ns]."""
        return (self.tick - age) * self.ticks.tick_ns

    def stamp_of(self, sensor: str) -> int:
        """Return when the reading was made that comes of a sensor at this instant [ns]."""
        if self.readings and sensor in (ages := self.readings.delivery.ages):
            return self.stamp_before(ages[sensor])
        return self.stamp

    @property
    def applied_B(self) -> Array:
        """Commanded force and torque (6,) [N, N m], body axes of this instant.

        The present wrench, and the impulse spread over the tick; without the environment.
        """
        return loads.applied_B(
            self.drive.wrench, self.inputs.impulse, self.state.q_WB, self.ticks.step
        )
