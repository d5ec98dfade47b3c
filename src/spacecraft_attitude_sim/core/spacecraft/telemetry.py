# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Telemetry of actuators with states of their own: the measured and the true values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as of_internal
from spacecraft_attitude_sim.core.spacecraft.channels import Moment

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators.inputs import Inputs
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment import Environment
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft


class Joints(NamedTuple):
    """Wheels, gimbals, thrusters and hinged panels, in this order, (n,) each.

    positions: angles of wheels and gimbals in -π to π, and of panels [rad], 0 of thrusters
    speeds: of wheels, gimbals and panels relative to the body [rad/s], 0 of thrusters
    said: the same as measured: for wheels the tachometer readings
    efforts: motor torques of the wheels now, commanded torques of gimbals (0 where a rate is
        commanded) [N m]; mean forces of thrusters through the tick [N]; for panels
        internal_telemetry.hinge_torques [N m]
    """

    positions: Array
    speeds: Array
    said: Array
    efforts: Array


def joint_names(spacecraft: Spacecraft) -> list[str]:
    """Return the names of the joints, in the order of Joints."""
    driven = [name for parts in _jointed(spacecraft).values() for name in parts.names]
    return driven + of_internal.panel_names(spacecraft.internal)


def _jointed(spacecraft: Spacecraft) -> dict[str, Any]:
    """Return {kind: its parts} of the actuators that are joints."""
    return {
        kind: parts
        for kind, parts in spacecraft.kinds.items()
        if any(channel.joint for channel in parts.CHANNELS)
    }


class JointKinds(NamedTuple):
    """Indices of wheels, gimbals, thrusters and hinged panels among all joints."""

    wheels: slice
    gimbals: slice
    thrusters: slice
    panels: slice = slice(0)


def joint_kinds(spacecraft: Spacecraft) -> JointKinds:
    """Return the JointKinds of a spacecraft."""
    kinds = _jointed(spacecraft)
    counts = [len(kinds[kind].names) if kind in kinds else 0 for kind in JointKinds._fields[:-1]]
    counts.append(len(of_internal.panel_names(spacecraft.internal)))
    ends = np.cumsum(counts).tolist()
    return JointKinds(*(slice(end - n, end) for n, end in zip(counts, ends, strict=True)))


def joints(now: Moment) -> Joints:
    """Return the Joints at a Moment; the angles of ideal wheels, which are not known, are 0."""
    none, spacecraft = np.zeros(0), now.craft
    pieces = [Joints(none, none, none, none)]
    for kind, parts in _jointed(spacecraft).items():
        still = np.zeros(len(parts.names))
        own = {
            channel.joint: now.value(kind, channel.name)
            for channel in parts.CHANNELS
            if channel.joint
        }
        angles, speeds = own.get('position'), own.get('velocity', still)
        angles = still if angles is None else angles
        pieces.append(Joints(angles, speeds, own.get('said', speeds), own['effort']))
    if (parts := spacecraft.internal) and of_internal.panel_names(parts):
        moving, rows = now.motions, of_internal.panel_rows(parts)
        torques = of_internal.hinge_torques(parts, moving)
        rates = moving.rates[rows]
        pieces.append(Joints(moving.displacements[rows], rates, rates, torques[rows]))
    return Joints(*(np.concatenate(several) for several in zip(*pieces, strict=True)))


def part_of(spacecraft: Spacecraft, kind: str, state: State) -> Array:
    """Return the internal states of a kind of actuator, by its name in Assembly.layout."""
    assert spacecraft.assembly
    return state.internal[spacecraft.assembly.layout.of(kind)]


def torque_B(
    spacecraft: Spacecraft,
    environment: Environment,
    state: State,
    inputs: Inputs,
    time: float,
    step: float,
) -> Vector3:
    """Return the actuators' torque (3,) on the rest of a spacecraft with an assembly [N m].

    Body axes. Wheels: motor torques now, after lag and limits, without friction; 0 for a wheel
    that is held at its largest speed. Gyros: -h dγ/dt g × s, and the reaction of torques on the
    gimbals.
    Thrusters and magnetorquers: the commanded mean within limits, because their pulses may be over
    before the tick ends.

    inputs: Inputs of the tick that ended at `state`;  time: of `state`, since the start [s]
    """
    total_B = np.zeros(3)
    omega_B = spacecraft.angular_velocity_B(state)
    if wheels := spacecraft.wheels:
        own = part_of(spacecraft, 'wheels', state)
        speeds = wheels.speeds(own, omega_B)
        torques = wheels.motor_torques(own, speeds)
        held = (np.abs(speeds) >= wheels.speed_limits) & (torques * speeds > 0.0)
        total_B -= product(np.where(held, 0.0, torques), wheels.axes_B)
    if gyros := spacecraft.gyros:
        rotors, gimbals = (part_of(spacecraft, kind, state) for kind in ('rotors', 'gimbals'))
        turning = gyros.rotor_momenta(rotors, gimbals, omega_B) * gyros.rates(gimbals, omega_B)
        total_B -= product(turning, gyros.axes_now_B(gimbals)[1])
        axes_B = np.array([one.gimbal_axis_B for one in gyros.gyros])
        total_B -= product(gyros.torques(gimbals, inputs.gimbal_torque), axes_B)
    if (thrusters := spacecraft.thrusters) and inputs.thrust.size:
        arms = [np.cross(one.position_B, one.force_B) for one in thrusters.thrusters]
        used = np.clip(inputs.thrust / thrusters.max_forces, 0.0, 1.0)
        total_B += product(used, np.array(arms))
    if (rods := spacecraft.magnetorquers) and inputs.dipole.size:
        most, duty = rods.max_dipoles, min(1.0, rods.off_after / step)
        m_B = product(np.clip(inputs.dipole, -most, most), rods.axes_B) * duty
        q_BW = rotations.conjugate(state.q_WB)
        total_B += np.cross(m_B, rotations.rotate(q_BW, environment.magnetic_field_at(time)))
    return total_B


def dipole_B(spacecraft: Spacecraft, state: State) -> Vector3:
    """Return the sum (3,) of the magnetorquers' dipoles [A m^2], without the residual dipole."""
    assert spacecraft.magnetorquers
    return spacecraft.magnetorquers.dipole_B(part_of(spacecraft, 'magnetorquers', state))


def wheels_at_limits(spacecraft: Spacecraft, state: State) -> list[str]:
    """Return the names of the wheels that are at their largest speed."""
    wheels = spacecraft.wheels
    assert wheels
    fast = np.abs(spacecraft.wheel_speeds(state)) >= wheels.speed_limits
    return [name for name, at_limit in zip(wheels.names, fast, strict=True) if at_limit]
