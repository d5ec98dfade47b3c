# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of the panels that are wanted, by name; the error on an axis on which it can be read."""

import re
import sys

import numpy as np
import pytest
from processes import called
from test_figures import history_of

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.drawing import curves, figures, response_report, selected_panels
from spacecraft_attitude_sim.drawing.panel_names import NAMES
from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.recording.history import Control


@pytest.fixture(scope='module')
def racket():
    """A second of the tennis racket."""
    figures.without_display()
    return history_of('tennis_racket', 32)[0]


@pytest.fixture(autouse=True)
def closing():
    """Close every figure at the end."""
    from matplotlib import pyplot

    yield
    pyplot.close('all')


def controlled(free, errors):
    """Return a History whose attitude is off its reference by angles (n,) [rad], some NaN."""
    known = np.isfinite(errors)
    half = np.where(known, errors, 0.0) / 2.0
    turns = np.column_stack((np.cos(half), np.sin(half), np.zeros((len(half), 2))))
    q_WB = free.q_WB()
    q_WR = np.array([
        rotations.compose(q, rotations.conjugate(turn))
        for q, turn in zip(q_WB, turns, strict=True)
    ])  # fmt: skip
    q_WR[~known] = np.nan
    return free._replace(control=Control(np.full((len(half), 3), 1e-3), q_WR))


def labels_of(drawn):
    return [axis.get_ylabel().split(' [')[0].split('\n')[0] for axis in drawn.axes]


def test_only_those_panels_are_drawn_that_are_wanted_in_their_order(racket):
    drawn = figures.figure(racket, 'racket', only=('energy', 'omega'))
    assert labels_of(drawn) == ['energy', 'angular velocity']
    lines = [line for line in drawn.axes[1].lines if len(line.get_xdata()) == 33]
    for line, values in zip(lines, racket.angular_velocity_B.T, strict=True):
        assert np.array_equal(line.get_ydata(), values)
    words = ('angular_velocity', 'angular_acceleration', 'angular_momentum_body')
    found = selected_panels.panels(racket, words)
    assert [one.panel.key for one in found] == ['omega', 'alpha', 'L']
    axes = figures.figure(racket, 'racket', 'axes', only=('attitude',)).axes
    assert [axis.get_ylabel()[:8] for axis in axes] == ['body x a', 'body y a', 'body z a']


def test_a_panel_that_there_is_not_is_refused_with_the_list(racket):
    with pytest.raises(ValueError, match="there is no panel 'omga'; did you mean 'omega'"):
        selected_panels.panels(racket, ['omga'])
    with pytest.raises(ValueError, match='no panel .error.; it has attitude, omega, alpha, L, en'):
        selected_panels.panels(racket, ['omega', 'error'])


def test_each_panel_of_a_run_has_a_name_of_the_list(racket):
    there = selected_panels.every(controlled(racket, np.full(33, 0.1)))
    assert [one.panel.key for one in there] == [
        'attitude', 'omega', 'alpha', 'L', 'energy', 'error', 'torque',
    ]  # fmt: skip
    assert {one.panel.key for one in there} <= NAMES.keys()


def test_an_error_over_decades_has_a_logarithmic_axis_and_another_has_none(racket):
    falling = np.exp(-8.0 * racket.time)
    falling[3] = np.nan
    drawn = figures.figure(controlled(racket, falling), 'x', only=('error', 'torque'))
    assert [axis.get_yscale() for axis in drawn.axes] == ['log', 'linear']
    found = drawn.axes[0].lines[0].get_ydata()
    assert np.isnan(found[3])
    assert np.nanmax(np.abs(np.radians(found) - falling)) < 1e-12
    assert drawn.axes[0].get_ylim()[0] < np.degrees(np.exp(-8.0)) * 1.01
    steady = figures.figure(controlled(racket, 0.1 + 0.05 * racket.time), 'x', only=('error',))
    assert steady.axes[0].get_yscale() == 'linear'
    assert steady.axes[0].get_ylim()[0] <= 0.0
    # Beside each other they share their axis.
    both = [(controlled(racket, errors), 'x') for errors in (falling, 0.1 + 0.05 * racket.time)]
    beside = figures.figure_beside(both, 'both', only=('error',))
    assert [axis.get_yscale() for axis in beside.axes] == ['log', 'log']
    assert not curves.spans_decades(np.array((0.0, np.nan, 1.0, 50.0)))
    assert curves.spans_decades(np.array((0.0, np.nan, 1.0, 150.0)))


def test_the_response_draws_an_error_of_many_sizes_on_a_logarithmic_axis():
    figures.without_display()
    time = np.arange(64) * TICK_SECONDS
    for rate, scale in ((4.0, 'log'), (0.5, 'linear')):
        errors = np.outer(np.exp(-rate * time), (0.0, 0.3, 0.4))
        found = response_report.Response(time, errors, errors, errors)
        assert response_report.figure(found, 'x').axes[0].get_yscale() == scale


def test_the_command_names_its_figure_by_its_panels(racket, tmp_path):
    table = tmp_path / 'racket.csv'
    rows = np.column_stack((*racket[:5], racket.quaternion, racket.energies))
    names = history.columns(False)
    np.savetxt(table, rows, delimiter=',', header=','.join(names), comments='', fmt='%.17g')
    done = called('plot', table, '--only', 'omega, energy')
    assert done.stdout.split() == [str(tmp_path / 'racket_omega_energy.png')]
    done = called('plot', table, '--only', 'angular_velocity,euler_angles,angular_momentum')
    assert 'racket_angular_velocity_euler_angles_angular_momentum.png' in done.stdout
    done = called('plot', table, '--only', 'omega,wheel_speed')
    assert done.returncode == 2
    said = (
        "this run has no panel 'wheel_speed'; it has attitude, omega, alpha, L, energy, euler_ang"
    )
    assert said in done.stderr
    done = called('plot', table, '--only', 'omga')
    assert "there is no panel 'omga'; did you mean 'omega'?" in done.stderr
    done = called('plot', table, '--only', 'omega', '--poinsot', '--scenario', 'tennis_racket')
    assert '--only is of the panels over time; leave out it or --poinsot' in done.stderr
    said = ' '.join(called('plot', '--help').stdout.split())
    assert all(f'{name},' in said or f'{name} ' in said for name in NAMES)


def test_a_terminal_says_what_is_read_drawn_and_left_and_nothing_of_it_stays(
    racket, tmp_path, monkeypatch, capsys
):
    table = tmp_path / 'racket.csv'
    rows = np.column_stack((*racket[:5], racket.quaternion, racket.energies))
    np.savetxt(table, rows, delimiter=',', header=','.join(history.columns(False)), comments='')
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True, raising=False)
    with pytest.raises(SystemExit) as ended:
        cli.main(['plot', str(table), '--animate', '--scenario', 'tennis_racket'])
    assert not ended.value.code
    said = capsys.readouterr().err.split('\r')
    texts = [text.strip() for text in said if text.strip()]
    assert texts[0] == f'reading {table}'[: len(texts[0])]
    assert any(text.startswith('drawing ') for text in texts)
    assert any(re.fullmatch(r'frame \d+ of 20, about \d+ s left', text) for text in texts)
    assert texts[-1].startswith('writing ')
    assert not said[-1].strip()
