# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Lockstep with a controller in another process: independent of machine speed, never quiet."""

import sys
from contextlib import ExitStack
from types import SimpleNamespace

import numpy as np
import pytest
from bags import contents, messages
from conftest import ROOT
from diagnostic_msgs.msg import DiagnosticStatus
from processes import printed
from remote import Remote
from ros_helpers import BUSY, PATIENCE, process
from sensor_msgs.msg import Imu

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.simulator import lockstep
from spacecraft_attitude_sim.nodes.simulator.lockstep import Lockstep
from spacecraft_attitude_sim.recording import history

CONTROLLER = (sys.executable, str(ROOT / 'examples' / 'rate_damping.py'))


def run_in_lockstep(command, bag):
    given = ('--rate', 0, '--record', bag, '-p', 'lockstep:=true')
    printed(command, 'run', 'tennis_racket', *given)
    return contents(bag)


def test_closed_loop_repeats_bit_for_bit_however_busy_the_machine(command, domain, tmp_path):
    with ExitStack() as stack:
        stack.enter_context(process(*CONTROLLER))
        bags = [run_in_lockstep(command, tmp_path / '0')]
        for _ in range(2):
            stack.enter_context(process(*BUSY))
        bags.append(run_in_lockstep(command, tmp_path / '1'))
    assert bags[1].keys() == bags[0].keys()
    for topic, recorded in bags[0].items():
        assert bags[1][topic] == recorded, topic
    assert len(bags[0]['/command/wrench']) >= 320
    # Both are alike, so what holds of one holds of both.
    said = printed(command, 'replay', tmp_path / '1', '--resimulate')
    assert said.strip() == 'identical: 2889 of 2889'


def test_example_damps_a_ball_as_its_gain_says(command, domain, tmp_path):
    """A held torque -g ω on a sphere: ω falls by 1 - g Δt / I each tick, exactly."""
    path = tmp_path / 'ball.yaml'
    path.write_text(
        '/**/simulator: {ros__parameters: {body: {mass: 1.0, inertia: [1e-3, 1e-3, 1e-3]}, '
        'initial: {angular_velocity: [0.3, -0.2, 0.5]}, duration: 10.0, lockstep: true}}'
    )
    table = tmp_path / 'ball.csv'
    with process(*CONTROLLER):
        printed(command, 'run', path, '--rate', 0, '--csv', table)
    rates = np.linalg.norm(history.read(table)[0].angular_velocity_B, axis=1)
    expected = rates[0] * (1.0 - 1e-4 / 32.0 / 1e-3) ** np.arange(321)
    # The held torque turns with the body, here about its own axis, so nothing is lost to turning.
    assert np.allclose(rates, expected, rtol=1e-9, atol=0)


def test_a_policy_as_a_node_commands_what_it_does_in_a_batch(
    command, domain, tmp_path, monkeypatch
):
    """The messages of examples/fly_pointing.py, which was trained in batches, to the bit."""
    for library in ('gymnasium', 'cma'):
        pytest.importorskip(library)
    monkeypatch.syspath_prepend(ROOT / 'examples')
    from train_pointing import act

    from spacecraft_attitude_sim.learn import SpacecraftVectorEnv

    envs = SpacecraftVectorEnv('point', 2)
    observations, _ = envs.reset(seed=5)
    envs.episodes.write_scenario(1, tmp_path / 'episode.yaml')
    weights, expected = np.loadtxt(ROOT / 'examples' / 'pointing_policy.txt'), []
    for _ in range(81):
        actions = act(weights, observations)
        expected.append((0.004 * actions[1]).tolist())
        observations, *_ = envs.step(actions)
    with process(sys.executable, str(ROOT / 'examples' / 'fly_pointing.py')):
        given = ('-p', 'lockstep:=true', '-p', 'lockstep_topics:=[command/wheels]')
        flight = ('--rate', 0, '--duration', 10, '--record', tmp_path / 'bag')
        printed(command, 'run', tmp_path / 'episode.yaml', *flight, *given)
    (heard,) = messages(tmp_path / 'bag', ('/command/wheels',)).values()
    at = [(each.header.stamp.sec, each.header.stamp.nanosec) for each in heard]
    assert at == [divmod(k * TICK_NS * 4, 10**9) for k in range(81)]
    assert [each.effort.tolist() for each in heard] == expected


@pytest.fixture
def lockstep_simulator(ros, command):
    """Give a Remote beside a simulator process in lockstep with a timeout of one second."""
    remote = Remote(ros)
    arguments = ['-p', 'lockstep:=true', '-p', 'lockstep_timeout:=1.0']
    with process(command, 'node', 'simulator', '--ros-args', *arguments) as child:
        yield remote
        assert child.poll() is None
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0


