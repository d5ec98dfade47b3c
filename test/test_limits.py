# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What turns or flies too fast to be followed is refused, or ends the motion; never NaN."""

import math

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import equations, simulation
from spacecraft_attitude_sim.core.actuators import Drive
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS, BodyFrame, RigidBody
from spacecraft_attitude_sim.core.simulation import Inputs, MotionError, limits, plant_of
from spacecraft_attitude_sim.core.simulation.commands import CommandInbox, CommandRefusedError

MOMENTS = (62.2e-6, 171.5e-6, 210.5e-6)
RACKET = RigidBody(0.34, np.diag(MOMENTS))
PLANT = plant_of(RACKET, np.zeros(3))
REST = RACKET.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.zeros(3))
# 131 072 sub-steps of 1/256 rad in 1/32 s.
RESOLVED = 16384.0


def inbox(plant=PLANT, timeout=0.5):
    limit = limits.command_limits(plant, timeout)
    return CommandInbox(
        {'base_link': AT_CENTRE_OF_MASS, 'arm': BodyFrame(np.array((0, 2.0, 0)), REST.q_WB)},
        'world', (1e9,) * 3, (1e9,) * 3, timeout, limit,
    )  # fmt: skip


def spinning(plant, rate, axis=0):
    omega_B = np.zeros(3)
    omega_B[axis] = rate
    state = plant.body.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), omega_B)
    return simulation.Instant(0, state)


@pytest.mark.parametrize(('frame', 'part'), [('base_link', 3), ('world', 3), ('arm', 0)])
def test_wrench_that_would_turn_faster_than_resolved_in_its_hold_is_refused(frame, part):
    """τ t / I_min at most the resolved rate; a force at an arm of 2 m is twice as much torque."""
    largest = RESOLVED * MOMENTS[0] / 0.5 / (2.0 if frame == 'arm' else 1.0)
    for factor in (1.0 - 1e-12, 1.0 + 1e-12):
        wrench = np.zeros(6)
        wrench[2 if frame == 'arm' else part] = factor * largest
        box = inbox()
        if factor < 1.0:
            box.hold(frame, wrench[:3], wrench[3:])
            assert box.holding
            continue
        with pytest.raises(CommandRefusedError, match=r'smallest principal moment 6\.22e-05 kg m'):
            box.hold(frame, wrench[:3], wrench[3:])
        assert not box.holding and box.taken == 0


def test_refusal_says_what_rate_and_how_much_would_do():
    with pytest.raises(
        CommandRefusedError,
        match=r'torque of 1e\+09 N m would turn .* at 8\.03859e\+12 rad/s in 0\.5 s; 131072 '
        r'sub-steps in a tick resolve 16384 rad/s: give at most 2\.03817 N m, and check the unit',
    ):
        inbox().hold('base_link', (0, 0, 0), (1e9, 0, 0))


def test_several_impulses_of_a_tick_count_together_and_one_that_takes_back_counts_less():
    box, most = inbox(), RESOLVED * MOMENTS[0]
    box.strike('base_link', (0, 0, 0), (0.6 * most, 0, 0))
    with pytest.raises(CommandRefusedError, match='angular impulse'):
        box.strike('base_link', (0, 0, 0), (0.6 * most, 0, 0))
    box.strike('base_link', (0, 0, 0), (-0.6 * most, 0, 0))
    box.strike('base_link', (0, 0, 0), (0.6 * most, 0, 0))
    assert box.take(REST.q_WB).impulse[3] == pytest.approx(0.6 * most, rel=1e-12)
    box.strike('base_link', (0, 0, 0), (0.6 * most, 0, 0))  # of another tick


