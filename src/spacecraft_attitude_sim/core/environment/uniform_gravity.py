# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A uniform gravitational field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import product

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Vector3


@dataclass(frozen=True)
class UniformGravity:
    """The force m g at the centre of mass.

    acceleration_W: (3,) g [m/s^2], world
    """

    acceleration_W: Vector3
    name = 'gravity'

    def force_W(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return m g (3,) [N]."""
        return body.mass * self.acceleration_W

    def torque_B(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return zeros (3,)."""
        return np.zeros(3)

    def potential(self, body: RigidBody, state: State, time: float) -> float:
        """Return -m g·x [J], 0 at the world's origin."""
        # 0.0 - x gives no -0.0 without gravity.
        return 0.0 - body.mass * float(product(self.acceleration_W, state.position_W))
