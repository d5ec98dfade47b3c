# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What sensors read at one instant, by name, and beside it the truth."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import suggestion
from spacecraft_attitude_sim.core.body.state import Truth
from spacecraft_attitude_sim.core.spacecraft.channels import Moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.core.sensors.star_tracker import Solution
    from spacecraft_attitude_sim.core.simulation import Instant, Plant

STARS = 'star_tracker'


class StarTrackerReading(NamedTuple):
    """An attitude that the star tracker measured.

    measured: tick of the image, counted as `Readings.tick` after a start at 0
    q_WT: attitude: quaternion (4,) w, x, y, z that turns the axes of the tracker into world axes
    age: time since the image was taken [s]
    """

    measured: int
    q_WT: Quaternion
    age: float


class Readings:
    """What the sensors of a spacecraft say at one instant; what a controller is given.

    A sensor of which nothing comes keeps what came last, nan before the first; `new` names those
    of which a reading comes now. The star tracker is in `new` only when an attitude arrives. All
    vectors are in the
    axes of the sensor, which its mounting in the scenario turns.

    time: simulated [s];  tick: number of the instant;  step: from one to the next [s]
    """

    def __init__(self, plant: Plant, instant: Instant, solution: Solution | None = None) -> None:
        """Make them; solution: the last one that had arrived from the star tracker before."""
        assert instant.readings is not None, 'an instant that was read'
        self._plant = plant.under(instant.inputs.faults)
        self._instant, self._read = instant, instant.readings
        self._solution = instant.readings.solution or solution
        self.time, self.tick, self.step = instant.time, instant.tick, plant.ticks.step

    def __repr__(self) -> str:
        return f'<Readings at {self.time:g} s of {", ".join(self.names)}>'

    def __getitem__(self, name: str) -> Any:
        """Return what a sensor read last, an object with its parts as attributes.

        name: of the sensor, as `names` lists them: 'imu', 'magnetometer', 'sun_sensor/right' …
            Before the first attitude of a star tracker its `measured` is -1
        """
        parts = self._plant.spacecraft.sensors.sensors
        if name not in parts:
            raise KeyError(f'no sensor {name!r}; {suggestion.hint(name, self.names)}')
        if name == STARS and self._solution:
            return SimpleNamespace(
                measured=float(self._solution.measured), q_WT=self._solution.q_WT.copy()
            )
        layout = parts[name].sensor.reading
        return SimpleNamespace(**{
            part: flat[0] if len(flat) == 1 else flat.copy()
            for part, flat in layout.unpacked(self._read.flat[name]).items()
        })  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sensors."""
        return tuple(self._plant.spacecraft.sensors.sensors)

    @property
    def new(self) -> frozenset[str]:
        """Names of the sensors of which a reading comes at this instant.

        The star tracker is among them when an attitude arrives from it.
        """
        return self._read.new if self._read.solution else self._read.new - {STARS}

    def late_by(self, name: str) -> float:
        """Return how late the reading of a sensor is that comes at this instant [s].

        It is the latency of the sensor, unless a fault makes it later. The age of a star tracker's
        attitude is counted from its image: `star_tracker.age`.
        """
        return self._read.delivery.ages.get(name, 0) * self.step

    @property
    def angular_velocity(self) -> Vector3:
        """What the gyroscope says (3,) [rad/s], IMU axes."""
        return self._read.imu.angular_velocity_S

    @property
    def specific_force(self) -> Vector3:
        """What the accelerometer says (3,) [m/s^2], IMU axes."""
        return self._read.imu.specific_force_S

    @property
    def attitude(self) -> Quaternion | None:
        """Orientation (4,) w, x, y, z of the IMU in the world; None where it gives none."""
        return self._read.imu.q_WS

    @property
    def magnetic_field(self) -> Vector3 | None:
        """What the magnetometer says (3,) [T], its axes; None without one."""
        return self._read.magnetic_field_S

    @property
    def star_tracker(self) -> StarTrackerReading | None:
        """The last attitude that has arrived from the star tracker.

        It has `q_WT` (4,), `measured` [ticks] and `age` [s]. It is None before the first attitude
        and without a star tracker. `'star_tracker' in readings.new` says whether it arrived now.
        """
        if (last := self._solution) is None:
            return None
        age = (self._read.tick - last.measured) * self.step
        return StarTrackerReading(last.measured, last.q_WT.copy(), age)

    @property
    def wheel_speed(self) -> Array:
        """What the tachometers of the wheels say (n,) [rad/s]; empty without wheels."""
        return self._plant.spacecraft.said_speeds(self._instant.state)

    @property
    def gimbal_angle(self) -> Array:
        """Angles of the gimbals (n,) [rad]; empty without control moment gyros."""
        craft, instant = self._plant.spacecraft, self._instant
        if 'gimbals' not in craft.groups:
            return np.zeros(0)
        now = Moment(craft, instant.state, instant.inputs, instant.drive)
        angles: Array = now.value('gimbals', 'angles')
        return angles

    @property
    def truth(self) -> Truth:
        """The state itself, which no flight controller knows."""
        state = self._instant.state
        return Truth(
            state.position_W.copy(), state.momentum_W / self._plant.body.mass, state.q_WB.copy(),
            np.array(self._plant.spacecraft.angular_velocity_B(state)),
            state.angular_momentum_W.copy(),
        )  # fmt: skip
