# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run kernels in Python until their compiled code is loaded, so that a node need not wait for it.

During the warm-up a kernel is its plain Python function, which gives the same bits. Meanwhile a
thread imports the compiler, calls each kernel compiled with the arguments of its first call, and
compares the bits. Then, between two calls, all kernels change to compiled code. A process of its
own compiles what is missing in the cache on disk; Ctrl-C need not wait for it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import math
import pickle
import queue
import sys
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.kernels import cache, code_pages
from spacecraft_attitude_sim.kernels import kernel as kernels
from spacecraft_attitude_sim.safety import child, system

# Largest part of the period for a tick in Python, and the total time by which ticks may exceed it
# before they count as too slow [s]: imports in the first tick are not slowness.
LARGEST_PART = 0.5
PATIENCE = 0.1
# Longest time that one thread blocks the other during the warm-up [s].
SWITCH_SECONDS = 5e-4
# Wall time between ticks below which numba loads code, because a call then takes less [s].
FAST = 1e-3
# About how long it takes to load compiled code that is in the cache [s].
LOADING = 0.5
POLL_SECONDS = 0.1
# Processor time to compile the long kernels with all that they call, measured on one core of
# 3 GHz; each other kernel takes OTHER [s].
COMPILE_SECONDS = {
    'momentum.tick': 1.5,
    'initial_contact.begin': 3.5,
    'advance.advance': 6.5,
    'kernels.advance_wheels': 4.5,
    'kernels.end_of_wheels': 2.5,
    'kernels.motion_of_wheels': 0.4,
    'kernels.substep_count_wheels': 0.4,
    'kernels.advance_fuel': 4.7,
    'kernels.end_of_fuel': 2.8,
    'kernels.motion_of_fuel': 0.4,
    'kernels.substep_count_fuel': 0.4,
    'kernels.advance_rigid': 4.7,
    'kernels.end_of_rigid': 3.2,
    'kernels.motion_of_rigid': 0.5,
    'kernels.substep_count_rigid': 0.5,
    'kernels.advance_all': 6.7,
    'kernels.end_of_all': 4.0,
    'kernels.motion_of_all': 0.7,
    'kernels.substep_count_all': 0.8,
    'around._draw_skies': 0.7,
    'imu.read': 0.8,
}
OTHER = 0.3
# Of these sets of kernels, a run that calls one calls all.
TOGETHER = (
    {'initial_contact.begin', 'advance.advance'},
    *(
        {f'kernels.{what}_{kind}' for what in ('advance', 'end_of', 'motion_of', 'substep_count')}
        for kind in ('wheels', 'fuel', 'rigid', 'all')
    ),
)
# The library that is the compiler.
COMPILER = 'llvmlite'


def begin(logger: Any = None) -> None:
    """Begin the warm-up of this process, unless it has compiled code already.

    logger: with `info` and `warning`, called from another thread; without one nothing is compiled
    """
    if kernels.warming is None and not kernels.begun:
        kernels.warming = WarmUp()
    if kernels.warming and logger:
        kernels.warming.logger = logger


def note(spent: float = 0.0, period: float = 0.0, pace: float = math.inf) -> None:
    """Note the time of a tick; after it, the kernels that the tick called can be compiled.

    spent: processor time of this thread, which does not depend on other processes [s]
    period: between two ticks [s], 0 for as fast as possible
    pace: wall time between two ticks [s]; code is loaded without numba unless it is less than FAST
    """
    if kernels.warming:
        kernels.warming.fast |= pace < FAST
        kernels.light = None if kernels.warming.fast else _light
        kernels.warming.judge(spent, period)
        kernels.warming.compile()


def _light(kernel: kernels.Kernel) -> Any:
    """Return what calls a kernel without numba where it can."""
    from spacecraft_attitude_sim.kernels import light  # not before the first tick

    return light.Caller(kernel)


def give_up_python() -> None:
    """Stop computing ticks in Python, at any rate: one would take minutes."""
    if kernels.warming:
        kernels.warming.slow = kernels.warming.hopeless = True


def too_slow(paced: bool) -> bool:
    """Return whether ticks in Python are too slow, and there is no compiled code yet.

    paced: whether ticks are due at times of their own; if not, only `give_up_python` makes it true
    """
    current = kernels.warming
    if current is None or current.over:
        return False
    return current.slow if paced else current.hopeless


def worth_waiting(seconds: float) -> bool:
    """Return whether compiled code comes sooner than Python does work of so many seconds.

    Work in Python also slows the loading down. Code that is still to be compiled takes too long.
    """
    return under_way() and not compiling() and seconds > LOADING


def under_way() -> bool:
    """Return whether kernels still run in Python."""
    return kernels.warming is not None and not kernels.warming.over


def failure() -> str:
    """Return why a kernel cannot be compiled, or ''."""
    return kernels.warming.failure if kernels.warming else ''


