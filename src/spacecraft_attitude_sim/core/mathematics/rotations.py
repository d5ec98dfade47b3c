# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations: all conventions of quaternions, direction cosine matrices and Euler angles.

Quaternions are unit, Hamilton, ordered (w, x, y, z). `q_WB` rotates body vectors into world:
`v_W = rotate(q_WB, v_B)`, and `q_WC = compose(q_WB, q_BC)`. Euler angles are intrinsic Z-Y-X:
yaw, pitch, roll [rad]. Only this module imports transforms3d, and only when it needs it, because
the import takes 30 ms.
"""

import math

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    Floats,
    Matrix3,
    Quaternion,
    Real,
    Vector3,
    VectorLike,
    Vectors3,
)
from spacecraft_attitude_sim.kernels.kernel import inlined

IDENTITY = (1.0, 0.0, 0.0, 0.0)
# Largest difference from 1 of a given quaternion's norm: allows values with four digits.
UNIT_NORM_TOLERANCE = 1e-3
# Half the angle from pitch to 90 degrees below which it is gimbal lock: a few roundings.
GIMBAL_LOCK = 1e-15


def unit_quaternion(values: VectorLike, name: str = '') -> Quaternion:
    """Return `values` normalised to a unit quaternion (4,).

    values: (4,) w, x, y, z;  name: of the quantity, for the message
    Raises ValueError when a component is not finite or the norm differs by more than
    UNIT_NORM_TOLERANCE from 1 (zero included).
    """
    q = np.array(values, dtype=float)
    if q.shape != (4,):
        raise ValueError(f'{name} has {q.size} values; a quaternion has four: w, x, y, z'.lstrip())
    norm = math.hypot(*q.tolist())
    if not abs(norm - 1.0) <= UNIT_NORM_TOLERANCE:
        raise ValueError(
            f'{name} is {q.tolist()} with norm {norm:g}; an attitude is a unit quaternion '
            'w, x, y, z: divide it by its norm'.lstrip()
        )
    return q / norm


def compose(q_AB: VectorLike, q_BC: VectorLike) -> Quaternion:
    """Return q_AC = q_AB ∘ q_BC, the Hamilton product (4,)."""
    return np.array(quaternion_product(*_floats(q_AB), *_floats(q_BC)))


def _floats(values: VectorLike) -> list[float]:
    return np.asarray(values, dtype=float).tolist()


def conjugate(q_AB: VectorLike) -> Quaternion:
    """Return q_BA (4,), the inverse rotation."""
    return np.array((q_AB[0], -q_AB[1], -q_AB[2], -q_AB[3]))


def rotate(q_AB: VectorLike, v_B: VectorLike) -> Vector3:
    """Return v_A (3,), the vector v_B seen in frame A."""
    return np.array(quaternion_sandwich(*_floats(q_AB), *_floats(v_B)))


def cross_matrix(vector: VectorLike) -> Matrix3:
    """Return the matrix [v×] (3, 3), with [v×] a = v × a."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turned_about(axis: VectorLike, sine: Real | Array, cosine: Real | Array) -> Array:
    """Return the rotation (3, 3) about a unit vector (3,), by Rodrigues' formula.

    sine, cosine: of the angle; arrays (n, 1, 1) give (n, 3, 3)
    """
    across = cross_matrix(axis)
    return np.eye(3) + sine * across + (1.0 - cosine) * product(across, across)


def rotate_many(q_AB: Array, v_B: Vectors3) -> Vectors3:
    """Return v_A (n, 3) of vectors (n, 3), each seen in its own frame A of q_AB (n, 4)."""
    return np.stack(quaternion_sandwich(*q_AB.T, *v_B.T), axis=1)


def continuous(quaternions: Array) -> Array:
    """Return attitudes (n, 4), each with the sign nearer to the one before it."""
    turned = np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0.0
    signs = np.cumprod(np.where(turned, -1.0, 1.0))
    return quaternions * np.concatenate(((1.0,), signs))[:, np.newaxis]


