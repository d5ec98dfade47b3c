# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A spacecraft: a rigid body with its parts, and their telemetry."""

from spacecraft_attitude_sim.core.spacecraft.spacecraft import Spacecraft

__all__ = ['Spacecraft']
