# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of a run, while it goes on and at its end, is what its instants were."""

import contextlib
import csv
import math
import os
import pty
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.control.response import Merit
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import Inputs
from spacecraft_attitude_sim.core.simulation.energy_book import Entries
from spacecraft_attitude_sim.core.simulation.run_state import RunState
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.drawing import response_report
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.recording import contact_history, history, motion_table
from spacecraft_attitude_sim.runs import run
from spacecraft_attitude_sim.runs.run import Outcome
from spacecraft_attitude_sim.runs.run_observer import Progress, RunObserver
from spacecraft_attitude_sim.subcommands.checks import INTERRUPTED, NOT_MET, CommandError
from spacecraft_attitude_sim.subcommands.run import (
    _conditions_given,
    _inputs_given,
    _numbered,
    _parameters_given,
    _print_motion,
    _status,
    _summarise,
    _tables,
)


def followed(found, count, wrench=loads.FREE, table=None):
    """Return the RunObserver of a run of some ticks and its instants."""
    observer, instants = RunObserver(found, table), [found.first_instant()]
    observer(instants[0])
    for _ in range(count):
        instants.append(simulation.next_instant(found.plant, instants[-1], Inputs(wrench)))
        observer(instants[-1])
    return observer, instants


def test_a_free_run_drifts_and_a_pushed_one_changes():
    found = scenario.load(scenario.find('tennis_racket'))
    observer, _ = followed(found, 80)  # 2.5 s, and the first flip is at 2.24 s
    assert observer.drifts.flips() == pytest.approx([2.24], abs=0.01)
    assert observer.drifts.momentum_drift == 0.0
    assert not observer.drifts.acted_on
    assert (observer.mode, observer.impacts) == ('', 0)
    push = loads.wrench_in_world(np.zeros(3), (0.0, 1e-4, 0.0))
    pushed, instants = followed(found, 8, push)
    assert pushed.drifts.acted_on
    assert (observer.pushed, pushed.pushed) == (False, True)
    first = np.linalg.norm(instants[0].state.angular_momentum_W)
    expected = 8 * TICK_SECONDS * 1e-4 / first
    assert pushed.drifts.momentum_drift == pytest.approx(expected, rel=1e-9)


def test_a_new_mode_begins_a_new_response():
    """With a reference by its angle, without one by the rate; a merit is of the last mode."""
    found = scenario.load(scenario.find('tennis_racket'))
    turned = rotations.quaternion_from_axis_angle((0.0, 0.6, 0.8), 0.2)
    targets, rates_B = [], []
    observer = RunObserver(found, None, lambda stamp: targets[-1])
    instant = found.first_instant()
    for tick in range(9):
        pointing = tick in (3, 4, 5)
        q_WB = instant.state.q_WB
        targets.append(rotations.compose(q_WB, rotations.conjugate(turned)) if pointing else None)
        before = observer.response
        rates_B.append(found.plant.spacecraft.angular_velocity_B(instant.state))
        observer(instant)
        assert (observer.response is not before) == (tick in (3, 6))
        assert observer.pointing == pointing
        assert observer.error == pytest.approx(0.2 if pointing else math.nan, nan_ok=True)
        instant = simulation.next_instant(found.plant, instant, Inputs())
    rows = np.array(observer.response._rows).reshape(-1, 5)
    assert rows[:, 0] == pytest.approx(np.array((6, 7, 8)) * TICK_SECONDS)
    assert np.array_equal(rows[:, 1:4], rates_B[6:])


def test_the_motors_of_wheels_act_on_the_energy_of_a_run_and_not_on_l(capsys):
    found = scenario.load(scenario.find('wheels_take_over'))
    observer, instant = RunObserver(found, None), found.first_instant()
    observer(instant)
    assert not observer.drifts.acted_on
    observer(simulation.next_instant(found.plant, instant, found.inputs))
    assert observer.drifts.acted_on
    assert observer.drifts.momentum_drift == 0.0
    assert not observer.pushed  # inside: L stays
    _print_motion(observer)
    said = capsys.readouterr().out
    assert 'drift of L       0.0e+00 (relative; inertial frame)' in said
    assert 'change of energy' in said
    # They are commanded as a wrench is: the body gets the opposite of what the rotor gets.
    assert observer.rates.commanded
    assert observer.rates.largest_torque == pytest.approx(0.000418968, rel=1e-12)


