# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Modes of vibration: their parameters, and the FlexibleModes of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import each_part, signed, size, vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode

NAMES = Parameter(
    'flexible_modes', [], '',
    'Names of the vibration modes of flexible parts. body.inertia includes these parts, '
    'undeformed.', str, length=(),
)  # fmt: skip
# Parameters of each of `flexible_modes`, under flexible_mode.<name>.
FLEXIBLE_MODE = (
    xyz(
        'coupling', 'sqrt(kg) m', 1e6,
        'Rotational coupling: angular momentum about the centre of mass per modal rate, for unit '
        'modal mass, body axes.',
    ),
    Parameter(
        'frequency', 1.0, 'Hz', 'Frequency of the mode with the body held fixed (cantilevered).',
        low=1e-9, high=1e6,
    ),
    size(
        'damping_ratio', '', 1e3,
        'Damping ratio of the mode with the body held fixed. 1: critical damping.',
    ),
    xyz(
        'drift', 'sqrt(kg)', 1e6,
        'Translational coupling: momentum per modal rate, body axes. 0: the momenta of its parts '
        'cancel.',
    ),
    signed('displacement', 'sqrt(kg) m', 1e6, 'Modal coordinate at the start.'),
    signed('rate', 'sqrt(kg) m/s', 1e6, 'Rate of the displacement at the start.'),
)  # fmt: skip
NAMED = ('flexible_modes', 'flexible_mode', FLEXIBLE_MODE)


def each(values: Mapping[str, Any]) -> dict[str, FlexibleMode]:
    """Return {name: FlexibleMode} from checked parameters.

    Raises ParameterError naming mode, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode

    found: dict[str, FlexibleMode] = {}
    for name, prefix, own in each_part(values, NAMED):
        with blame(prefix):
            found[name] = FlexibleMode(
                own['coupling'], math.tau * own['frequency'], own['damping_ratio'], own['drift'],
                own['displacement'], own['rate'],
            )  # fmt: skip
    return found


def lines(name: str, mode: FlexibleMode) -> Iterator[str]:
    """Yield the lines of the text summary."""
    yield (
        f'{name}: vibration mode, {mode.frequency / math.tau:.6g} Hz with the body held fixed, '
        f'damping ratio {mode.damping_ratio:.6g}, coupling {vector(mode.coupling_B)} sqrt(kg) m'
    )
