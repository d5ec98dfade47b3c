# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Processes of `attitude-sim` that are forked from one that has imported what needs no ROS.

    python test/forks.py    is that one: it forks for each request at its standard input

A command of some seconds takes a quarter of its processor time to import. A fork is a process of
its own as well, with its own ROS, signals, output and end; only those imports are shared.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import inspect
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from unittest import mock

LONGEST_REQUEST = 1 << 20
# What may differ between forks; another environment or folder may want other imports.
MAY_DIFFER = {'ROS_DOMAIN_ID', 'PYTEST_CURRENT_TEST', 'COLUMNS', 'LINES'}
ENVIRONMENT, FOLDER = dict(os.environ), os.getcwd()
COMMAND = os.path.join(os.path.dirname(sys.executable), 'attitude-sim')
# Not ROS: tracing, which it is linked with, has threads, and their library cannot end in a fork.
USED = (
    'subcommands.run', 'subcommands.replay', 'subcommands.node', 'recording.history',
    'recording.bag_reader', 'recording.bag_writer', 'drawing.response_report', 'flight.flight',
    'core.control', 'configuration.attitude_controller', 'kernels.warm_up',
    'safety.child', 'drawing.rviz', 'configuration.formation', 'nodes.ros.conversions',
    'nodes.markers.motion_markers', 'nodes.markers.actuator_markers', 'nodes.markers.body_markers',
    'nodes.markers.contact_markers', 'nodes.markers.internal_markers',
    'nodes.markers.orbit_markers', 'nodes.markers.poinsot_markers', 'nodes.markers.wheel_markers',
    'nodes.messages', 'nodes.simulator.lockstep', 'nodes.simulator.long_tick_watch',
    'nodes.simulator.run_member', 'nodes.simulator.shared_clock',
    'nodes.simulator.standard_services', 'nodes.simulator.time_control',
    'core.simulation.pacing', 'core.simulation.run_state', 'core.studies.disturbances',
    'recording.input_table', 'recording.run_history', 'runs.open_loop', 'runs.run_observer',
    'runs.until',
)  # fmt: skip
# What rclpy and the recorder import and is not linked with tracing.
OTHERS = (
    'ament_index_python', 'concurrent.futures.thread', 'logging', 'rosidl_generator_py',
    'rosidl_parser.parser', 'rpyutils', 'rosbags.typesys.stores.ros2_kilted',
    'type_description_interfaces.msg',
)  # fmt: skip
# One craft for each solver and for each kind of sensor: their kernels are loaded before the fork.
FLOWN = ('tennis_racket', 'cubesat_3u_leo', 'cubesat_panels', 'ellipsoid_rolling')
MESSAGES = (
    'action_msgs.msg', 'builtin_interfaces.msg', 'diagnostic_msgs.msg', 'geometry_msgs.msg',
    'nav_msgs.msg', 'rcl_interfaces.msg', 'rcl_interfaces.srv', 'rosgraph_msgs.msg',
    'sensor_msgs.msg', 'service_msgs.msg', 'std_msgs.msg', 'std_srvs.srv',
    'type_description_interfaces.srv', 'unique_identifier_msgs.msg', 'visualization_msgs.msg',
)  # fmt: skip


def possible(command, options):
    """Return whether a command may be forked: ours, where all is as when the tests began."""
    other = {name for name, _ in ENVIRONMENT.items() ^ os.environ.items()} - MAY_DIFFER
    as_ever = not other and os.getcwd() == FOLDER
    return command == COMMAND and as_ever and options.keys() <= {'stdout', 'stderr', 'text'}


@functools.cache
def server():
    """Return the Server of this process."""
    return Server()


class Server:
    """The process that forks."""

    def __init__(self):
        self._lock = threading.Lock()
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        atexit.register(self._end)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=theirs, env=ENVIRONMENT, cwd=FOLDER
            )

    def _end(self):
        self._line.close()
        self._process.wait()

    def fork(self, arguments, files):
        """Return the number of a new process, and the file in which its status will be.

        files: its standard input, output and error
        """
        request = {'arguments': arguments, 'environment': dict(os.environ)}
        status, theirs = os.pipe()
        try:
            with self._lock, contextlib.suppress(BrokenPipeError):
                answer = b''
                socket.send_fds(self._line, [json.dumps(request).encode()], [*files, theirs])
                answer = self._line.recv(64)
        finally:
            os.close(theirs)
        if not answer:
            raise RuntimeError(f'test/forks.py has ended with {self._process.wait()}')
        return int(answer), status


