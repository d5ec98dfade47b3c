# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The readings that an estimator takes, from those of a run or of a bag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME, Reading
from spacecraft_attitude_sim.core.sensors.sensor import SEES
from spacecraft_attitude_sim.core.ticks import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.ticks import Ticks
    from spacecraft_attitude_sim.recording.sensor_history import Sensors

STARS = 'star_tracker'


def of_sensors(sensors: Sensors, settings: Settings, ticks: Ticks) -> list[Reading]:
    """Return the Readings of the gyroscope and of all sensors of an estimator's Settings.

    ticks: Ticks of the run
    Raises KeyError for a sensor that was not read.
    """
    imu = sensors['imu']
    readings = list(_readings(GYROSCOPE_NAME, _stamps(imu.time), imu.angular_velocity_S))
    for name in settings.sensors:
        own = sensors[name]
        if name == STARS:
            # A bag has `measured` where an attitude came, else NaN.
            came = own.measured >= 0.0
            measured = own.measured[came].astype(np.int64)
            stamps = np.array([ticks.stamp(int(tick)) for tick in measured], dtype=np.int64)
            readings += _readings(name, stamps, own.q_WT[came])
            continue
        values = _values(own)
        said = np.isfinite(values).all(axis=1)
        if hasattr(own, 'why'):
            said &= own.why == SEES
        readings += _readings(name, _stamps(own.time)[said], values[said])
    return readings


def _stamps(times: Array) -> NDArray[np.int64]:
    """Return times [s] as stamps [ns]."""
    stamps: NDArray[np.int64] = np.rint(NANOSECONDS * np.asarray(times)).astype(np.int64)
    return stamps


def _values(own: Any) -> Array:
    """Return what a sensor reads, apart from time and reason, (k, any)."""
    (values,) = (part for name, part in vars(own).items() if name not in ('time', 'why'))
    whole: Array = values.reshape(len(own.time), -1)
    return whole


def _readings(name: str, stamps: NDArray[np.int64], values: Array) -> Iterator[Reading]:
    for stamp, value in zip(stamps.tolist(), values, strict=True):
        yield Reading(name, stamp, value)
