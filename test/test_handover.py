# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of a process that hand each other messages: in order, whole, and only while alone."""

import pytest
import rclpy
from rclpy.publisher import Publisher
from rclpy.serialization import serialize_message
from ros_helpers import process
from sensor_msgs.msg import Imu
from std_msgs.msg import String
from test_controlled_runs import printed

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.nodes.ros import qos, session
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.ros.handover import Handover
from spacecraft_attitude_sim.nodes.simulator import publications
from spacecraft_attitude_sim.nodes.simulator.publications import Publications

TOPIC = 'said'


class Pair:
    """A node that speaks and one that hears, connected, and what was heard, with its way."""

    def __init__(self, ros, quality=qos.STREAM, raw=False):
        self.ros, self.heard, self.by_hand = ros, [], []
        self.talker, hearer = (ros.add(GuardedNode(name)) for name in ('talker', 'hearer'))
        self.publisher = self.talker.create_publisher(String, TOPIC, quality)
        hearer.create_subscription(String, TOPIC, self.take, qos.EVERY_ONE, raw=raw)
        self.reaches(1)
        self.handover = Handover()
        self.handover.between([self.talker, hearer])

    def take(self, message, information):
        """Keep a message, and whether it came without the middleware, which tells more of it."""
        self.heard.append(message if isinstance(message, bytes) else message.data)
        self.by_hand.append('source_timestamp' not in information)

    def reaches(self, count):
        """Wait until so many subscribers are connected."""
        self.ros.until(lambda: self.publisher.get_subscription_count() == count)

    def say(self, *words):
        """Send words as a node on board does."""
        for word in words:
            self.talker.ways[self.publisher].send(String(data=word))

    def spin_until(self, done):
        """Spin as a run does."""
        self.ros.until(lambda: self.handover.spin_once(self.ros.executor) or done())


def test_a_message_arrives_without_the_middleware_when_its_turn_comes(ros):
    pair = Pair(ros)
    pair.say('a', 'b')
    assert not pair.heard  # whoever sends it goes on first
    pair.handover.spin_once(ros.executor)
    assert (pair.heard, pair.by_hand) == (['a', 'b'], [True, True])


def test_a_listener_that_comes_and_goes_hears_all_meanwhile_and_disturbs_no_order(ros):
    pair = Pair(ros)
    pair.say('a')
    pair.handover.spin_once(ros.executor)
    other = []
    listener = ros.node.create_subscription(String, TOPIC, lambda m: other.append(m.data), 10)
    pair.reaches(2)
    pair.say('b', 'c')
    pair.spin_until(lambda: len(other) == 2 and len(pair.heard) == 3)
    pair.say('d')  # is on its way when the listener leaves
    ros.node.destroy_subscription(listener)
    pair.ros.nodes.remove(pair.talker)  # nothing of it is taken before the next word is sent
    while pair.publisher.get_subscription_count() > 1:
        pass
    pair.ros.nodes.append(pair.talker)
    pair.say('e')
    pair.spin_until(lambda: len(pair.heard) == 5)
    pair.say('f')
    pair.handover.spin_once(ros.executor)
    assert pair.heard == list('abcdef')
    assert pair.by_hand == [True, False, False, False, False, True]
    assert other[:2] == ['b', 'c']


def test_who_wants_bytes_gets_bytes(ros):
    pair = Pair(ros, raw=True)
    data = serialize_message(String(data='whole'))
    pair.talker.ways[pair.publisher].send_bytes(data)
    pair.say('whole')
    pair.handover.spin_once(ros.executor)
    assert (pair.heard, pair.by_hand) == ([data, data], [True, True])


def test_what_late_subscribers_must_get_goes_through_the_middleware(ros):
    assert not Pair(ros, quality=qos.LATCHED).talker.ways


def test_two_nodes_of_one_name_are_not_taken_for_each_other(ros):
    twin = ros.add(rclpy.create_node('talker'))
    twin.create_publisher(String, TOPIC, 10)
    ros.until(lambda: len(ros.node.get_publishers_info_by_topic(TOPIC)) == 1)
    pair = Pair(ros)
    assert not pair.talker.ways


def test_what_follows_a_tick_waits_for_all_its_messages(ros):
    pair, order = Pair(ros), []

    def then():
        order.append(list(pair.heard))
        if len(order) < 3:
            pair.say('a', 'b')
            pair.handover.later(then)

    pair.handover.later(then)
    while len(order) < 3:
        pair.handover.spin_once(ros.executor)
    assert order == [[], list('ab'), list('abab')]


