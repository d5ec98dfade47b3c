# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How parts inside a recorded spacecraft moved, row by row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.internal.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.internal.internal_parts import InternalParts
from spacecraft_attitude_sim.core.internal.layouts import (
    CAUGHT,
    COORDINATE_STATE,
    HELD,
    LATCHED,
    SLUG_STATE,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3


class InternalHistory(NamedTuple):
    """InternalParts at n instants.

    displacements: (n, K) of the coordinates [rad, m, sqrt(kg) m]
    how: (n, K) one of core.internal.layouts: held, free, at an end, latched
    directions_B: (n, P, 3) unit vectors from the pivots of the pendulums to their masses
    slug_rates_B: (n, S, 3) of the slugs relative to the body [rad/s]
    mass: of the whole spacecraft [kg]
    """

    parts: InternalParts
    displacements: Array
    how: Array
    directions_B: Array
    slug_rates_B: Array
    mass: float

    def chosen(self, kind: type) -> tuple[tuple[str, ...], Array]:
        """Return the names of the coordinates of a class, and their displacements (n, k)."""
        several = list(enumerate(self.parts.coordinates.items()))
        those = [(number, name) for number, (name, one) in several if isinstance(one, kind)]
        columns = [number for number, _ in those]
        return tuple(name for _, name in those), self.displacements[:, columns]

    def swings(self) -> Array:
        """Return the angles (n, P) of the pendulums from where they rest [rad]."""
        rest_B = np.array([one.rest_B for one in self.parts.pendulums.values()]).reshape(-1, 3)
        sines = np.linalg.norm(np.cross(self.directions_B, rest_B), axis=2)
        return np.arctan2(sines, np.sum(self.directions_B * rest_B, axis=2))

    def events(self, time: Array) -> list[tuple[float, str]]:
        """Return when a panel was released or caught, and what to say of it; time: (n,) [s]."""
        found = []
        for one, how in zip(self.parts.coordinates.items(), self.how.T, strict=True):
            name, part = one
            if not isinstance(part, HingedPanel):
                continue
            held, caught = how == HELD, (how == LATCHED) | (how == CAUGHT)
            for row in np.flatnonzero(held[:-1] & ~held[1:]) + 1:
                found.append((float(time[row]), f'{name} released'))
            for row in np.flatnonzero(~caught[:-1] & caught[1:]) + 1:
                found.append((float(time[row]), f'{name} latched'))
        return sorted(found)


def of_states(
    parts: InternalParts, internal: Array, omega_B: Vectors3, mass: float
) -> InternalHistory:
    """Return the InternalHistory of states.

    internal: (n, m) those of internal parts alone;  omega_B: (n, 3) of the body [rad/s]
    mass: of the whole spacecraft [kg]
    """
    count, layout = len(internal), parts.layout
    rows = internal[:, layout.of('coordinates')].reshape(count, -1, COORDINATE_STATE.size)
    inertias = np.array([one.inertia for one in parts.slugs.values()])
    momenta = internal[:, layout.of('slugs')].reshape(count, -1, SLUG_STATE.size)
    return InternalHistory(
        parts,
        rows[:, :, COORDINATE_STATE.at('displacement')],
        rows[:, :, COORDINATE_STATE.at('how')],
        np.array([parts.directions_B(one) for one in internal]).reshape(count, -1, 3),
        momenta / inertias[:, np.newaxis] - omega_B[:, np.newaxis],
        mass,
    )
