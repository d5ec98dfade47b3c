# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The right-hand side of the equations of motion, over all kinds of parts aboard.

S is the inertia of everything except the wheels that turn freely, h the momentum stored beside
S ω by wheels, gimbals and internal parts:

    L_B = S ω + h        dL/dt = external torque        dq/dt = ½ q ∘ ω

So internal torques do not change L by one bit (P. C. Hughes, Spacecraft Attitude Dynamics, 1986,
section 3.3). `phases` is of core.parts.kind; layouts of arrays: core.parts.craft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import (
    FIELD,
    FIELD_RATE,
    NOTHING,
    to_body,
    to_world,
    turn_of,
)
from spacecraft_attitude_sim.core.environment.loads.residual_dipole import field_torque
from spacecraft_attitude_sim.core.environment.sky import whole_at
from spacecraft_attitude_sim.core.equations.multibody import moving_origin
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    put,
    scaled,
    six_at,
    symmetric_solved,
    symmetric_times,
    three_at,
    turned_back,
)
from spacecraft_attitude_sim.core.parts.craft import (
    BOOK,
    DIPOLE,
    FORCE,
    GRAVITY,
    INERTIA,
    LOADS,
    MASS,
    MOVING,
    RATES,
    TORQUE,
    VALUES,
    WORK,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.kind import Phases

WRENCH, S = WORK.places('wrench', 'inertia')
INSIDE = SIZE  # where the values of parts begin in y
BOOK_SIZE = BOOK.size
ZERO = (0.0, 0.0, 0.0)


@helper
def moves(phases: Phases, parts: Array) -> bool:
    """Return whether there are internal parts; compiled away for kinds without them."""
    return phases.has_inside(parts) and parts[MOVING] > 0.0


@helper
def inertia_and_stored(
    phases: Phases, y: Array, t: float, parts: Array, work: Array
) -> tuple[Floats, Floats]:
    """Return the inertia S, six floats, and the momentum stored beside S ω, three floats.

    With internal parts: those of the equations of ω alone, after `moving_origin.reduced`. Body
    axes.
    """
    phases.orient(parts, y, work)
    inertia, stored = phases.store((six_at(work, S), ZERO), parts, y, t, work)
    if moves(phases, parts):
        return moving_origin.reduced(phases, y, parts, work, inertia, stored)
    return inertia, stored


@helper
def inverse_square(y: Array | Floats) -> float:
    """Return 1/|q|² of a state."""
    return 1.0 / (y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6])


@helper
def body_momentum(y: Array | Floats, turn: Floats) -> Floats:
    """Return L in body axes, three floats; turn: of loads.load.turn_of."""
    return turned_back(turn[1:], three_at(y, 10))


@helper
def find_rates(
    phases: Phases, y: Array, L_B: Floats, t: float, parts: Array, work: Array
) -> tuple[Floats, Floats]:
    """Write the rates of all parts; return S and ω, six and three floats, body axes."""
    inertia, stored = inertia_and_stored(phases, y, t, parts, work)
    omega = symmetric_solved(inertia, moved_vector(L_B, -1.0, stored))
    v = ZERO
    if moves(phases, parts):
        v = moving_origin.find_velocity(work, omega)
    phases.find_rates(parts, y, work, omega, v)
    return inertia, omega


@part
def angular_velocity(phases: Phases, y: Array, parts: Array, work: Array) -> Floats:
    """Write the rates of all parts at the beginning of a step; return ω, three floats."""
    L_B = body_momentum(y, turn_of(y, 1.0))
    _, omega = find_rates(phases, y, L_B, 0.0, parts, work)
    return omega


@helper
def dipole_now(
    phases: Phases, turn: Floats, t: float, slope: Array, parts: Array, work: Array,
    here: Floats, omega: Floats, values: Array,
) -> Floats:  # fmt: skip
    """Return the dipole of all parts [A m^2], three floats; write the slopes of magnetic ones.

    turn: of loads.load.turn_of;  values: as y, with the values of parts
    """
    dipole = moved_vector(three_at(work, DIPOLE), t, three_at(work, RATES + 6))
    if phases.magnetic(parts):
        field_B = to_body(turn, here, FIELD)
        changes = moved_vector(to_body(turn, here, FIELD_RATE), -1.0, cross(omega, field_B))
        dipole = added(dipole, phases.magnetize(ZERO, parts, values, slope, field_B, changes))
    return dipole