def dcm_from_quaternion(q_AB: VectorLike) -> Matrix3:
    """Return the direction cosine matrix C_AB (3, 3), v_A = C_AB v_B."""
    return np.array(quaternion_matrix(*map(float, q_AB))).reshape(3, 3)


def quaternion_from_dcm(C_AB: Matrix3) -> Quaternion:
    """Return q_AB (4,) with w >= 0 of a proper orthogonal matrix, in every branch."""
    from transforms3d import quaternions

    return quaternions.mat2quat(C_AB)


def euler_zyx_from_quaternion(q_AB: VectorLike) -> tuple[float, float, float]:
    """Return (yaw, pitch, roll) [rad] of intrinsic Z-Y-X rotations; roll is 0 in gimbal lock.

    yaw and roll in -pi to pi, pitch in -pi/2 to pi/2. They come from half the sum and half the
    difference of yaw and roll: near gimbal lock each angle is uncertain, but their attitude is
        not.
    (From the elements of the matrix, as in transforms3d, the error 1e-12 rad from lock is 3e-4
    rad.)
    """
    w, x, y, z = q_AB
    half_difference, up = math.atan2(z - x, w + y), math.hypot(z - x, w + y)
    half_sum, down = math.atan2(z + x, w - y), math.hypot(z + x, w - y)
    if down < GIMBAL_LOCK * up:
        half_sum = half_difference
    if up < GIMBAL_LOCK * down:
        half_difference = half_sum
    return (
        math.remainder(half_sum + half_difference, math.tau),
        2.0 * math.atan2(up, down) - math.pi / 2.0,
        math.remainder(half_sum - half_difference, math.tau),
    )


def quaternion_from_euler_zyx(yaw: float, pitch: float, roll: float) -> Quaternion:
    """Return q_AB (4,) of the intrinsic Z-Y-X rotations yaw, pitch, roll [rad]."""
    from transforms3d import euler

    return euler.euler2quat(yaw, pitch, roll, 'rzyx')


def quaternion_from_axis_angle(axis: VectorLike, angle: float) -> Quaternion:
    """Return the quaternion (4,) that turns by `angle` [rad] about `axis` (3,), any length."""
    from transforms3d import quaternions

    return quaternions.axangle2quat(axis, angle)


def rotation_between(q_AB: VectorLike, q_AC: VectorLike) -> Vector3:
    """Return the rotation vector (3,) [rad] from attitude B to attitude C, at most a half turn.

    It has the same components in B and in C.
    """
    a, b, c, d = _floats(q_AB)
    w, x, y, z = quaternion_product(a, -b, -c, -d, *_floats(q_AC))
    size = math.hypot(x, y, z)
    angle = 2.0 * math.atan2(size, abs(w))
    scale = math.copysign(angle / size if size > 0.0 else 0.0, w)
    return np.array((x * scale, y * scale, z * scale))


def angle_between(q_1: VectorLike, q_2: VectorLike) -> Real:
    """Return the angle [rad] of the rotation from one attitude to the other, 0 to pi.

    q and -q are the same attitude; angles are resolved down to round-off.

    q_1, q_2: (4,), or (n, 4) for angles (n,)
    """
    w, x, y, z = quaternion_product(*conjugate(np.transpose(q_1)), *np.transpose(q_2))
    return 2.0 * np.arctan2(np.sqrt(x * x + y * y + z * z), np.abs(w))


@inlined
def quaternion_product(
    a0: Real, a1: Real, a2: Real, a3: Real, b0: Real, b1: Real, b2: Real, b3: Real
) -> tuple[Real, ...]:
    """Return a ∘ b as four floats."""
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


