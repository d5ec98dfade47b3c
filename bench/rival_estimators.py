# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Attitude estimators of others, if they are installed, on the readings of one of our flights.

Each is a function of a Flight that returns a Told. All begin with the same attitude, bias and
covariance, and have the same noise figures. Errors are rotation vectors in body axes.
"""

import copy
import importlib.util
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.core.estimation.kalman_filter import turning_of
from spacecraft_attitude_sim.core.mathematics import rotations

PACKAGES = {'ahrs': 'ahrs', 'Basilisk': 'bsk', 'filterpy': 'filterpy', 'gtsam': 'gtsam'}


class Attitude(NamedTuple):
    """What a star tracker measured: attitude (4,) of the body, its covariance (3, 3) [rad^2]."""

    q_WB: np.ndarray
    covariance_B: np.ndarray


class Direction(NamedTuple):
    """What a sensor of a vector measured.

    unit_B, unit_W: (3,) measured, and what it is compared with;  sigma: of its direction [rad]
    """

    unit_B: np.ndarray
    unit_W: np.ndarray
    sigma: float


class Step(NamedTuple):
    """A reading of the gyroscope, and all measurements of its time.

    time_ns: [ns];  seconds: since the step before;  rate_B: (3,) mean since then [rad/s]
    attitudes, directions: lists of the above;  wheel_speeds: (any,) [rad/s]
    """

    time_ns: int
    seconds: float
    rate_B: np.ndarray
    attitudes: list
    directions: list
    wheel_speeds: np.ndarray


class Flight(NamedTuple):
    """What all estimators get.

    begun: core.estimation.settings.Estimate that all begin with;  steps: Steps after it
    gyroscope: core.estimation.settings.Gyroscope;  inertia: of the body (3, 3) [kg m^2]
    wheel_axes, wheel_inertias: (any, 3) and (any,) [kg m^2];  q_WB: (k, 4) true attitudes
    """

    begun: object
    steps: list
    gyroscope: object
    inertia: np.ndarray
    wheel_axes: np.ndarray
    wheel_inertias: np.ndarray
    q_WB: np.ndarray

    @property
    def sees_attitudes(self):
        """Whether a star tracker is among the sensors."""
        return any(step.attitudes for step in self.steps)

    @property
    def sees_directions(self):
        """Whether a sensor of a vector is among the sensors."""
        return any(step.directions for step in self.steps)


class Told(NamedTuple):
    """What an estimator knew after each of k steps.

    q_WB: (k, 4);  covariance_B: (k, 3, 3) of its error [rad^2], NaN where it tells none
    """

    q_WB: np.ndarray
    covariance_B: np.ndarray


def missing():
    """Return lines about what is not installed."""
    return [
        f'{name} is not installed (pip install {package}): its estimator is not compared'
        for name, package in PACKAGES.items()
        if not installed(name)
    ]


def fitting(flight):
    """Return {name: function} of the installed estimators that fit the sensors of a flight.

    They take every reading in the order of the stamps.
    """
    found = {}
    if flight.sees_directions:
        found['SciPy, Wahba at each instant'] = wahba
    if not flight.sees_directions and flight.wheel_axes.size and installed('Basilisk'):
        import basilisk_estimator

        found['Basilisk inertialUKF'] = basilisk_estimator.tuned(flight)
    if not flight.sees_attitudes and installed('ahrs'):
        found |= {'ahrs ROLEQ': ahrs_roleq, 'ahrs EKF': ahrs_ekf}
    if installed('filterpy'):
        found['filterpy UKF'] = filterpy_ukf
    if installed('gtsam'):
        import gtsam_estimator

        found['GTSAM iSAM2'] = gtsam_estimator.isam2
    return found


def installed(name):
    """Return whether a module of PACKAGES is installed."""
    return importlib.util.find_spec(name) is not None


def turned(q_WB, turn_B):
    """Return an attitude (4,) turned by a rotation vector (3,) in body axes [rad]."""
    return rotations.compose(q_WB, np.array(turning_of(tuple(turn_B))))


def told(q_WB, covariance_B=None):
    """Return the Told of lists of attitudes and covariances; None: it tells no covariance."""
    q_WB = np.array(q_WB)
    if covariance_B is None:
        return Told(q_WB, np.full((len(q_WB), 3, 3), np.nan))
    return Told(q_WB, np.array(covariance_B))


# --- each instant alone; filters of ahrs ----------------------------------------------------


def wahba(flight):
    """Wahba's problem of the directions of an instant, by SciPy; between them the gyroscope."""
    q_WB, found = flight.begun.q_WB, []
    for step in flight.steps:
        q_WB = turned(q_WB, step.seconds * step.rate_B)
        if len(step.directions) > 1:
            body, world, sigma = zip(*step.directions, strict=True)
            best, _ = Rotation.align_vectors(world, body, 1.0 / np.square(sigma))
            q_WB = np.roll(best.as_quat(), 1)
        found.append(q_WB)
    return told(found)


