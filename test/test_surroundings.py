# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Time, Earth, Sun, Moon, shadow, air, light of the Earth, against ERFA and closed forms."""

import math

import erfa
import numpy as np
import pytest
from scipy.optimize import brentq

from spacecraft_attitude_sim.core.environment import earth_shine, sun_and_moon
from spacecraft_attitude_sim.core.environment.air import LAYERS, ExponentialAir, MsisAir
from spacecraft_attitude_sim.core.environment.earth import (
    ASTRONOMICAL_UNIT,
    RADIUS,
    SUN_RADIUS,
    geodetic,
)
from spacecraft_attitude_sim.core.environment.earth_shine import (
    reflected,
    reflected_part,
    seen_part,
    shine_of_earth,
)
from spacecraft_attitude_sim.core.environment.epoch import EPOCH, epoch_of, seconds_between
from spacecraft_attitude_sim.core.environment.sun_and_moon import lit_part
from spacecraft_attitude_sim.core.mathematics import rotations

NOON = epoch_of('2026-11-01T12:00:00Z')
ARCSECOND = math.radians(1.0 / 3600.0)


def test_epoch_is_that_of_erfa():
    assert NOON.year == pytest.approx(2026.0 + (304.5) / 365.0, abs=1e-9)
    # TT is ahead of UTC by 32.184 s and 37 leap seconds.
    assert NOON.days == pytest.approx(9801.0 + 69.184 / 86400.0, abs=1e-9)
    assert epoch_of('2026-11-01 12:00Z').constants.tolist() == NOON.constants.tolist()
    assert epoch_of('2024-02-29').year == pytest.approx(2024.0 + 59.0 / 366.0, abs=1e-9)
    assert epoch_of('2026-11-01T12:00:00.5Z').days - NOON.days == pytest.approx(
        0.5 / 86400.0, abs=1e-11
    )


@pytest.mark.parametrize('hours', [0.0, 5.0, 24.0, 168.0])
def test_earth_stands_where_erfa_has_it(hours):
    """With UT1 = UTC; frozen precession and nutation cost 0.11 arcsec a day, 0.62 a week."""
    tai = erfa.utctai(*erfa.dtf2d('UTC', 2026, 11, 1, 12, 0, 0.0))
    first, second = erfa.taitt(*tai)
    days = hours / 24.0
    utc = erfa.dtf2d('UTC', 2026, 11, 1, 12, 0, 0.0)
    C_EW = erfa.c2t06a(first, second + days, utc[0], utc[1] + days, 0.0, 0.0)
    q = NOON.q_WE(hours * 3600.0)
    angle = rotations.angle_between(q, rotations.quaternion_from_dcm(C_EW.T))
    assert angle < ARCSECOND * (1e-4 + 0.12 * days)


def test_leap_second_is_counted():
    """The last one: 2016-12-31T23:59:60."""
    assert seconds_between(['2017-01-01T00:00:00Z'], '2016-12-31T23:59:59Z') == pytest.approx(2.0)
    leap = epoch_of('2016-12-31T23:59:60Z')
    assert (epoch_of('2017-01-01').days - leap.days) * 86400.0 == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ('utc', 'words'),
    [
        ('tomorrow', "epoch is 'tomorrow'; it must be a time in UTC as 2026-11-01T12:00:00Z"),
        ('2026-11-01T12:00:00+01:00', 'it must be a time in UTC'),
        (2026, 'epoch is 2026; it must be'),
        ('2026-02-30', 'epoch is 2026-02-30, which is no time in UTC'),
        ('2026-13-01', 'no time in UTC'),
        ('2026-11-01T25:00:00Z', 'no time in UTC'),
        ('2026-11-01T12:00:60Z', '60 only in a leap second'),
        ('1971-12-31', 'give a year from 1972 to 2099'),
        ('2100-01-01', 'give a year from 1972 to 2099'),
    ],
)
def test_what_is_no_time_is_refused(utc, words):
    with pytest.raises(ValueError, match=words.replace('+', r'\+')):
        epoch_of(utc)


def test_geodetic_place_is_erfas():
    for latitude in (-90.0, -61.2, -0.001, 0.0, 23.4, 45.0, 89.999, 90.0):
        for altitude in (-400.0, 0.0, 500e3, 3.6e7):
            place = erfa.gd2gc(1, 2.5, math.radians(latitude), altitude)
            found = geodetic(*place.tolist())
            assert found[0] == pytest.approx(altitude, abs=2e-8 + 1e-15 * altitude)
            assert found[1] == pytest.approx(math.radians(latitude), abs=1e-13)
            if abs(latitude) < 90.0:
                assert found[2] == pytest.approx(2.5, abs=1e-10)


