# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Attitudes that move: composed, relative to each other, and as rotation vectors.

A Reference of core.control.control_law is an attitude with rate and acceleration in its own axes.
A *jet* (3, 3) is a vector with its first and second derivative, row by row.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, norm, product
from spacecraft_attitude_sim.core.mathematics.rotations import (
    compose,
    conjugate,
    rotate,
)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3

# Below this angle [rad] the coefficients of a rotation vector come from their series, whose first
# left-out term is then below round-off.
SMALL, TERMS = 1.0, 10
PARALLEL = 'two directions are parallel'


class GuidanceError(ValueError):
    """No reference can be computed; the message says why, and the remedy."""


class Profile(Protocol):
    """A motion of the attitude over time."""

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s]; GuidanceError where there is none."""


def still(q_WR: Quaternion) -> Reference:
    """Return the Reference at rest with attitude q_WR (4,)."""
    return Reference(np.array(q_WR, dtype=float), np.zeros(3), np.zeros(3))


def composed(base: Reference, turn: Reference) -> Reference:
    """Return the motion of axes R in world.

    base: of axes A in world;  turn: of R relative to A, rate and acceleration in R
    """
    back = conjugate(turn.q_WR)
    rate = rotate(back, base.omega_R)
    return Reference(
        compose(base.q_WR, turn.q_WR),
        rate + turn.omega_R,
        rotate(back, base.alpha_R) - cross(turn.omega_R, rate) + turn.alpha_R,
    )


def relative(base: Reference, other: Reference) -> Reference:
    """Return the motion of `other` relative to `base`: composed(base, it) is `other`."""
    turn = compose(conjugate(base.q_WR), other.q_WR)
    back = conjugate(turn)
    rate = rotate(back, base.omega_R)
    omega = other.omega_R - rate
    alpha = other.alpha_R - rotate(back, base.alpha_R) + cross(omega, rate)
    return Reference(turn, omega, alpha)


def angle_of(q: Quaternion) -> float:
    """Return the angle [rad] of a rotation (4,), 0 to pi."""
    return 2.0 * math.atan2(norm(q[1:4]), abs(float(q[0])))


def rotation_vector(q: Quaternion, near: Vector3 | None = None) -> Vector3:
    """Return φ (3,) [rad] of a rotation (4,): angle times axis.

    near: of the two vectors of this rotation shorter than a turn, return that nearer to this one;
        None for the shorter one
    """
    part = np.array(q[1:4])
    sine = norm(part)
    if sine < 1e-150:
        return 2.0 * part * math.copysign(1.0, float(q[0]))
    axis, angle = part / sine, 2.0 * math.atan2(sine, float(q[0]))
    ways = angle * axis, (angle - math.tau) * axis
    if near is None:
        return min(ways, key=norm)
    return min(ways, key=lambda way: norm(way - near))


def rotation_jet(turn: Reference, near: Vector3 | None = None) -> Array:
    """Return the rotation vector φ of a motion with its derivatives (3, 3).

    With ω = J φ', the inverse of J is closed (M. D. Shuster, A Survey of Attitude Representations,
    J. Astronautical Sciences 41 (1993) 439). Not defined at a whole turn.

    near: as of `rotation_vector`
    """
    phi = rotation_vector(turn.q_WR, near)
    first = _inverse(phi, turn.omega_R)
    second = _inverse(phi, turn.alpha_R - _turning(phi, first))
    return np.array((phi, first, second))


def of_rotation_jet(jet: Array) -> Reference:
    """Return the motion whose rotation vector is a jet (3, 3); inverse of `rotation_jet`."""
    phi, first, second = jet
    angle = norm(phi)
    half = 0.5 * angle
    share = math.sin(half) / angle if angle > 1e-150 else 0.5
    q = np.array((math.cos(half), *(share * phi)))
    return Reference(q, _times(phi, first), _times(phi, second) + _turning(phi, first))


def unit_jet(jet: Array) -> Array:
    """Return the jet of a vector divided by its length; GuidanceError for one without length."""
    length = norm(jet[0])
    if not length > 1e-6:
        raise GuidanceError(PARALLEL)
    unit = jet[0] / length
    stretch = float(product(unit, jet[1]))
    first = (jet[1] - stretch * unit) / length
    growth = float(product(first, jet[1]) + product(unit, jet[2]))
    second = (jet[2] - 2.0 * stretch * first - growth * unit) / length
    return np.array((unit, first, second))


def _coefficients(square: float) -> tuple[float, float, float, float]:
    """Return a = (1 - cos θ)/θ², b = (θ - sin θ)/θ³, and their slopes divided by θ.

    square: θ² [rad²]
    """
    if square < SMALL:
        a = b = da = db = 0.0
        for k in reversed(range(TERMS)):
            sign = (-1.0) ** k
            a = a + sign * square**k / math.factorial(2 * k + 2)
            b = b + sign * square**k / math.factorial(2 * k + 3)
            if k:
                da = da + sign * 2 * k * square ** (k - 1) / math.factorial(2 * k + 2)
                db = db + sign * 2 * k * square ** (k - 1) / math.factorial(2 * k + 3)
        return a, b, da, db
    angle = math.sqrt(square)
    sine, versine = math.sin(angle), 1.0 - math.cos(angle)
    a, b = versine / square, (angle - sine) / (angle * square)
    return a, b, (angle * sine - 2.0 * versine) / square**2, (a - 3.0 * b) / square


def _times(phi: Vector3, vector: Vector3) -> Vector3:
    """Return J v: the rate in the turned axes where v is the derivative of φ."""
    a, b, _, _ = _coefficients(float(product(phi, phi)))
    across = cross(phi, vector)
    turned: Vector3 = vector - a * across + b * cross(phi, across)
    return turned


def _turning(phi: Vector3, first: Vector3) -> Vector3:
    """Return (dJ/dt) φ' where φ' is `first`."""
    a, b, da, db = _coefficients(float(product(phi, phi)))
    growth = float(product(phi, first))
    across = cross(phi, first)
    change: Vector3 = (
        -da * growth * across + db * growth * cross(phi, across) + b * cross(first, across)
    )
    return change


def _inverse(phi: Vector3, rate: Vector3) -> Vector3:
    """Return J^-1 ω."""
    square = float(product(phi, phi))
    if square < 1e-4:
        # 1/12 + θ²/720 + θ⁴/30240: the next term is below round-off.
        factor = 1.0 / 12.0 + square / 720.0 + square**2 / 30240.0
    else:
        angle = math.sqrt(square)
        factor = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / square
    across = cross(phi, rate)
    derivative: Vector3 = rate + 0.5 * across + factor * cross(phi, across)
    return derivative
