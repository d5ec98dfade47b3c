# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: wheels that friction holds at rest, or their motor at their largest speed.

The inertia of such a wheel joins that of the body. Whether friction or the motor can hold it is
not computed in every step, but bounded: where the bound does not say so, the tick is flown alone.
The torque of a motor that holds its wheel does work in every stage.

    held        (HELD_SIZE + 1, LANES) inertia of the body with such wheels, six rows, and how many
                are at their largest speeds; None for a loop in which such craft fly alone, for
                which all of this is compiled away
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_rows import (
    ADJUGATE,
    AXIS,
    COULOMB,
    DRIVE,
    END_ROW,
    ENERGY,
    HEAT_POWER,
    INERTIA_ROW,
    LEAST_ROW,
    MAX_POWER,
    MAX_SPEED,
    MAX_TORQUE,
    MODE,
    MOMENTUM,
    MOTOR_POWER,
    NO_LOAD,
    OMEGA,
    PUSH,
    SCALE,
    SMOOTH,
    STALL,
    STATIC,
    STORED,
    STRIBECK,
    TARGET,
    TURNING,
    VISCOUS,
    fill_rows,
    held_inertia,
    of_row,
    rate_of,
    six,
    three_of,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE, thirteen
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.load import turn_of
from spacecraft_attitude_sim.core.equations.multibody.derivatives import body_momentum
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    moved_vector,
    norm,
    scaled,
    symmetric_adjugate,
    symmetric_times,
)
from spacecraft_attitude_sim.core.parts.craft import END, place_of
from spacecraft_attitude_sim.core.parts.reaction_wheels import layouts as wheels_of
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import state_size
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import friction
from spacecraft_attitude_sim.core.parts.registry import WHEELS
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

WHEEL_ROW, DRY_AT, MOST_AT = wheels_of.ROW, wheels_of.COULOMB, wheels_of.MAX_TORQUE
MODE_STATE, STUCK, FORWARD = wheels_of.MODE_STATE, wheels_of.STUCK, wheels_of.FORWARD
FASTEST, HELD_SIZE = wheels_of.FASTEST, 6
# Sum over the stages of a sub-step of the sizes of all torques [N m], in a row that serves others
# only after a tick; and where the inertia is when sub-steps are counted, likewise.
TORQUES, WHOLE_NOW = ENERGY, PUSH
# Right side of dω/dt in a stage, and then that: in a row of END, which is written after a tick.
REST = END_ROW + END.at('acceleration_B')
# By so much more than a bound must the motor of a wheel at its largest speed push.
NEARLY = 1.0 + 1e-9
# The torque when a sub-step ends is less than so many times the sum of those in its stages.
AT_END = 2.0
# With fewer craft of which a wheel is held, those fly alone: others are quicker without.
FEWEST_HELD = 1.0 / 16.0


def seized_in(parts: Array) -> NDArray[np.bool_]:
    """Return which craft (N,) have a wheel that has seized; parts: (N, m) constants of each.

    Its friction is larger than the largest torque of its motor.
    """
    at = place_of(parts[0], WHEELS)
    rows = parts[:, at.row : at.row + at.number * WHEEL_ROW]
    seized: NDArray[np.bool_] = np.any(
        rows[:, DRY_AT::WHEEL_ROW] > rows[:, MOST_AT::WHEEL_ROW], axis=1
    )
    return seized


def hold_wheels(parts: Array, internal: Array, seized: NDArray[np.bool_] | None) -> bool:
    """Return whether wheels of enough craft are held, now or soon.

    parts: (N, m) constants of each, with the same numbers of parts;  internal: (N, n) states
    seized: of `seized_in`, for craft that have not flown yet: wheels at rest may be about to
        start; None for those that have
    """
    at = place_of(parts[0], WHEELS)
    size = state_size(at, parts[0])
    modes = internal[:, at.state + MODE_STATE : at.state + at.number * size : max(size, 1)]
    sizes = abs(modes)
    if seized is not None:
        held = seized | np.any(sizes == FASTEST, axis=1)
    elif (sizes == FORWARD).all():  # as in most calls
        return False
    else:
        held = np.any((sizes == STUCK) | (sizes == FASTEST), axis=1)
    return bool(held.sum() >= FEWEST_HELD * len(internal))


