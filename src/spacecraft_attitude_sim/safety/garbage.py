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
    """Collect no garbage in this process during the block, and count what was made in it as old.

    The start of a node would collect some hundred times and find nothing, for 10 to 30 ms. The
    first time after the block would search all objects, for another 5 ms, if they were young.
    The thresholds do not touch whether another thread lets collect (gc.enable).
    """
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        yield
    finally:
        grow_old()
        gc.set_threshold(*before)


def grow_old() -> None:
    """Count all objects as old; else Python would look at all new ones at once, for nothing."""
    frozen = gc.get_freeze_count()  # by somebody who wants nobody to look there
    gc.freeze()
    if not frozen:
        gc.unfreeze()  # to the oldest