def angle(a, b):
    return math.atan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b))


def test_sun_is_within_a_hundredth_of_a_degree():
    """Of the Earth's place by ERFA, 2000 to 2050; the distance to 1e-4."""
    worst = far = 0.0
    for days in np.arange(0.0, 18262.0, 11.3):
        true = -erfa.epv00(2451545.0, days)[0]['p']
        of_date = sun_and_moon.sun_of_date(float(days))
        found = erfa.pmat06(2451545.0, days).T @ np.array(of_date)
        worst = max(worst, angle(found, true))
        far = max(far, abs(np.linalg.norm(found) / ASTRONOMICAL_UNIT - np.linalg.norm(true)))
    assert math.degrees(worst) < 0.012
    assert far < 1.3e-4


def test_moon_is_within_0_37_degrees():
    worst = far = 0.0
    for days in np.arange(0.0, 18262.0, 7.7):
        true = erfa.moon98(2451545.0, days)['p'] * ASTRONOMICAL_UNIT
        found = erfa.pmat06(2451545.0, days).T @ np.array(sun_and_moon.moon_of_date(float(days)))
        worst = max(worst, angle(found, true))
        far = max(far, abs(np.linalg.norm(found) / np.linalg.norm(true) - 1.0))
    assert math.degrees(worst) < 0.37
    assert far < 3.5e-3


def test_precession_of_the_epoch_turns_the_sun_to_world():
    """Left out, it would be 0.37 deg in 2026."""
    C_WD = NOON.constants[EPOCH.of('C_WD')].reshape(3, 3)
    of_date = np.array(sun_and_moon.sun_of_date(NOON.days))
    true = -erfa.epv00(2451545.0, NOON.days)[0]['p']
    assert math.degrees(angle(C_WD @ of_date, true)) < 0.012
    assert math.degrees(angle(of_date, true)) > 0.35


def test_full_moon_is_opposite_and_new_moon_beside_the_sun():
    """The eclipse of 12 August 2026, 17:46 UT, and the full moon of 24 November 2026, 14:53."""
    for utc, degrees in (('2026-08-12T17:46:00Z', 0.0), ('2026-11-24T14:53:00Z', 180.0)):
        days = epoch_of(utc).days
        between = angle(sun_and_moon.sun_of_date(days), sun_and_moon.moon_of_date(days))
        # At a full moon the Moon may be 5 deg from the ecliptic.
        assert math.degrees(between) == pytest.approx(degrees, abs=1.5 if not degrees else 5.5)


SUN = (ASTRONOMICAL_UNIT, 0.0, 0.0)


def discs(position):
    """Return the radii of Sun and Earth and their distance, as seen [rad]."""
    to_sun = np.subtract(SUN, position)
    a = math.asin(SUN_RADIUS / np.linalg.norm(to_sun))
    b = math.asin(RADIUS / np.linalg.norm(position))
    return a, b, angle(to_sun, np.negative(position))


def test_lit_part_is_the_area_of_the_disc_that_is_not_covered():
    """By counting: rays from the Sun's disc, in the tangent plane as the closed form."""
    shares = []
    for height in np.linspace(6.34e6, 6.42e6, 9):
        position = (-2.5e6, float(height), 0.0)
        a, b, c = discs(position)
        x, y = np.meshgrid(*2 * (np.linspace(-a, a, 1500),))
        inside = x * x + y * y < a * a
        free = inside & ((x - c) ** 2 + y * y > b * b)
        found = lit_part(position, SUN)
        assert found == pytest.approx(free.sum() / inside.sum(), abs=1e-3)
        shares.append(found)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert 0.1 < shares[4] < 0.9 or any(0.05 < share < 0.95 for share in shares)
    assert shares == sorted(shares)


def test_shadow_has_its_umbra_and_beyond_it_a_ring_of_light():
    assert lit_part((-7e6, 0.0, 0.0), SUN) == 0.0
    assert lit_part((7e6, 0.0, 0.0), SUN) == 1.0
    # Beyond its tip, at 1.38e9 m, the Earth is smaller than the Sun.
    position = (-2e9, 0.0, 0.0)
    a, b, _ = discs(position)
    assert lit_part(position, SUN) == pytest.approx(1.0 - (b / a) ** 2, rel=1e-12)
    near, far = (lit_part((-x, 0.0, 0.0), SUN) for x in (1.36e9, 1.40e9))
    assert near == 0.0
    assert 0.0 < far < 0.05


