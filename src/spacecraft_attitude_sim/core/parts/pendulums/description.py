# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Propellant slosh as a spherical pendulum: only thrust or spin drives it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.parts.internal_part import InternalPart, Moments
from spacecraft_attitude_sim.core.parts.pendulums.kernel import PENDULUM, PENDULUM_STATE
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike
    from spacecraft_attitude_sim.core.parts.part import Start

DIRECTION, MOMENTUM = PENDULUM_STATE.of('direction_B'), PENDULUM_STATE.of('momentum_B')


@dataclass(frozen=True)
class Pendulum:
    """One mass on a rod that turns about its pivot in all directions.

    pivot_B: (3,) [m];  rest_B: unit vector to the mass as the body's mass and inertia include it
        (3,)
    mass: [kg];  length: [m];  damping: torque per rate of the rod [N m s/rad]
    direction_B: unit vector to the mass at the start (3,), empty for rest_B
    rate_B: of the rod relative to the body at the start (3,) [rad/s]
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX, look = 'pendulum', 'ball'
    CHANNELS = (
        Channel('swings', lambda _, now: now.motions.swings, '*', 'm'),
        Channel('swing_rates', lambda _, now: now.motions.swing_rates, 'rate_*', 'm/s'),
        Channel(
            'swing_angles', None,
            shown=Shown('pendulum', 'each pendulum\nfrom its rest', 'deg', 180.0 / np.pi),
        ),
    )  # fmt: skip

    pivot_B: VectorLike
    rest_B: VectorLike
    mass: float
    length: float
    damping: float = 0.0
    direction_B: VectorLike = ()
    rate_B: VectorLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check all fields."""
        rest = unit_axis('rest', self.rest_B)
        object.__setattr__(self, 'rest_B', rest)
        first = unit_axis('direction', self.direction_B) if len(self.direction_B) else rest
        object.__setattr__(self, 'direction_B', first)
        check_sizes(self, {'mass': 'kg', 'length': 'm'}, {'damping': 'N m s/rad'})

    def center_at_B(self, direction_B: VectorLike) -> Vector3:
        """Return the position of the mass (3,) [m]; direction_B: unit vector of the rod (3,)."""
        return np.asarray(self.pivot_B) + self.length * np.asarray(direction_B)

    def motion_B(self, omega_B: Vector3) -> tuple[Vector3, Vector3, Vector3]:
        """Return rod, position of the mass and its velocity at the start (3,) each [m, m, m/s].

        The velocity is that beside the origin's; omega_B: of the body (3,) [rad/s]
        """
        rod = self.length * np.asarray(self.direction_B)
        r = self.center_at_B(self.direction_B)
        return rod, r, np.cross(omega_B, r) + np.cross(self.rate_B, rod)

    def row(self) -> Array:
        """Return (PENDULUM.size,) for the compiled step."""
        return PENDULUM.packed(
            pivot_B=self.pivot_B, mass=self.mass, length=self.length, damping=self.damping
        )


@dataclass(frozen=True)
class Pendulums(InternalPart):
    """Pendulums by name."""

    each: Mapping[str, Pendulum]

    kind = group = 'pendulums'

    @property
    def masses(self) -> tuple[float, ...]:  # type: ignore[override]
        """Of those that move [kg]."""
        return tuple(one.mass for one in self.each.values())

    @property
    def suspended_mass(self) -> float:  # type: ignore[override]
        """Mass of all of them [kg]."""
        return sum(self.masses)

    def inertias_B(self) -> Iterator[Matrix3]:
        """Yield the inertia (3, 3) about the origin of each at its reference [kg m^2]."""
        for one in self.each.values():
            yield point_inertia(one.mass, one.center_at_B(one.rest_B))

    def reference_moments_B(self) -> Iterator[Vector3]:
        """Yield the first moment of mass (3,) of each at its reference [kg m]."""
        yield from (one.mass * one.center_at_B(one.rest_B) for one in self.each.values())

    def _places(self, internal: Array) -> Iterator[tuple[Pendulum, Array, Vector3]]:
        """Yield each with its states, a view, and the position of its mass (3,) [m]."""
        for row, one in zip(self.by_state(internal), self.each.values(), strict=True):
            yield one, row, one.center_at_B(row[DIRECTION])

    def moments_B(self, internal: Array) -> Iterator[Vector3]:
        """Yield the first moment of mass (3,) of each [kg m]; internal: their states."""
        yield from (one.mass * r for one, _, r in self._places(internal))

    def inertias_now_B(self, internal: Array) -> Iterator[Matrix3]:
        """Yield the inertia (3, 3) about the origin of each [kg m^2]; internal: their states."""
        yield from (point_inertia(one.mass, r) for one, _, r in self._places(internal))

    def starting(self, omega_B: Vector3) -> Iterator[Moments]:
        """Yield the Moments of each at the start; omega_B: of the body (3,) [rad/s]."""
        for one in self.each.values():
            rod, r, moving = one.motion_B(omega_B)
            yield Moments(
                one.mass * r, one.mass * np.cross(one.rate_B, rod), one.mass * np.cross(r, moving)
            )

    def initial(self, start: Start) -> Array:
        """Return the states at the start, flat."""
        states = []
        for one in self.each.values():
            rod, _, moving = one.motion_B(start.angular_velocity_B)
            own = np.cross(rod, one.mass * (moving + start.velocity_B))
            states.append(np.concatenate((np.asarray(one.direction_B), own)))
        return np.concatenate(states)

    def damping_rates(self, least: float) -> Iterator[float]:
        """Yield the rate [1/s] at which each settles; least: moment of the rest [kg m^2]."""
        for one in self.each.values():
            turning = one.mass * one.length * one.length
            yield one.damping * (1.0 / turning + 1.0 / least)

    def strike(self, internal: Array, gained_B: Vector3) -> None:
        """Write the states right after an impulse that changes the velocity by (3,) [m/s]."""
        for row, one in zip(self.by_state(internal), self.each.values(), strict=True):
            row[MOMENTUM] -= one.mass * one.length * np.cross(row[DIRECTION], gained_B)

    def set_rate(self, own: Mapping[str, Array], change_B: Vector3, moved_B: Vector3) -> None:
        """Write the states after ω is set to another value; see Part."""
        for one, row, r in self._places(own[self.group]):
            gained = one.mass * (np.cross(change_B, r) - moved_B)
            row[MOMENTUM] += one.length * np.cross(row[DIRECTION], gained)
