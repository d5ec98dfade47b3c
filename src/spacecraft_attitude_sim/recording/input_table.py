# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Open-loop tables of commands: each row is checked like a command and held until the next row.

It needs no ROS; the simulator node and a loop in Python get bit-identical commands.
"""

from __future__ import annotations

import bisect
import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration.suggestion import hint
from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS
from spacecraft_attitude_sim.core.simulation import Inputs, joint_commands, limits
from spacecraft_attitude_sim.core.simulation.commands import CommandInbox, CommandRefusedError
from spacecraft_attitude_sim.core.ticks import LAST_SECOND, NANOSECONDS, Ticks
from spacecraft_attitude_sim.recording import csv_file
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.inputs_layout import completed
from spacecraft_attitude_sim.recording.on_times import OnTimes
from spacecraft_attitude_sim.safety.frozen import dataclass
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.control.allocation import Allocation
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.simulation import Plant, Spacecraft

TIME = 't [s]'
# Of a file [bytes].
LARGEST_TABLE = 2**28
# {axes of a force and a torque: the columns of their six components}
WRENCHES = {
    place: tuple(
        f'{load}{infix}_{axis} [{unit}]'
        for load, unit in (('force', 'N'), ('torque', 'N m'))
        for axis in 'xyz'
    )
    for place, infix in (('body', ''), ('world', '_world'))
}
# {kind of actuator: {last part of a column: field of a JointState}}
WAYS = {
    one.word: {f'{mode.quantity} [{mode.unit}]': mode.field for mode in one.modes}
    for one in COMMANDED.values()
}
WAYS['thruster']['on_time [s]'] = 'on_time'
UNLIMITED = (math.inf,) * 3
REST = np.array((1.0, 0.0, 0.0, 0.0))
DOCUMENT = 'docs/control.md'


class InputTableError(RecordingError):
    """A table of commands is wrong; the message names file, line, column, value and remedy."""


class Column(NamedTuple):
    """The meaning of a column: `field` of an actuator, or a component of a wrench.

    kind: a key of WAYS; or of WRENCHES, then `field` is the index of the component
    """

    kind: str
    actuator: str
    field: Any


@dataclass(frozen=True)
class InputTable:
    """Commands over time: each row acts from its time until that of the next; the last one stays.

    A row acts from the first tick that begins at or after its time. Before the first row the
    `initial` commands act. Times count from the start of the run, or from its last reset.

    path: of the file;  first: (n,) first tick of each row, without rows that fall in no tick
    wrenches: (n, 12) of core.body.loads, or None
    parts: {part of Inputs: (n, N)};  places: {the same: indices of the commanded actuators}
    on_times: OnTimes, or None;  commanded: {kind of actuator: names}
    initial: Inputs for everything that no row commands, every part with one value per actuator
    limited, left_out: number of rows clipped to a limit, and of rows between two ticks
    """

    path: str
    first: list[int]
    wrenches: Array | None
    parts: dict[str, Array]
    places: dict[str, list[int]]
    on_times: OnTimes | None
    commanded: dict[str, tuple[str, ...]]
    initial: Inputs
    ticks: Ticks
    limited: int
    left_out: int

    def at(self, time: float) -> Inputs:
        """Return the Inputs of the tick that begins at a time [s] since the start."""
        return self.over(self.initial, self.tick_at(time))

    def tick_at(self, time: float) -> int:
        """Return the last tick that begins at or before a time [s]."""
        return self.ticks.at_stamp(round(time * NANOSECONDS))

    def over(self, inputs: Inputs, elapsed: int) -> Inputs:
        """Return the Inputs of a tick: `inputs` with the commands of this table.

        A wrench adds to that in `inputs`. An actuator with a column follows only the table.

        inputs: every part with one value per actuator;  elapsed: ticks since the start
        """
        row = bisect.bisect_right(self.first, elapsed) - 1
        changed: dict[str, Array] = {}
        if row >= 0 and self.wrenches is not None:
            changed['wrench'] = inputs.wrench + self.wrenches[row]
        for name, several in self.parts.items() if row >= 0 else ():
            part, places = getattr(inputs, name).copy(), self.places[name]
            part[places] = several[row, places]
            changed[name] = part
        if self.on_times:
            thrust = changed['thrust'] if 'thrust' in changed else inputs.thrust.copy()
            changed['thrust'] = self.on_times.written(thrust, self.first, elapsed, self.ticks.step)
        return inputs._replace(**changed) if changed else inputs

    def text(self) -> str:
        """Return a short text on its content, and on rows that are clipped or left out."""
        count = '1 row' if len(self.first) == 1 else f'{len(self.first)} rows'
        said = f'{self.path}: {count} to {self.ticks.seconds(self.first[-1]):g} s'
        if self.limited:
            said += f', {self.limited} brought to a limit'
        if self.left_out:
            said += (
                f'; {self.left_out} more never act: another follows before the next tick '
                f'({self.ticks.step:g} s)'
            )
        return said


def read(
    path: str | Path,
    plant: Plant,
    initial: Inputs | None = None,
    force_limit: VectorLike = UNLIMITED,
    torque_limit: VectorLike = UNLIMITED,
) -> InputTable:
    """Return the InputTable of a CSV file, for a spacecraft.

    initial: Inputs for everything that no row commands, a Scenario's `inputs`; None for zeros
    force_limit, torque_limit: (3,) limits of the components [N, N m], from the parameters
        command_force_limit and command_torque_limit; larger commands are clipped
    Raises InputTableError that names file, line, column, value and remedy.
    """
    names, lines, table = _numbers(Path(path))
    craft = plant.spacecraft
    columns = [_column(path, name, craft) for name in names[1:]]
    _check_ways(path, names[1:], columns)
    stamps = _stamps(path, lines, table[:, 0])
    first = [-(-stamp // plant.ticks.tick_ns) for stamp in stamps]
    holds = [(later - now) / NANOSECONDS for now, later in zip(stamps, stamps[1:], strict=False)]
    on_times = _on_times(path, columns, table[:, 1:], plant)
    made = _Rows(plant, columns, force_limit, torque_limit)
    for number, (values, hold) in enumerate(zip(table[:, 1:], [*holds, 0.0], strict=True)):
        try:
            made.add(values.tolist(), hold)
        except CommandRefusedError as error:
            when = f'{TIME} = {table[number, 0]:g}'
            raise InputTableError(f'{path}: line {lines[number]}, {when}: {error}') from None
    # If several rows begin in one tick, the last one acts.
    kept = [
        row for row, tick in enumerate(first) if row + 1 == len(first) or first[row + 1] > tick
    ]
    if on_times:
        on_times = on_times._replace(seconds=on_times.seconds[kept])
    commanded: dict[str, list[str]] = {}
    for column in columns:
        if column.kind in WAYS:
            commanded.setdefault(column.kind, []).append(column.actuator)
    return InputTable(
        str(path),
        [first[row] for row in kept],
        np.array(made.wrenches)[kept] if made.wrenches else None,
        {name: np.array(several)[kept] for name, several in made.parts.items()},
        made.places,
        on_times,
        {kind: tuple(several) for kind, several in commanded.items()},
        completed(Inputs() if initial is None else initial, craft),
        plant.ticks,
        made.limited,
        len(first) - len(kept),
    )


def read_several(
    paths: Sequence[str | Path],
    plant: Plant,
    initial: Inputs | None = None,
    force_limit: VectorLike = UNLIMITED,
    torque_limit: VectorLike = UNLIMITED,
) -> list[InputTable]:
    """Return the InputTables of files; InputTableError if two command the same actuator."""
    tables: list[InputTable] = []
    for path in paths:
        one = read(path, plant, initial, force_limit, torque_limit)
        for other in tables:
            for kind, names in one.commanded.items():
                if twice := set(names) & set(other.commanded.get(kind, ())):
                    raise InputTableError(
                        f"{path}: commands {kind} '{min(twice)}', and so does {other.path}; leave "
                        'the column out of one of them'
                    )
        tables.append(one)
    return tables


def read_for(found: Scenario, paths: Sequence[str | Path]) -> list[InputTable]:
    """Return the InputTables of files for a Scenario, as `read_several` does."""
    limits = (found.parameters[f'command_{what}_limit'] for what in ('force', 'torque'))
    return read_several(paths, found.plant, found.inputs, *limits)


def check_beside(
    tables: Sequence[InputTable], allocation: Allocation | None, magnetic: bool, remedy: str
) -> None:
    """Raise InputTableError where a table commands an actuator that a controller commands.

    allocation: of the controller, None where it commands a torque;  magnetic: whether it commands
        the dipole, which all rods share;  remedy: how to fly without it
    """
    from spacecraft_attitude_sim.core.control.allocation import GIMBALS, THRUSTERS, WHEELS

    words = {WHEELS: 'wheel', GIMBALS: 'gimbal', THRUSTERS: 'thruster'}
    for table in tables:
        for kind, names in table.commanded.items():
            ours: Sequence[str] = names if magnetic and kind == 'magnetorquer' else ()
            if allocation and kind == words[allocation.kind]:
                ours = allocation.names
            if twice := set(names) & set(ours):
                raise InputTableError(
                    f"{table.path}: commands {kind} '{min(twice)}', and so does the scenario's "
                    f'attitude_controller; {remedy}, or leave the column out'
                )


def at(tables: Sequence[InputTable], time: float) -> Inputs:
    """Return the combined Inputs of several tables in the tick that begins at a time [s]."""
    first, *others = tables
    inputs = first.at(time)
    for one in others:
        inputs = one.over(inputs, one.tick_at(time))
    return inputs


def column_names(spacecraft: Spacecraft) -> list[str]:
    """Return the column names that a table of a spacecraft may have, without the time."""
    names = [name for six in WRENCHES.values() for name in six]
    for kind, (_, actuators) in joint_commands.offered(spacecraft).items():
        names += [f'{kind}.{one}.{end}' for one in actuators.names for end in WAYS[kind]]
    return names


def _column(path: str | Path, name: str, craft: Spacecraft) -> Column:
    """Return the Column with a name; InputTableError if the spacecraft has no such command."""
    for place, six in WRENCHES.items():
        if name in six:
            return Column(place, '', six.index(name))
    valid = column_names(craft)
    kind, _, rest = name.partition('.')
    actuator, _, end = rest.partition('.')
    if kind in WAYS:
        offered = joint_commands.offered(craft)
        if kind not in offered:
            raise InputTableError(
                f'{path}: column {quoted(name)}: the spacecraft has no {kind}s; leave it out'
            )
        _, there = offered[kind]
        if actuator not in there.names:
            raise InputTableError(
                f'{path}: column {quoted(name)}: the spacecraft has no {kind} '
                f'{quoted(actuator)}; {hint(actuator, there.names)}'
            )
        if end in WAYS[kind]:
            return Column(kind, actuator, WAYS[kind][end])
    raise InputTableError(
        f'{path}: no column {quoted(name)} commands anything; {hint(name, valid, DOCUMENT)}'
    )


def _check_ways(path: str | Path, names: Sequence[str], columns: Sequence[Column]) -> None:
    """Raise InputTableError if columns contradict each other."""
    if not columns:
        raise InputTableError(f'{path}: has no column but {TIME}; add what it is to command')
    for number, column in enumerate(columns):
        if names[number] in names[:number]:
            raise InputTableError(f"{path}: has '{names[number]}' twice; leave one of them out")
        for other in columns[:number]:
            if column.actuator and column[:2] == other[:2]:
                raise InputTableError(
                    f"{path}: commands {column.kind} '{column.actuator}' in two ways; leave one "
                    'of its columns out'
                )


class _Rows:
    """Converts rows to commands one by one, with all limits and checks of commands.

    wrenches, parts: as in InputTable, row by row;  limited: number of clipped rows
    """

    def __init__(
        self, plant: Plant, columns: Sequence[Column], force_limit: VectorLike,
        torque_limit: VectorLike,
    ) -> None:  # fmt: skip
        self._plant, self._judges = plant, dict[float, limits.CommandLimits]()
        self.wrenches: list[Array] = []
        self.parts: dict[str, list[Array]] = {}
        self.places: dict[str, list[int]] = {}
        self.limited = 0
        self._components = [
            (place, [_place(columns, Column(place, '', number)) for number in range(6)])
            for place in WRENCHES
            if any(column.kind == place for column in columns)
        ]
        frames = {'body': AT_CENTRE_OF_MASS}
        self._inbox = CommandInbox(frames, 'world', force_limit, torque_limit, 0.0)
        self._kinds = []
        for kind, (make, actuators) in joint_commands.offered(plant.spacecraft).items():
            of_kind = [(at, one) for at, one in enumerate(columns) if one.kind == kind]
            if not of_kind:
                continue
            inbox = make(actuators, completed(Inputs(), plant.spacecraft), 0.0)
            self._kinds.append((inbox, of_kind))
            ours = [
                actuators.names.index(one.actuator) for _, one in of_kind if one.field != 'on_time'
            ]
            for name in inbox.take() if ours else ():
                self.places[name], self.parts[name] = ours, []

    def add(self, values: Sequence[float], hold: float) -> None:
        """Add a row held for `hold` [s], 0 for ever; raise CommandRefusedError if invalid."""
        if hold not in self._judges:
            self._judges[hold] = limits.command_limits(self._plant, hold)
        judge = self._judges[hold]
        saturated = 0
        if self._components:
            self._inbox.clear()
            self._inbox.limits, before = judge, self._inbox.saturated
            for place, six in self._components:
                components = [0.0 if at is None else values[at] for at in six]
                self._inbox.hold(place, components[:3], components[3:])
            self.wrenches.append(self._inbox.take(REST).wrench)
            saturated += self._inbox.saturated - before
        for inbox, columns in self._kinds:
            inbox.clear()
            inbox.limits, before = judge, inbox.saturated
            for field, names, amounts in _commands(inbox, columns, values):
                inbox.command(names, **{'effort': (), field: amounts})
            for name, part in inbox.take().items():
                if name in self.parts:
                    self.parts[name].append(part)
            saturated += inbox.saturated - before
        self.limited += saturated > 0


def _commands(
    inbox: joint_commands.JointCommands,
    columns: Sequence[tuple[int, Column]],
    values: Sequence[float],
) -> Iterator[tuple[str, list[str], list[float]]]:
    """Yield (field, names, values) of a row's commands to one kind; a valve opens fully."""
    most = dict(zip(inbox.kind.names, inbox.kind.ways[0].highs.tolist(), strict=True))
    several: dict[str, tuple[list[str], list[float]]] = {}
    for at, column in columns:
        field, value = column.field, values[at]
        if field == 'on_time':
            field, value = 'effort', most[column.actuator] if value > 0.0 else 0.0
        names, amounts = several.setdefault(field, ([], []))
        names.append(column.actuator)
        amounts.append(value)
    for field, (names, amounts) in several.items():
        yield field, names, amounts


