# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A progress line on the terminal for long work."""

import math
import shutil
import sys
import time

PERIOD = 0.25
# Interval of lines in a log, where every line stays [s].
LOG_PERIOD = 10.0


def in_words(seconds):
    """Return a duration as text in a suitable unit."""
    if seconds < 100.0:
        return f'{seconds:.0f} s'
    if seconds < 6000.0:
        return f'{seconds / 60.0:.0f} min'
    return f'{seconds / 3600.0:.1f} h'


class ProgressLine:
    """Updates a line on standard error a few times a second; silent without a terminal.

    logged: whether to write a line now and then without a terminal
    """

    def __init__(self, logged=False):
        self._terminal = sys.stderr.isatty()
        self._on = self._terminal or logged
        self._period = PERIOD if self._terminal else LOG_PERIOD
        self._shown = -math.inf
        self._length = 0
        self._begun = None  # time and value of the first share of work

    def on_terminal(self):
        """Write as on a terminal even without one, for example in a notebook."""
        self._terminal = self._on = True
        self._period = PERIOD

    @property
    def renewed(self):
        """Whether there is a terminal, so that each text replaces the previous one."""
        return self._terminal

    def due(self):
        """Return whether the line is due for an update."""
        return self._on and time.monotonic() - self._shown >= self._period

    def show(self, text):
        """Show the text, unless the line was updated a moment ago."""
        if self.due():
            self._shown = time.monotonic()
            if not self._terminal:
                print(text, file=sys.stderr, flush=True)
                return
            # A longer line would wrap, and its first part would stay.
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f'\r{text:{self._length}}', end='', file=sys.stderr, flush=True)
            self._length = len(text)

    def work(self, share, text):
        """Show the completed share of some work, the elapsed time and the remaining time.

        share: 0 to 1;  text: name of the work
        """
        now = time.monotonic()
        if self._begun is None or share < self._begun[1]:
            self._begun = now, share
        elapsed, done = now - self._begun[0], share - self._begun[1]
        left = f', {in_words(elapsed / done * (1.0 - share))} left' if done > 0.0 else ''
        self.show(f'{text}: {100.0 * share:.0f} %, {in_words(elapsed)}{left}')

    def clear(self):
        """Clear the line before other output."""
        if self._length:
            print(f'\r{"":{self._length}}\r', end='', file=sys.stderr, flush=True)
            self._shown, self._length = -math.inf, 0

    def end(self):
        """End the line, and keep it."""
        if self._length:
            print(file=sys.stderr)
