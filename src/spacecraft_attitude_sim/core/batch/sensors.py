# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of the bodies of a batch: every tick the bits that sensors.read gives each alone."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WRENCH, four, is_lost
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics.random_streams import (
    ACCELEROMETER,
    GYROSCOPE,
    MAGNETOMETER,
    ORIENTATION,
    STAR_TRACKER,
    three_normals,
)
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, three_at
from spacecraft_attitude_sim.core.sensors import StarTracker, TriadErrors, triad
from spacecraft_attitude_sim.core.sensors.star_tracker import disturbed, is_too_fast
from spacecraft_attitude_sim.kernels.kernel import helper, part, unlocked_as

# Rows of constants: inverse inertia, place and q_BS of the IMU, magnetic field, seed, noise of the
# IMU's attitude; of the star tracker q_BT, ticks, noise, fastest rate; of gyroscope, accelerometer
# and magnetometer whether they have no errors, and those.
INVERSE_INERTIA, PLACE, MOUNTED, FIELD, SEED, ORIENTATION_NOISE = 0, 9, 12, 16, 19, 20
TRACKER, INTERVAL, LATENCY, SIGMA, RATE_LIMIT, EXACT, ERRORS, CONSTANTS = (
    21, 25, 26, 27, 30, 31, 34, 106
)  # fmt: skip
# Rows of memory: states of the three triads; then five for each measurement that the star tracker
# can have under way, its tick and its attitude.
STATES, FOUND, SOLUTION = 0, 90, 5
# Rows of readings, as BatchReadings has them.
READ_ATTITUDE, READ_RATE, READ_FORCE, READ_FIELD, SATURATED, READ_STARS, MEASURED, READINGS = (
    0, 4, 7, 10, 13, 14, 18, 19
)  # fmt: skip
NONE = -1.0
_ROWS = 'float64[:, ::1]'


class Sensors(NamedTuple):
    """The sensors of N bodies.

    constants: (N, 106);  memory: (N, any), readings: (N, 19) at the start
    """

    constants: np.ndarray
    memory: np.ndarray
    readings: np.ndarray


class BatchReadings(NamedTuple):
    """What the sensors of N bodies read at one instant, in frames S (IMU) and T (star tracker).

    q_WS: (N, 4);  angular_velocity_S: (N, 3) [rad/s];  specific_force_S: (N, 3) [m/s^2]
    magnetic_field_S: (N, 3) [T], nan without a magnetometer
    saturated: (N,) whether an axis of the IMU is at its limit
    q_WT: (N, 4) attitude that arrives from the star tracker now, nan where none does
    measured: (N,) tick at which that was measured, -1 where none arrives
    All are nan of a body that is lost (Batch.lost); it is not saturated.
    """

    q_WS: np.ndarray
    angular_velocity_S: np.ndarray
    specific_force_S: np.ndarray
    magnetic_field_S: np.ndarray
    saturated: np.ndarray
    q_WT: np.ndarray
    measured: np.ndarray


