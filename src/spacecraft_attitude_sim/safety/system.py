# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What Linux, macOS and Windows do differently, one function for each.

Other modules use only what Python has on all three. test_other_systems.py tests it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

# Root: every process of the machine depends on its files already.
ROOT = 0


def usable_cores() -> int:
    """Return how many processor cores this process may use; Linux may allow it less than all."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def yield_to_others(niceness: int) -> None:
    """Let other processes run first; Windows has no such number, there it does nothing."""
    if hasattr(os, 'nice'):
        os.nice(niceness)


@contextlib.contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Context in which no other process is with the same path; it waits for that.

    Where the file system or Python has no locks, it does not wait.

    path: of a file of which nobody reads the content
    Raises OSError where the file cannot be made.
    """
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with contextlib.suppress(OSError, ImportError):  # Python in a browser has no fcntl
            _lock(number)
        yield
    finally:
        os.close(number)  # gives the lock back


def _lock(number: int) -> None:
    """Wait for the lock of an open file."""
    if sys.platform != 'win32':
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX)
        return
    import msvcrt

    while True:
        try:
            msvcrt.locking(number, msvcrt.LK_LOCK, 1)
        except OSError as error:
            if error.errno != errno.EDEADLK:  # it has waited for ten seconds
                raise
        else:
            return


def is_own(status: os.stat_result) -> bool:
    """Return whether this user owns what os.stat describes; on Windows, stat cannot tell."""
    return not hasattr(os, 'geteuid') or status.st_uid == os.geteuid()


def is_private(status: os.stat_result) -> bool:
    """Return whether only this user or root can write to what os.stat describes.

    On Windows always: there the access lists of the user's profile keep others out, and stat shows
    none of it.
    """
    if not hasattr(os, 'geteuid'):
        return True
    return status.st_uid in (os.geteuid(), ROOT) and not status.st_mode & 0o022
