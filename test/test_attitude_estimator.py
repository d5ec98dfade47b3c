# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude estimator of core: consistent by chance, late readings, gates, starts, bad input.

The truth is made here, by SciPy's rotations; the estimator's own noise is never drawn by it.
"""

import dataclasses
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import chi2

from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation import (
    calibration,
    event_history,
    references,
    replay,
)
from spacecraft_attitude_sim.core.estimation.attitude_estimator import (
    MOST_WAITING,
    AttitudeEstimator,
)
from spacecraft_attitude_sim.core.estimation.first_attitude import Mounting, Sight, Sights, solve
from spacecraft_attitude_sim.core.estimation.kalman_filter import Places
from spacecraft_attitude_sim.core.estimation.replay import ATTITUDE, CELL, DIRECTION, FIELD
from spacecraft_attitude_sim.core.estimation.settings import (
    GYROSCOPE_NAME,
    NADIR,
    Gyroscope,
    KnownSensor,
    Reading,
    Settings,
)

STEP_NS = 250_000_000
STEP = 1e-9 * STEP_NS
GYRO = Gyroscope(rate_noise=1e-4, bias_walk=2e-6, bias_sigma=1e-3)
LEVEL = (1.0, 0.0, 0.0, 0.0)
TILTED = (0.5, -0.5, 0.5, 0.5)
STARS = KnownSensor(ATTITUDE, TILTED, (2e-4, 2e-4, 1e-3))
SUN_SENSOR = KnownSensor(DIRECTION, TILTED, (2e-3, 1e-3, 1.0))
COMPASS = KnownSensor(FIELD, LEVEL, (2e-7, 2e-7, 2e-7))
HORIZON = KnownSensor(DIRECTION, TILTED, (2e-3, 1e-3, 1.0), target=NADIR)
SUN_CELL = KnownSensor(CELL, TILTED, (0.01, 1.0, 1.0), efficacy=100.0)
FULL = 100.0 * 1361.0  # of a cell that faces the Sun [lx]
EVERY = {'star_tracker': STARS, 'sun_sensor/fine': SUN_SENSOR, 'magnetometer': COMPASS}
# Ticks from one reading to the next.
INTERVALS = {'star_tracker': 8, 'sun_sensor/fine': 4, 'magnetometer': 2}
RUNS, TICKS = 40, 80


TO_SUN = (0.6, 0.0, 0.8)


def around(time, lit=1.0):
    """Sun, nadir and field that turn slowly, as in an orbit."""
    here = np.zeros(AROUND.size)
    a = 0.002 * time
    here[AROUND.of('position_W')] = 7e6 * np.array((math.cos(a), math.sin(a), 0.0))
    here[AROUND.of('to_sun_W')] = TO_SUN
    here[AROUND.of('magnetic_field_W')] = 4e-5 * np.array((math.sin(a), 0.6, math.cos(a)))
    here[AROUND.at('lit')], here[AROUND.at('irradiance')] = lit, 1361.0 * lit
    return here


def w_first(rotation):
    return np.roll(rotation.as_quat(), 1, axis=-1)


def from_w_first(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


# The attitude about which the runs begin: sensors of Sun and horizon see what they need.
FACING = Rotation.align_vectors([TO_SUN], [from_w_first(TILTED).apply((0.0, 0.0, 1.0))])[0]
DOWN = FACING.inv() * Rotation.align_vectors([(-1.0, 0.0, 0.0)], [(0.0, 0.0, 1.0)])[0]
HORIZON = KnownSensor(DIRECTION, w_first(DOWN), (5e-3, 5e-3, 1.0), target=NADIR)


def rate_at(time):
    """Return a rate whose change in a step is small, as the gyroscope's trapezoid needs it."""
    return 0.02 * np.array((math.sin(0.05 * time), math.cos(0.04 * time), 0.5))


class World:
    """Seeded truths of several runs, and what perfect or noisy sensors read of them.

    rotation: [tick] of all runs;  bias: (ticks, runs, 3);  readings: [run][tick] of Reading
    """

    def __init__(self, sensors, runs=1, ticks=TICKS, seed=1, noisy=True):
        generator = np.random.default_rng(seed)
        chance = generator.normal if noisy else lambda size: np.zeros(size)
        now = FACING * Rotation.from_rotvec(0.3 * generator.normal(size=(runs, 3)))
        bias = GYRO.bias_sigma * chance(size=(runs, 3))
        self.rotation, self.bias, self.readings = [], [], [[] for _ in range(runs)]
        for tick in range(ticks):
            if tick:
                fine = 10
                for k in range(fine):
                    time = STEP * (tick - 1 + (k + 0.5) / fine)
                    now = now * Rotation.from_rotvec(rate_at(time) * STEP / fine)
                bias = bias + GYRO.bias_walk * math.sqrt(STEP) * chance(size=(runs, 3))
            white = GYRO.rate_noise / math.sqrt(STEP) * chance(size=(runs, 3))
            said = rate_at(STEP * tick) + bias + white
            self.rotation.append(now)
            self.bias.append(bias)
            read = {name: self.seen(sensor, now, tick, chance) for name, sensor in sensors.items()}
            for run in range(runs):
                own = [Reading(GYROSCOPE_NAME, tick * STEP_NS, said[run])]
                own += [
                    Reading(name, tick * STEP_NS, values[run])
                    for name, values in read.items()
                    if tick % INTERVALS.get(name, 4) == 0
                ]
                self.readings[run].append(own)

    def seen(self, sensor, now, tick, chance):
        """Return what a sensor reads in all runs."""
        here, mounted = around(STEP * tick), from_w_first(sensor.q_BS)
        noise = sensor.sigma * chance(size=(len(now), 3))
        if sensor.kind == ATTITUDE:
            return w_first(now * mounted * Rotation.from_rotvec(noise))
        v_W = here[AROUND.of('magnetic_field_W')]
        if sensor.kind != FIELD:
            v_W = here[AROUND.of('to_sun_W')]
            v_W = -here[AROUND.of('position_W')] / 7e6 if sensor.target == NADIR else v_W
        v_S = (now * mounted).inv().apply(v_W)
        if sensor.kind == FIELD:
            return v_S + noise
        if sensor.kind == CELL:
            return (sensor.efficacy * 1361.0 * np.maximum(v_S[:, :1], 0.0)) + noise[:, :1]
        a, b = (np.arctan2(v_S[:, k], v_S[:, 2]) + noise[:, k] for k in range(2))
        return np.stack((np.tan(a), np.tan(b), np.ones(len(a))), axis=1)

    def error(self, estimate, tick, run=0):
        """Return the error of an Estimate: rotation vector, and of the gyroscope's bias (6,)."""
        turn = from_w_first(estimate.q_WB).inv() * self.rotation[tick][run]
        return np.concatenate((turn.as_rotvec(), self.bias[tick][run] - estimate.gyro_bias_B))


