# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A control law of the user that is compiled: called for each body of a batch in each tick."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch.commands import FOR_EVER, WRENCHES, Holding, Kind, Mode
from spacecraft_attitude_sim.core.batch.loop import COMMANDS, LAW, SEEN_SIZE
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, put, three_at
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import Kernel, compiled_of, helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.python_law import LawReadings
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.ticks import Ticks

# What goes before the parameters of the user: shown, numbers that readings take in the memory;
# numbers, that the law returns; outputs and rods, rows of OUTPUT and ROD that follow.
CONSTANTS = Layout(tick_ns=1, inverse_inertia=9, shown=1, numbers=1, outputs=1, rods=1)
# Where a number of the law goes among wrench and commands, its limits, and its unit; beside is
# another number that is then `other`, or -1 for none.
OUTPUT = Layout(number=1, place=1, low=1, high=1, unit=1, beside=1, other=1)
# The same of the dipole of a magnetorquer: its share of three numbers.
ROD = Layout(number=1, place=1, low=1, high=1, sharing=3)
# What goes before the memory of the user: the tick in which the law failed plus 1, or 0, and what
# it was shown in it; readings of sensors follow.
MEMORY = Layout(failed=1, attitude=4, angular_velocity=3)
TICK_NS, INVERSE, SHOWN, NUMBERS, OUTPUTS, RODS = CONSTANTS.places()
FIRST, OUTPUT_SIZE, ROD_SIZE = CONSTANTS.size, OUTPUT.size, ROD.size
NUMBER, PLACE, LOW, HIGH, UNIT, BESIDE, OTHER = OUTPUT.places()
SHARING = ROD.at('sharing')
FAILED, ATTITUDE, RATE = MEMORY.places('failed', 'attitude', 'angular_velocity')
OWN = MEMORY.size
ARGUMENTS = 'float64' + ', float64[::1]' * 4
VECTORS = (*WRENCHES, 'dipole')
JOINTS = ('wheel_torque', 'wheel_speed', 'gimbal_rate', 'gimbal_torque', 'thrust')
ALL = (*VECTORS, *JOINTS)


