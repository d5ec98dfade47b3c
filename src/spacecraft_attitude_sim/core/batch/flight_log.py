# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The log of a flight in a batch: pointing, wheels and commanded torque at every tick.

A log takes the place of the law of a batch. At every tick it records the true motion and the
commands of the tick that ends there, adds them to its sums, and calls the law that it holds:

    log = FlightLog(plants, ticks, law=attitude_law(...))
    batch = Batch(..., law=log.law)
    batch.advance(ticks)
    logged = log.end(batch)

`law` is the shipped attitude_controller, commands that were computed before (`Played`), or None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.attitude_law import (
    ORDERED,
    POINTED,
    obey_controller,
    pointed_at,
    was_cut,
)
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.batch.broken_commands import (
    begin_tick,
    let_faults_act,
    memory_for,
    rows_of,
)
from spacecraft_attitude_sim.core.batch.flight_judge import (
    ASKED,
    ASKED_SIZE,
    BROKEN,
    CUT,
    DONE,
    FIELD,
    INVERSE,
    KEPT,
    KIND,
    NUMBER,
    OFF_TARGET,
    OMEGA,
    PARTS,
    REFERENCE,
    ROW_SIZE,
    STATES,
    SUMS,
    SUMS_SIZE,
    WRENCH,
    judge,
    of_ideal_wheels,
)
from spacecraft_attitude_sim.core.batch.law import Law, Present
from spacecraft_attitude_sim.core.batch.law_joints import tachometers_begin
from spacecraft_attitude_sim.core.batch.loop import (
    COMMANDS,
    SEEN_AROUND,
    SEEN_SIZE,
    SEEN_STATES,
    law_function,
)
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatBody, FlatState
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled, part
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Plant

NOBODY, CONTROLLER, PLAYED = 0.0, 1.0, 2.0
# Layout of commands to play: the number of ticks; for each tick TOLD, then wrench and commands;
# TOLD once more for the end.
PLAYING = 1
TOLD = Layout(q_WR=4, cut=1)
TOLD_SIZE, TOLD_CUT = TOLD.size, TOLD.at('cut')
NEVER = -1.0
FIELD_SEEN = SEEN_AROUND + AROUND.at('magnetic_field_W')


class Played(NamedTuple):
    """Precomputed commands of N flights of the same number of ticks.

    told: (N, ticks + 1, TOLD.size) of every instant;  commands: (N, ticks, 12 + any) of every tick
    knowledge: core.studies.consistency.Knowledge of each, None without an estimator; or empty
    faults: of each [(tick, Inputs.faults)] where another set of faults begins to act; or empty
    """

    told: Array
    commands: Array
    knowledge: Sequence[Any] = ()
    faults: Sequence[Sequence[tuple[int, Array]]] = ()

    def law(self) -> Law:
        """Return the Law that plays them."""
        count, ticks, width = self.commands.shape
        each = np.concatenate((self.told[:, :-1], self.commands), axis=2)
        rows = np.column_stack((
            np.full(count, float(ticks)), each.reshape(count, ticks * (TOLD_SIZE + width)),
            self.told[:, -1], np.zeros((count, width)),
        ))  # fmt: skip
        return Law(fly, rows, np.zeros((count, 0)))


class Logged(NamedTuple):
    """Results of N flights, an array (N,) each; meaningless for flights that were lost.

    final_pointing_error, pointing_rms, largest_pointing_error: the latter two of the steady part
        [rad];  pointing_time: after which the error stays on target [s]; nan where it does not
    final_wheel_speed, largest_wheel_speed: of the fastest wheel, relative to the body [rad/s]
    final_wheel_momentum: of all relative to the body [N m s]
    torque_saturation: share of the ticks in which a limit reduced the commanded torque
    speed_saturation: share in which a wheel was at its largest speed
    largest_torque: commanded [N m];  torque_impulse: its integral [N m s]
    """

    final_pointing_error: Array
    pointing_rms: Array
    largest_pointing_error: Array
    pointing_time: Array
    final_wheel_speed: Array
    largest_wheel_speed: Array
    final_wheel_momentum: Array
    torque_saturation: Array
    speed_saturation: Array
    largest_torque: Array
    torque_impulse: Array


