# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors: their readings without errors, and with the errors of their datasheets."""

from spacecraft_attitude_sim.core.sensors.gnss import Fix, Gnss
from spacecraft_attitude_sim.core.sensors.horizon_sensor import HorizonSensor
from spacecraft_attitude_sim.core.sensors.imu import Imu, ImuReading
from spacecraft_attitude_sim.core.sensors.magnetometer import Magnetometer
from spacecraft_attitude_sim.core.sensors.sensor import Sensor
from spacecraft_attitude_sim.core.sensors.star_tracker import StarTracker
from spacecraft_attitude_sim.core.sensors.suite import Readings, Suite, of_row, read, why_silent
from spacecraft_attitude_sim.core.sensors.sun_cell import SunCell
from spacecraft_attitude_sim.core.sensors.sun_sensor import Sight, SunSensor
from spacecraft_attitude_sim.core.sensors.tally import Tally
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors

__all__ = [
    'Fix',
    'Gnss',
    'HorizonSensor',
    'Imu',
    'ImuReading',
    'Magnetometer',
    'Readings',
    'Sensor',
    'Sight',
    'StarTracker',
    'Suite',
    'SunCell',
    'SunSensor',
    'Tally',
    'TriadErrors',
    'of_row',
    'read',
    'why_silent',
]
