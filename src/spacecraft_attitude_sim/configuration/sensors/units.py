# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Datasheet units, and Parameters in these units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Floats

HOUR = 3600.0
STANDARD_GRAVITY = 9.80665
DEGREE = math.pi / 180.0
# Factors to SI: rad, m, s, T, lx. 1 deg/sqrt(h) is 60 deg/h/sqrt(Hz).
SI = {
    'deg': DEGREE,
    'arcsec': DEGREE / 3600.0,
    'mrad': 1e-3,
    'ppm': 1e-6,
    'deg/s': DEGREE,
    'deg/h': DEGREE / HOUR,
    'deg/sqrt(h)': DEGREE / math.sqrt(HOUR),
    'deg/h/sqrt(h)': DEGREE / HOUR / math.sqrt(HOUR),
    'g': STANDARD_GRAVITY,
    'micro-g': 1e-6 * STANDARD_GRAVITY,
    'm/s/sqrt(h)': 1.0 / math.sqrt(HOUR),
    'micro-g/sqrt(h)': 1e-6 * STANDARD_GRAVITY / math.sqrt(HOUR),
    'nT': 1e-9,
    '%': 0.01,
    'lx': 1.0,
    'm': 1.0,
    'm/s': 1.0,
    's': 1.0,
    'ns': 1e-9,
    'Hz': 1.0,
    '': 1.0,
}


def axes(name: str, unit: str, description: str, high: float = 1e9) -> Parameter:
    """Return a Parameter for one value for all three axes, or three values; default 0."""
    return Parameter(name, [0.0], unit, description, length=(1, 3), low=0.0, high=high)


def bandwidth() -> Parameter:
    """Return the Parameter for the bandwidth of a filter of three axes."""
    return axes(
        'bandwidth',
        'Hz',
        'Bandwidth of a first-order low-pass of each axis: it delays the reading and weakens fast '
        'motion. 0: no filter.',
    )


def interval(name: str, default: int = 1) -> Parameter:
    """Return a Parameter for the interval between readings [ticks]; each reading has new noise."""
    text = 'Ticks between readings. Noise and covariance are computed for this interval.'
    return Parameter(name, default, 'ticks', text, int, low=1, high=1_000_000)


def latency(name: str) -> Parameter:
    """Return a Parameter for the time from a reading to its message."""
    return Parameter(
        name, 0, 'ticks',
        'Ticks from a measurement to its message. The message carries the time of the '
        'measurement.',
        int, low=0, high=3200,
    )  # fmt: skip


def in_si(values: Mapping[str, Any], parameter: Parameter) -> float:
    """Return the value of a parameter, converted from its unit to SI."""
    return values[parameter.name] * SI[parameter.unit]


def terms_in_si(
    values: Mapping[str, Any], prefix: str, terms: Mapping[str, Parameter]
) -> dict[str, Floats]:
    """Return {term: (3,) values in SI}; terms: {term: Parameter that `axes` made}."""
    found = {}
    for term, parameter in terms.items():
        given = [value * SI[parameter.unit] for value in values[f'{prefix}.{parameter.name}']]
        found[term] = tuple(given * 3 if len(given) == 1 else given)
    return found
