# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that tests run, and wait for."""

import contextlib
import faulthandler
import os
import subprocess
import sys
import tempfile

import forks

LONGEST = 600
# What needs neither ROS nor signals: called in this process, which has compiled code already.
ALONE = (
    'access', 'ccsds', 'check', 'compare', 'convert', 'design', 'fmu', 'plot', 'scenarios',
    'smooth',
)  # fmt: skip
ALONE_WITH = {'--resimulate', '--save', '--write-scenario'}


def run(command, *arguments, longest=LONGEST, **options):
    """Return how a command ended and what it printed; in a process of its own if it needs one.

    longest: wall time after which a process of its own is ended, and the test fails [s]
    """
    arguments = [str(argument) for argument in arguments]
    if not options and _may_be_called(arguments):
        return called(*arguments)
    started = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True, **options}
    with start(command, *arguments, **started) as child:
        try:
            output, errors = child.communicate(timeout=longest)
        except BaseException:
            child.kill()
            raise
    return subprocess.CompletedProcess(child.args, child.returncode, output, errors)


def start(*command, **options):
    """Return a Popen of a command: forked where that makes no difference, else a new process."""
    if forks.possible(command[0], options):
        return forks.Fork(command, **options)
    return subprocess.Popen(command, **options)


def _may_be_called(arguments):
    # Not `run`: what Fast DDS leaves behind in a process has crashed a worker some tests later.
    return arguments[0] in ALONE or not ALONE_WITH.isdisjoint(arguments)


def called(*arguments):
    """Return the same of `attitude-sim ARGUMENTS`, without a process of its own.

    Of a command that is refused before it does anything, too. What ROS logs is not in it.
    """
    from spacecraft_attitude_sim import cli

    environment, status = dict(os.environ), 0
    with tempfile.TemporaryFile('w+') as output, tempfile.TemporaryFile('w+') as errors:
        faulthandler.dump_traceback_later(LONGEST, exit=True, file=sys.__stderr__)
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
                cli.main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code or 0
        finally:
            faulthandler.cancel_dump_traceback_later()
            os.environ.clear()
            os.environ.update(environment)
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, status, output.read(), errors.read())


def printed(command, *arguments, longest=LONGEST):
    """Return what a command prints that does what it is asked; longest: as of `run`."""
    done = run(command, *arguments, longest=longest)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
