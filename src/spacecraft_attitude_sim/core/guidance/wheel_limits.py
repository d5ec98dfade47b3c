# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How fast wheels can turn the body about an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.guidance.s_curve import Limits
from spacecraft_attitude_sim.core.mathematics.fixed_order import product, solved

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3


class WheelLimits(NamedTuple):
    """Wheels and the share of them that a slew may use.

    inertia: (3, 3) of the body [kg m^2];  axes: (n, 3) unit spin axes, which span all directions
    torques: (n,) largest [N m];  momenta: (n,) largest [N m s];  share: 0 to 1
    """

    inertia: Matrix3
    axes: Array
    torques: Array
    momenta: Array
    share: float

    def along(self, axis_B: Vector3, most: Limits) -> Limits:
        """Return the Limits of a slew about an axis (3,), at most those given.

        The wheels push with A⁺ J e α and hold A⁺ J e ω more than at rest, as the controller
        allocates them. ω × J ω is left to the rest of the wheels.
        """
        push = np.abs(self._per_unit(product(self.inertia, axis_B)))
        with np.errstate(divide='ignore'):
            acceleration = float(np.min(self.share * self.torques / push))
            rate = float(np.min(self.share * self.momenta / push))
        return Limits(min(most.rate, rate), min(most.acceleration, acceleration), most.jerk)

    def _per_unit(self, torque_B: Vector3) -> Array:
        """Return A⁺ τ (n,) of a torque, A the axes as columns."""
        across = product(self.axes.T, self.axes)
        return product(self.axes, solved(across, torque_B[:, np.newaxis])[:, 0])
