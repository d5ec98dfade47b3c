# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with internal parts, LANES of them side by side: their numbers in rows.

Beside the rows of craft_rows.py a lane has what a craft alone has in flat arrays: constants and
working memory (rows of core.parts.craft), and for each part its constants, working memory and
values. So the functions of a craft alone compute a lane, which they get as a
kernels.columns.column.

    w           (MOVING_SIZE, LANES)
    inside      three arrays (n, PART_SIZE, LANES): coordinates, pendulums and slugs
"""

from __future__ import annotations

import math

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_rows import ABLE, BOOK_ROW, CRAFT, STORED
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE, is_lost
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads.registry import TABLE_SIZE
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.mathematics.vectors import put_six, six_at
from spacecraft_attitude_sim.core.parts.coordinates import kernel as coordinates
from spacecraft_attitude_sim.core.parts.coordinates.layouts import CAUGHT, FREE, HELD, LATCHED
from spacecraft_attitude_sim.core.parts.craft import (
    BOOK,
    INERTIA,
    LOADS,
    MOVING,
    STATES,
    WORK,
    Place,
    count_of,
    place_of,
)
from spacecraft_attitude_sim.core.parts.craft import CRAFT as CONSTANTS
from spacecraft_attitude_sim.core.parts.pendulums import kernel as pendulums
from spacecraft_attitude_sim.core.parts.registry import NAMES, SLOTS
from spacecraft_attitude_sim.core.parts.viscous_slugs import kernel as slugs
from spacecraft_attitude_sim.kernels.columns import column, from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

# fits: whether it may fly beside others while no part is at a stop; ABLE is 1 then
# until: when the next part that is held is released [s]
# parts, work: of core.parts.craft;  solid: inertia of all that does not turn freely
# sum_moment to sum_stored: of core.parts.kind.Kind.attach and suspend; of the latter `reduced`, an
# inertia, and sum_stored are, in the end, those of the equations of ω alone
# pressed: of Kind.move;  heat: power of friction
# before: ω when the tick began, and of what is pushed the sub-step, before pendulums are put right
# inside_energy, springs, energy_moment: for the record
# rest, rest_v, drifting: of Kind.move and swing, when a tick ends
MOVING_CRAFT = Layout(
    **CRAFT.widths, fits=1, until=1, parts=CONSTANTS.size, work=WORK.size, solid=6, sum_moment=3,
    sum_momentum=3, sum_low=6, sum_mixed=9, sum_taken=6, sum_moved=6, sum_stored=3, reduced=6,
    pressed=3, heat=1, before=3, inside_energy=1, springs=1, energy_moment=3, rest=3, rest_v=3,
    drifting=3,
)  # fmt: skip
MOVING_SIZE = MOVING_CRAFT.size
(
    FITS, UNTIL, PARTS, WORK_ROWS, SOLID, SUM_MOMENT, SUM_MOMENTUM, SUM_LOW, SUM_MIXED, SUM_TAKEN,
    SUM_MOVED, SUM_STORED, REDUCED, PRESSED, HEAT, OMEGA_BEFORE, INSIDE_ENERGY, SPRINGS,
    ENERGY_MOMENT, REST, REST_V, DRIFTING,
) = MOVING_CRAFT.places()[len(CRAFT.widths) :]  # fmt: skip
# A part: its constants and working memory; its values in a stage, when a sub-step began, and when
# the tick began.
MOST_VALUES = max(coordinates.VALUES, pendulums.STATES, slugs.STATES)
PART = Layout(
    constants=max(coordinates.ROW, pendulums.ROW, slugs.ROW), work=coordinates.WORK_ROW,
    now=MOST_VALUES, begin=MOST_VALUES, old=MOST_VALUES,
)  # fmt: skip
PART_SIZE = PART.size
_, OWN, NOW, BEGIN, BEFORE = PART.places()
# Place of a part whose constants, memory and values each begin at row 0 of a column.
ONE = Place(1, 0, 0, 0, 0, 0)
COORDINATES, PENDULUMS, SLUGS = (
    SLOTS[name] for name in ('coordinates', 'pendulums', 'viscous_slugs')
)
OTHER_KINDS = tuple(
    slot for slot in range(len(NAMES)) if slot not in (COORDINATES, PENDULUMS, SLUGS)
)
BOOK_SIZE, CONSTANTS_SIZE, WORK_SIZE = BOOK.size, CONSTANTS.size, WORK.size
SHAPE, RELEASE = coordinates.SHAPE, coordinates.RELEASE
HOW, HOW_STATE = coordinates.HOW, coordinates.HOW_STATE
COORDINATE_ROW, COORDINATE_STATES = coordinates.ROW, coordinates.STATES
COORDINATE_VALUES = coordinates.VALUES
PENDULUM_ROW, PENDULUM_STATES = pendulums.ROW, pendulums.STATES
SLUG_ROW, SLUG_STATES = slugs.ROW, slugs.STATES


@helper
def may_fly_beside(parts: Array) -> bool:
    """Return whether the loops over lanes have all that a craft has; parts: its constants."""
    able = parts[MOVING] > 0.0
    for slot in range(TABLE_SIZE // 2):
        able = able and parts[LOADS + 2 * slot] == 0.0
    for slot in OTHER_KINDS:
        able = able and count_of(parts, slot) == 0.0
    return able


def shapes_of(parts: Array) -> tuple[float, ...]:
    """Return the kind of each coordinate of a craft: MODE, HINGE or LINE."""
    at = place_of(parts, COORDINATES)
    return tuple(parts[at.row + k * COORDINATE_ROW + SHAPE] for k in range(at.number))


@helper
def room_for_parts(parts: Array) -> tuple[tuple, tuple]:
    """Return `inside`, and `slopes` of moving_step.py; parts: constants of a craft."""
    a, b, c = (
        place_of(parts, COORDINATES).number, place_of(parts, PENDULUMS).number,
        place_of(parts, SLUGS).number,
    )  # fmt: skip
    inside = (
        from_line(np.zeros((a + 1, PART_SIZE, LANES))),
        from_line(np.zeros((b + 1, PART_SIZE, LANES))),
        from_line(np.zeros((c + 1, PART_SIZE, LANES))),
    )  # fmt: skip
    slopes = (
        from_line(np.zeros((5, a, MOST_VALUES, LANES))),
        from_line(np.zeros((5, b, MOST_VALUES, LANES))),
        from_line(np.zeros((5, c, MOST_VALUES, LANES))),
    )  # fmt: skip
    return inside, slopes


@part
def read_craft(
    w: Array, inside: tuple[Array, Array, Array], i: int, parts: Array, internal: Array
) -> None:
    """Write the constants and internal states of a craft to lane i."""
    w[FITS, i] = 1.0 if may_fly_beside(parts) else 0.0
    for j in range(3):
        w[STORED + j, i] = 0.0
    read_parts(w, inside, i, parts)
    read_states(w, inside, i, parts, internal)


@part
def read_parts(w: Array, inside: tuple[Array, Array, Array], i: int, parts: Array) -> None:
    """Write the constants of a craft and of its parts that move inside to lane i."""
    for j in range(CONSTANTS_SIZE):
        w[PARTS + j, i] = parts[j]
    for j in range(WORK_SIZE):
        w[WORK_ROWS + j, i] = 0.0
    put_six(column(w, i), SOLID, six_at(parts, INERTIA), 0)
    read_constants(inside[0], i, parts, place_of(parts, COORDINATES), COORDINATE_ROW)
    read_constants(inside[1], i, parts, place_of(parts, PENDULUMS), PENDULUM_ROW)
    read_constants(inside[2], i, parts, place_of(parts, SLUGS), SLUG_ROW)


@helper
def read_constants(each: Array, i: int, parts: Array, at: Place, size: int) -> None:
    """Write the constants of the parts of a kind to lane i; size: of a row."""
    for n in range(at.number):
        for j in range(size):
            each[n, j, i] = parts[at.row + n * size + j]


@part
def read_states(
    w: Array, inside: tuple[Array, Array, Array], i: int, parts: Array, internal: Array
) -> None:
    """Write the internal states of a craft to lane i, and whether it is ABLE."""
    read_values(w, inside, i, parts, internal)
    book = int(parts[STATES]) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        w[BOOK_ROW + j, i] = internal[book + j]


@part
def read_values(
    w: Array, inside: tuple[Array, Array, Array], i: int, parts: Array, internal: Array
) -> None:
    """Write the states of parts that move inside to lane i, UNTIL, and whether it is ABLE."""
    able, until = w[FITS, i] != 0.0 and not is_lost(w, i), math.inf
    at = place_of(parts, COORDINATES)
    for n in range(at.number):
        state = at.state + n * COORDINATE_STATES
        for j in range(COORDINATE_VALUES):
            inside[0][n, NOW + j, i] = internal[state + j]
        how = internal[state + HOW_STATE]
        inside[0][n, OWN + HOW, i] = how
        if how == HELD:
            until = min(until, parts[at.row + n * COORDINATE_ROW + RELEASE])
        able = able and how in (FREE, CAUGHT, HELD, LATCHED)
    copy_states(inside[1], i, place_of(parts, PENDULUMS), PENDULUM_STATES, internal)
    copy_states(inside[2], i, place_of(parts, SLUGS), SLUG_STATES, internal)
    w[ABLE, i], w[UNTIL, i] = 1.0 if able else 0.0, until


@helper
def copy_states(each: Array, i: int, at: Place, size: int, internal: Array) -> None:
    """Write the states of parts whose states are their values to lane i."""
    for n in range(at.number):
        for j in range(size):
            each[n, NOW + j, i] = internal[at.state + n * size + j]


@part
def write_states(
    w: Array, inside: tuple[Array, Array, Array], i: int, parts: Array, internal: Array
) -> None:
    """Write internal states of a craft from lane i."""
    write_values(inside, i, parts, internal)
    book = int(parts[STATES]) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        internal[book + j] = w[BOOK_ROW + j, i]


@part
def write_values(
    inside: tuple[Array, Array, Array], i: int, parts: Array, internal: Array
) -> None:
    """Write the states of parts that move inside from lane i."""
    at = place_of(parts, COORDINATES)
    for n in range(at.number):
        state = at.state + n * COORDINATE_STATES
        for j in range(COORDINATE_VALUES):
            internal[state + j] = inside[0][n, NOW + j, i]
        internal[state + HOW_STATE] = inside[0][n, OWN + HOW, i]
    keep_states(inside[1], i, place_of(parts, PENDULUMS), PENDULUM_STATES, internal)
    keep_states(inside[2], i, place_of(parts, SLUGS), SLUG_STATES, internal)


@helper
def keep_states(each: Array, i: int, at: Place, size: int, internal: Array) -> None:
    """Write internal states of parts whose states are their values from lane i."""
    for n in range(at.number):
        for j in range(size):
            internal[at.state + n * size + j] = each[n, NOW + j, i]


@part
def lose(w: Array, inside: tuple[Array, Array, Array], i: int) -> None:
    """Give up lane i: all its states are nan."""
    for j in range(SIZE):
        w[STATE + j, i] = math.nan
    for j in range(BOOK_SIZE):
        w[BOOK_ROW + j, i] = math.nan
    lose_values(inside, i)
    w[ABLE, i] = 0.0


@part
def lose_values(inside: tuple[Array, Array, Array], i: int) -> None:
    """Let the states of parts that move inside in lane i be nan."""
    for each in inside:
        for n in range(len(each)):
            for j in range(MOST_VALUES):
                each[n, NOW + j, i] = math.nan
    for n in range(len(inside[0])):
        inside[0][n, OWN + HOW, i] = math.nan
