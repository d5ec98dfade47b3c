# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Uniform gravity: the force m g at the centre of mass, and the potential -m g·x."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.loads.load import Acting, LoadKind
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import dot, moved_vector, three_at
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.loads.load import Sums
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3

UNIFORM_GRAVITY = Layout(acceleration_W=3)


@helper
def wrench(
    sums: Sums, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    velocity: Floats, here: Floats,
) -> Sums:  # fmt: skip
    """Add m g; see LoadKind."""
    force_B, torque_B, force_W = sums
    return force_B, torque_B, moved_vector(force_W, whole[0], three_at(parts, row))


@helper
def potential(
    energy: float, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    here: Floats,
) -> float:  # fmt: skip
    """Add -m g·x [J], 0 at the world's origin; see LoadKind."""
    return energy - whole[0] * dot(three_at(parts, row), three_at(y, 0))


KIND = LoadKind(
    name='gravity', row=UNIFORM_GRAVITY, wrench=wrench, potential=potential, pulls=True,
    constant=True, airy=False,
)  # fmt: skip


def acting(acceleration_W: Vector3) -> Acting:
    """Return gravity of an acceleration g (3,) [m/s^2], world axes."""
    return Acting(KIND, np.reshape(acceleration_W, (1, -1)))
