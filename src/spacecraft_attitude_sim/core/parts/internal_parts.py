# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All internal parts of a spacecraft, and their arrays for the compiled step."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics import fixed_order
from spacecraft_attitude_sim.core.mathematics.channel import Channel
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.layouts import (
    COORDINATE,
    COORDINATE_STATE,
)
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.free_vibration import eigenvalues, moved_mass_matrix
from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import HysteresisRod
from spacecraft_attitude_sim.core.parts.hysteresis_rods.kernel import HYSTERESIS_ROD_STATE
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.pendulums.kernel import PENDULUM_STATE
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.core.parts.viscous_slugs.kernel import SLUG_STATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike

Coordinate = FlexibleMode | HingedPanel | SlidingMass


class Start(NamedTuple):
    """States of internal parts at the start (n,), and their momentum.

    stored_B: angular momentum about the centre of mass beside J ω of the carrier (3,) [N m s]
    velocity_B: of the origin relative to the centre of mass (3,) [m/s]
    """

    internal: Array
    stored_B: Vector3
    velocity_B: Vector3


@dataclass(frozen=True)
class InternalParts:
    """Internal parts by name; all names differ.

    coordinates: FlexibleMode, HingedPanel or SlidingMass;  pendulums: Pendulum
    slugs: ViscousSlug;  hysteresis_rods: HysteresisRod
    """

    CHANNELS = (
        *FlexibleMode.CHANNELS, Channel('how', lambda _, now: now.motions.how),
        *Pendulum.CHANNELS, *ViscousSlug.CHANNELS, *HysteresisRod.CHANNELS,
    )  # fmt: skip

    coordinates: Mapping[str, Coordinate] = field(default_factory=dict)
    pendulums: Mapping[str, Pendulum] = field(default_factory=dict)
    slugs: Mapping[str, ViscousSlug] = field(default_factory=dict)
    hysteresis_rods: Mapping[str, HysteresisRod] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.coordinates or self.pendulums or self.slugs or self.hysteresis_rods)

    @property
    def groups(self) -> list[dict[str, Any]]:
        """{name: part} of each kind, of which the parts have channels of the same names."""
        kinds = (self.coordinates, self.pendulums, self.slugs, self.hysteresis_rods)
        return [dict(kind) for kind in kinds if kind]

    @functools.cached_property
    def layout(self) -> Layout:
        """Where the states of each kind are among those of internal parts."""
        return Layout(
            coordinates=len(self.coordinates) * COORDINATE_STATE.size,
            pendulums=len(self.pendulums) * PENDULUM_STATE.size,
            slugs=len(self.slugs) * SLUG_STATE.size,
            hysteresis_rods=len(self.hysteresis_rods) * HYSTERESIS_ROD_STATE.size,
        )

    @property
    def inertia_B(self) -> Matrix3:
        """Their part of the body's inertia, at their reference displacements (3, 3) [kg m^2]."""
        total = np.zeros((3, 3))
        for one in self.coordinates.values():
            total += one.inertia_B(0.0)
        for pendulum in self.pendulums.values():
            total += point_inertia(pendulum.mass, pendulum.center_at_B(pendulum.rest_B))
        for slug in self.slugs.values():
            total += slug.inertia * np.eye(3)
        return total

    @property
    def mass(self) -> float:
        """Mass of all parts that move [kg]."""
        several = (*self.coordinates.values(), *self.pendulums.values())
        return sum(one.mass for one in several)

    @property
    def hub_moment_B(self) -> Vector3:
        """First moment of mass of the hub (3,) [kg m]: minus that of the parts at reference."""
        total = np.zeros(3)
        for one in self.coordinates.values():
            total -= one.moment_B(0.0)
        for pendulum in self.pendulums.values():
            total -= pendulum.mass * pendulum.center_at_B(pendulum.rest_B)
        return total

    def whole(
        self, mass: float, inertia: Matrix3, center: Vector3
    ) -> tuple[float, Matrix3, Vector3]:
        """Return mass, inertia and centre of mass of a hub and these parts at their reference.

        mass: of the hub [kg];  inertia: (3, 3) of the hub about its centre of mass [kg m^2]
        center: (3,) its centre of mass, from the point to which positions of the parts refer [m]
        """
        total = mass + self.mass
        found = (mass * center - self.hub_moment_B) / total
        about = inertia + point_inertia(mass, center) + self.inertia_B
        about = about - point_inertia(total, found)
        return total, (about + about.T) / 2.0, found

    def craft(self, mass: float, inertia: Matrix3, gravity_W: VectorLike) -> dict[str, Any]:
        """Return what they add to the constants of the compiled step: of core.parts.craft.CRAFT.

        mass, inertia: of the whole spacecraft [kg, kg m^2];  gravity_W: uniform (3,) [m/s^2]
        """
        carried = self.inertia_B - sum(one.inertia for one in self.slugs.values()) * np.eye(3)
        swing, drain = self.fastest(mass, inertia)
        return {
            'moving': 1.0, 'hub_moment_B': self.hub_moment_B,
            'carried_mass': mass - sum(one.mass for one in self.pendulums.values()),
            'gravity_W': gravity_W, 'swing': swing, 'drain': drain,
            'reference_B': _six(carried),
        }  # fmt: skip

    @property
    def rows(self) -> dict[str, Array]:
        """Constants (n, any) of each kind aboard for the compiled step, by its name there."""
        kinds = {
            'coordinates': self.coordinates, 'pendulums': self.pendulums,
            'viscous_slugs': self.slugs, 'hysteresis_rods': self.hysteresis_rods,
        }  # fmt: skip
        return {
            name: np.array([one.row() for one in kind.values()])
            for name, kind in kinds.items()
            if kind
        }

    def fastest(self, mass: float, inertia: Matrix3) -> tuple[float, float]:
        """Return bounds of the fastest oscillation [rad/s] and damping rate [1/s]."""
        several = tuple(self.coordinates.values())
        first = [one.displacement for one in several]
        squares = drains = np.zeros(1)
        for displacements in (np.zeros(len(first)), np.array(first)) if several else ():
            rigid = moved_mass_matrix(self, mass, inertia, displacements)
            squares, drains = (
                np.append(found, eigenvalues(several, displacements, rigid, self._forces(kind)))
                for found, kind in ((squares, 'stiffness'), (drains, 'damping'))
            )
        swing, drain = math.sqrt(squares.max()), float(drains.max())
        least = float(fixed_order.eigenvalues(inertia - self.inertia_B)[0])
        for slug in self.slugs.values():
            drain = max(drain, slug.damping * (1.0 / slug.inertia + 1.0 / least))
        for pendulum in self.pendulums.values():
            turning = pendulum.mass * pendulum.length * pendulum.length
            drain = max(drain, pendulum.damping * (1.0 / turning + 1.0 / least))
        return 1.2 * swing, 1.2 * drain

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

    def start(self, mass: float, angular_velocity_B: Vector3) -> Start:
        """Return the Start of a spacecraft of mass [kg] and angular velocity (3,) [rad/s]."""
        omega, moment = np.asarray(angular_velocity_B, dtype=float), self.hub_moment_B.copy()
        momentum, angular = np.zeros(3), np.zeros(3)  # of the motion relative to the origin
        for one in self.coordinates.values():
            turning, drift = one.momenta_B(one.displacement)
            moment += one.moment_B(one.displacement)
            momentum += one.rate * drift
            angular += product(one.inertia_B(one.displacement), omega) + one.rate * turning
        swings = []
        for pendulum in self.pendulums.values():
            rod = pendulum.length * np.asarray(pendulum.direction_B)
            r = pendulum.center_at_B(pendulum.direction_B)
            moving = np.cross(omega, r) + np.cross(pendulum.rate_B, rod)
            moment += pendulum.mass * r
            momentum += pendulum.mass * np.cross(pendulum.rate_B, rod)
            angular += pendulum.mass * np.cross(r, moving)
            swings.append((pendulum, rod, moving))
        for slug in self.slugs.values():
            angular += slug.inertia * (omega + slug.rate_B)
        velocity = -(np.cross(omega, moment) + momentum) / mass
        states: list[Array] = []
        for one in self.coordinates.values():
            turning, drift = one.momenta_B(one.displacement)
            conjugate = product(turning, omega) + product(drift, velocity) + one.moving * one.rate
            states.append(np.array((one.displacement, conjugate, one.how)))
        for pendulum, rod, moving in swings:
            own = np.cross(rod, pendulum.mass * (moving + velocity))
            states.append(np.concatenate((np.asarray(pendulum.direction_B), own)))
        for slug in self.slugs.values():
            states.append(slug.inertia * (omega + slug.rate_B))
        states += [np.array((rod.matching,)) for rod in self.hysteresis_rods.values()]
        internal = np.concatenate(states) if states else np.zeros(0)
        return Start(internal, angular + np.cross(moment, velocity), velocity)

    def displacements(self, internal: Array) -> Array:
        """Return the displacements (K,) of the coordinates [rad, m, sqrt(kg) m]."""
        return internal[self.layout.of('coordinates')].reshape(-1, COORDINATE_STATE.size)[:, 0]

    def directions_B(self, internal: Array) -> Array:
        """Return unit vectors (P, 3) from the pivots of the pendulums to their masses."""
        return internal[self.layout.of('pendulums')].reshape(-1, PENDULUM_STATE.size)[:, :3]

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
        shapes = zip(self.coordinates.values(), self.displacements(internal), strict=True)
        for one, displacement in shapes:
            moment = moment + one.moment_B(float(displacement))
        swings = zip(self.pendulums.values(), self.directions_B(internal), strict=True)
        for pendulum, direction in swings:
            moment = moment + pendulum.mass * pendulum.center_at_B(direction)
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
        after, gained = internal.copy(), impulse_B / mass
        rows = after[self.layout.of('coordinates')].reshape(-1, COORDINATE_STATE.size)
        for row, one in zip(rows, self.coordinates.values(), strict=True):
            _, drift = one.momenta_B(row[0])
            row[1] -= product(drift, gained)
        rows = after[self.layout.of('pendulums')].reshape(-1, PENDULUM_STATE.size)
        for row, pendulum in zip(rows, self.pendulums.values(), strict=True):
            row[3:] -= pendulum.mass * pendulum.length * np.cross(row[:3], gained)
        return after, -np.cross(self.center_of_mass_B(internal, mass), impulse_B)


def _six(matrix: Matrix3) -> tuple[float, ...]:
    """Return xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    m = matrix
    return (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