class CompiledLaw:
    """A control law of a batch that numba compiles.

        def damp(time, attitude, angular_velocity, memory, parameters):
            return -parameters[0] * angular_velocity  # N m

        batch = Batch(bodies, states, law=CompiledLaw(damp, parameters=[2e-3]))

    function: called for each body in each tick with the time [s], the true attitude (4,) w, x, y,
        z and angular velocity (3,) [rad/s] in body axes, and the memory (m,) and parameters (p,)
        of its body. It returns numbers, one tuple or array, which act until the next tick: a
        torque (3,) [N m] in body axes, or what `commands` says. It may write to its memory
    parameters: (p,) of all bodies, or (N, p);  memory: (m,) or (N, m), at the start
    commands: names of what the numbers are, one after the other: 'torque', 'force' (3,) in body
        axes, 'dipole' (3,) of the magnetorquers together [A m^2], 'wheel_torque', 'wheel_speed',
        'gimbal_rate', 'gimbal_torque' or 'thrust', a number for each actuator in the scenario's
        order. Limits of the actuators apply
    sees: names of sensors, and 'wheel_speed', 'gimbal_angle'. The function then gets a sixth
        argument, a flat array of what these read last, one after the other. docs/python.md lists
        their numbers

    Compiled in each process, in half a second: the code is not kept on disk.
    Raises ValueError with the reason where it cannot be compiled.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        parameters: Any = (),
        memory: Any = (),
        commands: str | Sequence[str] = 'torque',
        sees: str | Sequence[str] = (),
    ) -> None:
        self._function = getattr(function, 'py_func', function)
        self._given = {
            name: np.array(value, dtype=float)
            for name, value in (('parameters', parameters), ('memory', memory))
        }
        self.commands = (commands,) if isinstance(commands, str) else tuple(commands)
        self.sees = (sees,) if isinstance(sees, str) else tuple(sees)
        for name in self.commands:
            if name not in ALL:
                raise ValueError(f'the law commands {name!r}; give some of {", ".join(ALL)}')
        arguments = f'({ARGUMENTS}{", float64[::1]" if self.sees else ""})'
        try:
            compiled, returned = compiled_of(function, arguments)
            self._returns = _count_returned(returned)
            if {*self.commands} <= {*VECTORS}:
                self._check_count(3 * len(self.commands))
        except ValueError as error:
            raise ValueError(
                f'the law does not compile: {error}; or give law={_name(function)}, a function of '
                'LawReadings in Python'
            ) from None
        self.function = _law_of(compiled, self._returns, bool(self.sees))

    def _check_count(self, wanted: int) -> None:
        """Raise ValueError where a tuple has another size than wanted."""
        if self._returns not in (None, wanted):
            raise ValueError(f'it returns {self._returns} numbers; return {self._words(wanted)}')

    def _words(self, wanted: int) -> str:
        if self.commands == ('torque',):
            return 'three numbers'
        return f'{wanted} numbers, of {", ".join(self.commands)}'

    def fitted(
        self,
        inverse: Array,
        ticks: Ticks,
        kinds: Sequence[Kind] = (),
        holding: Holding | None = None,
        shown: int = 0,
    ) -> FittedLaw:
        """Return the FittedLaw of the bodies of a batch; inverse: J^-1 (N, 9) of each.

        kinds: the actuators;  holding: limits of a torque and a force
        shown: numbers that the readings take
        Raises ValueError for parameters or memory of another number of bodies, and for commands
        of actuators that the bodies do not have.
        """
        count = len(inverse)
        given = [_rows_for(count, name, value) for name, value in self._given.items()]
        outputs, rods, numbers = self._outputs(count, kinds, holding or FOR_EVER)
        head = np.broadcast_to(
            (float(shown), float(numbers), float(len(outputs)), float(len(rods))), (count, 4)
        )
        tick_ns = np.full((count, 1), float(ticks.tick_ns))
        return FittedLaw(
            self,
            np.hstack((tick_ns, inverse, head, *outputs, *rods, given[0])),
            np.hstack((np.zeros((count, OWN + shown)), given[1])),
            FIRST + sum(row.shape[1] for row in (*outputs, *rods)), numbers, shown,
        )  # fmt: skip

    def _outputs(
        self, count: int, kinds: Sequence[Kind], holding: Holding
    ) -> tuple[list[Array], list[Array], int]:
        """Return rows (N, any) of OUTPUT and of ROD, and how many numbers the law returns."""
        modes = {
            mode.part: (kind, at, mode) for kind in kinds for at, mode in enumerate(kind.modes)
        }
        outputs: list[Array] = []
        rods: list[Array] = []
        number, words = 0, set[str]()
        most = np.broadcast_to(np.asarray(holding.most, dtype=float), (count, 6))
        for name in self.commands:
            if name in WRENCHES:
                first = 3 * WRENCHES.index(name)
                for at in range(first, first + 3):
                    row = number, at, -most[:, at], most[:, at], 1.0, -1.0, 0.0
                    outputs.append(_column(count, row))
                    number += 1
                continue
            if name not in modes:
                has = ', '.join((*WRENCHES, *modes))
                raise ValueError(f'the law commands {name}; the bodies of the batch take {has}')
            kind, way, mode = modes[name]
            if kind.word in words:
                raise ValueError(
                    f'the law commands its {kind.word}s twice, by {" and ".join(self.commands)}; '
                    'give one command for each kind'
                )
            words.add(kind.word)
            if mode.refused:
                raise ValueError(f'the law commands {name}; {next(iter(mode.refused.values()))}')
            if kind.sharing is not None:
                rods = [_rod(count, number, kind, mode, k) for k in range(len(kind.names))]
                number += 3
                continue
            for k in range(len(kind.names)):
                outputs.append(_output(count, number, kind, way, mode, k))
                number += 1
        self._check_count(number)
        return outputs, rods, number

    def shown(self, readings: LawReadings) -> Array:
        """Return (N, any) the readings that it sees; ValueError where there are none."""
        try:
            return np.hstack([readings.shown(name) for name in self.sees])
        except KeyError as error:
            raise ValueError(f'the law sees {", ".join(self.sees)}: {error.args[0]}') from None

    def fault(self, given: Sequence[Any], numbers: int) -> str:
        """Return what is wrong where the function fails; given: its arguments."""
        try:  # the same in Python says why
            answer = self._function(*given)
        except Exception as error:  # whatever a function of the user raises  # noqa: BLE001
            return f'raises {type(error).__name__}: {error}'
        return (
            f'returns {answer}; give {self._words(numbers).replace("numbers", "finite numbers")}'
        )


class FittedLaw(NamedTuple):
    """A CompiledLaw and its arrays for the bodies of one batch.

    constants, memory: (N, any) of a Law, the memory at the start
    first: index of the first parameter of the user in the constants
    numbers: how many the law returns;  shown: how many the readings take
    """

    law: CompiledLaw
    constants: Array
    memory: Array
    first: int
    numbers: int
    shown: int

    def check(self, constants: Array, memory: Array, ticks: Ticks) -> None:
        """Raise ValueError where the law failed in a body; constants, memory: (N, any)."""
        failed = np.flatnonzero(memory[:, FAILED])
        if not len(failed):
            return
        first = failed[np.argmin(memory[failed, FAILED])]
        row = memory[first]
        time = ticks.seconds(int(row[FAILED]) - 1)
        attitude, rate, shown, own = np.split(row[ATTITUDE:].copy(), (4, 7, 7 + self.shown))
        seen = (shown,) if self.law.sees else ()
        given = time, attitude, rate, own, constants[first, self.first :], *seen
        fault = self.law.fault(given, self.numbers)
        raise ValueError(f'at {time:g} s the law of body {first} {fault}')

    def memory_of(self, memory: Array) -> Array:
        """Return the part of memory (N, any) that is the user's."""
        return memory[:, OWN + self.shown :]

    def show(self, memory: Array, readings: LawReadings) -> None:
        """Write LawReadings to the memory (N, any), where the law sees them."""
        rows = self.law.shown(readings)
        memory[: len(rows), OWN : OWN + self.shown] = rows


