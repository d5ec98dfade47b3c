# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_estimator of a scenario without its node, with the same bits as in lockstep."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.configuration import attitude_estimator
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME, Reading
from spacecraft_attitude_sim.core.sensors.imu import RATE
from spacecraft_attitude_sim.core.sensors.star_tracker import StarTracker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.estimation.settings import Estimate
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant

STARS = StarTracker.name


class OnboardEstimate(NamedTuple):
    """An Estimate, and as an IMU reads it.

    q_WS: (4,) attitude, None where it is not known;  omega_S: (3,) rate [rad/s]
    """

    estimate: Estimate
    q_WS: Quaternion | None
    omega_S: Vector3


class OnboardEstimator:
    """Takes the Instants of a run as the attitude_estimator node takes its sensor topics.

    q_BS: (4,) mounting of the IMU
    """

    def __init__(self, scenario: Scenario) -> None:
        assert scenario.estimator is not None, 'a scenario with an attitude_estimator'
        self.estimator = attitude_estimator.estimator(scenario.estimator)
        self.q_BS = self.estimator.settings.gyroscope.q_BS

    def take(self, instant: Instant) -> OnboardEstimate | None:
        """Return the OnboardEstimate after the readings of an Instant; None before any."""
        estimate = self.estimator.take(self._readings(instant), instant.stamp)
        if estimate is None:
            return None
        return OnboardEstimate(estimate, *estimate.in_sensor(self.q_BS))

    def _readings(self, instant: Instant) -> Iterator[Reading]:
        """Yield the new readings of an Instant from sensors that the estimator knows."""
        read = instant.readings
        assert read is not None, 'an instant that was read'
        if 'imu' in read.new:
            rate_S = read.flat['imu'][RATE : RATE + 3]
            yield Reading(GYROSCOPE_NAME, instant.stamp, rate_S)
        if read.solution and STARS in self.estimator.settings.sensors:
            latency = read.tick - read.solution.measured
            yield Reading(STARS, instant.stamp - instant.ticks.stamp(latency), read.solution.q_WT)
        for name in self.estimator.settings.sensors:
            if name == STARS or name not in read.new or name in read.silent:
                continue
            flat = read.flat[name]
            # A direction stands behind SEES.
            yield Reading(name, instant.stamp, flat[1:] if len(flat) > 3 else flat)