@helper
def room_for_held(rows: Array) -> Array:  # noqa: ARG001
    """Return `held`."""
    return from_line(np.zeros((HELD_SIZE + 2, LANES)))


@helper
def is_held(mode: float, held: Array | None) -> bool:
    """Return whether a wheel in a mode is held, in a loop that has such wheels."""
    if held is None:
        return False
    return (mode == STUCK) | (abs(mode) == FASTEST)


@helper
def speed_in(mode: float, largest: float, speed: float, held: Array | None) -> float:
    """Return a speed of a wheel, or that at which it is held [rad/s]; largest: one."""
    if held is None:
        return speed
    speed = 0.0 if mode == STUCK else speed
    return math.copysign(largest, mode) if abs(mode) == FASTEST else speed


@helper
def amount_in(
    mode: float, inertia: float, largest: float, momentum: float, held: Array | None
) -> float:
    """Return what a wheel stores beside S ω: its momentum, or that of the speed at which it is."""
    if held is None:
        return momentum
    still = inertia * speed_in(mode, largest, 0.0, held)
    return still if is_held(mode, held) else momentum


# --- a tick ------------------------------------------------------------------------------------


@part
def find_held_motion(w: Array, wheels: Array, held: Array | None) -> None:
    """Write the inertia with wheels that are held, its inverse, STORED and OMEGA, from states."""
    if held is not None:
        for i in range(LANES):
            inertia, stored = held_inertia(w, wheels, i)
            adjugate, w[SCALE, i] = symmetric_adjugate(inertia)
            for j in range(HELD_SIZE):
                held[j, i], w[ADJUGATE + j, i] = inertia[j], adjugate[j]
            put_three(w, STORED, i, stored)
            x = thirteen(w, STATE, i)
            put_three(w, OMEGA, i, rate_of(w, i, body_momentum(x, turn_of(x, 1.0))))
        fastest = 0
        for n in range(len(wheels)):
            for i in range(LANES):
                fastest += abs(wheels[n, MODE, i]) == FASTEST
        held[HELD_SIZE, 0] = fastest


@helper
def hold_still(w: Array, wheels: Array, held: Array | None) -> None:
    """Write the momenta of wheels that are held, from OMEGA, as Kind.hold."""
    if held is not None:
        for n in range(len(wheels)):
            for i in range(LANES):
                along = dot(three_of(wheels, n, AXIS, i), three(w, OMEGA, i))
                mode, still = wheels[n, MODE, i], is_held(wheels[n, MODE, i], held)
                speed = speed_in(mode, wheels[n, MAX_SPEED, i], 0.0, held)
                momentum = wheels[n, INERTIA_ROW, i] * (speed + along)
                wheels[n, MOMENTUM, i] = momentum if still else wheels[n, MOMENTUM, i]


@helper
def show_inertia(w: Array, held: Array | None) -> None:
    """Write the inertia to WHOLE_NOW."""
    if held is not None:
        source, place = of_row(held, 0), of_row(w, WHOLE_NOW)
        for j in range(HELD_SIZE * LANES):
            place[j] = source[j]


# --- a sub-step --------------------------------------------------------------------------------


@helper
def begin_torques(w: Array, held: Array | None) -> None:
    """Begin to add up TORQUES."""
    if held is not None:
        fill_rows(w, TORQUES, 1, 0.0)


@helper
def note_torque(
    w: Array, i: int, torque: Floats, omega: Floats, x: Floats, held: Array | None
) -> None:
    """Add to TORQUES what turns the body in a stage; x: its state, thirteen floats."""
    if held is not None:
        w[TORQUES, i] += norm(torque) + norm(omega) * norm((x[10], x[11], x[12]))


@helper
def note_motor(w: Array, i: int, torque: float, held: Array | None) -> None:
    """Add to TORQUES that on a wheel in a stage."""
    if held is not None:
        w[TORQUES, i] += abs(torque)


@helper
def torque_bound(w: Array, wheel: Array, i: int) -> float:
    """Return a bound of the torque that lets a wheel follow its body in a sub-step [N m]."""
    return AT_END * wheel[INERTIA_ROW, i] * w[TORQUES, i] / w[LEAST_ROW, i]


