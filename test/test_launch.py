# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The launch file starts the simulation; really, where launch_ros is installed."""

import os
import signal
import sys

import pytest
from conftest import ROOT
from geometry_msgs.msg import PoseStamped, WrenchStamped
from ros_helpers import process
from sensor_msgs.msg import Imu
from visualization_msgs.msg import MarkerArray

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros.conversions import nanoseconds_from_ros

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
        assert child.wait(timeout=20) == 0
    assert imu[0].angular_velocity.z == pytest.approx(0.35, abs=0.05)


def test_launch_starts_the_controller_of_a_scenario_in_lockstep(launch, ros):
    poses, commands = ros.listen(PoseStamped, 'pose'), ros.listen(WrenchStamped, 'command/wrench')
    arguments = ('scenario:=cubesat_pointing', 'real_time_factor:=1', 'duration:=6')
    with process(*launch, *arguments, 'markers:=false') as child:
        ros.until(lambda: poses and poses[-1].header.stamp.sec == 6, patience=60)
        assert child.wait(timeout=20) == 0  # the run is over, and the launch with it
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
        child.wait(timeout=20)
    assert not commands


def test_launch_refuses_an_unknown_scenario(launch, domain):
    with process(*launch, 'scenario:=no_such') as child:
        output, errors = child.communicate(timeout=30)
    assert child.returncode != 0
    assert "no scenario 'no_such'; shipped are" in output + errors


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


def test_recording_leaves_the_markers_out():
    """Without launch installed, read the command line itself."""
    import ast

    for node in ast.walk(ast.parse(LAUNCH_FILE.read_text())):
        if isinstance(node, ast.List) and "'bag', 'record'" in ast.unparse(node):
            words = ast.unparse(node)
    assert "'--exclude-topic-types', MARKERS" in words
    assert "MARKERS = 'visualization_msgs/msg/MarkerArray'" in LAUNCH_FILE.read_text()
