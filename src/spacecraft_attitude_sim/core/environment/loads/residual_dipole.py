# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The field's torque on the spacecraft's own dipole, m × B; the energy -m·B is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.loads.load import FIELD, Acting, LoadKind, to_body
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import added, cross, three_at
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.loads.load import Sums
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike

RESIDUAL_DIPOLE = Layout(dipole_B=3)


@helper
def field_torque(dipole_B: Floats, field_B: Floats) -> Floats:
    """Return the torque m × B on any dipole [N m], three floats, body axes."""
    return cross(dipole_B, field_B)


@helper
def dipole(sum_B: Floats, parts: Array, row: int, count: int) -> Floats:
    """Add the dipole [A m^2]; see LoadKind."""
    return added(sum_B, three_at(parts, row))


@helper
def wrench(
    sums: Sums, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    velocity: Floats, here: Floats,
) -> Sums:  # fmt: skip
    """Add the torque of the field; see LoadKind."""
    force_B, torque_B, force_W = sums
    torque = field_torque(three_at(parts, row), to_body(turn, here, FIELD))
    return force_B, added(torque_B, torque), force_W


KIND = LoadKind(
    name='magnetic', row=RESIDUAL_DIPOLE, wrench=wrench, dipole=dipole, airy=False,
)  # fmt: skip


def acting(dipole_B: VectorLike) -> Acting:
    """Return the residual dipole (3,) [A m^2], body axes."""
    return Acting(KIND, np.array(dipole_B, dtype=float).reshape(1, -1))