def compiling() -> str:
    """Return for how long a process has been compiling for this one, as text; '' where none is."""
    current = kernels.warming
    since = current.compiling_since if current else None
    if since is None:
        return ''
    assert current
    idle = f'about {current.compile_estimate:.0f} s on an idle core, once on this machine'
    return f'compiling for {time.monotonic() - since:.0f} s ({idle})'


def estimate(compiled: Iterable[kernels.Kernel]) -> float:
    """Return an estimate of the time in which an idle core compiles kernels, to 5 s [s]."""
    return _seconds_of({cache.name_of(kernel) for kernel in compiled})


def expected(names: Iterable[str]) -> str:
    """Return how long an idle core compiles kernels and those that follow them, as text.

    names: of the kernels that have begun to be compiled, as in COMPILE_SECONDS
    """
    known = {name for name in names if name in COMPILE_SECONDS}
    if not known:
        return 'up to 60 s'
    following = (family for family in TOGETHER if not known.isdisjoint(family))
    return f'about {_seconds_of(known.union(*following)):.0f} s'


def _seconds_of(names: Iterable[str]) -> float:
    """Return an estimate of the time in which an idle core compiles kernels, to 5 s [s]."""
    whole = sum(COMPILE_SECONDS.get(name, OTHER) for name in names)
    return max(5.0, 5.0 * round(whole / 5.0))


@contextlib.contextmanager
def in_python(once_begun: bool = False) -> Iterator[None]:
    """Context in which kernels run in Python, for work before compiled code is loaded.

    Nothing changes where this process warms up already, or has compiled any code.

    once_begun: whether kernels that are not compiled run in Python where others are compiled
    """
    before = kernels.warming
    if once_begun and before is None:
        kernels.warming = WarmUp()
    else:
        begin()
    try:
        yield
    finally:
        kernels.warming = before


class FirstCall(NamedTuple):
    """The first call of a kernel with arguments of some types, and Python's result.

    written: the arguments after the call
    """

    kernel: kernels.Kernel
    arguments: tuple
    result: object
    written: tuple


