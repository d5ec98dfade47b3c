# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The speeds of detailed wheels relative to the body, and what their tachometers say of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    FASTEST,
    MODE_STATE,
    STUCK,
    WHEEL_STATE,
)
from spacecraft_attitude_sim.kernels.kernel import compiled_as

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

# One wheel and its tachometer, whose reading is gain × speed + bias, in steps if step is not 0.
TACHOMETER = Layout(axis_B=3, inertia=1, max_speed=1, gain=1, bias=1, step=1)
INERTIA, MAX_SPEED, GAIN, BIAS, STEP = TACHOMETER.places(
    'inertia', 'max_speed', 'gain', 'bias', 'step'
)
MOMENTUM = WHEEL_STATE.at('momentum')


@compiled_as('void(float64[:, ::1], float64[::1], float64[::1], float64[::1])')
def find_speeds(rows: Array, internal: Array, omega_B: Vector3, speeds: Array) -> None:
    """Write the speeds Ω_i = h_i/J_i - a_i·ω (N,) [rad/s], or the constant speed of a mode.

    rows: (N, TACHOMETER.size);  internal: states of the wheels;  omega_B: (3,) [rad/s]
    """
    width = len(internal) // len(rows)
    for k in range(len(rows)):
        own = k * width
        mode = internal[own + MODE_STATE]
        if mode == STUCK:
            speeds[k] = math.copysign(0.0, mode)
        elif abs(mode) == FASTEST:
            speeds[k] = math.copysign(rows[k, MAX_SPEED], mode)
        else:
            along = rows[k, 0] * omega_B[0] + rows[k, 1] * omega_B[1] + rows[k, 2] * omega_B[2]
            speeds[k] = internal[own + MOMENTUM] / rows[k, INERTIA] - along


@compiled_as('void(float64[:, ::1], float64[::1], float64[::1])')
def find_readings(rows: Array, speeds: Array, readings: Array) -> None:
    """Write the readings (N,) of the tachometers at speeds (N,) [rad/s]."""
    for k in range(len(rows)):
        said, step = rows[k, GAIN] * speeds[k] + rows[k, BIAS], rows[k, STEP]
        readings[k] = step * np.floor(said / step + 0.5) if step > 0.0 else said
