# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A torque that changes at readings of the gyroscope: the rate is a straight line in between."""

import itertools
import math

import numpy as np
import pytest
from test_reading_noise import LEVEL, NOISE, WALK, multiplied, settings_of, turning

from spacecraft_attitude_sim.core.estimation import replay
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME, Reading

STEP, GAIN, STARS = 0.5, 0.8, 4e-5  # s, 1/s, rad
SIGMA = NOISE / math.sqrt(STEP)  # of a reading [rad/s]


def damped(seed, readings=40):
    """Return the NIS of the last half of the star tracker's readings.

    A law answers each reading of the gyroscope with an angular acceleration, which stays until the
    next one: so the body turns by the mean of two rates, exactly. The angles are so small that
    turns add.
    """
    rng = np.random.default_rng(seed)
    estimator, nis = AttitudeEstimator(settings_of()), []
    angle, rate, bias = np.zeros(3), np.zeros(3), 1e-4 * rng.normal(size=3)
    for k in range(readings):
        time = round(1e9 * STEP * k)
        read = rate + bias + SIGMA * rng.normal(size=3)
        seen = multiplied(turning(angle), turning(STARS * rng.normal(size=3)))
        given = [Reading(GYROSCOPE_NAME, time, read), Reading('stars', time, seen)]
        estimate = estimator.take(given)
        nis += [judged.nis for judged in estimate.judgements]
        change = -GAIN * STEP * (read - estimate.gyro_bias_B)
        angle, rate = angle + STEP * (rate + 0.5 * change), rate + change
        bias = bias + WALK * math.sqrt(STEP) * rng.normal(size=3)
    return nis[readings // 2 :]


def test_innovations_scatter_as_the_covariance_says_while_a_law_answers_the_noise():
    """Within 4 sigma of chance over 250 flights: 0.14. Along parabolas the mean is 3.4."""
    found = np.concatenate([damped(seed) for seed in range(250)])
    assert abs(np.mean(found) - 3.0) < 4.0 * math.sqrt(2.0 * 3.0 / len(found))


# Readings one after the other [rad/s]: of a slow body, and of a wheel's largest torque from one
# reading on (0.07 rad/s^2), from rest and in a slow turn either way.
STEPS = [(spin, torque) for spin in (0.0, 0.02, -0.04) for torque in (0.07, -0.07)]
STEPPED = [
    (0.0, 1e-3, 1e-3, 2e-3, 2e-3, 2e-3),
    *((spin, spin, spin, spin + STEP * torque) for spin, torque in STEPS),
]


@pytest.mark.parametrize('rates', STEPPED)
def test_torques_that_step_at_readings_turn_the_attitude_by_the_mean_of_two_rates(rates):
    """Exactly, but for rounding: along parabolas 4e-5 rad are wrong in the first, 1.5e-3 then."""
    estimator, axis = AttitudeEstimator(settings_of()), np.array((0.6, 0.0, -0.8))
    estimator.take([Reading(GYROSCOPE_NAME, 0, rates[0] * axis), Reading('stars', 0, LEVEL)])
    for k, rate in enumerate(rates[1:], start=1):
        estimate = estimator.take([Reading(GYROSCOPE_NAME, round(1e9 * STEP * k), rate * axis)])
    turn = 0.5 * STEP * sum(a + b for a, b in itertools.pairwise(rates))
    assert np.allclose(estimate.q_WB, turning(turn * axis), rtol=0.0, atol=1e-15)


def test_a_straight_line_will_do_where_it_turns_the_attitude_by_a_tenth_of_the_noise():
    """The rate that nutates is lost by the second term of the trapezium rule, as in a disc."""
    lost = 0.1 * NOISE / math.sqrt(100.0)
    rate = (lost / (2.0 / math.sqrt(27.0) / 12.0 * STEP**2)) ** (1.0 / 3.0)
    assert not replay.bends(0.999 * rate, STEP, NOISE, 100.0)
    assert replay.bends(1.001 * rate, STEP, NOISE, 100.0)
    assert replay.bends(0.9 * rate, STEP, NOISE, 200.0)
    # Of a gyroscope without noise every bend counts.
    assert replay.bends(1e-3, STEP, 0.0, 100.0)
    assert not replay.bends(0.0, STEP, 0.0, 100.0)
    assert not replay.bends(math.nan, STEP, NOISE, 100.0)


def test_the_rate_that_counts_is_that_without_the_bias():
    """A body at rest, whose gyroscope has a bias of 6 deg/s that the estimator knows."""
    settings = settings_of()
    events = np.zeros((3, replay.EVENT.size))
    events[:, replay.TIME] = 0.0, 0.5e9, 1e9
    events[:, replay.READING] = 0.1, 0.1, 0.1 + 1e-3
    estimates = np.zeros((3, settings.places.size))
    estimates[:, 0], estimates[:, replay.GYRO_BIAS] = 1.0, 0.1
    scratch = replay.scratch_of(settings.places)
    for bias, turn in ((0.1, 0.25e-3), (0.0, 0.05 + 5e-3 / 12.0 * 0.5)):
        estimates[:2, replay.GYRO_BIAS] = bias
        flat, at = estimates.ravel(), 2 * settings.places.size
        replay.replay(events.ravel(), flat, settings.constants(True), True, 2, 3, scratch)
        found = 2.0 * math.atan2(flat[at + 1], flat[at])
        assert found == pytest.approx(turn, rel=1e-9)
