# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The RViz configuration of a scenario: one of config/*.rviz, scaled to the size of its body.

For several spacecraft it has the displays of each, on its own topics.

It has no Time or Views panel. Without a `QMainWindow State`, RViz docks every panel on the left,
which would leave 80 of 1200 pixels for the 3D view.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from spacecraft_attitude_sim.configuration import scenario, scenario_file
from spacecraft_attitude_sim.configuration.share import share_directory
from spacecraft_attitude_sim.configuration.yaml_file import dumped
from spacecraft_attitude_sim.drawing import body_looks, internal_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.configuration.formation import Member
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

# Reach of the body for which the shipped files are made [m].
REACH = 0.1
# Keys of these files that are lengths in the 3D view.
LENGTHS = (
    'Acc. vector scale', 'Arrow Width', 'Axes Length', 'Axes Radius', 'Cell Size', 'Distance',
    'Marker Scale', 'Near Clip Distance', 'X', 'Y', 'Z',
)  # fmt: skip
# Arrow lengths in reaches of the body: in the Wrench display for the controller's largest torque
# and for the body's weight (as a torque: at one reach); in the IMU display for 1 m/s^2. RViz hides
# arrows of a Wrench that are shorter than its Arrow Width.
TORQUE_LENGTH, WEIGHT_LENGTH, ACCELERATION_LENGTH = 3.0, 2.5, 0.15
# For several spacecraft: visible size of each, in its reaches, and tangents of half the field of
# view of RViz: 45 degrees vertically, more horizontally in the window of config/*.rviz.
SEEN, UPWARDS, SIDEWAYS = 1.9, float(np.tan(np.pi / 8.0)), 1.35 * float(np.tan(np.pi / 8.0))
# Largest factor by which texts grow if spacecraft are far from each other.
MOST_WORDS = 1000.0
# The display of the package rviz_imu_plugin, which a ROS installation may lack. Its components
# are in body axes; a frame fixed in the world would rotate them. It is off, because without TF it
# stays a red arrow straight down.
IMU = {
    'Acceleration properties': {
        'Acc. vector alpha': 1,
        'Acc. vector scale': ACCELERATION_LENGTH * REACH,
        'Derotate acceleration': False,
        'Enable acceleration': True,
    },
    'Axes properties': {'Axes scale': 1, 'Enable axes': False},
    'Box properties': {'Enable box': False},
    'Class': 'rviz_imu_plugin/Imu',
    'Enabled': False,
    'Name': 'IMU',
    'Topic': {
        'Depth': 5,
        'Durability Policy': 'Volatile',
        'Filter size': 10,
        'History Policy': 'Keep Last',
        'Reliability Policy': 'Best Effort',
        'Value': 'imu/data',
    },
    'Value': False,
    'fixed_frame_orientation': False,
}


def kind(found: Scenario) -> str:
    """Return the configuration for a Scenario: 'contact', 'pointing' or 'view'."""
    if found.plant.contact:
        return 'contact'
    return 'pointing' if found.controller is not None else 'view'


def configuration(found: Scenario, with_imu: bool = False) -> str:
    """Return the text of the RViz configuration of a Scenario.

    with_imu: whether rviz_imu_plugin is installed
    """
    return dumped(_tree(found, with_imu))


def of_several(found: Mapping[str, Scenario], with_imu: bool = False) -> str:
    """Return the text of the RViz configuration of several spacecraft.

    The camera looks at the middle of their initial positions, from a distance that shows them all.
    found: {namespace: Scenario};  with_imu: whether rviz_imu_plugin is installed
    """
    trees = {name: _tree(one, with_imu) for name, one in found.items()}
    tree, *_ = trees.values()
    manager = tree['Visualization Manager']
    manager['Displays'] = [one for one in manager['Displays'] if 'Topic' not in one] + [
        _of_its_own(name, display)
        for name, own in trees.items()
        for display in _displays(own)
        if 'Topic' in display
    ]
    view = manager['Views']['Current']
    view['Target Frame'] = '<Fixed Frame>'
    view['Focal Point'] = dict(zip('XYZ', _middle(found).tolist(), strict=True))
    view['Distance'] = _distance(found, view)
    return dumped(tree)


def captioned(members: list[Member]) -> list[Member]:
    """Return the spacecraft of a run, with `markers` parameters for readable texts.

    Several spacecraft have one caption, above the one that is highest in the picture, and texts
    large enough for the distance of the camera. Parameters that a file gives stay.
    """
    if len(members) < 2:
        return members
    try:
        found = {one.name: scenario.of_sections(one.sections, one.source) for one in members}
    except scenario_file.ScenarioError:  # its simulator will report it
        return members
    alone = {name: _tree(one, False)['Visualization Manager'] for name, one in found.items()}
    views = {name: manager['Views']['Current'] for name, manager in alone.items()}
    view = next(iter(views.values()))
    distance = _distance(found, view)
    highest = max(found, key=lambda name: _height(found[name], _middle(found), view, distance))
    return [
        one._replace(
            sections={
                **one.sections,
                'markers': {
                    'caption': one.name == highest,
                    'size_of_words': min(distance / views[one.name]['Distance'], MOST_WORDS),
                    **one.sections.get('markers', {}),
                },
            }
        )
        for one in members
    ]


