# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many spacecraft whose actuators have states of their own, one after the other, on all cores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WEIGHT, WRENCH
from spacecraft_attitude_sim.core.batch.loop import (
    COMMANDS,
    RUN,
    SEEN_AROUND,
    SEEN_SIZE,
    SEEN_STATES,
)
from spacecraft_attitude_sim.core.batch.sensors import READS, read_body
from spacecraft_attitude_sim.core.body.kinematics import seen_from
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat, to_flat
from spacecraft_attitude_sim.core.environment.around import draw_sky, span_begin
from spacecraft_attitude_sim.core.environment.circular_orbit import radial_at
from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import turn_of
from spacecraft_attitude_sim.core.environment.orbit_table import MAGNETIC_FIELD_W, around_at
from spacecraft_attitude_sim.core.environment.sky import (
    BEGIN,
    FIELD,
    PARAMETER,
    surrounded,
    whole_at,
)
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.equations.multibody.kernels import (
    kernels_named,
    room_of,
    stored_beside,
)
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, norm, three_at
from spacecraft_attitude_sim.core.parts.craft import END, LOADS
from spacecraft_attitude_sim.core.simulation.actuated_truth import constants_of, find_truth
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import Kernel, part, unlocked_as
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.batch.craft_lanes import Needs
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.simulation import Plant

END_SIZE, AROUND_SIZE = END.size, AROUND.size
# The functions for all kinds: one loop serves every spacecraft.
advance_tick, motion_of = kernels_named('all').tick, kernels_named('all').motion
# Types of Rows.arguments.
ROWS = 'UniTuple(float64[:, ::1], 8)'
# What is known of a spacecraft at an instant besides its state: loads and motion at the end of the
# tick, and the angular velocity [rad/s].
SEEN = Layout(**END.widths, omega_B=3)
OMEGA = SEEN.at('omega_B')
# Time that the tables of orbits about the Earth cover at once [s].
STRETCH = 3600.0


