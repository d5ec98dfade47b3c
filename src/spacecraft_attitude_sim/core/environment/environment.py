# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of one spacecraft, and the loads that follow from it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.loads import gravity_gradient, uniform_gravity
from spacecraft_attitude_sim.core.environment.loads.load import HERE, Load
from spacecraft_attitude_sim.core.environment.sky import sample_of
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
    from spacecraft_attitude_sim.core.environment.loads.load import Acting
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3


@dataclass(frozen=True)
class Environment:
    """The environment of a spacecraft; during a run it changes with time only.

    gravity_W: (3,) uniform gravitational acceleration [m/s^2], world
    magnetic_field_W: (3,) uniform magnetic field [T], world
    orbit: CircularOrbit whose freely falling point is the origin of world; None in flat space
    surroundings: Surroundings of another orbit about the Earth, with its field, Sun and air; then
        the uniform gravity and field are zero
    outer: further loads that act on this spacecraft
    gradient: whether the gravity gradient of an orbit exerts its torque
    loads: Loads, made from these
    holds: whether a bearing among them holds the origin of the body's axes at rest
    """

    gravity_W: Vector3 = field(default_factory=lambda: np.zeros(3))
    magnetic_field_W: Vector3 = field(default_factory=lambda: np.zeros(3))
    orbit: CircularOrbit | None = None
    surroundings: Surroundings | None = None
    outer: tuple[Acting, ...] = ()
    gradient: bool = True
    loads: tuple[Load, ...] = field(init=False)
    holds: bool = field(init=False)
    # The latest sample and its time: all loads of a tick ask for the same.
    _sampled: list[tuple[float, Floats]] = field(
        init=False, default_factory=list, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Create the loads."""
        object.__setattr__(self, 'gravity_W', np.array(self.gravity_W, dtype=float))
        acting = [uniform_gravity.acting(self.gravity_W)]
        if self.surroundings:
            acting.append(gravity_gradient.acting(turns=self.gradient, tide=True))
        elif self.turning_orbit:
            acting.append(gravity_gradient.acting(turns=True, tide=False))
        acting += self.outer
        loads = tuple(Load(one.kind, one.rows, self.sample) for one in acting)
        object.__setattr__(self, 'loads', loads)
        object.__setattr__(self, 'holds', any(one.kind.holds for one in self.outer))

    @property
    def turning_orbit(self) -> CircularOrbit | None:
        """The CircularOrbit whose gravity gradient exerts a torque, or None."""
        return self.orbit if self.gradient else None

    def sample(self, time: float) -> Floats:
        """Return HERE of loads/load.py at a time [s], eighteen floats."""
        for known, here in self._sampled:
            if known == time:
                return here
        here = self._sample(time)
        self._sampled[:] = [(time, here)]
        return here

    def _sample(self, time: float) -> Floats:
        if self.surroundings is not None:
            return sample_of(self.surroundings.at(time), self.surroundings.parameter)
        here = np.zeros(HERE.size)
        here[HERE.of('field_W')] = self.magnetic_field_W
        if self.orbit is not None:
            here[HERE.of('up_W')] = self.orbit.direction_W(time)
            here[HERE.at('pull')] = self.orbit.rate**2
        return tuple(here.tolist())

    def skies(self, constant: Array, ticks: range, tick_ns: int) -> Array:
        """Return the sky (70,) of each of some ticks, one after the other, or one for all of them.

        constant: (70,) of core.environment.sky, its constant part
        ticks: since the start;  tick_ns: of one [ns]
        """
        if self.surroundings is None:
            return constant
        return self.surroundings.skies(constant, ticks, tick_ns)

    def orbital_state(self, time: float) -> tuple[Vector3, Vector3] | None:
        """Return position and velocity (3,) of world's origin about the planet [m, m/s], or None.

        In the axes of world;  time: since the start [s]
        """
        if self.surroundings is not None:
            now = self.surroundings.at(time)
            return now[AROUND.of('position_W')], now[AROUND.of('velocity_W')]
        if self.orbit is None:
            return None
        up_W, speed = self.orbit.direction_W(time), self.orbit.rate * self.orbit.radius
        return self.orbit.radius * up_W, speed * np.cross(self.orbit.normal_W, up_W)

    def magnetic_field_at(self, time: float) -> Vector3:
        """Return the magnetic field (3,) at a time [T], world."""
        if self.surroundings is None:
            return self.magnetic_field_W
        return self.surroundings.at(time)[AROUND.of('magnetic_field_W')]

    @property
    def turning(self) -> tuple[Load, ...]:
        """The loads that can exert a torque: all except uniform gravity."""
        return self.loads[1:]

    def conserved(self, body: RigidBody, state: State, time: float) -> float:
        """Return what added to the kinetic energy gives a constant [J]; time: [s].

        The potential; in an orbit V - n n̂·L: with T it is Jacobi's integral.
        """
        potential = self.potential(body, state, time)
        if (orbit := self.turning_orbit) is None:
            return potential
        along = float(product(orbit.normal_W, state.angular_momentum_W))
        return potential - orbit.rate * along

    def potential(self, body: RigidBody, state: State, time: float) -> float:
        """Return the potential energy of all loads [J]; time: [s]."""
        return sum(
            (load.potential(body, state, time) for load in self.loads[1:]),
            self.loads[0].potential(body, state, time),
        )
