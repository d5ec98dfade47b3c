# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Move while in contact: RK4 with λ in every stage, projection, until an event or the end.

    reaction → rates → four stages → projection → reaction ...

The sub-step follows the body's rates. Slipping ends in a geometric approach to zero slip, each
sub-step a fraction of the time left, because the friction's direction has no limit there.
"""

import math

from spacecraft_attitude_sim.core.compiled import helper, part
from spacecraft_attitude_sim.core.contact.constraint import (
    JAM_FRACTION,
    SLIP_STOP,
    rates,
    reaction,
    reaction_at,
)
from spacecraft_attitude_sim.core.contact.geometry import geometry
from spacecraft_attitude_sim.core.contact.projection import (
    nearly_projected,
    uses_support,
    with_support_point,
)
from spacecraft_attitude_sim.core.contact.scene import (
    FLOOR_RATE,
    FRICTION,
    INNER_RADIUS,
    RELEASES,
    ROLLING,
    SLIPPING,
    STRICTLY_CURVED,
)
from spacecraft_attitude_sim.core.contact.vectors import (
    displaced,
    dot,
    norm,
    scaled,
    subtracted,
)

# Largest change of attitude, contact point or swing in one automatic sub-step [rad].
SUBSTEP_ANGLE = 1.0 / 64.0
# Slipping: largest part of the slip one sub-step may change.
SLIP_FRACTION = 0.25
# An event is located to this fraction of its sub-step.
EVENT_TOLERANCE = 1e-13
EVENT_STEPS = 80

# Where a superellipsoid grows flat or round again, or friction comes near to a jam, a sub-step may
# change the bending or the ease by these factors, unless it is this part of its ordinary length.
BENDING_RATIO = 1.15
EASE_RATIO = 1.1
SHORTEST_FRACTION = 1e-5
# After several times this many sub-steps in a ride the time they take counts for more.
HASTE = 500.0

# Why riding ended.
REACHED_END, LET_GO, BROKE_AWAY, STOPPED_SLIPPING, JAMMED, EXHAUSTED = 0, 1, 2, 3, 4, 5


@helper
def moved(y, h, k):
    """Return y + h k, sixteen floats."""
    return (
        y[0] + h * k[0], y[1] + h * k[1], y[2] + h * k[2], y[3] + h * k[3],
        y[4] + h * k[4], y[5] + h * k[5], y[6] + h * k[6], y[7] + h * k[7],
        y[8] + h * k[8], y[9] + h * k[9], y[10] + h * k[10], y[11] + h * k[11],
        y[12] + h * k[12], y[13] + h * k[13], y[14] + h * k[14], y[15] + h * k[15],
    )  # fmt: skip


@helper
def normalised(y):
    """Return y with its quaternion divided by its norm, from which RK4 lets it drift."""
    s = 1.0 / math.sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6])
    return (
        y[0], y[1], y[2], s * y[3], s * y[4], s * y[5], s * y[6], y[7],
        y[8], y[9], y[10], y[11], y[12], y[13], y[14], y[15],
    )  # fmt: skip


@helper
def stage(t, y, regime, direction, scene):
    """Return the rates at one stage."""
    if uses_support(scene):
        y = with_support_point(t, y, scene)
    g = geometry(t, y, scene)
    return rates(y, reaction_at(t, y, g, regime, direction, scene), scene)


@part
def substep(t, y, h, k1, regime, direction, scene):
    """Return the state one sub-step of h seconds later, on the constraint, and its Reaction."""
    k2 = stage(t + h / 2.0, moved(y, h / 2.0, k1), regime, direction, scene)
    k3 = stage(t + h / 2.0, moved(y, h / 2.0, k2), regime, direction, scene)
    k4 = stage(t + h, moved(y, h, k3), regime, direction, scene)
    y = moved(moved(moved(moved(y, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4)
    y, g = nearly_projected(t + h, normalised(y), regime, scene)
    return y, reaction_at(t + h, y, g, regime, direction, scene)


@helper
def substep_length(touch, regime, longest, remaining, scene):
    """Return the length of the next sub-step [s]; equal parts of what remains.

    longest: [s], or 0 to choose it from the rates: turning, travel of the contact point over the
    body, swing under the applied force, motion of the floor.
    """
    if longest == 0.0:
        size = scene.settings[INNER_RADIUS]
        w = scene.wrench
        weight = norm((w[0], w[1], w[2])) + norm((w[6], w[7], w[8]))
        swing = math.sqrt(weight * scene.inverse_mass / size)
        rate = norm(touch.omega_S) + norm(touch.travel_S) / size + swing
        longest = SUBSTEP_ANGLE / (rate + scene.settings[FLOOR_RATE] + 1e-3)
    if regime == SLIPPING:
        change = norm(touch.slip_rate)
        speed = max(norm(touch.slip), SLIP_STOP)
        if change * longest > SLIP_FRACTION * speed:
            longest = SLIP_FRACTION * speed / change
    return remaining / math.ceil(remaining / longest * (1.0 - 1e-12))


@helper
def grip(touch, friction):
    """Return μ λ_n - |λ_t| of a rolling contact [N]: negative when it must slip."""
    if friction == math.inf:
        return math.inf
    return friction * touch.normal_force - norm(tangential_force(touch))


@helper
def tangential_force(touch):
    """Return the friction force (3,) [N]."""
    return displaced(touch.force, -touch.normal_force, touch.normal)


@helper
def margin(touch, regime, scene):
    """Return what must stay positive while the regime lasts [N]."""
    held = touch.normal_force if scene.settings[RELEASES] != 0.0 else math.inf
    if regime == ROLLING:
        return min(held, grip(touch, scene.settings[FRICTION]))
    return held


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


@helper
def changes_much(before, after, regime):
    """Return whether bending, ease or slip changed too much in a sub-step to follow them."""
    bending = after.bending / before.bending
    if not 1.0 / BENDING_RATIO < bending < BENDING_RATIO:
        return True
    if regime != SLIPPING:
        return False
    ease = after.ease / before.ease
    change = norm(subtracted(after.slip, before.slip))
    slip = max(norm(before.slip), SLIP_STOP)
    return not 1.0 / EASE_RATIO < ease < EASE_RATIO or change > 2.0 * SLIP_FRACTION * slip


@part
def ride(t, y, end, regime, direction, longest, budget, forced, scene):
    """Return (t, y, why it ended, sub-steps taken, direction of slip), from t to `end` at most.

    regime: SLIDING, SLIPPING or ROLLING, held throughout;  direction: (3,) of the slip where it
    is 0;  longest: [s] of a sub-step, 0 for automatic;  budget: most sub-steps
    forced: keep the regime for one sub-step whatever its margin
    """
    taken = 0
    last_h = math.inf
    touch = reaction(t, y, regime, direction, scene)
    if not forced and margin(touch, regime, scene) < 0.0:
        return t, y, ending(regime), taken, direction
    while t < end:
        if touch.ease < JAM_FRACTION and not forced:
            return t, y, JAMMED, taken, direction
        if taken >= budget:
            return t, y, EXHAUSTED, taken, direction
        h = substep_length(touch, regime, longest, end - t, scene)
        shortest = SHORTEST_FRACTION * (1.0 + (taken / HASTE) ** 4) * h
        if last_h < h:
            h = last_h
        next_t = end if h == end - t else t + h
        k1 = rates(y, touch, scene)
        trial, seen = substep(t, y, h, k1, regime, direction, scene)
        taken += 1
        if regime == SLIPPING or scene.settings[STRICTLY_CURVED] == 0.0:
            if changes_much(touch, seen, regime) and h > shortest:
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
