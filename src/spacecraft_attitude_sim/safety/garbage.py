# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When not to look for garbage: while modules and nodes are made, which stay."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def left_alone() -> Iterator[None]:
    """Collect no garbage in this process during the block, and later none of what was made in it.

    The start of a node would collect some hundred times and find nothing, for 10 to 30 ms. The
    first time after the block would search all objects, for another 5 ms, but they are frozen.
    The thresholds do not touch whether another thread lets collect (gc.enable).
    """
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*before)
