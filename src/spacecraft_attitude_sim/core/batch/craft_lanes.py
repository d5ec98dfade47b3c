# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled loop of a batch over craft with real wheels and magnetorquers, side by side.

LANES craft take a tick together by vector instructions (craft_tick.py). A craft in which something
happens that only the tick of a craft alone has, flies this tick alone, by the function that flies
one spacecraft: a wheel stops, is held or is at a limit, a speed is commanded, air acts. So each
craft has the bits that it has alone.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.craft_rows import (
    BOOK_ROW,
    CARRIER,
    CIRCLE_ROW,
    CRAFT_SIZE,
    ENDED,
    ENERGY,
    GRADIENT,
    INERTIA_ROW,
    MASS_ROW,
    MAX_POWER,
    MODE,
    MOMENTUM,
    NOW,
    OMEGA,
    PARAMETER,
    RATE,
    READY,
    RECORD,
    ROD_DIPOLE,
    ROD_SIZE,
    SMOOTH,
    STALL,
    STEP,
    TIDES,
    TIME,
    TURNS,
    WHEEL_SIZE,
    WHOLE,
    may_fly_beside,
    read_craft,
    read_sky,
    read_states,
    read_wheels,
    seven,
    six,
    write_states,
)
from spacecraft_attitude_sim.core.batch.craft_step import (
    HERE_SIZE,
    POWERS_SIZE,
    RATES_SIZE,
    look,
)
from spacecraft_attitude_sim.core.batch.craft_tick import (
    count_smooth,
    count_steps,
    find_motion,
    step_on,
    take_back,
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
from spacecraft_attitude_sim.core.body.kinematics import seen_from
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment import sky as skies_of
from spacecraft_attitude_sim.core.environment.around import draw_sky
from spacecraft_attitude_sim.core.environment.loads import tide
from spacecraft_attitude_sim.core.environment.loads.gravity_gradient import gradient_potential
from spacecraft_attitude_sim.core.environment.loads.load import PULL, UP, to_body, turn_of
from spacecraft_attitude_sim.core.environment.sky import SKY, ticks_in_span
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.equations.multibody.kernels import kernels_named
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm, symmetric_times
from spacecraft_attitude_sim.core.parts.craft import END, place_of
from spacecraft_attitude_sim.core.parts.registry import MAGNETORQUERS, WHEELS
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import Handle, Kernel, helper, part, unlocked_as
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.core.batch.actuated import Rows
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.simulation import Plant

# The set of equations.multibody.kernels by which a craft flies alone, and the kinds that it has.
ALONE = 'wheels'
# Signature of kernels_named(ALONE).advance; types of Rows.arguments, starts and that function.
ADVANCE = f'int64({"float64[::1], " * 6}int64, int64, int64, int64, float64)'
ROWS = f'UniTuple(float64[:, ::1], 8), int64[::1], ListType(FunctionType({ADVANCE}))'
# With fewer lanes in which nothing happens, all fly alone.
FEWEST = 3
# Later than any tick.
NEVER = 1 << 62
END_SIZE, SKY_SIZE, WHOLE_SKY, SKY_BEGIN = END.size, SKY.size, skies_of.WHOLE, skies_of.BEGIN


def fly_beside(plants: Sequence[Plant]) -> bool:
    """Return whether spacecraft fly by `run_beside`, faster than by actuated.run_actuated."""
    return len(plants) >= FEWEST and all(
        set(plant.spacecraft.kinds) <= {'reaction_wheels', 'magnetorquers'}
        and may_fly_beside(plant.solver.parts)  # type: ignore[attr-defined]
        for plant in plants
    )


def arguments_of(rows: Rows, starts: Any) -> tuple:
    """Return the arguments of `run_beside` after those of core.batch.loop.run."""
    return (tuple(rows)[:8], starts, alone())


@functools.cache
def alone() -> Handle:
    """Return kernels_named(ALONE).advance as compiled code takes it."""
    return Handle(ADVANCE, kernels_named(ALONE).advance)


# --- the lanes of a block ----------------------------------------------------------------------


@part
def read_block(
    w: Array, wheels: Array, rods: Array, b: int, rows: tuple[Array, ...], starts: Any, begun: Any
) -> tuple[bool, bool]:
    """Write the craft of block b to the lanes; return whether any is in no orbit about the Earth.

    And whether any wheel has a limit of power or voltage. Lanes without a craft are lost.

    begun: (LANES,) tick at which the craft in each lane has begun, written
    """
    internal, parts, commands, skies, _, _, _, _ = rows
    circles = limited = False
    for i in range(LANES):
        n = min(b * LANES + i, len(internal) - 1)
        begun[i] = starts[n]
        read_craft(w, i, parts[n], skies[n])
        read_wheels(w, wheels, rods, i, parts[n], commands[n])
        read_states(w, wheels, rods, i, parts[n], internal[n])
        w[ENDED, i] = math.nan
        if n < b * LANES + i:
            w[STATE + 3, i] = math.nan
        circles = circles or w[PARAMETER, i] == 0.0
        for k in range(len(wheels)):
            limited = limited or math.isfinite(wheels[k, MAX_POWER, i])
            limited = limited or math.isfinite(wheels[k, STALL, i])
    return circles, limited


@part
def write_block(w: Array, wheels: Array, rods: Array, b: int, rows: tuple[Array, ...]) -> None:
    """Write the internal states of the craft of block b; lanes without one are at rest again."""
    internal, parts = rows[0], rows[1]
    for i in range(LANES):
        n = b * LANES + i
        if n < len(internal):
            write_states(w, wheels, rods, i, parts[n], internal[n])
        else:
            w[STATE + 3, i] = 1.0


@part
def fit_skies(
    w: Array, b: int, tick: int, tick_ns: int, rows: tuple[Array, ...], begun: Any
) -> int:
    """Let the skies of block b be those of a tick of the batch; return the tick of the next ones.

    Of craft in one orbit, which began together, one sky is computed.
    """
    skies, tables, which = rows[3], rows[4], rows[5]
    ticks, until, before = ticks_in_span(tick_ns), NEVER, -1
    for i in range(LANES):
        n = min(b * LANES + i, len(skies) - 1)
        if which[n, 0] < 0.0:
            continue
        own, sky = tick - begun[i], skies[n]
        begin = seconds_of(own // ticks * ticks, tick_ns)
        if sky[SKY_BEGIN] != begin:
            same = before >= 0 and which[before, 0] == which[n, 0]
            if same and is_shared(skies[before], sky, begin):
                sky[SKY_BEGIN:WHOLE_SKY] = skies[before][SKY_BEGIN:WHOLE_SKY]
            else:
                draw_sky(tables[int(which[n, 0])], sky, own, tick_ns)
        before = n
        read_sky(w, i, sky)
        until = min(until, (own // ticks + 1) * ticks + begun[i])
    return until


@helper
def is_shared(known: Array, sky: Array, begin: float) -> bool:
    """Return whether a sky may take the polynomials of another, known one in the same orbit."""
    return known[SKY_BEGIN] == begin and known[WHOLE_SKY] == sky[WHOLE_SKY] == 0.0


@helper
def begin_tick(w: Array, here: Array, begun: Any, tick: int, tick_ns: int, circles: bool) -> None:
    """Write TIME of every lane, and the environment then, unless the last tick has ended there."""
    known, together, time = 0, 0, seconds_of(tick - begun[0], tick_ns)
    for i in range(LANES):
        w[TIME, i] = time
        together += begun[i] == begun[0]
    if together < LANES:
        for i in range(LANES):
            w[TIME, i] = seconds_of(tick - begun[i], tick_ns)
    for i in range(LANES):
        w[NOW, i] = w[TIME, i]
        known += w[ENDED, i] == w[TIME, i]
    if known == LANES:
        for j in range(HERE_SIZE):
            for i in range(LANES):
                here[0, j, i] = here[2, j, i]
    else:
        for i in range(LANES):
            w[STEP, i] = 0.0
        look(w, here, 0, 0.0, circles)


# --- ticks alone -------------------------------------------------------------------------------


@part
def fly_others(
    w: Array, wheels: Array, rods: Array, b: int, tick: int, begun: Any, tick_ns: int,
    substeps: int, most: float, rows: tuple[Array, ...], advance: Any,
    flat: tuple[Array, Array, Array],
) -> None:  # fmt: skip
    """Let the craft of block b that are not SMOOTH take a tick of the batch, each alone."""
    for i in range(LANES):
        if w[SMOOTH, i] == 0.0 and not is_lost(w, i):
            fly_alone(
                w, wheels, rods, i, b * LANES + i, tick - begun[i], tick_ns, substeps, most, rows,
                advance, flat,
            )  # fmt: skip


@part
def fly_alone(
    w: Array, wheels: Array, rods: Array, i: int, n: int, tick: int, tick_ns: int, substeps: int,
    most: float, rows: tuple[Array, ...], advance: Any, flat: tuple[Array, Array, Array],
) -> None:  # fmt: skip
    """Let the craft n in lane i take a tick alone.

    tick: since it began;  most: largest rate [rad/s];  advance: of ADVANCE
    flat: scratch arrays for states, a row of `advance`, and the wrench
    """
    begin, row, total = flat
    parts, states = rows[1][n], SIZE + rows[0].shape[1]
    held = acting(w, i)
    for j in range(12):
        total[j] = held[j]
    for j in range(SIZE):
        begin[j] = w[STATE + j, i]
    write_states(w, wheels, rods, i, parts, begin[SIZE:states])
    advance(begin, row, parts, rows[2][n], total, rows[3][n], 1, tick, tick_ns, substeps, most)
    for j in range(SIZE):
        w[STATE + j, i] = row[j]
    read_states(w, wheels, rods, i, parts, row[SIZE:states])


# --- what is known of a tick that has ended ----------------------------------------------------


@helper
def give_up_lanes(w: Array, wheels: Array, rods: Array, most: float) -> None:
    """Mark as lost (nan) the lanes whose motion core.simulation.limits.check_motion would end.

    most: largest rate [rad/s]
    """
    tame = 0
    for i in range(LANES):
        omega = three(w, OMEGA, i)
        slow = dot(omega, omega) < 0.25 * most * most
        tame += slow & limits.is_tame(thirteen(w, STATE, i), twelve(w, BODY, i), most)
    if tame < LANES:
        give_up(w, wheels, rods, most)


@part
def give_up(w: Array, wheels: Array, rods: Array, most: float) -> None:
    """Do what give_up_lanes does, lane by lane, as actuated.is_followed."""
    for i in range(LANES):
        state, body = thirteen(w, STATE, i), twelve(w, BODY, i)
        size = norm((state[10], state[11], state[12]))
        bound = most + size / min(body[9], body[10], body[11])
        if norm(three(w, OMEGA, i)) < most and limits.is_tame(state, body, bound):
            continue
        for j in range(SIZE):
            w[STATE + j, i] = math.nan
        for j in range(3):
            w[BOOK_ROW + j, i] = math.nan
        for k in range(len(wheels)):
            for j in range(MOMENTUM, MODE + 1):
                wheels[k, j, i] = math.nan
        for k in range(len(rods)):
            rods[k, ROD_DIPOLE, i] = math.nan


@helper
def see_energy(w: Array, wheels: Array, here: Array) -> None:
    """Write RATE and ENERGY of every lane, as actuated.motion; `here` begins at this instant."""
    for i in range(LANES):
        omega = three(w, OMEGA, i)
        w[RATE, i] = norm(omega)
        w[ENERGY, i] = dot(omega, symmetric_times(six(w, CARRIER, i), omega))
    for n in range(len(wheels)):
        for i in range(LANES):
            h = wheels[n, MOMENTUM, i]
            w[ENERGY, i] += h * h / wheels[n, INERTIA_ROW, i]
    now = here[0]
    for i in range(LANES):
        state, body, around = thirteen(w, STATE, i), twelve(w, BODY, i), seven(now, 0, i)
        still = (0.0, 0.0, 0.0)
        energy = 0.5 * w[ENERGY, i] + 0.0
        energy += run_summary.mechanical_energy(state, body, three(w, WEIGHT, i), still, still)
        whole = six(w, WHOLE, i)
        of_earth = potential(w, i, energy, state, around)
        orbit = (*seven(w, CIRCLE_ROW, i), *whole)
        of_circle = energy + loaded.orbital_energy(state, orbit, around)
        w[ENERGY, i] = of_earth if w[PARAMETER, i] != 0.0 else of_circle


@helper
def potential(w: Array, i: int, energy: float, state: Floats, around: Floats) -> float:
    """Return an energy with that of the gravity gradient, as loads.gravity_gradient.potential."""
    up_B = to_body(turn_of(state, 1.0), around, UP)
    turns = gradient_potential(1.0, six(w, WHOLE, i), up_B)
    own = turns if w[TURNS, i] != 0.0 else 0.0
    pulled = own - tide.potential_part(around, w[MASS_ROW, i], state)
    own = pulled if w[TIDES, i] != 0.0 else own
    return energy + 1.5 * around[PULL] * own if w[GRADIENT, i] > 0.0 else energy


@helper
def motion(w: Array, i: int) -> tuple[Floats, float, float]:
    """Return run_summary.motion of lane i, after `see_energy`."""
    L_B = seen_from(
        (w[STATE + 3, i], w[STATE + 4, i], w[STATE + 5, i], w[STATE + 6, i]),
        three(w, STATE + 10, i),
    )
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


# --- the loop ----------------------------------------------------------------------------------


@helper
def take_tick(
    w: Array, wheels: Array, rods: Array, arrays: tuple[Array, Array, Array, Array],
    duration: float, substeps: int, circles: bool, limited: bool, moving: bool,
) -> tuple[int, bool]:  # fmt: skip
    """Let every lane in which nothing happens take a tick; return how many did, and `moving`.

    Others are as they were. circles, limited, moving: of step_on
    """
    for i in range(LANES):
        w[SMOOTH, i] = w[READY, i]
    most = count_steps(w, wheels, rods, arrays[0], duration, substeps, moving)
    if count_smooth(w) < FEWEST:
        for i in range(LANES):
            w[SMOOTH, i], w[ENDED, i] = 0.0, math.nan
        return 0, moving
    moving = step_on(w, wheels, rods, arrays, duration, most, circles, limited, moving)
    for i in range(LANES):
        w[ENDED, i] = w[NOW, i] + w[STEP, i] if most == 1 else math.nan
    smooth = count_smooth(w)
    if smooth < LANES:
        take_back(w, wheels, rods)
    return smooth, moving


@unlocked_as(f'void({RUN}, {ROWS})')
def run_beside(
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
    parts, states = rows[1][0], SIZE + rows[0].shape[1]
    count, others = place_of(parts, WHEELS).number, place_of(parts, MAGNETORQUERS).number
    w, wheels = np.zeros((CRAFT_SIZE, LANES)), np.zeros((count, WHEEL_SIZE, LANES))
    rods, here = np.zeros((others, ROD_SIZE, LANES)), np.zeros((3, HERE_SIZE, LANES))
    rates, powers = np.zeros((4, RATES_SIZE, LANES)), np.zeros((4, POWERS_SIZE, LANES))
    pushes, begun = np.zeros((4, 2 * count, LANES)), np.zeros(LANES, np.int64)
    arrays = here, rates, powers, pushes
    flat = np.zeros(states), np.zeros(states + END_SIZE), np.zeros(12)
    own = borrowed(rows)
    for b in range(first, last):
        read_rows(w, 0, KEPT_SIZE, blocks, b)
        circles, limited = read_block(w, wheels, rods, b, own, starts, begun)
        if watched:
            read_rows(w, RECORD, run_summary.SIZE, records, b)
        until, moving = fit_skies(w, b, tick, tick_ns, own, begun), True
        find_motion(w, wheels)
        if watched and ticks == 0:
            begin_tick(w, here, begun, tick, tick_ns, circles)
            see_energy(w, wheels, here)
            begin_records(w, settled_rate)
        for k in range(tick, tick + ticks):
            if k >= until:
                until = fit_skies(w, b, k, tick_ns, own, begun)
                for i in range(LANES):
                    w[ENDED, i] = math.nan
            begin_tick(w, here, begun, k, tick_ns, circles)
            smooth, moving = take_tick(
                w, wheels, rods, arrays, step, substeps, circles, limited, moving
            )
            if smooth < LANES:
                fly_others(
                    w, wheels, rods, b, k, begun, tick_ns, substeps, most, own, advance, flat
                )
                find_motion(w, wheels)
            give_up_lanes(w, wheels, rods, most)
            if watched:
                begin_tick(w, here, begun, k + 1, tick_ns, circles)
                see_energy(w, wheels, here)
                follow_lanes(w, k + 1, settled_rate)
        write_block(w, wheels, rods, b, own)
        write_rows(w, 0, BODY, blocks, b)
        if watched:
            write_rows(w, RECORD, run_summary.SIZE, records, b)
