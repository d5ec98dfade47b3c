# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When faults act that begin by a timetable or by force: known before a run.

core.simulation.fault_schedule decides the same tick by tick, with conditions and by hand, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.faults.fault import NEVER, NOT, NOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.core.faults.fault import Fault
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Later than any tick.
FOR_EVER = 1 << 62


class Span(NamedTuple):
    """The ticks in which a fault acts, from `begins` to before `ends` [ticks since the start]."""

    begins: int
    ends: int

    def age(self, tick: int) -> int:
        """Return how many ticks the fault has acted, this one included; 0 if it does not act."""
        return tick - self.begins + 1 if self.begins <= tick < self.ends else 0


def span_of(fault: Fault) -> Span | None:
    """Return the Span of a fault; None where it never acts.

    Raises ValueError for a fault that a condition begins.
    """
    if fault.forced in (NOW, NOT):
        return Span(0, FOR_EVER) if fault.forced == NOW else None
    if fault.when:
        raise ValueError(f'fault {fault.name} begins by a condition: {fault.when.text}')
    if fault.begins == NEVER:
        return None
    return Span(fault.begins, fault.begins + fault.lasts if fault.lasts else FOR_EVER)


def spans_of(faults: Sequence[Fault]) -> dict[int, Span]:
    """Return {number of a fault: its Span} of those that may act."""
    spans = ((number, span_of(fault)) for number, fault in enumerate(faults))
    return {number: span for number, span in spans if span}


def ages_at(faults: Sequence[Fault], tick: int) -> Array:
    """Return Inputs.faults (F,) of a tick."""
    ages = np.zeros(len(faults))
    for number, span in spans_of(faults).items():
        ages[number] = span.age(tick)
    return ages


def changes(faults: Sequence[Fault]) -> list[int]:
    """Return the ticks in which other faults act than in the tick before, in order."""
    every = {tick for span in spans_of(faults).values() for tick in span}
    return sorted(every - {FOR_EVER})
