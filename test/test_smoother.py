# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The smoother against the least squares of all readings at once, and against the truth."""

import csv
import re

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.estimation import smoother
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.replay import ATTITUDE
from spacecraft_attitude_sim.core.estimation.settings import (
    GYROSCOPE_NAME,
    Gyroscope,
    KnownSensor,
    Reading,
    Settings,
)
from spacecraft_attitude_sim.core.mathematics import rotations

# The gyroscope reads at every second node of a grid, the star tracker at some of both kinds.
NODE_NS, NODES = 250_000_000, 31
STEP_NS, NODE = 2 * NODE_NS, 1e-9 * NODE_NS
SIGMA = np.array((2e-4, 2e-4, 1e-3))
NOISE, WALK = 1e-4, 3e-5  # rad/sqrt(s), rad/s/sqrt(s)
MOUNTED, GYROSCOPE = Rotation.from_rotvec((0.4, -0.7, 0.2)), Rotation.from_rotvec((1.0, 0.2, -2.0))


def wxyz(rotation):
    return np.roll(rotation.as_quat(), 1)


def settings_of(**more):
    stars = KnownSensor(ATTITUDE, wxyz(MOUNTED), tuple(SIGMA))
    gyroscope = Gyroscope(wxyz(GYROSCOPE), NOISE, WALK, bias_sigma=1e-3)
    return Settings(gyroscope, {'star_tracker': stars}, **more)


def rotvec_of(rates, k):
    """Return the turn from node k to the next.

    The rate is a parabola through the readings around and the one before, a line in the first
    interval: with their second difference D it turns by 1/24 of the interval times D less in each
    half of it.
    """
    return line_of(rates[k], rates[k + 1]) - NODE / 12.0 * bend_of(rates, k)


def line_of(one, two):
    """Return the turn from a node to the next, or from some, between two rates along a line."""
    return NODE * (one + two) / 2.0 + NODE**2 / 12.0 * np.cross(one, two)


def bend_of(rates, k):
    """Return D of the interval that begins at node k."""
    j = k - k % 2
    return rates[j + 2] - 2.0 * rates[j] + rates[j - 2] if j else np.zeros(3)


@pytest.fixture(scope='module')
def flight():
    """True attitudes, measured rates at all nodes, and attitudes of a star tracker at some."""
    rng = np.random.default_rng(8)
    steps = np.arange(0, NODES, 2)[:, np.newaxis]
    read = np.array((0.05, -0.03, 0.08)) + 0.02 * np.sin(steps * np.array((0.15, 0.25, 0.35)))
    rates = np.column_stack([np.interp(np.arange(NODES), steps[:, 0], one) for one in read.T])
    bias = np.cumsum(WALK * np.sqrt(NODE) * rng.normal(size=(NODES, 3)), axis=0) + 4e-4
    attitudes = [Rotation.from_rotvec((1.0, 2.0, -0.5))]
    for k in range(NODES - 1):
        noise = NOISE * np.sqrt(NODE) * rng.normal(size=3)
        attitudes.append(attitudes[-1] * Rotation.from_rotvec(rotvec_of(rates - bias, k) + noise))
    stars = {
        k: attitudes[k] * MOUNTED * Rotation.from_rotvec(SIGMA * rng.normal(size=3))
        for k in range(0, NODES, 3)
    }
    return attitudes, rates, stars


def readings_of(rates, stars):
    found = [
        Reading(GYROSCOPE_NAME, k * NODE_NS, GYROSCOPE.inv().apply(rates[k]))
        for k in range(0, NODES, 2)
    ]
    found += [Reading('star_tracker', k * NODE_NS, wxyz(q)) for k, q in stars.items()]
    return found