def test_force_and_impulse_beyond_a_tenth_of_the_speed_of_light_are_refused():
    for factor, refused in ((0.999, False), (1.001, True)):
        for act, most in (('hold', 3e7 * 0.34 / 0.5), ('strike', 3e7 * 0.34)):
            command = getattr(inbox(), act)
            if refused:
                with pytest.raises(CommandRefusedError, match='tenth of the speed of light'):
                    command('world', (0, factor * most, 0), (0, 0, 0))
            else:
                command('world', (0, factor * most, 0), (0, 0, 0))


@pytest.mark.parametrize(
    ('name', 'substeps', 'rate'),
    [
        ('principal_axis_euler', 0, RESOLVED / 4),
        ('body_momentum', 0, RESOLVED * 256 / 24),
        ('exact_kick4', 0, RESOLVED * 32),
        ('exact_kick4', 1, RESOLVED * 32),  # exact without torque, in one step
        ('momentum', 1, 32 * math.pi),
        ('momentum', 10, 320 * math.pi),
    ],
)
def test_limit_follows_from_equations_and_substeps(name, substeps, rate):
    plant = PLANT.with_equations(name).with_substeps(substeps)
    assert limits.resolved_rate(plant) == pytest.approx(rate, rel=1e-12)
    limits.check_given_rate(plant, (0.0, rate * (1.0 - 1e-9), 0.0))
    with pytest.raises(ValueError, match=f"equations '{name}' resolve"):
        limits.check_given_rate(plant, (0.0, rate * (1.0 + 1e-9), 0.0))


@pytest.mark.parametrize('mass', [RACKET.mass, 1e-8])
def test_what_passes_without_a_second_look_would_pass_it(mass):
    plant = plant_of(RigidBody(mass, RACKET.inertia))
    quick = limits.command_limits(plant, 0.5)
    whole = quick._replace(harmless=0.0)
    refused = 0
    generator = np.random.default_rng(0)
    for _ in range(2000):
        size = 10.0 ** generator.uniform(-4.0, 2.0)  # and nearly along an axis
        given = [
            loads.wrench_in_body(size * force, size * torque, AT_CENTRE_OF_MASS)
            for force, torque in generator.normal(size=(generator.integers(1, 4), 2, 3)) ** 9
        ]
        reason = verdict(whole, given)
        assert verdict(quick, given) == reason
        refused += bool(reason)
    assert 200 < refused < 1800


def verdict(limit, wrenches):
    """Return why wrenches are refused, or ''."""
    try:
        limit.check_wrench(*wrenches)
    except ValueError as error:
        return str(error)
    return ''


def test_longer_hold_allows_less_torque_and_for_ever_counts_as_a_second():
    holds = [limits.command_limits(PLANT, timeout).hold for timeout in (0.01, 0.25, 3.0, 0.0)]
    assert holds == [1 / 32, 0.25, 1.0, 1.0]


def test_each_source_is_judged_by_itself_so_that_who_comes_first_decides_nothing():
    torque = np.array((0.9 * RESOLVED * MOMENTS[0] / 0.5, 0.0, 0.0))
    held = set()
    for order in (('wheel', 'thruster'), ('thruster', 'wheel')):
        box = inbox()
        for source in order:
            box.hold('base_link', np.zeros(3), torque, source)
        with pytest.raises(CommandRefusedError, match='give at most .* N m, and check the unit'):
            box.hold('base_link', np.zeros(3), 1.2 * torque, 'wheel')
        held.add(box.take(REST.q_WB).wrench.tobytes())
    assert len(held) == 1
    assert np.frombuffer(held.pop())[3] == pytest.approx(2.0 * torque[0], rel=1e-15)


