# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The pressure of sunlight on the plates of the surface: the formula is in ../plates.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.loads.load import (
    PRESSURE,
    TO_SUN,
    Acting,
    LoadKind,
    to_body,
)
from spacecraft_attitude_sim.core.environment.plates import (
    AREA,
    CENTER,
    DIFFUSE,
    NORMAL,
    PLATE,
    PLATE_ROW,
    SPECULAR,
    Plates,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.loads.load import Sums
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats


@helper
def push_of_light(
    normal: Floats, area: float, mirrored: float, diffuse: float, sun_B: Floats, pressure: float,
    c: float,
) -> Floats:  # fmt: skip
    """Return the force of sunlight on a plate that faces the Sun, three floats [N], body axes.

    mirrored: specular reflectivity;  c: cosine of the angle between its normal and the Sun
    """
    size = -pressure * area * c
    return moved_vector(
        scaled(size * (1.0 - mirrored), sun_B),
        2.0 * size * (mirrored * c + diffuse / 3.0), normal,
    )  # fmt: skip


@part
def of_sunlight(parts: Array, row: int, plates: int, sun_B: Floats, pressure: float) -> Floats:
    """Return force and torque of sunlight, six floats [N, N m], body axes.

    row: of the first plate;  sun_B: unit vector to the Sun, three floats;  pressure: [N/m^2]
    """
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for _ in range(plates):
        n = three_at(parts, row + NORMAL)
        c = dot(n, sun_B)
        if c > 0.0:
            one = push_of_light(
                n, parts[row + AREA], parts[row + SPECULAR], parts[row + DIFFUSE], sun_B,
                pressure, c,
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
    """Add force and torque of sunlight; see LoadKind."""
    force_B, torque_B, force_W = sums
    light = of_sunlight(parts, row, count, to_body(turn, here, TO_SUN), here[PRESSURE])
    return added(force_B, three_at(light, 0)), added(torque_B, three_at(light, 3)), force_W


KIND = LoadKind(name='solar_pressure', row=PLATE, wrench=wrench)


def acting(plates: Plates) -> Acting:
    """Return sunlight on the plates of a spacecraft."""
    return Acting(KIND, plates.rows())
