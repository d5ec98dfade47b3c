# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Axes of the gyroscope and mountings of sensors, estimated: derivatives, chance, observability.

The truth is made here, by SciPy's rotations; in the last test a CubeSat flies.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT
from scipy.spatial.transform import Rotation
from scipy.stats import chi2
from test_attitude_estimator import FACING, HORIZON, around, from_w_first, w_first
from test_kalman_filter import floats, positive, turning, unit

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation import calibration, replay, smoother
from spacecraft_attitude_sim.core.estimation import kalman_filter as kf
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.gyroscope_watch import Watch, WatchedEstimator
from spacecraft_attitude_sim.core.estimation.replay import ATTITUDE, CELL, DIRECTION, FIELD
from spacecraft_attitude_sim.core.estimation.settings import (
    GYROSCOPE_NAME,
    MOST_MISALIGNED,
    NADIR,
    Gyroscope,
    KnownSensor,
    Reading,
    Settings,
)
from spacecraft_attitude_sim.core.mathematics import random_streams
from spacecraft_attitude_sim.core.sensors import triad

STEP_NS, TICKS, RUNS = 250_000_000, 240, 16
STEP = 1e-9 * STEP_NS
TILTED, TURNED = (0.5, -0.5, 0.5, 0.5), tuple(turning((0.3, -0.9, 1.4)))
GYRO = Gyroscope(TURNED, 2e-5, 1e-7, 3e-4, scale_sigma=2e-3, misalignment_sigma=1e-3)
STARS = KnownSensor(ATTITUDE, TILTED, (5e-5, 5e-5, 3e-4))
SUN = KnownSensor(DIRECTION, TILTED, (1e-3, 2e-3, 1.0))
NADIR_SENSOR = KnownSensor(DIRECTION, HORIZON.q_BS, (2e-3, 1e-3, 1.0), target=NADIR)
COMPASS = KnownSensor(FIELD, TILTED, (5e-8, 5e-8, 5e-8))
EVERY = {'star_tracker': STARS, 'sun_sensor/fine': SUN, 'magnetometer': COMPASS}
INTERVALS = {'star_tracker': 4, 'sun_sensor/fine': 2, 'magnetometer': 2}
MISALIGNED = {'sun_sensor/fine': 0.005, 'magnetometer': 0.01}
ALL = kf.Places.of(field=True, axes=True, mountings=2)


def settings_of(sensors=EVERY, gyroscope=GYRO, misaligned=MISALIGNED, **more):
    return Settings(gyroscope, sensors, misaligned=misaligned, field_bias_sigma=2e-6, **more)


def rate_at(time):
    """Return a rate that turns the body about all axes."""
    return np.array((math.sin(0.11 * time), math.cos(0.07 * time), math.sin(0.05 * time + 1.0)))


