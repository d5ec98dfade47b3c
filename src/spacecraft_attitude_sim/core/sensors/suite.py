# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All sensors of a body: what they read at an instant, from it and from what they remember."""

import functools
import math
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
from spacecraft_attitude_sim.core.sensors import imu, star_tracker
from spacecraft_attitude_sim.core.sensors.imu import Imu, ImuReading
from spacecraft_attitude_sim.core.sensors.magnetometer import Magnetometer
from spacecraft_attitude_sim.core.sensors.sensor import Sensor
from spacecraft_attitude_sim.core.sensors.star_tracker import Solution, StarTracker
from spacecraft_attitude_sim.kernels.kernel import Kernel


class Part(NamedTuple):
    """A sensor, and what is asked of it in every tick; see Sensor.

    constants: of its function;  size: of its reading
    """

    sensor: Sensor
    function: Kernel
    constants: Array
    call_interval: int
    memory_size: int
    size: int


@dataclass(frozen=True)
class Suite:
    """The sensors of a body, None where there is none, and the seed of their random channels."""

    imu: Imu = Imu()
    magnetometer: Magnetometer | None = None
    star_tracker: StarTracker | None = None
    seed: int = 0

    @functools.cached_property
    def sensors(self) -> dict[str, Part]:
        """{name: Part}."""
        given = (getattr(self, field.name) for field in fields(self) if field.name != 'seed')
        return {
            one.name: Part(
                one, one.function, one.constants(self.seed), one.call_interval, one.memory_size,
                one.reading.size,
            )
            for one in given
            if one
        }  # fmt: skip


class Readings(NamedTuple):
    """What the sensors read at one instant.

    tick: since the run began
    flat: {name: what a sensor read last, as its Layout has it};  memory: {name: what it remembers}
    new: names of those that read now
    """

    tick: int
    flat: dict[str, Array]
    memory: dict[str, Array]
    new: frozenset[str] = frozenset()

    @property
    def imu(self) -> ImuReading:
        """Attitude, angular velocity and specific force."""
        return imu.named(self.flat['imu'])

    @property
    def saturated(self) -> bool:
        """Whether an axis of the IMU is at its limit, in a reading of now."""
        return 'imu' in self.new and bool(self.flat['imu'][imu.SATURATED])

    @property
    def magnetic_field_S(self) -> Vector3 | None:
        """The field (3,) in the magnetometer's axes [T]; None without one."""
        return self.flat.get('magnetometer')

    @property
    def solution(self) -> Solution | None:
        """What arrives from the star tracker now, or None."""
        flat = self.flat.get('star_tracker')
        return None if flat is None else star_tracker.named(flat)


def read(suite: Suite, truth: Array, tick: int, before: Readings | None = None) -> Readings:
    """Return the Readings at a tick; at tick 0 the sensors begin.

    truth: (16,) of core.body.kinematics.TRUTH;  tick: since the start or the last reset
    before: Readings of the tick before, not looked at when the sensors begin; None to begin
    Raises ArithmeticError where a reading would not be finite.
    """
    remembered = before.memory if tick and before else {}
    flat, memory, new = {}, {}, []
    for name, (sensor, function, constants, interval, memory_size, size) in suite.sensors.items():
        if name not in remembered:
            memory[name] = kept = np.full(memory_size, np.nan)
        elif tick % interval:
            assert before is not None
            memory[name], flat[name] = remembered[name], before.flat[name]
            continue
        else:
            memory[name] = kept = remembered[name].copy()
        new.append(name)
        flat[name] = reading = np.empty(size)
        function(tick // interval, truth, constants, kept, reading)
        if not math.isfinite(sum(reading.tolist())):
            raise _not_finite(sensor, reading)
    return Readings(tick, flat, memory, frozenset(new))


def _not_finite(sensor: Sensor, reading: Array) -> ArithmeticError:
    """Return the error of a reading that is not finite."""
    read = {part: reading[sensor.reading.of(part)].tolist() for part in sensor.reading.widths}
    wrong = next((part for part in read if not math.isfinite(sum(read[part]))), 'all')
    return ArithmeticError(
        f'{wrong} of {sensor.name} would be {read.get(wrong, read)}, which is not finite; '
        f'{limits.REMEDY}'
    )
