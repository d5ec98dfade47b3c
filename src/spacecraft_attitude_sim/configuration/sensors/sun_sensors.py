# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Fine Sun sensors: parameters of each named sensor, and the SunSensors of core in SI."""

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
from spacecraft_attitude_sim.configuration.sensors.units import interval, latency
from spacecraft_attitude_sim.core.sensors import SunSensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

NAMES = Parameter('sun_sensors', [], '', 'Names of the fine Sun sensors.', str, length=())
# Models with datasheet values, in config/sensors; docs/sensors.md gives their sources.
MODELS = ('nanossoc_d60', 'ncss_sa05', 'nfss_411')
# Parameters of each of `sun_sensors`, under sun_sensor.<name>.
SUN_SENSOR = (
    data_sheet(
        'model', MODELS,
        'Datasheet that supplies the parameters you do not give; see sensors.md.',
    ),
    attitude(
        'orientation',
        'Orientation of the sensor: unit quaternion w, x, y, z, from <name>_link to base_link. '
        'Its boresight is the z axis.',
    ),
    xyz('position', 'm', 1e6, 'Position of the sensor, in the design axes of the body.'),
    two_angles.field_of_view(
        'Full angles of the field of view, for the Sun. One value for both, or two: of atan2(x, '
        'z) and of atan2(y, z).'
    ),
    Parameter(
        'least_light', 0.0, '',
        "Smallest fraction of the Sun's disc outside the Earth's shadow at which the sensor "
        'measures.',
        low=0.0, high=1.0,
    ),
    *two_angles.ERRORS,
    interval('interval'),
    latency('latency'),
)  # fmt: skip


def sun_sensors(
    values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks
) -> tuple[SunSensor, ...]:
    """Return the SunSensors from checked parameters.

    center_of_mass: (3,) in design axes [m];  ticks: Ticks of the run
    Raises ParameterError naming sensor, value and remedy.
    """
    found = []
    for name in values[NAMES.name]:
        prefix = f'sun_sensor.{name}'
        every = values[f'{prefix}.interval']
        found.append(
            SunSensor(
                name,
                unit_quaternion(values, f'{prefix}.orientation'),
                np.array(values[f'{prefix}.position']) - center_of_mass,
                two_angles.pair(values, f'{prefix}.field_of_view'),
                values[f'{prefix}.least_light'],
                two_angles.errors(values, prefix, every, ticks),
                every,
            )
        )
    return tuple(found)
