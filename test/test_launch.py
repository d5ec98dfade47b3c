# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The launch file starts the simulation; really, where launch_ros is installed."""

import os
import runpy
import signal
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from conftest import ROOT
from geometry_msgs.msg import PoseStamped, WrenchStamped
from rcl_interfaces.srv import GetParameters
from ros_helpers import PATIENCE, process
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu
from visualization_msgs.msg import MarkerArray

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros.conversions import nanoseconds_from_ros
from spacecraft_attitude_sim.recording import topics

LAUNCH_FILE = ROOT / 'launch' / 'simulation.launch.py'
RUN = """
import sys
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
arguments = [tuple(word.split(':=')) for word in sys.argv[2:]]
source = PythonLaunchDescriptionSource(sys.argv[1])
service = LaunchService()
service.include_launch_description(
    IncludeLaunchDescription(source, launch_arguments=arguments))
sys.exit(service.run())
"""


@pytest.fixture
def launch():
    """Give the start of a command that launches the file; skip where that is impossible."""
    pytest.importorskip('launch_ros', reason='launch_ros is not installed (not on PyPI)')
    if 'AMENT_PREFIX_PATH' not in os.environ:
        pytest.skip('AMENT_PREFIX_PATH does not say where the package is installed')
    return (sys.executable, '-c', RUN, str(LAUNCH_FILE))


def test_launch_starts_simulator_and_markers_and_ends_with_the_run(launch, ros):
    imu, markers = ros.listen(Imu, 'sat/imu/data'), ros.listen(MarkerArray, 'sat/markers')
    with process(*launch, 'scenario:=cubesat_tumble', 'namespace:=sat') as child:
        ros.until(lambda: len(imu) > 10 and len(markers) > 10)
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=PATIENCE) == 0
    assert imu[0].angular_velocity.z == pytest.approx(0.35, abs=0.05)


