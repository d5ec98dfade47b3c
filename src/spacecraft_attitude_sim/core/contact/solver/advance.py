# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of a body that may touch the floor: fly, land, ride, let go, as often as it takes."""

import math

import numpy as np

from spacecraft_attitude_sim.core.contact.solver import scene as layout
from spacecraft_attitude_sim.core.contact.solver.flight import LOST_POINT, STILL_FLYING, fly
from spacecraft_attitude_sim.core.contact.solver.projection import projected
from spacecraft_attitude_sim.core.contact.solver.reporting import put, report
from spacecraft_attitude_sim.core.contact.solver.scene import (
    FINE,
    FLIGHT,
    LOST,
    SLIPPING,
    STALLED,
    make_scene,
)
from spacecraft_attitude_sim.core.contact.solver.states import contact_state, free_state
from spacecraft_attitude_sim.core.contact.solver.sustained_contact import (
    EXHAUSTED,
    JAMMED,
    LET_GO,
    REACHED_END,
    ride,
)
from spacecraft_attitude_sim.core.contact.solver.transitions import land, stopped, stuck, unjam
from spacecraft_attitude_sim.core.contact.solver.vectors import added
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

# Most sub-steps, and most changes of regime, in one advance; beyond, it ends as STALLED.
MOST_SUBSTEPS = 200_000


MOST_CHANGES = 20_000


# After this many changes of regime in one advance a contact is kept for a sub-step each time.
MANY_CHANGES = 200


@helper
def in_body_axes(y, body):
    """Return the flat state (13,), its quaternion turned back to the body axes."""
    q0, q1, q2, q3 = quaternion_product(
        y[3], y[4], y[5], y[6], body[4], -body[5], -body[6], -body[7]
    )
    return np.array((y[0], y[1], y[2], q0, q1, q2, q3, y[7], y[8], y[9], y[10], y[11], y[12]))


@helper
def flight_steps(flat_state, body, wrench, remaining, longest):
    """Return how many sub-steps of core.equations.momentum the rest of the flight takes."""
    if longest > 0.0:
        return max(1, int(math.ceil(remaining / longest * (1.0 - 1e-12))))
    return momentum.substep_count(flat_state, body, wrench, remaining)


@compiled
def advance(flat_state, contact, time, body, wrench, placement, surface, support,
            surface_parameters, samples, floor, floor_parameters, settings, duration,
            substeps):  # fmt: skip
    """Return the state (13,) and the contact (30,) `duration` seconds later, the wrench held.

    flat_state: (13,) of core.body.state
    contact: (30,) of core.contact.solver.scene, from `begin` or the last advance
    time: [s] of the floor's motion;  body: (12,) of RigidBody.flat
    wrench: (12,) of core.body.loads, gravity included;  placement ... settings: ContactModel.flat
    substeps: sub-steps of equal length in `duration`, events apart; 0 chooses them
    """
    scene = make_scene(
        body, wrench, placement, surface, support, surface_parameters, samples, floor,
        floor_parameters, settings,
    )  # fmt: skip
    free = momentum.in_principal_axes(flat_state, body)
    k = layout.POINT
    y = contact_state(free, (contact[k], contact[k + 1], contact[k + 2]), scene)
    k = layout.DIRECTION
    direction = (contact[k], contact[k + 1], contact[k + 2])
    regime = int(contact[layout.REGIME])
    longest = duration / substeps if substeps > 0 else 0.0
    impulse = (0.0, 0.0, 0.0)
    impacts = 0
    taken = 0
    status = FINE
    now, end = time, time + duration
    for changes in range(MOST_CHANGES):
        if now >= end or status != FINE:
            break
        if taken >= MOST_SUBSTEPS:
            status = STALLED
            break
        if regime == FLIGHT:
            here = flat_state
            if now > time:
                free = free_state(y, scene)
                here = in_body_axes(free, body)
            steps = flight_steps(here, body, wrench, end - now, longest)
            now, free, y, how, count = fly(now, free, end, steps, scene)
            taken += count
            if how == LOST_POINT:
                status = LOST
            elif how != STILL_FLYING:
                y, regime, direction, kick = land(now, y, scene)
                impulse = added(impulse, kick)
                impacts += 1
        else:
            forced = changes > MANY_CHANGES
            if forced and regime == SLIPPING:
                y, regime = stuck(now, y, scene)
            now, y, how, count, direction = ride(
                now, y, end, regime, direction, longest, MOST_SUBSTEPS - taken,
                forced, scene,
            )  # fmt: skip
            taken += count
            if how == LET_GO:
                regime = FLIGHT
            elif how == JAMMED:
                y, regime, direction, kick = unjam(now, y, scene)
                impulse = added(impulse, kick)
                impacts += 1
            elif how == EXHAUSTED:
                status = STALLED
            elif how != REACHED_END:
                y, regime, direction = stopped(now, y, scene)
    if now < end and status == FINE:
        status = STALLED
    if regime != FLIGHT:
        y = projected(end, y, regime, scene)
    after = report(end, y, regime, direction, scene)
    put(after, layout.IMPULSE, impulse)
    after[layout.IMPACTS] = impacts
    after[layout.SUBSTEPS] = taken
    if status != FINE:
        after[layout.STATUS] = status
    if regime != FLIGHT:
        free = free_state(y, scene)
    elif impacts == 0 and contact[layout.REGIME] == FLIGHT and status == FINE:
        # A body that only flew has the bits of a body without a floor.
        return momentum.advance(flat_state, body, wrench, duration, taken), after
    return in_body_axes(free, body), after
