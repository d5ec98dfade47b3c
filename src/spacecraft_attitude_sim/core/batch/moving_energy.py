# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft with internal parts, side by side: the energy of these, as moving_origin.energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.batch.craft_rows import OMEGA
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.batch.moving_rows import (
    ENERGY_MOMENT,
    INSIDE_ENERGY,
    NOW,
    ONE,
    OWN,
    PARTS,
    SHAPE,
    SPRINGS,
    WORK_ROWS,
)
from spacecraft_attitude_sim.core.batch.moving_step import VELOCITY
from spacecraft_attitude_sim.core.environment.loads.load import ZERO
from spacecraft_attitude_sim.core.mathematics.vectors import cross, dot, put_three, three_at
from spacecraft_attitude_sim.core.parts.coordinates import kernel as coordinates
from spacecraft_attitude_sim.core.parts.coordinates.layouts import HINGE, LINE, MODE
from spacecraft_attitude_sim.core.parts.craft import CARRIED, HUB_MOMENT
from spacecraft_attitude_sim.core.parts.pendulums import kernel as pendulums
from spacecraft_attitude_sim.core.parts.viscous_slugs import kernel as slugs
from spacecraft_attitude_sim.kernels.columns import column, column_from
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array


@helper
def see_inside(w: Array, inside: tuple[Array, Array, Array]) -> None:
    """Write twice the kinetic energy that the hub lacks to INSIDE_ENERGY, and SPRINGS [J]."""
    for i in range(LANES):
        lane = column(w, i)
        v = three_at(lane, WORK_ROWS + VELOCITY)
        lane[INSIDE_ENERGY], lane[SPRINGS] = lane[PARTS + CARRIED] * dot(v, v), 0.0
        put_three(lane, ENERGY_MOMENT, three_at(lane, PARTS + HUB_MOMENT))
    for n in range(len(inside[0])):
        shape = inside[0][n, SHAPE, 0]
        if shape == HINGE:
            see_coordinate(w, inside[0][n], HINGE)
        elif shape == LINE:
            see_coordinate(w, inside[0][n], LINE)
        else:
            see_coordinate(w, inside[0][n], MODE)
    for i in range(LANES):
        lane = column(w, i)
        turned = cross(three_at(lane, ENERGY_MOMENT), three_at(lane, WORK_ROWS + VELOCITY))
        lane[INSIDE_ENERGY] += 2.0 * dot(three_at(lane, OMEGA), turned)
    see_suspended(w, inside[1], inside[2])


@helper
def see_coordinate(w: Array, each: Array, shape: float) -> None:
    """Add the energies of a coordinate; shape: MODE, HINGE or LINE, a constant."""
    for i in range(LANES):
        lane, own = column(w, i), column(each, i)
        sums = lane[INSIDE_ENERGY], lane[SPRINGS], three_at(lane, ENERGY_MOMENT)
        twice, springs, moment = coordinates.energy_of_one(
            shape, sums, own, 0, own, NOW, own, OWN, three_at(lane, OMEGA),
            three_at(lane, WORK_ROWS + VELOCITY),
        )  # fmt: skip
        lane[INSIDE_ENERGY], lane[SPRINGS] = twice, springs
        put_three(lane, ENERGY_MOMENT, moment)


@helper
def see_suspended(w: Array, pendulum_rows: Array, slug_rows: Array) -> None:
    """Add the energies of pendulums and slugs."""
    for n in range(len(pendulum_rows)):
        for i in range(LANES):
            lane, own = column(w, i), column(pendulum_rows[n], i)
            lane[INSIDE_ENERGY] = pendulums.suspended_energy(
                ONE, lane[INSIDE_ENERGY], own, column_from(own, NOW), own, three_at(lane, OMEGA),
                three_at(lane, WORK_ROWS + VELOCITY),
            )  # fmt: skip
    for n in range(len(slug_rows)):
        for i in range(LANES):
            lane, own = column(w, i), column(slug_rows[n], i)
            lane[INSIDE_ENERGY] = slugs.suspended_energy(
                ONE, lane[INSIDE_ENERGY], own, column_from(own, NOW), own, ZERO, ZERO
            )  # fmt: skip
