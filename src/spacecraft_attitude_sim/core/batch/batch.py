# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies advanced together on all cores; each has the same bits as if it were alone.

    batch = Batch(bodies, states)          # N of each
    batch.hold(wrenches)                   # until the next hold
    batch.strike(impulses)                 # now
    batch.advance(ticks=320)
    batch.states                           # (N, 13)

Momentum form; 320 bytes a body, 120 more where watched, plus the arrays of law and sensors.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.core.batch import python_law, run_summary
from spacecraft_attitude_sim.core.batch.commands import FOR_EVER, HeldCommands, Holding, kinds_of
from spacecraft_attitude_sim.core.batch.compiled_law import CompiledLaw, FittedLaw
from spacecraft_attitude_sim.core.batch.joints import EVERY_BODY, Joints, joints_of, stored_B
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    KEPT_SIZE,
    LANES,
    MOMENTA,
    STATE,
    WEIGHT,
    WRENCH,
    fill_up,
)
from spacecraft_attitude_sim.core.batch.law import Law, Present
from spacecraft_attitude_sim.core.batch.loop import LAW, no_law, run
from spacecraft_attitude_sim.core.batch.python_law import Commander, LawReadings, PythonLaw
from spacecraft_attitude_sim.core.batch.rows import flat_rows, rows_of
from spacecraft_attitude_sim.core.batch.sharing import Shares
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import SIZE, State, Truth
from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks
from spacecraft_attitude_sim.kernels.kernel import Handle

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.actuated import Rows
    from spacecraft_attitude_sim.core.batch.commands import Kind
    from spacecraft_attitude_sim.core.batch.contact import Touching
    from spacecraft_attitude_sim.core.batch.gyrostats import Gyrostats
    from spacecraft_attitude_sim.core.batch.sensors import BatchReadings, Sensors
    from spacecraft_attitude_sim.core.mathematics.layout import Layout
    from spacecraft_attitude_sim.core.simulation import Plant
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

NO_CONTACTS = np.zeros((0, 30))


