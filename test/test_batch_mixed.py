# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Batches of spacecraft that differ in a load or in the number of wheels, and what is refused."""

import numpy as np
import pytest
from plain import plain

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Law
from spacecraft_attitude_sim.core.batch.flight_log import FlightLog
from spacecraft_attitude_sim.core.batch.loop import SEEN_AROUND, law_function
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.recording.errors import CampaignError

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
TICKS = 4
BODY = {
    'body.mass': 12.0, 'body.inertia': [0.3, 0.35, 0.25],
    'initial.angular_velocity': [0.1, 0.02, -0.03],
}  # fmt: skip
ROD = plain(
    {'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0, 'magnetic_field': [1e-5, 2e-5, 0.0]}
)
SLUG = {'slugs': ['f'], 'slug.f.inertia': 0.02, 'slug.f.damping': 0.01}
WHEEL = plain(
    {
        'wheels': ['x'],
        'wheel.x.axis': [1.0, 0.0, 0.0],
        'wheel.x.inertia': 1e-3,
        'wheel.x.initial_speed': 10.0,
    }
)
PAIR = WHEEL | plain({
    'wheels': ['x', 'y'], 'wheel.y.axis': [0.0, 1.0, 0.0], 'wheel.y.inertia': 2e-3,
    'wheel.y.initial_speed': 20.0,
})  # fmt: skip
ORBIT = {'orbit.radius': 7e6}


def build(*given, **more):
    """Return the Scenario of parameters."""
    whole = dict(BODY)
    for parameters in given:
        whole |= parameters
    return scenario.build(whole | more, 'mixed')


def alone(craft, controller=None):
    """Return the flat state (13,) of a Scenario after TICKS."""
    flown = sas.Simulation(craft, controller)
    flown.advance(TICKS * craft.plant.ticks.step)
    return to_flat(flown.instant.state)[:SIZE]


def test_spacecraft_that_differ_in_a_load_fly_together():
    pairs = [
        (build(ROD, residual_dipole=[1.0, 0.5, 0.0]), build(ROD)),
        (build(ROD, ORBIT), build(ROD, ORBIT, gravity_gradient=False)),
        (build(ROD, WHEEL, {'bearing.enabled': True}), build(ROD, WHEEL)),
        (
            build(ROD, residual_dipole=[1.0, 0.5, 0.0]),
            build(ROD, residual_dipole=[1.0, 0.5, 0.0], magnetic_field=[0.0, 0.0, 3e-5]),
        ),
    ]
    # The last has fewer loads than the first, and flies between two that have more.
    for more, fewer in pairs:
        crafts = [more, fewer, more]
        batch = sas.Batch(crafts, law=lambda readings: None, sensors=False)
        batch.advance(TICKS)
        for state, craft in zip(batch.states, crafts, strict=True):
            np.testing.assert_array_equal(state, alone(craft))
    more, fewer = pairs[0]
    assert not np.array_equal(alone(more), alone(fewer))
    FlightLog([more.plant, fewer.plant], TICKS)  # takes the same constants


@law_function
def note_position(tick, flat_state, body, constants, memory, wrench):
    """Remember the position of the orbit that a law is shown."""
    memory[0] = flat_state[SEEN_AROUND]


def test_a_law_is_shown_the_orbit_of_its_own_spacecraft():
    earth = {
        'orbit.model': 'kepler',
        'orbit.semi_major_axis': 7e6,
        'epoch': '2026-03-20T12:00:00Z',
    }
    crafts = [build(ROD, earth), build(ROD), build(ROD, earth)]
    law = Law(note_position, np.zeros((3, 1)), np.zeros((3, 1)))
    batch = sas.Batch(crafts, law=law, sensors=False, threads=1)
    batch.advance(2)
    first, none, last = batch.memory[:, 0]
    assert first == last != 0.0
    assert none == 0.0


def test_other_numbers_of_parts_are_refused_by_name():
    one, other = build(ROD), build(ROD, PAIR)
    with pytest.raises(ValueError, match='reaction wheels of scenario 1 are 2, of scenario 0 0;'):
        rows_of([one.plant, other.plant], [one.initial, other.initial], [one.inputs] * 2)
    slow = build(PAIR, {'wheel.x.dead_time': 1.0, 'wheel.x.max_speed': 300.0})
    quick = build(PAIR, {'wheel.x.max_speed': 300.0})
    with pytest.raises(
        ValueError, match='in the dead_time of scenario 1 are 3., of scenario 0 0; g'
    ):
        rows_of([quick.plant, slow.plant], [quick.initial, slow.initial], [one.inputs] * 2)


def test_bodies_with_other_numbers_of_ideal_wheels_obey_laws_and_controllers():
    crafts = [build(WHEEL), build(PAIR), build(ORBIT, PAIR), build(ORBIT)]

    def damp(readings):
        return -0.1 * readings.angular_velocity

    def brake(readings):  # by the wheels that there are
        count = len(readings.wheel_speed)
        return {'wheel_torque': 1e-2 * readings.angular_velocity[:count]} if count else None

    shown = []
    law = sas.Batch(crafts, law=lambda r: shown.append(r.wheel_speed) or damp(r), sensors=False)
    law.advance(TICKS)
    each = {damp: sas.Batch(crafts, controller=damp), brake: sas.Batch(crafts, controller=brake)}
    for controller, batch in each.items():
        batch.advance(TICKS)
        for state, craft in zip(batch.states, crafts, strict=True):
            np.testing.assert_array_equal(state, alone(craft, controller))
    np.testing.assert_array_equal(law.states, each[damp].states)
    # The initial speeds, and nan where there is no wheel.
    expected = [[10.0, np.nan], [10.0, 20.0], [10.0, 20.0], [np.nan, np.nan]]
    np.testing.assert_allclose(shown[0], expected, rtol=1e-12)


def test_a_law_is_told_the_rate_after_an_impulse():
    crafts = [build(SLUG), build(SLUG)]
    shown = []
    batch = sas.Batch(crafts, law=lambda r: shown.append(r.angular_velocity), sensors=False)
    batch.advance()
    before = batch.states[:, 10:]
    impulse = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.3])
    batch.strike(np.array([impulse, 0.0 * impulse]))
    kicked = batch.states[:, 10:] - before
    batch.advance(2)
    np.testing.assert_allclose(kicked, [impulse[3:], np.zeros(3)], atol=1e-15)
    # What is loose inside is not struck: the body without it takes the whole impulse.
    rates = shown[1] - shown[0]
    lone = 0.3 / (0.25 - 0.02)
    # In a tick before, rates change by less than a thousandth of that.
    assert rates[0, 2] == pytest.approx(lone, rel=0.01)
    assert abs(rates[1, 2]) < 0.01 * lone
    assert abs(shown[2][0, 2] - shown[1][0, 2]) < 0.1 * lone


