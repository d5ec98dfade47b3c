# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A magnetometer: the magnetic field of the environment, in its own axes.

The body's own magnetism is fixed to it: hard iron h adds a field, soft iron draws the field aside.
The magnetometer feels A B + h, and reads it with the errors of a triad.
"""

from typing import ClassVar

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import MAGNETOMETER
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    four_at,
    nine_at,
    put,
    three_at,
    turned,
)
from spacecraft_attitude_sim.core.sensors import triad
from spacecraft_attitude_sim.core.sensors.sensor import sensor_function
from spacecraft_attitude_sim.core.sensors.triad import TriadErrors
from spacecraft_attitude_sim.kernels.kernel import helper
from spacecraft_attitude_sim.safety.frozen import dataclass

READING = Layout(magnetic_field_S=3)
# iron: whether there is any;  soft_iron: A, row by row;  hard_iron: h [T]
CONSTANTS = Layout(
    q_BS=4, seed=1, iron=1, soft_iron=9, hard_iron=3, errors=triad.ERRORS_SIZE
)  # fmt: skip
FIELD = kinematics.TRUTH.at('magnetic_field_W')
MOUNTED, SEED, ERRORS = CONSTANTS.at('q_BS'), CONSTANTS.at('seed'), CONSTANTS.at('errors')
IRON, SOFT, HARD = (CONSTANTS.at(name) for name in ('iron', 'soft_iron', 'hard_iron'))
NO_SOFT_IRON = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@helper
def felt(field_S: Floats, constants: Array, begin: int) -> Floats:
    """Return the field that a magnetometer feels: A B + h, three floats [T].

    field_S: B in its axes, three floats;  begin: where its CONSTANTS begin in `constants`
    """
    if constants[begin + IRON] == 0.0:
        return field_S
    drawn = turned(nine_at(constants, begin + SOFT), field_S)
    return added(drawn, three_at(constants, begin + HARD))


@sensor_function
def read(number: int, truth: Array, constants: Array, memory: Array, reading: Array) -> None:
    """Write the reading of a magnetometer."""
    q_WS = kinematics.attitude_of(four_at(truth, kinematics.ATTITUDE), four_at(constants, MOUNTED))
    field_S = felt(kinematics.seen_from(q_WS, three_at(truth, FIELD)), constants, 0)
    seed = int(constants[SEED])
    put(
        reading, 0,
        triad.read_next(constants[ERRORS:], memory, field_S, seed, 0, MAGNETOMETER, number),
    )  # fmt: skip


@dataclass(frozen=True)
class Magnetometer:
    """A magnetometer.

    q_BS: (4,) sensor to body, in the simulator as the IMU's;  interval: between readings [ticks]
    soft_iron: A, nine numbers, row by row;  hard_iron: h (3,) [T]; both in its axes
    """

    name: ClassVar = 'magnetometer'
    reading: ClassVar = READING
    function: ClassVar = read
    memory_size: ClassVar = triad.STATE.size

    q_BS: VectorLike = IDENTITY
    errors: TriadErrors = TriadErrors()
    interval: int = 1
    soft_iron: Floats = NO_SOFT_IRON
    hard_iron: Floats = triad.NONE

    @property
    def call_interval(self) -> int:
        """Ticks between calls: each reading is one call."""
        return self.interval

    @property
    def limits(self) -> Array:
        """The largest field on each axis (3,) that it can read [T]."""
        return self.errors.limits

    def constants(self, seed: int) -> Array:
        """Return CONSTANTS."""
        iron = (*self.soft_iron, *self.hard_iron) != (*NO_SOFT_IRON, *triad.NONE)
        return CONSTANTS.packed(
            q_BS=self.q_BS, seed=seed, iron=float(iron), soft_iron=self.soft_iron,
            hard_iron=self.hard_iron, errors=self.errors.flat,
        )  # fmt: skip
