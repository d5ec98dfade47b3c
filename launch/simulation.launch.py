# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Start the simulator, its markers and its controller; on request also RViz and a recording.

The nodes of several spacecraft are in one process. The launch ends with the simulation, or with
RViz when you close it; RViz keeps the last picture.
"""

import os
import shlex
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from ament_index_python.packages import get_packages_with_prefixes
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    Shutdown,
)
from launch.conditions import IfCondition
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from spacecraft_attitude_sim.configuration import discovery, formation, scenario, trust
from spacecraft_attitude_sim.configuration.share import PACKAGE
from spacecraft_attitude_sim.drawing import rviz
from spacecraft_attitude_sim.recording import topics

# Wall time from the simulator's first topic to its first tick [s], if something must connect
# before. `ros2 bag record` looks for new topics ten times a second; RViz takes longer.
STARTUP_DELAY = 3.0
# Topics that are most of a bag; you can draw them again from the rest.
MARKERS = 'visualization_msgs/msg/MarkerArray'
# {argument: executable of what a controller flies on}
EXECUTABLES = {
    'estimator': 'attitude_estimator', 'guidance': 'attitude_guidance', 'mission': 'mission_modes',
}  # fmt: skip
# Remappings of what reads the estimate in place of the IMU's orientation.
ON_ESTIMATE = [(topics.IMU, topics.ESTIMATE)]

ARGUMENTS = (
    (
        'scenario', 'tennis_racket',
        'Name of a shipped scenario, or path of a ROS parameter file; of several spacecraft, a,b.',
    ),
    (
        'real_time_factor', '',
        'Simulated seconds in a second; empty: as the scenario says; 0: as fast as possible.',
    ),
    ('duration', '', 'Simulated seconds; empty for what the scenario says, 0 for ever.'),
    (
        'lockstep', '',
        "Wait for the controller's answer to every tick; empty: as the scenario says.",
    ),
    ('namespace', '', 'Namespace of every node of one spacecraft; several have their own.'),
    (
        'controller', '',
        "Command line of a controller, in place of the scenario's own; none for no controller.",
    ),
    (
        'estimator', 'true',
        "Start the scenario's own attitude_estimator, on which its controller then flies.",
    ),
    (
        'guidance', 'true',
        "Start the scenario's own attitude_guidance, which its controller then follows.",
    ),
    (
        'mission', 'true',
        "Start the scenario's own mission_modes, which controller and guidance then follow.",
    ),
    ('publish_clock', 'true', 'Whether this spacecraft publishes /clock; only one may.'),
    (
        'lifecycle', 'false',
        'Start the simulator as a managed node, which ros2 lifecycle configures and activates.',
    ),
    ('network', 'false', 'Let other machines hear and command; else only this one.'),
    ('markers', 'true', 'Publish markers for RViz.'),
    ('rviz', 'false', 'Open RViz; the launch then goes on until it is closed.'),
    ('rviz_config', '', "Its configuration; empty for the one of the scenario's kind."),
    ('trust', '', 'Python modules, a,b, that the scenario may import for a surface or floor.'),
    ('record', 'false', 'Record every topic but the markers with ros2 bag (mcap).'),
    ('bag', '', 'Folder of the recording, made new; empty for attitude_<date>_<time>.'),
)  # fmt: skip


def generate_launch_description():
    """Return the description; `ros2 launch … --show-args` lists its arguments."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            OpaqueFunction(function=_nodes),
        ]
    )


def _nodes(context):
    """Return the actions, now that the scenario's name is known."""
    # Passed to the nodes in the environment.
    trust.give(trust.named_in(LaunchConfiguration('trust').perform(context)))
    names = LaunchConfiguration('scenario').perform(context).split(',')
    paths = [scenario.find(name) for name in names]  # raises an error that lists the scenarios
    members = formation.complete(paths)
    found = {
        member.name: scenario.of_sections(member.sections, member.source) for member in members
    }
    readable, rewritten = _readable(paths[0])
    bag = LaunchConfiguration('bag').perform(context)
    rviz_config, rviz_actions = _rviz_config(context, found)
    several = len(members) > 1
    return [
        *(
            SetEnvironmentVariable(name, value)
            for name, value in discovery.settings(_is_true(context, 'network'), os.environ).items()
        ),
        *(_together(context, paths) if several else _alone(context, readable, *found.values())),
        *rviz_actions,
        *rewritten,
        Node(
            package='rviz2',
            executable='rviz2',
            namespace=LaunchConfiguration('namespace'),
            arguments=['-d', rviz_config],
            parameters=[{'use_sim_time': True}],
            output='screen',
            on_exit=Shutdown(reason='RViz was closed'),
            condition=IfCondition(LaunchConfiguration('rviz')),
        ),
        ExecuteProcess(
            cmd=[
                'ros2', 'bag', 'record', '--all', '--exclude-topic-types', MARKERS,
                '--storage', 'mcap', '--output',
                bag or f'attitude_{datetime.now():%Y_%m_%d_%H_%M_%S}',
            ],
            output='screen',
            condition=IfCondition(LaunchConfiguration('record')),
        ),
    ]  # fmt: skip


