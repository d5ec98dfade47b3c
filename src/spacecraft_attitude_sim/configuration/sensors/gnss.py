# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The GNSS receiver: its parameters in datasheet units, and the Gnss of core in SI."""

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
from spacecraft_attitude_sim.configuration.parts.named import size
from spacecraft_attitude_sim.configuration.sensors.units import in_si, interval, latency
from spacecraft_attitude_sim.core.sensors import Gnss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

PREFIX = 'gnss'
MODELS = ('single_frequency_gnss',)
# {field of Gnss: parameter} of the values that only change their unit.
NUMBERS = {
    'cone': Parameter(
        f'{PREFIX}.cone', 180.0, 'deg',
        "Largest angle from the antenna's boresight to the zenith at which the receiver has a "
        'fix. 180: no limit.',
        low=0.01, high=180.0,
    ),
    'acquisition': size(
        f'{PREFIX}.acquisition_time', 's', 1e5,
        'Time to a new fix, from the instant at which the antenna is again within gnss.cone. A '
        'run starts with a fix.',
    ),
    'position_error': size(
        f'{PREFIX}.position_error', 'm', 1e6, 'Position error on each axis, 1 sigma.',
    ),
    'velocity_error': size(
        f'{PREFIX}.velocity_error', 'm/s', 1e4, 'Velocity error on each axis, 1 sigma.',
    ),
    'clock_error': size(
        f'{PREFIX}.clock_error', 'ns', 1e9, 'Clock error, 1 sigma.',
    ),
    'correlation_time': Parameter(
        f'{PREFIX}.correlation_time', 100.0, 's',
        'Correlation time of the errors, which are first-order Gauss-Markov processes.',
        low=1e-3, high=1e7,
    ),
}  # fmt: skip
PARAMETERS = (
    Parameter(
        f'{PREFIX}.enabled', False, '',
        'Simulate a GNSS receiver and publish gnss/fix, gnss/odometry and gnss/time_reference.',
        bool,
    ),
    data_sheet(
        f'{PREFIX}.model', MODELS,
        'Set of values that supplies the parameters you do not give; see sensors.md.',
    ),
    attitude(
        f'{PREFIX}.orientation',
        'Orientation of the antenna: unit quaternion w, x, y, z, from gnss_link to base_link. '
        'Its boresight is the z axis.',
    ),
    xyz(
        f'{PREFIX}.position', 'm', 1e6,
        'Position of the antenna, in the design axes of the body.',
    ),
    *NUMBERS.values(),
    interval(f'{PREFIX}.interval', 32),
    latency(f'{PREFIX}.latency'),
    Parameter('frames.gnss', 'gnss_link', '', "Name of the GNSS antenna's frame.", str),
    Parameter(
        'frames.earth', 'earth', '',
        'Name of the frame that rotates with the Earth (REP-105).', str,
    ),
)  # fmt: skip


def gnss(values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks) -> Gnss | None:
    """Return the Gnss from checked parameters; None if it is not enabled.

    center_of_mass: (3,) in design axes [m];  ticks: Ticks of the run
    Raises ParameterError naming key, value and remedy.
    """
    if not values[f'{PREFIX}.enabled']:
        return None
    every = values[f'{PREFIX}.interval']
    return Gnss(
        unit_quaternion(values, f'{PREFIX}.orientation'),
        np.array(values[f'{PREFIX}.position']) - center_of_mass,
        **{field: in_si(values, parameter) for field, parameter in NUMBERS.items()},
        interval=every,
        period=ticks.seconds(every),
    )
