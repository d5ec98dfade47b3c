# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Horizon sensor, GNSS receiver, star tracker near bright bodies, magnetometer in an orbit."""

import math
from dataclasses import fields as dataclass_fields
from dataclasses import replace

import numpy as np
import pytest
from surroundings import EARTH, RADIUS, X, Y, Z, history, read, seen, turned, unit

from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.environment import wgs84
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import (
    Gnss,
    HorizonSensor,
    Magnetometer,
    StarTracker,
    SunSensor,
    TriadErrors,
)
from spacecraft_attitude_sim.core.sensors.gnss import EARTH_RATE

TO_NADIR = turned(Y, -90.0)  # of the boresight z: to -x of world, where the Earth is
LIMB = math.degrees(math.asin(EARTH / RADIUS))


def nadir(truth, **sensor):
    sensor = {'q_BS': TO_NADIR, **sensor}
    return read(truth, horizon_sensor=HorizonSensor(**sensor)).nadir


# --- horizon sensor -----------------------------------------------------------------------------


def test_horizon_sensor_without_errors_reads_the_earths_centre_in_its_own_axes():
    q_WB = turned(unit((1, 2, -1)), 20.0)
    expected = rotations.rotate(rotations.conjugate(rotations.compose(q_WB, TO_NADIR)), -X)
    assert nadir(seen(q_WB)).direction_S == pytest.approx(expected, abs=1e-15)
    assert nadir(seen()).direction_S == pytest.approx(Z, abs=1e-15)


def test_horizon_sensor_reads_nothing_with_the_earth_out_of_its_view():
    view = (math.radians(60.0),) * 2
    assert nadir(seen(turned(Z, 29.9)), field_of_view=view).direction_S is not None
    out = nadir(seen(turned(Z, 30.1)), field_of_view=view)
    assert (out.direction_S, out.why) == (None, "the Earth's centre is out of its view")


def test_horizon_sensor_is_blinded_by_the_sun_over_the_limb_but_not_in_its_shadow():
    """The limb is asin(R/r) from the centre."""
    for over, blind in ((4.9, True), (5.1, False)):
        angle = math.radians(LIMB + over)
        truth = seen(to_sun_W=-math.cos(angle) * X + math.sin(angle) * Z)
        sight = nadir(truth, sun_exclusion=math.radians(5.0))
        assert (sight.direction_S is None) == blind
        assert sight.why == ('the Sun is near the limb' if blind else '')
        assert nadir(truth).direction_S is not None
    eclipsed = seen(to_sun_W=-X, irradiance=0.0, lit=0.0)
    assert nadir(eclipsed, sun_exclusion=math.radians(5.0)).direction_S is not None


@pytest.mark.parametrize('latitude', [-60.0, 0.0, 45.0, 90.0])
@pytest.mark.parametrize('declination', [-23.44, 0.0, 23.44])
def test_seasonal_error_is_along_the_meridian_to_the_summer_pole(latitude, declination):
    error, phi, delta = math.radians(0.1), math.radians(latitude), math.radians(declination)
    q_WE = turned(unit((1, 1, 1)), 33.0)
    up_E = np.array((math.cos(phi), 0.0, math.sin(phi)))
    sun_E = np.array((math.cos(delta), 0.0, math.sin(delta)))
    up_W, sun_W, north_W = (
        rotations.rotate(q_WE, v) for v in (up_E, sun_E, (-math.sin(phi), 0.0, math.cos(phi)))
    )
    truth = seen(position_W=RADIUS * up_W, to_sun_W=sun_W, q_WE=q_WE)
    q_BS = rotations.quaternion_from_dcm(np.array((north_W, np.cross(-up_W, north_W), -up_W)).T)
    found_W = rotations.rotate(q_BS, nadir(truth, q_BS=q_BS, seasonal_error=error).direction_S)
    expected = error * math.cos(phi) * math.sin(delta) / math.sin(math.radians(23.44))
    # The tangent of an angle of 0.1 deg is 2e-9 from it.
    assert found_W @ north_W == pytest.approx(expected, abs=3e-9)
    assert found_W @ -up_W == pytest.approx(1.0, abs=2e-6)


def test_noise_of_the_horizon_sensor_has_its_size():
    sigma = math.radians(0.1)
    errors = TriadErrors((sigma * math.sqrt(1 / 32),) * 2 + (0.0,))
    sensor = HorizonSensor(TO_NADIR, errors=errors)
    found = [r.nadir.direction_S[:2] for r in history([seen()] * 4000, horizon_sensor=sensor)]
    assert np.std(found, axis=0) == pytest.approx((sigma, sigma), rel=0.045)


