# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: what is drawn, one table whatever computed it, any run again from its row."""

import contextlib
import itertools
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import bits
import numpy as np
import pytest
from conftest import ROOT
from processes import printed

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.campaigns import campaign, distributions, sampling
from spacecraft_attitude_sim.campaigns.columns import STATE_COLUMNS
from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.recording.errors import CampaignError
from spacecraft_attitude_sim.subcommands import campaign as campaign_command

pytest.importorskip('pyarrow')
from spacecraft_attitude_sim.campaigns import campaign_figures, flights, runner  # noqa: E402

RACKET = """
scenario: tennis_racket
runs: 70
seed: 3
sampling: {sampling}
duration: 1.0
dispersions:
  initial.attitude: {{distribution: random_attitude}}
  initial.angular_velocity[1]: {{distribution: normal, mean: 8.0, standard_deviation: 0.5}}
  body.inertia[2]: {{distribution: uniform, low: 190.0e-6, high: 215.0e-6}}
"""
QUIET = {'progress': lambda done, whole: None}


def written(folder, text=None, **changes):
    """Return the path of a campaign file in a folder."""
    text = (text or RACKET).format(**{'sampling': 'sobol', **changes})
    path = folder / 'racket.yaml'
    path.write_text(text)
    return path


def row_flown(command, path, number):
    """Return the scenario file of a campaign's row and the table of its nodes' run."""
    row, csv = path.parent / 'rows' / f'{number}.yaml', path.with_name(f'row{number}.csv')
    printed(command, 'campaign', path, '--row', number, '--write-scenario', row)
    printed(command, 'run', row, '--rate', '0', '--csv', csv, '--no-markers')
    return row, csv


