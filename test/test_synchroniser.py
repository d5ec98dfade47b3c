# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Several sensor topics of one tick arrive together, so that a loop over them repeats."""

import sys
from contextlib import ExitStack
from types import SimpleNamespace

import numpy as np
import pytest
from bags import contents
from conftest import ROOT
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from processes import printed
from ros_helpers import BUSY, process
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.synchroniser import MOST_WAITING, TickSynchroniser
from spacecraft_attitude_sim.recording import history

CONTROLLER = (sys.executable, str(ROOT / 'examples' / 'gyro_and_stars.py'))
STARS = {
    'star_tracker.enabled': 'true',
    'star_tracker.latency': '3',
    'star_tracker.interval': '4',
    'star_tracker.cross_boresight_noise': '10.0',
    'imu.gyroscope.angle_random_walk': '0.15',
}


def test_gyroscope_and_late_stars_in_lockstep_repeat_bit_for_bit(command, domain, tmp_path):
    options = [word for item in STARS.items() for word in ('-p', ':='.join(item))]
    with ExitStack() as stack:
        for number in range(2):
            for _ in range(2 * number):
                stack.enter_context(process(*BUSY))
            bag = tmp_path / f'{number}'
            with process(*CONTROLLER):
                given = ('--no-controller', '--no-markers', '--rate', 0, '--duration', 10)
                printed(command, 'run', 'cubesat_pointing', *given, '--record', bag, *options)
    first = contents(tmp_path / '0')
    assert len(first['/star_tracker/attitude']) == 80
    assert len(first['/tick']) == 321
    other = contents(tmp_path / '1')
    for topic, messages in first.items():
        assert other[topic] == messages, topic
    # And the loop does what it is for: 120 degrees off at the start, hardly any at the end.
    run = history.read(tmp_path / '0')[0]
    error = np.degrees(Rotation.from_euler('ZYX', run.euler_zyx).magnitude())
    assert error[0] == pytest.approx(120.0, abs=0.01)
    assert error[-1] < 30.0


class Network:
    """A node whose messages come in whatever order a test hands them over."""

    def __init__(self, **options):
        self.takers = {}
        self.ticks, self.repeats, self.warnings = [], [], []
        self.synchroniser = TickSynchroniser(
            self, {'gyro': Imu, 'stars': Imu}, self._on_tick, self.repeats.append, **options
        )

    def _on_tick(self, stamp, messages):
        self.ticks.append((stamp, {topic: kept.header.stamp for topic, kept in messages.items()}))

    def resolve_topic_name(self, topic):
        """Return the name in the namespace."""
        return f'/sat/{topic}'

    def get_logger(self):
        """Return what warnings go to."""
        return self

    def warning(self, text):
        """Keep a warning."""
        self.warnings.append(text)

    def create_subscription(self, kind, topic, callback, quality):
        """Keep whom to hand messages to."""
        self.takers[topic] = callback

    def hear(self, topic, stamp):
        """Hand over a sensor's message."""
        header = SimpleNamespace(stamp=conversions.time_from_nanoseconds(stamp))
        self.takers[topic](SimpleNamespace(header=header))

    def complete(self, stamp, belated=(), **ages):
        """Hand over what the simulator says last in a tick; belated: (topic, age [ns])."""
        message = DiagnosticArray(status=[
            DiagnosticStatus(values=[KeyValue(key=topic, value=str(age)) for topic, age in pairs])
            for pairs in ([ages.items(), belated] if belated else [ages.items()])
        ])  # fmt: skip
        message.header.stamp = conversions.time_from_nanoseconds(stamp)
        self.takers['tick'](message)


def test_a_tick_is_handed_on_when_all_of_it_is_there_in_whatever_order():
    events = [('gyro', 5 * TICK_NS), ('stars', 2 * TICK_NS), ('tick', 5 * TICK_NS)]
    for first in range(3):
        for second in range(2):
            network, left = Network(), list(events)
            for index in (first, second, 0):
                topic, stamp = left.pop(index)
                assert not network.ticks
                if topic == 'tick':
                    network.complete(stamp, gyro=0, stars=3 * TICK_NS, pose=0)
                else:
                    network.hear(topic, stamp)
            assert [stamp for stamp, _ in network.ticks] == [5 * TICK_NS]
            assert network.ticks[0][1].keys() == {'gyro', 'stars'}


