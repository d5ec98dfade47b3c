# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flat arrays by name: where each part of one begins and how long it is."""

from __future__ import annotations


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
        self._begins: dict[str, int] = {}
        self.size = 0
        for name, width in widths.items():
            self._begins[name] = self.size
            self.size += width

    def at(self, name: str) -> int:
        """Return the index at which a part begins."""
        return self._begins[name]

    def of(self, name: str) -> slice:
        """Return the slice of a part."""
        begin = self._begins[name]
        return slice(begin, begin + self.widths[name])
