# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Readings from messages of sensors, and messages of an Estimate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Vector3Stamped
from sensor_msgs.msg import Illuminance, Imu, JointState, MagneticField

from spacecraft_attitude_sim.core.estimation.replay import CELL
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME, Reading, turned
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.nodes.messages.sensor_messages import NOT_MEASURED
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import topics

if TYPE_CHECKING:
    from std_msgs.msg import Header

    from spacecraft_attitude_sim.core.estimation.calibration import Calibration
    from spacecraft_attitude_sim.core.estimation.settings import Estimate, Judgement, Settings
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, VectorLike

UNMEASURED = NOT_MEASURED[0]
MISSING = (np.nan,) * 4


class Source(NamedTuple):
    """A topic that the estimator reads.

    sensor: name of what speaks there;  kind: type of its messages
    values: function of a message that returns the values of a Reading
    """

    sensor: str
    kind: type[Any]
    values: Callable[[Any], VectorLike]

    def reading(self, message: Any) -> Reading:
        """Return the Reading of a message."""
        stamp = conversions.nanoseconds_from_ros(message.header.stamp)
        return Reading(self.sensor, stamp, self.values(message))


def sources(settings: Settings) -> dict[str, Source]:
    """Return {topic: Source} of what an estimator reads."""
    every = {topics.RAW: Source(GYROSCOPE_NAME, Imu, _rate)}
    alone = {
        'star_tracker': (topics.STAR_TRACKER, Imu, _attitude),
        'magnetometer': (topics.MAGNETIC_FIELD, MagneticField, _field),
        'horizon_sensor': (topics.NADIR, Vector3Stamped, _direction),
    }
    for name, sensor in settings.sensors.items():
        if name in alone:
            topic, kind, values = alone[name]
        elif sensor.kind == CELL:
            topic, kind, values = f'{name}/illuminance', Illuminance, _illuminance
        else:
            topic, kind, values = f'{name}/direction', Vector3Stamped, _direction
        every[topic] = Source(name, kind, values)
    return every


def _rate(message: Imu) -> VectorLike:
    if message.angular_velocity_covariance[0] == UNMEASURED:
        return MISSING[:3]
    return conversions.vector3_from_ros(message.angular_velocity)


def _attitude(message: Imu) -> VectorLike:
    if message.orientation_covariance[0] == UNMEASURED:
        return MISSING
    return conversions.quaternion_from_ros(message.orientation)


def _field(message: MagneticField) -> VectorLike:
    return conversions.vector3_from_ros(message.magnetic_field)


def _direction(message: Vector3Stamped) -> VectorLike:
    return conversions.vector3_from_ros(message.vector)


def _illuminance(message: Illuminance) -> VectorLike:
    return (message.illuminance,)


def attitude(raw: Imu, estimate: Estimate, q_BS: Quaternion) -> Imu:
    """Return an Estimate as the data of an IMU, whose specific force is that of its raw data.

    q_BS: (4,) mounting of the IMU
    """
    q_WS, omega_S = estimate.in_sensor(q_BS)
    message = Imu(
        header=raw.header,
        angular_velocity=conversions.vector3_to_ros(omega_S),
        angular_velocity_covariance=turned(estimate.rate_covariance_B, q_BS),
        linear_acceleration=raw.linear_acceleration,
        linear_acceleration_covariance=raw.linear_acceleration_covariance,
        orientation_covariance=NOT_MEASURED,
    )
    if q_WS is not None:
        message.orientation = conversions.quaternion_to_ros(q_WS)
        message.orientation_covariance = estimate.covariance_S(q_BS)
    return message


def gyroscope_bias(header: Header, estimate: Estimate, q_BS: Quaternion) -> Vector3Stamped:
    """Return the bias in the axes of the IMU [rad/s]; q_BS: (4,) of its mounting."""
    bias_S = rotations.rotate(rotations.conjugate(q_BS), estimate.gyro_bias_B)
    return Vector3Stamped(header=header, vector=conversions.vector3_to_ros(bias_S))


def magnetometer_bias(header: Header, estimate: Estimate) -> Vector3Stamped:
    """Return the bias in the axes of the magnetometer, which are the IMU's [T]."""
    return Vector3Stamped(header=header, vector=conversions.vector3_to_ros(estimate.field_bias_S))


def calibration(header: Header, known: Calibration) -> JointState:
    """Return what is learnt of axes and mountings as positions, and 1 sigma as efforts."""
    message = JointState(header=header)
    for name, (value, sigma) in known.named().items():
        message.name.append(name)
        message.position.append(value)
        message.effort.append(sigma)
    return message


def innovations(header: Header, judgements: tuple[Judgement, ...]) -> JointState:
    """Return measured minus expected, as positions named <sensor>/<axis> [rad, T, share]."""
    message = JointState(header=header)
    for judged in judgements:
        for axis, value in zip('xyz'[: judged.freedom], judged.residual, strict=False):
            message.name.append(f'{judged.sensor}/{axis}')
            message.position.append(float(value))
    return message


def consistency(header: Header, judgements: tuple[Judgement, ...]) -> JointState:
    """Return normalised innovations squared as positions, and their gates as efforts."""
    return JointState(
        header=header,
        name=[judged.sensor for judged in judgements],
        position=[judged.nis for judged in judgements],
        effort=[judged.gate for judged in judgements],
    )
