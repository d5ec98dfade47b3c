# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What actuators share: the commands of a tick, their effect through it, the ideal wrench."""

from spacecraft_attitude_sim.core.actuators.actuator import NO_GYROSTAT, Actuator, Drive, drive
from spacecraft_attitude_sim.core.actuators.held_wrench import HELD_WRENCH, HeldWrench
from spacecraft_attitude_sim.core.actuators.inputs import Inputs

__all__ = ['HELD_WRENCH', 'NO_GYROSTAT', 'Actuator', 'Drive', 'HeldWrench', 'Inputs', 'drive']
