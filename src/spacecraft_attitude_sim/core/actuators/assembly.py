# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All actuators of a spacecraft that have states of their own, and their arrays for the step.

State.internal holds, in this order: wheels, rotors of gimbals, gimbals, thrusters, magnetorquers,
internal parts, and the energy book.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.parts.control_moment_gyros.kernel import GIMBAL_STATE
from spacecraft_attitude_sim.core.parts.craft import BOOK
from spacecraft_attitude_sim.core.parts.magnetorquers.kernel import ROD_STATE
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import (
    TURNING,
    WHEEL,
    WHEEL_STATE,
)
from spacecraft_attitude_sim.core.parts.registry import constants_of, places_of
from spacecraft_attitude_sim.core.parts.thrusters.kernel import THRUSTER_STATE

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators.inputs import Inputs
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, VectorLike
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyros,
    )
    from spacecraft_attitude_sim.core.parts.craft import Place
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
    from spacecraft_attitude_sim.core.parts.part import Part
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thrusters

MOMENTUM = WHEEL_STATE.at('momentum')


@dataclass(frozen=True)
class Assembly:
    """Wheels, control moment gyros, thrusters, magnetorquers; each None where there are none.

    plates: surfaces for sunlight and air drag, without states
    internal: InternalParts
    others: those of further kinds, each a Part of core.parts.part
    """

    wheels: ReactionWheels | None = None
    gyros: ControlMomentGyros | None = None
    thrusters: Thrusters | None = None
    magnetorquers: Magnetorquers | None = None
    plates: Plates | None = None
    internal: InternalParts | None = None
    others: tuple[Part, ...] = ()

    @functools.cached_property
    def layout(self) -> Layout:
        """Where the states of each kind are in State.internal."""
        wheels, gyros, thrusters, rods = self._numbers
        width = WHEEL_STATE.size + self._queued
        return Layout(
            wheels=wheels * width, rotors=gyros * width, gimbals=gyros * GIMBAL_STATE.size,
            thrusters=thrusters * THRUSTER_STATE.size, magnetorquers=rods * ROD_STATE.size,
            internal=self.internal.layout.size if self.internal else 0,
            others=sum(len(one.initial()) for one in self.others), book=BOOK.size,
        )  # fmt: skip

    @functools.cached_property
    def _numbers(self) -> tuple[int, int, int, int]:
        kinds = (self.wheels, self.gyros, self.thrusters, self.magnetorquers)
        wheels, gyros, thrusters, rods = (len(kind.names) if kind else 0 for kind in kinds)
        return wheels, gyros, thrusters, rods

    @property
    def _queued(self) -> int:
        return self.wheels.queued if self.wheels else 0

    def initial(
        self,
        angular_velocity_B: Vector3,
        wheel_speeds: Array | None,
        wheel_torque: Array,
        internal: Array,
    ) -> Array:
        """Return the internal states at the start; all entries of the energy book are 0.

        angular_velocity_B: (3,) [rad/s];  wheel_speeds: (N,) relative to the body [rad/s], None
        for locked;  wheel_torque: (N,) of the motors before the start, empty for none [N m]
        internal: of InternalParts.start, empty without internal parts
        """
        pieces = []
        if self.wheels:
            speeds = np.zeros(self.wheels.number) if wheel_speeds is None else wheel_speeds
            torque = wheel_torque if len(wheel_torque) else np.zeros(self.wheels.number)
            pieces.append(self.wheels.internal_of(speeds, angular_velocity_B, torque))
        if self.gyros:
            pieces.append(self.gyros.rotor_states(angular_velocity_B, self._queued))
            pieces.append(self.gyros.gimbal_states(angular_velocity_B))
        pieces += [kind.initial() for kind in (self.thrusters, self.magnetorquers) if kind]
        others = [one.initial() for one in self.others]
        return np.concatenate((*pieces, internal, *others, np.zeros(BOOK.size)))

    def turning_with(self, internal: Array, before_B: Vector3, after_B: Vector3) -> Array:
        """Return the internal states after ω is set to another value, relative motion unchanged.

        before_B, after_B: angular velocity of the body (3,) [rad/s]
        """
        moved, change_B = internal.copy(), np.asarray(after_B) - before_B
        if self.wheels:
            rows = moved[self.layout.of('wheels')].reshape(self.wheels.number, -1)
            rows[:, MOMENTUM] += self.wheels.inertias * product(self.wheels.axes_B, change_B)
        if self.gyros:
            rotors, gimbals = (
                moved[self.layout.of(kind)].reshape(len(self.gyros.gyros), -1)
                for kind in ('rotors', 'gimbals')
            )
            for rotor, gimbal, one in zip(rotors, gimbals, self.gyros.gyros, strict=True):
                spin_B, _ = one.axes_B(gimbal[GIMBAL_STATE.at('angle')])
                rotor[MOMENTUM] += one.rotor_inertia * product(spin_B, change_B)
                turned = one.inertias[2] * product(one.gimbal_axis_B, change_B)
                gimbal[GIMBAL_STATE.at('momentum')] += turned
        return moved

    def stored_B(self, internal: Array, angular_velocity_B: Vector3) -> Vector3:
        """Return L_B - J ω, J the inertia of the carrier (3,) [N m s], body axes."""
        stored_B = np.zeros(3)
        if self.wheels:
            stored_B += self.wheels.momentum_B(internal[self.layout.of('wheels')])
        if self.gyros:
            rotors, gimbals = (internal[self.layout.of(kind)] for kind in ('rotors', 'gimbals'))
            stored_B += self.gyros.momentum_B(rotors, gimbals, angular_velocity_B)
        return stored_B

    def parts(
        self, carrier: RigidBody, seed: int, inertia: Matrix3, gravity_W: VectorLike = (0, 0, 0)
    ) -> Array:
        """Return the constants of the compiled step, flat: see core.parts.craft.

        carrier: the body without rotors and gimbals;  seed: of the thrusters' scatter
        inertia: of the whole body (3, 3) [kg m^2];  gravity_W: uniform (3,) [m/s^2]
        """
        i, internal = carrier.inertia, self.internal
        craft: dict[str, Any] = {
            'mass': carrier.mass, 'least_moment': carrier.least_moment,
            'inertia_B': (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]),
        }  # fmt: skip
        if internal:
            craft |= internal.craft(carrier.mass, inertia, gravity_W)
        return constants_of(craft, self.places, self._rows(carrier.inverse_inertia, seed))

    def _rows(self, inverse_inertia: Matrix3, seed: int) -> dict[str, Array]:
        """Return the constants (n, any) of each kind aboard."""
        rows = dict(self.internal.rows) if self.internal else {}
        rows |= {one.kind: one.rows() for one in self.others}
        wheels = []
        if self.wheels:
            wheels.append(self.wheels.rows(inverse_inertia))
        if self.gyros:
            wheels.append(self.gyros.rotor_rows(inverse_inertia, self._queued))
            place, number = self.places['reaction_wheels'], self._numbers[0]
            rotors = place._replace(
                row=place.row + number * WHEEL.size, work=place.work + number * TURNING.size,
                value=place.value + number,
            )  # fmt: skip
            rows['control_moment_gyros'] = self.gyros.rows(rotors)
        if wheels:
            rows['reaction_wheels'] = np.concatenate(wheels)
        if self.thrusters:
            rows['thrusters'] = self.thrusters.rows(seed)
        if self.magnetorquers:
            rows['magnetorquers'] = self.magnetorquers.rows()
        return rows

    @functools.cached_property
    def places(self) -> dict[str, Place]:
        """The Place of each kind, of core.parts.craft, by name."""
        wheels, gyros, thrusters, rods = self._numbers
        counts = {
            'reaction_wheels': wheels + gyros, 'control_moment_gyros': gyros,
            'thrusters': thrusters, 'magnetorquers': rods,
        }  # fmt: skip
        if self.internal:
            counts |= {name: len(rows) for name, rows in self.internal.rows.items()}
        counts |= {one.kind: len(one.rows()) for one in self.others}
        return places_of(counts, self._queued)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds aboard, in the order of core.parts.registry."""
        return tuple(name for name, place in self.places.items() if place.number)

    def commands(self, inputs: Inputs) -> Array:
        """Return the commands of a tick, flat; 0 for each actuator without a command."""
        wheels, gyros, thrusters, rods = self._numbers
        flat = np.zeros(2 * (wheels + 2 * gyros) + thrusters + rods)
        pairs = flat[: 2 * (wheels + 2 * gyros)].reshape(-1, 2)
        pairs[:, 1] = np.nan
        at = 2 * (wheels + 2 * gyros)
        for given, place in (
            (inputs.wheel_torque, pairs[:wheels, 0]),
            (inputs.wheel_speed, pairs[:wheels, 1]),
            (inputs.gimbal_rate, pairs[wheels + gyros :, 0]),
            (inputs.gimbal_torque, pairs[wheels + gyros :, 1]),
            (inputs.thrust, flat[at : at + thrusters]),
            (inputs.dipole, flat[at + thrusters :]),
        ):
            if given.size:
                place[:] = given
        if self.thrusters:
            flat[at : at + thrusters] /= self.thrusters.max_forces
        return flat
