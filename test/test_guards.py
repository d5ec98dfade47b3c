# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What keeps tests honest: a tolerance that says what it is, and few that are skipped."""

import re
import subprocess
import sys
from types import SimpleNamespace

import conftest
import numpy as np
import pytest


@pytest.mark.parametrize(
    ('expected', 'rel'),
    [(1e-13, 1e-9), (-3e-15, None), (np.array((1.0, 2e-9)), 1e-6), ({'density': 4e-12}, 0.1)],
)
def test_a_small_number_without_an_absolute_tolerance_is_refused(expected, rel):
    with pytest.raises(ValueError, match='give abs'):
        pytest.approx(expected, rel=rel)


def test_what_says_its_tolerance_is_taken():
    assert pytest.approx(1e-13, rel=1e-9, abs=0.0) != 1.1e-13
    assert pytest.approx(1e-13, rel=0.2, abs=0.0) == 1.1e-13
    assert pytest.approx([0.0, 1.0, 1e-5]) == [1e-13, 1.0, 1e-5]
    assert pytest.approx(1e-9, rel=0.1) == 1.05e-9  # the relative one is the larger


@pytest.mark.parametrize(
    ('skipped', 'ci', 'status'),
    [
        (conftest.MOST_SKIPPED, 'true', 0),
        (conftest.MOST_SKIPPED + 1, 'true', 1),
        (conftest.MOST_SKIPPED + 1, '', 0),
    ],
)
def test_a_run_in_ci_that_skips_too_much_fails(monkeypatch, skipped, ci, status):
    monkeypatch.setenv('CI', ci)
    lines = []
    reporter = SimpleNamespace(
        stats={'skipped': [None] * skipped},
        write_line=lambda text, red: lines.append(text),
    )
    plugins = SimpleNamespace(get_plugin=lambda name: reporter)
    session = SimpleNamespace(config=SimpleNamespace(pluginmanager=plugins), exitstatus=0)
    conftest.pytest_sessionfinish(session)
    assert session.exitstatus == status
    assert len(lines) == status


@pytest.mark.parametrize(
    ('fault', 'said'),
    [
        ('os._exit(1)', ''),
        ('time.sleep(3600.0)', 'Timeout (0:00:01)!'),
    ],
)
def test_a_test_that_ends_or_hangs_its_worker_fails_the_run_with_its_name(tmp_path, fault, said):
    """With the settings of make test, but for the time after which a test hangs."""
    path = tmp_path / 'test_planted.py'
    path.write_text(f'import os, time\n\ndef test_fault():\n    {fault}\n')
    (tmp_path / 'test_other.py').write_text('def test_other():\n    pass\n')
    flags = re.search('^WORKERS := -n 4(.*)', (conftest.ROOT / 'Makefile').read_text(), re.M)[1]
    command = [sys.executable, '-m', 'pytest', '-c', conftest.ROOT / 'setup.cfg', '-n', '2']
    command += [*flags.split(), '-p', 'no:cacheprovider', '--rootdir', tmp_path, tmp_path]
    command += ['-o', 'faulthandler_timeout=1']
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert re.search("worker 'gw.' crashed while running '.*::test_fault'", done.stdout)
    assert said in done.stderr


# Three runs of compile_kernels; a test says what its pieces do. The end of the process shows that
# nothing of the first goes on.
COMPILED_BESIDE = """\
import sys, time
import compile_kernels
def run(status, *pieces):
    compile_kernels.pieces = lambda: pieces
    return int(compile_kernels.main([sys.executable, '-c', f'raise SystemExit({status})']))
hang, fail, done = lambda: time.sleep(3600.0), lambda: 1 // 0, lambda: None
print(run(3, hang, hang, done), run(0, done, fail, done), run(0, done, done, done))
"""


def test_what_runs_beside_compiling_ends_it_if_it_fails():
    command = [sys.executable, '-c', COMPILED_BESIDE]
    folder = conftest.ROOT / 'test'
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.stdout.splitlines()[-1] == '3 1 0', done.stderr
    assert done.returncode == 0
