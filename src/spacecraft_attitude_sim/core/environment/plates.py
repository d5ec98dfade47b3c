# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The outer surface of a spacecraft as flat plates, with the pressure of sunlight and air.

Each has area A, outward normal n̂ and centre c. It feels a load where its outward side faces the
Sun or the flow:

    sunlight   F = -P A (n̂·ŝ) [(1 - ρ_s) ŝ + 2 (ρ_s n̂·ŝ + ρ_d/3) n̂]
    air        F = -ρ v² A (n̂·v̂) C_d/2 [σ v̂ + (2 (1 - σ) n̂·v̂ + σ v_b/v) n̂]

with ŝ toward the Sun, ρ_s and ρ_d the specular and diffuse reflectivity, v the velocity through
the air, σ the accommodation of molecules and v_b the speed at which they leave (free molecules
that are much slower than the spacecraft: Schaaf and Chambré, Flow of Rarefied Gases, 1961; for
light F. L. Markley and J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and
Control, 2014, section 3.3.6). Neglected: shadows of plates on each other, and the change of v by
the body's rotation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike

# A flat part of the surface: outward unit normal, centre from the centre of mass [m], area [m^2];
# specular and diffuse reflectivity; drag coefficient, accommodation of the air's molecules, speed
# at which they leave [m/s].
PLATE = Layout(
    normal_B=3, center_B=3, area=1, specular=1, diffuse=1, drag_coefficient=1, accommodation=1,
    leaving_speed=1,
)  # fmt: skip
NORMAL, CENTER, AREA, SPECULAR = PLATE.places('normal_B', 'center_B', 'area', 'specular')
DIFFUSE, DRAG, ACCOMMODATION, LEAVING = PLATE.places(
    'diffuse', 'drag_coefficient', 'accommodation', 'leaving_speed'
)
PLATE_ROW = PLATE.size


@dataclass(frozen=True)
class Plate:
    """A flat part of the surface; only its outward side feels sunlight and air.

    normal_B: (3,) unit vector outward;  center_B: (3,) from the centre of mass [m];  area: [m^2]
    specular, diffuse: reflectivities; the rest of the light is absorbed
    drag_coefficient: 2 for molecules that are absorbed, and leave slowly
    accommodation: part of molecules that are absorbed and leave again; the rest is reflected
        specularly
    leaving_speed: speed at which absorbed molecules leave [m/s]
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
        """Check all fields."""
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
        """The opposite side of the same plate."""
        turned = -np.asarray(self.normal_B, dtype=float)
        return Plate(turned, *(getattr(self, name) for name in PLATE.widths if name != 'normal_B'))

    def row(self) -> Array:
        """Return (PLATE.size,) for the compiled step."""
        return PLATE.packed(**{name: getattr(self, name) for name in PLATE.widths})


@dataclass(frozen=True)
class Plates:
    """The surface of a spacecraft; no plate shadows another."""

    plates: tuple[Plate, ...]

    def rows(self) -> Array:
        """Return (K, PLATE.size) for the compiled step."""
        return np.array([plate.row() for plate in self.plates]).reshape(-1, PLATE.size)