def interrupted(found, folder, runs):
    """Run a campaign until so many runs are done, and interrupt it."""

    def interrupt(done, of):
        if done >= runs:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run(found, folder, interrupt)


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks of twenty runs."""
    monkeypatch.setattr(runner, 'CHUNK', 20)


# Deviates at the middles of 20000 equal parts: sums over them are integrals, to 1e-3 and better.
EVEN = ((np.arange(20000) + 0.5) / 20000.0)[:, np.newaxis]


@pytest.mark.parametrize(
    ('kind', 'numbers', 'mean', 'deviation'),
    [
        ('uniform', (2.0, 4.0), 3.0, 2.0 / np.sqrt(12.0)),
        ('normal', (5.0, 0.5), 5.0, 0.5),
        # Truncated at one sigma: variance 1 - 2 φ(1) / (Φ(1) - Φ(-1)) = 0.29112 of N. L. Johnson
        # and S. Kotz, Continuous Univariate Distributions, chapter 13.
        ('truncated_normal', (1.0, 2.0, -1.0, 3.0), 1.0, 2.0 * np.sqrt(0.291125)),
        ('lognormal', (1.0, 0.2), np.exp(0.02), np.exp(0.02) * np.sqrt(np.exp(0.04) - 1.0)),
        ('integers', (1.0, 4.0), 2.5, np.sqrt(15.0 / 12.0)),
    ],
)  # fmt: skip
def test_distribution_has_the_moments_of_its_name(kind, numbers, mean, deviation):
    given = dict(zip(distributions.KEYS[kind], numbers, strict=True))
    values = distributions.parse('x', {'distribution': kind, **given}).values(EVEN)
    assert np.mean(values) == pytest.approx(mean, rel=1e-3)
    assert np.std(values) == pytest.approx(deviation, rel=2e-3)


def test_vectors_fill_the_sphere_and_attitudes_the_rotations():
    u = np.random.default_rng(0).random((40000, 3))
    inside = distributions.Distribution('in_sphere', {'radius': 2.0}).values(u)
    lengths = np.linalg.norm(inside, axis=1)
    assert lengths.max() <= 2.0
    # The mean of 40000 draws is good to 1e-3: E r = 3/4 R, E x² = R²/5, E q² = 1/4.
    assert np.mean(lengths) == pytest.approx(1.5, abs=5e-3)
    np.testing.assert_allclose(np.mean(inside**2, axis=0), 0.8, atol=0.02)
    attitudes = distributions.Distribution('random_attitude', {}).values(u)
    np.testing.assert_allclose(np.linalg.norm(attitudes, axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(np.mean(attitudes**2, axis=0), 0.25, atol=0.01)


def test_values_are_finite_and_in_their_range_at_both_ends():
    ends = np.array(((0.0, 0.0, 0.0), (1.0 - 2.0**-53,) * 3))

    def values(kind, *numbers):
        return distributions.Distribution(
            kind, dict(zip(distributions.KEYS[kind], numbers, strict=True))
        ).values(ends)

    assert values('uniform', 2.0, 4.0) == pytest.approx([2.0, 4.0])
    assert values('integers', 1.0, 4.0).tolist() == [1, 4]
    assert values('truncated_normal', 0.0, 1.0, -2.0, 3.0) == pytest.approx([-2.0, 3.0])
    # The quantiles of 2^-54 and of 1 - 2^-53.
    quantiles = [-8.292361, 8.209536]
    assert values('normal', 1.0, 2.0) == pytest.approx(1.0 + 2.0 * np.array(quantiles), rel=1e-6)
    assert np.log(values('lognormal', 1.0, 1.0)) == pytest.approx(quantiles, rel=1e-6)
    # So far out that both ends of the normal distribution are 1 in floating point.
    assert values('truncated_normal', 0.0, 1.0, 50.0, 60.0).tolist() == [50.0, 50.0]
    assert np.linalg.norm(values('on_sphere', 3.0), axis=1) == pytest.approx([3.0, 3.0])


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        (3.0, 'x is 3.0; give distribution: one of uniform,'),
        ({'low': 1.0}, "x is {'low': 1.0}; give distribution: one of"),
        ({'distribution': 'even'}, "x.distribution is 'even'; choose one of uniform, "),
        ({'distribution': ['even']}, "x.distribution is '['even']'; choose one of uniform, "),
        ({'distribution': 'uniform', 'mean': 1.0}, "x.mean: 'uniform' does not know it; it takes "
         'low, high'),
        ({'distribution': 'random_attitude', 'low': 1.0}, 'it takes nothing more'),
        ({'distribution': 'uniform', 'low': 1.0}, "x.high is missing; 'uniform' needs it"),
        ({'distribution': 'uniform', 'low': 1.0, 'high': 1.0}, 'x.low is 1, high 1; low must be'),
        ({'distribution': 'on_sphere', 'radius': 0.0}, 'x.radius is 0.0; give a positive number'),
        ({'distribution': 'on_sphere', 'radius': -1}, 'x.radius is -1; give a positive number'),
        ({'distribution': 'on_sphere', 'radius': True}, 'x.radius is True; give a positive'),
        ({'distribution': 'normal', 'mean': 'a'}, "x.mean is 'a'; give a number"),
        ({'distribution': 'normal', 'mean': None}, 'x.mean is None; give a number'),
        ({'distribution': 'normal', 'mean': np.inf}, 'x.mean is inf; give a finite number'),
        ({'distribution': 'normal', 'mean': False}, 'x.mean is False; give a finite number'),
    ],
)  # fmt: skip
def test_a_distribution_that_is_none_is_refused_by_name(given, said):
    with pytest.raises(ParameterError) as refused:
        distributions.parse('x', given)
    assert said in str(refused.value)
    whole = {'distribution': 'normal', 'mean': -1, 'standard_deviation': '2'}
    assert distributions.parse('x', whole).numbers == {'mean': -1.0, 'standard_deviation': 2.0}


@pytest.mark.parametrize('kind', sampling.SAMPLINGS)
def test_draws_repeat_and_latin_hypercube_fills_every_slice(tmp_path, kind):
    found = campaign.load(written(tmp_path, sampling=kind))
    drawn, again = (found.draws(range(found.runs))['body.inertia[2]'] for _ in range(2))
    np.testing.assert_array_equal(drawn, again)
    slices = np.floor((drawn - 190e-6) / 25e-6 * found.runs)
    assert (len(set(slices)) == found.runs) == (kind == sampling.LATIN_HYPERCUBE)


@pytest.mark.parametrize('kind', sampling.SAMPLINGS)
def test_runs_are_drawn_alike_alone_and_together(tmp_path, kind):
    text = RACKET.replace('runs: 70', 'runs: 1101')
    found = campaign.load(written(tmp_path, text, sampling=kind))
    whole = found.draws(range(1101))
    bounds = (0, 1, 20, 499, 500, 1000, 1100, 1101)
    parts = [found.draws(range(*pair)) for pair in itertools.pairwise(bounds)]
    for name, values in whole.items():
        np.testing.assert_array_equal(np.concatenate([part[name] for part in parts]), values)


def test_table_is_the_same_from_one_worker_and_from_two(tmp_path, small_chunks):
    found = campaign.load(written(tmp_path))
    tables = [
        runner.run(found, tmp_path / str(threads), threads=threads, **QUIET) for threads in (1, 2)
    ]
    assert tables[0].read_bytes() == tables[1].read_bytes()
    assert runner.read(tables[0])['run'].tolist() == list(range(70))


def test_an_interrupted_campaign_goes_on_and_ends_with_the_same_table(tmp_path, small_chunks):
    found = campaign.load(written(tmp_path))
    whole = runner.run(found, tmp_path / 'whole', **QUIET)

    interrupted(found, tmp_path / 'parts', 40)
    (tmp_path / 'parts' / 'chunks' / '000000040-000000060.unfinished').write_text('half')
    seen = []
    table = runner.run(found, tmp_path / 'parts', lambda done, of: seen.append(done))
    assert seen == [40, 60, 70]
    assert table.read_bytes() == whole.read_bytes()


def test_a_row_gives_a_scenario_whose_run_has_the_same_bits(tmp_path, small_chunks):
    path = written(tmp_path)
    table = runner.read(runner.run(campaign.load(path), tmp_path / 'out', **QUIET))
    scenario_file = tmp_path / 'run17.yaml'
    with pytest.raises(SystemExit) as ended:
        cli.main(['campaign', str(path), '--row', '17', '--write-scenario', str(scenario_file)])
    assert ended.value.code == 0
    found = scenario.load(scenario_file)
    state = found.initial
    for _ in range(ticks.DEFAULT.covering(found.parameters['duration'])):
        state = simulation.step(found.plant, state)
    final = [table[name][17] for name in STATE_COLUMNS]
    np.testing.assert_array_equal(final, to_flat(state))


CONTROLLED = """
scenario: {scenario}
runs: 3
seed: 5
duration: 4.0
dispersions:
  initial.attitude: {{distribution: random_attitude}}
  initial.angular_velocity: {{distribution: in_sphere, radius: 0.1}}
  attitude_controller.bandwidth: {{distribution: uniform, low: 0.15, high: 0.4}}
