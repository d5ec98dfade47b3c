# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns with a fault in each run, in turn, and what they tell of each."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import campaign, examination, faults_in_turn, flights
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.faults.fault import PLANNED
from spacecraft_attitude_sim.core.faults.kinds import KINDS
from spacecraft_attitude_sim.core.studies import consistency
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.recording.errors import CampaignError

AXES = {'x': [1.0, 0.0, 0.0], 'y': [0.0, 1.0, 0.0], 'z': [0.0, 0.0, 1.0]}
INERTIA = [0.04, 0.05, 0.03]
WHEELS = {
    'wheels': list(AXES), **{f'wheel.{name}.axis': axis for name, axis in AXES.items()},
    **{f'wheel.{name}.inertia': 2e-5 for name in AXES},
    **{f'wheel.{name}.max_torque': 2e-3 for name in AXES},
}  # fmt: skip
CRAFT = {
    'body.mass': 4.0, 'body.inertia': INERTIA, **WHEELS, 'tick_rate': 8.0, 'duration': 3.0,
    'lockstep': True, 'lockstep_topics': ['command/wheels'],
    'initial.angular_velocity': [0.02, -0.03, 0.01],
    'faults': ['dead', 'biased'], 'fault.dead.component': 'wheel.y', 'fault.dead.kind': 'dead',
    'fault.biased.component': 'gyro', 'fault.biased.kind': 'bias', 'fault.biased.value': [1.0],
}  # fmt: skip
POINTS = {
    'mode': 'pointing', 'inertia': INERTIA, 'bandwidth': 0.6, 'torque_limit': [0.002] * 3,
    **WHEELS,
}  # fmt: skip
TEXT = """
scenario: broken
runs: {runs}
seed: 4
{turn}
dispersions:
  fault.*.at: {{distribution: uniform, low: 0.5, high: 2.0}}
  fault.biased.value[0]: {{distribution: uniform, low: 0.5, high: 3.0}}
"""


def broken(runs=4, turn='fault_in_turn: true', text=TEXT, **changes):
    """Return a Campaign of a spacecraft with two faults."""
    sections = {'simulator': CRAFT | changes, 'attitude_controller': POINTS}
    base = scenario.dump(scenario.of_sections(sections, 'test'))
    return campaign.parse(text.format(runs=runs, turn=turn), base, 'broken.yaml')


def test_each_run_has_one_fault_in_turn_and_the_table_says_which():
    found = broken()
    rows = range(4)
    draws = found.draws(rows)
    table = flights.columns_of(found, 0, 4)
    assert table['fault'].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert table['fault.at'].tolist() == draws['fault.*.at'].tolist()
    assert len(set(table['fault.at'])) == 4
    assert not table['fault.duration'].any()
    assert np.isnan(table['fault.value[0]'][::2]).all()  # a dead wheel has no size
    sizes = draws['fault.biased.value[0]']
    assert table['fault.value[0]'][1::2].tolist() == sizes[1::2].tolist()
    assert not {*draws} & {*table}
    # Alone, each fault gives the same bits.
    for row, name in enumerate(('dead', 'biased')):
        one = {'faults': [name], f'fault.{name}.at': float(table['fault.at'][row])}
        one |= {key: value for key, value in CRAFT.items() if key.startswith(f'fault.{name}.')}
        if name == 'biased':
            one['fault.biased.value'] = [float(sizes[row])]
        craft = {key: value for key, value in CRAFT.items() if not key.startswith('fault')}
        sections = {'simulator': craft | one, 'attitude_controller': POINTS}
        text = 'scenario: broken\nruns: 1\n'
        base = scenario.dump(scenario.of_sections(sections, 'test'))
        alone = flights.columns_of(campaign.parse(text, base, 'alone.yaml'), 0, 1)
        assert all(alone[key][0] == table[key][row] for key in alone if key.startswith('final'))
    assert table['final.attitude[1]'][0] != table['final.attitude[1]'][1]


