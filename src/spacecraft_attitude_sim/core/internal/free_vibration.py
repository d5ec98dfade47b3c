# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Frequencies at which internal parts vibrate with a spacecraft that is free and does not spin.

Those of M q'' + K q = 0, M the mass matrix of turning, moving and all coordinates together, and K
of their springs: the six motions of the whole have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.internal.layouts import COORDINATE, FREE

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.internal.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3

STIFFNESS = COORDINATE.at('stiffness')


def free_frequencies(parts: InternalParts, mass: float, inertia_B: Matrix3) -> Array:
    """Return the frequencies, rising, one for each free coordinate with a spring [rad/s].

    As things are at the start, without damping; what is held, and pendulums, move with the hub.
    mass [kg], inertia_B (3, 3) [kg m^2]: of the whole, what moves in its place of reference
    """
    several = [one for one in parts.coordinates.values() if one.how == FREE]
    stiffness = np.array([one.row()[STIFFNESS] for one in several])
    rigid, moment = np.array(inertia_B, dtype=float), parts.hub_moment_B.copy()
    for one in parts.coordinates.values():
        rigid += one.inertia_B(one.displacement) - one.inertia_B(0.0)
        moment += one.mass * one.center_at_B(one.displacement)
    for pendulum in parts.pendulums.values():
        now_B, rest_B = map(pendulum.center_at_B, (pendulum.direction_B, pendulum.rest_B))
        moment += pendulum.mass * now_B
        rigid += point_inertia(pendulum.mass, now_B) - point_inertia(pendulum.mass, rest_B)
    x, y, z = moment
    lever = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    whole = np.block([[rigid, lever], [lever.T, mass * np.eye(3)]])
    momenta = np.array([np.concatenate(one.momenta_B(one.displacement)) for one in several])
    if not len(several):
        return np.zeros(0)
    # What is left of the coordinates' own mass where the whole gives way to them.
    free = np.diag([one.moving for one in several])
    free = free - momenta @ np.linalg.solve(whole, momenta.T)
    root = np.linalg.cholesky((free + free.T) / 2.0)
    inner = np.linalg.solve(root, np.linalg.solve(root, np.diag(stiffness)).T)
    squares = np.linalg.eigvalsh((inner + inner.T) / 2.0)
    return np.sqrt(np.maximum(squares[len(several) - np.count_nonzero(stiffness) :], 0.0))