"""
ERRORS = """
  seed: {{distribution: integers, low: 0, high: 1000000}}
  imu.gyroscope.angle_random_walk[0]: {{distribution: uniform, low: 0.1, high: 0.2}}
  imu.gyroscope.bias_instability[0]: {{distribution: uniform, low: 1.0, high: 9.0}}
  imu.gyroscope.misalignment[0]: {{distribution: uniform, low: 1.0, high: 2.0}}
  imu.orientation_noise: {{distribution: uniform, low: 0.05, high: 0.1}}
  attitude_controller.integral_time: {{distribution: uniform, low: 10.0, high: 30.0}}
  attitude_controller.integral_limit: {{distribution: uniform, low: 2.0, high: 3.0}}
"""


@pytest.mark.parametrize(
    ('name', 'errors'), [('cubesat_pointing', ERRORS), ('cubesat_detumble', '')]
)
def test_a_row_under_the_controller_is_what_the_nodes_do_bit_for_bit(
    command, domain, tmp_path, name, errors
):
    path = written(tmp_path, CONTROLLED + errors, scenario=name)
    table = runner.columns_of(campaign.load(path), 0, 3)
    scenario_file, csv = row_flown(command, path, 2)
    final = from_flat(np.array([table[column][2] for column in STATE_COLUMNS]))
    body = scenario.load(scenario_file).plant.body
    expected = history.row(body, 4.0, final, loads.FREE)
    found = np.loadtxt(csv, delimiter=',', skiprows=1)[:, : len(history.COLUMNS)]
    assert len(found) == 4 * 32 + 1
    # All but the angular acceleration, of the torque that acts.
    np.testing.assert_array_equal(np.delete(found[-1], (7, 8, 9)), np.delete(expected, (7, 8, 9)))
    assert table['largest_torque'].min() > 0.0


UNSTABLE = """
scenario: wild.yaml
runs: 8
seed: 5
sampling: sobol
duration: 2.0
dispersions:
  attitude_controller.rate_gain[2]: {distribution: uniform, low: 0.2, high: 0.9}
"""


def test_a_loop_that_runs_away_is_marked_and_the_others_settle(tmp_path):
    """Sampled at h, a rate gain K on a moment I turns a rate by 1 - K h / I: stable below 2 I / h.

    The z axis has 0.0069 kg m^2: 0.44 N m s.
    """
    text = scenario.find('cubesat_detumble').read_text()
    text = re.sub(r'torque_limit: .*', 'torque_limit: [1.0e9, 1.0e9, 1.0e9]', text)
    text += '    gains: given\n    rate_gain: [0.1, 0.1, 0.1]\n'
    text = text.replace('lockstep: true', 'lockstep: true\n    substeps: 2')
    (tmp_path / 'wild.yaml').write_text(text)
    path = tmp_path / 'wild_campaign.yaml'
    path.write_text(UNSTABLE)
    table = runner.columns_of(campaign.load(path), 0, 8)
    gains = table['attitude_controller.rate_gain[2]']
    lost = np.isnan(table['final_rate'])
    # Within a hundredth of the bound products of inertia count.
    clear = np.abs(gains / (2.0 * 0.0069 * 32.0) - 1.0) > 0.02
    assert (lost == (gains > 2.0 * 0.0069 * 32.0))[clear].all()
    assert lost[clear].any() and not lost[clear].all()
    for name, values in table.items():
        if name in STATE_COLUMNS or name.startswith('torque'):
            assert np.isnan(values[lost]).all() and np.isfinite(values[~lost]).all(), name
    assert 'flips' not in table
    assert (table['largest_rate'][~lost] < 0.2).all()


# Two under controllers and one without, which tumbles; only the chief draws its noise anew.
FLEET = """
/**/simulator:
  ros__parameters:
    body: {mass: 4.0, inertia: [0.0415, 0.0412, 0.0069]}
    initial: {angular_velocity: [0.01, 8.0, 0.01]}
    imu: {model: stim300}
    duration: 4.0
