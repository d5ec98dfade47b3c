# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The RViz configurations ask only for what exists: displays, properties, topics, frames."""

from types import SimpleNamespace

import pytest
import yaml
from conftest import ROOT
from rclpy.parameter import Parameter

from spacecraft_attitude_sim.files import rviz, scenario

KINDS = ('view', 'contact', 'pointing')
DISPLAY = {'Class', 'Enabled', 'Name', 'Value'}
ARROW = {'Shaft Length', 'Shaft Radius', 'Head Length', 'Head Radius'}
AXES = {'Shape', 'Color', 'Alpha', 'Axes Length', 'Axes Radius', *ARROW}
# Displays and their properties, read in the sources of rviz_default_plugins, branch jazzy, and the
# later branch from which kilted came; of rviz_imu_plugin in those of imu_tools.
PROPERTIES = {
    'rviz_default_plugins/Grid': {
        'Reference Frame', 'Plane Cell Count', 'Normal Cell Count', 'Cell Size', 'Line Style',
        'Color', 'Alpha', 'Plane', 'Offset',
    },
    'rviz_default_plugins/MarkerArray': {'Topic', 'Namespaces'},
    'rviz_default_plugins/Pose': {'Topic', *AXES},
    'rviz_default_plugins/Odometry': {
        'Topic', 'Position Tolerance', 'Angle Tolerance', 'Keep', 'Shape', 'Covariance',
    },
    'rviz_default_plugins/Wrench': {
        'Topic', 'Accept NaN Values', 'Force Color', 'Torque Color', 'Alpha', 'Force Arrow Scale',
        'Torque Arrow Scale', 'Arrow Width', 'History Length',
    },
    'rviz_default_plugins/TF': {
        'Show Names', 'Show Axes', 'Show Arrows', 'Marker Scale', 'Update Interval',
        'Frame Timeout', 'Frames',
    },
    'rviz_imu_plugin/Imu': {
        'Topic', 'Box properties', 'Axes properties', 'Acceleration properties',
    },
}  # fmt: skip
TOPIC = {
    'Depth', 'Durability Policy', 'Filter size', 'History Policy', 'Reliability Policy', 'Value',
}  # fmt: skip
TYPES = {
    'MarkerArray': 'MarkerArray', 'Pose': 'PoseStamped', 'Odometry': 'Odometry',
    'Wrench': 'WrenchStamped', 'Imu': 'Imu',
}  # fmt: skip


def displays_of(text):
    """Return the displays of a configuration."""
    return yaml.safe_load(text)['Visualization Manager']['Displays']


@pytest.fixture(params=KINDS)
def shipped(request):
    """The text of each shipped configuration."""
    return (ROOT / 'config' / f'{request.param}.rviz').read_text()


def test_displays_and_their_properties_are_known_to_rviz(shipped):
    for display in [*displays_of(shipped), rviz.IMU]:
        assert set(display) <= PROPERTIES[display['Class']] | DISPLAY
        assert set(display.get('Topic', ())) <= TOPIC
    assert len({display['Name'] for display in displays_of(shipped)}) == len(displays_of(shipped))


def test_topics_are_published_with_the_type_a_display_wants(ros):
    from spacecraft_attitude_sim.nodes import contact
    from spacecraft_attitude_sim.nodes.markers import MarkersNode

    floor = ros.add(contact.offered(parameter_overrides=[Parameter('place', value=True)]))
    nodes = [ros.simulator(contact=floor), floor, ros.add(MarkersNode())]
    published = {
        publisher.topic_name.lstrip('/'): publisher.msg_type.__name__
        for node in nodes
        for publisher in node.publishers
    }
    # Of the controller, or of whoever commands.
    published |= {'control/reference': 'PoseStamped', 'command/wrench': 'WrenchStamped'}
    for name in KINDS:
        for display in [*displays_of((ROOT / 'config' / f'{name}.rviz').read_text()), rviz.IMU]:
            if 'Topic' in display:
                wanted = TYPES[display['Class'].split('/')[1]]
                assert published[display['Topic']['Value']] == wanted


@pytest.mark.parametrize('name', scenario.shipped())
def test_each_scenario_has_a_configuration_in_its_size_and_frames(name):
    found = scenario.load(scenario.shipped()[name])
    tree = yaml.safe_load(rviz.configuration(found, with_imu=True))
    manager = tree['Visualization Manager']
    view = manager['Views']['Current']
    reach = max(part.reach() for part in found.drawn_parts())
    assert 4.0 * reach < view['Distance'] < 20.0 * reach
    assert manager['Global Options']['Fixed Frame'] == 'world'
    classes = [display['Class'].split('/')[1] for display in manager['Displays']]
    assert classes[-1] == 'Imu'
    assert ('Grid' in classes) == (found.plant.contact is None)
    assert view['Target Frame'] == ('base_link' if found.plant.contact else '<Fixed Frame>')


def test_a_scenario_with_a_controller_shows_its_reference():
    free = scenario.load(scenario.shipped()['cubesat_tumble'])
    assert rviz.kind(free) == 'view'
    controlled = SimpleNamespace(plant=free.plant, controller={'mode': 'pointing'})
    assert rviz.kind(controlled) == 'pointing'
