# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an attitude_estimator knows of its sensors is what its parameters say, in SI."""

import math

import numpy as np
import pytest
from pytest import approx

from spacecraft_attitude_sim.configuration import attitude_estimator as estimator
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation.settings import NADIR, SUN
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation.incoming import names_heard, readings_at
from spacecraft_attitude_sim.flight.onboard_estimator import OnboardEstimator

DEGREE, HOUR = math.pi / 180.0, 3600.0
TILTED = [0.5, -0.5, 0.5, 0.5]
ORBIT = {'orbit.model': 'kepler', 'epoch': '2026-03-20T12:00:00Z'}
GIVEN = {
    **ORBIT,
    'tick_rate': 4.0,
    'imu.orientation': [0.6, 0.8, 0.0, 0.0],
    'imu.gyroscope.angle_random_walk': [0.15, 0.3, 0.2],
    'imu.gyroscope.rate_random_walk': [3.0],
    'imu.gyroscope.turn_on_bias': [20.0],
    'star_tracker.enabled': True,
    'star_tracker.orientation': TILTED,
    'star_tracker.cross_boresight_noise': 6.0,
    'star_tracker.about_boresight_noise': 40.0,
    'sun_sensors': ['fine'],
    'sun_sensor.fine.orientation': TILTED,
    'sun_sensor.fine.noise': [0.1],
    'sun_sensor.fine.bias': [0.05],
    'sun_sensor.fine.resolution': [0.2],
    'sun_sensor.fine.interval': 2,
    'sun_cells': ['left'],
    'sun_cell.left.direction': [0.0, -1.0, 0.0],
    'sun_cell.left.efficacy': 90.0,
    'sun_cells_error': 0.2,
    'horizon_sensor.enabled': True,
    'horizon_sensor.orientation': TILTED,
    'horizon_sensor.noise': [0.3],
    'horizon_sensor.bias': [0.3],
    'horizon_sensor.seasonal_error': 0.4,
    'horizon_sensor.interval': 8,
    'magnetometer.enabled': True,
    'magnetometer.noise': [20.0],
    'magnetometer.bias': [50.0],
    'history': 2.0,
    'start_window': 300.0,
    'gyroscope_gap': 0.5,
    'reset_after': 30.0,
    'start_largest_error': 9.0,
}


def settings(**changes):
    """Return the Settings of GIVEN with changes; a name has __ for its dots."""
    changed = {name.replace('__', '.'): value for name, value in changes.items()}
    return estimator.settings(estimator.checked(GIVEN | changed))


def test_gyroscope_has_the_largest_noise_of_its_axes_in_si():
    known = settings().gyroscope
    assert known.q_BS.tolist() == [0.6, 0.8, 0.0, 0.0]
    assert known.rate_noise == approx(0.3 * DEGREE / math.sqrt(HOUR), rel=1e-12, abs=0.0)
    assert known.bias_walk == approx(3.0 * DEGREE / HOUR / math.sqrt(HOUR), rel=1e-12, abs=0.0)
    assert known.bias_sigma == approx(20.0 * DEGREE / HOUR, rel=1e-12, abs=0.0)


def test_bias_instability_is_the_processes_of_the_simulated_gyroscope():
    """Fast ones of spectral density 2 σ² τ, slow ones that walk with 2 σ²/τ; σ² = B² ln(10)/π."""
    B = 7.0 * DEGREE / HOUR
    variance = B**2 * math.log(10.0) / math.pi
    quiet = {f'imu__gyroscope__{name}': [0.0] for name in ('angle_random_walk', 'turn_on_bias')}
    known = settings(imu__gyroscope__bias_instability=[7.0], **quiet).gyroscope
    assert known.rate_noise**2 == approx(
        sum(2.0 * variance * T for T in (1, 10)), rel=1e-12, abs=0.0
    )
    walk = 3.0 * DEGREE / HOUR / math.sqrt(HOUR)
    slow = sum(2.0 * variance / T for T in (100, 1000, 10_000))
    assert known.bias_walk**2 == approx(walk**2 + slow, rel=1e-12, abs=0.0)
    assert known.bias_sigma == approx(B, rel=1e-12, abs=0.0)


