# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many spacecraft whose actuators have states of their own, one after the other, on all cores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WEIGHT, WRENCH
from spacecraft_attitude_sim.core.batch.loop import (
    COMMANDS,
    RUN,
    SEEN_AROUND,
    SEEN_SIZE,
    SEEN_STATES,
)
from spacecraft_attitude_sim.core.body.kinematics import seen_from
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.around import draw_sky
from spacecraft_attitude_sim.core.environment.circular_orbit import radial_at
from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.orbit_table import MAGNETIC_FIELD_W, around_at
from spacecraft_attitude_sim.core.environment.sky import FIELD, PARAMETER, surrounded, whole_at
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.equations.multibody.kernels import kernels_named, stored_beside
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, norm, three_at
from spacecraft_attitude_sim.core.parts.craft import END, LOADS
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import borrowed, part, unlocked_as

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.simulation import Plant

END_SIZE = END.size
# The functions for all kinds: one loop serves every spacecraft.
advance_tick, motion_of = kernels_named('all').tick, kernels_named('all').motion
# Types of Rows.arguments.
ROWS = ', '.join(['float64[:, ::1]'] * 6)
# Time that the tables of orbits about the Earth cover at once [s].
STRETCH = 3600.0


class Rows(NamedTuple):
    """Arrays of N such spacecraft that Batch needs beside their bodies.

    internal: (N, n) present states of the actuators;  parts: (N, m) of core.parts.craft
    commands: (N, c), constant, or as a law wrote them last;  skies: (N, 50) of
        core.environment.sky
    tables: (M, t) flat ones of core.environment.orbit_table;  which: (N, 1), index of each body's
        table, or -1
    around: their M Surroundings
    """

    internal: Array
    parts: Array
    commands: Array
    skies: Array
    tables: Array
    which: Array
    around: tuple[Surroundings, ...] = ()

    @property
    def arguments(self) -> tuple:
        """The arguments of `run_actuated` after those of core.batch.loop.run."""
        return tuple(self)[:6]

    def reaching(self, begin: float, end: float) -> Rows:
        """Return the Rows with tables that cover times from begin to end [s].

        Raises ValueError where an orbit is not known.
        """
        if not self.around:
            return self
        return self._replace(tables=np.array([one.kept(begin, end) for one in self.around]))

    def copy(self) -> Rows:
        """Return a copy with states of its own."""
        return self._replace(internal=self.internal.copy(), commands=self.commands.copy())


def rows_of(plants: Sequence[Plant], states: Sequence[State], given: Sequence[Inputs]) -> Rows:
    """Return the Rows of spacecraft with the same numbers of actuators.

    plants: N with core.simulation.solver.Actuated;  given: constant commands of each
    Raises ValueError where their numbers differ.
    """
    for plant in plants:
        plant.solver.check_loads(plant.environment)
    solvers: list[Any] = [plant.solver for plant in plants]
    internal = [state.internal for state in states]
    parts = [solver.parts for solver in solvers]
    for rows in (internal, parts):
        if len(set(map(len, rows))) > 1:
            raise ValueError('spacecraft of a batch have the same numbers of actuators')
    commands = [
        plant.spacecraft.commands(inputs) for plant, inputs in zip(plants, given, strict=True)
    ]
    skies = [solver.sky for solver in solvers]
    around = [plant.environment.surroundings for plant in plants]
    each = {id(one): one for one in around if one}
    numbers = {key: float(number) for number, key in enumerate(each)}
    which = np.array([[numbers.get(id(one), -1.0)] for one in around])
    return Rows(
        np.array(internal), np.array(parts), np.array(commands), np.array(skies), np.zeros((1, 1)),
        which, tuple(each.values()),
    ).reaching(0.0, max(plant.ticks.step for plant in plants))  # fmt: skip


