# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What each sensor read in a run, as arrays: of a run that was simulated here, or of a bag."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import suggestion
from spacecraft_attitude_sim.core.sensors import star_tracker
from spacecraft_attitude_sim.core.sensors.sensor import SEES
from spacecraft_attitude_sim.core.ticks import NANOSECONDS
from spacecraft_attitude_sim.recording import reader, topics
from spacecraft_attitude_sim.recording.fields import (
    nanoseconds_from_ros,
    quaternion_from_ros,
    tick_of,
    vector3_from_ros,
)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.sensors import Imu, StarTracker, Suite

    # {sensor: [(time [s], what it read, as its Layout has it)]}
    Read = Mapping[str, Sequence[tuple[float, Array]]]


def _rates(message: Any) -> dict[str, Any]:
    return {
        'angular_velocity_S': vector3_from_ros(message.angular_velocity),
        'specific_force_S': vector3_from_ros(message.linear_acceleration),
    }


# {topic, as topics.known_as names it: function of a message that gives parts of a reading}; not
# gnss/fix, which says again, rounded, what gnss/odometry does.
PARTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    topics.IMU: lambda m: {'q_WS': quaternion_from_ros(m.orientation), **_rates(m)},
    topics.RAW: _rates,
    topics.MAGNETIC_FIELD: lambda m: {'magnetic_field_S': vector3_from_ros(m.magnetic_field)},
    topics.STAR_TRACKER: lambda m: {'q_WT': quaternion_from_ros(m.orientation)},
    topics.SUN_DIRECTION: lambda m: {'direction_S': vector3_from_ros(m.vector)},
    topics.ILLUMINANCE: lambda m: {'illuminance': m.illuminance},
    topics.NADIR: lambda m: {'nadir_S': vector3_from_ros(m.vector)},
    topics.GNSS_ODOMETRY: lambda m: {
        'position_E': vector3_from_ros(m.pose.pose.position),
        'velocity_E': vector3_from_ros(m.twist.twist.linear),
    },
    topics.TIME_REFERENCE: lambda m: {'clock': nanoseconds_from_ros(m.time_ref)},  # UTC [ns]
}