def settings_of(sensors, **more):
    return Settings(GYRO, sensors, **more)


def estimator_of(sensors=EVERY, **more):
    return AttitudeEstimator(settings_of(sensors, **more), around)


def flown(estimator, ticks):
    """Return all Estimates of an estimator that takes [tick] of Readings."""
    return [estimator.take(readings) for readings in ticks]


@pytest.fixture(scope='module')
def world():
    return World(EVERY, RUNS)


@pytest.fixture(scope='module')
def ensemble(world):
    """The Estimates [run][tick]."""
    return [flown(estimator_of(), world.readings[run]) for run in range(RUNS)]


def bounds(freedom, number):
    """Return the 99.9 % bounds of a mean of χ²."""
    low, high = chi2.ppf((5e-4, 1.0 - 5e-4), freedom * number) / number
    return low, high


def nees_of(world, runs, tick=TICKS - 1):
    errors = [world.error(run[tick], tick, number) for number, run in enumerate(runs)]
    pairs = zip(errors, runs, strict=True)
    return np.mean([e @ np.linalg.solve(run[tick].covariance, e) for e, run in pairs])


def test_errors_are_as_large_as_the_covariance_says(world, ensemble):
    """NEES over the ensemble, soon after the start and at the end."""
    low, high = bounds(6, RUNS)
    assert low < nees_of(world, ensemble, 9) < high
    assert low < nees_of(world, ensemble) < high


def test_innovations_are_as_large_as_they_should_be(ensemble):
    """NIS over all readings of each sensor."""
    for name, freedom in (('star_tracker', 3), ('sun_sensor/fine', 2), ('magnetometer', 3)):
        nis = [
            one.nis for run in ensemble for estimate in run for one in estimate.judgements
            if one.sensor == name
        ]  # fmt: skip
        low, high = bounds(freedom, len(nis))
        assert low < np.mean(nis) < high, name
        assert len(nis) > RUNS * TICKS / 10


FAULTS = {
    'a star tracker taken for twice as good': {
        'sensors': EVERY | {'star_tracker': dataclasses.replace(STARS, sigma=(1e-4, 1e-4, 5e-4))}},
    'a star tracker mounted half a degree off': {
        'sensors': EVERY | {'star_tracker': dataclasses.replace(
            STARS, q_BS=w_first(from_w_first(TILTED) * Rotation.from_rotvec((0, 0, 0.0087))))}},
    'a quiet gyroscope': {'gyroscope': dataclasses.replace(GYRO, rate_noise=6e-5)},
    'a bias taken for zero': {'gyroscope': dataclasses.replace(GYRO, bias_sigma=1e-6)},
}  # fmt: skip


@pytest.mark.parametrize('fault', FAULTS)
def test_a_planted_fault_is_noticed(world, fault):
    given = {'gyroscope': GYRO, 'sensors': EVERY, 'false_alarm': 1e-9, **FAULTS[fault]}
    runs = [
        flown(AttitudeEstimator(Settings(**given), around), world.readings[run])
        for run in range(8)
    ]
    known = [run for run in runs if run[-1].q_WB is not None]
    assert nees_of(world, known) > bounds(6, len(known))[1]


def test_what_is_known_at_the_beginning_is_what_the_settings_say():
    """Of all covariances, in closed form: before the first attitude, and with it."""
    field = 3e-6
    estimator = estimator_of(field_bias_sigma=field)
    rate = np.array((0.01, -0.02, 0.03))
    bias, noise = GYRO.bias_sigma**2, GYRO.rate_noise**2
    for tick, white in ((0, noise), (1, noise / STEP)):  # one reading is taken for one of 1 s
        known = estimator.take([Reading(GYROSCOPE_NAME, tick * STEP_NS, rate)])
        assert known.q_WB is None
        assert known.omega_B.tolist() == rate.tolist()
        each = [bias + tick * STEP * GYRO.bias_walk**2] * 3 + [field**2] * 3
        assert known.covariance[3:, 3:] == pytest.approx(np.diag(each), rel=1e-12, abs=0.0)
        of_rate = np.diag([each[0] + white] * 3)
        assert known.rate_covariance_B == pytest.approx(of_rate, rel=1e-12, abs=0.0)
    begun = estimator.take([Reading('star_tracker', STEP_NS, LEVEL)])
    axes_B = from_w_first(TILTED).as_matrix()
    of_stars = axes_B @ np.diag(np.square(STARS.sigma)) @ axes_B.T
    assert begun.covariance[:3, :3] == pytest.approx(of_stars, rel=1e-12, abs=1e-20)
    assert not begun.covariance[:3, 3:].any()
    assert (begun.covariance[3:] == known.covariance[3:] * (np.arange(9) > 2)).all()


