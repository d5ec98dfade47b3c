# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A star tracker: its attitude at intervals, with noise and latency, none when it turns too fast.

With given exclusion angles there is none with Sun, Earth or Moon near its boresight, either.
Neglected: the first acquisition, low-frequency errors, smearing below the rate limit.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import STAR_TRACKER
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    Floats,
    Quaternion,
    Vector3,
    VectorLike,
)
from spacecraft_attitude_sim.core.mathematics.vectors import dot, four_at, put, scaled, three_at
from spacecraft_attitude_sim.core.sensors import around
from spacecraft_attitude_sim.core.sensors.attitude_noise import disturbed
from spacecraft_attitude_sim.core.sensors.sensor import sensor_function
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.safety.frozen import dataclass

# measured: tick of the measurement. NONE between two measurements; NONE - k in place of one that
# is missing for the k-th of the CAUSES. The memory is a ring buffer of such readings, one for each
# measurement that can be in its latency.
READING = Layout(measured=1, q_WT=4)
CONSTANTS = Layout(q_BT=4, interval=1, latency=1, sigma=3, rate_limit=1, seed=1, exclusion=3)
NONE = -1.0
NOTHING = (NONE, 0.0, 0.0, 0.0, 0.0)
# Where several hold, the first one is reported.
CAUSES = (
    'above rate_limit', 'Sun within sun_exclusion', 'Earth within earth_exclusion',
    'Moon within moon_exclusion',
)  # fmt: skip
TOO_FAST, NEAR_SUN, NEAR_EARTH, NEAR_MOON = 1.0, 2.0, 3.0, 4.0
SIZE = READING.size
MOUNTED, INTERVAL, LATENCY = (CONSTANTS.at(name) for name in ('q_BT', 'interval', 'latency'))
SIGMA, RATE_LIMIT, SEED = (CONSTANTS.at(name) for name in ('sigma', 'rate_limit', 'seed'))
SUN = CONSTANTS.at('exclusion')
EARTH, MOON = SUN + 1, SUN + 2


@sensor_function
def read(tick: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the attitude that arrives at a tick, or why the due one is missing."""
    if memory[0] != memory[0]:
        for k in range(0, len(memory), SIZE):
            memory[k] = NONE
    interval, measured = int(constants[INTERVAL]), tick - int(constants[LATENCY])
    slots = len(memory) // SIZE
    if tick % interval == 0:
        put(memory, SIZE * (tick // interval % slots), measurement(tick, truth, constants))
    k = SIZE * (measured // interval % slots)
    due = measured >= 0 and measured % interval == 0
    put(reading, 0, (memory[k], *four_at(memory, k + 1)) if due else NOTHING)


@part
def measurement(tick: int, truth: Array, constants: Array) -> tuple[float, ...]:
    """Return the READING measured at a tick, five floats."""
    omega, limit = three_at(truth, kinematics.RATE), constants[RATE_LIMIT]
    if limit > 0.0 and limit * limit < dot(omega, omega):
        return missing(TOO_FAST)
    q_WT = kinematics.attitude_of(four_at(truth, kinematics.ATTITUDE), four_at(constants, MOUNTED))
    cause = dazzled(truth, constants, q_WT)
    if cause > 0.0:
        return missing(cause)
    sigma, seed = three_at(constants, SIGMA), int(constants[SEED])
    return (float(tick), *disturbed(q_WT, sigma, seed, STAR_TRACKER, tick))


@helper
def missing(cause: float) -> tuple[float, ...]:
    """Return the READING of a missing measurement, five floats; cause: 1 for the first."""
    return (NONE - cause, 0.0, 0.0, 0.0, 0.0)


@part
def dazzled(truth: Array, constants: Array, q_WT: Floats) -> float:
    """Return NEAR_SUN, NEAR_EARTH or NEAR_MOON where it is too near to the boresight, else 0.

    Without exclusion angles truth may end with TRUTH.
    """
    sun, earth, moon = three_at(constants, SUN)
    if not (sun > 0.0 or earth > 0.0 or moon > 0.0):
        return 0.0
    boresight_W = quaternion_sandwich(q_WT[0], q_WT[1], q_WT[2], q_WT[3], 0.0, 0.0, 1.0)
    to_sun_W, to_moon_W = three_at(truth, around.TO_SUN), three_at(truth, around.TO_MOON)
    if truth[around.LIT] > 0.0 and around.angle_between(boresight_W, to_sun_W) < sun:
        return NEAR_SUN
    nadir_W = scaled(-1.0, around.up_W(truth))
    limb = around.angle_between(boresight_W, nadir_W) - around.earth_radius(truth)
    if earth > 0.0 and limb < earth:
        return NEAR_EARTH
    return NEAR_MOON if around.angle_between(boresight_W, to_moon_W) < moon else 0.0


@dataclass(frozen=True)
class StarTracker:
    """A star tracker; T is its frame, z its boresight.

    q_BT: (4,) tracker to body;  interval, latency: [ticks]
    cross_boresight, about_boresight: standard deviation of white noise [rad]
    rate_limit: no solution above it [rad/s], 0 for no limit
    sun_exclusion, earth_exclusion, moon_exclusion: no solution with the boresight nearer to the
        Sun (except in the umbra), the Earth's limb or the Moon [rad], 0 for none
    """

    name: ClassVar = 'star_tracker'
    reading: ClassVar = READING
    function: ClassVar = read
    call_interval: ClassVar = 1  # a measurement may arrive at any tick
    causes: ClassVar = CAUSES

    q_BT: VectorLike
    interval: int = 1
    latency: int = 0
    cross_boresight: float = 0.0
    about_boresight: float = 0.0
    rate_limit: float = 0.0
    sun_exclusion: float = 0.0
    earth_exclusion: float = 0.0
    moon_exclusion: float = 0.0

    @property
    def needs_orbit(self) -> bool:
        """Whether it needs the directions of Sun, Earth or Moon."""
        return any(self.exclusion)

    @property
    def exclusion(self) -> tuple[float, float, float]:
        """Its exclusion angles from Sun, Earth's limb and Moon [rad]."""
        return self.sun_exclusion, self.earth_exclusion, self.moon_exclusion

    @property
    def memory_size(self) -> int:
        """Number of floats of the ring buffer of measurements in their latency."""
        return SIZE * (self.latency // self.interval + 1)

    @property
    def sigma(self) -> tuple[float, float, float]:
        """The standard deviation of the noise about the tracker's x, y, z [rad]."""
        return self.cross_boresight, self.cross_boresight, self.about_boresight

    def variance(self) -> Vector3:
        """Return the variance (3,) of the attitude about the tracker's x, y, z [rad^2]."""
        return np.square(self.sigma)

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        own = (self.interval, self.latency, *self.sigma, self.rate_limit, seed)
        return np.concatenate((self.q_BT, own, self.exclusion))


class Solution(NamedTuple):
    """A measured attitude.

    measured: ticks since the run began;  q_WT: (4,)
    """

    measured: int
    q_WT: Quaternion


def named(reading: Array) -> Solution | None:
    """Return the Solution of a flat READING; None where none arrives."""
    measured = reading.item(0)
    return None if measured <= NONE else Solution(int(measured), reading[1:])
