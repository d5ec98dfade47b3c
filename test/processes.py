# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that tests run, and wait for."""

import contextlib
import io
import os
import subprocess

# What needs neither ROS nor signals: called in this process, which has compiled code already.
ALONE = ('check', 'compare', 'plot', 'scenarios')


def run(command, *arguments, **options):
    """Return how a command ended and what it printed; in a process of its own if it needs one."""
    arguments = [str(argument) for argument in arguments]
    if not options and (arguments[0] in ALONE or '--resimulate' in arguments):
        return called(*arguments)
    return subprocess.run(
        [command, *arguments], capture_output=True, text=True, timeout=600, **options
    )


def called(*arguments):
    """Return the same of `attitude-sim ARGUMENTS`, without a process of its own.

    Of a command that is refused before it does anything, too.
    """
    from spacecraft_attitude_sim import cli

    environment, status = dict(os.environ), 0
    with (
        contextlib.redirect_stdout(io.StringIO()) as output,
        contextlib.redirect_stderr(io.StringIO()) as errors,
    ):
        try:
            cli.main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code or 0
        finally:
            os.environ.clear()
            os.environ.update(environment)
    return subprocess.CompletedProcess(arguments, status, output.getvalue(), errors.getvalue())


def printed(command, *arguments):
    """Return what a command prints that does what it is asked."""
    done = run(command, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
