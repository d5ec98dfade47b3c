# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The IMU and the attitude_controller of a spacecraft, in lockstep, as the law of a batch.

Bit for bit what the nodes do. In every tick gyroscope and attitude are read with their errors;
core.control.control_law answers with the torque until the next tick. core.control.magnetic_control
answers the magnetometer with a dipole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spacecraft_attitude_sim.core.batch.attitude_law_layout import (
    CHANGE,
    CONSTANTS,
    ESTIMATE,
    HEARD,
    MEMORY,
    ORDER,
    WITH_FIELD,
)
from spacecraft_attitude_sim.core.batch.driven import DRIVEN, ROD, Driven
from spacecraft_attitude_sim.core.batch.hearing import Hearing
from spacecraft_attitude_sim.core.batch.law import Aboard, Law, Present
from spacecraft_attitude_sim.core.batch.law_heard import (
    FIELD_BEFORE,
    FIELD_CAME,
    HEARD_AT,
    IMU_BEFORE,
    IMU_CAME,
    heard_field,
    seconds_between,
    ticks_since,
)
from spacecraft_attitude_sim.core.batch.law_joints import (
    driven_rows,
    joints_of,
    rods_begin,
    speeds_of_all,
)
from spacecraft_attitude_sim.core.batch.loop import (
    COMMANDS,
    SEEN_AROUND,
    SEEN_SIZE,
    SEEN_STATES,
    law_function,
)
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.control import (
    control_law,
    integral,
    magnetic_control,
    pointing_frames,
)
from spacecraft_attitude_sim.core.control.allocation import WHEELS, allocate, at_limit
from spacecraft_attitude_sim.core.control.attitude_loop import (
    DETUMBLING,
    FASTEST,
    IDLE,
    MODES,
    NADIR,
    POINTING,
    POINTINGS,
    RATE_DAMPING,
    SUN,
    Settings,
)
from spacecraft_attitude_sim.core.control.command_delay import readings_late
from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.control.magnetic_control import NO_DIPOLE
from spacecraft_attitude_sim.core.control.magnetic_loop import STRONGEST
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    FlatBody,
    FlatState,
    FlatWrench,
    Floats,
)
from spacecraft_attitude_sim.core.mathematics.vectors import dot, four_at, nine_at, three_at
from spacecraft_attitude_sim.core.parts.reaction_wheels.speeds import TACHOMETER
from spacecraft_attitude_sim.core.sensors import Suite, imu, magnetometer
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks
from spacecraft_attitude_sim.kernels.kernel import compiled

WRENCH_ITSELF, NO_TORQUES = -1.0, -2.0
GAINS, DAMPING = CONSTANTS.at('gains'), CONSTANTS.at('damping')
INTEGRATES = GAINS + control_law.INTEGRAL_RATE
REFERENCE, INVERSE_INERTIA = CONSTANTS.at('reference'), CONSTANTS.at('inverse_inertia')
FOLLOWED = CONSTANTS.at('in_orbit')
ASSUMED, LIMIT = CONSTANTS.at('q_BS'), CONSTANTS.at('torque_limit')
MODE, NOISY, TICK_NS = (CONSTANTS.at(name) for name in ('mode', 'noisy', 'tick_ns'))
INTERVAL, HOLD, IMU = (CONSTANTS.at(name) for name in ('interval', 'hold', 'imu'))
KIND, GYROSCOPIC, WIDTH = CONSTANTS.places('kind', 'gyroscopic', 'width')
MAGNETIC, FIELD_INTERVAL = CONSTANTS.places('magnetic', 'field_interval')
NUMBER = CONSTANTS.at('driven')
RODS, ROD_COMMAND = CONSTANTS.places('rods', 'rod_command')
CHANGES, DELAY, GRADIENT, TIMEOUT = CONSTANTS.places('changes', 'delay', 'gradient', 'timeout')
ESTIMATED, ORDERED = CONSTANTS.places('estimated', 'ordered')
ESTIMATE_Q, ESTIMATE_RATE = ESTIMATE.places('q_WS', 'omega_S')
UNLOADS, ORDER_REFERENCE, POINTED, ANEW = ORDER.places('unloads', 'reference', 'pointed', 'anew')
ROWS, DRIVEN_SIZE = CONSTANTS.size, DRIVEN.size
COMMAND, LOW, HIGH, UNIT = DRIVEN.places('command', 'low', 'high', 'unit')
ROD_SIZE, CHANGE_SIZE = ROD.size, CHANGE.size
SHARING, MAX_DIPOLE = ROD.places('sharing', 'max_dipole')
MOUNTED = IMU + imu.MOUNTED
WAY, BEGAN, CUT, INTEGRAL, GYROSCOPE, CUTS, CLIPPED = MEMORY.places()
INTEGRAL_MODE = INTEGRAL + integral.MODE
BEFORE, KNOWN = WITH_FIELD.places('before_B', 'known')
DIPOLE_CUTS, DIPOLE_CLIPPED = WITH_FIELD.places('dipole_cuts', 'dipole_clipped')
NOT_YET, MAGNETIC_SIZE = -1.0, magnetic_control.SIZE
COMPASS_SIZE = magnetometer.CONSTANTS.size
AT_REST = tuple(control_law.AT_REST.flat()[: control_law.GRADIENT].tolist())
IS_POINTING, IS_DAMPING, IS_IDLE, IS_DETUMBLING, IS_NADIR, IS_SUN = map(float, range(6))
assert MODES == (POINTING, RATE_DAMPING, IDLE, DETUMBLING, NADIR, SUN)


