# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: wheels that friction holds at rest, for instance those that have seized.

The inertia of such a wheel joins that of the body. Whether friction can hold it is not computed in
every step, but bounded: where the bound does not say so, the tick is flown alone.

    held        (HELD_SIZE, LANES) inertia of the body with such wheels, six rows; None for a loop
                in which such craft fly alone, for which all of this is compiled away
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_rows import (
    ADJUGATE,
    AXIS,
    DRIVE,
    ENERGY,
    INERTIA_ROW,
    LEAST_ROW,
    MODE,
    MOMENTUM,
    OMEGA,
    PUSH,
    SCALE,
    SMOOTH,
    STATIC,
    STORED,
    TARGET,
    fill_rows,
    held_inertia,
    of_row,
    rate_of,
    three_of,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE, thirteen
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.load import turn_of
from spacecraft_attitude_sim.core.equations.multibody.derivatives import body_momentum
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm, symmetric_adjugate
from spacecraft_attitude_sim.core.parts.craft import place_of
from spacecraft_attitude_sim.core.parts.reaction_wheels import layouts as wheels_of
from spacecraft_attitude_sim.core.parts.reaction_wheels.kernel import state_size
from spacecraft_attitude_sim.core.parts.registry import WHEELS
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

WHEEL_ROW, DRY_AT, MOST_AT = wheels_of.ROW, wheels_of.COULOMB, wheels_of.MAX_TORQUE
MODE_STATE, STUCK = wheels_of.MODE_STATE, wheels_of.STUCK
HELD_SIZE = 6
# Sum over the stages of a sub-step of the sizes of all torques [N m], in a row that serves others
# only after a tick; and where the inertia is when sub-steps are counted, likewise.
TORQUES, WHOLE_NOW = ENERGY, PUSH
# With fewer craft of which a wheel is held, those fly alone: others are quicker without.
FEWEST_HELD = 1.0 / 16.0


def hold_wheels(parts: Array, internal: Array, flown: bool) -> bool:
    """Return whether friction holds wheels of enough craft, now or soon.

    parts: (N, m) constants of each, with the same numbers of parts;  internal: (N, n) states
    flown: whether they have flown before; else wheels at rest may be about to start
    A wheel has seized if its friction is larger than the largest torque of its motor.
    """
    at = place_of(parts[0], WHEELS)
    rows = parts[:, at.row : at.row + at.number * WHEEL_ROW]
    dry, size = rows[:, DRY_AT::WHEEL_ROW], state_size(at, parts[0])
    modes = internal[:, at.state + MODE_STATE : at.state + at.number * size : max(size, 1)]
    held = ((modes == STUCK) & flown) | (dry > rows[:, MOST_AT::WHEEL_ROW])
    return bool(held.any(axis=1).sum() >= FEWEST_HELD * len(parts))


@helper
def room_for_held(rows: Array) -> Array:  # noqa: ARG001
    """Return `held`."""
    return from_line(np.zeros((HELD_SIZE + 1, LANES)))


@helper
def is_held(mode: float, held: Array | None) -> bool:
    """Return whether friction holds a wheel in a mode, in a loop that has such wheels."""
    if held is None:
        return False
    return mode == STUCK


# --- a tick ------------------------------------------------------------------------------------


@part
def find_held_motion(w: Array, wheels: Array, held: Array | None) -> None:
    """Write the inertia with wheels that are held, its inverse, STORED and OMEGA, from states."""
    if held is not None:
        for i in range(LANES):
            inertia, stored = held_inertia(w, wheels, i)
            adjugate, w[SCALE, i] = symmetric_adjugate(inertia)
            for j in range(HELD_SIZE):
                held[j, i], w[ADJUGATE + j, i] = inertia[j], adjugate[j]
            put_three(w, STORED, i, stored)
            x = thirteen(w, STATE, i)
            put_three(w, OMEGA, i, rate_of(w, i, body_momentum(x, turn_of(x, 1.0))))


@helper
def hold_still(w: Array, wheels: Array, held: Array | None) -> None:
    """Write the momenta of wheels that are held, from OMEGA, as Kind.hold."""
    if held is not None:
        for n in range(len(wheels)):
            for i in range(LANES):
                along = dot(three_of(wheels, n, AXIS, i), three(w, OMEGA, i))
                momentum = wheels[n, INERTIA_ROW, i] * (0.0 + along)
                still = wheels[n, MODE, i] == STUCK
                wheels[n, MOMENTUM, i] = momentum if still else wheels[n, MOMENTUM, i]


@helper
def show_inertia(w: Array, held: Array | None) -> None:
    """Write the inertia to WHOLE_NOW."""
    if held is not None:
        source, place = of_row(held, 0), of_row(w, WHOLE_NOW)
        for j in range(HELD_SIZE * LANES):
            place[j] = source[j]


# --- a sub-step --------------------------------------------------------------------------------


@helper
def begin_torques(w: Array, held: Array | None) -> None:
    """Begin to add up TORQUES."""
    if held is not None:
        fill_rows(w, TORQUES, 1, 0.0)


@helper
def note_torque(
    w: Array, i: int, torque: Floats, omega: Floats, x: Floats, held: Array | None
) -> None:
    """Add to TORQUES what turns the body in a stage; x: its state, thirteen floats."""
    if held is not None:
        w[TORQUES, i] += norm(torque) + norm(omega) * norm((x[10], x[11], x[12]))


@helper
def note_motor(w: Array, i: int, torque: float, held: Array | None) -> None:
    """Add to TORQUES that on a wheel in a stage."""
    if held is not None:
        w[TORQUES, i] += abs(torque)


@helper
def check_held(w: Array, wheels: Array, held: Array | None) -> None:
    """Mark lanes in which friction might not hold a wheel in the sub-step; wheels as it began.

    The torque on the wheel is at most J |dω/dt|. The sum of torques over four stages is larger
    than the torque when the step begins, and than that when it ends: as the stages are at its
    beginning, middle and end, torques would have to be four times as large as in those.
    """
    if held is not None:
        for n in range(len(wheels)):
            for i in range(LANES):
                largest = max(abs(wheels[n, DRIVE, i]), abs(wheels[n, TARGET, i]))
                needed = wheels[n, INERTIA_ROW, i] * w[TORQUES, i] / w[LEAST_ROW, i]
                certain = needed + largest <= wheels[n, STATIC, i]
                stays = certain | (wheels[n, MODE, i] != STUCK)
                w[SMOOTH, i] = w[SMOOTH, i] if stays else 0.0