# --- GNSS ---------------------------------------------------------------------------------------


def orbit(time, inclination=1.0, rate=1.1e-3):
    """Return (41,) of a circular orbit at a time [s], the Earth turning by IERS' rate."""
    angle = rate * time
    along = np.array((0.0, math.cos(inclination), math.sin(inclination)))
    return seen(
        position_W=RADIUS * (math.cos(angle) * X + math.sin(angle) * along),
        velocity_W=RADIUS * rate * (math.cos(angle) * along - math.sin(angle) * X),
        q_WE=turned(Z, math.degrees(0.7 + 7.292115e-5 * time)),
    )


def fix(truth, **receiver):
    return read(truth, gnss=Gnss(**receiver)).fix


def test_velocity_is_how_fast_the_position_changes_over_the_turning_earth():
    """By a central difference, of which h² x'''/6 is 1.5e-5 m/s."""
    h = 0.1
    before, now, after = (fix(orbit(1234.5 + t)) for t in (-h, 0.0, h))
    difference = (after.position_E - before.position_E) / (2.0 * h)
    assert now.velocity_E == pytest.approx(difference, abs=3e-5)
    assert np.linalg.norm(now.position_E) == pytest.approx(RADIUS, rel=1e-15)


def test_a_geostationary_receiver_stands_still():
    radius = 42_164_172.0
    truth = seen(position_W=radius * X, velocity_W=radius * EARTH_RATE * Y, q_WE=turned(Z, 50.0))
    assert fix(truth).velocity_E == pytest.approx((0, 0, 0), abs=1e-9)
    latitude, longitude, height = wgs84.geodetic(fix(truth).position_E)
    assert (latitude, math.degrees(longitude)) == pytest.approx((0.0, -50.0), abs=1e-12)
    assert height == pytest.approx(radius - EARTH, abs=1e-6)


def test_the_antenna_is_where_it_is_mounted_and_moves_with_the_body():
    q_WB, omega_B, r_B = turned(Z, 90.0), np.array((0.0, 0.0, 0.5)), np.array((2.0, 0.0, 0.0))
    centre, off = fix(seen(q_WB, omega_B)), fix(seen(q_WB, omega_B), position_B=r_B)
    assert off.position_E - centre.position_E == pytest.approx(2.0 * Y, abs=1e-8)
    # ω × r = 1 m/s along -x of world, and the Earth turns below by 7e-5 of 2 m.
    expected = -X + EARTH_RATE * 2.0 * X
    assert off.velocity_E - centre.velocity_E == pytest.approx(expected, abs=1e-10)


def test_a_displacement_from_the_reference_orbit_is_added():
    from spacecraft_attitude_sim.core.sensors import around

    both = seen()
    moved = around.surrounded(both[:16], both[16:], (100.0, 0.0, -7.0), (0.0, 0.2, 0.0))
    assert fix(moved).position_E - fix(both).position_E == pytest.approx((100, 0, -7), abs=1e-9)
    # Its own 0.2 m/s, and that the Earth turns below it, 100 m further out.
    faster = (0.0, 0.2 - 100.0 * EARTH_RATE, 0.0)
    assert fix(moved).velocity_E - fix(both).velocity_E == pytest.approx(faster, abs=1e-11)
    assert np.array_equal(both, seen())  # nothing given was changed


@pytest.mark.parametrize('interval', [32, 320])
def test_errors_of_the_receiver_forget_in_their_correlation_time(interval):
    """Var 1 and e^(-t/τ) of a first-order Gauss-Markov process, whatever the interval."""
    tau, period = 50.0, interval / 32.0
    receiver = Gnss(
        position_error=4.0, velocity_error=0.02, clock_error=20e-9, correlation_time=tau,
        interval=1, period=period,
    )  # fmt: skip
    count = 20_000
    found = [r.fix for r in history([seen()] * count, 5, gnss=receiver)]
    true = fix(seen())
    errors = np.array([
        (*(f.position_E - true.position_E) / 4.0, *(f.velocity_E - true.velocity_E) / 0.02,
         f.clock / 20e-9) for f in found
    ])  # fmt: skip
    # Independent stretches: count · period / 2τ; their mean squares scatter by the root of 2 / n.
    scatter = math.sqrt(2.0 * 2.0 * tau / (count * period))
    assert np.mean(errors**2, axis=0) == pytest.approx(np.ones(7), abs=4.5 * scatter)
    lag = round(tau / period)
    kept = np.mean(errors[lag:] * errors[:-lag], axis=0)
    assert kept == pytest.approx(np.full(7, math.exp(-1.0)), abs=4.5 * scatter)
    apart = np.corrcoef(errors.T) - np.eye(7)
    assert np.abs(apart).max() < 4.5 * scatter
    # From one reading to the next: no white noise.
    step = np.std(np.diff(errors, axis=0), axis=0)
    expected = math.sqrt(2.0 * (1.0 - math.exp(-period / tau)))
    assert step == pytest.approx(np.full(7, expected), rel=0.03)


