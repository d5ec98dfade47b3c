# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One sub-step in contact: RK4 with λ in every stage, then projection; and how long it is."""

from spacecraft_attitude_sim.core.contact.solver.constraint import (
    SLIP_STOP,
    rates,
    reaction,
    reaction_at,
)
from spacecraft_attitude_sim.core.contact.solver.projection import (
    nearly_projected,
    uses_support,
    with_support_point,
)
from spacecraft_attitude_sim.core.contact.solver.scene import FLOOR_RATE, INNER_RADIUS, SLIPPING
from spacecraft_attitude_sim.core.contact.solver.states import moved
from spacecraft_attitude_sim.core.contact.solver.vectors import norm
from spacecraft_attitude_sim.kernels.kernel import helper, part

# Largest change of attitude, contact point or swing in one automatic sub-step [rad].
SUBSTEP_ANGLE = 1.0 / 64.0


# Slipping: largest part of the slip one sub-step may change.
SLIP_FRACTION = 0.25


@part
def stage(t, y, regime, direction, scene):
    """Return the rates at one stage."""
    if uses_support(scene):
        y = with_support_point(t, y, scene)
    return rates(y, reaction(t, y, regime, direction, scene), scene)


@part
def substep(t, y, h, k1, regime, direction, scene):
    """Return the state one sub-step of h seconds later, on the constraint, and its Reaction."""
    k2 = stage(t + h / 2.0, moved(y, h / 2.0, k1), regime, direction, scene)
    k3 = stage(t + h / 2.0, moved(y, h / 2.0, k2), regime, direction, scene)
    k4 = stage(t + h, moved(y, h, k3), regime, direction, scene)
    y = moved(moved(moved(moved(y, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4)
    y, g = nearly_projected(t + h, y, regime, scene)
    return y, reaction_at(t + h, y, g, regime, direction, False, scene)


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
