# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One step of RK4, and the events that end a step: a part sticks, slips, stops or latches.

Events are located inside the step and end it there. Between them the motion is smooth and the
error is of fourth order. Arguments are those of derivatives.slopes; `stage` has five rows of the
size of y, `seen` is a copy of `work` at the beginning of the step.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import ZERO
from spacecraft_attitude_sim.core.environment.sky import surrounded
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    BOOK_SIZE,
    angular_velocity,
    energy,
    hold,
    lock,
    slopes,
)
from spacecraft_attitude_sim.core.mathematics.vectors import put
from spacecraft_attitude_sim.core.parts.craft import (
    DIPOLE,
    FORCE,
    LOADS,
    RATES,
    SWITCHING,
    VALUES,
    WORK_SIZE,
)
from spacecraft_attitude_sim.core.parts.kind import CAME_TO_REST, MAY_HOLD
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.kind import Phases


@part
def rk4(
    phases: Phases, y: Array, h: float, parts: Array, work: Array, sky: Array, time: float,
    stage: Array,
) -> None:  # fmt: skip
    """Write y after one Runge-Kutta step to the first of the five rows of `stage`.

    The second row must hold dy/dt at the beginning;  time: orbit time at the beginning [s]
    """
    n = int(parts[VALUES])
    middle, last = surrounded(sky, time + 0.5 * h), surrounded(sky, time + h)
    now, one, two = stage, from_index(stage, n), from_index(stage, 2 * n)
    three, four = from_index(stage, 3 * n), from_index(stage, 4 * n)
    for j in range(n):
        now[j] = y[j] + 0.5 * h * one[j]
    slopes(phases, now, 0.5 * h, two, parts, work, sky, middle)
    for j in range(n):
        now[j] = y[j] + 0.5 * h * two[j]
    slopes(phases, now, 0.5 * h, three, parts, work, sky, middle)
    for j in range(n):
        now[j] = y[j] + h * three[j]
    slopes(phases, now, h, four, parts, work, sky, last)
    for j in range(n):
        now[j] = y[j] + h / 6.0 * (one[j] + 2.0 * (two[j] + three[j]) + four[j])
    s = 1.0 / math.sqrt(now[3] * now[3] + now[4] * now[4] + now[5] * now[5] + now[6] * now[6])
    for j in range(3, 7):
        now[j] = s * now[j]


@part
def draw_lines(
    phases: Phases, y: Array, h: float, parts: Array, work: Array, internal: Array
) -> None:
    """Replace lags and rotating loads by straight lines over a step of h seconds.

    Each line has the integral and first moment of what it replaces: motor lags, imbalance, thrust,
    dipoles. With h = 0 the lines are the values now.
    """
    for j in range(6):
        work[FORCE + j] = 0.0
    for j in range(9):
        work[RATES + j] = 0.0
    put(work, DIPOLE, loads.dipole(ZERO, parts, LOADS))
    phases.draw_lines(parts, internal, y, work, h)


@part
def stepped(
    phases: Phases, y: Array, h: float, parts: Array, work: Array, sky: Array, time: float,
    stage: Array,
) -> Floats:  # fmt: skip
    """Take a step of h seconds into `stage`; return ω at its end, three floats, body axes.

    The lines are drawn, and the second row of `stage` holds dy/dt at the beginning.
    """
    slope = from_index(stage, int(parts[VALUES]))
    rk4(phases, y, h, parts, work, sky, time, stage)
    # Constraint torques need the acceleration at the end; S may change in a step.
    if phases.changes_inertia(parts) or holds_any(phases, parts, work):
        here = surrounded(sky, time + h)
        omega, _ = slopes(phases, stage, h, slope, parts, work, sky, here)
        return omega
    return angular_velocity(phases, stage, parts, work)  # S is constant


@helper
def holds_any(phases: Phases, parts: Array, work: Array) -> bool:
    """Return whether any part is held: stuck, locked, at a limit or latched."""
    _, k, _ = phases.worst((-1, -1, -math.inf), parts, work, True)
    return k >= 0


@part
def tried(
    phases: Phases, y: Array, h: float, parts: Array, work: Array, internal: Array, sky: Array,
    time: float, stage: Array,
) -> Floats:  # fmt: skip
    """Draw the lines of a step of h seconds and take it; returns as `stepped`."""
    slope = from_index(stage, int(parts[VALUES]))
    draw_lines(phases, y, h, parts, work, internal)
    slopes(phases, y, 0.0, slope, parts, work, sky, surrounded(sky, time))
    return stepped(phases, y, h, parts, work, sky, time, stage)


