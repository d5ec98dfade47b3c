# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of a law in Python to the N spacecraft of a batch: held, limited, over after a time.

They act as those of core.simulation.commands and joint_commands do on one spacecraft.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, MODES, Inputs
from spacecraft_attitude_sim.core.batch.python_law import Acting, commands_in
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.simulation import joint_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.python_law import LawReadings, PythonLaw
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

WRENCHES, STRIKES = ('force', 'torque'), ('impulse', 'angular_impulse')
VECTORS = (*WRENCHES, *STRIKES)
NAMES = (*VECTORS, *MODES, 'frame')
# Where the wrench of a frame begins in a flat one.
FRAMES = {'body': 0, 'world': 6}


class Holding(NamedTuple):
    """How long a command is held, and its limits.

    ticks: (N,) that a command is held without a new one, inf for ever
    most: (N, 6) largest force and torque of a command, each axis of its frame [N, N m]
    """

    ticks: Array | float = math.inf
    most: Array | float = math.inf


FOR_EVER = Holding()


class Mode(NamedTuple):
    """One quantity by which the actuators of a kind are commanded, in all bodies.

    lows, highs, unit: (N, n) limits of the command, and what it is divided by
    refused: {index of an actuator: why it takes no such command}, of any body
    """

    part: str
    lows: Array
    highs: Array
    unit: Array
    refused: Mapping[int, str]


class Kind(NamedTuple):
    """The actuators of a kind: the same number in each body.

    word: for one of them;  names: of those of the first body
    first: where their commands begin in a row
    paired: whether each has two numbers there: of the first mode, and of the second or nan
    sharing: (N, n, 3) of magnetorquers, which share a dipole; None of others
    """

    word: str
    names: tuple[str, ...]
    modes: tuple[Mode, ...]
    first: int
    paired: bool
    sharing: Array | None

    def place(self, k: int) -> int:
        """Return where the command of actuator k is in a row."""
        return self.first + (2 * k if self.paired else k)


def kinds_of(crafts: Sequence[Spacecraft]) -> tuple[Kind, ...]:
    """Return the Kinds of actuators that can be commanded, in the order of Inputs.

    A kind of which bodies have other numbers is left out.
    """
    counts = {
        kind: {len(craft.groups[kind].names) if kind in craft.groups else 0 for craft in crafts}
        for kind in COMMANDED
    }
    alike = [kind for kind, numbers in counts.items() if len(numbers) == 1 and 0 not in numbers]
    return tuple(_kind(crafts, kind) for kind in alike)


def _kind(crafts: Sequence[Spacecraft], kind: str) -> Kind:
    first, parts = crafts[0], crafts[0].groups[kind]
    modes, place = _modes(crafts, kind), 0
    if first.coupled:
        ones = Inputs(**{modes[0].part: np.ones(len(parts.names))})
        before, after = (first.commands(inputs) for inputs in (Inputs(), ones))
        place = int(np.flatnonzero(np.nan_to_num(after) != np.nan_to_num(before))[0])
    sharing = None
    if kind == 'magnetorquers':
        rods: list[Any] = [craft.groups[kind] for craft in crafts]
        sharing = np.array([own.sharing for own in rods])
    paired = first.coupled and len(modes) > 1
    return Kind(COMMANDED[kind].word, tuple(parts.names), modes, place, paired, sharing)


def _modes(crafts: Sequence[Spacecraft], kind: str) -> tuple[Mode, ...]:
    """Return the Modes of a kind of actuator."""
    each = []
    for craft in crafts:
        make, parts = joint_commands.offered(craft)[COMMANDED[kind].word]
        each.append(make(parts, Inputs(), 0.0).kind.ways)
    modes = []
    for number, declared in enumerate(COMMANDED[kind].modes):
        ways = [of_craft[number] for of_craft in each]
        highs, names = np.array([way.highs for way in ways]), crafts[0].groups[kind].names
        refused = {
            names.index(name): f'{name} {why}'
            for way in ways for name, why in way.refused.items() if name in names
        }  # fmt: skip
        unit = highs if kind == 'thrusters' else np.ones_like(highs)
        modes.append(
            Mode(declared.part, np.array([way.lows for way in ways]), highs, unit, refused)
        )
    return tuple(modes)


