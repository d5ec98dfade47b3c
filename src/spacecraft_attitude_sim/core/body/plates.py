# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The outer surface of a spacecraft as flat plates, on which sunlight and air press.

What they do is in core.equations.external_loads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators.layouts import PLATE
from spacecraft_attitude_sim.core.actuators.named import check_sizes, unit_axis

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike


@dataclass(frozen=True)
class Plate:
    """A flat part of the surface, of which one side counts.

    normal_B: (3,) unit vector outward;  center_B: (3,) from the centre of mass [m];  area: [m^2]
    specular, diffuse: parts of light reflected like by a mirror and diffusely; the rest is taken
    drag_coefficient: 2 for molecules that stay, and leave slowly
    accommodation: part of molecules that stay a while; the rest bounces like off a mirror
    leaving_speed: at which they leave then [m/s]
    Raises ValueError naming the field, its value and the remedy.
    """

    normal_B: VectorLike
    center_B: VectorLike
    area: float
    specular: float = 0.0
    diffuse: float = 0.0
    drag_coefficient: float = 2.0
    accommodation: float = 1.0
    leaving_speed: float = 0.0

    def __post_init__(self) -> None:
        """Check all of it."""
        object.__setattr__(self, 'normal_B', unit_axis('normal', self.normal_B))
        check_sizes(self, {'area': 'm^2'}, {'drag_coefficient': '', 'leaving_speed': 'm/s'})
        for name in ('specular', 'diffuse', 'accommodation'):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f'{name} is {value:g}; give a part, from 0 to 1')
        if self.specular + self.diffuse > 1.0 + 1e-12:
            raise ValueError(
                f'specular {self.specular:g} and diffuse {self.diffuse:g} reflect more light than '
                'there is; give parts whose sum is at most 1'
            )

    @property
    def other_side(self) -> Plate:
        """The same plate seen from behind."""
        turned = -np.asarray(self.normal_B, dtype=float)
        return Plate(turned, *(getattr(self, name) for name in PLATE.widths if name != 'normal_B'))

    def row(self) -> Array:
        """Return (PLATE.size,) for the compiled step."""
        return PLATE.packed(**{name: getattr(self, name) for name in PLATE.widths})


@dataclass(frozen=True)
class Plates:
    """The surface of a spacecraft; nothing shadows anything else."""

    plates: tuple[Plate, ...]

    def rows(self) -> Array:
        """Return (K, PLATE.size) for the compiled step."""
        return np.array([plate.row() for plate in self.plates]).reshape(-1, PLATE.size)
