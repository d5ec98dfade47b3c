# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with real wheels and magnetorquers fly side by side with the bits that each has alone."""

import numpy as np
import pytest
from plain import plain

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.batch.craft_alone import ADVANCE
from spacecraft_attitude_sim.core.batch.craft_lanes import FEWEST
from spacecraft_attitude_sim.core.batch.craft_rows import CRAFT_SIZE, SMOOTH, STEPS
from spacecraft_attitude_sim.core.batch.craft_tick import even_out
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.simulation import next_instant
from spacecraft_attitude_sim.flight import side_by_side
from spacecraft_attitude_sim.kernels.kernel import Handle, compiled_as

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
ORBITS = {
    'no orbit': {'magnetic_field': [2e-5, -1e-5, 3e-5]},
    'circle': {'orbit.radius': 7e6, 'magnetic_field': [2e-5, -1e-5, 3e-5]},
    'earth': {
        'orbit.model': 'j2', 'orbit.semi_major_axis': 6.9e6, 'orbit.inclination': 1.7,
        'epoch': '2026-03-20T12:00:00Z', 'atmosphere': 'none', 'magnetic_model': 'wmm',
    },
}  # fmt: skip
WHEELS, RODS = list('abc'), list('xy')


def unit(rng, size):
    """Return a random unit vector."""
    vector = rng.normal(size=size)
    return vector / np.linalg.norm(vector)


def crafts_of(seed, count, orbit, wheels=3, **more):
    """Return Scenarios of random craft, of which wheels stop, saturate and reach their limits."""
    rng = np.random.default_rng(seed)
    return [craft(rng, orbit, wheels, more) for _ in range(count)]


def craft(rng, orbit, wheels, more):
    """Return the Scenario of one random craft."""
    given = dict(ORBITS[orbit]) | {
        'body.mass': rng.uniform(2.0, 6.0), 'body.inertia': [*rng.uniform(0.05, 0.06, 3).tolist()],
        'initial.angular_velocity': rng.normal(size=3) * 0.02,
        'initial.attitude': unit(rng, 4),
        'magnetorquers': RODS, 'residual_dipole': rng.normal(size=3) * rng.integers(0, 2),
        'substeps': 1,
    }  # fmt: skip
    if wheels:
        given['wheels'] = WHEELS[:wheels]
    for name in WHEELS[:wheels]:
        coulomb = 1e-5 * rng.integers(0, 2)
        speed, most = rng.choice((0.3, 20.0)) * rng.normal(), rng.choice((25.0, 600.0))
        given |= {
            f'wheel.{name}.axis': unit(rng, 3), f'wheel.{name}.inertia': 2e-5,
            f'wheel.{name}.initial_speed': float(np.clip(speed, -24.0, 24.0)),
            f'wheel.{name}.torque': rng.uniform(-2e-4, 2e-4), f'wheel.{name}.max_torque': 2e-4,
            f'wheel.{name}.max_speed': most,
            f'wheel.{name}.torque_lag': rng.choice((0.0, 0.05, 2.0)),
            f'wheel.{name}.friction.coulomb': coulomb,
            f'wheel.{name}.friction.viscous': rng.choice((0.0, 2e-7)),
        }  # fmt: skip
        if rng.integers(0, 4) == 0:
            given[f'wheel.{name}.max_power'] = 2e-3
        if coulomb and rng.integers(0, 2):
            given[f'wheel.{name}.friction.static'] = 2e-5
    for name in RODS:
        given |= {
            f'magnetorquer.{name}.axis': unit(rng, 3), f'magnetorquer.{name}.max_dipole': 0.3,
            f'magnetorquer.{name}.lag': rng.choice((0.0, 0.3)),
            f'magnetorquer.{name}.dipole': rng.uniform(-0.3, 0.3),
        }  # fmt: skip
    return scenario.build(plain(given | more), 'random')


