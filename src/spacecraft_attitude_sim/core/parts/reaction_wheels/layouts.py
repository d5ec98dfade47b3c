# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The arrays of reaction wheels, number by number: constants, states, commands, working memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import put
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

# One wheel, SI. stall_torque, no_load_speed: the torque-speed line of the motor at its voltage
# waits, delay: the dead time as whole ticks and the rest of one [s]
# queued: length of the queue of commands in the dead time, the same for all wheels
# bandwidth: of the speed servo [rad/s];  coupling: speed gained per angular impulse on the rotor
# [1/(kg m^2)];  rate: bound of the slope of drag over speed, times coupling [1/s]
# static_imbalance [kg m], dynamic_imbalance [kg m^2], phase: between them [rad]
# tachometer_step: its resolution, 0 for none; its reading is gain × speed + bias [rad/s]
# radial_B: direction of the rotor's mark at angle 0;  held_speed: at which it is locked [rad/s]
# gimbaled: 1 for the rotor of a gyro, whose axis a gimbal turns
WHEEL = Layout(
    axis_B=3, radial_B=3, position_B=3, inertia=1, max_torque=1, max_speed=1, max_power=1,
    stall_torque=1, no_load_speed=1, lag=1, delayed=1, waits=1, delay=1, queued=1, viscous=1,
    coulomb=1, static=1, stribeck_speed=1, bandwidth=1, coupling=1, rate=1, static_imbalance=1,
    dynamic_imbalance=1, phase=1, held_speed=1, tachometer_step=1, tachometer_gain=1,
    tachometer_bias=1, gimbaled=1,
)  # fmt: skip
# momentum: axial, in an inertial frame [N m s];  angle: relative to the body [rad]
# drive: motor torque after its lag [N m];  mode: see FORWARD and so on
# The queue of commands in the dead time follows, the latest first [N m].
WHEEL_STATE = Layout(momentum=1, angle=1, drive=1, mode=1)
# Mode of a wheel: turning forward or backward, stuck by friction, held at its largest speed
# forward or backward, or locked to held_speed for ever.
FORWARD, BACKWARD, STUCK, FASTEST, FASTEST_BACK, LOCKED = 1.0, -1.0, 0.0, 2.0, -2.0, 3.0
# Torque [N m], and a speed [rad/s] that replaces the torque unless it is nan.
WHEEL_COMMAND = Layout(torque=1, speed=1)
# Working memory is in blocks of four wheels. Each field of a block is four numbers, one of each
# wheel, so that one instruction serves all four (kernels.fours). The last block may lack wheels.
# The commanded motor torque, the torque after the motor's lag, the mode; the line that replaces
# the lag in a step; speed, motor torque, total axial torque; the spin axis now, and of a gyro's
# rotor the rate of the gimbal and the direction in which the axis moves; direction of rotation and
# largest speed of a step without events; the length of the step over which the line was drawn [s],
# and the motor torque at its end. For steps without events: inertia, minus the viscous friction,
# the dry friction; what is special in the block, see SPECIAL; the largest torque of the motor, and
# the largest speed that `unlimited_speed` says of wheels that are not LIMITED; at last the spin
# axes wheel by wheel, with a zero behind each (not those of gyros, which take no such step).
TURNING = Layout(
    target=1, drive=1, mode=1, motor=1, motor_rate=1, speed=1, given=1, total=1, axis=3, tilt=1,
    across=3, way=1, most=1, drawn=1, after=1, inertia=1, dragging=1, dry=1, special=1, largest=1,
    unlimited=1, axes=4,
)  # fmt: skip
# Values of a block in y: four momenta, then four angles.
ROW, STATES, VALUES, ANGLE = WHEEL.size, WHEEL_STATE.size, 2, 4
WORK_ROW = TURNING.size
BLOCK, BLOCK_VALUES = 4 * WORK_ROW, 4 * VALUES
AXIS, RADIAL, POSITION, J = WHEEL.places('axis_B', 'radial_B', 'position_B', 'inertia')
MAX_TORQUE, MAX_SPEED, MAX_POWER = WHEEL.places('max_torque', 'max_speed', 'max_power')
STALL, NO_LOAD = WHEEL.places('stall_torque', 'no_load_speed')
LAG, DELAYED, WAITS, DELAY = WHEEL.places('lag', 'delayed', 'waits', 'delay')
VISCOUS, COULOMB, STATIC = WHEEL.places('viscous', 'coulomb', 'static')
STRIBECK, BANDWIDTH, COUPLING = WHEEL.places('stribeck_speed', 'bandwidth', 'coupling')
DRAG_RATE, UNBALANCED, SKEWED = WHEEL.places('rate', 'static_imbalance', 'dynamic_imbalance')
PHASE, HELD_SPEED, QUEUED = WHEEL.places('phase', 'held_speed', 'queued')
TACHO_STEP, TACHO_GAIN, TACHO_BIAS, GIMBALED = WHEEL.places(
    'tachometer_step', 'tachometer_gain', 'tachometer_bias', 'gimbaled'
)
DRIVE_STATE, MODE_STATE = WHEEL_STATE.places('drive', 'mode')


def _in_block(*names: str) -> tuple[int, ...]:
    return tuple(4 * k for k in TURNING.places(*names))


TARGET, DRIVE, MODE, MOTOR, MOTOR_RATE = _in_block(
    'target', 'drive', 'mode', 'motor', 'motor_rate'
)
SPEED, GIVEN, TOTAL, AXIS_NOW = _in_block('speed', 'given', 'total', 'axis')
TILT, ACROSS, WAY, MOST = _in_block('tilt', 'across', 'way', 'most')
DRAWN, AFTER, INERTIA_NOW = _in_block('drawn', 'after', 'inertia')
DRAGGING, DRY, SPECIAL, AXES_NOW = _in_block('dragging', 'dry', 'special', 'axes')
LARGEST, UNLIMITED = _in_block('largest', 'unlimited')
# 1 where a wheel of the block has static friction that depends on its speed, a motor with limits
# of power or voltage, or an imbalance; else 0. Then how many wheels have no lag, and ALONE for
# each that has a dead time or lacks.
RUBBING, LIMITED, SHAKING, PROMPT = range(SPECIAL, SPECIAL + 4)
ALONE = 8.0


@helper
def own_of(at: Place, k: int) -> int:
    """Return where the working memory of a wheel begins; its fields are four numbers apart."""
    return at.work + (k >> 2) * BLOCK + (k & 3)


@helper
def value_of(at: Place, k: int) -> int:
    """Return the index in y of the momentum of a wheel; its angle is ANGLE further."""
    return at.value + (k >> 2) * BLOCK_VALUES + (k & 3)


@helper
def blocks_of(at: Place) -> int:
    """Return the number of blocks of four wheels."""
    return (at.number + 3) >> 2


@helper
def vector_of(work: Array, place: int) -> Floats:
    """Return a vector of a wheel in working memory, three floats."""
    return work[place], work[place + 4], work[place + 8]


@helper
def put_vector(work: Array, place: int, vector: Floats) -> None:
    """Write a vector of a wheel to working memory."""
    work[place], work[place + 4], work[place + 8] = vector


@helper
def put_axis(at: Place, work: Array, k: int, axis: Floats) -> None:
    """Write the spin axis of a wheel to working memory."""
    put_vector(work, own_of(at, k) + AXIS_NOW, axis)
    put(work, at.work + (k >> 2) * BLOCK + AXES_NOW + 4 * (k & 3), axis)