def test_impulses_of_a_source_in_one_tick_are_judged_in_sum_those_of_the_next_anew():
    angular = np.array((0.0, 0.4 * RESOLVED * MOMENTS[0], 0.0))
    linear = np.array((0.4 * limits.LARGEST_SPEED * RACKET.mass, 0.0, 0.0))
    for impulse, named in (
        ((np.zeros(3), angular), r'smallest principal moment 6\.22e-05 kg m\^2'),
        ((linear, np.zeros(3)), r'body\.mass 0\.34 kg\) at 3\.6e\+07 m/s'),
    ):
        box = inbox()
        box.strike('base_link', *impulse, 'one')
        box.strike('base_link', *impulse, 'one')
        with pytest.raises(CommandRefusedError, match=named + '.*give at most .* N .*unit'):
            box.strike('base_link', *impulse, 'one')
        box.strike('base_link', *impulse, 'other')
        struck = box.take(REST.q_WB).impulse
        np.testing.assert_allclose(struck, 3.0 * np.concatenate(impulse), rtol=1e-15)
        box.strike('base_link', *impulse, 'one')


def test_scenario_that_begins_too_fast_is_refused():
    given = {'initial.angular_velocity': [0.0, 1e4, 1e4], 'equations': 'principal_axis_euler'}
    with pytest.raises(
        scenario.ScenarioError,
        match=r'x\.yaml: initial\.angular_velocity is .*'
        r"14142\.1 rad/s in all; equations 'principal_axis_euler' resolve 4096",
    ):
        scenario.build(given, 'x.yaml')
    base = scenario.build({}, 'x.yaml')
    with pytest.raises(scenario.ScenarioError, match='resolve 16384 rad/s'):
        scenario.changed(base, {'initial.angular_velocity': [1e4, 1e4, 1e4]}, 'x.yaml')


@pytest.mark.parametrize('name', equations.REGISTRY)
@pytest.mark.parametrize('size', [1e4, 1e200, math.nan, math.inf])
def test_impulse_that_nothing_can_follow_ends_every_equation_with_a_clear_error(name, size):
    """The 1e4 N m s of trials.md: a rate of 1.6e8 rad/s, which made NaN for ever."""
    impulse = np.array((0.0, 0.0, 0.0, size, 0.0, 0.0))
    plant = PLANT.with_equations(name)
    with pytest.raises(MotionError, match=rf"equations '{name}' end at t = 0 s: the .*check the"):
        simulation.next_instant(plant, spinning(plant, 1.0, 2), Inputs(impulse=impulse))


@pytest.mark.parametrize('name', sorted(set(equations.REGISTRY) - {'lagrange'}))
def test_wrench_that_overflows_ends_every_equation(name):
    plant = PLANT.with_equations(name)
    wrench = np.array((0, 0, 0, 1e300, 0, 0, 0, 0, 0, 0, 1e300, 0.0))
    with pytest.raises(MotionError, match='end at t = 0 s'):
        simulation.next_instant(plant, spinning(plant, 1.0), Inputs(wrench))


def test_half_a_turn_in_each_substep_is_where_warning_ends_and_error_begins():
    coarse = PLANT.with_substeps(4)  # 4 half turns in 1/32 s
    simulation.next_instant(coarse, spinning(coarse, 4 * 32 * math.pi * 0.999), Inputs())
    with pytest.raises(MotionError, match=r'more than half a turn in each of 4 sub-steps'):
        simulation.next_instant(coarse, spinning(coarse, 4 * 32 * math.pi * 1.001), Inputs())
    fast = spinning(PLANT, 2.0 * RESOLVED)
    assert simulation.under_resolved(PLANT, fast.state)
    simulation.next_instant(PLANT, fast, Inputs())


