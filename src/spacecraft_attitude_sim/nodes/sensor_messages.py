# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of the sensors, made from Readings, and their transforms on the body."""

import numpy as np
from geometry_msgs.msg import TransformStamped, Vector3
from sensor_msgs.msg import Imu, MagneticField
from std_msgs.msg import Header

from spacecraft_attitude_sim.nodes import conversions

# Variance of an ideal reading: (1e-6)^2, the accuracy of the simulation; a field of 1e-5 T has
# 1e-11 of it. All zeros would mean "unknown" (sensor_msgs/Imu).
IDEAL_VARIANCE = 1e-12
IDEAL_FIELD_VARIANCE = 1e-22
NOT_MEASURED = np.array((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # sensor_msgs/Imu


class SensorMessages:
    """Makes the sensors' messages of a scenario, written anew for each instant.

    stamp: Time that the caller sets to the instant's
    topics: of the sensors that this scenario has
    """

    def __init__(self, scenario, stamp):
        self._suite = scenario.sensors
        self._base = scenario.parameters['frames.body']
        self._imu_link = scenario.parameters['frames.imu']
        self._star_tracker_link = scenario.parameters['frames.star_tracker']
        self._made = self._make(Header(stamp=stamp, frame_id=self._imu_link))
        self._attitude = None
        self.topics = list(self._made)
        if self._suite.star_tracker:
            self._attitude = self._make_attitude()
            self.topics.append('star_tracker/attitude')

    def of(self, tick, readings):
        """Return {topic: message} of a tick's Readings.

        Of the star tracker what arrives now, stamped with its measurement; mostly nothing does.
        """
        imu, raw = self._made['imu/data'], self._made['imu/data_raw']
        conversions.fill_quaternion(imu.orientation, readings.imu.q_WS)
        conversions.fill_xyz(raw.angular_velocity, readings.imu.angular_velocity_S)
        conversions.fill_xyz(raw.linear_acceleration, readings.imu.specific_force_S)
        if readings.magnetic_field_S is not None:
            field = self._made['imu/mag'].magnetic_field
            conversions.fill_xyz(field, readings.magnetic_field_S)
        if readings.solution is None:
            return self._made
        measured = tick - readings.tick + readings.solution.measured
        conversions.fill_stamp(self._attitude.header.stamp, measured)
        conversions.fill_quaternion(self._attitude.orientation, readings.solution.q_WT)
        return self._made | {'star_tracker/attitude': self._attitude}

    def _make(self, header):
        covariances = _covariances(self._suite)
        rates = {
            'header': header,
            'angular_velocity': Vector3(),
            'angular_velocity_covariance': covariances['angular_velocity'],
            'linear_acceleration': Vector3(),
            'linear_acceleration_covariance': covariances['linear_acceleration'],
        }
        made = {
            'imu/data': Imu(orientation_covariance=covariances['orientation'], **rates),
            'imu/data_raw': Imu(orientation_covariance=NOT_MEASURED, **rates),
        }
        if self._suite.magnetometer:
            made['imu/mag'] = MagneticField(
                header=header, magnetic_field_covariance=covariances['magnetic_field']
            )
        return made

    def _make_attitude(self):
        return Imu(
            header=Header(frame_id=self._star_tracker_link),
            orientation_covariance=_covariances(self._suite)['attitude'],
            angular_velocity_covariance=NOT_MEASURED,
            linear_acceleration_covariance=NOT_MEASURED,
        )

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
