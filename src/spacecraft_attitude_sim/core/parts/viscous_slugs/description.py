# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Balls in cavities full of oil: the ideal energy sink, a Kane damper.

With s the angular momentum of a ball of inertia J in body axes:

    ds/dt = s × ω - c (s/J - ω)        dT/dt = -c |s/J - ω|²

(T. R. Kane and D. A. Levinson, Energy-Sink Analysis of Systems Containing Driven Rotors, J.
Guidance and Control 3 (3), 1980.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes
from spacecraft_attitude_sim.core.parts.internal_part import InternalPart, Moments
from spacecraft_attitude_sim.core.parts.viscous_slugs.kernel import SLUG
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike
    from spacecraft_attitude_sim.core.parts.part import Start


@dataclass(frozen=True)
class ViscousSlug:
    """One ball; the hub's mass and the body's inertia include it.

    inertia: about its centre [kg m^2];  damping: torque per relative rate [N m s/rad]
    rate_B: relative to the body at the start (3,) [rad/s]
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX, look = 'slug', 'ball'
    CHANNELS = (
        Channel(
            'slug_rates', lambda _, now: now.motions.slug_rates, 'rate_*', 'rad/s',
            shown=Shown('slug_rate', 'slugs relative\nto the body', 'rad/s'),
        ),
    )  # fmt: skip

    inertia: float
    damping: float
    rate_B: VectorLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check all fields."""
        check_sizes(self, {'inertia': 'kg m^2'}, {'damping': 'N m s/rad'})

    def row(self) -> Array:
        """Return (SLUG.size,) for the compiled step."""
        return SLUG.packed(inertia=self.inertia, damping=self.damping)


@dataclass(frozen=True)
class ViscousSlugs(InternalPart):
    """Slugs by name."""

    each: Mapping[str, ViscousSlug]

    kind, group = 'viscous_slugs', 'slugs'

    @property
    def free_inertia(self) -> float:  # type: ignore[override]
        """Inertia of all of them [kg m^2]."""
        return sum(one.inertia for one in self.each.values())

    def inertias_B(self) -> Iterator[Matrix3]:
        """Yield the inertia (3, 3) about the origin of each at its reference [kg m^2]."""
        yield from (one.inertia * np.eye(3) for one in self.each.values())

    def inertias_now_B(self, internal: Array) -> Iterator[Matrix3]:  # noqa: ARG002
        """Yield the inertia (3, 3) about the origin of each [kg m^2]: always the same."""
        yield from self.inertias_B()

    def starting(self, omega_B: Vector3) -> Iterator[Moments]:
        """Yield the Moments of each at the start; omega_B: of the body (3,) [rad/s]."""
        for one in self.each.values():
            yield Moments(np.zeros(3), np.zeros(3), one.inertia * (omega_B + one.rate_B))

    def initial(self, start: Start) -> Array:
        """Return the states at the start, flat."""
        omega_B = start.angular_velocity_B
        return np.concatenate([one.inertia * (omega_B + one.rate_B) for one in self.each.values()])

    def damping_rates(self, least: float) -> Iterator[float]:
        """Yield the rate [1/s] at which each settles; least: moment of the rest [kg m^2]."""
        for one in self.each.values():
            yield one.damping * (1.0 / one.inertia + 1.0 / least)

    def set_rate(self, own: Mapping[str, Array], change_B: Vector3, moved_B: Vector3) -> None:  # noqa: ARG002
        """Write the states after ω is set to another value; see Part."""
        for row, one in zip(self.by_state(own[self.group]), self.each.values(), strict=True):
            row += one.inertia * change_B
