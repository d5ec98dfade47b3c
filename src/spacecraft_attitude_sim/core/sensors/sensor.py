# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a sensor is: one compiled function, which a node, a batch and a control law all call."""

from typing import ClassVar, Protocol

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.kernels.kernel import Kernel, compiled_as

SENSOR = f'void(int64{", float64[::1]" * 4})'
# What compiles a sensor: read(number, truth, constants, memory, reading) writes `reading`, and
# goes on in `memory`, both its own. Truth is (16,) of core.body.kinematics.TRUTH, and in an orbit
# behind it what core.sensors.around says; number counts calls from the start of the run. Memory
# is nan at first: the sensor begins.
sensor_function = compiled_as(SENSOR)
# First float of the reading of a sensor with `reasons`, where there is something to read.
SEES = 0.0


class Sensor(Protocol):
    """A sensor of a body; nothing in it changes during a run.

    name: of what it reads, in Readings.flat;  reading: Layout of that, all finite
    function: made by sensor_function;  memory_size: number of floats that it remembers
    call_interval: how often it is called [ticks]; in between its reading stays
    It may have, too:
    needs_orbit: whether it asks what is around the spacecraft: core.sensors.around
    reasons: why it may see nothing; its reading begins with SEES, or 1 for the first of them, …
    causes: why a measurement may be missing; its reading begins with -1 where none is due, or -2
        in place of one that is missing for the first of them, …
    limits: (size of the reading,) largest sizes that it can say, inf for none
    """

    reading: ClassVar[Layout]

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def function(self) -> Kernel: ...  # noqa: D102

    @property
    def call_interval(self) -> int: ...  # noqa: D102

    @property
    def memory_size(self) -> int: ...  # noqa: D102

    def constants(self, seed: int) -> Array:
        """Return the constants of the function; seed: of every random channel."""
