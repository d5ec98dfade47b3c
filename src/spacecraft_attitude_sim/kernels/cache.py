# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled code on disk: read only where nobody else can have written, made again if damaged.

numba keeps compiled code as pickles, and reading a pickle can run any code. So the folder and its
files must belong to this user or to root, writable by nobody else, and each file begins with a
checksum of the rest.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import math
import os
import platform
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spacecraft_attitude_sim.safety import system

DIGEST_SIZE = 32
# Follow no link, and do not wait for the writer of a pipe; Windows has neither in a folder.
NO_LINK_NO_PIPE = getattr(os, 'O_NOFOLLOW', 0) | getattr(os, 'O_NONBLOCK', 0)
# Why code that this process has compiled could not be saved, as by a full disk.
save_errors: list[str] = []


@functools.cache
def usable(folder: str) -> bool:
    """Return whether a folder may hold compiled code; create it if need be, and warn once if not.

    A folder of this user that others could write is emptied.
    """
    try:
        Path(folder).parent.mkdir(parents=True, exist_ok=True)
        make_private(folder)
    except OSError as error:
        say(f'no compiled code is kept in {folder}, it is made in every run: {error.strerror}')
        return False
    return True


def cache_of(function: Callable, folder: str, name: str) -> Any:
    """Return numba's cache of a function in a folder; None where none is possible.

    name: of its files, without the suffix
    """
    if not usable(folder):
        return None
    import numba

    from spacecraft_attitude_sim.kernels.numba_cache import CodeCache

    config: Any = numba.config
    outside, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        return CodeCache(function, name)
    except (RuntimeError, OSError, TypeError):  # as for a function that is in no file
        return None
    finally:
        config.CACHE_DIR = outside


def name_of(function: Any) -> str:
    """Return the last part of the module of a function or kernel, and its name."""
    return f'{function.__module__.rpartition(".")[2]}.{function.__qualname__}'


def version_of(package: str) -> str:
    """Return the version of an installed package, which is not imported.

    The name of the folder of its metadata tells it; importlib.metadata, which asks their text,
    takes 20 ms to import.
    """
    spec = importlib.util.find_spec(package)
    if spec and spec.origin:
        beside = Path(spec.origin).parents[1].glob(f'{package}-*.dist-info')
        folders = [path.name for path in beside]
        if len(folders) == 1:
            return folders[0].removeprefix(f'{package}-').removesuffix('.dist-info')
    from importlib import metadata

    return metadata.version(package)


def processor() -> str:
    """Return the name of this machine's processor."""
    with contextlib.suppress(OSError), open('/proc/cpuinfo', encoding='utf-8') as lines:
        for line in lines:
            if line.startswith('model name'):
                return line
    return platform.machine()


def make_private(folder: str) -> None:
    """Create a private folder of this user, or keep one; raise OSError where that fails."""
    for _ in range(2):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        found = os.lstat(folder)
        if stat.S_ISDIR(found.st_mode) and system.is_private(found):
            return
        if not system.is_own(found):
            break
        say(f'others could write compiled code in {folder}; it is made again')
        if stat.S_ISDIR(found.st_mode):
            import shutil  # takes 3 ms of the start of a node

            shutil.rmtree(folder)
        else:
            os.unlink(folder)
    raise PermissionError(0, 'the folder is not private; delete it', folder)


def read(path: str) -> bytes | None:
    """Return what `write` or `numba_cache.CodeFile` wrote, or None where nothing usable is."""
    try:
        number = os.open(path, os.O_RDONLY | NO_LINK_NO_PIPE)
    except FileNotFoundError:
        return None
    except OSError:
        drop(path)
        return None
    with open(number, 'rb') as file:
        found = os.fstat(number)
        if stat.S_ISREG(found.st_mode) and system.is_private(found):
            digest, content = file.read(DIGEST_SIZE), file.read()
            if digest_of(content) == digest:
                return content
    drop(path)
    return None


def write(path: str, content: bytes) -> None:
    """Write a file for `read`, which appears whole or not at all; OSError where that fails."""
    beside = f'{path}.{os.getpid()}'
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK_NO_PIPE, 0o600)
    with open(number, 'wb') as file:
        file.write(digest_of(content) + content)
    os.replace(beside, path)


def digest_of(content: bytes) -> bytes:
    """Return the checksum of a file's content, DIGEST_SIZE bytes."""
    import hashlib  # a slow import: not before the first tick

    return hashlib.sha256(content).digest()


def drop(path: str) -> None:
    """Delete a file that cannot be used, and say so once."""
    say(f'compiled code in {os.path.dirname(path)} was damaged or not private; it is made again')
    with contextlib.suppress(OSError):
        os.unlink(path)


@functools.cache
def say(text: str) -> None:
    """Print a line to stderr, once in a process."""
    print(f'attitude-sim: {text}', file=sys.stderr, flush=True)


def _nothing(name: str) -> None:
    """Hear the name of a function."""


class Compiling:
    """Knows for how long this process has been compiling functions.

    Pauses of less than PAUSE [s] between two functions belong to it.

    told: whether somebody has said so; for whoever says it once
    names: of the functions, without those that others call; as in warm_up.COMPILE_SECONDS
    heard: called with the name of a function that begins to be compiled while no other is, and
        with '' once none is compiled any more
    """

    PAUSE = 5.0

    def __init__(self) -> None:
        self.told = False
        self.names: set[str] = set()
        self.heard: Callable[[str], object] = _nothing
        self._lock = threading.RLock()
        self._under_way = 0
        self._since = self._ended = -math.inf

    def begin(self, name: str = '') -> None:
        """Note that a function, maybe within another, begins to be compiled.

        name: of the function; '' for one within another
        """
        with self._lock:
            now = time.monotonic()
            if not self._under_way and now - self._ended > self.PAUSE:
                self._since, self.told, self.names = now, False, set()
            self._under_way += 1
            if name:
                self.names = self.names | {name}  # another thread may be reading the old set
                self.heard(name)

    @contextlib.contextmanager
    def noted(self, name: str) -> Iterator[None]:
        """Context in which a function is compiled, or cannot be; name: as in `begin`."""
        self.begin('' if self._under_way else name)
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """Note that a function is compiled, or cannot be."""
        with self._lock:
            self._under_way, self._ended = max(0, self._under_way - 1), time.monotonic()
            if not self._under_way:
                self.heard('')

    @property
    def seconds(self) -> float:
        """For how long it has compiled [s], 0 while it does not."""
        now = time.monotonic()
        return now - self._since if self._under_way or now - self._ended < 1.0 else 0.0


# Of this process.
compiling = Compiling()
