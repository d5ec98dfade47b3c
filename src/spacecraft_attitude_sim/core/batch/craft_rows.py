# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with real wheels and magnetorquers, LANES of them side by side: their numbers in rows.

What the loops over lanes need lies in rows of LANES numbers, one for each craft. `read_craft`
writes a lane from the flat arrays of core.batch.actuated, `write_craft` the other way.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import KEPT, LANES, STATE, chosen, thirteen
from spacecraft_attitude_sim.core.batch.loaded_lanes import three
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment import sky as skies
from spacecraft_attitude_sim.core.environment.circular_orbit import CIRCLE
from spacecraft_attitude_sim.core.environment.loads import gravity_gradient
from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import ZERO
from spacecraft_attitude_sim.core.equations.momentum import moved, normalised
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import (
    dot,
    moved_vector,
    outer_added,
    scaled,
    six_at,
    symmetric_adjugate,
    symmetric_times,
)
from spacecraft_attitude_sim.core.parts.craft import (
    ACCURACY,
    BOOK,
    END,
    INERTIA,
    LEAST,
    LOADS,
    MASS,
    STATES,
    count_of,
    place_of,
    within,
)
from spacecraft_attitude_sim.core.parts.magnetorquers import kernel as magnetorquers
from spacecraft_attitude_sim.core.parts.reaction_wheels import layouts as wheels_of
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import state_size
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import (
    servo_torque,
    speed_held,
    turns_freely,
)
from spacecraft_attitude_sim.core.parts.registry import GIMBALS, MAGNETORQUERS, NAMES, WHEELS
from spacecraft_attitude_sim.kernels.branches import selected
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index, pointer_to

