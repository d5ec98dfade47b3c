# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of a body that may touch the floor: flight and contact, in turns."""

import math
from typing import Any, NamedTuple

from spacecraft_attitude_sim.core.contact.solver.flight import (
    LOST_POINT,
    STILL_FLYING,
    advance_in_flight,
)
from spacecraft_attitude_sim.core.contact.solver.held import Held, hold
from spacecraft_attitude_sim.core.contact.solver.layout import (
    BODY,
    DIRECTION,
    FINE,
    FLIGHT,
    IMPACTS,
    IMPULSE,
    LOST,
    POINT,
    REGIME,
    SLIPPING,
    STALLED,
    STATUS,
    SUBSTEPS,
)
from spacecraft_attitude_sim.core.contact.solver.projection import projected
from spacecraft_attitude_sim.core.contact.solver.reporting import put, report
from spacecraft_attitude_sim.core.contact.solver.states import contact_state, free_state
from spacecraft_attitude_sim.core.contact.solver.sustained_contact import (
    EXHAUSTED,
    JAMMED,
    LET_GO,
    REACHED_END,
    advance_in_contact,
)
from spacecraft_attitude_sim.core.contact.solver.transitions import land, stopped, stuck, unjam
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.equations.shared.principal_frame import in_body_axes
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    FlatBody,
    FlatState,
    FlatWrench,
    Floats,
)
from spacecraft_attitude_sim.core.mathematics.vectors import added, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled, helper
from spacecraft_attitude_sim.kernels.pointers import borrowed

# Most sub-steps, and most changes of regime, in one advance; beyond them it ends as STALLED.
MOST_SUBSTEPS = 200_000
MOST_CHANGES = 20_000
# After this many changes of regime in one advance a contact lasts for at least one sub-step.
MANY_CHANGES = 200


class Progress(NamedTuple):
    """State of an advance that is under way.

    now: [s];  free: thirteen floats of core.equations.momentum, of a body in flight
    y: sixteen floats of core.contact.solver.held, of a body in contact
    regime, direction, impulse, impacts, substeps, status: so far, of the flat contact
    """

    now: float
    free: Floats
    y: Floats
    regime: int
    direction: Floats
    impulse: Floats
    impacts: int
    substeps: int
    status: int


@compiled
def advance(
    flat_state: FlatState, contact: Array, time: float, wrench: FlatWrench, constants: Array,
    surface: Any, floor: Any, duration: float, substeps: int,
) -> tuple[FlatState, Array]:  # fmt: skip
    """Return the state (13,) and the contact (30,) `duration` seconds later, the wrench constant.

    flat_state: (13,) of core.body.state
    contact: (30,) of core.contact.solver.layout, from `begin` or the last advance
    time: [s] of the floor's motion;  wrench: (12,) of core.body.loads, gravity included
    constants, surface, floor: ContactModel.flat
    substeps: sub-steps of equal length in `duration`, apart from events; 0 chooses them
    """
    constants, wrench = borrowed(constants), borrowed(wrench)
    held = hold(wrench, constants, surface, floor)
    body = constants[BODY : BODY + 12]
    longest = duration / substeps if substeps > 0 else 0.0
    end = time + duration
    free = momentum.in_principal_axes(flat_state, body)
    y = contact_state(free, three_at(contact, POINT), held)
    progress = Progress(
        time, free, y, int(contact[REGIME]), three_at(contact, DIRECTION), (0.0, 0.0, 0.0), 0, 0,
        FINE,
    )  # fmt: skip
    for changes in range(MOST_CHANGES):
        left = MOST_SUBSTEPS - progress.substeps
        if progress.now >= end or progress.status != FINE or left <= 0:
            break
        if progress.regime == FLIGHT:
            free, flat = before_flight(progress, time, flat_state, body, held)
            steps = flight_steps(flat, body, wrench, end - progress.now, longest)
            progress = after_flight(progress, free, end, steps, held)
        else:
            progress = after_contact(progress, end, longest, left, changes > MANY_CHANGES, held)
    free, after = reported(progress, end, held)
    only_flew = contact[REGIME] == FLIGHT and progress.regime == FLIGHT and progress.impacts == 0
    if only_flew and after[STATUS] == FINE:
        # With the bits of a body without a floor.
        return momentum.advance(flat_state, body, wrench, duration, progress.substeps), after
    return in_body_axes(free, body), after


