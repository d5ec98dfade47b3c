# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""From the sensor parameters of a scenario, in datasheet units, to the sensors of core, in SI."""

import math

import numpy as np

from spacecraft_attitude_sim.configuration import sensor_parameters
from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

HOUR = 3600.0
STANDARD_GRAVITY = 9.80665
DEGREE = math.pi / 180.0
# What one of the unit is in SI: rad, m, s, T. 1 deg/sqrt(h) is 1 deg/h/sqrt(Hz) / 60.
SI = {
    'deg': DEGREE,
    'arcsec': DEGREE / 3600.0,
    'mrad': 1e-3,
    'ppm': 1e-6,
    'deg/s': DEGREE,
    'deg/h': DEGREE / HOUR,
    'deg/sqrt(h)': DEGREE / math.sqrt(HOUR),
    'deg/h/sqrt(h)': DEGREE / HOUR / math.sqrt(HOUR),
    'g': STANDARD_GRAVITY,
    'micro-g': 1e-6 * STANDARD_GRAVITY,
    'm/s/sqrt(h)': 1.0 / math.sqrt(HOUR),
    'micro-g/sqrt(h)': 1e-6 * STANDARD_GRAVITY / math.sqrt(HOUR),
    'nT': 1e-9,
}
PARAMETERS = {parameter.name: parameter for parameter in sensor_parameters.SENSORS}


def suite(values, imu_mounting, star_tracker_q_BT):
    """Return the Suite of a scenario's parameters.

    values: every parameter by its dotted name;  imu_mounting: BodyFrame;  star_tracker_q_BT: (4,)
    """
    return sensors.Suite(
        sensors.Imu(
            imu_mounting,
            _triad(values, 'imu.gyroscope', sensor_parameters.GYROSCOPE),
            _triad(values, 'imu.accelerometer', sensor_parameters.ACCELEROMETER),
            _si(values, 'imu.orientation_noise'),
        ),
        _magnetometer(values) if values['magnetometer.enabled'] else None,
        _star_tracker(values, star_tracker_q_BT) if values['star_tracker.enabled'] else None,
        values['seed'],
    )


def _triad(values, prefix, fields):
    """Return the TriadErrors of parameters that stand in the order of its fields."""
    return sensors.TriadErrors(*(_axes(values, f'{prefix}.{field.name}') for field in fields))


def _magnetometer(values):
    noise, bias, limit, resolution = (
        _axes(values, f'magnetometer.{field.name}') for field in sensor_parameters.MAGNETOMETER
    )
    density = tuple(sigma * math.sqrt(TICK_SECONDS) for sigma in noise)
    errors = sensors.TriadErrors(density, bias=bias, limit=limit, resolution=resolution)
    return sensors.Magnetometer(np.array(values['magnetic_field']), errors)


def _star_tracker(values, q_BT):
    return sensors.StarTracker(
        q_BT,
        values['star_tracker.interval'],
        values['star_tracker.latency'],
        _si(values, 'star_tracker.cross_boresight_noise'),
        _si(values, 'star_tracker.about_boresight_noise'),
        _si(values, 'star_tracker.rate_limit'),
    )


def _si(values, name):
    return values[name] * SI[PARAMETERS[name].unit]


def _axes(values, name):
    """Return (3,) in SI of a parameter with one value for all axes or one for each."""
    found = [value * SI[PARAMETERS[name].unit] for value in values[name]]
    return tuple(found * 3 if len(found) == 1 else found)