class Rows(NamedTuple):
    """Arrays of N such spacecraft that Batch needs beside their bodies.

    internal: (N, n) present states of the actuators;  parts: (N, m) of core.parts.craft
    commands: (N, c), constant, or as a law wrote them last;  skies: (N, 70) of
        core.environment.sky, drawn for the present span
    tables: (M, t) flat ones of core.environment.orbit_table;  which: (N, 1), index of each body's
        table, or -1
    ends: (N, 18) of SEEN at the present instant
    fields: (N, any) of core.simulation.actuated_truth.SEEN
    around: their M Surroundings;  plants: of each
    needs: of a copy whose spacecraft fly side by side, of core.batch.craft_lanes; else None
    """

    internal: Array
    parts: Array
    commands: Array
    skies: Array
    tables: Array
    which: Array
    ends: Array
    fields: Array
    around: tuple[Surroundings, ...]
    plants: tuple[Plant, ...]
    needs: Needs | None = None

    @property
    def arguments(self) -> tuple:
        """The argument of `run_actuated` after those of core.batch.loop.run."""
        return (tuple(self)[:8],)

    def reaching(self, begin: float, end: float) -> Rows:
        """Return the Rows with tables that cover times from begin to end [s].

        Raises ValueError where an orbit is not known.
        """
        if not self.around:
            return self
        return self._replace(tables=np.array([one.kept(begin, end) for one in self.around]))

    def copy(self) -> Rows:
        """Return a copy with states of its own."""
        from spacecraft_attitude_sim.core.batch import craft_lanes

        beside = craft_lanes.fly_beside(self.plants)
        return self._replace(
            internal=self.internal.copy(), commands=self.commands.copy(), ends=self.ends.copy(),
            skies=self.skies.copy(), needs=craft_lanes.needs_of(self) if beside else None,
        )  # fmt: skip

    def with_parts(self, n: int, plant: Plant) -> Rows:
        """Let body n have the parts of a Plant, of the same layout; return the Rows with `needs`.

        `parts` changes in place.
        """
        from spacecraft_attitude_sim.core.batch import craft_lanes

        constants = plant.solver.parts  # type: ignore[attr-defined]
        self.parts[n, : len(constants)] = constants
        return self._replace(needs=self.needs and craft_lanes.needs_of(self))

    def begun(self, states: Array, elapsed: int) -> Rows:
        """Return the Rows of spacecraft at which no tick has ended, of which sensors are read.

        states: (N, 13) of core.body.state;  elapsed: ticks since the start
        """
        ends = self.ends.copy()
        for n, plant in enumerate(self.plants):
            solver: Any = plant.solver
            state = from_flat(np.concatenate((states[n], self.internal[n])))
            ends[n, :END_SIZE] = solver.end_of(plant, state, elapsed)
        return self._replace(ends=ends)

    def begin(self, bodies: NDArray[np.int64], states: Array) -> None:
        """Write `ends` of some bodies that begin now; states: (M, 13) of core.body.state."""
        for n, flat in zip(bodies.tolist(), states, strict=True):
            plant, internal = self.plants[n], self.internal[n]
            solver: Any = plant.solver
            state = from_flat(np.concatenate((flat, internal)))
            self.ends[n, :END_SIZE] = solver.end_of(plant, state, 0)

    @property
    def only_move(self) -> bool:
        """Whether core.batch.moving_lanes has all that they have: parts that move, no load."""
        from spacecraft_attitude_sim.core.batch import moving_lanes

        return moving_lanes.fly_beside(self.plants)

    @property
    def omegas(self) -> Array:
        """The angular velocities (N, 3) now [rad/s]; a copy."""
        return self.ends[:, OMEGA : OMEGA + 3].copy()

    def struck(self, states: Array, impulses: Array) -> Array:
        """Return the states (N, 13) after impulses (N, 6); `internal` changes in place.

        As core.simulation.tick.struck does for one. `ends` is told the new angular velocities.
        """
        from spacecraft_attitude_sim.core.simulation.tick import struck

        after = states.copy()
        for n in np.flatnonzero(impulses.any(axis=1)).tolist():
            state = from_flat(np.concatenate((states[n], self.internal[n])))
            flat = to_flat(struck(self.plants[n], state, impulses[n]))
            after[n], self.internal[n] = flat[:SIZE], flat[SIZE:]
            if (craft := self.plants[n].spacecraft).moves:  # else nobody reads it from here
                omega = craft.angular_velocity_B(from_flat(flat))
                self.ends[n, OMEGA : OMEGA + 3] = omega
        return after


def rows_of(plants: Sequence[Plant], states: Sequence[State], given: Sequence[Inputs]) -> Rows:
    """Return the Rows of spacecraft with the same numbers of parts; their loads may differ.

    plants: N with core.simulation.solver.Actuated;  given: constant commands of each
    Raises ValueError where their numbers differ.
    """
    for plant in plants:
        plant.solver.check_loads(plant.environment)
    solvers: list[Any] = [plant.solver for plant in plants]
    _check_parts(plants)
    internal = [state.internal for state in states]
    commands = [
        plant.spacecraft.commands(inputs) for plant, inputs in zip(plants, given, strict=True)
    ]
    skies = [solver.sky for solver in solvers]
    fields = [constants_of(plant.spacecraft, plant.environment, SIZE) for plant in plants]
    around = [plant.environment.surroundings for plant in plants]
    each = {id(one): one for one in around if one}
    numbers = {key: float(number) for number, key in enumerate(each)}
    which = np.array([[numbers.get(id(one), -1.0)] for one in around])
    return Rows(
        np.array(internal), padded_parts(plants), np.array(commands), np.array(skies),
        np.zeros((1, 1)), which, np.full((len(plants), SEEN.size), np.nan), np.array(fields),
        tuple(each.values()), tuple(plants),
    ).reaching(0.0, max(plant.ticks.step for plant in plants))  # fmt: skip


def padded_parts(plants: Sequence[Plant]) -> Array:
    """Return `parts` (N, any) of spacecraft, with zeros after the loads of those with fewer."""
    solvers: list[Any] = [plant.solver for plant in plants]
    rows = np.zeros((len(plants), max(len(solver.parts) for solver in solvers)))
    for row, solver in zip(rows, solvers, strict=True):
        row[: len(solver.parts)] = solver.parts
    return rows


