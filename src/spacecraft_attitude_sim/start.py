# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The console script: nothing that lies in the current folder decides what it does."""

import faulthandler
import os
import sys

from spacecraft_attitude_sim.safety import interrupts


def main():
    """Run the command, out of reach of the current folder; Ctrl-C ends it in one line."""
    interrupts.take()
    faulthandler.enable()  # a crash of a library says where it was
    try:
        _forget_current_folder()
        # Fast DDS would take DEFAULT_FASTDDS_PROFILES.xml from there, and with it whom to talk to.
        os.environ.setdefault('SKIP_DEFAULT_XML_FILE', '1')
        from spacecraft_attitude_sim import cli

        cli.main()
    except KeyboardInterrupt:
        interrupts.end_at_once()


def _forget_current_folder():
    """Take out of sys.path what an empty entry of PYTHONPATH, often a slip, has put there."""
    given = os.environ.get('PYTHONPATH', '')
    entries = [entry for entry in given.split(os.pathsep) if entry]
    if given == os.pathsep.join(entries):
        return
    os.environ['PYTHONPATH'] = os.pathsep.join(entries)
    here = os.getcwd()
    if here not in map(os.path.abspath, entries):
        sys.path[:] = [entry for entry in sys.path if entry not in ('', here)]
