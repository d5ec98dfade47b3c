# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: what the lanes of a block begin with, and what they leave."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.core.batch.craft_borne import read_bearing
from spacecraft_attitude_sim.core.batch.craft_delayed import keep_asked, read_delays
from spacecraft_attitude_sim.core.batch.craft_extras import write_extras
from spacecraft_attitude_sim.core.batch.craft_inside import read_inside
from spacecraft_attitude_sim.core.batch.craft_magnets import read_magnets
from spacecraft_attitude_sim.core.batch.craft_press import clear_press, read_plates
from spacecraft_attitude_sim.core.batch.craft_pushed import read_pushed
from spacecraft_attitude_sim.core.batch.craft_rows import (
    AIR_SLOT,
    AIRED,
    ENDED,
    LIGHT_SLOT,
    LIT,
    MAX_POWER,
    OMEGA,
    PARAMETER,
    STALL,
    STRIBECK,
    Facts,
    read_craft,
    read_states,
    read_wheels,
    take_commands,
    write_states,
)
from spacecraft_attitude_sim.core.batch.craft_tilted import read_gimbals, take_rates
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_rows import Extras
    from spacecraft_attitude_sim.core.mathematics.types import Array


END_SIZE = END.size


@part
def read_block(
    w: Array, wheels: Array, rods: Array, plates: tuple[Array, Array], extras: Extras, b: int,
    rows: tuple[Array, ...], starts: Any, begun: Any,
) -> Facts:  # fmt: skip
    """Write the craft of block b to the lanes; return what is known of them.

    Lanes without a craft are lost.

    plates: airs, lights of craft_press.py
    begun: (LANES,) tick at which the craft in each lane has begun, written
    """
    internal, parts, _, skies, _, _, _, _ = rows
    circles = limited = airy = rubbing = False
    for i in range(LANES):
        n = min(b * LANES + i, len(internal) - 1)
        begun[i] = starts[n]
        read_craft(w, i, parts[n], skies[n])
        read_wheels(wheels, rods, i, parts[n])
        read_plates(plates[0], i, parts[n], AIR_SLOT)
        read_plates(plates[1], i, parts[n], LIGHT_SLOT)
        read_states(w, wheels, rods, i, parts[n], internal[n])
        read_magnets(extras.magnets, i, parts[n], internal[n])
        w[ENDED, i] = math.nan
        if n < b * LANES + i:
            w[STATE + 3, i] = math.nan
        read_inside(w, extras.within, i, parts[n], internal[n])
        read_pushed(extras.pushed, i, n, internal[n])
        read_delays(extras.delayed, i, parts[n], internal[n])
        read_bearing(extras.borne, i, parts[n])
        read_gimbals(extras.tilted, i, parts[n], internal[n])
        circles = circles or w[PARAMETER, i] == 0.0
        for k in range(len(wheels)):
            limited = limited or math.isfinite(wheels[k, MAX_POWER, i])
            limited = limited or math.isfinite(wheels[k, STALL, i])
            rubbing = rubbing or wheels[k, STRIBECK, i] > 0.0
        airy = airy or w[AIRED, i] > 0.0 or w[LIT, i] > 0.0
    clear_press(w)
    return Facts(circles, airy, limited, rubbing, extras)


@part
def write_block(
    w: Array, wheels: Array, rods: Array, extras: Extras, b: int, rows: tuple[Array, ...]
) -> None:
    """Write internal states and ω of the craft of block b; lanes without one are at rest again."""
    internal, parts, ends = rows[0], rows[1], rows[6]
    for i in range(LANES):
        n = b * LANES + i
        if n < len(internal):
            write_states(w, wheels, rods, i, parts[n], internal[n])
            write_extras(extras, i, parts[n], internal[n])
            for j in range(3):
                ends[n, END_SIZE + j] = w[OMEGA + j, i]
        else:
            w[STATE + 3, i] = 1.0


@part
def take_all_commands(
    w: Array, wheels: Array, rods: Array, extras: Extras, b: int, rows: tuple[Array, ...],
    duration: float,
) -> bool:  # fmt: skip
    """Write the targets of all parts of block b; return whether a wheel's is a speed."""
    speeds = False
    for i in range(LANES):
        n = min(b * LANES + i, len(rows[1]) - 1)
        asked = take_commands(w, wheels, rods, i, rows[1][n], rows[2][n], duration)
        speeds = speeds or asked
        take_rates(extras.tilted, i, rows[1][n], rows[2][n])
    keep_asked(wheels, extras.delayed)
    return speeds