@part
def motion(
    state: Array, body: Array, weight: Floats, internal: Array, parts: Array, sky: Array,
    time: float,
) -> tuple[Floats, float, float, Floats]:  # fmt: skip
    """Return L_B, rate and energy, as run_summary.motion, and ω."""
    found = motion_of(state, internal, parts)
    omega = three_at(found, 0)
    energy = (
        found[3]
        + found[4]
        + run_summary.mechanical_energy(state, body, weight, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    )
    here, whole = surrounded(sky, time), whole_at(sky, body[8])
    if sky[PARAMETER] != 0.0:
        energy = loads.potential(energy, parts, LOADS, whole, state, 1.0, here)
    else:  # with the gravity gradient of a circular orbit, the energy is Jacobi's integral
        energy += loaded.orbital_energy(state, sky, radial_at(sky, time))
        energy = loads.other_potential(energy, parts, LOADS, whole, state, 1.0, here)
    L_B = seen_from(four_at(state, 3), three_at(state, 10))
    return L_B, norm(omega), energy, omega


@part
def is_followed(state: Array, body: Array, rate: float, most: float) -> bool:
    """Return whether Actuated.advance would raise nothing; rate: of the body, most: largest."""
    size = norm((state[10], state[11], state[12]))
    bound = most + size / min(body[9], body[10], body[11])
    return rate < most and limits.is_tame(state, body, bound)


@unlocked_as(f'void({RUN}, {ROWS})')
def run_actuated(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, law: Any, constants: Array, memory: Array, internal: Array,
    parts: Array, commands: Array, skies: Array, tables: Array, which: Array,
) -> None:  # fmt: skip
    """Advance spacecraft one by one as core.batch.loop.run does blocks; span: counts spacecraft.

    A spacecraft whose motion cannot be computed is nan from there on.
    """
    first, last, tick, ticks = span
    watched, lawful = len(records) > 0, len(constants) > 0
    step = seconds_of(1, tick_ns)
    most = (substeps if substeps > 0 else MOST_STEPS) * math.pi / step
    for n in range(first, last):
        b, i = n // LANES, n % LANES
        # References kept here, because `tick` borrows these arrays.
        kept = blocks[b, STATE : STATE + SIZE, i].copy(), internal[n].copy(), skies[n].copy()
        others = (
            blocks[b, BODY : BODY + 12, i].copy(), blocks[b, WRENCH : WRENCH + 12, i].copy(),
            commands[n].copy(),
        )  # fmt: skip
        spare = (
            np.zeros(SEEN_STATES + internal.shape[1]), np.zeros(END_SIZE), np.zeros(12),
            np.zeros(COMMANDS + commands.shape[1]),
        )  # fmt: skip
        state, h, sky = borrowed(kept[0]), borrowed(kept[1]), borrowed(kept[2])
        body, wrench = borrowed(others[0]), borrowed(others[1])
        seen, end, total = borrowed(spare[0]), borrowed(spare[1]), borrowed(spare[2])
        row, asked, written = borrowed(parts[n]), borrowed(others[2]), borrowed(spare[3])
        round_earth = which[n, 0] >= 0.0
        table = borrowed(tables[int(which[n, 0]) if round_earth else 0])
        weight = (blocks[b, WEIGHT, i], blocks[b, WEIGHT + 1, i], blocks[b, WEIGHT + 2, i])
        if round_earth:
            draw_sky(table, sky, seconds_of(tick, tick_ns), step)
        now = motion(state, body, weight, h, row, sky, seconds_of(tick, tick_ns))
        if watched and ticks == 0:
            run_summary.begin_record(records[b], 0, i, state, now[:3], settled_rate)
        for k in range(tick, tick + ticks):
            if math.isnan(state[3]):
                break
            if lawful:
                seen[:SIZE] = state
                # L_B - J ω, J of the carrier, as for a gyrostat.
                stored = stored_beside(now[0], now[3], row)
                seen[SIZE], seen[SIZE + 1], seen[SIZE + 2] = stored
                omega = now[3]
                seen[SEEN_SIZE], seen[SEEN_SIZE + 1], seen[SEEN_SIZE + 2] = omega
                if round_earth:
                    around_at(table, seconds_of(k, tick_ns), seen[SEEN_AROUND:SEEN_STATES])
                else:  # a uniform field
                    for j in range(3):
                        seen[SEEN_AROUND + MAGNETIC_FIELD_W + j] = sky[FIELD + j]
                seen[SEEN_STATES:] = h
                written[:COMMANDS], written[COMMANDS:] = wrench, asked
                law(k, seen, body, constants[n], memory[n], written)
                wrench[:], asked[:] = written[:COMMANDS], written[COMMANDS:]
            total[:] = wrench
            for j in range(3):
                total[6 + j] += weight[j]
            if round_earth:
                draw_sky(table, sky, seconds_of(k, tick_ns), step)
            advance_tick(
                state, h, row, asked, total, sky, seconds_of(k, tick_ns), step, substeps, end
            )
            now = motion(state, body, weight, h, row, sky, seconds_of(k + 1, tick_ns))
            if not is_followed(state, body, now[1], most):
                state[:] = math.nan
                h[:] = math.nan
                break
            if watched:
                run_summary.follow(
                    records[b], 0, i, k + 1, state, now[:3], wrench, settled_rate
                )  # fmt: skip
        blocks[b, STATE : STATE + SIZE, i] = kept[0]
        blocks[b, WRENCH : WRENCH + 12, i] = others[1]
        internal[n], commands[n] = kept[1], others[2]
