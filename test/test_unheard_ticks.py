# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Ticks that nobody hears fly in a compiled loop, and leave the nodes as messages would."""

import threading
import time

import pytest
import rclpy
from rcl_interfaces.srv import GetParameters, SetParameters
from sensor_msgs.msg import Imu

from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.nodes.ros import qos
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.ros.handover import Handover
from spacecraft_attitude_sim.runs import run as runs
from spacecraft_attitude_sim.runs import unheard_ticks
from spacecraft_attitude_sim.runs.unheard_ticks import Loop, UnheardTicks

LEO = ('run', 'cubesat_3u_leo', '--rate', '0')
# Modes that follow each other soon, with a reference that turns, and an integral.
MODES = (
    '-p', 'attitude_controller:schedule.times:=[40.0, 130.0, 220.0]',
    '-p', 'attitude_controller:schedule.modes:=[sun_pointing, pointing, detumbling]',
    '-p', 'attitude_controller:reference.angular_velocity:=[0.0, 0.001, 0.0]',
    '-p', 'attitude_controller:integral_time:=60.0',
    '-p', 'initial.angular_velocity:=[0.01, 0.0, 0.01]',
)  # fmt: skip
# Commands of every second tick, and one sensor of every third.
SELDOM = (
    '-p', 'imu.interval:=2', '-p', 'magnetometer.interval:=2', '-p', 'star_tracker.interval:=3',
    '-p', 'attitude_controller:imu_timeout:=2.0', '-p', 'lockstep_interval:=2',
)  # fmt: skip


class Runs:
    """Runs in this process, in which the loop is ready at once and may fly any number of ticks.

    flown: ticks that it has flown;  crafts: of the latest run
    """

    def __init__(self, monkeypatch, capfd):
        self.monkeypatch, self.capfd, self.flown = monkeypatch, capfd, 0
        monkeypatch.setattr(unheard_ticks, 'LONG', 0)
        load, fly, outcome = Loop.__init__, UnheardTicks._fly, runs.outcome_of

        def loaded(loop, *arguments):
            load(loop, *arguments)
            loop._thread.join()

        def flying(unheard, batch, count):
            flew = fly(unheard, batch, count)
            self.flown += count * flew
            return flew

        def ended(crafts, *arguments):
            self.crafts = crafts
            return outcome(crafts, *arguments)

        monkeypatch.setattr(Loop, '__init__', loaded)
        monkeypatch.setattr(UnheardTicks, '_fly', flying)
        monkeypatch.setattr(runs, 'outcome_of', ended)

    def run(self, *arguments):
        """Return what is known at the end of a run, and what it printed without its first line."""
        self.flown = 0
        with pytest.raises(SystemExit, match='0'):
            cli.main(list(map(str, arguments)))
        return known(*self.crafts), self.capfd.readouterr().out.splitlines()[1:]

    def by_messages(self, *arguments):
        """Return the same of a run without the loop."""
        with self.monkeypatch.context() as patched:
            patched.setattr(UnheardTicks, '__call__', lambda unheard: False)
            return self.run(*arguments)


@pytest.fixture
def flights(domain, monkeypatch, capfd):
    """Return the Runs of a test."""
    return Runs(monkeypatch, capfd)


def known(craft):
    """Return all that the nodes of a run remember, as text or bytes."""
    simulator, instant = craft.simulator, craft.simulator.instant
    found = {
        'state': to_flat(instant.state).tobytes(),
        'instant': repr(instant._replace(state=None, inputs=None, readings=None)),
        'wrench': instant.inputs.wrench.tobytes(),
        'commands': simulator.plant.spacecraft.commands(instant.inputs).tobytes(),
        'flat': {name: own.tobytes() for name, own in instant.readings.flat.items()},
        'memory': instant.readings.memory.tobytes(),
        'readings': repr(instant.readings._replace(flat={}, memory=None, new=(), silent=())),
        'new': sorted(instant.readings.new), 'silent': sorted(instant.readings.silent),
        'tally': repr(simulator.tally.counts),
        'observer': craft.observer.log._rows.tobytes(),
    }  # fmt: skip
    for topic, own in simulator.commands.actuators.items():
        ends = [end - own._ticks for end in own._ends]
        found[topic] = (own.held, own.taken, own.saturated, ends)
    for node in craft.listeners:
        for name in ('loop', 'magnetic'):
            if own := getattr(node, name, None):
                kept = {key: value for key, value in vars(own).items() if key in REMEMBERED}
                found[f'{type(node).__name__}.{name}'] = repr(kept)
        if hasattr(node, 'estimator'):
            found['estimate'] = repr(node.estimate)
            found['estimator'] = (node.estimator.problem, node.estimator.resets, node._stamp)
            found['known'] = repr([told(one) for one in craft.observer.log._known])
        if hasattr(node, 'loop'):
            found['integral'] = repr(vars(node.loop.integral))
            found['controller'] = repr((node._latest, node.rate, node._joints.values))
    return found


