# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rods of soft iron that the field magnetises with a lag; they damp the rotation of a body.

With H the field along a rod, B its flux density, k = tan(π B_r/(2 B_s))/H_c, a large cycle follows
two curves, upward the one with the lower sign:

    B = (2/π) B_s atan(k (H ± H_c))

through ±B_r without a field and 0 at ∓H_c. Between them the slope is that of the curves times F²,
where F, 0 to 1, is how far the rod has come from the curve that it leaves to the one that it
approaches:

    dB/dH = (2/π) k B_s cos²(π B/(2 B_s)) F²        F = (H_c ± (H - u))/(2 H_c), + where H rises

(T. W. Flatley and D. A. Henretty, A Magnetic Hysteresis Model, in NASA CP-3299, N95-27801, 1995,
with q0 = 0, p = 2). The state is u = tan(π B/(2 B_s))/k, the field that would give B without
coercivity: du/dH = F² for any B_s, F = tanh(H/(2 H_c) + constant) where H rises, and B never
exceeds B_s. The loss in a cycle is ∮ H dB per volume.

A rod of finite length weakens the field in it: H = H_outside - N B/μ0, N its demagnetising factor
(0 where the loop was measured on the rod itself). Its dipole is B V/μ0, as in published models:
the field's own part, H V, is a hundredth of it or less, and loses nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.parts.hysteresis_rods.kernel import (
    HYSTERESIS_ROD,
    VACUUM_PERMEABILITY,
)
from spacecraft_attitude_sim.core.parts.internal_part import InternalPart
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.parts.part import Start


@dataclass(frozen=True)
class HysteresisRod:
    """One rod.

    axis_B: (3,) unit vector along it;  volume: [m^3]
    coercivity: H_c [A/m];  remanence: B_r [T];  saturation: B_s [T]
    demagnetization: N, 0 to 1;  flux_density: at the start [T]
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX, look = 'hysteresis_rod', ''
    CHANNELS = (
        Channel(
            'flux_densities', lambda _, now: now.motions.flux_densities, 'flux_density', 'T',
            shown=Shown('flux_density', 'flux density of\neach rod', 'T'),
        ),
    )  # fmt: skip

    axis_B: VectorLike
    volume: float
    coercivity: float
    remanence: float
    saturation: float
    demagnetization: float = 0.0
    flux_density: float = 0.0

    def __post_init__(self) -> None:
        """Check all fields."""
        object.__setattr__(self, 'axis_B', unit_axis('axis', self.axis_B))
        check_sizes(
            self,
            {'volume': 'm^3', 'coercivity': 'A/m', 'remanence': 'T', 'saturation': 'T'},
            {'demagnetization': ''},
        )
        if not self.remanence < self.saturation:
            raise ValueError(
                f'remanence is {self.remanence:g} T; it must be below the saturation, '
                f'{self.saturation:g} T'
            )
        if self.demagnetization > 1.0:
            raise ValueError(f'demagnetization is {self.demagnetization:g}; it must be 0 to 1')
        if not abs(self.flux_density) < self.saturation:
            raise ValueError(
                f'flux_density is {self.flux_density:g} T; it must be below the saturation, '
                f'{self.saturation:g} T'
            )

    @property
    def steepness(self) -> float:
        """Steepness k of its curve without coercivity [m/A]."""
        return math.tan(0.5 * math.pi * self.remanence / self.saturation) / self.coercivity

    @property
    def matching(self) -> float:
        """Its state u at the start [A/m]."""
        return math.tan(0.5 * math.pi * self.flux_density / self.saturation) / self.steepness

    @property
    def largest_dipole(self) -> float:
        """Its dipole at saturation [A m^2]."""
        return self.saturation * self.volume / VACUUM_PERMEABILITY

    def flux_density_at(self, matching: float) -> float:
        """Return the flux density [T] in a state u [A/m]."""
        return 2.0 / math.pi * self.saturation * math.atan(self.steepness * matching)

    def dipole_at(self, matching: float) -> float:
        """Return its dipole along the axis [A m^2] in a state u [A/m]."""
        return self.flux_density_at(matching) * self.volume / VACUUM_PERMEABILITY

    def row(self) -> Array:
        """Return (HYSTERESIS_ROD.size,) for the compiled step."""
        return HYSTERESIS_ROD.packed(
            axis_B=self.axis_B, coercivity=self.coercivity, steepness=self.steepness,
            flux=2.0 / math.pi * self.saturation,
            demagnetizing=self.demagnetization / VACUUM_PERMEABILITY,
            dipole=self.volume / VACUUM_PERMEABILITY,
        )  # fmt: skip


@dataclass(frozen=True)
class HysteresisRods(InternalPart):
    """Hysteresis rods by name."""

    each: Mapping[str, HysteresisRod]

    kind = group = 'hysteresis_rods'
    acts_uncommanded = True
    switches = False

    def initial(self, start: Start) -> Array:  # noqa: ARG002
        """Return the states at the start, flat."""
        return np.array([rod.matching for rod in self.each.values()])

    def is_pushed(self, in_field: bool) -> bool:
        """Return whether they exert an external load without a command: in a magnetic field."""
        return in_field
