# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of a multiplicative extended Kalman filter for attitude and gyroscope bias.

The true attitude is q_WB = q̂ ⊗ δq(a). a is a small rotation vector in body axes. The true rate is
ω = ω_m - b - η_v, the bias walks by db/dt = η_u. So the errors obey

    da/dt = -ω̂ × a - (b - b̂) - η_v

The error state is x = (a, b - b̂). On request others follow: the magnetometer's bias, the errors of
the gyroscope's axes, and the mountings of sensors. With the errors M of the axes, scale factors on
the diagonal and misalignments beside it, the gyroscope measures (I + M) ω + b + η_v, so

    ω = A (ω_m - b - η_v),  A = (I + M)⁻¹        da/dt = -ω̂ × a - A (b - b̂) - A (M - M̂) ω̂ - A η_v

A sensor is mounted by q_BS ⊗ δq(m) with a small rotation vector m in its axes.

The noise of one reading of the gyroscope acts in three intervals: reading_noise.

Every measurement is taken component by component in axes where its noise is uncorrelated; the
covariance is updated in Joseph's form, which keeps it symmetric and positive. All arrays are flat:
a matrix (n, n) is n² numbers, row after row.

E. J. Lefferts, F. L. Markley, M. D. Shuster, J. Guidance 5 (1982) 417; F. L. Markley,
J. L. Crassidis, Fundamentals of Spacecraft Attitude Determination and Control (2014), sections
6.2 and 3.7; R. L. Farrenkopf, J. Guidance 1 (1978) 282 for the gyroscope's noise; M. E. Pittelkau,
J. Guidance 24 (2001) 1187 for axes and mountings.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    four_at,
    norm,
    put,
    scaled,
    symmetric_solved,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# What is estimated: attitude, bias of the gyroscope in body axes [rad/s], bias of the magnetometer
# in its own axes [T], errors (3, 3) of the gyroscope's axes in its own axes; then the covariance
# (n, n) of the n errors, then the mounting q_BS (4,) of each sensor of which it is estimated. Then
# the covariance (n, 9) of the errors and the noise of three readings of the gyroscope, the next
# one first, and the variances (3,) of these readings.
ESTIMATE = Layout(q_WB=4, gyro_bias=3, field_bias=3, gyro_axes=9)
GYRO_BIAS, FIELD_BIAS, GYRO_AXES = ESTIMATE.places('gyro_bias', 'field_bias', 'gyro_axes')
COVARIANCE = ESTIMATE.size
# Places of the errors in the error state; those of Places come behind.
TURN, DRIFT, OFFSET = 0, 3, 6
# Readings of the gyroscope whose noise still acts: the next one, the latest, and the one before.
READINGS = 3
# Below this angle [rad] series replace sine and cosine; their next terms are below 1e-16.
SMALL_ANGLE = 1e-3
# Below this sine the ratio of an angle and its sine is 1.
NO_ANGLE = 1e-30
# Least volume that the axes of a gyroscope span; of axes at right angles 1. An estimate of less is
# none, but it must not divide by 0.
LEAST_VOLUME = 0.1
IDENTITY_ROWS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Places(NamedTuple):
    """Where the errors that are estimated on request stand in the error state.

    The magnetometer's bias is at OFFSET, if `axes` is behind it.
    axes: of the errors of the gyroscope's axes, if `mountings` is behind it, row by row
    mountings: of the first sensor's rotation vector, three each;  n: number of all errors
    """

    axes: int
    mountings: int
    n: int

    @staticmethod
    def of(field: bool, axes: bool, mountings: int) -> Places:
        """Return the Places of what is estimated; mountings: number of sensors."""
        first = OFFSET + 3 * field
        behind = first + 9 * axes
        return Places(first, behind, behind + 3 * mountings)

    @property
    def size(self) -> int:
        """Number of floats of an estimate."""
        return self.noises + READINGS * (3 * self.n + 1)

    @property
    def noises(self) -> int:
        """Where the covariance with the noise of readings begins in an estimate."""
        return noises_at(self)

    @property
    def variances(self) -> int:
        """Where the variances of the readings begin in an estimate."""
        return self.noises + 3 * READINGS * self.n

    @property
    def scratch(self) -> int:
        """Number of floats that the functions here write to."""
        return 2 * self.n**2 + 2 * self.n + 90


