# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled part of core.batch.estimators: the estimators of many craft take their readings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.batch.attitude_law_layout import ESTIMATE
from spacecraft_attitude_sim.core.environment.orbit_table import around_at
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation import agreement
from spacecraft_attitude_sim.core.estimation.agreement import JUDGED_SIZE, heard
from spacecraft_attitude_sim.core.estimation.event_history import (
    FIRST_SENSOR,
    NUMBER,
    RATE,
    ROWS,
    TIMES,
    drop,
    place_of,
)
from spacecraft_attitude_sim.core.estimation.kalman_filter import COVARIANCE
from spacecraft_attitude_sim.core.estimation.ordinary import (
    ANSWER_SIZE,
    GIVEN,
    ORDINARY,
    gyroscope_among,
    sift,
    take_ordinary,
)
from spacecraft_attitude_sim.core.estimation.replay import (
    CELL,
    EVENT_SIZE,
    FILTER_SIZE,
    GAP,
    GATE,
    GYROSCOPE,
    KIND,
    KNOWN_SIZE,
    MOUNTED,
    NIS,
    RESIDUAL,
    SENSOR,
    TAKEN,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, put, three_at
from spacecraft_attitude_sim.core.sensors.sensor import SEES
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import part, unlocked_as
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array

    Whole = NDArray[np.int64]

# What an estimator knows: time of the gyroscope [ns], NaN before any; as of
# settings.Estimate.
KNOWN = Layout(time_ns=1, q_WB=4, covariance_B=9)
# How a craft takes a sensor. sensor: its number in the estimator;  kind: of its reading among
# those of core.batch.sensors;  column, width: of its numbers, width 0 for none
# how: whether all readings count, those that begin with SEES, or those of a star tracker that
# begin with the tick of the image
TAKE = Layout(sensor=1, kind=1, column=1, width=1, how=1)
PLAIN, SIGHTED, STARRED = 0, 1, 2
TAKE_SENSOR, TAKE_KIND, COLUMN, WIDTH, HOW = TAKE.places()
TAKE_SIZE, GIVEN_SIZE, AROUND_SIZE = TAKE.size, GIVEN.size, AROUND.size
# Who has taken the readings of a craft: nobody, for it is lost; or who is to take them.
NOBODY, COMPILED, IN_PYTHON = 0, 1, 2
OF_JUDGED = agreement.RESIDUAL
KNOWN_Q, KNOWN_P = KNOWN.places('q_WB', 'covariance_B')
ESTIMATE_Q, ESTIMATE_RATE = ESTIMATE.places('q_WS', 'omega_S')
WHOLES, FLOATS = ', int64[:, ::1]', ', float64[:, ::1]'
# Types of the arguments `sensing`, `store` and `arounds` of take_all.
SENSING = f'Tuple((int64[::1]{WHOLES}{FLOATS}))'
STORE = f'Tuple(({(WHOLES * 3)[2:]}{FLOATS * 5}))'
AROUNDS = f'Tuple((int64[::1]{FLOATS * 2}))'


@unlocked_as(
    f'void(int64, int64, int64, int64, {SENSING}, {STORE}, {AROUNDS}, int64[::1]{WHOLES}'
    f'{FLOATS * 3}, Tuple(({FLOATS[2:]}{FLOATS}{WHOLES})), int64)'
)
def take_all(
    first: int, last: int, tick: int, tick_ns: int, sensing: tuple[Any, ...],
    store: tuple[Any, ...], arounds: tuple[Any, ...], who: Whole, stamps: Whole, given: Array,
    answers: Array, estimates: Array, notes: tuple[Any, ...], scratch: int,
) -> None:  # fmt: skip
    """Let the estimators of craft first to last take the readings of a tick of the batch.

    Of those that are to be taken IN_PYTHON only stamps and numbers are written.

    sensing: starts and intervals of core.batch.sensors, and readings
    store: marks, votes, takes, events, estimates, constants, sizes and known: of each craft those
        of EventHistory.arrays, Agreement.arrays, empty without a watch, and TAKE of each sensor
    arounds: of core.batch.ephemerides
    who: COMPILED where a craft's readings may be ordinary;  becomes who has taken them
    stamps: (N, 1 + s) number of the readings, and of each its time [ns];  given: (N, any) of GIVEN
    answers: (N, any) of ordinary.ANSWER;  estimates: (N, any) of ESTIMATE
    notes: (N, any) of KNOWN; nis of the sensors, nan where none was judged, and of what times [ns]
    scratch: size of that of replay.scratch_of
    """
    starts, intervals, readings = borrowed(sensing)
    which, tables, stills = borrowed(arounds)
    rows = borrowed(store)
    kept = room_for_saved(store, scratch)
    saved, around = borrowed(kept), np.zeros(AROUND_SIZE)
    here, before, before_ns = borrowed(around), -1, -1
    for n in range(first, last):
        own, row = tick - starts[n], borrowed(readings)[n]
        count = pack(borrowed(stamps)[n], borrowed(given)[n], rows[2][n], row, intervals[n], own,
                     tick_ns)  # fmt: skip
        if count < 0:
            who[n] = NOBODY
            continue
        if who[n] != COMPILED:
            who[n] = IN_PYTHON
            continue
        times, numbers = stamps[n, 1 : 1 + count], given[n, : GIVEN_SIZE * count]
        gyroscope = gyroscope_among(numbers)
        now_ns = rows[0][n, RATE] if gyroscope < 0 else times[gyroscope]
        if own * tick_ns - now_ns > int(rows[5][n, GAP]):  # its table may not reach back so far
            who[n] = IN_PYTHON
            continue
        if which[n] < 0:
            here[:] = stills[n]
        elif which[n] != before or now_ns != before_ns:
            around_at(tables[which[n]], seconds_of(now_ns, 1), here)
        before, before_ns = which[n], now_ns
        sifted = saved[8], saved[9], saved[11]
        number = sift(times, numbers, rows[5][n], here, now_ns, saved[10], sifted)
        answer, clock_ns = borrowed(answers)[n], own * tick_ns
        times, numbers = saved[8][:number], saved[9][: GIVEN_SIZE * number]
        if take_plainly(n, rows, times, numbers, here, clock_ns, answer, saved):
            write_estimate(answer, rows[5][n], borrowed(estimates)[n])
            size = rows[4].shape[1] // rows[0][n, ROWS]
            note(answer, size, number, times, rows[0][n, RATE], int(rows[5][n, 2]), n,
                 borrowed(notes))  # fmt: skip
        else:
            who[n] = IN_PYTHON
    kept[0][0], around[0] = 0, 0.0  # they live until here


@part
def pack(
    stamps: Whole, given: Array, takes: Whole, row: Array, intervals: Whole, tick: int,
    tick_ns: int,
) -> int:  # fmt: skip
    """Write number and times of a craft's readings at a tick, and GIVEN; return the number.

    It is -1 for a craft that is lost. row: of core.batch.sensors.Sensors.readings
    """
    if row[takes[COLUMN]] != row[takes[COLUMN]]:
        return -1
    count = 0
    for k in range(0, len(takes), TAKE_SIZE):
        column, width, interval = (
            takes[k + COLUMN],
            takes[k + WIDTH],
            intervals[takes[k + TAKE_KIND]],
        )
        if width == 0 or tick % interval:
            continue
        stamp, how = tick * tick_ns, takes[k + HOW]
        if how == SIGHTED and row[column - 1] != SEES:
            continue
        if how == STARRED:
            if not row[column - 1] >= 0.0:
                continue
            stamp = int(row[column - 1]) * tick_ns
        stamps[1 + count], place = stamp, GIVEN_SIZE * count
        given[place] = takes[k + TAKE_SENSOR]
        for j in range(4):
            given[place + 1 + j] = row[column + j] if j < width else 0.0
        count += 1
    stamps[0] = count
    return count


@part
def room_for_saved(store: tuple[Any, ...], scratch: int) -> tuple[Any, ...]:
    """Return memory for what `take_plainly` may take back, and scratch memory.

    In this order: marks, votes, events, estimates, sizes; what has been judged, its times, the
    scratch memory of a filter; readings: their times, GIVEN, an EVENT, which they are.
    """
    marks, votes, takes, events, estimates, _, sizes, _ = store
    sensors = takes.shape[1] // TAKE_SIZE
    return (
        np.zeros(marks.shape[1], np.int64), np.zeros(votes.shape[1], np.int64),
        np.zeros(events.shape[1]), np.zeros(estimates.shape[1]), np.zeros(sizes.shape[1]),
        np.zeros(JUDGED_SIZE * sensors), np.zeros(sensors, np.int64), np.zeros(scratch),
        np.zeros(sensors, np.int64), np.zeros(GIVEN_SIZE * sensors), np.zeros(EVENT_SIZE),
        np.zeros(sensors, np.int64),
    )  # fmt: skip


@part
def take_plainly(
    n: int, store: tuple[Any, ...], times: Whole, numbers: Array, here: Array, clock_ns: int,
    answer: Array, saved: tuple[Any, ...],
) -> bool:  # fmt: skip
    """Take the readings of craft n, and let its sensors vote; return whether all was ordinary.

    Otherwise nothing has changed: where the estimator takes others than ordinary readings, where
    it begins anew, and where a vote of the watch changes.

    times, numbers: of the readings;  here: AROUND;  saved: of room_for_saved
    """
    marks, events, estimates = store[0][n], store[3][n], store[4][n]
    if marks[NUMBER] + len(times) > marks[ROWS]:
        drop(marks, events, estimates)
    place, size = save(marks, events, estimates, times, saved), len(estimates) // marks[ROWS]
    became = take_ordinary(
        marks, events, estimates, store[5][n], saved[7], times, numbers, here, clock_ns, answer
    )
    if became == ORDINARY and store[1].shape[1] > 0:
        votes, sizes = store[1][n], store[6][n]
        saved[1][:], saved[4][:] = votes, sizes
        constants, judged = store[5][n], answer[ANSWER_SIZE + size :]
        count = judge_all(judged, len(times), times, constants, saved[5], saved[6])
        stamps, own = saved[6][:count], saved[5][: JUDGED_SIZE * count]
        if heard(votes, sizes, store[7][n], stamps, own, marks[RATE]):
            votes[:], sizes[:] = saved[1], saved[4]
            became = -1
    if became == ORDINARY:
        return True
    put_back(marks, events, estimates, place, saved)
    return False


@part
def save(
    marks: Whole, events: Array, estimates: Array, times: Whole, saved: tuple[Any, ...]
) -> int:
    """Save what readings of some times may change; return the number of the first such event."""
    place, number, size = marks[NUMBER], marks[NUMBER], len(estimates) // marks[ROWS]
    for k in range(len(times)):
        place = min(place, place_of(marks, events, times[k], FIRST_SENSOR))
    for k in range(TIMES):
        saved[0][k] = marks[k]
    saved[0][TIMES + place : TIMES + number] = marks[TIMES + place : TIMES + number]
    first, last = EVENT_SIZE * place, EVENT_SIZE * number
    saved[2][first:last] = events[first:last]
    saved[3][size * place : size * number] = estimates[size * place : size * number]
    return place


@part
def put_back(
    marks: Whole, events: Array, estimates: Array, place: int, saved: tuple[Any, ...]
) -> None:
    """Put back what `save` has saved from event number `place` on."""
    for k in range(TIMES):
        marks[k] = saved[0][k]
    number, size = marks[NUMBER], len(estimates) // marks[ROWS]
    marks[TIMES + place : TIMES + number] = saved[0][TIMES + place : TIMES + number]
    first, last = EVENT_SIZE * place, EVENT_SIZE * number
    events[first:last] = saved[2][first:last]
    estimates[size * place : size * number] = saved[3][size * place : size * number]


@part
def judge_all(
    events: Array, count: int, times: Whole, constants: Array, judged: Array, stamps: Whole
) -> int:
    """Write the judgements of sensors that vote, as Agreement.hear does; return their number.

    events: of the count readings, as they were judged
    """
    number = 0
    for i in range(count):
        event = events[EVENT_SIZE * i : EVENT_SIZE * (i + 1)]
        if event[KIND] == GYROSCOPE or event[KIND] == CELL:
            continue
        k, place = JUDGED_SIZE * number, FILTER_SIZE + KNOWN_SIZE * int(event[SENSOR])
        put(judged, k, (event[SENSOR], event[NIS], constants[place + GATE], event[TAKEN]))
        put(judged, k + OF_JUDGED, three_at(event, RESIDUAL))
        stamps[number] = times[i]
        number += 1
    return number


@part
def write_estimate(answer: Array, constants: Array, estimate: Array) -> None:
    """Write the ESTIMATE of an ANSWER, as settings.Estimate.in_sensor does."""
    q, omega, s = four_at(answer, ANSWER_SIZE), three_at(answer, 0), four_at(constants, MOUNTED)
    estimate[0] = 1.0
    put(estimate, ESTIMATE_Q, quaternion_product(
        q[0], q[1], q[2], q[3], s[0], s[1], s[2], s[3]
    ))  # fmt: skip
    put(estimate, ESTIMATE_RATE, quaternion_sandwich(
        s[0], -s[1], -s[2], -s[3], omega[0], omega[1], omega[2]
    ))  # fmt: skip


@part
def note(
    answer: Array, size: int, number: int, times: Whole, time_ns: int, errors: int, n: int,
    notes: tuple[Any, ...],
) -> None:  # fmt: skip
    """Write the notes of craft n from an ANSWER to so many readings, after an estimate of a size.

    time_ns: of the gyroscope;  errors: how many are estimated
    """
    known, nis, judged_ns = notes[0][n], notes[1][n], notes[2][n]
    known[0] = time_ns
    put(known, KNOWN_Q, four_at(answer, ANSWER_SIZE))
    for i in range(3):
        put(known, KNOWN_P + 3 * i, three_at(answer, ANSWER_SIZE + COVARIANCE + errors * i))
    nis[:] = np.nan
    for i in range(number):
        event = ANSWER_SIZE + size + EVENT_SIZE * i
        if answer[event + KIND] != GYROSCOPE:
            sensor = int(answer[event + SENSOR])
            nis[sensor], judged_ns[sensor] = answer[event + NIS], times[i]