@inlined
def quaternion_sandwich(
    q0: Real, q1: Real, q2: Real, q3: Real, v0: Real, v1: Real, v2: Real
) -> tuple[Real, ...]:
    """Return q ∘ v ∘ q* as three floats; q of any norm, the result scales with |q|^2.

    Inside a Runge-Kutta stage q is not quite a unit quaternion. There this form is a hundred times
    more accurate over many steps than one that assumes |q| = 1.
    """
    return (
        (q0 * q0 + q1 * q1 - q2 * q2 - q3 * q3) * v0
        + 2.0 * (q1 * q2 - q0 * q3) * v1
        + 2.0 * (q1 * q3 + q0 * q2) * v2,
        2.0 * (q1 * q2 + q0 * q3) * v0
        + (q0 * q0 - q1 * q1 + q2 * q2 - q3 * q3) * v1
        + 2.0 * (q2 * q3 - q0 * q1) * v2,
        2.0 * (q1 * q3 - q0 * q2) * v0
        + 2.0 * (q2 * q3 + q0 * q1) * v1
        + (q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3) * v2,
    )


@inlined
def quaternion_turn(q0: Real, q1: Real, q2: Real, q3: Real) -> tuple[Real, ...]:
    """Return the matrix C of `quaternion_sandwich` as nine floats, row by row; q of any norm.

    C v has the bits of q ∘ v ∘ q*, and C^T v those of q* ∘ v ∘ q.
    """
    return (
        q0 * q0 + q1 * q1 - q2 * q2 - q3 * q3,
        2.0 * (q1 * q2 - q0 * q3),
        2.0 * (q1 * q3 + q0 * q2),
        2.0 * (q1 * q2 + q0 * q3),
        q0 * q0 - q1 * q1 + q2 * q2 - q3 * q3,
        2.0 * (q2 * q3 - q0 * q1),
        2.0 * (q1 * q3 - q0 * q2),
        2.0 * (q2 * q3 + q0 * q1),
        q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3,
    )


@inlined
def quaternion_rate(
    q0: float, q1: float, q2: float, q3: float, w0: float, w1: float, w2: float
) -> Floats:
    """Return dq/dt = ½ q ∘ ω, four floats; ω in the frame from which q rotates [rad/s]."""
    return (
        0.5 * (-q1 * w0 - q2 * w1 - q3 * w2),
        0.5 * (q0 * w0 + q2 * w2 - q3 * w1),
        0.5 * (q0 * w1 + q3 * w0 - q1 * w2),
        0.5 * (q0 * w2 + q1 * w1 - q2 * w0),
    )


@inlined
def quaternion_from_matrix(
    c00: float,
    c01: float,
    c02: float,
    c10: float,
    c11: float,
    c12: float,
    c20: float,
    c21: float,
    c22: float,
) -> Floats:
    """Return the unit quaternion of a rotation matrix given by rows, four floats of either sign.

    S. W. Shepperd, J. Guidance and Control 1 (1978) 223: divide by the largest component. A matrix
    that is not quite orthogonal gives the quaternion of a rotation near it.
    """
    trace = c00 + c11 + c22
    if trace >= c00 and trace >= c11 and trace >= c22:
        q0, q1, q2, q3 = 1.0 + trace, c21 - c12, c02 - c20, c10 - c01
    elif c00 >= c11 and c00 >= c22:
        q0, q1, q2, q3 = c21 - c12, 1.0 + c00 - c11 - c22, c01 + c10, c02 + c20
    elif c11 >= c22:
        q0, q1, q2, q3 = c02 - c20, c01 + c10, 1.0 + c11 - c22 - c00, c12 + c21
    else:
        q0, q1, q2, q3 = c10 - c01, c02 + c20, c12 + c21, 1.0 + c22 - c00 - c11
    s = 1.0 / math.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    return s * q0, s * q1, s * q2, s * q3


@inlined
def quaternion_matrix(q0: float, q1: float, q2: float, q3: float) -> Floats:
    """Return the direction cosine matrix of q as nine floats, row by row; q of any norm."""
    s = 2.0 / (q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    x, y, z = s * q1, s * q2, s * q3
    return (
        1.0 - y * q2 - z * q3, x * q2 - z * q0, x * q3 + y * q0,
        x * q2 + z * q0, 1.0 - x * q1 - z * q3, y * q3 - x * q0,
        x * q3 - y * q0, y * q3 + x * q0, 1.0 - x * q1 - y * q2,
    )  # fmt: skip