# able: whether it may fly beside others at all, 1 or 0;  carrier: inertia without the wheels
# adjugate, scale: of its inverse;  whole: inertia of the whole;  gradient, turns, tides: whether
# the gravity gradient acts, turns and pulls;  own_dipole: without magnetorquers
# circle to to_sun and pressure: of core.environment.sky; airy: whether air and light are computed
# aired, lit: whether these act on plates;  book: of core.parts.craft
KEPT_CRAFT = Layout(
    **KEPT.widths, record=run_summary.SIZE, able=1, accuracy=1, least=1, mass=1, inverse_mass=1,
    carrier=6, adjugate=6, scale=1, whole=6, gradient=1, turns=1, tides=1, own_dipole=3,
    circle=7, parameter=1, begin=1, place=15, field=15, wind=15, density=5, to_sun=3, pressure=1,
    airy=1, aired=1, lit=1, book=BOOK.size,
)  # fmt: skip
# In a tick: smooth: 1 while nothing has happened that needs the step of a craft alone, else 0
# now: time of the sub-step's beginning [s];  step: its length [s];  sixth: of it;  ended: when the
# environment was looked up at its end [s];  steps: number of sub-steps
# bend: of step_count;  old, old_book: when the tick began;  x: in a stage
# ready: smooth, as far as the next tick is concerned
# dipole, dipole_rate: the line of a sub-step;  stored: momentum of the wheels
# powers: of external loads, motors and friction in a stage
# first, middle: of the first stage, and of both in the middle;  last_lines: of craft_pushed.py
# press, press_torque: of air and light in a stage, body axes
# flow to push_torque: of one of them: unit vector through the air or to the Sun, speed, density or
# pressure, force and torque
# motors, heat: powers in a stage;  end: of core.parts.craft, where sensors are read
# magnet: dipole in a stage;  field_now, changes: field and its rate of change then, body axes
CRAFT = Layout(
    **KEPT_CRAFT.widths, smooth=1, time=1, now=1, step=1, sixth=1, ended=1, steps=1, bend=1,
    most_dipole=1, wheel_torque=1, loss=1, ready=1, old=SIZE, old_book=BOOK.size, x=SIZE, omega=3,
    dipole=3, dipole_rate=3, stored=3, last_lines=12, powers=3, first=3, middle=3, press=3,
    press_torque=3, flow=3, speed=1, strength=1, push=3, push_torque=3, rate=1, energy=1,
    end=END.size, magnet=3, field_now=3, changes=3,
)  # fmt: skip
(
    RECORD, ABLE, ACCURACY_ROW, LEAST_ROW, MASS_ROW, INVERSE, CARRIER, ADJUGATE, SCALE, WHOLE,
    GRADIENT, TURNS, TIDES, OWN_DIPOLE, CIRCLE_ROW, PARAMETER, BEGIN, PLACE, FIELD, WIND, DENSITY,
    TO_SUN, PRESSURE, AIRY, AIRED, LIT, BOOK_ROW,
) = KEPT_CRAFT.places()[len(KEPT.widths) :]  # fmt: skip
(
    SMOOTH, TIME, NOW, STEP, SIXTH, ENDED, STEPS, BEND, MOST_DIPOLE, WHEEL_TORQUE, LOSS, READY,
    OLD, OLD_BOOK, X, OMEGA, DIPOLE, DIPOLE_RATE, STORED, LAST_LINES,
    POWERS, FIRST_POWERS, MIDDLE_POWERS, PRESS, PRESS_TORQUE,
    FLOW, SPEED, STRENGTH, PUSH, PUSH_TORQUE, RATE, ENERGY, END_ROW, MAGNET, FIELD_NOW, CHANGES,
) = CRAFT.places()[len(KEPT_CRAFT.widths) :]  # fmt: skip
# A wheel: constants of core.parts.reaction_wheels.layouts.WHEEL; inverse: 1/inertia, nearly.
# momentum, angle, drive, mode: states;  target: the commanded torque, within the largest
# motor to after: as TURNING there;  old, old_angle, old_drive: when the tick began
# x: momentum in a stage;  rates: of momentum and angle in the stage before
# lost, mean, slope: of first_order_lag.decay_over, over `decayed` seconds
# dry: friction of torques.dry_friction in a stage
WHEEL = Layout(
    axis_B=3, inertia=1, inverse=1, max_torque=1, max_speed=1, max_power=1, stall_torque=1,
    no_load_speed=1, lag=1, viscous=1, coulomb=1, static=1, stribeck=1, drag_rate=1,
    held_speed=1,
    momentum=1, angle=1, drive=1, mode=1,
    target=1, motor=1, motor_rate=1, after=1, old=1, old_angle=1, old_drive=1, x=1, way=1, most=1,
    lost=1, mean=1, slope=1, decayed=1, rates=2, dry=1,
)  # fmt: skip
(
    AXIS, INERTIA_ROW, INVERSE_INERTIA, MAX_TORQUE, MAX_SPEED, MAX_POWER, STALL, NO_LOAD, LAG,
    VISCOUS, COULOMB, STATIC, STRIBECK, DRAG_RATE, HELD_SPEED, MOMENTUM, ANGLE, DRIVE, MODE,
    TARGET, MOTOR, MOTOR_RATE, AFTER, OLD_MOMENTUM, OLD_ANGLE, OLD_DRIVE, MOMENTUM_X, WAY, MOST,
    LOST, MEAN, SLOPE, DECAYED, TURNING, DRY,
) = WHEEL.places()  # fmt: skip
# A magnetorquer, likewise.
ROD = Layout(
    axis_B=3, max_dipole=1, lag=1, dipole=1, target=1, old=1, line=1, line_rate=1, after=1,
    lost=1, mean=1, slope=1, decayed=1,
)  # fmt: skip
(
    ROD_AXIS, ROD_MOST, ROD_LAG, ROD_DIPOLE, ROD_TARGET, ROD_OLD, ROD_LINE, ROD_RATE,
    ROD_AFTER, ROD_LOST, ROD_MEAN, ROD_SLOPE, ROD_DECAYED,
) = ROD.places()  # fmt: skip
CRAFT_SIZE, WHEEL_SIZE, ROD_SIZE, BOOK_SIZE = CRAFT.size, WHEEL.size, ROD.size, BOOK.size
CIRCLE_SIZE = CIRCLE.at('inertia_P')
LOAD_POWER, MOTOR_POWER, HEAT_POWER = range(POWERS, POWERS + 3)
SLOTS = GRADIENT_SLOT, DIPOLE_SLOT, AIR_SLOT, LIGHT_SLOT, BEARING_SLOT = tuple(
    loads.NAMES.index(name)
    for name in ('gravity_gradient', 'residual_dipole', 'air_drag', 'solar_pressure', 'bearing')
)
OWN_KINDS = (
    'reaction_wheels', 'magnetorquers', 'hysteresis_rods', 'eddy_currents', 'coordinates',
    'pendulums', 'viscous_slugs', 'thrusters', 'control_moment_gyros',
)  # fmt: skip
# Loads and kinds of parts that the loops over lanes do not have.
OTHER_LOADS = tuple(slot for slot in range(len(loads.NAMES)) if slot not in SLOTS)
# A new kind is behind all others in the registry.
ALL_KINDS, FIRST_OTHER = len(NAMES), len(OWN_KINDS)
# Kinds of parts that a craft with gyros may have beside them.
BESIDE = 'reaction_wheels', 'magnetorquers', 'control_moment_gyros', 'thrusters'
NOT_BESIDE_GYROS = tuple(slot for slot, name in enumerate(NAMES) if name not in BESIDE)
# {row of WHEEL: index in the flat constants of a wheel}, and the same of ROD.
WHEEL_ROWS = (
    (INERTIA_ROW, wheels_of.J), (MAX_TORQUE, wheels_of.MAX_TORQUE),
    (MAX_SPEED, wheels_of.MAX_SPEED), (MAX_POWER, wheels_of.MAX_POWER),
    (STALL, wheels_of.STALL), (NO_LOAD, wheels_of.NO_LOAD), (LAG, wheels_of.LAG),
    (VISCOUS, wheels_of.VISCOUS), (COULOMB, wheels_of.COULOMB), (STATIC, wheels_of.STATIC),
    (STRIBECK, wheels_of.STRIBECK),
    (DRAG_RATE, wheels_of.DRAG_RATE), (HELD_SPEED, wheels_of.HELD_SPEED),
)  # fmt: skip
WHEEL_STATES, ROD_ROW = wheels_of.STATES, magnetorquers.ROW
ROD_MOST_AT, ROD_LAG_AT = magnetorquers.MAX_DIPOLE, magnetorquers.LAG


