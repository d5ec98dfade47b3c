# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Solid primitives of uniform density, to compose bodies and to draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, turned
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Matrix3, Vector3


# Meaning of the numbers in `size`, in order [m]. A cylinder's axis is its z axis; a half ellipsoid
# is the half with z < 0.
SIZES = {
    'box': ('length x', 'length y', 'length z'),
    'cylinder': ('radius', 'length'),
    'sphere': ('radius',),
    'ellipsoid': ('semi-axis x', 'semi-axis y', 'semi-axis z'),
    'half_ellipsoid': ('semi-axis x', 'semi-axis y', 'semi-axis z'),
}
# Distance of a half ellipsoid's centre of mass below its flat face, in semi-axes.
HALF_CENTER = 3.0 / 8.0


@dataclass(frozen=True)
class Primitive:
    """A solid placed on a body; the constructor checks it.

    shape: one of SIZES;  size: its dimensions [m]
    position: (3,) of its centre of mass [m];  orientation: (4,) quaternion, primitive to body
    mass: [kg], or None for a primitive that is only drawn
    color: (4,) red, green, blue, alpha, each 0 to 1
    Raises ValueError naming the field, its value and the remedy.
    """

    shape: str
    size: tuple[float, ...]
    position: tuple[float, ...] = (0.0, 0.0, 0.0)
    orientation: tuple[float, ...] = rotations.IDENTITY
    mass: float | None = None
    color: tuple[float, ...] = (0.7, 0.7, 0.75, 1.0)

    def __post_init__(self) -> None:
        """Check every field."""
        if self.shape not in SIZES:
            raise ValueError(f"shape is '{self.shape}'; valid are {', '.join(SIZES)}")
        names = SIZES[self.shape]
        if len(self.size) != len(names):
            raise ValueError(
                f'size has {len(self.size)} values; a {self.shape} has {len(names)}: '
                f'{", ".join(names)} [m]'
            )
        for index, length in enumerate(self.size):
            if not 0.0 < length < np.inf:
                raise ValueError(f'size[{index}] is {length} m; a {names[index]} must be positive')
        if self.mass is not None and not 0.0 < self.mass < np.inf:
            raise ValueError(f'mass is {self.mass} kg; a mass must be positive')
        if len(self.position) != 3 or not np.all(np.isfinite(self.position)):
            raise ValueError(f'position is {list(self.position)} m; give three finite numbers')
        unit = rotations.unit_quaternion(self.orientation, 'orientation')
        object.__setattr__(self, 'orientation', tuple(unit.tolist()))
        if len(self.color) != 4 or not all(0.0 <= value <= 1.0 for value in self.color):
            raise ValueError(
                f'color is {list(self.color)}; give red, green, blue, alpha, each from 0 to 1'
            )

    def inertia(self) -> Matrix3:
        """Return the inertia tensor (3, 3) about its own centre, in body axes [kg m^2]."""
        assert self.mass is not None, 'a primitive that is only drawn has no inertia'
        C = rotations.dcm_from_quaternion(self.orientation)
        return turned(C, np.diag(self.mass * _unit_mass_moments(self.shape, self.size)))

    def reach(self) -> float:
        """Return a bound of the distance [m] of its farthest point from the origin."""
        half = {
            'box': lambda: norm(self.size) / 2.0,
            'cylinder': lambda: np.hypot(self.size[0], self.size[1] / 2.0),
            'sphere': lambda: self.size[0],
            'ellipsoid': lambda: max(self.size),
            'half_ellipsoid': lambda: max(
                np.hypot(max(self.size[:2]), HALF_CENTER * self.size[2]), self.size[2]
            ),
        }[self.shape]()
        return float(norm(self.position) + half)


def equivalent_ellipsoid(
    mass: float, principal_moments: Vector3, orientation: tuple[float, ...]
) -> Primitive:
    """Return the uniform ellipsoid with this mass and these principal moments (3,) [kg m^2]."""
    spread = np.sum(principal_moments) / 2.0 - principal_moments
    # A flat body needs some thickness to be visible.
    axes = np.sqrt(5.0 / mass * np.maximum(spread, 1e-4 * np.max(spread)))
    return Primitive('ellipsoid', tuple(axes.tolist()), orientation=orientation)


def _unit_mass_moments(shape: str, size: tuple[float, ...]) -> Vector3:
    """Return the principal moments (3,) per unit mass [m^2]; textbook formulas."""
    if shape == 'cylinder':
        radius, length = size
        across = radius**2 / 4.0 + length**2 / 12.0
        return np.array((across, across, radius**2 / 2.0))
    if shape == 'box':
        x2, y2, z2 = np.square(size) / 12.0
    else:
        x2, y2, z2 = np.square(size * 3 if shape == 'sphere' else size) / 5.0
    if shape == 'half_ellipsoid':
        z2 -= (HALF_CENTER * size[2]) ** 2
    return np.array((y2 + z2, z2 + x2, x2 + y2))