def test_it_is_the_least_squares_solution_of_all_readings(flight):
    """The states of all nodes together, by SciPy, which knows no Kalman filter.

    What is not linear is left: errors of 1e-4 rad times 3e-4 rad/s leave 1e-3 of a sigma.
    """
    _, rates, stars = flight
    settings, readings = settings_of(), readings_of(rates, stars)
    first = AttitudeEstimator(settings).take([one for one in readings if one.time_ns == 0])
    own = smoother.smoothed(settings, None, readings[::-1]).smoothed  # in any order
    assert own.time_ns.tolist() == [k * NODE_NS for k in range(0, NODES, 2)]
    nominal = [Rotation.from_quat(np.roll(own.q_WB[0], -1))]
    for k in range(NODES - 1):
        nominal.append(nominal[-1] * Rotation.from_rotvec(rotvec_of(rates - 4e-4, k)))
    nominal = Rotation.concatenate(nominal)
    bends = NODE / 12.0 * np.array([bend_of(rates, k) for k in range(NODES - 1)])
    seen = [k for k in stars if k]
    told = Rotation.concatenate([stars[k] for k in seen])
    start = Rotation.from_quat(np.roll(first.q_WB, -1))
    drift = WALK**2 * NODE
    Q = np.kron(
        [[NOISE**2 * NODE + drift * NODE**2 / 3.0, -drift * NODE / 2.0],
         [-drift * NODE / 2.0, drift]], np.eye(3),
    )  # fmt: skip
    whiten, of_start = (
        np.linalg.inv(np.linalg.cholesky(whole)) for whole in (Q, first.covariance)
    )

    def states(unknown):
        turns, biases = np.split(unknown.reshape(NODES, 6), 2, axis=1)
        return nominal * Rotation.from_rotvec(turns), biases

    def misfits(unknown):
        q, biases = states(unknown)
        begin = np.concatenate(((start.inv() * q[0]).as_rotvec(), biases[0] - first.gyro_bias_B))
        turns = line_of(rates[:-1] - biases[:-1], rates[1:] - biases[:-1]) - bends
        ahead = q[:-1] * Rotation.from_rotvec(turns)
        errors = np.hstack(((ahead.inv() * q[1:]).as_rotvec(), np.diff(biases, axis=0)))
        off = ((q[seen] * MOUNTED).inv() * told).as_rotvec() / SIGMA
        return np.concatenate((of_start @ begin, (errors @ whiten.T).ravel(), off.ravel()))

    fit = least_squares(misfits, np.zeros(6 * NODES), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    q, biases = states(fit.x)
    whole = np.linalg.inv(fit.jac.T @ fit.jac).reshape(NODES, 6, NODES, 6)
    for row, k in enumerate(range(0, NODES, 2)):
        sigma = np.sqrt(np.diag(whole[k, :, k]))
        error = (q[k].inv() * Rotation.from_quat(np.roll(own.q_WB[row], -1))).as_rotvec()
        assert np.abs(error / sigma[:3]).max() < 4e-3
        assert np.abs((biases[k] - own.gyro_bias_B[row]) / sigma[3:]).max() < 4e-3
        assert own.covariance[row] == pytest.approx(
            whole[k, :, k], rel=4e-3, abs=4e-3 * np.outer(sigma, sigma).min()
        )


def test_the_last_estimate_is_nearly_the_filters_and_the_first_knows_more(flight):
    attitudes, rates, stars = flight
    passes = smoother.smoothed(settings_of(), None, readings_of(rates, stars))
    filtered, own = passes
    # Both know the same then. The smoother gives each interval of the gyroscope its own noise.
    sigma = np.sqrt(np.diag(filtered.covariance[-1])[:3])
    apart = rotations.rotation_between(own.q_WB[-1], filtered.q_WB[-1])
    assert np.abs(apart / sigma).max() < 0.2
    assert own.covariance[-1] == pytest.approx(filtered.covariance[-1], rel=0.2, abs=1e-12)
    traces = [np.trace(one.covariance[0][:3, :3]) for one in (filtered, own)]
    assert traces[1] < 0.5 * traces[0]
    found = Rotation.from_quat(np.roll(own.q_WB, -1, axis=1))
    errors = (found.inv() * Rotation.concatenate(attitudes[::2])).as_rotvec()
    assert np.abs(errors).max() < 4.0 * SIGMA.max()


def test_its_filter_is_that_of_a_flight_whose_star_tracker_begins_late(flight):
    """The reading of the gyroscope before the first attitude tells how the rate bends, too."""
    _, rates, stars = flight
    readings = readings_of(rates, {k: q for k, q in stars.items() if k >= 9})
    filtered = smoother.smoothed(settings_of(), None, readings).filtered
    estimator = AttitudeEstimator(settings_of())
    for time_ns in sorted({one.time_ns for one in readings}):
        estimate = estimator.take([one for one in readings if one.time_ns == time_ns])
        rows = np.flatnonzero(filtered.time_ns == time_ns)
        if len(rows) and estimate.q_WB is not None:
            assert filtered.q_WB[rows[0]] == pytest.approx(estimate.q_WB, abs=1e-14)
            assert filtered.gyro_bias_B[rows[0]] == pytest.approx(estimate.gyro_bias_B, abs=1e-16)
    assert len(rows) and estimate.q_WB is not None


def test_a_gap_of_the_gyroscope_ends_a_part_and_the_next_begins_anew(flight):
    _, rates, stars = flight
    every = readings_of(rates, stars)
    gap = [one for one in every if not 5 * STEP_NS <= one.time_ns <= 9 * STEP_NS]
    ours = smoother.smoothed(settings_of(), None, gap)
    before, after = (
        [one for one in gap if (one.time_ns < 5 * STEP_NS) == early] for early in (True, False)
    )
    for part in zip(ours, *(smoother.smoothed(settings_of(), None, p) for p in (before, after)),
                    strict=True):  # fmt: skip
        whole, one, other = (of.q_WB.tolist() for of in part)
        assert len(one) == 5 and whole == one + other


def test_readings_that_mean_nothing_do_not_count(flight):
    """Wrong numbers, readings twice, and outliers, which the gate refuses."""
    _, rates, stars = flight
    every = readings_of(rates, stars)
    more = [
        Reading('star_tracker', STEP_NS, np.full(4, np.nan)),
        Reading('star_tracker', 3 * STEP_NS, wxyz(Rotation.identity())),  # again
        Reading(GYROSCOPE_NAME, STEP_NS, np.array((1e308, 0.0, 0.0))),
        Reading('star_tracker', 4 * STEP_NS, wxyz(Rotation.identity())),  # the gate
    ]
    one, other = (smoother.smoothed(settings_of(), None, many) for many in (every, every + more))
    assert one.smoothed.q_WB.tolist() == other.smoothed.q_WB.tolist()
    assert smoother.smoothed(settings_of(), None, []) is None
    rates_alone = [reading for reading in every if reading.sensor == GYROSCOPE_NAME]
    assert smoother.smoothed(settings_of(), None, rates_alone) is None


def test_it_begins_anew_where_the_gate_refuses_all(flight):
    """The star tracker jumps by half a radian and stays: after a second it is believed."""
    _, rates, stars = flight
    jump = Rotation.from_rotvec((0.5, 0.0, 0.0))
    moved = {k: jump * q if k >= 12 else q for k, q in stars.items()}
    settings = settings_of(reset_ns=1_000_000_000)
    ours = smoother.smoothed(settings, None, readings_of(rates, moved)).smoothed
    last = Rotation.from_quat(np.roll(ours.q_WB[ours.time_ns == 30 * NODE_NS][0], -1))
    assert ((last * MOUNTED).inv() * moved[30]).magnitude() < 5e-3


@pytest.fixture(scope='module')
def mission():
    return sas.simulate('cubesat_3u_mission', duration=300.0)


def test_a_flight_is_judged_beside_its_truth(mission, tmp_path):
    smoothed = mission.smoothed(judged_from=60.0)
    recorded, filtered, own = smoothed.merits.values()
    assert [*smoothed.merits] == ['recorded estimate', 'our filter', 'smoother']
    assert recorded.rms == pytest.approx(filtered.rms, rel=1e-9)
    assert own.rms < filtered.rms
    assert own.within > 0.97 and 0.5 < own.nees < 6.0
    assert own.instants == 2 * 240  # the estimator has not read at the last instant
    rows = np.searchsorted(mission.time, smoothed.time)
    truth = Rotation.from_quat(np.roll(mission.attitude[rows], -1, axis=1))
    errors = (Rotation.from_quat(np.roll(smoothed.attitude, -1, axis=1)).inv() * truth).magnitude()
    late = (smoothed.time >= 60.0) & (smoothed.time < 300.0)
    assert own.rms == pytest.approx(np.sqrt(np.mean(errors[late] ** 2)), rel=1e-9)
    assert own.high == pytest.approx(np.percentile(errors[late], 99.7), rel=1e-9)
    told = np.sqrt(np.mean(np.sum(smoothed.sigma[late] ** 2, axis=1)))
    assert own.sigma == pytest.approx(told, rel=1e-9)
    # At the end the smoother knows nearly what the filter knows, whose noise is another.
    last = smoothed.filtered
    sigma = np.sqrt(np.diag(last.covariance[-1]))
    apart = rotations.rotation_between(smoothed.attitude[-1], last.q_WB[-1])
    assert (np.abs(apart) < 0.2 * sigma[:3]).all()
    assert (np.abs(smoothed.gyro_bias[-1] - last.gyro_bias_B[-1]) < 0.2 * sigma[3:6]).all()
    assert np.diag(smoothed.covariance[-1]) == pytest.approx(sigma[:3] ** 2, rel=0.1)
    assert 'smoother' in str(smoothed) and f'{np.degrees(own.rms):.4g}' in str(smoothed)
    with smoothed.to_csv(tmp_path / 'smoothed.csv').open() as file:
        header, first, *others = csv.reader(file)
    assert header[0] == 'time [s]' and len(others) + 1 == len(smoothed.time)
    row = [smoothed.time[:1], *(part[0] for part in (
        smoothed.attitude, smoothed.gyro_bias, smoothed.sigma
    ))]  # fmt: skip
    assert [*map(float, first)] == np.concatenate(row).tolist()


def turned(attitudes, angle):
    """Return attitudes (n, 4) turned about the x axis of the body."""
    return wxyz_many(of_wxyz(attitudes) * Rotation.from_rotvec((angle, 0.0, 0.0)))


def of_wxyz(attitudes):
    return Rotation.from_quat(np.roll(attitudes, -1, axis=1))


def wxyz_many(rotations):
    return np.roll(rotations.as_quat(), 1, axis=1)


def test_attitudes_of_others_are_judged_by_closed_forms(mission):
    """One is wrong by 1 mrad about x, and says 2 mrad about x: NEES is (1/2)^2 everywhere."""
    angle = 1e-3
    wrong = mission.time, turned(mission.attitude, angle)
    says = np.broadcast_to(np.diag((4e-6, 1e-6, 1e-6)), (len(mission.time), 3, 3))
    sure = says / 100.0  # 3 sigma are 0.6 mrad
    ours = mission.smoothed(60.0)
    again = ours.time, ours.attitude, ours.covariance
    beside = {'wrong': wrong, 'says': (*wrong, says), 'sure': (*wrong, sure), 'again': again}
    merits = mission.smoothed(60.0, beside=beside).merits
    assert merits['smoother'] == ours.merits['smoother']
    assert merits['again'] == pytest.approx(merits['smoother'], rel=1e-9)
    for name, nees, within in (
        ('wrong', np.nan, np.nan),
        ('says', 0.25, 1.0),
        ('sure', 25.0, 2 / 3),
    ):
        found = merits[name]
        assert found.rms == pytest.approx(angle, rel=1e-9)
        assert found.high == pytest.approx(angle, rel=1e-9)
        assert found.nees == pytest.approx(nees, rel=1e-6, nan_ok=True)
        assert found.within == pytest.approx(within, nan_ok=True)
    assert merits['says'].sigma == pytest.approx(np.sqrt(6e-6))
    (line,) = (
        one for one in str(mission.smoothed(60.0, beside=beside)).splitlines() if 'wrong' in one
    )
    assert line.split() == ['wrong', '0.0573', '0.0573', '-', '-', '-']


def test_only_the_instants_count_at_which_all_know(mission):
    own = mission.time, mission.attitude.copy()
    own[1][200:] = np.nan
    merits = mission.smoothed(60.0, beside={'until 100 s': own}).merits
    assert {one.instants for one in merits.values()} == {2 * 40}


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        (lambda t, q: (t[::-1], q), 'its times do not ascend'),
        (lambda t, q: (np.where(t < 9.0, t, np.nan), q), 'its times do not ascend'),
        (lambda t, q: (t, 1.01 * q), 'the quaternion at 0 s has the norm 1.01; it must be 1'),
        (lambda t, q: (t, 1e308 * q), 'the quaternion at 0 s has the norm'),
        (lambda t, q: (1e308 + 0.0 * t[:1], q[:1]), 'tells no attitude at a time'),
        (lambda t, q: (t, np.nan * q), 'tells no attitude at a time'),
        (lambda t, q: (t + 1e-3, q), 'tells no attitude at a time at which the gyroscope reads'),
        (lambda t, q: (t, q[1:]), r'has arrays of shapes \(601,\), \(600, 4\)'),
        (lambda t, q: (t, q, np.zeros((601, 3))), r'give times \(k,\), attitudes'),
        (lambda t, q: (t,), 'give arrays of times, attitudes'),
        (lambda t, q: (t, 'q'), 'give arrays of times, attitudes'),
    ],
)
def test_what_cannot_be_judged_is_said(mission, change, said):
    with pytest.raises(ValueError, match=f'^theirs: .*{said}'):
        mission.smoothed(60.0, beside={'theirs': change(mission.time, mission.attitude)})


