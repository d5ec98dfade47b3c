# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: hysteresis rods and eddy currents, as Kind.magnetize of a craft alone.

The functions of rods are those of a craft alone, which get a lane as a kernels.columns.column.
Only the arc tangents of a row are computed one after the other.

    magnets     irons (n, IRON_SIZE, LANES), shells (m, SHELL_SIZE, LANES): rods and eddy currents;
                None for craft without any, for which all of this is compiled away
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_rows import (
    CHANGES,
    DIPOLE,
    DIPOLE_RATE,
    FIELD,
    FIELD_NOW,
    LEAST_ROW,
    MAGNET,
    OMEGA,
    PARAMETER,
    SIXTH,
    SMOOTH,
    STEP,
    STEPS,
    X,
    add_up,
    all_stages,
    rate_of,
    six,
    three_of,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES, thirteen
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.load import FIELD as FIELD_HERE
from spacecraft_attitude_sim.core.environment.loads.load import (
    FIELD_RATE,
    ZERO,
    to_body,
    turn_of,
)
from spacecraft_attitude_sim.core.environment.sky import quartic_rate
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    body_momentum,
    inverse_square,
)
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    norm,
    scaled,
    symmetric_times,
)
from spacecraft_attitude_sim.core.parts.craft import place_of
from spacecraft_attitude_sim.core.parts.eddy_currents import kernel as currents
from spacecraft_attitude_sim.core.parts.hysteresis_rods.kernel import (
    HYSTERESIS_ROD,
    STEEPNESS,
    VACUUM_PERMEABILITY,
    matching_rate,
    most_dipole,
    rod_dipole,
    rod_steps,
)
from spacecraft_attitude_sim.core.parts.registry import SLOTS
from spacecraft_attitude_sim.kernels.branches import selected
from spacecraft_attitude_sim.kernels.columns import column, from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

Magnets: TypeAlias = 'tuple[Array, Array] | None'
# A rod: its constants; its state; when the tick began, and in a stage; curve: of `curve_of`
# rate, first, middle: of the state, as of craft_rows.CRAFT
IRON = Layout(
    **HYSTERESIS_ROD.widths, matching=1, old=1, x=1, curve=1, rate=1, first=1, middle=1
)  # fmt: skip
MATCHING, OLD_MATCHING, MATCHING_X, CURVE, RATE, FIRST_RATE, MIDDLE_RATE = IRON.places()[
    len(HYSTERESIS_ROD.widths) :
]
IRON_SIZE, SHELL_SIZE = IRON.size, currents.ROW
CONSTANTS, TENSOR, LARGEST = HYSTERESIS_ROD.size, currents.TENSOR, currents.LARGEST
IRONS, SHELLS = SLOTS['hysteresis_rods'], SLOTS['eddy_currents']


@helper
def room_for_magnets(parts: Array) -> tuple[Array, Array]:
    """Return arrays for magnets; parts: constants of a craft."""
    return (
        from_line(np.zeros((place_of(parts, IRONS).number + 1, IRON_SIZE, LANES))),
        from_line(np.zeros((place_of(parts, SHELLS).number + 1, SHELL_SIZE, LANES))),
    )


@part
def read_magnets(magnets: Magnets, i: int, parts: Array, internal: Array) -> None:
    """Write constants and states of a craft to lane i."""
    if magnets is not None:
        at = place_of(parts, IRONS)
        for n in range(at.number):
            for j in range(CONSTANTS):
                magnets[0][n, j, i] = parts[at.row + n * CONSTANTS + j]
        at = place_of(parts, SHELLS)
        for n in range(at.number):
            for j in range(SHELL_SIZE):
                magnets[1][n, j, i] = parts[at.row + n * SHELL_SIZE + j]
        read_matching(magnets, i, parts, internal)


@part
def read_matching(magnets: Magnets, i: int, parts: Array, internal: Array) -> None:
    """Write the states of rods to lane i."""
    if magnets is not None:
        at = place_of(parts, IRONS)
        for n in range(at.number):
            magnets[0][n, MATCHING, i] = magnets[0][n, MATCHING_X, i] = internal[at.state + n]


