# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Every shipped scenario has the bits it always had; see test/data/make_bits.py."""

import json

import bits
import canary
import numpy as np
import pytest
from conftest import ROOT

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
STORED = json.loads((ROOT / 'test' / 'data' / 'bits.json').read_text())
CASES = bits.cases()


@pytest.fixture(scope='module')
def kept_here():
    """The bits that this machine should give; skip where others round otherwise."""
    try:
        return canary.bits_here(STORED)
    except LookupError as error:
        pytest.skip(f'bits.json: {error}')


def test_every_scenario_has_its_bits_kept():
    lacking = sorted(set(CASES) ^ set(STORED['cases']))
    assert not lacking, 'test/data/make_bits.py adds cases that are new, and only those'


@pytest.mark.parametrize('name', STORED['cases'])
def test_bits_are_those_of_before(kept_here, name):
    found, kept = CASES[name](), kept_here[name]
    off = np.max(np.abs(np.subtract(found['last'], kept['last'])))
    moved = [what for what, bits in kept['digests'].items() if found['digests'].get(what) != bits]
    assert not moved, f'{", ".join(moved)} of {name} moved; the last state is {off:.3g} off'
    assert found['digests'].keys() == kept['digests'].keys()
    assert found['last'] == kept['last']
    assert found.get('counts') == kept.get('counts')
    for what, rows in kept.get('rounded', {}).items():
        assert_close(what, found['rounded'][what], rows)


def assert_close(what, found, kept):
    """Assert that forces and torques are within 1e-9 of the largest of each kind."""
    largest = np.array(kept['largest'])
    tolerance = 1e-9 * np.repeat((largest[:3].max(), largest[3:].max()), 3)
    assert np.shape(found['rows']) == np.shape(kept['rows'])
    rows, others = ([one['largest'], *one['rows']] for one in (found, kept))
    off = np.abs(np.subtract(rows, others)) / np.where(tolerance > 0.0, tolerance, 1e-300)
    assert np.max(off) <= 1.0, f'{what} is {1e-9 * np.max(off):.3g} of its largest off'


def test_what_is_kept_exercises_sensors_and_commands():
    """So that nobody empties a case unseen."""
    runs = {name: case for name, case in STORED['cases'].items() if name.endswith('/commanded')}
    assert len(runs) > 15
    assert sum(case['counts']['stars'] > 0 for case in runs.values()) > 10
    assert sum(case['counts']['saturated'] > 0 for case in runs.values()) > 5
    assert sum(0 < case['counts']['stars'] < 79 for case in runs.values()) > 3  # above the limit
    for case in runs.values():
        assert len(case['rounded']['applied_B']['rows']) >= 10
        assert min(case['rounded']['applied_B']['largest']) > 0.0
