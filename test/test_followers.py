# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a follower of a shared clock does at each message of its master, without ROS."""

from types import SimpleNamespace

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros_helpers import set_clock

from spacecraft_attitude_sim.configuration.parameters import MOST_TICKS_AT_ONCE
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.simulator import driver as driver_module
from spacecraft_attitude_sim.nodes.simulator import follower as follower_module
from spacecraft_attitude_sim.nodes.simulator import shared_clock
from spacecraft_attitude_sim.nodes.simulator.follower import (
    APART,
    GONE,
    LOOK,
    SETTLE,
    WAITS_FOR_RESET,
    FollowerDriver,
)
from spacecraft_attitude_sim.nodes.simulator.shared_clock import NOT_BEGUN, Tick

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
RUNNING, HALTED = shared_clock.RUNNING, shared_clock.HALTED


def tick(number=0, elapsed=None, state=RUNNING, **changes):
    """Return a Tick of master /m of run r, which waits for a, b and c."""
    since = number if elapsed is None else elapsed
    said = Tick('/m', 'r', number, since, TICK_NS, 1.0, state, '', ('a', 'b', 'c'))
    return said._replace(**changes)


class Follower(FollowerDriver):
    """A FollowerDriver of spacecraft b, ready to start, that computes and publishes nothing.

    said: Answers;  done: what else it did;  masters: who publishes ticks
    """

    def __init__(self):
        self.run = RunState()
        self.said, self.done, self.masters, self.owes = [], [], {'m'}, False
        held = SimpleNamespace(clear=lambda: self.done.append('cleared'))
        stream = SimpleNamespace(get_subscription_count=lambda: self.heard)
        self.heard = 1
        self.spacecraft = [SimpleNamespace(
            get_namespace=lambda: '/b', commands=SimpleNamespace(held=held), streams=[stream],
        )]  # fmt: skip
        self._node = SimpleNamespace(get_fully_qualified_name=lambda: '/b/simulator')
        self._sources = SimpleNamespace(
            present=lambda: self.masters, name=lambda source: f'/{source}',
            of=lambda information: ('m', ()),
        )  # fmt: skip
        self._lockstep = SimpleNamespace(
            resume=lambda: self.done.append('resumed'), owed=lambda: self.owes,
            wait_anew=lambda: None, missing=lambda: 'its controller', waits_for=lambda: 'it waits',
            ready=lambda: True,
        )  # fmt: skip
        self._answers = SimpleNamespace(
            publish=lambda message: self.said.append(shared_clock.answer_from_ros(message)),
            wait_for_all_acked=lambda duration: self.done.append('sent'),
        )
        self._master = self._gone_since = self._said = self._timer = None
        self._source, self._strange, self._over = 'm', '', False
        self._ready = self._connected = True
        self._listeners, self._since, self._looks = -1, 0.0, 'timer'

    def hear(self, *ticks):
        """Hear Ticks; return the number of the tick it has then."""
        for one in ticks:
            self._hear(shared_clock.tick_to_ros(one), None)
        return self.run.tick

    def _guarded(self, callback):
        callback()

    def _take_tick(self):
        self.run.take_tick(initial=self.run.take_reset())

    def publish(self):  # noqa: D102 (that of Driver)
        self.done.append(f'published {self.run.tick}')

    def flush(self):  # noqa: D102 (that of Driver)
        self.done.append('flushed')

    def _warm_up(self):
        self.done.append('warm')

    def _show_observers(self):
        self.done.append(f'observed {self.run.tick}')

    def _say_what_is_missing(self):
        pass


@pytest.fixture
def follower():
    return Follower()


@pytest.fixture
def now(monkeypatch):
    """A clock that a test sets: [s]."""
    return set_clock(monkeypatch, follower_module)


