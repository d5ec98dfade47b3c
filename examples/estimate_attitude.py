# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Estimate the attitude of a recorded run with public estimators; compare with the truth.

    python examples/estimate_attitude.py BAG [FIGURE.png]

The bag holds imu/data_raw and imu/mag of a supported body, such as that of
examples/air_bearing.yaml. In free fall an accelerometer reads 0 and cannot measure the vertical.
The estimators are imufusion (a filter with gyroscope, accelerometer and magnetometer) and scipy's
align_vectors (Wahba's problem with accelerometer and magnetometer at each instant). You need
pip install imufusion.
"""

import sys
from typing import NamedTuple

import imufusion
import numpy as np
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.configuration import scenario

RATE = 32.0  # Hz
SETTLED = 20.0  # s, start of imufusion that is left out
GRAVITY = 9.81  # m/s^2


class Recording(NamedTuple):
    """Sensor readings in sensor axes, one row per instant, and the truth.

    time: (n,) [s];  rate_S, force_S, field_S: (n, 3) [rad/s, m/s^2, T]
    attitude_WS: Rotation of n, sensor to world;  field_W: (3,) [T]
    """

    time: np.ndarray
    rate_S: np.ndarray
    force_S: np.ndarray
    field_S: np.ndarray
    attitude_WS: Rotation
    field_W: np.ndarray


def read(bag):
    """Return the Recording of a bag of attitude-sim run --record."""
    store, rows, found = get_typestore(Stores.ROS2_KILTED), {}, None
    with Reader(bag) as reader:
        for connection, _, data in reader.messages():
            topic = connection.topic.lstrip('/')
            if topic == 'scenario':
                text = store.deserialize_cdr(data, connection.msgtype).data
                found = scenario.parse(text, 'topic scenario')
            elif topic in ('imu/data_raw', 'imu/mag', 'ground_truth/odometry'):
                message = store.deserialize_cdr(data, connection.msgtype)
                stamp = message.header.stamp
                rows.setdefault(stamp.sec + stamp.nanosec * 1e-9, {})[topic] = message
    time = sorted(stamp for stamp, row in rows.items() if len(row) == 3)
    raw, mag, truth = (
        [rows[stamp][topic] for stamp in time]
        for topic in ('imu/data_raw', 'imu/mag', 'ground_truth/odometry')
    )
    # ROS and scipy order a quaternion x, y, z, w; our parameters are w, x, y, z.
    attitude_WB = Rotation.from_quat([_numbers(m.pose.pose.orientation, 'xyzw') for m in truth])
    attitude_BS = Rotation.from_quat(np.roll(found.parameters['imu.orientation'], -1))
    return Recording(
        np.array(time),
        np.array([_numbers(m.angular_velocity, 'xyz') for m in raw]),
        np.array([_numbers(m.linear_acceleration, 'xyz') for m in raw]),
        np.array([_numbers(m.magnetic_field, 'xyz') for m in mag]),
        attitude_WB * attitude_BS,
        np.array(found.parameters['magnetic_field']),
    )


def _numbers(message, names):
    return [getattr(message, name) for name in names]


def fuse(recording):
    """Return the Rotation, sensor to world, that imufusion estimates at each instant.

    Its axes are north, west, up; north is where the horizontal magnetic field points.
    """
    filter_ = imufusion.Ahrs()
    filter_.set_settings(
        imufusion.AhrsSettings(convention=imufusion.CONVENTION_NWU, gain=0.5, sample_rate=RATE)
    )
    estimates = []
    for rate, force, field in zip(
        recording.rate_S, recording.force_S, recording.field_S, strict=True
    ):
        filter_.update(np.degrees(rate), force / GRAVITY, field * 1e6)  # deg/s, g, µT
        estimates.append(np.roll(filter_.get_quaternion(), -1))
    north = np.arctan2(recording.field_W[1], recording.field_W[0])
    return Rotation.from_euler('z', north) * Rotation.from_quat(estimates)


def align(recording):
    """Return the Rotation, sensor to world, that aligns the measured vertical and field."""
    weights = (1.0, 0.1)  # the accelerometer is more accurate
    estimates = []
    for force, field in zip(recording.force_S, recording.field_S, strict=True):
        in_sensor = np.array((force / GRAVITY, field / np.linalg.norm(field)))
        in_world = np.array(((0, 0, 1.0), recording.field_W / np.linalg.norm(recording.field_W)))
        estimates.append(Rotation.align_vectors(in_world, in_sensor, weights)[0].as_quat())
    return Rotation.from_quat(estimates)


def errors_deg(estimate, recording):
    """Return the angle (n,) between an estimate and the truth [deg]."""
    return np.degrees((estimate.inv() * recording.attitude_WS).magnitude())


def rms_deg(errors, recording):
    """Return the root mean square of errors after the start [deg]."""
    return float(np.sqrt(np.mean(errors[recording.time >= SETTLED] ** 2)))


def main():
    """Print the errors; draw them if a figure is given."""
    recording = read(sys.argv[1])
    found = {
        'imufusion': errors_deg(fuse(recording), recording),
        'align_vectors': errors_deg(align(recording), recording),
    }
    for name, errors in found.items():
        late = errors[recording.time >= SETTLED]
        print(f'{name:14} {rms_deg(errors, recording):.3f} deg rms, {late.max():.3f} deg at most')
    if len(sys.argv) > 2:
        draw(recording.time, found, sys.argv[2])


def draw(time, found, path):
    """Write a figure of the errors."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout='constrained')
    axes = figure.subplots()
    for name, errors in found.items():
        axes.semilogy(time, np.maximum(errors, 1e-4), label=name, linewidth=0.8)
    axes.set(xlabel='time [s]', ylabel='attitude error [deg]')
    axes.legend()
    figure.savefig(path, dpi=110)


if __name__ == '__main__':
    main()
