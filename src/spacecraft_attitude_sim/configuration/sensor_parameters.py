# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the sensors, in units of datasheets; a part of configuration.parameters."""

from spacecraft_attitude_sim.configuration.parameter import Parameter

# Sets of figures from datasheets, in config/sensors; sensors.md says what is from where.
IMU_MODELS = ('bmi088', 'sch16t_k01', 'stim300')
IDEAL = 'ideal'


def _axes(name, unit, description, high=1e9):
    """Return a parameter with one value for all three axes or one for each; default none."""
    return Parameter(name, [0.0], unit, description, length=(1, 3), low=0.0, high=high)


GYROSCOPE = (
    _axes('angle_random_walk', 'deg/sqrt(h)', 'White noise of the angular velocity.'),
    _axes('bias_instability', 'deg/h', 'Flicker; the Allan deviation has a floor at 0.664 of it.'),
    _axes('rate_random_walk', 'deg/h/sqrt(h)', 'Random walk of the angular velocity read.'),
    _axes('turn_on_bias', 'deg/h', 'Bias drawn once a run, 1 sigma.'),
    _axes('scale_factor', 'ppm', 'Scale factor error drawn once a run, 1 sigma.', 1e6),
    _axes('misalignment', 'mrad', 'Tilt of a sensing axis toward each other, 1 sigma.', 1e3),
    _axes('range', 'deg/s', 'Largest reading; 0 is no limit.'),
    _axes('resolution', 'deg/s', 'Step of the reading; 0 is none.'),
)
ACCELEROMETER = (
    _axes('velocity_random_walk', 'm/s/sqrt(h)', 'White noise of the specific force.'),
    _axes(
        'bias_instability', 'micro-g', 'Flicker; the Allan deviation has a floor at 0.664 of it.'
    ),
    _axes(
        'acceleration_random_walk', 'micro-g/sqrt(h)', 'Random walk of the specific force read.'
    ),
    _axes('turn_on_bias', 'micro-g', 'Bias drawn once a run, 1 sigma.'),
    _axes('scale_factor', 'ppm', 'Scale factor error drawn once a run, 1 sigma.', 1e6),
    _axes('misalignment', 'mrad', 'Tilt of a sensing axis toward each other, 1 sigma.', 1e3),
    _axes('range', 'g', 'Largest reading; 0 is no limit.'),
    _axes('resolution', 'micro-g', 'Step of the reading; 0 is none.'),
)
MAGNETOMETER = (
    _axes('noise', 'nT', 'White noise of a reading, 1 sigma.'),
    _axes('bias', 'nT', 'Bias drawn once a run, 1 sigma.'),
    _axes('range', 'nT', 'Largest reading; 0 is no limit.'),
    _axes('resolution', 'nT', 'Step of the reading; 0 is none.'),
)
SENSORS = (
    Parameter(
        'seed',
        0,
        '',
        'Seed of every random channel of the sensors.',
        int,
        low=0,
        high=2**32 - 1,
    ),
    Parameter(
        'imu.model',
        IDEAL,
        '',
        'Whose datasheet the imu parameters not given are from; see sensors.md.',
        str,
        choices=(IDEAL, *IMU_MODELS),
    ),
    *(field.under('imu.gyroscope') for field in GYROSCOPE),
    *(field.under('imu.accelerometer') for field in ACCELEROMETER),
    Parameter(
        'imu.orientation_noise',
        0.0,
        'deg',
        'White noise of the orientation in imu/data, about each axis, 1 sigma.',
        low=0.0,
        high=180.0,
    ),
    Parameter(
        'magnetic_field',
        [1.8e-5, 0.0, 2.4e-5],
        'T',
        'Uniform magnetic field, world; default 30 microtesla, as in a low orbit of the Earth.',
        length=(3,),
        low=-10.0,
        high=10.0,
    ),
    Parameter('magnetometer.enabled', False, '', 'Publish imu/mag.', bool),
    *(field.under('magnetometer') for field in MAGNETOMETER),
    Parameter('star_tracker.enabled', False, '', 'Publish star_tracker/attitude.', bool),
    Parameter(
        'star_tracker.orientation',
        [1.0, 0.0, 0.0, 0.0],
        '',
        'How it is turned: unit quaternion w, x, y, z, star_tracker_link to base_link; '
        'its boresight is z.',
        length=(4,),
        low=-2.0,
        high=2.0,
    ),
    Parameter(
        'star_tracker.interval',
        8,
        'ticks',
        'Time between measurements; 8 ticks are 4 Hz.',
        int,
        low=1,
        high=1_000_000,
    ),
    Parameter(
        'star_tracker.latency',
        0,
        'ticks',
        'Time from a measurement, which the stamp says, to its message.',
        int,
        low=0,
        high=3200,
    ),
    Parameter(
        'star_tracker.cross_boresight_noise',
        0.0,
        'arcsec',
        'White noise about x and about y, 1 sigma.',
        low=0.0,
        high=648_000.0,
    ),
    Parameter(
        'star_tracker.about_boresight_noise',
        0.0,
        'arcsec',
        'White noise about z, 1 sigma.',
        low=0.0,
        high=648_000.0,
    ),
    Parameter(
        'star_tracker.rate_limit',
        0.0,
        'deg/s',
        'Angular velocity above which it finds no attitude; 0 is none.',
        low=0.0,
        high=1e6,
    ),
    Parameter('frames.star_tracker', 'star_tracker_link', '', "Star tracker's frame.", str),
)
