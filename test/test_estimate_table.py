# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A CSV file of attitudes that some estimator told."""

import numpy as np
import pytest

from spacecraft_attitude_sim.recording import estimate_table
from spacecraft_attitude_sim.recording.errors import RecordingError

HEAD = 'time [s],qw,qx,qy,qz'


def test_columns_are_taken_by_name(tmp_path):
    path = tmp_path / 'mine.csv'
    path.write_text(
        'qz,sigma_x [rad],bias_x [rad/s], time [s] ,qw,sigma_z [rad],qx,qy,sigma_y [rad]\n'
        '0.8,1e-3,7,2.5,0,3e-3,0.6,0,2e-3\n\nnan,1,1,3,nan,1,nan,nan,1\n'
    )
    time, attitude, covariance = estimate_table.read(path)
    assert time.tolist() == [2.5, 3.0]
    assert attitude[0].tolist() == [0.0, 0.6, 0.0, 0.8]
    assert np.isnan(attitude[1]).all()
    assert covariance[0] == pytest.approx(np.diag((1e-6, 4e-6, 9e-6)))


@pytest.mark.parametrize('sigma', ['', ',sigma_x [rad],sigma_y [rad]'])
def test_without_three_standard_deviations_there_is_no_covariance(tmp_path, sigma):
    path = tmp_path / 'mine.csv'
    path.write_text(f'{HEAD}{sigma}\n0,1,0,0,0{",1" * sigma.count(",")}\n')
    assert len(estimate_table.read(path)) == 2


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('', r'has no column time \[s\], or two; its first line must name'),
        ('0,1,0,0,0\n', r'has no column time \[s\]'),
        (HEAD.replace('qy', 'q_y'), 'has no column qy'),
        (f'{HEAD},qx\n0,1,0,0,0,0\n', 'has no column qx, or two'),
        (f'{HEAD}\n', 'has no row of numbers'),
        (f'{HEAD}\n0,1,0,0\n', 'line 2 has 4 of 5 values'),
        (
            f'{HEAD}\n0,1,0,0,0\n1,1,0,zero,0\n',
            "line 3: could not convert string to float: 'zero'",
        ),
        (f'{HEAD}\n0,1,0,0,0\n\0', 'cannot be read'),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path, text, said):
    path = tmp_path / 'mine.csv'
    path.write_text(text)
    with pytest.raises(RecordingError, match=said) as caught:
        estimate_table.read(path)
    assert '\n' not in str(caught.value) and str(path) in str(caught.value)


def test_no_file_and_no_text_are_refused(tmp_path):
    with pytest.raises(RecordingError, match='is no table'):
        estimate_table.read(tmp_path / 'nowhere.csv')
    path = tmp_path / 'mine.csv'
    path.write_bytes(b'time [s],qw,qx,qy,qz\n\xff\xfe')
    with pytest.raises(RecordingError, match='cannot be read'):
        estimate_table.read(path)
