# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parts with one displacement ξ in the compiled step: flexible modes, panels, sliding masses.

p is the momentum conjugate to ξ; J, b and the inertia I(ξ) are those of shapes.py, m the
generalized mass, k and d stiffness and damping, F the force on the hub, M the whole mass:

    p = J·ω + b·v + m ξ'        dp/dt = ∂T/∂ξ - k ξ - d ξ' - b·F/M

A coordinate that is held, at a stop or latched has no momentum p of its own; its constraint force
tells when it comes free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    moved_vector,
    outer,
    point_inertia_of,
    product_added,
    put,
    put_six,
    put_three,
    six_at,
    symmetric_added,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.core.parts.coordinates import shapes
from spacecraft_attitude_sim.core.parts.coordinates.layouts import (
    AT_HIGH,
    AT_LOW,
    CAUGHT,
    COORDINATE,
    COORDINATE_STATE,
    FREE,
    HELD,
    HINGE,
    LATCHED,
    MODE,
)
from spacecraft_attitude_sim.core.parts.kind import CAME_TO_REST, CHANGED, Kind
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

# Working memory: mode, displacement and rate; J and b; constraint force where it is held; cosine
# and sine of a panel's angle, and its inertia about its centre of mass.
MOVING = Layout(
    how=1, displacement=1, rate=1, turning=3, drift=3, force=1, turn=2, own_inertia=6
)  # fmt: skip
ROW, STATES, WORK_ROW, VALUES = COORDINATE.size, COORDINATE_STATE.size, MOVING.size, 2
SHAPE, MASS, MOVED, STIFFNESS, DAMPING = COORDINATE.places(
    'kind', 'mass', 'moving', 'stiffness', 'damping'
)
REST, LOW, HIGH, LATCH = COORDINATE.places('rest', 'low', 'high', 'latch')
WAY, LATCH_STIFFNESS, LATCH_DAMPING = COORDINATE.places('way', 'latch_stiffness', 'latch_damping')
RELEASE, DRIFT_B = COORDINATE.places('release', 'drift_B')
HOW, DISPLACED, SPEED, TURNING, DRIFTING, FORCE, TURN, OWN_INERTIA = MOVING.places()
HOW_STATE = COORDINATE_STATE.at('how')


@helper
def is_free(how: float) -> bool:
    """Return whether a coordinate moves; how: its mode."""
    return how in (FREE, CAUGHT)


@helper
def load(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write y and work when a tick begins; see Kind."""
    for j in range(at.number):
        value, state = at.value + j * VALUES, at.state + j * STATES
        y[value], y[value + 1] = internal[state], internal[state + 1]
        work[at.work + j * WORK_ROW + HOW] = internal[state + HOW_STATE]


@helper
def keep(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write internal states when a tick ends; see Kind."""
    for j in range(at.number):
        value, state = at.value + j * VALUES, at.state + j * STATES
        internal[state], internal[state + 1] = y[value], y[value + 1]
        internal[state + HOW_STATE] = work[at.work + j * WORK_ROW + HOW]


@helper
def attach(
    at: Place,
    sums: tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats],
    parts: Array,
    y: Array,
    work: Array,
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
    """Add the coordinates' masses, and write J and b; see equations.multibody.moving_origin."""
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        kind, free = parts[row + SHAPE], is_free(work[own + HOW])
        put(work, own + TURN, shapes.turn_of(kind, y[value]))
        sums = attach_one(kind, free, sums, parts, row, y, value, work, own)
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES
    return sums


@helper
def attach_one(
    kind: float, free: bool,
    sums: tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats],
    parts: Array, row: int, y: Array, value: int, work: Array, own: int,
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]:  # fmt: skip
    """Do what `attach` does for one coordinate whose TURN is written.

    kind: of layouts.COORDINATE;  free: whether it moves
    row, value, own: where it is in parts, y and work
    """
    moment, momentum, low, mixed, taken, moved, stored = sums
    x, p, m = y[value], y[value + 1], parts[row + MASS]
    turn = work[own + TURN], work[own + TURN + 1]
    r = shapes.place(kind, parts, row, x, turn)
    if kind == MODE:
        moment = moved_vector(moment, x, three_at(parts, row + DRIFT_B))
    else:
        moved = symmetric_added(moved, point_inertia_of(m, r))
        moment = moved_vector(moment, m, r)
    if kind == HINGE:
        about = shapes.panel_inertia(parts, row, turn)
        put_six(work, own + OWN_INERTIA, about, 0)
        moved = symmetric_added(moved, about)
    turning, drift = shapes.momenta(kind, parts, row, turn, r)
    put_three(work, own + TURNING, turning)
    put_three(work, own + DRIFTING, drift)
    work[own + DISPLACED] = x
    if free:
        less = 1.0 / parts[row + MOVED]
        taken = symmetric_added(taken, outer(turning, turning, -less, 0.0, 0.0))
        low = symmetric_added(low, outer(drift, drift, -less, 0.0, 0.0))
        mixed = product_added(mixed, -less, turning, drift)
        stored = moved_vector(stored, p * less, turning)
        momentum = moved_vector(momentum, -p * less, drift)
    return moment, momentum, low, mixed, taken, moved, stored


