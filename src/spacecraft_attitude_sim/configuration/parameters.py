# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the simulator: name, default, unit, range and meaning.

Parameters of the sensors, of contact and of the attitude_controller are in the modules of these
names; those of the observer nodes are in their nodes. The nodes declare these parameters, scenario
files are checked against them, and tests compare them with the tables in docs/parameters.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import (
    faults,
    parts,
    sensors,
    suggestion,
    surfaces,
)
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    asked_for,
    attitude,
    xyz,
)
from spacecraft_attitude_sim.configuration.spacecraft_parameters import SPACECRAFT
from spacecraft_attitude_sim.core import equations

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


# A batch of ticks blocks other callbacks. Beyond 5000, Fast DDS drops queued messages.
MOST_TICKS_AT_ONCE = 4096
# The command topics.
COMMANDS = ('command/wrench', 'command/impulse', *parts.COMMANDED)

# The default is the T-handle of S1, which flips about its intermediate axis again and again.
SIMULATOR = (
    Parameter('description', '', '', 'One line that says what the scenario shows.', str),
    Parameter('body.mass', 0.3412969, 'kg', 'Mass of the body.', low=1e-12, high=1e12),
    Parameter(
        'body.inertia', [62.2e-6, 171.5e-6, 210.5e-6], 'kg m^2',
        'Inertia about the centre of mass, body axes. Give Ixx, Iyy, Izz, or Ixx, Iyy, Izz, Ixy, '
        'Ixz, Iyz with Ixy = -int x y dm. body.inertia_about changes the reference point.',
        length=(3, 6), low=-1e12, high=1e12,
    ),
    Parameter(
        'body.inertia_about', 'center_of_mass', '',
        'Reference point of body.inertia. center_of_mass, or origin: the origin of the design '
        'axes. From origin the simulator moves it to the centre of mass, with body.mass and '
        'body.center_of_mass.',
        str, choices=('center_of_mass', 'origin'),
    ),
    xyz(
        'body.center_of_mass', 'm', 1e6, 'Centre of mass, in the design axes of the body.',
    ),
    Parameter(
        'body.given_for', 'whole', '',
        'What body.mass, body.inertia and body.center_of_mass describe. whole: the whole '
        'spacecraft, with its internal parts at their reference places. hub: the spacecraft '
        'without its internal parts, but with wheels and gimbals.', str, choices=('whole', 'hub'),
    ),
    Parameter(
        'body.parts', [], '',
        'Names of the primitive shapes of the body. If you give no body.inertia, their masses '
        'define mass and inertia. If you give it, they are only drawn.', str, length=(),
    ),
    Parameter(
        'body.density', 0.0, 'kg/m^3',
        'Density of a body that fills the contact surface. The simulator computes mass, inertia '
        'and centre of mass from it, and then reports these and a density of 0. 0: no density is '
        'given.',
        low=0.0, high=1e9,
    ),
    Parameter(
        'body.mesh.file', '', '',
        'Path of a mesh file (STL, OBJ, glTF) that shows the body. The mesh is in the design '
        'axes. A relative path begins at the working directory.', str,
    ),
    Parameter(
        'body.mesh.scale', 1.0, 'm', 'Length of one unit of the mesh: 0.001 for millimetres.',
        low=1e-9, high=1e9,
    ),
    Parameter(
        'body.mesh.density', 0.0, 'kg/m^3',
        'Density of a body that fills the mesh. The simulator computes mass, inertia and centre '
        'of mass from it, and then reports these and a density of 0. 0: no density is given.',
        low=0.0, high=1e9,
    ),
    Parameter(
        'body.mesh.color', [0.7, 0.7, 0.75, 1.0], '', 'Colour: red, green, blue, alpha.',
        length=(4,), low=0.0, high=1.0,
    ),
    xyz(
        'initial.position', 'm', 1e9,
        'Position of base_link at the start, world axes. On an air bearing base_link is at the '
        'pivot. Otherwise, without internal parts, it is at the centre of mass.',
    ),
    Parameter(
        'initial.point', 'base_link', '',
        'Point that initial.position and initial.velocity describe. base_link, or '
        'center_of_mass: the centre of mass of the whole spacecraft at the start, with its '
        'internal parts in their initial state.',
        str, choices=('base_link', 'center_of_mass'),
    ),
    Parameter(
        'initial.frame', 'world', '',
        'Axes to which initial.attitude and initial.angular_velocity are relative. world, or '
        'lvlh: the rotating axes of the orbit (x forward, y against the orbit normal, z down).',
        str, choices=('world', 'lvlh'),
    ),
    attitude(
        'initial.attitude',
        'Attitude at the start: unit quaternion w, x, y, z, from body axes to the axes of '
        'initial.frame.',
    ),
    xyz('initial.velocity', 'm/s', 1e6, 'Velocity of base_link at the start, world axes.'),
    xyz(
        'initial.angular_velocity', 'rad/s', 1e4,
        'Angular velocity at the start relative to initial.frame, body axes.',
        (0.01, 8.0, 0.01),
    ),
    xyz(
        'imu.position', 'm', 1e6,
        'Position of the IMU, in the design axes of the body. Default: the centre of mass.',
    ),
    attitude(
        'imu.orientation',
        'Orientation of the IMU: unit quaternion w, x, y, z, from imu_link to base_link.',
    ),
    xyz('gravity', 'm/s^2', 1e6, 'Uniform gravitational acceleration, world axes.'),
    Parameter(
        'application_frames', [], '',
        'Names of frames on the body in which you can give a command. A point needs no frame; '
        'see topics.md.', str, length=(),
    ),
    Parameter(
        'command_timeout', 0.5, 's',
        'Simulated time for which a command is held: a wrench, and that of each wheel, gimbal, '
        'thruster and magnetorquer. After that, without a new one (of a wrench: in its frame), it '
        'becomes zero. A controller that answers less often needs more. 0: it is held for ever.',
        low=0.0, high=1e9,
    ),
    Parameter(
        'command_force_limit', [1e9, 1e9, 1e9], 'N',
        "Largest force of a command/wrench along each axis of the command's frame.",
        length=(3,), low=0.0, high=1e9,
    ),
    Parameter(
        'command_torque_limit', [1e9, 1e9, 1e9], 'N m',
        "Largest torque of a command/wrench about each axis of the command's frame.",
        length=(3,), low=0.0, high=1e9,
    ),
    Parameter(
        'lockstep', False, '', 'Wait after each tick for the commands that carry its time stamp.',
        bool,
    ),
    Parameter(
        'lockstep_timeout', 5.0, 's',
        'Wall time to wait for these commands. After that the simulation pauses. 0: wait for '
        'ever.',
        low=0.0, high=1e6, read_only=False, of_run=True,
    ),
    Parameter(
        'lockstep_topics', ['command/wrench'], '',
        'Topics that a tick waits for in lockstep, from each node that publishes them: '
        f'{", ".join(COMMANDS)}.', str, length=tuple(range(1, len(COMMANDS) + 1)),
        choices=COMMANDS,
    ),
    Parameter(
        'lockstep_interval', 0, 'ticks',
        'Ticks from one tick that waits to the next, in lockstep. 0: as imu.interval.',
        int, low=0, high=1_000_000,
    ),
    Parameter(
        'lockstep_frames', [], '',
        'Frames in which a node commands at each tick, in lockstep. A tick waits for a node in '
        'each of these frames once the node has used one of them. From other nodes it waits for '
        'one command, in any frame.',
        str, length=(),
    ),
    Parameter(
        'step_ticks', 1, '', 'Ticks that one call of ~/step simulates.',
        int, low=1, high=MOST_TICKS_AT_ONCE, read_only=False,
    ),
    Parameter(
        'equations', 'momentum', '',
        'Equations of motion and their integrator; see equations.md.',
        str, choices=tuple(equations.REGISTRY),
    ),
    Parameter(
        'tick_rate', 32.0, 'Hz',
        'Ticks per second of simulated time. The state is published at each tick. A tick must be '
        'a whole number of nanoseconds.', low=0.01, high=10_000.0,
    ),
    Parameter(
        'substeps', 0, '',
        'Integration steps in one tick. 0: the simulator chooses the number from the angular '
        'rate.',
        int, low=0, high=1_000_000, read_only=False,
    ),
    Parameter(
        'accuracy', 0.0, 'rad/s',
        'Largest error that the sub-steps may add to the attitude in a second of simulated time, '
        'by an estimate. It lets the simulator choose the number of sub-steps, also fewer than '
        'the angular rate alone would. 0: it chooses them from the angular rate. Not with '
        'substeps, a floor or other equations than momentum.',
        low=0.0, high=1e-3,
    ),
    Parameter(
        'real_time_factor', 1.0, '',
        'Simulated seconds per second of wall time. 0: as fast as possible.',
        low=0.0, high=1000.0, read_only=False, of_run=True,
    ),
    Parameter(
        'duration', 0.0, 's', 'Simulated time at which the run ends. 0: it does not end.',
        low=0.0, high=1e9, of_run=True,
    ),
    Parameter(
        'startup_delay', 0.0, 's',
        'Wall time before the first tick. Recorders and viewers connect in this time.',
        low=0.0, high=3600.0, of_run=True,
    ),
    Parameter(
        'start_paused', False, '', 'Start paused. The first tick waits for ~/pause or ~/step.',
        bool, of_run=True,
    ),
    Parameter(
        'publish_clock', True, '',
        'Publish /clock. Only one node in a ROS graph may do so: set it to false for all '
        'spacecraft but one.',
        bool, of_run=True,
    ),
    Parameter(
        'follow_clock', False, '',
        'Follow the clock of another process (the master): take its ticks and answer each of '
        'them; see formation.md. Set it for the first spacecraft of a process; it applies to all '
        'of them.', bool,
    ),
    Parameter(
        'followers', [], '',
        "Namespaces of the spacecraft in other processes that follow this process's clock. Each "
        'tick waits for their answers.',
        str, length=(),
    ),
    Parameter('frames.world', 'world', '', 'Name of the inertial frame.', str),
    Parameter(
        'frames.eci', 'eci', '',
        "Name of the inertial frame at the Earth's centre. Its axes are those of world.", str,
    ),
    Parameter(
        'frames.lvlh', 'lvlh', '',
        "Name of the orbit's frame: x forward, y against the orbit normal, z down.", str,
    ),
    Parameter('frames.body', 'base_link', '', 'Name of the body frame.', str),
    Parameter('frames.imu', 'imu_link', '', 'Name of the IMU frame.', str),
    *SPACECRAFT,
    *sensors.SENSORS,
    faults.NAMES,
)  # fmt: skip

