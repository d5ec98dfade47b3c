# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with thrusters and unbalanced wheels fly side by side with the bits of each alone."""

import numpy as np
import pytest
from compile_kernels import SHARED
from test_craft_inside import batch_of as inside_batch_of
from test_craft_inside import moving
from test_craft_lanes import (
    LANES,
    ORBITS,
    RODS,
    WHEELS,
    alone,
    batch_of,
    changed_in_flight,
    craft,
    lose,
    same,
    unit,
)
from test_craft_lanes import crafts_of as balanced
from test_craft_magnets import EDDY, irons
from test_craft_seen import ERRORS, check_same, fly_the_same, law_of

from spacecraft_attitude_sim.core.batch import craft_lanes, craft_rows
from spacecraft_attitude_sim.core.batch.craft_alone import ADVANCE
from spacecraft_attitude_sim.core.parts.thrusters.kernel import PULSES, STATES
from spacecraft_attitude_sim.kernels.kernel import Handle

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
JETS = list('pqr')
choose = craft_lanes.loop_for
# With lags a craft whose sub-steps are chosen flies nearly all ticks alone.
PROMPT = {f'wheel.{name}.torque_lag': 0.0 for name in WHEELS}
PROMPT |= {f'magnetorquer.{name}.lag': 0.0 for name in RODS}
PROMPT |= {f'thruster.{name}.{key}': 0.0 for name in JETS for key in ('rise_time', 'fall_time')}


def jets(rng, **more):
    """Return parameters of random thrusters: pulsed ones, with a trigger or not, and others.

    more: parameters of all of them
    """
    given = {'thrusters': JETS}
    for name in JETS:
        values = {
            'position': rng.normal(size=3) * 0.1, 'direction': unit(rng, 3), 'max_force': 0.02,
            'period': rng.choice((0.0, 0.25, 1.0)), 'min_on_time': 0.02, 'specific_impulse': 60.0,
            'force': rng.uniform(0.0, 0.02), 'carry': bool(rng.integers(0, 2)),
            'scatter': rng.choice((0.0, 0.1)), 'rise_time': rng.choice((0.0, 0.1)),
            'fall_time': rng.choice((0.0, 0.05)), 'close_delay': rng.choice((0.0, 0.01)),
        } | more  # fmt: skip
        given |= {f'thruster.{name}.{key}': value for key, value in values.items()}
    return given


def unbalanced(rng):
    """Return parameters of wheels of which some are unbalanced, and few are held at first."""
    given = {}
    for name in WHEELS:
        values = {
            'imbalance.static': rng.choice((0.0, 1e-6)), 'imbalance.phase': rng.uniform(0.0, 6.0),
            'imbalance.dynamic': rng.choice((0.0, 1e-8)), 'position': rng.normal(size=3) * 0.05,
            'initial_speed': rng.choice((0.0, 5.0, 200.0), p=(0.04, 0.48, 0.48)),
            'max_speed': 600.0, 'max_power': 1.0,
            'friction.coulomb': 1e-5, 'friction.static': rng.choice((1e-5, 1e-3)),
        }  # fmt: skip
        given |= {f'wheel.{name}.{key}': value for key, value in values.items()}
    return given


def crafts_of(seed, count, orbit, wheels=3, jetting=True, **more):
    """Return Scenarios of random craft with such wheels and thrusters."""
    rng = np.random.default_rng(seed)
    if more.get('substeps') == 0:
        kinds = ['magnetorquer'] + ['wheel'] * (wheels > 0) + ['thruster'] * jetting
        more = {k: v for k, v in PROMPT.items() if k.split('.')[0] in kinds} | more
    return [
        craft(
            rng, orbit, wheels,
            (unbalanced(rng) if wheels else {}) | (jets(rng) if jetting else {}) | more,
        ) for _ in range(count)
    ]  # fmt: skip


def none_alone(monkeypatch):
    """Let craft that fly a tick alone be lost."""
    monkeypatch.setattr(craft_lanes, 'alone', lambda _: Handle(ADVANCE, lose))


def share_loop(monkeypatch):
    """Let all craft fly by a loop that has more than they need."""
    monkeypatch.setattr(craft_lanes, 'loop_for', lambda *_: craft_lanes.loop_with(SHARED))


def flown_alone(crafts, ticks):
    """Return the part of craft that flies any of so many ticks alone."""
    with pytest.MonkeyPatch.context() as patched:
        none_alone(patched)
        batch = batch_of(crafts, threads=1)
        batch.advance(ticks)
    return batch.lost.mean()


def flown_beside(crafts, names, flown=False):
    """Return a batch after 60 ticks, in which each craft has the bits that it has alone.

    names: of the loop that it should choose;  flown: as in loop_for
    """
    batch = batch_of(crafts, threads=1)
    assert batch._able
    assert craft_lanes.loop_for(batch._actuated, flown) is craft_lanes.loop_with(names)
    for ticks in (1, 2, 17, 40):
        batch.advance(ticks)
    assert not batch.lost.any()
    same(batch, crafts, 60)
    return batch


