# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of a multiplicative extended Kalman filter for attitude and gyroscope bias.

The true attitude is q_WB = q̂ ⊗ δq(a). a is a small rotation vector in body axes. The true rate is
ω = ω_m - b - η_v, the bias walks by db/dt = η_u. So the errors obey

    da/dt = -ω̂ × a - (b - b̂) - η_v

The error state is x = (a, b - b̂), with the errors of a magnetometer's bias after them if it is
estimated. Every measurement is taken component by component in axes where its noise is
uncorrelated; the covariance is updated in Joseph's form, which keeps it symmetric and positive.

F. L. Markley, J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and Control
(2014), sections 6.2 and 3.7; R. L. Farrenkopf, J. Guidance 1 (1978) 282 for the gyroscope's noise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    dot,
    norm,
    scaled,
    subtracted,
    symmetric_solved,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# What is estimated: attitude, bias of the gyroscope [rad/s], bias of the magnetometer [T].
ESTIMATE = Layout(q_WB=4, gyro_bias=3, field_bias=3)
GYRO_BIAS, FIELD_BIAS = ESTIMATE.places('gyro_bias', 'field_bias')
# Places of the errors in the error state.
TURN, DRIFT, OFFSET = 0, 3, 6
# Below this angle [rad] series replace sine and cosine; their next terms are below 1e-16.
SMALL_ANGLE = 1e-3
# Below this sine the ratio of an angle and its sine is 1.
NO_ANGLE = 1e-30


@helper
def turning_of(rotation: Floats) -> Floats:
    """Return the unit quaternion of a rotation vector [rad], four floats."""
    angle = norm(rotation)
    if angle < SMALL_ANGLE:
        half = angle * angle / 4.0
        s = 0.5 * (1.0 - half / 6.0 * (1.0 - half / 20.0))
        c = 1.0 - half / 2.0 * (1.0 - half / 12.0)
    else:
        s, c = math.sin(angle / 2.0) / angle, math.cos(angle / 2.0)
    return (c, s * rotation[0], s * rotation[1], s * rotation[2])


@helper
def coefficients(angle: float) -> tuple[float, float, float]:
    """Return sin θ / θ, (1 - cos θ) / θ² and (θ - sin θ) / θ³."""
    if angle < SMALL_ANGLE:
        square = angle * angle
        return (
            1.0 - square / 6.0 * (1.0 - square / 20.0),
            0.5 * (1.0 - square / 12.0 * (1.0 - square / 30.0)),
            (1.0 - square / 20.0 * (1.0 - square / 42.0)) / 6.0,
        )
    sine, cosine = math.sin(angle), math.cos(angle)
    return (
        sine / angle,
        (1.0 - cosine) / (angle * angle),
        (angle - sine) / (angle * angle * angle),
    )


@part
def transition(turn: Floats, step: float, made: Array) -> None:
    """Write the transition (6, 6) of (a, b - b̂) over a step; turn: ω̂ times the step [rad]."""
    x, y, z = turn
    one, two, three = coefficients(norm(turn))
    across = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    for i in range(3):
        for j in range(3):
            same = 1.0 if i == j else 0.0
            square = 0.0
            for k in range(3):
                square += across[i][k] * across[k][j]
            made[i, j] = same - one * across[i][j] + two * square
            made[i, 3 + j] = -step * (same - two * across[i][j] + three * square)
            made[3 + i, j] = 0.0
            made[3 + i, 3 + j] = same


@part
def propagate(
    estimate: Array, covariance: Array, omega_B: Floats, step: float, noise: Floats,
    spare: Array,
) -> None:  # fmt: skip
    """Advance estimate and covariance by a step with a reading of the gyroscope.

    estimate: of ESTIMATE;  covariance: (6, 6), or (9, 9) with the magnetometer's bias
    omega_B: reading (3,) in body axes, constant in the step [rad/s];  step: [s]
    noise: densities of rate noise [rad/√s], of the bias's walk [rad/s/√s], and of the walk of the
        magnetometer's bias [T/√s]
    spare: (3 * 9, 9) to write to
    """
    turn = scaled(step, subtracted(omega_B, three_at(estimate, GYRO_BIAS)))
    change = turning_of(turn)
    q = quaternion_product(
        estimate[0], estimate[1], estimate[2], estimate[3], change[0], change[1], change[2],
        change[3],
    )  # fmt: skip
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for k in range(4):
        estimate[k] = size * q[k]
    phi, half = spare[0:9], spare[9:18]
    transition(turn, step, phi)
    n = len(covariance)
    for i in range(6):
        for j in range(n):
            half[i, j] = 0.0
            for k in range(6):
                half[i, j] += phi[i, k] * covariance[k, j]
    for i in range(6):
        for j in range(6):
            covariance[i, j] = 0.0
            for k in range(6):
                covariance[i, j] += half[i, k] * phi[j, k]
        for j in range(6, n):
            covariance[i, j] = covariance[j, i] = half[i, j]
    angle, drift, offset = noise[0] * noise[0], noise[1] * noise[1], noise[2] * noise[2]
    for k in range(3):
        covariance[k, k] += step * (angle + drift * step * step / 3.0)
        covariance[3 + k, 3 + k] += drift * step
        covariance[k, 3 + k] -= 0.5 * drift * step * step
        covariance[3 + k, k] -= 0.5 * drift * step * step
        if n > OFFSET:
            covariance[OFFSET + k, OFFSET + k] += offset * step
    _make_symmetric(covariance)


