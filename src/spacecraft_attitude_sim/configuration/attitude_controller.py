# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node attitude_controller: their checks and conversion to types of core."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import (
    aboard,
    earth_parameters,
    earth_surroundings,
    parameters,
)
from spacecraft_attitude_sim.configuration.body_parameters import inertia_of
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    asked_for,
    attitude,
    blame,
    unit_quaternion,
    xyz,
)
from spacecraft_attitude_sim.configuration.parts import control_moment_gyros as gimbals
from spacecraft_attitude_sim.configuration.parts import reaction_wheels as wheels
from spacecraft_attitude_sim.configuration.parts.named import catalogued, refuse_twice
from spacecraft_attitude_sim.core.control import attitude_loop, control_law, pointing_frames
from spacecraft_attitude_sim.core.control.command_delay import CommandDelay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.control.allocation import Allocation
    from spacecraft_attitude_sim.core.control.magnetic_control import MagneticGains
    from spacecraft_attitude_sim.core.control.magnetic_loop import MagneticLoop
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.mathematics.types import Array

NAME = aboard.CONTROLLER
# The orbit as the controller knows it; same names and meanings as the simulator's parameters.
EPHEMERIS = earth_parameters.EPHEMERIS
# Whether it points at what attitude_guidance says, and has the mode of mission_modes.
GUIDED, MISSION = aboard.GUIDED, aboard.FOLLOWS
# Longest controller_delay [s]; a compiled flight keeps the commands of it.
LONGEST_DELAY = 10.0
FROM_BANDWIDTH, GIVEN = GAINS = ('from_bandwidth', 'given')
PARAMETERS = (
    Parameter(
        'mode', attitude_loop.POINTING, '',
        'Control mode. pointing: point at the reference, also at one that moves. nadir_pointing, '
        'sun_pointing: point at a computed reference. rate_damping: stop the rotation. '
        'detumbling: stop it with magnetic dipoles (B-dot). idle: no torque.',
        str, choices=attitude_loop.MODES, read_only=False,
    ),
    Parameter(
        'inertia', [62.2e-6, 171.5e-6, 210.5e-6], 'kg m^2',
        'Inertia about the centre of mass that the controller uses, body axes: Ixx, Iyy, Izz, or '
        'Ixx, Iyy, Izz, Ixy, Ixz, Iyz.',
        length=(3, 6), low=-1e12, high=1e12, read_only=False,
    ),
    Parameter(
        'gains', FROM_BANDWIDTH, '',
        'from_bandwidth: compute the gains from inertia, bandwidth and damping_ratio. given: use '
        'attitude_gain and rate_gain.',
        str, choices=GAINS, read_only=False,
    ),
    Parameter(
        'bandwidth', 0.2, 'rad/s', 'Natural frequency of the closed loop for small errors.',
        low=1e-6, high=10.0, read_only=False,
    ),
    Parameter(
        'damping_ratio', 0.8, '', 'Damping ratio of the closed loop for small errors.',
        low=0.01, high=100.0, read_only=False,
    ),
    Parameter(
        'attitude_gain', [1e-5, 1e-5, 1e-5], 'N m/rad',
        'Proportional gain of each axis: torque per small error angle. Used with gains given.',
        length=(3,), low=0.0, high=1e9, read_only=False,
    ),
    Parameter(
        'rate_gain', [1e-4, 1e-4, 1e-4], 'N m s/rad',
        'Derivative gain of each axis: torque per angular rate, against the rate. Used with '
        'gains given.',
        length=(3,), low=1e-12, high=1e9, read_only=False,
    ),
    Parameter(
        'integral_time', 0.0, 's',
        'Time in which the integral takes up as much torque as a steady error has: the integral '
        'gain of each axis is its proportional gain over it. 0: no integral.',
        low=0.0, high=1e9, read_only=False,
    ),
    Parameter(
        'integral_limit', 0.05, 'rad',
        'Largest steady error that the integral takes up, about each axis: it gives at most the '
        'torque that this error gives, and does not grow while the error is larger.',
        low=0.0, high=3.0, read_only=False,
    ),
    Parameter(
        'gyroscopic_compensation', True, '', 'Whether the torque includes omega x I omega.',
        bool, read_only=False,
    ),
    Parameter(
        'gradient_compensation', False, '',
        'Whether the torque of the pointing modes cancels that of the gravity gradient on '
        '`inertia`. It needs the orbit.', bool,
    ),
    Parameter(
        'torque_limit', [1e-3, 1e-3, 1e-3], 'N m',
        'Largest torque about each body axis. A larger torque is scaled down and keeps its '
        'direction.',
        length=(3,), low=0.0, high=1e9, read_only=False,
    ),
    Parameter(
        'slew_rate_limit', 0.0, 'rad/s',
        'Largest angular rate of a slew to the reference. 0: the largest rate from which '
        'torque_limit can stop the body in time.',
        low=0.0, high=1e4, read_only=False,
    ),
    Parameter(
        GUIDED, False, '',
        'Whether the pointing modes follow reference/odometry and reference/acceleration of '
        'attitude_guidance in place of their own reference. IMU data wait for that of their time.',
        bool,
    ),
    Parameter(
        MISSION, False, '',
        'Whether mission/command of mission_modes says the mode, in place of mode and schedule. '
        'IMU data wait for that of their time. Then it publishes control/error, too.', bool,
    ),
    attitude(
        'reference.attitude',
        'Reference attitude until one arrives by topic: unit quaternion w, x, y, z, from '
        'reference to world axes.', read_only=False,
    ),
    xyz(
        'reference.angular_velocity', 'rad/s', 1e4,
        'Angular velocity of reference.attitude, in its own axes. The reference turns from the '
        'moment at which the controller takes it.',
        read_only=False,
    ),
    attitude(
        'reference.nadir',
        'Attitude in nadir_pointing: unit quaternion w, x, y, z, from reference axes to these: x '
        'along the flight, y against the orbit normal, z to the nadir.', read_only=False,
    ),
    attitude(
        'reference.sun',
        'Attitude in sun_pointing: unit quaternion w, x, y, z, from reference axes to these: z '
        'to the Sun, y perpendicular to the Sun and to the pole.', read_only=False,
    ),
    Parameter(
        'schedule.times', [], 's',
        'Times of the data, in order, at which the controller changes to the modes of '
        'schedule.modes.', length=(), low=0.0, high=9e6,
    ),
    Parameter(
        'schedule.modes', [], '',
        'Mode from each of schedule.times on; the values are those of mode.', str, length=(),
    ),
    Parameter(
        'dipole_limit', [0.0, 0.0, 0.0], 'A m^2',
        'Largest dipole about each body axis. The controller publishes it on command/dipole for '
        'each imu/mag. A larger dipole is scaled down and keeps its direction. Zeros: it '
        'commands no dipole.',
        length=(3,), low=0.0, high=1e9,
    ),
    Parameter(
        'b_dot_gain', 2.4e4, 'A m^2 s/T', 'Gain of the B-dot law. Used in mode detumbling.',
        low=0.0, high=1e15, read_only=False,
    ),
    Parameter(
        'desaturation_rate', 0.0, '1/s',
        "Rate at which the dipoles reduce the difference between the wheels' speeds and their "
        'wanted speeds, while the wheels point the body.', low=0.0, high=1e3, read_only=False,
    ),
    attitude(
        'imu.orientation',
        'Orientation of IMU and magnetometer: unit quaternion w, x, y, z, from imu_link to '
        'base_link.',
    ),
    Parameter(
        'imu_timeout', 0.25, 's',
        "Largest age of IMU data, and longest silence, on the node's clock. After that the "
        'controller commands zero torque.',
        low=0.001, high=3600.0, read_only=False,
    ),
    Parameter(
        'controller_delay', 0.0, 's',
        'Time from IMU data to the torque that answers them, for computing and transport. The '
        'torque acts with the first IMU data that are not earlier than that. Dipoles are not '
        'delayed.', low=0.0, high=LONGEST_DELAY,
    ),
    Parameter(
        'gimbals', [], '',
        'Names of the gimbals that make the torque; the controller commands their rates on '
        'command/gimbals. Without any actuators it commands the torque on command/wrench.',
        str, length=(),
    ),
    Parameter(
        'thrusters', [], '',
        'Names of the thrusters that make the torque; the controller commands their forces on '
        'command/thrusters. They must turn the body about all axes, both ways.',
        str, length=(),
    ),
    Parameter(
        'wheels', [], '',
        'Names of the reaction wheels that make the torque; the controller commands their motors '
        'on command/wheels.',
        str, length=(),
    ),
    Parameter(
        'null_space_rate', 0.01, '1/s',
        'Rate at which more than three wheels approach their wanted speeds, with torques that '
        'cancel on the body.', low=0.0, high=1e3,
    ),
    *EPHEMERIS,
    Parameter('frames.world', 'world', '', 'Name of the inertial frame.', str),
    Parameter('frames.body', 'base_link', '', 'Name of the body frame.', str),
)  # fmt: skip
# Parameters of each of `thrusters`, under thruster.<name>.
THRUSTER = (
    xyz(
        'torque', 'N m', 1e9,
        'Torque on the body about its centre of mass with the thruster fully open, body axes.',
        required=True,
    ),
    Parameter(
        'max_force', 1.0, 'N',
        'Force of the fully open thruster.', low=1e-9, high=1e9, required=True,
    ),
)  # fmt: skip
# Parameters of each of `wheels`, under wheel.<name>.
WHEEL = (
    *(one for one in wheels.WHEEL if one.name in ('axis', 'inertia')),
    Parameter(
        'max_torque', 1e-3, 'N m', 'Largest torque of the motor.', low=1e-12, high=1e6,
        required=True,
    ),
    Parameter(
        'wanted_speed', 0.0, 'rad/s', 'Speed that it is to have when nothing else is asked of it.',
        low=-1e5, high=1e5,
    ),
)  # fmt: skip
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (
    ('gimbals', 'gimbal', gimbals.STEERED),
    ('thrusters', 'thruster', THRUSTER),
    ('wheels', 'wheel', WHEEL),
)
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


