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
from spacecraft_attitude_sim.core.environment.around import Surroundings
from spacecraft_attitude_sim.core.environment.earth import (
    ASTRONOMICAL_UNIT,
    ROTATION_RATE,
    SOLAR_CONSTANT,
    geodetic,
)
from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.environment.magnetic_field import UniformField, igrf14
from spacecraft_attitude_sim.core.environment.orbit_table import STEP, around, recorded
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.environment.two_line_orbit import TwoLineOrbit
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


# Near the perigee of the second everything goes twice as fast.
@pytest.mark.parametrize(
    ('orbit', 'most_nT'), [(ORBIT, 1e-7), (KeplerOrbit(2.5474e7, 0.73, 1.1, 0.3, 4.7), 5e-7)]
)
def test_between_nodes_it_is_as_accurate_as_it_says(orbit, most_nT):
    world = environment(orbit)
    times = np.sort(np.random.default_rng(1).uniform(0.0, 2.0 * 5677.0, 300))
    flat = world.table().covering(0.0, 2.0 * 5677.0)
    found = np.array([around(flat, t) for t in times])
    truth = exact(world, times)
    velocity = [orbit_moved(orbit, t).states_W(EPOCH, np.zeros(1))[0, 3:] for t in times]

    def worst(name, expected):
        return np.abs(found[:, AROUND.of(name)] - expected).max()

    # (n h)⁷ r / 7! and less of the polynomials is below what doubles show of 7e6 m, some 1e-9 m,
    # and of that in 10 s; more is of the anomaly, which here has 1e-15 rad of round-off.
    assert worst('position_W', truth['position_W']) < 4e-8
    assert worst('velocity_W', velocity) < 4e-8
    # Measured: 3e-8 nT at 500 km and 2.3e-7 nT. By Lagrange's polynomials of six nodes it would be
    # 1.9e-6 nT at 500 km, by Catmull-Rom of four 0.02 nT.
    assert worst('magnetic_field_W', truth['magnetic_field_W']) < most_nT * 1e-9
    for name, body in (('to_sun_W', 'sun_W'), ('to_moon_W', 'moon_W')):
        direction = truth[body] - truth['position_W']
        direction /= np.linalg.norm(direction, axis=1)[:, np.newaxis]
        # One of 9800 days since J2000 is known to 1.8e-12, and the Moon goes 13 deg in it.
        assert worst(name, direction) < 3e-12
    # Layers of the air are of the instant's height: 1e-8 m of it, of a scale height of 5e4 m.
    places = np.column_stack((truth['air'], truth['air'], truth['air']))
    exactly = np.exp(ExponentialAir().log_density(EPOCH, times, places))
    assert np.abs(found[:, AROUND.at('density')] / exactly - 1.0).max() < 2e-12


def test_air_of_another_model_is_between_nodes_by_the_logarithm():
    """Of a density that changes as the flattened Earth has it, twice in an orbit: 21 km of 60."""

    class Smooth:
        exact, name = True, 'smooth'

        def log_density(self, epoch, times, places):
            return -20.0 - places[:, 0] / 6e4

    layer = ExponentialAir(((0.0, math.exp(-20.0), 6e4),))
    times = np.random.default_rng(3).uniform(0.0, 5677.0, 50)
    one, other = (
        environment(air=air, density_factor=2.0).table().covering(0.0, 5677.0)
        for air in (Smooth(), layer)
    )
    for t in times:
        found, exactly = (around(table, t)[AROUND.at('density')] for table in (one, other))
        assert found == pytest.approx(exactly, rel=1e-11, abs=0.0)
        assert exactly > 1e-13


@pytest.mark.parametrize('count', [1, 2, 3])
def test_air_has_the_layer_of_its_height_also_the_lowest(count):
    """ρ exp(-(h - base)/H) of the last layer that begins below h; the first has no lower end.

    The orbit is at 493 to 529 km of height, over three layers and below the lowest base.
    """
    layers = [(500e3, 1e-12, 5e4), (510e3, 3e-12, 6e4), (520e3, 5e-12, 7e4)][:count]
    table = environment(air=ExponentialAir(tuple(layers))).table().covering(0.0, 5677.0)
    met = set()
    for t in np.arange(0.0, 5677.0, 50.0):
        now = around(table, t)
        q_EW = rotations.conjugate(now[AROUND.of('q_WE')])
        height = geodetic(*rotations.rotate(q_EW, now[AROUND.of('position_W')]))[0]
        own = max(sum(base <= height for base, _, _ in layers) - 1, 0)
        base, density, scale = layers[own]
        expected = density * math.exp(-(height - base) / scale)
        assert now[AROUND.at('density')] == pytest.approx(expected, rel=2e-12, abs=0.0)
        met.add((own, height < base))
    assert met == {(0, True), *((k, False) for k in range(count))}


