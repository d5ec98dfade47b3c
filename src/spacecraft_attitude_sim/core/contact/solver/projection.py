# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Put a state back on the constraint by the smallest correction in the mass metric.

Position: (δx, δθ) = μ^-1 B^T α closes the gap; x_c becomes the contact point again.
Velocity: the impulse that makes BΩ + b zero. Both vanish with the step's truncation error.
"""

from spacecraft_attitude_sim.core.contact.solver.detection import support_point
from spacecraft_attitude_sim.core.contact.solver.floor_terms import floor_velocity
from spacecraft_attitude_sim.core.contact.solver.geometry import Geometry, floor_turn, geometry
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import CURVED, IMPLICIT, ROLLING, STILL
from spacecraft_attitude_sim.core.contact.solver.states import (
    angular_velocity_S,
    axes_of,
    kicked,
    pinned,
    point_of,
    shifted,
    velocity_of,
    with_point,
)
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper, part

# The correction is a Newton step: after one of size s times the reach, s^2 is left. Inside a tick
# one step is enough below the second bound: the rest is far below the truncation error.
SMALL_CORRECTION = 1e-9
SINGLE_CORRECTION = 1e-6
CORRECTIONS = 8


@helper
def uses_support(held: Held) -> bool:
    """Return whether x_c comes from the closed form: only where curvature may vanish."""
    flat = not held.strictly_curved
    return flat and held.floor_kind != CURVED and held.body_kind != IMPLICIT


@helper
def with_support_point(t: float, y: Floats, held: Held) -> Floats:
    """Return the state with x_c from the closed form."""
    return with_point(y, support_point(t, y, held, axes_of(y)))


@helper
def position_correction(y: Floats, g: Geometry, held: Held) -> tuple[Floats, float]:
    """Return the state with gap and contact point corrected, and the size of the step [m]."""
    n, r = g.normal_S, g.arm_S
    k = vec.cross(r, n)
    Jk = vec.symmetric_times(held.inverse_inertia, k)
    alpha = -g.gap / (held.inverse_mass + vec.dot(k, Jk))
    shift = vec.scaled(alpha * held.inverse_mass, n)
    turn = vec.scaled(alpha, Jk)
    shift_W = vec.scaled(alpha * held.inverse_mass, g.normal)
    carried = vec.added(shift, vec.cross(turn, r))
    across = vec.subtracted(vec.cross(turn, n), g.off_S)
    if held.floor_kind == CURVED:
        across = vec.subtracted(across, floor_turn(g, carried))
    w = vec.symmetric_times(g.following_S, across)
    point_shift = vec.turned(g.C_WS, vec.moved_vector(vec.added(carried, w), g.distance, n))
    return shifted(y, shift_W, turn, point_shift), max(abs(g.gap), vec.norm(w))


@part
def on_floor(t: float, y: Floats, held: Held) -> Floats:
    """Return the state with the gap closed."""
    for _ in range(CORRECTIONS):
        if uses_support(held):
            y = with_support_point(t, y, held)
        y, size = position_correction(y, geometry(t, y, held), held)
        if not size > SMALL_CORRECTION * held.reach:
            break
    if uses_support(held):
        y = with_support_point(t, y, held)
    return y


@part
def relative_velocity(t: float, y: Floats, held: Held) -> tuple[Floats, Floats]:
    """Return the floor's unit normal and the velocity of the body over the floor at x_c.

    The part along the normal is the rate of the gap, from G.
    """
    c = point_of(y)
    level = held.level(t, c[0], c[1], c[2], held.floor_parameters)
    C = axes_of(y)
    turning = vec.cross(angular_velocity_S(held, C, y), vec.turned_back(C, arm_of(y)))
    u = vec.added(velocity_of(held, y), vec.turned(C, turning))
    n, approach = approach_of(level, u)
    v = held.floor_velocity(t, c[0], c[1], c[2], held.floor_parameters)
    over = vec.subtracted(u, (v[0], v[1], v[2]))
    return n, vec.moved_vector(over, approach - vec.dot(n, over), n)


@helper
def arm_of(y: Floats) -> Floats:
    """Return x_c - x [m]."""
    return (y[13] - y[0], y[14] - y[1], y[15] - y[2])


@helper
def approach_of(level: Floats, u: Floats) -> tuple[Floats, float]:
    """Return the floor's unit normal and the rate of the gap, (∇G · u + ∂G/∂t) / |∇G|."""
    gradient = (level[3], level[4], level[5])
    inverse = 1.0 / vec.norm(gradient)
    return vec.scaled(inverse, gradient), inverse * (vec.dot(gradient, u) + level[1])


@part
def velocity_projected(t: float, y: Floats, regime: int, held: Held) -> Floats:
    """Return the state with BΩ + b = 0."""
    return velocity_projected_at(t, y, geometry(t, y, held), regime, held)


@part
def projected(t: float, y: Floats, regime: int, held: Held) -> Floats:
    """Return the state on the floor, with the floor's velocity, to round-off."""
    return velocity_projected(t, on_floor(t, y, held), regime, held)


@helper
def nearly_projected(t: float, y: Floats, regime: int, held: Held) -> tuple[Floats, Geometry]:
    """Return the state projected in one Newton step, and its Geometry.

    Where the step was small the Geometry is that before it: its error is of the truncation error's
    order, and so is that of the velocity's constraint. A tick ends with `projected`.
    """
    g = geometry(t, y, held)
    moved, size = position_correction(y, g, held)
    strict = held.strictly_curved
    if not strict or not size < SINGLE_CORRECTION * held.reach:
        moved = on_floor(t, y, held)
        g = geometry(t, moved, held)
    return velocity_projected_at(t, moved, g, regime, held), g


@helper
def velocity_projected_at(t: float, y: Floats, g: Geometry, regime: int, held: Held) -> Floats:
    """Return the state with BΩ + b = 0 from a known Geometry."""
    kind = held.floor_kind
    C, r, n = g.C_WS, g.arm_S, g.normal_S
    omega = angular_velocity_S(held, C, y)
    u = vec.added(vec.turned_back(C, velocity_of(held, y)), vec.cross(omega, r))
    approach = vec.dot(n, u)
    if kind != STILL:
        approach += g.level[1] / g.steepness
    if regime == ROLLING:
        over = vec.subtracted(u, floor_velocity(t, y, g, kind, held))
        # On the floor ∇G · v + ∂G/∂t = 0; off it by round-off, G's own rate counts.
        over = vec.moved_vector(over, approach - vec.dot(n, over), n)
        _, push = pinned(held, r, (0.0, 0.0, 0.0), over)
        return kicked(y, g.arm, vec.turned(C, push))
    k = vec.cross(r, n)
    ease = held.inverse_mass + vec.dot(k, vec.symmetric_times(held.inverse_inertia, k))
    return kicked(y, g.arm, vec.scaled(-approach / ease, g.normal))


@part
def constraint_error(t: float, y: Floats, regime: int, gap: float, held: Held) -> float:
    """Return the larger of the gap [m] and the velocity that violates the constraint [m/s]."""
    n, over = relative_velocity(t, y, held)
    speed = vec.norm(over) if regime == ROLLING else abs(vec.dot(n, over))
    return max(abs(gap), speed)
