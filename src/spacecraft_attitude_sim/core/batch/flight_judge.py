# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of merit of a flight, instant by instant: pointing, wheels, commanded torque.

A row has the true motion at an instant, and the commands of the tick that ended there.
"""

from __future__ import annotations

import math

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    four_at,
    moved_vector,
    norm,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.core.parts.control_moment_gyros import kernel as gimbal
from spacecraft_attitude_sim.core.parts.craft import place_of, within
from spacecraft_attitude_sim.core.parts.magnetorquers import kernel as magnetorquer
from spacecraft_attitude_sim.core.parts.reaction_wheels import layouts as wheel
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import state_size
from spacecraft_attitude_sim.core.parts.registry import GIMBALS, MAGNETORQUERS, THRUSTERS, WHEELS
from spacecraft_attitude_sim.core.parts.thrusters import kernel as thruster
from spacecraft_attitude_sim.kernels.kernel import compiled, helper, part

# One instant: the true motion, the controller's target (nan: none), whether its limit reduced the
# torque, and the wrench of the tick that ended there. Commands and states of actuators follow.
ROW = Layout(
    state=SIZE, angular_velocity_B=3, q_WR=4, magnetic_field_W=3, cut=1, wrench=12
)  # fmt: skip
OMEGA, REFERENCE, FIELD, CUT, WRENCH = ROW.places(
    'angular_velocity_B', 'q_WR', 'magnetic_field_W', 'cut', 'wrench'
)
ROW_SIZE = ROW.size
# Pointing error now; over the steady part the sum of its squares, their number, the largest; the
# last tick off target [rad]. Speed of the fastest wheel now, and the largest so far [rad/s];
# momentum of the wheels [N m s]. Number of ticks with a torque at its limit, and with a wheel at
# its largest speed; sum and largest of the commanded torque [N m].
SUMS = Layout(
    error=1, squares=1, counted=1, largest_error=1, off_target=1, wheel_speed=1,
    largest_wheel_speed=1, wheel_momentum=1, limited=1, fastest=1, torques=1, largest_torque=1,
)  # fmt: skip
(
    ERROR, SQUARES, COUNTED, LARGEST_ERROR, OFF_TARGET, WHEEL_SPEED, LARGEST_WHEEL_SPEED,
    WHEEL_MOMENTUM, LIMITED, AT_FASTEST, TORQUES, LARGEST_TORQUE,
) = SUMS.places()  # fmt: skip
SUMS_SIZE = SUMS.size
# Source of the commands; sizes of `parts`, of rows and memory of core.batch.broken_commands, of
# commands and states in a row; number of rows kept, a ring buffer; first tick of the steady part;
# largest error on target [rad]; length of a tick [s]; inverse inertia of the carrier. `parts` of
# core.parts.craft follow, the rows of broken_commands, and the law's constants.
ASKED = Layout(
    kind=1, parts=1, broken=1, done=1, commands=1, states=1, kept=1, steady=1, on_target=1, step=1,
    inverse_inertia=9,
)  # fmt: skip
KIND, PARTS, BROKEN, DONE, NUMBER, STATES, KEPT, STEADY, ON_TARGET, STEP, INVERSE = ASKED.places()
ASKED_SIZE = ASKED.size
IDEAL = -1.0  # begins `parts` of ideal wheels, whose axes follow; of others the mass
ALMOST = 1.0 - 1e-9  # part of a limit that counts as reached, because commands are rounded


@part
def judge(tick: int, row: Array, sums: Array, asked: Array, parts: Array) -> None:
    """Add an instant to the sums."""
    error, commands = pointing_error(row), int(asked[NUMBER])
    sums[ERROR] = error
    if not error < asked[ON_TARGET]:
        sums[OFF_TARGET] = tick
    if tick >= asked[STEADY] and not math.isnan(error):
        sums[SQUARES] += error * error
        sums[COUNTED] += 1.0
        sums[LARGEST_ERROR] = max(sums[LARGEST_ERROR], error)
    speed, momentum, fastest = 0.0, (0.0, 0.0, 0.0), False
    if is_coupled(parts):
        at = place_of(parts, WHEELS)
        for k in range(at.number - place_of(parts, GIMBALS).number):
            own = at.row + k * wheel.ROW
            one = wheel_speed(k, row, commands, parts)
            speed = max(speed, abs(one))
            momentum = moved_vector(
                momentum, parts[own + wheel.J] * one, three_at(parts, own + wheel.AXIS)
            )
            fastest |= abs(one) >= parts[own + wheel.MAX_SPEED]
    sums[WHEEL_SPEED], sums[WHEEL_MOMENTUM] = speed, norm(momentum)
    sums[LARGEST_WHEEL_SPEED] = max(sums[LARGEST_WHEEL_SPEED], speed)
    if tick > 0:  # no command before the first tick
        torque = norm(commanded_torque(row, commands, asked[STEP], parts))
        sums[TORQUES] += torque
        sums[LARGEST_TORQUE] = max(sums[LARGEST_TORQUE], torque)
        sums[LIMITED] += 1.0 if row[CUT] > 0.0 or is_limited(row, parts) else 0.0
        sums[AT_FASTEST] += 1.0 if fastest else 0.0


@compiled
def read_rows(
    rows: Array, commands: int, step: float, parts: Array, errors: Array, torques: Array,
    speeds: Array,
) -> None:  # fmt: skip
    """Write pointing errors (n,), commanded torques (n, 3) and wheel speeds (n, any) of rows.

    rows: (n, any);  commands, step, parts: as of `commanded_torque`
    """
    for n in range(len(rows)):
        row = rows[n]
        errors[n] = pointing_error(row)
        for k in range(speeds.shape[1]):
            speeds[n, k] = wheel_speed(k, row, commands, parts)
        if n > 0:  # no command before the first tick
            torque = commanded_torque(row, commands, step, parts)
            for k in range(3):
                torques[n, k] = torque[k]


@compiled
def pointing_error(row: Array) -> float:
    """Return the angle from the reference to the body [rad], nan without a reference."""
    q = quaternion_product(
        row[REFERENCE], -row[REFERENCE + 1], -row[REFERENCE + 2], -row[REFERENCE + 3],
        row[3], row[4], row[5], row[6],
    )  # fmt: skip
    size = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return 2.0 * math.atan2(size, abs(q[0]))


@compiled
def wheel_speed(k: int, row: Array, commands: int, parts: Array) -> float:
    """Return the speed of wheel k relative to the body [rad/s]."""
    at = place_of(parts, WHEELS)
    constants = at.row + k * wheel.ROW
    own = ROW_SIZE + commands + at.state + k * state_size(at, parts)
    mode = row[own + wheel.MODE_STATE]
    if mode == wheel.STUCK:
        return 0.0
    if abs(mode) == wheel.FASTEST:
        return math.copysign(parts[constants + wheel.MAX_SPEED], mode)
    along = dot(three_at(parts, constants + wheel.AXIS), three_at(row, OMEGA))
    return row[own] / parts[constants + wheel.J] - along


@compiled
def commanded_torque(row: Array, commands: int, step: float, parts: Array) -> Floats:
    """Return the torque commanded in the tick that ended [N m], body axes, three floats.

    Within the limits of each actuator; without lag, friction and losses of pulses.

    commands: their number in a row;  step: of a tick [s];  parts: of core.parts.craft
    """
    q_WB = four_at(row, 3)
    world = kinematics.seen_from(q_WB, three_at(row, WRENCH + 9))
    total = added(three_at(row, WRENCH + 3), world)
    if not is_coupled(parts):
        for k in range(commands if len(parts) else 0):
            torque = row[ROW_SIZE + k]
            total = moved_vector(total, -torque, three_at(parts, 1 + 3 * k))
        return total
    wheels, gimbals = place_of(parts, WHEELS), place_of(parts, GIMBALS)
    for k in range(wheels.number - gimbals.number):
        own = wheels.row + k * wheel.ROW
        torque = within(parts[own + wheel.MAX_TORQUE], row[ROW_SIZE + wheels.command + 2 * k])
        total = moved_vector(total, -torque, three_at(parts, own + wheel.AXIS))
    for k in range(gimbals.number):
        total = added(total, gimbal_torque(k, row, ROW_SIZE + commands, parts))
    jets = place_of(parts, THRUSTERS)
    for k in range(jets.number):
        level = min(max(row[ROW_SIZE + jets.command + k], 0.0), 1.0)
        own = jets.row + k * thruster.ROW + thruster.JET_TORQUE
        total = moved_vector(total, level, three_at(parts, own))
    rods, off_after = place_of(parts, MAGNETORQUERS), math.inf
    dipole = (0.0, 0.0, 0.0)
    for k in range(rods.number):
        own = rods.row + k * magnetorquer.ROW
        most = parts[own + magnetorquer.MAX_DIPOLE]
        off_after = parts[own + magnetorquer.OFF_AFTER]
        wanted = within(most, row[ROW_SIZE + rods.command + k])
        dipole = moved_vector(dipole, wanted, three_at(parts, own + magnetorquer.AXIS))
    field_B = kinematics.seen_from(q_WB, three_at(row, FIELD))
    return added(total, cross(scaled(min(1.0, off_after / step), dipole), field_B))


def of_ideal_wheels(axes_B: Array) -> Array:
    """Return `parts` of a body whose wheels are ideal; axes_B: (n, 3)."""
    return np.concatenate(([IDEAL], axes_B.ravel()))


@helper
def is_coupled(parts: Array) -> bool:
    """Return whether `parts` are of core.parts.craft: none are empty, of ideal wheels IDEAL."""
    return len(parts) > 0 and parts[0] != IDEAL


@part
def gimbal_torque(k: int, row: Array, states: int, parts: Array) -> Floats:
    """Return the commanded torque of gimbal k on the body [N m], three floats."""
    wheels, gimbals = place_of(parts, WHEELS), place_of(parts, GIMBALS)
    rotor = wheels.number - gimbals.number + k
    constants, at = gimbals.row + k * gimbal.ROW, ROW_SIZE + gimbals.command + 2 * k
    if not math.isnan(row[at + 1]):
        torque = within(parts[constants + gimbal.MAX_TORQUE], row[at + 1])
        return scaled(-torque, three_at(parts, constants + gimbal.AXIS))
    angle = row[states + gimbals.state + k * gimbal.STATES]
    c, s = math.cos(angle), math.sin(angle)
    spin0 = three_at(parts, constants + gimbal.SPIN)
    across0 = three_at(parts, constants + gimbal.TRANSVERSE)
    spin = moved_vector(scaled(c, spin0), s, across0)
    across = moved_vector(scaled(c, across0), -s, spin0)
    own = states + wheels.state + rotor * state_size(wheels, parts)
    of_rotor = wheels.row + rotor * wheel.ROW
    held = row[own] - parts[of_rotor + wheel.J] * dot(spin, three_at(row, OMEGA))
    if row[own + wheel.MODE_STATE] == wheel.LOCKED:
        held = parts[of_rotor + wheel.J] * parts[of_rotor + wheel.HELD_SPEED]
    return scaled(-held * within(parts[constants + gimbal.MAX_RATE], row[at]), across)


@compiled
def is_limited(row: Array, parts: Array) -> bool:
    """Return whether a wheel, gimbal or thruster has a command at its limit."""
    if not is_coupled(parts):
        return False
    wheels, gimbals = place_of(parts, WHEELS), place_of(parts, GIMBALS)
    for k in range(wheels.number - gimbals.number):
        most = parts[wheels.row + k * wheel.ROW + wheel.MAX_TORQUE]
        at = ROW_SIZE + wheels.command + 2 * k
        if math.isnan(row[at + 1]) and abs(row[at]) >= ALMOST * most:
            return True
    for k in range(gimbals.number):
        most = parts[gimbals.row + k * gimbal.ROW + gimbal.MAX_RATE]
        at = ROW_SIZE + gimbals.command + 2 * k
        if math.isnan(row[at + 1]) and abs(row[at]) >= ALMOST * most:
            return True
    jets = place_of(parts, THRUSTERS)
    for k in range(jets.number):  # noqa: SIM110 (compiled)
        if row[ROW_SIZE + jets.command + k] >= ALMOST:
            return True
    return False
