# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Single-gimbal control moment gyros: rotors whose spin axes a gimbal turns; exact equations.

With h the momentum of a rotor, γ the angle of its gimbal about g and t = g × s, a gimbal rate
dγ/dt gives the body the torque -h dγ/dt t, its main term. core.equations.multibody has the
equations.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, product
from spacecraft_attitude_sim.core.parts.control_moment_gyros.kernel import (
    GIMBAL,
    GIMBAL_STATE,
    RATE_DRIVEN,
    TORQUE_DRIVEN,
)
from spacecraft_attitude_sim.core.parts.part import Commanded, Part, Setting, Start
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import IDEAL, wheel_row
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import KIND as WHEELS
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    FORWARD,
    LOCKED,
    WHEEL,
    WHEEL_STATE,
    own_of,
    value_of,
)
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Matrix3,
        Vector3,
        VectorLike,
        Vectors3,
    )


@dataclass(frozen=True)
class ControlMomentGyro:
    """One rotor in its gimbal.

    gimbal_axis_B, spin_axis_B: (3,) unit vectors at right angles; the latter at gimbal angle 0
    rotor_inertia: about its spin axis [kg m^2];  rotor_speed: relative to the gimbal [rad/s]
    free_rotor: whether the rotor turns without a motor; else a motor keeps its speed
    inertias: (3,) of rotor and gimbal, without rotor_inertia, about spin axis, gimbal × spin axis
        and gimbal axis [kg m^2]
    max_rate: of the gimbal [rad/s];  max_acceleration: [rad/s^2];  max_torque: [N m]
    angle: of the gimbal at the start [rad]
    Raises ValueError naming the field, its value and the remedy.
    """

    gimbal_axis_B: VectorLike
    spin_axis_B: VectorLike
    rotor_inertia: float
    rotor_speed: float
    free_rotor: bool = False
    inertias: VectorLike = (1e-6, 1e-6, 1e-6)
    max_rate: float = np.inf
    max_acceleration: float = np.inf
    max_torque: float = np.inf
    angle: float = 0.0

    def __post_init__(self) -> None:
        """Check all fields."""
        axis = unit_axis('axis', self.gimbal_axis_B)
        spin = unit_axis('spin_axis', self.spin_axis_B)
        if abs(product(axis, spin)) > 1e-3:
            raise ValueError(
                f'spin_axis is {spin.tolist()}, not at right angles to axis, '
                f'{axis.tolist()}; give one that is'
            )
        spin = spin - product(axis, spin) * axis
        object.__setattr__(self, 'gimbal_axis_B', axis)
        object.__setattr__(self, 'spin_axis_B', spin / norm(spin))
        positive = {'rotor_inertia': 'kg m^2', 'max_rate': 'rad/s', 'max_torque': 'N m'}
        check_sizes(self, positive | {'max_acceleration': 'rad/s^2'}, {})
        if not (np.array(self.inertias) > 0.0).all():
            raise ValueError(f'inertias are {list(self.inertias)} kg m^2; they must be positive')

    @cached_property
    def transverse_B(self) -> Vector3:
        """Gimbal axis × spin axis (3,)."""
        return np.cross(self.gimbal_axis_B, self.spin_axis_B)

    def axes_B(self, angle: float) -> tuple[Vector3, Vector3]:
        """Return spin axis (3,) and gimbal × spin axis (3,) at an angle of the gimbal [rad]."""
        s, t = np.asarray(self.spin_axis_B), self.transverse_B
        c, d = np.cos(angle), np.sin(angle)
        return c * s + d * t, c * t - d * s

    def row(self, **rotor: float) -> Array:
        """Return (GIMBAL.size,) for the compiled step; rotor: its rotor_row and so on."""
        along, across, about = self.inertias
        return GIMBAL.packed(
            axis_B=self.gimbal_axis_B, spin_B=self.spin_axis_B, transverse_B=self.transverse_B,
            inertia_spin=along, inertia_transverse=across, inertia_axis=about,
            max_rate=self.max_rate, max_acceleration=self.max_acceleration,
            max_torque=self.max_torque, **rotor,
        )  # fmt: skip


