# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Modes of vibration of flexible appendages: hybrid coordinates.

η is the coordinate of a mode of unit modal mass and Ω its frequency, both cantilevered (the hub
held). δ and β are its angular momentum about the origin and its momentum per unit of rate η':

    dp/dt = -2 ζ Ω η' - Ω² η        p = η' + δ·ω + β·v

(P. W. Likins, Dynamics and Control of Flexible Space Vehicles, JPL TR 32-1329, 1970.) For small
displacements: their effect on the inertia, and the stiffening by spin, are neglected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes
from spacecraft_attitude_sim.core.parts.coordinates.layouts import COORDINATE, FREE, MODE
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike


def coordinate_channels(what: str, unit: str, shown: Shown) -> tuple[Channel, ...]:
    """Return the Channels of parts with one displacement, which tables call `what`."""
    return (
        Channel(
            'displacements', lambda _, now: now.motions.displacements, what, unit, shown=shown
        ),
        Channel('rates', lambda _, now: now.motions.rates, 'rate', f'{unit}/s'),
    )


@dataclass(frozen=True)
class FlexibleMode:
    """One mode of vibration.

    coupling_B: (3,) δ [sqrt(kg) m];  frequency: of the mode where the hub is held [rad/s]
    damping_ratio: ζ;  drift_B: (3,) β [sqrt(kg)], 0 where the momenta of its parts cancel
    displacement [sqrt(kg) m], rate: of η at the start
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX = 'flexible_mode'
    CHANNELS = coordinate_channels(
        'displacement', 'sqrt(kg) m', Shown('mode', 'modal\ndisplacement', '√kg m')
    )

    coupling_B: VectorLike
    frequency: float
    damping_ratio: float = 0.0
    drift_B: VectorLike = (0.0, 0.0, 0.0)
    displacement: float = 0.0
    rate: float = 0.0

    def __post_init__(self) -> None:
        """Check all fields."""
        check_sizes(self, {'frequency': 'rad/s'}, {'damping_ratio': ''})

    mass = 0.0
    how = FREE
    revolute, look = False, ''

    @property
    def moving(self) -> float:
        """Generalized mass: twice the kinetic energy over the square of the rate."""
        return 1.0

    def center_at_B(self, displacement: float) -> Vector3:  # noqa: ARG002
        """Return the position of its mass (3,) [m]; it does not move."""
        return np.zeros(3)

    def moment_B(self, displacement: float) -> Vector3:
        """Return the first moment of mass that it adds to the body (3,) [kg m]."""
        return displacement * np.asarray(self.drift_B, dtype=float)

    def inertia_B(self, displacement: float) -> Matrix3:  # noqa: ARG002
        """Return its part of the inertia about the origin (3, 3): 0, the hub has it."""
        return np.zeros((3, 3))

    def momenta_B(self, displacement: float) -> tuple[Vector3, Vector3]:  # noqa: ARG002
        """Return angular momentum about the origin and momentum, (3,) each, per unit of rate."""
        return np.asarray(self.coupling_B, dtype=float), np.asarray(self.drift_B, dtype=float)

    def moved_B(self, displacements: Array) -> None:  # noqa: ARG002
        """Return None: its mass stays with the hub."""

    def row(self) -> Array:
        """Return (COORDINATE.size,) for the compiled step."""
        return coordinate_row(
            kind=MODE, coupling_B=self.coupling_B, drift_B=self.drift_B, moving=1.0,
            stiffness=self.frequency * self.frequency,
            damping=2.0 * self.damping_ratio * self.frequency,
        )  # fmt: skip


def coordinate_row(**given: float | VectorLike) -> Array:
    """Return (COORDINATE.size,); a field not given means: no stops, no latch, no mass."""
    unused: dict[str, float | VectorLike] = dict.fromkeys(COORDINATE.widths, 0.0)
    unused |= {'low': -np.inf, 'high': np.inf, 'latch': np.inf, 'way': 1.0, 'release': np.inf}
    return COORDINATE.packed(**(unused | given))