def test_fix_is_lost_when_the_antenna_looks_away_and_comes_back_after_acquisition():
    up, away = seen(turned(Y, 90.0 - 79.0)), seen(turned(Y, 90.0 - 81.0))
    receiver = Gnss(cone=math.radians(80.0), acquisition=3.0 / 32.0, interval=1, period=1.0 / 32.0)
    found = history([up, up, away, up, up, up, up, away], gnss=receiver)
    assert [r.fix is not None for r in found] == [True, True, *[False] * 4, True, False]
    suite = sensors.Suite(gnss=receiver)
    why = [sensors.why_silent(suite, r).get('gnss') for r in found[2:4]]
    assert why == ['its antenna looks away from the sky', 'it is acquiring']


@pytest.mark.parametrize(
    ('acquisition', 'count'), [(0.0, 0), (0.02, 1), (0.28, 7), (0.29, 8), (0.56, 14)]
)
def test_the_first_fix_comes_when_the_acquisition_time_is_over(acquisition, count):
    """Readings at 0.04 s, of which 0.28 s are seven; in floats the quotient is more."""
    up, away = seen(turned(Y, 90.0)), seen(turned(Y, -90.0))
    receiver = Gnss(cone=1.0, acquisition=acquisition, interval=1, period=0.04)
    found = history([away, *[up] * 16], gnss=receiver)
    fixes = [reading.fix is not None for reading in found[1:]]
    assert fixes == [k >= count for k in range(16)]


def test_errors_go_on_while_there_is_no_fix():
    up, away = seen(turned(Y, 90.0)), seen(turned(Y, -90.0))
    receiver = Gnss(cone=1.0, position_error=4.0, correlation_time=10.0)
    always = history([up] * 9, gnss=receiver)[8].fix
    lost = history([up, up, *[away] * 6, up], gnss=receiver)[8].fix
    assert np.array_equal(always.position_E, lost.position_E)


def forward(latitude, longitude, height):
    """Return the Earth-fixed position of geodetic coordinates: the definition of the ellipsoid."""
    a, f = 6378137.0, 1.0 / 298.257223563
    normal = a / math.sqrt(1.0 - (2.0 * f - f * f) * math.sin(latitude) ** 2)
    across = (normal + height) * math.cos(latitude)
    z = (normal * (1.0 - f) ** 2 + height) * math.sin(latitude)
    return np.array((across * math.cos(longitude), across * math.sin(longitude), z))


@pytest.mark.parametrize('height', [-10_000.0, 0.0, 400e3, 2e6, 36e6])
def test_geodetic_coordinates_are_those_of_the_definition(height):
    for latitude in np.radians((-90.0, -89.999999, -45.3, -1e-7, 0.0, 12.0, 50.0, 89.0, 90.0)):
        for longitude in (-3.1, -0.2, 0.0, 1.7, 3.14):
            position = forward(latitude, longitude, height)
            found = wgs84.geodetic(position)
            # 1e-9 rad is 6 mm on the ground; the round trip is to a few times round-off.
            assert found[0] == pytest.approx(latitude, abs=2e-15)
            assert found[2] == pytest.approx(height, abs=2e-8)
            if abs(latitude) < 1.57:
                assert found[1] == pytest.approx(longitude, abs=2e-15)
            assert forward(*found) == pytest.approx(position, abs=3e-8)


# --- star tracker, magnetometer -----------------------------------------------------------------


def stars(truth, **angles):
    given = {f'{body}_exclusion': math.radians(angle) for body, angle in angles.items()}
    return read(truth, star_tracker=StarTracker(np.array(rotations.IDENTITY), **given)).solution


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_star_tracker_is_dazzled_within_its_angles_of_sun_limb_and_moon(sign):
    """Boresight z of world, where the Sun is, turned away about x; the Earth is at -x."""
    for angle, free in ((29.9, False), (30.1, True)):
        assert (stars(seen(turned(X, sign * angle)), sun=30.0) is not None) == free
    assert stars(seen(irradiance=0.0, lit=0.0), sun=30.0)  # not in the umbra
    moon = seen(turned(X, 180.0), to_moon_W=unit((0.0, sign * math.sin(0.17), -math.cos(0.17))))
    assert stars(moon, moon=9.7) and not stars(moon, moon=9.8)  # 0.17 rad is 9.74 deg
    # The limb is asin(R/r) from the Earth's centre, which is 90 deg from z.
    for over, free in ((9.9, False), (10.1, True)):
        truth = seen(turned(Y, -(90.0 - LIMB - over)))
        assert (stars(truth, earth=10.0) is not None) == free
    assert stars(seen(turned(Y, -90.0)))  # no angles given: even into the Earth