def test_under_our_controller_flips_are_seen_and_drifts_are_not_computed():
    found = scenario.load(scenario.find('tennis_racket'))
    free, instants = followed(found, 640)
    controlled = RunObserver(found, reference_at=lambda time: None)
    for instant in instants:
        controlled(instant)
    assert len(free.drifts.flips()) > 1
    assert controlled.drifts.flips() == free.drifts.flips()
    assert free.drifts.energy_drift > 0.0 == controlled.drifts.energy_drift


def test_an_orbit_changes_l_and_the_energy_that_stays_may_drift(capsys):
    found = scenario.load(scenario.find('gravity_gradient'))
    observer, _ = followed(found, 64)
    _print_motion(observer)
    said = capsys.readouterr().out
    change = f'{observer.drifts.momentum_drift:.1e}'
    assert f'change of L      {change} (relative; torques of the environment)' in said
    assert observer.drifts.momentum_drift > 1e-3
    assert 'drift of energy' in said
    assert observer.drifts.energy_drift < 1e-9
    assert not observer.drifts.acted_on


# Without a gradient, nothing turns a body in these two but what is given beside.
ORBITS = (
    {'orbit.model': 'kepler', 'gravity_gradient': False},
    {'orbit.radius': 6.9e6, 'gravity_gradient': False, 'magnetic_field': [1e-5, 0.0, 3e-5]},
)
SHELL = {'eddy_currents.magnetic_tensor': [10.0, 10.0, 10.0]}


@pytest.mark.parametrize(
    ('given', 'pushed'),
    [
        (ORBITS[0], False),
        (ORBITS[1], False),
        (ORBITS[0] | {'gravity_gradient': True}, True),
        (ORBITS[0] | SHELL, True),
        (ORBITS[1] | SHELL, True),
        (ORBITS[0] | {'residual_dipole': [0.1, 0.0, 0.0]}, True),
        (ORBITS[0] | {'surfaces': ['a'], 'surface.a.area': 0.1}, True),
    ],
)
def test_forces_or_torques_acted_only_where_they_did(given, pushed):
    found = scenario.build({'initial.angular_velocity': [0.1, 0.2, 0.3]} | given, 'mine')
    assert RunObserver(found).pushed == pushed


def test_after_a_reset_an_orbit_goes_by_the_time_since(capsys):
    found = scenario.load(scenario.find('gravity_gradient'))
    observer, instants = followed(found, 320)
    for instant in instants[:64]:  # the same again, later
        observer(instant._replace(tick=instant.tick + 321))
    assert observer.drifts.energy_drift < 1e-9


