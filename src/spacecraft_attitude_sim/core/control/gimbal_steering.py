# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Steering of single-gimbal control moment gyros: the gimbal rates for a commanded torque.

At the gimbal rate γ' a gyro with the momentum h along s gives the body the torque -h γ' g × s. B
has h g × s of each as columns; then τ = -B γ'. Where all outputs lie in a plane B has rank 2, the
array is singular, and no rates give a torque out of the plane (H. Kurokawa, A Geometric Study of
Single Gimbal Control Moment Gyros, 1998; B. Wie, Space Vehicle Dynamics and Control, 2008, section
7.5). The rates are those of the singularity-robust inverse -B^T (B B^T + λ 1)^-1 τ (Y. Nakamura
and H. Hanafusa, J. Dyn. Sys. Meas. Control 108 (1986) 163), λ = damping × the mean square of the
momenta × exp(-10 m), m the singularity measure over that of G gyros at their best. Far from
singularities they are exact and of least norm. Near one they give less than the commanded torque,
and nothing along the normal of a singular plane: this steering does not find its way around a
singularity.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    moved_vector,
    scaled,
    symmetric_solved,
    three_in_row,
)
from spacecraft_attitude_sim.kernels.kernel import compiled
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyros,
    )

DAMPING = 0.01
# Relative measure below which diagnostics warn: λ is then half of its largest value.
LOW = 0.07
# One gyro: its rotor's axis and gimbal × spin axis at angle 0, momentum [N m s], largest rate.
STEERED = Layout(spin_B=3, transverse_B=3, momentum=1, max_rate=1)
SPIN, TRANSVERSE, MOMENTUM, MAX_RATE = STEERED.places(
    'spin_B', 'transverse_B', 'momentum', 'max_rate'
)


@dataclass(frozen=True)
class Steering:
    """A controller's model of the gyros that it steers.

    gyros: ControlMomentGyros
    gyroscopic: whether to add the torque ω × h for the turning rotors
    """

    gyros: ControlMomentGyros
    gyroscopic: bool = True

    def flat(self) -> Array:
        """Return (G, STEERED.size) for `steered`."""
        return np.array([
            STEERED.packed(
                spin_B=one.spin_axis_B, transverse_B=one.transverse_B,
                momentum=one.rotor_inertia * one.rotor_speed, max_rate=one.max_rate,
            )
            for one in self.gyros.gyros
        ])  # fmt: skip


@compiled
def steered(
    rows: Array, gyroscopic: float, angles: VectorLike, torque_B: Floats, omega_B: Floats,
    rates: Array,
) -> float:  # fmt: skip
    """Write the gimbal rates for a law's torque; return `steer`'s measure.

    The law's τ is for a rigid body, I dω/dt + ω × I ω; the rotors' momentum h needs ω × h in
    addition.

    rows: (G, STEERED.size);  gyroscopic: 1 to add ω × h, 0 not to;  angles: (G,) [rad]
    torque_B: three floats, of the law [N m];  omega_B: three floats [rad/s];  rates: (G,) [rad/s]
    """
    h = (0.0, 0.0, 0.0)
    for k in range(len(rows)):
        spin = scaled(math.cos(angles[k]), three_in_row(rows, k, SPIN))
        spin = moved_vector(spin, math.sin(angles[k]), three_in_row(rows, k, TRANSVERSE))
        h = moved_vector(h, rows[k, MOMENTUM], spin)
    asked = moved_vector(torque_B, gyroscopic, cross(omega_B, h))
    return steer(rows, angles, asked, DAMPING, rates)


