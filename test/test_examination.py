# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The examination: its cases, how a run is judged, parts of a user aboard, what is refused."""

import dataclasses
import itertools
import math
import pickle
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from processes import called

from spacecraft_attitude_sim.campaigns import examination
from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    recorded_scenario,
    scenario,
    trust,
)
from spacecraft_attitude_sim.core.control.attitude_loop import Reading
from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.flight.replaced import Replaced
from spacecraft_attitude_sim.recording.errors import CampaignError
from spacecraft_attitude_sim.subcommands import examine

ROOT = Path(__file__).parents[1]
CASES = examination.shipped()
STILL = Reference(np.array((1.0, 0.0, 0.0, 0.0)), np.zeros(3), np.zeros(3))


def case(limits, **more):
    """Return the Case of a short text with limits."""
    given = ''.join(f'    {name}: {value}\n' for name, value in more.items())
    text = f'/**/examination:\n  ros__parameters:\n    limits: {limits}\n{given}'
    return examination.parse(text, 'mine', 'mine.yaml')


@pytest.mark.parametrize('name', CASES)
def test_a_case_draws_runs_that_differ_by_their_seed(name):
    """Each is a scenario whose attitude comes from an estimator; a hidden seed makes new ones."""
    found = examination.load(name)
    campaign = found.campaign(2, 1)
    (base,) = campaign.bases.values()
    assert base.estimator
    assert base.controller
    assert base.description.startswith('Examination, ')
    draws, hidden = campaign.draws(range(2)), found.campaign(2, 99).draws(range(2))
    assert draws['seed'][0] != draws['seed'][1]
    assert draws['seed'][0] != hidden['seed'][0]
    assert found.values['steady_from'] < base.parameters['duration']


def test_there_are_twelve_cases_and_the_page_has_all():
    page = (ROOT / 'docs' / 'examination.md').read_text()
    assert len(CASES) == 12
    assert all(f'`{name}`' in page for name in CASES)


@pytest.mark.parametrize(
    ('name', 'limit'), [(name, limit) for name in CASES for limit in examination.load(name).limits]
)
def test_each_limit_is_kept_by_good_values_and_not_by_bad_ones(name, limit):
    """Good is 0 where less is asked for, and much where more; the other is bad, and so is NaN."""
    alone = examination.load(name)
    alone = examination.Case(alone.name, '', {}, {}, (limit,))
    (merit,) = (one for one in limit.names if one not in examination.CONSTANTS)
    results = [examination.judged(alone, {merit: value}) for value in (-1e3, 1e3, math.nan)]
    assert sorted(map(len, results[:2])) == [0, 1]
    assert len(results[2]) == 1
    assert merit in results[2][0]
    assert 'nan' in results[2][0]


def test_a_limit_may_use_degrees():
    kept, broken = ({'final_error': math.radians(angle)} for angle in (0.9, 1.1))
    mine = case(['final_error < 1.0 * deg'])
    assert examination.judged(mine, kept) == ()
    assert examination.judged(mine, broken) == (
        'final_error < 1.0 * deg, but final_error is 1.1 deg',
    )


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('limits: []', 'limits is empty'), ('limits: [final_error < nan]', 'nan'),
        ('limits: [final_eror < 1.0]', "did you mean 'final_error'"),
        ('limits: [1.0 < 2.0]', 'names no quantity'),
        ('limits: [final_error < 1.0 for 5 s]', 'has a time'), ('limits: 3', 'limits is 3'),
        ('limitz: []', "did you mean 'limits'"), ('steady_from: .nan', 'steady_from is nan'),
    ],
)  # fmt: skip
def test_a_section_that_is_wrong_is_refused(text, reason):
    with pytest.raises(CampaignError, match=re.escape(reason)):
        examination.parse(
            f'/**/examination:\n  ros__parameters:\n    {text}\n', 'mine', 'mine.yaml'
        )


