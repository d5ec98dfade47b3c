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
from spacecraft_attitude_sim.drawing import body_looks, internal_looks, rviz
from spacecraft_attitude_sim.nodes.markers import motion_markers, poinsot_markers

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


def manager_of(text):
    """Return all of a configuration but panels and window."""
    return yaml.safe_load(text)['Visualization Manager']


def reach_of(found):
    """Return how far a body and what it unfolds extend [m]."""
    inside = found.plant.spacecraft.internal
    return internal_looks.reach_of(inside, body_looks.drawn_parts(found))


def on_screen(view, points):
    """Return where RViz draws points (n, 3): right and up, of half the height of the picture.

    From its Orbit view: yaw and pitch say from where it looks, through 45 degrees of height.
    """
    yaw, pitch = view['Yaw'], view['Pitch']
    level = np.array((np.cos(yaw), np.sin(yaw), 0.0))
    toward = np.cos(pitch) * level + (0.0, 0.0, np.sin(pitch))
    right = np.array((-level[1], level[0], 0.0))
    focus = np.array([view['Focal Point'][axis] for axis in 'XYZ'])
    seen = np.asarray(points) - focus
    away = view['Distance'] - seen @ toward
    across = np.stack((seen @ right, seen @ np.cross(toward, right)), axis=-1)
    return across / away[..., np.newaxis] / np.tan(np.pi / 8.0)


def around(center, radius):
    """Return points (n, 3) of a sphere."""
    directions = np.random.default_rng(1).normal(size=(500, 3))
    return center + radius * directions / np.linalg.norm(directions, axis=1)[:, np.newaxis]


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
    nodes = [ros.simulator(contact=lambda: floor), floor, ros.add(MarkersNode())]
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
    manager = manager_of(rviz.configuration(found, with_imu=True))
    view = manager['Views']['Current']
    reach = reach_of(found)
    assert 4.9 * reach < view['Distance'] < 8.0 * reach
    # The longest arrow is in the picture, wherever it points.
    at = np.array(list(view['Focal Point'].values())) if found.plant.contact else np.zeros(3)
    tips = on_screen(view, around(at, motion_markers.MOMENTUM_LENGTH * reach))
    assert np.all(np.abs(tips) < (1.4, 1.0))
    if found.plant.beyond_rigid_body:  # no ellipsoid beside it
        assert set(view['Focal Point'].values()) == {0.0}
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
    manager = manager_of(text)
    assert manager['Global Options']['Fixed Frame'] == 'world'
    view, outermost = manager['Views']['Current'], 0.0
    for one in found.values():
        arrows = around(one.initial.position_W, motion_markers.MOMENTUM_LENGTH * reach_of(one))
        seen = np.abs(on_screen(view, arrows))
        assert np.all(seen < (1.4, 1.0))
        outermost = max(outermost, seen[:, 0].max() / 1.4, seen[:, 1].max())
    assert outermost > 0.85  # and no nearer to the middle than it need be


def test_of_several_one_has_the_caption_and_words_are_as_high_in_the_picture_as_of_one():
    members = formation.members([scenario.find('formation')])
    given = {one.name: one.sections['markers'] for one in rviz.captioned(members)}
    assert [one['caption'] for one in given.values()] == [False, False, True]
    found = formation_of()
    far, near = (
        manager_of(text)['Views']['Current']['Distance']
        for text in (rviz.of_several(found), rviz.configuration(found['chief']))
    )
    for one in given.values():
        assert one['size_of_words'] == pytest.approx(far / near, rel=1e-9)
    asked = [
        one._replace(sections=one.sections | {'markers': {'caption': True}}) for one in members
    ]
    assert all(one.sections['markers']['caption'] for one in rviz.captioned(asked))
    assert rviz.captioned(members[:1]) == members[:1]


