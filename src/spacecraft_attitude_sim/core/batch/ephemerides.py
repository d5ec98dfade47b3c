# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the craft of a batch know on board of their orbits, as compiled code takes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.environment.around import Surroundings
from spacecraft_attitude_sim.core.environment.surroundings import AROUND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array

# Tables are made for so long at once [s].
STRETCH = 3600.0
NO_TABLE = -1


class Ephemerides:
    """The orbits of N craft, of which several may share one.

    each: functions of a time [s] that return AROUND (25,): `at` of a Surroundings, or of no orbit

    arrays: (N,) which of the tables of core.environment.orbit_table is that of a craft, or -1; the
        tables (M, any); AROUND (N, 25) of those without one
    """

    def __init__(self, each: Sequence[Callable[[float], Array]]) -> None:
        owners: list[Any] = [getattr(own, '__self__', None) for own in each]
        orbits = {id(own): own for own in owners if isinstance(own, Surroundings)}
        numbers = {key: number for number, key in enumerate(orbits)}
        self._orbits = list(orbits.values())
        self._which = np.array([numbers.get(id(own), NO_TABLE) for own in owners], dtype=np.int64)
        self._stills = np.zeros((len(each), AROUND.size))
        for n in np.flatnonzero(self._which == NO_TABLE).tolist():
            self._stills[n] = each[n](0.0)
        self._known = np.ones(1 + len(self._orbits), dtype=bool)
        self._reached = math.inf, -math.inf
        self.arrays = self._which, np.zeros((1, 1)), self._stills

    def reach(self, begin: float, end: float) -> NDArray[np.bool_]:
        """Let the tables cover times from begin to end [s]; return whose orbit is known then."""
        if not self._reached[0] <= begin <= end <= self._reached[1]:
            ahead = STRETCH
            tables = [_table(own, begin, end + ahead) for own in self._orbits]
            if any(table is None for table in tables):  # of a table that ends, the rest
                ahead = 0.0
                tables = [_table(own, begin, end) for own in self._orbits]
            self._known[:-1] = [table is not None for table in tables]
            rows = np.zeros(
                (max(1, len(tables)), max((_size(table) for table in tables), default=1))
            )
            for row, table in zip(rows, tables, strict=False):
                row[: _size(table)] = table if table is not None else 0.0
            self._reached = begin, end + ahead
            self.arrays = self._which, rows, self._stills
        known: NDArray[np.bool_] = self._known[self._which]
        return known


def _table(orbit: Surroundings, begin: float, end: float) -> Array | None:
    """Return the table of an orbit for some times [s]; None where it is not known then."""
    try:
        return orbit.kept(begin, end)
    except ValueError:
        return None


def _size(table: Array | None) -> int:
    return 0 if table is None else len(table)
