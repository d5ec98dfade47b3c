# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Orbits are those of Kepler, of the flattened Earth, of SGP4 and of a user's table."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sgp4.api import WGS72, Satrec
from sgp4.exporter import export_tle

from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER, J2, RADIUS
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.environment.state_orbit import StateOrbit
from spacecraft_attitude_sim.core.environment.tabulated_orbit import TabulatedOrbit
from spacecraft_attitude_sim.core.environment.two_line_orbit import TwoLineOrbit, teme_to_world

EPOCH = epoch_of('2026-11-01T12:00:00Z')
SOURCE = KeplerOrbit(7e6, 0.01, 1.0)
ECCENTRIC = KeplerOrbit(2.6e7, 0.7, 1.1, 0.4, 2.0, mean_anomaly=-0.5)
# The space station, of CelesTrak's explanation of the format.
STATION = (
    '1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927',
    '2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537',
)


def states(orbit, times):
    found = orbit.states_W(EPOCH, np.array(times, dtype=float))
    return found[:, :3], found[:, 3:]


def test_ellipse_keeps_energy_momentum_and_apsides():
    """v²/2 - μ/r = -μ/2a, r × v and the vector to the perigee, everywhere on it."""
    r, v = states(ECCENTRIC, np.linspace(-5e4, 5e4, 200))
    away = np.linalg.norm(r, axis=1)
    energy = 0.5 * np.sum(v * v, axis=1) - GRAVITATIONAL_PARAMETER / away
    np.testing.assert_allclose(energy, -GRAVITATIONAL_PARAMETER / (2.0 * 2.6e7), rtol=1e-13)
    momentum = np.cross(r, v)
    size = math.sqrt(GRAVITATIONAL_PARAMETER * 2.6e7 * (1.0 - 0.49))
    i, node, perigee = 1.1, 0.4, 2.0
    normal = (math.sin(node) * math.sin(i), -math.cos(node) * math.sin(i), math.cos(i))
    np.testing.assert_allclose(momentum / size, np.tile(normal, (200, 1)), atol=2e-14)
    towards = np.cross(v, momentum) / GRAVITATIONAL_PARAMETER - r / away[:, np.newaxis]
    ascending = np.array((math.cos(node), math.sin(node), 0.0))
    direction = math.cos(perigee) * ascending + math.sin(perigee) * np.cross(normal, ascending)
    np.testing.assert_allclose(towards, np.tile(0.7 * direction, (200, 1)), atol=1e-13)


def test_period_is_keplers_third_law():
    """94.62, 95.65, 96.69 min at 500, 550, 600 km, of the catalogue."""
    for altitude, minutes in ((500e3, 94.62), (550e3, 95.65), (600e3, 96.69)):
        orbit = KeplerOrbit(RADIUS + altitude, 0.01, 1.0)
        period = math.tau / orbit.mean_motion
        assert period / 60.0 == pytest.approx(minutes, abs=0.005)
        r, v = states(orbit, [100.0, 100.0 + period])
        np.testing.assert_allclose(r[0], r[1], atol=1e-5)
        assert np.linalg.norm(v[0]) > 7e3


def kepler(E, e, mean):
    return E - e * math.sin(E) - mean


@pytest.mark.parametrize('e', [0.0, 0.3, 0.75, 0.85, 0.99])
def test_mean_and_true_anomaly_are_of_the_same_place(e):
    a = 7e6 / (1.0 - e)
    for true in np.linspace(-3.1, 3.1, 23):
        orbit = KeplerOrbit(a, e, true_anomaly=float(true))
        r, _ = states(orbit, [0.0])
        assert math.atan2(r[0, 1], r[0, 0]) == pytest.approx(true, abs=1e-12)
        mean = orbit.flat()[5]
        other, _ = states(KeplerOrbit(a, e, mean_anomaly=mean), [0.0])
        np.testing.assert_allclose(other, r, rtol=0.0, atol=1e-12 * a)
        # Kepler's equation solved by SciPy.
        E = brentq(kepler, -math.pi, math.pi, (e, mean), xtol=1e-15)
        assert np.linalg.norm(r) == pytest.approx(a * (1.0 - e * math.cos(E)), rel=1e-11)


