# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Propellant slosh as a spherical pendulum: only thrust or spin drives it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.parts.pendulums.kernel import PENDULUM

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike


@dataclass(frozen=True)
class Pendulum:
    """One mass on a rod that turns about its pivot in all directions.

    pivot_B: (3,) [m];  rest_B: unit vector to the mass as the body's mass and inertia include it
        (3,)
    mass: [kg];  length: [m];  damping: torque per rate of the rod [N m s/rad]
    direction_B: unit vector to the mass at the start (3,), empty for rest_B
    rate_B: of the rod relative to the body at the start (3,) [rad/s]
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX = 'pendulum'
    CHANNELS = (
        Channel('swings', lambda _, now: now.motions.swings, '*', 'm'),
        Channel('swing_rates', lambda _, now: now.motions.swing_rates, 'rate_*', 'm/s'),
        Channel(
            'swing_angles', None,
            shown=Shown('pendulum', 'each pendulum\nfrom its rest', 'deg', 180.0 / np.pi),
        ),
    )  # fmt: skip

    pivot_B: VectorLike
    rest_B: VectorLike
    mass: float
    length: float
    damping: float = 0.0
    direction_B: VectorLike = ()
    rate_B: VectorLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check all fields."""
        rest = unit_axis('rest', self.rest_B)
        object.__setattr__(self, 'rest_B', rest)
        first = unit_axis('direction', self.direction_B) if len(self.direction_B) else rest
        object.__setattr__(self, 'direction_B', first)
        check_sizes(self, {'mass': 'kg', 'length': 'm'}, {'damping': 'N m s/rad'})

    def center_at_B(self, direction_B: VectorLike) -> Vector3:
        """Return the position of the mass (3,) [m]; direction_B: unit vector of the rod (3,)."""
        return np.asarray(self.pivot_B) + self.length * np.asarray(direction_B)

    def row(self) -> Array:
        """Return (PENDULUM.size,) for the compiled step."""
        return PENDULUM.packed(
            pivot_B=self.pivot_B, mass=self.mass, length=self.length, damping=self.damping
        )
