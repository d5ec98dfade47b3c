# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Guidance and missions in the compiled loop of a batch: the bits of each craft's flight alone."""

import numpy as np
import pytest
from test_batch_estimators import whole

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import recorded_scenario
from spacecraft_attitude_sim.core.body.state import to_flat
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
    for n, (scenario, flat) in enumerate(zip(given, whole(batch), strict=True)):
        flight = flown(scenario, 2000)
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
    for n, (scenario, flat) in enumerate(zip(given, whole(batch), strict=True)):
        assert np.array_equal(flat, to_flat(flown(scenario, 700).instant.state)), n


def test_a_guided_craft_without_estimator_has_the_bits_of_its_flight_alone():
    given = [sas.load('cubesat_3u_target_pass', seed=k) for k in range(2)]
    batch = sas.Batch(given)
    assert batch.law.aboard.orders
    assert not batch.law.aboard.settings
    batch.advance(900)
    for scenario, flat in zip(given, whole(batch), strict=True):
        assert np.array_equal(flat, to_flat(flown(scenario, 900).instant.state))


def test_what_is_not_compiled_flies_in_python():
    given = missions(1, **{'attitude_controller.integral_time': 100.0})
    batch = sas.Batch(given)
    assert isinstance(batch._commander, Controllers)


CAMPAIGN = """
scenario: scenario.yaml
runs: 4
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
    compiled = flights.columns_of(campaign, 0, 4)

    def refused(scenarios):
        raise flights.NotCompiledError('not here')

    monkeypatch.setattr(flights, 'law_of', refused)
    python = flights.columns_of(campaign, 0, 4)
    assert compiled.keys() == python.keys()
    for name, values in python.items():
        assert np.array_equal(compiled[name], values, equal_nan=True), name
    assert np.isfinite(compiled['final_pointing_error']).all()
