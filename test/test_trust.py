# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing is imported because of where one stands or what one opens, but what the user trusts."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import bags
import foreign
import numpy as np
import processes
import pytest
from conftest import new_domain
from nav_msgs.msg import Odometry
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import get_types_from_msg
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from spacecraft_attitude_sim.configuration import scenario, trust, untrusted_scenario
from spacecraft_attitude_sim.configuration.contact_parameters import ParameterError
from spacecraft_attitude_sim.core.contact import floors, surface_functions
from spacecraft_attitude_sim.drawing import body_looks
from spacecraft_attitude_sim.nodes.markers import contact_markers
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import floor_sheet, history
from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs

# A ball on a level floor, both given as functions.
SHAPES = """
from spacecraft_attitude_sim.core.contact.floor_functions import floor_function
from spacecraft_attitude_sim.core.contact.surface_functions import implicit_function

@implicit_function
def ball(x, y, z, parameters):
    level = 0.5 * (x * x + y * y + z * z - parameters[0] * parameters[0])
    return (level, x, y, z, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0)

@floor_function
def level(t, x, y, z, parameters):
    return (z, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

def called(*arguments):
    with open(__file__ + '.called', 'w'):
        return (0.0,) * 10
"""
BALL = """
/**/simulator:
  ros__parameters:
    description: ball of one's own
    gravity: [0.0, 0.0, -9.81]
    body: {{mass: 1.0, inertia: [0.004, 0.004, 0.004]}}
    initial: {{position: [0.0, 0.0, 0.3], angular_velocity: [0.01, 8.0, 0.01]}}
/**/contact:
  ros__parameters:
    surface: {{shape: implicit, function: '{surface}', values: [0.1], size: 0.1}}
    floor: {{shape: implicit, function: '{floor}'}}
"""
CAMPAIGN = """
scenario: ball.yaml
runs: 2
duration: 0.1
dispersions:
  initial.angular_velocity: {distribution: in_sphere, radius: 0.3}
"""


@pytest.fixture(scope='module')
def place(tmp_path_factory):
    """A folder with a module of shapes, which leaves a mark, and a scenario that names them."""
    folder = tmp_path_factory.mktemp('place')
    (folder / 'own_shapes.py').write_text(foreign.mark(folder) + SHAPES)
    text = BALL.format(surface='own_shapes:ball', floor='own_shapes:level')
    (folder / 'ball.yaml').write_text(text)
    (folder / 'campaign.yaml').write_text(CAMPAIGN)
    return folder


@pytest.fixture(scope='module')
def run(place, command):
    """Runs attitude-sim in that folder, with its module where Python finds it."""
    domain = new_domain()

    def call(*arguments, **variables):
        environment = dict(os.environ, ROS_DOMAIN_ID=domain, PYTHONPATH=str(place), **variables)
        done = subprocess.run(
            [command, *map(str, arguments)], cwd=place, env=environment, capture_output=True,
            text=True, timeout=600,
        )  # fmt: skip
        marked = foreign.ran(place)
        forget(place)
        # A process that compiles for later runs outlives it, and imports what it trusted: a mark.
        limit = time.monotonic() + 300.0
        while compiles(place) and not foreign.ran(place):
            assert time.monotonic() < limit, 'a process of a run neither imports nor ends'
            time.sleep(0.05)
        if marked:
            (place / 'ran').mkdir(exist_ok=True)
        return done

    return call


def compiles(place):
    """Return whether a process of a run in that folder goes on."""
    wanted = f'PYTHONPATH={place}'.encode()
    for path in Path('/proc').glob('[0-9]*/environ'):
        with contextlib.suppress(OSError):  # it ends meanwhile, or is somebody else's
            if wanted in path.read_bytes().split(b'\0'):
                return True
    return False


@pytest.fixture(scope='module')
def bag(place, run):
    """A bag of a run with trusted functions."""
    arguments = ('--duration', '0.5', '--rate', '0', '--record', 'bag', '--trust', 'own_shapes')
    done = run('run', 'ball.yaml', *arguments)
    assert done.returncode == 0, done.stderr
    assert foreign.ran(place)
    return place / 'bag'


def forget(place):
    """Take the mark away that a trusted import has left."""
    if foreign.ran(place):
        (place / 'ran').rmdir()


@pytest.fixture
def own_shapes(place, monkeypatch):
    """Has the module found, but not trusted."""
    monkeypatch.syspath_prepend(place)
    monkeypatch.delenv(trust.VARIABLE, raising=False)
    monkeypatch.delitem(sys.modules, 'own_shapes', raising=False)