/chief/simulator: {ros__parameters: {lockstep: true}}
/chief/attitude_controller:
  ros__parameters: {mode: pointing, inertia: [0.0415, 0.0412, 0.0069], bandwidth: 0.3}
/deputy/one/simulator: {ros__parameters: {lockstep: true, initial: {position: [1.0, 0.0, 0.0]}}}
/deputy/one/attitude_controller:
  ros__parameters: {mode: rate_damping, inertia: [0.0415, 0.0412, 0.0069]}
/debris/simulator: {ros__parameters: {body: {mass: 2.0}}}
"""
NAMES = ('chief', 'deputy/one', 'debris')
OF_FLEET = """
scenario: fleet.yaml
runs: {runs}
seed: 5
sampling: latin_hypercube
dispersions:
  debris/initial.angular_velocity: {{distribution: on_sphere, radius: 2.0}}
  initial.attitude: {{distribution: random_attitude}}
  initial.angular_velocity: {{distribution: in_sphere, radius: 0.1}}
  chief/seed: {{distribution: integers, low: 0, high: 1000000}}
  deputy/one/attitude_controller.bandwidth: {{distribution: uniform, low: 0.15, high: 0.4}}
  debris/body.inertia[1]: {{distribution: uniform, low: 0.038, high: 0.045}}
