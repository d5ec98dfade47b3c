# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The noise of a reading of the gyroscope, which acts in three intervals.

The rate between two readings is a parabola through these and the one before: see replay. So each
reading turns the estimate in three intervals, with the shares 5/12, 2/3 and -1/12, and its noise
does so, too. A filter that gives each interval a noise of its own, of the variance of a reading,
is too careful: in one interval 0.62 of that acts. The rest correlates one interval with the next.

This filter carries how the error state correlates with the noise of the readings that still act,
and does not estimate that noise: S. F. Schmidt, Advances in Control Systems 3 (1966) 293.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.estimation.kalman_filter import COVARIANCE, noises_at
from spacecraft_attitude_sim.core.mathematics.vectors import added, dot, scaled, three_at
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.kalman_filter import Places
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats


@part
def carry(
    estimate: Array, places: Places, shares: Floats, variance: float, step: float, scratch: Array
) -> None:
    """Let the noise of readings act in a step that `propagate` has just made.

    The step adds B Σ u_j n_j to the error state x: n_j is the noise of a reading, u_j its share of
    the turn, and B the derivative of a by a rate, over the step. With C_j = cov(x, n_j)

        P ← P + Σ u_j (C_j Bᵀ + B C_jᵀ + u_j σ_j² B Bᵀ),  C_j ← C_j + u_j σ_j² B

    where P and C_j on the right are those that the transition has moved. Neglected: the noise in
    the term of the turn that does not commute.

    shares: u_j of the next reading, the latest and the one before [s]
    variance: of the next reading [rad^2/s^2];  scratch: as `propagate` has left it
    """
    first, behind, n = places
    phi, axes, moved = scratch[0:36], scratch[36:90], scratch[90:117]
    P, begin = estimate[COVARIANCE:], noises_at(places)
    C, known = estimate[begin : begin + 9 * n], estimate[begin + 9 * n :]
    known[0] = variance
    for i in range(3):
        if known[i] == 0.0:
            known[i] = variance  # of the first readings
        for j in range(9):
            value = 0.0
            for k in range(6):
                value += phi[6 * i + k] * C[9 * k + j]
            for k in range(behind - first):
                value += axes[9 * i + k] * C[9 * (first + k) + j]
            moved[9 * i + j] = value
    for k in range(27):
        C[k] = moved[k]
    total = 0.0
    for k in range(3):
        total += shares[k] * shares[k] * known[k]
    of_rate = 1.0 / step
    for i in range(n):
        x, y, z = of_shares(shares, C, 9 * i)
        for j in range(3):
            a, b, c = scaled(of_rate, three_at(phi, 6 * j + 3))
            value = x * a + y * b + z * c
            P[n * i + j] += value
            P[n * j + i] += value
    for i in range(3):
        own = scaled(of_rate, three_at(phi, 6 * i + 3))
        for j in range(3):
            P[n * i + j] += total * dot(own, scaled(of_rate, three_at(phi, 6 * j + 3)))
            for k in range(3):
                C[9 * i + 3 * k + j] += shares[k] * known[k] * own[j]


@part
def of_shares(shares: Floats, C: Array, row: int) -> Floats:
    """Return Σ u_j C_j of an error, whose row of C begins at a place."""
    a, b, c = three_at(C, row), three_at(C, row + 3), three_at(C, row + 6)
    return added(added(scaled(shares[0], a), scaled(shares[1], b)), scaled(shares[2], c))


@part
def pass_reading(estimate: Array, places: Places) -> None:
    """Make the next reading of the gyroscope the latest one, and that the one before."""
    n, begin = places[2], noises_at(places)
    C, known = estimate[begin : begin + 9 * n], estimate[begin + 9 * n :]
    for i in range(n):
        for j in range(8, 2, -1):
            C[9 * i + j] = C[9 * i + j - 3]
        for j in range(3):
            C[9 * i + j] = 0.0
    known[0], known[1], known[2] = 0.0, known[0], known[1]
