# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of merit are those of the closed-form second-order response."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from spacecraft_attitude_sim.core.control import response
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import response_report

BANDWIDTH = 0.3


def second_order(time, damping_ratio):
    """Return θ(t) of θ'' + 2 ζ ω θ' + ω² θ = 0 from θ = 1 at rest."""
    damped = BANDWIDTH * math.sqrt(1.0 - damping_ratio**2)
    decay = damping_ratio * BANDWIDTH
    wave = np.cos(damped * time) + decay / damped * np.sin(damped * time)
    return np.exp(-decay * time) * wave


@pytest.mark.parametrize('damping_ratio', [0.2, 0.5, 0.7, 0.9])
def test_second_order_response_has_the_textbook_figures(damping_ratio):
    time = np.arange(0.0, 200.0, 1.0 / 32.0)
    theta = second_order(time, damping_ratio)
    axis = np.array((2.0, -1.0, 2.0)) / 3.0
    found = response.merit(time, 0.4 * theta[:, np.newaxis] * axis, np.ones(len(time)))
    # Textbook overshoot; a peak between samples is missed by ½ ω² (Δt/2)² of it at most.
    overshoot = math.exp(-math.pi * damping_ratio / math.sqrt(1.0 - damping_ratio**2))
    assert found.overshoot == pytest.approx(overshoot, rel=2e-5)
    # The settling time is a root of |θ| = 2 %; linear between samples to ω² Δt² / 8.
    after = np.flatnonzero(np.abs(theta) > response.BAND)[-1]
    exact = brentq(
        lambda t: abs(second_order(t, damping_ratio)) - response.BAND, time[after], time[after + 1]
    )
    assert found.settling_time == pytest.approx(exact, abs=1e-3)
    assert found.steady_error < 1e-4 * 0.4
    assert found.torque_impulse == pytest.approx(time[-1])


def test_response_that_does_not_settle_says_so():
    time = np.arange(0.0, 10.0, 1.0 / 32.0)
    errors = np.outer(np.cos(time), (1.0, 0.0, 0.0))
    found = response.merit(time, errors, np.zeros(len(time)))
    assert math.isnan(found.settling_time)
    assert found.overshoot == pytest.approx(1.0, rel=1e-3)


def test_response_without_an_error_has_settled():
    found = response.merit(np.arange(3.0), np.zeros((3, 3)), np.zeros(3))
    assert found == (0.0, 0.0, 0.0, 0.0, 0.0)


def test_summary_of_a_response_has_the_units_that_it_names():
    found = response.Merit(12.5, 0.043, math.radians(0.25), 0.02, 0.003)
    for pointing, unit, what in ((True, 'deg', 'attitude'), (False, 'deg/s', 'angular velocity')):
        lines = response_report.text(found, pointing).splitlines()
        assert [line[2:18].rstrip() for line in lines] == [
            'error of', 'settling time', 'overshoot', 'steady error', 'torque impulse',
            'largest torque',
        ]  # fmt: skip
        assert [line[19:] for line in lines] == [
            what, '12.50 s (to 2 % of the first error)', '4.30 %',
            f'0.25 {unit} (rms of the last tenth)', '0.02 N m s', '0.003 N m',
        ]  # fmt: skip


def test_log_gives_the_figures_of_its_samples():
    log = response.ResponseLog()
    assert log.merit() is None
    for time, angle in ((0.0, 1.0), (0.5, 0.01), (1.0, -0.001), (1.5, 0.0)):
        log.add(time, (0.0, angle, 0.0), (3.0, 0.0, 4.0))
    found = log.merit()
    assert found.overshoot == pytest.approx(0.001)
    assert found.torque_impulse == pytest.approx(5.0 * 1.5)
    assert 0.0 < found.settling_time < 0.5


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_attitude_error_is_the_shorter_rotation_vector(sign):
    q_WR = rotations.quaternion_from_euler_zyx(0.4, -1.0, 2.0)
    vector = np.array((0.6, -1.2, 0.9))
    turn = rotations.quaternion_from_axis_angle(vector, np.linalg.norm(vector))
    error = response.attitude_error(q_WR, sign * rotations.compose(q_WR, turn))
    assert np.allclose(error, vector, rtol=0, atol=1e-15)
    assert not response.attitude_error(q_WR, q_WR).any()


def test_torque_impulse_is_the_sum_of_the_intervals_that_end_at_each_sample():
    """The first sample's torque is of an interval before the response; it still is the largest."""
    errors = np.outer((1.0, 0.5, 0.1, 0.0, 0.0), (0.0, 1.0, 0.0))
    found = response.merit(0.5 * np.arange(5), errors, np.array((9.0, 1.0, 2.0, 4.0, 8.0)))
    assert found.torque_impulse == pytest.approx(0.5 * (1.0 + 2.0 + 4.0 + 8.0), rel=1e-15)
    assert found.largest_torque == 9.0


@pytest.mark.parametrize(
    ('sizes', 'settles'),
    [
        ((1.0, 0.5, 0.06, 0.01), None),  # in the band with the last sample alone
        ((1.0, 0.06, 0.01, 0.01), 1.0 + 0.04 / 0.05),  # linear from 0.06 to 0.01: at 0.02
        ((1.0, 0.01, 0.06, 0.01), None),
        ((1.0, 0.01, 0.02, 0.02), 0.98 / 0.99),  # the band's edge is in it
        ((1.0, 0.5, 0.3, 0.2), None),
    ],
)
def test_settling_is_when_the_error_enters_the_band_for_good_between_samples(sizes, settles):
    time = 3.0 + np.arange(4.0)
    found = response.merit(time, np.outer(sizes, (0.0, 0.6, 0.8)), np.zeros(4))
    if settles is None:
        assert math.isnan(found.settling_time)
    else:
        assert found.settling_time == pytest.approx(settles, rel=1e-12)


def test_steady_error_is_the_root_mean_square_of_the_last_tenth():
    sizes = np.concatenate(([1.0], np.full(17, 0.5), (3.0, 4.0)))
    found = response.merit(np.arange(20.0), np.outer(sizes, (1.0, 0.0, 0.0)), np.zeros(20))
    assert found.steady_error == pytest.approx(math.sqrt(12.5), rel=1e-15)
    few = response.merit(np.arange(3.0), np.outer((1.0, 2.0, 0.3), (1.0, 0, 0)), np.zeros(3))
    assert few.steady_error == pytest.approx(0.3, rel=1e-15)


def test_panels_of_a_response_are_in_the_units_that_they_name():
    rates, torques, errors = np.diag((0.1, 0.2, 0.3)), np.diag((1e-3, 2e-3, 3e-3)), np.eye(3)
    found = response_report.Response(np.arange(3.0), rates, torques, errors)
    drawn = response_report.panels(found)
    assert [(panel.label, panel.key) for panel in drawn] == [
        ('error angle [deg]', 'error'), ('angular velocity\nbody axes [deg/s]', ''),
        ('torque\nbody axes [mN m]', 'torque'),
    ]  # fmt: skip
    assert drawn[0].values.ravel() == pytest.approx(math.degrees(1.0))
    assert drawn[1].values == pytest.approx(rates * 180.0 / math.pi)
    assert drawn[2].values == pytest.approx(1e3 * torques)
    untold = response_report.panels(found._replace(errors=None))
    assert [panel.label for panel in untold] == [panel.label for panel in drawn[1:]]
