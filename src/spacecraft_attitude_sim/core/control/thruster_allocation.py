# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Thruster forces for a commanded torque. A jet pushes and cannot pull.

Pairs with opposite torques: with T the torques of unit forces as columns, f = T^T (T T^T)^-1 τ has
the least norm. In a pair one force is as negative as the other is positive. Twice the positive
forces give the same torque.

Any other thrusters: the forces f >= 0 with T f = τ whose sum is least, that is with the least
propellant. This is a linear program. Its best solution is one of its corners, where at most three
forces are not zero (G. B. Dantzig, Linear Programming and Extensions, 1963, section 4.2); with so
few thrusters all corners are tried, in one order, so that equal torques have equal forces.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    norm,
    symmetric_solved,
    three_in_row,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, part
from spacecraft_attitude_sim.safety.frozen import dataclass

# One thruster: torque of one newton [N m/N], largest force [N], whether all are pairs.
FIRED = Layout(lever_B=3, max_force=1, paired=1)
LEVER, MAX_FORCE, PAIRED = FIRED.places('lever_B', 'max_force', 'paired')
# Largest relative difference of the opposite torques of a pair.
TOLERANCE = 1e-6
# Three levers whose volume is a smaller share of the product of their lengths are in a plane.
FLATTEST = 1e-9
# A force that is negative by less, relative to the sum of the three, is zero: rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class DrivenThrusters:
    """A controller's model of the thrusters that it fires.

    names: M different names;  torques_B: (M, 3) about the centre of mass, fully open [N m]
    max_forces: (M,) [N]
    Raises ValueError naming a direction in which they cannot turn the body, and the remedy.
    """

    names: tuple[str, ...]
    torques_B: Array
    max_forces: VectorLike

    def __post_init__(self) -> None:
        """Check that they turn the body about every axis, in both directions."""
        torques_B = np.array(self.torques_B, dtype=float).reshape(-1, 3)
        sizes = np.linalg.svd(self._levers_B, compute_uv=False)
        if not (len(sizes) == 3 and sizes[2] > TOLERANCE * sizes[0]):
            raise ValueError(
                'thrusters turn the body about fewer than three axes; name some about all'
            )
        if self.paired:
            return
        for name, torque_B in zip(self.names, torques_B, strict=True):
            x, y, z = (-torque_B).tolist()
            if not fire(self.flat(), (x, y, z), np.zeros(len(self.names))):
                raise ValueError(
                    f'thruster.{name}.torque is {torque_B.tolist()} N m, and no others together '
                    'turn the body the opposite way: name more thrusters'
                )

    @property
    def _levers_B(self) -> Array:
        """Torques of unit forces (M, 3) [N m/N]."""
        most = np.array(self.max_forces, dtype=float)
        levers_B: Array = np.array(self.torques_B, dtype=float).reshape(-1, 3) / most[:, None]
        return levers_B

    @cached_property
    def paired(self) -> bool:
        """Whether each has one with the opposite torque."""
        torques_B = np.array(self.torques_B, dtype=float).reshape(-1, 3)
        return all(
            np.min(np.linalg.norm(torques_B + torque, axis=1))
            <= TOLERANCE * np.linalg.norm(torque)
            for torque in torques_B
        )

    def flat(self) -> Array:
        """Return (M, FIRED.size) for `fire`."""
        most = np.array(self.max_forces, dtype=float)
        paired = np.full(len(most), float(self.paired))
        return np.column_stack((self._levers_B, most, paired))


@compiled
def fire(rows: Array, torque_B: Floats, forces: Array) -> bool:
    """Write the forces that give the body a torque; return whether there are such.

    One factor brings them within their limits.

    rows: (M, FIRED.size);  torque_B: three floats [N m];  forces: (M,) [N]
    """
    reached = True
    if rows[0, PAIRED] > 0.0:
        push_pairs(rows, torque_B, forces)
    else:
        reached = push_cheaply(rows, torque_B, forces)
    beyond = 1.0
    for k in range(len(rows)):
        beyond = max(beyond, forces[k] / rows[k, MAX_FORCE])
    for k in range(len(rows)):
        forces[k] = min(forces[k] / beyond, rows[k, MAX_FORCE])
    return reached


@part
def push_pairs(rows: Array, torque_B: Floats, forces: Array) -> None:
    """Write the forces of pairs, without limits."""
    xx = yy = zz = xy = xz = yz = 0.0
    for k in range(len(rows)):
        x, y, z = three_in_row(rows, k, LEVER)
        xx, yy, zz = xx + x * x, yy + y * y, zz + z * z
        xy, xz, yz = xy + x * y, xz + x * z, yz + y * z
    solved = symmetric_solved((xx, yy, zz, xy, xz, yz), torque_B)
    for k in range(len(rows)):
        forces[k] = max(0.0, 2.0 * dot(three_in_row(rows, k, LEVER), solved))


@part
def push_cheaply(rows: Array, torque_B: Floats, forces: Array) -> bool:
    """Write the forces with the least sum, without limits; return whether there are any."""
    least, first, second, third = math.inf, 0, 0, 0
    best = (0.0, 0.0, 0.0)
    for i in range(len(rows)):
        forces[i] = 0.0
        a = three_in_row(rows, i, LEVER)
        for j in range(i + 1, len(rows)):
            b = three_in_row(rows, j, LEVER)
            ab = cross(a, b)
            for k in range(j + 1, len(rows)):
                c = three_in_row(rows, k, LEVER)
                volume = dot(ab, c)
                if abs(volume) <= FLATTEST * norm(a) * norm(b) * norm(c):
                    continue
                of_a = dot(torque_B, cross(b, c)) / volume
                of_b = dot(torque_B, cross(c, a)) / volume
                of_c = dot(torque_B, ab) / volume
                total = of_a + of_b + of_c
                if min(of_a, of_b, of_c) >= -ROUNDING * abs(total) and total < least:
                    least, first, second, third = total, i, j, k
                    best = (of_a, of_b, of_c)
    if least == math.inf:
        return False
    forces[first] = max(0.0, best[0])
    forces[second] = max(0.0, best[1])
    forces[third] = max(0.0, best[2])
    return True
