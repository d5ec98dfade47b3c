# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor parameters of a scenario, in datasheet units, and the sensors of core made from them.

One module for each sensor: its PARAMETERS, and a function from their values to the sensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter
from spacecraft_attitude_sim.configuration.sensors import imu, magnetometer, star_tracker
from spacecraft_attitude_sim.core.sensors import Suite
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion

SENSORS = (
    Parameter(
        'seed', 0, '', 'Seed of every random channel of the sensors.', int, low=0, high=2**32 - 1,
    ),
    *imu.PARAMETERS,
    *magnetometer.PARAMETERS,
    *star_tracker.PARAMETERS,
)  # fmt: skip


def suite(
    values: Mapping[str, Any],
    imu_mounting: BodyFrame,
    star_tracker_q_BT: Quaternion,
    ticks: Ticks = DEFAULT,
) -> Suite:
    """Return the Suite of a scenario's parameters.

    values: every parameter by its dotted name;  imu_mounting: BodyFrame of IMU and magnetometer
    star_tracker_q_BT: (4,) star tracker axes to body axes
    ticks: Ticks of the run
    """
    return Suite(
        imu=imu.imu(values, imu_mounting, ticks),
        magnetometer=magnetometer.magnetometer(values, imu_mounting.q_BF, ticks),
        star_tracker=star_tracker.star_tracker(values, star_tracker_q_BT),
        seed=values['seed'],
    )
