# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: what laws and sensors see of each, by the functions of core.batch.actuated.

When a tick has ended each lane is written out once, to arrays of its own; its law and its sensors
are called with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.actuated import command, keep_end, look, sense, show
from spacecraft_attitude_sim.core.batch.craft_end import end_of, put_end
from spacecraft_attitude_sim.core.batch.craft_extras import write_extras
from spacecraft_attitude_sim.core.batch.craft_rows import OMEGA, write_states
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    LANES,
    STATE,
    WRENCH,
    four,
    is_lost,
)
from spacecraft_attitude_sim.core.batch.loaded_lanes import three
from spacecraft_attitude_sim.core.batch.loop import COMMANDS, SEEN_STATES
from spacecraft_attitude_sim.core.body.kinematics import seen_from
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_rows import Extras
    from spacecraft_attitude_sim.core.mathematics.types import Array

AROUND_SIZE, END_SIZE = AROUND.size, END.size


class Shown(NamedTuple):
    """What is seen of the craft of a block, a row for each lane.

    flats: (LANES, 13 + n) state and internal states;  wrenches: (LANES, 12)
    ends: (LANES, 15) of END;  bodies: (LANES, 12);  arounds: (LANES, 25) of AROUND
    gone: (LANES, 1) 1 where a lane was lost before this tick
    seen, written: (1, any) what a law sees and writes
    """

    flats: Array
    wrenches: Array
    ends: Array
    bodies: Array
    arounds: Array
    gone: Array
    seen: Array
    written: Array


@part
def room_for_shown(internal: int, commands: int) -> Shown:
    """Return the Shown of craft with so many internal states and commands."""
    return Shown(
        np.zeros((LANES, SIZE + internal)), np.zeros((LANES, 12)), np.zeros((LANES, END_SIZE)),
        np.zeros((LANES, 12)), np.zeros((LANES, AROUND_SIZE)), np.zeros((LANES, 1)),
        np.zeros((1, SEEN_STATES + internal)), np.zeros((1, COMMANDS + commands)),
    )  # fmt: skip


@part
def begin_shown(
    w: Array, wheels: Array, rods: Array, b: int, tick: int, begun: Any, tick_ns: int,
    rows: tuple[Array, ...], shown: Shown, extras: Extras,
) -> None:  # fmt: skip
    """Write what is seen of the craft of block b at the first tick of a call."""
    shown.arounds[:] = 0.0
    for i in range(LANES):
        for j in range(12):
            shown.bodies[i, j], shown.wrenches[i, j] = w[BODY + j, i], w[WRENCH + j, i]
    note_lost(w, shown)
    show_lanes(w, wheels, rods, b, tick, begun, tick_ns, rows, shown, extras)


@part
def show_lanes(
    w: Array, wheels: Array, rods: Array, b: int, tick: int, begun: Any, tick_ns: int,
    rows: tuple[Array, ...], shown: Shown, extras: Extras,
) -> None:  # fmt: skip
    """Write states and environments at a tick; of craft in one orbit the latter are computed once.

    tick: of the batch, which begins;  begun: tick at which each craft began
    """
    parts, skies, tables, which = rows[1], rows[3], rows[4], rows[5]
    before = -1
    for i in range(LANES):
        n = b * LANES + i
        if shown.gone[i, 0] != 0.0 or n >= len(parts):
            continue
        flat, around = shown.flats[i], shown.arounds[i]
        for j in range(SIZE):
            flat[j] = w[STATE + j, i]
        write_states(w, wheels, rods, i, parts[n], flat[SIZE:])
        write_extras(extras, i, parts[n], flat[SIZE:])
        orbit = which[n, 0]
        round_earth = orbit >= 0.0
        known = before >= 0 and orbit == which[b * LANES + before, 0]
        if round_earth and known and begun[i] == begun[before]:
            around[:] = shown.arounds[before]
        else:
            table = tables[int(orbit) if round_earth else 0]
            look(around, table, round_earth, skies[n], seconds_of(tick - begun[i], tick_ns))
        before = i


@part
def obey_lanes(
    w: Array, b: int, tick: int, begun: Any, law: Any, constants: Array, memory: Array,
    rows: tuple[Array, ...], shown: Shown,
) -> None:  # fmt: skip
    """Let a law change wrench and commands of each craft of block b at a tick."""
    parts, commands = rows[1], rows[2]
    for i in range(LANES):
        if is_lost(w, i):
            continue
        n = b * LANES + i
        L_B = seen_from(four(w, STATE + 3, i), three(w, STATE + 10, i))
        now = L_B, 0.0, 0.0, three(w, OMEGA, i)
        seen, wrench = shown.seen[0], shown.wrenches[i]
        show(seen, shown.flats[i], now, parts[n], shown.arounds[i])
        command(
            law, tick - begun[i], seen, shown.bodies[i], constants[n], memory[n],
            shown.written[0], wrench, commands[n],
        )  # fmt: skip
        for j in range(12):
            w[WRENCH + j, i] = wrench[j]


@part
def note_lost(w: Array, shown: Shown) -> None:
    """Note which lanes are lost when a tick begins."""
    for i in range(LANES):
        shown.gone[i, 0] = 1.0 if is_lost(w, i) else 0.0


@part
def sense_lanes(
    w: Array, b: int, tick: int, k: int, begun: Any, rows: tuple[Array, ...], shown: Shown,
    functions: Any, sensing: Any, kept_rows: Array,
) -> None:  # fmt: skip
    """Read the sensors of each craft of block b at a tick of the batch, and keep it in row k.

    functions, sensing: of core.batch.sensors.Sensors.arguments;  kept_rows: of run_actuated
    """
    keeps = min(kept_rows.shape[2], 1)
    for i in range(LANES):
        n = b * LANES + i
        if shown.gone[i, 0] != 0.0 or n >= len(rows[1]):
            continue
        around, end = shown.arounds[i], shown.ends[i]
        end_of(w, i, end)
        own = shown.flats[i], shown.wrenches[i], rows[2][n], end
        felt = around if rows[5][n, 0] >= 0.0 else around[:0]
        kept = kept_rows[n * keeps, k * keeps]
        sense(n, tick - begun[i], own, felt, rows[7][n], functions, sensing, kept)


@part
def sense_first(
    w: Array, b: int, tick: int, begun: Any, rows: tuple[Array, ...], shown: Shown,
    functions: Any, sensing: Any, kept_rows: Array,
) -> None:  # fmt: skip
    """Read the sensors of the craft of block b that begin at this tick; see sense_lanes.

    END of this instant is in the rows of SEEN of core.batch.actuated.
    """
    for i in range(LANES):
        n = b * LANES + i
        if n < len(rows[1]):
            put_end(w, i, rows[6][n], 0)
            end_of(w, i, shown.ends[i])
        if begun[i] != tick:
            shown.gone[i, 0] = 1.0
    sense_lanes(w, b, tick, 0, begun, rows, shown, functions, sensing, kept_rows)


@part
def keep_ends(w: Array, b: int, rows: tuple[Array, ...], shown: Shown) -> None:
    """Write rows of SEEN of core.batch.actuated when the last tick of a call has ended."""
    for i in range(LANES):
        n = b * LANES + i
        if n < len(rows[1]):
            keep_end(rows[6][n], shown.ends[i], three(w, OMEGA, i))
