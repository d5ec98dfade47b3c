# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How the mass of a hinged panel, sliding mass or flexible mode moves with its coordinate ξ.

r is the position of the mass, J and b its angular momentum about the origin and its momentum per
unit of rate ξ'. All in body axes. `turn` is of turn_of: cosine and sine of a panel's angle.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    scaled,
    six_at,
    subtracted,
    symmetric_times,
    three_at,
    turned,
)
from spacecraft_attitude_sim.core.parts.coordinates.layouts import COORDINATE, HINGE, LINE
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

KIND, AXIS, POSITION, CENTER = COORDINATE.places('kind', 'axis_B', 'position_B', 'center_B')
OWN_INERTIA, COUPLING, DRIFT, MASS = COORDINATE.places(
    'inertia_B', 'coupling_B', 'drift_B', 'mass'
)
ZERO = (0.0, 0.0, 0.0)


# --- hinged panels ---------------------------------------------------------------------------


@helper
def swung(parts: Array, row: int, turn: Floats, v: Floats) -> Floats:
    """Return a panel-fixed vector v after the panel has turned about its hinge."""
    axis = three_at(parts, row + AXIS)
    c, s = turn
    along = scaled((1.0 - c) * dot(axis, v), axis)
    return added(along, moved_vector(scaled(c, v), s, cross(axis, v)))


@helper
def panel_inertia(parts: Array, row: int, turn: Floats) -> Floats:
    """Return a panel's inertia about its centre of mass, six floats."""
    c, s = turn
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
def panel_momenta(parts: Array, row: int, turn: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Return J and b of a panel, three floats each."""
    axis = three_at(parts, row + AXIS)
    arm = subtracted(r, three_at(parts, row + POSITION))
    drift = scaled(parts[row + MASS], cross(axis, arm))
    spin = symmetric_times(six_at(parts, row + OWN_INERTIA), axis)
    return added(swung(parts, row, turn, spin), cross(r, drift)), drift


@helper
def panel_momenta_slopes(parts: Array, row: int, turn: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Return dJ/dξ and db/dξ of a panel, three floats each."""
    axis = three_at(parts, row + AXIS)
    m = parts[row + MASS]
    d = cross(axis, subtracted(r, three_at(parts, row + POSITION)))
    drift_slope = scaled(m, cross(axis, d))
    spin = symmetric_times(six_at(parts, row + OWN_INERTIA), axis)
    turned_spin = cross(axis, swung(parts, row, turn, spin))
    return added(turned_spin, cross(r, drift_slope)), drift_slope


@helper
def panel_inertia_slope(parts: Array, row: int, six: Floats, omega: Floats) -> Floats:
    """Return dI/dξ ω of a panel's inertia about its own centre of mass, three floats.

    six: that inertia
    """
    axis = three_at(parts, row + AXIS)
    back = symmetric_times(six, cross(axis, omega))
    return subtracted(cross(axis, symmetric_times(six, omega)), back)


# --- all kinds: kind is that of the coordinate ----------------------------------------------


@helper
def turn_of(kind: float, x: float) -> Floats:
    """Return cosine and sine of a panel's angle, else 1 and 0; x: the coordinate."""
    if kind == HINGE:
        return math.cos(x), math.sin(x)
    return 1.0, 0.0


@helper
def place(kind: float, parts: Array, row: int, x: float, turn: Floats) -> Floats:
    """Return r, three floats [m]; x: the coordinate."""
    position = three_at(parts, row + POSITION)
    if kind == HINGE:
        return added(position, swung(parts, row, turn, three_at(parts, row + CENTER)))
    return moved_vector(position, x, three_at(parts, row + AXIS))


@helper
def momenta(kind: float, parts: Array, row: int, turn: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Return J and b, three floats each; r: of `place`."""
    if kind == HINGE:
        return panel_momenta(parts, row, turn, r)
    if kind == LINE:
        drift = scaled(parts[row + MASS], three_at(parts, row + AXIS))
        return cross(three_at(parts, row + POSITION), drift), drift
    return three_at(parts, row + COUPLING), three_at(parts, row + DRIFT)


@helper
def momenta_slopes(
    kind: float, parts: Array, row: int, turn: Floats, r: Floats
) -> tuple[Floats, Floats]:
    """Return dJ/dξ and db/dξ, three floats each; only a panel's change."""
    if kind == HINGE:
        return panel_momenta_slopes(parts, row, turn, r)
    return ZERO, ZERO


@helper
def inertia_slope(
    kind: float, parts: Array, row: int, own: Floats, r: Floats, omega: Floats
) -> Floats:
    """Return dI/dξ ω, three floats; 0 for a mode; own: of own_inertia."""
    if kind != HINGE and kind != LINE:
        return ZERO
    axis = three_at(parts, row + AXIS)
    d, total = axis, ZERO
    if kind == HINGE:
        d = cross(axis, subtracted(r, three_at(parts, row + POSITION)))
        total = panel_inertia_slope(parts, row, own, omega)
    m = parts[row + MASS]
    total = moved_vector(total, 2.0 * m * dot(r, d), omega)
    total = moved_vector(total, -m * dot(r, omega), d)
    return moved_vector(total, -m * dot(d, omega), r)
