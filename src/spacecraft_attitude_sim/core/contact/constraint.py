# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The constraint force λ and the motion it gives, at one instant (S5).

    d/dt(μ Ω) = Φ + B^T λ        λ = -(B μ^-1 B^T)^-1 [Ḃ Ω + ḃ + B μ^-1 (Φ - μ̇ Ω)]

Sliding: B = ∇G^T [1, -[r]×], one λ. Rolling: B = [1, -[r]×], three. With friction the sliding
force leans against the slip: B^T λ acts along ∇G - μ |∇G| s/|s|, B itself stays.
"""

import math
from typing import NamedTuple

from spacecraft_attitude_sim.core.compiled import helper, part
from spacecraft_attitude_sim.core.contact.geometry import (
    floor_hessian,
    geometry_apart,
    tangent_bending,
    unbent,
)
from spacecraft_attitude_sim.core.contact.scene import (
    FLAT_FLOOR,
    FRICTION,
    ROLLING,
    SLIPPING,
    attitude,
    axes_of,
    pinned,
    point_of,
    responded,
    spin_of,
    velocity_of,
)
from spacecraft_attitude_sim.core.contact.vectors import (
    added,
    cross,
    displaced,
    dot,
    norm,
    scaled,
    subtracted,
    symmetric_times,
    tangential,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.core.rotations import quaternion_rate

# Slip below this has no direction of its own [m/s]; it is where slipping ends.
SLIP_STOP = 1e-10
# Below this fraction of its frictionless value, B μ^-1 B^T of a slipping contact is taken for a
# jam (Painlevé): friction drives the contact point into the floor, and no finite force holds it.
JAM_FRACTION = 1e-2

# Without a bound on friction a contact can still be forced to slip, when rolling would need the
# floor to pull; friction then takes this coefficient.
SLIPPING_FRICTION = 1.0


class Reaction(NamedTuple):
    """What the floor does to the body at one instant; world axes but for the suffix _S.

    force: on the body at x_c [N];  normal_force: its part along the normal [N]
    normal, arm: (3,);  slip: velocity of the body over the floor at x_c [m/s]
    slip_rate: its rate of change, 0 but in SLIPPING [m/s^2]
    friction_rate: size of the friction's own part of slip_rate [m/s^2]
    omega_S: in surface axes [rad/s];  travel_S: velocity of x_c over the body [m/s]
    point_velocity: ẋ_c [m/s];  torque_S: held torque about the centre of mass [N m]
    ease: B μ^-1 B^T with the friction in, by the same without
    bending: determinant of the pair's bending [1/m^2]
    """

    force: tuple
    normal_force: float
    normal: tuple
    arm: tuple
    slip: tuple
    slip_rate: tuple
    omega_S: tuple
    travel_S: tuple
    point_velocity: tuple
    torque_S: tuple
    friction_rate: float
    ease: float
    bending: float


@helper
def floor_velocity(t, c, scene):
    """Return the fifteen floats of the floor's velocity at c."""
    return scene.floor_velocity(t, c[0], c[1], c[2], scene.floor_parameters)


@helper
def floor_acceleration(v, c_rate):
    """Return ∂v/∂t + ∂v/∂x ẋ_c [m/s^2]."""
    gradient = (v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14])
    return added((v[3], v[4], v[5]), turned(gradient, c_rate))


@helper
def slip_direction(slip, direction):
    """Return the unit vector of the slip, or the given one where there is none."""
    speed = norm(slip)
    if speed > SLIP_STOP:
        return scaled(1.0 / speed, slip)
    return direction


@helper
def applied_wrench(scene, C_WS):
    """Return the held force and torque about the centre of mass, in surface axes [N, N m]."""
    w = scene.wrench
    force = turned_back(C_WS, (w[6], w[7], w[8]))
    if scene.plain:
        return force, (0.0, 0.0, 0.0)
    torque = turned_back(C_WS, (w[9], w[10], w[11]))
    return added(force, (w[0], w[1], w[2])), added(torque, (w[3], w[4], w[5]))


@part
def reaction(t, y, regime, direction, scene):
    """Return the Reaction at the state y in a regime.

    direction: (3,) unit vector of the slip while it is below SLIP_STOP
    """
    return reaction_at(t, y, geometry_apart(t, y, scene), regime, direction, scene)


