# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude at each time from all readings of a flight, those that came later, too.

The Kalman filter of AttitudeEstimator goes through all readings. Then a pass backward in time
corrects each estimate by what was learnt after it. With the filter's error state x, its covariance
P after the readings of a time, and x⁻, P⁻ = Φ P Φᵀ + Q as predicted for the next time,

    C = P Φᵀ (P⁻)⁻¹        x_s = x + C (x_s' - x⁻)        P_s = P + C (P_s' - P⁻) Cᵀ

with ' at the next time: H. E. Rauch, F. Tung, C. T. Striebel, AIAA Journal 3 (1965) 1445. It is
the least-squares solution of all readings, linearised about the filter's estimate. No estimator
that flies can know as much: it judges one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.estimation import door
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.event_history import FIRST_SENSOR
from spacecraft_attitude_sim.core.estimation.kalman_filter import (
    COVARIANCE,
    DRIFT,
    ESTIMATE,
    FIELD_BIAS,
    GYRO_BIAS,
    OFFSET,
    coefficients,
    turning_of,
)
from spacecraft_attitude_sim.core.estimation.references import Unusable, prepared
from spacecraft_attitude_sim.core.estimation.replay import (
    EVENT,
    GYROSCOPE,
    KIND,
    READING,
    REFERENCE,
    SCRATCH,
    SENSOR,
    TAKEN,
    TIME,
    replay,
)
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.estimation.settings import Estimate, Reading, Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Most times that are kept; each takes about two kilobytes.
MOST_TIMES = 1_000_000


class Solution(NamedTuple):
    """Estimates at k times, those at which the gyroscope has read.

    time_ns: (k,) [ns];  q_WB: (k, 4) attitude
    gyro_bias_B: (k, 3) [rad/s];  field_bias_S: (k, 3) of the magnetometer [T]
    covariance: (k, n, n) of the n errors, as of core.estimation.settings.Estimate
    """

    time_ns: NDArray[np.int64]
    q_WB: Array
    gyro_bias_B: Array
    field_bias_S: Array
    covariance: Array

    def __add__(self, other: Solution) -> Solution:  # type: ignore[override]
        """Return these times and then those of another."""
        pairs = zip(self, other, strict=True)
        return Solution(*(np.concatenate(pair) for pair in pairs))  # type: ignore[arg-type]

    def at(self, rows: NDArray[np.bool_]) -> Solution:
        """Return the estimates of some of the times."""
        return Solution(*(part[rows] for part in self))  # type: ignore[arg-type]


class Passes(NamedTuple):
    """What a filter and a smoother know of the same readings: two Solutions at the same times."""

    filtered: Solution
    smoothed: Solution


def smoothed(
    settings: Settings, around: Callable[[float], Array] | None, readings: Sequence[Reading]
) -> Passes | None:
    """Return the Passes over readings in any order; None where the attitude is never found.

    It begins at the first known attitude, and anew after a gap of the gyroscope, or where the gate
    has refused all for as long as the estimator bears.

    settings, around: of an AttitudeEstimator
    Raises ValueError for more times than MOST_TIMES.
    """
    ours = sorted(readings, key=lambda reading: reading.time_ns)
    if sum(reading.sensor == GYROSCOPE_NAME for reading in ours) > MOST_TIMES:
        raise ValueError(f'the gyroscope reads more than {MOST_TIMES} times; give less at once')
    parts: list[Passes] = []
    while ours:
        begun = _begun(settings, around, ours)
        if begun is None:
            break
        part, ours = _smoothed_from(settings, around, begun, ours)
        if part:
            parts.append(part)
    if not parts:
        return None
    first, *others = parts
    for other in others:
        first = Passes(first.filtered + other.filtered, first.smoothed + other.smoothed)
    return first


def _begun(
    settings: Settings, around: Callable[[float], Array] | None, ours: Sequence[Reading]
) -> Estimate | None:
    """Return the first Estimate with an attitude; None where there is none."""
    estimator = AttitudeEstimator(settings, around)
    for together in _by_time(ours):
        estimate = estimator.take(together)
        if estimate and estimate.q_WB is not None:
            return estimate
    return None


def _by_time(ours: Sequence[Reading]) -> Iterator[list[Reading]]:
    """Yield the readings of each time together."""
    first = 0
    for k in range(1, len(ours) + 1):
        if k == len(ours) or ours[k].time_ns != ours[first].time_ns:
            yield list(ours[first:k])
            first = k


