# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled loop of core.batch: blocks of LANES bodies, tick after tick, law by law."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    KEPT_SIZE,
    LANES,
    RECORD,
    ROWS_SIZE,
    STATE,
    WEIGHT,
    WRENCH,
    advance_lanes,
    give_up_lanes,
    is_lost,
    thirteen,
    twelve,
)
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatState, Floats
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import Kernel, compiled_as, helper, lanes_as, part
from spacecraft_attitude_sim.kernels.pointers import borrowed

# What a law gets: the flat state (13,), and the stored angular momentum.
SEEN_SIZE = SIZE + 3
# For spacecraft whose actuators have states of their own these follow: the angular velocity; the
# environment (25,) of core.environment.surroundings, without an orbit about the Earth zeros except
# the field; and the states. After the wrench a law writes those of Spacecraft.commands; for
# ideal wheels their torques.
SEEN_AROUND = SEEN_SIZE + 3
SEEN_STATES, COMMANDS = SEEN_AROUND + AROUND.size, 12
LAW = f'void(int64{", float64[::1]" * 5})'
# Decorator that compiles a law: law(tick, flat_state, body, constants, memory, wrench) writes the
# wrench (12,) from that tick to the next into `wrench`, which holds the one before; `memory` is
# its own storage. Both belong to one body; tick counts from the start of the batch.
# flat_state: (16,) of SEEN_SIZE, the last three in body axes [N m s], or longer: see SEEN_STATES.
law_function = compiled_as(LAW)
# Types of the arguments of `run`.
RUN = (
    f'{"float64[:, :, ::1], " * 2}UniTuple(int64, 4), int64, int64, float64, '
    f'Addresses({LAW!r}), float64[:, ::1], float64[:, ::1]'
)


@law_function
def no_law(
    tick: int, flat_state: FlatState, body: Array, constants: Array, memory: Array, wrench: Array
) -> None:
    """Leave the wrench as it is."""


@helper
def weight_on(w: Array, i: int) -> Floats:
    """Return gravity's force on lane i as three floats."""
    return (w[WEIGHT, i], w[WEIGHT + 1, i], w[WEIGHT + 2, i])


@helper
def read_rows(w: Array, k: int, count: int, blocks: Array, b: int) -> None:
    """Copy the rows of block b to the rows of w from k on."""
    for row in range(count):
        for i in range(LANES):
            w[k + row, i] = blocks[b, row, i]


@helper
def write_rows(w: Array, k: int, count: int, blocks: Array, b: int) -> None:
    """Copy rows of w from k on to the first rows of block b."""
    for row in range(count):
        for i in range(LANES):
            blocks[b, row, i] = w[k + row, i]


@part
def begin_records(w: Array, settled_rate: float) -> None:
    """Begin the record of every lane."""
    for i in range(LANES):
        state, body = thirteen(w, STATE, i), twelve(w, BODY, i)
        seen = run_summary.motion(state, body, weight_on(w, i))
        run_summary.begin_record(w, RECORD, i, state, seen, settled_rate)


@helper
def follow_lanes(w: Array, tick: int, settled_rate: float) -> None:
    """Update the record of every lane at a tick, counted from the start."""
    for i in range(LANES):
        state, body = thirteen(w, STATE, i), twelve(w, BODY, i)
        seen = run_summary.motion(state, body, weight_on(w, i))
        run_summary.follow(w, RECORD, i, tick, state, seen, twelve(w, WRENCH, i), settled_rate)


@part
def obey(
    w: Array, i: int, tick: int, law: Any, constants: Array, memory: Array, state: Array,
    body: Array, wrench: Array,
) -> None:  # fmt: skip
    """Let the law choose the wrench of lane i; state, body, wrench: scratch arrays for it.

    state: (16,);  body: (12,);  wrench: (12,), then the torques of ideal wheels
    """
    for k in range(13):
        state[k] = w[STATE + k, i]
    for k in range(12):
        body[k] = w[BODY + k, i]
        wrench[k] = w[WRENCH + k, i]
    law(tick, state, body, constants, memory, wrench)
    for k in range(12):
        w[WRENCH + k, i] = wrench[k]


@lanes_as(f'void({RUN})')
def run(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array,
) -> None:  # fmt: skip
    """Advance blocks of bodies tick by tick; 0 ticks begins their records.

    A body whose motion cannot be computed is nan from there on.

    blocks: (any, KEPT_SIZE, LANES);  records: (any, SIZE, LANES), or empty to keep none
    span: first block and the one after the last, first tick and number of ticks
    tick_ns: length of a tick [ns];  substeps: in it, 0 to choose them for each body
    settled_rate: of run_summary [rad/s]
    laws: one, with constants and memory (N, any); empty constants mean no law. numba takes a list
        thirty times faster than a function
    """
    first, last, tick, ticks = span
    watched, lawful = len(records) > 0, len(constants) > 0
    step = seconds_of(1, tick_ns)
    w = from_line(np.empty((ROWS_SIZE + 1, LANES)))
    state, body, wrench = np.zeros(SEEN_SIZE), np.empty(12), np.empty(12)
    constants, memory, law = borrowed(constants), borrowed(memory), laws[0]
    for b in range(first, last):
        read_rows(w, 0, KEPT_SIZE, blocks, b)
        if watched:
            read_rows(w, RECORD, run_summary.SIZE, records, b)
            if ticks == 0:
                begin_records(w, settled_rate)
        for k in range(tick, tick + ticks):
            if lawful:
                for i in range(LANES):
                    if is_lost(w, i):
                        continue
                    n = b * LANES + i
                    obey(w, i, k, law, constants[n], memory[n], state, body, wrench)
            advance_lanes(w, step, substeps)
            give_up_lanes(w, step, substeps)
            if watched:
                follow_lanes(w, k + 1, settled_rate)
        # A tick changes the state, the wrench of a law, and the record.
        write_rows(w, 0, WRENCH + 12 if lawful else BODY, blocks, b)
        if watched:
            write_rows(w, RECORD, run_summary.SIZE, records, b)