@part
def surprise(covariance: Array, rows: Array, variances: Floats, residual: Floats) -> float:
    """Return the normalised innovation squared of a measurement: χ² of three degrees of freedom.

    rows: (3, n) its derivatives by the error state;  variances: of its components
    residual: measured minus expected (3,)
    """
    n = len(covariance)
    c00, c11, c22 = variances
    c01 = c02 = c12 = 0.0
    for i in range(n):
        a = b = c = 0.0
        for j in range(n):
            a += covariance[i, j] * rows[0, j]
            b += covariance[i, j] * rows[1, j]
            c += covariance[i, j] * rows[2, j]
        c00 += rows[0, i] * a
        c11 += rows[1, i] * b
        c22 += rows[2, i] * c
        c01 += rows[0, i] * b
        c02 += rows[0, i] * c
        c12 += rows[1, i] * c
    return dot(residual, symmetric_solved((c00, c11, c22, c01, c02, c12), residual))


@part
def take(
    estimate: Array, covariance: Array, rows: Array, variances: Floats, residual: Floats,
    spare: Array,
) -> None:  # fmt: skip
    """Correct estimate and covariance by a measurement of three uncorrelated components.

    Arguments as of `surprise`; spare: (3 * 9, 9) to write to
    """
    n = len(covariance)
    error, gain, kept, half = spare[0], spare[1], spare[9:18], spare[18:27]
    for j in range(n):
        error[j] = 0.0
    for m in range(3):
        size, left = variances[m], residual[m]
        for i in range(n):
            gain[i] = 0.0
            for j in range(n):
                gain[i] += covariance[i, j] * rows[m, j]
            size += rows[m, i] * gain[i]
            left -= rows[m, i] * error[i]
        for i in range(n):
            gain[i] /= size
            error[i] += gain[i] * left
        for i in range(n):
            for j in range(n):
                kept[i, j] = (1.0 if i == j else 0.0) - gain[i] * rows[m, j]
        for i in range(n):
            for j in range(n):
                half[i, j] = 0.0
                for k in range(n):
                    half[i, j] += kept[i, k] * covariance[k, j]
        for i in range(n):
            for j in range(n):
                covariance[i, j] = gain[i] * variances[m] * gain[j]
                for k in range(n):
                    covariance[i, j] += half[i, k] * kept[j, k]
        _make_symmetric(covariance)
    _move(estimate, error, n)


@part
def _move(estimate: Array, error: Array, n: int) -> None:
    """Move an error into the estimate, so that the error is 0 again."""
    change = turning_of(three_at(error, TURN))
    q = quaternion_product(
        estimate[0], estimate[1], estimate[2], estimate[3], change[0], change[1], change[2],
        change[3],
    )  # fmt: skip
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for k in range(4):
        estimate[k] = size * q[k]
    for k in range(3):
        estimate[GYRO_BIAS + k] += error[DRIFT + k]
        if n > OFFSET:
            estimate[FIELD_BIAS + k] += error[OFFSET + k]


@part
def _make_symmetric(covariance: Array) -> None:
    for i in range(len(covariance)):
        for j in range(i):
            mean = 0.5 * (covariance[i, j] + covariance[j, i])
            covariance[i, j] = covariance[j, i] = mean


@part
def attitude_rows(estimate: Array, q_BS: Floats, q_WS: Floats, rows: Array) -> Floats:
    """Write the rows of a measured attitude; return its residual, a rotation vector in S [rad].

    q_BS: mounting of the sensor;  q_WS: what it measured;  rows: (3, n), written
    """
    e = quaternion_product(
        estimate[0], estimate[1], estimate[2], estimate[3], q_BS[0], q_BS[1], q_BS[2], q_BS[3]
    )
    d = quaternion_product(e[0], -e[1], -e[2], -e[3], q_WS[0], q_WS[1], q_WS[2], q_WS[3])
    sine = norm((d[1], d[2], d[3]))
    sign = 1.0 if d[0] >= 0.0 else -1.0
    scale = 2.0 * sign
    if sine > NO_ANGLE:
        scale = 2.0 * math.atan2(sine, sign * d[0]) / sine * sign
    for m in range(3):
        for j in range(rows.shape[1]):
            rows[m, j] = 0.0
    for j in range(3):
        column = _in_sensor(
            q_BS, 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0
        )
        for m in range(3):
            rows[m, j] = column[m]
    return (scale * d[1], scale * d[2], scale * d[3])


@part
def vector_rows(
    estimate: Array, q_BS: Floats, v_W: Floats, v_S: Floats, biased: bool, rows: Array
) -> Floats:
    """Write the rows of a measured vector; return its residual, measured minus expected, in S.

    q_BS: mounting;  v_W: the vector in world axes;  v_S: as measured;  rows: (3, n), written
    biased: whether the magnetometer's bias is estimated, of which this is a reading
    """
    v_B = quaternion_sandwich(
        estimate[0], -estimate[1], -estimate[2], -estimate[3], v_W[0], v_W[1], v_W[2]
    )
    x, y, z = _in_sensor(q_BS, v_B[0], v_B[1], v_B[2])
    for m in range(3):
        for j in range(rows.shape[1]):
            rows[m, j] = 0.0
    for j in range(3):
        a, b, c = _in_sensor(
            q_BS, 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0
        )
        rows[0, j], rows[1, j], rows[2, j] = y * c - z * b, z * a - x * c, x * b - y * a
        if biased:
            rows[j, OFFSET + j] = 1.0
    if biased:
        x, y, z = (
            x + estimate[FIELD_BIAS],
            y + estimate[FIELD_BIAS + 1],
            z + estimate[FIELD_BIAS + 2],
        )
    return (v_S[0] - x, v_S[1] - y, v_S[2] - z)


@helper
def _in_sensor(q_BS: Floats, x: float, y: float, z: float) -> Floats:
    """Return a vector of body axes in the axes of a sensor."""
    return quaternion_sandwich(q_BS[0], -q_BS[1], -q_BS[2], -q_BS[3], x, y, z)
