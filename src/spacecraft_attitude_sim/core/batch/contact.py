# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies on floors of their own, one after the other: what core.batch runs for them."""

import math
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WEIGHT, WRENCH
from spacecraft_attitude_sim.core.batch.loop import RUN
from spacecraft_attitude_sim.core.contact.floor_functions import FLOOR
from spacecraft_attitude_sim.core.contact.model import FlatContact
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.initial_contact import NEAR_FRACTION, begin
from spacecraft_attitude_sim.core.contact.solver.scene import FINE, GAP, LOST, REACH, STATUS
from spacecraft_attitude_sim.core.contact.surface_functions import IMPLICIT, SUPPORT
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.kernels.kernel import unlocked_as

# Types of the arguments of `run_touching` after those of `run`.
_TOUCHING = (
    f'{"float64[:, ::1], " * 2}ListType(FunctionType({IMPLICIT})), '
    f'ListType(FunctionType({SUPPORT})), float64[:, ::1], float64[:, :, ::1], '
    f'ListType(FunctionType({FLOOR})){", float64[:, ::1]" * 2}'
)


class Touching(NamedTuple):
    """The contacts of N bodies, of which `contacts` (N, 30) is where they are now.

    flat: what does not change, FlatContact with arrays that have a row for each body
    """

    contacts: np.ndarray
    flat: FlatContact

    @property
    def arguments(self):
        """The arguments `contacts` to `settings` of the compiled loops below."""
        return (self.contacts, *self.flat)


def touching(plants, instants):
    """Return the Touching of bodies.

    plants: N simulation.Plant with a contact;  instants: Instant of each, by put_instant
    Raises ValueError unless all have the same kinds of surface and floor.
    """
    kinds = {(*one.contact.surface.functions(), *one.contact.floor.functions()) for one in plants}
    if len(kinds) > 1:
        raise ValueError('bodies have surfaces or floors of several kinds; give a batch to each')
    found = [plant.contact.flat(plant.body) for plant in plants]
    first = found[0]
    rows = {
        name: np.array([getattr(one, name) for one in found])
        for name in first._fields
        if isinstance(getattr(first, name), np.ndarray)
    }
    contacts = np.array([instant.contact for instant in instants])
    return Touching(contacts, first._replace(**rows))


@unlocked_as(f'void({RUN}, {_TOUCHING})')
def run_touching(blocks, records, first, last, tick, ticks, duration, substeps, watched,
                 settled_rate, lawful, law, constants, memory, contacts, placement, surface,
                 support, surface_parameters, samples, floor, floor_parameters,
                 settings):  # fmt: skip
    """Advance bodies first to last as core.batch.loop.run does blocks.

    A body whose contact or motion cannot be followed stays where it is: STATUS says why.
    """
    rate = (substeps if substeps > 0 else MOST_STEPS) * math.pi / duration
    for n in range(first, last):
        b, i = n // LANES, n % LANES
        state = blocks[b, STATE : STATE + 13, i].copy()
        body = blocks[b, BODY : BODY + 12, i].copy()
        wrench = blocks[b, WRENCH : WRENCH + 12, i].copy()
        weight = blocks[b, WEIGHT : WEIGHT + 3, i].copy()
        contact = contacts[n].copy()
        if watched and ticks == 0:
            run_summary.begin_record(records[b], 0, i, state, body, weight, settled_rate)
        for k in range(tick, tick + ticks):
            if contact[STATUS] != FINE:
                break
            if lawful:
                law(k, state, body, constants[n], memory[n], wrench)
            total = wrench.copy()
            total[6:9] += weight
            moved, after = advance(
                state, contact, k * duration, body, total, placement[n], surface, support,
                surface_parameters[n], samples[n], floor, floor_parameters[n], settings[n],
                duration, substeps,
            )  # fmt: skip
            if not (limits.is_followed(moved, body, rate) and math.isfinite(np.sum(after))):
                contact[STATUS] = LOST
                break
            state, contact = moved, after
            if watched:
                run_summary.follow(
                    records[b], 0, i, k + 1, state, body, weight, wrench, settled_rate
                )
        blocks[b, STATE : STATE + 13, i] = state
        blocks[b, WRENCH : WRENCH + 12, i] = wrench
        contacts[n] = contact


@unlocked_as(f'void(float64[:, :, ::1], boolean[::1], int64, int64, float64, {_TOUCHING})')
def begin_anew(blocks, chosen, first, last, time, contacts, placement, surface, support,
               surface_parameters, samples, floor, floor_parameters, settings):  # fmt: skip
    """Begin the contacts of the chosen ones of bodies first to last, as simulation.put_instant.

    time: [s] of the floors' motion
    """
    for n in range(first, last):
        if not chosen[n] or contacts[n, STATUS] != FINE:
            continue
        b, i = n // LANES, n % LANES
        weight = np.zeros(12)
        weight[6:9] = blocks[b, WEIGHT : WEIGHT + 3, i]
        state, contact = begin(
            blocks[b, STATE : STATE + 13, i].copy(), time, blocks[b, BODY : BODY + 12, i].copy(),
            weight, placement[n], surface, support, surface_parameters[n], samples[n], floor,
            floor_parameters[n], settings[n], False,
        )  # fmt: skip
        blocks[b, STATE : STATE + 13, i] = state
        contacts[n] = contact
        if contact[GAP] < -NEAR_FRACTION * settings[n, REACH]:
            contacts[n, STATUS] = LOST
