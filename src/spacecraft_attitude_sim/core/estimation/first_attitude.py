# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The first attitude of an estimator: of a star tracker, or of directions by Wahba's problem.

Directions that sensors see one after the other are put together in axes N, which only the
gyroscope follows; what its bias may have turned these makes old directions less certain. So a
magnetometer alone suffices where the field turns, and a single frame of two sensors anywhere.

G. Wahba, SIAM Review 7 (1965) 409; M. D. Shuster, S. D. Oh, J. Guidance 4 (1981) 70, for the
covariance.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.estimation.kalman_filter import COVARIANCE
from spacecraft_attitude_sim.core.estimation.replay import FIELD, READING, REFERENCE
from spacecraft_attitude_sim.core.mathematics import fixed_order, rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.core.estimation.settings import KnownSensor, Settings
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Quaternion,
        Vector3,
        VectorLike,
    )

X_AXIS = (1.0, 0.0, 0.0)
NOTHING: Mapping[int, Array] = MappingProxyType({})
# Most directions that are remembered.
MOST_SIGHTS = 256


class Mounting(NamedTuple):
    """How a sensor is mounted, as estimated.

    q_BS: (4,);  place: of its misalignment in the error state, 0 where it is not estimated
    sigma: standard deviation of the misalignment about any axis [rad]
    """

    q_BS: VectorLike
    place: int = 0
    sigma: float = 0.0


class Sight(NamedTuple):
    """A direction that was seen.

    time_ns: when;  direction_N, direction_W: (3,) unit vectors: as measured, and as known
    sigma: standard deviation about each axis [rad]
    place: of the sensor's misalignment in the error state, or 0;  q_NS: attitude of the sensor
    misalignment: part of sigma that its misalignment has [rad]
    """

    time_ns: int
    direction_N: Vector3
    direction_W: Vector3
    sigma: float
    place: int = 0
    q_NS: Quaternion | None = None
    misalignment: float = 0.0


class Solution(NamedTuple):
    """The attitude of axes N that fits sights.

    q_WN: (4,);  covariance_N: (3, 3) of its error, a rotation vector in N [rad^2], without that
        by misalignments
    misfit: sum of squared normalised residuals: χ² of `freedom` degrees of freedom
    turned_by: {place in the error state: (3, 3) how misalignments turn N}
    """

    q_WN: Quaternion
    covariance_N: Array
    misfit: float
    freedom: int
    turned_by: dict[int, Array]


def solve(
    sights: Sequence[Sight], largest_sigma: float, sigmas: Sequence[float] = ()
) -> Solution | None:
    """Return the Solution; None where an axis would be less certain than largest_sigma [rad].

    sigmas: of the sights, in place of their own
    """
    if len(sights) < 2:
        return None
    weights = np.array([sigma**-2 for sigma in sigmas or [sight.sigma for sight in sights]])
    seen = np.array([sight.direction_N for sight in sights])
    known = np.array([sight.direction_W for sight in sights])
    information, certain = _information(weights, seen), _information(weights, known)
    # The noise of one direction looks like several: half must come from those that have none.
    least = min(np.linalg.eigvalsh(information)[0], 2.0 * np.linalg.eigvalsh(certain)[0])
    if least < largest_sigma**-2:
        return None
    from scipy.spatial.transform import Rotation

    if sigmas:
        pairs = zip(sights, sigmas, strict=True)
        sights = [sight._replace(sigma=sigma) for sight, sigma in pairs]
    fit, distance = Rotation.align_vectors(known, seen, weights)
    x, y, z, w = fit.as_quat()
    q_WN = rotations.unit_quaternion((w, x, y, z))
    freedom = 2 * len(sights) - 3
    independent = np.asarray(np.linalg.inv(information), dtype=np.float64)
    covariance, turned_by = _by_misalignments(sights, independent)
    return Solution(q_WN, covariance, float(distance) ** 2, freedom, turned_by)


def _information(weights: Array, directions: Array) -> Array:
    """Return the inverse (3, 3) of the covariance of a rotation by directions (n, 3)."""
    return weights.sum() * np.eye(3) - np.einsum('i,ij,ik->jk', weights, directions, directions)


def _by_misalignments(
    sights: Sequence[Sight], covariance: Array
) -> tuple[Array, dict[int, Array]]:
    """Return the covariance (3, 3) without what misalignments add to it, and turned_by.

    covariance: (3, 3) as if all errors were independent
    """
    turned_by: dict[int, Array] = {}
    noise = np.zeros((3, 3))
    for sight in sights:
        s = sight.direction_N
        across = sight.sigma**-2 * (np.eye(3) - np.outer(s, s))
        noise += (1.0 - (sight.misalignment / sight.sigma) ** 2) * across
        if sight.q_NS is not None:
            turn = -covariance @ across @ rotations.dcm_from_quaternion(sight.q_NS)
            turned_by[sight.place] = turned_by.get(sight.place, 0.0) + turn
    return covariance @ noise @ covariance if turned_by else covariance, turned_by


