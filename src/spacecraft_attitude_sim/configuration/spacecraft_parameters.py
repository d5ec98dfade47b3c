# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of what makes a body a spacecraft: its wheels and its orbit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, blame, xyz
from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH, CircularOrbit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels


# Largest of a wheel's numbers [rad/s, N m]: beyond any that has been built.
FASTEST_WHEEL, STRONGEST_MOTOR = 1e5, 1e6
SPACECRAFT = (
    Parameter(
        'wheels', [], '',
        'Names of the reaction wheels. body.inertia is of the whole spacecraft, wheels locked.',
        str, length=(),
    ),
    Parameter(
        'orbit.radius', 0.0, 'm',
        'Radius of a circular orbit, of which world is the freely falling point and the axes do '
        'not turn: then the gravity gradient acts; 0 is no orbit.', low=0.0, high=1e12,
    ),
    xyz(
        'orbit.normal', '', 1e3,
        'Normal of the orbit, world, about which it is gone round counterclockwise; any length.',
        (0.0, 0.0, 1.0),
    ),
    xyz(
        'orbit.start', '', 1e3,
        "Direction from the planet to the spacecraft at the start, world; its part in the orbit's "
        'plane counts.', (1.0, 0.0, 0.0),
    ),
    Parameter(
        'orbit.gravitational_parameter', EARTH, 'm^3/s^2',
        "G times the planet's mass; default the Earth's.", low=1.0, high=1e25,
    ),
)  # fmt: skip
# Each of `wheels` is described by these, under wheel.<name>.
WHEEL = (
    xyz('axis', '', 1.1, 'Spin axis: unit vector in body axes.', (0.0, 0.0, 1.0)),
    Parameter(
        'inertia', 1e-5, 'kg m^2',
        'Inertia of the rotor about its spin axis; part of body.inertia.', low=1e-12, high=1e6,
    ),
    Parameter(
        'max_torque', STRONGEST_MOTOR, 'N m',
        'Largest torque of the motor; a command for more is brought to it.',
        low=0.0, high=STRONGEST_MOTOR,
    ),
    Parameter(
        'initial_speed', 0.0, 'rad/s', 'Speed relative to the body at the start.',
        low=-FASTEST_WHEEL, high=FASTEST_WHEEL,
    ),
    Parameter(
        'torque', 0.0, 'N m',
        'Torque of the motor on the rotor from the start on, until a command takes its place.',
        low=-STRONGEST_MOTOR, high=STRONGEST_MOTOR,
    ),
)  # fmt: skip


def reaction_wheels(values: Mapping[str, Any]) -> ReactionWheels | None:
    """Return the ReactionWheels of checked parameters, or None without any.

    Raises ParameterError naming wheel, value and remedy.
    """
    names: tuple[str, ...] = tuple(values['wheels'])
    if not names:
        return None
    from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels

    if len(set(names)) < len(names):
        raise ParameterError(f'wheels are {list(names)}; give each a name of its own')
    for name in names:
        torque, most = values[f'wheel.{name}.torque'], values[f'wheel.{name}.max_torque']
        if not abs(torque) <= most:
            raise ParameterError(
                f'wheel.{name}.torque is {torque:g} N m; wheel.{name}.max_torque is {most:g} N m: '
                'give no more than that'
            )
    with blame('wheel.'):
        return ReactionWheels(
            names,
            np.array(of_wheels(values, 'axis')),
            np.array(of_wheels(values, 'inertia')),
            np.array(of_wheels(values, 'max_torque')),
        )


def of_wheels(values: Mapping[str, Any], field: str) -> list[Any]:
    """Return a parameter of every wheel, in their order."""
    return [values[f'wheel.{name}.{field}'] for name in values['wheels']]


def circular_orbit(values: Mapping[str, Any]) -> CircularOrbit | None:
    """Return the CircularOrbit of checked parameters, or None without one.

    Raises ParameterError naming key, value and remedy.
    """
    if not values['orbit.radius']:
        return None
    with blame('orbit.'):
        return CircularOrbit(
            values['orbit.radius'],
            np.array(values['orbit.normal']),
            np.array(values['orbit.start']),
            values['orbit.gravitational_parameter'],
        )
