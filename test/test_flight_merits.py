# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Merits of a flight are those of closed forms: sine, ramp, white noise, chi-square."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest
from processes import called
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from scipy.stats import chi, chi2, norm

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.control.response import attitude_error, attitude_errors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import next_instant
from spacecraft_attitude_sim.core.studies import consistency, error_indices, flight_merits
from spacecraft_attitude_sim.core.studies.consistency import Judged, Knowledge
from spacecraft_attitude_sim.core.studies.error_indices import AXES, CONFIDENCES, LEVELS, Windows
from spacecraft_attitude_sim.core.studies.flight_merits import Asked, Observed
from spacecraft_attitude_sim.recording import knowledge_history
from spacecraft_attitude_sim.recording.table import moment_of
from spacecraft_attitude_sim.runs import merit_log

X, ABOUT, ACROSS, ANGLE = (AXES.index(name) for name in ('x', 'about', 'across', 'angle'))
ALONG_Z = np.array((0.0, 0.0, 1.0))
AMPLITUDE = 3e-4
LEVEL_OF = tuple(CONFIDENCES.values())


def along(axis, values):
    """Return errors (n, 3) about one axis."""
    errors = np.zeros((len(values), 3))
    errors[:, axis] = values
    return errors


def sine(period, count):
    """Return a sine error about x with so many instants a period."""
    # A phase that no instant shares: quantiles of a few values that repeat would be steps.
    return along(0, AMPLITUDE * np.sin(2.0 * np.pi * (np.arange(count) + 0.123) / period))


def relative_sizes(width, step):
    """Return the amplitudes of the RPE of sin at each place of a window, over all phases.

    step: phase from one instant to the next [rad]. The mean over a window is k sin(φ), φ at its
    middle, k = sin(w step/2) / (w sin(step/2)). At u from there the RPE is sin(φ + u) - k sin(φ):
    over all φ a sine of the amplitude sqrt(1 - 2 k cos u + k²).
    """
    k = math.sin(0.5 * width * step) / (width * math.sin(0.5 * step))
    u = step * (np.arange(width) - 0.5 * (width - 1))
    return np.sqrt(1.0 - 2.0 * k * np.cos(u) + k * k)


def relative_bound(amplitudes, confidence):
    """Return the bound of sines of these amplitudes: |sin| is below x for 2/π arcsin x."""

    def below(x):
        return np.mean(2.0 / math.pi * np.arcsin(np.minimum(1.0, x / amplitudes)))

    return brentq(lambda x: below(x) - confidence, 1e-6, 2.0)


def test_a_sine_has_the_quantiles_of_its_distribution():
    """|sin| is below x for the share 2/π arcsin x of the time."""
    found = error_indices.indices(sine(997.3, 20_000), ALONG_Z, Windows(1, 1))['a']
    exact = [AMPLITUDE * math.sin(0.5 * math.pi * one) for one in LEVEL_OF]
    # 20 instants of 1000 or more lie between neighbours of each quantile.
    assert found[X] == pytest.approx([*exact, AMPLITUDE], rel=2e-3)
    assert found[ACROSS] == pytest.approx(found[X], rel=1e-14)
    assert not found[ABOUT].any()


@pytest.mark.parametrize('share', [0.1, 0.3, 0.5, 0.9])
def test_the_relative_error_of_a_sine_is_the_closed_form(share):
    """A window of a share of the period."""
    period = 250.3
    windows = Windows(round(share * period), 1)
    found = error_indices.indices(sine(period, 20_000), ALONG_Z, windows)['r'][X]
    amplitudes = relative_sizes(windows.width, 2.0 * math.pi / period)
    exact = [AMPLITUDE * relative_bound(amplitudes, one) for one in LEVEL_OF]
    # 80 periods in windows that begin at each eighth of a window.
    assert found == pytest.approx([*exact, AMPLITUDE * amplitudes.max()], rel=5e-3)


def test_a_window_of_whole_periods_takes_the_mean_away():
    """Then the mean of a sine is 0, so that RPE is APE, and MPE and PDE are 0."""
    found = error_indices.indices(sine(100, 5000), ALONG_Z, Windows(200, 50))
    assert found['m'].max() < 1e-14 * AMPLITUDE * 200
    assert found['d'].max() < 1e-14 * AMPLITUDE * 200
    assert found['r'][X] == pytest.approx(found['a'][X], rel=1e-12)


