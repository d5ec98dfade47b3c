# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Advance in free flight until the body touches the floor: core.equations.momentum and the gap.

The flight is bit for bit the ordinary free motion; the gap only ends it.
"""

import math

from spacecraft_attitude_sim.core.contact.solver.detection import contact_point
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.projection import relative_velocity
from spacecraft_attitude_sim.core.contact.solver.states import contact_state, with_point
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm
from spacecraft_attitude_sim.kernels.kernel import helper, part

# The floor is touched at this depth [m], so that a body that has just left it is not touching.
CONTACT_DEPTH = 1e-13
EVENT_STEPS = 100
# Largest part of the motion of a floor between two looks at the gap [rad].
LARGEST_LOOK = 1.0

LANDED, STILL_FLYING, LOST_POINT = 0, 1, 2


@helper
def clearance(t: float, y: Floats, held: Held) -> tuple[float, Floats, bool]:
    """Return the gap at the lowest point [m], above CONTACT_DEPTH; the state with that point."""
    c, found = contact_point(t, y, held)
    level = held.level(t, c[0], c[1], c[2], held.floor_parameters)
    gap = level[0] / norm((level[3], level[4], level[5]))
    return gap + CONTACT_DEPTH, with_point(y, c), found


@helper
def approach(t: float, y: Floats, held: Held) -> float:
    """Return the rate of the gap [m/s]."""
    n, over = relative_velocity(t, y, held)
    return dot(n, over)


@part
def flown(t: float, free: Floats, h: float, held: Held) -> tuple[Floats, float, Floats, bool]:
    """Return the free state h seconds later, its clearance, its contact state, and if found."""
    free = momentum.rk4(free, h, held.free_body, held.free_wrench)
    gap, y, found = clearance(t + h, contact_state(free, (0.0, 0.0, 0.0), held), held)
    return free, gap, y, found


@part
def turning_time(
    t: float, free: Floats, low: float, high: float, sign: float, held: Held
) -> float:
    """Return the time from low to high at which the gap's rate changes sign [s]; bisection.

    sign: 1 from falling to rising, -1 from rising to falling
    """
    for _ in range(40):
        middle = 0.5 * (low + high)
        _, _, trial, _ = flown(t, free, middle, held)
        if sign * approach(t + middle, trial, held) < 0.0:
            low = middle
        else:
            high = middle
    return high


@part
def landing_time(
    t: float, free: Floats, low: float, high: float, before: float, after: float, held: Held
) -> float:
    """Return the time at which the clearance turns negative [s], just past it (Illinois).

    before, after: clearance at low, positive, and at high, negative [m]
    """
    for _ in range(EVENT_STEPS):
        middle = high - after * (high - low) / (after - before)
        if not low < middle < high:
            break
        _, value, _, _ = flown(t, free, middle, held)
        if value < 0.0:
            high, after = middle, value
            before = before / 2.0
            if value > -0.1 * CONTACT_DEPTH:
                break
        else:
            low, before = middle, value
            after = after / 2.0
    return high


@helper
def may_graze(
    before: float, after: float, rate_before: float, rate_after: float, h: float
) -> bool:
    """Return whether a gap positive at both ends can be negative in between: a cubic bound."""
    if rate_before >= 0.0 or rate_after <= 0.0:
        return False
    return min(before, after) < 0.5 * h * max(-rate_before, rate_after)


@part
def advance_in_flight(
    t: float, free: Floats, end: float, steps: int, held: Held
) -> tuple[float, Floats, Floats, int, int]:
    """Return (t, free, y, how it ended, sub-steps taken), from t to `end` in `steps` sub-steps.

    free: thirteen floats of core.equations.momentum;  y: the same with the lowest point
    """
    h = (end - t) / steps
    looks = max(1, int(math.ceil(held.floor_rate * h / LARGEST_LOOK)))
    start = t
    before, y, found = clearance(t, contact_state(free, (0.0, 0.0, 0.0), held), held)
    rate_before = approach(t, y, held)
    if not found:
        return t, free, y, LOST_POINT, 0
    if before < 0.0 and rate_before <= 0.0:
        return t, free, y, LANDED, 0
    for index in range(steps):
        t = start + index * h
        since = 0.0
        for look in range(looks):
            until = h if look == looks - 1 else h * (look + 1) / looks
            ahead, after, trial, found = flown(t, free, until, held)
            if not found:
                return t, free, y, LOST_POINT, index
            rate_after = approach(t + until, trial, held)
            low, span = since, until
            if rate_before > 0.0 and after < 0.0:
                # After a bounce the gap begins at zero, with round-off of either sign: search for
                # the touch from the top of the hop on.
                low = turning_time(t, free, since, until, -1.0, held)
                _, before, _, _ = flown(t, free, low, held)
                if before <= 0.0 and since > 0.0:
                    free, _, y, _ = flown(t, free, since, held)
                    return t + since, free, y, LANDED, index + 1
                if before <= 0.0:
                    return t, free, y, LANDED, index
            if after >= 0.0 and may_graze(before, after, rate_before, rate_after, until - since):
                dip = turning_time(t, free, since, until, 1.0, held)
                _, least, _, _ = flown(t, free, dip, held)
                if least < 0.0:
                    span, after = dip, least
            if after < 0.0:
                span = landing_time(t, free, low, span, before, after, held)
                free, _, y, _ = flown(t, free, span, held)
                return t + span, free, y, LANDED, index + 1
            since, before, rate_before = until, after, rate_after
        free, y = ahead, trial
    return end, free, y, STILL_FLYING, steps
