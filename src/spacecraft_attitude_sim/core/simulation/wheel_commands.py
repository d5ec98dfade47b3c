# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commanded torques of reaction wheels: checked when they come, limited, held, timed out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels
    from spacecraft_attitude_sim.core.equations.shared.limits import CommandLimits
    from spacecraft_attitude_sim.core.mathematics.types import Array


class WheelCommands:
    """Keeps the torque of every motor: one each, the latest command's, whoever sent it.

    wheels: ReactionWheels
    initial: (N,) torques [N m] until a command takes their place, within the motors' limits
    timeout: simulated time a torque is held without a new one [s]; 0 is for ever
    ticks: Ticks of the run
    exclusive: whether a wheel takes the commands of one source only in a tick
    limits: limits.CommandLimits of the spacecraft; None for no limits
    taken, saturated: how many commands were, and of them how many beyond a limit
    """

    def __init__(
        self,
        wheels: ReactionWheels,
        initial: Array,
        timeout: float,
        exclusive: bool = False,
        limits: CommandLimits | None = None,
        ticks: Ticks = DEFAULT,
    ) -> None:
        self._places = {name: place for place, name in enumerate(wheels.names)}
        self._limits = wheels.torque_limits.tolist()
        self._initial = initial.tolist()
        self._exclusive = exclusive
        self.limits = limits
        self._timeout_ticks = ticks.covering(timeout) or math.inf
        self.taken = 0
        self.saturated = 0
        self.clear()

    def clear(self) -> None:
        """Forget the commands: the initial torques act again."""
        self._torques = list(self._initial)
        self._left = [math.inf] * len(self._torques)  # ticks
        self._sources: list[Hashable] = [None] * len(self._torques)  # of the torques held
        self.begin_tick()

    def begin_tick(self) -> None:
        """Let any source command any wheel again."""
        self._commanded: dict[str, Hashable] = {}  # wheel -> source, in this tick

    def forget(self, source: Hashable) -> None:
        """Leave to others in this tick what a source that is gone has commanded."""
        self._commanded = {name: who for name, who in self._commanded.items() if who != source}

    @property
    def held(self) -> list[float]:
        """Torques of the motors now [N m]."""
        return list(self._torques)

    def command(
        self,
        names: Sequence[str],
        efforts: Sequence[float],
        velocities: Sequence[float] = (),
        positions: Sequence[float] = (),
        source: Hashable = '',
    ) -> None:
        """Hold torques from the next tick on; wheels that are not named keep theirs.

        names: of wheels, each at most once;  efforts: as many torques on the rotors [N m]
        velocities, positions: none: a wheel takes a torque only
        Raises CommandRefusedError; then nothing has changed.
        """
        for what, values in (('velocity', velocities), ('position', positions)):
            if len(values):
                raise CommandRefusedError(
                    f'{what} is given; a wheel takes a torque: give effort [N m] and no {what}'
                )
        if not names:
            raise CommandRefusedError(f'name is empty; name wheels of {list(self._places)}')
        if len(names) != len(efforts):
            raise CommandRefusedError(
                f'name has {len(names)} values and effort {len(efforts)}; give as many'
            )
        asked = dict(zip(names, map(float, efforts), strict=True))
        if len(asked) < len(names):
            raise CommandRefusedError('a wheel is named twice; give each one torque')
        for name, torque in asked.items():
            if name not in self._places:
                raise CommandRefusedError(
                    f"there is no wheel '{cut(name)}'; there are {', '.join(self._places)}"
                )
            if not math.isfinite(torque):
                raise CommandRefusedError(f"effort of '{name}' is {torque}; it is not finite")
            if self._exclusive and self._commanded.get(name, source) != source:
                raise CommandRefusedError(
                    f"another node commands wheel '{name}' in this tick; in lockstep each wheel "
                    'takes one node: leave it to one of them'
                )
        held = {}
        for name, torque in asked.items():
            limit = self._limits[self._places[name]]
            held[name] = max(-limit, min(limit, torque))
        self._judge(held, source)
        for name, torque in held.items():
            place = self._places[name]
            self._torques[place], self._left[place] = torque, self._timeout_ticks
            self._sources[place] = self._commanded[name] = source
        self.taken += 1
        self.saturated += held != asked

    def _judge(self, held: Mapping[str, float], source: Hashable) -> None:
        """Refuse what a source would hold with {wheel: torque} if it does too much."""
        if self.limits is None:
            return
        others = (
            self._torques[place]
            for name, place in self._places.items()
            if name not in held and self._sources[place] == source
        )
        try:
            self.limits.check_motors(*held.values(), *others)
        except ValueError as error:
            raise CommandRefusedError(str(error)) from None

    def take(self) -> Array:
        """Return the torques (N,) of the tick that begins [N m], and count it."""
        torques = np.array(self._torques)
        for place, left in enumerate(self._left):
            self._left[place] = left - 1
            if left <= 1:
                self._torques[place], self._left[place] = 0.0, math.inf
        return torques

    @property
    def kept(self) -> tuple[list[float], list[float]]:
        """Torques and the ticks left to them, for `put_back` after a `take`."""
        return list(self._torques), list(self._left)

    def put_back(self, kept: tuple[list[float], list[float]]) -> None:
        """Be as before a `take`: its tick did not come."""
        self._torques, self._left = kept
