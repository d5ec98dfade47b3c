# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of the sensors, made from Readings, and their transforms on the body."""

import numpy as np
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import Imu, MagneticField

from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import MARK_STAMP, MARKS, SerialisedMessage

# Variance of an ideal reading: (1e-6)^2, the accuracy of the simulation; a field of 1e-5 T has
# 1e-11 of it. All zeros would mean "unknown" (sensor_msgs/Imu).
IDEAL_VARIANCE = 1e-12
IDEAL_FIELD_VARIANCE = 1e-22
IMU, RAW, MAGNETIC_FIELD = 'imu/data', 'imu/data_raw', 'imu/mag'
STAR_TRACKER = 'star_tracker/attitude'
NOT_MEASURED = np.array((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # sensor_msgs/Imu


class SensorMessages:
    """Makes the sensors' messages of a scenario, serialised.

    makers: {topic: function of a Moment that gives its bytes} of the sensors that it has
    """

    def __init__(self, scenario):
        self._suite = scenario.sensors
        self._base = scenario.parameters['frames.body']
        self._imu_link = scenario.parameters['frames.imu']
        self._star_tracker_link = scenario.parameters['frames.star_tracker']
        self._cut = {topic: SerialisedMessage(*cut) for topic, cut in self._marked().items()}
        makers = {
            IMU: self._imu, RAW: self._raw, MAGNETIC_FIELD: self._magnetic_field,
            STAR_TRACKER: self._attitude,
        }  # fmt: skip
        self.makers = {topic: makers[topic] for topic in self._cut}

    def _imu(self, moment):
        q_WS, rate_S, force_S = moment.instant.readings.imu
        q = conversions.quaternion_bytes(q_WS)
        return self._cut[IMU].of(moment.stamp, q, rate_S.tobytes(), force_S.tobytes())

    def _raw(self, moment):
        _, rate_S, force_S = moment.instant.readings.imu
        return self._cut[RAW].of(moment.stamp, rate_S.tobytes(), force_S.tobytes())

    def _magnetic_field(self, moment):
        field_S = moment.instant.readings.magnetic_field_S
        return self._cut[MAGNETIC_FIELD].of(moment.stamp, field_S.tobytes())

    def _attitude(self, moment):
        """Stamped with its measurement, not with its arrival."""
        instant = moment.instant
        measured = instant.ticks.stamp(instant.tick - latency(instant.readings))
        q = conversions.quaternion_bytes(instant.readings.solution.q_WT)
        return self._cut[STAR_TRACKER].of(conversions.stamp_bytes(measured), q)

    def _marked(self):
        """Return {topic: (message with marks, the marks' bytes)}."""
        header = conversions.header_to_ros(MARK_STAMP, self._imu_link)
        stamp = conversions.stamp_bytes(MARK_STAMP)
        q, rate, force = np.split(MARKS[:10], (4, 7))
        attitude, q_bytes = conversions.quaternion_to_ros(q), conversions.quaternion_bytes(q)
        covariances = _covariances(self._suite)
        rates = {
            'header': header,
            'angular_velocity': conversions.vector3_to_ros(rate),
            'angular_velocity_covariance': covariances['angular_velocity'],
            'linear_acceleration': conversions.vector3_to_ros(force),
            'linear_acceleration_covariance': covariances['linear_acceleration'],
        }
        data = Imu(
            orientation=attitude, orientation_covariance=covariances['orientation'], **rates
        )
        raw = Imu(orientation_covariance=NOT_MEASURED, **rates)
        moving = rate.tobytes(), force.tobytes()
        marked = {
            IMU: (data, stamp, q_bytes, *moving),
            RAW: (raw, stamp, *moving),
        }
        if self._suite.magnetometer:
            field = MagneticField(
                header=header,
                magnetic_field=conversions.vector3_to_ros(rate),
                magnetic_field_covariance=covariances['magnetic_field'],
            )
            marked[MAGNETIC_FIELD] = (field, stamp, rate.tobytes())
        if self._suite.star_tracker:
            tracked = Imu(
                header=conversions.header_to_ros(MARK_STAMP, self._star_tracker_link),
                orientation=attitude,
                orientation_covariance=covariances['attitude'],
                angular_velocity_covariance=NOT_MEASURED,
                linear_acceleration_covariance=NOT_MEASURED,
            )
            marked[STAR_TRACKER] = (tracked, stamp, q_bytes)
        return marked

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


def spoken(readings):
    """Return the topics of what Readings bring now; of the star tracker, what arrives now."""
    topics = [IMU, RAW] if 'imu' in readings.new else []
    if 'magnetometer' in readings.new:
        topics.append(MAGNETIC_FIELD)
    if readings.solution is not None:
        topics.append(STAR_TRACKER)
    return topics


def latency(readings):
    """Return for how many ticks the star tracker's solution was on its way."""
    return readings.tick - readings.solution.measured


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
