# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the user sets reaches its node under any name, and several spacecraft share a graph."""

import importlib.util

import pytest
import yaml
from nav_msgs.msg import Odometry
from processes import printed, run
from rcl_interfaces.srv import GetParameters
from ros_helpers import PATIENCE, process
from std_srvs.srv import SetBool

from spacecraft_attitude_sim.drawing import response_report
from spacecraft_attitude_sim.recording import history

# A body on a floor, with a controller: every kind of node has a section.
EVERYTHING = """
/**/simulator:
  ros__parameters:
    body: {mass: 2.0, inertia: [0.03, 0.03, 0.03]}
    initial: {angular_velocity: [0.01, 8.0, 0.01]}
    duration: 0.5
    gravity: [0.0, 0.0, -9.81]
    substeps: 3
/**/contact: {ros__parameters: {place: true, surface: {shape: sphere, radius: 0.2}}}
/**/attitude_controller:
  ros__parameters: {inertia: [0.03, 0.03, 0.03], bandwidth: 0.25, damping_ratio: 0.7}
/**/markers: {ros__parameters: {trace_length: 17}}
"""


@pytest.mark.parametrize(
    'remapping', ['__ns:=/sat1', '__node:=plant', 'simulator:__ns:=/sat1 -r markers:__ns:=/sat1']
)
def test_options_reach_the_simulator_under_any_name(command, domain, remapping):
    own = ('--duration', 2, '--rate', 0, '-p', 'substeps:=7')
    said = printed(command, 'run', 'tennis_racket', *own, '--ros-args', '-r', *remapping.split())
    assert 'tennis_racket: 64 ticks' in said


def test_every_node_in_a_namespace_gets_its_parameters(command, ros, tmp_path):
    path = tmp_path / 'all.yaml'
    path.write_text(EVERYTHING)
    arguments = ('run', path, '--duration', '0', '--rate', '4', '-p', 'contact:friction:=0.25')
    arguments += (
        '-p',
        'attitude_controller:bandwidth:=0.5',
        '-p',
        '/sat1/markers:trace_length:=9',
    )
    ending = (
        '--ros-args',
        '-r',
        '__ns:=/sat1',
        '-p',
        'simulator:substeps:=9',
        '-p',
        'substeps:=5',
    )
    with process(command, *map(str, arguments), *ending) as child:
        heard = ros.listen(Odometry, 'sat1/ground_truth/odometry')
        ros.until(lambda: heard, patience=60)  # the contact is compiled on its first use

        def value(node, *names):
            request = GetParameters.Request(names=names)
            answer = ros.call(GetParameters, f'/sat1/{node}/get_parameters', request)
            return [v.double_value if v.type == 3 else v.integer_value for v in answer.values]

        assert value('simulator', 'duration', 'real_time_factor') == [0.0, 4.0]
        assert value('simulator', 'substeps') == [5]  # given to ROS, it overrides the scenario
        assert value('contact', 'friction', 'surface.radius') == [0.25, 0.2]
        assert value('attitude_controller', 'bandwidth', 'damping_ratio') == [0.5, 0.7]
        assert value('markers', 'trace_length') == [9]
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0


def test_two_spacecraft_share_a_domain_and_a_bag(command, ros, tmp_path):
    """The bag of the second holds both; each command is told which one is meant."""
    bag = tmp_path / 'bag'
    first = ('run', 'cubesat_tumble', '--duration', '0', '--no-markers')
    second = ('run', 'cubesat_pointing', '--duration', 4, '--rate', 0, '--record', bag)
    second += ('-p', 'publish_clock:=false')
    with process(command, *first, '--ros-args', '-r', '__ns:=/sat1') as child:
        heard = ros.listen(Odometry, 'sat1/ground_truth/odometry')
        ros.until(lambda: heard)
        ending = ('-p', 'start_paused:=true', '--ros-args', '-r', '__ns:=/fleet/sat2')
        with process(command, *map(str, second), *ending) as other:
            # The other's recorder has written messages of the first, and its scenario.
            ros.until(lambda: _recorded(bag) >= {'/sat1/ground_truth/odometry', '/sat1/scenario'})
            pause = SetBool.Request(data=False)
            assert ros.call(SetBool, '/fleet/sat2/simulator/pause', pause).success
            _, errors = other.communicate(timeout=60)
            assert other.returncode == 0, errors
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0
    done = run(command, 'plot', bag)
    assert done.returncode == 2
    assert 'of spacecraft /fleet/sat2, /sat1; choose one with --namespace' in done.stderr
    done = run(command, 'plot', bag, '--namespace', '/sat3')
    assert done.returncode == 2
    assert 'holds no spacecraft in /sat3; it has /fleet/sat2, /sat1' in done.stderr

    printed(command, 'replay', bag, '--resimulate', '--namespace', 'fleet/sat2')
    drawn = printed(command, 'plot', bag, '--namespace', '/fleet/sat2', '-o', tmp_path / 'two.png')
    assert 'error of         attitude' in drawn
    table, found = history.read(bag, '/fleet/sat2')
    assert found.parameters['publish_clock'] is False
    assert len(table.time) == 129
    assert response_report.of_history(table).errors is not None
    assert history.read(bag, '/sat1')[0].control is None  # nobody commands it
    if importlib.util.find_spec('rerun'):
        saved = tmp_path / 'two.rrd'
        printed(command, 'view', bag, '--save', saved, '--namespace', '/fleet/sat2')
        assert saved.stat().st_size > 10_000


def _recorded(bag):
    """Return the names of the topics of which a bag that is being written holds messages."""
    try:
        held = yaml.safe_load((bag / 'metadata.yaml').read_text())['rosbag2_bagfile_information']
    except FileNotFoundError:
        return set()
    counts = held['topics_with_message_count']
    return {one['topic_metadata']['name'] for one in counts if one['message_count']}


def test_a_file_for_two_spacecraft_is_refused_by_what_takes_one(command, domain, tmp_path):
    path = tmp_path / 'two.yaml'
    section = '/{}/simulator: {{ros__parameters: {{duration: 1.0}}}}\n'
    path.write_text(section.format('sat1') + section.format('sat2'))
    done = run(command, 'compare', path)
    assert done.returncode == 2
    assert 'holds 2 spacecraft, sat1, sat2, which attitude-sim run flies together' in done.stderr
