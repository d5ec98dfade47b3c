# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Put a state back on the constraint by the shortest correction in the mass metric.

Position: (δx, δθ) = μ^-1 B^T α closes the gap, and x_c follows so that S5's conditions hold again.
Velocity: the impulse that takes BΩ + b away. Both vanish with the step's truncation error.
"""

from spacecraft_attitude_sim.core.compiled import helper
from spacecraft_attitude_sim.core.contact.constraint import (
    floor_velocity,
    mobility,
    stopping_impulse,
)
from spacecraft_attitude_sim.core.contact.finding import support_point
from spacecraft_attitude_sim.core.contact.geometry import (
    gap_of,
    geometry,
    tangent_bending,
    unbent,
)
from spacecraft_attitude_sim.core.contact.scene import (
    CLOSED_FORM,
    FLAT_FLOOR,
    REACH,
    ROLLING,
    STRICTLY_CURVED,
    attitude,
    divided_by_inertia,
    kicked,
    point_of,
    position,
    shifted,
    spin_of,
    velocity_of,
    with_point,
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
    turned_back,
)
from spacecraft_attitude_sim.core.rotations import quaternion_matrix

# The correction is a Newton step: after one of size s times the reach, s^2 is left.
SMALL_CORRECTION = 1e-9
CORRECTIONS = 8


@helper
def uses_support(scene):
    """Return whether x_c comes from the closed form: only where curvature may vanish."""
    s = scene.settings
    return s[FLAT_FLOOR] != 0.0 and s[CLOSED_FORM] != 0.0 and s[STRICTLY_CURVED] == 0.0


@helper
def with_support_point(t, y, scene):
    """Return the state with x_c from the closed form."""
    q = attitude(y)
    matrix = quaternion_matrix(q[0], q[1], q[2], q[3])
    return with_point(y, support_point(t, y, scene, matrix))


@helper
def position_correction(t, y, scene):
    """Return the state with gap and contact point corrected, and the size of the step [m]."""
    g = geometry(t, y, scene)
    n, arm = g.normal, g.arm
    gap = gap_of(g)
    n_P = turned_back(g.matrix_WP, n)
    ease = dot(n_P, symmetric_times(mobility(scene, g.matrix_WP, arm), n_P))
    alpha = -gap / ease
    shift = scaled(alpha * scene.inverse_mass, n)
    turn = scaled(alpha, divided_by_inertia(scene, g.matrix_WP, cross(arm, n)))
    carried = added(shift, cross(turn, arm))
    across = cross(turn, n)
    bent = tangent_bending(g, carried, scene)
    w = unbent(
        g,
        dot(g.first, across) - g.leaning[0] - bent[0] - g.normal_bending[0] * g.distance,
        dot(g.second, across) - g.leaning[1] - bent[1] - g.normal_bending[1] * g.distance,
    )
    point_shift = displaced(added(carried, w), g.distance, n)
    moved = shifted(y, shift, turned_back(g.matrix_WP, turn), point_shift)
    return moved, max(abs(gap), norm(w))


@helper
def on_floor(t, y, scene):
    """Return the state with the gap closed."""
    for _ in range(CORRECTIONS):
        if uses_support(scene):
            y = with_support_point(t, y, scene)
        y, size = position_correction(t, y, scene)
        if not size > SMALL_CORRECTION * scene.settings[REACH]:
            break
    if uses_support(scene):
        y = with_support_point(t, y, scene)
    return y


@helper
def relative_velocity(t, y, scene):
    """Return C_WP, the arm, the floor's unit normal, and the velocity of body over floor there.

    The part along the normal is the rate of the gap, from G.
    """
    q = attitude(y)
    matrix = quaternion_matrix(q[0], q[1], q[2], q[3])
    c = point_of(y)
    arm = subtracted(c, position(y))
    level = scene.level(t, c[0], c[1], c[2], scene.floor_parameters)
    gradient = (level[3], level[4], level[5])
    inverse = 1.0 / norm(gradient)
    n = scaled(inverse, gradient)
    omega = divided_by_inertia(scene, matrix, spin_of(y))
    u = added(velocity_of(scene, y), cross(omega, arm))
    v = floor_velocity(t, c, scene)
    over = subtracted(u, (v[0], v[1], v[2]))
    # On the floor ∇G · v + ∂G/∂t = 0; off it, by round-off, G's own rate counts.
    approach = inverse * (dot(gradient, u) + level[1])
    return matrix, arm, n, displaced(over, approach - dot(n, over), n)


@helper
def held(t, y, regime, scene):
    """Return the state with BΩ + b = 0."""
    matrix, arm, n, over = relative_velocity(t, y, scene)
    if regime == ROLLING:
        return kicked(y, arm, stopping_impulse(scene, matrix, arm, over))
    n_P = turned_back(matrix, n)
    ease = dot(n_P, symmetric_times(mobility(scene, matrix, arm), n_P))
    return kicked(y, arm, scaled(-dot(n, over) / ease, n))


@helper
def projected(t, y, regime, scene):
    """Return the state on the floor, moving along with it."""
    return held(t, on_floor(t, y, scene), regime, scene)


@helper
def constraint_error(t, y, regime, gap, scene):
    """Return the larger of the gap [m] and the velocity against the constraint [m/s]."""
    _, _, n, over = relative_velocity(t, y, scene)
    speed = norm(over) if regime == ROLLING else abs(dot(n, over))
    return max(abs(gap), speed)
