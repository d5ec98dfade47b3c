# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that tests run, and wait for."""

import subprocess


def run(command, *arguments, **options):
    """Return the finished process of a command, with what it printed as text."""
    return subprocess.run(
        [command, *map(str, arguments)], capture_output=True, text=True, timeout=600, **options
    )


def printed(command, *arguments):
    """Return what a command prints that does what it is asked."""
    done = run(command, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
