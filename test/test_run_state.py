# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a run does with time, in any order of events; without ROS, and with a clock of our own."""

import contextlib
import random

import pytest

from spacecraft_attitude_sim.core.simulation.pacing import LONGEST_PERIOD_NS
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.core.ticks import TICK_NS

START = 5_000_000_000
ORDERS = ('start', 'pause', 'resume', 'step', 'reset', 'put', 'rate', 'answer', 'wait', 'fail')


class Bench:
    """A RunState in the place of a node: takes its ticks and checks them against a plain count.

    since: ticks since the start or the last reset, counted here
    """

    def __init__(self, **options):
        self.run = RunState(**options)
        self.now = START
        self.answered = True
        self.tick = self.since = 0

    def lockstep(self):
        """Wait for an answer to each tick from now on."""
        self.run.answers.append(lambda: self.answered)
        self.answered = False
        return self

    def advance(self):
        """Take a tick, as a node does."""
        initial = self.run.take_reset()
        self.run.take_tick(initial)
        self.tick, self.since = self.tick + 1, 0 if initial else self.since + 1
        self.answered = not self.run.lockstep

    def look(self):
        """Take a tick if there is one to take; return whether there was."""
        if not (self.run.may_tick and self.run.due(self.now)):
            return False
        self.advance()
        return True

    def order(self, name, draw):
        """Give an order as a user does; where it is refused, nothing changes."""
        if name == 'step':
            for _ in range(draw.randrange(1, 4)):
                self.run.check_step()
                self.advance()
        elif name == 'reset':
            if self.run.started:
                self.run.reset(self.now)
        elif name == 'put':
            if self.run.started and not self.run.finished:
                self.advance()
        elif name == 'rate':
            self.run.change_rate(draw.choice((0.0, 0.5, 1.0, 30.0)), self.now)
        elif name == 'answer':
            self.answered = True
        elif name == 'wait':
            self.now += draw.randrange(10 * TICK_NS)
        elif name == 'fail':
            self.run.fail('gimbal lock')
        elif name in ('start', 'resume'):
            getattr(self.run, name)(self.now)
        else:
            getattr(self.run, name)()


def started(**options):
    """Return a Bench whose run has started."""
    bench = Bench(**options)
    bench.run.start(bench.now)
    return bench


@pytest.mark.parametrize('seed', range(40))
def test_two_hundred_random_orders_keep_the_count_of_ticks(seed):
    draw = random.Random(seed)
    bench = Bench(duration=draw.choice((0.0, 1.0)), rate=draw.choice((0.0, 1.0)))
    if seed % 2:
        bench.lockstep()
    run = bench.run
    for _ in range(200):
        name, before = draw.choice(ORDERS), bench.tick
        waiting = run.lockstep and not bench.answered and name != 'answer'
        try:
            bench.order(name, draw)
        except NotNowError:
            assert bench.tick == before or name == 'step'
        ticked = bench.look()
        assert (run.tick, run.elapsed) == (bench.tick, bench.since)
        assert bench.tick >= before
        if ticked:
            assert not run.paused
            assert run.started
            assert not waiting or name in ('step', 'put')
        if name == 'pause':
            assert bench.tick == before
        if name == 'reset' and ticked:
            assert run.elapsed == 0
            assert run.failure == ''
        if name == 'fail' and not run.reset_asked:
            assert run.finished
            assert not ticked
        assert 0 <= run.timer_period <= LONGEST_PERIOD_NS
    run.quit()
    after = bench.tick
    for _ in range(50):
        name = draw.choice(ORDERS)
        refused = run.started and name == 'reset' or name == 'step'
        with pytest.raises(NotNowError) if refused else contextlib.nullcontext():
            bench.order(name, draw)
        assert not bench.look()
        assert run.finished
    assert bench.tick == after


