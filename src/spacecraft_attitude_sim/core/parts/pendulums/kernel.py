# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Spherical pendulums in the compiled step.

A pendulum of mass m has a rod of direction e and length l, and the momentum s = l e × m u about
its pivot a. Its mass contributes to the inertia along the rod only, and has the velocity

    u = s × e / (m l) + e (e·v + a × e·ω)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    norm,
    outer,
    point_inertia_of,
    product_added,
    put_three,
    scaled,
    subtracted,
    symmetric_added,
    three_at,
)
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

PENDULUM = Layout(pivot_B=3, mass=1, length=1, damping=1)
# direction_B: unit vector from the pivot to the mass;  momentum_B: angular momentum of the mass
# about the pivot's present position [N m s], body axes
PENDULUM_STATE = Layout(direction_B=3, momentum_B=3)
PIVOT, MASS, LENGTH, DAMPING = PENDULUM.places()
ROW, STATES = PENDULUM.size, PENDULUM_STATE.size


@helper
def suspend(
    at: Place,
    sums: tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats],
    parts: Array,
    y: Array,
    work: Array,
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
    """Add masses and momenta; see equations.multibody.moving_origin."""
    inertia, stored, moment, momentum, low, mixed, moved = sums
    row, k = at.row, at.value
    for _ in range(at.number):
        a, m, length = three_at(parts, row + PIVOT), parts[row + MASS], parts[row + LENGTH]
        e, s = three_at(y, k), three_at(y, k + 3)
        n = cross(a, e)
        swung = scaled(1.0 / length, cross(s, e))
        inertia = symmetric_added(inertia, outer(n, n, m, 0.0, 0.0))
        mixed = product_added(mixed, m, n, e)
        low = symmetric_added(low, outer(e, e, m, 0.0, 0.0))
        r = moved_vector(a, length, e)
        stored = added(stored, cross(r, swung))
        momentum = subtracted(momentum, swung)
        moment = moved_vector(moment, m, r)
        moved = symmetric_added(moved, point_inertia_of(m, r))
        row, k = row + ROW, k + STATES
    return inertia, stored, moment, momentum, low, mixed, moved


@helper
def swing(
    at: Place, sums: tuple[Floats, Floats, float], parts: Array, y: Array, slope: Array,
    work: Array, omega: Floats, v: Floats, pressed: Floats,
) -> tuple[Floats, Floats, float]:  # fmt: skip
    """Write de/dt and ds/dt; add to the right sides; see Kind."""
    rest, push, heat = sums
    row, k = at.row, at.value
    for _ in range(at.number):
        a, m, length = three_at(parts, row + PIVOT), parts[row + MASS], parts[row + LENGTH]
        e, s = three_at(y, k), three_at(y, k + 3)
        n, swung = cross(a, e), cross(s, e)
        along = dot(e, v) + dot(n, omega)
        u = moved_vector(scaled(1.0 / (m * length), swung), along, e)
        pivot = added(v, cross(omega, a))
        e_rate = moved_vector(cross(e, omega), 1.0 / length, subtracted(u, pivot))
        rate = cross(e, e_rate)
        s_rate = added(cross(s, omega), scaled(m, cross(u, pivot)))
        s_rate = moved_vector(s_rate, -m * length, cross(e, pressed))
        s_rate = moved_vector(s_rate, -parts[row + DAMPING], rate)
        heat += parts[row + DAMPING] * dot(rate, rate)
        put_three(slope, k, e_rate)
        put_three(slope, k + 3, s_rate)
        turn = cross(a, e_rate)
        changed = scaled(1.0 / length, added(cross(s_rate, e), cross(s, e_rate)))
        more = dot(e_rate, v) + dot(turn, omega)
        push = subtracted(push, changed)
        push = moved_vector(push, -m * along, e_rate)
        push = moved_vector(push, -m * more, e)
        rest = subtracted(rest, cross(e_rate, swung))
        rest = subtracted(rest, cross(moved_vector(a, length, e), changed))
        rest = moved_vector(rest, -m * along, turn)
        rest = moved_vector(rest, -m * more, n)
        row, k = row + ROW, k + STATES
    return rest, push, heat


@helper
def hold(
    at: Place, parts: Array, y: Array, work: Array, omega: Floats, v: Floats, t: float
) -> None:
    """Restore |e| = 1 and s·e = 0; see Kind."""
    k = at.value
    for _ in range(at.number):
        e, s = three_at(y, k), three_at(y, k + 3)
        e = scaled(1.0 / norm(e), e)
        put_three(y, k, e)
        put_three(y, k + 3, moved_vector(s, -dot(s, e), e))
        k += STATES


@helper
def suspended_energy(
    at: Place, twice: float, parts: Array, y: Array, work: Array, omega: Floats, v: Floats
) -> float:
    """Add twice the kinetic energy [J]."""
    row, k = at.row, at.value
    for _ in range(at.number):
        a, m, length = three_at(parts, row + PIVOT), parts[row + MASS], parts[row + LENGTH]
        e, s = three_at(y, k), three_at(y, k + 3)
        swung = scaled(1.0 / length, cross(s, e))
        along = dot(e, v) + dot(cross(a, e), omega)
        twice += dot(swung, swung) / m + m * along * along
        row, k = row + ROW, k + STATES
    return twice


@helper
def relative_rates(
    at: Place, k: int, parts: Array, y: Array, work: Array, omega: Floats, v: Floats, out: Array
) -> int:
    """Write the velocities of the masses relative to the body [m/s]; see Kind."""
    row, value = at.row, at.value
    for _ in range(at.number):
        a, m, length = three_at(parts, row + PIVOT), parts[row + MASS], parts[row + LENGTH]
        e, s = three_at(y, value), three_at(y, value + 3)
        along = dot(e, v) + dot(cross(a, e), omega)
        u = moved_vector(scaled(1.0 / (m * length), cross(s, e)), along, e)
        whole = added(v, cross(omega, moved_vector(a, length, e)))
        put_three(out, k, subtracted(u, whole))
        row, value, k = row + ROW, value + STATES, k + 3
    return k


@helper
def swing_bound(
    at: Place, swing: float, parts: Array, y: Array, press: float, omega: Floats
) -> float:
    """Return a bound of the fastest oscillation [rad/s].

    press: magnitude of the centre of mass's acceleration by forces on the hub [m/s^2]
    """
    row, k = at.row, at.value
    spin = norm(omega)
    for _ in range(at.number):
        m, length = parts[row + MASS], parts[row + LENGTH]
        arm = norm(three_at(parts, row + PIVOT)) + length
        pull = press + spin * spin * arm
        swing = max(swing, 2.0 * math.sqrt(pull / length))
        swing = max(swing, norm(three_at(y, k + 3)) / (m * length * length))
        row, k = row + ROW, k + STATES
    return swing


KIND = Kind(
    name='pendulums', row=PENDULUM, state=PENDULUM_STATE, values=STATES,
    changes_inertia=True,
    suspend=suspend, swing=swing, hold=hold, suspended_energy=suspended_energy,
    relative_rates=relative_rates, swing_bound=swing_bound,
)  # fmt: skip