class Fork(subprocess.Popen):
    """A command in a forked process, with all that Popen offers."""

    def _execute_child(self, *given):
        names = list(inspect.signature(subprocess.Popen._execute_child).parameters)[1:]
        wanted = dict(zip(names, given, strict=True))
        ends = [wanted[name] for name in ('p2cread', 'c2pwrite', 'errwrite')]
        files = [number if end == -1 else end for number, end in enumerate(ends)]
        self.pid, self._status = server().fork(list(map(str, wanted['args'])), files)
        self._child_created = True
        pipes = ('p2cread', 'p2cwrite', 'c2pread', 'c2pwrite', 'errread', 'errwrite')
        self._close_pipe_fds(*(wanted[name] for name in pipes))

    def _try_wait(self, wait_flags):
        if wait_flags & os.WNOHANG and not select.select([self._status], [], [], 0.0)[0]:
            return 0, 0
        said = os.read(self._status, 4)
        os.close(self._status)
        return self.pid, struct.unpack('i', said)[0] if said else signal.SIGKILL

    def _internal_poll(self, *_, **__):
        if self.returncode is None and self._waitpid_lock.acquire(False):
            try:
                if self.returncode is None:
                    number, status = self._try_wait(os.WNOHANG)
                    if number == self.pid:
                        self._handle_exitstatus(status)
            finally:
                self._waitpid_lock.release()
        return self.returncode


def serve():
    """Fork for each request until the other side has ended; return the request in the fork."""
    line = socket.socket(fileno=os.dup(0))
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    ends = {}
    while True:
        ready, *_ = select.select([line, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _reap(ends)
        if line not in ready:
            continue
        text, files, *_ = socket.recv_fds(line, LONGEST_REQUEST, 4)
        if not text:
            return None
        *files, end = files
        number = os.fork()
        if number == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for other in (line.detach(), woken, wake, end, *ends.values()):
                os.close(other)
            for standard, file in enumerate(files):
                os.dup2(file, standard)
                os.close(file)
            return json.loads(text)
        for file in files:
            os.close(file)
        ends[number] = end
        line.send(str(number).encode())


def _reap(ends):
    """Say the status of each process that has ended."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            number, status = found
            end = ends.pop(number)
            with contextlib.suppress(BrokenPipeError):
                os.write(end, struct.pack('i', status))
            os.close(end)


class NotCompiledError(Exception):
    """A kernel is not in the cache on disk."""


def load_kernels():
    """Load the kernels that most flights call, as far as they are on disk; nothing is compiled.

    Other kernels warm up in the fork, as in a new process.
    """
    from numba.core import dispatcher

    from spacecraft_attitude_sim.api.simulation import simulate
    from spacecraft_attitude_sim.kernels import kernel

    compiled = mock.patch.object(
        dispatcher._FunctionCompiler, 'compile', side_effect=NotCompiledError
    )
    for name in FLOWN:
        with compiled, contextlib.suppress(NotCompiledError):
            simulate(name, duration=0.1)
    kernel.begun = False


def main():
    """Import, serve, and be the command that is asked for."""
    sys.path[0] = os.path.dirname(sys.executable)
    from spacecraft_attitude_sim import start
    from spacecraft_attitude_sim.kernels import kernel

    for name in (*(f'spacecraft_attitude_sim.{name}' for name in USED), *OTHERS, *MESSAGES):
        importlib.import_module(name)
    with kernel.compiler():
        pass  # imports it
    load_kernels()
    # ROS's logger asks for the module of a piece of code, which visits every module once.
    inspect.getmodule(main.__code__)
    assert 'rclpy' not in sys.modules
    assert threading.active_count() == 1
    gc.freeze()
    request = serve()
    if request is None:
        return
    os.environ.clear()
    os.environ.update(request['environment'])
    sys.argv[:] = request['arguments']
    try:
        start.main()
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        _end_at_once(ended.code or 0)


def _end_at_once(status):
    """End a command; what was imported before the fork is not taken apart.

    To take it apart would copy its memory, which takes a quarter of the time of a short run. New
    processes take theirs apart: those with a folder or an environment of their own.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == '__main__':
    main()
