# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Our estimator beside other people's on the same readings, as `bench/estimators.py` puts them."""

import sys

import conftest
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.api.smoothing import FILTERED, RECORDED
from spacecraft_attitude_sim.core.control.response import attitude_errors
from spacecraft_attitude_sim.core.estimation.settings import Settings

sys.path.insert(0, str(conftest.ROOT / 'bench'))
import basilisk_estimator
import estimators
import rival_estimators

TURN_B = 1e-5 * np.array((1.0, -2.0, 0.5))
STARS, SUN, TUMBLE, MISSION = estimators.FLIGHTS
# Flights of the bench, but shorter: seconds, and from when on errors count [s]. The star tracker
# of the mission sees from 88 s to 243 s, and then not before 1030 s.
SHORT = {
    STARS: (300.0, 100.0), SUN: (600.0, 300.0), TUMBLE: (450.0, 300.0), MISSION: (240.0, 150.0),
}  # fmt: skip


def wxyz(rotation):
    return np.roll(rotation.as_quat(), 1)


def flown(title):
    """Return a Flown, its Run, and its Flight."""
    pytest.importorskip('filterpy')
    seconds, judged_from = SHORT[title]
    one = estimators.FLIGHTS[title]._replace(seconds=seconds, judged_from=judged_from)
    run = one.run()
    return one, run, estimators.flight_of(run, estimators.Known(run))


def name_of(late):
    """Return the bench's name of filterpy's filter whose attitudes come so many steps late."""
    return estimators.ARRIVED if late else estimators.AT_ITS_STAMP


def own_noise_of_intervals(monkeypatch):
    """Let our filter give each interval of the gyroscope a noise of its own, as others do."""
    constants = Settings.constants
    monkeypatch.setattr(Settings, 'constants', lambda self, carried=False: constants(self, False))


@pytest.mark.parametrize('title', (STARS, SUN, MISSION))
def test_ours_knows_what_an_unscented_filter_of_others_knows(title, monkeypatch):
    """filterpy's, in flight with what had come, and with all up to the stamp: the filtered bound.

    Both are the best linear filter of one model. Only what is not linear differs: errors of a
    tenth of a degree and less, so the attitudes differ by a few per cent of their uncertainty.
    """
    own_noise_of_intervals(monkeypatch)
    one, run, flight = flown(title)
    instants = np.array([step.time_ns for step in flight.steps]) / 1e9
    told = {late: rival_estimators.filterpy_ukf(flight, late) for late in {0, one.late}}
    beside = {str(late): (instants, *theirs) for late, theirs in told.items()}
    smoothed = run.smoothed(one.judged_from, beside=beside)
    merits = smoothed.merits
    assert merits[RECORDED].instants > 100
    for name, late in ((FILTERED, 0), (RECORDED, one.late)):
        ours, theirs = merits[name], merits[str(late)]
        assert ours.rms == pytest.approx(theirs.rms, rel=0.01)
        assert ours.sigma == pytest.approx(theirs.sigma, rel=0.01)
        assert ours.nees == pytest.approx(theirs.nees, rel=0.02)
    if one.late:  # what has not come yet is missing, and both say so
        assert merits[RECORDED].rms > 1.05 * merits[FILTERED].rms
        assert merits[RECORDED].sigma > 1.1 * merits[FILTERED].sigma
    # Not in the mean alone: at each time the two attitudes are the same.
    late_enough = smoothed.filtered.time_ns >= 1e9 * one.judged_from
    ours = smoothed.filtered.at(late_enough)
    rows = np.searchsorted(np.rint(1e9 * instants).astype(int), ours.time_ns)
    differ = np.linalg.norm(attitude_errors(told[0].q_WB[rows], ours.q_WB), axis=1)
    sigma = np.sqrt(np.trace(ours.covariance[:, :3, :3], axis1=1, axis2=2))
    assert np.max(differ / sigma) < 0.1


@pytest.mark.parametrize('title', (STARS, SUN, MISSION))
def test_ours_errs_no_more_where_it_knows_that_a_reading_acts_in_three_intervals(title):
    """Its 1 sigma is 1.4 % smaller where the star tracker measures at each reading.

    In flight it is within 5 % of the bound of what had come, which is filterpy's; that is the
    filtered bound where nothing comes late.
    """
    one, run, flight = flown(title)
    instants = np.array([step.time_ns for step in flight.steps]) / 1e9
    told = {late: rival_estimators.filterpy_ukf(flight, late) for late in {0, one.late}}
    beside = {name_of(late): (instants, *theirs) for late, theirs in told.items()}
    merits = run.smoothed(one.judged_from, beside=beside).merits
    ours, theirs = merits[FILTERED], merits[name_of(0)]
    assert ours.rms < 1.005 * theirs.rms
    assert ours.sigma < 1.005 * theirs.sigma
    had_come = estimators.bound_of_what_had_come(merits)
    assert had_come == merits[name_of(one.late)].rms
    assert merits[RECORDED].rms < 1.05 * had_come
    if not one.late:
        assert merits[RECORDED].rms < 1.05 * merits[FILTERED].rms


