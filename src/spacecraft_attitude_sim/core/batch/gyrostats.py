# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies with wheels or in orbits, LANES of them side by side, for core.batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    KEPT_SIZE,
    LANES,
    RECORD,
    WRENCH,
    is_lost,
)
from spacecraft_attitude_sim.core.batch.loaded_lanes import (
    AXIS,
    BEGIN,
    GRADIENT,
    INERTIA,
    INSIDE,
    LOADED_SIZE,
    MOMENTUM,
    MOTORS,
    STORED,
    TORQUE,
    WHEEL,
    add_up,
    advance_lanes,
    begin_records,
    drive_wheels,
    fly,
    follow_lanes,
    give_up_lanes,
    turn_loads,
)
from spacecraft_attitude_sim.core.batch.loop import (
    COMMANDS,
    RUN,
    SEEN_SIZE,
    obey,
    read_rows,
    write_rows,
)
from spacecraft_attitude_sim.core.batch.sensors import INSIDE as FELT
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat
from spacecraft_attitude_sim.core.environment.circular_orbit import CIRCLE
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import Kernel, lanes_as
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.simulation import Plant

# Types of Gyrostats.arguments.
GYROSTATS = 'float64[:, :, :, ::1], float64[:, :, ::1]'


class Gyrostats(NamedTuple):
    """The wheels and orbits of N bodies; a body with fewer wheels than others has idle ones.

    plants: of each
    wheels: (blocks, n, 6, LANES) of WHEEL;  gradient: (blocks, 13, LANES) of CIRCLE
    """

    plants: Sequence[Plant]
    wheels: Array
    gradient: Array

    @property
    def arguments(self) -> tuple:
        """The arguments of `run_gyrostats` after those of core.batch.loop.run."""
        return self[1:]

    @property
    def internal(self) -> Array:
        """The axial momenta (N, n) of the wheels now [N m s]; a copy."""
        momenta = self.wheels[:, :, MOMENTUM].transpose(0, 2, 1)
        rows = momenta.reshape(len(momenta) * LANES, momenta.shape[2])
        return rows[: len(self.plants)].copy()

    @property
    def stored_B(self) -> Array:
        """Angular momenta (3, N) of the wheels now, body axes [N m s], to the bits of `add_up`."""
        return np.ascontiguousarray(self._along(MOMENTUM, 0, len(self.plants)).T)

    @property
    def torques(self) -> Array:
        """The torques (N, n) of the motors [N m]; a copy."""
        torques = self.wheels[:, :, TORQUE].transpose(0, 2, 1)
        rows = torques.reshape(len(torques) * LANES, torques.shape[2])
        return rows[: len(self.plants)].copy()

    def command(self, torques: Array) -> None:
        """Let the motors exert torques (N, n) [N m] from now on."""
        block, lane = np.divmod(np.arange(len(self.plants)), LANES)
        self.wheels[block, :, TORQUE, lane] = torques

    def put(self, bodies: NDArray[np.int64], momenta: Array, torques: Array) -> None:
        """Give some bodies other momenta (M, n) [N m s] and torques of motors (M, n) [N m]."""
        block, lane = np.divmod(bodies, LANES)
        self.wheels[block, : momenta.shape[1], MOMENTUM, lane] = momenta
        self.wheels[block, :, TORQUE, lane] = torques

    def copy(self) -> Gyrostats:
        """Return an independent copy."""
        return self._replace(wheels=self.wheels.copy())

    def inside(self, states: Array, first: int, last: int, tick: int, starts: Array) -> Array:
        """Return (N, 10) of core.batch.sensors.INSIDE for bodies first to last at a tick.

        states: (last - first, 13) of core.body.state, of these bodies
        starts: (N,) tick at which each body has begun
        """
        rows, own, ages = (
            np.zeros((len(self.plants), FELT.size)),
            slice(first, last),
            tick - starts,
        )
        rows[own, 0:3] = self._along(MOMENTUM, first, last)
        torques = self._along(TORQUE, first, last)
        rows[own, 3:6] = np.where(ages[own, np.newaxis] > 0, torques, 0.0)
        rows[own, FELT.of('torque_B')], rows[own, FELT.at('zero')] = -0.0, -0.0
        for n in range(first, last):
            plant, row = self.plants[n], rows[n]
            for load in plant.environment.turning:
                state, time = from_flat(states[n - first]), plant.ticks.seconds(int(ages[n]))
                row[FELT.of('torque_B')] += load.torque_B(plant.body, state, time)
                row[FELT.at('zero')] = 0.0
        return rows

    def _along(self, row: int, first: int, last: int) -> Array:
        """Return Σ amount_i a_i (last - first, 3) of bodies, with the bits of `add_up`.

        row: of the amounts in WHEEL
        """
        begin, end = first // LANES, -(-last // LANES)
        total = np.zeros((end - begin, 3, LANES))
        for wheel in self.wheels[begin:end].transpose(1, 2, 0, 3):
            total += (wheel[row] * wheel[AXIS : AXIS + 3]).transpose(1, 0, 2)
        rows = total.transpose(0, 2, 1).reshape(-1, 3)
        return rows[first - begin * LANES : last - begin * LANES]


