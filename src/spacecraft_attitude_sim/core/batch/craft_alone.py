# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: ticks of those that fly alone, by the function that flies one spacecraft."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.core.batch.craft_end import put_end
from spacecraft_attitude_sim.core.batch.craft_extras import read_extras, write_extras
from spacecraft_attitude_sim.core.batch.craft_rows import SMOOTH, read_states, write_states
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE, acting, is_lost
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.equations.multibody.kernels import kernels_for
from spacecraft_attitude_sim.kernels.kernel import Handle, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_rows import Extras
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Signature of Kernels.advance.
ADVANCE = f'int64({"float64[::1], " * 6}int64, int64, int64, int64, float64)'


@functools.cache
def alone(kinds: tuple[str, ...]) -> Handle:
    """Return Kernels.advance for craft of some kinds as compiled code takes it."""
    return Handle(ADVANCE, kernels_for(kinds).advance)


@part
def fly_others(
    w: Array, wheels: Array, rods: Array, b: int, tick: int, begun: Any, tick_ns: int,
    substeps: int, most: float, rows: tuple[Array, ...], advance: Any,
    flat: tuple[Array, Array, Array], extras: Extras,
) -> None:  # fmt: skip
    """Let the craft of block b that are not SMOOTH take a tick of the batch, each alone."""
    for i in range(LANES):
        if w[SMOOTH, i] == 0.0 and not is_lost(w, i):
            fly_alone(
                w, wheels, rods, i, b * LANES + i, tick - begun[i], tick_ns, substeps, most, rows,
                advance, flat, extras,
            )  # fmt: skip


@part
def fly_alone(
    w: Array, wheels: Array, rods: Array, i: int, n: int, tick: int, tick_ns: int, substeps: int,
    most: float, rows: tuple[Array, ...], advance: Any, flat: tuple[Array, Array, Array],
    extras: Extras,
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
    write_extras(extras, i, parts, begin[SIZE:states])
    advance(begin, row, parts, rows[2][n], total, rows[3][n], 1, tick, tick_ns, substeps, most)
    for j in range(SIZE):
        w[STATE + j, i] = row[j]
    put_end(w, i, row, states)
    read_states(w, wheels, rods, i, parts, row[SIZE:states])
    read_extras(w, extras, i, parts, row[SIZE:states])
