# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: sub-steps that are cut into pieces, where commands act within a tick.

clock       (CLOCK_SIZE, LANES) of a tick, in which each craft may have other pieces
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.batch.craft_rows import NOW, SIXTH, STEP, STEPS, TIME
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_delayed import Delayed
    from spacecraft_attitude_sim.core.batch.craft_tilted import Tilted
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Time since the tick began [s], sub-steps that are over, and how many there are; until the next
# cut, and length of the next piece [s]; whether that ends its sub-step, 1 or 0; whether there is a
# piece, 1 or 0; in its first lane how many cuts there may be.
CLOCK = Layout(time=1, done=1, steps=1, next=1, length=1, whole=1, on=1, cut=1)
SINCE, DONE, SUB_STEPS, NEXT, LENGTH, WHOLE, ON, CUT = CLOCK.places()
CLOCK_SIZE = CLOCK.size
# What is due within this part of a tick is due now, as of equations.multibody.tick.
RESOLUTION = 1e-14


@helper
def begin_count(w: Array, clock: Array) -> None:
    """Begin to count pieces in STEPS, which has the number of sub-steps."""
    begin_clock(clock)
    for i in range(LANES):
        clock[SUB_STEPS, i], w[STEPS, i], clock[ON, i] = w[STEPS, i], 0.0, 1.0


@helper
def begin_clock(clock: Array) -> None:
    """Let a tick begin."""
    for i in range(LANES):
        clock[SINCE, i] = clock[DONE, i] = 0.0


@helper
def count_piece(w: Array, clock: Array, duration: float) -> int:
    """Count a piece of every lane that has sub-steps left; return how many have any then."""
    left = 0
    for i in range(LANES):
        w[STEPS, i] += clock[ON, i]
        go_on(clock, i, duration, clock[ON, i] > 0.0)
        on = clock[DONE, i] < clock[SUB_STEPS, i]
        clock[ON, i] = 1.0 if on else 0.0
        left += on
    return left


@helper
def find_lengths(clock: Array, duration: float) -> None:
    """Write LENGTH and WHOLE of the pieces that begin, from NEXT, as multibody.step.piece_of."""
    soon = RESOLUTION * duration
    for i in range(LANES):
        done, steps = clock[DONE, i], clock[SUB_STEPS, i]
        end = duration if done == steps - 1.0 else (done + 1.0) * (duration / steps)
        left, until = end - clock[SINCE, i], max(clock[NEXT, i], soon)
        whole = until >= left - soon
        clock[WHOLE, i], clock[LENGTH, i] = 1.0 if whole else 0.0, left if whole else until


@helper
def go_on(clock: Array, i: int, duration: float, on: bool) -> None:
    """Let the clock of lane i be that of the next piece, where it is `on`."""
    done, since, whole = clock[DONE, i], clock[SINCE, i], clock[WHOLE, i] > 0.0
    ended = (done + 1.0) * (duration / clock[SUB_STEPS, i])
    after = ended if whole else since + clock[LENGTH, i]
    clock[SINCE, i] = after if on else since
    clock[DONE, i] = done + 1.0 if on & whole else done


@helper
def all_go_on(w: Array, clock: Array, index: int, duration: float) -> None:
    """Let the clock be that of piece `index`; a lane that has none left stays in its last one."""
    for i in range(LANES):
        on = index < w[STEPS, i]
        clock[ON, i] = 1.0 if on else 0.0
        go_on(clock, i, duration, on & (index > 0))


@helper
def ends_sub_step(i: int, cut: Delayed | Tilted | None) -> bool:
    """Return whether the piece of lane i ends with its sub-step, not where `cut` cuts it."""
    if cut is None:
        return True
    return (cut.clock[CUT, 0] == 0.0) | (cut.clock[WHOLE, i] > 0.0)


@helper
def put_piece(w: Array, clock: Array) -> None:
    """Write when a piece begins, and how long it takes."""
    for i in range(LANES):
        w[NOW, i], w[STEP, i] = w[TIME, i] + clock[SINCE, i], clock[LENGTH, i]
        w[SIXTH, i] = clock[LENGTH, i] / 6.0
