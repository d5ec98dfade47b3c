# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of merit of a closed loop: settling time, overshoot, steady-state error, torque impulse.

They hold for any error that should become zero: an attitude error as a rotation vector, or a rate.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike


# An error has settled when it stays within this share of the first one.
BAND = 0.02
# The last part of a run, which counts as its steady state.
STEADY_SHARE = 0.1


class Merit(NamedTuple):
    """Figures of merit of a response.

    settling_time: from the first instant until the error stays in the band [s]; nan where it does
        not, or only does with the last sample
    overshoot: largest error on the other side of zero, along the first error, relative to it
    steady_error: root mean square of the error's magnitude over the last tenth, in its unit
    torque_impulse: integral of |torque| [N m s];  largest_torque: of |torque| [N m]
    """

    settling_time: float
    overshoot: float
    steady_error: float
    torque_impulse: float
    largest_torque: float


def merit(time: Array, errors: Array, torques: Array, band: float = BAND) -> Merit:
    """Return the Merit of a response.

    time: (n,) equally spaced [s];  errors: (n, 3)
    torques: (n,) magnitude of the mean torque in the interval that ends at each time [N m]
    """
    sizes = np.linalg.norm(errors, axis=1)
    first = sizes[0]
    along = errors @ (errors[0] / first) if first > 0.0 else np.zeros(len(time))
    steady = sizes[-max(1, round(STEADY_SHARE * len(sizes))) :]
    return Merit(
        settling_time(time, sizes, band * first),
        max(0.0, -np.min(along) / first) if first > 0.0 else 0.0,
        math.sqrt(np.mean(steady**2)),
        float(np.sum(torques[1:] * np.diff(time))),
        float(np.max(torques)),
    )


def settling_time(time: Array, sizes: Array, band: float) -> float:
    """Return the time from the first instant until errors stay within a band [s].

    It is NaN where they do not, or only do with the last sample. Between samples an error is
    linear.

    time: (n,) [s];  sizes: (n,) of the error, NaN where it is not known, which counts as outside
    band: in the unit of the error
    """
    outside = np.flatnonzero(~(sizes <= band))
    if not outside.size:
        return 0.0
    last = outside[-1]
    if last + 2 >= len(sizes):
        return math.nan
    share = (sizes[last] - band) / (sizes[last] - sizes[last + 1])
    if not math.isfinite(share):  # the error was not known before
        share = 1.0
    return float(time[last] + share * (time[last + 1] - time[last]) - time[0])


def attitude_error(q_WR: VectorLike, q_WB: VectorLike) -> Vector3:
    """Return the rotation vector (3,) [rad] from reference to body, at most a half turn."""
    return rotations.rotation_between(q_WR, q_WB)


def attitude_errors(q_WR: Array, q_WB: Array) -> Array:
    """Return `attitude_error` of each pair of attitudes (n, 3) [rad]; NaN where one is not known.

    q_WR, q_WB: (n, 4)
    """
    conjugates = np.asarray(q_WR).T * np.array([[1.0], [-1.0], [-1.0], [-1.0]])
    w, *v = rotations.quaternion_product(*conjugates, *np.asarray(q_WB).T)
    errors = np.array(v)
    sizes = np.sqrt(np.sum(errors**2, axis=0))
    angles = 2.0 * np.arctan2(sizes, np.abs(w))
    scales = np.divide(angles, sizes, out=np.zeros_like(sizes), where=sizes != 0.0)
    return (errors * np.copysign(scales, w)).T


class ResponseLog:
    """Records a run under control; 40 bytes a sample."""

    def __init__(self) -> None:
        self._rows = array('d')

    def add(self, time: float, error: VectorLike, torque: VectorLike) -> None:
        """Add the error (3,) at a time [s] and the mean torque (3,) since the previous time."""
        self._rows.extend((time, *error, math.hypot(*torque)))

    def merit(self) -> Merit | None:
        """Return the Merit so far; None with fewer than two samples."""
        rows = np.array(self._rows).reshape(-1, 5)
        return merit(rows[:, 0], rows[:, 1:4], rows[:, 4]) if len(rows) > 1 else None