def test_a_run_on_a_floor_counts_its_impacts_and_writes_its_contact(tmp_path):
    found = scenario.load(scenario.find('bouncing_ellipsoid'))
    table = history.CsvWriter(tmp_path / 'run.csv', on_floor=True, plant=found.plant)
    observer, instants = followed(found, 24, table=table)
    table.close()
    contacts = [simulation.contact_at(instant) for instant in instants]
    assert observer.impacts == sum(one.impacts for one in contacts) > 0
    assert observer.mode == contacts[-1].mode
    assert observer.drifts.acted_on
    read, _ = history.read(tmp_path / 'run.csv')
    assert np.array_equal(read.contact.gap, [one.gap for one in contacts])
    assert np.array_equal(read.contact.position_W, [one.state.position_W for one in instants])
    assert np.array_equal(read.contact.force_W, [one.force for one in contacts])
    with (tmp_path / 'run.csv').open() as file:
        header = next(csv.reader(file))
    assert tuple(header[:13]) == history.COLUMNS
    assert tuple(header[13:25]) == contact_history.COLUMNS
    assert header[25 + 4 + 3 + 3 :] == list(motion_table.MOTION)
    assert np.array_equal(read.quaternion, [one.state.q_WB for one in instants])
    assert np.array_equal(read.energies[:, 3], read.contact.energy)
    g, m = -found.plant.gravity_W[2], found.plant.body.mass
    height = read.contact.position_W[:, 2]
    assert np.allclose(read.energies[:, 2], m * g * height, rtol=1e-14, atol=0)
    # In free fall, the speed between two instants is that of the instant between them.
    free = read.contact.in_flight & np.array([not one.impacts for one in contacts])
    falls = read.contact.in_flight[:-2] & free[1:-1] & free[2:]
    velocity = (read.contact.position_W[2:] - read.contact.position_W[:-2]) / (2 * TICK_SECONDS)
    speed_energy = 0.5 * m * np.sum(velocity**2, axis=1)
    assert falls.sum() > 3
    assert np.allclose(read.energies[1:-1, 0][falls], speed_energy[falls], rtol=1e-9)


def test_a_response_is_said_in_degrees_of_attitude_or_of_rate():
    merit = Merit(12.345, 0.0123, math.radians(0.25), 0.5, 0.002)
    lines = response_report.text(merit, pointing=True).splitlines()
    assert [line.split(None, 2)[-1] for line in lines[:1]] == ['attitude']
    assert '12.35 s (to 2 % of the first error)' in lines[1]
    assert lines[2].endswith('1.23 %')
    assert '0.25 deg (rms of the last tenth)' in lines[3]
    assert lines[4].endswith('0.5 N m s')
    assert lines[5].endswith('0.002 N m')
    unsettled = response_report.text(merit._replace(settling_time=math.nan), pointing=False)
    assert 'angular velocity' in unsettled
    assert 'not yet (to' in unsettled
    assert '0.25 deg/s' in unsettled


def test_progress_is_said_on_a_terminal(command, domain):
    """Name, simulated time, the whole, and the pace; half a second between first and last."""
    here, there = pty.openpty()
    arguments = [
        command,
        'run',
        'tennis_racket',
        '--rate',
        '10',
        '--duration',
        '12',
        '--no-markers',
    ]
    wide = dict(os.environ, COLUMNS='200')  # else a line is cut at the end of the terminal
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=there, env=wide) as child:
        os.close(there)
        said = b''
        while True:
            try:
                part = os.read(here, 1000)
            except OSError:  # its other end is closed
                break
            if not part:
                break
            said += part
        assert child.wait(timeout=60) == 0
    os.close(here)
    lines = [line for line in said.decode().split('\r') if line.startswith('tennis_racket: ')]
    assert lines
    assert all(' flips' in line or ', compiling for ' in line for line in lines)
    assert any(' x real time' in line for line in lines)
    shown = [float(re.search(r'([\d.]+) s of 12 s, ', line)[1]) for line in lines]
    assert shown == sorted(shown)
    assert 0.0 <= shown[0] < shown[-1] <= 12.0
    # What follows may wait for other processes for seconds.
    assert '\rdelivering the last messages' in said.decode().partition('12 s, ')[2]


@pytest.mark.parametrize(('slow', 'state'), [(True, 'waits'), (False, 'runs in Python')])
def test_a_log_says_what_a_run_does_while_it_compiles_and_nothing_else(
    monkeypatch, capsys, slow, state
):
    driver = SimpleNamespace(AWAITS='a controller', waits_for=lambda: '')
    simulator = SimpleNamespace(
        run=RunState(duration=90.0), driver=driver, value=lambda name: 90.0
    )
    observer = RunObserver(scenario.load(scenario.find('tennis_racket')))
    progress = Progress(simulator, {'racket': observer})
    monkeypatch.setattr(warm_up, 'too_slow', lambda paced: slow)
    monkeypatch.setattr(warm_up, 'compiling', str)  # of a run that another test called here
    progress.show()
    assert capsys.readouterr().err == ''
    monkeypatch.setattr(warm_up, 'compiling', lambda: 'compiling for 34 s (about 40 s)')
    progress.show()
    progress.show()  # the next comes after some seconds
    said = f'racket: 0.00 s of 90 s, {state}, compiling for 34 s (about 40 s)\n'
    assert capsys.readouterr().err == said


