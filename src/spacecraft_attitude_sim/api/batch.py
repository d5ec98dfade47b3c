# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The Batch of the front door: that of core, which also says what a call waits for."""

from __future__ import annotations

import functools
from typing import Any

from spacecraft_attitude_sim.api.waiting import Waiting, saying
from spacecraft_attitude_sim.core.batch import batch

# Fewer ticks, times bodies, take less than a thread that watches them.
FEW = 10_000


class Batch(batch.Batch):  # noqa: D101 (its docstring is that of core)
    __doc__ = batch.Batch.__doc__

    def __init__(self, *given: Any, **more: Any) -> None:
        with Waiting():
            super().__init__(*given, **more)

    def advance(self, ticks: int = 1) -> None:
        """Advance every body by a number of ticks.

        Raises ValueError where the orbit of a body is not known for this time, or a law fails.
        After an error in a compiled law, bodies are at different ticks.
        """
        if self.count * ticks < FEW:
            super().advance(ticks)
            return
        with saying(f'advancing {self.count} bodies by {ticks} ticks'):
            super().advance(ticks)


# help shows the arguments of core's.
functools.update_wrapper(Batch.__init__, batch.Batch.__init__)
