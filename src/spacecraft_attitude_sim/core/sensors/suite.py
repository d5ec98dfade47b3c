# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All sensors of a body: what they read at an instant, from it and from what they remember."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.kinematics import TRUTH
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS, BodyFrame
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.random_streams import (
    ACCELEROMETER,
    GYROSCOPE,
    MAGNETOMETER,
    ORIENTATION,
    normals,
)
from spacecraft_attitude_sim.core.sensors import star_tracker, triad
from spacecraft_attitude_sim.core.sensors.imu import ImuReading, ideal_imu
from spacecraft_attitude_sim.core.sensors.star_tracker import Solution, StarTracker
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors


class Imu(NamedTuple):
    """An inertial measurement unit.

    orientation_noise: standard deviation of white noise of its attitude, about each axis [rad]
    """

    mounting: BodyFrame = AT_CENTRE_OF_MASS
    gyroscope: TriadErrors = TriadErrors()
    accelerometer: TriadErrors = TriadErrors()
    orientation_noise: float = 0.0


class Magnetometer(NamedTuple):
    """A magnetometer in the IMU's frame.

    field_W: (3,) uniform magnetic field, world [T]
    """

    field_W: np.ndarray
    errors: TriadErrors = TriadErrors()


class Suite(NamedTuple):
    """The sensors of a body; nothing in it changes during a run.

    magnetometer, star_tracker: None where there is none;  seed: of every random channel
    """

    imu: Imu = Imu()
    magnetometer: Magnetometer | None = None
    star_tracker: StarTracker | None = None
    seed: int = 0


class Memory(NamedTuple):
    """What the sensors remember from tick to tick.

    gyroscope, accelerometer, magnetometer: states of their triads
    pending: the star tracker's Solutions that have not arrived
    """

    gyroscope: np.ndarray
    accelerometer: np.ndarray
    magnetometer: np.ndarray
    pending: tuple


class Readings(NamedTuple):
    """What the sensors read at one instant.

    tick: since the run began;  saturated: whether an axis of the IMU is at its limit
    magnetic_field_S: (3,) [T], IMU axes, None without magnetometer
    solution: what arrives from the star tracker now, or None
    """

    tick: int
    imu: ImuReading
    saturated: bool
    magnetic_field_S: np.ndarray | None
    solution: Solution | None
    memory: Memory


NOTHING = np.zeros(triad.STATE_SHAPE)
EMPTY = Memory(NOTHING, NOTHING, NOTHING, ())


def read(suite, truth, tick, before=None):
    """Return the Readings at a tick; at tick 0 the sensors begin.

    truth: (16,) of core.body.kinematics.TRUTH;  tick: since the start or the last reset
    before: Readings of the tick before, not looked at when the sensors begin; None to begin
    Raises ArithmeticError where a reading would not be finite.
    """
    memory = before.memory if tick and before else EMPTY
    ideal = ideal_imu(truth, suite.imu.mounting)
    imu, gyroscope, accelerometer = _read_imu(suite, ideal, memory, tick)
    field_S, magnetometer = _read_magnetometer(suite, ideal.q_WS, memory, tick)
    solution, pending = _read_star_tracker(suite, truth, memory, tick)
    return Readings(
        tick,
        imu,
        _saturated(suite.imu, imu),
        field_S,
        solution,
        Memory(gyroscope, accelerometer, magnetometer, pending),
    )


def _read_triad(errors, state, truth_S, seed, channel, tick):
    """Return reading and state; without errors the truth to the bit, and nothing compiled.

    ArithmeticError where the reading is not finite.
    """
    if errors.none:
        return truth_S, state
    reading, state = triad.step(errors.flat, state, truth_S, seed, 0, channel, tick)
    limits.check_finite('a reading', reading)
    return reading, state


def _read_imu(suite, ideal, memory, tick):
    """Return the ImuReading and the states of gyroscope and accelerometer."""
    omega_S, gyroscope = _read_triad(
        suite.imu.gyroscope,
        memory.gyroscope,
        ideal.angular_velocity_S,
        suite.seed,
        GYROSCOPE,
        tick,
    )
    force_S, accelerometer = _read_triad(
        suite.imu.accelerometer,
        memory.accelerometer,
        ideal.specific_force_S,
        suite.seed,
        ACCELEROMETER,
        tick,
    )
    q_WS = ideal.q_WS
    if sigma := suite.imu.orientation_noise:
        noise_S = normals(3, suite.seed, 0, ORIENTATION, tick)
        q_WS = np.array(star_tracker.disturbed(q_WS, sigma * noise_S))
    return ImuReading(q_WS, omega_S, force_S), gyroscope, accelerometer


def _saturated(imu, reading):
    if imu.gyroscope.none and imu.accelerometer.none:
        return False
    at_limit = (
        (np.abs(reading.angular_velocity_S) >= imu.gyroscope.flat[triad.LIMIT]).any(),
        (np.abs(reading.specific_force_S) >= imu.accelerometer.flat[triad.LIMIT]).any(),
    )
    return any(at_limit)


def _read_magnetometer(suite, q_WS, memory, tick):
    """Return the field read (3,) [T], IMU axes, and the state; None where there is none."""
    if suite.magnetometer is None:
        return None, memory.magnetometer
    field_W, errors = suite.magnetometer
    field_S = rotations.rotate(rotations.conjugate(q_WS), field_W)
    return _read_triad(errors, memory.magnetometer, field_S, suite.seed, MAGNETOMETER, tick)


def _read_star_tracker(suite, truth, memory, tick):
    """Return the Solution that arrives now, or None, and those still to come."""
    if suite.star_tracker is None:
        return None, ()
    measured = star_tracker.measure(
        suite.star_tracker,
        truth[TRUTH.of('q_WB')],
        truth[TRUTH.of('angular_velocity_B')],
        suite.seed,
        tick,
    )
    pending = memory.pending + ((measured,) if measured else ())
    if pending and pending[0].due == tick:
        return pending[0], pending[1:]
    return None, pending
