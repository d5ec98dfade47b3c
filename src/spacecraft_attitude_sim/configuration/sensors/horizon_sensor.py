# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The horizon sensor: its parameters in datasheet units, and the HorizonSensor of core in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    attitude,
    data_sheet,
    unit_quaternion,
    xyz,
)
from spacecraft_attitude_sim.configuration.sensors import two_angles
from spacecraft_attitude_sim.configuration.sensors.units import in_si, interval, latency
from spacecraft_attitude_sim.core.sensors import HorizonSensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

PREFIX = 'horizon_sensor'
MODELS = ('infrared_horizon',)
SEASONAL_ERROR = Parameter(
    f'{PREFIX}.seasonal_error', 0.0, 'deg',
    'Error of the measured nadir towards the summer pole, for a spacecraft above the equator at '
    'a solstice.', low=0.0, high=10.0,
)  # fmt: skip
SUN_EXCLUSION = Parameter(
    f'{PREFIX}.sun_exclusion', 0.0, 'deg',
    "Smallest angle from the Sun to the Earth's limb at which the sensor measures, when the Sun "
    'is above the limb. 0: no limit.',
    low=0.0, high=180.0,
)  # fmt: skip
PARAMETERS = (
    Parameter(
        f'{PREFIX}.enabled', False, '',
        'Simulate a horizon sensor and publish horizon_sensor/nadir.', bool,
    ),
    data_sheet(
        f'{PREFIX}.model', MODELS,
        'Set of values that supplies the parameters you do not give; see sensors.md.',
    ),
    attitude(
        f'{PREFIX}.orientation',
        'Orientation of the horizon sensor: unit quaternion w, x, y, z, from horizon_sensor_link '
        'to base_link. Its boresight is the z axis.',
    ),
    xyz(f'{PREFIX}.position', 'm', 1e6, 'Position of the sensor, in the design axes of the body.'),
    two_angles.field_of_view(
        "Full angles of the field of view, for the Earth's centre. One value for both, or two: "
        'of atan2(x, z) and of atan2(y, z).'
    ).under(PREFIX),
    SEASONAL_ERROR,
    SUN_EXCLUSION,
    *(one.under(PREFIX) for one in two_angles.ERRORS),
    interval(f'{PREFIX}.interval'),
    latency(f'{PREFIX}.latency'),
    Parameter(
        'frames.horizon_sensor', 'horizon_sensor_link', '',
        "Name of the horizon sensor's frame.", str,
    ),
)  # fmt: skip


def horizon_sensor(
    values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks
) -> HorizonSensor | None:
    """Return the HorizonSensor from checked parameters; None if it is not enabled.

    center_of_mass: (3,) in design axes [m];  ticks: Ticks of the run
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
