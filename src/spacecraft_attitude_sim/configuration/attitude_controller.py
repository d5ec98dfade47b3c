# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the node attitude_controller, checked and turned into the types of core."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import parameters
from spacecraft_attitude_sim.configuration.actuators import gimbals
from spacecraft_attitude_sim.configuration.actuators.named import refuse_twice
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    attitude,
    blame,
    unit_quaternion,
    xyz,
)
from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.core.control import attitude_loop, control_law

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.control.allocation import Allocation


NAME = 'attitude_controller'
FROM_BANDWIDTH, GIVEN = GAINS = ('from_bandwidth', 'given')
PARAMETERS = (
    Parameter(
        'mode', attitude_loop.POINTING, '',
        'pointing (tracking, where the reference moves), rate_damping, or idle: no torque.',
        str, choices=attitude_loop.MODES, read_only=False,
    ),
    Parameter(
        'inertia', [62.2e-6, 171.5e-6, 210.5e-6], 'kg m^2',
        'Inertia about the centre of mass as the controller knows it, body axes: Ixx, Iyy, Izz, '
        'or Ixx, Iyy, Izz, Ixy, Ixz, Iyz.',
        length=(3, 6), low=-1e12, high=1e12, read_only=False,
    ),
    Parameter(
        'gains', FROM_BANDWIDTH, '',
        'from_bandwidth: computed from inertia, bandwidth and damping_ratio; given: attitude_gain '
        'and rate_gain.',
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
        'Proportional gain of each axis: torque per small error angle; used with gains: given.',
        length=(3,), low=0.0, high=1e9, read_only=False,
    ),
    Parameter(
        'rate_gain', [1e-4, 1e-4, 1e-4], 'N m s/rad',
        'Derivative gain of each axis: torque against its rate; used with gains: given.',
        length=(3,), low=1e-12, high=1e9, read_only=False,
    ),
    Parameter(
        'gyroscopic_compensation', True, '', 'Whether the torque includes omega x I omega.',
        bool, read_only=False,
    ),
    Parameter(
        'torque_limit', [1e-3, 1e-3, 1e-3], 'N m',
        'Largest torque about each body axis; a larger one is scaled, its direction kept.',
        length=(3,), low=0.0, high=1e9, read_only=False,
    ),
    Parameter(
        'slew_rate_limit', 0.0, 'rad/s',
        'Largest rate of a slew towards the reference; 0 for the largest that torque_limit can '
        'brake.',
        low=0.0, high=1e4, read_only=False,
    ),
    attitude(
        'reference.attitude',
        'Attitude to point at, until one comes by topic: unit quaternion w, x, y, z, reference to '
        'world.', read_only=False,
    ),
    xyz(
        'reference.angular_velocity', 'rad/s', 1e4,
        'Rate at which that reference turns, from the moment it is taken, in its own axes.',
        read_only=False,
    ),
    attitude(
        'imu.orientation',
        'How the IMU is turned: unit quaternion w, x, y, z, imu_link to base_link.',
    ),
    Parameter(
        'imu_timeout', 0.25, 's',
        "Age of IMU data on the node's clock, or silence, after which the torque is zero.",
        low=0.001, high=3600.0, read_only=False,
    ),
    Parameter(
        'gimbals', [], '',
        'Names of the gimbals by whose rates, on command/gimbals, the torque is given; without '
        'any actuators it is command/wrench.', str, length=(),
    ),
    Parameter(
        'thrusters', [], '',
        'Names of the thrusters by whose forces, on command/thrusters, the torque is given, in '
        'pairs that turn the body opposite ways.', str, length=(),
    ),
    Parameter('frames.world', 'world', '', 'Name of the inertial frame.', str),
    Parameter('frames.body', 'base_link', '', 'Name of the body frame.', str),
)  # fmt: skip
# Each of `thrusters` is described by these, under thruster.<name>.
THRUSTER = (
    xyz(
        'torque', 'N m', 1e9,
        'Torque on the body about its centre of mass with the thruster fully open, body axes.',
    ),
    Parameter('max_force', 1.0, 'N', 'Force fully open.', low=1e-9, high=1e9),
)  # fmt: skip
# (parameter that lists names, prefix under which each is described, by what)
NAMED = (('gimbals', 'gimbal', gimbals.STEERED), ('thrusters', 'thruster', THRUSTER))
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


def checked(given: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return {name: value} of every parameter in its type.

    given: {name: value};  before: the values of the others, None for their defaults
    Raises ParameterError for an unknown name or an invalid value.
    """
    valid = catalogue({**(before or {}), **given})
    for name in given:
        if name not in valid:
            raise parameters.unknown(name, list(valid))
    values = {name: p.checked(p.default) for name, p in valid.items()} | dict(before or {})
    values = {**values, **{name: valid[name].checked(value) for name, value in given.items()}}
    settings(values)
    reference(values)
    allocation(values)
    return values


def catalogue(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return {name: Parameter} of a controller, with the actuators that `given` names."""
    named = (
        replace(field, name=f'{prefix}.{name}.{field.name}')
        for lists, prefix, fields in NAMED
        for name in BY_NAME[lists].checked(given.get(lists, []))
        for field in fields
    )
    return {parameter.name: parameter for parameter in (*PARAMETERS, *named)}


def settings(values: Mapping[str, Any]) -> attitude_loop.Settings:
    """Return the Settings of checked parameters; ParameterError for an impossible inertia."""
    with blame():
        inertia = bodies.inertia_matrix(values['inertia'])
        bodies.check_principal_moments(np.linalg.eigvalsh(inertia))
    limits = {
        'torque_limit': np.array(values['torque_limit']),
        'slew_rate_limit': values['slew_rate_limit'],
        'gyroscopic': values['gyroscopic_compensation'],
    }
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
    )


def allocation(values: Mapping[str, Any]) -> Allocation | None:
    """Return the Allocation of checked parameters, or None where a wrench is commanded.

    Raises ParameterError naming key, value and remedy.
    """
    if values['gimbals'] and values['thrusters']:
        raise ParameterError(
            f'gimbals are {values["gimbals"]} and thrusters {values["thrusters"]}; a controller '
            'drives one kind: leave the other out'
        )
    if steering := gimbals.steering(values, values['gyroscopic_compensation']):
        from spacecraft_attitude_sim.core.control.allocation import of_gimbals

        return of_gimbals(steering)
    if not values['thrusters']:
        return None
    from spacecraft_attitude_sim.core.control.allocation import of_thrusters
    from spacecraft_attitude_sim.core.control.thruster_allocation import ThrusterPairs

    refuse_twice(values, 'thrusters')
    names = tuple(values['thrusters'])
    torques, most = (
        np.array([values[f'thruster.{name}.{field}'] for name in names])
        for field in ('torque', 'max_force')
    )
    with blame():
        return of_thrusters(ThrusterPairs(names, torques, most))


def reference(values: Mapping[str, Any]) -> control_law.Reference:
    """Return the Reference of checked parameters, without angular acceleration."""
    return control_law.Reference(
        unit_quaternion(values, 'reference.attitude'),
        np.array(values['reference.angular_velocity']),
        np.zeros(3),
    )
