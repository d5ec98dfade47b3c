# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What comes to an estimator at an instant, in the order in which its node hears it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME, Reading
from spacecraft_attitude_sim.core.sensors.imu import RATE
from spacecraft_attitude_sim.core.sensors.star_tracker import StarTracker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation.instant import Instant

STARS = StarTracker.name


def names_heard(sensors: Iterable[str]) -> list[str]:
    """Return the names of the IMU and of the sensors of Settings, in the order of the node."""
    own = list(sensors)
    stars = [STARS] if STARS in own else []
    return ['imu', *stars, *(name for name in own if name != STARS)]


def readings_at(instant: Instant, names: Sequence[str]) -> list[Reading]:
    """Return what comes at an Instant of sensors; names: of names_heard."""
    read, stamp = instant.readings, instant.stamp
    assert read is not None, 'an instant that was read'
    new, silent, ages = read.new, read.silent, read.delivery.ages
    readings = []
    for name in names:
        if name in new and name not in silent and (name != STARS or read.solution):
            read_ns = instant.stamp_before(ages[name]) if name in ages else stamp
            readings.append(_reading(instant, name, read_ns, read.flat[name]))
    for name, message in read.delivery.belated:
        if message.says and name in names:
            read_ns = instant.stamp_before(read.tick - message.made)
            readings.append(_reading(instant, name, read_ns, message.reading))
    return readings


def _reading(instant: Instant, name: str, stamp: int, flat: Array) -> Reading:
    """Return the Reading of a sensor that was made at a time [ns]."""
    if name == 'imu':
        return Reading(GYROSCOPE_NAME, stamp, flat[RATE : RATE + 3])
    if name == STARS:
        latency = instant.elapsed - int(flat[0])  # from its image
        return Reading(name, instant.stamp_before(latency), flat[1:])
    # A direction stands behind SEES.
    return Reading(name, stamp, flat[1:] if len(flat) > 3 else flat)
