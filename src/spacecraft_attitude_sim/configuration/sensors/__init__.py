# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor parameters of a scenario, in datasheet units, and the sensors of core made from them.

Each sensor has a module: its PARAMETERS, and a function from their values to the sensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, prefixes_of
from spacecraft_attitude_sim.configuration.parts.named import refuse_twice
from spacecraft_attitude_sim.configuration.sensors import (
    gnss,
    horizon_sensor,
    imu,
    magnetometer,
    star_tracker,
    sun_cells,
    sun_sensors,
)
from spacecraft_attitude_sim.core.sensors import Suite
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3

SENSORS = (
    Parameter(
        'seed', 0, '',
        'Seed of all random numbers of the sensors and the thrusters.', int, low=0, high=2**32 - 1,
    ),
    *imu.PARAMETERS,
    *magnetometer.PARAMETERS,
    *star_tracker.PARAMETERS,
    sun_cells.NAMES,
    sun_cells.ALBEDO,
    sun_sensors.NAMES,
    *horizon_sensor.PARAMETERS,
    *gnss.PARAMETERS,
)  # fmt: skip
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (
    ('sun_cells', 'sun_cell', sun_cells.SUN_CELL),
    ('sun_sensors', 'sun_sensor', sun_sensors.SUN_SENSOR),
)
# {prefix: values of its parameter `model` that name a file in config/sensors}
MODELS = {
    'imu': imu.IMU_MODELS,
    'horizon_sensor': horizon_sensor.MODELS,
    'gnss': gnss.MODELS,
    'sun_cell': sun_cells.MODELS,
    'sun_sensor': sun_sensors.MODELS,
}
# Prefixes of all parameters that sensors use.
PREFIXES = (
    *(one for one in prefixes_of(SENSORS, NAMED) if one not in ('magnetic_field', 'frames.')),
    'tick_rate',
)


def suite(
    values: Mapping[str, Any],
    imu_mounting: BodyFrame,
    star_tracker_q_BT: Quaternion,
    center_of_mass: Vector3,
    ticks: Ticks = DEFAULT,
) -> Suite:
    """Return the Suite of a scenario's parameters.

    values: {dotted name: value} of every parameter
    imu_mounting: BodyFrame of IMU and magnetometer
    star_tracker_q_BT: (4,) star tracker axes to body axes
    center_of_mass: (3,) in design axes [m];  ticks: Ticks of the run
    Raises ParameterError naming key, value and remedy.
    """
    refuse_twice(values, 'sun_cells', 'sun_sensors')  # all have the topic sun_sensor/<name>
    return Suite(
        imu=imu.imu(values, imu_mounting, ticks),
        magnetometer=magnetometer.magnetometer(values, imu_mounting.q_BF, ticks),
        star_tracker=star_tracker.star_tracker(values, star_tracker_q_BT),
        seed=values['seed'],
        sun_cells=sun_cells.sun_cells(values, center_of_mass, ticks),
        sun_sensors=sun_sensors.sun_sensors(values, center_of_mass, ticks),
        horizon_sensor=horizon_sensor.horizon_sensor(values, center_of_mass, ticks),
        gnss=gnss.gnss(values, center_of_mass, ticks),
        latencies=_latencies(values),
    )


def _latencies(values: Mapping[str, Any]) -> dict[str, int]:
    """Return the latencies of a Suite; a star tracker keeps its own."""
    optional = ('magnetometer', 'horizon_sensor', 'gnss')
    keys = {'imu': 'imu'} | {name: name for name in optional if values[f'{name}.enabled']}
    for lists, word in (('sun_cells', 'sun_cell'), ('sun_sensors', 'sun_sensor')):
        keys |= {f'sun_sensor/{label}': f'{word}.{label}' for label in values[lists]}
    given = {name: values[f'{key}.latency'] for name, key in keys.items()}
    return {name: ticks for name, ticks in given.items() if ticks}


def refuse_without_orbit(suite: Suite, orbiting: bool) -> None:
    """Raise ParameterError if sensors of a Suite need an Earth orbit and there is none.

    orbiting: whether there is an Earth orbit
    """
    if suite.needing_orbit and not orbiting:
        raise ParameterError(
            f'{", ".join(suite.needing_orbit)}: the readings depend on where Earth and Sun are, '
            'but there is no orbit; give orbit.model, or leave the sensor out'
        )
