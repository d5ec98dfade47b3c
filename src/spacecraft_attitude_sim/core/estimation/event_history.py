# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What sensors measured in the last seconds, in order of time, with the estimate after each.

A reading that arrives late is put in its place, and all that follows is computed again. So the
estimate does not depend on the order of arrival.

All is in flat arrays of a fixed size, so that compiled code can take a reading by itself.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.estimation.kalman_filter import COVARIANCE, OFFSET, Places
from spacecraft_attitude_sim.core.estimation.replay import (
    EVENT,
    EVENT_SIZE,
    GYROSCOPE,
    KIND,
    SENSOR,
    TIME,
    replayed,
    scratch_of,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.kernels.kernel import compiled, part
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array

    Whole = NDArray[np.int64]

# Most events; beyond it the older half is given up, whatever its age.
MOST_EVENTS = 4096
# Number of the gyroscope among the sensors: at one time its reading comes first.
FIRST_SENSOR = -1
# Head of the marks, whole numbers; behind it the time of each event [ns].
# rows: most events;  length: age of the oldest event that still counts [ns];  number: of events
# fixed: number of the last event whose estimate stays;  changed: of the first to be computed
# origin: time from which events count theirs [ns];  begun: 1 where the attitude is known
# rate, before: times of the gyroscope's latest reading and of the one before [ns]; -1: none
# gated, since: how many readings the gate has refused since it took one, and from when on [ns]
MARKS = Layout(
    rows=1, length=1, number=1, fixed=1, changed=1, origin=1, begun=1, rate=1, before=1, gated=1,
    since=1,
)  # fmt: skip
ROWS, LENGTH, NUMBER, FIXED, CHANGED, ORIGIN, BEGUN, RATE, BEFORE, GATED, SINCE = MARKS.places()
TIMES = MARKS.size
NO_EVENT = np.zeros(0)


@part
def place_of(marks: Whole, events: Array, time_ns: int, sensor: int) -> int:
    """Return the number of the first event that is not before one of a time and sensor."""
    low, high = 0, marks[NUMBER]
    while low < high:
        middle = (low + high) // 2
        time = marks[TIMES + middle]
        if time < time_ns or (time == time_ns and events[EVENT_SIZE * middle + SENSOR] < sensor):
            low = middle + 1
        else:
            high = middle
    return low


@part
def is_known(marks: Whole, events: Array, time_ns: int, sensor: int) -> bool:
    """Return whether there is an event of a time and sensor."""
    k = place_of(marks, events, time_ns, sensor)
    return (
        k < marks[NUMBER]
        and marks[TIMES + k] == time_ns
        and events[EVENT_SIZE * k + SENSOR] == sensor
    )


@part
def insert(marks: Whole, events: Array, time_ns: int, event: Array) -> bool:
    """Put an EVENT in its place, where there is room; return whether it is young enough."""
    number = marks[NUMBER]
    place = place_of(marks, events, time_ns, int(event[SENSOR]))
    if place < number:  # late
        oldest_ns = marks[TIMES + number - 1] - marks[LENGTH]
        if place <= marks[FIXED] or time_ns < oldest_ns:
            return False
    for k in range(number, place, -1):
        marks[TIMES + k] = marks[TIMES + k - 1]
        for j in range(EVENT_SIZE):
            events[EVENT_SIZE * k + j] = events[EVENT_SIZE * (k - 1) + j]
    marks[TIMES + place] = time_ns
    for j in range(EVENT_SIZE):
        events[EVENT_SIZE * place + j] = event[j]
    events[EVENT_SIZE * place + TIME] = time_ns - marks[ORIGIN]
    marks[NUMBER] = number + 1
    marks[CHANGED] = min(marks[CHANGED], place)
    return True


@part
def compute(
    marks: Whole, events: Array, estimates: Array, constants: Array, scratch: Array
) -> None:
    """Compute the estimates that new events have changed."""
    first, last = marks[CHANGED], marks[NUMBER]
    if first < last:
        replayed(events, estimates, constants, marks[BEGUN] > 0, first, last, scratch)
    marks[CHANGED] = last


@part
def drop(marks: Whole, events: Array, estimates: Array) -> None:
    """Drop what is too old, and half of all at least; all estimates are computed."""
    number = marks[NUMBER]
    oldest_ns = marks[TIMES + number - 1] - marks[LENGTH]
    place = place_of(marks, events, oldest_ns, FIRST_SENSOR + 1) - 1
    first = rate_at(events, max(place, marks[ROWS] // 2))
    # A parabola goes through three readings, and a jump shows in four.
    place = rate_at(events, rate_at(events, first - 1) - 1)
    if place == 0:
        place = first
    rest, size = number - place, len(estimates) // marks[ROWS]
    for k in range(rest):
        marks[TIMES + k] = marks[TIMES + place + k]
        for j in range(EVENT_SIZE):
            events[EVENT_SIZE * k + j] = events[EVENT_SIZE * (place + k) + j]
        for j in range(size):
            estimates[size * k + j] = estimates[size * (place + k) + j]
    marks[NUMBER] = marks[CHANGED] = rest
    marks[FIXED] = max(marks[FIXED], first) - place


@part
def rate_at(events: Array, place: int) -> int:
    """Return the number of the gyroscope's last reading up to an event; 0 where none is."""
    while place > 0 and events[EVENT_SIZE * place + KIND] != GYROSCOPE:
        place -= 1
    return max(place, 0)


@compiled
def _enter(
    marks: Whole, events: Array, estimates: Array, constants: Array, scratch: Array, time_ns: int,
    event: Array,
) -> bool:  # fmt: skip
    """Put an EVENT in its place, and return whether it counts; with NO_EVENT compute estimates."""
    marks, events, estimates = borrowed(marks), borrowed(events), borrowed(estimates)
    full = marks[NUMBER] == marks[ROWS]
    if full or len(event) == 0:
        compute(marks, events, estimates, borrowed(constants), borrowed(scratch))
    if len(event) == 0:
        return True
    if full:
        drop(marks, events, estimates)
    if marks[NUMBER] == marks[ROWS]:
        return False  # too many between two readings of the gyroscope
    return insert(marks, events, time_ns, borrowed(event))


class EventHistory:
    """Events in order, and the estimate after each; the first is always of the gyroscope.

    constants: of replay.replay;  length_ns: age of the oldest event that still counts [ns]
    rows: most events, MOST_EVENTS by default. Twice as many as come in `length_ns` are enough for
        all that comes late

    arrays: marks, events, estimates, constants and scratch memory, as compiled code takes them
    """

    def __init__(self, constants: Array, length_ns: int, rows: int = 0) -> None:
        rows = rows or MOST_EVENTS
        self.marks = np.zeros(TIMES + rows, dtype=np.int64)
        self.marks[[ROWS, LENGTH, RATE]] = rows, length_ns, -1
        self.events = np.zeros((rows, EVENT.size))
        self._places = places = Places(*(int(place) for place in constants[:3]))
        self.estimates = np.zeros((rows, places.size))
        flat = self.events.reshape(-1), self.estimates.reshape(-1)
        self.arrays: tuple[Any, ...] = (self.marks, *flat, constants, scratch_of(places))
        self.compute()  # nothing; it compiles or loads the code here, not inside a loop

    def live_in(self, marks: Whole, events: Array, estimates: Array) -> None:
        """Keep all in given arrays from now on, flat ones as large as its own."""
        marks[:], events[:], estimates[:] = self.arrays[:3]
        self.marks, self.arrays = marks, (marks, events, estimates, *self.arrays[3:])
        self.events = events.reshape(self.events.shape)
        self.estimates = estimates.reshape(self.estimates.shape)

    def __deepcopy__(self, memo: dict[int, Any]) -> EventHistory:
        """Return a copy that keeps all in arrays of its own."""
        own = copy.copy(self)
        marks, events, estimates = (array.copy() for array in self.arrays[:3])
        own.live_in(marks, events, estimates)
        memo[id(self.marks)] = marks  # for whoever has them, too
        return own

    def __len__(self) -> int:
        """Return the number of events."""
        return int(self.marks[NUMBER])

    @property
    def begun(self) -> bool:
        """Whether the attitude is known; until then measurements only wait."""
        return bool(self.marks[BEGUN])

    @property
    def oldest_ns(self) -> int:
        """Time of the oldest event that a new one may follow [ns]."""
        return int(self.marks[TIMES + self.marks[FIXED]])

    def begin(self, time_ns: int, event: Array, estimate: Array) -> None:
        """Forget all, and begin with a reading of the gyroscope and the estimate after it."""
        self.marks[[NUMBER, FIXED, CHANGED, BEGUN]] = 1, 0, 1, 0
        self.marks[[ORIGIN, TIMES]] = time_ns
        self.events[0], self.events[0, TIME] = event, 0.0
        self.estimates[0] = estimate
        self.estimates[0, self._places.noises :] = 0.0

    def knows(self, time_ns: int, sensor: int) -> bool:
        """Return whether there is an event of this time and sensor."""
        return bool(is_known(self.marks, self.arrays[1], time_ns, sensor))

    def insert(self, time_ns: int, event: Array) -> bool:
        """Put an EVENT in its place; return whether it is not too old to count."""
        return bool(_enter(*self.arrays, time_ns, event))

    def compute(self) -> None:
        """Compute the estimates that new events have changed."""
        _enter(*self.arrays, 0, NO_EVENT)

    def number_of(self, time_ns: int, sensor: int) -> int:
        """Return the number of an event that is there."""
        return int(place_of(self.marks, self.arrays[1], time_ns, sensor))

    def fix(self, number: int, estimate: Array) -> None:
        """Set the estimate after an event: now the attitude is known, and nothing comes before."""
        self.estimates[number] = estimate
        self.estimates[number, self._places.noises : self._places.variances] = 0.0
        self.marks[[BEGUN, FIXED, CHANGED]] = 1, number, number + 1

    def widen(self, covariance: Array) -> None:
        """Add a covariance (6, 6) of attitude and bias to the estimate after the latest event."""
        estimate, n = self.estimate.copy(), self._places.n
        P = estimate[COVARIANCE : COVARIANCE + n * n].reshape(n, n)
        P[:OFFSET, :OFFSET] += covariance
        self.fix(len(self) - 1, estimate)

    @property
    def estimate(self) -> Array:
        """The estimate after the latest event, as of kalman_filter."""
        return self.estimates[len(self) - 1]
