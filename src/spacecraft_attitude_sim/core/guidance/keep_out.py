# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Boresights that must not come near the Sun, the Moon or the Earth, and slews round them.

Along a rotation about a fixed axis e by the angle θ, the cosine of the angle between a boresight u
and a direction d is A + B cos θ + C sin θ with A = (u·e)(d·e), B = u·d - A, C = (e × u)·d. So the
nearest approach of an eigenaxis slew is closed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.guidance.motion import rotation_vector
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, norm, product
from spacecraft_attitude_sim.core.mathematics.rotations import (
    compose,
    conjugate,
    quaternion_product,
    rotate,
    rotate_many,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3

# Attitudes that a way round may use beside those made for it.
ROUND = 400
# Most ways by two attitudes that are looked at.
PAIRS = 20000
# Constants of the spiral: roots of x³ = x + 1 … (Alexa 2022).
SPIRAL = math.sqrt(2.0), 1.533751168755204288118041413


class KeepOut(NamedTuple):
    """A boresight and what it must not come near.

    name: for messages;  axis_B: (3,) unit vector;  body: 'sun', 'moon' or 'earth'
    angle: least between boresight and the centre of that body [rad]
    """

    name: str
    axis_B: Vector3
    body: str
    angle: float


class Zone(NamedTuple):
    """A KeepOut at a time.

    axis_B: (3,) boresight;  direction_W: (3,) unit vector to the body;  angle: [rad]
    """

    axis_B: Vector3
    direction_W: Vector3
    angle: float


def clearance(q_WB: Quaternion, zone: Zone) -> float:
    """Return the angle [rad] between boresight and zone; negative inside."""
    return _between(rotate(q_WB, zone.axis_B), zone.direction_W) - zone.angle


def _between(a: Vector3, b: Vector3) -> float:
    return math.atan2(norm(cross(a, b)), float(product(a, b)))


def least_clearances(start: Array, end: Array, zones: Sequence[Zone]) -> Array:
    """Return the least clearance [rad] (n,) along eigenaxis slews between attitudes at rest.

    start, end: (n, 4) q_WB
    """
    turns = np.array(quaternion_product(*(start * (1, -1, -1, -1)).T, *end.T))
    turns = turns * np.where(turns[0] < 0.0, -1.0, 1.0)
    sines = np.sqrt(turns[1] ** 2 + turns[2] ** 2 + turns[3] ** 2)
    whole = 2.0 * np.arctan2(sines, turns[0])
    axes_W = rotate_many(start, (turns[1:] / np.where(sines > 0.0, sines, 1.0)).T)
    least = np.full(len(start), np.inf)
    for zone in zones:
        boresights = rotate_many(start, np.tile(zone.axis_B, (len(start), 1)))
        along = product(axes_W, zone.direction_W) * np.sum(axes_W * boresights, axis=1)
        cosine = product(boresights, zone.direction_W) - along
        sine = product(np.cross(axes_W, boresights), zone.direction_W)
        nearest = np.clip(np.arctan2(sine, cosine), 0.0, whole)
        largest = np.full(len(start), -1.0)
        for angle in (np.zeros_like(whole), whole, nearest):
            largest = np.maximum(largest, along + cosine * np.cos(angle) + sine * np.sin(angle))
        least = np.minimum(least, np.arccos(np.clip(largest, -1.0, 1.0)) - zone.angle)
    return least


def ways_round(
    start: Quaternion, end: Quaternion, zones: Sequence[Zone], margin: float
) -> Iterator[list[Quaternion]]:
    """Yield ways from one attitude (4,) to another round zones, shorter ones first.

    A way is a list of one or two attitudes at which the body stops.

    margin: least clearance of a way [rad], less near a start or an end that has less
    """
    least = min([margin, *(0.9 * clearance(q, zone) for q in (start, end) for zone in zones)])
    through = np.array([*_beside(start, end, zones, margin), *_spread()])
    there = least_clearances(np.tile(start, (len(through), 1)), through, zones) >= least
    back = least_clearances(through, np.tile(end, (len(through), 1)), zones) >= least
    from_start, to_end = _angles(start[np.newaxis], through)[0], _angles(through, end[np.newaxis])
    single = np.flatnonzero(there & back)
    for k in single[np.argsort((from_start + to_end[:, 0])[single], kind='stable')]:
        yield [through[k]]
    first, last = np.flatnonzero(there), np.flatnonzero(back)
    whole = (
        from_start[first, np.newaxis] + _angles(through[first], through[last])
        + to_end[last, 0]
    )  # fmt: skip
    order = np.argsort(whole, axis=None, kind='stable')[:PAIRS]
    i, j = np.unravel_index(order, whole.shape)
    stops, next_stops = through[first[i]], through[last[j]]
    for k in np.flatnonzero(least_clearances(stops, next_stops, zones) >= least):
        yield [stops[k], next_stops[k]]


def _angles(start: Array, end: Array) -> Array:
    """Return the angles [rad] (n, m) between attitudes (n, 4) and (m, 4)."""
    cosines = np.abs(product(start, end.T))
    return 2.0 * np.arccos(np.clip(cosines, 0.0, 1.0))


def _beside(
    start: Quaternion, end: Quaternion, zones: Sequence[Zone], margin: float
) -> Iterator[Quaternion]:
    """Yield attitudes of the direct slew, turned so that a boresight passes beside its zone."""
    phi = rotation_vector(compose(conjugate(start), end))
    for share in (0.25, 0.5, 0.75):
        on_the_way = compose(start, _turn(share * phi))
        for zone in zones:
            boresight_W = rotate(on_the_way, zone.axis_B)
            axis_W = cross(zone.direction_W, boresight_W)
            if norm(axis_W) < 1e-6:
                continue
            now = _between(boresight_W, zone.direction_W)
            away = zone.angle + 2.0 * margin
            for wanted in (away, -away):
                turn = _turn((wanted - now) * axis_W / norm(axis_W))
                yield compose(turn, on_the_way)


def _turn(phi: Vector3) -> Quaternion:
    angle = norm(phi)
    share = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.0
    return np.array((math.cos(0.5 * angle), *(share * phi)))


def _spread() -> Array:
    """Return attitudes (ROUND, 4) spread evenly: a super-Fibonacci spiral.

    M. Alexa, Super-Fibonacci Spirals: Fast, Low-Discrepancy Sampling of SO(3), CVPR 2022.
    """
    s = np.arange(ROUND) + 0.5
    r, big = np.sqrt(s / ROUND), np.sqrt(1.0 - s / ROUND)
    alpha, beta = (math.tau * s / constant for constant in SPIRAL)
    return np.column_stack(
        (r * np.sin(alpha), r * np.cos(alpha), big * np.sin(beta), big * np.cos(beta))
    )
