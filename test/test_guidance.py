# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles, slews, keep-out and access: closed forms, derivatives of the attitude itself."""

import itertools
import math

import numpy as np
import pytest
from pytest import approx
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.environment import orbit_axes, wgs84
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.guidance import keep_out, motion, profiles, timetable
from spacecraft_attitude_sim.core.guidance import planner as planner_module
from spacecraft_attitude_sim.core.guidance.access import accesses
from spacecraft_attitude_sim.core.guidance.ephemeris import Ephemeris, Target
from spacecraft_attitude_sim.core.guidance.guidance import Guidance
from spacecraft_attitude_sim.core.guidance.keep_out import KeepOut, Zone
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError
from spacecraft_attitude_sim.core.guidance.planner import Planner
from spacecraft_attitude_sim.core.guidance.profiles import (
    Aligned,
    Direction,
    Inertial,
    Spinning,
    mounting,
)
from spacecraft_attitude_sim.core.guidance.s_curve import Limits, s_curve
from spacecraft_attitude_sim.core.guidance.slew import slew
from spacecraft_attitude_sim.core.guidance.wheel_limits import WheelLimits
from spacecraft_attitude_sim.core.mathematics import rotations

pytestmark = pytest.mark.quick
DEGREE = math.pi / 180.0
RADIUS, RATE, EARTH_RATE = 6878137.0, 1.1068e-3, 7.2921e-5
TURNING = 1e-5  # of the orbit's plane: fifty times that of a real one, so that it is noticed
LIMITS = Limits(1.0 * DEGREE, 0.05 * DEGREE, 0.02 * DEGREE)
X, Y, Z = np.eye(3)


def surroundings(inclination=0.0, turning=0.0):
    """Return the function of a time that a circular orbit, whose plane turns, gives."""
    up, aside = math.sin(inclination), math.cos(inclination)

    def around(time):
        c, s = math.cos(RATE * time), math.sin(RATE * time)
        node = np.array((math.cos(turning * time), math.sin(turning * time), 0.0))
        ahead = np.array((-aside * node[1], aside * node[0], up))
        position = RADIUS * (c * node + s * ahead)
        velocity = RADIUS * RATE * (c * ahead - s * node)
        velocity = velocity + turning * np.array((-position[1], position[0], 0.0))
        half = 0.5 * EARTH_RATE * time
        year = 2e-7 * time
        return AROUND.packed(
            position_W=position, velocity_W=velocity, magnetic_field_W=np.zeros(3),
            to_sun_W=(math.cos(year + 1.0), math.sin(year + 1.0) * 0.9, 0.4), irradiance=0.0,
            lit=1.0, to_moon_W=Y, density=0.0, wind_W=np.zeros(3),
            q_WE=(math.cos(half), 0.0, 0.0, math.sin(half)),
        )  # fmt: skip

    return around


TARGET = Target(0.3, 0.2, 500.0)
EPHEMERIS = Ephemeris(surroundings(0.5, TURNING), {'here': TARGET})
EQUATOR = Ephemeris(surroundings(), {'here': Target(0.0, 0.7), 'north': Target(0.1, 0.7, 300.0)})


def aligned(first, second, axis=Z, second_axis=X, ephemeris=EPHEMERIS, vector=X):
    directions = (Direction(name, ephemeris, vector) for name in (first, second))
    return Aligned(*directions, mounting(axis, second_axis))


NADIR = aligned('nadir', 'velocity')
SUN = aligned('sun', '-orbit_normal', axis=np.array((1, 2, 2)))
STATION = aligned('target:here', 'orbit_normal')
PROFILES = {
    'nadir': NADIR, 'sun': SUN, 'station': STATION,
    'velocity': aligned('-velocity', 'sun', second_axis=np.array((1.0, -1.0, 0.5))),
    'inertial': aligned('inertial', 'nadir'),
    'spin': Spinning(STATION, np.array((0.6, 0.0, 0.8)), 0.1),
    'moon': aligned('moon', 'sun'),
    'slew': slew(NADIR, STATION, 95.0, LIMITS),
    'half a turn': slew(NADIR, Spinning(NADIR, X, math.pi / 245.0), 95.0, LIMITS),
}  # fmt: skip


