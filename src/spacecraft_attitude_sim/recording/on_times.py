# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of a table of commands that say how long valves open."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array


class OnTimes(NamedTuple):
    """How long valves open, from the time of each row on.

    places: (k,) indices of the thrusters;  seconds: (n, k) [s];  forces: (k,) largest [N]
    windows: (k,) ticks of a pulse period, for which one command applies
    """

    places: list[int]
    seconds: Array
    forces: Array
    windows: Array

    def written(self, thrust: Array, first: Sequence[int], elapsed: int, step: float) -> Array:
        """Write the mean forces [N] of these thrusters in a tick into those of all; return them.

        A valve hears its command when a pulse period begins, at a multiple of its period. Rounded,
        that may be at the end of the tick before, so that tick has the same command.

        first: (n,) first tick of each row;  elapsed: ticks since the start;  step: of a tick [s]
        """
        valves = zip(self.places, self.windows.tolist(), strict=True)
        for k, (place, window) in enumerate(valves):
            tick = elapsed + 1 if window > 1 and (elapsed + 1) % window == 0 else elapsed
            row = bisect.bisect_right(first, tick) - 1
            if row < 0:
                continue
            begins, duration = -(-first[row] // window) * window, window * step
            left = self.seconds[row, k] - max(0, (tick - begins) // window) * duration
            thrust[place] = self.forces[k] * (min(max(left, 0.0), duration) / duration)
        return thrust
