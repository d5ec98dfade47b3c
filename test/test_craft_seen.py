# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side under laws and with sensors have the bits that each has alone."""

import numpy as np
import pytest
from test_craft_lanes import LANES, WHEELS, crafts_of

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.batch.episodes import EpisodeBatch
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.simulation import next_instant
from spacecraft_attitude_sim.flight import side_by_side

ERRORS = {
    'imu.gyroscope.angle_random_walk': [0.15], 'imu.orientation_noise': 0.005,
    'magnetometer.enabled': True, 'magnetometer.noise': [20.0], 'magnetometer.interval': 3,
    'magnetorquer.x.interference': [1e-6, 2e-6, 3e-6],
}  # fmt: skip


def batch_of(crafts, law=None, beside=True, kind=Batch, **options):
    """Return the Batch of Scenarios with their sensors, side by side or one by one."""
    batch = kind(**side_by_side.arguments_of(crafts), **options)
    assert batch._able
    batch._able = beside
    if law is not None:
        batch._obey_law(law, side_by_side.holding_of(crafts))
    return batch


def both(crafts, law=None, **options):
    """Return two batches of the same: side by side, and one by one."""
    return [batch_of(crafts, law and law(), beside, **options) for beside in (True, False)]


def check_same(batch, other):
    """Compare the bits of all that two batches have of each craft."""
    for mine, own in (
        (batch.states, other.states), (batch.internal, other.internal),
        (batch.commands, other.commands), (batch.wrenches, other.wrenches),
        (batch._sensors.readings, other._sensors.readings),
        (batch._sensors.truths, other._sensors.truths), (batch.memory, other.memory),
        (batch._sensors.memory, other._sensors.memory), (batch._sensors.last, other._sensors.last),
        (batch._actuated.ends, other._actuated.ends),
    ):  # fmt: skip
        np.testing.assert_array_equal(mine, own)
        assert (np.signbit(mine) == np.signbit(own))[np.isfinite(mine)].all()


def fly_the_same(crafts, law):
    """Fly craft under a law side by side and one by one; compare all bits, and the merits."""
    batch, other = both(crafts, law, watched=True, settled_rate=0.01)
    for ticks in (1, 3, 40):
        for one in (batch, other):
            one.advance(ticks)
    check_same(batch, other)
    for mine, own in zip(batch.merits, other.merits, strict=True):
        np.testing.assert_array_equal(mine, own)


@pytest.mark.parametrize('orbit', ['no orbit', 'circle', 'earth'])
@pytest.mark.parametrize('substeps', [0, 1, 3])
def test_sensors_side_by_side_read_what_those_of_each_alone_read(orbit, substeps):
    crafts = crafts_of(20 + substeps, LANES + 5, orbit, substeps=substeps, **ERRORS)
    batch, other = both(crafts)
    kept = [one.followed(40) for one in (batch, other)]
    np.testing.assert_array_equal(*kept)
    for one in (batch, other):
        one.advance(20)
    check_same(batch, other)
    for n in (0, LANES):
        instant = crafts[n].first_instant()
        for _ in range(60):
            instant = next_instant(crafts[n].plant, instant, crafts[n].inputs)
        flat = np.concatenate((batch.states[n], batch.internal[n]))
        assert flat.tobytes() == to_flat(instant.state).tobytes()
        own = np.concatenate(list(instant.readings.flat.values()))
        assert batch._sensors.readings[n].tobytes() == own.tobytes()


def test_imus_feel_the_friction_that_depends_on_speed():
    rubbing = {f'wheel.{name}.friction.{key}': value for name in WHEELS for key, value in (
        ('coulomb', 1e-5), ('static', 4e-5), ('stribeck_speed', 4.0),
    )}  # fmt: skip
    batch, other = both(crafts_of(35, LANES + 2, 'circle', **rubbing, **ERRORS))
    kept = [one.followed(30) for one in (batch, other)]
    np.testing.assert_array_equal(*kept)
    check_same(batch, other)


def swing(time, attitude, angular_velocity, memory, parameters):
    """Return a torque, a dipole, and speeds or torques of wheels that change in each tick."""
    memory[0] += time
    turn = np.sin(7.0 * time + parameters[0])
    x, y, z = angular_velocity
    return (
        1e-4 * turn - 1e-3 * x, 1e-5 * memory[0], -1e-3 * z, 0.2 * turn, -0.1, 100.0 * y,
        300.0 * turn * parameters[1], 20.0 * parameters[1], 40.0 * z + 5.0,
    )  # fmt: skip


