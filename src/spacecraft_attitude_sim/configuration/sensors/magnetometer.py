# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The magnetometer: its parameters in nT, and the Magnetometer of core in SI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter, xyz
from spacecraft_attitude_sim.configuration.sensors.units import (
    SI,
    axes,
    bandwidth,
    interval,
    latency,
    terms_in_si,
)
from spacecraft_attitude_sim.core.sensors import Magnetometer, TriadErrors
from spacecraft_attitude_sim.core.sensors.magnetometer import NO_SOFT_IRON

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Quaternion
    from spacecraft_attitude_sim.core.ticks import Ticks

# {field of core.sensors.TriadErrors: its parameter}; the noise is per reading, not a density.
MAGNETOMETER = {
    'noise_density': axes('noise', 'nT', 'White noise of a reading, 1 sigma.'),
    'bias': axes('bias', 'nT', 'Bias, 1 sigma; drawn once per run.'),
    'scale_factor': axes(
        'scale_factor', 'ppm', 'Scale factor error, 1 sigma; drawn once per run.', 1e6
    ),
    'misalignment': axes(
        'misalignment',
        'mrad',
        'Angle of each sensing axis towards each of the other two axes, 1 sigma; drawn once per '
        'run.',
        1e3,
    ),
    'limit': axes('range', 'nT', 'Largest magnitude of a reading. 0: no limit.'),
    'resolution': axes('resolution', 'nT', 'Quantization step of a reading. 0: no quantization.'),
    'bandwidth': bandwidth(),
}
INTERVAL = interval('magnetometer.interval')
HARD_IRON = xyz(
    'magnetometer.hard_iron', 'nT', 1e9,
    'Field of the hard iron of the body (permanent magnets) at the magnetometer, in its axes. The '
    'reading has it besides the bias.',
)  # fmt: skip
SOFT_IRON = Parameter(
    'magnetometer.soft_iron', list(NO_SOFT_IRON), '',
    'Matrix, row by row, by which the soft iron of the body changes the field at the '
    'magnetometer, in its axes. Default: no soft iron.',
    length=(9,), low=-10.0, high=10.0,
)  # fmt: skip
PARAMETERS = (
    xyz(
        'magnetic_field', 'T', 10.0,
        'Uniform magnetic field, world axes. Default: 30 microtesla, as in low Earth orbit.',
        (1.8e-5, 0.0, 2.4e-5),
    ),
    Parameter(
        'magnetometer.enabled', False, '', 'Simulate a magnetometer and publish imu/mag.', bool,
    ),
    INTERVAL,
    latency('magnetometer.latency'),
    *(parameter.under('magnetometer') for parameter in MAGNETOMETER.values()),
    HARD_IRON,
    SOFT_IRON,
)  # fmt: skip


def magnetometer(values: Mapping[str, Any], q_BS: Quaternion, ticks: Ticks) -> Magnetometer | None:
    """Return the Magnetometer of a scenario's parameters; None if it is not enabled.

    values: {dotted name: value} of every parameter;  q_BS: (4,) sensor to body axes
    ticks: Ticks of the run
    """
    if not values['magnetometer.enabled']:
        return None
    errors = terms_in_si(values, 'magnetometer', MAGNETOMETER)
    period = ticks.seconds(values[INTERVAL.name])
    root = math.sqrt(period)
    errors['noise_density'] = tuple(sigma * root for sigma in errors['noise_density'])
    hard = tuple(SI['nT'] * value for value in values[HARD_IRON.name])
    return Magnetometer(
        q_BS, TriadErrors(**errors, period=period), values[INTERVAL.name],
        tuple(values[SOFT_IRON.name]), hard,
    )  # fmt: skip
