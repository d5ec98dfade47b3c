# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of a triad: each term alone, Allan deviations, channels that do not interfere."""

import numpy as np
import pytest
import scipy.signal

from spacecraft_attitude_sim.configuration import parameters, scenario
from spacecraft_attitude_sim.configuration.sensors.imu import GYROSCOPE, IMU_MODELS
from spacecraft_attitude_sim.configuration.sensors.units import SI
from spacecraft_attitude_sim.configuration.share import share_directory
from spacecraft_attitude_sim.core.sensors import TriadErrors, triad
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS, TICKS_PER_SECOND

HOUR = 3600 * TICKS_PER_SECOND
STILL = np.zeros((HOUR, 3))
TURNING = np.array(((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0), (-1.0, 2.0, 0.5)))
MEMBERS = range(4)


def each(value):
    return (value,) * 3


def gyroscope(**parameters):
    """Return the TriadErrors of parameters in datasheet units, by way of a scenario."""
    given = {f'imu.gyroscope.{name}': value for name, value in parameters.items()}
    return scenario.build(given, 'test').sensors.imu.gyroscope


def hour_of(errors, seed=1, member=0):
    """Return an hour (115200, 3) of a triad at rest."""
    return triad.readings(errors.flat, STILL, seed, member, 0)


def allan_variance(series, ticks):
    """Return the overlapping Allan variance (axes,) of (n, axes) for an averaging time in ticks.

    IEEE Std 952, annex C: half the mean square of second differences of the integral.
    """
    angle = np.vstack((np.zeros((1, series.shape[1])), np.cumsum(series, axis=0)))
    second = angle[2 * ticks :] - 2.0 * angle[ticks:-ticks] + angle[: -2 * ticks]
    return np.mean(second**2, axis=0) / (2.0 * ticks**2)


def flicker_allan_variance(tau):
    """Return the exact Allan variance of the sum of Gauss-Markov processes for B = 1."""
    ratio = tau / triad.CORRELATION_SECONDS
    terms = 1.0 - (3.0 - 4.0 * np.exp(-ratio) + np.exp(-2.0 * ratio)) / (2.0 * ratio)
    return np.sum(2.0 * triad.FLICKER_FACTOR**2 / ratio * terms)


# What an hour says of a coefficient: at the averaging time tau it has 3600 s / tau independent
# averages, so an Allan deviation has a relative standard error of (2 (3600 s / tau - 1))^-1/2
# (IEEE Std 952); of 12 such series together it is 12^-1/2 of that. Four of them are allowed.
@pytest.mark.parametrize(
    ('name', 'coefficient', 'unit', 'tau', 'factor'),
    [
        ('angle_random_walk', 0.15, 'deg/sqrt(h)', 1.0, 1.0),
        ('angle_random_walk', 0.15, 'deg/sqrt(h)', 10.0, 10.0**-0.5),
        ('bias_instability', 2.0, 'deg/h', 30.0, 0.664),
        ('bias_instability', 2.0, 'deg/h', 100.0, 0.664),
        ('rate_random_walk', 5.0, 'deg/h/sqrt(h)', 30.0, 10.0**0.5),
        ('rate_random_walk', 5.0, 'deg/h/sqrt(h)', 100.0, (100.0 / 3.0) ** 0.5),
    ],
)
def test_allan_deviation_of_an_hour_gives_back_the_coefficient(
    name, coefficient, unit, tau, factor
):
    errors = gyroscope(**{name: coefficient})
    expected = coefficient * SI[unit] * factor
    averaged = round(tau * TICKS_PER_SECOND)
    variances = np.array([allan_variance(hour_of(errors, 1, m), averaged) for m in MEMBERS])
    standard_error = (2.0 * (3600.0 / tau - 1.0)) ** -0.5
    # The floor of the flicker model itself is within 1.5 % of 0.664 B here.
    model = 0.015 if name == 'bias_instability' else 0.0
    deviations = np.sqrt(variances) / expected - 1.0
    assert np.all(np.abs(deviations) < 4.0 * standard_error + model)
    pooled = np.sqrt(np.mean(variances)) / expected - 1.0
    assert abs(pooled) < 4.0 * standard_error / np.sqrt(variances.size) + model


