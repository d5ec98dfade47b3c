# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""attitude-sim compare: errors against the truth, orders, who keeps L, table, CSV, figure."""

import csv
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import equations
from spacecraft_attitude_sim.core.environment import Environment
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.studies import comparison
from spacecraft_attitude_sim.core.studies.comparison import Motion
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.drawing import comparison_report as report
from spacecraft_attitude_sim.subcommands.compare import _what_to_compare

FREE = np.zeros(12)
TORQUE = np.array((0, 0, 0, 2e-6, -1e-6, 3e-6, 0, 0, 0, 1e-6, 2e-6, -1e-6))


def motion_of(name, ticks, wrench=FREE):
    found = scenario.load(scenario.find(name))
    return Motion(found.plant, found.initial, wrench, ticks)


@pytest.fixture(scope='module')
def racket():
    """Every method on the tennis racket, 4 s."""
    motion = motion_of('tennis_racket', 128)
    return comparison.compare(motion, list(equations.REGISTRY), [1, 2, 4, 0])


@pytest.fixture(scope='module')
def torqued():
    """Every method on the T-handle under torque, 2 s."""
    motion = motion_of('tennis_racket', 64, TORQUE)
    names = [name for name in equations.REGISTRY if name != 'lagrange']
    return comparison.compare(motion, names, [4, 8])


def result(found, name, substeps):
    (one,) = [r for r in found.results if (r.equations, r.substeps) == (name, substeps)]
    return one


# --- core ---------------------------------------------------------------------------------------


def test_truth_of_a_free_motion_is_the_closed_form():
    # I = diag(1, 1, 2), ω(0) = (1, 0, 1): body rate (cos t, sin t, 1).
    motion = motion_of('symmetric_top', 320)
    truth = comparison.find_truth(motion)
    t = np.arange(321) * TICK_SECONDS
    L_W = motion.state.angular_momentum_W
    L_B = [rotations.rotate(rotations.conjugate(q), L_W) for q in truth.attitudes]
    exact = np.stack((np.cos(t), np.sin(t), np.full_like(t, 2.0)), axis=1)
    assert np.abs(L_B - exact).max() < 1e-13
    assert truth.floor < 1e-13
    assert np.all(truth.energies == pytest.approx(1.5))


def test_gravity_leaves_the_attitude_exactly_known():
    motion = motion_of('symmetric_top', 32)
    falling = motion._replace(
        plant=motion.plant._replace(environment=Environment((0.0, 0.0, -9.81)))
    )
    assert falling.free
    found = comparison.compare(falling, ['exact_kick4'], [1])
    assert found.results[0].errors.max() < 1e-13
    assert found.results[0].energy_drifts.max() < 1e-14  # of rotation


def test_truth_under_torque_is_a_motion_that_two_methods_confirm(torqued):
    body_momentum, _ = comparison.run(torqued.motion, 'body_momentum', 256)
    away = rotations.angle_between(body_momentum[:, 3:7], torqued.truth.attitudes)
    assert not torqued.motion.free
    assert torqued.truth.floor < 1e-10
    assert away.max() < 1e-10


@pytest.mark.parametrize(
    'name', ['euler_quaternion', 'euler_dcm', 'exact_kick2', 'momentum', 'body_momentum']
)
def test_measured_order_under_torque_is_the_textbook_order(torqued, name):
    order = result(torqued, name, 8).order
    # RK4's loss of energy is of order 5 and, near the separatrix, first what `momentum` shows.
    high = 1.0 if name == 'momentum' else 0.15
    assert -0.15 < order - equations.REGISTRY[name].order < high


def test_order_is_not_told_from_round_off_nor_from_errors_of_a_radian(racket):
    assert math.isnan(result(racket, 'principal_axis_euler', 4).order)
    assert math.isnan(result(racket, 'exact_kick4', 2).order)
    assert math.isnan(result(racket, 'euler_dcm', 1).order)  # nothing to compare it with
    assert math.isnan(result(racket, 'euler_dcm', 0).order)
    assert result(racket, 'euler_dcm', 4).order == pytest.approx(4.0, abs=0.1)


def test_claim_of_s1_is_found(racket):
    claim = comparison.claim(racket)
    assert claim.holds
    assert claim.steps == 1
    assert claim.momentum_drift == 0.0
    assert 1e-6 < claim.euler_drift < 1e-3
    assert 'the momentum form by exactly 0' in report.verdict(racket)


