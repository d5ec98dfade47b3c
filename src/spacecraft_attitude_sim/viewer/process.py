# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer beside a run: `attitude-sim view` in a process of its own. Needs no Rerun itself."""

import contextlib
import select
import signal
import subprocess

from spacecraft_attitude_sim.safety import child as children
from spacecraft_attitude_sim.viewer.errors import ViewError

START_SECONDS = 30.0
END_SECONDS = 10.0


@contextlib.contextmanager
def beside(options, ros_arguments, namespaces):
    """Run a viewer while the block runs; yield its process once the page is served.

    options: port, memory_limit, no_browser;  ros_arguments: [str] from --ros-args on
    namespaces: of the spacecraft, '' for that of --ros-args
    Raises ViewError when it does not start; the viewer has printed why.
    """
    command = children.command(
        'spacecraft_attitude_sim.cli', 'main', 'view', '--port', str(options.port),
        '--memory-limit', options.memory_limit,
        *(['--no-browser'] if options.no_browser else []),
        *(f'--namespace={namespace}' for namespace in namespaces), *ros_arguments,
    )  # fmt: skip
    with (
        _sigterm_as_ctrl_c(),
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child,
    ):
        try:
            assert child.stdout is not None, 'it is a pipe'
            ready, _, _ = select.select([child.stdout], [], [], START_SECONDS)
            line = child.stdout.readline() if ready else ''
            if not line:
                raise ViewError('the viewer did not start; the run was not begun')
            print(line, end='', flush=True)
            yield child
        finally:
            child.terminate()
            try:
                child.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()


@contextlib.contextmanager
def _sigterm_as_ctrl_c():
    """Raise KeyboardInterrupt at SIGTERM, so that the viewer is ended as well."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def wait(child):
    """Wait for Ctrl-C, SIGTERM or the end of the viewer; the run is over, so none is a failure."""
    with contextlib.suppress(KeyboardInterrupt):
        print('the page stays open; Ctrl-C ends it', flush=True)
        child.wait()