def test_launch_starts_the_controller_of_a_scenario_in_lockstep(launch, ros):
    poses, commands = ros.listen(PoseStamped, 'pose'), ros.listen(WrenchStamped, 'command/wrench')
    arguments = ('scenario:=cubesat_pointing', 'real_time_factor:=1', 'duration:=6')
    with process(*launch, *arguments, 'markers:=false') as child:
        ros.until(lambda: poses and poses[-1].header.stamp.sec == 6, patience=60)
        assert child.wait(timeout=PATIENCE) == 0  # the run is over, and the launch with it
    # The first may come before the test is connected; from there on none is missing.
    for messages, last in ((poses, 192), (commands, 191)):
        heard = [nanoseconds_from_ros(one.header.stamp) // TICK_NS for one in messages]
        assert heard == list(range(heard[0], last + 1))
        assert len(heard) > 32


def test_launch_leaves_the_controller_to_the_user(launch, ros):
    poses, commands = ros.listen(PoseStamped, 'pose'), ros.listen(WrenchStamped, 'command/wrench')
    arguments = (
        'scenario:=cubesat_pointing',
        'lockstep:=false',
        'duration:=2',
        'controller:=none',
    )
    with process(*launch, *arguments) as child:
        ros.until(lambda: poses and poses[-1].header.stamp.sec == 2, patience=60)
        child.wait(timeout=PATIENCE)
    assert not commands


def heard_of(ros, names, message, topic):
    """Return {name: what is heard} of a topic of several spacecraft."""
    return {name: ros.listen(message, f'/{name}/{topic}') for name in names}


def test_launch_starts_a_formation_in_one_process(launch, ros):
    names = ('chief', 'deputy_1', 'deputy_2')
    poses = heard_of(ros, names, PoseStamped, 'pose')
    markers = heard_of(ros, names, MarkerArray, 'markers')
    commands = heard_of(ros, names, WrenchStamped, 'command/wrench')
    clock = ros.listen(Clock, '/clock')
    with process(*launch, 'scenario:=formation', 'duration:=4') as child:
        every = [*poses.values(), *markers.values(), *commands.values()]
        ros.until(lambda: all(every) and clock, patience=60)
        assert [ros.node.count_publishers(topic) for topic in ('/clock', '/markers')] == [1, 0]
        # In lockstep, so none of the ticks after the first that is heard is missing.
        ros.until(lambda: all(one[-1].header.stamp.sec == 4 for one in poses.values()), 60)
        assert child.wait(timeout=PATIENCE) == 0
    for heard in poses.values():
        seen = [nanoseconds_from_ros(one.header.stamp) // TICK_NS for one in heard]
        assert seen == list(range(seen[0], 129))
    frames = {name: heard[0].header.frame_id for name, heard in commands.items()}
    assert frames == {name: f'{name}/base_link' for name in names}


def test_launch_starts_several_scenarios_with_what_its_arguments_say(launch, ros, tmp_path):
    names = ('tennis_racket', 'mine')
    (tmp_path / 'mine.yaml').write_text(
        '/**/simulator: {ros__parameters: {body: {mass: 2.0, inertia: [1, 1, 1]}, initial: '
        '{position: [3, 4, 5.0], angular_velocity: [0, 0, 0]}}}\n'
        '/**/attitude_controller: {ros__parameters: {mode: rate_damping, inertia: [1, 1, 1]}}'
    )
    poses = heard_of(ros, names, PoseStamped, 'pose')
    clock = ros.listen(Clock, '/clock')
    arguments = (
        f'scenario:=tennis_racket,{tmp_path}/mine.yaml',
        'real_time_factor:=0.5',
        'duration:=4',
        'publish_clock:=false',
        'controller:=none',
        'markers:=false',
    )
    with process(*launch, *arguments) as child:
        ros.until(lambda: all(poses.values()), patience=60)
        known = {
            f'{space.strip("/")}/{name}'
            for name, space in ros.node.get_node_names_and_namespaces()
        }
        assert {'tennis_racket/simulator', 'mine/simulator'} <= known
        assert not {'mine/attitude_controller', 'mine/markers'} & known

        def value(name):
            request = GetParameters.Request(names=[name])
            (found,) = ros.call(GetParameters, '/mine/simulator/get_parameters', request).values
            return found.double_value

        assert (value('real_time_factor'), value('duration')) == (0.5, 4.0)
        ros.until(lambda: all(one[-1].header.stamp.sec == 4 for one in poses.values()), 60)
        assert child.wait(timeout=PATIENCE) == 0
    place = poses['mine'][-1].pose.position
    assert (place.x, place.y, place.z) == (3.0, 4.0, 5.0)
    assert not clock


def test_launch_refuses_one_namespace_for_several(launch, domain):
    with process(*launch, 'scenario:=formation', 'namespace:=sat') as child:
        output, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode != 0
    assert 'namespace:=sat is for one spacecraft' in output + errors


def test_launch_refuses_an_unknown_scenario(launch, domain):
    with process(*launch, 'scenario:=no_such') as child:
        output, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode != 0
    assert "no scenario 'no_such'; give a shipped name or" in output + errors


def test_every_launch_argument_is_described():
    """Without launch installed, read the table itself."""
    import ast

    tree = ast.parse(LAUNCH_FILE.read_text())
    (table,) = [
        ast.literal_eval(statement.value)
        for statement in tree.body
        if isinstance(statement, ast.Assign) and statement.targets[0].id == 'ARGUMENTS'
    ]
    assert {'scenario', 'real_time_factor', 'rviz', 'record'} <= {name for name, _, _ in table}
    assert all(description.endswith('.') for _, _, description in table)


class Configuration(str):
    """What stands for launch's LaunchConfiguration: its context is a mapping."""

    def perform(self, context):
        """Return the argument's text."""
        return context[self]

    def evaluate(self, context):
        """Return whether it is true, as an IfCondition of it does."""
        return context[self] == 'true'


@pytest.fixture
def launched(monkeypatch):
    """Return what the launch file defines, with stand-ins for launch, and its default context."""
    for name in (
        'ament_index_python.packages', 'launch', 'launch.actions', 'launch.conditions',
        'launch.event_handlers', 'launch.substitutions', 'launch_ros.actions',
    ):  # fmt: skip
        monkeypatch.setitem(sys.modules, name, MagicMock())
    sys.modules['launch.substitutions'].LaunchConfiguration = Configuration
    sys.modules['launch.conditions'].IfCondition = Configuration
    for name in ('Node', 'ExecuteProcess', 'Shutdown'):
        home = 'launch_ros.actions' if name == 'Node' else 'launch.actions'
        setattr(sys.modules[home], name, lambda name=name, **given: SimpleNamespace(
            action=name, **given))  # fmt: skip
    found = runpy.run_path(str(LAUNCH_FILE))
    return found, {name: default for name, default, _ in found['ARGUMENTS']}


def test_a_scenario_is_launched_as_fast_as_it_says(launched):
    """The default of the launch file was 1, also for the 59 minutes of gravity_gradient_boom."""
    launched, context = launched
    given = launched['_given']
    assert given(context) == {'publish_clock': True, 'startup_delay': 0.0}
    asked = {'real_time_factor': '0', 'duration': '60', 'rviz': 'true'}
    assert given(context | asked) == {
        'real_time_factor': 0.0, 'duration': 60.0, 'publish_clock': True,
        'startup_delay': launched['STARTUP_DELAY'],
    }  # fmt: skip


def started(launched, **asked):
    """Return {executable or first word: action} that a context starts."""
    found, context = launched
    context = context | asked
    actions = [one for one in found['_nodes'](context) if isinstance(one, SimpleNamespace)]
    wanted = [one for one in actions if getattr(one, 'condition', '') == '' or
              one.condition.evaluate(context)]  # fmt: skip
    named = {getattr(one, 'executable', None) or one.cmd[0]: one for one in wanted}
    assert len(named) == len(wanted)
    return named


ON_BOARD = ['attitude_estimator', 'attitude_guidance', 'mission_modes', 'attitude_controller']
ESTIMATED = [(topics.IMU, topics.ESTIMATE)]


@pytest.mark.parametrize(
    ('asked', 'names', 'on_estimate'),
    [
        ({}, [*ON_BOARD], ['mission_modes', 'attitude_controller']),
        ({'estimator': 'false'}, ON_BOARD[1:], []),
        ({'guidance': 'false', 'mission': 'false'}, [ON_BOARD[0], ON_BOARD[3]], [ON_BOARD[3]]),
        ({'controller': 'none', 'estimator': 'false'}, ON_BOARD[1:3], []),
        ({'controller': 'python3 mine.py --fast'}, [*ON_BOARD[:3], 'python3'], [ON_BOARD[2]]),
        ({'scenario': 'tennis_racket'}, [], []),
        ({'scenario': 'cubesat_pointing', 'namespace': 'sat'}, [ON_BOARD[3]], []),
    ],
)
def test_each_node_is_launched_as_its_arguments_say(launched, asked, names, on_estimate):
    context = {'scenario': 'cubesat_3u_mission'} | asked
    actions = started(launched, **context)
    assert [*actions] == ['simulator', 'markers', *names]
    for name, action in actions.items():
        assert action.output == 'screen'
        if name == 'python3':
            assert action.cmd == ['python3', 'mine.py', '--fast']
            continue
        assert (action.package, action.namespace) == ('spacecraft_attitude_sim', 'namespace')
        if name in ON_BOARD:
            file, times = action.parameters
            assert Path(file).name == f'{context["scenario"]}.yaml'
            assert times == {'use_sim_time': 'publish_clock'}
            assert action.remappings == (ESTIMATED if name in on_estimate else []), name
    file, given = actions['simulator'].parameters
    assert Path(file).name == f'{context["scenario"]}.yaml'
    assert given == {'publish_clock': True, 'startup_delay': 0.0}
    assert actions['simulator'].arguments == []


@pytest.mark.parametrize(('shown', 'status', 'ends'), [
    ('false', 0, True), ('false', 1, True), ('true', 0, False), ('true', 1, True),
])  # fmt: skip
@pytest.mark.parametrize('scenario', ['tennis_racket', 'formation'])
def test_the_launch_ends_with_the_simulation_unless_rviz_shows_its_end(
    launched, monkeypatch, tmp_path, scenario, shown, status, ends
):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))  # where the view for RViz is
    sys.modules['ament_index_python.packages'].get_packages_with_prefixes = dict
    actions = started(launched, scenario=scenario, rviz=shown, lifecycle='true', markers='false')
    name = 'simulator' if scenario == 'tennis_racket' else 'formation'
    assert [*actions] == [name, *(['rviz2'] if shown == 'true' else [])]
    ended = actions[name].on_exit(SimpleNamespace(returncode=status), None)
    assert (ended is not None and ended.action == 'Shutdown') == ends
    assert '--lifecycle' in actions[name].arguments
    if name == 'formation':
        assert '--no-markers' in actions[name].arguments
        assert f'-pstartup_delay:={3.0 if shown == "true" else 0.0}' in actions[name].arguments
    if shown == 'true':
        viewer = actions['rviz2']
        assert viewer.arguments[0] == '-d' and Path(viewer.arguments[1]).is_file()
        assert viewer.parameters == [{'use_sim_time': True}]
        assert viewer.on_exit.action == 'Shutdown'


