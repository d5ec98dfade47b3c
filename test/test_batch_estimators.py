# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators in the compiled loop of a batch: each craft has the bits of its flight alone."""

import numpy as np
import pytest

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import recorded_scenario
from spacecraft_attitude_sim.core.batch.estimators import Estimators
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.flight.side_by_side import Controllers

TICKS = 130
NADIR = {
    'attitude_controller.mode': 'nadir_pointing', 'attitude_controller.schedule.times': [],
    'attitude_controller.schedule.modes': [], 'attitude_controller.integral_time': 60.0,
}  # fmt: skip
# It points; is too fast for its star tracker at first; is in the Earth's shadow; has a gyroscope
# that wanders, or has a bias, as the estimator does not know; takes its star tracker for a bad
# one; has a star tracker that is late.
EACH = [
    {},
    {'initial.angular_velocity': [0.05, -0.04, 0.03]},
    {'orbit.true_anomaly': 3.3, 'attitude_controller.orbit.true_anomaly': 3.3},
    {
        'imu.gyroscope.rate_random_walk': [300.0],
        'attitude_estimator.imu.gyroscope.rate_random_walk': [0.0],
    },
    {
        'imu.gyroscope.turn_on_bias': [400.0],
        'attitude_estimator.imu.gyroscope.turn_on_bias': [0.0],
    },
    {'attitude_estimator.star_tracker.cross_boresight_noise': 60.0},
    {'star_tracker.latency': 2, 'attitude_controller.mode': 'rate_damping'},
]
WANDERS, BIASED = 3, 4


def crafts(each=EACH, **more):
    """Return Scenarios of cubesat_3u_leo with an estimator, of several motions."""
    rates = 0.005 * np.random.default_rng(3).normal(size=(len(each), 3))
    return [
        sas.load(
            'cubesat_3u_leo',
            estimator=True,
            parameters={
                **NADIR, 'seed': k, 'initial.angular_velocity': rate.tolist(),
                'attitude_estimator.gyroscope_watch.trust_after': 20.0, **own, **more,
            },
        )
        for k, (rate, own) in enumerate(zip(rates, each, strict=True))
    ]  # fmt: skip


def alone(scenario, ticks=TICKS):
    """Return the flat state of a Scenario after so many ticks of its Flight."""
    flight = Flight(scenario, keeps=0)
    for _ in range(ticks):
        flight.step()
    return to_flat(flight.instant.state)


def whole(batch):
    """Return the flat states (N, any) of a batch."""
    return np.hstack((batch.states, batch.internal))


@pytest.fixture
def in_python(monkeypatch):
    """(tick, number of the craft) of all readings that Python took."""
    calls, take = [], Estimators._take

    def noted(self, n, now):
        take(self, n, now)
        calls.append((now.tick, n))

    monkeypatch.setattr(Estimators, '_take', noted)
    return calls


def test_each_craft_has_the_bits_of_its_flight_alone(in_python):
    given = crafts()
    batch = sas.Batch(given)
    batch.advance(TICKS)
    for n, (scenario, flat) in enumerate(zip(given, whole(batch), strict=True)):
        assert np.array_equal(flat, alone(scenario)), n
    ticks = [sum(craft == n for _, craft in in_python) for n in range(len(given))]
    assert ticks[WANDERS] > 20  # while the watch compares, and doubts the gyroscope
    # Compiled code has flown the filter that believes the gyroscope again.
    assert 20 < ticks[BIASED] < TICKS - 20
    rest = [own for n, own in enumerate(ticks) if n not in (WANDERS, BIASED)]
    assert all(0 < own < TICKS // 2 for own in rest), ticks  # at the start, and where votes change


@pytest.mark.parametrize(
    'more',
    [
        {'attitude_estimator.gyroscope_watch.enabled': False},
        {'attitude_estimator.estimate_magnetometer_bias': True, 'magnetometer.bias': [500.0]},
        {'attitude_estimator.misaligned_sensors': ['magnetometer'], 'star_tracker.interval': 3},
        {
            'attitude_estimator.history': 1.0,
            'imu.interval': 2,
            'magnetometer.interval': 2,
            'attitude_controller.controller_delay': 1.0,
        },
    ],
)
def test_each_estimator_has_the_bits_of_its_flight_alone(more):
    given = crafts([{}, {}, {}], **more)
    batch = sas.Batch(given)
    assert batch.law.aboard
    batch.advance(60)
    for n, (scenario, flat) in enumerate(zip(given, whole(batch), strict=True)):
        assert np.array_equal(flat, alone(scenario, 60)), n


def test_threads_and_stretches_change_no_bit():
    given = crafts()
    batches = sas.Batch(given, threads=1), sas.Batch(given, threads=2)
    batches[0].advance(TICKS)
    for ticks in (1, 2, 60, TICKS - 63):
        batches[1].advance(ticks)
    assert np.array_equal(whole(batches[0]), whole(batches[1]))


def test_a_lost_craft_changes_no_bit_of_the_others(in_python):
    given = crafts([{}, {}, {}])
    batch = sas.Batch(given)
    batch.advance(20)
    batch.strike([np.zeros(6), (0.0, 0.0, 0.0, 1e9, 0.0, 0.0), np.zeros(6)])
    batch.advance(20)
    assert batch.lost.tolist() == [False, True, False]
    assert not [tick for tick, n in in_python if n == 1 and tick > 20]
    for n in (0, 2):
        assert np.array_equal(whole(batch)[n], alone(given[n], 40)), n


def test_unlike_estimators_fly_in_python():
    given = [
        *crafts([{}]),
        *crafts([{}], **{'attitude_estimator.misaligned_sensors': ['magnetometer']}),
    ]
    batch = sas.Batch(given)
    assert isinstance(batch._commander, Controllers)
    batch.advance(20)
    assert np.array_equal(whole(batch)[1], alone(given[1], 20))


def test_estimators_read_the_sensors():
    with pytest.raises(ValueError, match='estimators read the sensors'):
        sas.Batch(crafts([{}]), sensors=False)


CAMPAIGN = """
scenario: SCENARIO
runs: 6
duration: 40.0
steady_from: 20.0
pointed_error: 0.02
dispersions:
  initial.attitude: {distribution: random_attitude}
  initial.angular_velocity: {distribution: in_sphere, radius: 0.05}
  seed: {distribution: integers, low: 0, high: 1000}
pointing:
  merits: [ape_angle_997, ake_angle_997, nees_mean, nees_final, nis_mean_star_tracker, known_share]
"""


def test_a_campaign_has_the_table_of_flights_in_python(tmp_path, monkeypatch):
    (tmp_path / 'scenario.yaml').write_text(
        recorded_scenario.dump(crafts([{}])[0]), encoding='utf-8'
    )
    path = tmp_path / 'campaign.yaml'
    path.write_text(CAMPAIGN.replace('SCENARIO', 'scenario.yaml'), encoding='utf-8')
    campaign = campaigns.load(path)
    assert not flights.flies_in_python(campaign)
    compiled = flights.columns_of(campaign, 0, 6)

    def refused(scenarios):
        raise flights.NotCompiledError('not here')

    monkeypatch.setattr(flights, 'law_of', refused)
    python = flights.columns_of(campaign, 0, 6)
    assert compiled.keys() == python.keys()
    for name, values in python.items():
        assert np.array_equal(compiled[name], values, equal_nan=True), name
    assert np.isfinite(compiled['nees_mean']).all()