@helper
def reaction_at(t, y, g, regime, direction, scene):
    """Return the Reaction at a state whose Geometry is known."""
    C, r, n = g.C_WS, g.arm_S, g.normal_S
    L = turned_back(C, spin_of(y))
    omega = symmetric_times(scene.inverse_inertia, L)
    velocity = turned_back(C, velocity_of(scene, y))
    turning = cross(omega, r)
    u = added(velocity, turning)
    w = travel_of(g, omega, u, scene)
    c_rate = added(u, w)

    # Φ - μ̇ Ω, and what the body's point would do under it without λ: Ω̇ and ṙ.
    force, torque = applied_wrench(scene, C)
    moment = subtracted(torque, cross(omega, L))
    motion = displaced(cross(omega, added(turning, w)), scene.inverse_mass, force)

    point_velocity = turned(C, c_rate)
    slip, slip_rate, friction_rate, ease = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 1.0
    if regime == ROLLING:
        v = floor_velocity(t, point_of(y), scene)
        floor_rate = turned_back(C, floor_acceleration(v, point_velocity))
        _, push = pinned(scene, r, moment, subtracted(motion, floor_rate))
        contact_force = turned(C, push)
    else:
        k = cross(r, n)
        Jk = symmetric_times(scene.inverse_inertia, k)
        plain = scene.inverse_mass + dot(k, Jk)
        need = dot(n, motion) + dot(Jk, moment) + floor_need(g, u, c_rate, scene)
        push = n
        if regime == SLIPPING:
            v = floor_velocity(t, point_of(y), scene)
            slip = tangential(subtracted(u, turned_back(C, (v[0], v[1], v[2]))), n)
            slip = turned(C, slip)
            against = turned_back(C, slip_direction(slip, direction))
            push = displaced(n, -slipping_friction(scene), against)
            ease = dot(n, responded(scene, r, push)) / plain
        size = -need / (plain * max(ease, JAM_FRACTION))
        contact_force = scaled(size, g.normal)
        if regime == SLIPPING:
            contact_force = scaled(size, turned(C, push))
            free = added(motion, cross(symmetric_times(scene.inverse_inertia, moment), r))
            given = responded(scene, r, scaled(size, push))
            floor_rate = turned_back(C, floor_acceleration(v, point_velocity))
            slip_rate = turned(C, tangential(subtracted(added(free, given), floor_rate), n))
            friction_rate = abs(size) * norm(responded(scene, r, subtracted(push, n)))
    bending = g.bending[0] * g.bending[1] - g.bending[2] * g.bending[2]
    return Reaction(
        contact_force, dot(contact_force, g.normal), g.normal, g.arm, slip, slip_rate,
        omega, w, point_velocity, torque, friction_rate, ease, bending,
    )  # fmt: skip


@helper
def slipping_friction(scene):
    """Return the μ of a slipping contact."""
    friction = scene.settings[FRICTION]
    return SLIPPING_FRICTION if friction == math.inf else friction


@helper
def travel_of(g, omega_S, u_S, scene):
    """Return w, how x_c runs over the body: S5's ẋ_c = u + w, u the body's velocity there."""
    across = cross(omega_S, g.normal_S)
    if scene.settings[FLAT_FLOOR] == 0.0:
        tilting = (g.level[6], g.level[7], g.level[8])
        across = displaced(across, -1.0 / g.steepness, turned_back(g.C_WS, tilting))
    bent = tangent_bending(g, u_S, scene)
    return unbent(g, dot(g.first_S, across) - bent[0], dot(g.second_S, across) - bent[1])


@helper
def floor_need(g, u_S, c_rate_S, scene):
    """Return the part of Ḃ Ω + ḃ that comes from the floor's own shape and motion, by |∇G|."""
    if scene.settings[FLAT_FLOOR] != 0.0:
        return g.level[2] / g.steepness
    u, c_rate = turned(g.C_WS, u_S), turned(g.C_WS, c_rate_S)
    tilting = (g.level[6], g.level[7], g.level[8])
    rate = added(tilting, symmetric_times(floor_hessian(g.level), c_rate))
    return (dot(rate, u) + g.level[2] + dot(tilting, c_rate)) / g.steepness


@helper
def rates(y, touch, scene):
    """Return d/dt of the sixteen floats of the state under a Reaction."""
    q, w = attitude(y), touch.omega_S
    r = quaternion_rate(q[0], q[1], q[2], q[3], w[0], w[1], w[2])
    v = velocity_of(scene, y)
    f = scene.wrench
    force = added((f[6], f[7], f[8]), touch.force)
    torque = cross(touch.arm, touch.force)
    if not scene.plain:
        C = axes_of(y)
        force = added(force, turned(C, (f[0], f[1], f[2])))
        torque = added(torque, turned(C, touch.torque_S))
    c = touch.point_velocity
    return (
        v[0], v[1], v[2], r[0], r[1], r[2], r[3], force[0],
        force[1], force[2], torque[0], torque[1], torque[2], c[0], c[1], c[2],
    )  # fmt: skip
