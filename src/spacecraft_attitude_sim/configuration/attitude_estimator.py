# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node attitude_estimator: their checks and conversion to types of core.

What it knows of sensors, orbit and field has the names and units of the simulator's parameters.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import (
    aboard,
    earth_parameters,
    earth_surroundings,
    parameters,
    simulator_parameters,
)
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    blame,
    unit_quaternion,
)
from spacecraft_attitude_sim.configuration.parts.named import catalogued, refuse_twice
from spacecraft_attitude_sim.configuration.sensors import sun_cells, sun_sensors
from spacecraft_attitude_sim.configuration.sensors.units import SI
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.gyroscope_watch import Watch, WatchedEstimator
from spacecraft_attitude_sim.core.estimation.replay import ATTITUDE, CELL, DIRECTION, FIELD
from spacecraft_attitude_sim.core.estimation.settings import (
    LARGEST_AXES,
    NADIR,
    SUN,
    Gyroscope,
    KnownSensor,
    Settings,
)
from spacecraft_attitude_sim.core.mathematics.checks import unit_axis
from spacecraft_attitude_sim.core.sensors import SunCell
from spacecraft_attitude_sim.core.ticks import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

NAME = aboard.ESTIMATOR
# The simulator's parameters that the estimator has, too: what is known on board.
OF_SENSORS = (
    'imu.orientation', 'imu.gyroscope.angle_random_walk', 'imu.gyroscope.bias_instability',
    'imu.gyroscope.rate_random_walk', 'imu.gyroscope.turn_on_bias',
    'imu.gyroscope.scale_factor', 'imu.gyroscope.misalignment',
    'star_tracker.enabled', 'star_tracker.orientation', 'star_tracker.cross_boresight_noise',
    'star_tracker.about_boresight_noise',
    'sun_sensors', 'sun_cells',
    'horizon_sensor.enabled', 'horizon_sensor.orientation', 'horizon_sensor.noise',
    'horizon_sensor.bias', 'horizon_sensor.resolution', 'horizon_sensor.seasonal_error',
    'horizon_sensor.interval',
    'magnetometer.enabled', 'magnetometer.noise', 'magnetometer.bias', 'magnetometer.resolution',
    'magnetometer.interval', 'tick_rate',
)  # fmt: skip
OF_FIELD = ('magnetic_model', 'earth_dipole.moment', 'earth_dipole.tilt', 'earth_dipole.longitude')
EPHEMERIS = (
    *earth_parameters.EPHEMERIS,
    *(one for one in earth_parameters.EARTH if one.name in OF_FIELD),
    simulator_parameters.BY_NAME['magnetic_field'],
)  # fmt: skip
# Words of a description that differ: here a sensor is used, and there simulated.
USED = {
    'star_tracker.enabled': 'Use star_tracker/attitude.',
    'magnetometer.enabled': 'Use imu/mag.',
    'horizon_sensor.enabled': 'Use horizon_sensor/nadir.',
    'tick_rate': 'Ticks per second, of the intervals between readings.',
    'imu.orientation': 'Orientation of IMU and magnetometer: unit quaternion w, x, y, z, from '
    'imu_link to base_link.',
    'imu.gyroscope.scale_factor': 'Scale factor error at the start, 1 sigma, if '
    'estimate_gyroscope_axes.',
    'imu.gyroscope.misalignment': 'Angle of each sensing axis towards each of the other two axes '
    'at the start, 1 sigma, if estimate_gyroscope_axes.',
}


def _known(name: str) -> Parameter:
    """Return a parameter of the simulator as one of the estimator."""
    known = simulator_parameters.BY_NAME[name]
    return replace(known, description=USED.get(name, known.description))


