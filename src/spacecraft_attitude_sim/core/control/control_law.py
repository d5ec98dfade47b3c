# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The law of attitude control: rate damping, quaternion-feedback pointing and tracking.

    τ = -D (ω_e + ω_c) + ω × I ω + I (α_R - ω × ω_R) - u × I u
    ω_c = m 2 ε,  |ω_c| <= slew rate

ε is the vector part of the error q_RB, body seen from reference, with the sign of the shorter
rotation; ω_e = ω - ω_R; everything in body axes. B. Wie, H. Weiss, A. Arapostathis, J. Guidance
12 (1989) 375, written as rate feedback about a commanded rate ω_c, whose limit is that of B. Wie
and J. Lu, J. Guidance 18 (1995) 1372; the reference's motion as in H. Schaub and J. Junkins,
Analytical Mechanics of Space Systems, section 8.2. u × I u is the gravity gradient's torque, with
u = √(3 GM/r³) along r; it is 0 where it is not compensated. With D = 2 ζ ω_n I and m = ω_n / 2 ζ
a small error angle θ obeys θ'' + 2 ζ ω_n θ' + ω_n² θ = 0 about every axis, and a large slew from
rest is a rotation about the eigenaxis. An integral, core.control.integral, adds m s to ω_c.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Matrix3, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import combined, cross, dot, moved_vector
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined
from spacecraft_attitude_sim.safety.frozen import dataclass

# With the scalar part below this (within 11 degrees of a half turn) both senses of rotation are
# nearly as long, and the previous one is kept: noise cannot reverse the torque again and again.
# C. Mayhew, R. Sanfelice, A. Teel, IEEE Trans. Automatic Control 56 (2011) 2555; here by
# direction, so q and -q of a sensor or a reference give the same torque.
HYSTERESIS = 0.1
UNDECIDED = NO_INTEGRAL = (0.0, 0.0, 0.0)
# Indices in the flat gains.
RATE_GAIN, RATE_PER_ANGLE, INERTIA = 0, 9, 12
TORQUE_LIMIT, SLEW_RATE_LIMIT, GYROSCOPIC = 21, 24, 25
INTEGRAL_RATE, INTEGRAL_LIMIT, GAINS_SIZE = 26, 27, 28
# Index of u_W in the flat reference.
GRADIENT = 10


@dataclass(frozen=True)
class Gains:
    """The law's constants, in body axes.

    inertia: (3, 3) of the body as the designer knows it [kg m^2]
    rate_gain: (3, 3) D [N m s/rad];  rate_per_angle: (3,) m [1/s], 0 for rate damping alone
    torque_limit: (3,) of each axis [N m]; a larger torque is scaled down, its direction kept
    slew_rate_limit: of ω_c [rad/s]; 0 for the fastest that torque_limit can brake along the law
    gyroscopic: whether ω × I ω is compensated
    integral_time: T_i of core.control.integral [s], 0 without an integral
    integral_limit: of s [rad]
    Raises ValueError where the integral makes every small error grow.
    """

    inertia: np.ndarray
    rate_gain: np.ndarray
    rate_per_angle: np.ndarray
    torque_limit: np.ndarray
    slew_rate_limit: float = 0.0
    gyroscopic: bool = True
    integral_time: float = 0.0
    integral_limit: float = 0.05

    def __post_init__(self) -> None:
        """Check the integral: v·I v λ³ + v·D v (λ² + m λ + m/T_i) has stable roots (Hurwitz)."""
        if self.integral_time > 0.0 and self.integral_time <= self.shortest_integral_time():
            raise ValueError(
                f'integral_time is {self.integral_time:g} s, with which the loop is unstable; '
                f'give more than {self.shortest_integral_time():.4g} s, several times as much for '
                'some margin, or 0 for no integral'
            )

    def shortest_integral_time(self) -> float:
        """Return the integral time [s] down to which a continuous loop is stable."""
        return float(np.max(np.linalg.eigvals(np.linalg.solve(self.rate_gain, self.inertia)).real))

    def flat(self) -> Array:
        """Return (GAINS_SIZE,) for `torque`.

        D, m, I, limits of torque and slew rate, 1 for gyroscopic, 1/T_i or 0, limit of s.
        """
        return np.array(
            (
                *self.rate_gain.ravel(), *self.rate_per_angle, *self.inertia.ravel(),
                *self.torque_limit, self.slew_rate_limit or self._safe_slew_rate(),
                float(self.gyroscopic),
                1.0 / self.integral_time if self.integral_time else 0.0, self.integral_limit,
            )
        )  # fmt: skip

    def damping_only(self) -> Gains:
        """Return the same without attitude feedback: a torque against every rotation."""
        return replace(self, rate_per_angle=np.zeros(3), integral_time=0.0)

    def _safe_slew_rate(self) -> float:
        """Return the rate from which the torque limit can brake along ω = m θ, about any axis.

        There |dω/dt| = m |ω|, and a unit acceleration needs at most |row of I| of an axis' torque.
        """
        acceleration = np.min(self.torque_limit / np.linalg.norm(self.inertia, axis=1))
        steepest = np.max(self.rate_per_angle)
        return acceleration / steepest if steepest > 0.0 else math.inf


