# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Whether an estimator is as good as it says: its error against its covariance, NEES and NIS.

With the error e and its covariance P, the innovation ν and its covariance S,

    NEES = eᵀ P⁻¹ e        χ² of 3 degrees of freedom, for an attitude
    NIS  = νᵀ S⁻¹ ν        χ² of as many as the measurement has components

Y. Bar-Shalom, X. R. Li, T. Kirubarajan, Estimation with Applications to Tracking and Navigation
(2001), section 5.4. Innovations of different times are independent, so the mean NIS has bounds.
Errors of one flight are not, so the mean NEES has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array

# Of an attitude.
FREEDOM = 3
# Share of χ² between its bounds: half of the rest is below, half above.
SHARE = 0.95
SIGMAS = 3.0
# An error above so many of the largest standard deviation told is a wrong attitude.
WRONG_SIGMAS = 5.0
# Share of a normal distribution within three standard deviations.
WITHIN = 0.9973


class Judged(NamedTuple):
    """The measurements of a sensor that an estimator compared with its estimate.

    time: (k,) [s];  nis: (k,) normalised innovation squared, of those outside the gate, too
    freedom: (k,) number of components
    """

    time: Array
    nis: Array
    freedom: Array


class Knowledge(NamedTuple):
    """What an estimator knew at the n instants of a flight.

    q_WE: (n, 4) attitude, NaN where it was not known
    covariance_B: (n, 3, 3) of its error, a rotation vector in body axes [rad^2]
    judged: {sensor: Judged}
    """

    q_WE: Array
    covariance_B: Array
    judged: Mapping[str, Judged]


class OfSensor(NamedTuple):
    """Consistency of a sensor's innovations.

    number: of them;  mean: of NIS;  freedom: its expected value
    low, high: between which the mean is with probability SHARE, if the filter is consistent
    inside: share of NIS that is between the bounds of a single one; SHARE is expected
    """

    number: int
    mean: float
    freedom: float
    low: float
    high: float
    inside: float

    @property
    def consistent(self) -> bool:
        """Whether the mean is within its bounds."""
        return self.low <= self.mean <= self.high


def limits(freedom: Array | float) -> tuple[Array, Array]:
    """Return the two values between which χ² is with probability SHARE."""
    from scipy.special import chdtri

    half = 0.5 * (1.0 - SHARE)
    return chdtri(freedom, 1.0 - half), chdtri(freedom, half)


def share_between(values: Array, freedom: Array | float) -> float:
    """Return the share of values (k,) within the limits of χ²; NaN of none."""
    low, high = limits(freedom)
    return _mean((low <= values) & (values <= high))


def sigmas(covariance_B: Array) -> Array:
    """Return the standard deviations (n, 3) [rad] of covariances (n, 3, 3), NaN where none."""
    variances = np.diagonal(covariance_B, axis1=1, axis2=2)
    return np.sqrt(np.where(variances > 0.0, variances, np.nan))


def within_sigmas(errors: Array, sigma: Array) -> Array:
    """Return the shares (3,) of errors (n, 3) within SIGMAS times sigma (n, 3), where known."""
    known = np.isfinite(errors) & np.isfinite(sigma)
    inside = np.abs(errors) <= SIGMAS * np.where(known, sigma, 1.0)
    return np.array([_mean(inside[known[:, k], k]) for k in range(3)])


def misled(errors: Array, sigma: Array) -> tuple[int, float]:
    """Return for how many instants in a row a wrong attitude was told, at most.

    A wrong one is off by more than WRONG_SIGMAS of the largest standard deviation told with it.
    Behind it stands the largest error of all that were wrong [rad], 0 if none was.

    errors: (n, 3) [rad], NaN where no attitude was told;  sigma: (n, 3) [rad]
    """
    sizes = np.linalg.norm(errors, axis=1)
    wrong = sizes > WRONG_SIGMAS * np.max(sigma, axis=1)
    ends = np.flatnonzero(np.diff(np.concatenate(([False], wrong, [False])).astype(int)))
    longest = int(np.max(ends[1::2] - ends[::2], initial=0))
    return longest, float(np.max(sizes[wrong], initial=0.0))


def nees(errors: Array, covariance_B: Array) -> Array:
    """Return the normalised estimation errors squared (n,); NaN where there is no covariance.

    errors: (n, 3) [rad];  covariance_B: (n, 3, 3) [rad^2]
    """
    squares = np.full(len(errors), np.nan)
    finite = np.isfinite(errors).all(axis=1) & np.isfinite(covariance_B).all(axis=(1, 2))
    rows = np.flatnonzero(finite)
    if rows.size:
        # A message may hold anything: a matrix that is no covariance tells nothing.
        least = np.linalg.eigvalsh(covariance_B[rows])[:, 0]
        rows = rows[least > 0.0]
        solved = np.linalg.solve(covariance_B[rows], errors[rows, :, np.newaxis])[:, :, 0]
        squares[rows] = np.sum(errors[rows] * solved, axis=1)
    return squares


def of_sensor(judged: Judged) -> OfSensor:
    """Return the consistency of a sensor's innovations; NaN without any."""
    count = len(judged.nis)
    if not count:
        return OfSensor(0, *(np.nan,) * 5)
    whole = float(np.sum(judged.freedom))
    low, high = limits(whole)
    return OfSensor(
        count, _mean(judged.nis), whole / count, float(low) / count, float(high) / count,
        share_between(judged.nis, judged.freedom),
    )  # fmt: skip


def _mean(values: NDArray[Any]) -> float:
    return float(np.mean(values)) if len(values) else np.nan
