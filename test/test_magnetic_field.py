# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The Earth's magnetic field is NOAA's and two other codes', and the gradient of a potential."""

import datetime
import math

import erfa
import numpy as np
import pytest
from conftest import ROOT

from spacecraft_attitude_sim.core.environment import magnetic_field
from spacecraft_attitude_sim.core.environment.magnetic_field import (
    REFERENCE_RADIUS,
    HarmonicField,
    dipole,
    field_E,
    igrf14,
    wmm2025,
)

# WMM2025 test values of NOAA: year, km, latitude, longitude [deg]; north, east, down [nT].
NOAA = """
2025.0   0  80   0   6521.6   145.9  54791.5
2025.0   0   0 120  39677.8  -109.6 -10580.2
2025.0   0 -80 240   6117.5 15751.9 -52022.5
2025.0 100  80   0   6216.0    92.4  52598.8
2025.0 100   0 120  37688.6   -96.2 -10152.1
2025.0 100 -80 240   5907.6 14780.3 -49540.7
2027.5   0  80   0   6500.8   294.5  54869.4
2027.5   0   0 120  39701.6  -167.4 -10381.8
2027.5   0 -80 240   6200.7 15730.3 -51783.7
2027.5 100  80   0   6196.7   233.8  52670.5
2027.5 100   0 120  37711.5  -148.7  -9969.8
2027.5 100 -80 240   5984.0 14760.1 -49317.7
"""


def local(model, year, latitude, longitude, altitude):
    """Return the field (3,) north, east, down [nT] at a geodetic place [deg, m]."""
    f, n = math.radians(latitude), math.radians(longitude)
    place = erfa.gd2gc(1, n, f, altitude)
    north = (-math.sin(f) * math.cos(n), -math.sin(f) * math.sin(n), math.cos(f))
    east = (-math.sin(n), math.cos(n), 0.0)
    down = (-math.cos(f) * math.cos(n), -math.cos(f) * math.sin(n), -math.sin(f))
    return 1e9 * np.array((north, east, down)) @ field_E(model, year, place)


@pytest.mark.parametrize('line', NOAA.strip().splitlines())
def test_wmm_is_noaas(line):
    year, km, latitude, longitude, *field = map(float, line.split())
    found = local(wmm2025(), year, latitude, longitude, km * 1e3)
    # As printed, to a tenth; the last digit is rounded.
    np.testing.assert_allclose(found, field, atol=0.0501)


def test_igrf_of_the_catalogue():
    found = local(igrf14(), 2025.0, 0.0, 120.0, 100e3)
    np.testing.assert_allclose(found, (37687.117, -96.993, -10148.487), atol=6e-4)


def test_fields_are_those_of_two_other_codes():
    """Everywhere, up to 2000 km, from 1905 to 2026."""
    worst = {'igrf14': 0.0, 'wmm2025': 0.0}
    for line in (ROOT / 'test' / 'data' / 'fields.txt').read_text().splitlines():
        name, year, month, *numbers = line.split()
        latitude, longitude, km, *field = map(float, numbers)
        model, span = {'igrf14': (igrf14(), 5), 'wmm2025': (wmm2025(), 1)}[name]
        # ppigrf counts days from one year of the model to the next.
        first = int(year) // span * span
        begin, end = (datetime.date(first + k, 1, 1) for k in (0, span))
        decimal = first + span * (datetime.date(int(year), int(month), 1) - begin) / (end - begin)
        found = local(model, decimal, latitude, longitude, km * 1e3)
        worst[name] = max(worst[name], np.abs(found - field).max())
    # A file of six digits; ppigrf takes the sine of what is up to 0.19 deg between the verticals
    # of ellipsoid and sphere for the angle, 6e-9 of the field north and down.
    assert worst['igrf14'] < 5e-4
    assert worst['wmm2025'] < 1e-5


def potential(place, n, m):
    """Return V of one harmonic of 1 nT each in g and h, by scipy's functions [nT m]."""
    from scipy.special import lpmv

    r = np.linalg.norm(place)
    angle = math.atan2(place[1], place[0])
    schmidt = math.sqrt(2.0 * math.factorial(n - m) / math.factorial(n + m)) if m else 1.0
    # scipy's P has the phase (-1)^m, this one not.
    P = (-1) ** m * schmidt * lpmv(m, n, place[2] / r)
    around = math.cos(m * angle) + (math.sin(m * angle) if m else 0.0)
    return REFERENCE_RADIUS * (REFERENCE_RADIUS / r) ** (n + 1) * around * P


