# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_estimator of a scenario without its node, with the same bits as in lockstep."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.configuration import attitude_estimator
from spacecraft_attitude_sim.core.simulation.incoming import names_heard, readings_at

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.estimation.settings import Estimate
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant


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
        self._names = names_heard(settings.sensors)

    def take(self, instant: Instant) -> OnboardEstimate | None:
        """Return the OnboardEstimate after the readings of an Instant; None before any."""
        estimate = self.estimator.take(readings_at(instant, self._names), instant.stamp)
        if estimate is None:
            return None
        return OnboardEstimate(estimate, *estimate.in_sensor(self.q_BS))