def test_a_run_of_the_second_chunk_has_the_fault_of_its_number():
    found = broken(runs=9)
    whole, late = flights.columns_of(found, 0, 9), flights.columns_of(found, 7, 9)
    assert late['fault'].tolist() == [1.0, 0.0]
    for name, values in late.items():
        assert np.array_equal(values, whole[name][7:], equal_nan=True), name


def test_what_cannot_be_in_turn_is_refused_by_name():
    none = {'faults': []}
    with pytest.raises(CampaignError, match='faults is empty; name some under parameters.faults'):
        plain = {key: value for key, value in CRAFT.items() if not key.startswith('fault')}
        sections = {'simulator': plain | none, 'attitude_controller': POINTS}
        base = scenario.dump(scenario.of_sections(sections, 'test'))
        campaign.parse('scenario: broken\nfault_in_turn: true\n', base, 'broken.yaml')
    with pytest.raises(CampaignError, match=r'dispersions.fault.\*.at'):
        broken(turn='')
    drawn = 'map: {{x: fault.dead.at, color: final_rate}}\n'
    with pytest.raises(CampaignError, match=r"map.x is 'fault.dead.at'.*fault.at"):
        broken(text=drawn + TEXT)
    assert broken(text=drawn.replace('dead.at', 'at') + TEXT).map['x'] == 'fault.at'


def test_summary_counts_how_the_runs_of_each_fault_end():
    base = SimpleNamespace(parameters={'faults': ['dead', 'biased', 'late']})
    nan = math.nan
    table = {
        'fault': np.array([0.0, 0, 0, 0, 0, 1, 1]),
        'final_rate': np.array([nan, 0.0, 0.1, 0.1, 0.1, 0.1, 0.1]),
        'final_pointing_error': np.array([nan, 0.01, nan, 0.5, 0.5, 0.01, 0.01]),
        'known_share': np.array([nan, 1.0, 1.0, 0.1, 1.0, 1.0, 1.0]),
        'misled_time': np.array([nan, 0.0, 30.0, 0.0, 0.0, 30.5, 31.0]),
        'misled_error': np.radians([nan, 0.0, 0.5, 0.0, 0.0, 2.0, 1.0]),
    }
    lines = faults_in_turn.summary(table, base, 0.0175)
    heads = 'fault runs lost point wait off believe for [s] off by [deg]'
    assert lines[0].split() == heads.split()
    assert lines[1].split() == ['dead', '5', '1', '1', '2', '1', '0', '30', '0.5']
    assert lines[2].split() == ['biased', '2', '0', '2', '0', '0', '2', '31', '2']
    assert len(lines) == 3  # no run has the last one
    without = {key: table[key] for key in ('fault', 'final_rate', 'final_pointing_error')}
    assert faults_in_turn.summary(without, base, 0.0175)[1].split() == [
        'dead',
        '5',
        '1',
        '1',
        '1',
        '2',
    ]


def test_a_wrong_attitude_is_one_beyond_five_of_its_largest_sigmas():
    """The longest stretch counts; an instant without an attitude ends one."""
    sigma = np.full((9, 3), (1e-3, 2e-3, 1e-3))
    sizes = np.array([0.011, 0.011, 0.0, math.nan, 0.012, 0.011, 0.02, 0.0099, 0.03])
    errors = sizes[:, np.newaxis] * np.array([0.6, 0.0, 0.8])
    assert consistency.misled(errors, sigma) == (3, pytest.approx(0.03, rel=1e-15))
    assert consistency.misled(errors[2:4], sigma[2:4]) == (0, 0.0)
    errors[5] = math.nan
    assert consistency.misled(errors, sigma)[0] == 2


