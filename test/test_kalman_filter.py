# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The equations of the attitude filter, against matrix exponentials, least squares and chance."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation
from scipy.stats import chi2

from spacecraft_attitude_sim.core.estimation import kalman_filter as kf
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.kernels.kernel import compiled

NOISE = (3e-4, 2e-6, 0.0)
LEVEL = (1.0, 0.0, 0.0, 0.0)


@compiled
def propagate(estimate, covariance, omega_B, step, noise, spare):
    kf.propagate(estimate, covariance, omega_B, step, noise, spare)


@compiled
def surprise(covariance, rows, variances, residual):
    return kf.surprise(covariance, rows, variances, residual)


@compiled
def take(estimate, covariance, rows, variances, residual, spare):
    kf.take(estimate, covariance, rows, variances, residual, spare)


@compiled
def attitude_rows(estimate, q_BS, q_WS, rows):
    return kf.attitude_rows(estimate, q_BS, q_WS, rows)


@compiled
def vector_rows(estimate, q_BS, v_W, v_S, biased, rows):
    return kf.vector_rows(estimate, q_BS, v_W, v_S, biased, rows)


def floats(values):
    return tuple(float(value) for value in values)


def unit(generator):
    q = generator.normal(size=4)
    return floats(q / np.linalg.norm(q))


def turning(vector):
    x, y, z, w = Rotation.from_rotvec(vector).as_quat()
    return np.array((w, x, y, z))


def estimate_of(q, gyro=(0.0,) * 3, field=(0.0,) * 3):
    return np.concatenate((q, gyro, field))


def positive(generator, n, size):
    root = generator.normal(size=(n, n))
    return size * (root @ root.T + np.eye(n))


def room():
    return np.zeros((27, 9))


@pytest.mark.parametrize('rate', [0.0, 1e-5, 0.02, 3.0])
@pytest.mark.parametrize('n', [6, 9])
def test_a_step_is_the_matrix_exponential_of_the_errors(rate, n):
    """Without noise; of noise, Van Loan's integral to first order of the turn."""
    generator, step = np.random.default_rng(n), 0.25
    omega, bias = rate * generator.normal(size=3), 0.1 * rate * generator.normal(size=3)
    estimate = estimate_of(unit(generator), bias)
    before, first = positive(generator, n, 1e-4), estimate.copy()
    x, y, z = omega - bias
    A = np.zeros((n, n))
    A[:3, :3] = -np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    A[:3, 3:6] = -np.eye(3)
    phi = expm(A * step)
    covariance = before.copy()
    propagate(estimate, covariance, floats(omega), step, (0.0, 0.0, 0.0), room())
    assert np.allclose(covariance, phi @ before @ phi.T, rtol=1e-13, atol=1e-18)
    assert (covariance == covariance.T).all()
    q = rotations.quaternion_product(*first[:4], *turning((omega - bias) * step))
    assert np.allclose(estimate[:4], q, rtol=0, atol=4e-16)
    assert (estimate[4:] == first[4:]).all()

    density = np.zeros(n)
    density[:6] = np.repeat(np.square(NOISE[:2]), 3)
    loan = np.zeros((2 * n, 2 * n))
    loan[:n, :n], loan[:n, n:], loan[n:, n:] = -A, np.diag(density), A.T
    loan = expm(loan * step)
    exact = loan[n:, n:].T @ loan[:n, n:]
    noisy = before.copy()
    propagate(first.copy(), noisy, floats(omega), step, NOISE, room())
    # Farrenkopf's terms neglect the turn in a step in the cross terms alone.
    allowed = 1e-15 * density[0] + density[3] * step**2 * np.linalg.norm(omega - bias) * step
    assert np.abs(noisy - covariance - exact).max() <= allowed + 1e-16 * np.abs(before).max()
    assert noisy[0, 3] - covariance[0, 3] == pytest.approx(
        -0.5 * NOISE[1] ** 2 * step**2, abs=1e-17
    )


@pytest.mark.parametrize('biased', [False, True])
@pytest.mark.parametrize('kind', ['attitude', 'vector'])
def test_rows_are_the_derivatives_of_what_a_sensor_measures(kind, biased):
    """The residual of a truth that is off by a small error is rows times this error."""
    generator, n = np.random.default_rng(5), 9 if biased else 6
    for _ in range(20):
        q_BS, q_WB, v_W = unit(generator), unit(generator), floats(generator.normal(size=3))
        estimate = estimate_of(q_WB, generator.normal(size=3), generator.normal(size=3))
        rows, error = np.full((3, n), np.nan), 1e-6 * generator.normal(size=n)
        true = rotations.quaternion_product(*q_WB, *turning(error[:3]))
        q_WS = rotations.quaternion_product(*true, *q_BS)
        if kind == 'attitude':
            residual = attitude_rows(estimate, q_BS, floats(q_WS), rows)
            turned_over = attitude_rows(estimate, q_BS, floats(-np.array(q_WS)), rows)
            assert residual == turned_over
        else:
            v_S = rotations.rotate(rotations.conjugate(np.array(q_WS)), v_W)
            if biased:
                v_S = v_S + estimate[7:] + error[6:]
            residual = vector_rows(estimate, q_BS, v_W, floats(v_S), biased, rows)
        assert np.allclose(residual, rows @ error, rtol=0, atol=1e-11)
        assert (rows[:, 3:6] == 0.0).all()


