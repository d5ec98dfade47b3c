# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Viscous slugs in the compiled step.

A slug is a sphere of inertia I and absolute angular momentum s in a viscous fluid:

    ds/dt = s × ω - c (s/I - ω)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    put_three,
    scaled,
    subtracted,
    three_at,
)
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

SLUG = Layout(inertia=1, damping=1)
SLUG_STATE = Layout(momentum_B=3)  # absolute angular momentum [N m s], body axes
INERTIA, DAMPING = SLUG.places()
ROW, STATES = SLUG.size, SLUG_STATE.size


@helper
def suspend(
    at: Place,
    sums: tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats],
    parts: Array,
    y: Array,
    work: Array,
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
    """Add their momenta; see equations.multibody.moving_origin."""
    inertia, stored, moment, momentum, low, mixed, moved = sums
    for j in range(at.number):
        stored = added(stored, three_at(y, at.value + j * STATES))
    return inertia, stored, moment, momentum, low, mixed, moved


@helper
def slip(parts: Array, row: int, s: Floats, omega: Floats) -> Floats:
    """Return the angular velocity of a slug relative to the body, three floats [rad/s]."""
    return moved_vector(scaled(1.0 / parts[row + INERTIA], s), -1.0, omega)


@helper
def swing(
    at: Place, sums: tuple[Floats, Floats, float], parts: Array, y: Array, slope: Array,
    work: Array, omega: Floats, v: Floats, pressed: Floats,
) -> tuple[Floats, Floats, float]:  # fmt: skip
    """Write ds/dt; add to the right side for alpha; see Kind."""
    rest, push, heat = sums
    row, k = at.row, at.value
    for _ in range(at.number):
        s, c = three_at(y, k), parts[row + DAMPING]
        relative = slip(parts, row, s, omega)
        gained = moved_vector(cross(s, omega), -c, relative)
        heat += c * dot(relative, relative)
        put_three(slope, k, gained)
        rest = subtracted(rest, gained)
        row, k = row + ROW, k + STATES
    return rest, push, heat


@helper
def suspended_energy(
    at: Place, twice: float, parts: Array, y: Array, work: Array, omega: Floats, v: Floats
) -> float:
    """Add twice the kinetic energy [J]."""
    for j in range(at.number):
        s = three_at(y, at.value + j * STATES)
        twice += dot(s, s) / parts[at.row + j * ROW + INERTIA]
    return twice


@helper
def relative_rates(
    at: Place, k: int, parts: Array, y: Array, work: Array, omega: Floats, v: Floats, out: Array
) -> int:
    """Write the angular velocities relative to the body [rad/s]; see Kind."""
    for j in range(at.number):
        s = three_at(y, at.value + j * STATES)
        put_three(out, k + 3 * j, slip(parts, at.row + j * ROW, s, omega))
    return k + 3 * at.number


KIND = Kind(
    name='viscous_slugs', row=SLUG, state=SLUG_STATE, values=STATES,
    changes_inertia=True,
    suspend=suspend, swing=swing, suspended_energy=suspended_energy, relative_rates=relative_rates,
)  # fmt: skip
