# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A spherical air bearing: it holds the origin of the body's axes, and the weight turns the body.

    τ = m c × g          V = -m g·c

with c the centre of mass from the pivot. The pivot is the origin of the body's axes; angular
momentum, inertia and torques are about it, so that Euler's equation holds as for a free body
(H. Goldstein, Classical Mechanics, 1980, section 5.5). The bearing takes every force: the pivot
stays at rest, and an accelerometer there reads -g.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.loads.load import Acting, LoadKind, to_body
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import added, cross, dot, norm, three_at
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.environment.loads.load import Sums
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike

# first moment of mass m c about the pivot [kg m];  gravity [m/s^2], world axes
BEARING = Layout(moment_B=3, gravity_W=3)
MOMENT, GRAVITY = BEARING.places()


@helper
def wrench(
    sums: Sums, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    velocity: Floats, here: Floats,
) -> Sums:  # fmt: skip
    """Add the torque of the weight about the pivot; see LoadKind."""
    force_B, torque_B, force_W = sums
    gravity_B = to_body(turn, three_at(parts, row + GRAVITY), 0)
    return force_B, added(torque_B, cross(three_at(parts, row + MOMENT), gravity_B)), force_W


@helper
def potential(
    energy: float, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    here: Floats,
) -> float:  # fmt: skip
    """Add -m g·c [J], 0 where the centre of mass is beside the pivot; see LoadKind."""
    gravity_B = to_body(turn, three_at(parts, row + GRAVITY), 0)
    return energy - dot(three_at(parts, row + MOMENT), gravity_B)


@helper
def bound(
    torque: float, parts: Array, row: int, count: int, whole: Floats, inertia: Floats,
    here: Floats,
) -> float:  # fmt: skip
    """Add a bound of the torque [N m]; see LoadKind."""
    return torque + norm(three_at(parts, row + MOMENT)) * norm(three_at(parts, row + GRAVITY))


KIND = LoadKind(
    name='weight', row=BEARING, wrench=wrench, potential=potential, bound=bound, pulls=True,
    holds=True, airy=False,
)  # fmt: skip


def acting(body: RigidBody, gravity_W: VectorLike) -> Acting:
    """Return the bearing under a body; gravity_W: (3,) [m/s^2], world axes.

    body: RigidBody about the pivot, of RigidBody.about
    """
    return Acting(KIND, BEARING.packed(
        moment_B=body.mass * np.asarray(body.center_B), gravity_W=gravity_W
    ).reshape(1, -1))  # fmt: skip
