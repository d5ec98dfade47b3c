# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Finds attitude and gyroscope bias from readings, at their rates and with their latencies."""

from __future__ import annotations

import math
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.estimation import calibration, door, ordinary
from spacecraft_attitude_sim.core.estimation.event_history import (
    BEFORE,
    FIRST_SENSOR,
    GATED,
    RATE,
    EventHistory,
    rate_at,
)
from spacecraft_attitude_sim.core.estimation.field_length import WRONG_LENGTH, FieldLengths
from spacecraft_attitude_sim.core.estimation.first_attitude import Mounting, Sights, with_attitude
from spacecraft_attitude_sim.core.estimation.kalman_filter import (
    COVARIANCE,
    DRIFT,
    FIELD_BIAS,
    GYRO_BIAS,
    OFFSET,
)
from spacecraft_attitude_sim.core.estimation.ordinary import ANSWER
from spacecraft_attitude_sim.core.estimation.references import Unusable, prepared
from spacecraft_attitude_sim.core.estimation.replay import (
    ATTITUDE,
    CELL,
    EVENT,
    FREEDOM,
    GYROSCOPE,
    KIND,
    NIS,
    READING,
    RESIDUAL,
    TAKEN,
    event_of,
)
from spacecraft_attitude_sim.core.estimation.settings import (
    GYROSCOPE_NAME,
    Estimate,
    Judgement,
    Reading,
)
from spacecraft_attitude_sim.core.mathematics import fixed_order, rotations
from spacecraft_attitude_sim.core.ticks import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

# Most readings that wait for the gyroscope to pass their time.
MOST_WAITING = 256
# Readings of which none needs a model have none.
NOWHERE = np.zeros(0)
NOT_YET = 'no reading of the gyroscope yet'
# A problem is told for so long [ns].
REMEMBERED_NS = 5_000_000_000
# Without a clock, a reading of the gyroscope after a longer silence may have a wrong stamp.
LONGEST_SILENCE_NS = 60_000_000_000
UNKNOWN_ATTITUDE = 'the attitude is not known yet'
# What becomes of a reading: keys of `counts`.
TOOK, GATED_OUT, REFUSED, LATE, AGAIN, DARK, USED = (
    'taken', 'outside the gate', 'refused', 'too late', 'again', 'too dark', 'used to begin',
)  # fmt: skip