@helper
def find_rates(at: Place, parts: Array, y: Array, work: Array, omega: Floats, v: Floats) -> None:
    """Write the rates ξ'; see Kind."""
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        rate = 0.0
        if is_free(work[own + HOW]):
            rate = rate_of(parts, row, y, value, work, own, omega, v)
        work[own + SPEED] = rate
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES


@helper
def rate_of(
    parts: Array, row: int, y: Array, value: int, work: Array, own: int, omega: Floats, v: Floats
) -> float:
    """Return the rate ξ' of a coordinate that is free; arguments of `attach_one`."""
    turning, drift = three_at(work, own + TURNING), three_at(work, own + DRIFTING)
    return (y[value + 1] - dot(turning, omega) - dot(drift, v)) / parts[row + MOVED]


@helper
def spring(parts: Array, row: int, how: float, displacement: float) -> float:
    """Return the spring force on a coordinate [N or N m]; when caught, with the latch's spring."""
    force = -parts[row + STIFFNESS] * (displacement - parts[row + REST])
    if how == CAUGHT:
        force -= parts[row + LATCH_STIFFNESS] * (displacement - parts[row + LATCH])
    return force


@helper
def damping_of(parts: Array, row: int, how: float) -> float:
    """Return the damping coefficient of a coordinate; when caught, with the latch's damper."""
    if how == CAUGHT:
        return parts[row + DAMPING] + parts[row + LATCH_DAMPING]
    return parts[row + DAMPING]


@helper
def move(
    at: Place, sums: tuple[Floats, Floats, float, Floats], parts: Array, y: Array, slope: Array,
    work: Array, omega: Floats, v: Floats, pressed: Floats,
) -> tuple[Floats, Floats, float, Floats]:  # fmt: skip
    """Write dξ/dt and dp/dt; add to the right sides after eliminating ξ''; see Kind."""
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        kind, free = parts[row + SHAPE], is_free(work[own + HOW])
        sums = move_one(
            kind, free, sums, parts, row, slope, value, work, own, omega, v, pressed
        )  # fmt: skip
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES
    return sums


