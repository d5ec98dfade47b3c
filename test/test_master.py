# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the master of a shared clock does at each answer of its followers, without ROS."""

from types import SimpleNamespace

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from spacecraft_attitude_sim.core.simulation.run_state import RunState
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.simulator import driver as driver_module
from spacecraft_attitude_sim.nodes.simulator import followers as followers_module
from spacecraft_attitude_sim.nodes.simulator import shared_clock
from spacecraft_attitude_sim.nodes.simulator.driver import LONGEST_FLUSH
from spacecraft_attitude_sim.nodes.simulator.followers import (
    Followers,
    MasterDriver,
    MasterLockstep,
)
from spacecraft_attitude_sim.nodes.simulator.shared_clock import NOT_BEGUN, Answer, Tick

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
RUNNING, HALTED = shared_clock.RUNNING, shared_clock.HALTED


@pytest.fixture
def followers():
    """The Followers a and b of run r at tick 3. said: Ticks; answered: how often all have."""
    made = object.__new__(Followers)
    made.names, made._called, made._unexpected = ('a', 'b'), 'r', set()
    made._run, made.said, made.answered_all, made.there = RunState(2.0), [], 0, {'1', '2', '3'}
    made._run.start(0)
    made._run.tick = 3
    made._answers = {name: {} for name in made.names}
    made._sources = SimpleNamespace(present=lambda: made.there)
    made._node = SimpleNamespace(get_fully_qualified_name=lambda: '/m')
    made._publisher = SimpleNamespace(
        publish=lambda message: made.said.append(shared_clock.tick_from_ros(message))
    )

    def on_answer():
        made.answered_all += 1

    made._on_answer = on_answer
    return made


@pytest.fixture
def hear(followers, monkeypatch):
    """A function that lets the master hear an answer, by default of run r, from a source."""

    def hear(source, names, at, level=OK, text='', run='r'):
        monkeypatch.setattr(
            'spacecraft_attitude_sim.nodes.simulator.followers.sources.identity', lambda _: source
        )
        answer = Answer(f'/{source}', run, tuple(names), at, level, text)
        followers._hear(shared_clock.answer_to_ros(answer), None)
        return followers.answered_all

    return hear


def test_a_run_goes_on_when_all_followers_have_answered_its_tick(followers, hear):
    assert followers.missing() == ', '.join(
        f'/{name} (no message from it: start it with follow_clock)' for name in 'ab'
    )
    assert hear('1', 'a', 3) == 0
    assert not followers.answered()
    assert hear('2', 'b', 2) == 0  # the tick before
    assert hear('2', 'b', 3, run='another') == 0
    assert hear('2', 'b', 3, WARN, 'waits for x') == 0
    assert followers.missing() == '/b (waits for x)'
    assert hear('2', 'b', 3) == 1
    assert followers.answered() and followers.missing() == ''
    followers._run.tick = 4
    assert not followers.answered()
    assert hear('3', 'ab', 4) == 2  # one process may fly several
    assert hear('2', 'b', 4, WARN) == 3  # one answer of a spacecraft is enough
    assert followers.too_many() == (
        'several processes simulate a, b, and each answers; end all but one'
    )
    followers.there = {'3', '2'}
    assert followers.too_many().startswith('several processes simulate b, and')
    followers.there = {'3'}
    assert followers.too_many() == ''


def test_the_latest_word_of_a_follower_counts(followers, hear):
    for source, word in (('1', 'x'), ('2', 'y'), ('1', 'z')):
        hear(source, 'a', 3, WARN, word)
    hear('1', ['b', 'w', 'v'], 3)
    assert followers.missing() == '/a (z)'
    hear('2', 'b', 3)
    assert followers.too_many() == (
        'several processes simulate a, b, and each answers; end all but one; '
        'the run does not wait for v, w: add it to the parameter followers'
    )


def test_followers_are_ready_for_the_start_by_their_first_answer(followers, hear):
    followers._run.started, followers._run.tick = False, 0
    hear('1', 'a', NOT_BEGUN)
    hear('2', 'b', NOT_BEGUN, WARN, 'compiles')
    assert not followers.ready() and followers.missing() == '/b (compiles)'
    hear('2', 'b', NOT_BEGUN)
    assert followers.ready() and followers.missing() == ''


@pytest.mark.parametrize(
    ('at', 'started', 'fails'), [(3, True, True), (2, True, False), (NOT_BEGUN, False, True)]
)
def test_an_error_of_a_follower_ends_the_run_at_its_tick_or_start(
    followers, hear, at, started, fails
):
    followers._run.started = started
    assert hear('1', 'a', at, ERROR, 'too fast', run='another') == 0
    assert not followers._run.failure
    hear('1', 'a', at, ERROR, 'too fast')
    assert followers._run.failure == ('/1: too fast' if fails else '')
    if fails:
        hear('2', 'b', at, ERROR, 'later')
        assert followers._run.failure == '/1: too fast'


def test_who_is_not_expected_is_named_and_no_flood_is_remembered(followers, hear):
    hear('1', ['x', 'a'], 3)
    assert followers.too_many() == (
        'the run does not wait for x: add it to the parameter followers'
    )
    for number in range(20):
        hear(str(number), [f'y{number}', 'b'], 3)
    assert len(followers._unexpected) == 8
    assert list(followers._answers['b']) == [str(number) for number in range(12, 20)]


