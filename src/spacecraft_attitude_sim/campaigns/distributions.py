# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Distributions of a campaign: each turns uniform deviates into values of one parameter.

By the inverse of the cumulative distribution function, so that Latin hypercube and Sobol' points
keep their even spread (L. Devroye, Non-Uniform Random Variate Generation, 1986, section II.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.core.mathematics.types import Array


# Keys of each distribution; deviates that a value takes, and numbers that it has, where not one.
KEYS = {
    'uniform': ('low', 'high'),
    'normal': ('mean', 'standard_deviation'),
    'truncated_normal': ('mean', 'standard_deviation', 'low', 'high'),
    'lognormal': ('median', 'spread'),
    'integers': ('low', 'high'),
    'in_sphere': ('radius',),
    'on_sphere': ('radius',),
    'random_attitude': (),
}
DEVIATES = {'in_sphere': 3, 'on_sphere': 2, 'random_attitude': 3}
VALUES = {'in_sphere': 3, 'on_sphere': 3, 'random_attitude': 4}
POSITIVE = ('standard_deviation', 'median', 'spread', 'radius')


@dataclass(frozen=True)
class Distribution:
    """One distribution.

    kind: one of KEYS;  numbers: {key: number} of its KEYS
    """

    kind: str
    numbers: dict[str, float]

    @property
    def deviates(self) -> int:
        """Number of uniform deviates that a value takes."""
        return DEVIATES.get(self.kind, 1)

    @property
    def length(self) -> int | None:
        """Number of elements of a value; None for a scalar."""
        return VALUES.get(self.kind)

    def values(self, u: Array) -> NDArray[Any]:
        """Return values (N,), or (N, length), of uniform deviates (N, deviates) in [0, 1)."""
        return _MAKERS[self.kind](u, **self.numbers)


def parse(name: str, given: Any) -> Distribution:
    """Return the Distribution of what a campaign file says of a parameter.

    Raises ParameterError naming key, value and remedy.
    """
    if not isinstance(given, dict) or 'distribution' not in given:
        raise ParameterError(f'{name} is {given!r}; give distribution: one of {", ".join(KEYS)}')
    kind, numbers = given['distribution'], {k: v for k, v in given.items() if k != 'distribution'}
    if not isinstance(kind, str) or kind not in KEYS:
        raise ParameterError(f"{name}.distribution is '{kind}'; choose one of {', '.join(KEYS)}")
    for key in numbers:
        if key not in KEYS[kind]:
            wanted = ', '.join(KEYS[kind]) or 'nothing more'
            raise ParameterError(f"{name}.{key}: '{kind}' does not know it; it takes {wanted}")
    checked = {}
    for key in KEYS[kind]:
        if key not in numbers:
            raise ParameterError(f"{name}.{key} is missing; '{kind}' needs it")
        checked[key] = _number(f'{name}.{key}', numbers[key], key in POSITIVE)
    if 'low' in checked and not checked['low'] < checked['high']:
        raise ParameterError(
            f'{name}.low is {checked["low"]:g}, high {checked["high"]:g}; low must be below high'
        )
    return Distribution(kind, checked)


def _number(label: str, value: Any, positive: bool) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(f'{label} is {value!r}; give a number') from None
    if isinstance(value, bool) or not np.isfinite(number) or (positive and number <= 0.0):
        wanted = 'a positive number' if positive else 'a finite number'
        raise ParameterError(f'{label} is {value!r}; give {wanted}')
    return number


def _uniform(u: Array, low: float, high: float) -> Array:
    return low + (high - low) * u[:, 0]


def _normal(u: Array, mean: float, standard_deviation: float) -> Array:
    # The normal quantile of exactly 0 is infinite.
    return mean + standard_deviation * special.ndtri(np.maximum(u[:, 0], 2.0**-54))


def _truncated_normal(
    u: Array, mean: float, standard_deviation: float, low: float, high: float
) -> Array:
    below, above = special.ndtr((np.array((low, high)) - mean) / standard_deviation)
    inside = special.ndtri(np.clip(below + (above - below) * u[:, 0], 2.0**-54, 1.0 - 2.0**-53))
    return np.clip(mean + standard_deviation * inside, low, high)


def _lognormal(u: Array, median: float, spread: float) -> Array:
    return np.exp(_normal(u, np.log(median), spread))


def _integers(u: Array, low: float, high: float) -> NDArray[np.int64]:
    # The largest deviate below 1 would be rounded up to high + 1.
    return np.floor(np.minimum(low + (high - low + 1.0) * u[:, 0], high)).astype(np.int64)


def _on_sphere(u: Array, radius: float) -> Array:
    z, angle = 2.0 * u[:, 0] - 1.0, 2.0 * np.pi * u[:, 1]
    across = np.sqrt(1.0 - z * z)
    return radius * np.stack((across * np.cos(angle), across * np.sin(angle), z), axis=1)


def _in_sphere(u: Array, radius: float) -> Array:
    return np.cbrt(u[:, 2:3]) * _on_sphere(u, radius)


def _random_attitude(u: Array) -> Array:
    """Return uniformly distributed attitudes (N, 4): K. Shoemake, Graphics Gems III (1992) 124."""
    a, b = np.sqrt(1.0 - u[:, 0]), np.sqrt(u[:, 0])
    s, t = 2.0 * np.pi * u[:, 1], 2.0 * np.pi * u[:, 2]
    return np.stack((b * np.cos(t), a * np.sin(s), a * np.cos(s), b * np.sin(t)), axis=1)


_MAKERS: dict[str, Callable[..., NDArray[Any]]] = {
    'uniform': _uniform,
    'normal': _normal,
    'truncated_normal': _truncated_normal,
    'lognormal': _lognormal,
    'integers': _integers,
    'on_sphere': _on_sphere,
    'in_sphere': _in_sphere,
    'random_attitude': _random_attitude,
}
