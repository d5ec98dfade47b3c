# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The IMU and the attitude_controller of a spacecraft, in lockstep, as the law of a batch.

Bit for bit what the nodes do: every tick gyroscope and attitude are read with their errors, and
answered by core.control.control_law with the torque that acts until the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators.layouts import GIMBAL_STATE
from spacecraft_attitude_sim.core.batch.batch import Law
from spacecraft_attitude_sim.core.batch.loop import COMMANDS, SEEN_SIZE, SEEN_STATES, law_function
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.control import control_law
from spacecraft_attitude_sim.core.control.allocation import GIMBALS, Allocation, allocate
from spacecraft_attitude_sim.core.control.attitude_loop import (
    FASTEST,
    IDLE,
    MODES,
    POINTING,
    Settings,
)
from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    FlatBody,
    FlatState,
    FlatWrench,
    Floats,
)
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, three_at
from spacecraft_attitude_sim.core.sensors import Suite, imu, triad
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks
from spacecraft_attitude_sim.kernels.kernel import compiled

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation.plant import Spacecraft

# kind, gyroscopic: of core.control.allocation, kind -1 for a wrench
# width: of a row of each actuator that is driven; these follow
# gains, reference: flat ones of core.control.control_law;  q_BS: as the controller has it
# torque_limit: of a command;  mode: place in MODES;  noisy: whether what is read has errors
# tick_ns: length of a tick [ns];  interval: of the readings of the IMU [ticks]
# hold: how long an answer acts [ticks];  imu: without accelerometer
CONSTANTS = Layout(
    gains=26, reference=10, inverse_inertia=9, q_BS=4, torque_limit=3, mode=1, noisy=1,
    tick_ns=1, interval=1, hold=1, imu=imu.ACCEL, kind=1, gyroscopic=1, width=1,
)  # fmt: skip
# Of one actuator that is driven, and before what core.control.allocation is given of it: where its
# command is after the wrench, where its angle is in the states; its limits there, and the unit.
DRIVEN = Layout(command=1, angle=1, low=1, high=1, unit=1)
WRENCH_ITSELF = -1.0
REFERENCE, INVERSE_INERTIA = CONSTANTS.at('reference'), CONSTANTS.at('inverse_inertia')
ASSUMED, LIMIT = CONSTANTS.at('q_BS'), CONSTANTS.at('torque_limit')
MODE, NOISY, TICK_NS = (CONSTANTS.at(name) for name in ('mode', 'noisy', 'tick_ns'))
INTERVAL, HOLD, IMU = (CONSTANTS.at(name) for name in ('interval', 'hold', 'imu'))
KIND, GYROSCOPIC, WIDTH = CONSTANTS.places('kind', 'gyroscopic', 'width')
ROWS, DRIVEN_SIZE = CONSTANTS.size, DRIVEN.size
COMMAND, ANGLE, LOW, HIGH, UNIT = DRIVEN.places('command', 'angle', 'low', 'high', 'unit')
MOUNTED = IMU + imu.MOUNTED
# way: the way round;  began: the tick the reference counts from
MEMORY = Layout(way=3, began=1, gyroscope=triad.STATE.size)
WAY, BEGAN, GYROSCOPE = MEMORY.at('way'), MEMORY.at('began'), MEMORY.at('gyroscope')
NOT_YET = -1.0
IS_POINTING, IS_IDLE = (float(MODES.index(mode)) for mode in (POINTING, IDLE))


class Driven(NamedTuple):
    """The actuators that a controller drives, and where they are in those of the spacecraft.

    allocation: of core.control.allocation;  rows: (G, DRIVEN.size)
    """

    allocation: Allocation
    rows: Array


