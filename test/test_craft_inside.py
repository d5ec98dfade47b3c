# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft in which parts move fly side by side with all else, with the bits of each alone."""

import numpy as np
import pytest
from plain import plain
from test_craft_lanes import LANES, alone, crafts_of, lose, unit
from test_craft_press import LOW, surfaces
from test_craft_seen import ERRORS, check_same, law_of

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.batch.craft_alone import ADVANCE
from spacecraft_attitude_sim.core.parts.coordinates.layouts import CAUGHT, FREE, HELD, LATCHED
from spacecraft_attitude_sim.flight import side_by_side
from spacecraft_attitude_sim.kernels.kernel import Handle

PANEL = {
    'hinge': [0.05, 0.0, 0.0], 'axis': [0.0, 1.0, 0.0], 'center': [0.15, 0.0, 0.0], 'mass': 0.1,
    'size': [0.2, 0.1, 0.002],
}  # fmt: skip
BALL = {'position': [0.0, 0.05, 0.02], 'mass': 0.1}
MODE = {'coupling': [0.02, 0.01, -0.02], 'drift': [0.1, 0.05, 0.0]}
PENDULUM = {'pivot': [0.0, 0.0, 0.05], 'rest': [0.0, 0.0, -1.0], 'mass': 0.1, 'length': 0.05}
SLUG = {'inertia': 0.002}


def panel(rng):
    """Return a random panel that is held for a while, latches, or swings."""
    more = {'latch_angle': [-0.1], 'latch_stiffness': rng.choice((0.0, 0.05))}
    more |= {'release_time': rng.choice((0.0, 0.4))} if rng.integers(0, 2) else {'rate': -0.3}
    return PANEL | {
        'stiffness': rng.uniform(0.01, 0.02), 'damping': rng.choice((0.0, 2e-4)), 'angle': 0.2,
    } | (more if rng.integers(0, 2) else {})  # fmt: skip


def ball(rng):
    """Return a random mass on a line, of which some come to a stop."""
    return BALL | {
        'axis': unit(rng, 3), 'stiffness': rng.uniform(0.1, 0.3), 'displacement': 0.02,
        'damping': rng.choice((0.0, 0.01)), 'travel': [-0.015, 0.05] if rng.integers(0, 2) else [],
    }  # fmt: skip


def mode(rng):
    """Return a random flexible mode."""
    return MODE | {'frequency': rng.uniform(0.3, 0.6), 'displacement': 0.05}


def pendulum(rng):
    """Return a random pendulum."""
    return PENDULUM | {'direction': unit(rng, 3), 'damping': rng.choice((0.0, 1e-4))}


def slug(rng):
    """Return a random slug."""
    return SLUG | {'damping': rng.uniform(1e-3, 5e-3), 'rate': rng.normal(size=3) * 0.1}


# {name: (parameter that names parts, prefix, function that makes one)}
PARTS = {
    'panel': ('panels', 'panel', panel), 'ball': ('sliding_masses', 'sliding_mass', ball),
    'mode': ('flexible_modes', 'flexible_mode', mode),
    'pendulum': ('pendulums', 'pendulum', pendulum), 'slug': ('slugs', 'slug', slug),
}  # fmt: skip


def moving(seed, count, orbit, names=tuple(PARTS), wheels=3, **more):
    """Return Scenarios of random craft with wheels, magnetorquers and parts that move inside."""
    rng = np.random.default_rng(seed)
    crafts = []
    for base in crafts_of(seed, count, orbit, wheels=wheels, **more):
        given = {'body.mass': 5.0}
        for name in names:
            listed, prefix, made = PARTS[name]
            given[listed] = [name]
            given |= {f'{prefix}.{name}.{key}': value for key, value in made(rng).items()}
        crafts.append(scenario.changed(base, plain(given), 'random'))
    return crafts


def batch_of(crafts, law=None, beside=True, reads=True, **options):
    """Return the Batch of Scenarios, side by side or one by one."""
    batch = Batch(**side_by_side.arguments_of(crafts, reads=reads), **options)
    assert batch._able
    batch._able = beside
    if law is not None:
        batch._obey_law(law, side_by_side.holding_of(crafts))
    return batch


@pytest.mark.parametrize('orbit', ['no orbit', 'circle', 'earth'])
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_craft_with_everything_have_the_bits_of_each_alone(orbit, substeps):
    crafts = moving(len(orbit) + substeps, LANES + 3, orbit, substeps=substeps)
    batch = batch_of(crafts, reads=False, threads=1)
    for ticks in (1, 2, 17, 40):
        batch.advance(ticks)
    assert not batch.lost.any()
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        assert flat[n].tobytes() == alone(one, 60).tobytes(), n