@pytest.mark.parametrize('orbit', ORBITS)
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_thrusters_and_unbalanced_wheels_have_the_bits_of_each_alone(orbit, substeps):
    crafts = crafts_of(100 + substeps, LANES + 5, orbit, substeps=substeps)
    batch = flown_beside(crafts, ('pushed',))
    assert 0.0 < flown_alone(crafts, 3) < 0.6
    at = crafts[0].plant.spacecraft.places['thrusters']
    assert (batch.internal[:, at.state + PULSES : at.state + 3 * STATES : STATES] > 2.0).any()


@pytest.mark.parametrize(('wheels', 'jetting'), [(3, False), (0, True)])
def test_either_alone_has_the_same_bits(wheels, jetting):
    crafts = crafts_of(104, LANES + 1, 'circle', wheels, jetting)
    batch = batch_of(crafts)
    assert batch._able
    batch.advance(40)
    same(batch, crafts, 40)


@pytest.mark.parametrize('substeps', [0, 2])
def test_sensors_read_and_a_law_commands_as_they_do_alone(substeps):
    crafts = crafts_of(105, LANES + 3, 'earth', substeps=substeps, **ERRORS)
    fly_the_same(crafts, law_of('wheel_torque', len(crafts)))


def test_a_craft_flies_alone_only_in_ticks_in_which_a_valve_closes(monkeypatch):
    # Valves of a quarter of the force are open for 0.25 s of 1 s, in which 1/32 s of a tick is a
    # whole number; those of 0.26 of it close within tick 8.
    none_alone(monkeypatch)
    rng = np.random.default_rng(106)
    steady = {'period': 1.0, 'min_on_time': 0.0, 'rise_time': 0.0, 'fall_time': 0.0,
              'close_delay': 0.0}  # fmt: skip
    for force, lost in ((0.005, False), (0.0052, True)):
        crafts = [craft(rng, 'earth', 0, jets(rng, **steady, force=force)) for _ in range(4)]
        batch = batch_of(crafts)
        batch.advance(8)
        assert not batch.lost.any()
        batch.advance(30)
        assert batch.lost.all() == batch.lost.any() == lost


@pytest.mark.parametrize('name', ['wheel.c.imbalance.static', 'wheel.c.imbalance.dynamic'])
def test_one_unbalanced_wheel_of_one_craft_is_enough_for_the_loop_that_has_it(name):
    even, uneven = (balanced(112, 4, 'earth', **more) for more in ({}, {name: 1e-8}))
    loops = [
        craft_lanes.loop_for(batch_of(crafts)._actuated)
        for crafts in (even, even[:3] + uneven[3:])
    ]
    assert loops == [craft_lanes.run_beside, craft_lanes.loop_with(('pushed',))]


def test_a_wheel_that_begins_to_shake_in_flight_has_the_same_bits():
    crafts = crafts_of(107, LANES, 'earth', jetting=False)
    rough = crafts_of(108, LANES, 'earth', jetting=False)
    batch, other = changed_in_flight(crafts, rough[1].plant)
    assert batch.states.tobytes() == other.states.tobytes()
    assert batch.internal.tobytes() == other.internal.tobytes()


# A mixture has its own loop, which takes a compiler two minutes: this one has all that a loop can
# have, and runs in Python, which has the same bits.
@pytest.mark.parametrize('substeps', [0, 2])
def test_thrusters_beside_all_else_have_the_bits_of_each_alone(substeps, monkeypatch):
    loop = craft_lanes.loop_with(('magnets', 'within', 'pushed'))
    take, beside = craft_lanes.take_tick, []

    def noted(*arguments):
        count, moving = take(*arguments)
        beside.append(count)
        return count, moving

    monkeypatch.setattr(loop, '_run', loop.function)
    monkeypatch.setattr(craft_lanes, 'take_tick', noted)
    monkeypatch.setattr(craft_rows, 'pointer_to', np.ravel)  # to go on in the next row
    rng = np.random.default_rng(109)
    more = jets(rng) | unbalanced(rng)
    for name, speed in zip(WHEELS, (5.0, 200.0, -150.0), strict=True):  # none is held
        more |= {f'wheel.{name}.initial_speed': speed, f'wheel.{name}.friction.static': 1e-5}
    rods = irons(rng, 2) | EDDY
    crafts = moving(109, LANES, 'earth', substeps=substeps, **more, **rods, **ERRORS)
    batch, other = (inside_batch_of(crafts, beside=one, threads=1) for one in (True, False))
    assert craft_lanes.loop_for(batch._actuated) is loop
    for one in (batch, other):
        one.advance(1)
        one.advance(4)
    assert min(beside[:4]) >= 4 and beside[4] == 0  # in the last tick a valve closes
    check_same(batch, other)
    without_rods = moving(109, LANES, 'earth', substeps=substeps, **more, **ERRORS)
    bare = np.array([alone(one, 5)[:13] for one in without_rods])
    assert (batch.states != bare).any(axis=1).all()
