# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What flight software knows: the quantities that the conditions of a mission may use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control.attitude_loop import FASTEST, NORM_TOLERANCE
from spacecraft_attitude_sim.core.environment.surroundings import LIT
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm
from spacecraft_attitude_sim.core.ticks import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

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
        rate = norm(omega_S) if np.all(np.abs(omega_S) < FASTEST) else math.nan
        known = q_WS is not None and abs(math.hypot(*q_WS) - 1.0) <= NORM_TOLERANCE
        self._hear(time_ns, RATE, rate)
        self._hear(time_ns, KNOWN, float(known))
        self._hear(time_ns, SIGMA, math.degrees(sigma) if known else math.nan)

    def take_error(self, time_ns: int, error_B: VectorLike) -> None:
        """Take the rotation vector (3,) from reference to body [rad], NaN without a reference."""
        angle = math.degrees(norm(np.asarray(error_B))) if np.all(np.isfinite(error_B)) else None
        self._hear(time_ns, ERROR, math.nan if angle is None else angle)

    def take_sun(self, time_ns: int, direction_S: VectorLike) -> None:
        """Take the direction (3,) in which a Sun sensor sees the Sun."""
        if np.all(np.isfinite(direction_S)):
            self._sight_ns = time_ns

    def take_light(self, time_ns: int, name: str, illuminance: float) -> None:
        """Take the illuminance of a cell [lx]."""
        if abs(illuminance) < BRIGHTEST:
            self._lights[name] = time_ns, illuminance

    def take_wheels(self, time_ns: int, speeds: VectorLike) -> None:
        """Take the speeds (N,) of the wheels, in the order of their names [rad/s]."""
        wheels, speeds = self._wheels, np.asarray(speeds)
        if wheels is None or not np.all(np.abs(speeds) < FASTEST_WHEEL):
            return
        stored = wheels.inertias * (speeds - wheels.wanted)
        momentum_B = np.zeros(3)
        for axis_B, share in zip(wheels.axes, stored, strict=True):
            momentum_B = momentum_B + share * axis_B
        self._hear(time_ns, MOMENTUM, norm(momentum_B))
        self._hear(time_ns, SPEED, float(np.max(np.abs(speeds))))

    def values(self, time_ns: int) -> dict[str, float]:
        """Return {quantity: value} at a time [ns], NaN for what is not known.

        Where nothing says an attitude, it is not known: a silent IMU is no reason to go on.
        """
        values = dict.fromkeys(UNITS, math.nan) | {KNOWN: 0.0}
        for name, (heard_ns, value) in self._heard.items():
            if self._counts(time_ns, heard_ns):
                values[name] = value
        values[TIME] = seconds_of(time_ns, 1)
        seen = self._sight_ns is not None and self._counts(time_ns, self._sight_ns)
        values[SUN_SEEN], values[FAULT] = float(seen), float(self.fault)
        fresh = [
            light for heard_ns, light in self._lights.values() if self._counts(time_ns, heard_ns)
        ]
        values[ILLUMINANCE] = max(fresh, default=math.nan)
        if self._around:
            values[SUNLIGHT] = float(self._around(values[TIME])[LIT])
        return values

    def _hear(self, time_ns: int, name: str, value: float) -> None:
        self._heard[name] = time_ns, value

    def _counts(self, time_ns: int, heard_ns: int) -> bool:
        return 0 <= time_ns - heard_ns <= self._timeout_ns
