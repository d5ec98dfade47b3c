# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with hysteresis rods and eddy currents fly side by side with the bits of each alone."""

import numpy as np
import pytest
from test_craft_lanes import (
    LANES,
    ORBITS,
    WHEELS,
    batch_of,
    craft,
    lose,
    same,
    unit,
)
from test_craft_seen import ERRORS, both, check_same, law_of

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.batch.craft_alone import ADVANCE
from spacecraft_attitude_sim.core.batch.craft_lanes import run_beside, run_magnetic
from spacecraft_attitude_sim.core.batch.episodes import EpisodeBatch
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.kernels.kernel import Handle

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
IRONS = list('pqr')
# The same in all craft of a batch, for those have the same numbers of parts.
EDDY = {'eddy_currents.magnetic_tensor': [2.0, 3.0, 1.0, 0.1, -0.2, 0.3]}


def irons(rng, count):
    """Return parameters of random rods; some are lazy, some are saturated at once."""
    given = {'hysteresis_rods': IRONS[:count]} if count else {}
    for name in IRONS[:count]:
        given |= {
            f'hysteresis_rod.{name}.{key}': value for key, value in (
                ('axis', unit(rng, 3)), ('number', int(rng.integers(1, 30))),
                ('coercivity', rng.choice((1.0, 12.0))), ('flux_density', 0.3 * rng.normal()),
                ('demagnetization', rng.choice((0.0, 1e-4))), ('remanence', 0.35),
                ('saturation', 2.0),
            )
        }  # fmt: skip
    return given


def crafts_of(seed, count, orbit, rods=2, wheels=0, **more):
    """Return Scenarios of random craft with rods."""
    rng = np.random.default_rng(seed)
    return [craft(rng, orbit, wheels, irons(rng, rods) | more) for _ in range(count)]


def loop_of(batch):
    """Return the compiled loop of a Batch."""
    return craft_lanes.loop_for(batch._actuated)


@pytest.mark.parametrize('orbit', ORBITS)
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_craft_with_rods_have_the_bits_of_each_alone(orbit, substeps):
    wheels = 3 if substeps == 1 else 0
    crafts = crafts_of(50 + substeps, LANES + 5, orbit, wheels=wheels, substeps=substeps)
    batch = batch_of(crafts, threads=1)
    assert batch._able
    assert loop_of(batch) is run_magnetic
    for ticks in (1, 2, 17, 20):
        batch.advance(ticks)
    assert not batch.lost.any()
    same(batch, crafts, 40)


@pytest.mark.parametrize('rods', [0, 3])
@pytest.mark.parametrize('substeps', [0, 2])
def test_craft_with_eddy_currents_have_the_bits_of_each_alone(rods, substeps):
    crafts = crafts_of(55, LANES + 2, 'earth', rods=rods, substeps=substeps, **EDDY)
    batch = batch_of(crafts)
    assert batch._able
    batch.advance(30)
    same(batch, crafts, 30)


@pytest.mark.parametrize('more', [{}, {'eddy_currents.magnetic_tensor': [5e8, 3e8, 1e8]}])
def test_as_many_sub_steps_resolve_loops_and_damping_as_alone(more):
    fast = {'initial.angular_velocity': [0.5, 0.6, -0.7], 'magnetic_field': [2e-5, -6e-5, 3e-5]}
    crafts = crafts_of(61, LANES, 'no orbit', substeps=0, **fast, **more)
    batch, coarse = batch_of(crafts), batch_of(crafts_of(61, LANES, 'no orbit', **fast, **more))
    batch.advance(10)
    coarse.advance(10)
    same(batch, crafts, 10)
    assert (batch.states != coarse.states).any(axis=1).sum() > LANES // 4


def test_other_craft_keep_their_loop():
    batch = batch_of(crafts_of(56, 4, 'earth', rods=0, wheels=3))
    assert loop_of(batch) is run_beside


def test_rods_and_currents_act_and_nobody_flies_alone(monkeypatch):
    quiet = {f'wheel.{name}.{key}': value for name in WHEELS for key, value in (
        ('initial_speed', 20.0), ('torque', 1e-6), ('max_speed', 600.0), ('max_power', 1.0),
    )}  # fmt: skip
    monkeypatch.setattr(craft_lanes, 'alone', lambda _: Handle(ADVANCE, lose))
    states, internal = [], []
    for rods, more in ((0, {}), (0, EDDY), (2, {})):
        batch = batch_of(crafts_of(57, LANES, 'earth', rods=rods, wheels=3, **quiet | more))
        begun = batch.internal
        batch.advance(20)
        assert not batch.lost.any()
        states.append(batch.states)
        internal.append(batch.internal != begun)
    assert (states[0] != states[1]).any(axis=1).all()
    # Behind wheels and magnetorquers, before BOOK. A rod outside its curves keeps its state.
    assert internal[2][:, -5:-3].any(axis=0).all()


@pytest.mark.parametrize('substeps', [0, 2])
def test_sensors_laws_and_merits_are_those_of_the_loop_one_by_one(substeps):
    crafts = crafts_of(58, LANES + 5, 'earth', wheels=3, substeps=substeps, **ERRORS, **EDDY)
    law = law_of('wheel_torque', len(crafts))
    batch, other = both(crafts, law, watched=True, settled_rate=0.01)
    kept = [one.followed(30) for one in (batch, other)]
    np.testing.assert_array_equal(*kept)
    for one in (batch, other):
        one.advance(20)
    check_same(batch, other)
    for mine, own in zip(batch.merits, other.merits, strict=True):
        np.testing.assert_array_equal(mine, own)


def damp(now):
    """Return a torque against the rates."""
    return {'torque': -1e-3 * now.angular_velocity}


def test_a_python_law_sees_the_rates_of_craft_with_rods():
    crafts, seen = crafts_of(59, LANES + 1, 'circle'), []
    batches = [
        batch_of(crafts, law=lambda now: {'torque': -1e-3 * now.angular_velocity}) for _ in '12'
    ]
    batches[1]._able = False
    for one in batches:
        one.advance(20)
        seen.append(one.states)
    assert seen[0].tobytes() == seen[1].tobytes()


def test_a_lost_craft_changes_no_other_and_craft_begin_again():
    crafts = crafts_of(60, LANES + 2, 'earth', wheels=3, **ERRORS)
    suites = [one.sensors for one in crafts]
    batch, other = both(crafts, kind=EpisodeBatch, suites=suites)
    wrenches = np.zeros((len(crafts), 12))
    wrenches[2, 3], wrenches[4, 3] = 1e250, 1e3  # too fast for one sub-step
    first = np.array([to_flat(crafts[n].initial) for n in (0, 2, 4)])
    for one in (batch, other):
        one.advance(4)
        one.hold(wrenches)
        one.advance(3)
        assert one.lost.nonzero()[0].tolist() == [2, 4]
        assert np.isnan(one.internal[[2, 4]]).all()
        one.hold(np.zeros((len(crafts), 12)))
        one.begin_again(np.array([0, 2, 4]), first[:, :13], first[:, 13:], np.array([7, 9, 8]))
        one.advance(5)
        assert not one.lost.any()
    check_same(batch, other)


def test_the_shipped_passive_cubesat_flies_side_by_side_as_alone():
    crafts = [sas.load('csswe', parameters={'body.mass': 3.0 + 0.01 * n}) for n in range(4)]
    batch = batch_of(crafts)
    assert batch._able
    batch.advance(25)
    same(batch, crafts, 25)
