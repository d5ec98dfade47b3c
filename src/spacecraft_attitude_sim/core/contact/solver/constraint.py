# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The constraint force λ and the motion under it, at one instant: docs/contact.md, Equations.

    d/dt(μ Ω) = Φ + B^T λ        λ = -(B μ^-1 B^T)^-1 [Ḃ Ω + ḃ + B μ^-1 (Φ - μ̇ Ω)]

Sliding: B = ∇G^T [1, -[r]×], one λ. Rolling: B = [1, -[r]×], three. With friction the sliding
force is inclined against the slip: B^T λ acts along ∇G - μ |∇G| s/|s|; B itself is unchanged.

`closed` is always a literal; True leaves out terms that are zero for an ellipsoid on a plane at
rest.
"""

import math
from typing import NamedTuple

from spacecraft_attitude_sim.core.contact.solver.floor_terms import (
    floor_acceleration,
    floor_need,
    floor_velocity,
)
from spacecraft_attitude_sim.core.contact.solver.geometry import Geometry, geometry
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import ROLLING, SLIDING, STILL
from spacecraft_attitude_sim.core.contact.solver.states import (
    attitude,
    axes_of,
    pinned,
    responded,
    velocity_of,
)
from spacecraft_attitude_sim.core.contact.solver.unconstrained_motion import (
    NONE,
    UnconstrainedMotion,
    unconstrained_motion,
)
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper, part

# Slip below this has no direction of its own [m/s]; slipping ends there.
SLIP_STOP = 1e-10


# Below this fraction of its frictionless value, B μ^-1 B^T of a slipping contact counts as a
# jam (Painlevé): friction drives the contact point into the floor, and no finite force holds it.
JAM_FRACTION = 1e-2


# With unbounded friction a contact must still slip where rolling would need the floor to pull;
# friction then has this coefficient.
SLIPPING_FRICTION = 1.0


class Reaction(NamedTuple):
    """Reaction of the floor on the body at one instant; world axes except for the suffix _S.

    force: on the body at x_c [N];  torque: of it about the centre of mass [N m]
    normal_force: its part along the normal [N];  normal: (3,)
    omega_S: [rad/s];  travel_S: velocity of x_c over the body [m/s];  point_velocity: ẋ_c [m/s]
    bending: of the Geometry [1/m^2]
    Only while slipping:
    slip: velocity of the body over the floor at x_c [m/s];  slip_rate: its rate [m/s^2]
    friction_rate: magnitude of friction's own part of it [m/s^2]
    ease: B μ^-1 B^T with friction, over the same without
    """

    force: Floats
    torque: Floats
    normal_force: float
    normal: Floats
    omega_S: Floats
    travel_S: Floats
    point_velocity: Floats
    bending: float
    slip: Floats
    slip_rate: Floats
    friction_rate: float
    ease: float


@part
def reaction_in(t: float, y: Floats, regime: int, direction: Floats, held: Held) -> Reaction:
    """Return the Reaction at the state y in a regime.

    direction: (3,) unit vector of the slip while it is below SLIP_STOP
    """
    return reaction_at(t, y, geometry(t, y, held), regime, direction, False, held)


@helper
def reaction_at(
    t: float, y: Floats, g: Geometry, regime: int, direction: Floats, closed: bool, held: Held
) -> Reaction:
    """Return the Reaction at a state whose Geometry is known."""
    if regime == ROLLING:
        return rolling_reaction(t, y, g, closed, held)
    if regime == SLIDING:
        return sliding_reaction(y, g, closed, held)
    return slipping_reaction(t, y, g, direction, closed, held)


@helper
def sliding_reaction(y: Floats, g: Geometry, closed: bool, held: Held) -> Reaction:
    """Return the Reaction without friction: one λ along the normal."""
    d = unconstrained_motion(y, g, closed, held)
    k = vec.cross(g.arm_S, g.normal_S)
    need, plain = normal_need(d, k, g, closed, held)
    size = -need * (1.0 / plain)
    return Reaction(
        vec.scaled(size, g.normal), vec.scaled(size, vec.turned(g.C_WS, k)), size, g.normal,
        d.omega, d.travel, NONE if closed else vec.turned(g.C_WS, d.c_rate), g.bending,
        NONE, NONE, 0.0, 1.0,
    )  # fmt: skip


@helper
def normal_need(
    d: UnconstrainedMotion, k: Floats, g: Geometry, closed: bool, held: Held
) -> tuple[float, float]:
    """Return Ḃ Ω + ḃ + B μ^-1 (Φ - μ̇ Ω) and B μ^-1 B^T of the normal; k = r × n."""
    Jk = vec.symmetric_times(held.inverse_inertia, k)
    # n · (ω × s) = -(ω × n) · s.
    w = held.wrench
    pressing = vec.dot(g.normal, (w[6], w[7], w[8]))
    if not held.plain:
        pressing = pressing + vec.dot(g.normal_S, (w[0], w[1], w[2]))
    need = held.inverse_mass * pressing - vec.dot(d.tilting, d.swept) + vec.dot(Jk, d.moment)
    if not closed:
        need = need + floor_need(g, d.u, d.c_rate, held.floor_kind)
    return need, held.inverse_mass + vec.dot(k, Jk)


@helper
def rolling_reaction(t: float, y: Floats, g: Geometry, closed: bool, held: Held) -> Reaction:
    """Return the Reaction without slip: three λ."""
    d = unconstrained_motion(y, g, closed, held)
    kind = STILL if closed else held.floor_kind
    point_velocity = NONE if closed else vec.turned(g.C_WS, d.c_rate)
    motion = vec.moved_vector(vec.cross(d.omega, d.swept), held.inverse_mass, d.force)
    floor_rate = floor_acceleration(t, y, g, point_velocity, kind, held)
    _, push = pinned(held, g.arm_S, d.moment, vec.subtracted(motion, floor_rate))
    return Reaction(
        vec.turned(g.C_WS, push), vec.turned(g.C_WS, vec.cross(g.arm_S, push)),
        vec.dot(g.normal_S, push), g.normal, d.omega, d.travel, point_velocity, g.bending,
        NONE, NONE, 0.0, 1.0,
    )  # fmt: skip


@helper
def slipping_reaction(
    t: float, y: Floats, g: Geometry, direction: Floats, closed: bool, held: Held
) -> Reaction:
    """Return the Reaction with friction against the slip, or against `direction` without slip."""
    d = unconstrained_motion(y, g, closed, held)
    kind = STILL if closed else held.floor_kind
    point_velocity = NONE if closed else vec.turned(g.C_WS, d.c_rate)
    n, r, J = g.normal_S, g.arm_S, held.inverse_inertia
    need, plain = normal_need(d, vec.cross(r, n), g, closed, held)
    slip = vec.tangential(vec.subtracted(d.u, floor_velocity(t, y, g, kind, held)), n)
    slip = vec.turned(g.C_WS, slip)
    against = vec.turned_back(g.C_WS, slip_direction(slip, direction))
    push = vec.moved_vector(n, -slipping_friction(held), against)
    ease = vec.dot(n, responded(held, r, push)) / plain
    size = -need / (plain * max(ease, JAM_FRACTION))

    motion = vec.moved_vector(vec.cross(d.omega, d.swept), held.inverse_mass, d.force)
    free = vec.added(motion, vec.cross(vec.symmetric_times(J, d.moment), r))
    given = responded(held, r, vec.scaled(size, push))
    floor_rate = floor_acceleration(t, y, g, point_velocity, kind, held)
    slip_rate = vec.turned(
        g.C_WS, vec.tangential(vec.subtracted(vec.added(free, given), floor_rate), n)
    )
    friction_rate = abs(size) * vec.norm(responded(held, r, vec.subtracted(push, n)))
    force = vec.scaled(size, push)
    return Reaction(
        vec.turned(g.C_WS, force), vec.turned(g.C_WS, vec.cross(r, force)), size, g.normal,
        d.omega, d.travel, point_velocity, g.bending, slip, slip_rate, friction_rate, ease,
    )  # fmt: skip


@helper
def slip_direction(slip: Floats, direction: Floats) -> Floats:
    """Return the unit vector of the slip, or the given one where there is none."""
    speed = vec.norm(slip)
    if speed > SLIP_STOP:
        return vec.scaled(1.0 / speed, slip)
    return direction


@helper
def slipping_friction(held: Held) -> float:
    """Return the μ of a slipping contact."""
    friction = held.friction
    return SLIPPING_FRICTION if friction == math.inf else friction


@helper
def rates(y: Floats, reaction: Reaction, held: Held) -> Floats:
    """Return d/dt of the sixteen floats of the state under a Reaction."""
    q, w = attitude(y), reaction.omega_S
    r = quaternion_rate(q[0], q[1], q[2], q[3], w[0], w[1], w[2])
    v = velocity_of(held, y)
    f = held.wrench
    force = vec.added((f[6], f[7], f[8]), reaction.force)
    torque = reaction.torque
    if not held.plain:
        C = axes_of(y)
        force = vec.added(force, vec.turned(C, (f[0], f[1], f[2])))
        torque = vec.added(
            torque, vec.added((f[9], f[10], f[11]), vec.turned(C, (f[3], f[4], f[5])))
        )
    c = reaction.point_velocity
    return (
        v[0], v[1], v[2], r[0], r[1], r[2], r[3], force[0],
        force[1], force[2], torque[0], torque[1], torque[2], c[0], c[1], c[2],
    )  # fmt: skip