def test_a_run_that_ends_before_its_code_is_compiled_says_so(monkeypatch, capsys):
    monkeypatch.setattr(warm_up, 'compiling', str)
    outcome = Outcome(0, 0.0, 0.0, False, [], {}, {})
    _summarise(outcome, None, [])
    assert 'compiling' not in capsys.readouterr().out
    monkeypatch.setattr(warm_up, 'compiling', lambda: 'compiling for 2 s')
    _summarise(outcome, None, [])
    said = '  compiling        goes on in the background, for later runs\n'
    assert capsys.readouterr().out.endswith(said)


def seen(**given):
    """Return an observer that has seen a free body drift, but for what is given."""
    told = {'commanded': False, 'settled': False, 'rate': math.radians(2.5)}
    rates = told | {name: given.pop(name) for name in told.keys() & given.keys()}
    moved = {'flips': (1.0, 2.5), 'turned': False, 'acted_on': False}
    drifts = moved | {name: given.pop(name) for name in moved.keys() & given.keys()}
    flips = list(drifts.pop('flips'))
    given = {
        'mode': '', 'impacts': 0, 'pushed': False, 'works_inside': False, 'pointing': True,
        'merit': None, 'around': '', 'readings': {}, 'log': None, 'broken': '',
    } | given  # fmt: skip
    return SimpleNamespace(
        response=SimpleNamespace(merit=lambda: given['merit']),
        rates=SimpleNamespace(text=lambda: '  commanded', **rates),
        drifts=SimpleNamespace(
            flips=lambda: flips, momentum_drift=1.2e-9, energy_drift=2.5e-7, **drifts
        ),
        disturbances=SimpleNamespace(text=lambda: given['around']),
        faults=SimpleNamespace(text=lambda: given['broken']),
        tally=SimpleNamespace(texts=lambda: given['readings']),
        **given,
    )


FLIPS = '  flips            2 (at 1.00 s, 2.50 s)'
DRIFTS = (
    '  drift of L       1.2e-09 (relative; inertial frame)',
    '  drift of energy  2.5e-07 (relative)',
)
CHANGES = ('  change of L      1.2e-09 (relative; {})', '  change of energy 2.5e-07 (relative)')
FORCED, TURNED = CHANGES[0].format('forces or torques acted'), 'torques of the environment'
ON_FLOOR = '  contact          rolling at the end; 3 impacts'


