# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A batch that a caller commands from tick to tick, and of which each body begins again by itself.

A body that has begun again counts its time and its random numbers from there: it has the bits of a
flight of its own.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.batch import Batch, Law
from spacecraft_attitude_sim.core.batch.command_rows import scheduled
from spacecraft_attitude_sim.core.batch.commands import impulses_of
from spacecraft_attitude_sim.core.batch.joints import EVERY_BODY, stored_B
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE, WRENCH
from spacecraft_attitude_sim.core.batch.loop import COMMANDS, no_law
from spacecraft_attitude_sim.core.batch.python_law import rates
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE, Truth
from spacecraft_attitude_sim.core.sensors import star_tracker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.sensors import Sensors
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.sensors import Suite

# Tables of orbits are made so far ahead [s], where the orbit is known so far.
AHEAD = 3600.0


class Motion(NamedTuple):
    """What N bodies did in T ticks; of a body that is lost nan.

    states: (N, T, 13 + n) with those of the parts;  omegas_B: (N, T, 3) [rad/s]
    wheel_speeds: (N, T, w) that tachometers say [rad/s];  gimbal_angles: (N, T, g) [rad]
    readings: (N, T, any) of all sensors, as Sensors.readings
    """

    states: Array
    omegas_B: Array
    wheel_speeds: Array
    gimbal_angles: Array
    readings: Array