def test_the_foil_of_s1_drifts_a_thousand_times_more_and_is_named(racket):
    drift = result(racket, 'euler_explicit', 1).momentum_drifts.max()
    claim = comparison.claim(racket)
    assert claim.foil_drift == drift > 1000.0 * claim.euler_drift
    assert f"(by Euler's own method: {drift:.1e})" in report.verdict(racket)
    names = ('momentum', 'euler_explicit')
    pair = racket._replace(results=[r for r in racket.results if r.equations in names])
    assert comparison.claim(pair).euler_drift == drift
    assert f"Euler's equation lets the inertial L drift by {drift:.1e} of" in report.verdict(pair)
    without = racket._replace(results=[r for r in racket.results if r.equations != names[1]])
    assert math.isnan(comparison.claim(without).foil_drift)
    assert 'own method' not in report.verdict(without)


def test_claim_is_not_made_where_the_numbers_do_not_show_it():
    # A spin about a principal axis: Euler's equation has nothing to get wrong but round-off.
    body = motion_of('symmetric_top', 1).plant.body
    spin = body.state(np.zeros(3), (1, 0, 0, 0), np.zeros(3), (0.0, 0.0, 1.0))
    motion = Motion(plant_of(body, np.zeros(3)), spin, FREE, 64)
    found = comparison.compare(motion, ['momentum', 'euler_quaternion'], [1])
    assert not comparison.claim(found).holds
    assert 'does not show which form keeps L' in report.verdict(found)


def test_claim_needs_both_forms_and_no_torque(racket, torqued):
    alone = racket._replace(results=[r for r in racket.results if r.equations == 'momentum'])
    assert comparison.claim(alone) is None
    assert comparison.claim(torqued) is None
    assert 'To see which equations keep it' in report.verdict(torqued)


def test_gimbal_lock_is_shown_and_what_came_before_kept(racket):
    failed = result(racket, 'lagrange', 1)
    assert failed.last_time == 0.1875
    assert len(failed.errors) == 7
    assert math.isnan(failed.tick_ns)
    row = next(line for line in report.table(racket) if line.startswith('lagrange'))
    assert 'gimbal lock after 0.1875 s' in row


def test_numbers_that_overflow_end_a_method_and_not_the_comparison():
    motion = motion_of('tennis_racket', 8)
    fast = motion.plant.body.state(np.zeros(3), (1, 0, 0, 0), np.zeros(3), (1e4, 1e4, 1e4))
    found = comparison.compare(motion._replace(state=fast), ['euler_dcm', 'momentum'], [1])
    # At 1.7e4 rad/s, one step a tick is many turns: said as such, or as what it comes to.
    assert any('half a turn' in r.failure or 'be computed' in r.failure for r in found.results)
    assert report.text(found, 'fast')


def test_angles_and_energies_of_many_are_those_of_one():
    motion = motion_of('cubesat_tumble', 32)
    states, _ = comparison.run(motion, 'momentum', 1)
    found = rotations.angle_between(states[1:, 3:7], -states[:-1, 3:7])
    for k, angle in enumerate(found):
        expected = rotations.angle_between(states[k + 1, 3:7], states[k, 3:7])
        assert angle == pytest.approx(expected, abs=1e-15)
    body = motion.plant.body
    energy = body.kinetic_energy(motion.state)
    assert comparison.rotational_energies(body, states)[0] == pytest.approx(energy, rel=1e-14)


def test_times_are_those_of_ticks_and_steps(racket):
    for one in racket.results:
        if not one.failure:
            assert 10.0 < one.step_ns < 1e5
            assert one.step_ns * one.steps == pytest.approx(one.tick_ns)
    assert result(racket, 'momentum', 0).steps > 100
    # 107 steps against one; the machine may be busy.
    assert result(racket, 'momentum', 0).tick_ns > 10.0 * result(racket, 'momentum', 1).tick_ns
    assert 5.0 < racket.evaluation_ns < 1e4


# --- files --------------------------------------------------------------------------------------


def test_csv_has_the_numbers_of_the_table(racket, tmp_path):
    report.write_csv(racket, tmp_path / 'found.csv')
    with (tmp_path / 'found.csv').open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(racket.results)
    for row, one in zip(rows, racket.results, strict=True):
        assert row['equations'] == one.equations
        assert float(row['attitude error [rad]']) == one.errors.max()
        assert float(row['L drift']) == one.momentum_drifts.max()
        assert float(row['tick [ns]']) == pytest.approx(one.tick_ns, nan_ok=True)
        assert row['failure'] == one.failure


@pytest.mark.parametrize('which', ['racket', 'torqued'])
def test_figure_is_drawn(request, tmp_path, which):
    from spacecraft_attitude_sim.drawing import figures

    figures.without_display()
    found = request.getfixturevalue(which)
    drawing = report.figure(found, 'test')
    drawing.savefig(tmp_path / 'found.png', dpi=60)
    pixels = np.asarray(Image.open(tmp_path / 'found.png').convert('L'))
    assert 0.005 < np.mean(pixels < 128) < 0.5
    check_curves(drawing, found)


