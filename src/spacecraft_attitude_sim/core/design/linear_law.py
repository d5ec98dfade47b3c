# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude controller linearised about its reference.

For a small error θ and a small change δω of the angular velocity, with ω₀ that of the reference,
the law of core.control.control_law is

    δτ = -D (e + m θ) + δω × I ω₀ + ω₀ × I δω + I (ω₀ × (θ × ω₀) - δω × ω₀) + g
    e = δω + θ × ω₀      g = I u × (u × θ) - u × I (u × θ)

with an integral -D m s more, where s grows by θ T / T_i after each measurement, every T. Its
allocation to wheels is -A⁺ (δτ + δω × h + ω₀ × δh) + (1 - A⁺ A) k J (-δΩ), that to gimbals
-Bᵀ (B Bᵀ + λ 1)⁻¹ (δτ + δω × h + ω₀ × δh), with B of core.control.gimbal_steering.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control import (
    gimbal_steering,
    thruster_allocation,
    wheel_allocation,
)
from spacecraft_attitude_sim.core.control.allocation import GIMBALS, THRUSTERS, WHEELS
from spacecraft_attitude_sim.core.control.control_law import NO_GRADIENT
from spacecraft_attitude_sim.core.design.linear_plant import ATTITUDE, COMMANDED, RATE
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.control.allocation import Allocation
    from spacecraft_attitude_sim.core.control.control_law import Gains
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike

skew = rotations.cross_matrix
# What turns, what the law sees of it, and what it commands.
JOINTS = {
    WHEELS: ('wheel', 'speed [rad/s]', 'torque [N m]'),
    GIMBALS: ('gimbal', 'angle [rad]', 'rate [rad/s]'),
}


class LinearLaw(NamedTuple):
    """A linear controller: torque = asked y + taken s, u = given torque + beside y.

    s is its integral, q = 3 angles [rad] or none; after each measurement it grows by summed y.

    sees: names of the measured outputs y of the plant;  commands: names of its inputs u
    asked: (3, p) torque of the law;  given: (m, 3) its allocation
    beside: (m, p) what the allocation adds: compensation of the wheels' momentum, null motion
    taken: (3, q) torque of the integral;  summed: (q, p)
    """

    sees: tuple[str, ...]
    commands: tuple[str, ...]
    asked: Array
    given: Array
    beside: Array
    taken: Array
    summed: Array

    @property
    def gain(self) -> Array:
        """The whole gain (m, p): u = gain y + given taken s."""
        return self.given @ self.asked + self.beside


class Measured(NamedTuple):
    """How the controller sees the spacecraft.

    turn: (3, 3) from body axes to those that the controller takes for them
    tachometers: {name of a wheel: gain of its tachometer};  speeds: {name: speed [rad/s]}
    angles: {name of a gimbal: its angle [rad]}
    """

    turn: Matrix3
    tachometers: dict[str, float]
    speeds: dict[str, float]
    angles: Mapping[str, float] = MappingProxyType({})


def linear_law(
    gains: Gains,
    driven: Allocation | None,
    omega_R: Vector3,
    measured: Measured,
    gradient_R: VectorLike = NO_GRADIENT,
    period: float = 0.0,
) -> LinearLaw:
    """Return the LinearLaw of a controller at its reference.

    omega_R: (3,) angular velocity of the reference, in its own axes [rad/s]
    gradient_R: (3,) u of core.control.control_law, in the axes of the reference [1/s]
    period: between measurements [s], for the integral
    """
    by_angle, by_rate = torque_gains(gains, omega_R, gradient_R)
    sees: tuple[str, ...] = (*ATTITUDE, *RATE)
    asked = np.hstack((by_angle @ measured.turn, by_rate @ measured.turn))
    integral = of_integral(gains, measured, period)
    if driven is None:
        return LinearLaw(sees, COMMANDED, asked, np.eye(3), np.zeros((3, 6)), *integral)
    if driven.kind != THRUSTERS:
        turning, joint, commanded = JOINTS[driven.kind]
        joints = tuple(f'{turning}.{name}.{joint}' for name in driven.names)
        taken, summed = integral
        asked, summed = (
            np.hstack((seen, np.zeros((len(seen), len(joints))))) for seen in (asked, summed)
        )
        commands = tuple(f'{turning}.{name}.{commanded}' for name in driven.names)
        of_joints = _of_wheels if driven.kind == WHEELS else _of_gimbals
        given, beside = of_joints(driven, omega_R, measured)
        return LinearLaw((*sees, *joints), commands, asked, given, beside, taken, summed)
    lever = slice(thruster_allocation.LEVER, thruster_allocation.LEVER + 3)
    levers = driven.rows[:, lever]
    given = levers @ np.linalg.inv(levers.T @ levers)
    commands = tuple(f'thruster.{name}.force [N]' for name in driven.names)
    return LinearLaw(sees, commands, asked, given, np.zeros((len(commands), 6)), *integral)