def told(knowledge):
    """Return what counts of a Known."""
    judged = [(one.sensor, one.time_ns, one.nis, one.freedom) for one in knowledge.judgements]
    attitude, covariance = knowledge.q_WE.tolist(), knowledge.covariance_B.tolist()
    return knowledge.time_ns, attitude, covariance, sorted(judged)


REMEMBERED = {
    'answered', 'ignored', 'refused', 'saturated', 'problem', 'warning', '_way', '_last',
    '_silent', '_doubted_ns', '_reference_ns', '_before',
}  # fmt: skip


def unlike(one, other):
    """Return the names of what two runs remember differently."""
    assert one.keys() == other.keys()
    return [name for name in one if one[name] != other[name]]


@pytest.mark.parametrize('given', [(), MODES, SELDOM, (*MODES, *SELDOM), ('--estimator', *MODES)])
def test_the_nodes_are_left_as_by_messages(flights, tmp_path, given):
    run = (*LEO, '--duration', 300, *given, '--csv', tmp_path / 'table.csv', '--overwrite')
    expected, told = flights.by_messages(*run)
    table = (tmp_path / 'table.csv').read_bytes()
    remembered, said = flights.run(*run)
    assert (unlike(remembered, expected), said) == ([], told)
    assert 500 < flights.flown < 600
    assert (tmp_path / 'table.csv').read_bytes() == table


def test_a_listener_hears_every_tick_and_the_loop_goes_on_when_it_has_gone(flights):
    expected, _ = flights.by_messages(*LEO, '--duration', 1500)
    heard, context = [], rclpy.Context()

    def listen():
        rclpy.init(context=context)
        node = rclpy.create_node('listener', context=context)
        node.create_subscription(Imu, 'imu/data', heard.append, qos.EVERY_ONE)
        executor = rclpy.executors.SingleThreadedExecutor(context=context)
        executor.add_node(node)
        limit = time.monotonic() + 60.0
        while len(heard) < 40 and time.monotonic() < limit:
            executor.spin_once(timeout_sec=0.1)
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)

    thread, fly = threading.Thread(target=listen), UnheardTicks._fly

    def flying(unheard, batch, count):
        if unheard._simulator.run.tick > 500 and not thread.ident:
            thread.start()
        time.sleep(0.0 if heard or not thread.ident else 0.1)  # else the run ends before
        return fly(unheard, batch, count)

    flights.monkeypatch.setattr(UnheardTicks, '_fly', flying)
    found, _ = flights.run(*LEO, '--duration', 1500)
    thread.join()
    ticks = [2 * one.header.stamp.sec + one.header.stamp.nanosec // 500_000_000 for one in heard]
    assert len(ticks) >= 40
    assert ticks == list(range(ticks[0], ticks[0] + len(ticks)))
    assert 500 < ticks[0] < ticks[-1] < 3000 - unheard_ticks.SHORTEST
    assert unlike(found, expected) == []
    assert flights.flown > 3000 - 4 * len(ticks)


@pytest.mark.parametrize('part', ['impulse', 'message'])
def test_a_run_in_which_others_have_a_say_goes_on_by_messages(flights, part):
    """A strike behind its back is seen in what the nodes command."""
    said = []

    def say(unheard):
        said.append(unheard._simulator.run.tick)
        if part == 'impulse':
            unheard._simulator.commands.inbox.strike(
                'base_link', (0.0, 0.0, 0.0), (1e-4, 0.0, 0.0)
            )
        else:
            unheard._handover.asked += 1

    fly = UnheardTicks._fly

    def flying(unheard, batch, count):
        if unheard._simulator.run.tick > 100:
            say(unheard)
        return fly(unheard, batch, count)

    def calling(unheard):
        if unheard._simulator.run.tick == said[0]:
            say(unheard)
        return False

    with flights.monkeypatch.context() as patched:
        patched.setattr(UnheardTicks, '_fly', flying)
        found, _ = flights.run(*LEO, '--duration', 300)
    assert len(said) <= 2  # a message is seen before the next stretch, not in this one
    # Stretches grow to twice the one before at most: 16, 32, … 128 ticks, of 600.
    assert flights.flown < 400
    with flights.monkeypatch.context() as patched:
        patched.setattr(UnheardTicks, '__call__', calling)
        expected, _ = flights.run(*LEO, '--duration', 300)
    assert unlike(found, expected) == []


def test_who_only_asks_has_no_say(ros):
    node = ros.add(GuardedNode('asked'))
    node.declare_parameter('gain', 1.0)
    handover = Handover()
    for kind, name, more in ((GetParameters, 'get', 0), (SetParameters, 'set', 1)):
        client, before = ros.node.create_client(kind, f'asked/{name}_parameters'), handover.asked
        ros.until(client.service_is_ready)
        answer = client.call_async(kind.Request())
        ros.until(lambda answer=answer: handover.spin_once(ros.executor) or answer.done())
        assert handover.asked == before + more
