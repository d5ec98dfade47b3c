# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What keeps tests honest: a tolerance that says what it is, and few that are skipped."""

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
