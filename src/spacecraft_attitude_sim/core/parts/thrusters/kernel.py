# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Thrusters in the compiled step: valves that open in pulses, with a rise and fall of thrust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import THRUSTERS, normal_pair
from spacecraft_attitude_sim.core.mathematics.vectors import norm, three_at
from spacecraft_attitude_sim.core.parts.craft import FORCE, MASS, RATES, asked
from spacecraft_attitude_sim.core.parts.first_order_lag import LINE_ERROR, line, longest_line
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.craft import Place

# force_B, torque_B: fully open;  period: of pulses, 0 for a proportional thruster
# shortest: minimum on-time;  carry: whether shorter on-times add up (1) or are lost (0)
# opens, shuts: on-times from which and to which a Schmitt trigger gives the shortest and none [s];
# opens is 0 without one
# longer: time that it stays open beyond the command;  first: when the first period begins
# flow: of propellant, fully open [kg/s];  scatter: of thrust from pulse to pulse, relative
# seed: of the random streams
THRUSTER = Layout(
    force_B=3, torque_B=3, period=1, shortest=1, carry=1, opens=1, shuts=1, longer=1, first=1,
    rise=1, fall=1, scatter=1, flow=1, seed=1,
)  # fmt: skip
# level: force now over its largest force
# remainder: on-time carried over [s]; with a Schmitt trigger, 1 where it has opened, else 0
# left: time until it closes;  next: until a period begins [s]
# scale: of thrust in this pulse;  pulses: counted;  used: propellant [kg]
THRUSTER_STATE = Layout(level=1, remainder=1, left=1, next=1, scale=1, pulses=1, used=1)
# Commanded mean force over the largest force.
THRUSTER_COMMAND = Layout(level=1)
# Working memory: the target level, the time constant, and the integral of the level since the tick
# began [s].
JETTING = Layout(target=1, lag=1, given=1)
ROW, STATES, WORK_ROW = THRUSTER.size, THRUSTER_STATE.size, JETTING.size
JET_FORCE, JET_TORQUE, PERIOD = THRUSTER.places('force_B', 'torque_B', 'period')
SHORTEST, CARRY, LONGER = THRUSTER.places('shortest', 'carry', 'longer')
OPENS, SHUTS = THRUSTER.places('opens', 'shuts')
RISE, FALL, SCATTER, FLOW, SEED = THRUSTER.places('rise', 'fall', 'scatter', 'flow', 'seed')
LEVEL, REMAINDER, LEFT, NEXT = THRUSTER_STATE.places('level', 'remainder', 'left', 'next')
SCALE, PULSES, USED = THRUSTER_STATE.places('scale', 'pulses', 'used')
TARGET, LAG, GIVEN = JETTING.places()


@part
def report(at: Place, parts: Array, work: Array, more: Array) -> None:
    """Write the integral of each level [s]; see Kind."""
    for k in range(at.number):
        more[k] = work[at.work + k * WORK_ROW + GIVEN]


@part
def switch(
    at: Place, parts: Array, internal: Array, work: Array, commands: Array, time: float,
    now: float, soon: float,
) -> None:  # fmt: skip
    """Begin pulse periods and close valves that are due, and set each target level; see Kind."""
    row, own, state = at.row, at.work, at.state
    for k in range(at.number):
        level = max(0.0, min(1.0, commands[at.command + k]))
        if parts[row + PERIOD] <= 0.0:
            work[own + TARGET] = level
        else:
            if internal[state + NEXT] <= soon:
                begin_pulse(internal, parts, row, state, level, k)
            if internal[state + LEFT] <= soon:
                internal[state + LEFT] = 0.0
            is_open = internal[state + LEFT] > 0.0
            work[own + TARGET] = internal[state + SCALE] if is_open else 0.0
        rises = work[own + TARGET] > internal[state + LEVEL]
        work[own + LAG] = parts[row + RISE] if rises else parts[row + FALL]
        row, own, state = row + ROW, own + WORK_ROW, state + STATES


@part
def begin_pulse(
    internal: Array, parts: Array, row: int, state: int, level: float, number: int
) -> None:
    """Set how long a valve stays open in the pulse period that begins."""
    period = parts[row + PERIOD]
    internal[state + NEXT] += period
    if parts[row + OPENS] > 0.0:
        wanted = triggered(internal, parts, row, state, level * period)
    else:
        wanted = carried(internal, parts, row, state, level * period)
    if wanted <= 0.0:
        return
    open_for = wanted + parts[row + LONGER]
    if wanted >= period:  # it stays open until the next period sets its time
        open_for = max(open_for, internal[state + NEXT])
    internal[state + LEFT] = max(internal[state + LEFT], open_for)
    internal[state + PULSES] += 1.0
    internal[state + SCALE] = 1.0
    if parts[row + SCATTER] > 0.0:
        deviate, _ = normal_pair(
            number, int(parts[row + SEED]), 0, THRUSTERS, int(internal[state + PULSES])
        )
        internal[state + SCALE] = max(0.0, 1.0 + parts[row + SCATTER] * deviate)