def test_twice_as_fine_a_table_errs_a_hundredth():
    """Polynomials through seven nodes: of seventh order, their slopes of sixth at the nodes."""
    times = np.random.default_rng(2).uniform(0.0, 5000.0, 60)
    truth = exact(environment(), times)
    velocity = [orbit_moved(ORBIT, t).states_W(EPOCH, np.zeros(1))[0, 3:] for t in times]
    errors = []
    for step in (320.0, 160.0):
        world = environment()
        numbers = sorted({int(t // step) + k for t in times for k in range(-3, 5)})
        rows = {number: world.nodes(round(number * step / STEP), 1)[0] for number in numbers}
        found = []
        for t in times:
            number = int(t // step)
            nodes = np.concatenate([rows[number + k] for k in range(-3, 5)])
            head = world.table().covering(0.0, 0.0)[: orbit_table.NODES]
            flat = np.concatenate((head, nodes))
            flat[orbit_table.FIRST_NODE], flat[orbit_table.COUNT] = number - 3, 8
            flat[orbit_table.SPACING] = step
            found.append(around(flat, t))
        found = np.array(found)
        errors.append([
            np.abs(found[:, AROUND.of(name)] - expected).max()
            for name, expected in (
                ('position_W', truth['position_W']), ('velocity_W', velocity),
            )
        ])  # fmt: skip
    ratios = np.array(errors[0]) / errors[1]
    assert 2.0**6.5 < ratios[0] < 2.0**8.0
    assert 2.0**5.5 < ratios[1] < 2.0**7.0


# A GPS transfer of e = 0.73, of Vallado and others, Revisiting Spacetrack Report 3, 2006, moved to
# where it passes its perigee at 200 s; and Vanguard 1.
TRANSFER = (
    '1 11801U          80230.29629788  .01431103  00000-0  14311-1      13',
    '2 11801  46.7916 230.4354 7318036  47.4722  10.4117  2.28537848    13',
)


def test_velocity_is_the_derivative_of_the_position_with_sgp4():
    """At nodes and between, everywhere; by differences of eighth order over 2 s."""
    orbit = TwoLineOrbit(*TRANSFER)
    epoch = epoch_of(orbit.utc)
    world = EarthEnvironment(epoch, orbit, UniformField(np.zeros(3)))
    # Its perigee is 10.4 deg of mean anomaly before its elements.
    begin = -10.4117 / 360.0 / 2.28537848 * 86400.0 - 600.0
    flat = world.table().covering(begin - 10.0, begin + 1210.0)
    nodes = STEP * np.arange(math.ceil(begin / STEP), begin // STEP + 120.0)
    times = np.sort(np.concatenate((nodes, nodes + 3.7, nodes + 9.99)))

    def place(t):
        return around(flat, t)[AROUND.of('position_W')]

    weights = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
    worst = 0.0
    for t in times:
        slope = sum(
            w * (place(t + 0.5 * k) - place(t - 0.5 * k)) / 0.5 for k, w in enumerate(weights, 1)
        )
        worst = max(worst, np.abs(around(flat, t)[AROUND.of('velocity_W')] - slope).max())
    # Round-off of 7e6 m, and of SGP4's 1e-6 m at the nodes where two polynomials meet.
    assert worst < 5e-8
    own = orbit.states_W(epoch, nodes)
    found = np.array([around(flat, t) for t in nodes])
    np.testing.assert_array_equal(found[:, AROUND.of('position_W')], own[:, :3])
    # SGP4's own velocity is another function.
    apart = np.linalg.norm(found[:, AROUND.of('velocity_W')] - own[:, 3:], axis=1).max()
    assert 1.0 < apart < 10.0


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


def test_a_time_in_a_long_run_is_as_exact_as_in_a_short_one():
    """The same nodes a year later: the part of a step is what doubles tell of the time."""
    flat = environment().table().covering(1200.0, 1300.0)
    later = flat.copy()
    later[orbit_table.FIRST_NODE] += 3_000_000
    for t in (1230.0, 1234.5, 1239.75):
        one, other = (around(table, time)[:9] for table, time in ((flat, t), (later, t + 3e7)))
        assert one.tobytes() == other.tobytes()


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
    with pytest.raises(ValueError, match='from 0 s to 3609 s; it says nothing of 0 s to 3700 s'):
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
    filled[orbit_table.FIELD : orbit_table.FIELD + 3] = 0.0
    earth_environment._fill_nodes.function(
        EPOCH.constants, world.flat_field, STEP * np.arange(-1.0, 2.0),
        earth_environment.scratch_for(world.flat_field), filled, np.zeros(9),
    )  # fmt: skip
    assert nodes[:, orbit_table.AIR_HERE].min() > 5e5
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


def test_an_orbit_whose_computation_was_broken_off_is_computed_again(monkeypatch):
    """As by Ctrl-C; what was asked for is not taken for known."""
    world = EarthEnvironment(
        epoch_of('2026-03-20T12:00:00Z'), KeplerOrbit(7e6), UniformField(np.zeros(3))
    )
    place = Surroundings(world.table(), 3.986e14)
    with monkeypatch.context() as broken:
        broken.setattr(EarthEnvironment, 'nodes', lambda *_: 1 / 0)
        broken.setattr(place, '_table', world.table())
        with pytest.raises(ZeroDivisionError):
            place.at(0.0)
    monkeypatch.setattr(place, '_table', world.table())
    assert np.isfinite(place.at(0.0)).all()
