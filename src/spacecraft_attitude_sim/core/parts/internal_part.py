# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What each kind of part that moves inside a spacecraft answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.parts.part import Part, Setting
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3


class Moments(NamedTuple):
    """One part at the start, about the origin of the body's axes (3,) each.

    mass_B: first moment of mass [kg m];  momentum_B: of its motion relative to the body [N s]
    angular_B: angular momentum [N m s]
    """

    mass_B: Vector3
    momentum_B: Vector3
    angular_B: Vector3


@dataclass(frozen=True)
class InternalPart(Part):
    """Parts of one kind that move inside, by name.

    A subclass overrides what it has. Without that it has no mass and only a state.

    masses: of those that move [kg];  suspended_mass: of those that hang from a pivot [kg]
    free_inertia: of those that turn freely about their centres [kg m^2]
    """

    each: Mapping[str, Any]

    title = 'parts that move inside'
    inside = True
    masses: ClassVar[tuple[float, ...]] = ()
    suspended_mass = 0.0
    free_inertia = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.each)

    def rows(self, setting: Setting) -> Array:  # noqa: ARG002
        """Return the constants (n, size) for the compiled step."""
        return np.array([one.row() for one in self.each.values()])

    def by_state(self, internal: Array) -> Array:
        """Return the states (n, any), one row for each; a view."""
        return internal.reshape(len(self.each), -1)

    def inertias_B(self) -> Iterator[Matrix3]:
        """Yield the inertia (3, 3) about the origin of each at its reference [kg m^2]."""
        yield from ()

    def reference_moments_B(self) -> Iterator[Vector3]:
        """Yield the first moment of mass (3,) of each at its reference [kg m]."""
        yield from ()

    def moments_B(self, internal: Array) -> Iterator[Vector3]:  # noqa: ARG002
        """Yield the first moment of mass (3,) of each [kg m]; internal: their states."""
        yield from ()

    def starting(self, omega_B: Vector3) -> Iterator[Moments]:  # noqa: ARG002
        """Yield the Moments of each at the start; omega_B: of the body (3,) [rad/s]."""
        yield from ()

    def damping_rates(self, least: float) -> Iterator[float]:  # noqa: ARG002
        """Yield the rate [1/s] at which each settles; least: moment of the rest [kg m^2]."""
        yield from ()

    def strike(self, internal: Array, gained_B: Vector3) -> None:
        """Write the states right after an impulse that changes the velocity by (3,) [m/s]."""

    def inertias_now_B(self, internal: Array) -> Iterator[Matrix3]:  # noqa: ARG002
        """Yield the inertia (3, 3) about the origin of each [kg m^2]; internal: their states."""
        yield from ()
