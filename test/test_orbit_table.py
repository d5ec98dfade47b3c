# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The table of what is around: as accurate as it says, and the same bits however it came about."""

import itertools
import math
import time

import numpy as np
import pytest

from spacecraft_attitude_sim.core.environment import orbit_table
from spacecraft_attitude_sim.core.environment.air import ExponentialAir
from spacecraft_attitude_sim.core.environment.earth import (
    ASTRONOMICAL_UNIT,
    ROTATION_RATE,
    SOLAR_CONSTANT,
)
from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.environment.magnetic_field import UniformField, igrf14
from spacecraft_attitude_sim.core.environment.orbit_table import STEP, around, recorded
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations

EPOCH = epoch_of('2026-11-01T12:00:00Z')
# A sun-synchronous orbit at 500 km.
ORBIT = KeplerOrbit(6878137.0, 0.001, math.radians(97.402), 0.7, 0.3, 0.2, flattening=True)
FIELD = AROUND.of('magnetic_field_W')


def environment(orbit=ORBIT, **models):
    return EarthEnvironment(EPOCH, orbit, **{'air': ExponentialAir(), **models})


def exact(world, times):
    """Return {name: (n, …)} of NODE at any times, from the models themselves, no table."""
    offsets = np.array(times) % STEP
    numbers = np.floor(np.array(times) / STEP).astype(int)
    rows = []
    for offset, number in zip(offsets, numbers, strict=True):
        moved = orbit_moved(world.orbit, offset)
        epoch = epoch_moved(offset)
        rows.append(EarthEnvironment(epoch, moved, air=world.air).nodes(int(number), 1)[0])
    rows = np.array(rows)
    return {name: rows[:, orbit_table.NODE.of(name)] for name in orbit_table.NODE.widths}


def orbit_moved(orbit, seconds):
    """Return the same orbit whose time 0 is some seconds later."""
    flat = orbit.flat()
    node, perigee, anomaly = flat[3:6] + seconds * flat[6:9]
    return KeplerOrbit(
        orbit.semi_major_axis, orbit.eccentricity, orbit.inclination, node, perigee,
        mean_anomaly=anomaly, flattening=orbit.flattening,
    )  # fmt: skip


def epoch_moved(seconds):
    """Return EPOCH some seconds later, as it turns: precession and nutation of the first."""
    from spacecraft_attitude_sim.core.environment.epoch import EPOCH as LAYOUT
    from spacecraft_attitude_sim.core.environment.epoch import Epoch

    constants = EPOCH.constants.copy()
    constants[LAYOUT.at('days')] += seconds / 86400.0
    constants[LAYOUT.at('year')] += seconds / 86400.0 / 365.0
    constants[LAYOUT.at('rotation_angle')] += ROTATION_RATE * seconds
    return Epoch(EPOCH.utc, constants)


def test_between_nodes_it_is_as_accurate_as_it_says():
    world = environment()
    times = np.sort(np.random.default_rng(1).uniform(0.0, 2.0 * 5677.0, 300))
    flat = world.table().covering(0.0, 2.0 * 5677.0)
    found = np.array([around(flat, t) for t in times])
    truth = exact(world, times)

    def worst(name, expected):
        return np.abs(found[:, AROUND.of(name)] - expected).max()

    # (h n)⁴ r / 384 and (h n)³ n r √3/216 of a cubic Hermite polynomial, n = 1.107e-3 rad/s; the
    # field is measured, and changes by 1/13 of itself in a radian where it does so fastest.
    assert worst('position_W', truth['position_W']) < 2.7e-4
    assert worst('velocity_W', truth['velocity_W']) < 8.4e-5
    assert worst('magnetic_field_W', truth['magnetic_field_W']) < 0.03e-9
    for name, body in (('to_sun_W', 'sun_W'), ('to_moon_W', 'moon_W')):
        direction = truth[body] - truth['position_W']
        direction /= np.linalg.norm(direction, axis=1)[:, np.newaxis]
        assert worst(name, direction) < 1e-11
    # The layers of the air have kinks: a part in a thousand where one is crossed.
    density = found[:, AROUND.of('density')]
    assert np.abs(density / np.exp(truth['log_density']) - 1.0).max() < 1e-3


