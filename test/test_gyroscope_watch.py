# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A faulty gyroscope is noticed, a faulty sensor is refused, and a good flight is as ever.

Truth and readings are those of test_attitude_estimator, with the fault planted in the readings.
"""

import dataclasses
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import chi2
from test_attitude_estimator import (
    EVERY,
    GYRO,
    STARS,
    STEP_NS,
    SUN_CELL,
    SUN_SENSOR,
    World,
    around,
    from_w_first,
    settings_of,
    w_first,
)

from spacecraft_attitude_sim.configuration import attitude_estimator as configuration
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.gyroscope_watch import (
    ALONE,
    LARGEST_SIGMA,
    SINCE_ALONE,
    SUSPECT,
    Agreement,
    Filter,
    Watch,
    WatchedEstimator,
)
from spacecraft_attitude_sim.core.estimation.settings import (
    GYROSCOPE_NAME,
    Estimate,
    Gyroscope,
    Judgement,
)

TICKS, BEGIN, END = 400, 80, 140
STARS_ALONE, NO_STARS = {'star_tracker': STARS}, {k: EVERY[k] for k in list(EVERY)[1:]}
# The estimate says so often at least what is true, or that it does not know: what is noticed at
# once by the star tracker, every 2 s here, is wrong for one or two of its intervals.
HONEST = 1.0 - 16 / TICKS
DEGREE = math.pi / 180.0
# Mountings whose x looks along each axis of the body, both ways.
CUBE = [
    w_first(Rotation.from_euler(axis, angle))
    for axis, angle in (('z', 0.0), ('z', 1.6), ('z', 3.1), ('z', -1.6), ('y', 1.6), ('y', -1.6))
]
SUSPECTED = Gyroscope(rate_noise=1.7e-3, bias_walk=1.6e-3, bias_sigma=0.026)


@pytest.fixture(scope='module')
def worlds():
    return {names: World(dict.fromkeys(names) | {n: EVERY[n] for n in names}, ticks=TICKS)
            for names in (tuple(EVERY), tuple(STARS_ALONE), tuple(NO_STARS))}  # fmt: skip


def watched(sensors=EVERY, **more):
    return WatchedEstimator(settings_of(sensors), around, Watch(SUSPECTED, **more))


def broken(readings, name, fault, begin=BEGIN, end=TICKS):
    """Return [tick] of Readings in which a sensor's values are those of fault(values, tick)."""
    return [
        [
            reading._replace(values=fault(reading.values, tick))
            if reading.sensor == name and begin <= tick < end else reading
            for reading in together
        ]
        for tick, together in enumerate(readings)
    ]  # fmt: skip


class Flown:
    """What an estimator said of readings: sizes of true errors and largest sigmas [rad].

    NaN where it told no attitude
    """

    def __init__(self, estimator, world, readings):
        self.error, self.sigma, self.suspect = np.full((3, TICKS), np.nan)
        self.estimates = []
        for tick, together in enumerate(readings):
            estimate = estimator.take(together)
            self.estimates.append(estimate)
            self.suspect[tick] = getattr(estimator, 'suspect', False)
            if estimate.q_WB is not None:
                self.error[tick] = np.linalg.norm(world.error(estimate, tick)[:3])
                self.sigma[tick] = max(estimate.sigma)

    @property
    def honest(self):
        """Share of ticks at which it says what is true within five sigmas, or nothing."""
        return 1.0 - np.mean(self.error > 5.0 * self.sigma)


def turned(q, tick, turn=(0.1, 0.2, -0.1)):
    return w_first(from_w_first(q) * Rotation.from_rotvec(turn))


def opening(estimator, readings, ticks):
    """Yield the readings of each tick; at some the magnetometer's mean innovation is too large."""
    for tick, together in enumerate(readings):
        if tick in ticks:
            estimator.believing.agreement.drifting.add('magnetometer')
        yield together


NOISE = np.random.default_rng(5).normal(size=(TICKS, 3))
GYROSCOPE_FAULTS = {
    'bias': lambda rate, tick: rate + 0.1 * DEGREE,
    'drift': lambda rate, tick: rate + 1e-3 * DEGREE * 0.25 * (tick - BEGIN),
    'scale': lambda rate, tick: 1.5 * rate,
    'zero': lambda rate, tick: 0.0 * rate,
}


