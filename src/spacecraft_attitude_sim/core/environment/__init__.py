# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of a spacecraft: gravity, magnetic field, orbit, air, Sun, and their loads."""

from spacecraft_attitude_sim.core.environment.environment import Environment

__all__ = ['Environment']
