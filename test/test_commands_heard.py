# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which stamps of a command are of now, to the nanosecond, and what a run says of it meanwhile."""

import pytest
from geometry_msgs.msg import WrenchStamped

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions

NOW = 40


class Bench:
    """A simulator paused at tick NOW, that holds a wrench for sixteen ticks, and its commander."""

    def __init__(self, ros):
        self.ros = ros
        parameters = {'start_paused': True, 'command_timeout': 0.5, 'body.mass': 2.0}
        self.node = ros.simulator(parameters, autostart=False)
        self.inbox = self.node.commands.inbox
        self.node.driver.start()
        self.node.driver.step(NOW)
        self.topics = {
            name: ros.node.create_publisher(WrenchStamped, f'command/{name}', 10)
            for name in ('wrench', 'impulse')
        }
        ros.until(lambda: all(t.get_subscription_count() for t in self.topics.values()))

    def send(self, topic, stamp, force):
        """Publish a command along x, and wait until it was taken or refused."""
        message = WrenchStamped(wrench=conversions.wrench_to_ros((force, 0, 0), (0, 0, 0)))
        message.header.frame_id = 'world'
        message.header.stamp = conversions.time_from_nanoseconds(stamp)
        before = self.counts()
        self.topics[topic].publish(message)
        if topic == 'wrench':
            self.ros.until(lambda: self.counts() != before)

    def counts(self):
        """Return how many wrenches were taken and refused."""
        return self.inbox.taken, self.inbox.refused


@pytest.mark.parametrize(
    ('stamp', 'taken', 'words'),
    [
        (0, True, ''),
        (NOW * TICK_NS, True, ''),
        (NOW * TICK_NS + 1, False, 'ahead of simulated time'),
        ((NOW - 16) * TICK_NS, True, ''),  # as old as a wrench is held
        ((NOW - 16) * TICK_NS - 1, False, 'stale'),
    ],
)
def test_a_wrench_is_taken_from_its_timeout_ago_up_to_now(ros, stamp, taken, words):
    bench = Bench(ros)
    bench.send('wrench', stamp, 3.0)
    assert bench.counts() == (taken, not taken)
    assert words in bench.inbox.last_refusal
    assert bench.inbox.holding == taken
    bench.node.driver.step(1)
    assert (bench.node.instant.state.momentum_W[0] > 0.0) == taken


def test_a_wrench_acts_for_as_long_as_it_is_said_to_be_held(ros):
    bench = Bench(ros)
    bench.send('wrench', 0, 3.0)
    said = []
    for _ in range(20):
        said.append(bench.inbox.holding)
        bench.node.driver.step(1)
    assert said == [True] * 16 + [False] * 4
    assert bench.node.instant.state.momentum_W[0] == pytest.approx(3.0 * 0.5, rel=1e-13)


def test_an_impulse_acts_once_and_whole(ros):
    bench = Bench(ros)
    bench.send('impulse', 0, 1.5)

    def struck():
        bench.node.driver.step(1)
        return bench.node.instant.state.momentum_W[0] > 0.0

    ros.until(struck)
    bench.node.driver.step(2)
    assert bench.node.instant.state.momentum_W[0] == 1.5
    assert bench.counts() == (0, 0)
