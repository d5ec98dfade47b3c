# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Names of the results in the table of a campaign: those that mean something for its scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import attitude_controller
from spacecraft_attitude_sim.core.control.attitude_loop import POINTINGS
from spacecraft_attitude_sim.core.studies.flight_merits import INDICES

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario

# Merits, and their labels in what is printed and drawn; those that matter most come first.
WORDS = {
    'pointing_time': 'time to point [s]',
    'pointing_rms': 'pointing error, rms [deg]',
    'largest_wheel_speed': 'largest wheel speed [rad/s]',
    'settling_time': 'settling time [s]',
    'final_rate': 'final rate [rad/s]',
    'flips': 'flips',
    'torque_impulse': 'torque impulse [N m s]',
    'propellant': 'propellant [kg]',
    'largest_pointing_error': 'pointing error, largest [deg]',
    'final_pointing_error': 'pointing error, final [deg]',
    'final_wheel_speed': 'final wheel speed [rad/s]',
    'final_wheel_momentum': 'final wheel momentum [N m s]',
    'torque_saturation': 'torque saturated [share]',
    'speed_saturation': 'wheels at limit [share]',
    'largest_torque': 'largest torque [N m]',
    'thruster_pulses': 'thruster pulses',
    'motor_work': 'work of motors [J]',
    'friction_heat': 'heat of friction [J]',
    'largest_rate': 'largest rate [rad/s]',
    'momentum_drift': 'change of L, relative',
    'energy_drift': 'change of energy, relative',
}
# What is told in degrees; the table has radians, as everywhere.
IN_DEGREES = {'pointing_rms', 'largest_pointing_error', 'final_pointing_error'}
# Of every run.
MOTION = ('final_rate', 'largest_rate', 'settling_time', 'momentum_drift', 'energy_drift')
POINTING = ('final_pointing_error', 'pointing_rms', 'largest_pointing_error', 'pointing_time')
TORQUE = ('largest_torque', 'torque_impulse', 'torque_saturation')
STATE_COLUMNS = (
    *(f'final.position[{k}]' for k in range(3)),
    *(f'final.attitude[{k}]' for k in range(4)),
    *(f'final.momentum[{k}]' for k in range(3)),
    *(f'final.angular_momentum[{k}]' for k in range(3)),
)
# L / |L| in body axes at the end: which way round the body turns.
DIRECTION_COLUMNS = tuple(f'final_direction[{k}]' for k in range(3))


def results_of(found: Scenario, in_python: bool = False) -> tuple[str, ...]:
    """Return the names of the results of a spacecraft, own merits left out.

    in_python: whether a controller of python_flight commands it
    """
    return (*merits_of(found, in_python), *STATE_COLUMNS, *DIRECTION_COLUMNS)


def merits_of(found: Scenario, in_python: bool = False) -> tuple[str, ...]:
    """Return the names of the merits that mean something for a spacecraft; as of results_of."""
    control = (*POINTING, *TORQUE) if in_python else _of_control(found)
    return (*MOTION, *control, *_of_wheels(found), *_of_actuators(found))


def _of_control(found: Scenario) -> tuple[str, ...]:
    if not found.controller:
        return ('flips',)
    points = attitude_controller.settings(found.controller).modes & {*POINTINGS}
    return (*(POINTING if points else ()), *TORQUE)


def _of_wheels(found: Scenario) -> tuple[str, ...]:
    craft = found.plant.spacecraft
    if not (wheels := craft.part('reaction_wheels')):
        return ()
    if not craft.coupled:  # ideal ones, which a law of a batch does not see
        return ('final_wheel_speed', 'final_wheel_momentum')
    limited = np.isfinite(wheels.speed_limits).any()
    return (
        'final_wheel_speed', 'largest_wheel_speed', 'final_wheel_momentum',
        *(('speed_saturation',) if limited else ()),
    )  # fmt: skip


def _of_actuators(found: Scenario) -> tuple[str, ...]:
    craft, names = found.plant.spacecraft, list[str]()
    if not craft.coupled:
        return ()
    if jets := craft.part('thrusters'):
        if any(one.specific_impulse for one in jets.thrusters):
            names.append('propellant')
        names.append('thruster_pulses')
    if craft.turning:
        names.append('motor_work')
    if craft.internal or any(part.rubs for part in craft.parts):
        names.append('friction_heat')
    return tuple(names)


def label(name: str) -> str:
    """Return what a column is called where it is printed or drawn."""
    return f'{name} [deg]' if name in INDICES else WORDS.get(name, name)


def shown(name: str, values: Any) -> Any:
    """Return the values of a column in the unit of its label."""
    return np.degrees(values) if name in IN_DEGREES or name in INDICES else values
