# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Steering of single-gimbal control moment gyros: which gimbal rates give a wanted torque.

Turned at the rate γ', a gyro with the momentum h along s gives the body the torque -h γ' g × s. B
has h g × s of each as columns; then τ = -B γ'. Where all outputs lie in a plane B has rank 2, the
set is singular, and no rate gives the torque out of it (H. Kurokawa, A Geometric Study of Single
Gimbal Control Moment Gyros, 1998; B. Wie, Space Vehicle Dynamics and Control, 2008, section 7.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators.control_moment_gyros import ControlMomentGyros
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike


def output_matrix(gyros: ControlMomentGyros, angles: VectorLike) -> Array:
    """Return B (3, G), the torque on the body less its sign of each unit rate [N m s].

    angles: (G,) of the gimbals [rad]
    """
    columns = []
    for one, angle in zip(gyros.gyros, angles, strict=True):
        _, across = one.axes_B(angle)
        columns.append(one.rotor_inertia * one.rotor_speed * across)
    return np.array(columns).T


def singularity_measure(gyros: ControlMomentGyros, angles: VectorLike) -> float:
    """Return sqrt(det(B B^T)) [(N m s)^3]; 0 where the set is singular."""
    return float(np.prod(np.linalg.svd(output_matrix(gyros, angles), compute_uv=False)[:3]))


def gimbal_rates(
    gyros: ControlMomentGyros, angles: VectorLike, torque_B: Vector3, damping: float = 0.01
) -> Array:
    """Return the gimbal rates (G,) [rad/s] that give the body a torque (3,) [N m].

    The singularity-robust inverse -B^T (B B^T + λ 1)^-1 τ (Y. Nakamura and H. Hanafusa, J. Dyn.
    Sys. Meas. Control 108 (1986) 163), λ = damping × the mean square of the momenta × exp(-10 m),
    m the singularity measure by that of G gyros at their best: exact far from singularities.
    The rates are of least size, and brought to the largest of the gimbals all by one factor, so
    that the torque keeps its direction.

    angles: (G,) of the gimbals [rad];  damping: 0 for the exact inverse
    """
    B = output_matrix(gyros, angles)
    size = float(np.mean(np.sum(B * B, axis=0)))
    best = (len(gyros.gyros) * size / 3.0) ** 1.5
    measure = singularity_measure(gyros, angles) / best
    near = damping * size * np.exp(-10.0 * measure) if damping else 0.0
    rates = -B.T @ np.linalg.solve(B @ B.T + near * np.eye(3), np.asarray(torque_B, dtype=float))
    beyond = np.max(np.abs(rates) / np.array([one.max_rate for one in gyros.gyros]))
    return rates / max(1.0, beyond)
