# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A tick of craft side by side: commands, sub-steps and lines, as equations.multibody.tick.

Every lane is tried; SMOOTH tells at the end in which lanes nothing happened that needs the tick of
a craft alone. Only those are kept. Where a quick test is not sure, it says no. Arguments are those
of craft_step.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_borne import bound_of_weight
from spacecraft_attitude_sim.core.batch.craft_delayed import (
    begin_piece,
    count_pieces,
    keep_decays,
    recall_decays,
)
from spacecraft_attitude_sim.core.batch.craft_gyros import find_tilted_motion
from spacecraft_attitude_sim.core.batch.craft_held import (
    find_held_motion,
    is_held,
    show_inertia,
)
from spacecraft_attitude_sim.core.batch.craft_inside import (
    begin_inside,
    begin_sub_step,
    find_all_motion,
    resolve_swings,
    steps_with_swings,
    take_inside_back,
    turning_mass,
)
from spacecraft_attitude_sim.core.batch.craft_lines import (
    draw_rods,
    draw_wheels,
    limit_speed,
    need_no_pieces,
    need_straight_motors,
)
from spacecraft_attitude_sim.core.batch.craft_magnets import (
    bound_magnets,
    note_rate,
    resolve_loops,
    take_magnets_back,
    torque_bound,
)
from spacecraft_attitude_sim.core.batch.craft_pushed import (
    begin_lines,
    bound_thrust,
    elapse,
    take_pushed_back,
    thrust_bound,
)
from spacecraft_attitude_sim.core.batch.craft_rows import (
    ABLE,
    ACCURACY_ROW,
    AXIS,
    BEND,
    BOOK_ROW,
    DRAG_RATE,
    DRIVE,
    DRY,
    GRADIENT,
    INERTIA_ROW,
    LAG,
    LEAST_ROW,
    LOSS,
    MODE,
    MOMENTUM,
    MOMENTUM_X,
    MOST_DIPOLE,
    NOW,
    OLD,
    OLD_BOOK,
    OLD_MOMENTUM,
    OMEGA,
    OWN_DIPOLE,
    READY,
    ROD_AFTER,
    ROD_DIPOLE,
    ROD_MOST,
    ROD_OLD,
    ROD_TARGET,
    SIXTH,
    SMOOTH,
    STEP,
    STEPS,
    STORED,
    TARGET,
    TIME,
    VISCOUS,
    WHEEL_TORQUE,
    X,
    copy_rows,
    held_inertia,
    rate_of,
    three_of,
)
from spacecraft_attitude_sim.core.batch.craft_sky import look
from spacecraft_attitude_sim.core.batch.craft_step import (
    check_wheels,
    rub,
    take_step,
)
from spacecraft_attitude_sim.core.batch.craft_tilted import (
    begin_tilt_piece,
    bound_tilts,
    count_tilt_pieces,
    steps_with_tilts,
    take_tilts_back,
)
from spacecraft_attitude_sim.core.batch.lanes import (
    LANES,
    STATE,
    acting,
    is_lost,
    put_thirteen,
    thirteen,
)
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.gravity_gradient import gradient_bound
from spacecraft_attitude_sim.core.environment.loads.load import FIELD, PULL, ZERO, turn_of
from spacecraft_attitude_sim.core.equations.multibody.derivatives import body_momentum
from spacecraft_attitude_sim.core.equations.multibody.tick import (
    bend_of,
    steps_to_turn,
    turn_bounds,
)
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.vectors import (
    dot,
    moved_vector,
    norm,
    symmetric_solved,
    three_at,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import (
    friction,
)
from spacecraft_attitude_sim.kernels.branches import selected
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_inside import Within
    from spacecraft_attitude_sim.core.batch.craft_rows import Extras, Facts
    from spacecraft_attitude_sim.core.batch.craft_tilted import Tilted
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Processor time of a sub-step of a craft alone, and of the rest of its tick, where a sub-step of
# all lanes takes 1.
STEP_ALONE, TICK_ALONE = 0.25, 0.5


@helper
def find_motion(
    w: Array, wheels: Array, within: Within, held: Array | None, tilted: Tilted | None
) -> None:
    """Write X, STORED, OMEGA, READY and directions of wheels from states, which are new."""
    for i in range(LANES):
        put_thirteen(w, X, i, thirteen(w, STATE, i))
        put_three(w, STORED, i, ZERO)
    for n in range(len(wheels)):
        for i in range(LANES):
            momentum = wheels[n, MOMENTUM, i]
            stored = moved_vector(three(w, STORED, i), momentum, three_of(wheels, n, AXIS, i))
            put_three(w, STORED, i, stored)
            wheels[n, MOMENTUM_X, i] = momentum
    if within is None and tilted is None:
        for i in range(LANES):
            x = thirteen(w, STATE, i)
            put_three(w, OMEGA, i, rate_of(w, i, body_momentum(x, turn_of(x, 1.0))))
    find_all_motion(w, wheels, within)
    find_held_motion(w, wheels, held)
    find_tilted_motion(w, wheels, tilted)
    for i in range(LANES):
        w[READY, i] = 0.0 if is_lost(w, i) else w[ABLE, i]
    check_wheels(w, wheels, held, tilted)
    if within is None and tilted is None:
        for i in range(LANES):
            if w[READY, i] == 0.0:
                find_held(w, wheels, i)


@part
def find_held(w: Array, wheels: Array, i: int) -> None:
    """Write ω of lane i, of which wheels may be held, as derivatives.angular_velocity."""
    inertia, stored = held_inertia(w, wheels, i)
    x = thirteen(w, STATE, i)
    L_B = body_momentum(x, turn_of(x, 1.0))
    put_three(w, OMEGA, i, symmetric_solved(inertia, moved_vector(L_B, -1.0, stored)))


# --- sub-steps -------------------------------------------------------------------------------


@helper
def bound_loads(w: Array, wheels: Array, rods: Array, held: Array | None) -> None:
    """Write bounds of dipole, torque of motors and friction, and drag, as step_count has them."""
    for i in range(LANES):
        w[MOST_DIPOLE, i] = norm(three(w, OWN_DIPOLE, i))
        w[WHEEL_TORQUE, i] = w[LOSS, i] = 0.0
    for n in range(len(rods)):
        for i in range(LANES):
            largest = max(abs(rods[n, ROD_DIPOLE, i]), abs(rods[n, ROD_TARGET, i]))
            given = w[ACCURACY_ROW, i] > 0.0
            w[MOST_DIPOLE, i] += largest if given else rods[n, ROD_MOST, i]
    for n in range(len(wheels)):
        for i in range(LANES):
            along = dot(three_of(wheels, n, AXIS, i), three(w, OMEGA, i))
            speed = wheels[n, MOMENTUM, i] / wheels[n, INERTIA_ROW, i] - along
            drag = friction(wheels[n, VISCOUS, i], wheels[n, DRY, i], speed, wheels[n, MODE, i])
            target = wheels[n, TARGET, i]
            drive = wheels[n, DRIVE, i] if wheels[n, LAG, i] > 0.0 else target
            largest = max(abs(drive), abs(target))
            still = is_held(wheels[n, MODE, i], held)
            w[WHEEL_TORQUE, i] += 0.0 if still else largest
            w[WHEEL_TORQUE, i] += 0.0 if still else abs(drag)
            w[LOSS, i] = max(w[LOSS, i], 0.0 if still else wheels[n, DRAG_RATE, i])


@helper
def choose_steps(w: Array, here: Array, duration: float, facts: Facts) -> None:
    """Write STEPS and BEND of every lane, as step_count."""
    extras = facts.extras
    bound_thrust(w, here, extras.pushed)
    show_inertia(w, extras.held)
    bound_tilts(w, extras.tilted)
    for i in range(LANES):
        held, inverse = acting(w, i), 1.0 / w[LEAST_ROW, i]
        inertia, stored, omega = turning_mass(w, i, extras.within, extras.held, extras.tilted)
        torque = norm(three_at(held, 3)) + norm(three_at(held, 9))
        field = norm((here[0, FIELD, i], here[0, FIELD + 1, i], here[0, FIELD + 2, i]))
        torque = thrust_bound(w, i, torque + w[MOST_DIPOLE, i] * field, extras.pushed)
        motors = w[WHEEL_TORQUE, i]
        trace = inertia[0] + inertia[1] + inertia[2]
        turning = motors + gradient_bound(3.0 * here[0, PULL, i], trace)
        turning = turning if w[GRADIENT, i] > 0.0 else motors
        torque += bound_of_weight(i, turning, extras.borne)
        torque = torque_bound(w, i, torque, field, extras.magnets)
        rate, nutation = turn_bounds(inertia, stored, omega, torque, motors, inverse, duration)
        turns, whirls, slows = steps_to_turn(
            w[ACCURACY_ROW, i], inertia, stored, omega, torque, motors, w[LOSS, i], rate, nutation,
            inverse, duration,
        )  # fmt: skip
        steps = max(max(turns, whirls), slows)
        steps = steps_with_swings(w, i, steps, duration, extras.within)
        steps = steps_with_tilts(w, i, steps, duration, extras.tilted)
        note_rate(w, i, rate, extras.magnets)
        w[STEPS, i] = max(1.0, np.ceil(steps))
        w[BEND, i] = bend_of(rate, nutation, torque, inverse)
        w[SMOOTH, i] = w[SMOOTH, i] if steps < MOST_STEPS else 0.0


@helper
def even_out(w: Array) -> int:
    """Return the largest number of sub-steps; lanes with many more than the others fly alone."""
    least, most = math.inf, 1.0
    for i in range(LANES):
        smooth = w[SMOOTH, i] != 0.0
        least = min(least, w[STEPS, i] if smooth else math.inf)
        most = max(most, w[STEPS, i] if smooth else 1.0)
    if least < most:
        most = quickest(w)
    for i in range(LANES):
        beside = (w[SMOOTH, i] != 0.0) & (w[STEPS, i] <= most)
        w[SMOOTH, i], w[STEPS, i] = 1.0 if beside else 0.0, w[STEPS, i] if beside else 1.0
    return int(most)


@part
def quickest(w: Array) -> float:
    """Return up to which number of sub-steps lanes fly side by side in the least time."""
    best, shortest = 1.0, math.inf
    for i in range(LANES):
        most = w[STEPS, i]
        if w[SMOOTH, i] == 0.0:
            continue
        time = most
        for j in range(LANES):
            if w[SMOOTH, j] != 0.0 and w[STEPS, j] > most:
                time += TICK_ALONE + STEP_ALONE * w[STEPS, j]
        if time < shortest:
            best, shortest = most, time
    return best


@helper
def count_steps(
    w: Array, wheels: Array, rods: Array, here: Array, facts: Facts, duration: float,
    substeps: int, moving: bool,
) -> int:  # fmt: skip
    """Write STEPS and BEND of every lane; return the largest number; moving: of step_on."""
    extras = facts.extras
    if substeps > 0:
        begin_inside(w, extras.within, duration)
        for i in range(LANES):
            w[STEPS, i], w[BEND, i] = float(substeps), 0.0
        return count_all_pieces(w, substeps, duration, facts)
    for n in range(len(wheels) if facts.rubbing else 0):
        rub(w, wheels[n])
    bound_loads(w, wheels, rods, extras.held)
    bound_magnets(w, extras.magnets)
    begin_inside(w, extras.within, duration)
    resolve_swings(w, extras.within)
    choose_steps(w, here, duration, facts)
    resolve_loops(w, here[0], duration, extras.magnets)
    most = even_out(w)
    if moving:
        need_no_pieces(w, wheels, rods, here, duration, extras.held)
    return count_all_pieces(w, most, duration, facts)


@helper
def count_all_pieces(w: Array, most: int, duration: float, facts: Facts) -> int:
    """Let STEPS count the pieces of sub-steps, of which there are at most `most`; return most."""
    most = count_pieces(w, facts.extras.delayed, most, duration)
    return count_tilt_pieces(w, facts.extras.tilted, most, duration)


@helper
def begin_step(w: Array, duration: float, index: float, most: int) -> None:
    """Write when sub-step `index` of at most `most` begins, and how long it takes."""
    if most == 1:
        for i in range(LANES):
            w[NOW, i], w[STEP, i], w[SIXTH, i] = w[TIME, i], duration, duration / 6.0
    else:
        for i in range(LANES):
            steps = w[STEPS, i]
            h = duration / steps
            t = index * h
            end = duration if index == steps - 1.0 else (index + 1.0) * h
            w[NOW, i], w[STEP, i], w[SIXTH, i] = w[TIME, i] + t, end - t, (end - t) / 6.0


# --- the tick --------------------------------------------------------------------------------


@helper
def step_on(
    w: Array, wheels: Array, rods: Array, arrays: tuple[Array, ...], duration: float, most: int,
    facts: Facts, moving: bool,
) -> bool:  # fmt: skip
    """Take the sub-steps of a tick, `most` of them; the first begins with what is in `here`.

    arrays: of craft_step.take_stage
    moving: whether motors or dipoles may lag, or their lines are not drawn; returns it for then
    """
    extras = facts.extras
    here = arrays[0]
    for index in range(most):
        begin_step(w, duration, float(index), most)
        moves = begin_piece(w, wheels, extras.delayed, index, duration)
        begin_tilt_piece(w, extras.tilted, index, duration)
        begin_sub_step(extras.within)
        if index > 0:
            look(w, here, 0, 0.0, facts)
        look(w, here, 1, 0.5, facts)
        look(w, here, 2, 1.0, facts)
        if moves:
            need_straight_motors(w, wheels, extras.held)
        if moving or moves:
            recall_decays(wheels, rods, extras.delayed, index)
            moving = draw_wheels(w, wheels) + draw_rods(w, rods) > 0
            keep_decays(wheels, rods, extras.delayed, index)
        if facts.limited:
            for n in range(len(wheels)):
                limit_speed(w, wheels[n])
        begin_lines(
            w, wheels, extras.within, extras.pushed, extras.delayed, extras.tilted, index, duration
        )
        take_step(w, wheels, arrays, facts, index)
        elapse(w, extras.pushed, index)
        for n in range(len(rods)):
            if index == 0:
                copy_rows(rods[n], ROD_DIPOLE, ROD_OLD, 1)
            for i in range(LANES):
                dipole, after = rods[n, ROD_DIPOLE, i], rods[n, ROD_AFTER, i]
                rods[n, ROD_DIPOLE, i] = selected(index < w[STEPS, i], after, dipole)
    return moving


@part
def take_back(w: Array, wheels: Array, rods: Array, extras: Extras) -> None:
    """Let the lanes that are not SMOOTH have what the tick began with."""
    for i in range(LANES):
        if w[SMOOTH, i] != 0.0:
            continue
        put_thirteen(w, STATE, i, thirteen(w, OLD, i))
        put_three(w, BOOK_ROW, i, three(w, OLD_BOOK, i))
        for n in range(len(wheels)):
            for j in range(3):
                wheels[n, MOMENTUM + j, i] = wheels[n, OLD_MOMENTUM + j, i]
        for n in range(len(rods)):
            rods[n, ROD_DIPOLE, i] = rods[n, ROD_OLD, i]
        take_inside_back(extras.within, i)
    take_magnets_back(w, extras.magnets)
    take_pushed_back(w, extras.pushed)
    take_tilts_back(w, wheels, extras.tilted)


@helper
def count_smooth(w: Array) -> int:
    """Return the number of lanes in which nothing has happened."""
    smooth = 0
    for i in range(LANES):
        smooth += w[SMOOTH, i] != 0.0
    return smooth
