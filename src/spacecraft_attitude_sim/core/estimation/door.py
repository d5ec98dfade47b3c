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
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.settings import Reading
    from spacecraft_attitude_sim.core.mathematics.types import Floats

# {kind: (how many numbers, largest magnitude of one, what they are)}
SHAPES = {
    GYROSCOPE: (3, 1e4, 'rad/s'),
    ATTITUDE: (4, 2.0, 'as a quaternion'),
    FIELD: (3, 10.0, 'T'),
    DIRECTION: (3, 1e6, 'as a direction'),
    CELL: (1, 1e9, 'lx'),
}
LARGEST = tuple(SHAPES[kind][1] for kind in sorted(SHAPES))  # by kind
# Largest difference from 1 of a measured quaternion's norm; least length of a direction.
NORM_TOLERANCE, SHORTEST = 1e-3, 1e-6
# A reading of no kind of sensor is older than this [ns]: 150 years.
LATEST_NS = 2**62
# What may be wrong with numbers.
NOTHING, SIZE, NORM, LENGTH = 0, 1, 2, 3
WHY = {SIZE: '', NORM: ': its norm is not 1', LENGTH: ': it has no length'}


@part
def flaw(kind: float, values: Floats) -> int:
    """Return what is wrong with the numbers of a reading, or NOTHING.

    kind: of replay;  values: four floats, zeros behind those that the sensor reads
    """
    a, b, c, d = values
    most = LARGEST[int(kind)]
    if not (abs(a) <= most and abs(b) <= most and abs(c) <= most and abs(d) <= most):
        return SIZE
    size = math.sqrt(a * a + b * b + c * c + d * d)
    if kind == ATTITUDE and not abs(size - 1.0) <= NORM_TOLERANCE:
        return NORM
    if kind == DIRECTION and not size >= SHORTEST:
        return LENGTH
    return NOTHING


def problem(reading: Reading, kind: float) -> str:
    """Return what is wrong with the numbers of a reading, or ''."""
    number, _, unit = SHAPES[kind]
    values = np.asarray(reading.values, dtype=float).tolist()
    wrong = SIZE
    if len(values) == number:
        wrong = flaw(kind, (*values, *(0.0,) * (4 - number)))
    if wrong != NOTHING:
        return f'{reading.sensor} reads {values} {unit}{WHY[wrong]}'
    if not 0 <= reading.time_ns <= LATEST_NS:
        return f'{reading.sensor} is stamped {1e-9 * reading.time_ns:.6g} s'
    return ''
