# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of parts that a spacecraft may have, in the order in which the step calls them.

Add the name of a new kind, which is that of its package, at the end, and to INSIDE if it moves
inside. The order of all flat arrays, and that of every sum, is this one. The Kind itself is
imported when it is needed.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads.registry import TABLE_SIZE
from spacecraft_attitude_sim.core.parts.craft import (
    BOOK,
    CRAFT,
    PLACE_SIZE,
    PLACES,
    WORK,
    Place,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.kind import Kind

NAMES = (
    'reaction_wheels',
    'control_moment_gyros',
    'thrusters',
    'magnetorquers',
    'coordinates',
    'pendulums',
    'viscous_slugs',
    'hysteresis_rods',
    'eddy_currents',
)
# Those that move inside: they move the centre of mass, or motion drives them.
INSIDE = ('coordinates', 'pendulums', 'viscous_slugs', 'hysteresis_rods')
SLOTS = {name: slot for slot, name in enumerate(NAMES)}
WHEELS, GIMBALS, THRUSTERS, MAGNETORQUERS = (
    SLOTS[name]
    for name in ('reaction_wheels', 'control_moment_gyros', 'thrusters', 'magnetorquers')
)


@functools.cache
def kind_of(name: str) -> Kind:
    """Return the Kind with one of NAMES."""
    kind: Kind = import_module(f'{__package__}.{name}.kernel').KIND
    return kind


def places_of(counts: Mapping[str, int], queued: int) -> dict[str, Place]:
    """Return the Place of each kind by name; 'end' is that after the last one.

    counts: number of parts of each kind aboard;  queued: length of a wheel's queue of commands
    """
    place = Place(0, PLACES + PLACE_SIZE * len(NAMES), WORK.size, SIZE, 0, 0)
    places = {}
    for name in NAMES:
        n = counts.get(name, 0)
        place = places[name] = place._replace(number=n)
        if not n:
            continue
        kind = kind_of(name)
        states = kind.state.size + (queued if kind.queues else 0)
        whole = -(-n // 4) * 4 if kind.fours else n
        place = Place(
            0, place.row + n * kind.row.size, place.work + whole * kind.work,
            place.value + whole * kind.values, place.state + n * states,
            place.command + n * kind.commands,
        )  # fmt: skip
    return places | {'end': place}


def constants_of(
    craft: Mapping[str, Any], places: Mapping[str, Place], rows: Mapping[str, Array]
) -> Array:
    """Return the flat constants of a spacecraft: see core.parts.craft.

    Its table of loads is empty: loads.registry.with_loads fills it.

    craft: of CRAFT, without sizes, whose other fields are 0 where missing
    places: of `places_of`;  rows: (n, any) constants of each kind aboard
    """
    end = places['end']
    fields: dict[str, Any] = {
        **dict.fromkeys(CRAFT.widths, 0.0), **craft, 'values': end.value + BOOK.size,
        'work': end.work, 'states': end.state + BOOK.size,
    }  # fmt: skip
    head = np.concatenate((CRAFT.packed(**fields), np.zeros(TABLE_SIZE)))
    table = [places[name] for name in NAMES]
    own = [np.asarray(rows[name]).ravel() for name in NAMES if name in rows]
    return np.concatenate((head, np.array(table, dtype=float).ravel(), *own))
