# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What flight software knows: the quantities that the conditions of a mission may use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control.attitude_loop import FASTEST, NORM_TOLERANCE, is_below
from spacecraft_attitude_sim.core.environment.surroundings import LIT
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.core.ticks import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Quaternion,
        Vector3,
        VectorLike,
    )

TIME, TIME_IN_MODE, RATE, ERROR = 'time', 'time_in_mode', 'rate', 'error'
KNOWN, SIGMA = 'attitude_known', 'attitude_sigma'
SUN_SEEN, ILLUMINANCE, SUNLIGHT = 'sun_seen', 'illuminance', 'sunlight'
MOMENTUM, SPEED, FAULT = 'wheel_momentum', 'wheel_speed', 'fault'
# {quantity: its unit}; those without a unit are 0 or 1, or a share.
UNITS = {
    TIME: 's', TIME_IN_MODE: 's', RATE: 'rad/s', KNOWN: '', SIGMA: 'deg', ERROR: 'deg',
    SUN_SEEN: '', ILLUMINANCE: 'lx', SUNLIGHT: '', MOMENTUM: 'N m s', SPEED: 'rad/s', FAULT: '',
}  # fmt: skip
# Of each quantity before anything is heard.
UNHEARD = dict.fromkeys(UNITS, math.nan) | {KNOWN: 0.0}
# Larger values count as not known: no wheel turns so fast, and no light is so bright.
FASTEST_WHEEL, BRIGHTEST = 1e5, 1e9


def largest_sigma(covariance: Array) -> float:
    """Return the largest standard deviation about an axis [rad]; covariance: (9,) [rad^2]."""
    return math.sqrt(max(0.0, *(float(covariance[k]) for k in (0, 4, 8))))


class Wheels(NamedTuple):
    """Reaction wheels as the mission knows them.

    names: of them;  axes: (N, 3) body axes;  inertias: (N,) [kg m^2]
    wanted: (N,) speeds at which nothing is to be unloaded [rad/s]
    """

    names: tuple[str, ...]
    axes: Array
    inertias: Array
    wanted: Array


class Knowledge:
    """What was last heard of each quantity, and until when it counts.

    timeout_ns: age beyond which it is not known any more [ns]
    wheels: Wheels, or None
    around: function of a time [s] that returns the environment (25,) of
        core.environment.surroundings; None where the orbit is not known

    fault: whether something outside says that the spacecraft has a fault
    """

    def __init__(
        self,
        timeout_ns: int,
        wheels: Wheels | None = None,
        around: Callable[[float], Array] | None = None,
    ) -> None:
        self._timeout_ns, self._wheels, self._around = timeout_ns, wheels, around
        self.fault = False
        self._each: list[tuple[list[float], float, float]] = []
        if wheels:
            own = (array.tolist() for array in (wheels.axes, wheels.inertias, wheels.wanted))
            self._each = list(zip(*own, strict=True))
        self.forget()

    def forget(self) -> None:
        """Forget all, as at the start of a run; a fault stays."""
        self._heard: dict[str, tuple[int, float]] = {}
        self._sight_ns: int | None = None  # when a Sun sensor saw the Sun last
        self._lights: dict[str, tuple[int, float]] = {}

    def take_motion(
        self,
        time_ns: int,
        q_WS: Quaternion | None,
        omega_S: Vector3,
        sigma: float = math.nan,
    ) -> None:
        """Take what an IMU says, or an estimate in its place.

        q_WS: (4,), None where it is not known;  omega_S: (3,) [rad/s]
        sigma: largest standard deviation of the attitude about an axis [rad], NaN: not known
        """
        rate = norm(omega_S.tolist()) if is_below(FASTEST, omega_S) else math.nan
        known = q_WS is not None and abs(math.hypot(*q_WS.tolist()) - 1.0) <= NORM_TOLERANCE
        self._hear(time_ns, RATE, rate)
        self._hear(time_ns, KNOWN, float(known))
        self._hear(time_ns, SIGMA, math.degrees(sigma) if known else math.nan)

    def take_error(self, time_ns: int, error_B: VectorLike) -> None:
        """Take the rotation vector (3,) from reference to body [rad], NaN without a reference."""
        error = np.asarray(error_B).tolist()
        known = all(map(math.isfinite, error))
        self._hear(time_ns, ERROR, math.degrees(norm(error)) if known else math.nan)

    def take_sun(self, time_ns: int, direction_S: VectorLike) -> None:
        """Take the direction (3,) in which a Sun sensor sees the Sun."""
        if all(map(math.isfinite, direction_S)):
            self._sight_ns = time_ns

    def take_light(self, time_ns: int, name: str, illuminance: float) -> None:
        """Take the illuminance of a cell [lx]."""
        if abs(illuminance) < BRIGHTEST:
            self._lights[name] = time_ns, illuminance

    def take_wheels(self, time_ns: int, speeds: Sequence[float]) -> None:
        """Take the speeds (N,) of the wheels, in the order of their names [rad/s]."""
        if self._wheels is None:
            return
        x = y = z = fastest = 0.0
        for speed, (axis, inertia, wanted) in zip(speeds, self._each, strict=True):
            if not abs(speed) < FASTEST_WHEEL:
                return
            share, fastest = inertia * (speed - wanted), max(fastest, abs(speed))
            x, y, z = x + share * axis[0], y + share * axis[1], z + share * axis[2]
        self._hear(time_ns, MOMENTUM, norm((x, y, z)))
        self._hear(time_ns, SPEED, fastest)

    def values(self, time_ns: int) -> dict[str, float]:
        """Return {quantity: value} at a time [ns], NaN for what is not known.

        Where nothing says an attitude, it is not known: a silent IMU is no reason to go on.
        """
        values, timeout_ns = UNHEARD.copy(), self._timeout_ns
        for name, (heard_ns, value) in self._heard.items():
            if 0 <= time_ns - heard_ns <= timeout_ns:
                values[name] = value
        values[TIME] = seconds_of(time_ns, 1)
        seen = self._sight_ns is not None and self._counts(time_ns, self._sight_ns)
        values[SUN_SEEN], values[FAULT] = float(seen), float(self.fault)
        if self._lights:
            lights = self._lights.values()
            fresh = [light for heard_ns, light in lights if self._counts(time_ns, heard_ns)]
            values[ILLUMINANCE] = max(fresh, default=math.nan)
        if self._around:
            values[SUNLIGHT] = float(self._around(values[TIME])[LIT])
        return values

    def _hear(self, time_ns: int, name: str, value: float) -> None:
        self._heard[name] = time_ns, value

    def _counts(self, time_ns: int, heard_ns: int) -> bool:
        return 0 <= time_ns - heard_ns <= self._timeout_ns
