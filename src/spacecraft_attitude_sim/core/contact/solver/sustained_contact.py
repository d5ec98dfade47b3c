# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Advance in contact: RK4 with λ in every stage, projection, until an event or the end.

    reaction → rates → four stages → projection → reaction ...

The sub-step follows the body's rates. At its end, slip approaches zero geometrically, each
sub-step a fraction of the time left, because the friction's direction has no limit there.
"""

import math

from spacecraft_attitude_sim.core.contact.solver.closed_form import (
    closed_substep,
    ellipsoid_geometry,
)
from spacecraft_attitude_sim.core.contact.solver.constraint import (
    JAM_FRACTION,
    SLIP_STOP,
    Reaction,
    rates,
    reaction_at,
    reaction_in,
    slip_direction,
)
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import (
    ELLIPSOID,
    ROLLING,
    SLIDING,
    SLIPPING,
    STILL,
)
from spacecraft_attitude_sim.core.contact.solver.regime_limits import (
    changes_much,
    loses_energy,
    margin,
)
from spacecraft_attitude_sim.core.contact.solver.substeps import substep, substep_length
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm, scaled
from spacecraft_attitude_sim.kernels.kernel import helper, part

# An event is located to this fraction of its sub-step.
EVENT_TOLERANCE = 1e-13
EVENT_STEPS = 80
# A repeated sub-step is not made shorter than this part of its ordinary length; after several
# times HASTE sub-steps in a contact, computing time counts for more.
SHORTEST_FRACTION = 1e-5
HASTE = 500.0

# Reasons why a contact ended.
REACHED_END, LET_GO, BROKE_AWAY, STOPPED_SLIPPING, JAMMED, EXHAUSTED = 0, 1, 2, 3, 4, 5


@part
def advance_in_contact(
    t: float, y: Floats, end: float, regime: int, direction: Floats, longest: float, budget: int,
    forced: bool, held: Held,
) -> tuple[float, Floats, int, int, Floats]:  # fmt: skip
    """Return (t, y, why it ended, sub-steps taken, direction of slip), from t to `end` at most.

    regime: SLIDING, SLIPPING or ROLLING, constant;  direction: (3,) of the slip where it
    is 0;  longest: [s] of a sub-step, 0 for automatic;  budget: most sub-steps
    forced: keep the regime for one sub-step even with a negative margin
    """
    taken = 0
    last_h = math.inf
    haste = HASTE if longest == 0.0 else HASTE + (end - t) / longest
    closed = held.body_kind == ELLIPSOID and held.floor_kind == STILL and not forced
    before = reaction_in(t, y, regime, direction, held)
    if not forced and margin(before, regime, held) < 0.0:
        return t, y, ending(regime), taken, direction
    while t < end:
        if closed:
            t, y, direction, count = advance_in_closed_form(
                t, y, end, regime, direction, longest, budget - taken, held
            )
            taken += count
            if t >= end:
                break
            if count > 0:
                before = reaction_in(t, y, regime, direction, held)
        if before.ease < JAM_FRACTION and not forced:
            return t, y, JAMMED, taken, direction
        if taken >= budget:
            return t, y, EXHAUSTED, taken, direction
        h = substep_length(before, regime, longest, end - t, held)
        shortest = shortest_substep(h, taken, haste)
        if last_h < h:
            h = last_h
        next_t = end if h == end - t else t + h
        k1 = rates(y, before, held)
        trial, after = substep(t, y, h, k1, regime, direction, held)
        taken += 1
        if regime == SLIPPING or not held.strictly_curved:
            if h > shortest and is_rough(h, y, before, trial, after, regime, held):
                last_h = 0.25 * h
                continue
            last_h = 2.0 * h
        if forced:
            return next_t, trial, BROKE_AWAY, taken, direction
        if margin(after, regime, held) < 0.0:
            h = located(t, y, h, k1, before, after, regime, direction, held)
            trial, _ = substep(t, y, h, k1, regime, direction, held)
            return t + h, trial, ending(regime), taken, direction
        if regime == SLIPPING:
            direction = slip_direction(after.slip, direction)
            if slip_ends(before, after, direction):
                return next_t, trial, STOPPED_SLIPPING, taken, direction
        t, y, before = next_t, trial, after
    return end, y, REACHED_END, taken, direction


@helper
def ending(regime: int) -> int:
    """Return why a contact with a negative margin ends."""
    return BROKE_AWAY if regime == ROLLING else LET_GO


@helper
def shortest_substep(h: float, taken: int, haste: float) -> float:
    """Return the length [s] below which a sub-step of ordinary length h is not repeated."""
    late = (taken / haste) * (taken / haste)
    return SHORTEST_FRACTION * (1.0 + late * late) * h


@helper
def is_rough(
    h: float, y: Floats, before: Reaction, trial: Floats, after: Reaction, regime: int, held: Held
) -> bool:
    """Return whether a sub-step from y to `trial` is too long for the changes in it."""
    if changes_much(before, after, regime):
        return True
    return not held.strictly_curved and loses_energy(h, y, before, trial, after, held)


@helper
def slip_ends(before: Reaction, after: Reaction, direction: Floats) -> bool:
    """Return whether slip ended or reversed between two Reactions."""
    speed = norm(after.slip)
    turned_round = dot(direction, after.slip) <= 0.0
    return speed <= SLIP_STOP and (speed <= norm(before.slip) or turned_round)


@part
def located(
    t: float, y: Floats, h: float, k1: Floats, before: Reaction, after: Reaction, regime: int,
    direction: Floats, held: Held,
) -> float:  # fmt: skip
    """Return the sub-step length at which the margin turns negative [s], just past it.

    before, after: the Reactions at 0 and h; bracketed false position (Illinois)
    """
    low, high = 0.0, h
    first, last = margin(before, regime, held), margin(after, regime, held)
    for _ in range(EVENT_STEPS):
        if high - low <= EVENT_TOLERANCE * h:
            break
        middle = high - last * (high - low) / (last - first)
        if not low < middle < high or not math.isfinite(first):
            middle = 0.5 * (low + high)
        _, reaction = substep(t, y, middle, k1, regime, direction, held)
        value = margin(reaction, regime, held)
        if value < 0.0:
            if last < 0.0:
                first = first / 2.0
            high, last = middle, value
        else:
            low, first = middle, value
            last = last / 2.0
    return high


@part
def advance_in_closed_form(
    t: float, y: Floats, end: float, regime: int, direction: Floats, longest: float, budget: int,
    held: Held,
) -> tuple[float, Floats, Floats, int]:  # fmt: skip
    """Return (t, y, direction, sub-steps taken) of an ellipsoid on a plane at rest.

    It stops before a sub-step in which the regime ends or the slip changes much:
    `advance_in_contact` takes that one.
    """
    if regime == ROLLING:
        return in_closed_form(t, y, end, ROLLING, direction, longest, budget, held)
    if regime == SLIDING:
        return in_closed_form(t, y, end, SLIDING, direction, longest, budget, held)
    return in_closed_form(t, y, end, SLIPPING, direction, longest, budget, held)


@helper
def in_closed_form(
    t: float, y: Floats, end: float, regime: int, direction: Floats, longest: float, budget: int,
    held: Held,
) -> tuple[float, Floats, Floats, int]:  # fmt: skip
    """Return advance_in_closed_form; regime: a literal, so that each is compiled on its own."""
    taken = 0
    g = ellipsoid_geometry(y, held)
    before = reaction_at(t, y, g, regime, direction, True, held)
    while t < end and taken < budget:
        h = substep_length(before, regime, longest, end - t, held)
        k1 = rates(y, before, held)
        trial, after = closed_substep(t, y, h, k1, regime, direction, held)
        if not margin(after, regime, held) >= 0.0:
            break
        if regime == SLIPPING:
            speed = norm(after.slip)
            if changes_much(before, after, regime) or not speed > SLIP_STOP:
                break
            if after.ease < JAM_FRACTION:
                break
            direction = scaled(1.0 / speed, after.slip)
        t = end if h == end - t else t + h
        y, before = trial, after
        taken += 1
    return t, y, direction, taken
