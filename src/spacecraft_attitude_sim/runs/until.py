# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""End a run when a condition on its quantities holds: `attitude-sim run --until`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import condition
from spacecraft_attitude_sim.core.control.response import attitude_error
from spacecraft_attitude_sim.recording import history, topics

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.condition import Condition
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion
    from spacecraft_attitude_sim.core.simulation import Instant, Plant
    from spacecraft_attitude_sim.runs.run import Craft
    from spacecraft_attitude_sim.runs.run_observer import RunObserver

    # (namespace, '' for every spacecraft; text) of each condition
    Given = Sequence[tuple[str, str]]

# {quantity that is not a table column: its unit}
UNITS = {
    'time': 's', 'error': 'deg', 'rate': 'rad/s', 'momentum': 'N m s', 'wheel_speed': 'rad/s',
}  # fmt: skip


def units_of(plant: Plant) -> dict[str, str]:
    """Return {quantity: unit} of a spacecraft: some of its own, and each column of its table."""
    units = dict(UNITS)
    if not plant.spacecraft.part('reaction_wheels'):
        del units['wheel_speed']
    for column in _columns(plant)[1:]:
        name, _, unit = column.partition(' [')
        units[name] = unit.removesuffix(']')
    return units


def _columns(plant: Plant) -> tuple[str, ...]:
    return history.columns(plant.contact is not None, plant)


class Watch:
    """Checks the condition of one spacecraft at every instant.

    condition: Condition;  name: of the spacecraft;  held: whether it has held for its time
    tick: the latest that it has looked at
    """

    def __init__(self, wanted: Condition, plant: Plant, observer: RunObserver, name: str) -> None:
        self.condition, self.name, self.held, self.tick = wanted, name, False, -1
        self._plant, self._observer = plant, observer
        self._units = units_of(plant)
        names = [column.partition(' [')[0] for column in _columns(plant)]
        self._places = {name: names.index(name) for name in wanted.names if name not in UNITS}
        observer.keep_row |= bool(self._places)
        self._since: float | None = None
        self._values: dict[str, float] = {}

    def __call__(self, instant: Instant) -> None:
        """Look at an Instant, after the observer has."""
        time, self.tick = instant.elapsed_time, instant.tick
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
        if not self._values:  # in lockstep, where no reference ever came
            return 'never judged'
        said = [
            f'{name} unknown'
            if math.isnan(value)
            else f'{name} {value:.6g} {self._units[name]}'.rstrip()
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


class Judge:
    """Lets the Watches of one spacecraft look at each Instant when its `error` is known.

    Under a controller that is not ours, `error` is that to its control/reference. In lockstep an
    instant is looked at when its own reference has come; else by the latest that has.

    until: called with an Instant that was looked at late
    """

    def __init__(self, craft: Craft, watches: Sequence[Watch], until: Until) -> None:
        self._simulator, self._observer = craft.simulator, craft.observer
        self._watches, self._until = watches, until
        self._untold = any('error' in one.condition.names for one in watches)
        self._q_WR: Quaternion | None = None
        self._late = False
        if self._untold and not self._observer.has_reference:
            self._late = self._simulator.value('lockstep')
            self._simulator.commands.follow_reference(self._take)

    def __call__(self, instant: Instant) -> None:
        """Look at an Instant, after the observer has, unless its reference is to come."""
        if self._late and not self._simulator.commands.answered:
            return
        self._look(instant)
        if self._untold and math.isnan(self._observer.error) and (why := self._why()):
            self._simulator.get_logger().warning(f'--until: error has no value yet: {why}')
        self._untold = False

    def _take(self, q_WR: Quaternion) -> None:
        self._q_WR = q_WR
        if self._late:
            self._look(self._simulator.instant)
            self._until(self._simulator.instant)

    def _look(self, instant: Instant) -> None:
        if self._q_WR is not None:
            self._observer.error = math.hypot(*attitude_error(self._q_WR, instant.state.q_WB))
        for watch in self._watches:
            watch(instant)

    def _why(self) -> str:
        """Say why there is no reference, or nothing where one is to come."""
        if self._observer.has_reference:
            return 'attitude_controller is in a mode that points nowhere'
        there = self._simulator.count_publishers(topics.REFERENCE)
        return '' if there else f'no node publishes {topics.REFERENCE}'


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
        """Look, after all spacecraft have been looked at."""
        held = all(watch.held and watch.tick == instant.tick for watch in self._watches)
        if held and not self.met:
            self._met_at = instant.elapsed_time
            self._run.complete()

    def text(self) -> str:
        """Return as text when and why the run ended, or that the conditions did not hold."""
        said = []
        several = len({watch.name for watch in self._watches}) > 1
        for watch in self._watches:
            whose = f'{watch.name}: ' if several else ''
            said.append(f'{whose}{watch.condition.text} ({watch.text()})')
        when = 'NOT MET'
        if self._met_at is not None:
            when = f'held at {self._met_at:g} s' if self._met_at else 'held at the start'
        return f'{when}: {"; ".join(said)}'


def watch(crafts: Sequence[Craft], given: Given) -> Until | None:
    """Make the run end when conditions hold; return the Until, or None without conditions.

    Raises ConditionError.
    """
    watches: list[Watch] = []
    until = Until(watches, crafts[0].simulator.run)
    for craft in crafts:
        plant = craft.simulator.plant
        own = [
            Watch(condition.parse(text, units_of(plant)), plant, craft.observer, craft.name)
            for namespace, text in given
            if namespace in ('', craft.name)
        ]
        if own:
            watches += own
            craft.simulator.observers.append(Judge(craft, own, until))
    if not watches:
        return None
    crafts[-1].simulator.observers.append(until)  # the last to be looked at
    return until