@pytest.mark.parametrize('flattening', [False, True])
def test_velocity_is_the_derivative_of_the_position(flattening):
    orbit = KeplerOrbit(8e6, 0.1, 0.9, 1.0, 2.0, 3.0, flattening=flattening)
    times = np.linspace(0.0, 9000.0, 50)
    _, v = states(orbit, times)
    h = 1.0
    (a, _), (b, _), (c, _), (d, _) = (states(orbit, times + k * h) for k in (-2, -1, 1, 2))
    differences = (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)
    # h⁴ n⁵ r / 30 is 1e-10; the rest is round-off of 8e6 m in a second.
    np.testing.assert_allclose(v, differences, rtol=0.0, atol=2e-8)


@pytest.mark.parametrize(
    ('altitude', 'degrees'), [(500e3, 97.402), (550e3, 97.593), (600e3, 97.788)]
)
def test_sun_synchronous_node_follows_the_sun(altitude, degrees):
    """Inclinations of the catalogue: once around in a tropical year."""
    orbit = KeplerOrbit(RADIUS + altitude, 0.0, math.radians(degrees), flattening=True)
    node, _, _ = orbit.rates
    assert math.degrees(node) * 86400.0 == pytest.approx(360.0 / 365.2422, rel=1e-4)
    r, v = states(orbit, [0.0, 10 * 86400.0])
    normals = np.cross(r, v - np.cross((0.0, 0.0, node), r))
    turned = np.unwrap(np.arctan2(normals[:, 0], -normals[:, 1]))
    assert turned[1] - turned[0] == pytest.approx(10 * 86400.0 * node, rel=1e-9)


def test_flattening_turns_perigee_and_anomaly_as_an_integration_does():
    """Against Newton's law with J2 by SciPy's DOP853, over 30 revolutions: secular rates."""

    def pull(t, y):
        r = y[:3]
        d = np.linalg.norm(r)
        k = 1.5 * J2 * GRAVITATIONAL_PARAMETER * RADIUS**2 / d**5
        z = 5.0 * r[2] ** 2 / d**2
        bulge = k * r * (z - np.array((1.0, 1.0, 3.0)))
        return np.concatenate((y[3:], -GRAVITATIONAL_PARAMETER * r / d**3 + bulge))

    orbit = KeplerOrbit(9e6, 0.15, 1.0, 0.3, 0.5, mean_anomaly=0.0, flattening=True)
    begin = KeplerOrbit(9e6, 0.15, 1.0, 0.3, 0.5, mean_anomaly=0.0)
    duration = 60.0 * math.tau / orbit.mean_motion
    times = np.linspace(0.0, duration, 6001)
    y = solve_ivp(
        pull, (0.0, duration), np.concatenate(states(begin, [0.0]), axis=1)[0], 'DOP853',
        times, rtol=1e-11, atol=1e-3,
    ).y.T  # fmt: skip
    node, perigee = elements(y)
    node_rate, perigee_rate, _ = orbit.rates
    # The first order in J2, and a start that is not mean: a part in a hundred.
    assert np.polyfit(times, node, 1)[0] == pytest.approx(node_rate, rel=0.01)
    assert np.polyfit(times, perigee, 1)[0] == pytest.approx(perigee_rate, rel=0.02)
    # J2 moves the semi-major axis within a revolution; its mean over whole ones is the element
    # of the formula, to the second order: 1e-6 of the motion, 0.5 % of the drift.
    r, v = y[:, :3], y[:, 3:]
    away = np.linalg.norm(r, axis=1)
    a = 1.0 / (2.0 / away - np.sum(v * v, axis=1) / GRAVITATIONAL_PARAMETER)
    c, s = 1.0 - away / a, np.sum(r * v, axis=1) / np.sqrt(GRAVITATIONAL_PARAMETER * a)
    anomaly = np.unwrap(np.arctan2(s, c) - s)
    mean_motion = math.sqrt(GRAVITATIONAL_PARAMETER / np.mean(a[:-1]) ** 3)
    drift = np.polyfit(times, anomaly, 1)[0] - mean_motion
    _, _, anomaly_rate = orbit.rates
    expected = anomaly_rate - orbit.mean_motion
    assert drift == pytest.approx(expected, rel=0.02, abs=0.0)
    assert begin.rates[2] == begin.mean_motion


