# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of a body that may touch the floor: fly, land, ride, let go, as often as it takes."""

import math

import numpy as np

from spacecraft_attitude_sim.core.compiled import compiled, helper, part
from spacecraft_attitude_sim.core.contact import scene as layout
from spacecraft_attitude_sim.core.contact.constraint import reaction
from spacecraft_attitude_sim.core.contact.finding import lowest_sample
from spacecraft_attitude_sim.core.contact.flying import LOST_POINT, STILL_FLYING, fly
from spacecraft_attitude_sim.core.contact.geometry import gap_of, geometry_apart, one_point
from spacecraft_attitude_sim.core.contact.landing import land, stopped, stuck, unjam
from spacecraft_attitude_sim.core.contact.projection import (
    constraint_error,
    projected,
    relative_velocity,
)
from spacecraft_attitude_sim.core.contact.riding import (
    EXHAUSTED,
    JAMMED,
    LET_GO,
    REACHED_END,
    ride,
)
from spacecraft_attitude_sim.core.contact.scene import (
    FINE,
    FLAT_FLOOR,
    FLIGHT,
    LOST,
    MULTIPLE,
    REACH,
    RESTING,
    RESTING_SPEED,
    ROLLING,
    SLIPPING,
    STALLED,
    Scene,
    axes_of,
    contact_state,
    free_state,
)
from spacecraft_attitude_sim.core.contact.vectors import added, cross, dot, norm
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.rotations import quaternion_product, quaternion_sandwich

# A second part of the body this deep in a curved floor, by its reach, is a second contact.
DEPTH_FRACTION = 1e-6
# Most sub-steps, and most changes of regime, in one advance; beyond, it ends as STALLED.
MOST_SUBSTEPS = 200_000
MOST_CHANGES = 20_000
# After this many changes of regime in one advance a contact is kept for a sub-step each time.
MANY_CHANGES = 200


@part
def make_scene(body, wrench, placement, surface, support, surface_parameters, samples, floor,
               floor_parameters, settings):  # fmt: skip
    """Return the Scene of flat arguments, the body's wrench turned into its axes."""
    p, s, w = placement, settings, wrench
    to_principal = momentum_wrench(w, (body[4], body[5], body[6], body[7]))
    q_BS = (p[15], p[16], p[17], p[18])
    plain = True
    for index in (0, 1, 2, 3, 4, 5, 9, 10, 11):
        plain = plain and w[index] == 0.0
    q_SP = quaternion_product(
        q_BS[0], -q_BS[1], -q_BS[2], -q_BS[3], body[4], body[5], body[6], body[7]
    )
    return Scene(
        body[8], body[0], (p[0], p[1], p[2], p[3], p[4], p[5]),
        (p[6], p[7], p[8], p[9], p[10], p[11]), momentum_wrench(w, q_BS), plain,
        (body[0], body[1], body[2], body[3]), to_principal, q_SP, (p[12], p[13], p[14]),
        surface[0], support[0], surface_parameters, samples, floor[0], floor[1],
        floor_parameters, (s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10]),
        floor[0](0.0, 0.0, 0.0, 0.0, floor_parameters),
    )  # fmt: skip


@helper
def momentum_wrench(w, q_BA):
    """Return the twelve floats of a wrench (12,), its body part turned to the axes A."""
    q0, q1, q2, q3 = q_BA
    f0, f1, f2 = quaternion_sandwich(q0, -q1, -q2, -q3, w[0], w[1], w[2])
    t0, t1, t2 = quaternion_sandwich(q0, -q1, -q2, -q3, w[3], w[4], w[5])
    return (f0, f1, f2, t0, t1, t2, w[6], w[7], w[8], w[9], w[10], w[11])


@helper
def in_body_axes(y, body):
    """Return the flat state (13,), its quaternion turned back to the body axes."""
    q0, q1, q2, q3 = quaternion_product(
        y[3], y[4], y[5], y[6], body[4], -body[5], -body[6], -body[7]
    )
    return np.array((y[0], y[1], y[2], q0, q1, q2, q3, y[7], y[8], y[9], y[10], y[11], y[12]))


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
    speed = norm(touch.omega_S) * norm(touch.arm)
    return RESTING if speed < scene.settings[RESTING_SPEED] else regime


@part
def touches_elsewhere(t, y, scene):
    """Return whether another part of the body is in a curved floor: more than one contact."""
    if scene.settings[FLAT_FLOOR] != 0.0:
        return False
    c = lowest_sample(t, y, scene, axes_of(y))
    level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    depth = -level[0] / norm((level[3], level[4], level[5]))
    return depth > DEPTH_FRACTION * scene.settings[REACH]


@part
def report(t, y, regime, direction, scene):
    """Return the flat contact of the state: every quantity of the same instant t."""
    contact = np.zeros(layout.CONTACT_SIZE)
    g = geometry_apart(t, y, scene)
    gap = gap_of(g)
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
        put(contact, layout.TORQUE, cross(touch.arm, touch.force))
        if not one_point(g) or touches_elsewhere(t, y, scene):
            contact[layout.STATUS] = MULTIPLE
    return contact


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

    flat_state: (13,) of core.state;  contact: (30,) of core.contact.scene, from `begin` or the
    last advance;  time: [s] of the floor's motion;  body: (12,) of RigidBody.flat
    wrench: (12,) of core.loads, gravity included;  placement ... settings: ContactModel.flat
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
