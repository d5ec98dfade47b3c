# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of every node: name, default, unit, range, meaning. Their one home.

The nodes declare them from here, scenario files are checked against them, and the table in
docs/parameters.md is tested against them.
"""

import difflib
import math
from dataclasses import dataclass

from spacecraft_attitude_sim.core import equations

KINDS = {float: 'a number', int: 'a whole number', bool: 'true or false', str: 'a text'}


# Taken in one go, nobody else has a turn; beyond 5000 Fast DDS would drop what waits for them.
MOST_TICKS_AT_ONCE = 4096


class ParameterError(ValueError):
    """A parameter is unknown or has an impossible value; the text says which, and the remedy."""


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    kind: type of the value, or of each element when `length` is given
    length: None for a single value, else the allowed lengths of a list (empty tuple: any)
    low, high: inclusive range of a number;  read_only: fixed once the node runs
    choices: the texts that are valid; empty for any
    """

    name: str
    default: object
    unit: str
    description: str
    kind: type = float
    length: tuple | None = None
    low: float = -math.inf
    high: float = math.inf
    read_only: bool = True
    choices: tuple = ()

    def checked(self, value):
        """Return `value` in the parameter's type, whole numbers accepted as floats.

        Raises ParameterError naming key, value, unit and remedy.
        """
        if self.length is None:
            return self._checked_element(value, self.name)
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, '__iter__'):
            raise ParameterError(f'{self.name} is {value!r}; give a list')
        values = list(value)
        if self.length and len(values) not in self.length:
            lengths = ' or '.join(str(length) for length in self.length)
            raise ParameterError(f'{self.name} has {len(values)} values; give {lengths}')
        return [
            self._checked_element(element, f'{self.name}[{index}]')
            for index, element in enumerate(values)
        ]

    def _checked_element(self, value, label):
        if self.kind is float:
            value = _as_float(value)
        unit = f' {self.unit}' if self.unit else ''
        if type(value) is not self.kind:
            kind = KINDS[self.kind]
            raise ParameterError(f'{label} is {value!r}; give {kind}{unit and " in" + unit}')
        if self.kind in (float, int) and not self.low <= value <= self.high:
            raise ParameterError(
                f'{label} is {value}{unit}; give a number from {self.low:g} to {self.high:g}{unit}'
            )
        if self.choices and value not in self.choices:
            raise ParameterError(f'{label} is {value!r}; choose one of {", ".join(self.choices)}')
        return value


def _as_float(value):
    """Return a whole number, or the 1e-6 that YAML 1.1 takes for a text, as a float."""
    if isinstance(value, bool):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


