# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All flexible modes, hinged panels and sliding masses of a spacecraft: one displacement each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.layouts import COORDINATE_STATE
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.internal_part import InternalPart, Moments
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3
    from spacecraft_attitude_sim.core.parts.part import Start

Coordinate = FlexibleMode | HingedPanel | SlidingMass
DISPLACEMENT, MOMENTUM = COORDINATE_STATE.places('displacement', 'momentum')


@dataclass(frozen=True)
class Coordinates(InternalPart):
    """Coordinates by name."""

    each: Mapping[str, Coordinate]

    kind = group = 'coordinates'

    @property
    def masses(self) -> tuple[float, ...]:  # type: ignore[override]
        """Of those that move [kg]."""
        return tuple(one.mass for one in self.each.values())

    def inertias_B(self) -> Iterator[Matrix3]:
        """Yield the inertia (3, 3) about the origin of each at its reference [kg m^2]."""
        yield from (one.inertia_B(0.0) for one in self.each.values())

    def reference_moments_B(self) -> Iterator[Vector3]:
        """Yield the first moment of mass (3,) of each at its reference [kg m]."""
        yield from (one.moment_B(0.0) for one in self.each.values())

    def moments_B(self, internal: Array) -> Iterator[Vector3]:
        """Yield the first moment of mass (3,) of each [kg m]; internal: their states."""
        for row, one in zip(self.by_state(internal), self.each.values(), strict=True):
            yield one.moment_B(float(row[DISPLACEMENT]))

    def inertias_now_B(self, internal: Array) -> Iterator[Matrix3]:
        """Yield the inertia (3, 3) about the origin of each [kg m^2]; internal: their states."""
        for row, one in zip(self.by_state(internal), self.each.values(), strict=True):
            yield one.inertia_B(float(row[DISPLACEMENT]))

    def starting(self, omega_B: Vector3) -> Iterator[Moments]:
        """Yield the Moments of each at the start; omega_B: of the body (3,) [rad/s]."""
        for one in self.each.values():
            turning, drift = one.momenta_B(one.displacement)
            angular = product(one.inertia_B(one.displacement), omega_B) + one.rate * turning
            yield Moments(one.moment_B(one.displacement), one.rate * drift, angular)

    def initial(self, start: Start) -> Array:
        """Return the states at the start, flat."""
        states, (omega, velocity) = [], start[:2]
        for one in self.each.values():
            turning, drift = one.momenta_B(one.displacement)
            conjugate = product(turning, omega) + product(drift, velocity) + one.moving * one.rate
            states.append(np.array((one.displacement, conjugate, one.how)))
        return np.concatenate(states)

    def strike(self, internal: Array, gained_B: Vector3) -> None:
        """Write the states right after an impulse that changes the velocity by (3,) [m/s]."""
        for row, one in zip(self.by_state(internal), self.each.values(), strict=True):
            _, drift = one.momenta_B(row[DISPLACEMENT])
            row[MOMENTUM] -= product(drift, gained_B)

    def set_rate(self, own: Mapping[str, Array], change_B: Vector3, moved_B: Vector3) -> None:
        """Write the states after ω is set to another value; see Part."""
        for row, one in zip(self.by_state(own[self.group]), self.each.values(), strict=True):
            turning, drift = one.momenta_B(float(row[DISPLACEMENT]))
            row[MOMENTUM] += product(turning, change_B) - product(drift, moved_B)