def test_the_mean_error_of_a_sine_is_its_amplitude_less_what_the_window_smooths():
    """The mean of w instants is a sine of the amplitude sin(w φ/2) / (w sin(φ/2))."""
    period, width = 997.3, 250
    found = error_indices.indices(sine(period, 20_000), ALONG_Z, Windows(width, 1))['m'][X]
    step = math.pi / period
    left = AMPLITUDE * math.sin(width * step) / (width * math.sin(step))
    exact = [left * math.sin(0.5 * math.pi * one) for one in LEVEL_OF]
    assert found == pytest.approx([*exact, left], rel=4e-3)


def test_a_ramp_drifts_by_its_slope_times_the_time_between_windows():
    slope, windows = 2e-7, Windows(50, 300)
    found = error_indices.indices(along(1, slope * np.arange(2000.0)), ALONG_Z, windows)
    # Differences of means that are 4e-4 at most.
    assert found['d'][1] == pytest.approx([slope * 300] * 4, rel=1e-9)
    # In a window the error is from -24.5 to 24.5 slopes off the mean, alike often.
    assert found['r'][1][3] == pytest.approx(24.5 * slope, rel=1e-9)
    assert found['r'][1][1] == pytest.approx(23.5 * slope, rel=1e-9)  # 48 of 50 at most


def test_white_noise_has_the_quantiles_of_normal_rayleigh_and_maxwell():
    sigma, windows = 1e-4, Windows(20, 100)
    noise = sigma * np.random.default_rng(1).standard_normal((60_000, 3))
    found = error_indices.indices(noise, ALONG_Z, windows)
    two_sided = norm.isf(0.5 - 0.5 * np.array(LEVEL_OF))
    # 180 instants are beyond 99.7 %: the quantile is known to 1 %; of overlapping windows to 3 %.
    for axis in (0, 1, 2, ABOUT):
        assert found['a'][axis, :3] == pytest.approx(sigma * two_sided, rel=0.025)
    assert found['a'][ACROSS, :3] == pytest.approx(sigma * chi.ppf(LEVEL_OF, 2), rel=0.025)
    assert found['a'][ANGLE, :3] == pytest.approx(sigma * chi.ppf(LEVEL_OF, 3), rel=0.025)
    # Variances: of a mean 1/w, of the rest 1 - 1/w, of the difference of two means 2/w.
    for letter, variance in (('m', 1 / 20), ('r', 1 - 1 / 20), ('d', 2 / 20)):
        exact = sigma * math.sqrt(variance) * two_sided
        assert found[letter][X, :3] == pytest.approx(exact, rel=0.06)


def test_a_boresight_splits_an_error_into_about_and_across():
    boresight = np.array((2.0, -1.0, 2.0)) / 3.0
    across = np.cross(boresight, (1.0, 0.0, 0.0))
    errors = np.tile(3e-3 * boresight + 4e-3 * across / np.linalg.norm(across), (5, 1))
    found = error_indices.indices(errors, boresight, Windows(2, 1))['a']
    for axis, value in ((ABOUT, 3e-3), (ACROSS, 4e-3), (ANGLE, 5e-3)):
        assert found[axis] == pytest.approx([value] * 4, rel=1e-12)


def test_a_bound_is_the_least_size_that_enough_do_not_exceed():
    """Of ten sizes, seven are at least 68.3 %, and ten at least 95 %."""
    sizes = np.array((10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0))[:, np.newaxis]
    assert error_indices.bounds(sizes).tolist() == [[7.0, 10.0, 10.0, 10.0]]


