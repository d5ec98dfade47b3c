# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Coarse Sun cells: parameters of each named cell, and the SunCells of core in SI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, data_sheet, xyz
from spacecraft_attitude_sim.configuration.parts.named import size
from spacecraft_attitude_sim.configuration.sensors.units import SI, interval, latency
from spacecraft_attitude_sim.core.sensors import SunCell, TriadErrors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

NAMES = Parameter('sun_cells', [], '', 'Names of the coarse Sun cells.', str, length=())
ALBEDO = Parameter(
    'sun_cells_albedo', 0.3, '',
    'Albedo: the fraction of sunlight that the Earth reflects to the Sun cells. 0: no reflected '
    'light.', low=0.0, high=1.0,
)  # fmt: skip
# Typical of a bare cell with one of several amplifiers; see docs/sensors.md.
MODELS = ('coarse_cell',)
# Parameters of each of `sun_cells`, under sun_cell.<name>.
SUN_CELL = (
    data_sheet(
        'model', MODELS,
        'Set of values that supplies the parameters you do not give; see sensors.md.',
    ),
    xyz(
        'direction', '', 1.1, 'Outward normal: unit vector in body axes.', (0.0, 0.0, 1.0),
    ),
    xyz('position', 'm', 1e6, 'Position of the sensor, in the design axes of the body.'),
    Parameter(
        'field_of_view', 180.0, 'deg', 'Full cone angle of the field of view.',
        low=0.01, high=180.0,
    ),
    size(
        'edge_loss', '', 10.0,
        'Loss of light at oblique incidence: a cosine c counts as c (1 - exp(-c / edge_loss)). '
        '0: no loss.',
    ),
    Parameter(
        'efficacy', 97.6, 'lm/W', 'Illuminance per irradiance of sunlight.', low=1e-3, high=1e4,
    ),
    size('noise', 'lx', 1e9, 'White noise of a reading, 1 sigma.'),
    size('bias', 'lx', 1e9, 'Bias, 1 sigma; drawn once per run.'),
    size('scale_factor', '%', 100.0, 'Scale factor error, 1 sigma; drawn once per run.'),
    size('range', 'lx', 1e9, 'Largest reading. 0: no limit.'),
    size('resolution', 'lx', 1e9, 'Quantization step of a reading. 0: no quantization.'),
    interval('interval'),
    latency('latency'),
)  # fmt: skip


def sun_cells(
    values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks
) -> tuple[SunCell, ...]:
    """Return the SunCells from checked parameters.

    center_of_mass: (3,) in design axes [m];  ticks: Ticks of the run
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
    """Return a (3,) error that is `value` on the first axis of a triad and 0 on the others."""
    return value, 0.0, 0.0
