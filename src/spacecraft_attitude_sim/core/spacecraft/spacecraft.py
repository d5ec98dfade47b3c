# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A rigid body with its parts."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from spacecraft_attitude_sim.core.actuators import HELD_WRENCH
from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, Inputs
from spacecraft_attitude_sim.core.actuators.inputs import NOTHING as UNCOMMANDED
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.faults import on_parts
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.mathematics.layout import Layout, six_of
from spacecraft_attitude_sim.core.parts import registry
from spacecraft_attitude_sim.core.parts.craft import BOOK
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.part import Setting, Start
from spacecraft_attitude_sim.core.sensors import Suite
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from spacecraft_attitude_sim.core.actuators import Actuator
    from spacecraft_attitude_sim.core.body.rigid_body import Computed
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.equations.multibody.kernels import Kernels
    from spacecraft_attitude_sim.core.faults.fault import Fault
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatImpulse,
        Quaternion,
        Vector3,
        VectorLike,
    )
    from spacecraft_attitude_sim.core.parts.craft import Place
    from spacecraft_attitude_sim.core.parts.part import Part

Kind = TypeVar('Kind', bound='Part')
NOTHING = np.zeros(0)


@dataclass(frozen=True)
class Spacecraft:
    """A rigid body with parts; nothing in it but `latest` changes during a run.

    body: RigidBody of the whole, all internal parts locked
    parts: those of each kind, a Part of core.parts.part; sorted as in core.parts.registry
    sensors: core.sensors.Suite
    plates: Plates of its surface, or None
    carrier_computed: Computed that belongs to the carrier, where it is known
    coupled: whether core.equations.multibody integrates it, as it does where its surface or any
        part needs that; else it has ideal wheels or nothing
    faults: that its parts and sensors may have during a run
    actuators: the commanded wrench, and ideal wheels
    carrier: RigidBody without the parts' inertias about their own axes: J of the equations
    latest: its latest Moment of core.spacecraft.channels, if there is one
    Raises ValueError where the parts leave no inertia, or where two are of one kind.
    """

    body: RigidBody
    parts: tuple[Part, ...] = ()
    sensors: Suite = field(default_factory=Suite)
    plates: Plates | None = None
    carrier_computed: Computed | None = field(default=None, repr=False)
    coupled: bool = False
    faults: tuple[Fault, ...] = ()
    actuators: tuple[Any, ...] = field(init=False)
    carrier: RigidBody = field(init=False)
    latest: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the parts, and compute the carrier."""
        parts = tuple(sorted(self.parts, key=lambda part: registry.SLOTS[part.kind]))
        coupled = bool(
            self.coupled or self.plates or any(part.detailed for part in parts)
            or any(on_parts.needs_detail(fault) for fault in self.faults)
        )  # fmt: skip
        actuators: tuple[Actuator | Part, ...] = (HELD_WRENCH, *parts)
        if coupled:
            parts, actuators = tuple(part.in_detail() for part in parts), (HELD_WRENCH,)
        if len({part.kind for part in parts}) < len(parts):
            raise ValueError(
                f'there are two parts of a kind among {", ".join(part.kind for part in parts)}; '
                'give one that holds all of that kind'
            )
        for name, value in (('parts', parts), ('coupled', coupled), ('actuators', actuators)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, 'carrier', self._carrier())

    def _carrier(self) -> RigidBody:
        """Return the carrier; ValueError where the parts leave no inertia."""
        carried = [part.inertia_B for part in self.parts if part.inertia_B is not None]
        if self.internal:
            self.internal.check(self.body.mass, self.body.inertia)
            carried.append(self.internal.inertia_B)
        if not carried:
            return self.body
        total = sum(carried, np.zeros((3, 3)))
        rest = self.body.inertia - (total + total.T) / 2.0
        mass, center = self.body.mass, self.body.center_of_mass
        try:
            return RigidBody(mass, rest, center, self.carrier_computed)
        except ValueError as error:
            what = 'what moves inside' if self.internal else 'the wheels about their axes'
            raise ValueError(
                f'inertia less that of {what} is no inertia: {error}; '
                f"the body's includes {what if self.internal else 'the locked wheels'}"
            ) from None

    # --- parts --------------------------------------------------------------------------------

    @overload
    def part(self, kind: type[Kind]) -> Kind | None: ...

    @overload
    def part(self, kind: str) -> Any: ...

    def part(self, kind: Any) -> Any:
        """Return its parts of a kind, or None; kind: class, or name in core.parts.registry."""
        return self._by_kind.get(kind if isinstance(kind, str) else kind.kind)

    @cached_property
    def _by_kind(self) -> dict[str, Part]:
        return {part.kind: part for part in self.parts}

    @cached_property
    def internal(self) -> InternalParts:
        """All parts that move inside, together; false without any."""
        inside: Any = (part for part in self.parts if part.inside)
        return InternalParts(inside)

    @cached_property
    def groups(self) -> dict[str, Any]:
        """{group: its parts}, in the order of joints and tables, of those with channels."""
        telling = (part for part in self.parts if part.CHANNELS and part.number)
        groups: dict[str, Any] = {part.group: part for part in telling if not part.inside}
        return groups | ({'internal': self.internal} if self.internal else {})

    @cached_property
    def acts_uncommanded(self) -> bool:
        """Whether its parts change energy or L without a command."""
        return any(part.acts_uncommanded for part in self.parts)

    @cached_property
    def moves(self) -> bool:
        """Whether internal motion changes the inertia."""
        return any(registry.kind_of(part.kind).changes_inertia for part in self.parts)

    @cached_property
    def turning(self) -> list[Part]:
        """The parts that store angular momentum: wheels and rotors."""
        return [part for part in self.parts if part.turning]

    # --- faults -------------------------------------------------------------------------------

    def with_faults(self, acting: Collection[int]) -> Spacecraft:
        """Return the spacecraft whose parts have faults; acting: their places in `faults`."""
        parts = self.parts
        for number in acting:
            parts = tuple(on_parts.broken(part, self.faults[number]) for part in parts)
        return replace(self, parts=parts)

    # --- flat arrays for the compiled step ----------------------------------------------------

    @cached_property
    def _pieces(self) -> list[tuple[str, Part, str]]:
        """(kind, part, name of its states of this kind), in the order of the registry."""
        return [
            (kind, part, name)
            for kind in registry.NAMES
            for part in self.parts
            for name, own in part.pieces.items()
            if own == kind
        ]

    @cached_property
    def _queued(self) -> int:
        return max((part.queued for part in self.parts), default=0)

    @cached_property
    def places(self) -> dict[str, Place]:
        """The Place of each kind, of core.parts.craft, by name."""
        counts: dict[str, int] = {}
        for kind, part, _ in self._pieces:
            counts[kind] = counts.get(kind, 0) + part.number
        return registry.places_of(counts, self._queued)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds aboard, in the order of core.parts.registry."""
        return tuple(name for name, place in self.places.items() if place.number)

    @cached_property
    def layout(self) -> Layout:
        """Where the states of each part are in State.internal, by name of Part.pieces.

        The energy book is the last, `book`, where core.equations.multibody integrates it.
        """
        if not self.coupled:
            return Layout(**{part.group: part.states for part in self.actuators[1:]})
        widths = {}
        for name, part, piece in self._pieces:
            kind = registry.kind_of(name)
            width = kind.state.size + (self._queued if kind.queues else 0)
            widths[piece] = part.number * width
        return Layout(**widths, book=BOOK.size)

    @cached_property
    def _inside(self) -> slice:
        """Where the states of internal parts are in State.internal."""
        own = [self.layout.of(part.group) for part in self.parts if part.inside]
        return slice(own[0].start, own[-1].stop) if own else slice(0)

    def states_of(self, piece: str, state: State) -> Array:
        """Return the internal states of a part by name of Part.pieces; empty without it."""
        layout = self.layout
        return state.internal[layout.of(piece)] if piece in layout.widths else NOTHING

    @cached_property
    def fastest(self) -> tuple[float, float]:
        """Bounds of the internal parts' fastest oscillation [rad/s] and damping rate [1/s]."""
        return self.internal.fastest(self.body.mass, self.body.inertia)

    def constants(
        self, seed: int = 0, gravity_W: VectorLike = (0.0, 0.0, 0.0), accuracy: float = 0.0
    ) -> Array:
        """Return the constants of the compiled step, flat: see core.parts.craft.

        seed: of random streams;  gravity_W: uniform (3,) [m/s^2]
        accuracy: of automatic sub-steps [rad/s], 0 for those that the rate needs
        """
        carrier = self.carrier
        craft: dict[str, Any] = {
            'accuracy': accuracy, 'mass': carrier.mass, 'least_moment': carrier.least_moment,
            'inertia_B': six_of(carrier.inertia),
            'switching': float(any(part.switches for part in self.parts)),
        }  # fmt: skip
        if self.internal:
            craft |= self.internal.craft(carrier.mass, self.fastest, gravity_W)
        setting = Setting(carrier.inverse_inertia, seed, self._queued, self.places)
        arrays = {part.kind: part.constants(setting) for part in self.parts}
        rows: dict[str, Any] = {}
        for kind, part, name in self._pieces:
            rows.setdefault(kind, []).append(arrays[part.kind][name])
        rows = {kind: np.concatenate(own) for kind, own in rows.items()}
        return registry.constants_of(craft, self.places, rows)

    def commands(self, inputs: Inputs) -> Array:
        """Return the commands of a tick, flat, 0 for each actuator without; do not change it."""
        flat, places = self._commanded
        for name, place, scale in places:
            given = getattr(inputs, name)
            if given is not UNCOMMANDED and given.size:
                if flat is self._commanded[0]:
                    flat = flat.copy()
                flat[place] = given if scale is None else given / scale
        return flat

    def inputs_of(self, commands: Array) -> Inputs:
        """Return the Inputs of flat commands, as `commands` makes them."""
        _, places = self._commanded
        return Inputs(**{
            name: commands[place] if scale is None else commands[place] * scale
            for name, place, scale in places
        })  # fmt: skip

    def command_rows(self, given: Mapping[str, Array], count: int) -> Array:
        """Return `commands` of each of `count` ticks, a row each.

        given: {part of Inputs: (count, n)}
        """
        idle, places = self._commanded
        rows = np.tile(idle, (count, 1))
        for name, place, scale in places:
            if name in given:
                own = given[name]
                rows[:, place] = own if scale is None else own / scale
        return rows

    @cached_property
    def _commanded(self) -> tuple[Array, list[tuple[str, slice, Any]]]:
        """Commands of a tick without any, and (part of Inputs, its place there, scale) of each."""
        flat, places, counted = np.zeros(self.places['end'].command), [], dict[str, int]()
        for name, part, piece in self._pieces:
            kind, first = self.places[name], counted.get(name, 0)
            counted[name], width = first + part.number, registry.kind_of(name).commands
            begin, end = (kind.command + width * k for k in (first, counted[name]))
            for column in range(1, width):  # NaN: the first mode counts
                flat[begin + column : end : width] = np.nan
            for column, mode in enumerate(COMMANDED[piece].modes if piece in COMMANDED else ()):
                places.append((mode.part, slice(begin + column, end, width), part.command_scale))
        return flat, places

    # --- at a state ---------------------------------------------------------------------------

    def own(self, internal: Array) -> Mapping[str, Array]:
        """Return {name of Part.pieces: its states}, views of State.internal."""
        return self.layout.unpacked(internal)

    def rotor_momentum_B(self, internal: Array, omega_B: Vector3) -> Vector3:
        """Return the angular momentum (3,) of wheels, rotors and gimbals [N m s], body axes.

        internal: State.internal;  omega_B: of the body (3,) [rad/s]
        """
        total_B = np.zeros(3)
        for part in self.turning:
            total_B += part.stored_B(self.own(internal), omega_B)
        return total_B

    def stored_B(self, state: State) -> Vector3:
        """Return the angular momentum (3,) stored in its parts, L_B - J ω [N m s], body axes.

        J is the inertia of the carrier.
        """
        if self.moves:
            turning_B = product(self.carrier.inertia, self.angular_velocity_B(state))
            return self.angular_momentum_B(state) - turning_B
        return self.rotor_momentum_B(state.internal, np.zeros(3))

    def energy_book(self, state: State) -> dict[str, float]:
        """Return work of motors, heat of friction and work of loads since the start [J]."""
        book = state.internal[self.layout.of('book')]
        return {name: float(book[BOOK.at(name)]) for name in BOOK.widths}

    def _motion(self, state: State) -> Array:
        """Return Kernels.motion_of of a State."""
        flat = to_flat(state)[:SIZE]
        return self.kernels.motion_of(flat, state.internal.copy(), self._constants)

    @property
    def kernels(self) -> Kernels:
        """The compiled functions of core.equations.multibody for its kinds of parts."""
        from spacecraft_attitude_sim.core.equations.multibody.kernels import kernels_for

        return kernels_for(self.kinds)

    @cached_property
    def _constants(self) -> Array:
        """Constants for core.equations.multibody, enough for the motion at an instant."""
        return self.constants()

    def internal_states(self, state: State) -> Array:
        """Return the states that the methods of `internal` need; empty without internal parts."""
        return state.internal[self._inside]

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
        impulse_B = rotations.rotate(rotations.conjugate(state.q_WB), impulse[0:3])
        own, moment_B = self.internal.struck(
            self.internal_states(state), impulse_B, self.body.mass
        )
        internal = state.internal.copy()
        internal[self._inside] = own
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
        return self.turning_B(state, torque_B)[1]

    def turning_B(self, state: State, torque_B: Vector3) -> tuple[Vector3, Vector3]:
        """Return ω_B and dω_B/dt (3,) each [rad/s, rad/s^2] where no part moves its inertia.

        torque_B: (3,) minus the motors' torque [N m]
        """
        return self.carrier.turning_B(state, torque_B, self.stored_B(state))

    def kinetic_energies(self, state: State) -> tuple[float, float]:
        """Return the kinetic energies of translation and of all rotation [J]."""
        translation, rotation = self.carrier.kinetic_energies(state, self.stored_B(state))
        if self.moves:
            return translation, float(self._motion(state)[3])
        for part in self.parts:
            rotation += part.kinetic_energy(self.states_of(part.group, state))
        return translation, rotation

    def elastic_energy(self, state: State) -> float:
        """Return the elastic energy of springs in internal parts [J]."""
        return float(self._motion(state)[4]) if self.internal else 0.0

    def kinetic_energy(self, state: State) -> float:
        """Return the kinetic energy of rotation and translation [J]."""
        return sum(self.kinetic_energies(state))

    def wheel_speeds(self, state: State) -> Array:
        """Return the speeds (N,) of the wheels relative to the body [rad/s]."""
        rate_B, wheels = self.angular_velocity_B(state), self.part('reaction_wheels')
        return np.asarray(wheels.speeds(self.states_of('wheels', state), rate_B))

    def said_speeds(self, state: State) -> Array:
        """Return the readings (N,) of the wheels' tachometers [rad/s]; empty without wheels."""
        wheels = self.part('reaction_wheels')
        return wheels.tachometers(self.wheel_speeds(state)) if wheels else NOTHING

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
        if not (self.parts or self.coupled):
            return self.body.state(position_W, q_WB, velocity_W, angular_velocity_B)
        omega_B = np.asarray(angular_velocity_B, dtype=float)
        beginning = self.internal.beginning(self.body.mass, omega_B)
        start = Start(omega_B, beginning.velocity_B, wheel_speeds, wheel_torque, self._queued)
        internal = self._initial(start)
        stored_B = self.rotor_momentum_B(internal, omega_B) + beginning.stored_B
        if self.internal and not of_center:
            center_B = self.internal.center_of_mass_B(internal[self._inside], self.body.mass)
            position_W = position_W + rotations.rotate(q_WB, center_B)
            velocity_W = velocity_W - rotations.rotate(q_WB, beginning.velocity_B)
        state = self.carrier.state(position_W, q_WB, velocity_W, omega_B, stored_B)
        return state._replace(internal=internal)

    def _initial(self, start: Start) -> Array:
        """Return State.internal at the start; all entries of the energy book are 0."""
        states: dict[str, Array] = {'book': np.zeros(BOOK.size)}
        for part in self.parts:
            states |= part.initial_pieces(start)
        return np.concatenate([NOTHING, *(states[name] for name in self.layout.widths)])

    def turned(self, state: State, omega_B: Vector3) -> tuple[Array, Vector3]:
        """Return State.internal and stored momentum (3,) after ω is set to another value.

        The parts move relative to the body as before.

        state: State before;  omega_B: (3,) [rad/s]
        """
        before_B, internal = self.angular_velocity_B(state), state.internal.copy()
        change_B = np.asarray(omega_B) - before_B
        moved_B, own = np.cross(change_B, self.center_of_mass_B(state)), self.own(internal)
        for part in self.parts:
            part.set_rate(own, change_B, moved_B)
        stored_B = self.rotor_momentum_B(internal, omega_B)
        if self.internal:
            stored_B += self.stored_B(state) - self.rotor_momentum_B(state.internal, before_B)
            inertia_B = self.internal.inertia_now_B(self.internal_states(state), self.body.mass)
            stored_B += product(inertia_B, change_B)
        return internal, stored_B
