# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Magnetorquers in the compiled step: dipoles with a first-order lag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vector_fours import three_of, vector_four
from spacecraft_attitude_sim.core.mathematics.vectors import put, three_at
from spacecraft_attitude_sim.core.parts.craft import ACCURACY, DIPOLE, RATES, asked, within
from spacecraft_attitude_sim.core.parts.first_order_lag import LINE_ERROR, drawn, longest_line
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.fours import four_at
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

# axis_B: along the dipole;  max_dipole [A m^2];  lag: time constant [s]
# off_after: time in a tick at which all are switched off [s], the same for all
ROD = Layout(axis_B=3, max_dipole=1, lag=1, off_after=1)
ROD_STATE = Layout(dipole=1)
ROD_COMMAND = Layout(dipole=1)
ROW = ROD.size
AXIS, MAX_DIPOLE, LAG, OFF_AFTER = ROD.places()
# Working memory: the target dipole.
WORK_ROW = 1


@part
def command(
    at: Place, jumps: bool, parts: Array, internal: Array, y: Array, work: Array,
    commands: Array, omega: Floats, duration: float,
) -> bool:  # fmt: skip
    """Take the commands of a tick, within the largest dipoles; see Kind."""
    for k in range(at.number):
        most = parts[at.row + k * ROW + MAX_DIPOLE]
        work[at.work + k] = within(most, commands[at.command + k])
    return jumps


@part
def switch(
    at: Place, parts: Array, internal: Array, work: Array, commands: Array, time: float,
    now: float, soon: float,
) -> None:  # fmt: skip
    """Switch all off when it is time; see Kind."""
    for k in range(at.number):
        if parts[at.row + k * ROW + OFF_AFTER] <= time + soon:
            work[at.work + k] = 0.0


@part
def next_switch(
    at: Place, soonest: float, parts: Array, internal: Array, work: Array, time: float,
    now: float, soon: float,
) -> float:  # fmt: skip
    """Return the time until they are switched off [s]; see Kind."""
    for k in range(at.number):
        off_after = parts[at.row + k * ROW + OFF_AFTER]
        if off_after > time + soon:
            soonest = min(soonest, off_after - time)
    return soonest


@part
def elapse(at: Place, parts: Array, internal: Array, work: Array, h: float) -> None:
    """Advance the dipoles by h; see Kind."""
    for k in range(at.number):
        state, lag = at.state + k, parts[at.row + k * ROW + LAG]
        _, _, internal[state] = drawn(internal[state], work[at.work + k], lag, h)


@part
def draw_lines(at: Place, parts: Array, internal: Array, y: Array, work: Array, h: float) -> None:
    """Add the dipoles as lines over h; see Kind."""
    dipole, rate = vector_four(three_at(work, DIPOLE)), vector_four(three_at(work, RATES + 6))
    for k in range(at.number):
        row = at.row + k * ROW
        axis = four_at(parts, row + AXIS)
        a, b, _ = drawn(internal[at.state + k], work[at.work + k], parts[row + LAG], h)
        dipole, rate = dipole + axis * a, rate + axis * b
    put(work, DIPOLE, three_of(dipole))
    put(work, RATES + 6, three_of(rate))


@part
def dipole_bound(at: Place, most: float, parts: Array, internal: Array, work: Array) -> float:
    """Add the largest dipoles [A m^2]: those of the tick if an accuracy is asked for, else any."""
    for k in range(at.number):
        if parts[ACCURACY] > 0.0:
            most += max(abs(internal[at.state + k]), abs(work[at.work + k]))
        else:
            most += parts[at.row + k * ROW + MAX_DIPOLE]
    return most


@part
def longest_step(
    at: Place, longest: float, parts: Array, internal: Array, work: Array, field: float,
    bend: float,
) -> float:  # fmt: skip
    """Return the longest step in which lines may replace the dipoles' lags [s]; see Kind."""
    error = asked(parts, LINE_ERROR)
    for k in range(at.number):
        off = abs(internal[at.state + k] - work[at.work + k]) * field
        lag = parts[at.row + k * ROW + LAG]
        longest = min(longest, longest_line(bend * off, lag, error))
    return longest


KIND = Kind(
    name='magnetorquers', row=ROD, state=ROD_STATE, work=WORK_ROW, commands=ROD_COMMAND.size,
    lasting=True,
    command=command, switch=switch, next_switch=next_switch, elapse=elapse, draw_lines=draw_lines,
    dipole_bound=dipole_bound, longest_step=longest_step,
)  # fmt: skip
