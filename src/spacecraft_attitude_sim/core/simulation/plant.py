# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is simulated, where it is, and how: a spacecraft, its environment, a solver."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators import HELD_WRENCH
from spacecraft_attitude_sim.core.actuators.assembly import Assembly
from spacecraft_attitude_sim.core.actuators.layouts import BOOK
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.environment import Environment
from spacecraft_attitude_sim.core.environment.gravity_gradient import flat_gradient
from spacecraft_attitude_sim.core.environment.sky import constant_sky
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.internal.internal_parts import Start
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.sensors import Suite
from spacecraft_attitude_sim.core.simulation.solver import Actuated, Free, Loaded, OnFloor, Solver
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators import Actuator
    from spacecraft_attitude_sim.core.actuators.control_moment_gyros import ControlMomentGyros
    from spacecraft_attitude_sim.core.actuators.magnetorquers import Magnetorquers
    from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels
    from spacecraft_attitude_sim.core.actuators.thrusters import Thrusters
    from spacecraft_attitude_sim.core.body.rigid_body import Computed
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
    from spacecraft_attitude_sim.core.environment.environment import EnvironmentLoad
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.internal.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatImpulse,
        Quaternion,
        Vector3,
    )


NO_START = Start(np.zeros(0), np.zeros(3), np.zeros(3))


