# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Elliptic integrals of the first kind, compiled."""

import math

from spacecraft_attitude_sim.kernels.kernel import inlined

# Carlson's bound for an error of 2^-53 after the fifth-order series of R_F: (4 * 2^-53)^(1/6).
RF_SPREAD = 2.7e-3


@inlined
def complete_integral(complement: float) -> float:
    """Return K(m), given 1 - m: a quarter period; by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(complement)
    while a - b > 1e-8 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return math.pi / (a + b)


@inlined
def carlson_rf(x: float, y: float, z: float) -> float:
    """Return Carlson's R_F(x, y, z); x, y, z >= 0, at most one of them 0.

    F(φ | m) = sin φ R_F(cos² φ, 1 - m sin² φ, 1) (DLMF 19.25.5), so an integral near its
    logarithmic end is as accurate as cos φ and the delta amplitude are. Duplication theorem, then
    the Taylor series (B. C. Carlson, Numer. Algorithms 10, 1995; DLMF 19.36.1).
    """
    mean = (x + y + z) / 3.0
    spread = max(abs(mean - x), abs(mean - y), abs(mean - z))
    while spread > RF_SPREAD * mean:
        root_x, root_y, root_z = math.sqrt(x), math.sqrt(y), math.sqrt(z)
        shift = root_x * root_y + root_y * root_z + root_z * root_x
        x, y, z = 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift)
        mean = (x + y + z) / 3.0
        spread *= 0.25
    u, v = (mean - x) / mean, (mean - y) / mean
    w = -u - v
    second, third = u * v - w * w, u * v * w
    series = 1.0 - second / 10.0 + third / 14.0 + second * second / 24.0
    return (series - 3.0 * second * third / 44.0) / math.sqrt(mean)
