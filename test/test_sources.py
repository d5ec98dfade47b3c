# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Several nodes command one spacecraft: what they command adds, and in lockstep it repeats."""

import itertools

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS
from spacecraft_attitude_sim.core.simulation.commands import (
    MOST_SOURCES,
    CommandInbox,
    CommandRefusedError,
)
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions

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

    def send(self, number, tick, torque, frame='base_link'):
        """Publish the answer of a source to a tick."""
        message = WrenchStamped(header=conversions.header_to_ros(tick * TICK_NS, frame))
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
    assert inbox.last_refusal == 'command/wrench: a second command of /source_0 for tick 0'
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
    ros.until(lambda: node.run.paused)
    assert node.instant.tick == 3
    assert 'from /source_1 (command/wrench)' in node.run.halted
    node.driver.resume()
    ros.until(lambda: node.instant.tick == 4)
    # And again, also by who looks anew who is present, as after a pause.
    answers.send(1, 4, (1e-6, 0.0, 0.0))
    ros.until(lambda: node.commands.inbox.taken == 6)
    node.commands.await_present()
    answers.send(0, 4, (1e-6, 0.0, 0.0))
    ros.until(lambda: node.instant.tick == 5)
    both = ['/source_0 (command/wrench)', '/source_1 (command/wrench)']
    assert node.commands.missing() == both


def test_a_tick_is_published_again_before_the_run_pauses(ros):
    answers = Answers(ros, 1, lockstep_timeout=2.0)
    answers.send(0, 0, (0.0, 0.0, 0.0))
    ros.until(lambda: answers.node.instant.tick == 1)
    ros.until(lambda: len(answers.imu) == 3)  # of ticks 0, 1 and, its answer being missed, 1
    assert answers.imu[1] == answers.imu[2]
    assert not answers.node.run.paused
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


SEVERAL = {'lockstep_frames': ['base_link@1,0,0', 'world']}
# Of source 0 in two frames and source 1 in one: each in its order, however they are interleaved.
ANSWERS = ((0, 'base_link@1,0,0'), (0, 'world')), ((1, 'base_link'),)


def interleaved(order):
    """Yield source and frame of ANSWERS in an order of sources."""
    left = [iter(own) for own in ANSWERS]
    for number in order:
        yield next(left[number])


def test_a_node_answers_once_in_each_of_the_frames_named_and_its_tick_waits_for_all(ros):
    answers = Answers(ros, 2, **SEVERAL)
    node, inbox = answers.node, answers.node.commands.inbox
    ended, parts = set(), {'base_link@1,0,0': 1e-6, 'world': 2e-6, 'base_link': 4e-6}
    for tick, order in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0))):
        for count, (number, frame) in enumerate(interleaved(order), start=1):
            assert node.instant.tick == tick
            size = parts[frame]
            answers.send(number, tick, (size, size / 3.0, size / 7.0), frame)
            ros.until(lambda: inbox.taken == 3 * tick + count)  # noqa: B023 (called at once)
        ros.until(lambda: node.instant.tick == tick + 1)  # noqa: B023 (called at once)
        ended.add(node.instant.inputs.wrench.tobytes())
    assert len(ended) == 1
    assert node.instant.inputs.wrench[3:5] == pytest.approx([5e-6, 5e-6 / 3.0], rel=1e-15)
    assert node.instant.inputs.wrench[9] == 2e-6
    assert inbox.refused == 0


def test_who_lacks_an_answer_in_a_frame_is_named_with_it(ros):
    answers = Answers(ros, 1, **SEVERAL)
    node, inbox = answers.node, answers.node.commands.inbox
    answers.send(0, 0, (1e-6, 0.0, 0.0), 'world')
    ros.until(lambda: inbox.taken == 1)
    assert node.commands.missing() == ['/source_0 (command/wrench in base_link@1.0,0.0,0.0)']
    for number, frame in enumerate(('world', 'base_link'), start=1):
        answers.send(0, 0, (1e-6, 0.0, 0.0), frame)
        ros.until(lambda: inbox.refused == number)  # noqa: B023 (called at once)
    assert inbox.last_refusal == (
        'command/wrench: a second command of /source_0 for tick 0, in base_link: list in '
        'lockstep_frames all frames in which a node commands at each tick'
    )
    answers.send(0, 0, (1e-6, 0.0, 0.0), 'base_link@1.0,0,0')
    ros.until(lambda: node.instant.tick == 1)
    # A frame that is not named is the whole answer.
    answers.send(0, 1, (1e-6, 0.0, 0.0), 'base_link')
    ros.until(lambda: node.instant.tick == 2)


def test_a_second_frame_that_was_not_named_is_refused_with_the_remedy(ros):
    answers = Answers(ros, 1)
    node, inbox = answers.node, answers.node.commands.inbox
    answers.send(0, 0, (1e-6, 0.0, 0.0))
    answers.send(0, 0, (1e-6, 0.0, 0.0), 'world')
    ros.until(lambda: inbox.refused == 1)
    assert node.instant.tick == 1
    assert 'list in lockstep_frames all frames' in inbox.last_refusal


def test_lockstep_frames_are_checked_at_the_door(ros):
    from spacecraft_attitude_sim.configuration.scenario import ScenarioError

    with pytest.raises(ScenarioError, match=r"lockstep_frames\[1\]: frame_id is 'moon'; valid"):
        ros.simulator({'lockstep_frames': ['world', 'moon']})


def test_a_node_that_holds_in_two_frames_is_told_of_once(ros, monkeypatch):
    answers = Answers(ros, 1, lockstep=False, start_paused=True)
    node, said = answers.node, []
    monkeypatch.setattr(type(node.get_logger()), 'warning', lambda _, text: said.append(text))
    for count, frame in enumerate(('world', 'world', 'base_link', 'base_link@0,0,1'), start=1):
        answers.send(0, 0, (1e-6, 0.0, 0.0), frame)
        ros.until(lambda: node.commands.inbox.taken == count)  # noqa: B023 (called at once)
    assert said == [
        '/source_0 holds a wrench in each of base_link, world: they add up; publish zeros in a '
        'frame to end one'
    ]
