# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A step of RK4 of craft with internal parts, side by side, with loops over lanes inside.

The functions of parts and of the moving origin are those of a craft alone, in the same order, so
each craft has the bits it has alone. What only dω/dt and parts that are held need is left out: no
momentum depends on it. Arrays: of moving_rows.py, and

    rates       (4, 14, LANES) of each stage: of the state, and power of external loads
    heats       (4, LANES) power of friction in each stage
    slopes      three arrays (4, n, MOST_VALUES, LANES): of the values of each part
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.batch.craft_rows import OMEGA, STEP, STORED, X
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE, acting, put_thirteen, thirteen
from spacecraft_attitude_sim.core.batch.moving_rows import (
    BEGIN,
    DRIFTING,
    HEAT,
    NOW,
    ONE,
    OWN,
    PARTS,
    PRESSED,
    REDUCED,
    REST,
    REST_V,
    SHAPE,
    SOLID,
    SUM_LOW,
    SUM_MIXED,
    SUM_MOMENT,
    SUM_MOMENTUM,
    SUM_MOVED,
    SUM_STORED,
    SUM_TAKEN,
    WORK_ROWS,
)
from spacecraft_attitude_sim.core.environment.loads.load import ZERO, to_body, to_world, turn_of
from spacecraft_attitude_sim.core.equations.momentum import moved
from spacecraft_attitude_sim.core.equations.multibody import moving_origin
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    body_momentum,
    inverse_square,
)
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    nine_at,
    put_nine,
    put_six,
    put_three,
    scaled,
    six_at,
    subtracted,
    symmetric_added,
    symmetric_solved,
    three_at,
)
from spacecraft_attitude_sim.core.parts.coordinates import kernel as coordinates
from spacecraft_attitude_sim.core.parts.coordinates import shapes
from spacecraft_attitude_sim.core.parts.coordinates.layouts import HINGE, LINE, MODE
from spacecraft_attitude_sim.core.parts.craft import CARRIED, GRAVITY, HUB_MOMENT, MASS
from spacecraft_attitude_sim.core.parts.pendulums import kernel as pendulums
from spacecraft_attitude_sim.core.parts.viscous_slugs import kernel as slugs
from spacecraft_attitude_sim.kernels.columns import column, column_from
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

LOAD_POWER, RATES_SIZE = 13, 14
SIX, NINE = moving_origin.SIX, moving_origin.NINE
HOW, TURN, SPEED = coordinates.HOW, coordinates.TURN, coordinates.SPEED
MOMENT, VELOCITY = moving_origin.MOMENT, moving_origin.VELOCITY


# --- ω and the rates of all parts ---------------------------------------------------------------


@helper
def find_motion(w: Array, inside: tuple[Array, Array, Array]) -> None:
    """Write OMEGA, the origin's velocity and the rates of all parts in a stage."""
    begin_sums(w)
    each = inside[0]
    for n in range(len(each)):
        shape = each[n, SHAPE, 0]  # the same in all lanes
        if shape == HINGE:
            find_turns(each[n])
            attach_lanes(w, each[n], HINGE)
        elif shape == LINE:
            attach_lanes(w, each[n], LINE)
        else:
            attach_lanes(w, each[n], MODE)
    end_attaching(w)
    for n in range(len(inside[1])):
        suspend_pendulum(w, inside[1][n])
    for n in range(len(inside[2])):
        suspend_slug(w, inside[2][n])
    solve(w)
    for n in range(len(each)):
        find_speed(w, each[n])


@helper
def begin_sums(w: Array) -> None:
    """Write the sums of moving_origin.reduced, as it begins them."""
    for i in range(LANES):
        lane = column(w, i)
        mass = lane[PARTS + CARRIED]
        put_three(lane, SUM_MOMENT, three_at(lane, PARTS + HUB_MOMENT))
        put_three(lane, SUM_MOMENTUM, ZERO)
        put_six(lane, SUM_LOW, (mass, mass, mass, 0.0, 0.0, 0.0), 0)
        put_nine(lane, SUM_MIXED, NINE)
        put_six(lane, SUM_TAKEN, SIX, 0)
        put_six(lane, SUM_MOVED, SIX, 0)
        put_three(lane, SUM_STORED, three_at(lane, STORED))