# Each part of body.parts is described by these, under parts.<name>.
PART = (
    Parameter(
        'shape', 'box', '',
        'box, cylinder (about z), sphere, ellipsoid, or half_ellipsoid (the half with z < 0).',
        str,
    ),
    Parameter(
        'size', [], 'm',
        'box: three edge lengths; cylinder: radius, length; sphere: radius; ellipsoid, '
        'half_ellipsoid: three semi-axes.', length=(1, 2, 3), low=1e-9, high=1e6,
    ),
    Parameter('mass', 0.0, 'kg', 'Mass, distributed uniformly.', low=1e-12, high=1e12),
    xyz('position', 'm', 1e6, 'Position of the centre of mass, in the design axes of the body.'),
    attitude('orientation', 'Orientation: unit quaternion w, x, y, z, from part to body axes.'),
    Parameter(
        'color', [0.7, 0.7, 0.75, 1.0], '', 'Colour: red, green, blue, alpha.', length=(4,),
        low=0.0, high=1.0,
    ),
)  # fmt: skip


# Parameters of each of `application_frames`, under application.<name>.
APPLICATION_FRAME = (
    xyz(
        'position', 'm', 1e6,
        'Origin of the frame, in the design axes of the body. A commanded force acts here.',
    ),
    attitude(
        'orientation', 'Orientation: unit quaternion w, x, y, z, from the frame to body axes.',
    ),
)  # fmt: skip
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (
    ('body.parts', 'parts', PART),
    ('application_frames', 'application', APPLICATION_FRAME),
    *parts.NAMED,
    ('surfaces', 'surface', surfaces.SURFACE),
    *sensors.NAMED,
    *faults.NAMED,
)
# The lists whose names become names of topics or joints.
NAMED_IN_ROS = {lists for lists, _, _ in (*parts.NAMED, *sensors.NAMED, *faults.NAMED)}


def unknown(name: str, valid: Collection[str]) -> ParameterError:
    """Return the ParameterError for a name that is not valid."""
    hint = suggestion.hint(name, valid, 'docs/parameters.md')
    return ParameterError(f'{name} is not a parameter; {hint}')


def checked(valid: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: value} of every parameter of a node, checked and converted to its type.

    valid: {name: Parameter} of the node;  given: {name: value}; others have their defaults
    Raises ParameterError for an unknown name, a missing or an invalid value.
    """
    for name in given:
        if name not in valid:
            raise unknown(name, list(valid))
    for mistake in asked_for(valid, given):
        raise mistake
    return {name: p.checked(given.get(name, p.default)) for name, p in valid.items()}