def test_no_window_reaches_over_a_gap():
    """An error that jumps where it is not known: no window sees the jump, the drift does."""
    values = np.repeat((1e-3, np.nan, 5e-3), (100, 1, 100))
    errors = np.column_stack((values, values, values))
    found = error_indices.indices(errors, ALONG_Z, Windows(10, 20))
    assert found['r'].max() < 1e-15
    assert found['m'][X] == pytest.approx([5e-3] * 4)
    assert found['d'][X] == pytest.approx([0.0, 4e-3, 4e-3, 4e-3], abs=1e-15)
    short = error_indices.indices(errors[:9], ALONG_Z, Windows(10, 20))
    assert np.isnan(short['m']).all() and np.isnan(short['r']).all() and np.isnan(short['d']).all()
    assert short['a'][X] == pytest.approx([1e-3] * 4)


def test_a_long_flight_is_looked_at_with_fewer_windows(monkeypatch):
    errors = sine(997.3, 20_000)
    whole = error_indices.indices(errors, ALONG_Z, Windows(400, 1))['r'][X]
    monkeypatch.setattr(error_indices, 'MOST_LOOKED_AT', 20_000)
    fewer = error_indices.indices(errors, ALONG_Z, Windows(400, 1))['r'][X]
    assert fewer == pytest.approx(whole, rel=0.03)
    assert (fewer != whole).any()


def test_errors_of_many_attitudes_are_those_of_each():
    generator = np.random.default_rng(2)
    q_WR, q_WB = generator.standard_normal((2, 50, 4))
    q_WR /= np.linalg.norm(q_WR, axis=1)[:, np.newaxis]
    q_WB /= np.linalg.norm(q_WB, axis=1)[:, np.newaxis]
    q_WB[0], q_WR[1] = q_WR[0], np.nan
    found = attitude_errors(q_WR, q_WB)
    assert np.isnan(found[1]).all()
    for k in (0, *range(2, 50)):
        assert found[k] == pytest.approx(attitude_error(q_WR[k], q_WB[k]), rel=1e-12, abs=1e-15)


# --- an estimator --------------------------------------------------------------------------------


def test_nees_and_shares_of_a_consistent_estimator_are_chi_square():
    generator = np.random.default_rng(3)
    covariances, errors = [], []
    for _ in range(20):
        root = generator.standard_normal((3, 3)) * 1e-4
        covariances += [root @ root.T] * 1000
        errors += list((root @ generator.standard_normal((3, 1000))).T)
    errors, covariances = np.array(errors), np.array(covariances)
    squares = consistency.nees(errors, covariances)
    # 20 000 independent draws: the mean to 3 sqrt(6/20000) and shares to 3 sqrt(p q/20000).
    assert np.mean(squares) == pytest.approx(3.0, abs=0.052)
    assert consistency.share_between(squares, 3) == pytest.approx(0.95, abs=0.005)
    within = consistency.within_sigmas(errors, consistency.sigmas(covariances))
    assert within == pytest.approx([consistency.WITHIN] * 3, abs=0.0012)
    # An estimator that says half of its error has four times the NEES.
    assert consistency.nees(errors, covariances / 4.0) == pytest.approx(4.0 * squares, rel=1e-6)


def test_a_matrix_that_is_no_covariance_tells_nothing():
    errors = np.full((4, 3), 1e-3)
    covariances = np.array([1e-6 * np.eye(3)] * 4)
    covariances[1, 0, 0], covariances[2] = -1e-6, 0.0
    covariances[3, 1, 1] = np.nan
    assert consistency.nees(errors, covariances) == pytest.approx(
        [3.0] + [np.nan] * 3, nan_ok=True
    )
    sigma = consistency.sigmas(covariances)
    assert np.isnan(sigma[1, 0]) and np.isnan(sigma[2]).all() and np.isnan(sigma[3, 1])
    assert consistency.within_sigmas(errors, sigma) == pytest.approx([1.0] * 3)


@pytest.mark.parametrize(('scale', 'consistent'), [(1.0, True), (1.3, False), (0.7, False)])
def test_the_mean_nis_is_within_its_bounds_if_the_filter_is_consistent(scale, consistent):
    count, freedom = 1000, np.repeat((3.0, 2.0), 500)
    nis = scale * chi2.rvs(freedom, random_state=4)
    found = consistency.of_sensor(Judged(np.arange(count), nis, freedom))
    assert found.freedom == 2.5
    # The sum of independent χ² is χ² with the sum of their degrees of freedom.
    assert (found.low, found.high) == pytest.approx(chi2.ppf((0.025, 0.975), 2500) / count)
    assert found.consistent == consistent
    if consistent:
        assert found.inside == pytest.approx(0.95, abs=0.02)
    assert consistency.of_sensor(Judged(*np.zeros((3, 0)))).number == 0


