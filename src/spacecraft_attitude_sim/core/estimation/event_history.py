# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What sensors measured in the last seconds, in order of time, with the estimate after each.

A reading that arrives late is put in its place, and all that follows is computed again. So the
estimate does not depend on the order of arrival.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.estimation.kalman_filter import Places
from spacecraft_attitude_sim.core.estimation.replay import (
    EVENT,
    GYROSCOPE,
    KIND,
    SENSOR,
    TIME,
    replay,
    scratch_of,
)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Most events; beyond it the older half is given up, whatever its age.
MOST_EVENTS = 4096
# Number of the gyroscope among the sensors: at one time its reading comes first.
FIRST_SENSOR = -1


class EventHistory:
    """Events in order, and the estimate after each; the first is always of the gyroscope.

    constants: of replay.replay;  length_ns: age of the oldest event that still counts [ns]
    begun: whether the attitude is known; until then measurements only wait
    """

    def __init__(self, constants: Array, length_ns: int) -> None:
        self._constants, self._length_ns = constants, length_ns
        self.events = np.zeros((MOST_EVENTS, EVENT.size))
        places = Places(*(int(place) for place in constants[:3]))
        self.estimates = np.zeros((MOST_EVENTS, places.size))
        self._scratch = scratch_of(places)
        self._keys: list[tuple[int, int]] = []  # (time [ns], number of the sensor) of each event
        self._origin, self.begun = 0, False
        # Number of the last event whose estimate stays, and of the first that is to be computed.
        self._fixed = self._changed = 0
        self._replay(1, 1)  # nothing; it compiles or loads the code here, not inside a loop

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self._keys)

    @property
    def last_ns(self) -> int:
        """Time of the latest event [ns]."""
        return self._keys[-1][0]

    @property
    def oldest_ns(self) -> int:
        """Time of the oldest event that a new one may follow [ns]."""
        return self._keys[self._fixed][0]

    def begin(self, time_ns: int, event: Array, estimate: Array) -> None:
        """Forget all, and begin with a reading of the gyroscope and the estimate after it."""
        self._keys, self._origin, self.begun = [], time_ns, False
        self._put(0, (time_ns, FIRST_SENSOR), event)
        self.estimates[0] = estimate
        self._fixed, self._changed = 0, 1

    def knows(self, time_ns: int, sensor: int) -> bool:
        """Return whether there is an event of this time and sensor."""
        key = (time_ns, sensor)
        if key > self._keys[-1]:  # nearly always
            return False
        place = bisect.bisect_left(self._keys, key)
        return self._keys[place : place + 1] == [key]

    def insert(self, time_ns: int, event: Array) -> bool:
        """Put an EVENT in its place; return whether it is not too old to count."""
        if len(self._keys) == MOST_EVENTS:
            self._drop()
        if len(self._keys) == MOST_EVENTS:
            return False  # too many between two readings of the gyroscope
        key = (time_ns, int(event[SENSOR]))
        if key > self._keys[-1]:  # nearly always; then it is later than what counts
            self._put(len(self._keys), key, event)
            return True
        if key <= self._keys[self._fixed] or time_ns < self.last_ns - self._length_ns:
            return False
        self._put(bisect.bisect(self._keys, key), key, event)
        return True

    def _put(self, place: int, key: tuple[int, int], event: Array) -> None:
        number = len(self._keys)
        if place < number:
            self.events[place + 1 : number + 1] = self.events[place:number]
        self.events[place] = event
        self.events[place, TIME] = key[0] - self._origin
        self._keys.insert(place, key)
        self._changed = min(self._changed, place)

    def _drop(self) -> None:
        """Drop what is too old, and half of all at least."""
        self.compute()
        place = bisect.bisect(self._keys, (self.last_ns - self._length_ns, FIRST_SENSOR)) - 1
        first = self._rate_at(max(place, MOST_EVENTS // 2))
        place = self._rate_at(first - 1) or first  # a parabola goes through three readings
        rest = len(self._keys) - place
        self.events[:rest] = self.events[place : place + rest].copy()
        self.estimates[:rest] = self.estimates[place : place + rest].copy()
        del self._keys[:place]
        self._fixed, self._changed = max(self._fixed, first) - place, rest

    def _rate_at(self, place: int) -> int:
        """Return the number of the gyroscope's last reading up to an event; 0 where none is."""
        while place > 0 and self.events[place, KIND] != GYROSCOPE:
            place -= 1
        return max(place, 0)

    def compute(self) -> None:
        """Compute the estimates that new events have changed."""
        if self._changed < len(self._keys):
            self._replay(self._changed, len(self._keys))
        self._changed = len(self._keys)

    def _replay(self, first: int, last: int) -> None:
        replay(
            self.events.ravel(), self.estimates.ravel(), self._constants, self.begun, first, last,
            self._scratch,
        )  # fmt: skip

    def number_of(self, time_ns: int, sensor: int) -> int:
        """Return the number of an event that is there."""
        return bisect.bisect_left(self._keys, (time_ns, sensor))

    def fix(self, number: int, estimate: Array) -> None:
        """Set the estimate after an event: now the attitude is known, and nothing comes before."""
        self.estimates[number], self.begun = estimate, True
        self._fixed, self._changed = number, number + 1

    @property
    def estimate(self) -> Array:
        """The estimate after the latest event, as of kalman_filter."""
        return self.estimates[len(self._keys) - 1]
