# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: the motion of control moment gyros; their rows are those of craft_tilted.py.

The functions are those of parts.control_moment_gyros and reaction_wheels.kernel, in their order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_held import react_to, without_wheels
from spacecraft_attitude_sim.core.batch.craft_pieces import CUT
from spacecraft_attitude_sim.core.batch.craft_rows import (
    AXIS,
    BOOK_ROW,
    CARRIER,
    ENERGY,
    HELD_SPEED,
    INERTIA_ROW,
    MAX_SPEED,
    MODE,
    MOMENTUM,
    MOMENTUM_X,
    MOTOR_POWER,
    OMEGA,
    SIXTH,
    SMOOTH,
    SPEED,
    STEP,
    STEPS,
    STORED,
    TURNING,
    X,
    add_up,
    all_stages,
    copy_rows,
    fill_rows,
    of_row,
    picked,
    six,
)
from spacecraft_attitude_sim.core.batch.craft_tilted import (
    ABOUT,
    ACCELERATION,
    ACROSS,
    ACROSS_NOW,
    ALONG,
    FIRST_LEANING,
    GIMBAL_AXIS,
    GYROSCOPIC,
    JUMPED,
    KEPT_SPEED,
    KNOWN,
    LEAN,
    LEAN_MOMENTUM,
    LEAN_RATE,
    LEAN_X,
    LEANING_RATE,
    LOCKED,
    MIDDLE_LEANING,
    REST,
    ROTOR,
    ROTOR_SPEED,
    SOLID_NOW,
    SPIN,
    SPIN_NOW,
    STORED_SPIN,
    TRANSVERSE,
    aim,
    keep_tilts,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES, thirteen
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.load import turn_of
from spacecraft_attitude_sim.core.equations.multibody.derivatives import body_momentum
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    moved_vector,
    outer_added,
    scaled,
    symmetric_solved,
    symmetric_times,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import speed_held, turns_freely
from spacecraft_attitude_sim.kernels.branches import selected
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_tilted import Tilted
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# Energy before a jump [J], in a row that air uses in stages.
BEFORE = SPEED


@helper
def begin_tilting(w: Array, wheels: Array, tilted: Tilted | None) -> None:
    """Take the commands of a tick; mark lanes that must fly alone."""
    if tilted is not None:
        keep_tilts(w, wheels, tilted.gimbals)
        cuts = jumps = 0.0
        for n in range(len(tilted.gimbals)):
            cut, jump = aim(w, tilted.gimbals[n])
            cuts, jumps = cuts + cut, jumps + jump
        tilted.clock[CUT, 0] = cuts
        if jumps > 0.0:
            jump_on(w, wheels, tilted)


@helper
def jump_on(w: Array, wheels: Array, tilted: Tilted | None) -> None:
    """Let rates of gimbals jump; that is work of motors, as of multibody.tick.take_commands.

    Where none jumps, all is as it was.
    """
    if tilted is not None:
        hold_gyros(w, wheels, tilted.gimbals)
        weigh(w, wheels, tilted)
        for i in range(LANES):
            w[BEFORE, i] = 0.5 * w[ENERGY, i] + 0.0
        for n in range(len(tilted.gimbals)):
            copy_rows(tilted.gimbals[n], JUMPED, LEAN_RATE, 1)
        find_tilted(w, wheels, tilted, 0.0)
        hold_gyros(w, wheels, tilted.gimbals)
        weigh(w, wheels, tilted)
        for i in range(LANES):
            w[BOOK_ROW, i] += (0.5 * w[ENERGY, i] + 0.0) - w[BEFORE, i]


@helper
def weigh(w: Array, wheels: Array, tilted: Tilted | None) -> None:
    """Write twice the kinetic energy to ENERGY, as multibody.derivatives.energies."""
    for i in range(LANES):
        omega = three(w, OMEGA, i)
        w[ENERGY, i] = dot(omega, symmetric_times(six(w, CARRIER, i), omega))
    for n in range(len(wheels)):
        wheel = wheels[n]
        for i in range(LANES):
            h = wheel[MOMENTUM, i]
            w[ENERGY, i] += h * h / wheel[INERTIA_ROW, i]
    see_tilted(w, tilted)


@helper
def find_tilted_motion(w: Array, wheels: Array, tilted: Tilted | None) -> None:
    """Write inertia, STORED and OMEGA from states, which are new."""
    if tilted is not None:
        for n in range(len(tilted.gimbals)):
            copy_rows(tilted.gimbals[n], LEAN, LEAN_X, 1)
        find_tilted(w, wheels, tilted, 0.0)


@helper
def find_tilted(w: Array, wheels: Array, tilted: Tilted | None, fraction: float) -> None:
    """Write inertia, STORED and OMEGA in a stage at a fraction of the step; X is its state."""
    if tilted is not None:
        gimbals, first = tilted.gimbals, len(wheels) - len(tilted.gimbals)
        copy_rows(w, CARRIER, SOLID_NOW, 6)
        fill_rows(w, STORED, 3, 0.0)
        for n in range(len(gimbals)):
            orient(wheels[first + n], gimbals[n])
        for n in range(len(wheels)):
            store_wheel(w, wheels[n])
        for n in range(len(gimbals)):
            store_gimbal(w, gimbals[n], fraction)
        for i in range(LANES):
            x = thirteen(w, X, i)
            left = moved_vector(body_momentum(x, turn_of(x, 1.0)), -1.0, three(w, STORED, i))
            put_three(w, OMEGA, i, symmetric_solved(six(w, SOLID_NOW, i), left))


@part
def orient(wheel: Array, rows: Array) -> None:
    """Write the spin axis of a rotor, where its gimbal has turned; one after the other."""
    for i in range(LANES):
        angle = rows[LEAN_X, i]
        if angle != rows[KNOWN, i]:
            spin = scaled(math.cos(angle), three(rows, SPIN, i))
            spin = moved_vector(spin, math.sin(angle), three(rows, TRANSVERSE, i))
            put_three(rows, SPIN_NOW, i, spin)
            put_three(rows, ACROSS_NOW, i, cross(three(rows, GIMBAL_AXIS, i), spin))
            put_three(wheel, AXIS, i, spin)
            rows[KNOWN, i] = angle


@helper
def store_wheel(w: Array, wheel: Array) -> None:
    """Add the momentum of a wheel, and its inertia if it is held, as phases `lock` and `store`."""
    for i in range(LANES):
        axis, mode = three(wheel, AXIS, i), wheel[MODE, i]
        speed = speed_held(mode, wheel[MAX_SPEED, i], wheel[HELD_SPEED, i])
        inertia, free = wheel[INERTIA_ROW, i], turns_freely(mode)
        amount = wheel[MOMENTUM_X, i] if free else inertia * speed
        put_three(w, STORED, i, moved_vector(three(w, STORED, i), amount, axis))
        solid = six(w, SOLID_NOW, i)
        heavier = outer_added(solid, inertia, axis)
        put_three(w, SOLID_NOW, i, picked(free, solid[:3], heavier[:3]))
        put_three(w, SOLID_NOW + 3, i, picked(free, solid[3:], heavier[3:]))


@helper
def store_gimbal(w: Array, rows: Array, fraction: float) -> None:
    """Add inertia and momentum of a gimbal, as phase `store`."""
    for i in range(LANES):
        axis, about = three(rows, GIMBAL_AXIS, i), rows[ABOUT, i]
        inertia = outer_added(six(w, SOLID_NOW, i), rows[ALONG, i], three(rows, SPIN_NOW, i))
        inertia = outer_added(inertia, rows[ACROSS, i], three(rows, ACROSS_NOW, i))
        inertia = outer_added(inertia, about, axis)
        rate = rows[LEAN_RATE, i] + rows[ACCELERATION, i] * (fraction * w[STEP, i])
        put_three(w, SOLID_NOW, i, inertia[:3])
        put_three(w, SOLID_NOW + 3, i, inertia[3:])
        put_three(w, STORED, i, moved_vector(three(w, STORED, i), about * rate, axis))


@helper
def begin_rest(
    w: Array, i: int, torque: Floats, omega: Floats, x: Floats, turn: Floats,
    tilted: Tilted | None,
) -> None:  # fmt: skip
    """Write what accelerates lane i without wheels and gimbals; torque: on the body."""
    if tilted is not None:
        put_three(w, REST, i, without_wheels(torque, omega, x, turn))


@helper
def turn_gyros(
    w: Array, wheels: Array, turning: Array, tilted: Tilted | None, fraction: float, far: float,
    k: int,
) -> None:  # fmt: skip
    """Write the rates of gimbals and rotors in stage k, and angles in the next; add powers.

    turning: those of wheels and rotors;  fraction, far: parts of the step at which this stage is
        and the next one
    """
    if tilted is not None:
        gimbals, first = tilted.gimbals, len(wheels) - len(tilted.gimbals)
        for n in range(first):
            react_to(w, wheels[n], REST)
        find_rest(w, wheels, tilted, REST, fraction)
        for i in range(LANES):
            put_three(w, REST, i, symmetric_solved(six(w, SOLID_NOW, i), three(w, REST, i)))
        for n in range(len(gimbals)):
            keep_rotor(w, gimbals[n])
        for n in range(len(gimbals)):
            drive_gimbal(w, gimbals[n], far)
            add_up(gimbals[n], LEANING_RATE, FIRST_LEANING, 1, k)
            spin_rotor(w, wheels[first + n], turning, first + n)


@helper
def find_rest(w: Array, wheels: Array, tilted: Tilted | None, place: int, fraction: float) -> None:
    """Take from the right side at a place of w what gyros take, as phase `turn`."""
    if tilted is not None:
        gimbals, first = tilted.gimbals, len(wheels) - len(tilted.gimbals)
        for n in range(len(gimbals)):
            momenta, copied = of_row(wheels[first + n], MOMENTUM), of_row(gimbals[n], STORED_SPIN)
            for j in range(LANES):
                copied[j] = momenta[j]
            lean(w, gimbals[n], place, fraction)


@helper
def lean(w: Array, rows: Array, place: int, fraction: float) -> None:
    """Do what `find_rest` does for a gyro; write its rate and gyroscopic torque."""
    for i in range(LANES):
        axis, s, across = (
            three(rows, GIMBAL_AXIS, i), three(rows, SPIN_NOW, i), three(rows, ACROSS_NOW, i),
        )  # fmt: skip
        omega, inertia, kept = three(w, OMEGA, i), rows[ROTOR, i], rows[KEPT_SPEED, i] > 0.0
        spin, tilt = dot(s, omega), dot(across, omega)
        h = inertia * (rows[ROTOR_SPEED, i] + spin) if kept else rows[STORED_SPIN, i]
        carried, by = rows[ALONG, i] - rows[ACROSS, i], rows[ACCELERATION, i]
        rows[GYROSCOPIC, i] = h * tilt + carried * spin * tilt
        rate = rows[LEAN_RATE, i] + by * (fraction * w[STEP, i])
        rest = moved_vector(three(w, place, i), -rows[ABOUT, i] * by, axis)
        rest = moved_vector(rest, -rate * (carried * tilt + 0.0), s)
        rest = moved_vector(rest, -rate * (carried * spin + h), across)
        put_three(w, place, i, picked(kept, moved_vector(rest, -rate * inertia * tilt, s), rest))
        rows[LEANING_RATE, i] = rate


@helper
def keep_rotor(w: Array, rows: Array) -> None:
    """Add the power of a motor that keeps its rotor's speed, as reaction_wheels.constrain.

    REST is dω/dt.
    """
    for i in range(LANES):
        inertia, speed = rows[ROTOR, i], rows[ROTOR_SPEED, i]
        total = inertia * dot(three(rows, SPIN_NOW, i), three(w, REST, i))
        turned = dot(three(rows, ACROSS_NOW, i), three(w, OMEGA, i))
        total += inertia * rows[LEANING_RATE, i] * turned
        works = (rows[KEPT_SPEED, i] > 0.0) & (speed != 0.0)
        power = w[MOTOR_POWER, i]
        w[MOTOR_POWER, i] = selected(works, power + total * speed, power)


@helper
def drive_gimbal(w: Array, rows: Array, far: float) -> None:
    """Add the power of a gimbal's motor, as phase `constrain`; write the next stage's angle."""
    for i in range(LANES):
        along, rate = dot(three(rows, GIMBAL_AXIS, i), three(w, REST, i)), rows[LEANING_RATE, i]
        momentum_rate = rows[ABOUT, i] * (rows[ACCELERATION, i] + along)
        w[MOTOR_POWER, i] += (momentum_rate - rows[GYROSCOPIC, i]) * rate
        rows[LEAN_X, i] = rows[LEAN, i] + far * w[STEP, i] * rate


@helper
def spin_rotor(w: Array, wheel: Array, turning: Array, n: int) -> None:
    """Write the rates of momentum and angle of rotor n, as reaction_wheels.turn."""
    for i in range(LANES):
        along = dot(three(wheel, AXIS, i), three(w, OMEGA, i))
        free = wheel[MOMENTUM, i] / wheel[INERTIA_ROW, i] - along
        kept = wheel[MODE, i] == LOCKED
        speed = wheel[HELD_SPEED, i] if kept else free
        wheel[TURNING, i], wheel[TURNING + 1, i] = 0.0, speed
        turning[2 * n, i], turning[2 * n + 1, i] = 0.0, speed
        wheel[MOMENTUM_X, i] = wheel[MOMENTUM, i]


# --- the end of a step and of a tick -----------------------------------------------------------


@helper
def end_tilted(w: Array, wheels: Array, tilted: Tilted | None, index: int) -> None:
    """Write states of gimbals, momenta of rotors and OMEGA at the end of piece `index`.

    A lane of which a gimbal has made a turn is marked: a craft alone looks at its whole angle.
    """
    if tilted is not None:
        gimbals = tilted.gimbals
        for n in range(len(gimbals)):
            end_gimbal(w, gimbals[n], index)
        find_tilted(w, wheels, tilted, 0.0)
        hold_gyros(w, wheels, gimbals)


@helper
def end_gimbal(w: Array, rows: Array, index: int) -> None:
    """Write angle and rate of a gimbal at the end of a piece."""
    for i in range(LANES):
        begin, on = three(rows, LEAN, i), index < w[STEPS, i]
        turned = all_stages(
            w[SIXTH, i], begin[0], rows[FIRST_LEANING, i], rows[MIDDLE_LEANING, i],
            rows[LEANING_RATE, i],
        )  # fmt: skip
        angle = selected(on, turned, begin[0])
        rows[LEAN, i] = rows[LEAN_X, i] = angle
        rate = begin[2] + rows[ACCELERATION, i] * w[STEP, i]
        rows[LEAN_RATE, i] = selected(on, rate, begin[2])
        around = np.floor(angle / (2.0 * math.pi) + 0.5) != 0.0
        w[SMOOTH, i] = 0.0 if around else w[SMOOTH, i]


@helper
def hold_gyros(w: Array, wheels: Array, gimbals: Array) -> None:
    """Write the momenta of gimbals and rotors from OMEGA."""
    first = len(wheels) - len(gimbals)
    for n in range(len(gimbals)):
        hold_gimbal(w, gimbals[n])
        hold_rotor(w, wheels[first + n])


@helper
def hold_gimbal(w: Array, rows: Array) -> None:
    """Write the momentum of a gimbal with a commanded rate, as phase `hold`."""
    for i in range(LANES):
        along = dot(three(rows, GIMBAL_AXIS, i), three(w, OMEGA, i))
        rows[LEAN_MOMENTUM, i] = rows[ABOUT, i] * (rows[LEAN_RATE, i] + along)


@helper
def hold_rotor(w: Array, wheel: Array) -> None:
    """Write the momentum of a rotor whose speed a motor keeps, as reaction_wheels.hold."""
    for i in range(LANES):
        along = dot(three(wheel, AXIS, i), three(w, OMEGA, i))
        held = wheel[INERTIA_ROW, i] * (wheel[HELD_SPEED, i] + along)
        momentum = selected(wheel[MODE, i] == LOCKED, held, wheel[MOMENTUM, i])
        wheel[MOMENTUM, i] = wheel[MOMENTUM_X, i] = momentum


@helper
def turn_gyros_faster(w: Array, wheels: Array, place: int, tilted: Tilted | None) -> None:
    """Let dω/dt at a place of END, which has the torque without gyros, be that with them."""
    if tilted is not None:
        find_rest(w, wheels, tilted, place, 0.0)
        for i in range(LANES):
            put_three(w, place, i, symmetric_solved(six(w, SOLID_NOW, i), three(w, place, i)))


@helper
def see_tilted(w: Array, tilted: Tilted | None) -> None:
    """Add twice the energies of gimbals to ENERGY, as phase `energy`."""
    if tilted is not None:
        for n in range(len(tilted.gimbals)):
            rows = tilted.gimbals[n]
            for i in range(LANES):
                p, omega = rows[LEAN_MOMENTUM, i], three(w, OMEGA, i)
                spin = dot(three(rows, SPIN_NOW, i), omega)
                tilt = dot(three(rows, ACROSS_NOW, i), omega)
                turned = rows[ALONG, i] * spin * spin + rows[ACROSS, i] * tilt * tilt
                w[ENERGY, i] = w[ENERGY, i] + turned + p * p / rows[ABOUT, i]
