# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A fault of one component: what breaks, how, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Values of `forced`.
# Not on and off, which YAML takes for true and false.
PLANNED, NOW, NOT = 'as planned', 'now', 'never'
FORCED = (PLANNED, NOW, NOT)
NEVER = -1


class When(Protocol):
    """A condition; configuration.condition.Condition is one.

    text: as given;  names: of its quantities;  seconds: how long it must hold [s]
    holds: function of {name: value} that returns whether it holds
    """

    @property
    def text(self) -> str: ...  # noqa: D102

    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def seconds(self) -> float: ...  # noqa: D102

    @property
    def holds(self) -> Callable[[Mapping[str, float]], bool]: ...  # noqa: D102


class Fault(NamedTuple):
    """A fault of one component.

    name: of the fault;  component: as wheel.x;  kind: of core.faults.kinds;  values: how much
    group, place: of an actuator: group of its part and number there;  '' and -1 for a sensor
    sensor: name in Suite.sensors; '' for an actuator
    begins: tick of its timetable [ticks since the start], NEVER without one
    lasts: how long it acts [ticks], 0 to the end of the run
    when: condition that begins it, or None
    forced: PLANNED, NOW or NOT at the start
    """

    name: str
    component: str
    kind: str
    values: tuple[float, ...] = ()
    group: str = ''
    place: int = -1
    sensor: str = ''
    begins: int = NEVER
    lasts: int = 0
    when: When | None = None
    forced: str = PLANNED

    @property
    def word(self) -> str:
        """The component without its name, as wheel."""
        return self.component.partition('.')[0]

    @property
    def value(self) -> float:
        """Its first value."""
        return self.values[0]

    def text(self) -> str:
        """Return what breaks and how, in words."""
        numbers = ', '.join(f'{value:g}' for value in self.values)
        return ' '.join(filter(None, (self.component, self.kind, numbers)))
