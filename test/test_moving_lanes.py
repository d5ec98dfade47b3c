# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with internal parts fly side by side in a batch with the bits that each has alone."""

import numpy as np
import pytest
from test_craft_lanes import lose

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch import moving_lanes
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.batch.compiled_law import CompiledLaw
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.batch.moving_lanes import ADVANCE, FEWEST
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.layouts import (
    AT_LOW,
    CAUGHT,
    FREE,
    HELD,
    LATCHED,
)
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.core.simulation import Inputs, plant_of
from spacecraft_attitude_sim.core.ticks import Ticks
from spacecraft_attitude_sim.kernels import columns
from spacecraft_attitude_sim.kernels.kernel import Handle, compiled

TICKS = Ticks.at(32.0)


def unit(rng, size=3):
    """Return a random unit vector."""
    vector = rng.normal(size=size)
    return vector / np.linalg.norm(vector)


def panel(rng, **more):
    """Return a random panel that turns far."""
    given = {'stiffness': rng.uniform(0.5, 2.0), 'angle': rng.uniform(0.3, 1.0), 'rate': 0.2}
    return HingedPanel(
        hinge_B=rng.normal(size=3) * 0.4, axis_B=unit(rng), center_B=rng.normal(size=3) * 0.4,
        mass=rng.uniform(0.5, 3.0), inertia=np.diag(rng.uniform(0.3, 0.4, 3)),
        damping=rng.choice((0.0, 0.05)), **given | more,
    )  # fmt: skip


def ball(rng, **more):
    """Return a random mass on a line."""
    return SlidingMass(
        rng.normal(size=3) * 0.3, unit(rng), rng.uniform(0.5, 2.0), rng.uniform(1.0, 3.0),
        rng.choice((0.0, 0.05)), 0.1, **more,
    )  # fmt: skip


def mode(rng):
    """Return a random flexible mode."""
    return FlexibleMode(
        rng.normal(size=3) * 0.3, rng.uniform(1.0, 3.0), rng.choice((0.0, 0.02)),
        rng.normal(size=3) * 0.2, 0.05,
    )  # fmt: skip


def pendulum(rng):
    """Return a random pendulum."""
    return Pendulum(rng.normal(size=3) * 0.3, unit(rng), rng.uniform(0.5, 2.0), 0.3, 0.01)


def slug(rng):
    """Return a random slug."""
    return ViscousSlug(rng.uniform(0.05, 0.2), rng.uniform(0.01, 0.05), rng.normal(size=3) * 0.1)


def everything(rng, **more):
    """Return parts of all kinds that fly side by side; more: of a panel."""
    coordinates = {'a': panel(rng, **more), 'b': ball(rng, travel=(-0.05, 0.12)), 'c': mode(rng)}
    return coordinates, {'d': pendulum(rng)}, {'e': slug(rng), 'f': slug(rng)}


# What may happen to a part: it reaches a stop, latches with a spring or rigidly, is released,
# or is held for ever.
ABOARD = {
    'panel': lambda rng: ({'a': panel(rng)},),
    'panel that latches': lambda rng: (
        {'a': panel(rng, latch=-0.1, latch_stiffness=rng.choice((0.0, 2.0)))},
    ),
    'mass': lambda rng: ({'a': ball(rng)},),
    'mass at a stop': lambda rng: ({'a': ball(rng, travel=(-0.05, 0.12))},),
    'mode': lambda rng: ({'a': mode(rng)},),
    'pendulum': lambda rng: ({}, {'a': pendulum(rng)}),
    'slug': lambda rng: ({}, {}, {'a': slug(rng)}),
    'two panels, one released later': lambda rng: (
        {'a': panel(rng), 'b': panel(rng, rate=0.0, release=rng.choice((0.0, 0.51)))},
    ),
    'all, a panel held': lambda rng: everything(rng, rate=0.0, release=np.inf),
    'all': lambda rng: everything(rng, latch=-0.1),
}


def crafts_of(aboard, seed, count, substeps=1, **more):
    """Return random craft: `count` pairs of Plant and State."""
    rng = np.random.default_rng(seed)
    return [craft(rng, ABOARD[aboard](rng), substeps, more) for _ in range(count)]