OWN = (
    Parameter(
        'false_alarm', 1e-4, '',
        'Probability with which the gate refuses a good reading: a reading counts if its '
        'normalised innovation squared is below this quantile of chi-squared.',
        low=1e-12, high=0.5,
    ),
    Parameter(
        'start_largest_error', 15.0, 'deg',
        'Largest standard deviation of the first attitude about any axis. The estimator waits '
        'for more directions until it is smaller.',
        low=0.01, high=30.0,
    ),
    Parameter(
        'start_window', 600.0, 's', 'Age of the oldest direction that the first attitude uses.',
        low=0.0, high=1e5,
    ),
    Parameter(
        'history', 5.0, 's',
        'Largest latency: a reading that is older when it arrives does not count.',
        low=0.0, high=60.0,
    ),
    Parameter(
        'gyroscope_gap', 1.0, 's',
        'Longest time between two readings of the gyroscope. After a longer one the attitude is '
        'found anew.',
        low=1e-3, high=100.0,
    ),
    Parameter(
        'reset_after', 60.0, 's',
        'Time for which the gate may refuse all readings. After that the attitude is found anew.',
        low=1e-3, high=1e6,
    ),
    Parameter(
        'error_correlation', 100.0, 's',
        'Time for which biases of Sun sensors, horizon sensor and magnetometer, and the error of '
        'Sun cells, are taken to stay. The longer, the less the estimator trusts them.',
        low=0.0, high=1e6,
    ),
    Parameter(
        'estimate_magnetometer_bias', False, '',
        'Whether to estimate the bias of the magnetometer. If not, magnetometer.bias counts as an '
        'error that stays.', bool,
    ),
    Parameter(
        'estimate_gyroscope_axes', False, '',
        'Whether to estimate scale factor errors and misalignments of the axes of the gyroscope. '
        'imu.gyroscope.scale_factor and imu.gyroscope.misalignment are their standard deviations '
        'at the start.', bool,
    ),
    Parameter(
        'misaligned_sensors', [], '',
        'Sensors whose misalignment is estimated, of star_tracker, horizon_sensor, magnetometer, '
        'sun_sensor/NAME. The others define the axes of the body; there must be one.', str,
        length=(),
    ),
    Parameter(
        'misalignment', [0.1], 'deg',
        'Standard deviation of the misalignment about each axis at the start: one for all of '
        'misaligned_sensors, or one for each.', length=(), low=1e-6, high=5.0,
    ),
    Parameter(
        'sun_cells_error', 0.15, '',
        "Error of a cell's illuminance, as a share of full sunlight, 1 sigma: the light that the "
        'Earth reflects, and its scale.', low=1e-3, high=1.0,
    ),
    Parameter(
        'sun_cells_threshold', 0.1, '',
        'Smallest share of full sunlight at which a cell counts.', low=1e-3, high=0.9,
    ),
    Parameter(
        'gyroscope_watch.enabled', True, '',
        'Whether to notice a faulty gyroscope: sensors that agree with each other and not with it '
        'make it suspect.', bool,
    ),
    Parameter(
        'gyroscope_watch.readings', 40, '',
        'How many readings of a sensor are tested together. The more, the smaller the error of '
        'the gyroscope that is noticed, and the later.', int, low=4, high=1000,
    ),
    Parameter(
        'gyroscope_watch.false_alarm', 1e-6, '',
        'Probability with which a test says that a good sensor disagrees.',
        low=1e-15, high=1e-2,
    ),
    Parameter(
        'gyroscope_watch.trust_after', 300.0, 's',
        'Time for which all sensors must agree with a suspect gyroscope before it is believed '
        'again. A sensor that disagrees alone for so long is taken to be wrong.',
        low=0.0, high=1e6,
    ),
    Parameter(
        'gyroscope_watch.angle_random_walk', 6.0, 'deg/sqrt(h)',
        'Angle random walk that a suspect gyroscope is taken to have.', low=0.0, high=1e3,
    ),
    Parameter(
        'gyroscope_watch.rate_random_walk', 20000.0, 'deg/h/sqrt(h)',
        'Rate random walk that a suspect gyroscope is taken to have.', low=0.0, high=1e6,
    ),
    Parameter(
        'gyroscope_watch.turn_on_bias', 5400.0, 'deg/h',
        'Bias that a suspect gyroscope is taken to have, 1 sigma.', low=0.0, high=1e6,
    ),
    Parameter(
        'tick_topic', 'tick', '',
        'Topic on which a simulator lists the messages of a tick; the estimator waits for all of '
        "them. '': take each message as it comes.", str,
    ),
)  # fmt: skip
PARAMETERS = (
    *OWN,
    *map(_known, OF_SENSORS),
    *EPHEMERIS,
    Parameter('frames.world', 'world', '', 'Name of the inertial frame.', str),
    Parameter('frames.imu', 'imu_link', '', 'Name of the IMU frame.', str),
)
SUN_CELL = tuple(
    one for one in sun_cells.SUN_CELL if one.name in ('direction', 'efficacy', 'interval')
)
SUN_SENSOR = tuple(
    one
    for one in sun_sensors.SUN_SENSOR
    if one.name in ('orientation', 'noise', 'bias', 'resolution', 'interval')
)
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (('sun_cells', 'sun_cell', SUN_CELL), ('sun_sensors', 'sun_sensor', SUN_SENSOR))
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
OF_SUN_SENSOR = {parameter.name: parameter for parameter in SUN_SENSOR}
# A sensor without noise counts as one of this noise [rad, T]; so does a gyroscope [rad/√s, rad/s].
LEAST_ANGLE, LEAST_FIELD, LEAST_WALK, LEAST_BIAS = 5e-6, 1e-9, 1e-6, 1e-6
# Noise of a cell beside its error, as a share of sunlight.
CELL_NOISE = (0.01, 1.0, 1.0)
# A bias instability B is the sum of processes with correlation times of 1 to 10 000 s and the
# variance B² ln(10)/π each (core.sensors.triad). The two fastest count as white noise of density
# 2 σ² τ [s], the others as a walk of density 2 σ²/τ [1/s].
FLICKER = math.log(10.0) / math.pi
FAST_FLICKER, SLOW_FLICKER = FLICKER * 2.0 * (1.0 + 10.0), FLICKER * 2.0 * (1e-2 + 1e-3 + 1e-4)