"""


def fleet(folder, runs=3, text=OF_FLEET, formation_text=FLEET):
    """Return the path of the file of a campaign of a formation."""
    (folder / 'fleet.yaml').write_text(formation_text)
    path = folder / 'of_fleet.yaml'
    path.write_text(text.format(runs=runs))
    return path


def test_a_row_of_a_formation_is_what_its_nodes_do_bit_for_bit(command, domain, tmp_path):
    path = fleet(tmp_path)
    table = runner.columns_of(campaign.load(path), 0, 3)
    row, csv = row_flown(command, path, 2)
    members = {one.namespace: one for one in formation.members([row])}
    assert tuple(members) == NAMES
    seeds = [one.sections['simulator']['seed'] for one in members.values()]
    assert seeds == [table['chief/seed'][2], 1, 2]
    for name in NAMES:
        final = from_flat(np.array([table[f'{name}/{one}'][2] for one in STATE_COLUMNS]))
        body = scenario.of_sections(members[name].sections, name).plant.body
        expected = np.delete(history.row(body, 4.0, final, loads.FREE), (7, 8, 9))
        written = csv.with_name(f'row2_{name.replace("/", "_")}.csv')
        found = np.loadtxt(written, delimiter=',', skiprows=1)[:, : len(history.COLUMNS)]
        assert len(found) == 4 * 32 + 1
        np.testing.assert_array_equal(np.delete(found[-1], (7, 8, 9)), expected)
    assert table['deputy/one/largest_torque'].min() > 0.0
    assert 'debris/largest_torque' not in table and 'debris/flips' in table


def test_each_spacecraft_of_a_formation_draws_for_itself(tmp_path):
    runs = 400
    found = campaign.load(fleet(tmp_path, runs))
    drawn = found.draws(range(runs))
    rates = {name: drawn[f'{name}/initial.angular_velocity'] for name in NAMES}
    # Its own dispersion is in place of that of all.
    np.testing.assert_allclose(np.linalg.norm(rates['debris'], axis=1), 2.0, rtol=1e-12)
    assert np.linalg.norm(rates['deputy/one'], axis=1).max() <= 0.1
    assert {name.rpartition('/')[0] for name in drawn if name.endswith('seed')} == {'chief'}
    # Of independent numbers r is 1 / sqrt(400) = 0.05 on the average: 4 of those.
    several = np.concatenate([drawn[f'{name}/initial.attitude'].T for name in NAMES])
    several = np.concatenate((several, rates['chief'].T, rates['deputy/one'].T))
    correlated = np.abs(np.corrcoef(several)) > 0.2
    np.testing.assert_array_equal(correlated, np.eye(len(several), dtype=bool))


def test_a_formation_has_the_columns_of_each_as_if_it_were_alone(tmp_path):
    """Of each, the numbers that a campaign of it alone computes from the same draws."""
    found = campaign.load(fleet(tmp_path))
    table = runner.columns_of(found, 0, 3)
    assert list(table)[0] == 'run'
    rows, draws = range(3), found.draws(range(3))
    for name in NAMES:
        own = runner.of_spacecraft(table, name)
        for row in rows:
            (drawn,) = found.scenarios_of(
                {key: values[row : row + 1] for key, values in draws.items()},
                range(row, row + 1), name,
            )  # fmt: skip
            text = 'scenario: one\nruns: 1\n'
            alone = campaign.parse(text, scenario.dump(drawn), 'alone')
            expected = runner.columns_of(alone, 0, 1)
            for column, values in expected.items():
                if column != 'run':
                    np.testing.assert_array_equal(own[column][row : row + 1], values, column)
            for column in (f'initial.angular_velocity[{k}]' for k in range(3)):
                whole, k = column[:-3], int(column[-2])
                assert own[column][row] == drawn.parameters[whole][k]
    assert table['deputy/one/attitude_controller.bandwidth'].min() >= 0.15


def test_an_interrupted_campaign_of_a_formation_goes_on(tmp_path, small_chunks):
    found = campaign.load(fleet(tmp_path, runs=50))
    whole = runner.run(found, tmp_path / 'whole', **QUIET)

    interrupted(found, tmp_path / 'parts', 20)
    seen = []
    table = runner.run(found, tmp_path / 'parts', lambda done, of: seen.append(done))
    assert seen == [20, 40, 50]
    assert table.read_bytes() == whole.read_bytes()
    # As a worker of a cluster computes it, from the texts.
    there = runner._chunk_of_texts((found.text, found.scenario_text, found.source), (), 20, 40)
    columns = runner.read(table)
    assert list(there) == list(columns)
    for name, values in there.items():
        np.testing.assert_array_equal(values, columns[name][20:40])


def test_command_sums_up_each_spacecraft_of_a_formation(tmp_path, capsys):
    path = fleet(tmp_path, runs=20)
    with pytest.raises(SystemExit) as ended:
        cli.main(['campaign', str(path), '-o', str(tmp_path / 'out')])
    assert ended.value.code == 0
    said = capsys.readouterr().out.splitlines()
    assert 'of_fleet: 20 runs of 4 s' in said
    table = runner.read(tmp_path / 'out' / 'runs.parquet')
    for name in NAMES:
        (line,) = (line for line in said[said.index(name) :][:8] if line.startswith('final rate'))
        rates = table[f'{name}/final_rate']
        assert [float(value) for value in line.split()[-4::3]] == [
            pytest.approx(value, rel=1e-3) for value in (rates.min(), rates.max())
        ]
        picture = tmp_path / 'out' / f'merits_{name.replace("/", "_")}.png'
        assert str(picture) in said
        assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        ('chief/seed', 'chef/seed', 'chef/seed: no spacecraft chef; there are chief, deputy/one'),
        ('chief/seed', 'chief/sed', "not a parameter; did you mean 'dispersions.chief/seed'"),
        ('chief/seed', 'debris/seed', 'debris/seed: debris/seed changes nothing in a campaign'),
        ('chief/seed', 'debris/attitude_controller.bandwidth', 'is not a parameter'),
        ('inertia[1]', 'inertia[8]', 'debris/body.inertia is [0.0415, 0.0412, 0.0069]; it has no'),
        ('inertia[1]', 'inertia', 'debris/body.inertia has 3; name an element'),
        ('chief/seed', 'seed', 'debris/seed changes nothing in a campaign'),
        ('runs: 3', 'duration: 0.0', ''),
    ],
)
def test_a_mistake_about_a_formation_is_named_with_its_spacecraft(tmp_path, old, new, said):
    text = OF_FLEET.format(runs=3)
    assert old in text
    path = fleet(tmp_path)
    path.write_text(text.replace(old, new))
    if not said:
        assert campaign.load(path).duration == 4.0
        return
    with pytest.raises(CampaignError) as refused:
        campaign.load(path)
    assert said in str(refused.value)
    assert 'of_fleet.yaml' in str(refused.value)


def test_what_cannot_be_of_a_formation_is_refused_by_name(tmp_path):
    found = campaign.load(fleet(tmp_path, text=OF_FLEET.replace('low: 0.038, high', 'low: 9, high')
                                .replace('0.045', '9.5')))  # fmt: skip
    with pytest.raises(CampaignError, match=r'of_fleet.yaml: debris: body.* \(drawn for run 0; n'):
        runner.columns_of(found, 0, 3)
    other = FLEET.replace('{mass: 2.0}', '{mass: 2.0}, equations: euler_quaternion')
    found = campaign.load(fleet(tmp_path, formation_text=other))
    with pytest.raises(CampaignError, match="of_fleet.yaml: debris: equations are 'euler_q"):
        runner.columns_of(found, 0, 3)
    other = FLEET.replace('{mass: 2.0}', '{mass: 2.0}, tick_rate: 50.0')
    with pytest.raises(scenario.ScenarioError, match='fleet.yaml: debris: tick_rate is 50.0 Hz'):
        campaign.load(fleet(tmp_path, formation_text=other))
    with pytest.raises(CampaignError, match='dispersions.sat/initial.attitude is not a parameter'):
        campaign.load(
            written(tmp_path, RACKET.replace('initial.attitude', 'sat/initial.attitude'))
        )


BOUNCING = """
scenario: bouncing_ellipsoid
runs: 4
duration: 0.75
dispersions:
  contact.friction: {distribution: uniform, low: 0.0, high: 1.0}
  contact.restitution: {distribution: uniform, low: 0.2, high: 0.9}
  contact.surface.semi_axes[0]: {distribution: uniform, low: 0.1, high: 0.12}
