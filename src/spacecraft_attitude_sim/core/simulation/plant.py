# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is simulated, where it is, and how: a spacecraft, its environment, a solver."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators import HELD_WRENCH
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.environment import Environment
from spacecraft_attitude_sim.core.environment.gravity_gradient import flat_gradient
from spacecraft_attitude_sim.core.sensors import Suite
from spacecraft_attitude_sim.core.simulation.solver import Free, Loaded, OnFloor, Solver
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators import Actuator
    from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels
    from spacecraft_attitude_sim.core.body.rigid_body import Computed
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3


@dataclass(frozen=True)
class Spacecraft:
    """A rigid body with parts; nothing in it changes during a run.

    body: RigidBody, of everything, with what turns inside locked
    wheels: ReactionWheels, or None;  sensors: core.sensors.Suite
    carrier_computed: Computed that belongs to the carrier, where it is known
    actuators: the held wrench, and the wheels
    storing: of them those with states of their own, and where in State.internal those are
    carrier: RigidBody less what the actuators carry about their own axes: J of the equations
    Raises ValueError where the actuators leave no inertia.
    """

    body: RigidBody
    wheels: ReactionWheels | None = None
    sensors: Suite = field(default_factory=Suite)
    carrier_computed: Computed | None = field(default=None, repr=False)
    actuators: tuple[Actuator, ...] = field(init=False)
    storing: tuple[tuple[Actuator, slice], ...] = field(init=False, repr=False)
    carrier: RigidBody = field(init=False)

    def __post_init__(self) -> None:
        """Find the carrier."""
        actuators: tuple[Actuator, ...] = (HELD_WRENCH,)
        if self.wheels:
            actuators = (HELD_WRENCH, self.wheels)
        ends = list(itertools.accumulate(actuator.states for actuator in actuators))
        storing = tuple(
            (actuator, slice(end - actuator.states, end))
            for actuator, end in zip(actuators, ends, strict=True)
            if actuator.states
        )
        carrier = self.body
        if storing:
            carried = sum((actuator.inertia_B for actuator, _ in storing), np.zeros((3, 3)))
            rest = self.body.inertia - (carried + carried.T) / 2.0
            try:
                carrier = RigidBody(
                    self.body.mass, rest, self.body.center_of_mass, self.carrier_computed
                )
            except ValueError as error:
                raise ValueError(
                    f'inertia less that of the wheels about their axes is no inertia: {error}; '
                    "the body's includes the locked wheels"
                ) from None
        object.__setattr__(self, 'actuators', actuators)
        object.__setattr__(self, 'storing', storing)
        object.__setattr__(self, 'carrier', carrier)

    def stored_B(self, state: State) -> Vector3:
        """Return the angular momentum (3,) of what turns inside [N m s], body axes."""
        stored_B = np.zeros(3)
        for actuator, own in self.storing:
            stored_B += actuator.momentum_B(state.internal[own])
        return stored_B

    def angular_velocity_B(self, state: State) -> Vector3:
        """Return ω_B = J^-1 (L_B - h) (3,) [rad/s]."""
        return self.carrier.angular_velocity_B(state, self.stored_B(state))

    def angular_momentum_B(self, state: State) -> Vector3:
        """Return the total angular momentum L_B (3,) about the centre of mass [N m s]."""
        return self.body.angular_momentum_B(state)

    def angular_acceleration_B(self, state: State, torque_B: Vector3) -> Vector3:
        """Return dω_B/dt (3,) [rad/s^2]; torque_B: (3,) less that of the motors [N m]."""
        return self.carrier.angular_acceleration_B(state, torque_B, self.stored_B(state))

    def kinetic_energies(self, state: State) -> tuple[float, float]:
        """Return the kinetic energies of translation and of all rotation [J]."""
        translation, rotation = self.carrier.kinetic_energies(state, self.stored_B(state))
        for actuator, own in self.storing:
            rotation += actuator.kinetic_energy(state.internal[own])
        return translation, rotation

    def kinetic_energy(self, state: State) -> float:
        """Return the kinetic energy of rotation and translation [J]."""
        translation, rotation = self.kinetic_energies(state)
        return rotation + translation

    def wheel_speeds(self, state: State) -> Array:
        """Return the speeds (N,) of the wheels relative to the body [rad/s]."""
        assert self.wheels
        return self.wheels.speeds(state.internal, self.angular_velocity_B(state))

    def state(
        self,
        position_W: Vector3,
        q_WB: Quaternion,
        velocity_W: Vector3,
        angular_velocity_B: Vector3,
        wheel_speeds: Array | None = None,
    ) -> State:
        """Return the State of moving at the given velocities [m/s, rad/s].

        wheel_speeds: (N,) relative to the body [rad/s]; None for locked
        """
        if not self.wheels:
            return self.body.state(position_W, q_WB, velocity_W, angular_velocity_B)
        omega_B = np.asarray(angular_velocity_B, dtype=float)
        speeds = np.zeros(self.wheels.states) if wheel_speeds is None else wheel_speeds
        internal = self.wheels.momenta(speeds, omega_B)
        stored_B = self.wheels.momentum_B(internal)
        state = self.carrier.state(position_W, q_WB, velocity_W, omega_B, stored_B)
        return state._replace(internal=internal)


