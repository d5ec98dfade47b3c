# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Control moment gyros: the parameters of their gimbals, and the ControlMomentGyros of core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.actuators.named import (
    limit,
    of_each,
    refuse_beyond,
    signed,
    size,
)
from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.actuators.control_moment_gyros import ControlMomentGyros

NAMES = Parameter(
    'gimbals', [], '',
    'Names of the gimbals of single-gimbal control moment gyros, of which body.inertia has rotors '
    'and gimbals as they stand at the start.', str, length=(),
)  # fmt: skip
# Each of `gimbals` is described by these, under gimbal.<name>.
GIMBAL = (
    xyz('axis', '', 1.1, 'Axis of the gimbal: unit vector in body axes.', (0.0, 0.0, 1.0)),
    xyz(
        'spin_axis', '', 1.1,
        'Spin axis of the rotor at gimbal angle 0: unit vector in body axes, at right angles to '
        'axis.', (1.0, 0.0, 0.0),
    ),
    Parameter(
        'rotor_inertia', 1e-4, 'kg m^2',
        'Inertia of the rotor about its spin axis; part of body.inertia.', low=1e-12, high=1e6,
    ),
    signed('rotor_speed', 'rad/s', 1e5, 'Speed of the rotor relative to the gimbal at the start.'),
    Parameter(
        'free_rotor', False, '',
        'The rotor turns freely; else its motor keeps rotor_speed.', bool,
    ),
    Parameter(
        'inertias', [1e-6, 1e-6, 1e-6], 'kg m^2',
        'Inertia of rotor and gimbal, less rotor_inertia, about spin axis, axis × spin axis and '
        'axis; part of body.inertia.', length=(3,), low=1e-12, high=1e6,
    ),
    size('max_rate', 'rad/s', 1e4, 'Largest rate of the gimbal by command; 0 is no limit.'),
    size(
        'max_acceleration', 'rad/s^2', 1e9,
        'Acceleration with which it goes to a rate; 0 is no limit.',
    ),
    size('max_torque', 'N m', 1e6, 'Largest torque by command; 0 is no limit.'),
    signed('angle', 'rad', 10.0, 'Angle of the gimbal at the start, about its axis.'),
    signed(
        'rate', 'rad/s', 1e4, 'Rate from the start on, until a command takes its place.',
    ),
)  # fmt: skip
of = of_each('gimbals', 'gimbal')


def control_moment_gyros(values: Mapping[str, Any]) -> ControlMomentGyros | None:
    """Return the ControlMomentGyros of checked parameters, or None without any.

    Raises ParameterError naming gimbal, value and remedy.
    """
    names: tuple[str, ...] = tuple(values['gimbals'])
    if not names:
        return None
    from spacecraft_attitude_sim.core.actuators.control_moment_gyros import (
        ControlMomentGyro,
        ControlMomentGyros,
    )

    gyros = []
    for name in names:
        prefix = f'gimbal.{name}'
        refuse_beyond(values, prefix, 'rate', 'max_rate', 'rad/s')
        own = {one.name: values[f'{prefix}.{one.name}'] for one in GIMBAL}
        with blame(f'{prefix}.'):
            gyros.append(
                ControlMomentGyro(
                    own['axis'], own['spin_axis'], own['rotor_inertia'], own['rotor_speed'],
                    own['free_rotor'], own['inertias'], limit(own['max_rate']),
                    limit(own['max_acceleration']), limit(own['max_torque']), own['angle'],
                )
            )  # fmt: skip
    return ControlMomentGyros(names, tuple(gyros))
