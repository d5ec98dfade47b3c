# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Balls in cavities full of oil: the ideal energy sink, a Kane damper.

With s the angular momentum of a ball of inertia J in body axes:

    ds/dt = s × ω - c (s/J - ω)        dT/dt = -c |s/J - ω|²

(T. R. Kane and D. A. Levinson, Energy-Sink Analysis of Systems Containing Driven Rotors, J.
Guidance and Control 3 (3), 1980.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes
from spacecraft_attitude_sim.core.parts.viscous_slugs.kernel import SLUG

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike


@dataclass(frozen=True)
class ViscousSlug:
    """One ball; the hub's mass and the body's inertia include it.

    inertia: about its centre [kg m^2];  damping: torque per relative rate [N m s/rad]
    rate_B: relative to the body at the start (3,) [rad/s]
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX = 'slug'
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