@dataclass(frozen=True)
class ControlMomentGyros(Part):
    """G single-gimbal control moment gyros; names: G different names."""

    kind, title = 'control_moment_gyros', 'control moment gyros'
    group, PREFIX = 'gimbals', 'gimbal'
    turning = ('gimbals', 'the rotors and gimbals')
    CHANNELS = (
        Channel(
            'angles', lambda gyros, now: gyros.angles(now.states('gimbals')), 'angle', 'rad',
            'position', '', Shown('gimbal_angle', 'angle of each\ngimbal', 'deg', 180.0 / np.pi),
        ),
        Channel(
            'rates', lambda gyros, now: gyros.rates(now.states('gimbals'), now.omega_B), 'rate',
            'rad/s', 'velocity', 'max_rates',
            Shown('gimbal_rate', 'rate of each\ngimbal', 'deg/s', 180.0 / np.pi),
        ),
        Channel(
            'torques',
            lambda gyros, now: gyros.torques(now.states('gimbals'), now.inputs.gimbal_torque),
            joint='effort', kept=False,
        ),
        Channel(
            'held_B', lambda gyros, now: gyros.held_B(now),
            shown=Shown('gimbal_momentum', 'h of the rotors\nbody axes', 'N m s', size='|h|'),
        ),
    )  # fmt: skip

    names: tuple[str, ...]
    gyros: tuple[ControlMomentGyro, ...]

    @property
    def pieces(self) -> dict[str, str]:
        """{name of their states: kind of the registry that has their rows}; rotors are wheels."""
        return {'rotors': WHEELS.name, self.group: self.kind}

    @property
    def acts_uncommanded(self) -> bool:  # type: ignore[override]
        """Whether motors keep the speed of any rotor."""
        return not all(one.free_rotor for one in self.gyros)

    @property
    def inertia_B(self) -> Matrix3:
        """Inertia (3, 3) of rotors and gimbals at their angles of the start [kg m^2]."""
        total = np.zeros((3, 3))
        for one in self.gyros:
            (spin, transverse), (along, across, about) = one.axes_B(one.angle), one.inertias
            total += (along + one.rotor_inertia) * np.outer(spin, spin)
            total += across * np.outer(transverse, transverse)
            total += about * np.outer(one.gimbal_axis_B, one.gimbal_axis_B)
        return total

    def constants(self, setting: Setting) -> dict[str, Array]:
        """Return the constants of rotors and gimbals for the compiled step."""
        return {'rotors': self._rotor_rows(setting), self.group: self.rows(setting)}

    def initial_pieces(self, start: Start) -> dict[str, Array]:
        """Return the states of rotors and gimbals at the start, flat."""
        omega_B = start.angular_velocity_B
        rotors = self.rotor_states(omega_B, start.queued)
        return {'rotors': rotors, self.group: self.gimbal_states(omega_B)}

    def _rotor_rows(self, setting: Setting) -> Array:
        """Return (G, WHEEL.size) of the rotors for the compiled step."""
        return np.array([
            wheel_row(
                np.asarray(one.spin_axis_B), one.rotor_inertia, np.inf, IDEAL,
                setting.inverse_inertia, TICK_SECONDS, one.rotor_speed, setting.queued,
                gimbaled=True,
            )
            for one in self.gyros
        ])  # fmt: skip

    def rotor_states(self, angular_velocity_B: Vector3, queued: int) -> Array:
        """Return the states of the rotors (G * (WHEEL_STATE.size + queued),) at the start."""
        rows = np.zeros((len(self.gyros), WHEEL_STATE.size + queued))
        for row, one in zip(rows, self.gyros, strict=True):
            spin, _ = one.axes_B(one.angle)
            speed = one.rotor_speed + spin @ angular_velocity_B
            row[WHEEL_STATE.at('momentum')] = one.rotor_inertia * speed
            row[WHEEL_STATE.at('mode')] = FORWARD if one.free_rotor else LOCKED
        return rows.ravel()

    def momentum_B(self, rotors: Array, gimbals: Array, angular_velocity_B: Vector3) -> Vector3:
        """Return the angular momentum (3,) of rotors and gimbals [N m s], body axes.

        rotors, gimbals: their internal states
        """
        total = np.zeros(3)
        several = zip(
            self.gyros, rotors.reshape(len(self.gyros), -1),
            gimbals.reshape(len(self.gyros), -1), strict=True,
        )  # fmt: skip
        for one, rotor, gimbal in several:
            spin, across = one.axes_B(gimbal[GIMBAL_STATE.at('angle')])
            along, sideways, _ = one.inertias
            total += (rotor[0] + along * product(spin, angular_velocity_B)) * spin
            total += sideways * product(across, angular_velocity_B) * across
            total += gimbal[GIMBAL_STATE.at('momentum')] * np.asarray(one.gimbal_axis_B)
        return total

    def rows(self, setting: Setting) -> Array:
        """Return (G, GIMBAL.size) for the compiled step."""
        place = setting.places[WHEELS.name]
        first = place.number - self.number  # rotors follow the wheels
        return np.array([
            one.row(
                rotor_row=place.row + k * WHEEL.size, rotor_work=own_of(place, k),
                rotor_value=value_of(place, k),
            )
            for k, one in enumerate(self.gyros, first)
        ])  # fmt: skip

    def gimbal_states(self, angular_velocity_B: Vector3) -> Array:
        """Return the states of the gimbals at the start, at rest relative to the body."""
        rows = np.zeros((len(self.gyros), GIMBAL_STATE.size))
        for row, one in zip(rows, self.gyros, strict=True):
            turning = np.asarray(one.gimbal_axis_B) @ angular_velocity_B
            row[GIMBAL_STATE.at('angle')] = one.angle
            row[GIMBAL_STATE.at('momentum')] = one.inertias[2] * turning
            row[GIMBAL_STATE.at('driven')] = RATE_DRIVEN
        return rows.ravel()

    def angles(self, internal: Array) -> Array:
        """Return the angles (G,) of the gimbals [rad]; internal: their states."""
        return internal.reshape(len(self.gyros), -1)[:, GIMBAL_STATE.at('angle')]

    def rates(self, internal: Array, angular_velocity_B: Vector3) -> Array:
        """Return the rates (G,) of the gimbals relative to the body [rad/s]."""
        found = []
        for row, one in zip(internal.reshape(len(self.gyros), -1), self.gyros, strict=True):
            rate = row[GIMBAL_STATE.at('rate')]
            if row[GIMBAL_STATE.at('driven')] == TORQUE_DRIVEN:
                turning = product(one.gimbal_axis_B, angular_velocity_B)
                rate = row[GIMBAL_STATE.at('momentum')] / one.inertias[2] - turning
            found.append(rate)
        return np.array(found)

    def axes_now_B(self, internal: Array) -> tuple[Vectors3, Vectors3]:
        """Return spin axes and gimbal × spin axes (G, 3) each; internal: states of the gimbals."""
        several = zip(self.gyros, self.angles(internal), strict=True)
        spins, across = zip(*(one.axes_B(angle) for one, angle in several), strict=True)
        return np.array(spins), np.array(across)

    def rotor_momenta(self, rotors: Array, gimbals: Array, angular_velocity_B: Vector3) -> Array:
        """Return J Ω (G,) of the rotors [N m s], Ω relative to their gimbals.

        rotors, gimbals: their internal states
        """
        momenta = rotors.reshape(len(self.gyros), -1)[:, WHEEL_STATE.at('momentum')]
        inertias = np.array([one.rotor_inertia for one in self.gyros])
        kept = inertias * [one.rotor_speed for one in self.gyros]
        along = product(self.axes_now_B(gimbals)[0], angular_velocity_B)
        free = np.array([one.free_rotor for one in self.gyros])
        return np.where(free, momenta - inertias * along, kept)

    def held_B(self, now: Any) -> Vector3:
        """Return Σ J Ω s (3,) of the rotors [N m s] at a core.spacecraft.channels.Moment."""
        own = now.states('gimbals')
        momenta = self.rotor_momenta(now.states('rotors'), own, now.omega_B)
        held_B: Vector3 = product(momenta, self.axes_now_B(own)[0])
        return held_B

    @property
    def max_rates(self) -> Array:
        """Largest rates (G,) of the gimbals [rad/s]."""
        return np.array([one.max_rate for one in self.gyros])

    def torques(self, internal: Array, commanded: Array) -> Array:
        """Return the torques (G,) on the gimbals [N m], 0 where a rate is commanded.

        internal: states of the gimbals;  commanded: (G,) as Inputs.gimbal_torque, or empty
        """
        driven = internal.reshape(len(self.gyros), -1)[:, GIMBAL_STATE.at('driven')]
        if not commanded.size:
            return np.zeros(len(self.gyros))
        most = np.array([one.max_torque for one in self.gyros])
        limited = np.clip(np.nan_to_num(commanded), -most, most)
        return np.where(driven == TORQUE_DRIVEN, limited, 0.0)

    def stored_B(self, own: Mapping[str, Array], omega_B: Vector3) -> Vector3:
        """Return the angular momentum (3,) of rotors and gimbals [N m s]; see Part."""
        return self.momentum_B(own['rotors'], own[self.group], omega_B)

    def set_rate(self, own: Mapping[str, Array], change_B: Vector3, moved_B: Vector3) -> None:  # noqa: ARG002
        """Write the states after ω is set to another value; see Part."""
        rotors, gimbals = (own[name].reshape(self.number, -1) for name in self.pieces)
        for rotor, gimbal, one in zip(rotors, gimbals, self.gyros, strict=True):
            spin_B, _ = one.axes_B(gimbal[GIMBAL_STATE.at('angle')])
            rotor[WHEEL_STATE.at('momentum')] += one.rotor_inertia * product(spin_B, change_B)
            turned = one.inertias[2] * product(one.gimbal_axis_B, change_B)
            gimbal[GIMBAL_STATE.at('momentum')] += turned

    def add_torque_B(self, total_B: Vector3, now: Commanded) -> Vector3:
        """Return a torque with -h dγ/dt g × s and the reaction of gimbal torques; see Part."""
        rotors, gimbals = (now.own[name] for name in self.pieces)
        rates = self.rates(gimbals, now.omega_B)
        turning = self.rotor_momenta(rotors, gimbals, now.omega_B) * rates
        total_B = total_B - product(turning, self.axes_now_B(gimbals)[1])
        axes_B = np.array([one.gimbal_axis_B for one in self.gyros])
        less_B: Vector3 = total_B - product(
            self.torques(gimbals, now.inputs.gimbal_torque), axes_B
        )
        return less_B

    def held_work(self, internal: Array, change_B: Vector3) -> float:
        """Return the work [J] of motors that keep their speeds during an impulse; see Part."""
        work = 0.0
        for row, one in zip(internal.reshape(len(self.gyros), -1), self.gyros, strict=True):
            if not one.free_rotor:
                spin_B, _ = one.axes_B(row[GIMBAL_STATE.at('angle')])
                work += one.rotor_inertia * one.rotor_speed * float(product(spin_B, change_B))
            if row[GIMBAL_STATE.at('driven')] == RATE_DRIVEN:
                along = float(product(one.gimbal_axis_B, change_B))
                work += one.inertias[2] * row[GIMBAL_STATE.at('rate')] * along
        return work
