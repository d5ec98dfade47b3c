# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Actuator parameters of a scenario, and the actuators of core made from them.

Each kind of actuator has a module. It holds the parameters, one set per named actuator, and a
function that converts their values to the type of core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration.actuators import (
    gimbals,
    magnetorquers,
    thrusters,
    wheels,
)
from spacecraft_attitude_sim.configuration.actuators.named import refuse_twice
from spacecraft_attitude_sim.configuration.parameter import prefixes_of
from spacecraft_attitude_sim.core.actuators import Inputs, inputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyros,
    )
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thrusters
    from spacecraft_attitude_sim.core.ticks import Ticks

# Parameters that name the actuators, or that apply to all of one kind.
ACTUATORS = (
    wheels.NAMES, gimbals.NAMES, thrusters.NAMES, magnetorquers.NAMES, *magnetorquers.OF_ALL,
)  # fmt: skip
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (
    ('wheels', 'wheel', wheels.WHEEL),
    ('gimbals', 'gimbal', gimbals.GIMBAL),
    ('thrusters', 'thruster', thrusters.THRUSTER),
    ('magnetorquers', 'magnetorquer', magnetorquers.MAGNETORQUER),
)
# Prefixes of all parameters that actuators use.
PREFIXES = (*prefixes_of(ACTUATORS, NAMED), 'seed')
# {topic of commands: the parameter that names the actuators that take them}
COMMANDED = {one.topic: kind for kind, one in inputs.COMMANDED.items()}


class Actuators(NamedTuple):
    """The actuators of a spacecraft; a kind that it does not have is None."""

    wheels: ReactionWheels | None
    gyros: ControlMomentGyros | None
    thrusters: Thrusters | None
    magnetorquers: Magnetorquers | None


def actuators(values: Mapping[str, Any], center_of_mass: Vector3, ticks: Ticks) -> Actuators:
    """Return the Actuators from checked parameters.

    center_of_mass: (3,) in design axes [m];  ticks: Ticks of the run
    Raises ParameterError naming key, value and remedy.
    """
    refuse_twice(values, 'wheels', 'gimbals', 'thrusters')  # all are joints in joint_states
    refuse_twice(values, 'magnetorquers')
    return Actuators(
        wheels.reaction_wheels(values, center_of_mass, ticks),
        gimbals.control_moment_gyros(values),
        thrusters.thrusters(values, center_of_mass, ticks),
        magnetorquers.magnetorquers(values, ticks),
    )


def initial_inputs(values: Mapping[str, Any]) -> Inputs:
    """Return the Inputs that apply from the start until a command arrives."""
    return Inputs(
        wheel_torque=np.array(wheels.of(values, 'torque'), dtype=float),
        wheel_speed=wheels.initial_speed_commands(values),
        gimbal_rate=np.array(gimbals.of(values, 'rate'), dtype=float),
        thrust=np.array(thrusters.of(values, 'force'), dtype=float),
        dipole=np.array(magnetorquers.of(values, 'dipole'), dtype=float),
    )