def driven_of(spacecraft: Spacecraft, allocation: Allocation | None) -> Driven | None:
    """Return the Driven of a spacecraft that has the actuators of an Allocation; None of none."""
    if allocation is None:
        return None
    assembly, gyros, thrusters = spacecraft.assembly, spacecraft.gyros, spacecraft.thrusters
    assert assembly
    rows = []
    wheels = len(spacecraft.wheels.names) if spacecraft.wheels else 0
    turning = wheels + (len(gyros.names) if gyros else 0)
    gimbals = len(gyros.names) if gyros else 0
    for name in allocation.names:
        if allocation.kind == GIMBALS:
            assert gyros
            k = gyros.names.index(name)
            most = gyros.gyros[k].max_rate
            angle = assembly.layout.at('gimbals') + k * GIMBAL_STATE.size
            row = {'command': 2 * (turning + k), 'angle': angle + GIMBAL_STATE.at('angle')}
            rows.append(DRIVEN.packed(**row, low=-most, high=most, unit=1.0))
        else:
            assert thrusters
            k = thrusters.names.index(name)
            most = thrusters.thrusters[k].max_force
            row = {'command': 2 * (turning + gimbals) + k, 'angle': 0}
            rows.append(DRIVEN.packed(**row, low=0.0, high=most, unit=most))
    return Driven(allocation, np.array(rows))


def attitude_law(
    settings: Sequence[Settings],
    references: Sequence[Reference],
    bodies: Sequence[RigidBody],
    suites: Sequence[Suite],
    torque_limits: Sequence[Array],
    ticks: Ticks = DEFAULT,
    timeouts: Sequence[float] = (),
    driven: Sequence[Driven | None] = (),
) -> Law:
    """Return the Law of bodies under an attitude_controller each, one of every argument a body.

    settings: of core.control.attitude_loop
    suites: whose gyroscope and attitude are read
    torque_limits: (3,) of a command, about each body axis [N m];  ticks: Ticks of the batch
    timeouts: how long a command is held [s], 0 and by default for ever
    driven: Driven of each, by default none; all of one kind and number
    Raises ValueError where these differ.
    """
    holds = [ticks.covering(timeout) or math.inf for timeout in timeouts or [0.0] * len(suites)]
    parts = zip(settings, references, bodies, suites, torque_limits, holds, strict=True)
    whole = [_constants(ticks, *one) for one in parts]
    whole = [
        np.concatenate((rows, _driven_rows(one)))
        for rows, one in zip(whole, driven or [None] * len(whole), strict=True)
    ]
    if len(set(map(len, whole))) > 1:
        raise ValueError('controllers of a batch drive as many actuators each, of one kind')
    constants = np.array(whole)
    memory = np.full((len(constants), MEMORY.size), np.nan)
    memory[:, WAY:BEGAN] = 0.0
    memory[:, BEGAN] = NOT_YET
    return Law(obey_controller, constants, memory)


def _constants(
    ticks: Ticks,
    settings: Settings,
    reference: Reference,
    body: RigidBody,
    suite: Suite,
    torque_limit: Array,
    hold: float,
) -> Array:
    """Return CONSTANTS; an attitude that is not looked at has no noise, to save time."""
    pointing = settings.mode == POINTING
    gains = settings.gains if pointing else settings.gains.damping_only()
    noise = suite.imu.orientation_noise if pointing else 0.0
    noisy = noise > 0.0 or not suite.imu.gyroscope.none
    read = replace(suite.imu, orientation_noise=noise).constants(suite.seed)[: imu.ACCEL]
    return np.concatenate((
        gains.flat(), (reference if pointing else control_law.AT_REST).flat(),
        body.inverse_inertia.ravel(), settings.q_BS, torque_limit,
        (MODES.index(settings.mode), noisy, ticks.tick_ns, suite.imu.interval, hold), read,
    ))  # fmt: skip


def _driven_rows(driven: Driven | None) -> Array:
    """Return kind, gyroscopic and the rows of DRIVEN of what is driven."""
    if driven is None:
        return np.array((WRENCH_ITSELF, 0.0, 0.0))
    allocation = driven.allocation
    rows = np.column_stack((driven.rows, allocation.rows)).ravel()
    width = DRIVEN.size + allocation.rows.shape[1]
    return np.concatenate(((allocation.kind, allocation.gyroscopic, width), rows))


