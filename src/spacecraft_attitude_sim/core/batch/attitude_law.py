# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The IMU and the attitude_controller of a spacecraft, in lockstep, as the law of a batch.

Bit for bit what the nodes do: every tick gyroscope and attitude are read with their errors, and
answered by core.control.control_law with the torque that acts until the next.
"""

import numpy as np

from spacecraft_attitude_sim.core.batch.batch import Law
from spacecraft_attitude_sim.core.batch.loop import law_function
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.control import control_law
from spacecraft_attitude_sim.core.control.attitude_loop import FASTEST, IDLE, MODES, POINTING
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.random_streams import (
    GYROSCOPE,
    ORIENTATION,
    three_normals,
)
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, three_at
from spacecraft_attitude_sim.core.sensors import triad
from spacecraft_attitude_sim.core.sensors.star_tracker import disturbed
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.kernels.kernel import compiled

# Rows of constants: Gains, from 0 on, and Reference of core.control.control_law, inverse inertia,
# q_BS as mounted and as the controller has it, the limit of a command's torque, what is done, the
# errors.
GAINS, REFERENCE, INVERSE_INERTIA, MOUNTED, ASSUMED, LIMIT = 0, 26, 36, 45, 49, 53
MODE, NOISY, ORIENTATION_NOISE, SEED, ERRORS, CONSTANTS = 56, 57, 58, 59, 60, 84
# Rows of memory: the way round, the tick the reference counts from, the gyroscope's state.
WAY, BEGAN, GYRO_STATE, MEMORY = 0, 3, 4, 34
NOT_YET = -1.0
IS_POINTING, IS_IDLE = (float(MODES.index(mode)) for mode in (POINTING, IDLE))


def attitude_law(settings, references, bodies, suites, torque_limits):
    """Return the Law of bodies under an attitude_controller each, one of every argument a body.

    settings: Settings of core.control.attitude_loop;  references: Reference;  bodies: RigidBody
    suites: sensors.Suite, whose gyroscope and attitude are read
    torque_limits: (3,) of a command, about each body axis [N m]
    """
    parts = zip(settings, references, bodies, suites, torque_limits, strict=True)
    constants = np.array([_constants(*one) for one in parts])
    memory = np.zeros((len(constants), MEMORY))
    memory[:, BEGAN] = NOT_YET
    return Law(obey_controller, constants, memory)


def _constants(settings, reference, body, suite, torque_limit):
    pointing = settings.mode == POINTING
    gains = settings.gains if pointing else settings.gains.damping_only()
    imu = suite.imu
    return np.concatenate((
        gains.flat(), (reference if pointing else control_law.AT_REST).flat(),
        body.inverse_inertia.ravel(), imu.mounting.q_BF, settings.q_BS, torque_limit,
        (MODES.index(settings.mode), not imu.gyroscope.none, imu.orientation_noise, suite.seed),
        imu.gyroscope.flat.ravel(),
    ))  # fmt: skip


@compiled
def read_imu(tick, flat_state, constants, memory):
    """Return attitude and angular velocity read at a tick, IMU axes, four and three floats."""
    q_WS, omega_S = kinematics.turning(
        four_at(flat_state, 3), three_at(flat_state, 10), nine_at(constants, INVERSE_INERTIA),
        four_at(constants, MOUNTED),
    )  # fmt: skip
    seed = int(constants[SEED])
    if constants[NOISY] > 0.0:
        errors = constants[ERRORS:CONSTANTS].reshape((8, 3))
        state = memory[GYRO_STATE:MEMORY].reshape((10, 3))
        omega_S = triad.read_next(errors, state, omega_S, seed, 0, GYROSCOPE, tick)
    if constants[MODE] != IS_POINTING:
        return rotations.IDENTITY, omega_S
    sigma = constants[ORIENTATION_NOISE]
    if sigma > 0.0:
        x, y, z = three_normals(seed, 0, ORIENTATION, tick)
        q_WS = disturbed(q_WS, (sigma * x, sigma * y, sigma * z))
    return q_WS, omega_S


@compiled
def reference_at(tick, constants, memory):
    """Return the reference at a tick, ten floats, turned since the law began."""
    q_WR, k = four_at(constants, REFERENCE), REFERENCE + 4
    rest = (*three_at(constants, k), *three_at(constants, k + 3))
    elapsed_ns = (tick - int(memory[BEGAN])) * TICK_NS
    return (*control_law.turned((*q_WR, *rest), 1e-9 * elapsed_ns), *rest)


@law_function
def obey_controller(tick, flat_state, body, constants, memory, wrench):
    """Write the torque that answers the IMU's reading of this tick; nothing is allocated."""
    q_WS, omega_S = read_imu(tick, flat_state, constants, memory)
    wrench[3:6] = 0.0
    usable = max(abs(omega_S[0]), abs(omega_S[1]), abs(omega_S[2])) < FASTEST
    if constants[MODE] == IS_IDLE or not usable:
        return
    if memory[BEGAN] == NOT_YET:
        memory[BEGAN] = tick
    torque, way, _ = control_law.torque_from_imu(
        constants, reference_at(tick, constants, memory), four_at(constants, ASSUMED), q_WS,
        omega_S, three_at(memory, WAY),
    )  # fmt: skip
    for axis in range(3):
        limit = constants[LIMIT + axis]
        wrench[3 + axis] = min(max(torque[axis], -limit), limit)
        if constants[MODE] == IS_POINTING:
            memory[WAY + axis] = way[axis]