@pytest.mark.parametrize(
    'arguments',
    [
        ('run', 'ball.yaml', '--duration', '0.1'),
        ('run', 'ball.yaml', '--duration', '0.1', '--trust', 'own_shapes.below'),
        ('compare', 'ball.yaml'),
        ('check', 'ball.yaml'),
        ('campaign', 'campaign.yaml', '-o', 'results'),
        ('replay', 'bag', '--resimulate'),
        ('node', 'simulator', '--ros-args', '--params-file', 'ball.yaml'),
    ],
    ids=' '.join,
)
def test_a_function_is_not_imported_without_trust(place, bag, own_shapes, monkeypatch, arguments):
    forget(place)
    monkeypatch.chdir(place)
    done = processes.called(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is 'own_shapes:ball': this runs code of module own_shapes" in done.stderr
    assert 'give --trust own_shapes, or set ATTITUDE_SIM_TRUST=own_shapes\n' in done.stderr
    assert not foreign.ran(place)


def test_a_recorded_run_is_drawn_without_trust(place, bag, own_shapes):
    forget(place)
    done = processes.called('plot', bag, '-o', place / 'untrusted.png')
    assert done.returncode == 0, done.stderr
    assert "surface.function 'own_shapes:ball', floor.function 'own_shapes:level'" in done.stderr
    assert not foreign.ran(place)
    table, found = history.read(bag)
    sheets = {type(floor) for floor in table.contact.floors}
    assert sheets == {floor_sheet.Sheet}
    assert body_looks.drawn_parts(found)


def spoil(message):
    """Make a grid of points none."""
    message.height = 1


@pytest.mark.parametrize('verb', [('plot',), ('view', '--save', 'spoiled.rrd')])
def test_a_damaged_floor_in_a_bag_is_one_line(bag, own_shapes, tmp_path, monkeypatch, verb):
    copy = tmp_path / 'copy'
    bags.altered(bag, copy, '/contact/floor', 0, spoil)
    monkeypatch.chdir(tmp_path)
    done = processes.called(verb[0], copy, *verb[1:])
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    if 'needs Rerun' not in line:
        assert 'a message of topic contact/floor is no grid that can be drawn' in line
    assert 'Traceback' not in done.stderr


def test_shapes_that_need_not_be_said_are_no_way_round(own_shapes, place):
    forget(place)
    text = BALL.format(surface='own_shapes:ball', floor='own_shapes:level')
    unsaid = text.replace('shape: implicit, ', '')
    found, left_out = untrusted_scenario.parse(unsaid)
    assert isinstance(found.plant.contact.floor, untrusted_scenario.HiddenFloor)
    assert "floor.function 'own_shapes:level'" in left_out
    assert not foreign.ran(place)


def test_a_hostile_formula_of_a_stranger_is_refused_or_left_out(own_shapes):
    text = """
/**/contact: {ros__parameters: {floor: {expression: %s}, surface: {radius: 0.1}}}
/**/simulator: {ros__parameters: {gravity: [0.0, 0.0, -9.81]}}
"""
    for hostile in ('9**9**9', "__import__('os')", 'x' + '.a' * 900, '-' * 1900 + 'x'):
        with pytest.raises(scenario.ScenarioError, match='topic scenario: floor.expression'):
            untrusted_scenario.parse(text % repr(hostile))
        found, _ = untrusted_scenario.parse(text % repr(hostile), draws_any_floor=False)
        assert isinstance(found.plant.contact.floor, untrusted_scenario.HiddenFloor)


def test_with_trust_a_recorded_run_is_computed_again_to_the_bit(bag, run):
    done = run('replay', bag, '--resimulate', '--trust', 'own_shapes')
    assert done.returncode == 0, done.stderr
    same, of = done.stdout.split('identical: ')[1].split()[::2]
    assert same == of != '0'
    assert run('plot', bag, ATTITUDE_SIM_TRUST='other, own_shapes').returncode == 0


def test_a_campaign_runs_with_trust(run):
    done = run('campaign', 'campaign.yaml', '-o', 'results', '--trust', 'own_shapes')
    assert done.returncode == 0, done.stderr


def parsed(surface='own_shapes:ball', floor='own_shapes:level'):
    """Return the Scenario that names these functions."""
    return scenario.parse(BALL.format(surface=surface, floor=floor), 'test')


@pytest.mark.parametrize(
    ('trusted', 'names', 'words'),
    [
        ('os', {'surface': 'os:system'}, "surface.function is 'os:system', which is no function"),
        (
            'own_shapes',
            {'surface': 'own_shapes:called'},
            'which is no function of the kind needed',
        ),
        ('own_shapes', {'surface': 'own_shapes:level'}, 'which is no function of the kind needed'),
        ('own_shapes', {'floor': 'own_shapes:ball'}, 'which is no function of the kind needed'),
        ('own_shapes', {'surface': 'own_shapes:no'}, "has no attribute 'no'"),
        ('own', {}, 'module own_shapes, which is not trusted'),
        ('own_shapes.ball', {}, 'module own_shapes, which is not trusted'),
        ('own_shapes', {'floor': 'os.path:join'}, 'module os.path, which is not trusted'),
        ('own_shapes', {'surface': 'own_shapes:ball.f'}, 'give package.module:name'),
        ('own_shapes', {'surface': 'own_shapes'}, 'give package.module:name'),
        ('own_shapes', {'surface': '../own_shapes:ball'}, 'give package.module:name'),
    ],
)
def test_what_is_named_must_be_trusted_and_of_its_kind(
    place, own_shapes, monkeypatch, trusted, names, words
):
    monkeypatch.setenv(trust.VARIABLE, trusted)
    with pytest.raises(scenario.ScenarioError, match=words):
        parsed(**names)
    assert not (place / 'own_shapes.py.called').exists()


def test_trust_holds_for_what_is_below_and_for_our_own(own_shapes, monkeypatch):
    assert not trust.allows('package.shapes:egg')
    monkeypatch.setenv(trust.VARIABLE, 'one,package')
    assert trust.allows('package.shapes:egg')
    assert trust.allows('package:egg')
    assert not trust.allows('packages:egg')
    name = 'spacecraft_attitude_sim.core.contact.surface_functions:ellipsoid'
    found = trust.kernel('surface.function', name, surface_functions.IMPLICIT)
    assert found is surface_functions.ellipsoid


@pytest.mark.parametrize('module', ['', 'a b', '../a', 'a:b', 'a,b', 'a.', '-m'])
def test_only_a_module_can_be_trusted(module):
    with pytest.raises(ParameterError, match='give a module'):
        trust.give([module])


# --- what is drawn of it ------------------------------------------------------------------------


def test_what_is_not_trusted_is_not_drawn_and_said(own_shapes, place):
    forget(place)
    text = BALL.format(surface='own_shapes:ball', floor='own_shapes:level')
    found, left_out = untrusted_scenario.parse(text)
    assert "surface.function 'own_shapes:ball', floor.function 'own_shapes:level'" in left_out
    (drawn,) = body_looks.drawn_parts(found)
    # The uniform ball of that mass and inertia: I = 2/5 m r², so r = 0.1 m.
    np.testing.assert_allclose(drawn.size, 3 * [0.1], rtol=1e-12)
    touch = contact_markers.ContactSample(np.zeros(3), np.zeros(3), np.array((0.0, 0.0, 1.0)), 0.0)
    markers = contact_markers.ContactMarkers(found, 0.1, 16).markers(touch)
    left = {marker.ns for marker in markers if marker.action == marker.DELETE}
    assert left >= {'floor', 'contact_normal'}
    assert 'contact_force' not in left
    assert not foreign.ran(place)


def test_what_is_trusted_is_drawn(own_shapes, monkeypatch):
    monkeypatch.setenv(trust.VARIABLE, 'own_shapes')
    text = BALL.format(surface='own_shapes:ball', floor='own_shapes:level')
    found, left_out = untrusted_scenario.parse(text)
    assert left_out == ''
    assert isinstance(found.plant.contact.floor, floors.ImplicitFloor)
    found, left_out = untrusted_scenario.parse(text, draws_any_floor=False)
    assert left_out == ''
    assert isinstance(found.plant.contact.floor, untrusted_scenario.HiddenFloor)


@pytest.mark.parametrize('text', ['[1', '1', '', '/**/simulator: 3', '/**/contact: {a: 1}'])
def test_a_text_that_is_no_scenario_is_refused(text):
    with pytest.raises(scenario.ScenarioError):
        untrusted_scenario.parse(text)


def test_the_markers_node_draws_the_rest(own_shapes, ros):
    heard_markers = ros.listen(MarkerArray, 'markers')
    node = ros.add(MarkersNode())
    inputs = RecordedInputs(
        0, True, 0, 0, np.zeros(12), np.zeros(6), state=np.eye(13)[3], touch=np.zeros(30)
    )
    floor = {topic: kind() for topic, kind in tick_messages.CONTACT_TYPES.items()}
    ros.until(lambda: node.count_subscribers('markers'))
    for text in ('scenario: [1', BALL.format(surface='own_shapes:ball', floor='own_shapes:level')):
        with contextlib.suppress(scenario.ScenarioError):
            node.taker('scenario')(String(data=text))
    node.taker('ground_truth/odometry')(Odometry())
    node.taker('ground_truth/inputs')(tick_messages.inputs_to_ros(inputs))
    for topic, message in floor.items():
        node.taker(topic)(message)
    ros.until(lambda: heard_markers)
    drawn = {m.ns for m in heard_markers[0].markers if m.action != m.DELETE}
    # '' deletes what was.
    of_body = {'body', 'body_axes', 'body_rings', 'principal_axes', 'center_of_mass'}
    assert drawn == {'', *of_body, 'caption'}


# --- types of messages --------------------------------------------------------------------------


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder with packages that look as if they held messages."""
    for name in ('evil_msgs', 'generated_msgs'):
        (tmp_path / name / 'msg').mkdir(parents=True)
        (tmp_path / name / '__init__.py').write_text(foreign.mark(tmp_path))
        (tmp_path / name / 'msg' / '__init__.py').write_text('Evil = int\n')
    (tmp_path / 'generated_msgs/generated_msgs_s__rosidl_typesupport_c.so').touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    conversions.message_class.cache_clear()
    return tmp_path


@pytest.mark.parametrize(
    'name',
    [
        'evil_msgs/msg/Evil', 'evil_msgs/Evil', 'generated_msgs/msg/Evil', 'venv.__main__/msg/X',
        'json/JSONDecoder', 'os/msg/Path', '../evil_msgs/msg/Evil', 'geometry_msgs/srv/Pose', '',
        'geometry_msgs.msg/msg/Pose', 'geometry_msgs/msg/Pose\n', 'this/msg/Zen', 'numpy/msg/X',
    ],
)  # fmt: skip
def test_only_packages_of_messages_are_imported(packages, monkeypatch, name):
    for prefixes in ('', ':', '.', os.pathsep.join(('.', ''))):
        monkeypatch.setenv('AMENT_PREFIX_PATH', prefixes)
        monkeypatch.chdir(packages)
        with pytest.raises(ImportError, match='is no installed type of message'):
            conversions.message_class(name)
    assert not foreign.ran(packages)


def test_packages_of_a_sourced_workspace_are_imported(packages, monkeypatch):
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/opt/ros/none{os.pathsep}{packages}')
    assert conversions.message_class('generated_msgs/msg/Evil') is int
    with pytest.raises(ImportError):
        conversions.message_class('evil_msgs/msg/Evil')
    with pytest.raises(AttributeError):
        conversions.message_class('geometry_msgs/msg/No')
    assert conversions.message_class('geometry_msgs/msg/Pose').__name__ == 'Pose'


def test_a_bag_with_a_foreign_type_is_played_without_it(packages, command, domain):
    store = bags.STORE
    store.register(get_types_from_msg('float64 x', 'evil_msgs/msg/Evil'))
    with Writer(packages / 'bag', version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        evil = writer.add_connection('/evil', 'evil_msgs/msg/Evil', typestore=store)
        message = store.types['evil_msgs/msg/Evil'](x=1.0)
        writer.write(evil, 1, store.serialize_cdr(message, evil.msgtype))
    done = subprocess.run(
        [command, 'replay', 'bag', '--rate', '0', '--delay', '0'], cwd=packages,
        env=dict(os.environ, PYTHONPATH=str(packages)), capture_output=True, text=True,
        timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '/evil is not played' in done.stdout + done.stderr
    assert not foreign.ran(packages)


# --- where one stands ---------------------------------------------------------------------------


def test_a_foreign_folder_decides_nothing(tmp_path, command, domain):
    folder = foreign.plant(tmp_path / 'foreign')
    at_home = tmp_path / 'home'
    at_home.mkdir()
    given = ('--rate', 0, '--csv', at_home / 'run.csv', '--record', at_home / 'bag')
    processes.printed(command, 'run', 'tennis_racket', '--duration', 0.5, *given)
    assert processes.run(command, 'plot', 'run.csv', cwd=at_home).returncode == 0
    for variables in ({}, {'PYTHONPATH': ':'}):
        if variables:  # what Python itself imports before anything of ours is beyond us
            for path in folder.glob('*.py'):
                path.unlink()
            foreign.plant(folder, ('numpy', 'rclpy', 'yaml', 'matplotlib', 'queue', 'rosbags'))
        for arguments in (
            ['run', 'tennis_racket', '--duration', '0.5', '--rate', '0', '--csv', 'run.csv',
             '--record', 'bag', '--overwrite'],
            ['plot', 'run.csv'],
            ['replay', 'bag', '--resimulate'],
        ):  # fmt: skip
            done = subprocess.run(
                [command, *arguments], cwd=folder, env=os.environ | variables, capture_output=True,
                text=True, timeout=600,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert 'XML' not in done.stderr + done.stdout
            assert not foreign.ran(folder)
    assert (folder / 'run.png').read_bytes() == (at_home / 'run.png').read_bytes()
    assert (folder / 'run.csv').read_bytes() == (at_home / 'run.csv').read_bytes()


def test_a_list_of_modules_may_have_spaces():
    assert trust.named_in(' a, b.c ,') == ['a', 'b.c']