@pytest.mark.parametrize('text', ['a: 1', '/**/examination: 3', '/**/examination: {a: 1}'])
def test_a_file_without_the_section_is_refused(text):
    with pytest.raises(CampaignError, match='examination'):
        examination.parse(text, 'mine', 'mine.yaml')


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        (('unloadin',), "did you mean 'unloading'"), (('--law', 'mpr'), "no law 'mpr'"),
        (('--law', 'none.py:Law'), 'none.py'), (('--runs', '0'), '--runs is 0'),
        (('--seed=-1',), "--seed is '-1'; give 0 to 2147483647, or random"),
        (('--seed', '2147483648'), '--seed is'), (('--seed', 'hidden'), "--seed is 'hidden'"),
        (('--seed', '9' * 9000), '--seed is'), (('--estimator', 'mine.py'), 'give FILE:NAME'),
        (('--table', '.'), '.: is a folder'),
    ],
)  # fmt: skip
def test_what_cannot_be_examined_is_refused_in_one_line(arguments, reason):
    done = called('examine', *arguments)
    assert done.returncode == 2, done.stderr
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


class Counted:
    """A law that has been asked for a torque, and what it was asked with."""

    def __init__(self, torque=(1e-5, 0.0, 0.0)):
        self.torque, self.asked = torque, []

    def __call__(self, attitude, rate, reference):
        """Return the same torque always."""
        self.asked.append((attitude, rate, reference))
        return self.torque


@pytest.fixture(scope='module')
def wheels():
    """Scenario with wheels, estimator and guidance, whose code other tests compile."""
    return scenario.load(CASES['unknown_inertia'])


def flown(found, replaced, ticks=6):
    """Return the Flight of some ticks."""
    flight = Flight(found, replaced, keeps=1)
    for _ in range(ticks):
        flight.step()
    return flight


def test_nothing_replaced_flies_as_the_scenario_says(wheels):
    states = [flown(wheels, controller).instant.state for controller in ('own', Replaced())]
    assert all(np.array_equal(*parts) for parts in zip(*states, strict=True))


def test_parts_of_no_controller_cannot_be_replaced():
    with pytest.raises(ValueError, match='the scenario has none'):
        Flight(scenario.load(scenario.find('tennis_racket')), Replaced())


def test_a_law_answers_the_estimate_and_turns_the_wheels(wheels):
    """It is asked once the attitude is known; the wheels get the opposite of its torque.

    The allocation adds omega x h of the wheels: 1e-4 rad/s of noise times 2.6e-3 N m s.
    """
    law = Counted()
    flight = flown(wheels, Replaced(law=law))
    attitude, rate, reference = law.asked[-1]
    assert abs(attitude @ flight.instant.state.q_WB) > 0.99999
    assert np.abs(rate).max() < 0.001
    assert reference.q_WR == pytest.approx(STILL.q_WR)
    assert flight.instant.inputs.wheel_torque[0] == pytest.approx(-1e-5, abs=1e-6)


def test_a_torque_above_the_limit_keeps_its_direction(wheels):
    loop = attitude_controller.loop(wheels.controller)
    loop.ask(Counted(np.array((4e-3, -2e-3, 0.0))))
    loop.guide(STILL, 0)
    answer = loop.answer(Reading(0, STILL.q_WR, np.zeros(3)))
    assert answer.torque_B == pytest.approx((1e-3, -5e-4, 0.0), rel=1e-12)  # of torque_limit
    assert loop.saturated == 1


@pytest.mark.parametrize('torque', [(math.nan, 0.0, 0.0), (1.0, 2.0), 'fast', None])
def test_a_torque_that_is_none_ends_the_run_with_its_reason(wheels, torque):
    values, failure = examination.fly(
        case(['final_error < 1.0']), wheels, Replaced(Counted(torque))
    )
    assert values == {}
    assert re.search(r'at \S+ s the controller', failure)


def test_a_class_that_cannot_be_made_has_not_passed(tmp_path):
    path = tmp_path / 'mine.py'
    path.write_text('class Law:\n    def __init__(self, scenario):\n        1 / 0\n')
    what = examination.entry(f'{path}:Law')
    (row,) = examination.rows(
        examination.tasks_of(examination.load('unknown_inertia'), what, 1, 1)
    )
    assert not row.passed
    assert 'ZeroDivisionError: division by zero (mine.py, line 3)' in row.reasons[0]


