# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: where L ends in the body, maps, and the maps that ship, against closed forms."""

import numpy as np
import pytest
from conftest import ROOT

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.campaigns import campaign, campaign_figures
from spacecraft_attitude_sim.campaigns.columns import DIRECTION_COLUMNS
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import figures
from spacecraft_attitude_sim.recording.errors import CampaignError

pytest.importorskip('pyarrow')
from spacecraft_attitude_sim.campaigns import runner  # noqa: E402

CAMPAIGNS = ROOT / 'config' / 'campaigns'
RACKET = """
scenario: tennis_racket
runs: 40
seed: 3
sampling: sobol
duration: 1.0
dispersions:
  initial.attitude: {distribution: random_attitude}
  initial.angular_velocity[1]: {distribution: normal, mean: 8.0, standard_deviation: 0.5}
"""
MAP = """map:
  x: initial.angular_velocity[1]
  y: initial.attitude[0]
  color: final_direction[2]
"""


def written(folder, text):
    """Return the path of a campaign file in a folder."""
    path = folder / 'racket.yaml'
    path.write_text(text)
    return path


def shipped(name, *changes):
    """Return a shipped campaign with pieces of its text replaced."""
    text = (CAMPAIGNS / f'{name}.yaml').read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return campaign.parse(text, scenario.find(name).read_text(), f'{name}.yaml')


def test_a_row_says_where_L_is_in_the_body_whatever_its_chunk(tmp_path):
    one_axis = '[1]: {distribution: normal, mean: 8.0, standard_deviation: 0.5}'
    text = RACKET.replace(one_axis, ': {distribution: in_sphere, radius: 5.0}')
    found = campaign.load(written(tmp_path, text))
    table = runner.columns_of(found, 0, 40)
    directions = np.array([table[name] for name in DIRECTION_COLUMNS]).T
    L_W = np.array([table[f'final.angular_momentum[{k}]'] for k in range(3)]).T
    q_WB = np.array([table[f'final.attitude[{k}]'] for k in range(4)]).T
    expected = [
        rotations.rotate(rotations.conjugate(q), L) / np.linalg.norm(L)
        for q, L in zip(q_WB, L_W, strict=True)
    ]
    # Of round-off: some ten operations.
    np.testing.assert_allclose(directions, expected, rtol=0, atol=3e-15)
    assert np.ptp(directions, axis=0).min() > 0.1
    parts = [runner.columns_of(found, *pair) for pair in ((0, 1), (1, 8), (8, 40))]
    for k, name in enumerate(DIRECTION_COLUMNS):
        whole = np.concatenate([part[name] for part in parts])
        np.testing.assert_array_equal(whole, directions[:, k])


def test_a_body_at_rest_has_no_direction(tmp_path):
    text = 'scenario: tennis_racket\nruns: 1\nduration: 0.1\n'
    rest = text + 'parameters: {initial.angular_velocity: [0.0, 0.0, 0.0]}\n'
    table = runner.columns_of(campaign.load(written(tmp_path, rest)), 0, 1)
    assert all(np.isnan(table[name]).all() for name in DIRECTION_COLUMNS)
    assert table['final.attitude[0]'] == 1.0


def test_what_a_campaign_fixes_is_in_all_its_runs(tmp_path):
    text = RACKET + 'parameters: {substeps: 3, body: {inertia: [1.0e-4, 2.0e-4, 2.5e-4]}}\n'
    found = campaign.load(written(tmp_path, text))
    rows = range(2)
    for one in found.scenarios_of(found.draws(rows), rows):
        assert one.plant.substeps == 3
        np.testing.assert_array_equal(one.plant.body.principal_moments, (1e-4, 2e-4, 2.5e-4))
    assert found.fingerprint != campaign.load(written(tmp_path, RACKET)).fingerprint


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        (MAP.replace('[1]', '[0]'), "map.x is 'initial.angular_velocity[0]'; give a number that"),
        (MAP.replace('attitude[0]', 'attitude[4]'), 'is dispersed: initial.attitude[0], initial'),
        (MAP.replace('_direction', '_directions'), "map.color is 'final_directions[2]'; give a"),
        (MAP.replace('_direction', '_directions'), 'initial.angular_velocity[1], final_rate, l'),
        ('map:\n  x: initial.angular_velocity[1]\n', 'map.color is missing; a map has x and col'),
        ('map:\n  color: final_rate\n', 'map.x is missing'),
        ('map:\n  z: flips\n', "map.z is not a parameter; did you mean 'map."),
        ('map: flips\n', 'map is not a parameter'),
        ('parameters: {substep: 1}\n', "did you mean 'parameters.substeps'"),
        ('parameters: 5\n', 'parameters are 5; give parameters by name'),
        ('parameters: {substeps: -1}\n', 'substeps is -1'),
    ],
)
def test_a_mistake_about_a_map_is_named_with_its_remedy(tmp_path, text, said):
    with pytest.raises((CampaignError, scenario.ScenarioError)) as refused:
        campaign.load(written(tmp_path, RACKET + text))
    assert said in str(refused.value)
    assert 'racket.yaml' in str(refused.value)