class Batch:
    """N bodies at one instant; the constructor checks its arguments.

    bodies: (N, 12) of RigidBody.flat, or a sequence of RigidBody
    states: (N, 13) of core.body.state, or a sequence of State
    gravity_W: (3,) or (N, 3) [m/s^2];  substeps: in a tick, 0 to choose them for each body
    law: what commands every body: a function of LawReadings that returns torques (N, 3) [N m] in
        body axes, a dict of core.batch.commands.NAMES or None; a CompiledLaw; a Law; a Commander;
        None for constant wrenches. A function with a method `reset` has it called at the start
    holding: how long commands of a law are held, and limits of torque and force
    watched: whether to keep `merits`;  settled_rate: of Merits [rad/s]
    threads: None for one on every core
    touching: of core.batch.contact, for bodies on floors of their own; they are advanced one
        by one, and one whose contact or motion cannot be computed stays where it is
    gyrostats: of core.batch.gyrostats, for bodies with wheels or in an orbit
    actuated: of core.batch.actuated, for spacecraft in an orbit about the Earth, or whose parts
        have states of their own; with either, `bodies` are the carriers
    sensors: of core.batch.sensors, which are read every tick
    ticks: Ticks, of 1/32 s unless given;  tick: number of ticks advanced
    Raises ValueError for shapes that do not fit.
    """

    def __init__(
        self,
        bodies: Array | Sequence[RigidBody],
        states: Array | Sequence[State],
        *,
        gravity_W: VectorLike = (0.0, 0.0, 0.0),
        substeps: int = 0,
        law: Law | CompiledLaw | PythonLaw | Commander | None = None,
        holding: Holding = FOR_EVER,
        watched: bool = False,
        settled_rate: float = 0.0,
        threads: int | None = None,
        touching: Touching | None = None,
        gyrostats: Gyrostats | None = None,
        actuated: Rows | None = None,
        sensors: Sensors | None = None,
        ticks: Ticks = DEFAULT,
    ) -> None:
        given = bodies
        bodies = flat_rows(bodies, lambda body: body.flat(), 12, 'bodies')
        states = flat_rows(states, lambda state: np.concatenate(state)[:SIZE], SIZE, 'states')
        self.count = len(states)
        if len(bodies) != self.count:
            raise ValueError(f'bodies are {len(bodies)}, states {self.count}; give as many')
        self.tick = 0
        self.ticks = ticks
        self.substeps = substeps
        self.watched = watched
        self.settled_rate = settled_rate
        self._shares = Shares(threads)
        # Tick at which each body has begun: see core.batch.episodes.
        self._starts = np.zeros(self.count, dtype=np.int64)
        self._reached = (math.inf, -math.inf)  # the times of the orbits' tables [s]
        self._rows_kept: list[Array] | None = None
        blocks = -(-self.count // LANES)
        self._blocks = np.zeros((blocks, KEPT_SIZE, LANES))
        self._records = np.zeros((blocks if watched else 0, run_summary.SIZE, LANES))
        fill_up(self._blocks)
        # + 0.0 turns -0.0 into 0.0, as an impulse of zero does.
        self._put(STATE, states + 0.0)
        self._put(BODY, bodies)
        self._put(WEIGHT, bodies[:, 8:9] * np.broadcast_to(gravity_W, (self.count, 3)))
        self._touching: Any = touching and touching._replace(contacts=touching.contacts.copy())
        self._gyrostats: Any = gyrostats and gyrostats.copy()
        self._sensors: Any = sensors and sensors.copy()
        self._actuated: Any = actuated and actuated.copy()
        parts = (
            ('touching', touching), ('gyrostats', gyrostats), ('actuated', actuated),
            ('sensors', sensors),
        )  # fmt: skip
        for name, rows in parts:
            if rows and len(rows[0]) != self.count:
                raise ValueError(f'{name} are {len(rows[0])}, states {self.count}; give as many')
        self._able = bool(self._actuated and self._actuated.needs)
        self._inverse = python_law.inverse_inertias(given, bodies)
        self._set_law(Law(no_law, np.zeros((0, 1)), np.zeros((self.count, 1))))
        if self._actuated and self._sensors:
            self._actuated = self._actuated.begun(states, 0)
        self._run(0)
        self._obey_law(law, holding)

    def _set_law(self, law: Law) -> None:
        """Let the loop obey a Law from now on."""
        self.law, self._constants = law, law.constants
        self._laws = Handle(LAW, law.function)
        if law.function is not no_law:
            self._constants = self._law_rows(law.constants)
        self._memory = self._law_rows(law.memory)

    def _obey_law(self, law: Any, holding: Holding) -> None:
        """Let a law of any sort command from now on."""
        self._compiled: FittedLaw | None = None
        self._commander: Commander | None = None
        if law is None:
            return
        if isinstance(law, Law):
            self._set_law(law)
        elif isinstance(law, CompiledLaw):
            shown = law.shown(self._readings()).shape[1] if law.sees else 0
            self._compiled = law.fitted(self._inverse, self.ticks, self._kinds, holding, shown)
            self._set_law(Law(law.function, self._compiled.constants, self._compiled.memory))
        elif isinstance(law, Commander):
            self._commander = law
        elif callable(law):
            self._commander = HeldCommands(law, self.count, self._kinds, self.commands, holding)
        else:
            raise TypeError(f'law is {law!r}; give a function of LawReadings, or a CompiledLaw')
        if self._commander:
            self._commander.reset()

    @functools.cached_property
    def _crafts(self) -> list[Spacecraft]:
        """The spacecraft, where they are more than bodies."""
        carrying = self._gyrostats or self._actuated
        return [plant.spacecraft for plant in carrying.plants] if carrying else []

    @functools.cached_property
    def _moves(self) -> bool:
        """Whether a spacecraft has parts that move."""
        return any(craft.moves for craft in self._crafts)

    @functools.cached_property
    def _kinds(self) -> tuple[Kind, ...]:
        return kinds_of(self._crafts) if self._crafts else ()

    @functools.cached_property
    def _joints(self) -> Joints | None:
        return joints_of(self._crafts) if self._crafts else None

    @functools.cached_property
    def _bare(self) -> bool:
        return bool(self._actuated and not self._sensors and self._actuated.only_move)

    @property
    def states(self) -> Array:
        """The present states (N, 13) of core.body.state; a copy."""
        return self._rows(self._blocks, STATE, 13)

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Mask (N,) of bodies whose motion could not be computed: one alone raises MotionError.

        Their states are nan, on floors the last valid one; their merits mean nothing.
        """
        lost: NDArray[np.bool_] = ~np.all(np.isfinite(self.states), axis=1)
        if self._touching:
            from spacecraft_attitude_sim.core.contact.solver.layout import FINE, STATUS

            lost |= self._touching.contacts[:, STATUS] != FINE
        return lost

    @property
    def wrenches(self) -> Array:
        """The present wrenches (N, 12), without gravity; a copy."""
        return self._rows(self._blocks, WRENCH, 12)

    @property
    def memory(self) -> Array:
        """The law's present memory (N, any); a copy."""
        memory = self._memory[: self.count]
        return (self._compiled.memory_of(memory) if self._compiled else memory).copy()

    @property
    def internal(self) -> Array:
        """The axial momenta (N, n) of wheels [N m s], or the states of other actuators; a copy.

        Nan for a body that is lost.
        """
        carrying = self._gyrostats or self._actuated
        return np.array(carrying.internal if carrying else np.zeros((self.count, 0)))

    @property
    def commands(self) -> Array:
        """Present commands (N, any) of actuators, of ideal wheels their torques; a copy."""
        if self._gyrostats:
            return np.asarray(self._gyrostats.torques)
        return self._actuated.commands.copy() if self._actuated else np.zeros((self.count, 0))

    @property
    def contacts(self) -> Array:
        """The present flat contacts (N, 30) of core.contact, of bodies on floors; a copy."""
        return self._touching.contacts.copy()

    @property
    def readings(self) -> BatchReadings:
        """The core.batch.sensors.BatchReadings of this tick, where there are sensors; a copy."""
        return self._sensors.named()

    @property
    def sensor_memory(self) -> Array:
        """What the sensors remember (N, any), where there are sensors; a copy."""
        return np.array(self._sensors.memory)

    def readings_of(self, sensor: Any) -> Any:
        """Return the readings of sensors of a class of core.sensors (N, any); nan without one."""
        return self._sensors.readings_of(sensor)

    @property
    def merits(self) -> run_summary.Merits:
        """The run_summary.Merits of every body since the start, where watched."""
        return run_summary.merits(
            self._rows(self._records, 0, run_summary.SIZE), self.tick, self.ticks
        )

    @property
    def bytes_per_body(self) -> float:
        """Memory that this batch uses for a body."""
        arrays = (self._blocks, self._records, self._constants, self._memory)
        kept = sum(array.nbytes for array in arrays) / (len(self._blocks) * LANES)
        others = (*(self._gyrostats or ()), *(self._actuated or ()), self._sensors)
        rest = (*(self._touching.arguments if self._touching else ()), *others)
        return kept + sum(getattr(part, 'nbytes', 0) for part in rest) / self.count

    def hold(self, wrenches: Array) -> None:
        """Hold wrenches (N, 12), or one (12,) for all, of core.body.loads, from now on."""
        wrenches = rows_of(wrenches, self.count, 12, 'wrenches')
        if self._commander:
            self._commander.begin(wrenches)
        self._put(WRENCH, wrenches)

    def strike(self, impulses: Array) -> None:
        """Apply impulses (N, 6), or one (6,) for all, of core.body.loads, now.

        On a floor an impulse may lift the body, hit the floor with it, or make it slip.
        """
        impulses = rows_of(impulses, self.count, 6, 'impulses')
        struck = np.flatnonzero(impulses.any(axis=1))
        if self._actuated:
            self._put(STATE, self._actuated.struck(self.states, impulses))
        else:
            momenta = self._rows(self._blocks, MOMENTA, 6)
            momenta[struck] += impulses[struck]
            self._put(MOMENTA, momenta)
        if self._touching and len(struck):
            from spacecraft_attitude_sim.core.batch.contact import begin_anew

            time, rest = self.ticks.seconds(self.tick), self._touching.arguments
            self._shares.share(
                len(struck),
                lambda first, last: begin_anew(self._blocks, struck[first:last], time, *rest),
            )

    def advance(self, ticks: int = 1) -> None:
        """Advance every body by a number of ticks.

        Raises ValueError where a body's orbit is not known for this time, and where a law fails: a
        compiled one then leaves bodies at different ticks.
        """
        last = self.tick + ticks
        while self.tick < last:
            some = last - self.tick
            if self._commander:
                self._obey(self._commander)
                some = 1
            if self._compiled and self._compiled.law.sees:
                self._compiled.show(self._memory, self._readings())
                some = 1
            if self.law.before:
                memory = self._memory[: self.count]
                self.law.before(Present(
                    self.tick, self.ticks, self._starts, self._sensors, memory, self._shares,
                    lambda: (self.states, self.internal),
                ))  # fmt: skip
                some = 1
            if self._actuated and self._actuated.around:
                from spacecraft_attitude_sim.core.batch.actuated import STRETCH

                ahead = min(last - self.tick, max(1, int(STRETCH / self.ticks.step)))
                some = min(some, ahead)
                self._reach(ahead)
            try:
                self._run(some)
            finally:
                if self._compiled:
                    self._compiled.check(self._constants, self._memory[: self.count], self.ticks)
            self.tick += some

    def change_parts(self, n: int, plant: Plant) -> None:
        """Let body n of `actuated` have the parts of a Plant, of the same layout, from now on."""
        self._actuated = self._actuated.with_parts(n, plant)

    def change_law(self, n: int, first: int, constants: Array) -> None:
        """Let the law of body n have other constants from a number `first` on, from now on."""
        self._constants[n, first : first + len(constants)] = constants

    def _reach(self, ticks: int) -> None:
        """Let the tables of the orbits cover the next ticks; ValueError where one is not known."""
        first, last = self.tick - self._starts.max(), self.tick + ticks - self._starts.min()
        begin, end = self.ticks.seconds(int(first)), self.ticks.seconds(int(last))
        if not self._reached[0] <= begin <= end <= self._reached[1]:
            self._actuated = self._actuated.reaching(begin, end)
            self._reached = begin, end

    def followed(self, ticks: int) -> Array:
        """Advance by a number of ticks, and return (N, ticks, any) what each of them ended with.

        A row has the parts of `kept_layout`. Only for `actuated` with sensors.
        """
        self._rows_kept = []
        try:
            self.advance(ticks)
            return np.concatenate(self._rows_kept, axis=1)
        finally:
            self._rows_kept = None

    @functools.cached_property
    def kept_layout(self) -> Layout:
        """The Layout of a row of `followed`."""
        from spacecraft_attitude_sim.core.batch.actuated import kept_layout

        parts = self._actuated.internal, self._actuated.commands, self._sensors.readings
        return kept_layout(*(rows.shape[1] for rows in parts))

    def _kept_rows(self, ticks: int) -> Array:
        """Return where to write the rows of `followed` of so many ticks; empty to keep none."""
        if self._rows_kept is None or not ticks:
            return np.zeros((1, 1, 0))
        kept = np.full((self.count, ticks, self.kept_layout.size), np.nan)
        self._rows_kept.append(kept)
        return kept

    def _obey(self, commander: Commander) -> None:
        """Let act what a Commander commands at this tick."""
        acting = commander.acting(self._readings(), self.lost)
        self._put(WRENCH, acting.wrenches)
        if self._gyrostats:
            self._gyrostats.command(acting.commands)
        if self._actuated:
            self._actuated.commands[:] = acting.commands
        if acting.impulses.any():
            self.strike(acting.impulses)

    def _readings(self) -> LawReadings:
        """Return the LawReadings of the present instant."""
        states, internal = self.states, self.internal
        truth = Truth(
            states[:, 0:3], states[:, 7:10] / self._rows(self._blocks, BODY + 8, 1),
            states[:, 3:7], self._omegas(states, internal), states[:, 10:13],
        )  # fmt: skip
        read = self._sensors.now(self.tick) if self._sensors else None
        now = self.ticks.seconds(self.tick), self.tick, self.ticks.step
        return LawReadings(*now, truth, read, self._joints, np.hstack((states, internal)))

    def _omegas(self, states: Array, internal: Array, bodies: Any = EVERY_BODY) -> Array:
        """Return the angular velocities (M, 3) [rad/s] of the present states of some bodies."""
        stored: Any = python_law.NOTHING_STORED
        if self._gyrostats:
            stored = self._gyrostats.stored_B[:, bodies]
        elif self._actuated:
            if self._moves:
                omegas: Array = self._actuated.omegas[bodies]
                return omegas
            assert self._joints
            stored = stored_B(self._joints.each(lambda rows: rows[bodies]), internal)
        return python_law.rates(states, self._inverse[bodies], stored)

    def _run(self, ticks: int) -> None:
        """Advance by `ticks`; 0 ticks begin records and sensors."""
        count, each = len(self._blocks), LANES if self._able else 1
        if self._touching or (self._actuated and not self._able):
            count = self.count
        self._shares.share(count, self._loop(ticks), each * ticks)

    def _loop(self, ticks: int) -> Callable[[int, int], None]:
        """Return the function that advances a share of the blocks, or of single bodies."""
        loop, rest = run, ()
        if self._touching:
            from spacecraft_attitude_sim.core.batch.contact import run_touching

            loop, rest = run_touching, self._touching.arguments
        if self._gyrostats:
            from spacecraft_attitude_sim.core.batch.gyrostats import run_gyrostats

            loop, rest = run_gyrostats, self._gyrostats.arguments
        if self._actuated:
            from spacecraft_attitude_sim.core.batch.actuated_loop import loop_of

            own = self._sensors, self._kept_rows(ticks), self._starts, self._able
            how = self._bare and not len(self._constants), self.tick > 0
            loop, rest = loop_of(self._actuated, *own, *how)
        stretches, beside = [(self.tick, ticks)], bool(self._sensors and not self._actuated)
        if beside and ticks:
            stretches = [(tick, 1) for tick in range(self.tick, self.tick + ticks)]
        each = 1 if self._touching else LANES

        def go(first: int, last: int) -> None:
            for tick, ticks in stretches:
                loop(
                    self._blocks, self._records, (first, last, tick, ticks), self.ticks.tick_ns,
                    self.substeps, self.settled_rate, self._laws, self._constants, self._memory,
                    *rest,
                )  # fmt: skip
                if beside:
                    self._read(first * each, min(last * each, self.count), tick + ticks)

        return go

    def _read(self, first: int, last: int, tick: int) -> None:
        """Read the sensors of bodies first to last at a tick."""
        contacts = self._touching.contacts if self._touching else NO_CONTACTS
        shared = first, last, tick, self._starts
        if self._gyrostats:
            begin = first // LANES
            rows = self._blocks[begin : -(-last // LANES), STATE : STATE + SIZE].transpose(0, 2, 1)
            states = rows.reshape(-1, SIZE)[first - begin * LANES : last - begin * LANES]
            inside = self._gyrostats.inside(states, *shared)
            self._sensors.read(self._blocks, contacts, *shared, inside)
            return
        self._sensors.read(self._blocks, contacts, *shared)

    def _put(self, row: int, values: Array) -> None:
        """Write values (N, k) into the rows that begin at `row`."""
        block, lane = np.divmod(np.arange(self.count), LANES)
        width = values.shape[1]
        whole = self.count // LANES
        self._blocks[:whole, row : row + width] = (
            values[: whole * LANES].reshape(whole, LANES, width).transpose(0, 2, 1)
        )
        rest = slice(whole * LANES, None)
        self._blocks[block[rest], row : row + width, lane[rest]] = values[rest]

    def _rows(self, blocks: Array, row: int, width: int) -> Array:
        """Return the values (N, width) of the rows that begin at `row`."""
        rows = blocks[:, row : row + width].transpose(0, 2, 1)
        return rows.reshape(-1, width)[: self.count].copy()

    def _law_rows(self, rows: Array) -> Array:
        """Return rows (N, k) of a law, filled up with idle ones to the last lane."""
        rows = np.ascontiguousarray(rows, dtype=float)
        if rows.ndim != 2 or len(rows) != self.count:
            raise ValueError(f'law has arrays of shape {rows.shape}; give {self.count} rows')
        idle = np.repeat(rows[-1:], len(self._blocks) * LANES - self.count, axis=0)
        return np.concatenate((rows, idle))