def _two(step):
    """Return the two directions of a step, twice the one if there is one alone; None of none."""
    if not step.directions:
        return None
    return step.directions[0], step.directions[-1]


def ahrs_roleq(flight):
    """`ahrs.filters.ROLEQ`, whose references are set at each instant; it estimates no bias."""
    from ahrs.filters import ROLEQ

    roleq, q_WB, found = ROLEQ(magnetic_ref=np.ones(3)), np.array(flight.begun.q_WB), []
    for step in flight.steps:
        pair = _two(step)
        if pair is None:
            q_WB = roleq.attitude_propagation(q_WB, step.rate_B, step.seconds)
        else:
            weights = np.array([1.0 / one.sigma**2 for one in pair])
            roleq.a, (roleq.a_ref, roleq.m_ref) = weights / weights.sum(), (p.unit_W for p in pair)
            q_WB = roleq.update(q_WB, step.rate_B, *(p.unit_B for p in pair), step.seconds)
        found.append(q_WB)
    return told(found)


def ahrs_ekf(flight):
    """`ahrs.filters.EKF`, whose references are set at each instant.

    Its first vector need not be the vertical. It estimates no bias: the bias counts as noise.
    """
    from ahrs.filters import EKF

    own, begun = flight.gyroscope, flight.begun
    ekf = EKF(magnetic_ref=np.ones(3), P=quaternion_covariance(begun.q_WB, begun.covariance))
    q_WB, found, covariances = np.array(begun.q_WB), [], []
    for step in flight.steps:
        noise = own.rate_noise**2 / step.seconds + own.bias_sigma**2
        pair = _two(step)
        if pair is None:  # it cannot predict alone: a direction that says nothing
            x_axis = np.eye(3)[0]
            pair = (Direction(x_axis, x_axis, 1e6),)
        ekf.g_noise, ekf.noises = noise, [noise, *(one.sigma**2 for one in pair)]
        ekf.a_ref, ekf.m_ref = pair[0].unit_W, pair[-1].unit_W
        ekf.mag = None if len(pair) < 2 or pair[0] is pair[1] else pair[1].unit_B  # noqa: PLR2004
        q_WB = ekf.update(q_WB, step.rate_B, pair[0].unit_B, ekf.mag, step.seconds)
        found.append(q_WB)
        G = quaternion_rows(q_WB)
        covariances.append(4.0 * G @ ekf.P @ G.T)
    return told(found, covariances)


def quaternion_rows(q):
    """Return G (3, 4): a small rotation vector in body axes is 2 G dq."""
    w, x, y, z = q
    return np.array(((-x, w, z, -y), (-y, -z, w, x), (-z, y, -x, w)))


def quaternion_covariance(q, covariance):
    """Return the covariance (4, 4) of a quaternion; positive also along it."""
    G = quaternion_rows(q)
    return 0.25 * G.T @ covariance[:3, :3] @ G + 1e-12 * np.eye(4)


