# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run nodes until they are done or told to stop, and end cleanly in both cases."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import rclpy
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.nodes.ros import type_support
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode, Throttle
from spacecraft_attitude_sim.safety import interrupts
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from io import FileIO
    from types import FrameType

    from rclpy.executors import Executor as AnyExecutor
    from rclpy.node import Node


try:
    from rclpy.experimental import EventsExecutor as Executor  # needs half the CPU time
except ImportError:  # before ROS Kilted
    Executor = SingleThreadedExecutor

# Longest time until a signal is noticed [s].
LONGEST_SPIN = 0.2
# Longest time for nodes to leave the graph [s]; it normally takes 0.1 s.
LONGEST_END = 30.0
# Longest wait at the end for reliable subscribers to receive everything.
LONGEST_WAIT = Duration(seconds=2)
# Longest time for the spinning thread to see a signal [s]. A tick with many sub-steps, or
# compiling a kernel, could take minutes.
PATIENCE = 0.6
may_speak = Throttle()


class StopRequest:
    """Becomes true when SIGINT or SIGTERM arrives.

    starting: True while nodes are made, which may take long: a signal then raises
        KeyboardInterrupt at once. Later the spinning thread checks this object.
    seen: Event, set when the signal was noticed, or at the end
    at_last: functions that complete files if nobody notices the signal in time
    """

    def __init__(self) -> None:
        self.asked = False
        self.starting = False
        self.seen = threading.Event()
        self.at_last: list[Callable[[], object]] = []

    def __call__(self, signal_number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.asked = True
        if self.starting and not interrupts.importing(frame):
            self.seen.set()
            raise KeyboardInterrupt

    def __bool__(self) -> bool:
        if self.asked:
            self.seen.set()
        return self.asked

    def wait(self, signals: FileIO) -> None:
        """Read signal numbers from a file, and end the process if a signal is not noticed in time.

        It runs in its own thread, because Python runs signal handlers only in the main thread,
        between two of its instructions.
        """
        while signals.read(1):
            if not self.seen.wait(PATIENCE):
                self._end()

    def _end(self) -> None:
        for make_whole in self.at_last:
            with suppress(Exception):
                make_whole()
        text = 'stopped in the middle of a tick or of other work; everything written is intact'
        with suppress(OSError, ValueError):
            print(f'\nattitude-sim: {text}', file=sys.stderr, flush=True)
        os._exit(interrupts.STATUS)


@contextmanager
def _watched(stop: StopRequest) -> Iterator[None]:
    """Start a thread that ends the process if a StopRequest is not noticed in time."""
    read, write = os.pipe()
    if hasattr(os, 'set_blocking'):  # Windows, which neither has nor needs it, before Python 3.12
        os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signals = os.fdopen(read, 'rb', buffering=0)
    thread = threading.Thread(target=stop.wait, args=(signals,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.seen.set()
        signal.set_wakeup_fd(before)
        os.close(write)  # ends the thread
        thread.join()
        signals.close()


@contextmanager
def ros(arguments: Sequence[str]) -> Iterator[StopRequest]:
    """Initialise ROS and yield a StopRequest; arguments: those of --ros-args.

    Our signal handlers replace rclpy's, which sometimes miss a signal. At the end the nodes that
    are left, as of a run that is refused, are destroyed: rclpy's shutdown misses every second one,
    and its threads and ports would stay while the process lives.

    Raises ParameterError if ROS cannot read the arguments.
    """
    type_support.import_without_generator()
    try:
        rclpy.init(args=list(arguments), signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # the errors of rclpy's C library have no common type
        said = str(error).splitlines()[0]
        hint = '; y, n, yes, no, on and off need quotes there' if "type 'bool'" in said else ''
        raise ParameterError(f'ROS refused the arguments: {said}{hint}') from None
    stop = StopRequest()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with _watched(stop):
            yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        destroy(list(GuardedNode.alive))
        rclpy.try_shutdown()


@contextmanager
def executor_of(nodes: Collection[Node], stop: StopRequest) -> Iterator[AnyExecutor]:
    """Yield an executor of the nodes; destroy the nodes at the end.

    stop: StopRequest; from now on a signal only sets it
    """
    stop.starting = False
    executor = Executor()
    # Objects made so far stay; a garbage collection of them would delay a tick by 0.1 s.
    gc.freeze()
    try:
        for node in nodes:
            executor.add_node(node)
        yield executor
    finally:
        stop.seen.set()
        gc.unfreeze()
        executor.shutdown()
        destroy(nodes)


def destroy(nodes: Iterable[Node]) -> None:
    """Remove nodes from the graph, after they have written everything.

    If another process leaves at the same moment, Fast DDS can loop here for ever and hold the
    interpreter. Then the process prints where it hangs and ends with status 1.
    """
    faulthandler.dump_traceback_later(LONGEST_END, exit=True)
    try:
        for node in nodes:
            node.destroy_node()
    finally:
        faulthandler.cancel_dump_traceback_later()


def spin_until(executor: AnyExecutor, done: Callable[[], object]) -> None:
    """Spin until `done()` is true; it is called after every callback."""
    while not done():
        spin_once(executor)


def spin_once(executor: AnyExecutor, longest: float = LONGEST_SPIN) -> None:
    """Run one callback; survive errors of rclpy on a message that it cannot read.

    longest: how long to wait for one [s]

    `guard` protects the callbacks. This protects against errors before them, such as a text that
    is not UTF-8 or a request with an unknown type.
    """
    try:
        executor.spin_once(timeout_sec=longest)
    except Exception as error:
        if not rclpy.ok():
            raise
        if may_speak('spin'):
            logger = rclpy.logging.get_logger('spacecraft_attitude_sim')
            logger.error(f'a message could not be read: {type(error).__name__}: {cut(error)}')