def _place(columns: Sequence[Column], wanted: Column) -> int | None:
    return columns.index(wanted) if wanted in columns else None


def _on_times(
    path: str | Path, columns: Sequence[Column], values: Array, plant: Plant
) -> OnTimes | None:
    """Return the OnTimes of a table; InputTableError if a valve cannot follow it."""
    those = [(at, one) for at, one in enumerate(columns) if one.field == 'on_time']
    thrusters, tick = plant.spacecraft.part('thrusters'), plant.ticks.step
    if not those or not thrusters:
        return None
    places, windows = [], []
    for at, column in those:
        place = thrusters.names.index(column.actuator)
        if np.any(values[:, at] < 0.0):
            raise InputTableError(
                f"{path}: on_time of thruster '{column.actuator}' is {values[:, at].min():g} s; "
                'give 0 or more'
            )
        period = thrusters.thrusters[place].period
        count = max(1, round(period / tick))
        if not (period <= tick or math.isclose(period, count * tick)):
            raise InputTableError(
                f"{path}: on_time of thruster '{column.actuator}', whose period of {period:g} s "
                f'is no whole number of ticks of {tick:g} s; give its force, or such a period'
            )
        places.append(place)
        windows.append(count)
    seconds = values[:, [at for at, _ in those]]
    return OnTimes(places, seconds, thrusters.max_forces[places], np.array(windows))