def elements(y):
    """Return node and argument of perigee (n,) of states (n, 6) [rad]."""
    r, v = y[:, :3], y[:, 3:]
    h = np.cross(r, v)
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    e = np.cross(v, h) / GRAVITATIONAL_PARAMETER - r / np.linalg.norm(r, axis=1)[:, np.newaxis]
    ascending = np.stack((np.cos(node), np.sin(node), 0.0 * node), axis=1)
    across = np.cross(h / np.linalg.norm(h, axis=1)[:, np.newaxis], ascending)
    return node, np.unwrap(np.arctan2(np.sum(e * across, 1), np.sum(e * ascending, 1)))


@pytest.mark.parametrize(
    ('fields', 'words'),
    [
        ({'semi_major_axis': 6.3e6}, 'the perigee is 6300000 m .* above the ground, 6378137 m'),
        (
            {'semi_major_axis': 7e6, 'eccentricity': 0.2},
            'eccentricity 0.2: the perigee is 5600000',
        ),
        ({'semi_major_axis': math.nan}, 'semi_major_axis is nan'),
        ({'semi_major_axis': 7e6, 'eccentricity': 1.0}, 'eccentricity is 1; .* an ellipse'),
        ({'semi_major_axis': 7e6, 'inclination': 97.4}, 'inclination is 97.4 rad; .* 0 to pi'),
        ({'semi_major_axis': 7e6, 'right_ascension': math.inf}, 'right_ascension is inf rad'),
        ({'semi_major_axis': 7e6, 'true_anomaly': 1.0, 'mean_anomaly': 1.0}, 'give one of them'),
    ],
)
def test_impossible_elements_are_refused(fields, words):
    with pytest.raises(ValueError, match=words):
        KeplerOrbit(**fields)


POLE = math.pi / 2.0
# Low, eccentric, near escape, of no perigee, of no node, over the poles, retrograde.
MANY = [
    SOURCE, ECCENTRIC, KeplerOrbit(4e8, 0.98, 0.5, 1.0, 2.0, -2.0), KeplerOrbit(7e6),
    KeplerOrbit(7e6, 0.0, 1.0, 0.4, 0.0, 2.0), KeplerOrbit(8e6, 0.1, 0.0, 0.0, 1.0, 0.5),
    KeplerOrbit(8e6, 0.1, POLE, -2.0, 3.0, 3.0), KeplerOrbit(4.2e7, 1e-5, math.pi, 0.0, 1.0, 6.0),
]  # fmt: skip