def test_what_comes_from_elsewhere_does_not_pile_up_behind_a_busy_run(ros):
    """A pause took eight seconds: timers of simulated time came faster than their turns."""
    pair, taken = Pair(ros), []
    for _ in range(40):
        pair.talker.create_subscription(String, 'other', taken.append, qos.EVERY_ONE)
    other = ros.node.create_publisher(String, 'other', qos.EVERY_ONE)
    ros.until(lambda: other.get_subscription_count() == 40)

    def again():
        pair.handover.later(again)

    again()
    ros.executor.remove_node(pair.talker)
    executor = session.Executor()  # that of a run
    executor.add_node(pair.talker)
    other.publish(String())
    other.wait_for_all_acked()
    for _ in range(20):
        pair.handover.spin_once(executor)
    executor.shutdown()
    assert len(taken) == 40


def test_a_run_in_lockstep_sends_nothing_between_its_own_nodes(domain, monkeypatch, capfd):
    ways, sent, between = [], set(), Handover.between
    publish = Publisher.publish

    def kept(self, nodes):
        between(self, nodes)
        ways.extend(publisher.topic_name for node in nodes for publisher in node.ways)

    def counted(self, message):
        sent.add(self.topic_name)
        publish(self, message)

    monkeypatch.setattr(Handover, 'between', kept)
    monkeypatch.setattr(Publisher, 'publish', counted)
    with pytest.raises(SystemExit, match='0'):
        cli.main(['run', 'cubesat_3u_leo', '--rate', '0', '--duration', '20'])
    assert '40 ticks' in capfd.readouterr().out
    commands = {'/command/wheels', '/command/dipole'}
    assert set(ways) == {'/clock', '/imu/data', '/imu/mag', '/joint_states', *commands}
    assert '/diagnostics' in sent and not commands & sent


LONG = ('run', 'cubesat_3u_leo', '--rate', 0, '--duration', 1200)


@pytest.fixture(scope='module')
def table(command, tmp_path_factory):
    """The table of a run that nobody hears."""
    path = tmp_path_factory.mktemp('alone') / 'alone.csv'
    printed(command, *LONG, '--csv', path)
    return path.read_bytes()


def test_a_recorded_run_in_a_namespace_has_the_bits_of_one_alone(command, domain, tmp_path, table):
    path, bag = tmp_path / 'recorded.csv', tmp_path / 'bag'
    options = ('--csv', path, '--record', bag, '--ros-args', '-r', '__ns:=/probe')
    printed(command, *LONG[:-1], 150, *options)
    assert 'identical: ' in printed(command, 'replay', bag, '--resimulate')
    rows = path.read_bytes()
    assert rows.count(b'\n') == 302 and table.startswith(rows)


@pytest.mark.parametrize('namespace', ['', 'probe'])
def test_a_run_with_a_listener_has_the_bits_of_one_alone(command, ros, tmp_path, table, namespace):
    place = ['--ros-args', '-r', f'__ns:=/{namespace}'] if namespace else []
    heard = tmp_path / 'heard.csv'
    topic = f'/{namespace}/imu/data'.replace('//', '/')
    with process(command, *map(str, LONG), '--csv', str(heard), *place) as child:
        ros.until(lambda: ros.node.count_publishers(topic))
        ticks = []
        for _ in range(2):  # it comes and goes twice
            stamps = []
            listener = ros.node.create_subscription(Imu, topic, stamps.append, qos.EVERY_ONE)
            ros.until(lambda stamps=stamps: len(stamps) > 50 or child.poll() is not None)
            ros.node.destroy_subscription(listener)
            ticks.append([2 * one.header.stamp.sec + one.header.stamp.nanosec // 500_000_000
                          for one in stamps])  # fmt: skip
        child.wait(60)
    assert len(ticks[0]) > 50
    for own in ticks:
        assert own == list(range(own[0], own[0] + len(own))) if own else True
    assert heard.read_bytes() == table


@pytest.mark.parametrize(('interval', 'questions'), [(10**18, 1), (0, 41)])
def test_a_run_that_hands_over_asks_now_and_then_who_listens(
    domain, monkeypatch, capfd, interval, questions
):
    asked, ask = [], Publications._senders_heard

    def watched(self):
        before, senders = self._ask_ns, ask(self)
        asked.append(self._ask_ns != before)
        assert set(senders) == {'/clock', 'imu/data', 'imu/mag', 'joint_states'}
        return senders

    monkeypatch.setattr(Publications, '_senders_heard', watched)
    monkeypatch.setattr(publications, 'ASKED_EVERY_NS', interval)
    with pytest.raises(SystemExit, match='0'):
        cli.main(['run', 'cubesat_3u_leo', '--rate', '0', '--duration', '20'])
    assert '40 ticks' in capfd.readouterr().out
    assert (len(asked), sum(asked)) == (41, questions)
