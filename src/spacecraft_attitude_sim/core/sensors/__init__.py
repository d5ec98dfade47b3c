# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors: what they read without errors, and with the errors of their datasheets."""

from spacecraft_attitude_sim.core.sensors.imu import Imu, ImuReading
from spacecraft_attitude_sim.core.sensors.magnetometer import Magnetometer
from spacecraft_attitude_sim.core.sensors.sensor import Sensor
from spacecraft_attitude_sim.core.sensors.star_tracker import StarTracker
from spacecraft_attitude_sim.core.sensors.suite import Readings, Suite, read
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors

__all__ = [
    'Imu',
    'ImuReading',
    'Magnetometer',
    'Readings',
    'Sensor',
    'StarTracker',
    'Suite',
    'TriadErrors',
    'read',
]
