# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Move in free flight until the body touches the floor: core.equations.momentum, watched.

The flight itself is bit for bit the ordinary free motion; watching the gap only ends it.
"""

from spacecraft_attitude_sim.core.compiled import helper
from spacecraft_attitude_sim.core.contact.finding import contact_point
from spacecraft_attitude_sim.core.contact.projection import relative_velocity
from spacecraft_attitude_sim.core.contact.scene import free_part, joined, point_of
from spacecraft_attitude_sim.core.contact.vectors import dot, norm
from spacecraft_attitude_sim.core.equations import momentum

# The floor is touched at this depth [m], so that a body that has just left it is not touching.
TOUCH_DEPTH = 1e-13
EVENT_STEPS = 100

LANDED, STILL_FLYING, LOST_POINT = 0, 1, 2


@helper
def clearance(t, y, scene):
    """Return the gap at the lowest point [m], above TOUCH_DEPTH; the state with that point."""
    c, found = contact_point(t, y, scene)
    level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    gap = level[0] / norm((level[3], level[4], level[5]))
    return gap + TOUCH_DEPTH, joined(free_part(y), c), found


@helper
def approach(t, y, scene):
    """Return the rate of the gap [m/s]."""
    _, _, n, over = relative_velocity(t, y, scene)
    return dot(n, over)


@helper
def flown(t, y, h, scene):
    """Return the state h seconds later in free flight, its contact point and clearance found."""
    inverses = (
        scene.inverse_mass,
        scene.inverse_moments[0],
        scene.inverse_moments[1],
        scene.inverse_moments[2],
    )
    free = momentum.rk4(free_part(y), h, inverses, scene.wrench)
    return clearance(t + h, joined(free, point_of(y)), scene)


@helper
def lowest_between(t, y, h, scene):
    """Return when within h the gap is least [s], it falling at 0 and rising at h; bisection."""
    low, high = 0.0, h
    for _ in range(40):
        middle = 0.5 * (low + high)
        _, trial, _ = flown(t, y, middle, scene)
        if approach(t + middle, trial, scene) < 0.0:
            low = middle
        else:
            high = middle
    return high


@helper
def touching(t, y, h, before, after, scene):
    """Return when within h the clearance turns negative [s], just past it (Illinois)."""
    low, high = 0.0, h
    for _ in range(EVENT_STEPS):
        middle = high - after * (high - low) / (after - before)
        if not low < middle < high:
            break
        value, _, _ = flown(t, y, middle, scene)
        if value < 0.0:
            high, after = middle, value
            before = before / 2.0
            if value > -0.1 * TOUCH_DEPTH:
                break
        else:
            low, before = middle, value
            after = after / 2.0
    return high


@helper
def may_graze(before, after, rate_before, rate_after, h):
    """Return whether a gap positive at both ends can be negative between: cubic bound."""
    if rate_before >= 0.0 or rate_after <= 0.0:
        return False
    return min(before, after) < 0.5 * h * max(-rate_before, rate_after)


@helper
def fly(t, y, end, steps, scene):
    """Return (t, y, how it ended, sub-steps taken), from t to `end` in `steps` sub-steps."""
    h = (end - t) / steps
    start = t
    before, y, found = clearance(t, y, scene)
    if not found:
        return t, y, LOST_POINT, 0
    rate_before = approach(t, y, scene)
    if before < 0.0:
        return t, y, LANDED, 0
    for index in range(steps):
        t = start + index * h
        after, trial, found = flown(t, y, h, scene)
        if not found:
            return t, y, LOST_POINT, index
        rate_after = approach(t + h, trial, scene)
        span = h
        if after >= 0.0 and may_graze(before, after, rate_before, rate_after, h):
            dip = lowest_between(t, y, h, scene)
            low, _, _ = flown(t, y, dip, scene)
            if low < 0.0:
                span, after = dip, low
        if after < 0.0:
            span = touching(t, y, span, before, after, scene)
            _, y, found = flown(t, y, span, scene)
            return t + span, y, LANDED, index + 1
        y, before, rate_before = trial, after, rate_after
    return end, y, STILL_FLYING, steps
