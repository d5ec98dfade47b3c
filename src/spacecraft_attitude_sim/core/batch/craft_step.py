# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A step of RK4 of craft side by side: equations.multibody.smooth, with loops over lanes inside.

The functions of parts, loads and vectors are those of a craft alone, in the same order, so each
craft has the bits it has alone. A lane in which a wheel leaves what the step may assume is marked:
its SMOOTH is 0 then, and its tick is flown alone.

    w           (CRAFT_SIZE, LANES)
    wheels      (n, WHEEL_SIZE, LANES);  rods: (m, ROD_SIZE, LANES)
    here        (3, HERE_SIZE, LANES) environment at the beginning, middle and end, as HERE
    airs, lights    of craft_press.py
    rates       (4, SIZE, LANES) of the state, in each stage
    turnings    (4, 2 n, LANES) rates of momentum and angle of each wheel, in each stage
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_borne import force_left, turned_by_weight
from spacecraft_attitude_sim.core.batch.craft_gyros import (
    begin_rest,
    end_tilted,
    find_tilted,
    turn_gyros,
)
from spacecraft_attitude_sim.core.batch.craft_held import (
    amount_in,
    begin_fastest,
    begin_torques,
    check_held,
    hold_still,
    is_held,
    note_motor,
    note_torque,
    speed_in,
    work_at_limits,
)
from spacecraft_attitude_sim.core.batch.craft_inside import (
    end_inside,
    find_stage,
    hub_power,
    hub_torque,
    is_found,
    move_inside,
)
from spacecraft_attitude_sim.core.batch.craft_magnets import (
    dipole_in,
    end_magnets,
    feel_field,
    magnetize,
    move_magnets,
)
from spacecraft_attitude_sim.core.batch.craft_press import press_on
from spacecraft_attitude_sim.core.batch.craft_pushed import LINES, keep_turns, pushing
from spacecraft_attitude_sim.core.batch.craft_rows import (
    ABLE,
    AFTER,
    ANGLE,
    AXIS,
    BOOK_ROW,
    COULOMB,
    DRIVE,
    DRY,
    FIRST_POWERS,
    HEAT_POWER,
    INERTIA_ROW,
    INVERSE,
    INVERSE_INERTIA,
    LOAD_POWER,
    MASS_ROW,
    MAX_SPEED,
    MAX_TORQUE,
    MIDDLE_POWERS,
    MODE,
    MOMENTUM,
    MOMENTUM_X,
    MOST,
    MOTOR,
    MOTOR_POWER,
    MOTOR_RATE,
    OLD,
    OLD_ANGLE,
    OLD_BOOK,
    OLD_DRIVE,
    OLD_MOMENTUM,
    OMEGA,
    POWERS,
    PRESS,
    PRESS_TORQUE,
    READY,
    SIXTH,
    SMOOTH,
    STATIC,
    STEP,
    STEPS,
    STORED,
    STRIBECK,
    TIDES,
    TURNING,
    TURNS,
    VISCOUS,
    WAY,
    WHOLE,
    X,
    add_up,
    all_stages,
    copy_rows,
    fill_rows,
    picked,
    rate_of,
    seven,
    six,
    state_after,
    three_of,
)
from spacecraft_attitude_sim.core.batch.craft_tilted import driven_wheels, keeps_speed
from spacecraft_attitude_sim.core.batch.lanes import (
    LANES,
    STATE,
    acting,
    put_thirteen,
    thirteen,
)
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads import tide
from spacecraft_attitude_sim.core.environment.loads.gravity_gradient import gradient_torque
from spacecraft_attitude_sim.core.environment.loads.load import FIELD as FIELD_HERE
from spacecraft_attitude_sim.core.environment.loads.load import (
    PULL,
    UP,
    ZERO,
    to_body,
    to_world,
    turn_of,
)
from spacecraft_attitude_sim.core.environment.loads.residual_dipole import field_torque
from spacecraft_attitude_sim.core.equations.momentum import moved
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    body_momentum,
    inverse_square,
)
from spacecraft_attitude_sim.core.equations.multibody.smooth import acts
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    dot,
    moved_vector,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import within
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import dry_at, friction
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_inside import Within
    from spacecraft_attitude_sim.core.batch.craft_magnets import Magnets
    from spacecraft_attitude_sim.core.batch.craft_pushed import Pushed
    from spacecraft_attitude_sim.core.batch.craft_rows import Facts
    from spacecraft_attitude_sim.core.batch.craft_tilted import Tilted
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# Round-off of a speed by the product with an inverse, of its terms: 45 times a double's.
ROUND_OFF = 1e-14


