# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Magnetorquers and the spacecraft's own dipole: parameters, and the Magnetorquers of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    blame,
    data_sheet,
    xyz,
)
from spacecraft_attitude_sim.configuration.parts.named import (
    Given,
    figures_of,
    of_each,
    signed,
    size,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.configuration.parts.named import AtStart
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers

LARGEST_DIPOLE = 1e9
LABEL = 'torquers'
NAMES = Parameter(
    'magnetorquers', [], '', 'Names of the magnetorquers (rods or coils).', str, length=(),
)  # fmt: skip
OF_ALL = (
    Parameter(
        'magnetorquers_duty', 1.0, '',
        'Fraction of each tick, from its start, in which the magnetorquers are on. The '
        'magnetometer reads at the end of the tick: with less than 1 and without lag, the '
        'magnetorquers do not disturb it.',
        low=0.0, high=1.0,
    ),
    xyz(
        'residual_dipole', 'A m^2', LARGEST_DIPOLE,
        'Residual magnetic dipole of the spacecraft, body axes. The magnetic field exerts a '
        'torque on it.',
    ),
)  # fmt: skip
# Models with figures of data sheets, in config/actuators; docs/actuators.md gives their sources.
MODELS = (
    'cubespace_cubetorquer_large', 'cubespace_cubetorquer_medium', 'cubespace_cubetorquer_small',
    'isispace_imtq',
)  # fmt: skip
# Parameters of each of `magnetorquers`, under magnetorquer.<name>.
MAGNETORQUER = (
    data_sheet(
        'model', MODELS,
        'Data sheet that supplies the parameters you do not give; see actuators.md.',
    ),
    xyz(
        'axis', '', 1.1, 'Axis of the dipole: unit vector in body axes.', (0.0, 0.0, 1.0),
        required=True,
    ),
    size(
        'max_dipole', 'A m^2', LARGEST_DIPOLE,
        'Largest dipole. A larger command is reduced to it. 0: computed from turns, max_current '
        'and area of a coil.',
    ),
    size('turns', '', 1e9, 'Number of turns n of a coil, whose dipole is n I A.'),
    size('max_current', 'A', 1e6, 'Largest current I of the coil.'),
    size('area', 'm^2', 1e6, 'Area A of one turn of the coil.'),
    size('lag', 's', 1e4, 'Time constant with which the dipole follows a command.'),
    signed(
        'dipole', 'A m^2', LARGEST_DIPOLE,
        'Dipole along the axis from the start, until a command replaces it.',
    ),
    xyz(
        'interference', 'T/(A m^2)', 1.0,
        'Field at the magnetometer per dipole of this magnetorquer, body axes.',
    ),
)  # fmt: skip
PARAMETERS = (NAMES, *OF_ALL)
NAMED = (('magnetorquers', 'magnetorquer', MAGNETORQUER),)
of = of_each('magnetorquers', 'magnetorquer')


def part(given: Given) -> Magnetorquers | None:
    """Return the Magnetorquers; None without rods, coils and own dipole.

    Raises ParameterError naming magnetorquer, value and remedy.
    """
    values, _, ticks = given
    names: tuple[str, ...] = tuple(values['magnetorquers'])
    residual_B = values['residual_dipole']
    if not names and not any(residual_B):
        return None
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import (
        Magnetorquer,
        Magnetorquers,
    )

    rods = []
    for name in names:
        prefix = f'magnetorquer.{name}'
        most = _max_dipole(values, prefix)
        dipole = values[f'{prefix}.dipole']
        if not abs(dipole) <= most:
            raise ParameterError(
                f'{prefix}.dipole is {dipole:g} A m^2; its largest is {most:g} A m^2: give no '
                'more than that'
            )
        lag, interference_B = (values[f'{prefix}.{key}'] for key in ('lag', 'interference'))
        with blame(f'{prefix}.'):
            rods.append(Magnetorquer(values[f'{prefix}.axis'], most, lag, interference_B))
    duty = values['magnetorquers_duty']
    off_after = duty * ticks.step if duty < 1.0 else math.inf
    return Magnetorquers(names, tuple(rods), residual_B, off_after)


def _max_dipole(values: Mapping[str, Any], prefix: str) -> float:
    """Return the largest dipole of a rod or coil [A m^2]; ParameterError if it is not given."""
    given: float = values[f'{prefix}.max_dipole']
    coil = {key: values[f'{prefix}.{key}'] for key in ('turns', 'max_current', 'area')}
    if given and any(coil.values()):
        raise ParameterError(
            f'{prefix}.max_dipole is {given:g} A m^2, and {", ".join(k for k in coil if coil[k])} '
            'of a coil are given, too; give one or the other'
        )
    most = given or math.prod(coil.values())
    if not most:
        raise ParameterError(
            f'{prefix}.max_dipole is 0; give it [A m^2], or turns, max_current [A] and area [m^2] '
            'of a coil'
        )
    return most


def commands(values: Mapping[str, Any]) -> dict[str, Array]:
    """Return the parts of Inputs that apply from the start."""
    return {'dipole': np.array(of(values, 'dipole'), dtype=float)}


def lines(magnetorquers: Magnetorquers, start: AtStart) -> Iterator[str]:
    """Yield the lines of the text summary."""
    for name, rod in zip(magnetorquers.names, magnetorquers.rods, strict=True):
        lag = f', time constant {rod.lag:g} s' if rod.lag else ''
        yield (
            f'{name}: largest dipole {rod.max_dipole:.6g} A m^2 along {vector(rod.axis_B)}{lag}'
            f'{figures_of(start.values, f"magnetorquer.{name}")}'
        )
    if math.isfinite(magnetorquers.off_after):
        yield f'on for the first {magnetorquers.off_after:.6g} s of each tick'
    if np.any(magnetorquers.residual_B):
        yield f'residual dipole {vector(magnetorquers.residual_B)} A m^2'
