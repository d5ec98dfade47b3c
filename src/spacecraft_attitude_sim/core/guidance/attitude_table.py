# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A profile that is a table of attitudes over time.

Between rows: the cubic spline through the components of the quaternion, not-a-knot at its ends,
brought to length 1. Rate and acceleration are its derivatives: with Q the quaternion of length 1,

    ω = 2 Q* Q',        dω/dt = 2 Q* Q''

of which the vector parts count. The rate is smooth, the acceleration continuous. Rows h apart cost
an attitude of the order h⁴, a rate of h³, an acceleration of h².
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, product
from spacecraft_attitude_sim.core.mathematics.rotations import compose, conjugate, continuous
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion

# Fewest rows: a cubic that is not-a-knot needs them.
FEWEST = 4
# Largest angle from one row to the next [rad]: a quarter of a turn; beyond, the way is a guess.
LARGEST_TURN = 0.5 * math.pi
# How far the length of a quaternion may be from 1: what seven digits leave, and no more.
SLACK = 1e-3


@dataclass(frozen=True)
class AttitudeTable:
    """A Profile of attitudes over time; the constructor checks it.

    times: (n,) ascending [s];  quaternions: (n, 4) q_WR, of length 1 to 1e-3
    Raises ValueError naming the row, what is wrong with it and the remedy.
    """

    times: Array
    quaternions: Array
    _spline: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check, and fit the spline."""
        from scipy.interpolate import CubicSpline

        t = np.array(self.times, dtype=float)
        q = np.array(self.quaternions, dtype=float)
        if t.ndim != 1 or q.shape != (len(t), 4) or len(t) < FEWEST:
            raise ValueError(f'it has {len(t)} attitudes; give at least {FEWEST}')
        finite = np.isfinite(t) & np.isfinite(q).all(axis=1)
        _refuse(~finite, 'is not finite')
        _refuse((np.abs(q) > 2.0).any(axis=1), 'has a quaternion whose length is not 1')
        lengths = np.linalg.norm(q, axis=1)
        _refuse(np.abs(lengths - 1.0) > SLACK, 'has a quaternion whose length is not 1')
        _refuse(np.diff(t) <= 0.0, 'comes no later than the one before', 1)
        q = continuous(q / lengths[:, np.newaxis])
        cosines = np.abs(np.sum(q[1:] * q[:-1], axis=1))
        _refuse(
            cosines < math.cos(0.5 * LARGEST_TURN),
            'is more than a quarter of a turn from the one before; give them closer in time',
            1,
        )
        object.__setattr__(self, 'times', t)
        object.__setattr__(self, 'quaternions', q)
        object.__setattr__(self, '_spline', CubicSpline(t, q))

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s]; GuidanceError outside the table."""
        first, last = float(self.times[0]), float(self.times[-1])
        if not first <= time <= last:
            raise GuidanceError(
                f'its table is from {first:.6g} s to {last:.6g} s, and has nothing at {time:.6g} s'
            )
        value, slope, bend = (self._spline(time, order) for order in range(3))
        return _reference(value, slope, bend)


def _reference(value: Quaternion, slope: Array, bend: Array) -> Reference:
    """Return the Reference of a quaternion of any length with its two derivatives (4,)."""
    length = norm(value)
    stretch = float(product(value, slope)) / length
    growth = (float(product(slope, slope)) + float(product(value, bend)) - stretch**2) / length
    q = value / length
    first = (slope - stretch * q) / length
    second = (bend - growth * q - 2.0 * stretch * first) / length
    back = conjugate(q)
    omega = 2.0 * compose(back, first)[1:]
    alpha = 2.0 * compose(back, second)[1:]
    return Reference(q, omega, alpha)


def _refuse(bad: Any, reason: str, shift: int = 0) -> None:
    if bad.any():
        raise ValueError(f'attitude {int(np.argmax(bad)) + shift + 1} {reason}')
