# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults in the compiled flights of a campaign: the table of flights in Python, to the bit."""

import numpy as np
import pytest
import yaml
from conftest import ROOT

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import flights, laws, pieces, runner
from spacecraft_attitude_sim.configuration import recorded_scenario

KNOWLEDGE = ['known_share', 'misled_time', 'misled_error', 'nees_mean', 'nis_mean_magnetometer']
# Out of the shadow and near rest: the rods work for 30 s, then the wheels.
NODES = 'attitude_estimator.', 'attitude_guidance.'
SOON = {f'{node}orbit.true_anomaly': 4.3 for node in ('', *NODES)}
SOON['initial.angular_velocity'] = [0.001, 0.0005, -0.001]
SLOW = {'distribution': 'in_sphere', 'radius': 0.002}


def uniform(low, high):
    return {'distribution': 'uniform', 'low': low, 'high': high}


def campaign_of(name, parameters=None, dispersions=None, **changes):
    """Return a Campaign of config/campaigns with other values.

    parameters: of its scenario;  dispersions: besides its own;  changes: of its keys
    """
    path = ROOT / 'config' / 'campaigns' / f'{name}.yaml'
    given = yaml.safe_load(path.read_text(encoding='utf-8'))
    base = sas.load(given['scenario'], parameters=parameters or {})
    given['dispersions'] |= dispersions or {}
    given |= {'steady_from': 1.0} | changes
    return campaigns.parse(yaml.safe_dump(given), recorded_scenario.dump(base), f'{name}.yaml')


def faulty(faults, name='cubesat_3u_mission', duration=110.0, **parameters):
    """Return a Campaign of runs with faults, {name: (component, kind, value, at, duration)}."""
    given = dict(parameters)
    for fault, (component, kind, value, at, lasts) in faults.items():
        own = {'component': component, 'kind': kind, 'at': at, 'duration': lasts}
        own |= {} if value is None else {'value': value}
        given |= {f'fault.{fault}.{key}': what for key, what in own.items()}
    base = sas.load(name, parameters={'faults': list(faults), **given})
    text = yaml.safe_dump({
        'scenario': name, 'runs': 2, 'duration': duration, 'steady_from': 1.0,
        'dispersions': {'seed': {'distribution': 'integers', 'low': 0, 'high': 9}},
        'pointing': {'merits': KNOWLEDGE if base.estimator else []},
    })  # fmt: skip
    return campaigns.parse(text, recorded_scenario.dump(base), 'faulty.yaml')


def check(campaign, count, monkeypatch):
    """Check that compiled flights have the rows of flights in Python; return the columns."""
    assert not flights.flies_in_python(campaign)
    made = []
    monkeypatch.setattr(flights, 'law_of', lambda found: made.append(1) or laws.law_of(found))
    compiled = flights.columns_of(campaign, 0, count)
    assert made

    def refused(scenarios):
        raise flights.NotCompiledError('not here')

    monkeypatch.setattr(flights, 'law_of', refused)
    python = flights.columns_of(campaign, 0, count)
    assert compiled.keys() == python.keys()
    wrong = {
        row: name
        for name, values in python.items()
        for row in np.flatnonzero((compiled[name] != values) & ~(np.isnan(values))).tolist()
    }
    assert not wrong
    assert all(np.array_equal(compiled[name], python[name], equal_nan=True) for name in python)
    return compiled


def test_a_mission_with_any_kind_of_fault_has_the_row_of_its_flight(monkeypatch):
    # Rods are at work for 8 s of it, wheels from 30 s on.
    times = {'fault.*.at': uniform(22.0, 35.0), 'fault.*.duration': uniform(8.0, 15.0)}
    campaign = campaign_of(
        'cubesat_3u_faults', SOON, {'initial.angular_velocity': SLOW, **times}, duration=50.0,
        pointing={'merits': KNOWLEDGE},
    )  # fmt: skip
    columns = check(campaign, 44, monkeypatch)
    assert np.isfinite(columns['final_rate']).all()
    # Each did something, at least to what the estimator knows.
    assert len({*columns['final_rate'].tolist()}) == 44


@pytest.mark.usefixtures('rare_loops_shared')
def test_gimbals_with_faults_have_the_rows_of_their_flights(monkeypatch):
    times = {'fault.*.at': uniform(1.0, 20.0), 'fault.*.duration': uniform(5.0, 20.0)}
    check(campaign_of('gimbal_faults', {}, times, duration=60.0), 8, monkeypatch)


JETS = {
    'closed': ('thruster.roll_up', 'closed', None, 0.0, 20.0),
    'open': ('thruster.pitch_down', 'open', None, 5.0, 2.0),
    'leaking': ('thruster.roll_down', 'leaking', [0.1], 10.0, 10.0),
    'biased': ('gyro', 'bias', [0.05], 15.0, 5.0),
    'lost': ('imu', 'lost', [0.5], 18.0, 10.0),
}


def test_thrusters_with_faults_have_the_rows_of_their_flights(monkeypatch):
    check(faulty(JETS, 'thruster_limit_cycle', 30.0), 2, monkeypatch)


