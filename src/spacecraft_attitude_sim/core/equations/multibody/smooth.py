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
from spacecraft_attitude_sim.core.mathematics.runge_kutta import whole_step, whole_step_of_four
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    dot,
    moved_vector,
    put_six,
    scaled,
    six_at,
    symmetric_adjugate,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import LOADS, MASS, VALUES
from spacecraft_attitude_sim.kernels.fours import Four, floats_of, four_at, four_of, put_four
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index
from spacecraft_attitude_sim.kernels.rarely import rarely

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.kind import Phases


# The environment at the beginning, in the middle and at the end of a step, and the time of the
# end [s], nan where it is not known. Then what a tick leaves for the next one: when the span of
# its sky began (core.environment.sky), and ω at its end.
HERE_SIZE = HERE.size
LAST, LAST_TIME = 2 * HERE_SIZE, 3 * HERE_SIZE
SPAN_BEGAN, OMEGA = LAST_TIME + 1, LAST_TIME + 2
INSTANTS_SIZE = LAST_TIME + 5


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
def rate_of(L_B: Floats, stored: Four, adjugate: Floats, scale: float) -> Floats:
    """Return ω, three floats.

    L_B: three floats;  stored: momentum beside S ω
    adjugate, scale: of vectors.symmetric_adjugate, of the inertia
    """
    h_x, h_y, h_z, _ = floats_of(stored)
    return scaled(scale, symmetric_times(adjugate, moved_vector(L_B, -1.0, (h_x, h_y, h_z))))


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
    if rarely(acts(force)):
        force_W = to_world(turn, force)
    force_W = added(added(force_W, three_at(work, WRENCH + 6)), added(press_W, pull_W))
    if rarely(loads.holds(parts, LOADS)):
        force_W = ZERO
    w = three_at(work, WRENCH + 9)
    torque_W = added(to_world(turn, torque), w)
    if rarely(acts(w)):
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
    """Take a step of h seconds in y, unless a part reaches a limit; return whether, and ω.

    The lines are drawn, and `work` has the rates now;  omega: ω now;  time: of the orbit [s]
    stage: scratch memory of five rows;  instants: of INSTANTS_SIZE numbers
    """
    if phases.rough(parts) or not phases.calm(True, parts, work, h):
        return False, omega
    n = int(parts[VALUES])
    book, now, rows = n - BOOK_SIZE, stage, from_index(stage, n)
    adjugate, scale = symmetric_adjugate(six_at(work, S))
    begin, inverse = thirteen_at(y), 1.0 / parts[MASS]
    find_environment(phases, parts, sky, time, h, instants)
    x, t, turn, values = begin, 0.0, turn_of(begin, inverse_square(begin)), y
    for k in range(4):
        slope, far = from_index(rows, k * n), h if k >= 2 else 0.5 * h
        here = from_index(instants, (k + 1) // 2 * HERE_SIZE)
        motors, heat, within, stored, done = phases.glide(
            (0.0, 0.0, True, four_of(0.0, 0.0, 0.0, 0.0), SIZE), parts, y, values, rows, n, k, h,
            now, work, omega, t,
        )  # fmt: skip
        if rarely(not within):
            return False, omega
        rates, power = body_rates(
            phases, x, turn, t, slope, parts, work, sky, here, omega, values, inverse
        )
        slope[book], slope[book + 1], slope[book + 2] = motors, heat, power
        if done < book:
            move_others(y, rows, n, k, h, now, done)
        if k < 3:
            put_state(slope, rates)
            x, t, values = moved(begin, far, rates), far, now
        else:
            x, t = normalised(ended(y, rows, n, h, rates)), 0.0
            for j in range(book, book + BOOK_SIZE):
                now[j] = whole_step(y, rows, n, h, j)
        turn = turn_of(x, inverse_square(x))
        omega = rate_of(body_momentum(x, turn), stored, adjugate, scale)
    if rarely(not phases.steady(True, parts, now, work, omega)):
        return False, omega
    put_state(y, x)
    rest = SIZE + ((n - SIZE) >> 2 << 2)
    for j in range(SIZE, rest, 4):
        put_four(y, j, four_at(now, j))
    for j in range(rest, n):
        y[j] = now[j]
    return True, omega


@helper
def find_environment(
    phases: Phases, parts: Array, sky: Array, time: float, h: float, instants: Array
) -> None:
    """Write the environment at the beginning, in the middle and at the end of a step."""
    rates = phases.magnetic(parts)
    put_here(instants, 0, surrounded_again(sky, time, instants, rates))
    put_here(instants, HERE_SIZE, surrounded(sky, time + 0.5 * h, rates))
    put_here(instants, LAST, surrounded(sky, time + h, rates))
    instants[LAST_TIME] = time + h


@helper
def ended(y: Array, rows: Array, n: int, h: float, rates: Floats) -> Floats:
    """Return the state of the body after a step, thirteen floats; rates: of the last stage."""
    a = whole_step_of_four(y, rows, n, h, 0, four_of(rates[0], rates[1], rates[2], rates[3]))
    b = whole_step_of_four(y, rows, n, h, 4, four_of(rates[4], rates[5], rates[6], rates[7]))
    c = whole_step_of_four(y, rows, n, h, 8, four_of(rates[8], rates[9], rates[10], rates[11]))
    slope = rows[12] + 2.0 * (rows[n + 12] + rows[2 * n + 12]) + rates[12]
    return (*floats_of(a), *floats_of(b), *floats_of(c), y[12] + h / 6.0 * slope)


@part
def move_others(y: Array, rows: Array, n: int, k: int, h: float, now: Array, done: int) -> None:
    """Write the values of parts that `glide` has not moved, for the stage after stage k."""
    far = h if k >= 2 else 0.5 * h
    for j in range(done, n - BOOK_SIZE):
        if k < 3:
            now[j] = y[j] + far * rows[k * n + j]
        else:
            now[j] = whole_step(y, rows, n, h, j)


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
