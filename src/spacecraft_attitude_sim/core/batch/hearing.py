# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What comes of the readings of the craft of a batch, where faults change and delay them.

The sensors are read by compiled code, which knows no faults. What a fault does to a reading, and
when it comes, is decided here as by core.sensors.suite: for one craft after the other, and only
while a fault of a sensor acts, or a reading is still to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.attitude_law_layout import HEARD
from spacecraft_attitude_sim.core.faults.on_readings import FROZEN
from spacecraft_attitude_sim.core.sensors import star_tracker
from spacecraft_attitude_sim.core.sensors.delivery import Carrier, is_reading, says_something
from spacecraft_attitude_sim.core.sensors.imu import Imu
from spacecraft_attitude_sim.core.sensors.magnetometer import Magnetometer
from spacecraft_attitude_sim.core.sensors.sensor import SEES
from spacecraft_attitude_sim.core.sensors.star_tracker import StarTracker
from spacecraft_attitude_sim.core.sensors.suite import Readings, carried

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.law import Present
    from spacecraft_attitude_sim.core.batch.sensors import Kind, Sensors
    from spacecraft_attitude_sim.core.faults.on_readings import ReadingFault
    from spacecraft_attitude_sim.core.faults.timetable import Span
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.sensors import Suite
    from spacecraft_attitude_sim.core.sensors.delivery import Message

# An interval between readings in which none comes [ticks].
SELDOM = 1 << 62
IMU, FIELD = Imu.name, Magnetometer.name
IMU_TICK, IMU_BEFORE, FIELD_TICK, FIELD_BEFORE, FIELD_S = HEARD.places()


class Hearing:
    """What comes of the readings of N craft.

    suites: of each;  spans: {number of a fault: its Span} of each
    """

    def __init__(self, suites: Sequence[Suite], spans: Sequence[Mapping[int, Span]]) -> None:
        each = (Ears(*own) for own in zip(suites, spans, strict=True))
        self._ears = {n: ears for n, ears in enumerate(each) if ears.names}
        self._arrays: tuple[Array, NDArray[np.int64]] | None = None

    def __bool__(self) -> bool:
        return bool(self._ears)

    @property
    def steering(self) -> list[int]:
        """Numbers of the craft whose controllers must be told what they hear."""
        return [n for n, ears in self._ears.items() if not ears.names.isdisjoint({IMU, FIELD})]

    def hear(self, now: Present, place: int) -> Present:
        """Return what is heard in place of what the sensors read at an instant.

        place: of HEARD in the memory of each law
        """
        read = now.sensors
        if self._arrays is None:
            self._arrays = read.readings.copy(), read.intervals.copy()
            for n, ears in self._ears.items():
                ears.know(n, read)
        rows, intervals = self._arrays
        rows[:] = read.readings
        unusual = {}
        for n, ears in self._ears.items():
            if np.isnan(rows[n, 0]):  # it is lost
                continue
            tick = int(now.tick - now.starts[n])
            if came := ears.hear(tick, rows[n], intervals[n]):
                unusual[n] = came
            ears.tell(tick, came, rows[n], now.memory[n, place : place + HEARD.size])
        sensors = read._replace(readings=rows, intervals=intervals)
        return now._replace(sensors=sensors, unusual=unusual)


class Ears:
    """What comes of the readings of one craft.

    names: of the sensors whose faults may act
    """

    def __init__(self, suite: Suite, spans: Mapping[int, Span]) -> None:
        self._suite = suite
        self._faults = [
            (fault, spans[fault.number]) for fault in suite.faults if fault.number in spans
        ]
        self.names = frozenset(fault.sensor for fault, _ in self._faults)
        freezing = [(one.sensor, span.ends) for one, span in self._faults if one.kind == FROZEN]
        # Until when the latest reading of a sensor may be repeated.
        self._kept = {name: max(end for own, end in freezing if own == name)
                      for name, _ in freezing}  # fmt: skip
        self._last: Mapping[str, Array] = {}
        self._held: Mapping[str, tuple[Message, ...]] = {}
        self._kinds: dict[str, Kind] = {}
        self._intervals: dict[str, int] = {}
        self._gone: list[str] = []

    def know(self, n: int, sensors: Sensors) -> None:
        """Learn which sensors of a batch are those of this craft, number n."""
        self._kinds = {kind.name: kind for kind in sensors.kinds if n in kind.bodies}
        self._intervals = {
            name: int(sensors.intervals[n, kind.number]) for name, kind in self._kinds.items()
        }

    def hear(self, tick: int, row: Array, intervals: NDArray[np.int64]) -> Readings | None:
        """Write what comes at a tick to a row of readings; return it where any is not in time.

        intervals: of the sensors [ticks], SELDOM where nothing comes
        """
        for name in self._gone:
            intervals[self._kinds[name].number] = self._intervals[name]
        acting: dict[str, list[tuple[ReadingFault, float]]] = {}
        for fault, span in self._faults:
            if age := span.age(tick - 1):  # of the tick that ends here
                acting.setdefault(fault.sensor, []).append((fault, float(age) * self._suite.step))
        self._gone = []
        if not (acting or self._held):
            self._remember(tick, row)
            return None
        carrier, came = Carrier(tick, self._suite.seed, self._held, self._last, acting), set()
        for name in self.names:
            kind, reads = self._kinds[name], self._reads(name, tick)
            if not reads and name not in self._held:
                continue
            columns, one = kind.columns, self._suite.sensors[name]
            reading = carried(carrier, one, row[columns].copy() if reads else None)
            if reading is not None:
                row[columns] = reading
                came.add(name)
                continue
            self._gone.append(name)
            intervals[kind.number] = SELDOM
            if name == StarTracker.name:
                row[columns] = star_tracker.NOTHING
        delivery = carrier.delivery()
        self._last, self._held = carrier.last, delivery.held
        if not (self._gone or delivery.ages or delivery.belated):
            return None
        new = {name for name in self._kinds if self._reads(name, tick)} - {*self._gone} | came
        flat = {name: row[kind.columns].copy() for name, kind in self._kinds.items()}
        silent = {name for name in self._suite.seeing if flat[name][0] != SEES}
        return Readings(
            tick, flat, None, frozenset(new), frozenset(silent), delivery=delivery,
        )  # fmt: skip

    def tell(self, tick: int, came: Readings | None, row: Array, heard: Array) -> None:
        """Write HEARD of a tick; came, row: what comes."""
        for name, at, before in ((IMU, IMU_TICK, IMU_BEFORE), (FIELD, FIELD_TICK, FIELD_BEFORE)):
            new = name in came.new if came else self._reads(name, tick)
            if new and not (came and name in came.delivery.ages):
                heard[before], heard[at] = heard[at], tick
        if FIELD in self._kinds:
            heard[FIELD_S:] = row[self._kinds[FIELD].columns]

    def _reads(self, name: str, tick: int) -> bool:
        """Return whether a sensor, if the craft has it, reads at a tick."""
        return name in self._intervals and tick % self._intervals[name] == 0

    def _remember(self, tick: int, row: Array) -> None:
        """Keep what a sensor that freezes later would repeat."""
        for name, end in self._kept.items():
            if tick > end or not self._reads(name, tick):
                continue
            reading = row[self._kinds[name].columns]
            reasons = self._suite.sensors[name].reasons
            if is_reading(name, reading) and says_something(name, reading, reasons):
                self._last = {**self._last, name: reading.copy()}