def craft(rng, parts, substeps, more):
    """Return Plant and State of a random craft with parts."""
    skew = rng.normal(size=(3, 3)) * 0.3
    body = RigidBody(rng.uniform(80.0, 100.0), np.diag(rng.uniform(40.0, 44.0, 3)) + skew @ skew.T)
    own = InternalParts.named(*parts).parts
    plant = plant_of(body, parts=own, substeps=substeps, ticks=TICKS, **more)
    spin, pose = rng.normal(size=3) * 0.3, (rng.normal(size=3), unit(rng, 4))
    return plant, plant.spacecraft.state(*pose, rng.normal(size=3) * 0.1, spin)


def batch_of(crafts, beside=True, **options):
    """Return the Batch of craft, side by side or one by one."""
    plants, states = zip(*crafts, strict=True)
    rows = rows_of(plants, states, [Inputs()] * len(plants))
    gravity = [plant.environment.gravity_W for plant in plants]
    batch = Batch(
        [plant.spacecraft.carrier for plant in plants], states, gravity_W=np.array(gravity),
        substeps=plants[0].substeps, ticks=TICKS, actuated=rows, **options,
    )  # fmt: skip
    batch._able &= beside
    return batch


def flat(batch):
    """Return states and internal states of a batch."""
    return np.hstack((batch.states, batch.internal))


def alone(one, ticks, wrench=None):
    """Return state and internal states of a craft alone after some ticks."""
    plant, state = one
    inputs = Inputs() if wrench is None else Inputs(wrench=wrench)
    for k in range(ticks):
        state = simulation.step(plant, state, inputs, k)
    return to_flat(state)


def wrenches_on(count, seed=3):
    """Return random wrenches (count, 12), of which some do not act."""
    wrenches = np.random.default_rng(seed).normal(size=(count, 12)) * 0.05
    wrenches[::3, :6] = 0.0
    wrenches[::4, 6:] = 0.0
    return wrenches


@pytest.mark.parametrize('substeps', [0, 1, 3])
@pytest.mark.parametrize('aboard', ABOARD)
def test_craft_side_by_side_have_the_bits_of_each_alone(aboard, substeps):
    crafts = crafts_of(aboard, len(aboard), LANES + 7, substeps)
    wrenches = wrenches_on(len(crafts))
    batch = batch_of(crafts, threads=1)
    assert batch._able
    batch.hold(wrenches)
    for ticks in (1, 2, 40, 57):
        batch.advance(ticks)
    assert not batch.lost.any()
    for n, own in enumerate(flat(batch)):
        assert own.tobytes() == alone(crafts[n], 100, wrenches[n]).tobytes(), n


def test_the_random_craft_come_to_stops_and_latches():
    modes = set()
    for aboard in ABOARD:
        crafts = crafts_of(aboard, len(aboard), LANES + 7)
        if crafts[0][0].spacecraft.part('coordinates'):
            batch = batch_of(crafts)
            batch.hold(wrenches_on(len(crafts)))
            for _ in range(100):
                batch.advance()
                modes |= set(batch.internal[:, 2])
    assert {HELD, FREE, CAUGHT, LATCHED, AT_LOW} <= modes


def test_gravity_acts_on_each_and_few_craft_have_the_same_bits():
    crafts = crafts_of('all', 4, 9, gravity_W=np.array((0.3, -0.2, -1.6)))
    states = np.array([alone(one, 20) for one in crafts])
    for count in range(1, 10):
        batch = batch_of(crafts[:count])
        assert batch._able == (count >= FEWEST)
        batch.advance(20)
        assert flat(batch).tobytes() == states[:count].tobytes(), count


@pytest.mark.parametrize('aboard', ['all', 'panel that latches', 'slug'])
def test_threads_and_spans_change_no_bit_and_merits_are_those_of_the_loop_one_by_one(aboard):
    crafts = crafts_of(aboard, 5, 3 * LANES + 2, substeps=0)
    batches = [batch_of(crafts, watched=True, settled_rate=0.3, threads=n) for n in (1, 2)]
    batches.append(batch_of(crafts, beside=False, watched=True, settled_rate=0.3))
    for batch in batches:
        batch.hold(wrenches_on(len(crafts)))
    for _ in range(3):
        batches[0].advance(20)
    for other in batches[1:]:
        other.advance(60)
        assert flat(batches[0]).tobytes() == flat(other).tobytes()
        for mine, own in zip(batches[0].merits, other.merits, strict=True):
            np.testing.assert_array_equal(mine, own)