def batch_of(crafts, **options):
    """Return the Batch of Scenarios, without sensors."""
    return Batch(**side_by_side.arguments_of(crafts, reads=False), **options)


def alone(one, ticks, commanded=None):
    """Return state and internal states of a Scenario alone after some ticks.

    commanded: function of a tick that returns Inputs
    """
    instant = one.first_instant()
    for k in range(ticks):
        given = commanded(k) if commanded else one.inputs
        instant = next_instant(one.plant, instant, given)
    return to_flat(instant.state)


def same(batch, crafts, ticks):
    """Compare the bits of a Batch with those of each craft alone."""
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        assert flat[n].tobytes() == alone(one, ticks).tobytes(), n


@pytest.mark.parametrize('orbit', ORBITS)
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_craft_side_by_side_have_the_bits_of_each_alone(orbit, substeps):
    crafts = crafts_of(len(orbit) + substeps, LANES + 7, orbit, substeps=substeps)
    batch = batch_of(crafts, threads=1)
    for ticks in (1, 2, 40, 57):
        batch.advance(ticks)
    assert not batch.lost.any()
    same(batch, crafts, 100)


@pytest.mark.parametrize('wheels', [0, 1])
def test_other_numbers_of_wheels_fly_side_by_side(wheels):
    crafts = crafts_of(3, 5, 'earth', wheels=wheels)
    batch = batch_of(crafts)
    assert batch._able
    batch.advance(40)
    same(batch, crafts, 40)


def test_few_craft_and_blocks_that_are_not_full_have_the_same_bits():
    crafts = crafts_of(4, 9, 'earth')
    states = np.array([alone(one, 20) for one in crafts])
    for count in range(1, 10):
        batch = batch_of(crafts[:count])
        assert batch._able == (count >= FEWEST)
        batch.advance(20)
        flat = np.hstack((batch.states, batch.internal))
        assert flat.tobytes() == states[:count].tobytes(), count


def test_threads_and_spans_change_no_bit_and_merits_are_those_of_the_loop_one_by_one():
    crafts = crafts_of(5, 3 * LANES + 2, 'earth', substeps=0)
    batches = [batch_of(crafts, watched=True, settled_rate=0.01, threads=n) for n in (1, 2, 1)]
    batches[2]._able = False
    for _ in range(3):
        batches[0].advance(20)
    for batch in batches[1:]:
        batch.advance(60)
    for other in batches[1:]:
        assert batches[0].states.tobytes() == other.states.tobytes()
        assert batches[0].internal.tobytes() == other.internal.tobytes()
        for mine, own in zip(batches[0].merits, other.merits, strict=True):
            np.testing.assert_array_equal(mine, own)


@pytest.mark.parametrize('orbit', ['no orbit', 'circle'])
def test_merits_in_other_orbits_are_those_of_the_loop_one_by_one(orbit):
    crafts = crafts_of(6, 6, orbit)
    batch, other = batch_of(crafts, watched=True), batch_of(crafts, watched=True)
    other._able = False
    for one in (batch, other):
        one.advance(30)
    for mine, own in zip(batch.merits, other.merits, strict=True):
        np.testing.assert_array_equal(mine, own)


def test_commands_that_change_every_tick_have_the_same_bits():
    servo = {f'wheel.{name}.speed_bandwidth': 2.0 for name in WHEELS}
    crafts = crafts_of(7, LANES + 3, 'circle', **servo)
    rods = [one.plant.spacecraft.part('magnetorquers') for one in crafts]

    def commands(k):
        """Return the commands of all craft at a tick; at some they are speeds of wheels."""
        rng = np.random.default_rng(k)
        torques, speeds = rng.uniform(-2e-4, 2e-4, (19, 3)), rng.uniform(-20.0, 20.0, (19, 3))
        dipoles = rng.uniform(-0.3, 0.3, (19, 3))
        wheels = {'wheel_speed': speeds} if k % 7 == 3 else {'wheel_torque': torques}
        return wheels | {'dipole': dipoles}

    def given(k, n):
        """Return the same of craft n as Inputs."""
        each = {name: rows[n] for name, rows in commands(k).items()}
        return Inputs(**each | {'dipole': np.array(rods[n].shared(*each['dipole']))})

    batch = batch_of(crafts, law=lambda readings: commands(readings.tick))
    assert batch._able
    batch.advance(30)
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        assert flat[n].tobytes() == alone(one, 30, lambda k, n=n: given(k, n)).tobytes(), n


