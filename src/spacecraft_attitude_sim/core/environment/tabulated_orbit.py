# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An orbit given as a table: times, positions and velocities.

Between two rows: Hermite's polynomial through four rows, two on either side, with their
velocities, of seventh degree. Rows as far apart as LARGEST_ARC allows cost 1e-6 m in a low orbit.
With fewer than four rows, or uneven distances: the polynomial through two rows, of third degree;
it costs 2 m there, and 0.2 mm at a tenth of the arc. Digits missing in the rows are missing
between them, too. A message that says how it is interpolated is interpolated so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER, RADIUS
from spacecraft_attitude_sim.core.environment.orbit_table import AHEAD, BEFORE, STEP
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3

# Largest angle about the Earth from one row to the next [rad].
LARGEST_ARC = 0.1
# Time in which a low orbit turns by a radian [s].
LOW_ORBIT = 900.0
# Four rows are used where their largest distance is less than this many times the smallest.
EVEN = 3.0
# Time between the rows from which the orbit is extrapolated beyond the last one [s].
APART = 20.0
# Largest difference between the given velocities and the slope of the positions, relative to the
# speed. Interpolation leaves a hundredth of it; the ground's velocity would be 6 %.
SLACK = 0.01
# Largest difference between the slope of the velocities and gravity, relative to gravity, at most
# rows: J2 and the Moon are below 0.002; Earth-fixed axes would give 0.07 and more over a radian.
# It is checked over such an arc [rad], so that missing digits do not count, and below such a
# distance [m], where the Earth's gravity dominates.
GRAVITY_SLACK, GRAVITY_ARC, GRAVITY_ENDS = 0.06, 0.02, 1e8


class Interpolation(NamedTuple):
    """How a table is interpolated: by the polynomial through some rows about the time.

    hermite: whether velocities are slopes of it; else positions and velocities have each their own
    nodes: how many rows it goes through
    """

    hermite: bool
    nodes: int


@dataclass(frozen=True)
class TabulatedOrbit:
    """A table of an orbit; the constructor checks it.

    times: (n,) since the epoch, ascending [s];  positions_W, velocities_W: (n, 3) from the Earth's
        centre [m, m/s], axes of the GCRF
    interpolation: Interpolation of all times between its ends; None for the one above
    largest_arc: largest angle about the Earth from one row to the next [rad]
    useable: first and last time at which it may be used [s]; None for those of the rows
    Raises ValueError naming the row, what is wrong with it and the remedy.
    """

    times: Array
    positions_W: Vectors3
    velocities_W: Vectors3
    interpolation: Interpolation | None = None
    largest_arc: float = LARGEST_ARC
    useable: tuple[float, float] | None = None
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
            arc > self.largest_arc,
            lambda k: (
                f'is {step[k - 1]:g} s after the row before, {arc[k - 1]:.2g} rad of an '
                f'orbit; rows must be at most {self.largest_arc:g} rad apart, '
                f'{LOW_ORBIT * self.largest_arc:.0f} s in a low one'
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

        Nodes before the first row and beyond the last one are extrapolated by a polynomial.
        """
        t, known = np.asarray(times, dtype=float), self.times
        states, rows = np.full((len(t), 6), math.nan), len(known)
        k = np.clip(np.searchsorted(known, t, side='right') - 1, 0, rows - 2)
        first = np.clip(k - 1, 0, max(rows - 4, 0))
        even = np.zeros(len(t), dtype=bool)
        if rows >= 4:
            gaps = np.diff(known)[first[:, np.newaxis] + np.arange(3)]
            even = gaps.max(axis=1) < EVEN * gaps.min(axis=1)
        before, after = t < known[0], t > known[-1]
        within = ~(before | after)
        if self.interpolation:
            nodes = self.interpolation.nodes
            first = np.clip(k - (nodes // 2 - 1), 0, rows - nodes)
            own = first[:, np.newaxis] + np.arange(nodes)
            self._put(states, t, within, own, hermite=self.interpolation.hermite)
        else:
            self._put(states, t, within & even, first[:, np.newaxis] + np.arange(4))
            self._put(states, t, within & ~even, k[:, np.newaxis] + np.arange(2))
        self._put(states, t, before & (t >= known[0] - BEFORE * STEP), self._ends(1))
        self._put(states, t, after & (t <= known[-1] + AHEAD), self._ends(-1))
        return states

    def _ends(self, way: int) -> Any:
        """Return the indices (m,) of up to four rows from one end, APART; way: 1 or -1."""
        numbers = np.arange(len(self.times))[::way]
        chosen = [numbers[0]]
        for number in numbers[1:]:
            if len(chosen) == 4:
                break
            if abs(self.times[number] - self.times[chosen[-1]]) >= APART:
                chosen.append(number)
        return np.array(chosen if len(chosen) > 1 else [numbers[0], numbers[-1]])

    def _put(
        self, states: Array, times: Array, where: Array, rows: Any, hermite: bool = True
    ) -> None:
        """Write Hermite's or Lagrange's polynomials to some states.

        where: (n,) mask of the states;  rows: (n, m) or (m,) indices of the rows of the polynomial
        """
        if not where.any():
            return
        rows = np.broadcast_to(rows, (len(times), rows.shape[-1]))[where]
        # Time since the first row over the time to the last one.
        origin = self.times[rows[:, :1]]
        span = self.times[rows[:, -1:]] - origin
        knots, x = (self.times[rows] - origin) / span, (times[where, np.newaxis] - origin) / span
        r0 = self.positions_W[rows[:, 0]]
        position, velocity = np.zeros_like(r0), np.zeros_like(r0)
        for i in range(rows.shape[1]):
            others = np.delete(knots, i, axis=1)
            mine = knots[:, i : i + 1]
            # Lagrange's weight, its slope, and the slope at its own row.
            factors = (x - others) / (mine - others)
            weight = factors.prod(axis=1, keepdims=True)
            chord, moving = self.positions_W[rows[:, i]] - r0, span * self.velocities_W[rows[:, i]]
            if not hermite:
                position += weight * chord
                velocity += weight * moving
                continue
            slope = sum(
                np.delete(factors, j, axis=1).prod(axis=1, keepdims=True)
                / (mine - others[:, j : j + 1])
                for j in range(others.shape[1])
            )
            steep = (1.0 / (mine - others)).sum(axis=1, keepdims=True)
            u = x - mine
            own = 1.0 - 2.0 * steep * u
            position += weight**2 * (own * chord + u * moving)
            velocity += 2.0 * weight * slope * (own * chord + u * moving)
            velocity += weight**2 * (moving - 2.0 * steep * chord)
        states[where] = np.concatenate((r0 + position, velocity / span), axis=1)

    def check(self, epoch: Epoch, begin: float, end: float) -> None:
        """Raise ValueError unless the rows cover the time from begin to end [s]."""
        first, last = self.useable or (float(self.times[0]), float(self.times[-1]))
        first, last = max(first, float(self.times[0])), min(last, float(self.times[-1]))
        if not first <= begin <= end <= last:
            raise ValueError(
                f'the table of the orbit is from {first:g} s to {last:g} s after the epoch, and '
                f'the run from {begin:g} s to {end:g} s; give rows for all of it'
            )


def _pairs(values: Array) -> tuple[Array, Array]:
    return values[:-1], values[1:]
