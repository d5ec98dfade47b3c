# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Start Python child processes that find modules like this one, never in the current folder."""

import ctypes
import signal
import sys

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


def end_with_parent() -> None:
    """In the child: receive SIGTERM when the parent ends in any way; for `preexec_fn`."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