def _smoothed_from(
    settings: Settings,
    around: Callable[[float], Array] | None,
    begun: Estimate,
    ours: Sequence[Reading],
) -> tuple[Passes | None, list[Reading]]:
    """Return the Passes from an Estimate on, and the readings behind their end."""
    later = [reading for reading in ours if reading.time_ns >= begun.time_ns]
    events, times_ns = _events(settings, around, later, begun.time_ns)
    forward = _Forward(settings, begun, events, times_ns)
    rest = [reading for reading in later if reading.time_ns > forward.end_ns]
    return forward.passes(), rest


# --- the readings ------------------------------------------------------------------------------


def _events(
    settings: Settings,
    around: Callable[[float], Array] | None,
    ours: Sequence[Reading],
    begin_ns: int,
) -> tuple[Array, NDArray[np.int64]]:
    """Return EVENTs (m, EVENT.size) in order and their times (m,) [ns].

    The first and the last are of the gyroscope, and none is longer than its gap after another.
    """
    numbers = {name: number for number, name in enumerate(settings.sensors)}
    rows: dict[tuple[int, int], Array] = {}
    for reading in ours:
        row, gyroscope = np.zeros(EVENT.size), reading.sensor == GYROSCOPE_NAME
        number = FIRST_SENSOR if gyroscope else numbers[reading.sensor]
        kind = GYROSCOPE if gyroscope else settings.sensors[reading.sensor].kind
        if door.problem(reading, kind) or (reading.time_ns, number) in rows:
            continue
        row[KIND], row[SENSOR], row[TIME] = kind, number, reading.time_ns - begin_ns
        if gyroscope:
            rate_B = rotations.rotate(settings.gyroscope.q_BS, reading.values)
            row[READING : READING + 3] = rate_B
        else:
            known = settings.sensors[reading.sensor]
            try:
                values, reference_W = prepared(reading, known, around, settings.sunlit_share)
            except Unusable:
                continue
            row[READING : READING + len(values)] = values
            row[REFERENCE : REFERENCE + 3] = reference_W
        rows[reading.time_ns, number] = row
    keys = _without_gaps(sorted(rows), settings.gap_ns)
    return np.array([rows[key] for key in keys]), np.array(
        [key[0] for key in keys], dtype=np.int64
    )


def _without_gaps(keys: list[tuple[int, int]], gap_ns: int) -> list[tuple[int, int]]:
    """Return the (time [ns], sensor) up to the gyroscope's last reading before a gap."""
    end = last_ns = None
    for place, (time_ns, number) in enumerate(keys):
        if number != FIRST_SENSOR:
            continue
        if last_ns is not None and time_ns - last_ns > gap_ns:
            break
        end, last_ns = place, time_ns
    if end is None:
        return []
    while end + 1 < len(keys) and keys[end + 1][0] == last_ns:
        end += 1
    return keys[: end + 1]


# --- forward and backward ----------------------------------------------------------------------


