# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The modes of a mission: hold, hysteresis, order, forced modes, chatter; refused lines."""

import itertools
import math

import numpy as np
import pytest
from pytest import approx

from spacecraft_attitude_sim.configuration import mission_modes as configuration
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.control.attitude_loop import Answer, Reading
from spacecraft_attitude_sim.core.mathematics.rotations import compose, conjugate
from spacecraft_attitude_sim.core.mission import orders, quantities
from spacecraft_attitude_sim.core.mission.quantities import Knowledge, Wheels, largest_sigma
from spacecraft_attitude_sim.core.mission.table import Table
from spacecraft_attitude_sim.flight.onboard_mission import OnboardMission

SECOND = 1_000_000_000
MODES = {
    'modes': ['a', 'b', 'c'], 'mode.a.law': 'idle', 'mode.b.law': 'pointing',
    'mode.c.law': 'rate_damping',
}  # fmt: skip


def machine(**given):
    """Return the ModeMachine of MODES with lines, as a=[…], and other parameters."""
    lines = {f'mode.{name}.transitions': given.pop(name) for name in 'abc' if name in given}
    return configuration.machine(configuration.checked(MODES | lines | given))


def flown(own, rates, begin=0, **known):
    """Return the mode at each second of a machine, as one text; rates: what is known then."""
    nothing = dict.fromkeys(quantities.UNITS, math.nan) | known
    return ''.join(
        own.decide(SECOND * (begin + k), nothing | {'rate': rate}).order.mode
        for k, rate in enumerate(rates)
    )


def test_a_condition_must_hold_for_its_time_without_a_gap():
    own = machine(a=['rate < 1 for 3 s -> b'])
    assert flown(own, [9, 0, 0, 0, 9, 0, 0, 0, 0, 0]) == 'a' * 8 + 'bb'
    decision = own.decide(20 * SECOND, dict.fromkeys(quantities.UNITS, 0.0))
    assert (decision.since_ns, decision.before, decision.entered) == (8 * SECOND, 'a', False)
    assert decision.reason == 'rate < 1 for 3 s -> b (rate 0 rad/s)'
    assert own.changes == 1


def test_without_a_time_it_acts_at_once_and_one_change_a_tick():
    """At the start no condition counts; then a leads to b, and b to c one tick later."""
    assert flown(machine(a=['rate < 1 -> b'], b=['rate < 1 -> c']), [0, 0, 0, 0]) == 'abcc'


def test_what_follows_unless_ends_a_condition_that_has_begun():
    """Between the two limits it holds on where it held before, and does not begin."""
    rates = [3, 2, 0, 2, 2, 2]
    assert flown(machine(a=['rate < 1 for 3 s -> b']), rates) == 'aaaaaa'
    banded = 'rate < 1 unless rate > 2.5 for 3 s -> b'
    assert flown(machine(a=[banded]), rates) == 'aaaaab'
    assert flown(machine(a=[banded]), [3, 2, 0, 2.6, 2, 2, 2, 2]) == 'a' * 8
    assert flown(machine(a=[banded]), [3, 2, 0, math.nan, 2, 2, 2, 2]) == 'a' * 8


def test_what_a_decision_may_depend_on_is_in_the_lines_of_its_mode_and_of_everywhere():
    lines = ['rate < 1 unless attitude_sigma > 2 for 2 s -> b']
    own = machine(a=lines, b=['error > 1 -> c'], anywhere=['time > 900 -> c'])

    def seen():
        return {name for name in quantities.UNITS if own.sees(name)}

    assert seen() == {'rate', 'attitude_sigma', 'time'}
    assert flown(own, [0, 0, 0, 0], attitude_sigma=1.0) == 'aaab'
    assert seen() == {'error', 'time'}
    own.restart()
    assert own.sees('attitude_sigma')


def test_what_is_not_known_fulfils_no_condition():
    lines = ['rate < 1 -> b', 'rate >= 1 -> c', 'error < 1 or error > 1 -> c']
    assert flown(machine(a=lines), [math.nan] * 3) == 'aaa'


