# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Reaction wheels: their parameters and the ReactionWheels of core; by default ideal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    blame,
    data_sheet,
    xyz,
)
from spacecraft_attitude_sim.configuration.parts.named import (
    Given,
    figures_of,
    limit,
    numbers,
    of_each,
    refuse_beyond,
    signed,
    size,
    vector,
)
from spacecraft_attitude_sim.core.actuators.inputs import NOTHING
from spacecraft_attitude_sim.core.mathematics.checks import unit_axis

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.configuration.parts.named import AtStart
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
        ReactionWheels,
        WheelDynamics,
    )

# Largest speed and torque of a wheel [rad/s, N m], beyond any wheel that was built.
FASTEST_WHEEL, STRONGEST_MOTOR = 1e5, 1e6
# Longest dead time [s]; every tick of it needs one state.
LONGEST_DEAD_TIME = 10.0
LABEL = 'wheels'
NAMES = Parameter(
    'wheels', [], '',
    'Names of the reaction wheels. body.inertia includes them, with the wheels locked to the '
    'body.',
    str, length=(),
)  # fmt: skip
# Models with figures of data sheets, in config/actuators; docs/actuators.md gives their sources.
MODELS = (
    'bct_rwp015', 'honeywell_hr12_12', 'honeywell_hr12_25', 'honeywell_hr14_50',
    'honeywell_hr16_100', 'nanoavionics_rw0',
)  # fmt: skip
# Parameters of each of `wheels`, under wheel.<name>.
WHEEL = (
    data_sheet(
        'model', MODELS,
        'Data sheet that supplies the parameters you do not give; see actuators.md.',
    ),
    xyz(
        'axis', '', 1.1, 'Spin axis: unit vector in body axes.', (0.0, 0.0, 1.0), required=True,
    ),
    Parameter(
        'inertia', 1e-5, 'kg m^2',
        'Inertia of the rotor about its spin axis. body.inertia includes it.', low=1e-12, high=1e6,
        required=True,
    ),
    Parameter(
        'max_torque', STRONGEST_MOTOR, 'N m',
        'Largest torque of the motor. A larger command is reduced to it. 1e6, the largest value '
        'allowed, is no limit (an ideal wheel).', low=0.0, high=STRONGEST_MOTOR,
        required=True,
    ),
    Parameter(
        'initial_speed', 0.0, 'rad/s', 'Speed relative to the body at the start.',
        low=-FASTEST_WHEEL, high=FASTEST_WHEEL,
    ),
    Parameter(
        'torque', 0.0, 'N m',
        'Motor torque on the rotor from the start, until a command replaces it.',
        low=-STRONGEST_MOTOR, high=STRONGEST_MOTOR,
    ),
    Parameter(
        'speed', [], 'rad/s',
        'Wanted speed from the start, until a command replaces it. It needs speed_bandwidth. '
        'Empty: the wheel starts with `torque`.',
        length=(0, 1), low=-FASTEST_WHEEL, high=FASTEST_WHEEL,
    ),
    size(
        'max_speed', 'rad/s', FASTEST_WHEEL,
        'Largest speed relative to the body; the wheel never exceeds it. 0: no limit.',
    ),
    size(
        'max_power', 'W', 1e9,
        'Largest power of the motor while it accelerates the wheel. 0: no limit.',
    ),
    size(
        'supply_voltage', 'V', 1e6,
        'Supply voltage V. It limits the torque of an accelerating motor to k (V - k speed)/R, '
        'with torque_constant k and winding_resistance R. 0: no limit.',
    ),
    size('torque_constant', 'N m/A', 1e6, 'Torque constant k of the motor: torque per current.'),
    size('winding_resistance', 'ohm', 1e6, 'Resistance R of the motor winding.'),
    size('torque_lag', 's', 1e4, 'Time constant of the torque after a command.'),
    size(
        'dead_time', 's', LONGEST_DEAD_TIME,
        'Time from a command to its effect. It need not be a whole number of ticks.',
    ),
    size(
        'friction.viscous', 'N m s', 1e6,
        'Viscous friction of the bearing: torque per speed. friction.viscous × (1/inertia of the '
        'wheel + 1/inertia of the rest about its axis) is at most 205 per tick (6554/s at 32 '
        'Hz), and at most 0.25 per sub-step if you give substeps.',
    ),
    size(
        'friction.coulomb', 'N m', 1e6,
        'Coulomb friction of the bearing: a torque that does not depend on the speed.',
    ),
    size(
        'friction.static', 'N m', 1e6,
        'Torque that starts the wheel from rest (static friction). It is at least '
        'friction.coulomb. 0: equal to friction.coulomb.',
    ),
    size(
        'friction.stribeck_speed', 'rad/s', FASTEST_WHEEL,
        'Speed at which the difference between static and Coulomb friction has fallen to 1/e. 0: '
        'static friction acts only at rest.',
    ),
    size(
        'speed_bandwidth', 'rad/s', 1e5,
        'Bandwidth of the servo that follows a wanted speed. 0: no servo.',
    ),
    size(
        'imbalance.static', 'kg m', 1e3,
        'Static imbalance: mass times its distance from the spin axis.',
    ),
    size(
        'imbalance.dynamic', 'kg m^2', 1e3, 'Dynamic imbalance: product of inertia of the rotor.',
    ),
    signed(
        'imbalance.phase', 'rad', 10.0,
        'Angle from the static to the dynamic imbalance, about the spin axis.',
    ),
    xyz(
        'position', 'm', 1e6,
        'Centre of the wheel, in the design axes of the body. The force of the static imbalance '
        'acts here.',
    ),
    size(
        'tachometer.resolution', 'rad/s', FASTEST_WHEEL,
        'Step of the measured speed. 0: no steps.',
    ),
    Parameter(
        'tachometer.gain', 1.0, '',
        'Ratio of the measured speed to the true speed. The speed servo uses the measured speed.',
        low=-1e3, high=1e3,
    ),
    signed('tachometer.bias', 'rad/s', FASTEST_WHEEL, 'Measured speed of a wheel at rest.'),
)  # fmt: skip
PARAMETERS, NAMED = (NAMES,), (('wheels', 'wheel', WHEEL),)
# {parameter under wheel.<name>: its unit}: friction, imbalance and other optional effects.
SHOWN = {
    'max_speed': 'rad/s', 'max_power': 'W', 'supply_voltage': 'V', 'torque_lag': 's',
    'dead_time': 's', 'friction.viscous': 'N m s', 'friction.coulomb': 'N m',
    'friction.static': 'N m', 'speed_bandwidth': 'rad/s', 'imbalance.static': 'kg m',
    'imbalance.dynamic': 'kg m^2', 'tachometer.resolution': 'rad/s', 'tachometer.bias': 'rad/s',
}  # fmt: skip
of = of_each('wheels', 'wheel')
# {field of WheelDynamics: its parameter under wheel.<name>}
DYNAMICS = {
    'supply_voltage': 'supply_voltage', 'torque_constant': 'torque_constant',
    'winding_resistance': 'winding_resistance', 'torque_lag': 'torque_lag',
    'dead_time': 'dead_time', 'viscous': 'friction.viscous', 'coulomb': 'friction.coulomb',
    'static': 'friction.static', 'stribeck_speed': 'friction.stribeck_speed',
    'speed_bandwidth': 'speed_bandwidth', 'static_imbalance': 'imbalance.static',
    'dynamic_imbalance': 'imbalance.dynamic', 'imbalance_phase': 'imbalance.phase',
    'tachometer_resolution': 'tachometer.resolution', 'tachometer_gain': 'tachometer.gain',
    'tachometer_bias': 'tachometer.bias',
}  # fmt: skip