class Extras(NamedTuple):
    """Arrays of what most craft do not have, each None for a loop without it.

    magnets: of craft_magnets.py;  within: of craft_inside.py;  pushed: of craft_pushed.py
    held: of craft_held.py;  delayed: of craft_delayed.py;  borne: of craft_borne.py
    tilted: of craft_tilted.py
    """

    magnets: Any
    within: Any
    pushed: Any
    held: Any
    delayed: Any
    borne: Any
    tilted: Any


class Facts(NamedTuple):
    """What is known of the craft of a block, in any of which it may be so.

    circles: whether any is in no orbit about the Earth;  airy: whether air or light acts on any
    limited: whether any wheel has a limit of power or voltage
    rubbing: whether any has static friction that depends on its speed
    """

    circles: bool
    airy: bool
    limited: bool
    rubbing: bool
    extras: Extras


@helper
def may_fly_beside(parts: Array) -> bool:
    """Return whether the loops over lanes have all that a craft has; parts: its constants."""
    able, at = True, place_of(parts, WHEELS)
    for slot in OTHER_LOADS:
        able = able and parts[LOADS + 2 * slot] == 0.0
    for slot in range(FIRST_OTHER, ALL_KINDS):
        able = able and count_of(parts, slot) == 0.0
    if count_of(parts, GIMBALS) > 0.0:
        for slot in NOT_BESIDE_GYROS:
            able = able and count_of(parts, slot) == 0.0
        for k in range(at.number):
            able = able and parts[at.row + k * wheels_of.ROW + wheels_of.QUEUED] == 0.0
    return able


