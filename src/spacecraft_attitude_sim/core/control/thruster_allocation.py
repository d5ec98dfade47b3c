# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Thruster forces for a commanded torque, from pairs of thrusters with opposite torques.

With T the torques of unit forces as columns, f = T^T (T T^T)^-1 τ has the least norm. In a pair
one force is as negative as the other is positive, and a jet cannot pull. Twice the positive
forces give the same torque.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import dot, symmetric_solved, three_in_row
from spacecraft_attitude_sim.kernels.kernel import compiled

# One thruster: torque of one newton [N m/N], largest force [N].
FIRED = Layout(lever_B=3, max_force=1)
LEVER, MAX_FORCE = FIRED.places('lever_B', 'max_force')
# Largest relative difference of the opposite torques of a pair.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class ThrusterPairs:
    """A controller's model of the thrusters that it fires.

    names: M different names;  torques_B: (M, 3) about the centre of mass, fully open [N m]
    max_forces: (M,) [N]
    Raises ValueError naming the thruster, its torque and the remedy.
    """

    names: tuple[str, ...]
    torques_B: Array
    max_forces: VectorLike

    def __post_init__(self) -> None:
        """Check that there are pairs about every axis."""
        torques_B = np.array(self.torques_B, dtype=float)
        for name, torque in zip(self.names, torques_B, strict=True):
            apart = np.min(np.linalg.norm(torques_B + torque, axis=1))
            if not apart <= TOLERANCE * np.linalg.norm(torque):
                raise ValueError(
                    f'thruster.{name}.torque is {torque.tolist()} N m, and no thruster has the '
                    'opposite: name them in pairs that turn the body opposite ways'
                )
        sizes = np.linalg.svd(self.flat()[:, :3], compute_uv=False)
        if not (len(sizes) == 3 and sizes[2] > TOLERANCE * sizes[0]):
            raise ValueError(
                'thrusters turn the body about fewer than three axes; name pairs about all'
            )

    def flat(self) -> Array:
        """Return (M, FIRED.size) for `fire`."""
        most = np.array(self.max_forces, dtype=float)
        return np.column_stack((np.array(self.torques_B, dtype=float) / most[:, None], most))


@compiled
def fire(rows: Array, torque_B: Floats, forces: Array) -> None:
    """Write the forces that give the body a torque; one factor brings them within their limits.

    rows: (M, FIRED.size);  torque_B: three floats [N m];  forces: (M,) [N]
    """
    xx = yy = zz = xy = xz = yz = 0.0
    for k in range(len(rows)):
        x, y, z = three_in_row(rows, k, LEVER)
        xx, yy, zz = xx + x * x, yy + y * y, zz + z * z
        xy, xz, yz = xy + x * y, xz + x * z, yz + y * z
    solved = symmetric_solved((xx, yy, zz, xy, xz, yz), torque_B)
    beyond = 1.0
    for k in range(len(rows)):
        forces[k] = max(0.0, 2.0 * dot(three_in_row(rows, k, LEVER), solved))
        beyond = max(beyond, forces[k] / rows[k, MAX_FORCE])
    for k in range(len(rows)):
        forces[k] = min(forces[k] / beyond, rows[k, MAX_FORCE])
