# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The motion of a body in contact without the floor's force."""

from typing import NamedTuple

from spacecraft_attitude_sim.core.contact.solver.floor_terms import travel_of
from spacecraft_attitude_sim.core.contact.solver.geometry import Geometry
from spacecraft_attitude_sim.core.contact.solver.held import Held
from spacecraft_attitude_sim.core.contact.solver.layout import STILL
from spacecraft_attitude_sim.core.contact.solver.states import spin_of, velocity_of
from spacecraft_attitude_sim.core.mathematics import vectors as vec
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels.kernel import helper

NONE = (0.0, 0.0, 0.0)


class UnconstrainedMotion(NamedTuple):
    """The motion without the floor's force; surface axes.

    omega: [rad/s];  tilting: ω × n;  u: velocity of the body's point at x_c [m/s]
    travel: of x_c over the body [m/s];  c_rate: ẋ_c [m/s]
    force: applied [N];  moment: applied torque - ω × L [N m]
    swept: ω × r + travel: ω × swept is the acceleration of the body's point without Ω̇ [m/s]
    """

    omega: Floats
    tilting: Floats
    u: Floats
    travel: Floats
    c_rate: Floats
    force: Floats
    moment: Floats
    swept: Floats


@helper
def applied_wrench(held: Held, C_WS: Floats) -> tuple[Floats, Floats]:
    """Return the applied force and torque about the centre of mass, in surface axes [N, N m]."""
    w = held.wrench
    force = vec.turned_back(C_WS, (w[6], w[7], w[8]))
    if held.plain:
        return force, NONE
    torque = vec.turned_back(C_WS, (w[9], w[10], w[11]))
    return vec.added(force, (w[0], w[1], w[2])), vec.added(torque, (w[3], w[4], w[5]))


@helper
def unconstrained_motion(y: Floats, g: Geometry, closed: bool, held: Held) -> UnconstrainedMotion:
    """Return the UnconstrainedMotion at a state whose Geometry is known."""
    L = vec.turned_back(g.C_WS, spin_of(y))
    omega = vec.symmetric_times(held.inverse_inertia, L)
    turning = vec.cross(omega, g.arm_S)
    u = vec.added(vec.turned_back(g.C_WS, velocity_of(held, y)), turning)
    tilting = vec.cross(omega, g.normal_S)
    travel = travel_of(g, tilting, u, STILL if closed else held.floor_kind)
    force, torque = applied_wrench(held, g.C_WS)
    moment = vec.subtracted(torque, vec.cross(omega, L))
    return UnconstrainedMotion(
        omega, tilting, u, travel, vec.added(u, travel), force, moment, vec.added(turning, travel)
    )  # fmt: skip