def _column(count: int, values: Sequence[Any]) -> Array:
    """Return (N, k) of k values, each a number or (N,)."""
    return np.column_stack([np.broadcast_to(np.asarray(value, float), count) for value in values])


def _output(count: int, number: int, kind: Kind, way: int, mode: Mode, k: int) -> Array:
    """Return rows (N, OUTPUT.size) of a number for actuator k, in the mode with this index."""
    place, beside, other = COMMANDS + kind.place(k), -1, 0.0
    if kind.paired:
        beside, other = (place, 0.0) if way else (place + 1, math.nan)
        place += way
    limits = mode.lows[:, k], mode.highs[:, k], mode.unit[:, k]
    return _column(count, (number, place, *limits, beside, other))


def _rod(count: int, number: int, kind: Kind, mode: Mode, k: int) -> Array:
    """Return rows (N, ROD.size) of magnetorquer k; number: the first of the dipole."""
    assert kind.sharing is not None
    place, limits = COMMANDS + kind.place(k), (mode.lows[:, k], mode.highs[:, k])
    return _column(count, (number, place, *limits, *kind.sharing[:, k].T))


def _count_returned(kind: Any) -> int | None:
    """Return how many numbers a law returns by numba's type; None of an array, which may be any.

    Raises ValueError for what is no tuple of numbers and no array.
    """
    from numba import types

    if isinstance(kind, types.Array) and kind.ndim == 1:
        return None
    if isinstance(kind, types.BaseTuple):
        each: Any = kind
        if all(isinstance(types.unliteral(number), types.Number) for number in each):
            return len(each)
    raise ValueError(f'it returns {kind}; return three numbers, or one flat array')


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, '__name__', 'it')


