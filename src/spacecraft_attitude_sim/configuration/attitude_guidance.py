# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node attitude_guidance: their checks and conversion to types of core."""

from __future__ import annotations

import math
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
    attitude,
    blame,
    unit_quaternion,
    xyz,
)
from spacecraft_attitude_sim.configuration.parts import reaction_wheels as wheels
from spacecraft_attitude_sim.configuration.parts.named import catalogued, refuse_twice
from spacecraft_attitude_sim.core.guidance import profiles, timetable
from spacecraft_attitude_sim.core.guidance.ephemeris import TARGET, Ephemeris, Target
from spacecraft_attitude_sim.core.guidance.guidance import Guidance
from spacecraft_attitude_sim.core.guidance.keep_out import KeepOut
from spacecraft_attitude_sim.core.guidance.motion import Profile
from spacecraft_attitude_sim.core.guidance.planner import Planner
from spacecraft_attitude_sim.core.guidance.s_curve import Limits
from spacecraft_attitude_sim.core.guidance.wheel_limits import WheelLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3

NAME = aboard.GUIDANCE
# Whether it follows mission_modes.
MISSION = aboard.FOLLOWS
EPHEMERIS = earth_parameters.EPHEMERIS
# Profiles that are there without a parameter. The last two need the orbit.
FIXED, NADIR, SUN = BUILT_IN = ('fixed', 'nadir', 'sun')
PARAMETERS = (
    Parameter(
        'start', '', '',
        "Name of the profile at time 0. '': nadir in an orbit about the Earth, else fixed.", str,
    ),
    Parameter(
        'timetable', [], '',
        'Lines of a time and a name, in order: the slew to this profile begins at that time, in '
        'seconds or UTC: [600.0 station, 2026-03-20T12:20:00Z nadir].', str, length=(),
    ),
    attitude(
        'attitude',
        'Attitude of the profile fixed: unit quaternion w, x, y, z, from reference to world axes.',
    ),
    Parameter(
        'profiles', [], '',
        'Names of profiles beside fixed, nadir (z to the nadir, x along the flight) and sun (z to '
        'the Sun, y along the normal of the orbit).', str, length=(),
    ),
    Parameter('targets', [], '', 'Names of ground targets.', str, length=()),
    Parameter(
        'keep_outs', [], '', 'Names of boresights that must not come near Sun, Moon or Earth.',
        str, length=(),
    ),
    Parameter(
        'slew.rate', 0.0175, 'rad/s',
        'Largest rate of a slew; where profiles move, beyond that of the faster one.',
        low=1e-6, high=10.0,
    ),
    Parameter(
        'slew.acceleration', 9e-4, 'rad/s^2',
        'Largest angular acceleration of a slew, in the same way.', low=1e-9, high=100.0,
    ),
    Parameter(
        'slew.jerk', 4e-4, 'rad/s^3', 'Largest change of the acceleration in a second.',
        low=1e-12, high=1e4,
    ),
    Parameter(
        'inertia', [], 'kg m^2',
        'Inertia about the centre of mass, body axes: Ixx, Iyy, Izz, or Ixx, Iyy, Izz, Ixy, Ixz, '
        'Iyz. Used with wheels.', length=(0, 3, 6), low=-1e12, high=1e12,
    ),
    Parameter(
        'wheels', [], '',
        'Names of the reaction wheels whose torque and momentum also limit a slew.', str,
        length=(),
    ),
    Parameter(
        'wheel_share', 0.5, '',
        'Part of the torque and momentum of the wheels that a slew may use. The rest is for '
        'control, disturbances and gyroscopic torque.', low=1e-3, high=1.0,
    ),
    Parameter(
        MISSION, False, '',
        'Whether mission/command of mission_modes says the profile, beside timetable and topics. '
        'IMU data wait for that of their time.', bool,
    ),
    *EPHEMERIS,
    Parameter('frames.world', 'world', '', 'Name of the inertial frame.', str),
)  # fmt: skip
NAMES = ', '.join(profiles.DIRECTIONS)
# Parameters of each of `profiles`, under profile.<name>.
PROFILE = (
    Parameter(
        'direction', '', '',
        f"Direction of axis: {NAMES}, or {TARGET}<name>; with - before it the opposite. '': the "
        'profile is at rest with attitude.', str,
    ),
    xyz('axis', '', 1e3, 'Body axis that points along direction.', (0.0, 0.0, 1.0)),
    Parameter(
        'second_direction', 'velocity', '',
        'Direction to which second_axis turns as far as it can, named as direction.', str,
    ),
    xyz('second_axis', '', 1e3, 'Second body axis.', (1.0, 0.0, 0.0)),
    xyz('vector', '', 1e3, 'Direction in world axes. Used with direction inertial.',
        (1.0, 0.0, 0.0)),
    xyz('second_vector', '', 1e3, 'The same of second_direction.', (0.0, 0.0, 1.0)),
    attitude('attitude', 'Attitude without direction: unit quaternion w, x, y, z, to world axes.'),
    Parameter(
        'file', '', '',
        'AEM file with the attitude over time, instead of direction; see docs/ccsds.md.', str,
    ),
    Parameter(
        'table', '', '',
        'The attitudes of file as a recording keeps them, which count then instead of the file.',
        str,
    ),
    Parameter(
        'spin_rate', 0.0, 'rad/s',
        'Rate at which the body turns about spin_axis; the angle is 0 at time 0.',
        low=-10.0, high=10.0,
    ),
    xyz('spin_axis', '', 1e3, 'Body axis of the spin.', (0.0, 0.0, 1.0)),
)  # fmt: skip
# Parameters of each of `targets`, under target.<name>.
OF_TARGET = (
    Parameter(
        'latitude', 0.0, 'deg', 'Geodetic latitude (WGS 84).', low=-90.0, high=90.0,
        required=True,
    ),
    Parameter(
        'longitude', 0.0, 'deg', 'East longitude.', low=-180.0, high=360.0, required=True,
    ),
    Parameter('height', 0.0, 'm', 'Height over the ellipsoid.', low=-1e4, high=1e6),
)  # fmt: skip
# Parameters of each of `keep_outs`, under keep_out.<name>.
KEEP_OUT = (
    xyz('axis', '', 1e3, 'Boresight, body axes.', (0.0, 0.0, 1.0)),
    Parameter(
        'body', 'sun', '', 'What it must not come near.', str, choices=('sun', 'moon', 'earth'),
    ),
    Parameter(
        'angle', 30.0, 'deg', 'Least angle between the boresight and the centre of that body.',
        low=0.0, high=180.0,
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
        'max_speed', 600.0, 'rad/s', 'Largest speed.', low=1e-3, high=1e5, required=True,
    ),
)  # fmt: skip
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (
    ('profiles', 'profile', PROFILE), ('targets', 'target', OF_TARGET),
    ('keep_outs', 'keep_out', KEEP_OUT), ('wheels', 'wheel', WHEEL),
)  # fmt: skip
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


