# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which faults of a spacecraft act in a tick: by their timetable, a condition, or by force."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.environment.surroundings import LIT
from spacecraft_attitude_sim.core.faults import on_commands
from spacecraft_attitude_sim.core.faults.fault import NEVER, NOT, NOW
from spacecraft_attitude_sim.core.simulation.tick import NO_INPUTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.faults.fault import Fault
    from spacecraft_attitude_sim.core.simulation.instant import Instant
    from spacecraft_attitude_sim.core.simulation.plant import Plant

# {quantity that a condition may name: its unit}; wheel.<name>.speed and fault.<name> beside them.
UNITS = {'time': 's', 'rate': 'rad/s', 'momentum': 'N m s', 'wheel_speed': 'rad/s', 'sunlight': ''}


class Change(NamedTuple):
    """A fault that begins or ends at an instant; why: in words."""

    fault: Fault
    begins: bool
    time: float
    why: str

    def text(self) -> str:
        """Return it in words."""
        when = f'{"begins" if self.begins else "ends"} at {self.time:g} s'
        return f'fault {self.fault.name} {when}: {self.fault.text()}; {self.why}'


class FaultSchedule:
    """Decides tick by tick which faults act, and lets them act on the commands.

    A fault acts from the first tick that begins when it is due. The reading at the end of this
    tick is the first that it changes.

    forced: {name: PLANNED, NOW or NOT}, which you may change at any time
    changes: of the latest tick
    """

    def __init__(self, plant: Plant) -> None:
        self._plant, self._faults = plant, plant.spacecraft.faults
        self.forced = {fault.name: fault.forced for fault in self._faults}
        self.changes: Sequence[Change] = ()
        conditions = [fault.when for fault in self._faults if fault.when]
        self._names = {name for when in conditions for name in when.names}
        self._elapsed = -1
        self.begin()

    def __bool__(self) -> bool:
        return bool(self._faults)

    def begin(self) -> None:
        """Forget the run so far: no fault acts, no condition has held."""
        count = len(self._faults)
        self._ages = np.zeros(count)
        self._last: list[Inputs] = [NO_INPUTS] * count
        # For each: the tick since which its condition holds, and at which it has begun by it.
        self._since, self._triggered = [NEVER] * count, [NEVER] * count

    def state(self) -> list[tuple[Fault, float]]:
        """Return each Fault, and how long it has acted [s]; 0 for one that does not act."""
        pairs = zip(self._faults, self._ages.tolist(), strict=True)
        return [(fault, self._plant.ticks.seconds(int(age))) for fault, age in pairs]

    def acting(self) -> list[str]:
        """Return the faults that act in the latest tick, in words."""
        return [
            f'{fault.name} ({fault.text()}) for {seconds:g} s'
            for fault, seconds in self.state()
            if seconds
        ]

    def over(self, instant: Instant, inputs: Inputs) -> Inputs:
        """Return the Inputs of the tick that begins at an Instant, with the faults that act."""
        if not self._faults:
            return inputs
        before = self._ages
        if instant.elapsed <= self._elapsed:  # a reset
            self.begin()
        self._elapsed = instant.elapsed
        values = self._values(instant)
        changes, ages, acting = [], np.zeros(len(self._faults)), []
        for number, fault in enumerate(self._faults):
            why = self._why(number, fault, instant, values)
            acted = self._ages[number]
            if why and not acted:
                self._last[number] = instant.inputs
            if bool(why) != bool(before[number]):
                after = why or self._why_over(fault)
                changes.append(Change(fault, bool(why), instant.elapsed_time, after))
            if why:
                ages[number] = acted + 1.0
                acting.append(number)
        self._ages, self.changes = ages, changes
        for number in acting:
            if self._faults[number].group:
                inputs = on_commands.over(
                    inputs, self._faults[number], self._plant.spacecraft.groups, self._last[number]
                )
        return inputs._replace(faults=ages)

    def _why(
        self, number: int, fault: Fault, instant: Instant, values: Mapping[str, float]
    ) -> str:
        """Return why a fault acts in the tick that begins at an Instant, or ''."""
        if (forced := self.forced[fault.name]) in (NOW, NOT):
            return 'by force' if forced == NOW else ''
        elapsed = instant.elapsed
        if fault.begins != NEVER and _lasts(fault, fault.begins, elapsed):
            return 'its time has come'
        if fault.when is None:
            return ''
        if self._triggered[number] == NEVER:
            if not fault.when.holds(values):
                self._since[number] = NEVER
                return ''
            if self._since[number] == NEVER:
                self._since[number] = elapsed
            held = self._plant.ticks.seconds(elapsed - self._since[number])
            if held < fault.when.seconds:
                return ''
            self._triggered[number] = elapsed
        return fault.when.text if _lasts(fault, self._triggered[number], elapsed) else ''

    def _why_over(self, fault: Fault) -> str:
        """Return why a fault does not act any more."""
        return 'by force' if self.forced[fault.name] == NOT else 'its time is over'

    def _values(self, instant: Instant) -> dict[str, float]:
        """Return {quantity: value} of those that the conditions name."""
        craft, state = self._plant.spacecraft, instant.state
        values: dict[str, float] = {}
        for name in self._names:
            if name.startswith('fault.'):
                place = [fault.name for fault in self._faults].index(name.removeprefix('fault.'))
                values[name] = float(self._ages[place] > 0.0)
            elif name.startswith('wheel.'):
                own = craft.part('reaction_wheels').names.index(name.split('.')[1])
                values[name] = float(craft.wheel_speeds(state)[own])
            elif name == 'time':
                values[name] = instant.elapsed_time
            elif name == 'rate':
                values[name] = math.hypot(*craft.angular_velocity_B(state))
            elif name == 'momentum':
                values[name] = math.hypot(*state.angular_momentum_W)
            elif name == 'wheel_speed':
                values[name] = float(np.max(np.abs(craft.wheel_speeds(state))))
            else:
                around = self._plant.environment.surroundings
                assert around and name == 'sunlight', name
                values[name] = float(around.at(instant.elapsed_time)[LIT])
        return values


def _lasts(fault: Fault, began: int, elapsed: int) -> bool:
    """Return whether a fault that began at a tick acts in another one."""
    return began <= elapsed and (not fault.lasts or elapsed < began + fault.lasts)


def quantities_of(faults: Sequence[str], wheels: Sequence[str], orbiting: bool) -> list[str]:
    """Return the names that conditions may use.

    faults, wheels: their names;  orbiting: whether it is known where the Sun is
    """
    own = [name for name in UNITS if wheels or name != 'wheel_speed']
    own = [name for name in own if orbiting or name != 'sunlight']
    return [
        *own, *(f'wheel.{name}.speed' for name in wheels),
        *(f'fault.{name}' for name in faults),
    ]  # fmt: skip
