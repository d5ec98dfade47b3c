# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Exact free motion of an asymmetric body in 30 digits: Jacobi elliptic functions, quadrature.

Whittaker, Analytical Dynamics, sections 69-70. Written for the tests, with mpmath, and shares
nothing with the package.
"""

import mpmath
import numpy as np

mpmath.mp.dps = 30


class FreeMotion:
    """The motion of a body with principal moments I1 < I2 < I3, off the separatrix.

    moments: (3,);  omega: (3,) at t = 0, body axes;  attitude is the identity at t = 0
    """

    def __init__(self, moments, omega):
        self.moments = [mpmath.mpf(float(moment)) for moment in moments]
        omega = [mpmath.mpf(float(rate)) for rate in omega]
        self.L = [i * w for i, w in zip(self.moments, omega, strict=True)]
        self.L_size = mpmath.sqrt(sum(component**2 for component in self.L))
        twice_energy = sum(i * w * w for i, w in zip(self.moments, omega, strict=True))
        L2 = self.L_size**2
        # Labelled so that the body circulates about axis c: I_a < I_b < I_c or the reverse.
        about_largest = twice_energy * self.moments[1] < L2
        self.a, self.b, self.c = (0, 1, 2) if about_largest else (2, 1, 0)
        A, B, C = (self.moments[k] for k in (self.a, self.b, self.c))
        to_a, to_c = L2 - twice_energy * A, twice_energy * C - L2
        self.amplitude_a = mpmath.sqrt(to_c / (A * (C - A)))
        self.amplitude_b = mpmath.sqrt(to_c / (B * (C - B)))
        self.amplitude_c = mpmath.sqrt(to_a / (C * (C - A)))
        self.rate = mpmath.sqrt((C - B) * to_a / (A * B * C))
        self.m = (B - A) * to_c / ((C - B) * to_a)
        self.sign_c = mpmath.sign(omega[self.c])
        parity = 1 if about_largest else -1
        # Euler: A dω_a/dt = parity (B - C) ω_b ω_c, and d cn = -sn dn.
        self.sign_b = mpmath.sign((C - B) * self.sign_c * parity)
        phase = mpmath.atan2(
            omega[self.b] / (self.sign_b * self.amplitude_b), omega[self.a] / self.amplitude_a
        )
        self.start = mpmath.ellipf(phase, self.m)
        self.nodes = _gauss_legendre(12)

    def omega(self, t):
        """Return ω (3,) at t, body axes."""
        u = self.rate * t + self.start
        sn, cn, dn = (mpmath.ellipfun(kind, u, m=self.m) for kind in ('sn', 'cn', 'dn'))
        rates = [mpmath.mpf(0)] * 3
        rates[self.a] = self.amplitude_a * cn
        rates[self.b] = self.sign_b * self.amplitude_b * sn
        rates[self.c] = self.sign_c * self.amplitude_c * dn
        return rates

    def rotations(self, times):
        """Return the matrices body to world at increasing times, the first of them 0."""
        precession = mpmath.mpf(0)
        first = self._against_L(self.omega(0), precession)
        found = [mpmath.eye(3)]
        for before, after in zip(times[:-1], times[1:], strict=True):
            precession += self._precession(mpmath.mpf(before), mpmath.mpf(after))
            found.append(first.T * self._against_L(self.omega(after), precession))
        return [np.array(matrix.tolist(), dtype=float) for matrix in found]

    def _precession(self, before, after):
        """Integrate dφ/dt = |L| (L_a ω_a + L_b ω_b) / (L_a² + L_b²)."""
        half, middle = (after - before) / 2, (after + before) / 2
        total = mpmath.mpf(0)
        for node, weight in self.nodes:
            w = self.omega(middle + half * node)
            L = [i * rate for i, rate in zip(self.moments, w, strict=True)]
            along = L[self.a] * w[self.a] + L[self.b] * w[self.b]
            total += weight * along / (L[self.a] ** 2 + L[self.b] ** 2)
        return half * total * self.L_size

    def _against_L(self, omega, precession):
        """Return the matrix body to a frame whose z axis is L: Euler angles 3-1-3 about axis c."""
        x, y, z = (self.c + 1) % 3, (self.c + 2) % 3, self.c
        L = [i * rate / self.L_size for i, rate in zip(self.moments, omega, strict=True)]
        matrix = (
            _turn_z(precession) * _turn_x(mpmath.acos(L[z])) * _turn_z(mpmath.atan2(L[x], L[y]))
        )
        columns = mpmath.zeros(3)
        for column, axis in enumerate((x, y, z)):
            for row in range(3):
                columns[row, axis] = matrix[row, column]
        return columns


def _turn_z(angle):
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    return mpmath.matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _turn_x(angle):
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    return mpmath.matrix([[1, 0, 0], [0, c, -s], [0, s, c]])


def _gauss_legendre(count):
    """Return nodes and weights on -1 to 1 in working precision."""
    nodes = [
        mpmath.findroot(lambda x: mpmath.legendre(count, x), float(guess))
        for guess in np.polynomial.legendre.leggauss(count)[0]
    ]

    def weight(x):
        slope = count * (x * mpmath.legendre(count, x) - mpmath.legendre(count - 1, x))
        return 2 * (1 - x**2) / slope**2

    return [(x, weight(x)) for x in nodes]
