# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of a multiplicative extended Kalman filter for attitude and gyroscope bias.

The true attitude is q_WB = q̂ ⊗ δq(a). a is a small rotation vector in body axes. The true rate is
ω = ω_m - b - η_v, the bias walks by db/dt = η_u. So the errors obey

    da/dt = -ω̂ × a - (b - b̂) - η_v

The error state is x = (a, b - b̂), with the errors of a magnetometer's bias after them if it is
estimated. Every measurement is taken component by component in axes where its noise is
uncorrelated; the covariance is updated in Joseph's form, which keeps it symmetric and positive.
All arrays are flat: a matrix (n, n) is n² numbers, row after row.

E. J. Lefferts, F. L. Markley, M. D. Shuster, J. Guidance 5 (1982) 417; F. L. Markley,
J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and Control (2014), sections
6.2 and 3.7; R. L. Farrenkopf, J. Guidance 1 (1978) 282 for the gyroscope's noise.
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
    four_at,
    norm,
    put,
    symmetric_solved,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# Errors of attitude, of the gyroscope's bias and of the magnetometer's; without the last: 6.
MOST_ERRORS = 9
# What is estimated: attitude, bias of the gyroscope in body axes [rad/s], bias of the magnetometer
# in its own axes [T]; then the covariance (n, n) of the n errors, in its first n² numbers.
ESTIMATE = Layout(q_WB=4, gyro_bias=3, field_bias=3, covariance=MOST_ERRORS**2)
GYRO_BIAS, FIELD_BIAS, COVARIANCE = ESTIMATE.places('gyro_bias', 'field_bias', 'covariance')
# Places of the errors in the error state.
TURN, DRIFT, OFFSET = 0, 3, 6
# Scratch memory that the functions here write to.
SCRATCH = 2 * MOST_ERRORS**2 + 2 * MOST_ERRORS
# Below this angle [rad] series replace sine and cosine; their next terms are below 1e-16.
SMALL_ANGLE = 1e-3
# Below this sine the ratio of an angle and its sine is 1.
NO_ANGLE = 1e-30
IDENTITY_ROWS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


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
def turned_on(estimate: Array, rotation: Floats) -> None:
    """Turn the attitude of an estimate by a rotation vector in body axes [rad]."""
    q, d = four_at(estimate, 0), turning_of(rotation)
    q = quaternion_product(q[0], q[1], q[2], q[3], d[0], d[1], d[2], d[3])
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    put(estimate, 0, (size * q[0], size * q[1], size * q[2], size * q[3]))


@part
def transition(turn: Floats, step: float, phi: Array) -> None:
    """Write the transition (6, 6) of (a, b - b̂) over a step; turn: of the body in it [rad]."""
    x, y, z = turn
    first, second, third = coefficients(norm(turn))
    across = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    for i in range(3):
        for j in range(3):
            same = 1.0 if i == j else 0.0
            square = 0.0
            for k in range(3):
                square += across[i][k] * across[k][j]
            phi[6 * i + j] = same - first * across[i][j] + second * square
            phi[6 * i + 3 + j] = -step * (same - second * across[i][j] + third * square)
            phi[6 * (3 + i) + j] = 0.0
            phi[6 * (3 + i) + 3 + j] = same


@part
def propagate(
    estimate: Array, n: int, turn: Floats, step: float, noise: Floats, scratch: Array
) -> None:
    """Advance an estimate by a step in which the gyroscope measured a turn.

    estimate: of ESTIMATE;  n: number of errors, 6 or 9
    turn: rotation vector of the body, without the bias [rad];  step: [s]
    noise: densities of rate noise [rad/√s], of the bias's walk [rad/s/√s], and of the walk of the
        magnetometer's bias [T/√s]
    scratch: (SCRATCH,) to write to
    """
    turned_on(estimate, turn)
    phi, half, P = scratch[0:36], scratch[36 : 36 + 6 * n], estimate[COVARIANCE:]
    transition(turn, step, phi)
    for i in range(6):
        for j in range(n):
            value = 0.0
            for k in range(6):
                value += phi[6 * i + k] * P[n * k + j]
            half[n * i + j] = value
    for i in range(6):
        for j in range(6):
            value = 0.0
            for k in range(6):
                value += half[n * i + k] * phi[6 * j + k]
            P[n * i + j] = value
        for j in range(6, n):
            P[n * i + j] = P[n * j + i] = half[n * i + j]
    angle, drift, offset = noise[0] * noise[0], noise[1] * noise[1], noise[2] * noise[2]
    for k in range(3):
        P[n * k + k] += step * (angle + drift * step * step / 3.0)
        P[n * (3 + k) + 3 + k] += drift * step
        P[n * k + 3 + k] -= 0.5 * drift * step * step
        P[n * (3 + k) + k] -= 0.5 * drift * step * step
        if n > OFFSET:
            P[n * (OFFSET + k) + OFFSET + k] += offset * step
    make_symmetric(P, n)


