# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of the attitude filter, against matrix exponentials, least squares and chance."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.core.estimation import kalman_filter as kf
from spacecraft_attitude_sim.core.mathematics import rotations

# The functions are plain Python here: what is compiled of them is in test_attitude_estimator.
NOISE = (3e-4, 2e-6, 5e-5)
LEVEL = (1.0, 0.0, 0.0, 0.0)


def floats(values):
    return tuple(float(value) for value in values)


def unit(generator):
    q = generator.normal(size=4)
    return floats(q / np.linalg.norm(q))


def turning(vector):
    x, y, z, w = Rotation.from_rotvec(vector).as_quat()
    return np.array((w, x, y, z))


def estimate_of(q, covariance, gyro=(0.0,) * 3, field=(0.0,) * 3):
    head = np.concatenate((q, gyro, field, np.zeros(9)))
    noises = np.zeros(kf.READINGS * (3 * len(covariance) + 1))
    return np.concatenate((head, covariance.ravel(), noises))


def covariance_of(estimate, n):
    return estimate[kf.COVARIANCE : kf.COVARIANCE + n * n].reshape(n, n).copy()


def positive(generator, n, size):
    root = generator.normal(size=(n, n))
    return size * (root @ root.T + np.eye(n))


def places_of(n):
    return kf.Places.of(field=n > 6, axes=False, mountings=0)


def room():
    return np.zeros(places_of(9).scratch)


@pytest.mark.parametrize('rate', [0.0, 1e-5, 0.02, 3.0])
@pytest.mark.parametrize('n', [6, 9])
def test_a_step_is_the_matrix_exponential_of_the_errors(rate, n):
    """Without noise; of noise, Van Loan's integral to first order of the turn."""
    generator, step = np.random.default_rng(n), 0.25
    omega = rate * generator.normal(size=3)
    before = positive(generator, n, 1e-4)
    first = estimate_of(unit(generator), before, (0.1, 0.2, 0.3))
    x, y, z = omega
    A = np.zeros((n, n))
    A[:3, :3] = -np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    A[:3, 3:6] = -np.eye(3)
    phi = expm(A * step)
    estimate = first.copy()
    kf.propagate(
        estimate, places_of(n), floats(omega * step), step, (0.0, 0.0, 0.0), LEVEL, room()
    )
    covariance = covariance_of(estimate, n)
    assert np.allclose(covariance, phi @ before @ phi.T, rtol=1e-13, atol=1e-18)
    assert (covariance == covariance.T).all()
    q = rotations.quaternion_product(*first[:4], *turning(omega * step))
    assert np.allclose(estimate[:4], q, rtol=0, atol=4e-16)
    assert (estimate[4:10] == first[4:10]).all()

    density = np.zeros(n)
    density[:] = np.repeat(np.square(NOISE), 3)[:n]
    loan = np.zeros((2 * n, 2 * n))
    loan[:n, :n], loan[:n, n:], loan[n:, n:] = -A, np.diag(density), A.T
    loan = expm(loan * step)
    exact = loan[n:, n:].T @ loan[:n, n:]
    noisy = first.copy()
    kf.propagate(noisy, places_of(n), floats(omega * step), step, NOISE, LEVEL, room())
    added = covariance_of(noisy, n) - covariance
    # Farrenkopf's terms neglect the turn in a step in the cross terms alone.
    allowed = 1e-15 * density[0] + density[3] * step**2 * np.linalg.norm(omega) * step
    assert np.abs(added - exact).max() <= allowed + 1e-16 * np.abs(before).max()
    assert added[0, 3] == pytest.approx(-0.5 * NOISE[1] ** 2 * step**2, abs=1e-17)