@helper
def outer_loads(
    phases: Phases, y: Array, turn: Floats, t: float, slope: Array, parts: Array, work: Array,
    sky: Array, here: Floats, omega: Floats, values: Array, k: float,
) -> tuple[Floats, Floats, Floats, Floats, Floats]:  # fmt: skip
    """Return all loads but the wrench in world axes; three floats each. Arguments: of `slopes`.

    Force and torque about the centre of mass in body axes, without the force of gravitational
    loads, which follows; force of all other loads, and of gravitational ones, in world axes.

    y: state of the body;  turn: of loads.load.turn_of;  k: 1/mass
    values: as y, with the values of parts
    """
    force = moved_vector(three_at(work, FORCE), t, three_at(work, RATES))
    force = added(force, three_at(work, WRENCH))
    torque = moved_vector(three_at(work, TORQUE), t, three_at(work, RATES + 3))
    dipole = dipole_now(phases, turn, t, slope, parts, work, here, omega, values)
    if dipole[0] != 0.0 or dipole[1] != 0.0 or dipole[2] != 0.0:
        torque = added(torque, field_torque(dipole, to_body(turn, here, FIELD)))
    torque = added(torque, three_at(work, WRENCH + 3))
    whole, velocity = whole_at(sky, parts[MASS]), (k * y[7], k * y[8], k * y[9])
    pull = loads.pull(NOTHING, parts, LOADS, whole, y, turn, velocity, here)
    press = loads.press(NOTHING, parts, LOADS, whole, y, turn, velocity, here)
    torque = added(added(torque, pull[1]), press[1])
    return added(force, press[0]), torque, pull[0], press[2], pull[2]


@helper
def loads_now(
    phases: Phases, y: Array, turn: Floats, t: float, slope: Array, parts: Array, work: Array,
    sky: Array, here: Floats, omega: Floats,
) -> tuple[Floats, Floats, Floats, Floats]:  # fmt: skip
    """Return all loads but the wrench in world axes; three floats each. Arguments: of `slopes`.

    Force and torque about the centre of mass in body axes; force of the environment in world axes;
    `pressed` of Kind.move.
    """
    force, torque, pull_B, press_W, pull_W = outer_loads(
        phases, y, turn, t, slope, parts, work, sky, here, omega, y, 1.0 / parts[MASS]
    )
    mass = parts[MASS]
    pressed = ZERO
    if moves(phases, parts):  # forces act at the origin, which is off the centre of mass
        fall = scaled(-mass, three_at(parts, GRAVITY))
        felt_W = added(added(three_at(work, WRENCH + 6), fall), press_W)
        pressed = scaled(1.0 / mass, added(force, to_body(turn, felt_W, 0)))
        lever = three_at(work, moving_origin.MOMENT)
        torque = moved_vector(torque, -1.0, cross(lever, pressed))
        inertia = moving_origin.gained_inertia(parts, work, mass)
        torque = loads.gained(torque, parts, LOADS, inertia, y, turn, here)
    return added(force, pull_B), torque, added(press_W, pull_W), pressed


