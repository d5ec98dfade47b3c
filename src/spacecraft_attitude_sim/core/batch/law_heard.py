# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a law of core.batch.attitude_law hears of the magnetometer, and when readings come."""

from __future__ import annotations

from spacecraft_attitude_sim.core.batch.attitude_law_layout import CONSTANTS, HEARD, WITH_FIELD
from spacecraft_attitude_sim.core.batch.driven import ROD
from spacecraft_attitude_sim.core.batch.law_joints import rods_begin
from spacecraft_attitude_sim.core.batch.loop import SEEN_AROUND, SEEN_STATES
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.random_streams import MAGNETOMETER
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatState, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import added, four_at, three_at
from spacecraft_attitude_sim.core.sensors import magnetometer, triad
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

HEARD_AT, TICK_NS = CONSTANTS.places('heard', 'tick_ns')
INTERVAL, FIELD_INTERVAL = CONSTANTS.places('interval', 'field_interval')
IMU_CAME, IMU_BEFORE, FIELD_CAME, FIELD_BEFORE, FIELD_S = HEARD.places()
COMPASS, RODS, DIPOLES = CONSTANTS.places('magnetometer', 'rods', 'dipoles')
COMPASS_MOUNTED = COMPASS + magnetometer.MOUNTED
COMPASS_SEED, COMPASS_ERRORS = COMPASS + magnetometer.SEED, COMPASS + magnetometer.ERRORS
COMPASS_STATE, FIELD_W = WITH_FIELD.at('magnetometer'), SEEN_AROUND + AROUND.at('magnetic_field_W')
ROD_SIZE, INTERFERENCE = ROD.size, ROD.at('interference_B')


@helper
def ticks_since(tick: int, constants: Array, memory: Array, came: int, interval: int) -> int:
    """Return how many ticks ago the last reading of a sensor came.

    came: place in HEARD of its tick, as IMU_CAME;  interval: place in CONSTANTS of its interval
    """
    place = int(constants[HEARD_AT])
    if place > 0:
        return tick - int(memory[place + came])
    return tick % int(constants[interval])


@helper
def seconds_between(
    tick: int, constants: Array, memory: Array, before: int, interval: int
) -> float:
    """Return the time from the reading of a sensor before to that of this tick [s].

    before: place in HEARD of the tick of the one before;  interval: as of `ticks_since`
    """
    place, ticks = int(constants[HEARD_AT]), int(constants[interval])
    if place > 0:
        ticks = tick - int(memory[place + before])
    return 1e-9 * (ticks * int(constants[TICK_NS]))


@compiled
def heard_field(tick: int, flat_state: FlatState, constants: Array, memory: Array) -> Floats:
    """Return the magnetometer's reading of a tick in its axes, three floats [T]."""
    place = int(constants[HEARD_AT])
    if place > 0:
        return three_at(memory, place + FIELD_S)
    return read_field(tick // int(constants[FIELD_INTERVAL]), flat_state, constants, memory)


@compiled
def read_field(number: int, flat_state: FlatState, constants: Array, memory: Array) -> Floats:
    """Return the magnetometer's reading in its axes, three floats [T]."""
    q_WB = four_at(flat_state, 3)
    field_W = three_at(flat_state, FIELD_W)
    x = y = z = 0.0
    for k in range(int(constants[RODS])):
        made = rods_begin(constants) + k * ROD_SIZE + INTERFERENCE
        dipole = flat_state[SEEN_STATES + int(constants[DIPOLES]) + k]
        x, y, z = (
            x + dipole * constants[made], y + dipole * constants[made + 1],
            z + dipole * constants[made + 2],
        )  # fmt: skip
    made_W = quaternion_sandwich(q_WB[0], q_WB[1], q_WB[2], q_WB[3], x, y, z)
    field_W = added(field_W, made_W)
    q_WS = kinematics.attitude_of(q_WB, four_at(constants, COMPASS_MOUNTED))
    field_S = magnetometer.felt(kinematics.seen_from(q_WS, field_W), constants, COMPASS)
    seed, errors = int(constants[COMPASS_SEED]), constants[COMPASS_ERRORS:]
    return triad.read_next(
        errors, memory[COMPASS_STATE:], field_S, seed, 0, MAGNETOMETER, number
    )  # fmt: skip
