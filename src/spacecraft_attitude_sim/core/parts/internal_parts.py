# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All parts that move inside a spacecraft, together."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics import fixed_order
from spacecraft_attitude_sim.core.mathematics.channel import Channel
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross
from spacecraft_attitude_sim.core.mathematics.layout import Layout, six_of
from spacecraft_attitude_sim.core.parts.coordinates.layouts import COORDINATE
from spacecraft_attitude_sim.core.parts.registry import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike
    from spacecraft_attitude_sim.core.parts.coordinates.description import Coordinate
    from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import HysteresisRod
    from spacecraft_attitude_sim.core.parts.internal_part import InternalPart
    from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
    from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug

GROUPS = ('coordinates', 'pendulums', 'slugs', 'hysteresis_rods')

NOTHING: Mapping[str, Any] = {}


class Beginning(NamedTuple):
    """The motion at the start of internal parts.

    stored_B: angular momentum about the centre of mass beside J ω of the carrier (3,) [N m s]
    velocity_B: of the origin relative to the centre of mass (3,) [m/s]
    """

    stored_B: Vector3
    velocity_B: Vector3


@functools.cache
def _channels() -> tuple[Channel, ...]:
    from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
    from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import HysteresisRod
    from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
    from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug

    return (
        *FlexibleMode.CHANNELS, Channel('how', lambda _, now: now.motions.how),
        *Pendulum.CHANNELS, *ViscousSlug.CHANNELS, *HysteresisRod.CHANNELS,
    )  # fmt: skip


class _Channels:
    """The channels of all kinds that move inside; who asks for them imports the kinds."""

    def __get__(self, parts: object, owner: type) -> tuple[Channel, ...]:
        return _channels()