# --- filterpy -------------------------------------------------------------------------------


class _Unscented:
    """`filterpy.kalman.UnscentedKalmanFilter` of the errors of attitude and gyroscope bias.

    J. L. Crassidis, F. L. Markley, J. Guidance 26 (2003) 536: after each step the mean error turns
    the attitude, and begins at zero again. The model of the gyroscope is that of our filter; what
    filters is filterpy.
    """

    def __init__(self, flight):
        from filterpy.kalman import MerweScaledSigmaPoints, UnscentedKalmanFilter

        begun = flight.begun
        self._points = MerweScaledSigmaPoints(6, alpha=0.1, beta=2.0, kappa=0.0)
        self._ukf = UnscentedKalmanFilter(6, 3, 1.0, None, None, self._points)
        self._ukf.P, self._own = begun.covariance[:6, :6].copy(), flight.gyroscope
        self.q_WB, self._bias_B = np.array(begun.q_WB), np.array(begun.gyro_bias_B)

    @property
    def covariance_B(self):
        """Covariance (3, 3) of the attitude."""
        return self._ukf.P[:3, :3].copy()

    def predict(self, step):
        """Turn by the gyroscope."""
        h, own = step.seconds, self._own
        drift = own.bias_walk**2 * h
        self._ukf.Q = np.kron(
            [[own.rate_noise**2 * h + drift * h * h / 3.0, -0.5 * drift * h],
             [-0.5 * drift * h, drift]], np.eye(3),
        )  # fmt: skip
        rate_B = step.rate_B - self._bias_B
        ahead = turned(self.q_WB, h * rate_B)
        before, self.q_WB = self.q_WB, ahead

        def moved(error, _):
            q_WB = turned(turned(before, error[:3]), h * (rate_B - error[3:]))
            return np.concatenate((rotations.rotation_between(ahead, q_WB), error[3:]))

        self._ukf.predict(h, fx=moved)
        self._fold()

    def correct(self, measured, covariance, expected):
        """Take a measurement (3,); expected: function of an attitude."""
        self._ukf.sigmas_f = self._points.sigma_points(self._ukf.x, self._ukf.P)
        self._ukf.update(
            measured, R=covariance, hx=lambda error: expected(turned(self.q_WB, error[:3]))
        )
        self._fold()

    def _fold(self):
        """Turn the attitude by the mean error, and correct the bias by it."""
        self.q_WB = turned(self.q_WB, self._ukf.x[:3])
        self._bias_B = self._bias_B + self._ukf.x[3:]
        self._ukf.x = np.zeros(6)

    def advance(self, step, *, with_attitudes=True):
        """Take a step; with_attitudes: also its attitudes."""
        self.predict(step)
        for attitude in step.attitudes if with_attitudes else ():
            here = self.q_WB
            self.correct(
                rotations.rotation_between(here, attitude.q_WB), attitude.covariance_B,
                lambda q_WB: rotations.rotation_between(here, q_WB),  # noqa: B023 (used at once)
            )  # fmt: skip
        for seen in step.directions:
            self.correct(
                seen.unit_B, seen.sigma**2 * np.eye(3),
                lambda q_WB: rotations.rotate(rotations.conjugate(q_WB), seen.unit_W),  # noqa: B023
            )  # fmt: skip


def filterpy_ukf(flight, late=0):
    """Filterpy's unscented filter, with attitudes as rotation vectors and directions as vectors.

    late: how many steps later attitudes come. After each step it tells what it knew then
    """
    whole, found, covariances = _Unscented(flight), [], []
    for k in range(len(flight.steps)):
        if k >= late:
            whole.advance(flight.steps[k - late])
        now = copy.deepcopy(whole) if late else whole
        for recent in flight.steps[max(k - late + 1, 0) : k + 1] if late else ():
            now.advance(recent, with_attitudes=False)
        found.append(now.q_WB)
        covariances.append(now.covariance_B)
    return told(found, covariances)