@pytest.mark.parametrize(
    ('heard', 'follows'),
    [
        (tick(10, 8), True),
        (tick(9, 7), False),
        (tick(10 + MOST_TICKS_AT_ONCE, 8 + MOST_TICKS_AT_ONCE), True),
        (tick(11 + MOST_TICKS_AT_ONCE, 9 + MOST_TICKS_AT_ONCE), False),
        (tick(12, 0), True),  # a reset
        (tick(10 + MOST_TICKS_AT_ONCE, 4), True),
        (tick(11 + MOST_TICKS_AT_ONCE, 4), False),
        (tick(12, 11), False),  # a reset before the one known
    ],
)
def test_a_tick_follows_if_it_is_the_present_one_or_one_of_the_next(follower, heard, follows):
    follower.run.tick, follower.run.first_tick = 10, 2
    assert follower._follows(heard) == follows


def test_it_takes_each_tick_of_its_master_and_answers(follower):
    assert follower.hear(tick(0)) == 0
    assert follower.run.started
    assert follower.done == ['published 0', 'observed 0']
    assert follower.hear(tick(1)) == 1
    assert follower.hear(tick(7)) == 7  # steps by hand
    met, *answers = follower.said  # first it tells that it is there
    assert met[3:] == (NOT_BEGUN, OK, WAITS_FOR_RESET)
    assert [one[3:] for one in answers] == [(number, OK, '') for number in (0, 1, 7)]
    assert {one[:3] for one in answers} == {('/b/simulator', 'r', ('b',))}
    follower.hear(tick(7))
    assert len(follower.said) == 5  # again, for a master that missed it
    for other in (tick(8, run='another'), tick(8, tick_ns=TICK_NS + 1)):
        assert follower.hear(other) == 7
    assert len(follower.said) == 5


def test_a_reset_sets_the_first_tick_and_drops_what_is_held(follower):
    follower.hear(tick(0), tick(5))
    assert follower.hear(tick(9, 2)) == 9
    assert follower.run.first_tick == 7
    assert follower.done.count('cleared') == 1
    assert follower.said[-1].tick == 9


@pytest.mark.parametrize('state', [shared_clock.PAUSED, HALTED])
def test_it_pauses_resumes_and_changes_its_rate_as_its_master_does(follower, state):
    follower.hear(tick(0), tick(1))
    follower.hear(tick(1, state=state, text='why'))
    assert follower.run.paused and follower.run.halted == ('why' if state == HALTED else '')
    assert follower.hear(tick(3, state=state, rate=2.0)) == 3
    assert follower.run.rate == 2.0
    follower.run.answers.append(lambda: True)  # it is in lockstep
    follower.owes = True
    count = len(follower.done)
    follower.hear(tick(3, rate=2.0))
    assert not follower.run.paused and follower.run.halted == ''
    assert 'resumed' not in follower.done[:count]
    assert follower.done[count:] == ['resumed', 'published 3']  # for a controller that came
    follower.hear(tick(3, rate=2.0))
    assert follower.done[count:] == ['resumed', 'published 3']


def test_a_tick_that_cannot_be_next_changes_nothing_and_is_told(follower):
    follower.hear(tick(0), tick(4))
    said, strange = len(follower.said), 'tick 3, 3 since the start, of /m does not follow tick 4: '
    assert follower.hear(tick(3, rate=9.0)) == 4
    assert (len(follower.said), follower.run.rate) == (said, 1.0)
    assert follower.waits_for() == strange + WAITS_FOR_RESET
    assert follower.hear(tick(5)) == 5
    assert not follower._strange and follower.waits_for() == ''


def test_it_joins_at_initial_states_when_it_is_ready(follower):
    follower._ready = False
    follower.hear(tick(0))
    assert not follower.run.started
    assert follower.said[-1][3:] == (NOT_BEGUN, WARN, 'waits until its subscribers are connected')
    follower._ready = True
    follower.hear(tick(3))
    assert not follower.run.started and not follower.done
    assert follower.said[-1][3:] == (NOT_BEGUN, OK, WAITS_FOR_RESET)
    assert follower.waits_for() == f'{WAITS_FOR_RESET} of /m'
    assert follower.hear(tick(20, 0)) == 20
    assert (follower.run.started, follower.run.first_tick, follower.run.elapsed) == (True, 20, 0)
    assert follower.said[-1].tick == 20


