# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Constants of a free rigid body's motion, from its angular momentum in principal axes P.

In order: sixteen coefficients of the two theta functions; the argument: its value at t = 0, its
rate, the inverse of the period (0: not reduced) and the period; the rate of the phase and its jump
at each period; 1 if hyperbolic; the quaternion from the frame of L to the world; the quaternion
from P (or, in free_motion.py, from the body) to the axes E. See free_motion.py.
"""

import math

import numpy as np

from spacecraft_attitude_sim.core.equations.shared.theta_series import (
    HYPERBOLIC_BELOW,
    circular_series,
    cubic,
    hyperbolic_series,
)
from spacecraft_attitude_sim.core.mathematics import double_double
from spacecraft_attitude_sim.core.mathematics.double_double import DoubleDoubles
from spacecraft_attitude_sim.core.mathematics.elliptic import carlson_rf, complete_integral
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_from_matrix,
    quaternion_product,
)
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined

# A parameter this near 0 or 1 equals its limit in doubles, and keeps the quarter periods finite.
SMALLEST_PARAMETER = 1e-300
# The hyperbolic functions have long reached their limit here, and their squares do not overflow.
LARGEST_ARGUMENT = 300.0
# Below this, ω × I ω over 2 E changes nothing in any time; its square still does not underflow.
SMALLEST_TUMBLE = 1e-120


@compiled
def constants(q_WP: Floats, m: DoubleDoubles, moments: Floats) -> Floats:
    """Return the 31 constants of the free motion, the last four q_EP instead of q_EB.

    q_WP: four floats;  moments: three floats [kg m^2]
    m: angular momentum in principal axes, three double-double numbers [N m s]
    """
    size = math.sqrt(m[0][0] * m[0][0] + m[1][0] * m[1][0] + m[2][0] * m[2][0])
    if tumbles(m, moments, size):
        i1, i2, i3, clearance = roles(m, moments)
        scale = 1.0 / size
        series, clock, phase_rate, phase_jump, kind = tumbling(
            scale * m[i1][0], axis_sign(i1, i2, m[i3][0]) * scale * m[i2][0],
            scale * abs(m[i3][0]), moments[i1], moments[i2], moments[i3],
            scale * scale * clearance, size,
        )  # fmt: skip
        q_EP = axes_quaternion(i1, i2, i3, axis_sign(i1, i2, m[i3][0]), m[i3][0])
    else:
        series = (1.0,) + 15 * (0.0,)
        clock, phase_jump, kind = (0.0, 0.0, 0.0, 0.0), 0.0, 0.0
        phase_rate, q_EP = spinning(m, moments)
    k = series + clock + (phase_rate, phase_jump, kind)
    w, x, y, z = between_axes(k, 0.0)
    w, x, y, z = quaternion_product(w, x, y, z, q_EP[0], q_EP[1], q_EP[2], q_EP[3])
    space = quaternion_product(q_WP[0], q_WP[1], q_WP[2], q_WP[3], w, -x, -y, -z)
    w, x, y, z = space
    s = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return k + (s * w, s * x, s * y, s * z) + q_EP


@inlined
def between_axes(k: Floats, t: float) -> Floats:
    """Return the rotation from the axes E to the frame of L as four floats."""
    argument = k[16] + k[17] * t
    turns = math.floor(0.5 + k[18] * argument)
    argument -= k[19] * turns
    if k[22] > 0.0:
        argument = min(max(argument, -LARGEST_ARGUMENT), LARGEST_ARGUMENT)
        growing = math.exp(argument)
        cosine, sine = 0.5 * (growing + 1.0 / growing), 0.5 * (growing - 1.0 / growing)
        a_cosine, a_sine = cosine, sine
        if turns % 2.0 != 0.0:
            sine, cosine = -sine, -cosine
    else:
        cosine, sine = math.cos(argument), math.sin(argument)
        a_cosine, a_sine = 1.0, 2.0 * sine * cosine
    double = 2.0 * cosine * cosine - 1.0
    a_re, a_im = a_cosine * cubic(k, 0, double), a_sine * cubic(k, 4, double)
    b_re, b_im = sine * cubic(k, 8, double), cosine * cubic(k, 12, double)
    phase = k[20] * t - k[21] * turns
    f, g = math.cos(phase), math.sin(phase)
    s = 1.0 / math.sqrt(a_re * a_re + a_im * a_im + b_re * b_re + b_im * b_im)
    f, g = s * f, s * g
    return a_re * f - a_im * g, b_re * f - b_im * g, b_re * g + b_im * f, a_re * g + a_im * f


@inlined
def tumbles(m: DoubleDoubles, moments: Floats, size: float) -> bool:
    """Return whether ω × I ω differs from zero: the rotation is not steady."""
    a, b, c = m[0][0], m[1][0], m[2][0]
    x, y, z = moments
    largest = max(abs(a * b * (x - y)), abs(b * c * (y - z)), abs(c * a * (z - x)))
    return largest > SMALLEST_TUMBLE * size * size * max(x, y, z)


@inlined
def spinning(m: DoubleDoubles, moments: Floats) -> tuple[float, Floats]:
    """Return half the rate of a steady rotation [rad/s] and q_EP with its axis along e3."""
    x, y, z = m[0][0] / moments[0], m[1][0] / moments[1], m[2][0] / moments[2]
    rate = math.copysign(math.sqrt(x * x + y * y + z * z), z)
    if rate == 0.0:
        return 0.0, (1.0, 0.0, 0.0, 0.0)
    x, y, z = x / rate, y / rate, z / rate
    s = 1.0 / math.sqrt(2.0 + 2.0 * z)
    return 0.5 * rate, (s * (1.0 + z), s * y, -s * x, 0.0)


@inlined
def roles(m: DoubleDoubles, moments: Floats) -> tuple[int, int, int, float]:
    """Return which principal axes are e1, e2, e3, and |L² - 2 E I2| [(N m s)^2].

    e3 is the axis L circles: that of the largest moment when L² > 2 E I2, else of the smallest.
    e2 has the intermediate moment.
    """
    i1, i2, i3 = 0, 1, 2
    if moments[i1] > moments[i2]:
        i1, i2 = i2, i1
    if moments[i2] > moments[i3]:
        i2, i3 = i3, i2
    if moments[i1] > moments[i2]:
        i1, i2 = i2, i1
    low = double_double.two_sum(moments[i2], -moments[i1])
    high = double_double.two_sum(moments[i3], -moments[i2])
    about_high = double_double.multiply(double_double.multiply(m[i3], m[i3]), high)
    about_low = double_double.multiply(double_double.multiply(m[i1], m[i1]), low)
    about_high = double_double.multiply(about_high, (moments[i1], 0.0))
    about_low = double_double.multiply(about_low, (moments[i3], 0.0))
    clearance = double_double.subtract(about_high, about_low)[0] / (moments[i1] * moments[i3])
    if clearance < 0.0:
        return i3, i2, i1, -clearance
    return i1, i2, i3, clearance


@inlined
def axis_sign(i1: int, i2: int, along: float) -> float:
    """Return the sign of e2 that makes e1, e2, e3 right-handed, e3 along L's component `along`."""
    parity = 1.0 if i2 == (i1 + 1) % 3 else -1.0
    return math.copysign(parity, parity * along)


