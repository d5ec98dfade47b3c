# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hysteresis rods: their parameters, and the HysteresisRods of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import Given, each_part, size, vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.parts.named import AtStart
    from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import HysteresisRods

NAMES = Parameter(
    'hysteresis_rods', [], '',
    'Names of the hysteresis rods: soft iron whose magnetisation lags behind the field and takes '
    'energy from a rotating body. For a bar magnet use residual_dipole. The defaults are the '
    'rods of CSSWE.', str,
    length=(),
)  # fmt: skip
# Parameters of each of `hysteresis_rods`, under hysteresis_rod.<name>.
HYSTERESIS_ROD = (
    xyz('axis', '', 1.1, 'Direction of the rod: unit vector in body axes.', (0.0, 0.0, 1.0)),
    Parameter('length', 0.095, 'm', 'Length of the rod.', low=1e-6, high=100.0),
    Parameter('diameter', 0.001, 'm', 'Diameter of the rod.', low=1e-7, high=10.0),
    Parameter(
        'number', 1, '',
        'Number of equal rods side by side. They act as one rod of their total volume.', int,
        low=1, high=10000,
    ),
    Parameter(
        'coercivity', 12.0, 'A/m',
        'Coercivity: the field that brings the flux density back to 0.', low=1e-3, high=1e6
    ),
    Parameter(
        'remanence', 0.004, 'T',
        'Remanence: the flux density that is left without a field.', low=1e-9, high=10.0
    ),
    Parameter(
        'saturation', 0.025, 'T',
        'Saturation: the largest flux density. It must be larger than the remanence.',
        low=1e-9, high=10.0
    ),
    size(
        'demagnetization', '', 1.0,
        "Demagnetization factor: how much the rod's own flux density weakens the field inside "
        'it. 0: coercivity, remanence and saturation are those of the rod itself, measured in an '
        'external field.',
    ),
    Parameter(
        'flux_density', 0.0, 'T',
        'Flux density at the start, less than saturation.', low=-10.0, high=10.0
    ),
)  # fmt: skip
LABEL, PARAMETERS = 'internal', (NAMES,)
NAMED = (('hysteresis_rods', 'hysteresis_rod', HYSTERESIS_ROD),)


def part(given: Given) -> HysteresisRods:
    """Return the HysteresisRods.

    Raises ParameterError naming rod, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import (
        HysteresisRod,
        HysteresisRods,
    )

    values = given.values
    rods = {}
    for name, prefix, own in each_part(values, NAMED[0]):
        along, length, diameter, number, *others = own.values()
        volume = number * 0.25 * math.pi * diameter * diameter * length
        with blame(prefix):
            rods[name] = HysteresisRod(along, volume, *others)
    return HysteresisRods(rods)


def lines(rods: HysteresisRods, start: AtStart) -> Iterator[str]:  # noqa: ARG001
    """Yield the lines of the text summary."""
    for name, rod in rods.each.items():
        yield (
            f'{name}: hysteresis rods of {1e9 * rod.volume:.6g} mm^3 along {vector(rod.axis_B)}, '
            f'coercivity {rod.coercivity:.6g} A/m, remanence {rod.remanence:.6g} T, saturation '
            f'{rod.saturation:.6g} T, largest dipole {rod.largest_dipole:.6g} A m^2'
        )