class InternalParts:
    """Internal parts of several kinds; all names differ.

    parts: InternalPart of each kind, in the order of core.parts.registry
    coordinates, pendulums, slugs, hysteresis_rods: {name: part} of these kinds
    Raises TypeError for a dict of parts, which `named` takes.
    """

    CHANNELS = _Channels()

    def __init__(self, parts: Iterable[InternalPart] = ()) -> None:
        if isinstance(parts, Mapping):
            raise TypeError('parts is a dict; call InternalParts.named with {name: part}')
        self.parts = tuple(parts)
        by_kind = {part.kind: part.each for part in self.parts}
        self.coordinates, self.pendulums, self.slugs, self.hysteresis_rods = (
            by_kind.get(kind, {})
            for kind in ('coordinates', 'pendulums', 'viscous_slugs', 'hysteresis_rods')
        )

    @classmethod
    def named(
        cls,
        coordinates: Mapping[str, Coordinate] = NOTHING,
        pendulums: Mapping[str, Pendulum] = NOTHING,
        slugs: Mapping[str, ViscousSlug] = NOTHING,
        hysteresis_rods: Mapping[str, HysteresisRod] = NOTHING,
    ) -> InternalParts:
        """Return the InternalParts of {name: part} of each kind."""
        from spacecraft_attitude_sim.core.parts.coordinates.description import Coordinates
        from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import HysteresisRods
        from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulums
        from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlugs

        kinds = (
            Coordinates(coordinates), Pendulums(pendulums), ViscousSlugs(slugs),
            HysteresisRods(hysteresis_rods),
        )  # fmt: skip
        return cls(part for part in kinds if part.each)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.parts)

    @property
    def groups(self) -> list[dict[str, Any]]:
        """{name: part} of each kind, of which the parts have channels of the same names."""
        return [dict(part.each) for part in self.parts]

    @functools.cached_property
    def layout(self) -> Layout:
        """Where the states of each kind are among those of internal parts."""
        widths = {part.group: part.number * kind_of(part.kind).state.size for part in self.parts}
        return Layout(**{group: widths.get(group, 0) for group in GROUPS})

    def own(self, internal: Array) -> Iterator[tuple[InternalPart, Array]]:
        """Yield each kind with its states, a view of those of all internal parts."""
        for part in self.parts:
            yield part, internal[self.layout.of(part.group)]

    @property
    def inertia_B(self) -> Matrix3:
        """Their part of the body's inertia, at their reference displacements (3, 3) [kg m^2]."""
        total = np.zeros((3, 3))
        for part in self.parts:
            for inertia_B in part.inertias_B():
                total += inertia_B
        return total

    @property
    def mass(self) -> float:
        """Mass of all parts that move [kg]."""
        return sum(mass for part in self.parts for mass in part.masses)

    @property
    def hub_moment_B(self) -> Vector3:
        """First moment of mass of the hub (3,) [kg m]: minus that of the parts at reference."""
        total = np.zeros(3)
        for part in self.parts:
            for moment_B in part.reference_moments_B():
                total -= moment_B
        return total

    def whole(
        self, mass: float, inertia: Matrix3, center: Vector3
    ) -> tuple[float, Matrix3, Vector3]:
        """Return mass, inertia and centre of mass of a hub and these parts at their reference.

        mass: of the hub [kg];  inertia: (3, 3) of the hub about its centre of mass [kg m^2]
        center: (3,) its centre of mass, from the point to which positions of the parts refer [m]
        """
        total = mass + self.mass
        together = (mass * center - self.hub_moment_B) / total
        about = inertia + point_inertia(mass, center) + self.inertia_B
        about = about - point_inertia(total, together)
        return total, (about + about.T) / 2.0, together

    def craft(
        self, mass: float, fastest: tuple[float, float], gravity_W: VectorLike
    ) -> dict[str, Any]:
        """Return what they add to the constants of the compiled step: of core.parts.craft.CRAFT.

        mass: of the whole spacecraft [kg];  fastest: of `fastest`
        gravity_W: uniform (3,) [m/s^2]
        """
        carried = self.inertia_B - sum(part.free_inertia for part in self.parts) * np.eye(3)
        swing, drain = fastest
        return {
            'moving': 1.0, 'hub_moment_B': self.hub_moment_B,
            'carried_mass': mass - sum(part.suspended_mass for part in self.parts),
            'gravity_W': gravity_W, 'swing': swing, 'drain': drain,
            'reference_B': six_of(carried),
        }  # fmt: skip

    def fastest(self, mass: float, inertia: Matrix3) -> tuple[float, float]:
        """Return bounds of the fastest oscillation [rad/s] and damping rate [1/s].

        mass, inertia: of the whole spacecraft [kg, kg m^2]
        """
        from spacecraft_attitude_sim.core.parts.free_vibration import (
            eigenvalues,
            moved_mass_matrix,
        )

        several = tuple(self.coordinates.values())
        first = [one.displacement for one in several]
        squares = drains = np.zeros(1)
        # At the reference, and where they start if that is another place.
        places = [np.zeros(len(first)), np.array(first)][: 1 + any(first)] if several else []
        for displacements in places:
            rigid = moved_mass_matrix(self, mass, inertia, displacements)
            squares, drains = (
                np.append(before, eigenvalues(several, displacements, rigid, self._forces(kind)))
                for before, kind in ((squares, 'stiffness'), (drains, 'damping'))
            )
        least = float(fixed_order.eigenvalues(inertia - self.inertia_B)[0])
        rates = [rate for part in self.parts for rate in part.damping_rates(least)]
        drain = max((float(drains.max()), *rates))
        return 1.2 * math.sqrt(squares.max()), 1.2 * drain

    def _forces(self, kind: str) -> Array:
        """Return stiffness or damping (K,) of the coordinates, latches included."""
        at, more = COORDINATE.at(kind), COORDINATE.at(f'latch_{kind}')
        rows = [one.row() for one in self.coordinates.values()]
        return np.array([row[at] + row[more] for row in rows])

    def check(self, mass: float, inertia: Matrix3) -> None:
        """Raise ValueError where the parts have more mass or inertia than the spacecraft.

        mass: [kg];  inertia: (3, 3) of the whole spacecraft [kg m^2]
        """
        if not self.mass < mass:
            raise ValueError(
                f'what moves inside has {self.mass:g} kg of {mass:g} kg; the body has the mass of '
                'the whole spacecraft'
            )
        rest, moment_B = inertia - self.inertia_B, self.hub_moment_B
        for one in self.coordinates.values():
            turning, _ = one.momenta_B(0.0)
            if not one.mass:
                rest = rest - np.outer(turning, turning)
        hub = mass - self.mass
        least = fixed_order.eigenvalues(rest - point_inertia(hub, moment_B / hub))[0]
        if not least > 0.0:
            raise ValueError(
                f'what moves inside takes more inertia than there is: {least:g} kg m^2 are left; '
                "the body's inertia is that of the whole spacecraft, with all of it at 0"
            )

    def beginning(self, mass: float, angular_velocity_B: Vector3) -> Beginning:
        """Return the Beginning of a spacecraft of mass [kg] and angular velocity (3,) [rad/s]."""
        omega, moment = np.asarray(angular_velocity_B, dtype=float), self.hub_moment_B
        momentum, angular = np.zeros(3), np.zeros(3)  # of the motion relative to the origin
        for part in self.parts:
            for own in part.starting(omega):
                moment += own.mass_B
                momentum += own.momentum_B
                angular += own.angular_B
        velocity = -(cross(omega, moment) + momentum) / mass
        return Beginning(angular + cross(moment, velocity), velocity)

    def _states(self, kind: str, internal: Array) -> Array:
        """Return the states (n, any) of a kind."""
        return internal[self.layout.of(kind)].reshape(-1, kind_of(kind).state.size)

    def displacements(self, internal: Array) -> Array:
        """Return the displacements (K,) of the coordinates [rad, m, sqrt(kg) m]."""
        return self._states('coordinates', internal)[:, 0]

    def directions_B(self, internal: Array) -> Array:
        """Return unit vectors (P, 3) from the pivots of the pendulums to their masses."""
        return self._states('pendulums', internal)[:, :3]

    def swing_angles(self, swings: Array) -> Array:
        """Return the angles (n, P) of pendulums from rest [rad].

        swings: (n, P, 3) of their masses from their rest positions, body axes [m]
        """
        lengths = np.array([one.length for one in self.pendulums.values()])
        chords = np.linalg.norm(swings, axis=2) / lengths
        angles: Array = 2.0 * np.arcsin(np.clip(chords / 2.0, 0.0, 1.0))
        return angles

    def center_of_mass_B(self, internal: Array, mass: float) -> Vector3:
        """Return the centre of mass (3,) from the origin [m]; mass: of the whole [kg]."""
        moment = self.hub_moment_B
        for part, own in self.own(internal):
            for moment_B in part.moments_B(own):
                moment = moment + moment_B
        return moment / mass

    def flux_densities(self, internal: Array) -> Array:
        """Return the flux densities (R,) of the hysteresis rods [T]."""
        states = internal[self.layout.of('hysteresis_rods')].tolist()
        several = zip(self.hysteresis_rods.values(), states, strict=True)
        return np.array([rod.flux_density_at(matching) for rod, matching in several])

    def dipole_B(self, internal: Array) -> Vector3:
        """Return the total dipole (3,) of the hysteresis rods [A m^2]."""
        total, states = np.zeros(3), internal[self.layout.of('hysteresis_rods')].tolist()
        for rod, matching in zip(self.hysteresis_rods.values(), states, strict=True):
            total += rod.dipole_at(matching) * np.asarray(rod.axis_B)
        return total

    def struck(self, internal: Array, impulse_B: Vector3, mass: float) -> tuple[Array, Vector3]:
        """Return the states right after an impulse (3,) on the origin [N s], and its moment.

        The moment (3,) is about the centre of mass [N m s]. mass: of the whole [kg]
        """
        after, gained_B = internal.copy(), impulse_B / mass
        for part, own in self.own(after):
            part.strike(own, gained_B)
        return after, -cross(self.center_of_mass_B(internal, mass), impulse_B)

    def inertia_now_B(self, internal: Array, mass: float) -> Matrix3:
        """Return the inertia (3, 3) that they have now about the centre of mass [kg m^2].

        That of the whole mass [kg] at the centre of mass is taken off.
        """
        total = -point_inertia(mass, self.center_of_mass_B(internal, mass))
        for part, own in self.own(internal):
            for inertia_B in part.inertias_now_B(own):
                total += inertia_B
        return total