@part
def write_matching(magnets: Magnets, i: int, parts: Array, internal: Array) -> None:
    """Write internal states of a craft from lane i."""
    if magnets is not None:
        at = place_of(parts, IRONS)
        for n in range(at.number):
            internal[at.state + n] = magnets[0][n, MATCHING, i]


# --- the field ---------------------------------------------------------------------------------


@helper
def look_at_changes(w: Array, here: Array, k: int, s: float, i: int, magnets: Magnets) -> None:
    """Write the rate of change of the field of lane i, s seconds after its polynomials begin."""
    if magnets is not None:
        f, known = FIELD, w[PARAMETER, i] != 0.0
        for j in range(3):
            rate = quartic_rate(
                w[f + 3 + j, i], w[f + 6 + j, i], w[f + 9 + j, i], w[f + 12 + j, i], s
            )
            here[k, FIELD_RATE + j, i] = rate if known else 0.0


@helper
def feel_field(w: Array, now: Array, magnets: Magnets, first: bool) -> None:
    """Write OMEGA, and the field and its change in body axes; begin to add up MAGNET.

    now: environment;  first: whether OMEGA is known, as in the first stage
    """
    if magnets is not None:
        for i in range(LANES):
            x = thirteen(w, X, i)
            turn = turn_of(x, inverse_square(x))
            omega = three(w, OMEGA, i)
            if not first:
                omega = rate_of(w, i, body_momentum(x, turn))
            b, c = FIELD_HERE, FIELD_RATE
            field_B = to_body(turn, (now[b, i], now[b + 1, i], now[b + 2, i]), 0)
            changes_W = now[c, i], now[c + 1, i], now[c + 2, i]
            changes = moved_vector(to_body(turn, changes_W, 0), -1.0, cross(omega, field_B))
            put_three(w, OMEGA, i, omega)
            put_three(w, FIELD_NOW, i, field_B)
            put_three(w, CHANGES, i, changes)
            put_three(w, MAGNET, i, ZERO)


# --- a stage -----------------------------------------------------------------------------------


@helper
def magnetize(w: Array, magnets: Magnets) -> None:
    """Write the dipole of all magnets to MAGNET."""
    if magnets is not None:
        irons, shells = magnets
        for n in range(len(irons)):
            find_curves(irons[n])
            for i in range(LANES):
                dipole = rod_dipole(column(irons[n], i), 0, irons[n, CURVE, i])
                axis = three_of(irons, n, 0, i)
                put_three(w, MAGNET, i, moved_vector(three(w, MAGNET, i), dipole, axis))
        for n in range(len(shells)):
            for i in range(LANES):
                tensor = six(shells[n], TENSOR, i)
                against = scaled(-1.0, symmetric_times(tensor, three(w, CHANGES, i)))
                put_three(w, MAGNET, i, added(three(w, MAGNET, i), against))


@part
def find_curves(iron: Array) -> None:
    """Write the curves of a rod, one after the other."""
    for i in range(LANES):
        iron[CURVE, i] = math.atan(iron[STEEPNESS, i] * iron[MATCHING_X, i])


@helper
def move_magnets(w: Array, magnets: Magnets, far: float, k: int) -> None:
    """Write the rates of rods in stage k, 0 to 3, after `magnetize`, and states in the next one.

    far: part of the step at which that is
    """
    if magnets is not None:
        irons = magnets[0]
        for n in range(len(irons)):
            for i in range(LANES):
                axis = three_of(irons, n, 0, i)
                along, changed = dot(axis, three(w, FIELD_NOW, i)), dot(axis, three(w, CHANGES, i))
                rate = matching_rate(
                    column(irons[n], i), 0, irons[n, MATCHING_X, i], irons[n, CURVE, i],
                    along / VACUUM_PERMEABILITY, changed / VACUUM_PERMEABILITY,
                )  # fmt: skip
                irons[n, RATE, i] = rate
                irons[n, MATCHING_X, i] = irons[n, MATCHING, i] + far * w[STEP, i] * rate
            add_up(irons[n], RATE, FIRST_RATE, 1, k)


@helper
def dipole_in(w: Array, i: int, t: float, magnets: Magnets) -> Floats:
    """Return the dipole of lane i in a stage, three floats; t: since the step began [s]."""
    return with_magnets(
        w, i, moved_vector(three(w, DIPOLE, i), t, three(w, DIPOLE_RATE, i)), magnets
    )


