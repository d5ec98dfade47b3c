# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled loop of a batch over craft with internal parts, side by side.

LANES craft take a tick together by vector instructions (moving_tick.py). A craft in which a part
is at a stop, or reaches a stop or a latch, flies this tick alone, by the function that flies one
spacecraft. So each craft has the bits that it has alone.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.craft_rows import (
    ENERGY,
    OMEGA,
    RATE,
    RECORD,
    SMOOTH,
    TIME,
)
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    KEPT_SIZE,
    LANES,
    STATE,
    WEIGHT,
    WRENCH,
    acting,
    is_lost,
    thirteen,
    twelve,
)
from spacecraft_attitude_sim.core.batch.loaded_lanes import three
from spacecraft_attitude_sim.core.batch.loop import RUN, read_rows, write_rows
from spacecraft_attitude_sim.core.batch.moving_energy import see_inside
from spacecraft_attitude_sim.core.batch.moving_rows import (
    INSIDE_ENERGY,
    MOVING_SIZE,
    PARTS,
    SPRINGS,
    UNTIL,
    lose,
    may_fly_beside,
    read_craft,
    read_states,
    room_for_parts,
    shapes_of,
    write_states,
)
from spacecraft_attitude_sim.core.batch.moving_step import RATES_SIZE
from spacecraft_attitude_sim.core.batch.moving_tick import (
    begin_step,
    begin_tick,
    count_steps,
    start,
    take_back,
    take_step,
)
from spacecraft_attitude_sim.core.body.kinematics import seen_from
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads.load import ZERO
from spacecraft_attitude_sim.core.environment.sky import PARAMETER
from spacecraft_attitude_sim.core.environment.sky import RATE as ORBIT_RATE
from spacecraft_attitude_sim.core.equations.multibody.kernels import kernels_named
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.vectors import (
    dot,
    norm,
    six_at,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import END, INERTIA
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.columns import column, from_line
from spacecraft_attitude_sim.kernels.kernel import Handle, Kernel, helper, lanes_as, part
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.core.batch.actuated import Rows
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.simulation import Plant

# The set of equations.multibody.kernels by which a craft flies alone.
ALONE = 'all'
# Signature of kernels_named(ALONE).advance; types of Rows.arguments, starts and that function.
ADVANCE = f'int64({"float64[::1], " * 6}int64, int64, int64, int64, float64)'
ROWS = f'UniTuple(float64[:, ::1], 8), int64[::1], Addresses({ADVANCE!r})'
# With fewer lanes in which nothing happens, all fly alone.
FEWEST = 3
END_SIZE = END.size


def fly_beside(plants: Sequence[Plant]) -> bool:
    """Return whether spacecraft fly by `run_moving`, faster than by actuated.run_actuated."""
    if len(plants) < FEWEST:
        return False
    solvers: list[Any] = [plant.solver for plant in plants]
    first = shapes_of(solvers[0].parts)
    return all(
        may_fly_beside(solver.parts)
        and solver.sky[PARAMETER] == solver.sky[ORBIT_RATE] == 0.0
        and shapes_of(solver.parts) == first
        for solver in solvers
    )


def arguments_of(rows: Rows, starts: Any) -> tuple:
    """Return the arguments of `run_moving` after those of core.batch.loop.run."""
    return (tuple(rows)[:8], starts, alone())


@functools.cache
def alone() -> Handle:
    """Return kernels_named(ALONE).advance as compiled code takes it."""
    return Handle(ADVANCE, kernels_named(ALONE).advance)


# --- the lanes of a block -----------------------------------------------------------------------


@part
def read_block(
    w: Array, inside: tuple[Array, Array, Array], b: int, rows: tuple[Array, ...], starts: Any,
    begun: Any,
) -> bool:  # fmt: skip
    """Write the craft of block b to the lanes; return whether any part waits for its release.

    Lanes without a craft are lost.

    begun: (LANES,) tick at which the craft in each lane has begun, written
    """
    internal, parts, waits = rows[0], rows[1], False
    for i in range(LANES):
        n = min(b * LANES + i, len(internal) - 1)
        begun[i] = starts[n]
        if n < b * LANES + i:
            w[STATE + 3, i] = math.nan
        read_craft(w, inside, i, parts[n], internal[n])
        w[TIME, i] = 0.0
        waits = waits or w[UNTIL, i] < math.inf
    return waits


@part
def write_block(
    w: Array, inside: tuple[Array, Array, Array], b: int, rows: tuple[Array, ...]
) -> None:
    """Write internal states and ω of the craft of block b; lanes without one are at rest again."""
    internal, parts, ends = rows[0], rows[1], rows[6]
    for i in range(LANES):
        n = b * LANES + i
        if n < len(internal):
            write_states(w, inside, i, parts[n], internal[n])
            for j in range(3):
                ends[n, END_SIZE + j] = w[OMEGA + j, i]
        else:
            w[STATE + 3, i] = 1.0


# --- ticks alone --------------------------------------------------------------------------------


@part
def fly_others(
    w: Array, inside: tuple[Array, Array, Array], b: int, tick: int, starts: Any, tick_ns: int,
    substeps: int, most: float, rows: tuple[Array, ...], advance: Any,
    flat: tuple[Array, Array, Array],
) -> None:  # fmt: skip
    """Let the craft of block b that are not SMOOTH take a tick of the batch, each alone.

    most: largest rate [rad/s];  advance: of ADVANCE
    flat: scratch arrays for states, a row of `advance`, and the wrench
    """
    begin, row, total = flat
    states = SIZE + rows[0].shape[1]
    for i in range(LANES):
        if w[SMOOTH, i] != 0.0 or is_lost(w, i):
            continue
        n = b * LANES + i
        parts, held = rows[1][n], acting(w, i)
        for j in range(12):
            total[j] = held[j]
        for j in range(SIZE):
            begin[j] = w[STATE + j, i]
        write_states(w, inside, i, parts, begin[SIZE:states])
        advance(
            begin, row, parts, rows[2][n], total, rows[3][n], 1, tick - starts[n], tick_ns,
            substeps, most,
        )  # fmt: skip
        for j in range(SIZE):
            w[STATE + j, i] = row[j]
        read_states(w, inside, i, parts, row[SIZE:states])


# --- what is known of a tick that has ended -----------------------------------------------------


@helper
def give_up_lanes(w: Array, inside: tuple[Array, Array, Array], most: float) -> None:
    """Mark as lost (nan) the lanes whose motion core.simulation.limits.check_motion would end.

    most: largest rate [rad/s]
    """
    tame = 0
    for i in range(LANES):
        omega = three(w, OMEGA, i)
        slow = dot(omega, omega) < 0.25 * most * most
        tame += slow & limits.is_tame(thirteen(w, STATE, i), twelve(w, BODY, i), most)
    if tame < LANES:
        give_up(w, inside, most)


@part
def give_up(w: Array, inside: tuple[Array, Array, Array], most: float) -> None:
    """Do what give_up_lanes does, lane by lane, as actuated.is_followed."""
    for i in range(LANES):
        state, body = thirteen(w, STATE, i), twelve(w, BODY, i)
        size = norm((state[10], state[11], state[12]))
        bound = most + size / min(body[9], body[10], body[11])
        if not (norm(three(w, OMEGA, i)) < most and limits.is_tame(state, body, bound)):
            lose(w, inside, i)


@helper
def see_energy(w: Array, inside: tuple[Array, Array, Array]) -> None:
    """Write RATE and ENERGY of every lane, as actuated.motion."""
    see_inside(w, inside)
    for i in range(LANES):
        lane, omega = column(w, i), three_at(column(w, i), OMEGA)
        lane[RATE] = norm(omega)
        twice = dot(omega, symmetric_times(six_at(lane, PARTS + INERTIA), omega))
        energy = 0.5 * twice + 0.5 * lane[INSIDE_ENERGY] + lane[SPRINGS]
        state, body = thirteen(w, STATE, i), twelve(w, BODY, i)
        energy += run_summary.mechanical_energy(state, body, three(w, WEIGHT, i), ZERO, ZERO)
        lane[ENERGY] = energy


@helper
def motion(w: Array, i: int) -> tuple[Floats, float, float]:
    """Return run_summary.motion of lane i, after `see_energy`."""
    x = thirteen(w, STATE, i)
    L_B = seen_from((x[3], x[4], x[5], x[6]), (x[10], x[11], x[12]))
    return L_B, w[RATE, i], w[ENERGY, i]


@part
def begin_records(w: Array, settled_rate: float) -> None:
    """Begin the record of every lane."""
    for i in range(LANES):
        run_summary.begin_record(w, RECORD, i, thirteen(w, STATE, i), motion(w, i), settled_rate)


@helper
def follow_lanes(w: Array, tick: int, settled_rate: float) -> None:
    """Update the record of every lane at a tick, counted from the start."""
    for i in range(LANES):
        run_summary.follow(
            w, RECORD, i, tick, thirteen(w, STATE, i), motion(w, i), twelve(w, WRENCH, i),
            settled_rate,
        )  # fmt: skip


# --- the loop -----------------------------------------------------------------------------------


@helper
def take_tick(
    w: Array, inside: tuple[Array, Array, Array], rates: Array, heats: Array,
    slopes: tuple[Array, Array, Array], duration: float, substeps: int,
) -> int:  # fmt: skip
    """Let every lane in which nothing happens take a tick; return how many did.

    Others are as they were.
    """
    begin_tick(w, inside, duration)
    most = count_steps(w, inside[1], duration, substeps)
    if count_smooth(w) >= FEWEST:
        for index in range(most):
            begin_step(w, inside, duration, float(index))
            take_step(w, inside, rates, heats, slopes, index)
    else:
        for i in range(LANES):
            w[SMOOTH, i] = 0.0
    smooth = count_smooth(w)
    if smooth < LANES:
        take_back(w, inside)
    return smooth


@helper
def count_smooth(w: Array) -> int:
    """Return the number of lanes in which nothing has happened."""
    smooth = 0
    for i in range(LANES):
        smooth += w[SMOOTH, i] != 0.0
    return smooth


@helper
def room_of(parts: Array) -> tuple:
    """Return the arrays of moving_rows.py and moving_step.py: w, inside, rates, heats, slopes."""
    inside, slopes = room_for_parts(parts)
    w = from_line(np.zeros((MOVING_SIZE + 1, LANES)))
    rates = from_line(np.zeros((5, RATES_SIZE, LANES)))
    return w, inside, rates, from_line(np.zeros((5, LANES))), slopes


@lanes_as(f'void({RUN}, {ROWS})', aligned=False)
def run_moving(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array,
    rows: tuple[Array, ...], starts: Any, one_by_one: Sequence[Kernel],
) -> None:  # fmt: skip
    """Advance blocks of craft as core.batch.loop.run does; laws do not act here.

    A craft whose motion cannot be computed is nan from there on.

    rows: of actuated.Rows.arguments;  starts: (N,) tick of the batch at which each has begun
    one_by_one: of `alone`
    """
    first, last, tick, ticks = span
    advance = one_by_one[0]
    watched, step = len(records) > 0, seconds_of(1, tick_ns)
    most = (substeps if substeps > 0 else MOST_STEPS) * math.pi / step
    states = SIZE + rows[0].shape[1]
    kept = (
        room_of(rows[1][0]), (np.zeros(states), np.zeros(states + END_SIZE), np.zeros(12)),
        np.zeros(LANES, np.int64),
    )  # fmt: skip
    (w, inside, rates, heats, slopes), flat, begun = borrowed(kept)
    own = borrowed(rows)
    for b in range(first, last):
        read_rows(w, 0, KEPT_SIZE, blocks, b)
        waits = read_block(w, inside, b, own, starts, begun)
        if watched:
            read_rows(w, RECORD, run_summary.SIZE, records, b)
        start(w, inside)
        if watched and ticks == 0:
            see_energy(w, inside)
            begin_records(w, settled_rate)
        for k in range(tick, tick + ticks):
            for i in range(LANES if waits else 0):
                w[TIME, i] = seconds_of(k - begun[i], tick_ns)
            smooth = take_tick(w, inside, rates, heats, slopes, step, substeps)
            if smooth < LANES:
                fly_others(
                    w, inside, b, k, starts, tick_ns, substeps, most, own, advance, flat
                )  # fmt: skip
                start(w, inside)
            give_up_lanes(w, inside, most)
            if watched:
                see_energy(w, inside)
                follow_lanes(w, k + 1, settled_rate)
        write_block(w, inside, b, own)
        write_rows(w, 0, BODY, blocks, b)
        if watched:
            write_rows(w, RECORD, run_summary.SIZE, records, b)
    kept[0][0][0, 0] = 0.0  # keeps all alive until here