@pytest.mark.parametrize('fault', GYROSCOPE_FAULTS)
def test_a_faulty_gyroscope_is_suspect_and_no_wrong_attitude_is_told(worlds, fault):
    """The filter that believes it tells one most of the time: the planted fault of this test."""
    world = worlds[tuple(EVERY)]
    readings = broken(world.readings[0], GYROSCOPE_NAME, GYROSCOPE_FAULTS[fault])
    estimator = watched()
    flown = Flown(estimator, world, readings)
    assert estimator.alarms == 1
    assert flown.suspect[-1] and not flown.suspect[:BEGIN].any()
    assert estimator.problem == SUSPECT
    assert flown.honest > HONEST
    assert np.isfinite(flown.error[-80:]).all()  # it tells the attitude again
    assert (flown.error[-80:] < 0.01).all()
    believing = Flown(AttitudeEstimator(settings_of(EVERY), around), world, readings)
    assert believing.honest < 0.8


def test_the_covariance_tells_that_a_gyroscope_is_noisy(worlds):
    """Without the watch, too: the changes of its readings show it. No sensor disagrees then."""
    world = worlds[tuple(EVERY)]
    readings = broken(
        world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + 0.2 * DEGREE * NOISE[tick]
    )
    for estimator in (watched(), AttitudeEstimator(settings_of(EVERY), around)):
        flown = Flown(estimator, world, readings)
        assert flown.honest > HONEST
        assert (flown.error < 0.01).all()
        before, after = flown.sigma[BEGIN // 2 : BEGIN], flown.sigma[BEGIN + 8 :]
        assert np.median(after) > 2.0 * np.median(before)


def test_late_stars_and_coarse_directions_find_a_faulty_gyroscope_too(worlds):
    """Stars come 1 s late; cells alone begin no attitude that is too coarse to hold."""
    cells = {f'sun_sensor/{k}': dataclasses.replace(SUN_CELL, q_BS=q) for k, q in enumerate(CUBE)}
    sensors = {'star_tracker': STARS, **cells, 'magnetometer': EVERY['magnetometer']}
    coarse = {
        name: dataclasses.replace(cell, constant=(0.2, 0.0, 0.0)) for name, cell in cells.items()
    }
    world = World(sensors, ticks=TICKS)
    readings = broken(world.readings[0], GYROSCOPE_NAME, GYROSCOPE_FAULTS['bias'])
    late = [
        [one for one in together if one.sensor != 'star_tracker']
        + [one for one in readings[max(tick - 4, 0)] if one.sensor == 'star_tracker']
        for tick, together in enumerate(readings)
    ]
    flown = Flown(watched(sensors | coarse), world, late)
    since = 0.25 * (int(np.argmax(flown.suspect)) - BEGIN)
    assert 0.0 < since < 25.0
    assert (flown.error[-40:] < 0.02).all()


def test_a_gyroscope_that_has_healed_is_believed_again(worlds):
    world = worlds[tuple(EVERY)]
    much = 8.0 * GYRO.bias_sigma
    readings = broken(world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + much, end=END)
    estimator = watched(trust_ns=20_000_000_000)
    flown = Flown(estimator, world, readings)
    changes = np.flatnonzero(np.diff(flown.suspect))
    assert len(changes) == 2
    since = 0.25 * (changes[1] - END)
    assert 20.0 <= since < 35.0  # trusted after 20 s, counted from the first trial without it
    assert flown.sigma[-1] < 0.5 * flown.sigma[changes[1]]
    assert flown.honest > HONEST
    assert estimator.problem == ''


@pytest.mark.parametrize(('turn', 'suspect'), [(0.01, False), (0.035, True)])
def test_a_gyroscope_is_not_believed_again_beside_an_unusual_bias(worlds, turn, suspect):
    """A Sun sensor off by 3.5 sigma of its bias is inside its gate: the attitude may be wrong."""
    world, much = worlds[tuple(EVERY)], 8.0 * GYRO.bias_sigma
    readings = broken(world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + much, end=END)
    turning = Rotation.from_rotvec((turn, 0.0, 0.0))
    readings = broken(readings, 'sun_sensor/fine', lambda v, tick: turning.apply(v))
    biased = dataclasses.replace(EVERY['sun_sensor/fine'], constant=(0.01, 0.01, 0.0))
    estimator = watched(EVERY | {'sun_sensor/fine': biased}, trust_ns=20_000_000_000)
    flown = Flown(estimator, world, readings)
    assert flown.suspect.any()
    assert flown.suspect[-1] == suspect
    assert estimator.counts['sun_sensor/fine']['outside the gate'] < 100


def test_a_new_bias_of_the_gyroscope_is_found_and_then_it_is_believed_with_it(worlds):
    """Eight times what the settings expect of it."""
    world, much = worlds[tuple(EVERY)], 8.0 * GYRO.bias_sigma
    readings = broken(world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + much)
    estimator = watched(trust_ns=20_000_000_000)
    flown = Flown(estimator, world, readings)
    assert (estimator.alarms, estimator.suspect) == (1, False)
    error = np.abs(world.bias[-1][0] + much - flown.estimates[-1].gyro_bias_B)
    assert (error < 0.05 * much).all()
    assert flown.honest > HONEST


@pytest.mark.parametrize('turn', [(0.1, 0.2, -0.1), (0.0, 1.57, 0.0)])
def test_a_star_tracker_that_others_contradict_is_refused(worlds, turn):
    world = worlds[tuple(EVERY)]
    readings = broken(world.readings[0], 'star_tracker', lambda q, tick: turned(q, tick, turn))
    estimator = watched()
    flown = Flown(estimator, world, readings)
    assert not flown.suspect.any()
    assert flown.honest == 1.0
    assert (flown.sigma[-100:] < 0.01).all()
    assert (flown.error[-100:] < 0.01).all()


def test_where_nobody_can_tell_the_covariance_covers_both_attitudes(worlds):
    """A star tracker alone that turns, and a gyroscope that says it has not."""
    world, turn = worlds[tuple(STARS_ALONE)], np.array((0.02, 0.03, -0.02))
    readings = broken(
        world.readings[0], 'star_tracker', lambda q, tick: turned(q, tick, turn), end=END
    )
    flown = Flown(watched(STARS_ALONE), world, readings)
    doubt = flown.sigma[BEGIN + 20 : END]
    told = np.isfinite(doubt)
    assert told.mean() > 0.5
    assert (doubt[told] > 0.5 * np.linalg.norm(turn)).all()
    assert not flown.suspect.any()
    assert (flown.sigma[-10:] < 2e-3).all()  # all readings of the last 60 s are good


def test_an_attitude_that_no_sensor_agrees_with_is_not_told(worlds):
    """Sun sensor and magnetometer, both wrong, and each in its own way."""
    world = worlds[tuple(NO_STARS)]
    readings = world.readings[0]
    for name, turn in (('magnetometer', (0.5, 0.0, 0.0)), ('sun_sensor/fine', (0.0, 0.2, 0.0))):
        turning = Rotation.from_rotvec(turn)
        readings = broken(readings, name, lambda v, tick, r=turning: r.apply(v))
    estimator = watched(NO_STARS)
    flown = Flown(estimator, world, readings)
    assert flown.honest > HONEST
    assert np.isnan(flown.error[-100:]).mean() > 0.9


@pytest.mark.parametrize('sensors', [EVERY, STARS_ALONE, NO_STARS])
def test_a_good_flight_has_the_bits_of_an_estimator_without_the_watch(worlds, sensors):
    readings = worlds[tuple(sensors)].readings[0]
    with_it, without = watched(sensors), AttitudeEstimator(settings_of(sensors), around)
    for together in readings:
        for ours, same in zip(with_it.take(together), without.take(together), strict=True):
            assert np.array_equal(ours, same) or ours is same or str(ours) == str(same)
    assert with_it.counts == without.counts
    assert (with_it.alarms, with_it.resets, with_it.begun, with_it.problem) == (0, 0, True, '')


def test_it_may_take_each_reading_alone(worlds):
    """As without a simulator; a call without the gyroscope must not end it."""
    world = worlds[tuple(EVERY)]
    readings = broken(world.readings[0], GYROSCOPE_NAME, GYROSCOPE_FAULTS['bias'])
    estimator = watched()
    for together in readings:
        for reading in reversed(together):
            estimate = estimator.take([reading])
    assert estimator.suspect
    assert np.linalg.norm(world.error(estimate, TICKS - 1)[:3]) < 0.01
    estimator.restart()
    assert not estimator.suspect
    assert sum(estimator.counts[GYROSCOPE_NAME].values()) >= TICKS
    assert estimator.take([]) is None


def judged(sizes, sensor='star_tracker', gate=21.1):
    """Return an Estimate with Judgements of these normalised innovations squared, 0.5 s apart."""
    freedom = 3 if sensor != 'sun_sensor/fine' else 2
    judgements = tuple(
        Judgement(sensor, k * 2 * STEP_NS, np.zeros(3), size, freedom, gate, size <= gate)
        for k, size in enumerate(sizes)
    )
    zero = np.zeros(3)
    return Estimate(
        (len(sizes) - 1) * 2 * STEP_NS, None, zero, zero, zero, np.eye(6), np.eye(3), judgements
    )


@pytest.mark.parametrize(
    ('sizes', 'agrees'),
    [
        ([3.0] * 39 + [1e9], True),  # one stray reading
        ([3.0] * 36 + [1e9] * 4, False),  # of the last ten: 18 + 4 gates are above 82.3
        ([3.0] * 36 + [math.nan] * 4, False),
        ([5.1] * 40, True),
        ([5.3] * 40, False),  # a small error that stays: χ² of 120 exceeds 208.5 once in a million
        ([1e9], None),
    ],
)
def test_the_sum_of_a_sensors_innovations_is_tested(sizes, agrees):
    assert chi2.isf(1e-6, 120) == pytest.approx(208.5, abs=0.1)
    assert chi2.isf(1e-6, 30) == pytest.approx(82.3, abs=0.5)
    agreement = Agreement(settings_of(EVERY), Watch(SUSPECTED))
    agreement.hear(judged(sizes))
    assert agreement.of_sensors.get('star_tracker') is agrees


@pytest.mark.parametrize(
    ('constant', 'sizes', 'agrees'),
    [
        (0.0, [5.0] * 40, False),
        (1e-3, [5.0] * 40, True),  # a bias may make all readings larger, up to the gate
        (1e-3, [5.0] * 34 + [20.0] * 6, False),
        (1e-3, [5.0] * 36 + [20.0] * 4, True),
    ],
)
def test_a_sensor_with_a_bias_disagrees_if_its_gate_refuses_half(constant, sizes, agrees):
    biased = dataclasses.replace(SUN_SENSOR, constant=(constant, constant, 0.0))
    agreement = Agreement(settings_of({'sun_sensor/fine': biased}), Watch(SUSPECTED))
    agreement.hear(judged(sizes, 'sun_sensor/fine', 18.4))
    assert agreement.of_sensors == {'sun_sensor/fine': agrees}


def test_a_bias_is_usual_if_it_is_not_of_the_largest_twentieth():
    """chi-square of two components is above 5.99 in one case of twenty."""
    biased = dataclasses.replace(SUN_SENSOR, constant=(1e-3, 1e-3, 0.0))
    for sizes, usual in (([5.9] * 40, True), ([6.1] * 40, False), ([3.0, 8.9] * 20, True)):
        for sensor, said in ((biased, usual), (SUN_SENSOR, True)):
            agreement = Agreement(settings_of({'sun_sensor/fine': sensor}), Watch(SUSPECTED))
            agreement.hear(judged(sizes, 'sun_sensor/fine', 18.4))
            assert agreement.usually_biased() is said


def test_a_sensor_that_is_silent_has_no_vote():
    agreement = Agreement(settings_of(EVERY), Watch(SUSPECTED))
    heard = judged([3.0] * 40)
    agreement.hear(heard)
    quiet = heard._replace(judgements=(), time_ns=heard.time_ns + 2_900_000_000)
    agreement.hear(quiet)
    assert agreement.of_sensors == {'star_tracker': True}
    agreement.hear(quiet._replace(time_ns=heard.time_ns + 3_100_000_000))
    assert agreement.of_sensors == {}


@pytest.mark.parametrize(
    ('sensors', 'until', 'proven'),
    [(STARS_ALONE, TICKS, True), (NO_STARS, TICKS, True), (NO_STARS, 20, False)],
)
def test_stars_or_two_kinds_of_sensors_prove_an_attitude_after_ten_seconds(
    worlds, sensors, until, proven
):
    """In the last case the Sun is gone after 5 s."""
    alone, first = Filter(settings_of(sensors), around, Watch(SUSPECTED)), None
    for tick, together in enumerate(worlds[tuple(sensors)].readings[0][:120]):
        alone.take([one for one in together if tick < until or 'sun' not in one.sensor], None)
        if alone.proven and first is None:
            first = 0.25 * tick
    assert alone.knows
    assert (first is not None) == proven
    assert first is None or 10.0 <= first < 15.0


def test_a_gyroscope_that_the_only_sensor_contradicts_for_a_minute_is_suspect(worlds):
    world = worlds[tuple(STARS_ALONE)]
    readings = broken(world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + DEGREE)
    flown = Flown(watched(STARS_ALONE), world, readings)
    since = 0.25 * (int(np.argmax(flown.suspect)) - BEGIN)
    assert 60.0 <= since < 70.0
    assert flown.honest > HONEST


def test_what_the_only_sensor_has_contradicted_is_told_after_it_agrees_for_long(worlds):
    """The gyroscope is wrong for 7.5 s while the magnetometer alone reads; 20 s count as long."""
    world = worlds[tuple(EVERY)]
    settings = dataclasses.replace(settings_of(EVERY), reset_ns=20_000_000_000)
    wrong = broken(
        world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + 0.07 * DEGREE, end=110
    )
    dark = wrong[:BEGIN] + [
        [one for one in together if one.sensor in (GYROSCOPE_NAME, 'magnetometer')]
        for together in wrong[BEGIN:]
    ]
    estimator, problems, told = WatchedEstimator(settings, around, Watch(SUSPECTED)), [], []
    for together in dark:
        told.append(estimator.take(together).q_WB is not None)
        problems.append(estimator.problem)
    agrees = problems.index(SINCE_ALONE)
    assert problems[agrees - 1] == ALONE
    again = agrees + told[agrees:].index(True)
    assert again == agrees + 79  # 20 s after the last tick that was contradicted
    assert all(told[again:]) and not estimator.alarms
    # Stars vouch for the attitude as soon as two of their readings agree.
    estimator.restart()
    for together in dark[: agrees + 20]:
        estimator.take(together)
    seen = [estimator.take(together).q_WB is not None for together in wrong[agrees + 20 :]]
    assert 1 <= seen.index(True) <= 16


def test_a_suspect_gyroscope_does_not_hold_an_attitude_for_long(worlds):
    """Its covariance would not be honest beyond small angles."""
    gyroscope = {'gyroscope': SUSPECTED}
    settings = dataclasses.replace(settings_of(EVERY), **gyroscope)
    filters = [Filter(settings, around, Watch(SUSPECTED), limit) for limit in (LARGEST_SIGMA, 0.0)]
    for tick, together in enumerate(worlds[tuple(EVERY)].readings[0][:200]):
        for either in filters:
            either.take(together[: 1 if tick > 40 else 9], None)
    assert [either.knows for either in filters] == [False, True]
    assert max(filters[1].known.sigma) > LARGEST_SIGMA


def test_a_suspect_gyroscope_and_two_sensors_that_differ_tell_no_attitude(worlds):
    """The field alone would hold an attitude, with a Sun far from where it is seen."""
    world, turning = worlds[tuple(NO_STARS)], Rotation.from_rotvec((0.0, 0.2, 0.0))
    readings = broken(world.readings[0], GYROSCOPE_NAME, GYROSCOPE_FAULTS['bias'])
    readings = broken(readings, 'sun_sensor/fine', lambda v, tick: turning.apply(v), begin=300)
    flown = Flown(watched(NO_STARS), world, readings)
    assert flown.suspect[299]
    assert np.isfinite(flown.error[290:300]).all()
    assert np.isnan(flown.error[330:340]).all()


@pytest.mark.parametrize('opened', [False, True])
def test_a_sensor_that_disagrees_alone_for_long_is_wrong(worlds, opened):
    """Stars turned about the field, which the magnetometer does not see: both may be right.

    Where the field has opened the bias twice, the gyroscope agrees with it in any case.
    """
    sensors = {name: EVERY[name] for name in ('star_tracker', 'magnetometer')}
    world, turn = worlds[tuple(EVERY)], 1.2 if opened else 0.05  # an open bias hides less

    def about_field(q, tick):
        field_S = from_w_first(q).inv().apply(around(0.25 * tick)[AROUND.of('magnetic_field_W')])
        return turned(q, tick, turn * field_S / np.linalg.norm(field_S))

    given = [
        [one for one in together if 'sun' not in one.sensor] for together in world.readings[0]
    ]
    estimator = watched(sensors, trust_ns=20_000_000_000)
    seen = broken(given, 'star_tracker', about_field)
    ticks = (BEGIN + 40, BEGIN + 44) if opened else ()
    flown = Flown(estimator, world, opening(estimator, seen, ticks))
    assert (flown.sigma[BEGIN + 30 : BEGIN + 80] > 0.5 * turn).all()
    later = flown.sigma[BEGIN + 110 : BEGIN + 150]
    assert (later > 0.5 * turn).all() if opened else (later < 0.1 * turn).all()
    assert (flown.error[BEGIN : BEGIN + 150] < 0.1 * turn).all()
    assert estimator.alarms == 0


def test_a_sensor_agrees_again_when_its_innovations_are_usual():
    agreement = Agreement(settings_of(EVERY), Watch(SUSPECTED))
    agreement.hear(judged([5.3] * 40))
    agreement.hear(judged([4.0] * 40))  # below the limit, but χ² of 120 exceeds 146.6 rarely
    assert agreement.of_sensors == {'star_tracker': False}
    agreement.hear(judged([3.5] * 40))
    assert agreement.of_sensors == {'star_tracker': True}


def test_false_alarms_are_as_rare_as_the_parameter_says():
    """Of 20 000 sums of 40 good readings."""
    draws = np.random.default_rng(3).chisquare(3, size=(20_000, 40))
    sums = np.minimum(draws, 21.1).sum(axis=1)
    for rate in (1e-2, 1e-3):
        limit = Watch(SUSPECTED, false_alarm=rate).limits[3, 40]
        assert np.mean(sums > limit) < rate + 4.0 * math.sqrt(rate / len(sums))


GIVEN = {'star_tracker.enabled': True}


def test_parameters_of_the_watch_in_si_and_without_it():
    prefix = 'gyroscope_watch.'
    without = configuration.estimator(configuration.checked(GIVEN | {f'{prefix}enabled': False}))
    assert isinstance(without, AttitudeEstimator)
    values = configuration.checked(
        GIVEN
        | {
            f'{prefix}angle_random_walk': 12.0, f'{prefix}rate_random_walk': 3600.0,
            f'{prefix}turn_on_bias': 7200.0, f'{prefix}readings': 12, f'{prefix}trust_after': 9.0,
            f'{prefix}false_alarm': 1e-5,
        }
    )  # fmt: skip
    watch = configuration.watch(values)
    assert watch.suspect.rate_noise == pytest.approx(12.0 * DEGREE / 60.0, rel=1e-12)
    assert watch.suspect.bias_walk == pytest.approx(DEGREE / 60.0, rel=1e-12)
    assert watch.suspect.bias_sigma == pytest.approx(2.0 * DEGREE, rel=1e-12)
    assert (watch.readings, watch.trust_ns, watch.false_alarm) == (12, 9_000_000_000, 1e-5)
    noisy = configuration.checked(GIVEN | {'imu.gyroscope.angle_random_walk': [60.0]})
    assert configuration.watch(noisy).suspect.rate_noise == pytest.approx(DEGREE, rel=1e-12)
    assert GYRO.rate_noise < SUSPECTED.rate_noise


def innovations(random, count, offset=0.0):
    """Return an Estimate with Judgements of the magnetometer whose innovations are white."""
    sizes = offset * np.array((0.6, 0.0, 0.8)) + random.normal(size=(count, 3))
    judgements = tuple(
        Judgement('magnetometer', k * STEP_NS, 2e-7 * each, float(each @ each), 3, 21.1, True)
        for k, each in enumerate(sizes)
    )
    return judged([])._replace(judgements=judgements, time_ns=count * STEP_NS)


def test_the_mean_of_white_innovations_is_chi_square():
    """Its square over the sum of its squared weights, after few readings and after many."""
    agreement = Agreement(settings_of(EVERY), Watch(SUSPECTED))
    for count in (1, 20, 800):
        random, squares = np.random.default_rng(count), []
        for _ in range(400):
            agreement.forget()
            agreement.hear(innovations(random, count))
            *mean, weight = agreement.arrays[1].reshape(3, -1)[2, -4:]
            squares.append(np.dot(mean, mean) / weight)
            assert not agreement.drifting
        # Five standard deviations of a mean of 400 of variance 6.
        assert np.mean(squares) == pytest.approx(3.0, abs=5.0 * math.sqrt(6.0 / 400))
        assert np.mean(np.array(squares) > chi2.isf(0.05, 3)) == pytest.approx(0.05, abs=0.055)


def test_a_small_error_that_stays_shows_in_the_mean_and_not_in_the_sum():
    """Of 0.6 sigma: the sum of 40 is larger by 14, less than two of its standard deviations."""
    agreement, random = Agreement(settings_of(EVERY), Watch(SUSPECTED)), np.random.default_rng(1)
    agreement.hear(innovations(random, 600, offset=0.6))
    assert agreement.of_sensors == {'magnetometer': True}
    assert agreement.drifting == {'magnetometer'}
    agreement.forget_means()
    agreement.hear(innovations(random, 1))
    assert not agreement.drifting


def alone(readings, name, begin=BEGIN):
    """Return readings of which only gyroscope and one sensor are left from a tick on."""
    return [
        [one for one in together if tick < begin or one.sensor in (GYROSCOPE_NAME, name)]
        for tick, together in enumerate(readings)
    ]


def test_a_bias_that_changes_little_is_open_for_a_while():
    """By a fifth of its sigma at the start: few readings of the stars are outside their gate."""
    world, change = World(EVERY, ticks=TICKS, seed=2), 0.2 * GYRO.bias_sigma
    readings = broken(world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + change)
    estimator = watched(STARS_ALONE)
    flown = Flown(estimator, world, alone(readings, 'star_tracker', 0))
    assert flown.honest == 1.0
    assert np.isfinite(flown.error).all() and not flown.suspect.any()
    assert estimator.counts['star_tracker']['outside the gate'] < 6  # of 50
    sigma = [math.sqrt(one.covariance[3, 3]) for one in flown.estimates]
    assert max(sigma[BEGIN:]) > 20.0 * sigma[BEGIN - 1]
    assert sigma[-1] < 0.1 * max(sigma[BEGIN:])


def test_an_open_bias_has_been_unknown_for_a_while(worlds):
    """Attitude and bias have the covariance of a bias that turned the body for 10 s."""
    estimator = AttitudeEstimator(settings_of(EVERY), around)
    for together in worlds[tuple(EVERY)].readings[0][:BEGIN]:
        before = estimator.take(together)
    after = estimator.open_bias(10.0, before.judgements)
    one = np.kron(np.array([[100.0, -10.0], [-10.0, 1.0]]), np.eye(3)) * GYRO.bias_sigma**2
    assert after.covariance == pytest.approx(before.covariance + one, rel=1e-9, abs=1e-20)
    assert (after.q_WB == before.q_WB).all()
    assert after.judgements == before.judgements


@pytest.mark.parametrize('sees_sun', [False, True])
def test_a_gyroscope_is_not_believed_again_by_the_magnetometer_alone(worlds, sees_sun):
    """Their filter begins with any bias: an attitude of the field alone agrees and is wrong."""
    world, much = worlds[tuple(EVERY)], 8.0 * GYRO.bias_sigma
    readings = broken(world.readings[0], GYROSCOPE_NAME, lambda rate, tick: rate + much, end=END)
    if not sees_sun:
        readings = alone(readings, 'magnetometer', END + 20)  # its filter has just begun by stars
    estimator = watched(trust_ns=20_000_000_000)
    flown = Flown(estimator, world, readings)
    assert flown.suspect[END - 1]
    assert bool(flown.suspect[-1]) is not sees_sun
    assert flown.honest > HONEST


def test_a_suspect_gyroscope_and_one_sensor_hold_no_attitude(worlds):
    """The field alone does not see how the body turns about it: ten seconds and no more."""
    world = worlds[tuple(EVERY)]
    readings = broken(world.readings[0], GYROSCOPE_NAME, GYROSCOPE_FAULTS['bias'])
    flown = Flown(watched(), world, alone(readings, 'magnetometer', 240))
    assert flown.suspect[239:].all()
    told = np.isfinite(flown.error)
    assert told[220:270].all()
    assert not told[300:].any()


def test_an_attitude_whose_bias_is_opened_twice_by_one_sensor_is_not_told(worlds):
    """Until a star tracker or two kinds agree: a bias that goes on to drift is never found."""
    estimator, readings = watched(), worlds[tuple(EVERY)].readings[0]
    seen = alone(readings, 'magnetometer')[:300] + readings[300:]
    told = [
        estimator.take(together).q_WB is not None
        for together in opening(estimator, seen, (120, 160))
    ]
    assert all(told[:160])
    assert not any(told[160:300])
    assert all(told[320:])