class World:
    """Seeded truths of several runs, and what their sensors read.

    rotation: [tick] of all runs;  bias, field_bias: (runs, 3), the first one of the last tick
    axes: (runs, 3, 3);  turns: {sensor: (runs, 3)};  readings: [run][tick] of Reading
    """

    def __init__(self, settings, runs=1, ticks=TICKS, seed=1, speed=0.05):
        own, generator = settings.gyroscope, np.random.default_rng(seed)
        normal, self.settings = generator.normal, settings
        now = FACING * Rotation.from_rotvec(0.3 * normal(size=(runs, 3)))
        bias = own.bias_sigma * normal(size=(runs, 3))
        self.field_bias = settings.field_bias_sigma * normal(size=(runs, 3))
        sigma = own.axes_sigma if own.calibrated else np.zeros((3, 3))
        self.axes = sigma * normal(size=(runs, 3, 3))
        self.turns = {
            name: sigma * normal(size=(runs, 3)) for name, sigma in settings.misaligned.items()
        }
        self.rotation, self.readings = [], [[] for _ in range(runs)]
        mounted = from_w_first(own.q_BS)
        for tick in range(ticks):
            if tick:
                for k in range(10):
                    time = STEP * (tick - 1 + (k + 0.5) / 10)
                    now = now * Rotation.from_rotvec(speed * rate_at(time) * STEP / 10)
                bias = bias + own.bias_walk * math.sqrt(STEP) * normal(size=(runs, 3))
            omega_S = mounted.inv().apply(speed * rate_at(STEP * tick))
            said = omega_S + self.axes @ omega_S + mounted.inv().apply(bias)
            said += own.rate_noise / math.sqrt(STEP) * normal(size=(runs, 3))
            self.rotation.append(now)
            read = {
                name: self.seen(name, sensor, now, tick, normal)
                for name, sensor in settings.sensors.items()
            }
            for run in range(runs):
                ours = [Reading(GYROSCOPE_NAME, tick * STEP_NS, said[run])]
                ours += [
                    Reading(name, tick * STEP_NS, values[run])
                    for name, values in read.items()
                    if tick % INTERVALS.get(name, 2) == 0 and np.isfinite(values[run]).all()
                ]
                self.readings[run].append(ours)
        self.bias = bias

    def seen(self, name, sensor, now, tick, normal):
        """Return what a sensor reads in all runs."""
        mounted = from_w_first(sensor.q_BS)
        if name in self.turns:
            mounted = mounted * Rotation.from_rotvec(self.turns[name])
        noise = np.asarray(sensor.sigma) * normal(size=(len(now), 3))
        if sensor.kind == ATTITUDE:
            return w_first(now * mounted * Rotation.from_rotvec(noise))
        here = around(STEP * tick)
        v_W = here[AROUND.of('magnetic_field_W')]
        if sensor.kind == DIRECTION:
            v_W = here[AROUND.of('to_sun_W')]
            v_W = -here[AROUND.of('position_W')] / 7e6 if sensor.target == NADIR else v_W
        v_S = (now * mounted).inv().apply(v_W)
        if sensor.kind == FIELD:
            return v_S + self.field_bias + noise
        a, b = (np.arctan2(v_S[:, k], v_S[:, 2]) + noise[:, k] for k in range(2))
        v = np.stack((np.tan(a), np.tan(b), np.ones(len(a))), axis=1)
        return np.where((np.maximum(np.abs(a), np.abs(b)) < 1.0)[:, np.newaxis], v, np.nan)

    def error(self, estimate, tick, run=0):
        """Return the whole error state of an Estimate."""
        turn = from_w_first(estimate.q_WB).inv() * self.rotation[tick][run]
        parts = [turn.as_rotvec(), self.bias[run] - estimate.gyro_bias_B]
        if self.settings.field_bias_sigma:
            parts.append(self.field_bias[run] - estimate.field_bias_S)
        known = estimate.calibration
        if known and known.gyro_axes_S:
            parts.append((self.axes[run] - known.gyro_axes_S.value).ravel())
        for name in self.settings.mountings:
            # The error of the mounting is about the axes of the sensor as they are estimated.
            found = Rotation.from_rotvec(known.misalignments_S[name].value)
            parts.append((found.inv() * Rotation.from_rotvec(self.turns[name][run])).as_rotvec())
        return np.concatenate(parts)


def flown(world, run=0, estimator=None):
    """Return the last Estimate of a run."""
    estimator = estimator or AttitudeEstimator(world.settings, around)
    estimate = None
    for readings in world.readings[run]:
        estimate = estimator.take(readings)
    return estimate


# --- equations ----------------------------------------------------------------------------------


def estimate_of(generator, covariance):
    """Return an estimate of ALL with errors of the axes of some percent."""
    head = np.concatenate((unit(generator), 1e-2 * generator.normal(size=6)))
    axes = 0.03 * generator.normal(size=9)
    mountings = [unit(generator) for _ in range(2)]
    noises = np.zeros(ALL.size - ALL.noises)
    return np.concatenate((head, axes, covariance.ravel(), *mountings, noises))


def moved(estimate, error):
    """Return an estimate moved by an error state, by SciPy."""
    other, n = estimate.copy(), ALL.n
    other[4:10] += error[3:9]
    other[10:19] += error[9:18]
    for place, turn in ((0, error[:3]), (19 + n * n, error[18:21]), (23 + n * n, error[21:])):
        now = from_w_first(estimate[place : place + 4]) * Rotation.from_rotvec(turn)
        other[place : place + 4] = w_first(now)
    return other


def test_the_errors_of_the_axes_are_taken_out_of_a_rate():
    generator = np.random.default_rng(1)
    estimate, mounted = estimate_of(generator, np.eye(ALL.n)), from_w_first(TURNED)
    omega_B = generator.normal(size=3)
    measured_S = (np.eye(3) + estimate[10:19].reshape(3, 3)) @ mounted.inv().apply(omega_B)
    found = kf.without_axes(estimate, TURNED, floats(mounted.apply(measured_S)))
    assert np.allclose(found, omega_B, rtol=0, atol=1e-15)


