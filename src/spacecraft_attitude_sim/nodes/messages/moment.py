# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the messages of one tick are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.sensors import Readings
    from spacecraft_attitude_sim.core.simulation import Instant


class Settings(NamedTuple):
    """Settings that affect the step and may change during a run.

    substeps: the parameter;  revision: number of the text on topic `scenario` in force, from 0
    """

    substeps: int
    revision: int = 0


class Moment(NamedTuple):
    """The contents of a tick's messages.

    readings: those of the instant;  stamp: its time, serialised;  settings: Settings in force
    given: whether the state was set, not stepped to
    age: ticks since the reading was made that is told, where it comes late; `stamp` is then its
    """

    instant: Instant
    readings: Readings
    stamp: bytes
    settings: Settings
    given: bool
    age: int = 0

    def telling(self, age: int, **flat: Array) -> Moment:
        """Return the Moment of a reading that comes late.

        age: ticks since it was made;  flat: name of a sensor = what it read, if that is not the
            newest reading
        """
        stamp = conversions.stamp_bytes(self.instant.stamp_before(age))
        readings = self.readings._replace(flat=self.readings.flat | flat)
        return self._replace(readings=readings, stamp=stamp, age=age)


def moment_of(instant: Instant, settings: Settings, given: bool) -> Moment:
    """Return the Moment of an Instant."""
    stamp = conversions.stamp_bytes(instant.stamp)
    return Moment(instant, readings_of(instant), stamp, settings, given)


def readings_of(instant: Instant) -> Readings:
    """Return the Readings of an Instant that is published; it always has them."""
    assert instant.readings is not None
    return instant.readings