def test_an_estimate_of_an_askew_imu_becomes_that_of_the_body():
    """Its attitude by the mounting, its covariance turned: NEES is the same in all axes."""
    generator = np.random.default_rng(7)
    q_BS = rotations.quaternion_from_axis_angle((1.0, 2.0, -1.0), 0.8)
    C_BS = rotations.dcm_from_quaternion(q_BS)
    q_WE = rotations.quaternion_from_axis_angle((0.3, -1.0, 0.5), 1.9)
    root = generator.standard_normal((3, 3))
    covariance_B = root @ root.T
    covariance_S = C_BS.T @ covariance_B @ C_BS
    orientation = SimpleNamespace(**dict(zip('wxyz', rotations.compose(q_WE, q_BS), strict=True)))
    message = SimpleNamespace(
        orientation=orientation, orientation_covariance=covariance_S.ravel().tolist()
    )
    q_WS, flat = knowledge_history.attitude(message)
    nothing = SimpleNamespace(stamp=0, q_WS_known=np.zeros(0), nis={}, innovations={})
    stars = {'nis': {'a': 2.0, 'b': 1.0}, 'innovations': {'a': 3}}
    known = SimpleNamespace(stamp=500_000_000, q_WS_known=q_WS, covariance_S=flat, **stars)
    own = SimpleNamespace(estimator={'imu.orientation': q_BS.tolist()}, parameters={})
    simulated = SimpleNamespace(estimator=None, parameters=own.estimator)
    for one in (own, simulated):
        found = knowledge_history.of_bag(one, [nothing, known])
        assert np.isnan(found.q_WE[0]).all() and np.isnan(found.covariance_B[0]).all()
        np.testing.assert_allclose(found.q_WE[1], q_WE, rtol=0, atol=1e-15)
        np.testing.assert_allclose(found.covariance_B[1], covariance_B, rtol=0, atol=1e-13)
        # What came without its innovations has no known number of components.
        assert found.judged.keys() == {'a'}
        assert [float(column[0]) for column in found.judged['a']] == [0.5, 2.0, 3.0]
    assert knowledge_history.of_bag(own, [nothing]) is None
    message.orientation_covariance[0] = -1.0
    assert np.isnan(knowledge_history.attitude(message)[0]).all()
    message.orientation_covariance[0], orientation.w = 1.0, 5.0
    with pytest.raises(ValueError, match='norm'):
        knowledge_history.attitude(message)


# --- a flight ------------------------------------------------------------------------------------

STEP = 0.5


def flight(errors, **more):
    """Return a Observed whose body is off its reference by errors (n, 3), which turns."""
    count = len(errors)
    time = STEP * np.arange(count) + 10.0
    turns = Rotation.from_rotvec(np.outer(0.01 * time, (0.3, 0.4, -0.5)))
    q_WR = np.roll(turns.as_quat(), 1, axis=1)
    q_WB = np.roll((turns * Rotation.from_rotvec(errors)).as_quat(), 1, axis=1)
    q_WB[::7] *= -1.0  # the same attitude
    return Observed(time, STEP, q_WB, q_WR, np.tile((0.0, 3e-3, 4e-3), (count, 1)), **more)


def decaying(count):
    """Return errors that fall from 0.5 rad by e in 10 s, to 1e-4 rad about x."""
    errors = along(2, 0.5 * np.exp(-0.1 * STEP * np.arange(count)))
    errors[:, 0] += 1e-4
    return errors


