# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with control moment gyros fly side by side with the bits that each has alone."""

import numpy as np
import pytest
from test_craft_borne import table
from test_craft_lanes import (
    LANES,
    ORBITS,
    WHEELS,
    alone,
    batch_of,
    changed_in_flight,
    craft,
    same,
    unit,
)
from test_craft_pushed import (
    PROMPT,
    choose,
    flown_alone,
    flown_beside,
    jets,
    none_alone,
    unbalanced,
)
from test_craft_seen import ERRORS, fly_the_same, law_of

from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.parts.control_moment_gyros.kernel import GIMBAL_STATE

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
GYROS = list('uvw')


def gyros(rng, **more):
    """Return parameters of random gyros; more: parameters of all of them."""
    given = {'gimbals': GYROS}
    for name in GYROS:
        axis = unit(rng, 3)
        values = {
            'axis': axis, 'spin_axis': np.cross(axis, unit(rng, 3)), 'rotor_inertia': 1e-4,
            'rotor_speed': rng.choice((-1.0, 1.0)) * rng.uniform(50.0, 600.0),
            'free_rotor': bool(rng.integers(0, 2)), 'inertias': rng.uniform(1e-5, 9e-5, 3),
            'max_rate': rng.choice((0.0, 0.5)), 'max_acceleration': rng.choice((0.0, 0.7, 30.0)),
            'max_torque': 1e-3, 'angle': rng.choice((0.0, 3.1, -2.0)),
            'rate': rng.choice((0.0, 0.5, -0.2)),
        } | more  # fmt: skip
        values['spin_axis'] = values['spin_axis'] / np.linalg.norm(values['spin_axis'])
        given |= {f'gimbal.{name}.{key}': value for key, value in values.items()}
    return given


def crafts_of(seed, count, orbit, wheels=1, **more):
    """Return Scenarios of random craft with such gyros; some in no orbit are on a bearing."""
    rng = np.random.default_rng(seed)
    crafts = []
    for n in range(count):
        bearing = table(rng, n % 2) if orbit == 'no orbit' else {}
        crafts.append(craft(rng, orbit, wheels, gyros(rng) | bearing | more))
    return crafts


@pytest.mark.parametrize('orbit', ORBITS)
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_gyros_have_the_bits_of_each_alone(orbit, substeps):
    crafts = crafts_of(500 + substeps, LANES + 5, orbit, substeps=substeps)
    batch = batch_of(crafts, threads=1)
    assert batch._able
    for ticks in (1, 2, 17, 20):
        batch.advance(ticks)
    assert not batch.lost.any()
    same(batch, crafts, 40)
    at = crafts[0].plant.spacecraft.places['control_moment_gyros']
    angles = batch.internal[:, at.state : at.state + 3 * GIMBAL_STATE.size : GIMBAL_STATE.size]
    assert (angles < -2.5).any()  # those began at 3.1


@pytest.mark.parametrize('substeps', [1, 2])
@pytest.mark.parametrize('acceleration', [0.0, 9.0])
def test_gimbals_that_change_their_rates_let_no_craft_fly_alone(
    substeps, acceleration, monkeypatch
):
    none_alone(monkeypatch)
    rng = np.random.default_rng(501)
    quiet = {f'wheel.a.{key}': value for key, value in (
        ('initial_speed', 20.0), ('torque', 1e-6), ('max_speed', 600.0), ('max_power', 1.0),
    )}  # fmt: skip
    crafts = [
        craft(rng, 'earth', 1, quiet | {'substeps': substeps} | gyros(
            rng, max_acceleration=acceleration, angle=0.3, free_rotor=bool(n % 2),
        ))
        for n in range(LANES)
    ]  # fmt: skip
    rates = np.random.default_rng(1).uniform(-0.3, 0.3, (20, LANES, 3))
    batch = batch_of(crafts, law=lambda readings: {'gimbal_rate': rates[readings.tick]})
    batch.advance(20)
    assert not batch.lost.any()
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        given = [one.inputs._replace(gimbal_rate=row) for row in rates[:, n]]
        assert flat[n].tobytes() == alone(one, 20, given.__getitem__).tobytes(), n


@pytest.mark.parametrize('acceleration', [0.0, 9.0])
def test_gimbals_change_their_rates_in_ticks_that_some_craft_fly_alone(acceleration):
    """A wheel changes its direction, in each craft at another tick."""
    rng = np.random.default_rng(504)
    crafts = [
        craft(rng, 'earth', 1, {
            'substeps': 2, 'wheel.a.initial_speed': 0.1 + 0.4 * n, 'wheel.a.torque': -1e-4,
            'wheel.a.friction.coulomb': 1e-7, 'wheel.a.torque_lag': 0.0,
        } | gyros(rng, max_acceleration=acceleration, angle=0.3, free_rotor=bool(n % 2)))
        for n in range(LANES)
    ]  # fmt: skip
    rates = np.random.default_rng(2).uniform(-0.3, 0.3, (30, LANES, 3))
    batch = batch_of(crafts, law=lambda readings: {'gimbal_rate': rates[readings.tick]})
    begun = batch.internal[:, 0].copy()
    batch.advance(30)
    turned = (begun > 0.0) & (batch.internal[:, 0] < 0.0)
    assert 4 <= turned.sum() < LANES  # enough fly side by side in each tick
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        given = [one.inputs._replace(gimbal_rate=row) for row in rates[:, n]]
        assert flat[n].tobytes() == alone(one, 30, given.__getitem__).tobytes(), n