@part
def read_craft(w: Array, i: int, parts: Array, sky: Array) -> None:
    """Write the constants of a craft to lane i; parts, sky: its flat ones."""
    w[ABLE, i] = 1.0 if may_fly_beside(parts) else 0.0
    w[ACCURACY_ROW, i], w[LEAST_ROW, i] = parts[ACCURACY], parts[LEAST]
    w[MASS_ROW, i], w[INVERSE, i] = parts[MASS], 1.0 / parts[MASS]
    inertia = six_at(parts, INERTIA)
    adjugate, w[SCALE, i] = symmetric_adjugate(inertia)
    whole = skies.whole_at(sky, parts[MASS])
    for j in range(6):
        w[CARRIER + j, i], w[ADJUGATE + j, i] = inertia[j], adjugate[j]
        w[WHOLE + j, i] = whole[1 + j]
    w[GRADIENT, i] = parts[LOADS + 2 * GRADIENT_SLOT]
    w[TURNS, i] = w[TIDES, i] = 0.0
    if w[GRADIENT, i] > 0.0:
        row = int(parts[LOADS + 2 * GRADIENT_SLOT + 1])
        w[TURNS, i], w[TIDES, i] = (
            parts[row + gravity_gradient.TURNS], parts[row + gravity_gradient.TIDE],
        )  # fmt: skip
    own = loads.dipole(ZERO, parts, LOADS)
    for j in range(3):
        w[OWN_DIPOLE + j, i] = own[j]
    for j in range(CIRCLE_SIZE):
        w[CIRCLE_ROW + j, i] = sky[j]
    w[PARAMETER, i], w[AIRY, i] = sky[skies.PARAMETER], sky[skies.WHOLE]
    w[AIRED, i] = parts[LOADS + 2 * AIR_SLOT]
    w[LIT, i] = parts[LOADS + 2 * LIGHT_SLOT]
    read_sky(w, i, sky)


@part
def read_sky(w: Array, i: int, sky: Array) -> None:
    """Write the polynomials of a sky to lane i."""
    w[BEGIN, i] = sky[skies.BEGIN]
    for j in range(15):
        w[PLACE + j, i], w[FIELD + j, i] = sky[skies.PLACE + j], sky[skies.FIELD + j]
        w[WIND + j, i] = sky[skies.WIND + j]
    for j in range(5):
        w[DENSITY + j, i] = sky[skies.DENSITY + j]
    for j in range(3):
        w[TO_SUN + j, i] = sky[skies.TO_SUN + j]
    w[PRESSURE, i] = sky[skies.PRESSURE]


@part
def read_wheels(wheels: Array, rods: Array, i: int, parts: Array) -> None:
    """Write the constants of wheels and magnetorquers of a craft to lane i."""
    at = place_of(parts, WHEELS)
    for k in range(at.number):
        row = at.row + k * wheels_of.ROW
        for j in range(3):
            wheels[k, AXIS + j, i] = parts[row + wheels_of.AXIS + j]
        for to, index in WHEEL_ROWS:
            wheels[k, to, i] = parts[row + index]
        wheels[k, INVERSE_INERTIA, i] = 1.0 / parts[row + wheels_of.J]
        wheels[k, MOST, i] = (1.0 - 1e-12) * parts[row + wheels_of.MAX_SPEED]
        wheels[k, DECAYED, i] = 0.0
        wheels[k, DRY, i] = parts[row + wheels_of.COULOMB]
    at = place_of(parts, MAGNETORQUERS)
    for k in range(at.number):
        row = at.row + k * ROD_ROW
        for j in range(3):
            rods[k, ROD_AXIS + j, i] = parts[row + j]
        rods[k, ROD_MOST, i] = parts[row + ROD_MOST_AT]
        rods[k, ROD_LAG, i] = parts[row + ROD_LAG_AT]
        rods[k, ROD_DECAYED, i] = 0.0