@compiled
def steer(
    rows: Array, angles: VectorLike, torque_B: Floats, damping: float, rates: Array
) -> float:
    """Write the gimbal rates that give the body a torque; return the distance from a singularity.

    It is the singularity measure over that of the same number of gyros at their best, 0 to 1. One
    factor brings all rates within the gimbals' limits, so that the torque keeps its direction.

    rows: (G, STEERED.size);  angles: (G,) [rad];  torque_B: three floats [N m]
    damping: 0 for the exact inverse, which gives no rates where the array is singular
    rates: (G,) [rad/s]
    """
    outputs = np.empty((len(rows), 3))
    xx = yy = zz = xy = xz = yz = 0.0
    for k in range(len(rows)):
        across = scaled(math.cos(angles[k]), three_in_row(rows, k, TRANSVERSE))
        across = moved_vector(across, -math.sin(angles[k]), three_in_row(rows, k, SPIN))
        x, y, z = scaled(rows[k, MOMENTUM], across)
        outputs[k, 0], outputs[k, 1], outputs[k, 2] = x, y, z
        xx, yy, zz = xx + x * x, yy + y * y, zz + z * z
        xy, xz, yz = xy + x * y, xz + x * z, yz + y * z
    size = (xx + yy + zz) / 3.0
    determinant = (
        xx * (yy * zz - yz * yz) - xy * (xy * zz - xz * yz) + xz * (xy * yz - xz * yy)
    )  # fmt: skip
    measure = math.sqrt(max(0.0, determinant) / (size * size * size)) if size > 0.0 else 0.0
    near = damping * (3.0 * size / len(rows)) * math.exp(-10.0 * measure)
    for k in range(len(rows)):
        rates[k] = 0.0
    if near == 0.0 and measure == 0.0:
        return measure
    solved = symmetric_solved((xx + near, yy + near, zz + near, xy, xz, yz), torque_B)
    beyond = 1.0
    for k in range(len(rows)):
        rates[k] = -dot(three_in_row(outputs, k, 0), solved)
        beyond = max(beyond, abs(rates[k]) / rows[k, MAX_RATE])
    for k in range(len(rows)):
        most = rows[k, MAX_RATE]
        rates[k] = min(max(rates[k] / beyond, -most), most)
    return measure


def working_point(rows: Array, angles: VectorLike) -> tuple[Array, Vector3, float]:
    """Return B (3, G) [N m s], the rotors' momentum (3,) [N m s] and λ [(N m s)^2] of `steered`.

    rows: (G, STEERED.size);  angles: (G,) [rad]
    """
    spin_B, across_B = rows[:, SPIN : SPIN + 3].T, rows[:, TRANSVERSE : TRANSVERSE + 3].T
    c, s, h = np.cos(angles), np.sin(angles), rows[:, MOMENTUM]
    outputs = h * (c * across_B - s * spin_B)
    size = float(np.mean(np.sum(outputs * outputs, axis=0)))
    near = DAMPING * size * math.exp(-10.0 * relative_measure(outputs))
    return outputs, (c * spin_B + s * across_B) @ h, near


def relative_measure(outputs: Array) -> float:
    """Return the singularity measure of B (3, G), over that of G gyros at their best."""
    gram = outputs @ outputs.T
    return math.sqrt(max(0.0, float(np.linalg.det(gram))) / float(np.trace(gram) / 3.0) ** 3)


def output_matrix(gyros: ControlMomentGyros, angles: VectorLike) -> Array:
    """Return B (3, G), minus the torque on the body per unit gimbal rate [N m s].

    angles: (G,) of the gimbals [rad]
    """
    columns = []
    for one, angle in zip(gyros.gyros, angles, strict=True):
        _, across = one.axes_B(angle)
        columns.append(one.rotor_inertia * one.rotor_speed * across)
    return np.array(columns).T


def singularity_measure(gyros: ControlMomentGyros, angles: VectorLike) -> float:
    """Return sqrt(det(B B^T)) [(N m s)^3]; 0 where the array is singular."""
    return float(np.prod(np.linalg.svd(output_matrix(gyros, angles), compute_uv=False)[:3]))


def gimbal_rates(
    gyros: ControlMomentGyros, angles: VectorLike, torque_B: Vector3, damping: float = DAMPING
) -> Array:
    """Return the gimbal rates (G,) [rad/s] that give the body a torque (3,) [N m]; see `steer`.

    angles: (G,) of the gimbals [rad];  damping: 0 for the exact inverse
    """
    x, y, z = map(float, torque_B)
    rates = np.zeros(len(gyros.gyros))
    steer(Steering(gyros).flat(), np.array(angles, dtype=float), (x, y, z), damping, rates)
    return rates
