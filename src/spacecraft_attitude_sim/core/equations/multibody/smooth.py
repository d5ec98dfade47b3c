# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A step of RK4 in which nothing switches, sticks or reaches a limit: the usual one.

It has the bits of step.stepped and takes a third of its time. It leaves out what only events need:
limits of motors, parts that are held, dω/dt and the inverse of the inertia, which is constant.
Whether that was right is known when it is done: phase `calm` tells at the beginning what each part
must not reach, `glide` in every stage and `steady` at the end that no part has. Otherwise the step
is taken again with events. Arguments are those of derivatives.slopes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import (
    HERE,
    to_body,
    to_world,
    turn_of,
)
from spacecraft_attitude_sim.core.environment.sky import surrounded
from spacecraft_attitude_sim.core.equations.momentum import moved, normalised
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    BOOK_SIZE,
    WRENCH,
    ZERO,
    S,
    body_momentum,
    inverse_square,
    outer_loads,
)
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    dot,
    moved_vector,
    put,
    put_six,
    scaled,
    six_at,
    symmetric_adjugate,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import LOADS, MASS, VALUES
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.kind import Phases


# The environment at the beginning, in the middle and at the end of a step, and the time of the
# end [s], nan before the first step of a tick.
HERE_SIZE = HERE.size
LAST, LAST_TIME = 2 * HERE_SIZE, 3 * HERE_SIZE
INSTANTS_SIZE = LAST_TIME + 1


@helper
def surrounded_again(sky: Array, time: float, instants: Array, rates: bool) -> Floats:
    """Return `surrounded`, which is known where the last step ended at this time [s].

    instants: of INSTANTS_SIZE numbers;  rates: of `surrounded`, the same in the whole tick
    """
    if instants[LAST_TIME] == time:
        k = LAST
        return (*six_at(instants, k), *six_at(instants, k + 6), *six_at(instants, k + 12))
    return surrounded(sky, time, rates)


@helper
def rate_of(
    phases: Phases, L_B: Floats, y: Array, t: float, parts: Array, work: Array, adjugate: Floats,
    scale: float,
) -> Floats:  # fmt: skip
    """Return ω, three floats.

    L_B: three floats;  y: of which the values of parts are read
    adjugate, scale: of vectors.symmetric_adjugate, of the inertia
    """
    _, stored = phases.store((six_at(work, S), ZERO), parts, y, t, work)
    left = moved_vector(L_B, -1.0, stored)
    return scaled(scale, symmetric_times(adjugate, left))


@helper
def body_rates(
    phases: Phases, x: Floats, turn: Floats, t: float, slope: Array, parts: Array, work: Array,
    sky: Array, here: Floats, omega: Floats, values: Array, k: float,
) -> tuple[Floats, float]:  # fmt: skip
    """Return dx/dt, thirteen floats, and the power of external loads; write slopes of magnets.

    x: state of the body, thirteen floats;  turn: of loads.load.turn_of;  k: 1/mass
    values: as y, with the values of parts;  others: as derivatives.slopes
    """
    force, torque, pull_B, press_W, pull_W = outer_loads(
        phases, x, turn, t, slope, parts, work, sky, here, omega, values, k
    )
    force, force_W = added(force, pull_B), ZERO
    velocity = (k * x[7], k * x[8], k * x[9])
    if acts(force):
        force_W = to_world(turn, force)
    force_W = added(added(force_W, three_at(work, WRENCH + 6)), added(press_W, pull_W))
    if loads.holds(parts, LOADS):
        force_W = ZERO
    w = three_at(work, WRENCH + 9)
    torque_W = added(to_world(turn, torque), w)
    if acts(w):
        torque = added(torque, to_body(turn, w, 0))
    r = quaternion_rate(x[3], x[4], x[5], x[6], omega[0], omega[1], omega[2])
    rates = (*velocity, *r, *force_W, *torque_W)
    return rates, dot(omega, torque) + dot(velocity, force_W)


@helper
def acts(vector: Floats) -> bool:
    """Return whether a vector is not zero."""
    return vector[0] != 0.0 or vector[1] != 0.0 or vector[2] != 0.0


@part
def glided(
    phases: Phases, y: Array, h: float, parts: Array, work: Array, sky: Array, time: float,
    stage: Array, instants: Array, omega: Floats,
) -> tuple[bool, Floats]:  # fmt: skip
    """Take a step of h seconds into `stage`, unless a part reaches a limit; return whether, and ω.

    The lines are drawn, and `work` has the rates now;  omega: ω now;  time: of the orbit [s]
    instants: scratch memory of INSTANTS_SIZE numbers
    """
    if phases.rough(parts) or not phases.calm(True, parts, work, h):
        return False, omega
    n = int(parts[VALUES])
    book = n - BOOK_SIZE
    now, one, two = stage, from_index(stage, n), from_index(stage, 2 * n)
    three, four = from_index(stage, 3 * n), from_index(stage, 4 * n)
    adjugate, scale = symmetric_adjugate(six_at(work, S))
    begin, inverse = thirteen_at(y), 1.0 / parts[MASS]
    rates = phases.magnetic(parts)
    put_here(instants, 0, surrounded_again(sky, time, instants, rates))
    put_here(instants, HERE_SIZE, surrounded(sky, time + 0.5 * h, rates))
    put_here(instants, LAST, surrounded(sky, time + h, rates))
    instants[LAST_TIME] = time + h
    for j in range(SIZE, book):
        now[j] = y[j]
    x, t, turn = begin, 0.0, turn_of(begin, inverse_square(begin))
    for k in range(4):
        slope, far = from_index(one, k * n), h if k >= 2 else 0.5 * h
        here = from_index(instants, (k + 1) // 2 * HERE_SIZE)
        rates, power = body_rates(
            phases, x, turn, t, slope, parts, work, sky, here, omega, now, inverse
        )
        slope[book], slope[book + 1], within = phases.glide(
            (0.0, 0.0, True), parts, now, slope, work, omega, t
        )
        if not within:
            return False, omega
        slope[book + 2] = power
        put_state(slope, rates)
        if k < 3:
            x, t = moved(begin, far, rates), far
            for j in range(SIZE, book):
                now[j] = y[j] + far * slope[j]
        else:
            for j in range(n):
                now[j] = y[j] + h / 6.0 * (one[j] + 2.0 * (two[j] + three[j]) + four[j])
            x, t = normalised(thirteen_at(now)), 0.0
            put(now, 3, (x[3], x[4], x[5], x[6]))
        turn = turn_of(x, inverse_square(x))
        L_B = body_momentum(x, turn)
        omega = rate_of(phases, L_B, now, t, parts, work, adjugate, scale)
    phases.find_rates(parts, now, work, omega, ZERO)
    if phases.changes_inertia(parts):  # step.stepped finds the slopes at the end, too
        phases.glide((0.0, 0.0, True), parts, now, four, work, omega, h)
    return phases.steady(True, parts, work), omega


@helper
def put_state(flat: Array, x: Floats) -> None:
    """Write a state of the body, thirteen floats."""
    put_six(flat, 0, x, 0)
    put_six(flat, 6, x, 6)
    flat[12] = x[12]


@helper
def put_here(instants: Array, k: int, here: Floats) -> None:
    """Write HERE, eighteen floats, from index k on."""
    for j in range(0, HERE_SIZE, 6):
        put_six(instants, k + j, here, j)


@helper
def thirteen_at(y: Array) -> Floats:
    """Return the state of the body, thirteen floats."""
    return (*six_at(y, 0), *six_at(y, 6), y[12])
