# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft of which friction holds wheels fly side by side with the bits that each has alone."""

import numpy as np
import pytest
from test_craft_lanes import (
    LANES,
    ORBITS,
    WHEELS,
    alone,
    batch_of,
    changed_in_flight,
    craft,
    same,
)
from test_craft_pushed import flown_beside, none_alone
from test_craft_seen import ERRORS, fly_the_same, law_of

from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.batch.craft_held import hold_wheels, seized_in
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    BACKWARD,
    FASTEST,
    FASTEST_BACK,
    LOCKED,
    MODE_STATE,
    STATES,
    STUCK,
)

USUAL = {'max_speed': 600.0, 'max_power': 1.0}


def seized(rng, names=WHEELS, **more):
    """Return parameters of wheels of which some are seized, some at rest and some turn."""
    given = {}
    for name in names:
        sort = rng.integers(0, 4)
        values = USUAL | {
            'friction.coulomb': (2e-3, 2e-5, 1e-5, 0.0)[sort],
            'friction.static': (2e-3, 1e-4, 1e-5, 0.0)[sort],
            'initial_speed': (0.0, 0.0, 20.0, -5.0)[sort],
            'torque': (1e-4, rng.choice((0.0, 3e-5)), 1e-4, 1e-4)[sort],
        } | more  # fmt: skip
        given |= {f'wheel.{name}.{key}': value for key, value in values.items()}
    return given


def crafts_of(seed, count, orbit, **more):
    """Return Scenarios of random craft with such wheels."""
    rng = np.random.default_rng(seed)
    return [craft(rng, orbit, 3, seized(rng) | more) for _ in range(count)]


def modes(batch, crafts):
    """Return the modes (N, 3) of the wheels."""
    at = crafts[0].plant.spacecraft.places['reaction_wheels']
    return batch.internal[:, at.state + MODE_STATE : at.state + 3 * STATES : STATES]


@pytest.mark.parametrize('orbit', ORBITS)
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_held_wheels_have_the_bits_of_each_alone(orbit, substeps):
    crafts = crafts_of(200 + substeps, LANES + 5, orbit, substeps=substeps)
    batch = flown_beside(crafts, ('held',), True)
    held = modes(batch, crafts) == STUCK
    assert 0.2 < held.mean() < 0.8


@pytest.mark.parametrize('substeps', [1, 2])
def test_craft_with_a_seized_wheel_do_not_fly_alone(substeps, monkeypatch):
    none_alone(monkeypatch)
    rng, crafts = np.random.default_rng(201), []
    for _ in range(LANES):
        turning = seized(rng, 'bc', **{
            'friction.coulomb': 0.0, 'friction.static': 0.0, 'initial_speed': 20.0, 'torque': 1e-5,
        })  # fmt: skip
        stuck = seized(rng, 'a', **{
            'friction.coulomb': 2e-3, 'friction.static': 2e-3, 'initial_speed': 0.0,
        })  # fmt: skip
        crafts.append(craft(rng, 'earth', 3, turning | stuck | {'substeps': substeps}))
    batch = batch_of(crafts)
    batch.advance(50)
    assert not batch.lost.any()
    same(batch, crafts, 50)


def test_a_wheel_that_its_motor_frees_does_so_in_the_tick_in_which_it_does_alone():
    rng, crafts, torque = np.random.default_rng(202), [], np.full(3, 2e-4)
    for _ in range(LANES):
        values = {'friction.coulomb': 1e-4, 'friction.static': 1.5e-4, 'initial_speed': 0.0,
                  'torque': 0.0}  # fmt: skip
        lags = {f'wheel.{name}.torque_lag': rng.uniform(0.05, 0.5) for name in WHEELS}
        crafts.append(craft(rng, 'circle', 3, seized(rng, **values) | lags))
    batch = batch_of(crafts, law=lambda _: {'wheel_torque': np.tile(torque, (LANES, 1))})
    some = 0
    for k in range(1, 31):
        batch.advance(1)
        some += 0.0 < (modes(batch, crafts) != STUCK).mean() < 1.0
        if k % 6 == 0:
            flat = np.hstack((batch.states, batch.internal))
            for n, one in enumerate(crafts):
                full = one.inputs._replace(wheel_torque=torque)
                by_itself = alone(one, k, lambda _, full=full: full)
                assert flat[n].tobytes() == by_itself.tobytes(), (k, n)
    assert some > 3


def at_rest(seed, **more):
    """Return Scenarios of random craft of which weak friction holds all wheels at first."""
    rng = np.random.default_rng(seed)
    values = {'friction.coulomb': 1e-7, 'friction.static': 2e-7, 'initial_speed': 0.0,
              'torque': 0.0, 'torque_lag': 0.0, 'speed_bandwidth': 2.0}  # fmt: skip
    return [craft(rng, 'no orbit', 3, seized(rng, **values) | more) for _ in range(LANES)]


