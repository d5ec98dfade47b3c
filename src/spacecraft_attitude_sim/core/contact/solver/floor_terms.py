# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Contributions of the floor's own shape and motion to the constraint."""

from spacecraft_attitude_sim.core.contact.solver.geometry import (
    Geometry,
    floor_hessian,
    floor_turn,
)
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import CURVED, FLAT, STILL
from spacecraft_attitude_sim.core.contact.solver.states import point_of
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper


@helper
def floor_velocity(t: float, y: Floats, g: Geometry, kind: int, held: Held) -> Floats:
    """Return the velocity of the floor's material at x_c, in surface axes [m/s]."""
    if kind == STILL:
        return (0.0, 0.0, 0.0)
    c = point_of(y)
    v = held.floor_velocity(t, c[0], c[1], c[2], held.floor_parameters)
    return vec.turned_back(g.C_WS, (v[0], v[1], v[2]))


@helper
def floor_acceleration(
    t: float, y: Floats, g: Geometry, point_velocity: Floats, kind: int, held: Held
) -> Floats:
    """Return ∂v/∂t + ∂v/∂x ẋ_c of the floor's material, in surface axes [m/s^2]."""
    if kind == STILL:
        return (0.0, 0.0, 0.0)
    c = point_of(y)
    v = held.floor_velocity(t, c[0], c[1], c[2], held.floor_parameters)
    gradient = (v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14])
    return vec.turned_back(
        g.C_WS, vec.added((v[3], v[4], v[5]), vec.turned(gradient, point_velocity))
    )


@helper
def travel_of(g: Geometry, turning_normal: Floats, u_S: Floats, kind: int) -> Floats:
    """Return w, the velocity of x_c over the body: ẋ_c = u + w, u the body's velocity there.

    turning_normal: ω × n, in surface axes
    """
    across = turning_normal
    if kind == CURVED:
        tilting = (g.level[6], g.level[7], g.level[8])
        across = vec.moved_vector(across, -1.0 / g.steepness, vec.turned_back(g.C_WS, tilting))
        across = vec.subtracted(across, floor_turn(g, u_S))
    return vec.symmetric_times(g.following_S, across)


@helper
def floor_need(g: Geometry, u_S: Floats, c_rate_S: Floats, kind: int) -> float:
    """Return the floor's own part of Ḃ Ω + ḃ, from its shape and motion, over |∇G|."""
    if kind == STILL:
        return 0.0
    if kind == FLAT:
        return g.level[2] / g.steepness
    u, c_rate = vec.turned(g.C_WS, u_S), vec.turned(g.C_WS, c_rate_S)
    tilting = (g.level[6], g.level[7], g.level[8])
    rate = vec.added(tilting, vec.symmetric_times(floor_hessian(g.level), c_rate))
    return (vec.dot(rate, u) + g.level[2] + vec.dot(tilting, c_rate)) / g.steepness