def derivatives(profile, time, h=1.0):
    """Return rate and acceleration of an attitude itself: central differences of sixth order."""
    base = profile.at(time).q_WR

    def turned(k):
        turn = rotations.compose(rotations.conjugate(base), profile.at(time + k * h).q_WR)
        return Rotation.from_quat(np.roll(turn, -1)).as_rotvec()

    v = {k: turned(k) for k in (-3, -2, -1, 1, 2, 3)}
    rate = 45.0 * (v[1] - v[-1]) - 9.0 * (v[2] - v[-2]) + (v[3] - v[-3])
    change = 270.0 * (v[1] + v[-1]) - 27.0 * (v[2] + v[-2]) + 2.0 * (v[3] + v[-3])
    return rate / (60.0 * h), change / (180.0 * h**2)


@pytest.mark.parametrize('name', PROFILES)
def test_rate_and_acceleration_are_the_derivatives_of_the_attitude(name):
    """Round-off of the differences: 1e-16/h; of the fit of places: 4e-14; 0.1 rad/s: 1e-12."""
    for time in (100.0, 108.0, 131.7):
        reference = PROFILES[name].at(time)
        rate, change = derivatives(PROFILES[name], time, 0.5)
        assert reference.omega_R == approx(rate, abs=2e-12)
        assert reference.alpha_R == approx(change, abs=1e-11)
    assert np.abs(reference.omega_R).max() > 1e-8  # it moves


def test_nadir_turns_with_the_orbit_and_its_axes_are_those_of_the_orbit():
    """At the rate n about -y; the attitude is that of core.environment.orbit_axes."""
    nadir = aligned('nadir', 'velocity', ephemeris=EQUATOR)
    reference = nadir.at(1234.5)
    around = surroundings()(1234.5)
    own = orbit_axes.attitude(around[AROUND.of('position_W')], around[AROUND.of('velocity_W')])
    assert rotations.angle_between(reference.q_WR, own) < 1e-14
    assert reference.omega_R == approx([0.0, -RATE, 0.0], abs=1e-15)
    assert reference.alpha_R == approx(np.zeros(3), abs=1e-14)


@pytest.mark.parametrize('name', ['sun', 'station', 'velocity'])
def test_the_first_axis_is_exact_and_the_second_as_near_as_possible(name):
    profile, time = PROFILES[name], 77.0
    q = profile.at(time).q_WR
    first, second = (d.jet(time)[0] for d in (profile.first, profile.second))
    axis, across = (rotations.rotate(rotations.conjugate(profile.q_TR), v) for v in (X, Z))
    assert axis == approx(np.array((1, 2, 2)) / 3.0 if name == 'sun' else Z)
    assert rotations.rotate(q, axis) == approx(first, abs=1e-14)
    nearest = np.cross(first, second)
    assert rotations.rotate(q, across) == approx(nearest / np.linalg.norm(nearest), abs=1e-14)


def test_each_direction_is_the_one_that_its_name_says():
    """Of a circular orbit over the equator, eastward; from the equator 500 m up, too."""
    time = 77.0
    now = surroundings()(time)
    up, ahead = (now[AROUND.of(name)] for name in ('position_W', 'velocity_W'))
    here = rotations.rotate(now[AROUND.of('q_WE')], Target(0.0, 0.7).position_E) - up
    expected = {
        'nadir': -up, 'velocity': ahead, 'orbit_normal': Z, 'sun': now[AROUND.of('to_sun_W')],
        'moon': Y, 'target:here': here, 'inertial': np.array((3.0, 0.0, 4.0)),
    }  # fmt: skip
    assert {*expected} == {*profiles.DIRECTIONS, 'target:here'}
    for name, vector in expected.items():
        for sign in (1.0, -1.0):
            named = name if sign > 0.0 else f'-{name}'
            unit = Direction(named, EQUATOR, np.array((3.0, 0.0, 4.0))).jet(time)[0]
            assert unit == approx(sign * vector / np.linalg.norm(vector), abs=1e-12), named


def test_a_boresight_meets_its_target():
    place_W = rotations.rotate(surroundings()(50.0)[AROUND.of('q_WE')], TARGET.position_E)
    line = place_W - EPHEMERIS.jet('position', 50.0)[0]
    boresight = rotations.rotate(STATION.at(50.0).q_WR, Z)
    assert boresight == approx(line / np.linalg.norm(line), abs=1e-14)