@pytest.mark.parametrize(
    ('given', 'lines'),
    [
        ({}, (FLIPS, *DRIFTS)),
        ({'flips': ()}, ('  flips            0', *DRIFTS)),
        ({'flips': range(8)}, ('  flips            8 (at ' + ', '.join(
            f'{number}.00 s' for number in range(8)) + ')', *DRIFTS)),
        ({'flips': range(9)}, ('  flips            9 (at ' + ', '.join(
            f'{number}.00 s' for number in range(8)) + ' …)', *DRIFTS)),
        ({'pushed': True, 'turned': True}, (FLIPS, FORCED, DRIFTS[1])),
        ({'turned': True}, (FLIPS, CHANGES[0].format(TURNED), DRIFTS[1])),
        ({'acted_on': True}, (FLIPS, DRIFTS[0], CHANGES[1])),
        ({'works_inside': True}, (FLIPS, DRIFTS[0], CHANGES[1])),
        ({'commanded': True}, ('  commanded', FLIPS, *DRIFTS)),
        ({'commanded': True, 'settled': True}, ('  commanded', *DRIFTS)),
        ({'settled': True}, (FLIPS, *DRIFTS)),
        ({'mode': 'rolling', 'impacts': 3, 'pushed': True, 'acted_on': True},
         (ON_FLOOR, FORCED, CHANGES[1])),
        ({'log': SimpleNamespace(merits=lambda: None)}, (FLIPS, *DRIFTS)),
        ({'broken': 'worn from 5 s'}, (FLIPS, *DRIFTS, '  faults           worn from 5 s')),
        ({'around': '1 N', 'readings': {'gyroscope': '0.1', 'star_tracker': 'none'}},
         (FLIPS, *DRIFTS, '  environment      1 N', '  gyroscope        0.1',
          '  star_tracker     none')),
    ],
)  # fmt: skip
def test_a_summary_says_what_moved_the_body_and_what_was_read(capsys, monkeypatch, given, lines):
    monkeypatch.setattr(warm_up, 'compiling', str)
    _summarise(Outcome(320, 10.0, 4.0, False, [], {'a': seen(**given)}, {}), None, [])
    first = 'a: 320 ticks, 10 s simulated at 2.50 x real time'
    assert capsys.readouterr().out.splitlines() == [first, *lines]


def test_a_summary_of_several_names_each_and_what_was_written(capsys, monkeypatch):
    monkeypatch.setattr(warm_up, 'compiling', str)
    merit = Merit(12.345, 0.0123, math.radians(0.25), 0.5, 0.002)
    observers = {'a': seen(), 'b': seen(merit=merit, pointing=False)}
    books = {'b': Entries(motors=2.0, heat=0.5, loads=-0.25, gained=1.5)}
    met = SimpleNamespace(text=lambda: 'held after 3 s', met=True)
    outcome = Outcome(0, 0.0, 0.0, False, [], observers, books, met)
    written = Path('bag'), [Path('a.csv'), Path('b.csv')]
    _summarise(outcome, *written)
    told = capsys.readouterr()
    lines = [
        'a, b: 0 ticks, 0 s simulated at 0.00 x real time', 'a', FLIPS, *DRIFTS, 'b',
        *response_report.text(merit, pointing=False).splitlines(),
        '  energy book      work of motors +2 J, of friction -0.5 J, of loads (thrusters, '
        'impulses, environment) -0.25 J; change of energy +1.5 J, not explained +2.5e-01 J',
        '  until            held after 3 s', '  bag              bag', '  table            a.csv',
        '  table            b.csv',
    ]  # fmt: skip
    last = 'next: attitude-sim plot bag --namespace b --animate'
    assert (told.out.splitlines(), told.err) == ([*lines, last], '')
    _summarise(outcome._replace(problems=['no disk']), *written)
    told = capsys.readouterr()
    assert (told.out.splitlines(), told.err) == (lines, 'attitude-sim: no disk\n')
    _summarise(outcome._replace(observers={'a': seen()}), Path('bag'), [])
    assert capsys.readouterr().out.endswith('\nnext: attitude-sim plot bag --animate\n')


def test_the_status_of_a_run_says_how_it_ended():
    ended = Outcome(0, 0.0, 0.0, False, [], {}, {})
    held, not_held = (ended._replace(until=SimpleNamespace(met=met)) for met in (True, False))
    assert [_status(one) for one in (ended, held, not_held)] == [0, 0, NOT_MET]
    wrong = not_held._replace(problems=['no disk'])
    assert _status(wrong) == 1
    assert _status(wrong._replace(interrupted=True)) == INTERRUPTED