def test_slender_body_is_judged_by_its_rate_not_by_its_smallest_moment():
    """End over end at 90 rad/s its L / I_min is 9000 rad/s, beyond the 100 of one sub-step."""
    rod = plant_of(RigidBody(1.0, np.diag((0.01, 1.0, 1.0))), np.zeros(3), substeps=1)
    simulation.next_instant(rod, spinning(rod, 90.0, 1), Inputs())
    with pytest.raises(MotionError, match='turns at 110 rad/s'):
        simulation.next_instant(rod, spinning(rod, 110.0, 1), Inputs())


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        ({'position_W': np.array((0, 2e15, 0.0))}, 'coarser than 0.1 m'),
        ({'momentum_W': np.array((0, 0, 1.1e8))}, 'faster than light'),
        ({'momentum_W': np.array((0, 0, math.inf))}, 'the position is'),
        ({'q_WB': np.array((2.0, 0, 0, 0))}, 'no rotation'),
    ],
)  # fmt: skip
def test_every_part_of_the_state_has_its_end(change, text):
    from spacecraft_attitude_sim.core.body.state import to_flat

    limits.check_motion(PLANT, to_flat(REST))
    with pytest.raises(ArithmeticError, match='the ') as error:
        limits.check_motion(PLANT, to_flat(REST._replace(**change)))
    assert text in str(error.value) or 'momentum is' in str(error.value)


@pytest.mark.parametrize(
    ('part', 'said'),
    [
        ('position_W', r'position is \[nan, 0.0, 0.0\] m: '),
        ('q_WB', r'attitude is \[nan, 0.0, 0.0, 0.0\]: '),
        ('momentum_W', r'the momentum is \[nan, 0.0, 0.0\] N s: '),
        ('angular_momentum_W', r'angular momentum is \[nan, 0.0, 0.0\] N m s: '),
        ('internal', r'momentum stored inside is \[nan\] N m s: '),
    ],
)
def test_what_is_not_finite_is_told_in_its_unit(part, said):
    values = np.zeros(1 if part == 'internal' else len(getattr(REST, part)))
    values[0] = math.nan
    with pytest.raises(ArithmeticError, match=said):
        limits._judge(PLANT, REST._replace(**{part: values}))


def test_reading_that_is_not_finite_ends_the_motion_though_the_state_is():
    """A specific force f / m with m = 1e-12 kg, of a force no command could make."""
    speck = RigidBody(1e-12, np.diag(MOMENTS))
    state = speck.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.zeros(3))
    wrench = loads.wrench_in_world((1e300, 0, 0), (0, 0, 0))
    instant = simulation.Instant(3, state, drive=Drive(wrench))
    with pytest.raises(
        MotionError, match=r'sensors end at t = 0\.09375 s: specific_force_S of imu'
    ):
        simulation.given_instant(plant_of(speck), instant, None)


@pytest.mark.parametrize('substeps', [0, 4])
def test_body_of_a_batch_that_cannot_be_followed_is_marked_and_the_others_keep_their_bits(
    substeps,
):
    rates = np.linspace(1.0, 50.0, 20)
    states = [spinning(PLANT, rate, 1).state for rate in rates]
    alone = Batch([RACKET] * 20, states, substeps=substeps)
    batch = Batch([RACKET] * 20, states, substeps=substeps, watched=True)
    impulses = np.zeros((20, 6))
    impulses[7, 4], impulses[13, 4] = 1e4, math.nan
    alone.advance(3), batch.advance(3)
    batch.strike(impulses)
    assert not alone.lost.any()
    alone.advance(40), batch.advance(40)
    assert np.flatnonzero(batch.lost).tolist() == [7, 13]
    assert np.isnan(batch.states[batch.lost]).all()
    np.testing.assert_array_equal(batch.states[~batch.lost], alone.states[~batch.lost])


def test_batch_marks_what_next_instant_ends():
    """Just below and just above half a turn in a sub-step, spinning about the largest moment."""
    plant = PLANT.with_substeps(2)
    rates = 2 * 32 * math.pi * np.array((1.0 - 1e-9, 1.0 + 1e-9))
    batch = Batch([RACKET] * 2, [spinning(plant, rate, 2).state for rate in rates], substeps=2)
    batch.advance()
    assert batch.lost.tolist() == [False, True]
    simulation.next_instant(plant, spinning(plant, rates[0], 2), Inputs())
    with pytest.raises(MotionError):
        simulation.next_instant(plant, spinning(plant, rates[1], 2), Inputs())