def test_an_integral_goes_on_where_readings_of_the_imu_are_lost(monkeypatch):
    """It acts for the time from the reading before to this one."""
    lost = {'lost': ('imu', 'lost', [0.5], 10.0, 60.0)}
    integral = {'attitude_controller.integral_time': 60.0, 'attitude_controller.mode': 'pointing'}
    columns = check(faulty(lost, 'cubesat_3u_leo', 90.0, **integral), 2, monkeypatch)
    assert np.isfinite(columns['final_rate']).all()


SEVERAL = {
    # One component: each acts on what the others leave, in the order of `faults`.
    'weak': ('wheel.x', 'weak', [0.3], 35.0, 30.0),
    'reversed': ('wheel.x', 'reversed', None, 40.0, 40.0),
    'held': ('wheel.x', 'held', None, 50.0, 10.0),
    'rubs': ('wheel.x', 'tachometer', [-0.5], 45.0, 30.0),
    'rod': ('magnetorquer.y', 'held', None, 0.0, 20.0),
    'lost': ('imu', 'lost', [0.3], 20.0, 60.0),
    'frozen': ('gyro', 'frozen', None, 60.0, 10.0),
    'biased': ('gyro', 'bias', [0.05, -0.02, 0.01], 65.0, 20.0),
    'late': ('star_tracker', 'late', [4.0], 30.0, 40.0),
    'noisy': ('star_tracker', 'doubled', [0.5], 30.0, 40.0),
    'blind': ('magnetometer', 'silent', None, 15.0, 5.0),
    'slow': ('magnetometer', 'late', [1.0], 22.0, 15.0),
}


def test_several_faults_at_once_act_as_in_a_flight(monkeypatch):
    check(faulty(SEVERAL, **SOON), 2, monkeypatch)


def test_attitudes_that_come_late_count_as_in_a_flight(monkeypatch):
    """An estimator keeps enough readings to put them in their place, also at 8 Hz."""
    late = {'late': ('star_tracker', 'late', [4.5], 10.0, 30.0)}
    rates = {f'{node}tick_rate': 8.0 for node in ('', 'attitude_estimator.')}
    check(faulty(late, duration=40.0, **rates, **SOON), 2, monkeypatch)


def test_a_mission_judges_no_error_by_late_readings(monkeypatch):
    """It points from 31 s on, far from its target, and would go to safe by the last line."""
    more = {'mission_modes.anywhere': ['fault > 0 -> safe', 'error > 1 for 15 s -> safe']}
    late = {'late': ('imu', 'late', [1.0], 31.0, 60.0)}
    columns = check(faulty(late, duration=60.0, **more, **SOON), 2, monkeypatch)
    assert np.isfinite(columns['final_pointing_error']).all()


@pytest.mark.parametrize(
    ('faults', 'name', 'more', 'why'),
    [
        ({'weak': ('thruster.roll_up', 'weak', [0.3], 1.0, 9.0)}, 'thruster_limit_cycle', {},
         'of a thruster that is weak'),
        ({'late': ('imu', 'late', [1.0], 1.0, 9.0)}, 'thruster_limit_cycle', {}, 'late readings'),
        ({'lost': ('imu', 'lost', [0.5], 1.0, 9.0)}, 'thruster_limit_cycle',
         {'attitude_controller.controller_delay': 0.1}, 'commands are delayed'),
        ({'dead': ('wheel.x', 'dead', None, 1.0, 9.0)}, 'cubesat_3u_mission',
         {'fault.dead.when': 'rate > 0.1'}, 'begins by a condition'),
    ],
)  # fmt: skip
def test_what_is_not_compiled_flies_in_python(faults, name, more, why):
    campaign = faulty(faults, name, 12.0, **more)
    assert flights.flies_in_python(campaign)
    with pytest.raises(laws.NotCompiledError, match=why):
        laws.law_of([*campaign.bases.values()])
    columns = flights.columns_of(campaign, 0, 1)
    assert np.isfinite(columns['final_rate']).all()


def test_processes_fly_the_rows_of_one(monkeypatch):
    campaign = faulty(JETS, 'thruster_limit_cycle', 20.0)
    assert not pieces.are_wanted(campaign, 2)  # too few ticks
    monkeypatch.setattr(pieces, 'FEWEST_TICKS', 1)
    assert pieces.are_wanted(campaign, 2)
    assert not pieces.are_wanted(campaign.with_merits({'own': lambda flight: 1.0}), 2)
    shares = []
    compute = runner.here(2, shares.append)
    ((first, last, columns),) = compute(campaign, [(0, 2)])
    assert (first, last) == (0, 2)
    assert shares == sorted(shares) and shares[-1] == 2.0 and len(shares) == 2 * flights.PARTS
    alone = flights.columns_of(campaign, 0, 2)
    assert columns.keys() == alone.keys()
    assert all(np.array_equal(columns[name], alone[name], equal_nan=True) for name in alone)