def test_a_flight_is_judged_from_when_its_error_stays_small():
    told = flight(decaying(600))
    found = flight_merits.of_flight(told, Asked(pointed_error=0.01))
    # 0.5 exp(-t/10) = 0.01, linear between ticks: h²/8 of the second derivative over the slope.
    assert found.settled
    assert found.values['pointing_time'] == pytest.approx(10.0 * math.log(50.0), abs=2e-2)
    assert found.begin == pytest.approx(10.0 + found.values['pointing_time'])
    assert (found.window, found.drift) == (10.0, 60.0)
    assert found.values['ape_z_largest'] == pytest.approx(0.01, rel=0.05)
    assert found.values['ape_x_68'] == pytest.approx(1e-4, rel=1e-6)
    later = flight_merits.of_flight(told, Asked(steady_from=200.0))
    assert later.begin == 210.0
    assert later.values['ape_z_largest'] == pytest.approx(0.5 * math.exp(-20.0), abs=1e-14)
    never = flight_merits.of_flight(flight(np.full((600, 3), 0.1)))
    assert not never.settled and never.begin == 10.0
    assert math.isnan(never.values['pointing_time'])


def test_a_short_steady_part_has_shorter_windows_and_may_have_none():
    told = flight(along(0, np.full(61, 1e-3)))
    found = flight_merits.of_flight(told)
    assert (found.window, found.drift) == (3.0, 15.0)  # a tenth and a half of 30 s
    assert found.values['rpe_x_997'] < 1e-12
    found = flight_merits.of_flight(told, Asked(steady_from=25.0, window=20.0))
    assert math.isnan(found.values['rpe_x_997'])
    assert found.values['ape_x_997'] == pytest.approx(1e-3)


def test_lost_ticks_and_times_without_reference_are_left_out():
    errors = along(0, np.full(200, 1e-3))
    told = flight(errors)
    told.q_WR[:50] = np.nan  # another mode before
    kept = np.delete(np.arange(200), [90, 91, 140])
    some = told._replace(
        time=told.time[kept], q_WB=told.q_WB[kept], q_WR=told.q_WR[kept],
        momentum_W=told.momentum_W[kept],
    )  # fmt: skip
    found = flight_merits.of_flight(some)
    assert len(found.series.time) == 200
    assert np.isnan(found.series.errors[[0, 90, 91, 140], 0]).all()
    # Lost ticks are unknown errors, so it points only after the last of them.
    assert found.values['pointing_time'] == 70.5
    assert flight_merits.of_flight(told).values['pointing_time'] == 25.0


def test_the_estimator_is_judged_beside_the_controller():
    generator = np.random.default_rng(5)
    count, sigma = 2000, 2e-4
    told = flight(np.zeros((count, 3)))
    missed = sigma * generator.standard_normal((count, 3))
    q_WE = [
        rotations.compose(q, np.roll(Rotation.from_rotvec(one).as_quat(), 1))
        for q, one in zip(told.q_WB, missed, strict=True)
    ]
    covariances = np.tile(sigma**2 * np.eye(3), (count, 1, 1))
    q_WE[:20], covariances[:20] = [np.full(4, np.nan)] * 20, np.nan
    judged = {
        'stars': Judged(told.time, chi2.rvs(3, size=count, random_state=6), np.full(count, 3))
    }
    known = Knowledge(np.array(q_WE), covariances, judged)
    found = flight_merits.of_flight(told._replace(knowledge=known), Asked(window=20.0))
    values = found.values
    assert values['known_share'] == pytest.approx(1980 / 2000)
    assert values['knowledge_rms'] == pytest.approx(sigma * math.sqrt(3.0), rel=0.03)
    assert values['ake_x_95'] == pytest.approx(1.96 * sigma, rel=0.05)
    assert values['rke_x_95'] == pytest.approx(1.96 * sigma * math.sqrt(1 - 1 / 40), rel=0.05)
    assert values['nees_mean'] == pytest.approx(3.0, abs=3.0 * math.sqrt(6.0 / 1980))
    assert found.series.knowledge_errors[30] == pytest.approx(missed[30], rel=1e-6)
    assert found.sensors['stars'].consistent
    assert values['nis_mean_stars'] == found.sensors['stars'].mean
    # Without a reference there is only the estimator.
    alone = flight_merits.of_flight(told._replace(q_WR=None, knowledge=known))
    assert 'ape_x_95' not in alone.values and alone.bounds('ape') is None
    assert alone.values['ake_x_95'] == values['ake_x_95']