"""


def test_a_row_on_a_floor_gives_a_scenario_whose_run_has_the_same_bits(tmp_path):
    path = tmp_path / 'bouncing.yaml'
    path.write_text(BOUNCING)
    campaigned = campaign.load(path)
    table = runner.columns_of(campaigned, 0, 4)
    (drawn,) = campaigned.scenarios_of(campaigned.draws(range(2, 3)), range(2, 3))
    text = scenario.dump(drawn)
    found = scenario.parse(text, 'run2')
    instant, impacts = found.first_instant(), 0
    for _ in range(24):
        instant = simulation.next_instant(found.plant, instant, simulation.Inputs())
        impacts += simulation.contact_at(instant).impacts
    assert impacts
    final = [table[name][2] for name in STATE_COLUMNS]
    np.testing.assert_array_equal(final, to_flat(instant.state))


def test_a_run_whose_contact_cannot_be_followed_is_blank():
    columns = {'final_rate': np.ones(2), 'flips': np.ones(2, dtype=int)}
    flights._blank(columns, np.array((False, True)))
    np.testing.assert_array_equal(columns['final_rate'], (1.0, np.nan))
    np.testing.assert_array_equal(columns['flips'], (1, -1))


IN_ORBIT = """
scenario: cubesat_3u_leo
runs: 4
duration: 40.0
dispersions:
  orbit.inclination: {distribution: uniform, low: 0.8, high: 1.6}
  epoch_delay: {distribution: uniform, low: 0.0, high: 365.0}
  density_factor: {distribution: lognormal, median: 1.0, spread: 1.0}
  residual_dipole[1]: {distribution: normal, mean: 0.0, standard_deviation: 0.01}
  surface.front.area: {distribution: uniform, low: 0.01, high: 0.1}
  magnetorquer.x.max_dipole: {distribution: uniform, low: 0.1, high: 2.0}
  magnetometer.noise[0]: {distribution: uniform, low: 0.0, high: 100.0}
