# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors: what they read without errors, and with the errors of their datasheets."""

from spacecraft_attitude_sim.core.sensors.imu import ImuReading, ideal_imu
from spacecraft_attitude_sim.core.sensors.suite import (
    Imu,
    Magnetometer,
    Readings,
    StarTracker,
    Suite,
    TriadErrors,
    read,
)

__all__ = [
    'Imu',
    'ImuReading',
    'Magnetometer',
    'Readings',
    'StarTracker',
    'Suite',
    'TriadErrors',
    'ideal_imu',
    'read',
]