def test_directions_that_are_parallel_and_axes_that_are_parallel_are_refused():
    with pytest.raises(GuidanceError, match='nadir and -nadir at 5 s: .* parallel'):
        aligned('nadir', '-nadir').at(5.0)
    with pytest.raises(ValueError, match='parallel'):
        mounting(X, 2.0 * X)
    with pytest.raises(GuidanceError, match=r'orbit\.model'):
        aligned('nadir', 'velocity', ephemeris=Ephemeris(None)).at(0.0)
    with pytest.raises(GuidanceError, match='no target:there is known'):
        aligned('target:there', 'sun').at(0.0)


def random_motion(rng):
    q = rng.normal(size=4)
    return Reference(q / np.linalg.norm(q), *rng.normal(size=(2, 3)))


def test_motions_compose_and_come_apart():
    rng = np.random.default_rng(1)
    for _ in range(20):
        base, turn = random_motion(rng), random_motion(rng)
        back = motion.relative(base, motion.composed(base, turn))
        assert rotations.angle_between(back.q_WR, turn.q_WR) < 1e-14
        assert np.concatenate(back[1:]) == approx(np.concatenate(turn[1:]), abs=1e-13)


@pytest.mark.parametrize('angle', [1e-12, 1e-5, 0.009, 0.011, 0.99, 1.01, 3.1, 3.2, 5.0])
def test_a_rotation_vector_and_its_motion_are_inverse(angle):
    """Also beyond half a turn; the coefficients from series and closed forms meet."""
    rng = np.random.default_rng(2)
    jet = rng.normal(size=(3, 3))
    jet[0] *= angle / np.linalg.norm(jet[0])
    back = motion.rotation_jet(motion.of_rotation_jet(jet), jet[0])
    assert back == approx(jet, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ('angle', 'limits', 'duration'),
    [
        (3.0, Limits(1.0, 2.0, 8.0), 3.0 + 0.5 + 0.25),  # all seven segments
        (3.0, Limits(1.0, 2.0, 1.0), 3.0 + 2.0),  # the acceleration is not reached
        (0.5, Limits(9.0, 2.0, 8.0), 0.25 + math.sqrt(1.0625)),  # nor here the rate
        (1.0, Limits(9.0, 9.0, 0.5), 4.0),  # jerk alone: (32 θ/j)^(1/3)
    ],
)
def test_durations_of_s_curves_are_the_closed_forms(angle, limits, duration):
    """v/a + a/j more than θ/v with a cruise; a/j/2 + √((a/j/2)² + θ/a), twice, without."""
    curve = s_curve(angle, limits)
    assert curve.duration == approx(duration)


@pytest.mark.parametrize(
    ('angle', 'limits'),
    [*itertools.product([1e-6, 0.02, 0.3, 2.0], [LIMITS, Limits(0.1, 0.5, 0.01)])],
)
def test_an_s_curve_keeps_its_limits_and_is_smooth(angle, limits):
    curve = s_curve(angle, limits)
    times = np.linspace(0.0, curve.duration, 1201)
    turned, rate, acceleration = angle * np.array([curve.share(time) for time in times]).T
    assert (turned[0], turned[-1]) == (0.0, approx(angle, rel=1e-14))
    assert rate[[0, -1]] == approx([0.0, 0.0], abs=1e-15)
    assert acceleration[[0, -1]] == approx([0.0, 0.0], abs=1e-15)
    assert rate.max() <= limits.rate * (1.0 + 1e-12)
    assert np.abs(acceleration).max() <= limits.acceleration * (1.0 + 1e-12)
    step = times[1]
    assert np.abs(np.diff(acceleration)).max() <= limits.jerk * step * (1.0 + 1e-6)
    # Simpson's rule is exact in a segment; half a step of the jerk where two meet.
    assert np.diff(rate) == approx(
        0.5 * step * (acceleration[1:] + acceleration[:-1]), abs=limits.jerk * step**2
    )
    middle = angle * np.array([curve.share(time + 0.5 * step)[1] for time in times[:-1]])
    simpson = step / 6.0 * (rate[1:] + rate[:-1] + 4.0 * middle)
    assert np.diff(turned) == approx(simpson, abs=limits.jerk * step**3 + 1e-15)
    limited = rate.max() / limits.rate, np.abs(acceleration).max() / limits.acceleration
    jerk = np.abs(np.diff(acceleration)).max() / (limits.jerk * step)
    assert max(*limited, jerk) > 0.99


@pytest.mark.parametrize('name', ['slew', 'half a turn'])
def test_a_slew_continues_the_motion_of_both_ends(name):
    flown = PROFILES[name]
    for time, end in ((flown.begin, flown.start), (flown.finish, flown.end)):
        own, other = flown.at(time), end.at(time)
        assert rotations.angle_between(own.q_WR, other.q_WR) < 1e-14
        assert own.omega_R == approx(other.omega_R, abs=1e-15)
        assert own.alpha_R == approx(other.alpha_R, abs=1e-15)