def test_gimbals_whose_torque_is_commanded_have_the_bits_of_each_alone():
    crafts = crafts_of(502, LANES, 'circle')
    rng = np.random.default_rng(3)
    rates, torques = rng.uniform(-0.4, 0.4, (24, 3)), rng.uniform(-1e-4, 1e-4, (24, 3))

    def commands(k):
        """Return the rates of gimbals at a tick, or in some their torques."""
        return {'gimbal_rate': rates[k]} if k % 8 < 5 else {'gimbal_torque': torques[k]}

    def law(readings):
        given = commands(readings.tick)
        return {word: np.tile(row, (LANES, 1)) for word, row in given.items()}

    batch = batch_of(crafts, law=law)
    batch.advance(24)
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        given = [one.inputs._replace(**commands(k)) for k in range(24)]
        assert flat[n].tobytes() == alone(one, 24, given.__getitem__).tobytes(), n


@pytest.mark.parametrize('orbit', ['no orbit', 'earth'])
@pytest.mark.parametrize('substeps', [0, 2])
def test_sensors_merits_and_a_law_are_those_of_craft_alone(orbit, substeps):
    crafts = crafts_of(503, LANES + 3, orbit, substeps=substeps, **ERRORS)
    fly_the_same(crafts, law_of('gimbal_rate', len(crafts)))


def test_other_gyros_in_flight_an_impulse_and_wheels_that_stop_have_the_same_bits():
    slow = {
        f'wheel.{name}.friction.{key}': 2e-3 for name in WHEELS for key in ('coulomb', 'static')
    }
    crafts, others = (crafts_of(seed, LANES, 'earth', 3, **slow) for seed in (504, 505))
    batch, other = changed_in_flight(crafts, others[1].plant)
    wrenches = np.zeros((LANES, 12))
    wrenches[2, 3] = 1e250
    for one in (batch, other):
        one.strike(np.full(6, 1e-4))
        one.advance(5)
        one.hold(wrenches)
        one.advance(5)
    assert batch.lost.nonzero()[0].tolist() == [2]
    np.testing.assert_array_equal(batch.states, other.states)
    np.testing.assert_array_equal(batch.internal, other.internal)


@pytest.mark.parametrize('orbit', ['no orbit', 'earth'])
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_gyros_beside_thrusters_and_unbalanced_wheels_have_the_bits_of_each_alone(orbit, substeps):
    rng = np.random.default_rng(508 + substeps)
    crafts = [
        craft(rng, orbit, 3, unbalanced(rng) | jets(rng) | gyros(rng) | PROMPT | {
            'substeps': substeps,
        })
        for _ in range(LANES + 3)
    ]  # fmt: skip
    batch = flown_beside(crafts, ('pushed', 'borne', 'tilted'))
    assert 0.0 < flown_alone(crafts, 3) < 0.8
    assert (batch.internal[:, crafts[0].plant.spacecraft.places['thrusters'].state] > 0.0).any()


def test_valves_that_switch_while_gimbals_accelerate_have_the_bits_of_each_alone():
    """Gimbals cut sub-steps into pieces; in most craft a valve opens or closes in one of these."""
    rng = np.random.default_rng(512)
    crafts = [
        craft(rng, 'earth', 1, jets(rng, period=0.25, rise_time=0.0, fall_time=0.0) | gyros(
            rng, max_acceleration=9.0, angle=0.3, free_rotor=bool(n % 2),
        ) | {'substeps': 2, 'wheel.a.initial_speed': 20.0, 'wheel.a.torque': 1e-6})
        for n in range(LANES)
    ]  # fmt: skip
    rates = np.random.default_rng(3).uniform(-0.3, 0.3, (30, LANES, 3))
    batch = batch_of(crafts, law=lambda readings: {'gimbal_rate': rates[readings.tick]})
    batch.advance(30)
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        given = [one.inputs._replace(gimbal_rate=row) for row in rates[:, n]]
        assert flat[n].tobytes() == alone(one, 30, given.__getitem__).tobytes(), n


def test_gyros_have_a_loop_of_their_own_and_not_beside_all_parts():
    for orbit in ('earth', 'no orbit'):  # without an orbit, some are on a bearing
        batch = batch_of(crafts_of(506, 4, orbit))
        assert choose(batch._actuated) is craft_lanes.loop_with(('borne', 'tilted'))
    late = {'wheel.a.dead_time': 0.1}
    assert not batch_of(crafts_of(507, 4, 'earth', **late))._able
