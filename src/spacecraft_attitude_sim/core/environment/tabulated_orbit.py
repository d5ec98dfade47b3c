# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An orbit that somebody else computed: times, positions and velocities.

Between two rows by the cubic Hermite polynomial of both. Rows as far apart as LARGEST_ARC allows
cost 2 m in a low orbit; a tenth of that, 0.2 mm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER, RADIUS
from spacecraft_attitude_sim.core.environment.orbit_table import AFTER, BEFORE, STEP

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3

# Largest angle about the Earth from one row to the next [rad].
LARGEST_ARC = 0.1
# How far velocities may be from what positions do, in parts of the speed: a hundredth of that is
# left over between two rows, and 6 % would be that of the ground.
SLACK = 0.01
# How far what velocities do may be from gravity, in its parts, at most rows: J2 and the Moon are
# below 0.002, axes of the turning Earth make 0.07 and more over a radian. Looked at over such an
# arc, so that digits left out do not count, and below so many metres, where the Earth's gravity
# leads.
GRAVITY_SLACK, GRAVITY_ARC, GRAVITY_ENDS = 0.06, 0.02, 1e8


@dataclass(frozen=True)
class TabulatedOrbit:
    """Rows of an orbit; checks itself.

    times: (n,) since the epoch, ascending [s];  positions_W, velocities_W: (n, 3) from the Earth's
        centre [m, m/s], axes of the GCRF
    Raises ValueError naming the row, what is wrong with it and the remedy.
    """

    times: Array
    positions_W: Vectors3
    velocities_W: Vectors3
    exact = False

    def __post_init__(self) -> None:
        """Check."""
        for name in ('times', 'positions_W', 'velocities_W'):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=float))
        t, r, v = self.times, self.positions_W, self.velocities_W
        if t.ndim != 1 or len(t) < 2 or r.shape != (len(t), 3) or v.shape != r.shape:
            raise ValueError(
                f'the table of the orbit has {t.shape} times, {r.shape} positions and {v.shape} '
                'velocities; give two rows or more, each with three of both'
            )
        finite = np.isfinite(t) & np.isfinite(r).all(axis=1) & np.isfinite(v).all(axis=1)
        self._refuse(~finite, 'is not finite; leave it out')
        away = np.linalg.norm(r, axis=1)
        self._refuse(
            away < RADIUS,
            lambda k: (
                f'is {away[k]:.8g} m from the centre of the Earth, below its ground; '
                'positions are in metres'
            ),
        )
        step = np.diff(t)
        self._refuse(
            step <= 0.0, lambda k: f'comes no later than the row before, {t[k - 1]:g} s', 1
        )
        arc = step * np.maximum(*_pairs(np.linalg.norm(v, axis=1) / away))
        self._refuse(
            arc > LARGEST_ARC,
            lambda k: (
                f'is {step[k - 1]:g} s after the row before, {arc[k - 1]:.2g} rad of an '
                f'orbit; rows must be at most {LARGEST_ARC:g} rad apart, a minute in a low one'
            ),
            1,
        )
        mean = 0.5 * np.add(*_pairs(v))
        left = np.linalg.norm(np.diff(r, axis=0) - step[:, np.newaxis] * mean, axis=1)
        speed = np.maximum(*_pairs(np.linalg.norm(v, axis=1)))
        self._refuse(
            left > SLACK * step * speed,
            lambda k: (
                f'is {left[k - 1]:.3g} m from where the velocities lead; they must be '
                'inertial, in m/s, and those of the positions'
            ),
            1,
        )

        self._check_gravity(away)

    def _check_gravity(self, away: Array) -> None:
        """Raise ValueError where most of it is no orbit about the Earth; away: radii (n,) [m]."""
        t, r, v = self.times, self.positions_W, self.velocities_W
        rate = np.sqrt(GRAVITATIONAL_PARAMETER / away[1:] ** 3)
        apart = max(1, round(GRAVITY_ARC / float(np.median(rate * np.diff(t)))))
        if len(t) <= apart:
            return
        step = (t[apart:] - t[:-apart])[:, np.newaxis]
        pull = -GRAVITATIONAL_PARAMETER * (r / away[:, np.newaxis] ** 3)
        pull = 0.5 * (pull[apart:] + pull[:-apart])
        size = np.linalg.norm(pull, axis=1)
        left = np.linalg.norm((v[apart:] - v[:-apart]) / step - pull, axis=1) / size
        left = left[away[apart:] < GRAVITY_ENDS]
        if len(left) and (off := float(np.median(left))) > GRAVITY_SLACK:
            raise ValueError(
                f'the velocities change by another {100.0 * off:.2g} % of gravity than an orbit '
                'about the Earth; give them in axes that do not turn with it (GCRF), in seconds '
                'and m/s'
            )

    def _refuse(self, bad: Any, reason: object, shift: int = 0) -> None:
        if not bad.any():
            return
        k = int(np.argmax(bad)) + shift
        said = reason(k) if callable(reason) else reason
        raise ValueError(f'row {k + 1} of the orbit, at {self.times[k]:g} s, {said}')

    def states_W(self, epoch: Epoch, times: Array) -> Array:
        """Return position and velocity (n, 6) at times (n,) [s]; NaN where nothing is known.

        The last polynomial goes on for the nodes beyond the last row, the first before the first.
        """
        t, known = np.asarray(times, dtype=float), self.times
        k = np.clip(np.searchsorted(known, t, side='right') - 1, 0, len(known) - 2)
        h = (known[k + 1] - known[k])[:, np.newaxis]
        s = (t - known[k])[:, np.newaxis] / h
        r0, v0, v1 = self.positions_W[k], self.velocities_W[k], self.velocities_W[k + 1]
        chord = self.positions_W[k + 1] - r0
        u = 1.0 - s
        position = r0 + s * s * (3.0 - 2.0 * s) * chord + h * s * u * (u * v0 - s * v1)
        velocity = 6.0 * s * u * chord / h + u * (1.0 - 3.0 * s) * v0 + s * (3.0 * s - 2.0) * v1
        states = np.concatenate((position, velocity), axis=1)
        beyond = (t < known[0] - BEFORE * STEP) | (t > known[-1] + AFTER * STEP)
        states[beyond] = math.nan
        return states

    def check(self, epoch: Epoch, begin: float, end: float) -> None:
        """Raise ValueError unless the rows cover the time from one to the other [s]."""
        first, last = float(self.times[0]), float(self.times[-1])
        if not first <= begin <= end <= last:
            raise ValueError(
                f'the table of the orbit is from {first:g} s to {last:g} s after the epoch, and '
                f'the run from {begin:g} s to {end:g} s; give rows for all of it'
            )


def _pairs(values: Array) -> tuple[Array, Array]:
    return values[:-1], values[1:]