def test_a_slew_between_moving_profiles_exceeds_theirs_by_no_more_than_its_limits():
    flown = PROFILES['slew']
    rates, changes = [], []
    for time in np.linspace(flown.begin, flown.finish, 101):
        own, *ends = flown.motions(time)
        rates.append(np.linalg.norm(own.omega_R) - max(np.linalg.norm(e.omega_R) for e in ends))
        changes.append(np.linalg.norm(own.alpha_R) - max(np.linalg.norm(e.alpha_R) for e in ends))
    assert 0.6 * LIMITS.rate < max(rates) < 1.001 * LIMITS.rate
    assert max(changes) < 1.001 * LIMITS.acceleration


def test_a_slew_between_attitudes_at_rest_turns_about_the_eigenaxis_within_all_limits():
    start, end = (Inertial(q / np.linalg.norm(q)) for q in np.array(((1, 2, 0, 1), (1, 0, 3, -2))))
    flown = slew(start, end, 20.0, LIMITS)
    axis = Rotation.from_quat(
        np.roll(rotations.compose(rotations.conjugate(start.q_WR), end.q_WR), -1)
    ).as_rotvec()
    angle = np.linalg.norm(axis)
    assert flown.duration == approx(s_curve(angle, LIMITS).duration, rel=1e-14)
    assert angle <= math.pi
    for time in np.linspace(20.0, flown.finish, 41):
        own = flown.at(time)
        assert np.cross(own.omega_R, axis) == approx(np.zeros(3), abs=1e-15)
        assert np.linalg.norm(own.omega_R) <= LIMITS.rate * (1.0 + 1e-12)
        assert np.linalg.norm(own.alpha_R) <= LIMITS.acceleration * (1.0 + 1e-12)
    middle = flown.at(20.0 + 0.5 * flown.duration)
    assert np.linalg.norm(middle.omega_R) == approx(LIMITS.rate, rel=1e-12)


def test_equal_attitudes_of_other_rates_are_joined_and_too_small_limits_are_refused():
    spinning = Spinning(Inertial(np.array((1.0, 0, 0, 0))), X, 0.01)
    flown = slew(Inertial(np.array((1.0, 0, 0, 0))), spinning, 0.0, LIMITS)
    assert flown.duration > 0.01 / LIMITS.acceleration
    assert flown.at(flown.finish).omega_R == approx([0.01, 0.0, 0.0])
    changes = [np.linalg.norm(flown.at(flown.duration * k / 99.0).alpha_R) for k in range(100)]
    assert 0.8 * LIMITS.acceleration < max(changes) < 1.001 * LIMITS.acceleration
    with pytest.raises(GuidanceError, match='profiles turn by .* give larger limits'):
        slew(NADIR, Spinning(NADIR, X, 0.5), 0.0, Limits(1e-3, 1e-3, 1e-3))


def test_wheels_limit_a_slew_by_their_torque_and_momentum():
    """Three wheels along the axes: α = share τ/J, ω = share h/J of the weakest along the axis."""
    inertia = np.diag((2.0, 3.0, 4.0))
    wheels = WheelLimits(inertia, np.eye(3), np.array((0.1, 0.2, 0.3)), np.array((1, 2, 3)), 0.5)
    most = Limits(10.0, 10.0, 0.7)
    assert wheels.along(Y, most) == approx((0.5 * 2.0 / 3.0, 0.5 * 0.2 / 3.0, 0.7))
    assert wheels.along(-X, Limits(0.01, 0.02, 0.7)) == approx((0.01, 0.02, 0.7))
    tilted = wheels.along(np.array((0.6, 0.0, 0.8)), most)
    assert tilted.acceleration == approx(0.5 * min(0.1 / 1.2, 0.3 / 3.2))
    # Four wheels: the pseudo-inverse, as the controller allocates.
    axes = np.array(((1, 0, 1), (0, 1, 1), (-1, 0, 1), (0, -1, 1))) / math.sqrt(2.0)
    four = WheelLimits(inertia, axes, np.full(4, 0.1), np.full(4, 1.0), 1.0)
    for axis in (Y, Z):  # about z all four help
        push = np.linalg.pinv(axes.T) @ inertia @ axis
        assert four.along(axis, most).acceleration == approx(0.1 / np.abs(push).max())
    flown = slew(Inertial(np.array((1.0, 0, 0, 0))), Inertial(np.array((0, 0, 1.0, 0))), 0.0, most,
                 wheels)  # fmt: skip
    torque = [inertia @ flown.at(time).alpha_R for time in np.linspace(0, flown.duration, 200)]
    assert np.abs(torque).max() == approx(0.1, rel=1e-6)


