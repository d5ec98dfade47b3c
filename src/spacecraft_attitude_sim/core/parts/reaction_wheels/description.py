# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A reaction wheel assembly: any number of wheels about any axes, ideal or with limits and losses.

With I the inertia of the whole spacecraft, its wheels locked, a_i their unit spin axes, J_i their
axial inertias and Ω_i their speeds relative to the body (Hughes, Spacecraft Attitude Dynamics,
1986, section 3.3; Markley & Crassidis, Fundamentals of Spacecraft Attitude Determination and
Control, 2014, section 3.3.5):

    J = I - Σ J_i a_i a_i^T             the carrier: the body without the wheels' axial inertias
    h_i = J_i (Ω_i + a_i·ω)             axial momentum in an inertial frame: the state of a wheel
    L_B = J ω + Σ h_i a_i               constant in an inertial frame without external torque
    dh_i/dt = u_i                       torque of the motor on the rotor

Because h_i, not Ω_i, is the state, a constant torque makes it grow linearly, exactly, and the
wheels never change the total angular momentum. The limits and losses of real wheels are in
WheelDynamics; core.equations.multibody computes them.
"""

from __future__ import annotations

import math
from dataclasses import field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.actuators.actuator import Drive
from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import unit_axis
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.mathematics.vectors import tangents
from spacecraft_attitude_sim.core.parts.part import Commanded, Part, Setting, Start
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    BACKWARD,
    FASTEST,
    FORWARD,
    STUCK,
    WHEEL,
    WHEEL_STATE,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.speeds import (
    MOMENTUM,
    TACHOMETER,
    find_readings,
    find_speeds,
)
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.actuators.inputs import Inputs
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3


@dataclass(frozen=True)
class WheelDynamics:
    """Limits and losses of a wheel; the default is an ideal wheel.

    max_speed: relative to the body, never exceeded [rad/s]
    max_power: of the motor, while it accelerates the wheel [W]
    supply_voltage: [V], 0 for no such limit;  torque_constant: [N m/A = V s];
        winding_resistance: [ohm]: a motor accelerates by k (V - k|Ω|)/R at most
    torque_lag: time constant [s];  dead_time: delay from a command to its effect [s]
    viscous, coulomb, static: friction [N m s, N m, N m]; static is not less than coulomb
    stribeck_speed: scale Ω_s on which static friction falls to coulomb, exp(-(Ω/Ω_s)²) [rad/s];
        0: it falls at once
    speed_bandwidth: of its speed servo [rad/s]; 0: it has none and takes no speed commands
    static_imbalance, dynamic_imbalance: [kg m, kg m²];  imbalance_phase: between the two [rad]
    position_B: (3,) of its centre from the centre of mass [m]
    tachometer_resolution: [rad/s], 0 for none; tachometer_gain, tachometer_bias: its reading is
        gain × speed + bias [-, rad/s]
    Raises ValueError naming the field, its value and the remedy.
    """

    max_speed: float = np.inf
    max_power: float = np.inf
    supply_voltage: float = 0.0
    torque_constant: float = 0.0
    winding_resistance: float = 0.0
    torque_lag: float = 0.0
    dead_time: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    static: float = 0.0
    stribeck_speed: float = 0.0
    speed_bandwidth: float = 0.0
    static_imbalance: float = 0.0
    dynamic_imbalance: float = 0.0
    imbalance_phase: float = 0.0
    position_B: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tachometer_resolution: float = 0.0
    tachometer_gain: float = 1.0
    tachometer_bias: float = 0.0

    def __post_init__(self) -> None:
        """Check all fields."""
        free = {'imbalance_phase', 'position_B', 'tachometer_gain', 'tachometer_bias'}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in free:
                if not np.isfinite(value).all():
                    raise ValueError(f'{one.name} is {value}; it must be finite')
            elif not value >= 0.0:
                raise ValueError(f'{one.name} is {value:g}; it must not be negative')
        for name in ('max_speed', 'max_power'):
            if getattr(self, name) == 0.0:
                raise ValueError(f'{name} is 0; it must be positive, or inf for no limit')
        if self.supply_voltage and not (self.torque_constant and self.winding_resistance):
            raise ValueError(
                f'supply_voltage is {self.supply_voltage:g} V without torque_constant and '
                'winding_resistance; give them, too'
            )
        if self.static and self.static < self.coulomb:
            raise ValueError(
                f'static is {self.static:g} N m, less than coulomb, {self.coulomb:g} N m; '
                'leave it out or give at least that'
            )

    @property
    def starting(self) -> float:
        """Torque that sets it in motion [N m]: static friction, or coulomb without static."""
        return self.static or self.coulomb

    def available(self, speed: float) -> float:
        """Return the largest torque that the voltage allows an accelerating motor [N m].

        speed: its magnitude [rad/s]
        """
        if not self.supply_voltage:
            return math.inf
        stall = self.torque_constant * self.supply_voltage / self.winding_resistance
        return max(0.0, stall * (1.0 - speed / (self.supply_voltage / self.torque_constant)))


IDEAL = WheelDynamics()


@dataclass(frozen=True)
class ReactionWheels(Part):
    """N wheels; the constructor checks them.

    names: N different names;  axes_B: (N, 3) unit spin axes, body
    inertias: (N,) axial [kg m^2], of the rotors about their spin axes
    torque_limits: (N,) largest torque of each motor [N m]
    dynamics: WheelDynamics of each; empty where all are ideal
    tick: of the run [s]
    detailed: whether core.equations.multibody integrates them: true unless all are ideal
    queued: length of each wheel's queue of commands in the dead time
    states: count of their numbers in State.internal: N momenta where not detailed
    Raises ValueError naming wheel, field, value and remedy.
    """

    kind, title, group, PREFIX = 'reaction_wheels', 'reaction wheels', 'wheels', 'wheel'
    turning = ('wheels', "the wheels' inertia about their spin axes")
    CHANNELS = (
        Channel(
            'speeds', lambda wheels, now: wheels.speeds(now.states('wheels'), now.omega_B),
            'speed', 'rad/s', 'velocity', 'speed_limits',
            Shown('wheel_speed', 'speed of each\nwheel', 'rpm', 30.0 / np.pi),
        ),
        Channel(
            'torques', lambda wheels, now: wheels.torques_now(now), 'torque', 'N m', 'effort',
            'torque_limits', Shown('wheel_torque', 'motor torque of each\nwheel', 'N m'),
        ),
        Channel(
            'angles', lambda wheels, now: (
                wheels.angles(now.states('wheels')) if wheels.detailed else None
            ), joint='position',
        ),
        Channel(
            'tachometers',
            lambda wheels, now: wheels.tachometers(now.value('wheels', 'speeds')),
            joint='said', kept=False,
        ),
        Channel(
            'stored_B', lambda _, now: now.craft.stored_B(now.state), unit='N m s',
            shown=Shown('wheel_momentum', 'h of the wheels\nbody axes', 'N m s', size='|h|'),
        ),
    )  # fmt: skip

    names: tuple[str, ...]
    axes_B: Array
    inertias: Array
    torque_limits: Array
    dynamics: tuple[WheelDynamics, ...] = ()
    tick: float = TICK_SECONDS
    detailed: bool = False
    queued: int = field(init=False)
    states: int = field(init=False)
    _rows: tuple[tuple[float, float, float], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check every wheel, and normalise the axes."""
        axes = np.array(self.axes_B, dtype=float).reshape(-1, 3)
        inertias, limits = (np.array(a, dtype=float) for a in (self.inertias, self.torque_limits))
        if not len(self.names) == len(axes) == len(inertias) == len(limits) > 0:
            raise ValueError('names, axes, inertias and torque limits of wheels differ in number')
        for name, axis, inertia, limit in zip(self.names, axes, inertias, limits, strict=True):
            unit_axis(f'{name}.axis', axis)
            if not 0.0 < inertia < np.inf:
                raise ValueError(f'{name}.inertia is {inertia:g} kg m^2; it must be positive')
            if not 0.0 <= limit <= np.inf:
                raise ValueError(f'{name}.max_torque is {limit:g} N m; it must not be negative')
        if self.dynamics and len(self.dynamics) != len(axes):
            raise ValueError('dynamics and axes of wheels differ in number')
        axes /= np.linalg.norm(axes, axis=1)[:, np.newaxis]
        detailed = self.detailed or any(one != IDEAL for one in self.dynamics)
        longest = max((one.dead_time for one in self.dynamics), default=0.0)
        queued = _ticks_in(longest, self.tick) + 1 if longest > 0.0 else 0
        for name, value in (
            ('detailed', detailed),
            ('queued', queued),
            ('axes_B', axes),
            ('inertias', inertias),
            ('torque_limits', limits),
            ('states', len(axes) * (WHEEL_STATE.size + queued if detailed else 1)),
            ('_rows', tuple(map(tuple, axes.tolist()))),
        ):
            object.__setattr__(self, name, value)

    @property
    def switches(self) -> bool:  # type: ignore[override]
        """Whether a dead time may end within a tick."""
        return self.queued > 0

    @property
    def inertia_B(self) -> Matrix3:
        """Inertia (3, 3) of the rotors about their spin axes, Σ J_i a_i a_i^T [kg m^2]."""
        return np.einsum('i,ij,ik->jk', self.inertias, self.axes_B, self.axes_B)

    def drive(self, inputs: Inputs, internal: Array, duration: float) -> Drive:
        """Return the effect of ideal wheels under constant motor torques.

        internal: (N,) h_i [N m s]
        inputs.wheel_torque: (N,) on the rotors [N m], the body gets the opposite; empty for no
        torque
        """
        torque = inputs.wheel_torque
        if not torque.size:
            return Drive(
                gyrostat=np.array((*self._along(internal), 0.0, 0.0, 0.0)), internal=internal
            )
        gyrostat = np.array((*self._along(internal), *self._along(torque)))
        return Drive(gyrostat=gyrostat, internal=internal + duration * torque)

    @property
    def acts_uncommanded(self) -> bool:  # type: ignore[override]
        """Whether friction or imbalance changes energy or angular momentum."""
        return self.rubs or self.is_pushed(False)

    @property
    def rubs(self) -> bool:  # type: ignore[override]
        """Whether the bearing of any has friction."""
        return any(one.viscous or one.starting for one in self.each)

    def is_pushed(self, in_field: bool) -> bool:  # noqa: ARG002
        """Return whether the imbalance of any exerts a load without a command."""
        return any(one.static_imbalance or one.dynamic_imbalance for one in self.each)

    def in_detail(self) -> ReactionWheels:
        """Return the same for core.equations.multibody."""
        return self if self.detailed else replace(self, detailed=True)

    @cached_property
    def speed_limits(self) -> Array:
        """Largest speeds (N,) relative to the body [rad/s]; inf where there is none."""
        limits = np.array([one.max_speed for one in self.each])
        limits.flags.writeable = False
        return limits

    @property
    def have_servo(self) -> bool:
        """Whether any follows a commanded speed."""
        return any(one.speed_bandwidth for one in self.each)

    def momenta_in(self, internal: Array) -> Array:
        """Return the axial momenta h_i (N,) [N m s] of their internal states."""
        return internal[MOMENTUM :: len(internal) // self.number] if self.detailed else internal

    def momentum_B(self, internal: Array) -> Vector3:
        """Return Σ h_i a_i (3,) [N m s]; internal: their states."""
        return np.array(self._along(self.momenta_in(internal)))

    def kinetic_energy(self, internal: Array) -> float:
        """Return ½ Σ h_i²/J_i [J]; internal: their states."""
        h = self.momenta_in(internal)
        return float(np.sum(h * h / self.inertias)) / 2.0

    def speeds(self, internal: Array, angular_velocity_B: Vector3) -> Array:
        """Return the speeds Ω_i = h_i/J_i - a_i·ω (N,) relative to the body [rad/s].

        For a wheel that is stuck, locked or at its largest speed: exactly that speed.
        """
        if not self.detailed:
            return internal / self.inertias - product(self.axes_B, angular_velocity_B)
        # Copies are writable, as the types for which the functions are compiled.
        speeds, rate_B = np.empty(self.number), np.array(angular_velocity_B, dtype=float)
        find_speeds(self.tachometer_rows, internal.copy(), rate_B, speeds)
        return speeds

    def angles(self, internal: Array) -> Array:
        """Return the angles (N,) of detailed wheels relative to the body [rad]."""
        return internal.reshape(self.number, -1)[:, WHEEL_STATE.at('angle')]

    def stored_B(self, own: Mapping[str, Array], omega_B: Vector3) -> Vector3:  # noqa: ARG002
        """Return Σ h_i a_i (3,) [N m s]; see Part."""
        return self.momentum_B(own[self.group])

    def set_rate(self, own: Mapping[str, Array], change_B: Vector3, moved_B: Vector3) -> None:  # noqa: ARG002
        """Write the states after ω is set to another value; see Part."""
        rows = own[self.group].reshape(self.number, -1)
        gained = self.inertias * product(self.axes_B, change_B)
        rows[:, WHEEL_STATE.at('momentum')] += gained

    def held_work(self, internal: Array, change_B: Vector3) -> float:
        """Return the work [J] of motors at their largest speed during an impulse; see Part."""
        modes = internal.reshape(self.number, -1)[:, WHEEL_STATE.at('mode')]
        held = np.abs(modes) == FASTEST
        speeds = np.copysign(np.where(held, self.speed_limits, 0.0), modes)
        return float(np.sum(self.inertias * speeds * product(self.axes_B, change_B)))

    def motor_torques(self, internal: Array, speeds: Array) -> Array:
        """Return the motor torques now (N,) [N m], within limits of torque, power and voltage.

        internal: states of detailed wheels;  speeds: (N,) relative to the body [rad/s]
        """
        drives = internal.reshape(self.number, -1)[:, WHEEL_STATE.at('drive')]
        several = zip(
            drives.tolist(), speeds.tolist(), self.torque_limits.tolist(), self.each, strict=True
        )
        found = []
        for drive, speed, most, one in several:
            largest = most
            if drive * speed > 0.0:  # it accelerates the wheel
                largest = min(largest, one.max_power / abs(speed), one.available(abs(speed)))
            found.append(max(-largest, min(largest, drive)))
        return np.array(found)

    def add_torque_B(self, total_B: Vector3, now: Commanded) -> Vector3:
        """Return a torque with that of the motors on the rest added; see Part.

        After lag and limits, without friction; 0 for a wheel that is held at its largest speed.
        """
        speeds, torques = (now.value(self.group, name) for name in ('speeds', 'torques'))
        held = (np.abs(speeds) >= self.speed_limits) & (torques * speeds > 0.0)
        less_B: Vector3 = total_B - product(np.where(held, 0.0, torques), self.axes_B)
        return less_B

    def torques_now(self, now: Any) -> Array:
        """Return the motor torques (N,) [N m] at a core.spacecraft.channels.Moment."""
        if self.detailed:
            return self.motor_torques(now.states('wheels'), now.value('wheels', 'speeds'))
        torques: Array = now.inputs.wheel_torque  # through the tick
        return torques if torques.size else np.zeros(self.number)

    def tachometers(self, speeds: Array) -> Array:
        """Return the tachometer readings (N,) at speeds (N,) [rad/s]."""
        if not self.detailed:
            return speeds
        readings = np.empty(self.number)
        find_readings(self.tachometer_rows, np.array(speeds, dtype=float), readings)
        return readings

    @cached_property
    def tachometer_rows(self) -> Array:
        """TACHOMETER of each wheel, one after the other."""
        rows = np.array([
            TACHOMETER.packed(
                axis_B=axis, inertia=inertia, max_speed=one.max_speed,
                gain=one.tachometer_gain, bias=one.tachometer_bias,
                step=one.tachometer_resolution,
            )
            for axis, inertia, one in zip(self.axes_B, self.inertias, self.each, strict=True)
        ])  # fmt: skip
        return rows.ravel()

    def momenta(self, speeds: Array, angular_velocity_B: Vector3) -> Array:
        """Return h_i (N,) [N m s] at speeds Ω_i (N,) relative to the body [rad/s]."""
        return self.inertias * (np.asarray(speeds) + product(self.axes_B, angular_velocity_B))

    def initial(self, start: Start) -> Array:
        """Return the internal states at the start, all angles 0."""
        speeds, torque = (
            np.zeros(self.number) if given is None or not len(given) else given
            for given in (start.wheel_speeds, start.wheel_torque)
        )
        h = self.momenta(speeds, start.angular_velocity_B)
        if not self.detailed:
            return h
        rows = np.zeros((self.number, self.states // self.number))
        rows[:, WHEEL_STATE.at('momentum')] = h
        rows[:, WHEEL_STATE.at('drive')] = torque
        rows[:, WHEEL_STATE.size :] = np.asarray(torque).reshape(-1, 1)
        for row, speed, one in zip(rows, speeds, self.each, strict=True):
            row[WHEEL_STATE.at('mode')] = _mode(float(speed), one)
        return rows.ravel()

    def rows(self, setting: Setting) -> Array:
        """Return (N, WHEEL.size) for the compiled step."""
        several = zip(
            self.axes_B, self.inertias, self.torque_limits, self.each, strict=True
        )  # fmt: skip
        return np.array([
            wheel_row(*one, setting.inverse_inertia, self.tick, queued=self.queued)
            for one in several
        ])  # fmt: skip

    @property
    def each(self) -> tuple[WheelDynamics, ...]:
        """The WheelDynamics of every wheel."""
        return self.dynamics or (IDEAL,) * self.number

    def _along(self, amounts: Array) -> tuple[float, float, float]:
        """Return Σ amount_i a_i, added wheel by wheel: the same bits in compiled code."""
        x = y = z = 0.0
        for amount, axis in zip(amounts.tolist(), self._rows, strict=True):
            x, y, z = x + amount * axis[0], y + amount * axis[1], z + amount * axis[2]
        return x, y, z


def _mode(speed: float, one: WheelDynamics) -> float:
    """Return the mode in which a wheel with this speed begins."""
    if abs(speed) >= one.max_speed:
        return float(np.copysign(FASTEST, speed))
    if speed == 0.0 and one.starting:
        return STUCK
    return BACKWARD if speed < 0.0 else FORWARD


def _ticks_in(time: float, tick: float) -> int:
    """Return how many whole ticks are in a time [s]."""
    return int(np.floor(time / tick * (1.0 + 1e-12)))


def coupling(inertia: float, axis_B: Vector3, inverse_inertia: Matrix3) -> float:
    """Return the speed relative to the carrier per angular impulse on the rotor [1/(kg m^2)].

    inertia: of the wheel [kg m^2];  axis_B, inverse_inertia: as of `wheel_row`
    """
    return float(1.0 / inertia + product(product(axis_B, inverse_inertia), axis_B))


def wheel_row(
    axis_B: Vector3,
    inertia: float,
    max_torque: float,
    one: WheelDynamics,
    inverse_inertia: Matrix3,
    tick: float,
    held_speed: float = 0.0,
    queued: int = 0,
    gimbaled: bool = False,
) -> Array:
    """Return (WHEEL.size,) of one wheel for the compiled step.

    axis_B: (3,);  inverse_inertia: (3, 3) of the carrier, body axes [1/(kg m^2)];  tick: [s]
    held_speed: of a wheel that is locked to it [rad/s];  queued: of ReactionWheels
    gimbaled: whether it is the rotor of a gyro
    """
    gained = coupling(inertia, axis_B, inverse_inertia)
    stall, no_load = np.inf, np.inf
    if one.supply_voltage:
        stall = one.torque_constant * one.supply_voltage / one.winding_resistance
        no_load = one.supply_voltage / one.torque_constant
    fall = 0.0
    if one.stribeck_speed:  # the steepest fall of its exponential
        fall = (one.starting - one.coulomb) * math.sqrt(2.0 / math.e) / one.stribeck_speed
    waits = _ticks_in(one.dead_time, tick)
    return WHEEL.packed(
        axis_B=axis_B, radial_B=tangents(tuple(axis_B.tolist()))[0], position_B=one.position_B,
        inertia=inertia, max_torque=max_torque, max_speed=one.max_speed, max_power=one.max_power,
        stall_torque=stall, no_load_speed=no_load, lag=one.torque_lag,
        delayed=float(one.dead_time > 0.0), waits=waits,
        delay=max(0.0, one.dead_time - waits * tick), queued=queued,
        viscous=one.viscous, coulomb=one.coulomb,
        static=one.starting, stribeck_speed=one.stribeck_speed, bandwidth=one.speed_bandwidth,
        coupling=gained, rate=(one.viscous + fall) * gained,
        static_imbalance=one.static_imbalance, dynamic_imbalance=one.dynamic_imbalance,
        phase=one.imbalance_phase, held_speed=held_speed,
        tachometer_step=one.tachometer_resolution, tachometer_gain=one.tachometer_gain,
        tachometer_bias=one.tachometer_bias, gimbaled=float(gimbaled),
    )  # fmt: skip