def _numbers(path: Path) -> tuple[list[str], list[int], Array]:
    """Return the names of the columns, and of each row the line and the numbers (n, m)."""
    with csv_file.lines_of(path, LARGEST_TABLE, InputTableError) as texts:
        lines = csv.reader(texts)
        names = [name.strip() for name in next(lines, ())]
        if not names or names[0] != TIME:
            found = quoted(names[0]) if names else 'nothing'
            raise InputTableError(
                f'{path}: the first column is {found}; begin with a header whose first column '
                f"is '{TIME}', then what is commanded, as 'torque_x [N m]'"
            )
        rows = [(lines.line_num, row) for row in lines if row]
    if not rows:
        raise InputTableError(f'{path}: has a header and no row; add at least one')
    table = np.array([_row(path, line, row, names) for line, row in rows])
    return names, [line for line, _ in rows], table


def _row(path: Path, line: int, row: list[str], names: list[str]) -> list[float]:
    """Return the numbers of a row."""
    if len(row) != len(names):
        raise InputTableError(f'{path}: line {line} has {len(row)} of {len(names)} values')
    numbers = []
    for text, name in zip(row, names, strict=True):
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputTableError(
                f'{path}: line {line}: {name} is {quoted(text.strip())}; give a finite number, '
                '0 for nothing'
            )
        numbers.append(number)
    return numbers


def _stamps(path: str | Path, lines: Sequence[int], times: Array) -> list[int]:
    """Return times [s] in nanoseconds; InputTableError unless they increase from 0 or later."""
    before = None
    stamps = []
    for line, time in zip(lines, times.tolist(), strict=True):
        if not 0.0 <= time <= LAST_SECOND:
            raise InputTableError(
                f'{path}: line {line}: {TIME} is {time:g}; a run begins at 0 s and ends before '
                f'{LAST_SECOND} s'
            )
        stamps.append(round(time * NANOSECONDS))
        if before is not None and stamps[-1] <= stamps[-2]:
            raise InputTableError(
                f'{path}: line {line}: {TIME} is {time:g} after {before:g}; time must increase'
            )
        before = time
    return stamps