def test_without_angles_a_star_tracker_reads_the_bits_of_one_in_flat_space():
    given = {'star_tracker': StarTracker(TO_NADIR, 1, 0, 1e-4, 1e-3), 'seed': 9}
    truth = seen(turned(unit((1, 2, 3)), 100.0))
    one, other = read(truth, **given), read(truth[:16].copy(), **given)
    assert np.array_equal(one.flat['star_tracker'], other.flat['star_tracker'])
    assert not given['star_tracker'].needs_orbit
    assert sensors.Suite(star_tracker=StarTracker(TO_NADIR, sun_exclusion=0.1)).needing_orbit


def test_magnetometer_reads_the_field_of_the_orbit_in_its_own_axes():
    field_W, q_WB = np.array((1e-5, -2e-5, 3e-5)), turned(unit((1, 2, 3)), 100.0)
    found = read(seen(q_WB, field_W=field_W), magnetometer=Magnetometer(TO_NADIR))
    q_SW = rotations.conjugate(rotations.compose(q_WB, TO_NADIR))
    expected = rotations.rotate(q_SW, field_W)
    assert found.magnetic_field_S == pytest.approx(expected, abs=1e-19)


def test_magnetometer_feels_the_iron_of_the_body():
    """A (B + what iron adds in proportion) as a turn, a stretch and a shift that are known."""
    field_W, q_WB = np.array((1e-5, -2e-5, 3e-5)), turned(unit((1, 2, 3)), 100.0)
    q_SW = rotations.conjugate(rotations.compose(q_WB, TO_NADIR))
    x, y, z = rotations.rotate(q_SW, field_W)
    soft, hard = (0.0, -1.5, 0.0, 0.5, 0.0, 0.25, 0.0, 0.0, 1.0), (1e-6, -2e-6, 3e-6)
    iron = Magnetometer(TO_NADIR, soft_iron=soft, hard_iron=hard)
    found = read(seen(q_WB, field_W=field_W), magnetometer=iron)
    expected = (1e-6 - 1.5 * y, -2e-6 + 0.5 * x + 0.25 * z, 3e-6 + z)
    assert found.magnetic_field_S == pytest.approx(expected, abs=1e-19)
    # Its range limits what it feels, not what is there.
    limited = replace(iron, errors=TriadErrors(limit=(2e-6,) * 3))
    found = read(seen(q_WB, field_W=field_W), magnetometer=limited)
    assert found.magnetic_field_S == pytest.approx(np.clip(expected, -2e-6, 2e-6), abs=1e-19)


# --- all ----------------------------------------------------------------------------------------

NOISE = TriadErrors((0.01, 0.02, 0.0), bias=(0.01, 0.01, 0.0), resolution=(1e-3, 1e-3, 0.0))
EVERYTHING = {
    'sun_cells': (sensors.SunCell('cell', unit((1, 1, 1)), edge=0.1, albedo=0.3, errors=NOISE),),
    'sun_sensors': (SunSensor('fine', errors=NOISE),),
    'horizon_sensor': HorizonSensor(TO_NADIR, (0, 0, 0), (3.0, 3.0), 1e-3, 0.1, NOISE),
    'gnss': Gnss(position_error=4.0, velocity_error=0.1, clock_error=1e-8, position_B=(1, 2, 3)),
    'star_tracker': StarTracker(turned(X, 180.0), 1, 0, 1e-4, 1e-3, 0.0, 0.3, 0.1, 0.1),
}


def test_in_python_and_compiled_every_sensor_reads_the_same_bits():
    """A node computes its first ticks in Python."""
    random = np.random.default_rng(1)
    suite = sensors.Suite(seed=3, **EVERYTHING)
    compared = 0
    for name, part in suite.sensors.items():
        memories = np.full((2, part.memory_size), np.nan)
        for tick in range(60):
            q_WB, q_WE = (unit(q) for q in random.normal(size=(2, 4)))
            up, to_sun = (unit(v) for v in random.normal(size=(2, 3)))
            truth = seen(q_WB, random.normal(size=3), position_W=RADIUS * up, to_sun_W=to_sun,
                         q_WE=q_WE, lit=0.5, to_moon_W=-to_sun)  # fmt: skip
            readings = np.empty((2, part.size))
            part.function(tick, truth, part.constants, memories[0], readings[0])
            part.function.function(tick, truth, part.constants, memories[1], readings[1])
            assert readings[0].tobytes() == readings[1].tobytes(), name
            compared += 1
    assert compared == 60 * 6