def test_recording_leaves_the_markers_out():
    """Without launch installed, read the command line itself."""
    import ast

    for node in ast.walk(ast.parse(LAUNCH_FILE.read_text())):
        if isinstance(node, ast.List) and "'bag', 'record'" in ast.unparse(node):
            words = ast.unparse(node)
    assert "'--exclude-topic-types', MARKERS" in words
    assert "MARKERS = 'visualization_msgs/msg/MarkerArray'" in LAUNCH_FILE.read_text()


def test_launch_starts_a_managed_simulator(launch, ros):
    srv = pytest.importorskip('lifecycle_msgs.srv')
    from lifecycle_msgs.msg import Transition

    def ask(transition):
        request = srv.ChangeState.Request(transition=Transition(id=transition))
        return ros.call(srv.ChangeState, 'simulator/change_state', request).success

    poses = ros.listen(PoseStamped, 'pose')
    with process(*launch, 'scenario:=cubesat_tumble', 'lifecycle:=true', 'duration:=2') as child:
        assert ask(Transition.TRANSITION_CONFIGURE)
        assert not poses
        assert ask(Transition.TRANSITION_ACTIVATE)
        ros.until(lambda: poses and poses[-1].header.stamp.sec == 2, patience=60)
        assert child.poll() is None  # over, and still active
        assert ask(Transition.TRANSITION_ACTIVE_SHUTDOWN)
        assert child.wait(timeout=PATIENCE) == 0
