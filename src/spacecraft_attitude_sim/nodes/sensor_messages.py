# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of the sensors, made from Readings, and their transforms on the body."""

import numpy as np
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import Imu, MagneticField

from spacecraft_attitude_sim.nodes import conversions

# Variance of an ideal reading: (1e-6)^2, the accuracy of the simulation; a field of 1e-5 T has
# 1e-11 of it. All zeros would mean "unknown" (sensor_msgs/Imu).
IDEAL_VARIANCE = 1e-12
IDEAL_FIELD_VARIANCE = 1e-22
NOT_MEASURED = np.array((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # sensor_msgs/Imu


class SensorMessages:
    """Makes the sensors' messages of a scenario.

    absent: topics of sensors that this scenario has not
    """

    def __init__(self, scenario):
        self._suite = scenario.sensors
        self._base = scenario.parameters['frames.body']
        self._imu_link = scenario.parameters['frames.imu']
        self._star_tracker_link = scenario.parameters['frames.star_tracker']
        self._covariances = _covariances(self._suite)
        self.absent = set()
        if self._suite.magnetometer is None:
            self.absent.add('imu/mag')
        if self._suite.star_tracker is None:
            self.absent.add('star_tracker/attitude')

    def of(self, tick, readings):
        """Return {topic: message} of a tick's Readings."""
        return {
            **self._imu(tick, readings.imu),
            **self._magnetic_field(tick, readings.magnetic_field_S),
            **self._attitude(tick - readings.tick, readings.solution),
        }

    def fixed_transforms(self):
        """Return the transforms of the sensors on the body."""
        imu, tracker = self._suite.imu.mounting, self._suite.star_tracker
        found = [self._fixed(self._imu_link, imu.position_B, imu.q_BF)]
        if tracker:
            found.append(self._fixed(self._star_tracker_link, np.zeros(3), tracker.q_BT))
        return found

    def _fixed(self, frame, position_B, q_BF):
        message = TransformStamped(
            header=conversions.header_to_ros(0, self._base), child_frame_id=frame
        )
        message.transform.translation = conversions.vector3_to_ros(position_B)
        message.transform.rotation = conversions.quaternion_to_ros(q_BF)
        return message

    def _imu(self, tick, reading):
        raw = {
            'header': conversions.header_to_ros(tick, self._imu_link),
            'angular_velocity': conversions.vector3_to_ros(reading.angular_velocity_S),
            'angular_velocity_covariance': self._covariances['angular_velocity'],
            'linear_acceleration': conversions.vector3_to_ros(reading.specific_force_S),
            'linear_acceleration_covariance': self._covariances['linear_acceleration'],
        }
        orientation = conversions.quaternion_to_ros(reading.q_WS)
        covariance = self._covariances['orientation']
        return {
            'imu/data': Imu(orientation=orientation, orientation_covariance=covariance, **raw),
            'imu/data_raw': Imu(orientation_covariance=NOT_MEASURED, **raw),
        }

    def _magnetic_field(self, tick, field_S):
        if field_S is None:
            return {}
        message = MagneticField(
            header=conversions.header_to_ros(tick, self._imu_link),
            magnetic_field=conversions.vector3_to_ros(field_S),
            magnetic_field_covariance=self._covariances['magnetic_field'],
        )
        return {'imu/mag': message}

    def _attitude(self, first_tick, solution):
        """Return the attitude that arrives, stamped with its measurement; nothing where none does.

        first_tick: of the run
        """
        if solution is None:
            return {}
        message = Imu(
            header=conversions.header_to_ros(
                first_tick + solution.measured, self._star_tracker_link
            ),
            orientation=conversions.quaternion_to_ros(solution.q_WT),
            orientation_covariance=self._covariances['attitude'],
            angular_velocity_covariance=NOT_MEASURED,
            linear_acceleration_covariance=NOT_MEASURED,
        )
        return {'star_tracker/attitude': message}


def _covariances(suite):
    """Return {quantity: covariance (9,)} of the sensors' readings, each in its sensor's axes."""
    imu = suite.imu
    variances = {
        'angular_velocity': imu.gyroscope.sample_variance() + IDEAL_VARIANCE,
        'linear_acceleration': imu.accelerometer.sample_variance() + IDEAL_VARIANCE,
        'orientation': np.full(3, imu.orientation_noise**2 + IDEAL_VARIANCE),
    }
    if suite.magnetometer:
        errors = suite.magnetometer.errors
        variances['magnetic_field'] = errors.sample_variance() + IDEAL_FIELD_VARIANCE
    if suite.star_tracker:
        variances['attitude'] = suite.star_tracker.variance() + IDEAL_VARIANCE
    return {quantity: np.diag(variance).ravel() for quantity, variance in variances.items()}
