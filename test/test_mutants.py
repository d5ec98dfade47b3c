# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""make mutants knows tests of every module, leaves files as they were, and out what fails."""

import os
import signal
from pathlib import Path

import mutants


def test_every_module_has_tests():
    assert mutants.untested() == {}


def test_the_table_names_what_is_there():
    names = [name for reached in mutants.REACHED.values() for name in reached.split()]
    gone = [name for name in names if not (mutants.ROOT / f'test/test_{name}.py').exists()]
    modules = [
        path.relative_to(mutants.ROOT / mutants.SOURCE).with_suffix('').as_posix()
        for path in (mutants.ROOT / mutants.SOURCE).rglob('*.py')
    ]
    stale = [
        start
        for start in mutants.REACHED
        if not any(module.startswith(start) for module in modules)
    ]
    assert (gone, stale) == ([], [])


def test_parts_that_move_are_tested_by_what_has_such_parts():
    assert mutants.tests_of('core/parts/pendulums/kernel')[0] == 'test/test_internal_motion.py'


def test_a_planted_fault_leaves_text_and_time_as_they_were(tmp_path):
    """Code on disk that was compiled of the unspoiled file is found again."""
    path = tmp_path / 'kernel.py'
    path.write_bytes(b'a = 1\r\n')
    os.utime(path, ns=(10**18, 10**18 + 7))
    with mutants.planted(path, 'a = 2\n'):
        assert path.read_text() == 'a = 2\n'
    assert path.read_bytes() == b'a = 1\r\n'
    assert path.stat().st_mtime_ns == 10**18 + 7


LIMITED = """
def limited(value, size):
    if value < 0.0:
        raise ValueError
    if value > 1.0 or size > 3:
        return max(value, size)
    return [size - value for _ in zip(size.reshape(-1), value, strict=True)]
"""


def test_faults_that_change_nothing_are_not_planted(tmp_path, monkeypatch):
    """A real number is never just a limit, unless an error says so; max takes either first."""
    (tmp_path / 'limited.py').write_text(LIMITED)
    monkeypatch.setattr(mutants, 'ROOT', tmp_path)
    planted = [mutant.what for mutant in mutants.mutants_of(Path('limited.py'))]
    compared = sorted(what for what in planted if what.startswith('comparison'))
    assert compared == [
        'comparison: size > 3 -> (size >= 3)',
        'comparison: value < 0.0 -> (value <= 0.0)',
        'comparison: value > 1.0 -> (value <= 1.0)',
    ]
    assert not any(what.startswith('constant') and 'True' in what for what in planted)
    assert not any(what.startswith(('negation', 'constant: 1 ')) for what in planted)
    assert not any(what.startswith('arguments: max') for what in planted)
    assert 'function: max(value, size) -> (min(value, size))' in planted


TESTS = """
import os, signal

def test_that_fails():
    assert False

def test_that_needs_ctrl_c():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

def test_that_notices():
    assert not os.path.exists('fault')
"""


def test_only_tests_that_fail_without_a_fault_are_left_out(tmp_path):
    """Also in the background, where a shell lets what it starts ignore Ctrl-C."""
    (tmp_path / 'test_it.py').write_text(TESTS)
    workshop = object.__new__(mutants.Workshop)
    workshop.tree, workshop.environment = tmp_path, os.environ
    workshop.seconds, workshop.failing = {}, {}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert workshop.without_fault('test_it.py') is not None
        assert workshop.failing['test_it.py', False] == ['test_it.py::test_that_fails']
        assert workshop.failed(['test_it.py'], 60.0) == []
        (tmp_path / 'fault').touch()
        (failed,) = workshop.failed(['test_it.py'], 60.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert failed.startswith('FAILED test_it.py::test_that_notices')
