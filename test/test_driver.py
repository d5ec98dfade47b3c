# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When a run takes its ticks after a start, a reset or a resume, without ROS."""

from types import SimpleNamespace

import pytest
from ros_helpers import set_clock
from test_lockstep import Craft, lockstep_of

from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core.simulation import MotionError
from spacecraft_attitude_sim.core.simulation.pacing import LONGEST_PERIOD_NS
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.simulator import driver as driver_module
from spacecraft_attitude_sim.nodes.simulator.diagnostics import Diagnostics
from spacecraft_attitude_sim.nodes.simulator.driver import Driver
from spacecraft_attitude_sim.nodes.simulator.managed import ManagedSimulatorNode


class Counting(Driver):
    """A Driver of one spacecraft that computes nothing; done: what it did, in order."""

    def __init__(self, run, now):
        self.run, self.done, self._now = run, [], now
        self._timer, self._timer_ns = SimpleNamespace(timer_period_ns=1), 1
        self._node = SimpleNamespace(get_logger=lambda: SimpleNamespace(warning=self.done.append))
        self._lockstep = SimpleNamespace(
            wait_anew=lambda: self.done.append('waits anew'), owed=lambda: True,
            resume=lambda: self.done.append('controllers'), ready=lambda: True,
        )  # fmt: skip
        held = SimpleNamespace(clear=lambda: self.done.append('cleared'))
        self.first_instant = lambda: None
        self.spacecraft = [SimpleNamespace(
            commands=SimpleNamespace(held=held), streams=[], source='a',
            scenario=SimpleNamespace(first_instant=lambda: self.first_instant()),
            warm_up=self._compile,
        )]  # fmt: skip

    def _compile(self):
        self.done.append('compiled')
        self._now[0] += 5.0  # meanwhile no tick falls due

    def timer(self, period, callback):
        """Return a timer."""
        self.done.append(f'timer {period:.6f} s')
        return SimpleNamespace(timer_period_ns=round(1e9 * period))

    def _advance(self):
        self.run.take_tick(initial=self.run.take_reset())
        self.done.append(f'tick {self.run.tick}')

    def _advance_when_due(self):
        self.done.append('looks')

    def publish(self):
        """Note it."""
        self.done.append(f'published {self.run.tick}')

    def _show_observers(self):
        self.done.append('observed')

    def _say_what_is_missing(self):
        pass


@pytest.fixture
def now(monkeypatch):
    return set_clock(monkeypatch, driver_module)


def running(now, duration=0.0, tick=0, rate=1.0, lockstep=False):
    """Return a Counting driver of a run that has begun and has its tick now."""
    driver = Counting(RunState(duration, rate), now)
    driver.run.start(int(1e9 * now[0]))
    driver.run.tick = tick
    driver.run.answers += [lambda: False] if lockstep else []
    return driver