def attitude_law(
    settings: Sequence[Settings],
    references: Sequence[Reference],
    bodies: Sequence[RigidBody],
    suites: Sequence[Suite],
    torque_limits: Sequence[Array],
    ticks: Ticks = DEFAULT,
    timeouts: Sequence[float] = (),
    driven: Sequence[Driven | None] = (),
    aboard: Aboard | None = None,
    hearing: Hearing | None = None,
) -> Law:
    """Return the Law of bodies with an attitude_controller each; all arguments: one entry a body.

    settings: of core.control.attitude_loop
    suites: whose gyroscope, attitude and magnetometer are read
    torque_limits: (3,) of a command, about each body axis [N m];  ticks: Ticks of the batch
    timeouts: how long a command is held [s], 0 and by default for ever
    driven: Driven of each, by default none; all of one kind and number
    aboard: what says attitude and rate in place of the IMU, or None
    hearing: what comes of readings, where there is something aboard and sensors have faults
    Raises ValueError where these differ.
    """
    holds = [ticks.covering(timeout) or math.inf for timeout in timeouts or [0.0] * len(suites)]
    parts = zip(settings, references, bodies, suites, torque_limits, holds, strict=True)
    given = driven or [None] * len(suites)
    whole = [
        _constants(ticks, own, *one) for own, one in zip(given, parts, strict=True)
    ]  # fmt: skip
    if len(set(map(len, whole))) > 1:
        raise ValueError('controllers of a batch drive as many actuators each, of one kind')
    constants = np.array(whole)
    layout = WITH_FIELD if constants[0, FIELD_INTERVAL] else MEMORY
    constants[:, ESTIMATED] = layout.size if aboard else 0.0
    constants[:, ORDERED] = layout.size + ESTIMATE.size if aboard and aboard.orders else 0.0
    waiting = int(constants[:, DELAY].max()) * int(max(3.0, constants[0, NUMBER]))
    width = 0 if aboard is None else ESTIMATE.size + aboard.orders * ORDER.size
    heard, width = layout.size + width, width + (HEARD.size if hearing else 0)
    constants[hearing.steering if hearing else [], HEARD_AT] = heard
    memory = np.full((len(constants), layout.size + width + waiting), np.nan)
    memory[:, layout.size :] = 0.0
    memory[:, WAY:BEGAN] = 0.0
    memory[:, BEGAN], memory[:, CUT] = NOT_YET, 0.0
    memory[:, CUTS : CLIPPED + 1] = memory[:, KNOWN : KNOWN + 1] = 0.0
    memory[:, DIPOLE_CUTS : DIPOLE_CLIPPED + 1] = 0.0
    memory[:, INTEGRAL:GYROSCOPE], memory[:, INTEGRAL_MODE] = 0.0, integral.NONE
    if aboard is None:
        return Law(obey_controller, constants, memory)
    wheels = int(constants[0, CONSTANTS.at('wheels')]) if aboard.sees_wheels else 0
    speeds = np.zeros((len(constants), wheels))

    def before(now: Present) -> None:
        """Write what is known aboard, where the controllers read it."""
        if hearing:
            now = hearing.hear(now, heard)
        if wheels:
            speeds_of_all(*now.motion(), constants, speeds)
        aboard.before(now, now.memory[:, layout.size : heard], speeds)

    return Law(obey_controller, constants, memory, before, aboard)


