# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A whole flight in a compiled loop: spacecraft, sensors and shipped controller, without Python.

It has the bits of flight.flight, and takes a third to a twelfth of its time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.campaigns import one_craft
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.flight.flight import OWN
from spacecraft_attitude_sim.flight.onboard import OnboardController
from spacecraft_attitude_sim.flight.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.batch import Batch
    from spacecraft_attitude_sim.core.mathematics.layout import Layout
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation import Instant

# A flight of fewer ticks takes few seconds in Python, too, and need not compile the loop.
LONG = 4096
# Ticks that are flown at once; between them progress is shown and Ctrl-C ends the flight.
AT_ONCE = 1024
# Most memory of the rows of a flight [bytes]. A longer one flies in Python, which may keep only
# every k-th instant.
MOST_KEPT = 2**32


class Flown(NamedTuple):
    """What a compiled flight has left.

    scenario: of it;  first: its first Instant;  commanded: whether its controller commanded
    rows: (ticks, any) of Batch.followed;  layout: of a row
    began: tick from which the controller's reference moves, negative if it has not begun to
    """

    scenario: Scenario
    first: Instant
    commanded: bool
    rows: Array
    layout: Layout
    began: int = -1

    def record(self, every: int) -> Record:
        """Return the Record of every k-th instant, without readings."""
        record, pointed_at = Record(self.scenario, every), self._pointed_at()
        record.commanded = self.commanded
        for instant in self.instants():
            record.keep(instant, pointed_at(instant.stamp))
        return record

    def instants(self) -> Iterator[Instant]:
        """Yield all Instants, without readings."""
        yield self.first._replace(readings=None)
        yield from one_craft.instants_of(self.scenario, self.layout, self.rows, 1)

    def _pointed_at(self) -> Callable[[int], Array | None]:
        """Return the function of a time [ns] that gives the attitude pointed at, or None."""
        if not self.commanded:
            return lambda stamp: None
        onboard = OnboardController(self.scenario)
        began = self.began * self.scenario.plant.ticks.tick_ns

        def pointed_at(stamp: int) -> Array | None:
            if stamp == began:
                onboard.begin(stamp)
            return onboard.reference_at(stamp)

        return pointed_at

    def readings(self) -> dict[str, list[tuple[float, Array]]]:
        """Return {sensor: [(time [s], what it read)]}."""
        assert self.first.readings is not None
        found, ticks = {}, self.scenario.plant.ticks
        column = self.layout.at('readings')
        for name, part in self.scenario.sensors.sensors.items():
            interval = part.call_interval
            read = self.rows[interval - 1 :: interval, column : column + part.size]
            times = map(ticks.seconds, range(interval, len(self.rows) + 1, interval))
            found[name] = [(0.0, self.first.readings.flat[name]), *zip(times, read, strict=True)]
            column += part.size
        return found


def flown(
    scenario: Scenario, first: Instant, controller: object, ticks: int,
    told: Callable[[float], object],
) -> Flown | None:  # fmt: skip
    """Return the Flown of a flight, or None where flight.flight has to fly it.

    That is where it is short or too long, where its controller is not compiled, for other
    spacecraft than those of core.equations.multibody, and where the orbit is not known, or the
    motion or a reading is not finite: that flight says why.

    first: Instant;  controller: OWN or None, any other is not compiled
    told: called with the time that has been reached [s]
    """
    if ticks < LONG or not (controller is None or controller == OWN):
        return None
    from spacecraft_attitude_sim.core.batch.attitude_law import BEGAN

    commanded = controller == OWN and scenario.controller is not None
    batch = batch_of(scenario, first, commanded=commanded)
    if batch is None or ticks * (layout := batch.kept_layout).size * 8 > MOST_KEPT:
        return None
    whole, readings = np.empty((ticks, layout.size)), layout.of('readings')
    for begin in range(0, ticks, AT_ONCE):
        rows = whole[begin : begin + AT_ONCE]
        try:
            rows[:] = batch.followed(len(rows))[0]
        except ValueError:  # the orbit is not known for these times
            return None
        if not (np.isfinite(rows[-1, :SIZE]).all() and np.isfinite(rows[:, readings]).all()):
            return None
        told(scenario.plant.ticks.seconds(batch.tick))
    began = int(batch.memory[0, BEGAN]) if commanded else -1
    return Flown(scenario, first, commanded, whole, layout, began)


def batch_of(scenario: Scenario, first: Instant, *, commanded: bool) -> Batch | None:
    """Return the Batch of one spacecraft; None where it does not fly there."""
    if commanded and scenario.estimator:  # what it knows is kept by a flight in Python
        return None
    return one_craft.batch_of(scenario, first, commanded=commanded)
