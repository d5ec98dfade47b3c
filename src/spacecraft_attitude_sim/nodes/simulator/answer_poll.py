# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Take the answers of a controller in another process as soon as they come.

A wait of the executor ends with two changes of threads, while the caches of its core grow cold.
And where nothing runs on that core, Linux may put both processes on the other one.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.safety import system

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rclpy.subscription import Subscription

    from spacecraft_attitude_sim.core.simulation.run_state import RunState

# How long to look for an answer [ns]: longer than a small controller in Python takes.
PATIENCE_NS = 300_000
# After so many answers in a row that took longer, how long not to look [ns].
MOST_LATE, REST_NS = 8, 100_000_000
# A turn of other threads on this core that lasts longer [ns] tells that others need it: rest, too.
LONG_TURN_NS = 500_000
# Most answers before other callbacks run, as those of a recorder; its queues hold more ticks.
MOST_AT_ONCE = 16
# Lets the threads run that wait for this core.
let_others_run: Callable[[], None] | None = getattr(os, 'sched_yield', None)


class AnswerPoll:
    """Looks for answers without the executor, in a run in lockstep without pacing.

    It looks only where commands come by one topic: those of several topics are taken by the
    executor, in the order in which they come. In `attitude-sim run` it does not look: there the
    next tick is taken later, when all messages of its nodes have arrived.

    run: RunState;  answered: whether the current tick needs no answer any more
    """

    def __init__(self, run: RunState, answered: Callable[[], bool]) -> None:
        self._run, self._answered = run, answered
        self.subscriptions: list[Subscription[Any]] = []
        self._looking = False
        self._late, self._rests_until = 0, 0

    def look(self, awaited: Collection[str]) -> None:
        """Take answers while they come soon; awaited: the topics whose commands a tick waits for.

        Call it when an answer has been taken. The callback of the next one calls it, too, and
        then it does nothing.
        """
        if self._looking or not self._pays():
            return
        if not (subscription := self._only_one_heard(awaited)):
            return
        self._looking = True
        try:
            for _ in range(MOST_AT_ONCE):
                if not (self._waits() and self._take(subscription)):
                    return
        finally:
            self._looking = False

    def _pays(self) -> bool:
        """Return whether looking may be faster than waiting."""
        return (
            let_others_run is not None
            and self._waits()
            and time.monotonic_ns() >= self._rests_until
            and system.usable_cores() > 1
        )

    def _waits(self) -> bool:
        run = self._run
        return not run.pacer.period and run.running and not self._answered()

    def _only_one_heard(self, awaited: Collection[str]) -> Subscription[Any] | None:
        """Return the only subscription with a publisher, if its commands are awaited, or None."""
        heard = [each for each in self.subscriptions if each.handle.get_publisher_count()]
        return heard[0] if len(heard) == 1 and heard[0].topic_name in awaited else None

    def _take(self, subscription: Subscription[Any]) -> bool:
        """Take one answer; return whether it came soon."""
        handle, now = subscription.handle, time.monotonic_ns()
        until = now + PATIENCE_NS
        with handle:
            while not (message := handle.take_message(subscription.msg_type, subscription.raw)):
                before = now
                let_others_run()  # type: ignore[misc]  # `_pays` asks whether it is there
                now = time.monotonic_ns()
                if now > until:
                    self._count_late(others_want_it=now - before > LONG_TURN_NS)
                    return False
        self._late = 0
        callback: Any = subscription.callback
        callback(*message)
        return True

    def _count_late(self, others_want_it: bool) -> None:
        self._late += 1
        if self._late >= MOST_LATE or others_want_it:
            self._late, self._rests_until = 0, time.monotonic_ns() + REST_NS
