# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Put a state back on the constraint by the shortest correction in the mass metric.

Position: (δx, δθ) = μ^-1 B^T α closes the gap, and x_c follows so that S5's conditions hold again.
Velocity: the impulse that takes BΩ + b away. Both vanish with the step's truncation error.
"""

from spacecraft_attitude_sim.core.contact.solver.detection import support_point
from spacecraft_attitude_sim.core.contact.solver.floor_terms import floor_velocity
from spacecraft_attitude_sim.core.contact.solver.geometry import floor_turn, geometry
from spacecraft_attitude_sim.core.contact.solver.scene import (
    CURVED,
    IMPLICIT,
    REACH,
    ROLLING,
    STILL,
    STRICTLY_CURVED,
)
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
from spacecraft_attitude_sim.core.contact.solver.vectors import (
    added,
    cross,
    displaced,
    dot,
    norm,
    scaled,
    subtracted,
    symmetric_times,
    turned,
    turned_back,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

# The correction is a Newton step: after one of size s times the reach, s^2 is left. Inside a ride
# one step is enough below the second bound, as what is left is far below the truncation error.
SMALL_CORRECTION = 1e-9
SINGLE_CORRECTION = 1e-6
CORRECTIONS = 8


@helper
def uses_support(scene):
    """Return whether x_c comes from the closed form: only where curvature may vanish."""
    flat = scene.settings[STRICTLY_CURVED] == 0.0
    return flat and scene.floor_kind != CURVED and scene.body_kind != IMPLICIT


@helper
def with_support_point(t, y, scene):
    """Return the state with x_c from the closed form."""
    return with_point(y, support_point(t, y, scene, axes_of(y)))


@helper
def position_correction(y, g, scene):
    """Return the state with gap and contact point corrected, and the size of the step [m]."""
    n, r = g.normal_S, g.arm_S
    k = cross(r, n)
    Jk = symmetric_times(scene.inverse_inertia, k)
    alpha = -g.gap / (scene.inverse_mass + dot(k, Jk))
    shift = scaled(alpha * scene.inverse_mass, n)
    turn = scaled(alpha, Jk)
    shift_W = scaled(alpha * scene.inverse_mass, g.normal)
    carried = added(shift, cross(turn, r))
    across = subtracted(cross(turn, n), g.off_S)
    if scene.floor_kind == CURVED:
        across = subtracted(across, floor_turn(g, carried))
    w = symmetric_times(g.following_S, across)
    point_shift = turned(g.C_WS, displaced(added(carried, w), g.distance, n))
    return shifted(y, shift_W, turn, point_shift), max(abs(g.gap), norm(w))


@part
def on_floor(t, y, scene):
    """Return the state with the gap closed."""
    for _ in range(CORRECTIONS):
        if uses_support(scene):
            y = with_support_point(t, y, scene)
        y, size = position_correction(y, geometry(t, y, scene), scene)
        if not size > SMALL_CORRECTION * scene.settings[REACH]:
            break
    if uses_support(scene):
        y = with_support_point(t, y, scene)
    return y


@part
def relative_velocity(t, y, scene):
    """Return the floor's unit normal and the velocity of the body over the floor at x_c.

    The part along the normal is the rate of the gap, from G.
    """
    c = point_of(y)
    level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    C = axes_of(y)
    turning = cross(angular_velocity_S(scene, C, y), turned_back(C, arm_of(y)))
    u = added(velocity_of(scene, y), turned(C, turning))
    n, approach = approach_of(level, u)
    v = scene.floor_velocity(t, c[0], c[1], c[2], scene.floor_parameters)
    over = subtracted(u, (v[0], v[1], v[2]))
    return n, displaced(over, approach - dot(n, over), n)


@helper
def arm_of(y):
    """Return x_c - x [m]."""
    return (y[13] - y[0], y[14] - y[1], y[15] - y[2])


@helper
def approach_of(level, u):
    """Return the floor's unit normal and the rate of the gap, (∇G · u + ∂G/∂t) / |∇G|."""
    gradient = (level[3], level[4], level[5])
    inverse = 1.0 / norm(gradient)
    return scaled(inverse, gradient), inverse * (dot(gradient, u) + level[1])


@part
def held(t, y, regime, scene):
    """Return the state with BΩ + b = 0."""
    return held_at(t, y, geometry(t, y, scene), regime, scene)


@part
def projected(t, y, regime, scene):
    """Return the state on the floor, moving along with it, to round-off."""
    return held(t, on_floor(t, y, scene), regime, scene)


@helper
def nearly_projected(t, y, regime, scene):
    """Return the state projected in one Newton step, and its Geometry.

    The Geometry is of before the step where that was small: it is off by as little, which is of
    the truncation error's order. So is the velocity's constraint; a tick ends with `projected`.
    """
    g = geometry(t, y, scene)
    moved, size = position_correction(y, g, scene)
    strict = scene.settings[STRICTLY_CURVED] != 0.0
    if not strict or not size < SINGLE_CORRECTION * scene.settings[REACH]:
        moved = on_floor(t, y, scene)
        g = geometry(t, moved, scene)
    return held_at(t, moved, g, regime, scene), g


@helper
def held_at(t, y, g, regime, scene):
    """Return the state with BΩ + b = 0, its Geometry known."""
    kind = scene.floor_kind
    C, r, n = g.C_WS, g.arm_S, g.normal_S
    omega = angular_velocity_S(scene, C, y)
    u = added(turned_back(C, velocity_of(scene, y)), cross(omega, r))
    approach = dot(n, u)
    if kind != STILL:
        approach += g.level[1] / g.steepness
    if regime == ROLLING:
        over = subtracted(u, floor_velocity(t, y, g, kind, scene))
        # On the floor ∇G · v + ∂G/∂t = 0; off it, by round-off, G's own rate counts.
        over = displaced(over, approach - dot(n, over), n)
        _, push = pinned(scene, r, (0.0, 0.0, 0.0), over)
        return kicked(y, g.arm, turned(C, push))
    k = cross(r, n)
    ease = scene.inverse_mass + dot(k, symmetric_times(scene.inverse_inertia, k))
    return kicked(y, g.arm, scaled(-approach / ease, g.normal))


@part
def constraint_error(t, y, regime, gap, scene):
    """Return the larger of the gap [m] and the velocity against the constraint [m/s]."""
    n, over = relative_velocity(t, y, scene)
    speed = norm(over) if regime == ROLLING else abs(dot(n, over))
    return max(abs(gap), speed)