def law_of(word, count):
    """Return a function that makes the CompiledLaw `swing`; word: what it commands wheels."""
    size = 1.0 if word == 'wheel_speed' else 1e-6
    given = [[k, size] for k in range(count)]
    return lambda: sas.CompiledLaw(swing, given, [0.0], ('torque', 'dipole', word))


@pytest.mark.parametrize('word', ['wheel_torque', 'wheel_speed'])
@pytest.mark.parametrize('orbit', ['circle', 'earth'])
def test_a_compiled_law_commands_each_craft_as_it_does_alone(word, orbit):
    servo = {f'wheel.{name}.speed_bandwidth': 2.0 for name in WHEELS}
    crafts = crafts_of(30, 2 * LANES + 3, orbit, substeps=0, **servo, **ERRORS)
    law = law_of(word, len(crafts))
    batch, other = both(crafts, law, threads=1, watched=True, settled_rate=0.01)
    shared = batch_of(crafts, law(), threads=2)
    for ticks in (1, 3, 40):
        for one in (batch, other, shared):
            one.advance(ticks)
    check_same(batch, other)
    check_same(batch, shared)
    for mine, own in zip(batch.merits, other.merits, strict=True):
        np.testing.assert_array_equal(mine, own)


def test_held_speeds_of_wheels_ask_for_a_torque_anew_in_each_tick():
    servo = {f'wheel.{name}.speed_bandwidth': 2.0 for name in WHEELS}
    crafts = crafts_of(31, LANES, 'circle', **servo)
    commands = [
        one.plant.spacecraft.commands(one.inputs._replace(
            wheel_speed=np.array((3.0, 10.0 + n, -5.0)), wheel_torque=np.zeros(0)
        )) for n, one in enumerate(crafts)
    ]  # fmt: skip
    batch, other = both(crafts)
    for one in (batch, other):
        one._actuated.commands[:] = commands
        one.advance(25)
    check_same(batch, other)
    held = batch.commands[:, 1:6:2]
    assert np.isfinite(held).all()


def test_a_lost_craft_reads_nothing_any_more_and_changes_no_other():
    crafts = crafts_of(32, LANES + 2, 'earth', **ERRORS)
    batch, other = both(crafts)
    wrenches = 1e-5 * np.random.default_rng(3).normal(size=(len(crafts), 12))
    wrenches[2, 3] = 1e250
    kept = []
    for one in (batch, other):
        one.advance(4)
        one.hold(wrenches)
        kept.append(one.followed(6))
    np.testing.assert_array_equal(*kept)
    check_same(batch, other)
    assert batch.lost.nonzero()[0].tolist() == [2]
    assert np.isnan(batch._sensors.readings[2]).all()


@pytest.mark.parametrize('lawful', [False, True])
def test_craft_that_begin_again_at_other_times_have_their_own_clocks(lawful):
    drifting = {'gnss.enabled': True, 'imu.gyroscope.rate_random_walk': [0.5]}
    crafts = crafts_of(33, LANES + 4, 'earth', **drifting, **ERRORS)
    suites = [one.sensors for one in crafts]
    law = law_of('wheel_torque', len(crafts)) if lawful else None
    batch, other = both(crafts, law, kind=EpisodeBatch, suites=suites)
    rng = np.random.default_rng(2)
    for _ in range(6):
        chosen = np.flatnonzero(rng.integers(0, 3, len(crafts)) == 0)
        first = np.array([to_flat(crafts[n].initial) for n in chosen])
        for one in (batch, other):
            one.advance(3)
            one.begin_again(chosen, first[:, :13], first[:, 13:], 7 + chosen)
        check_same(batch, other)
        for one in (batch, other):
            one.advance(2)
    check_same(batch, other)


def test_the_shipped_controller_and_its_merits_are_those_of_craft_alone(monkeypatch):
    base = scenario.load(scenario.find('cubesat_3u_leo'))
    rng = np.random.default_rng(1)
    found = [
        scenario.changed(base, {
            'initial.angular_velocity': (0.05 * rng.normal(size=3)).tolist(), 'seed': seed,
        }, 'test') for seed in range(LANES + 1)
    ]  # fmt: skip
    instants = [one.first_instant() for one in found]
    asked, results = flights.Asked(60.0, 0.01, 0.1, 0.0), []
    for beside in (True, False):
        if not beside:
            monkeypatch.setattr(craft_lanes, 'fly_beside', lambda _: False)
        flown = flights.fly(found, instants, asked, flights.law_of(found), threads=1)
        results.append(flights.results(found, flown))
    for name, values in results[0].items():
        np.testing.assert_array_equal(values, results[1][name], err_msg=name)
