# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How the wheels of a recorded run turned, row by row."""

from __future__ import annotations

from typing import NamedTuple

from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3


class WheelHistory(NamedTuple):
    """N wheels at n instants.

    wheels: ReactionWheels;  speeds: (n, N) relative to the body [rad/s]
    torques: (n, N) of the motors on the rotors through the tick that ends there [N m]; NaN where
        joint_states was not recorded
    stored_B: (n, 3) Σ h_i a_i, what ground_truth/wheel_momentum says [N m s]
    """

    wheels: ReactionWheels
    speeds: Array
    torques: Array
    stored_B: Vectors3

    @property
    def held_B(self) -> Vectors3:
        """Σ J_i Ω_i a_i (n, 3), body axes [N m s]: what the limits of the speeds bound.

        Total L is this and I ω, as with the wheels locked.
        """
        return (self.speeds * self.wheels.inertias) @ self.wheels.axes_B
