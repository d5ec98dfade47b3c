# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_controller of a scenario without its node, answering at once as in lockstep."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import attitude_controller
from spacecraft_attitude_sim.core.control.allocation import GIMBALS, THRUSTERS, WHEELS
from spacecraft_attitude_sim.core.control.attitude_loop import NOTHING_ASKED, POINTINGS, Reading
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.core.mission import orders
from spacecraft_attitude_sim.core.mission.quantities import SIGMA, largest_sigma
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.flight.onboard_estimator import OnboardEstimate, OnboardEstimator
from spacecraft_attitude_sim.flight.onboard_guidance import OnboardGuidance
from spacecraft_attitude_sim.flight.onboard_mission import OnboardMission
from spacecraft_attitude_sim.flight.readings import Readings
from spacecraft_attitude_sim.flight.replaced import (
    NOTHING,
    Replaced,
    UserEstimator,
    UserGuidance,
    asked_law,
)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core import sensors
    from spacecraft_attitude_sim.core.estimation.settings import Estimate
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant

NONE = np.zeros(0)
# {kind of Allocation: what commands it}
PARTS = {GIMBALS: 'gimbal_rate', THRUSTERS: 'thrust', WHEELS: 'wheel_torque'}


class OnboardController:
    """Answers the Instants of a run as the attitude_controller node answers its sensor topics.

    replaced: what a user has in place of estimator, guidance and law

    commanded: names of what it commands, as of Simulation.step
    estimate: the latest of the estimator aboard, None without one or before any
    mission: OnboardMission, or None
    """

    def __init__(self, scenario: Scenario, replaced: Replaced = NOTHING) -> None:
        own = scenario.controller
        assert own is not None, 'a scenario with an attitude_controller'
        self._plant = scenario.plant
        self._allocation = attitude_controller.allocation(own)
        self._loop = attitude_controller.loop(own)
        self._magnetic = attitude_controller.magnetic_loop(
            own, self._loop.settings, self._allocation
        )
        self._delay = attitude_controller.command_delay(self._loop.settings, self._allocation)
        self._rate = 0.0
        self._estimator = _estimator(scenario, replaced)
        self._guidance: OnboardGuidance | UserGuidance | None = None
        if self._loop.settings.guided:
            own_guidance = replaced.guidance and UserGuidance(replaced.guidance)
            self._guidance = own_guidance or OnboardGuidance(scenario)
        if replaced.law:
            self._loop.ask(asked_law(replaced.law))
        follows = own[attitude_controller.MISSION]
        self.mission = OnboardMission(scenario) if follows else None
        self._driven = self._places()
        latencies = scenario.sensors.latencies
        most = max(latencies.get('imu', 0), latencies.get('magnetometer', 0))
        self._past: deque[Array] = deque(maxlen=1 + most)  # joints of the last instants
        self.commanded: list[str] = []
        self.estimate: Estimate | None = None
        if self._allocation:
            self.commanded.append(PARTS[self._allocation.kind])
        if self._magnetic:
            self.commanded.append('dipole')
        elif not self._allocation:
            self.commanded.append('torque')

    def answer(self, instant: Instant) -> dict[str, Any]:
        """Return {argument of Simulation.step: value} that answers an Instant."""
        read = instant.readings
        assert read is not None, 'an instant that was read'
        given: dict[str, Any] = {}
        joints, speeds = self._joints(instant)
        self._past.append(joints)
        estimate = self._estimator.take(instant) if self._estimator else None
        self.estimate = estimate.estimate if estimate else None
        now, stamp = instant.stamp, instant.stamp_of('imu')
        reading = _reading(stamp, read, estimate) if 'imu' in read.new else None
        if self.mission:
            self._obey(self.mission, instant, speeds, reading, estimate)
        if reading and self._is_ordered(now, stamp):
            answer = self._answer_motion(now, reading, self._joints_then(read, 'imu'))
            if 'imu' not in read.delivery.overdue:
                given |= answer
        if self._magnetic and 'magnetometer' in read.new:
            stamp = instant.stamp_of('magnetometer')
            if self._is_ordered(now, stamp):
                joints = self._joints_then(read, 'magnetometer')
                answer = self._answer_field(now, stamp, read.magnetic_field_S, joints)
                if 'magnetometer' not in read.delivery.overdue:
                    given |= answer
        return given

    def _joints_then(self, read: sensors.Readings, sensor: str) -> Array:
        """Return the joints when the reading was made that comes of a sensor."""
        age = read.delivery.ages.get(sensor, 0)
        return self._past[-1 - min(age, len(self._past) - 1)]

    def _is_ordered(self, now: int, stamp: int) -> bool:
        """Return whether there is an order for a reading of a time [ns], if orders are followed.

        The mission orders for the present time: what comes late has none.
        """
        return not self.mission or stamp == now

    def _answer_motion(self, now: int, reading: Reading, joints: Array) -> dict[str, Any]:
        """Return what answers a reading of the IMU, or the estimate in its place, at a time [ns].

        A simulator in lockstep takes no answer to a reading that a fault makes late.
        """
        stamp = reading.time_ns
        if self._guidance:
            self._guidance.guide(self._loop, stamp)
        # With the time, as a node has it: after a silence of the IMU it is not doubted.
        answer = self._loop.answer(reading, now or None)
        if answer is None:  # it is too old
            return {}
        if self.mission:
            error_B = orders.pointing_error(reading, answer, self._loop.settings.q_BS)
            self.mission.knowledge.take_error(stamp, error_B)
        self._rate = norm(reading.omega_S.tolist())
        if answer.time_ns != stamp:  # too old, and nothing newer is known
            self._delay.clear()
            return {}
        value: Any
        if self._allocation:
            values, _ = self._allocation.commands(answer, joints)
            self._loop.heed(self._allocation, values)
            values = self._delay.due(stamp, values)
            # By name: it may name some of the actuators, in an order of its own.
            value = dict(zip(self._allocation.names, values, strict=True))
        elif 'torque' in self.commanded:
            value = self._delay.due(stamp, answer.torque_B)
        else:
            return {}
        return {self.commanded[0]: value}

    def _answer_field(
        self, now: int, stamp: int, field_S: Vector3 | None, joints: Array
    ) -> dict[str, Any]:
        """Return what answers, at a time [ns], a reading of the magnetometer of another."""
        assert self._magnetic and field_S is not None, 'a dipole answers a reading'
        if self._loop.untimely(stamp, now or None):
            return {}
        dipole = self._magnetic.answer(stamp, field_S, joints, self._rate)
        return {'dipole': dipole.dipole_B} if dipole else {}

    def _obey(
        self,
        mission: OnboardMission,
        instant: Instant,
        speeds: Array,
        reading: Reading | None,
        estimate: OnboardEstimate | None,
    ) -> None:
        """Let the mission decide, and controller and guidance do what its mode commands."""
        sigma = math.nan
        if self._estimator and estimate and mission.machine.sees(SIGMA):
            covariance_S = estimate.estimate.covariance_S(self._estimator.q_BS)
            sigma = largest_sigma(covariance_S)
        decision = mission.take(instant, speeds, reading, sigma)
        if decision is None:
            return
        orders.obey(decision.order, self._loop, self._magnetic)
        if self._guidance:
            self._guidance.guidance.fly(decision.order.profile, seconds_of(instant.stamp, 1))

    def prepare(self, instant: Instant) -> None:
        """Compile what turns a torque into commands: it may not be asked for at first."""
        if self._allocation:
            self._allocation.commands(NOTHING_ASKED, self._joints(instant)[0])

    @property
    def times_cut(self) -> int:
        """How many torques its own limit has cut."""
        return self._loop.saturated

    def begin(self, stamp: int) -> None:
        """Let the reference move from a time [ns] on, without a reading."""
        self._loop.begin(stamp)

    def reference_at(self, stamp: int) -> Quaternion | None:
        """Return the attitude (4,) pointed at, at a time [ns]; None where it points nowhere."""
        if self._loop.settings.mode_at(stamp) not in POINTINGS:
            return None
        if self._guidance:
            return self._guidance.attitude_at(stamp)
        return self._loop.reference_at(stamp)[0:4]

    def _joints(self, instant: Instant) -> tuple[Array, Array]:
        """Return angles or wheel speeds of the driven joints, as in joint_states.

        Behind them the speeds (N,) of all wheels that the mission sees [rad/s].
        """
        drives = self._allocation.kind if self._allocation else None
        if drives == GIMBALS:
            return Readings(self._plant, instant).gimbal_angle[self._driven], NONE
        if drives != WHEELS and not (self.mission and self.mission.sees_wheels):
            return NONE, NONE
        craft = self._plant.under(instant.inputs.faults).spacecraft
        speeds = craft.said_speeds(instant.state)
        return speeds[self._driven], speeds

    def _places(self) -> list[int]:
        """Return where the driven gimbals or wheels stand among all; nowhere for thrusters."""
        allocation, craft = self._allocation, self._plant.spacecraft
        if not allocation or allocation.kind == THRUSTERS:
            return []
        gimbals = allocation.kind == GIMBALS
        every = craft.part('control_moment_gyros' if gimbals else 'reaction_wheels').names
        return [every.index(name) for name in allocation.names]


def _estimator(scenario: Scenario, replaced: Replaced) -> OnboardEstimator | UserEstimator | None:
    """Return the estimator aboard: that of a user, of the scenario, or none."""
    if replaced.estimator:
        return UserEstimator(scenario, replaced.estimator)
    return OnboardEstimator(scenario) if scenario.estimator else None


def _reading(stamp: int, read: sensors.Readings, estimate: OnboardEstimate | None) -> Reading:
    """Return what a controller reads: the IMU's reading, or the estimate in its place."""
    if estimate:
        return Reading(stamp, estimate.q_WS, estimate.omega_S)
    imu = read.imu
    return Reading(stamp, imu.q_WS, imu.angular_velocity_S)
