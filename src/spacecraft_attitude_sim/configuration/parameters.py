# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the simulator: name, default, unit, range, meaning. Their one home.

Those of its sensors, its contact, the attitude_controller and the observers are in
sensors, contact_parameters, attitude_controller, and with the observers. The nodes
declare them from there, scenario files are checked against them, and the tables in
docs/parameters.md are tested against them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration import (
    actuators,
    earth_parameters,
    internal_parts,
    sensors,
    suggestion,
)
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    attitude,
    xyz,
)
from spacecraft_attitude_sim.configuration.spacecraft_parameters import SPACECRAFT
from spacecraft_attitude_sim.core import equations

if TYPE_CHECKING:
    from collections.abc import Collection


# Taken in one go, nobody else has a turn; beyond 5000 Fast DDS would drop what waits for them.
MOST_TICKS_AT_ONCE = 4096
# The topics of commands.
COMMANDS = ('command/wrench', 'command/impulse', *actuators.COMMANDED)

# The T-handle of S1, which flips about its second axis again and again.
SIMULATOR = (
    Parameter('description', '', '', 'One line that says what the scenario shows.', str),
    Parameter('body.mass', 0.3412969, 'kg', 'Mass.', low=1e-12, high=1e12),
    Parameter(
        'body.inertia', [62.2e-6, 171.5e-6, 210.5e-6], 'kg m^2',
        'Inertia about the centre of mass, body axes: Ixx, Iyy, Izz, or Ixx, Iyy, Izz, '
        'Ixy, Ixz, Iyz, where Ixy = -int x y dm.', length=(3, 6), low=-1e12, high=1e12,
    ),
    Parameter(
        'body.inertia_about', 'center_of_mass', '',
        'What body.inertia is about: center_of_mass, or origin, that of the axes the body was '
        'designed in, from which body.mass and body.center_of_mass move it.',
        str, choices=('center_of_mass', 'origin'),
    ),
    xyz(
        'body.center_of_mass', 'm', 1e6, 'Centre of mass in the axes the body was designed in.',
    ),
    Parameter(
        'body.parts', [], '',
        'Names of the primitives the body consists of; with mass they make its inertia, '
        'beside body.inertia they are only drawn.', str, length=(),
    ),
    Parameter(
        'body.density', 0.0, 'kg/m^3',
        'Fills the surface of the contact uniformly: gives mass, inertia and centre of mass, '
        'which then read as if they had been given and this as 0; 0 leaves them.',
        low=0.0, high=1e9,
    ),
    Parameter(
        'body.mesh.file', '', '',
        'Path of a mesh (STL, OBJ, glTF) that is drawn as the body, in the axes the body was '
        'designed in; relative to the working directory.', str,
    ),
    Parameter(
        'body.mesh.scale', 1.0, 'm', 'Length of one unit of the mesh: 0.001 for millimetres.',
        low=1e-9, high=1e9,
    ),
    Parameter(
        'body.mesh.density', 0.0, 'kg/m^3',
        'Fills the mesh uniformly: gives mass, inertia and centre of mass, which then read as if '
        'they had been given and this as 0; 0 leaves them.', low=0.0, high=1e9,
    ),
    Parameter(
        'body.mesh.color', [0.7, 0.7, 0.75, 1.0], '', 'Red, green, blue, alpha.',
        length=(4,), low=0.0, high=1.0,
    ),
    xyz(
        'initial.position', 'm', 1e9,
        'base_link at the start, world: the centre of mass where nothing moves inside.',
    ),
    Parameter(
        'initial.frame', 'world', '',
        'Axes that initial.attitude and initial.angular_velocity are relative to: of world, or of '
        'the orbit (lvlh: x forward, y against its normal, z down), which turn.',
        str, choices=('world', 'lvlh'),
    ),
    attitude(
        'initial.attitude',
        'Attitude at the start: unit quaternion w, x, y, z, body to initial.frame.',
    ),
    xyz('initial.velocity', 'm/s', 1e6, 'Velocity of base_link at the start, world.'),
    xyz(
        'initial.angular_velocity', 'rad/s', 1e4,
        'Angular velocity at the start, relative to initial.frame, body axes.',
        (0.01, 8.0, 0.01),
    ),
    xyz(
        'imu.position', 'm', 1e6,
        'Where the IMU sits, in the axes the body was designed in; default the centre of mass.',
    ),
    attitude(
        'imu.orientation',
        'How the IMU is turned: unit quaternion w, x, y, z, imu_link to base_link.',
    ),
    xyz('gravity', 'm/s^2', 1e6, 'Uniform gravitational acceleration, world.'),
    Parameter(
        'application_frames', [], '',
        'Names of frames on the body in which a command may be given; points need none, see '
        'topics.md.', str, length=(),
    ),
    Parameter(
        'command_timeout', 0.5, 's',
        'Simulated time a command/wrench is held without a new one in its frame; then it is zero. '
        '0 is for ever.', low=0.0, high=1e9,
    ),
    Parameter(
        'command_force_limit', [1e9, 1e9, 1e9], 'N',
        "Largest force a command/wrench makes, along each axis of the command's frame.",
        length=(3,), low=0.0, high=1e9,
    ),
    Parameter(
        'command_torque_limit', [1e9, 1e9, 1e9], 'N m',
        "Largest torque a command/wrench makes, about each axis of the command's frame.",
        length=(3,), low=0.0, high=1e9,
    ),
    Parameter(
        'lockstep', False, '', 'After each tick wait for the commands stamped with its time.',
        bool,
    ),
    Parameter(
        'lockstep_timeout', 5.0, 's',
        'Wall time to wait for that command before pausing; 0 is for ever.',
        low=0.0, high=1e6, read_only=False, of_run=True,
    ),
    Parameter(
        'lockstep_topics', ['command/wrench'], '',
        'In lockstep, the commands a tick waits for, from each node that publishes them: '
        f'{", ".join(COMMANDS)}.', str, length=tuple(range(1, len(COMMANDS) + 1)),
        choices=COMMANDS,
    ),
    Parameter(
        'lockstep_interval', 0, 'ticks',
        'In lockstep, from one tick that waits to the next; 0 is imu.interval.',
        int, low=0, high=1_000_000,
    ),
    Parameter(
        'lockstep_frames', [], '',
        'In lockstep, frames in which a node answers each tick: one that answers in one of them '
        'is waited for until it has in all. Any other node answers once, in any other frame.',
        str, length=(),
    ),
    Parameter(
        'step_ticks', 1, '', 'Ticks that one call of ~/step takes.',
        int, low=1, high=MOST_TICKS_AT_ONCE, read_only=False,
    ),
    Parameter(
        'equations', 'momentum', '',
        'Equations of motion and how they are integrated; see equations.md.',
        str, choices=tuple(equations.REGISTRY),
    ),
    Parameter(
        'tick_rate', 32.0, 'Hz',
        'Ticks in a second of simulated time, at each of which the state is published; a tick '
        'must be a whole number of nanoseconds.', low=0.01, high=10_000.0,
    ),
    Parameter(
        'substeps', 0, '',
        'Steps of the equations in a tick; 0 chooses them from the rate of the body.',
        int, low=0, high=1_000_000, read_only=False,
    ),
    Parameter(
        'real_time_factor', 1.0, '',
        'Simulated seconds in a second of wall time; 0 is as fast as possible.',
        low=0.0, high=1000.0, read_only=False, of_run=True,
    ),
    Parameter(
        'duration', 0.0, 's', 'Simulated time after which the run ends; 0 is never.',
        low=0.0, high=1e9, of_run=True,
    ),
    Parameter(
        'startup_delay', 0.0, 's',
        'Wall time before the first tick, for recorders and viewers to connect.',
        low=0.0, high=3600.0, of_run=True,
    ),
    Parameter(
        'start_paused', False, '', 'Wait for ~/pause or ~/step before the first step.',
        bool, of_run=True,
    ),
    Parameter(
        'publish_clock', True, '',
        'Publish /clock. One node in a graph may: set it false for all but one spacecraft.',
        bool, of_run=True,
    ),
    Parameter(
        'follow_clock', False, '',
        "Take the ticks of another process, the clock's master, and answer each (formation.md). A "
        "process's first spacecraft says it for all.", bool,
    ),
    Parameter(
        'followers', [], '',
        "Namespaces of the spacecraft that follow this process's clock, each of whose answers a "
        'tick waits for; those in the process itself need no clock but its own.',
        str, length=(),
    ),
    Parameter('frames.world', 'world', '', 'Name of the inertial frame.', str),
    Parameter(
        'frames.eci', 'eci', '',
        "Name of the inertial frame at the Earth's centre, with the axes of world.", str,
    ),
    Parameter(
        'frames.lvlh', 'lvlh', '',
        "Name of the orbit's frame: x forward, y against its normal, z down.", str,
    ),
    Parameter('frames.body', 'base_link', '', 'Name of the body frame.', str),
    Parameter('frames.imu', 'imu_link', '', 'Name of the IMU frame.', str),
    *SPACECRAFT,
    *sensors.SENSORS,
)  # fmt: skip

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
    xyz('position', 'm', 1e6, 'Centre of mass, in the axes the body was designed in.'),
    attitude('orientation', 'Unit quaternion w, x, y, z, part to body.'),
    Parameter(
        'color', [0.7, 0.7, 0.75, 1.0], '', 'Red, green, blue, alpha.', length=(4,),
        low=0.0, high=1.0,
    ),
)  # fmt: skip


# Each of application_frames is described by these, under application.<name>.
APPLICATION_FRAME = (
    xyz(
        'position', 'm', 1e6, 'Origin, where a force acts, in the axes the body was designed in.',
    ),
    attitude('orientation', 'Unit quaternion w, x, y, z, frame to body.'),
)  # fmt: skip
# (parameter that lists names, prefix under which each is described, by what)
NAMED = (
    ('body.parts', 'parts', PART),
    ('application_frames', 'application', APPLICATION_FRAME),
    *actuators.NAMED,
    *internal_parts.NAMED,
    ('surfaces', 'surface', earth_parameters.SURFACE),
    *sensors.NAMED,
)


def unknown(name: str, valid: Collection[str]) -> ParameterError:
    """Return the ParameterError for a name that is not one of the valid ones."""
    hint = suggestion.hint(name, valid, 'docs/parameters.md')
    return ParameterError(f'{name} is not a parameter; {hint}')