class FlightLog:
    """The log of N flights with the same number of actuators.

    plants: of each;  ticks: of the whole flight
    law: of core.batch.attitude_law, Played, or None for no commands
    steady: first tick of the steady part;  on_target: largest error that counts as on target [rad]
    keeps: whether to keep a row of every instant
    """

    def __init__(
        self,
        plants: Sequence[Plant],
        ticks: int,
        law: Law | Played | None = None,
        *,
        steady: int = 0,
        on_target: float = math.inf,
        keeps: bool = False,
    ) -> None:
        self._plants, self._ticks = plants, ticks
        kind = NOBODY if law is None else PLAYED if isinstance(law, Played) else CONTROLLER
        inner = law.law() if isinstance(law, Played) else law
        count = len(plants)
        own = inner or Law(fly, np.zeros((count, 0)), np.zeros((count, 0)))
        parts, commands, states = _sizes(plants)
        faulty = [plant.spacecraft for plant in plants] if kind == CONTROLLER else []
        broken = rows_of(faulty) if faulty else np.zeros((count, 0))
        done = np.zeros((count, memory_for(broken, commands)))
        self.width = width_of(plants[0])
        kept = ticks + 1 if keeps else 1
        asked = [
            ASKED.packed(
                kind=kind, parts=parts.shape[1], broken=broken.shape[1], done=done.shape[1],
                commands=commands, states=states, kept=kept, steady=steady, on_target=on_target,
                step=plant.ticks.step,
                inverse_inertia=plant.spacecraft.carrier.inverse_inertia.ravel(),
            )
            for plant in plants
        ]  # fmt: skip
        sums = np.zeros((count, SUMS_SIZE))
        sums[:, OFF_TARGET] = NEVER
        self._rows = slice(SUMS_SIZE, SUMS_SIZE + kept * self.width)
        rows = np.full((count, kept * self.width), np.nan)
        self._begins, before = self._rows.stop + done.shape[1], own.before
        self._inner, self._aboard = own, own.aboard

        def prepare(now: Present) -> None:
            """Prepare the law that it holds."""
            assert before
            before(now._replace(memory=now.memory[:, self._begins :]))

        self.law = Law(
            fly, np.column_stack((np.array(asked), parts, broken, own.constants)),
            np.column_stack((sums, rows, done, own.memory)), prepare if before else None,
        )  # fmt: skip

    def change_tachometers(self, batch: Batch, n: int, rows: Array) -> None:
        """Let the law of craft n of a batch read its wheels by rows of TACHOMETER from now on."""
        own = self._inner.constants[n]
        first = tachometers_begin(own)
        own[first : first + len(rows)] = rows
        whole = len(self.law.constants[n])
        batch.change_law(n, whole - len(own) + first, rows)

    def end(self, batch: Batch) -> tuple[Logged, Array]:
        """Return the Logged of a batch that has flown all ticks, and the rows.

        The rows are (N, ticks + 1, width) where kept, else (N, 1, width) of the end.
        """
        memory = batch.memory
        if self._aboard and self._aboard.orders:
            pointed = self._begins + int(self._inner.constants[0, ORDERED]) + POINTED
            q_WR = self._aboard.pointed_at(self._ticks, self._plants[0].ticks)
            memory[:, pointed : pointed + 4] = q_WR
        held = np.column_stack((batch.wrenches, batch.commands))
        states, lost = batch.states, batch.lost
        for n in np.flatnonzero(~lost).tolist():
            seen = _seen(self._plants[n], states[n], batch, n)
            note(self._ticks, seen, self.law.constants[n], memory[n], held[n])
        rows = memory[:, self._rows].reshape(len(memory), -1, self.width)
        return self._logged(memory[:, :SUMS_SIZE]), rows

    def _logged(self, sums: Array) -> Logged:
        """Return the Logged of sums (N, SUMS.size)."""
        ticks, clock = self._ticks, self._plants[0].ticks
        of = {name: sums[:, SUMS.at(name)] for name in SUMS.widths}
        counted = np.where(of['counted'] > 0.0, of['counted'], np.nan)
        times = np.array([clock.seconds(int(tick) + 1) for tick in of['off_target']])
        return Logged(
            of['error'],
            np.sqrt(of['squares'] / counted),
            np.where(of['counted'] > 0.0, of['largest_error'], np.nan),
            np.where(of['off_target'] < ticks, times, np.nan),
            of['wheel_speed'],
            of['largest_wheel_speed'],
            of['wheel_momentum'],
            of['limited'] / ticks,
            of['fastest'] / ticks,
            of['largest_torque'],
            of['torques'] * clock.step,
        )


