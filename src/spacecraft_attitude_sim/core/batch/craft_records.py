# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: their records, and which of them are lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.craft_borne import energy_of_weight
from spacecraft_attitude_sim.core.batch.craft_extras import lose_extras
from spacecraft_attitude_sim.core.batch.craft_gyros import see_tilted
from spacecraft_attitude_sim.core.batch.craft_inside import (
    energy_inside,
    see_moved,
)
from spacecraft_attitude_sim.core.batch.craft_rows import (
    BOOK_ROW,
    CARRIER,
    CIRCLE_ROW,
    ENERGY,
    GRADIENT,
    INERTIA_ROW,
    MASS_ROW,
    MODE,
    MOMENTUM,
    OMEGA,
    PARAMETER,
    RATE,
    RECORD,
    ROD_DIPOLE,
    TIDES,
    TURNS,
    WHOLE,
    seven,
    six,
)
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    LANES,
    STATE,
    WEIGHT,
    WRENCH,
    thirteen,
    twelve,
)
from spacecraft_attitude_sim.core.batch.loaded_lanes import three
from spacecraft_attitude_sim.core.body.kinematics import seen_from
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads import tide
from spacecraft_attitude_sim.core.environment.loads.gravity_gradient import gradient_potential
from spacecraft_attitude_sim.core.environment.loads.load import PULL, UP, to_body, turn_of
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm, symmetric_times
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_rows import Extras
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats


@helper
def give_up_lanes(w: Array, wheels: Array, rods: Array, extras: Extras, most: float) -> None:
    """Mark as lost (nan) the lanes whose motion core.simulation.limits.check_motion would end.

    most: largest rate [rad/s]
    """
    tame = 0
    for i in range(LANES):
        omega = three(w, OMEGA, i)
        slow = dot(omega, omega) < 0.25 * most * most
        tame += slow & limits.is_tame(thirteen(w, STATE, i), twelve(w, BODY, i), most)
    if tame < LANES:
        give_up(w, wheels, rods, extras, most)


@part
def give_up(w: Array, wheels: Array, rods: Array, extras: Extras, most: float) -> None:
    """Do what give_up_lanes does, lane by lane, as actuated.is_followed."""
    for i in range(LANES):
        state, body = thirteen(w, STATE, i), twelve(w, BODY, i)
        size = norm((state[10], state[11], state[12]))
        bound = most + size / min(body[9], body[10], body[11])
        if norm(three(w, OMEGA, i)) < most and limits.is_tame(state, body, bound):
            continue
        for j in range(SIZE):
            w[STATE + j, i] = math.nan
        for j in range(3):
            w[BOOK_ROW + j, i] = math.nan
        for k in range(len(wheels)):
            for j in range(MOMENTUM, MODE + 1):
                wheels[k, j, i] = math.nan
        for k in range(len(rods)):
            rods[k, ROD_DIPOLE, i] = math.nan
        lose_extras(extras, i)


@helper
def see_energy(w: Array, wheels: Array, here: Array, extras: Extras) -> None:
    """Write RATE and ENERGY of every lane, as actuated.motion; `here` begins at this instant."""
    for i in range(LANES):
        omega = three(w, OMEGA, i)
        w[RATE, i] = norm(omega)
        w[ENERGY, i] = dot(omega, symmetric_times(six(w, CARRIER, i), omega))
    for n in range(len(wheels)):
        for i in range(LANES):
            h = wheels[n, MOMENTUM, i]
            w[ENERGY, i] += h * h / wheels[n, INERTIA_ROW, i]
    see_tilted(w, extras.tilted)
    see_moved(w, extras.within)
    for i in range(LANES):
        state, body, around = thirteen(w, STATE, i), twelve(w, BODY, i), seven(here[0], 0, i)
        still = (0.0, 0.0, 0.0)
        energy = energy_inside(w, i, 0.5 * w[ENERGY, i] + 0.0, extras.within)
        energy += run_summary.mechanical_energy(state, body, three(w, WEIGHT, i), still, still)
        whole = six(w, WHOLE, i)
        of_earth = potential(w, i, energy, state, around)
        orbit = (*seven(w, CIRCLE_ROW, i), *whole)
        of_circle = energy + loaded.orbital_energy(state, orbit, around)
        of_circle = energy_of_weight(i, turn_of(state, 1.0), of_circle, extras.borne)
        w[ENERGY, i] = of_earth if w[PARAMETER, i] != 0.0 else of_circle


@helper
def potential(w: Array, i: int, energy: float, state: Floats, around: Floats) -> float:
    """Return an energy with that of the gravity gradient, as loads.gravity_gradient.potential."""
    up_B = to_body(turn_of(state, 1.0), around, UP)
    turns = gradient_potential(1.0, six(w, WHOLE, i), up_B)
    own = turns if w[TURNS, i] != 0.0 else 0.0
    pulled = own - tide.potential_part(around, w[MASS_ROW, i], state)
    own = pulled if w[TIDES, i] != 0.0 else own
    return energy + 1.5 * around[PULL] * own if w[GRADIENT, i] > 0.0 else energy


@helper
def motion(w: Array, i: int) -> tuple[Floats, float, float]:
    """Return run_summary.motion of lane i, after `see_energy`."""
    L_B = seen_from(
        (w[STATE + 3, i], w[STATE + 4, i], w[STATE + 5, i], w[STATE + 6, i]),
        three(w, STATE + 10, i),
    )
    return L_B, w[RATE, i], w[ENERGY, i]


@part
def begin_records(w: Array, settled_rate: float) -> None:
    """Begin the record of every lane."""
    for i in range(LANES):
        run_summary.begin_record(w, RECORD, i, thirteen(w, STATE, i), motion(w, i), settled_rate)


@helper
def follow_lanes(w: Array, tick: int, settled_rate: float) -> None:
    """Update the record of every lane at a tick, counted from the start."""
    for i in range(LANES):
        run_summary.follow(
            w, RECORD, i, tick, thirteen(w, STATE, i), motion(w, i), twelve(w, WRENCH, i),
            settled_rate,
        )  # fmt: skip