@pytest.mark.parametrize('speed', [0.0, 0.02, 3.0])
def test_a_step_is_the_derivative_of_the_motion_by_all_errors(speed):
    """The motion is SciPy's at a constant measured rate; differences are central."""
    generator, step, n = np.random.default_rng(2), 0.25, ALL.n
    before = positive(generator, n, 1e-4)
    estimate, read_B = estimate_of(generator, before), speed * generator.normal(size=3)
    mounted = from_w_first(TURNED)

    def turn_of(one):
        own = np.eye(3) + one[10:19].reshape(3, 3)
        omega_S = np.linalg.solve(own, mounted.inv().apply(read_B - one[4:7]))
        return step * mounted.apply(omega_S)

    def ahead(error):
        one = moved(estimate, error)
        return from_w_first(one[:4]) * Rotation.from_rotvec(turn_of(one))

    phi, small, level = np.eye(n), 1e-5, ahead(np.zeros(n)).inv()
    for k, error in enumerate(small * np.eye(n)):
        change = (level * ahead(error)).as_rotvec() - (level * ahead(-error)).as_rotvec()
        phi[:3, k] = change / (2.0 * small)
    after = estimate.copy()
    given = floats(turn_of(estimate)), step, (0.0, 0.0, 0.0), TURNED
    kf.propagate(after, ALL, *given, np.zeros(ALL.scratch))
    found = after[19 : 19 + n * n].reshape(n, n)
    assert np.allclose(found, phi @ before @ phi.T, rtol=0, atol=1e-9 * before.max())
    assert (found == found.T).all()
    assert (after[4:19] == estimate[4:19]).all()
    assert (after[19 + n * n :] == estimate[19 + n * n :]).all()
    assert np.allclose(after[:4], w_first(ahead(np.zeros(n))), rtol=0, atol=1e-15) or np.allclose(
        after[:4], -w_first(ahead(np.zeros(n))), rtol=0, atol=1e-15
    )


def test_a_turn_is_that_of_a_rate_that_changes_linearly_without_the_errors_of_the_axes():
    """From one reading of the gyroscope to the next, half a second later."""
    generator = np.random.default_rng(6)
    estimate, rates_B = (
        estimate_of(generator, np.zeros((ALL.n, ALL.n))),
        generator.normal(size=(2, 3)),
    )
    own, mounted = np.eye(3) + estimate[10:19].reshape(3, 3), from_w_first(TURNED)
    events = np.array([replay.event_of(replay.GYROSCOPE, -1, 0.1 * rate) for rate in rates_B])
    events[1, replay.TIME] = 5e8
    begin, end = (
        mounted.apply(np.linalg.solve(own, mounted.inv().apply(0.1 * rate - estimate[4:7])))
        for rate in rates_B
    )
    around = replay.readings_around(events.ravel(), 1)
    turn = replay.turn_between(events.ravel(), 1, around, estimate, ALL, TURNED)
    expected = 0.25 * (begin + end) + 0.25 / 12.0 * np.cross(begin, end)
    assert np.allclose(turn, expected, rtol=0, atol=1e-15)


