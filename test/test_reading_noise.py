# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The noise of a reading of the gyroscope acts in three intervals: the covariance knows it."""

import numpy as np
import pytest

from spacecraft_attitude_sim.core.estimation import kalman_filter as kf
from spacecraft_attitude_sim.core.estimation import replay
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.settings import (
    GYROSCOPE_NAME,
    Gyroscope,
    KnownSensor,
    Reading,
    Settings,
)

NOISE, WALK, STARS = 1e-4, 3e-6, 4e-5  # rad/sqrt(s), rad/s/sqrt(s), rad
LEVEL = np.array((1.0, 0.0, 0.0, 0.0))
# A rate at which the gyroscope's goes along parabolas, and no turn is too fast for it [rad/s].
BENT = 0.06
# Stamps [ns]. Two readings of the gyroscope are lost, so two intervals have straight lines; the
# star tracker reads with the gyroscope, between its readings, and twice in an interval.
RATES_NS = np.array((0, 5, 10, 15, 20, 35, 40, 45, 55, 60, 65, 70, 75, 80)) * 100_000_000
STARS_NS = np.array((0, 5, 7, 9, 15, 20, 26, 30, 35, 41, 44, 55, 61, 70, 75, 80)) * 100_000_000


def settings_of(**more):
    stars = KnownSensor(replay.ATTITUDE, LEVEL, (STARS,) * 3)
    own = Gyroscope(rate_noise=NOISE, bias_walk=WALK, bias_sigma=1e-4)
    return Settings(own, {'stars': stars}, false_alarm=1e-12, gap_ns=2_000_000_000, **more)


def readings_of(rate=0.0):
    """Return readings of a body that turns about its x, without errors, in the order of times."""
    omega = np.array((rate, 0.0, 0.0))
    found = [Reading(GYROSCOPE_NAME, int(time), omega) for time in RATES_NS]
    found += [Reading('stars', int(time), turning(1e-9 * time * omega)) for time in STARS_NS]
    return sorted(found, key=lambda reading: (reading.time_ns, reading.sensor != GYROSCOPE_NAME))


def variances_of_readings():
    """Return the variance of each reading: of white noise over the shorter interval before it."""
    steps = 1e-9 * np.diff(RATES_NS)
    shorter = np.minimum(steps, np.concatenate((steps[:1], steps[:-1])))
    return np.concatenate((NOISE**2 / shorter[:1], NOISE**2 / shorter))


def turns(start, end, bent):
    """Return by how much each reading turns the body from a time to another in one interval [s].

    The polynomials of Lagrange through the readings around, and if bent through the one before,
    integrated by Gauss and Legendre, which is exact for them.
    """
    after = int(np.searchsorted(RATES_NS, end))
    places = [after - 1, after]
    steps = np.diff(RATES_NS)[max(after - 2, 0) : after]
    if bent and after > 1 and steps.max() <= replay.MOST_RATIO * steps.min():
        places.insert(0, after - 2)
    nodes, weights = np.polynomial.legendre.leggauss(2)
    half = 0.5e-9 * (end - start)
    times = 0.5e-9 * (start + end) + half * nodes
    found = np.zeros(len(RATES_NS))
    for j in places:
        values = np.ones(2)
        for k in places:
            if k != j:
                values *= (times - 1e-9 * RATES_NS[k]) / (1e-9 * (RATES_NS[j] - RATES_NS[k]))
        found[j] = half * weights @ values
    return found


