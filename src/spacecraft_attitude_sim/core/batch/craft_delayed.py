# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: wheels whose commands act after a dead time.

What waits is a queue, whose first numbers act when a tick begins and from within it on. There a
sub-step is cut into pieces, which STEPS then counts as sub-steps.

    delayed     a Delayed; None for craft without dead time, for which all of this is compiled away
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_pieces import (
    CLOCK_SIZE,
    CUT,
    NEXT,
    RESOLUTION,
    SINCE,
    all_go_on,
    begin_clock,
    begin_count,
    count_piece,
    find_lengths,
    put_piece,
)
from spacecraft_attitude_sim.core.batch.craft_rows import (
    LOST,
    ROD_LOST,
    SMOOTH,
    TARGET,
    of_row,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.parts.craft import place_of
from spacecraft_attitude_sim.core.parts.reaction_wheels import layouts as wheels_of
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import state_size
from spacecraft_attitude_sim.core.parts.registry import MAGNETORQUERS, WHEELS
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# A wheel: whether it has a dead time, 1 or 0; that as whole ticks and the rest of one [s]; what is
# commanded now, and what acts from `delay` on in this tick [N m].
WAITING = Layout(has=1, waits=1, delay=1, asked=1, later=1)
HAS, WAITS, DELAY, ASKED, LATER = WAITING.places()
# Decays over so many of the pieces of a tick are kept: their lengths are those of the tick before.
KEPT_PIECES, DECAY_SIZE = 4, 4
WAITING_SIZE = WAITING.size
WHEEL_ROW, STATES = wheels_of.ROW, wheels_of.STATES
QUEUED, DELAYED_AT = wheels_of.QUEUED, wheels_of.DELAYED
WAITS_AT, DELAY_AT = wheels_of.WAITS, wheels_of.DELAY


class Delayed(NamedTuple):
    """Dead times of the wheels of a block.

    queues: (n, q, LANES) commands that wait, the latest first [N m]
    rows: (n, WAITING_SIZE, LANES);  clock: (CLOCK_SIZE, LANES)
    decays: (n + m, KEPT_PIECES DECAY_SIZE, LANES) of wheels and magnetorquers: LOST to DECAYED
    """

    queues: Array
    rows: Array
    clock: Array
    decays: Array


def are_delayed(parts: Array) -> bool:
    """Return whether wheels have queues; parts: (N, m) constants of each, with as many queued."""
    at = place_of(parts[0], WHEELS)
    return at.number > 0 and bool(parts[0, at.row + QUEUED] > 0.0)


@helper
def room_for_delayed(parts: Array) -> Delayed:
    """Return the Delayed of a batch; parts: constants of its first craft."""
    at = place_of(parts, WHEELS)
    queued, rods = state_size(at, parts) - STATES, place_of(parts, MAGNETORQUERS).number
    return Delayed(
        from_line(np.zeros((at.number + 1, queued, LANES))),
        from_line(np.zeros((at.number + 1, WAITING_SIZE, LANES))),
        from_line(np.zeros((CLOCK_SIZE + 1, LANES))),
        from_line(np.zeros((at.number + rods + 1, KEPT_PIECES * DECAY_SIZE, LANES))),
    )  # fmt: skip


# --- states ------------------------------------------------------------------------------------


@part
def read_delays(delayed: Delayed | None, i: int, parts: Array, internal: Array) -> None:
    """Write the dead times of a craft, and what waits, to lane i."""
    if delayed is not None:
        at = place_of(parts, WHEELS)
        for k in range(at.number):
            row, rows = at.row + k * WHEEL_ROW, delayed.rows[k]
            rows[HAS, i], rows[WAITS, i] = parts[row + DELAYED_AT], parts[row + WAITS_AT]
            rows[DELAY, i] = parts[row + DELAY_AT] if parts[row + DELAYED_AT] > 0.0 else 0.0
        delayed.decays[:, :, i] = 0.0  # of the craft that was there before
        read_queues(delayed, i, parts, internal)


@part
def read_queues(delayed: Delayed | None, i: int, parts: Array, internal: Array) -> None:
    """Write what waits to lane i."""
    if delayed is not None:
        at = place_of(parts, WHEELS)
        size = state_size(at, parts)
        for k in range(at.number):
            for j in range(size - STATES):
                delayed.queues[k, j, i] = internal[at.state + k * size + STATES + j]


@part
def write_queues(delayed: Delayed | None, i: int, parts: Array, internal: Array) -> None:
    """Write internal states of a craft from what waits in lane i."""
    if delayed is not None:
        at = place_of(parts, WHEELS)
        size = state_size(at, parts)
        for k in range(at.number):
            for j in range(size - STATES):
                internal[at.state + k * size + STATES + j] = delayed.queues[k, j, i]


@part
def lose_queues(delayed: Delayed | None, i: int) -> None:
    """Let what waits in lane i be nan."""
    if delayed is not None:
        delayed.queues[:, :, i] = math.nan


# --- a tick ------------------------------------------------------------------------------------


@helper
def keep_asked(wheels: Array, delayed: Delayed | None) -> None:
    """Keep what is commanded now, which is in TARGET, as ASKED."""
    if delayed is not None:
        for n in range(len(wheels)):
            wheel, rows = wheels[n], delayed.rows[n]
            for i in range(LANES):
                rows[ASKED, i] = wheel[TARGET, i]


@helper
def begin_delays(wheels: Array, delayed: Delayed | None) -> bool:
    """Write TARGET and LATER of a tick, as reaction_wheels.waited; return whether any moves."""
    changed = 0
    if delayed is not None:
        delayed.clock[CUT, 0] = count_cuts(delayed.rows)
        for n in range(len(wheels)):
            changed += wait(wheels[n], delayed.rows[n], delayed.queues[n])
    return changed > 0


@part
def wait(wheel: Array, rows: Array, queue: Array) -> int:
    """Do what `begin_delays` does for a wheel; return in how many lanes its target moves."""
    changed = 0
    for i in range(LANES):
        now = later = rows[ASKED, i]
        if rows[HAS, i] > 0.0:
            waits = int(rows[WAITS, i])
            later = queue[waits - 1, i] if waits > 0 else later
            now = queue[waits, i] if rows[DELAY, i] > 0.0 else later
        changed += (wheel[TARGET, i] != now) | (later != now)
        wheel[TARGET, i], rows[LATER, i] = now, later
    return changed


@helper
def end_delays(w: Array, delayed: Delayed | None) -> None:
    """Let queues of lanes that are SMOOTH move up when a tick has ended."""
    if delayed is not None:
        for n in range(len(delayed.rows)):
            move_up(w, delayed.rows[n], delayed.queues[n])


@helper
def move_up(w: Array, rows: Array, queue: Array) -> None:
    """Do what `end_delays` does for a wheel."""
    for j in range(len(queue) - 1, -1, -1):
        for i in range(LANES):
            moved = rows[ASKED, i] if j == 0 else queue[max(j - 1, 0), i]
            moves = (w[SMOOTH, i] != 0.0) & (rows[HAS, i] > 0.0)
            queue[j, i] = moved if moves else queue[j, i]


# --- pieces ------------------------------------------------------------------------------------


@helper
def count_pieces(w: Array, delayed: Delayed | None, most: int, duration: float) -> int:
    """Let STEPS count the pieces of sub-steps, of which there are at most `most`; return most."""
    if delayed is None or delayed.clock[CUT, 0] == 0.0:
        return most
    clock, pieces, left = delayed.clock, 0, 1
    begin_count(w, clock)
    while left > 0:
        find_next(delayed.rows, clock, RESOLUTION * duration)
        find_lengths(clock, duration)
        left = count_piece(w, clock, duration)
        pieces += 1
    begin_clock(clock)
    return pieces


@helper
def count_cuts(rows: Array) -> float:
    """Return how many dead times end within a tick."""
    cut = 0.0
    for n in range(len(rows)):
        for i in range(LANES):
            cut += rows[n, DELAY, i] > 0.0
    return cut


@helper
def find_next(rows: Array, clock: Array, soon: float) -> None:
    """Write how long it takes until the next dead time ends, as reaction_wheels.next_switch."""
    for i in range(LANES):
        clock[NEXT, i] = math.inf
    for n in range(len(rows)):
        for i in range(LANES):
            delay, since = rows[n, DELAY, i], clock[SINCE, i]
            until = delay - since if delay > since + soon else math.inf
            clock[NEXT, i] = min(clock[NEXT, i], until)


@helper
def begin_piece(
    w: Array, wheels: Array, delayed: Delayed | None, index: int, duration: float
) -> bool:
    """Write when piece `index` begins and its length; let TARGET be LATER where that is due.

    A lane that has no piece left stays in its last one. Return whether a target moves.
    """
    if delayed is None or delayed.clock[CUT, 0] == 0.0:
        return False
    clock, changed, soon = delayed.clock, 0, RESOLUTION * duration
    all_go_on(w, clock, index, duration)
    find_next(delayed.rows, clock, soon)
    find_lengths(clock, duration)
    put_piece(w, clock)
    for n in range(len(wheels)):
        changed += switch(wheels[n], delayed.rows[n], clock, soon)
    return changed > 0


@helper
def switch(wheel: Array, rows: Array, clock: Array, soon: float) -> int:
    """Let TARGET be LATER where that is due, as reaction_wheels.switch; return how often."""
    changed = 0
    for i in range(LANES):
        due = (rows[DELAY, i] > 0.0) & (rows[DELAY, i] <= clock[SINCE, i] + soon)
        target = rows[LATER, i] if due else wheel[TARGET, i]
        changed += target != wheel[TARGET, i]
        wheel[TARGET, i] = target
    return changed


@helper
def recall_decays(wheels: Array, rods: Array, delayed: Delayed | None, index: int) -> None:
    """Write the decays that were computed over piece `index` of the tick before."""
    if delayed is not None and delayed.clock[CUT, 0] > 0.0:
        k, count = index % KEPT_PIECES * DECAY_SIZE, len(wheels)
        for n in range(count):
            copy_decays(delayed.decays[n], k, wheels[n], LOST)
        for n in range(len(rods)):
            copy_decays(delayed.decays[count + n], k, rods[n], ROD_LOST)


@helper
def keep_decays(wheels: Array, rods: Array, delayed: Delayed | None, index: int) -> None:
    """Keep the decays over piece `index`."""
    if delayed is not None and delayed.clock[CUT, 0] > 0.0:
        k, count = index % KEPT_PIECES * DECAY_SIZE, len(wheels)
        for n in range(count):
            copy_decays(wheels[n], LOST, delayed.decays[n], k)
        for n in range(len(rods)):
            copy_decays(rods[n], ROD_LOST, delayed.decays[count + n], k)


@helper
def copy_decays(given: Array, source: int, copied: Array, place: int) -> None:
    """Copy the rows of a decay from one array (any, LANES) to another."""
    begin, end = of_row(given, source), of_row(copied, place)
    for j in range(DECAY_SIZE * LANES):
        end[j] = begin[j]