def check_curves(drawing, found):
    """Assert that a figure has the errors of the fewest steps over time, and what all cost."""
    steps = sorted({one.substeps for one in found.results if one.substeps}) or [0]
    how = {0: 'automatic sub-steps', 1: '1 step a tick'}.get(steps[0], f'{steps[0]} steps a tick')
    by_label = {axis.get_ylabel(): axis for axis in drawing.axes}
    assert set(by_label) == {
        f'attitude error, {how} [rad]', f'drift of inertial L, {how}',
        'largest attitude error [rad]',
    }  # fmt: skip
    cost = by_label.pop('largest attitude error [rad]')
    for label, axis in by_label.items():
        assert (axis.get_xlabel(), axis.get_yscale()) == ('time [s]', 'log')
        shown = [one for one in found.results if one.substeps == steps[0]]
        lines = [line for line in axis.lines if len(line.get_xdata()) > 2]
        for line, one in zip(lines, shown, strict=True):
            values = one.errors if 'error' in label else one.momentum_drifts
            assert line.get_xdata() == pytest.approx(np.arange(1, len(values)) * TICK_SECONDS)
            assert np.array_equal(line.get_ydata(), np.maximum(values[1:], report.SMALLEST))
            assert line.get_color() == report.STYLES[one.equations][0]
    assert (cost.get_xscale(), cost.get_yscale()) == ('log', 'log')
    assert cost.get_xlabel() == 'time of computing one tick [ns]'
    curves = {line.get_label(): line for line in cost.lines if line.get_label()[0] != '_'}
    names = list(dict.fromkeys(one.equations for one in found.results))
    for name, (label, line) in zip(names, curves.items(), strict=True):
        of_name = [one for one in found.results if one.equations == name]
        several = sorted((r for r in of_name if not r.failure), key=lambda one: one.steps)
        failed = of_name[0]  # a method of which nothing is left says why, and when
        why = f' (gimbal lock at {failed.last_time:.2g} s)' if failed.failure else ''
        assert label == name + ('' if several else why)
        assert list(line.get_xdata()) == [one.tick_ns for one in several]
        largest = [max(one.errors.max(), report.SMALLEST) for one in several]
        assert list(line.get_ydata()) == largest
    words = {text.get_text() for text in cost.texts}
    assert words == {'round-off' if found.motion.free else 'error of the reference'}
    (floor,) = (line.get_ydata()[0] for line in cost.lines if line.get_label()[0] == '_')
    assert floor == max(found.truth.floor, report.SMALLEST)


# --- command ------------------------------------------------------------------------------------


def compare(*arguments):
    with pytest.raises(SystemExit) as end:
        cli.main(['compare', *map(str, arguments)])
    return end.value.code


@pytest.mark.parametrize('torque', ['100', '1e9'])
def test_a_torque_that_runs_away_is_told_in_one_line(capsys, torque):
    arguments = ('--equations', 'momentum', '--steps', '1', '--duration', '1')
    assert compare('tennis_racket', *arguments, '--torque', f'{torque},0,0') == 2
    (line,) = [
        line for line in capsys.readouterr().err.splitlines() if line.startswith('attitude-sim')
    ]
    assert line.endswith('; compare a shorter time or a smaller torque')


def test_equations_that_run_away_say_so_in_their_row_and_below(capsys, tmp_path):
    """Under 0.01 N m it passes the 100 rad/s of half a turn in one sub-step within 2 s."""
    path = tmp_path / 'found.csv'
    arguments = ('--equations', 'euler_dcm', '--steps', '1,4', '--duration', '2', '--csv', path)
    assert compare('tennis_racket', *arguments, '--torque', '0.01,0,0') == 0
    out = capsys.readouterr().out
    (row,) = [line for line in out.splitlines() if line.startswith('euler_dcm          1')]
    assert re.search(r'  the body turns at [\d.]+ rad/s after [\d.]+ s$', row)
    assert 'euler_dcm: the body turns at' in out and 'check the unit' in out
    with path.open() as file:
        first, second = csv.DictReader(file)
    assert 'half a turn in each of 1 sub-steps' in first['failure'] and not second['failure']
    assert math.isfinite(float(first['attitude error [rad]']))


