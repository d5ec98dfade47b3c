# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Work on the bodies of a batch, shared among threads that stay."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from spacecraft_attitude_sim.safety import system

# Fewer blocks, or single bodies, times ticks are done before threads have begun.
FEW = 100
# With more shares than threads, each has so many at least: a call from Python takes 10 us, in
# which no other thread can make one.
LEAST = 1024
# Several shares for each thread balance bodies that need more sub-steps than others.
SHARES = 8


class Shares:
    """Calls a function for shares of many things, on some threads at once.

    threads: how many; None for one on every core
    """

    def __init__(self, threads: int | None) -> None:
        self.threads = threads or system.usable_cores()
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    def share(self, count: int, work: Callable[[int, int], Any], ticks: int = 1) -> None:
        """Call work(first, last) for shares of `count` things, on all threads.

        ticks: number of ticks that each of them advances
        """
        if self.threads == 1 or count * ticks < FEW:
            work(0, count)
            return
        most = max(self.threads, count * ticks // LEAST)
        shares = min(count, most, SHARES * self.threads)
        bounds = [count * k // shares for k in range(shares + 1)]
        for _ in self._threads().map(work, bounds[:-1], bounds[1:]):
            pass

    def _threads(self) -> ThreadPoolExecutor:
        """Return the threads; others after a fork, which keeps none."""
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), ThreadPoolExecutor(self.threads)
        return self._pool[1]
