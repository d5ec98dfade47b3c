# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A recorder, markers and a viewer belong to one simulator, and leave out what another says."""

import runpy
from types import SimpleNamespace

import pytest
from nav_msgs.msg import Odometry
from ros_helpers import process
from rosbags.rosbag2 import Reader

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
from spacecraft_attitude_sim.nodes.ros import belonging, sources

HERE, ONE, OTHER = (bytes((number,)) * belonging.PROCESS for number in (1, 2, 3))


class Graph:
    """A node in a graph that a test writes: {topic: processes that publish it}."""

    def __init__(self, publishers):
        self.publishers, self.said = publishers, []

    def create_publisher(self, kind, topic, depth):
        """Publish in the process of the node."""
        self.publishers[topic] = [HERE]
        return topic

    def destroy_publisher(self, topic):
        """Publish no more."""
        del self.publishers[topic]

    def resolve_topic_name(self, topic):
        """Return a full name."""
        return topic if topic.startswith('/') else f'/{topic}'

    def get_topic_names_and_types(self):
        """Return [(topic, types)]."""
        return [(topic, []) for topic in self.publishers]

    def get_publishers_info_by_topic(self, topic):
        """Return who publishes."""
        return [
            SimpleNamespace(endpoint_gid=one + b'abcd', node_name='simulator', node_namespace='/')
            for one in self.publishers[topic]
        ]

    def get_logger(self):
        """Return what a warning is told to."""
        return SimpleNamespace(warning=self.said.append)


@pytest.fixture
def graph(monkeypatch):
    """Return a Graph in which nobody publishes yet, without pauses between two looks."""
    monkeypatch.setattr(belonging, 'AGAIN', -1.0)
    monkeypatch.setattr(sources, 'IDENTIFIES', True)
    monkeypatch.setattr(belonging, 'get_rmw_implementation_identifier', lambda: 'rmw_fastrtps_cpp')
    return Graph({})


def taken(graph, *processes):
    """Return of which processes a message is taken, in their order, by a new Belonging."""
    ours = belonging.Belonging(graph)
    return [ours.takes(one + b'1234') for one in processes]


def test_the_simulator_of_the_own_process_is_ours_whoever_speaks_first(graph):
    graph.publishers['/scenario'] = [ONE, HERE]
    assert taken(graph, ONE, HERE, ONE) == [False, True, False]
    assert len(graph.said) == 1
    assert '/simulator of another process publishes /scenario, too' in graph.said[0]


def test_without_one_there_it_is_the_first_while_it_stays(graph):
    graph.publishers['/scenario'] = [ONE, OTHER]
    ours = belonging.Belonging(graph)
    assert [ours.takes(one + b'1234') for one in (OTHER, ONE, OTHER)] == [True, False, True]
    graph.publishers['/scenario'] = [ONE]
    assert ours.takes(ONE + b'1234')


def test_who_is_no_simulator_and_who_flies_in_another_namespace_is_heard(graph):
    graph.publishers |= {'/one/scenario': [HERE], '/two/scenario': [ONE]}
    assert taken(graph, HERE, ONE, OTHER) == [True, True, True]
    assert graph.said == []


def test_one_that_becomes_a_simulator_later_is_left_out_from_then_on(graph):
    graph.publishers['/scenario'] = [HERE]
    ours = belonging.Belonging(graph)
    assert ours.takes(ONE + b'1234')
    graph.publishers['/scenario'] = [HERE, ONE]
    assert not ours.takes(ONE + b'1234')


def test_a_publisher_that_has_left_is_told_once_and_is_beside_nobody(graph):
    def of(one):
        source, gone = met.of({'publisher_gid': {'data': one + b'abcd'}})
        assert source == one + b'abcd'
        return sorted(gone)

    met = sources.Sources(graph, 'command/wrench')
    graph.publishers['/command/wrench'] = [ONE]
    assert of(ONE) == of(ONE) == []
    graph.publishers['/command/wrench'] = [OTHER]
    assert of(OTHER) == [ONE + b'abcd']
    assert graph.said == []
    graph.publishers['/command/wrench'] = [OTHER, HERE]
    assert of(HERE) == []
    assert graph.said == [
        '/simulator publishes command/wrench beside /simulator: their commands add'
    ]