@pytest.mark.parametrize('duration', [0.0, 1.0])
@pytest.mark.parametrize('way', ['duration', 'signal', 'service'])
def test_a_run_is_interrupted_if_it_was_told_to_end_before_its_duration(duration, way):
    state, book = RunState(duration), SimpleNamespace(entries=lambda state: ('of', state))
    simulators = [
        SimpleNamespace(
            run=state, value={'duration': duration}.get, energy_book=kept,
            instant=SimpleNamespace(state=word),
        )
        for kept, word in ((None, ''), (book, 'the last'))
    ]  # fmt: skip
    crafts = [
        run.Craft(name, one, [], name * 2) for name, one in zip('ab', simulators, strict=True)
    ]
    for _ in range(32 if way == 'duration' else 31):
        state.take_tick()
    if way == 'service':
        state.quit()
    outcome = run.outcome_of(crafts, 2.5, way == 'signal', ['no disk'])
    interrupted = duration > 0.0 and way != 'duration'
    assert outcome == Outcome(
        state.tick, state.tick / 32, 2.5, interrupted, ['no disk'], {'a': 'aa', 'b': 'bb'},
        {'b': ('of', 'the last')},
    )  # fmt: skip
    if way == 'duration' and duration:
        assert not run.outcome_of(crafts, 2.5, True, []).interrupted  # too late


def test_a_table_and_a_condition_are_those_of_the_spacecraft_that_is_named():
    members = [SimpleNamespace(namespace='a'), SimpleNamespace(namespace='b/c')]
    options = SimpleNamespace(inputs=['b/c:=t.csv', '/a/:=u.csv'], until=['error < 1', 'a:=t > 1'])
    assert _inputs_given(options, members) == (('b/c', Path('t.csv')), ('a', Path('u.csv')))
    assert _conditions_given(options, members) == (('', 'error < 1'), ('a', 't > 1'))
    which = r'give --inputs NAME:=…, NAME one of a, b/c'
    for text, why in (('t.csv', 't.csv: whose is it'), ('d:=t.csv', "'d:=t.csv': no spacecraft")):
        options.inputs = [text]
        with pytest.raises(CommandError, match=f'--inputs {why}.*{which}'):
            _inputs_given(options, members)
    options.inputs = ['a:=t.csv']
    with pytest.raises(CommandError, match='there is one, without a namespace: leave NAME:= out'):
        _inputs_given(options, [SimpleNamespace(namespace='')])
    names = [one and one.name for one in _tables(Path('t.csv'), members)]
    assert names == ['t_a.csv', 't_b_c.csv'] and _tables(None, members) == []
    assert _tables(Path('t.csv'), members[:1]) == [Path('t.csv')]
    assert [_numbered(Path('x/t.csv'), number) for number in (1, 2)] == [
        Path('x/t.csv'), Path('x/t_2.csv'),
    ]  # fmt: skip
    assert _numbered(None, 2) is None


def test_options_of_a_run_are_parameters_of_its_nodes():
    options = SimpleNamespace(
        parameters=['/sat/1/recorder:a:=true', 'markers:b.c:=[1, 2]', 'd:=x:=y'],
        duration=None, rate=None, record_markers=False,
    )  # fmt: skip
    first = [
        ('sat/1', 'recorder', 'a', True), ('', 'markers', 'b.c', [1, 2]),
        ('', 'simulator', 'd', 'x:=y'),
    ]  # fmt: skip
    assert list(_parameters_given(options)) == first
    for text, said in (
        ('a=1', "-p 'a=1' is not NAME:=VALUE"), (':=1', "-p ':=1' is not NAME:=VALUE"),
        ('odd:a:=1', "-p 'odd:a:=1': no node 'odd'; "), ('a:=1\nb: 2', 'give one value'),
    ):  # fmt: skip
        with pytest.raises(CommandError, match=re.escape(said)):
            list(_parameters_given(SimpleNamespace(**vars(options) | {'parameters': [text]})))
    options.duration, options.rate, options.record_markers = 0.0, 0.0, True
    assert list(_parameters_given(options)) == [
        *first, ('', 'simulator', 'duration', 0.0), ('', 'simulator', 'real_time_factor', 0.0),
        ('', 'recorder', 'markers', True),
    ]  # fmt: skip


