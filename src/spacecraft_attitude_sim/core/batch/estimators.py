# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_estimators of the craft of a batch.

As long as the readings of a craft are ordinary (core.estimation.ordinary) and no vote of the watch
changes, a compiled call takes them, for all such craft at once. With anything else, as a first
attitude, a gap or a gate that refuses for long, nothing has changed there, and the craft's own
estimator takes them in Python. Both work on the same arrays, so each craft has the bits of a
flight alone.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.attitude_law_layout import ESTIMATE
from spacecraft_attitude_sim.core.batch.ephemerides import Ephemerides
from spacecraft_attitude_sim.core.batch.estimates import (
    COMPILED,
    IN_PYTHON,
    KNOWN,
    NOBODY,
    PLAIN,
    SIGHTED,
    STARRED,
    TAKE,
    take_all,
)
from spacecraft_attitude_sim.core.estimation import door
from spacecraft_attitude_sim.core.estimation.event_history import FIRST_SENSOR
from spacecraft_attitude_sim.core.estimation.gyroscope_watch import WatchedEstimator
from spacecraft_attitude_sim.core.estimation.ordinary import ANSWER_SIZE, GIVEN
from spacecraft_attitude_sim.core.estimation.replay import EVENT_SIZE, GYROSCOPE
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME, Reading
from spacecraft_attitude_sim.core.sensors.imu import ATTITUDE, RATE
from spacecraft_attitude_sim.core.simulation import Instant
from spacecraft_attitude_sim.core.simulation.incoming import STARS, names_heard, readings_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.law import Present
    from spacecraft_attitude_sim.core.batch.sensors import Sensors
    from spacecraft_attitude_sim.core.estimation.agreement import Agreement
    from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
    from spacecraft_attitude_sim.core.estimation.settings import Estimate, Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.ticks import Ticks

    Whole = NDArray[np.int64]

# (number of a craft, of a sensor, its nis, and when it read [ns])
Further = tuple[int, int, float, int]
NOWHERE, UNKNOWN = np.zeros(4), np.full(4, np.nan)
NO_VOTES, NO_SIZES = np.zeros(0, dtype=np.int64), np.zeros(0)


class Estimator(NamedTuple):
    """An estimator aboard, and what it knows of the orbit: a function of a time [s]."""

    estimator: AttitudeEstimator | WatchedEstimator
    around: Callable[[float], Array]