@helper
def before_flight(
    progress: Progress, time: float, flat_state: FlatState, body: FlatBody, held: Held
) -> tuple[Floats, FlatState]:
    """Return the free and the flat state from which a body flies."""
    if progress.now > time or progress.impacts > 0:
        free = free_state(progress.y, held)
        return free, in_body_axes(free, body)
    # With the bits of a body without a floor.
    return progress.free, flat_state


@helper
def flight_steps(
    flat_state: FlatState, body: FlatBody, wrench: FlatWrench, remaining: float, longest: float
) -> int:
    """Return the number of sub-steps of core.equations.momentum for the rest of the flight."""
    if longest > 0.0:
        return max(1, int(math.ceil(remaining / longest * (1.0 - 1e-12))))
    return momentum.substep_count(flat_state, body, wrench, remaining)


@helper
def after_flight(progress: Progress, free: Floats, end: float, steps: int, held: Held) -> Progress:
    """Return the Progress after a flight, and the impact that ends it before `end`."""
    now, free, y, how, count = advance_in_flight(progress.now, free, end, steps, held)
    regime, direction, status = progress.regime, progress.direction, FINE
    impulse, impacts = progress.impulse, progress.impacts
    if how == LOST_POINT:
        status = LOST
    elif how != STILL_FLYING:
        y, regime, direction, kick = land(now, y, held)
        impulse, impacts = added(impulse, kick), impacts + 1
    return Progress(
        now, free, y, regime, direction, impulse, impacts, progress.substeps + count, status
    )


@helper
def after_contact(
    progress: Progress, end: float, longest: float, budget: int, forced: bool, held: Held
) -> Progress:
    """Return the Progress after a contact, and the change of regime that ends it before `end`.

    longest: [s] of a sub-step, 0 for automatic;  budget: most sub-steps
    forced: keep the contact for one sub-step even where its forces cannot last
    """
    y, regime, status = progress.y, progress.regime, FINE
    impulse, impacts = progress.impulse, progress.impacts
    if forced and regime == SLIPPING:
        y, regime = stuck(progress.now, y, held)
    now, y, how, count, direction = advance_in_contact(
        progress.now, y, end, regime, progress.direction, longest, budget, forced, held
    )
    if how == LET_GO:
        regime = FLIGHT
    elif how == JAMMED:
        y, regime, direction, kick = unjam(now, y, held)
        impulse, impacts = added(impulse, kick), impacts + 1
    elif how == EXHAUSTED:
        status = STALLED
    elif how != REACHED_END:
        y, regime, direction = stopped(now, y, held)
    return Progress(
        now, progress.free, y, regime, direction, impulse, impacts, progress.substeps + count,
        status,
    )  # fmt: skip


@helper
def reported(progress: Progress, end: float, held: Held) -> tuple[Floats, Array]:
    """Return the free state and the flat contact at the end of an advance."""
    free, y = progress.free, progress.y
    if progress.regime != FLIGHT:
        y = projected(end, y, progress.regime, held)
        free = free_state(y, held)
    contact = report(end, y, progress.regime, progress.direction, held)
    put(contact, IMPULSE, progress.impulse)
    contact[IMPACTS] = progress.impacts
    contact[SUBSTEPS] = progress.substeps
    if progress.status != FINE:
        contact[STATUS] = progress.status
    elif progress.now < end:
        contact[STATUS] = STALLED
    return free, contact
