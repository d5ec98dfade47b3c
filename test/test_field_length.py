# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A magnetometer is refused where its field is not as long as the model's.

Truth and readings are those of test_attitude_estimator, with the fault planted in the readings.
"""

import dataclasses
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import chi2
from test_attitude_estimator import COMPASS, EVERY, STEP_NS, World, around, settings_of
from test_gyroscope_watch import SUSPECTED, Flown, broken

from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.field_length import WRONG_LENGTH, FieldLengths, fits
from spacecraft_attitude_sim.core.estimation.gyroscope_watch import Watch, WatchedEstimator
from spacecraft_attitude_sim.core.estimation.replay import FIELD, event_of

TICKS, BEGIN, DARK = 400, 80, 100
# The field of `around` is sqrt(1.36) times 4e-5 T long, and its direction turns.
LONG = 4e-5 * math.sqrt(1.36)
FAULTS = {
    'bias': lambda field, tick: field + np.array((2e-6, -1e-6, 2e-6)),
    'drift': lambda field, tick: field + 1e-7 * (tick - BEGIN),
    'scale': lambda field, tick: 0.9 * field,
}


@pytest.fixture(scope='module')
def world():
    return World(EVERY, ticks=TICKS)


def seen(world, fault):
    """Return readings of all sensors until DARK, then of the faulty magnetometer alone."""
    return [
        [one for one in together if tick < DARK or one.sensor in ('gyroscope', 'magnetometer')]
        for tick, together in enumerate(broken(world.readings[0], 'magnetometer', FAULTS[fault]))
    ]


@pytest.mark.parametrize('fault', FAULTS)
def test_a_magnetometer_of_a_wrong_length_costs_no_attitude_and_no_gyroscope(world, fault):
    """It disagrees alone: without its length nobody can tell whether the gyroscope is wrong."""
    estimator = WatchedEstimator(settings_of(EVERY), around, Watch(SUSPECTED))
    flown = Flown(estimator, world, seen(world, fault))
    assert flown.honest == 1.0
    # While a drift is small, its innovations are too large before its length is.
    assert np.isfinite(flown.error).mean() > (0.9 if fault == 'drift' else 0.999)
    assert (estimator.alarms, estimator.resets) == (0, 0)
    assert estimator.counts['magnetometer']['outside the gate'] > 100
    assert estimator.problem == f'magnetometer{WRONG_LENGTH}'


def event(field, reference):
    return event_of(FIELD, 0, np.array(field), reference)


def lengths(**more):
    return FieldLengths(settings_of({'magnetometer': COMPASS}, reset_ns=60 * 10**9, **more))


def test_lengths_are_as_different_as_the_gate_allows():
    """In any attitude; the estimated bias of a magnetometer may change the length."""
    gate = chi2.isf(1e-4, 3)
    for bias in (0.0, 1e-6):
        most = settings_of({}, field_bias_sigma=bias).longest(COMPASS)
        assert most == pytest.approx(gate * (2e-7**2 + bias**2), rel=1e-9, abs=0.0)
        for share, inside in ((0.999, True), (1.001, False)):
            size = LONG + share * math.sqrt(most)
            turned = Rotation.from_rotvec((1.0, 2.0, 3.0)).apply((0.0, 0.0, size))
            assert fits(event(turned, (LONG, 0.0, 0.0)), most) is inside
    assert not fits(event((math.nan, 0.0, 0.0), (LONG, 0.0, 0.0)), most)


def test_a_stray_reading_is_refused_and_two_refuse_those_of_a_minute():
    """Times since the last wrong one count, also of a reading that comes late."""
    right, wrong = event((LONG, 0.0, 0.0), (0.0, LONG, 0.0)), event((0.0, 0.0, 0.0), (LONG, 0, 0))
    own = lengths()
    assert own.right
    assert own.refused(0, 0, wrong)
    assert not own.right
    assert not own.refused(0, 10**9, right)
    assert own.right
    for second in (2, 3):
        assert own.refused(0, second * 10**9, wrong)
    for second in (2, 4, 62):
        assert own.refused(0, second * 10**9, right)
    assert not own.right
    assert not own.refused(0, 63 * 10**9, right)
    assert own.right


def test_a_field_of_a_wrong_length_begins_no_attitude(world):
    """Sun and field would, for the angle between them is right."""
    sensors = {name: EVERY[name] for name in ('sun_sensor/fine', 'magnetometer')}
    for share, begins in ((1.0, True), (0.9, False)):
        estimator = AttitudeEstimator(settings_of(sensors), around)
        for together in world.readings[0][:40]:
            given = [one for one in together if one.sensor != 'star_tracker']
            estimator.take([
                one._replace(values=share * one.values) if one.sensor == 'magnetometer' else one
                for one in given
            ])  # fmt: skip
        assert estimator.begun is begins


def test_good_readings_are_taken_as_rarely_outside_as_the_gate_says():
    """chi-square of one component is above the gate of three once in 200 000."""
    random, own = np.random.default_rng(4), lengths()
    field_W = around(0.0)[AROUND.of('magnetic_field_W')]
    noise = COMPASS.sigma * random.normal(size=(20_000, 3))
    refused = sum(
        own.refused(0, k * STEP_NS, event(field_W + each, field_W)) for k, each in enumerate(noise)
    )
    assert refused <= 2
    coarse = dataclasses.replace(COMPASS, sigma=(5e-8,) * 3)
    narrow = FieldLengths(settings_of({'magnetometer': coarse}))
    assert sum(narrow.refused(0, k * STEP_NS, event(field_W + each, field_W))
               for k, each in enumerate(noise)) > 15_000  # fmt: skip