class Estimators:
    """The estimators of N craft of a batch, as what prepares a Law.

    each: Estimator of every craft; their Settings and watches have the same sizes

    hear: is given after each tick its number, rows (N, any) of KNOWN, and of the sensors (N, s)
        nis, nan where none was judged, and when it read [ns]; and Further judgements of one
        sensor at this tick, which come before those. None: nobody
    Raises ValueError where sizes differ.
    """

    orders = sees_wheels = False

    def __init__(self, each: Sequence[Estimator]) -> None:
        self._each = [own.estimator for own in each]
        self._orbits = Ephemerides([own.around for own in each])
        self._longest = max(1e-9 * own.estimator.settings.gap_ns for own in each)
        count = len(each)
        first = [_arrays_of(*_filter_of(own)) for own in self._each]
        sizes = [[len(array) for array in own] for own in first]
        if any(own != sizes[0] for own in sizes):
            raise ValueError(
                'attitude_estimators of a batch estimate as many errors each, from as many sensors'
            )
        marks, events, estimates, self._constants, votes, boxes, self._known = (
            np.zeros((count, len(array)), dtype=array.dtype) for array in first[0]
        )
        self._rows = marks, events, estimates, votes, boxes
        # The filter and the votes that live in the rows of a craft, and whether compiled code may
        # take the next readings.
        self._inside: list[tuple[AttitudeEstimator, Agreement | None] | None] = [None] * count
        self._ready = np.zeros(count, dtype=bool)
        self._who = np.zeros(count, dtype=np.int64)
        self._scratch = len(_filter_of(self._each[0])[0].history.arrays[4])
        most = 1 + len(self._each[0].settings.sensors)
        size = ANSWER_SIZE + self._each[0].settings.places.size
        self._stamps = np.zeros((count, 1 + most), dtype=np.int64)
        self._given = np.zeros((count, GIVEN.size * most))
        self._answers = np.zeros((count, size + EVENT_SIZE * most))
        self._estimates = np.zeros((count, ESTIMATE.size))
        self._notes = (
            np.full((count, KNOWN.size), np.nan), np.full((count, most - 1), np.nan),
            np.zeros((count, most - 1), dtype=np.int64),
        )  # fmt: skip
        self._late: dict[int, Instant] = {}  # where readings do not come in time
        # More readings of a sensor that were judged at one tick, before those in the notes.
        self._further: list[Further] = []
        self.hear: Callable[[int, Array, Array, Whole, list[Further]], None] | None = None
        self._takes: Whole | None = None

    def pointed_at(self, tick: int, clock: Ticks) -> Array:
        """Return what each craft points at: nobody asks, for they give no orders."""
        raise NotImplementedError

    def copy_of(self, n: int) -> AttitudeEstimator | WatchedEstimator:
        """Return a copy of the estimator of craft n; it counts readings taken in Python."""
        return copy.deepcopy(self._each[n])

    @property
    def gone(self) -> NDArray[np.bool_]:
        """Mask (N,) of craft that are lost: nobody has taken readings of them."""
        return self._who == NOBODY

    @property
    def covariances_B(self) -> Array:
        """Covariances (N, 9) of the attitudes [rad^2], NaN where nothing has been estimated."""
        return np.where(
            np.isnan(self._notes[0][:, :1]), np.nan, self._notes[0][:, KNOWN.of('covariance_B')]
        )

    @property
    def settings(self) -> list[Settings]:
        """The Settings of each."""
        return [own.settings for own in self._each]

    def before(self, now: Present, rows: Array, speeds: Array) -> None:
        """Take the readings of an instant, and write each ESTIMATE to rows (N, any)."""
        if self._takes is None:
            self._takes = np.array(
                [self._takes_of(n, now.sensors) for n in range(len(self._each))]
            )
        known = self._reach(now)
        self._who[:] = np.where(self._ready & known, COMPILED, IN_PYTHON)
        self._late = _not_in_time(now)
        self._who[list(self._late)] = IN_PYTHON
        self._further.clear()
        marks, events, estimates, votes, boxes = self._rows
        store = marks, votes, self._takes, events, estimates, self._constants, boxes, self._known
        sensing = now.starts, now.sensors.intervals, now.sensors.readings
        packed = self._who, self._stamps, self._given, self._answers, self._estimates

        notes = self._notes, self._scratch

        def take(first: int, last: int) -> None:
            clock = now.tick, now.ticks.tick_ns
            take_all(first, last, *clock, sensing, store, self._orbits.arrays, *packed, *notes)

        now.shares.share(len(self._each), take)
        for n in np.flatnonzero(self._who == IN_PYTHON).tolist():
            self._take(n, now)
        if self.hear:
            self.hear(now.tick, *self._notes, self._further)
        rows[:] = self._estimates

    def _take(self, n: int, now: Present) -> None:
        """Let the estimator of craft n take its readings in Python."""
        clock_ns = now.ticks.stamp(int(now.tick - now.starts[n]))
        given: Iterable[Reading] = self._readings(n)
        if late := self._late.get(n):
            given = readings_at(late, names_heard(self._each[n].settings.sensors))
        estimate = self._each[n].take(given, clock_ns)
        self._note(n, estimate)
        self._ready[n] = self._moves_in(n)
        assert self._takes is not None
        gyroscope, row = self._takes[n, TAKE.at('column')], self._estimates[n]
        if estimate is None:  # then the IMU itself counts
            imu = now.sensors.readings[n, gyroscope - RATE :]
            row[:] = ESTIMATE.packed(known=1.0, q_WS=imu[ATTITUDE:][:4], omega_S=imu[RATE:][:3])
            return
        q_WS, omega_S = estimate.in_sensor(self._each[n].settings.gyroscope.q_BS)
        row[:] = ESTIMATE.packed(
            known=float(q_WS is not None), q_WS=NOWHERE if q_WS is None else q_WS, omega_S=omega_S
        )

    def _note(self, n: int, estimate: Estimate | None) -> None:
        """Write the notes of craft n."""
        known, nis, times = (rows[n] for rows in self._notes)
        known[0], nis[:] = np.nan, np.nan
        if estimate is None:
            return
        q_WB = UNKNOWN if estimate.q_WB is None else estimate.q_WB
        covariance_B = estimate.covariance[:3, :3].ravel()
        known[:] = KNOWN.packed(time_ns=estimate.time_ns, q_WB=q_WB, covariance_B=covariance_B)
        names = list(self._each[n].settings.sensors)
        for judged in estimate.judgements:
            number = names.index(judged.sensor)
            if not np.isnan(nis[number]):
                self._further.append((n, number, float(nis[number]), int(times[number])))
            nis[number], times[number] = judged.nis, judged.time_ns

    def _readings(self, n: int) -> Iterator[Reading]:
        """Yield the Readings of craft n as the compiled code has packed them."""
        settings = self._each[n].settings
        names = [*settings.sensors, GYROSCOPE_NAME]  # FIRST_SENSOR is the last
        count = int(self._stamps[n, 0])
        rows = self._given[n, : GIVEN.size * count].reshape(count, GIVEN.size)
        for stamp, row in zip(self._stamps[n, 1:].tolist(), rows.copy(), strict=False):
            number = int(row[0])
            kind = GYROSCOPE if number == FIRST_SENSOR else settings.sensors[names[number]].kind
            yield Reading(names[number], stamp, row[1 : 1 + door.SHAPES[kind][0]])

    def _moves_in(self, n: int) -> bool:
        """Let what is to fly on compiled live in the rows of craft n; return whether it can."""
        own = self._each[n]
        if isinstance(own, WatchedEstimator) and own.ordinary is None:
            return False
        estimator, agreement = _filter_of(own)
        if not estimator.is_ordinary:
            return False
        before = self._inside[n]
        if before and before[0] is estimator:
            return True
        marks, events, estimates, votes, boxes = (rows[n] for rows in self._rows)
        if before:
            before[0].live_in(marks.copy(), events.copy(), estimates.copy())
            if before[1]:
                before[1].live_in(votes.copy(), boxes.copy())
        estimator.live_in(marks, events, estimates)
        self._constants[n] = estimator.history.arrays[3]
        if agreement:
            agreement.live_in(votes, boxes)
            self._known[n] = agreement.arrays[2]
        self._inside[n] = estimator, agreement
        return True

    def _takes_of(self, n: int, sensors: Sensors) -> Whole:
        """Return TAKE of each sensor that the estimator of craft n knows, in the node's order."""
        known = list(self._each[n].settings.sensors)
        rows = np.zeros((1 + len(known), TAKE.size), dtype=np.int64)
        kinds = {kind.name: kind for kind in sensors.kinds if n in kind.bodies}
        for row, name in zip(rows, names_heard(known), strict=True):
            if name not in kinds:
                continue
            kind = kinds[name]
            number = FIRST_SENSOR if name == 'imu' else known.index(name)
            begin, size, how = kind.columns.start, kind.layout.size, PLAIN
            if name == 'imu':
                begin, size = begin + RATE, 3
            elif size > 3:  # what it sees stands behind the tick of its image, or SEES
                begin, size, how = begin + 1, size - 1, STARRED if name == STARS else SIGHTED
            row[:] = number, kind.number, begin, size, how
        return rows.ravel()

    def _reach(self, now: Present) -> NDArray[np.bool_]:
        """Let the tables of orbits cover what may be read now; return whose orbit is known."""
        first, last = now.tick - int(now.starts.max()), now.tick - int(now.starts.min())
        begin = max(0.0, now.ticks.seconds(first) - self._longest)
        return self._orbits.reach(begin, now.ticks.seconds(last))


def _not_in_time(now: Present) -> dict[int, Instant]:
    """Return {number of a craft: the Instant} where readings come late."""
    late = {}
    state: Any = None  # nobody asks for it
    for n, came in now.unusual.items():
        if came.delivery.ages or came.delivery.belated:
            tick = came.tick
            late[n] = Instant(tick, state, elapsed=tick, readings=came, ticks=now.ticks)
    return late


def _filter_of(
    estimator: AttitudeEstimator | WatchedEstimator,
) -> tuple[AttitudeEstimator, Agreement | None]:
    """Return the filter that flies as long as all is ordinary, and its votes, if it has any."""
    if isinstance(estimator, WatchedEstimator):
        return estimator.believing.estimator, estimator.believing.agreement
    return estimator, None


def _arrays_of(estimator: AttitudeEstimator, agreement: Agreement | None) -> list[Array]:
    """Return marks, events, estimates, constants, votes, sizes of nis, and known."""
    votes = agreement.arrays if agreement else (NO_VOTES, NO_SIZES, NO_SIZES)
    return [*estimator.history.arrays[:4], *votes]
