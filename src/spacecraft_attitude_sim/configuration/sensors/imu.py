# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The IMU: its parameters in datasheet units, and the Imu of core in SI.

Coefficients are those of IEEE Std 952 (Allan variance), see docs/sensors.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter, data_sheet
from spacecraft_attitude_sim.configuration.sensors.units import (
    axes,
    bandwidth,
    in_si,
    interval,
    latency,
    terms_in_si,
)
from spacecraft_attitude_sim.core.sensors import Imu, TriadErrors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
    from spacecraft_attitude_sim.core.ticks import Ticks

# Models with datasheet values, in config/sensors; docs/sensors.md gives their sources.
IMU_MODELS = (
    'adis16495_1', 'astrix_120', 'astrix_200', 'bmi088', 'hg1700', 'hg9900', 'sch16t_k01',
    'stim300',
)  # fmt: skip


def _terms(noise: str, walk: str, quantity: str, units: tuple[str, ...]) -> dict[str, Parameter]:
    """Return {field of core.sensors.TriadErrors: its parameter} of gyroscope or accelerometer.

    units: of noise, bias, walk, range and resolution
    """
    of_noise, of_bias, of_walk, of_range, of_resolution = units
    return {
        'noise_density': axes(
            noise, of_noise, f'White noise of the {quantity} ({noise.replace("_", " ")}).'
        ),
        'bias_instability': axes(
            'bias_instability',
            of_bias,
            'Bias instability B; the Allan deviation has a floor of 0.664 B.',
        ),
        'random_walk': axes(
            walk, of_walk, f'Random walk of the {quantity} ({walk.replace("_", " ")}).'
        ),
        'bias': axes('turn_on_bias', of_bias, 'Bias, 1 sigma; drawn once per run.'),
        'scale_factor': axes(
            'scale_factor', 'ppm', 'Scale factor error, 1 sigma; drawn once per run.', 1e6
        ),
        'misalignment': axes(
            'misalignment',
            'mrad',
            'Angle of each sensing axis towards each of the other two axes, 1 sigma; drawn once '
            'per run.',
            1e3,
        ),
        'limit': axes('range', of_range, 'Largest magnitude of a reading. 0: no limit.'),
        'resolution': axes(
            'resolution', of_resolution, 'Quantization step of a reading. 0: no quantization.'
        ),
        'bandwidth': bandwidth(),
    }


GYROSCOPE = _terms(
    'angle_random_walk', 'rate_random_walk', 'angular velocity',
    ('deg/sqrt(h)', 'deg/h', 'deg/h/sqrt(h)', 'deg/s', 'deg/s'),
)  # fmt: skip
ACCELEROMETER = _terms(
    'velocity_random_walk', 'acceleration_random_walk', 'specific force',
    ('m/s/sqrt(h)', 'micro-g', 'micro-g/sqrt(h)', 'g', 'micro-g'),
)  # fmt: skip
ORIENTATION_NOISE = Parameter(
    'imu.orientation_noise', 0.0, 'deg',
    'White noise of the orientation in imu/data, about each axis, 1 sigma.', low=0.0, high=180.0,
)  # fmt: skip
INTERVAL = interval('imu.interval')
PARAMETERS = (
    INTERVAL,
    latency('imu.latency'),
    data_sheet(
        'imu.model', IMU_MODELS,
        'Datasheet that supplies the imu parameters you do not give; see sensors.md.',
    ),
    *(parameter.under('imu.gyroscope') for parameter in GYROSCOPE.values()),
    *(parameter.under('imu.accelerometer') for parameter in ACCELEROMETER.values()),
    ORIENTATION_NOISE,
)  # fmt: skip


def imu(values: Mapping[str, Any], mounting: BodyFrame, ticks: Ticks) -> Imu:
    """Return the Imu of a scenario's parameters.

    values: {dotted name: value} of every parameter;  mounting: BodyFrame;  ticks: Ticks of the run
    """
    every = values[INTERVAL.name]
    period = ticks.seconds(every)
    return Imu(
        mounting,
        TriadErrors(**terms_in_si(values, 'imu.gyroscope', GYROSCOPE), period=period),
        TriadErrors(**terms_in_si(values, 'imu.accelerometer', ACCELEROMETER), period=period),
        in_si(values, ORIENTATION_NOISE),
        every,
    )
