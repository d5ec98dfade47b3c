# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Internal parts in the compiled step: flexible modes, panels, sliding masses, pendulums, slugs.

ω is the angular velocity of the hub, v the velocity of its origin relative to the centre of mass
of the whole. Each part has a displacement ξ and its conjugate momentum p; all in body axes:

    L = I ω + c × v + Σ J ξ' + h        p = J·ω + b·v + m ξ'
    0 = M v + ω × c + Σ b ξ'            dp/dt = ∂T/∂ξ - k ξ - d ξ' - b·F/M

I(ξ) is the inertia about the origin, c(ξ) the first moment of mass, J(ξ) and b(ξ) angular momentum
and momentum per unit of rate ξ', m the generalized mass, k and d stiffness and damping, F the
force on the hub. Eliminating every ξ' leaves six equations for ω and v. Eliminating v leaves three
for ω: a free part adds to the stored momentum and subtracts from the inertia. So internal motion
does not change L; only external torques do (L. Meirovitch, Methods of Analytical Dynamics, 1970,
chapter 4, in quasi-coordinates).

A pendulum has a rod of direction e and length l, and the momentum s = l e × m u about its pivot a.
Its mass contributes to the inertia along the rod only, and has the velocity

    u = s × e / (m l) + e (e·v + a × e·ω)

