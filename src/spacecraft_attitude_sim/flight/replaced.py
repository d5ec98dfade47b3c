# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Estimator, guidance and law of a user in place of those that a scenario has aboard.

    estimator(readings) -> attitude, rate       guidance(time) -> attitude, rate, acceleration
    law(attitude, rate, reference) -> torque

What is not replaced flies as the scenario says: actuators, unloading, modes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.estimation.settings import Estimate
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.flight.onboard_estimator import OnboardEstimate
from spacecraft_attitude_sim.flight.readings import Readings

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.control.attitude_loop import AttitudeLoop
    from spacecraft_attitude_sim.core.sensors.star_tracker import Solution
    from spacecraft_attitude_sim.core.simulation import Instant

UNKNOWN = np.full((6, 6), np.nan)
UNKNOWN.flags.writeable = False


class Replaced(NamedTuple):
    """Functions of a user; None leaves what the scenario has.

    law: function of attitude q_WB (4,), rate (3,) [rad/s] in body axes and control_law.Reference,
        which returns the torque (3,) on the body [N m], body axes. It is asked where the
        controller points and the attitude is known
    estimator: function of Readings that returns attitude q_WB (4,) or None, rate (3,) [rad/s] in
        body axes, and if it knows it the covariance (3, 3) of the attitude [rad^2]; or None, for
        no attitude and the rate of the gyroscope
    guidance: function of a time [s] that returns the attitude q_WR (4,), its rate (3,) and its
        acceleration (3,) in its own axes [rad/s, rad/s^2]; with a mission its method
        `fly(profile, time)` hears which profile is wanted
    """

    law: Callable[..., Any] | None = None
    estimator: Callable[..., Any] | None = None
    guidance: Callable[..., Any] | None = None


NOTHING = Replaced()


class UserEstimator:
    """Takes the Instants of a run as OnboardEstimator does, and asks a function of Readings.

    q_BS: (4,) mounting of the IMU
    """

    def __init__(self, scenario: Scenario, ask: Callable[..., Any]) -> None:
        self._plant, self._ask = scenario.plant, ask
        self._solution: Solution | None = None
        self.q_BS = np.array(scenario.parameters['imu.orientation'])

    def take(self, instant: Instant) -> OnboardEstimate:
        """Return the OnboardEstimate after the readings of an Instant.

        Raises ValueError for an answer that is none.
        """
        readings = Readings(self._plant, instant, self._solution)
        if instant.readings and instant.readings.solution:
            self._solution = instant.readings.solution
        nothing = None, rotations.rotate(self.q_BS, readings.angular_velocity)
        q_WB, rate, *more = self._ask(readings) or nothing
        known = None if q_WB is None else _array(q_WB, 4, 'the attitude of the estimator')
        covariance = UNKNOWN.copy()
        if more:
            covariance[:3, :3] = _array(more[0], (3, 3), 'the covariance of the estimator')
        omega_B = _array(rate, 3, 'the rate of the estimator')
        none = np.zeros(3)
        estimate = Estimate(instant.stamp, known, omega_B, none, none, covariance, UNKNOWN[:3, :3])
        return OnboardEstimate(estimate, *estimate.in_sensor(self.q_BS))


class UserGuidance:
    """Says the reference of each time to an AttitudeLoop, as OnboardGuidance does."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self.guidance, self._ask = self, ask
        self._last: tuple[int, Reference] | None = None  # of a stamp [ns]: each is asked for once

    def fly(self, profile: str, time: float) -> None:
        """Tell the function of a profile that a mission wants at a time [s]."""
        if callable(hear := getattr(self._ask, 'fly', None)):
            hear(profile, time)

    def guide(self, loop: AttitudeLoop, stamp: int) -> None:
        """Give a loop the reference that its reading of a time [ns] needs; ValueError."""
        if loop.needs_guide(stamp):
            loop.guide(self._at(stamp), stamp)

    def attitude_at(self, stamp: int) -> Quaternion:
        """Return the attitude q_WR (4,) wanted at a time [ns]."""
        return self._at(stamp).q_WR

    def _at(self, stamp: int) -> Reference:
        if self._last is None or self._last[0] != stamp:
            parts = zip(self._ask(seconds_of(stamp, 1)), (4, 3, 3), strict=True)
            what = 'the reference of guidance'
            self._last = stamp, Reference(*(_array(part, size, what) for part, size in parts))
        return self._last[1]


def asked_law(law: Callable[..., Any]) -> Callable[..., Vector3]:
    """Return a law whose answer is checked: ValueError for one that is no torque."""

    def torque(q_WB: Quaternion, omega_B: Vector3, reference: Reference) -> Vector3:
        return _array(law(q_WB, omega_B, reference), 3, 'the torque of the law')

    return torque


def _array(value: Any, shape: Any, what: str) -> Array:
    """Return finite numbers of a shape; ValueError that says what they are."""
    numbers = np.array(value, dtype=float)
    if numbers.shape != np.empty(shape).shape or not np.isfinite(numbers).all():
        raise ValueError(f'{what} is {value!r}; give finite numbers of shape {shape}')
    return numbers
