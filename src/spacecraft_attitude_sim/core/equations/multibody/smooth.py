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

import math
from typing import TYPE_CHECKING, TypeAlias

from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads import gravity_gradient
from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import (
    FIELD,
    HERE,
    to_body,
    to_world,
)
from spacecraft_attitude_sim.core.environment.loads.registry import GRADIENT
from spacecraft_attitude_sim.core.environment.sky import (
    INERTIA,
    needs_all,
    put_all,
    put_some,
    put_surrounding,
    surrounded,
    surrounding,
)
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    BOOK_SIZE,
    WRENCH,
    ZERO,
    S,
    outer_loads,
)
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate
from spacecraft_attitude_sim.core.mathematics.runge_kutta import whole_step_of_four
from spacecraft_attitude_sim.core.mathematics.vector_fours import (
    cross_four,
    dot_four,
    quaternion_rate_four,
    symmetric_columns,
    three_of,
    times_four,
    turn_fours,
    vector_four,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    dot,
    six_at,
    symmetric_adjugate,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import DIPOLE, FORCE, LOADS, MASS, TORQUE, VALUES
from spacecraft_attitude_sim.core.parts.craft import RATES as LINES
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.fours import (
    Four,
    all_within,
    floats_of,
    four_at,
    four_of,
    put_four,
    repeated,
    sizes,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.mathematics.vector_fours import Matrix
    from spacecraft_attitude_sim.core.parts.kind import Phases


# The environment at the beginning, in the middle and at the end of a step, and the time of the
# end [s], nan where it is not known. Then what a tick leaves for the next one: when the span of
# its sky began (core.environment.sky), and ω at its end. Then the rates of the body in the first
# three stages, sixteen numbers each: four Fours, see Body. Then what only a step with events makes
# unknown: the adjugate of S by columns, 1/det S, 0 where unknown, and what turn_fours returns, now
# or in a stage.
HERE_SIZE = HERE.size
LAST, LAST_TIME = 2 * HERE_SIZE, 3 * HERE_SIZE
SPAN_BEGAN, OMEGA = LAST_TIME + 1, LAST_TIME + 2
RATES, STAGE_SIZE = LAST_TIME + 5, 16
ADJUGATE = RATES + 3 * STAGE_SIZE
SCALE, TURN = ADJUGATE + 12, ADJUGATE + 13
INSTANTS_SIZE = TURN + 25
# Position, q_WB, momentum and angular momentum, or their rates; see vector_fours.
Body: TypeAlias = 'tuple[Four, Four, Four, Four]'


@helper
def surrounded_again(
    phases: Phases, parts: Array, sky: Array, time: float, instants: Array
) -> Floats:
    """Return `surrounded`, which is known where the last step ended at this time [s].

    instants: of INSTANTS_SIZE numbers
    """
    rates = phases.magnetic(parts)
    if instants[LAST_TIME] == time:
        return surrounding(sky, rates, from_index(instants, LAST))
    return surrounded(sky, time, rates)


@helper
def body_rates(
    phases: Phases, x: Floats, turn: Floats, t: float, slope: Array, parts: Array, work: Array,
    sky: Array, here: Floats, omega: Floats, values: Array, k: float,
) -> tuple[Body, float]:  # fmt: skip
    """Return dx/dt, and the power of external loads; write slopes of magnets.

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
    rates = (
        vector_four(velocity), four_of(r[0], r[1], r[2], r[3]), vector_four(force_W),
        vector_four(torque_W),
    )  # fmt: skip
    return rates, dot(omega, torque) + dot(velocity, force_W)


@helper
def usual_loads(
    r: Four, turn: tuple[float, Matrix, Matrix], t: float, parts: Array, work: Array,
    whole: Matrix, here: Array,
) -> tuple[Four, Four]:  # fmt: skip
    """Return torque_B and force_W of all loads, where they are `usual`.

    r: position;  turn: of turn_fours;  whole: inertia of the whole body, by columns
    """
    u, _, rows = turn
    torque = four_at(work, TORQUE) + four_at(work, LINES + 3) * t
    dipole = four_at(work, DIPOLE) + four_at(work, LINES + 6) * t
    if acts(three_of(dipole)):
        torque = torque + cross_four(dipole, times_four(rows, three_at(here, FIELD)) * u)
    torque, force_W = torque + four_at(work, WRENCH + 3), four_at(work, WRENCH + 6)
    if parts[LOADS + GRADIENT] > 0.0:
        torque, force_W = gravity_gradient.wrench_four(
            (torque, force_W), parts, int(parts[LOADS + GRADIENT + 1]), parts[MASS], whole, r, u,
            rows, here,
        )  # fmt: skip
    return torque, force_W


@helper
def usual_rates(
    x: Body, turn: tuple[float, Matrix, Matrix], t: float, parts: Array, work: Array,
    whole: Matrix, here: Array, omega: Four, k: float,
) -> tuple[Body, float]:  # fmt: skip
    """Do what `body_rates` does, where loads are `usual`, with the same bits.

    turn: of turn_fours;  whole: inertia of the whole body, by columns
    """
    u, columns, _ = turn
    r, q, p, _ = x
    torque, force_W = usual_loads(r, turn, t, parts, work, whole, here)
    velocity = p * k
    power = dot_four(omega, torque) + dot_four(velocity, force_W)
    torque_W = times_four(columns, three_of(torque)) * u
    return (velocity, quaternion_rate_four(q, omega), force_W, torque_W), power


@helper
def usual(phases: Phases, parts: Array, work: Array) -> bool:
    """Return whether no force acts in body axes, no torque in world axes, and no unusual load."""
    if phases.magnetic(parts) or loads.unusual(parts, LOADS):
        return False
    acting = sizes(four_at(work, FORCE)) + sizes(four_at(work, LINES))
    acting = acting + sizes(four_at(work, WRENCH)) + sizes(four_at(work, WRENCH + 9))
    return all_within(vector_four(three_of(acting)), repeated(0.0))


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
    if rarely(not instants[SCALE] > 0.0):
        begin_gliding(y, work, instants)
    inverse, scale = inverse_at(instants)
    k_mass = 1.0 / parts[MASS]
    whole, simple = symmetric_columns(six_at(sky, INERTIA)), usual(phases, parts, work)
    begin = four_at(y, 0), four_at(y, 3), four_at(y, 7), four_at(y, 10)
    find_environment(phases, parts, sky, time, h, instants)
    x, t, values, spin = begin, 0.0, y, vector_four(omega)
    for k in range(4):
        slope, far = from_index(rows, k * n), h if k >= 2 else 0.5 * h
        here = from_index(instants, (k + 1) // 2 * HERE_SIZE)
        books, stored, done = phases.glide(
            (repeated(0.0), repeated(0.0), SIZE), parts, y, rows, n, k, h, now, work, t
        )
        turn = turn_at(instants)
        if rarely(not simple):
            rates, power = body_rates(
                phases, floats_of_body(x), floats_of_turn(turn), t, slope, parts, work, sky, here,
                three_of(spin), values, k_mass,
            )  # fmt: skip
        else:
            rates, power = usual_rates(x, turn, t, parts, work, whole, here, spin, k_mass)
        motors, heat, _, _ = floats_of(books)
        books = four_of(motors, heat, power, 0.0)
        if rarely(done < book):
            move_others(y, rows, n, k, h, now, done)
        if k < 3:
            put_four(slope, book, books)
            put_body(instants, RATES + k * STAGE_SIZE, rates)
            x, t, values = moved_body(begin, far, rates), far, now
        else:
            x, t = ended(begin, instants, h, rates), 0.0
            put_four(now, book, whole_step_of_four(y, rows, n, h, book, books))
        turn = turn_fours(x[1])
        put_turn(instants, turn)
        L_B = times_four(turn[2], three_of(x[3]))
        spin = times_four(inverse, three_of(L_B - stored)) * scale
        if rarely(not phases.steady(True, parts, now, work, three_of(spin))):
            return False, omega
    put_state(y, x)
    for j in range(SIZE, n, 4):
        put_four(y, j, four_at(now, j))
    return True, three_of(spin)


@part
def begin_gliding(y: Array, work: Array, instants: Array) -> None:
    """Write the inverse of S and the matrix of the attitude."""
    put_turn(instants, turn_fours(four_at(y, 3)))
    adjugate, scale = symmetric_adjugate(six_at(work, S))
    put_matrix(instants, ADJUGATE, symmetric_columns(adjugate))
    instants[SCALE] = scale


@helper
def inverse_at(instants: Array) -> tuple[Matrix, float]:
    """Return the columns of the adjugate of S, and 1/det S."""
    return matrix_at(instants, ADJUGATE), instants[SCALE]


@helper
def matrix_at(flat: Array, k: int) -> Matrix:
    """Return three Fours from index k on."""
    return four_at(flat, k), four_at(flat, k + 4), four_at(flat, k + 8)


@helper
def put_matrix(flat: Array, k: int, matrix: Matrix) -> None:
    """Write three Fours from index k on."""
    put_four(flat, k, matrix[0])
    put_four(flat, k + 4, matrix[1])
    put_four(flat, k + 8, matrix[2])


@helper
def turn_at(instants: Array) -> tuple[float, Matrix, Matrix]:
    """Return what `put_turn` has written."""
    return instants[TURN], matrix_at(instants, TURN + 1), matrix_at(instants, TURN + 13)


@helper
def put_turn(instants: Array, turn: tuple[float, Matrix, Matrix]) -> None:
    """Write what turn_fours returns."""
    u, columns, rows = turn
    instants[TURN] = u
    put_matrix(instants, TURN + 1, columns)
    put_matrix(instants, TURN + 13, rows)


@helper
def find_environment(
    phases: Phases, parts: Array, sky: Array, time: float, h: float, instants: Array
) -> None:
    """Write the environment at the beginning, in the middle and at the end of a step."""
    rates, first = phases.magnetic(parts), 0
    if instants[LAST_TIME] == time:
        first = 1
        put_surrounding(sky, rates, from_index(instants, LAST), instants)
    if rarely(needs_all(sky, rates)):
        for k in range(first, 3):
            put_all(sky, time + 0.5 * k * h, rates, from_index(instants, k * HERE_SIZE))
    else:
        for k in range(first, 3):
            put_some(sky, time + 0.5 * k * h, from_index(instants, k * HERE_SIZE))
    instants[LAST_TIME] = time + h


@helper
def moved_body(x: Body, h: float, rates: Body) -> Body:
    """Return x + h dx/dt."""
    return (
        x[0] + rates[0] * h, x[1] + rates[1] * h, x[2] + rates[2] * h, x[3] + rates[3] * h,
    )  # fmt: skip


@helper
def put_body(flat: Array, k: int, x: Body) -> None:
    """Write the four Fours of a Body from index k on."""
    put_four(flat, k, x[0])
    put_four(flat, k + 4, x[1])
    put_four(flat, k + 8, x[2])
    put_four(flat, k + 12, x[3])


@helper
def put_state(y: Array, x: Body) -> None:
    """Write the state of the body; what follows it is written, too."""
    put_four(y, 0, x[0])
    put_four(y, 3, x[1])
    put_four(y, 7, x[2])
    put_four(y, 10, x[3])


@helper
def ended(begin: Body, instants: Array, h: float, last: Body) -> Body:
    """Return the body after a step, its quaternion normalised; last: rates of the last stage."""
    q = ended_four(begin[1], instants, 4, h, last[1])
    a, b, c, d = floats_of(q)
    q = q * (1.0 / math.sqrt(a * a + b * b + c * c + d * d))
    return (
        ended_four(begin[0], instants, 0, h, last[0]), q,
        ended_four(begin[2], instants, 8, h, last[2]),
        ended_four(begin[3], instants, 12, h, last[3]),
    )  # fmt: skip


@helper
def ended_four(begin: Four, instants: Array, j: int, h: float, last: Four) -> Four:
    """Return four numbers of the body after a step; j: their place in `put_body`."""
    k = RATES + j
    middle = four_at(instants, k + STAGE_SIZE) + four_at(instants, k + 2 * STAGE_SIZE)
    return begin + (four_at(instants, k) + middle * 2.0 + last) * (h / 6.0)


@part
def move_others(y: Array, rows: Array, n: int, k: int, h: float, now: Array, done: int) -> None:
    """Write the values of parts that `glide` has not moved, for the stage after stage k.

    Four at once, and so some of BOOK's, which are written later, too.
    """
    far = h if k >= 2 else 0.5 * h
    for j in range(done, n - BOOK_SIZE, 4):
        last = four_at(rows, k * n + j)
        if k < 3:
            put_four(now, j, four_at(y, j) + last * far)
        else:
            put_four(now, j, whole_step_of_four(y, rows, n, h, j, last))


@helper
def floats_of_body(x: Body) -> Floats:
    """Return the state of the body, thirteen floats."""
    return (*three_of(x[0]), *floats_of(x[1]), *three_of(x[2]), *three_of(x[3]))


@helper
def floats_of_turn(turn: tuple[float, Matrix, Matrix]) -> Floats:
    """Return what loads.load.turn_of returns; turn: of turn_fours."""
    u, _, rows = turn
    return (u, *three_of(rows[0]), *three_of(rows[1]), *three_of(rows[2]))
