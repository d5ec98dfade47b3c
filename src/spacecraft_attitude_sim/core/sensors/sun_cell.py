# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A coarse Sun cell: its illuminance, by the cosine of the Sun's angle from its normal.

Neglected: what it sees of the spacecraft itself, temperature, ageing, and the effect of a narrower
view on the Earth's light.
"""

import math
import zlib
from typing import ClassVar

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import SUN_CELL
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import dot, four_at, three_at
from spacecraft_attitude_sim.core.sensors import around, triad
from spacecraft_attitude_sim.core.sensors.albedo import albedo_irradiance
from spacecraft_attitude_sim.core.sensors.sensor import sensor_function
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors
from spacecraft_attitude_sim.safety.frozen import dataclass

READING = Layout(illuminance=1)
CONSTANTS = Layout(
    normal_B=3, cosine=1, edge=1, efficacy=1, albedo=1, seed=1, member=1, errors=triad.ERRORS_SIZE,
)  # fmt: skip
NORMAL, COSINE, EDGE, EFFICACY, ALBEDO, SEED, MEMBER, ERRORS = CONSTANTS.places()


@sensor_function
def read(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of a cell."""
    q, n = four_at(truth, kinematics.ATTITUDE), three_at(constants, NORMAL)
    normal_W = quaternion_sandwich(q[0], q[1], q[2], q[3], n[0], n[1], n[2])
    to_sun_W, lit = three_at(truth, around.TO_SUN), truth[around.LIT]
    light, cosine = 0.0, dot(normal_W, to_sun_W)
    if cosine > 0.0 and cosine >= constants[COSINE]:
        light = truth[around.IRRADIANCE] * cosine
        if constants[EDGE] > 0.0:
            light *= -math.expm1(-cosine / constants[EDGE])
    # In the umbra no lit ground is in view.
    if constants[ALBEDO] > 0.0 and lit > 0.0:
        light += albedo_irradiance(
            three_at(truth, around.POSITION), to_sun_W, truth[around.IRRADIANCE] / lit,
            constants[ALBEDO], normal_W,
        )  # fmt: skip
    felt = (constants[EFFICACY] * light, 0.0, 0.0)
    seed, member = int(constants[SEED]), int(constants[MEMBER])
    read = triad.read_next(constants[ERRORS:], memory, felt, seed, member, SUN_CELL, number)
    reading[0] = read[0]


@dataclass(frozen=True)
class SunCell:
    """A coarse Sun cell.

    label: its own name, which selects its random numbers;  normal_B: (3,) outward unit vector
    position_B: (3,) from the centre of mass [m]
    field_of_view: whole angle of its cone [rad]
    edge: loss at grazing incidence: the cosine c counts c (1 - exp(-c / edge)), 0 for none
    efficacy: [lm/W];  albedo: of the Earth, 0 to 1;  errors: of its axis x [lx]
    interval: between readings [ticks]
    """

    reading: ClassVar = READING
    function: ClassVar = read
    memory_size: ClassVar = triad.STATE.size
    needs_orbit: ClassVar = True

    label: str
    normal_B: VectorLike
    position_B: VectorLike = (0.0, 0.0, 0.0)
    field_of_view: float = math.pi
    edge: float = 0.0
    efficacy: float = 97.6
    albedo: float = 0.0
    errors: TriadErrors = TriadErrors()
    interval: int = 1

    @property
    def name(self) -> str:
        """Name of its reading."""
        return f'sun_sensor/{self.label}'

    @property
    def call_interval(self) -> int:
        """Ticks between calls: each reading is one call."""
        return self.interval

    @property
    def limits(self) -> Array:
        """The largest illuminance (1,) that it can read [lx]."""
        return self.errors.limits[:1]

    @property
    def q_BS(self) -> Quaternion:
        """Attitude of its frame (4,), sensor to body: x is the normal, by the smallest angle."""
        x, y, z = self.normal_B
        if x < -1.0 + 1e-12:
            return np.array((0.0, 0.0, 0.0, 1.0))
        q = np.array((1.0 + x, 0.0, -z, y))
        return q / norm(q)

    def variance(self) -> float:
        """Return the variance from reading to reading [lx^2]."""
        return float(self.errors.sample_variance()[0])

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        cosine = math.cos(0.5 * self.field_of_view)
        own = cosine, self.edge, self.efficacy, self.albedo, seed, member_of(self.label)
        return np.concatenate((self.normal_B, own, self.errors.flat))


def member_of(label: str) -> int:
    """Return a named sensor's number in random_streams, which does not depend on other sensors."""
    return zlib.crc32(label.encode())
