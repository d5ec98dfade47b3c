# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum form by RK4 without torque: what momentum.py does when coasting.

L is constant there. The world is first turned so that L lies along ±z of axes A. Then q* ∘ L ∘ q
needs one row of a matrix; RK4 gives the same in any axes. q is not normalised after each step:
its rate is divided by |q|² instead, which is the same rotation without the latency of a square
root. The operations are in the order in which fewest wait for another.
"""

import math

from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper


@helper
def aligned(L: Floats) -> tuple[Floats, float]:
    """Return the quaternion r_AW, four floats, and L's component along z of A, ±|L|."""
    size = math.sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2])
    along = math.copysign(size, L[2])
    sign = math.copysign(1.0, L[2])
    # Where L is zero any axes will do.
    w = size + abs(L[2]) if size > 0.0 else 1.0
    x, y = (sign * L[1], -sign * L[0]) if size > 0.0 else (0.0, 0.0)
    s = 1.0 / math.sqrt(w * w + x * x + y * y)
    return (s * w, s * x, s * y, 0.0), along


@helper
def rates_per_step(along: float, h: float, body: Floats) -> Floats:
    """Return h L / I about the principal axes, three floats, the third halved; for `step`."""
    f = h * along
    return (f * body[1], f * body[2], 0.5 * f * body[3])


@helper
def increment(q: Floats, g: Floats) -> Floats:
    """Return |q|² ½ q ∘ ω h, four floats; q: in axes A;  g: of rates_per_step."""
    q0, q1, q2, q3 = q
    a0 = g[0] * (q1 * q3 - q0 * q2)
    a1 = g[1] * (q2 * q3 + q0 * q1)
    a2 = g[2] * ((q0 * q0 + q3 * q3) - (q1 * q1 + q2 * q2))
    return (
        -q1 * a0 - (q2 * a1 + q3 * a2),
        q0 * a0 + (q2 * a2 - q3 * a1),
        q0 * a1 + (q3 * a0 - q1 * a2),
        q0 * a2 + (q1 * a1 - q2 * a0),
    )


@helper
def sum_of(a: Floats, b: Floats) -> Floats:
    """Return a + b of four floats."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


@helper
def step(q: Floats, g: Floats) -> Floats:
    """Return q one classical Runge-Kutta step later; its norm drifts, which has no effect."""
    s = 1.0 / ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]))
    whole = (s * g[0], s * g[1], s * g[2])
    half = (0.5 * whole[0], 0.5 * whole[1], 0.5 * whole[2])
    k1 = increment(q, (0.5 * g[0], 0.5 * g[1], 0.5 * g[2]))
    k1 = (s * k1[0], s * k1[1], s * k1[2], s * k1[3])
    k2 = increment(sum_of(q, k1), half)
    k3 = increment(sum_of(q, k2), whole)
    k4 = increment(sum_of(q, k3), whole)
    third, sixth = 1.0 / 3.0, 1.0 / 6.0
    return (
        q[0] + (third * (k1[0] + 2.0 * k2[0] + k3[0]) + sixth * k4[0]),
        q[1] + (third * (k1[1] + 2.0 * k2[1] + k3[1]) + sixth * k4[1]),
        q[2] + (third * (k1[2] + 2.0 * k2[2] + k3[2]) + sixth * k4[2]),
        q[3] + (third * (k1[3] + 2.0 * k2[3] + k3[3]) + sixth * k4[3]),
    )


@helper
def begin(y: Floats, h: float, body: Floats) -> tuple[Floats, Floats, Floats]:
    """Return q in axes A, `rates_per_step`, and r_AW; y is in principal axes."""
    r, along = aligned((y[10], y[11], y[12]))
    q = quaternion_product(r[0], r[1], r[2], r[3], y[3], y[4], y[5], y[6])
    return q, rates_per_step(along, h, body), r


@helper
def end(y: Floats, q: Floats, r: Floats, duration: float, body: Floats, wrench: Floats) -> Floats:
    """Return y after `duration`, thirteen floats: q normalised, x and p under a constant force."""
    q0, q1, q2, q3 = quaternion_product(r[0], -r[1], -r[2], -r[3], q[0], q[1], q[2], q[3])
    s = 1.0 / math.sqrt((q0 * q0 + q1 * q1) + (q2 * q2 + q3 * q3))
    f, d, half = body[0] * duration, duration, 0.5 * duration
    return (
        y[0] + f * (y[7] + half * wrench[6]),
        y[1] + f * (y[8] + half * wrench[7]),
        y[2] + f * (y[9] + half * wrench[8]),
        s * q0, s * q1, s * q2, s * q3,
        y[7] + d * wrench[6], y[8] + d * wrench[7], y[9] + d * wrench[8],
        y[10], y[11], y[12],
    )  # fmt: skip