def _alone(context, path, found):
    """Return the nodes of one spacecraft, one process each.

    path: of its file;  found: its Scenario
    """
    controller = LaunchConfiguration('controller').perform(context)
    return [
        Node(
            package=PACKAGE,
            executable='simulator',
            namespace=LaunchConfiguration('namespace'),
            arguments=['--lifecycle'] if _is_true(context, 'lifecycle') else [],
            parameters=[str(path), _given(context)],
            output='screen',
            on_exit=_after_simulation(_is_true(context, 'rviz')),
        ),
        Node(
            package=PACKAGE,
            executable='markers',
            namespace=LaunchConfiguration('namespace'),
            output='screen',
            condition=IfCondition(LaunchConfiguration('markers')),
        ),
        *(estimator := _aid(context, 'estimator', path, found)),
        *_aid(context, 'guidance', path, found),
        *_aid(context, 'mission', path, found, bool(estimator)),
        *_controller(controller, path if found.controller is not None else None, bool(estimator)),
    ]


def _together(context, paths):
    """Return the process with all nodes of several spacecraft; paths: of their files."""
    if namespace := LaunchConfiguration('namespace').perform(context):
        raise scenario.ScenarioError(
            f'namespace:={namespace} is for one spacecraft; of several each has that of its '
            'section or file'
        )
    controller = LaunchConfiguration('controller').perform(context)
    return [
        Node(
            package=PACKAGE,
            executable='formation',
            arguments=[
                *map(str, paths),
                *(f'-p{name}:={value}' for name, value in _given(context).items()),
                *(['--no-controller'] if controller else []),
                *([] if _is_true(context, 'markers') else ['--no-markers']),
                *(['--lifecycle'] if _is_true(context, 'lifecycle') else []),
            ],
            output='screen',
            on_exit=_after_simulation(_is_true(context, 'rviz')),
        ),
        *_controller(controller, None),
    ]


def _given(context):
    """Return {name: value} of the simulator parameters given as arguments."""
    watched = _is_true(context, 'rviz') or _is_true(context, 'record')
    given = {
        'publish_clock': _is_true(context, 'publish_clock'),
        'startup_delay': STARTUP_DELAY if watched else 0.0,
    }
    for name in ('real_time_factor', 'duration'):
        if text := LaunchConfiguration(name).perform(context):
            given[name] = float(text)
    if LaunchConfiguration('lockstep').perform(context):
        given['lockstep'] = _is_true(context, 'lockstep')
    return given


def _is_true(context, argument):
    """Return whether an argument is true; launch rejects other values than true and false."""
    return IfCondition(LaunchConfiguration(argument)).evaluate(context)


def _after_simulation(shown):
    """Return an exit handler that ends the launch, but not if RViz shows the end of the run."""

    def end(event, context):
        failed = event.returncode != 0
        return Shutdown(reason='the simulation has ended') if failed or not shown else None

    return end


def _rviz_config(context, found):
    """Return the path of the user's RViz configuration, or of a new one with actions to remove it.

    found: {name: Scenario} of the spacecraft
    """
    given = LaunchConfiguration('rviz_config').perform(context)
    if given or not _is_true(context, 'rviz'):
        return given, []
    with_imu = 'rviz_imu_plugin' in get_packages_with_prefixes()
    one, *others = found.values()
    text = rviz.of_several(found, with_imu) if others else rviz.configuration(one, with_imu)
    path, actions = _temporary(f'{"formation" if others else rviz.kind(one)}.rviz', text)
    return str(path), actions


def _readable(path):
    """Return the path of a parameter file for ROS, and the actions that remove it if it is new."""
    text = scenario.text_for_ros(path)
    return _temporary(path.name, text) if text else (path, [])


def _temporary(name, text):
    """Return the path of a new file, and the actions that remove it at the end."""
    folder = Path(tempfile.mkdtemp(prefix='attitude_'))
    path = folder / name
    path.write_text(text, encoding='utf-8')

    def remove(event, context):
        shutil.rmtree(folder, ignore_errors=True)

    return path, [RegisterEventHandler(OnShutdown(on_shutdown=remove))]


def _aid(context, name, path, found, estimated=False):
    """Return the action that starts the estimator, guidance or mission of a scenario, or none.

    name: estimator, guidance or mission;  estimated: whether it reads the estimate
    """
    if getattr(found, name) is None or not _is_true(context, name):
        return []
    return [
        Node(
            package=PACKAGE,
            executable=EXECUTABLES[name],
            namespace=LaunchConfiguration('namespace'),
            parameters=[str(path), {'use_sim_time': LaunchConfiguration('publish_clock')}],
            remappings=ON_ESTIMATE if estimated else [],
            output='screen',
        )
    ]


def _controller(command, path, estimated=False):
    """Return the action that starts the user's controller or a scenario's, or no action.

    path: of the scenario with a controller, else None
    estimated: whether it flies on the estimate
    """
    if command == 'none' or not (command or path):
        return []
    if command:
        return [ExecuteProcess(cmd=shlex.split(command), output='screen')]
    return [
        Node(
            package=PACKAGE,
            executable='attitude_controller',
            namespace=LaunchConfiguration('namespace'),
            # A pause of the simulation is not a failure of the IMU. But /clock may be another's.
            parameters=[str(path), {'use_sim_time': LaunchConfiguration('publish_clock')}],
            remappings=ON_ESTIMATE if estimated else [],
            output='screen',
        )
    ]
