# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When ticks are due: counted on a steady clock from an anchor, so that no error adds up."""

from spacecraft_attitude_sim.core.ticks import TICK_NS

# A run that is farther behind than this does not catch up: it goes on from now [ns].
LARGEST_LAG_NS = 500_000_000
# A timer that fires this close to a tick's due time counts as in step [ns].
IN_STEP_NS = 2_000_000
# Longest period of the timer: a change of rate takes effect within it [ns].
LONGEST_PERIOD_NS = 100_000_000
# A run that is behind checks for the next tick this many times in each period of ticks.
HURRY = 8


class Pacer:
    """Says how many ticks are due; all times are of one steady clock [ns].

    tick_ns: simulated time of a tick [ns]
    overruns: how often the run fell behind by more than LARGEST_LAG_NS
    """

    def __init__(self, tick_ns: int = TICK_NS) -> None:
        self.overruns = 0
        self._tick_ns = tick_ns
        self._tick = 0
        self._time = 0.0
        self._period = 0.0

    def anchor(self, tick: int, now: int, real_time_factor: float) -> None:
        """Make `tick` due at `now`; the ticks after it follow at the real-time factor."""
        self._tick = tick
        self._time = now
        self._period = self._tick_ns / real_time_factor if real_time_factor > 0.0 else 0.0

    @property
    def period(self) -> float:
        """Wall time between ticks [ns]; 0 for as fast as possible."""
        return self._period

    def wait(self, tick: int, now: int) -> float:
        """Return the time from `now` until the tick after `tick` is due [ns]; negative if late."""
        return self._time + (tick + 1 - self._tick) * self._period - now

    def ticks_due(self, tick: int, now: int) -> int:
        """Return the number of ticks after `tick` that are due at `now`.

        It is rounded, so a timer that fires a moment early takes its tick.
        """
        if self._period == 0.0:
            return 1
        lag = now - self._time - (tick - self._tick) * self._period
        if lag - self._period > LARGEST_LAG_NS:
            self.overruns += 1
            self._tick, self._time = tick, now - self._period
            return 1
        return max(0, int((lag + self._early) / self._period))

    def timer_period(self, tick: int, now: int, until: int) -> int:
        """Return the period that a timer should have between its next two firings [ns].

        until: time from `now` to the timer's next firing [ns], which cannot be changed any more

        The timer is kept in step by its period alone. Resetting it would be quicker, but rclpy's
        EventsExecutor calls a ready timer once more for each reset of any timer, whether it is due
        or not, and a starved node would never rest again.
        """
        if self._period == 0.0:
            return 0
        wait = self.wait(tick, now)
        if abs(wait - until) <= self._early and self._period <= LONGEST_PERIOD_NS:
            return int(self._period)
        if wait > until + self._early:  # it fires too early for the next tick
            period = wait - until
        else:  # it takes the next tick; the period decides when it takes the one after
            period = max(wait + self._period - until, self._period / HURRY)
        return int(min(period, LONGEST_PERIOD_NS))

    @property
    def _early(self) -> float:
        """How far from its due time a timer may fire and count as in step [ns]."""
        return min(IN_STEP_NS, self._period / 4)
