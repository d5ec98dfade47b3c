# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Masses on straight lines with spring and damper: a ball in a tube, sloshing propellant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics.channel import Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import (
    coordinate_channels,
    coordinate_row,
)
from spacecraft_attitude_sim.core.parts.coordinates.layouts import FREE, LINE
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Matrix3,
        Vector3,
        VectorLike,
        Vectors3,
    )


@dataclass(frozen=True)
class SlidingMass:
    """One mass; the body's mass and inertia include it at displacement 0.

    position_B: its position at displacement 0 (3,) [m];  axis_B: of the line, unit vector (3,)
    mass: [kg];  stiffness: [N/m];  damping: [N s/m]
    displacement [m], rate [m/s]: at the start
    travel: (2,) displacements of the two stops, without bounce [m]
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX = 'sliding_mass'
    CHANNELS = coordinate_channels(
        'displacement', 'm', Shown('mass_displacement', 'displacement of\neach mass', 'm')
    )

    position_B: VectorLike
    axis_B: VectorLike
    mass: float
    stiffness: float = 0.0
    damping: float = 0.0
    displacement: float = 0.0
    rate: float = 0.0
    travel: VectorLike = (-math.inf, math.inf)

    how = FREE
    revolute, look = False, 'ball'

    def __post_init__(self) -> None:
        """Check all fields."""
        object.__setattr__(self, 'axis_B', unit_axis('axis', self.axis_B))
        check_sizes(self, {'mass': 'kg'}, {'stiffness': 'N/m', 'damping': 'N s/m'})
        low, high = self.travel
        if not low < self.displacement < high:
            raise ValueError(
                f'displacement is {self.displacement:g} m, and travel is {[low, high]} m; give '
                'ends, the lower first, with the mass between them'
            )

    @property
    def moving(self) -> float:
        """Generalized mass: twice the kinetic energy over the square of the rate [kg]."""
        return self.mass

    def center_at_B(self, displacement: float) -> Vector3:
        """Return its position (3,) [m]."""
        return np.asarray(self.position_B) + displacement * np.asarray(self.axis_B)

    def moment_B(self, displacement: float) -> Vector3:
        """Return its first moment of mass about the origin (3,) [kg m]."""
        return self.mass * self.center_at_B(displacement)

    def inertia_B(self, displacement: float) -> Matrix3:
        """Return its inertia about the origin (3, 3) [kg m^2]."""
        return point_inertia(self.mass, self.center_at_B(displacement))

    def momenta_B(self, displacement: float) -> tuple[Vector3, Vector3]:
        """Return angular momentum about the origin and momentum, (3,) each, per unit of rate."""
        drift = self.mass * np.asarray(self.axis_B)
        return cross(self.center_at_B(displacement), drift), drift

    def moved_B(self, displacements: Array) -> tuple[Vectors3, float]:
        """Return its positions (n, 3) [m], and the change of its own inertia: 0."""
        return np.asarray(self.position_B) + np.outer(displacements, self.axis_B), 0.0

    def row(self) -> Array:
        """Return (COORDINATE.size,) for the compiled step."""
        low, high = self.travel
        return coordinate_row(
            kind=LINE, axis_B=self.axis_B, position_B=self.position_B, mass=self.mass,
            moving=self.mass, stiffness=self.stiffness, damping=self.damping, low=low, high=high,
        )  # fmt: skip
