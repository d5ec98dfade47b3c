# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Answers each reading of the magnetometer with a dipole, or with none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control import magnetic_control
from spacecraft_attitude_sim.core.control.attitude_loop import (
    DETUMBLING,
    IDLE,
    RATE_DAMPING,
    is_below,
)
from spacecraft_attitude_sim.core.control.control_law import rate_from_imu

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.control.attitude_loop import Settings
    from spacecraft_attitude_sim.core.control.magnetic_control import MagneticGains
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3

NO_DIPOLE = np.zeros(3)
NO_DIPOLE.flags.writeable = False
# Largest field that is accepted: no spacecraft flies in a stronger one [T].
STRONGEST = 10.0


class DipoleAnswer(NamedTuple):
    """The command after the reading of `time_ns`: dipole_B (3,) [A m^2]."""

    time_ns: int
    dipole_B: Vector3
    problem: str = ''


class MagneticLoop:
    """B-dot and desaturation with their memory: the last reading of the field.

    settings: of core.control.attitude_loop; its modes and mounting hold here, too
    answered, refused, saturated: counts of readings;  problem: of the latest
    unloads: whether wheels are unloaded; true until somebody sets it
    rows: (N, any) of core.control.wheel_allocation, of wheels to unload; None without any
    """

    def __init__(
        self, settings: Settings, gains: MagneticGains, rows: Array | None = None
    ) -> None:
        self.answered = self.refused = self.saturated = 0
        self.problem = 'no imu/mag yet'
        self.warning, self.unloads = '', True
        self._before: tuple[int, Floats] | None = None
        self._last: DipoleAnswer | None = None
        self.configure(settings, gains, rows)
        # The first call compiles or loads the code: do it here, not inside the loop.
        magnetic_control.b_dot(self._gains, NO_DIPOLE, NO_DIPOLE, 1.0)
        if rows is not None:
            self._unload(NO_DIPOLE, np.zeros(len(rows)))

    def configure(
        self, settings: Settings, gains: MagneticGains, rows: Array | None = None
    ) -> None:
        """Go on with other settings."""
        self.settings, self._gains, self._rows = settings, gains.flat(), rows

    def needs_speeds(self, time_ns: int) -> bool:
        """Return whether the answer to a reading of this time needs the wheels' speeds."""
        if self._rows is None or not self.unloads:
            return False
        return self.settings.mode_at(time_ns) not in (DETUMBLING, RATE_DAMPING, IDLE)

    def answer(
        self, time_ns: int, field_S: Vector3, speeds: Array | None = None, rate: float = 0.0
    ) -> DipoleAnswer | None:
        """Return the DipoleAnswer to a reading; None for one that came out of order.

        The latest reading again gets the same answer again, as lockstep needs.

        field_S: (3,) magnetometer's axes [T];  speeds: (N,) of wheels [rad/s]
        rate: of the body, from the last IMU reading [rad/s], 0 where it is not known
        """
        if self._last and time_ns <= self._last.time_ns:
            return self._last if time_ns == self._last.time_ns else None
        if not is_below(STRONGEST, np.asarray(field_S)):
            self.refused += 1
            self.problem = f'imu/mag says {np.asarray(field_S).tolist()} T'
            self._last, self._before = DipoleAnswer(time_ns, NO_DIPOLE, self.problem), None
            return self._last
        self.answered += 1
        self.problem = self.warning = ''
        # The same rotation turns rates and fields from sensor axes to body axes.
        field_B = rate_from_imu(self.settings.q_BS, field_S)
        dipole_B = NO_DIPOLE
        if self.settings.mode_at(time_ns) == DETUMBLING:
            dipole_B = self._damp(time_ns, field_B, rate)
        elif self.needs_speeds(time_ns) and speeds is not None:
            dipole_B = self._unload(np.array(field_B), speeds)
        self._before = time_ns, field_B
        self._last = DipoleAnswer(time_ns, dipole_B)
        return self._last

    def go_on(self, time_ns: int, field_B: Floats, answered: int, saturated: int) -> None:
        """Be as after readings that the same law has answered in a compiled loop.

        time_ns: of the last one;  field_B: what it read, three floats [T]
        """
        self.answered, self.saturated, self._before = answered, saturated, (time_ns, field_B)
        self._last = DipoleAnswer(time_ns, NO_DIPOLE)

    def forget(self) -> None:
        """Drop the memory, as after a reset of time."""
        self._last = self._before = None

    def _damp(self, time_ns: int, field_B: Floats, rate: float) -> Vector3:
        if self._before is None:
            return NO_DIPOLE
        seconds = 1e-9 * (time_ns - self._before[0])
        largest = magnetic_control.largest_damped_rate(seconds)
        if rate > largest:
            self.warning = (
                f'read each {seconds:g} s the field does not tell how the body turns at '
                f'{rate:.3g} rad/s: B-dot damps up to {largest:.3g} rad/s, and spins up beyond; '
                'read it more often (magnetometer.interval)'
            )
        before = np.array(self._before[1])
        dipole, share = magnetic_control.b_dot(self._gains, np.array(field_B), before, seconds)
        self.saturated += share < 1.0
        return np.array(dipole)

    def _unload(self, field_B: Vector3, speeds: Array) -> Vector3:
        dipole, share = magnetic_control.unloading(
            self._gains, self._rows, np.array(speeds, dtype=float), field_B
        )
        self.saturated += share < 1.0
        return np.array(dipole)
