# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim warm-up` ends with 'ready' only if all code is saved, and else says why not."""

import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from processes import run

from spacecraft_attitude_sim import core
from spacecraft_attitude_sim.kernels import cache, kernel
from spacecraft_attitude_sim.subcommands import warm_up

DEADLINE = 300.0
# The process that compiles, with another flight in place of that of the scenario.
CHILD = """
import os, resource, signal
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.mathematics import vectors
from spacecraft_attitude_sim.kernels import kernel
from spacecraft_attitude_sim.subcommands import warm_up

def fly(loaded):
    {flight}

warm_up._fly = fly
warm_up.compile_named()
"""
# Files may be so short that code does not fit, as on a full disk.
FULL = 'resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); '
COMPILE = 'kernel.Kernel(vectors.cross)((1.0, 2.0, 3.0), (3.0, 2.0, 1.0))'


def test_no_run_compiles_after_the_command_warm_up(command, domain, tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    for _ in range(2):
        assert run(command, 'warm-up', 'nobody', 'tennis_racket').returncode == 2
        done = run(command, 'warm-up', 'tennis_racket', 'tennis_racket')
        lines = done.stdout.splitlines()
        assert (done.returncode, lines[0]) == (0, 'compiling for 1 scenario')
        assert lines[1].split()[0] == 'tennis_racket'
        assert lines[2].startswith('ready after')
    flown = run(command, 'run', 'tennis_racket', '--rate', 0, '--duration', 1)
    assert flown.returncode == 0
    assert 'compiling' not in flown.stdout + flown.stderr


def test_warm_up_has_an_estimator_take_readings():
    """It does so by compiled code from the fourth tick on; the first three were not enough."""
    code = (
        'from spacecraft_attitude_sim.core.estimation import ordinary\n'
        'from spacecraft_attitude_sim.subcommands import warm_up\n'
        'warm_up._compile("cubesat_3u_mission")\n'
        'assert ordinary.take.dispatcher.overloads'
    )
    subprocess.run((sys.executable, '-c', code), check=True, timeout=DEADLINE)


def test_warm_up_fails_where_no_code_can_be_kept(command):
    environment = os.environ | {'XDG_CACHE_HOME': '/proc/no'}
    done = run(command, 'warm-up', 'tennis_racket', env=environment)
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.count('no compiled code is kept in /proc/no/') == 1
    assert done.stderr.count('\n') == 1


@pytest.mark.parametrize('wait', [0.2, 1.0])
def test_ctrl_c_ends_warm_up_with_one_line(command, tmp_path, wait):
    """Whether its processes still import modules, or compile; Ctrl-C reaches a whole group."""
    environment = os.environ | {'XDG_CACHE_HOME': str(tmp_path)}
    with subprocess.Popen(
        [command, 'warm-up', 'cubesat_pyramid', 'ball_on_incline'], env=environment, text=True,
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
        assert child.stdout.readline() == 'compiling for 2 scenarios\n'
        time.sleep(wait)
        os.killpg(child.pid, signal.SIGINT)
        output, errors = child.communicate(timeout=DEADLINE)  # until all its processes have ended
    assert (child.returncode, output, errors) == (130, '', 'attitude-sim: interrupted\n')


FAILURES = {
    FULL + COMPILE: (
        'compiled code cannot be kept in {folder}: File too large\n'
        'attitude-sim: tennis_racket: the code of 1 functions could not be saved'
    ),
    'os.kill(os.getpid(), signal.SIGKILL)': (
        'a process ended by signal 9; see whether it took all memory: tennis_racket'
    ),
    'os._exit(3)': 'a process ended with status 3; see whether it took all memory: tennis_racket',
    r"raise TypeError('no\n  such\n\ntype')": 'tennis_racket: TypeError: no such type',
    "raise ParameterError('mass is -1')": 'tennis_racket: mass is -1',
}


@pytest.mark.parametrize('flight', FAILURES)
def test_what_goes_wrong_is_told_on_one_line(flight, monkeypatch, tmp_path, capfd):
    folder = str(tmp_path / 'code')
    monkeypatch.setattr(kernel, 'cache_directory', lambda: folder)
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path / 'of_the_child'))
    monkeypatch.setattr(cache, 'usable', cache.usable.__wrapped__)
    program = CHILD.format(flight=flight)
    monkeypatch.setattr(
        warm_up.child, 'command', lambda *names: [sys.executable, '-c', program, *names[2:]]
    )
    status = warm_up.compile_in_advance(SimpleNamespace(scenarios=['tennis_racket']), [])
    said = capfd.readouterr()
    assert (status, said.out) == (1, 'compiling for 1 scenario\n')
    (folder,) = (tmp_path / 'of_the_child').glob('*') if 'folder' in FAILURES[flight] else ('',)
    assert said.err == f'attitude-sim: {FAILURES[flight].format(folder=folder)}\n'


def compiled_by(group, monkeypatch):
    """Return the ids of the kernels that a process of `warm-up` asks for beside its scenarios."""
    asked = set()
    with monkeypatch.context() as patch:
        patch.setattr(kernel, 'begun', True)
        patch.setattr(kernel.Kernel, 'dispatcher', property(lambda one: asked.add(id(one))))
        patch.setattr(sys, 'argv', ['warm-up', *(name for name in group if name[0] == '-')])
        with pytest.raises(SystemExit, match='0'):
            warm_up.compile_named()
    return asked


def test_warm_up_without_names_compiles_every_kernel_of_one_signature(monkeypatch, tmp_path):
    """The loops of campaigns and batches, which no scenario calls, also where they are new."""
    groups, status = [], SimpleNamespace(wait=lambda: 0, terminate=lambda: None)
    monkeypatch.setattr(kernel, 'cache_directory', lambda: str(tmp_path / 'code'))
    monkeypatch.setattr(cache, 'usable', cache.usable.__wrapped__)
    monkeypatch.setattr(warm_up.child, 'command', lambda module, function, *group: group)
    monkeypatch.setattr(
        warm_up.child, 'start', lambda group, apart: groups.append(group) or status
    )
    assert warm_up.compile_in_advance(SimpleNamespace(scenarios=[]), []) == 0
    first, second = (compiled_by(group, monkeypatch) for group in groups)
    assert first.isdisjoint(second)  # else both would compile it
    ours = [
        one for module in pkgutil.walk_packages(core.__path__, f'{core.__name__}.')
        for one in vars(importlib.import_module(module.name)).values()
        if isinstance(one, kernel.Kernel) and one.signature and one._kept
    ]  # fmt: skip
    missed = [one.__module__ + one.__qualname__ for one in ours if id(one) not in first | second]
    assert missed == []
    names = {one.__qualname__ for one in ours}
    assert names >= {'run_beside', 'run_moving', 'run_gyrostats', 'run_touching', 'begin_anew'}
