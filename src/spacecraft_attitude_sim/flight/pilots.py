# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Missions and guidance of the craft of a batch: what their compiled controllers are to do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import attitude_controller
from spacecraft_attitude_sim.core.batch.attitude_law_layout import ESTIMATE, ORDER
from spacecraft_attitude_sim.core.batch.followed import Followed
from spacecraft_attitude_sim.core.control.attitude_loop import (
    MODES,
    NO_TORQUE,
    POINTING,
    POINTINGS,
    UNTURNED,
    Answer,
    Reading,
    is_usable,
)
from spacecraft_attitude_sim.core.control.control_law import GRADIENT
from spacecraft_attitude_sim.core.estimation.settings import turned
from spacecraft_attitude_sim.core.guidance.profiles import Aligned
from spacecraft_attitude_sim.core.mission import orders, quantities
from spacecraft_attitude_sim.core.sensors.imu import READING as IMU
from spacecraft_attitude_sim.core.sensors.imu import Imu
from spacecraft_attitude_sim.core.sensors.sensor import SEES
from spacecraft_attitude_sim.core.sensors.suite import Readings
from spacecraft_attitude_sim.core.simulation import Instant
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.flight.onboard_guidance import OnboardGuidance
from spacecraft_attitude_sim.flight.onboard_mission import OnboardMission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.estimators import Estimators
    from spacecraft_attitude_sim.core.batch.law import Present
    from spacecraft_attitude_sim.core.batch.sensors import Sensors
    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.guidance.ephemeris import Ephemeris
    from spacecraft_attitude_sim.core.guidance.motion import Profile
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion
    from spacecraft_attitude_sim.core.ticks import Ticks

MODE, UNLOADS = ORDER.places('mode', 'unloads')
REFERENCE, POINTED, ANEW = ORDER.of('reference'), ORDER.of('pointed'), ORDER.at('anew')
Q_WS, OMEGA_S = ESTIMATE.of('q_WS'), ESTIMATE.of('omega_S')
ANSWERED, RATE = 'imu', 'angular_velocity_S'
NOWHERE = np.full(4, np.nan)


class Pilots:
    """The missions and guidance of N craft, beside their estimators; a core.batch.law.Aboard.

    places: Ephemeris of the guidance of each, None without one
    """

    orders = True

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        estimators: Estimators | Imus,
        places: Sequence[Ephemeris | None],
    ) -> None:
        self._estimators = estimators
        known = [own.gyroscope.q_BS for own in estimators.settings]
        mountings = known or [UNTURNED] * len(scenarios)
        self._each = [Pilot(*own) for own in zip(scenarios, places, mountings, strict=True)]
        self._followed = Followed(len(scenarios))
        self.sees_wheels = any(pilot.sees_wheels for pilot in self._each)

    @property
    def settings(self) -> Sequence[Settings]:
        """The Settings of the estimators."""
        return self._estimators.settings

    @property
    def hear(self) -> Any:
        """What hears of the estimates after each tick."""
        return self._estimators.hear

    @hear.setter
    def hear(self, heard: Any) -> None:
        self._estimators.hear = heard

    def before(self, now: Present, rows: Array, speeds: Array) -> None:
        """Write the ESTIMATE and the ORDER of each craft at an instant."""
        estimates, ordered = rows[:, : ESTIMATE.size], rows[:, ESTIMATE.size :]
        self._estimators.before(now, estimates, speeds)
        gone, followed = self._estimators.gone.tolist(), self._followed
        covariances_B = self._estimators.covariances_B
        stamps = (now.tick - now.starts) * now.ticks.tick_ns
        times = [seconds_of(stamp, 1) for stamp in stamps.tolist()]
        follows = [pilot.follows(time) for pilot, time in zip(self._each, times, strict=True)]
        followed.compute(np.array(times), np.array(follows))
        known = followed.known.tolist()
        for n, pilot in enumerate(self._each):
            if gone[n]:
                continue
            tick = int(now.tick - now.starts[n])
            instant = pilot.instant(n, tick, now.ticks, now.sensors, now.unusual.get(n))
            reference, pointed = None, followed.motions[n, :4]
            if known[n]:
                reference, pilot.behind = followed.references[n], times[n]
            else:
                pilot.catch_up()
                pointed = pilot.pointed_at(instant.stamp)
            ordered[n, POINTED] = pointed
            wheels = speeds[n] if self.sees_wheels else speeds
            pilot.order(instant, estimates[n], wheels, covariances_B[n], reference, ordered[n])
            followed.follow(n, pilot.profile)

    def pointed_at(self, tick: int, clock: Ticks) -> Array:
        """Return what each points at after so many ticks (N, 4), NaN where it points nowhere."""
        return np.array([pilot.pointed_at(clock.stamp(tick)) for pilot in self._each])


