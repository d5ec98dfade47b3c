# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Telemetry of actuators with states of their own: the measured and the true values."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.part import Commanded
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as of_internal
from spacecraft_attitude_sim.core.spacecraft.channels import Moment

if TYPE_CHECKING:
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
        for kind, parts in spacecraft.groups.items()
        if _joint_channels(parts.__class__)
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
    spacecraft, pieces = now.craft, list[Joints]()
    for kind, parts in spacecraft.groups.items():
        names = _joint_channels(parts.__class__)
        if not names:
            continue
        still = np.zeros(len(parts.names))
        own = {joint: now.value(kind, name) for joint, name in names}
        angles, speeds = own.get('position'), own.get('velocity', still)
        angles = still if angles is None else angles
        pieces.append(Joints(angles, speeds, own.get('said', speeds), own['effort']))
    if (parts := spacecraft.internal) and of_internal.panel_names(parts):
        moving, rows = now.motions, of_internal.panel_rows(parts)
        torques = of_internal.hinge_torques(parts, moving)
        rates = moving.rates[rows]
        pieces.append(Joints(moving.displacements[rows], rates, rates, torques[rows]))
    if len(pieces) == 1:
        return pieces[0]
    none = np.zeros(0)
    pieces.append(Joints(none, none, none, none))
    return Joints(*(np.concatenate(several) for several in zip(*pieces, strict=True)))


@cache
def _joint_channels(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    """Return (field of joint_states, name) of each channel that a joint of a class tells."""
    return tuple((channel.joint, channel.name) for channel in kind.CHANNELS if channel.joint)


def torque_B(now: Moment, environment: Environment, time: float, step: float) -> Vector3:
    """Return the parts' torque (3,) on the rest of a coupled spacecraft [N m], body axes.

    That of their commands after lag and limits, see Part.add_torque_B.

    now: of the end of a tick of this length `step` [s];  time: since the start [s]
    """

    def field_B() -> Vector3:
        q_BW = rotations.conjugate(now.state.q_WB)
        return rotations.rotate(q_BW, environment.magnetic_field_at(time))

    own = now.craft.own(now.state.internal)
    commanded = Commanded(own, now.inputs, now.omega_B, field_B, step, now.value)
    total_B = np.zeros(3)
    for part in now.craft.parts:
        total_B = part.add_torque_B(total_B, commanded)
    return total_B


def dipole_B(spacecraft: Spacecraft, state: State) -> Vector3:
    """Return the sum (3,) of the magnetorquers' dipoles [A m^2], without the residual dipole."""
    rods = spacecraft.part('magnetorquers')
    dipole: Vector3 = rods.dipole_B(spacecraft.states_of('magnetorquers', state))
    return dipole


def wheels_at_limits(spacecraft: Spacecraft, state: State) -> list[str]:
    """Return the names of the wheels that are at their largest speed."""
    wheels = spacecraft.part('reaction_wheels')
    fast = np.abs(spacecraft.wheel_speeds(state)) >= wheels.speed_limits
    return [name for name, at_limit in zip(wheels.names, fast, strict=True) if at_limit]
