# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Table columns of actuators: wheels, gimbals, thrusters and magnetorquers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.spacecraft import telemetry

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation import Instant, Spacecraft


def columns(spacecraft: Spacecraft | None) -> tuple[str, ...]:
    """Return the column names of `row`, with units."""
    if spacecraft is None:
        return ()
    craft = spacecraft
    kinds = (
        ('wheel', craft.wheels, ('speed [rad/s]', 'torque [N m]')),
        ('gimbal', craft.gyros, ('angle [rad]', 'rate [rad/s]')),
        ('thruster', craft.thrusters, ('force [N]', 'propellant [kg]')),
        ('magnetorquer', craft.magnetorquers, ('dipole [A m^2]',)),
    )
    return tuple(
        f'{kind}.{name}.{what}'
        for kind, actuators, several in kinds
        if actuators
        for name in actuators.names
        for what in several
    )


def row(spacecraft: Spacecraft, instant: Instant) -> tuple[float, ...]:
    """Return the actuators' true speeds and present torques and forces at an Instant."""
    state = instant.state
    if not spacecraft.assembly:
        wheels, torques = spacecraft.wheels, instant.inputs.wheel_torque
        if wheels is None:
            return ()
        torques = torques if torques.size else np.zeros(wheels.number)
        return _side_by_side(spacecraft.wheel_speeds(state), torques)
    joints = telemetry.joints(spacecraft, state, instant.inputs, instant.drive)
    kinds, found = telemetry.joint_kinds(spacecraft), list[float]()
    found += _side_by_side(joints.speeds[kinds.wheels], joints.efforts[kinds.wheels])
    found += _side_by_side(joints.positions[kinds.gimbals], joints.speeds[kinds.gimbals])
    if thrusters := spacecraft.thrusters:
        own_states = telemetry.part_of(spacecraft, 'thrusters', state)
        found += _side_by_side(thrusters.forces(own_states), thrusters.used(own_states))
    if spacecraft.magnetorquers:
        found += telemetry.part_of(spacecraft, 'magnetorquers', state).tolist()
    return tuple(found)


def _side_by_side(*several: Array) -> tuple[float, ...]:
    """Return several quantities (N,) interleaved, so that each actuator's values are together."""
    return tuple(np.column_stack(several).ravel().tolist())