@part
def take_commands(
    w: Array, wheels: Array, rods: Array, i: int, parts: Array, commands: Array, duration: float
) -> bool:
    """Write the targets of wheels and magnetorquers in a tick; return whether any is a speed.

    The torque that a speed asks for depends on the present one.
    """
    at, speeds = place_of(parts, WHEELS), False
    for k in range(at.number):
        row, given = at.row + k * wheels_of.ROW, at.command + 2 * k
        torque, speed = commands[given], commands[given + 1]
        if not math.isnan(speed):
            present = speed_now(w, wheels, k, i)
            torque, speeds = servo_torque(parts, row, present, speed, duration), True
        wheels[k, TARGET, i] = within(parts[row + wheels_of.MAX_TORQUE], torque)
    at = place_of(parts, MAGNETORQUERS)
    for k in range(at.number):
        rods[k, ROD_TARGET, i] = within(rods[k, ROD_MOST, i], commands[at.command + k])
    return speeds


@helper
def speed_now(w: Array, wheels: Array, n: int, i: int) -> float:
    """Return the speed of wheel n of lane i [rad/s], as reaction_wheels.kernel.find_rates."""
    mode = wheels[n, MODE, i]
    if not turns_freely(mode):
        return speed_held(mode, wheels[n, MAX_SPEED, i], wheels[n, HELD_SPEED, i])
    along = dot(three_of(wheels, n, AXIS, i), three(w, OMEGA, i))
    return wheels[n, MOMENTUM, i] / wheels[n, INERTIA_ROW, i] - along


@part
def read_states(
    w: Array, wheels: Array, rods: Array, i: int, parts: Array, internal: Array
) -> None:
    """Write the states of wheels and magnetorquers, and BOOK, to lane i."""
    at = place_of(parts, WHEELS)
    size = state_size(at, parts)
    for k in range(at.number):
        for j in range(WHEEL_STATES):
            wheels[k, MOMENTUM + j, i] = internal[at.state + k * size + j]
    at = place_of(parts, MAGNETORQUERS)
    for k in range(at.number):
        rods[k, ROD_DIPOLE, i] = internal[at.state + k]
    book = int(parts[STATES]) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        w[BOOK_ROW + j, i] = internal[book + j]


@part
def write_states(
    w: Array, wheels: Array, rods: Array, i: int, parts: Array, internal: Array
) -> None:
    """Write internal states of a craft from lane i."""
    at = place_of(parts, WHEELS)
    size = state_size(at, parts)
    for k in range(at.number):
        for j in range(WHEEL_STATES):
            internal[at.state + k * size + j] = wheels[k, MOMENTUM + j, i]
    at = place_of(parts, MAGNETORQUERS)
    for k in range(at.number):
        internal[at.state + k] = rods[k, ROD_DIPOLE, i]
    book = int(parts[STATES]) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        internal[book + j] = w[BOOK_ROW + j, i]


@helper
def three_of(each: Array, n: int, k: int, i: int) -> Floats:
    """Return three floats of lane i from row k on of wheel or magnetorquer n."""
    return (each[n, k, i], each[n, k + 1, i], each[n, k + 2, i])


@helper
def six(w: Array, k: int, i: int) -> Floats:
    """Return six floats of lane i from row k on."""
    return (w[k, i], w[k + 1, i], w[k + 2, i], w[k + 3, i], w[k + 4, i], w[k + 5, i])


@helper
def seven(w: Array, k: int, i: int) -> Floats:
    """Return seven floats of lane i from row k on."""
    return (
        w[k, i], w[k + 1, i], w[k + 2, i], w[k + 3, i], w[k + 4, i], w[k + 5, i], w[k + 6, i],
    )  # fmt: skip


