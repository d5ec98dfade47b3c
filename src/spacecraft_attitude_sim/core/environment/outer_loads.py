# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Loads on a spacecraft in an orbit about the Earth at one instant, one by one, for reports.

core.equations.external_loads computes the same loads in every stage of the motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment import plates as surface
from spacecraft_attitude_sim.core.environment.gravity_gradient import (
    floats_of,
    gradient_potential,
    gradient_torque,
)
from spacecraft_attitude_sim.core.environment.sky import SPEED_OF_LIGHT
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, product

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.environment import EnvironmentLoad
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3


def outer_loads(
    surroundings: Surroundings, plates: Plates | None, residual_B: Vector3, gradient: bool = True
) -> tuple[EnvironmentLoad, ...]:
    """Return the loads on a spacecraft.

    residual_B: its own dipole (3,) [A m^2];  gradient: whether the gravity gradient exerts its
        torque
    """
    loads: list[EnvironmentLoad] = [EarthGradient(surroundings, gradient)]
    if np.any(residual_B):
        loads.append(ResidualDipole(surroundings, np.asarray(residual_B, dtype=float)))
    if plates:
        rows = plates.rows()
        loads.append(AirDrag(surroundings, rows))
        loads.append(SolarPressure(surroundings, rows))
    return tuple(loads)


class _WithoutPotential:
    def potential(self, body: RigidBody, state: State, time: float) -> float:
        """Return 0."""
        return 0.0


@dataclass(frozen=True)
class EarthGradient:
    """The Earth's gravity gradient: a torque, and the tidal force off world's origin.

        τ = 3 μ/r³ r̂ × I r̂          F = m μ/r³ (3 r̂ (r̂·x) - x)

    turns: whether the torque acts; the tidal force always does
    """

    surroundings: Surroundings
    turns: bool = True
    name = 'gravity_gradient'

    def force_W(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return the tidal force (3,) [N], world."""
        up_W, pull = self._place(time)
        x = state.position_W
        return body.mass * pull * (3.0 * product(up_W, x) * up_W - x)

    def torque_B(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return the torque (3,) [N m], body axes."""
        if not self.turns:
            return np.zeros(3)
        up_W, pull = self._place(time)
        up_B = rotations.rotate(rotations.conjugate(state.q_WB), up_W)
        return np.array(gradient_torque(3.0 * pull, floats_of(body.inertia), tuple(up_B.tolist())))

    def potential(self, body: RigidBody, state: State, time: float) -> float:
        """Return 3/2 μ/r³ r̂·(I - tr(I)/3 1) r̂ - m μ/r³ (3 (r̂·x)² - x²)/2 [J]."""
        up_W, pull = self._place(time)
        up_B = rotations.rotate(rotations.conjugate(state.q_WB), up_W)
        turned = 0.0
        if self.turns:
            turned = gradient_potential(1.0, floats_of(body.inertia), tuple(up_B.tolist()))
        x = state.position_W
        moved = body.mass * (3.0 * product(up_W, x) ** 2 - product(x, x)) / 3.0
        return 1.5 * pull * float(turned - moved)

    def _place(self, time: float) -> tuple[Vector3, float]:
        """Return the unit vector away from the Earth and μ/r³."""
        place = self.surroundings.at(time)[AROUND.of('position_W')]
        radius = norm(place)
        return place / radius, self.surroundings.parameter / radius**3


@dataclass(frozen=True)
class ResidualDipole(_WithoutPotential):
    """The field's torque on the spacecraft's own dipole, m × B; the energy -m·B is left out."""

    surroundings: Surroundings
    dipole_B: Vector3
    name = 'magnetic'

    def force_W(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return zeros (3,)."""
        return np.zeros(3)

    def torque_B(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return the torque (3,) [N m], body axes."""
        field_W = self.surroundings.at(time)[AROUND.of('magnetic_field_W')]
        return np.cross(self.dipole_B, rotations.rotate(rotations.conjugate(state.q_WB), field_W))


@dataclass(frozen=True)
class _OnPlates(_WithoutPotential):
    """Pressure on the plates of the surface.

    rows: (K, PLATE.size)
    """

    surroundings: Surroundings
    rows: Array

    def force_W(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return the force (3,) [N], world."""
        return rotations.rotate(state.q_WB, self._wrench_B(body, state, time)[0:3])

    def torque_B(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return the torque (3,) [N m], body axes."""
        return self._wrench_B(body, state, time)[3:6]

    def _wrench_B(self, body: RigidBody, state: State, time: float) -> Array:
        """Return force and torque (6,) [N, N m], body axes."""
        raise NotImplementedError


@dataclass(frozen=True)
class AirDrag(_OnPlates):
    """Pressure of the air on the plates: `plates.of_air`."""

    name = 'aerodynamic'

    def _wrench_B(self, body: RigidBody, state: State, time: float) -> Array:
        around = self.surroundings.at(time)
        through_W = state.momentum_W / body.mass - around[AROUND.of('wind_W')]
        through_B = tuple(rotations.rotate(rotations.conjugate(state.q_WB), through_W).tolist())
        density = float(around[AROUND.at('density')])
        return np.array(surface.of_air(self.rows.ravel(), 0, len(self.rows), through_B, density))


@dataclass(frozen=True)
class SolarPressure(_OnPlates):
    """Pressure of sunlight on the plates: `plates.of_sunlight`."""

    name = 'solar_pressure'

    def _wrench_B(self, body: RigidBody, state: State, time: float) -> Array:
        around = self.surroundings.at(time)
        q_BW = rotations.conjugate(state.q_WB)
        sun_B = tuple(rotations.rotate(q_BW, around[AROUND.of('to_sun_W')]).tolist())
        pressure = float(around[AROUND.at('irradiance')]) / SPEED_OF_LIGHT
        return np.array(surface.of_sunlight(self.rows.ravel(), 0, len(self.rows), sun_B, pressure))