def test_a_law_sees_the_same_rates_and_an_impulse_acts():
    crafts, seen = crafts_of('all', 6, LANES + 3), ([], [])
    for kept, beside in zip(seen, (True, False), strict=True):

        def law(readings, kept=kept):
            """Keep the rates, and brake."""
            kept.append(readings.truth.angular_velocity.copy())
            return {'torque': -0.5 * readings.truth.angular_velocity}

        batch = batch_of(crafts, beside, law=law)
        batch.advance(10)
        batch.strike(np.full(6, 0.2))
        batch.advance(10)
        kept.append(flat(batch))
    for mine, own in zip(*seen, strict=True):
        assert mine.tobytes() == own.tobytes()


def test_a_lost_craft_changes_no_other():
    crafts = crafts_of('all', 8, LANES + 3)
    wrenches = wrenches_on(len(crafts))
    wrenches[2, 3], wrenches[LANES, 4] = 1e250, 1e5
    batches = [batch_of(crafts, beside) for beside in (True, False)]
    for batch in batches:
        batch.hold(wrenches)
        batch.advance(25)
        assert batch.lost.nonzero()[0].tolist() == [2, LANES]
        assert np.isnan(batch.internal[[2, LANES]]).all()
    np.testing.assert_array_equal(*(flat(batch) for batch in batches))


@pytest.mark.parametrize('aboard', ['panel', 'mass at a stop', 'panel that latches'])
def test_only_craft_in_which_something_happens_fly_alone(aboard, monkeypatch):
    crafts = crafts_of(aboard, 11, LANES)
    batch, happens = batch_of(crafts), np.zeros(LANES, bool)
    for _ in range(40):
        batch.advance()
        happens |= batch.internal[:, 2] != FREE
    monkeypatch.setattr(moving_lanes, 'alone', lambda: Handle(ADVANCE, lose))
    batch = batch_of(crafts)
    batch.advance(40)
    assert batch.lost[happens].all()  # and those that come to a stop and leave it in a tick
    assert not batch.lost.all()
    assert batch.lost.any() == happens.any() == (aboard != 'panel')


def test_latched_and_caught_panels_fly_side_by_side(monkeypatch):
    crafts = crafts_of('panel that latches', 11, LANES)
    batch = batch_of(crafts)
    batch.advance(200)
    hows = batch.internal[:, 2]
    assert set(hows) >= {CAUGHT, LATCHED}
    monkeypatch.setattr(moving_lanes, 'alone', lambda: Handle(ADVANCE, lose))
    batch.advance(20)
    assert not batch.lost[hows != FREE].any()


def test_craft_with_other_kinds_fly_one_by_one_and_those_with_loads_by_another_loop():
    crafts = crafts_of('panel', 12, 4)
    assert batch_of(crafts)._able
    assert not batch_of([*crafts[:3], *crafts_of('mass', 12, 1)])._able
    orbit = CircularOrbit(7e6, np.array((0.0, 0.0, 1.0)), np.array((1.0, 0.0, 0.0)))
    for gradient in (False, True):
        own = crafts_of('panel', 12, 4, orbit=orbit, gradient=gradient)
        batch = batch_of(own)
        assert batch._able
        assert batch._bare != gradient  # else by craft_lanes
        batch.advance(3)
        assert flat(batch)[3].tobytes() == alone(own[3], 3).tobytes()


def test_a_compiled_law_commands_craft_side_by_side():
    law = CompiledLaw(lambda t, q, w, m, p: -0.5 * w)
    batch = batch_of(crafts_of('panel', 12, 4), law=law)
    free = batch_of(crafts_of('panel', 12, 4))
    assert batch._able
    for one in (batch, free):
        one.advance(320)
    momenta = [np.linalg.norm(one.states[:, 10:13], axis=1) for one in (batch, free)]
    assert np.all(momenta[0] < 0.9 * momenta[1])


def test_a_column_is_a_lane_of_an_array():
    rows = np.arange(3.0 * LANES).reshape(3, LANES)

    def exchange(rows, i):
        """Write row 1 of a lane over row 0, and one more over row 2."""
        lane = columns.column(rows, i)
        later = columns.column_from(lane, 1)
        lane[0], later[1] = later[0], later[0] + 1.0
        return lane[0]

    other = rows.copy()
    assert exchange(rows, 5) == compiled(exchange)(other, 5) == LANES + 5.0
    assert rows[:, 5].tolist() == [LANES + 5.0, LANES + 5.0, LANES + 6.0]
    np.testing.assert_array_equal(rows, other)
    assert columns.LANES == LANES