def test_ticks_come_in_order_and_without_what_was_silent():
    network = Network()
    for tick in (1, 2, 3):
        network.complete(tick * TICK_NS, gyro=0)
    for tick in (1, 2, 3):
        network.hear('gyro', tick * TICK_NS)
    assert [stamp // TICK_NS for stamp, _ in network.ticks] == [1, 2, 3]
    assert all(messages.keys() == {'gyro'} for _, messages in network.ticks)


def test_a_tick_whose_message_is_lost_is_given_up_and_counted():
    network = Network()
    for tick in (1, 2):
        network.complete(tick * TICK_NS, gyro=0)
    network.hear('gyro', 2 * TICK_NS)
    assert [stamp // TICK_NS for stamp, _ in network.ticks] == [2]
    assert network.synchroniser.lost == 1
    for tick in range(3, 3 + MOST_WAITING + 5):  # nor is it waited for without end
        network.complete(tick * TICK_NS, gyro=0)
    assert network.synchroniser.lost == 6


def test_strays_change_nothing_and_another_name_is_told():
    network = Network()
    network.hear('gyro', (2**31 - 1) * 1_000_000_000)  # from the future, before its own
    network.takers['tick'](DiagnosticArray())
    network.takers['tick'](
        DiagnosticArray(status=[DiagnosticStatus(values=[KeyValue(key='gyro', value='x')])])
    )
    for tick in (1, 2):
        network.complete(tick * TICK_NS, gyro=0)
        network.hear('gyro', tick * TICK_NS)
    assert [stamp // TICK_NS for stamp, _ in network.ticks] == [1, 2]
    assert network.synchroniser.lost == 0
    assert not network.warnings
    for tick in (3, 4):
        network.complete(tick * TICK_NS, gyroscope=0)
    assert network.warnings == ['no tick has any of gyro, stars; it has gyroscope']


def test_a_late_star_is_waited_for_while_later_ticks_are_complete():
    network = Network()
    network.complete(1 * TICK_NS, gyro=0, stars=0)
    network.complete(2 * TICK_NS, gyro=0)
    for tick in (1, 2):
        network.hear('gyro', tick * TICK_NS)
    assert not network.ticks
    network.hear('stars', TICK_NS)
    assert [stamp // TICK_NS for stamp, _ in network.ticks] == [1, 2]


def test_a_tick_that_is_asked_for_again_is_told_apart_and_a_new_run_is_not_old():
    network = Network()
    for _ in range(2):
        network.hear('gyro', 7 * TICK_NS)
        network.complete(7 * TICK_NS, gyro=0)
    assert (len(network.ticks), network.repeats) == (1, [7 * TICK_NS])
    network.hear('gyro', 0)
    network.complete(0, gyro=0)
    assert [stamp for stamp, _ in network.ticks] == [7 * TICK_NS, 0]


def test_what_an_earlier_run_still_waited_for_does_not_hold_up_a_new_one():
    network = Network()
    network.complete(7 * TICK_NS, gyro=0, stars=0)
    network.hear('gyro', 7 * TICK_NS)
    for tick in (0, 1):
        network.hear('gyro', tick * TICK_NS)
        network.complete(tick * TICK_NS, gyro=0)
    assert [stamp for stamp, _ in network.ticks] == [0, TICK_NS]
    assert network.synchroniser.lost == 0 and not network.repeats


@pytest.mark.parametrize('first', [0, 1, 2])
def test_what_a_newer_message_has_overtaken_comes_with_its_tick(first):
    """The message of 1 arrives while the tick of 2 to 4 is still to be handed on."""
    network = Network(with_belated=True)
    pairs = [('gyro', 3 * TICK_NS), ('wind', 0), ('gyro', 2 * TICK_NS)]

    def belated_arrive(when):
        if when == first:
            for tick in (1, 2):
                network.hear('gyro', tick * TICK_NS)

    network.hear('gyro', 3 * TICK_NS)
    belated_arrive(0)
    network.complete(3 * TICK_NS, gyro=0)
    belated_arrive(1)
    network.hear('gyro', 4 * TICK_NS)
    network.complete(4 * TICK_NS, belated=pairs, gyro=0)
    if first == 2:
        assert [stamp // TICK_NS for stamp, _ in network.ticks] == [3]  # 4 waits
    belated_arrive(2)
    assert [stamp // TICK_NS for stamp, _ in network.ticks] == [3, 4]
    heard = [(topic, conversions.nanoseconds_from_ros(m.header.stamp) // TICK_NS)
             for topic, m in network.synchroniser.belated]  # fmt: skip
    assert heard == [('gyro', 1), ('gyro', 2)]
    network.hear('gyro', 5 * TICK_NS)
    network.complete(5 * TICK_NS, gyro=0)
    assert not network.synchroniser.belated and not network.warnings


def test_who_does_not_ask_for_what_was_overtaken_does_not_wait_for_it():
    network = Network()
    network.hear('gyro', 4 * TICK_NS)
    network.complete(4 * TICK_NS, belated=[('gyro', 3 * TICK_NS)], gyro=0)
    assert len(network.ticks) == 1
    network.hear('gyro', TICK_NS)
    network.hear('gyro', 4 * TICK_NS)  # the same twice
    network.hear('gyro', 5 * TICK_NS)
    network.complete(5 * TICK_NS, gyro=0)
    assert [stamp // TICK_NS for stamp, _ in network.ticks] == [4, 5]
    assert not network.synchroniser.belated and network.synchroniser.lost == 0
    assert not network.synchroniser._older['gyro']


def test_of_the_messages_that_were_overtaken_a_new_run_knows_none_and_not_all_are_kept():
    network, older = Network(with_belated=True), []
    for last in (MOST_WAITING, 2 * MOST_WAITING, 3 * MOST_WAITING):
        for tick in range(last - MOST_WAITING, last + 1):
            network.hear('gyro', tick * TICK_NS)
        network.complete(last * TICK_NS, gyro=0)
        older = network.synchroniser._older['gyro']
    assert len(older) == 2 * MOST_WAITING
    network.hear('gyro', 0)
    network.complete(0, gyro=0)
    assert not older
