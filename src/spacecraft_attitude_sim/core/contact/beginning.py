# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Begin a contact run: find the contact point, and the regime a state is in."""

from spacecraft_attitude_sim.core.compiled import compiled
from spacecraft_attitude_sim.core.contact import scene as layout
from spacecraft_attitude_sim.core.contact.advance import in_body_axes, make_scene, report
from spacecraft_attitude_sim.core.contact.flying import clearance
from spacecraft_attitude_sim.core.contact.landing import settled
from spacecraft_attitude_sim.core.contact.projection import on_floor, relative_velocity
from spacecraft_attitude_sim.core.contact.riding import margin
from spacecraft_attitude_sim.core.contact.constraint import SLIP_STOP, reaction
from spacecraft_attitude_sim.core.contact.scene import (
    FLIGHT,
    LOST,
    REACH,
    RELEASES,
    RESTING_SPEED,
    joined,
    shifted,
)
from spacecraft_attitude_sim.core.contact.vectors import dot, scaled
from spacecraft_attitude_sim.core.equations import momentum

# A start within this fraction of the body's reach of the floor touches it.
NEAR_FRACTION = 1e-6
PLACING_STEPS = 50


@compiled
def begin(flat_state, time, body, wrench, placement, surface, support, surface_parameters, samples,
          floor, floor_parameters, settings, place):  # fmt: skip
    """Return the state (13,) and the flat contact (30,) a run begins with.

    Arguments as of core.contact.advance;  place: put the body on the floor along its normal
    """
    scene = make_scene(
        body, wrench, placement, surface, support, surface_parameters, samples, floor,
        floor_parameters, settings,
    )  # fmt: skip
    free = momentum.in_principal_axes(flat_state, body)
    gap, y, found = clearance(time, joined(free, (0.0, 0.0, 0.0)), scene)
    near = NEAR_FRACTION * scene.settings[REACH]
    if place:
        for _ in range(PLACING_STEPS):
            if abs(gap) <= 0.1 * near:
                break
            _, _, n, _ = relative_velocity(time, y, scene)
            shift = scaled(-gap, n)
            y = shifted(y, shift, (0.0, 0.0, 0.0), shift)
            gap, y, found = clearance(time, y, scene)
    regime, direction = FLIGHT, (0.0, 0.0, 1.0)
    if found and abs(gap) <= near:
        y = on_floor(time, y, scene)
        _, _, n, over = relative_velocity(time, y, scene)
        slow = abs(dot(n, over)) <= scene.settings[RESTING_SPEED]
        if slow or place or scene.settings[RELEASES] == 0.0:
            still, sort, aside = settled(time, y, 10.0 * SLIP_STOP, scene)
            touch = reaction(time, still, sort, aside, scene)
            if margin(touch, sort, scene) >= 0.0:
                y, regime, direction = still, sort, aside
    contact = report(time, y, regime, direction, scene)
    if not found:
        contact[layout.STATUS] = LOST
    return in_body_axes(y, body), contact
