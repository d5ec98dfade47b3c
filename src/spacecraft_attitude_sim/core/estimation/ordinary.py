# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an estimator does with readings as they nearly always come, in one compiled call.

Ordinary are readings while the attitude is known: at most one of the gyroscope, the next one in
time, and any of other sensors that count at its time or before. They may be late. In one call come
prediction, gates and corrections, the memory, and what is told. With anything else, as a gap, a
reading that is refused or a first attitude, nothing changes, and AttitudeEstimator takes them in
Python. All arrays have a fixed size, and no Python object is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.estimation import door
from spacecraft_attitude_sim.core.estimation.event_history import (
    BEFORE,
    BEGUN,
    FIRST_SENSOR,
    FIXED,
    GATED,
    LENGTH,
    NUMBER,
    RATE,
    ROWS,
    SINCE,
    compute,
    drop,
    insert,
    is_known,
    place_of,
    rate_at,
)
from spacecraft_attitude_sim.core.estimation.field_length import fits
from spacecraft_attitude_sim.core.estimation.kalman_filter import (
    COVARIANCE,
    DRIFT,
    GYRO_BIAS,
    without_axes,
)
from spacecraft_attitude_sim.core.estimation.references import DARK, REFERRED, refer
from spacecraft_attitude_sim.core.estimation.replay import (
    ATTITUDE,
    CELL,
    EFFICACY,
    EVENT_SIZE,
    FIELD,
    FILTER_SIZE,
    GAP,
    GYROSCOPE,
    KIND,
    KNOWN_SIZE,
    LONGEST,
    MOUNTED,
    OF_KIND,
    OF_NADIR,
    RATE_VARIANCE,
    READING,
    RESET,
    SENSOR,
    SUNLIT_SHARE,
    TAKEN,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, put, subtracted, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled, part
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.event_history import Whole
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# A reading: number of its sensor, then four numbers, zeros behind those that it has.
GIVEN = Layout(sensor=1, values=4)
GIVEN_SIZE = GIVEN.size
# What is told: the rate and its covariance, without what is learnt of the gyroscope's axes; then
# the estimate of kalman_filter, then an EVENT of each reading.
ANSWER = Layout(omega_B=3, rate_covariance_B=9)
RATE_COVARIANCE, ANSWER_SIZE = ANSWER.at('rate_covariance_B'), ANSWER.size
# So many readings must have been outside the gate before the attitude is found anew.
FEWEST_GATED = 3
# What `take` returns.
EXTRAORDINARY, ORDINARY, LOST = -1, 0, 1


@compiled
def take(
    marks: Whole, events: Array, estimates: Array, constants: Array, scratch: Array,
    stamps: Whole, given: Array, here: Array, clock_ns: int, answer: Array, kept: Whole,
) -> int:  # fmt: skip
    """Take readings as AttitudeEstimator.take does, where all are ordinary; return whether.

    Readings of cells in the dark, which tell nothing, are left out. It returns LOST where the gate
    has now refused all for so long that the attitude is to be found anew, and EXTRAORDINARY where
    readings are not ordinary: then nothing has changed.

    marks, events, estimates, constants, scratch: of EventHistory.arrays
    stamps: of the k readings [ns];  given: k times GIVEN
    here: (25,) of AROUND at the latest time of the gyroscope, these readings included
    clock_ns: present time, 0 without a clock;  answer: written, as of ANSWER
    kept: (k,) written, of `sift`
    """
    times, numbers, around = borrowed(stamps), borrowed(given), borrowed(here)
    sifted = times, numbers, borrowed(kept)  # where they stand
    rate = gyroscope_among(numbers)
    now_ns = marks[RATE] if rate < 0 else times[rate]
    count = sift(times, numbers, borrowed(constants), around, now_ns, borrowed(answer), sifted)
    return take_ordinary(
        borrowed(marks), borrowed(events), borrowed(estimates), borrowed(constants),
        borrowed(scratch), times[:count], numbers[: GIVEN_SIZE * count], around, clock_ns,
        borrowed(answer),
    )  # fmt: skip


@part
def sift(
    times: Whole, numbers: Array, constants: Array, here: Array, now_ns: int, event: Array,
    sifted: tuple[Whole, Array, Whole],
) -> int:  # fmt: skip
    """Copy readings but those of cells in the dark, which tell nothing; return how many.

    times, numbers: of the k readings, GIVEN;  now_ns: time of `here`, which is AROUND
    event: room for an EVENT
    sifted: written: times, GIVEN, and the number of each in `times`, then -1
    """
    count = 0
    for i in range(len(times)):
        k = GIVEN_SIZE * i
        if times[i] == now_ns and is_dark(four_at(numbers, k), constants, here, event):
            continue
        sifted[0][count], sifted[2][count] = times[i], i
        for j in range(GIVEN_SIZE):
            sifted[1][GIVEN_SIZE * count + j] = numbers[k + j]
        count += 1
    sifted[2][count:] = -1
    return count


@part
def is_dark(given: Floats, constants: Array, here: Array, event: Array) -> bool:
    """Return whether a reading is sound, and of a cell in the dark.

    given: sensor and first three numbers of GIVEN;  event: room for an EVENT
    """
    place = FILTER_SIZE + KNOWN_SIZE * max(int(given[0]), 0)
    if given[0] == FIRST_SENSOR or constants[place + OF_KIND] != CELL:
        return False
    if door.flaw(CELL, (given[1], 0.0, 0.0, 0.0)) != door.NOTHING:
        return False
    event[KIND], event[READING] = CELL, given[1]
    return refer(event, False, constants[place + EFFICACY], constants[SUNLIT_SHARE], here) == DARK


@part
def take_ordinary(
    marks: Whole, events: Array, estimates: Array, constants: Array, scratch: Array,
    stamps: Whole, given: Array, here: Array, clock_ns: int, answer: Array,
) -> int:  # fmt: skip
    """Do what `take` does; all arrays are borrowed."""
    count, size = len(stamps), len(estimates) // marks[ROWS]
    judged = answer[ANSWER_SIZE + size :]
    rate, now_ns = gyroscope_among(given), marks[RATE]
    if marks[BEGUN] == 0 or now_ns < 0:
        return EXTRAORDINARY
    if rate >= 0:
        now_ns = stamps[rate]
        if not follows(marks, constants, now_ns, clock_ns):
            return EXTRAORDINARY
    if marks[NUMBER] + count > marks[ROWS]:
        drop(marks, events, estimates)
    if marks[NUMBER] + count > marks[ROWS]:
        return EXTRAORDINARY
    for i in range(count):
        event = judged[EVENT_SIZE * i : EVENT_SIZE * (i + 1)]
        same = sensor_again(stamps, given, i)
        if same or not prepare(event, given, i, constants, here, now_ns == stamps[i]):
            return EXTRAORDINARY
        if i != rate and not counts(marks, events, stamps[i], event, now_ns):
            return EXTRAORDINARY
    if rate >= 0:
        insert(marks, events, now_ns, judged[EVENT_SIZE * rate : EVENT_SIZE * (rate + 1)])
        marks[BEFORE], marks[RATE] = marks[RATE], now_ns
    for i in range(count):
        if i != rate:
            insert(marks, events, stamps[i], judged[EVENT_SIZE * i : EVENT_SIZE * (i + 1)])
    compute(marks, events, estimates, constants, scratch)
    lost = judge_all(marks, events, constants, stamps, judged)
    tell(marks, events, estimates, constants, answer)
    return LOST if lost else ORDINARY


@part
def gyroscope_among(given: Array) -> int:
    """Return the number of the gyroscope's reading, the last one, or -1."""
    rate = -1
    for i in range(len(given) // GIVEN_SIZE):
        if given[GIVEN_SIZE * i] == FIRST_SENSOR:
            rate = i
    return rate


@part
def follows(marks: Whole, constants: Array, time_ns: int, clock_ns: int) -> bool:
    """Return whether a reading of the gyroscope follows the last one without a gap."""
    gap, last_ns = int(constants[GAP]), marks[RATE]
    to_come = clock_ns != 0 and time_ns - clock_ns > gap
    return last_ns < time_ns <= min(last_ns + gap, door.LATEST_NS) and not to_come


@part
def sensor_again(stamps: Whole, given: Array, i: int) -> bool:
    """Return whether a reading before number i has the same sensor and time, or is its like.

    Two readings of the gyroscope are never ordinary.
    """
    sensor = given[GIVEN_SIZE * i]
    for j in range(i):
        if given[GIVEN_SIZE * j] == sensor and (stamps[j] == stamps[i] or sensor == FIRST_SENSOR):
            return True
    return False


@part
def prepare(
    event: Array, given: Array, i: int, constants: Array, here: Array, is_now: bool
) -> bool:
    """Write the EVENT of reading number i; return whether its numbers count.

    is_now: whether it is of the time of `here`
    """
    sensor, values = int(given[GIVEN_SIZE * i]), four_at(given, GIVEN_SIZE * i + 1)
    place = FILTER_SIZE + KNOWN_SIZE * max(sensor, 0)
    kind = GYROSCOPE if sensor == FIRST_SENSOR else constants[place + OF_KIND]
    if door.flaw(kind, values) != door.NOTHING:
        return False
    for k in range(EVENT_SIZE):
        event[k] = 0.0
    event[KIND], event[SENSOR] = kind, sensor
    put(event, READING, values)
    if sensor == FIRST_SENSOR:
        q, v = four_at(constants, MOUNTED), values
        put(event, READING, quaternion_sandwich(q[0], q[1], q[2], q[3], v[0], v[1], v[2]))
        return True
    if kind != ATTITUDE and not is_now:
        return False
    nadir, efficacy = constants[place + OF_NADIR] > 0.0, constants[place + EFFICACY]
    if refer(event, nadir, efficacy, constants[SUNLIT_SHARE], here) != REFERRED:
        return False
    return kind != FIELD or fits(event, constants[place + LONGEST])


@part
def counts(marks: Whole, events: Array, time_ns: int, event: Array, now_ns: int) -> bool:
    """Return whether a measurement is due, new, and not too old.

    now_ns: latest time of the gyroscope
    """
    sensor = int(event[SENSOR])
    if time_ns > now_ns or is_known(marks, events, time_ns, sensor):
        return False
    is_late = time_ns < now_ns or place_of(marks, events, time_ns, sensor) < marks[NUMBER]
    is_old = time_ns < now_ns - marks[LENGTH]
    fixed = place_of(marks, events, time_ns, sensor) <= marks[FIXED]
    return not (is_late and (is_old or fixed))


@part
def judge_all(marks: Whole, events: Array, constants: Array, stamps: Whole, judged: Array) -> bool:
    """Write the EVENTs as they were judged; return whether the gate has refused all for long."""
    whole = taken = 0
    for i in range(len(stamps)):
        event = judged[EVENT_SIZE * i : EVENT_SIZE * (i + 1)]
        if event[KIND] == GYROSCOPE:
            continue
        k = EVENT_SIZE * place_of(marks, events, stamps[i], int(event[SENSOR]))
        for j in range(EVENT_SIZE):
            event[j] = events[k + j]
        if event[KIND] != CELL:  # the Earth lights cells, too
            whole += 1
            taken += int(event[TAKEN])
    return gate_lasts(marks, whole, taken, int(constants[RESET]))


@part
def gate_lasts(marks: Whole, whole: int, taken: int, reset_ns: int) -> bool:
    """Note what the gate did; return whether it has refused all for long.

    whole: how many measurements of more than one component;  taken: how many of them it let in
    reset_ns: of settings.Settings
    """
    if taken > 0:
        marks[GATED] = 0
        return False
    if marks[GATED] == 0:
        marks[SINCE] = marks[RATE]
    marks[GATED] += whole
    lasts = whole > 0 and marks[RATE] - marks[SINCE] >= reset_ns
    return lasts and marks[GATED] >= FEWEST_GATED


@part
def tell(marks: Whole, events: Array, estimates: Array, constants: Array, answer: Array) -> None:
    """Write the latest estimate, with its rate, to an ANSWER."""
    size, last = len(estimates) // marks[ROWS], marks[NUMBER] - 1
    estimate = answer[ANSWER_SIZE : ANSWER_SIZE + size]
    estimate[:] = estimates[size * last : size * (last + 1)]
    first, behind, n = int(constants[0]), int(constants[1]), int(constants[2])
    k = EVENT_SIZE * rate_at(events, last) + READING
    omega_B = subtracted(three_at(events, k), three_at(estimate, GYRO_BIAS))
    if behind > first:
        omega_B = without_axes(estimate, four_at(constants, MOUNTED), omega_B)
    put(answer, 0, omega_B)
    white = white_noise(marks, constants)
    for i in range(3):
        for j in range(3):
            own = estimate[COVARIANCE + n * (DRIFT + i) + DRIFT + j]
            answer[RATE_COVARIANCE + 3 * i + j] = own + white * (1.0 if i == j else 0.0)


@part
def white_noise(marks: Whole, constants: Array) -> float:
    """Return the variance of the gyroscope's noise in its latest reading [rad^2/s^2]."""
    period = 1e-9 * (marks[RATE] - marks[BEFORE])
    return constants[RATE_VARIANCE] / (period if period > 0.0 else 1.0)
