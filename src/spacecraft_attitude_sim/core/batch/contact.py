# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies on floors of their own, one after the other, for core.batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WEIGHT, WRENCH
from spacecraft_attitude_sim.core.batch.loop import RUN, SEEN_SIZE
from spacecraft_attitude_sim.core.contact.floor_functions import FLOOR
from spacecraft_attitude_sim.core.contact.model import FlatContact
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.initial_contact import NEAR_FRACTION, begin
from spacecraft_attitude_sim.core.contact.solver.layout import FINE, GAP, LOST, REACH, STATUS
from spacecraft_attitude_sim.core.contact.surface_functions import IMPLICIT
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import Kernel, unlocked_as
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Instant, Plant

# Types of Touching.arguments.
TOUCHING = f'float64[:, ::1], float64[:, ::1], Addresses({IMPLICIT!r}), Addresses({FLOOR!r})'


class Touching(NamedTuple):
    """The contacts of N bodies on floors of their own.

    contacts: (N, 30) present flat contacts
    flat: constants, FlatContact with a row for each body
    """

    contacts: Array
    flat: FlatContact

    @property
    def arguments(self) -> tuple:
        """The arguments of the compiled loops below from `contacts` on."""
        return (self.contacts, *self.flat)


def touching(plants: Sequence[Plant], instants: Sequence[Instant]) -> Touching:
    """Return the Touching of bodies.

    plants: N, each with a contact;  instants: of each, by put_instant
    Raises ValueError unless all have the same kinds of surface and floor.
    """
    models = [plant.contact for plant in plants if plant.contact]
    kinds = {(model.surface.implicit(), *model.floor.functions()) for model in models}
    if len(kinds) > 1:
        raise ValueError('bodies have surfaces or floors of several kinds; give a batch to each')
    flats = [model.flat(plant.body) for model, plant in zip(models, plants, strict=True)]
    constants = np.array([flat.constants for flat in flats])
    contacts = np.array([instant.contact for instant in instants])
    return Touching(contacts, flats[0]._replace(constants=constants))


@unlocked_as(f'void({RUN}, {TOUCHING})')
def run_touching(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, laws: Sequence[Kernel], constants: Array, memory: Array, contacts: Array,
    contact_constants: Array, surface: Any, floor: Any,
) -> None:  # fmt: skip
    """Advance bodies one by one as core.batch.loop.run does blocks; span: counts bodies.

    A body whose contact or motion cannot be computed stays where it is: STATUS says why.
    """
    first, last, tick, ticks = span
    watched, lawful = len(records) > 0, len(constants) > 0
    step = seconds_of(1, tick_ns)
    rate = (substeps if substeps > 0 else MOST_STEPS) * math.pi / step
    seen = np.zeros(SEEN_SIZE)
    constants, memory, law = borrowed(constants), borrowed(memory), laws[0]
    for n in range(first, last):
        b, i = n // LANES, n % LANES
        state = blocks[b, STATE : STATE + 13, i].copy()
        body = blocks[b, BODY : BODY + 12, i].copy()
        wrench = blocks[b, WRENCH : WRENCH + 12, i].copy()
        weight = blocks[b, WEIGHT : WEIGHT + 3, i].copy()
        contact = contacts[n].copy()
        if watched and ticks == 0:
            now = run_summary.motion(state, body, weight)
            run_summary.begin_record(records[b], 0, i, state, now, settled_rate)
        for k in range(tick, tick + ticks):
            if contact[STATUS] != FINE:
                break
            if lawful:
                seen[:13] = state
                law(k, seen, body, constants[n], memory[n], wrench)
            total = wrench.copy()
            total[6:9] += weight
            moved, after = advance(
                state, contact, seconds_of(k, tick_ns), total, contact_constants[n], surface,
                floor, step, substeps,
            )  # fmt: skip
            if not (limits.is_followed(moved, body, rate) and math.isfinite(np.sum(after))):
                contact[STATUS] = LOST
                break
            state, contact = moved, after
            if watched:
                now = run_summary.motion(state, body, weight)
                run_summary.follow(records[b], 0, i, k + 1, state, now, wrench, settled_rate)
        blocks[b, STATE : STATE + 13, i] = state
        blocks[b, WRENCH : WRENCH + 12, i] = wrench
        contacts[n] = contact


@unlocked_as(f'void(float64[:, :, ::1], int64[::1], float64, {TOUCHING})')
def begin_anew(
    blocks: Array, bodies: Array, time: float, contacts: Array, constants: Array, surface: Any,
    floor: Any,
) -> None:  # fmt: skip
    """Start the contacts of the bodies with these numbers (any,) again, as simulation.put_instant.

    time: [s] of the floors' motion
    """
    for n in bodies:
        if contacts[n, STATUS] != FINE:
            continue
        b, i = n // LANES, n % LANES
        weight = np.zeros(12)
        weight[6:9] = blocks[b, WEIGHT : WEIGHT + 3, i]
        placed = n < 0  # never; a literal False would have `begin` compiled once more
        state, contact = begin(
            blocks[b, STATE : STATE + 13, i].copy(), time, weight, constants[n], surface, floor,
            placed,
        )  # fmt: skip
        blocks[b, STATE : STATE + 13, i] = state
        contacts[n] = contact
        if contact[GAP] < -NEAR_FRACTION * constants[n, REACH]:
            contacts[n, STATUS] = LOST