def width_of(plant: Plant) -> int:
    """Return the size of a row of a spacecraft."""
    _, commands, states = _sizes([plant])
    return ROW_SIZE + commands + states


def _sizes(plants: Sequence[Plant]) -> tuple[Array, int, int]:
    """Return `parts` (N, any) of spacecraft, and each one's number of commands and of states."""
    first = plants[0].spacecraft
    if not first.coupled:
        each = [plant.spacecraft.part('reaction_wheels') for plant in plants]
        if any(one is None for one in each):
            return np.zeros((len(plants), 0)), 0, 0
        count = max(one.number for one in each if one)
        rows = np.zeros((len(plants), 1 + 3 * count))
        for row, one in zip(rows, each, strict=True):
            own = of_ideal_wheels(one.axes_B)
            row[: len(own)] = own
        return rows, count, 0
    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.batch.actuated import padded_parts

    return padded_parts(plants), len(first.commands(Inputs())), first.layout.size


def _seen(plant: Plant, flat_state: Array, batch: Batch, n: int) -> Array:
    """Return the flat state of body n that a law gets, at the present instant of a batch."""
    craft = plant.spacecraft
    if not craft.coupled:
        internal = batch.internal[n, : craft.layout.size]
        stored_B = craft.rotor_momentum_B(internal, np.zeros(3))
        return np.concatenate((flat_state, stored_B))
    whole = np.concatenate((flat_state, batch.internal[n]))
    seen = np.zeros(SEEN_STATES + len(batch.internal[n]))
    seen[:SIZE], seen[SEEN_STATES:] = flat_state, batch.internal[n]
    seen[SEEN_SIZE:SEEN_AROUND] = craft.angular_velocity_B(from_flat(whole))
    around = plant.environment.surroundings
    if around:
        seen[SEEN_AROUND:SEEN_STATES] = around.at(plant.ticks.seconds(batch.tick))
    else:
        seen[FIELD_SEEN : FIELD_SEEN + 3] = plant.environment.magnetic_field_W
    return seen


# --- compiled ------------------------------------------------------------------------------------


@law_function
def fly(
    tick: int, flat_state: FlatState, body: FlatBody, constants: Array, memory: Array,
    wrench: Array,
) -> None:  # fmt: skip
    """Record an instant, and write the commands from then on."""
    # The caller keeps these arrays alive until this returns.
    obey_noted(
        tick, borrowed(flat_state), borrowed(body), borrowed(constants), borrowed(memory),
        borrowed(wrench),
    )  # fmt: skip


@part
def obey_noted(
    tick: int, flat_state: Array, body: Array, constants: Array, memory: Array, wrench: Array
) -> None:
    """Do what `fly` does, on borrowed arrays."""
    note(tick, flat_state, constants, memory, wrench)
    law = constants[law_begins(constants) :]
    if constants[KIND] == CONTROLLER:
        own = memory[memory_begins(constants) :]
        if constants[BROKEN] > 0.0:
            rows, done = broken_of(constants, memory)
            begin_tick(tick, rows, done, wrench)
        obey_controller(tick, flat_state, body, law, own, wrench)
        if constants[BROKEN] > 0.0:
            rows, done = broken_of(constants, memory)
            let_faults_act(tick, rows, done, wrench)
    elif constants[KIND] == PLAYED:
        first = played_at(tick, law, len(wrench)) + TOLD_SIZE
        for k in range(len(wrench)):
            wrench[k] = law[first + k]


