# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an observation is made of: readings of sensors, each divided by its scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.joints import EVERY_BODY
from spacecraft_attitude_sim.core.sensors.sensor import UNITS as UNITS_READ

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.episodes import EpisodeBatch
    from spacecraft_attitude_sim.core.batch.sensors import Kind
    from spacecraft_attitude_sim.core.mathematics.types import Array

STARS, AGE = 'star_tracker', 'star_tracker.age'
WHEEL_SPEED, GIMBAL_ANGLE = 'wheel_speed', 'gimbal_angle'
# {part of a reading: what it is divided by, in its unit}
SCALES = {
    'q_WS': 1.0, 'q_WT': 1.0, 'angular_velocity_S': 0.1, 'specific_force_S': 1.0,
    'saturated': 1.0, 'magnetic_field_S': 5e-5, 'direction_S': 1.0, 'nadir_S': 1.0, 'why': 1.0,
    'illuminance': 1e5, 'position_E': 7e6, 'velocity_E': 7e3, 'clock': 1e-3, 'age': 1.0,
    WHEEL_SPEED: 100.0, GIMBAL_ANGLE: 1.0,
}  # fmt: skip
UNITS = {**UNITS_READ, 'age': 's', WHEEL_SPEED: 'rad/s', GIMBAL_ANGLE: 'rad'}
UNIT = ('q_WS', 'q_WT', 'direction_S', 'nadir_S', 'saturated')
QUATERNIONS = ('q_WS', 'q_WT')


class Channel(NamedTuple):
    """One number of an observation.

    name: of sensor and part, 'imu.angular_velocity_S[0]';  unit: of the reading
    scale: what the reading is divided by, in its unit
    limit: the largest size of the reading, inf for none
    """

    name: str
    unit: str
    scale: float
    limit: float


class Observer:
    """Makes observations of the bodies of an EpisodeBatch.

    names: of Task.observes
    Raises ValueError for one that a body does not have.
    """

    def __init__(
        self, names: Sequence[str], scenarios: Sequence[Scenario], batch: EpisodeBatch
    ) -> None:
        self._batch = batch
        self.channels: list[Channel] = []
        self._pieces: list[tuple[str, slice]] = []
        self._columns: dict[str, Array] = {}
        for name in names:
            begin = len(self.channels)
            self.channels += self._channels(name, scenarios)
            self._pieces.append((name, slice(begin, len(self.channels))))
        self._scales = np.array([channel.scale for channel in self.channels])

    @property
    def limits(self) -> Array:
        """The largest size (d,) of each number of an observation."""
        return np.array([channel.limit / channel.scale for channel in self.channels])

    def observations(self, bodies: Any = EVERY_BODY) -> Array:
        """Return (M, d) of this instant, 0 for what is not a number.

        bodies: numbers (M,) of some, or a slice
        """
        pieces = [self._read(name, bodies) for name, _ in self._pieces]
        rows = np.empty((len(pieces[0]), len(self.channels)))
        for values, (_, place) in zip(pieces, self._pieces, strict=True):
            rows[:, place] = values
        rows /= self._scales
        if not np.isfinite(np.sum(rows)):
            rows[~np.isfinite(rows)] = 0.0
        return rows.astype(np.float32)

    def _read(self, name: str, bodies: Any = EVERY_BODY) -> Array:
        """Return the numbers (M, k) of a piece."""
        batch = self._batch
        if name == WHEEL_SPEED:
            return batch.tachometers(bodies)
        if name == GIMBAL_ANGLE:
            return batch.gimbal_angles(bodies)
        if name == AGE:
            measured = batch.sensors.last[bodies][:, 0]
            ages = (batch.ages[bodies] - measured) * batch.ticks.step
            return np.where(measured < 0.0, -1.0, ages)[:, np.newaxis]
        sensor, part = name.split('.')
        if sensor == STARS:
            values = batch.sensors.last[bodies][:, 1:]
        else:
            values = batch.sensors.readings[bodies][:, self._columns[name]]
        if part in QUATERNIONS:  # q and -q are one attitude
            values = np.where(values[:, :1] < 0.0, -values, values)
        return values

    def _channels(self, name: str, scenarios: Sequence[Scenario]) -> list[Channel]:
        """Return the Channels of a piece, and remember where it is read."""
        if name in (WHEEL_SPEED, GIMBAL_ANGLE):
            rows = self._read(name)
            if not rows.shape[1]:
                raise ValueError(f'{name} is observed; the spacecraft have none')
            unit, scale = UNITS[name], SCALES[name]
            return [Channel(f'{name}[{k}]', unit, scale, np.inf) for k in range(rows.shape[1])]
        kind = self._kind(name)
        part = name.split('.')[1]
        unit, scale = UNITS[part], SCALES[part]
        if name == AGE:
            return [Channel(name, unit, scale, np.inf)]
        if part not in kind.layout.widths or name == f'{STARS}.measured':
            parts = [own for own in kind.layout.widths if own in SCALES]
            raise ValueError(f'{name} is observed; {kind.name} has {", ".join(parts)}')
        places = kind.layout.of(part)
        self._columns[name] = np.arange(kind.columns.start, kind.columns.stop)[places]
        limits = self._limits(kind, scenarios)[places]
        if len(limits) == 1:
            return [Channel(name, unit, scale, float(limits[0]))]
        return [Channel(f'{name}[{k}]', unit, scale, float(x)) for k, x in enumerate(limits)]

    def _kind(self, name: str) -> Kind:
        """Return the sensors of a name; ValueError where some body has none."""
        sensor, _, part = name.partition('.')
        kinds = {kind.name: kind for kind in self._batch.sensors.kinds}
        if sensor not in kinds or part not in SCALES:
            has = ', '.join(kinds)
            raise ValueError(
                f'{name} is observed; give SENSOR.PART of the sensors {has}, or {WHEEL_SPEED}'
            )
        if len(kinds[sensor].bodies) < self._batch.count:
            raise ValueError(f'{name} is observed; some spacecraft have another {sensor}, or none')
        return kinds[sensor]

    @staticmethod
    def _limits(kind: Kind, scenarios: Sequence[Scenario]) -> Array:
        """Return the largest sizes of the numbers of a reading, inf for none."""
        limits = np.full(kind.layout.size, np.inf)
        for part in kind.layout.widths:
            if part in UNIT:
                # The length of a unit vector is rounded.
                limits[kind.layout.of(part)] = 1.0 + 1e-6
        sensors: list[Any] = [scenario.sensors.sensors[kind.name].sensor for scenario in scenarios]
        each = []
        for sensor in {id(sensor): sensor for sensor in sensors}.values():
            if kind.name == 'imu':
                both = (*sensor.gyroscope.limits, *sensor.accelerometer.limits)
                each.append(np.array((*limits[:4], *both, 1.0)))
            else:
                each.append(getattr(sensor, 'limits', limits))
        most: Array = np.max(each, axis=0)
        return most