@helper
def find_turns(each: Array) -> None:
    """Write cosine and sine of a panel's angle."""
    for i in range(LANES):
        each[OWN + TURN, i], each[OWN + TURN + 1, i] = shapes.turn_of(HINGE, each[NOW, i])


@helper
def attach_lanes(w: Array, each: Array, shape: float) -> None:
    """Add a coordinate to the sums; shape: MODE, HINGE or LINE, a constant."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        sums = (
            three_at(lane, SUM_MOMENT), three_at(lane, SUM_MOMENTUM), six_at(lane, SUM_LOW),
            nine_at(lane, SUM_MIXED), six_at(lane, SUM_TAKEN), six_at(lane, SUM_MOVED),
            three_at(lane, SUM_STORED),
        )  # fmt: skip
        moment, momentum, low, mixed, taken, moving, stored = coordinates.attach_one(
            shape, coordinates.is_free(own[OWN + HOW]), sums, own, 0, own, NOW, own, OWN
        )
        put_three(lane, SUM_MOMENT, moment)
        put_three(lane, SUM_MOMENTUM, momentum)
        put_six(lane, SUM_LOW, low, 0)
        put_nine(lane, SUM_MIXED, mixed)
        put_six(lane, SUM_TAKEN, taken, 0)
        put_six(lane, SUM_MOVED, moving, 0)
        put_three(lane, SUM_STORED, stored)


@helper
def end_attaching(w: Array) -> None:
    """Write what suspended parts add to."""
    for i in range(LANES):
        lane = column(w, i)
        mixed = moving_origin.coupled(nine_at(lane, SUM_MIXED), three_at(lane, SUM_MOMENT))
        put_nine(lane, SUM_MIXED, mixed)
        inertia = symmetric_added(six_at(lane, SOLID), six_at(lane, SUM_MOVED))
        put_six(lane, REDUCED, symmetric_added(inertia, six_at(lane, SUM_TAKEN)), 0)


@helper
def suspend_pendulum(w: Array, each: Array) -> None:
    """Add a pendulum to the sums."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        sums = (
            six_at(lane, REDUCED), three_at(lane, SUM_STORED), three_at(lane, SUM_MOMENT),
            three_at(lane, SUM_MOMENTUM), six_at(lane, SUM_LOW), nine_at(lane, SUM_MIXED),
            six_at(lane, SUM_MOVED),
        )  # fmt: skip
        inertia, stored, moment, momentum, low, mixed, moving = pendulums.suspend(
            ONE, sums, own, column_from(own, NOW), own
        )
        put_six(lane, REDUCED, inertia, 0)
        put_three(lane, SUM_STORED, stored)
        put_three(lane, SUM_MOMENT, moment)
        put_three(lane, SUM_MOMENTUM, momentum)
        put_six(lane, SUM_LOW, low, 0)
        put_nine(lane, SUM_MIXED, mixed)
        put_six(lane, SUM_MOVED, moving, 0)


@helper
def suspend_slug(w: Array, each: Array) -> None:
    """Add a slug to the sums."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        sums = SIX, three_at(lane, SUM_STORED), ZERO, ZERO, SIX, NINE, SIX
        _, stored, _, _, _, _, _ = slugs.suspend(ONE, sums, own, column_from(own, NOW), own)
        put_three(lane, SUM_STORED, stored)


@helper
def solve(w: Array) -> None:
    """Write OMEGA and the origin's velocity; REDUCED and SUM_STORED are those of ω alone then."""
    for i in range(LANES):
        lane, x = column(w, i), thirteen(w, X, i)
        work = column_from(lane, WORK_ROWS)
        inertia, stored = moving_origin.without_velocity(
            work, six_at(lane, REDUCED), three_at(lane, SUM_STORED), three_at(lane, SUM_MOMENT),
            three_at(lane, SUM_MOMENTUM), six_at(lane, SUM_LOW), nine_at(lane, SUM_MIXED),
            six_at(lane, SUM_MOVED),
        )  # fmt: skip
        put_six(lane, REDUCED, inertia, 0)
        put_three(lane, SUM_STORED, stored)
        L_B = body_momentum(x, turn_of(x, 1.0))
        omega = symmetric_solved(inertia, moved_vector(L_B, -1.0, stored))
        put_three(lane, OMEGA, omega)
        moving_origin.find_velocity(work, omega)