class EpisodeBatch(Batch):
    """N bodies under commands of a caller; each begins again when it is told to.

    bodies, states: as of Batch;  suites: the sensors.Suite of each body that are read
    options: of Batch, without a law and without records
    Raises ValueError as Batch does.
    """

    def __init__(
        self, bodies: Any, states: Any, *, suites: Sequence[Suite], **options: Any
    ) -> None:
        super().__init__(bodies, states, **options)
        self._first_commands = self.commands
        self._seeds = seed_places(self._sensors, suites)
        plants = self._gyrostats.plants if self._gyrostats else ()
        self._in_circles = any(plant.environment.turning for plant in plants)

    @property
    def ages(self) -> NDArray[np.int64]:
        """The ticks (N,) since each body has begun."""
        ages: NDArray[np.int64] = self.tick - self._starts
        return ages

    @property
    def sensors(self) -> Sensors:
        """The core.batch.sensors.Sensors, with present readings; do not change them."""
        found: Sensors = self._sensors
        return found

    @property
    def truths(self) -> Array:
        """What is true now, (N, any) of core.body.kinematics.TRUTH; do not change it."""
        truths: Array = self._sensors.truths
        return truths

    @property
    def rates_B(self) -> Array:
        """The true angular velocities (N, 3) now [rad/s], body axes."""
        return self.truths[:, kinematics.RATE : kinematics.RATE + 3]

    def tachometers(self, bodies: Any = EVERY_BODY) -> Array:
        """Return what the tachometers say (M, n) [rad/s]; (M, 0) without wheels.

        bodies: numbers (M,) of some, or a slice
        """
        states, internal = self.states[bodies], self.internal[bodies]
        if not self._joints:
            return internal[:, :0]
        joints = self._joints.each(lambda rows: rows[bodies])
        omegas = self._omegas(states, internal, bodies)
        truth = Truth(states[:, 0:3], states[:, 7:10], states[:, 3:7], omegas, states[:, 10:13])
        return joints.tachometers(internal, truth)

    def gimbal_angles(self, bodies: Any = EVERY_BODY) -> Array:
        """Return the angles of the gimbals (M, g) [rad] of some bodies; (M, 0) without gyros."""
        internal = self.internal[bodies]
        return self._joints.gimbal_angles(internal) if self._joints else internal[:, :0]

    @property
    def stored_B(self) -> Array:
        """The momentum (N, 3) of the wheels relative to the body [N m s], body axes."""
        joints = self._joints
        if not joints:
            return np.zeros((self.count, 3))
        momenta = joints.inertias * joints.speeds(self.internal, self.rates_B)
        stored: Array = np.einsum('nw,nwk->nk', np.nan_to_num(momenta), joints.axes_B)
        return stored

    def obey(self, wrenches: Array | None = None, commands: Array | None = None) -> None:
        """Let wrenches (N, 12) and commands (N, any) act from now on; None leaves them.

        wrenches: of core.body.loads;  commands: in the order of Batch.commands, within the limits
        """
        if wrenches is not None:
            self._put(WRENCH, wrenches)
        if commands is None or not commands.shape[1]:
            return
        if self._gyrostats:
            self._gyrostats.command(commands)
        if self._actuated:
            self._actuated.commands[:] = commands

    def now(self) -> Motion:
        """Return the Motion of this instant alone: T is 1."""
        seen = self._readings()
        assert seen.read
        return Motion(
            seen.states[:, np.newaxis],
            seen.truth.angular_velocity[:, np.newaxis],
            seen.wheel_speed[:, np.newaxis],
            seen.gimbal_angle[:, np.newaxis],
            seen.read.readings[:, np.newaxis],
        )

    def flown(
        self, rows: Array, strikes: Mapping[str, Array] | None = None, frame: str = 'body'
    ) -> Motion:
        """Advance by T ticks under commands, and return the Motion at the end of each.

        rows: (N, T, 12 + c) of CommandRows
        strikes: {name: (N, T, 3)} of core.batch.commands.STRIKES, at the start of each tick
        frame: axes of the strikes, 'body' or 'world'
        """
        if self._actuated and not (strikes or self._moves):
            return self._flown_at_once(rows)
        each = []
        for tick in range(rows.shape[1]):
            self.obey(rows[:, tick, :COMMANDS], rows[:, tick, COMMANDS:])
            if strikes:
                now = {name: values[:, tick] for name, values in strikes.items()}
                self.strike(impulses_of(now, frame, self.states[:, 3:7], self.lost))
            self.advance()
            each.append(self.now())
        return Motion(*(np.concatenate(parts, axis=1) for parts in zip(*each, strict=True)))

    def _flown_at_once(self, rows: Array) -> Motion:
        """Do what `flown` does, in one call of the compiled loop."""
        ticks = rows.shape[1]
        first = self.tick - self._starts[:, np.newaxis]
        self._set_law(Law(scheduled, rows.reshape(self.count, -1), first.astype(float)))
        try:
            kept = self.followed(ticks)
        finally:
            self._set_law(Law(no_law, np.zeros((0, 1)), np.zeros((self.count, 1))))
        layout = self.kept_layout
        states, readings = kept[:, :, layout.of('state')], kept[:, :, layout.of('readings')]
        return Motion(states, *self._turning(states), readings)

    def _turning(self, states: Array) -> tuple[Array, Array, Array]:
        """Return the angular velocities (N, T, 3), tachometers and gimbal angles of states."""
        count, ticks, size = states.shape
        joints, flat = self._joints, states.reshape(-1, size)
        assert joints
        whole = joints.each(lambda rows: np.repeat(rows, ticks, axis=0))
        inverse = np.repeat(self._inverse, ticks, axis=0)
        omegas = rates(flat, inverse, stored_B(whole, flat[:, SIZE:]))
        truth = Truth(flat[:, 0:3], flat[:, 7:10], flat[:, 3:7], omegas, flat[:, 10:13])
        speeds = whole.tachometers(flat[:, SIZE:], truth)
        angles = whole.gimbal_angles(flat[:, SIZE:])
        shape = count, ticks, -1
        return omegas.reshape(shape), speeds.reshape(shape), angles.reshape(shape)

    def begin_again(
        self,
        bodies: NDArray[np.int64],
        states: Array,
        internal: Array,
        seeds: NDArray[np.int64] | None = None,
    ) -> None:
        """Let some bodies begin again now, with the first commands of their scenarios.

        bodies: (M,) their numbers, in order;  states: (M, 13) of core.body.state
        internal: (M, any) states of their parts
        seeds: (M,) of their sensors, each below 2^32; None keeps the ones they have
        Raises ValueError for bodies on floors, and for some of bodies that have one time.
        """
        if not len(bodies):
            return
        if self._touching:
            raise ValueError('bodies on a floor do not begin again; make another batch')
        if self._in_circles and len(bodies) < self.count:
            raise ValueError(
                'bodies in a circular orbit with ideal wheels have one time; let all begin again, '
                'or give a wheel a max_speed'
            )
        block, lane = np.divmod(bodies, LANES)
        self._starts[bodies] = self.tick
        self._blocks[block, STATE : STATE + SIZE, lane] = states + 0.0
        self._blocks[block, WRENCH : WRENCH + 12, lane] = 0.0
        if self._gyrostats:
            self._gyrostats.put(bodies, internal, self._first_commands[bodies])
        if self._actuated:
            self._actuated.internal[bodies] = internal
            self._actuated.commands[bodies] = self._first_commands[bodies]
            self._reach(1)
            self._actuated.begin(bodies, states)
        self._forget(bodies, seeds)
        begin = self._loop(0) if self._actuated else partial(self._read, tick=self.tick)
        for first, last in runs_of(np.unique(block) if self._able else bodies):
            begin(first, last)

    def _forget(self, bodies: NDArray[np.int64], seeds: NDArray[np.int64] | None) -> None:
        """Make the sensors of bodies those of a start."""
        sensors = self._sensors
        sensors.memory[bodies], sensors.readings[bodies] = np.nan, np.nan
        if len(sensors.last):
            sensors.last[bodies] = star_tracker.NOTHING
        if seeds is not None:
            for place in self._seeds:
                sensors.constants[bodies, place] = seeds

    def _reach(self, ticks: int) -> None:
        """Let the tables of the orbits cover the next ticks, and more if they are known."""
        first, last = self.tick - self._starts.max(), self.tick + ticks - self._starts.min()
        begin, end = self.ticks.seconds(int(first)), self.ticks.seconds(int(last))
        if self._reached[0] <= begin and end <= self._reached[1]:
            return
        try:
            self._actuated = self._actuated.reaching(0.0, end + AHEAD)
            self._reached = 0.0, end + AHEAD
        except ValueError:
            super()._reach(ticks)


def runs_of(numbers: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield (first, last + 1) of each run of numbers without a gap; numbers: (M,), rising."""
    gaps = np.flatnonzero(np.diff(numbers) != 1) + 1
    for run in np.split(numbers, gaps):
        yield int(run[0]), int(run[-1]) + 1


def seed_places(sensors: Sensors, suites: Sequence[Suite]) -> list[int]:
    """Return the columns of Sensors.constants that hold the seeds."""
    places = set()
    for kind in sensors.kinds:
        sensor = suites[int(kind.bodies[0])].sensors[kind.name].sensor
        differences = sensor.constants(1) != sensor.constants(0)
        first = int(sensors.begins[kind.number, 0])
        places |= {first + int(place) for place in np.flatnonzero(differences)}
    return sorted(places)
