# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of the node find what they measure, whatever changes in the node."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCH = Path(__file__).parents[1] / 'bench'


@pytest.fixture
def bench(monkeypatch):
    """Return a function that gives a benchmark by name."""
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module


def test_the_cost_of_a_viewer_is_measured(bench, domain):
    cpu, median, most, memory = bench('viewing').cost('0.5')
    assert 0.0 < cpu < 300.0
    assert 0.0 <= median <= most
    assert memory > 50.0


def test_each_imu_message_is_noted_when_it_is_handed_over(bench, domain):
    command = [sys.executable, BENCH / 'ticking.py', 'simulator', '--seconds', '0.5']
    pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE, 'text': True}
    with subprocess.Popen(command, **pipes) as child:
        said = json.loads(bench('node').answers([child])[0])
    ((handed,), (ends,)) = said['imu/data'], said['ends']
    assert len(handed) == len(ends) > 16
    assert (np.array(ends) >= np.array(handed)).all()
