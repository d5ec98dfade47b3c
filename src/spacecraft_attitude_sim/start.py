# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The console script; files in the current folder do not affect it."""

import atexit
import contextlib
import faulthandler
import gc
import io
import os
import sys

from spacecraft_attitude_sim.safety import garbage, interrupts

# Subcommands that always import rclpy.
NEED_ROS = (['node'], ['run'])


def main() -> None:
    """Run the command without using the current folder; Ctrl-C ends it with one line."""
    interrupts.take()
    _print_what_can_be()
    faulthandler.enable()  # a crash of a library prints where
    # To collect the objects of numba once more would take half a second after the last output.
    atexit.register(gc.freeze)
    try:
        _forget_current_folder()
        # Fast DDS would read DEFAULT_FASTDDS_PROFILES.xml from there, which decides on its peers.
        os.environ.setdefault('SKIP_DEFAULT_XML_FILE', '1')
        # No array of ours is so large that threads would help; they begin for 0.1 s of processor
        # time while NumPy is imported.
        os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
        with garbage.left_alone():
            if sys.argv[1:2] in NEED_ROS:
                from spacecraft_attitude_sim.nodes.ros import libraries

                libraries.load_beside()
            from spacecraft_attitude_sim import cli
        cli.main()
    except KeyboardInterrupt:
        interrupts.end_at_once()


def _print_what_can_be() -> None:
    """Print `?` for a character that the encoding of the output lacks, as on Windows in a pipe."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(OSError):  # of an output that has been exchanged
            sys.stdout.reconfigure(errors='replace')


def _forget_current_folder() -> None:
    """Remove the current folder from sys.path; an empty entry of PYTHONPATH puts it there."""
    given = os.environ.get('PYTHONPATH', '')
    entries = [entry for entry in given.split(os.pathsep) if entry]
    if given == os.pathsep.join(entries):
        return
    os.environ['PYTHONPATH'] = os.pathsep.join(entries)
    here = os.getcwd()
    if here not in map(os.path.abspath, entries):
        sys.path[:] = [entry for entry in sys.path if entry not in ('', here)]
