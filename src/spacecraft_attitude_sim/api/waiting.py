# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Show on a terminal or in a notebook what a call waits for."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.kernels.cache import compiling
from spacecraft_attitude_sim.progress import COMPILING, PATIENCE, ProgressLine, looking

# Without a terminal one line says after so long that code is compiled [s].
LATE = 5.0


def in_notebook() -> bool:
    """Return whether IPython's kernel for notebooks runs this process."""
    shell: Any = sys.modules.get('IPython')
    found = shell.get_ipython() if shell else None
    return found is not None and 'IPKernelApp' in getattr(found, 'config', {})


def progress_line() -> Any:
    """Return a ProgressLine that also shows in a notebook."""
    line = ProgressLine()
    if in_notebook():
        line.on_place(Cell())
    return line


class Cell:
    """One output of the notebook cell that runs. Each text replaces the one before."""

    # Number of the cell that showed a text last, and its output: a cell gets only one.
    _latest: tuple[int, Any] = -1, None

    def show(self, text: str) -> None:
        """Show a text."""
        self._display({'text/plain': text})

    def clear(self) -> None:
        """Leave an empty output, which a notebook does not show."""
        self._display({})

    @staticmethod
    def _display(data: dict[str, str]) -> None:
        """Show data, {MIME type: content}, in the output of this cell."""
        ipython: Any = sys.modules['IPython']
        cell, output = ipython.get_ipython().execution_count, Cell._latest[1]
        if Cell._latest[0] == cell:
            output.update(data, raw=True)
        else:
            output = ipython.display.display(data, raw=True, display_id=True)
            Cell._latest = cell, output


@contextlib.contextmanager
def saying(doing: str) -> Iterator[Any]:
    """Context that shows how long something takes, once it takes longer than a second.

    It yields the ProgressLine. At its end it clears the line.

    doing: text, such as 'reading a.mcap'
    """
    line = progress_line()
    try:
        with line.saying(doing):
            yield line
    finally:
        line.clear()


def telling_of_compiling() -> contextlib.AbstractContextManager[None]:
    """Return a context that prints one line if this process compiles for longer than LATE [s].

    It is for use without a terminal, where no line of progress is renewed.
    """

    def look() -> None:
        if compiling.seconds >= LATE and not compiling.told:
            compiling.told = True
            print(compiled_for(), file=sys.stderr, flush=True)

    return looking(look)


class Waiting:
    """Context that shows the progress of a simulation, once it takes longer than a second.

    While the simulated time stands still, it says that code is compiled or loaded. That it is
    compiled it says without a terminal, too, in one line.

    since: simulated time at the start [s];  until: at the end [s], the same if no time passes
    """

    def __init__(self, since: float = 0.0, until: float = 0.0) -> None:
        self._since, self._until, self._now = since, until, since
        self._begun = self._moved = time.monotonic()
        self._line: Any = None
        self._shown: Any = None

    def __enter__(self) -> Waiting:
        """Start the thread that shows the line."""
        self._line = progress_line()
        self._shown = looking(self._look) if self._line.renewed else telling_of_compiling()
        self._shown.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread. A terminal keeps the last line, a notebook does not."""
        self._shown.__exit__(None, None, None)
        if self._line.renewed:
            self._line.end()

    def show(self, now: float) -> None:
        """Note the simulated time that has been reached [s]; the thread shows it."""
        self._now, self._moved = now, time.monotonic()

    def _look(self) -> None:
        waited = time.monotonic() - self._begun
        if waited < PATIENCE:
            return
        if time.monotonic() - self._moved > PATIENCE:
            self._line.show(compiled_for() or f'{COMPILING}, {waited:.0f} s so far')
        elif self._until > self._since:
            share = (self._now - self._since) / (self._until - self._since)
            self._line.work(share, f'{self._now:.4g} s of {self._until:.4g} s')


def compiled_for() -> str:
    """Return for how long this process, or one that works for it, compiles; '' if none does.

    It is in the words of `attitude-sim run`.
    """
    if not (seconds := compiling.seconds):
        return ''
    expected = warm_up.expected(compiling.names)
    return f'compiling for {seconds:.0f} s ({expected} on an idle core, once on this machine)'
