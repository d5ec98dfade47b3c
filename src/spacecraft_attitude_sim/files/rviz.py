# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The RViz configuration of a scenario: one of config/*.rviz, in the size of its body."""

import yaml

from spacecraft_attitude_sim.files.share import share_directory

# The shipped files are made for a body that reaches as far from its centre of mass [m].
REACH = 0.1
# What they hold in metres of the picture.
LENGTHS = (
    'Axes Length', 'Axes Radius', 'Cell Size', 'Distance', 'Marker Scale', 'Near Clip Distance',
    'X', 'Y', 'Z',
)  # fmt: skip
# The display of the package rviz_imu_plugin, which a ROS installation may lack.
IMU = {
    'Acceleration properties': {
        'Acc. vector alpha': 1,
        'Acc. vector scale': 0.1,
        'Derotate acceleration': False,
        'Enable acceleration': True,
    },
    'Axes properties': {'Axes scale': 1, 'Enable axes': False},
    'Box properties': {'Enable box': False},
    'Class': 'rviz_imu_plugin/Imu',
    'Enabled': True,
    'Name': 'IMU',
    'Topic': {
        'Depth': 5,
        'Durability Policy': 'Volatile',
        'Filter size': 10,
        'History Policy': 'Keep Last',
        'Reliability Policy': 'Best Effort',
        'Value': 'imu/data',
    },
    'Value': True,
}


def kind(found):
    """Return the name of the configuration for a Scenario: 'contact', 'pointing' or 'view'."""
    if found.plant.contact:
        return 'contact'
    return 'pointing' if found.controller is not None else 'view'


def configuration(found, with_imu=False):
    """Return the text of a configuration for a Scenario.

    with_imu: whether rviz_imu_plugin is installed
    """
    path = share_directory() / 'config' / f'{kind(found)}.rviz'
    tree = yaml.safe_load(path.read_text(encoding='utf-8'))
    reach = max(part.reach() for part in found.drawn_parts())
    tree = _scaled(tree, reach / REACH)
    manager = tree['Visualization Manager']
    manager['Global Options']['Fixed Frame'] = found.parameters['frames.world']
    view = manager['Views']['Current']
    if view['Target Frame'] == 'base_link':
        view['Target Frame'] = found.parameters['frames.body']
    if with_imu:
        manager['Displays'].append(IMU)
    return yaml.safe_dump(tree, sort_keys=False)


def _scaled(tree, factor):
    """Return the tree with every length multiplied."""
    if isinstance(tree, list):
        return [_scaled(branch, factor) for branch in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: value * factor if key in LENGTHS and not isinstance(value, dict)
        else _scaled(value, factor)
        for key, value in tree.items()
    }  # fmt: skip
