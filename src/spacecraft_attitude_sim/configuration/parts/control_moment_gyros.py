# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Control moment gyros: the parameters of their gimbals, and the ControlMomentGyros of core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import (
    Given,
    limit,
    most,
    of_each,
    refuse_beyond,
    refuse_twice,
    signed,
    size,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.configuration.parts.named import AtStart
    from spacecraft_attitude_sim.core.control.gimbal_steering import Steering
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyros,
    )

LABEL = 'gimbals'
NAMES = Parameter(
    'gimbals', [], '',
    'Names of the gimbals of single-gimbal control moment gyros. body.inertia includes their '
    'rotors and gimbals at the angles of the start.', str, length=(),
)  # fmt: skip
# Parameters of each of `gimbals`, under gimbal.<name>.
GIMBAL = (
    xyz(
        'axis', '', 1.1, 'Axis of the gimbal: unit vector in body axes.', (0.0, 0.0, 1.0),
        required=True,
    ),
    xyz(
        'spin_axis', '', 1.1,
        'Spin axis of the rotor at gimbal angle 0: unit vector in body axes, perpendicular to '
        'axis.', (1.0, 0.0, 0.0), required=True,
    ),
    Parameter(
        'rotor_inertia', 1e-4, 'kg m^2',
        'Inertia of the rotor about its spin axis. body.inertia includes it.', low=1e-12, high=1e6,
        required=True,
    ),
    signed('rotor_speed', 'rad/s', 1e5, 'Speed of the rotor relative to the gimbal at the start.'),
    Parameter(
        'free_rotor', False, '',
        'The rotor has no motor and its speed can change. If false, a motor keeps rotor_speed.',
        bool,
    ),
    Parameter(
        'inertias', [1e-6, 1e-6, 1e-6], 'kg m^2',
        'Inertia of rotor and gimbal without rotor_inertia, about the spin axis, axis × spin '
        'axis, and axis. body.inertia includes it.',
        length=(3,), low=1e-12, high=1e6, required=True,
    ),
    size('max_rate', 'rad/s', 1e4, 'Largest commanded rate of the gimbal. 0: no limit.'),
    size(
        'max_acceleration', 'rad/s^2', 1e9,
        'Acceleration to a commanded rate. 0: no limit.',
    ),
    size('max_torque', 'N m', 1e6, 'Largest commanded torque. 0: no limit.'),
    signed('angle', 'rad', 10.0, 'Angle of the gimbal at the start, about its axis.'),
    signed(
        'rate', 'rad/s', 1e4, 'Gimbal rate from the start, until a command replaces it.',
    ),
)  # fmt: skip
PARAMETERS, NAMED = (NAMES,), (('gimbals', 'gimbal', GIMBAL),)
of = of_each('gimbals', 'gimbal')
LIMITS = {'max_rate', 'max_acceleration', 'max_torque'}
# The parameters of a gimbal that a steering controller needs.
STEERED = tuple(
    parameter
    for parameter in GIMBAL
    if parameter.name in ('axis', 'spin_axis', 'rotor_inertia', 'rotor_speed', 'max_rate')
)


def part(given: Given) -> ControlMomentGyros:
    """Return the ControlMomentGyros.

    Raises ParameterError naming gimbal, value and remedy.
    """
    values = given.values
    names: tuple[str, ...] = tuple(values['gimbals'])
    for name in names:
        refuse_beyond(values, f'gimbal.{name}', 'rate', 'max_rate', 'rad/s')
    return _of_fields(
        values, names, [parameter.name for parameter in GIMBAL if parameter.name != 'rate']
    )


def steering(values: Mapping[str, Any], gyroscopic: bool) -> Steering | None:
    """Return the Steering from a controller's checked parameters, or None without gimbals.

    gyroscopic: see Steering
    Raises ParameterError naming gimbal, value and remedy.
    """
    names: tuple[str, ...] = tuple(values['gimbals'])
    if not names:
        return None
    from spacecraft_attitude_sim.core.control.gimbal_steering import Steering

    refuse_twice(values, 'gimbals')
    for name in names:
        if not values[f'gimbal.{name}.rotor_speed']:
            raise ParameterError(
                f'gimbal.{name}.rotor_speed is 0 rad/s: turning a rotor that rests gives no '
                'torque; give the speed that it has'
            )
    return Steering(
        _of_fields(values, names, [parameter.name for parameter in STEERED]), gyroscopic
    )


def _of_fields(
    values: Mapping[str, Any], names: tuple[str, ...], fields: Sequence[str]
) -> ControlMomentGyros:
    """Return ControlMomentGyros with these fields set; the others keep their defaults."""
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyro,
        ControlMomentGyros,
    )

    gyros = []
    for name in names:
        prefix = f'gimbal.{name}'
        own = {field: values[f'{prefix}.{field}'] for field in fields}
        own |= {field: limit(own[field]) for field in LIMITS & own.keys()}
        with blame(f'{prefix}.'):
            gyros.append(ControlMomentGyro(own.pop('axis'), own.pop('spin_axis'), **own))
    return ControlMomentGyros(names, tuple(gyros))


def commands(values: Mapping[str, Any]) -> dict[str, Array]:
    """Return the parts of Inputs that apply from the start."""
    return {'gimbal_rate': np.array(of(values, 'rate'), dtype=float)}


def lines(gyros: ControlMomentGyros, start: AtStart) -> Iterator[str]:  # noqa: ARG001
    """Yield the lines of the text summary."""
    for name, gyro in zip(gyros.names, gyros.gyros, strict=True):
        rotor = gyro.rotor_inertia * gyro.rotor_speed
        kept = 'free rotor' if gyro.free_rotor else 'a motor keeps its speed'
        yield (
            f'{name}: rotor of {rotor:.6g} N m s, {kept}; spin axis {vector(gyro.spin_axis_B)} '
            f'at angle 0; angle at the start {gyro.angle:.6g} rad'
        )
        yield (
            f'  gimbal axis {vector(gyro.gimbal_axis_B)}, {most("rate", gyro.max_rate, "rad/s")}, '
            f'{most("acceleration", gyro.max_acceleration, "rad/s^2")}, '
            f'{most("torque", gyro.max_torque, "N m")}'
        )
