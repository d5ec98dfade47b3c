# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a run: started, paused, stepped, reset, waiting or over."""

from __future__ import annotations

import math
from collections.abc import Callable

from spacecraft_attitude_sim.core.simulation.pacing import LONGEST_PERIOD_NS, Pacer
from spacecraft_attitude_sim.core.ticks import DEFAULT, LAST_SECOND, NANOSECONDS, Ticks


class NotNowError(ValueError):
    """The run cannot do that in its present state; the text says why, and the remedy."""


class RunState:
    """The state of a run; all spacecraft that tick together share one.

    It has no states of motion and no clock: `now` is the time of a steady clock [ns].

    ticks: Ticks, the same of all spacecraft
    duration: simulated time after which the run is over [s]; 0 for never
    rate: real-time factor; 0 for as fast as possible
    tick: the present one;  first_tick: that of the initial state, since the start or last reset
    halted: why the run paused by itself, or '';  failure: the error that ended it, or ''
    answers: in lockstep, one function of each spacecraft that returns whether its controllers
        have answered the present tick; empty without lockstep
    """

    def __init__(
        self,
        duration: float = 0.0,
        rate: float = 1.0,
        paused: bool = False,
        ticks: Ticks = DEFAULT,
    ) -> None:
        self.ticks = ticks
        self.rate = rate
        self.paused = paused
        self.started = self.quitting = self.reset_asked = False
        self.halted = self.failure = ''
        self.tick = self.first_tick = 0
        self.answers: list[Callable[[], bool]] = []
        self.pacer = Pacer(ticks.tick_ns)
        # The last tick that a ROS time stamp can represent.
        self._last = ticks.at_stamp(LAST_SECOND * NANOSECONDS)
        self._length = ticks.covering(duration) or math.inf

    # --- queries ------------------------------------------------------------------------------

    @property
    def elapsed(self) -> int:
        """Ticks since the start or the last reset."""
        return self.tick - self.first_tick

    @property
    def left(self) -> float:
        """Ticks until the duration is over, or until ROS has no stamp for one."""
        return min(self._length - self.elapsed, self._last - self.tick)

    @property
    def completed(self) -> bool:
        """Whether the duration has been simulated."""
        return self.elapsed >= self._length

    @property
    def finished(self) -> bool:
        """Whether the run is over: it was quit, failed or completed, and not reset since."""
        if self.reset_asked:
            return self.quitting
        return self.quitting or bool(self.failure) or self.completed

    @property
    def running(self) -> bool:
        """Whether ticks follow without steps by hand, apart from waiting for answers."""
        return self.started and not self.paused and not self.finished

    @property
    def lockstep(self) -> bool:
        """Whether ticks wait for answers."""
        return bool(self.answers)

    @property
    def answered(self) -> bool:
        """Whether all controllers have answered the present tick."""
        # No all(…), for speed: a run in lockstep calls this four times a tick.
        for answered in self.answers:  # noqa: SIM110
            if not answered():
                return False
        return True

    @property
    def may_tick(self) -> bool:
        """Whether the next tick may be taken when it is due."""
        return self.running and self.answered

    def due(self, now: int) -> bool:
        """Return whether the next tick is due."""
        return self.pacer.ticks_due(self.tick, now) > 0

    def check_step(self) -> None:
        """Raise NotNowError unless a tick may be taken by hand."""
        if not self.started:
            raise NotNowError('not stepped: not started yet')
        if not self.paused:
            raise NotNowError('not stepped: running; call ~/pause first')
        if self.finished:
            raise NotNowError('not stepped further: the run is over')

    @property
    def timer_period(self) -> int:
        """Period at which to check whether a tick is due [ns], without a fixed phase."""
        driven_by_answers = self.lockstep and self.pacer.period == 0.0 and not self.answered
        if not self.running or driven_by_answers:
            return LONGEST_PERIOD_NS
        return int(min(self.pacer.period, LONGEST_PERIOD_NS))

    def timer_period_in_step(self, now: int, until: int) -> int:
        """Return the period at which to check, so that the next tick is taken when it is due [ns].

        until: time from `now` to the timer's next firing [ns]
        """
        if not self.pacer.period:
            return self.timer_period
        return self.pacer.timer_period(self.tick, now, until)

    # --- events -------------------------------------------------------------------------------

    def start(self, now: int) -> None:
        """Begin with the initial state."""
        self.started = True
        self.anchor(now)

    def anchor(self, now: int) -> None:
        """Make the present tick due now, and the following ones at the rate."""
        self.pacer.anchor(self.tick, now, self.rate)

    def change_rate(self, rate: float, now: int) -> None:
        """Go on at another real-time factor."""
        self.rate = rate
        self.anchor(now)

    def pause(self) -> None:
        """Pause: only steps by hand take ticks."""
        self.paused = True

    def halt(self, reason: str) -> None:
        """Pause because an answer did not come; reason: text."""
        self.paused, self.halted = True, reason

    def resume(self, now: int) -> None:
        """Go on from the present tick."""
        self.paused, self.halted = False, ''
        self.anchor(now)

    def reset(self, now: int) -> None:
        """Request the initial state for the next tick; also after the end of the run.

        Raises NotNowError where the run was quit.
        """
        if self.quitting:
            raise NotNowError('not reset: the run is over')
        if self.finished:
            self.anchor(now)
        self.reset_asked = True

    def take_reset(self) -> bool:
        """Return whether a reset was requested, and clear the request and any failure."""
        asked, self.reset_asked = self.reset_asked, False
        if asked:
            self.failure = ''
        return asked

    def check_time(self) -> None:
        """Raise NotNowError where a ROS time stamp cannot represent the next tick."""
        if self.tick >= self._last:
            raise NotNowError(
                f'simulated time is {self.ticks.seconds(self.tick):.0f} s, and ROS has no stamp '
                'beyond 2^31 s; start another run'
            )

    def take_tick(self, initial: bool = False) -> None:
        """Count a tick; initial: whether its state is the initial one."""
        self.tick += 1
        if initial:
            self.first_tick = self.tick

    def fail(self, problem: str) -> None:
        """End the run with an error."""
        self.failure = problem

    def complete(self) -> None:
        """End the run here, as after its duration."""
        self._length = self.elapsed

    def quit(self) -> None:
        """End the run for good."""
        self.paused = self.quitting = True
