# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Coarse Sun cells: parameters of each that is named, and the SunCells of core in SI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators.named import size
from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.configuration.sensors.units import SI, interval
from spacecraft_attitude_sim.core.sensors import SunCell, TriadErrors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

NAMES = Parameter('sun_cells', [], '', 'Names of the coarse Sun cells.', str, length=())
ALBEDO = Parameter(
    'sun_cells_albedo', 0.3, '',
    "Part of the Sun's light that the Earth sends back to cells; 0 is none.", low=0.0, high=1.0,
)  # fmt: skip
# Of a bare cell with one of several amplifiers; docs/sensors.md.
MODELS = ('coarse_cell',)
IDEAL = 'ideal'
# Each of `sun_cells` is described by these, under sun_cell.<name>.
SUN_CELL = (
    Parameter(
        'model', IDEAL, '', 'Set of figures that supplies what is not given; see sensors.md.',
        str, choices=(IDEAL, *MODELS),
    ),
    xyz(
        'direction', '', 1.1, 'Outward normal: unit vector in body axes.', (0.0, 0.0, 1.0),
    ),
    xyz('position', 'm', 1e6, 'Where it sits, in the axes the body was designed in.'),
    Parameter(
        'field_of_view', 180.0, 'deg', 'Whole angle of the cone in which it sees the Sun.',
        low=0.01, high=180.0,
    ),
    size(
        'edge_loss', '', 10.0,
        'By which a slanting ray counts less: the cosine c counts c (1 - exp(-c / edge_loss)); '
        '0 is none.',
    ),
    Parameter(
        'efficacy', 97.6, 'lm/W', "Illuminance of the Sun's irradiance.", low=1e-3, high=1e4,
    ),
    size('noise', 'lx', 1e9, 'White noise of a reading, 1 sigma.'),
    size('bias', 'lx', 1e9, 'Bias drawn once per run, 1 sigma.'),
    size('scale_factor', '%', 100.0, 'Scale factor error drawn once per run, 1 sigma.'),
    size('range', 'lx', 1e9, 'Largest reading; 0 is no limit.'),
    size('resolution', 'lx', 1e9, 'Quantization step of a reading; 0 is none.'),
    interval('interval'),
)  # fmt: skip


def sun_cells(
    values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks
) -> tuple[SunCell, ...]:
    """Return the SunCells of checked parameters.

    center_of_mass: (3,) in the axes of the design [m];  ticks: Ticks of the run
    Raises ParameterError naming cell, value and remedy.
    """
    return tuple(_cell(values, name, center_of_mass, ticks) for name in values[NAMES.name])


def _cell(values: Mapping[str, Any], name: str, center_of_mass: Vector3, ticks: Ticks) -> SunCell:
    from spacecraft_attitude_sim.core.mathematics.checks import unit_axis

    prefix = f'sun_cell.{name}'
    of = {one.name: values[f'{prefix}.{one.name}'] for one in SUN_CELL}
    with blame(f'{prefix}.'):
        normal_B = unit_axis('direction', of['direction'])
    every: int = of['interval']
    period = ticks.seconds(every)
    errors = TriadErrors(
        noise_density=_first(of['noise'] * math.sqrt(period)),
        bias=_first(of['bias']),
        scale_factor=_first(of['scale_factor'] * SI['%']),
        limit=_first(of['range']),
        resolution=_first(of['resolution']),
        period=period,
    )
    return SunCell(
        name, normal_B, np.array(of['position']) - center_of_mass,
        math.radians(of['field_of_view']), of['edge_loss'], of['efficacy'],
        values[ALBEDO.name], errors, every,
    )  # fmt: skip


def _first(value: float) -> tuple[float, float, float]:
    """Return an error of a triad's first axis alone."""
    return value, 0.0, 0.0