def test_wrenches_act_on_each_and_a_lost_craft_changes_no_other():
    crafts = crafts_of(8, LANES + 3, 'earth')
    rng = np.random.default_rng(9)
    wrenches = rng.normal(size=(len(crafts), 12)) * 1e-5
    wrenches[::2, 9:] = 0.0
    wrenches[2, 3] = 1e250
    batch = batch_of(crafts)
    batch.hold(wrenches)
    batch.advance(25)
    assert batch.lost.nonzero()[0].tolist() == [2]
    assert np.isnan(batch.internal[2]).all()
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        if n != 2:
            held = one.inputs._replace(wrench=wrenches[n])
            assert flat[n].tobytes() == alone(one, 25, lambda _, held=held: held).tobytes(), n


def changed_in_flight(crafts, plant):
    """Return two Batches of Scenarios after 20 ticks: side by side, and one by one.

    Craft 1 has the parts of a Plant from tick 5 on.
    """
    batches = batch_of(crafts), batch_of(crafts)
    batches[1]._able = False
    for one in batches:
        one.advance(5)
        one.change_parts(1, plant)
        one.advance(15)
    return batches


def test_parts_that_change_in_flight_and_craft_that_lanes_do_not_have():
    crafts = crafts_of(10, 6, 'earth')
    rough = crafts_of(10, 6, 'earth', **{'wheel.a.imbalance.dynamic': 1e-9})
    batch, other = changed_in_flight(crafts, rough[1].plant)
    for one in (batch, other):
        one.strike(np.full(6, 1e-4))
        one.advance(15)
    assert batch._able
    assert batch.states.tobytes() == other.states.tobytes()
    assert batch.internal.tobytes() == other.internal.tobytes()


@pytest.mark.parametrize('substeps', [0, 1])
def test_static_friction_that_depends_on_speed_has_the_same_bits(substeps, monkeypatch):
    rng, crafts = np.random.default_rng(14), []
    for _ in range(LANES + 3):
        rubbing = {f'wheel.{name}.{key}': value for name in WHEELS for key, value in (
            ('friction.coulomb', 1e-5), ('friction.static', 4e-5), ('initial_speed', 2.0),
            ('friction.stribeck_speed', rng.choice((0.0, 1.0, 3.0))), ('torque', 5e-5),
            ('torque_lag', 0.0), ('max_speed', 600.0), ('max_power', 1.0),
        )}  # fmt: skip
        crafts.append(craft(rng, 'earth', 3, rubbing | {'substeps': substeps}))
    if substeps:  # else some fly alone, which need more sub-steps than others
        monkeypatch.setattr(craft_lanes, 'alone', lambda _: Handle(ADVANCE, lose))
    batch = batch_of(crafts)
    assert batch._able
    batch.advance(20)
    assert not batch.lost.any()
    same(batch, crafts, 20)