@helper
def picked(on: bool, a: Floats, b: Floats) -> Floats:
    """Return three floats: a where `on`, else b."""
    return selected(on, a[0], b[0]), selected(on, a[1], b[1]), selected(on, a[2], b[2])


# Loops over whole rows: one over lanes inside one over rows would be unrolled, without vectors.


@helper
def copy_rows(rows: Array, source: int, place: int, count: int) -> None:
    """Copy some rows of an array (any, LANES) to others."""
    given, copied = of_row(rows, source), of_row(rows, place)
    for j in range(count * LANES):
        copied[j] = given[j]


@helper
def add_rows(rows: Array, source: int, place: int, count: int) -> None:
    """Add some rows of an array (any, LANES) to others."""
    given, total = of_row(rows, source), of_row(rows, place)
    for j in range(count * LANES):
        total[j] += given[j]


@helper
def fill_rows(rows: Array, place: int, count: int, value: float) -> None:
    """Fill some rows of an array (any, LANES)."""
    filled = of_row(rows, place)
    for j in range(count * LANES):
        filled[j] = value


@helper
def of_row(rows: Array, place: int) -> Array:
    """Return what begins at a row."""
    return from_index(pointer_to(rows), place * LANES)


@helper
def rate_of(w: Array, i: int, L_B: Floats) -> Floats:
    """Return ω of lane i from L and STORED, three floats, as smooth.rate_of."""
    left = moved_vector(L_B, -1.0, three(w, STORED, i))
    return scaled(w[SCALE, i], symmetric_times(six(w, ADJUGATE, i), left))


@part
def held_inertia(w: Array, wheels: Array, i: int) -> tuple[Floats, Floats]:
    """Return the inertia of lane i with that of wheels that are held, and momentum of all wheels.

    As phases `lock` and `store` of a craft alone.
    """
    inertia, stored = six(w, CARRIER, i), ZERO
    for n in range(len(wheels)):
        axis, mode = three_of(wheels, n, AXIS, i), wheels[n, MODE, i]
        momentum = wheels[n, MOMENTUM, i]
        if not turns_freely(mode):
            speed = speed_held(mode, wheels[n, MAX_SPEED, i], wheels[n, HELD_SPEED, i])
            momentum = wheels[n, INERTIA_ROW, i] * speed
            inertia = outer_added(inertia, wheels[n, INERTIA_ROW, i], axis)
        stored = moved_vector(stored, momentum, axis)
    return inertia, stored


@helper
def add_up(rows: Array, rates: int, first: int, count: int, k: int) -> None:
    """Keep the rates of stage k as all_stages takes them.

    rates, first: places of the first of `count` rows in rows;  those of the middle follow `first`
    """
    middle = first + count
    if k == 0:
        copy_rows(rows, rates, first, count)
    if k == 1:
        copy_rows(rows, rates, middle, count)
    if k == 2:
        add_rows(rows, rates, middle, count)


@helper
def state_after(w: Array, i: int, rates: Array, index: int) -> Floats:
    """Return the state of lane i at the end of sub-step `index`, thirteen floats.

    rates: (4, any, LANES) of the state in each stage, in its first rows
    """
    y = thirteen(w, STATE, i)
    middle = moved(thirteen(rates[1], 0, i), 1.0, thirteen(rates[2], 0, i))
    total = moved(moved(thirteen(rates[0], 0, i), 2.0, middle), 1.0, thirteen(rates[3], 0, i))
    return chosen(index < w[STEPS, i], normalised(moved(y, w[SIXTH, i], total)), y)


@helper
def all_stages(sixth: float, begin: float, first: float, middle: float, last: float) -> float:
    """Return a number at the end of a step, as runge_kutta.whole_step.

    sixth: of the step;  others: rates of the stages;  middle: sum of both there
    """
    return begin + sixth * (first + 2.0 * middle + last)
