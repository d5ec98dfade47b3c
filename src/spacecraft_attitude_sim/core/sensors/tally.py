# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How many of its due readings each sensor has given, and why the others are missing."""

import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.sensors import imu, star_tracker
from spacecraft_attitude_sim.core.sensors.delivery import IN_TIME, Delivery
from spacecraft_attitude_sim.core.sensors.suite import Part, Readings, Suite

NOT_DUE = -1
# Why a reading did not come that the sensor has made.
KEPT_BACK = 'a fault'


@dataclass
class Count:
    """Counts of one sensor's readings.

    due: readings that were due;  missing: those that did not come, {why: number}
    limited: readings with an axis at its limit
    late, twice: messages that came late, and twice;  held: late readings, still to come
    silence: why the last one did not come, '' where it did
    may_miss: whether any cause can make a reading missing
    """

    may_miss: bool
    due: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    limited: int = 0
    silence: str = ''
    late: int = 0
    twice: int = 0
    held: int = 0

    def add(self, cause: int, causes: tuple[str, ...], number: int = 1) -> None:
        """Count readings; cause: as of `_causes`, of which `causes` are the names."""
        if cause == NOT_DUE:
            return
        self.due += number
        self.silence = causes[cause - 1] if cause else ''
        if cause:
            self.missing[self.silence] += number

    def text(self) -> str:
        """Return the counts in words, as '35 of 300 readings; above rate_limit: 265'."""
        given = f'{self.due - self.missing.total()} of {self.due + self.held} readings'
        others = [f'{why}: {number}' for why, number in self.missing.most_common()]
        ways = {'at its limit': self.limited, 'late': self.late, 'twice': self.twice,
                'still to come': self.held}  # fmt: skip
        others += [f'{way}: {number}' for way, number in ways.items() if number]
        return '; '.join([given, ', '.join(others)] if others else [given])


class Tally:
    """Counts the readings of a Suite from the first one given to `add`, through resets.

    counts: {name of a sensor: Count}
    """

    def __init__(self, suite: Suite) -> None:
        self.counts: dict[str, Count] = {}
        self._delivery = IN_TIME  # of the latest tick
        self._suite = suite
        self._parts: list[tuple[str, Count, Callable[[Array], int], tuple[str, ...]]] = []
        self._limits: list[tuple[str, Count, Callable[[Array], Any]]] = []
        for name, part in suite.sensors.items():
            cause_of, causes = _causes(part)
            self.counts[name] = count = Count(bool(causes))
            self._parts.append((name, count, cause_of, causes))
            if is_limited := _limiter(part):
                self._limits.append((name, count, is_limited))

    def add(self, readings: Readings) -> None:
        """Count the Readings of a tick."""
        new, flat = readings.new, readings.flat
        late = readings.delivery.overdue
        for name, count, cause_of, causes in self._parts:
            if name in new:
                cause = cause_of(flat[name])
                count.add(cause, causes)
                count.late += not cause and name in late
        for name in readings.kept_back:
            self._count_kept_back(name, readings)
        for name, count, is_limited in self._limits:
            if name in new and is_limited(flat[name]):
                count.limited += 1
        if readings.delivery is not self._delivery:
            self._count_delivery(readings.delivery)

    def add_rows(self, tick: int, rows: Array) -> None:
        """Count the readings of ticks without faults.

        tick: the first;  rows: (n, any) of all sensors, one after the other
        """
        due = {}
        for name, part in self._suite.sensors.items():
            interval = part.call_interval
            due[name] = rows[-tick % interval :: interval, part.read]
        for name, count, cause_of, causes in self._parts:
            found = [cause_of(row) for row in due[name]] if causes else [0] * len(due[name])
            # Causes are told in the order in which they came first; the last one tells of now.
            for cause in dict.fromkeys(found):
                count.add(cause, causes, 0)
            for cause in reversed(dict.fromkeys(reversed(found))):
                count.add(cause, causes, found.count(cause))
        for name, count, is_limited in self._limits:
            count.limited += int(np.count_nonzero(is_limited(due[name])))

    def _count_kept_back(self, name: str, readings: Readings) -> None:
        """Count a reading that a fault keeps back: lost, or held until it comes."""
        count, held = self.counts[name], readings.delivery.held.get(name)
        if name not in readings.new:
            count.silence = KEPT_BACK
        due = readings.tick - self._suite.latencies.get(name, 0)
        if not any(message.made == due for message in held or ()):
            count.due += 1
            count.missing[KEPT_BACK] += 1

    def _count_delivery(self, delivery: Delivery) -> None:
        """Count what comes late or twice, and what is held."""
        self._delivery = delivery
        for name in delivery.twice:
            self.counts[name].twice += 1
        for name, message in delivery.belated:
            count = self.counts[name]
            if message.says:
                count.due += 1
                count.late += 1
                count.twice += message.twice
        for name, count in self.counts.items():
            latency = self._suite.latencies.get(name, 0)
            count.held = sum(
                one.says and one.due > one.made + latency for one in delivery.held.get(name, ())
            )

    def silent(self) -> dict[str, str]:
        """Return {name: why} of the sensors whose last reading did not come."""
        return {name: count.silence for name, count in self.counts.items() if count.silence}

    def texts(self) -> dict[str, str]:
        """Return {name: in words} of sensors that may miss a reading or were at their limit."""
        return {
            name: count.text()
            for name, count in self.counts.items()
            if count.may_miss
            or count.limited
            or count.missing
            or count.late
            or count.twice
            or count.held
        }


def _causes(part: Part) -> tuple[Callable[[Array], int], tuple[str, ...]]:
    """Return a function of a reading that gives the number of its cause, and the causes.

    The number is 0 for a reading that came, NOT_DUE where none was due, else from 1.
    """
    if causes := getattr(part.sensor, 'causes', ()):
        return _of_late, causes
    if part.reasons:
        return _of_reading, part.reasons
    return _none, ()


def _of_late(reading: Array) -> int:
    first = reading[0]
    return 0 if first > star_tracker.NONE else int(star_tracker.NONE - first) or NOT_DUE


def _of_reading(reading: Array) -> int:
    return int(reading[0])


def _none(reading: Array) -> int:
    return 0


def _limiter(part: Part) -> Callable[[Array], Any] | None:
    """Return a function of readings (..., any): which are at an axis' limit; None without any."""
    if isinstance(part.sensor, imu.Imu):
        return lambda readings: readings[..., imu.SATURATED] > 0.0
    limits = getattr(part.sensor, 'limits', None)
    if limits is None or not np.isfinite(limits).any():
        return None
    each = np.ravel(limits).tolist()

    def is_limited(readings: Array) -> Any:
        if readings.ndim > 1:
            return (np.abs(readings) >= limits).any(axis=-1)
        # Of a few numbers each tick: NumPy would take five times as long.
        return any(map(operator.ge, map(abs, readings.tolist()), each))

    return is_limited
