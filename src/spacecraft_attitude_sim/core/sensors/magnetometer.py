# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A magnetometer: the magnetic field of the environment, in its own axes.

Neglected: the body's own magnetism.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import MAGNETOMETER
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, put, three_at
from spacecraft_attitude_sim.core.sensors import triad
from spacecraft_attitude_sim.core.sensors.sensor import sensor_function
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors

READING = Layout(magnetic_field_S=3)
CONSTANTS = Layout(q_BS=4, seed=1, errors=triad.ERRORS_SIZE)
FIELD = kinematics.TRUTH.at('magnetic_field_W')
MOUNTED, SEED, ERRORS = CONSTANTS.at('q_BS'), CONSTANTS.at('seed'), CONSTANTS.at('errors')


@sensor_function
def read(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of a magnetometer."""
    q_WS = kinematics.attitude_of(four_at(truth, kinematics.ATTITUDE), four_at(constants, MOUNTED))
    field_S = kinematics.seen_from(q_WS, three_at(truth, FIELD))
    seed = int(constants[SEED])
    put(
        reading, 0,
        triad.read_next(constants[ERRORS:], memory, field_S, seed, 0, MAGNETOMETER, number),
    )  # fmt: skip


@dataclass(frozen=True)
class Magnetometer:
    """A magnetometer.

    q_BS: (4,) sensor to body, in the simulator as the IMU's;  interval: between readings [ticks]
    """

    name: ClassVar = 'magnetometer'
    reading: ClassVar = READING
    function: ClassVar = read
    memory_size: ClassVar = triad.STATE.size

    q_BS: VectorLike = IDENTITY
    errors: TriadErrors = TriadErrors()
    interval: int = 1

    @property
    def call_interval(self) -> int:
        """Ticks between calls: each reading is one call."""
        return self.interval

    @property
    def limits(self) -> Array:
        """The largest field on each axis (3,) that it can read [T]."""
        return self.errors.limits

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        return np.concatenate((self.q_BS, (seed,), self.errors.flat))
