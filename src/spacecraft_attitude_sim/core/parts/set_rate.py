# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Internal states after the body's ω is set to another value, relative motion unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.parts.coordinates.layouts import (
    COORDINATE_STATE,
)
from spacecraft_attitude_sim.core.parts.pendulums.kernel import PENDULUM_STATE
from spacecraft_attitude_sim.core.parts.viscous_slugs.kernel import SLUG_STATE

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts


def turning_with(
    parts: InternalParts, internal: Array, mass: float, change_B: Vector3
) -> tuple[Array, Vector3]:
    """Return the states with the same displacements and rates, and the added angular momentum.

    The angular momentum (3,) is about the centre of mass, beside that of the carrier [N m s].
    mass: of the spacecraft [kg];  change_B: change of its angular velocity (3,) [rad/s]
    """
    after = internal.copy()
    center_B = parts.center_of_mass_B(internal, mass)
    moved_B = np.cross(change_B, center_B)
    inertia = -point_inertia(mass, center_B)
    rows = after[parts.layout.of('coordinates')].reshape(-1, COORDINATE_STATE.size)
    for row, one in zip(rows, parts.coordinates.values(), strict=True):
        displacement = float(row[COORDINATE_STATE.at('displacement')])
        turning, drift = one.momenta_B(displacement)
        row[COORDINATE_STATE.at('momentum')] += product(turning, change_B) - product(
            drift, moved_B
        )
        inertia += one.inertia_B(displacement)
    rows = after[parts.layout.of('pendulums')].reshape(-1, PENDULUM_STATE.size)
    for row, pendulum in zip(rows, parts.pendulums.values(), strict=True):
        direction_B = row[PENDULUM_STATE.of('direction_B')]
        r = pendulum.center_at_B(direction_B)
        gained = pendulum.mass * (np.cross(change_B, r) - moved_B)
        row[PENDULUM_STATE.of('momentum_B')] += pendulum.length * np.cross(direction_B, gained)
        inertia += point_inertia(pendulum.mass, r)
    rows = after[parts.layout.of('slugs')].reshape(-1, SLUG_STATE.size)
    for row, slug in zip(rows, parts.slugs.values(), strict=True):
        row += slug.inertia * change_B
        inertia += slug.inertia * np.eye(3)
    return after, product(inertia, change_B)