@helper
def move_one(
    kind: float, free: bool, sums: tuple[Floats, Floats, float, Floats], parts: Array, row: int,
    slope: Array, value: int, work: Array, own: int, omega: Floats, v: Floats, pressed: Floats,
) -> tuple[Floats, Floats, float, Floats]:  # fmt: skip
    """Do what `move` does for one coordinate; arguments of `attach_one`."""
    rest, push, heat, drifting = sums
    how, x, rate = work[own + HOW], work[own + DISPLACED], work[own + SPEED]
    slope[value] = rate
    slope[value + 1] = 0.0
    turning, drift = three_at(work, own + TURNING), three_at(work, own + DRIFTING)
    turn = work[own + TURN], work[own + TURN + 1]
    r = shapes.place(kind, parts, row, x, turn)
    wider = shapes.inertia_slope(kind, parts, row, six_at(work, own + OWN_INERTIA), r, omega)
    force = spring(parts, row, how, x) - dot(drift, pressed)
    force += 0.5 * dot(omega, wider) + dot(omega, cross(drift, v))
    if free:
        damping = damping_of(parts, row, how)
        heat += damping * rate * rate
        turning_slope, drift_slope = shapes.momenta_slopes(kind, parts, row, turn, r)
        along = dot(turning_slope, omega) + dot(drift_slope, v)
        force -= damping * rate
        slope[value + 1] = force + rate * along
        gained = force / parts[row + MOVED]  # without the change of J and b, rate × along
        rest = moved_vector(rest, -rate, wider)
        rest = moved_vector(rest, -rate * rate, turning_slope)
        rest = moved_vector(rest, -gained, turning)
        push = moved_vector(push, -rate * rate, drift_slope)
        push = moved_vector(push, -gained, drift)
        drifting = moved_vector(drifting, rate, drift)
    work[own + FORCE] = force  # where it is held, `constrain` makes it the constraint force
    return rest, push, heat, drifting


@helper
def constrain(
    at: Place, sums: tuple[float, float], parts: Array, y: Array, slope: Array, work: Array,
    omega: Floats, alpha: Floats, gained: Floats, t: float,
) -> tuple[float, float]:  # fmt: skip
    """Write the constraint forces of coordinates that are held; see Kind."""
    own = at.work
    for _ in range(at.number):
        if not is_free(work[own + HOW]):
            turning, drift = three_at(work, own + TURNING), three_at(work, own + DRIFTING)
            carried = dot(turning, alpha) + dot(drift, gained)
            work[own + FORCE] = carried - work[own + FORCE]
        own += WORK_ROW
    return sums


@helper
def hold(
    at: Place, parts: Array, y: Array, work: Array, omega: Floats, v: Floats, t: float
) -> None:
    """Set p of constrained coordinates from ω and v; see Kind."""
    own, value = at.work, at.value
    for _ in range(at.number):
        if not is_free(work[own + HOW]):
            y[value + 1] = momentum_held(work, own, omega, v)
        own, value = own + WORK_ROW, value + VALUES


@helper
def momentum_held(work: Array, own: int, omega: Floats, v: Floats) -> float:
    """Return p of a coordinate that does not move; own: where it is in `work`."""
    turning, drift = three_at(work, own + TURNING), three_at(work, own + DRIFTING)
    return dot(turning, omega) + dot(drift, v)


@helper
def attached_energy(
    at: Place, sums: tuple[float, float, Floats], parts: Array, y: Array, work: Array,
    omega: Floats, v: Floats,
) -> tuple[float, float, Floats]:  # fmt: skip
    """Add twice the kinetic energy, the energy of springs [J] and the first moment of mass."""
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        sums = energy_of_one(parts[row + SHAPE], sums, parts, row, y, value, work, own, omega, v)
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES
    return sums


@helper
def energy_of_one(
    kind: float, sums: tuple[float, float, Floats], parts: Array, row: int, y: Array, value: int,
    work: Array, own: int, omega: Floats, v: Floats,
) -> tuple[float, float, Floats]:  # fmt: skip
    """Do what `attached_energy` does for one coordinate; arguments of `attach_one`."""
    twice, springs, moment = sums
    how, x, rate = work[own + HOW], y[value], work[own + SPEED]
    turning, drift = three_at(work, own + TURNING), three_at(work, own + DRIFTING)
    if kind == MODE:
        moment = moved_vector(moment, x, drift)
    else:
        turn = work[own + TURN], work[own + TURN + 1]
        r = shapes.place(kind, parts, row, x, turn)
        moment = moved_vector(moment, parts[row + MASS], r)
        about = point_inertia_of(parts[row + MASS], r)
        twice += dot(omega, symmetric_times(about, omega))
    if kind == HINGE:
        about = six_at(work, own + OWN_INERTIA)
        twice += dot(omega, symmetric_times(about, omega))
    twice += 2.0 * rate * (dot(turning, omega) + dot(drift, v))
    twice += parts[row + MOVED] * rate * rate
    off = x - parts[row + REST]
    springs += 0.5 * parts[row + STIFFNESS] * off * off
    off = x - parts[row + LATCH]
    if how == CAUGHT:
        springs += 0.5 * parts[row + LATCH_STIFFNESS] * off * off
    return twice, springs, moment