@pytest.mark.parametrize('names', [*((name,) for name in PARTS), ('panel', 'ball')])
def test_each_kind_of_part_beside_a_wheel_or_none(names):
    for wheels in (0, 1):
        crafts = moving(7, LANES, 'circle', names, wheels=wheels)
        batches = [batch_of(crafts, beside=beside, reads=False) for beside in (True, False)]
        for batch in batches:
            batch.advance(50)
        np.testing.assert_array_equal(*(np.hstack((b.states, b.internal)) for b in batches))


@pytest.mark.parametrize('orbit', ['no orbit', 'circle', 'earth'])
def test_sensors_read_and_a_law_commands_as_they_do_alone(orbit):
    crafts = moving(30, 2 * LANES + 3, orbit, substeps=0, **ERRORS)
    law = law_of('wheel_torque', len(crafts))
    batch, other, shared = (
        batch_of(crafts, law(), beside, threads=threads, watched=True, settled_rate=0.01)
        for beside, threads in ((True, 1), (False, 1), (True, 2))
    )  # fmt: skip
    for ticks in (1, 3, 40):
        for one in (batch, other, shared):
            one.advance(ticks)
    check_same(batch, other)
    check_same(batch, shared)
    for mine, own in zip(batch.merits, other.merits, strict=True):
        np.testing.assert_array_equal(mine, own)


@pytest.mark.parametrize('name', ['dual_spin', 'flat_spin', 'spinner_damper', 'cubesat_panels'])
def test_shipped_craft_read_and_see_what_they_do_alone(name):
    base = scenario.load(scenario.find(name))
    crafts = [
        scenario.changed(base, {
            'seed': k, 'initial.angular_velocity': [0.02, -0.01 * k, 0.1],
        }, 'test') for k in range(LANES + 1)
    ]  # fmt: skip
    kept = []
    for beside in (True, False):
        batch = batch_of(crafts, beside=beside, watched=True)
        kept.append(batch.followed(40))
        kept.append(np.column_stack([*batch.merits]))
    np.testing.assert_array_equal(kept[0], kept[2])
    np.testing.assert_array_equal(kept[1], kept[3])


def test_air_and_light_act_on_craft_in_which_parts_move():
    rng = np.random.default_rng(5)
    crafts = moving(41, LANES + 2, 'earth', ('panel', 'slug'), **ERRORS)
    crafts = [scenario.changed(one, LOW | surfaces(rng, 3), 'plates') for one in crafts]
    batch, other = (batch_of(crafts, beside=beside) for beside in (True, False))
    kept = [one.followed(30) for one in (batch, other)]
    np.testing.assert_array_equal(*kept)
    check_same(batch, other)


def test_a_lost_craft_changes_no_other():
    crafts = moving(32, LANES + 2, 'circle', **ERRORS)
    wrenches = 1e-5 * np.random.default_rng(3).normal(size=(len(crafts), 12))
    wrenches[2, 3] = 1e250
    batch, other = (batch_of(crafts, beside=beside) for beside in (True, False))
    for one in (batch, other):
        one.advance(4)
        one.hold(wrenches)
        one.advance(6)
    check_same(batch, other)
    assert batch.lost.nonzero()[0].tolist() == [2]


@pytest.mark.parametrize('reads', [True, False])
def test_held_panels_fly_side_by_side_until_they_are_released(reads, monkeypatch):
    base = scenario.load(scenario.find('cubesat_panels'))
    monkeypatch.setattr(craft_lanes, 'alone', lambda kinds: Handle(ADVANCE, lose))
    batch = batch_of([base] * LANES, reads=reads)
    if not batch._bare:
        released = round(5.0 / base.plant.ticks.step)
        batch.advance(released - 2)
        assert not batch.lost.any()
        batch.advance(2)
        assert batch.lost.all()


def test_the_random_parts_are_held_free_caught_and_latched():
    crafts = moving(3, LANES, 'circle', ('panel',))
    batch, seen = batch_of(crafts), set()
    place = crafts[0].plant.spacecraft.places['coordinates'].state + 2
    for _ in range(60):
        batch.advance()
        seen |= set(batch.internal[:, place])
    assert {HELD, FREE, CAUGHT, LATCHED} <= seen
