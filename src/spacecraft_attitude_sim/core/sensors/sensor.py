# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of a sensor: one compiled function for nodes, batches and control laws."""

from typing import ClassVar, Protocol

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.kernels.kernel import Kernel, compiled_as

SENSOR = f'void(int64{", float64[::1]" * 4})'
# Decorator that compiles a sensor: read(number, truth, constants, memory, reading) writes
# `reading` and updates `memory`, both its own. truth is (16,) of core.body.kinematics.TRUTH, in an
# orbit followed by the environment (core.sensors.around); number counts calls from the start of
# the run. memory is nan at first; then the sensor begins.
sensor_function = compiled_as(SENSOR)
# First float of a valid reading of a sensor with `reasons`.
SEES = 0.0
# {part of a reading: its unit}, '' for none.
UNITS = {
    'q_WS': '', 'q_WT': '', 'angular_velocity_S': 'rad/s', 'specific_force_S': 'm/s^2',
    'saturated': '', 'magnetic_field_S': 'T', 'direction_S': '', 'nadir_S': '', 'why': '',
    'illuminance': 'lx', 'position_E': 'm', 'velocity_E': 'm/s', 'clock': 's', 'measured': '',
}  # fmt: skip


class Sensor(Protocol):
    """A sensor of a body; constant during a run.

    name: of its reading, in Readings.flat;  reading: Layout of its reading, always finite
    function: made by sensor_function;  memory_size: number of floats of its memory
    call_interval: ticks between calls; in between its reading stays
    It may also have:
    needs_orbit: whether it needs the environment of an orbit: core.sensors.around
    reasons: why it may see nothing; its reading begins with SEES, or 1 for the first of them, …
    causes: why a measurement may be missing; its reading begins with -1 where none is due, or -2
        in place of a measurement that is missing for the first of them, …
    limits: (size of the reading,) largest magnitudes that it can read, inf for none
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