# The T-handle of S1, which flips about its second axis again and again.
SIMULATOR = (
    Parameter('description', '', '', 'One line that says what the scenario shows.', str),
    Parameter('body.mass', 0.3412969, 'kg', 'Mass.', low=1e-12, high=1e12),
    Parameter(
        'body.inertia',
        [62.2e-6, 171.5e-6, 210.5e-6],
        'kg m^2',
        'Inertia about the centre of mass, body axes: Ixx, Iyy, Izz, or Ixx, Iyy, Izz, '
        'Ixy, Ixz, Iyz.',
        length=(3, 6),
        low=-1e12,
        high=1e12,
    ),
    Parameter(
        'body.center_of_mass',
        [0.0, 0.0, 0.0],
        'm',
        'Centre of mass in the axes the body was designed in.',
        length=(3,),
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        'body.parts',
        [],
        '',
        'Names of the primitives the body consists of; with mass they make its inertia, '
        'beside body.inertia they are only drawn.',
        str,
        length=(),
    ),
    Parameter(
        'body.mesh.file',
        '',
        '',
        'Path of a mesh (STL, OBJ, glTF) that is drawn as the body, in the axes the body was '
        'designed in; relative to the working directory.',
        str,
    ),
    Parameter(
        'body.mesh.scale',
        1.0,
        'm',
        'Length of one unit of the mesh: 0.001 for millimetres.',
        low=1e-9,
        high=1e9,
    ),
    Parameter(
        'body.mesh.density',
        0.0,
        'kg/m^3',
        'Fills the mesh uniformly: gives mass, inertia and centre of mass, which then read as if '
        'they had been given and this as 0; 0 leaves them.',
        low=0.0,
        high=1e9,
    ),
    Parameter(
        'body.mesh.color',
        [0.7, 0.7, 0.75, 1.0],
        '',
        'Red, green, blue, alpha.',
        length=(4,),
        low=0.0,
        high=1.0,
    ),
    Parameter(
        'initial.position',
        [0.0, 0.0, 0.0],
        'm',
        'Centre of mass at the start, world.',
        length=(3,),
        low=-1e9,
        high=1e9,
    ),
    Parameter(
        'initial.attitude',
        [1.0, 0.0, 0.0, 0.0],
        '',
        'Attitude at the start: unit quaternion w, x, y, z, body to world.',
        length=(4,),
        low=-2.0,
        high=2.0,
    ),
    Parameter(
        'initial.velocity',
        [0.0, 0.0, 0.0],
        'm/s',
        'Velocity of the centre of mass at the start, world.',
        length=(3,),
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        'initial.angular_velocity',
        [0.01, 8.0, 0.01],
        'rad/s',
        'Angular velocity at the start, body axes.',
        length=(3,),
        low=-1e4,
        high=1e4,
    ),
    Parameter(
        'imu.position',
        [0.0, 0.0, 0.0],
        'm',
        'Where the IMU sits, in the axes the body was designed in; default the centre of mass.',
        length=(3,),
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        'imu.orientation',
        [1.0, 0.0, 0.0, 0.0],
        '',
        'How the IMU is turned: unit quaternion w, x, y, z, imu_link to base_link.',
        length=(4,),
        low=-2.0,
        high=2.0,
    ),
    Parameter(
        'gravity',
        [0.0, 0.0, 0.0],
        'm/s^2',
        'Uniform gravitational acceleration, world.',
        length=(3,),
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        'application_frames',
        [],
        '',
        'Names of frames on the body in which a command may be given.',
        str,
        length=(),
    ),
    Parameter(
        'command_timeout',
        0.5,
        's',
        'Simulated time a command/wrench is held without a new one; then it is zero. 0 is for '
        'ever.',
        low=0.0,
        high=1e9,
    ),
    Parameter(
        'command_force_limit',
        [1e9, 1e9, 1e9],
        'N',
        "Largest force a command/wrench makes, along each axis of the command's frame.",
        length=(3,),
        low=0.0,
        high=1e9,
    ),
    Parameter(
        'command_torque_limit',
        [1e9, 1e9, 1e9],
        'N m',
        "Largest torque a command/wrench makes, about each axis of the command's frame.",
        length=(3,),
        low=0.0,
        high=1e9,
    ),
    Parameter(
        'lockstep',
        False,
        '',
        'After each tick wait for the command/wrench stamped with its time.',
        bool,
    ),
    Parameter(
        'lockstep_timeout',
        5.0,
        's',
        'Wall time to wait for that command before pausing; 0 is for ever.',
        low=0.0,
        high=1e6,
        read_only=False,
    ),
    Parameter(
        'step_ticks',
        1,
        '',
        'Ticks that one call of ~/step takes.',
        int,
        low=1,
        high=MOST_TICKS_AT_ONCE,
        read_only=False,
    ),
    Parameter(
        'equations',
        'momentum',
        '',
        'Equations of motion and how they are integrated; see equations.md.',
        str,
        choices=tuple(equations.REGISTRY),
    ),
    Parameter(
        'substeps',
        0,
        '',
        'Steps of the equations in a tick of 1/32 s; 0 chooses them from the rate of the body.',
        int,
        low=0,
        high=1_000_000,
        read_only=False,
    ),
    Parameter(
        'real_time_factor',
        1.0,
        '',
        'Simulated seconds in a second of wall time; 0 is as fast as possible.',
        low=0.0,
        high=1000.0,
        read_only=False,
    ),
    Parameter(
        'duration',
        0.0,
        's',
        'Simulated time after which the run ends; 0 is never.',
        low=0.0,
        high=1e9,
    ),
    Parameter(
        'startup_delay',
        0.0,
        's',
        'Wall time before the first tick, for recorders and viewers to connect.',
        low=0.0,
        high=3600.0,
    ),
    Parameter(
        'start_paused', False, '', 'Wait for ~/pause or ~/step before the first step.', bool
    ),
    Parameter(
        'publish_clock',
        True,
        '',
        'Publish /clock. One node in a graph may: set it false for all but one spacecraft.',
        bool,
    ),
    Parameter('frames.world', 'world', '', 'Name of the inertial frame.', str),
    Parameter('frames.body', 'base_link', '', 'Name of the body frame.', str),
    Parameter('frames.imu', 'imu_link', '', 'Name of the IMU frame.', str),
)

# Each part of body.parts is described by these, under parts.<name>.
PART = (
    Parameter(
        'shape', 'box', '',
        'box, cylinder (axis z), sphere, ellipsoid or half_ellipsoid (the half with z < 0).', str,
    ),
    Parameter(
        'size', [], 'm',
        'box: three edge lengths; cylinder: radius, length; sphere: radius; ellipsoid, '
        'half_ellipsoid: three semi-axes.', length=(1, 2, 3), low=1e-9, high=1e6,
    ),
    Parameter('mass', 0.0, 'kg', 'Mass, spread uniformly.', low=1e-12, high=1e12),
    Parameter(
        'position', [0.0, 0.0, 0.0], 'm', 'Centre of mass, in the axes the body was designed in.',
        length=(3,), low=-1e6, high=1e6,
    ),
    Parameter(
        'orientation', [1.0, 0.0, 0.0, 0.0], '',
        'Unit quaternion w, x, y, z, part to body.', length=(4,), low=-2.0, high=2.0,
    ),
    Parameter(
        'color', [0.7, 0.7, 0.75, 1.0], '', 'Red, green, blue, alpha.', length=(4,),
        low=0.0, high=1.0,
    ),
)  # fmt: skip


# Each of application_frames is described by these, under application.<name>.
APPLICATION_FRAME = (
    Parameter(
        'position',
        [0.0, 0.0, 0.0],
        'm',
        'Origin, where a force acts, in the axes the body was designed in.',
        length=(3,),
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        'orientation',
        [1.0, 0.0, 0.0, 0.0],
        '',
        'Unit quaternion w, x, y, z, frame to body.',
        length=(4,),
        low=-2.0,
        high=2.0,
    ),
)
# (parameter that lists names, prefix under which each is described, by what)
NAMED = (
    ('body.parts', 'parts', PART),
    ('application_frames', 'application', APPLICATION_FRAME),
)


def unknown(name, valid):
    """Return the ParameterError for a name that is not one of the valid ones."""
    near = difflib.get_close_matches(name, valid, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f'valid are {", ".join(sorted(valid))}'
    return ParameterError(f'{name} is not a parameter; {hint}')