@pytest.mark.parametrize('orbit', MANY)
def test_position_and_velocity_are_the_orbit_of_these_elements(orbit):
    r, v = states(orbit, [0.0])
    found = StateOrbit(r[0], v[0])
    same, speed = states(found, [0.0])
    assert same.tolist() == r.tolist()
    assert speed.tolist() == v.tolist()
    # And by its own elements; 4 ulp of an angle of a turn, and of the distance.
    ulp = np.finfo(float).eps
    again, speeds = states(found.ellipse, [0.0])
    assert np.abs(again - r).max() < 8.0 * ulp * math.tau * np.linalg.norm(r)
    assert np.abs(speeds - v).max() < 16.0 * ulp * math.tau * np.linalg.norm(v) / (
        1.0 - orbit.eccentricity
    )
    # Round and round, before and after: rounding of the semi-major axis from v² grows with time,
    # and by 2/(1 - e) in an ellipse whose perigee was given.
    period = math.tau / orbit.mean_motion
    times = np.linspace(-2.0 * period, 2.0 * period, 101)
    (r, v), (found_r, _) = states(orbit, times), states(found, times)
    away, speed = np.linalg.norm(r, axis=1), np.linalg.norm(v, axis=1)
    flown = (8.0 * ulp + 30.0 * ulp * np.abs(times) / period) / (1.0 - orbit.eccentricity)
    assert (np.linalg.norm(found_r - r, axis=1) < flown * (away + speed * period)).all()
    for name, angle in (('inclination', 1e-14), ('eccentricity', 1e-14), ('semi_major_axis', 1.0)):
        expected = getattr(orbit, name)
        tolerance = 1e-14 * expected if name == 'semi_major_axis' else angle
        tolerance /= (1.0 - orbit.eccentricity) ** 2
        assert abs(getattr(found.ellipse, name) - expected) < 2.0 * tolerance


def test_position_and_velocity_fly_as_newton_says():
    """By SciPy's DOP853 at 1e-13, over a revolution."""
    r0, v0 = np.array((7e6, 1e5, -2e5)), np.array((300.0, 5000.0, 6500.0))
    found = StateOrbit(r0, v0)
    period = math.tau / found.ellipse.mean_motion

    def pull(t, y):
        return np.concatenate((y[3:], -GRAVITATIONAL_PARAMETER * y[:3] / (y[:3] @ y[:3]) ** 1.5))

    times = np.linspace(0.0, period, 50)
    y = solve_ivp(
        pull, (0.0, period), np.concatenate((r0, v0)), 'DOP853', times, rtol=1e-13, atol=1e-6
    ).y.T
    r, v = states(found, times)
    assert np.abs(r - y[:, :3]).max() < 1e-4
    assert np.abs(v - y[:, 3:]).max() < 1e-7


@pytest.mark.parametrize(
    ('r', 'v', 'words'),
    [
        ((0.0, 0.0, 0.0), (0.0, 7e3, 0.0), r'position is \[0.0, 0.0, 0.0\] m, 0 m from the cent'),
        ((7000.0, 0.0, 0.0), (0.0, 7.5, 0.0), '7000 m from the centre .* in metres'),
        ((7e6, 0.0, 0.0), (0.0, 11e3, 0.0), 'from 10671.7.* m/s on .* a parabola or hyperbola'),
        ((7e6, 0.0, 0.0), (0.0, 7e3, 0.0), 'velocity is .* its perigee 5286.* above the ground'),
        ((7e6, 0.0, 0.0), (3e3, 0.0, 0.0), 'perigee .*e-10 m'),
        ((7e6, 0.0, 0.0), (0.0, 0.0, 0.0), 'perigee'),
        ((math.nan, 0.0, 0.0), (0.0, 7e3, 0.0), 'position is .*nan'),
        ((7e6, 0.0, 0.0), (0.0, math.inf, 0.0), 'velocity is .*inf'),
    ],
)
def test_positions_and_velocities_of_no_ellipse_are_refused(r, v, words):
    with pytest.raises(ValueError, match=words):
        StateOrbit(r, v)


def test_teme_is_turned_as_in_vallados_example():
    """Example 3-15 of Fundamentals of Astrodynamics, 2013."""
    epoch = epoch_of('2004-04-06T07:51:28.386009Z')
    teme = (5094180.16210, 6127644.65950, 6380344.53270, -4746.1314870, 785.8180410, 5531.9312880)
    world = teme_to_world(epoch, np.zeros(1), np.array([teme]))[0]
    # The example has what IERS adds to the nutation of 1980, 0.06 arcsec.
    expected = (5102508.95790, 6123011.40070, 6378136.92820)
    assert np.linalg.norm(world[:3] - expected) < 0.8
    assert np.linalg.norm(world[3:] - (-4743.220157, 790.536497, 5533.755728)) < 1e-3
    # Left out altogether it would be kilometres.
    assert np.linalg.norm(np.subtract(teme[:3], expected)) > 9e3


