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

from spacecraft_attitude_sim.core.mathematics.vectors import (
    dot,
    moved_vector,
    outer_added,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import asked, within
from spacecraft_attitude_sim.core.parts.first_order_lag import (
    MOTOR_LINE_ERROR,
    lagging,
    longest_line,
)
from spacecraft_attitude_sim.core.parts.kind import CHANGED, MAY_HOLD, Kind
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    ACROSS,
    ANGLE,
    AXIS,
    AXIS_NOW,
    BLOCK,
    BLOCK_VALUES,
    DELAY,
    DELAYED,
    DRAG_RATE,
    DRIVE,
    DRIVE_STATE,
    FASTEST,
    GIMBALED,
    GIVEN,
    LAG,
    LARGEST,
    LOCKED,
    MAX_SPEED,
    MAX_TORQUE,
    MODE,
    MODE_STATE,
    MOTOR,
    MOTOR_RATE,
    PROMPT,
    QUEUED,
    ROW,
    SPEED,
    STATES,
    STATIC,
    STUCK,
    TARGET,
    TILT,
    TOTAL,
    VALUES,
    WAITS,
    WHEEL,
    WHEEL_COMMAND,
    WHEEL_STATE,
    WORK_ROW,
    J,
    blocks_of,
    own_of,
    put_axis,
    value_of,
    vector_of,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.lines import draw_lines, elapse
from spacecraft_attitude_sim.core.parts.reaction_wheels.quiet import (
    calm,
    glide,
    prepare,
    prepare_missing,
    push,
    steady,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import (
    constant_speed,
    drag,
    motor_torque,
    servo_torque,
    turns_freely,
)
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.fours import (
    all_within,
    floats_of,
    floors,
    four_at,
    four_of,
    put_four,
    repeated,
    sizes,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

TWO_PI = 2.0 * math.pi

# --- states ----------------------------------------------------------------------------------


@helper
def state_size(at: Place, parts: Array) -> int:
    """Return the number of states of each wheel."""
    return STATES + int(parts[at.row + QUEUED]) if at.number else 0


@part
def load(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write y and work when a tick begins; see Kind."""
    size = state_size(at, parts)
    for k in range(at.number):
        own, state = own_of(at, k), at.state + k * size
        y[value_of(at, k)], y[value_of(at, k) + ANGLE] = internal[state], internal[state + 1]
        work[own + DRIVE] = work[own + TARGET] = internal[state + DRIVE_STATE]
        work[own + MODE] = internal[state + MODE_STATE]
        put_axis(at, work, k, three_at(parts, at.row + k * ROW + AXIS))
        prepare(at, k, parts, work)
    for k in range(at.number, 4 * blocks_of(at)):
        prepare_missing(at, k, work)
        y[value_of(at, k)] = y[value_of(at, k) + ANGLE] = 0.0


@part
def keep(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write internal states when a tick ends; see Kind."""
    size = state_size(at, parts)
    for k in range(blocks_of(at)):
        own, place = at.work + k * BLOCK, at.value + k * BLOCK_VALUES
        angle = four_at(y, place + ANGLE)
        angle = angle - floors(angle / TWO_PI + 0.5) * TWO_PI
        put_four(y, place + ANGLE, angle)
        h_0, h_1, h_2, h_3 = floats_of(four_at(y, place))
        a_0, a_1, a_2, a_3 = floats_of(angle)
        d_0, d_1, d_2, d_3 = floats_of(four_at(work, own + DRIVE))
        m_0, m_1, m_2, m_3 = floats_of(four_at(work, own + MODE))
        state, left = at.state + 4 * k * size, at.number - 4 * k
        put_four(internal, state, four_of(h_0, a_0, d_0, m_0))
        if left > 1:
            put_four(internal, state + size, four_of(h_1, a_1, d_1, m_1))
        if left > 2:
            put_four(internal, state + 2 * size, four_of(h_2, a_2, d_2, m_2))
        if left > 3:
            put_four(internal, state + 3 * size, four_of(h_3, a_3, d_3, m_3))


@helper
def within_a_turn(angle: float) -> float:
    """Return an angle in -π to π [rad]."""
    turns = math.floor(angle / (2.0 * math.pi) + 0.5)
    return angle - turns * 2.0 * math.pi if turns != 0.0 else angle


# --- commands --------------------------------------------------------------------------------


@helper
def command(
    at: Place, jumps: bool, parts: Array, internal: Array, y: Array, work: Array,
    commands: Array, omega: Floats, duration: float,
) -> bool:  # fmt: skip
    """Take the commands of a tick, and shift the queue of commands in the dead time."""
    for k in range(blocks_of(at)):
        if rarely(not plainly_commanded(at, k, work, commands)):
            command_alone(at, k, parts, internal, work, commands, duration)
    return jumps


@helper
def plainly_commanded(at: Place, k: int, work: Array, commands: Array) -> bool:
    """Take the torques of block k at once, unless one is limited or waits; return whether."""
    own, given = at.work + k * BLOCK, at.command + 8 * k
    prompt = work[own + PROMPT]
    if prompt != 0.0 and prompt != 4.0:
        return False
    torques = four_of(
        commands[given], commands[given + 2], commands[given + 4], commands[given + 6]
    )  # fmt: skip
    free = math.isnan(commands[given + 1]) and math.isnan(commands[given + 3])
    free = free and math.isnan(commands[given + 5]) and math.isnan(commands[given + 7])
    if not free or not all_within(sizes(torques), four_at(work, own + LARGEST)):
        return False
    put_four(work, own + TARGET, torques)
    if prompt > 0.0:
        put_four(work, own + DRIVE, torques)
    return True


@part
def command_alone(
    at: Place, block: int, parts: Array, internal: Array, work: Array, commands: Array,
    duration: float,
) -> None:  # fmt: skip
    """Take the commands of the wheels of a block one by one."""
    size = state_size(at, parts)
    for k in range(4 * block, min(4 * block + 4, at.number)):
        row, own = at.row + k * ROW, own_of(at, k)
        queue, queued = at.state + k * size + STATES, size - STATES
        given = at.command + 2 * k
        asked, speed = commands[given], commands[given + 1]
        if rarely(not math.isnan(speed)):
            asked = servo_torque(parts, row, work[own + SPEED], speed, duration)
        asked = within(parts[row + MAX_TORQUE], asked)
        if rarely(parts[row + DELAYED] > 0.0):
            asked = waited(parts, row, internal, queue, queued, asked)
        work[own + TARGET] = asked
        if parts[row + LAG] <= 0.0:
            work[own + DRIVE] = asked


@part
def waited(
    parts: Array, row: int, internal: Array, queue: int, queued: int, asked: float
) -> float:
    """Put a command in the queue of a wheel's dead time, and return the one that acts now [N m].

    Until DELAY in this tick the command of `waits` + 1 ticks ago acts, then that of `waits`.
    """
    waits, acts = int(parts[row + WAITS]), asked
    if parts[row + DELAY] > 0.0:
        acts = internal[queue + waits]
    elif waits > 0:
        acts = internal[queue + waits - 1]
    for j in range(queued - 1, 0, -1):
        internal[queue + j] = internal[queue + j - 1]
    internal[queue] = asked
    return acts


@part
def switch(
    at: Place, parts: Array, internal: Array, work: Array, commands: Array, time: float,
    now: float, soon: float,
) -> None:  # fmt: skip
    """Apply commands whose dead time is over; see Kind."""
    size = state_size(at, parts)
    for k in range(at.number):
        row, own = at.row + k * ROW, own_of(at, k)
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


# --- motion ----------------------------------------------------------------------------------


@part
def lock(at: Place, inertia: Floats, parts: Array, work: Array) -> Floats:
    """Return the inertia with that of wheels that are held; gyros' rotors: see `store`."""
    for k in range(at.number):
        row = at.row + k * ROW
        held = not turns_freely(work[own_of(at, k) + MODE])
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
        row, own = at.row + k * ROW, own_of(at, k)
        axis, mode = vector_of(work, own + AXIS_NOW), work[own + MODE]
        amount = y[value_of(at, k)]
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
        row, own = at.row + k * ROW, own_of(at, k)
        if turns_freely(work[own + MODE]):
            along = dot(vector_of(work, own + AXIS_NOW), omega)
            speed = y[value_of(at, k)] / parts[row + J] - along
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
        row, own = at.row + k * ROW, own_of(at, k)
        mode, speed = work[own + MODE], work[own + SPEED]
        slope[value_of(at, k)] = 0.0
        slope[value_of(at, k) + ANGLE] = speed
        if turns_freely(mode):
            asked = work[own + MOTOR] + work[own + MOTOR_RATE] * t
            motor = motor_torque(parts, row, asked, speed)
            friction = drag(parts, row, speed, mode)
            slope[value_of(at, k)] = motor + friction
            rest = moved_vector(rest, -(motor + friction), vector_of(work, own + AXIS_NOW))
            motors += motor * speed
            heat -= friction * speed
            work[own + GIVEN], work[own + TOTAL] = motor, motor + friction
    for k in range(at.number, 4 * blocks_of(at)):
        slope[value_of(at, k)] = slope[value_of(at, k) + ANGLE] = 0.0
    return rest, motors, heat


@part
def constrain(
    at: Place, sums: tuple[float, float], parts: Array, y: Array, slope: Array, work: Array,
    omega: Floats, alpha: Floats, gained: Floats, t: float,
) -> tuple[float, float]:  # fmt: skip
    """Write the constraint torques of wheels that are held, and add their powers; see Kind."""
    motors, heat = sums
    for k in range(at.number):
        row, own = at.row + k * ROW, own_of(at, k)
        if turns_freely(work[own + MODE]):
            continue
        speed = work[own + SPEED]
        total = parts[row + J] * dot(vector_of(work, own + AXIS_NOW), alpha)
        if parts[row + GIMBALED] > 0.0:
            turned = dot(vector_of(work, own + ACROSS), omega)
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
    for k in range(blocks_of(at)):
        mode = four_at(work, at.work + k * BLOCK + MODE)
        if rarely(not all_within(mode * mode - 1.0, repeated(0.0))):
            hold_alone(at, k, parts, y, work, omega)


@part
def hold_alone(at: Place, block: int, parts: Array, y: Array, work: Array, omega: Floats) -> None:
    """Do what `hold` does for the wheels of a block, one by one."""
    for k in range(4 * block, min(4 * block + 4, at.number)):
        row, own = at.row + k * ROW, own_of(at, k)
        mode = work[own + MODE]
        if not turns_freely(mode):
            along = dot(vector_of(work, own + AXIS_NOW), omega)
            y[value_of(at, k)] = parts[row + J] * (constant_speed(parts, row, mode) + along)


@part
def energy(at: Place, twice: float, parts: Array, y: Array, work: Array, omega: Floats) -> float:
    """Add twice the kinetic energy h²/(2 J) of the wheels [J]."""
    for k in range(at.number):
        h = y[value_of(at, k)]
        twice += h * h / parts[at.row + k * ROW + J]
    return twice


# --- events ----------------------------------------------------------------------------------


@helper
def excess(at: Place, parts: Array, work: Array, k: int) -> float:
    """Return the event function of a wheel: it sticks, slips or reaches its largest speed."""
    row, own = at.row + k * ROW, own_of(at, k)
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
    return not turns_freely(work[own_of(at, k) + MODE])


@part
def change(at: Place, parts: Array, y: Array, work: Array, k: int) -> int:
    """Hold a wheel that stops or is at its largest speed, for a trial, or free one; see Kind."""
    own = own_of(at, k)
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
    own = own_of(at, k)
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
        row, own = at.row + k * ROW, own_of(at, k)
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
    error = asked(parts, MOTOR_LINE_ERROR)
    for k in range(at.number):
        own = own_of(at, k)
        if turns_freely(work[own + MODE]):
            off = abs(work[own + DRIVE] - work[own + TARGET])
            lag = parts[at.row + k * ROW + LAG]
            longest = min(longest, longest_line(bend * off, lag, error))
    return longest


KIND = Kind(
    name='reaction_wheels', row=WHEEL, state=WHEEL_STATE, queues=True, work=WORK_ROW,
    values=VALUES, fours=True, lasting=True, commands=WHEEL_COMMAND.size,
    load=load, keep=keep, command=command, switch=switch, next_switch=next_switch, elapse=elapse,
    lock=lock, store=store, find_rates=find_rates, draw_lines=draw_lines, turn=turn,
    constrain=constrain, hold=hold, energy=energy, excess=excess, is_held=is_held, change=change,
    release=release, calm=calm, steady=steady, glide=glide, push=push,
    load_bounds=load_bounds, longest_step=longest_step,
)  # fmt: skip
