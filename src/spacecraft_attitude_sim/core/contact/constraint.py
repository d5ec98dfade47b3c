# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The constraint force λ and the motion it gives, at one instant (S5).

    d/dt(μ Ω) = Φ + B^T λ        λ = -(B μ^-1 B^T)^-1 [Ḃ Ω + ḃ + B μ^-1 (Φ - μ̇ Ω)]

Sliding: B = ∇G^T [1, -[r]×], one λ. Rolling: B = [1, -[r]×], three. With friction the sliding
force leans against the slip: B^T λ acts along ∇G - μ |∇G| s/|s|, B itself stays.
"""

import math
from typing import NamedTuple

from spacecraft_attitude_sim.core.compiled import helper
from spacecraft_attitude_sim.core.contact.geometry import (
    floor_hessian,
    geometry,
    tangent_bending,
    unbent,
)
from spacecraft_attitude_sim.core.contact.scene import (
    FRICTION,
    ROLLING,
    SLIPPING,
    applied_wrench,
    attitude,
    divided_by_inertia,
    point_of,
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
    symmetric_solved,
    symmetric_times,
    tangential,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.core.rotations import quaternion_rate

# Slip below this has no direction of its own [m/s]; it is where slipping ends.
SLIP_STOP = 1e-10
# Below this fraction of its frictionless value, B μ^-1 B^T of a slipping contact is taken for a jam
# (Painlevé): the friction drives the contact point into the floor, and no finite force holds it.
JAM_FRACTION = 1e-2

# Without a bound on friction a contact can still be forced to slip, when rolling would need the
# floor to pull; friction then takes this coefficient.
SLIPPING_FRICTION = 1.0


class Reaction(NamedTuple):
    """What the floor does to the body at one instant; world axes.

    force: on the body at x_c [N];  normal_force: its part along the normal [N]
    normal, arm: (3,);  slip: velocity of the body over the floor at x_c [m/s]
    slip_rate: its rate of change, 0 but in SLIPPING [m/s^2]
    friction_rate: size of the friction's own part of slip_rate [m/s^2]
    omega_P: in principal axes [rad/s];  travel: velocity of x_c over the body [m/s]
    applied, torque: held force and torque about the centre of mass [N, N m]
    ease: B μ^-1 B^T with the friction in, by the same without
    bending: determinant of the pair's bending [1/m^2]
    """

    force: tuple
    normal_force: float
    normal: tuple
    arm: tuple
    slip: tuple
    slip_rate: tuple
    omega_P: tuple
    travel: tuple
    point_velocity: tuple
    applied: tuple
    torque: tuple
    friction_rate: float
    ease: float
    bending: float


@helper
def mobility(scene, matrix_WP, arm):
    """Return M = B μ^-1 B^T of rolling in principal axes, six floats [1/kg].

    M F is the velocity an impulse F at x_c gives to the body's point there.
    """
    x, y, z = turned_back(matrix_WP, arm)
    J, m = scene.inverse_moments, scene.inverse_mass
    return (
        m + J[1] * z * z + J[2] * y * y,
        m + J[0] * z * z + J[2] * x * x,
        m + J[0] * y * y + J[1] * x * x,
        -J[2] * x * y,
        -J[1] * x * z,
        -J[0] * y * z,
    )


@helper
def stopping_impulse(scene, matrix_WP, arm, velocity):
    """Return the impulse [N s] at x + arm that takes this velocity from the body's point there."""
    M = mobility(scene, matrix_WP, arm)
    return turned(matrix_WP, symmetric_solved(M, scaled(-1.0, turned_back(matrix_WP, velocity))))


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
def reaction(t, y, regime, direction, scene):
    """Return the Reaction at the state y in a regime.

    direction: (3,) unit vector of the slip while it is below SLIP_STOP
    """
    g = geometry(t, y, scene)
    n, level = g.normal, g.level
    L = spin_of(y)
    L_P = turned_back(g.matrix_WP, L)
    J = scene.inverse_moments
    omega_P = (J[0] * L_P[0], J[1] * L_P[1], J[2] * L_P[2])
    omega = turned(g.matrix_WP, omega_P)
    velocity = velocity_of(scene, y)
    u = added(velocity, cross(omega, g.arm))

    # S5's ẋ_c = u + w: w runs over the body, in the tangent plane.
    across = subtracted(cross(omega, n), scaled(1.0 / g.steepness, (level[6], level[7], level[8])))
    bent = tangent_bending(g, u, scene)
    w = unbent(g, dot(g.first, across) - bent[0], dot(g.second, across) - bent[1])
    c_rate = added(u, w)

    # What the body's point would do with no contact force: Ω̇ and ṙ without λ.
    force, torque = applied_wrench(scene, g.matrix_WP)
    gyroscopic = subtracted(torque, cross(omega, L))
    turning = divided_by_inertia(scene, g.matrix_WP, gyroscopic)
    free = displaced(cross(turning, g.arm), scene.inverse_mass, force)
    free = added(free, cross(omega, subtracted(c_rate, velocity)))

    slip, slip_rate, friction_rate, ease = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 1.0
    if regime == ROLLING:
        v = floor_velocity(t, point_of(y), scene)
        excess = subtracted(free, floor_acceleration(v, c_rate))
        contact_force = stopping_impulse(scene, g.matrix_WP, g.arm, excess)
    else:
        gradient = (level[3], level[4], level[5])
        gradient_t = (level[6], level[7], level[8])
        rate = added(gradient_t, symmetric_times(floor_hessian(level), c_rate))
        need = dot(rate, u) + dot(gradient, free) + level[2] + dot(gradient_t, c_rate)
        push = n
        M = mobility(scene, g.matrix_WP, g.arm)
        n_P = turned_back(g.matrix_WP, n)
        Mn = symmetric_times(M, n_P)
        plain = dot(n_P, Mn)
        if regime == SLIPPING:
            v = floor_velocity(t, point_of(y), scene)
            slip = tangential(subtracted(u, (v[0], v[1], v[2])), n)
            friction = -scene.settings[FRICTION]
            if friction == -math.inf:
                friction = -SLIPPING_FRICTION
            push = displaced(n, friction, slip_direction(slip, direction))
            ease = dot(turned_back(g.matrix_WP, push), Mn) / plain
        size = -need / (g.steepness * plain * max(ease, JAM_FRACTION))
        contact_force = scaled(size, push)
        if regime == SLIPPING:
            given = turned(g.matrix_WP, symmetric_times(M, turned_back(g.matrix_WP, contact_force)))
            rubbing = symmetric_times(M, turned_back(g.matrix_WP, subtracted(push, n)))
            friction_rate = abs(size) * norm(rubbing)
            slip_rate = tangential(
                subtracted(added(free, given), floor_acceleration(v, c_rate)), n
            )
    return Reaction(
        contact_force, dot(contact_force, n), n, g.arm, slip, slip_rate,
        omega_P, w, c_rate, force, torque, friction_rate, ease,
        g.bending[0] * g.bending[1] - g.bending[2] * g.bending[2],
    )  # fmt: skip


@helper
def rates(y, touch, scene):
    """Return d/dt of the sixteen floats of the state under a Reaction."""
    q = attitude(y)
    r = quaternion_rate(
        q[0], q[1], q[2], q[3], touch.omega_P[0], touch.omega_P[1], touch.omega_P[2]
    )
    v = velocity_of(scene, y)
    f = added(touch.applied, touch.force)
    torque = added(touch.torque, cross(touch.arm, touch.force))
    c = touch.point_velocity
    return (
        v[0], v[1], v[2], r[0], r[1], r[2], r[3], f[0],
        f[1], f[2], torque[0], torque[1], torque[2], c[0], c[1], c[2],
    )  # fmt: skip
