# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run nodes until they are done or told to stop, and end cleanly either way."""

import faulthandler
import gc
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress

import rclpy
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.nodes.ros.guard import Throttle
from spacecraft_attitude_sim.safety import interrupts
from spacecraft_attitude_sim.safety.quoting import cut

try:
    from rclpy.experimental import EventsExecutor as Executor  # half the CPU of the other
except ImportError:  # before Kilted
    Executor = SingleThreadedExecutor

# How long a signal may wait to be noticed [s].
LONGEST_SPIN = 0.2
# How long nodes may take to leave the graph, which takes a tenth of a second [s].
LONGEST_END = 30.0
# How long the end of a process waits for reliable subscribers to have everything.
LONGEST_WAIT = Duration(seconds=2)
# How long whoever spins may take to see a signal: in a tick of many sub-steps, or a kernel that is
# being compiled, it may be minutes [s].
PATIENCE = 0.6
may_speak = Throttle()


class StopRequest:
    """Becomes true when SIGINT or SIGTERM arrives.

    starting: while nodes are made, which may take long, a signal raises KeyboardInterrupt at
    once; later whoever spins looks at this
    seen: Event, set when somebody has looked at it since the signal, or when the end has come
    at_last: functions that make files whole, where nobody looks in time
    """

    def __init__(self):
        self.asked = False
        self.starting = False
        self.seen = threading.Event()
        self.at_last = []

    def __call__(self, signal_number, frame):
        """Take a signal."""
        self.asked = True
        if self.starting and not interrupts.importing(frame):
            self.seen.set()
            raise KeyboardInterrupt

    def __bool__(self):
        if self.asked:
            self.seen.set()
        return self.asked

    def wait(self, signals):
        """Read the numbers of signals from a file, and end the process where one is not seen.

        In a thread of its own: Python's own handlers run in the first, between two steps of it.
        """
        while signals.read(1):
            if not self.seen.wait(PATIENCE):
                self._end()

    def _end(self):
        for make_whole in self.at_last:
            with suppress(Exception):
                make_whole()
        text = 'stopped in the middle of a tick or of other work; everything written is intact'
        with suppress(OSError, ValueError):
            print(f'\nattitude-sim: {text}', file=sys.stderr, flush=True)
        os._exit(interrupts.STATUS)


@contextmanager
def _watched(stop):
    """Let a thread end the process where a StopRequest is not seen."""
    read, write = os.pipe()
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
        os.close(write)  # which ends the thread
        thread.join()
        signals.close()


@contextmanager
def ros(arguments):
    """Give a StopRequest while ROS is up; `arguments` are those of --ros-args.

    rclpy's own signal handlers now and then miss a signal, so ours take their place.

    Raises ParameterError when ROS cannot read the arguments.
    """
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # rclpy raises what its C library says, of no common type
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
        rclpy.try_shutdown()


@contextmanager
def executor_of(nodes, stop):
    """Give an executor of the nodes; destroy them at the end.

    stop: StopRequest, which from now on is only looked at
    """
    stop.starting = False
    executor = Executor()
    # What was imported and made by now stays; to look through it would hold up a tick by 0.1 s.
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


def destroy(nodes):
    """Take nodes out of the graph, when all that they had to write is written.

    Fast DDS may spin for ever here when another process leaves at this moment, and holds the
    interpreter: then the process says where and ends, with status 1.
    """
    faulthandler.dump_traceback_later(LONGEST_END, exit=True)
    for node in nodes:
        node.destroy_node()
    faulthandler.cancel_dump_traceback_later()


def spin_until(executor, done):
    """Spin until `done()` is true; it is asked after every callback."""
    while not done():
        spin_once(executor)


def spin_once(executor):
    """Let one callback be called; survive what rclpy raises of a message that it cannot read.

    Callbacks are guarded by `guard`; this is for what comes before them: a text that is not
    UTF-8, a request with a type of its own invention.
    """
    try:
        executor.spin_once(timeout_sec=LONGEST_SPIN)
    except Exception as error:
        if not rclpy.ok():
            raise
        if may_speak('spin'):
            logger = rclpy.logging.get_logger('spacecraft_attitude_sim')
            logger.error(f'a message could not be read: {type(error).__name__}: {cut(error)}')
