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
from spacecraft_attitude_sim.core.environment.gravity_gradient import gradient_torque
from spacecraft_attitude_sim.core.environment.plates import of_air, of_sunlight
from spacecraft_attitude_sim.core.environment.sky import INERTIA as TURNED_INERTIA
from spacecraft_attitude_sim.core.environment.sky import PARAMETER, PRESSURE, TO_SUN
from spacecraft_attitude_sim.core.equations.external_loads import (
    DENSITY_NOW,
    FIELD_NOW,
    FIELD_RATE_NOW,
    PULL,
    WIND_NOW,
    tide,
)
from spacecraft_attitude_sim.core.equations.multibody import moving_origin
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_rate,
    quaternion_sandwich,
)
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
)
from spacecraft_attitude_sim.core.parts.craft import (
    BOOK,
    DIPOLE,
    FORCE,
    GRAVITY,
    INERTIA,
    MASS,
    MOVING,
    PLATE_PLACE,
    PLATES,
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
def body_momentum(y: Array) -> Floats:
    """Return L in body axes, three floats."""
    return quaternion_sandwich(y[3], -y[4], -y[5], -y[6], y[10], y[11], y[12])


@helper
def to_body(y: Array, u: float, vector_W: Floats, k: int) -> Floats:
    """Return components k to k + 2 of a tuple in world axes, turned to body axes; u: 1/|q|²."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    v = vector_W
    return scaled(u, quaternion_sandwich(q0, -q1, -q2, -q3, v[k], v[k + 1], v[k + 2]))


@helper
def find_rates(
    phases: Phases, y: Array, t: float, parts: Array, work: Array
) -> tuple[Floats, Floats]:
    """Write the rates of all parts; return S and ω, six and three floats, body axes."""
    inertia, stored = inertia_and_stored(phases, y, t, parts, work)
    omega = symmetric_solved(inertia, moved_vector(body_momentum(y), -1.0, stored))
    v = ZERO
    if moves(phases, parts):
        v = moving_origin.find_velocity(work, omega)
    phases.find_rates(parts, y, work, omega, v)
    return inertia, omega


@part
def angular_velocity(phases: Phases, y: Array, parts: Array, work: Array) -> Floats:
    """Write the rates of all parts at the beginning of a step; return ω, three floats."""
    _, omega = find_rates(phases, y, 0.0, parts, work)
    return omega


@part
def on_plates(
    y: Array, u: float, velocity: Floats, parts: Array, sky: Array, here: Floats
) -> Floats:
    """Return force and torque of air drag and sunlight, six floats [N, N m], body axes.

    velocity: of the body (3 floats, world axes) [m/s];  here: of external_loads.surrounded
    """
    row, plates = int(parts[PLATE_PLACE]), int(parts[PLATES])
    sun = to_body(y, u, three_at(sky, TO_SUN), 0)
    light = of_sunlight(parts, row, plates, sun, sky[PRESSURE])
    through_W = moved_vector(velocity, -1.0, three_at(here, WIND_NOW))
    air = of_air(parts, row, plates, to_body(y, u, through_W, 0), here[DENSITY_NOW])
    force = added(three_at(light, 0), three_at(air, 0))
    torque = added(three_at(light, 3), three_at(air, 3))
    return (force[0], force[1], force[2], torque[0], torque[1], torque[2])


@helper
def dipole_now(
    phases: Phases, y: Array, t: float, u: float, slope: Array, parts: Array, work: Array,
    here: Floats, omega: Floats,
) -> Floats:  # fmt: skip
    """Return the dipole of all parts [A m^2], three floats; write the slopes of magnetic ones."""
    dipole = moved_vector(three_at(work, DIPOLE), t, three_at(work, RATES + 6))
    if phases.magnetic(parts):
        field_B = to_body(y, u, here, FIELD_NOW)
        changes = moved_vector(to_body(y, u, here, FIELD_RATE_NOW), -1.0, cross(omega, field_B))
        dipole = added(dipole, phases.magnetize(ZERO, parts, y, slope, field_B, changes))
    return dipole


@helper
def loads_now(
    phases: Phases, y: Array, t: float, u: float, slope: Array, parts: Array, work: Array,
    sky: Array, here: Floats, omega: Floats,
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """Return force and torque about the centre of mass in body axes, and `pressed` of Kind.move.

    Without the wrench in world axes, and without the tide; three floats each. Arguments: of
    `slopes`.
    """
    force = moved_vector(three_at(work, FORCE), t, three_at(work, RATES))
    force = added(force, three_at(work, WRENCH))
    torque = moved_vector(three_at(work, TORQUE), t, three_at(work, RATES + 3))
    dipole = dipole_now(phases, y, t, u, slope, parts, work, here, omega)
    if dipole[0] != 0.0 or dipole[1] != 0.0 or dipole[2] != 0.0:
        torque = added(torque, cross(dipole, to_body(y, u, here, FIELD_NOW)))
    torque = added(torque, three_at(work, WRENCH + 3))
    # Without the gravity gradient a sky has no inertia; every body has one about x.
    turns = here[PULL] != 0.0 and sky[TURNED_INERTIA] != 0.0
    if turns:
        up_B, inertia = to_body(y, u, here, 0), six_at(sky, TURNED_INERTIA)
        torque = added(torque, gradient_torque(3.0 * here[PULL], inertia, up_B))
    if parts[PLATES] > 0.0:
        k = 1.0 / parts[MASS]
        pushed = on_plates(y, u, (k * y[7], k * y[8], k * y[9]), parts, sky, here)
        force = added(force, three_at(pushed, 0))
        torque = added(torque, three_at(pushed, 3))
    pressed = ZERO
    if moves(phases, parts):  # forces act at the origin, which is off the centre of mass
        fall = scaled(-parts[MASS], three_at(parts, GRAVITY))
        from_W = to_body(y, u, added(three_at(work, WRENCH + 6), fall), 0)
        pressed = scaled(1.0 / parts[MASS], added(force, from_W))
        lever = three_at(work, moving_origin.MOMENT)
        torque = moved_vector(torque, -1.0, cross(lever, pressed))
        if turns:
            up_B = to_body(y, u, here, 0)
            gained = moving_origin.gained_inertia(parts, work, parts[MASS])
            torque = added(torque, gradient_torque(3.0 * here[PULL], gained, up_B))
    return force, torque, pressed


@part
def slopes(
    phases: Phases, y: Array, t: float, slope: Array, parts: Array, work: Array, sky: Array,
    here: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Write the right-hand side dy/dt; return ω and dω/dt, three floats each, body axes.

    It also writes to `work` what the event functions need.

    y: (n,) state, values of the parts, BOOK. Arrays are pointers here and below.
    t: time since the step began [s];  work: of WORK, and rows of the parts
    sky: of core.environment.sky;  here: environment at this time, of external_loads.surrounded
    """
    book = int(parts[VALUES]) - BOOK_SIZE
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    u = 1.0 / (q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    L_B = body_momentum(y)
    inertia, omega = find_rates(phases, y, t, parts, work)
    force, torque, pressed = loads_now(phases, y, t, u, slope, parts, work, sky, here, omega)
    k = 1.0 / parts[MASS]
    velocity = (k * y[7], k * y[8], k * y[9])
    slope[0], slope[1], slope[2] = velocity
    slope[3], slope[4], slope[5], slope[6] = quaternion_rate(
        q0, q1, q2, q3, omega[0], omega[1], omega[2]
    )
    force_W = quaternion_sandwich(q0, q1, q2, q3, force[0], force[1], force[2])
    force_W = added(scaled(u, force_W), three_at(work, WRENCH + 6))
    if sky[PARAMETER] != 0.0:
        force_W = added(force_W, tide(here, parts[MASS], three_at(y, 0)))
    slope[7], slope[8], slope[9] = force_W
    torque_W = quaternion_sandwich(q0, q1, q2, q3, torque[0], torque[1], torque[2])
    slope[10], slope[11], slope[12] = added(scaled(u, torque_W), three_at(work, WRENCH + 9))
    w = three_at(work, WRENCH + 9)
    torque = moved_vector(torque, u, quaternion_sandwich(q0, -q1, -q2, -q3, w[0], w[1], w[2]))
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
