# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Answers each IMU reading with a torque, or with none where the reading is not trusted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from spacecraft_attitude_sim.core.control import control_law, pointing_frames
from spacecraft_attitude_sim.core.control.control_law import (
    NO_INTEGRAL,
    UNDECIDED,
    Gains,
    Reference,
)
from spacecraft_attitude_sim.core.control.integral import Integral
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Quaternion, Vector3
from spacecraft_attitude_sim.core.ticks import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.core.control.allocation import Allocation
    from spacecraft_attitude_sim.core.mathematics.types import VectorLike

POINTING, RATE_DAMPING, IDLE, DETUMBLING, NADIR, SUN = MODES = (
    'pointing', 'rate_damping', 'idle', 'detumbling', 'nadir_pointing', 'sun_pointing',
)  # fmt: skip
# Modes with a target attitude; the references of some follow the orbit.
POINTINGS, IN_ORBIT = (POINTING, NADIR, SUN), (NADIR, SUN)
NO_TORQUE = np.zeros(3)
NO_TORQUE.flags.writeable = False
# For rate damping, which needs no attitude.
UNTURNED = np.array(rotations.IDENTITY)
ALONG = pointing_frames.attitudes(UNTURNED, UNTURNED)
ALONG.flags.writeable = False
# Largest difference from 1 of a measured quaternion's norm.
NORM_TOLERANCE = 1e-3
# Largest accepted rate: no body turns faster, and the law's products stay finite [rad/s].
FASTEST = 1e4
# A stamp before September 2001 is simulated time, which a wall clock cannot judge [ns].
WALL_TIME_BEGINS = 1_000_000_000_000_000_000
# Without a clock, a reading this far ahead of the one before is doubted until another follows
# it [ns].
LARGEST_JUMP_NS = 60_000_000_000
AHEAD = 'ahead of the clock'


class Settings(NamedTuple):
    """Settings of the loop.

    mode: one of MODES;  q_BS: (4,) IMU to body
    timeout_ns: age beyond which a reading is stale
    schedule: (time [ns], one of MODES) in order, each mode from then on in place of `mode`
    in_orbit: (8,) of pointing_frames.attitudes
    guided: whether all modes with a target attitude follow the reference of `guide`
    delay_ns: of core.control.command_delay, from a reading to its torque
    gradient: whether the torque of the gravity gradient is compensated
    """

    mode: str
    gains: Gains
    q_BS: Quaternion
    timeout_ns: int
    schedule: tuple[tuple[int, str], ...] = ()
    in_orbit: Array = ALONG
    guided: bool = False
    delay_ns: int = 0
    gradient: bool = False

    @property
    def modes(self) -> set[str]:
        """All modes that the loop will use."""
        return {self.mode, *(mode for _, mode in self.schedule)}

    def mode_at(self, time_ns: int) -> str:
        """Return the mode for a reading with this time."""
        mode = self.mode
        for begin, other in self.schedule:
            if begin > time_ns:
                break
            mode = other
        return mode


class Reading(NamedTuple):
    """An IMU reading: q_WS (4,), or None without an attitude, and omega_S (3,) [rad/s]."""

    time_ns: int
    q_WS: Quaternion | None
    omega_S: Vector3


class Answer(NamedTuple):
    """The command after the reading of `time_ns`.

    torque_B: (3,) [N m];  q_WR: (4,) target attitude, or None
    problem: why the loop could not do what its mode requires, or ''
    omega_B: three floats, the rate in the law's answer [rad/s]; None where the law did not answer
    """

    time_ns: int
    torque_B: Vector3
    q_WR: Quaternion | None = None
    problem: str = ''
    omega_B: Floats | None = None


# Used to call the compiled code once before the loop begins.
NOTHING_ASKED = Answer(0, NO_TORQUE, omega_B=(0.0, 0.0, 0.0))


