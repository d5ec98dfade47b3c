# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded data of a run: instants, reference attitudes and sensor readings."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.simulation.energy_book import EnergyBook, IdealBook, book_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.estimation.settings import Estimate, Judgement
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.core.simulation.energy_book import Entries

UNKNOWN = np.full(4, np.nan)
UNKNOWN.flags.writeable = False


class Known(NamedTuple):
    """An Estimate, as far as a history keeps it.

    time_ns: of it;  q_WE: (4,) attitude of the body, NaN where not known
    covariance_B: (3, 3) [rad^2];  judgements: of the measurements that came with it
    """

    time_ns: int
    q_WE: Quaternion
    covariance_B: Array
    judgements: tuple[Judgement, ...] = ()


def known(estimate: Estimate) -> Known:
    """Return the Known of an Estimate."""
    q_WE = UNKNOWN if estimate.q_WB is None else estimate.q_WB
    return Known(estimate.time_ns, q_WE, estimate.covariance[:3, :3].copy(), estimate.judgements)


def _time_of(row: tuple[float, Array]) -> float:
    return row[0]


class Record:
    """Keeps every k-th instant, without readings, and all readings by sensor; k = 0 keeps nothing.

    every: k;  commanded: whether somebody commanded anything
    instants: of them;  references: attitude (4,) pointed at in each, NaN where there is none
    known: Known of all estimates of an estimator aboard
    readings: {sensor: [(time [s] at which it read, what, as its Layout has it)]}, by time
    """

    def __init__(self, scenario: Scenario, every: int = 1) -> None:
        self.scenario, self._every, self.commanded = scenario, every, False
        self.instants: list[Instant] = []
        self.references: list[Quaternion] = []
        self.known: list[Known] = []
        self._entries: list[Entries | None] = []
        self._book: EnergyBook | IdealBook | None = None
        self._before: Instant | None = None  # the last one that the book has followed
        self.readings: dict[str, list[tuple[float, Array]]] = {
            name: [] for name in scenario.sensors.sensors
        }

    def add(self, instant: Instant, reference: Quaternion | None) -> None:
        """Add an Instant and its reference attitude, or None."""
        read = instant.readings
        assert read is not None, 'every instant is read'
        if not self._every:
            return
        for name in read.new:
            if age := read.delivery.ages.get(name):
                self._put(name, instant, age, read.flat[name])
            else:
                self.readings[name].append((instant.time, read.flat[name]))
        for name, message in read.delivery.belated:
            if message.says:
                self._put(name, instant, read.tick - message.made, message.reading)
        self.keep(instant, reference)

    def _put(self, name: str, instant: Instant, age: int, reading: Array) -> None:
        """Put a reading that comes late where it was made; age: [ticks]."""
        own, time = self.readings[name], instant.ticks.seconds(instant.tick - age)
        own.insert(bisect.bisect(own, time, key=_time_of), (time, reading))

    def keep(self, instant: Instant, reference: Quaternion | None) -> None:
        """Add an Instant and its reference attitude, or None; without its readings."""
        if kept := instant.elapsed % self._every == 0:
            self.instants.append(instant._replace(readings=None))
            self.references.append(UNKNOWN if reference is None else reference)
        if self._every > 1:  # else all instants are kept, and `entries` follows them when asked
            self._follow(instant, kept)

    def know(self, estimate: Estimate) -> None:
        """Add an Estimate of the estimator aboard."""
        if self._every:
            self.known.append(known(estimate))

    def entries(self) -> list[Entries | None]:
        """Return those of the energy book at each instant, None without one."""
        if self._every == 1:
            for instant in self.instants[len(self._entries) :]:
                self._follow(instant, kept=True)
        return self._entries

    def _follow(self, instant: Instant, kept: bool) -> None:
        """Let the energy book follow an Instant, and keep its entries or not."""
        if self._before is None:
            self._book = book_of(self.scenario.plant, instant.state)
        elif self._book:
            self._book.follow(self._before.state, instant)
        self._before = instant
        if kept:
            self._entries.append(self._book.entries(instant.state) if self._book else None)