def test_allan_deviation_of_all_terms_together_is_their_sum():
    errors = gyroscope(angle_random_walk=0.15, bias_instability=2.0, rate_random_walk=5.0)
    walk, flicker, rate_walk = (
        each[0] for each in (errors.noise_density, errors.bias_instability, errors.random_walk)
    )
    hour = np.hstack([hour_of(errors, 2, member) for member in MEMBERS])
    for tau in (0.25, 1.0, 5.0, 30.0, 100.0):
        expected = (
            walk**2 / tau + flicker**2 * flicker_allan_variance(tau) + rate_walk**2 * tau / 3
        )
        found = np.mean(allan_variance(hour, round(tau * TICKS_PER_SECOND)))
        standard_error = (2.0 * (3600.0 / tau - 1.0) * hour.shape[1]) ** -0.5
        assert np.sqrt(found / expected) == pytest.approx(1.0, abs=4.0 * standard_error), tau


def test_floor_of_the_flicker_model_is_flat_at_0664():
    floor = np.sqrt(2.0 * np.log(2.0) / np.pi)
    assert floor == pytest.approx(0.664, abs=5e-4)
    for low, high, tolerance in ((3.0, 5000.0, 0.06), (20.0, 3000.0, 0.015)):
        for tau in np.geomspace(low, high, 50):
            found = np.sqrt(flicker_allan_variance(tau))
            assert found == pytest.approx(floor, rel=tolerance), tau


def test_units_of_datasheets():
    degree = np.pi / 180.0
    # 1 deg/sqrt(h) grows to a degree in an hour: white noise of 1/60 deg/s/sqrt(Hz) on both sides.
    assert gyroscope(angle_random_walk=1.0).noise_density[0] == pytest.approx(degree / 60.0)
    assert gyroscope(bias_instability=1.0).bias_instability[0] == pytest.approx(degree / 3600.0)
    assert gyroscope(rate_random_walk=1.0).random_walk[0] == pytest.approx(
        degree / 3600.0 / 60.0, rel=1e-6, abs=0.0
    )
    assert gyroscope(turn_on_bias=1.0).bias[0] == pytest.approx(degree / 3600.0)
    assert gyroscope(scale_factor=500.0).scale_factor[0] == pytest.approx(5e-4)
    assert gyroscope(misalignment=1.0).misalignment[0] == pytest.approx(1e-3)
    assert gyroscope(range=400.0).limit[0] == pytest.approx(400.0 * degree)
    assert gyroscope(resolution=[1.0, 2.0, 3.0]).resolution[1] == pytest.approx(2.0 * degree)
    given = {
        'imu.accelerometer.velocity_random_walk': 0.06,
        'imu.accelerometer.turn_on_bias': 1000.0,
        'imu.accelerometer.range': 10.0,
        'imu.accelerometer.bias_instability': 100.0,
        'imu.accelerometer.acceleration_random_walk': 60.0,
        'imu.accelerometer.resolution': 40.0,
    }
    found = scenario.build(given, 'test').sensors.imu.accelerometer
    assert found.noise_density[0] == pytest.approx(0.001)
    assert found.bias[0] == pytest.approx(9.80665e-3)
    assert found.limit[0] == pytest.approx(98.0665)
    assert found.bias_instability[0] == pytest.approx(9.80665e-4)
    # The root of an hour is that of 60² s: 60 micro-g/sqrt(h) are one micro-g/sqrt(s).
    assert found.random_walk[0] == pytest.approx(9.80665e-6)
    assert found.resolution[0] == pytest.approx(40.0 * 9.80665e-6)


def test_angle_error_of_white_noise_grows_as_the_walk_says():
    errors = gyroscope(angle_random_walk=0.15)
    ends = np.array([np.sum(hour_of(errors, 3, m), axis=0) * TICK_SECONDS for m in range(20)])
    # 60 walks of an hour: their root mean square is known to 9 %; 4 sigma.
    assert np.sqrt(np.mean(ends**2)) == pytest.approx(0.15 * np.pi / 180.0, rel=0.37)


def test_turn_on_bias_is_constant_in_a_run_and_differs_between_runs():
    errors = TriadErrors(bias=each(2.0))
    runs = np.array([triad.readings(errors.flat, STILL[:99], s, 0, 0) for s in range(400)])
    assert np.all(runs == runs[:, :1])
    # 1200 deviates: their standard deviation is known to 2 %; 4 sigma.
    assert np.std(runs[:, 0]) == pytest.approx(2.0, rel=0.08)


def test_scale_factor_scales_each_axis_and_nothing_else():
    errors = TriadErrors(scale_factor=each(1e-3))
    read = triad.readings(errors.flat, TURNING, 5, 0, 0)
    ratio = np.diag(read[:3]) / np.diag(TURNING[:3])
    assert np.all(read[~np.eye(4, 3, dtype=bool)][:6] == 0.0)
    assert np.allclose(read[3], ratio * TURNING[3], rtol=1e-15, atol=0.0)
    drawn = [
        triad.readings(errors.flat, TURNING[:1], seed, 0, 0)[0, 0] - 1.0 for seed in range(1000)
    ]
    assert np.std(drawn) == pytest.approx(1e-3, rel=0.09)  # 4 sigma of 1000 deviates