def test_in_a_tumble_the_covariance_is_true_and_the_error_no_larger_than_that_of_others():
    """At 2 Hz and 10 deg/s; NEES was 255 with straight lines between readings of the gyroscope.

    The others take a Sun sensor for one that errs alike in all directions, so they know less.
    """
    one, run, flight = flown(TUMBLE)
    instants = np.array([step.time_ns for step in flight.steps]) / 1e9
    beside = {'theirs': (instants, *rival_estimators.filterpy_ukf(flight))}
    merits = run.smoothed(one.judged_from, beside=beside).merits
    assert np.degrees(merits[RECORDED].rms) < 0.06
    assert merits[RECORDED].rms < merits['theirs'].rms
    assert 1.5 < merits[RECORDED].nees < 4.5
    assert merits[RECORDED].within > 0.99


def test_a_reading_that_no_estimator_had_makes_none_wiser():
    """The harness: late attitudes do not count before they come."""
    _, _, flight = flown(STARS)
    flight = flight._replace(steps=flight.steps[:40])
    blind = flight._replace(
        steps=[step._replace(attitudes=[]) if k >= 37 else step for k, step in
               enumerate(flight.steps)]
    )  # fmt: skip
    one, other = (rival_estimators.filterpy_ukf(f, late=3) for f in (flight, blind))
    assert one.q_WB.tolist() == other.q_WB.tolist()
    assert one.covariance_B.tolist() == other.covariance_B.tolist()
    at_once = rival_estimators.filterpy_ukf(flight)
    traces = [np.trace(told.covariance_B[-1]) for told in (one, at_once)]
    assert traces[0] > 1.05 * traces[1]


def test_wahba_of_two_true_directions_is_the_attitude():
    q_WB = Rotation.from_rotvec((0.4, -1.1, 2.0))
    world = np.array(((1.0, 0.0, 0.0), (0.0, 0.6, 0.8)))
    seen = [
        rival_estimators.Direction(q_WB.inv().apply(one), one, sigma)
        for one, sigma in zip(world, (1e-3, 1e-2), strict=True)
    ]
    begun = type('Begun', (), {'q_WB': np.array((1.0, 0.0, 0.0, 0.0))})
    step = rival_estimators.Step(0, 0.5, np.zeros(3), [], seen, np.zeros(0))
    flight = rival_estimators.Flight(begun, [step], None, None, np.zeros((0, 3)), None, None)
    told = rival_estimators.wahba(flight)
    assert np.linalg.norm(attitude_errors(told.q_WB, wxyz(q_WB)[np.newaxis])) < 1e-14
    assert np.isnan(told.covariance_B).all()


@pytest.mark.parametrize('rotvec', [(0.0, 0.0, 0.0), (0.3, -0.8, 1.1), (-2.0, 1.0, 0.7)])
def test_small_turns_in_the_parameters_of_others(rotvec):
    """Modified Rodrigues parameters (Basilisk) and quaternions (ahrs) change by their rows.

    What is left is of second order in the turn: 1e-10 of 1e-5.
    """
    before = Rotation.from_rotvec(rotvec)
    after = before * Rotation.from_rotvec(TURN_B)
    change = after.as_mrp() - before.as_mrp()
    rows = basilisk_estimator.mrp_rows(before.as_mrp())
    assert 0.25 * rows @ TURN_B == pytest.approx(change, abs=1e-9)
    assert basilisk_estimator.quaternion_of_mrp(before.as_mrp()) == pytest.approx(wxyz(before))
    q, dq = wxyz(before), wxyz(after) - wxyz(before)
    assert 2.0 * rival_estimators.quaternion_rows(q) @ dq == pytest.approx(TURN_B, abs=1e-9)
    covariance = np.diag((1.0, 2.0, 3.0))
    G = rival_estimators.quaternion_rows(q)
    back = 4.0 * G @ rival_estimators.quaternion_covariance(q, covariance) @ G.T
    assert back == pytest.approx(covariance, abs=1e-9)


def test_the_table_says_what_it_could_not_measure(capsys, monkeypatch):
    one = estimators.Judged(
        {name: estimators.Merit(1e-3, 2e-3, *tail, 7) for name, tail in
         ((FILTERED, (1e-3, 0.99, 3.0)), ('alone', (np.nan, np.nan, np.nan)))},
        {FILTERED: 1e-5, 'alone': 2e-5},
    )  # fmt: skip
    estimators.print_table('flight', one)
    *_, ours, alone = capsys.readouterr().out.splitlines()
    assert ours.split()[-8:] == [
        '0.0573', '0.1146', '0.0573', '99.00', '3', '100.0', '-', '10',
    ]  # fmt: skip
    assert alone.split() == ['alone', '0.0573', '0.1146', '-', '-', '-', '100.0', '-', '20']
    monkeypatch.setattr(rival_estimators.importlib.util, 'find_spec', lambda name: None)
    assert [line.split()[0] for line in rival_estimators.missing()] == [
        'ahrs', 'Basilisk', 'filterpy', 'gtsam',
    ]  # fmt: skip