def part(given: Given) -> ReactionWheels:
    """Return the ReactionWheels.

    Raises ParameterError naming wheel, value and remedy.
    """
    values, center_of_mass, ticks = given
    names: tuple[str, ...] = tuple(values['wheels'])
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels

    dynamics = tuple(_dynamics(values, name, center_of_mass) for name in names)
    with blame('wheel.'):
        return ReactionWheels(
            names,
            np.array(of(values, 'axis')),
            np.array(of(values, 'inertia')),
            np.array(of(values, 'max_torque')),
            dynamics,
            ticks.step,
        )


def _dynamics(values: Mapping[str, Any], name: str, center_of_mass: Vector3) -> WheelDynamics:
    """Return the WheelDynamics of one wheel; ParameterError if its parameters conflict."""
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import WheelDynamics

    prefix = f'wheel.{name}'
    _check_motor(values, prefix)
    static, coulomb = (values[f'{prefix}.friction.{kind}'] for kind in ('static', 'coulomb'))
    if static and static < coulomb:
        raise ParameterError(
            f'{prefix}.friction.static is {static:g} N m, less than {prefix}.friction.coulomb, '
            f'{coulomb:g} N m; leave it out or give at least that'
        )
    fields = {field: values[f'{prefix}.{key}'] for field, key in DYNAMICS.items()}
    if values[f'{prefix}.imbalance.static']:  # without imbalance the position has no effect
        position_B = np.array(values[f'{prefix}.position']) - center_of_mass
        fields['position_B'] = tuple(position_B.tolist())
    for field in ('max_speed', 'max_power'):
        fields[field] = limit(values[f'{prefix}.{field}'])
    with blame(f'{prefix}.'):
        return WheelDynamics(**fields)


