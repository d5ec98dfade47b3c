# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The RViz configurations ask only for what exists: displays, properties, topics, frames."""

from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from conftest import ROOT
from rclpy.parameter import Parameter

from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.drawing import body_looks, rviz
from spacecraft_attitude_sim.nodes.markers import poinsot_markers

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
        'fixed_frame_orientation',
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
    from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
    from spacecraft_attitude_sim.nodes.simulator import contact

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
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    assert 5.0 * reach < view['Distance'] < 8.0 * reach
    assert manager['Global Options']['Fixed Frame'] == 'world'
    classes = [display['Class'].split('/')[1] for display in manager['Displays']]
    assert classes[-1] == 'Imu'
    assert ('Grid' in classes) == (found.plant.contact is None)
    assert view['Target Frame'] == ('base_link' if found.plant.contact else '<Fixed Frame>')


def formation_of(text=None, tmp_path=None):
    """Return {namespace: Scenario} of the shipped formation, or of the text of a file."""
    path = scenario.find('formation')
    if text:
        path = tmp_path / 'several.yaml'
        path.write_text(text)
    return {
        one.name: scenario.of_sections(one.sections, one.source)
        for one in formation.members([path])
    }


def test_several_spacecraft_are_shown_by_displays_of_their_own_topics():
    found = formation_of()
    text = rviz.of_several(found, with_imu=True)
    displays = displays_of(text)
    assert len({display['Name'] for display in displays}) == len(displays)
    one = displays_of(rviz.configuration(found['chief'], with_imu=True))
    expected = [f'/{name}/{d["Topic"]["Value"]}' for name in found for d in one if 'Topic' in d]
    shown = [d for d in displays if 'Topic' in d]
    assert [display['Topic']['Value'] for display in shown] == expected
    assert '/deputy_2/markers' in expected
    for display in shown:
        assert display['Name'].startswith(display['Topic']['Value'].split('/')[1] + ': ')
        assert set(display) <= PROPERTIES[display['Class']] | DISPLAY
    assert [d['Name'] for d in displays if 'Topic' not in d] == [
        d['Name'] for d in one if 'Topic' not in d
    ]
    manager = yaml.safe_load(text)['Visualization Manager']
    assert manager['Global Options']['Fixed Frame'] == 'world'
    # They stand 1 m to both sides of the first, and reach 0.18 m; RViz sees 45 degrees of height.
    assert 2.4 * 1.18 < manager['Views']['Current']['Distance'] < 8.0 * 1.18


LARGE_AND_SMALL = """
/small/simulator: {ros__parameters: {initial: {position: [0.0, 0.0, 4.0]}}}
/small/contact: {ros__parameters: {surface: {shape: sphere, radius: 0.1}}}
/large/simulator: {ros__parameters: {initial: {position: [6.0, 0.0, 4.0]}}}
/large/contact: {ros__parameters: {surface: {shape: sphere, radius: 2.0}}}
"""


def test_several_spacecraft_are_in_the_picture_each_in_its_size(tmp_path):
    found = formation_of(LARGE_AND_SMALL, tmp_path)
    text = rviz.of_several(found)
    view = yaml.safe_load(text)['Visualization Manager']['Views']['Current']
    assert view['Focal Point'] == {'X': 3.0, 'Y': 0.0, 'Z': 4.0}
    assert view['Target Frame'] == '<Fixed Frame>'
    assert 2.4 * 5.0 < view['Distance'] < 8.0 * 5.0
    for name, one in found.items():
        (alone,) = (d for d in displays_of(rviz.configuration(one)) if 'Wrench' in d['Class'])
        (shown,) = (
            d
            for d in displays_of(text)
            if 'Wrench' in d['Class'] and d['Name'].startswith(f'{name}: ')
        )
        assert shown['Force Arrow Scale'] == alone['Force Arrow Scale']


def test_a_scenario_with_a_controller_shows_its_reference():
    free = scenario.load(scenario.shipped()['cubesat_tumble'])
    assert rviz.kind(free) == 'view'
    controlled = SimpleNamespace(plant=free.plant, controller={'mode': 'pointing'})
    assert rviz.kind(controlled) == 'pointing'


def test_panels_leave_room_for_the_picture(shipped):
    """Without a saved layout RViz puts every panel on the left, as wide as the widest wants."""
    tree = yaml.safe_load(shipped)
    panels = {panel['Class'] for panel in tree['Panels']}
    assert panels == {'rviz_common/Displays'}
    assert 'QMainWindow State' not in tree['Window Geometry']


