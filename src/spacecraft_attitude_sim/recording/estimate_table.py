# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read a CSV file of attitudes that some estimator told, as `attitude-sim smooth --csv` writes."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.recording import csv_file
from spacecraft_attitude_sim.recording.errors import RecordingError

if TYPE_CHECKING:
    from pathlib import Path

    from spacecraft_attitude_sim.core.mathematics.types import Array

TIME_AND_ATTITUDE = ('time [s]', 'qw', 'qx', 'qy', 'qz')
SIGMA = ('sigma_x [rad]', 'sigma_y [rad]', 'sigma_z [rad]')
# Of a day at 32 Hz, with 17 digits each.
LARGEST = 2**29


def read(path: Path) -> tuple[Array, ...]:
    """Return times (k,) [s], attitudes (k, 4) body to world, and covariances (k, 3, 3) if given.

    The covariance is that of the columns SIGMA, standard deviations about the axes of the body
    [rad]. Columns of other names do not count, and may stand anywhere.
    Raises RecordingError.
    """
    with csv_file.lines_of(path, LARGEST) as lines:
        rows = csv.reader(lines)
        names = tuple(name.strip() for name in next(rows, ()))
        if missing := [name for name in TIME_AND_ATTITUDE if names.count(name) != 1]:
            raise RecordingError(
                f'{path}: has no column {missing[0]}, or two; its first line must name '
                f'{", ".join(TIME_AND_ATTITUDE)} and, if you have them, {", ".join(SIGMA)}'
            )
        table = csv_file.table_of(rows, names, 2)
    if not len(table):
        raise RecordingError(f'{path}: has no row of numbers')
    known = table[:, [names.index(name) for name in TIME_AND_ATTITUDE]]
    if not set(SIGMA) <= set(names):
        return known[:, 0], known[:, 1:]
    sigma = table[:, [names.index(name) for name in SIGMA]]
    with np.errstate(over='ignore'):
        return known[:, 0], known[:, 1:], np.square(sigma)[:, :, np.newaxis] * np.eye(3)
