# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The ideal actuator: the commanded wrench, constant through a tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators.actuator import Drive

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators.inputs import Inputs
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3


class HeldWrench:
    """Exerts Inputs.wrench; stores no angular momentum."""

    states = 0

    @property
    def inertia_B(self) -> Matrix3:
        """Return zeros (3, 3): it has no inertia of its own."""
        return np.zeros((3, 3))

    def drive(self, inputs: Inputs, internal: Array, duration: float) -> Drive:
        """Return the commanded wrench."""
        return Drive(inputs.wrench)

    def momentum_B(self, internal: Array) -> Vector3:
        """Return zeros (3,)."""
        return np.zeros(3)

    def kinetic_energy(self, internal: Array) -> float:
        """Return 0.0."""
        return 0.0


HELD_WRENCH = HeldWrench()