class Sights:
    """Collects directions until they give an attitude."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sights: list[Sight] = []

    def add(
        self,
        time_ns: int,
        event: Array,
        q_NB: Quaternion,
        sensor: KnownSensor,
        mounting: Mounting,
    ) -> None:
        """Add what a sensor saw: an event of replay.EVENT of kind FIELD or DIRECTION.

        q_NB: (4,) attitude of the body in axes N at that time;  mounting: of the sensor
        """
        measured_S, sigma = event[READING : READING + 3], math.sqrt(max(sensor.variance[:2]))
        if sensor.kind == FIELD and norm(measured_S) > 0.0:
            sigma = math.hypot(sigma, self._settings.field_bias_sigma) / norm(measured_S)
        if mounting.place:
            sigma = math.hypot(sigma, mounting.sigma)
        known_W = event[REFERENCE : REFERENCE + 3]
        seen_B = rotations.rotate(mounting.q_BS, measured_S)
        self._add(time_ns, seen_B, known_W, q_NB, sigma, mounting)

    def add_cells(
        self, time_ns: int, events: Array, q_NB: Quaternion, sensors: Sequence[KnownSensor]
    ) -> None:
        """Add the Sun as its cells saw it at one time: the sum of their shares along normals.

        events: (n, EVENT.size) of kind CELL;  sensors: n of them;  q_NB: as in `add`
        """
        total_B = np.zeros(3)
        for event, cell in zip(events, sensors, strict=True):
            total_B += event[READING] * rotations.rotate(cell.q_BS, X_AXIS)
        sigma = math.hypot(
            max(math.sqrt(cell.variance[0]) for cell in sensors), self._settings.sunlit_share
        )
        if norm(total_B) > self._settings.sunlit_share:
            self._add(time_ns, total_B, events[0, REFERENCE : REFERENCE + 3], q_NB, sigma)

    def _add(
        self,
        time_ns: int,
        seen_B: Vector3,
        known_W: Vector3,
        q_NB: Quaternion,
        sigma: float,
        mounting: Mounting | None = None,
    ) -> None:
        if norm(seen_B) == 0.0 or norm(known_W) == 0.0:
            return
        direction_N = rotations.rotate(q_NB, seen_B / norm(seen_B))
        sight = Sight(time_ns, direction_N, known_W / norm(known_W), sigma)
        if mounting and mounting.place:
            q_NS, own = rotations.compose(q_NB, mounting.q_BS), mounting.sigma
            sight = sight._replace(place=mounting.place, q_NS=q_NS, misalignment=own)
        self._sights.append(sight)
        del self._sights[:-MOST_SIGHTS]

    def solution(self, now_ns: int, bias_sigma: float) -> Solution | None:
        """Return the Solution now; None where it would be uncertain, or where nothing fits.

        bias_sigma: standard deviation of the gyroscope's bias [rad/s]
        """
        oldest = now_ns - self._settings.start_ns
        self._sights = [sight for sight in self._sights if sight.time_ns >= oldest]
        noise = self._settings.gyroscope.rate_noise
        sigmas = []
        for sight in self._sights:
            age = 1e-9 * abs(now_ns - sight.time_ns)
            drift = math.hypot(noise * math.sqrt(age), bias_sigma * age)
            sigmas.append(math.hypot(sight.sigma, drift))
        solution = solve(self._sights, self._settings.start_sigma, sigmas)
        if solution and solution.misfit <= self._settings.limit(solution.freedom):
            return solution
        return None


def with_attitude(
    estimate: Array,
    n: int,
    q_WB: Quaternion,
    covariance_B: Array,
    turned_by: Mapping[int, Array] = NOTHING,
) -> Array:
    """Return an estimate with another attitude, whose error depends on misalignments alone.

    estimate: as of kalman_filter;  n: number of errors
    q_WB: (4,);  covariance_B: (3, 3) of its error, a rotation vector in body axes [rad^2]
    turned_by: {place in the error state: (3, 3) how a misalignment turns the body's axes}
    """
    begun = estimate.copy()
    begun[0:4] = q_WB
    P = begun[COVARIANCE : COVARIANCE + n * n].reshape(n, n)
    P[:3], P[:, :3] = 0.0, 0.0
    P[:3, :3] = covariance_B
    for place, turn in turned_by.items():
        P[:3, 3:] += fixed_order.product(turn, P[place : place + 3, 3:])
    P[3:, :3] = P[:3, 3:].T
    for place, turn in turned_by.items():
        P[:3, :3] += fixed_order.product(P[:3, place : place + 3], turn.T)
    return begun
