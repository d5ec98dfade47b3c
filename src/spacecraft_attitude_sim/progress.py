# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One line on the terminal that says how far long work is."""

import math
import shutil
import sys
import time

PERIOD = 0.25
# In a log, where every line stays [s].
LOG_PERIOD = 10.0


def in_words(seconds):
    """Return a duration in the largest unit that suits it."""
    if seconds < 100.0:
        return f'{seconds:.0f} s'
    if seconds < 6000.0:
        return f'{seconds / 60.0:.0f} min'
    return f'{seconds / 3600.0:.1f} h'


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
        self._begun = None  # when the first share of work was told, and how much it was

    def on_terminal(self):
        """Write as on a terminal where there is none, as a notebook can show it."""
        self._terminal = self._on = True
        self._period = PERIOD

    @property
    def renewed(self):
        """Whether there is a terminal, so that each text takes the place of the one before."""
        return self._terminal

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
            # A longer one would be wrapped, and its first part stay for ever.
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f'\r{text:{self._length}}', end='', file=sys.stderr, flush=True)
            self._length = len(text)

    def work(self, share, text):
        """Show a share of some work, with how long it has taken and how long it will go on.

        share: 0 to 1;  text: what is done
        """
        now = time.monotonic()
        if self._begun is None or share < self._begun[1]:
            self._begun = now, share
        elapsed, done = now - self._begun[0], share - self._begun[1]
        left = f', {in_words(elapsed / done * (1.0 - share))} left' if done > 0.0 else ''
        self.show(f'{text}: {100.0 * share:.0f} %, {in_words(elapsed)}{left}')

    def clear(self):
        """Take the line away, for what is to be printed in its place."""
        if self._length:
            print(f'\r{"":{self._length}}\r', end='', file=sys.stderr, flush=True)
            self._shown, self._length = -math.inf, 0

    def end(self):
        """Leave the line."""
        if self._length:
            print(file=sys.stderr)
