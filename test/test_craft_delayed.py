# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with dead time of wheels fly side by side with the bits that each has alone."""

import numpy as np
import pytest
from test_craft_held import seized
from test_craft_lanes import LANES, ORBITS, WHEELS, alone, batch_of, changed_in_flight, craft, same
from test_craft_pushed import choose, jets, none_alone, share_loop
from test_craft_seen import ERRORS, both, check_same, fly_the_same, law_of

from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.batch.episodes import EpisodeBatch
from spacecraft_attitude_sim.core.body.state import to_flat

LONGEST, TICK = 0.09, 1.0 / 32.0
QUIET = {
    'initial_speed': 20.0, 'torque': 1e-6, 'max_speed': 600.0, 'max_power': 1.0,
    'torque_lag': 0.05,
}  # fmt: skip


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    """Let craft fly by a loop that others fly by, too."""
    share_loop(monkeypatch)


def delays(rng, **more):
    """Return parameters of wheels of random dead times, with queues of the same length."""
    given = {}
    for name in WHEELS:
        dead_time = rng.choice((0.0, 0.02, TICK, 2.0 * TICK, 0.05, LONGEST))
        values = {'dead_time': LONGEST if name == 'a' else dead_time} | more
        given |= {f'wheel.{name}.{key}': value for key, value in values.items()}
    return given


def crafts_of(seed, count, orbit, **more):
    """Return Scenarios of random craft with such wheels."""
    rng = np.random.default_rng(seed)
    return [craft(rng, orbit, 3, delays(rng) | more) for _ in range(count)]


@pytest.mark.parametrize('orbit', ORBITS)
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_dead_times_side_by_side_have_the_bits_of_each_alone(orbit, substeps):
    crafts = crafts_of(300 + substeps, LANES + 5, orbit, substeps=substeps)
    batch = batch_of(crafts, threads=1)
    assert batch._able
    for ticks in (1, 2, 17, 20):
        batch.advance(ticks)
    assert not batch.lost.any()
    same(batch, crafts, 40)


@pytest.mark.parametrize('substeps', [1, 2])
def test_a_dead_time_that_ends_within_a_tick_lets_no_craft_fly_alone(substeps, monkeypatch):
    none_alone(monkeypatch)
    rng = np.random.default_rng(301)
    crafts = [
        craft(rng, 'earth', 3, delays(rng, **QUIET) | {'substeps': substeps})
        for _ in range(LANES)
    ]  # fmt: skip
    torques = np.random.default_rng(1).uniform(-1e-6, 1e-6, (20, LANES, 3))
    batch = batch_of(crafts, law=lambda readings: {'wheel_torque': torques[readings.tick]})
    batch.advance(20)
    assert not batch.lost.any()
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        given = [one.inputs._replace(wheel_torque=row) for row in torques[:, n]]
        assert flat[n].tobytes() == alone(one, 20, given.__getitem__).tobytes(), n


@pytest.mark.parametrize('substeps', [0, 2])
@pytest.mark.parametrize('kind', ['wheel_torque', 'wheel_speed'])
def test_sensors_read_and_a_law_commands_as_they_do_alone(substeps, kind):
    servo = {f'wheel.{name}.speed_bandwidth': 2.0 for name in WHEELS}
    crafts = crafts_of(302, LANES + 3, 'circle', substeps=substeps, **servo, **ERRORS)
    fly_the_same(crafts, law_of(kind, len(crafts)))


def test_a_dead_time_that_changes_in_flight_has_the_same_bits():
    crafts, others = (crafts_of(seed, LANES, 'earth') for seed in (303, 304))
    batch, other = changed_in_flight(crafts, others[1].plant)
    assert batch.states.tobytes() == other.states.tobytes()
    assert batch.internal.tobytes() == other.internal.tobytes()


def test_a_lost_craft_loses_its_queue_and_changes_no_other():
    crafts = crafts_of(305, LANES + 2, 'earth')
    wrenches = np.zeros((len(crafts), 12))
    wrenches[2, 3] = 1e250
    batch, other = batch_of(crafts), batch_of(crafts)
    other._able = False
    for one in (batch, other):
        one.advance(4)
        one.hold(wrenches)
        one.advance(6)
    assert batch.lost.nonzero()[0].tolist() == [2]
    np.testing.assert_array_equal(batch.internal, other.internal)


def test_craft_that_begin_again_have_queues_of_their_own():
    crafts = crafts_of(306, LANES + 4, 'earth', **ERRORS)
    law = law_of('wheel_torque', len(crafts))
    batch, other = both(crafts, law, kind=EpisodeBatch, suites=[one.sensors for one in crafts])
    rng = np.random.default_rng(2)
    for _ in range(4):
        chosen = np.flatnonzero(rng.integers(0, 3, len(crafts)) == 0)
        first = np.array([to_flat(crafts[n].initial) for n in chosen])
        for one in (batch, other):
            one.advance(3)
            one.begin_again(chosen, first[:, :13], first[:, 13:], 7 + chosen)
            one.advance(2)
    check_same(batch, other)


def test_a_valve_that_closes_where_a_dead_time_ends_has_the_same_bits():
    # 0.08 of a period of 0.25 s is 0.02 s.
    rng = np.random.default_rng(307)
    brief = {'period': 0.25, 'min_on_time': 0.0, 'force': 0.0016, 'rise_time': 0.0,
             'fall_time': 0.0, 'close_delay': 0.0}  # fmt: skip
    given = jets(rng, **brief) | delays(rng, dead_time=0.02, **QUIET)
    crafts = [craft(rng, 'circle', 3, given | seized(rng, 'a')) for _ in range(LANES)]
    batch = batch_of(crafts)
    batch.advance(20)
    same(batch, crafts, 20)


def test_craft_with_dead_time_have_a_loop_of_their_own():
    for given, names in ((delays(np.random.default_rng(309)), ('delayed',)), ({}, ())):
        crafts = [craft(np.random.default_rng(n), 'earth', 3, given) for n in range(3)]
        usual = craft_lanes.loop_with(names) if names else craft_lanes.run_beside
        assert choose(batch_of(crafts)._actuated) is usual
