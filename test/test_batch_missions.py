# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Guidance and missions in the compiled loop of a batch: the bits of each craft's flight alone."""

import numpy as np
import pytest
import yaml
from test_batch_estimators import whole

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import recorded_scenario, scenario
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.control.integral import Integral
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.flight.side_by_side import Controllers

# Out of the shadow soon, and slow enough to be damped soon.
SOON = {'orbit.true_anomaly': 4.3}
NODES = 'attitude_estimator', 'attitude_guidance'
SOON |= {f'{node}.{name}': value for node in NODES for name, value in SOON.items()}


def missions(count, **more):
    """Return Scenarios of cubesat_3u_mission, of several tumbles and seeds."""
    rates = 0.02 * np.random.default_rng(7).normal(size=(count, 3))
    return [
        sas.load(
            'cubesat_3u_mission',
            parameters={
                'seed': k, 'initial.angular_velocity': rate.tolist(), **SOON, **more,
            },
        )
        for k, rate in enumerate(rates)
    ]  # fmt: skip


def flown(scenario, ticks):
    """Return the Flight of a Scenario after so many ticks."""
    flight = Flight(scenario, keeps=0)
    for _ in range(ticks):
        flight.step()
    return flight


def test_a_mission_has_the_bits_of_its_flight_alone():
    given = missions(4)
    batch = sas.Batch(given)
    assert batch.law.aboard.orders
    batch.advance(2000)
    modes = set()
    for n, (own, flat) in enumerate(zip(given, whole(batch), strict=True)):
        flight = flown(own, 2000)
        assert np.array_equal(flat, to_flat(flight.instant.state)), n
        modes |= {change.mode for change in flight.mission.changes}
    assert modes >= {'detumble', 'acquisition', 'nadir', 'unloading'}


ORBIT = {
    'model': 'j2', 'semi_major_axis': 6878137.0, 'inclination': 1.69998, 'right_ascension': 0.5,
    'true_anomaly': 4.3,
}  # fmt: skip
ECLIPSED = {f'mission_modes.orbit.{name}': value for name, value in ORBIT.items()}


@pytest.mark.parametrize(
    'more',
    [
        {
            **ECLIPSED,
            'mission_modes.epoch': '2026-03-20T12:00:00Z',
            'mission_modes.anywhere': [
                'sunlight > 0.5 for 20 s -> safe', 'rate > 0.002 -> detumble',
            ],
        },
        {
            'mission_modes.sun_cells': ['x_plus'],
            'mission_modes.anywhere': ['illuminance > 1 -> safe'],
        },
        {
            'attitude_guidance.profile.panels.spin_rate': 0.002,
            'imu.interval': 2, 'magnetometer.interval': 2,
        },
    ],
)  # fmt: skip
def test_other_missions_have_the_bits_of_their_flights_alone(more):
    given = missions(2, **more)
    batch = sas.Batch(given)
    batch.advance(700)
    for n, (own, flat) in enumerate(zip(given, whole(batch), strict=True)):
        assert np.array_equal(flat, to_flat(flown(own, 700).instant.state)), n


def test_a_guided_craft_without_estimator_has_the_bits_of_its_flight_alone():
    given = [sas.load('cubesat_3u_target_pass', seed=k) for k in range(2)]
    batch = sas.Batch(given)
    assert batch.law.aboard.orders
    assert not batch.law.aboard.settings
    batch.advance(900)
    for own, flat in zip(given, whole(batch), strict=True):
        assert np.array_equal(flat, to_flat(flown(own, 900).instant.state))


def unguided(**more):
    """Return the Scenario of a mission whose controller has a reference of its own, that turns."""
    found = yaml.safe_load(recorded_scenario.dump(missions(1, **more)[0]))
    del found['/**/attitude_guidance']
    modes = found['/**/mission_modes']['ros__parameters']['mode']
    for mode in modes.values():
        mode['profile'] = ''
    own = found['/**/attitude_controller']['ros__parameters']
    own |= {'guided': False, 'reference': {'angular_velocity': [0.0, 0.001, 0.002]}}
    return scenario.parse(yaml.safe_dump(found), 'unguided')


@pytest.mark.parametrize('integral_time', [0.0, 60.0])
def test_an_unguided_mission_has_the_bits_of_its_flight_alone(integral_time):
    given = [unguided(**{'attitude_controller.integral_time': integral_time})]
    batch = sas.Batch(given)
    assert batch.law.aboard.orders
    batch.advance(700)
    flight = flown(given[0], 700)
    assert np.array_equal(whole(batch)[0], to_flat(flight.instant.state))
    assert {change.mode for change in flight.mission.changes} >= {'acquisition', 'nadir'}


def test_the_integral_of_a_guided_craft_has_the_bits_of_its_flight_alone(monkeypatch):
    """It begins anew where the reference jumps: here at times that we choose, for none does."""
    given = missions(2, **{'attitude_controller.integral_time': 40.0})
    batch, other = sas.Batch(given), sas.Batch(given)
    other.advance(700)
    jumps = Integral.jumps

    def also(own, gains, reference, now):
        return jumps(own, gains, reference, now) or now % 35_000_000_000 == 0

    monkeypatch.setattr(Integral, 'jumps', also)
    batch.advance(700)
    assert not np.array_equal(whole(batch), whole(other))
    for own, flat in zip(given, whole(batch), strict=True):
        assert np.array_equal(flat, to_flat(flown(own, 700).instant.state))


def test_what_is_not_compiled_flies_in_python():
    (given,) = missions(1)
    given.controller['guided'] = False  # and there is guidance
    batch = sas.Batch([given])
    assert isinstance(batch._commander, Controllers)


CAMPAIGN = """
scenario: scenario.yaml
runs: 2
duration: 700.0
steady_from: 600.0
pointed_error: 0.02
dispersions:
  initial.angular_velocity: {distribution: in_sphere, radius: 0.02}
  seed: {distribution: integers, low: 0, high: 1000}
pointing:
  merits: [ape_angle_997, ake_angle_997, nees_mean, nis_mean_star_tracker, known_share]
"""


def test_a_campaign_of_missions_has_the_table_of_flights_in_python(tmp_path, monkeypatch):
    path = tmp_path / 'campaign.yaml'
    path.write_text(CAMPAIGN, encoding='utf-8')
    text = recorded_scenario.dump(missions(1)[0])
    (tmp_path / 'scenario.yaml').write_text(text, encoding='utf-8')
    campaign = campaigns.load(path)
    assert not flights.flies_in_python(campaign)
    compiled = flights.columns_of(campaign, 0, 2)

    def refused(scenarios):
        raise flights.NotCompiledError('not here')

    monkeypatch.setattr(flights, 'law_of', refused)
    python = flights.columns_of(campaign, 0, 2)
    assert compiled.keys() == python.keys()
    for name, values in python.items():
        assert np.array_equal(compiled[name], values, equal_nan=True), name
    assert np.isfinite(compiled['final_pointing_error']).all()
