# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A fine Sun sensor: the two angles of the Sun about its boresight, where the Sun is in view.

Neglected: the Earth's light in its field of view, the Sun's size, temperature.
"""

import math
from typing import ClassVar, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import SUN_SENSOR
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, put, three_at
from spacecraft_attitude_sim.core.sensors import around, triad
from spacecraft_attitude_sim.core.sensors.sensor import SEES, sensor_function
from spacecraft_attitude_sim.core.sensors.sun_cell import member_of
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors
from spacecraft_attitude_sim.core.sensors.two_angles import angles_of, direction_of, in_view
from spacecraft_attitude_sim.safety.frozen import dataclass

# why: SEES, or the number of the reason (REASONS) why there is no direction.
READING = Layout(why=1, direction_S=3)
CONSTANTS = Layout(q_BS=4, half_view=2, least_light=1, seed=1, member=1, errors=triad.ERRORS_SIZE)
MOUNTED, HALF_VIEW, LEAST_LIGHT, SEED, MEMBER, ERRORS = CONSTANTS.places()
REASONS = ('the Sun is out of its view', 'no sunlight')
OUT_OF_VIEW, DARK = 1.0, 2.0
NOTHING = (0.0, 0.0, 0.0)


@sensor_function
def read(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of a fine Sun sensor."""
    q_WS = kinematics.attitude_of(four_at(truth, kinematics.ATTITUDE), four_at(constants, MOUNTED))
    a, b = angles_of(kinematics.seen_from(q_WS, three_at(truth, around.TO_SUN)))
    reading[0] = SEES
    put(reading, 1, NOTHING)
    if not in_view((a, b), constants, HALF_VIEW):
        reading[0] = OUT_OF_VIEW
    elif truth[around.LIT] <= constants[LEAST_LIGHT]:
        reading[0] = DARK
    else:
        seed, member = int(constants[SEED]), int(constants[MEMBER])
        errors = constants[ERRORS:]
        angles = triad.read_next(errors, memory, (a, b, 0.0), seed, member, SUN_SENSOR, number)
        put(reading, 1, direction_of(angles))


@dataclass(frozen=True)
class SunSensor:
    """A fine Sun sensor; S is its frame, z its boresight.

    label: its own name, which selects its random numbers;  q_BS: (4,) sensor to body
    position_B: (3,) from the centre of mass [m]
    field_of_view: whole angles about the boresight, of α and of β [rad], below π
    least_light: visible part of the Sun's disc that a reading needs, 0 to 1
    errors: of axes x and y, of α and β [rad];  interval: between readings [ticks]
    """

    reading: ClassVar = READING
    function: ClassVar = read
    memory_size: ClassVar = triad.STATE.size
    needs_orbit: ClassVar = True
    reasons: ClassVar = REASONS

    label: str
    q_BS: VectorLike = IDENTITY
    position_B: VectorLike = (0.0, 0.0, 0.0)
    field_of_view: Floats = (math.radians(120.0), math.radians(120.0))
    least_light: float = 0.0
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

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        half = np.array(self.field_of_view) / 2.0
        own = self.least_light, seed, member_of(self.label)
        return np.concatenate((self.q_BS, half, own, self.errors.flat))


class Sight(NamedTuple):
    """A measured direction.

    direction_S: (3,) unit vector in the sensor's axes, or None
    why: the reason where there is none, else ''
    """

    direction_S: Vector3 | None
    why: str


def named(reading: Array, reasons: tuple[str, ...] = REASONS) -> Sight:
    """Return the Sight of a flat READING."""
    if reading[0] == SEES:
        return Sight(reading[1:4], '')
    return Sight(None, reasons[int(reading[0]) - 1])