def test_ticks_come_at_the_rate_and_as_fast_as_possible_at_rate_zero():
    bench = started(rate=2.0)
    assert not bench.look()
    for count in range(1, 5):
        bench.now = START + count * TICK_NS // 2
        assert bench.look()
        assert not bench.look()
        assert bench.tick == count
    bench.run.change_rate(0.0, bench.now)
    assert bench.look()
    assert bench.look()
    assert bench.run.timer_period == bench.run.timer_period_in_step(bench.now, 5) == 0
    bench.run.change_rate(1.0, bench.now)
    assert not bench.look()
    bench.now += TICK_NS
    assert bench.look()
    assert bench.run.timer_period == TICK_NS
    # The timer fires a quarter of a tick too late for the next: it comes sooner after that.
    assert bench.run.timer_period_in_step(bench.now, 5 * TICK_NS // 4) == 3 * TICK_NS // 4


def test_a_pause_is_no_lag_and_takes_steps_alone():
    bench = started(rate=1.0)
    with pytest.raises(NotNowError, match='running; call ~/pause first'):
        bench.run.check_step()
    bench.run.pause()
    assert bench.run.timer_period == LONGEST_PERIOD_NS
    bench.now += 3_000_000_000
    assert not bench.look()
    bench.run.check_step()
    bench.advance()
    bench.run.resume(bench.now)
    assert not bench.look()  # the next is due a tick after the end of the pause
    bench.now += TICK_NS
    assert bench.look()
    assert not bench.look()
    assert bench.run.pacer.overruns == 0


def test_nothing_begins_before_the_start():
    bench = Bench(rate=0.0)
    assert not bench.run.running
    assert not bench.look()
    with pytest.raises(NotNowError, match='not started yet'):
        bench.run.check_step()
    bench.run.start(bench.now)
    assert bench.look()
    paused = Bench(rate=0.0, paused=True)
    paused.run.start(START)
    assert not paused.look()
    paused.run.check_step()


def test_a_run_is_over_at_its_duration_until_it_is_reset():
    bench = started(duration=2.5 / 32.0, rate=1.0)
    while bench.look() or bench.now < START + 10 * TICK_NS:
        bench.now += TICK_NS // 4
    assert bench.tick == 3  # the first that covers the duration
    assert bench.run.completed
    assert bench.run.finished
    bench.run.pause()
    with pytest.raises(NotNowError, match='the run is over'):
        bench.run.check_step()
    bench.run.resume(bench.now)
    bench.now += 100 * TICK_NS
    bench.run.reset(bench.now)
    assert not bench.run.finished
    assert not bench.look()  # no ticks made up for, of the time that it was over
    bench.now += TICK_NS
    assert bench.look()
    assert (bench.run.tick, bench.run.elapsed, bench.run.first_tick) == (4, 0, 4)
    for _ in range(3):
        bench.now += TICK_NS
        assert bench.look()
    assert bench.run.finished
    assert bench.run.pacer.overruns == 0


def test_a_failure_ends_a_run_until_it_is_reset():
    bench = started(rate=0.0)
    bench.run.fail('gimbal lock')
    assert bench.run.finished
    assert not bench.look()
    bench.run.reset(bench.now)
    assert bench.run.failure == 'gimbal lock'  # it is what there was, until the next tick
    assert bench.look()
    assert (bench.run.failure, bench.run.elapsed) == ('', 0)
    assert bench.look()
    assert bench.run.elapsed == 1


def test_a_reset_keeps_the_pace_and_a_run_that_quits_takes_no_more_orders():
    bench = started(rate=1.0)
    bench.now += TICK_NS // 2
    bench.run.reset(bench.now)
    bench.now += TICK_NS // 2
    assert bench.look()
    assert bench.run.reset_asked is False
    bench.run.quit()
    with pytest.raises(NotNowError, match='not stepped further: the run is over'):
        bench.run.check_step()
    with pytest.raises(NotNowError, match='not reset: the run is over'):
        bench.run.reset(bench.now)


def test_in_lockstep_all_spacecraft_that_share_a_run_must_have_answered():
    run = RunState(rate=0.0)
    answered = {'one': False, 'two': False}
    for name in answered:
        run.answers.append(lambda name=name: answered[name])
    run.start(START)
    assert run.lockstep
    assert run.timer_period == LONGEST_PERIOD_NS  # the answers drive it
    for name in answered:
        assert not run.may_tick
        answered[name] = True
    assert run.may_tick
    run.halt('nobody answers')
    assert (run.paused, run.halted, run.may_tick) == (True, 'nobody answers', False)
    run.resume(START)
    assert (run.paused, run.halted, run.may_tick) == (False, '', True)
    run.change_rate(1.0, START)
    assert run.timer_period == TICK_NS
