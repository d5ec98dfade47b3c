# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Allocation to reaction wheels: which motor torques give the body a wanted torque.

Motors turn the body against themselves: with the wheels' axes as columns of A,

    u = -A⁺ (τ + ω × h) + (1 - A⁺ A) k J (Ω_wanted - Ω)        h = Σ J_i Ω_i a_i

A⁺ is the pseudo-inverse, of all torques u that give τ the smallest; ω × h is what wheels that turn
ask of a body that turns (F. L. Markley and J. L. Crassidis, Fundamentals of Spacecraft Attitude
Determination and Control, 2014, sections 7.3 and 7.4). The last part gives the body none: of more
than three wheels it brings the speeds as near to wanted ones as that allows, away from zero, where
they would stick, and from their limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    moved_vector,
    three_in_row,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

if TYPE_CHECKING:
    from collections.abc import Sequence

# Of one wheel: its axis, its column of A⁺, inertia [kg m^2], largest torque [N m], wanted speed
# [rad/s], and how fast the speeds go there [1/s].
TURNED = Layout(axis_B=3, inverse_B=3, inertia=1, max_torque=1, wanted=1, rate=1)
AXIS, INVERSE = TURNED.places('axis_B', 'inverse_B')
INERTIA, MAX_TORQUE, WANTED, RATE = TURNED.places('inertia', 'max_torque', 'wanted', 'rate')
TOLERANCE = 1e-6


@dataclass(frozen=True)
class DrivenWheels:
    """What a controller knows of the wheels that it turns.

    names: N different ones;  axes_B: (N, 3), made unit vectors;  inertias: (N,) [kg m^2]
    max_torques: (N,) of the motors [N m];  wanted_speeds: (N,) [rad/s]
    null_space_rate: at which the speeds go there without torque on the body [1/s]
    Raises ValueError where they turn the body about fewer than three axes.
    """

    names: tuple[str, ...]
    axes_B: Sequence[VectorLike]
    inertias: VectorLike
    max_torques: VectorLike
    wanted_speeds: VectorLike
    null_space_rate: float = 0.0

    def __post_init__(self) -> None:
        """Check that every torque can be given."""
        sizes = np.linalg.svd(self._axes(), compute_uv=False)
        if not (len(sizes) == 3 and sizes[2] > TOLERANCE * sizes[0]):
            raise ValueError(
                'wheels turn the body about fewer than three axes; name three at least, not in a '
                'plane'
            )

    def _axes(self) -> Array:
        axes = np.array(self.axes_B, dtype=float)
        return axes / np.linalg.norm(axes, axis=1)[:, None]

    def flat(self) -> Array:
        """Return (N, TURNED.size) for `turn`."""
        axes, rates = self._axes(), np.full(len(self.names), self.null_space_rate)
        return np.column_stack((
            axes, np.linalg.pinv(axes.T), self.inertias, self.max_torques, self.wanted_speeds,
            rates,
        ))  # fmt: skip


@compiled
def turn(
    rows: Array, gyroscopic: float, speeds: Array, torque_B: Floats, omega_B: Floats,
    torques: Array,
) -> None:  # fmt: skip
    """Write the torques of the motors, brought to the largest by one factor; then the null space.

    rows: (N, TURNED.size);  gyroscopic: 1 to give ω × h;  speeds: (N,) [rad/s]
    torque_B, omega_B: three floats [N m, rad/s];  torques: (N,) [N m]
    """
    turning = cross(omega_B, momentum_beyond(rows, speeds, 0.0))
    asked = moved_vector(torque_B, gyroscopic, turning)
    # What the null space may do: all of k J (Ω_wanted - Ω) but what would turn the body.
    x = y = z = 0.0
    for k in range(len(rows)):
        wish = rows[k, RATE] * rows[k, INERTIA] * (rows[k, WANTED] - speeds[k])
        x, y, z = (
            x + wish * rows[k, AXIS], y + wish * rows[k, AXIS + 1], z + wish * rows[k, AXIS + 2]
        )  # fmt: skip
    beyond = 1.0
    for k in range(len(rows)):
        torques[k] = -dot(three_in_row(rows, k, INVERSE), asked)
        beyond = max(beyond, abs(torques[k]) / rows[k, MAX_TORQUE])
    share = 1.0
    for k in range(len(rows)):
        most = rows[k, MAX_TORQUE]
        torques[k] = min(max(torques[k] / beyond, -most), most)
        wish = rows[k, RATE] * rows[k, INERTIA] * (rows[k, WANTED] - speeds[k])
        wish -= dot(three_in_row(rows, k, INVERSE), (x, y, z))
        left = most - abs(torques[k]) if wish * torques[k] > 0.0 else most + abs(torques[k])
        if share * abs(wish) > left:
            share = left / abs(wish)
    for k in range(len(rows)):
        wish = rows[k, RATE] * rows[k, INERTIA] * (rows[k, WANTED] - speeds[k])
        torques[k] += share * (wish - dot(three_in_row(rows, k, INVERSE), (x, y, z)))


@helper
def momentum_beyond(rows: Array, speeds: Array, wanted: float) -> Floats:
    """Return Σ J_i Ω_i a_i of wheels, less `wanted` (0 or 1) times that at their wanted speeds."""
    x = y = z = 0.0
    for k in range(len(rows)):
        h = rows[k, INERTIA] * (speeds[k] - wanted * rows[k, WANTED])
        x, y, z = x + h * rows[k, AXIS], y + h * rows[k, AXIS + 1], z + h * rows[k, AXIS + 2]
    return x, y, z