def test_sgp4_flies_the_space_station():
    orbit = TwoLineOrbit(*STATION)
    assert orbit.utc == '2008-09-20T12:25:40.104Z'
    epoch = epoch_of(orbit.utc)
    found = orbit.states_W(epoch, np.array((0.0, 5400.0)))
    # From the elements: inclination to the equator of then, and the semi-major axis.
    normal = np.cross(found[0, :3], found[0, 3:])
    normal /= np.linalg.norm(normal)
    assert math.degrees(math.acos(normal[2])) == pytest.approx(51.6416, abs=0.07)
    altitude = np.linalg.norm(found[:, :3], axis=1) - RADIUS
    assert (altitude > 330e3).all()
    assert (altitude < 370e3).all()
    # SGP4's own velocity is not quite the derivative of its position, by mm/s here.
    (a, b) = (orbit.states_W(epoch, np.array((5400.0 + k,)))[0, :3] for k in (-1.0, 1.0))
    np.testing.assert_allclose(found[1, 3:], (b - a) / 2.0, atol=0.05)
    later = epoch_of('2008-09-20T12:27:20.104Z')
    shifted = orbit.states_W(later, np.array((5300.0,)))
    np.testing.assert_allclose(shifted[0, :3], found[1, :3], atol=1e-2)


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (lambda a, b: (a[:-1] + '8', b), 'line 1 of the TLE ends with the checksum 8, .* make 7'),
        (lambda a, b: (a, b[:-1]), "line 2 of the TLE is .* 68 characters; .* begin with '2 '"),
        (lambda a, b: (b, a), "line 1 .* must begin with '1 '"),
        (
            lambda a, b: (a, b.replace('25544', '25545')[:-1] + '8'),
            'two satellites, 25544 and 255',
        ),
    ],
)
def test_broken_lines_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        TwoLineOrbit(*change(*STATION))


def test_old_elements_are_refused():
    orbit = TwoLineOrbit(*STATION)
    orbit.check(epoch_of('2008-09-25'), 0.0, 3600.0)
    with pytest.raises(ValueError, match='the TLE of 2008-09-20T12:25:40.104Z: 41.5 days at 0 s'):
        orbit.check(epoch_of('2008-11-01'), 0.0, 3600.0)
    with pytest.raises(ValueError, match=r'days at 2.592e\+06 s; stay within 30'):
        orbit.check(epoch_of('2008-09-25'), 0.0, 30 * 86400.0)


def table(step=30.0, duration=6000.0):
    times = np.arange(0.0, duration + step, step)
    return times, *states(SOURCE, times)


@pytest.mark.parametrize('step', [1.0, 30.0, 60.0])
def test_table_of_an_orbit_is_that_orbit(step):
    """Between rows by Hermite's polynomial of four: the eighth derivative / 8! at most."""
    orbit = TabulatedOrbit(*table(step, 600.0))
    times = np.linspace(0.0, 600.0, 777)
    r, v = states(SOURCE, times)
    found = orbit.states_W(EPOCH, times)
    n = 1.078e-3 * 1.03
    # (x (1 - x) (2 - x) (3 - x))² is 1 at most, in the first interval and the last; e = 0.01 adds
    # 256 e / 2 to the derivative. Doubles at 7e6 m leave 2e-9 m, and that much in a step.
    left = 2.3 * 7e6 * (n * step) ** 8 / 40320.0
    assert np.abs(found[:, :3] - r).max() < left + 6e-9
    assert np.abs(found[:, 3:] - v).max() < 4.0 * left / step + 2e-8 / step
    # For the nodes beside it, and a second of the sky, a polynomial goes on; farther is nothing.
    beside = orbit.states_W(EPOCH, np.array((-30.0, 641.0)))
    truth, _ = states(SOURCE, (-30.0, 641.0))
    assert np.abs(beside[:, :3] - truth).max() < 1e-4
    assert np.isnan(orbit.states_W(EPOCH, np.array((-30.1, 641.1)))).all()
    orbit.check(EPOCH, 0.0, 600.0)
    with pytest.raises(ValueError, match='from 0 s to 600 s .* the run from 0 s to 6100 s'):
        orbit.check(EPOCH, 0.0, 6100.0)


