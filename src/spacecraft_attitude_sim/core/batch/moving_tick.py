# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A tick of craft with internal parts, side by side: sub-steps, as equations.multibody.tick.

Every lane is tried; SMOOTH tells at the end in which lanes no part reached a stop or a latch. Only
those are kept. Arguments are those of moving_step.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_rows import (
    ABLE,
    BOOK_ROW,
    OLD,
    OLD_BOOK,
    OMEGA,
    SIXTH,
    SMOOTH,
    STEP,
    STEPS,
    TIME,
    X,
    picked,
    state_after,
)
from spacecraft_attitude_sim.core.batch.lanes import (
    LANES,
    STATE,
    acting,
    put_thirteen,
    thirteen,
)
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.batch.moving_rows import (
    BEFORE,
    BEGIN,
    HOW,
    NOW,
    OMEGA_BEFORE,
    ONE,
    OWN,
    PARTS,
    REDUCED,
    SUM_STORED,
    UNTIL,
    WORK_ROWS,
)
from spacecraft_attitude_sim.core.batch.moving_step import (
    LOAD_POWER,
    VELOCITY,
    find_motion,
    take_stage,
)
from spacecraft_attitude_sim.core.environment.loads.load import ZERO
from spacecraft_attitude_sim.core.equations.multibody.tick import (
    LARGEST_DRAIN,
    LARGEST_SWING,
    steps_to_turn,
    turn_bounds,
)
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.vectors import norm, six_at, three_at
from spacecraft_attitude_sim.core.mathematics.vectors import put_three as put_vector
from spacecraft_attitude_sim.core.parts.coordinates import kernel as coordinates
from spacecraft_attitude_sim.core.parts.coordinates.layouts import FREE
from spacecraft_attitude_sim.core.parts.craft import ACCURACY, DRAIN, LEAST, MASS, SWING
from spacecraft_attitude_sim.core.parts.pendulums import kernel as pendulums
from spacecraft_attitude_sim.core.parts.viscous_slugs import kernel as slugs
from spacecraft_attitude_sim.kernels.branches import selected
from spacecraft_attitude_sim.kernels.columns import column, column_from
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Lanes with more sub-steps than so many times the fewest are flown alone.
UNEVEN = 2.0
# A part is released in a tick alone unless that is later than so many ticks.
SURELY_LATER = 1.001
VALUES = coordinates.VALUES, pendulums.STATES, slugs.STATES


@helper
def start(w: Array, inside: tuple[Array, Array, Array]) -> None:
    """Write X, OMEGA and the rates of parts from states, which are new."""
    for i in range(LANES):
        put_thirteen(w, X, i, thirteen(w, STATE, i))
    find_motion(w, inside)


@helper
def hold_coordinates(w: Array, each: Array, index: int) -> None:
    """Write the momenta of coordinates that are held, after sub-step `index`."""
    for n in range(len(each)):
        for i in range(LANES):
            lane, own = column(w, i), column(each[n], i)
            omega, v = three_at(lane, OMEGA), three_at(lane, WORK_ROWS + VELOCITY)
            held = coordinates.momentum_held(own, OWN, omega, v)
            keeps = coordinates.is_free(own[OWN + HOW]) | (index >= w[STEPS, i])
            own[NOW + 1] = selected(keeps, own[NOW + 1], held)


@helper
def hold_pendulums(w: Array, each: Array, index: float) -> None:
    """Give the rods of pendulums their length after sub-step `index`, or before the first, -1."""
    for n in range(len(each)):
        for i in range(LANES):
            own, on = column(each[n], i), index < w[STEPS, i]
            e, s = three_at(own, NOW), three_at(own, NOW + 3)
            pendulums.hold(ONE, own, column_from(own, NOW), own, ZERO, ZERO, 0.0)
            put_vector(own, NOW, picked(on, three_at(own, NOW), e))
            put_vector(own, NOW + 3, picked(on, three_at(own, NOW + 3), s))


@helper
def begin_tick(w: Array, inside: tuple[Array, Array, Array], duration: float) -> None:
    """Keep what the tick begins with; put pendulums right."""
    for i in range(LANES):
        w[SMOOTH, i] = w[ABLE, i] if holds_on(w, i, duration) else 0.0
        put_thirteen(w, OLD, i, thirteen(w, STATE, i))
        put_three(w, OLD_BOOK, i, three(w, BOOK_ROW, i))
    begin_parts(w, inside)


@helper
def holds_on(w: Array, i: int, duration: float) -> bool:
    """Return whether no part of lane i is released in the tick that begins at TIME."""
    return w[UNTIL, i] - w[TIME, i] > SURELY_LATER * duration