@part
def carried(internal: Array, parts: Array, row: int, state: int, wanted: float) -> float:
    """Return the on-time [s] of a wanted one; carry what is too short, or too long, over."""
    period = parts[row + PERIOD]
    wanted += internal[state + REMAINDER]
    internal[state + REMAINDER] = 0.0
    if wanted <= 0.0:
        return 0.0
    if wanted < parts[row + SHORTEST]:
        internal[state + REMAINDER] = parts[row + CARRY] * wanted
        return 0.0
    if wanted > period:
        internal[state + REMAINDER] = parts[row + CARRY] * min(wanted - period, period)
        wanted = period
    return wanted


@part
def triggered(internal: Array, parts: Array, row: int, state: int, wanted: float) -> float:
    """Return the on-time [s] of a wanted one, as a Schmitt trigger gives it.

    Of on-times below the shortest, those from `opens` on give the shortest and those up to `shuts`
    none. Between them the last decision stays.
    """
    shortest = parts[row + SHORTEST]
    if wanted >= parts[row + OPENS]:
        internal[state + REMAINDER] = 1.0
    elif wanted <= parts[row + SHUTS]:
        internal[state + REMAINDER] = 0.0
    return max(wanted, shortest) if internal[state + REMAINDER] > 0.0 else 0.0


@part
def next_switch(
    at: Place, soonest: float, parts: Array, internal: Array, work: Array, time: float,
    now: float, soon: float,
) -> float:  # fmt: skip
    """Return the time until the next valve opens or closes [s]; see Kind."""
    row, state = at.row, at.state
    for _ in range(at.number):
        if parts[row + PERIOD] > 0.0:
            soonest = min(soonest, internal[state + NEXT])
            if internal[state + LEFT] > 0.0:
                soonest = min(soonest, internal[state + LEFT])
        row, state = row + ROW, state + STATES
    return soonest


@part
def elapse(at: Place, parts: Array, internal: Array, work: Array, h: float) -> None:
    """Advance levels, propellant and the clocks of the valves by h; see Kind."""
    row, own, state = at.row, at.work, at.state
    for _ in range(at.number):
        a, b, level = line(internal[state + LEVEL], work[own + TARGET], work[own + LAG], h)
        internal[state + LEVEL] = level
        passed = a * h + 0.5 * b * h * h
        internal[state + USED] += parts[row + FLOW] * passed
        work[own + GIVEN] += passed
        internal[state + LEFT] = max(0.0, internal[state + LEFT] - h)
        internal[state + NEXT] -= h
        row, own, state = row + ROW, own + WORK_ROW, state + STATES


@part
def draw_lines(at: Place, parts: Array, internal: Array, y: Array, work: Array, h: float) -> None:
    """Add thrust and its torque as lines over h; see Kind."""
    row, own, state = at.row, at.work, at.state
    for _ in range(at.number):
        a, b, _ = line(internal[state + LEVEL], work[own + TARGET], work[own + LAG], h)
        for j in range(6):
            work[FORCE + j] += a * parts[row + JET_FORCE + j]
            work[RATES + j] += b * parts[row + JET_FORCE + j]
        row, own, state = row + ROW, own + WORK_ROW, state + STATES


@part
def load_bounds(
    at: Place, sums: tuple[float, float, float, float, float], parts: Array, work: Array
) -> tuple[float, float, float, float, float]:
    """Add bounds of torque and force of the thrusters; see Kind."""
    torque, press, motors, loss, tilt = sums
    row = at.row
    for _ in range(at.number):
        torque += norm(three_at(parts, row + JET_TORQUE))
        press += norm(three_at(parts, row + JET_FORCE)) / parts[MASS]
        row += ROW
    return torque, press, motors, loss, tilt


@part
def longest_step(
    at: Place, longest: float, parts: Array, internal: Array, work: Array, field: float,
    bend: float,
) -> float:  # fmt: skip
    """Return the longest step in which lines may replace rise and fall of thrust; see Kind."""
    error = asked(parts, LINE_ERROR)
    row, own, state = at.row, at.work, at.state
    for _ in range(at.number):
        off = abs(internal[state + LEVEL] - work[own + TARGET])
        off *= norm(three_at(parts, row + JET_TORQUE))
        longest = min(longest, longest_line(bend * off, work[own + LAG], error))
        row, own, state = row + ROW, own + WORK_ROW, state + STATES
    return longest


KIND = Kind(
    name='thrusters', row=THRUSTER, state=THRUSTER_STATE, work=WORK_ROW,
    commands=THRUSTER_COMMAND.size,
    report=report, switch=switch, next_switch=next_switch, elapse=elapse, draw_lines=draw_lines,
    load_bounds=load_bounds, longest_step=longest_step,
)  # fmt: skip
