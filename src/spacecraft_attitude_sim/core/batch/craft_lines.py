# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: lags of motors and dipoles as straight lines over a sub-step.

Arguments are those of craft_step.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.batch.craft_held import is_held
from spacecraft_attitude_sim.core.batch.craft_rows import (
    ACCURACY_ROW,
    AFTER,
    BEND,
    DECAYED,
    DIPOLE,
    DIPOLE_RATE,
    DRIVE,
    LAG,
    LOST,
    MAX_POWER,
    MAX_SPEED,
    MAX_TORQUE,
    MEAN,
    MODE,
    MOST,
    MOTOR,
    MOTOR_RATE,
    NO_LOAD,
    OWN_DIPOLE,
    ROD_AFTER,
    ROD_AXIS,
    ROD_DECAYED,
    ROD_DIPOLE,
    ROD_LAG,
    ROD_LOST,
    ROD_MEAN,
    ROD_SLOPE,
    ROD_TARGET,
    SLOPE,
    SMOOTH,
    STALL,
    STEP,
    STEPS,
    TARGET,
    WAY,
    three_of,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.load import FIELD, ZERO
from spacecraft_attitude_sim.core.mathematics.vectors import moved_vector, norm
from spacecraft_attitude_sim.core.parts.first_order_lag import (
    LINE_ERROR,
    MOTOR_LINE_ERROR,
    decay_over,
    line_of,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array


# By so much a quick test is stricter than what it stands for.
STRICTER = 1e-6


@helper
def decays_straight(jump: float, lag: float, error: float, h: float) -> bool:
    """Return whether first_order_lag.longest_line is certainly longer than h seconds."""
    fifth, near = h * h * h * h * h, 1.0 + STRICTER
    smooth = 360.0 * error * lag * lag >= jump * fifth * near
    brief = 6.0 * error >= jump * lag * h * h * near
    return smooth | brief | (lag <= 0.0) | (jump <= 0.0)


@helper
def need_no_pieces(
    w: Array, wheels: Array, rods: Array, here: Array, duration: float, held: Array | None
) -> None:
    """Mark lanes in which lags may cut a sub-step into pieces; write the length of those."""
    for i in range(LANES):
        w[STEP, i] = duration / w[STEPS, i]
    need_straight_motors(w, wheels, held)
    for n in range(len(rods)):
        for i in range(LANES):
            error = LINE_ERROR if w[ACCURACY_ROW, i] <= 0.0 else w[ACCURACY_ROW, i]
            field = norm((here[0, FIELD, i], here[0, FIELD + 1, i], here[0, FIELD + 2, i]))
            off = abs(rods[n, ROD_DIPOLE, i] - rods[n, ROD_TARGET, i]) * field
            straight = decays_straight(w[BEND, i] * off, rods[n, ROD_LAG, i], error, w[STEP, i])
            w[SMOOTH, i] = w[SMOOTH, i] if straight else 0.0


@helper
def need_straight_motors(w: Array, wheels: Array, held: Array | None) -> None:
    """Mark lanes in which lags of motors may cut a sub-step of length STEP into pieces."""
    for n in range(len(wheels)):
        for i in range(LANES):
            error = MOTOR_LINE_ERROR if w[ACCURACY_ROW, i] <= 0.0 else w[ACCURACY_ROW, i]
            jump = w[BEND, i] * abs(wheels[n, DRIVE, i] - wheels[n, TARGET, i])
            jump = 0.0 if is_held(wheels[n, MODE, i], held) else jump
            straight = decays_straight(jump, wheels[n, LAG, i], error, w[STEP, i])
            w[SMOOTH, i] = w[SMOOTH, i] if straight else 0.0


@helper
def draw_wheels(w: Array, wheels: Array) -> int:
    """Write the motors' torques in a sub-step as lines, as ReactionWheels' draw_lines.

    Return how many lag.
    """
    lagging = 0
    for n in range(len(wheels)):
        renew_decays(w, wheels[n], LAG, DECAYED, LOST)
        for i in range(LANES):
            begin, target = wheels[n, DRIVE, i], wheels[n, TARGET, i]
            decay = wheels[n, LOST, i], wheels[n, MEAN, i], wheels[n, SLOPE, i]
            a, b, after = line_of(begin, target, decay, w[STEP, i])
            still = (begin == target) | (wheels[n, LAG, i] <= 0.0)
            a, b = target if still else a, 0.0 if still else b
            wheels[n, MOTOR, i], wheels[n, MOTOR_RATE, i] = a, b
            wheels[n, AFTER, i] = target if still else after
            lagging += begin != target
    return lagging


@helper
def draw_rods(w: Array, rods: Array) -> int:
    """Write the dipole in a sub-step as a line, as Magnetorquers' draw_lines.

    Return how many lag.
    """
    lagging = 0
    for i in range(LANES):
        put_three(w, DIPOLE, i, three(w, OWN_DIPOLE, i))
        put_three(w, DIPOLE_RATE, i, ZERO)
    for n in range(len(rods)):
        renew_decays(w, rods[n], ROD_LAG, ROD_DECAYED, ROD_LOST)
        for i in range(LANES):
            begin, target = rods[n, ROD_DIPOLE, i], rods[n, ROD_TARGET, i]
            decay = rods[n, ROD_LOST, i], rods[n, ROD_MEAN, i], rods[n, ROD_SLOPE, i]
            a, b, after = line_of(begin, target, decay, w[STEP, i])
            still = (begin == target) | (rods[n, ROD_LAG, i] <= 0.0)
            a, b = target if still else a, 0.0 if still else b
            axis = three_of(rods, n, ROD_AXIS, i)
            put_three(w, DIPOLE, i, moved_vector(three(w, DIPOLE, i), a, axis))
            put_three(w, DIPOLE_RATE, i, moved_vector(three(w, DIPOLE_RATE, i), b, axis))
            rods[n, ROD_AFTER, i] = target if still else after
            lagging += begin != target
    return lagging


@part
def renew_decays(w: Array, rows: Array, lag: int, decayed: int, lost: int) -> None:
    """Compute the decays of a motor or dipole over the sub-steps anew, where those are others.

    rows: of one wheel or magnetorquer;  lag, decayed, lost: where these are in it
    """
    for i in range(LANES):
        if rows[decayed, i] != w[STEP, i] and rows[lag, i] > 0.0:
            decay = decay_over(w[STEP, i] / rows[lag, i])
            rows[lost, i], rows[lost + 1, i], rows[lost + 2, i] = decay
            rows[decayed, i] = w[STEP, i]


@helper
def limit_speed(w: Array, wheel: Array) -> None:
    """Write MOST: the speed at which a limit of power or voltage acts, as quiet.calm."""
    for i in range(LANES):
        begin = wheel[MOTOR, i]
        end = begin + wheel[MOTOR_RATE, i] * w[STEP, i]
        largest, way = min(max(abs(begin), abs(end)), wheel[MAX_TORQUE, i]), wheel[WAY, i]
        speed = min(wheel[MAX_SPEED, i], wheel[MAX_POWER, i] / largest)
        speed = min(speed, wheel[NO_LOAD, i] * (1.0 - largest / wheel[STALL, i]))
        drives = max(way * begin, way * end) > 0.0
        wheel[MOST, i] = (1.0 - 1e-12) * (speed if drives else wheel[MAX_SPEED, i])