@part
def surprise(estimate: Array, n: int, rows: Array, variances: Floats, residual: Floats) -> float:
    """Return the normalised innovation squared of a measurement.

    rows: (3, n) derivatives of its components by the error state; zeros for a component that it
        does not have
    variances: of its components, positive;  residual: measured minus expected (3,)
    """
    P = estimate[COVARIANCE:]
    c00, c11, c22 = variances
    c01 = c02 = c12 = 0.0
    for i in range(n):
        a = b = c = 0.0
        for j in range(n):
            a += P[n * i + j] * rows[j]
            b += P[n * i + j] * rows[n + j]
            c += P[n * i + j] * rows[2 * n + j]
        c00 += rows[i] * a
        c11 += rows[n + i] * b
        c22 += rows[2 * n + i] * c
        c01 += rows[i] * b
        c02 += rows[i] * c
        c12 += rows[n + i] * c
    return dot(residual, symmetric_solved((c00, c11, c22, c01, c02, c12), residual))


@part
def take(
    estimate: Array, n: int, rows: Array, variances: Floats, residual: Floats, scratch: Array
) -> None:
    """Correct an estimate by a measurement of up to three uncorrelated components.

    Arguments as of `surprise`; scratch: (SCRATCH,) to write to
    """
    P, m = estimate[COVARIANCE:], MOST_ERRORS
    error, gain = scratch[0:m], scratch[m : 2 * m]
    kept, half = scratch[2 * m : 2 * m + m * m], scratch[2 * m + m * m :]
    for j in range(n):
        error[j] = 0.0
    for c in range(3):
        h, size, left = rows[n * c : n * c + n], variances[c], residual[c]
        for i in range(n):
            value = 0.0
            for j in range(n):
                value += P[n * i + j] * h[j]
            gain[i] = value
            size += h[i] * value
            left -= h[i] * error[i]
        for i in range(n):
            gain[i] /= size
            error[i] += gain[i] * left
            for j in range(n):
                kept[n * i + j] = (1.0 if i == j else 0.0) - gain[i] * h[j]
        for i in range(n):
            for j in range(n):
                value = 0.0
                for k in range(n):
                    value += kept[n * i + k] * P[n * k + j]
                half[n * i + j] = value
        for i in range(n):
            for j in range(n):
                value = gain[i] * variances[c] * gain[j]
                for k in range(n):
                    value += half[n * i + k] * kept[n * j + k]
                P[n * i + j] = value
        make_symmetric(P, n)
    turned_on(estimate, three_at(error, TURN))
    for k in range(3):
        estimate[GYRO_BIAS + k] += error[DRIFT + k]
        if n > OFFSET:
            estimate[FIELD_BIAS + k] += error[OFFSET + k]


@part
def make_symmetric(P: Array, n: int) -> None:
    """Replace a matrix (n, n) by the mean of it and its transpose."""
    for i in range(n):
        for j in range(i):
            mean = 0.5 * (P[n * i + j] + P[n * j + i])
            P[n * i + j] = P[n * j + i] = mean


@part
def attitude_rows(estimate: Array, n: int, q_BS: Floats, q_WS: Floats, rows: Array) -> Floats:
    """Write the rows of a measured attitude; return its residual, a rotation vector in S [rad].

    q_BS: mounting of the sensor;  q_WS: what it measured;  rows: (3, n), written
    """
    q = four_at(estimate, 0)
    e = quaternion_product(q[0], q[1], q[2], q[3], q_BS[0], q_BS[1], q_BS[2], q_BS[3])
    d = quaternion_product(e[0], -e[1], -e[2], -e[3], q_WS[0], q_WS[1], q_WS[2], q_WS[3])
    sine = norm((d[1], d[2], d[3]))
    sign = 1.0 if d[0] >= 0.0 else -1.0
    scale = 2.0 * sign
    if sine > NO_ANGLE:
        scale = 2.0 * math.atan2(sine, sign * d[0]) / sine * sign
    _clear(rows, n)
    for j in range(3):
        column = in_sensor(q_BS, IDENTITY_ROWS[j])
        for m in range(3):
            rows[n * m + j] = column[m]
    return (scale * d[1], scale * d[2], scale * d[3])


@part
def vector_rows(estimate: Array, n: int, q_BS: Floats, v_W: Floats, rows: Array) -> Floats:
    """Write the rows of a vector that a sensor measures; return the vector expected in S.

    q_BS: mounting;  v_W: the vector in world axes;  rows: (3, n), written
    """
    q = four_at(estimate, 0)
    v_B = quaternion_sandwich(q[0], -q[1], -q[2], -q[3], v_W[0], v_W[1], v_W[2])
    x, y, z = in_sensor(q_BS, v_B)
    _clear(rows, n)
    for j in range(3):
        a, b, c = in_sensor(q_BS, IDENTITY_ROWS[j])
        rows[j], rows[n + j], rows[2 * n + j] = y * c - z * b, z * a - x * c, x * b - y * a
    return x, y, z


@part
def _clear(rows: Array, n: int) -> None:
    for k in range(3 * n):
        rows[k] = 0.0


@helper
def in_sensor(q_BS: Floats, v_B: Floats) -> Floats:
    """Return a vector of body axes in the axes of a sensor."""
    return quaternion_sandwich(q_BS[0], -q_BS[1], -q_BS[2], -q_BS[3], v_B[0], v_B[1], v_B[2])