@helper
def with_magnets(w: Array, i: int, dipole: Floats, magnets: Magnets) -> Floats:
    """Return a dipole and that of magnets, three floats, after `magnetize`."""
    if magnets is not None:
        dipole = added(dipole, three(w, MAGNET, i))
    return dipole


@helper
def end_magnets(w: Array, magnets: Magnets, index: int) -> None:
    """Write the states of rods at the end of sub-step `index`."""
    if magnets is not None:
        irons, first = magnets[0], index == 0
        for n in range(len(irons)):
            for i in range(LANES):
                begin, old = irons[n, MATCHING, i], irons[n, OLD_MATCHING, i]
                end = all_stages(
                    w[SIXTH, i], begin, irons[n, FIRST_RATE, i], irons[n, MIDDLE_RATE, i],
                    irons[n, RATE, i],
                )  # fmt: skip
                end = selected(index < w[STEPS, i], end, begin)
                irons[n, OLD_MATCHING, i] = selected(first, begin, old)
                irons[n, MATCHING, i] = irons[n, MATCHING_X, i] = end


@part
def take_magnets_back(w: Array, magnets: Magnets) -> None:
    """Let the rods of lanes that are not SMOOTH have what the tick began with."""
    if magnets is not None:
        for i in range(LANES):
            if w[SMOOTH, i] == 0.0:
                for n in range(len(magnets[0])):
                    old = magnets[0][n, OLD_MATCHING, i]
                    magnets[0][n, MATCHING, i] = magnets[0][n, MATCHING_X, i] = old


@part
def lose_magnets(magnets: Magnets, i: int) -> None:
    """Let the states of rods in lane i be nan."""
    if magnets is not None:
        for n in range(len(magnets[0])):
            magnets[0][n, MATCHING, i] = magnets[0][n, MATCHING_X, i] = math.nan


# --- sub-steps ---------------------------------------------------------------------------------


@helper
def bound_magnets(w: Array, magnets: Magnets) -> None:
    """Write a bound of the dipole of magnets to MAGNET, as Kind.magnetic_bounds."""
    if magnets is not None:
        for i in range(LANES):
            w[MAGNET, i] = 0.0
        for n in range(len(magnets[0])):
            for i in range(LANES):
                w[MAGNET, i] += most_dipole(column(magnets[0][n], i), 0)


@helper
def torque_bound(w: Array, i: int, torque: float, field: float, magnets: Magnets) -> float:
    """Return a bound of the torque on lane i [N m] with that of magnets; field: its size [T]."""
    if magnets is not None:
        torque += w[MAGNET, i] * field
    return torque


@helper
def note_rate(w: Array, i: int, rate: float, magnets: Magnets) -> None:
    """Write a bound of ω [rad/s] for `resolve_loops`."""
    if magnets is not None:
        w[CHANGES, i] = rate


@helper
def resolve_loops(w: Array, here: Array, duration: float, magnets: Magnets) -> None:
    """Let STEPS be as many as magnets need, as Kind.magnetic_bounds.

    here: environment when the tick begins;  duration: [s]
    """
    if magnets is not None:
        for n in range(len(magnets[0])):
            for i in range(LANES):
                b, c, iron = FIELD_HERE, FIELD_RATE, column(magnets[0][n], i)
                field = norm((here[b, i], here[b + 1, i], here[b + 2, i]))
                changes = norm((here[c, i], here[c + 1, i], here[c + 2, i]))
                fastest = (changes + w[CHANGES, i] * field) / VACUUM_PERMEABILITY
                take_more_steps(w, i, rod_steps(iron, 0, fastest, duration))
        for n in range(len(magnets[1])):
            for i in range(LANES):
                b = FIELD_HERE
                field = norm((here[b, i], here[b + 1, i], here[b + 2, i]))
                loss = magnets[1][n, LARGEST, i] * field * field / w[LEAST_ROW, i]
                take_more_steps(w, i, loss * duration / currents.LARGEST_LOSS)


@helper
def take_more_steps(w: Array, i: int, steps: float) -> None:
    """Let lane i take as many steps at least."""
    w[STEPS, i] = max(w[STEPS, i], np.ceil(steps))
    w[SMOOTH, i] = w[SMOOTH, i] if steps < MOST_STEPS else 0.0
