# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of a tick, for all actuators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import loads

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatImpulse, FlatWrench

NOTHING = np.zeros(0)
NOTHING.flags.writeable = False


class Inputs(NamedTuple):
    """Commands of one tick. An empty array means: no command for that kind of actuator.

    wrench: (12,) of core.body.loads, constant through the tick
    impulse: (6,) of core.body.loads, at its start
    wheel_torque: (N,) of the motors of N reaction wheels, constant [N m]; empty is no torque
    wheel_speed: (N,) target speed that replaces the torque [rad/s], nan where the torque counts;
        empty is all torques
    gimbal_rate, gimbal_torque: (G,) of control moment gyros [rad/s, N m]; the torque counts
        unless it is nan; empty is a rate of 0
    thrust: (M,) commanded mean forces of thrusters [N]; empty is 0
    dipole: (K,) commanded dipoles of magnetorquers [A m^2]; empty is 0
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
        """Whether any actuator has a command; keeping a speed of 0 is a command."""
        amounts = self.wheel_torque, self.gimbal_rate, self.thrust, self.dipole
        return bool(
            any(part.any() for part in amounts)
            or np.isfinite(self.wheel_speed).any()
            or np.nan_to_num(self.gimbal_torque).any()
        )
