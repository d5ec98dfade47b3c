# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Error parameters of a sensor that measures two angles, and its TriadErrors in SI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter
from spacecraft_attitude_sim.configuration.sensors.units import DEGREE
from spacecraft_attitude_sim.core.sensors import TriadErrors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Floats
    from spacecraft_attitude_sim.core.ticks import Ticks

# The widest view: the angle of a direction is at most 90 deg to each side.
WIDEST = 178.0
ERRORS = (
    Parameter(
        'noise', [0.0], 'deg', 'White noise of each angle, 1 sigma.', length=(1, 2),
        low=0.0, high=45.0,
    ),
    Parameter(
        'bias', [0.0], 'deg', 'Bias of each angle, 1 sigma; drawn once per run.', length=(1, 2),
        low=0.0, high=45.0,
    ),
    Parameter(
        'resolution', [0.0], 'deg',
        'Quantization step of each angle. 0: no quantization.', length=(1, 2),
        low=0.0, high=45.0,
    ),
)  # fmt: skip


def field_of_view(description: str) -> Parameter:
    """Return the Parameter for the two full angles of a field of view."""
    return Parameter(
        'field_of_view', [120.0], 'deg', description, length=(1, 2), low=0.01, high=WIDEST,
    )  # fmt: skip


def pair(values: Mapping[str, Any], name: str) -> tuple[float, float]:
    """Return one or two values in deg as two in rad."""
    given = [value * DEGREE for value in values[name]]
    return given[0], given[-1]


def errors(values: Mapping[str, Any], prefix: str, every: int, ticks: Ticks) -> TriadErrors:
    """Return the errors of two angles [rad] as TriadErrors about the axes x and y.

    every: interval between readings [ticks]
    """
    period = ticks.seconds(every)
    terms: dict[str, Floats] = {
        one.name: (*pair(values, f'{prefix}.{one.name}'), 0.0) for one in ERRORS
    }
    root = math.sqrt(period)
    noise_density = tuple(sigma * root for sigma in terms.pop('noise'))
    return TriadErrors(noise_density, **terms, period=period)