def test_sensors_of_a_share_of_gyrostats_are_those_of_their_bodies():
    rates = np.random.default_rng(3).normal(size=(40, 3)) * 0.02
    imu = {'imu.position': [0.1, 0.2, 0.3]}
    crafts = [
        build(WHEEL, ORBIT, imu, {'initial.angular_velocity': rate.tolist()}) for rate in rates
    ]
    both = [sas.Batch(crafts, threads=threads) for threads in (1, 4)]
    for batch in both:
        batch.advance(200)
    for one_thread, four in zip(*(batch.readings for batch in both), strict=True):
        np.testing.assert_array_equal(one_thread, four)


def nothing(time, attitude, angular_velocity, memory, parameters):
    return 0.0, 0.0, 0.0


def fails_late(time, attitude, angular_velocity, memory, parameters, readings):
    memory[0] += parameters[0]
    return parameters[0] if memory[0] < 2.5 else np.nan, readings[0], 0.0


def test_a_compiled_law_in_two_batches_keeps_the_sizes_of_each():
    law = sas.CompiledLaw(fails_late, [1.0], [0.0], sees='wheel_speed')
    small = sas.Batch([build(WHEEL)], law=law, sensors=False)
    large = sas.Batch([build(PAIR)], law=law, sensors=False)
    for batch in (small, large):
        batch.advance(2)
        np.testing.assert_array_equal(batch.memory, [[2.0]])
    for batch in (small, large):
        with pytest.raises(ValueError, match='the law of body 0 returns .*give three finite'):
            batch.advance(2)


def test_what_would_be_ignored_is_refused_with_the_remedy():
    craft = build()
    body, state = craft.plant.body, craft.initial
    blind = sas.CompiledLaw(fails_late, [1.0], [0.0], sees='gimbal_angle')
    sensors = object()
    for make, said in (
        (lambda: sas.Batch([body], [state], controller=len), 'no Scenarios; give a law, or Scena'),
        (lambda: sas.Batch([craft], controller=len, law=len), 'controller beside law; give one'),
        (lambda: sas.Batch([craft], sensors=sensors), 'sensors beside Scenarios.* sensors=False'),
        (lambda: sas.Batch([craft], law=blind), 'sees gimbal_angle: no gimbal_angle; the bodies'),
        (
            lambda: sas.Batch([build(WHEEL)], law=blind, sensors=False),
            'no gimbal_angle; the bodies have no control moment gyros',
        ),
    ):
        with pytest.raises(ValueError, match=said) as caught:
            make()
        assert '\n' not in str(caught.value)


class Acting:
    """A law that has a state of this name, and is no Commander."""

    acting = True

    def __call__(self, readings):
        """Answer."""
        return -readings.angular_velocity


def test_a_law_may_have_any_attribute():
    batch = sas.Batch([build()], law=Acting(), sensors=False)
    batch.advance()
    np.testing.assert_allclose(batch.wrenches[0, 3:6], [-0.1, -0.02, 0.03], rtol=1e-12)


def test_runs_of_a_campaign_that_a_batch_cannot_hold_are_refused_in_a_line():
    crafts = [build(SLUG), build()]
    instants = [craft.first_instant() for craft in crafts]
    asked = flights.Asked(1.0, 0.1, 0.1, 0.0)
    with pytest.raises(
        CampaignError, match=r'motion of scenario 1 is a free body, of .* parts .*cannot draw it'
    ):
        flights.fly(crafts, instants, asked, None)