@pytest.mark.parametrize(
    ('altitude', 'beta', 'minutes'),
    [(500e3, 0.0, 35.75), (500e3, 30.0, 33.85), (500e3, 60.0, 21.83), (35.786e6, 0.0, 69.41)],
)
def test_eclipse_lasts_as_long_as_in_a_cylinder(altitude, beta, minutes):
    """(1/π) acos(√(h² + 2 R h)/((R + h) cos β)) of the orbit, and the catalogue's minutes."""
    r = RADIUS + altitude
    b = math.radians(beta)

    def half_lit(u):
        return lit_part((
            -r * math.cos(u) * math.cos(b), r * math.sin(u), -r * math.cos(u) * math.sin(b)
        ), (30.0 * ASTRONOMICAL_UNIT, 0.0, 0.0)) - 0.5  # fmt: skip

    # From so far away the Sun is a point to 1.6e-4 rad, and the shadow a cylinder.
    edge = brentq(half_lit, 0.0, math.pi / 2.0, xtol=1e-14)
    share = (
        math.acos(math.sqrt(altitude**2 + 2.0 * RADIUS * altitude) / (r * math.cos(b))) / math.pi
    )
    assert edge / math.pi == pytest.approx(share, abs=3e-6)
    period = math.tau * math.sqrt(r**3 / 3.986004418e14)
    assert edge / math.pi * period / 60.0 == pytest.approx(minutes, abs=0.01)


def density(air, altitude, latitude=0.0, longitude=0.0, time=0.0):
    places = np.array([(altitude, math.radians(latitude), math.radians(longitude))])
    return math.exp(air.log_density(NOON, np.array([time]), places)[0])


def test_exponential_air_is_vallados_table():
    """As printed at the base of each layer, and continuous to a few parts in 1e4 between."""
    air = ExponentialAir()
    for base, rho, _ in LAYERS.tolist():
        assert density(air, base * 1e3) == pytest.approx(rho, rel=1e-12, abs=0.0)
        if base:
            below = density(air, base * 1e3 - 1e-3)
            assert below == pytest.approx(rho, rel=2e-3, abs=0.0)
    half = density(air, 450e3) * math.exp(-25.0 / 60.828)
    assert density(air, 475e3) == pytest.approx(half, rel=1e-12, abs=0.0)
    assert 0.0 < density(air, 1e7) < density(air, 1e6)
    assert density(air, -100.0) > 1.225
    own = ExponentialAir(np.array([(500e3, 1e-12, 60e3)]))
    assert density(own, 560e3) == pytest.approx(1e-12 / math.e, rel=1e-12, abs=0.0)


@pytest.mark.parametrize(
    ('layers', 'words'),
    [
        ([(0.0, 0.0, 8e3)], 'layer of air at 0 m has density 0 kg/m'),
        ([(0.0, 1.0, math.nan)], 'scale height nan m; both must be positive'),
        ([(5.0, 1.0, 8e3), (5.0, 1.0, 8e3)], 'let them ascend'),
        ([1.0, 2.0], 'are rows of base'),
    ],
)
def test_impossible_layers_are_refused(layers, words):
    with pytest.raises(ValueError, match=words):
        ExponentialAir(np.array(layers))


def test_msis_has_the_activity_that_it_is_given():
    """The density at 500 km grows more than tenfold from a quiet to an active Sun."""
    pytest.importorskip('pymsis')
    quiet, mean, active = (density(MsisAir(flux, flux), 500e3) for flux in (70.0, 150.0, 250.0))
    assert 3.0 * quiet < mean < active / 2.0
    assert active > 10.0 * quiet
    # The first is of the day before, the second of 81 days.
    assert density(MsisAir(250.0, 150.0), 500e3) != density(MsisAir(150.0, 250.0), 500e3)
    calm, storm = (density(MsisAir(ap=ap), 500e3) for ap in (4.0, 200.0))
    assert storm > 1.3 * calm


def test_msis_is_pymsis_at_that_time_and_place():
    pymsis = pytest.importorskip('pymsis')
    place, time = (430e3, 20.0, -110.0), 7200.0
    date = np.datetime64('2026-11-01T14:00:00')
    expected = pymsis.calculate(
        date, place[2], place[1], place[0] / 1e3, 120.0, 130.0, [[9.0] * 7], version=2.1
    )
    found = density(MsisAir(120.0, 130.0, 9.0), *place, time=time)
    assert found == pytest.approx(float(np.ravel(expected)[0]), rel=1e-6, abs=0.0)


@pytest.mark.parametrize('name', ['f10_7', 'f10_7_average', 'ap'])
def test_impossible_activity_is_refused(name):
    with pytest.raises(ValueError, match=f'{name} is -1; it must be from'):
        MsisAir(**{name: -1.0})