@helper
def find_speed(w: Array, each: Array) -> None:
    """Write the rate of a coordinate."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        omega, v = three_at(lane, OMEGA), three_at(lane, WORK_ROWS + VELOCITY)
        free = coordinates.is_free(own[OWN + HOW])
        rate = coordinates.rate_of(own, 0, own, NOW, own, OWN, omega, v)
        own[OWN + SPEED] = rate if free else 0.0


# --- a stage ------------------------------------------------------------------------------------


@helper
def press_hub(
    lane: Array, turn: Floats, held: Floats, force: Floats, torque: Floats
) -> tuple[Floats, Floats]:
    """Return the torque, as forces act at the origin, and `pressed`, as derivatives.loads_now.

    turn: of loads.load.turn_of;  held: wrench, twelve floats;  force: in body axes
    """
    mass, moment = lane[PARTS + MASS], three_at(lane, WORK_ROWS + MOMENT)
    felt_W = added(three_at(held, 6), scaled(-mass, three_at(lane, PARTS + GRAVITY)))
    pressed = scaled(1.0 / mass, added(force, to_body(turn, felt_W, 0)))
    return moved_vector(torque, -1.0, cross(moment, pressed)), pressed


@helper
def power_at_origin(lane: Array, omega: Floats, pressed: Floats) -> float:
    """Return the power of loads by the motion of the centre of mass inside [W]."""
    moment, v = three_at(lane, WORK_ROWS + MOMENT), three_at(lane, WORK_ROWS + VELOCITY)
    return dot(pressed, added(cross(omega, moment), scaled(lane[PARTS + MASS], v)))


@helper
def body_rates(lane: Array, x: Floats, turn: Floats, held: Floats) -> tuple[Floats, float, Floats]:
    """Return dx/dt, thirteen floats, power of loads, and `pressed`, as derivatives.slopes.

    x: state of the body;  turn: of loads.load.turn_of;  held: wrench, twelve floats
    """
    omega, k = three_at(lane, OMEGA), 1.0 / lane[PARTS + MASS]
    force, torque = added(ZERO, three_at(held, 0)), added(ZERO, three_at(held, 3))
    torque, pressed = press_hub(lane, turn, held, force, torque)
    velocity = (k * x[7], k * x[8], k * x[9])
    force_W = added(to_world(turn, force), three_at(held, 6))
    push = three_at(held, 9)
    torque_W = added(to_world(turn, torque), push)
    torque = added(torque, to_body(turn, push, 0))
    power = dot(omega, torque) + dot(velocity, force_W)
    power += power_at_origin(lane, omega, pressed)
    r = quaternion_rate(x[3], x[4], x[5], x[6], omega[0], omega[1], omega[2])
    return (*velocity, *r, *force_W, *torque_W), power, pressed


@helper
def take_stage(
    w: Array, inside: tuple[Array, Array, Array], rates: Array, heats: Array,
    slopes: tuple[Array, Array, Array], k: int,
) -> None:  # fmt: skip
    """Write the rates of stage k, 0 to 3, and X and the values of parts in the next stage."""
    far, rows = 1.0 if k >= 2 else 0.5, rates[k]
    for i in range(LANES):
        lane, x = column(w, i), thirteen(w, X, i)
        rate, power, pressed = body_rates(lane, x, turn_of(x, inverse_square(x)), acting(w, i))
        put_three(lane, PRESSED, pressed)
        put_thirteen(rows, 0, i, rate)
        put_thirteen(w, X, i, moved(thirteen(w, STATE, i), far * w[STEP, i], rate))
        rows[LOAD_POWER, i] = power
        w[HEAT, i] = 0.0
    move_parts(w, inside, slopes, far, k, False)
    for i in range(LANES):
        heats[k, i] = w[HEAT, i]


@helper
def move_parts(
    w: Array, inside: tuple[Array, Array, Array], slopes: tuple[Array, Array, Array], far: float,
    k: int, ends: bool,
) -> None:  # fmt: skip
    """Write the slopes of all parts in stage k, and their values in the next one; add to HEAT.

    far: part of the step at which that is
    ends: whether a tick ends: then add to REST and REST_V instead of writing values
    """
    each = inside[0]
    for n in range(len(each)):
        shape = each[n, SHAPE, 0]
        if shape == HINGE:
            move_lanes(w, each[n], slopes[0][k, n], HINGE, ends)
        elif shape == LINE:
            move_lanes(w, each[n], slopes[0][k, n], LINE, ends)
        else:
            move_lanes(w, each[n], slopes[0][k, n], MODE, ends)
        if not ends:
            advance_values(w, each[n], slopes[0][k, n], far, coordinates.VALUES)
    if ends:
        drift_on(w)
    for n in range(len(inside[1])):
        swing_pendulum(w, inside[1][n], slopes[1][k, n], ends)
        if not ends:
            advance_values(w, inside[1][n], slopes[1][k, n], far, pendulums.STATES)
    for n in range(len(inside[2])):
        swing_slug(w, inside[2][n], slopes[2][k, n], ends)
        if not ends:
            advance_values(w, inside[2][n], slopes[2][k, n], far, slugs.STATES)


@helper
def move_lanes(w: Array, each: Array, slope: Array, shape: float, ends: bool) -> None:
    """Write the slopes of a coordinate; shape: MODE, HINGE or LINE, a constant."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        omega, v = three_at(lane, OMEGA), three_at(lane, WORK_ROWS + VELOCITY)
        rest, push, drifting = ZERO, ZERO, ZERO
        if ends:
            rest, push, drifting = (
                three_at(lane, REST), three_at(lane, REST_V), three_at(lane, DRIFTING),
            )  # fmt: skip
        rest, push, heat, drifting = coordinates.move_one(
            shape, coordinates.is_free(own[OWN + HOW]), (rest, push, lane[HEAT], drifting), own, 0,
            column(slope, i), 0, own, OWN, omega, v, three_at(lane, PRESSED),
        )  # fmt: skip
        lane[HEAT] = heat
        if ends:
            put_three(lane, REST, rest)
            put_three(lane, REST_V, push)
            put_three(lane, DRIFTING, drifting)


