# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: an air bearing, as environment.loads.bearing.

borne       (BORNE_SIZE, LANES) whether a craft is on one, 1 or 0; first moment of mass about
            the pivot [kg m], body axes; gravity [m/s^2], world axes. None for a loop without
            bearings, for which all of this is compiled away
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_rows import BEARING_SLOT, picked
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.batch.loaded_lanes import three
from spacecraft_attitude_sim.core.environment.loads.load import ZERO, to_body
from spacecraft_attitude_sim.core.mathematics.vectors import added, cross, dot, norm
from spacecraft_attitude_sim.core.parts.craft import LOADS
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

ON, MOMENT, GRAVITY, BORNE_SIZE = 0, 1, 4, 7
BEARING_AT = LOADS + 2 * BEARING_SLOT


def are_borne(parts: Array) -> bool:
    """Return whether any craft is on an air bearing; parts: (N, m) constants of each."""
    return bool(parts[:, BEARING_AT].any())


@helper
def room_for_borne(parts: Array) -> Array:  # noqa: ARG001
    """Return `borne`."""
    return from_line(np.zeros((BORNE_SIZE + 1, LANES)))


@part
def read_bearing(borne: Array | None, i: int, parts: Array) -> None:
    """Write the bearing of a craft to lane i."""
    if borne is not None:
        borne[ON, i], row = parts[BEARING_AT], int(parts[BEARING_AT + 1])
        for j in range(6):
            borne[MOMENT + j, i] = parts[row + j] if borne[ON, i] > 0.0 else 0.0


@helper
def turned_by_weight(i: int, turn: Floats, torque: Floats, borne: Array | None) -> Floats:
    """Return a torque on lane i with that of its weight about the pivot, three floats, body axes.

    turn: of loads.load.turn_of
    """
    if borne is not None:
        gravity_B = to_body(turn, three(borne, GRAVITY, i), 0)
        weighed = added(torque, cross(three(borne, MOMENT, i), gravity_B))
        torque = picked(borne[ON, i] > 0.0, weighed, torque)
    return torque


@helper
def force_left(i: int, force_W: Floats, borne: Array | None) -> Floats:
    """Return what a bearing leaves of a force on lane i."""
    if borne is not None:
        force_W = picked(borne[ON, i] > 0.0, ZERO, force_W)
    return force_W


@helper
def bound_of_weight(i: int, torque: float, borne: Array | None) -> float:
    """Return a bound of torques on lane i [N m] with that of its weight."""
    if borne is not None:
        most = norm(three(borne, MOMENT, i)) * norm(three(borne, GRAVITY, i))
        torque = torque + most if borne[ON, i] > 0.0 else torque
    return torque


@helper
def energy_of_weight(i: int, turn: Floats, energy: float, borne: Array | None) -> float:
    """Return an energy of lane i [J] with that of its weight; turn: of loads.load.turn_of."""
    if borne is not None:
        own = dot(three(borne, MOMENT, i), to_body(turn, three(borne, GRAVITY, i), 0))
        energy = energy - own if borne[ON, i] > 0.0 else energy
    return energy