@helper
def torques_on(
    w: Array, i: int, turn: Floats, dipole: Floats, here: Floats, held: Floats, push: Floats,
    borne: Array | None,
) -> Floats:  # fmt: skip
    """Return the torque of all loads but that in world axes, three floats, body axes.

    turn: of loads.load.turn_of;  dipole: of the whole;  held: wrench, twelve floats
    push: torque of craft_pushed.pushing;  borne: of craft_borne.py
    """
    turning = added(push, field_torque(dipole, to_body(turn, here, FIELD_HERE)))
    torque = picked(acts(dipole), turning, push)
    torque = added(torque, three_at(held, 3))
    gradient = gradient_torque(3.0 * here[PULL], six(w, WHOLE, i), to_body(turn, here, UP))
    torque = picked(w[TURNS, i] != 0.0, added(torque, gradient), torque)
    torque = turned_by_weight(i, turn, torque, borne)
    return added(torque, three(w, PRESS_TORQUE, i))


@helper
def body_rates(
    w: Array, i: int, x: Floats, turn: Floats, t: float, here: Floats, omega: Floats,
    facts: Facts,
) -> tuple[Floats, float]:  # fmt: skip
    """Return dx/dt of lane i, thirteen floats, and the power of loads, as smooth.body_rates."""
    extras = facts.extras
    held, k = acting(w, i), w[INVERSE, i]
    force, push = pushing(w, i, LINES, t, extras.pushed)
    force = added(added(force, three_at(held, 0)), three(w, PRESS, i))
    dipole = dipole_in(w, i, t, extras.magnets)
    torque = torques_on(w, i, turn, dipole, here, held, push, extras.borne)
    torque = hub_torque(w, i, turn, here, held, force, torque, extras.within)
    velocity = (k * x[7], k * x[8], k * x[9])
    force_W = picked(acts(force), to_world(turn, force), ZERO)
    force_W = added(force_W, three_at(held, 6))
    pull = tide.force(here, w[MASS_ROW, i], x)
    force_W = picked(w[TIDES, i] != 0.0, added(force_W, pull), force_W)
    force_W = force_left(i, force_W, extras.borne)
    twist = three_at(held, 9)
    torque_W = added(to_world(turn, torque), twist)
    torque = picked(acts(twist), added(torque, to_body(turn, twist, 0)), torque)
    note_torque(w, i, torque, omega, x, extras.held)
    begin_fastest(w, i, torque, omega, x, turn, extras.held)
    begin_rest(w, i, torque, omega, x, turn, extras.tilted)
    r = quaternion_rate(x[3], x[4], x[5], x[6], omega[0], omega[1], omega[2])
    rates = (*velocity, *r, *force_W, *torque_W)
    power = dot(omega, torque) + dot(velocity, force_W)
    return rates, hub_power(w, i, power, omega, extras.within)


