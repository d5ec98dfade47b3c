# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Python processes of our own: they find modules where this one does, never where one stands."""

import sys

# `python -c` and `python -m` look for modules in the current folder first; -I does not, and the
# path of the parent then takes the place of its own.
START = (
    'import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); '
    'from {module} import {function}; {function}()'
)


def command(module, function, *arguments):
    """Return the command line of a process that calls module.function().

    arguments: its sys.argv[1:]
    """
    import json

    path = json.dumps([entry for entry in sys.path if isinstance(entry, str) and entry])
    program = START.format(module=module, function=function)
    return [sys.executable, '-I', '-c', program, path, *arguments]
