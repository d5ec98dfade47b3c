# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flat arrays by name: the index and the length of each part."""

from __future__ import annotations

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike


class Layout:
    """The parts of a flat array, in their order.

        STATE = Layout(position_W=3, q_WB=4)
        STATE.size                    # 7
        flat[STATE.of('q_WB')]        # a view
        Q_WB = STATE.at('q_WB')       # 3, a module constant that compiled code may use

    widths: number of floats of each part
    """

    def __init__(self, **widths: int) -> None:
        self.widths = widths
        self._slices: dict[str, slice] = {}
        self.size = 0
        for name, width in widths.items():
            self._slices[name] = slice(self.size, self.size + width)
            self.size += width

    def at(self, name: str) -> int:
        """Return the index at which a part begins."""
        begin: int = self._slices[name].start
        return begin

    def places(self, *names: str) -> tuple[int, ...]:
        """Return the indices at which the named parts begin; without names, of all parts."""
        return tuple(self.at(name) for name in names or self.widths)

    def of(self, name: str) -> slice:
        """Return the slice of a part."""
        return self._slices[name]

    def packed(self, **parts: float | VectorLike) -> Array:
        """Return the flat array of all parts by name; KeyError for a missing or unknown part."""
        if parts.keys() != self.widths.keys():
            raise KeyError(*sorted(parts.keys() ^ self.widths.keys()))
        flat = np.empty(self.size)
        for name, values in parts.items():
            flat[self._slices[name]] = values
        return flat

    def unpacked(self, flat: Array) -> dict[str, Array]:
        """Return every part of a flat array (size,) by name, as views."""
        return {name: flat[place] for name, place in self._slices.items()}


def six_of(symmetric: Array) -> Array:
    """Return xx, yy, zz, xy, xz, yz of a symmetric matrix (3, 3)."""
    return symmetric[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
