# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When ticks are due: by a steady clock, counted from an anchor, never by adding."""

from spacecraft_attitude_sim.core.ticks import TICK_NS

# Further behind than this, a run does not hurry after the wall clock but goes on from now [ns].
LARGEST_LAG_NS = 500_000_000


class Pacer:
    """Says how many ticks are due; all times are of one steady clock [ns].

    overruns: how often the run fell behind by more than LARGEST_LAG_NS
    """

    def __init__(self):
        self.overruns = 0
        self._tick = 0
        self._time = 0
        self._period = 0.0

    def anchor(self, tick, now, real_time_factor):
        """Make `tick` fall due at `now`; the ones after it follow at the real-time factor."""
        self._tick = tick
        self._time = now
        self._period = TICK_NS / real_time_factor if real_time_factor > 0.0 else 0.0

    @property
    def period(self):
        """Wall time between ticks [ns]; 0 for as fast as possible."""
        return self._period

    def wait(self, tick, now):
        """Return how long after `now` the tick after `tick` falls due [ns]; negative when late."""
        return self._time + (tick + 1 - self._tick) * self._period - now

    def ticks_due(self, tick, now):
        """Return how many ticks after `tick` are due at `now`.

        Rounded to the nearest, so a timer that fires a moment early or late brings one tick.
        """
        if self._period == 0.0:
            return 1
        lag = now - self._time - (tick - self._tick) * self._period
        if lag - self._period > LARGEST_LAG_NS:
            self.overruns += 1
            self._tick, self._time = tick, now - self._period
            return 1
        return max(0, int(lag / self._period + 0.5))
