# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Spacecraft attitude simulation for ROS 2: rigid-body dynamics, sensors, recording."""

import spacecraft_attitude_sim.moved  # noqa: F401 (old names of modules)

__version__ = '0.1.0'