def test_sensors_have_their_noise_and_intervals_in_si():
    known = settings().sensors
    stars, sun, nadir, field = (
        known[name]
        for name in ('star_tracker', 'sun_sensor/fine', 'horizon_sensor', 'magnetometer')
    )
    second = DEGREE / 3600.0
    assert stars.sigma == approx((6.0 * second, 6.0 * second, 40.0 * second), rel=1e-12, abs=0.0)
    step = 0.2 * DEGREE / math.sqrt(12.0)
    assert sun.sigma[:2] == approx([math.hypot(0.1 * DEGREE, step)] * 2, rel=1e-12, abs=0.0)
    assert sun.constant[:2] == approx([0.05 * DEGREE] * 2, rel=1e-12, abs=0.0)
    assert nadir.sigma[:2] == approx([0.3 * DEGREE] * 2, rel=1e-12, abs=0.0)
    assert nadir.constant[:2] == approx([0.5 * DEGREE] * 2, rel=1e-12, abs=0.0)  # 3, 4, 5
    assert field.sigma == approx([20e-9] * 3, rel=1e-12, abs=0.0)
    assert field.constant == approx([50e-9] * 3, rel=1e-12, abs=0.0)
    assert (sun.interval, nadir.interval, field.interval) == (0.5, 2.0, 0.25)
    assert (sun.target, nadir.target) == (SUN, NADIR)
    assert [list(one.q_BS) for one in (stars, sun, nadir)] == [TILTED] * 3
    assert list(field.q_BS) == [0.6, 0.8, 0.0, 0.0]


def test_a_cell_looks_along_its_normal():
    cell = settings().sensors['sun_sensor/left']
    normal_B = rotations.rotate(np.asarray(cell.q_BS), np.array((1.0, 0.0, 0.0)))
    assert normal_B == approx([0.0, -1.0, 0.0], abs=1e-15)
    assert (cell.efficacy, cell.constant[0], cell.interval) == (90.0, 0.2, 0.25)


def test_times_and_angles_of_the_filter():
    known = settings()
    assert (known.history_ns, known.start_ns) == (2_000_000_000, 300_000_000_000)
    assert (known.gap_ns, known.reset_ns) == (500_000_000, 30_000_000_000)
    assert known.start_sigma == approx(9.0 * DEGREE, rel=1e-12, abs=0.0)
    assert (known.errors, settings(estimate_magnetometer_bias=True).errors) == (6, 9)
    estimated = settings(estimate_magnetometer_bias=True)
    assert estimated.field_bias_sigma == approx(50e-9, rel=1e-12, abs=0.0)
    assert estimated.sensors['magnetometer'].constant == (0.0, 0.0, 0.0)


def test_axes_and_misalignments_are_estimated_on_request_in_si():
    known = settings()
    assert not known.calibrates and known.misaligned == {}
    axes = {'imu__gyroscope__scale_factor': [500.0, 100.0, 0.0]}
    assert not settings(**axes).calibrates
    asked = axes | {'estimate_gyroscope_axes': True, 'imu__gyroscope__misalignment': [2.0]}
    own = settings(**asked).gyroscope
    assert (own.scale_sigma, own.misalignment_sigma) == approx((5e-4, 2e-3), rel=1e-12, abs=0.0)
    named = {'misaligned_sensors': ['sun_sensor/fine', 'magnetometer']}
    for sigmas, expected in (([0.5], (0.5, 0.5)), ([0.5, 2.0], (0.5, 2.0))):
        found = settings(**named, misalignment=sigmas).misaligned
        assert list(found) == named['misaligned_sensors']
        assert list(found.values()) == approx([one * DEGREE for one in expected], rel=1e-12)
    watched = estimator.watch(estimator.checked(GIVEN | {
        name.replace('__', '.'): value for name, value in asked.items()
    }))  # fmt: skip
    assert watched.suspect.calibrated


STARS = {'star_tracker.enabled': True, 'magnetometer.enabled': True}