def test_actuators_are_used_as_closed_forms_say():
    count, torque = 101, 1e-3
    time = STEP * np.arange(count)
    wheels = SimpleNamespace(
        speed_limits=np.array((500.0, np.inf)), inertias=np.array((2e-5, 1e-5)),
        axes_B=np.eye(3)[:2],
    )  # fmt: skip
    # One is driven at a constant torque from -200 to 300 rad/s, the other stands still.
    speeds = np.column_stack((-200.0 + 500.0 * time / time[-1], np.zeros(count)))
    torques = np.column_stack((np.full(count, torque), np.zeros(count)))
    jets = SimpleNamespace(
        max_forces=np.array((0.5, 0.5)), thrusters=[SimpleNamespace(specific_impulse=60.0)]
    )
    impulses = np.zeros((count, 2))
    impulses[1:11, 0] = 0.5 * STEP  # open for 5 s of 50 s
    impulses[20, 1] = np.nan  # lost
    counts = np.cumsum(impulses > 0.0, axis=0)
    rods = SimpleNamespace(max_dipoles=np.array((2.0,)))
    dipoles = np.where(np.arange(count) % 2, 1.0, -1.0)[:, np.newaxis]
    told = flight(np.zeros((count, 3)))._replace(
        torque_B=np.tile((0.0, 3e-4, -4e-4), (count, 1)),
        parts={
            'wheels': (wheels, {'speeds': speeds, 'torques': torques}),
            'thrusters': (jets, {'impulses': impulses, 'used': 1e-3 * counts, 'pulses': counts}),
            'magnetorquers': (rods, {'dipoles': dipoles}),
        },
    )
    found = flight_merits.of_flight(told).values
    # ∫ τ Ω dt: τ times half the largest speed times the time from 0 to it.
    expected = {
        'largest_momentum': 5e-3, 'largest_torque': 5e-4, 'torque_impulse': 5e-4 * 50.0,
        'largest_wheel_speed': 300.0, 'largest_wheel_momentum': 300.0 * 2e-5,
        'wheel_speed_margin': 1.0 - 300.0 / 500.0, 'wheel_work': torque * 150.0 * 30.0,
        'wheel_braking': torque * 100.0 * 20.0, 'thruster_impulse': 0.5 * 5.0,
        'thruster_duty': 0.1, 'thruster_pulses': 10.0, 'propellant': 0.01, 'dipole_duty': 0.5,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    # Speeds between ticks are linear, and half a step is left out at the power's largest.
    assert found['largest_wheel_power'] == pytest.approx(torque * (300.0 - 2.5))


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({'window': -1.0}, 'window is -1 s; give 0 or more'),
        ({'drift': math.nan}, 'drift is nan s; give 0 or more'),
        ({'window': 0.1}, 'window is 0.1 s, less than a tick of 0.5 s'),
        ({'window': 200.0}, 'window is 200 s, and the flight lasts 30 s; give less'),
        ({'drift': 31.0}, 'drift is 31 s, and the flight lasts 30 s'),
        ({'steady_from': 30.0}, 'steady_from is 30 s, and the flight lasts 30 s'),
        ({'pointed_error': 0.0}, 'pointed_error is 0 rad; give more than 0'),
        ({'boresight_B': (0.0, 0.0, 0.0)}, 'not all 0'),
        ({'boresight_B': (0.0, 1.0)}, 'three numbers'),
    ],
)
def test_what_cannot_be_asked_is_refused(given, said):
    told = flight(np.zeros((61, 3)))
    with pytest.raises(ValueError, match=said):
        flight_merits.of_flight(told, dataclasses.replace(Asked(), **given))


def test_every_merit_has_a_unit_or_is_a_share_or_number():
    plain = (
        'within_',
        'known_',
        'nees_',
        'nis_',
        'thruster_',
        'dipole_duty',
        'wheel_speed_margin',
    )
    told = flight(np.zeros((61, 3)), torque_B=np.zeros((61, 3)))
    for name in flight_merits.of_flight(told).values:
        assert flight_merits.unit_of(name) or name.startswith(plain)
    assert flight_merits.unit_of('rke_about_68') == 'rad'
    assert len(LEVELS) == len(CONFIDENCES) + 1


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        (['--window', '-1'], '--window is -1 s; give 0 or more'),
        (['--pointed-error', '0'], '--pointed-error is 0 rad; give more than 0'),
        (['--boresight', '1,x,0'], "'1,x,0' is no direction; give three numbers"),
        (
            ['--boresight', '0,0,0'],
            '--boresight is [0.0, 0.0, 0.0]; give three numbers, not all 0',
        ),
        (['--merits', 'a.txt'], '--merits a.txt: give a name that ends in .csv or .json'),
        (['--merits', 'a.csv', '--only', 'omega'], '--merits is of one whole run'),
    ],
)
def test_options_that_cannot_be_are_refused_before_a_file_is_read(given, said):
    done = called('plot', '/no/such/bag', *given)
    assert done.returncode == 2 and said in done.stderr