def test_of_two_lines_that_are_due_the_first_counts():
    rates = [0, 0, 0, 0]
    assert flown(machine(a=['rate < 1 -> b', 'rate < 1 -> c']), rates) == 'abbb'
    assert flown(machine(a=['rate < 1 -> c', 'rate < 1 -> b']), rates) == 'accc'
    # The second one holds as long as the first one, though that is asked first.
    late = ['rate < 1 for 9 s -> c', 'rate < 1 for 2 s -> b']
    assert flown(machine(a=late), [9, 0, 0, 0, 0]) == 'aaabb'


def test_a_line_of_everywhere_comes_before_the_own_ones_and_leads_not_to_itself():
    own = machine(anywhere=['rate > 5 for 2 s -> c'], a=['rate > 5 for 2 s -> b'])
    assert flown(own, [9, 9, 9, 9, 9, 9]) == 'aaaccc'
    assert own.changes == 1
    # It has held since before b was entered.
    own = machine(anywhere=['rate > 5 for 3 s -> c'], a=['rate > 5 for 1 s -> b'])
    assert flown(own, [0, 9, 9, 9, 9, 9]) == 'aabbcc'


def test_own_lines_wait_for_the_dwell_and_those_of_everywhere_do_not():
    own = machine(a=['rate < 1 -> b'], b=['rate < 1 -> a'], dwell=3.0)
    assert flown(own, [0] * 8) == 'aaabbbaa'
    own = machine(anywhere=['rate > 5 -> c'], a=['rate < 1 -> b'], dwell=3.0)
    assert flown(own, [0, 9, 9]) == 'acc'


def test_time_in_the_mode_is_a_quantity():
    own = machine(a=['time_in_mode >= 2 -> b'], b=['time_in_mode >= 3 -> a'])
    assert flown(own, [0] * 9) == 'aabbbaabb'


def test_a_forced_mode_is_held_until_it_is_released():
    own = machine(a=['rate < 1 for 2 s -> b'])
    assert flown(own, [0, 0]) == 'aa'
    own.force('c')
    assert flown(own, [0, 0, 0, 0], 2) == 'cccc'
    decision = own.decide(6 * SECOND, dict.fromkeys(quantities.UNITS, 0.0))
    assert (decision.reason, decision.before) == ('forced', 'a')
    with pytest.raises(ValueError, match="no mode 'x'; there are a, b, c"):
        own.force('x')
    assert own.forced == 'c'
    own.force('a')
    assert flown(own, [0, 0, 0], 7) == 'aaa'
    own.force('')  # what held before does not count: two seconds from now on
    assert flown(own, [0, 0, 0, 0], 10) == 'aabb'


def test_what_held_before_does_not_count_in_a_mode_that_is_entered_again():
    own = machine(
        a=['rate < 1 for 3 s -> b', 'rate < 1 for 1 s -> c'], c=['time_in_mode >= 1 -> a']
    )
    assert flown(own, [0] * 9) == 'aacaacaac'
    own = machine(anywhere=['rate > 5 for 2 s -> c'])
    assert flown(own, [0, 9]) == 'aa'
    own.force('b')
    assert flown(own, [9, 9, 9], 2) == 'bbb'
    own.force('')
    assert flown(own, [9, 9, 9], 5) == 'bbc'


def test_too_many_changes_lead_to_the_refuge_until_they_are_past():
    turns = {'a': ['rate < 1 -> b'], 'b': ['rate < 1 -> a']}
    own = machine(**turns, most_changes=3, changes_within=10.0)
    # Changes at 1, 2 and 3 s; the next one when that at 1 s is 10 s old, and so on.
    assert flown(own, [0] * 15) == 'abab' + 'b' * 8 + 'aba'
    assert 'waits: 3 changes of mode within 10 s' in machine_problem(turns)
    own = machine(**turns, most_changes=3, changes_within=10.0, refuge='c')
    assert flown(own, [0] * 8) == 'ababcccc'
    decision = own.decide(9 * SECOND, dict.fromkeys(quantities.UNITS, 0.0))
    assert '3 changes of mode within 10 s' in decision.reason