@compiled
def read_imu(
    number: int, flat_state: FlatState, constants: Array, memory: Array
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return attitude and angular velocity read, IMU axes, four and three floats.

    number: of readings since the start
    """
    q_WB, q_BS = four_at(flat_state, 3), four_at(constants, MOUNTED)
    L_B = kinematics.seen_from(q_WB, three_at(flat_state, 10))
    omega_B = kinematics.rate(L_B, nine_at(constants, INVERSE_INERTIA), three_at(flat_state, SIZE))
    if len(flat_state) > SEEN_SIZE:  # what turns inside may change the inertia
        omega_B = three_at(flat_state, SEEN_SIZE)
    q_WS, omega_S = kinematics.attitude_of(q_WB, q_BS), kinematics.seen_from(q_BS, omega_B)
    if constants[NOISY] > 0.0:
        errors, memory = constants[IMU:], memory[GYROSCOPE:]
        q_WS, omega_S = imu.rotation_read(number, q_WS, omega_S, errors, memory)
    return (q_WS if constants[MODE] == IS_POINTING else rotations.IDENTITY), omega_S


@compiled
def reference_at(tick: int, constants: Array, memory: Array) -> tuple[float, ...]:
    """Return the reference at a tick, ten floats, turned since the law began."""
    q_WR, k = four_at(constants, REFERENCE), REFERENCE + 4
    rest = (*three_at(constants, k), *three_at(constants, k + 3))
    elapsed_ns = (tick - int(memory[BEGAN])) * int(constants[TICK_NS])
    return (*control_law.turned((*q_WR, *rest), 1e-9 * elapsed_ns), *rest)


@compiled
def rest(constants: Array, wrench: Array) -> None:
    """Let all actuators that are driven rest."""
    if constants[KIND] != WRENCH_ITSELF:
        width = int(constants[WIDTH])
        for k in range(ROWS, len(constants), width):
            wrench[COMMANDS + int(constants[k + COMMAND])] = 0.0


@compiled
def drive(
    flat_state: FlatState, constants: Array, torque: Floats, omega_S: Floats, wrench: Array
) -> None:
    """Write the commands of the actuators that are driven; torque: of the law [N m]."""
    own = constants[ROWS:].copy().reshape(-1, int(constants[WIDTH]))
    angles, commands = np.zeros(len(own)), np.zeros(len(own))
    for k in range(len(own)):
        angles[k] = flat_state[SEEN_STATES + int(own[k, ANGLE])]
    rows = own[:, DRIVEN_SIZE:].copy()
    omega_B = control_law.rate_from_imu(four_at(constants, ASSUMED), omega_S)
    kind, gyroscopic = constants[KIND], constants[GYROSCOPIC]
    allocate(kind, rows, gyroscopic, angles, torque, omega_B, commands)
    for k in range(len(own)):
        limited = min(max(commands[k], own[k, LOW]), own[k, HIGH])
        wrench[COMMANDS + int(own[k, COMMAND])] = limited / own[k, UNIT]


@law_function
def obey_controller(
    tick: int, flat_state: FlatState, body: FlatBody, constants: Array, memory: Array,
    wrench: FlatWrench,
) -> None:  # fmt: skip
    """Write the torque that answers the IMU's reading, if it reads; nothing is allocated."""
    since = tick % int(constants[INTERVAL])
    if since:  # no reading: what answered the last one is held
        if since >= constants[HOLD]:
            wrench[3:6] = 0.0
            rest(constants, wrench)
        return
    number = tick // int(constants[INTERVAL])
    q_WS, omega_S = read_imu(number, flat_state, constants, memory)
    wrench[3:6] = 0.0
    rest(constants, wrench)
    usable = max(abs(omega_S[0]), abs(omega_S[1]), abs(omega_S[2])) < FASTEST
    if constants[MODE] == IS_IDLE or not usable:
        return
    if memory[BEGAN] == NOT_YET:
        memory[BEGAN] = tick
    torque, way, _ = control_law.torque_from_imu(
        constants, reference_at(tick, constants, memory), four_at(constants, ASSUMED), q_WS,
        omega_S, three_at(memory, WAY),
    )  # fmt: skip
    if constants[KIND] != WRENCH_ITSELF:
        drive(flat_state, constants, torque, omega_S, wrench)
    for axis in range(3):
        limit = constants[LIMIT + axis]
        if constants[KIND] == WRENCH_ITSELF:
            wrench[3 + axis] = min(max(torque[axis], -limit), limit)
        if constants[MODE] == IS_POINTING:
            memory[WAY + axis] = way[axis]
