# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude at each time from all readings of a flight, those that came later, too.

The Kalman filter of AttitudeEstimator goes through all readings. Then a pass backward in time
corrects each estimate by what was learnt after it. With the filter's error state x, its covariance
P after the readings of a time, and x⁻, P⁻ = Φ P Φᵀ + Q as predicted for the next time,

    C = P Φᵀ (P⁻)⁻¹        x_s = x + C (x_s' - x⁻)        P_s = P + C (P_s' - P⁻) Cᵀ

with ' at the next time: H. E. Rauch, F. Tung, C. T. Striebel, AIAA Journal 3 (1965) 1445. It is
the least-squares solution of all readings, linearised about the filter's estimate. No estimator
that flies can know as much: it judges one. The pass backward needs noise that is independent from
one time to the next, so its filter gives each interval a noise of its own. The filter that flies
knows that the noise of a reading acts in three: it is a second pass forward.
"""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.estimation import door
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.event_history import FIRST_SENSOR
from spacecraft_attitude_sim.core.estimation.kalman_filter import (
    COVARIANCE,
    DRIFT,
    FIELD_BIAS,
    GYRO_AXES,
    GYRO_BIAS,
    OFFSET,
    Places,
    coefficients,
    correct,
    transition_of_axes,
    turning_of,
)
from spacecraft_attitude_sim.core.estimation.references import Unusable, prepared
from spacecraft_attitude_sim.core.estimation.replay import (
    EVENT,
    GYROSCOPE,
    KIND,
    TAKEN,
    TIME,
    event_of,
    replay,
    scratch_of,
)
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.estimation.settings import Reading, Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Most times that are kept, and most numbers of an estimate at all of them: less than 3 GB.
MOST_TIMES, MOST_NUMBERS = 1_000_000, 100_000_000


class Solution(NamedTuple):
    """Estimates at k times, those at which the gyroscope has read.

    time_ns: (k,) [ns];  q_WB: (k, 4) attitude
    gyro_bias_B: (k, 3) [rad/s];  field_bias_S: (k, 3) of the magnetometer [T]
    covariance: (k, n, n) of the n errors, as of core.estimation.settings.Estimate
    gyro_axes_S: (k, 3, 3) errors of the gyroscope's axes;  mountings: (k, m, 4) of m sensors of
        which they are estimated
    """

    time_ns: NDArray[np.int64]
    q_WB: Array
    gyro_bias_B: Array
    field_bias_S: Array
    covariance: Array
    gyro_axes_S: Array
    mountings: Array

    @staticmethod
    def joined(solutions: Sequence[Solution]) -> Solution:
        """Return the times of Solutions, one after the other."""
        columns = (np.concatenate(column) for column in zip(*solutions, strict=True))
        return Solution(*columns)  # type: ignore[arg-type]

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
    Raises ValueError for more times than MOST_TIMES or MOST_NUMBERS allow.
    """
    ours = sorted(readings, key=_time_of)
    most = min(MOST_TIMES, MOST_NUMBERS // settings.places.size)
    if sum(reading.sensor == GYROSCOPE_NAME for reading in ours) > most:
        raise ValueError(f'the gyroscope reads more than {most} times; give less at once')
    events, times_ns = _events(settings, around, ours)
    parts: list[Passes] = []
    end_ns = -1
    while start := _begun(settings, around, ours, end_ns):
        begun_ns, begun = start
        first = int(np.searchsorted(times_ns, begun_ns))
        last = _before_gap(events, times_ns, first, settings.gap_ns)
        after_ns = max(end_ns, begun_ns - settings.gap_ns - 1)
        lead = _reading_before(events, times_ns, first, after_ns)
        part = events[lead:last], times_ns[lead:last]
        forward = _Forward(settings, begun, *part, first - lead)
        parts.append(forward.passes())
        end_ns = forward.end_ns
    if not parts:
        return None
    return Passes(*(Solution.joined(solutions) for solutions in zip(*parts, strict=True)))


def _begun(
    settings: Settings,
    around: Callable[[float], Array] | None,
    ours: Sequence[Reading],
    after_ns: int,
) -> tuple[int, Array] | None:
    """Return when the attitude is first known after a time [ns], and the estimate then."""
    estimator = AttitudeEstimator(settings, around)
    later = itertools.islice(ours, bisect.bisect(ours, after_ns, key=_time_of), None)
    for _, together in itertools.groupby(later, _time_of):
        estimate = estimator.take(together)
        if estimate and estimate.q_WB is not None:
            return estimate.time_ns, estimator.history.estimate.copy()
    return None


def _time_of(reading: Reading) -> int:
    return reading.time_ns


# --- the readings ------------------------------------------------------------------------------


def _events(
    settings: Settings, around: Callable[[float], Array] | None, ours: Sequence[Reading]
) -> tuple[Array, NDArray[np.int64]]:
    """Return the EVENTs (m, EVENT.size) that count, in order, and their times (m,) [ns]."""
    numbers = {name: number for number, name in enumerate(settings.sensors)}
    rows: dict[tuple[int, int], Array] = {}
    for reading in ours:
        if reading.sensor == GYROSCOPE_NAME:
            number, kind = FIRST_SENSOR, GYROSCOPE
        else:
            number, kind = numbers[reading.sensor], settings.sensors[reading.sensor].kind
        key = reading.time_ns, number
        if door.problem(reading, kind) or key in rows:
            continue
        if kind == GYROSCOPE:
            values = rotations.rotate(settings.gyroscope.q_BS, reading.values)
            rows[key] = event_of(kind, number, values)
            continue
        known = settings.sensors[reading.sensor]
        try:
            measured = prepared(reading, known, around, settings.sunlit_share)
        except Unusable:
            continue
        rows[key] = event_of(kind, number, *measured)
    keys = sorted(rows)
    events = np.array([rows[key] for key in keys]).reshape(-1, EVENT.size)
    times_ns = np.array([time_ns for time_ns, _ in keys], dtype=np.int64)
    if len(keys):
        events[:, TIME] = times_ns - times_ns[0]
    return events, times_ns


def _before_gap(events: Array, times_ns: NDArray[np.int64], first: int, gap_ns: int) -> int:
    """Return the number of the event behind the last ones before a gap of the gyroscope.

    first: number of the first event
    """
    rates_ns = times_ns[first:][events[first:, KIND] == GYROSCOPE]
    gaps = np.flatnonzero(np.diff(rates_ns) > gap_ns)
    end_ns = rates_ns[gaps[0]] if len(gaps) else rates_ns[-1]
    return int(np.searchsorted(times_ns, end_ns, 'right'))


def _reading_before(events: Array, times_ns: NDArray[np.int64], first: int, after_ns: int) -> int:
    """Return the number of the gyroscope's reading before event `first`, or `first` without one.

    after_ns: it must be later than this
    """
    rates = np.flatnonzero((events[:first, KIND] == GYROSCOPE) & (times_ns[:first] > after_ns))
    return int(rates[-1]) if len(rates) else first


# --- forward and backward ----------------------------------------------------------------------


class _Forward:
    """The filter's pass over events without a gap, kept for the pass backward.

    begun: estimate of kalman_filter after the events of the first time
    events, times_ns: (m, EVENT.size) and (m,); first and last in time is the gyroscope
    lead: how many events are before the first time; the first is a reading of the gyroscope

    end_ns: last time that it reached [ns]
    """

    def __init__(
        self,
        settings: Settings,
        begun: Array,
        events: Array,
        times_ns: NDArray[np.int64],
        lead: int,
    ) -> None:
        self._settings, self._places = settings, settings.places
        self._own_noise, self._flying = (settings.constants(carried) for carried in (False, True))
        self._scratch = scratch_of(self._places)
        self._events, self._refused_ns = events, -1
        self._rates = np.flatnonzero(events[:, KIND] == GYROSCOPE)
        starts = lead + np.flatnonzero(np.diff(times_ns[lead:], prepend=-1))
        stops = np.append(starts[1:], len(events)).tolist()
        times_ns = times_ns[starts]
        self._after = np.zeros((len(starts), self._places.size))
        self._predicted = np.zeros_like(self._after)
        self._flown = np.zeros_like(self._after)
        self._after[0] = self._flown[0] = begun
        k = 0
        for k in range(1, len(starts)):
            self._pass_time(k, int(starts[k]), stops[k])
            new = events[starts[k] : stops[k]]
            if self._has_lost(int(times_ns[k]), new[new[:, KIND] != GYROSCOPE]):
                break
        self._times_ns, self._after = times_ns[: k + 1], self._after[: k + 1]
        self._flown = self._flown[: k + 1]
        # The gyroscope is first among the events of a time.
        self._read = events[starts[: k + 1], KIND] == GYROSCOPE
        self.end_ns = int(times_ns[k])

    def _pass_time(self, k: int, start: int, stop: int) -> None:
        """Compute the estimates predicted for a time, and after its readings."""
        following = int(np.searchsorted(self._rates, start))
        before = int(self._rates[max(following - 3, 0)])  # a jump shows in four
        last = max(int(self._rates[min(following, len(self._rates) - 1)]) + 1, stop)
        part = self._events[before:last].reshape(-1)
        estimates = np.zeros((last - before, self._places.size))
        first, end = start - before, stop - before
        estimates[first - 1] = self._after[k - 1]
        given = part, estimates.reshape(-1), self._own_noise
        replay(*given, False, first, first + 1, self._scratch)  # it waits: a prediction alone
        self._predicted[k] = estimates[first]
        replay(*given, True, first, end, self._scratch)
        self._after[k] = estimates[end - 1]
        estimates[first - 1] = self._flown[k - 1]
        replay(*given[:2], self._flying, True, first, end, self._scratch)
        self._flown[k] = estimates[end - 1]

    def _has_lost(self, time_ns: int, measured: Array) -> bool:
        """Return whether the gate has refused all for so long that the filter begins anew.

        measured: EVENTs (any, EVENT.size) of a time [ns]
        """
        if not len(measured):
            return False
        if (measured[:, TAKEN] > 0.0).any():
            self._refused_ns = -1
            return False
        if self._refused_ns < 0:
            self._refused_ns = time_ns
        return time_ns - self._refused_ns >= self._settings.reset_ns

    def passes(self) -> Passes:
        """Return the Passes at the times of the gyroscope."""
        return Passes(
            *(
                _solution(self._times_ns, flat, self._places).at(self._read)
                for flat in (self._flown, self._backward())
            )
        )

    def _backward(self) -> Array:
        """Return the smoothed estimates of the filter's."""
        places, own = self._places, self._after.copy()
        n = places.n
        P, ahead = (
            flat[:, COVARIANCE : COVARIANCE + n * n].reshape(-1, n, n)
            for flat in (own, self._predicted)
        )
        steps = 1e-9 * np.diff(self._times_ns)
        for k in range(len(own) - 2, -1, -1):
            phi = self._transition(own[k], self._predicted[k + 1], float(steps[k]))
            gain = np.linalg.solve(ahead[k + 1], phi @ P[k]).T
            error = _between(self._predicted[k + 1], own[k + 1], places)
            P[k] += gain @ (P[k + 1] - ahead[k + 1]) @ gain.T
            P[k] = 0.5 * (P[k] + P[k].T)
            learnt = gain @ error
            q = rotations.compose(own[k, 0:4], np.array(turning_of(tuple(learnt[:3]))))
            correct(own[k], places, learnt)
            own[k, 0:4] = q
        return own

    def _transition(self, flat: Array, predicted: Array, step: float) -> Array:
        """Return the transition (n, n) from an estimate to the one predicted from it."""
        turn = rotations.rotation_between(flat[0:4], predicted[0:4])
        phi, places = transition(turn, step, self._places.n), self._places
        own = self._settings.gyroscope
        if own.calibrated:
            of_turn, axes = phi[:6, :6].ravel(), np.zeros(54)
            transition_of_axes(flat, tuple(own.q_BS), tuple(turn), step, of_turn, axes)
            phi[:6, :6] = of_turn.reshape(6, 6)
            phi[:6, places.axes : places.mountings] = axes.reshape(6, 9)
        return phi


def _solution(times_ns: NDArray[np.int64], flat: Array, places: Places) -> Solution:
    """Return the Solution of estimates (k, size)."""
    n = places.n
    return Solution(
        times_ns, flat[:, 0:4], flat[:, GYRO_BIAS:FIELD_BIAS], flat[:, FIELD_BIAS:GYRO_AXES],
        flat[:, COVARIANCE : COVARIANCE + n * n].reshape(-1, n, n),
        flat[:, GYRO_AXES:COVARIANCE].reshape(-1, 3, 3),
        flat[:, COVARIANCE + n * n : places.noises].reshape(len(flat), -1, 4),
    )  # fmt: skip


def _between(begin: Array, end: Array, places: Places) -> Array:
    """Return the error state (n,) from an estimate to another."""
    n, error = places.n, np.zeros(places.n)
    error[:DRIFT] = rotations.rotation_between(begin[0:4], end[0:4])
    whole = end[GYRO_BIAS:COVARIANCE] - begin[GYRO_BIAS:COVARIANCE]
    axes = GYRO_AXES - GYRO_BIAS
    error[DRIFT : places.axes] = whole[: places.axes - DRIFT]
    error[places.axes : places.mountings] = whole[axes : axes + places.mountings - places.axes]
    for k in range(places.mountings, n, 3):
        place = COVARIANCE + n * n + 4 * ((k - places.mountings) // 3)
        error[k : k + 3] = rotations.rotation_between(
            begin[place : place + 4], end[place : place + 4]
        )
    return error


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