@helper
def take_stage(w: Array, wheels: Array, arrays: tuple[Array, ...], facts: Facts, k: int) -> None:
    """Write the rates of stage k, 0 to 3, and x of the next stage.

    arrays: here, airs, lights, rates, turnings
    """
    extras, (here, airs, lights, rates, turnings) = facts.extras, arrays
    now, turning = here[(k + 1) // 2], turnings[k]
    fraction, far = 0.5 * ((k + 1) // 2), 1.0 if k >= 2 else 0.5
    find_stage(w, extras.within, k)
    find_tilted(w, wheels, extras.tilted, fraction)
    press_on(w, now, airs, lights, False)
    feel_field(w, now, extras.magnets, k == 0 or is_found(extras.within))
    magnetize(w, extras.magnets)
    move_bodies(
        w, k, fraction, far, now, rates[k], facts, extras.magnets, extras.within, extras.tilted
    )
    move_magnets(w, extras.magnets, far, k)
    fill_rows(w, MOTOR_POWER, 2, 0.0)
    for n in range(driven_wheels(wheels, extras.tilted)):
        if facts.rubbing:
            rub(w, wheels[n])
        drive(w, wheels, n, fraction, far, turning, extras.held)
    move_inside(w, extras.within, far, k)
    turn_gyros(w, wheels, turning, extras.tilted, fraction, far, k)
    work_at_limits(w, wheels, extras.held)
    add_up(w, POWERS, FIRST_POWERS, 3, k)


@helper
def move_bodies(
    w: Array, k: int, fraction: float, far: float, now: Array, rates: Array, facts: Facts,
    magnets: Magnets, within: Within, tilted: Tilted | None,
) -> None:  # fmt: skip
    """Write the rates of all bodies in stage k, and x of the next one.

    fraction, far: parts of the step at which this stage is and the next one
    now: environment;  rates: (SIZE, LANES), written
    magnets, within, tilted: those of `facts`
    """
    for i in range(LANES):
        x, h, here = thirteen(w, X, i), w[STEP, i], seven(now, 0, i)
        turn = turn_of(x, inverse_square(x))
        omega = three(w, OMEGA, i)
        if magnets is None and within is None and tilted is None:  # else it is found
            omega = picked(k == 0, omega, rate_of(w, i, body_momentum(x, turn)))
        rate, power = body_rates(w, i, x, turn, fraction * h, here, omega, facts)
        put_three(w, OMEGA, i, omega)
        put_three(w, STORED, i, ZERO)
        put_thirteen(w, X, i, moved(thirteen(w, STATE, i), far * h, rate))
        put_thirteen(rates, 0, i, rate)
        w[LOAD_POWER, i] = power


@part
def rub(w: Array, wheel: Array) -> None:
    """Write the dry friction of a wheel in a stage, as torques.dry_friction."""
    for i in range(LANES):
        axis = wheel[AXIS, i], wheel[AXIS + 1, i], wheel[AXIS + 2, i]
        speed = wheel[MOMENTUM_X, i] / wheel[INERTIA_ROW, i] - dot(axis, three(w, OMEGA, i))
        wheel[DRY, i] = dry_at(wheel[COULOMB, i], wheel[STATIC, i], wheel[STRIBECK, i], speed)


@helper
def drive(
    w: Array, wheels: Array, n: int, fraction: float, far: float, turning: Array,
    held: Array | None,
) -> None:  # fmt: skip
    """Write the rates of wheel n in a stage, as parts.reaction_wheels.quiet.glide.

    fraction, far: parts of the step at which this stage is and the next one
    turning: of the stage, written
    """
    for i in range(LANES):
        h, axis = w[STEP, i], three_of(wheels, n, AXIS, i)
        along = dot(axis, three(w, OMEGA, i))
        speed = wheels[n, MOMENTUM_X, i] / wheels[n, INERTIA_ROW, i] - along
        forward = wheels[n, WAY, i] * speed
        still = is_held(wheels[n, MODE, i], held)
        free = still | ((forward >= 0.0) & (forward <= wheels[n, MOST, i]))
        w[SMOOTH, i] = w[SMOOTH, i] if free else 0.0
        asked = wheels[n, MOTOR, i] + wheels[n, MOTOR_RATE, i] * (fraction * h)
        motor = within(wheels[n, MAX_TORQUE, i], asked)
        drag = friction(wheels[n, VISCOUS, i], wheels[n, DRY, i], speed, wheels[n, MODE, i])
        motor, drag = 0.0 if still else motor, 0.0 if still else drag
        speed = speed_in(wheels[n, MODE, i], wheels[n, MAX_SPEED, i], speed, held)
        rate = motor + drag
        note_motor(w, i, rate, held)
        wheels[n, TURNING, i], wheels[n, TURNING + 1, i] = rate, speed
        turning[2 * n, i], turning[2 * n + 1, i] = rate, speed
        w[MOTOR_POWER, i] += motor * speed
        w[HEAT_POWER, i] -= drag * speed
        momentum = wheels[n, MOMENTUM, i] + far * h * rate
        wheels[n, MOMENTUM_X, i] = momentum
        amount = amount_in(
            wheels[n, MODE, i], wheels[n, INERTIA_ROW, i], wheels[n, MAX_SPEED, i], momentum, held
        )
        put_three(w, STORED, i, moved_vector(three(w, STORED, i), amount, axis))


@helper
def take_step(
    w: Array, wheels: Array, arrays: tuple[Array, ...], facts: Facts, index: int
) -> None:
    """Take sub-step `index` of every lane that has as many; the lines are drawn.

    X, STORED and OMEGA are those of the beginning, and then those of the end; OLD is what the tick
    began with. arrays: of take_stage
    """
    extras = facts.extras
    begin_torques(w, extras.held)
    for k in range(4):
        take_stage(w, wheels, arrays, facts, k)
    end_step(w, arrays[3], index)
    end_magnets(w, extras.magnets, index)
    check_held(w, wheels, extras.held)
    turn_wheels(w, wheels, arrays[4], extras.pushed, extras.held, index)
    end_inside(w, extras.within, extras.pushed, index)
    end_tilted(w, wheels, extras.tilted, index)
    end_turning(w, extras.within, extras.tilted)
    hold_still(w, wheels, extras.held)
    check_wheels(w, wheels, extras.held, extras.tilted)


@helper
def end_turning(w: Array, within: Within, tilted: Tilted | None) -> None:
    """Write OMEGA at the end of a sub-step, unless it is found, and READY."""
    for i in range(LANES):
        x = thirteen(w, STATE, i)
        if within is None and tilted is None:
            omega = rate_of(w, i, body_momentum(x, turn_of(x, 1.0)))
            put_three(w, OMEGA, i, omega)
        w[READY, i] = w[ABLE, i] if x[3] == x[3] else 0.0


@helper
def end_step(w: Array, rates: Array, index: int) -> None:
    """Write state and BOOK at the end of a sub-step."""
    if index == 0:
        copy_rows(w, STATE, OLD, SIZE)
        copy_rows(w, BOOK_ROW, OLD_BOOK, 3)
    for i in range(LANES):
        z = state_after(w, i, rates, index)
        put_thirteen(w, STATE, i, z)
        put_thirteen(w, X, i, z)
        put_three(w, STORED, i, ZERO)
    for i in range(LANES):
        book = three(w, BOOK_ROW, i)
        after = (
            booked(w, i, book[0], MOTOR_POWER), booked(w, i, book[1], HEAT_POWER),
            booked(w, i, book[2], LOAD_POWER),
        )  # fmt: skip
        put_three(w, BOOK_ROW, i, picked(index < w[STEPS, i], after, book))


@helper
def booked(w: Array, i: int, begin: float, k: int) -> float:
    """Return an energy at the end of a step; k: row of its power."""
    j = k - POWERS
    return all_stages(w[SIXTH, i], begin, w[FIRST_POWERS + j, i], w[MIDDLE_POWERS + j, i], w[k, i])


@helper
def moved_on(turnings: Array, k: int, i: int, sixth: float, begin: float) -> float:
    """Return a wheel's momentum or angle at the end of a step; k: row of its rate."""
    middle = turnings[1, k, i] + turnings[2, k, i]
    return all_stages(sixth, begin, turnings[0, k, i], middle, turnings[3, k, i])


@helper
def turn_wheels(
    w: Array, wheels: Array, turnings: Array, pushed: Pushed | None, held: Array | None,
    index: int,
) -> None:  # fmt: skip
    """Write momenta, angles and motors of the wheels at the end of a sub-step; sum up STORED.

    At the end of a tick angles are within a turn.
    """
    first = index == 0
    for n in range(len(wheels)):
        for i in range(LANES):
            steps, begin, sixth = w[STEPS, i], three_of(wheels, n, MOMENTUM, i), w[SIXTH, i]
            momentum = moved_on(turnings, 2 * n, i, sixth, begin[0])
            turned = moved_on(turnings, 2 * n + 1, i, sixth, begin[1])
            keep_turns(wheels, n, i, turned, pushed)
            turns = np.floor(turned / (2.0 * math.pi) + 0.5)
            left = turned - turns * 2.0 * math.pi
            turned = left if (turns != 0.0) & (index == steps - 1.0) else turned
            end = momentum, turned, wheels[n, AFTER, i]
            end = picked(index < steps, end, begin)
            old = picked(first, begin, three_of(wheels, n, OLD_MOMENTUM, i))
            wheels[n, OLD_MOMENTUM, i], wheels[n, OLD_ANGLE, i] = old[0], old[1]
            wheels[n, OLD_DRIVE, i] = old[2]
            wheels[n, MOMENTUM, i], wheels[n, ANGLE, i], wheels[n, DRIVE, i] = end
            wheels[n, MOMENTUM_X, i] = end[0]
            axis = three_of(wheels, n, AXIS, i)
            amount = amount_in(
                wheels[n, MODE, i], wheels[n, INERTIA_ROW, i], wheels[n, MAX_SPEED, i], end[0],
                held,
            )  # fmt: skip
            put_three(w, STORED, i, moved_vector(three(w, STORED, i), amount, axis))


@helper
def check_wheels(w: Array, wheels: Array, held: Array | None, tilted: Tilted | None) -> None:
    """Mark lanes in which a wheel may have left its limits, and those not READY to go on.

    Speeds are computed with the inverses of inertias, which is quicker: where round-off might
    decide, a lane is marked, too. WAY is the direction of the next sub-step.
    """
    for n in range(len(wheels)):
        for i in range(LANES):
            along = dot(three_of(wheels, n, AXIS, i), three(w, OMEGA, i))
            whole = wheels[n, MOMENTUM, i] * wheels[n, INVERSE_INERTIA, i]
            speed, doubt = whole - along, ROUND_OFF * (abs(whole) + abs(along))
            forward, way = wheels[n, WAY, i] * speed, math.copysign(1.0, speed)
            still = is_held(wheels[n, MODE, i], held) | keeps_speed(wheels[n, MODE, i], tilted)
            free = still | ((doubt <= forward) & (forward + doubt <= wheels[n, MOST, i]))
            w[SMOOTH, i] = w[SMOOTH, i] if free else 0.0
            mode = wheels[n, MODE, i]
            ready = (mode == 1.0) | (mode == -1.0)
            ready &= (way == mode) | (wheels[n, STATIC, i] <= 0.0)
            ready |= still
            w[READY, i] = w[READY, i] if ready else 0.0
            wheels[n, WAY, i] = way