def test_the_bias_of_the_magnetometer_is_found():
    offset = np.array((3e-6, -2e-6, 1e-6))
    world = World(EVERY)
    for readings in world.readings[0]:
        for k, reading in enumerate(readings):
            if reading.sensor == 'magnetometer':
                readings[k] = reading._replace(values=reading.values + offset)
    biased = estimator_of(field_bias_sigma=3e-6)
    last = flown(biased, world.readings[0])[-1]
    sigma = np.sqrt(np.diag(last.covariance)[6:])
    assert (np.abs(last.field_bias_S - offset) < 4.0 * sigma).all()
    assert (sigma < 3e-7).all()
    assert (np.abs(world.error(last, TICKS - 1)[:3]) < 4.0 * last.sigma).all()


def test_a_late_reading_counts_at_its_stamp(world):
    """Stars that come 2 s late, and all readings of a second in the reverse order."""
    in_order = flown(estimator_of(), world.readings[1])
    late, reverse, delay = estimator_of(), estimator_of(), 8
    begin = delay + 1
    for tick, readings in enumerate(world.readings[1]):
        stars = [one for one in readings if one.sensor == 'star_tracker' and tick >= begin]
        late.take([one for one in readings if one not in stars])
        past = world.readings[1][tick - delay] if tick - delay >= begin else []
        estimate = late.take([one for one in past if one.sensor == 'star_tracker'])
        if tick % 4 == 3:
            every = [one for k in range(tick - 3, tick + 1) for one in world.readings[1][k]]
            shuffled = reverse.take(every[::-1])
    same = in_order[TICKS - 1]
    assert (shuffled.q_WB == same.q_WB).all()
    assert (shuffled.covariance == same.covariance).all()
    # The last stars are still to come, so the late one is compared where it has all.
    for stars in world.readings[1][-delay:]:
        estimate = late.take([one for one in stars if one.sensor == 'star_tracker'])
    assert (estimate.q_WB == same.q_WB).all()
    assert (estimate.gyro_bias_B == same.gyro_bias_B).all()
    assert (estimate.covariance == same.covariance).all()


def test_a_short_memory_changes_nothing(world, monkeypatch):
    whole = flown(estimator_of(), world.readings[2])[-1]
    monkeypatch.setattr(event_history, 'MOST_EVENTS', 48)
    short = flown(estimator_of(), world.readings[2])[-1]
    assert (short.q_WB == whole.q_WB).all()
    assert (short.covariance == whole.covariance).all()


