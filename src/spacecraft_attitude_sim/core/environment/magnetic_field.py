# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The magnetic field of the Earth: harmonics of IGRF-14 or WMM2025, a dipole, or uniform.

    B = -∇V        V = a Σ (a/r)^(n+1) Σ (g cos mλ + h sin mλ) P_n^m(sin φ)        a = 6371.2 km

P Schmidt semi-normalised. The sums run over the harmonics of the solid sphere in Cartesian
coordinates (L. E. Cunningham, Celestial Mechanics 2 (1970) 207), which are not singular at the
poles; their recursions and derivatives are in Montenbruck and Gill, Satellite Orbits, 2000,
section 3.2.4. The coefficients change linearly in time from those of the epoch, as the models say.
"""

from __future__ import annotations

import math
import pkgutil
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import DIPOLE_MOMENT
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.kernels.kernel import compiled, helper
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3, VectorLike

REFERENCE_RADIUS = 6371200.0
LARGEST_DEGREE = 13
JULIAN_YEAR = 365.25 * 86400.0
# Head of a flat field: its degree, 0 for a uniform field, and the uniform field in world axes [T].
# Then for each n from 1, m from 0: C, its rate, S, its rate, not normalised [T, T/s].
FIELD = Layout(degree=1, uniform_W=3)
DEGREE, UNIFORM, FIRST = FIELD.at('degree'), FIELD.at('uniform_W'), FIELD.size


@dataclass(frozen=True)
class HarmonicField:
    """A field of spherical harmonics, and the years in which it is valid.

    name: as in messages;  years: (k,) ascending;  g, h: (k, N + 1, N + 1) coefficients [nT], by
        year, degree and order, linear between the years;  N: the degree
    """

    name: str
    years: Array
    g: Array
    h: Array

    def flat(self, year: float) -> Array:
        """Return the field from a decimal year on, for compiled code: FIELD, then coefficients.

        Raises ValueError for a year outside of the model's.
        """
        years = self.years
        if not years[0] <= year <= years[-1]:
            raise ValueError(
                f'the epoch is in {year:.1f}, and {self.name} is of {years[0]:g} to {years[-1]:g};'
                ' choose another magnetic model'
            )
        k = int(np.searchsorted(years[1:-1], year, side='right'))
        span = years[k + 1] - years[k]
        values = [float(self.g.shape[1] - 1), 0.0, 0.0, 0.0]
        for n in range(1, self.g.shape[1]):
            for m in range(n + 1):
                for table in (self.g, self.h):
                    before, after = float(table[k, n, m]), float(table[k + 1, n, m])
                    rate = (after - before) / span
                    scale = 1e-9 * _normalisation(n, m)
                    value = before + rate * (year - years[k])
                    values += [scale * value, scale * rate / JULIAN_YEAR]
        return np.array(values)


@dataclass(frozen=True)
class UniformField:
    """The same field everywhere.

    field_W: (3,) world axes [T]
    """

    field_W: Vector3
    name = 'uniform'

    def flat(self, year: float) -> Array:
        """Return FIELD for compiled code, the same in every year."""
        return FIELD.packed(degree=0.0, uniform_W=np.asarray(self.field_W, dtype=float))


def igrf14(degree: int = LARGEST_DEGREE) -> HarmonicField:
    """Return IGRF-14, 1900 to 2030, to a degree of 1 (a tilted dipole) to 13."""
    return _read('igrf14', degree)


def wmm2025() -> HarmonicField:
    """Return WMM2025, 2025 to 2030, to its degree 12."""
    return _read('wmm2025', 12)


def dipole(moment: float = DIPOLE_MOMENT, axis_E: VectorLike = (0.0, 0.0, -1.0)) -> HarmonicField:
    """Return the field of a dipole at the Earth's centre, by default along the polar axis.

    moment: at the equator r³|B| [T m^3];  axis_E: (3,) of the dipole, any length, Earth's axes
    Raises ValueError for a moment below 0, or an axis without direction.
    """
    axis = np.array(axis_E, dtype=float)
    size = norm(axis)
    if axis.shape != (3,) or not 0.0 < size < math.inf:
        raise ValueError(f'dipole axis is {axis.tolist()}; give a direction of three numbers')
    if not 0.0 <= moment < math.inf:
        raise ValueError(f'dipole moment is {moment:g} T m^3; it must be 0 or more')
    x, y, z = axis / size * (moment / REFERENCE_RADIUS**3 * 1e9)
    g, h = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    g[:, 1, 0], g[:, 1, 1], h[:, 1, 1] = z, x, y
    return HarmonicField('dipole', np.array((0.0, 9999.0)), g, h)


def _read(name: str, degree: int) -> HarmonicField:
    if not 1 <= degree <= LARGEST_DEGREE:
        raise ValueError(f'degree is {degree}; it must be from 1 to {LARGEST_DEGREE}')
    data = pkgutil.get_data(__package__, f'coefficients/{name}.txt')
    assert data is not None
    lines = [line.split() for line in data.decode().splitlines() if not line.startswith('#')]
    years = np.array([float(word) for word in lines[0][1:]])
    tables = {kind: np.zeros((len(years), degree + 1, degree + 1)) for kind in ('g', 'h')}
    for kind, n, m, *values in lines[1:]:
        if int(n) <= degree:
            tables[kind][:, int(n), int(m)] = [float(value) for value in values]
    return HarmonicField(name, years, tables['g'], tables['h'])


def _normalisation(n: int, m: int) -> float:
    """Return the factor from a Schmidt semi-normalised coefficient to one of plain P_n^m."""
    if m == 0:
        return 1.0
    return math.sqrt(2.0 * math.factorial(n - m) / math.factorial(n + m))


def scratch_for(field: Array) -> Array:
    """Return the working array for the harmonics of a flat field."""
    degree = int(field[DEGREE])
    return np.zeros((degree + 2) * (degree + 3))


@helper
def harmonic_field(field: Array, time: float, x: float, y: float, z: float, V: Array) -> Floats:
    """Return the field of a flat HarmonicField, three floats, Earth's axes [T].

    time: since the year of the flat field [s];  x, y, z: Earth's axes [m], not all 0
    V: of scratch_for: V_n^m and W_n^m beside each other, row after row
    """
    degree = int(field[DEGREE])
    r2 = x * x + y * y + z * z
    a = REFERENCE_RADIUS
    X, Y, Z, A = a * x / r2, a * y / r2, a * z / r2, a * a / r2
    V[0], V[1] = a / math.sqrt(r2), 0.0
    for n in range(1, degree + 2):
        row, above, before = n * (n + 1), n * (n - 1), (n - 1) * (n - 2)
        for m in range(n):
            p, q = (2 * n - 1) * Z / (n - m), (n + m - 1) * A / (n - m)
            i, j = above + 2 * m, before + 2 * m
            v, w = p * V[i], p * V[i + 1]
            if m < n - 1:
                v, w = v - q * V[j], w - q * V[j + 1]
            V[row + 2 * m], V[row + 2 * m + 1] = v, w
        i = above + 2 * (n - 1)
        k = 2 * n - 1
        V[row + 2 * n] = k * (X * V[i] - Y * V[i + 1])
        V[row + 2 * n + 1] = k * (X * V[i + 1] + Y * V[i])
    bx, by, bz = 0.0, 0.0, 0.0
    place = FIRST
    for n in range(1, degree + 1):
        row = (n + 1) * (n + 2)
        for m in range(n + 1):
            C = field[place] + field[place + 1] * time
            S = field[place + 2] + field[place + 3] * time
            place += 4
            i = row + 2 * m
            bz += (n - m + 1) * (C * V[i] + S * V[i + 1])
            if m == 0:
                bx += C * V[i + 2]
                by += C * V[i + 3]
            else:
                k = (n - m + 2) * (n - m + 1)
                bx += 0.5 * (C * V[i + 2] + S * V[i + 3] - k * (C * V[i - 2] + S * V[i - 1]))
                by += 0.5 * (C * V[i + 3] - S * V[i + 2] + k * (C * V[i - 1] - S * V[i - 2]))
    return bx, by, bz


@compiled
def _field_at(field: Array, time: float, position: Array, V: Array, out: Array) -> None:
    out[0], out[1], out[2] = harmonic_field(field, time, position[0], position[1], position[2], V)


def field_E(model: HarmonicField, year: float, position_E: VectorLike) -> Vector3:
    """Return the field (3,) at a position (3,) [m] in a decimal year, Earth's axes [T]."""
    flat, out = model.flat(year), np.zeros(3)
    _field_at(flat, 0.0, np.array(position_E, dtype=float), scratch_for(flat), out)
    return out
