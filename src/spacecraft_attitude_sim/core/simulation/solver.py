# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How a state advances by a tick: one solver for a run, chosen by what is simulated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from spacecraft_attitude_sim.core import actuators
from spacecraft_attitude_sim.core import equations as registry
from spacecraft_attitude_sim.core.actuators import Drive, Inputs
from spacecraft_attitude_sim.core.actuators.actuator import GYROSTAT
from spacecraft_attitude_sim.core.body import kinematics, loads
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat, to_flat
from spacecraft_attitude_sim.core.environment.loads import gravity_gradient, uniform_gravity
from spacecraft_attitude_sim.core.environment.loads.load import Load
from spacecraft_attitude_sim.core.environment.loads.registry import LOADS
from spacecraft_attitude_sim.core.equations.shared.driver import CONSTANTS, FOUND, SEEN
from spacecraft_attitude_sim.core.equations.shared.principal_frame import substep_count
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.sensors import around
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.spacecraft import telemetry

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import Contact, ContactModel
    from spacecraft_attitude_sim.core.environment import Environment
    from spacecraft_attitude_sim.core.environment.loads.load import LoadKind
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench, Vector3
    from spacecraft_attitude_sim.core.simulation.instant import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.kernels.kernel import Kernel

MOTORS = GYROSTAT.of('torque_B')


class Motion(NamedTuple):
    """Result of a tick: State, flat contact (30,) or None, and the actuators' Drive.

    truth: (16,) of core.body.kinematics.TRUTH then, where the solver computed it; or None
    """

    state: State
    contact: Array | None
    drive: Drive
    truth: Array | None = None


class Solver(Protocol):
    """Advances a spacecraft by one tick.

    substeps: steps in a tick; 0 chooses them;  equations: one of core.equations.REGISTRY
    contact: of a body with a floor
    """

    @property
    def substeps(self) -> int: ...  # noqa: D102

    @property
    def equations(self) -> str: ...  # noqa: D102

    @property
    def contact(self) -> ContactModel | None: ...  # noqa: D102

    def with_substeps(self, substeps: int) -> Solver:
        """Return the same solver with another number of steps."""

    def check_loads(self, environment: Environment) -> None:
        """Raise ValueError for a load that its steps do not integrate."""

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion: State, flat contact and effect of the actuators, one tick later.

        inputs: commands of the tick;  elapsed: ticks since the start
        Raises ArithmeticError where the motion, ValueError where the contact cannot be computed.
        """

    def truth(
        self, plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
    ) -> Array:
        """Return (16,) of kinematics.TRUTH, what sensors measure at the end of a tick.

        In an orbit about the Earth (41,), with what core.sensors.around adds.
        """

    def commanded_torque_B(self, plant: Plant, instant: Instant) -> Vector3:
        """Return the commanded torque (3,) of wrench, impulse and actuators [N m], body axes."""

    def turning_wrench(self, plant: Plant, instant: Instant) -> FlatWrench:
        """Return the wrench (12,) on the carrier: all loads, the motors' torques subtracted."""

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps of a tick that begins in this state."""

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states (count + 1, any) of every tick under a constant wrench (12,)."""


def _drive(plant: Plant, state: State, inputs: Inputs) -> Drive:
    """Return the actuators' effect through a tick, where the motion does not change it."""
    return actuators.drive(plant.spacecraft.actuators, inputs, state.internal, plant.ticks.step)