def test_the_shipped_campaign_has_every_kind_of_fault_that_its_flight_software_can_feel():
    found = campaign.load(ROOT / 'config' / 'campaigns' / 'cubesat_3u_faults.yaml')
    base = found.bases['']
    has = {(fault.word, fault.kind) for fault in base.plant.spacecraft.faults}
    # Nothing aboard reads the accelerometer and the Sun cells.
    words = ('wheel', 'magnetorquer', 'imu', 'gyro', 'magnetometer', 'star_tracker', 'sun_sensor')
    assert has == {(word, kind) for word in words for kind in KINDS[word]}
    count = len(base.parameters['faults'])
    draws = found.draws(range(count))
    for row in range(count):
        one = {name: values[row : row + 1] for name, values in draws.items()}
        (drawn,) = found.scenarios_of(one, range(row, row + 1))
        acting = [fault for fault in drawn.plant.spacecraft.faults if fault.forced == PLANNED]
        assert [fault.name for fault in acting] == [base.parameters['faults'][row]]
        assert 0 <= acting[0].begins <= 3600 and 20 <= acting[0].lasts <= 3600


def test_faults_of_sensors_that_nothing_aboard_reads_change_no_bit_of_the_flight():
    """Of the accelerometer and of a Sun cell: this is why the shipped campaign leaves them out."""
    values = {'bias': 10.0, 'drift': 1.0, 'scale': 0.1, 'noise': 10.0, 'lost': 0.5, 'late': 2.0}
    given = {'duration': 40.0, 'faults': []}
    for component in ('accelerometer', 'sun_cell.x_plus'):
        for kind in KINDS[component.partition('.')[0]]:
            name = f'{component.partition(".")[0]}_{kind}'
            given['faults'].append(name)
            own = {'component': component, 'kind': kind, 'at': 5.0}
            own |= {'value': [values[kind]]} if kind in values else {}
            given |= {f'fault.{name}.{key}': value for key, value in own.items()}
    ends = []
    for parameters in (given, {'duration': 40.0}):
        run = sas.simulate('cubesat_3u_mission', duration=40.0, parameters=parameters)
        ends.append(np.concatenate((run.attitude[-1], run.angular_velocity[-1])))
    assert np.array_equal(*ends)


@pytest.mark.parametrize('word', ['thruster', 'gimbal'])
def test_thrusters_and_gimbals_have_campaigns_with_every_kind_of_fault(word):
    found = campaign.load(ROOT / 'config' / 'campaigns' / f'{word}_faults.yaml')
    faults = found.bases[''].plant.spacecraft.faults
    assert {(fault.word, fault.kind) for fault in faults} == {(word, kind) for kind in KINDS[word]}


def test_a_body_that_passes_its_target_once_a_turn_goes_to_safe():
    """Run 180: wheel x seizes at 1000 s, and the body turns about x once in ten minutes.

    Its error falls below 20 deg in each turn, so that it never stays above for 600 s. It is the
    rate that tells: no slew lasts so long.
    """
    path = ROOT / 'config' / 'campaigns' / 'cubesat_3u_faults.yaml'
    turns = campaign.load(path, changes={'runs': 220})
    (found,) = turns.scenarios_of(turns.draws(range(180, 181)), range(180, 181))
    flight = Flight(found, keeps=1)
    while flight.instant.time < 1400.0:
        flight.step()
    modes = [change.mode for change in flight.mission.changes]
    assert modes == ['detumble', 'acquisition', 'safe']
    assert flight.mission.changes[-1].reason.startswith('rate > 0.005 for 400 s -> safe')


@pytest.mark.parametrize('name', ['detumble_in_eclipse', 'safe_mode'])
def test_the_examination_has_the_ways_of_the_mission_to_safe(name):
    """Each line of the mission that leads to safe, but one about a rate has a stricter one."""
    shipped = scenario.load(scenario.find('cubesat_3u_mission')).mission
    own = scenario.load(examination.shipped()[name]).mission
    for mode in ('acquisition', 'nadir', 'unloading'):
        key = f'mode.{mode}.transitions'
        wanted = {line for line in shipped[key] if line.endswith('-> safe')}
        if name == 'safe_mode':
            wanted.discard('rate > 0.03 for 60 s -> safe')
            assert 'rate > 0.02 for 1 s -> safe' in own['anywhere']
        assert wanted <= set(own[key])
        assert len(wanted) >= 3
