# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: control moment gyros, whose gimbals change the inertia in every stage.

The functions are those of parts.control_moment_gyros and reaction_wheels.kernel. A craft of which
a gimbal's torque is commanded flies that tick alone. The spin axis of a rotor,
one of the last wheels, is in AXIS of its wheel.

    tilted      a Tilted; None for craft without gyros, for which all of this is compiled away
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_pieces import (
    CLOCK_SIZE,
    CUT,
    LENGTH,
    NEXT,
    ON,
    RESOLUTION,
    all_go_on,
    begin_clock,
    begin_count,
    count_piece,
    find_lengths,
    put_piece,
)
from spacecraft_attitude_sim.core.batch.craft_rows import (
    BOOK_ROW,
    CHANGES,
    MAGNET,
    MOMENTUM,
    SMOOTH,
    copy_rows,
    fill_rows,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.equations.multibody.tick import LARGEST_TILT
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.parts.control_moment_gyros import kernel as gyros
from spacecraft_attitude_sim.core.parts.craft import place_of, within
from spacecraft_attitude_sim.core.parts.reaction_wheels import layouts as wheels_of
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import state_size
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import MODE_STATE
from spacecraft_attitude_sim.core.parts.registry import GIMBALS, WHEELS
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array


# A gimbal: constants of parts.control_moment_gyros.kernel, and of its rotor; states
# asked, torque: commands;  target, acceleration: in a tick;  jumped: rate after a jump
# ahead, ahead_by: rate and acceleration while pieces are counted
# old, …: when the tick began, with momentum of the rotor and work of motors so far
# x: angle in a stage;  known: angle at which spin_now and across_now, axis × spin, are
# stored: momentum of a free rotor;  turning: rate of the angle in a stage;  first, middle: as of
# craft;  gyroscopic: torque
LEANING = Layout(
    axis_B=3, spin_B=3, transverse_B=3, inertia_spin=1, inertia_transverse=1, inertia_axis=1,
    max_rate=1, max_acceleration=1, rotor=1, rotor_speed=1, kept=1,
    angle=1, momentum=1, rate=1, driven=1,
    asked=1, torque=1, target=1, acceleration=1, jumped=1, ahead=1, ahead_by=1,
    old=1, old_momentum=1, old_rate=1, old_spin=1, old_work=1,
    x=1, known=1, spin_now=3, across_now=3, stored=1, turning=1, first=1, middle=1, gyroscopic=1,
)  # fmt: skip
(
    GIMBAL_AXIS, SPIN, TRANSVERSE, ALONG, ACROSS, ABOUT, MAX_RATE, MAX_ACCELERATION, ROTOR,
    ROTOR_SPEED, KEPT_SPEED, LEAN, LEAN_MOMENTUM, LEAN_RATE, DRIVEN, ASKED, LEAN_TORQUE, AIM,
    ACCELERATION, JUMPED, AHEAD, AHEAD_BY, OLD_LEAN, OLD_LEAN_MOMENTUM, OLD_LEAN_RATE, OLD_SPIN,
    OLD_WORK, LEAN_X, KNOWN,
    SPIN_NOW, ACROSS_NOW, STORED_SPIN, LEANING_RATE, FIRST_LEANING, MIDDLE_LEANING, GYROSCOPIC,
) = LEANING.places()  # fmt: skip
LEANING_SIZE = LEANING.size
# Where inertia and the right side of dω/dt are: rows that magnets need, which such craft lack.
SOLID_NOW, REST = MAGNET, CHANGES
GIMBAL_ROW, GIMBAL_STATES = gyros.ROW, gyros.STATES
AXIS_AT, SPIN_AT, TRANSVERSE_AT = gyros.AXIS, gyros.SPIN, gyros.TRANSVERSE
MAX_RATE_AT, ROTOR_AT, RATE_DRIVEN = gyros.MAX_RATE, gyros.ROTOR_ROW, gyros.RATE_DRIVEN
MAX_ACCELERATION_AT, INERTIAS_AT = gyros.MAX_ACCELERATION, gyros.I_S
ROTOR_INERTIA_AT, HELD_SPEED_AT = wheels_of.J, wheels_of.HELD_SPEED
LOCKED = wheels_of.LOCKED


class Tilted(NamedTuple):
    """Gyros of a block: gimbals (g, LEANING_SIZE, LANES), clock of craft_pieces.py."""

    gimbals: Array
    clock: Array


def are_tilted(parts: Array) -> bool:
    """Return whether craft have gyros; parts: (N, m) constants of each, all with as many."""
    return place_of(parts[0], GIMBALS).number > 0


@helper
def room_for_tilted(parts: Array) -> Tilted:
    """Return the Tilted of a batch; parts: constants of its first craft."""
    count = place_of(parts, GIMBALS).number
    return Tilted(
        from_line(np.zeros((count + 1, LEANING_SIZE, LANES))),
        from_line(np.zeros((CLOCK_SIZE + 1, LANES))),
    )  # fmt: skip


# --- states and commands -----------------------------------------------------------------------


@part
def read_gimbals(tilted: Tilted | None, i: int, parts: Array, internal: Array) -> None:
    """Write constants and states of the gyros of a craft to lane i."""
    if tilted is not None:
        at, rotors = place_of(parts, GIMBALS), place_of(parts, WHEELS)
        for n in range(at.number):
            rows, row = tilted.gimbals[n], at.row + n * GIMBAL_ROW
            for j in range(3):
                rows[GIMBAL_AXIS + j, i] = parts[row + AXIS_AT + j]
                rows[SPIN + j, i] = parts[row + SPIN_AT + j]
                rows[TRANSVERSE + j, i] = parts[row + TRANSVERSE_AT + j]
                rows[ALONG + j, i] = parts[row + INERTIAS_AT + j]
            rows[MAX_RATE, i] = parts[row + MAX_RATE_AT]
            rows[MAX_ACCELERATION, i] = parts[row + MAX_ACCELERATION_AT]
            rotor = int(parts[row + ROTOR_AT])
            rows[ROTOR, i] = parts[rotor + ROTOR_INERTIA_AT]
            rows[ROTOR_SPEED, i] = parts[rotor + HELD_SPEED_AT]
            state = rotors.state + (rotors.number - at.number + n) * state_size(rotors, parts)
            rows[KEPT_SPEED, i] = 1.0 if internal[state + MODE_STATE] == LOCKED else 0.0
            rows[KNOWN, i], rows[ACCELERATION, i] = math.nan, 0.0
        read_tilts(tilted, i, parts, internal)


@part
def read_tilts(tilted: Tilted | None, i: int, parts: Array, internal: Array) -> None:
    """Write the states of gimbals to lane i."""
    if tilted is not None:
        at = place_of(parts, GIMBALS)
        for n in range(at.number):
            for j in range(GIMBAL_STATES):
                tilted.gimbals[n, LEAN + j, i] = internal[at.state + n * GIMBAL_STATES + j]


@part
def write_tilts(tilted: Tilted | None, i: int, parts: Array, internal: Array) -> None:
    """Write the states of gimbals from lane i."""
    if tilted is not None:
        at = place_of(parts, GIMBALS)
        for n in range(at.number):
            for j in range(GIMBAL_STATES):
                internal[at.state + n * GIMBAL_STATES + j] = tilted.gimbals[n, LEAN + j, i]


@part
def lose_tilts(tilted: Tilted | None, i: int) -> None:
    """Let the states of gimbals in lane i be nan."""
    if tilted is not None:
        tilted.gimbals[:, LEAN : DRIVEN + 1, i] = math.nan


@part
def take_rates(tilted: Tilted | None, i: int, parts: Array, commands: Array) -> None:
    """Write the commands of gimbals to lane i."""
    if tilted is not None:
        at = place_of(parts, GIMBALS)
        for n in range(at.number):
            tilted.gimbals[n, ASKED, i] = commands[at.command + 2 * n]
            tilted.gimbals[n, LEAN_TORQUE, i] = commands[at.command + 2 * n + 1]


@part
def keep_tilts(w: Array, wheels: Array, gimbals: Array) -> None:
    """Keep what a tick begins with."""
    first = len(wheels) - len(gimbals)
    for n in range(len(gimbals)):
        rows, wheel = gimbals[n], wheels[first + n]
        copy_rows(rows, LEAN, OLD_LEAN, 3)
        for i in range(LANES):
            rows[OLD_SPIN, i], rows[OLD_WORK, i] = wheel[MOMENTUM, i], w[BOOK_ROW, i]


@part
def take_tilts_back(w: Array, wheels: Array, tilted: Tilted | None) -> None:
    """Let lanes that are not SMOOTH have what `keep_tilts` has kept."""
    if tilted is not None:
        first = len(wheels) - len(tilted.gimbals)
        for n in range(len(tilted.gimbals)):
            rows = tilted.gimbals[n]
            for i in range(LANES):
                if w[SMOOTH, i] == 0.0:
                    wheels[first + n, MOMENTUM, i] = rows[OLD_SPIN, i]
                    w[BOOK_ROW, i] = rows[OLD_WORK, i]
                    for j in range(3):
                        rows[LEAN + j, i] = rows[OLD_LEAN + j, i]


# --- a tick ------------------------------------------------------------------------------------


@helper
def aim(w: Array, rows: Array) -> tuple[float, float]:
    """Take the command of a gimbal; mark lanes that must fly alone, as phase `command`.

    Return in how many lanes it accelerates, and in how many its rate jumps.
    """
    cuts = jumps = 0.0
    for i in range(LANES):
        target, fastest = within(rows[MAX_RATE, i], rows[ASKED, i]), rows[MAX_ACCELERATION, i]
        change, torque = target - rows[LEAN_RATE, i], rows[LEAN_TORQUE, i]
        usual = (rows[DRIVEN, i] == RATE_DRIVEN) & (torque != torque)
        w[SMOOTH, i] = w[SMOOTH, i] if usual else 0.0
        changes = usual & (change != 0.0)
        limited = changes & (fastest < math.inf)
        rows[AIM, i] = target
        rows[ACCELERATION, i] = math.copysign(fastest, change) if limited else 0.0
        rows[JUMPED, i] = target if changes & (fastest == math.inf) else rows[LEAN_RATE, i]
        cuts += rows[ACCELERATION, i] != 0.0
        jumps += rows[JUMPED, i] != rows[LEAN_RATE, i]
    return cuts, jumps


@helper
def bound_tilts(w: Array, tilted: Tilted | None) -> None:
    """Write the fastest gimbal of a tick to REST, as phase `load_bounds`."""
    if tilted is not None:
        fill_rows(w, REST, 1, 0.0)
        for n in range(len(tilted.gimbals)):
            rows = tilted.gimbals[n]
            for i in range(LANES):
                fastest = max(abs(rows[LEAN_RATE, i]), abs(rows[AIM, i]))
                w[REST, i] = max(w[REST, i], fastest)


@helper
def steps_with_tilts(
    w: Array, i: int, steps: float, duration: float, tilted: Tilted | None
) -> float:
    """Return as many steps as gimbals of lane i need, too, after `bound_tilts`."""
    if tilted is not None:
        steps = max(steps, w[REST, i] * duration / LARGEST_TILT)
    return steps


@helper
def keeps_speed(mode: float, tilted: Tilted | None) -> bool:
    """Return whether a motor keeps the speed of a wheel, a gyro's rotor, in a mode."""
    if tilted is None:
        return False
    return mode == LOCKED


@helper
def driven_wheels(wheels: Array, tilted: Tilted | None) -> int:
    """Return the number of wheels that are no rotors of gyros."""
    if tilted is None:
        return len(wheels)
    return len(wheels) - len(tilted.gimbals)


# --- pieces ------------------------------------------------------------------------------------


@helper
def count_tilt_pieces(w: Array, tilted: Tilted | None, most: int, duration: float) -> int:
    """Do what craft_delayed.count_pieces does, where gimbals reach their rates."""
    if tilted is None or tilted.clock[CUT, 0] == 0.0:
        return most
    gimbals, clock, pieces, left = tilted.gimbals, tilted.clock, 0, 1
    for n in range(len(gimbals)):
        copy_rows(gimbals[n], LEAN_RATE, AHEAD, 1)
        copy_rows(gimbals[n], ACCELERATION, AHEAD_BY, 1)
    begin_count(w, clock)
    while left > 0:
        find_next(gimbals, clock, AHEAD, AHEAD_BY, RESOLUTION * duration)
        find_lengths(clock, duration)
        for n in range(len(gimbals)):
            for i in range(LANES):
                gimbals[n, AHEAD, i] += gimbals[n, AHEAD_BY, i] * clock[LENGTH, i]
        left = count_piece(w, clock, duration)
        pieces += 1
    begin_clock(clock)
    return pieces


@helper
def find_next(gimbals: Array, clock: Array, rate: int, by: int, soon: float) -> None:
    """Let gimbals have the rates that are due, and write when the next is, as phase `switch`.

    rate, by: places of rate and acceleration of gimbals
    """
    for i in range(LANES):
        clock[NEXT, i] = math.inf
    for n in range(len(gimbals)):
        rows = gimbals[n]
        for i in range(LANES):
            now, target, fastest = rows[rate, i], rows[AIM, i], rows[by, i]
            left = (target - now) / (fastest if fastest != 0.0 else 1.0)
            due = (fastest != 0.0) & (left <= soon) & (clock[ON, i] > 0.0)
            until = left if (fastest != 0.0) & (left > soon) else math.inf
            clock[NEXT, i] = min(clock[NEXT, i], until)
            rows[rate, i], rows[by, i] = target if due else now, 0.0 if due else fastest


@helper
def begin_tilt_piece(w: Array, tilted: Tilted | None, index: int, duration: float) -> None:
    """Write when piece `index` begins and its length, and rates of gimbals that are due."""
    if tilted is not None and tilted.clock[CUT, 0] > 0.0:
        clock = tilted.clock
        all_go_on(w, clock, index, duration)
        find_next(tilted.gimbals, clock, LEAN_RATE, ACCELERATION, RESOLUTION * duration)
        find_lengths(clock, duration)
        put_piece(w, clock)