def test_a_run_is_published_first_and_its_time_begins_when_its_code_is_compiled(now):
    driver = Counting(RunState(), now)
    driver.start()
    assert driver.done == [
        'waits anew', 'published 0', 'observed', 'compiled', 'timer 0.031250 s'
    ]  # fmt: skip
    assert driver.run.started
    begun = int(1e9 * now[0])
    assert not driver.run.due(begun + TICK_NS // 3) and driver.run.due(begun + TICK_NS)
    waiting = Counting(RunState(), now)
    waiting.run.answers.append(lambda: True)
    waiting._lockstep.ready = lambda: False
    waiting.start()
    assert waiting.done == ['compiled'] and not waiting.run.started


@pytest.mark.parametrize(
    ('given', 'paused', 'expected'),
    [
        ({'tick': 5}, False, ['cleared']),  # the next tick is due by itself
        ({'tick': 5}, True, ['cleared', 'tick 6']),
        ({'tick': 5, 'lockstep': True}, False, ['cleared', 'tick 6']),
        ({'tick': 32, 'duration': 1.0}, False, ['cleared', 'waits anew']),  # after its end
    ],
)
def test_a_reset_goes_on_by_itself_or_at_once(now, given, paused, expected):
    driver = running(now, **given)
    driver.run.paused = paused
    driver._timer_ns = LONGEST_PERIOD_NS
    driver.reset()
    assert driver.done == expected
    assert driver.run.reset_asked == ('tick 6' not in expected)
    assert driver._timer.timer_period_ns == (31_250_000 if 'waits anew' in expected else 1)


def test_a_reset_is_refused_if_its_states_cannot_be(now):
    driver = Counting(RunState(), now)
    driver.reset()  # nothing has begun
    assert not driver.done and not driver.run.reset_asked
    for error in (ScenarioError('in the floor'), MotionError('too fast')):
        driver = running(now, tick=5)

        def refuse(error=error):
            raise error

        driver.first_instant = refuse
        with pytest.raises(NotNowError, match=f'^not reset: {error}$'):
            driver.reset()
        assert not driver.done and not driver.run.reset_asked
    driver = running(now, tick=5)
    driver.run.quit()
    with pytest.raises(NotNowError, match='not reset: the run is over'):
        driver.reset()
    assert not driver.done


@pytest.mark.parametrize(
    ('rate', 'lockstep', 'expected'),
    [
        (0.0, True, ['controllers', 'published 5', 'waits anew', 'looks']),
        (1.0, True, ['controllers', 'published 5', 'waits anew']),
        (0.0, False, ['waits anew']),
    ],
)
def test_a_run_that_is_resumed_asks_again_and_looks_at_once(now, rate, lockstep, expected):
    driver = running(now, tick=5, rate=rate, lockstep=lockstep)
    driver.run.halt('no answer')
    driver.resume()
    assert driver.done == expected
    assert not driver.run.paused and driver.run.halted == ''
    driver._lockstep.owed = lambda: False
    driver.resume()
    assert driver.done.count('published 5') == lockstep


def test_a_run_that_has_not_begun_asks_no_controller(now):
    driver = Counting(RunState(paused=True), now)
    driver.run.answers.append(lambda: False)
    driver.resume()
    assert driver.done == ['waits anew'] and not driver.run.paused


@pytest.mark.parametrize('paused', [False, True])
def test_a_change_of_rate_counts_from_now(now, paused):
    driver = running(now, tick=5)
    driver.run.paused = paused
    now[0] += 50.0
    driver.change_rate(2.0)
    assert driver.done == ([] if paused else ['waits anew'])
    assert driver.run.rate == 2.0
    assert driver._timer.timer_period_ns == (1 if paused else 15_625_000)
    begun = int(1e9 * now[0])
    assert not driver.run.due(begun + TICK_NS // 6) and driver.run.due(begun + TICK_NS // 2)


def test_a_halt_pauses_and_says_why(now):
    driver = running(now, tick=5)
    driver.halt('no answer')
    assert driver.run.halted == 'no answer' and driver.done == ['paused: no answer']
    assert driver._timer.timer_period_ns == LONGEST_PERIOD_NS


def test_a_controller_that_goes_must_stay_anew_before_the_start(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(
        'spacecraft_attitude_sim.nodes.simulator.lockstep.time',
        SimpleNamespace(monotonic=lambda: clock[0]),
    )
    craft = Craft('a')
    craft.count_subscribers = lambda topic: 1
    craft.streams.append(SimpleNamespace(get_subscription_count=lambda: 1, topic_name='/imu'))
    made, _ = lockstep_of(craft, started=False)
    assert not made.ready()
    craft.commands.lacking = lambda: ['command/wrench']
    clock[0] += 10.0
    assert not made.ready()
    craft.commands.lacking = list
    assert not made.ready()  # it has just come back
    clock[0] += 10.0
    assert made.ready()


@pytest.mark.parametrize(
    ('given', 'nodes', 'told'),
    [
        ({}, ['/a/simulator'], ''),
        ({}, ['/a/simulator', '/b/simulator', '/bag'], '/b/simulator, /bag'),
        ({}, ['/a/simulator', '/a/simulator'], '/a/simulator'),
        ({'follow_clock': True}, ['/a/simulator', '/bag'], ''),
        ({'publish_clock': False}, ['/a/simulator', '/bag'], ''),
    ],
)
def test_who_else_publishes_the_clock_is_named(given, nodes, told):
    def endpoint(node):
        place, _, name = node.rpartition('/')
        return SimpleNamespace(node_namespace=place or '/', node_name=name)

    values, topics = {'follow_clock': False, 'publish_clock': True} | given, []
    diagnostics = object.__new__(Diagnostics)
    diagnostics._simulator = SimpleNamespace(
        value=values.get, get_fully_qualified_name=lambda: '/a/simulator',
        count_publishers=lambda topic: topics.append(topic) or len(nodes),
        get_publishers_info_by_topic=lambda topic: topics.append(topic) or map(endpoint, nodes),
    )  # fmt: skip
    assert diagnostics._other_clocks() == told
    assert set(topics) <= {'/clock'}


@pytest.mark.parametrize(('names', 'elsewhere'), [(['b'], ''), (['b', 'd', 'c'], 'c, d')])
def test_a_managed_node_has_no_followers_in_other_processes(names, elsewhere):
    node = object.__new__(ManagedSimulatorNode)
    begun, told = [], []
    node.source, node.configured, node.driver = 'a.yaml', False, 'driver'
    node.follower_names = lambda: names
    node.beside = SimpleNamespace(configured=lambda: told.append('configured'))
    node._all = [
        SimpleNamespace(get_namespace=lambda one=one: f'/{one}', begin=begun.append)
        for one in 'ab'
    ]
    if not elsewhere:
        node._configure()
        assert node.configured and told == ['configured']
    else:
        with pytest.raises(ScenarioError, match=f'^a.yaml: followers are {elsewhere}, in other'):
            node._configure()
        assert not node.configured and not told
    assert begun == [None, 'driver']  # the first makes it, the others join


def test_steps_by_hand_end_with_the_run_and_say_why(now):
    driver = running(now, tick=5)
    with pytest.raises(NotNowError, match='running; call ~/pause first'):
        driver.step(1)
    driver.pause()
    assert driver._timer.timer_period_ns == LONGEST_PERIOD_NS
    driver.step(3)
    assert driver.done == ['tick 6', 'tick 7', 'tick 8']
    plain = driver._advance

    def advance():
        plain()
        if driver.run.tick == 10:
            driver.run.fail('too fast')

    driver._advance = advance
    with pytest.raises(NotNowError, match='^not stepped further: too fast$'):
        driver.step(5)
    assert driver.run.tick == 10
    ended = running(now, duration=1.0, tick=31)
    ended.pause()
    with pytest.raises(NotNowError, match='the run is over'):
        ended.step(3)
    assert ended.run.tick == 32


def test_a_long_tick_is_told_once_and_status_meanwhile(now, monkeypatch):
    late = []
    compiles = [False]  # whatever other tests have begun
    monkeypatch.setattr(driver_module.warm_up, 'under_way', lambda: compiles[0])
    driver = running(now)
    driver._begun, driver._took = None, 0.0
    one = driver.spacecraft[0]
    one.turning = lambda: (12.5, 7)
    one.diagnostics = SimpleNamespace(publish_if_late=lambda: late.append(now[0]))
    assert driver.long_tick() == '' and driver.look(False) is False
    said = 'rotates at 12.5 rad/s, 7 sub-steps per tick'
    driver._begun = now[0]
    for seconds, told, long in ((0.9, False, False), (1.1, False, True), (2.0, True, True)):
        now[0] = driver._begun + seconds
        assert driver.look(told) is long
    assert driver.done == [f'a tick takes 1.1 s or more: {said}']
    assert len(late) == 4
    driver._begun, driver._took = None, 3.0  # the last one
    assert driver.long_tick() == f'a tick takes 3.0 s or more: {said}'
    driver._begun = now[0] - 1.5
    assert driver.long_tick().startswith('a tick takes 3.0 s')
    driver._begun = None
    driver.change_rate(0.1)  # a tick of 0.31 s may take ten times as much
    assert driver.long_tick() == ''
    driver._took = 3.2
    assert driver.long_tick().endswith('7 sub-steps per tick')
    compiles[0] = True
    assert driver.long_tick().endswith('7 sub-steps per tick; its code is not compiled yet')
    compiles[0] = False
    driver.spacecraft.append(SimpleNamespace(source='b', turning=lambda: (0.5, 1)))
    assert driver.long_tick().endswith(f'a: {said}; b: rotates at 0.5 rad/s, 1 sub-steps per tick')


def test_an_error_in_a_callback_ends_the_run_with_a_word(now):
    for error, words in (
        (OSError(28, 'No space left on device'),
         'No space left on device; the last row of the table may be incomplete'),
        (ValueError('wrong'), 'internal error: ValueError: wrong'),
    ):  # fmt: skip
        driver = running(now)
        driver._node.get_logger = lambda: SimpleNamespace(error=driver.done.append)  # noqa: B023 (called at once)

        def fail(error=error):
            raise error

        driver._guarded(fail)
        assert driver.run.failure == words
        traced = ''.join(driver.done)
        assert ('ValueError: wrong' in traced) == (not isinstance(error, OSError))


def test_a_change_that_is_of_the_run_reaches_each_spacecraft_once():
    driver, changed = object.__new__(Driver), []

    def craft(name, rate):
        return SimpleNamespace(
            value={'real_time_factor': rate}.get,
            set_parameters=lambda c: changed.append((name, c)),
        )

    driver.spacecraft = [craft('a', 2.0), craft('b', 1.0)]
    change = SimpleNamespace(name='real_time_factor', value=2.0)
    driver.share(change)
    assert changed == [('b', [change])]