def test_a_map_shows_each_run_at_its_place_in_its_color():
    figures.without_display()
    columns = {
        'a': np.array([1.0, 2.0, 3.0, 4.0]), 'b': np.array([5.0, 6.0, 7.0, 8.0]),
        'final_direction[0]': np.array([-0.5, np.nan, 0.25, 0.125]),
    }  # fmt: skip
    asked = {'x': 'a', 'y': 'b', 'color': 'final_direction[0]'}
    for axes, across in ((asked, [5.0, 7.0, 8.0]), (asked | {'y': ''}, [-0.5, 0.25, 0.125])):
        drawn = campaign_figures.map_figure(columns, axes, 'title')
        (points,) = drawn.axes[0].collections
        np.testing.assert_array_equal(points.get_offsets(), np.c_[[1.0, 3.0, 4.0], across])
        np.testing.assert_array_equal(points.get_array(), [-0.5, 0.25, 0.125])
        assert points.get_clim() == (-0.5, 0.5)  # white is 0


def test_command_draws_the_map_that_a_file_asks_for(tmp_path, capsys):
    path = written(tmp_path, RACKET + MAP)
    with pytest.raises(SystemExit) as ended:
        cli.main(['campaign', str(path), '-o', str(tmp_path / 'out')])
    assert ended.value.code == 0
    assert str(tmp_path / 'out' / 'map.png') in capsys.readouterr().out
    assert (tmp_path / 'out' / 'map.png').stat().st_size > 10_000


# --- what ships ----------------------------------------------------------------------------------


def growth_rate(axial, rotor, spin, across, slug, damping):
    """Largest growth rate of small nutation of a spinner with slug and rotor on its axis [1/s].

    With m = m1 + i m2 of L and s of the slug: m' = i (m3 w - W m), s' = i (s3 w - W s) -
    c (s/J - w), w = (m - s) / (A - J), s3 = J W.
    """
    m3 = axial * spin + rotor
    hub = across - slug
    row_m = np.stack([1j * (m3 / hub - spin), -1j * m3 / hub], axis=-1)
    drag = np.full_like(m3, (1j * slug * spin + damping) / hub, dtype=complex)
    row_s = np.stack([drag, -drag - 1j * spin - damping / slug], axis=-1)
    return np.linalg.eigvals(np.stack([row_m, row_s], axis=1)).real.max(axis=1)


def test_the_map_of_the_dual_spinner_has_its_analytic_border():
    """Stable iff L3 ((I3 - A) W + h) > 0: energy falls, that of the rotor's share of L is kept.

    Of no time does that hold too late: the slug starts at rest in the body, so energy above the
    least that an angle of nutation allows is 0 at the start and not less later. But with nutation
    θ at the start, the least has an end within θ of the axis where |A W / L3 - 1| < θ².
    """
    found = shipped('dual_spin', ('runs: 10000', 'runs: 512'))
    table = runner.columns_of(found, 0, 512)
    axial, rotor = table['body.inertia[2]'], 10.0 * table['wheel.rotor.initial_speed']
    across, spin, first = 500.0, 0.1, 0.002
    assert found.bases[''].parameters['initial.angular_velocity'] == [first, 0.0, spin]
    L3 = axial * spin + rotor
    start = np.arctan2(across * first, np.abs(L3))
    end = np.arccos(np.clip(table['final_direction[2]'] * np.sign(L3), -1.0, 1.0))
    stable = L3 * ((axial - across) * spin + rotor) > 0.0
    clear = np.abs(across * spin / L3 - 1.0) > start**2
    assert clear.sum() > 505 and 100 < stable.sum() < 450
    np.testing.assert_array_equal((end < start)[clear], stable[clear])
    # How fast, by the eigenvalues; the slug, 1/50 of the inertia, sets out at rest.
    small = (np.maximum(start, end) < 0.1) & (np.abs(L3) > 5.0)
    expected = 1200.0 * growth_rate(axial, rotor, spin, across, 10.0, 1.0)
    assert small.sum() > 400 and np.ptp(expected[small]) > 1.5
    np.testing.assert_allclose(np.log(end / start)[small], expected[small], rtol=0, atol=0.02)