def _constants(
    ticks: Ticks,
    driven: Driven | None,
    settings: Settings,
    reference: Reference,
    body: RigidBody,
    suite: Suite,
    torque_limit: Array,
    hold: float,
) -> Array:
    """Return CONSTANTS and the rows that follow; an unused attitude has no noise, for speed.

    Raises ValueError where a dipole is commanded without a magnetometer.
    """
    noise = suite.imu.orientation_noise if settings.modes & {*POINTINGS} else 0.0
    own = driven or Driven(
        None, np.zeros((0, DRIVEN.size)), np.zeros((0, TACHOMETER.size)), 0, np.zeros(0),
        np.zeros((0, ROD.size)), 0, 0,
    )  # fmt: skip
    allocation, compass, magnetic = own.allocation, suite.magnetometer, own.magnetic.size > 0
    if magnetic and compass is None:
        raise ValueError('a dipole answers imu/mag, and there is none: magnetometer.enabled')
    kind = NO_TORQUES if magnetic else WRENCH_ITSELF
    rows = own.rows
    if allocation:
        kind, rows = allocation.kind, np.column_stack((own.rows, allocation.rows))
    looking = compass if magnetic else None
    head = CONSTANTS.packed(
        gains=settings.gains.flat(), damping=settings.gains.damping_only().flat(),
        reference=reference.flat()[: control_law.GRADIENT], in_orbit=settings.in_orbit,
        inverse_inertia=body.inverse_inertia.ravel(), q_BS=settings.q_BS,
        torque_limit=torque_limit, mode=MODES.index(settings.mode),
        noisy=noise > 0.0 or not suite.imu.gyroscope.none, tick_ns=ticks.tick_ns,
        interval=suite.imu.interval, hold=hold,
        imu=replace(suite.imu, orientation_noise=noise).constants(suite.seed)[: imu.ACCEL],
        kind=kind, gyroscopic=allocation.gyroscopic if allocation else 0.0,
        magnetic=own.magnetic if magnetic else np.zeros(magnetic_control.SIZE),
        magnetometer=looking.constants(suite.seed) if looking else np.zeros(COMPASS_SIZE),
        field_interval=looking.interval if looking else 0, width=rows.shape[1], driven=len(rows),
        wheels=len(own.wheels), wheel_width=own.wheel_width, rods=len(own.rods),
        dipoles=own.dipoles, rod_command=own.rod_command, changes=len(settings.schedule),
        delay=readings_late(settings.delay_ns, suite.imu.interval * ticks.tick_ns),
        gradient=settings.gradient, timeout=1e-9 * settings.timeout_ns,
        estimated=0.0, ordered=0.0, heard=0.0,
    )  # fmt: skip
    changes = [(time_ns, MODES.index(mode)) for time_ns, mode in settings.schedule]
    return np.concatenate((
        head, rows.ravel(), own.wheels.ravel(), own.rods.ravel(),
        np.array(changes, dtype=float).ravel(),
    ))  # fmt: skip


@compiled
def mode_at(tick: int, constants: Array) -> float:
    """Return the index in MODES of the mode at a tick."""
    mode, changes = constants[MODE], int(constants[CHANGES])
    k = len(constants) - CHANGE_SIZE * changes
    for _ in range(changes):
        if constants[k] > tick * int(constants[TICK_NS]):
            break
        mode = constants[k + 1]
        k += CHANGE_SIZE
    return float(mode)


