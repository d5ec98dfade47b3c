# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One line on the terminal that says how far long work is."""

import math
import sys
import time

PERIOD = 0.25
# In a log, where every line stays [s].
LOG_PERIOD = 10.0


class ProgressLine:
    """Renews a line on standard error a few times a second; silent where there is no terminal.

    logged: where there is none, write a line now and then
    """

    def __init__(self, logged=False):
        self._terminal = sys.stderr.isatty()
        self._on = self._terminal or logged
        self._period = PERIOD if self._terminal else LOG_PERIOD
        self._shown = -math.inf
        self._length = 0

    def due(self):
        """Return whether the line is old enough to be renewed."""
        return self._on and time.monotonic() - self._shown >= self._period

    def show(self, text):
        """Show the text, unless the line was renewed a moment ago."""
        if self.due():
            self._shown = time.monotonic()
            if not self._terminal:
                print(text, file=sys.stderr, flush=True)
                return
            print(f'\r{text:{self._length}}', end='', file=sys.stderr, flush=True)
            self._length = len(text)

    def end(self):
        """Leave the line."""
        if self._length:
            print(file=sys.stderr)
