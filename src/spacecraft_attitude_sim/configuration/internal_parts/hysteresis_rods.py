# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hysteresis rods: their parameters, and the HysteresisRods of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.actuators.named import size
from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.internal.hysteresis_rods import HysteresisRod

NAMES = Parameter(
    'hysteresis_rods', [], '',
    'Names of the hysteresis rods, soft iron that the field magnetises a little late, which takes '
    "energy from a turning body. A bar magnet is residual_dipole. Defaults are CSSWE's.", str,
    length=(),
)  # fmt: skip
# Each of `hysteresis_rods` is described by these, under hysteresis_rod.<name>.
HYSTERESIS_ROD = (
    xyz('axis', '', 1.1, 'Along it: unit vector in body axes.', (0.0, 0.0, 1.0)),
    Parameter('length', 0.095, 'm', 'Its length.', low=1e-6, high=100.0),
    Parameter('diameter', 0.001, 'm', 'Its diameter.', low=1e-7, high=10.0),
    Parameter(
        'number', 1, '', 'Such rods side by side, which act as one of their volume.', int,
        low=1, high=10000,
    ),
    Parameter(
        'coercivity', 12.0, 'A/m', 'Field that brings it back to no flux.', low=1e-3, high=1e6
    ),
    Parameter(
        'remanence', 0.004, 'T', 'Flux density that is left without a field.', low=1e-9, high=10.0
    ),
    Parameter(
        'saturation', 0.025, 'T', 'Largest flux density; more than remanence.', low=1e-9, high=10.0
    ),
    size(
        'demagnetization', '', 1.0,
        'Factor by which it weakens the field in it, by its flux density; 0 where the three '
        'before are those of the rod itself, measured in a field outside.',
    ),
    Parameter(
        'flux_density', 0.0, 'T', 'At the start; less than saturation.', low=-10.0, high=10.0
    ),
)  # fmt: skip


def hysteresis_rods(values: Mapping[str, Any]) -> dict[str, HysteresisRod]:
    """Return {name: HysteresisRod} of checked parameters.

    Raises ParameterError naming rod, value and remedy.
    """
    from spacecraft_attitude_sim.core.internal.hysteresis_rods import HysteresisRod

    found = {}
    for name in values['hysteresis_rods']:
        prefix = f'hysteresis_rod.{name}.'
        along, length, diameter, number, *others = (
            values[prefix + one.name] for one in HYSTERESIS_ROD
        )
        volume = number * 0.25 * math.pi * diameter * diameter * length
        with blame(prefix):
            found[name] = HysteresisRod(along, volume, *others)
    return found