class WarmUp:
    """Handles the calls of kernels; all of them come from one thread.

    slow: whether ticks in Python are too slow for their pace;  hopeless: for any pace
    fast: whether ticks follow one another so fast that numba loads the code
    over: whether compiled code is loaded
    compiling_since: start of the process that compiles what is missing in the cache [s of the
        monotonic clock], None without such a process
    failure: the compiler's message about a kernel that it cannot compile
    """

    def __init__(self) -> None:
        self.slow = self.hopeless = self.fast = False
        self.compiling_since: float | None = None
        self.compile_estimate = 0.0
        self._behind = 0.0
        self.failure = ''
        self.logger: Any = None
        self._known: set[tuple] = set()
        self._first_calls: queue.SimpleQueue[FirstCall] = queue.SimpleQueue()
        self._inside = False
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._stopping = threading.Event()
        self._switch_seconds = sys.getswitchinterval()

    def call(self, kernel: kernels.Kernel, arguments: tuple) -> Any:
        """Return a kernel's result."""
        if self._inside:
            return kernel.function(*arguments)
        if self.over:
            kernels.warming = None
            return kernel(*arguments)
        kept = tuple(map(_kept, arguments))
        self._inside = True
        try:
            with np.errstate(divide='raise', over='raise', invalid='raise'):
                result = kernel.function(*map(_plain, arguments))
        except Exception:  # compiled code may raise no exception, or another one
            _restore(arguments, kept)
            return kernel.call_compiled(*arguments)
        finally:
            self._inside = False
        kinds = (kernel, *map(_kind, arguments))
        if kinds not in self._known:
            self._known.add(kinds)
            self._first_calls.put(FirstCall(kernel, kept, result, tuple(map(_kept, arguments))))
        return result

    def judge(self, spent: float, period: float) -> None:
        """Add the time of a tick, to decide whether ticks in Python are too slow; see `note`."""
        if period > 0.0:
            self._behind = max(0.0, self._behind + spent - LARGEST_PART * period)
            self.slow |= self._behind > PATIENCE

    def compile(self) -> None:
        """Begin to compile all kernels called so far, and those called until that is done."""
        if self._thread is None and self.logger:
            self._thread = threading.Thread(target=self._compile, daemon=True)
            sys.setswitchinterval(SWITCH_SECONDS)
            # The thread must stop before the process ends, which would take the compiler apart at
            # work. The first finalizer of all registers the function that ends the others; this
            # one must come after it.
            weakref.finalize(self, _nothing).atexit = False
            atexit.register(self._stop, self._thread)
            self._thread.start()

    @property
    def over(self) -> bool:
        """Whether compiled code is loaded."""
        return self._ready.is_set()

    def _stop(self, thread: threading.Thread) -> None:
        self._stopping.set()
        thread.join()

    def _compile(self) -> None:
        # A garbage collection among so many new objects would stop everything for 100 ms.
        collecting = gc.isenabled()
        gc.disable()
        try:
            if not kernels.light:
                with kernels.compiler():
                    pass  # the import takes long, and more calls come meanwhile
            while (calls := self._taken()) and self.fill_cache(calls):
                for call in calls:
                    if self._stopping.is_set():
                        return
                    self._compare(call)
        except Exception as error:
            self.failure = f'compiled code cannot be made: {error}'
        finally:
            gc.freeze()
            if collecting:
                gc.enable()
            sys.setswitchinterval(self._switch_seconds)
            self._ready.set()
        code_pages.give_back(COMPILER)  # nearly half of the memory of a node

    def _compare(self, call: FirstCall) -> None:
        """Call a kernel compiled, which compiles or loads it, and compare the bits."""
        if self._stopping.is_set():
            return
        result = call.kernel.call_compiled(*call.arguments)
        if same(result, call.result) and same(call.arguments, call.written):
            return
        self.logger.warning(
            f'{call.kernel.__qualname__}: Python and compiled code differ; what came before this '
            'line cannot be computed again to the bit'
        )

    def _taken(self) -> list[FirstCall]:
        """Return the FirstCalls since the previous call of this."""
        return [self._first_calls.get() for _ in range(self._first_calls.qsize())]

    def fill_cache(self, calls: list[FirstCall]) -> bool:
        """Compile what the cache on disk lacks, in another process; return whether it has all now.

        It waits for the process. Kernels still missing are compiled where they are called: not
        here, where Ctrl-C cannot end it.
        """
        lacking = [
            (kernel, arguments)
            for kernel, arguments, *_ in calls
            if not all_cached(kernel, arguments)
        ]
        if not lacking:
            return True
        if not cache.usable(kernels.cache_directory()):
            self._warn_of_no_cache()
            return False
        parts = [argument for _, given in lacking for argument in given]
        handles = [part for part in parts if isinstance(part, kernels.Handle)]
        called = [part for handle in handles for part in handle.kernels]
        self.compile_estimate = estimate([*(kernel for kernel, _ in lacking), *called])
        self.logger.info(
            f'compiling for the first time on this machine: about {self.compile_estimate:.0f} s '
            f'of one idle core; the code is kept in {kernels.cache_directory()}'
        )
        import subprocess

        # That process may outlive this one, so that the next one finds the code.
        process = subprocess.Popen(
            child.command(__name__, compile_given.__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        # That process may not find a user's function, or it may have ended.
        gone = (OSError, pickle.PicklingError, AttributeError, TypeError)
        assert process.stdin
        with contextlib.suppress(*gone), process.stdin as given:
            given.write(pickle.dumps(lacking))
        self.compiling_since = time.monotonic()
        try:
            while process.poll() is None:
                if self._stopping.wait(POLL_SECONDS):
                    return False
        finally:
            self.compiling_since = None
        if all(all_cached(*call) for call in lacking):
            return True
        self._warn_of_no_cache()
        return False

    def _warn_of_no_cache(self) -> None:
        self.logger.warning(
            'nothing could be compiled in the background: the run stands still meanwhile, and '
            f'every run, if {kernels.cache_directory()} cannot be written'
        )


def _nothing() -> None:
    """Do nothing."""


def compile_given() -> None:
    """Compile what the cache lacks, as a process of its own; one such process at a time."""
    system.yield_to_others(10)
    lacking = pickle.load(sys.stdin.buffer)
    if not cache.usable(kernels.cache_directory()):
        return
    with system.locked(Path(kernels.cache_directory(), 'compiling')):
        for kernel, arguments in lacking:
            if not all_cached(kernel, arguments):  # else the process before has compiled it
                kernel.call_compiled(*arguments)


def same(found: Any, expected: Any) -> bool:
    """Return whether two results are equal to the bit: floats, arrays, tuples of them."""
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, np.ndarray) != isinstance(expected, np.ndarray):
        return False
    return np.asarray(found).tobytes() == np.asarray(expected).tobytes()


def all_cached(kernel: kernels.Kernel, arguments: tuple) -> bool:
    """Return whether the cache on disk has a kernel and those that it calls by address."""
    handles = [argument for argument in arguments if isinstance(argument, kernels.Handle)]
    return cached(kernel) and all(cached(part) for handle in handles for part in handle.kernels)


def cached(kernel: kernels.Kernel) -> bool:
    """Return whether the cache on disk has code of a kernel, for any types."""
    return any(Path(kernels.cache_directory()).glob(f'*/{kernel.file_name}.nbi'))


def _kind(argument: Any) -> Any:
    """Return the type of an argument, as far as it selects compiled code."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.c_contiguous, argument.flags.writeable
    return type(argument)


def _kept(argument: Any) -> Any:
    """Return a copy of an argument that nobody else changes."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def _restore(arguments: tuple, kept: tuple) -> None:
    """Undo a kernel's changes to its arguments."""
    for argument, before in zip(arguments, kept, strict=True):
        if isinstance(argument, np.ndarray) and argument.flags.writeable:
            argument[...] = before


def _plain(argument: Any) -> Any:
    """Return an argument whose elements are Python's floats."""
    if isinstance(argument, np.ndarray) and argument.dtype == float:
        return argument.data
    return argument
