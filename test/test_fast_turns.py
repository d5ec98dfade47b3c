# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The estimator of a body that turns fast for its gyroscope: the covariance says so."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.core.estimation import kalman_filter, replay
from spacecraft_attitude_sim.core.estimation.kalman_filter import Places

STEP = 0.5
# The gyroscope of cubesat_3u_mission: 0.15 deg/sqrt(h), with a walk of its bias.
NOISE = (math.radians(0.15) / 60.0, 1e-8, 0.0)
CORRELATION = 100.0


def lost(spin, across, nutation, begin, before):
    """Return the angle by which a turn of STEP is wrong [rad], of a body that nutates freely.

    spin, across: parts of its rate along and across its axis;  nutation: [rad/s]
    before: the interval before of the gyroscope [s], 0 for a straight line
    """

    def rate(time):
        angle = nutation * time
        return np.array((across * math.cos(angle), across * math.sin(angle), spin))

    times = (begin - before, begin, begin + STEP) if before else (begin, begin + STEP)
    events = np.zeros((len(times), replay.EVENT.size))
    for event, time in zip(events, times, strict=True):
        event[replay.TIME] = 1e9 * time
        event[replay.READING : replay.READING + 3] = rate(time)
    exact, fine = Rotation.identity(), 2000
    for k in range(fine):
        exact *= Rotation.from_rotvec(rate(begin + (k + 0.5) * STEP / fine) * STEP / fine)
    estimate, places = np.zeros(kalman_filter.COVARIANCE), Places.of(False, False, 0)
    last = len(times) - 1
    around = replay.readings_around(events.ravel(), last)
    level = (1.0, 0.0, 0.0, 0.0)
    found = replay.turn_between(events.ravel(), last, around, estimate, places, level)
    return (exact.inv() * Rotation.from_rotvec(found)).magnitude()


@pytest.mark.parametrize('before', [0.0, 0.5, 0.9])
@pytest.mark.parametrize('share', [0.2, math.sqrt(2.0 / 3.0), math.sqrt(3.0 / 4.0), 0.95])
def test_a_turn_between_readings_loses_no_more_than_the_bound(share, before):
    """A thin disc nutates as fast as it spins, relative to itself: no body faster.

    share: of the rate that is spin; where its square is two thirds, for a parabola three quarters,
    the bound is reached
    """
    size = 0.3
    spin, across = share * size, math.sqrt(1.0 - share**2) * size
    bound, best = replay.STRAIGHT * STEP**3 * size**3, math.sqrt(2.0 / 3.0)
    if before:
        bound = replay.CURVED * STEP**3 * (STEP + 2.0 * before) * size**4
        best = math.sqrt(3.0 / 4.0)
    worst = max(lost(spin, across, spin, begin, before) for begin in (0.0, 3.0, 11.0))
    # The next term of the series is (0.3 rad/s 0.5 s)^2 / 20 of the first: 0.1 %. Of a parabola
    # this is a larger part, and the turn does not commute.
    assert worst <= (1.02 if before else 1.002) * bound
    if share == best:
        assert worst > (0.9 if before else 0.99) * bound


def test_only_a_turn_that_is_fast_for_the_gyroscope_adds_noise():
    """At 5 deg/s not a bit changes; at 12 deg/s the lost rate counts as one that stays."""
    slow = (0.0873 * STEP, 0.0, 0.0)
    assert replay.noise_of(slow, STEP, STEP, 0.0, NOISE, CORRELATION) == NOISE
    rate = 0.2
    bent = 2.0 / math.sqrt(27.0) / 12.0 * STEP**2 * rate**3
    fast = replay.noise_of((0.0, rate * STEP, 0.0), STEP, STEP, 0.0, NOISE, CORRELATION)
    density = math.sqrt(NOISE[0] ** 2 + 2.0 * CORRELATION * bent**2)
    assert fast[0] == pytest.approx(density, rel=1e-12, abs=0.0)
    assert fast[1:] == NOISE[1:]
    # Half of a step between the same readings loses the same rate; a faster gyroscope loses none.
    half = replay.noise_of(
        (0.0, 0.5 * rate * STEP, 0.0), 0.5 * STEP, STEP, 0.0, NOISE, CORRELATION
    )
    assert half == pytest.approx(fast, rel=1e-12, abs=0.0)
    often = (0.0, rate * 0.1, 0.0)
    assert replay.noise_of(often, 0.1, 0.1, 0.0, NOISE, CORRELATION) == NOISE
    # A parabola loses less: at 12 deg/s nothing that counts, at 30 deg/s the fourth power.
    assert replay.noise_of((0.0, rate * STEP, 0.0), STEP, STEP, STEP, NOISE, CORRELATION) == NOISE
    curved = math.sqrt(27.0) / 16.0 / 72.0 * STEP**2 * (STEP + 2.0 * 0.4) * 0.5**4
    faster = replay.noise_of((0.0, 0.5 * STEP, 0.0), STEP, STEP, 0.4, NOISE, CORRELATION)
    density = math.sqrt(NOISE[0] ** 2 + 2.0 * CORRELATION * curved**2)
    assert faster[0] == pytest.approx(density, rel=1e-12, abs=0.0)


def test_the_interval_is_that_of_the_gyroscope_around_a_step():
    events = np.zeros((4, replay.EVENT.size))
    events[:, replay.TIME] = 0.0, 0.1e9, 0.3e9, 0.5e9
    events[1:3, replay.KIND] = replay.FIELD
    for number in (1, 2, 3):
        assert replay.readings_around(events.ravel(), number) == (-1, 0, 3 * replay.EVENT_SIZE)


def test_a_fast_tumble_leaves_the_estimator_consistent_without_the_watch():
    """At 30 deg/s with a gyroscope of 2 Hz."""
    given = {
        'attitude_estimator.gyroscope_watch.enabled': False,
        'initial.angular_velocity': [0.3, -0.3, 0.3],
    }
    run = sas.simulate('cubesat_3u_leo', duration=400.0, estimator=True, parameters=given)
    values = run.merits(steady_from=100.0).values
    # 3 is expected, and errors of one flight depend on each other.
    assert values['nees_mean'] < 6.0
    assert values['misled_time'] == 0.0