def test_a_run_travels_to_another_process(tmp_path):
    """With the text of the file, which may change there."""
    path = tmp_path / 'mine.py'
    path.write_text('def law(*asked):\n    return 1.0, 2.0, 3.0\n')
    what = examination.entry(f'{path}:law')
    path.unlink()
    task = examination.tasks_of(examination.load('unknown_inertia'), what, 2, 1)[1]
    again = pickle.loads(pickle.dumps(task))
    assert again[:3] == task[:3]
    assert again[4:] == task[4:]
    assert again.what.aboard(None).law() == (1.0, 2.0, 3.0)


def test_an_estimator_of_a_user_is_what_the_law_sees(wheels):
    law, rate = Counted(), (1e-3, 0.0, 0.0)
    attitude = (0.6, 0.8, 0.0, 0.0)
    flight = flown(wheels, Replaced(law, lambda readings: (attitude, rate)))
    assert np.array(law.asked[-1][0]) == pytest.approx(attitude)
    assert np.array(law.asked[-1][1]) == pytest.approx(rate)
    assert flight.estimate.q_WB == pytest.approx(attitude)


def test_an_estimator_of_a_user_reads_the_last_attitude_of_the_star_tracker(wheels):
    """Also between two of them, as a controller does."""
    slow = scenario.changed(
        wheels, {'star_tracker.enabled': True, 'star_tracker.interval': 3}, 'mine'
    )
    told = []

    def estimator(readings):
        stars = readings['star_tracker']
        told.append((stars.measured, stars.q_WT.tolist(), 'star_tracker' in readings.new))
        return (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)

    flown(slow, Replaced(Counted(), estimator), ticks=8)
    new = [k for k, (*_, is_new) in enumerate(told) if is_new]
    assert len(new) > 1 and np.diff(new).tolist() == [3] * (len(new) - 1)
    for k, (measured, q_WT, _) in enumerate(told):
        last = max((n for n in new if n <= k), default=None)
        assert last is None or (measured, q_WT) == told[last][:2]
        assert (measured == -1.0) == (last is None)


def test_an_estimator_that_knows_nothing_hides_the_true_attitude(wheels):
    """`imu` would have it: then nobody points, and the rate is damped."""
    law = Counted()
    flown(wheels, Replaced(law, lambda readings: None))
    assert law.asked == []


def test_guidance_of_a_user_is_what_the_law_follows(wheels):
    """At the time of each estimate; the last one of six ticks is at 2.5 s."""
    law, attitude = Counted(), (0.0, 0.0, 1.0, 0.0)

    def guidance(time):
        return attitude, (0.0, 1e-3 * time, 0.0), (0.0, 0.0, 2e-3)

    flight = flown(wheels, Replaced(law, None, guidance))
    reference = law.asked[-1][2]
    assert reference.q_WR == pytest.approx(attitude)
    assert reference.omega_R == pytest.approx((0.0, 2.5e-3, 0.0))
    assert reference.alpha_R == pytest.approx((0.0, 0.0, 2e-3))
    assert flight.record.references[0] == pytest.approx(attitude)


def test_two_flights_of_a_run_have_the_same_row(wheels):
    """A short one: the section of the case, with a shorter duration and one limit."""
    shorter = scenario.changed(wheels, {'duration': 10.0}, 'mine')
    mine = case(['final_error < 1.0', 'largest_rate > 100.0'], steady_from=1.0)
    rows = [examination.fly(mine, shorter, Replaced()) for _ in range(2)]
    assert repr(rows[0]) == repr(rows[1])
    assert rows[0][1] == ''
    reasons = examination.judged(mine, rows[0][0])
    assert [reason.partition(',')[0] for reason in reasons] == ['largest_rate > 100.0']
    what, text = examination.entry('ours'), recorded_scenario.dump(shorter)
    row = examination.row_of(examination.Task(trust.given(), 'mine', mine.text, what, 3, text))
    assert row == examination.Row('mine', 3, reasons, rows[0][0])
    assert not row.passed


