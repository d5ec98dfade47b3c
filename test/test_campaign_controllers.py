# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim campaign --controller FILE:NAME`: a function of the user flies the runs."""

import importlib
import os
import pickle
import subprocess
import sys
import time

import foreign
import numpy as np
import pytest
from processes import called

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.api import campaigns as api_campaigns
from spacecraft_attitude_sim.api import waiting
from spacecraft_attitude_sim.campaigns import (
    campaign,
    flights,
    python_flight,
    user_file,
    workers,
)
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.kernels import cache, warm_up
from spacecraft_attitude_sim.recording.errors import CampaignError

pytest.importorskip('pyarrow')
from spacecraft_attitude_sim.campaigns import runner  # noqa: E402

TUMBLES = """
scenario: cubesat_tumble
runs: 3
duration: 2.0
dispersions:
  initial.angular_velocity: {distribution: in_sphere, radius: 0.3}
  seed: {distribution: integers, low: 0, high: 1000}
parameters: {imu.model: stim300}
"""
MINE = """
from dataclasses import dataclass
import numpy as np

@dataclass
class Damp:
    found: object

    def __call__(self, readings):
        return -0.1 * np.diag(self.found.plant.body.inertia) * readings.angular_velocity

class Pointing:
    reference = (1.0, 0.0, 0.0, 0.0)

    def __call__(self, readings):
        return -1e-4 * readings.attitude[1:]

def late(flight):
    return abs(flight.angular_velocity_B[-1]).max()

def fail(readings):
    return None if readings.time < 1.0 else 1 / 0

class Leave:
    def __call__(self, readings):
        raise SystemExit

pointing = Pointing()
three = 3
if __name__ == '__main__':
    raise SystemExit
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a campaign and a file of controllers."""
    (tmp_path / 'tumbles.yaml').write_text(TUMBLES)
    (tmp_path / 'mine.py').write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_controller_of_a_file_flies_a_campaign_and_its_rows_are_runs(folder, command):
    """In processes of their own, in a folder whose modules none of them may import."""
    foreign.plant(folder)
    done = subprocess.run(
        [command, 'campaign', 'tumbles.yaml', '--controller', 'mine.py:Damp', '--merit',
         'mine.py:late', '--workers', '2'],
        cwd=folder, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0 and 'late' in done.stdout, done.stderr
    assert not foreign.ran(folder)
    table = runner.read(folder / 'output/tumbles/runs.parquet')
    make, late = (user_file.named('it', f'mine.py:{name}') for name in ('Damp', 'late'))
    here = sas.campaign('tumbles.yaml', make.found, {'late': late.found}, workers=1)
    for name in here:
        np.testing.assert_array_equal(table[name], here[name], name)
    arguments = ('campaign', 'tumbles.yaml', '--controller', 'mine.py:Damp', '--row', 1)
    assert called(*arguments, '--write-scenario', 'row.yaml').returncode == 0
    row = sas.load('row.yaml')
    run = sas.simulate(row, controller=make.found(row))
    assert run.attitude[-1].tolist() == [table[f'final.attitude[{k}]'][1] for k in range(4)]
    assert table['late'][1] == abs(run.angular_velocity[-1]).max() > 0.0
    assert not run.scenario.controller and len(set(table['seed'])) == 3


def test_an_object_flies_and_an_edited_file_does_not_resume(folder):
    arguments = ('campaign', 'tumbles.yaml', '--controller', 'mine.py:pointing', '--workers', 1)
    for _ in range(2):
        done = called(*arguments)
        assert done.returncode == 0, done.stderr
    table = runner.read('output/tumbles/runs.parquet')
    assert np.isfinite(table['final_pointing_error']).all()
    (folder / 'mine.py').write_text(MINE.replace('1e-4', '2e-4'))
    assert 'holds another campaign' in called(*arguments).stderr
    assert called(*arguments, '--overwrite').returncode == 0
    other = runner.read('output/tumbles/runs.parquet')
    assert (table['final_pointing_error'] != other['final_pointing_error']).all()


@pytest.mark.parametrize(
    ('name', 'text', 'said'),
    [
        ('mine.py', MINE, 'it is mine.py; give FILE:NAME, as my_controller.py:damp'),
        ('mine.py:', MINE, 'give FILE:NAME'),
        ('mine.py:3', MINE, 'give FILE:NAME'),
        ('none.py:damp', MINE, 'none.py: there is no such file here'),
        ('.:damp', MINE, 'is no regular file'),
        ('mine.py:damp', MINE, "it mine.py:damp: the file has no damp; did you mean 'Damp'"),
        ('mine.py:three', MINE, 'three is 3; name a function'),
        ('mine.py:f', 'x = 3', 'the file has no f; it has no function'),
        ('mine.py:f', 'def f(:', r'the file cannot be run: SyntaxError: .*line 1'),
        ('mine.py:f', '\n1 / 0', r'run: ZeroDivisionError: division by zero \(mine.py, line 2\)'),
        ('mine.py:f', 'import nothing_there', "No module named 'nothing_there'"),
        ('mine.py:f', 'raise SystemExit', r'cannot be run: SystemExit \(mine.py, line 1\)'),
    ],
)
def test_a_file_or_name_that_is_none_is_said_in_a_line(folder, name, text, said):
    (folder / 'mine.py').write_text(text)
    with pytest.raises(CampaignError, match=said):
        user_file.named('it', name)
    done = called('campaign', 'tumbles.yaml', '--controller', name)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (folder / 'output').exists()


@pytest.mark.parametrize(
    ('options', 'said'),
    [
        (('--workers', '0'), '--workers is 0; give 1 or more'),
        (('--row', '1'), '--row and --write-scenario belong together; give both'),
    ],
)
def test_options_of_a_campaign_are_refused_before_it_runs(folder, options, said):
    done = called('campaign', 'tumbles.yaml', '--controller', 'mine.py:Damp', *options)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert said in done.stderr
    assert not (folder / 'output').exists()


@pytest.mark.parametrize(
    ('name', 'said'),
    [
        ('fail', r'at 1 s .* fails: ZeroDivisionError: division by zero \(mine.py, line 22\)'),
        ('Leave', r'at 0 s the controller fails: SystemExit'),
    ],
)
def test_a_controller_that_fails_is_said_with_time_line_and_run(folder, name, said):
    make = python_flight.Maker(user_file.named('it', f'mine.py:{name}'))
    with pytest.raises(CampaignError, match=rf'{said}.* \(run 1\)'):
        runner.columns_of(campaign.load('tumbles.yaml', make), 1, 2)


@pytest.mark.parametrize('then', [None, {'dipole': (0.01, 0.0, 0.0)}])
def test_a_torque_is_cut_as_long_as_it_is_held(then):
    """Commanded once, beyond the limit; it acts for four ticks, also beside another command."""
    values = {
        'command_torque_limit': [1e-6] * 3, 'command_timeout': 0.1, 'magnetorquers': ['m'],
        'magnetorquer.m.axis': [1.0, 0.0, 0.0], 'magnetorquer.m.max_dipole': 0.1,
        'magnetic_field': [0.0, 0.0, 3e-5],
    }  # fmt: skip

    def once(readings):
        return (1e-5, 0.0, 0.0) if readings.tick == 1 else then

    flying, cut = Flight(scenario.build(values, 'test'), once), []
    for _ in range(8):
        flying.step()
        cut.append(flying.cut)
    assert cut == [False, *[True] * 4, False, False, False]


def test_a_campaign_file_names_no_controller(folder):
    (folder / 'mine.py').write_text(foreign.mark(folder) + MINE)
    for text in ('controller: mine.py:Damp\n', 'parameters: {controller: mine.py:Damp}\n'):
        (folder / 'tumbles.yaml').write_text(TUMBLES.partition('parameters')[0] + text)
        done = called('campaign', 'tumbles.yaml')
        assert done.returncode == 2 and 'controller' in done.stderr
    assert not foreign.ran(folder)


def test_what_a_controller_in_python_may_read_can_be_drawn(folder):
    name = 'dispersions.seed: seed changes nothing in a campaign'
    with pytest.raises(CampaignError, match=name):
        campaign.load('tumbles.yaml')
    text = TUMBLES.replace('seed: {', 'star_tracker.latency: {').replace('runs: 3', 'runs: 1')
    (folder / 'tumbles.yaml').write_text(
        text + 'map: {x: star_tracker.latency, color: torque_impulse}'
    )
    make = python_flight.Maker(user_file.named('it', 'mine.py:Damp'))
    assert 'star_tracker.latency' in campaign.load('tumbles.yaml', make).dispersions


def test_another_process_makes_it_of_its_text(folder):
    make = python_flight.Maker(user_file.named('it', 'mine.py:Damp'))
    found = campaign.load('tumbles.yaml', make)
    (folder / 'mine.py').unlink()
    texts = found.text, found.scenario_text, found.source
    there = runner._chunk_of_texts(texts, (), 0, 1, {}, pickle.loads(pickle.dumps(make)))
    shares = []
    here = runner.columns_of(found, 0, 1, told=shares.append)
    np.testing.assert_array_equal(there['final_rate'], here['final_rate'])
    # The rows are work, too: it may be a minute in which their code is compiled.
    rows = [share for share in shares if share > flights.FLIGHTS_SHARE]
    assert shares == sorted(shares) and flights.FLIGHTS_SHARE in shares
    assert len(rows) == flights.PARTS and rows[-1] == 1.0


# --- processes -----------------------------------------------------------------------------------


def test_processes_find_modules_where_this_one_does(folder, monkeypatch):
    """As of a notebook, which looks for them where one stands."""
    (folder / 'own_doubling.py').write_text('def double(x):\n    return 2 * x\n')
    monkeypatch.setattr(sys, 'path', ['', *sys.path])
    double = importlib.import_module('own_doubling').double
    assert list(workers.each(double, [1, 2], 1)) == [2, 4]


def test_processes_answer_in_order_and_raise_what_is_raised():
    assert list(workers.each(abs, range(-5, 1), 2)) == [5, 4, 3, 2, 1, 0]
    with pytest.raises(ValueError, match='invalid literal') as caught:
        list(workers.each(int, ['1', 'x'], 2))
    assert 'Traceback' in str(caught.value.__cause__)
    with pytest.raises(CampaignError, match='a process that flew a controller has ended'):
        list(workers.each(os._exit, [3], 1))


PARENT = """
import pickle, time
from spacecraft_attitude_sim.campaigns.workers import Worker
worker = Worker()
worker._line.send_bytes(pickle.dumps((time.sleep, 60.0)))
print(flush=True)
time.sleep(60.0)
"""


def test_a_process_ends_without_a_word_when_its_parent_is_killed():
    parent = subprocess.Popen(
        [sys.executable, '-c', PARENT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    parent.stdout.readline()
    time.sleep(0.5)  # it imports, and begins to work
    parent.kill()
    # The pipes are open as long as one of the two is there.
    assert parent.communicate(timeout=30.0) == ('', '')


COMPILES = """
import os
import time
from spacecraft_attitude_sim.campaigns import workers
from spacecraft_attitude_sim.kernels.cache import compiling

def compiles(then):
    compiling.begin('kernels.advance_rigid')
    workers.say_begun()
    if then == 'end':
        os._exit(1)
    compiling.end()
    workers.say_begun()
    return then
"""


def test_what_a_process_compiles_is_told_and_about_how_long_it_takes(folder, monkeypatch):
    (folder / 'own_compiling.py').write_text(COMPILES)
    monkeypatch.setattr(sys, 'path', [str(folder), *sys.path])
    compiles = importlib.import_module('own_compiling').compiles
    now, told = cache.Compiling(), []
    for name, seconds in (('advance', 19.0), ('end_of', 7.0), ('motion_of', 3.5)):
        monkeypatch.setitem(warm_up.COMPILE_SECONDS, f'kernels.{name}_rigid', seconds)
    monkeypatch.setitem(warm_up.COMPILE_SECONDS, 'kernels.substep_count_rigid', 3.5)
    monkeypatch.setattr(workers, 'compiling', now)
    monkeypatch.setattr(waiting, 'compiling', now)

    def heard():
        told.append((now._under_way, waiting.compiled_for()))

    assert list(workers.each(compiles, ['go on'], 1, heard)) == ['go on']
    # 19 s, and those that follow it: 7, 3.5 and 3.5 s
    text = 'compiling for 0 s (about 35 s on an idle core, once on this machine)'
    assert told == [(1, text), (0, text)]
    now._ended -= 60.0
    with pytest.raises(CampaignError, match='a process that flew a controller has ended'):
        list(workers.each(compiles, ['end'], 1, heard))
    assert told[2] == (1, text) and now._under_way == 0  # it does not count on
    now.begin()  # anew, and by this process: of a kernel whose time nobody has measured
    assert waiting.compiled_for() == text
    now._ended, now._under_way = now._ended - 60.0, 0
    with now.noted('x.y'), now.noted('x.within'):
        assert now.names == {'x.y'}
    assert '(up to 60 s on' in waiting.compiled_for()
    before = now.names
    now.begin('another')  # a thread may be reading them
    assert before == {'x.y'}
    assert all(set(kernels) <= {*warm_up.COMPILE_SECONDS} for kernels in warm_up.TOGETHER)


FAILS = """
from spacecraft_attitude_sim.campaigns import workers
from spacecraft_attitude_sim.kernels.cache import compiling

def fails(argument):
    try:
        with compiling.noted('x.y'):
            workers.say_begun()
            raise TypeError
    except TypeError:
        workers.say_begun()
"""


def test_a_process_that_fails_to_compile_ends_only_what_it_has_begun(folder, monkeypatch):
    (folder / 'own_failing.py').write_text(FAILS)
    monkeypatch.setattr(sys, 'path', [str(folder), *sys.path])
    fails = importlib.import_module('own_failing').fails
    now, counts = cache.Compiling(), []
    monkeypatch.setattr(workers, 'compiling', now)
    now.begin('of.another')
    list(workers.each(fails, [0], 1, lambda: counts.append(now._under_way)))
    assert counts == [2, 1]
    assert now._under_way == 1


def rests(readings):
    """Command nothing."""


def test_a_controller_that_no_other_process_can_import_flies_in_one(monkeypatch):
    counts = []
    monkeypatch.setattr(
        api_campaigns, '_flown', lambda found, threads: counts.append(threads) or {}
    )
    monkeypatch.setattr(api_campaigns, '_framed', lambda columns: columns)
    given = {'scenario': 'cubesat_tumble', 'runs': 2, 'duration': 1.0}
    for controller in (rests, lambda readings: None, api_campaigns.OWN):
        api_campaigns.campaign(given, controller, workers=3)
    assert counts == [3, 1, 3]