@pytest.mark.parametrize('n', [1, 2, 5, 9, 13])
def test_every_harmonic_is_the_gradient_of_its_potential(n):
    place = np.array((3.1e6, -4.7e6, 4.2e6))
    step = 2e3
    for m in range(n + 1):
        g, h = np.zeros((2, n + 1, n + 1)), np.zeros((2, n + 1, n + 1))
        g[:, n, m] = h[:, n, m] = 1.0
        found = field_E(HarmonicField('one', np.array((0.0, 1.0)), g, h), 0.5, place) * 1e9
        gradient = np.zeros(3)
        for axis in range(3):
            # Central differences of sixth order.
            for k, weight in ((1, 45.0), (2, -9.0), (3, 1.0)):
                for sign in (1.0, -1.0):
                    moved = place.copy()
                    moved[axis] += sign * k * step
                    gradient[axis] += sign * weight * potential(moved, n, m)
        gradient /= 60.0 * step
        assert np.abs(found + gradient).max() < 1e-8 * np.abs(gradient).max() + 1e-12


def test_field_has_no_pole():
    """At the poles and on their axis, where longitude means nothing."""
    for z in (7e6, -7e6):
        at, beside = (field_E(igrf14(), 2025.0, (x, 0.0, z)) for x in (0.0, 1.0))
        assert np.isfinite(at).all()
        # The field changes by 10 nT in a kilometre.
        np.testing.assert_allclose(at, beside, rtol=0.0, atol=3e-11)


def test_first_degree_is_a_dipole():
    """B = (m/r³) (3 (d·r̂) r̂ - d), for the centred dipole that points to axis d."""
    axis = np.array((0.2, -0.3, -0.9))
    axis /= np.linalg.norm(axis)
    place = np.array((4e6, 5e6, -3e6))
    r = np.linalg.norm(place)
    expected = 7.69e15 / r**3 * (3.0 * (axis @ place / r) * place / r - axis)
    found = field_E(dipole(7.69e15, axis), 1990.0, place)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    tilted = igrf14(degree=1)
    k = list(tilted.years).index(2025.0)
    moment = np.array((tilted.g[k, 1, 1], tilted.h[k, 1, 1], tilted.g[k, 1, 0]))
    size = np.linalg.norm(moment) * 1e-9 * REFERENCE_RADIUS**3
    # 7.69e15 T m^3, of the catalogue.
    assert size == pytest.approx(7.69e15, rel=1e-3)
    same = field_E(dipole(size, moment), 2025.0, place)
    np.testing.assert_allclose(field_E(tilted, 2025.0, place), same, rtol=1e-13)


def test_field_moves_in_time_as_between_two_years():
    place = np.array((1e6, 6e6, 3e6))
    flat, out = igrf14().flat(2025.5), np.zeros(3)
    year = magnetic_field.JULIAN_YEAR
    scratch = magnetic_field.scratch_for(flat)
    magnetic_field._field_at(flat, 0.75 * year, place, scratch, out)
    np.testing.assert_allclose(out, field_E(igrf14(), 2026.25, place), rtol=1e-13)
    assert np.abs(out - field_E(igrf14(), 2025.5, place)).max() > 1e-9


def test_compiled_field_has_the_bits_of_plain_python():
    place, (flat, out, plain) = (
        np.array((1e6, 6e6, 3e6)),
        (igrf14().flat(2026.9), *np.zeros((2, 3))),
    )
    scratch = magnetic_field.scratch_for(flat)
    magnetic_field._field_at(flat, 5e4, place, scratch, out)
    magnetic_field._field_at.function(flat, 5e4, place, scratch, plain)
    assert out.tobytes() == plain.tobytes()


@pytest.mark.parametrize(
    ('make', 'words'),
    [
        (lambda: igrf14().flat(2030.1), 'the epoch is in 2030.1, and igrf14 is of 1900 to 2030'),
        (lambda: wmm2025().flat(2024.9), 'wmm2025 is of 2025 to 2030; choose another'),
        (lambda: igrf14(14), 'degree is 14; it must be from 1 to 13'),
        (lambda: dipole(-1.0), 'moment is -1 T m'),
        (lambda: dipole(1.0, (0, 0, 0)), 'give a direction'),
    ],
)
def test_impossible_fields_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
