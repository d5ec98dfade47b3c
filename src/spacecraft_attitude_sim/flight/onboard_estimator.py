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
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.estimation.settings import Estimate
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
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
        settings = self.estimator.settings
        self.q_BS = settings.gyroscope.q_BS
        # Of all sensors that are known, in the order in which the node hears them.
        stars = [STARS] if STARS in settings.sensors else []
        self._names = ['imu', *stars, *(name for name in settings.sensors if name != STARS)]

    def take(self, instant: Instant) -> OnboardEstimate | None:
        """Return the OnboardEstimate after the readings of an Instant; None before any."""
        estimate = self.estimator.take(self._readings(instant), instant.stamp)
        if estimate is None:
            return None
        return OnboardEstimate(estimate, *estimate.in_sensor(self.q_BS))

    def _readings(self, instant: Instant) -> list[Reading]:
        """Return what comes at an Instant of sensors that the estimator knows."""
        read, stamp = instant.readings, instant.stamp
        assert read is not None, 'an instant that was read'
        new, silent, ages = read.new, read.silent, read.delivery.ages
        readings = []
        for name in self._names:
            if name in new and name not in silent and (name != STARS or read.solution):
                read_ns = instant.stamp_before(ages[name]) if name in ages else stamp
                readings.append(self._reading(instant, name, read_ns, read.flat[name]))
        for name, message in read.delivery.belated:
            if message.says and name in self._names:
                read_ns = instant.stamp_before(read.tick - message.made)
                readings.append(self._reading(instant, name, read_ns, message.reading))
        return readings

    def _reading(self, instant: Instant, name: str, stamp: int, flat: Array) -> Reading:
        """Return the Reading of a sensor that was made at a time [ns]."""
        if name == 'imu':
            return Reading(GYROSCOPE_NAME, stamp, flat[RATE : RATE + 3])
        if name == STARS:
            latency = instant.elapsed - int(flat[0])  # from its image
            return Reading(name, instant.stamp_before(latency), flat[1:])
        # A direction stands behind SEES.
        return Reading(name, stamp, flat[1:] if len(flat) > 3 else flat)
