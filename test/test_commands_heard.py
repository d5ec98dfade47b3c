# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which stamps of a command are of now, to the nanosecond, and what a run says of it meanwhile."""

from types import SimpleNamespace

import pytest
from geometry_msgs.msg import WrenchStamped

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator.commands import Commands

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


# --- who is waited for in lockstep, without ROS -------------------------------------------------


@pytest.fixture
def books():
    """The Commands of topics a and b, each with sources x and y present, of which none answered.

    done: how often it went on because all have answered
    """
    commands = object.__new__(Commands)
    commands.done, commands._latencies = 0, {}

    def go_on():
        commands.done += 1

    def of(topic):
        return SimpleNamespace(present=lambda: commands.there[topic], name=lambda one: f'/{one}')

    commands.there = {'a': {'x', 'y'}, 'b': {'x', 'y'}}
    commands.sources = {topic: of(topic) for topic in commands.there}
    commands._awaited = {'a': set(), 'b': set()}
    commands._answers = {'a': {}, 'b': {}}
    commands._spoken, commands._left_out, commands._frames = set(), set(), set()
    commands._by_table, commands._on_answer = {}, go_on
    commands._excused = frozenset()
    commands._run, commands._interval = SimpleNamespace(elapsed=0), 4
    return commands


def test_a_source_that_has_left_is_forgotten_by_every_command():
    """Its wrench, its commands to actuators, and that it has spoken of several frames."""
    commands, forgotten = object.__new__(Commands), []

    def forgetting(name):
        return SimpleNamespace(forget=lambda source: forgotten.append((name, source)))

    gone = [frozenset(), frozenset((b'x', b'y')), frozenset()]
    commands.sources = {'t': SimpleNamespace(of=lambda told: (b'z', gone.pop(0)))}
    commands.inbox, commands._several = forgetting('wrench'), {b'x', b'z'}
    commands.actuators = {name: forgetting(name) for name in ('wheels', 'dipole')}
    assert commands._source('t', None) == b'z'
    assert forgotten == []
    assert commands._source('t', None) == b'z'
    assert sorted(forgotten) == [
        (name, source) for name in ('dipole', 'wheels', 'wrench') for source in (b'x', b'y')
    ]
    assert commands._several == {b'z'}
    assert commands._source('t', None) == b'z'
    assert len(forgotten) == 6


def answer(books, *answers):
    """Note answers as 'xa': of source x on topic a."""
    for source, topic in answers:
        books._answers[topic][source] = {topic}


def test_a_tick_is_answered_when_each_awaited_source_has_answered_on_each_topic(books):
    assert not books.answered  # nobody is there yet
    books.await_present()
    seen = []
    for one in ('xa', 'ya', 'xb', 'yb'):
        seen.append(books.answered)
        answer(books, one)
    assert seen == [False] * 4 and books.answered
    for answers in books._answers.values():
        answers.clear()
    asked = []
    for books._run.elapsed in range(6):  # a tick without a reading needs no answer
        asked.append(not books.answered)
    assert asked == [True, False, False, False, True, False]


def test_a_topic_that_a_table_commands_needs_no_node_until_one_answers(books):
    books._by_table, books.there = {'a': {}, 'b': {}}, {'a': set(), 'b': set()}
    assert books.answered and books.answered_by_tables
    assert not books.owed() and books.lacking() == []
    books.there['b'] = {'x'}
    assert not books.answered_by_tables
    books.await_present()
    assert not books.answered and books.owed()
    answer(books, 'xb')
    assert books.answered and not books.owed()
    del books._by_table['a']
    assert not books.answered_by_tables
    assert books.lacking() == ['a'] and not books.answered and books.owed()


def test_who_did_not_answer_is_left_out_unless_nobody_else_is_there(books):
    books.await_present()
    answer(books, 'xa', 'xb', 'yb')
    assert books.missing() == ['/y (a)']
    books.leave_out_missing()
    assert books._awaited == {'a': {'x'}, 'b': {'x'}}
    assert books.answered
    books.there = {'a': {'x', 'y'}, 'b': {'y'}}
    books.await_present()
    assert books._awaited == {'a': {'x'}, 'b': {'y'}}


def test_who_never_answers_is_left_out_where_others_do(books):
    books.await_present()
    assert books.leave_out_speechless() == []  # nobody has answered
    answer(books, 'xa')
    assert books.leave_out_speechless() == ['/y (a)']
    assert books._awaited == {'a': {'x'}, 'b': {'x', 'y'}} and books._left_out == {'y'}
    assert not books.done
    answer(books, 'xb')
    books._spoken.add('y')  # once, so it is waited for
    assert books.leave_out_speechless() == [] and not books.done
    books._spoken.clear()
    assert books.leave_out_speechless() == ['/y (b)'] and books.done == 1
    assert books.answered


def test_who_has_gone_is_not_waited_for_if_another_is_there(books):
    books.await_present()
    books.there = {'a': {'x'}, 'b': set()}
    books.drop_gone()
    assert books._awaited == {'a': {'x'}, 'b': {'x', 'y'}} and not books.done
    answer(books, 'xa', 'yb')
    books.there['b'] = {'y'}
    books.drop_gone()
    assert books._awaited == {'a': {'x'}, 'b': {'y'}} and books.done == 1
    for answers in books._answers.values():
        answers.clear()
    books._run.elapsed = 1  # needs no answer: nothing has come that could go on
    books.drop_gone()
    assert books.done == 1


def test_an_answer_is_owed_by_who_answered_before_or_by_all_of_a_topic(books):
    books.await_present()
    assert books.owed()
    answer(books, 'xa', 'xb')
    assert not books.owed()  # y has never answered
    books._spoken.add('y')
    assert books.owed()
    answer(books, 'ya', 'yb')
    assert not books.owed()
    books._answers['b'].clear()
    books._spoken.clear()
    assert books.owed()


def test_who_commands_in_several_frames_answers_in_all_or_in_another(books):
    books._frames = {'world', 'base'}
    books.await_present()
    books._answers['a'] = {'x': {'world'}, 'y': {'tip'}}
    books._answers['b'] = {'x': {'world', 'base', 'tip'}, 'y': {'base', 'tip'}}
    assert books._complete('a') == {'y'} and books._complete('b') == {'x'}
    assert books.missing() == ['/x (a in base)', '/y (b in world)']
    assert not books.answered
    books._answers['b']['y'].add('world')
    del books._answers['a']['x']
    assert books.missing() == ['/x (a)']


def test_a_topic_that_is_excused_from_a_tick_is_neither_waited_for_nor_owed_nor_named(books):
    books.await_present()
    books._excused = frozenset(('a',))
    assert not books.answered and books.owed()
    answer(books, 'xb')
    assert books.missing() == ['/y (b)']
    books._spoken.update('xy')
    assert books.owed() and not books.answered
    answer(books, 'yb')
    assert books.missing() == [] and not books.owed() and books.answered