@inlined
def axes_quaternion(i1: int, i2: int, i3: int, sign: float, along: float) -> Floats:
    """Return q_EP (four floats) of the axes E: e1 = P axis i1, e2 = ± axis i2, e3 = ± axis i3."""
    c = np.zeros(9)
    c[i1] = 1.0
    c[3 + i2] = sign
    c[6 + i3] = math.copysign(1.0, along)
    return quaternion_from_matrix(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])


@inlined
def tumbling(
    a: float,
    b: float,
    c: float,
    moment_1: float,
    moment_2: float,
    moment_3: float,
    clearance: float,
    size: float,
) -> tuple[Floats, Floats, float, float, float]:
    """Return series, argument, phase rate, phase jump and kind (1: hyperbolic) of a tumble.

    a, b, c: components of L / |L| in E, c >= 0;  moment_i: of axis e_i, ascending or descending
    clearance: |1 - 2 E I2 / L²|;  size: |L| [N m s]
    """
    sense = 1.0 if moment_3 > moment_1 else -1.0
    d21, d32, d31 = abs(moment_2 - moment_1), abs(moment_3 - moment_2), abs(moment_3 - moment_1)
    # |L² - 2 E I3| / L² and |L² - 2 E I1| / L², as sums of non-negative terms.
    off = a * a * d31 / moment_1 + b * b * d32 / moment_2
    on = b * b * d21 / moment_2 + c * c * d31 / moment_3
    A1, A3 = math.sqrt(off * moment_1 / d31), math.sqrt(on * moment_3 / d31)
    A2 = math.sqrt(off * moment_2 / d32)
    m = max(off * d21 / (on * d32), SMALLEST_PARAMETER)
    m_c = max(clearance * d31 / (on * d32), SMALLEST_PARAMETER)
    K, K_c = complete_integral(m_c), complete_integral(m)
    u0 = phase(a / A1, sense * b / A2, c / A3, K)
    rate = size * math.sqrt(on * d32 / (moment_1 * moment_2 * moment_3))
    square = moment_3 * d21 / (moment_2 * d31)
    pole = A1 / A2 * carlson_rf(square, square + m * A1 * A1 / (A2 * A2), 1.0)
    precession = 0.5 * size / moment_3 * (1.0 + sense * off / (1.0 + A3))
    if m_c < HYPERBOLIC_BELOW:
        k = hyperbolic_series(K, K_c, pole, sense)
        per_u, period = 0.25 * math.pi / K_c, 0.5 * math.pi * K / K_c
        clock = (per_u * u0, per_u * rate, 1.0 / period if clearance > 0.0 else 0.0, period)
        ratio = -A1 / (1.0 + A3) * cubic(k, 0, 1.0) / cubic(k, 12, 1.0)
        drift = clock[1] * cubic(k, 4, 1.0) / cubic(k, 0, 1.0)
        return scaled(k, ratio), clock, precession - drift, sense * 2.0 * per_u * pole, 1.0
    k = circular_series(K, K_c, pole, sense)
    per_u = 0.5 * math.pi / K
    clock = (per_u * u0, per_u * rate, 0.0, 0.0)
    ratio = sense * A2 / (1.0 + A3 * math.sqrt(m_c)) * cubic(k, 0, -1.0) / cubic(k, 8, -1.0)
    drift = clock[1] * 2.0 * cubic(k, 4, 1.0) / cubic(k, 0, 1.0)
    return scaled(k, ratio), clock, precession - drift, 0.0, 0.0


@inlined
def phase(cosine: float, sine: float, delta: float, K: float) -> float:
    """Return the argument u, -2K to 2K, with this cn (cosine), sn (sine) and dn (delta > 0)."""
    u = sine * carlson_rf(cosine * cosine, delta * delta, 1.0)
    return math.copysign(2.0 * K, u) - u if cosine < 0.0 else u


@inlined
def scaled(k: Floats, ratio: float) -> Floats:
    """Return the sixteen coefficients with those of θ1 multiplied by a ratio."""
    return k[:8] + (
        ratio * k[8], ratio * k[9], ratio * k[10], ratio * k[11],
        ratio * k[12], ratio * k[13], ratio * k[14], ratio * k[15],
    )  # fmt: skip