@helper
def relative_rates(
    at: Place, k: int, parts: Array, y: Array, work: Array, omega: Floats, v: Floats, out: Array
) -> int:
    """Write the rates ξ' [m/s or rad/s]; see Kind."""
    for j in range(at.number):
        out[k + j] = work[at.work + j * WORK_ROW + SPEED]
    return k + at.number


# --- events ----------------------------------------------------------------------------------


@helper
def switch(
    at: Place, parts: Array, internal: Array, work: Array, commands: Array, time: float,
    now: float, soon: float,
) -> None:  # fmt: skip
    """Free held coordinates whose release is due within `soon`; see Kind."""
    for j in range(at.number):
        own = at.work + j * WORK_ROW
        if work[own + HOW] == HELD and parts[at.row + j * ROW + RELEASE] - now <= soon:
            work[own + HOW] = FREE


@helper
def next_switch(
    at: Place, soonest: float, parts: Array, internal: Array, work: Array, time: float,
    now: float, soon: float,
) -> float:  # fmt: skip
    """Return the time until the next held coordinate is released [s]; see Kind."""
    for j in range(at.number):
        if work[at.work + j * WORK_ROW + HOW] == HELD:
            soonest = min(soonest, parts[at.row + j * ROW + RELEASE] - now)
    return soonest


@helper
def excess(at: Place, parts: Array, work: Array, k: int) -> float:
    """Return the event function of a coordinate: it passes a stop or latch, or leaves a stop."""
    row, own = at.row + k * ROW, at.work + k * WORK_ROW
    how, x = work[own + HOW], work[own + DISPLACED]
    if how == FREE:
        return beyond(parts, row, x)
    if how == AT_HIGH:
        return work[own + FORCE]
    if how == AT_LOW:
        return -work[own + FORCE]
    return -1.0


@helper
def beyond(parts: Array, row: int, x: float) -> float:
    """Return by how much a displacement is beyond a stop or latch; below 0 before it is there."""
    over = max(x - parts[row + HIGH], parts[row + LOW] - x)
    return max(over, parts[row + WAY] * (x - parts[row + LATCH]))


@helper
def is_held(at: Place, parts: Array, work: Array, k: int) -> bool:
    """Return whether a coordinate is held, at a stop or latched."""
    return not is_free(work[at.work + k * WORK_ROW + HOW])


@helper
def change(at: Place, parts: Array, y: Array, work: Array, k: int) -> int:
    """Stop, latch or free a coordinate; see Kind."""
    row, own, value = at.row + k * ROW, at.work + k * WORK_ROW, at.value + k * VALUES
    if work[own + HOW] != FREE:
        work[own + HOW] = FREE
        return CHANGED
    x = work[own + DISPLACED]
    above, below = x - parts[row + HIGH], parts[row + LOW] - x
    if parts[row + WAY] * (x - parts[row + LATCH]) >= max(above, below):
        if parts[row + LATCH_STIFFNESS] > 0.0:
            work[own + HOW] = CAUGHT
            return CHANGED
        work[own + HOW], y[value] = LATCHED, parts[row + LATCH]
    elif above >= below:
        work[own + HOW], y[value] = AT_HIGH, parts[row + HIGH]
    else:
        work[own + HOW], y[value] = AT_LOW, parts[row + LOW]
    return CAME_TO_REST


KIND = Kind(
    name='coordinates', row=COORDINATE, state=COORDINATE_STATE, work=WORK_ROW, values=VALUES,
    changes_inertia=True,
    load=load, keep=keep, attach=attach, find_rates=find_rates, move=move, constrain=constrain,
    hold=hold, attached_energy=attached_energy, relative_rates=relative_rates, switch=switch,
    next_switch=next_switch, excess=excess, is_held=is_held, change=change,
)  # fmt: skip