@part
def broken_of(constants: Array, memory: Array) -> tuple[Array, Array]:
    """Return rows and memory of core.batch.broken_commands."""
    begin, end = ASKED_SIZE + int(constants[PARTS]), memory_begins(constants)
    rows = constants[begin : begin + int(constants[BROKEN])]
    return rows, memory[end - int(constants[DONE]) : end]


@compiled
def note(tick: int, flat_state: FlatState, constants: Array, memory: Array, held: Array) -> None:
    """Write the row of an instant, and add it to the sums.

    flat_state: as a law gets it;  held: (12 + commands,) in the tick that ended
    """
    commands, states = int(constants[NUMBER]), int(constants[STATES])
    width = ROW_SIZE + commands + states
    first = SUMS_SIZE + (tick % int(constants[KEPT])) * width
    row = memory[first : first + width]
    for k in range(SIZE):
        row[k] = flat_state[k]
    q_WB = four_at(flat_state, 3)
    if len(flat_state) > SEEN_SIZE:
        for k in range(3):
            row[OMEGA + k] = flat_state[SEEN_SIZE + k]
            row[FIELD + k] = flat_state[FIELD_SEEN + k]
        for k in range(states):
            row[ROW_SIZE + commands + k] = flat_state[SEEN_STATES + k]
    else:
        L_B = kinematics.seen_from(q_WB, three_at(flat_state, 10))
        inverse = nine_at(constants, INVERSE)
        omega = kinematics.rate(L_B, inverse, three_at(flat_state, SIZE))
        row[OMEGA], row[OMEGA + 1], row[OMEGA + 2] = omega
        row[FIELD] = row[FIELD + 1] = row[FIELD + 2] = 0.0
    for k in range(COMMANDS + commands):
        row[WRENCH + k] = held[k]
    tell(tick, flat_state, constants, memory, len(held), row)
    parts = constants[ASKED_SIZE : ASKED_SIZE + int(constants[PARTS])]
    judge(tick, row, memory, constants, parts)


@part
def tell(
    tick: int, flat_state: FlatState, constants: Array, memory: Array, width: int, row: Array
) -> None:
    """Write the controller's target, and whether its limit reduced the torque."""
    law = constants[law_begins(constants) :]
    q, row[CUT] = (math.nan, math.nan, math.nan, math.nan), 0.0
    if constants[KIND] == CONTROLLER:
        own = memory[memory_begins(constants) :]
        q = pointed_at(tick, flat_state, law, own)
        row[CUT] = was_cut(own)
    elif constants[KIND] == PLAYED:
        first = played_at(tick, law, width)
        q = four_at(law, first)
        row[CUT] = law[first + TOLD_CUT]
    row[REFERENCE], row[REFERENCE + 1] = q[0], q[1]
    row[REFERENCE + 2], row[REFERENCE + 3] = q[2], q[3]


@part
def law_begins(constants: Array) -> int:
    """Return where the constants of the law begin."""
    return ASKED_SIZE + int(constants[PARTS]) + int(constants[BROKEN])


@part
def memory_begins(constants: Array) -> int:
    """Return where the memory of the law begins; that of faults in its commands is before it."""
    width = ROW_SIZE + int(constants[NUMBER]) + int(constants[STATES])
    return SUMS_SIZE + int(constants[KEPT]) * width + int(constants[DONE])


@part
def played_at(tick: int, law: Array, width: int) -> int:
    """Return where TOLD of a tick begins in the played commands; width: of wrench and commands."""
    return PLAYING + min(tick, int(law[0])) * (TOLD_SIZE + width)
