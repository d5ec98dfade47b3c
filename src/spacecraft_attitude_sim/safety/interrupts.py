# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C during imports, when many libraries would convert a KeyboardInterrupt."""

from __future__ import annotations

import os
import signal

# Not of typing: its import takes milliseconds, in which Ctrl-C would give a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

STATUS = 130  # 128 + SIGINT, as in a shell
LINE = b'attitude-sim: interrupted\n'


def end_at_once() -> NoReturn:
    """Print one line and end the process."""
    os.write(2, LINE)
    os._exit(STATUS)


def importing(frame: FrameType | None) -> bool:
    """Return whether the frame that a signal interrupted is inside an import."""
    while frame:
        if frame.f_code.co_filename.startswith('<frozen importlib'):
            return True
        frame = frame.f_back
    return False


def _take(number: int, frame: FrameType | None) -> NoReturn:
    if importing(frame):  # nothing has started that would need an end
        end_at_once()
    raise KeyboardInterrupt


def take() -> None:
    """Let SIGINT end imports at once, and raise KeyboardInterrupt anywhere else."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else SIGINT is ignored
        signal.signal(signal.SIGINT, _take)
