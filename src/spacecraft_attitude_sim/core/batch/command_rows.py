# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of many bodies in many ticks as flat rows: limited as those of one body are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spacecraft_attitude_sim.core.actuators.inputs import MODES
from spacecraft_attitude_sim.core.batch.commands import FRAMES, WRENCHES, Holding, Kind, Mode
from spacecraft_attitude_sim.core.batch.loop import COMMANDS, law_function
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatState

NAMES = (*WRENCHES, *MODES)


class CommandRows:
    """Makes rows (N, T, 12 + c): the wrench of each body in each tick, and its commands.

    kinds: of core.batch.commands.kinds_of;  first: (N, c) commands of what is not commanded
    holding: with the limits of a torque and a force
    """

    def __init__(self, kinds: Sequence[Kind], first: Array, holding: Holding) -> None:
        self._first, count = first, len(first)
        self._most = np.broadcast_to(np.asarray(holding.most, dtype=float), (count, 6))
        self.modes: dict[str, tuple[Kind, int, Mode]] = {
            mode.part: (kind, number, mode)
            for kind in kinds
            for number, mode in enumerate(kind.modes)
        }

    def width(self, name: str) -> int:
        """Return how many numbers a command has for each body.

        Raises ValueError for one that the bodies do not take.
        """
        if name in WRENCHES:
            return 3
        if name not in self.modes:
            has = ', '.join((*WRENCHES, *self.modes))
            raise ValueError(f'{name} is no command of these bodies; they take {has}')
        kind, _, mode = self.modes[name]
        if mode.refused:
            raise ValueError(f'{name}: {next(iter(mode.refused.values()))}')
        return 3 if kind.sharing is not None else len(kind.names)

    def limits(self, name: str) -> tuple[Array, Array]:
        """Return the least and the largest numbers (N, k) of a command, in its unit.

        Those of a dipole are along one axis alone: no magnetorquer is then beyond its own.
        """
        width = self.width(name)
        if name in WRENCHES:
            at = 3 * WRENCHES.index(name)
            return -self._most[:, at : at + 3], self._most[:, at : at + 3]
        kind, _, mode = self.modes[name]
        if kind.sharing is None:
            return mode.lows, mode.highs
        shares = np.abs(kind.sharing)
        with np.errstate(divide='ignore'):
            most = np.min(mode.highs[:, :, np.newaxis] / shares, axis=1)
        assert most.shape[1] == width
        return -most, most

    def rows(
        self, given: Mapping[str, Array], ticks: int, frame: str = 'body', began: int = 0
    ) -> Array:
        """Return rows (N, T, 12 + c) of commands.

        given: {name: (N, T, any)}, zeros or first commands for what is left out
        frame: of torque and force, 'body' or 'world';  began: tick of the first, for messages
        Raises ValueError for numbers that are not finite, and for two commands of one kind.
        """
        rows = np.zeros((len(self._first), ticks, COMMANDS + self._first.shape[1]))
        rows[:, :, COMMANDS:] = self._first[:, np.newaxis]
        words = set()
        for name, values in given.items():
            check_finite(name, values, began)
            if name in WRENCHES:
                at = 3 * WRENCHES.index(name)
                most = self._most[:, np.newaxis, at : at + 3]
                at += FRAMES[frame]
                rows[:, :, at : at + 3] = np.clip(values, -most, most)
                continue
            kind = self.modes[name][0]
            if kind.word in words:
                raise ValueError(f'{name} commands a {kind.word} that another command commands')
            words.add(kind.word)
            self._command(name, values, rows[:, :, COMMANDS:])
        return rows

    def _command(self, name: str, values: Array, commands: Array) -> None:
        """Write the commands of all actuators of a kind, within their limits."""
        kind, way, mode = self.modes[name]
        if kind.sharing is not None:
            x, y, z = values.transpose(2, 0, 1)[:, :, :, np.newaxis]
            own = kind.sharing[:, np.newaxis]
            # Added in this order, which has the bits of Magnetorquers.shared.
            values = own[..., 0] * x + own[..., 1] * y + own[..., 2] * z
        lows, highs, unit = (rows[:, np.newaxis] for rows in (mode.lows, mode.highs, mode.unit))
        limited = np.minimum(np.maximum(values, lows), highs) / unit
        places = np.array([kind.place(k) for k in range(len(kind.names))])
        commands[:, :, places] = 0.0 if way else limited
        if kind.paired:
            commands[:, :, places + 1] = limited if way else np.nan


def check_finite(name: str, values: Array, began: int = 0) -> None:
    """Raise ValueError naming the first number of (N, T, any) that is not finite."""
    if np.isfinite(values).all():
        return
    body, tick, which = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
    raise ValueError(
        f'{name}[{body}, {began + tick}, {which}] is {values[body, tick, which]}; give finite '
        'numbers'
    )


@law_function
def scheduled(
    tick: int, flat_state: FlatState, body: Array, constants: Array, memory: Array, wrench: Array
) -> None:
    """Write what was given for a tick: a row of `rows`, all of them in `constants`.

    memory: the tick of the first row
    """
    begin = (tick - int(memory[0])) * len(wrench)
    for k in range(len(wrench)):
        wrench[k] = constants[begin + k]
