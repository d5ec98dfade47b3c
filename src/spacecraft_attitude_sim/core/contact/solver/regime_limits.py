# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a regime: the forces that it can bear, and the largest change in a sub-step."""

import math

from spacecraft_attitude_sim.core.contact.solver.constraint import SLIP_STOP, Reaction
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import ROLLING, SLIPPING, STILL
from spacecraft_attitude_sim.core.contact.solver.states import momentum_of, position
from spacecraft_attitude_sim.core.contact.solver.substeps import SLIP_FRACTION
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper

# Where a superellipsoid becomes flat or round again, or friction comes near to a jam, a sub-step
# may change the bending or the ease by these factors, unless it is this part of its ordinary
# length.
BENDING_RATIO = 1.15
EASE_RATIO = 1.1
# There a sub-step may gain or lose no more than this part of the energy.
ENERGY_TOLERANCE = 1e-10


@helper
def grip(reaction: Reaction, friction: float) -> float:
    """Return the friction reserve μ λ_n - |λ_t| of rolling [N]; where negative, it must slip."""
    if friction == math.inf:
        return math.inf
    return friction * reaction.normal_force - vec.norm(tangential_force(reaction))


@helper
def tangential_force(reaction: Reaction) -> Floats:
    """Return the friction force (3,) [N]."""
    return vec.moved_vector(reaction.force, -reaction.normal_force, reaction.normal)


@helper
def margin(reaction: Reaction, regime: int, held: Held) -> float:
    """Return the quantity that is positive while the regime lasts [N]."""
    pressing = reaction.normal_force if held.releases else math.inf
    if regime == ROLLING:
        return min(pressing, grip(reaction, held.friction))
    return pressing


@helper
def changes_much(before: Reaction, after: Reaction, regime: int) -> bool:
    """Return whether bending, ease or slip changed too much in a sub-step to resolve them."""
    bending = after.bending / before.bending
    if not 1.0 / BENDING_RATIO < bending < BENDING_RATIO:
        return True
    if regime != SLIPPING:
        return False
    ease = after.ease / before.ease
    change = vec.norm(vec.subtracted(after.slip, before.slip))
    slip = max(vec.norm(before.slip), SLIP_STOP)
    return not 1.0 / EASE_RATIO < ease < EASE_RATIO or change > 2.0 * SLIP_FRACTION * slip


@helper
def energy(y: Floats, reaction: Reaction, held: Held) -> tuple[float, float]:
    """Return kinetic energy, and that minus the applied force's work from the origin [J]."""
    p, w, f = momentum_of(y), reaction.omega_S, held.wrench
    kinetic = 0.5 * (
        held.inverse_mass * vec.dot(p, p) + vec.dot(w, vec.symmetric_times(held.inertia, w))
    )
    return kinetic, kinetic - vec.dot((f[6], f[7], f[8]), position(y))


@helper
def loses_energy(
    h: float, y_before: Floats, before: Reaction, y_after: Floats, after: Reaction, held: Held
) -> bool:
    """Return whether a sub-step gained or lost energy that friction does not explain.

    This is an error estimate for shapes too rough for one that compares two Runge-Kutta formulas:
    both miss what lies between their stages.
    """
    if not (held.plain and held.floor_kind == STILL):
        return False
    w = held.wrench
    kinetic, first = energy(y_before, before, held)
    _, last = energy(y_after, after, held)
    friction = 0.5 * h * (vec.dot(before.force, before.slip) + vec.dot(after.force, after.slip))
    scale = kinetic + vec.norm((w[6], w[7], w[8])) * held.reach
    return abs(last - first - friction) > ENERGY_TOLERANCE * scale + 0.05 * abs(friction)
