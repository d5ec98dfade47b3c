# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The memory in which the code of a library stands, given back once it has done its work."""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path

MAPS = Path('/proc/self/maps')
# Of mmap(2) and madvise(2): code as the file has it, and that its pages may be dropped.
CODE, DONT_NEED = 'r-xp', 4


def give_back(library: str) -> int:
    """Drop the pages of code of a library from memory; return how many bytes they may fill.

    Nothing else changes: code that is run again is read from its file again. Without Linux, or
    without the library, nothing is dropped.

    library: part of the name of its file
    """
    dropped = 0
    with contextlib.suppress(OSError, AttributeError, ValueError):
        lines = MAPS.read_text(encoding='utf-8').splitlines()  # first: only Linux has it
        advise = ctypes.CDLL(None).madvise
        advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
        for line in lines:
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and fields[1] == CODE and library in Path(fields[5]).name:
                begin, end = (int(one, 16) for one in fields[0].split('-'))
                if advise(begin, end - begin, DONT_NEED) == 0:
                    dropped += end - begin
    return dropped
