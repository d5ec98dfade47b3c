# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is commanded in a tick: every actuator takes its part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import loads

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatImpulse, FlatWrench

NOTHING = np.zeros(0)
NOTHING.flags.writeable = False


class Inputs(NamedTuple):
    """What is commanded in one tick.

    wrench: (12,) of core.body.loads, held through the tick
    impulse: (6,) of core.body.loads, at its start
    wheel_torque: (N,) of the motors of N reaction wheels, held [N m]; none of them is no torque
    wheel_speed: (N,) wanted instead [rad/s], nan where the torque counts; none is all torques
    gimbal_rate, gimbal_torque: (G,) of control moment gyros [rad/s, N m]; the torque counts
        unless it is nan; none is at rest
    thrust: (M,) mean forces wanted of thrusters [N]; none is none
    dipole: (K,) wanted of magnetorquers [A m^2]; none is none
    """

    wrench: FlatWrench = loads.FREE
    impulse: FlatImpulse = loads.NO_IMPULSE
    wheel_torque: Array = NOTHING
    wheel_speed: Array = NOTHING
    gimbal_rate: Array = NOTHING
    gimbal_torque: Array = NOTHING
    thrust: Array = NOTHING
    dipole: Array = NOTHING

    @property
    def moves_actuators(self) -> bool:
        """Whether some actuator is to do anything; to keep a speed of 0 is something."""
        amounts = self.wheel_torque, self.gimbal_rate, self.thrust, self.dipole
        return bool(
            any(part.any() for part in amounts)
            or np.isfinite(self.wheel_speed).any()
            or np.nan_to_num(self.gimbal_torque).any()
        )
