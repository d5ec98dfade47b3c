# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Orbits about the Earth as parameters of a scenario."""

import datetime
import math
import re

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import attitude_controller, orbit_report, scenario
from spacecraft_attitude_sim.core.environment.surroundings import AROUND

ORBIT = {
    'duration': 60.0,
    'orbit.model': 'kepler',
    'orbit.semi_major_axis': 6.9e6,
    'orbit.inclination': 1.0,
}
STATE = {
    'orbit.model': 'state', 'orbit.position': [7e6, 0.0, 0.0],
    'orbit.velocity': [0.0, 4e3, 6.4e3],
}  # fmt: skip
TLE = [
    '1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927',
    '2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537',
]


def built(**more):
    """Return the Scenario of an orbit and more, dots for double underscores."""
    given = ORBIT | {name.replace('__', '.'): value for name, value in more.items()}
    return scenario.build(given, 'test')


def of_year(two_digits):
    """Return the parameters of elements of another year."""
    line = TLE[0].replace('08264', f'{two_digits}264')[:68]
    total = sum(int(c) if c.isdigit() else c == '-' for c in line) % 10
    return {'orbit.model': 'sgp4', 'orbit.tle': [f'{line}{total}', TLE[1]]}


def test_an_orbit_begins_at_its_epoch():
    found = built(epoch='2026-06-01T06:00:00.25Z')
    begins = datetime.datetime(2026, 6, 1, 6, tzinfo=datetime.timezone.utc).timestamp()
    assert found.plant.environment.surroundings.begins == int(begins) * 10**9 + 250_000_000
    assert found.plant.beyond_rigid_body == 'an orbit'
    place = found.plant.environment.surroundings.at(0.0)[AROUND.of('position_W')]
    assert place == pytest.approx((6.9e6, 0.0, 0.0))


def test_the_report_says_where_over_the_earth_an_orbit_starts():
    """At 60 deg north in a polar orbit; the longitude follows from the mean sidereal time."""
    where = {'orbit.inclination': math.pi / 2.0, 'orbit.true_anomaly': math.radians(60.0)}
    found = built(**where, orbit__right_ascension=1.0, epoch='2026-06-01T06:00:00Z')
    (said,) = (line for line in orbit_report.lines(found) if ' deg north' in line)
    height, north, east = map(
        float, re.search(r'(\S+) km above (\S+) deg north, (\S+) deg east', said).groups()
    )
    days = (datetime.datetime(2026, 6, 1, 6) - datetime.datetime(2000, 1, 1, 12)).total_seconds()
    sidereal = 280.46062 + 360.98564737 * days / 86400.0
    # The ellipsoid's normal is 0.17 deg off, and its radius there 6362.1 km. Since 2000 the pole
    # has moved by 0.15 deg, at 60 deg north 0.26 deg of longitude, and the equinox by 0.34 deg.
    assert north == pytest.approx(60.17, abs=0.2)
    off = east - math.degrees(1.0) + sidereal
    assert abs((off + 180.0) % 360.0 - 180.0) < 0.7
    assert height == pytest.approx(6900.0 - 6362.1, abs=0.3)


@pytest.mark.parametrize(
    ('first', 'days', 'second'),
    [
        ('2026-01-01T00:00:00Z', 151.25, '2026-06-01T06:00:00Z'),
        ('', -1.0, '2025-12-31T00:00:00Z'),
        ('2016-12-31T12:00:00Z', 1.0, '2017-01-01T11:59:59Z'),  # with a leap second between
    ],
)
def test_a_delay_of_days_is_a_later_epoch(first, days, second):
    delayed, given = built(epoch=first, epoch_delay=days), built(epoch=second)
    around, other = (one.plant.environment.surroundings for one in (delayed, given))
    assert around.begins == other.begins
    for time in (0.0, 31.0):
        assert around.at(time).tobytes() == other.at(time).tobytes()
    again = scenario.parse(scenario.dump(delayed), 'x').plant.environment.surroundings
    assert again.epoch.utc == around.epoch.utc
    assert again.at(31.0).tobytes() == around.at(31.0).tobytes()


def test_elements_and_kept_tables_are_delayed_too():
    given = {'orbit.model': 'sgp4', 'orbit.tle': TLE, 'duration': 60.0}
    found = scenario.build(given | {'epoch_delay': 2.0}, 'test')
    first = scenario.build(given, 'test').plant.environment.surroundings
    around = found.plant.environment.surroundings
    assert around.begins - first.begins == 2 * 86400 * 10**9
    again = scenario.parse(scenario.dump(found), 'x').plant.environment.surroundings
    assert again.at(31.0).tobytes() == around.at(31.0).tobytes()


