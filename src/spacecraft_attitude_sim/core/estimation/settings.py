# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an estimator knows of its sensors, and what goes into and comes out of it."""

from __future__ import annotations

import functools
import math
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.estimation.kalman_filter import Places
from spacecraft_attitude_sim.core.estimation.replay import CELL, FILTER, FREEDOM, KNOWN
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.calibration import Calibration
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Floats,
        Quaternion,
        Vector3,
        VectorLike,
    )

GYROSCOPE_NAME = 'gyroscope'
# What a direction points at.
SUN, NADIR = 'sun', 'nadir'
# Most sensors of which the misalignment is estimated: the work grows with the cube of the errors.
MOST_MISALIGNED = 8
# Least and largest standard deviation of an error of the gyroscope's axes that is estimated.
LEAST_AXES, LARGEST_AXES = 1e-9, 0.05


@dataclass(frozen=True)
class KnownSensor:
    """A sensor as the estimator knows it.

    kind: ATTITUDE, FIELD, DIRECTION or CELL of replay
    q_BS: (4,) sensor to body; of a cell, x is its normal
    sigma: of each component from reading to reading: angles [rad], field [T], share of sunlight;
        positive
    constant: of its error that stays, as a bias does;  interval: between readings [s]
    target: SUN or NADIR of a direction;  efficacy: of a cell [lm/W]
    """

    kind: float
    q_BS: VectorLike
    sigma: Floats
    constant: Floats = (0.0, 0.0, 0.0)
    interval: float = 1.0
    target: str = SUN
    efficacy: float = 1.0

    @property
    def variance(self) -> Vector3:
        """Variance (3,) of one reading."""
        return np.square(self.sigma) + np.square(self.constant)

    def weight(self, correlation: float) -> Vector3:
        """Return the variance (3,) of one of many readings.

        An error that stays for `correlation` seconds and has the variance b² has the power of
        white noise of variance 2 b² correlation / interval, as many readings see it.
        """
        many = max(1.0, 2.0 * correlation / self.interval)
        return np.square(self.sigma) + many * np.square(self.constant)


@dataclass(frozen=True)
class Gyroscope:
    """The gyroscope as the estimator knows it.

    q_BS: (4,) sensor to body;  rate_noise: density of white noise [rad/√s]
    bias_walk: density of the bias's random walk [rad/s/√s]
    bias_sigma: standard deviation of the bias at the start, about each axis [rad/s]
    scale_sigma, misalignment_sigma: of the scale factor of each axis, and of its angle towards
        each other axis [rad], at the start; 0 both: they are not estimated

    Raises ValueError for a scale_sigma or misalignment_sigma that is too large.
    """

    q_BS: Quaternion = field(default_factory=lambda: np.array(IDENTITY))
    rate_noise: float = 1e-4
    bias_walk: float = 1e-7
    bias_sigma: float = 1e-3
    scale_sigma: float = 0.0
    misalignment_sigma: float = 0.0

    def __post_init__(self) -> None:
        """Refuse errors of the axes that are not small."""
        for name in ('scale_sigma', 'misalignment_sigma'):
            sigma = getattr(self, name)
            if not 0.0 <= sigma <= LARGEST_AXES:
                raise ValueError(f'{name} is {sigma:g}; give from 0 to {LARGEST_AXES:g}')

    @property
    def calibrated(self) -> bool:
        """Whether scale factors and misalignments are estimated."""
        return self.scale_sigma > 0.0 or self.misalignment_sigma > 0.0

    @property
    def axes_sigma(self) -> Array:
        """Standard deviations (3, 3) of the errors of its axes at the start."""
        scale, misalignment = (
            max(sigma, LEAST_AXES) for sigma in (self.scale_sigma, self.misalignment_sigma)
        )
        return np.where(np.eye(3) > 0.0, scale, misalignment)