def test_silent_controller_leads_to_a_clear_pause_and_a_new_one_goes_on(ros, lockstep_simulator):
    remote = lockstep_simulator
    # Two publishers of command/wrench: the test's own stays silent. Heard of first, it makes the
    # run begin and pause before the other can answer.
    with process(*CONTROLLER):
        ros.until(lambda: _goes_on(remote, 20))
    ros.until(lambda: remote.said()['message'].startswith('paused: no answer'))
    stopped = len(remote.poses)
    assert f'tick {remote.time // TICK_NS} ' in remote.said()['message']
    assert len(remote.poses) == stopped  # nothing went on meanwhile
    with process(*CONTROLLER):
        ros.until(lambda: ros.node.count_publishers('/command/wrench') == 2)
        ros.until(lambda: ros.node.count_subscribers('/imu/data') >= 1)
        assert remote.pause(False).success
        ros.until(lambda: _goes_on(remote, stopped + 20))
        # Why it had stopped is said no more.
        ros.until(lambda: not remote.said()['message'].startswith('paused'))


def _goes_on(remote, count):
    """Ask again while a controller is still being discovered."""
    if remote.said()['message'].startswith('paused'):
        remote.pause(False)
    return len(remote.poses) > count


def test_lockstep_waits_for_a_controller_before_the_first_tick(ros, lockstep_simulator):
    imu = ros.listen(Imu, 'imu/data')
    remote = lockstep_simulator
    ros.node.destroy_publisher(remote.wrench_topic)
    ros.until(lambda: remote.diagnostics)
    ros.until(lambda: remote.said()['message'].startswith('lockstep waits for a controller'))
    assert remote.diagnostics[-1].status[0].level == DiagnosticStatus.WARN
    assert not imu


def test_wrong_stamp_is_no_answer(ros, lockstep_simulator):
    remote = lockstep_simulator
    ros.listen(Imu, 'imu/data')
    ros.until(lambda: _goes_on(remote, 0))
    remote.hold('base_link', torque=(1e-6, 0.0, 0.0), stamp=123)
    ros.until(lambda: remote.said()['commands refused'] == '1')
    assert remote.time == 0
    remote.hold('base_link', torque=(1e-6, 0.0, 0.0), stamp=remote.time + TICK_NS)
    ros.until(lambda: remote.said()['commands refused'] == '2')
    # The one tick there is, perhaps asked for again.
    assert {message.header.stamp.nanosec for message in remote.poses} == {0}


# --- of several spacecraft -----------------------------------------------------------------------


class Craft:
    """A simulator as Lockstep sees it; notes what its commands are asked for."""

    def __init__(self, name, answered=True, **changes):
        self.name, self.asked, self.streams = name, [], []
        self.parameters = {'lockstep': True, 'lockstep_timeout': 0.0} | changes
        self.commands = SimpleNamespace(
            answered=answered, awaited_topics=['command/wrench'], sources={},
            answered_by_tables=False,
            lacking=list, missing=list, owed=lambda: not answered, leave_out_speechless=list,
            **{what: lambda what=what: self.asked.append(what)
               for what in ('await_present', 'leave_out_missing', 'drop_gone')},
        )  # fmt: skip

    def value(self, name):
        """Return a parameter."""
        return self.parameters[name]

    def resolve_topic_name(self, topic):
        """Return the whole name of a topic."""
        return f'/{self.name}/{topic}'

    def get_logger(self):
        """Return what notes warnings."""
        return SimpleNamespace(warning=self.asked.append)


def lockstep_of(*crafts, **changes):
    """Return a Lockstep that has waited for ten seconds, and what its driver was asked for."""
    asked = []
    run = {'paused': False, 'finished': False, 'started': True, 'halted': '', 'tick': 7}
    run |= {'running': True, 'answered': all(one.commands.answered for one in crafts)}
    driver = SimpleNamespace(
        spacecraft=crafts, halt=asked.append, publish=lambda: asked.append('publish'),
        start=lambda: asked.append('start'), timer=lambda period, callback: None,
    )  # fmt: skip
    made = Lockstep(crafts[0], SimpleNamespace(**run | changes), driver)
    made._waited = 10.0
    return made, asked


