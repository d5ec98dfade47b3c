# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A GNSS receiver: position, velocity and time of its antenna, in Earth-fixed axes.

Its errors drift: each is a first-order Gauss-Markov process, which goes on without a fix, too.
Neglected: which satellites are in view, the ionosphere, delays, larger vertical errors.
"""

import math
from typing import ClassVar, NamedTuple

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import GNSS, three_normals
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY, quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    four_at,
    put,
    three_at,
)
from spacecraft_attitude_sim.core.sensors import around
from spacecraft_attitude_sim.core.sensors.sensor import SEES, sensor_function
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.safety.frozen import dataclass

# why: SEES, or the number of the reason (REASONS) why there is no fix.
READING = Layout(why=1, position_E=3, velocity_E=3, clock=1)
# kept, renewed: parts of each error from reading to reading;  needed: readings from view to fix
CONSTANTS = Layout(
    q_BS=4, position_B=3, cosine=1, needed=1, kept=1, renewed=1, position=1, velocity=1, clock=1,
    seed=1,
)  # fmt: skip
(
    MOUNTED, PLACE, COSINE, NEEDED, KEPT, RENEWED, POSITION_ERROR, VELOCITY_ERROR, CLOCK_ERROR,
    SEED,
) = CONSTANTS.places()  # fmt: skip
# in_view: readings for which the antenna has looked up
MEMORY = Layout(errors=9, in_view=1)
IN_VIEW = MEMORY.at('in_view')
REASONS = ('its antenna looks away from the sky', 'it is acquiring')
LOOKS_AWAY, ACQUIRING = 1.0, 2.0
# Rotation rate of the Earth in inertial axes [rad/s]: IERS Conventions 2010, equation 5.15.
EARTH_RATE = 2.0 * math.pi * 1.00273781191135448 / 86400.0


@sensor_function
def read(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of a receiver."""
    _drift(number, constants, memory)
    for k in range(len(reading)):
        reading[k] = 0.0
    if not looks_up(truth, constants):
        memory[IN_VIEW] = 0.0
        reading[0] = LOOKS_AWAY
        return
    memory[IN_VIEW] += 1.0
    if memory[IN_VIEW] <= constants[NEEDED]:
        reading[0] = ACQUIRING
        return
    position_E, velocity_E = antenna_motion_E(truth, three_at(constants, PLACE))
    reading[0] = SEES
    put(reading, 1, added(position_E, three_at(memory, 0)))
    put(reading, 4, added(velocity_E, three_at(memory, 3)))
    reading[7] = memory[6]


@part
def _drift(number: int, constants: Array, memory: Array) -> None:
    """Advance the errors by one reading; exact for Gauss-Markov processes at any interval."""
    begins = memory[0] != memory[0]
    if begins:
        memory[IN_VIEW] = constants[NEEDED]  # the run begins with a fix
    kept = 0.0 if begins else constants[KEPT]
    renewed = 1.0 if begins else constants[RENEWED]
    for kind in range(3):
        sigma = constants[POSITION_ERROR + kind]
        drawn = (0.0, 0.0, 0.0)
        if sigma > 0.0:
            drawn = three_normals(int(constants[SEED]), 0, GNSS + kind, number)
        for i in range(3):
            before = 0.0 if begins else memory[3 * kind + i]
            memory[3 * kind + i] = kept * before + renewed * sigma * drawn[i]


@helper
def looks_up(truth: Array, constants: Array) -> bool:
    """Return whether the antenna's boresight, z, is within its cone about the zenith."""
    q = kinematics.attitude_of(four_at(truth, kinematics.ATTITUDE), four_at(constants, MOUNTED))
    boresight_W = quaternion_sandwich(q[0], q[1], q[2], q[3], 0.0, 0.0, 1.0)
    return dot(boresight_W, around.up_W(truth)) >= constants[COSINE]


@helper
def antenna_motion_E(truth: Array, r_B: Floats) -> tuple[Floats, Floats]:
    """Return position and velocity of a point of the body in axes that turn with the Earth.

    r_B: (3,) from the centre of mass [m]
    """
    q, q_WE = four_at(truth, kinematics.ATTITUDE), four_at(truth, around.Q_WE)
    r_W = quaternion_sandwich(q[0], q[1], q[2], q[3], r_B[0], r_B[1], r_B[2])
    v_B = cross(three_at(truth, kinematics.RATE), r_B)
    v_W = quaternion_sandwich(q[0], q[1], q[2], q[3], v_B[0], v_B[1], v_B[2])
    p = kinematics.seen_from(q_WE, added(three_at(truth, around.POSITION), r_W))
    v = kinematics.seen_from(q_WE, added(three_at(truth, around.VELOCITY), v_W))
    return p, (v[0] + EARTH_RATE * p[1], v[1] - EARTH_RATE * p[0], v[2])


@dataclass(frozen=True)
class Gnss:
    """A GNSS receiver; S is the frame of its antenna, z the antenna's boresight.

    q_BS: (4,) antenna to body;  position_B: (3,) of the antenna from the centre of mass [m]
    cone: largest angle between boresight and zenith with a fix [rad], π for no limit
    acquisition: time from when the antenna looks up again to a fix [s]
    position_error, velocity_error: standard deviation on each axis [m, m/s]
    clock_error: standard deviation [s];  correlation_time: of all of them [s]
    interval: between readings [ticks];  period: the same [s]
    """

    name: ClassVar = 'gnss'
    reading: ClassVar = READING
    function: ClassVar = read
    memory_size: ClassVar = MEMORY.size
    needs_orbit: ClassVar = True
    reasons: ClassVar = REASONS

    q_BS: VectorLike = IDENTITY
    position_B: VectorLike = (0.0, 0.0, 0.0)
    cone: float = math.pi
    acquisition: float = 0.0
    position_error: float = 0.0
    velocity_error: float = 0.0
    clock_error: float = 0.0
    correlation_time: float = 100.0
    interval: int = 1
    period: float = TICK_SECONDS

    @property
    def call_interval(self) -> int:
        """Ticks between calls: each reading is one call."""
        return self.interval

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        elapsed = self.period / self.correlation_time
        return CONSTANTS.packed(
            q_BS=self.q_BS,
            position_B=self.position_B,
            cosine=math.cos(self.cone) if self.cone < math.pi else -2.0,
            # The quotient is rounded: 0.28 s are seven readings at 0.04 s, and no eighth.
            needed=math.ceil(self.acquisition / self.period * (1.0 - 1e-12)),
            kept=math.exp(-elapsed),
            renewed=math.sqrt(-math.expm1(-2.0 * elapsed)),
            position=self.position_error,
            velocity=self.velocity_error,
            clock=self.clock_error,
            seed=seed,
        )


class Fix(NamedTuple):
    """A reading of a receiver, in Earth-fixed axes.

    position_E: (3,) of its antenna from the Earth's centre [m];  velocity_E: (3,) [m/s]
    clock: error of its time [s]
    """

    position_E: Vector3
    velocity_E: Vector3
    clock: float


def named(reading: Array) -> Fix | None:
    """Return the Fix of a flat READING; None without one."""
    return Fix(reading[1:4], reading[4:7], float(reading[7])) if reading[0] == SEES else None
