# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The way of a reading from a sensor to those who hear it.

A latency holds each reading for the same time. Faults lose, hold and double it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spacecraft_attitude_sim.core.faults.on_readings import DOUBLED, LATE, happens, spoil
from spacecraft_attitude_sim.core.sensors import star_tracker
from spacecraft_attitude_sim.core.sensors.sensor import SEES
from spacecraft_attitude_sim.core.sensors.star_tracker import StarTracker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.core.faults.on_readings import ReadingFault
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Of no sensor; a dict, because a run can be pickled.
NOTHING: Mapping[str, Any] = {}


class Message(NamedTuple):
    """A reading on its way.

    made, due: ticks at which it was read, and at which it comes;  reading: in its Layout
    says: whether it says something: a sensor that sees nothing sends no message
    twice: whether its message comes twice;  overtaken: whether a newer one has come before it
    """

    made: int
    due: int
    reading: Array
    says: bool = True
    twice: bool = False
    overtaken: bool = False


class Delivery(NamedTuple):
    """What is unusual about the messages of one tick, by name of the sensor.

    held: {name: Messages that are still to come}, in the order in which they were made
    ages: {name: ticks since the reading that comes now was made}, of those not of this tick
    overdue: names of those of which it comes later than by the latency of the sensor
    belated: (name, Message) of those that come now, after a newer one
    twice: names of those whose message comes twice
    """

    held: Mapping[str, tuple[Message, ...]] = NOTHING
    ages: Mapping[str, int] = NOTHING
    belated: tuple[tuple[str, Message], ...] = ()
    twice: frozenset[str] = frozenset()
    overdue: frozenset[str] = frozenset()

    @property
    def in_time(self) -> bool:
        """Whether all messages of this tick are of this tick, and come once."""
        return not (self.ages or self.belated or self.twice)


IN_TIME = Delivery()


class Carrier:
    """Carries the readings of one tick, and what was held before, to those who hear them.

    tick: since the start or the last reset;  seed: of the random streams
    held: of the Delivery of the tick before
    last: {name: latest reading that says something and was not lost}, which frozen sensors repeat
    acting: {name: its faults, and how long each has acted [s]}
    latencies: {name: ticks from each reading to its message}, of those that have any

    kept_back: names of those of which a reading is due now and does not come
    """

    def __init__(
        self,
        tick: int,
        seed: int,
        held: Mapping[str, tuple[Message, ...]],
        last: Mapping[str, Array],
        acting: Mapping[str, Sequence[tuple[ReadingFault, float]]],
        latencies: Mapping[str, int] = NOTHING,
    ) -> None:
        self._latencies = latencies
        self._tick, self._seed, self._waiting, self._acting = tick, seed, held, acting
        self.last, self.kept_back = dict(last), set[str]()
        self._held: dict[str, tuple[Message, ...]] = {}
        self._ages: dict[str, int] = {}
        self._belated: list[tuple[str, Message]] = []
        self._twice: set[str] = set()
        self._overdue: set[str] = set()

    def carry(self, name: str, reading: Array | None, says: bool, every: int = 1) -> Array | None:
        """Return the newest reading of a sensor that comes now; None where none does.

        Call it once for each sensor.
        reading: made at this tick, None for none;  says: whether it says something
        every: ticks between readings
        """
        latency = self._latencies.get(name, 0)
        fresh = None if reading is None else self._sent(name, reading, says)
        before = self._waiting.get(name, ())
        waiting = before if fresh is None else (*before, fresh)
        due_made = self._tick - latency
        due = sorted((each for each in waiting if each.due <= self._tick), key=_made)
        newest = next((each for each in reversed(due) if not each.overtaken), None)
        self._belated += [(name, each) for each in due if each is not newest]
        if due:
            waiting = tuple(each for each in waiting if each.due > self._tick)
        if newest and waiting and waiting[0].made < newest.made:
            waiting = tuple(_behind(each, newest) for each in waiting)
        if waiting:
            self._held[name] = waiting
        is_due = latency and due_made >= 0 and due_made % every == 0
        if is_due and not any(each.made == due_made for each in due):
            self.kept_back.add(name)
        if newest is None:
            return None
        if newest.made < self._tick:
            self._ages[name] = self._tick - newest.made
        if newest.made < due_made:
            self._overdue.add(name)
        if newest.twice:
            self._twice.add(name)
        return newest.reading

    def delivery(self) -> Delivery:
        """Return the Delivery of this tick."""
        if not (self._held or self._ages or self._belated or self._twice):
            return IN_TIME
        twice, overdue = frozenset(self._twice), frozenset(self._overdue)
        return Delivery(self._held, self._ages, tuple(self._belated), twice, overdue)

    def _sent(self, name: str, reading: Array, says: bool) -> Message | None:
        """Return the Message of a reading, after all faults; None where it is lost."""
        delay, twice, came = 0, False, True
        for fault, seconds in self._acting.get(name, ()):
            if fault.kind == LATE:
                delay += int(fault.values[0])
            elif says and fault.kind == DOUBLED:
                twice |= happens(fault, self._tick, self._seed)
            elif says:
                came &= spoil(fault, reading, self.last.get(name), seconds, self._tick, self._seed)
        latency = self._latencies.get(name, 0)
        if not latency and (delay or not came):
            self.kept_back.add(name)
        if not came:
            return None
        if says:
            self.last[name] = reading
        return Message(self._tick, self._tick + latency + delay, reading, says, twice)


def _made(message: Message) -> int:
    return message.made


def _behind(message: Message, newest: Message) -> Message:
    """Return a held Message, as overtaken if the newest one that comes was made after it."""
    return message._replace(overtaken=message.overtaken or message.made < newest.made)


def is_reading(name: str, reading: Array) -> bool:
    """Return whether a sensor has read at all: between two images a star tracker has not."""
    return name != StarTracker.name or bool(reading[0] != star_tracker.NONE)


def says_something(name: str, reading: Array, reasons: Sequence[str]) -> bool:
    """Return whether a reading says something: a fault does not make a blind sensor see."""
    if name == StarTracker.name:
        return bool(reading[0] > star_tracker.NONE)
    return not reasons or bool(reading[0] == SEES)
