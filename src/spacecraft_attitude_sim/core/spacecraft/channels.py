# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The channels of all parts of a spacecraft: read at an instant, and as columns of a table."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.core.spacecraft import internal_telemetry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.core.actuators.actuator import Drive
    from spacecraft_attitude_sim.core.actuators.inputs import Inputs
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.channel import Channel
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.spacecraft.internal_telemetry import Motions
    from spacecraft_attitude_sim.core.spacecraft.spacecraft import Spacecraft

AXES = internal_telemetry.AXES


class Moment:
    """A spacecraft at an instant, as functions of channels see it; it computes nothing twice.

    craft: Spacecraft;  state: State;  inputs, drive: Inputs and Drive of the tick that ended there
    """

    def __init__(self, craft: Spacecraft, state: State, inputs: Inputs, drive: Drive) -> None:
        self.craft, self.state, self.inputs, self.drive = craft, state, inputs, drive
        self._values: dict[tuple[str, str], Any] = {}

    @cached_property
    def omega_B(self) -> Vector3:
        """Angular velocity of the body (3,) [rad/s]."""
        return self.craft.angular_velocity_B(self.state)

    @cached_property
    def motions(self) -> Motions:
        """Motions of the internal parts."""
        return internal_telemetry.motions(self.craft, self.state)

    def states(self, kind: str) -> Array:
        """Return the internal states of a kind of part, by name of Part.pieces."""
        return self.craft.states_of(kind, self.state)

    def value(self, kind: str, name: str) -> Any:
        """Return what a channel of a kind of part is now."""
        if (kind, name) not in self._values:
            parts = self.craft.groups[kind]
            self._values[kind, name] = _function(parts.__class__, name)(parts, self)
        return self._values[kind, name]


def moment_of(craft: Spacecraft, state: State, inputs: Inputs, drive: Drive) -> Moment:
    """Return the Moment of these; the latest of a spacecraft is shared by all who ask."""
    for latest in craft.latest:
        same = latest.state is state and latest.inputs is inputs
        if same and latest.drive is drive:
            return latest
    now = Moment(craft, state, inputs, drive)
    craft.latest[:] = [now]
    return now


@cache
def _function(kind: type[Any], name: str) -> Any:
    """Return the function of a channel; kind: class of the parts that declare it."""
    (of,) = (channel.of for channel in kind.CHANNELS if channel.name == name)
    return of


def columns(craft: Spacecraft) -> tuple[str, ...]:
    """Return the names of the columns of `row`, with units."""
    return tuple(
        f'{part.PREFIX}.{name}.{channel.column.replace("*", axis)} [{channel.unit}]'
        for _, group in _groups(craft)
        for name, part in group.items()
        for channel in _tabled(part)
        for axis in (AXES if '*' in channel.column else ' ')
    )


def row(now: Moment) -> tuple[float, ...]:
    """Return the values of all channels with columns at a Moment, part by part."""
    found: list[float] = []
    for kind, group in _groups(now.craft):
        names = [channel.name for channel in _tabled(next(iter(group.values())))]
        values = [now.value(kind, name).reshape(len(group), -1).tolist() for name in names]
        for of_one in zip(*values, strict=True):
            found += [number for numbers in of_one for number in numbers]
    return tuple(found)


def _groups(craft: Spacecraft) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (kind, {name: what declares its channels}), whose channels have the same names."""
    for kind, parts in craft.groups.items():
        if kind == 'internal':
            yield from ((kind, group) for group in parts.groups)
        else:
            yield kind, dict.fromkeys(parts.names, parts)


def _tabled(part: Any) -> list[Channel]:
    return [channel for channel in part.CHANNELS if channel.column]
