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
    from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels
    from spacecraft_attitude_sim.core.mathematics.types import Array


class WheelCommands:
    """Keeps the torque of every motor: one each, the latest command's, whoever sent it.

    wheels: ReactionWheels;  initial: (N,) torques [N m] until a command takes their place
    timeout: simulated time a torque is held without a new one [s]; 0 is for ever
    ticks: Ticks of the run
    taken, saturated: how many commands were, and of them how many beyond a limit
    """

    def __init__(
        self, wheels: ReactionWheels, initial: Array, timeout: float, ticks: Ticks = DEFAULT
    ) -> None:
        self._places = {name: place for place, name in enumerate(wheels.names)}
        self._limits = wheels.torque_limits.tolist()
        self._initial = [
            max(-limit, min(limit, torque))
            for limit, torque in zip(self._limits, initial.tolist(), strict=True)
        ]
        self._timeout_ticks = ticks.covering(timeout) or math.inf
        self.taken = 0
        self.saturated = 0
        self.clear()

    def clear(self) -> None:
        """Forget the commands: the initial torques act again."""
        self._torques = list(self._initial)
        self._left = [math.inf] * len(self._torques)  # ticks

    def command(
        self, names: Sequence[str], efforts: Sequence[float], velocities: Sequence[float]
    ) -> None:
        """Hold torques from the next tick on; wheels that are not named keep theirs.

        names: of wheels, each at most once;  efforts: as many torques on the rotors [N m]
        velocities: none: speeds cannot be commanded
        Raises CommandRefusedError; then nothing has changed.
        """
        if len(velocities):
            raise CommandRefusedError(
                'velocity is given; a wheel takes a torque: give effort [N m] and no velocity'
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
        beyond = False
        for name, torque in asked.items():
            place = self._places[name]
            limit = self._limits[place]
            held = max(-limit, min(limit, torque))
            beyond |= held != torque
            self._torques[place], self._left[place] = held, self._timeout_ticks
        self.taken += 1
        self.saturated += beyond

    def take(self) -> Array:
        """Return the torques (N,) of the tick that begins [N m], and count it."""
        torques = np.array(self._torques)
        for place, left in enumerate(self._left):
            self._left[place] = left - 1
            if left <= 1:
                self._torques[place], self._left[place] = 0.0, math.inf
        return torques
