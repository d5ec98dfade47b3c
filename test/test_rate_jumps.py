# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A rate that jumps between two readings of the gyroscope leaves a turn that nobody measured."""

import numpy as np
import pytest
from test_reading_noise import NOISE, multiplied, settings_of, turning

from spacecraft_attitude_sim.core.estimation import replay
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME, Reading

STEP, SIZE = 0.25, replay.EVENT_SIZE  # s
SIGMA = NOISE / np.sqrt(STEP)  # of a reading [rad/s]


def events_of(rates, steps=STEP):
    """Return events of readings of the gyroscope (n, 3) [rad/s]."""
    events = np.zeros((len(rates), SIZE))
    events[:, replay.TIME] = np.cumsum(np.broadcast_to(steps, len(rates))) * 1e9
    events[:, replay.READING : replay.READING + 3] = rates
    return events.reshape(-1)


def variance_of(rates, steps=STEP):
    """Return what the last interval of four readings adds [rad^2]."""
    return replay.jump_variance(events_of(rates, steps), SIZE, 2 * SIZE, 3 * SIZE, NOISE**2)


def jumping(seed):
    """Return error of the attitude, and covariance, 0.5 s after a jump at a random moment.

    The body spins about a fixed axis, so that its turn is the integral of the rate.
    """
    rng = np.random.default_rng(seed)
    axis, moment = rng.normal(size=3), rng.uniform(1.0, 1.0 + STEP)
    axis, change = axis / np.linalg.norm(axis), rng.uniform(0.1, 0.4)
    estimator = AttitudeEstimator(settings_of())
    for k in range(8):
        time = STEP * k
        rate = (0.02 + change * (time > moment)) * axis + SIGMA * rng.normal(size=3)
        given = [Reading(GYROSCOPE_NAME, round(1e9 * time), rate)]
        if time <= 1.0:
            q = multiplied(turning(0.02 * time * axis), turning(4e-5 * rng.normal(size=3)))
            given.append(Reading('stars', round(1e9 * time), q))
        estimate = estimator.take(given)
    true = turning((0.02 * time + change * (time - moment)) * axis)
    a = 2.0 * multiplied(estimate.q_WB * (1.0, -1.0, -1.0, -1.0), true)
    return float(np.sign(a[0]) * a[1:] @ axis), float(axis @ estimate.covariance[:3, :3] @ axis)


def test_errors_behind_a_jump_scatter_as_the_covariance_says():
    """The error is uniform within half of what the jump turns in an interval.

    Squared and divided by its variance, that has the mean 1 and the variance 0.8: within 4 sigma
    over 300 flights. Without what the jump adds the mean is some thousands.
    """
    flights = 300
    found = [error * error / variance for error, variance in map(jumping, range(flights))]
    assert abs(np.mean(found) - 1.0) < 4.0 * np.sqrt(0.8 / flights)
    assert max(found) < 3.1  # (1/2)² of 1/12, and the noise


def test_smooth_motion_and_noise_add_nothing():
    """Nutation, whose second difference changes its sign, too, and a torque that begins; noise."""
    times = STEP * np.arange(800)
    turn = np.stack((np.cos(0.7 * times), np.sin(0.7 * times), np.ones(800)), axis=1)
    noise = SIGMA * np.random.default_rng(2).normal(size=(800, 3))
    begun = 0.002 * np.maximum(times - 10.0, 0.0)[:, None]
    for rates in (0.3 * turn + noise + begun, noise):
        assert {variance_of(rates[k : k + 4]) for k in range(797)} == {0.0}


def test_noise_beyond_that_of_the_settings_adds_what_it_does():
    """White noise of a reading, σ, turns the body by h σ in an interval."""
    sigma = 1000.0 * SIGMA
    noise = sigma * np.random.default_rng(3).normal(size=(4000, 3))
    found = np.mean([variance_of(noise[k : k + 4]) for k in range(3996)])
    # Where the product is positive nothing is added, so the mean is above.
    assert 1.0 < found / (STEP * sigma) ** 2 < 1.2


@pytest.mark.parametrize('steps', [(1, 1, 1, 1), (1, 1.4, 0.8, 1.5), (1, 0.7, 1.3, 0.9)])
def test_a_jump_between_readings_that_are_not_equally_far_apart(steps):
    """While a torque acts on, which is no jump."""
    jump, steps = np.array((0.2, -0.1, 0.05)), np.array(steps) * STEP
    rates = np.outer(np.cumsum(steps), (0.5, 0.3, -0.2))
    rates[2:] += jump
    expected = np.sum(jump**2) * steps[2] ** 2 / 12.0
    assert variance_of(rates, steps) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize('steps', [(1, 2.1, 1, 1), (1, 1, 2.1, 1)])
def test_a_jump_needs_readings_alike_apart(steps):
    rates = np.zeros((4, 3))
    rates[2:] = 0.2
    assert variance_of(rates, np.array(steps) * STEP) == 0.0


def test_three_readings_tell_of_no_jump():
    rates = np.zeros((3, 3))
    rates[1:] = 0.2
    assert replay.jump_variance(events_of(rates), 0, SIZE, 2 * SIZE, NOISE**2) == 0.0