@helper
def begin_parts(w: Array, inside: tuple[Array, Array, Array]) -> None:
    """Keep ω and the values of parts with which the tick begins; put pendulums right."""
    keep_omega(w)
    copy_values(inside, BEFORE)
    if len(inside[1]) > 0:
        hold_pendulums(w, inside[1], -1.0)
        find_motion(w, inside)


@helper
def keep_omega(w: Array) -> None:
    """Keep ω before pendulums are put right."""
    for i in range(LANES):
        put_three(w, OMEGA_BEFORE, i, three(w, OMEGA, i))


@helper
def copy_values(inside: tuple[Array, Array, Array], place: int) -> None:
    """Copy the values of all parts to other rows of them; place: the first of these."""
    for kind in range(3):
        each = inside[kind]
        for n in range(len(each)):
            for j in range(VALUES[kind]):
                for i in range(LANES):
                    each[n, place + j, i] = each[n, NOW + j, i]


# --- sub-steps ----------------------------------------------------------------------------------


@helper
def count_steps(w: Array, pendulum_rows: Array, duration: float, substeps: int) -> int:
    """Write STEPS of every lane, as tick.step_count; return the largest number."""
    if substeps > 0:
        for i in range(LANES):
            w[STEPS, i] = float(substeps)
        return substeps
    bound_swings(w, pendulum_rows)
    choose_steps(w, duration)
    return even_out(w)


@helper
def bound_swings(w: Array, pendulum_rows: Array) -> None:
    """Write bounds of the fastest oscillation [rad/s] to STEPS."""
    for i in range(LANES):
        w[STEPS, i] = w[PARTS + SWING, i]
    for n in range(len(pendulum_rows)):
        for i in range(LANES):
            lane, own, held = column(w, i), column(pendulum_rows[n], i), acting(w, i)
            press = norm(three_at(held, 0)) + norm(three_at(held, 6))
            lane[STEPS] = pendulums.swing_bound(
                ONE, lane[STEPS], own, column_from(own, NOW), press / lane[PARTS + MASS],
                three_at(lane, OMEGA_BEFORE),
            )  # fmt: skip


@helper
def steps_to_swing(w: Array, i: int, duration: float) -> float:
    """Return the number of steps, not rounded, that parts of lane i need, after bound_swings."""
    swings = w[STEPS, i] * duration / LARGEST_SWING
    return max(swings, w[PARTS + DRAIN, i] * duration / LARGEST_DRAIN)


@helper
def choose_steps(w: Array, duration: float) -> None:
    """Write STEPS of every lane, which have bounds of the fastest oscillation [rad/s]."""
    for i in range(LANES):
        lane, held = column(w, i), acting(w, i)
        inertia, stored = six_at(lane, REDUCED), three_at(lane, SUM_STORED)
        omega, inverse = three_at(lane, OMEGA_BEFORE), 1.0 / lane[PARTS + LEAST]
        torque = norm(three_at(held, 3)) + norm(three_at(held, 9))
        rate, nutation = turn_bounds(inertia, stored, omega, torque, 0.0, inverse, duration)
        turns, whirls, slows = steps_to_turn(
            lane[PARTS + ACCURACY], inertia, stored, omega, torque, 0.0, 0.0, rate, nutation,
            inverse, duration,
        )  # fmt: skip
        steps = max(max(max(turns, whirls), slows), steps_to_swing(w, i, duration))
        lane[STEPS] = max(1.0, np.ceil(steps))
        lane[SMOOTH] = lane[SMOOTH] if steps < MOST_STEPS else 0.0


@helper
def even_out(w: Array) -> int:
    """Return the largest number of sub-steps; lanes with many more than the others fly alone."""
    least, most = math.inf, 1.0
    for i in range(LANES):
        if w[SMOOTH, i] != 0.0:
            least = min(least, w[STEPS, i])
    for i in range(LANES):
        if w[SMOOTH, i] != 0.0 and w[STEPS, i] <= UNEVEN * least:
            most = max(most, w[STEPS, i])
        else:
            w[SMOOTH, i], w[STEPS, i] = 0.0, 1.0
    return int(most)


@helper
def begin_step(
    w: Array, inside: tuple[Array, Array, Array], duration: float, index: float
) -> None:
    """Write how long sub-step `index` takes, and the values of parts with which it begins."""
    for i in range(LANES):
        steps = w[STEPS, i]
        h = duration / steps
        end = duration if index == steps - 1.0 else (index + 1.0) * h
        step = end - index * h
        w[STEP, i], w[SIXTH, i] = step, step / 6.0
    copy_values(inside, BEGIN)


