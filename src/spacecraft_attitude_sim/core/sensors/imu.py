# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An inertial measurement unit (REP-145): attitude, angular velocity and specific force.

The specific force at its position r is f/m + α×r + ω×(ω×r), f every force except gravity.
"""

import math
from typing import ClassVar, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS, BodyFrame
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import (
    ACCELEROMETER,
    GYROSCOPE,
    ORIENTATION,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Quaternion, Vector3
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, put, three_at
from spacecraft_attitude_sim.core.sensors import triad
from spacecraft_attitude_sim.core.sensors.attitude_noise import disturbed
from spacecraft_attitude_sim.core.sensors.sensor import sensor_function
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors
from spacecraft_attitude_sim.kernels.kernel import Kernel, helper
from spacecraft_attitude_sim.safety.frozen import dataclass

# saturated: 1 where an axis of gyroscope or accelerometer is at its limit, else 0.
READING = Layout(q_WS=4, angular_velocity_S=3, specific_force_S=3, saturated=1)
CONSTANTS = Layout(
    position_B=3, q_BS=4, orientation_noise=1, seed=1,
    gyroscope=triad.ERRORS_SIZE, accelerometer=triad.ERRORS_SIZE,
)  # fmt: skip
MEMORY = Layout(gyroscope=triad.STATE.size, accelerometer=triad.STATE.size)
ATTITUDE, RATE = READING.at('q_WS'), READING.at('angular_velocity_S')
FORCE, SATURATED = READING.at('specific_force_S'), READING.at('saturated')
PLACE, MOUNTED, SEED = CONSTANTS.at('position_B'), CONSTANTS.at('q_BS'), CONSTANTS.at('seed')
SIGMA = CONSTANTS.at('orientation_noise')
GYRO, ACCEL = CONSTANTS.at('gyroscope'), CONSTANTS.at('accelerometer')
ACCEL_STATE = MEMORY.at('accelerometer')


@sensor_function
def read_truth(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of an IMU without errors; its memory stays empty."""
    q_BS = four_at(constants, MOUNTED)
    q_WS = kinematics.attitude_of(four_at(truth, kinematics.ATTITUDE), q_BS)
    force_B = kinematics.specific_force_at(truth, three_at(constants, PLACE))
    put(reading, ATTITUDE, q_WS)
    put(reading, RATE, kinematics.seen_from(q_BS, three_at(truth, kinematics.RATE)))
    put(reading, FORCE, kinematics.seen_from(q_BS, force_B))
    reading[SATURATED] = 0.0


@sensor_function
def read(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of an IMU with errors."""
    read_truth(number, truth, constants, memory, reading)
    force_S = three_at(reading, FORCE)
    # The part of the lever arm can overflow in a valid motion; a limit of the accelerometer must
    # not hide that.
    if not math.isfinite(force_S[0] + force_S[1] + force_S[2]):
        return
    q_WS, omega_S = rotation_read(
        number, four_at(reading, ATTITUDE), three_at(reading, RATE), constants, memory
    )
    errors, seed = constants[ACCEL:], int(constants[SEED])
    force_S = triad.read_next(
        errors, memory[ACCEL_STATE:], force_S, seed, 0, ACCELEROMETER, number
    )
    put(reading, ATTITUDE, q_WS)
    put(reading, RATE, omega_S)
    put(reading, FORCE, force_S)
    if triad.at_limit(constants[GYRO:], omega_S) or triad.at_limit(errors, force_S):
        reading[SATURATED] = 1.0


@helper
def rotation_read(
    number: int, q_WS: Floats, omega_S: Floats, constants: Array, memory: Array
) -> tuple[Floats, Floats]:
    """Return the measured attitude and angular velocity, four and three floats.

    constants, memory: of `read`; those of the accelerometer may be left out
    """
    sigma, seed = constants[SIGMA], int(constants[SEED])
    omega_S = triad.read_next(constants[GYRO:], memory, omega_S, seed, 0, GYROSCOPE, number)
    return disturbed(q_WS, (sigma, sigma, sigma), seed, ORIENTATION, number), omega_S


@dataclass(frozen=True)
class Imu:
    """An inertial measurement unit.

    orientation_noise: standard deviation of white noise of its attitude, about each axis [rad]
    interval: between readings [ticks]
    """

    name: ClassVar = 'imu'
    reading: ClassVar = READING

    mounting: BodyFrame = AT_CENTRE_OF_MASS
    gyroscope: TriadErrors = TriadErrors()
    accelerometer: TriadErrors = TriadErrors()
    orientation_noise: float = 0.0
    interval: int = 1

    @property
    def has_errors(self) -> bool:
        """Whether its readings have any errors."""
        exact = self.gyroscope.none and self.accelerometer.none
        return self.orientation_noise > 0.0 or not exact

    @property
    def function(self) -> Kernel:
        """The function that reads; without errors a small one, which compiles in a moment."""
        return read if self.has_errors else read_truth

    @property
    def call_interval(self) -> int:
        """Ticks between calls: each reading is one call."""
        return self.interval

    @property
    def memory_size(self) -> int:
        """Number of floats for the states of gyroscope and accelerometer."""
        return MEMORY.size if self.has_errors else 0

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        return np.concatenate((
            self.mounting.position_B, self.mounting.q_BF, (self.orientation_noise, seed),
            self.gyroscope.flat, self.accelerometer.flat,
        ))  # fmt: skip


class ImuReading(NamedTuple):
    """One reading of an IMU, in sensor axes.

    q_WS: (4,) attitude, sensor to world;  angular_velocity_S: (3,) [rad/s]
    specific_force_S: (3,) acceleration minus gravity [m/s^2]: 0 in free fall, +g up at rest
    """

    q_WS: Quaternion
    angular_velocity_S: Vector3
    specific_force_S: Vector3


def named(reading: Array) -> ImuReading:
    """Return the ImuReading of a flat READING."""
    return ImuReading(reading[ATTITUDE:RATE], reading[RATE:FORCE], reading[FORCE:SATURATED])