def _check_motor(values: Mapping[str, Any], prefix: str) -> None:
    """Raise ParameterError if an initial command or speed is beyond what the wheel can do."""
    torque, most = values[f'{prefix}.torque'], values[f'{prefix}.max_torque']
    if not abs(torque) <= most:
        raise ParameterError(
            f'{prefix}.torque is {torque:g} N m; {prefix}.max_torque is {most:g} N m: '
            'give no more than that'
        )
    refuse_beyond(values, prefix, 'initial_speed', 'max_speed', 'rad/s')
    if not (speed := values[f'{prefix}.speed']):
        return
    if not values[f'{prefix}.speed_bandwidth']:
        raise ParameterError(
            f'{prefix}.speed is {speed[0]:g} rad/s, and {prefix}.speed_bandwidth is 0: nothing '
            'follows a speed; give that, too'
        )
    if torque:
        raise ParameterError(
            f'{prefix}.torque is {torque:g} N m and {prefix}.speed {speed[0]:g} rad/s; leave one '
            'of them out'
        )
    refuse_beyond(values, prefix, 'speed', 'max_speed', 'rad/s')


def commands(values: Mapping[str, Any]) -> dict[str, Array]:
    """Return the parts of Inputs that apply from the start; speeds only with a servo."""
    speeds = NOTHING
    if any(of(values, 'speed_bandwidth')):
        speeds = np.array([speed[0] if speed else math.nan for speed in of(values, 'speed')])
    return {'wheel_torque': np.array(of(values, 'torque'), dtype=float), 'wheel_speed': speeds}


def lines(wheels: ReactionWheels, start: AtStart) -> Iterator[str]:
    """Yield the lines of the text summary."""
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import IDEAL

    values, spacecraft, state = start
    speeds = spacecraft.wheel_speeds(state)
    for name, axis_B, inertia, most, speed, own in zip(
        wheels.names, wheels.axes_B, wheels.inertias, wheels.torque_limits, speeds, wheels.each,
        strict=True,
    ):  # fmt: skip
        yield (
            f'{name}: spin axis {vector(axis_B)}, {round(speed, 9) + 0.0:.6g} rad/s relative to '
            f'the body, inertia {inertia:.6g} kg m^2, largest torque {most:.6g} N m'
            f'{", ideal" if own == IDEAL else ""}{figures_of(values, f"wheel.{name}")}'
        )
        said = numbers(values, f'wheel.{name}', SHOWN)
        if gain := values[f'wheel.{name}.tachometer.gain'] - 1.0:
            said.append(f'tachometer.gain {1.0 + gain:g}')
        if said:
            yield f'  {", ".join(said)}'
    stored_B = wheels.momentum_B(spacecraft.states_of('wheels', state))
    yield f'angular momentum in the wheels {vector(stored_B)} N m s, body axes'
    slow = [name for name in wheels.names if not values[f'wheel.{name}.speed_bandwidth']]
    if slow and any(of(values, 'speed_bandwidth')):
        yield f'{", ".join(slow)}: no speed_bandwidth, so you can command torque only, not speed'


def fields_of(values: Mapping[str, Any], fields: Sequence[str]) -> list[list[Any]]:
    """Return each field of all wheels that a controller or guidance knows.

    Raises ParameterError for an axis that is no unit vector.
    """
    for name in values['wheels']:
        with blame(f'wheel.{name}.'):
            unit_axis('axis', values[f'wheel.{name}.axis'])
    return [[values[f'wheel.{name}.{field}'] for name in values['wheels']] for field in fields]