def _stepped(solver: Solver, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
    """Return Solver.trajectory, computed tick by tick."""
    states = [to_flat(state)]
    for elapsed in range(count):
        state = solver.advance(plant, state, None, Inputs(wrench), elapsed).state
        states.append(to_flat(state))
    return np.array(states)


def felt_wrench(
    plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
) -> FlatWrench:
    """Return all loads except uniform gravity at an instant, as a flat wrench (12,).

    The force of an impact is not included, because it has no duration.
    """
    wrench = drive.wrench
    if contact is not None:
        wrench = wrench + _unpacked(contact).wrench()
    for load in plant.environment.turning:
        time = plant.ticks.seconds(elapsed)
        force_W, torque_B = load.wrench(plant.body, state, time)
        wrench = wrench + np.concatenate((np.zeros(3), torque_B, force_W, np.zeros(3)))
    return wrench


def _unpacked(contact: Array) -> Contact:
    from spacecraft_attitude_sim.core.contact import model

    return model.unpack(contact)


Self = TypeVar('Self', bound='Stepped')


@dataclass(frozen=True)
class Stepped:
    """Common base of all solvers; see Solver."""

    equations: str = 'momentum'
    substeps: int = 0

    @property
    def integrates(self) -> tuple[LoadKind, ...]:
        """The kinds of loads that its compiled steps integrate."""
        return (uniform_gravity.KIND,)

    def check_loads(self, environment: Environment) -> None:
        """Raise ValueError for a load that the steps do not integrate.

        Such a load would be published and felt by the IMU, and would not move the spacecraft.
        """
        for load in environment.loads:
            if type(load) is not Load or load.kind not in self.integrates:
                raise ValueError(
                    f"the load '{load.name}' ({type(load).__name__}) is not integrated by the "
                    f'solver {type(self).__name__}, so it would not move the spacecraft; add it '
                    'to core.environment.loads.registry'
                )

    def with_substeps(self: Self, substeps: int) -> Self:
        """Return the same solver with another number of steps."""
        return replace(self, substeps=substeps)

    def truth(
        self, plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
    ) -> Array:
        """Return the truth of a body with ideal wheels or none; see Solver."""
        carrier, gyrostat = plant.spacecraft.carrier, actuators.NO_GYROSTAT
        if plant.spacecraft.part('reaction_wheels'):
            stored_B = plant.spacecraft.stored_B(state)
            gyrostat = np.concatenate((stored_B, drive.gyrostat[MOTORS]))
        return kinematics.truth_of(
            state.q_WB,
            state.angular_momentum_W,
            gyrostat,
            felt_wrench(plant, state, drive, contact, elapsed),
            carrier.mass,
            carrier.inverse_inertia,
            plant.environment.magnetic_field_W,
        )

    def commanded_torque_B(self, plant: Plant, instant: Instant) -> Vector3:
        """Return the torque of the commands at an Instant; see Solver."""
        return instant.applied_B[3:6] - instant.drive.gyrostat[MOTORS]

    def turning_wrench(self, plant: Plant, instant: Instant) -> FlatWrench:
        """Return the wrench on the carrier at an Instant; see Solver."""
        drive = instant.drive
        wrench = felt_wrench(plant, instant.state, drive, instant.contact, instant.elapsed)
        if not plant.spacecraft.part('reaction_wheels'):
            return wrench
        return wrench - np.concatenate((np.zeros(3), drive.gyrostat[MOTORS], np.zeros(6)))


@dataclass(frozen=True)
class Free(Stepped):
    """A rigid body under commanded wrenches and uniform gravity: any set of equations.

    weight: (12,) of core.body.loads.weight
    """

    weight: Array = field(default_factory=lambda: loads.weight(np.zeros(3)), compare=False)
    contact: None = None
    # The latest Plant, and its CONSTANTS.
    _known: list[tuple[Plant, Array]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        drive, found = Drive(inputs.wrench), np.empty(FOUND.size)
        at, q_WB, momentum, angular_momentum, _ = state
        # A copy is writable, as the types for which the kernel was compiled.
        wrench = drive.wrench.copy()
        constants = self._constants(plant)
        if not self._tick(at, q_WB, momentum, angular_momentum, wrench, constants, found):
            limits.check_motion(plant, found[:SEEN])
        return Motion(from_flat(found[:SEEN]), None, drive, found[SEEN:])

    @cached_property
    def _tick(self) -> Kernel:
        return registry.load(self.equations).tick

    def _constants(self, plant: Plant) -> Array:
        """Return CONSTANTS of a Plant for the kernel `tick`."""
        for known, constants in self._known:
            if known is plant:
                return constants
        body = plant.spacecraft.body
        constants = CONSTANTS.packed(
            body=body.flat(),
            weight=self.weight,
            inverse_inertia=body.inverse_inertia.ravel(),
            magnetic_field_W=plant.environment.magnetic_field_W,
            duration=plant.ticks.step,
            substeps=self.substeps,
            rate=limits.largest_rate(plant),
        )
        self._known[:] = [(plant, constants)]
        return constants

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps in a tick; see Solver."""
        if self.substeps:
            return self.substeps
        if registry.REGISTRY[self.equations].exact and loads.leaves_free(wrench):
            return 1
        angle, body = registry.load(self.equations).SUBSTEP_ANGLE, plant.spacecraft.body
        return substep_count(angle, to_flat(state), body.flat(), wrench.copy(), plant.ticks.step)

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        body = plant.spacecraft.body
        total = wrench + self.weight
        trajectory = registry.load(self.equations).trajectory
        return trajectory(
            to_flat(state), body.flat(), total, plant.ticks.step, self.substeps, count
        )


@dataclass(frozen=True, kw_only=True)
class Loaded(Stepped):
    """A gyrostat, or a body under loads of its environment, in the momentum form.

    gradient: (13,) of core.environment.circular_orbit.CIRCLE
    """

    gradient: Array
    contact: None = None

    @property
    def integrates(self) -> tuple[LoadKind, ...]:
        """The kinds of loads that core.equations.loaded knows."""
        return uniform_gravity.KIND, gravity_gradient.KIND

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        from spacecraft_attitude_sim.core.equations import loaded

        carrier, drive = plant.spacecraft.carrier, _drive(plant, state, inputs)
        wrench = loads.with_gravity(drive.wrench, carrier.mass * plant.environment.gravity_W)
        flat = loaded.advance(
            to_flat(state)[:13], carrier.flat(), wrench, drive.gyrostat.copy(),
            self.gradient, plant.ticks.seconds(elapsed), plant.ticks.step, self.substeps,
        )  # fmt: skip
        flat = np.concatenate((flat, drive.internal))
        limits.check_motion(plant, flat)
        return Motion(from_flat(flat), None, drive)

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps in a tick without motor torque; see Solver."""
        from spacecraft_attitude_sim.core.equations import loaded

        spacecraft = plant.spacecraft
        if self.substeps:
            return self.substeps
        gyrostat = np.concatenate((spacecraft.stored_B(state), np.zeros(3)))
        return loaded.substep_count(
            to_flat(state)[:13], spacecraft.carrier.flat(), wrench.copy(), gyrostat,
            self.gradient, plant.ticks.step,
        )  # fmt: skip

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        return _stepped(self, plant, state, count, wrench)


@dataclass(frozen=True, kw_only=True)
class Actuated(Stepped):
    """A spacecraft whose actuators have states of their own: core.equations.multibody.

    parts: its constants;  sky: (69,) of core.environment.sky, with its constant part
    """

    parts: Array
    sky: Array
    contact: None = None

    @property
    def integrates(self) -> tuple[LoadKind, ...]:
        """All kinds of loads: its step calls those of the registry."""
        return LOADS

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        spacecraft = plant.spacecraft
        flat = spacecraft.kernels.advance(
            to_flat(state)[:SIZE], state.internal.copy(), self.parts,
            spacecraft.commands(inputs), self._wrench(plant, inputs),
            self._sky(plant, elapsed), plant.ticks.seconds(elapsed), plant.ticks.step,
            self.substeps,
        )  # fmt: skip
        ends = SIZE + len(state.internal)
        after, end, thrust = flat[:ends], flat[ends : ends + END.size], flat[ends + END.size :]
        limits.check_motion(plant, after, end[END.of('angular_velocity_B')])
        if thrusters := spacecraft.part('thrusters'):
            thrust = thrust / plant.ticks.step * thrusters.max_forces
        return Motion(from_flat(after), None, Drive(inputs.wrench, end=end, thrust=thrust))

    def _sky(self, plant: Plant, elapsed: int) -> Array:
        """Return the sky of the tick that begins after `elapsed` ticks."""
        ticks = plant.ticks
        return plant.environment.sky(self.sky, ticks.seconds(elapsed), ticks.step)

    def _wrench(self, plant: Plant, inputs: Inputs) -> FlatWrench:
        weight_W = plant.spacecraft.body.mass * plant.environment.gravity_W
        return loads.with_gravity(inputs.wrench, weight_W)

    def truth(
        self, plant: Plant, state: State, drive: Drive, contact: Array | None, elapsed: int
    ) -> Array:
        """Return the truth from what the kernel found at the end of the tick; see Solver."""
        end = END.unpacked(drive.end if drive.end.size else self.end_of(plant, state, elapsed))
        force_B, _ = loads.wrench_on_body(drive.wrench, state.q_WB)
        time = plant.ticks.seconds(elapsed)
        field_W = plant.environment.magnetic_field_at(time)
        if magnetorquers := plant.spacecraft.part('magnetorquers'):
            dipoles = plant.spacecraft.states_of('magnetorquers', state)
            made_B = magnetorquers.field_made_B(dipoles)
            field_W = field_W + rotations.rotate(state.q_WB, made_B)
        seen = kinematics.TRUTH.packed(
            q_WB=state.q_WB,
            angular_velocity_B=end['angular_velocity_B'],
            angular_acceleration_B=end['angular_acceleration_B'],
            specific_force_B=(end['force_B'] + force_B) / plant.body.mass,
            magnetic_field_W=field_W,
        )
        if plant.environment.holds:  # the bearing holds the origin at rest, against gravity
            q_BW = rotations.conjugate(state.q_WB)
            felt_B = rotations.rotate(q_BW, -plant.environment.gravity_W)
            seen[kinematics.TRUTH.of('specific_force_B')] = felt_B
        elif plant.spacecraft.internal:  # at the origin, which moves about the centre of mass
            seen[kinematics.TRUTH.of('specific_force_B')] += end['acceleration_B']
        surroundings = plant.environment.surroundings
        if surroundings is None:
            return seen
        velocity_W = state.momentum_W / plant.body.mass
        return around.surrounded(seen, surroundings.at(time), state.position_W, velocity_W)

    def commanded_torque_B(self, plant: Plant, instant: Instant) -> Vector3:
        """Return the torque of the commands at an Instant; see Solver."""
        return instant.applied_B[3:6] + telemetry.torque_B(
            plant.spacecraft, plant.environment, instant.state, instant.inputs,
            instant.elapsed_time, plant.ticks.step,
        )  # fmt: skip

    def turning_wrench(self, plant: Plant, instant: Instant) -> FlatWrench:
        """Return the wrench on the carrier; its torque is J dω/dt + ω × L, from any cause."""
        state, drive = instant.state, instant.drive
        wrench = felt_wrench(plant, state, drive, instant.contact, instant.elapsed)
        seen = kinematics.TRUTH.unpacked(
            self.truth(plant, state, drive, instant.contact, instant.elapsed)
        )
        turning_B = product(
            plant.spacecraft.carrier.inertia, seen['angular_acceleration_B']
        ) + np.cross(seen['angular_velocity_B'], plant.spacecraft.angular_momentum_B(state))
        force_B, _ = loads.wrench_on_body(wrench, state.q_WB)
        return np.concatenate((force_B, turning_B, np.zeros(6)))

    def end_of(self, plant: Plant, state: State, elapsed: int) -> Array:
        """Return (15,) of core.parts.craft.END of a state at which no tick ended."""
        return plant.spacecraft.kernels.end_of(
            to_flat(state)[:SIZE], state.internal.copy(), self.parts,
            self._wrench(plant, Inputs()), self._sky(plant, elapsed),
            plant.ticks.seconds(elapsed),
        )  # fmt: skip

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps in a tick without commands; see Solver."""
        if self.substeps:
            return self.substeps
        return plant.spacecraft.kernels.substep_count(
            to_flat(state)[:SIZE], state.internal.copy(), self.parts, wrench.copy(),
            self._sky(plant, 0), 0.0, plant.ticks.step,
        )  # fmt: skip

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states of `count` ticks; see Solver."""
        return _stepped(self, plant, state, count, wrench)


@dataclass(frozen=True, kw_only=True)
class OnFloor(Stepped):
    """A rigid body that may touch a floor: core.contact, in the momentum form."""

    contact: ContactModel

    def advance(
        self, plant: Plant, state: State, contact: Array | None, inputs: Inputs, elapsed: int
    ) -> Motion:
        """Return the Motion of a tick; see Solver."""
        from spacecraft_attitude_sim.core.contact import model

        assert contact is not None
        drive = _drive(plant, state, inputs)
        state, contact = model.step(self.contact, plant, state, contact, elapsed, drive.wrench)
        limits.check_motion(plant, to_flat(state))
        return Motion(state, contact, drive)

    def steps(self, plant: Plant, state: State, wrench: FlatWrench) -> int:
        """Return the number of steps that a free tick would take; see Solver."""
        return Free('momentum', self.substeps).steps(plant, state, wrench)

    def trajectory(self, plant: Plant, state: State, count: int, wrench: FlatWrench) -> Array:
        """Return the flat states of `count` ticks of a body placed at `state`; see Solver."""
        from spacecraft_attitude_sim.core.contact import model

        state, contact = model.start(self.contact, plant, state)
        return model.trajectory(self.contact, plant, state, contact, count, wrench)[0]