@pytest.mark.parametrize('times', [[0.0, 30.0], [0.0, 30.0, 60.0], [0.0, 1.0, 31.0, 32.0, 62.0]])
def test_few_or_uneven_rows_of_a_table_go_by_two(times):
    """Between rows by the cubic Hermite polynomial: (h n)⁴ r / 384 at most."""
    orbit = TabulatedOrbit(np.array(times), *states(SOURCE, times))
    between = np.linspace(times[0], times[-1], 77)
    r, v = states(SOURCE, between)
    found = orbit.states_W(EPOCH, between)
    n = 1.078e-3 * 1.03
    error = np.abs(found[:, :3] - r).max()
    assert 1e-4 < error < (30.0 * n) ** 4 * 7e6 / 384.0
    assert np.abs(found[:, 3:] - v).max() < (30.0 * n) ** 3 * 7e6 * n * math.sqrt(3.0) / 216.0
    # Where rows lack digits, polynomials beyond them stay on the ground.
    rough = TabulatedOrbit(np.array(times), *(np.round(one, 3) for one in states(SOURCE, times)))
    (beyond,), _ = states(SOURCE, [times[-1] + 40.0])
    assert np.abs(rough.states_W(EPOCH, np.array([times[-1] + 40.0]))[0, :3] - beyond).max() < 50.0


def spoiled(row, **values):
    """Return the arguments of a table with one row changed."""
    times, r, v = table()
    for name, value in values.items():
        {'t': times, 'r': r, 'v': v}[name][row] = value
    return times, r, v


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (lambda: spoiled(5, v=(1.0, math.nan, 0.0)), 'row 6 .* at 150 s, is not finite'),
        (lambda: spoiled(5, t=math.inf), 'row 6 .* is not finite'),
        (lambda: spoiled(5, t=110.0), 'row 6 .* comes no later than the row before, 120 s'),
        (lambda: spoiled(5, r=(7e3, 0.0, 0.0)), 'is 7000 m from the centre .* are in metres'),
        (lambda: table(step=120.0), 'row 2 .* is 120 s after .* at most 0.1 rad apart'),
        (lambda: (lambda t, r, v: (t, r, v / 1e3))(*table()), 'where the velocities lead'),
        (
            # Velocities relative to the turning ground.
            lambda: (lambda t, r, v: (t, r, v - np.cross((0, 0, 7.292e-5), r)))(*table()),
            'they must be inertial',
        ),
        (lambda: (np.zeros(1), np.ones((1, 3)), np.ones((1, 3))), 'give two rows or more'),
        (lambda: (np.zeros(2), np.ones((2, 2)), np.ones((2, 3))), 'each with three of both'),
    ],
)  # fmt: skip
def test_impossible_tables_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        TabulatedOrbit(*arguments())


def test_the_end_of_an_orbit_that_decays_is_told_before_it_is_flown():
    """Drag brings it down within days: by SGP4 itself, asked from day to day."""
    low = Satrec()
    # Elements of a TLE: days since 1949-12-31, drag, eccentricity, angles [rad], motion [rad/min].
    low.sgp4init(WGS72, 'i', 25544, 27000.0, 5e-3, 0.0, 0.0, 1e-3, 0.0, 0.9, 0.0, 0.0715, 0.0)
    orbit = TwoLineOrbit(*export_tle(low))
    ends = next(day for day in range(1, 30) if orbit.satellite.sgp4_tsince(1440.0 * day)[0])
    epoch = epoch_of(orbit.utc)
    orbit.check(epoch, 0.0, 3600.0)
    with pytest.raises(ValueError, match='SGP4 knows no orbit'):
        orbit.check(epoch, 0.0, 86400.0 * ends)