@pytest.mark.parametrize(
    ('given', 'message'),
    [
        ({'estimate_gyroscope_axes': True}, 'imu.gyroscope.scale_factor is 0 ppm and'),
        ({'estimate_gyroscope_axes': True, 'imu.gyroscope.misalignment': [1.0, 60.0, 2.0]},
         'misalignment up to 60 mrad; with estimate_gyroscope_axes give at most 50000 ppm and 50'),
        ({'misaligned_sensors': ['star_tracker', 'magnetometer']},
         'misaligned_sensors: .* are all sensors of the estimator'),
        ({'misaligned_sensors': ['sun_sensor/fine']},
         "misaligned_sensors: 'sun_sensor/fine' is no sensor of the estimator"),
        ({'misaligned_sensors': ['magnetometer'] * 2}, "misaligned_sensors has 'magnetometer'"),
        ({'misaligned_sensors': ['magnetometer'], 'misalignment': [0.1, 0.2]},
         'misalignment has 2 values, but misaligned_sensors has 1'),
        ({'misaligned_sensors': ['magnetometer'], 'misalignment': []}, 'misalignment has 0'),
        ({'misalignment': [math.nan]}, 'misalignment'),
        ({'misalignment': [1e308]}, 'misalignment'),
        ({**ORBIT, 'sun_cells': ['left'], 'sun_cell.left.direction': [1.0, 0.0, 0.0],
          'misaligned_sensors': ['sun_sensor/left']}, 'is a Sun cell'),
    ],
)  # fmt: skip
def test_what_can_never_be_observed_is_refused_by_name(given, message):
    with pytest.raises(ParameterError, match=message):
        estimator.checked(STARS | given)


def test_without_an_orbit_the_field_is_that_of_the_parameter():
    given = {'magnetometer.enabled': True, 'magnetic_field': [1e-5, -2e-5, 3e-5]}
    here = estimator.around(estimator.checked(given))(7.0)
    assert here[AROUND.of('magnetic_field_W')].tolist() == [1e-5, -2e-5, 3e-5]


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({}, 'the estimator has a gyroscope alone'),
        ({'sun_cells': ['left']}, "orbit.model is 'none'"),
        ({'horizon_sensor.enabled': True}, "orbit.model is 'none'"),
        ({'star_tracker.enabeld': True}, 'star_tracker.enabled'),
        ({'star_tracker.enabled': True, 'false_alarm': math.nan}, 'false_alarm'),
        (
            {'magnetometer.enabled': True, 'estimate_magnetometer_bias': True},
            'magnetometer.bias is 0 nT',
        ),
        ({**ORBIT, 'sun_cells': ['one'], 'sun_sensors': ['one']}, 'one'),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, said):
    with pytest.raises(ParameterError, match=said):
        estimator.checked(given)


def test_an_estimator_aboard_gets_what_its_node_would_hear():
    """New readings of sensors that it knows; what sees nothing sends no message."""
    found = scenario.load(scenario.find('cubesat_3u_mission'))
    aboard, instant = OnboardEstimator(found), found.first_instant()
    names = names_heard(aboard.estimator.settings.sensors)
    sensors = {'star_tracker', 'sun_sensor/fine', 'magnetometer'}
    flat = {**instant.readings.flat, 'star_tracker': np.array((6.0, 1.0, 0.0, 0.0, 0.0))}
    assert {*aboard.estimator.settings.sensors} == sensors
    for read, silent, expected in (
        ({'imu', *sensors}, (), {'gyroscope', *sensors}),
        ({'imu', *sensors}, {'sun_sensor/fine'}, {'gyroscope', *sensors} - {'sun_sensor/fine'}),
        (
            {'star_tracker', 'magnetometer', 'sun_sensor/x_plus'},
            (),
            {'star_tracker', 'magnetometer'},
        ),
        ({'imu', 'star_tracker'}, {'magnetometer'}, {'gyroscope', 'star_tracker'}),
    ):
        readings = instant.readings._replace(
            new=frozenset(read), silent=frozenset(silent), tick=9, flat=flat
        )
        now = instant._replace(readings=readings, tick=9, elapsed=9)
        assert now.stamp == 45 * 10**8
        told = {one.sensor: one for one in readings_at(now, names)}
        assert told.keys() == expected
        assert told['star_tracker'].time_ns == 3 * 10**9
        assert all(one.time_ns == 45 * 10**8 for name, one in told.items() if name[:4] != 'star')
