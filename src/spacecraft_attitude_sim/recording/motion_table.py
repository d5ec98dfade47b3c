# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The last columns of a table: motion of the centre of mass, L in world axes, energy book."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.simulation.energy_book import book_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Instant, Plant
    from spacecraft_attitude_sim.core.simulation.energy_book import Entries

POSITION = ('x [m]', 'y [m]', 'z [m]')
MOTION = (
    'v_x [m/s]', 'v_y [m/s]', 'v_z [m/s]',
    'L_world_x [N m s]', 'L_world_y [N m s]', 'L_world_z [N m s]',
)  # fmt: skip
BOOK = (
    'book_motors [J]', 'book_heat [J]', 'book_loads [J]', 'book_gained [J]', 'book_missing [J]',
)  # fmt: skip


def columns(plant: Plant, on_floor: bool) -> tuple[str, ...]:
    """Return the column names of `row`, with units.

    on_floor: whether the contact columns already have the position
    """
    kept = plant.spacecraft.coupled or (
        plant.spacecraft.part('reaction_wheels') and not plant.contact
    )
    return (*(() if on_floor else POSITION), *MOTION, *(BOOK if kept else ()))


def row(plant: Plant, instant: Instant, entries: Entries | None) -> tuple[float, ...]:
    """Return the numbers of `columns` at an Instant; entries: of the energy book, or None."""
    state = instant.state
    position = () if plant.contact else state.position_W.tolist()
    velocity_W = state.momentum_W / plant.body.mass
    motion = (*position, *velocity_W.tolist(), *state.angular_momentum_W.tolist())
    return motion if entries is None else (*motion, *entries, entries.missing)


def entries_of(plant: Plant, instants: Iterable[tuple[Instant, bool]]) -> Iterator[Entries | None]:
    """Yield the Entries of the energy book at each Instant; None without a book.

    instants: (Instant, whether its state was set instead of computed by a tick)
    """
    book, before = None, None
    for instant, was_set in instants:
        if before is None:
            book = book_of(plant, instant.state)
        elif book and (was_set or instant.tick != before.tick + 1):
            book.begin(instant.state)
        elif book:
            book.follow(before.state, instant)
        before = instant
        yield book.entries(instant.state) if book else None