class AttitudeLoop:
    """The loop and its memory: settings, reference, sense of the rotation, the last reading.

    ephemeris: function of a time [s] that returns the environment (25,) of
        core.environment.surroundings; None where no mode needs it
    answered, ignored, refused, saturated: counts of readings;  problem: of the latest
    guided_ns: time of the latest reference of guidance [ns], or None
    integral: of the pointing error
    """

    def __init__(
        self,
        settings: Settings,
        reference: Reference,
        ephemeris: Callable[[float], Array] | None = None,
    ) -> None:
        self._ephemeris = ephemeris
        self.answered = self.ignored = self.refused = self.saturated = 0
        self.problem = 'no IMU data yet'
        self._last: Answer | None = None
        self._silent = False
        self._doubted_ns: int | None = None
        self.guided_ns: int | None = None
        self._way: Floats = UNDECIDED
        self.integral, self._gains = Integral(), settings.gains.flat()
        self._asked: Callable[[Quaternion, Vector3, Reference], Vector3] | None = None
        self.configure(settings)
        self.follow(reference, 0)
        # The first call compiles or loads the code: do it here, not inside the loop.
        self._point(-1, Reading(0, UNTURNED, np.zeros(3)), self.reference_at(0))
        control_law.rate_from_imu(settings.q_BS, np.zeros(3))
        self.saturated, self._way = 0, UNDECIDED
        self.integral.forget()
        self.follow(reference)

    def configure(self, settings: Settings) -> None:
        """Go on with other Settings; the integral begins anew with other gains."""
        before, self.settings = self._gains, settings
        self._gains = settings.gains.flat()
        if not np.array_equal(before, self._gains):
            self.integral.forget()
        self._damping = settings.gains.damping_only().flat()

    def heed(self, allocation: Allocation, commands: VectorLike) -> None:
        """Hold the integral where one of an Allocation's commands (G,) is at its limit."""
        if self.settings.gains.integral_time > 0.0 and allocation.at_limit(commands):
            self.integral.hold()

    def ask(self, law: Callable[[Quaternion, Vector3, Reference], Vector3]) -> None:
        """Point by another law from now on, within torque_limit.

        law: function of attitude q_WB (4,), rate (3,) [rad/s] in body axes and Reference that
            returns the torque (3,) [N m], body axes
        """
        self._asked = law
        self.integral.forget()

    def follow(self, reference: Reference, time_ns: int | None = None) -> None:
        """Point at a Reference from now on.

        time_ns: of its attitude; None for that of the next reading
        """
        self._reference = reference.flat()
        self._reference_ns = time_ns

    def guide(self, reference: Reference, time_ns: int) -> None:
        """Point at a Reference of guidance; its attitude may have a norm near 1.

        time_ns: of the reference, that of the reading which is answered next
        Raises ValueError where it is not finite, or no attitude.
        """
        q_WR = rotations.unit_quaternion(reference.q_WR, 'orientation')
        for name, vector in (('rate', reference.omega_R), ('acceleration', reference.alpha_R)):
            if not is_below(FASTEST, vector):
                raise ValueError(f'angular {name} is {vector.tolist()}')
        self.follow(Reference(q_WR, reference.omega_R, reference.alpha_R), time_ns)
        self.guided_ns = time_ns

    def needs_guide(self, time_ns: int) -> bool:
        """Return whether a reading with this time waits for a reference of guidance."""
        settings = self.settings
        if not settings.guided or settings.mode_at(time_ns) not in POINTINGS:
            return False
        return self.guided_ns != time_ns

    def begin(self, time_ns: int) -> None:
        """Let the reference move from a time [ns] on, as a reading of that time does."""
        self._reference_ns = time_ns

    def go_on(
        self, time_ns: int, way: Floats, integral: Array, answered: int, saturated: int
    ) -> None:
        """Be as after readings that the same law has answered in a compiled loop.

        time_ns: of the last one;  way, integral: what the law remembers
        """
        self.answered, self.saturated = answered, saturated
        self._last, self._way, self._silent = Answer(time_ns, NO_TORQUE), way, False
        self.integral.go_on(integral, time_ns, self.reference_at(time_ns))

    def reference_at(self, time_ns: int) -> Array:
        """Return the reference (13,) at a time, after its constant rate or in the orbit's axes."""
        settings, now = self.settings, self._reference.copy()
        mode = settings.mode_at(time_ns)
        follows = mode in IN_ORBIT and not settings.guided
        if self._ephemeris and (follows or settings.gradient):
            around = self._ephemeris(seconds_of(time_ns, 1))
            if settings.gradient:
                now[control_law.GRADIENT :] = pointing_frames.gradient(around)
            if follows:
                now[: control_law.GRADIENT] = pointing_frames.target(
                    around, mode == SUN, settings.in_orbit
                )
                return now
        if self._reference_ns is not None:
            now[0:4] = control_law.turned(self._reference, 1e-9 * (time_ns - self._reference_ns))
        return now

    def answer(self, reading: Reading, clock_ns: int | None = None) -> Answer | None:
        """Return the Answer to a reading; None for one that came out of order.

        A second copy of the latest reading gets the same answer: in lockstep a simulator without
            an
        answer asks again.

        clock_ns: current time, to judge the reading's age; None without a clock
        """
        if self._last and self.untimely(self._last.time_ns, clock_ns).endswith(AHEAD):
            self._last = None  # the clock now shows that its stamp was in the future
        if self._last and self._is_late_or_again(self._last, reading.time_ns):
            self.ignored += 1
            return self._last if reading.time_ns == self._last.time_ns else None
        problem = self.untimely(reading.time_ns, clock_ns) or self._doubt(
            reading.time_ns, clock_ns
        )
        if problem:
            self.refused += 1
            self.problem = problem
            if not judges(clock_ns, reading.time_ns) or self._is_fresh(clock_ns):
                return None  # a stray reading; in lockstep it must not answer a tick
            self.integral.forget()
            # The answer has the present time as its stamp: others judge its age, too.
            return Answer(clock_ns, NO_TORQUE, problem=problem)
        self._last, self._silent = self._judged(reading), False
        self.problem = self._last.problem
        return self._last

    def silence(self) -> None:
        """Handle an IMU timeout.

        The next reading counts even if its stamp is older, as after a restart of the sensor, but
        not if it is the last one again.
        """
        self.problem = f'no IMU data for {1e-9 * self.settings.timeout_ns:g} s'
        self._silent, self._way = True, UNDECIDED
        self.integral.forget()
        if self._last:
            self._last = Answer(self._last.time_ns, NO_TORQUE, problem=self.problem)

    def _is_late_or_again(self, last: Answer, time_ns: int) -> bool:
        late = time_ns < last.time_ns and not self._silent
        return late or time_ns == last.time_ns

    def _is_fresh(self, clock_ns: int) -> bool:
        """Return whether the last answered reading is recent by the clock."""
        if self._last is None or not judges(clock_ns, self._last.time_ns):
            return False
        return not self.untimely(self._last.time_ns, clock_ns)

    def untimely(self, time_ns: int, clock_ns: int | None) -> str:
        """Return why data with this time are not current by the clock; '' where they may be."""
        if time_ns < 0:
            return f'IMU data stamped {1e-9 * time_ns:.6g} s, before time began'
        if not judges(clock_ns, time_ns):
            return ''
        age = clock_ns - time_ns
        if abs(age) <= self.settings.timeout_ns:
            return ''
        return f'IMU data {1e-9 * abs(age):.3g} s {"old" if age > 0 else AHEAD}'

    def _doubt(self, time_ns: int, clock_ns: int | None) -> str:
        """Return why to doubt a reading far ahead of the others, without a clock; else ''."""
        if self._last is None or judges(clock_ns, time_ns):
            return ''
        ahead, doubted_ns, self._doubted_ns = time_ns - self._last.time_ns, self._doubted_ns, None
        follows = doubted_ns is not None and 0 < time_ns - doubted_ns <= LARGEST_JUMP_NS
        if follows or ahead <= LARGEST_JUMP_NS:
            return ''
        self._doubted_ns = time_ns
        return f'IMU data {1e-9 * ahead:.3g} s ahead of those before'

    def _judged(self, reading: Reading) -> Answer:
        """Return the Answer to a timely reading."""
        if problem := _unusable(reading):
            self.refused += 1
            self.integral.forget()
            return Answer(reading.time_ns, NO_TORQUE, problem=problem)
        self.answered += 1
        settings = self.settings
        mode = settings.mode_at(reading.time_ns)
        if mode not in POINTINGS or reading.q_WS is None:
            self.integral.forget()
        if mode in (IDLE, DETUMBLING):
            return Answer(reading.time_ns, NO_TORQUE)
        omega_B = control_law.rate_from_imu(settings.q_BS, reading.omega_S)
        if mode == RATE_DAMPING or reading.q_WS is None:
            still = control_law.AT_REST.flat()
            torque_B, *_ = self._law(self._damping, UNTURNED, reading.omega_S, still)
            lacking = 'IMU data without orientation: only damps the rate'
            problem = lacking if mode in POINTINGS else ''
            return Answer(reading.time_ns, torque_B, problem=problem, omega_B=omega_B)
        if self._reference_ns is None and mode == POINTING:
            self._reference_ns = reading.time_ns
        reference = self.reference_at(reading.time_ns)
        if self._asked:
            torque_B = self._answer_of(self._asked, reading.q_WS, omega_B, reference)
        else:
            torque_B = self._point(MODES.index(mode), reading, reference)
        return Answer(reading.time_ns, torque_B, reference[0:4], omega_B=omega_B)

    def _answer_of(
        self,
        law: Callable[[Quaternion, Vector3, Reference], Vector3],
        q_WS: Quaternion,
        omega_B: Floats,
        flat: Array,
    ) -> Vector3:
        """Return the torque (3,) [N m] of another law, scaled down to torque_limit."""
        q_WB = rotations.compose(q_WS, rotations.conjugate(self.settings.q_BS))
        torque_B = law(q_WB, np.array(omega_B), Reference(flat[0:4], flat[4:7], flat[7:10]))
        limit = self.settings.gains.torque_limit
        excess = float(np.max(np.abs(torque_B) / np.maximum(limit, 1e-300)))
        if excess <= 1.0:
            return torque_B
        self.saturated += 1
        return torque_B / excess

    def _point(self, mode: int, reading: Reading, reference: Array) -> Vector3:
        """Return the torque (3,) [N m] of the law in a mode, an index in MODES."""
        assert reading.q_WS is not None, 'else it only damps'
        gains, q_WS, omega_S = self._gains, reading.q_WS, reading.omega_S
        integral: Floats = NO_INTEGRAL
        if integrates := self.settings.gains.integral_time > 0.0:
            integral = self.integral.before(
                gains, float(mode), reference, reading.time_ns, self.settings.timeout_ns
            )
        torque_B, self._way, share = self._law(gains, q_WS, omega_S, reference, integral)
        if integrates:
            self.integral.after(gains, self._way, share)
        return torque_B

    def _law(
        self,
        gains: Array,
        q_WS: Quaternion,
        omega_S: Vector3,
        reference: Array,
        integral: Floats = NO_INTEGRAL,
    ) -> tuple[Vector3, Floats, float]:
        """Return the torque (3,) [N m], the sense of the rotation ε, and the share."""
        torque_B, way, share = control_law.torque_from_imu(
            gains, reference, self.settings.q_BS, q_WS, omega_S, self._way, integral
        )
        self.saturated += share < 1.0
        return np.array(torque_B), way, share


def judges(clock_ns: int | None, time_ns: int) -> TypeGuard[int]:
    """Return whether a clock can judge a stamp: a wall clock cannot judge simulated time."""
    return clock_ns is not None and not (clock_ns > WALL_TIME_BEGINS > time_ns)


def is_below(limit: float, vector: Vector3) -> bool:
    """Return whether the magnitude of each component is below a limit; false for NaN."""
    x, y, z = vector.tolist()
    return abs(x) < limit and abs(y) < limit and abs(z) < limit


def is_usable(reading: Reading) -> bool:
    """Return whether a loop answers to the numbers of a reading."""
    return not _unusable(reading)


def _unusable(reading: Reading) -> str:
    """Return what is wrong with the numbers of a reading, or ''."""
    if not is_below(FASTEST, reading.omega_S):
        return f'IMU angular velocity is {reading.omega_S.tolist()} rad/s'
    if reading.q_WS is None:
        return ''
    attitude = reading.q_WS.tolist()
    if not abs(math.hypot(*attitude) - 1.0) <= NORM_TOLERANCE:
        return f'IMU orientation is {attitude}, not a unit quaternion'
    return ''
