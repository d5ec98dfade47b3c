# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Torques of a reaction wheel: friction, the motor within its limits, the speed servo.

Friction is viscous and Coulomb, with static friction near zero speed (Stribeck). When a wheel that
friction holds comes free is an event: `excess` in kernel.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.parts.craft import within
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    BANDWIDTH,
    COULOMB,
    COUPLING,
    HELD_SPEED,
    LOCKED,
    MAX_POWER,
    MAX_SPEED,
    MAX_TORQUE,
    NO_LOAD,
    STALL,
    STATIC,
    STRIBECK,
    STUCK,
    TACHO_BIAS,
    TACHO_GAIN,
    TACHO_STEP,
    VISCOUS,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Part of a speed by which a bound is below the exact one, so that round-off does not count.
ROUND_OFF = 1e-12


@helper
def drag(parts: Array, row: int, speed: float, way: float) -> float:
    """Return the friction torque on a wheel [N m]; way: its direction of rotation, +1 or -1.

    Viscous and Coulomb friction; with a Stribeck speed, static friction near zero speed.
    """
    return friction(parts[row + VISCOUS], dry_friction(parts, row, speed), speed, way)


@helper
def dry_friction(parts: Array, row: int, speed: float) -> float:
    """Return the size of Coulomb friction and of what static friction adds to it [N m]."""
    return dry_at(parts[row + COULOMB], parts[row + STATIC], parts[row + STRIBECK], speed)


@helper
def dry_at(coulomb: float, static: float, slow: float, speed: float) -> float:
    """Return `dry_friction` [N m]; slow: Stribeck speed, or 0 [rad/s]."""
    if slow > 0.0:
        ratio = speed / slow
        coulomb += (static - coulomb) * math.exp(-ratio * ratio)
    return coulomb


@helper
def friction(viscous: float, dry: float, speed: float, way: float) -> float:
    """Return viscous and dry friction [N m]; viscous: [N m s];  dry: [N m];  others: of `drag`."""
    return -viscous * speed - way * dry


@helper
def motor_torque(parts: Array, row: int, torque: float, speed: float) -> float:
    """Return a motor's torque within its limits of torque, power and voltage at a speed [N m]."""
    most = parts[row + MAX_TORQUE]
    if torque * speed > 0.0:  # it accelerates the wheel
        fast = abs(speed)
        most = min(most, parts[row + MAX_POWER] / fast)
        left = parts[row + STALL] * (1.0 - fast / parts[row + NO_LOAD])
        most = min(most, max(0.0, left))
    return within(most, torque)


@helper
def unlimited_speed(parts: Array, row: int, largest: float, driving: float) -> float:
    """Return a speed up to which no limit of the motor acts, nor the largest speed [rad/s].

    It is 1e-12 of itself below the exact one, so that round-off does not count; -1 where none is.

    largest: torque in a step, without sign;  driving: in the direction of rotation, or below 0
    """
    speed = parts[row + MAX_SPEED]
    if largest > parts[row + MAX_TORQUE]:
        return -1.0
    if driving > 0.0 and parts[row + MAX_POWER] < math.inf:
        speed = min(speed, parts[row + MAX_POWER] / largest)
    if driving > 0.0 and parts[row + NO_LOAD] < math.inf:
        speed = min(speed, parts[row + NO_LOAD] * (1.0 - largest / parts[row + STALL]))
    return (1.0 - ROUND_OFF) * speed


@helper
def constant_speed(parts: Array, row: int, mode: float) -> float:
    """Return the speed of a wheel in a mode in which it does not turn freely [rad/s]."""
    return speed_held(mode, parts[row + MAX_SPEED], parts[row + HELD_SPEED])


@helper
def speed_held(mode: float, largest: float, locked: float) -> float:
    """Return `constant_speed`; largest: speed;  locked: speed at which it is LOCKED [rad/s]."""
    if mode == STUCK:
        return 0.0
    if mode == LOCKED:
        return locked
    return math.copysign(largest, mode)


@helper
def turns_freely(mode: float) -> bool:
    """Return whether a wheel in a mode turns freely: no constraint sets its speed."""
    return mode == 1.0 or mode == -1.0


@helper
def tachometer_reading(parts: Array, row: int, speed: float) -> float:
    """Return the speed that a wheel's tachometer reads [rad/s]: gain, bias and resolution."""
    reading = parts[row + TACHO_GAIN] * speed + parts[row + TACHO_BIAS]
    step = parts[row + TACHO_STEP]
    return step * math.floor(reading / step + 0.5) if step > 0.0 else reading


@part
def servo_torque(parts: Array, row: int, present: float, speed: float, duration: float) -> float:
    """Return the motor torque with which the servo of speed closes in on a speed in a tick [N m].

    It closes with the servo's bandwidth for any tick length: after a tick the part
    exp(-bandwidth tick) of the error is left. The nominal drag at the commanded speed is added.

    present, speed: now, and commanded [rad/s];  duration: of the tick [s]
    """
    gain = -math.expm1(-parts[row + BANDWIDTH] * duration) / duration
    error = speed - tachometer_reading(parts, row, present)
    asked = gain * error / parts[row + COUPLING]
    if speed != 0.0:
        asked -= drag(parts, row, speed, math.copysign(1.0, speed))
    return asked