def test_a_parabola_is_that_of_rates_without_the_errors_of_the_axes():
    """From the second of three readings of the gyroscope to the third, half a second apart."""
    generator = np.random.default_rng(7)
    estimate = estimate_of(generator, np.zeros((ALL.n, ALL.n)))
    rates_B = 0.1 * generator.normal(size=(3, 3))
    own, mounted = np.eye(3) + estimate[10:19].reshape(3, 3), from_w_first(TURNED)
    events = np.array([replay.event_of(replay.GYROSCOPE, -1, rate) for rate in rates_B])
    events[:, replay.TIME] = 0.0, 5e8, 1e9
    earlier, begin, end = (
        mounted.apply(np.linalg.solve(own, mounted.inv().apply(rate - estimate[4:7])))
        for rate in rates_B
    )
    around = replay.readings_around(events.ravel(), 2)
    turn = replay.turn_between(events.ravel(), 2, around, estimate, ALL, TURNED)
    bend = end - 2.0 * begin + earlier
    expected = 0.25 * (begin + end) - 0.5 / 12.0 * bend + 0.25 / 12.0 * np.cross(begin, end)
    assert np.allclose(turn, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize('field', [False, True])
def test_noise_disturbs_neither_axes_nor_mountings(field):
    places = kf.Places.of(field=field, axes=True, mountings=1)
    estimate, n, first = np.zeros(places.size), places.n, places.axes
    estimate[0] = estimate[-4] = 1.0
    noise, scratch = (1e-3, 1e-4, 1e-5), np.zeros(places.scratch)
    kf.propagate(estimate, places, (0.1, 0.2, 0.3), 0.5, noise, TURNED, scratch)
    P = estimate[19 : 19 + n * n].reshape(n, n)
    assert (P[first:] == 0.0).all() and (P[:, first:] == 0.0).all()
    assert np.diag(P)[6:first] == pytest.approx([0.5 * 1e-10] * (first - 6), rel=1e-12, abs=0.0)
    assert (np.diag(P)[:6] > 0.0).all()


@pytest.mark.parametrize('kind', [ATTITUDE, FIELD, DIRECTION])
def test_rows_are_the_derivatives_of_residuals_by_all_errors(kind):
    """Of the second mounting of two; where the residual is zero, they are exact."""
    generator, n, small = np.random.default_rng(4), ALL.n, 1e-4
    known = replay.KNOWN.packed(
        q_BS=TURNED, variance=1.0, weight=1.0, gate=1.0, biased=float(kind == FIELD),
        misaligned=2.0, kind=kind, nadir=0.0, efficacy=1.0, longest=1.0,
    )  # fmt: skip
    for _ in range(10):
        estimate = estimate_of(generator, np.zeros((n, n)))
        now = from_w_first(estimate[:4]) * from_w_first(estimate[ALL.noises - 4 : ALL.noises])
        seen_S = np.array((0.4, -0.6, 0.7)) + 0.1 * generator.normal(size=3)
        event = replay.event_of(kind, 0, w_first(now) if kind == ATTITUDE else seen_S)
        if kind == FIELD:
            event[replay.READING : replay.READING + 3] += estimate[7:10]
        event[replay.REFERENCE : replay.REFERENCE + 3] = now.apply(seen_S)

        def residual(error, estimate=estimate, event=event):
            rows = np.zeros(3 * n)
            found = replay.compared(event, moved(estimate, error), ALL, known, rows)
            return np.array(found), rows.reshape(3, n)

        zero, rows = residual(np.zeros(n))
        assert np.abs(zero).max() < 1e-12
        for k, error in enumerate(small * np.eye(n)):
            slope = (residual(-error)[0] - residual(error)[0]) / (2.0 * small)
            assert np.abs(slope - rows[:, k]).max() < 1e-6, k


def test_a_correction_of_all_errors_is_that_of_least_squares():
    """In information form: P⁻¹ + Hᵀ R⁻¹ H; angles of 1e-3 leave errors of second order."""
    generator, n = np.random.default_rng(7), ALL.n
    before, rows = positive(generator, n, 1e-8), generator.normal(size=(3, n))
    variances, residual = (2e-8, 3e-8, 5e-9), floats(1e-3 * generator.normal(size=3))
    first = estimate_of(generator, before)
    after = np.linalg.inv(np.linalg.inv(before) + (rows.T / variances) @ rows)
    error = after @ (rows.T / variances) @ residual
    estimate = first.copy()
    kf.take(estimate, ALL, rows.ravel(), variances, residual, np.zeros(ALL.scratch))
    found = estimate[19 : 19 + n * n].reshape(n, n)
    assert np.allclose(found, after, rtol=0, atol=1e-10 * before.max())
    estimate[19 : 19 + n * n] = first[19 : 19 + n * n]
    assert np.allclose(estimate, moved(first, error), rtol=0, atol=1e-13)


# --- chance -------------------------------------------------------------------------------------

UNAIDED = Gyroscope(TURNED, 2e-5, 1e-7, 3e-4)
VECTORS = {'sun_sensor/fine': SUN, 'magnetometer': COMPASS, 'horizon_sensor': NADIR_SENSOR}
CASES = {
    'all': settings_of(),
    'mountings alone': settings_of(gyroscope=UNAIDED),
    'axes alone': settings_of(misaligned={}),
    'the sensor that begins': settings_of(misaligned={'star_tracker': 5e-3}),
    'vectors': settings_of(VECTORS, misaligned={'magnetometer': 5e-3}, start_sigma=0.5),
}


@pytest.mark.parametrize('case', CASES)
def test_errors_and_innovations_are_as_large_as_they_say(case):
    """NEES of all errors and NIS of all readings against χ², wrong once in ten thousand."""
    settings = CASES[case]
    world, squares, innovations, freedom = World(settings, RUNS, seed=3), [], 0.0, 0
    for run in range(RUNS):
        estimator = AttitudeEstimator(settings, around)
        for readings in world.readings[run]:
            estimate = estimator.take(readings)
            innovations += sum(judged.nis for judged in estimate.judgements)
            freedom += sum(judged.freedom for judged in estimate.judgements)
        error = world.error(estimate, TICKS - 1, run)
        squares.append(error @ np.linalg.solve(estimate.covariance, error))
        assert sum(count['outside the gate'] for count in estimator.counts.values()) <= 3
    low, high = chi2.interval(0.9999, RUNS * settings.errors)
    assert low < sum(squares) < high
    low, high = chi2.interval(0.9999, freedom)
    assert low < innovations < high


@pytest.fixture(scope='module')
def world():
    return World(CASES['all'], 2, seed=5)


@pytest.fixture(scope='module')
def learnt(world):
    """The last Estimate of a run."""
    return flown(world)


def test_axes_and_mountings_are_found(world, learnt):
    """Each within 4 sigma, and sigma a small part of that at the start."""
    own, settings = learnt.calibration, world.settings
    value, sigma = own.gyro_axes_S
    assert (np.abs(world.axes[0] - value) < 4.0 * sigma).all()
    assert (sigma < 0.5 * settings.gyroscope.axes_sigma).all()
    for name, (turn, sigma) in own.misalignments_S.items():
        assert (np.abs(world.turns[name][0] - turn) < 4.0 * sigma).all(), name
        assert (sigma < 0.2 * settings.misaligned[name]).all(), name
    rate = 0.05 * rate_at(STEP * (TICKS - 1))
    sigma = np.sqrt(np.diag(learnt.rate_covariance_B))
    assert (np.abs(learnt.omega_B - rate) < 4.0 * sigma).all()


def test_the_covariance_of_the_rate_is_that_of_its_derivatives(learnt):
    """By central differences of the rate by bias and axes."""
    settings, small, n = CASES['all'], 1e-6, ALL.n
    flat = np.zeros(ALL.size)
    flat[:4], flat[4:7] = learnt.q_WB, learnt.gyro_bias_B
    flat[10:19] = learnt.calibration.gyro_axes_S.value.ravel()
    flat[19 : 19 + n * n] = learnt.covariance.ravel()
    calibration.put_mountings(flat, settings)
    read_B = np.array((0.05, -0.02, 0.04))
    rows = np.zeros((3, n))
    for k, error in enumerate(small * np.eye(n)):
        ends = [calibration.rate(moved(flat, s * error), settings, read_B) for s in (-1, 1)]
        rows[:, k] = (ends[0] - ends[1]) / (2.0 * small)
    omega_B = calibration.rate(flat, settings, read_B)
    found = calibration.rate_covariance(flat, settings, omega_B, 1e-8)
    expected = rows @ learnt.covariance @ rows.T
    expected += 1e-8 * rows[:, 3:6] @ rows[:, 3:6].T
    assert np.allclose(found, expected, rtol=1e-6, atol=0)


def test_at_rest_nothing_is_learnt_of_the_axes_and_a_turn_tells_those_about_it():
    """About z alone: the scale factor of z, and how x and y lean towards z."""
    own = Gyroscope((1.0, 0.0, 0.0, 0.0), 2e-5, 1e-7, 3e-4, 2e-3, 1e-3)
    settings = settings_of(gyroscope=own)
    still = flown(World(settings, speed=0.0)).calibration.gyro_axes_S.sigma
    assert np.allclose(still, own.axes_sigma, rtol=1e-3, atol=0)

    rate, step = np.array((0.0, 0.0, 0.05)), Rotation.from_rotvec((0.0, 0.0, 0.05 * STEP))
    estimator, now = AttitudeEstimator(settings, around), FACING
    for tick in range(TICKS):
        readings = [Reading(GYROSCOPE_NAME, tick * STEP_NS, rate)]
        attitude = w_first(now * from_w_first(STARS.q_BS))
        readings.append(Reading('star_tracker', tick * STEP_NS, attitude))
        estimate, now = estimator.take(readings), now * step
    ratio = estimate.calibration.gyro_axes_S.sigma / own.axes_sigma
    # A bias explains a constant rate as well, but it is known better than that.
    assert (ratio[:, :2] > 0.99).all() and (ratio[:, 2] < 0.99).all()


# --- in flight ----------------------------------------------------------------------------------


def same(one, other):
    """Whether two Estimates have the same bits."""
    parts = ('q_WB', 'omega_B', 'gyro_bias_B', 'field_bias_S', 'covariance', 'rate_covariance_B')
    pairs = [(getattr(one, name), getattr(other, name)) for name in parts]
    named = [np.array(list(each.calibration.named().values())) for each in (one, other)]
    return all((a == b).all() for a, b in (*pairs, named))


def test_late_readings_give_the_same_bits(world, learnt):
    """Those of the star tracker come 2 s late, in another order, beyond those of others."""
    estimator, held = AttitudeEstimator(world.settings, around), []
    for readings in world.readings[0]:
        stars = [reading for reading in readings if reading.sensor == 'star_tracker']
        held += [reading for reading in stars if reading.time_ns]
        due = [one for one in held if one.time_ns <= readings[0].time_ns - 8 * STEP_NS]
        held = [one for one in held if one not in due]
        estimate = estimator.take([one for one in readings if one not in held] + due[::-1])
    assert not same(estimate, learnt)
    assert same(estimator.take(held), learnt)


def test_a_gap_keeps_what_is_learnt_and_a_reset_forgets_it(world, learnt):
    estimator = AttitudeEstimator(world.settings, around)
    before = flown(world, estimator=estimator)
    gap_ns, rate = 5_000_000_000, [0.3, -0.2, 0.4]
    stamps = [(TICKS - 1) * STEP_NS + gap_ns + k * STEP_NS for k in range(2)]
    alone, after = (estimator.take([Reading(GYROSCOPE_NAME, stamp, rate)]) for stamp in stamps)
    axes, mounted = before.calibration.gyro_axes_S.value, from_w_first(TURNED)
    omega_S = mounted.inv().apply(mounted.apply(rate) - before.gyro_bias_B)
    omega_B = mounted.apply(np.linalg.solve(np.eye(3) + axes, omega_S))
    for known in (alone, after):
        assert np.allclose(known.omega_B, omega_B, rtol=0, atol=1e-14)
    assert before.q_WB is not None and after.q_WB is None
    named = [one.calibration.named() for one in (before, after)]
    assert np.allclose(*(list(one.values()) for one in named), rtol=1e-12, atol=1e-18)
    # The next attitude depends on the misalignment of the sensor that measures it no more than
    # the covariance of both says.
    star = Reading('star_tracker', stamps[1], w_first(Rotation.identity()))
    begun = estimator.take([star])
    assert begun.q_WB is not None and np.linalg.eigvalsh(begun.covariance).min() > 0.0
    estimator.restart()
    fresh = estimator.take([Reading(GYROSCOPE_NAME, stamps[1], rate)]).calibration
    assert (fresh.gyro_axes_S.sigma == world.settings.gyroscope.axes_sigma).all()
    assert (fresh.gyro_axes_S.value == 0.0).all()
    for name, (turn, sigma) in fresh.misalignments_S.items():
        assert (turn == 0.0).all() and np.allclose(sigma, world.settings.misaligned[name])


def test_a_first_attitude_of_a_misaligned_sensor_is_as_uncertain_as_its_mounting():
    """Its error is that of the mounting: known together, they leave the noise alone."""
    settings = CASES['the sensor that begins']
    estimator = AttitudeEstimator(settings, around)
    estimator.take([Reading(GYROSCOPE_NAME, 0, [0.0, 0.0, 0.0])])
    found = estimator.take([Reading('star_tracker', 0, w_first(FACING))])
    place, C_BS = settings.places.mountings, from_w_first(TILTED).as_matrix()
    rows = [0, 1, 2, place, place + 1, place + 2]
    G, P = np.hstack((C_BS.T, np.eye(3))), found.covariance[np.ix_(rows, rows)]
    assert np.allclose(G @ P @ G.T, np.diag(np.square(STARS.sigma)), rtol=1e-9, atol=1e-17)
    sigmas = np.hypot(5e-3, STARS.sigma)
    assert np.allclose(found.sigma, np.abs(C_BS) @ sigmas, rtol=1e-12)


def test_a_first_attitude_of_directions_is_as_uncertain_as_mountings_make_it():
    """Errors of attitude and mountings together, of single frames, against χ²."""
    # A sight has one sigma about all axes.
    sensors = {
        'sun_sensor/fine': replace(SUN, sigma=(2e-3, 2e-3, 1.0)),
        'horizon_sensor': replace(NADIR_SENSOR, sigma=(1e-3, 1e-3, 1.0)),
    }
    misaligned = {'horizon_sensor': 0.02}
    settings = Settings(UNAIDED, sensors, start_sigma=0.5, misaligned=misaligned)
    world, squares = World(settings, 300, ticks=1, seed=8), []
    rows = [0, 1, 2, 6, 7, 8]
    for run in range(300):
        estimate = AttitudeEstimator(settings, around).take(world.readings[run][0])
        error = world.error(estimate, 0, run)[rows]
        P = estimate.covariance[np.ix_(rows, rows)]
        squares.append(error @ np.linalg.solve(P, error))
    low, high = chi2.interval(0.9999, 6 * 300)
    assert low < sum(squares) < high


SUSPECT = Gyroscope(TURNED, 1e-3, 1e-4, 2e-2, 2e-3, 1e-3)


def test_with_the_watch_a_good_gyroscope_has_the_same_bits(world, learnt):
    watched = WatchedEstimator(world.settings, around, Watch(SUSPECT))
    assert same(flown(world, estimator=watched), learnt)
    assert watched.alarms == 0


def test_the_watch_does_not_take_errors_of_the_axes_for_a_fault():
    """Unless they are not estimated: an axis with a scale factor of 5 percent is a bad one."""
    large = Gyroscope(TURNED, 2e-5, 1e-7, 3e-4, scale_sigma=0.05)
    world = World(settings_of(gyroscope=large), 3, seed=2)
    alarms, errors = [], []
    for gyroscope in (large, UNAIDED):
        settings = settings_of(gyroscope=gyroscope)
        every = [WatchedEstimator(settings, around, Watch(SUSPECT)) for _ in range(3)]
        for run, one in enumerate(every):
            estimate = flown(world, run, one)
            if gyroscope is large:
                turn = world.error(estimate, TICKS - 1, run)[:3]
                errors.append(turn @ np.linalg.solve(estimate.covariance[:3, :3], turn))
        alarms.append(sum(one.alarms for one in every))
    assert alarms == [0, 3]
    assert max(errors) < chi2.isf(1e-4, 3)


def test_the_smoother_knows_the_same_constants_at_all_times_and_more_of_the_attitude(world):
    """Nothing disturbs a constant, so all readings tell the same of it at any time."""
    settings, squares = world.settings, []
    for run in range(2):
        every = [reading for readings in world.readings[run] for reading in readings]
        filtered, own = smoother.smoothed(settings, around, every)
        sigma = np.sqrt(np.diag(own.covariance[-1]))
        axes = own.gyro_axes_S.reshape(len(own.time_ns), 9)
        assert (np.abs(axes - axes[-1]) < 1e-3 * sigma[9:18]).all()
        for k, place in ((0, 18), (1, 21)):
            mounted = from_w_first(own.mountings[:, k])
            turns = (mounted.inv() * mounted[-1]).as_rotvec()
            assert (np.abs(turns) < 0.02 * sigma[place : place + 3]).all()
        apart = (own.gyro_axes_S[-1] - filtered.gyro_axes_S[-1]).ravel()
        assert (np.abs(apart) < 0.2 * sigma[9:18]).all()
        assert own.covariance[0, 9:, 9:] == pytest.approx(
            own.covariance[-1, 9:, 9:], rel=1e-2, abs=1e-3 * np.outer(sigma[9:], sigma[9:]).min()
        )
        truth = Rotation.concatenate([now[run] for now in world.rotation])
        middle = TICKS // 4
        turn = (from_w_first(own.q_WB[middle]).inv() * truth[middle]).as_rotvec()
        squares.append(turn @ np.linalg.solve(own.covariance[middle, :3, :3], turn))
        assert np.trace(own.covariance[middle]) < np.trace(filtered.covariance[middle])
    assert max(squares) < chi2.isf(1e-4, 3)


def test_scale_factors_alone_leave_the_other_angles_and_are_smoothed():
    own = Gyroscope(TURNED, 2e-5, 1e-7, 3e-4, scale_sigma=2e-3)
    world = World(settings_of(gyroscope=own, misaligned={}), seed=4)
    every = [reading for readings in world.readings[0] for reading in readings]
    filtered, smoothed = smoother.smoothed(world.settings, around, every)
    for solution in (filtered, smoothed):
        axes = solution.gyro_axes_S[-1]
        assert np.abs(axes - np.diag(np.diag(axes))).max() < 1e-8
        sigma = np.sqrt(np.diag(solution.covariance[-1]))[9:18:4]
        assert (np.abs(np.diag(axes - world.axes[0])) < 4.0 * sigma).all() and max(sigma) < 1e-3
    assert np.isfinite(smoothed.covariance).all()
    assert (np.abs(smoothed.gyro_axes_S[0] - smoothed.gyro_axes_S[-1]) < 1e-5).all()


@pytest.mark.parametrize(
    ('misaligned', 'words'),
    [
        (dict.fromkeys(EVERY, 0.01), 'none says where the axes of the body are'),
        ({'sun_sensor/left': 0.01}, "'sun_sensor/left' is no sensor of the estimator, which has"),
        ({'magnetometer': 0.0}, "'magnetometer' has the standard deviation 0 rad"),
        ({'magnetometer': math.nan}, "'magnetometer' has the standard deviation nan rad"),
    ],
)
def test_what_is_never_observed_is_refused(misaligned, words):
    with pytest.raises(ValueError, match=words):
        settings_of(misaligned=misaligned)


@pytest.mark.parametrize('sigma', [-1e-3, 0.06, math.nan, math.inf, 1e308])
def test_errors_of_the_axes_that_are_not_small_are_refused(sigma):
    with pytest.raises(ValueError, match=r'misalignment_sigma is .*; give from 0 to 0\.05'):
        Gyroscope(misalignment_sigma=sigma)


def test_an_estimate_without_volume_gives_finite_rates():
    """A dead axis may be taken for a scale factor of nothing."""
    estimate = estimate_of(np.random.default_rng(3), np.eye(ALL.n))
    for axes in (-np.eye(3), np.diag((-1.0, 0.0, 0.0)), -np.ones((3, 3)), 1e3 * np.eye(3)):
        estimate[10:19] = axes.ravel()
        assert np.isfinite(kf.without_axes(estimate, TURNED, (0.1, 0.2, 1e4))).all()


def test_cells_and_too_many_sensors_are_refused():
    cells = {'sun_sensor/left': KnownSensor(CELL, TILTED, (0.01, 1.0, 1.0)), **EVERY}
    with pytest.raises(ValueError, match="'sun_sensor/left' is a Sun cell, which does not see"):
        settings_of(cells, misaligned={'sun_sensor/left': 0.01})
    many = {f'sun_sensor/{k}': SUN for k in range(MOST_MISALIGNED + 1)}
    with pytest.raises(ValueError, match='9 sensors are named; give at most 8'):
        settings_of(many | EVERY, misaligned=dict.fromkeys(many, 0.01))


# --- with slews ---------------------------------------------------------------------------------

SEED, SCALE, LEAN = 2, 500e-6, 1e-3
# How the Sun sensor is mounted askew [rad].
ASKEW = np.array((8e-3, -6e-3, 1e-2))


def slewing(**asked):
    """Return the flight of the example; asked: changes of its attitude_estimator."""
    given = {f'attitude_estimator.{name}': value for name, value in asked.items()}
    path = ROOT / 'examples' / 'calibration_slews.yaml'
    return sas.simulate(path, parameters={'seed': SEED, **given})


def test_slews_calibrate_a_cubesat_and_its_attitude_is_known_better():
    """Gyroscope and Sun sensor of the example, in 3 sigma; the errors fall to less than half.

    The truth of the gyroscope is what it reads of unit rates without noise and bias.
    """
    errors = triad.TriadErrors(scale_factor=(SCALE,) * 3, misalignment=(LEAN,) * 3)
    unit_rates = [
        triad.readings(errors.flat, rate[np.newaxis], SEED, 0, random_streams.GYROSCOPE)[0]
        for rate in np.eye(3)
    ]
    before, after = slewing(estimate_gyroscope_axes=False, misaligned_sensors=[]), slewing()
    smoothed = after.smoothed(judged_from=450.0)
    own = smoothed.calibration
    value, sigma = own.gyro_axes_S
    assert (np.abs(value + np.eye(3) - np.transpose(unit_rates)) < 3.0 * sigma).all()
    assert (sigma < np.where(np.eye(3) > 0.0, 0.4 * SCALE, 0.2 * LEAN)).all()
    turn, sigma = own.misalignments_S['sun_sensor/fine']
    assert (np.abs(turn - ASKEW) < 3.0 * sigma).all()
    assert (sigma < 1e-4).all()
    merits = [run.merits(steady_from=450.0) for run in (before, after)]
    for axis in 'xyz':
        largest = [one[f'ake_{axis}_95'] for one in merits]
        assert largest[1] < 0.5 * largest[0], axis
    assert merits[0]['nees_mean'] > 1.5 * merits[1]['nees_mean']
    assert 2.0 < merits[1]['nees_mean'] < 4.0
    # What is told of them stands under the errors.
    lines = str(smoothed).splitlines()
    assert lines[-13] == f'{"estimated, in rad or as a share":34} {"value":>12} {"1 sigma":>10}'
    assert lines[-1].split()[0] == 'sun_sensor/fine/z'
    assert float(lines[-1].split()[1]) == pytest.approx(turn[2], rel=1e-3)
    assert before.smoothed(judged_from=450.0).calibration is None