def checked(given: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return {name: value} of every parameter, checked and converted to its type.

    given: {name: value};  before: values of the parameters not given, None for their defaults
    Raises ParameterError for an unknown name or an invalid value.
    """
    valid = catalogue({**(before or {}), **given})
    for name in given:
        if name not in valid:
            raise parameters.unknown(name, list(valid))
    for mistake in asked_for(valid, {**(before or {}), **given}):
        raise mistake
    values = {name: p.checked(p.default) for name, p in valid.items()} | dict(before or {})
    values = {**values, **{name: valid[name].checked(value) for name, value in given.items()}}
    asked = settings(values).modes
    reference(values)
    driven, magnetic = allocation(values), magnetic_gains(values)
    if magnetic is None and attitude_loop.DETUMBLING in asked:
        raise ParameterError(
            'mode detumbling commands dipoles, but dipole_limit is 0 A m^2; give the largest '
            'dipole about each axis'
        )
    if magnetic and driven is None:
        resting = {attitude_loop.DETUMBLING, attitude_loop.IDLE}
        if others := sorted(asked - resting):
            raise ParameterError(
                f'mode {others[0]} needs a torque, but with dipole_limit the controller '
                'publishes no command/wrench: name wheels, gimbals or thrusters'
            )
    if values['orbit.model'] == 'none' and flies_by_ephemeris(values):
        in_orbit = asked & {*attitude_loop.IN_ORBIT} if not values[GUIDED] else set()
        why = f'mode {min(in_orbit)}' if in_orbit else 'gradient_compensation'
        raise ParameterError(
            f'{why} needs the orbit, but orbit.model is '
            "'none'; give the controller the simulator's epoch and orbit.… values"
        )
    ephemeris(values)
    return values


def commanded(law: str) -> dict[str, Any]:
    """Return {name: value} of a controller whose mode a mission commands."""
    return {'mode': law, 'schedule.times': [], 'schedule.modes': []}


def flies_by_ephemeris(values: Mapping[str, Any]) -> bool:
    """Return whether a controller with these checked parameters needs the orbit."""
    own = settings(values)
    follows = not own.guided and bool(own.modes & {*attitude_loop.IN_ORBIT})
    return follows or own.gradient


def catalogue(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return {name: Parameter} of a controller, including those of the actuators in `given`."""
    return catalogued(PARAMETERS, NAMED, given)


def loop(values: Mapping[str, Any]) -> attitude_loop.AttitudeLoop:
    """Return the AttitudeLoop of checked parameters; ParameterError as of what it is made of."""
    known = ephemeris(values)
    return attitude_loop.AttitudeLoop(
        settings(values), reference(values), known.at if known else None
    )


def command_delay(own: attitude_loop.Settings, driven: Allocation | None) -> CommandDelay[Any]:
    """Return the CommandDelay of the torque, or of the commands of a controller's actuators.

    own: Settings of its checked parameters;  driven: their Allocation
    """
    rest = [0.0] * len(driven.names) if driven else attitude_loop.NO_TORQUE
    return CommandDelay(own.delay_ns, rest)


def magnetic_loop(
    values: Mapping[str, Any], own: attitude_loop.Settings, driven: Allocation | None
) -> MagneticLoop | None:
    """Return the MagneticLoop of checked parameters, or None where no dipole is commanded.

    own: their Settings;  driven: their Allocation
    """
    gains = magnetic_gains(values)
    if gains is None:
        return None
    from spacecraft_attitude_sim.core.control.magnetic_loop import MagneticLoop

    return MagneticLoop(own, gains, rows_of_wheels(driven))


def rows_of_wheels(driven: Allocation | None) -> Array | None:
    """Return the rows of an Allocation of wheels, which dipoles unload, or None."""
    return driven.rows if driven and driven.needs_speeds else None


def settings(values: Mapping[str, Any]) -> attitude_loop.Settings:
    """Return the Settings from checked parameters; ParameterError for an impossible inertia."""
    inertia = inertia_of(values)
    limits = {
        'torque_limit': np.array(values['torque_limit']),
        'slew_rate_limit': values['slew_rate_limit'],
        'gyroscopic': values['gyroscopic_compensation'],
        'integral_time': values['integral_time'],
        'integral_limit': values['integral_limit'],
    }
    with blame():
        if values['gains'] == FROM_BANDWIDTH:
            gains = control_law.gains_from_bandwidth(
                inertia, values['bandwidth'], values['damping_ratio'], **limits
            )
        else:
            gains = control_law.gains_given(
                inertia, values['attitude_gain'], values['rate_gain'], **limits
            )
    return attitude_loop.Settings(
        values['mode'],
        gains,
        unit_quaternion(values, 'imu.orientation'),
        round(1e9 * values['imu_timeout']),
        _schedule(values),
        pointing_frames.attitudes(
            unit_quaternion(values, 'reference.nadir'), unit_quaternion(values, 'reference.sun')
        ),
        values[GUIDED],
        round(1e9 * values['controller_delay']),
        values['gradient_compensation'],
    )


def _schedule(values: Mapping[str, Any]) -> tuple[tuple[int, str], ...]:
    times, modes = values['schedule.times'], values['schedule.modes']
    if len(times) != len(modes):
        raise ParameterError(
            f'schedule.times has {len(times)} values and schedule.modes {len(modes)}; give one '
            'mode for each time'
        )
    if list(times) != sorted(set(times)):
        raise ParameterError(
            f'schedule.times are {times} s; each must be later than the one before'
        )
    for number, mode in enumerate(modes):
        replace(BY_NAME['mode'], name=f'schedule.modes[{number}]').checked(mode)
    return tuple((round(1e9 * time), mode) for time, mode in zip(times, modes, strict=True))


def magnetic_gains(values: Mapping[str, Any]) -> MagneticGains | None:
    """Return the MagneticGains from checked parameters, or None if no dipole is commanded."""
    if not any(values['dipole_limit']):
        return None
    from spacecraft_attitude_sim.core.control.magnetic_control import MagneticGains

    limits = np.array(values['dipole_limit'])
    return MagneticGains(values['b_dot_gain'], values['desaturation_rate'], limits)


def ephemeris(values: Mapping[str, Any]) -> Surroundings | None:
    """Return the Surroundings (orbit and Sun, no field or air) of the controller, or None.

    Raises ParameterError naming key, value and remedy.
    """
    if values['orbit.model'] == 'none':
        return None
    return earth_surroundings.ephemeris(values)


def allocation(values: Mapping[str, Any]) -> Allocation | None:
    """Return the Allocation from checked parameters, or None if a wrench is commanded.

    Raises ParameterError naming key, value and remedy.
    """
    given = [lists for lists, _, _ in NAMED if values[lists]]
    if len(given) > 1:
        told = ' and '.join(f'{lists} {values[lists]}' for lists in given)
        raise ParameterError(
            f'{told} are given; a controller commands one kind: leave the others out'
        )
    if steering := gimbals.steering(values, values['gyroscopic_compensation']):
        from spacecraft_attitude_sim.core.control.allocation import of_gimbals

        return of_gimbals(steering)
    if values['wheels']:
        return _of_wheels(values)
    if not values['thrusters']:
        return None
    from spacecraft_attitude_sim.core.control.allocation import of_thrusters
    from spacecraft_attitude_sim.core.control.thruster_allocation import DrivenThrusters

    refuse_twice(values, 'thrusters')
    names = tuple(values['thrusters'])
    torques, most = (
        np.array([values[f'thruster.{name}.{field}'] for name in names])
        for field in ('torque', 'max_force')
    )
    with blame():
        return of_thrusters(DrivenThrusters(names, torques, most))


def _of_wheels(values: Mapping[str, Any]) -> Allocation:
    from spacecraft_attitude_sim.core.control.allocation import of_wheels
    from spacecraft_attitude_sim.core.control.wheel_allocation import DrivenWheels

    refuse_twice(values, 'wheels')
    names = tuple(values['wheels'])
    fields = ('axis', 'inertia', 'max_torque', 'wanted_speed')
    axes, inertias, most, wanted = wheels.fields_of(values, fields)
    with blame():
        driven = DrivenWheels(names, axes, inertias, most, wanted, values['null_space_rate'])
    return of_wheels(driven, values['gyroscopic_compensation'])


def reference(values: Mapping[str, Any]) -> control_law.Reference:
    """Return the Reference from checked parameters, without angular acceleration."""
    return control_law.Reference(
        unit_quaternion(values, 'reference.attitude'),
        np.array(values['reference.angular_velocity']),
        np.zeros(3),
    )