def test_only_who_has_not_answered_is_named_and_among_several_by_whole_topics():
    crafts = Craft('a'), Craft('b', False), Craft('c', False), Craft('d', False, lockstep=False)
    made, _ = lockstep_of(*crafts)
    crafts[2].commands.missing = lambda: ['/c/pilot']
    assert made.owed()
    assert made.waits_for() == (
        'lockstep waits for the answer to tick 7 from /b/command/wrench, /c/pilot'
    )
    made, _ = lockstep_of(Craft('a', False))
    assert made.waits_for().endswith('tick 7 from command/wrench')
    made, _ = lockstep_of(Craft('a'), Craft('b', False, lockstep=False))
    assert not made.owed()


def test_before_the_start_those_topics_are_named_that_nobody_publishes_yet():
    crafts = Craft('a'), Craft('b'), Craft('c', lockstep=False)
    made, _ = lockstep_of(*crafts, started=False)
    assert (
        'no node publishes /a/command/wrench, /b/command/wrench and subscribes' in made.waits_for()
    )
    crafts[1].commands.lacking = lambda: ['command/wheels']
    assert 'no node publishes /b/command/wheels and subscribes' in made.waits_for()
    for changes in ({'paused': True}, {'finished': True}):
        assert lockstep_of(*crafts, **changes)[0].waits_for() == ''


def test_the_run_starts_when_the_controllers_of_all_have_been_there_for_a_while(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(lockstep, 'time', SimpleNamespace(monotonic=lambda: now[0]))
    crafts = Craft('a'), Craft('b'), Craft('c', lockstep=False)
    heard = SimpleNamespace(get_subscription_count=lambda: 1, topic_name='/imu')
    for craft in crafts:
        craft.streams.append(heard)
    crafts[0].count_subscribers = lambda topic: 2
    made, _ = lockstep_of(*crafts, started=False)
    assert made.waits_for() == (
        'lockstep waits for the connection of /imu, which reaches 1 of 2 subscribers'
    )
    crafts[0].count_subscribers = lambda topic: 1
    assert 'no node publishes' in made.waits_for()
    crafts[1].commands.lacking = lambda: ['command/wrench']
    for _ in range(3):
        assert not made.ready()
        now[0] += 1.0
    crafts[1].commands.lacking = list
    assert not made.ready()  # just connected
    now[0] += 0.4
    crafts[1].commands.sources = {'command/wrench': SimpleNamespace(present=lambda: ['another'])}
    assert not made.ready()
    now[0] += 0.4
    assert not made.ready()
    now[0] += 0.2
    assert made.ready()
    assert [craft.asked for craft in crafts] == [['await_present'], ['await_present'], []]


@pytest.mark.parametrize(
    ('halted', 'asked'), [('', 'await_present'), ('no answer', 'leave_out_missing')]
)
def test_after_a_halt_all_go_on_with_those_that_answer(halted, asked):
    crafts = Craft('a'), Craft('b', False), Craft('c', lockstep=False)
    made, _ = lockstep_of(*crafts, halted=halted)
    made.resume()
    assert [craft.asked for craft in crafts] == [[asked], [asked], []]


def test_silence_asks_again_then_leaves_out_who_never_answered_then_halts():
    crafts = Craft('a', lockstep_timeout=4.0), Craft('b', False)
    made, asked = lockstep_of(*crafts)
    for waited in (1.9, 2.0, 2.5, 3.9):
        made._waited = waited
        made._on_silence()
    assert asked == ['publish']
    crafts[1].commands.leave_out_speechless = lambda: ['/b/pilot']
    made._waited = 4.0
    made._on_silence()
    assert asked == ['publish']
    assert 'lockstep goes on without /b/pilot, which never answered' in crafts[0].asked[-1]
    crafts[1].commands.leave_out_speechless = list
    made._on_silence()
    assert 'no answer stamped with tick 7 came within 4 s from /b/command/wrench' in asked[-1]


def test_a_process_that_stood_still_gives_its_controllers_time_again(monkeypatch):
    """An answer may lie there unread: a look counts as two periods at most, however late it is."""
    made, asked = lockstep_of(Craft('a', False, lockstep_timeout=1.0))
    now = [100.0]
    monkeypatch.setattr(lockstep.time, 'monotonic', lambda: now[0])
    made.wait_anew()
    made._looked = now[0]
    for pause, halted in ((lockstep.POLL, False), (30.0, False), (30.0, False)):
        now[0] += pause
        made._watch()
        assert any('no answer stamped' in one for one in asked) == halted
    for _ in range(10):
        now[0] += lockstep.POLL
        made._watch()
    assert 'no answer stamped with tick 7 came within 1 s' in asked[-1]


def test_without_a_timeout_silence_never_halts():
    made, asked = lockstep_of(Craft('a', False))
    made._on_silence()
    assert asked == ['publish']
