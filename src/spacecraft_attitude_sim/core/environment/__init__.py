# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Where a spacecraft is: gravity, field and orbit, and the loads that they put on it."""

from spacecraft_attitude_sim.core.environment.environment import Environment

__all__ = ['Environment']