@pytest.mark.parametrize('name', ['formation', 't_handle_cured', 'racket_cured'])
def test_of_several_the_caption_lies_on_no_other_and_in_the_picture(name):
    """In a real RViz the arrows and words of the second craft lay on the caption of the first."""
    members = rviz.captioned(formation.complete([scenario.find(name)]))
    found = {one.name: scenario.of_sections(one.sections, one.source) for one in members}
    view = manager_of(rviz.of_several(found))['Views']['Current']
    (captioned,) = (one for one in members if one.sections['markers']['caption'])
    words = motion_markers.Words(
        captioned.name, True, captioned.sections['markers']['size_of_words']
    )
    craft = found[captioned.name]
    drawn = motion_markers.MotionMarkers(craft, reach_of(craft), 10, words)
    place, upright = craft.initial.position_W, np.array((1.0, 0.0, 0.0, 0.0))
    made = drawn.at(0, place, upright, np.zeros(3))
    for line in (one for one in made if one.ns in ('caption', 'name')):
        middle = np.array((line.pose.position.x, line.pose.position.y, line.pose.position.z))
        size = line.scale.z * np.array((0.25 * len(line.text), 0.5))
        corners = middle + size * ((-1, -1), (-1, 1), (1, -1), (1, 1)) @ np.array(
            ((-0.573, 0.820, 0.0), (-0.349, -0.244, 0.905))
        )
        seen = on_screen(view, corners)
        assert np.all(np.abs(seen) < (1.35, 1.0))
        others = (one for other, one in found.items() if other != captioned.name)
        for other in others:
            center = on_screen(view, other.initial.position_W)
            ball = on_screen(view, around(other.initial.position_W, 1.5 * reach_of(other)))
            nearest = np.clip(center, seen.min(axis=0), seen.max(axis=0))
            radius = np.linalg.norm(ball - center, axis=1).max()
            assert np.linalg.norm(nearest - center) > radius


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
    for one in found.values():
        assert np.all(
            np.abs(on_screen(view, around(one.initial.position_W, 1.5 * reach_of(one))))
            < (1.4, 1.0)
        )
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
    window = tree['Window Geometry']
    assert (window['Width'], window['Height']) <= (1240, 740)  # 1280 x 800 less what frames it
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
    # RViz draws a shaft a tenth as thick; it hides an arrow that is shorter than the width.
    assert 0.03 * reach < 0.1 * display['Arrow Width'] < 0.05 * reach


@pytest.mark.parametrize('name', ['tennis_racket', 'cubesat_pointing', 'ellipsoid_rolling'])
@pytest.mark.parametrize('size', [1.0, 2.5])
def test_the_label_of_a_rate_is_beside_its_arrow_and_that_of_a_momentum_along_it(name, size):
    """From whichever side RViz sees the arrow; it struck the word through."""
    found = scenario.load(scenario.shipped()[name])
    reach, view = reach_of(found), manager_of(rviz.configuration(found))['Views']['Current']
    view = {**view, 'Focal Point': dict.fromkeys('XYZ', 0.0)}
    words = motion_markers.Words(size=size)
    for along in around(np.zeros(3), 1.0):
        drawn = motion_markers.MotionMarkers(found, reach, 10, words)
        made = drawn.at(0, np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0)), along)
        arrow, *_ = (one for one in made if one.ns == 'angular_velocity')
        label, *_ = (one for one in made if one.ns == 'labels')
        start, tip = (np.array((end.x, end.y, end.z)) for end in arrow.points)
        middle = np.array((label.pose.position.x, label.pose.position.y, label.pose.position.z))
        line = on_screen(view, start + np.linspace(0.0, 1.25, 100)[:, np.newaxis] * (tip - start))
        across = on_screen(view, middle + label.scale.z * np.array((-0.573, 0.820, 0.0)))
        height = across[0] - on_screen(view, middle)[0]
        apart = np.abs(line - on_screen(view, middle)) / height
        # `omega` is 2.9 times as wide as its text is high, by what a real RViz has drawn.
        assert np.all((apart[:, 0] > 1.45) | (apart[:, 1] > 0.35))


@pytest.mark.parametrize('name', ['cubesat_tumble', 'thruster_limit_cycle'])
@pytest.mark.parametrize('rate', [1.0, -1.0])
def test_a_momentum_straight_up_or_down_and_its_label_are_in_the_picture_off_the_caption(
    name, rate
):
    """RViz cut off the label of station_cmg, and drew an arrow across a caption."""
    found = scenario.load(scenario.shipped()[name])
    reach, view = reach_of(found), manager_of(rviz.configuration(found))['Views']['Current']
    view = {**view, 'Focal Point': dict.fromkeys('XYZ', 0.0)}
    along = np.linalg.solve(found.plant.body.inertia, (0.0, 0.0, rate))
    drawn = motion_markers.MotionMarkers(found, reach, 10)
    made = drawn.at(0, np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0)), along)
    words = [one for one in made if one.text == 'L' or one.ns == 'caption']
    assert len(words) >= 3
    edges = []
    for one in words:
        place = np.array((one.pose.position.x, one.pose.position.y, one.pose.position.z))
        up = 0.5 * one.scale.z * np.array((-0.349, -0.244, 0.905))
        edges.append(on_screen(view, [place - up, place + up])[:, 1])
    letter, *caption = edges
    assert np.all(np.abs(edges) < 1.0)
    assert letter.min() > np.max(caption)


def test_poinsots_picture_is_left_of_the_body_and_in_the_picture():
    found = scenario.load(scenario.shipped()['tennis_racket'])
    reach, view = reach_of(found), manager_of(rviz.configuration(found))['Views']['Current']
    middle = poinsot_markers.DISTANCE * reach * poinsot_markers.ASIDE_W
    plane = on_screen(view, around(middle, poinsot_markers.PLANE_RADIUS * reach))[:, 0]
    body, _ = on_screen(view, np.zeros(3))
    assert plane.min() > -1.3
    assert plane.max() < body - 0.3
    assert body < 0.3
