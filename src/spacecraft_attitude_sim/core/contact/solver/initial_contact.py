# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Start of a contact run: find the contact point, and the regime of a state."""

import math
from typing import Any

from spacecraft_attitude_sim.core.contact.solver.constraint import SLIP_STOP
from spacecraft_attitude_sim.core.contact.solver.flight import clearance
from spacecraft_attitude_sim.core.contact.solver.held import Held, hold
from spacecraft_attitude_sim.core.contact.solver.layout import BODY, FLIGHT, LOST, ROLLING, STATUS
from spacecraft_attitude_sim.core.contact.solver.projection import (
    on_floor,
    relative_velocity,
    velocity_projected,
)
from spacecraft_attitude_sim.core.contact.solver.reporting import report
from spacecraft_attitude_sim.core.contact.solver.states import (
    contact_state,
    free_state,
    momentum_of,
    shifted,
    spin_of,
    with_momenta,
)
from spacecraft_attitude_sim.core.contact.solver.transitions import settled
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.equations.shared.principal_frame import in_body_axes
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatState, FlatWrench, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import dot, moved_vector, scaled
from spacecraft_attitude_sim.kernels.kernel import compiled, part
from spacecraft_attitude_sim.kernels.pointers import borrowed

# A start nearer to the floor than this fraction of the body's reach counts as touching.
NEAR_FRACTION = 1e-6
PLACING_STEPS = 50


@compiled
def begin(
    flat_state: FlatState, time: float, wrench: FlatWrench, constants: Array, surface: Any,
    floor: Any, place: bool,
) -> tuple[FlatState, Array]:  # fmt: skip
    """Return the state (13,) and the flat contact (30,) a run begins with.

    Arguments as of core.contact.solver.advance;  place: put the body on the floor along its normal
    """
    constants = borrowed(constants)
    held = hold(wrench, constants, surface, floor)
    body = constants[BODY : BODY + 12]
    free = momentum.in_principal_axes(flat_state, body)
    gap, y, found = clearance(time, contact_state(free, (0.0, 0.0, 0.0), held), held)
    near = NEAR_FRACTION * held.reach
    if place:
        gap, y, found = lowered(time, gap, y, found, 0.1 * near, held)
    regime, direction = FLIGHT, (0.0, 0.0, 1.0)
    if found and abs(gap) <= near:
        y, regime, direction = put_in_contact(time, y, place, held)
    contact = report(time, y, regime, direction, held)
    if not found:
        contact[STATUS] = LOST
    return in_body_axes(free_state(y, held), body), contact


@part
def lowered(
    t: float, gap: float, y: Floats, found: bool, near: float, held: Held
) -> tuple[float, Floats, bool]:
    """Return gap, state and whether its point was found, moved along the normal to the floor.

    near: gap that counts as contact [m]
    """
    for _ in range(PLACING_STEPS):
        if abs(gap) <= near:
            break
        n, _ = relative_velocity(t, y, held)
        shift = scaled(-gap, n)
        y = shifted(y, shift, (0.0, 0.0, 0.0), shift)
        gap, y, found = clearance(t, y, held)
    return gap, y, found


@part
def put_in_contact(t: float, y: Floats, place: bool, held: Held) -> tuple[Floats, int, Floats]:
    """Return (y, regime, direction) of a state near the floor; flight if it approaches fast."""
    y = on_floor(t, y, held)
    n, over = relative_velocity(t, y, held)
    if place:
        y = carried_along(y, n, over, held)
    elif held.releases and not abs(dot(n, over)) <= held.resting_speed:
        return y, FLIGHT, (0.0, 0.0, 1.0)
    if held.friction == math.inf:
        y = velocity_projected(t, y, ROLLING, held)
    return settled(t, y, 10.0 * SLIP_STOP, held)


@part
def carried_along(y: Floats, n: Floats, over: Floats, held: Held) -> Floats:
    """Return the state with its velocity, not its spin, changed to that of the floor.

    Along the normal; and, where nothing may slip, in every direction.
    """
    if held.friction != math.inf:
        over = scaled(dot(n, over), n)
    return with_momenta(y, moved_vector(momentum_of(y), -held.mass, over), spin_of(y))
