# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Reaction wheels in the compiled step; the rotors of gyros are the last of them.

h is the axial momentum of a rotor in an inertial frame, J its inertia, s its spin axis, Ω its
speed relative to the body:

    dh/dt = motor + friction        h = J (Ω + s·ω)

The motor has a first-order lag and limits of torque, power and voltage. Friction is viscous and
Coulomb, with static friction near zero speed (Stribeck), and is not regularised: a wheel that
friction holds stays at rest until the torque on it exceeds static friction. A wheel that is held,
or that is at its largest speed, turns at a constant speed relative to the body. Its inertia then
joins that of the body, and its constraint torque tells when it comes free.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    outer_added,
    put,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import FORCE, RATES
from spacecraft_attitude_sim.core.parts.first_order_lag import (
    MOTOR_LINE_ERROR,
    lagging,
    line,
    longest_line,
)
from spacecraft_attitude_sim.core.parts.kind import CHANGED, MAY_HOLD, Kind
from spacecraft_attitude_sim.kernels.kernel import helper, part

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
# Working memory: the commanded motor torque, the torque after the motor's lag, the mode; the line
# that replaces the lag in a step; speed, motor torque, total axial torque; the spin axis now, and
# of a gyro's rotor the rate of the gimbal and the direction in which the axis moves.
TURNING = Layout(
    target=1, drive=1, mode=1, motor=1, motor_rate=1, speed=1, given=1, total=1, axis=3, tilt=1,
    across=3,
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
TILT, ACROSS = TURNING.places('tilt', 'across')


# --- torques ---------------------------------------------------------------------------------


@helper
def drag(parts: Array, row: int, speed: float, way: float) -> float:
    """Return the friction torque on a wheel [N m]; way: its direction of rotation, +1 or -1.

    Viscous and Coulomb friction; with a Stribeck speed, static friction near zero speed.
    """
    size = parts[row + COULOMB]
    if parts[row + STRIBECK] > 0.0:
        ratio = speed / parts[row + STRIBECK]
        size += (parts[row + STATIC] - size) * math.exp(-ratio * ratio)
    return -parts[row + VISCOUS] * speed - way * size


@helper
def motor_torque(parts: Array, row: int, torque: float, speed: float) -> float:
    """Return a motor's torque within its limits of torque, power and voltage at a speed [N m]."""
    most = parts[row + MAX_TORQUE]
    if torque * speed > 0.0:  # it accelerates the wheel
        fast = abs(speed)
        most = min(most, parts[row + MAX_POWER] / fast)
        left = parts[row + STALL] * (1.0 - fast / parts[row + NO_LOAD])
        most = min(most, max(0.0, left))
    return max(-most, min(most, torque))


@helper
def constant_speed(parts: Array, row: int, mode: float) -> float:
    """Return the speed of a wheel in a mode in which it does not turn freely [rad/s]."""
    if mode == STUCK:
        return 0.0
    if mode == LOCKED:
        return parts[row + HELD_SPEED]
    return math.copysign(parts[row + MAX_SPEED], mode)


@helper
def turns_freely(mode: float) -> bool:
    """Return whether a wheel in a mode turns freely: no constraint sets its speed."""
    return mode == 1.0 or mode == -1.0


@helper
def state_size(at: Place, parts: Array) -> int:
    """Return the number of states of each wheel."""
    return STATES + int(parts[at.row + QUEUED]) if at.number else 0


# --- states ----------------------------------------------------------------------------------


@part
def load(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write y and work when a tick begins; see Kind."""
    size = state_size(at, parts)
    for k in range(at.number):
        own, state = at.work + k * WORK_ROW, at.state + k * size
        y[at.value + k], y[at.value + at.number + k] = internal[state], internal[state + 1]
        work[own + DRIVE] = work[own + TARGET] = internal[state + DRIVE_STATE]
        work[own + MODE] = internal[state + MODE_STATE]
        put(work, own + AXIS_NOW, three_at(parts, at.row + k * ROW + AXIS))


@part
def keep(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write internal states when a tick ends; see Kind."""
    size = state_size(at, parts)
    for k in range(at.number):
        own, state = at.work + k * WORK_ROW, at.state + k * size
        internal[state] = y[at.value + k]
        internal[state + 1] = within_a_turn(y[at.value + at.number + k])
        internal[state + DRIVE_STATE] = work[own + DRIVE]
        internal[state + MODE_STATE] = work[own + MODE]


@helper
def within_a_turn(angle: float) -> float:
    """Return an angle in -π to π [rad]."""
    turns = math.floor(angle / (2.0 * math.pi) + 0.5)
    return angle - turns * 2.0 * math.pi if turns != 0.0 else angle


# --- commands --------------------------------------------------------------------------------


@helper
def tachometer_reading(parts: Array, row: int, speed: float) -> float:
    """Return the speed that a wheel's tachometer reads [rad/s]: gain, bias and resolution."""
    reading = parts[row + TACHO_GAIN] * speed + parts[row + TACHO_BIAS]
    step = parts[row + TACHO_STEP]
    return step * math.floor(reading / step + 0.5) if step > 0.0 else reading


@helper
def commanded_motor_torque(
    parts: Array, row: int, present: float, torque: float, speed: float, duration: float
) -> float:
    """Return the motor torque that a command asks for in a tick [N m], within max_torque.

    A speed command closes with the servo's bandwidth for any tick length: after a tick the part
    exp(-bandwidth tick) of the error is left. The nominal drag at the commanded speed is added.

    present: speed now [rad/s];  torque, speed: of WHEEL_COMMAND
    """
    if math.isnan(speed):
        asked = torque
    else:
        gain = -math.expm1(-parts[row + BANDWIDTH] * duration) / duration
        error = speed - tachometer_reading(parts, row, present)
        asked = gain * error / parts[row + COUPLING]
        if speed != 0.0:
            asked -= drag(parts, row, speed, math.copysign(1.0, speed))
    most = parts[row + MAX_TORQUE]
    return max(-most, min(most, asked))


@part
def command(
    at: Place, jumps: bool, parts: Array, internal: Array, y: Array, work: Array,
    commands: Array, omega: Floats, duration: float,
) -> bool:  # fmt: skip
    """Take the commands of a tick, and shift the queue of commands in the dead time."""
    size = state_size(at, parts)
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        queue, queued = at.state + k * size + STATES, size - STATES
        given = at.command + 2 * k
        asked = commanded_motor_torque(
            parts, row, work[own + SPEED], commands[given], commands[given + 1], duration
        )
        # Until DELAY in this tick the command of `waits` + 1 ticks ago acts, then that of `waits`.
        waits = int(parts[row + WAITS])
        work[own + TARGET] = asked
        if parts[row + DELAYED] > 0.0:
            if parts[row + DELAY] > 0.0:
                work[own + TARGET] = internal[queue + waits]
            elif waits > 0:
                work[own + TARGET] = internal[queue + waits - 1]
            for j in range(queued - 1, 0, -1):
                internal[queue + j] = internal[queue + j - 1]
            internal[queue] = asked
        if parts[row + LAG] <= 0.0:
            work[own + DRIVE] = work[own + TARGET]
    return jumps


@part
def switch(
    at: Place, parts: Array, internal: Array, work: Array, commands: Array, time: float,
    now: float, soon: float,
) -> None:  # fmt: skip
    """Apply commands whose dead time is over; see Kind."""
    size = state_size(at, parts)
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        if parts[row + DELAYED] > 0.0 and 0.0 < parts[row + DELAY] <= time + soon:
            queue = at.state + k * size + STATES
            work[own + TARGET] = internal[queue + int(parts[row + WAITS])]
            if parts[row + LAG] <= 0.0:
                work[own + DRIVE] = work[own + TARGET]


@part
def next_switch(
    at: Place, soonest: float, parts: Array, internal: Array, work: Array, time: float,
    now: float, soon: float,
) -> float:  # fmt: skip
    """Return the time to the end of the next dead time [s]; see Kind."""
    for k in range(at.number):
        row = at.row + k * ROW
        if parts[row + DELAYED] > 0.0 and parts[row + DELAY] > time + soon:
            soonest = min(soonest, parts[row + DELAY] - time)
    return soonest


@part
def elapse(at: Place, parts: Array, internal: Array, work: Array, h: float) -> None:
    """Advance the motors' lags by h; see Kind."""
    for k in range(at.number):
        own = at.work + k * WORK_ROW
        lag = parts[at.row + k * ROW + LAG]
        _, _, work[own + DRIVE] = line(work[own + DRIVE], work[own + TARGET], lag, h)


# --- motion ----------------------------------------------------------------------------------


@part
def lock(at: Place, inertia: Floats, parts: Array, work: Array) -> Floats:
    """Return the inertia with that of wheels that are held; gyros' rotors: see `store`."""
    for k in range(at.number):
        row = at.row + k * ROW
        held = not turns_freely(work[at.work + k * WORK_ROW + MODE])
        if held and parts[row + GIMBALED] == 0.0:
            inertia = outer_added(inertia, parts[row + J], three_at(parts, row + AXIS))
    return inertia


@part
def store(
    at: Place, sums: tuple[Floats, Floats], parts: Array, y: Array, t: float, work: Array
) -> tuple[Floats, Floats]:
    """Add the momenta of wheels, and the inertia of gyros' rotors that are held; see Kind."""
    inertia, stored = sums
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        axis, mode = three_at(work, own + AXIS_NOW), work[own + MODE]
        amount = y[at.value + k]
        if not turns_freely(mode):
            amount = parts[row + J] * constant_speed(parts, row, mode)
            if parts[row + GIMBALED] > 0.0:
                inertia = outer_added(inertia, parts[row + J], axis)
        stored = moved_vector(stored, amount, axis)
    return inertia, stored


@part
def find_rates(at: Place, parts: Array, y: Array, work: Array, omega: Floats, v: Floats) -> None:
    """Write the speeds of wheels; see Kind."""
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        if turns_freely(work[own + MODE]):
            along = dot(three_at(work, own + AXIS_NOW), omega)
            speed = y[at.value + k] / parts[row + J] - along
        else:
            speed = constant_speed(parts, row, work[own + MODE])
        work[own + SPEED] = speed


@part
def turn(
    at: Place, sums: tuple[Floats, float, float], parts: Array, y: Array, slope: Array,
    work: Array, omega: Floats, t: float,
) -> tuple[Floats, float, float]:  # fmt: skip
    """Write dh/dt and the rate of the angle; add torques and powers of free wheels; see Kind."""
    rest, motors, heat = sums
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        mode, speed = work[own + MODE], work[own + SPEED]
        slope[at.value + k] = 0.0
        slope[at.value + at.number + k] = speed
        if turns_freely(mode):
            asked = work[own + MOTOR] + work[own + MOTOR_RATE] * t
            motor = motor_torque(parts, row, asked, speed)
            friction = drag(parts, row, speed, mode)
            slope[at.value + k] = motor + friction
            rest = moved_vector(rest, -(motor + friction), three_at(work, own + AXIS_NOW))
            motors += motor * speed
            heat -= friction * speed
            work[own + GIVEN], work[own + TOTAL] = motor, motor + friction
    return rest, motors, heat


@part
def constrain(
    at: Place, sums: tuple[float, float], parts: Array, y: Array, slope: Array, work: Array,
    omega: Floats, alpha: Floats, gained: Floats, t: float,
) -> tuple[float, float]:  # fmt: skip
    """Write the constraint torques of wheels that are held, and add their powers; see Kind."""
    motors, heat = sums
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        if turns_freely(work[own + MODE]):
            continue
        speed = work[own + SPEED]
        total = parts[row + J] * dot(three_at(work, own + AXIS_NOW), alpha)
        if parts[row + GIMBALED] > 0.0:
            turned = dot(three_at(work, own + ACROSS), omega)
            total += parts[row + J] * work[own + TILT] * turned
        asked = lagging(work[own + DRIVE], work[own + TARGET], parts[row + LAG], t)
        work[own + GIVEN] = motor_torque(parts, row, asked, speed)
        work[own + TOTAL] = total
        if speed != 0.0:
            friction = drag(parts, row, speed, math.copysign(1.0, speed))
            motors += (total - friction) * speed
            heat -= friction * speed
    return motors, heat


@part
def hold(
    at: Place, parts: Array, y: Array, work: Array, omega: Floats, v: Floats, t: float
) -> None:
    """Set the momenta of wheels that are held, from ω; see Kind."""
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        mode = work[own + MODE]
        if not turns_freely(mode):
            along = dot(three_at(work, own + AXIS_NOW), omega)
            y[at.value + k] = parts[row + J] * (constant_speed(parts, row, mode) + along)


@part
def energy(at: Place, twice: float, parts: Array, y: Array, work: Array, omega: Floats) -> float:
    """Add twice the kinetic energy h²/(2 J) of the wheels [J]."""
    for k in range(at.number):
        h = y[at.value + k]
        twice += h * h / parts[at.row + k * ROW + J]
    return twice


# --- lines and imbalance ---------------------------------------------------------------------


@part
def draw_lines(at: Place, parts: Array, internal: Array, y: Array, work: Array, h: float) -> None:
    """Write motor torques as lines over h, and add force and torque of imbalance; see Kind."""
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        a, b, _ = line(work[own + DRIVE], work[own + TARGET], parts[row + LAG], h)
        work[own + MOTOR], work[own + MOTOR_RATE] = a, b
        if parts[row + UNBALANCED] != 0.0 or parts[row + SKEWED] != 0.0:
            speed = work[own + SPEED]
            if turns_freely(work[own + MODE]):  # its mean speed in the step
                speed += 0.5 * h * work[own + TOTAL] * parts[row + COUPLING]
            add_imbalance(y[at.value + at.number + k], speed, h, parts, row, work)


@helper
def cosine_line(angle: float, rate: float, h: float) -> tuple[float, float]:
    """Return a, b of the line with the integral and first moment of cos(angle + rate t) over h."""
    turn = rate * h
    c, s = math.cos(angle), math.sin(angle)
    if abs(turn) < 1e-3:  # the relative error is below 1e-7
        return c, -rate * s
    sine = math.sin(angle + turn) - s
    mean = sine / turn
    moment = (math.sin(angle + turn) + (math.cos(angle + turn) - c) / turn) / turn
    slope = 12.0 * (moment - 0.5 * mean)
    return mean - 0.5 * slope, slope / h


@helper
def add_imbalance(
    angle: float, speed: float, h: float, parts: Array, row: int, work: Array
) -> None:
    """Add force and torque of a wheel's imbalance as lines over h [s]; h = 0: their value now."""
    e1, axis = three_at(parts, row + RADIAL), three_at(parts, row + AXIS)
    e2 = cross(axis, e1)
    square = speed * speed
    c, s = cosine_line(angle, speed, h), cosine_line(angle - 0.5 * math.pi, speed, h)
    phase = angle + parts[row + PHASE]
    cp, sp = cosine_line(phase, speed, h), cosine_line(phase - 0.5 * math.pi, speed, h)
    for i in range(2):
        size = parts[row + UNBALANCED] * square
        force = added(scaled(size * c[i], e1), scaled(size * s[i], e2))
        size = parts[row + SKEWED] * square
        torque = added(scaled(-size * sp[i], e1), scaled(size * cp[i], e2))
        torque = added(torque, cross(three_at(parts, row + POSITION), force))
        place = FORCE if i == 0 else RATES
        for j in range(3):
            work[place + j] += force[j]
            work[place + 3 + j] += torque[j]


# --- events ----------------------------------------------------------------------------------


@helper
def excess(at: Place, parts: Array, work: Array, k: int) -> float:
    """Return the event function of a wheel: it sticks, slips or reaches its largest speed."""
    row, own = at.row + k * ROW, at.work + k * WORK_ROW
    mode, speed = work[own + MODE], work[own + SPEED]
    if mode == LOCKED:
        return -1.0
    if mode == STUCK:
        return abs(work[own + TOTAL] - work[own + GIVEN]) - parts[row + STATIC]
    if turns_freely(mode):
        over = abs(speed) - parts[row + MAX_SPEED] * (1.0 + 1e-13)
        if parts[row + STATIC] > 0.0:
            return max(over, -mode * speed)
        return over
    way = math.copysign(1.0, mode)
    needed = work[own + TOTAL] - drag(parts, row, speed, way)
    return way * (needed - work[own + GIVEN])


@helper
def is_held(at: Place, parts: Array, work: Array, k: int) -> bool:
    """Return whether a wheel does not turn freely."""
    return not turns_freely(work[at.work + k * WORK_ROW + MODE])


@part
def change(at: Place, parts: Array, y: Array, work: Array, k: int) -> int:
    """Hold a wheel that stops or is at its largest speed, for a trial, or free one; see Kind."""
    own = at.work + k * WORK_ROW
    speed = work[own + SPEED]
    if not turns_freely(work[own + MODE]):
        release(at, parts, work, k)
        return CHANGED
    fast = abs(speed) > 0.5 * parts[at.row + k * ROW + MAX_SPEED]
    work[own + MODE] = math.copysign(FASTEST, speed) if fast else STUCK
    return MAY_HOLD


@part
def release(at: Place, parts: Array, work: Array, k: int) -> int:
    """Let a wheel turn in the direction of the net torque, or on at its largest speed."""
    own = at.work + k * WORK_ROW
    if work[own + MODE] == STUCK:
        work[own + MODE] = math.copysign(1.0, work[own + GIVEN] - work[own + TOTAL])
    else:
        work[own + MODE] = math.copysign(1.0, work[own + MODE])
    return CHANGED


# --- sub-steps -------------------------------------------------------------------------------


@part
def load_bounds(
    at: Place, sums: tuple[float, float, float, float, float], parts: Array, work: Array
) -> tuple[float, float, float, float, float]:
    """Add bounds of the torque of motors and friction, and of the fastest drag; see Kind."""
    torque, press, motors, loss, tilt = sums
    for k in range(at.number):
        row, own = at.row + k * ROW, at.work + k * WORK_ROW
        if turns_freely(work[own + MODE]):
            motors += max(abs(work[own + DRIVE]), abs(work[own + TARGET]))
            motors += abs(drag(parts, row, work[own + SPEED], work[own + MODE]))
            loss = max(loss, parts[row + DRAG_RATE])
    return torque, press, motors, loss, tilt


@part
def longest_step(
    at: Place, longest: float, parts: Array, internal: Array, work: Array, field: float,
    bend: float,
) -> float:  # fmt: skip
    """Return the longest step in which lines may replace the motors' lags [s]; see Kind."""
    for k in range(at.number):
        own = at.work + k * WORK_ROW
        if turns_freely(work[own + MODE]):
            off = abs(work[own + DRIVE] - work[own + TARGET])
            lag = parts[at.row + k * ROW + LAG]
            longest = min(longest, longest_line(bend * off, lag, MOTOR_LINE_ERROR))
    return longest


KIND = Kind(
    name='reaction_wheels', row=WHEEL, state=WHEEL_STATE, queues=True, work=WORK_ROW,
    values=VALUES, commands=WHEEL_COMMAND.size,
    load=load, keep=keep, command=command, switch=switch, next_switch=next_switch, elapse=elapse,
    lock=lock, store=store, find_rates=find_rates, draw_lines=draw_lines, turn=turn,
    constrain=constrain, hold=hold, energy=energy, excess=excess, is_held=is_held, change=change,
    release=release, load_bounds=load_bounds, longest_step=longest_step,
)  # fmt: skip