def gains_from_bandwidth(
    inertia: Matrix3,
    bandwidth: float,
    damping_ratio: float,
    torque_limit: VectorLike,
    **options: Any,
) -> Gains:
    """Return the Gains that make every small error a second-order response.

    bandwidth: its natural frequency ω_n [rad/s];  damping_ratio: ζ > 0
    """
    rate_gain = 2.0 * damping_ratio * bandwidth * np.array(inertia)
    rate_per_angle = np.full(3, bandwidth / (2.0 * damping_ratio))
    return Gains(np.array(inertia), rate_gain, rate_per_angle, np.array(torque_limit), **options)


def gains_given(
    inertia: Matrix3,
    attitude_gain: VectorLike,
    rate_gain: VectorLike,
    torque_limit: VectorLike,
    **options: Any,
) -> Gains:
    """Return the Gains of a torque -attitude_gain θ - rate_gain ω of each axis, θ small.

    attitude_gain: (3,) [N m/rad];  rate_gain: (3,) positive [N m s/rad]
    """
    rate_gain = np.array(rate_gain)
    rate_per_angle = np.array(attitude_gain) / rate_gain
    return Gains(
        np.array(inertia), np.diag(rate_gain), rate_per_angle, np.array(torque_limit), **options
    )


# u of a law that does not compensate the gravity gradient.
NO_GRADIENT = (0.0, 0.0, 0.0)


class Reference(NamedTuple):
    """The reference motion at one instant.

    q_WR: (4,) attitude;  omega_R, alpha_R: (3,) its angular velocity and acceleration in its own
        axes [rad/s, rad/s^2]
    """

    q_WR: np.ndarray
    omega_R: np.ndarray
    alpha_R: np.ndarray

    def flat(self) -> Array:
        """Return (13,) for `torque`, without a gravity gradient."""
        return np.concatenate((*self, NO_GRADIENT), dtype=float)


AT_REST = Reference(np.array((1.0, 0.0, 0.0, 0.0)), np.zeros(3), np.zeros(3))


@compiled
def torque(
    gains: Array,
    reference: Array,
    q_WB: VectorLike,
    omega_B: VectorLike,
    way: Floats,
    integral: Floats = NO_INTEGRAL,
) -> tuple[Floats, Floats, float]:
    """Return the torque on the body [N m] and ε, three floats each, and the share.

    gains: (GAINS_SIZE,) of Gains;  q_WB: (4,);  omega_B: (3,) [rad/s]
    reference: (13,) of Reference and u_W of the gravity gradient [1/s]
    way: ε as returned for the previous reading; UNDECIDED for the shortest rotation
    integral: s of core.control.integral [rad]
    share: applied part of the law's torque, 1 unless the limit of an axis scales it down
    """
    q_RB = quaternion_product(
        reference[0], -reference[1], -reference[2], -reference[3],
        q_WB[0], q_WB[1], q_WB[2], q_WB[3],
    )  # fmt: skip
    epsilon = _way_kept(q_RB, way)
    omega = (omega_B[0], omega_B[1], omega_B[2])
    rate = _in_body(q_RB, reference[4], reference[5], reference[6])
    acceleration = _in_body(q_RB, reference[7], reference[8], reference[9])
    # Derivative of the reference's rate in body axes, which turn.
    change = moved_vector(acceleration, -1.0, cross(omega, rate))
    error = moved_vector(moved_vector(omega, -1.0, rate), 1.0, _commanded(gains, epsilon))
    if gains[INTEGRAL_RATE] > 0.0:
        k = RATE_PER_ANGLE
        error = (
            error[0] + gains[k] * integral[0], error[1] + gains[k + 1] * integral[1],
            error[2] + gains[k + 2] * integral[2],
        )  # fmt: skip
    damping = _times(gains, RATE_GAIN, error)
    gyroscopic = cross(omega, _times(gains, INERTIA, omega))
    asked = combined(
        -1.0, damping, gains[GYROSCOPIC], gyroscopic, 1.0, _times(gains, INERTIA, change)
    )
    u_W = (reference[GRADIENT], reference[GRADIENT + 1], reference[GRADIENT + 2])
    if dot(u_W, u_W) > 0.0:
        u = _in_body(q_WB, u_W[0], u_W[1], u_W[2])
        asked = moved_vector(asked, -1.0, cross(u, _times(gains, INERTIA, u)))
    share = 1.0
    for axis in range(3):
        if share * abs(asked[axis]) > gains[TORQUE_LIMIT + axis]:
            share = gains[TORQUE_LIMIT + axis] / abs(asked[axis])
    return (share * asked[0], share * asked[1], share * asked[2]), epsilon, share


