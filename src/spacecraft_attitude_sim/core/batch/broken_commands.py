# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of actuators in a compiled flight: what these do in place of what a law commands.

As core.faults.on_commands, to the bit. A law goes on from what it has commanded before, not from
what was done.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, MAYBE_NAN
from spacecraft_attitude_sim.core.batch.loop import COMMANDS
from spacecraft_attitude_sim.core.faults.on_commands import DEAD, STUCK, acts_on_commands, leak
from spacecraft_attitude_sim.core.faults.timetable import spans_of
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacecraft_attitude_sim.core.actuators.inputs import Mode
    from spacecraft_attitude_sim.core.faults.fault import Fault
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

# A number that a fault changes. begins, ends: ticks from the first one on, to before the last
# does: SET, TIMES, PLUS, or KEEP;  column: in wrench and commands
# value: by which it does so; of KEEP, what is no command
FAULT = Layout(begins=1, ends=1, does=1, column=1, value=1)
BEGINS, ENDS, DOES, COLUMN, VALUE = FAULT.places()
FAULT_SIZE = FAULT.size
SET, TIMES, PLUS, KEEP = 0.0, 1.0, 2.0, 3.0


def rows_of(crafts: Sequence[Spacecraft]) -> Array:
    """Return rows (N, R * FAULT.size) of N spacecraft; some of those with fewer never act.

    Raises ValueError for what is not compiled: conditions, and thrusters that are weak.
    """
    each = [list(_rows(craft)) for craft in crafts]
    rows = np.zeros((len(each), max(map(len, each)), FAULT.size))
    for own, given in zip(rows, each, strict=True):
        own[: len(given)] = np.reshape(given, (-1, FAULT.size))
    return rows.reshape(len(each), -1)


def _rows(craft: Spacecraft) -> Iterator[Array]:
    """Yield a row of FAULT for each number that a fault of a spacecraft changes, in order."""
    for number, span in spans_of(craft.faults).items():
        fault = craft.faults[number]
        if not acts_on_commands(fault):
            continue
        broken = craft.groups[fault.group]
        times = {'begins': float(span.begins), 'ends': float(span.ends)}
        if fault.kind == 'leaking':
            for column, load in enumerate(leak(fault, broken)):
                yield FAULT.packed(**times, does=PLUS, column=column, value=load)
            continue
        for mode in COMMANDED[fault.group].modes:
            if not mode.needs or getattr(broken, mode.needs):
                does, value = _done(craft, fault, mode)
                column, _ = _commanded(craft, fault, mode, 1.0)
                yield FAULT.packed(**times, does=does, column=COMMANDS + column, value=value)


def _commanded(craft: Spacecraft, fault: Fault, mode: Mode, value: float) -> tuple[int, float]:
    """Return where a command to the actuator of a fault stands, and its number there."""
    nothing = math.nan if mode.part in MAYBE_NAN else 0.0
    values = np.full(craft.groups[fault.group].number, nothing)
    values[fault.place] = value
    commands = craft.commands(Inputs(**{mode.part: values}))
    (column,) = np.flatnonzero(np.nan_to_num(commands))
    return int(column), float(commands[column])


def _done(craft: Spacecraft, fault: Fault, mode: Mode) -> tuple[float, float]:
    """Return what the actuator of a fault does in a mode, and the value of it."""
    nothing = math.nan if mode.part in MAYBE_NAN else 0.0
    if fault.kind == STUCK and fault.word == 'magnetorquer':
        return SET, fault.value
    if fault.kind in (*DEAD, STUCK):
        return SET, nothing
    if fault.kind == 'open':
        most: Any = craft.groups[fault.group]
        return SET, _commanded(craft, fault, mode, float(most.max_forces[fault.place]))[1]
    if fault.kind == 'reversed':
        return TIMES, -1.0
    if fault.kind == 'held':
        return KEEP, nothing
    assert fault.kind == 'weak', fault.kind
    if _commanded(craft, fault, mode, 1.0)[1] != 1.0:
        raise ValueError(f'fault {fault.name}: of a thruster that is weak')
    # A wheel that keeps a speed does so with less torque: core.faults.on_parts.
    return TIMES, 1.0 if math.isnan(nothing) and fault.word == 'wheel' else fault.value


# --- compiled ------------------------------------------------------------------------------------


def memory_for(rows: Array, commands: int) -> int:
    """Return the size of the memory of a craft; rows: (N, any) of rows_of."""
    return COMMANDS + commands + rows.shape[1] // FAULT.size if rows.size else 0


@part
def begin_tick(tick: int, rows: Array, memory: Array, wrench: Array) -> None:
    """Write to wrench and commands what the law has commanded; they are what has been done.

    rows: of rows_of;  memory: of memory_for
    """
    for k in range(len(rows) // FAULT_SIZE):
        row = k * FAULT_SIZE
        if rows[row + DOES] == KEEP and rows[row + BEGINS] == tick:
            done = wrench[int(rows[row + COLUMN])]
            memory[len(wrench) + k] = done if tick > 0 else rows[row + VALUE]
    if tick > 0:
        for j in range(len(wrench)):
            wrench[j] = memory[j]


@part
def let_faults_act(tick: int, rows: Array, memory: Array, wrench: Array) -> None:
    """Write what is done in place of what the law commands; arguments as of begin_tick."""
    for j in range(len(wrench)):
        memory[j] = wrench[j]
    for k in range(len(rows) // FAULT_SIZE):
        row = k * FAULT_SIZE
        if not rows[row + BEGINS] <= tick < rows[row + ENDS]:
            continue
        column, does, value = int(rows[row + COLUMN]), rows[row + DOES], rows[row + VALUE]
        if does == SET:
            wrench[column] = value
        elif does == TIMES:
            wrench[column] = value * wrench[column]
        elif does == PLUS:
            wrench[column] = wrench[column] + value
        else:
            wrench[column] = memory[len(wrench) + k]