def test_a_name_of_ours_is_refused(mission):
    with pytest.raises(ValueError, match='^smoother: is a name of ours'):
        mission.smoothed(60.0, beside={'smoother': (mission.time, mission.attitude)})


def test_the_bias_of_a_magnetometer_is_known_from_the_start():
    """It is constant: what the filter learns of it in a minute, the smoother knows before."""
    sections = scenario.read(scenario.find('cubesat_3u_mission'))
    for name in ('simulator', 'attitude_estimator'):
        sections[name]['magnetometer.bias'] = [200.0]
    sections['attitude_estimator']['estimate_magnetometer_bias'] = True
    sections['simulator']['initial.angular_velocity'] = [0.02, 0.01, 0.03]
    run = sas.simulate(scenario.of_sections(sections, 'test'), duration=60.0)
    smoothed = run.smoothed()
    learnt, known = smoothed.filtered.field_bias_S, smoothed.magnetometer_bias
    assert np.ptp(learnt, axis=0).min() > 2e-8  # it does not know them at first
    assert np.ptp(known, axis=0).max() < 1e-9
    sigma = np.sqrt(np.diag(smoothed.filtered.covariance[-1])[6:9])
    assert (np.abs(known[-1] - learnt[-1]) < 0.2 * sigma).all()


@pytest.mark.parametrize(
    ('name', 'judged_from', 'said'),
    [('cubesat_tumble', 0.0, 'gyroscope alone'), ('cubesat_3u_mission', 1e9, 'from 1e.09 s on'),
     ('cubesat_3u_mission', np.nan, 'from nan s on')],
)  # fmt: skip
def test_what_cannot_be_smoothed_is_said(mission, name, judged_from, said):
    run = mission if name == 'cubesat_3u_mission' else sas.simulate(name, duration=1.0)
    with pytest.raises(ValueError, match=re.compile(said)):
        run.smoothed(judged_from)
