# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One line on the terminal that says how far long work is."""

import sys
import time

PERIOD = 0.25


class ProgressLine:
    """Renews a line on standard error a few times a second; silent where there is no terminal."""

    def __init__(self):
        self._on = sys.stderr.isatty()
        self._shown = 0.0
        self._length = 0

    def due(self):
        """Return whether the line is old enough to be renewed."""
        return self._on and time.monotonic() - self._shown >= PERIOD

    def show(self, text):
        """Show the text, unless the line was renewed a moment ago."""
        if self.due():
            self._shown = time.monotonic()
            print(f'\r{text:{self._length}}', end='', file=sys.stderr, flush=True)
            self._length = len(text)

    def end(self):
        """Leave the line."""
        if self._length:
            print(file=sys.stderr)