def test_twice_as_fine_a_table_errs_a_sixteenth():
    """Of position: cubic Hermite is of fourth order. Of the field: Catmull-Rom of third."""
    times = np.random.default_rng(2).uniform(0.0, 5000.0, 60)
    truth = exact(environment(), times)
    errors = []
    for step in (40.0, 20.0):
        rows = {}
        for number in sorted({int(t // step) + k for t in times for k in (-1, 0, 1, 2)}):
            rows[number] = environment().nodes(round(number * step / STEP), 1)[0]
        found = []
        for t in times:
            number = int(t // step)
            nodes = np.concatenate([rows[number + k] for k in (-1, 0, 1, 2)])
            head = environment().table().covering(0.0, 0.0)[: orbit_table.NODES]
            flat = np.concatenate((head, nodes))
            flat[orbit_table.FIRST_NODE], flat[orbit_table.COUNT] = number - 1, 4
            flat[orbit_table.SPACING] = step
            found.append(around(flat, t))
        found = np.array(found)
        errors.append([
            np.abs(found[:, AROUND.of(name)] - truth[name]).max()
            for name in ('position_W', 'velocity_W', 'magnetic_field_W')
        ])  # fmt: skip
    ratios = np.array(errors[0]) / errors[1]
    assert ratios[0] == pytest.approx(16.0, rel=0.15)
    assert ratios[1] == pytest.approx(8.0, rel=0.15)
    assert 6.0 < ratios[2] < 16.0


@pytest.mark.parametrize('begin', [0.0, 1234.5])
def test_table_has_the_same_bits_however_it_is_extended(begin):
    whole = environment().table().covering(0.0, 7200.0)
    table = environment().table()
    pieces = [begin, begin + 1.0, begin + 900.0, begin + 1283.0, 4000.0, 7200.0]
    for start, end in itertools.pairwise(pieces):
        flat = table.covering(start, end)
        for t in (start, (2.0 * start + end) / 3.0, end):
            assert around(flat, t).tobytes() == around(whole, t).tobytes()
    again = environment().table().covering(0.0, 7200.0)
    assert again.tobytes() == whole.tobytes()


def test_it_forgets_what_a_run_without_end_has_passed():
    table = environment().table()
    for hour in range(3):
        table.covering(3600.0 * hour, 3600.0 * (hour + 1))
    assert len(table._blocks) <= 3600.0 / STEP / orbit_table.BLOCK + 2


def test_kept_table_is_the_table():
    flat = environment().table().covering(0.0, 3600.0)
    table = recorded(np.array(flat.tolist()))
    assert table.covering(0.0, 3600.0).tobytes() == flat.tobytes()
    for begin, end in ((0.0, 10.0), (1000.0, 3600.0)):
        part = table.covering(begin, end)
        assert len(part) < len(flat)
        assert around(part, end).tobytes() == around(flat, end).tobytes()
    with pytest.raises(ValueError, match='from 0 s to 3610 s; it says nothing of 0 s to 3700 s'):
        table.covering(0.0, 3700.0)
    with pytest.raises(ValueError, match='says nothing of -1 s'):
        table.covering(-1.0, 10.0)
    for damaged in (flat[:-1], flat[:5], flat.reshape(1, -1), np.zeros(40)):
        with pytest.raises(ValueError, match='damaged'):
            recorded(damaged)


def test_outside_of_the_table_there_is_nothing():
    flat = environment().table().covering(0.0, 100.0)
    assert np.isfinite(around(flat, 0.0)).all()
    assert np.isfinite(around(flat, 100.0)).all()
    for outside in (-0.1, 110.1, 1e6, -1e6):
        assert np.isnan(around(flat, outside)).all()


def test_compiled_code_has_the_bits_of_plain_python():
    world = environment(KeplerOrbit(7e6, 0.01, 0.5))
    flat = world.table().covering(0.0, 6000.0)
    lit = []
    for t in np.linspace(0.0, 6000.0, 301):
        plain = np.empty(AROUND.size)
        orbit_table._around.function(flat, float(t), plain)
        assert plain.tobytes() == around(flat, t).tobytes()
        lit.append(plain[AROUND.at('lit')])
    assert min(lit) == 0.0
    assert max(lit) == 1.0
    from spacecraft_attitude_sim.core.environment import earth_environment, kepler_orbit

    times = np.array((-10.0, 0.0, 12340.0))
    states, plain = world.orbit.states_W(EPOCH, times).ravel(), np.empty(18)
    kepler_orbit._fill_states.function(world.orbit.flat(), times, plain)
    assert plain.tobytes() == states.tobytes()
    nodes, again = world.nodes(-1, 3), world.nodes(-1, 3)
    filled = again.ravel()
    filled[6:9] = 0.0
    earth_environment._fill_nodes.function(
        EPOCH.constants, world.flat_field, STEP * np.arange(-1.0, 2.0),
        earth_environment.scratch_for(world.flat_field), filled, np.zeros(9),
    )  # fmt: skip
    assert filled.tobytes() == nodes.tobytes()


def test_a_day_is_there_in_less_than_a_second():
    world = environment()
    world.table().covering(0.0, 10.0)
    begin = time.process_time()
    flat = world.table().covering(0.0, 86400.0)
    assert time.process_time() - begin < 1.0
    assert flat.nbytes < 1.2e6


def test_earth_turns_once_in_a_sidereal_day():
    flat = environment().table().covering(0.0, 86400.0)
    day = math.tau / ROTATION_RATE
    assert day == pytest.approx(86164.0989, abs=1e-3)
    first, later = (around(flat, t)[AROUND.of('q_WE')] for t in (100.0, 100.0 + day))
    assert rotations.angle_between(first, later) < 1e-12
    quarter = around(flat, 100.0 + day / 4.0)[AROUND.of('q_WE')]
    assert rotations.angle_between(first, quarter) == pytest.approx(math.pi / 2.0, abs=1e-12)
    # Eastward: a longitude rises in the east of world, from x to y.
    x = rotations.rotate(rotations.compose(quarter, rotations.conjugate(first)), (1.0, 0.0, 0.0))
    assert x[1] > 0.99


def test_air_turns_with_the_earth():
    flat = environment().table().covering(0.0, 100.0)
    found = AROUND.unpacked(around(flat, 50.0))
    air = found['wind_W'] + found['velocity_W']
    pole = rotations.rotate(found['q_WE'], (0.0, 0.0, 1.0))
    np.testing.assert_allclose(
        air, np.cross(ROTATION_RATE * pole, found['position_W']), rtol=0.0, atol=1e-9
    )


def test_irradiance_falls_with_the_square_of_the_distance():
    flat = environment().table().covering(0.0, 6000.0)
    found = [AROUND.unpacked(around(flat, t)) for t in np.arange(0.0, 6000.0, STEP)]
    nodes = environment().nodes(0, 600)[:, orbit_table.NODE.of('sun_W')]
    for part, sun in zip(found, nodes, strict=True):
        share = ASTRONOMICAL_UNIT / np.linalg.norm(sun - part['position_W'])
        expected = SOLAR_CONSTANT * share**2 * part['lit'][0]
        assert part['irradiance'][0] == pytest.approx(expected, rel=1e-12)
    assert {0.0, 1.0} <= {part['lit'][0] for part in found}


def test_without_air_there_is_none_and_a_uniform_field_stays():
    field = (1e-5, -2e-5, 3e-5)
    flat = environment(air=None, magnetic_field=UniformField(field)).table().covering(0.0, 60.0)
    found = AROUND.unpacked(around(flat, 33.3))
    assert found['density'][0] == 0.0
    np.testing.assert_allclose(found['magnetic_field_W'], field, rtol=1e-15)


@pytest.mark.parametrize(
    ('models', 'words'),
    [
        ({'solar_constant': -1.0}, 'solar_constant is -1 W/m'),
        ({'solar_constant': math.nan}, 'solar_constant is nan'),
    ],
)
def test_impossible_environments_are_refused(models, words):
    with pytest.raises(ValueError, match=words):
        environment(**models)


def test_epoch_outside_of_the_model_is_refused():
    with pytest.raises(ValueError, match='2031.0, and igrf14 is of 1900 to 2030'):
        EarthEnvironment(epoch_of('2031-01-01'), ORBIT, igrf14())
