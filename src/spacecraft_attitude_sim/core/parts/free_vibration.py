# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Natural frequencies of internal parts on a spacecraft that is free and does not spin.

Eigenvalues of M q'' + K q = 0, M the mass matrix of rotation, translation and all coordinates, K
the stiffness of their springs; the six rigid-body motions have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics import fixed_order, rotations
from spacecraft_attitude_sim.core.parts.coordinates.layouts import COORDINATE, FREE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, VectorLike
    from spacecraft_attitude_sim.core.parts.internal_parts import Coordinate, InternalParts


def moved_mass_matrix(
    parts: InternalParts, mass: float, inertia_B: Matrix3, displacements: VectorLike
) -> Array:
    """Return the mass matrix (6, 6) of rotation and translation of the whole, about its origin.

    mass [kg], inertia_B (3, 3) [kg m^2]: of the whole, internal parts at their reference
    displacements: (K,) of the coordinates; pendulums are where they start
    """
    rigid, moment = np.array(inertia_B, dtype=float), parts.hub_moment_B.copy()
    for one, displacement in zip(parts.coordinates.values(), displacements, strict=True):
        rigid += one.inertia_B(displacement) - one.inertia_B(0.0)
        moment += one.moment_B(displacement)
    for pendulum in parts.pendulums.values():
        now_B, rest_B = map(pendulum.center_at_B, (pendulum.direction_B, pendulum.rest_B))
        moment += pendulum.mass * now_B
        rigid += point_inertia(pendulum.mass, now_B) - point_inertia(pendulum.mass, rest_B)
    lever = rotations.cross_matrix(moment)
    return np.block([[rigid, lever], [lever.T, mass * np.eye(3)]])


def eigenvalues(
    several: Sequence[Coordinate], displacements: VectorLike, rigid: Array, forces: VectorLike
) -> Array:
    """Return the eigenvalues (N,), rising, of stiffness or damping over generalized mass.

    several: N coordinates that are free, at displacements (N,);  rigid: of moved_mass_matrix
    forces: (N,) stiffness or damping of each: force per unit of displacement or rate
    """
    pairs = zip(several, displacements, strict=True)
    momenta = np.array([np.concatenate(one.momenta_B(x)) for one, x in pairs])
    # Generalized mass after eliminating the rigid-body motion (Schur complement).
    free = np.diag([one.moving for one in several])
    free = free - fixed_order.product(momenta, fixed_order.solved(rigid, momenta.T))
    root = fixed_order.cholesky((free + free.T) / 2.0)
    half = fixed_order.solved_below(root, np.diag(forces))
    inner = fixed_order.solved_below(root, half.T)
    return np.maximum(fixed_order.eigenvalues((inner + inner.T) / 2.0), 0.0)


def free_frequencies(parts: InternalParts, mass: float, inertia_B: Matrix3) -> Array:
    """Return the natural frequencies, rising, of free coordinates with a spring [rad/s].

    At the displacements of the start, without damping and latches; held panels and pendulums move
    with the hub. mass, inertia_B: as in moved_mass_matrix
    """
    at = COORDINATE.at('stiffness')
    several = [one for one in parts.coordinates.values() if one.how == FREE]
    if not several:
        return np.zeros(0)
    now = [one.displacement for one in parts.coordinates.values()]
    rigid = moved_mass_matrix(parts, mass, inertia_B, now)
    springs = np.array([one.row()[at] for one in several])
    squares = eigenvalues(several, [one.displacement for one in several], rigid, springs)
    return np.sqrt(squares[len(several) - np.count_nonzero(springs) :])
