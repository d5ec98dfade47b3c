# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which parameters each result of a scenario depends on: TABLE.

A new scenario makes all results, a changed one those that depend on a changed parameter. What
makes a result can read only the parameters in its row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from spacecraft_attitude_sim.configuration import (
    body_parameters,
    earth_parameters,
    internal_parts,
    loads,
    parts,
    sensors,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

Made = TypeVar('Made')
# A parameter of the node contact has this prefix here.
CONTACT = 'contact.'


class Needs(NamedTuple):
    """What a result depends on: prefixes of parameters, and other results.

    The result 'center_of_mass' is that of the body; it has no row, see Results.moved.
    """

    parameters: tuple[str, ...]
    results: tuple[str, ...] = ()


TABLE = {
    # body.mass, body.inertia and body.center_of_mass of a body with a density.
    'filled': Needs(('body.density', 'body.inertia_about', 'contact.surface.')),
    'parts': Needs(('body.parts', 'parts.')),
    # The internal parts, as far as they are part of the body.
    'carried': Needs((*internal_parts.LISTS, *internal_parts.PREFIXES)),
    'body': Needs(('body.', 'bearing.'), ('parts', 'carried')),
    'frames': Needs(('application',), ('center_of_mass',)),
    'lockstep': Needs(
        (
            'lockstep_topics', 'lockstep_frames', 'frames.body', 'frames.world',
            *parts.COMMANDED.values(),
        ),
        ('frames',),
    ),
    'sensors': Needs(sensors.PREFIXES, ('center_of_mass',)),
    'surface': Needs(('contact.surface.',), ('center_of_mass',)),
    'contact': Needs((CONTACT,), ('surface',)),
    # These five are made with the plant, so they need not say that the body is in them.
    'faults': Needs(('faults', 'fault.')),
    'aboard': Needs((*parts.PREFIXES, *parts.READS, 'equations')),
    'orbit': Needs(('orbit.',)),
    'surroundings': Needs((*earth_parameters.NAMES, 'duration', 'tick_rate')),
    'surfaces': Needs(('surfaces', 'surface.', 'orbit.model')),
    'plant': Needs(
        (
            'accuracy', 'equations', 'gravity', 'gravity_gradient', 'magnetic_field', 'seed',
            'substeps', 'tick_rate', *loads.PREFIXES,
        ),
        ('body', 'sensors', 'contact', 'aboard', 'faults', 'orbit', 'surroundings', 'surfaces'),
    ),
    'initial': Needs(('initial.', 'wheels', 'wheel.'), ('plant',)),
}  # fmt: skip


class Listed(Mapping[str, Any]):
    """The parameters in a result's row of TABLE; reading another is an error of the program."""

    def __init__(self, values: Mapping[str, Any], result: str, head: str = ''):
        self._values, self._result, self._head = values, result, head
        self._prefixes = tuple(
            prefix.removeprefix(head)
            for prefix in TABLE[result].parameters
            if prefix.startswith(head)
        )

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter."""
        if name.startswith(self._prefixes):
            return self._values[name]
        raise AssertionError(
            f"'{self._result}' reads {self._head}{name}; add it to its row of "
            'scenario_dependencies.TABLE'
        )

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._values if name.startswith(self._prefixes))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Results:
    """Makes the results, or keeps those of a Scenario that depend on no changed parameter.

    values, contact: {name: value} of every parameter of the nodes simulator and contact
    base: Scenario that has changed, or None;  names: of its changed parameters
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        contact: Mapping[str, Any] | None,
        base: Scenario | None = None,
        names: Collection[str] = (),
    ):
        self.values, self.contact = values, contact
        self._base, self._names = base, names
        self._stale: dict[str, bool] = {}
        if base is not None and not body_parameters.of_hub(values):
            self._stale['carried'] = False  # the mass properties given have them in

    def stale(self, result: str) -> bool:
        """Return whether a result depends on something that has changed."""
        if self._base is None:
            return True
        if result not in self._stale:
            prefixes, results = TABLE[result]
            self._stale[result] = any(name.startswith(prefixes) for name in self._names) or any(
                map(self.stale, results)
            )
        return self._stale[result]

    def of(self, result: str) -> Listed:
        """Return the parameters of the simulator that a result depends on."""
        return Listed(self.values, result)

    def of_contact(self, result: str) -> Listed:
        """Return the parameters of the node contact that a result depends on."""
        return Listed(self.contact or {}, result, CONTACT)

    def get(self, result: str, make: Callable[[], Made], kept: Callable[[Scenario], Made]) -> Made:
        """Return a result, made or kept; kept: returns that of a Scenario."""
        if self._base is not None and not self.stale(result):
            return kept(self._base)
        return make()

    def moved(self, center_of_mass: Vector3) -> None:
        """Note the centre of mass (3,) of the body, which may be where it was."""
        if self._base is not None:
            before = self._base.plant.body.center_of_mass
            self._stale['center_of_mass'] = not np.array_equal(center_of_mass, before)
