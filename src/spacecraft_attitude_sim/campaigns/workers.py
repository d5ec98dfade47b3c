# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Python processes of our own that call a function of many arguments, side by side.

Not those of multiprocessing: they would look for modules where one stands first, and run the
program of the user once more.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe, connection
from typing import Any, NamedTuple

from spacecraft_attitude_sim.kernels.cache import compiling
from spacecraft_attitude_sim.recording.errors import CampaignError
from spacecraft_attitude_sim.safety import child

# What a pipe has at each end; another class on Windows.
PIPE_END: Any = getattr(connection, 'PipeConnection', connection.Connection)
# What a process sends where its work has begun.
BEGUN = None


class Compiles(NamedTuple):
    """What a process sends where it begins to compile; without a name where it has done so."""

    name: str


# The pipe of this process, if it is one of ours.
_pipe: Any = None


def say_begun() -> None:
    """Tell the process that called a function of this one that all code is compiled now."""
    if _pipe:
        _pipe.send(BEGUN)


def _given(line: Any) -> dict[str, Any]:
    """Return the options of Popen by which a process inherits an end of a pipe."""
    number = line.fileno()
    if sys.platform != 'win32':
        return {'pass_fds': [number]}
    os.set_handle_inheritable(number, True)
    return {'startupinfo': subprocess.STARTUPINFO(lpAttributeList={'handle_list': [number]})}


class Worker:
    """A process that calls functions for this one; until `end`."""

    def __init__(self) -> None:
        self._line, theirs = Pipe()
        with theirs:
            self._process = child.start(
                child.command(__name__, work.__name__, str(theirs.fileno())), **_given(theirs)
            )
        # What this process finds where one stands, as in a notebook, it has chosen to find there.
        self._line.send([os.path.abspath(entry) for entry in sys.path])

    def __call__(self, task: bytes, heard: Callable[[], object] = lambda: None) -> Any:
        """Return function(argument) of a pickled pair of both; raises what it raises.

        heard: called where the function calls `say_begun`
        """
        try:
            self._line.send_bytes(task)
            done, result, said = self._answer(heard)
        except (EOFError, OSError):
            raise CampaignError(
                'a process that flew a controller has ended; see whether it took all memory'
            ) from None
        if done:
            return result
        raise result from RuntimeError(f'in a process of its own:\n{said}')

    def _answer(self, heard: Callable[[], object]) -> tuple[bool, Any, str]:
        """Return the answer; until it comes, this process compiles where the other does."""
        compiles = False
        try:
            while not isinstance(answer := self._line.recv(), tuple) or isinstance(
                answer, Compiles
            ):
                if answer is BEGUN:
                    heard()
                    continue
                if compiles:  # else it would end what another process compiles
                    compiling.end()
                if compiles := bool(answer.name):
                    compiling.begin(answer.name)
            return answer
        finally:
            if compiles:
                compiling.end()

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()


def each(
    function: Callable[[Any], Any],
    arguments: Sequence[Any],
    count: int,
    heard: Callable[[], object] = lambda: None,
) -> Iterator[Any]:
    """Yield function(argument) of each, in order, from `count` processes.

    All are pickled, so the function must be found by its name. Raises what it raises.
    heard: called where a function calls `say_begun`
    """
    tasks = [pickle.dumps((function, one)) for one in arguments]
    free: queue.SimpleQueue[Worker] = queue.SimpleQueue()

    def called(task: bytes) -> Any:
        worker = free.get()
        try:
            return worker(task, heard)
        finally:
            free.put(worker)

    started: list[Worker] = []
    pool = ThreadPoolExecutor(count)
    try:
        for _ in range(min(count, len(tasks))):
            started.append(Worker())
            free.put(started[-1])
        for future in [pool.submit(called, task) for task in tasks]:
            yield future.result()
    finally:
        for worker in started:
            worker.end()
        pool.shutdown(cancel_futures=True)


def work() -> None:
    """Call what comes in at the pipe whose number is the first argument, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this
    global _pipe
    line = _pipe = PIPE_END(int(sys.argv[1]))
    compiling.heard = lambda name: line.send(Compiles(name))
    sys.path[:] = line.recv()
    while True:
        try:
            task = line.recv_bytes()
        except EOFError:
            return
        try:
            function, argument = pickle.loads(task)
            answer = True, function(argument), ''
        except Exception as error:  # whatever a function raises  # noqa: BLE001
            answer = False, error, traceback.format_exc()
        try:
            line.send(answer)
        except OSError:  # nobody is there any more
            return