@pytest.mark.parametrize(
    ('change', 'over', 'expected'),
    [
        (lambda run: None, False, (RUNNING, '')),
        (lambda run: run.pause(), False, (shared_clock.PAUSED, '')),
        (lambda run: run.halt('no answer'), False, (HALTED, 'no answer')),
        (lambda run: run.fail('too fast'), False, (shared_clock.FAILED, 'too fast')),
        (lambda run: run.fail('too fast'), True, (shared_clock.FAILED, 'too fast')),
        (lambda run: run.complete(), False, (RUNNING, '')),
        (lambda run: run.complete(), True, (shared_clock.COMPLETED, '')),
        (lambda run: None, True, (shared_clock.QUIT, '')),
        (lambda run: (run.complete(), run.quit()), True, (shared_clock.QUIT, '')),
        (lambda run: setattr(run, 'started', False), False, (shared_clock.WAITING, '')),
    ],
)
def test_the_master_tells_tick_and_state_of_its_run(followers, change, over, expected):
    followers._run.first_tick, followers._run.rate = 1, 4.0
    change(followers._run)
    followers.tell(over)
    assert followers.said == [Tick('/m', 'r', 3, 2, TICK_NS, 4.0, *expected, ('a', 'b'))]


def test_the_master_waits_for_followers_as_for_controllers(followers, hear):
    lockstep = object.__new__(MasterLockstep)
    lockstep._run, lockstep._followers = followers._run, followers
    lockstep._driver = SimpleNamespace(spacecraft=[])
    lockstep._waited, lockstep._watching = 5.0, True
    assert lockstep._remedy().startswith('call ~/pause with false when it is back; a restarted')
    hear('1', 'a', 3)
    assert lockstep.waits_for().endswith('answer to tick 3 from /b (no message from it: start it '
                                         'with follow_clock)')  # fmt: skip
    hear('2', 'b', 3)
    assert lockstep._remedy() == 'call ~/pause with false to go on without it'
    followers._run.started = False
    assert lockstep.waits_for() == 'the start waits for /a, /b'
    assert not lockstep.ready()
    for source, name in (('1', 'a'), ('2', 'b')):
        hear(source, name, NOT_BEGUN)
    assert lockstep.waits_for() == '' and lockstep.ready()
    commands = SimpleNamespace(lacking=lambda: ['c'], awaited_topics=['c'])
    waiting = SimpleNamespace(value=lambda name: True, commands=commands, streams=[])
    lockstep._driver.spacecraft = [waiting]
    assert lockstep.waits_for().startswith('lockstep waits for a controller: no node publishes c')


class Master(MasterDriver):
    """A MasterDriver of spacecraft a that computes nothing; done: what it did."""

    def __init__(self, run, followers, wanted=()):
        self.run, self._followers, self._stepping, self._wanted = run, followers, False, wanted
        self.done, self._node, self.timer = [], 'node', None
        self.spacecraft = [SimpleNamespace(
            get_namespace=lambda: '/a', streams=[], publish_instant=lambda: self.done.append('a')
        )]  # fmt: skip

    def flush(self):  # noqa: D102 (that of Driver)
        self.done.append('flushed')

    def _advance(self):
        self.run.take_tick()
        self.publish()


def test_of_steps_by_hand_the_followers_are_told_the_last(followers):
    driver = Master(followers._run, followers)
    driver.run.pause()
    driver.publish()
    assert [one.tick for one in followers.said] == [3]
    driver.step(4)
    assert [one.tick for one in followers.said] == [3, 7] and driver.done == ['a'] * 5
    driver.run.fail('too fast')
    with pytest.raises(ValueError, match='run is over'):
        driver.step(1)
    assert not driver._stepping and followers.said[-1].state == shared_clock.FAILED
    assert driver.follower_names == ('a', 'b') and driver.warning() == ''


def test_the_master_tells_the_end_and_waits_until_it_is_heard(followers, monkeypatch):
    waited = []
    monkeypatch.setattr(followers, 'flush', waited.append)
    driver = Master(followers._run, followers)
    driver.run.complete()
    driver.finish()
    assert [one.state for one in followers.said] == [shared_clock.COMPLETED]
    assert waited == [LONGEST_FLUSH] and driver.done == ['flushed']


@pytest.mark.parametrize(('wanted', 'elsewhere'), [(['a', 'b', 'c'], ['b', 'c']), (['a'], None)])
def test_those_that_are_not_here_follow(monkeypatch, wanted, elsewhere):
    made, told = [], []

    def followers_of(*given):
        made.append(given)
        return SimpleNamespace(answered=lambda: True, tell=told.append)

    monkeypatch.setattr(followers_module, 'Followers', followers_of)
    monkeypatch.setattr(driver_module.Driver, 'start', lambda driver: told.append('started'))
    driver = Master(RunState(), None, wanted)
    driver.start()
    driver.start()
    if not elsewhere:
        assert not made and told == ['started'] * 2 and not driver.run.lockstep
        assert driver.follower_names == () and driver.warning() == ''
        driver.finish()
        return
    assert made == [('node', driver.run, elsewhere, driver.on_answer)]
    assert told == [False, 'started'] * 2
    assert isinstance(driver._lockstep, MasterLockstep) and driver.run.lockstep