def test_the_residual_of_an_attitude_is_the_angle_however_large():
    rows = np.zeros((3, 6))
    for angle in (1e-9, 1e-3, 0.5, 3.1):
        q = floats(turning((0.0, angle, 0.0)))
        residual = attitude_rows(estimate_of(LEVEL), LEVEL, q, rows)
        assert np.allclose(residual, (0.0, angle, 0.0), rtol=1e-14, atol=0.0)


@pytest.mark.parametrize('n', [6, 9])
def test_a_correction_is_that_of_least_squares(n):
    """In information form, which shares no equation with it: P⁻¹ + Hᵀ R⁻¹ H."""
    generator = np.random.default_rng(7)
    before, rows = positive(generator, n, 1e-6), generator.normal(size=(3, n))
    variances, residual = (2e-6, 3e-6, 5e-7), floats(1e-4 * generator.normal(size=3))
    R = np.diag(variances)
    nis = surprise(before, rows, variances, residual)
    expected = np.array(residual) @ np.linalg.solve(rows @ before @ rows.T + R, residual)
    assert nis == pytest.approx(expected, rel=1e-12)
    after = np.linalg.inv(np.linalg.inv(before) + rows.T @ np.linalg.inv(R) @ rows)
    error = after @ rows.T @ np.linalg.inv(R) @ residual
    covariance, estimate = before.copy(), estimate_of(LEVEL)
    take(estimate, covariance, rows, variances, residual, room())
    assert np.allclose(covariance, after, rtol=0, atol=1e-12 * before.max())
    assert np.allclose(estimate[:4], turning(error[:3]), rtol=0, atol=1e-12)
    assert np.allclose(estimate[4:7], error[3:6], rtol=0, atol=1e-15)
    assert np.allclose(estimate[7:], error[6:] if n > 6 else 0.0, rtol=0, atol=1e-15)


def test_a_thousand_corrections_leave_the_covariance_positive():
    """Joseph's form; readings 1e6 times as good as the start is known."""
    generator, covariance = np.random.default_rng(3), np.diag([1.0] * 3 + [1e-2] * 3)
    estimate, rows = estimate_of(LEVEL), np.zeros((3, 6))
    for k in range(1000):
        propagate(estimate, covariance, (0.1, -0.2, 0.05), 0.1, NOISE, room())
        v_W = floats(generator.normal(size=3))
        v_S = rotations.rotate(rotations.conjugate(estimate[:4]), v_W)
        residual = vector_rows(estimate, LEVEL, v_W, floats(v_S), False, rows)
        take(estimate, covariance, rows, (1e-12,) * 3, residual, room())
        assert np.linalg.eigvalsh(covariance).min() > 0.0, k
        assert (covariance == covariance.T).all()


@pytest.mark.parametrize('sensors', ['stars', 'vectors'])
def test_errors_are_as_large_as_the_covariance_says(sensors):
    """NEES over 200 runs and NIS over all readings: means in their 99.9 % bounds of χ²."""
    runs, ticks, step, spread = 200, 60, 0.5, 0.02
    generator = np.random.default_rng(20)
    nees, nis, spare = [], [], room()
    mounted, rows = (unit(generator), unit(generator)), np.zeros((3, 6))
    sigma = (2e-4, 2e-4, 1e-3) if sensors == 'stars' else (3e-3,) * 3
    variances = floats(np.square(sigma))
    for _ in range(runs):
        start = np.concatenate((np.full(3, spread), np.full(3, 1e-4)))
        error = start * generator.normal(size=6)
        q_WB, bias = np.array(unit(generator)), 1e-3 * generator.normal(size=3)
        first = rotations.quaternion_product(*q_WB, *turning(-error[:3]))
        estimate, covariance = estimate_of(first, bias - error[3:]), np.diag(start**2)
        for tick in range(ticks):
            omega = 0.05 * np.array((np.sin(0.3 * tick), np.cos(0.2 * tick), 0.5))
            q_WB = np.array(rotations.quaternion_product(*q_WB, *turning(omega * step)))
            # Reading of a mean rate, with Farrenkopf's noise of a step.
            walk = NOISE[1] * np.sqrt(step) * generator.normal(size=3)
            white = np.sqrt(NOISE[0] ** 2 / step + NOISE[1] ** 2 * step / 12.0)
            said = omega + bias + walk / 2.0 + white * generator.normal(size=3)
            bias = bias + walk
            propagate(estimate, covariance, floats(said), step, NOISE, spare)
            q_BS = mounted[tick % 2]
            q_WS = np.array(rotations.quaternion_product(*q_WB, *q_BS))
            if sensors == 'stars':
                seen = rotations.quaternion_product(
                    *q_WS, *turning(sigma * generator.normal(size=3))
                )
                residual = attitude_rows(estimate, q_BS, floats(seen), rows)
            else:
                v_W = floats(generator.normal(size=3))
                v_S = rotations.rotate(rotations.conjugate(q_WS), v_W)
                v_S = v_S + sigma * generator.normal(size=3)
                residual = vector_rows(estimate, q_BS, v_W, floats(v_S), False, rows)
            if tick > 10:
                nis.append(surprise(covariance, rows, variances, residual))
            take(estimate, covariance, rows, variances, residual, spare)
        w, *vector = rotations.quaternion_product(*rotations.conjugate(estimate[:4]), *q_WB)
        found = np.concatenate((2.0 * np.sign(w) * np.array(vector), bias - estimate[4:7]))
        nees.append(found @ np.linalg.solve(covariance, found))
    for values, freedom in ((nees, 6), (nis, 3)):
        low, high = chi2.ppf((5e-4, 1.0 - 5e-4), freedom * len(values)) / len(values)
        assert low < np.mean(values) < high
