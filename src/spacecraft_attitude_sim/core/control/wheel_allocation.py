# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Allocation to reaction wheels: the motor torques that give the body a commanded torque.

A motor turns the body against its wheel: with the wheels' axes as columns of A,

    u = -A⁺ (τ + ω × h) + (1 - A⁺ A) k J (Ω_wanted - Ω)        h = Σ J_i Ω_i a_i

A⁺ is the pseudo-inverse: it gives the u of least norm for τ; ω × h compensates the gyroscopic
torque of the turning wheels (F. L. Markley and J. L. Crassidis, Fundamentals of Spacecraft
Attitude Determination and Control, 2014, sections 7.3 and 7.4). The last part is null motion: it
gives the body no torque. With more than three wheels it brings the speeds as near to target speeds
as possible, away from zero, where they would stick, and from their limits.
"""

from __future__ import annotations

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
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

# One wheel: its axis, its column of A⁺, inertia [kg m^2], largest torque [N m], target speed
# [rad/s], and the rate at which the speeds approach it [1/s].
TURNED = Layout(axis_B=3, inverse_B=3, inertia=1, max_torque=1, wanted=1, rate=1)
AXIS, INVERSE = TURNED.places('axis_B', 'inverse_B')
INERTIA, MAX_TORQUE, WANTED, RATE = TURNED.places('inertia', 'max_torque', 'wanted', 'rate')
TOLERANCE = 1e-6


@dataclass(frozen=True)
class DrivenWheels:
    """A controller's model of the wheels that it drives.

    names: N different names;  axes_B: (N, 3), normalised;  inertias: (N,) [kg m^2]
    max_torques: (N,) of the motors [N m];  wanted_speeds: (N,) target speeds [rad/s]
    null_space_rate: at which the speeds approach them without torque on the body [1/s]
    Raises ValueError where they turn the body about fewer than three axes.
    """

    names: tuple[str, ...]
    axes_B: Sequence[VectorLike]
    inertias: VectorLike
    max_torques: VectorLike
    wanted_speeds: VectorLike
    null_space_rate: float = 0.0

    def __post_init__(self) -> None:
        """Check that every torque is possible."""
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
    """Write the motor torques: one factor brings those for τ within limits; then the null motion.

    rows: (N, TURNED.size);  gyroscopic: 1 to add ω × h;  speeds: (N,) [rad/s]
    torque_B, omega_B: three floats [N m, rad/s];  torques: (N,) [N m]
    """
    turning = cross(omega_B, momentum_beyond(rows, speeds, 0.0))
    asked = moved_vector(torque_B, gyroscopic, turning)
    # Null motion: k J (Ω_wanted - Ω) without its part that would turn the body.
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
    """Return Σ J_i Ω_i a_i of wheels minus `wanted` (0 or 1) times that at target speeds."""
    x = y = z = 0.0
    for k in range(len(rows)):
        h = rows[k, INERTIA] * (speeds[k] - wanted * rows[k, WANTED])
        x, y, z = x + h * rows[k, AXIS], y + h * rows[k, AXIS + 1], z + h * rows[k, AXIS + 2]
    return x, y, z