def of_integral(gains: Gains, measured: Measured, period: float) -> tuple[Array, Array]:
    """Return `taken` (3, q) and `summed` (q, 6) of a LinearLaw, of none without an integral."""
    if not gains.integral_time:
        return np.zeros((3, 0)), np.zeros((0, 6))
    summed = np.hstack((period / gains.integral_time * measured.turn, np.zeros((3, 3))))
    return -gains.rate_gain @ np.diag(gains.rate_per_angle), summed


def torque_gains(
    gains: Gains, omega_R: Vector3, gradient_R: VectorLike = NO_GRADIENT
) -> tuple[Matrix3, Matrix3]:
    """Return the derivatives (3, 3) of the law's torque by θ and by δω, within all limits."""
    w, inertia, damping = np.asarray(omega_R, dtype=float), gains.inertia, gains.rate_gain
    turning = skew(w)  # θ × ω₀ = -ω₀ × θ
    by_angle = -damping @ (np.diag(gains.rate_per_angle) - turning)
    by_angle = by_angle - inertia @ turning @ turning
    u = skew(np.asarray(gradient_R, dtype=float))  # u × θ is the change of u in body axes
    by_angle = by_angle + (skew(inertia @ gradient_R) - u @ inertia) @ u
    by_rate = -damping + inertia @ turning
    if gains.gyroscopic:
        by_rate = by_rate + turning @ inertia - skew(inertia @ w)
    return by_angle, by_rate


def _of_wheels(driven: Allocation, omega_R: Vector3, measured: Measured) -> tuple[Array, Array]:
    """Return `given` (N, 3) and `beside` (N, 6 + N) of wheels."""
    rows, w = driven.rows, np.asarray(omega_R, dtype=float)
    first = wheel_allocation.AXIS
    axes = rows[:, first : first + 3]
    first = wheel_allocation.INVERSE
    inverse = rows[:, first : first + 3]
    inertias = rows[:, wheel_allocation.INERTIA]
    tachometers = np.array([measured.tachometers[name] for name in driven.names])
    speeds = tachometers * [measured.speeds[name] for name in driven.names]
    momentum = (inertias * speeds) @ axes
    by_rate = driven.gyroscopic * -skew(momentum) @ measured.turn
    by_speed = driven.gyroscopic * skew(w) @ (axes.T * (inertias * tachometers))
    wish = -np.diag(rows[:, wheel_allocation.RATE] * inertias * tachometers)
    null = wish - inverse @ (axes.T @ wish)
    beside = np.hstack((np.zeros((len(rows), 3)), -inverse @ by_rate, -inverse @ by_speed + null))
    return -inverse, beside


def _of_gimbals(driven: Allocation, omega_R: Vector3, measured: Measured) -> tuple[Array, Array]:
    """Return `given` (G, 3) and `beside` (G, 6 + G) of gimbals at rest."""
    angles = np.array([measured.angles[name] for name in driven.names])
    outputs, momentum, near = gimbal_steering.working_point(driven.rows, angles)
    inverse = outputs.T @ np.linalg.inv(outputs @ outputs.T + near * np.eye(3))
    by_rate = driven.gyroscopic * -skew(momentum) @ measured.turn
    by_angle = driven.gyroscopic * skew(omega_R) @ outputs
    none = np.zeros((len(angles), 3))
    return -inverse, np.hstack((none, -inverse @ by_rate, -inverse @ by_angle))
