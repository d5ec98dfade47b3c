# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When a run in lockstep looks for answers by itself, without ROS."""

from types import SimpleNamespace

import pytest

from spacecraft_attitude_sim.nodes.simulator import answer_poll
from spacecraft_attitude_sim.nodes.simulator.answer_poll import (
    LONG_TURN_NS,
    MOST_AT_ONCE,
    MOST_LATE,
    PATIENCE_NS,
    REST_NS,
    AnswerPoll,
)

AWAITED = ('/command/wrench',)
TURN_NS = 1000


class Topic:
    """A subscription and its handle; delays: turns of others before each message, then none."""

    msg_type, raw = object, True

    def __init__(self, name, publishers=1, delays=()):
        self.topic_name, self.handle = name, self
        self.publishers, self.delays = publishers, list(delays)
        self.taken, self.callback = [], lambda *message: self.taken.append(message)

    def __enter__(self):
        """Use the handle."""

    def __exit__(self, *error):
        """End its use."""

    def get_publisher_count(self):
        """Return the number of publishers."""
        return self.publishers

    def take_message(self, kind, raw):
        """Return message and information, or None before they come."""
        assert (kind, raw) == (object, True)
        if not self.delays:
            return None
        if self.delays[0]:
            self.delays[0] -= 1
            return None
        self.delays.pop(0)
        return b'data', {'of': self.topic_name}


@pytest.fixture
def machine(monkeypatch):
    """The time [ns], and how long a turn of other threads lasts; on two cores."""
    machine = SimpleNamespace(now=0, turn=TURN_NS, turns=0)

    def let_others_run():
        machine.now += machine.turn
        machine.turns += 1

    clock = SimpleNamespace(monotonic_ns=lambda: machine.now)
    monkeypatch.setattr(answer_poll, 'time', clock)
    monkeypatch.setattr(answer_poll, 'let_others_run', let_others_run)
    monkeypatch.setattr(answer_poll.system, 'usable_cores', lambda: 2)
    return machine


def poll_of(*topics, period=0.0, running=True, answered=False):
    run = SimpleNamespace(pacer=SimpleNamespace(period=period), running=running)
    poll = AnswerPoll(run, lambda: answered)
    poll.subscriptions += topics
    return poll


def test_answers_that_come_soon_are_taken_with_what_is_told_of_them(machine):
    topic = Topic('/command/wrench', delays=(0, 5, 200))
    poll_of(topic, Topic('/command/impulse', publishers=0)).look(AWAITED)
    assert topic.taken == [(b'data', {'of': '/command/wrench'})] * 3
    # After the last one it looks in vain, for as long as its patience lasts.
    assert machine.now == 205 * TURN_NS + PATIENCE_NS + TURN_NS


def test_other_callbacks_run_after_some_answers(machine):
    topic = Topic('/command/wrench', delays=[0] * 100)
    poll = poll_of(topic)
    for count in (1, 2):
        poll.look(AWAITED)
        assert len(topic.taken) == count * MOST_AT_ONCE


def test_the_callback_of_an_answer_does_not_look_again(machine):
    """Else the stack would grow with every tick."""
    topic = Topic('/command/wrench', delays=[0] * 100)
    poll, depths = poll_of(topic), []

    def callback(*message):
        depths.append(len(topic.taken))
        topic.taken.append(message)
        poll.look(AWAITED)
        assert len(topic.taken) == depths[-1] + 1

    topic.callback = callback
    poll.look(AWAITED)
    assert depths == list(range(MOST_AT_ONCE))


def test_an_error_of_a_message_does_not_end_looking_for_good(machine):
    topic = Topic('/command/wrench', delays=(0,))
    poll, callback = poll_of(topic), topic.callback
    topic.callback = None
    with pytest.raises(TypeError):
        poll.look(AWAITED)
    topic.callback, topic.delays = callback, [0]
    poll.look(AWAITED)
    assert len(topic.taken) == 1


@pytest.mark.parametrize(
    'others',
    [
        pytest.param([Topic('/command/impulse')], id='another topic is heard'),
        pytest.param([Topic('/command/wrench', publishers=0)], id='nobody publishes'),
        pytest.param([Topic('/command/impulse'), Topic('/command/wheels')], id='two others'),
    ],
)
def test_commands_of_several_topics_are_left_in_their_order(machine, others):
    wrench = Topic('/command/wrench', len(others) == 1, delays=[0])
    if not others[0].publishers:
        wrench = Topic('/command/wheels', delays=[0])  # not awaited
    poll_of(wrench, *others).look(AWAITED)
    assert wrench.taken == []
    assert machine.turns == 0


@pytest.mark.parametrize(
    'state', [{'period': 1e6}, {'running': False}, {'answered': True}], ids=str
)
def test_a_run_that_waits_for_no_answer_as_fast_as_it_can_does_not_look(machine, state):
    topic = Topic('/command/wrench', delays=[0])
    poll_of(topic, **state).look(AWAITED)
    assert topic.taken == []


@pytest.mark.parametrize(
    ('owner', 'name', 'value'),
    [(answer_poll, 'let_others_run', None), (answer_poll.system, 'usable_cores', lambda: 1)],
)
def test_without_a_second_core_it_waits_as_ever(machine, monkeypatch, owner, name, value):
    monkeypatch.setattr(owner, name, value)
    topic = Topic('/command/wrench', delays=[0])
    poll_of(topic).look(AWAITED)
    assert topic.taken == []


def test_a_controller_that_is_always_late_is_looked_for_now_and_then(machine):
    topic = Topic('/command/wrench')
    poll = poll_of(topic)
    for _ in range(MOST_LATE - 1):
        poll.look(AWAITED)
    topic.delays = [0]  # one in time: those before do not count any more
    poll.look(AWAITED)
    for _ in range(MOST_LATE + 3):
        poll.look(AWAITED)
    assert machine.now == (2 * MOST_LATE - 1) * (PATIENCE_NS + TURN_NS)
    topic.delays = [0]
    machine.now += REST_NS - 1
    poll.look(AWAITED)
    assert len(topic.taken) == 1
    machine.now += 1
    poll.look(AWAITED)
    assert len(topic.taken) == 2


def test_it_leaves_the_core_to_others_that_need_it(machine):
    """A turn of another process lasts some ms; then a wait in the executor is better."""
    topic, machine.turn = Topic('/command/wrench'), 290_000
    poll = poll_of(topic)
    for count in (2, 4):  # two turns are longer together, but none is long
        poll.look(AWAITED)
        assert machine.turns == count
    machine.turn, machine.turns = LONG_TURN_NS + 1, 0
    for _ in range(3):
        poll.look(AWAITED)
    assert machine.turns == 1
    machine.now, topic.delays = machine.now + REST_NS, [0]
    poll.look(AWAITED)
    assert len(topic.taken) == 1
