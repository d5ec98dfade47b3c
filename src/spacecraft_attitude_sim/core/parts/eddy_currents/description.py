# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Eddy currents in a conductive body that turns in a magnetic field.

The currents make a dipole against the change of the field B as seen from the body, and so a torque
that takes energy from the rotation:

    m = -M (dB/dt - ω × B)        torque = m × B

dB/dt is the change in an inertial frame. M is the magnetic tensor of the body: symmetric, with no
negative principal value. For a thin spherical shell of radius R, thickness e and conductivity σ it
is (2π/3) σ e R⁴ in every direction. A body of the inertia I with the same M in every direction
then loses its rate across a constant field as exp(-M B² t/I), and keeps the one along it
(N. Ortiz Gómez and S. J. I. Walker, Eddy currents applied to de-tumbling of space debris: analysis
and validation of approximate proposed methods, Acta Astronautica 114, 2015, pages 34–53; tensors
of other shapes are there).

Neglected: the own field of the currents, which counts where they cannot follow the rotation any
longer (thickness of the shell against the skin depth).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import eigenvalues
from spacecraft_attitude_sim.core.parts.eddy_currents.kernel import EDDY_CURRENTS
from spacecraft_attitude_sim.core.parts.part import Part, Setting
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike


@dataclass(frozen=True)
class EddyCurrents(Part):
    """Eddy currents in the body: one part.

    magnetic_tensor_B: M as xx, yy, zz, xy, xz, yz [S m^4], body axes
    Raises ValueError with the remedy where M has a negative principal value.
    """

    magnetic_tensor_B: VectorLike

    kind = group = 'eddy_currents'
    title = 'eddy currents'
    acts_uncommanded = True
    switches = False

    def __post_init__(self) -> None:
        """Check the principal values."""
        values = self._principal_values
        if not values[0] >= -1e-12 * values[2]:
            raise ValueError(
                f'magnetic_tensor has the principal values {values.tolist()} S m^4; currents only '
                'take energy, so none may be negative'
            )

    @property
    def matrix_B(self) -> Matrix3:
        """The tensor (3, 3) [S m^4]."""
        xx, yy, zz, xy, xz, yz = (float(value) for value in self.magnetic_tensor_B)
        return np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    @property
    def _principal_values(self) -> Vector3:
        return eigenvalues(self.matrix_B)

    def is_pushed(self, in_field: bool) -> bool:
        """Return whether they exert a torque without a command: in a magnetic field."""
        return in_field

    def rows(self, setting: Setting) -> Array:  # noqa: ARG002
        """Return (1, EDDY_CURRENTS.size) for the compiled step."""
        largest = float(self._principal_values[2])
        return EDDY_CURRENTS.packed(
            magnetic_tensor_B=self.magnetic_tensor_B, largest=largest
        ).reshape(1, -1)