@compiled
def read_imu(
    number: int, looked_at: bool, flat_state: FlatState, constants: Array, memory: Array
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the measured attitude and angular velocity, IMU axes, four and three floats.

    number: of readings since the start;  looked_at: whether the controller uses the attitude
    """
    q_WB, q_BS = four_at(flat_state, 3), four_at(constants, MOUNTED)
    L_B = kinematics.seen_from(q_WB, three_at(flat_state, 10))
    omega_B = kinematics.rate(L_B, nine_at(constants, INVERSE_INERTIA), three_at(flat_state, SIZE))
    if len(flat_state) > SEEN_SIZE:  # internal motion may change the inertia
        omega_B = three_at(flat_state, SEEN_SIZE)
    q_WS, omega_S = kinematics.attitude_of(q_WB, q_BS), kinematics.seen_from(q_BS, omega_B)
    if constants[NOISY] > 0.0:
        errors, memory = constants[IMU:], memory[GYROSCOPE:]
        q_WS, omega_S = imu.rotation_read(number, q_WS, omega_S, errors, memory)
    return (q_WS if looked_at else rotations.IDENTITY), omega_S


@compiled
def read_motion(
    number: int, looked_at: bool, flat_state: FlatState, constants: Array, memory: Array
) -> tuple[tuple[float, ...], tuple[float, ...], bool]:
    """Return `read_imu` or what an estimator says, and whether that has an attitude."""
    place = int(constants[ESTIMATED])
    if place == 0:
        return *read_imu(number, looked_at, flat_state, constants, memory), True
    q_WS, known = rotations.IDENTITY, memory[place] > 0.0
    if looked_at and known:
        q_WS = four_at(memory, place + ESTIMATE_Q)
    return q_WS, three_at(memory, place + ESTIMATE_RATE), known


@compiled
def reference_at(
    tick: int, mode: float, flat_state: FlatState, constants: Array, memory: Array
) -> tuple[float, ...]:
    """Return the reference at a tick, ten floats, after its motion or in the orbit's axes."""
    place = int(constants[ORDERED])
    if place > 0 and mode in (IS_POINTING, IS_NADIR, IS_SUN):
        q, omega = four_at(memory, place + ORDER_REFERENCE), place + ORDER_REFERENCE + 4
        a, b = three_at(memory, omega), three_at(memory, omega + 3)
        return q[0], q[1], q[2], q[3], a[0], a[1], a[2], b[0], b[1], b[2]
    if mode in (IS_NADIR, IS_SUN):
        around, wanted = flat_state[SEEN_AROUND:SEEN_STATES], constants[FOLLOWED : FOLLOWED + 8]
        return pointing_frames.target(around, mode == IS_SUN, wanted)
    if mode != IS_POINTING:
        return AT_REST
    q_WR, k = four_at(constants, REFERENCE), REFERENCE + 4
    rest = (*three_at(constants, k), *three_at(constants, k + 3))
    elapsed_ns = (tick - int(memory[BEGAN])) * int(constants[TICK_NS])
    return (*control_law.turned((*q_WR, *rest), 1e-9 * elapsed_ns), *rest)


@compiled
def pointed_at(tick: int, flat_state: FlatState, constants: Array, memory: Array) -> Floats:
    """Return the controller's target q_WR, four floats; nan where it points nowhere."""
    if constants[ORDERED] > 0.0:
        return four_at(memory, int(constants[ORDERED]) + POINTED)
    mode = mode_at(tick, constants)
    if mode not in (IS_POINTING, IS_NADIR, IS_SUN):
        return math.nan, math.nan, math.nan, math.nan
    if mode == IS_POINTING and memory[BEGAN] == NOT_YET:
        return four_at(constants, REFERENCE)
    q = reference_at(tick, mode, flat_state, constants, memory)
    return q[0], q[1], q[2], q[3]


@compiled
def was_cut(memory: Array) -> float:
    """Return 1 where a limit of the controller reduced its torque command, else 0."""
    return float(memory[CUT])


@compiled
def rest(constants: Array, wrench: Array) -> None:
    """Command all driven actuators to rest."""
    for k in range(int(constants[NUMBER])):
        command = COMMANDS + int(constants[ROWS + k * int(constants[WIDTH]) + COMMAND])
        wrench[command] = 0.0
        if constants[KIND] == WHEELS:
            wrench[command + 1] = math.nan  # the torque counts, not a speed


@compiled
def drive(
    flat_state: FlatState, constants: Array, torque: Floats, omega_S: Floats, memory: Array,
    wrench: Array,
) -> None:  # fmt: skip
    """Write the commands of the driven actuators; torque: of the control law [N m]."""
    own = driven_rows(constants)
    joints, commands = joints_of(flat_state, own, constants), np.zeros(len(own))
    rows = own[:, DRIVEN_SIZE:].copy()
    omega_B = control_law.rate_from_imu(four_at(constants, ASSUMED), omega_S)
    kind, gyroscopic = constants[KIND], constants[GYROSCOPIC]
    allocate(kind, rows, gyroscopic, joints, torque, omega_B, commands)
    if constants[INTEGRATES] > 0.0 and at_limit(kind, rows, commands):
        integral.held(memory[INTEGRAL:])
    clipped = 0.0
    for k in range(len(own)):
        limited = min(max(commands[k], own[k, LOW]), own[k, HIGH])
        clipped = clipped if limited == commands[k] else 1.0
        wrench[COMMANDS + int(own[k, COMMAND])] = limited / own[k, UNIT]
    memory[CLIPPED] += clipped


@law_function
def obey_controller(
    tick: int, flat_state: FlatState, body: FlatBody, constants: Array, memory: Array,
    wrench: FlatWrench,
) -> None:  # fmt: skip
    """Write the controller's commands after the readings of a tick, if there are any."""
    mode = mode_at(tick, constants)
    if constants[ORDERED] > 0.0:
        mode = memory[int(constants[ORDERED])]
    obey_imu(tick, mode, flat_state, constants, memory, wrench)
    if constants[FIELD_INTERVAL] > 0.0:
        obey_magnetometer(tick, mode, flat_state, constants, memory, wrench)


@compiled
def obey_imu(
    tick: int, mode: float, flat_state: FlatState, constants: Array, memory: Array, wrench: Array
) -> None:
    """Write the torque that the controller commands after the IMU's reading, if it reads."""
    since = ticks_since(tick, constants, memory, IMU_CAME, INTERVAL)
    if since:  # no reading: the last command is held
        if since >= constants[HOLD]:
            wrench[3:6] = memory[CUT] = 0.0
            rest(constants, wrench)
        return
    if constants[KIND] == NO_TORQUES:
        return
    answer_imu(tick, mode, flat_state, constants, memory, wrench)
    if constants[DELAY] > 0.0:
        delay_command(tick // int(constants[INTERVAL]), constants, memory, wrench)


@compiled
def delay_command(number: int, constants: Array, memory: Array, wrench: Array) -> None:
    """Swap the command that answers a reading with the one that is due; number: of readings.

    As core.control.command_delay.
    """
    delay, driven = int(constants[DELAY]), int(constants[NUMBER])
    width = max(3, driven)
    row = len(memory) - width * (number % delay + 1)
    for k in range(driven if driven > 0 else 3):
        at = 3 + k
        if driven > 0:
            at = COMMANDS + int(constants[ROWS + k * int(constants[WIDTH]) + COMMAND])
        wrench[at], memory[row + k] = memory[row + k], wrench[at]


@compiled
def answer_imu(
    tick: int, mode: float, flat_state: FlatState, constants: Array, memory: Array, wrench: Array
) -> None:
    """Write the torque, or the commands for it, that answer the IMU's reading at a tick."""
    kind = constants[KIND]
    number = tick // int(constants[INTERVAL])
    pointing = mode in (IS_POINTING, IS_NADIR, IS_SUN)
    q_WS, omega_S, known = read_motion(number, pointing, flat_state, constants, memory)
    if pointing and not known:  # it only damps
        pointing, mode = False, IS_DAMPING
    wrench[3:6] = memory[CUT] = 0.0
    rest(constants, wrench)
    usable = max(abs(omega_S[0]), abs(omega_S[1]), abs(omega_S[2])) < FASTEST
    place = int(constants[ORDERED])
    if not (pointing and usable) or (place > 0 and memory[place + ANEW] > 0.0):
        memory[INTEGRAL_MODE] = integral.NONE
    if mode in (IS_IDLE, IS_DETUMBLING) or not usable:
        return
    if memory[BEGAN] == NOT_YET and (mode == IS_POINTING or constants[CHANGES] == 0.0) and known:
        memory[BEGAN] = tick
    gains = constants[GAINS:DAMPING] if pointing else constants[DAMPING:REFERENCE]
    reference = reference_at(tick, mode, flat_state, constants, memory)
    gradient = control_law.NO_GRADIENT
    if pointing and constants[GRADIENT] > 0.0:
        gradient = pointing_frames.gradient(flat_state[SEEN_AROUND:SEEN_STATES])
    assumed, before = four_at(constants, ASSUMED), three_at(memory, WAY)
    kept, target = memory[INTEGRAL:], (*reference, *gradient)
    seconds = seconds_between(tick, constants, memory, IMU_BEFORE, INTERVAL)
    taken_up = integral.resumed(gains, mode, seconds, constants[TIMEOUT], kept)
    torque, way, share = control_law.torque_from_imu(
        gains, target, assumed, q_WS, omega_S, before, taken_up
    )
    integral.judged(gains, target, way, share, kept)
    memory[CUT] = 1.0 if share < 1.0 else 0.0
    memory[CUTS] += memory[CUT]
    if kind != WRENCH_ITSELF:
        drive(flat_state, constants, torque, omega_S, memory, wrench)
    for axis in range(3):
        limit = constants[LIMIT + axis]
        if kind == WRENCH_ITSELF:
            wrench[3 + axis] = min(max(torque[axis], -limit), limit)
            memory[CUT] = 1.0 if abs(torque[axis]) > limit else memory[CUT]
        if pointing:
            memory[WAY + axis] = way[axis]


@compiled
def obey_magnetometer(
    tick: int, mode: float, flat_state: FlatState, constants: Array, memory: Array, wrench: Array
) -> None:
    """Write the dipoles that the controller commands after the magnetometer's reading, if any."""
    rods = int(constants[RODS])
    first = COMMANDS + int(constants[ROD_COMMAND])
    since = ticks_since(tick, constants, memory, FIELD_CAME, FIELD_INTERVAL)
    if since:
        if since >= constants[HOLD]:
            wrench[first : first + rods] = 0.0
        return
    place = int(constants[ORDERED])
    unloads = place == 0 or memory[place + UNLOADS] > 0.0
    field_S = heard_field(tick, flat_state, constants, memory)
    usable = max(abs(field_S[0]), abs(field_S[1]), abs(field_S[2])) < STRONGEST
    if not usable:
        mode = IS_IDLE
    field_B = control_law.rate_from_imu(four_at(constants, ASSUMED), field_S)
    gains, dipole, uncut = constants[MAGNETIC : MAGNETIC + MAGNETIC_SIZE], NO_DIPOLE, 1.0
    if mode == IS_DETUMBLING:
        if memory[KNOWN] == 1.0:
            seconds = seconds_between(tick, constants, memory, FIELD_BEFORE, FIELD_INTERVAL)
            before = three_at(memory, BEFORE)
            dipole, uncut = magnetic_control.b_dot(gains, field_B, before, seconds)
    elif constants[KIND] == WHEELS and mode != IS_IDLE and mode != IS_DAMPING and unloads:
        own = driven_rows(constants)
        speeds, rows = joints_of(flat_state, own, constants), own[:, DRIVEN_SIZE:].copy()
        dipole, uncut = magnetic_control.unloading(gains, rows, speeds, field_B)
    for axis in range(3):
        memory[BEFORE + axis] = field_B[axis]
    memory[KNOWN] = 1.0 if usable else 0.0
    memory[DIPOLE_CUTS] += 1.0 if uncut < 1.0 else 0.0
    clipped = 0.0
    for k in range(rods):
        row = rods_begin(constants) + k * ROD_SIZE
        share = dot(three_at(constants, row + SHARING), dipole)
        most = constants[row + MAX_DIPOLE]
        wrench[first + k] = min(max(share, -most), most)
        clipped = clipped if wrench[first + k] == share else 1.0
    memory[DIPOLE_CLIPPED] += clipped