@helper
def noises_at(places: Places) -> int:
    """Return Places.noises, also in compiled code."""
    n = places[2]
    return COVARIANCE + n * n + 4 * ((n - places[1]) // 3)


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
def turned_on(estimate: Array, place: int, rotation: Floats) -> None:
    """Turn a quaternion of an estimate by a rotation vector in the axes that it turns [rad]."""
    q, d = four_at(estimate, place), turning_of(rotation)
    q = quaternion_product(q[0], q[1], q[2], q[3], d[0], d[1], d[2], d[3])
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    put(estimate, place, (size * q[0], size * q[1], size * q[2], size * q[3]))


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
def without_axes(estimate: Array, q_BS: Floats, omega_B: Floats) -> Floats:
    """Return a measured rate without the errors of the gyroscope's axes: C A Cᵀ times it.

    q_BS: mounting of the gyroscope;  omega_B: without the bias [rad/s]
    """
    x, y, z = in_sensor(q_BS, omega_B)
    a, b, c = (
        three_at(estimate, GYRO_AXES),
        three_at(estimate, GYRO_AXES + 3),
        three_at(estimate, GYRO_AXES + 6),
    )
    a, b, c = (1.0 + a[0], a[1], a[2]), (b[0], 1.0 + b[1], b[2]), (c[0], c[1], 1.0 + c[2])
    p, q, r = cross(b, c), cross(c, a), cross(a, b)
    whole = 1.0 / max(dot(a, p), LEAST_VOLUME)
    v = scaled(whole, added(added(scaled(x, p), scaled(y, q)), scaled(z, r)))
    return quaternion_sandwich(q_BS[0], q_BS[1], q_BS[2], q_BS[3], v[0], v[1], v[2])


@part
def transition_of_axes(
    estimate: Array, q_BS: Floats, turn: Floats, step: float, phi: Array, axes: Array
) -> None:
    """Write the transition (3, 9) of a by M - M̂, and take A into that by b - b̂.

    phi: (6, 6) of `transition`;  the rest as of `propagate`
    """
    omega_S = in_sensor(q_BS, scaled(1.0 / step, turn))
    for i in range(3):
        x, y, z = three_at(phi, 6 * i + 3)
        for r in range(3):
            a, b, c = without_axes(estimate, q_BS, IDENTITY_ROWS[r])
            phi[6 * i + 3 + r] = x * a + y * b + z * c
        row_S = in_sensor(q_BS, three_at(phi, 6 * i + 3))
        for r in range(3):
            for c in range(3):
                axes[9 * i + 3 * r + c] = row_S[r] * omega_S[c]


@part
def propagate(
    estimate: Array,
    places: Places,
    turn: Floats,
    step: float,
    noise: Floats,
    q_BS: Floats,
    scratch: Array,
) -> None:
    """Advance an estimate by a step in which the gyroscope measured a turn.

    estimate: of ESTIMATE and what follows it
    turn: rotation vector of the body, without the errors of the gyroscope [rad];  step: [s]
    noise: densities of rate noise [rad/√s], of the bias's walk [rad/s/√s], and of the walk of the
        magnetometer's bias [T/√s]
    q_BS: mounting of the gyroscope;  scratch: (places.scratch,) to write to
    """
    first, behind, n = places
    turned_on(estimate, 0, turn)
    phi, axes, half = scratch[0:36], scratch[36:90], scratch[90 : 90 + 6 * n]
    P, number = estimate[COVARIANCE:], behind - first
    transition(turn, step, phi)
    if number > 0:
        for k in range(54):
            axes[k] = 0.0
        transition_of_axes(estimate, q_BS, turn, step, phi, axes)
    for i in range(6):
        for j in range(n):
            value = 0.0
            for k in range(6):
                value += phi[6 * i + k] * P[n * k + j]
            for k in range(number):
                value += axes[9 * i + k] * P[n * (first + k) + j]
            half[n * i + j] = value
    for i in range(6):
        for j in range(6):
            value = 0.0
            for k in range(6):
                value += half[n * i + k] * phi[6 * j + k]
            for k in range(number):
                value += half[n * i + first + k] * axes[9 * j + k]
            P[n * i + j] = value
        for j in range(6, n):
            P[n * i + j] = P[n * j + i] = half[n * i + j]
    angle, drift, offset = noise[0] * noise[0], noise[1] * noise[1], noise[2] * noise[2]
    for k in range(3):
        P[n * k + k] += step * (angle + drift * step * step / 3.0)
        P[n * (3 + k) + 3 + k] += drift * step
        P[n * k + 3 + k] -= 0.5 * drift * step * step
        P[n * (3 + k) + k] -= 0.5 * drift * step * step
        if first > OFFSET:
            P[n * (OFFSET + k) + OFFSET + k] += offset * step
    make_symmetric(P, n)


@part
def surprise(estimate: Array, n: int, rows: Array, variances: Floats, residual: Floats) -> float:
    """Return the normalised innovation squared of a measurement.

    n: number of errors
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
    estimate: Array,
    places: Places,
    rows: Array,
    variances: Floats,
    residual: Floats,
    scratch: Array,
) -> None:
    """Correct an estimate by a measurement of up to three uncorrelated components.

    Arguments as of `surprise`; scratch: (places.scratch,) to write to
    """
    n, P = places[2], estimate[COVARIANCE:]
    error, gain = scratch[0:n], scratch[n : 2 * n]
    kept, half = scratch[2 * n : 2 * n + n * n], scratch[2 * n + n * n :]
    C = estimate[noises_at(places) :]
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
        part_from_noise(C, n, h, gain)
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
    correct(estimate, places, error)


@part
def part_from_noise(C: Array, n: int, h: Array, gain: Array) -> None:
    """Correct the covariance (n, 9) with the noise of readings: C ← (I - K h) C."""
    for j in range(9):
        value = 0.0
        for i in range(n):
            value += h[i] * C[9 * i + j]
        for i in range(n):
            C[9 * i + j] -= gain[i] * value


@part
def correct(estimate: Array, places: Places, error: Array) -> None:
    """Add an error state (n,) to an estimate."""
    first, behind, n = places
    turned_on(estimate, 0, three_at(error, TURN))
    for k in range(3):
        estimate[GYRO_BIAS + k] += error[DRIFT + k]
        if first > OFFSET:
            estimate[FIELD_BIAS + k] += error[OFFSET + k]
    for k in range(behind - first):
        estimate[GYRO_AXES + k] += error[first + k]
    for k in range((n - behind) // 3):
        turned_on(estimate, COVARIANCE + n * n + 4 * k, three_at(error, behind + 3 * k))


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


@part
def mounting_rows(n: int, place: int, v_S: Floats, rows: Array) -> None:
    """Add to the rows of a vector those of the sensor's mounting, at a place in the error state.

    v_S: the vector expected in S
    """
    for j in range(3):
        column = cross(v_S, IDENTITY_ROWS[j])
        for m in range(3):
            rows[n * m + place + j] = column[m]


@helper
def in_sensor(q_BS: Floats, v_B: Floats) -> Floats:
    """Return a vector of body axes in the axes of a sensor."""
    return quaternion_sandwich(q_BS[0], -q_BS[1], -q_BS[2], -q_BS[3], v_B[0], v_B[1], v_B[2])