def test_a_torque_on_the_body_frees_wheels_as_alone():
    # A wheel takes part in a turn up to J dω/dt = 2e-7 N m: 5e-4 N m on the body.
    crafts = at_rest(203)
    wrenches = np.zeros((LANES, 12))
    wrenches[:, 3:6] = np.random.default_rng(1).normal(size=(LANES, 3)) * 7e-4
    batch = batch_of(crafts)
    batch.advance(1)
    batch.advance(4)
    assert (modes(batch, crafts) == STUCK).mean() > 0.9
    batch.hold(wrenches)
    batch.advance(5)
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        pushed = one.inputs._replace(wrench=wrenches[n])
        given = [one.inputs] * 5 + [pushed] * 5
        assert flat[n].tobytes() == alone(one, 10, given.__getitem__).tobytes(), n
    assert 0.1 < (modes(batch, crafts) == STUCK).mean() < 0.9


def test_the_servo_of_a_held_wheel_asks_for_no_torque_where_no_speed_is_asked():
    crafts = at_rest(207)
    none = np.zeros(3)
    batch = batch_of(crafts, law=lambda _: {'wheel_speed': np.zeros((LANES, 3))})
    for _ in range(20):
        batch.advance(1)
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        still = one.inputs._replace(wheel_torque=np.zeros(0), wheel_speed=none)
        assert flat[n].tobytes() == alone(one, 20, lambda _, still=still: still).tobytes(), n


@pytest.mark.parametrize('substeps', [0, 2])
@pytest.mark.parametrize('kind', ['wheel_torque', 'wheel_speed'])
def test_sensors_read_and_a_law_commands_as_they_do_alone(substeps, kind):
    servo = {f'wheel.{name}.speed_bandwidth': 2.0 for name in WHEELS}
    more = servo | {f'wheel.{name}.tachometer.bias': 0.01 for name in WHEELS}
    crafts = crafts_of(204, LANES + 3, 'earth', substeps=substeps, **more, **ERRORS)
    fly_the_same(crafts, law_of(kind, len(crafts)))


def test_a_wheel_that_seizes_in_flight_and_an_impulse_have_the_same_bits():
    crafts = [craft(np.random.default_rng(n), 'earth', 3, {}) for n in range(LANES)]
    stuck = {f'wheel.b.friction.{key}': 2e-3 for key in ('coulomb', 'static')}
    rough = [craft(np.random.default_rng(n), 'earth', 3, stuck) for n in range(LANES)]
    batch, other = changed_in_flight(crafts, rough[1].plant)
    for one in (batch, other):
        one.strike(np.full(6, 1e-4))
        one.advance(15)
    assert modes(batch, crafts)[1, 1] == STUCK
    assert batch.states.tobytes() == other.states.tobytes()
    assert batch.internal.tobytes() == other.internal.tobytes()
    assert craft_lanes.loop_for(batch._actuated, True) is craft_lanes.loop_with(('held',))


def test_few_held_wheels_do_not_choose_the_loop_that_has_them():
    rng = np.random.default_rng(206)
    quiet = {f'wheel.{name}.friction.coulomb': 0.0 for name in WHEELS}
    crafts = [craft(rng, 'earth', 3, quiet) for _ in range(2 * LANES + 1)]
    rows = batch_of(crafts)._actuated
    stuck = batch_of([craft(rng, 'earth', 3, seized(rng, **{
        'friction.coulomb': 2e-3, 'friction.static': 2e-3, 'initial_speed': 0.0,
    })) for _ in range(3)])._actuated  # fmt: skip
    for count, enough in ((0, False), (1, False), (2, False), (3, True)):
        parts, internal = rows.parts.copy(), rows.internal.copy()
        parts[:count], internal[:count] = stuck.parts[:count], stuck.internal[:count]
        assert hold_wheels(parts, internal, seized_in(parts)) == enough


@pytest.mark.parametrize(('mode', 'held'), [
    (STUCK, True), (FASTEST, True), (FASTEST_BACK, True), (BACKWARD, False), (LOCKED, False),
])  # fmt: skip
def test_modes_tell_whether_wheels_of_craft_that_have_flown_are_held(mode, held):
    crafts = [craft(np.random.default_rng(207), 'earth', 3, {})] * 4
    rows = batch_of(crafts)._actuated
    at = crafts[0].plant.spacecraft.places['reaction_wheels']
    rows.internal[:, at.state + MODE_STATE : at.state + 3 * STATES : STATES] = 1.0
    assert not hold_wheels(rows.parts, rows.internal, None)
    rows.internal[2, at.state + STATES + MODE_STATE] = mode
    assert hold_wheels(rows.parts, rows.internal, None) == held