def test_only_what_is_understood_at_a_glance_is_on(shipped):
    on = {display['Class'].split('/')[1] for display in displays_of(shipped) if display['Enabled']}
    assert on <= {'Grid', 'MarkerArray', 'Pose', 'Wrench'}
    assert {'MarkerArray'} <= on
    for display in displays_of(shipped):
        assert display['Value'] == display['Enabled']
        if display['Class'].endswith('Pose'):  # the body's own axes are markers, without a lag
            assert display['Topic']['Value'] == 'control/reference'


def test_the_principal_axes_are_there_to_be_ticked(shipped):
    (markers,) = [d for d in displays_of(shipped) if d['Class'].endswith('MarkerArray')]
    assert markers['Namespaces'] == {'center_of_mass': False, 'principal_axes': False}


def test_accelerations_are_drawn_in_the_axes_of_the_body():
    found = scenario.load(scenario.shipped()['tippe_top'])
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    *_, imu = displays_of(rviz.configuration(found, with_imu=True))
    assert imu['fixed_frame_orientation'] is False
    assert imu['Enabled'] is imu['Value'] is False
    scale = imu['Acceleration properties']['Acc. vector scale']
    assert scale == pytest.approx(0.15 * reach)


def wrench_of(found):
    """Return the Wrench display of a Scenario's configuration."""
    (display,) = (
        display
        for display in displays_of(rviz.configuration(found))
        if display['Class'].endswith('Wrench')
    )
    return display


@pytest.mark.parametrize('torque', [2e-3, 5e-6, 40.0])
def test_the_largest_torque_of_the_controller_is_three_reaches_long(torque):
    found = scenario.load(scenario.shipped()['cubesat_pointing'])
    found = scenario.changed(
        found,
        {'command_torque_limit': 3 * [100.0]},
        'test',
        controller={'torque_limit': [torque, torque / 2.0, torque]},
    )
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    display = wrench_of(found)
    assert display['Enabled'] is True
    assert display['Torque Arrow Scale'] * torque == pytest.approx(3.0 * reach)
    assert display['Arrow Width'] == pytest.approx(0.5 * reach)  # shorter arrows are hidden
    assert f'{torque:.3g} N m' in display['Name']


def test_a_torque_that_the_simulator_shortens_is_drawn_as_it_acts():
    found = scenario.load(scenario.shipped()['cubesat_pointing'])
    found = scenario.changed(
        found, {'command_torque_limit': 3 * [1e-3]}, 'test', controller={'torque_limit': 3 * [1.0]}
    )
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    assert wrench_of(found)['Torque Arrow Scale'] * 1e-3 == pytest.approx(3.0 * reach)


def test_the_contact_force_of_a_resting_body_comes_out_of_it():
    found = scenario.load(scenario.shipped()['rattleback'])
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    weight = found.plant.body.mass * np.linalg.norm(found.plant.gravity_W)
    display = wrench_of(found)
    assert display['Force Arrow Scale'] * weight == pytest.approx(2.5 * reach)
    assert display['Torque Arrow Scale'] * weight * reach == pytest.approx(2.5 * reach)
    assert display['Arrow Width'] < 0.1 * reach


def test_poinsots_picture_is_left_of_the_body_and_in_the_picture():
    """RViz looks from yaw and pitch through 45 degrees of height; its view is wider than high."""
    found = scenario.load(scenario.shipped()['tennis_racket'])
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    manager = yaml.safe_load(rviz.configuration(found))['Visualization Manager']
    view = manager['Views']['Current']
    yaw, pitch = view['Yaw'], view['Pitch']
    level = np.array((np.cos(yaw), np.sin(yaw), 0.0))
    toward = np.cos(pitch) * level + (0.0, 0.0, np.sin(pitch))
    right = np.array((-level[1], level[0], 0.0))
    focus = np.array([view['Focal Point'][axis] for axis in 'XYZ'])

    def across(point):
        seen = np.asarray(point) - focus
        return seen @ right / (view['Distance'] - seen @ toward) / np.tan(np.pi / 8.0)

    middle = across(poinsot_markers.DISTANCE * reach * poinsot_markers.ASIDE_W)
    radius = poinsot_markers.PLANE_RADIUS * reach / view['Distance'] / np.tan(np.pi / 8.0)
    body = across((0.0, 0.0, 0.0))
    assert middle - radius > -1.2
    assert middle + radius < body - 0.3
    assert body < 0.3