def test_msis_without_its_library_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__('sys').modules, 'pymsis', None)
    with pytest.raises(ValueError, match=r'pip install .spacecraft_attitude_sim\[air\]'):
        MsisAir()


UP = (0.0, 0.0, 1.0)
DOWN = (0.0, 0.0, -1.0)


@pytest.mark.parametrize(
    ('altitude', 'part'), [(500e3, 0.8550), (800e3, 0.7805), (35.786e6, 0.0169)]
)
def test_light_of_the_earth_under_the_sun_is_the_closed_form(altitude, part):
    """And that of the catalogue."""
    h = 1.0 + altitude / RADIUS
    assert reflected_part(h) == pytest.approx(part, abs=6e-5)
    found = reflected((0.0, 0.0, h * RADIUS), UP, DOWN)
    assert found == pytest.approx(reflected_part(h), rel=1e-8)
    assert reflected((0.0, 0.0, h * RADIUS), DOWN, DOWN) == 0.0
    assert reflected((0.0, 0.0, h * RADIUS), UP, UP) == 0.0


def counted(h, to_sun, normal, n=600):
    """Return what a plate gets of the Earth, reflected and the part seen, by equal patches."""
    c = 1.0 - (1.0 - 1.0 / h) * (np.arange(n) + 0.5) / n
    turns = (np.arange(n) + 0.5) * math.tau / n
    s = np.sqrt(1.0 - c * c)[:, np.newaxis]
    ground = np.stack(
        (s * np.cos(turns), s * np.sin(turns), np.repeat(c[:, np.newaxis], n, 1)), -1
    )
    away = np.array((0.0, 0.0, h)) - ground
    square = np.sum(away * away, axis=-1)
    leaving = np.sum(ground * away, axis=-1)
    arriving = np.maximum(0.0, -(away @ np.array(normal)))
    area = (1.0 - 1.0 / h) * math.tau / n**2
    factor = leaving * arriving / square**2 * area / math.pi
    return np.sum(np.maximum(0.0, ground @ np.array(to_sun)) * factor), np.sum(factor)


def test_light_of_the_earth_is_that_of_its_patches_however_the_plate_is_turned():
    random = np.random.default_rng(5)
    for h in (1.0784, 1.5, 6.6):
        position = (0.0, 0.0, h * RADIUS)
        for _ in range(12):
            to_sun, normal = random.normal(size=(2, 3))
            to_sun, normal = (v / np.linalg.norm(v) for v in (to_sun, normal))
            light, part = counted(h, to_sun, normal)
            assert reflected(position, to_sun, normal) == pytest.approx(
                light, abs=1e-3 * reflected_part(h) + 1e-6
            )
            assert seen_part(position, tuple(normal)) == pytest.approx(part, abs=2e-4)


def test_infrared_of_a_facing_plate_falls_with_the_square():
    for h in (1.0, 1.1, 3.0):
        assert seen_part((0.0, h * RADIUS, 0.0), (0.0, -1.0, 0.0)) == pytest.approx(1.0 / h**2)
        assert seen_part((0.0, h * RADIUS, 0.0), (0.0, 1.0, 0.0)) == 0.0
    # A plate on edge over a plain sees half of it.
    assert seen_part((0.0, 1.0000001 * RADIUS, 0.0), (1.0, 0.0, 0.0)) == pytest.approx(
        0.5, abs=1e-3
    )


def test_shine_is_in_watts_and_turns_with_the_world():
    position, to_sun = np.array((1e6, -6e6, 4e6)), np.array((0.6, -0.8, 0.0))
    normal = np.array((0.0, 0.6, -0.8))
    light, infrared = shine_of_earth(position, to_sun, normal, 1361.0, 0.3, 239.0)
    twice = shine_of_earth(position, to_sun, normal, 2722.0, 0.3, 478.0)
    assert twice == pytest.approx((2.0 * light, 2.0 * infrared), rel=1e-14)
    assert 100.0 < light < 400.0
    assert 50.0 < infrared < 239.0
    q = rotations.quaternion_from_axis_angle((1.0, 2.0, 3.0), 1.0)
    turned = [rotations.rotate(q, v) for v in (position, to_sun, normal)]
    again = shine_of_earth(*turned, 1361.0, 0.3, 239.0)
    assert again == pytest.approx((light, infrared), rel=1e-9)
    vectors = np.concatenate((position, to_sun, normal))
    assert earth_shine._shine(vectors) == earth_shine._shine.function(vectors)