def _rows_for(count: int, name: str, value: Array) -> Array:
    if value.ndim == 1 or value.ndim == 2 and len(value) == count:
        return np.broadcast_to(value, (count, value.shape[-1]))
    raise ValueError(
        f'{name} of the law: of shape {value.shape}; give (any,) for all bodies, or ({count}, any)'
    )


@helper
def write_commands(numbers: Any, constants: Array, wrench: Array) -> None:
    """Write the numbers of a law where they act, within limits."""
    k = FIRST
    for _ in range(int(constants[OUTPUTS])):
        value = min(max(numbers[int(constants[k])], constants[k + LOW]), constants[k + HIGH])
        wrench[int(constants[k + PLACE])] = value / constants[k + UNIT]
        if constants[k + BESIDE] >= 0.0:
            wrench[int(constants[k + BESIDE])] = constants[k + OTHER]
        k += OUTPUT_SIZE
    for _ in range(int(constants[RODS])):
        at, s = int(constants[k]), k + SHARING
        value = (
            constants[s] * numbers[at] + constants[s + 1] * numbers[at + 1]
            + constants[s + 2] * numbers[at + 2]
        )  # fmt: skip
        value = min(max(value, constants[k + LOW]), constants[k + HIGH])
        wrench[int(constants[k + PLACE])] = value
        k += ROD_SIZE


@helper
def parameters_begin(constants: Array) -> int:
    """Return where the parameters of the user begin."""
    rows = OUTPUT_SIZE * int(constants[OUTPUTS]) + ROD_SIZE * int(constants[RODS])
    return FIRST + rows


@helper
def show_motion(tick: int, flat_state: Array, constants: Array, memory: Array) -> None:
    """Write attitude and rate to the memory, and the tick: it has failed until it answers."""
    q_WB = four_at(flat_state, 3)
    if len(flat_state) > SEEN_SIZE:
        omega = three_at(flat_state, SEEN_SIZE)
    else:
        L_B = kinematics.seen_from(q_WB, three_at(flat_state, 10))
        omega = kinematics.rate(L_B, nine_at(constants, INVERSE), three_at(flat_state, SIZE))
    put(memory, ATTITUDE, q_WB)
    put(memory, RATE, omega)
    memory[FAILED] = tick + 1.0


@helper
def obey_numbers(numbers: Any, constants: Array, memory: Array, wrench: Array) -> None:
    """Write the numbers of a law where they act, and that it has not failed, if all are finite."""
    if len(numbers) != int(constants[NUMBERS]):
        return
    for k in range(len(numbers)):
        if not math.isfinite(numbers[k]):
            return
    write_commands(numbers, constants, wrench)
    memory[FAILED] = 0.0


def _floats_of(count: int) -> Any:
    """Return a function, for numba, that makes floats of a tuple of this size."""
    each = ', '.join(f'float(t[{k}])' for k in range(count))
    names: dict[str, Any] = {}
    exec(f'def floats(t):\n    return ({each},)', names)  # noqa: S102 (of numbers of ours alone)
    return names['floats']


def _law_of(compiled: Any, returned: int | None, sees: bool) -> Kernel:
    """Return the law_function that calls a compiled function of the user.

    returned: the size of the tuple that it returns, None for an array;  sees: whether it is shown
    readings
    """
    from numba import njit

    floats = njit(_floats_of(returned)) if returned else njit(lambda numbers: numbers)
    answer_of = compiled if sees else njit(lambda t, q, w, m, p, seen: compiled(t, q, w, m, p))

    def law(
        tick: int, flat_state: Array, body: Array, constants: Array, memory: Array, wrench: Array
    ) -> None:
        if memory[FAILED] != 0.0:
            return
        show_motion(tick, flat_state, constants, memory)
        begin = OWN + int(constants[SHOWN])
        answer = answer_of(
            seconds_of(tick, int(constants[TICK_NS])), memory[ATTITUDE:RATE], memory[RATE:OWN],
            memory[begin:], constants[parameters_begin(constants) :], memory[OWN:begin],
        )  # fmt: skip
        obey_numbers(floats(answer), constants, memory, wrench)

    return Kernel(law, LAW, kept=False)