@helper
def worst(phases: Phases, parts: Array, work: Array, only_held: bool) -> tuple[int, int]:
    """Return the kind's slot and the index of the part with the largest positive event function.

    -1, -1 for none;  only_held: look only at those that are constrained
    """
    slot, k, _ = phases.worst((-1, -1, 0.0), parts, work, only_held)
    return slot, k


@part
def change_mode(
    phases: Phases, y: Array, slope: Array, slot: int, k: int, parts: Array, work: Array,
    sky: Array, here: Floats,
) -> None:  # fmt: skip
    """Change the mode of a part at an event.

    A part that may be held stays so if its constraint torque allows it; else it is released. What
    comes to rest loses its energy as heat.
    """
    before = energy(phases, y, parts, work, angular_velocity(phases, y, parts, work))
    outcome = phases.change(slot, k, parts, y, work)
    lock(phases, parts, work)
    if outcome == MAY_HOLD:
        omega, _ = slopes(phases, y, 0.0, slope, parts, work, sky, here)
        if phases.excess(slot, k, parts, work) <= 0.0:
            hold(phases, y, 0.0, parts, work, omega)
            return
        phases.release(slot, k, parts, work)
        lock(phases, parts, work)
    if outcome == CAME_TO_REST:
        omega = angular_velocity(phases, y, parts, work)
        hold(phases, y, 0.0, parts, work, omega)
        y[int(parts[VALUES]) - BOOK_SIZE + 1] += before - energy(phases, y, parts, work, omega)


@part
def located(
    phases: Phases, y: Array, h: float, slot: int, k: int, start: float, parts: Array,
    work: Array, internal: Array, sky: Array, time: float, stage: Array, seen: Array, least: float,
) -> float:  # fmt: skip
    """Return the time of the event of a part within a step of h [s].

    Regula falsi with the Illinois modification, to `least` [s].

    start: event function at the beginning of the step
    """
    low, high, at_low = 0.0, h, min(start, 0.0)
    at_high = phases.excess(slot, k, parts, work)
    side = 0
    for _ in range(100):
        if high - low <= least:
            break
        middle = high - at_high * (high - low) / (at_high - at_low)
        if not low < middle < high:
            middle = 0.5 * (low + high)
        for j in range(int(parts[WORK_SIZE])):
            work[j] = seen[j]
        tried(phases, y, middle, parts, work, internal, sky, time, stage)
        beyond = phases.excess(slot, k, parts, work)
        if beyond > 0.0:
            high, at_high = middle, beyond
            if side == 1:
                at_low *= 0.5
            side = 1
        else:
            low, at_low = middle, beyond
            if side == -1:
                at_high *= 0.5
            side = -1
            if beyond == 0.0:
                high = middle
                break
    return high


@helper
def piece_of(
    phases: Phases, step: float, parts: Array, internal: Array, work: Array, t: float,
    time: float, soon: float, field: float, bend: float,
) -> tuple[float, bool]:  # fmt: skip
    """Return the length of the next piece of a sub-step [s], and whether it is all that is left.

    step: what is left of the sub-step;  t, time: since the tick began, and of the orbit [s]
    field, bend: of step_count, 0 where sub-steps are given
    """
    if rarely(parts[SWITCHING] > 0.0 or bend > 0.0):
        return shorter_piece(phases, step, parts, internal, work, t, time, soon, field, bend)
    return step, True


@part
def shorter_piece(
    phases: Phases, step: float, parts: Array, internal: Array, work: Array, t: float,
    time: float, soon: float, field: float, bend: float,
) -> tuple[float, bool]:  # fmt: skip
    """Do what `piece_of` does, where something switches or sub-steps are chosen."""
    until = longest = math.inf
    if parts[SWITCHING] > 0.0:
        until = phases.next_switch(math.inf, parts, internal, work, t, time, soon)
    if bend > 0.0:
        longest = phases.longest_step(math.inf, parts, internal, work, field, bend)
    until = min(max(until, soon), max(soon, longest))
    whole = until >= step - soon
    return (step if whole else until), whole