def _middle(found: Mapping[str, Scenario]) -> Vector3:
    """Return the middle (3,) of the initial positions of several spacecraft [m]."""
    places = np.array([one.initial.position_W for one in found.values()])
    return (places.min(axis=0) + places.max(axis=0)) / 2.0


def _distance(found: Mapping[str, Scenario], view: dict[str, Any]) -> float:
    """Return the distance [m] from the middle of several spacecraft from which all are visible.

    view: RViz's view, whose yaw and pitch give the direction
    """
    toward, right, up = view_axes(view['Yaw'], view['Pitch'])
    middle, least = _middle(found), []
    for one in found.values():
        away, radius = one.initial.position_W - middle, SEEN * _reach(one)
        for across, tangent in ((right, SIDEWAYS), (up, UPWARDS)):
            sine = tangent / np.hypot(1.0, tangent)
            least.append(away @ toward + abs(away @ across) / tangent + radius / sine)
    return float(max(least))


def _height(found: Scenario, middle_W: Vector3, view: dict[str, Any], distance: float) -> float:
    """Return how high above the middle of the picture a spacecraft begins, over its distance."""
    toward, _, up = view_axes(view['Yaw'], view['Pitch'])
    away_W = found.initial.position_W - middle_W
    return float((away_W @ up) / (distance - away_W @ toward))


def view_axes(yaw: float, pitch: float) -> tuple[Vector3, Vector3, Vector3]:
    """Return unit vectors (3,) to the eye, and to the right and up in the picture of a view.

    yaw, pitch: of RViz's orbiting view [rad]
    """
    level = np.array((np.cos(yaw), np.sin(yaw), 0.0))
    toward = np.cos(pitch) * level + (0.0, 0.0, np.sin(pitch))
    right = np.array((-level[1], level[0], 0.0))
    return toward, right, np.cross(toward, right)


def _of_its_own(name: str, display: dict[str, Any]) -> dict[str, Any]:
    """Return a display with its topic in a namespace."""
    topic = {**display['Topic'], 'Value': f'/{name}/{display["Topic"]["Value"]}'}
    return {**display, 'Name': f'{name}: {display["Name"]}', 'Topic': topic}


def _displays(tree: dict[str, Any]) -> list[dict[str, Any]]:
    return tree['Visualization Manager']['Displays']


def _reach(found: Scenario) -> float:
    """Return how far the body and its panels extend from its centre of mass [m]."""
    inside = found.plant.spacecraft.internal
    return internal_looks.reach_of(inside, body_looks.drawn_parts(found))


def _tree(found: Scenario, with_imu: bool) -> dict[str, Any]:
    """Return the configuration of a Scenario as a nested mapping."""
    path = share_directory() / 'config' / f'{kind(found)}.rviz'
    tree = yaml.safe_load(path.read_text(encoding='utf-8'))
    reach = _reach(found)
    if with_imu:
        tree['Visualization Manager']['Displays'].append(copy.deepcopy(IMU))
    tree = _scaled(tree, reach / REACH)
    manager = tree['Visualization Manager']
    for display in manager['Displays']:
        if display['Class'] == 'rviz_default_plugins/Wrench':
            _scale_wrench(display, found, reach)
    manager['Global Options']['Fixed Frame'] = found.parameters['frames.world']
    view = manager['Views']['Current']
    if found.plant.beyond_rigid_body:  # Poinsot's ellipsoid is not drawn
        view['Focal Point'] = dict.fromkeys('XYZ', 0.0)
    if view['Target Frame'] == 'base_link':
        view['Target Frame'] = found.parameters['frames.body']
    return tree


def _scaled(tree: Any, factor: float) -> Any:
    """Return the tree with every length multiplied by a factor."""
    if isinstance(tree, list):
        return [_scaled(branch, factor) for branch in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: value * factor if key in LENGTHS and not isinstance(value, dict)
        else _scaled(value, factor)
        for key, value in tree.items()
    }  # fmt: skip


def _scale_wrench(display: dict[str, Any], found: Scenario, reach: float) -> None:
    """Scale a Wrench display to the largest torque of the controller, or to the body's weight."""
    if display['Topic']['Value'] == 'command/wrench':
        torque = _largest_torque(found)
        if torque:
            display['Torque Arrow Scale'] = TORQUE_LENGTH * reach / torque
            display['Name'] += f', {torque:.3g} N m at most'
    elif weight := found.plant.body.mass * float(np.linalg.norm(found.plant.gravity_W)):
        display['Force Arrow Scale'] = WEIGHT_LENGTH * reach / weight
        display['Torque Arrow Scale'] = WEIGHT_LENGTH / weight


def _largest_torque(found: Scenario) -> float:
    """Return the largest torque [N m] that the controller commands and the simulator allows."""
    assert found.controller is not None  # see `kind`
    limits = (found.controller['torque_limit'], found.parameters['command_torque_limit'])
    return max(np.minimum(*limits).tolist())
