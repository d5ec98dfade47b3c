# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Elimination of the origin's velocity, for a spacecraft whose centre of mass moves inside.

ω is the angular velocity of the hub, v the velocity of its origin relative to the centre of mass
of the whole. Each internal part has a displacement ξ and its conjugate momentum p; in body axes:

    L = I ω + c × v + Σ J ξ' + h        p = J·ω + b·v + m ξ'
    0 = M v + ω × c + Σ b ξ'

I(ξ) is the inertia about the origin, c(ξ) the first moment of mass, J(ξ) and b(ξ) angular momentum
and momentum per unit of rate ξ', m the generalized mass. Eliminating every ξ' leaves six equations
for ω and v. Eliminating v leaves three for ω: a free part adds to the stored momentum and takes
from the inertia. So internal motion does not change L; only external torques do (L. Meirovitch,
Methods of Analytical Dynamics, 1970, chapter 4, in quasi-coordinates).

Kinds of parts take part in two phases. Attached parts have a mass that the inertia includes in
full (`attach`); suspended ones contribute along their rod only, or not at all (`suspend`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    nine_at,
    point_inertia_of,
    put_nine,
    put_six,
    put_three,
    scaled,
    six_at,
    subtracted,
    symmetric_added,
    symmetric_inverse,
    symmetric_times,
    three_at,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.core.parts.craft import CARRIED, HUB_MOMENT, REFERENCE, WORK
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.kind import Phases

VELOCITY, ACCELERATION, INVERSE, MIXED, MOMENTUM, MOMENT, INERTIA = WORK.places(
    'velocity_B', 'acceleration_B', 'inverse', 'mixed', 'momentum', 'moment', 'moved_inertia'
)
ZERO = (0.0, 0.0, 0.0)
SIX, NINE = (0.0,) * 6, (0.0,) * 9


@part
def reduced(
    phases: Phases, y: Array, parts: Array, work: Array, inertia: Floats, stored: Floats
) -> tuple[Floats, Floats]:
    """Return inertia and stored momentum after eliminating v and all ξ', six and three floats.

    It writes to `work` the values that the other functions need.

    inertia: of the hub and of wheels that do not turn freely, about the origin, six floats
    stored: angular momentum of wheels and gimbals, three floats
    """
    moment, mass = three_at(parts, HUB_MOMENT), parts[CARRIED]
    low = (mass, mass, mass, 0.0, 0.0, 0.0)
    moment, momentum, low, mixed, taken, moved, stored = phases.attach(
        (moment, ZERO, low, NINE, SIX, SIX, stored), parts, y, work
    )
    mixed = coupled(mixed, moment)
    inertia = symmetric_added(symmetric_added(inertia, moved), taken)
    inertia, stored, moment, momentum, low, mixed, moved = phases.suspend(
        (inertia, stored, moment, momentum, low, mixed, moved), parts, y, work
    )
    return without_velocity(work, inertia, stored, moment, momentum, low, mixed, moved)


@helper
def coupled(mixed: Floats, moment: Floats) -> Floats:
    """Return the block that couples ω and v, with c × v of hub and attached parts, nine floats.

    For pendulums the terms along their rods follow.
    """
    return (
        mixed[0], mixed[1] - moment[2], mixed[2] + moment[1],
        mixed[3] + moment[2], mixed[4], mixed[5] - moment[0],
        mixed[6] - moment[1], mixed[7] + moment[0], mixed[8],
    )  # fmt: skip


@helper
def without_velocity(
    work: Array, inertia: Floats, stored: Floats, moment: Floats, momentum: Floats, low: Floats,
    mixed: Floats, moved: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return inertia and stored momentum after eliminating v, too; write what it leaves."""
    put_six(work, INERTIA, moved, 0)
    inverse = symmetric_inverse(low)
    put_six(work, INVERSE, inverse, 0)
    put_nine(work, MIXED, mixed)
    put_three(work, MOMENTUM, momentum)
    put_three(work, MOMENT, moment)
    # minus mixed inverse mixed^T
    a = symmetric_times(inverse, (mixed[0], mixed[1], mixed[2]))
    b = symmetric_times(inverse, (mixed[3], mixed[4], mixed[5]))
    d = symmetric_times(inverse, (mixed[6], mixed[7], mixed[8]))
    first, second, third = turned(mixed, a), turned(mixed, b), turned(mixed, d)
    inertia = (
        inertia[0] - first[0], inertia[1] - second[1], inertia[2] - third[2],
        inertia[3] - first[1], inertia[4] - first[2], inertia[5] - second[2],
    )  # fmt: skip
    return inertia, added(stored, turned(mixed, symmetric_times(inverse, momentum)))


@helper
def origin_rate(work: Array, right: Floats, omega: Floats) -> Floats:
    """Return v (or dv/dt) that solves its equations, three floats.

    right: their right side;  omega: ω (or dω/dt)
    """
    rest = subtracted(right, turned_back(nine_at(work, MIXED), omega))
    return symmetric_times(six_at(work, INVERSE), rest)


@helper
def find_velocity(work: Array, omega: Floats) -> Floats:
    """Write v, and return it; call `reduced` first."""
    v = origin_rate(work, three_at(work, MOMENTUM), omega)
    put_three(work, VELOCITY, v)
    return v


@helper
def eliminated(work: Array, rest: Floats, push: Floats) -> Floats:
    """Return the right side for dω/dt after eliminating dv/dt; push: right side for dv/dt."""
    inverse = six_at(work, INVERSE)
    return subtracted(rest, turned(nine_at(work, MIXED), symmetric_times(inverse, push)))


@helper
def gained_inertia(parts: Array, work: Array, mass: float) -> Floats:
    """Return the inertia about the centre of mass minus that of the reference, six floats."""
    r = scaled(1.0 / mass, three_at(work, MOMENT))
    now = symmetric_added(six_at(work, INERTIA), point_inertia_of(-mass, r))
    six = six_at(parts, REFERENCE)
    return (
        now[0] - six[0], now[1] - six[1], now[2] - six[2], now[3] - six[3], now[4] - six[4],
        now[5] - six[5],
    )  # fmt: skip


@part
def energy(
    phases: Phases, y: Array, parts: Array, work: Array, omega: Floats
) -> tuple[float, float]:
    """Return kinetic energy, without ω·I ω / 2 of the hub, and elastic energy of springs [J]."""
    v = three_at(work, VELOCITY)
    twice, springs, moment = phases.attached_energy(
        (parts[CARRIED] * dot(v, v), 0.0, three_at(parts, HUB_MOMENT)), parts, y, work, omega, v
    )
    twice += 2.0 * dot(omega, cross(moment, v))
    return 0.5 * phases.suspended_energy(twice, parts, y, work, omega, v), springs


@part
def slopes(
    phases: Phases, y: Array, slope: Array, parts: Array, work: Array, omega: Floats,
    pressed: Floats, rest: Floats,
) -> tuple[Floats, Floats, float]:  # fmt: skip
    """Write dy/dt of internal parts; return right sides for dω/dt and dv/dt, and power lost.

    pressed: acceleration of the centre of mass by non-gravitational forces on the hub, three
        floats [m/s^2], body axes
    rest: right side for dω/dt of all else: torque - ω × L - changes of other stored momenta
    """
    v = three_at(work, VELOCITY)
    rest, push, heat, drifting = phases.move(
        (rest, ZERO, 0.0, ZERO), parts, y, slope, work, omega, v, pressed
    )
    rest = subtracted(rest, cross(drifting, v))
    push = subtracted(push, cross(omega, drifting))
    return phases.swing((rest, push, heat), parts, y, slope, work, omega, v, pressed)
