# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The GNSS receiver: its parameters in datasheet units, and the Gnss of core in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators.named import size
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    attitude,
    unit_quaternion,
    xyz,
)
from spacecraft_attitude_sim.configuration.sensors.units import in_si, interval
from spacecraft_attitude_sim.core.sensors import Gnss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

PREFIX = 'gnss'
MODELS = ('single_frequency_gnss',)
IDEAL = 'ideal'
# Those that core is given as they are, but for their units: {field of Gnss: parameter}.
NUMBERS = {
    'cone': Parameter(
        f'{PREFIX}.cone', 180.0, 'deg',
        'Largest angle between its antenna and the zenith with a fix; 180 is any.',
        low=0.01, high=180.0,
    ),
    'acquisition': size(
        f'{PREFIX}.acquisition_time', 's', 1e5,
        'From when its antenna looks up again to a fix; it begins a run with one.',
    ),
    'position_error': size(
        f'{PREFIX}.position_error', 'm', 1e6, 'Error of position on each axis, 1 sigma.',
    ),
    'velocity_error': size(
        f'{PREFIX}.velocity_error', 'm/s', 1e4, 'Error of velocity on each axis, 1 sigma.',
    ),
    'clock_error': size(
        f'{PREFIX}.clock_error', 'ns', 1e9, 'Error of its time, 1 sigma.',
    ),
    'correlation_time': Parameter(
        f'{PREFIX}.correlation_time', 100.0, 's',
        'Time in which its errors, Gauss-Markov processes of first order, forget.',
        low=1e-3, high=1e7,
    ),
}  # fmt: skip
PARAMETERS = (
    Parameter(
        f'{PREFIX}.enabled', False, '',
        'Publish gnss/fix, gnss/odometry and gnss/time_reference.', bool,
    ),
    Parameter(
        f'{PREFIX}.model', IDEAL, '',
        'Set of figures that supplies what is not given; see sensors.md.',
        str, choices=(IDEAL, *MODELS),
    ),
    attitude(
        f'{PREFIX}.orientation',
        'Mounting of the antenna: unit quaternion w, x, y, z, gnss_link to base_link; its '
        'boresight is z.',
    ),
    xyz(
        f'{PREFIX}.position', 'm', 1e6,
        'Where the antenna sits, in the axes the body was designed in.',
    ),
    *NUMBERS.values(),
    interval(f'{PREFIX}.interval', 32),
    Parameter('frames.gnss', 'gnss_link', '', "Frame of the GNSS receiver's antenna.", str),
    Parameter(
        'frames.earth', 'earth', '', 'Name of the frame that turns with the Earth (REP-105).', str,
    ),
)  # fmt: skip


def gnss(values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks) -> Gnss | None:
    """Return the Gnss of checked parameters; None where it is not enabled.

    center_of_mass: (3,) in the axes of the design [m];  ticks: Ticks of the run
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
