# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bags of an earlier version are drawn, read, and computed again to the bit."""

import json
from importlib import metadata

import canary
import numpy as np
import pytest
from conftest import ROOT
from PIL import Image
from processes import printed

from spacecraft_attitude_sim.recording import history

DATA = ROOT / 'test' / 'data'
BAGS = DATA / 'bags'
# name: ticks between the rows that are kept, samples compared, what plot says last, whether it
# points
KEPT = {
    'commanded_racket': (11, 801, 'largest torque   0.004588 N m', False),
    'bounce_on_wave': (4, 187, '', False),
    'pointing_with_errors': (19, 780, 'largest torque   0.002486 N m', True),
}
SOME_BAG = pytest.mark.parametrize('name', KEPT)


@SOME_BAG
@pytest.mark.usefixtures('placed_roughly')
def test_old_bag_is_drawn(command, tmp_path, name):
    output = tmp_path / 'drawn.png'
    *_, said, points = KEPT[name]
    merits = ['--merits', tmp_path / 'merits.json', '--boresight=1,0,0'] if said else []
    lines = printed(command, 'plot', BAGS / name, '-o', output, *merits).split('\n')
    drawn = [output, output.with_stem('drawn_control')] if said else [output]
    drawn += [output.with_stem('drawn_pointing')] if points else []
    assert lines[: len(drawn)] == list(map(str, drawn))
    assert lines[-2].endswith(said)
    for path in drawn:
        pixels = np.asarray(Image.open(path).convert('L'))
        assert 0.002 < np.mean(pixels < 128) < 0.5
    if said:
        told = json.loads((tmp_path / 'merits.json').read_text())['merits']
        assert told['largest_torque'] == pytest.approx(float(said.split()[-3]), rel=1e-3)
        assert points == ('ape_about_95' in told)
    if points:
        assert told['ape_about_95'] == told['ape_x_95'] > 0.0


@SOME_BAG
def test_history_of_an_old_bag_is_the_table_that_its_run_wrote(name):
    step = KEPT[name][0]
    (found, _), (kept, _) = history.read(BAGS / name), history.read(BAGS / f'{name}.csv')
    assert len(kept.time) >= 5
    for one, other in zip(numbers(found), numbers(kept), strict=True):
        # The bag has momenta by velocities, so that there is round-off.
        tolerance = 1e-12 * np.max(np.abs(other))
        np.testing.assert_allclose(one[::step], other, rtol=0, atol=tolerance)


def numbers(table):
    """Return all columns of a History that a bag and a table have alike."""
    columns = [*table[:7]]
    if contact := table.contact:
        # In flight a table has the velocity along the floor, a bag all of it.
        slip = np.where(contact.in_flight, 0.0, contact.slip_speed)
        columns += [contact.position_W, contact.point_W, contact.force_W, slip, contact.energy]
    return columns


@SOME_BAG
def test_old_bag_is_computed_again_to_the_bit(command, name):
    # Nothing in these scenarios needs LAPACK, so that the kernel of BLAS does not matter.
    stored = json.loads((DATA / 'bits.json').read_text())
    stored['canary']['matrices'] = canary.canary()['matrices']
    try:
        canary.bits_here(stored)
    except LookupError as error:
        pytest.skip(f'the bags: {error}')
    count = KEPT[name][1]
    said = printed(command, 'replay', BAGS / name, '--resimulate')
    assert said.strip() == f'identical: {count} of {count}'


def test_test_data_are_not_installed():
    installed = metadata.files('spacecraft_attitude_sim') or ()
    assert not [file for file in installed if file.suffix == '.mcap' or file.name == 'bits.json']
    assert not [file for file in installed if 'test' in file.parts]