def test_it_waits_for_the_start_of_its_master(follower):
    follower.hear(tick(0, state=shared_clock.WAITING))
    assert follower._master and not follower.run.started
    assert follower.waits_for() == 'waits for the start of /m'
    assert follower.said[-1][3:] == (NOT_BEGUN, OK, 'waits for the start of /m')
    follower.hear(tick(0))
    assert follower.run.started


@pytest.mark.parametrize(
    ('state', 'last', 'ends'),
    [
        (shared_clock.COMPLETED, 6, lambda run: run.completed and not run.quitting),
        (shared_clock.QUIT, 6, lambda run: run.quitting and not run.failure),
        (shared_clock.FAILED, 6, lambda run: run.failure == '/m: too fast'),
        (shared_clock.COMPLETED, 3, lambda run: run.completed),  # no tick that follows
    ],
)
def test_it_ends_at_the_last_tick_of_its_master_and_as_it_did(
    follower, state, last, ends, monkeypatch
):
    monkeypatch.setattr(driver_module, 'ANSWER_SECONDS', 0.0)
    follower.hear(tick(0), tick(4))
    assert follower.hear(tick(last, state=state, text='too fast')) == max(4, last)
    assert follower.said[-1].tick == max(4, last)
    assert follower.run.finished and ends(follower.run)
    assert follower.waits_for() == ''
    assert follower.stays == pytest.approx(2.0 * APART)  # b is the second follower
    count = len(follower.said)
    follower.finish()
    assert follower.done[-2:] == ['flushed', 'sent'] and len(follower.said) == count


def test_a_run_that_ends_before_it_has_joined_takes_no_tick(follower):
    follower._ready = False
    follower.hear(tick(0))
    assert follower.hear(tick(2, state=shared_clock.COMPLETED)) == 0
    assert follower.run.completed and not follower.done


@pytest.mark.parametrize('state', [RUNNING, shared_clock.COMPLETED])
def test_a_tick_that_it_cannot_take_is_told_with_its_number(follower, monkeypatch, state):
    follower.hear(tick(0), tick(4))
    monkeypatch.setattr(follower, '_take_tick', lambda: follower.run.fail('too fast'))
    assert follower.hear(tick(6, state=state)) == 4
    assert follower.said[-1][3:] == (6, ERROR, 'too fast')


def test_an_error_of_its_own_is_told_at_the_end(follower):
    follower.hear(tick(0), tick(4))
    follower.run.fail('disk full')
    follower.finish()
    assert follower.said[-1][3:] == (4, ERROR, 'disk full')


def test_it_follows_one_master_that_lists_it_and_has_its_tick_rate(follower):
    for said, masters in (
        (tick(followers=('a', 'c')), {'m'}),
        (tick(), {'m', 'n'}),
        (tick(state=shared_clock.QUIT), {'m'}),
    ):
        follower.masters = masters
        follower.hear(said)
        assert follower._master is None and not follower.said
    assert follower.waits_for() == (
        'waits for /m, whose parameter followers does not list b; add it there'
    )
    follower.masters = {'m', 'n'}
    assert follower.waits_for() == 'the clock has several masters, /m, /n; end all but one'
    assert follower.warning().endswith('several masters, /m, /n; this process follows none')
    follower.masters = set()
    assert follower.waits_for().startswith("waits for the clock's master: nobody publishes")
    assert follower.warning() == '' and follower.stays == 0.0
    follower.masters = {'m'}
    follower.hear(tick(tick_ns=10_000_000))
    problem = follower.run.failure
    assert problem.startswith('tick_rate is 32.0 Hz, but a tick of /m takes 10000000 ns, which is')
    assert ' 100 Hz; ' in problem and not follower.run.started
    assert follower.said[-1][1:] == ('r', ('b',), NOT_BEGUN, ERROR, problem)


def test_a_master_that_is_gone_for_a_while_ends_the_run(follower, now):
    follower.hear(tick(0))
    follower._look()
    follower.masters = set()
    for seconds, gone in ((0.0, False), (GONE - 0.01, False), (GONE, True)):
        now[0] = 200.0 + seconds
        if seconds == GONE:
            assert follower.waits_for() == '/m, the master of the clock, is gone'
        follower._look()
        assert bool(follower.run.failure) == gone
    assert follower.run.failure == "/m, the clock's master, is gone, and the run was not over"