A part that is held, at a stop or latched has no momentum p of its own; its constraint force tells
when it comes free.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.internal.hysteresis_rods import (
    VACUUM_PERMEABILITY,
    matching_rate,
    most_dipole,
    rod_dipole,
    rod_steps,
)
from spacecraft_attitude_sim.core.internal.layouts import (
    AT_HIGH,
    AT_LOW,
    CAUGHT,
    COORDINATE,
    COORDINATE_STATE,
    FREE,
    HELD,
    HINGE,
    HYSTERESIS_ROD,
    HYSTERESIS_ROD_STATE,
    LATCHED,
    LINE,
    MOVING,
    PENDULUM,
    PENDULUM_STATE,
    SLUG,
    SLUG_STATE,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    nine_at,
    norm,
    outer,
    put,
    scaled,
    six_at,
    subtracted,
    symmetric_solved,
    symmetric_times,
    three_at,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

COORDINATES, PENDULUMS, SLUGS, RODS = MOVING.places('coordinates', 'pendulums', 'slugs', 'rods')
HUB_MOMENT, CARRIED, GRAVITY = MOVING.places('hub_moment_B', 'carried_mass', 'gravity_W')
SWING, DRAIN, REFERENCE = MOVING.places('swing', 'drain', 'reference_B')
ROWS = MOVING.size
KIND, AXIS, POSITION, CENTER = COORDINATE.places('kind', 'axis_B', 'position_B', 'center_B')
OWN_INERTIA, COUPLING, DRIFT = COORDINATE.places('inertia_B', 'coupling_B', 'drift_B')
MASS, MOVED, STIFFNESS, DAMPING = COORDINATE.places('mass', 'moving', 'stiffness', 'damping')
REST, LOW, HIGH, LATCH = COORDINATE.places('rest', 'low', 'high', 'latch')
WAY, LATCH_STIFFNESS, LATCH_DAMPING = COORDINATE.places('way', 'latch_stiffness', 'latch_damping')
RELEASE = COORDINATE.at('release')
PIVOT, PENDULUM_MASS, LENGTH, SWING_DAMPING = PENDULUM.places()
SLUG_INERTIA, SLUG_DAMPING = SLUG.places()
COORDINATE_ROW, PENDULUM_ROW, SLUG_ROW = COORDINATE.size, PENDULUM.size, SLUG.size
COORDINATE_STATES, PENDULUM_STATES = COORDINATE_STATE.size, PENDULUM_STATE.size
SLUG_STATES, ROD_ROW, ROD_STATES = SLUG_STATE.size, HYSTERESIS_ROD.size, HYSTERESIS_ROD_STATE.size
# Integrated values of a coordinate: displacement and conjugate momentum.
COORDINATE_VALUES = 2

# Working memory of a step: velocity of the origin relative to the centre of mass and its rate of
# change, body axes; of the six equations the inverse of the v block, the block that couples ω and
# v, and the right side of v; first moment of all mass; inertia of the parts about the origin.
WORK = Layout(
    velocity_B=3, acceleration_B=3, inverse=6, mixed=9, momentum=3, moment=3, inertia=6
)  # fmt: skip
VELOCITY, ACCELERATION, INVERSE, MIXED, MOMENTUM, MOMENT, INERTIA = WORK.places()
OF_COORDINATES = WORK.size
# Then for each coordinate: its mode, displacement and rate, angular momentum and momentum per unit
# of rate, and its constraint force where it is held.
COORDINATE_WORK = Layout(how=1, displacement=1, rate=1, turning=3, drift=3, force=1)
HOW, DISPLACED, SPEED, TURNING, DRIFTING, FORCE = COORDINATE_WORK.places()
WORK_ROW = COORDINATE_WORK.size
# Largest phase of the fastest oscillation [rad], and largest part of a rate that damping may take,
# in one step.
LARGEST_SWING, LARGEST_DRAIN = 1.0 / 64.0, 0.125
ZERO = (0.0, 0.0, 0.0)


def steps_for(swing: float, drain: float, duration: float) -> float:
    """Return the number of steps for an oscillation [rad/s] and a damping rate [1/s]."""
    return max(swing * duration / LARGEST_SWING, drain * duration / LARGEST_DRAIN)


@helper
def values(parts: Array, row: int) -> int:
    """Return the number of integrated values; row: where MOVING begins in `parts`."""
    return (
        int(parts[row + COORDINATES]) * COORDINATE_VALUES
        + int(parts[row + PENDULUMS]) * PENDULUM_STATES
        + int(parts[row + SLUGS]) * SLUG_STATES
        + int(parts[row + RODS]) * ROD_STATES
    )


@helper
def rods(parts: Array, row: int, at: int) -> tuple[int, int]:
    """Return where the hysteresis rods begin in `parts` and in y."""
    coordinates, pendulums = int(parts[row + COORDINATES]), int(parts[row + PENDULUMS])
    slugs = int(parts[row + SLUGS])
    return (
        row + ROWS + coordinates * COORDINATE_ROW + pendulums * PENDULUM_ROW + slugs * SLUG_ROW,
        at + coordinates * COORDINATE_VALUES + pendulums * PENDULUM_STATES + slugs * SLUG_STATES,
    )


@part
def magnetised(
    y: Array, slope: Array, field_B: Floats, rate_B: Floats, parts: Array, row: int, at: int
) -> Floats:
    """Write dy/dt of hysteresis rods, and return their total dipole, three floats [A m^2].

    field_B, rate_B: field at the rods and its rate of change seen from the body, three floats each
        [T, T/s], body axes
    """
    of, k = rods(parts, row, at)
    dipole = ZERO
    for _ in range(int(parts[row + RODS])):
        axis = three_at(parts, of)
        along, changed = dot(axis, field_B), dot(axis, rate_B)
        slope[k] = matching_rate(
            parts, of, y[k], along / VACUUM_PERMEABILITY, changed / VACUUM_PERMEABILITY
        )
        dipole = moved_vector(dipole, rod_dipole(parts, of, y[k]), axis)
        of, k = of + ROD_ROW, k + ROD_STATES
    return dipole


@helper
def magnetic_limits(
    parts: Array, row: int, fastest: float, duration: float
) -> tuple[float, float]:
    """Return a bound of the rods' total dipole [A m^2], and the steps that their loops need.

    fastest: bound of the field's rate of change seen from the body [T/s];  duration: [s]
    """
    of, _ = rods(parts, row, 0)
    dipole = steps = 0.0
    for _ in range(int(parts[row + RODS])):
        dipole += most_dipole(parts, of)
        steps = max(steps, rod_steps(parts, of, fastest / VACUUM_PERMEABILITY, duration))
        of += ROD_ROW
    return dipole, steps


@helper
def work_size(parts: Array, row: int) -> int:
    """Return the size of the internal parts' working memory."""
    return OF_COORDINATES + int(parts[row + COORDINATES]) * WORK_ROW


@helper
def is_free(how: float) -> bool:
    """Return whether a coordinate moves; how: its mode."""
    return how in (FREE, CAUGHT)


@helper
def _swung(parts: Array, row: int, angle: float, v: Floats) -> Floats:
    """Return a panel-fixed vector v after the panel has turned about its hinge by `angle`."""
    axis = three_at(parts, row + AXIS)
    c, s = math.cos(angle), math.sin(angle)
    along = scaled((1.0 - c) * dot(axis, v), axis)
    return added(along, moved_vector(scaled(c, v), s, cross(axis, v)))


@helper
def _own_inertia(parts: Array, row: int, angle: float) -> Floats:
    """Return a panel's inertia about its centre of mass at an angle, six floats, body axes."""
    c, s = math.cos(angle), math.sin(angle)
    k = 1.0 - c
    x, y, z = parts[row + AXIS], parts[row + AXIS + 1], parts[row + AXIS + 2]
    R = (
        c + k * x * x, k * x * y - s * z, k * x * z + s * y,
        k * x * y + s * z, c + k * y * y, k * y * z - s * x,
        k * x * z - s * y, k * y * z + s * x, c + k * z * z,
    )  # fmt: skip
    six = six_at(parts, row + OWN_INERTIA)
    a = symmetric_times(six, (R[0], R[1], R[2]))  # I times the rows of R: columns of I R^T
    b = symmetric_times(six, (R[3], R[4], R[5]))
    d = symmetric_times(six, (R[6], R[7], R[8]))
    first, second, third = turned(R, a), turned(R, b), turned(R, d)
    return (first[0], second[1], third[2], first[1], first[2], second[2])


@helper
def _point_inertia(mass: float, r: Floats) -> Floats:
    """Return the inertia m (|r|² 1 - r r^T) of a point mass, six floats."""
    return (
        mass * (r[1] * r[1] + r[2] * r[2]), mass * (r[0] * r[0] + r[2] * r[2]),
        mass * (r[0] * r[0] + r[1] * r[1]), -mass * r[0] * r[1], -mass * r[0] * r[2],
        -mass * r[1] * r[2],
    )  # fmt: skip


@helper
def _six_added(a: Floats, b: Floats) -> Floats:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@helper
def _place(parts: Array, row: int, displacement: float) -> Floats:
    """Return the position of the mass of a panel or sliding mass, three floats [m], body axes."""
    position = three_at(parts, row + POSITION)
    if parts[row + KIND] == HINGE:
        return added(position, _swung(parts, row, displacement, three_at(parts, row + CENTER)))
    return moved_vector(position, displacement, three_at(parts, row + AXIS))


@helper
def _momenta(parts: Array, row: int, displacement: float, r: Floats) -> tuple[Floats, Floats]:
    """Return J and b, angular momentum and momentum per unit of rate, three floats each.

    r: of `_place`
    """
    kind = parts[row + KIND]
    axis = three_at(parts, row + AXIS)
    if kind == HINGE:
        arm = subtracted(r, three_at(parts, row + POSITION))
        drift = scaled(parts[row + MASS], cross(axis, arm))
        spin = symmetric_times(six_at(parts, row + OWN_INERTIA), axis)
        return added(_swung(parts, row, displacement, spin), cross(r, drift)), drift
    if kind == LINE:
        drift = scaled(parts[row + MASS], axis)
        return cross(three_at(parts, row + POSITION), drift), drift
    return three_at(parts, row + COUPLING), three_at(parts, row + DRIFT)


@helper
def _six_inverse(S: Floats) -> Floats:
    """Return the inverse of a symmetric matrix, six floats."""
    x = symmetric_solved(S, (1.0, 0.0, 0.0))
    y = symmetric_solved(S, (0.0, 1.0, 0.0))
    z = symmetric_solved(S, (0.0, 0.0, 1.0))
    return (x[0], y[1], z[2], x[1], x[2], y[2])


@part
def reduced(
    y: Array, parts: Array, work: Array, row: int, at: int, own: int, inertia: Floats,
    stored: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return inertia and stored momentum after eliminating v and all ξ', six and three floats.

    It writes to `work` the values that the other functions need.

    row, at, own: where the internal parts begin in parts, y and work
    inertia: of the hub and of wheels that do not turn freely, about the origin, six floats
    stored: angular momentum of wheels and gimbals, three floats
    """
    moment, mass = three_at(parts, row + HUB_MOMENT), parts[row + CARRIED]
    momentum = ZERO
    low = (mass, mass, mass, 0.0, 0.0, 0.0)
    mixed = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    taken = moved = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    of, k = row + ROWS, at
    for j in range(int(parts[row + COORDINATES])):
        mine = own + OF_COORDINATES + j * WORK_ROW
        x, p = y[k], y[k + 1]
        r = _place(parts, of, x)
        m = parts[of + MASS]
        if m > 0.0:
            moved = _six_added(moved, _point_inertia(m, r))
            moment = moved_vector(moment, m, r)
            if parts[of + KIND] == HINGE:
                moved = _six_added(moved, _own_inertia(parts, of, x))
        else:
            moment = moved_vector(moment, x, three_at(parts, of + DRIFT))
        turning, drift = _momenta(parts, of, x, r)
        put(work, mine + TURNING, turning)
        put(work, mine + DRIFTING, drift)
        work[mine + DISPLACED] = x
        if is_free(work[mine + HOW]):
            less = 1.0 / parts[of + MOVED]
            taken = _six_added(taken, outer(turning, turning, -less, 0.0, 0.0))
            low = _six_added(low, outer(drift, drift, -less, 0.0, 0.0))
            mixed = _nine_added(mixed, -less, turning, drift)
            stored = moved_vector(stored, p * less, turning)
            momentum = moved_vector(momentum, -p * less, drift)
        of, k = of + COORDINATE_ROW, k + COORDINATE_VALUES
    # c × v of hub and coordinates; for pendulums the terms along their rods follow.
    mixed = (
        mixed[0], mixed[1] - moment[2], mixed[2] + moment[1],
        mixed[3] + moment[2], mixed[4], mixed[5] - moment[0],
        mixed[6] - moment[1], mixed[7] + moment[0], mixed[8],
    )  # fmt: skip
    inertia = _six_added(_six_added(inertia, moved), taken)
    for _ in range(int(parts[row + PENDULUMS])):
        a, m, length = three_at(parts, of), parts[of + PENDULUM_MASS], parts[of + LENGTH]
        e, s = three_at(y, k), three_at(y, k + 3)
        n = cross(a, e)
        swung = scaled(1.0 / length, cross(s, e))
        inertia = _six_added(inertia, outer(n, n, m, 0.0, 0.0))
        mixed = _nine_added(mixed, m, n, e)
        low = _six_added(low, outer(e, e, m, 0.0, 0.0))
        r = moved_vector(a, length, e)
        stored = added(stored, cross(r, swung))
        momentum = subtracted(momentum, swung)
        moment = moved_vector(moment, m, r)
        moved = _six_added(moved, _point_inertia(m, r))
        of, k = of + PENDULUM_ROW, k + PENDULUM_STATES
    put(work, own + INERTIA, moved)
    for _ in range(int(parts[row + SLUGS])):
        stored = added(stored, three_at(y, k))
        of, k = of + SLUG_ROW, k + SLUG_STATES
    inverse = _six_inverse(low)
    put(work, own + INVERSE, inverse)
    put(work, own + MIXED, mixed)
    put(work, own + MOMENTUM, momentum)
    put(work, own + MOMENT, moment)
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
def _nine_added(C: Floats, s: float, a: Floats, b: Floats) -> Floats:
    """Return C + s a b^T, nine floats."""
    x, y, z = s * a[0], s * a[1], s * a[2]
    return (
        C[0] + x * b[0], C[1] + x * b[1], C[2] + x * b[2],
        C[3] + y * b[0], C[4] + y * b[1], C[5] + y * b[2],
        C[6] + z * b[0], C[7] + z * b[1], C[8] + z * b[2],
    )  # fmt: skip


@helper
def _origin_from(work: Array, own: int, right: Floats, omega: Floats) -> Floats:
    """Return v (or dv/dt) that solves its equations, three floats; right: their right side."""
    rest = subtracted(right, turned_back(nine_at(work, own + MIXED), omega))
    return symmetric_times(six_at(work, own + INVERSE), rest)


@part
def find_rates(
    y: Array, omega: Floats, parts: Array, work: Array, row: int, at: int, own: int
) -> None:
    """Write v and the rates of coordinates from ω; call `reduced` first."""
    v = _origin_from(work, own, three_at(work, own + MOMENTUM), omega)
    put(work, own + VELOCITY, v)
    of, k = row + ROWS, at
    for j in range(int(parts[row + COORDINATES])):
        mine = own + OF_COORDINATES + j * WORK_ROW
        rate = 0.0
        if is_free(work[mine + HOW]):
            turning, drift = three_at(work, mine + TURNING), three_at(work, mine + DRIFTING)
            rate = (y[k + 1] - dot(turning, omega) - dot(drift, v)) / parts[of + MOVED]
        work[mine + SPEED] = rate
        of, k = of + COORDINATE_ROW, k + COORDINATE_VALUES


@helper
def gained_inertia(parts: Array, work: Array, row: int, own: int, mass: float) -> Floats:
    """Return the inertia about the centre of mass minus that of the reference, six floats."""
    r = scaled(1.0 / mass, three_at(work, own + MOMENT))
    found = _six_added(six_at(work, own + INERTIA), _point_inertia(-mass, r))
    six = six_at(parts, row + REFERENCE)
    return (
        found[0] - six[0], found[1] - six[1], found[2] - six[2], found[3] - six[3],
        found[4] - six[4], found[5] - six[5],
    )  # fmt: skip


@helper
def spring(parts: Array, of: int, how: float, displacement: float) -> float:
    """Return the spring force on a coordinate [N or N m]; when caught, with the latch's spring."""
    force = -parts[of + STIFFNESS] * (displacement - parts[of + REST])
    if how == CAUGHT:
        force -= parts[of + LATCH_STIFFNESS] * (displacement - parts[of + LATCH])
    return force


@helper
def damping_of(parts: Array, of: int, how: float) -> float:
    """Return the damping coefficient of a coordinate; when caught, with the latch's damper."""
    if how == CAUGHT:
        return parts[of + DAMPING] + parts[of + LATCH_DAMPING]
    return parts[of + DAMPING]


@helper
def _inertia_slope(parts: Array, of: int, x: float, r: Floats, omega: Floats) -> Floats:
    """Return dI/dξ ω, three floats."""
    kind, axis = parts[of + KIND], three_at(parts, of + AXIS)
    if kind != HINGE and kind != LINE:
        return ZERO
    d, found = axis, ZERO
    if kind == HINGE:
        d = cross(axis, subtracted(r, three_at(parts, of + POSITION)))
        six = _own_inertia(parts, of, x)
        back = symmetric_times(six, cross(axis, omega))
        found = subtracted(cross(axis, symmetric_times(six, omega)), back)
    m = parts[of + MASS]
    found = moved_vector(found, 2.0 * m * dot(r, d), omega)
    found = moved_vector(found, -m * dot(r, omega), d)
    return moved_vector(found, -m * dot(d, omega), r)


@helper
def _momenta_slopes(parts: Array, of: int, x: float, r: Floats) -> tuple[Floats, Floats]:
    """Return dJ/dξ and db/dξ, three floats each."""
    if parts[of + KIND] != HINGE:
        return ZERO, ZERO
    axis = three_at(parts, of + AXIS)
    m = parts[of + MASS]
    d = cross(axis, subtracted(r, three_at(parts, of + POSITION)))
    more = scaled(m, cross(axis, d))
    spin = symmetric_times(six_at(parts, of + OWN_INERTIA), axis)
    turned_spin = cross(axis, _swung(parts, of, x, spin))
    return added(turned_spin, cross(r, more)), more


@part
def slopes(
    y: Array, slope: Array, omega: Floats, pressed: Floats, rest: Floats, parts: Array,
    work: Array, row: int, at: int, own: int,
) -> tuple[Floats, Floats, float]:  # fmt: skip
    """Write dy/dt of internal parts; return right sides for dω/dt and dv/dt, and power lost.

    The right sides (three floats each) are those of the six equations after eliminating ξ''. Call
    `find_rates` first.

    pressed: acceleration of the centre of mass by non-gravitational forces on the hub, three
        floats [m/s^2], body axes
    rest: right side for dω/dt of all else: torque - ω × L - changes of other stored momenta
    """
    v = three_at(work, own + VELOCITY)
    push, heat = ZERO, 0.0
    drifting = ZERO  # dc/dt
    of, k = row + ROWS, at
    for j in range(int(parts[row + COORDINATES])):
        mine = own + OF_COORDINATES + j * WORK_ROW
        how, x, rate = work[mine + HOW], work[mine + DISPLACED], work[mine + SPEED]
        slope[k] = rate
        slope[k + 1] = 0.0
        turning, drift = three_at(work, mine + TURNING), three_at(work, mine + DRIFTING)
        r = _place(parts, of, x)
        wider = _inertia_slope(parts, of, x, r, omega)
        force = spring(parts, of, how, x) - dot(drift, pressed)
        force += 0.5 * dot(omega, wider) + dot(omega, cross(drift, v))
        if is_free(how):
            damping = damping_of(parts, of, how)
            heat += damping * rate * rate
            turning_slope, drift_slope = _momenta_slopes(parts, of, x, r)
            along = dot(turning_slope, omega) + dot(drift_slope, v)
            force -= damping * rate
            slope[k + 1] = force + rate * along
            gained = force / parts[of + MOVED]  # without the change of J and b, rate × along
            rest = moved_vector(rest, -rate, wider)
            rest = moved_vector(rest, -rate * rate, turning_slope)
            rest = moved_vector(rest, -gained, turning)
            push = moved_vector(push, -rate * rate, drift_slope)
            push = moved_vector(push, -gained, drift)
            drifting = moved_vector(drifting, rate, drift)
        work[mine + FORCE] = force  # where it is held, `find_forces` makes it the constraint force
        of, k = of + COORDINATE_ROW, k + COORDINATE_VALUES
    rest = subtracted(rest, cross(drifting, v))
    push = subtracted(push, cross(omega, drifting))
    for _ in range(int(parts[row + PENDULUMS])):
        a, m, length = three_at(parts, of), parts[of + PENDULUM_MASS], parts[of + LENGTH]
        e, s = three_at(y, k), three_at(y, k + 3)
        n, swung = cross(a, e), cross(s, e)
        along = dot(e, v) + dot(n, omega)
        u = moved_vector(scaled(1.0 / (m * length), swung), along, e)
        pivot = added(v, cross(omega, a))
        gone = moved_vector(cross(e, omega), 1.0 / length, subtracted(u, pivot))  # de/dt
        rate = cross(e, gone)
        gained = added(cross(s, omega), scaled(m, cross(u, pivot)))
        gained = moved_vector(gained, -m * length, cross(e, pressed))
        gained = moved_vector(gained, -parts[of + SWING_DAMPING], rate)
        heat += parts[of + SWING_DAMPING] * dot(rate, rate)
        put(slope, k, gone)
        put(slope, k + 3, gained)
        turn = cross(a, gone)
        changed = scaled(1.0 / length, added(cross(gained, e), cross(s, gone)))
        more = dot(gone, v) + dot(turn, omega)
        push = subtracted(push, changed)
        push = moved_vector(push, -m * along, gone)
        push = moved_vector(push, -m * more, e)
        rest = subtracted(rest, cross(gone, swung))
        rest = subtracted(rest, cross(moved_vector(a, length, e), changed))
        rest = moved_vector(rest, -m * along, turn)
        rest = moved_vector(rest, -m * more, n)
        of, k = of + PENDULUM_ROW, k + PENDULUM_STATES
    for _ in range(int(parts[row + SLUGS])):
        s, c = three_at(y, k), parts[of + SLUG_DAMPING]
        slip = moved_vector(scaled(1.0 / parts[of + SLUG_INERTIA], s), -1.0, omega)
        gained = moved_vector(cross(s, omega), -c, slip)
        heat += c * dot(slip, slip)
        put(slope, k, gained)
        rest = subtracted(rest, gained)
        of, k = of + SLUG_ROW, k + SLUG_STATES
    return rest, push, heat


@helper
def turning_rest(work: Array, own: int, rest: Floats, push: Floats) -> Floats:
    """Return the right side for dω/dt after eliminating dv/dt; rest, push: of `slopes`."""
    inverse = six_at(work, own + INVERSE)
    return subtracted(rest, turned(nine_at(work, own + MIXED), symmetric_times(inverse, push)))


@part
def find_forces(
    alpha: Floats, push: Floats, parts: Array, work: Array, row: int, own: int
) -> None:
    """Write dv/dt and the constraint forces of held coordinates; alpha: dω/dt.

    push: right side of `slopes` for dv/dt
    """
    gained = _origin_from(work, own, push, alpha)
    put(work, own + ACCELERATION, gained)
    for j in range(int(parts[row + COORDINATES])):
        mine = own + OF_COORDINATES + j * WORK_ROW
        if not is_free(work[mine + HOW]):
            turning, drift = three_at(work, mine + TURNING), three_at(work, mine + DRIFTING)
            carried = dot(turning, alpha) + dot(drift, gained)
            work[mine + FORCE] = carried - work[mine + FORCE]


@helper
def excess(parts: Array, work: Array, row: int, own: int, j: int) -> float:
    """Event function of coordinate j: positive when it must change its mode.

    Free: it passes a stop or its latch. At a stop: the constraint force would pull.
    """
    of, mine = row + ROWS + j * COORDINATE_ROW, own + OF_COORDINATES + j * WORK_ROW
    how, x = work[mine + HOW], work[mine + DISPLACED]
    if how == FREE:
        over = max(x - parts[of + HIGH], parts[of + LOW] - x)
        return max(over, parts[of + WAY] * (x - parts[of + LATCH]))
    if how == AT_HIGH:
        return work[mine + FORCE]
    if how == AT_LOW:
        return -work[mine + FORCE]
    return -1.0


@helper
def change(y: Array, parts: Array, work: Array, row: int, at: int, own: int, j: int) -> bool:
    """Change the mode of coordinate j at an event; return whether that brings it to rest."""
    of, mine = row + ROWS + j * COORDINATE_ROW, own + OF_COORDINATES + j * WORK_ROW
    k, how = at + j * COORDINATE_VALUES, work[mine + HOW]
    if how != FREE:
        work[mine + HOW] = FREE
        return False
    x = work[mine + DISPLACED]
    above, below = x - parts[of + HIGH], parts[of + LOW] - x
    if parts[of + WAY] * (x - parts[of + LATCH]) >= max(above, below):
        if parts[of + LATCH_STIFFNESS] > 0.0:
            work[mine + HOW] = CAUGHT
            return False
        work[mine + HOW], y[k] = LATCHED, parts[of + LATCH]
    elif above >= below:
        work[mine + HOW], y[k] = AT_HIGH, parts[of + HIGH]
    else:
        work[mine + HOW], y[k] = AT_LOW, parts[of + LOW]
    return True


@helper
def until_release(parts: Array, work: Array, row: int, own: int, now: float) -> float:
    """Return the time until the next held coordinate is released [s]; now: orbit time [s]."""
    soonest = math.inf
    for j in range(int(parts[row + COORDINATES])):
        of, mine = row + ROWS + j * COORDINATE_ROW, own + OF_COORDINATES + j * WORK_ROW
        if work[mine + HOW] == HELD:
            soonest = min(soonest, parts[of + RELEASE] - now)
    return soonest


@helper
def let_go(parts: Array, work: Array, row: int, own: int, now: float, soon: float) -> None:
    """Free held coordinates whose release is due within `soon` [s]."""
    for j in range(int(parts[row + COORDINATES])):
        of, mine = row + ROWS + j * COORDINATE_ROW, own + OF_COORDINATES + j * WORK_ROW
        if work[mine + HOW] == HELD and parts[of + RELEASE] - now <= soon:
            work[mine + HOW] = FREE


@helper
def hold(y: Array, omega: Floats, parts: Array, work: Array, row: int, at: int, own: int) -> None:
    """Set p of constrained coordinates from ω and v; restore |e| = 1 and s·e = 0 of pendulums."""
    v = three_at(work, own + VELOCITY)
    k = at
    for j in range(int(parts[row + COORDINATES])):
        mine = own + OF_COORDINATES + j * WORK_ROW
        if not is_free(work[mine + HOW]):
            turning, drift = three_at(work, mine + TURNING), three_at(work, mine + DRIFTING)
            y[k + 1] = dot(turning, omega) + dot(drift, v)
        k += COORDINATE_VALUES
    for _ in range(int(parts[row + PENDULUMS])):
        e, s = three_at(y, k), three_at(y, k + 3)
        e = scaled(1.0 / norm(e), e)
        put(y, k, e)
        put(y, k + 3, moved_vector(s, -dot(s, e), e))
        k += PENDULUM_STATES


@part
def energy(
    y: Array, omega: Floats, parts: Array, work: Array, row: int, at: int, own: int
) -> tuple[float, float]:
    """Return kinetic energy, without ω·I ω / 2 of the hub, and elastic energy of springs [J]."""
    v = three_at(work, own + VELOCITY)
    twice = parts[row + CARRIED] * dot(v, v)
    moment = three_at(parts, row + HUB_MOMENT)
    springs = 0.0
    of, k = row + ROWS, at
    for j in range(int(parts[row + COORDINATES])):
        mine = own + OF_COORDINATES + j * WORK_ROW
        how, x, rate = work[mine + HOW], y[k], work[mine + SPEED]
        turning, drift = three_at(work, mine + TURNING), three_at(work, mine + DRIFTING)
        if parts[of + MASS] > 0.0:
            r = _place(parts, of, x)
            moment = moved_vector(moment, parts[of + MASS], r)
            twice += dot(omega, symmetric_times(_point_inertia(parts[of + MASS], r), omega))
            if parts[of + KIND] == HINGE:
                twice += dot(omega, symmetric_times(_own_inertia(parts, of, x), omega))
        else:
            moment = moved_vector(moment, x, drift)
        twice += 2.0 * rate * (dot(turning, omega) + dot(drift, v))
        twice += parts[of + MOVED] * rate * rate
        off = x - parts[of + REST]
        springs += 0.5 * parts[of + STIFFNESS] * off * off
        if how == CAUGHT:
            off = x - parts[of + LATCH]
            springs += 0.5 * parts[of + LATCH_STIFFNESS] * off * off
        of, k = of + COORDINATE_ROW, k + COORDINATE_VALUES
    twice += 2.0 * dot(omega, cross(moment, v))
    for _ in range(int(parts[row + PENDULUMS])):
        a, m, length = three_at(parts, of), parts[of + PENDULUM_MASS], parts[of + LENGTH]
        e, s = three_at(y, k), three_at(y, k + 3)
        swung = scaled(1.0 / length, cross(s, e))
        along = dot(e, v) + dot(cross(a, e), omega)
        twice += dot(swung, swung) / m + m * along * along
        of, k = of + PENDULUM_ROW, k + PENDULUM_STATES
    for _ in range(int(parts[row + SLUGS])):
        s = three_at(y, k)
        twice += dot(s, s) / parts[of + SLUG_INERTIA]
        of, k = of + SLUG_ROW, k + SLUG_STATES
    return 0.5 * twice, springs


@part
def rates(
    y: Array, omega: Floats, parts: Array, work: Array, row: int, at: int, own: int
) -> Array:
    """Return rates relative to the body (K + 3 P + 3 S,); call `find_rates` first.

    Coordinates [m/s or rad/s], masses of pendulums [m/s], slugs [rad/s].
    """
    coordinates, pendulums = int(parts[row + COORDINATES]), int(parts[row + PENDULUMS])
    found = np.zeros(coordinates + 3 * (pendulums + int(parts[row + SLUGS])))
    v = three_at(work, own + VELOCITY)
    for j in range(coordinates):
        found[j] = work[own + OF_COORDINATES + j * WORK_ROW + SPEED]
    of, k, j = row + ROWS + coordinates * COORDINATE_ROW, at + 2 * coordinates, coordinates
    for _ in range(pendulums):
        a, m, length = three_at(parts, of), parts[of + PENDULUM_MASS], parts[of + LENGTH]
        e, s = three_at(y, k), three_at(y, k + 3)
        along = dot(e, v) + dot(cross(a, e), omega)
        u = moved_vector(scaled(1.0 / (m * length), cross(s, e)), along, e)
        whole = added(v, cross(omega, moved_vector(a, length, e)))
        put(found, j, subtracted(u, whole))
        of, k, j = of + PENDULUM_ROW, k + PENDULUM_STATES, j + 3
    for _ in range(int(parts[row + SLUGS])):
        slip = moved_vector(scaled(1.0 / parts[of + SLUG_INERTIA], three_at(y, k)), -1.0, omega)
        put(found, j, slip)
        of, k, j = of + SLUG_ROW, k + SLUG_STATES, j + 3
    return found


@helper
def fastest(
    y: Array, omega: Floats, pressed: float, parts: Array, row: int, at: int
) -> tuple[float, float]:
    """Return bounds of the fastest oscillation [rad/s] and of the fastest damping rate [1/s].

    pressed: magnitude of the centre of mass's acceleration by forces on the hub [m/s^2]
    """
    swing, drain = parts[row + SWING], parts[row + DRAIN]
    coordinates = int(parts[row + COORDINATES])
    of = row + ROWS + coordinates * COORDINATE_ROW
    k = at + coordinates * COORDINATE_VALUES
    spin = norm(omega)
    for _ in range(int(parts[row + PENDULUMS])):
        m, length = parts[of + PENDULUM_MASS], parts[of + LENGTH]
        arm = norm(three_at(parts, of)) + length
        pull = pressed + spin * spin * arm
        swing = max(swing, 2.0 * math.sqrt(pull / length))
        swing = max(swing, norm(three_at(y, k + 3)) / (m * length * length))
        of, k = of + PENDULUM_ROW, k + PENDULUM_STATES
    return swing, drain


@part
def load(
    internal: Array, y: Array, parts: Array, work: Array, row: int, state: int, at: int, own: int
) -> None:
    """Write y and `work` from internal states; state: where the internal parts' states begin."""
    i, k = state, at
    for j in range(int(parts[row + COORDINATES])):
        y[k], y[k + 1] = internal[i], internal[i + 1]
        work[own + OF_COORDINATES + j * WORK_ROW + HOW] = internal[i + 2]
        i, k = i + COORDINATE_STATES, k + COORDINATE_VALUES
    for _ in range(at + values(parts, row) - k):
        y[k] = internal[i]
        i, k = i + 1, k + 1


@part
def keep(
    internal: Array, y: Array, parts: Array, work: Array, row: int, state: int, at: int, own: int
) -> None:
    """Write internal states from y and `work`."""
    i, k = state, at
    for j in range(int(parts[row + COORDINATES])):
        internal[i], internal[i + 1] = y[k], y[k + 1]
        internal[i + 2] = work[own + OF_COORDINATES + j * WORK_ROW + HOW]
        i, k = i + COORDINATE_STATES, k + COORDINATE_VALUES
    for _ in range(at + values(parts, row) - k):
        internal[i] = y[k]
        i, k = i + 1, k + 1
