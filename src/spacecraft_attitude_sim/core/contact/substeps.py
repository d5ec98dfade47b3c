# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One sub-step in contact: RK4 with λ in every stage, then projection; and how long it is."""

from spacecraft_attitude_sim.core.compiled import helper, part
from spacecraft_attitude_sim.core.contact.constraint import SLIP_STOP, rates, reaction, reaction_at
from spacecraft_attitude_sim.core.contact.geometry import ellipsoid_geometry
from spacecraft_attitude_sim.core.contact.projection import (
    nearly_projected,
    uses_support,
    with_support_point,
)
from spacecraft_attitude_sim.core.contact.scene import FLOOR_RATE, INNER_RADIUS, SLIPPING
from spacecraft_attitude_sim.core.contact.vectors import norm

# Largest change of attitude, contact point or swing in one automatic sub-step [rad].
SUBSTEP_ANGLE = 1.0 / 64.0


# Slipping: largest part of the slip one sub-step may change.
SLIP_FRACTION = 0.25


@helper
def moved(y, h, k):
    """Return y + h k, sixteen floats."""
    return (
        y[0] + h * k[0], y[1] + h * k[1], y[2] + h * k[2], y[3] + h * k[3],
        y[4] + h * k[4], y[5] + h * k[5], y[6] + h * k[6], y[7] + h * k[7],
        y[8] + h * k[8], y[9] + h * k[9], y[10] + h * k[10], y[11] + h * k[11],
        y[12] + h * k[12], y[13] + h * k[13], y[14] + h * k[14], y[15] + h * k[15],
    )  # fmt: skip


@part
def stage(t, y, regime, direction, scene):
    """Return the rates at one stage."""
    if uses_support(scene):
        y = with_support_point(t, y, scene)
    return rates(y, reaction(t, y, regime, direction, scene), scene)


@helper
def closed_stage(t, y, regime, direction, scene):
    """Return the rates at one stage of an ellipsoid on a plane at rest."""
    g = ellipsoid_geometry(y, scene)
    return rates(y, reaction_at(t, y, g, regime, direction, True, scene), scene)


@part
def substep(t, y, h, k1, regime, direction, scene):
    """Return the state one sub-step of h seconds later, on the constraint, and its Reaction."""
    k2 = stage(t + h / 2.0, moved(y, h / 2.0, k1), regime, direction, scene)
    k3 = stage(t + h / 2.0, moved(y, h / 2.0, k2), regime, direction, scene)
    k4 = stage(t + h, moved(y, h, k3), regime, direction, scene)
    y = moved(moved(moved(moved(y, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4)
    y, g = nearly_projected(t + h, y, regime, False, scene)
    return y, reaction_at(t + h, y, g, regime, direction, False, scene)


@helper
def closed_substep(t, y, h, k1, regime, direction, scene):
    """Return the same for an ellipsoid on a plane at rest, in a third of the time."""
    k, total = k1, k1
    for index in range(3):
        last = index == 2
        k = closed_stage(t, moved(y, h if last else 0.5 * h, k), regime, direction, scene)
        total = moved(total, 1.0 if last else 2.0, k)
    y, g = nearly_projected(t + h, moved(y, h / 6.0, total), regime, True, scene)
    return y, reaction_at(t + h, y, g, regime, direction, True, scene)


@helper
def substep_length(touch, regime, longest, remaining, scene):
    """Return the length of the next sub-step [s].

    longest: [s], or 0 to choose it from the rates: turning, travel of the contact point over the
    body, swing under the applied force, motion of the floor.
    """
    if longest == 0.0:
        size = scene.settings[INNER_RADIUS]
        rate = norm(touch.omega_S) + norm(touch.travel_S) / size + scene.swing
        longest = SUBSTEP_ANGLE / (rate + scene.settings[FLOOR_RATE] + 1e-3)
    if regime == SLIPPING:
        change = norm(touch.slip_rate)
        speed = max(norm(touch.slip), SLIP_STOP)
        if change * longest > SLIP_FRACTION * speed:
            longest = SLIP_FRACTION * speed / change
    # Two equal ones at the end rather than a whole and a sliver; never a sliver of round-off.
    if remaining <= longest * (1.0 + 1e-9):
        return remaining
    return min(longest, 0.5 * remaining * (1.0 + 1e-9))