@dataclass(frozen=True)
class Spacecraft:
    """A rigid body with parts; nothing in it changes during a run.

    body: RigidBody, of everything, with what turns inside locked
    wheels: ReactionWheels, or None;  sensors: core.sensors.Suite
    carrier_computed: Computed that belongs to the carrier, where it is known
    gyros, thrusters, magnetorquers: ControlMomentGyros, Thrusters, Magnetorquers, or None
    plates: Plates of its surface, or None
    internal: InternalParts, what moves inside by itself, or None
    surrounded: whether its environment asks for core.equations.actuated
    assembly: Assembly of all of them, which core.equations.actuated moves; None where there are
        but ideal wheels, or nothing, and the environment asks for no more
    actuators: the held wrench, and ideal wheels
    carrier: RigidBody less what the actuators carry about their own axes: J of the equations
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
    assembly: Assembly | None = field(init=False, repr=False)
    actuators: tuple[Actuator, ...] = field(init=False)
    carrier: RigidBody = field(init=False)

    def __post_init__(self) -> None:
        """Find the carrier."""
        wheels = self.wheels
        parts = self.internal or None
        others = (self.gyros, self.thrusters, self.magnetorquers, self.plates, parts)
        assembly: Assembly | None = None
        if any(others) or self.surrounded or (wheels and wheels.detailed):
            if wheels and not wheels.detailed:
                wheels = replace(wheels, detailed=True)
            assembly = Assembly(wheels, *others)
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

    @property
    def acts_uncommanded(self) -> bool:
        """Whether actuators change energy or L without a command.

        Wheels by friction and imbalance, gyros by motors that keep rotors at their speed, a dipole
        of the spacecraft itself, hysteresis rods.
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
        )

    def stored_B(self, state: State) -> Vector3:
        """Return the angular momentum (3,) of what turns inside [N m s], body axes.

        It is L_B - J ω, J the inertia of the carrier.
        """
        if self.moves:
            turning_B = product(self.carrier.inertia, self.angular_velocity_B(state))
            return self.angular_momentum_B(state) - turning_B
        stored_B = np.zeros(3)
        if self.wheels:
            stored_B += self.wheels.momentum_B(self.wheels_in(state))
        return stored_B

    def wheels_in(self, state: State) -> Array:
        """Return the internal states of the wheels; none without wheels."""
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
        """Whether what turns or moves inside changes the inertia."""
        return bool(self.gyros or self.internal)

    def _motion(self, state: State) -> Array:
        """Return what core.equations.actuated.motion_of does."""
        from spacecraft_attitude_sim.core.equations import actuated

        flat = to_flat(state)[:SIZE]
        return actuated.motion_of(flat, state.internal.copy(), self._constants)

    @cached_property
    def _constants(self) -> Array:
        """What core.equations.actuated is given of it, as far as a motion at an instant needs."""
        assert self.assembly
        return self.assembly.parts(self.carrier, 0, self.body.inertia)

    def internal_states(self, state: State) -> Array:
        """Return the states that the methods of `internal` take; none without it."""
        if not self.assembly:
            return np.zeros(0)
        return state.internal[self.assembly.layout.of('internal')]

    def internal_rates(self, state: State) -> Array:
        """Return the rates (K + 3 P + 3 S,) of what moves inside, relative to the body.

        Of the K coordinates [rad/s, m/s], of the mass of each pendulum (3,) [m/s], of each slug
        (3,) [rad/s]
        """
        from spacecraft_attitude_sim.core.equations import actuated

        flat = to_flat(state)[:SIZE]
        return actuated.internal_rates_of(flat, state.internal.copy(), self._constants)

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
        """Return a State that has taken up an impulse, with what its force does at the origin."""
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
        """Return where the origin of the body's axes is (3,) [m], world axes."""
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
        """Return dω_B/dt (3,) [rad/s^2]; torque_B: (3,) less that of the motors [N m]."""
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
        """Return the energy of the springs inside [J]."""
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
        """Return the State of moving at the given velocities [m/s, rad/s].

        position_W, velocity_W: of the origin of the body's axes, or of the centre of mass

        wheel_speeds: (N,) relative to the body [rad/s]; None for locked
        wheel_torque: (N,) that motors with lag or dead time have given so far [N m]
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
            self.environment.turning_orbit, spacecraft.body.inertia, spacecraft.carrier.q_BP
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
        solver = _solver(self.spacecraft, self.environment, self.substeps, equations, None, 0)
        return self._replace(solver=solver)

    def with_contact(self, contact: ContactModel) -> Plant:
        """Return the Plant with another contact.

        Raises ValueError with wheels or in an orbit.
        """
        solver = _solver(self.spacecraft, self.environment, self.substeps, 'momentum', contact, 0)
        return self._replace(solver=solver)


def plant_of(
    body: RigidBody,
    gravity_W: Vector3 | None = None,
    substeps: int = 0,
    equations: str = 'momentum',
    contact: ContactModel | None = None,
    *,
    wheels: ReactionWheels | None = None,
    gyros: ControlMomentGyros | None = None,
    thrusters: Thrusters | None = None,
    magnetorquers: Magnetorquers | None = None,
    plates: Plates | None = None,
    internal: InternalParts | None = None,
    seed: int = 0,
    carrier_computed: Computed | None = None,
    orbit: CircularOrbit | None = None,
    surroundings: Surroundings | None = None,
    gradient: bool = True,
    sensors: Suite | None = None,
    magnetic_field_W: Vector3 | None = None,
    ticks: Ticks = DEFAULT,
) -> Plant:
    """Return the Plant of these parts, with the solver that they need.

    seed: of what is random in actuators
    gradient: whether the gravity gradient of an orbit turns it
    Raises ValueError where they do not go together.
    """
    gravity_W = np.zeros(3) if gravity_W is None else gravity_W
    field_W = np.zeros(3) if magnetic_field_W is None else magnetic_field_W
    spacecraft = Spacecraft(
        body, wheels, sensors or Suite(), carrier_computed, gyros, thrusters, magnetorquers,
        plates, surroundings is not None, internal,
    )  # fmt: skip
    if spacecraft.internal:
        _check_followed(spacecraft, ticks.step, substeps)
    if spacecraft.wheels and spacecraft.assembly:
        _check_friction(spacecraft, spacecraft.wheels, ticks.step, substeps)
    outer: tuple[EnvironmentLoad, ...] = ()
    if surroundings:
        from spacecraft_attitude_sim.core.environment.outer_loads import outer_loads

        residual_B = magnetorquers.residual_B if magnetorquers else np.zeros(3)
        outer = outer_loads(surroundings, plates, np.asarray(residual_B), gradient)
    environment = Environment(gravity_W, field_W, orbit, surroundings, outer, gradient)
    solver = _solver(spacecraft, environment, substeps, equations, contact, seed)
    return Plant(spacecraft, environment, solver, ticks)


def _check_followed(spacecraft: Spacecraft, step: float, substeps: int) -> None:
    """Raise ValueError where no sub-steps can follow what moves inside; step: of a tick [s]."""
    from spacecraft_attitude_sim.core.equations import moving_parts

    assert spacecraft.internal
    swing, drain = spacecraft.internal.fastest(spacecraft.body.mass, spacecraft.body.inertia)
    needed = moving_parts.steps_for(swing, drain, step)
    stable = max(swing * step / 2.8, drain * step / 2.7)  # of RK4: closer, and it runs away
    if needed > MOST_STEPS or 0 < substeps < stable:
        most = f'{substeps} sub-steps' if substeps else f'{MOST_STEPS} sub-steps at most'
        raise ValueError(
            f'what moves inside swings at {swing:g} rad/s and settles at {drain:g} 1/s, too fast '
            f'for {most} in {step:g} s; give less stiffness or damping, more inertia, or a higher '
            f'tick_rate{" or more substeps" if substeps else ""}'
        )


def _check_friction(
    spacecraft: Spacecraft, wheels: ReactionWheels, step: float, substeps: int
) -> None:
    """Raise ValueError where no sub-steps can follow viscous friction; step: of a tick [s]."""
    if not any(one.viscous for one in wheels.each):
        return
    from spacecraft_attitude_sim.core.actuators.reaction_wheels import coupling
    from spacecraft_attitude_sim.core.equations import actuated

    losses = actuated.LARGEST_GIVEN_LOSS * substeps
    if not substeps:
        losses = actuated.LARGEST_LOSS * actuated.MOST_LOSSES
    inverse = spacecraft.carrier.inverse_inertia
    several = zip(wheels.names, wheels.each, wheels.axes_B, wheels.inertias, strict=True)
    for name, one, axis, inertia in several:
        gained = coupling(inertia, axis, inverse)
        rate = one.viscous * gained
        if rate * step > losses:
            most = losses / step
            remedy = 'a higher tick_rate' + (' or more substeps' if substeps else '')
            raise ValueError(
                f'wheel.{name}.friction.viscous is {one.viscous:g} N m s: it takes the speed of a '
                f'wheel of {inertia:g} kg m^2 at {rate:g} 1/s, and '
                f'{substeps or actuated.MOST_LOSSES} sub-steps in a tick of {step:g} s follow '
                f'{most:g} 1/s; give at most {most / gained:g} N m s, more inertia, or {remedy}'
            )


def _beyond_rigid_body(spacecraft: Spacecraft, environment: Environment) -> str:
    """Return what Plant.beyond_rigid_body does."""
    kinds = {
        'reaction wheels': spacecraft.wheels,
        'control moment gyros': spacecraft.gyros,
        'thrusters': spacecraft.thrusters,
        'magnetorquers': spacecraft.magnetorquers,
    }
    for what, kind in kinds.items():
        if kind:
            return what
    if spacecraft.internal:
        return 'parts that move inside'
    if spacecraft.plates:
        return 'surfaces'
    return 'an orbit' if environment.turning_orbit or environment.surroundings else ''


def _solver(
    spacecraft: Spacecraft,
    environment: Environment,
    substeps: int,
    equations: str,
    contact: ContactModel | None,
    seed: int,
) -> Solver:
    """Return the solver that they need; ValueError where there is none for all of them."""
    solver = _chosen(spacecraft, environment, substeps, equations, contact, seed)
    solver.check_loads(environment)
    return solver


def _chosen(
    spacecraft: Spacecraft,
    environment: Environment,
    substeps: int,
    equations: str,
    contact: ContactModel | None,
    seed: int,
) -> Solver:
    body, what = spacecraft.body, _beyond_rigid_body(spacecraft, environment)
    if what and equations != 'momentum':
        raise ValueError(f"equations is '{equations}'; with {what} only 'momentum' works")
    falls = environment.orbit or environment.surroundings
    if (what or falls) and contact:
        what = what or 'an orbit'
        raise ValueError(f'{what} and a floor are not simulated together; leave one out')
    if falls and environment.gravity_W.any():
        raise ValueError(
            f'gravity is {environment.gravity_W.tolist()} m/s^2 in an orbit, whose point falls '
            'freely; leave gravity or the orbit out'
        )
    if contact:
        return OnFloor(contact=contact, substeps=substeps)
    if not what:
        return Free(equations, substeps, loads.weight(body.mass * environment.gravity_W))
    if spacecraft.assembly:
        parts = spacecraft.assembly.parts(
            spacecraft.carrier, seed, body.inertia, environment.gravity_W
        )
        around = environment.surroundings
        sky = constant_sky(
            body.inertia if environment.gradient else np.zeros((3, 3)),
            environment.turning_orbit, environment.magnetic_field_W,
            around.parameter if around else 0.0,
        )  # fmt: skip
        return Actuated(parts=parts, sky=sky, substeps=substeps)
    gradient = flat_gradient(environment.turning_orbit, body.inertia, spacecraft.carrier.q_BP)
    return Loaded(gradient=gradient, substeps=substeps)
