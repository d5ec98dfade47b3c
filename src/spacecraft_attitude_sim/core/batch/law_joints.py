# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Angles of gimbals and speeds of wheels, as a law of core.batch.attitude_law reads them."""

from __future__ import annotations

import numpy as np

from spacecraft_attitude_sim.core.batch.attitude_law_layout import CONSTANTS
from spacecraft_attitude_sim.core.batch.driven import DRIVEN
from spacecraft_attitude_sim.core.batch.loop import SEEN_STATES
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.control.allocation import WHEELS
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatState
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, three_at
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import WHEEL_STATE
from spacecraft_attitude_sim.core.parts.reaction_wheels.speeds import (
    TACHOMETER,
    reading_at,
    speed_at,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

KIND, INVERSE_INERTIA = CONSTANTS.places('kind', 'inverse_inertia')
WIDTH, NUMBER = CONSTANTS.places('width', 'driven')
WHEELS_ALL, WHEEL_WIDTH = CONSTANTS.places('wheels', 'wheel_width')
ROWS, JOINT, WHEEL_SIZE = CONSTANTS.size, DRIVEN.at('joint'), TACHOMETER.size
WHEEL_MOMENTUM = WHEEL_STATE.at('momentum')


@helper
def rods_begin(constants: Array) -> int:
    """Return where the rows of ROD begin."""
    return tachometers_begin(constants) + int(constants[WHEELS_ALL]) * WHEEL_SIZE


@helper
def tachometers_begin(constants: Array) -> int:
    """Return where the rows of TACHOMETER begin."""
    return ROWS + int(constants[NUMBER]) * int(constants[WIDTH])


@compiled
def said_speeds(flat_state: FlatState, constants: Array) -> Array:
    """Return the tachometer readings of all wheels (W,) [rad/s], as ReactionWheels.tachometers."""
    wheels, width = int(constants[WHEELS_ALL]), int(constants[WHEEL_WIDTH])
    first = tachometers_begin(constants)
    x = y = z = 0.0
    for k in range(wheels):
        row, h = first + k * WHEEL_SIZE, flat_state[SEEN_STATES + k * width + WHEEL_MOMENTUM]
        x, y, z = x + h * constants[row], y + h * constants[row + 1], z + h * constants[row + 2]
    L_B = kinematics.seen_from(four_at(flat_state, 3), three_at(flat_state, 10))
    omega = kinematics.rate(L_B, nine_at(constants, INVERSE_INERTIA), (x, y, z))
    said = np.zeros(wheels)
    for k in range(wheels):
        row = first + k * WHEEL_SIZE
        speed = speed_at(constants, row, flat_state, SEEN_STATES + k * width, omega)
        said[k] = reading_at(constants, row, speed)
    return said


@compiled
def speeds_of_all(states: Array, internal: Array, constants: Array, speeds: Array) -> None:
    """Write what the tachometers of each craft say (N, any) [rad/s].

    states: (N, 13);  internal: (N, any);  constants: (N, any) of the law
    """
    seen = np.zeros(SEEN_STATES + internal.shape[1])
    for n in range(len(states)):
        seen[:SIZE], seen[SEEN_STATES:] = states[n], internal[n]
        speeds[n] = said_speeds(seen, constants[n])


@compiled
def driven_rows(constants: Array) -> Array:
    """Return a copy (G, width) of the driven actuators' rows."""
    number, width = int(constants[NUMBER]), int(constants[WIDTH])
    return constants[ROWS : ROWS + number * width].copy().reshape(number, width)


@compiled
def joints_of(flat_state: FlatState, own: Array, constants: Array) -> Array:
    """Return angles of driven gimbals (G,) [rad], or speeds of driven wheels [rad/s]."""
    joints = np.zeros(len(own))
    if constants[KIND] == WHEELS:
        said = said_speeds(flat_state, constants)
        for k in range(len(own)):
            joints[k] = said[int(own[k, JOINT])]
    else:
        for k in range(len(own)):
            joints[k] = flat_state[SEEN_STATES + int(own[k, JOINT])]
    return joints
