# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A run ends when a condition over its quantities holds; what may stand in one is a short list."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, Quaternion, WrenchStamped
from processes import run
from ros_helpers import EVERYTHING
from sensor_msgs.msg import Imu
from std_msgs.msg import Header

from spacecraft_attitude_sim.configuration import condition, scenario
from spacecraft_attitude_sim.configuration.condition import ConditionError
from spacecraft_attitude_sim.core.simulation import Inputs, next_instant
from spacecraft_attitude_sim.core.simulation.run_state import RunState
from spacecraft_attitude_sim.core.ticks import TICK_NS, TICK_SECONDS
from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.runs import until
from spacecraft_attitude_sim.runs.run import Craft
from spacecraft_attitude_sim.runs.run_observer import RunObserver

VALUES = {'error': 0.5, 'rate': -2.0, 'wheel.w1.speed': 300.0, 'unknown': math.nan}
TAKE_OVER = scenario.load(scenario.find('wheels_take_over'))


# --- what a condition may say --------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'holds'),
    [
        ('error < 0.6', True),
        ('error < 0.5', False),
        ('error <= 0.5', True),
        ('error > 0.5', False),
        ('error >= 0.5', True),
        ('0.4 < error < 0.6', True),
        ('0.4 < error < 0.5', False),
        ('abs(rate) > 1.5', True),
        ('rate > 1.5', False),
        ('-rate >= 2', True),
        ('error < 0.6 and rate > 0', False),
        ('error < 0.6 or rate > 0', True),
        ('rate > 0 or error < 0.6 and rate < 0', True),
        ('(rate > 0 or error < 0.6) and rate > 0', False),
        ('2 * error + 1 - rate / 4 > 2.4', True),
        ('2 * error + 1 - rate / 4 > 2.5', False),
        ('wheel.w1.speed * 30 / 3.14159265 > 2864', True),
        ('unknown < 1', False),
        ('unknown >= 1', False),
        ('error / (rate + 2) > 0', False),
    ],
)
def test_a_condition_compares_numbers_and_names(text, holds):
    found = condition.parse(text, VALUES)
    assert found.holds(VALUES) is holds
    assert found.seconds == 0.0


def test_a_condition_may_have_to_hold_for_a_time_and_knows_its_names():
    found = condition.parse('  error<0.1  and\nrate < 1 for  2.5 s ', VALUES)
    assert found.seconds == 2.5
    assert found.names == ('error', 'rate')
    assert found.text == 'error<0.1 and rate < 1 for 2.5 s'


@pytest.mark.parametrize(
    'text',
    [
        '', 'error', 'error <', 'error < 1; rate < 1', 'error == 1', 'error != 1', 'not error < 1',
        '1 < 2', 'error is 1', 'error in (1, 2)', "error < '1'", 'error < True', 'error < 1j',
        'error < [1]', 'error ** 2 < 1', 'error // 2 < 1', 'error % 2 < 1',
        '1 if error else 2 < 1',
        '(lambda: 1)() < error', '__import__("os").system("x") < error', 'exit() < error',
        'abs(error, 1) < 1', 'abs() < error', 'abs(x=error) < 1', '[e for e in (1,)] < error',
        'error.__class__ < 1', 'error[0] < 1', '(error := 1) < 2', 'f"{error}" < 1', '~error < 1',
        'error < 1 for long s', 'error < 1 for -2 s', 'error < 1 for 1e999 s', '-' * 299 + '1',
        'error < ' + '(' * 280, 'error < 1' + ' ' * 400 + '+ 1' * 100,
        'err\0or < 1',
    ],
)  # fmt: skip
def test_nothing_else_is_taken(text):
    with pytest.raises(ConditionError):
        condition.parse(text, VALUES)


def test_a_name_that_there_is_not_is_refused_with_the_list():
    with pytest.raises(ConditionError) as refused:
        condition.parse('eror < 0.1', VALUES)
    assert "no quantity 'eror'; did you mean 'error'? There are error, rate" in str(refused.value)
    for name in ('angular_velocity', 'omega'):
        with pytest.raises(ConditionError, match=f"'{name}'; did you mean 'rate'. There are"):
            condition.parse(f'{name} < 0.1', VALUES)
    with pytest.raises(ConditionError, match="'qzx'; there are error, rate"):
        condition.parse('qzx < 0.1', VALUES)
    with pytest.raises(ConditionError, match="'error == 1': 'error == 1' is not taken; write com"):
        condition.parse('error == 1', VALUES)


# --- in a run ------------------------------------------------------------------------------------


def watched(found, text, ticks, inputs=()):
    """Return the Watch of a condition after some ticks, and the ticks at which it held."""
    observer = RunObserver(found)
    units = until.units_of(found.plant)
    watch = until.Watch(condition.parse(text, units), found.plant, observer, 'a')
    instant, held = found.first_instant(), []
    for tick in range(ticks):
        observer(instant)
        watch(instant)
        held += [tick] if watch.held else []
        given = inputs[tick] if tick < len(inputs) else Inputs()
        instant = next_instant(found.plant, instant, given)
    return watch, held


