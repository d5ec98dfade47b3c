# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Mass, springs and dampers of all that moves inside a spacecraft, as functions of displacements.

The motion is ω of the hub and the rates ξ' of the displacements ξ: of flexible modes, panels and
sliding masses one each, of a pendulum two, across its rod. With the velocity v of the origin
relative to the centre of mass the kinetic energy is

    T = ½ (ω, v, ξ')·M(ξ) (ω, v, ξ')        M = (I, c×, J; -c×, m, b; Jᵀ, bᵀ, μ)

I is the inertia, c the first moment of mass, J and b angular momentum and momentum for a unit rate
of ξ. The momentum about the centre of mass is zero, which eliminates v: the Schur complement of m
is the matrix of (ω, ξ') alone (P. W. Likins, JPL TR 32-1329, 1970; L. Meirovitch, Methods of
Analytical Dynamics, 1970, chapter 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.vectors import tangents
from spacecraft_attitude_sim.core.parts.coordinates.layouts import COORDINATE, FREE
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3
    from spacecraft_attitude_sim.core.parts.coordinates.description import Coordinate
    from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
    from spacecraft_attitude_sim.core.spacecraft.spacecraft import Spacecraft

# Step of the differences by which M is differentiated [rad, m, sqrt(kg) m]. M is a polynomial of
# second degree, or trigonometric: the error is below 1e-8 of its value.
STEP = 1e-4
NO_INERTIA = np.zeros((3, 3))
STIFFNESS, DAMPING, REST = COORDINATE.places('stiffness', 'damping', 'rest')


class Inertial(NamedTuple):
    """What a part adds to M at a displacement.

    inertia: (3, 3) [kg m^2];  moment: (3,) [kg m];  turning, drift: J, b (3, d);  own: μ (d, d)
    """

    inertia: Array
    moment: Vector3
    turning: Array
    drift: Array
    own: Array


@dataclass(frozen=True)
class Displacement:
    """A part that moves inside, with d displacements.

    names, unit: of its displacements;  kind: in words
    at: where it is in equilibrium (d,);  inertial: function of (d,) that returns its Inertial
    stiffness, damping: of its own spring and damper, for each displacement
    free: whether it moves; else it is part of the hub
    """

    names: tuple[str, ...]
    unit: str
    kind: str
    at: Array
    inertial: Callable[[Array], Inertial]
    stiffness: float
    damping: float
    free: bool = True


def displacements_of(craft: Spacecraft) -> list[Displacement]:
    """Return the Displacements of all coordinates and pendulums of a spacecraft, in their order.

    A free coordinate with a spring is where the spring is slack, else where it starts.
    """
    if not craft.internal:
        return []
    internal = craft.internal
    coordinates = [_of_coordinate(*item) for item in internal.coordinates.items()]
    return coordinates + [_of_pendulum(*item) for item in internal.pendulums.items()]


def _of_coordinate(name: str, coordinate: Coordinate) -> Displacement:
    row = coordinate.row()
    free = coordinate.how == FREE
    at = row[REST] if free and row[STIFFNESS] > 0.0 else coordinate.displacement

    def inertial(xi: Array) -> Inertial:
        x = float(xi[0])
        turning, drift = coordinate.momenta_B(x)
        return Inertial(
            coordinate.inertia_B(x), coordinate.moment_B(x), np.reshape(turning, (3, 1)),
            np.reshape(drift, (3, 1)), np.array([[coordinate.moving]]),
        )  # fmt: skip

    unit = 'rad' if coordinate.revolute else 'm' if coordinate.mass else 'sqrt(kg) m'
    return Displacement(
        (f'{coordinate.PREFIX}.{name}',), unit, coordinate.PREFIX, np.array([at]), inertial,
        row[STIFFNESS], row[DAMPING], free,
    )  # fmt: skip


def _of_pendulum(name: str, pendulum: Pendulum) -> Displacement:
    down = np.asarray(pendulum.rest_B, dtype=float)
    across = np.array(tangents(tuple(down.tolist()))).T
    damping = pendulum.damping

    def inertial(xi: Array) -> Inertial:
        along = np.sqrt(1.0 - xi @ xi)
        direction = across @ xi + along * down
        r = pendulum.center_at_B(direction)
        speeds = pendulum.length * (across - np.outer(down, xi / along))
        turning = pendulum.mass * np.cross(r, speeds.T).T
        own = pendulum.mass * speeds.T @ speeds
        inertia = point_inertia(pendulum.mass, r)
        return Inertial(inertia, pendulum.mass * r, turning, pendulum.mass * speeds, own)

    names = tuple(f'pendulum.{name}.{axis}' for axis in 'ab')
    return Displacement(names, 'rad', 'pendulum', np.zeros(2), inertial, 0.0, damping)


def mass_matrix(
    craft: Spacecraft, parts: Sequence[Displacement], xi: Array, more_B: Matrix3 = NO_INERTIA
) -> Array:
    """Return M (6 + n, 6 + n) of ω, v and the rates of n free displacements, about the origin.

    Rotors without their spin, and slugs, are not in it.

    xi: (n,) displacements;  more_B: inertia (3, 3) beside that of the carrier [kg m^2]
    """
    inertia = craft.carrier.inertia + more_B
    moment = craft.internal.hub_moment_B if craft.internal else np.zeros(3)
    turning, drift, own = np.zeros((3, len(xi))), np.zeros((3, len(xi))), np.eye(len(xi))
    first = 0
    for part in parts:
        last = first + len(part.at) if part.free else first
        now = part.inertial(xi[first:last] if part.free else part.at)
        inertia = inertia + now.inertia
        moment = moment + now.moment
        if part.free:
            turning[:, first:last], drift[:, first:last] = now.turning, now.drift
            own[first:last, first:last] = now.own
        first = last
    lever = rotations.cross_matrix(moment)
    return np.block([
        [inertia, lever, turning],
        [lever.T, craft.body.mass * np.eye(3), drift],
        [turning.T, drift.T, own],
    ])  # fmt: skip


def reduced(whole: Array) -> Array:
    """Return the mass matrix (3 + n, 3 + n) of ω and ξ' about the centre of mass; whole: M."""
    v = slice(3, 6)
    rest = np.r_[0:3, 6 : len(whole)]
    mixed = whole[np.ix_(rest, range(3, 6))]
    matrix = whole[np.ix_(rest, rest)] - mixed @ np.linalg.solve(whole[v, v], mixed.T)
    return (matrix + matrix.T) / 2.0


def reduced_at_reference(craft: Spacecraft) -> Array:
    """Return the part of ω in the reduced mass matrix (3, 3) at the reference, where M is known.

    There the centre of mass is the origin, and all that moves inside is part of the inertia.
    """
    internal = craft.internal
    slugs = sum(part.free_inertia for part in internal.parts)
    return craft.carrier.inertia + internal.inertia_B - slugs * np.eye(3)


class Inside(NamedTuple):
    """What moves inside, at its equilibrium.

    parts: the Displacements;  names, units, kinds: of the n free ones;  at: (n,)
    mass: M reduced (3 + n, 3 + n), of ω and ξ';  slopes: its derivatives (n, 3 + n, 3 + n)
    bends: second derivatives of its part of ω (n, n, 3, 3)
    moment, drift: c (3,) and b (3, n);  drift_slopes: derivatives of b (n, 3, n)
    stiffness, damping: (n,) of springs and dampers
    """

    parts: tuple[Displacement, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    kinds: tuple[str, ...]
    at: Array
    mass: Array
    slopes: Array
    bends: Array
    moment: Vector3
    drift: Array
    drift_slopes: Array
    stiffness: Array
    damping: Array

    @property
    def inertia_slopes(self) -> Array:
        """Return the derivatives of the inertia about the centre of mass (n, 3, 3) [kg m^2]."""
        return self.slopes[:, :3, :3]


def inside_of(craft: Spacecraft, turning: bool, more_B: Matrix3 = NO_INERTIA) -> Inside:
    """Return the Inside of a spacecraft, at its equilibrium.

    turning: whether the body turns there; else the second derivatives do not count, and are 0
    more_B: inertia (3, 3) beside that of the carrier [kg m^2]
    """
    parts = displacements_of(craft)
    free = [part for part in parts if part.free]
    each = [(part, name) for part in free for name in part.names]
    at = np.concatenate([np.zeros(0), *(part.at for part in free)])
    n = len(at)

    def moved(*steps: int) -> Array:
        """Return M with some displacements moved by a step, a negative number backwards."""
        xi = at.copy()
        for step in steps:
            xi[abs(step) - 1] += np.copysign(STEP, step)
        return mass_matrix(craft, parts, xi, more_B)

    whole, slopes, bends = moved(), np.zeros((n, 3 + n, 3 + n)), np.zeros((n, n, 3, 3))
    drift_slopes = np.zeros((n, 3, n))
    for k in range(n):
        after, before = moved(k + 1), moved(-k - 1)
        slopes[k] = (reduced(after) - reduced(before)) / (2.0 * STEP)
        drift_slopes[k] = (after - before)[3:6, 6:] / (2.0 * STEP)
        for j in range(n if turning else 0):
            corners = [
                sign * reduced(moved(a * (k + 1), b * (j + 1)))[:3, :3]
                for a, b, sign in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
            ]
            bends[k, j] = sum(corners) / (4.0 * STEP * STEP)
    moment = np.array((whole[2, 4], whole[0, 5], whole[1, 3]))
    return Inside(
        tuple(parts), tuple(name for _, name in each), tuple(part.unit for part, _ in each),
        tuple(part.kind for part, _ in each), at, reduced(whole), slopes, bends, moment,
        whole[3:6, 6:], drift_slopes, np.array([part.stiffness for part, _ in each]),
        np.array([part.damping for part, _ in each]),
    )  # fmt: skip