class AttitudeEstimator:
    """The estimator and its memory.

    around: function of a time [s] that returns the environment (25,) of
        core.environment.surroundings; None where no sensor needs it

    counts: {sensor: Counter of what became of its readings};  resets: how often it began anew
    lengths: FieldLengths
    """

    def __init__(self, settings: Settings, around: Callable[[float], Array] | None = None) -> None:
        self.settings = settings
        self._sensors = list(settings.sensors.values())
        self._names = list(settings.sensors)
        self._mountings = settings.mountings
        self._around = around
        self._history = EventHistory(settings.constants(), settings.history_ns, settings.rows)
        self._marks = self._history.marks
        # {sensor: (its number, how many numbers it reads, whether a model says what it should)}
        self._kinds = {GYROSCOPE_NAME: (FIRST_SENSOR, door.SHAPES[GYROSCOPE][0], False)}
        for number, (name, sensor) in enumerate(settings.sensors.items()):
            self._kinds[name] = number, door.SHAPES[sensor.kind][0], sensor.kind != ATTITUDE
        self.counts = {name: Counter[str]() for name in (GYROSCOPE_NAME, *settings.sensors)}
        self.resets, self.lengths = 0, FieldLengths(settings)
        self.restart()

    def restart(self) -> None:
        """Forget all but the counts."""
        self._problem, self._problem_ns = '', 0
        self._marks[[RATE, BEFORE, GATED]] = -1, -1, 0
        self._doubted_ns: int | None = None
        # The rate of a doubted reading of the latest call, later than all others.
        self._alone: tuple[int, Vector3] | None = None
        self._waiting: list[Reading] = []
        self._sights = Sights(self.settings)

    @property
    def begun(self) -> bool:
        """Whether the attitude is known."""
        return self._rate_ns is not None and self._history.begun

    @property
    def _rate_ns(self) -> int | None:
        """Time of the gyroscope's latest reading."""
        time_ns = int(self._marks[RATE])
        return None if time_ns < 0 else time_ns

    @property
    def _are_rare(self) -> bool:
        return bool(self._waiting) or not self.lengths.right

    @property
    def waiting(self) -> int:
        """How many readings wait for the gyroscope to pass their time."""
        return len(self._waiting)

    @property
    def problem(self) -> str:
        """Why there is no attitude, or of the last seconds why a reading did not count, or ''."""
        if self._rate_ns is None:
            return self._problem or NOT_YET
        if not self._history.begun:
            return UNKNOWN_ATTITUDE
        return self._problem if self._rate_ns - self._problem_ns < REMEMBERED_NS else ''

    @property
    def is_ordinary(self) -> bool:
        """Whether compiled code may take the next readings, as ordinary.take does."""
        return self.begun and self._doubted_ns is None and not self._are_rare

    @property
    def history(self) -> EventHistory:
        """The readings of the last seconds, and the estimate after each."""
        return self._history

    def live_in(self, marks: NDArray[np.int64], events: Array, estimates: Array) -> None:
        """Keep the history in given arrays from now on; see EventHistory.live_in."""
        self._history.live_in(marks, events, estimates)
        self._marks = marks

    def take(self, readings: Iterable[Reading], clock_ns: int | None = None) -> Estimate | None:
        """Take readings, in any order; return the Estimate after the gyroscope's latest.

        It is None where the gyroscope has not read yet. After a lone reading behind a gap it has a
        rate and no attitude.

        clock_ns: current time, to refuse readings from the future; None without a clock
        Raises KeyError for a sensor that the settings do not have.
        """
        given = list(readings)
        estimate = None if self._are_rare else self._take_ordinary(given, clock_ns)
        return self._take_any(given, clock_ns) if estimate is None else estimate

    # --- what is ordinary ---------------------------------------------------------------------

    def _take_ordinary(self, given: list[Reading], clock_ns: int | None) -> Estimate | None:
        """Do what `take` does in one compiled call; None, and nothing taken, where it cannot."""
        packed = self._packed(given) if self.begun else None
        if packed is None:
            return None
        end = ANSWER.size + self.settings.places.size
        answer, kept = np.empty(end + EVENT.size * len(given)), np.empty(len(given), np.int64)
        became = ordinary.take(*self._history.arrays, *packed, clock_ns or 0, answer, kept)
        if became == ordinary.EXTRAORDINARY:
            return None
        if len(kept) and kept[-1] < 0:
            for k in set(range(len(given))) - set(kept.tolist()):
                self.counts[given[k].sensor][DARK] += 1
            given = [given[k] for k in kept.tolist() if k >= 0]
        self._alone = None
        if any([reading.sensor == GYROSCOPE_NAME for reading in given]):  # noqa: C419
            self._doubted_ns = None
            self.counts[GYROSCOPE_NAME][TOOK] += 1
        judgements = self._judgements(given, answer[end:])
        self._count(judgements)
        if became == ordinary.LOST:
            self._lose()
            return self._estimate(judgements)
        return self._estimate_of(answer, judgements)

    def _packed(self, given: list[Reading]) -> tuple[NDArray[np.int64], Array, Array] | None:
        """Return stamps, GIVEN, and what is around, for ordinary.take; None where it takes none.

        Raises KeyError for an unknown sensor.
        """
        numbers: list[float] = []
        last_ns = now_ns = int(self._marks[RATE])
        modelled = False
        for name, time_ns, values in given:
            number, width, has_model = self._kinds[name]
            if len(values) != width:
                return None
            own = values.tolist() if isinstance(values, np.ndarray) else values
            numbers += (number, *own, *(0.0,) * (4 - width))
            modelled |= has_model
            if number == FIRST_SENSOR:
                now_ns = time_ns
        if not last_ns <= now_ns <= last_ns + self.settings.gap_ns:
            return None
        if modelled and not self._around:
            return None
        try:
            here = self._around(seconds_of(now_ns, 1)) if modelled and self._around else NOWHERE
            stamps = np.array([reading.time_ns for reading in given], dtype=np.int64)
            return stamps, np.array(numbers, dtype=float), here
        except (ValueError, OverflowError):  # the orbit is not known; no such time
            return None

    def _judgements(self, given: list[Reading], events: Array) -> tuple[Judgement, ...]:
        """Return the Judgements of readings in their order; events: EVENT of each as judged."""
        flat, judgements = events.tolist(), []
        for k, (name, time_ns, _) in enumerate(given):
            number, begin = self._kinds[name][0], EVENT.size * k
            if number == FIRST_SENSOR:
                continue
            kind, residual = flat[begin + KIND], events[begin + RESIDUAL : begin + NIS].copy()
            gate, nis = self.settings.gates[kind], flat[begin + NIS]
            taken = flat[begin + TAKEN] > 0.0
            judged = Judgement(name, time_ns, residual, nis, FREEDOM[kind], gate, taken)
            judgements.append((time_ns, number, judged))
        return tuple([judged for _, _, judged in sorted(judgements)])

    # --- anything else ------------------------------------------------------------------------

    def _take_any(self, given: list[Reading], clock_ns: int | None) -> Estimate | None:
        """Do what `take` does."""
        self._alone = None
        rates: list[Reading] = []
        for reading in [own for own in given if self._is_possible(own, clock_ns)]:
            (rates if reading.sensor == GYROSCOPE_NAME else self._waiting).append(reading)
        for reading in sorted(rates, key=attrgetter('time_ns')):
            self._take_rate(reading)
        if self._rate_ns is None:
            del self._waiting[:-MOST_WAITING]
            return None
        fresh = self._due()
        self._history.compute()
        if not self._history.begun:
            fresh = self._begun_with(fresh)
        judgements = tuple(self._judgement(*key) for key in fresh)
        self._watch(judgements)
        estimate = self._estimate(judgements)
        if self._alone is None:
            return estimate
        time_ns, rate_B = self._alone
        if clock_ns is None and time_ns - estimate.time_ns > LONGEST_SILENCE_NS:
            return estimate
        omega_B = calibration.rate(self._history.estimate, self.settings, rate_B)
        return estimate._replace(time_ns=time_ns, q_WB=None, omega_B=omega_B)

    # --- what comes in ------------------------------------------------------------------------

    def _is_possible(self, reading: Reading, clock_ns: int | None) -> bool:
        name = reading.sensor
        kind = GYROSCOPE if name == GYROSCOPE_NAME else self.settings.sensors[name].kind
        problem = door.problem(reading, kind)
        latest_ns = clock_ns if kind == GYROSCOPE else max(clock_ns or 0, self._rate_ns or 0)
        if not problem and latest_ns and reading.time_ns - latest_ns > self.settings.gap_ns:
            problem = f'{name} is stamped {1e-9 * reading.time_ns:.9g} s, which is still to come'
        return not self._count_problem(name, REFUSED, problem)

    def _count_problem(self, name: str, what: str, problem: str) -> bool:
        """Count a reading that does not count; return whether there is a problem."""
        if problem:
            self.counts[name][what] += 1
            self._note(problem)
        return bool(problem)

    def _note(self, problem: str) -> None:
        self._problem, self._problem_ns = problem, self._rate_ns or 0

    def _take_rate(self, reading: Reading) -> None:
        """Take a reading of the gyroscope; after a gap begin anew, as soon as two agree on it."""
        time_ns, last_ns, gap_ns = reading.time_ns, self._rate_ns, self.settings.gap_ns
        rate_B = rotations.rotate(self.settings.gyroscope.q_BS, reading.values)
        if last_ns is None:
            self._begin(time_ns, rate_B, calibration.ignorance(self.settings))
        elif time_ns > last_ns + gap_ns or time_ns < self._history.oldest_ns:
            self._doubt(time_ns, rate_B, last_ns)
            return
        else:
            self._doubted_ns = None
            if not self._insert(reading, FIRST_SENSOR, event_of(GYROSCOPE, FIRST_SENSOR, rate_B)):
                return
            if time_ns > last_ns:
                self._marks[[BEFORE, RATE]] = last_ns, time_ns
        self.counts[GYROSCOPE_NAME][TOOK] += 1

    def _doubt(self, time_ns: int, rate_B: Vector3, last_ns: int) -> None:
        """Refuse a reading of the gyroscope after a gap, unless it follows such a reading."""
        doubted_ns, self._doubted_ns = self._doubted_ns, time_ns
        if doubted_ns is not None and 0 < time_ns - doubted_ns <= self.settings.gap_ns:
            self.resets += 1
            self._begin(time_ns, rate_B, self._history.estimate.copy())
            self.counts[GYROSCOPE_NAME][TOOK] += 1
            return
        if time_ns > last_ns:
            self._alone = time_ns, rate_B
        text = f'gyroscope: {1e-9 * (time_ns - last_ns):.6g} s from one reading to the next'
        self._count_problem(GYROSCOPE_NAME, LATE, text)

    def _begin(self, time_ns: int, rate_B: Vector3, estimate: Array) -> None:
        """Begin with a reading of the gyroscope and an estimate whose attitude does not count."""
        event, waiting = event_of(GYROSCOPE, FIRST_SENSOR, rate_B), self._waiting
        self.restart()
        self._waiting = waiting
        self._marks[[BEFORE, RATE]] = time_ns
        self._history.begin(time_ns, event, estimate)

    def _lose(self) -> None:
        """Begin anew where the gate has refused all for long."""
        self.resets += 1
        assert self._rate_ns is not None, 'the gyroscope has read'
        events = self._history.events
        event = events[rate_at(events.reshape(-1), len(self._history) - 1)]
        nothing = calibration.ignorance(self.settings)
        self._begin(self._rate_ns, event[READING : READING + 3], nothing)

    def _due(self) -> list[tuple[int, int]]:
        """Insert the readings whose time the gyroscope has passed; return their keys."""
        assert self._rate_ns is not None, 'the gyroscope has read'
        waiting, now_ns = self._waiting, self._rate_ns
        due = [reading for reading in waiting if reading.time_ns <= now_ns]
        later = [reading for reading in waiting if reading.time_ns > now_ns]
        self._waiting = later[-MOST_WAITING:]
        fresh = []
        for reading in due:
            number = self._kinds[reading.sensor][0]
            sensor = self._sensors[number]
            try:
                measured = prepared(reading, sensor, self._around, self.settings.sunlit_share)
            except Unusable as reason:
                if not self._count_problem(reading.sensor, REFUSED, str(reason)):
                    self.counts[reading.sensor][DARK] += 1
                continue
            event = event_of(sensor.kind, number, *measured)
            if self.lengths.refused(number, reading.time_ns, event):
                self._count_problem(reading.sensor, GATED_OUT, f'{reading.sensor}{WRONG_LENGTH}')
            elif self._insert(reading, number, event):
                fresh.append((reading.time_ns, number))
        return sorted(fresh)

    def _insert(self, reading: Reading, number: int, event: Array) -> bool:
        """Put a reading, an EVENT, in its place in the history; return whether it counts."""
        history, time_ns = self._history, reading.time_ns
        if history.knows(time_ns, number):
            self.counts[reading.sensor][AGAIN] += 1
            return False
        if history.insert(time_ns, event):
            return True
        text = f'{reading.sensor} is stamped {1e-9 * reading.time_ns:.9g} s, which is too old'
        return not self._count_problem(reading.sensor, LATE, text)

    # --- the first attitude -------------------------------------------------------------------

    def _begun_with(self, fresh: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Look for a first attitude in new measurements; return those that were judged by it.

        fresh: (time [ns], number of the sensor) of each
        """
        history, n = self._history, self.settings.errors
        for key in fresh:
            number, sensor = history.number_of(*key), self._sensors[key[1]]
            if sensor.kind == ATTITUDE:
                self._begin_with_attitude(number, key[1])
                self.counts[self._names[key[1]]][USED] += 1
                return [other for other in fresh if history.number_of(*other) > number]
        self._look(fresh)
        P = history.estimate[COVARIANCE:][: n * n].reshape(n, n)
        assert self._rate_ns is not None, 'the gyroscope has read'
        drift = math.sqrt(max(P.diagonal()[DRIFT:OFFSET]))
        solution = fresh and self._sights.solution(self._rate_ns, drift)
        if solution:
            q_NB = history.estimate[:4]
            C_BN = rotations.dcm_from_quaternion(q_NB).T
            q_WB = rotations.compose(solution.q_WN, q_NB)
            covariance_B = C_BN @ solution.covariance_N @ C_BN.T
            turned_by = {
                place: fixed_order.product(C_BN, turn)
                for place, turn in solution.turned_by.items()
            }
            begun = with_attitude(history.estimate, n, q_WB, covariance_B, turned_by)
            history.fix(len(history) - 1, begun)
        return []

    def _begin_with_attitude(self, number: int, sensor: int) -> None:
        """Begin with the attitude of an event, measured by the sensor of a number."""
        history = self._history
        q_WS = history.events[number, READING : READING + 4]
        estimate = history.estimates[number]
        q_BS, place, _ = self._mounting(sensor, estimate)
        variance = self._sensors[sensor].variance
        q_WB = rotations.compose(q_WS, rotations.conjugate(q_BS))
        C_BS = rotations.dcm_from_quaternion(q_BS)
        covariance_B = C_BS @ np.diag(variance) @ C_BS.T
        turned_by = {place: -C_BS} if place else {}
        begun = with_attitude(estimate, self.settings.errors, q_WB, covariance_B, turned_by)
        history.fix(number, begun)
        history.compute()

    def _mounting(self, sensor: int, estimate: Array) -> Mounting:
        """Return the Mounting of a sensor, by its number, in an estimate."""
        number, places = self._mountings.get(self._names[sensor], -1), self.settings.places
        if number < 0:
            return Mounting(self._sensors[sensor].q_BS)
        n, place = places.n, places.mountings + 3 * number
        P = estimate[COVARIANCE : COVARIANCE + n * n].reshape(n, n)
        sigma = math.sqrt(max(P.diagonal()[place : place + 3]))
        return Mounting(calibration.mounting(estimate, places, number).copy(), place, sigma)

    def _look(self, fresh: list[tuple[int, int]]) -> None:
        """Remember the directions among new measurements."""
        history = self._history
        cells: dict[int, list[tuple[int, int]]] = {}
        for time_ns, sensor in fresh:
            number, known = history.number_of(time_ns, sensor), self._sensors[sensor]
            self.counts[self._names[sensor]][USED] += 1
            if known.kind == CELL:
                cells.setdefault(time_ns, []).append((number, sensor))
            else:
                event, estimate = history.events[number], history.estimates[number]
                mounting = self._mounting(sensor, estimate)
                self._sights.add(time_ns, event, estimate[:4], known, mounting)
        for time_ns, pairs in cells.items():
            numbers = [number for number, _ in pairs]
            q_NB = history.estimates[numbers[0], :4]
            known_cells = [self._sensors[sensor] for _, sensor in pairs]
            self._sights.add_cells(time_ns, history.events[numbers], q_NB, known_cells)

    def open_bias(self, seconds: float, judgements: tuple[Judgement, ...]) -> Estimate:
        """Return the Estimate as if the gyroscope's bias had been unknown for some time."""
        self._history.widen(calibration.unknown_bias(self.settings, seconds))
        return self._estimate(judgements)

    # --- what goes out ------------------------------------------------------------------------

    def _judgement(self, time_ns: int, sensor: int) -> Judgement:
        """Return what became of a measurement that was compared with the estimate."""
        event = self._history.events[self._history.number_of(time_ns, sensor)]
        kind, name = self._sensors[sensor].kind, self._names[sensor]
        nis, residual = float(event[NIS]), event[RESIDUAL : RESIDUAL + 3].copy()
        gate, taken = self.settings.gates[kind], bool(event[TAKEN] > 0.0)
        return Judgement(name, time_ns, residual, nis, FREEDOM[kind], gate, taken)

    def _watch(self, judgements: Sequence[Judgement]) -> None:
        """Count what the gate did; find the attitude anew where it has refused all for long."""
        if not self._history.begun:
            return
        self._count(judgements)
        whole = [judged.taken for judged in judgements if judged.freedom > 1]
        if ordinary.gate_lasts(self._marks, len(whole), sum(whole), self.settings.reset_ns):
            self._lose()

    def _count(self, judgements: Sequence[Judgement]) -> None:
        for judged in judgements:
            self.counts[judged.sensor][TOOK if judged.taken else GATED_OUT] += 1
            if not judged.taken and judged.freedom > 1:  # the Earth lights cells, too
                name, nis, gate = judged.sensor, judged.nis, judged.gate
                self._note(f'{name} is outside the gate: {nis:.3g} > {gate:.3g}')

    def _estimate(self, judgements: tuple[Judgement, ...]) -> Estimate:
        """Return the Estimate after the latest reading of the gyroscope."""
        marks, events, estimates, constants, _ = self._history.arrays
        answer = np.empty(ANSWER.size + self.settings.places.size)
        ordinary.tell(marks, events, estimates, constants, answer)
        return self._estimate_of(answer, judgements)

    def _estimate_of(self, answer: Array, judgements: tuple[Judgement, ...]) -> Estimate:
        """Return the Estimate of an ANSWER."""
        own, n = self.settings, self.settings.errors
        flat = answer[ANSWER.size : ANSWER.size + own.places.size]
        omega_B, of_rate = answer[0:3], answer[3:12].reshape(3, 3)
        if own.gyroscope.calibrated:
            white = ordinary.white_noise(self._marks, self._history.arrays[3])
            of_rate = calibration.rate_covariance(flat, own, omega_B, white)
        return Estimate(
            int(self._marks[RATE]), flat[0:4].copy() if self._history.begun else None, omega_B,
            flat[GYRO_BIAS:FIELD_BIAS], flat[FIELD_BIAS : FIELD_BIAS + 3],
            flat[COVARIANCE : COVARIANCE + n * n].reshape(n, n), of_rate, judgements,
            calibration.calibration(flat, own),
        )  # fmt: skip