@pytest.mark.parametrize(('first', 'sign'), [(0.1224, -1.0), (0.125, 1.0)])
def test_the_map_of_the_flat_spin_has_the_published_sides(first, sign):
    """Rahn and Barba 1991, at the steps of the campaign."""
    text = (CAMPAIGNS / 'flat_spin.yaml').read_text()
    head, _ = text.split('dispersions:')
    head = head.replace('runs: 4096', 'runs: 1')
    head += f'  initial.angular_velocity: [{first}, 0.0, 2.99]\n'
    found = campaign.parse(head, scenario.find('flat_spin').read_text(), 'flat_spin.yaml')
    table = runner.columns_of(found, 0, 1)
    assert sign * table['final_direction[0]'][0] > 0.7


def test_a_merit_that_differs_by_round_off_alone_is_not_drawn():
    """Its histogram would have more bins than there are numbers between its ends."""
    columns = {
        'run': np.arange(3), 'body.mass': np.array((1.0, 2.0, 3.0)),
        'final_rate': np.array((8.0, np.nextafter(8.0, 9.0), 8.0)),
        'largest_rate': np.array((8.0, 9.0, 8.5)),
    }  # fmt: skip
    drawn = campaign_figures.figure(columns, 'title')
    assert [axis.get_xlabel() for axis in drawn.axes][:1] == ['largest rate [rad/s]']


def test_a_merit_is_drawn_against_its_strongest_cause_rising_or_falling():
    """By rank: each merit has a cause of its own, one of them the length of a vector."""
    random = np.random.default_rng(2)
    drawn = {name: random.normal(size=200) for name in ('body.mass', 'wind[0]', 'wind[1]',
                                                        'wind[2]', 'gravity', 'seed')}  # fmt: skip
    speed = np.linalg.norm([drawn[f'wind[{k}]'] for k in range(3)], axis=0)
    merits = {
        'final_rate': -np.exp(drawn['body.mass']), 'settling_time': drawn['gravity'] ** 3,
        'largest_rate': 1.0 / speed,
    }  # fmt: skip
    merits['settling_time'][::7] = np.nan
    figure = campaign_figures.figure({'run': np.arange(200), **drawn, **merits}, 'title')
    causes = {axis.get_ylabel().split(' [')[0]: axis.get_xlabel() for axis in figure.axes[3:]}
    assert causes == {
        'final rate': 'body.mass', 'settling time': 'gravity', 'largest rate': '|wind|',
    }  # fmt: skip


def test_the_summary_tells_quantiles_of_followed_runs_in_the_unit_of_the_label():
    """Of 0 to 100 the quantiles are 50 and 99; lost runs have NaN everywhere."""
    rates = np.append(np.arange(101.0), (np.nan, np.nan))
    settled = np.where(rates < 20.0, rates, np.nan)
    columns = {
        'final_rate': rates, 'pointing_rms': np.radians(rates), 'settling_time': settled,
        'pointing_time': np.full(103, np.nan),
    }  # fmt: skip
    head, *lines = campaign_figures.summary(columns)
    assert head.split() == ['least', 'median', '99', '%', 'largest']
    assert [line.rsplit('   (')[0].rsplit(']', 1)[-1].split() for line in lines[:-1]] == [
        ['never'], ['0', '50', '99', '100'], ['0', '9.5', '18.81', '19'], ['0', '50', '99', '100'],
    ]  # fmt: skip
    assert [line.split(' [')[0] for line in lines[:-1]] == [
        'time to point', 'pointing error, rms', 'settling time', 'final rate',
    ]  # fmt: skip
    assert lines[2].endswith('(81 runs did not settle)')
    assert lines[-1] == '2 runs could not be followed to their end'