class HeldCommands:
    """A law in Python, and what it has commanded: a core.batch.python_law.Commander.

    law: a function of LawReadings;  count: number of bodies
    kinds: of kinds_of;  initial: (N, any) commands of actuators before the first of the law
    """

    def __init__(
        self,
        law: PythonLaw,
        count: int,
        kinds: Sequence[Kind],
        initial: Array,
        holding: Holding = FOR_EVER,
    ) -> None:
        self._law, self._kinds = law, kinds
        self._modes = {
            mode.part: (kind, number, mode)
            for kind in kinds
            for number, mode in enumerate(kind.modes)
        }
        self._holds = np.broadcast_to(np.asarray(holding.ticks, dtype=float), count)
        self._ends = bool(np.isfinite(self._holds).any())
        self._most = np.broadcast_to(np.asarray(holding.most, dtype=float), (count, 6))
        # In body and in world axes: what is held, and the ticks left to it.
        self._wrenches, self._left = np.zeros((count, 12)), np.full((count, 2), math.inf)
        self._commands = np.array(initial, dtype=float)
        self._ticks = np.full(self._commands.shape, math.inf)

    def reset(self) -> None:
        """Call the law's own `reset`, if it has one."""
        if callable(reset := getattr(self._law, 'reset', None)):
            reset()

    def begin(self, wrenches: Array) -> None:
        """Hold wrenches (N, 12) for ever."""
        self._wrenches, self._left = wrenches.copy(), np.full(self._left.shape, math.inf)

    def acting(self, readings: LawReadings, lost: NDArray[np.bool_]) -> Acting:
        """Return what acts in the tick that begins; see Commander."""
        given = commands_in(self._law(readings))
        context = f'at {readings.time:g} s the law'
        for name in given:
            if name not in NAMES:
                raise ValueError(f'the law commands {name!r}; a batch obeys {", ".join(NAMES)}')
        frame = given.pop('frame', 'body')
        if frame not in FRAMES:
            raise ValueError(f"the law's frame is {frame!r}; give 'body' or 'world'")
        rows = {
            name: _rows(f'{context} returns {name}', given[name], lost, 3)
            for name in (*VECTORS, 'dipole')
            if name in given
        }
        asked: list[tuple[Kind, int, int, Array]] = []
        for name in MODES:
            if name in given:
                asked += self._asked(name, given[name], rows, lost, context)
        # Nothing has changed so far, and nothing fails from here on.
        if self._ends:
            self._count()
        self._hold_wrench(rows, frame)
        for kind, way, which, values in asked:
            self._command(kind, way, which, values)
        impulses = impulses_of(rows, frame, readings.truth.attitude, lost)
        return Acting(self._wrenches, impulses, self._commands)

    def _hold_wrench(self, rows: Mapping[str, Array], frame: str) -> None:
        """Hold a force and a torque, zeros where there is none of the two."""
        if not rows.keys() & {*WRENCHES}:
            return
        for k, name in enumerate(WRENCHES):
            at, most = FRAMES[frame] + 3 * k, self._most[:, 3 * k : 3 * k + 3]
            self._wrenches[:, at : at + 3] = (
                np.clip(rows[name], -most, most) if name in rows else 0.0
            )
        self._left[:, FRAMES[frame] // 6] = self._holds

    def _asked(
        self,
        name: str,
        value: Any,
        rows: Mapping[str, Array],
        lost: NDArray[np.bool_],
        context: str,
    ) -> list[tuple[Kind, int, int, Array]]:
        """Return (kind, index of the mode, of the actuator, values (N,)) of a command."""
        if name not in self._modes:
            has = ', '.join(self._modes) or 'no actuators to command'
            raise ValueError(f'{context} returns {name}; the spacecraft of the batch have {has}')
        kind, way, mode = self._modes[name]
        names = kind.names
        if kind.sharing is not None:
            x, y, z = rows[name].T[:, :, np.newaxis]
            own = kind.sharing
            # Added in this order, which has the bits of Magnetorquers.shared.
            values = own[:, :, 0] * x + own[:, :, 1] * y + own[:, :, 2] * z
        elif isinstance(value, Mapping):
            names, values = tuple(value), _stacked(f'{context} returns {name}', value, kind, lost)
        else:
            values = _rows(f'{context} returns {name}', value, lost, len(names))
        places = [kind.names.index(own_name) for own_name in names]
        for which in places:
            if which in mode.refused:
                raise ValueError(f'{context} returns {name}; {mode.refused[which]}')
        return [(kind, way, which, values[:, k]) for k, which in enumerate(places)]

    def _command(self, kind: Kind, way: int, which: int, values: Array) -> None:
        """Hold the command (N,) of an actuator, within its limits."""
        mode, at = kind.modes[way], kind.place(which)
        lows, highs, unit = mode.lows[:, which], mode.highs[:, which], mode.unit[:, which]
        limited = np.minimum(np.maximum(values, lows), highs) / unit
        self._commands[:, at] = 0.0 if way else limited
        if kind.paired:
            self._commands[:, at + 1] = limited if way else math.nan
        self._ticks[:, at] = self._holds

    def _count(self) -> None:
        """Count the tick that has ended, and end what is held no longer."""
        self._left -= 1.0
        over = self._left <= 0.0
        if over.any():
            self._wrenches[over[:, 0], :6] = 0.0
            self._wrenches[over[:, 1], 6:] = 0.0
            self._left[over] = math.inf
        self._ticks -= 1.0
        over = self._ticks <= 0.0
        if not over.any():
            return
        self._commands[over], self._ticks[over] = 0.0, math.inf
        for kind in self._kinds:
            for at in map(kind.place, range(len(kind.names) if kind.paired else 0)):
                self._commands[over[:, at], at + 1] = math.nan


def impulses_of(
    rows: Mapping[str, Array], frame: str, attitudes: Array, lost: NDArray[np.bool_]
) -> Array:
    """Return the impulses (N, 6) of rows in a frame."""
    impulses = np.zeros((len(lost), 6))
    for at, name in enumerate(STRIKES):
        if name in rows:
            turned: Any = rows[name].T
            if frame == 'body':
                turned = quaternion_sandwich(*attitudes.T, *turned)
            impulses[:, 3 * at : 3 * at + 3] = np.where(lost, 0.0, turned).T
    return impulses


def _rows(context: str, value: Any, lost: NDArray[np.bool_], width: int) -> Array:
    """Return (N, width) of what a law returned, zeros of lost bodies; context: for messages."""
    rows = np.asarray(value, dtype=float)
    shape = (len(lost), width)
    if rows.shape not in ((width,), shape):
        raise ValueError(
            f'{context} of shape {rows.shape}; give {shape}, or ({width},) for all bodies'
        )
    rows = np.where(lost[:, np.newaxis], 0.0, rows)
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        first = wrong[0]
        raise ValueError(f'{context} {rows[first].tolist()} for body {first}; give finite numbers')
    return rows


def _stacked(context: str, value: Mapping[str, Any], kind: Kind, lost: NDArray[np.bool_]) -> Array:
    """Return (N, k) of {name: (N,) or a number} for actuators of a kind."""
    for name in value:
        if name not in kind.names:
            raise ValueError(f'{context}[{name!r}]; the {kind.word}s are {", ".join(kind.names)}')
    each = [np.broadcast_to(np.asarray(row, dtype=float), len(lost)) for row in value.values()]
    return _rows(context, np.column_stack(each), lost, len(each))