@part
def slopes(
    phases: Phases, y: Array, t: float, slope: Array, parts: Array, work: Array, sky: Array,
    here: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Write the right-hand side dy/dt; return ω and dω/dt, three floats each, body axes.

    It also writes to `work` what the event functions need.

    y: (n,) state, values of the parts, BOOK. Arrays are pointers here and below.
    t: time since the step began [s];  work: of WORK, and rows of the parts
    sky: of core.environment.sky;  here: environment at this time, of sky.surrounded
    """
    book = int(parts[VALUES]) - BOOK_SIZE
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    turn = turn_of(y, inverse_square(y))
    L_B = body_momentum(y, turn)
    inertia, omega = find_rates(phases, y, L_B, t, parts, work)
    force, torque, pushed_W, pressed = loads_now(
        phases, y, turn, t, slope, parts, work, sky, here, omega
    )
    k = 1.0 / parts[MASS]
    velocity = (k * y[7], k * y[8], k * y[9])
    slope[0], slope[1], slope[2] = velocity
    slope[3], slope[4], slope[5], slope[6] = quaternion_rate(
        q0, q1, q2, q3, omega[0], omega[1], omega[2]
    )
    force_W = added(added(to_world(turn, force), three_at(work, WRENCH + 6)), pushed_W)
    if loads.holds(parts, LOADS):
        force_W = ZERO
    slope[7], slope[8], slope[9] = force_W
    w = three_at(work, WRENCH + 9)
    slope[10], slope[11], slope[12] = added(to_world(turn, torque), w)
    torque = added(torque, to_body(turn, w, 0))
    slope[book + 2] = dot(omega, torque) + dot(velocity, force_W)
    if moves(phases, parts):
        at_origin = added(
            cross(omega, three_at(work, moving_origin.MOMENT)),
            scaled(parts[MASS], three_at(work, moving_origin.VELOCITY)),
        )
        slope[book + 2] += dot(pressed, at_origin)
    # What free wheels, gimbals and internal parts leave of dL/dt - ω × L accelerates the body.
    rest = moved_vector(torque, -1.0, cross(omega, L_B))
    rest, motors, heat = phases.turn((rest, 0.0, 0.0), parts, y, slope, work, omega, t)
    push = gained = ZERO
    if moves(phases, parts):
        rest, push, lost = moving_origin.slopes(
            phases, y, slope, parts, work, omega, pressed, rest
        )
        rest = moving_origin.eliminated(work, rest, push)
        heat += lost
    alpha = symmetric_solved(inertia, rest)
    if moves(phases, parts):
        gained = moving_origin.origin_rate(work, push, alpha)
        put(work, moving_origin.ACCELERATION, gained)
    motors, heat = phases.constrain((motors, heat), parts, y, slope, work, omega, alpha, gained, t)
    slope[book], slope[book + 1] = motors, heat
    return omega, alpha


@part
def acceleration(
    phases: Phases, y: Array, slope: Array, parts: Array, work: Array, sky: Array, here: Floats,
    omega: Floats,
) -> Floats:  # fmt: skip
    """Return dω/dt now, three floats, as `slopes` does, without what the body's motion needs.

    For a spacecraft with neither internal parts nor parts that change the inertia, whose rates are
    written. It writes to `work`, and slopes of parts, as `slopes` does.

    omega: ω;  others: as `slopes`
    """
    turn = turn_of(y, inverse_square(y))
    _, torque, _, _, _ = outer_loads(
        phases, y, turn, 0.0, slope, parts, work, sky, here, omega, y, 1.0 / parts[MASS]
    )
    torque = added(torque, to_body(turn, three_at(work, WRENCH + 9), 0))
    rest = moved_vector(torque, -1.0, cross(omega, body_momentum(y, turn)))
    rest, motors, heat = phases.turn((rest, 0.0, 0.0), parts, y, slope, work, omega, 0.0)
    alpha = symmetric_solved(six_at(work, S), rest)
    phases.constrain((motors, heat), parts, y, slope, work, omega, alpha, ZERO, 0.0)
    return alpha


@part
def lock(phases: Phases, parts: Array, work: Array) -> None:
    """Write S: inertia of the carrier and of parts that are held."""
    inertia = phases.lock(six_at(parts, INERTIA), parts, work)
    for j in range(6):
        work[S + j] = inertia[j]


@helper
def hold(phases: Phases, y: Array, t: float, parts: Array, work: Array, omega: Floats) -> None:
    """Set the momenta of parts that are held, from ω; t: time since the step began [s]."""
    phases.hold(parts, y, work, omega, three_at(work, moving_origin.VELOCITY), t)


@part
def energies(
    phases: Phases, y: Array, parts: Array, work: Array, omega: Floats
) -> tuple[float, float]:
    """Return kinetic energy of rotation and elastic energy [J]; y: as `hold` leaves it."""
    twice = dot(omega, symmetric_times(six_at(parts, INERTIA), omega))
    twice = phases.energy(twice, parts, y, work, omega)
    if moves(phases, parts):
        kinetic, springs = moving_origin.energy(phases, y, parts, work, omega)
        return 0.5 * twice + kinetic, springs
    return 0.5 * twice, 0.0


@helper
def energy(phases: Phases, y: Array, parts: Array, work: Array, omega: Floats) -> float:
    """Return the sum of `energies` [J]."""
    kinetic, springs = energies(phases, y, parts, work, omega)
    return kinetic + springs