def exact_covariances(bent):
    """Return {time [ns]: covariance (2, 2) of one axis} after all readings of each time.

    The noise of every reading of the flight is an element of the state, from the beginning. The
    gain of attitude and bias is that of the filter; the noises are not corrected.
    """
    count = len(RATES_NS)
    P = np.zeros((2 + count, 2 + count))
    P[0, 0], P[1, 1] = STARS**2, 1e-8
    P[2:, 2:] = np.diag(variances_of_readings())
    found, now = {}, 0
    for time in sorted({*RATES_NS.tolist(), *STARS_NS.tolist()}):
        if time > now:
            step, phi, drift = 1e-9 * (time - now), np.eye(2 + count), WALK**2
            phi[0, 1] = -step
            phi[0, 2:] = -turns(now, time, bent)
            P = phi @ P @ phi.T
            P[0, 0] += drift * step**3 / 3.0
            P[1, 1] += drift * step
            P[0, 1] -= drift * step**2 / 2.0
            P[1, 0] = P[0, 1]
        if time > 0 and time in STARS_NS:
            gain = np.zeros(2 + count)
            gain[:2] = P[:2, 0] / (P[0, 0] + STARS**2)
            kept = np.eye(2 + count)
            kept[:, 0] -= gain
            P = kept @ P @ kept.T + STARS**2 * np.outer(gain, gain)
        found[time], now = P[:2, :2].copy(), time
    return found


@pytest.mark.parametrize('rate', [0.0, BENT])
def test_the_covariance_is_that_of_a_filter_with_the_noise_of_all_readings_in_its_state(rate):
    """About the axis of the turn; at rest about all three."""
    estimator, exact = AttitudeEstimator(settings_of()), exact_covariances(rate > 0.0)
    for time in RATES_NS.tolist():
        now = [one for one in readings_of(rate) if time - 2_000_000_000 < one.time_ns <= time]
        estimate = estimator.take([one for one in now if not known(estimator, one)])
        for axis in range(1 if rate else 3):
            own = estimate.covariance[axis::3, axis::3]
            assert np.allclose(own, exact[time], rtol=1e-12, atol=0.0), time
        assert (estimate.covariance[0, 1:3] == 0.0).all()


def known(estimator, reading):
    """Return whether an estimator has a reading already."""
    number = -1 if reading.sensor == GYROSCOPE_NAME else 0
    return len(estimator._history) > 0 and estimator._history.knows(reading.time_ns, number)


@pytest.mark.parametrize('chunk', [1, 7])
def test_late_readings_lead_to_the_same_covariance(chunk):
    """All of the star tracker come at the end, but the first; in chunks."""
    settings, readings = settings_of(history_ns=20_000_000_000), readings_of()
    ordered = AttitudeEstimator(settings)
    first = [one for one in readings if one.time_ns == 0 or one.sensor == GYROSCOPE_NAME]
    for reading in readings:
        # What lies between two readings of the gyroscope waits for the second one.
        expected = ordered.take([reading])
    late = AttitudeEstimator(settings)
    late.take(first[:2])
    for reading in first[2:]:
        late.take([reading])
    rest = [one for one in readings if one.sensor == 'stars' and one.time_ns > 0][::-1]
    for k in range(0, len(rest), chunk):
        found = late.take(rest[k : k + chunk])
    assert (found.covariance == expected.covariance).all()


def scattered(seed, rate):
    """Return error of the attitude, bias's error, their covariance, and NIS of a noisy flight."""
    rng, omega = np.random.default_rng(seed), rate * np.array((0.48, -0.64, 0.6))
    estimator = AttitudeEstimator(settings_of())
    sigmas = np.sqrt(variances_of_readings())
    bias, now = 1e-4 * rng.normal(size=3), 0
    nis = []
    for k, time in enumerate(RATES_NS.tolist()):
        bias = bias + WALK * np.sqrt(1e-9 * (time - now)) * rng.normal(size=3)
        noise = sigmas[k] * rng.normal(size=3)
        given = [Reading(GYROSCOPE_NAME, time, omega + bias + noise)]
        for seen in STARS_NS[(time >= STARS_NS) & ((now < STARS_NS) | (time == 0))].tolist():
            q = multiplied(turning(1e-9 * seen * omega), turning(STARS * rng.normal(size=3)))
            given.append(Reading('stars', seen, q))
        estimate, now = estimator.take(given), time
        nis += [judged.nis for judged in estimate.judgements]
    true = turning(1e-9 * now * omega)
    a = 2.0 * multiplied(estimate.q_WB * (1.0, -1.0, -1.0, -1.0), true)
    a *= np.sign(a[0])
    return np.concatenate((a[1:], bias - estimate.gyro_bias_B)), estimate.covariance, nis