def test_a_late_reading_in_the_oldest_interval_of_a_short_memory_counts(monkeypatch):
    """The two readings before it are kept, for they tell how the rate bends, and jumps."""
    settings, step_ns, found = estimator_of().settings, 500_000_000, []
    star = list(settings.sensors).index('star_tracker')
    seen = replay.event_of(ATTITUDE, star, np.array((1.0, 0.0, 0.0, 0.0)))
    for most in (16, 4096):
        monkeypatch.setattr(event_history, 'MOST_EVENTS', most)
        history = event_history.EventHistory(settings.constants(), 60_000_000_000)
        for k in range(17):
            rate_B = 0.05 * np.sin(0.4 * k + np.arange(3.0)) + 0.5 * (k >= 8)
            event = replay.event_of(replay.GYROSCOPE, event_history.FIRST_SENSOR, rate_B)
            if k == 0:
                history.begin(0, event, calibration.ignorance(estimator_of().settings))
                history.fix(0, history.estimate.copy())
            else:
                assert history.insert(k * step_ns, event)
            history.compute()
        oldest = 8 if most == 16 else 0  # and numbers 6 and 7 are kept beside it
        assert (len(history), history.oldest_ns) == (11 if most == 16 else 17, oldest * step_ns)
        assert history.insert(8 * step_ns + step_ns // 2, seen.copy())
        history.compute()
        found.append(history.estimate.tolist())
        if most == 16:
            assert not history.insert(8 * step_ns - step_ns // 2, seen.copy())
    assert found[0] == found[1]


def test_stars_wrong_by_a_turn_stay_outside_the_gate(world):
    turn = Rotation.from_rotvec((0.1, 0.0, 0.0))
    wrong = [
        [
            one._replace(values=w_first(from_w_first(one.values) * turn))
            if one.sensor == 'star_tracker' and tick > 20
            else one
            for one in readings
        ]
        for tick, readings in enumerate(world.readings[3])
    ]
    estimator = estimator_of()
    last = flown(estimator, wrong)[-1]
    assert estimator.counts['star_tracker']['outside the gate'] == 7
    assert 'star_tracker is outside the gate' in estimator.problem
    error = world.error(last, TICKS - 1, 3)[:3]
    assert error @ np.linalg.solve(last.covariance[:3, :3], error) < chi2.isf(1e-5, 3)


def test_an_outage_lets_the_covariance_grow_and_the_sensors_are_welcome_again(world):
    estimator = estimator_of()
    for tick, readings in enumerate(world.readings[4]):
        out = 20 < tick < 70
        estimate = estimator.take(readings[:1] if out else readings)
        if tick == 20:
            before = estimate.sigma
        if tick == 69:
            assert (estimate.sigma > 2.0 * before).all()
            error = world.error(estimate, tick, 4)
            nees = error @ np.linalg.solve(estimate.covariance, error)
            assert nees < chi2.isf(1e-5, 6)
    assert all(one.taken for one in estimator.take([]).judgements)
    assert estimator.counts['star_tracker']['outside the gate'] == 0
    assert (estimate.sigma < 2.0 * before).all()


def test_the_sun_of_a_sensor_in_the_shadow_is_refused():
    world = World(EVERY)
    dark = AttitudeEstimator(settings_of(EVERY), lambda time: around(time, float(time < 10.0)))
    last = flown(dark, world.readings[0])[-1]
    assert dark.counts['sun_sensor/fine']['refused'] == 10
    assert 'the Earth hides' in dark.problem
    assert (np.abs(world.error(last, TICKS - 1)[:3]) < 5.0 * last.sigma).all()


def test_the_attitude_is_found_anew_where_the_gate_refuses_all():
    """Stars alone, which jump: there is nobody who says that the new ones are wrong."""
    only = {'star_tracker': STARS}
    world = World(only)
    jump = Rotation.from_rotvec((0.3, 0.0, 0.0))
    estimator = estimator_of(only, reset_ns=4_000_000_000)
    for tick, readings in enumerate(world.readings[0]):
        if tick > 30:
            readings = [
                one._replace(values=w_first(jump * from_w_first(one.values)))
                if one.sensor == 'star_tracker' else one for one in readings
            ]  # fmt: skip
        estimate = estimator.take(readings)
        if tick == 40:
            assert estimator.resets == 0
    assert estimator.resets == 1
    turn = from_w_first(estimate.q_WB).inv() * jump * world.rotation[-1][0]
    assert turn.magnitude() < 5e-3


def test_a_stray_reading_before_an_outage_does_not_begin_anew():
    only = {'star_tracker': STARS}
    readings = World(only, ticks=50).readings[0]
    estimator = estimator_of(only, reset_ns=4_000_000_000)
    stray = Rotation.from_rotvec((0.3, 0.0, 0.0))
    for tick, (rate, *stars) in enumerate(readings):
        stars = [
            star._replace(values=w_first(stray * from_w_first(star.values))) for star in stars
        ]
        wrong = stars if tick in (24, 48) else []
        estimator.take([rate, *(readings[tick][1:] if tick < 20 else wrong)])
    assert estimator.counts['star_tracker']['outside the gate'] == 2
    assert estimator.resets == 0


def test_a_flood_of_late_readings_is_bounded(world, monkeypatch):
    monkeypatch.setattr(event_history, 'MOST_EVENTS', 48)
    estimator = estimator_of()
    flown(estimator, world.readings[8][:20])
    star = world.readings[8][16][1]
    late = [star._replace(time_ns=19 * STEP_NS - 1000 - k) for k in range(200)]
    estimate = estimator.take(late)
    assert np.isfinite(estimate.covariance).all()
    assert sum(estimator.counts['star_tracker'].values()) == 203
    for readings in world.readings[8][20:]:
        last = estimator.take(readings)
    assert last.q_WB is not None


@pytest.mark.parametrize(
    'names',
    [('star_tracker',), ('sun_sensor/fine', 'magnetometer'), ('horizon', 'sun_sensor/fine')],
)
def test_a_single_frame_begins(names):
    sensors = {name: (EVERY | {'horizon': HORIZON})[name] for name in names}
    world = World(sensors, 20, 1, seed=3)
    chi = []
    for run in range(20):
        estimate = estimator_of(sensors).take(world.readings[run][0])
        error = world.error(estimate, 0, run)[:3]
        chi.append(error @ np.linalg.solve(estimate.covariance[:3, :3], error))
    low, high = bounds(3, 20)
    assert low < np.mean(chi) < high


def test_rate_and_field_alone_begin_where_the_field_turns():
    gyro = dataclasses.replace(GYRO, bias_sigma=1e-5, rate_noise=1e-5)
    sensors = {'magnetometer': COMPASS}
    world = World(sensors, ticks=400, noisy=False)
    world.bias = [0.0 * bias for bias in world.bias]
    estimator = AttitudeEstimator(Settings(gyro, sensors, start_sigma=0.1), around)
    estimates = flown(estimator, world.readings[0])
    first = next(k for k, one in enumerate(estimates) if one.q_WB is not None)
    assert first > 40
    for tick in (first, 399):
        error = world.error(estimates[tick], tick)[:3]
        assert (np.abs(error) < 3.0 * estimates[tick].sigma).all()


def test_directions_that_do_not_fit_do_not_begin():
    """Field and Sun with a wrong angle between them: no attitude rather than a wrong one."""
    sensors = {'sun_sensor/fine': SUN_SENSOR, 'magnetometer': COMPASS}
    world = World(sensors, ticks=2)
    readings = world.readings[0][0]
    turned = Rotation.from_rotvec((0.3, 0.2, 0.0)).apply(readings[1].values)
    estimator = estimator_of(sensors)
    bad = [readings[0], readings[1]._replace(values=turned), readings[2]]
    assert estimator.take(bad).q_WB is None
    assert estimator.problem == 'the attitude is not known yet'


def test_the_noise_of_one_direction_is_not_taken_for_many_directions():
    """400 readings of the Sun tell nothing of the turn about it; their noise seems to."""
    sensors = {'sun_sensor/fine': dataclasses.replace(SUN_SENSOR, sigma=(0.03, 0.03, 1.0))}
    gyro = dataclasses.replace(GYRO, bias_sigma=1e-6, rate_noise=1e-6)
    world = World(sensors, ticks=400)
    estimator = AttitudeEstimator(Settings(gyro, sensors), around)
    assert not any(one.q_WB is not None for one in flown(estimator, world.readings[0]))
    seen = np.random.default_rng(1).normal((0.0, 0.0, 1.0), (0.03, 0.03, 0.0), size=(100, 3))
    sights = [Sight(0, each, np.array((0.0, 0.0, 1.0)), 0.03) for each in seen]
    assert solve(sights, 0.26) is None


def test_sun_cells_begin_with_the_field_and_stay_honest():
    axes = {
        'x_plus': LEVEL, 'x_minus': (0.0, 0.0, 0.0, 1.0),
        'y_plus': w_first(Rotation.from_rotvec((0, 0, math.pi / 2))),
        'y_minus': w_first(Rotation.from_rotvec((0, 0, -math.pi / 2))),
        'z_plus': w_first(Rotation.from_rotvec((0, -math.pi / 2, 0))),
        'z_minus': w_first(Rotation.from_rotvec((0, math.pi / 2, 0))),
    }  # fmt: skip
    cells = {
        f'sun_sensor/{name}': KnownSensor(
            CELL, q_BS, (0.01, 1.0, 1.0), (0.1, 0.0, 0.0), STEP * 4, efficacy=100.0
        )
        for name, q_BS in axes.items()
    }
    sensors = cells | {'magnetometer': COMPASS}
    world = World(sensors)
    estimates = flown(estimator_of(sensors), world.readings[0])
    assert estimates[0].q_WB is not None
    error = world.error(estimates[-1], TICKS - 1)[:3]
    assert (np.abs(error) < 3.0 * estimates[-1].sigma).all()
    assert math.degrees(np.linalg.norm(error)) < 10.0


BAD = {
    'not a number': lambda one: one._replace(values=np.nan * np.asarray(one.values)),
    'huge': lambda one: one._replace(values=1e308 * np.ones(len(one.values))),
    'infinite': lambda one: one._replace(values=-np.inf * np.ones(len(one.values))),
    'zero': lambda one: one._replace(values=0.0 * np.asarray(one.values)),
    'short': lambda one: one._replace(values=one.values[:2]),
    'before time began': lambda one: one._replace(time_ns=-1),
    'at the end of time': lambda one: one._replace(time_ns=2**63 - 1),
    'still to come': lambda one: one._replace(time_ns=one.time_ns + 3600 * 10**9),
    'long past': lambda one: one._replace(time_ns=one.time_ns - 6 * 10**9),
    'doubled': lambda one: one,
}


@pytest.mark.parametrize('how', BAD)
def test_a_bad_reading_changes_nothing_and_is_counted(world, how):
    good, bad = estimator_of(), estimator_of()
    for tick, readings in enumerate(world.readings[5][:40]):
        expected, estimate = good.take(readings), bad.take(readings)
        if tick != 32:
            continue
        # A gyroscope or a magnetometer at rest may read zeros.
        harmless = ('gyroscope', 'magnetometer') if how == 'zero' else ()
        for one in readings:
            if one.sensor not in harmless:
                before = sum(bad.counts[one.sensor].values())
                estimate = bad.take([BAD[how](one)])
                assert sum(bad.counts[one.sensor].values()) == before + 1, one.sensor
                assert (estimate.q_WB == expected.q_WB).all(), one.sensor
    assert (estimate.q_WB == expected.q_WB).all()
    assert (estimate.covariance == expected.covariance).all()


def test_a_clock_refuses_what_is_still_to_come(world):
    estimator = estimator_of()
    for tick, readings in enumerate(world.readings[6][:20]):
        estimator.take(readings, tick * STEP_NS)
    ahead = world.readings[6][60][0]
    follows = world.readings[6][61][0]
    estimate = estimator.take([ahead, follows], 19 * STEP_NS)
    assert estimate.time_ns == 19 * STEP_NS
    assert estimator.counts[GYROSCOPE_NAME]['refused'] == 2


def test_what_was_read_before_the_gyroscope_counts_when_it_has_read(world):
    estimator, both = estimator_of(), world.readings[6][0]
    assert estimator.take(both[1:]) is None
    assert (estimator.take(both[:1]).q_WB == estimator_of().take(both).q_WB).all()


def test_after_a_gap_of_the_gyroscope_the_attitude_is_found_anew_and_the_bias_is_kept(world):
    estimator = estimator_of()
    for readings in world.readings[7][:50]:
        before = estimator.take(readings)
    first = estimator.take(world.readings[7][58][:1])
    # A single reading could be a stray one: it is a rate, and begins nothing.
    assert (first.time_ns, first.q_WB, estimator.resets) == (58 * STEP_NS, None, 0)
    alone_B = world.readings[7][58][0].values  # GYRO's axes are those of the body
    assert first.omega_B == pytest.approx(alone_B - before.gyro_bias_B, rel=1e-12)
    second = estimator.take(world.readings[7][59][:1])
    assert second.time_ns == 59 * STEP_NS
    assert second.q_WB is None
    assert np.allclose(second.gyro_bias_B, before.gyro_bias_B, rtol=0, atol=0)
    for readings in world.readings[7][60:]:
        last = estimator.take(readings)
    assert estimator.resets == 1
    assert (np.abs(world.error(last, TICKS - 1, 7)[:3]) < 5.0 * last.sigma).all()


def turned(events, i, bias=(0.0, 0.0, 0.0)):
    """Return replay.turn_between of a gyroscope with a bias [rad/s] and true axes."""
    places = Places.of(field=False, axes=False, mountings=0)
    estimate = np.concatenate((LEVEL, bias, np.zeros(12)))
    around = replay.readings_around(events, i)
    return replay.turn_between(events, i, around, estimate, places, LEVEL)


def test_a_turn_between_readings_is_that_of_a_rate_that_changes_linearly():
    """Also over a part of the interval; without the term of second order it is 100 times off."""
    first, last, bias = np.array((0.2, -0.1, 0.3)), np.array((-0.1, 0.3, 0.2)), (0.01, 0.02, -0.01)
    events = np.zeros((3, replay.EVENT.size))
    events[:, replay.TIME] = 0.0, 0.3e9, 0.5e9
    events[0, replay.READING : replay.READING + 3] = first
    events[2, replay.READING : replay.READING + 3] = last
    events[1, replay.KIND] = FIELD
    for i, begin, end in ((1, 0.0, 0.3), (2, 0.3, 0.5)):
        exact, fine = Rotation.identity(), 400
        for k in range(fine):
            share = (begin + (k + 0.5) / fine * (end - begin)) / 0.5
            rate = first + share * (last - first) - bias
            exact = exact * Rotation.from_rotvec(rate * (end - begin) / fine)
        turn = Rotation.from_rotvec(turned(events.ravel(), i, bias))
        assert (exact.inv() * turn).magnitude() < 4e-6


def rates_of(times, rates):
    """Return events of the gyroscope, flat, at times [s] with rates (k, 3)."""
    events = np.zeros((len(times), replay.EVENT.size))
    events[:, replay.TIME] = 1e9 * np.asarray(times)
    events[:, replay.READING : replay.READING + 3] = rates
    return events


@pytest.mark.parametrize('gap', [0.26, 0.5, 0.9])
def test_a_turn_between_readings_is_that_of_a_rate_on_a_parabola(gap):
    """About one axis it is exact, also over a part, and for readings not alike apart."""
    axis, bias = np.array((0.6, 0.0, -0.8)), np.array((0.01, 0.02, -0.01))
    rate = np.polynomial.Polynomial((0.2, -0.5, 0.9))
    events = rates_of(
        (1.0 - gap, 1.0, 1.3, 1.5), [rate(t) * axis for t in (1.0 - gap, 1.0, 1.3, 1.5)]
    )
    events[2, replay.KIND] = FIELD
    for i, begin, end in ((2, 1.0, 1.3), (3, 1.3, 1.5)):
        exact = (rate.integ()(end) - rate.integ()(begin)) * axis - bias * (end - begin)
        across = np.cross(rate(1.0) * axis - bias, rate(1.5) * axis - bias)
        turn = turned(events.ravel(), i, bias)
        # What does not commute here is the bias alone.
        assert np.abs(turn - exact).max() < 0.1 * np.abs(across).max() * (end - begin) ** 2 < 2e-3
        still = turned(events.ravel(), i)
        assert still == pytest.approx((rate.integ()(end) - rate.integ()(begin)) * axis, abs=1e-15)


@pytest.mark.parametrize('gap', [0.1, 1.1])
def test_a_parabola_needs_three_readings_alike_apart(gap):
    """Else the noise of two that are close would count many times."""
    rates = np.array(((0.3, 0.1, -0.2), (0.2, -0.1, 0.3), (-0.1, 0.3, 0.2)))
    three = rates_of((1.0 - gap, 1.0, 1.5), rates).ravel()
    two = rates_of((1.0, 1.5), rates[1:]).ravel()
    assert turned(three, 2) == turned(two, 1)
    apart = rates_of((0.5, 1.0, 1.5), rates).ravel()
    assert turned(apart, 2) != turned(two, 1)


def drift_of_a_tumble(step, seconds=200.0):
    """Return the mean drift [rad/s] of a gyroscope without noise in a tumble of 10 deg/s.

    The body precesses about an axis of the world and spins about its z: R = turn of the one, times
    turn of the other, so attitude and rate are known exactly.
    """
    times = step * np.arange(round(seconds / step) + 1)
    precession, spin = np.array((0.1, 0.0, 0.14)), -0.1
    spun = Rotation.from_rotvec(np.outer(spin * times, (0.0, 0.0, 1.0)))
    truth = Rotation.from_rotvec(np.outer(times, precession)) * spun
    rates = spun.inv().apply(precession) + (0.0, 0.0, spin)
    events, found = rates_of(times, rates).ravel(), truth[1]
    for i in range(2, len(times)):
        turn = turned(events, i)
        found = found * Rotation.from_rotvec(turn)
    return (found.inv() * truth[-1]).magnitude() / seconds


def test_the_gyroscope_drifts_in_a_tumble_by_the_third_power_of_its_interval():
    """A straight line between two readings drifts by the second power."""
    coarse, fine = drift_of_a_tumble(0.5), drift_of_a_tumble(0.25)
    assert coarse < 1e-7  # a straight line: 1.2e-5 rad/s
    assert 7.0 < coarse / fine < 9.0


@pytest.mark.parametrize('kind', [ATTITUDE, FIELD, DIRECTION, CELL])
def test_rows_are_the_derivatives_of_residuals_in_any_attitude(kind):
    """By central differences of the estimate's attitude, with errors of second order of 1e-4."""
    generator, n, moved = np.random.default_rng(4), 6, 1e-4
    places = Places.of(field=False, axes=False, mountings=0)
    known = np.zeros(replay.KNOWN.size)
    known[:4] = w_first(Rotation.random(random_state=generator))
    mounted = from_w_first(known[:4])
    for _ in range(20):
        now, seen_S = Rotation.random(random_state=generator), np.array((0.4, -0.6, 0.7))
        seen_S += 0.1 * generator.normal(size=3)
        event = np.zeros(replay.EVENT.size)
        event[replay.KIND] = kind
        event[replay.REFERENCE : replay.REFERENCE + 3] = (now * mounted).apply(seen_S)
        event[replay.READING : replay.READING + 3] = seen_S
        if kind == ATTITUDE:
            event[replay.READING : replay.READING + 4] = w_first(now * mounted)

        def residual(turn, now=now, event=event):
            estimate, rows = np.zeros(places.size), np.zeros(3 * n)
            estimate[:4] = w_first(now * Rotation.from_rotvec(turn))
            found = replay.compared(event, estimate, places, known, rows)
            return np.array(found), rows[: 3 * n].reshape(3, n)

        zero, rows = residual(np.zeros(3))
        assert np.abs(zero).max() < 1e-12
        for axis, turn in enumerate(moved * np.eye(3)):
            slope = (residual(-turn)[0] - residual(turn)[0]) / (2.0 * moved)
            measured = replay.FREEDOM[kind]
            assert np.abs(slope - rows[:, axis])[:measured].max() < 1e-6


def test_a_gyroscope_that_is_mounted_askew_says_the_same(world):
    """Its noise is the same about all axes, so only rounding differs."""
    askew = w_first(Rotation.from_rotvec((0.3, -0.8, 0.5)))
    turned = [
        [
            one._replace(values=from_w_first(askew).inv().apply(one.values))
            if one.sensor == GYROSCOPE_NAME
            else one
            for one in readings
        ]
        for readings in world.readings[3]
    ]
    gyroscope = dataclasses.replace(GYRO, q_BS=askew)
    last = flown(AttitudeEstimator(Settings(gyroscope, EVERY), around), turned)[-1]
    plain = flown(estimator_of(), world.readings[3])[-1]
    for name in ('q_WB', 'omega_B', 'gyro_bias_B', 'covariance'):
        assert np.allclose(getattr(last, name), getattr(plain, name), rtol=0.0, atol=1e-12), name
    q_WS, omega_S = last.in_sensor(askew)
    assert np.allclose(from_w_first(askew).apply(omega_S), plain.omega_B, rtol=0.0, atol=1e-12)
    assert (
        from_w_first(plain.q_WB) * from_w_first(askew) * from_w_first(q_WS).inv()
    ).magnitude() < 1e-12


# --- what a user does not see at once ------------------------------------------------------------


def none(size):
    """Return no noise."""
    return np.zeros(size)


def test_refusals_count_only_since_the_gate_took_a_reading(world):
    """Four wrong readings of the stars, the first of them long ago: too few to begin anew."""
    estimator = estimator_of({'star_tracker': STARS}, reset_ns=6_000_000_000)
    wrong = w_first(Rotation.from_rotvec((0.0, 0.5, 0.0)))
    for tick in range(60):
        gyroscope, *others = world.readings[0][tick]
        stars = [one for one in others if one.sensor == 'star_tracker']
        if tick in (8, 40, 48, 56):
            stars = [one._replace(values=wrong) for one in stars]
        estimator.take([gyroscope, *stars])
    counts = estimator.counts['star_tracker']
    assert (counts['outside the gate'], counts['taken']) == (4, 3)
    assert estimator.resets == 0
    assert estimator.begun


def test_an_error_that_stays_weighs_as_the_mean_of_many_readings_says():
    """Of readings whose errors are correlated by exp(-t/τ), the mean has this variance of each."""
    sensor = KnownSensor(DIRECTION, LEVEL, (1e-3, 2e-3, 0.0), (2e-3, 0.0, 3e-3), interval=0.5)
    r = math.exp(-0.5 / 100.0)
    mean = np.square((2e-3, 0.0, 3e-3)) * (1.0 + r) / (1.0 - r)
    # 2 τ/Δ is coth(Δ/2τ) but for (Δ/2τ)²/3.
    assert sensor.weight(100.0) == pytest.approx(np.square((1e-3, 2e-3, 0.0)) + mean, rel=1e-5)
    assert sensor.weight(0.1) == pytest.approx(sensor.variance, rel=1e-12)


def test_a_reading_is_judged_by_the_error_of_one_and_not_of_many():
    sensor = KnownSensor(DIRECTION, TILTED, (1e-3,) * 3, (1e-3, 1e-3, 0.0), interval=0.25)
    estimator = estimator_of({'star_tracker': STARS, 'sun_sensor/fine': sensor})
    stars = w_first(FACING * from_w_first(TILTED))
    still = [Reading(GYROSCOPE_NAME, tick * STEP_NS, (0.0, 0.0, 0.0)) for tick in range(2)]
    estimator.take([still[0], Reading('star_tracker', 0, stars)])
    sun = Reading('sun_sensor/fine', STEP_NS, (0.02, 0.0, 1.0))
    (judged,) = estimator.take([still[1], sun]).judgements
    assert not judged.taken
    # The attitude adds the variance of the stars, and the drift of a quarter of a second.
    least, most = 2e-6 + 4e-8, 2e-6 + 1e-6 + 1e-7
    assert 0.02**2 / most < judged.nis < 0.02**2 / least


def test_the_first_attitude_knows_the_bias_of_the_field_and_the_age_of_a_sight():
    """Of two fields at right angles: each component has the variance of one, the third of both."""
    gyro = dataclasses.replace(GYRO, rate_noise=1e-4)
    settings = Settings(gyro, {'magnetometer': COMPASS}, field_bias_sigma=1e-6)
    sights, size = Sights(settings), 4e-5
    for k in range(2):
        event = np.zeros(replay.EVENT.size)
        event[replay.READING + k] = event[replay.REFERENCE + k] = size
        sights.add(0, event, LEVEL, COMPASS, Mounting(LEVEL))
    of_field = (2e-7**2 + 1e-6**2) / size**2
    for age, bias in ((0.0, 0.0), (100.0, 1e-5)):
        found = sights.solution(round(1e9 * age), bias)
        one = of_field + 1e-4**2 * age + (bias * age) ** 2
        assert found.covariance_N == pytest.approx(one * np.diag((1.0, 1.0, 0.5)), abs=1e-6 * one)


@pytest.mark.parametrize(('tick', 'what'), [(31, 'too late'), (33, 'taken')])
def test_a_reading_older_than_the_history_is_too_late(world, tick, what):
    """At tick 39, 9.75 s: it is 2 s or 1.5 s old, and the history is of 1.9 s."""
    estimator = estimator_of({'star_tracker': STARS}, history_ns=1_900_000_000)
    only = [
        [one for one in read if one.sensor in (GYROSCOPE_NAME, 'star_tracker')]
        for read in world.readings[0][:40]
    ]
    flown(estimator, only)
    before = estimator.counts['star_tracker'][what]
    stars = world.seen(STARS, world.rotation[tick][:1], tick, none)[0]
    estimator.take([Reading('star_tracker', tick * STEP_NS, stars)])
    assert estimator.counts['star_tracker'][what] == before + 1


@pytest.mark.parametrize(
    ('sensor', 'values', 'lit', 'refusal', 'reference_W'),
    [
        (STARS, (0.0, 0.0, 3.0, 4.0), 0.0, None, 0.0),
        (COMPASS, (1e-5, 2e-5, 3e-5), 0.0, None, 'magnetic_field_W'),
        (SUN_SENSOR, (0.0, 0.0, 1.0), 0.01, None, 'to_sun_W'),
        (SUN_SENSOR, (0.0, 0.0, 1.0), 0.0, 'sees the Sun, which the Earth hides', None),
        (HORIZON, (1.0, 0.0, 0.0), 0.0, None, 'position_W'),
        (SUN_CELL, (0.31 * FULL,), 1.0, None, 'to_sun_W'),
        (SUN_CELL, (0.29 * FULL,), 1.0, '^$', None),
        (SUN_CELL, (0.99 * FULL,), 0.999, '^$', None),
    ],
)
def test_each_kind_of_sensor_has_its_reference_or_is_refused(
    sensor, values, lit, refusal, reference_W
):
    """A cell counts from a share of 0.3, and in full light only; it is told as that share."""
    reading = Reading('it', STEP_NS, values)
    arguments = (lambda time: around(time, lit), 0.3)
    if reference_W is None:
        with pytest.raises(references.Unusable, match=refusal):
            references.prepared(reading, sensor, *arguments)
        return
    found = references.prepared(reading, sensor, *arguments)
    told = {ATTITUDE: (0.0, 0.0, 0.6, 0.8), CELL: (0.31,)}.get(sensor.kind, values)
    assert found.values == pytest.approx(told)
    here = np.zeros(3) if reference_W == 0.0 else around(STEP, lit)[AROUND.of(reference_W)]
    expected = -here / 7e6 if sensor is HORIZON else here
    assert found.reference_W == pytest.approx(expected, abs=1e-15)
    if sensor is not STARS:
        with pytest.raises(references.Unusable, match='it: no model says what it should read'):
            references.prepared(reading, sensor, None, 0.3)


@pytest.mark.parametrize('turned', [True, False])
def test_readings_that_wait_for_the_gyroscope_are_bounded(turned):
    """Of a sensor whose clock runs ahead, or while the gyroscope is silent: the latest stay."""
    own = estimator_of()
    if turned:
        own.take([Reading(GYROSCOPE_NAME, 0, np.zeros(3))])
    for k in range(3):
        own.take([Reading('star_tracker', (400 * k + n) * 10**9 + 1, LEVEL) for n in range(400)])
    times = [reading.time_ns // 10**9 for reading in own._waiting]
    assert times == list(range(1200 - MOST_WAITING, 1200))


@pytest.mark.parametrize('count', [2, 3, 6])
def test_the_misfit_of_a_first_attitude_is_chi_square_of_its_freedom(count):
    """Two angles of each direction, less the three of the attitude: mean 2 n - 3."""
    random, sigma, misfits = np.random.default_rng(count), 1e-3, []
    known = random.normal(size=(count, 3))
    known /= np.linalg.norm(known, axis=1, keepdims=True)
    for _ in range(400):
        turn = Rotation.from_rotvec(random.normal(size=3))
        seen = turn.apply(known)
        noise = sigma * np.cross(random.normal(size=(count, 3)), seen)
        seen = (seen + noise) / np.linalg.norm(seen + noise, axis=1, keepdims=True)
        found = solve([Sight(0, *pair, sigma) for pair in zip(seen, known, strict=True)], 1.0)
        error = Rotation.from_quat(np.roll(found.q_WN, -1)) * turn
        assert error.magnitude() < 20.0 * sigma
        misfits.append(found.misfit)
    freedom = 2 * count - 3
    assert found.freedom == freedom
    # Five standard deviations of a mean of 400 of variance 2 f.
    assert np.mean(misfits) == pytest.approx(freedom, abs=5.0 * math.sqrt(2.0 * freedom / 400))
