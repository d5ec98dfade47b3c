# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an estimator lets in: finite numbers of a possible size, from a possible time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.estimation.replay import (
    ATTITUDE,
    CELL,
    DIRECTION,
    FIELD,
    GYROSCOPE,
)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.settings import Reading

# {kind: (how many numbers, largest magnitude of one, what they are)}
SHAPES = {
    GYROSCOPE: (3, 1e4, 'rad/s'),
    ATTITUDE: (4, 2.0, 'as a quaternion'),
    FIELD: (3, 10.0, 'T'),
    DIRECTION: (3, 1e6, 'as a direction'),
    CELL: (1, 1e9, 'lx'),
}
# Largest difference from 1 of a measured quaternion's norm; least length of a direction.
NORM_TOLERANCE, SHORTEST = 1e-3, 1e-6
# A reading of no kind of sensor is older than this [ns]: 150 years.
LATEST_NS = 2**62


def problem(reading: Reading, kind: float) -> str:
    """Return what is wrong with the numbers of a reading, or ''."""
    number, most, unit = SHAPES[kind]
    values = np.asarray(reading.values, dtype=float).tolist()
    if len(values) != number or not all([abs(value) <= most for value in values]):  # noqa: C419
        why = ''
    elif kind == ATTITUDE and not abs(math.hypot(*values) - 1.0) <= NORM_TOLERANCE:
        why = ': its norm is not 1'
    elif kind == DIRECTION and not math.hypot(*values) >= SHORTEST:
        why = ': it has no length'
    elif not 0 <= reading.time_ns <= LATEST_NS:
        return f'{reading.sensor} is stamped {1e-9 * reading.time_ns:.6g} s'
    else:
        return ''
    return f'{reading.sensor} reads {values} {unit}{why}'