def test_misalignment_tilts_unit_sensing_axes():
    errors = TriadErrors(misalignment=each(1e-2))
    read = triad.readings(errors.flat, np.eye(3), 5, 0, 0)
    axes = read.T  # row i: how axis i sees x, y, z
    assert np.allclose(np.linalg.norm(axes, axis=1), 1.0, rtol=1e-15)
    tilts = axes[~np.eye(3, dtype=bool)]
    assert np.all(tilts != 0.0)
    assert np.all(np.abs(tilts) < 5e-2)
    seeds = [triad.readings(errors.flat, np.eye(3)[:1], seed, 0, 0)[0, 1:] for seed in range(500)]
    assert np.std(seeds) == pytest.approx(1e-2, rel=0.09)


def test_reading_saturates_at_its_range():
    errors = TriadErrors(limit=(1.0, 2.0, 0.0))
    truth = np.array(((5.0, -5.0, 5.0), (0.5, -1.5, -5.0)))
    read = triad.readings(errors.flat, truth, 0, 0, 0)
    assert read.tolist() == [[1.0, -2.0, 5.0], [0.5, -1.5, -5.0]]


def test_reading_is_rounded_to_the_nearest_step():
    errors = TriadErrors(resolution=each(0.25))
    truth = np.linspace(-1.0, 1.0, 3003).reshape(-1, 3)
    read = triad.readings(errors.flat, truth, 0, 0, 0)
    assert np.all(read / 0.25 == np.round(read / 0.25))
    assert np.max(np.abs(read - truth)) <= 0.125


def test_a_filter_is_the_exact_one_of_lines_between_readings():
    """SciPy's first-order hold of 2 π f/(s + 2 π f), an axis of each bandwidth, one without."""
    bandwidth, period = (2.0, 30.0, 0.0), 0.05
    truth = np.random.default_rng(1).normal(size=(200, 3))
    errors = TriadErrors(bandwidth=bandwidth, bias=(0.0, 0.0, 1.0), period=period)
    read = triad.readings(errors.flat, truth, 3, 0, 0)
    for axis in (0, 1):
        f = 2.0 * np.pi * bandwidth[axis]
        low_pass = [np.array([[value]]) for value in (-f, f, 1.0, 0.0)]
        A, B, C, D, _ = scipy.signal.cont2discrete(low_pass, period, 'foh')
        # It begins in balance, as after its input was the first reading for ever.
        state = (1.0 - D[0, 0]) * truth[0, axis] / C[0, 0]
        _, wanted, _ = scipy.signal.dlsim((A, B, C, D, period), truth[:, axis], x0=[state])
        assert read[:, axis] == pytest.approx(wanted[:, 0], rel=1e-12, abs=1e-13)
    assert np.ptp(read[:, 2] - truth[:, 2]) < 1e-15


def test_a_sine_passes_a_filter_weaker_and_later_as_its_bandwidth_says():
    """At a third of it by 1/√(1 + 1/9) and atan(1/3), but for the lines: (ω T)²/12 = 9e-6."""
    f, times = 2.0 * np.pi, np.arange(4000) * 1e-2 / 6.0
    errors = TriadErrors(bandwidth=each(3.0), period=times[1])
    read = triad.readings(errors.flat, np.column_stack([np.sin(f * times)] * 3), 0, 0, 0)
    wanted = np.sin(f * times - np.arctan(1.0 / 3.0)) / np.sqrt(1.0 + 1.0 / 9.0)
    settled = times > 2.0  # 38 time constants
    assert read[settled] == pytest.approx(np.column_stack([wanted] * 3)[settled], abs=2e-5)


def test_without_errors_the_reading_is_the_truth_and_each_default_is_none():
    assert scenario.build({}, 'test').sensors.imu.gyroscope.none
    assert scenario.build({}, 'test').sensors.imu.accelerometer.none
    for field in GYROSCOPE.values():
        assert not gyroscope(**{field.name: 1.0}).none