def sensors_of(bodies, suites):
    """Return the Sensors of N RigidBody, with a sensors.Suite each."""
    constants = np.array([_constants(*one) for one in zip(bodies, suites, strict=True)])
    interval = constants[:, INTERVAL]
    under_way = np.where(interval > 0.0, constants[:, LATENCY] // np.maximum(interval, 1.0) + 1, 0)
    memory = np.zeros((len(constants), FOUND + SOLUTION * int(np.max(under_way, initial=0))))
    memory[:, FOUND::SOLUTION] = NONE
    readings = np.full((len(constants), READINGS), np.nan)
    readings[:, MEASURED] = NONE
    return Sensors(constants, memory, readings)


def _constants(body, suite):
    imu, tracker = suite.imu, suite.star_tracker or StarTracker(np.zeros(4), interval=0)
    field_W, errors = suite.magnetometer or (np.full(3, np.nan), TriadErrors())
    triads = (imu.gyroscope, imu.accelerometer, errors)
    return np.concatenate((
        body.inverse_inertia.ravel(), imu.mounting.position_B, imu.mounting.q_BF, field_W,
        (suite.seed, imu.orientation_noise), tracker.q_BT,
        (tracker.interval, tracker.latency, *tracker.sigma, tracker.rate_limit),
        [one.none for one in triads], *(one.flat.ravel() for one in triads),
    ))  # fmt: skip


def by_name(rows):
    """Return the BatchReadings of rows (N, 19) of readings."""
    r = rows
    return BatchReadings(
        r[:, READ_ATTITUDE:READ_RATE], r[:, READ_RATE:READ_FORCE], r[:, READ_FORCE:READ_FIELD],
        r[:, READ_FIELD:SATURATED], r[:, SATURATED] == 1.0, r[:, READ_STARS:MEASURED],
        r[:, MEASURED].astype(np.int64),
    )  # fmt: skip


@helper
def put(row, k, values):
    """Write a tuple to a row from place k on."""
    for j in range(len(values)):
        row[k + j] = values[j]


@part
def read_imu(tick, q_WB, L_W, wrench, mass, c, memory, row):
    """Write what IMU and magnetometer of a body read; c: its constants."""
    q_WS, omega_S, force_S = kinematics.felt_by(
        q_WB, L_W, wrench, mass, nine_at(c, INVERSE_INERTIA), three_at(c, PLACE),
        four_at(c, MOUNTED),
    )  # fmt: skip
    field_S = quaternion_sandwich(
        q_WS[0], -q_WS[1], -q_WS[2], -q_WS[3], c[FIELD], c[FIELD + 1], c[FIELD + 2]
    )
    put(row, READ_RATE, read_triad(tick, 0, GYROSCOPE, omega_S, c, memory))
    put(row, READ_FORCE, read_triad(tick, 1, ACCELEROMETER, force_S, c, memory))
    put(row, READ_FIELD, read_triad(tick, 2, MAGNETOMETER, field_S, c, memory))
    row[SATURATED] = 0.0
    for k in range(3):
        limits = c[ERRORS + 3 * triad.LIMIT + k], c[ERRORS + 24 + 3 * triad.LIMIT + k]
        if abs(row[READ_RATE + k]) >= limits[0] or abs(row[READ_FORCE + k]) >= limits[1]:
            row[SATURATED] = 1.0
    sigma = c[ORIENTATION_NOISE]
    if sigma > 0.0:
        x, y, z = three_normals(int(c[SEED]), 0, ORIENTATION, tick)
        q_WS = disturbed(q_WS, (sigma * x, sigma * y, sigma * z))
    put(row, READ_ATTITUDE, q_WS)


@part
def read_triad(tick, which, channel, truth, c, memory):
    """Return the reading of a body's first, second or third triad (0, 1, 2), three floats."""
    if c[EXACT + which] > 0.0:
        return truth
    errors = c[ERRORS + 24 * which : ERRORS + 24 * which + 24].reshape((8, 3))
    state = memory[STATES + 30 * which : STATES + 30 * which + 30].reshape((10, 3))
    return triad.read_next(errors, state, truth, int(c[SEED]), 0, channel, tick)


@part
def look_at_stars(tick, q_WB, L_W, c, found):
    """Measure the attitude if it is time, and keep it in `found` until it is due."""
    if tick % int(c[INTERVAL]) != 0:
        return
    k = place_of(tick, c, found)
    found[k] = NONE
    w = kinematics.rate(q_WB, L_W, nine_at(c, INVERSE_INERTIA), kinematics.NOTHING_STORED)
    if is_too_fast(c[RATE_LIMIT], w[0], w[1], w[2]):
        return
    q_WT = quaternion_product(
        q_WB[0], q_WB[1], q_WB[2], q_WB[3],
        c[TRACKER], c[TRACKER + 1], c[TRACKER + 2], c[TRACKER + 3],
    )  # fmt: skip
    across, about = c[SIGMA], c[SIGMA + 2]
    if across > 0.0 or about > 0.0:
        x, y, z = three_normals(int(c[SEED]), 0, STAR_TRACKER, tick)
        q_WT = disturbed(q_WT, (across * x, across * y, about * z))
    found[k] = tick
    put(found, k + 1, q_WT)


@helper
def place_of(tick, c, found):
    """Return where a measurement is kept: each goes where the oldest was."""
    return SOLUTION * ((tick // int(c[INTERVAL])) % (len(found) // SOLUTION))


@part
def receive(tick, c, found, row):
    """Write the attitude that is due now."""
    measured = tick - int(c[LATENCY])
    k = place_of(max(measured, 0), c, found)
    arrives = measured >= 0 and found[k] == measured
    row[MEASURED] = measured if arrives else NONE
    for j in range(4):
        row[READ_STARS + j] = found[k + 1 + j] if arrives else np.nan


@unlocked_as(f'void(float64[:, :, ::1], {_ROWS}, int64, int64, int64{f", {_ROWS}" * 3})')
def read_sensors(blocks, contacts, first, last, tick, constants, memory, readings):
    """Write the readings of bodies first to last at a tick, which follows the one read before.

    contacts: (N, 30) of bodies on floors, else (0, 30); of a body that is lost
    nothing is read;  readings: (N, 19)
    """
    wrench = np.empty(12)
    for n in range(first, last):
        b, i = n // LANES, n % LANES
        for k in range(12):
            wrench[k] = blocks[b, WRENCH + k, i]
        touching = len(contacts) > 0
        lost = touching and contacts[n, layout.STATUS] != layout.FINE
        if lost or is_lost(blocks[b], i):
            for k in range(READINGS):
                readings[n, k] = np.nan
            readings[n, MEASURED] = NONE
            continue
        if touching:
            for k in range(6):
                wrench[k] += 0.0  # as in a sum of wrenches: -0.0 becomes 0.0
                wrench[6 + k] += contacts[n, layout.FORCE + k]
        q_WB = four(blocks[b], STATE + 3, i)
        L_W = (blocks[b, STATE + 10, i], blocks[b, STATE + 11, i], blocks[b, STATE + 12, i])
        read_imu(
            tick, q_WB, L_W, wrench, blocks[b, BODY + 8, i], constants[n], memory[n], readings[n]
        )
        if constants[n, INTERVAL] > 0.0:
            look_at_stars(tick, q_WB, L_W, constants[n], memory[n, FOUND:])
            receive(tick, constants[n], memory[n, FOUND:], readings[n])