def zones_at(planner, time):
    return [
        (z.axis_B, z.direction_W / np.linalg.norm(z.direction_W), z.angle)
        for z in planner.zones(time)
    ]


def test_a_slew_keeps_boresights_out_or_says_that_it_cannot():
    """Random cases with one and two boresights; looked at anew at 120 instants of each slew."""
    rng = np.random.default_rng(5)
    ways, refused = [], []
    for case in range(4):
        axes = rng.normal(size=(2, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, np.newaxis]
        kept = [KeepOut('camera', axes[0], 'sun', 50.0 * DEGREE)]
        kept += [KeepOut('tracker', axes[1], 'moon', 25.0 * DEGREE)] * (case % 2)
        planner = Planner(LIMITS, None, tuple(kept), EQUATOR)
        start, end = (Inertial(q / np.linalg.norm(q)) for q in rng.normal(size=(2, 4)))
        inside = min(
            keep_out.clearance(p.q_WR, zone) for p in (start, end) for zone in planner.zones(0.0)
        )
        try:
            slews = planner.slews(start, end, 0.0)
        except GuidanceError as error:
            refused.append(str(error))
            assert inside < 1e-3
            continue
        ways.append(len(slews))
        assert slews[0].start is start and slews[-1].end is end
        for flown in slews:
            for time in np.linspace(flown.begin, flown.finish, 120):
                q = flown.at(time).q_WR
                for axis, direction, angle in zones_at(planner, time):
                    boresight = Rotation.from_quat(np.roll(q, -1)).apply(axis)
                    assert boresight @ direction < math.cos(angle)
    assert {1, 2} <= {*ways}
    assert refused and all(' deg past the ' in text for text in refused)


def test_keep_out_between_moving_profiles():
    """The direct slew passes the Sun; the way round stops once, and joins both motions."""
    planner = Planner(LIMITS, None, (KeepOut('tracker', X, 'sun', 40.0 * DEGREE),), EPHEMERIS)
    slews = planner.slews(NADIR, STATION, 4500.0)
    assert len(slews) == 2
    assert slews[0].finish == slews[1].begin
    for flown in slews:
        for time in np.linspace(flown.begin, flown.finish, 60):
            q = flown.at(time).q_WR
            for axis, direction, angle in zones_at(planner, time):
                assert rotations.rotate(q, axis) @ direction < math.cos(angle)
    direct = slew(NADIR, STATION, 4500.0, LIMITS)
    nearest = max(
        rotations.rotate(direct.at(time).q_WR, X) @ planner.zones(time)[0].direction_W
        for time in np.linspace(direct.begin, direct.finish, 60)
    )
    assert nearest > math.cos(40.0 * DEGREE)
    with pytest.raises(GuidanceError, match=r'tracker looks 32.25 deg past the sun at 0 s'):
        planner.slews(NADIR, STATION, 0.0)


def test_the_nearest_approach_of_an_eigenaxis_slew_is_closed():
    rng = np.random.default_rng(4)
    start, end = (q / np.linalg.norm(q, axis=1)[:, np.newaxis] for q in rng.normal(size=(2, 8, 4)))
    zones = [Zone(X, Y, 0.3), Zone(np.array((0.0, 0.6, 0.8)), Z, 0.1)]
    closed = keep_out.least_clearances(start, end, zones)
    for k in range(8):
        turn = motion.rotation_vector(rotations.compose(rotations.conjugate(start[k]), end[k]))
        on_the_way = (
            rotations.compose(start[k], np.roll(Rotation.from_rotvec(s * turn).as_quat(), 1))
            for s in np.linspace(0.0, 1.0, 200)
        )
        least = min(keep_out.clearance(q, zone) for q in on_the_way for zone in zones)
        assert closed[k] == approx(least, abs=1e-3)  # half a step, squared
        assert closed[k] <= least + 1e-12


def test_where_there_is_no_way_round_it_says_so():
    """Axes x and -x both 89 degrees from the Sun: only a narrow ring is left."""
    kept = tuple(KeepOut(n, s * X, 'moon', 89.0 * DEGREE) for n, s in (('left', 1), ('right', -1)))
    planner = Planner(LIMITS, None, kept, EQUATOR)  # the Moon is along y
    start = Inertial(np.array((1.0, 0.0, 0.0, 0.0)))
    end = Inertial(np.array((0.5, 0.5, -0.5, 0.5)))  # x to z
    with pytest.raises(GuidanceError, match='no slew at 0 s keeps left from the moon, right'):
        planner.slews(start, end, 0.0)


@pytest.mark.parametrize('which', [0, 1])
def test_where_a_slew_would_begin_or_end_in_a_zone_it_says_which_one_and_when(which):
    """The Earth moves 20 degrees meanwhile: where it is at the end, it is not at the begin."""
    plain, away = Planner(LIMITS, None, (), EPHEMERIS), Inertial(np.array((0.0, 1.0, 0.0, 0.0)))
    looks = plain._direction('earth', 300.0 * which)
    q = np.array((1.0 + Z @ looks, *np.cross(Z, looks)))
    down = Inertial(q / np.linalg.norm(q))
    pair = (away, down) if which else (down, away)
    finish = plain.slews(*pair, 0.0)[-1].finish
    kept = (KeepOut('camera', Z, 'earth', 15.0 * DEGREE),)
    planner = Planner(LIMITS, None, kept, EPHEMERIS)
    time = finish if which else 0.0
    with pytest.raises(GuidanceError, match=f'camera looks .* past the earth at {time:.6g} s'):
        planner.slews(*pair, 0.0)


def test_access_of_a_circular_equatorial_orbit():
    """Rise and set at the closed central angle from the culmination, to a millisecond."""
    least = 10.0 * DEGREE
    central = math.acos(wgs84.SEMI_MAJOR_AXIS * math.cos(least) / RADIUS) - least
    relative = RATE - EARTH_RATE
    first, second = accesses(EQUATOR, 'here', least, 0.0, 7000.0)
    for number, one in enumerate((first, second)):
        top = (0.7 + math.tau * number) / relative
        assert one.culmination == approx(top, abs=0.05)  # the elevation is flat there
        assert one.elevation == approx(math.pi / 2.0, abs=1e-4)
        assert (one.rise, one.set) == approx(
            (top - central / relative, top + central / relative), abs=1e-3
        )
    # Off the ground track: the elevation at culmination, from plane geometry in the meridian.
    (north,) = accesses(EQUATOR, 'north', least, 0.0, 3000.0)
    e2 = 0.00669437999014
    prime = 6378137.0 / math.sqrt(1.0 - e2 * math.sin(0.1) ** 2)
    across = RADIUS - (prime + 300.0) * math.cos(0.1)
    down = (prime * (1.0 - e2) + 300.0) * math.sin(0.1)
    assert north.elevation == approx(math.pi / 2.0 - (math.atan2(down, across) + 0.1), abs=1e-9)
    cut = accesses(EQUATOR, 'here', least, first.rise + 30.0, first.rise + 60.0)
    assert [(one.rise, one.set) for one in cut] == [(first.rise + 30.0, first.rise + 60.0)]
    assert not accesses(EQUATOR, 'here', least, first.set + 1.0, second.rise - 1.0)


def test_a_point_over_the_ellipsoid_and_back():
    for place in ((0.3, -1.2, 500.0), (-1.4, 3.0, -80.0), (0.0, 0.0, 5e5)):
        assert wgs84.geodetic(wgs84.position(*place)) == approx(place, abs=1e-8)


@pytest.fixture
def guided():
    profiles = {'down': NADIR, 'station': STATION, 'sun': SUN}
    table = [(100.0, 'station'), (120.0, 'down'), (900.0, 'sun')]
    return Guidance(profiles, 'down', table, Planner(LIMITS, None, (), EPHEMERIS))


def same(reference, other):
    return all(map(np.array_equal, reference, other))


def test_a_timetable_is_flown_and_an_entry_waits_for_the_slew_before(guided):
    assert guided.status(99.0) == ('down', 0.0)
    assert same(guided.at(99.0), NADIR.at(99.0))
    name, left = guided.status(110.0)
    assert name == 'station' and left > 20.0
    ready = 110.0 + left
    name, after = guided.status(ready)  # late: the next slew begins at once
    assert name == 'down' and after > 10.0
    assert rotations.angle_between(guided.at(ready).q_WR, STATION.at(ready).q_WR) < 1e-14
    assert same(guided.at(890.0), NADIR.at(890.0))
    assert same(guided.at(2000.0), SUN.at(2000.0))
    before, now = guided.at(900.0 - 1e-6), guided.at(900.0)
    assert rotations.angle_between(before.q_WR, now.q_WR) < 1e-8
    assert not guided.problem


def test_a_change_is_flown_until_the_next_entry_and_a_restart_forgets_it(guided):
    guided.at(400.0)
    guided.change('sun', 0.0)  # now
    assert guided.status(399.9).profile == 'down'
    name, left = guided.status(400.0)
    assert name == 'sun' and left > 10.0
    attitude = Inertial(np.array((0.0, 1.0, 0.0, 0.0)))
    guided.change('pose', 700.0, attitude)
    assert guided.status(699.0) == ('sun', 0.0)
    assert same(guided.at(899.0), attitude.at(899.0))
    assert guided.status(901.0).profile == 'sun'  # of the timetable
    with pytest.raises(GuidanceError, match="no profile 'up'; there are down, station, sun"):
        guided.change('up', 950.0)
    guided.restart()
    assert same(guided.at(899.0), NADIR.at(899.0))  # of the timetable, not what it was before
    assert guided.status(800.0) == ('down', 0.0)


def test_of_many_changes_during_a_slew_the_last_one_follows_it(guided):
    guided.at(200.0)
    guided.change('station', 200.0)
    finish = 200.0 + guided.status(200.0).left
    for number in range(41):
        guided.change(('sun', 'down')[number % 2], 201.0)
    assert guided.status(0.5 * (200.0 + finish)).profile == 'station'
    name, left = guided.status(finish)
    assert name == 'sun' and left > 10.0
    assert guided.status(finish + left) == ('sun', 0.0)


def test_the_profile_of_a_mission_is_changed_to_once(guided, monkeypatch):
    planned, slews = [], Planner.slews
    monkeypatch.setattr(Planner, 'slews', lambda *given: planned.append(given[3]) or slews(*given))
    for time in np.arange(200.0, 230.0, 0.5):
        guided.fly('down', time)  # as the timetable has it
        guided.fly('', time)
    assert planned == []
    for time in np.arange(400.0, 410.5, 0.5):
        guided.fly('station', time)
    assert planned == [400.0] and guided.status(410.0).profile == 'station'
    finish = 410.0 + guided.status(410.0).left
    for time in np.arange(410.5, 415.0, 0.5):
        guided.fly('sun', time)  # waits for the slew to the station, and is planned once
    assert planned == [400.0, approx(finish)]
    assert guided.status(finish + 1.0).profile == 'sun'
    assert guided.status(890.0) == ('sun', 0.0) and not guided.problem


def test_a_profile_of_a_mission_that_cannot_be_flown_is_tried_again(monkeypatch):
    kept = (KeepOut('camera', Z, 'earth', 30.0 * DEGREE),)
    profiles = {'down': NADIR, 'up': aligned('-nadir', 'velocity')}
    out = Guidance(profiles, 'up', [], Planner(LIMITS, None, kept, EPHEMERIS))
    tried, change = [], Guidance.change
    monkeypatch.setattr(
        Guidance, 'change', lambda own, *given: tried.append(given[1]) or change(own, *given)
    )
    for time in range(25):
        out.fly('down', float(time))
    assert tried == [0.0, 10.0, 20.0]
    assert out.problem.startswith('down is not flown: camera looks')
    assert out.status(25.0) == ('up', 0.0)
    out.fly('other', 25.0)
    assert "no profile 'other'" in out.problem


class Ending:
    """To the nadir, as long as the orbit is known."""

    def at(self, time):
        """Return the Reference; GuidanceError after 10 s."""
        if time > 10.0:
            raise GuidanceError('known until 10 s')
        return NADIR.at(time)


def test_a_profile_that_is_not_defined_is_held_and_a_forbidden_one_is_refused():
    mixed = {'down': NADIR, 'wrong': aligned('nadir', '-nadir')}
    with pytest.raises(GuidanceError, match='parallel'):
        Guidance(mixed, 'down', [(50.0, 'wrong')], Planner(LIMITS, None, (), EPHEMERIS))
    begun = Guidance({'down': Ending()}, 'down', [], Planner(LIMITS, None, (), EPHEMERIS))
    before, held = begun.at(9.0), begun.at(11.0)
    assert np.array_equal(held.q_WR, before.q_WR) and not begun.status(11.0).left
    assert np.array_equal(held.omega_R, np.zeros(3))
    assert begun.problem == 'down: known until 10 s'
    attitude = Inertial(np.array((0.0, 1.0, 0.0, 0.0)))
    begun.change('pose', 30.0, attitude)  # from the attitude that is held
    assert not begun.problem
    assert begun.at(30.0).q_WR == approx(held.q_WR, abs=1e-15)
    assert same(begun.at(900.0), attitude.at(900.0))
    kept = (KeepOut('camera', Z, 'earth', 30.0 * DEGREE),)
    planner = Planner(LIMITS, None, kept, EPHEMERIS)
    with pytest.raises(GuidanceError, match='down: camera looks 0.00 deg past the earth'):
        Guidance({'down': NADIR}, 'down', [], planner)
    out = Guidance({'down': NADIR, 'up': aligned('-nadir', 'velocity')}, 'up', [], planner)
    with pytest.raises(GuidanceError, match='camera looks'):
        out.change('down', 10.0)
    assert out.status(500.0) == ('up', 0.0)


@pytest.mark.parametrize(
    ('begin', 'end', 'wrong'),
    [(0.0, 25.0, 0.0), (0.0, 25.0, 25.0), (40.0, 40.0, 40.0), (0.0, 40.0, 20.0)],
)
def test_a_profile_is_compared_with_its_zones_from_its_begin_to_its_end(begin, end, wrong):
    class Once:
        def at(self, time):
            return (NADIR if time == wrong else aligned('-nadir', 'velocity')).at(time)

    planner = Planner(LIMITS, None, (KeepOut('camera', Z, 'earth', 30.0 * DEGREE),), EPHEMERIS)
    with pytest.raises(GuidanceError, match=f'past the earth at {wrong:g} s'):
        planner.check_profile(Once(), begin, end)


def test_lines_of_a_timetable():
    utc = '2026-03-20T12:00:00Z'
    lines = ['0 down', '600.5 station', '2026-03-20T12:20:00Z down']
    assert timetable.in_order(lines, utc) == [(0.0, 'down'), (600.5, 'station'), (1200.0, 'down')]
    for wrong, told in (
        (['10 a', '10 b'], "'b' at 10 s is not after"), (['station'], "write '600.0 station'"),
        (['-1 a'], '0 s or more'), (['2026-03-20T11:00:00Z a'], '0 s or more'),
        (['soon a'], 'ISO 8601'), (['nan a'], '0 s or more'),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            timetable.in_order(wrong, utc)
    with pytest.raises(ValueError, match='no epoch'):
        timetable.parsed('2026-03-20T12:20:00Z down', None)


def test_ways_round_are_sought_between_the_zones_in_the_middle_of_the_slew(monkeypatch):
    sought = []
    monkeypatch.setattr(
        planner_module, 'ways_round', lambda first, last, zones, margin: sought.append(zones) or ()
    )
    planner = Planner(LIMITS, None, (KeepOut('tracker', X, 'sun', 40.0 * DEGREE),), EPHEMERIS)
    with pytest.raises(GuidanceError, match='no slew at 4500 s keeps tracker from the sun'):
        planner.slews(NADIR, STATION, 4500.0)
    direct = slew(NADIR, STATION, 4500.0, LIMITS)
    (middle,) = planner.zones(0.5 * (direct.begin + direct.finish))
    (before,) = planner.zones(direct.begin)
    assert np.linalg.norm(middle.direction_W - before.direction_W) > 1e-6
    assert len(sought) == len(planner_module.MARGINS)
    for (zone,) in sought:
        assert zone.direction_W == approx(middle.direction_W, abs=1e-12)


def test_the_reference_of_a_timetable_turns_without_jumps(guided):
    """Through every slew, no faster than the limit of slews and the fastest profile together."""
    step = 5.0
    times = np.arange(90.0, 1100.0, step)
    references = [guided.at(time) for time in times]
    turned = np.array(
        [
            rotations.angle_between(before.q_WR, now.q_WR)
            for before, now in itertools.pairwise(references)
        ]
    )
    fastest = max(
        np.linalg.norm(profile.at(time).omega_R) for profile in (NADIR, STATION) for time in times
    )
    assert turned.max() < (LIMITS.rate + fastest) * step
    slewing = np.array([guided.status(time).left > 0.0 for time in times[1:]])
    assert turned[slewing].max() > 0.5 * LIMITS.rate * step
