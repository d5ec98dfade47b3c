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
from spacecraft_attitude_sim.kernels.kernel import compiled_as, helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3

# One wheel and its tachometer, whose reading is gain × speed + bias, in steps if step is not 0.
TACHOMETER = Layout(axis_B=3, inertia=1, max_speed=1, gain=1, bias=1, step=1)
INERTIA, MAX_SPEED, GAIN, BIAS, STEP = TACHOMETER.places(
    'inertia', 'max_speed', 'gain', 'bias', 'step'
)
MOMENTUM, SIZE = WHEEL_STATE.at('momentum'), TACHOMETER.size


@helper
def speed_at(rows: Array, row: int, internal: Array, own: int, omega_B: Floats) -> float:
    """Return the speed Ω = h/J - a·ω of a wheel [rad/s], or the constant speed of its mode.

    rows: flat TACHOMETERs;  row: where that of the wheel begins
    internal: states of wheels;  own: where its own begin;  omega_B: of the body [rad/s]
    """
    mode = internal[own + MODE_STATE]
    if mode == STUCK:
        return math.copysign(0.0, mode)
    if abs(mode) == FASTEST:
        return math.copysign(rows[row + MAX_SPEED], mode)
    along = rows[row] * omega_B[0] + rows[row + 1] * omega_B[1] + rows[row + 2] * omega_B[2]
    return internal[own + MOMENTUM] / rows[row + INERTIA] - along


@helper
def reading_at(rows: Array, row: int, speed: float) -> float:
    """Return what the tachometer of a wheel reads at a speed [rad/s]; rows, row: of `speed_at`."""
    said, step = rows[row + GAIN] * speed + rows[row + BIAS], rows[row + STEP]
    return step * np.floor(said / step + 0.5) if step > 0.0 else said


@compiled_as('void(float64[::1], float64[::1], float64[::1], float64[::1])')
def find_speeds(rows: Array, internal: Array, omega_B: Vector3, speeds: Array) -> None:
    """Write the speeds (N,) of all wheels [rad/s].

    rows: TACHOMETER of each;  internal: their states;  omega_B: (3,) [rad/s]
    """
    width = len(internal) // len(speeds)
    for k in range(len(speeds)):
        speeds[k] = speed_at(rows, k * SIZE, internal, k * width, omega_B)


@compiled_as('void(float64[::1], float64[::1], float64[::1])')
def find_readings(rows: Array, speeds: Array, readings: Array) -> None:
    """Write the readings (N,) of the tachometers at speeds (N,) [rad/s]."""
    for k in range(len(speeds)):
        readings[k] = reading_at(rows, k * SIZE, speeds[k])