@helper
def check_held(w: Array, wheels: Array, held: Array | None) -> None:
    """Mark lanes in which friction might not hold a wheel in the sub-step; wheels as it began.

    A craft alone asks when a sub-step ends. The torque on the wheel is then at most J |dω/dt|.
    The state is that of the last stage, k4, and h/6 (k1 + 2 k2 - 4 k3 + k4) more. So its momentum
    differs by less than h times the sum S of the sizes of torques over the stages, and the torque
    on the body by less than S times the angle that it turns in h and a factor of order one: it is
    less than 2 S for sub-steps that follow the motion. When a sub-step begins it is in S.
    """
    if held is not None:
        for n in range(len(wheels)):
            for i in range(LANES):
                largest = max(abs(wheels[n, DRIVE, i]), abs(wheels[n, TARGET, i]))
                needed = torque_bound(w, wheels[n], i)
                certain = needed + largest <= wheels[n, STATIC, i]
                stays = certain | (wheels[n, MODE, i] != STUCK)
                w[SMOOTH, i] = w[SMOOTH, i] if stays else 0.0
            if held[HELD_SIZE, 0] > 0.0:
                check_fastest(w, wheels[n])


# --- a wheel at its largest speed --------------------------------------------------------------


@helper
def check_fastest(w: Array, wheel: Array) -> None:
    """Mark lanes in which a motor might not hold its wheel at its largest speed in a sub-step.

    It does where it pushes harder than friction and dω/dt; see `check_held`.
    """
    for i in range(LANES):
        mode, speed = wheel[MODE, i], wheel[MAX_SPEED, i]
        way = math.copysign(1.0, mode)
        needed = torque_bound(w, wheel, i) + wheel[VISCOUS, i] * speed + wheel[COULOMB, i]
        left = max(0.0, wheel[STALL, i] * (1.0 - speed / wheel[NO_LOAD, i]))
        most = min(min(wheel[MAX_TORQUE, i], wheel[MAX_POWER, i] / speed), left)
        pushes = min(min(way * wheel[DRIVE, i], way * wheel[TARGET, i]), most)
        certain = (pushes >= NEARLY * needed) & (wheel[STRIBECK, i] <= 0.0)
        stays = certain | (abs(mode) != FASTEST)
        w[SMOOTH, i] = w[SMOOTH, i] if stays else 0.0


@helper
def begin_fastest(
    w: Array, i: int, torque: Floats, omega: Floats, x: Floats, turn: Floats, held: Array | None
) -> None:
    """Write what accelerates lane i without wheels, for `work_at_limits`; torque: on the body."""
    if held is not None:
        put_three(w, REST, i, without_wheels(torque, omega, x, turn))


@helper
def without_wheels(torque: Floats, omega: Floats, x: Floats, turn: Floats) -> Floats:
    """Return what accelerates a body without wheels, three floats; torque: on the body."""
    return moved_vector(torque, -1.0, cross(omega, body_momentum(x, turn)))


@helper
def react_to(w: Array, wheel: Array, place: int) -> None:
    """Take the torque on a wheel in a stage from the right side at a place."""
    for i in range(LANES):
        rest = moved_vector(three(w, place, i), -wheel[TURNING, i], three(wheel, AXIS, i))
        put_three(w, place, i, rest)


@helper
def work_at_limits(w: Array, wheels: Array, held: Array | None) -> None:
    """Add powers in a stage at wheels at their largest speeds, as reaction_wheels.constrain."""
    if held is not None and held[HELD_SIZE, 0] > 0.0:
        for n in range(len(wheels)):
            react_to(w, wheels[n], REST)
        for i in range(LANES):
            alpha = symmetric_times(six(w, ADJUGATE, i), three(w, REST, i))
            put_three(w, REST, i, scaled(w[SCALE, i], alpha))
        for n in range(len(wheels)):
            keep_fastest(w, wheels[n])


@helper
def keep_fastest(w: Array, wheel: Array) -> None:
    """Do what `work_at_limits` does for a wheel; REST is dω/dt."""
    for i in range(LANES):
        mode, speed = wheel[MODE, i], math.copysign(wheel[MAX_SPEED, i], wheel[MODE, i])
        drag = friction(wheel[VISCOUS, i], wheel[COULOMB, i], speed, math.copysign(1.0, speed))
        total = wheel[INERTIA_ROW, i] * dot(three(wheel, AXIS, i), three(w, REST, i))
        works = abs(mode) == FASTEST
        w[MOTOR_POWER, i] += (total - drag) * speed if works else 0.0
        w[HEAT_POWER, i] -= drag * speed if works else 0.0
