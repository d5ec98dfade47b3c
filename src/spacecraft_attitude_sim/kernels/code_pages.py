# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The memory in which the code of a library stands, given back once it has done its work."""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path

MAPS = Path('/proc/self/smaps')
# Of mmap(2): code and constants; of madvise(2): their pages may be dropped.
READ_ONLY, DONT_NEED = ('r-xp', 'r--p'), 4
# Lines that say how much of a mapping is not as in its file [kB], in memory or swapped out.
WRITTEN = 'Anonymous:', 'Swap:'


def give_back(library: str) -> int:
    """Drop the pages of code and constants of a library; return how many bytes they may fill.

    Nothing else changes: what is read again is read from its file again. Without Linux, or without
    the library, nothing is dropped.

    library: part of the name of its file
    """
    dropped = 0
    with contextlib.suppress(OSError, AttributeError, ValueError):
        parts = as_in_file(MAPS.read_text(encoding='utf-8'), library)  # only Linux has it
        advise = ctypes.CDLL(None).madvise
        advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
        for begin, end in parts:
            if advise(begin, end - begin, DONT_NEED) == 0:
                dropped += end - begin
    return dropped


def as_in_file(maps: str, library: str) -> list[tuple[int, int]]:
    """Return (begin, end) of the parts of a library that its process reads only, and never wrote.

    The loader writes addresses into some constants before it protects them. Those are not in the
    file, and dropping them would end the process.

    maps: text of /proc/self/smaps
    """
    parts, part, written = [], None, 0
    for line in maps.splitlines():
        first, *fields = line.split(maxsplit=5)
        if not first.endswith(':'):  # a mapping; lines about it follow
            ours = len(fields) == 5 and fields[0] in READ_ONLY and library in Path(fields[4]).name
            part, written = first if ours else None, 0
        elif part and first in WRITTEN:
            written += int(fields[0])
            if first == WRITTEN[-1] and not written:
                begin, end = (int(one, 16) for one in part.split('-'))
                parts.append((begin, end))
    return parts