def gyrostats(plants: Sequence[Plant], states: Sequence[State], torques: Sequence) -> Gyrostats:
    """Return the Gyrostats of bodies.

    plants: N with core.simulation.solver.Loaded;  torques: of the motors of each [N m]
    Raises ValueError for a load of the environment that the compiled loop does not have.
    """
    for plant in plants:
        plant.solver.check_loads(plant.environment)
    craft = [plant.spacecraft for plant in plants]
    blocks = -(-len(craft) // LANES)
    count = max(one.layout.size for one in craft)
    wheels = np.zeros((blocks, count, WHEEL.size, LANES))
    gradient = np.zeros((blocks, CIRCLE.size, LANES))
    wheels[:, :, INERTIA] = 1.0
    for n, (one, state, torque) in enumerate(zip(craft, states, torques, strict=True)):
        gradient[n // LANES, :, n % LANES] = plants[n].gradient
        if own_wheels := one.part(ReactionWheels):
            own = wheels[n // LANES, : own_wheels.number, :, n % LANES]
            own[:, MOMENTUM], own[:, AXIS : AXIS + 3] = state.internal, own_wheels.axes_B
            own[:, INERTIA] = own_wheels.inertias
            own[: len(torque), TORQUE] = torque
    return Gyrostats(plants, wheels, gradient)


@lanes_as(f'void({RUN}, {GYROSTATS})')
def run_gyrostats(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array, wheels: Array,
    gradient: Array,
) -> None:  # fmt: skip
    """Advance blocks of bodies as core.batch.loop.run does.

    A body whose motion cannot be computed is nan from there on, and so are its wheels.

    wheels, gradient: of Gyrostats
    """
    first, last, tick, ticks = span
    watched, lawful = len(records) > 0, len(constants) > 0
    step = seconds_of(1, tick_ns)
    w = from_line(np.zeros((LOADED_SIZE + 1, LANES)))
    state, body, count = np.zeros(SEEN_SIZE), np.empty(12), wheels.shape[1]
    wrench = np.empty(COMMANDS + count)
    constants, memory, law = borrowed(constants), borrowed(memory), laws[0]
    for b in range(first, last):
        read_rows(w, 0, KEPT_SIZE, blocks, b)
        read_rows(w, GRADIENT, len(gradient[b]), gradient, b)
        add_up(w, INSIDE + STORED, wheels[b], MOMENTUM)
        add_up(w, INSIDE + MOTORS, wheels[b], TORQUE)
        turn_loads(w)
        fly(w, BEGIN, seconds_of(tick, tick_ns), 0, 0.0)
        if watched:
            read_rows(w, RECORD, run_summary.SIZE, records, b)
            if ticks == 0:
                begin_records(w, wheels[b], settled_rate)
        for k in range(tick, tick + ticks):
            if lawful:
                for i in range(LANES):
                    if is_lost(w, i):
                        continue
                    n = b * LANES + i
                    for j in range(3):
                        state[SIZE + j] = w[INSIDE + STORED + j, i]
                    for j in range(count):
                        wrench[COMMANDS + j] = wheels[b, j, TORQUE, i]
                    obey(w, i, k, law, constants[n], memory[n], state, body, wrench)
                    for j in range(count):
                        wheels[b, j, TORQUE, i] = wrench[COMMANDS + j]
                add_up(w, INSIDE + MOTORS, wheels[b], TORQUE)
                turn_loads(w)
            advance_lanes(w, seconds_of(k, tick_ns), step, substeps)
            drive_wheels(wheels[b], step)
            add_up(w, INSIDE + STORED, wheels[b], MOMENTUM)
            give_up_lanes(w, wheels[b], step, substeps)
            fly(w, BEGIN, seconds_of(k + 1, tick_ns), 0, 0.0)
            if watched:
                follow_lanes(w, wheels[b], k + 1, settled_rate)
        write_rows(w, 0, WRENCH + 12 if lawful else BODY, blocks, b)
        if watched:
            write_rows(w, RECORD, run_summary.SIZE, records, b)
