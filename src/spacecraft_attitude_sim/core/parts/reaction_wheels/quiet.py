# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Reaction wheels in a step in which none stops, is held or reaches a limit of its motor.

Four wheels at once: kernels.fours. Sums go wheel by wheel, so their bits do not depend on it. The
wheels that the last block lacks are at rest and have no axis; they add zeros.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.runge_kutta import whole_step_of_four
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    ALONE,
    ANGLE,
    AXES_NOW,
    AXIS_NOW,
    BLOCK,
    BLOCK_VALUES,
    COULOMB,
    DELAYED,
    DRAGGING,
    DRY,
    INERTIA_NOW,
    LAG,
    LARGEST,
    LIMITED,
    MAX_POWER,
    MAX_SPEED,
    MAX_TORQUE,
    MODE,
    MOST,
    MOTOR,
    MOTOR_RATE,
    NO_LOAD,
    PROMPT,
    ROW,
    RUBBING,
    SHAKING,
    SKEWED,
    SPEED,
    STATIC,
    STRIBECK,
    UNBALANCED,
    UNLIMITED,
    VISCOUS,
    WAY,
    J,
    blocks_of,
    own_of,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import (
    ROUND_OFF,
    dry_friction,
    turns_freely,
    unlimited_speed,
)
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.fours import (
    Four,
    all_within,
    floats_of,
    four_at,
    four_of,
    put_four,
    repeated,
    sizes,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place


@helper
def prepare(at: Place, k: int, parts: Array, work: Array) -> None:
    """Write the constants of wheel k to working memory."""
    row, own = at.row + k * ROW, own_of(at, k)
    work[own + INERTIA_NOW], work[own + DRAGGING] = parts[row + J], -parts[row + VISCOUS]
    work[own + DRY], work[own + LARGEST] = parts[row + COULOMB], parts[row + MAX_TORQUE]
    work[own + UNLIMITED] = (1.0 - ROUND_OFF) * parts[row + MAX_SPEED]
    block = at.work + (k >> 2) * BLOCK
    if parts[row + STRIBECK] > 0.0:
        work[block + RUBBING] = 1.0
    if parts[row + MAX_POWER] < math.inf or parts[row + NO_LOAD] < math.inf:
        work[block + LIMITED] = 1.0
    if parts[row + UNBALANCED] != 0.0 or parts[row + SKEWED] != 0.0:
        work[block + SHAKING] = 1.0
    if parts[row + LAG] <= 0.0:
        work[block + PROMPT] += 1.0
    if parts[row + DELAYED] > 0.0:
        work[block + PROMPT] += ALONE


@helper
def prepare_missing(at: Place, k: int, work: Array) -> None:
    """Write to working memory the constants of wheel k, which the last block lacks."""
    own = own_of(at, k)
    work[own + INERTIA_NOW] = work[own + MODE] = 1.0
    work[at.work + (k >> 2) * BLOCK + PROMPT] += ALONE


@helper
def calm(at: Place, calm: bool, parts: Array, work: Array, h: float) -> bool:
    """Note direction and largest speed of a step without events; see Kind."""
    for k in range(blocks_of(at)):
        own = at.work + k * BLOCK
        mode, begin = four_at(work, own + MODE), four_at(work, own + MOTOR)
        end = begin + four_at(work, own + MOTOR_RATE) * h
        most, fastest = four_at(work, own + LARGEST), four_at(work, own + UNLIMITED)
        # All turn freely, in the direction of their mode, and no limit but these is there.
        usual = all_within(mode * mode - 1.0, repeated(0.0)) and work[own + LIMITED] == 0.0
        usual = usual and all_within(mode * four_at(work, own + SPEED), fastest)
        if usual and all_within(sizes(begin), most) and all_within(sizes(end), most):
            put_four(work, own + WAY, mode)
            put_four(work, own + MOST, fastest)
        else:
            calm = calm and calm_one_by_one(at, k, parts, work, h)
    return calm


@part
def calm_one_by_one(at: Place, block: int, parts: Array, work: Array, h: float) -> bool:
    """Do what `calm` does for the wheels of a block, with all limits."""
    calm = True
    for k in range(4 * block, min(4 * block + 4, at.number)):
        calm = calm and calm_alone(at, k, parts, work, h)
    return calm


@helper
def calm_alone(at: Place, k: int, parts: Array, work: Array, h: float) -> bool:
    """Do what `calm` does for wheel k, with all limits."""
    row, own = at.row + k * ROW, own_of(at, k)
    mode, speed = work[own + MODE], work[own + SPEED]
    way = math.copysign(1.0, speed)
    if not turns_freely(mode) or (way != mode and parts[row + STATIC] > 0.0):
        return False
    begin = work[own + MOTOR]
    end = begin + work[own + MOTOR_RATE] * h
    most = unlimited_speed(parts, row, max(abs(begin), abs(end)), max(way * begin, way * end))
    work[own + WAY], work[own + MOST] = way, most
    return way * speed <= most


@helper
def speeds_of(y: Array, h: int, work: Array, own: int, omega: Floats) -> Four:
    """Return the speeds of a block of wheels; h: place of their momenta in y."""
    along = four_at(work, own + AXIS_NOW) * omega[0]
    along = along + four_at(work, own + AXIS_NOW + 4) * omega[1]
    along = along + four_at(work, own + AXIS_NOW + 8) * omega[2]
    return four_at(y, h) / four_at(work, own + INERTIA_NOW) - along


@helper
def keep_within(work: Array, own: int, speed: Four) -> bool:
    """Return whether no wheel of a block has stopped or left what `calm` noted."""
    return all_within(four_at(work, own + WAY) * speed, four_at(work, own + MOST))


@helper
def added_one_by_one(sums: Four, first: Four, second: Four) -> Four:
    """Return two sums, the first two of a Four, with four numbers added to each in turn."""
    a_0, a_1, a_2, a_3 = floats_of(first)
    b_0, b_1, b_2, b_3 = floats_of(second)
    sums = sums + four_of(a_0, b_0, a_2, b_2) + four_of(a_1, b_1, a_3, b_3)
    return sums + four_of(a_2, b_2, a_2, b_2) + four_of(a_3, b_3, a_3, b_3)


@helper
def steady(at: Place, calm: bool, parts: Array, y: Array, work: Array, omega: Floats) -> bool:
    """Write the speeds; return whether no wheel has left what `calm` noted; see Kind."""
    for k in range(blocks_of(at)):
        own, h = at.work + k * BLOCK, at.value + k * BLOCK_VALUES
        speed = speeds_of(y, h, work, own, omega)
        put_four(work, own + SPEED, speed)
        calm = calm and keep_within(work, own, speed)
    return calm


@helper
def glide(
    at: Place, sums: tuple[Four, Four, int], parts: Array, y: Array, rows: Array, n: int,
    stage: int, h: float, after: Array, work: Array, t: float,
) -> tuple[Four, Four, int]:  # fmt: skip
    """Move the wheels as `turn` does, within all limits, to the next stage; see Kind."""
    books, stored, _ = sums
    slope, far = from_index(rows, stage * n), h if stage >= 2 else 0.5 * h
    for k in range(blocks_of(at)):
        own, place = at.work + k * BLOCK, at.value + k * BLOCK_VALUES
        if rarely(work[own + RUBBING] > 0.0):
            put_dry_friction(at, k, parts, work)
        speed = four_at(work, own + SPEED)
        motor, friction = motor_and_friction(work, own, speed, t)
        gained = motor + friction
        if stage < 3:
            put_four(slope, place, gained)
            put_four(slope, place + ANGLE, speed)
            momentum = four_at(y, place) + gained * far
        else:
            momentum = whole_step_of_four(y, rows, n, h, place, gained)
            put_four(after, place + ANGLE, whole_step_of_four(y, rows, n, h, place + ANGLE, speed))
        put_four(after, place, momentum)
        stored = carried(stored, momentum, work, own + AXES_NOW)
        books = added_one_by_one(books, motor * speed, friction * speed * -1.0)
    return books, stored, at.value + blocks_of(at) * BLOCK_VALUES


@helper
def motor_and_friction(work: Array, own: int, speed: Four, t: float) -> tuple[Four, Four]:
    """Return the motor torques of a block of wheels within their limits, and torques.drag."""
    motor = four_at(work, own + MOTOR) + four_at(work, own + MOTOR_RATE) * t
    friction = four_at(work, own + DRAGGING) * speed
    return motor, friction - four_at(work, own + MODE) * four_at(work, own + DRY)


@helper
def push(at: Place, sums: tuple[Four, bool], parts: Array, work: Array) -> tuple[Four, bool]:
    """Add the torques of all wheels on the body, as `turn` does; see Kind."""
    rest, calm = sums
    for k in range(blocks_of(at)):
        own = at.work + k * BLOCK
        if rarely(work[own + RUBBING] > 0.0):
            put_dry_friction(at, k, parts, work)
        speed = four_at(work, own + SPEED)
        motor, friction = motor_and_friction(work, own, speed, 0.0)
        unlimited = work[own + LIMITED] == 0.0 and all_within(
            sizes(motor), four_at(work, own + LARGEST)
        )
        if rarely(not unlimited):
            calm = calm and calm_one_by_one(at, k, parts, work, 0.0)
        rest = carried(rest, (motor + friction) * -1.0, work, own + AXES_NOW)
    return rest, calm


@helper
def carried(stored: Four, momentum: Four, work: Array, axes: int) -> Four:
    """Add a number for each wheel of a block, times its axis, to a vector, wheel by wheel."""
    a, b, c, d = floats_of(momentum)
    stored = stored + four_at(work, axes) * a
    stored = stored + four_at(work, axes + 4) * b
    stored = stored + four_at(work, axes + 8) * c
    return stored + four_at(work, axes + 12) * d


@part
def put_dry_friction(at: Place, k: int, parts: Array, work: Array) -> None:
    """Write the size of dry friction of a block of wheels, which depends on their speeds."""
    for j in range(4 * k, min(4 * k + 4, at.number)):
        place = own_of(at, j)
        work[place + DRY] = dry_friction(parts, at.row + j * ROW, work[place + SPEED])
