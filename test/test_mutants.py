# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""make mutants knows tests of every module, and leaves a file as it was."""

import os

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
