# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Density of the air: none, exponential layers, or NRLMSIS 2.1 by pymsis, an optional extra.

The layers are those of Vallado, Fundamentals of Astrodynamics, 2013, table 8-4 (US Standard
Atmosphere 1976, CIRA-72): a mean over solar activity, day and night. These change the density at
500 km by a factor of thirty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from spacecraft_attitude_sim.core.environment.epoch import J2000, utc_days
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Base of each layer [km], the density there [kg/m^3], the scale height above it [km].
LAYERS = np.array((
    (0, 1.225, 7.249), (25, 3.899e-2, 6.349), (30, 1.774e-2, 6.682), (40, 3.972e-3, 7.554),
    (50, 1.057e-3, 8.382), (60, 3.206e-4, 7.714), (70, 8.770e-5, 6.549), (80, 1.905e-5, 5.799),
    (90, 3.396e-6, 5.382), (100, 5.297e-7, 5.877), (110, 9.661e-8, 7.263),
    (120, 2.438e-8, 9.473), (130, 8.484e-9, 12.636), (140, 3.845e-9, 16.149),
    (150, 2.070e-9, 22.523), (180, 5.464e-10, 29.740), (200, 2.789e-10, 37.105),
    (250, 7.248e-11, 45.546), (300, 2.418e-11, 53.628), (350, 9.518e-12, 53.298),
    (400, 3.725e-12, 58.515), (450, 1.585e-12, 60.828), (500, 6.967e-13, 63.822),
    (600, 1.454e-13, 71.835), (700, 3.614e-14, 88.667), (800, 1.170e-14, 124.64),
    (900, 5.245e-15, 181.05), (1000, 3.019e-15, 268.00),
))  # fmt: skip
# Smallest density, where a model underflows to 0 [kg/m^3].
LEAST_DENSITY = 1e-100


class Air(Protocol):
    """A model of the air's density; a position gives the same bits alone or among others.

    exact: as of Orbit;  name: as in messages
    """

    exact: bool
    name: str

    def log_density(self, epoch: Epoch, times: Array, places: Array) -> Array:
        """Return ln(density / kg m^-3) (n,); places: (n, 3) of earth.geodetic, times: [s]."""


@dataclass(frozen=True)
class ExponentialAir:
    """Air in exponential layers.

    layers: (n, 3) base [m], density there [kg/m^3], scale height [m], ascending; the first and the
        last extend without end. By default LAYERS
    Raises ValueError naming the layer, its value and the remedy.
    """

    layers: Array | None = None
    exact = True
    name = 'exponential'

    def __post_init__(self) -> None:
        """Check."""
        layers = LAYERS * (1e3, 1.0, 1e3) if self.layers is None else np.array(self.layers, float)
        if layers.ndim != 2 or layers.shape[1] != 3 or not len(layers):
            raise ValueError('layers of air are rows of base [m], density [kg/m^3], height [m]')
        if len(layers) > len(LAYERS):
            raise ValueError(f'{len(layers)} layers of air are given; give {len(LAYERS)} or fewer')
        for base, density, height in layers.tolist():
            if not (math.isfinite(base) and 0.0 < density < math.inf and 0.0 < height < math.inf):
                raise ValueError(
                    f'layer of air at {base:g} m has density {density:g} kg/m^3 and scale height '
                    f'{height:g} m; both must be positive'
                )
        if not (np.diff(layers[:, 0]) > 0.0).all():
            raise ValueError(f'layers of air begin at {layers[:, 0].tolist()} m; let them ascend')
        object.__setattr__(self, 'layers', layers)

    def rows(self, factor: float) -> Array:
        """Return (n, 3) of the layers: base [m], ln(density / kg m^-3) there, scale height [m].

        factor: that multiplies the density
        """
        layers = self.layers
        assert layers is not None
        density = [math.log(value) + math.log(factor) for value in layers[:, 1].tolist()]
        return np.stack((layers[:, 0], density, layers[:, 2]), axis=1)

    def log_density(self, epoch: Epoch, times: Array, places: Array) -> Array:
        """Return ln(density / kg m^-3) (n,)."""
        rows = self.rows(1.0)
        base, logarithm, height = rows[np.searchsorted(rows[1:, 0], places[:, 0], side='right')].T
        return logarithm - (places[:, 0] - base) / height


@dataclass(frozen=True)
class UniformAir:
    """Air of the same density everywhere.

    density: [kg/m^3]
    Raises ValueError for a density that is not positive.
    """

    density: float
    exact = True
    name = 'uniform'

    def __post_init__(self) -> None:
        """Check."""
        if not 0.0 < self.density < math.inf:
            raise ValueError(
                f'air_density is {self.density:g} kg/m^3; it must be positive, and atmosphere '
                "'none' is no air at all"
            )

    def log_density(self, epoch: Epoch, times: Array, places: Array) -> Array:
        """Return ln(density / kg m^-3) (n,)."""
        return np.full(len(times), math.log(self.density))


@dataclass(frozen=True)
class MsisAir:
    """NRLMSIS 2.1 for one given solar activity; nothing is downloaded.

    f10_7, f10_7_average: solar flux at 10.7 cm of the day before and over 81 days [1e-22 W/m^2/Hz]
    ap: daily geomagnetic index
    Raises ValueError where pymsis is missing, or a number is out of the model's range.
    """

    f10_7: float = 150.0
    f10_7_average: float = 150.0
    ap: float = 4.0
    exact = False
    name = 'msis'

    def __post_init__(self) -> None:
        """Check."""
        for name, least, most in (
            ('f10_7', 40.0, 500.0), ('f10_7_average', 40.0, 500.0), ('ap', 0.0, 400.0),
        ):  # fmt: skip
            if not least <= getattr(self, name) <= most:
                value = getattr(self, name)
                raise ValueError(f'{name} is {value:g}; it must be from {least:g} to {most:g}')
        try:
            import pymsis  # noqa: F401
        except ImportError:
            raise ValueError(
                "atmosphere 'msis' needs pymsis; pip install 'spacecraft_attitude_sim[air]', or "
                "choose 'exponential'"
            ) from None

    def log_density(self, epoch: Epoch, times: Array, places: Array) -> Array:
        """Return ln(density / kg m^-3) (n,)."""
        import pymsis

        first, second = utc_days(epoch.utc)
        begin = (first - J2000 + second) * 86400.0
        since_j2000 = np.round((begin + times) * 1e3).astype('timedelta64[ms]')
        dates = np.datetime64('2000-01-01T12:00', 'ms') + since_j2000
        n = len(times)
        found = pymsis.calculate(
            dates, np.degrees(places[:, 2]), np.degrees(places[:, 1]), places[:, 0] / 1e3,
            np.full(n, self.f10_7), np.full(n, self.f10_7_average), np.full((n, 7), self.ap),
            version=2.1,
        )  # fmt: skip
        density = np.nan_to_num(np.asarray(found, dtype=float).reshape(n, -1)[:, 0])
        return np.array([math.log(max(value, LEAST_DENSITY)) for value in density.tolist()])