def test_each_column_of_the_table_is_a_quantity_and_some_more():
    units = until.units_of(TAKE_OVER.plant)
    assert list(units)[:5] == ['time', 'error', 'rate', 'momentum', 'wheel_speed']
    columns = history.columns(False, TAKE_OVER.plant)[1:]
    assert [f'{name} [{unit}]' if unit else name for name, unit in list(units.items())[5:]] == [
        *columns
    ]
    racket = scenario.load(scenario.find('tennis_racket'))
    assert 'wheel_speed' not in until.units_of(racket.plant)


@pytest.mark.parametrize(
    ('text', 'first'),
    [
        ('time >= 1', 32),
        ('time >= 1 for 0.5 s', 48),
        # 4.18968e-4 N m on 1.72e-5 kg m^2, and the body turns the other way: 0.6 rad/s in 10 s.
        ('wheel.z.speed > 24', 32),
        ('wheel_speed > 24', 32),
        ('abs(omega_z) < 0.57', 17),
        ('rate < 0.57', 17),
        ('energy > 2.0e-3', 13),
        ('L_world_z < 4.19e-3', None),
        ('momentum > 4.19e-3 and L_z > 4.19e-3', 0),
    ],
)
def test_a_quantity_is_that_of_the_spacecraft(text, first):
    _, held = watched(TAKE_OVER, text, 60, [TAKE_OVER.inputs] * 60)
    assert (held[0] if held else None) == first


def test_a_condition_holds_only_while_it_has_held_all_the_time():
    """The wheel pushes to and fro: its speed is above 10 rad/s for 13 ticks, then below."""
    push = Inputs(wheel_torque=np.array([0.0, 0.0, 1e-3]))
    back = Inputs(wheel_torque=np.array([0.0, 0.0, -1e-3]))
    inputs = [*[push] * 10, *[back] * 10, *[push] * 40]
    _, above = watched(TAKE_OVER, 'wheel.z.speed > 10', 60, inputs)
    longest = max(np.split(above, np.flatnonzero(np.diff(above) > 1) + 1)[0])
    assert longest < 20 < above[-1] == 59
    again = next(tick for tick in above if tick > 20)
    _, held = watched(TAKE_OVER, 'wheel.z.speed > 10 for 0.5 s', 60, inputs)
    assert held == list(range(again + 16, 60))


def test_a_time_begins_anew_after_a_reset():
    observer = RunObserver(TAKE_OVER)
    units = until.units_of(TAKE_OVER.plant)
    wanted = condition.parse('rate > 0 for 1 s', units)
    watch = until.Watch(wanted, TAKE_OVER.plant, observer, 'a')
    instant = TAKE_OVER.first_instant()
    for elapsed in (5, 36, 0, 31, 32):
        watch(instant._replace(tick=instant.tick + 1, elapsed=elapsed))
        assert watch.held == (elapsed == 32)


def flown(ros, given, *conditions, parameters=TAKE_OVER.parameters, reference_at=None):
    """Return a simulator that has run with conditions, and their Until."""
    given = {**parameters, 'publish_clock': False, 'real_time_factor': 0.0, **given}
    node = ros.simulator(given, autostart=False)
    observer = RunObserver(node.scenario, None, reference_at, book=node.energy_book)
    node.observers.append(observer)
    found = until.watch([Craft('sat', node, [], observer)], [('', one) for one in conditions])
    node.driver.start()
    ros.until(lambda: node.finished)
    return node, found


def test_a_run_is_complete_at_the_first_instant_at_which_all_conditions_hold(ros):
    node, found = flown(ros, {}, 'wheel.z.speed > 24', 'time > 0.9')
    assert found.met
    assert node.run.completed
    assert node.run.tick == 32
    assert found.text().startswith('held at 1 s: wheel.z.speed > 24 (wheel.z.speed 24.')
    assert found.text().endswith(' rad/s); time > 0.9 (time 1 s)')


def test_a_duration_that_ends_first_is_told(ros):
    node, found = flown(ros, {'duration': 0.5}, 'time > 0.9')
    assert not found.met
    assert node.run.tick == 16
    assert found.text() == 'NOT MET: time > 0.9 (time 0.5 s)'


def test_what_never_was_judged_and_what_held_at_the_start_is_said():
    run, wanted = RunState(), condition.parse('time < 1', until.units_of(TAKE_OVER.plant))
    watch = until.Watch(wanted, TAKE_OVER.plant, RunObserver(TAKE_OVER), 'a')
    found, instant = until.Until([watch], run), TAKE_OVER.first_instant()
    assert found.text() == 'NOT MET: time < 1 (never judged)'
    watch(instant)
    found(instant)
    assert found.text() == 'held at the start: time < 1 (time 0 s)'


