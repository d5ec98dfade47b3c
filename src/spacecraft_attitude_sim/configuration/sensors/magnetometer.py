# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The magnetometer: its parameters in nT, and the Magnetometer of core in SI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter, xyz
from spacecraft_attitude_sim.configuration.sensors.units import axes, interval, terms_in_si
from spacecraft_attitude_sim.core.sensors import Magnetometer, TriadErrors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Quaternion
    from spacecraft_attitude_sim.core.ticks import Ticks

# {field of core.sensors.TriadErrors: its parameter}; the noise is per reading, not a density.
MAGNETOMETER = {
    'noise_density': axes('noise', 'nT', 'White noise of a reading, 1 sigma.'),
    'bias': axes('bias', 'nT', 'Bias, 1 sigma; drawn once per run.'),
    'limit': axes('range', 'nT', 'Largest magnitude of a reading. 0: no limit.'),
    'resolution': axes('resolution', 'nT', 'Quantization step of a reading. 0: no quantization.'),
}
INTERVAL = interval('magnetometer.interval')
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
    *(parameter.under('magnetometer') for parameter in MAGNETOMETER.values()),
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
    return Magnetometer(q_BS, TriadErrors(**errors, period=period), values[INTERVAL.name])
