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
        # Of all sensors that may be known, in the order in which the node hears them.
        self._names = ['imu', STARS, *(name for name in settings.sensors if name != STARS)]

    def take(self, instant: Instant) -> OnboardEstimate | None:
        """Return the OnboardEstimate after the readings of an Instant; None before any."""
        estimate = self.estimator.take(self._readings(instant), instant.stamp)
        if estimate is None:
            return None
        return OnboardEstimate(estimate, *estimate.in_sensor(self.q_BS))

    def _readings(self, instant: Instant) -> Iterator[Reading]:
        """Yield what comes at an Instant of sensors that the estimator knows."""
        read = instant.readings
        assert read is not None, 'an instant that was read'
        heard = read.new - read.silent
        for name in self._names:
            if name in heard and (name != STARS or read.solution):
                age = read.delivery.ages.get(name, 0)
                yield from self._reading(instant, name, age, read.flat[name])
        for name, message in read.delivery.belated:
            if message.says:
                yield from self._reading(instant, name, read.tick - message.made, message.reading)

    def _reading(self, instant: Instant, name: str, age: int, flat: Array) -> Iterator[Reading]:
        """Yield the Reading of a sensor, if the estimator knows it; age: [ticks]."""
        stamp = instant.stamp_before(age)
        if name == 'imu':
            yield Reading(GYROSCOPE_NAME, stamp, flat[RATE : RATE + 3])
        elif name not in self.estimator.settings.sensors:
            return
        elif name == STARS:
            latency = instant.elapsed - int(flat[0])  # from its image
            yield Reading(name, instant.stamp_before(latency), flat[1:])
        else:  # a direction stands behind SEES
            yield Reading(name, stamp, flat[1:] if len(flat) > 3 else flat)