def test_a_sensor_on_or_off_changes_no_other_bit_for_bit_and_a_seed_changes_all():
    truths = [orbit(20.0 * k) for k in range(30)]
    whole = history(truths, 1, **EVERYTHING)
    other = history(truths, 2, **EVERYTHING)
    for field in EVERYTHING:
        rest = {key: value for key, value in EVERYTHING.items() if key != field}
        less = history(truths, 1, **rest)
        for name in less[0].flat:
            assert all(np.array_equal(a.flat[name], b.flat[name])
                       for a, b in zip(whole, less, strict=True)), (field, name)  # fmt: skip
    for name in set(whole[0].flat) - {'imu'}:
        assert any((a.flat[name] != b.flat[name]).any()
                   for a, b in zip(whole, other, strict=True)), name  # fmt: skip


SLIGHT = TriadErrors(bias=(0.01, 0.02, 0.0))
ALONE = {
    'magnetometer': (
        Magnetometer(TO_NADIR),
        {
            'q_BS': turned(Z, 20.0), 'hard_iron': (0.0, 0.0, 1e-7), 'errors': SLIGHT,
            'soft_iron': (1.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.0, 0.0, 1.0),
        },
    ),
    'horizon_sensor': (
        HorizonSensor(TO_NADIR, (0, 0, 0), (3.0, 3.0)),
        {
            'q_BS': turned(Y, -80.0), 'field_of_view': (3.0, 0.05), 'seasonal_error': 1e-3,
            'sun_exclusion': 1.0, 'errors': SLIGHT,
        },
    ),
    'gnss': (
        Gnss(turned(Y, 90.0), cone=0.5),
        {
            'cone': 0.05, 'q_BS': turned(Y, 50.0), 'position_B': (0.0, 0.0, 1.0),
            'position_error': 1.0, 'velocity_error': 0.1, 'clock_error': 1e-8,
        },
    ),
    'star_tracker': (
        StarTracker(TO_NADIR),
        {
            'q_BT': turned(Y, -80.0), 'latency': 1, 'cross_boresight': 1e-4,
            'about_boresight': 1e-3, 'rate_limit': 0.01, 'sun_exclusion': 2.0,
            'earth_exclusion': 2.0, 'moon_exclusion': 2.0,
        },
    ),
    'sun_cells': (
        sensors.SunCell('cell', unit((1, 1, 1))),
        {
            'normal_B': unit((1, 1, 1.1)), 'field_of_view': 1.0, 'edge': 0.1, 'efficacy': 90.0,
            'albedo': 0.3, 'errors': SLIGHT,
        },
    ),
    'sun_sensors': (
        SunSensor('fine', turned(Y, 20.0)),
        {
            'q_BS': turned(Y, 21.0), 'field_of_view': (0.1, 3.0), 'least_light': 0.8,
            'errors': SLIGHT,
        },
    ),
}  # fmt: skip
# What each may be without a change of its first reading: cells and Sun sensors are where they are
# only for drawings; the rest takes several readings.
ELSEWHERE = {'label', 'interval', 'period', 'position_B', 'acquisition', 'correlation_time'}


@pytest.mark.parametrize('name', ALONE)
def test_every_parameter_of_a_sensor_alone_changes_its_first_reading(name):
    """One that counts only together with another would be lost where the other has its default."""
    plain, changes = ALONE[name]
    truth = seen(
        turned(unit((1, 2, 3)), 9.0), (0.0, 0.05, 0.02), np.array((1e-5, -2e-5, 3e-5)), lit=0.7,
        to_sun_W=unit((0.2, 0.3, 1.0)), irradiance=800.0,
    )  # fmt: skip
    fields = {field.name for field in dataclass_fields(plain)}
    assert fields - ELSEWHERE <= changes.keys() <= fields

    def said(sensor):
        suite = {name: (sensor,) if name in ('sun_cells', 'sun_sensors') else sensor}
        return b''.join(flat.tobytes() for flat in read(truth, **suite).flat.values())

    before = said(plain)
    for field, value in changes.items():
        assert said(replace(plain, **{field: value})) != before, field