class Sensors(dict[str, Any]):
    """{name of a sensor: what it read}: `time` (k,) [s], and its parts as arrays of k rows.

    unheard: {name: topics} of sensors of the scenario of which a bag holds none
    """

    def __init__(
        self, suite: Suite, read: Read, unheard: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__()
        self.unheard = unheard
        for name, several in read.items():
            layout = suite.sensors[name].sensor.reading
            flat = np.array([one for _, one in several]).reshape(len(several), layout.size)
            arrays = {part: flat[:, layout.of(part)] for part in layout.widths}
            self[name] = SimpleNamespace(
                time=np.array([time for time, _ in several]),
                **{part: one[:, 0] if one.shape[1] == 1 else one for part, one in arrays.items()},
            )

    def __missing__(self, name: str) -> Any:
        """Say why there is no such sensor."""
        if name in self.unheard:
            raise KeyError(
                f'the bag holds no readings of {name}: it has no topic {self.unheard[name]}; '
                'record all topics'
            )
        raise KeyError(f'no sensor {name!r}; {suggestion.hint(name, (*self, *self.unheard))}')


def of_bag(
    path: str | Path, namespace: str | None, found: Scenario, moments: Sequence[tuple[int, int]]
) -> Sensors:
    """Return the Sensors of one spacecraft in a bag: the numbers that its topics say.

    Those that do not travel: `saturated` follows from the limits of the scenario; of what a sensor
    did not see, `why`, and of a star tracker `measured`, are NaN.

    found: its last Scenario;  moments: (tick, ticks since the start or reset) of its instants
    Raises RecordingError.
    """
    of_sensor = topics.of_sensors(found.sensors)
    of_sensor = {
        name: tuple(topic for topic in own if topics.known_as(topic) in PARTS)
        for name, own in of_sensor.items()
    }
    sensor_of = {topic: name for name, own in of_sensor.items() for topic in own}
    recorded = reader.topics_of(path, namespace) & sensor_of.keys()
    heard: dict[str, dict[int, dict[str, Any]]] = {sensor_of[topic]: {} for topic in recorded}

    def take(topic: str, message: Any, data: bytes) -> None:
        tick = tick_of(message, found.plant.ticks)
        parts = PARTS[topics.known_as(topic)](message)
        heard[sensor_of[topic]].setdefault(tick, {}).update(parts)

    reader.read(path, take, recorded, namespace)
    made = _Made(found, moments)
    read = {name: made.readings(name, heard[name]) for name in of_sensor if name in heard}
    unheard = {name: ' or '.join(own) for name, own in of_sensor.items() if name not in heard}
    return Sensors(found.sensors, read, unheard)


class _Made:
    """Makes readings, as the Layout of a sensor has them, of what was heard of it."""

    def __init__(self, found: Scenario, moments: Sequence[tuple[int, int]]) -> None:
        self._found, self._ticks, self._moments = found, found.plant.ticks, moments
        self._known = np.array([tick for tick, _ in moments])
        around = found.plant.environment.surroundings
        self._begins = around.begins if around else 0

    def readings(
        self, name: str, heard: Mapping[int, Mapping[str, Any]]
    ) -> list[tuple[float, Array]]:
        """Return [(time [s], reading)] of a sensor; heard: {tick: parts of a reading}."""
        part = self._found.sensors.sensors[name]
        sensor: Any = part.sensor
        rows: dict[int, Array] = {}
        if part.reasons or getattr(sensor, 'causes', ()):
            rows = {
                tick: self._nothing(sensor, elapsed)
                for tick, elapsed in self._moments
                if elapsed % part.call_interval == 0
            }
        for tick, parts in heard.items():
            rows.update([self._seen(sensor, tick, parts)])
        return [(self._ticks.seconds(tick), rows[tick]) for tick in sorted(rows)]

    def _nothing(self, sensor: Any, elapsed: int) -> Array:
        """Return the reading of a sensor that sees nothing, for a reason that is not recorded."""
        reading = np.zeros(sensor.reading.size)
        reading[0] = np.nan
        if sensor.name == 'star_tracker' and not _due(sensor, elapsed):
            reading[0] = star_tracker.NONE
        return reading

    def _seen(self, sensor: Any, tick: int, parts: Mapping[str, Any]) -> tuple[int, Array]:
        """Return the tick at which a reading came, and the reading; NaN what was not heard."""
        layout = sensor.reading
        own = {**dict.fromkeys(layout.widths, np.nan), **parts}
        elapsed = self._elapsed(tick)
        if 'why' in own:
            own['why'] = SEES
        if 'saturated' in own:
            own['saturated'] = _saturated(sensor, own)
        if 'clock' in own:
            utc = self._begins + self._ticks.stamp(elapsed)
            own['clock'] = (own['clock'] - utc) / NANOSECONDS
        if 'measured' in own:  # when it is stamped
            own['measured'] = elapsed
            tick += sensor.latency
        return tick, layout.packed(**own)

    def _elapsed(self, tick: int) -> int:
        """Return the ticks since the start or the last reset at a tick."""
        before = max(0, int(np.searchsorted(self._known, tick, 'right')) - 1)
        known, elapsed = self._moments[before]
        return elapsed + tick - known


def _due(sensor: StarTracker, elapsed: int) -> bool:
    """Return whether a measurement of a star tracker is to arrive."""
    measured = elapsed - sensor.latency
    return measured >= 0 and measured % sensor.interval == 0


def _saturated(sensor: Imu, own: Mapping[str, Any]) -> float:
    """Return 1 where an axis of the IMU is at its limit, else 0."""
    sizes = np.abs(own['angular_velocity_S']), np.abs(own['specific_force_S'])
    most = sensor.gyroscope.limits, sensor.accelerometer.limits
    return float(any((size >= limit).any() for size, limit in zip(sizes, most, strict=True)))
