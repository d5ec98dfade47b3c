# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The integral of the pointing error in the law of core.control.control_law, and when it grows.

    τ = -D (ω_e + ω_c + m s)      s' = 2 ε / T_i,  |s| <= limit about every axis

s is an angle: the error that the law would keep without its integral, under the torque that the
integral takes up. So a small error θ obeys θ''' + 2 ζ ω_n θ'' + ω_n² θ' + ω_n² θ / T_i = 0, stable
for T_i > 1 / (2 ζ ω_n). Against windup s is limited, and it is held (conditional integration:
K. J. Åström, T. Hägglund, PID Controllers: Theory, Design, and Tuning, 1995, section 3.5)

- while the error is larger than the limit: no torque that the integral may take up leaves such;
- in a slew: where ω_c is limited, or I α_R is more than SLEWING of torque_limit;
- while torque_limit or an actuator's own limit cuts the command.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.control.control_law import (
    INERTIA,
    INTEGRAL_LIMIT,
    INTEGRAL_RATE,
    NO_INTEGRAL,
    RATE_PER_ANGLE,
    SLEW_RATE_LIMIT,
    TORQUE_LIMIT,
    turned,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm, put, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.control.control_law import Gains
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

# Part of torque_limit: a reference that accelerates the body with more is a slew.
SLEWING = 0.01
# What is kept from one reading to the next: s [rad], s' until then [rad/s], and the mode for which
# they count, an index in core.control.attitude_loop.MODES, or NONE.
MEMORY = Layout(angle=3, rate=3, mode=1)
ANGLE, RATE, MODE = MEMORY.places()
NONE = -1.0


@compiled
def resumed(gains: Array, mode: float, seconds: float, longest: float, memory: Array) -> Floats:
    """Let s grow up to a reading, or begin anew; return s, three floats [rad].

    mode: of the reading;  seconds: since the reading before;  longest: gap that it outlasts [s]
    memory: (MEMORY.size,)
    """
    if gains[INTEGRAL_RATE] <= 0.0:
        return NO_INTEGRAL
    if mode != memory[MODE] or not 0.0 < seconds <= longest:
        put(memory, ANGLE, NO_INTEGRAL)
        put(memory, RATE, NO_INTEGRAL)
        memory[MODE] = mode
    limit = gains[INTEGRAL_LIMIT]
    for axis in range(3):
        angle = memory[ANGLE + axis] + seconds * memory[RATE + axis]
        memory[ANGLE + axis] = min(max(angle, -limit), limit)
    return three_at(memory, ANGLE)


@compiled
def judged(
    gains: Array, reference: VectorLike, epsilon: Floats, share: float, memory: Array
) -> None:
    """Write how fast s grows until the next reading: 2 ε / T_i, or not at all.

    epsilon, share: as `control_law.torque` returned them
    """
    if gains[INTEGRAL_RATE] <= 0.0:
        return
    size, k = 2.0 * norm(epsilon), RATE_PER_ANGLE
    x, y, z = gains[k] * epsilon[0], gains[k + 1] * epsilon[1], gains[k + 2] * epsilon[2]
    steady = size <= gains[INTEGRAL_LIMIT] and share >= 1.0
    steady = steady and 2.0 * math.sqrt(x * x + y * y + z * z) <= gains[SLEW_RATE_LIMIT]
    acceleration = three_at(reference, 7)
    for axis in range(3):
        asked = dot(three_at(gains, INERTIA + 3 * axis), acceleration)
        steady = steady and abs(asked) <= SLEWING * gains[TORQUE_LIMIT + axis]
    for axis in range(3):
        rate = 2.0 * epsilon[axis] * gains[INTEGRAL_RATE]
        memory[RATE + axis] = rate if steady else 0.0


@compiled
def held(memory: Array) -> None:
    """Let s not grow until the next reading: an actuator is at its limit."""
    put(memory, RATE, NO_INTEGRAL)


class Integral:
    """The memory of the integral of an AttitudeLoop.

    longest: gap between readings that it outlasts [s]
    """

    def __init__(self) -> None:
        self._memory = np.zeros(MEMORY.size)
        self.forget()

    def forget(self) -> None:
        """Begin anew with the next reading."""
        self._memory[MODE], self._time_ns = NONE, 0
        self._reference: Array | None = None

    def before(
        self, gains: Array, mode: float, reference: Array, time_ns: int, longest_ns: int
    ) -> Floats:
        """Return s at a reading, three floats [rad].

        gains, reference: flat, of core.control.control_law;  mode: index in MODES
        time_ns: of the reading;  longest_ns: gap that s outlasts [ns]
        """
        seconds = 1e-9 * (time_ns - self._time_ns)
        if self.jumps(gains, reference, time_ns):
            self._memory[MODE] = NONE
        return resumed(gains, mode, seconds, 1e-9 * longest_ns, self._memory)

    def jumps(self, gains: Array, reference: Array, time_ns: int) -> bool:
        """Return whether a reference has jumped before a reading, as told with every reading.

        gains, reference, time_ns: as of `before`
        """
        jumped = self._jumped(gains, reference, 1e-9 * (time_ns - self._time_ns))
        self._time_ns, self._reference = time_ns, reference
        return jumped

    def after(self, gains: Array, epsilon: Floats, share: float) -> None:
        """Decide how it grows from the reading of `before` on; arguments as `judged`."""
        judged(gains, self._reference, epsilon, share, self._memory)

    def go_on(self, memory: Array, time_ns: int, reference: Array) -> None:
        """Be as after a reading of a time [ns] and its reference, with such a memory."""
        self._memory[:] = memory
        if memory[MODE] == NONE:
            self.forget()
        else:
            self._time_ns, self._reference = time_ns, reference

    def hold(self) -> None:
        """Let it not grow until the next reading."""
        held(self._memory)

    def torque_B(self, gains: Gains) -> Vector3:
        """Return the torque of the integral on the body (3,) [N m]."""
        if self._memory[MODE] == NONE:
            return np.zeros(3)
        return -gains.rate_gain @ (gains.rate_per_angle * self._memory[ANGLE:RATE])

    def _jumped(self, gains: Array, reference: Array, seconds: float) -> bool:
        """Return whether a reference is farther than the limit from where it was to be."""
        before = self._reference
        if before is None:
            return False
        w, x, y, z = turned(before, seconds)
        _, *vector = quaternion_product(w, -x, -y, -z, *reference[0:4].tolist())
        return 2.0 * math.hypot(*vector) > gains[INTEGRAL_LIMIT]