def _check_parts(plants: Sequence[Plant]) -> None:
    """Raise ValueError for spacecraft with other numbers of parts of a kind than the first."""
    each = [{part.kind: part.number for part in plant.spacecraft.parts} for plant in plants]
    queues = [max((part.queued for part in plant.spacecraft.parts), default=0) for plant in plants]
    for n, own in enumerate(each):
        for kind in {**each[0], **own}:
            here, there = own.get(kind, 0), each[0].get(kind, 0)
            if here != there:
                raise ValueError(
                    f'{kind.replace("_", " ")} of scenario {n} are {here}, of scenario 0 {there}; '
                    'give a batch to each'
                )
        if queues[n] != queues[0]:
            raise ValueError(
                f'commands in the dead_time of scenario {n} are {queues[n]}, of scenario 0 '
                f'{queues[0]}; give a batch to each'
            )


@part
def motion(
    state: Array, body: Array, weight: Floats, internal: Array, parts: Array, sky: Array,
    time: float,
) -> tuple[Floats, float, float, Floats]:  # fmt: skip
    """Return L_B, rate and energy, as run_summary.motion, and ω."""
    found = motion_of(state, internal, parts)
    omega = three_at(found, 0)
    energy = (
        found[3]
        + found[4]
        + run_summary.mechanical_energy(state, body, weight, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    )
    here, whole = surrounded(sky, time), whole_at(sky, body[8])
    turn = turn_of(state, 1.0)
    if sky[PARAMETER] != 0.0:
        energy = loads.potential(energy, parts, LOADS, whole, state, turn, here)
    else:  # with the gravity gradient of a circular orbit, the energy is Jacobi's integral
        energy += loaded.orbital_energy(state, sky, radial_at(sky, time))
        energy = loads.other_potential(energy, parts, LOADS, whole, state, turn, here)
    L_B = seen_from(four_at(state, 3), three_at(state, 10))
    return L_B, norm(omega), energy, omega


@part
def is_followed(state: Array, body: Array, rate: float, most: float) -> bool:
    """Return whether Actuated.advance would raise nothing; rate: of the body, most: largest."""
    size = norm((state[10], state[11], state[12]))
    bound = most + size / min(body[9], body[10], body[11])
    return rate < most and limits.is_tame(state, body, bound)


@part
def look(around: Array, table: Array, round_earth: bool, sky: Array, time: float) -> None:
    """Write the environment (25,) of AROUND at a time; without an orbit, a uniform field."""
    if round_earth:
        around_at(table, time, around)
    else:
        for j in range(3):
            around[MAGNETIC_FIELD_W + j] = sky[FIELD + j]


@part
def show(
    seen: Array, flat: Array, now: tuple[Floats, float, float, Floats], parts: Array, around: Array
) -> None:
    """Write what a law is shown: see SEEN_STATES of core.batch.loop.

    flat: (13 + n,) state and internal states;  now: of `motion`;  around: of `look`
    """
    seen[:SIZE] = flat[:SIZE]
    # L_B - J ω, J of the carrier, as for a gyrostat.
    stored = stored_beside(now[0], now[3], parts)
    seen[SIZE], seen[SIZE + 1], seen[SIZE + 2] = stored
    omega = now[3]
    seen[SEEN_SIZE], seen[SEEN_SIZE + 1], seen[SEEN_SIZE + 2] = omega
    seen[SEEN_AROUND:SEEN_STATES] = around
    seen[SEEN_STATES:] = flat[SIZE:]


@part
def keep_end(row: Array, end: Array, omega: Floats) -> None:
    """Write a row of SEEN; end: of the last tick."""
    row[:END_SIZE] = end
    row[OMEGA], row[OMEGA + 1], row[OMEGA + 2] = omega


@part
def command(
    law: Any, tick: int, seen: Array, body: Array, constants: Array, memory: Array,
    written: Array, wrench: Array, asked: Array,
) -> None:  # fmt: skip
    """Let a law change the wrench and the commands of the tick that begins; written: spare."""
    written[:COMMANDS], written[COMMANDS:] = wrench, asked
    law(tick, seen, body, constants, memory, written)
    wrench[:], asked[:] = written[:COMMANDS], written[COMMANDS:]


@part
def add_weight(total: Array, wrench: Array, weight: Floats) -> None:
    """Write the wrench that is held over a tick with the weight [N], both in world axes."""
    total[:] = wrench
    for j in range(3):
        total[6 + j] += weight[j]


@part
def sense(
    n: int, tick: int, own: tuple[Array, ...], felt: Array, fields: Array, functions: Any,
    sensing: Any, kept: Array,
) -> None:  # fmt: skip
    """Read the sensors of spacecraft n at a tick; all are nan where its state is.

    own: of `own_arrays`, borrowed, of the tick that ended there
    felt: (25,) of AROUND, or empty;  fields: of core.simulation.actuated_truth.SEEN
    functions, sensing: of core.batch.sensors.Sensors
    kept: row of `kept_layout` to write, or empty
    """
    truth, (flat, wrench, asked, end) = sensing[0][n], own[:4]
    if math.isnan(flat[3]):
        truth[:] = math.nan
    else:
        find_truth(flat, end, wrench, felt, fields, truth)
    read_body(n, tick, functions, sensing)
    if len(kept) > 0:
        k = 0
        for piece in (flat, wrench, asked, end, sensing[5][n]):
            kept[k : k + len(piece)] = piece
            k += len(piece)


def kept_layout(internal: int, commands: int, readings: int) -> Layout:
    """Return the Layout of what Batch.followed keeps of a tick; `sense` writes it.

    state: (13 + n,) with the internal states;  wrench, commands: of the tick that ended
    end: of core.parts.craft.END;  readings: of all sensors
    """
    return Layout(
        state=SIZE + internal, wrench=12, commands=commands, end=END_SIZE, readings=readings
    )


@part
def own_arrays(rows: tuple[Array, ...]) -> tuple[Array, ...]:
    """Return arrays for what the loop changes of a spacecraft; all have as many parts.

    Those are the state with internal states, wrench, commands, END, sky and body; then scratch
    memory: what is around, what a law sees and what it writes, the wrench with the weight, and
    the room of a tick.
    """
    internal, parts, commands, skies, _, _, _, _ = rows
    states, asked = internal.shape[1], commands.shape[1]
    return (
        np.zeros(SIZE + states), np.zeros(12), np.zeros(asked), np.zeros(END_SIZE),
        np.zeros(skies.shape[1]), np.zeros(12), np.zeros(AROUND_SIZE),
        np.zeros(SEEN_STATES + states), np.zeros(COMMANDS + asked), np.zeros(12),
        np.zeros(room_of(parts[0])),
    )  # fmt: skip


@part
def take_up(own: tuple[Array, ...], w: Array, i: int, n: int, rows: tuple[Array, ...]) -> None:
    """Fill `own_arrays` with spacecraft n, which is column i of block w, and clear the rest."""
    flat, wrench, asked, end, sky, body, around, seen, written, total, room = own
    internal, _, commands, skies, _, _, ends, _ = rows
    for k in range(SIZE):
        flat[k] = w[STATE + k, i]
    for k in range(12):
        wrench[k], body[k] = w[WRENCH + k, i], w[BODY + k, i]
    flat[SIZE:], asked[:], sky[:] = internal[n], commands[n], skies[n]
    end[:] = ends[n, :END_SIZE]
    around[:], seen[:], written[:], total[:], room[:] = 0.0, 0.0, 0.0, 0.0, 0.0


@part
def write_back(
    own: tuple[Array, ...], omega: Floats, w: Array, i: int, n: int, rows: tuple[Array, ...]
) -> None:
    """Write what a tick changes of spacecraft n; omega: its ω [rad/s]."""
    flat, wrench, asked, end, sky = own[:5]
    internal, _, commands, skies, _, _, ends, _ = rows
    for k in range(SIZE):
        w[STATE + k, i] = flat[k]
    for k in range(12):
        w[WRENCH + k, i] = wrench[k]
    internal[n], commands[n], skies[n] = flat[SIZE:], asked, sky
    keep_end(ends[n], end, omega)


@part
def fly(
    n: int, weight: Floats, own: tuple[Array, ...], records: Array,
    span: tuple[int, int, int, int], tick_ns: int, substeps: int, settled_rate: float, law: Any,
    constants: Array, memory: Array, rows: tuple[Array, ...], functions: Any, sensing: Any,
    kept_rows: Array,
) -> Floats:  # fmt: skip
    """Advance spacecraft n by the ticks of a span; return its ω [rad/s]. See run_actuated.

    All arrays are borrowed; own: of `own_arrays`
    """
    flat, wrench, asked, end, sky, body, around, seen, written, total, room = own
    state, h = flat[:SIZE], flat[SIZE:]
    row, which, fields = rows[1][n], rows[5][n, 0], rows[7][n]
    round_earth = which >= 0.0
    table = rows[4][int(which) if round_earth else 0]
    felt = around if round_earth else around[:0]
    watched, lawful, sensed = len(records) > 0, len(constants) > 0, len(sensing[0]) > 0
    step, keeps = seconds_of(1, tick_ns), min(kept_rows.shape[2], 1)
    most = (substeps if substeps > 0 else MOST_STEPS) * math.pi / step
    time = seconds_of(span[2], tick_ns)
    if round_earth:
        draw_sky(table, sky, span[2], tick_ns)
    now = motion(state, body, weight, h, row, sky, time)
    look(around, table, round_earth, sky, time)
    if watched and span[3] == 0:
        run_summary.begin_record(records[n // LANES], 0, n % LANES, state, now[:3], settled_rate)
    if sensed and span[3] == 0:
        sense(n, span[2], own, felt, fields, functions, sensing, flat[:0])
    for k in range(span[2], span[2] + span[3]):
        if math.isnan(state[3]):
            break
        if lawful:
            show(seen, flat, now, row, around)
            command(law, k, seen, body, constants[n], memory[n], written, wrench, asked)
        add_weight(total, wrench, weight)
        if round_earth and sky[BEGIN] != span_begin(k, tick_ns):
            draw_sky(table, sky, k, tick_ns)
        advance_tick(
            state, h, row, asked, total, sky, time, step, substeps, end, room, k > span[2]
        )
        time = seconds_of(k + 1, tick_ns)
        now = motion(state, body, weight, h, row, sky, time)
        if not is_followed(state, body, now[1], most):
            flat[:] = math.nan
        elif watched:
            run_summary.follow(
                records[n // LANES], 0, n % LANES, k + 1, state, now[:3], wrench, settled_rate
            )
        if lawful or sensed:
            look(around, table, round_earth, sky, time)
        if sensed:
            kept = kept_rows[n * keeps, (k - span[2]) * keeps]
            sense(n, k + 1, own, felt, fields, functions, sensing, kept)
    return now[3]


@unlocked_as(f'void({RUN}, {ROWS}, {READS}, float64[:, :, ::1], int64[::1])')
def run_actuated(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array,
    rows: tuple[Array, ...], functions: Any, sensing: Any, kept_rows: Array, starts: Array,
) -> None:  # fmt: skip
    """Advance spacecraft one by one as core.batch.loop.run does blocks; span: counts spacecraft.

    A spacecraft whose motion cannot be computed is nan from there on, and so are its readings.

    rows: of Rows.arguments
    functions, sensing: of core.batch.sensors.Sensors.arguments, or of its nothing_read
    kept_rows: (N, ticks, any) of `kept_layout`, with sensors; (1, 1, 0) to keep nothing
    starts: (N,) tick of the batch at which each has begun; its own time counts from there
    """
    kept, law = own_arrays(rows), laws[0]  # kept: lives until all are flown
    own, borrowed_rows = borrowed(kept), borrowed(rows)
    for n in range(span[0], span[1]):
        w, i = borrowed(blocks)[n // LANES], n % LANES
        take_up(own, w, i, n, borrowed_rows)
        weight = w[WEIGHT, i], w[WEIGHT + 1, i], w[WEIGHT + 2, i]
        own_span = span[0], span[1], span[2] - starts[n], span[3]
        omega = fly(
            n, weight, own, borrowed(records), own_span, tick_ns, substeps, settled_rate, law,
            borrowed(constants), borrowed(memory), borrowed_rows, borrowed(functions),
            borrowed(sensing), borrowed(kept_rows),
        )  # fmt: skip
        write_back(own, omega, w, i, n, borrowed_rows)
    kept[0][0] = 0.0
