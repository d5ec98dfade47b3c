# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: forces and torques of thrusters, and of the imbalance of wheels.

The functions of a craft alone draw both as lines over a sub-step, one craft after the other.
Where a valve opens or closes within a tick, that tick is flown alone.

    pushed      a Pushed; None for craft without either, for which all of this is compiled away
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_pieces import ends_sub_step
from spacecraft_attitude_sim.core.batch.craft_rows import (
    ANGLE,
    AXIS,
    BEND,
    END_ROW,
    HELD_SPEED,
    INERTIA_ROW,
    LAST_LINES,
    MAX_SPEED,
    MODE,
    MOMENTUM,
    MOST_DIPOLE,
    MOTOR,
    MOTOR_RATE,
    OMEGA,
    SMOOTH,
    STEP,
    STEPS,
    TURNING,
    three_of,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES, acting, is_lost
from spacecraft_attitude_sim.core.batch.loaded_lanes import three
from spacecraft_attitude_sim.core.batch.moving_rows import OMEGA_BEFORE
from spacecraft_attitude_sim.core.environment.loads.load import FIELD as FIELD_HERE
from spacecraft_attitude_sim.core.environment.loads.load import ZERO
from spacecraft_attitude_sim.core.mathematics.vectors import dot, moved_vector, norm, three_at
from spacecraft_attitude_sim.core.parts.craft import (
    FORCE,
    RATES,
    WORK_SIZE,
    place_of,
)
from spacecraft_attitude_sim.core.parts.reaction_wheels import layouts as wheels_of
from spacecraft_attitude_sim.core.parts.reaction_wheels.imbalance import add_imbalance
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import (
    drag,
    motor_torque,
    speed_held,
    turns_freely,
)
from spacecraft_attitude_sim.core.parts.registry import THRUSTERS, WHEELS
from spacecraft_attitude_sim.core.parts.thrusters import kernel as thrusters
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import pointer_to

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_inside import Within
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

WHEEL_ROW, UNBALANCED, SKEWED = wheels_of.ROW, wheels_of.UNBALANCED, wheels_of.SKEWED
COUPLING, STUCK, STATES = wheels_of.COUPLING, wheels_of.STUCK, thrusters.STATES
JET_ROW, JET_TORQUE = thrusters.ROW, thrusters.JET_TORQUE
# Angle of a wheel when a tick ends, before it is within a turn: where a stage writes its rate.
TURNED = TURNING + 1
# Where lines are in a sub-step and when a tick has ended, and where a bound of torques is: rows
# that serve others only before and after. Lines: force, torque [N, N m], body axes, and rates.
LINES, THRUST = END_ROW, LAST_LINES
# What is due within this part of a tick is due now, as of equations.multibody.tick.
RESOLUTION = 1e-14


class Pushed(NamedTuple):
    """What lines are drawn from, a row for each lane.

    states, olds: (LANES, n) internal states, now and when the tick began; those of thrusters count
    works: (LANES, m) working memory of core.parts.craft
    jets: (k, LANES) largest torque of each thruster [N m]
    crafts: (LANES,) index of each craft in parts and commands, of actuated.Rows
    """

    states: Array
    olds: Array
    works: Array
    jets: Array
    crafts: Any
    parts: Array
    commands: Array


def are_pushed(parts: Array) -> bool:
    """Return whether any craft has thrusters or a wheel with an imbalance.

    parts: (N, m) constants of each, with the same numbers of parts, so that their rows begin alike
    """
    at = place_of(parts[0], WHEELS)
    wheels = parts[:, at.row : at.row + at.number * WHEEL_ROW]
    shaken = any(wheels[:, j::WHEEL_ROW].any() for j in (UNBALANCED, SKEWED))
    return shaken or place_of(parts[0], THRUSTERS).number > 0


@helper
def room_for_pushed(rows: tuple[Array, ...]) -> Pushed:
    """Return the Pushed of a batch; rows: of actuated.Rows.arguments."""
    states, parts = rows[0].shape[1], rows[1]
    return Pushed(
        np.zeros((LANES, states)), np.zeros((LANES, states)),
        np.zeros((LANES, int(parts[0, WORK_SIZE]))),
        from_line(np.zeros((place_of(parts[0], THRUSTERS).number + 1, LANES))),
        np.zeros(LANES, np.int64), parts, rows[2],
    )  # fmt: skip


# --- states ------------------------------------------------------------------------------------


@part
def read_pushed(pushed: Pushed | None, i: int, n: int, internal: Array) -> None:
    """Write that craft n is in lane i, and its states."""
    if pushed is not None:
        pushed.crafts[i] = n
        at = place_of(pushed.parts[n], THRUSTERS)
        for k in range(at.number):
            torque = three_at(pushed.parts[n], at.row + k * JET_ROW + JET_TORQUE)
            pushed.jets[k, i] = norm(torque)
        read_thrust(pushed, i, internal)


@part
def read_thrust(pushed: Pushed | None, i: int, internal: Array) -> None:
    """Write the states of thrusters to lane i."""
    if pushed is not None:
        for j in range(len(internal)):
            pushed.states[i, j] = internal[j]


@part
def write_thrust(pushed: Pushed | None, i: int, parts: Array, internal: Array) -> None:
    """Write the states of thrusters from lane i."""
    if pushed is not None:
        at = place_of(parts, THRUSTERS)
        for j in range(at.state, at.state + at.number * STATES):
            internal[j] = pushed.states[i, j]


@part
def lose_thrust(pushed: Pushed | None, i: int) -> None:
    """Let the states of thrusters in lane i be nan."""
    if pushed is not None:
        pushed.states[i, :] = math.nan


@part
def begin_pushed(pushed: Pushed | None) -> None:
    """Keep what the tick begins with."""
    if pushed is not None:
        pushed.olds[:, :] = pushed.states


@part
def take_pushed_back(w: Array, pushed: Pushed | None) -> None:
    """Let thrusters of lanes that are not SMOOTH have what the tick began with."""
    if pushed is not None:
        for i in range(LANES):
            if w[SMOOTH, i] == 0.0:
                pushed.states[i, :] = pushed.olds[i]


# --- a sub-step --------------------------------------------------------------------------------


@helper
def bound_thrust(w: Array, here: Array, pushed: Pushed | None) -> None:
    """Write a bound of torques, with those of thrusters last, to THRUST, as Kind.load_bounds.

    here: environment when the tick begins
    """
    if pushed is not None:
        b = FIELD_HERE
        for i in range(LANES):
            held, field = acting(w, i), norm((here[0, b, i], here[0, b + 1, i], here[0, b + 2, i]))
            torque = norm(three_at(held, 3)) + norm(three_at(held, 9))
            w[THRUST, i] = torque + w[MOST_DIPOLE, i] * field
        for k in range(len(pushed.jets)):
            for i in range(LANES):
                w[THRUST, i] += pushed.jets[k, i]


@helper
def thrust_bound(w: Array, i: int, torque: float, pushed: Pushed | None) -> float:
    """Return a bound of the torque on lane i [N m] with that of thrusters."""
    return torque if pushed is None else w[THRUST, i]


@part
def begin_lines(
    w: Array, wheels: Array, within: Within, pushed: Pushed | None, delayed: Any, tilted: Any,
    index: int, duration: float,
) -> None:  # fmt: skip
    """Switch valves when sub-step `index` begins, and draw all lines over it.

    Lanes of which a valve opens or closes within it, or decays, as tick.piece_of asks, are marked.

    delayed, tilted: of craft_delayed.py and craft_tilted.py, which cut sub-steps
    """
    if pushed is not None:
        for i in range(LANES):
            if is_lost(w, i) or w[SMOOTH, i] == 0.0 or index >= w[STEPS, i]:
                continue
            soon = RESOLUTION * duration
            ends = ends_sub_step(i, delayed) & ends_sub_step(i, tilted)
            until = w[STEP, i] - soon if ends else w[STEP, i]
            if not switch_valves(w, pushed, i, until, soon):
                w[SMOOTH, i] = 0.0
            draw_lines(w, wheels, within, pushed, i, w[STEP, i])


@part
def switch_valves(w: Array, pushed: Pushed, i: int, end: float, soon: float) -> bool:
    """Open and close the valves of lane i that are due; return whether no other is until `end`."""
    parts, states = pointer_to(pushed.parts[pushed.crafts[i]]), pointer_to(pushed.states[i])
    work, commands = pointer_to(pushed.works[i]), pointer_to(pushed.commands[pushed.crafts[i]])
    at = place_of(parts, THRUSTERS)
    thrusters.switch(at, parts, states, work, commands, 0.0, 0.0, soon)
    until = thrusters.next_switch(at, math.inf, parts, states, work, 0.0, 0.0, soon)
    longest = math.inf
    if w[BEND, i] > 0.0:
        longest = thrusters.longest_step(at, math.inf, parts, states, work, 0.0, w[BEND, i])
    return min(max(until, soon), max(soon, longest)) >= end


@part
def draw_lines(w: Array, wheels: Array, within: Within, pushed: Pushed, i: int, h: float) -> None:
    """Write LINES of lane i over h, as step.draw_lines; with h = 0 the values when a tick ends."""
    parts, states = pointer_to(pushed.parts[pushed.crafts[i]]), pointer_to(pushed.states[i])
    work, lines = pointer_to(pushed.works[i]), LINES if h > 0.0 else LAST_LINES
    for j in range(6):
        work[FORCE + j] = work[RATES + j] = 0.0
    at = place_of(parts, WHEELS)
    for n in range(at.number):
        row = at.row + n * WHEEL_ROW
        if parts[row + UNBALANCED] != 0.0 or parts[row + SKEWED] != 0.0:
            shake(w, wheels, within, n, i, parts, row, work, h)
    thrusters.draw_lines(place_of(parts, THRUSTERS), parts, states, states, work, h)
    for j in range(6):
        w[lines + j, i], w[lines + 6 + j, i] = work[FORCE + j], work[RATES + j]


@helper
def shake(
    w: Array, wheels: Array, within: Within, n: int, i: int, parts: Array, row: int, work: Array,
    h: float,
) -> None:  # fmt: skip
    """Add the lines of the imbalance of wheel n, as reaction_wheels.lines.draw_imbalance.

    There the speed is that before pendulums are put right.
    """
    omega = three(w, OMEGA if within is None else OMEGA_BEFORE, i)
    along = dot(three_of(wheels, n, AXIS, i), omega)
    speed = wheels[n, MOMENTUM, i] / wheels[n, INERTIA_ROW, i] - along
    middle = wheels[n, MOTOR, i] + 0.5 * h * wheels[n, MOTOR_RATE, i]
    gain = motor_torque(parts, row, middle, speed)
    gain = (gain + drag(parts, row, speed, wheels[n, MODE, i])) * parts[row + COUPLING]
    mode = wheels[n, MODE, i]
    if not turns_freely(mode):
        gain = 0.0
        speed = speed_held(mode, wheels[n, MAX_SPEED, i], wheels[n, HELD_SPEED, i])
    angle = wheels[n, ANGLE, i] if h > 0.0 else wheels[n, TURNED, i]
    add_imbalance(angle, speed, gain, h, parts, row, work)


@part
def elapse(w: Array, pushed: Pushed | None, index: int) -> None:
    """Advance levels, propellant and valves' clocks over sub-step `index`, as Kind.elapse."""
    if pushed is not None:
        for i in range(LANES):
            if is_lost(w, i) or w[SMOOTH, i] == 0.0 or index >= w[STEPS, i]:
                continue
            parts = pointer_to(pushed.parts[pushed.crafts[i]])
            states, work = pointer_to(pushed.states[i]), pointer_to(pushed.works[i])
            thrusters.elapse(place_of(parts, THRUSTERS), parts, states, work, w[STEP, i])


@part
def end_lines(w: Array, wheels: Array, within: Within, pushed: Pushed | None) -> None:
    """Write LINES when a tick has ended."""
    if pushed is not None:
        for i in range(LANES):
            if not is_lost(w, i) and w[SMOOTH, i] != 0.0:
                draw_lines(w, wheels, within, pushed, i, 0.0)


@helper
def pushing(
    w: Array, i: int, lines: int, t: float, pushed: Pushed | None
) -> tuple[Floats, Floats]:
    """Return force and torque on lane i [N, N m], body axes.

    lines: LINES or LAST_LINES;  t: since the sub-step began [s]
    """
    force, torque = ZERO, ZERO
    if pushed is not None:
        force = moved_vector(three(w, lines, i), t, three(w, lines + 6, i))
        torque = moved_vector(three(w, lines + 3, i), t, three(w, lines + 9, i))
    return force, torque


@helper
def keep_turns(wheels: Array, n: int, i: int, turned: float, pushed: Pushed | None) -> None:
    """Keep the angle of wheel n after a sub-step, before it is within a turn."""
    if pushed is not None:
        wheels[n, TURNED, i] = turned