@dataclass(frozen=True)
class Settings:
    """Settings of an AttitudeEstimator, constant.

    sensors: {name: KnownSensor}; at one instant they are taken in this order
    field_bias_sigma: of the magnetometer's bias at the start [T]; 0: it is not estimated
    field_bias_walk: [T/√s]
    false_alarm: probability that the gate refuses a good reading
    start_sigma: largest standard deviation of a first attitude [rad]
    start_ns: age of the oldest direction that a first attitude may use
    history_ns: age of the oldest reading that still counts
    gap_ns: longest time between readings of the gyroscope
    reset_ns: how long the gate may refuse all before the attitude is found anew
    sunlit_share: least share of sunlight of a cell that counts
    correlation: how long an error that stays is taken to stay [s]
    misaligned: {sensor: standard deviation of its misalignment about each axis at the start [rad]}
        of those of which it is estimated; the others define the axes of the body
    rows: most readings that are kept; 0: as many as EventHistory keeps by default

    Raises ValueError for a misalignment that can never be observed.
    """

    gyroscope: Gyroscope
    sensors: dict[str, KnownSensor]
    field_bias_sigma: float = 0.0
    field_bias_walk: float = 0.0
    false_alarm: float = 1e-4
    start_sigma: float = math.radians(15.0)
    start_ns: int = 600_000_000_000
    history_ns: int = 5_000_000_000
    gap_ns: int = 1_000_000_000
    reset_ns: int = 60_000_000_000
    sunlit_share: float = 0.1
    correlation: float = 100.0
    misaligned: dict[str, float] = field(default_factory=dict)
    rows: int = 0
    gates: dict[float, float] = field(init=False, repr=False, compare=False)
    places: Places = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the gates, quantiles of χ², and where the errors stand in the error state."""
        gates = {kind: self.limit(freedom) for kind, freedom in FREEDOM.items()}
        object.__setattr__(self, 'gates', gates)
        own = self.field_bias_sigma > 0.0, self.gyroscope.calibrated, len(self.misaligned)
        object.__setattr__(self, 'places', Places.of(*own))
        self._check_misaligned()

    def _check_misaligned(self) -> None:
        """Raise ValueError for a misalignment that can never be observed."""
        known, named = list(self.sensors), list(self.misaligned)
        for name, sigma in self.misaligned.items():
            if name not in self.sensors:
                raise ValueError(f"'{name}' is no sensor of the estimator, which has {known}")
            if self.sensors[name].kind == CELL:
                raise ValueError(
                    f"'{name}' is a Sun cell, which does not see how it is turned about its normal"
                )
            if not 0.0 < sigma < math.inf:
                raise ValueError(f"'{name}' has the standard deviation {sigma:g} rad; give more")
        if len(named) > MOST_MISALIGNED:
            raise ValueError(f'{len(named)} sensors are named; give at most {MOST_MISALIGNED}')
        if named and len(named) == len(known):
            raise ValueError(
                f'{named} are all sensors of the estimator, so none says where the axes of the '
                'body are; leave out the one that defines them'
            )

    def limit(self, freedom: int) -> float:
        """Return what χ² of so many degrees of freedom exceeds with probability false_alarm."""
        from scipy.special import chdtri

        return float(chdtri(freedom, self.false_alarm))

    def longest(self, sensor: KnownSensor) -> float:
        """Return the largest square of the difference of two lengths of a field [T^2]."""
        return float(self.gates[sensor.kind] * (max(sensor.variance) + self.field_bias_sigma**2))

    @property
    def errors(self) -> int:
        """Number of estimated errors."""
        return self.places.n

    @property
    def calibrates(self) -> bool:
        """Whether axes of the gyroscope or mountings are estimated."""
        return self.places.n > self.places.axes

    @property
    def mountings(self) -> dict[str, int]:
        """{sensor: number of its mounting in an estimate} of those that are misaligned."""
        named = (name for name in self.sensors if name in self.misaligned)
        return {name: number for number, name in enumerate(named)}

    def constants(self, carried: bool = True) -> Array:
        """Return the constants of replay.replay; carried: as of replay.FILTER."""
        own, mountings = self.gyroscope, self.mountings
        noise = own.rate_noise, own.bias_walk, self.field_bias_walk
        head = FILTER.packed(
            places=self.places, noise=noise, q_BS=own.q_BS, correlation=self.correlation,
            gap=self.gap_ns, reset=self.reset_ns, sunlit_share=self.sunlit_share,
            rate_variance=own.rate_noise**2, carried=float(carried),
        )  # fmt: skip
        rows = [
            KNOWN.packed(
                q_BS=sensor.q_BS, variance=sensor.variance, weight=sensor.weight(self.correlation),
                gate=self.gates[sensor.kind], biased=float(self.field_bias_sigma > 0.0),
                misaligned=1.0 + mountings.get(name, -1), kind=sensor.kind,
                nadir=float(sensor.target == NADIR), efficacy=sensor.efficacy,
                longest=self.longest(sensor),
            )
            for name, sensor in self.sensors.items()
        ]  # fmt: skip
        return np.concatenate((head, *rows))


class Reading(NamedTuple):
    """What a sensor measured.

    sensor: name of one of Settings.sensors, or GYROSCOPE_NAME;  time_ns: of the measurement
    values: q_WS (4,), rate [rad/s], field [T] or direction (3,) in the sensor's axes, or
        illuminance (1,) [lx]
    """

    sensor: str
    time_ns: int
    values: VectorLike


class Judgement(NamedTuple):
    """What became of a measurement that was compared with the estimate.

    residual: (3,) measured minus expected, zeros for components that it has not
    nis: normalised innovation squared: χ² of `freedom` degrees of freedom
    gate: its largest value of a measurement that is taken;  taken: whether this one was
    """

    sensor: str
    time_ns: int
    residual: Vector3
    nis: float
    freedom: int
    gate: float
    taken: bool


class Estimate(NamedTuple):
    """What is known after the latest reading of the gyroscope.

    time_ns: of it;  q_WB: (4,) attitude, None where it is not known
    omega_B: (3,) rate without the bias [rad/s];  gyro_bias_B: (3,) [rad/s]
    field_bias_S: (3,) of the magnetometer in its axes [T], zeros where it is not estimated
    covariance: (n, n) of the n errors: rotation vector in body axes [rad], bias of the gyroscope
        [rad/s], and if estimated bias of the magnetometer [T], errors of the gyroscope's axes row
        by row, misalignment of each sensor [rad]
    rate_covariance_B: (3, 3) of omega_B [rad^2/s^2]
    judgements: of the measurements that came with it, or late before it
    calibration: of axes and mountings, None where none is estimated
    """

    time_ns: int
    q_WB: Quaternion | None
    omega_B: Vector3
    gyro_bias_B: Vector3
    field_bias_S: Vector3
    covariance: Array
    rate_covariance_B: Array
    judgements: tuple[Judgement, ...] = ()
    calibration: Calibration | None = None

    def covariance_S(self, q_BS: Quaternion) -> Array:
        """Return the covariance (9,) of the attitude about the axes of a sensor [rad^2].

        q_BS: (4,) of its mounting
        """
        return turned(self.covariance[:3, :3], q_BS)

    @property
    def sigma(self) -> Vector3:
        """Standard deviations (3,) of the attitude about the axes of the body [rad]."""
        return np.sqrt(np.diag(self.covariance)[:3])

    def in_sensor(self, q_BS: Quaternion) -> tuple[Quaternion | None, Vector3]:
        """Return attitude (4,) or None, and rate (3,) [rad/s], as an IMU would measure them.

        q_BS: (4,) of its mounting
        """
        q_WS = None if self.q_WB is None else rotations.compose(self.q_WB, q_BS)
        return q_WS, rotations.rotate(rotations.conjugate(q_BS), self.omega_B)


def turned(covariance_B: Array, q_BS: Quaternion) -> Array:
    """Return a covariance (9,), row by row, about the axes of a sensor.

    covariance_B: (3, 3) body axes;  q_BS: (4,) of its mounting
    """
    C_BS = _dcm(*map(float, q_BS))
    return (C_BS.T @ covariance_B @ C_BS).ravel()


@functools.lru_cache
def _dcm(*q_BS: float) -> Array:
    """Return C_BS (3, 3) of a mounting, which is constant."""
    C_BS = rotations.dcm_from_quaternion(q_BS)
    C_BS.flags.writeable = False
    return C_BS