def test_position_and_velocity_are_an_orbit():
    found = scenario.build(STATE | {'initial.frame': 'lvlh'}, 'test')
    around = found.plant.environment.surroundings
    assert around.exact
    assert around.at(0.0)[AROUND.of('position_W')].tolist() == STATE['orbit.position']
    # The derivative of what goes through places, whose round-off is 1e-9 m each 10 s.
    velocity = around.at(0.0)[AROUND.of('velocity_W')]
    assert velocity == pytest.approx(STATE['orbit.velocity'], rel=0.0, abs=1e-8)
    again = scenario.parse(scenario.dump(found), 'x').plant.environment.surroundings
    assert again.at(3333.3).tobytes() == around.at(3333.3).tobytes()
    first, *_ = orbit_report.lines(found)
    # From the vis-viva equation; the inclination is atan(6.4/4), and it begins at its perigee.
    a = 1.0 / (2.0 / 7e6 - (4e3**2 + 6.4e3**2) / 3.986004418e14)
    assert first == (
        'ellipse through (7e+06, 0, 0) m with (0, 4000, 6400) m/s: semi-major axis '
        f'{a:.8g} m, eccentricity {1.0 - 7e6 / a:.6g}, inclination 57.9946 deg, right '
        'ascension of the node 0 deg, argument of perigee 0 deg, true anomaly 0 deg'
    )


def test_a_controller_flies_by_position_and_velocity():
    values = attitude_controller.checked(STATE | {'mode': 'nadir_pointing'})
    known = attitude_controller.ephemeris(values).at(1000.0)
    truth = scenario.build(STATE, 'test').plant.environment.surroundings.at(1000.0)
    assert known[AROUND.of('position_W')].tolist() == truth[AROUND.of('position_W')].tolist()


def test_spacecraft_in_one_orbit_share_it():
    first, second = built(seed=1), built(seed=2, duration=7200.0)
    assert first.plant.environment.surroundings is second.plant.environment.surroundings
    other = built(orbit__inclination=1.1)
    assert other.plant.environment.surroundings is not first.plant.environment.surroundings


def test_two_lines_bring_their_own_time():
    found = scenario.build({'orbit.model': 'sgp4', 'orbit.tle': TLE, 'duration': 60.0}, 'test')
    begins = found.plant.environment.surroundings.begins / 1e9
    day = datetime.datetime(2008, 1, 1, tzinfo=datetime.timezone.utc).timestamp()
    assert begins == pytest.approx(day + 263.51782528 * 86400.0, abs=1e-3)


@pytest.mark.parametrize(
    ('model', 'size'), [('igrf', 4e-5), ('wmm', 4e-5), ('dipole', 4e-5), ('uniform', 3e-5)]
)
def test_the_field_is_that_of_its_model(model, size):
    found = built(magnetic_model=model, magnetometer__enabled=True)
    field = found.plant.environment.magnetic_field_at(0.0)
    assert np.linalg.norm(field) == pytest.approx(size, rel=0.5)
    fields = {m: built(magnetic_model=m).plant.environment.magnetic_field_at(0.0).tolist()
              for m in ('igrf', 'wmm', 'dipole', 'uniform')}  # fmt: skip
    assert sum(one == field.tolist() for one in fields.values()) == 1
    assert found.first_instant().readings.magnetic_field_S == pytest.approx(
        field, rel=1e-9, abs=0.0
    )


def test_air_thins_with_its_model():
    dense, none = built(), built(atmosphere='none')
    density = AROUND.at('density')
    assert 1e-13 < dense.plant.environment.surroundings.at(0.0)[density] < 1e-11
    assert none.plant.environment.surroundings.at(0.0)[density] == 0.0
    around, thrice = (
        one.plant.environment.surroundings for one in (dense, built(density_factor=3.0))
    )
    for time in (0.0, 33.0):
        expected = 3.0 * around.at(time)[density]
        assert thrice.at(time)[density] == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_a_report_says_where_no_air_is_and_where_no_orbit_lasts():
    def said(**more):
        return '\n'.join(orbit_report.lines(built(**more)))

    assert 'no force' not in said()
    assert 'drag does not change' not in said()
    assert 'kg/m^3 at the start, 3 times the model' in said(density_factor=3.0)
    far = said(orbit__semi_major_axis=1e9)
    assert 'exponential layers, 0 kg/m^3 at the start: no force on the surfaces' in far
    low = said(orbit__semi_major_axis=7.1e6, orbit__eccentricity=0.09, orbit__true_anomaly=2.0)
    assert 'its perigee is at 82.9 km, where air ends a real orbit within one revolution' in low