@helper
def all_stages(begin: float, sixth: float, k1: float, k2: float, k3: float, k4: float) -> float:
    """Return a number at the end of a step; sixth: of its length;  k1 to k4: rates."""
    return begin + sixth * (k1 + 2.0 * (k2 + k3) + k4)


@helper
def end_step(
    w: Array, inside: tuple[Array, Array, Array], rates: Array, heats: Array,
    slopes: tuple[Array, Array, Array], index: int,
) -> None:  # fmt: skip
    """Write state, BOOK and values of parts at the end of a sub-step."""
    for i in range(LANES):
        z = state_after(w, i, rates, index)
        put_thirteen(w, STATE, i, z)
        put_thirteen(w, X, i, z)
    for i in range(LANES):
        heat, work = w[BOOK_ROW + 1, i], w[BOOK_ROW + 2, i]
        heated = all_stages(
            heat, w[SIXTH, i], heats[0, i], heats[1, i], heats[2, i], heats[3, i]
        )  # fmt: skip
        p = LOAD_POWER
        worked = all_stages(
            work, w[SIXTH, i], rates[0, p, i], rates[1, p, i], rates[2, p, i], rates[3, p, i]
        )  # fmt: skip
        on = index < w[STEPS, i]
        w[BOOK_ROW + 1, i] = selected(on, heated, heat)
        w[BOOK_ROW + 2, i] = selected(on, worked, work)
    end_all_parts(w, inside, slopes, index)


@helper
def end_all_parts(
    w: Array, inside: tuple[Array, Array, Array], slopes: tuple[Array, Array, Array], index: int
) -> None:
    """Write the values of all parts at the end of a sub-step."""
    for kind in range(3):
        end_parts(w, inside[kind], slopes[kind], VALUES[kind], index)


@helper
def end_parts(w: Array, each: Array, slopes: Array, values: int, index: int) -> None:
    """Write the values of parts of a kind at the end of a sub-step."""
    for n in range(len(each)):
        for j in range(values):
            for i in range(LANES):
                begin = each[n, BEGIN + j, i]
                end = all_stages(
                    begin, w[SIXTH, i], slopes[0, n, j, i], slopes[1, n, j, i],
                    slopes[2, n, j, i], slopes[3, n, j, i],
                )  # fmt: skip
                each[n, NOW + j, i] = selected(index < w[STEPS, i], end, begin)


@helper
def check_coordinates(w: Array, each: Array) -> None:
    """Mark lanes in which a coordinate has passed a stop or a latch."""
    for n in range(len(each)):
        for i in range(LANES):
            own = column(each[n], i)
            passed = (own[OWN + HOW] == FREE) & (coordinates.beyond(own, 0, own[NOW]) > 0.0)
            w[SMOOTH, i] = 0.0 if passed else w[SMOOTH, i]


@helper
def take_step(
    w: Array, inside: tuple[Array, Array, Array], rates: Array, heats: Array,
    slopes: tuple[Array, Array, Array], index: int,
) -> None:  # fmt: skip
    """Take sub-step `index` of every lane that has as many; X, OMEGA and rates are known."""
    take_stage(w, inside, rates, heats, slopes, 0)
    for k in range(1, 4):
        find_motion(w, inside)
        take_stage(w, inside, rates, heats, slopes, k)
    end_step(w, inside, rates, heats, slopes, index)
    settle_parts(w, inside, index)


@helper
def settle_parts(w: Array, inside: tuple[Array, Array, Array], index: int) -> None:
    """Write OMEGA and rates of parts after sub-step `index`; put right those that are held.

    Lanes in which a part has passed a stop or a latch are marked.
    """
    if len(inside[0]) > 0:
        find_motion(w, inside)
        hold_coordinates(w, inside[0], index)
        check_coordinates(w, inside[0])
    if len(inside[1]) > 0:
        hold_pendulums(w, inside[1], float(index))
    if len(inside[1]) > 0 or len(inside[0]) == 0:
        find_motion(w, inside)


@part
def take_back(w: Array, inside: tuple[Array, Array, Array]) -> None:
    """Let the lanes that are not SMOOTH have what the tick began with."""
    for i in range(LANES):
        if w[SMOOTH, i] != 0.0:
            continue
        put_thirteen(w, STATE, i, thirteen(w, OLD, i))
        put_three(w, BOOK_ROW, i, three(w, OLD_BOOK, i))
        take_parts_back(inside, i)


@part
def take_parts_back(inside: tuple[Array, Array, Array], i: int) -> None:
    """Let the parts of lane i have the values with which the tick began."""
    for kind in range(3):
        each = inside[kind]
        for n in range(len(each)):
            for j in range(VALUES[kind]):
                each[n, NOW + j, i] = each[n, BEFORE + j, i]