def turning(vector):
    angle = np.linalg.norm(vector)
    half = np.sinc(angle / 2.0 / np.pi) / 2.0
    return np.concatenate(((np.cos(angle / 2.0),), half * vector))


def multiplied(p, q):
    head = p[0] * q[0] - p[1:] @ q[1:]
    return np.concatenate(((head,), p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])))


@pytest.mark.parametrize('rate', [0.04, BENT])
def test_errors_and_innovations_scatter_as_the_covariance_says_while_the_body_turns(rate):
    """NEES of six errors and NIS of three, within 4 sigma of chance over 400 flights.

    With a noise of its own for each interval, NIS is 2.4.
    """
    flights = 400
    nees, nis = [], []
    for seed in range(flights):
        error, P, seen = scattered(seed, rate)
        nees.append(error @ np.linalg.solve(P, error))
        nis.append(np.mean(seen))
    assert abs(np.mean(nees) - 6.0) < 4.0 * np.sqrt(2.0 * 6.0 / flights)
    assert abs(np.mean(nis) - 3.0) < 4.0 * np.sqrt(2.0 * 3.0 / (flights * len(seen)))


def test_a_new_attitude_forgets_the_noise_of_readings():
    """A gap, and a first attitude: nothing is left of readings before it."""
    settings = settings_of()
    estimator = AttitudeEstimator(settings)
    for reading in readings_of():
        estimator.take([reading])
    places, history = settings.places, estimator._history
    assert (history.estimate[places.noises :] != 0.0).any()
    for k in range(3):
        estimator.take([Reading(GYROSCOPE_NAME, 20_000_000_000 + 500_000_000 * k, np.zeros(3))])
    assert not history.begun
    assert (history.estimates[0, places.noises :] == 0.0).all()
    estimator.take([Reading('stars', 21_000_000_000, LEVEL)])
    assert history.begun
    assert (history.estimate[places.noises : places.variances] == 0.0).all()


def test_a_slow_gyroscope_has_less_noise_and_a_lost_reading_does_not():
    events = np.zeros((4, replay.EVENT.size))
    events[:, replay.TIME] = 0.0, 0.5e9, 1.5e9, 2.0e9
    flat, size = events.ravel(), replay.EVENT_SIZE
    found = [replay.reading_variance(flat, size * (k - 1), size * k, 4e-8) for k in (1, 2, 3)]
    assert found == [8e-8, 8e-8, 8e-8]
    events[:, replay.TIME] = 0.0, 1e9, 2e9, 3e9
    assert replay.reading_variance(events.ravel(), size, 2 * size, 4e-8) == 4e-8


def test_shares_are_the_derivatives_of_a_turn():
    """Of any three readings, at rest, where the turn is linear in them."""
    places, estimate = kf.Places.of(False, False, 0), np.zeros(kf.COVARIANCE)
    rng, size = np.random.default_rng(4), replay.EVENT_SIZE
    events = np.zeros((5, replay.EVENT.size))
    events[:, replay.TIME] = 0.0, 0.4e9, 0.6e9, 0.75e9, 1.0e9
    events[2:4, replay.KIND] = replay.ATTITUDE
    readings = rng.normal(size=3)
    events[[0, 1, 4], replay.READING] = readings
    for i in (2, 3, 4):
        around = replay.readings_around(events.ravel(), i)
        assert around == (0, size, 4 * size)
        turn = replay.turn_between(events.ravel(), i, around, estimate, places, LEVEL)
        last, now, before = replay.shares_of(events.ravel(), i, around)
        expected = before * readings[0] + now * readings[1] + last * readings[2]
        assert turn[0] == pytest.approx(expected, rel=1e-13, abs=0.0)
