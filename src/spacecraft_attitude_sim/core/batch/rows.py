# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays with a row for each body of a batch, of what the caller gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array


def flat_rows(
    given: Array | Sequence[Any], flatten: Callable[[Any], Array], width: int, name: str
) -> Array:
    """Return rows (N, width) of an array, or of a sequence of things that `flatten` makes flat.

    Raises ValueError where their shape is another, or where there is none.
    """
    if not isinstance(given, np.ndarray):
        given = [flatten(one) for one in given]
    rows = np.array(given, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != width or not len(rows):
        raise ValueError(f'{name} have shape {rows.shape}; give (N, {width}), N at least 1')
    return rows


def rows_of(given: Array, count: int, width: int, name: str) -> Array:
    """Return rows (count, width) of as many, or of one (width,) for all; ValueError for others."""
    rows = np.asarray(given, dtype=float)
    if rows.shape not in ((width,), (count, width)):
        raise ValueError(f'{name} have shape {rows.shape}; give ({width},) or ({count}, {width})')
    return np.broadcast_to(rows, (count, width))
