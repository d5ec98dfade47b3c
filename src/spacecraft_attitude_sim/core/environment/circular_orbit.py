# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A circular orbit about a spherical planet, given by its radius and its normal."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, product

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

# Of the Earth, WGS 84 / EGM96 [m^3/s^2].
EARTH = 3.986004418e14


@dataclass(frozen=True)
class CircularOrbit:
    """Direction of the planet from a spacecraft; the constructor checks its arguments.

    radius: [m];  normal_W: (3,) of the orbit's plane, about which the motion is counterclockwise
    start_W: (3,) direction from the planet to the spacecraft at time 0; its part in the plane
        counts
    gravitational_parameter: of the planet [m^3/s^2]
    rate: mean motion sqrt(mu/r^3) [rad/s];  radial_W, forward_W: (3,) unit vectors at time 0, away
        from the planet and along the motion
    Raises ValueError naming the field, its value and the remedy.
    """

    radius: float
    normal_W: Vector3
    start_W: Vector3
    gravitational_parameter: float = EARTH
    rate: float = field(init=False)
    radial_W: Vector3 = field(init=False)
    forward_W: Vector3 = field(init=False)

    def __post_init__(self) -> None:
        """Check the fields, and compute the axes of the orbit at time 0."""
        if not 0.0 < self.radius < math.inf:
            raise ValueError(f'radius is {self.radius:g} m; it must be positive')
        normal, start = (np.array(v, dtype=float) for v in (self.normal_W, self.start_W))
        if not (np.isfinite(normal).all() and norm(normal) > 0.0):
            raise ValueError(f'normal is {normal.tolist()}; give a direction')
        normal = normal / norm(normal)
        radial = start - product(start, normal) * normal
        size = norm(radial)
        if not (np.isfinite(start).all() and size > 1e-6 * norm(start)):
            raise ValueError(
                f'start is {start.tolist()}, along the normal {normal.tolist()} or no direction; '
                "give one in the orbit's plane"
            )
        radial = radial / size
        values = {
            'normal_W': normal,
            'start_W': start,
            'rate': math.sqrt(self.gravitational_parameter / self.radius**3),
            'radial_W': radial,
            'forward_W': np.cross(normal, radial),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def direction_W(self, time: float) -> Vector3:
        """Return the unit vector (3,) from the planet to the spacecraft at a time [s]."""
        angle = self.rate * time
        return math.cos(angle) * self.radial_W + math.sin(angle) * self.forward_W
