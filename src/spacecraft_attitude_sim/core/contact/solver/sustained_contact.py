# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Move while in contact: RK4 with λ in every stage, projection, until an event or the end.

    reaction → rates → four stages → projection → reaction ...

The sub-step follows the body's rates. Slipping ends in a geometric approach to zero slip, each
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
    rates,
    reaction,
    reaction_at,
)
from spacecraft_attitude_sim.core.contact.solver.regime_limits import (
    changes_much,
    loses_energy,
    margin,
)
from spacecraft_attitude_sim.core.contact.solver.scene import (
    ELLIPSOID,
    ROLLING,
    SLIDING,
    SLIPPING,
    STILL,
    STRICTLY_CURVED,
)
from spacecraft_attitude_sim.core.contact.solver.substeps import substep, substep_length
from spacecraft_attitude_sim.core.contact.solver.vectors import dot, norm, scaled
from spacecraft_attitude_sim.kernels.kernel import helper, part

# An event is located to this fraction of its sub-step.
EVENT_TOLERANCE = 1e-13


EVENT_STEPS = 80


SHORTEST_FRACTION = 1e-5


# After several times this many sub-steps in a ride the time they take counts for more.
HASTE = 500.0


# Why riding ended.
REACHED_END, LET_GO, BROKE_AWAY, STOPPED_SLIPPING, JAMMED, EXHAUSTED = 0, 1, 2, 3, 4, 5


@helper
def ending(regime):
    """Return why a contact with a negative margin ends."""
    return BROKE_AWAY if regime == ROLLING else LET_GO


@part
def located(t, y, h, k1, before, after, regime, direction, scene):
    """Return the sub-step length at which the margin turns negative [s], just past it.

    before, after: the margins at 0 and h; bracketed false position (Illinois).
    """
    low, high = 0.0, h
    for _ in range(EVENT_STEPS):
        if high - low <= EVENT_TOLERANCE * h:
            break
        middle = high - after * (high - low) / (after - before)
        if not low < middle < high or not math.isfinite(before):
            middle = 0.5 * (low + high)
        _, seen = substep(t, y, middle, k1, regime, direction, scene)
        value = margin(seen, regime, scene)
        if value < 0.0:
            if after < 0.0:
                before = before / 2.0
            high, after = middle, value
        else:
            low, before = middle, value
            after = after / 2.0
    return high


@part
def coast(t, y, end, regime, direction, longest, budget, scene):
    """Return (t, y, direction, sub-steps taken) after riding while nothing happens.

    For an ellipsoid on a plane at rest. Stops short of a sub-step in which the regime ends or the
    slip changes much: `ride` looks into that one.
    """
    if regime == ROLLING:
        return coast_in(t, y, end, ROLLING, direction, longest, budget, scene)
    if regime == SLIDING:
        return coast_in(t, y, end, SLIDING, direction, longest, budget, scene)
    return coast_in(t, y, end, SLIPPING, direction, longest, budget, scene)


@helper
def coast_in(t, y, end, regime, direction, longest, budget, scene):
    """Return the same; regime: a literal, so that each is compiled without the others."""
    taken = 0
    g = ellipsoid_geometry(y, scene)
    touch = reaction_at(t, y, g, regime, direction, True, scene)
    while t < end and taken < budget:
        h = substep_length(touch, regime, longest, end - t, scene)
        k1 = rates(y, touch, scene)
        trial, seen = closed_substep(t, y, h, k1, regime, direction, scene)
        if not margin(seen, regime, scene) >= 0.0:
            break
        if regime == SLIPPING:
            speed = norm(seen.slip)
            if changes_much(touch, seen, regime) or not speed > SLIP_STOP:
                break
            if seen.ease < JAM_FRACTION:
                break
            direction = scaled(1.0 / speed, seen.slip)
        t = end if h == end - t else t + h
        y, touch = trial, seen
        taken += 1
    return t, y, direction, taken


@part
def ride(t, y, end, regime, direction, longest, budget, forced, scene):
    """Return (t, y, why it ended, sub-steps taken, direction of slip), from t to `end` at most.

    regime: SLIDING, SLIPPING or ROLLING, held throughout;  direction: (3,) of the slip where it
    is 0;  longest: [s] of a sub-step, 0 for automatic;  budget: most sub-steps
    forced: keep the regime for one sub-step whatever its margin
    """
    taken = 0
    last_h = math.inf
    haste = HASTE if longest == 0.0 else HASTE + (end - t) / longest
    closed = scene.body_kind == ELLIPSOID and scene.floor_kind == STILL
    touch = reaction(t, y, regime, direction, scene)
    if not forced and margin(touch, regime, scene) < 0.0:
        return t, y, ending(regime), taken, direction
    while t < end:
        if closed and not forced:
            t, y, direction, count = coast(
                t, y, end, regime, direction, longest, budget - taken, scene
            )
            taken += count
            if t >= end:
                break
            if count > 0:
                touch = reaction(t, y, regime, direction, scene)
        if touch.ease < JAM_FRACTION and not forced:
            return t, y, JAMMED, taken, direction
        if taken >= budget:
            return t, y, EXHAUSTED, taken, direction
        h = substep_length(touch, regime, longest, end - t, scene)
        late = (taken / haste) * (taken / haste)
        shortest = SHORTEST_FRACTION * (1.0 + late * late) * h
        if last_h < h:
            h = last_h
        next_t = end if h == end - t else t + h
        k1 = rates(y, touch, scene)
        trial, seen = substep(t, y, h, k1, regime, direction, scene)
        taken += 1
        if regime == SLIPPING or scene.settings[STRICTLY_CURVED] == 0.0:
            rough = changes_much(touch, seen, regime)
            if scene.settings[STRICTLY_CURVED] == 0.0 and not rough:
                rough = loses_energy(h, y, touch, trial, seen, scene)
            if rough and h > shortest:
                last_h = 0.25 * h
                continue
            last_h = 2.0 * h
        if forced:
            return next_t, trial, BROKE_AWAY, taken, direction
        if margin(seen, regime, scene) < 0.0:
            before, after = margin(touch, regime, scene), margin(seen, regime, scene)
            h = located(t, y, h, k1, before, after, regime, direction, scene)
            trial, _ = substep(t, y, h, k1, regime, direction, scene)
            return t + h, trial, ending(regime), taken, direction
        last, speed = norm(touch.slip), norm(seen.slip)
        t, y, touch = next_t, trial, seen
        if regime == SLIPPING:
            if speed > SLIP_STOP:
                direction = scaled(1.0 / speed, seen.slip)
            turned_round = dot(direction, seen.slip) <= 0.0
            if speed <= SLIP_STOP and (speed <= last or turned_round):
                return t, y, STOPPED_SLIPPING, taken, direction
    return end, y, REACHED_END, taken, direction
