# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A user's table of an orbit is read whole, or refused with a line that says why."""

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from spacecraft_attitude_sim.configuration import orbit_file
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit

UTC = '2026-11-01T12:00:00Z'
TIMES = np.arange(0.0, 601.0, 30.0)
STATES = KeplerOrbit(7e6, 0.01, 1.0).states_W(epoch_of(UTC), TIMES)
HEAD = 'time,x,y,z,vx,vy,vz'


def rows(times=TIMES):
    return [
        ','.join([str(t), *(repr(float(value)) for value in state)])
        for t, state in zip(times, STATES, strict=True)
    ]


def written(folder, *lines, name='orbit.csv'):
    path = folder / name
    path.write_text('\n'.join(lines) + '\n')
    return path


def test_csv_has_the_numbers_of_the_orbit(tmp_path):
    found = orbit_file.load(written(tmp_path, HEAD, *rows()), UTC)
    assert found.times.tolist() == TIMES.tolist()
    assert np.hstack((found.positions_W, found.velocities_W)).tolist() == STATES.tolist()


def test_utc_is_counted_from_the_epoch(tmp_path):
    texts = [str(np.datetime64('2026-11-01T12:00:10') + int(t)) + 'Z' for t in TIMES]
    path = written(tmp_path, HEAD.replace('time', 'utc'), *rows(texts))
    found = orbit_file.load(path, UTC)
    np.testing.assert_allclose(found.times, TIMES + 10.0, rtol=0.0, atol=1e-4)


def test_parquet_is_the_same(tmp_path):
    columns = {'note': ['x'] * len(TIMES), 'time': TIMES}
    columns |= dict(zip(orbit_file.NUMBERS, STATES.T, strict=True))
    parquet.write_table(pyarrow.table(columns), tmp_path / 'orbit.parquet')
    found = orbit_file.load(tmp_path / 'orbit.parquet', UTC)
    assert np.hstack((found.positions_W, found.velocities_W)).tolist() == STATES.tolist()


@pytest.mark.parametrize(
    ('lines', 'words'),
    [
        ((), 'it has the columns none; give time'),
        ((HEAD,), 'it has the columns none'),
        (('time,x,y,z', '0,1,2,3'), r'the columns time, x, y, z; give time \[s\] or utc'),
        ((HEAD, *rows()[:3], '90,1,2'), 'row 4 has 3 columns and the first line 7; is it cut'),
        ((HEAD, *rows()[:3], '90,1,2,up,4,5,6'), "row 4 has 'up' for z; give a number"),
        ((HEAD, *rows()[:3], '90,nan,2,3,4,5,6'), 'row 4 of the orbit, at 90 s, is not finite'),
        ((HEAD, *rows()[::-1]), 'row 2 .* comes no later than the row before'),
        (
            (HEAD.replace('time', 'utc'), *rows(['noon'] * len(TIMES))),
            "epoch is 'noon'; it must be a time in UTC",
        ),
    ],
)
def test_broken_files_are_refused(tmp_path, lines, words):
    path = written(tmp_path, *lines)
    with pytest.raises(ParameterError, match=f"orbit.table '.*orbit.csv': .*{words}"):
        orbit_file.load(path, UTC)


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(ParameterError, match='no such file'):
        orbit_file.load(tmp_path / 'none.csv', UTC)
    with pytest.raises(ParameterError, match='give a file of .csv or .parquet'):
        orbit_file.load(written(tmp_path, HEAD, name='orbit.txt'), UTC)
    with pytest.raises(ParameterError, match='orbit.parquet'):
        orbit_file.load(written(tmp_path, HEAD, name='orbit.parquet'), UTC)
