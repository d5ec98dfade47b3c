# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Magnetorquers: rods or coils with a commanded dipole m; the field B exerts the torque m × B.

F. L. Markley and J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and Control,
2014, section 4.6. A coil of n turns of area A has the dipole n I A. core.equations.multibody
evaluates the torque in every stage.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, product
from spacecraft_attitude_sim.core.parts.magnetorquers.kernel import ROD, ROD_STATE
from spacecraft_attitude_sim.core.parts.part import Commanded, Part, Setting, Start
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike


@dataclass(frozen=True)
class Magnetorquer:
    """One rod or coil.

    axis_B: (3,) unit vector of its dipole;  max_dipole: [A m^2]
    lag: time constant of its current [s]
    interference_B: (3,) its field at the magnetometer per dipole [T/(A m^2)]
    Raises ValueError naming the field, its value and the remedy.
    """

    axis_B: VectorLike
    max_dipole: float
    lag: float = 0.0
    interference_B: VectorLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check all fields."""
        object.__setattr__(self, 'axis_B', unit_axis('axis', self.axis_B))
        check_sizes(self, {'max_dipole': 'A m^2'}, {'lag': 's'})

    def row(self, off_after: float) -> Array:
        """Return (ROD.size,) for the compiled step; off_after: of Magnetorquers."""
        return ROD.packed(
            axis_B=self.axis_B, max_dipole=self.max_dipole, lag=self.lag, off_after=off_after
        )


@dataclass(frozen=True)
class Magnetorquers(Part):
    """K rods or coils; names: K different names.

    residual_B: (3,) dipole of the spacecraft itself [A m^2]
    off_after: time from the beginning of a tick after which they are switched off, so that a
        magnetometer can read the undisturbed field at its end [s]
    """

    kind = title = group = 'magnetorquers'
    PREFIX = 'magnetorquer'
    CHANNELS = (
        Channel(
            'dipoles',
            lambda _, now: now.states('magnetorquers'),
            'dipole',
            'A m^2',
            '',
            'max_dipoles',
            Shown('dipole', 'dipole of each\nrod', 'A m²'),
        ),
        Channel(
            'dipole_B',
            None,
            shown=Shown('whole_dipole', 'dipole of all\nbody axes', 'A m²', size='|m|'),
        ),
    )

    names: tuple[str, ...]
    rods: tuple[Magnetorquer, ...]
    residual_B: VectorLike = (0.0, 0.0, 0.0)
    off_after: float = np.inf
    axes_B: Array = field(init=False, repr=False)
    sharing: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Compute the axes, and the matrix that distributes a dipole over the rods."""
        axes = np.array([rod.axis_B for rod in self.rods]).reshape(-1, 3)
        object.__setattr__(self, 'axes_B', axes)
        object.__setattr__(self, 'sharing', np.linalg.pinv(axes.T))

    @property
    def switches(self) -> bool:  # type: ignore[override]
        """Whether they are switched off within a tick."""
        return bool(np.isfinite(self.off_after))

    @property
    def acts_uncommanded(self) -> bool:  # type: ignore[override]
        """Whether there is a residual dipole."""
        return bool(np.any(self.residual_B))

    def is_pushed(self, in_field: bool) -> bool:
        """Return whether a field turns the residual dipole."""
        return in_field and self.acts_uncommanded

    def add_torque_B(self, total_B: Vector3, now: Commanded) -> Vector3:
        """Return a torque with that of the commanded dipoles within limits added; see Part."""
        if not now.inputs.dipole.size:
            return total_B
        most, duty = self.max_dipoles, min(1.0, self.off_after / now.step)
        m_B = product(np.clip(now.inputs.dipole, -most, most), self.axes_B) * duty
        return total_B + cross(m_B, now.field_B())

    @property
    def max_dipoles(self) -> Array:
        """Largest dipoles (K,) [A m^2]."""
        return np.array([rod.max_dipole for rod in self.rods])

    def initial(self, start: Start) -> Array:  # noqa: ARG002
        """Return their dipoles (K,) before any command: zeros [A m^2]."""
        return np.zeros(self.number * ROD_STATE.size)

    def dipole_B(self, internal: Array) -> Vector3:
        """Return the sum (3,) of their dipoles, without the residual dipole [A m^2]."""
        dipole_B: Vector3 = product(internal, self.axes_B)
        return dipole_B

    def shared(self, x: float, y: float, z: float) -> list[float]:
        """Return the dipoles (K,) of least norm with a sum of x, y, z [A m^2], not limited.

        A component that the axes do not span is left out.
        """
        # Added in this order, which has the same bits in compiled code.
        return [a * x + b * y + c * z for a, b, c in self._shares]

    @cached_property
    def _shares(self) -> list[list[float]]:
        """The rows of `sharing`."""
        rows: list[list[float]] = self.sharing.tolist()
        return rows

    def rows(self, setting: Setting) -> Array:  # noqa: ARG002
        """Return (K, ROD.size) for the compiled step."""
        return np.array([rod.row(self.off_after) for rod in self.rods]).reshape(-1, ROD.size)