class Plant(NamedTuple):
    """What is simulated and how; nothing in it changes during a run."""

    spacecraft: Spacecraft
    environment: Environment
    solver: Solver
    ticks: Ticks = DEFAULT

    @property
    def body(self) -> RigidBody:
        """The whole body, what turns inside locked."""
        return self.spacecraft.body

    @property
    def gravity_W(self) -> Vector3:
        """The uniform gravitational acceleration (3,) [m/s^2]."""
        return self.environment.gravity_W

    @property
    def contact(self) -> ContactModel | None:
        """The contact with a floor, or None."""
        return self.solver.contact

    @property
    def substeps(self) -> int:
        """Steps in a tick; 0 chooses them from the body's rate."""
        return self.solver.substeps

    @property
    def equations(self) -> str:
        """One of core.equations.REGISTRY."""
        return self.solver.equations

    @property
    def gradient(self) -> Array:
        """The flat gravity gradient (13,) of its orbit; zeros without one."""
        spacecraft = self.spacecraft
        return flat_gradient(
            self.environment.orbit, spacecraft.body.inertia, spacecraft.carrier.q_BP
        )

    def with_substeps(self, substeps: int) -> Plant:
        """Return the Plant with another number of steps in a tick."""
        return self._replace(solver=self.solver.with_substeps(substeps))

    @property
    def beyond_rigid_body(self) -> str:
        """What makes it more than a rigid body that commands turn, in words; '' for nothing."""
        return _beyond_rigid_body(self.spacecraft, self.environment)

    def with_equations(self, equations: str) -> Plant:
        """Return the Plant of a free body with other equations of motion.

        Raises ValueError for other than 'momentum' with wheels or in an orbit.
        """
        solver = _solver(self.spacecraft, self.environment, self.substeps, equations, None)
        return self._replace(solver=solver)

    def with_contact(self, contact: ContactModel) -> Plant:
        """Return the Plant with another contact.

        Raises ValueError with wheels or in an orbit.
        """
        solver = _solver(self.spacecraft, self.environment, self.substeps, 'momentum', contact)
        return self._replace(solver=solver)


def plant_of(
    body: RigidBody,
    gravity_W: Vector3 | None = None,
    substeps: int = 0,
    equations: str = 'momentum',
    contact: ContactModel | None = None,
    *,
    wheels: ReactionWheels | None = None,
    carrier_computed: Computed | None = None,
    orbit: CircularOrbit | None = None,
    sensors: Suite | None = None,
    magnetic_field_W: Vector3 | None = None,
    ticks: Ticks = DEFAULT,
) -> Plant:
    """Return the Plant of these parts, with the solver that they need.

    Raises ValueError where they do not go together.
    """
    gravity_W = np.zeros(3) if gravity_W is None else gravity_W
    field_W = np.zeros(3) if magnetic_field_W is None else magnetic_field_W
    spacecraft = Spacecraft(body, wheels, sensors or Suite(), carrier_computed)
    environment = Environment(gravity_W, field_W, orbit)
    solver = _solver(spacecraft, environment, substeps, equations, contact)
    return Plant(spacecraft, environment, solver, ticks)


def _beyond_rigid_body(spacecraft: Spacecraft, environment: Environment) -> str:
    """Return what Plant.beyond_rigid_body does."""
    if spacecraft.wheels:
        return 'reaction wheels'
    return 'an orbit' if environment.orbit else ''


def _solver(
    spacecraft: Spacecraft,
    environment: Environment,
    substeps: int,
    equations: str,
    contact: ContactModel | None,
) -> Solver:
    body, what = spacecraft.body, _beyond_rigid_body(spacecraft, environment)
    if what and equations != 'momentum':
        raise ValueError(f"equations is '{equations}'; with {what} only 'momentum' works")
    if what and contact:
        raise ValueError(f'{what} and a floor are not simulated together; leave one out')
    if environment.orbit and environment.gravity_W.any():
        raise ValueError(
            f'gravity is {environment.gravity_W.tolist()} m/s^2 in an orbit, whose point falls '
            'freely; leave gravity or the orbit out'
        )
    if contact:
        return OnFloor(contact=contact, substeps=substeps)
    if not what:
        return Free(equations, substeps, loads.weight(body.mass * environment.gravity_W))
    gradient = flat_gradient(environment.orbit, body.inertia, spacecraft.carrier.q_BP)
    return Loaded(gradient=gradient, substeps=substeps)