def machine_problem(turns):
    """Return the problem that a machine has after it was held back."""
    own = machine(**turns, most_changes=3, changes_within=10.0)
    flown(own, [0] * 6)
    return own.problem


def test_an_alarm_is_never_held_back():
    own = machine(
        a=['rate < 1 -> b'], b=['rate < 1 -> a'], most_changes=1, changes_within=100.0,
        anywhere=['fault > 0 -> c'],
    )  # fmt: skip
    assert flown(own, [0] * 4, fault=0.0) == 'abbb'
    assert flown(own, [0] * 2, 4, fault=1.0) == 'cc'


def test_an_earlier_time_begins_anew_and_the_same_time_decides_the_same():
    own = machine(a=['rate < 1 -> b'])
    values = dict.fromkeys(quantities.UNITS, 0.0)
    assert flown(own, [0, 0, 0]) == 'abb'
    last = own.decide(2 * SECOND, values)
    assert own.decide(2 * SECOND, values | {'rate': 9.0}) is last
    again = own.decide(SECOND, values)
    assert (again.order.mode, again.reason, own.changes) == ('a', 'start', 0)


def test_modes_say_law_profile_and_unloading():
    given = {'mode.b.profile': 'nadir', 'mode.b.unload': False, 'start': 'b', 'force': 'c'}
    own = machine(**given)
    assert own.decide(0, {}).order == ('b', 'pointing', 'nadir', False)
    assert own.decide(1, {}).order == ('c', 'rate_damping', '', True)