def test_one_channel_on_or_off_changes_no_other_bit_for_bit():
    everything = {
        'noise_density': each(1e-3), 'bias_instability': each(1e-4), 'random_walk': each(1e-5),
        'bias': each(1e-2), 'scale_factor': each(1e-3), 'misalignment': each(1e-3),
    }  # fmt: skip
    rows = {
        'bias': [3],
        'random_walk': [4],
        'bias_instability': [5, 6, 7, 8, 9],
    }

    def states(errors):
        """Return the state (10, 3) after each of 50 ticks, and the readings at rest."""
        state, found, read = np.full(triad.STATE.size, np.nan), [], []
        for tick in range(50):
            read.append(triad.read_next(errors.flat, state, triad.NONE, 7, 0, 8, tick))
            found.append(state[:30].reshape(10, 3).copy())
        return np.array(found), np.array(read)

    whole, _ = states(TriadErrors(**everything))
    for name in everything:
        without, _ = states(TriadErrors(**{k: v for k, v in everything.items() if k != name}))
        same = [row for key, where in rows.items() if key != name for row in where]
        assert np.array_equal(without[:, same], whole[:, same]), name
        alone, read = states(TriadErrors(**{name: everything[name]}))
        if name in rows:
            assert np.array_equal(alone[:, rows[name]], whole[:, rows[name]]), name
            assert np.any(read != 0.0)
    # White noise is in no state: alone it is the reading, and with the rest it is what is left.
    _, alone = states(TriadErrors(noise_density=everything['noise_density']))
    state, read = states(TriadErrors(**everything))
    left = read - np.sum(state[:, 3:], axis=1)
    assert np.allclose(left, alone, rtol=0, atol=1e-17)
    only_scale, _ = states(TriadErrors(scale_factor=everything['scale_factor']))
    norms = np.linalg.norm(whole[0, :3], axis=1)
    assert np.allclose(norms, np.diag(only_scale[0, :3]), rtol=1e-15)


@pytest.mark.parametrize('model', IMU_MODELS)
def test_datasheet_set_is_read_and_a_given_value_goes_before_it(model):
    found = scenario.build({'imu.model': model}, 'test')
    assert not found.sensors.imu.gyroscope.none
    # Gyroscopes alone say nothing about accelerometers.
    assert found.sensors.imu.accelerometer.none == model.startswith('astrix')
    again = scenario.parse(scenario.dump(found), 'dump')
    assert again.parameters == found.parameters
    own = scenario.build({'imu.model': model, 'imu.gyroscope.range': 7.0}, 'test')
    assert own.parameters['imu.gyroscope.range'] == [7.0]
    assert own.sensors.imu.accelerometer == found.sensors.imu.accelerometer


def test_every_datasheet_set_can_be_chosen():
    config = share_directory() / 'config'
    files = [*(config / 'sensors').glob('*.yaml'), *(config / 'actuators').glob('*.yaml')]
    models = {
        name
        for parameter in parameters.SIMULATOR
        for name in parameter.choices
        if parameter.name.endswith('.model') and parameter.name != 'orbit.model'
    }
    models |= {
        name
        for _, _, fields in parameters.NAMED
        for field in fields
        for name in field.choices
        if field.name == 'model'
    }
    assert models >= set(IMU_MODELS)
    assert {path.stem for path in files} == models - {'ideal', ''}


def test_rounding_adds_a_twelfth_of_the_square_of_the_step():
    """As of a uniform deviate, of each axis' own step; said and found."""
    steps = np.array((1e-8, 2e-3, 5.0))
    errors = TriadErrors(resolution=tuple(steps))
    assert errors.sample_variance() == pytest.approx(steps**2 / 12.0, rel=1e-14, abs=0.0)
    truth = np.random.default_rng(8).uniform(-50.0, 50.0, size=(20000, 3)) * steps
    found = triad.readings(errors.flat, truth, 0, 0, 0)
    assert np.array_equal(found, np.round(found / steps) * steps)
    # The mean square of 20000 uniform deviates is good to 0.63 %; 4 sigma.
    assert np.mean((found - truth) ** 2, axis=0) == pytest.approx(
        steps**2 / 12.0, rel=0.026, abs=0
    )
    both = TriadErrors(noise_density=each(1e-9), resolution=tuple(steps))
    white = 1e-18 / TICK_SECONDS
    assert both.sample_variance() == pytest.approx(white + steps**2 / 12.0, rel=1e-14, abs=0.0)


def test_each_axis_flickers_by_its_own_coefficient():
    alike, own = (
        triad.readings(gyroscope(bias_instability=given).flat, STILL[:64], 1, 0, 0)
        for given in ([2.0, 2.0, 2.0], [0.0, 2.0, 6.0])
    )
    assert np.ptp(alike, axis=0).min() > 0.0
    assert own == pytest.approx(alike * np.array((0.0, 1.0, 3.0)), rel=1e-12, abs=1e-18)
