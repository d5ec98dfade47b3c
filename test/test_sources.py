# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Several nodes command one spacecraft: what they command adds, and in lockstep it repeats."""

import itertools

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped

from spacecraft_attitude_sim.core import loads
from spacecraft_attitude_sim.core.body import AT_CENTRE_OF_MASS
from spacecraft_attitude_sim.core.commands import MOST_SOURCES, CommandInbox, CommandRefusedError
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes import conversions

LIMIT = [10.0, 10.0, 10.0]
STILL = np.array((1.0, 0.0, 0.0, 0.0))
NONE = np.zeros(3)


def inbox(timeout=0.5):
    return CommandInbox({'base_link': AT_CENTRE_OF_MASS}, 'world', LIMIT, LIMIT, timeout)


def test_each_source_holds_its_own_wrench_and_they_add():
    box = inbox()
    box.hold('base_link', NONE, np.array((1.0, 0.0, 0.0)), 'controller')
    box.hold('base_link', NONE, np.array((0.0, 2.0, 0.0)), 'disturbance')
    box.hold('base_link', NONE, np.array((3.0, 0.0, 0.0)), 'controller')
    assert box.take(STILL).wrench.tolist() == [0, 0, 0, 3.0, 2.0, 0, 0, 0, 0, 0, 0, 0]