class Imus:
    """The IMUs of N craft in the place of estimators."""

    orders = sees_wheels = False
    settings: Sequence[Settings] = ()
    hear: Any = None

    def __init__(self, count: int) -> None:
        self.covariances_B = np.full((count, 9), np.nan)
        self.gone = np.zeros(count, dtype=bool)

    def before(self, now: Present, rows: Array, speeds: Array) -> None:
        """Write what the IMUs read last, as an ESTIMATE of each craft."""
        read = now.sensors.readings_of(Imu)
        self.gone[:] = np.isnan(read[:, 0])
        rows[:, 0] = 1.0
        rows[:, Q_WS], rows[:, OMEGA_S] = read[:, IMU.of('q_WS')], read[:, IMU.of(RATE)]

    def pointed_at(self, tick: int, clock: Ticks) -> Array:
        """Return what each points at: nobody asks, for they give no orders."""
        raise NotImplementedError


class Pilot:
    """Mission and guidance of one craft.

    places: Ephemeris of its guidance, None without one: then its controller has a reference
    q_BS: (4,) mounting of the IMU as its estimator knows it

    sees_wheels: whether its mission needs their speeds
    """

    def __init__(self, scenario: Scenario, places: Ephemeris | None, q_BS: Quaternion) -> None:
        own = scenario.controller
        assert own, 'a scenario with an attitude_controller'
        self._loop = attitude_controller.loop(own)
        self._magnetic = attitude_controller.magnetic_loop(
            own, self._loop.settings, attitude_controller.allocation(own)
        )
        self._guidance = OnboardGuidance(scenario, places) if scenario.guidance else None
        gains = self._loop.settings.gains
        self._gains = gains.flat() if gains.integral_time > 0.0 else None
        self._begun = False  # whether its own reference moves
        self._mission = OnboardMission(scenario) if own[attitude_controller.MISSION] else None
        self.sees_wheels = bool(self._mission and self._mission.sees_wheels)
        # {mode of the mission: the quantities of the conditions that are asked in it}
        self._uses: dict[str, set[str]] = {}
        self._mode = ''
        self._names = {ANSWERED, 'magnetometer'}
        if scenario.mission and self._mission:
            table = self._mission.machine.table
            for name, mode in table.modes.items():
                asked = (*table.anywhere, *mode.transitions)
                self._uses[name] = {each for transition in asked for each in transition.names}
            for labels in ('sun_sensors', 'sun_cells'):
                self._names |= {f'sun_sensor/{label}' for label in scenario.mission[labels]}
        self._q_BS = q_BS
        self._sensors: list[tuple[str, int, slice, bool]] | None = None
        # Name and profile that are followed, and until when [s]; None in a slew. And the last time
        # at which it was followed without a question to guidance [s], or None.
        self.behind: float | None = None
        self._course: tuple[str, Profile, float] | None = None

    @property
    def profile(self) -> Aligned | None:
        """The profile of two directions that is followed, if it is one."""
        profile = self._course[1] if self._course else None
        return profile if isinstance(profile, Aligned) else None

    def follows(self, time: float) -> bool:
        """Return whether the profile is still followed at a time [s]."""
        return self.profile is not None and bool(self._course and time < self._course[2])

    def pointed_at(self, stamp: int) -> Quaternion:
        """Return the attitude pointed at, at a time [ns], before an order for it; NaN if none."""
        if self._loop.settings.mode_at(stamp) not in POINTINGS:
            return NOWHERE
        if self._guidance:
            return self._guidance.attitude_at(stamp)
        return self._loop.reference_at(stamp)[0:4]

    def instant(
        self, n: int, tick: int, clock: Ticks, sensors: Sensors, unusual: Readings | None
    ) -> Instant:
        """Return the Instant of craft n, with the readings that a mission needs.

        unusual: the readings where some are lost, or not in time
        """
        state: Any = None  # nobody asks for it
        if unusual:
            return Instant(tick, state, elapsed=tick, readings=unusual, ticks=clock)
        if self._sensors is None:
            self._sensors = [
                (kind.name, int(sensors.intervals[n, kind.number]), kind.columns,
                 kind.layout.size > 3)
                for kind in sensors.kinds if kind.name in self._names and n in kind.bodies
            ]  # fmt: skip
        flat, silent, row = {}, set(), sensors.readings[n]
        for name, interval, columns, sees in self._sensors:
            if tick % interval:
                continue
            flat[name] = row[columns]
            if sees and name != ANSWERED and row[columns.start] != SEES:
                silent.add(name)
        read = Readings(tick, flat, None, frozenset(flat), frozenset(silent))
        return Instant(tick, state, elapsed=tick, readings=read, ticks=clock)

    def order(
        self, instant: Instant, estimate: Array, speeds: Array, covariance_B: Array,
        reference: Array | None, row: Array,
    ) -> None:  # fmt: skip
        """Write the ORDER of an instant, as flight.onboard.OnboardController answers it.

        estimate: ESTIMATE;  speeds: of all wheels [rad/s]
        covariance_B: (9,) of the attitude [rad^2], NaN where it is not known
        reference: (10,) of the profile that is followed; None where guidance is to be asked
        """
        loop, mission, stamp = self._loop, self._mission, instant.stamp
        assert instant.readings
        reading, time = None, seconds_of(stamp, 1)
        if ANSWERED in instant.readings.new:
            q_WS = estimate[Q_WS].copy() if estimate[0] > 0.0 else None
            read_ns = instant.stamp_of(ANSWERED)
            reading = Reading(read_ns, q_WS, estimate[OMEGA_S].copy())
        if mission:
            sigma = self._sigma(covariance_B) if self._asks(quantities.SIGMA) else math.nan
            decision = mission.take(instant, speeds, reading, sigma)
            if decision:
                self._mode = decision.order.mode
                orders.obey(decision.order, loop, self._magnetic)
                reference = self._fly(decision.order.profile, time, reference)
        mode = loop.settings.mode_at(stamp)
        row[MODE] = MODES.index(mode)
        row[UNLOADS] = self._magnetic.unloads if self._magnetic else True
        points = mode in POINTINGS
        if not points:
            self.catch_up()
            self._course = None
        if reading is None or reading.time_ns != stamp:  # for what comes late there is no order
            return
        knows = points and reading.q_WS is not None and is_usable(reading)
        if points:
            if self._guidance is None:
                row[REFERENCE] = self._unguided(stamp, mode if knows else '')
            else:
                row[REFERENCE] = self._guided(stamp) if reference is None else reference
        if self._gains is not None:
            row[ANEW] = self._begins_anew(self._gains, row[REFERENCE], stamp, knows)
        if mission and self._asks(quantities.ERROR):
            q_WR = row[REFERENCE][:4] if knows else None
            answer = Answer(stamp, NO_TORQUE, q_WR)
            error_B = orders.pointing_error(reading, answer, loop.settings.q_BS)
            mission.knowledge.take_error(stamp, error_B)

    def _fly(self, profile: str, time: float, reference: Array | None) -> Array | None:
        """Let guidance fly a profile from a time [s] on; return what is left of a reference."""
        if reference is not None and self._course and profile in ('', self._course[0]):
            return reference
        self.catch_up()
        self._course = None
        if self._guidance:
            self._guidance.guidance.fly(profile, time)
        return None

    def catch_up(self) -> None:
        """Ask guidance for the last time at which its profile was followed without it."""
        if self.behind is not None and self._guidance:
            self._guidance.guidance.at(self.behind)
            self.behind = None

    def _guided(self, stamp: int) -> Array:
        """Return the reference (10,) of guidance at a time [ns], as the loop takes it."""
        assert self._guidance
        self._guidance.guide(self._loop, stamp)
        self._course = self._guidance.guidance.followed(seconds_of(stamp, 1))
        return self._loop.reference_at(stamp)[:GRADIENT]

    def _unguided(self, stamp: int, mode: str) -> Array:
        """Return the controller's own reference (10,) at a time [ns].

        mode: in which it answers a reading of then; '' where it does not point
        """
        if mode == POINTING and not self._begun:
            self._loop.begin(stamp)
            self._begun = True
        return self._loop.reference_at(stamp)[:GRADIENT]

    def _begins_anew(self, gains: Array, reference: Array, stamp: int, knows: bool) -> bool:
        """Return whether the integral begins anew with a reading, as the loop's own does."""
        if not knows:
            self._loop.integral.forget()
            return False
        return self._loop.integral.jumps(gains, reference.copy(), stamp)

    def _asks(self, quantity: str) -> bool:
        """Return whether a condition of the present mode has a quantity."""
        return quantity in self._uses.get(self._mode, ())

    def _sigma(self, covariance_B: Array) -> float:
        """Return the largest standard deviation of the attitude about an axis of the IMU [rad]."""
        if math.isnan(covariance_B[0]):
            return math.nan
        return quantities.largest_sigma(turned(covariance_B.reshape(3, 3), self._q_BS))
