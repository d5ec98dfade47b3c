# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A user's table of an orbit is read whole, or refused with a line that says why."""

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import orbit_file
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.environment.tabulated_orbit import TabulatedOrbit

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


@pytest.mark.parametrize('name', ['orbit.csv', 'ORBIT.CSV'])
def test_csv_has_the_numbers_of_the_orbit(tmp_path, name):
    found = orbit_file.load(written(tmp_path, HEAD, *rows(), name=name), UTC)
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


@pytest.mark.parametrize('inclination', [0.0, 1.0, 1.57, 1.7, 3.1])
@pytest.mark.parametrize('axis', [6.6e6, 7e6, 2.65e7, 4.2164e7])
def test_axes_that_turn_with_the_earth_are_refused(axis, inclination):
    epoch, rate = epoch_of(UTC), 7.292115e-5
    step = 0.04 * (axis**3 / 3.986e14) ** 0.5
    times = step * np.arange(60.0)
    r, v = np.hsplit(KeplerOrbit(axis, 0.001, inclination).states_W(epoch, times), 2)
    TabulatedOrbit(times, r, v.round(1))
    close = np.arange(0.0, 100.0, 0.5)
    fine = KeplerOrbit(axis, 0.001, inclination).states_W(epoch, close)
    TabulatedOrbit(close, fine[:, :3], fine[:, 3:].round(1))
    c, s = np.cos(rate * times), np.sin(rate * times)
    turned = [np.stack((c * x + s * y, c * y - s * x, z), 1) for x, y, z in (r.T, v.T)]
    turned[1] += rate * turned[0] @ np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    with pytest.raises(ValueError, match='in axes that do not turn with it'):
        TabulatedOrbit(times, *turned)


@pytest.mark.parametrize('last', [20.0, 59.5])
def test_a_run_may_end_where_its_table_does(tmp_path, last):
    """The last second of the sky reaches beyond, to nodes that are extrapolated."""
    times = np.array((*np.arange(0.0, last, 10.0), last))
    states = KeplerOrbit(7e6, 0.01, 1.0).states_W(epoch_of(UTC), times)
    lines = np.column_stack((times, states)).tolist()
    path = written(tmp_path, HEAD, *(','.join(map(repr, line)) for line in lines))
    values = {'orbit.model': 'table', 'orbit.table': str(path), 'epoch': UTC, 'duration': last}
    run = sas.simulate('cubesat_3u_leo', controller=None, parameters=values)
    assert run.time[-1] >= last - 0.5
    assert np.isfinite(run.sensors['magnetometer'].magnetic_field_S).all()
    assert np.isfinite(run.angular_velocity).all()


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(ParameterError, match='no such file'):
        orbit_file.load(tmp_path / 'none.csv', UTC)
    with pytest.raises(ParameterError, match='give a file of .csv, .parquet, .oem'):
        orbit_file.load(written(tmp_path, HEAD, name='orbit.txt'), UTC)
    with pytest.raises(ParameterError, match='orbit.parquet'):
        orbit_file.load(written(tmp_path, HEAD, name='orbit.parquet'), UTC)