@pytest.mark.parametrize(
    ('topic', 'filtered'),
    [
        ('/clock', True), ('/tf', True), ('/sat1/ground_truth/odometry', True),
        ('/sun_sensor/fine/direction', True), ('/contact/mode', True), ('/scenario', True),
        ('/command/wrench', False), ('/sat1/command/wheels', False), ('/command/impulse', False),
        ('/somebody/elses', False),
    ],
)  # fmt: skip
def test_only_what_a_simulator_says_is_filtered(graph, topic, filtered):
    assert (belonging.Belonging(graph).filtered(topic, print) is not print) == filtered


def test_where_nothing_says_whose_a_message_is_all_is_taken_and_said(graph, monkeypatch):
    monkeypatch.setattr(sources, 'IDENTIFIES', False)
    graph.publishers['/scenario'] = [ONE, OTHER]
    ours = belonging.Belonging(graph)
    assert ours.filtered('/scenario', print) is print
    ours.look()
    ours.look()
    assert len(graph.said) == 1
    assert '2 simulators publish /scenario, and this version of rclpy cannot' in graph.said[0]


def test_a_message_is_taken_where_the_middleware_does_not_tell_its_sender(graph):
    """The `publisher_gid` of a MessageInfo may be None, as rclpy declares it."""
    graph.publishers['/scenario'] = [HERE, ONE]
    heard = []
    take = belonging.Belonging(graph).filtered('/scenario', heard.append)
    take('of another', {'publisher_gid': {'data': list(ONE + b'1234')}})
    take('of somebody', {'publisher_gid': None})
    assert heard == ['of somebody']
    assert sources.identity({'publisher_gid': None}) == sources.EVERYBODY


def test_nodes_load_where_rclpy_has_no_message_info(monkeypatch):
    """Every node of ROS Jazzy (rclpy 7.1.6) ended with an ImportError."""
    monkeypatch.delattr('rclpy.subscription.MessageInfo', raising=False)
    assert runpy.run_path(sources.__file__)['IDENTIFIES'] is False


@pytest.mark.skipif(not sources.IDENTIFIES, reason='rclpy before Kilted names no publisher')
def test_a_recorder_and_markers_beside_another_simulator(ros, command, tmp_path, capfd):
    """A bag had both scenarios, so that replay refused it, and 2276 odometries of 1921 ticks."""
    heard = ros.listen(Odometry, 'ground_truth/odometry')
    other = (command, 'run', 'tennis_racket', '--no-markers', '--duration', '0')
    with process(*other):
        ros.until(lambda: len(heard) > 10)
        simulator = ros.simulator({'body.mass': 7.0, 'real_time_factor': 4.0}, autostart=False)
        recorder, markers = ros.add(RecorderNode(tmp_path / 'bag')), ros.add(MarkersNode())
        ros.until(lambda: recorder.ready() and markers.ready())
        simulator.driver.start()
        ros.until(lambda: simulator.run.tick > 60)
        simulator.driver.pause()
        ticks, before = simulator.run.tick, len(heard)
        topic = '/ground_truth/odometry'
        ros.until(lambda: recorder.counts[topic] > ticks and len(heard) > before + 20)
        recorder.finish()
    assert markers._scenario.plant.body.mass == 7.0
    assert recorder.counts[topic] == ticks + 1
    with Reader(tmp_path / 'bag') as bag:
        texts = [data for connection, _, data in bag.messages() if connection.topic == '/scenario']
    assert len(texts) == 1
    assert scenario.dump(simulator.scenario).encode() in bytes(texts[0])
    assert 'of another process publishes /scenario, too' in capfd.readouterr().err