def test_a_wrench_ends_with_its_own_timeout():
    box = inbox(timeout=2 / 32)
    box.hold('base_link', NONE, np.array((1.0, 0.0, 0.0)), 'one')
    box.take(STILL)
    box.hold('base_link', NONE, np.array((0.0, 1.0, 0.0)), 'two')
    assert box.holding
    torques = [box.take(STILL).wrench[3:5].tolist() for _ in range(3)]
    assert torques == [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    assert not box.holding


def test_sums_do_not_depend_on_who_came_first():
    """Floating-point addition is not associative: (0.1 + 0.2) + 0.3 is not 0.1 + (0.2 + 0.3)."""
    parts = [np.array((x, -x / 3.0, x / 7.0)) for x in (0.1, 0.2, 0.3, 1e-9)]
    sums = set()
    for order in itertools.permutations(range(4)):
        box = inbox()
        for index in order:
            box.hold('base_link', NONE, parts[index], f'{index}')
            box.strike('world', NONE, parts[index], f'{index}')
        taken = box.take(STILL)
        sums.add(taken.wrench.tobytes() + taken.impulse.tobytes())
    assert len(sums) == 1
    naive = {sum(order, NONE).tobytes() for order in itertools.permutations(parts)}
    assert len(naive) > 1


def test_one_source_alone_gives_the_bits_of_its_command():
    box = inbox()
    torque = np.array((0.1, -0.0, 0.3))
    box.hold('base_link', NONE, torque, 'one')
    expected = loads.wrench_in_body(NONE, torque, AT_CENTRE_OF_MASS)
    assert box.take(STILL).wrench.tobytes() == expected.tobytes()
    assert box.take(STILL).wrench.tobytes() == expected.tobytes()


def test_sources_and_impulses_are_bounded():
    box = inbox()
    for number in range(MOST_SOURCES):
        box.hold('base_link', NONE, NONE, f'{number}')
    with pytest.raises(CommandRefusedError, match='64 sources'):
        box.hold('base_link', NONE, NONE, 'one more')
    box.hold('base_link', NONE, NONE, '3')
    for _ in range(10_000):
        box.strike('base_link', np.array((1.0, 0.0, 0.0)), NONE, 'one')
    assert len(box._struck) == 1
    assert box.take(STILL).impulse[0] == 10_000.0


def test_what_a_source_that_left_held_is_forgotten():
    box = inbox(timeout=0.0)
    box.hold('base_link', NONE, np.array((1.0, 0.0, 0.0)), 'gone')
    box.hold('base_link', NONE, np.array((0.0, 1.0, 0.0)), 'here')
    box.forget('gone')
    box.forget('never there')
    assert box.take(STILL).wrench[3:5].tolist() == [0.0, 1.0]


class Answers:
    """Nodes that answer, by hand, a simulator in lockstep in this process."""

    def __init__(self, ros, count, **parameters):
        import rclpy

        self.ros = ros
        self.nodes = [ros.add(rclpy.create_node(f'source_{number}')) for number in range(count)]
        self.publishers = [
            node.create_publisher(WrenchStamped, 'command/wrench', 10) for node in self.nodes
        ]
        ros.listen(WrenchStamped, 'imu/none')
        from sensor_msgs.msg import Imu

        self.imu = ros.listen(Imu, 'imu/data')
        given = {'lockstep': True, 'real_time_factor': 0.0, 'lockstep_timeout': 1.0}
        self.node = ros.simulator(given | parameters)
        ros.until(lambda: self.imu)

    def send(self, number, tick, torque):
        """Publish the answer of a source to a tick."""
        message = WrenchStamped(header=conversions.header_to_ros(tick, 'base_link'))
        message.wrench.torque = conversions.vector3_to_ros(torque)
        self.publishers[number].publish(message)


def test_a_tick_waits_for_every_source_and_refuses_a_second_answer(ros):
    answers = Answers(ros, 2)
    node, inbox = answers.node, answers.node.commands.inbox
    answers.send(0, 0, (1e-6, 0.0, 0.0))
    ros.until(lambda: inbox.taken == 1)
    assert node.instant.tick == 0
    answers.send(0, 0, (5e-6, 0.0, 0.0))
    ros.until(lambda: inbox.refused == 1)
    assert inbox.last_refusal == 'command/wrench: a second answer of /source_0 to tick 0'
    answers.send(1, 0, (0.0, 2e-6, 0.0))
    ros.until(lambda: node.instant.tick == 1)
    assert node.instant.inputs.wrench[3:6].tolist() == [1e-6, 2e-6, 0.0]


def test_who_is_silent_is_named_and_left_out_until_it_speaks(ros):
    answers = Answers(ros, 2)
    node = answers.node
    answers.send(0, 0, (1e-6, 0.0, 0.0))
    ros.until(lambda: node.instant.tick == 1)  # without who has never answered
    answers.send(0, 1, (1e-6, 0.0, 0.0))
    ros.until(lambda: node.instant.tick == 2)
    # It speaks: from now on ticks wait for it again.
    answers.send(1, 2, (1e-6, 0.0, 0.0))
    answers.send(0, 2, (1e-6, 0.0, 0.0))
    ros.until(lambda: node.instant.tick == 3)
    answers.send(0, 3, (1e-6, 0.0, 0.0))
    ros.until(lambda: node.paused)
    assert node.instant.tick == 3
    assert 'from /source_1 (command/wrench)' in node.halted
    node.resume()
    ros.until(lambda: node.instant.tick == 4)


def test_a_tick_is_published_again_before_the_run_pauses(ros):
    answers = Answers(ros, 1, lockstep_timeout=2.0)
    answers.send(0, 0, (0.0, 0.0, 0.0))
    ros.until(lambda: answers.node.instant.tick == 1)
    ros.until(lambda: len(answers.imu) == 3)  # of ticks 0, 1 and, its answer being missed, 1
    assert answers.imu[1] == answers.imu[2]
    assert not answers.node.paused
    answers.send(0, 1, (0.0, 0.0, 0.0))
    ros.until(lambda: answers.node.instant.tick == 2)


def test_a_source_that_leaves_is_waited_for_no_longer(ros):
    answers = Answers(ros, 2, lockstep_timeout=0.0)
    node = answers.node
    answers.send(0, 0, (1e-6, 0.0, 0.0))
    ros.until(lambda: node.commands.inbox.taken == 1)
    answers.nodes[1].destroy_publisher(answers.publishers[1])
    ros.until(lambda: node.instant.tick == 1)


def test_impulses_can_be_waited_for_too(ros):
    import rclpy

    striker = ros.add(rclpy.create_node('striker'))
    impulses = striker.create_publisher(WrenchStamped, 'command/impulse', 10)
    answers = Answers(ros, 1, lockstep_topics=['command/wrench', 'command/impulse'])
    node = answers.node
    answers.send(0, 0, (0.0, 0.0, 0.0))
    ros.until(lambda: node.commands.inbox.taken == 1)
    assert node.commands.missing() == ['/striker (command/impulse)']
    message = WrenchStamped(header=conversions.header_to_ros(0, 'base_link'))
    message.wrench.torque.x = 1e-6
    message.header.stamp.nanosec += TICK_NS
    impulses.publish(message)
    ros.until(lambda: node.commands.inbox.refused == 1)
    message.header.stamp.nanosec -= TICK_NS
    impulses.publish(message)
    ros.until(lambda: node.instant.tick == 1)
    assert node.instant.inputs.impulse[3] == 1e-6