"""


def test_orbits_epochs_and_densities_are_drawn_and_the_controller_knows_them():
    base = scenario.read(scenario.find('cubesat_3u_leo'))
    base['simulator'] |= {
        'surfaces': ['front'], 'surface.front.area': 0.03, 'surface.front.center': [0.0, 0.1, 0.1]
    }  # fmt: skip
    base['attitude_controller']['schedule.times'] = [10.0, 25.0]
    text = scenario.dump(scenario.of_sections(base, 'x'))
    whole = campaign.parse(IN_ORBIT, text, 'orbits')
    columns = runner.columns_of(whole, 0, 4, threads=1)
    draws = whole.draws(range(4))
    found = whole.scenarios_of(draws, range(4))
    densities = []
    for row, one in enumerate(found):
        for name in ('orbit.inclination', 'epoch_delay'):
            assert one.controller[name] == one.parameters[name] == draws[name][row]
        around = one.plant.environment.surroundings
        assert around.begins == pytest.approx(
            found[0].plant.environment.surroundings.begins
            + (draws['epoch_delay'][row] - draws['epoch_delay'][0]) * 86400e9,
            abs=2e3,
        )
        instants, _ = bits.driven(one, 80)
        final = [columns[name][row] for name in STATE_COLUMNS]
        assert final == to_flat(instants[-1].state)[: len(final)].tolist()
        densities.append(around.at(0.0)[AROUND.at('density')])
    assert len(set(densities)) == 4


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        ('runs: 70', 'runs: 0', 'runs is 0; give a number from 1'),
        ('runs: 70', 'rums: 70', "rums is not a parameter; did you mean 'runs'"),
        ('sobol', 'sobel', "sampling is 'sobel'; choose one of monte_carlo"),
        ('body.inertia[2]', 'body.inertias[2]', "did you mean 'dispersions.body.inertia'"),
        ('body.inertia[2]', 'body.inertia[3]', 'it has no such element'),
        ('body.inertia[2]', 'body.inertia', 'makes 1 numbers, body.inertia has 3'),
        ('body.inertia[2]', 'frames.world', 'only numbers can be dispersed'),
        ('body.inertia[2]', 'substeps', "substeps is 0; choose 'integers'"),
        ('body.inertia[2]', 'command_timeout', 'command_timeout changes nothing in a campaign'),
        ('high: 215', 'high: 150', 'low must be below high'),
        ('distribution: normal', 'distribution: [normal]', 'choose one of uniform'),
        ('runs: 70', '7: 70', '7 is not a parameter'),
        (', high: 215.0e-6', '', "body.inertia[2].high is missing; 'uniform' needs it"),
        ('mean: 8.0', 'mean: fast', "mean is 'fast'; give a number"),
        ('deviation: 0.5', 'deviation: -1', 'give a positive number'),
        ('distribution: normal', 'distribution: gauss', "is 'gauss'; choose one of uniform"),
    ],
)
def test_a_mistake_in_a_campaign_file_is_named_with_its_remedy(tmp_path, old, new, said):
    text = RACKET.format(sampling='sobol')
    assert old in text
    path = written(tmp_path, text.replace(old, new).replace('{', '{{').replace('}', '}}'))
    with pytest.raises(CampaignError) as refused:
        campaign.load(path)
    assert said in str(refused.value)
    assert 'racket.yaml' in str(refused.value)


def test_an_impossible_draw_is_named_with_its_run(tmp_path):
    path = written(
        tmp_path, RACKET.replace('low: 190.0e-6, high: 215.0e-6', 'low: 0.1, high: 0.2')
    )
    with pytest.raises(CampaignError, match=r'inertia\[2\] is .*drawn for run 0; narrow'):
        runner.run(campaign.load(path), tmp_path / 'out', **QUIET)
    assert not (tmp_path / 'out').exists()  # in the way of the next try


def test_a_campaign_refused_late_keeps_its_runs_and_says_how_to_begin_anew(
    tmp_path, small_chunks, monkeypatch
):
    columns_of = runner.columns_of

    def refuse_the_second(found, first, last, *rest):
        if first:
            raise CampaignError('impossible (drawn for run 33; narrow its dispersion)')
        return columns_of(found, first, last, *rest)

    monkeypatch.setattr(runner, 'columns_of', refuse_the_second)
    with pytest.raises(CampaignError, match=r'drawn for run 33.*out keeps 20 runs .*--overwrite'):
        runner.run(campaign.load(written(tmp_path)), tmp_path / 'out', **QUIET)
    assert len(list((tmp_path / 'out' / 'chunks').glob('*.parquet'))) == 1


def test_results_of_another_campaign_are_not_mixed_in(tmp_path, small_chunks):
    runner.run(campaign.load(written(tmp_path)), tmp_path / 'out', **QUIET)
    other = campaign.load(written(tmp_path, sampling='monte_carlo'))
    with pytest.raises(CampaignError, match='holds another campaign'):
        runner.run(other, tmp_path / 'out', **QUIET)


def test_command_writes_table_and_figure_of_the_shipped_campaign(tmp_path, capsys, monkeypatch):
    waits = []
    monkeypatch.setattr(
        campaign_command, 'saying', lambda text: contextlib.nullcontext(waits.append(text))
    )
    text = (ROOT / 'config' / 'campaigns' / 'cubesat_detumble.yaml').read_text()
    path = tmp_path / 'short.yaml'
    path.write_text(text.replace('120.0', '4.0'))
    with pytest.raises(SystemExit) as ended:
        cli.main(['campaign', str(path), '-o', str(tmp_path / 'out'), '--runs=40', '--seed=9'])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert 'short: 40 runs of 4 s' in said
    assert (tmp_path / 'out' / 'merits.png').stat().st_size > 10_000
    assert waits == ['loading short.yaml', f'drawing {tmp_path / "out" / "merits.png"}']
    rates = runner.read(tmp_path / 'out' / 'runs.parquet')
    drawn = campaign.load(path, changes={'runs': 40, 'seed': 9}).draws(range(40))
    assert np.array_equal(rates['body.inertia[0]'], drawn['body.inertia[0]'])
    path.write_text(text.replace('runs: 10000', 'runs: 40').replace('seed: 1', 'seed: 9'))
    assert np.array_equal(
        drawn['body.inertia[0]'], campaign.load(path).draws(range(40))['body.inertia[0]']
    )
    # Damping only ever takes energy out.
    assert np.all(rates['final_rate'] < rates['largest_rate'])


def test_each_spacecraft_of_a_formation_has_the_summary_and_figure_of_its_own(
    tmp_path, capsys, monkeypatch
):
    columns = {
        'run': np.arange(3), 'a/b/final_rate': np.ones(3), 'c/final_rate': np.full(3, 2.0),
        'c/seed': np.zeros(3),
    }  # fmt: skip
    found = SimpleNamespace(
        bases={'a/b': None, 'c': None}, values={'description': ''}, merits={'m': 1}, map={'x': 1},
        takes_turns=False,
    )  # fmt: skip
    drawn = []

    def figure(*given):
        drawn.append(given)
        return SimpleNamespace(savefig=lambda path, dpi: drawn.append(path.name))

    monkeypatch.setattr(runner, 'read', lambda path: columns)
    monkeypatch.setattr(campaign_figures, 'figure', figure)
    monkeypatch.setattr(campaign_figures, 'map_figure', figure)
    monkeypatch.setattr(
        campaign_figures, 'summary', lambda own, merits: [f'{sorted(own)} {merits}']
    )
    options = SimpleNamespace(campaign=Path('mine.yaml'))
    campaign_command._summarise(found, tmp_path / 'runs.parquet', options)
    (one, title, merits), file, (other, *_), second, whole, third = drawn
    assert (title, merits, file) == ('mine: a/b', {'m': 1}, 'merits_a_b.png')
    assert one.keys() == {'run', 'final_rate'} and one['final_rate'].tolist() == [1.0] * 3
    assert other.keys() == {'run', 'final_rate', 'seed'} and other['final_rate'][0] == 2.0
    assert (second, third) == ('merits_c.png', 'map.png')
    assert whole == (columns, {'x': 1}, 'mine')
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ['a/b', f"{['final_rate', 'run']} {{'m': 1}}"]
    assert said[-4:] == [
        str(tmp_path / name) for name in ('runs.parquet', 'merits_a_b.png', second, third)
    ]


def test_the_page_shows_a_campaign_and_a_program(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / 'docs' / 'campaigns.md').read_text()
    examples = re.findall(r'```yaml\n(.*?)```', text, re.S)
    expected = (1000, 1), (100, 1), (1000, 3)
    for example, runs_and_spacecraft in zip(examples, expected, strict=True):
        (tmp_path / 'example.yaml').write_text(example)
        found = campaign.load(tmp_path / 'example.yaml')
        assert (found.runs, len(found.bases)) == runs_and_spacecraft
    names = {}
    for program in re.findall(r'```python\n(.*?)```', text, re.S):
        exec(program, names)
    own, free, damped, on_floors = capsys.readouterr().out.splitlines()
    assert own == 'error_after_slew (20,)'
    assert free.startswith('(1000, 13)')
    assert damped == '(1000, 4) True'
    assert on_floors.startswith('(8, 30)')


@contextlib.contextmanager
def cluster(folder, workers):
    """Give the address and the processes of a Dask scheduler and its workers; kill them after."""
    python = [sys.executable, '-m']
    file = folder / 'scheduler.json'
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'cwd': folder}
    processes = []
    try:
        processes.append(subprocess.Popen(
            [*python, 'distributed.cli.dask_scheduler', '--host', '127.0.0.1', '--port', '0',
             '--no-dashboard', '--scheduler-file', str(file)], **quiet,
        ))  # fmt: skip
        for _ in range(workers):
            processes.append(subprocess.Popen(
                [*python, 'distributed.cli.dask_worker', '--scheduler-file', str(file),
                 '--nthreads', '1', '--no-nanny', '--no-dashboard'], **quiet,
            ))  # fmt: skip
        yield file, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_worker_killed_mid_way_costs_no_run_and_doubles_none(tmp_path, small_chunks):
    distributed = pytest.importorskip('distributed')
    found = campaign.load(written(tmp_path, RACKET.replace('duration: 1.0', 'duration: 20.0')))
    here = runner.run(found, tmp_path / 'here', **QUIET)
    with cluster(tmp_path, workers=2) as (file, workers):
        with distributed.Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        killed = []

        def kill_one(done, whole):
            if done and not killed:
                workers[0].kill()
                killed.append(done)

        there = runner.run(found, tmp_path / 'there', kill_one, scheduler=address)
    assert 0 < killed[0] < found.runs
    assert there.read_bytes() == here.read_bytes()


SUBSTEPPED = """
/**/simulator:
  ros__parameters:
    body: {mass: 1.0, inertia: [0.1, 0.2, 0.25]}
    initial: {angular_velocity: [0.1, 4.0, 0.2]}
    gravity: [0.0, 0.0, -1.6]
    substeps: 3
"""


def test_a_campaign_takes_the_sub_steps_of_its_scenario(tmp_path):
    """Bit for bit the single step of so many sub-steps, and not that of the automatic number."""
    (tmp_path / 'three.yaml').write_text(SUBSTEPPED)
    path = tmp_path / 'campaign.yaml'
    path.write_text('scenario: three.yaml\nruns: 2\nduration: 0.5\n')
    table = runner.columns_of(campaign.load(path), 0, 2)
    found = scenario.load(tmp_path / 'three.yaml')
    ends = []
    for plant in (found.plant, found.plant.with_substeps(0)):
        state = found.initial
        for _ in range(16):
            state = simulation.step(plant, state)
        ends.append(to_flat(state))
    final = [table[name][1] for name in STATE_COLUMNS]
    np.testing.assert_array_equal(final, ends[0])
    assert np.any(final != ends[1])