def catalogue(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return {name: Parameter} of an estimator, including those of the sensors in `given`."""
    return catalogued(PARAMETERS, NAMED, given)


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: value} of every parameter, checked and converted to its type.

    Raises ParameterError for an unknown name or an invalid value.
    """
    values = parameters.checked(catalogue(given), given)
    refuse_twice(values, 'sun_cells', 'sun_sensors')
    refuse_twice(values, 'misaligned_sensors')
    if not settings(values).sensors:
        raise ParameterError(
            'the estimator has a gyroscope alone; name a sensor that sees the attitude, such as '
            'star_tracker.enabled: true'
        )
    around(values)
    return values


def of_simulator(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: value} of an estimator that knows a simulator's sensors and orbit.

    values: {name: value} of every parameter of the simulator
    """
    return {name: values[name] for name in catalogue(values) if name in values}


def estimator(values: Mapping[str, Any]) -> AttitudeEstimator | WatchedEstimator:
    """Return the estimator of checked parameters; ParameterError as of `around`."""
    return estimator_of(values, settings(values), around(values))


def estimator_of(
    values: Mapping[str, Any], known: Settings, here: Callable[[float], Array]
) -> AttitudeEstimator | WatchedEstimator:
    """Return the estimator of checked parameters with given Settings and `around`."""
    own = known, here
    if not values['gyroscope_watch.enabled']:
        return AttitudeEstimator(*own)
    return WatchedEstimator(*own, watch(values))


def watch(values: Mapping[str, Any]) -> Watch:
    """Return the Watch of checked parameters; no noise is less than that of a good gyroscope."""
    good, prefix = _gyroscope(values), 'gyroscope_watch.'
    suspect = replace(
        good,
        rate_noise=max(good.rate_noise, values[f'{prefix}angle_random_walk'] * SI['deg/sqrt(h)']),
        bias_walk=max(good.bias_walk, values[f'{prefix}rate_random_walk'] * SI['deg/h/sqrt(h)']),
        bias_sigma=max(good.bias_sigma, values[f'{prefix}turn_on_bias'] * SI['deg/h']),
    )
    return Watch(
        suspect, values[f'{prefix}readings'], values[f'{prefix}false_alarm'],
        round(NANOSECONDS * values[f'{prefix}trust_after']),
    )  # fmt: skip


def around(values: Mapping[str, Any]) -> Callable[[float], Array]:
    """Return the function of a time [s] that returns AROUND (25,) as it is known on board.

    Without an orbit it has the magnetic field alone.
    Raises ParameterError naming key, value and remedy.
    """
    if values['orbit.model'] != 'none':
        return earth_surroundings.ephemeris(values).at
    if values['sun_sensors'] or values['sun_cells'] or values['horizon_sensor.enabled']:
        raise ParameterError(
            'Sun and horizon sensors need the orbit, but orbit.model is '
            "'none'; give the estimator the simulator's epoch and orbit.… values"
        )
    still = np.zeros(AROUND.size)
    still[AROUND.of('magnetic_field_W')] = values['magnetic_field']
    return lambda time: still


def settings(values: Mapping[str, Any]) -> Settings:
    """Return the Settings of checked parameters."""
    bias = max(_in_si(values, 'magnetometer.bias'))
    estimated = values['estimate_magnetometer_bias'] and values['magnetometer.enabled']
    if estimated and bias == 0.0:
        raise ParameterError(
            'estimate_magnetometer_bias is true, but magnetometer.bias is 0 nT: give its largest '
            'standard deviation'
        )
    sensors = {**_star_tracker(values), **_directions(values), **_magnetometer(values, estimated)}
    known = Settings(
        _gyroscope(values),
        sensors,
        bias if estimated else 0.0,
        false_alarm=values['false_alarm'],
        start_sigma=math.radians(values['start_largest_error']),
        start_ns=round(NANOSECONDS * values['start_window']),
        history_ns=round(NANOSECONDS * values['history']),
        gap_ns=round(NANOSECONDS * values['gyroscope_gap']),
        reset_ns=round(NANOSECONDS * values['reset_after']),
        sunlit_share=values['sun_cells_threshold'],
        correlation=values['error_correlation'],
    )
    with blame('misaligned_sensors: '):
        return replace(known, misaligned=_misaligned(values))


def _misaligned(values: Mapping[str, Any]) -> dict[str, float]:
    """Return {sensor: standard deviation of its misalignment [rad]}."""
    names, sigmas = values['misaligned_sensors'], values['misalignment']
    if len(sigmas) not in (1, len(names)):
        raise ParameterError(
            f'misalignment has {len(sigmas)} values, but misaligned_sensors has {len(names)} '
            'names; give one value for all, or one for each'
        )
    sigmas = sigmas if len(sigmas) == len(names) else sigmas * len(names)
    return {name: math.radians(sigma) for name, sigma in zip(names, sigmas, strict=True)}


def _gyroscope(values: Mapping[str, Any]) -> Gyroscope:
    scale, misalignment = _axes(values) if values['estimate_gyroscope_axes'] else (0.0, 0.0)
    noise, flicker, walk, bias = (
        max(_in_si(values, f'imu.gyroscope.{name}'))
        for name in ('angle_random_walk', 'bias_instability', 'rate_random_walk', 'turn_on_bias')
    )
    return Gyroscope(
        unit_quaternion(values, 'imu.orientation'),
        max(math.hypot(noise, math.sqrt(FAST_FLICKER) * flicker), LEAST_WALK),
        math.hypot(walk, math.sqrt(SLOW_FLICKER) * flicker),
        max(math.hypot(bias, flicker), LEAST_BIAS),
        scale,
        misalignment,
    )


def _axes(values: Mapping[str, Any]) -> tuple[float, float]:
    """Return the standard deviations of scale factors, and of misalignments [rad]."""
    scale, misalignment = (
        max(_in_si(values, f'imu.gyroscope.{name}')) for name in ('scale_factor', 'misalignment')
    )
    if scale == misalignment == 0.0:
        raise ParameterError(
            'estimate_gyroscope_axes is true, but imu.gyroscope.scale_factor is 0 ppm and '
            'imu.gyroscope.misalignment is 0 mrad: give their largest standard deviations'
        )
    if max(scale, misalignment) > LARGEST_AXES:
        raise ParameterError(
            f'imu.gyroscope.scale_factor is up to {1e6 * scale:g} ppm and '
            f'imu.gyroscope.misalignment up to {1e3 * misalignment:g} mrad; with '
            f'estimate_gyroscope_axes give at most {1e6 * LARGEST_AXES:g} ppm and '
            f'{1e3 * LARGEST_AXES:g} mrad'
        )
    return scale, misalignment


def _star_tracker(values: Mapping[str, Any]) -> dict[str, KnownSensor]:
    if not values['star_tracker.enabled']:
        return {}
    across, about = (
        max(_in_si(values, f'star_tracker.{name}_boresight_noise')[0], LEAST_ANGLE)
        for name in ('cross', 'about')
    )
    q_BS = unit_quaternion(values, 'star_tracker.orientation')
    return {'star_tracker': KnownSensor(ATTITUDE, q_BS, (across, across, about))}


def _directions(values: Mapping[str, Any]) -> dict[str, KnownSensor]:
    """Return the sensors of Sun and nadir, by name."""
    known = {}
    for label in values['sun_sensors']:
        prefix = f'sun_sensor.{label}'
        known[f'sun_sensor/{label}'] = KnownSensor(
            DIRECTION, unit_quaternion(values, f'{prefix}.orientation'),
            _noise(values, prefix, LEAST_ANGLE), _in_si(values, f'{prefix}.bias'),
            _interval(values, prefix),
        )  # fmt: skip
    if values['horizon_sensor.enabled']:
        prefix = 'horizon_sensor'
        seasonal = _in_si(values, f'{prefix}.seasonal_error')[0]
        constant = (math.hypot(bias, seasonal) for bias in _in_si(values, f'{prefix}.bias'))
        known[prefix] = KnownSensor(
            DIRECTION, unit_quaternion(values, f'{prefix}.orientation'),
            _noise(values, prefix, LEAST_ANGLE), tuple(constant), _interval(values, prefix), NADIR,
        )  # fmt: skip
    for label in values['sun_cells']:
        prefix = f'sun_cell.{label}'
        with blame(f'{prefix}.'):
            normal_B = unit_axis('direction', values[f'{prefix}.direction'])
        known[f'sun_sensor/{label}'] = KnownSensor(
            CELL, SunCell(label, normal_B).q_BS, CELL_NOISE, (values['sun_cells_error'], 0.0, 0.0),
            _interval(values, prefix), SUN, values[f'{prefix}.efficacy'],
        )  # fmt: skip
    return known


def _magnetometer(values: Mapping[str, Any], estimated: bool) -> dict[str, KnownSensor]:
    """Return the magnetometer by name; estimated: whether its bias is, which then is no error."""
    if not values['magnetometer.enabled']:
        return {}
    constant = (0.0, 0.0, 0.0) if estimated else _in_si(values, 'magnetometer.bias')
    own = _noise(values, 'magnetometer', LEAST_FIELD), constant, _interval(values, 'magnetometer')
    return {'magnetometer': KnownSensor(FIELD, unit_quaternion(values, 'imu.orientation'), *own)}


def _noise(values: Mapping[str, Any], prefix: str, least: float) -> Floats:
    """Return the standard deviation of each axis from noise and resolution, at least some."""
    noises, steps = (_in_si(values, f'{prefix}.{name}') for name in ('noise', 'resolution'))
    return tuple(
        max(math.hypot(noise, step / math.sqrt(12.0)), least)
        for noise, step in zip(noises, steps, strict=True)
    )


def _interval(values: Mapping[str, Any], prefix: str) -> float:
    """Return the time between readings of a sensor [s]."""
    return float(values[f'{prefix}.interval'] / values['tick_rate'])


def _in_si(values: Mapping[str, Any], name: str) -> Floats:
    """Return three values of a parameter in SI; its last one again where it has fewer."""
    parameter = BY_NAME.get(name) or OF_SUN_SENSOR[name.rpartition('.')[2]]
    given = values[name]
    given = given if isinstance(given, list) else [given]
    x, y, z, *_ = [value * SI[parameter.unit] for value in (*given, given[-1], given[-1])]
    return x, y, z