def test_the_log_of_a_run_keeps_the_time_that_a_reset_does_not_set_back():
    plant = SimpleNamespace(spacecraft=SimpleNamespace(groups={}))
    log = merit_log.MeritLog(plant)
    state = SimpleNamespace(q_WB=(0.1, 0.2, 0.3, 0.4), angular_momentum_W=(1.0, 2.0, 3.0))
    for time, elapsed, stamp, q_WR in ((5.0, 5.0, 50, (0.5, 0.6, 0.7, 0.8)), (6.0, 0.0, 60, None)):
        instant = SimpleNamespace(time=time, elapsed_time=elapsed, stamp=stamp, state=state)
        log.add(instant, None, q_WR, (7.0, 8.0, 9.0))
    rows = np.array(log._rows).reshape(2, -1)
    assert rows[:, merit_log.TIME].tolist() == [5.0, 6.0]
    assert rows[:, merit_log.STAMP].tolist() == [50.0, 60.0]
    assert rows[0, merit_log.BODY : merit_log.REFERENCE].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert rows[0, merit_log.REFERENCE : merit_log.MOMENTUM].tolist() == [0.5, 0.6, 0.7, 0.8]
    assert np.isnan(rows[1, merit_log.REFERENCE : merit_log.MOMENTUM]).all()
    assert rows[1, merit_log.MOMENTUM :].tolist() == [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]


def test_the_log_of_a_run_has_the_use_of_actuators_as_what_they_gave():
    """A jet gives 0.02 N, a wheel 1e-3 N m from rest, a rod half of its dipole, for 32 ticks."""
    found = scenario.build({
        'body.mass': 4.0, 'body.inertia': [0.1, 0.1, 0.1], 'magnetic_field': [0.0, 0.0, 3e-5],
        'thrusters': ['j'], 'thruster.j.position': [0.0, 0.1, 0.0],
        'thruster.j.direction': [1.0, 0.0, 0.0], 'thruster.j.max_force': 0.04,
        'thruster.j.force': 0.02, 'thruster.j.specific_impulse': 60.0,
        'wheels': ['w'], 'wheel.w.axis': [1.0, 0.0, 0.0], 'wheel.w.inertia': 2e-5,
        'wheel.w.max_torque': 2e-3, 'wheel.w.torque': 1e-3, 'wheel.w.max_speed': 500.0,
        'magnetorquers': ['m'], 'magnetorquer.m.axis': [1.0, 0.0, 0.0],
        'magnetorquer.m.max_dipole': 0.2, 'magnetorquer.m.dipole': 0.1,
    }, 'test')  # fmt: skip
    instant, log = found.first_instant(), merit_log.MeritLog(found.plant)
    for tick in range(33):
        instant = next_instant(found.plant, instant, found.inputs) if tick else instant
        log.add(instant, moment_of(found.plant, instant), None, (0.0, 0.0, 0.0))
    values = log.merits().values
    assert values['thruster_impulse'] == pytest.approx(0.02, rel=1e-12)
    assert values['propellant'] == pytest.approx(0.02 / (60.0 * 9.80665), rel=1e-12)
    assert values['dipole_duty'] == pytest.approx(0.5, rel=1e-12)
    speed = found.plant.spacecraft.wheel_speeds(instant.state)[0]
    assert values['largest_wheel_speed'] == pytest.approx(speed, rel=1e-12)
    assert values['wheel_speed_margin'] == pytest.approx(1.0 - speed / 500.0, rel=1e-12)