def test_a_progress_line_says_what_a_run_does(monkeypatch):
    """Five seconds of clock for each text; ten times as fast as real time."""
    now, told = [100.0], []
    monkeypatch.setattr('time.monotonic', lambda: now[0])
    monkeypatch.setattr(warm_up, 'compiling', str)
    driver = SimpleNamespace(AWAITS='a controller', waits_for=lambda: '')
    run = SimpleNamespace(
        tick=0, ticks=RunState(duration=90.0).ticks, rate=1.0, paused=False, halted='by itself'
    )
    whole = [90.0]
    simulator = SimpleNamespace(run=run, driver=driver, value=lambda name: whole[0])
    observers = {'a': seen(), 'b': seen(mode='rolling'), 'c': seen(commanded=True, mode='rolling')}
    progress = Progress(simulator, observers)
    progress._line.on_terminal()
    monkeypatch.setattr(progress._line, 'show', told.append)

    def shown():
        now[0] += 5.0
        run.tick += round(50.0 / TICK_SECONDS)
        progress.show()
        return told.pop()

    of_all = '2 flips, rolling, 2.5 deg/s'
    assert shown() == f'a, b, c: 50.00 s of 90 s, 10.00 x real time, {of_all}'
    whole[0] = 0.0
    assert shown() == f'a, b, c: 100.00 s, 10.00 x real time, {of_all}'
    run.paused = True
    assert shown() == f'a, b, c: 150.00 s, paused by itself, {of_all}'
    driver.waits_for = lambda: 'b'
    assert shown() == f'a, b, c: 200.00 s, waiting for a controller, {of_all}'
    slow = []
    monkeypatch.setattr(warm_up, 'too_slow', lambda paced: slow.append(paced) or paced)
    monkeypatch.setattr(warm_up, 'compiling', lambda: 'compiling for 1 s')
    assert shown() == 'a, b, c: 250.00 s, waits, compiling for 1 s'
    run.rate = 0.0
    assert shown() == 'a, b, c: 300.00 s, runs in Python, compiling for 1 s'
    assert slow == [True, False]
    monkeypatch.setattr(progress._line, 'due', lambda: False)
    progress.show()
    assert told == []


@pytest.mark.parametrize('interrupted', [False, True])
def test_a_run_has_what_its_options_ask_for(monkeypatch, tmp_path, interrupted):
    from spacecraft_attitude_sim.runs import run
    from spacecraft_attitude_sim.subcommands import run as command
    from spacecraft_attitude_sim.viewer import process

    done, members = [], [SimpleNamespace(namespace='a'), SimpleNamespace(namespace='b')]
    outcome = Outcome(0, 0.0, 0.0, interrupted, [], {}, {})

    @contextlib.contextmanager
    def beside(*given):
        done.append(('beside', *given[1:]))
        yield 'viewer'

    monkeypatch.setattr(command.warm_up, 'begin', lambda: done.append('begun'))
    monkeypatch.setattr(command, '_members_of', lambda options: members)
    monkeypatch.setattr(command, 'need_rerun', lambda: done.append('rerun'))
    monkeypatch.setattr(process, 'beside', beside)
    monkeypatch.setattr(process, 'wait', lambda viewer: done.append(('wait', viewer)))
    monkeypatch.setattr(run, 'run', lambda *given: done.append(given) or outcome)
    monkeypatch.setattr(command, '_summarise', lambda *given: done.append(given))
    bag, csv = tmp_path / 'bag', tmp_path / 'run.csv'
    options = SimpleNamespace(
        lifecycle=False, inputs=['a:=t.csv'], until=['error < 1'], record=bag, csv=csv, view=True,
        port=9, overwrite=False, no_markers=True, no_controller=False,
    )  # fmt: skip
    assert command.run_scenario(options, ['--ros-args']) == (INTERRUPTED if interrupted else 0)
    wanted = run.Wanted(
        record=bag, csv=csv, markers=False, controllers=True, viewed=True,
        inputs=(('a', Path('t.csv')),), until=(('', 'error < 1'),),
    )  # fmt: skip
    tables = [tmp_path / 'run_a.csv', tmp_path / 'run_b.csv']
    first = ['begun', 'rerun', ('beside', ['--ros-args'], ['a', 'b'])]
    flown = [(members, ['--ros-args'], wanted), (outcome, bag, tables)]
    assert done == [*first, *flown, *([] if interrupted else [('wait', 'viewer')])]
    done.clear()
    options.port = 0
    with pytest.raises(CommandError, match='--port is 0'):
        command.run_scenario(options, [])
    options.view = False
    command.run_scenario(options, [])
    assert [one[0] for one in done[-2:]] == [members, outcome] and not done[-2][2].viewed
    tables[1].touch()
    done.clear()
    with pytest.raises(CommandError, match='run_b.csv: exists already'):
        command.run_scenario(options, [])
    assert done == ['begun']
    options.overwrite = True
    assert command.run_scenario(options, []) == (INTERRUPTED if interrupted else 0)