def test_foreign_laws_do_what_ours_does_for_a_small_error_at_rest(wheels):
    """MRP and quaternion feedback are one law there, with the bandwidth of the case."""
    half = 1e-4
    attitude, rate = np.array((math.cos(half), 0.0, math.sin(half), 0.0)), np.zeros(3)
    for name in examination.SHIPPED:
        law = examination.entry(name).law.found(wheels)
        expected = -0.033 * 0.3**2 * 2.0 * half
        assert law(attitude, rate, STILL) == pytest.approx((0.0, expected, 0.0), abs=1e-12)
        assert law(-attitude, rate, STILL) == pytest.approx((0.0, expected, 0.0), abs=1e-12)


def test_the_summary_has_a_row_for_each_case():
    rows = [
        examination.Row('a', 0, (), {'ape_angle_997': math.radians(0.5)}),
        examination.Row('a', 1, ('x < 1, but x is 2',), {'ape_angle_997': math.nan}),
        examination.Row('b', 0, ('at 3 s it fails',), {}),
    ]
    assert examine.summary(rows)[2:] == [
        '| a | 1 of 2 | 0.500 deg | x < 1 |', '| b | 0 of 1 | - | at 3 s it fails |',
        '| all | 1 of 3 | | |',
    ]  # fmt: skip
    header, *lines = examination.as_csv(rows, 77).splitlines()
    assert header == 'case,seed,run,passed,ape_angle_997,reasons'
    assert [line.split(',')[3] for line in lines] == ['1', '0', '0']
    assert {line.split(',')[1] for line in lines} == {'77'}


def test_whatever_a_seed_draws_of_an_inertia_is_a_body():
    """All corners of the moments that are drawn; a refusal tells the seed."""
    found = examination.load('unknown_inertia')
    base, inertia = scenario.load(CASES['unknown_inertia']), 'body.inertia'
    bounds = [(one['low'], one['high']) for name, one in sorted(found.dispersions.items())
              if name.startswith(inertia)]  # fmt: skip
    assert len(bounds) == 3
    for moments in itertools.product(*bounds):
        assert scenario.changed(base, {inertia: list(moments)}, 'a corner')
    wild = dataclasses.replace(found, dispersions=found.dispersions | {
        'body.inertia[0]': {'distribution': 'uniform', 'low': 0.2, 'high': 0.3}
    })  # fmt: skip
    with pytest.raises(CampaignError, match=r'no body has that.*\(seed 4711\)$'):
        examination.tasks_of(wild, examination.entry('ours'), 2, 4711)


def test_a_seed_that_nobody_has_seen_is_told_and_repeats_the_run(tmp_path):
    """Two draws differ, which by chance fails once in 2e9; the line that is told flies again."""
    path = tmp_path / 'short.yaml'
    own = Path(CASES['unknown_inertia']).read_text().split('/**/examination:')[0]
    path.write_text(own.replace('duration: ', 'duration: 3.0  # ') + (
        '\n/**/examination:\n  ros__parameters:\n    limits: [final_error < 100.0]\n'
        '    dispersions: {seed: {distribution: integers, low: 0, high: 1000000}}\n'
    ))  # fmt: skip
    tables, seeds, told = [], [], ''
    for number, seed in enumerate(('random', 'random', None)):
        table = tmp_path / f'{number}.csv'
        arguments = ['examine', str(path), '--runs', '2', '--workers', '1', '--law', 'pd']
        if seed is None:
            arguments = shlex.split(told.partition('repeat it with attitude-sim ')[2])
            assert arguments[1:4] == [str(path), '--runs', '2']
        else:
            arguments += ['--seed', seed]
        done = called(*arguments, '--table', table)
        assert done.returncode == 0, done.stdout + done.stderr
        (told,) = (line for line in done.stdout.splitlines() if line.startswith('seed '))
        seeds.append(int(told.split()[1].rstrip(':')))
        tables.append(table.read_text())
    assert seeds[0] != seeds[1] == seeds[2]
    assert tables[0] != tables[1] == tables[2]
    assert tables[1].splitlines()[1].split(',')[1] == str(seeds[1])
