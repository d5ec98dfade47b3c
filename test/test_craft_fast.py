# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft of which a motor holds a wheel at its largest speed fly with the bits of each alone."""

import numpy as np
import pytest
from compile_kernels import SHARED
from test_craft_borne import table
from test_craft_delayed import delays
from test_craft_held import modes, seized
from test_craft_lanes import LANES, ORBITS, WHEELS, alone, batch_of, changed_in_flight, craft, same
from test_craft_magnets import EDDY, irons
from test_craft_pushed import choose, jets, none_alone, share_loop, unbalanced
from test_craft_seen import ERRORS, fly_the_same, law_of

from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import FASTEST


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    """Let craft fly by a loop that others fly by, too."""
    share_loop(monkeypatch)


def saturated(rng, names=WHEELS, **more):
    """Return parameters of wheels of which most are near their largest speeds."""
    given = {}
    for name in names:
        way, sort = rng.choice((-1.0, 1.0)), rng.integers(0, 4)
        values = {
            'max_speed': 100.0, 'initial_speed': way * (99.9, 99.9, 20.0, 0.0)[sort],
            'torque': way * (1e-4, 2e-4, 1e-5, 0.0)[sort], 'torque_lag': rng.choice((0.0, 0.05)),
            'friction.coulomb': rng.choice((0.0, 1e-5)), 'friction.viscous': 2e-8,
            'friction.static': 1e-5 if sort < 3 else 1e-3,
            'max_power': rng.choice((1.0, 0.015)),
        } | more  # fmt: skip
        given |= {f'wheel.{name}.{key}': value for key, value in values.items()}
    return given


def crafts_of(seed, count, orbit, **more):
    """Return Scenarios of random craft with such wheels."""
    rng = np.random.default_rng(seed)
    return [craft(rng, orbit, 3, saturated(rng) | more) for _ in range(count)]


@pytest.mark.parametrize('orbit', ORBITS)
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_wheels_at_their_largest_speeds_have_the_bits_of_each_alone(orbit, substeps):
    crafts = crafts_of(600 + substeps, LANES + 5, orbit, substeps=substeps)
    batch = batch_of(crafts, threads=1)
    for ticks in (1, 2, 17, 20):
        batch.advance(ticks)
    assert not batch.lost.any()
    same(batch, crafts, 40)
    assert 0.2 < (abs(modes(batch, crafts)) == FASTEST).mean() < 0.8


@pytest.mark.parametrize('substeps', [1, 2])
def test_craft_whose_motors_hold_wheels_do_not_fly_alone(substeps, monkeypatch):
    rng, crafts = np.random.default_rng(601), []
    for _ in range(LANES):
        fast = saturated(rng, initial_speed=99.99, torque=1e-4, torque_lag=0.0, max_power=1.0)
        crafts.append(craft(rng, 'earth', 3, fast | {'substeps': substeps}))
    batch = batch_of(crafts)
    batch.advance(10)
    assert (abs(modes(batch, crafts)) == FASTEST).all()
    none_alone(monkeypatch)
    batch.advance(30)
    assert not batch.lost.any()
    same(batch, crafts, 40)


def test_a_wheel_that_its_motor_lets_go_does_so_in_the_tick_in_which_it_does_alone():
    rng = np.random.default_rng(602)
    crafts = [
        craft(rng, 'circle', 3, saturated(rng, initial_speed=99.99, torque=1e-4, torque_lag=0.2))
        for _ in range(LANES)
    ]  # fmt: skip
    torques = np.where(np.arange(30)[:, np.newaxis] < 12, 1e-4, [[1e-5, 0.0, -1e-4]])
    batch = batch_of(crafts, law=lambda readings: {'wheel_torque': torques[readings.tick]})
    some = 0
    for k in range(1, 31):
        batch.advance(1)
        some += 0.0 < (abs(modes(batch, crafts)) == FASTEST).mean() < 1.0
        if k % 6 == 0:
            flat = np.hstack((batch.states, batch.internal))
            for n, one in enumerate(crafts):
                given = [one.inputs._replace(wheel_torque=row) for row in torques]
                assert flat[n].tobytes() == alone(one, k, given.__getitem__).tobytes(), (k, n)
    assert some > 3


@pytest.mark.parametrize('substeps', [0, 2])
@pytest.mark.parametrize('kind', ['wheel_torque', 'wheel_speed'])
def test_sensors_merits_and_a_law_are_those_of_craft_alone(substeps, kind):
    servo = {f'wheel.{name}.speed_bandwidth': 2.0 for name in WHEELS}
    crafts = crafts_of(603, LANES + 3, 'earth', substeps=substeps, **servo, **ERRORS)
    fly_the_same(crafts, law_of(kind, len(crafts)))


def test_a_torque_on_the_body_and_another_limit_in_flight_have_the_same_bits():
    crafts, others = (crafts_of(seed, LANES, 'earth') for seed in (604, 605))
    batch, other = changed_in_flight(crafts, others[1].plant)
    wrenches = np.random.default_rng(1).normal(size=(LANES, 12)) * 5e-2
    for one in (batch, other):
        one.hold(wrenches)
        one.advance(15)
    np.testing.assert_array_equal(batch.states, other.states)
    np.testing.assert_array_equal(batch.internal, other.internal)


@pytest.mark.parametrize('substeps', [0, 2])
@pytest.mark.parametrize('wheels', [saturated, seized])
def test_held_wheels_beside_all_that_their_loop_has_have_the_bits_of_each_alone(substeps, wheels):
    rng = np.random.default_rng(606)
    rods = irons(rng, 2) | EDDY
    crafts = [
        craft(rng, 'no orbit', 3, jets(rng) | unbalanced(rng) | wheels(rng) | delays(rng)
              | table(rng) | rods | {'substeps': substeps})
        for _ in range(LANES + 2)
    ]  # fmt: skip
    batch = batch_of(crafts)
    batch.advance(40)
    same(batch, crafts, 40)
    assert choose(batch._actuated, True) is craft_lanes.loop_with(SHARED)