@pytest.mark.parametrize('left_out', ['no_markers', 'no_controller', ''])
def test_a_managed_run_has_what_its_options_ask_for_in_each_configuration(
    monkeypatch, tmp_path, left_out
):
    from spacecraft_attitude_sim.runs import managed_run, run
    from spacecraft_attitude_sim.subcommands import run as command

    done, members = [], [SimpleNamespace(namespace='a'), SimpleNamespace(namespace='b')]
    outcomes = [Outcome(0, 0.0, 0.0, False, problems, {}, {}) for problems in ([], ['late'], [])]

    def managed(whose, arguments, wanted_of, report):
        done.append((whose, arguments))
        for number, outcome in enumerate(outcomes, 1):
            done.append(wanted_of(number))
            report(outcome, done[-1])

    monkeypatch.setattr(command.warm_up, 'begin', lambda: None)
    monkeypatch.setattr(command, '_members_of', lambda options: members)
    monkeypatch.setattr(command, 'need_lifecycle', lambda: None)
    monkeypatch.setattr(command, '_summarise', lambda *given: done.append(given))
    monkeypatch.setattr(managed_run, 'run', managed)
    options = SimpleNamespace(
        lifecycle=True, inputs=['b:=t.csv'], until=['error < 1'], record=tmp_path / 'bag',
        csv=tmp_path / 'run.csv', view=False, overwrite=False, no_markers=False,
        no_controller=False,
    )  # fmt: skip
    if left_out:
        setattr(options, left_out, True)
    assert command.run_scenario(options, ['--ros-args']) == 1  # of the second
    expected = [(members, ['--ros-args'])]
    for suffix, outcome in zip(('', '_2', '_3'), outcomes, strict=True):
        wanted = run.Wanted(
            record=tmp_path / f'bag{suffix}', csv=tmp_path / f'run{suffix}.csv',
            markers=left_out != 'no_markers', controllers=left_out != 'no_controller',
            inputs=(('b', Path('t.csv')),), until=(('', 'error < 1'),),
        )  # fmt: skip
        tables = [tmp_path / f'run{suffix}_{name}.csv' for name in 'ab']
        expected += [wanted, (outcome, wanted.record, tables)]
    assert done == expected
    (tmp_path / 'run_2_b.csv').touch()
    with pytest.raises(CommandError, match='run_2_b.csv: exists already'):
        command.run_scenario(options, [])
    options.view = True
    with pytest.raises(CommandError, match='--view shows a run from its first tick on'):
        command.run_scenario(options, [])


def test_a_topic_is_heard_by_as_many_as_hear_the_least_heard_of_its_publishers():
    """Of /clock, say, which each of several simulators publishes."""

    def node(**heard):
        return SimpleNamespace(
            publishers=[
                SimpleNamespace(topic_name=name, get_subscription_count=lambda n=count: n)
                for name, count in heard.items()
            ]
        )

    for nodes in ([node(a=2, b=1), node(a=0)], [node(a=0), node(a=2, b=1)]):
        assert run._subscribers_by_topic(nodes) == {'a': 0, 'b': 1}
