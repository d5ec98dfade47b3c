# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The pressure of the air on the plates of the surface: the formula is in ../plates.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.loads.load import (
    DENSITY,
    WIND,
    Acting,
    LoadKind,
    to_body,
)
from spacecraft_attitude_sim.core.environment.plates import (
    ACCOMMODATION,
    AREA,
    CENTER,
    DRAG,
    LEAVING,
    NORMAL,
    PLATE,
    PLATE_ROW,
    Plates,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    norm,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.loads.load import Sums
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats


@helper
def push_of_air(
    normal: Floats, area: float, drag: float, kept: float, leaving: float, way: Floats,
    speed: float, density: float, c: float,
) -> Floats:  # fmt: skip
    """Return the force of the air on a plate that faces the flow, three floats [N], body axes.

    kept: accommodation;  way: unit vector of the velocity through the air;  c: of both normals
    """
    size = -0.5 * density * speed * speed * area * c
    size *= drag
    along = 2.0 * (1.0 - kept) * c + kept * leaving / speed
    return moved_vector(scaled(size * kept, way), size * along, normal)


@part
def of_air(parts: Array, row: int, plates: int, velocity_B: Floats, density: float) -> Floats:
    """Return force and torque of the air, six floats [N, N m], body axes.

    row: of the first plate;  velocity_B: through the air, three floats [m/s]
    density: [kg/m^3]
    """
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    speed = norm(velocity_B)
    if speed > 0.0 and density > 0.0:
        way = scaled(1.0 / speed, velocity_B)
        for _ in range(plates):
            n = three_at(parts, row + NORMAL)
            c = dot(n, way)
            if c > 0.0:
                one = push_of_air(
                    n, parts[row + AREA], parts[row + DRAG], parts[row + ACCOMMODATION],
                    parts[row + LEAVING], way, speed, density, c,
                )  # fmt: skip
                force = added(force, one)
                torque = added(torque, cross(three_at(parts, row + CENTER), one))
            row += PLATE_ROW
    return (force[0], force[1], force[2], torque[0], torque[1], torque[2])


@helper
def wrench(
    sums: Sums, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    velocity: Floats, here: Floats,
) -> Sums:  # fmt: skip
    """Add force and torque of the air; see LoadKind."""
    force_B, torque_B, force_W = sums
    through_W = moved_vector(velocity, -1.0, three_at(here, WIND))
    air = of_air(parts, row, count, to_body(turn, through_W, 0), here[DENSITY])
    return added(force_B, three_at(air, 0)), added(torque_B, three_at(air, 3)), force_W


KIND = LoadKind(name='aerodynamic', row=PLATE, wrench=wrench)


def acting(plates: Plates) -> Acting:
    """Return the air on the plates of a spacecraft."""
    return Acting(KIND, plates.rows())
