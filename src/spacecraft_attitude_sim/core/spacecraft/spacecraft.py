# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A rigid body with its parts: wheels, gyros, thrusters, magnetorquers, internal parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.actuators import HELD_WRENCH
from spacecraft_attitude_sim.core.actuators.assembly import Assembly
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.parts.craft import BOOK
from spacecraft_attitude_sim.core.parts.internal_parts import Start
from spacecraft_attitude_sim.core.sensors import Suite

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators import Actuator
    from spacecraft_attitude_sim.core.body.rigid_body import Computed
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.equations.multibody.kernels import Kernels
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatImpulse,
        Quaternion,
        Vector3,
    )
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyros,
    )
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
    from spacecraft_attitude_sim.core.parts.part import Part
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thrusters

NO_START = Start(np.zeros(0), np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class Spacecraft:
    """A rigid body with parts; nothing in it changes during a run.

    body: RigidBody of the whole, all internal parts locked
    wheels: ReactionWheels, or None;  sensors: core.sensors.Suite
    carrier_computed: Computed that belongs to the carrier, where it is known
    gyros, thrusters, magnetorquers: ControlMomentGyros, Thrusters, Magnetorquers, or None
    plates: Plates of its surface, or None
    internal: InternalParts, or None
    surrounded: whether its environment needs core.equations.multibody
    assembly: Assembly of all of them, which core.equations.multibody integrates; None where there
        are only ideal wheels, or nothing, and the environment needs no more
    actuators: the commanded wrench, and ideal wheels
    carrier: RigidBody without the actuators' inertias about their own axes: J of the equations
    Raises ValueError where the actuators leave no inertia.
    """

    body: RigidBody
    wheels: ReactionWheels | None = None
    sensors: Suite = field(default_factory=Suite)
    carrier_computed: Computed | None = field(default=None, repr=False)
    gyros: ControlMomentGyros | None = None
    thrusters: Thrusters | None = None
    magnetorquers: Magnetorquers | None = None
    plates: Plates | None = None
    surrounded: bool = False
    internal: InternalParts | None = None
    parts: tuple[Part, ...] = ()
    assembly: Assembly | None = field(init=False, repr=False)
    actuators: tuple[Actuator, ...] = field(init=False)
    carrier: RigidBody = field(init=False)

    def __post_init__(self) -> None:
        """Compute the carrier."""
        wheels = self.wheels
        parts = self.internal or None
        others = (self.gyros, self.thrusters, self.magnetorquers, self.plates, parts)
        assembly: Assembly | None = None
        if any(others) or self.parts or self.surrounded or (wheels and wheels.detailed):
            if wheels and not wheels.detailed:
                wheels = replace(wheels, detailed=True)
            assembly = Assembly(wheels, *others, self.parts)
        actuators: tuple[Actuator, ...] = (HELD_WRENCH,)
        if wheels and not assembly:
            actuators = (HELD_WRENCH, wheels)
        if parts:
            parts.check(self.body.mass, self.body.inertia)
        carrier, turning = self.body, [one for one in (wheels, self.gyros, parts) if one]
        if turning:
            carried = sum((one.inertia_B for one in turning), np.zeros((3, 3)))
            rest = self.body.inertia - (carried + carried.T) / 2.0
            try:
                carrier = RigidBody(
                    self.body.mass, rest, self.body.center_of_mass, self.carrier_computed
                )
            except ValueError as error:
                what = 'what moves inside' if parts else 'the wheels about their axes'
                raise ValueError(
                    f'inertia less that of {what} is no inertia: {error}; '
                    f"the body's includes {what if parts else 'the locked wheels'}"
                ) from None
        for name, value in (
            ('wheels', wheels),
            ('internal', parts),
            ('assembly', assembly),
            ('actuators', actuators),
            ('carrier', carrier),
        ):
            object.__setattr__(self, name, value)

    @cached_property
    def kinds(self) -> dict[str, Any]:
        """{kind: its parts}, in the order of joints and tables, for the kinds that it has."""
        rods = self.magnetorquers and self.magnetorquers.names and self.magnetorquers
        kinds = {
            'wheels': self.wheels, 'gimbals': self.gyros, 'thrusters': self.thrusters,
            'magnetorquers': rods, 'internal': self.internal,
        }  # fmt: skip
        return {kind: parts for kind, parts in kinds.items() if parts}

    @property
    def acts_uncommanded(self) -> bool:
        """Whether its parts change energy or L without a command.

        Wheels by friction and imbalance, gyros by motors that keep the rotors' speed, a residual
        dipole, hysteresis rods, eddy currents.
        """
        wheels = self.wheels.each if self.wheels else ()
        return bool(
            any(
                one.viscous or one.starting or one.static_imbalance or one.dynamic_imbalance
                for one in wheels
            )
            or (self.gyros and not all(one.free_rotor for one in self.gyros.gyros))
            or (self.magnetorquers and np.any(self.magnetorquers.residual_B))
            or (self.internal and self.internal.hysteresis_rods)
            or any(part.acts_uncommanded for part in self.parts)
        )

    def stored_B(self, state: State) -> Vector3:
        """Return the angular momentum (3,) stored in its parts, L_B - J ω [N m s], body axes.

        J is the inertia of the carrier.
        """
        if self.moves:
            turning_B = product(self.carrier.inertia, self.angular_velocity_B(state))
            return self.angular_momentum_B(state) - turning_B
        stored_B = np.zeros(3)
        if self.wheels:
            stored_B += self.wheels.momentum_B(self.wheels_in(state))
        return stored_B

    def wheels_in(self, state: State) -> Array:
        """Return the internal states of the wheels; empty without wheels."""
        if self.assembly:
            return state.internal[self.assembly.layout.of('wheels')]
        return state.internal

    def energy_book(self, state: State) -> dict[str, float]:
        """Return work of motors, heat of friction and work of loads since the start [J]."""
        assert self.assembly
        book = state.internal[self.assembly.layout.of('book')]
        return {name: float(book[BOOK.at(name)]) for name in BOOK.widths}

    @property
    def moves(self) -> bool:
        """Whether internal motion changes the inertia."""
        return bool(self.gyros or self.internal)

    def _motion(self, state: State) -> Array:
        """Return Kernels.motion_of of a State."""
        flat = to_flat(state)[:SIZE]
        return self.kernels.motion_of(flat, state.internal.copy(), self._constants)

    @property
    def kernels(self) -> Kernels:
        """The compiled functions of core.equations.multibody for its kinds of parts."""
        from spacecraft_attitude_sim.core.equations.multibody.kernels import kernels_for

        assert self.assembly
        return kernels_for(self.assembly.kinds)

    @cached_property
    def _constants(self) -> Array:
        """Constants for core.equations.multibody, enough for the motion at an instant."""
        assert self.assembly
        return self.assembly.parts(self.carrier, 0, self.body.inertia)

    def internal_states(self, state: State) -> Array:
        """Return the states that the methods of `internal` need; empty without internal parts."""
        if not self.assembly:
            return np.zeros(0)
        return state.internal[self.assembly.layout.of('internal')]

    def internal_rates(self, state: State) -> Array:
        """Return the rates (K + 3 P + 3 S,) of internal parts relative to the body.

        Of the K coordinates [rad/s, m/s], of the mass of each pendulum (3,) [m/s], of each slug
        (3,) [rad/s]
        """
        flat = to_flat(state)[:SIZE]
        return self.kernels.internal_rates_of(flat, state.internal.copy(), self._constants)

    def center_of_mass_B(self, state: State) -> Vector3:
        """Return the centre of mass (3,) from the origin of the body's axes [m]."""
        if not self.internal:
            return np.zeros(3)
        return self.internal.center_of_mass_B(self.internal_states(state), self.body.mass)

    def origin_velocity_W(self, state: State) -> Vector3:
        """Return the velocity (3,) of the origin of the body's axes [m/s], world axes."""
        velocity_W = state.momentum_W / self.body.mass
        if not self.internal:
            return velocity_W
        return velocity_W + rotations.rotate(state.q_WB, self._motion(state)[5:8])

    def struck(self, state: State, impulse: FlatImpulse) -> State:
        """Return a State after an impulse, whose force acts on the origin of the body's axes."""
        if not self.internal:
            return state
        assert self.assembly
        impulse_B = rotations.rotate(rotations.conjugate(state.q_WB), impulse[0:3])
        own, moment_B = self.internal.struck(
            self.internal_states(state), impulse_B, self.body.mass
        )
        internal = state.internal.copy()
        internal[self.assembly.layout.of('internal')] = own
        gained_W = state.angular_momentum_W + rotations.rotate(state.q_WB, moment_B)
        return state._replace(angular_momentum_W=gained_W, internal=internal)

    def origin_W(self, state: State) -> Vector3:
        """Return the position (3,) of the origin of the body's axes [m], world axes."""
        if not self.internal:
            return state.position_W
        return state.position_W - rotations.rotate(state.q_WB, self.center_of_mass_B(state))

    def angular_velocity_B(self, state: State) -> Vector3:
        """Return ω_B = J^-1 (L_B - h) (3,) [rad/s]."""
        if self.moves:
            return self._motion(state)[:3]
        return self.carrier.angular_velocity_B(state, self.stored_B(state))

    def angular_momentum_B(self, state: State) -> Vector3:
        """Return the total angular momentum L_B (3,) about the centre of mass [N m s]."""
        return self.body.angular_momentum_B(state)

    def angular_acceleration_B(self, state: State, torque_B: Vector3) -> Vector3:
        """Return dω_B/dt (3,) [rad/s^2]; torque_B: (3,) minus the motors' torque [N m]."""
        return self.carrier.angular_acceleration_B(state, torque_B, self.stored_B(state))

    def kinetic_energies(self, state: State) -> tuple[float, float]:
        """Return the kinetic energies of translation and of all rotation [J]."""
        translation, rotation = self.carrier.kinetic_energies(state, self.stored_B(state))
        if self.moves:
            return translation, float(self._motion(state)[3])
        if self.wheels:
            rotation += self.wheels.kinetic_energy(self.wheels_in(state))
        return translation, rotation

    def elastic_energy(self, state: State) -> float:
        """Return the elastic energy of springs in internal parts [J]."""
        return float(self._motion(state)[4]) if self.internal else 0.0

    def kinetic_energy(self, state: State) -> float:
        """Return the kinetic energy of rotation and translation [J]."""
        translation, rotation = self.kinetic_energies(state)
        return rotation + translation

    def wheel_speeds(self, state: State) -> Array:
        """Return the speeds (N,) of the wheels relative to the body [rad/s]."""
        assert self.wheels
        return self.wheels.speeds(self.wheels_in(state), self.angular_velocity_B(state))

    def state(
        self,
        position_W: Vector3,
        q_WB: Quaternion,
        velocity_W: Vector3,
        angular_velocity_B: Vector3,
        wheel_speeds: Array | None = None,
        wheel_torque: Array | None = None,
        of_center: bool = False,
    ) -> State:
        """Return the State with the given position, attitude and velocities [m, m/s, rad/s].

        position_W, velocity_W: of the origin of the body's axes, or of the centre of mass
        wheel_speeds: (N,) relative to the body [rad/s]; None for locked
        wheel_torque: (N,) of motors with lag or dead time before the start [N m]
        of_center: whether position and velocity are of the centre of mass
        """
        if not (self.wheels or self.assembly):
            return self.body.state(position_W, q_WB, velocity_W, angular_velocity_B)
        omega_B = np.asarray(angular_velocity_B, dtype=float)
        if self.assembly:
            torque = np.zeros(0) if wheel_torque is None else wheel_torque
            start = self.internal.start(self.body.mass, omega_B) if self.internal else NO_START
            internal = self.assembly.initial(omega_B, wheel_speeds, torque, start.internal)
            stored_B = self.assembly.stored_B(internal, omega_B) + start.stored_B
            if self.internal and not of_center:
                own = internal[self.assembly.layout.of('internal')]
                center_B = self.internal.center_of_mass_B(own, self.body.mass)
                position_W = position_W + rotations.rotate(q_WB, center_B)
                velocity_W = velocity_W - rotations.rotate(q_WB, start.velocity_B)
        else:
            assert self.wheels
            speeds = np.zeros(self.wheels.states) if wheel_speeds is None else wheel_speeds
            internal = self.wheels.momenta(speeds, omega_B)
            stored_B = self.wheels.momentum_B(internal)
        state = self.carrier.state(position_W, q_WB, velocity_W, omega_B, stored_B)
        return state._replace(internal=internal)