def test_a_limit_that_acts_only_within_a_step_acts():
    # From rest RK4 ends at z - z²/2 + z³/6 - z⁴/24 of the last speed T/v, z = v h/J, but looks at
    # z - z²/2 + z³/4 in its last stage, 0.6 % more.
    drag, torque, inertia = 1.55e-4, 1e-3, 2e-5
    z = drag / inertia / 32.0
    end = (z - z**2 / 2.0 + z**3 / 6.0 - z**4 / 24.0) * torque / drag
    given = {
        'wheel.a.initial_speed': 1e-6, 'wheel.a.torque': torque, 'wheel.a.max_torque': 1.0,
        'wheel.a.inertia': inertia, 'wheel.a.friction.viscous': drag, 'wheel.a.torque_lag': 0.0,
        'wheel.a.friction.coulomb': 0.0, 'wheel.a.max_speed': 600.0,
    }  # fmt: skip
    free, limited = (
        crafts_of(12, 4, 'no orbit', wheels=1, **given, **{'wheel.a.max_power': power})
        for power in (1.0, 1.003 * torque * end)
    )
    batch = batch_of(limited)
    batch.advance()
    same(batch, limited, 1)
    assert all(
        alone(few, 1).tobytes() != alone(many, 1).tobytes()
        for few, many in zip(limited, free, strict=True)
    )


@compiled_as(ADVANCE)
def lose(
    begin, row, parts, commands, wrenches, skies, count, first, tick_ns, substeps, rate
):  # fmt: skip
    """Fly nothing: a craft that asks for this is lost."""
    for j in range(len(row)):
        row[j] = np.nan
    return count


def test_a_line_that_exceeds_the_largest_torque_is_cut_off_side_by_side(monkeypatch):
    # Over three time constants the line that replaces a lag ends a tenth of the jump too far.
    most = 2e-4
    given = {
        'wheel.a.initial_speed': 10.0, 'wheel.a.torque': -most, 'wheel.a.max_torque': most,
        'wheel.a.torque_lag': 0.01, 'wheel.a.max_speed': 600.0, 'wheel.a.max_power': 1.0,
    }  # fmt: skip
    crafts = crafts_of(13, 4, 'no orbit', wheels=1, **given)
    monkeypatch.setattr(craft_lanes, 'alone', lambda _: Handle(ADVANCE, lose))
    batch = batch_of(crafts, law=lambda _: {'wheel_torque': np.full((4, 1), most)})
    batch.advance(3)
    assert not batch.lost.any()
    flat = np.hstack((batch.states, batch.internal))
    for n, one in enumerate(crafts):
        full = one.inputs._replace(wheel_torque=np.array([most]))
        assert flat[n].tobytes() == alone(one, 3, lambda _, full=full: full).tobytes(), n


def test_craft_in_which_nothing_happens_do_not_fly_alone(monkeypatch):
    quiet = {f'wheel.{name}.{key}': value for name in WHEELS for key, value in (
        ('initial_speed', 20.0), ('torque', 1e-6), ('max_speed', 600.0), ('max_power', 1.0),
    )}  # fmt: skip
    crafts = crafts_of(11, LANES, 'earth', **quiet)
    monkeypatch.setattr(craft_lanes, 'alone', lambda _: Handle(ADVANCE, lose))
    batch = batch_of(crafts)
    batch.advance(50)
    assert not batch.lost.any()
    stopped = crafts_of(11, LANES, 'earth', **quiet | {'wheel.b.initial_speed': 0.0})
    batch = batch_of(stopped)
    batch.advance()
    assert batch.lost.any()


@pytest.mark.parametrize(('steps', 'most'), [
    ([5] * 15 + [40], 5),  # 40 of all take longer than 5 of all and 40 of one alone
    ([5] * 8 + [8] * 8, 8),
    ([40] * 15 + [5], 40),
    ([5] * 13 + [6, 7, 99], 7),
])  # fmt: skip
def test_craft_with_other_numbers_of_sub_steps_fly_together_where_that_is_quicker(steps, most):
    w = np.zeros((CRAFT_SIZE, LANES))
    w[STEPS], w[SMOOTH], w[SMOOTH, 3] = steps, 1.0, 0.0
    assert even_out(w) == most
    beside = w[SMOOTH] == 1.0
    assert beside.tolist() == [n <= most and i != 3 for i, n in enumerate(steps)]
    assert w[STEPS].tolist() == np.where(beside, steps, 1.0).tolist()