@helper
def drift_on(w: Array) -> None:
    """Take from REST and REST_V what the motion of mass inside leaves, as moving_origin.slopes."""
    for i in range(LANES):
        lane = column(w, i)
        omega, v = three_at(lane, OMEGA), three_at(lane, WORK_ROWS + VELOCITY)
        drifting = three_at(lane, DRIFTING)
        put_three(lane, REST, subtracted(three_at(lane, REST), cross(drifting, v)))
        put_three(lane, REST_V, subtracted(three_at(lane, REST_V), cross(omega, drifting)))


@helper
def swing_pendulum(w: Array, each: Array, slope: Array, ends: bool) -> None:
    """Write the slopes of a pendulum."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        omega, v = three_at(lane, OMEGA), three_at(lane, WORK_ROWS + VELOCITY)
        rest, push = ZERO, ZERO
        if ends:
            rest, push = three_at(lane, REST), three_at(lane, REST_V)
        rest, push, heat = pendulums.swing(
            ONE, (rest, push, lane[HEAT]), own, column_from(own, NOW), column(slope, i), own,
            omega, v, three_at(lane, PRESSED),
        )  # fmt: skip
        lane[HEAT] = heat
        if ends:
            put_three(lane, REST, rest)
            put_three(lane, REST_V, push)


@helper
def swing_slug(w: Array, each: Array, slope: Array, ends: bool) -> None:
    """Write the slopes of a slug."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        rest = ZERO
        if ends:
            rest = three_at(lane, REST)
        rest, _, heat = slugs.swing(
            ONE, (rest, ZERO, lane[HEAT]), own, column_from(own, NOW), column(slope, i), own,
            three_at(lane, OMEGA), ZERO, ZERO,
        )  # fmt: skip
        lane[HEAT] = heat
        if ends:
            put_three(lane, REST, rest)


@helper
def advance_values(w: Array, each: Array, slope: Array, far: float, values: int) -> None:
    """Write the values of a part in the next stage."""
    for j in range(values):
        for i in range(LANES):
            each[NOW + j, i] = each[BEGIN + j, i] + far * w[STEP, i] * slope[j, i]
