# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Begin a contact run: find the contact point, and the regime a state is in."""

import math

from spacecraft_attitude_sim.core.contact.solver import scene as layout
from spacecraft_attitude_sim.core.contact.solver.advance import in_body_axes
from spacecraft_attitude_sim.core.contact.solver.constraint import SLIP_STOP
from spacecraft_attitude_sim.core.contact.solver.flight import clearance
from spacecraft_attitude_sim.core.contact.solver.projection import (
    held,
    on_floor,
    relative_velocity,
)
from spacecraft_attitude_sim.core.contact.solver.reporting import report
from spacecraft_attitude_sim.core.contact.solver.scene import (
    FLIGHT,
    FRICTION,
    LOST,
    REACH,
    RELEASES,
    RESTING_SPEED,
    ROLLING,
    make_scene,
)
from spacecraft_attitude_sim.core.contact.solver.states import (
    contact_state,
    free_state,
    momentum_of,
    shifted,
    spin_of,
    with_momenta,
)
from spacecraft_attitude_sim.core.contact.solver.transitions import settled
from spacecraft_attitude_sim.core.contact.solver.vectors import displaced, dot, scaled
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.kernels.kernel import compiled, part

# A start within this fraction of the body's reach of the floor touches it.
NEAR_FRACTION = 1e-6
PLACING_STEPS = 50


@part
def carried_along(y, n, over, scene):
    """Return the state with its velocity, not its spin, changed to go with the floor.

    Along the normal; and, where nothing may slip, in every direction.
    """
    if scene.settings[FRICTION] != math.inf:
        over = scaled(dot(n, over), n)
    return with_momenta(y, displaced(momentum_of(y), -scene.mass, over), spin_of(y))


@compiled
def begin(flat_state, time, body, wrench, placement, surface, support, surface_parameters, samples,
          floor, floor_parameters, settings, place):  # fmt: skip
    """Return the state (13,) and the flat contact (30,) a run begins with.

    Arguments as of core.contact.solver.advance;  place: put the body on the floor along its normal
    """
    scene = make_scene(
        body, wrench, placement, surface, support, surface_parameters, samples, floor,
        floor_parameters, settings,
    )  # fmt: skip
    free = momentum.in_principal_axes(flat_state, body)
    gap, y, found = clearance(time, contact_state(free, (0.0, 0.0, 0.0), scene), scene)
    near = NEAR_FRACTION * scene.settings[REACH]
    if place:
        for _ in range(PLACING_STEPS):
            if abs(gap) <= 0.1 * near:
                break
            n, _ = relative_velocity(time, y, scene)
            shift = scaled(-gap, n)
            y = shifted(y, shift, (0.0, 0.0, 0.0), shift)
            gap, y, found = clearance(time, y, scene)
    regime, direction = FLIGHT, (0.0, 0.0, 1.0)
    if found and abs(gap) <= near:
        y = on_floor(time, y, scene)
        n, over = relative_velocity(time, y, scene)
        if place:
            y = carried_along(y, n, over, scene)
            over = (0.0, 0.0, 0.0)
        slow = abs(dot(n, over)) <= scene.settings[RESTING_SPEED]
        if slow or scene.settings[RELEASES] == 0.0:
            if scene.settings[FRICTION] == math.inf:
                y = held(time, y, ROLLING, scene)
            y, regime, direction = settled(time, y, 10.0 * SLIP_STOP, scene)
    contact = report(time, y, regime, direction, scene)
    if not found:
        contact[layout.STATUS] = LOST
    return in_body_axes(free_state(y, scene), body), contact
