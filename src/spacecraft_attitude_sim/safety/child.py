# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Start Python child processes that find modules like this one, never in the current folder."""

from __future__ import annotations

import ctypes
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

# Of prctl(2): the signal that a process receives when its parent ends.
PR_SET_PDEATHSIG = 1

# `python -c` and `python -m` look for modules in the current folder first; -I does not. The
# parent's sys.path then replaces the child's.
START = (
    'import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); '
    'from {module} import {function}; {function}()'
)


def command(module: str, function: str, *arguments: str) -> list[str]:
    """Return the command line of a process that calls module.function().

    arguments: become its sys.argv[1:]
    """
    import json

    path = json.dumps([entry for entry in sys.path if isinstance(entry, str) and entry])
    program = START.format(module=module, function=function)
    return [sys.executable, '-I', '-c', program, path, *arguments]


def start(
    command: Sequence[str | Path], apart: bool = False, **options: Any
) -> subprocess.Popen[Any]:
    """Start a process that ends with this one; on macOS and Windows the caller has to end it.

    apart: whether it is out of reach of Ctrl-C at the terminal;  options: of subprocess.Popen
    """
    import subprocess

    if sys.platform == 'win32':
        flags = subprocess.CREATE_NEW_PROCESS_GROUP if apart else 0
        return subprocess.Popen(command, creationflags=flags, **options)
    if sys.platform == 'linux':
        options['preexec_fn'] = end_with_parent
    return subprocess.Popen(command, start_new_session=apart, **options)


def end_with_parent() -> None:
    """In a child on Linux: receive SIGTERM when the parent ends in any way; for `preexec_fn`."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
