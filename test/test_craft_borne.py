# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft on air bearings fly side by side with the bits that each has alone."""

import numpy as np
import pytest
from test_craft_delayed import delays
from test_craft_held import seized
from test_craft_lanes import LANES, WHEELS, batch_of, changed_in_flight, craft, same
from test_craft_pushed import choose, jets, none_alone, share_loop, unbalanced
from test_craft_seen import ERRORS, fly_the_same, law_of

from spacecraft_attitude_sim.core.batch import craft_lanes

GRAVITY = [0.3, -0.2, -9.81]


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    """Let craft fly by a loop that others fly by, too."""
    share_loop(monkeypatch)


def table(rng, on=True):
    """Return parameters of an air bearing, or of none, under a random centre of mass."""
    return {
        'bearing.enabled': bool(on), 'gravity': GRAVITY if on else [0.0, 0.0, 0.0],
        'body.center_of_mass': rng.normal(size=3) * 1e-3,
    }  # fmt: skip


def crafts_of(seed, count, **more):
    """Return Scenarios of random craft of which most are on an air bearing."""
    rng = np.random.default_rng(seed)
    return [
        craft(rng, 'no orbit', 3, table(rng, n % 3 < 2) | more) for n in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_craft_on_bearings_have_the_bits_of_each_alone(substeps):
    crafts = crafts_of(400 + substeps, LANES + 5, substeps=substeps)
    batch = batch_of(crafts, threads=1)
    assert batch._able
    for ticks in (1, 2, 37):
        batch.advance(ticks)
    assert not batch.lost.any()
    same(batch, crafts, 40)


def test_a_bearing_lets_no_craft_fly_alone(monkeypatch):
    none_alone(monkeypatch)
    quiet = {f'wheel.{name}.{key}': value for name in WHEELS for key, value in (
        ('initial_speed', 20.0), ('torque', 1e-6), ('max_speed', 600.0), ('max_power', 1.0),
    )}  # fmt: skip
    crafts = crafts_of(404, LANES, **quiet)
    batch = batch_of(crafts)
    batch.advance(20)
    assert not batch.lost.any()
    same(batch, crafts, 20)


@pytest.mark.parametrize('substeps', [0, 2])
def test_sensors_merits_and_a_law_are_those_of_craft_alone(substeps):
    crafts = crafts_of(405, LANES + 3, substeps=substeps, **ERRORS)
    fly_the_same(crafts, law_of('wheel_torque', len(crafts)))


def test_a_centre_of_mass_that_moves_in_flight_and_forces_have_the_same_bits():
    crafts, others = (crafts_of(seed, LANES) for seed in (406, 407))
    batch, other = changed_in_flight(crafts, others[1].plant)
    wrenches = 1e-3 * np.random.default_rng(3).normal(size=(LANES, 12))
    for one in (batch, other):
        one.strike(np.full(6, 1e-4))
        one.hold(wrenches)
        one.advance(15)
    assert batch.states.tobytes() == other.states.tobytes()
    assert batch.internal.tobytes() == other.internal.tobytes()


@pytest.mark.parametrize('substeps', [0, 2])
def test_bearings_beside_all_that_their_loop_has_have_the_bits_of_each_alone(substeps):
    rng = np.random.default_rng(408)
    crafts = [
        craft(rng, 'no orbit', 3, jets(rng) | unbalanced(rng) | seized(rng) | delays(rng)
              | table(rng) | {'substeps': substeps})
        for _ in range(LANES + 2)
    ]  # fmt: skip
    batch = batch_of(crafts)
    names = 'pushed', 'held', 'delayed', 'borne'
    assert choose(batch._actuated, True) is craft_lanes.loop_with(names)
    batch.advance(40)
    same(batch, crafts, 40)


def test_craft_on_bearings_have_the_loop_of_held_wheels_from_their_first_tick_on():
    batch = batch_of(crafts_of(409, 4))
    assert choose(batch._actuated) is craft_lanes.loop_with(('held', 'borne'))
