# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""From when to when each fault of a spacecraft has acted in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.faults.fault import NEVER

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Instant, Plant

# So many spans of one fault are told.
MOST_TOLD = 4


class FaultSpans:
    """Notes at every Instant which faults have acted in the tick that ended there.

    spans: {name of a fault: [(from, to)] [s since the start or the last reset]}, to None where it
        still acts
    """

    def __init__(self, plant: Plant) -> None:
        names = [fault.name for fault in plant.spacecraft.faults]
        self.spans: dict[str, list[tuple[float, float | None]]] = {name: [] for name in names}
        self._unplanned = {
            fault.name for fault in plant.spacecraft.faults
            if fault.begins == NEVER and fault.when is None
        }  # fmt: skip
        self._step, self._acting = plant.ticks.step, [False] * len(names)

    def add(self, instant: Instant) -> None:
        """Note an Instant."""
        if not self.spans or not instant.inputs.faults.size:
            return
        began = instant.elapsed_time - self._step
        acting = (instant.inputs.faults > 0.0).tolist()
        if acting == self._acting:
            return
        for spans, now, before in zip(self.spans.values(), acting, self._acting, strict=True):
            if now and not before:
                spans.append((began, None))
            elif before and not now:
                spans[-1] = spans[-1][0], began
        self._acting = acting

    def text(self) -> str:
        """Return the spans of those that have acted, and what never could by itself, in words."""
        acted = [f'{name} {_said(own)}' for name, own in self.spans.items() if own]
        idle = [
            f'{name} never: it has no at and no when, and nobody forced it'
            for name, own in self.spans.items() if name in self._unplanned and not own
        ]  # fmt: skip
        return '; '.join(acted + idle)


def _said(spans: list[tuple[float, float | None]]) -> str:
    words = [
        f'from {begin:g} s' + (f' to {end:g} s' if end is not None else '')
        for begin, end in spans[:MOST_TOLD]
    ]
    more = f', and {len(spans) - MOST_TOLD} more' if len(spans) > MOST_TOLD else ''
    return ', '.join(words) + more