def test_command_prints_writes_and_draws(capsys, tmp_path):
    table, figure = tmp_path / 'found.csv', tmp_path / 'found.png'
    arguments = ('symmetric_top', '--equations', 'momentum,euler_dcm', '--steps', '2,1')
    assert compare(*arguments, '--duration', 2, '--csv', table, '-o', figure) == 0
    out = capsys.readouterr().out
    assert out.startswith('symmetric_top: 64 ticks, 2 s; largest errors against the exact')
    rows = [line.split()[:2] for line in out.splitlines() if line.startswith(('mom', 'euler_'))]
    assert rows == [['momentum', '1'], ['momentum', '2'], ['euler_dcm', '1'], ['euler_dcm', '2']]
    assert 'the momentum form by exactly 0' in out
    assert len(table.read_text().splitlines()) == 5
    assert Image.open(figure).size[0] > 500
    assert compare(*arguments, '--csv', table) == 2
    assert 'give --overwrite' in capsys.readouterr().err


def test_steps_are_compared_from_coarse_to_fine_and_automatic_ones_last():
    options = cli._parser(['compare']).parse_args(
        ['compare', 's', '--steps', '0,4,16,1,4', '--torque', '1,-2,3', '--duration', '1.02']
    )
    found = scenario.load(scenario.find('tennis_racket'))
    motion, names, substeps = _what_to_compare(options, found)
    assert substeps == [1, 4, 16, 0] and names == list(equations.REGISTRY)
    assert motion.ticks == 33  # that cover 1.02 s
    assert motion.wrench.tolist() == [0, 0, 0, 1, -2, 3] + [0] * 6  # in body axes


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['no_such'], "no scenario 'no_such'"),
        (['tennis_racket', '--equations', 'rk4'], "--equations has 'rk4'; valid are momentum"),
        (['tennis_racket', '--steps', 'many'], "--steps is 'many'; give whole numbers"),
        (['tennis_racket', '--steps', '-1'], 'give whole numbers from 0 to 1000000'),
        (['tennis_racket', '--duration', '0'], '--duration is 0.0 s; give 0.03125 to 10000 s'),
        (['tennis_racket', '--duration', 'nan'], '--duration is nan s'),
        (['tennis_racket', '--torque', '1,2'], 'give three numbers'),
        (['tennis_racket', '--torque', '1,2,inf'], 'give three numbers'),
        (['tennis_racket', '--torque', '1e5,0,0'], 'compare a shorter time or a smaller torque'),
        (['tennis_racket', '-o', 'figure.txt'], "is no figure's name"),
        (['tennis_racket', '--ros-args'], 'belongs to attitude-sim run'),
    ],
)
def test_wrong_input_is_one_clear_line(capsys, arguments, words):
    assert compare(*arguments) == 2
    *progress, line = capsys.readouterr().err.splitlines()
    assert words in line
    assert not any(said.startswith('attitude-sim') for said in progress)


@pytest.mark.parametrize(
    'attitude', ['[1.0, 0.0, 0.0, 0.0]', '[0.7071067811865476, 0.0, 0.7071067811865476, 0.0]']
)
def test_a_method_that_fails_at_once_or_later_is_drawn_alone(capsys, tmp_path, attitude):
    # The second starts in gimbal lock.
    path, figure = tmp_path / 'mine.yaml', tmp_path / 'new' / 'mine.png'
    initial = f'{{attitude: {attitude}, angular_velocity: [0.01, 8.0, 0.01]}}'
    body = '{mass: 0.3412969, inertia: [62.2e-6, 171.5e-6, 210.5e-6]}'
    path.write_text(f'/**/simulator: {{ros__parameters: {{initial: {initial}, body: {body}}}}}')
    assert compare(path, '--equations', 'lagrange', '--steps', '0', '-o', figure) == 0
    assert 'gimbal lock after 0' in capsys.readouterr().out
    assert figure.exists()


def test_a_body_at_rest_is_compared(capsys, tmp_path):
    path, figure = tmp_path / 'rest.yaml', tmp_path / 'rest.png'
    initial = '{angular_velocity: [0.0, 0.0, 0.0]}'
    body = '{mass: 0.3412969, inertia: [62.2e-6, 171.5e-6, 210.5e-6]}'
    path.write_text(f'/**/simulator: {{ros__parameters: {{initial: {initial}, body: {body}}}}}')
    assert compare(path, '--steps', '1', '--duration', '1', '-o', figure) == 0
    assert 'nan' not in capsys.readouterr().out


def test_comparison_needs_no_ros():
    program = (
        'import sys; sys.modules["rclpy"] = None\n'
        'from spacecraft_attitude_sim import cli\n'
        'cli.main(["compare", "symmetric_top", "--equations", "momentum", "--steps", "1"])\n'
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ('name', 'what'),
    [('wheels_take_over', 'reaction wheels'), ('gravity_gradient', 'an orbit')],
)
def test_what_only_one_set_of_equations_knows_is_not_compared(name, what, capsys):
    assert compare(name) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{name} has {what}, with which only the equations 'momentum' work" in line
