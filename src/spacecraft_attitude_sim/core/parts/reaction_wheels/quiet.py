# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Reaction wheels in a step in which none stops, is held or reaches a limit of its motor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.vectors import dot, three_at
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    AXIS_NOW,
    MODE,
    MOST,
    MOTOR,
    MOTOR_RATE,
    ROW,
    SPEED,
    STATIC,
    WAY,
    WORK_ROW,
    J,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import (
    drag,
    turns_freely,
    unlimited_speed,
)
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place


@part
def calm(at: Place, calm: bool, parts: Array, work: Array, h: float) -> bool:
    """Note direction and largest speed of a step without events; see Kind."""
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        mode, speed = work[own + MODE], work[own + SPEED]
        way = math.copysign(1.0, speed)
        if not turns_freely(mode) or (way != mode and parts[row + STATIC] > 0.0):
            return False
        begin = work[own + MOTOR]
        end = begin + work[own + MOTOR_RATE] * h
        most = unlimited_speed(parts, row, max(abs(begin), abs(end)), max(way * begin, way * end))
        if not way * speed <= most:
            return False
        work[own + WAY], work[own + MOST] = way, most
    return calm


@part
def steady(at: Place, calm: bool, parts: Array, work: Array) -> bool:
    """Return whether no wheel has stopped or left what `calm` noted; see Kind."""
    for k in range(at.number):
        own = at.work + k * WORK_ROW
        forward = work[own + WAY] * work[own + SPEED]
        calm = calm and 0.0 <= forward <= work[own + MOST]
    return calm


@part
def glide(
    at: Place, sums: tuple[float, float, bool], parts: Array, y: Array, slope: Array, work: Array,
    omega: Floats, t: float,
) -> tuple[float, float, bool]:  # fmt: skip
    """Write dh/dt and rates of angles as `turn` does, within all limits; see Kind.

    Each wheel is looked at once: its speed is found, compared with what `calm` noted, and used.
    """
    motors, heat, calm = sums
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        along = dot(three_at(work, own + AXIS_NOW), omega)
        speed = y[at.value + k] / parts[row + J] - along
        forward = work[own + WAY] * speed
        calm = calm and 0.0 <= forward <= work[own + MOST]
        motor = work[own + MOTOR] + work[own + MOTOR_RATE] * t
        friction = drag(parts, row, speed, work[own + MODE])
        slope[at.value + k] = motor + friction
        slope[at.value + at.number + k] = speed
        motors += motor * speed
        heat -= friction * speed
    return motors, heat, calm
