# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The flat contact: what a tick reports of its last instant."""

import numpy as np

from spacecraft_attitude_sim.core.contact.solver import scene as layout
from spacecraft_attitude_sim.core.contact.solver.constraint import reaction
from spacecraft_attitude_sim.core.contact.solver.detection import lowest_sample
from spacecraft_attitude_sim.core.contact.solver.geometry import geometry
from spacecraft_attitude_sim.core.contact.solver.projection import (
    arm_of,
    constraint_error,
    relative_velocity,
)
from spacecraft_attitude_sim.core.contact.solver.scene import (
    CURVED,
    FLIGHT,
    MULTIPLE,
    REACH,
    RESTING,
    RESTING_SPEED,
    ROLLING,
)
from spacecraft_attitude_sim.core.contact.solver.states import axes_of
from spacecraft_attitude_sim.core.contact.solver.vectors import dot, norm
from spacecraft_attitude_sim.kernels.kernel import helper, part

# A second part of the body this deep in a curved floor, by its reach, is a second contact.
DEPTH_FRACTION = 1e-6


@helper
def put(flat, index, vector):
    """Write a three-vector into a flat array."""
    flat[index] = vector[0]
    flat[index + 1] = vector[1]
    flat[index + 2] = vector[2]


@helper
def displayed_mode(regime, y, touch, scene):
    """Return the mode to report: a rolling body that hardly moves over the floor rests."""
    if regime != ROLLING:
        return regime
    speed = norm(touch.omega_S) * norm(arm_of(y))
    return RESTING if speed < scene.settings[RESTING_SPEED] else regime


@part
def touches_elsewhere(t, y, scene):
    """Return whether another part of the body is in a curved floor: more than one contact."""
    if scene.floor_kind != CURVED:
        return False
    c = lowest_sample(t, y, scene, axes_of(y))
    level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    depth = -level[0] / norm((level[3], level[4], level[5]))
    return depth > DEPTH_FRACTION * scene.settings[REACH]


@part
def report(t, y, regime, direction, scene):
    """Return the flat contact of the state: every quantity of the same instant t."""
    contact = np.zeros(layout.CONTACT_SIZE)
    g = geometry(t, y, scene)
    gap = g.gap
    n, over = relative_velocity(t, y, scene)
    contact[layout.MODE] = regime
    contact[layout.REGIME] = regime
    contact[layout.GAP] = gap
    put(contact, layout.POINT, (y[13], y[14], y[15]))
    put(contact, layout.NORMAL, n)
    put(contact, layout.DIRECTION, direction)
    slip = (
        over[0] - dot(over, n) * n[0],
        over[1] - dot(over, n) * n[1],
        over[2] - dot(over, n) * n[2],
    )
    put(contact, layout.SLIP, slip)
    contact[layout.SLIP_SPEED] = norm(slip)
    if regime != FLIGHT:
        touch = reaction(t, y, regime, direction, scene)
        contact[layout.MODE] = displayed_mode(regime, y, touch, scene)
        contact[layout.NORMAL_FORCE] = touch.normal_force
        contact[layout.CONSTRAINT_ERROR] = constraint_error(t, y, regime, gap, scene)
        put(contact, layout.FORCE, touch.force)
        put(contact, layout.TORQUE, touch.torque)
        if g.bending <= 0.0 or touches_elsewhere(t, y, scene):
            contact[layout.STATUS] = MULTIPLE
    return contact
