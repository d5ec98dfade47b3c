# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A progress line on the terminal for long work."""

import contextlib
import math
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar('T')

PERIOD = 0.25
# Interval of lines in a log, where every line stays [s].
LOG_PERIOD = 10.0
# What takes less is not worth a word [s].
PATIENCE = 1.0
COMPILING = 'compiling or loading code'


def in_words(seconds: float) -> str:
    """Return a duration as text in a suitable unit."""
    if seconds < 100.0:
        return f'{seconds:.0f} s'
    if seconds < 6000.0:
        return f'{seconds / 60.0:.0f} min'
    return f'{seconds / 3600.0:.1f} h'


@contextlib.contextmanager
def looking(look: Callable[[], object]) -> Iterator[None]:
    """Context in which a thread calls `look` every PERIOD."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(PERIOD):
            look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class ProgressLine:
    """Updates a line on standard error a few times a second; silent without a terminal.

    logged: whether to write a line now and then without a terminal
    """

    def __init__(self, logged: bool = False) -> None:
        self._terminal = sys.stderr.isatty()
        self._on = self._terminal or logged
        self._period = PERIOD if self._terminal else LOG_PERIOD
        self._shown = -math.inf
        self._length = 0
        # Times and values of the first share of work, and of the first that was more.
        self._begun = self._first = math.inf, math.inf
        self._latest = math.inf, ''  # value of the latest share of work, and its text
        # The remaining time is shown once so large a share is done: before, nobody knows it.
        self.least = 0.0
        self._results = 0  # texts and shares of work that were shown
        self._lock = threading.RLock()
        self._place = None  # where the line is shown instead of on standard error
        # Returns what the work waits for, to show in place of the remaining time; '' for nothing.
        self.waits_for = lambda: ''

    def on_terminal(self) -> None:
        """Write as on a terminal even without one."""
        self._terminal = self._on = True
        self._period = PERIOD

    def on_place(self, place: Any) -> None:
        """Show each text on a place that keeps the latest, and leave nothing there at the end.

        place: an object with the methods show(text) and clear()
        """
        self.on_terminal()
        self._place = place

    @property
    def renewed(self) -> bool:
        """Whether there is a terminal, so that each text replaces the previous one."""
        return self._terminal

    def due(self) -> bool:
        """Return whether the line is due for an update."""
        return self._on and time.monotonic() - self._shown >= self._period

    def show(self, text: str) -> None:
        """Show the text, unless the line was updated a moment ago."""
        self._results += 1
        self._show(text)

    def _show(self, text: str) -> None:
        with self._lock:
            if not self.due():
                return
            self._shown = time.monotonic()
            if not self._terminal:
                print(text, file=sys.stderr, flush=True)
                return
            if self._place:
                self._place.show(text)
                self._length = len(text)
                return
            # A longer line would wrap, and its first part would stay.
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f'\r{text:{self._length}}', end='', file=sys.stderr, flush=True)
            self._length = len(text)

    def work(self, share: float, text: str) -> None:
        """Show the completed share of some work, the elapsed time and the remaining time.

        share: 0 to 1;  text: name of the work
        The smallest share above 0 says that code is compiled, and that work begins.
        """
        if share < self._begun[1]:
            self._begun = self._first = time.monotonic(), share
        if share > self._begun[1]:
            self._results += 1
            if self._first == self._begun:
                self._first = time.monotonic(), share
        self._latest = share, text
        self._show_work()

    def _show_work(self) -> None:
        """Show the latest share of work, and the time until now."""
        share, text = self._latest
        elapsed, done = time.monotonic() - self._begun[0], share - self._begun[1]
        left, (since, first) = '', self._first
        if wait := self.waits_for():
            left = f', {wait}'
        elif done > 0.0 and done >= self.least:
            pace = elapsed / done
            if self.least and share > first:  # without the time in which code was compiled
                pace = (time.monotonic() - since) / (share - first)
            left = f', {in_words(pace * (1.0 - share))} left'
        self._show(f'{text}: {100.0 * share:.0f} %, {in_words(elapsed)}{left}')

    def counting(self, frames: Iterable[T], count: int, then: str) -> Iterator[T]:
        """Yield frames, and show which it is, and about how long the others take.

        count: of the frames;  then: what is shown after the last
        """
        began = time.monotonic()
        for number, frame in enumerate(frames, 1):
            left = (time.monotonic() - began) / number * (count - number)
            self.show(f'frame {number} of {count}, about {left:.0f} s left')
            yield frame
        self.clear()
        self.show(then)

    def starting(self, about: str = '') -> contextlib.AbstractContextManager[None]:
        """Return a context that says how long code is compiled or loaded, before the first result.

        about: name of the work
        """
        prefix = f'{about}: ' if about else ''
        return self.saying(f'{prefix}{COMPILING}', prefix)

    @contextlib.contextmanager
    def saying(self, doing: str, prefix: str = '') -> Iterator[None]:
        """Context that says how long something goes on, from its second second on.

        It says so until something else is shown, or until more work is done than at its beginning.
        Then it shows the work again, with the time so far, while no more of it is done.

        doing: text, as 'reading a.mcap'
        prefix: of what the work waits for, where that is known: it stands in place of `doing`
        """
        if not self._on:
            yield
            return
        begun, before = time.monotonic(), self._results

        def watch() -> None:
            if self._results > before:
                if self._latest[0] > self._begun[1]:
                    self._show_work()
            elif (waited := time.monotonic() - begun) >= PATIENCE:
                wait = self.waits_for()
                self._show(f'{prefix}{wait}' if wait else f'{doing}, {in_words(waited)} so far')

        with looking(watch):
            yield

    def clear(self) -> None:
        """Clear the line before other output."""
        with self._lock:
            if self._length and self._place:
                self._place.clear()
            elif self._length:
                print(f'\r{"":{self._length}}\r', end='', file=sys.stderr, flush=True)
            if self._length:
                self._shown, self._length = -math.inf, 0

    def end(self) -> None:
        """End the line. A terminal keeps it, another place does not."""
        if self._place:
            self.clear()
        elif self._length:
            print(file=sys.stderr)