class Pointer:
    """Somebody else's controller: no torque, and a reference that turns a degree a tick.

    At ticks 3 to 5 it says first what is no reference.
    """

    def __init__(self, ros, order):
        self._order = order
        self._publishers = {
            'command': ros.node.create_publisher(WrenchStamped, 'command/wrench', 10),
            'reference': ros.node.create_publisher(PoseStamped, 'control/reference', 10),
        }
        ros.node.create_subscription(Imu, 'imu/data', self._answer, EVERYTHING)

    def _answer(self, imu):
        stamp = imu.header.stamp
        tick = (stamp.sec * 1_000_000_000 + stamp.nanosec) // TICK_NS
        half = math.radians(10.0 - tick) / 2.0
        reference = PoseStamped(header=Header(stamp=stamp, frame_id='world'))
        reference.pose.orientation = Quaternion(z=math.sin(half), w=math.cos(half))
        command = WrenchStamped(header=Header(stamp=stamp, frame_id='base_link'))
        said = {'command': command, 'reference': reference}
        wrong = PoseStamped(header=Header(stamp=stamp, frame_id='base_link'))
        for one in (wrong, PoseStamped(header=reference.header)) if tick in (3, 4, 5) else ():
            one.pose.orientation.w = 1.0 if one is wrong else 0.0
            self._publishers['reference'].publish(one)
        for name in self._order:
            self._publishers[name].publish(said[name])


@pytest.mark.parametrize('order', [('reference', 'command'), ('command', 'reference')])
def test_in_lockstep_error_is_that_to_the_reference_of_the_tick_of_any_controller(ros, order):
    """The body rests; the reference is 10 - k degrees from it at tick k, below 4.5 at tick 6."""
    Pointer(ros, order)
    rest = {'lockstep': True, 'duration': 1.0, 'initial.angular_velocity': [0.0, 0.0, 0.0]}
    node, found = flown(ros, rest, 'error < 4.5 for 0.0625 s', 'time < 9', parameters={})
    assert found.met
    assert node.run.tick == 8
    assert 'error < 4.5 for 0.0625 s (error 2 deg)' in found.text()
    assert node.commands.inbox.refused == 6


@pytest.mark.parametrize(
    ('reference_at', 'said'),
    [
        (None, 'no node publishes control/reference'),
        (lambda stamp: None, 'attitude_controller is in a mode that points nowhere'),
    ],
)
def test_where_nothing_is_pointed_at_error_is_unknown_and_the_log_says_so(
    ros, capfd, reference_at, said
):
    _, found = flown(ros, {'duration': 0.25}, 'error < 200', reference_at=reference_at)
    assert found.text() == 'NOT MET: error < 200 (error unknown)'
    assert capfd.readouterr().err.count(f'--until: error has no value yet: {said}\n') == 1


def test_conditions_of_several_spacecraft_are_judged_when_all_have_seen_the_tick():
    """One in lockstep sees it later, when its reference has come."""
    run, instant = RunState(), TAKE_OVER.first_instant()
    observer, plant = RunObserver(TAKE_OVER), TAKE_OVER.plant
    wanted = condition.parse('rate > 0', until.units_of(plant))
    watches = [until.Watch(wanted, plant, observer, name) for name in 'ab']
    both = until.Until(watches, run)
    for tick, seen, met in ((0, 'a', False), (1, 'b', False), (1, 'a', True)):
        watches['ab'.index(seen)](instant._replace(tick=tick))
        both(instant._replace(tick=tick))
        assert both.met is met
    assert '; b: rate > 0 (rate ' in both.text()


def test_a_command_ends_when_the_body_points_and_says_by_its_status_when_it_does_not(
    command, domain, tmp_path
):
    csv = tmp_path / 'a.csv'
    arguments = ['cubesat_pointing', '--no-markers', '--rate', '0']
    done = run(command, 'run', *arguments, '--until', 'error < 5 for 1 s', '--csv', csv)
    assert done.returncode == 0, done.stderr
    (said,) = [line for line in done.stdout.splitlines() if line.startswith('  until')]
    last = history.read(csv)[0].time[-1]
    assert said.startswith(f'  until            held at {last:g} s: error < 5 for 1 s (error ')
    assert TICK_SECONDS < last < 60.0
    done = run(command, 'run', *arguments, '--until', 'error < 0.1', '--duration', '0.25')
    assert done.returncode == 3, done.stderr
    assert '  until            NOT MET: error < 0.1 (error ' in done.stdout
    done = run(command, 'run', *arguments, '--until', 'eror < 0.1')
    assert done.returncode == 2
    assert "no quantity 'eror'; did you mean 'error'?" in done.stderr.splitlines()[-1]
