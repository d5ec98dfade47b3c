# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One sub-step in contact: RK4 with λ in every stage, then projection; and its length."""

from spacecraft_attitude_sim.core.contact.solver.constraint import (
    SLIP_STOP,
    Reaction,
    rates,
    reaction_at,
    reaction_in,
)
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import SLIPPING
from spacecraft_attitude_sim.core.contact.solver.projection import (
    nearly_projected,
    uses_support,
    with_support_point,
)
from spacecraft_attitude_sim.core.contact.solver.states import moved
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.kernels.kernel import helper

# Largest change of attitude, contact point or swing in one automatic sub-step [rad].
SUBSTEP_ANGLE = 1.0 / 64.0


# Slipping: largest relative change of the slip in one sub-step.
SLIP_FRACTION = 0.25


@helper
def stage(t: float, y: Floats, regime: int, direction: Floats, held: Held) -> Floats:
    """Return the rates at one stage."""
    if uses_support(held):
        y = with_support_point(t, y, held)
    return rates(y, reaction_in(t, y, regime, direction, held), held)


@helper
def substep(
    t: float, y: Floats, h: float, k1: Floats, regime: int, direction: Floats, held: Held
) -> tuple[Floats, Reaction]:
    """Return the state one sub-step of h seconds later, on the constraint, and its Reaction."""
    k2 = stage(t + h / 2.0, moved(y, h / 2.0, k1), regime, direction, held)
    k3 = stage(t + h / 2.0, moved(y, h / 2.0, k2), regime, direction, held)
    k4 = stage(t + h, moved(y, h, k3), regime, direction, held)
    y = moved(moved(moved(moved(y, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4)
    y, g = nearly_projected(t + h, y, regime, held)
    return y, reaction_at(t + h, y, g, regime, direction, False, held)


@helper
def substep_length(
    reaction: Reaction, regime: int, longest: float, remaining: float, held: Held
) -> float:
    """Return the length of the next sub-step [s].

    longest: [s], or 0 to choose it from the rates: turning, travel of the contact point over the
    body, swing under the applied force, motion of the floor.
    """
    if longest == 0.0:
        size = held.inner_radius
        rate = norm(reaction.omega_S) + norm(reaction.travel_S) / size + held.swing
        longest = SUBSTEP_ANGLE / (rate + held.floor_rate + 1e-3)
    if regime == SLIPPING:
        change = norm(reaction.slip_rate)
        speed = max(norm(reaction.slip), SLIP_STOP)
        if change * longest > SLIP_FRACTION * speed:
            longest = SLIP_FRACTION * speed / change
    # Two equal sub-steps at the end instead of a whole one and a very short one.
    if remaining <= longest * (1.0 + 1e-9):
        return remaining
    return min(longest, 0.5 * remaining * (1.0 + 1e-9))
