# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Series of the two theta functions that give the attitude of a free rigid body.

Each of the real and imaginary parts of θ4(x - iη) and θ1(x - iη) is a cosine or sine times a cubic
in the cosine of the double angle. Here are the coefficients, from the quarter periods K and K' and
the point b where dn(ib) = 1 / A3, η = π b / 2K. See free_motion.py.
"""

import math

from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import inlined

# 1 - m below which the hyperbolic series converge faster: at (√2 - 1)^4 both nomes are e^-π.
HYPERBOLIC_BELOW = (math.sqrt(2.0) - 1.0) ** 4


@inlined
def cubic(k: Floats, start: int, z: float) -> float:
    """Return the cubic in z whose coefficients, lowest first, are k[start] to k[start + 3]."""
    return k[start] + z * (k[start + 1] + z * (k[start + 2] + z * k[start + 3]))


@inlined
def even_family(t0: float, t1: float, t2: float, t3: float) -> Floats:
    """Return the cubic in cos 2x that is Σ t_n cos (2n+1)x / cos x."""
    return t0 - t1 - t2 + t3, 2.0 * t1 - 2.0 * t2 - 4.0 * t3, 4.0 * t2 - 4.0 * t3, 8.0 * t3


@inlined
def odd_family(t0: float, t1: float, t2: float, t3: float) -> Floats:
    """Return the cubic in cos 2x that is Σ t_n sin (2n+1)x / sin x."""
    return t0 + t1 - t2 - t3, 2.0 * t1 + 2.0 * t2 - 4.0 * t3, 4.0 * t2 + 4.0 * t3, 8.0 * t3


@inlined
def circular_series(K: float, K_c: float, b: float, sense: float) -> Floats:
    """Return the sixteen coefficients of θ4 and of θ1 e^-η in x; θ4 by sine over sin 2x.

    Written in r = e^(-πK'/K), g = r e^(2η) <= 1 and e = e^(-2η); none of these overflows.
    """
    r = math.exp(-math.pi * K_c / K)
    g = math.exp(-math.pi * (K_c - b) / K)
    e = math.exp(-math.pi * b / K)
    r2, g2, e2 = r * r, g * g, e * e
    r4, g3, e3 = r2 * r2, g2 * g, e2 * e
    r6 = r4 * r2
    up1, down1 = r * g, r2 * e
    up2, down2 = r6 * g2, r6 * r2 * e2
    up3, down3 = r6 * r6 * r2 * r * g3, r6 * r6 * r6 * e3
    c1, c2, c3 = -(up1 + down1), up2 + down2, -(up3 + down3)
    s1, s2, s3 = -sense * (up1 - down1), sense * (up2 - down2), -sense * (up3 - down3)
    up1, down1 = -r2 * r * g, -r4 * e2
    up2, down2 = r6 * r4 * g2, r6 * r6 * e3
    up3, down3 = -r6 * r6 * r6 * r2 * r * g3, -r6 * r6 * r6 * r6 * e2 * e2
    sines = odd_family(1.0 + e, up1 + down1, up2 + down2, up3 + down3)
    cosines = even_family(
        -sense * (1.0 - e), -sense * (up1 - down1), -sense * (up2 - down2), -sense * (up3 - down3)
    )
    return (
        (1.0 - c2, c1 - 3.0 * c3, 2.0 * c2, 4.0 * c3)
        + (s1 - s3, 2.0 * s2, 4.0 * s3, 0.0)
        + sines
        + cosines
    )


@inlined
def hyperbolic_series(K: float, K_c: float, b: float, sense: float) -> Floats:
    """Return the sixteen coefficients of the transformed θ4 and θ1 in y = π u / 4K'."""
    nome = math.exp(-0.5 * math.pi * K / K_c)
    q2 = nome * nome
    q6 = q2 * q2 * q2
    q12 = q6 * q6
    angle = 0.25 * math.pi * b / K_c
    c, s = math.cos(angle), sense * math.sin(angle)
    double = 2.0 * c * c - 1.0
    c0, c1, c2, c3 = c, c * (2.0 * double - 1.0), 0.0, 0.0
    s0, s1, s2, s3 = s, s * (2.0 * double + 1.0), 0.0, 0.0
    c2, s2 = 2.0 * double * c1 - c0, 2.0 * double * s1 - s0
    c3, s3 = 2.0 * double * c2 - c1, 2.0 * double * s2 - s1
    return (
        even_family(c0, q2 * c1, q6 * c2, q12 * c3)
        + odd_family(-s0, -q2 * s1, -q6 * s2, -q12 * s3)
        + odd_family(c0, -q2 * c1, q6 * c2, -q12 * c3)
        + even_family(-s0, q2 * s1, -q6 * s2, q12 * s3)
    )