def catalogue(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return {name: Parameter} of guidance, including those of what lists in `given` name."""
    return catalogued(PARAMETERS, NAMED, given)


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: value} of every parameter, checked and converted to its type.

    The timetable itself is flown by `guidance`.
    Raises ParameterError for an unknown name or an invalid value.
    """
    values = parameters.checked(catalogue(given), given)
    for lists, _, _ in NAMED:
        refuse_twice(values, lists)
    _keep_tables(values)
    places = ephemeris(values)
    flown = profiles_of(values, places)
    planner(values, places)
    for what, name in (('start', start(values)), *(('timetable', n) for _, n in table(values))):
        if name not in flown:
            raise ParameterError(f"{what} has '{name}'; profiles are {', '.join(flown)}")
    return values


def of_simulator(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: value} of guidance that knows a simulator's orbit.

    values: {name: value} of every parameter of the simulator
    """
    return {name: values[name] for name in BY_NAME if name in OF_SIMULATOR and name in values}


OF_SIMULATOR = {*(one.name for one in EPHEMERIS), 'frames.world'}


def guidance(values: Mapping[str, Any], places: Ephemeris | None = None) -> Guidance:
    """Return the Guidance of checked parameters; ParameterError where it cannot be flown.

    places: `ephemeris` of the same values, which several may share; None for one of its own
    """
    places = places or ephemeris(values)
    with blame(f'{NAME}: '):
        return Guidance(
            profiles_of(values, places), start(values), table(values), planner(values, places)
        )


def start(values: Mapping[str, Any]) -> str:
    """Return the name of the profile at time 0."""
    return values['start'] or (FIXED if values['orbit.model'] == 'none' else NADIR)


def utc(values: Mapping[str, Any]) -> str | None:
    """Return the UTC at which time is 0; None where no epoch is known."""
    if values['orbit.model'] == 'none' and not values['epoch']:
        return None
    with blame():
        return earth_surroundings.begins(values)


def table(values: Mapping[str, Any]) -> list[tuple[float, str]]:
    """Return (time [s], name) of each line of the timetable; ParameterError for a wrong one."""
    with blame('timetable: '):
        return timetable.in_order(values['timetable'], utc(values))


def ephemeris(values: Mapping[str, Any]) -> Ephemeris:
    """Return the Ephemeris of checked parameters; ParameterError as of the orbit."""
    targets = {
        name: Target(
            math.radians(values[f'target.{name}.latitude']),
            math.radians(values[f'target.{name}.longitude']),
            values[f'target.{name}.height'],
        )
        for name in values['targets']
    }
    if values['orbit.model'] == 'none':
        return Ephemeris(None, targets)
    return Ephemeris(earth_surroundings.ephemeris(values).at, targets)


def profiles_of(values: Mapping[str, Any], places: Ephemeris) -> dict[str, Profile]:
    """Return {name: Profile} of checked parameters and those built in."""
    built_in: dict[str, Profile] = {
        FIXED: profiles.Inertial(unit_quaternion(values, 'attitude')),
    }
    x, y, z = np.eye(3)
    if values['orbit.model'] != 'none':
        built_in[NADIR] = _aligned(places, profiles.NADIR, z, profiles.VELOCITY, x)
        built_in[SUN] = _aligned(places, profiles.SUN, z, profiles.NORMAL, y)
    return {**built_in, **{name: _profile(values, name, places) for name in values['profiles']}}


def _aligned(
    places: Ephemeris, first: str, axis: Vector3, second: str, second_axis: Vector3
) -> profiles.Aligned:
    nothing = np.zeros(3)
    return profiles.Aligned(
        profiles.Direction(first, places, nothing),
        profiles.Direction(second, places, nothing),
        profiles.mounting(axis, second_axis),
    )


def _profile(values: Mapping[str, Any], name: str, places: Ephemeris) -> Profile:
    """Return the Profile of the parameters profile.<name>; ParameterError for a wrong one."""
    prefix = f'profile.{name}.'
    first, rate = values[f'{prefix}direction'], values[f'{prefix}spin_rate']
    profile: Profile
    if values[f'{prefix}table']:
        profile = _table(values, prefix)
    elif not first:
        profile = profiles.Inertial(unit_quaternion(values, f'{prefix}attitude'))
    else:
        axes = (_axis(values, f'{prefix}{axis}') for axis in ('axis', 'second_axis'))
        with blame(prefix):
            profile = profiles.Aligned(
                _direction(values, prefix, places),
                _direction(values, f'{prefix}second_', places),
                profiles.mounting(*axes),
            )
    if rate:
        return profiles.Spinning(profile, _axis(values, f'{prefix}spin_axis'), rate)
    return profile


def _keep_tables(values: dict[str, Any]) -> None:
    """Read the AEM file of each profile into its parameter `table`, if that is not given.

    So a recording needs no file. Raises ParameterError for a wrong file.
    """
    for name in values['profiles']:
        prefix = f'profile.{name}.'
        key, path = f'{prefix}file', values[f'{prefix}file']
        if not path or values[f'{prefix}table']:
            continue
        epoch = utc(values)
        if epoch is None:
            raise ParameterError(f'{key} has times in UTC, and there is no epoch; give epoch')
        from spacecraft_attitude_sim.configuration import attitude_message

        values[f'{prefix}table'] = attitude_message.load(path, epoch, key)


def _table(values: Mapping[str, Any], prefix: str) -> Profile:
    """Return the Profile of attitudes that were read; ParameterError for damaged ones."""
    from spacecraft_attitude_sim.configuration import attitude_message

    if direction := values[f'{prefix}direction']:
        raise ParameterError(
            f"{prefix}file is given and {prefix}direction '{direction}'; give one"
        )
    key = f'{prefix}table'
    with blame(f'{key}: '):
        return attitude_message.kept(key, values[key])


def _direction(values: Mapping[str, Any], prefix: str, places: Ephemeris) -> profiles.Direction:
    name = values[f'{prefix}direction']
    what = name.removeprefix('-')
    known = [*profiles.DIRECTIONS, *(TARGET + target for target in places.targets)]
    if what not in known:
        raise ParameterError(f"{prefix}direction is '{name}'; choose one of {', '.join(known)}")
    if what != profiles.INERTIAL and values['orbit.model'] == 'none':
        raise ParameterError(
            f"{prefix}direction is '{name}', which needs the orbit, but orbit.model is 'none'; "
            "give the simulator's epoch and orbit.… values"
        )
    vector = np.zeros(3)
    if what == profiles.INERTIAL:
        vector = _axis(values, f'{prefix}vector')
    return profiles.Direction(name, places, vector)


def _axis(values: Mapping[str, Any], name: str) -> Vector3:
    """Return the unit vector (3,) along a parameter; ParameterError for one without length."""
    vector = np.array(values[name])
    length = math.hypot(*values[name])
    if not length > 1e-6:
        raise ParameterError(
            f'{name} is {values[name]}, which has no direction; give three numbers'
        )
    return vector / length


def planner(values: Mapping[str, Any], places: Ephemeris) -> Planner:
    """Return the Planner of checked parameters; ParameterError for wheels that cannot turn."""
    kept = tuple(
        KeepOut(
            name,
            _axis(values, f'keep_out.{name}.axis'),
            values[f'keep_out.{name}.body'],
            math.radians(values[f'keep_out.{name}.angle']),
        )
        for name in values['keep_outs']
    )
    if kept and values['orbit.model'] == 'none':
        raise ParameterError(
            "keep_outs need the orbit, but orbit.model is 'none'; give the simulator's epoch and "
            'orbit.… values'
        )
    limits = Limits(*(values[f'slew.{name}'] for name in ('rate', 'acceleration', 'jerk')))
    return Planner(limits, _wheels(values), kept, places)


def _wheels(values: Mapping[str, Any]) -> WheelLimits | None:
    names = values['wheels']
    if not names:
        return None
    if not values['inertia']:
        raise ParameterError('inertia is not given; wheels limit a slew by it: give it in kg m^2')
    inertia = inertia_of(values)
    fields = ('axis', 'inertia', 'max_torque', 'max_speed')
    axes, rotors, torques, speeds = map(np.array, wheels.fields_of(values, fields))
    if np.linalg.matrix_rank(axes, tol=1e-3) < 3:
        raise ParameterError(
            f'wheels {names} cannot turn the body about every axis; leave them out, or give three '
            'whose axes are not in a plane'
        )
    return WheelLimits(inertia, axes, torques, rotors * speeds, values['wheel_share'])
