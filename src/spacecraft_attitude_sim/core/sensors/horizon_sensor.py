# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An infrared horizon sensor: the direction of the Earth's centre, from the limb around it.

The carbon dioxide of the air radiates from a larger height where it is warm. The height of the
horizon is taken as linear in the sine of latitude, rising towards the summer pole. Then the middle
of the horizon is off the centre along the meridian by an angle proportional to cos(latitude), and
to the season. Neglected: the Earth's flattening, which the sensor's own processing corrects,
weather, the Moon.
"""

import math
from typing import ClassVar

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import HORIZON_SENSOR
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY, quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import (
    dot,
    four_at,
    moved_vector,
    norm,
    put,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.core.sensors import around, triad
from spacecraft_attitude_sim.core.sensors.sensor import SEES, sensor_function
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors
from spacecraft_attitude_sim.core.sensors.two_angles import angles_of, direction_of, in_view
from spacecraft_attitude_sim.kernels.kernel import part
from spacecraft_attitude_sim.safety.frozen import dataclass

# why: SEES, or the number of the reason (REASONS) why there is no direction.
READING = Layout(why=1, nadir_S=3)
CONSTANTS = Layout(q_BS=4, half_view=2, seasonal=1, exclusion=1, seed=1, errors=triad.ERRORS_SIZE)
MOUNTED, HALF_VIEW, SEASONAL, EXCLUSION, SEED, ERRORS = CONSTANTS.places()
REASONS = ("the Earth's centre is out of its view", 'the Sun is near the limb')
OUT_OF_VIEW, BLINDED = 1.0, 2.0
NOTHING = (0.0, 0.0, 0.0)
# Sine of the Sun's largest declination.
MIDSUMMER = math.sin(math.radians(23.44))


@sensor_function
def read(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of a horizon sensor."""
    q_WS = kinematics.attitude_of(four_at(truth, kinematics.ATTITUDE), four_at(constants, MOUNTED))
    nadir_W = scaled(-1.0, around.up_W(truth))
    reading[0] = SEES
    put(reading, 1, NOTHING)
    if not in_view(angles_of(kinematics.seen_from(q_WS, nadir_W)), constants, HALF_VIEW):
        reading[0] = OUT_OF_VIEW
    elif blinded(truth, nadir_W, constants[EXCLUSION]):
        reading[0] = BLINDED
    else:
        middle_W = warm_middle(truth, nadir_W, constants[SEASONAL])
        a, b = angles_of(kinematics.seen_from(q_WS, middle_W))
        angles = triad.read_next(
            constants[ERRORS:], memory, (a, b, 0.0), int(constants[SEED]), 0, HORIZON_SENSOR,
            number,
        )  # fmt: skip
        put(reading, 1, direction_of(angles))


@part
def blinded(truth: Array, nadir_W: Floats, exclusion: float) -> bool:
    """Return whether the Sun is above the limb by less than an angle [rad], 0 for never."""
    if exclusion <= 0.0 or truth[around.LIT] <= 0.0:
        return False
    to_sun_W = three_at(truth, around.TO_SUN)
    return around.angle_between(nadir_W, to_sun_W) < around.earth_radius(truth) + exclusion


@part
def warm_middle(truth: Array, nadir_W: Floats, seasonal: float) -> Floats:
    """Return the unit vector to the middle of the infrared horizon.

    seasonal: its error over the equator at the solstices [rad]
    """
    if seasonal == 0.0:
        return nadir_W
    q = four_at(truth, around.Q_WE)
    north_W = quaternion_sandwich(q[0], q[1], q[2], q[3], 0.0, 0.0, 1.0)
    season = dot(three_at(truth, around.TO_SUN), north_W) / MIDSUMMER
    # North along the meridian; its length is the cosine of latitude.
    along = moved_vector(north_W, -dot(north_W, nadir_W), nadir_W)
    middle = moved_vector(nadir_W, seasonal * season, along)
    return scaled(1.0 / norm(middle), middle)


@dataclass(frozen=True)
class HorizonSensor:
    """A horizon sensor; S is its frame, z its boresight.

    q_BS: (4,) sensor to body;  position_B: (3,) from the centre of mass [m]
    field_of_view: whole angles about the boresight in which the Earth's centre must be, of α and
        of β [rad], below π
    seasonal_error: towards the summer pole, over the equator at the solstices [rad]
    sun_exclusion: no reading while the Sun is above the limb by less than this [rad], 0 for none
    errors: of axes x and y, of α and β [rad];  interval: between readings [ticks]
    """

    name: ClassVar = 'horizon_sensor'
    reading: ClassVar = READING
    function: ClassVar = read
    memory_size: ClassVar = triad.STATE.size
    needs_orbit: ClassVar = True
    reasons: ClassVar = REASONS

    q_BS: VectorLike = IDENTITY
    position_B: VectorLike = (0.0, 0.0, 0.0)
    field_of_view: Floats = (math.radians(120.0), math.radians(120.0))
    seasonal_error: float = 0.0
    sun_exclusion: float = 0.0
    errors: TriadErrors = TriadErrors()
    interval: int = 1

    @property
    def call_interval(self) -> int:
        """Ticks between calls: each reading is one call."""
        return self.interval

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        half = np.array(self.field_of_view) / 2.0
        own = self.seasonal_error, self.sun_exclusion, seed
        return np.concatenate((self.q_BS, half, own, self.errors.flat))
