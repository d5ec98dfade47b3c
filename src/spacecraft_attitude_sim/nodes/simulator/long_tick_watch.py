# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A thread that publishes status while a tick takes long."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable

# How often to check for a long tick or a late status [s].
LOOK_SECONDS = 0.1


class LongTickWatch:
    """A thread that publishes status while a long tick blocks the timers of the main thread.

    Compiled loops let it run, and no tick waits for it.

    over: Event that ends it
    """

    def __init__(self, look: Callable[[bool], bool]) -> None:
        """Start to look.

        look: method that publishes; it takes what it returned before, False at first
        """
        self._method = weakref.WeakMethod(look)
        self.over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        seen = False
        while not self.over.wait(LOOK_SECONDS) and (look := self._method()):
            # If the other thread is changing the data, try again next time.
            with contextlib.suppress(Exception):
                seen = look(seen)
            del look
