# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an estimator has learnt of the gyroscope's axes, and of the mountings of sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.estimation.kalman_filter import (
    COVARIANCE,
    DRIFT,
    GYRO_AXES,
    GYRO_BIAS,
    IDENTITY_ROWS,
    OFFSET,
    Places,
    without_axes,
)
from spacecraft_attitude_sim.core.mathematics import fixed_order, rotations

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3

AXES = 'xyz'
IDENTITY = np.eye(3)


class Learnt(NamedTuple):
    """An estimated error of a sensor, and its standard deviation; arrays of the same shape."""

    value: Array
    sigma: Array


class Calibration(NamedTuple):
    """What is learnt of axes and mountings.

    gyro_axes_S: (3, 3): the gyroscope reads (I + it) ω_S and the bias. On the diagonal are the
        scale factor errors, beside it the angle of each axis towards each other one [rad]. None
        where it is not estimated
    misalignments_S: {sensor: rotation vector (3,) in its axes, from its mounting as known to that
        as estimated [rad]}
    """

    gyro_axes_S: Learnt | None
    misalignments_S: dict[str, Learnt]

    def named(self) -> dict[str, tuple[float, float]]:
        """Return {name: (value, 1 sigma)} of each component."""
        components = {}
        if self.gyro_axes_S:
            for i, j in ((i, j) for i in range(3) for j in range(3)):
                name = f'scale_factor/{AXES[i]}' if i == j else f'misalignment/{AXES[i]}{AXES[j]}'
                value, sigma = (float(part[i, j]) for part in self.gyro_axes_S)
                components[f'gyroscope/{name}'] = value, sigma
        for sensor, (values, sigmas) in self.misalignments_S.items():
            for axis, value, sigma in zip(AXES, values, sigmas, strict=True):
                components[f'{sensor}/{axis}'] = float(value), float(sigma)
        return components


def unknown_bias(settings: Settings, seconds: float) -> Array:
    """Return the covariance (6, 6) that a bias which is unknown for some time adds.

    It is that of attitude and bias; neglected: how the body turns meanwhile.
    """
    by_turn = np.vstack((-seconds * IDENTITY, IDENTITY))
    return settings.gyroscope.bias_sigma**2 * (by_turn @ by_turn.T)


def calibration(flat: Array, settings: Settings) -> Calibration | None:
    """Return the Calibration of an estimate of kalman_filter; None where none is estimated."""
    if not settings.calibrates:
        return None
    n = settings.errors
    covariance = flat[COVARIANCE : COVARIANCE + n * n].reshape(n, n)
    mountings = flat[COVARIANCE + n * n : settings.places.noises].reshape(-1, 4)
    return of_parts(settings, flat[GYRO_AXES:COVARIANCE].reshape(3, 3), mountings, covariance)


def of_parts(
    settings: Settings, gyro_axes_S: Array, mountings: Array, covariance: Array
) -> Calibration | None:
    """Return the Calibration of parts of an estimate.

    gyro_axes_S: (3, 3);  mountings: (m, 4) of the sensors of Settings.mountings
    covariance: (n, n) of all errors
    """
    if not settings.calibrates:
        return None
    places, sigma = settings.places, np.sqrt(np.diag(covariance))
    axes = None
    if settings.gyroscope.calibrated:
        of_axes = sigma[places.axes : places.mountings].reshape(3, 3)
        axes = Learnt(gyro_axes_S.copy(), of_axes)
    misalignments = {}
    for name, number in settings.mountings.items():
        known, place = np.asarray(settings.sensors[name].q_BS), places.mountings + 3 * number
        turn = rotations.rotation_between(known, mountings[number])
        misalignments[name] = Learnt(turn, sigma[place : place + 3])
    return Calibration(axes, misalignments)


def mounting(flat: Array, places: Places, number: int) -> Quaternion:
    """Return the estimated mounting (4,) of a sensor; number: of Settings.mountings."""
    place = COVARIANCE + places.n**2 + 4 * number
    return flat[place : place + 4]


def put_mountings(flat: Array, settings: Settings) -> None:
    """Write the mountings of sensors, as the settings know them, to an estimate."""
    for name, number in settings.mountings.items():
        mounting(flat, settings.places, number)[:] = settings.sensors[name].q_BS


def rate(flat: Array, settings: Settings, omega_B: Vector3) -> Vector3:
    """Return a measured rate in body axes without the gyroscope's errors [rad/s]."""
    without_bias = omega_B - flat[GYRO_BIAS : GYRO_BIAS + 3]
    own = settings.gyroscope
    if not own.calibrated:
        return without_bias
    return np.array(without_axes(flat, tuple(own.q_BS), tuple(without_bias)))


def rate_covariance(flat: Array, settings: Settings, omega_B: Vector3, white: float) -> Array:
    """Return the covariance (3, 3) of `rate` in body axes [rad^2/s^2].

    omega_B: what `rate` returns [rad/s];  white: variance of the gyroscope's noise [rad^2/s^2]
    """
    n, places, own = settings.errors, settings.places, settings.gyroscope
    P = flat[COVARIANCE : COVARIANCE + n * n].reshape(n, n)
    if not own.calibrated:
        return P[DRIFT:OFFSET, DRIFT:OFFSET] + white * IDENTITY
    C_BS = rotations.dcm_from_quaternion(own.q_BS)
    A_B = np.array([without_axes(flat, tuple(own.q_BS), row) for row in IDENTITY_ROWS]).T
    rows = np.zeros((3, n))
    rows[:, DRIFT:OFFSET] = A_B
    omega_S = fixed_order.product(C_BS.T, omega_B)
    rows[:, places.axes : places.mountings] = np.kron(fixed_order.product(A_B, C_BS), omega_S)
    of_noise = white * fixed_order.product(A_B, A_B.T)
    whole: Array = fixed_order.product(fixed_order.product(rows, P), rows.T) + of_noise
    return whole


def ignorance(own: Settings) -> Array:
    """Return the estimate of one who knows nothing."""
    places = own.places
    n = places.n
    variances = np.zeros(n)
    variances[DRIFT : DRIFT + 3] = own.gyroscope.bias_sigma**2
    variances[OFFSET : places.axes] = own.field_bias_sigma**2
    if own.gyroscope.calibrated:
        variances[places.axes : places.mountings] = own.gyroscope.axes_sigma.ravel() ** 2
    for name, number in own.mountings.items():
        place = places.mountings + 3 * number
        variances[place : place + 3] = own.misaligned[name] ** 2
    estimate = np.zeros(places.size)
    estimate[0] = 1.0
    estimate[COVARIANCE : COVARIANCE + n * n] = np.diag(variances).ravel()
    put_mountings(estimate, own)
    return estimate
