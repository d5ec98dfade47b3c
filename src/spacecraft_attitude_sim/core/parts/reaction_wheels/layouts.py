# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The arrays of reaction wheels, number by number: constants, states, commands, working memory."""

from spacecraft_attitude_sim.core.mathematics.layout import Layout

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
# Working memory: the commanded motor torque, the torque after the motor's lag, the mode; the line
# that replaces the lag in a step; speed, motor torque, total axial torque; the spin axis now, and
# of a gyro's rotor the rate of the gimbal and the direction in which the axis moves; direction of
# rotation and largest speed of a step without events; the length of the step over which the line
# was drawn [s], and the motor torque at its end.
TURNING = Layout(
    target=1, drive=1, mode=1, motor=1, motor_rate=1, speed=1, given=1, total=1, axis=3, tilt=1,
    across=3, way=1, most=1, drawn=1, after=1,
)  # fmt: skip
ROW, STATES, WORK_ROW, VALUES = WHEEL.size, WHEEL_STATE.size, TURNING.size, 2
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
TARGET, DRIVE, MODE, MOTOR, MOTOR_RATE = TURNING.places(
    'target', 'drive', 'mode', 'motor', 'motor_rate'
)
SPEED, GIVEN, TOTAL, AXIS_NOW = TURNING.places('speed', 'given', 'total', 'axis')
TILT, ACROSS, WAY, MOST = TURNING.places('tilt', 'across', 'way', 'most')
DRAWN, AFTER = TURNING.places('drawn', 'after')