class _Forward:
    """The filter's pass over events, kept for the pass backward.

    times_ns: of the filter's estimates, one behind all readings of each time
    end_ns: last time that it reached [ns]
    """

    def __init__(
        self, settings: Settings, begun: Estimate, events: Array, times_ns: NDArray[np.int64]
    ) -> None:
        self._settings, self._n = settings, settings.errors
        self._constants, self._scratch = settings.constants(), np.zeros(SCRATCH)
        self._events, self._refused_ns = events, -1
        starts = np.flatnonzero(np.diff(times_ns, prepend=-1))
        self._rates = np.flatnonzero(events[:, KIND] == GYROSCOPE)
        self.times_ns = times_ns[starts]
        self._after = np.zeros((len(starts), ESTIMATE.size))
        self._predicted = np.zeros_like(self._after)
        self._after[0] = _flat(begun, self._n)
        stops = np.append(starts[1:], len(events))
        reached = 1
        for k in range(1, len(starts)):
            self._pass_time(k, int(starts[k]), int(stops[k]))
            reached = k + 1
            if self._has_lost(k, int(starts[k]), int(stops[k])):
                break
        self.times_ns, self._after = self.times_ns[:reached], self._after[:reached]
        self.end_ns = int(self.times_ns[-1])

    def _pass_time(self, k: int, start: int, stop: int) -> None:
        """Compute the estimates predicted for a time, and after its readings."""
        following = int(np.searchsorted(self._rates, start))
        before = int(self._rates[following - 1])
        last = max(int(self._rates[min(following, len(self._rates) - 1)]) + 1, stop)
        part = self._events[before:last].reshape(-1)
        estimates = np.zeros((last - before, ESTIMATE.size))
        first, end = start - before, stop - before
        estimates[first - 1] = self._after[k - 1]
        given = part, estimates.reshape(-1), self._constants
        replay(*given, False, first, first + 1, self._scratch)  # it waits: a prediction alone
        self._predicted[k] = estimates[first]
        replay(*given, True, first, end, self._scratch)
        self._after[k] = estimates[end - 1]

    def _has_lost(self, k: int, start: int, stop: int) -> bool:
        """Return whether the gate has refused all for so long that the filter begins anew."""
        new = self._events[start:stop]
        new = new[new[:, KIND] != GYROSCOPE]
        if not len(new):
            return False
        if (new[:, TAKEN] > 0.0).any():
            self._refused_ns = -1
            return False
        if self._refused_ns < 0:
            self._refused_ns = int(self.times_ns[k])
        return int(self.times_ns[k]) - self._refused_ns >= self._settings.reset_ns

    def passes(self) -> Passes | None:
        """Return the Passes at the times of the gyroscope; None where it has lost the attitude."""
        n, flat = self._n, self._after
        P = flat[:, COVARIANCE : COVARIANCE + n * n].reshape(-1, n, n)
        filtered = Solution(
            self.times_ns, flat[:, 0:4], flat[:, GYRO_BIAS:FIELD_BIAS],
            flat[:, FIELD_BIAS:COVARIANCE], P,
        )  # fmt: skip
        whole = Passes(filtered, self._backward(filtered))
        read_ns = self._events[self._rates, TIME] + self.times_ns[0]
        rows = np.isin(self.times_ns, read_ns.astype(np.int64))
        return Passes(whole.filtered.at(rows), whole.smoothed.at(rows))

    def _backward(self, filtered: Solution) -> Solution:
        """Return the smoothed Solution of a filter's."""
        n, m = self._n, len(self.times_ns)
        q, bias, offset, P = (np.array(part) for part in filtered[1:])
        predicted = self._predicted[:m]
        ahead = predicted[:, COVARIANCE : COVARIANCE + n * n].reshape(-1, n, n)
        steps = 1e-9 * np.diff(self.times_ns)
        for k in range(m - 2, -1, -1):
            turn = rotations.rotation_between(q[k], predicted[k + 1, 0:4])
            phi = transition(turn, float(steps[k]), n)
            gain = np.linalg.solve(ahead[k + 1], phi @ P[k]).T
            error = np.concatenate((
                rotations.rotation_between(predicted[k + 1, 0:4], q[k + 1]),
                bias[k + 1] - predicted[k + 1, GYRO_BIAS:FIELD_BIAS],
                offset[k + 1] - predicted[k + 1, FIELD_BIAS:COVARIANCE],
            ))[:n]  # fmt: skip
            P[k] += gain @ (P[k + 1] - ahead[k + 1]) @ gain.T
            P[k] = 0.5 * (P[k] + P[k].T)
            learnt = gain @ error
            q[k] = rotations.compose(q[k], np.array(turning_of(tuple(learnt[:3]))))
            bias[k] += learnt[DRIFT:OFFSET]
            if n > OFFSET:
                offset[k] += learnt[OFFSET:]
        return Solution(filtered.time_ns, q, bias, offset, P)


def _flat(estimate: Estimate, n: int) -> Array:
    """Return the ESTIMATE of an Estimate with an attitude."""
    flat = np.zeros(ESTIMATE.size)
    flat[0:4], flat[GYRO_BIAS:FIELD_BIAS] = estimate.q_WB, estimate.gyro_bias_B
    flat[FIELD_BIAS:COVARIANCE] = estimate.field_bias_S
    flat[COVARIANCE : COVARIANCE + n * n] = estimate.covariance.ravel()
    return flat


def transition(turn: Array, step: float, n: int) -> Array:
    """Return the transition (n, n) of the errors over a step, as kalman_filter.transition.

    turn: rotation vector of the body in it [rad];  step: [s]
    """
    first, second, third = coefficients(float(np.linalg.norm(turn)))
    across, phi = rotations.cross_matrix(turn), np.eye(n)
    square = across @ across
    phi[:3, :3] += second * square - first * across
    phi[:3, DRIFT:OFFSET] = -step * (np.eye(3) - second * across + third * square)
    return phi
