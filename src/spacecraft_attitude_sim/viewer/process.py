# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Start the viewer of a run, `attitude-sim view`, in a process; this module needs no Rerun."""

from __future__ import annotations

import contextlib
import select
import signal
import subprocess
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.safety import child as children
from spacecraft_attitude_sim.viewer.errors import ViewError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence


START_SECONDS = 30.0
END_SECONDS = 10.0


@contextlib.contextmanager
def beside(
    options: argparse.Namespace, ros_arguments: Sequence[str], namespaces: Sequence[str]
) -> Iterator[subprocess.Popen[str]]:
    """Run a viewer during the block; yield its process when the page is served.

    options: port, memory_limit, no_browser;  ros_arguments: [str] beginning with --ros-args
    namespaces: of the spacecraft, '' for that of --ros-args
    Raises ViewError if it does not start; the viewer has printed the reason.
    """
    command = children.command(
        'spacecraft_attitude_sim.cli', 'main', 'view', '--port', str(options.port),
        '--memory-limit', options.memory_limit,
        *(['--no-browser'] if options.no_browser else []),
        *(f'--namespace={namespace}' for namespace in namespaces), *ros_arguments,
    )  # fmt: skip
    with (
        _sigterm_as_ctrl_c(),
        children.start(command, stdout=subprocess.PIPE, text=True, encoding='utf-8') as child,
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
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt at SIGTERM, so that the viewer also ends."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def wait(child: subprocess.Popen[str]) -> None:
    """Wait for Ctrl-C, SIGTERM or the end of the viewer; none is a failure after the run."""
    with contextlib.suppress(KeyboardInterrupt):
        print('the page stays open; Ctrl-C ends it', flush=True)
        child.wait()