@pytest.mark.parametrize('kind', ['attitude', 'vector'])
def test_rows_are_the_derivatives_of_what_a_sensor_measures(kind):
    """The residual of a truth that is off by a small error is rows times this error."""
    generator, n = np.random.default_rng(5), 6
    for _ in range(20):
        q_BS, q_WB, v_W = unit(generator), unit(generator), floats(generator.normal(size=3))
        estimate = estimate_of(q_WB, np.eye(n))
        rows, error = np.full(3 * n, np.nan), 1e-6 * generator.normal(size=n)
        true = rotations.quaternion_product(*q_WB, *turning(error[:3]))
        q_WS = rotations.quaternion_product(*true, *q_BS)
        if kind == 'attitude':
            residual = kf.attitude_rows(estimate, n, q_BS, floats(q_WS), rows)
            turned_over = kf.attitude_rows(estimate, n, q_BS, floats(-np.array(q_WS)), rows)
            assert residual == turned_over
        else:
            v_S = rotations.rotate(rotations.conjugate(np.array(q_WS)), v_W)
            residual = v_S - kf.vector_rows(estimate, n, q_BS, v_W, rows)
        assert np.allclose(residual, rows.reshape(3, n) @ error, rtol=0, atol=1e-11)
        assert (rows.reshape(3, n)[:, 3:] == 0.0).all()


def test_the_residual_of_an_attitude_is_the_angle_however_large():
    rows, level = np.zeros(18), estimate_of(LEVEL, np.eye(6))
    for angle in (1e-9, 1e-3, 0.5, 3.1):
        q = floats(turning((0.0, angle, 0.0)))
        residual = kf.attitude_rows(level, 6, LEVEL, q, rows)
        assert np.allclose(residual, (0.0, angle, 0.0), rtol=1e-14, atol=0.0)


@pytest.mark.parametrize('n', [6, 9])
def test_a_correction_is_that_of_least_squares(n):
    """In information form, which shares no equation with it: P⁻¹ + Hᵀ R⁻¹ H."""
    generator = np.random.default_rng(7)
    before, rows = positive(generator, n, 1e-6), generator.normal(size=(3, n))
    variances, residual = (2e-6, 3e-6, 5e-7), floats(1e-4 * generator.normal(size=3))
    R, estimate = np.diag(variances), estimate_of(LEVEL, before)
    nis = kf.surprise(estimate, n, rows.ravel(), variances, residual)
    expected = np.array(residual) @ np.linalg.solve(rows @ before @ rows.T + R, residual)
    assert nis == pytest.approx(expected, rel=1e-12)
    after = np.linalg.inv(np.linalg.inv(before) + rows.T @ np.linalg.inv(R) @ rows)
    error = after @ rows.T @ np.linalg.inv(R) @ residual
    kf.take(estimate, places_of(n), rows.ravel(), variances, residual, room())
    assert np.allclose(covariance_of(estimate, n), after, rtol=0, atol=1e-12 * before.max())
    assert np.allclose(estimate[:4], turning(error[:3]), rtol=0, atol=1e-12)
    assert np.allclose(estimate[4:7], error[3:6], rtol=0, atol=1e-15)
    assert np.allclose(estimate[7:10], error[6:] if n > 6 else 0.0, rtol=0, atol=1e-15)


def test_corrections_leave_the_covariance_positive():
    """Joseph's form; readings 1e6 times as good as the start is known."""
    generator, covariance = np.random.default_rng(3), np.diag([1.0] * 3 + [1e-2] * 3)
    estimate, rows = estimate_of(LEVEL, covariance), np.zeros(18)
    for k in range(50):
        kf.propagate(estimate, places_of(6), (0.01, -0.02, 0.005), 0.1, NOISE, LEVEL, room())
        v_W = floats(generator.normal(size=3))
        v_S = rotations.rotate(rotations.conjugate(estimate[:4]), v_W)
        residual = floats(v_S - kf.vector_rows(estimate, 6, LEVEL, v_W, rows))
        kf.take(estimate, places_of(6), rows, (1e-12,) * 3, residual, room())
        covariance = covariance_of(estimate, 6)
        assert np.linalg.eigvalsh(covariance).min() > 0.0, k
        assert (covariance == covariance.T).all()