def test_surfaces_are_plates_about_the_centre_of_mass():
    plate = {
        'surfaces': ['wing'], 'surface.wing.area': 0.2, 'surface.wing.normal': [0.0, 0.0, 1.0],
        'surface.wing.center': [0.0, 0.5, 0.0], 'surface.wing.both_sides': True,
        'body.center_of_mass': [0.0, 0.1, 0.0],
    }  # fmt: skip
    found = scenario.build(ORBIT | plate, 'test').plant.spacecraft.plates.plates
    assert [one.normal_B.tolist() for one in found] == [[0.0, 0.0, 1.0], [-0.0, -0.0, -1.0]]
    assert [np.asarray(one.center_B).tolist() for one in found] == [[0.0, 0.4, 0.0]] * 2
    assert {(one.area, one.drag_coefficient) for one in found} == {(0.2, 2.2)}


@pytest.mark.parametrize(
    ('more', 'said'),
    [
        ({'epoch': 'yesterday'}, "epoch is 'yesterday'; it must be a time in UTC"),
        ({'epoch': '2035-01-01T00:00:00Z'}, 'the epoch is in 2035.0, and igrf14 is of 1900 to'),
        ({'epoch': '2020-01-01T00:00:00Z', 'magnetic_model': 'wmm'}, 'wmm2025 is of 2025 to'),
        ({'orbit.semi_major_axis': 6.3e6}, 'the perigee is 6300000 m from the centre'),
        ({'orbit.eccentricity': 1.0}, 'eccentricity is 1; it must be from 0 to below 1'),
        ({'orbit.model': 'state'}, 'orbit.position is [0.0, 0.0, 0.0] m, 0 m from the centre'),
        (STATE | {'orbit.velocity': [0.0, 8e3, 8e3]}, 'is open, a parabola or hyperbola; give'),
        (STATE | {'orbit.velocity': [0.0, 6e3, 0.0]}, 'orbit.velocity is [0.0, 6000.0, 0.0] m/s'),
        ({'orbit.radius': 7e6}, "orbit.model is 'kepler' and orbit.radius 7e"),
        ({'orbit.model': 'sgp4'}, "orbit.model is 'sgp4'; give the two lines of orbit.tle"),
        ({'orbit.model': 'table'}, "orbit.model is 'table'; give the file orbit.table"),
        ({'orbit.model': 'table', 'orbit.table': 'no.csv'}, "'no.csv': no such file"),
        (
            {'orbit.model': 'sgp4', 'orbit.tle': TLE, 'epoch': '2026-01-01T00:00:00Z'},
            'the TLE of 2008-09-20T12:25:40.104Z: 6311.5 days',
        ),
        ({'epoch_delay': 30000.0}, 'epoch is 2108-02-21T00:00:00.000000Z; give a year from 1972'),
        (of_year('57'), 'orbit.tle: epoch is 1957-09-21T12:25:40.104Z; give a year from 1972'),
        (of_year('56'), 'orbit.tle: the epoch is in 2056.7, and igrf14 is of 1900 to 2030'),
        (
            {'density_factor': 0.0},
            "density_factor is 0; it must be positive, and atmosphere 'none'",
        ),
        ({'density_factor': -1.0}, 'density_factor is -1.0; give a number from 0'),
        (
            {'orbit.model': 'none', 'surfaces': ['a'], 'surface.a.area': 1.0},
            'without air and sunlight',
        ),
        ({'surfaces': ['a']}, 'surface.a.area is 0 m^2; it must be positive'),
        ({'gravity': [0.0, 0.0, -9.8]}, 'in an orbit, whose point falls freely'),
        ({'equations': 'lagrange'}, "with an orbit only 'momentum' works"),
        ({'orbit.model': 'hyperbola'}, 'choose one of none, kepler, j2, state, sgp4, table'),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(more, said):
    with pytest.raises(scenario.ScenarioError) as found:
        scenario.build(ORBIT | more, 'test')
    assert said in str(found.value)
    assert '\n' not in str(found.value)
