# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The horizon sensor: its parameters in datasheet units, and the HorizonSensor of core in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    attitude,
    unit_quaternion,
    xyz,
)
from spacecraft_attitude_sim.configuration.sensors import two_angles
from spacecraft_attitude_sim.configuration.sensors.units import in_si, interval
from spacecraft_attitude_sim.core.sensors import HorizonSensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

PREFIX = 'horizon_sensor'
MODELS = ('infrared_horizon',)
IDEAL = 'ideal'
SEASONAL_ERROR = Parameter(
    f'{PREFIX}.seasonal_error', 0.0, 'deg',
    'By which it takes the centre of the Earth for nearer to the summer pole, over the equator at '
    'the solstices.', low=0.0, high=10.0,
)  # fmt: skip
SUN_EXCLUSION = Parameter(
    f'{PREFIX}.sun_exclusion', 0.0, 'deg',
    'It reads nothing while the Sun stands over the limb by less than this; 0 is never.',
    low=0.0, high=180.0,
)  # fmt: skip
PARAMETERS = (
    Parameter(f'{PREFIX}.enabled', False, '', 'Publish horizon_sensor/nadir.', bool),
    Parameter(
        f'{PREFIX}.model', IDEAL, '',
        'Set of figures that supplies what is not given; see sensors.md.',
        str, choices=(IDEAL, *MODELS),
    ),
    attitude(
        f'{PREFIX}.orientation',
        'Mounting: unit quaternion w, x, y, z, horizon_sensor_link to base_link; the boresight '
        'is z.',
    ),
    xyz(f'{PREFIX}.position', 'm', 1e6, 'Where it sits, in the axes the body was designed in.'),
    two_angles.field_of_view(
        "Whole angles about the boresight in which the Earth's centre must be: one for both, or "
        'that of atan2(x, z) and that of atan2(y, z).'
    ).under(PREFIX),
    SEASONAL_ERROR,
    SUN_EXCLUSION,
    *(one.under(PREFIX) for one in two_angles.ERRORS),
    interval(f'{PREFIX}.interval'),
    Parameter('frames.horizon_sensor', 'horizon_sensor_link', '', "Horizon sensor's frame.", str),
)  # fmt: skip


def horizon_sensor(
    values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks
) -> HorizonSensor | None:
    """Return the HorizonSensor of checked parameters; None where it is not enabled.

    center_of_mass: (3,) in the axes of the design [m];  ticks: Ticks of the run
    Raises ParameterError naming key, value and remedy.
    """
    if not values[f'{PREFIX}.enabled']:
        return None
    every = values[f'{PREFIX}.interval']
    return HorizonSensor(
        unit_quaternion(values, f'{PREFIX}.orientation'),
        np.array(values[f'{PREFIX}.position']) - center_of_mass,
        two_angles.pair(values, f'{PREFIX}.field_of_view'),
        in_si(values, SEASONAL_ERROR),
        in_si(values, SUN_EXCLUSION),
        two_angles.errors(values, PREFIX, every, ticks),
        every,
    )
