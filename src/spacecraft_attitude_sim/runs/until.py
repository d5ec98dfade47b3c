# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""End a run when a condition on its quantities holds: `attitude-sim run --until`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.runs import condition

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Instant, Plant
    from spacecraft_attitude_sim.runs.condition import Condition
    from spacecraft_attitude_sim.runs.run import Craft
    from spacecraft_attitude_sim.runs.run_observer import RunObserver

    # (namespace, '' for every spacecraft; text) of each condition
    Given = Sequence[tuple[str, str]]

# {quantity that is not a table column: its unit}
UNITS = {
    'time': 's', 'error': 'deg', 'rate': 'rad/s', 'momentum': 'N m s', 'wheel_speed': 'rad/s',
}  # fmt: skip


def units_of(plant: Plant, has_reference: bool) -> dict[str, str]:
    """Return {quantity: unit} of a spacecraft: the extra quantities and its table columns.

    has_reference: whether our controller runs, so that there is a pointing error
    """
    lacking = {'error': has_reference, 'wheel_speed': bool(plant.spacecraft.wheels)}
    units = {name: unit for name, unit in UNITS.items() if lacking.get(name, True)}
    for column in _columns(plant)[1:]:
        name, _, unit = column.partition(' [')
        units[name] = unit.removesuffix(']')
    return units


def _columns(plant: Plant) -> tuple[str, ...]:
    return history.columns(plant.contact is not None, plant)


class Watch:
    """Checks the condition of one spacecraft at every instant.

    condition: Condition;  name: of the spacecraft;  held: whether it has held long enough
    """

    def __init__(self, wanted: Condition, plant: Plant, observer: RunObserver, name: str) -> None:
        self.condition, self.name, self.held = wanted, name, False
        self._plant, self._observer = plant, observer
        self._units = units_of(plant, observer.has_reference)
        names = [column.partition(' [')[0] for column in _columns(plant)]
        self._places = {name: names.index(name) for name in wanted.names if name not in UNITS}
        observer.keep_row |= bool(self._places)
        self._since: float | None = None
        self._values: dict[str, float] = {}

    def __call__(self, instant: Instant) -> None:
        """Check an Instant, after the observer."""
        time = instant.elapsed_time
        self._values = {name: self._value(name, instant) for name in self.condition.names}
        if not self.condition.holds(self._values):
            self.held, self._since = False, None
            return
        if self._since is None or self._since > time:  # for example after a reset
            self._since = time
        self.held = time - self._since >= self.condition.seconds

    def _value(self, name: str, instant: Instant) -> float:
        """Return the present value of a quantity."""
        if name in self._places:
            return self._observer.row[self._places[name]]
        return _OWN[name](self._plant, instant, self._observer)

    def text(self) -> str:
        """Return the present values of the quantities as text."""
        said = [
            f'{name} {value:.6g} {self._units[name]}'.rstrip()
            for name, value in self._values.items()
        ]
        return ', '.join(said)


_OWN: dict[str, Callable[[Plant, Instant, RunObserver], float]] = {
    'time': lambda plant, instant, observer: instant.elapsed_time,
    'error': lambda plant, instant, observer: math.degrees(observer.error),
    'rate': lambda plant, instant, observer: math.hypot(
        *plant.spacecraft.angular_velocity_B(instant.state)
    ),
    'momentum': lambda plant, instant, observer: math.hypot(*instant.state.angular_momentum_W),
    'wheel_speed': lambda plant, instant, observer: float(
        np.max(np.abs(plant.spacecraft.wheel_speeds(instant.state)))
    ),
}


class Until:
    """Ends a run at the first instant at which all conditions hold."""

    def __init__(self, watches: Sequence[Watch], run: Any) -> None:
        self._watches, self._run = watches, run
        self._met_at: float | None = None

    @property
    def met(self) -> bool:
        """Whether all conditions have held."""
        return self._met_at is not None

    def __call__(self, instant: Instant) -> None:
        """Check, after all spacecraft have been checked."""
        if not self.met and all(watch.held for watch in self._watches):
            self._met_at = instant.elapsed_time
            self._run.complete()

    def text(self) -> str:
        """Return as text when and why the run ended, or that the conditions did not hold."""
        said = []
        for watch in self._watches:
            whose = f'{watch.name}: ' if len(self._watches) > 1 else ''
            said.append(f'{whose}{watch.condition.text} ({watch.text()})')
        when = f'held at {self._met_at:g} s' if self._met_at is not None else 'NOT MET'
        return f'{when}: {"; ".join(said)}'


def watch(crafts: Sequence[Craft], given: Given) -> Until | None:
    """Make the run end when conditions hold; return the Until, or None without conditions.

    Raises ConditionError.
    """
    watches = []
    for namespace, text in given:
        for craft in crafts:
            if namespace not in ('', craft.name):
                continue
            simulator, observer = craft.simulator, craft.observer
            units = units_of(simulator.plant, observer.has_reference)
            wanted = condition.parse(text, units)
            watches.append(Watch(wanted, simulator.plant, observer, craft.name))
            simulator.observers.append(watches[-1])
    if not watches:
        return None
    until = Until(watches, crafts[0].simulator.run)
    crafts[-1].simulator.observers.append(until)  # the last one checked
    return until
