# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment along one spacecraft's orbit through a run, computed as the run needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.orbit_table import (
    AROUND_SIZE,
    around_at,
    place_and_field_at,
)
from spacecraft_attitude_sim.core.environment.sky import (
    BEGIN,
    INSTANTS,
    WHOLE,
    fill,
    ticks_in_span,
)
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import compiled, helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index, pointer_to

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.environment.orbit_table import OrbitTable
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Of the orbit that is known at a time [s]: a table holds so much, and half of it again before. At
# first it holds less: then Python computes the nodes, and many runs are short.
SPAN, AT_FIRST = 3600.0, 600.0


class Surroundings:
    """An orbit about the Earth and its environment; nodes are kept while they are needed.

    table: OrbitTable;  parameter: μ of the Earth [m^3/s^2]
    begins: UTC at which its time is 0 [ns since 1970]
    epoch: Epoch, None where it is not recorded
    exact: whether epoch and parameters reproduce the table to the bit
    older: how the version of its recording computed it otherwise; '' where it did not
    The nodes do not depend on the order of requests, so several spacecraft may share this.
    """

    def __init__(
        self, table: OrbitTable, parameter: float, begins: int = 0, epoch: Epoch | None = None,
        *, exact: bool = True, older: str = '',
    ) -> None:  # fmt: skip
        self.parameter, self.begins = parameter, begins
        self.epoch, self.exact, self.older = epoch, exact, older
        self._table = table
        self._begin, self._end = np.inf, -np.inf
        self._flat: Array = np.zeros(0)
        self._last: tuple[float, Array] = (np.nan, np.zeros(0))

    def flat(self, begin: float, end: float) -> Array:
        """Return the flat table that covers times from begin to end [s].

        Raises ValueError where the orbit is not known.
        """
        if not self._begin <= begin <= end <= self._end:
            ahead = SPAN if self._flat.size else AT_FIRST
            covered = max(0.0, begin - SPAN / 2.0), end + ahead
            try:
                self._flat = self._table.covering(*covered)
            except ValueError:  # the orbit may be known for the requested times only
                covered = begin, end
                self._flat = self._table.covering(begin, end)
            self._begin, self._end = covered  # not before: any call may fail
        return self._flat

    def check(self, begin: float, end: float) -> None:
        """Raise ValueError unless the orbit is known from begin to end [s]."""
        self._table.check(begin, end)

    def kept(self, begin: float, end: float) -> Array:
        """Return the flat table from begin to end [s] only; raises as `flat`."""
        return self._table.covering(begin, end)

    def at(self, time: float) -> Array:
        """Return AROUND (25,), the environment at a time [s]; do not change it."""
        if self._last[0] != time:
            found = np.empty(AROUND_SIZE)
            _at(self.flat(time, time), time, found)
            self._last = time, found
        return self._last[1]

    def skies(self, constant: Array, ticks: range, tick_ns: int) -> Array:
        """Return (70 n,) of core.environment.sky, of each of n ticks, one after the other.

        constant: (70,), their constant part;  ticks: since the start;  tick_ns: of one [ns]
        Raises ValueError where the orbit is not known.
        """
        # For one tick `tile` would take longer than all the rest.
        skies = constant.copy() if len(ticks) == 1 else np.tile(constant, len(ticks))
        begin, end = seconds_of(ticks.start, tick_ns), seconds_of(ticks.stop, tick_ns)
        _draw_skies(self.flat(begin, end), skies, ticks.start, tick_ns, len(ticks))
        return skies


@compiled
def _at(table: Array, time: float, out: Array) -> None:
    around_at(table, time, out)


@compiled
def _draw_skies(table: Array, skies: Array, first: int, tick_ns: int, count: int) -> None:
    size = len(skies) // count
    for k in range(count):
        sky = skies[k * size : (k + 1) * size]
        if k > 0:
            for j in range(size):
                sky[j] = skies[(k - 1) * size + j]
        draw_sky(table, sky, first + k, tick_ns)


@part
def draw_sky(table: Array, sky: Array, tick: int, tick_ns: int) -> None:
    """Let a sky be that of a tick: fit it anew unless it is of the tick's span already.

    table: flat, of core.environment.orbit_table;  sky: (70,) with its constant part
    tick: since the start;  tick_ns: of one [ns], always the same for one sky
    """
    begin = span_begin(tick, tick_ns)
    if sky[BEGIN] != begin:
        fit_sky(table, sky, begin, seconds_of(ticks_in_span(tick_ns), tick_ns))


@helper
def span_begin(tick: int, tick_ns: int) -> float:
    """Return when the span of a tick begins [s]; arguments as `draw_sky`.

    A loop of ticks compares it with the sky's before it calls `draw_sky`: each call with arrays
    counts references.
    """
    ticks = ticks_in_span(tick_ns)
    return seconds_of(tick // ticks * ticks, tick_ns)


@part
def fit_sky(table: Array, sky: Array, begin: float, step: float) -> None:
    """Fit the sky's polynomials for a span of `step` seconds from a flat table.

    Air and sunlight are left out where nothing needs them: see SKY.
    """
    room = np.zeros(INSTANTS * AROUND_SIZE)
    seen, flat, fitted = pointer_to(room), pointer_to(table), pointer_to(sky)
    for k in range(INSTANTS):
        here = from_index(seen, k * AROUND_SIZE)
        time = begin + step * (k / (INSTANTS - 1))
        if sky[WHOLE] > 0.0:
            around_at(flat, time, here)
        else:
            place_and_field_at(flat, time, here)
    fill(fitted, begin, step, seen)
    room[0] = 0.0  # keeps it alive until here