@pytest.mark.parametrize(
    ('line', 'told'),
    [
        ('rate < 1', r"transitions\[1\]: 'rate < 1' is not a condition and a mode; write 'rate"),
        ('-> b', 'is not a condition and a mode'),
        ('rate < 1 ->', 'is not a condition and a mode'),
        ('rate < 1 -> bb', "the target is 'bb', which is no mode; did you mean 'b'"),
        ('ratte < 1 -> b', "no quantity 'ratte'; did you mean 'rate'"),
        ('rate < 1 for ever s -> b', 'cannot be read'),
        ('rate < 1 for -3 s -> b', 'is no time; give seconds'),
        ('rate < 1 for 1e999 s -> b', 'is no time; give seconds'),
        ('rate < 1 for 2 s unless rate > 2 for 3 s -> b', "write 'for' once"),
        ('rate < 1 unless -> b', 'cannot be read'),
        ('rate -> b', 'is not taken; write comparisons'),
        ('1 < 2 -> b', 'names no quantity'),
        ('__import__("os") < 1 -> b', 'is not taken'),
        ('rate < 1 if 1 else 2 -> b', 'is not taken'),
        ('r' * 400 + ' < 1 -> b', 'of 404 characters; 300 at most'),
        ('sun_seen > 0 -> b', 'a condition has sun_seen, but sun_sensors is empty'),
        ('wheel_speed > 0 -> b', 'a condition has wheel_speed, but wheels is empty'),
        ('sunlight > 0.5 -> b', 'a condition has sunlight, which needs the orbit'),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, told):
    lines = {'mode.a.transitions': ['rate < 2 -> b', line]}
    with pytest.raises(ParameterError, match=told):
        configuration.checked(MODES | lines)


@pytest.mark.parametrize(
    ('given', 'told'),
    [
        ({'modes': []}, r'mode\.a\.law is not a parameter'),
        ({'modes': ['a', 'b', 'c', 'a']}, "modes has 'a' twice"),
        ({'modes': ['a', 'b', 'c', 'd']}, r'mode\.d\.law .* not given'),
        ({'start': 'x'}, "start is 'x', which is no mode"),
        ({'refuge': 'x'}, "refuge is 'x', which is no mode"),
        ({'force': 'x'}, "force is 'x', which is no mode"),
        ({'mode.a.law': 'sleep'}, "mode.a.law is 'sleep'; choose one of"),
        ({'anywhere': ['rate > 1']}, r'anywhere\[0\]: '),
        ({'wheels': ['w'], 'wheel.w.axis': [2 / 3, 0.0, 0.0], 'wheel.w.inertia': 1e-5},
         r'wheel\.w\.axis'),
        ({'dwell': -1.0}, 'dwell is -1'),
        ({'most_changes': 0}, 'most_changes is 0'),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named(given, told):
    with pytest.raises(ParameterError, match=told):
        configuration.checked(MODES | given)
    with pytest.raises(ParameterError, match='modes is empty'):
        configuration.checked({})


def test_numbers_that_say_nothing_are_not_known():
    wheels = Wheels(('w', 'v'), np.eye(3)[:2], np.array((2.0, 1.0)), np.array((1.0, 0.0)))
    known = Knowledge(2 * SECOND, wheels)
    unit = np.array((1.0, 0.0, 0.0, 0.0))
    known.take_motion(0, unit, np.array((0.3, 0.0, -0.4)), 0.01)
    known.take_error(0, (0.0, math.pi, 0.0))
    known.take_wheels(0, (2.5, -4.0))
    known.take_sun(0, (0.0, 0.0, 1.0))
    known.take_light(0, 'x', 7.0)
    known.take_light(0, 'y', 5.0)
    values = known.values(SECOND)
    assert values['rate'] == approx(0.5)
    assert values['attitude_sigma'] == approx(math.degrees(0.01))
    assert values['error'] == approx(180.0)
    assert values['wheel_momentum'] == approx(5.0)  # 2 (2.5 - 1) and -4 across
    assert (values['wheel_speed'], values['illuminance'], values['sun_seen']) == (4.0, 7.0, 1.0)
    known.take_wheels(0, (-4.5, 3.0))
    assert known.values(SECOND)['wheel_speed'] == 4.5
    for bad in (math.nan, math.inf, 1e308):
        known.take_motion(SECOND, np.full(4, bad), np.full(3, bad), 0.01)
        known.take_error(SECOND, (math.nan, 0.0, 0.0))
        known.take_wheels(3 * SECOND, (bad, 0.0))
        known.take_sun(3 * SECOND, (math.nan, 0.0, 0.0))
        known.take_light(3 * SECOND, 'x', bad)
        values = known.values(3 * SECOND)
        unknown = {'rate', 'attitude_sigma', 'error', 'wheel_momentum', 'wheel_speed'}
        unknown |= {'illuminance', 'sunlight', 'time_in_mode'}
        assert {name for name, value in values.items() if math.isnan(value)} == unknown
        assert values['attitude_known'] == values['sun_seen'] == 0.0


def test_what_is_old_or_still_to_come_is_not_known():
    known = Knowledge(2 * SECOND)
    known.take_motion(5 * SECOND, None, np.zeros(3))
    seen = [known.values(k * SECOND)['rate'] for k in (4, 5, 7, 8)]
    assert [math.isnan(value) for value in seen] == [True, False, False, True]
    known.forget()
    assert math.isnan(known.values(5 * SECOND)['rate'])


def test_an_attitude_of_which_nothing_is_heard_is_not_known():
    """So a mission notices a silent IMU: it would point on for ever."""
    known = Knowledge(2 * SECOND)
    known.take_motion(5 * SECOND, np.array((1.0, 0.0, 0.0, 0.0)), np.zeros(3))
    assert [known.values(k * SECOND)['attitude_known'] for k in (4, 5, 7, 8)] == [0, 1, 1, 0]
    own = configuration.machine(scenario.load(scenario.find('cubesat_3u_mission')).mission)
    own.force('nadir')
    own.decide(0, known.values(0))
    own.decide(SECOND, known.values(SECOND))
    own.force('')
    modes = [own.decide(k * SECOND, known.values(k * SECOND)).order.mode for k in range(8, 80)]
    assert modes == 60 * ['nadir'] + 12 * ['safe']


def test_the_timeout_is_in_seconds():
    known = configuration.knowledge(configuration.checked(MODES | {'timeout': 5.0}))
    known.take_motion(0, None, np.zeros(3))
    assert known.values(5 * SECOND)['rate'] == 0.0
    assert math.isnan(known.values(5 * SECOND + 1)['rate'])


def test_the_largest_sigma_is_of_the_diagonal():
    assert largest_sigma((1.0, 9.0, 9.0, 9.0, 4.0, 9.0, 9.0, 9.0, 2.0)) == 2.0
    assert largest_sigma((-1.0, *[0.0] * 8)) == 0.0


def test_the_pointing_error_turns_the_reference_into_the_body():
    """A body a quarter turn about z past its reference, measured by an IMU on its side."""
    half = math.sqrt(0.5)
    q_WB, q_BS = np.array((half, 0.0, 0.0, half)), np.array((half, half, 0.0, 0.0))
    q_WS = np.array((0.5, 0.5, 0.5, 0.5))  # q_WB then q_BS
    unit = np.array((1.0, 0.0, 0.0, 0.0))
    reading, answer = Reading(0, q_WS, np.zeros(3)), Answer(0, np.zeros(3), unit)
    error_B = orders.pointing_error(reading, answer, q_BS)
    assert error_B == approx([0.0, 0.0, math.pi / 2.0], abs=1e-12)
    assert q_WB == approx(compose(q_WS, conjugate(q_BS)))
    for nothing in (reading._replace(q_WS=None), reading):
        lost = answer if nothing.q_WS is None else answer._replace(q_WR=None)
        assert np.isnan(orders.pointing_error(nothing, lost, q_BS)).all()


def test_the_same_numbers_give_the_same_modes_whatever_came_before():
    """Twenty seconds of drawn rates, flown twice by one machine and once by a new one."""
    rates = np.random.default_rng(5).uniform(0.0, 3.0, 200)
    lines = {'a': ['rate < 1 unless rate > 2 for 2 s -> b'], 'b': ['rate > 2 -> c'],
             'c': ['rate < 1.5 for 1 s -> a']}  # fmt: skip
    own = machine(**lines)
    first = flown(own, rates)
    assert first == flown(own, rates) == flown(machine(**lines), rates)
    assert set(itertools.chain(first)) == set('abc')


def test_a_table_made_in_python_has_the_defaults_of_the_parameters():
    """And each parameter that is given has its place in it."""
    table = machine().table
    assert table == Table(table.modes, 'a')
    told = machine(start='b', dwell=3.0, most_changes=7, changes_within=50.0, refuge='c').table
    assert told[1:] == ('b', (), 3_000_000_000, 7, 50_000_000_000, 'c')


@pytest.mark.parametrize(
    ('mode', 'seconds'), [('acquisition', 600), ('nadir', 60), ('unloading', 60)]
)
def test_the_shipped_mission_goes_to_safe_where_it_does_not_point(mode, seconds):
    """A wheel that does not obey may hold the body still, far from where it should, or turn it."""
    own = configuration.machine(scenario.load(scenario.find('cubesat_3u_mission')).mission)
    own.force(mode)
    flown(own, [0.0, 0.0], begin=-1)
    own.force('')
    rates = [1e-3] * (seconds + 30)
    assert {*flown(own, rates, begin=1, error=19.0, attitude_known=1.0).split(mode)} == {''}
    modes = flown(own, rates, begin=700, error=21.0, attitude_known=1.0)
    assert modes == seconds * mode + 30 * 'safe'
    own.force(mode)
    flown(own, [0.0, 0.0], begin=1600)
    own.force('')
    modes = flown(own, [0.04] * 90, begin=1602, error=1.0, attitude_known=1.0)
    assert modes == 60 * mode + 30 * 'safe'


def test_a_mission_aboard_knows_the_wheels_by_their_names():
    """In the order of its own list, of which joint_states has another."""
    sections = scenario.read(scenario.find('cubesat_3u_mission'))
    sections['mission_modes']['wheels'] = ['z', 'x', 'y']
    found = scenario.of_sections(sections, 'test')
    aboard, heard = OnboardMission(found), []
    aboard.knowledge.take_wheels = lambda time_ns, speeds: heard.append((time_ns, speeds))
    aboard.take(found.first_instant(), np.array((1.0, 2.0, 3.0)), None)
    assert heard == [(0, [3.0, 1.0, 2.0])]
    assert aboard.sees_wheels