def test_a_master_that_comes_back_or_never_began_is_not_missed(follower, now):
    follower.hear(tick(0, state=shared_clock.WAITING))
    follower.masters = set()
    follower._look()
    now[0] += GONE - 0.1
    follower.masters = {'m'}
    follower._look()
    follower.masters = set()
    now[0] += GONE - 0.1
    follower._look()
    assert follower._master
    now[0] += GONE
    follower._look()
    assert follower._master is None and not follower.run.failure


def test_until_it_has_a_master_it_says_what_it_waits_for_and_refuses(follower, monkeypatch):
    follower._ready, follower._looks, timers = False, None, []
    monkeypatch.setattr(follower, 'timer', lambda *given: timers.append(given), raising=False)
    follower.start()
    assert timers == [(LOOK, follower._look)] and follower.done == ['warm']
    waits = follower.waits_for()
    assert [one[1:] for one in follower.said] == [('', ('b',), NOT_BEGUN, WARN, waits)]
    follower._look()
    assert len(follower.said) == 1  # that it still waits is told once
    refusal = 'not paused: this spacecraft follows a clock; ask {}'
    with pytest.raises(NotNowError, match=refusal.format("the clock's master, which does not")):
        follower.check_asked('paused')
    follower.hear(tick(0))
    with pytest.raises(NotNowError, match=refusal.format('/m$')):
        follower.check_asked('paused')


def test_in_lockstep_it_is_ready_once_its_controllers_are_connected(follower, now):
    connected = []
    follower.run.answers.append(lambda: True)
    follower._lockstep.ready = lambda: bool(connected)
    follower._ready = follower._connected = False
    follower.hear(tick(0))
    for now[0] in (100.0, 100.0 + SETTLE):
        follower.start()
    assert not follower._ready and follower.waits_for() == 'it waits'
    connected.append('controller')
    follower.start()
    assert follower._ready and follower.run.started


def test_it_is_ready_once_its_listeners_stay_the_same(follower, now):
    follower._ready = False
    follower.hear(tick(0))
    seen = []
    for seconds, heard in ((0.0, 1), (SETTLE, 2), (1.9 * SETTLE, 2), (2.0 * SETTLE, 2)):
        now[0], follower.heard = 100.0 + seconds, heard
        follower.start()
        seen.append(follower.run.started)
    assert seen == [False, False, False, True]


def test_it_answers_when_its_controllers_have_and_says_what_went_wrong(follower):
    answered = []
    follower.run.answers.append(lambda: bool(answered))
    follower.hear(tick(0), tick(1))
    assert not [one for one in follower.said if one.tick >= 0]
    follower._look()
    assert follower.said[-1][3:] == (1, WARN, 'waits for its controller')
    answered.append(True)
    follower.on_answer()
    assert follower.said[-1][3:] == (1, OK, '')
    count = len(follower.said)
    follower.on_answer()
    assert len(follower.said) == count  # once
    follower.run.fail('too fast')
    follower.hear(tick(2))
    assert follower.said[-1][3:] == (2, ERROR, 'too fast')
    follower.finish()
    assert follower.said[-1][3:] == (2, ERROR, 'too fast')


def test_who_ends_before_the_run_is_over_says_so(follower):
    follower.hear(tick(0), tick(1))
    follower.finish()
    assert follower.said[-1][3:] == (NOT_BEGUN, WARN, 'has ended')


@pytest.mark.parametrize('state', shared_clock.STATES)
def test_a_tick_is_read_as_it_was_sent_and_a_run_that_stands_still_is_an_error(state):
    said = Tick('m', 'run', 7, 3, 31_250_000, 2.5, state, 'why', ('a', 'b'))
    message = shared_clock.tick_to_ros(said)
    assert shared_clock.tick_from_ros(message) == said
    wrong = state in ('halted', 'failed')
    assert message.level == (ERROR if wrong else OK)
    answer = shared_clock.Answer('f', 'run', ('a',), 7, WARN, 'later')
    assert shared_clock.answer_from_ros(shared_clock.answer_to_ros(answer)) == answer
