# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Motor torques and imbalance of reaction wheels as straight lines over a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.parts.first_order_lag import line
from spacecraft_attitude_sim.core.parts.reaction_wheels.imbalance import add_imbalance
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    AFTER,
    ANGLE,
    BLOCK,
    COUPLING,
    DRAWN,
    DRIVE,
    LAG,
    MODE,
    MOTOR,
    MOTOR_RATE,
    ROW,
    SHAKING,
    SKEWED,
    SPEED,
    TARGET,
    UNBALANCED,
    blocks_of,
    own_of,
    value_of,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import (
    drag,
    motor_torque,
    turns_freely,
)
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.fours import all_within, four_at, put_four, repeated
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.craft import Place


@helper
def draw_lines(at: Place, parts: Array, internal: Array, y: Array, work: Array, h: float) -> None:
    """Write motor torques as lines over h, and add force and torque of imbalance; see Kind."""
    for k in range(blocks_of(at)):
        own = at.work + k * BLOCK
        target = four_at(work, own + TARGET)
        if all_within(target - four_at(work, own + DRIVE), repeated(0.0)):
            put_four(work, own + MOTOR, target)
            put_four(work, own + MOTOR_RATE, repeated(0.0))
            put_four(work, own + AFTER, target)
            work[own + DRAWN] = h
        else:
            draw_lags(at, k, parts, work, h)
        if rarely(work[own + SHAKING] > 0.0):
            draw_imbalance(at, k, parts, y, work, h)


@part
def draw_lags(at: Place, k: int, parts: Array, work: Array, h: float) -> None:
    """Write the motor torques of block k as lines over h, and those at its end."""
    for j in range(4 * k, min(4 * k + 4, at.number)):
        own = own_of(at, j)
        a, b, after = line(work[own + DRIVE], work[own + TARGET], parts[at.row + j * ROW + LAG], h)
        work[own + MOTOR], work[own + MOTOR_RATE], work[own + AFTER] = a, b, after
    work[at.work + k * BLOCK + DRAWN] = h


@part
def draw_imbalance(at: Place, k: int, parts: Array, y: Array, work: Array, h: float) -> None:
    """Add force and torque of imbalance of block k as lines over h."""
    for j in range(4 * k, min(4 * k + 4, at.number)):
        row, own = at.row + j * ROW, own_of(at, j)
        if parts[row + UNBALANCED] != 0.0 or parts[row + SKEWED] != 0.0:
            mode, speed, gain = work[own + MODE], work[own + SPEED], 0.0
            if turns_freely(mode):
                middle = work[own + MOTOR] + 0.5 * h * work[own + MOTOR_RATE]
                gain = motor_torque(parts, row, middle, speed)
                gain = (gain + drag(parts, row, speed, mode)) * parts[row + COUPLING]
            add_imbalance(y[value_of(at, j) + ANGLE], speed, gain, h, parts, row, work)


@part
def elapse(at: Place, parts: Array, internal: Array, work: Array, h: float) -> None:
    """Advance the motors' lags by h, over which `draw_lines` drew them; see Kind."""
    for k in range(blocks_of(at)):
        own = at.work + k * BLOCK
        if rarely(work[own + DRAWN] != h):
            draw_lags(at, k, parts, work, h)
        put_four(work, own + DRIVE, four_at(work, own + AFTER))