@compiled
def torque_from_imu(
    gains: Array,
    reference: Array,
    q_BS: VectorLike,
    q_WS: VectorLike,
    omega_S: VectorLike,
    way: Floats,
    integral: Floats = NO_INTEGRAL,
) -> tuple[Floats, Floats, float]:
    """Return `torque` from an IMU's reading.

    q_BS: (4,) IMU to body;  q_WS: (4,) measured, norm near 1;  omega_S: (3,) [rad/s]
    """
    omega_B = rate_from_imu(q_BS, omega_S)
    w, x, y, z = q_WS[0], q_WS[1], q_WS[2], q_WS[3]
    n = math.sqrt(w * w + x * x + y * y + z * z)
    q_WB = quaternion_product(w / n, x / n, y / n, z / n, q_BS[0], -q_BS[1], -q_BS[2], -q_BS[3])
    return torque(gains, reference, q_WB, omega_B, way, integral)


@compiled
def rate_from_imu(q_BS: VectorLike, omega_S: VectorLike) -> Floats:
    """Return ω_B [rad/s] from an IMU's reading, three floats; arguments as `torque_from_imu`."""
    return quaternion_sandwich(
        q_BS[0], q_BS[1], q_BS[2], q_BS[3], omega_S[0], omega_S[1], omega_S[2]
    )


@inlined
def _way_kept(q_RB: Floats, way: Floats) -> Floats:
    """Return ε of the shorter rotation; near a half turn keep the previous sense."""
    sign = 1.0 if q_RB[0] >= 0.0 else -1.0
    epsilon = (sign * q_RB[1], sign * q_RB[2], sign * q_RB[3])
    if abs(q_RB[0]) < HYSTERESIS and dot(epsilon, way) < 0.0:
        return -epsilon[0], -epsilon[1], -epsilon[2]
    return epsilon


@inlined
def _commanded(gains: Array, epsilon: Floats) -> Floats:
    """Return ω_c, limited to the slew rate."""
    k = RATE_PER_ANGLE
    x = 2.0 * gains[k] * epsilon[0]
    y = 2.0 * gains[k + 1] * epsilon[1]
    z = 2.0 * gains[k + 2] * epsilon[2]
    size = math.sqrt(x * x + y * y + z * z)
    if size <= gains[SLEW_RATE_LIMIT]:
        return x, y, z
    scale = gains[SLEW_RATE_LIMIT] / size
    return scale * x, scale * y, scale * z


@inlined
def _in_body(q_RB: VectorLike, x: float, y: float, z: float) -> Floats:
    return quaternion_sandwich(q_RB[0], -q_RB[1], -q_RB[2], -q_RB[3], x, y, z)


@inlined
def _times(gains: Array, k: int, v: Floats) -> Floats:
    """Return the matrix that begins at index k of the gains, times a vector."""
    return (
        gains[k] * v[0] + gains[k + 1] * v[1] + gains[k + 2] * v[2],
        gains[k + 3] * v[0] + gains[k + 4] * v[1] + gains[k + 5] * v[2],
        gains[k + 6] * v[0] + gains[k + 7] * v[1] + gains[k + 8] * v[2],
    )


@compiled
def turned(reference: Array, seconds: float) -> Floats:
    """Return q_WR of a reference (13,) `seconds` later at its constant rate, four floats."""
    x, y, z = reference[4], reference[5], reference[6]
    rate = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * rate * seconds
    sine = math.sin(half) / rate if rate > 0.0 else 0.0
    return quaternion_product(
        reference[0], reference[1], reference[2], reference[3],
        math.cos(half), sine * x, sine * y, sine * z,
    )  # fmt: skip
