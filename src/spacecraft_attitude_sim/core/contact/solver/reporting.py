# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The flat contact: the report of a tick's last instant."""

import numpy as np

from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.contact.solver.constraint import Reaction, reaction_in
from spacecraft_attitude_sim.core.contact.solver.detection import lowest_sample
from spacecraft_attitude_sim.core.contact.solver.geometry import geometry
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import (
    CURVED,
    FLIGHT,
    MULTIPLE,
    RESTING,
    ROLLING,
)
from spacecraft_attitude_sim.core.contact.solver.projection import (
    arm_of,
    constraint_error,
    relative_velocity,
)
from spacecraft_attitude_sim.core.contact.solver.states import axes_of, point_of
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import norm, tangential
from spacecraft_attitude_sim.kernels.kernel import helper, part

# A second part of the body this deep in a curved floor, over its reach, is a second contact.
DEPTH_FRACTION = 1e-6


@helper
def put(flat: Array, index: int, vector: Floats) -> None:
    """Write a three-vector into a flat array."""
    flat[index] = vector[0]
    flat[index + 1] = vector[1]
    flat[index + 2] = vector[2]


@helper
def displayed_mode(regime: int, y: Floats, reaction: Reaction, held: Held) -> int:
    """Return the mode to report: a rolling body that hardly moves over the floor is resting."""
    if regime != ROLLING:
        return regime
    speed = norm(reaction.omega_S) * norm(arm_of(y))
    return RESTING if speed < held.resting_speed else regime


@part
def has_second_contact(t: float, y: Floats, held: Held) -> bool:
    """Return whether another part of the body is inside a curved floor: more than one contact."""
    if held.floor_kind != CURVED:
        return False
    c = lowest_sample(t, y, held, axes_of(y))
    level = held.level(t, c[0], c[1], c[2], held.floor_parameters)
    depth = -level[0] / norm((level[3], level[4], level[5]))
    return depth > DEPTH_FRACTION * held.reach


@part
def report(t: float, y: Floats, regime: int, direction: Floats, held: Held) -> Array:
    """Return the flat contact of the state: every quantity of the same instant t."""
    contact = np.zeros(layout.CONTACT_SIZE)
    g = geometry(t, y, held)
    n, over = relative_velocity(t, y, held)
    contact[layout.MODE] = regime
    contact[layout.REGIME] = regime
    contact[layout.GAP] = g.gap
    put(contact, layout.POINT, point_of(y))
    put(contact, layout.NORMAL, n)
    put(contact, layout.DIRECTION, direction)
    slip = tangential(over, n)
    put(contact, layout.SLIP, slip)
    contact[layout.SLIP_SPEED] = norm(slip)
    if regime != FLIGHT:
        reaction = reaction_in(t, y, regime, direction, held)
        contact[layout.MODE] = displayed_mode(regime, y, reaction, held)
        contact[layout.NORMAL_FORCE] = reaction.normal_force
        contact[layout.CONSTRAINT_ERROR] = constraint_error(t, y, regime, g.gap, held)
        put(contact, layout.FORCE, reaction.force)
        put(contact, layout.TORQUE, reaction.torque)
        if g.bending <= 0.0 or has_second_contact(t, y, held):
            contact[layout.STATUS] = MULTIPLE
    return contact
